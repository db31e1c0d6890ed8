//! Vertex stages that paint nothing, or have nothing that a fragment stage can show: their outputs are captured.

use std::fmt::Write as _;

use ir::interface::{ScalarKind, Type};
use naga::{Binding, BuiltIn, EntryPoint, Module, TypeInner};

use crate::inputs;
use crate::interface::crossing;

/// Maximum number of captured words of a vertex.
const MAX_WORDS: usize = 64;

/// A capture, as parts of a case.
pub(super) struct Capture {
    /// Lines of `[capture]`.
    pub(super) items: String,
    /// Commands that make the buffer and draw.
    pub(super) commands: String,
}

/// The capture of the outputs of some vertices.
pub(super) fn capture(module: &Module, vertex: &EntryPoint, vertices: usize) -> Option<Capture> {
    let result = vertex.function.result.as_ref()?;
    let (mut items, mut words) = (String::new(), 0);
    let mut add = |name: &str, count: usize| {
        if words + count <= MAX_WORDS {
            let _ = writeln!(items, "{name}");
            words += count;
        }
    };
    let is_position = |binding: &Option<Binding>| {
        matches!(binding, Some(Binding::BuiltIn(BuiltIn::Position { .. })))
    };
    if is_position(&result.binding) {
        add("gl_Position", 4);
    }
    if let TypeInner::Struct { members, .. } = &module.types[result.ty].inner {
        for member in members {
            let crossing = crossing(module, member.ty);
            match (&member.binding, &member.name, crossing) {
                (binding, ..) if is_position(binding) => add("gl_Position", 4),
                (Some(Binding::Location { .. }), Some(name), Some((ty, false))) => {
                    if let Some(count) = words_of(&ty) {
                        add(name, count);
                    }
                }
                _ => {}
            }
        }
    }
    let size = words * vertices * 4;
    let fill = inputs::UNSET;
    let commands =
        format!("xfb buffer object 0 {size} {fill}\nxfb draw arrays points 0 {vertices}\n");
    (words > 0).then_some(Capture { items, commands })
}

/// Number of words of an output, if it can be captured.
fn words_of(ty: &Type) -> Option<usize> {
    let (kind, count) = match ty {
        Type::Scalar(kind) => (kind, 1),
        Type::Vector { size, scalar } => (scalar, usize::from(*size)),
        Type::Matrix { .. } | Type::Array { .. } | Type::Struct(_) => return None,
    };
    matches!(kind, ScalarKind::F32 | ScalarKind::I32 | ScalarKind::U32).then_some(count)
}
