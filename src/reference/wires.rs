//! Makes wires of unlinked stages.

use cpu::wired::{Part, Wire, lacking};
use ir::interface::{Leaf, Place, ScalarKind, Variable};
use ir::stage_module::{BuiltinVariable, Direction, StageModule};
use naga::{ArraySize, Binding, BuiltIn, GlobalVariable, Handle, Scalar, TypeInner};
use plan::ExecuteError;

/// The binding of a location without interpolation.
pub(super) const fn location(location: u32, blend_src: Option<u32>) -> Binding {
    let (interpolation, sampling) = (None, None);
    Binding::Location { location, interpolation, sampling, blend_src, per_primitive: false }
}

/// The part of a place that starts at word `word`.
pub(super) fn part(place: &Place, word: usize) -> Part {
    Part { global: place.global, path: place.path.clone(), word }
}

/// naga's type of the components by which a scalar is passed: a 64-bit scalar is two words.
pub(super) fn naga_scalar(kind: ScalarKind) -> Result<Scalar, ExecuteError> {
    Ok(match kind {
        ScalarKind::F32 => Scalar::F32,
        ScalarKind::I32 => Scalar::I32,
        ScalarKind::U32 | ScalarKind::F64 | ScalarKind::I64 | ScalarKind::U64 => Scalar::U32,
        ScalarKind::Bool => return Err(lacking("boolean varyings without a linker")),
    })
}

/// The type of the components by which a leaf is passed, and their number.
pub(super) fn crossing(leaf: &Leaf) -> Result<(Scalar, usize), ExecuteError> {
    Ok((naga_scalar(leaf.scalar)?, leaf.words()))
}

/// Wires of built-in variables, each through its own global.
pub(super) fn builtins(
    stage: &StageModule,
    direction: Direction,
) -> Result<Vec<Wire>, ExecuteError> {
    let own = stage.builtins.iter().filter(|builtin| builtin.direction == direction);
    own.map(|builtin| wire(stage, builtin)).collect()
}

fn wire(stage: &StageModule, builtin: &BuiltinVariable) -> Result<Wire, ExecuteError> {
    let ty = stage.module.global_variables[builtin.global].ty;
    #[expect(clippy::wildcard_enum_match_arm, reason = "built-in variables have few types")]
    let (scalar, components) = match stage.module.types[ty].inner {
        TypeInner::Scalar(scalar) => (scalar, 1),
        TypeInner::Vector { size, scalar } => (scalar, size as usize),
        // The array is clip distances, or a sample mask.
        TypeInner::Array { base, size: ArraySize::Constant(length), .. } => {
            let TypeInner::Scalar(scalar) = stage.module.types[base].inner else {
                return Err(lacking(format!("{:?} without a linker", builtin.builtin)));
            };
            (scalar, length.get() as usize)
        }
        _ => return Err(lacking(format!("{:?} without a linker", builtin.builtin))),
    };
    let part = Part { global: builtin.global, path: Vec::new(), word: 0 };
    Ok(Wire { binding: Binding::BuiltIn(builtin.builtin), scalar, components, part })
}

/// The global of a built-in variable. Invariant and other positions count as the same variable.
pub(super) fn builtin(
    stage: &StageModule,
    builtin: BuiltIn,
    direction: Direction,
) -> Option<&BuiltinVariable> {
    let is_it = |known: BuiltIn| match (known, builtin) {
        (BuiltIn::Position { .. }, BuiltIn::Position { .. }) => true,
        (known, wanted) => known == wanted,
    };
    let mut own = stage.builtins.iter();
    own.find(|known| known.direction == direction && is_it(known.builtin))
}

/// The global of an array of clip or cull distances, and its length.
pub(super) fn distances(
    stage: &StageModule,
    kind: BuiltIn,
    direction: Direction,
) -> Option<(Handle<GlobalVariable>, usize)> {
    let own = builtin(stage, kind, direction)?;
    let ty = stage.module.global_variables[own.global].ty;
    let inner = &stage.module.types[ty].inner;
    let TypeInner::Array { size: ArraySize::Constant(length), .. } = inner else { return None };
    Some((own.global, length.get() as usize))
}

/// The leaves of an output and of the input that reads it, in pairs with the same index.
///
/// # Errors
/// The types do not match.
pub(super) fn leaves_of(
    output: &Variable,
    input: &Variable,
) -> Result<(Vec<Leaf>, Vec<Leaf>), ExecuteError> {
    let (sent, read) = (output.ty.leaves(), input.ty.leaves());
    let is_fit = sent.len() == read.len()
        && sent.iter().zip(&read).all(|(a, b)| a.size >= b.size && a.scalar == b.scalar);
    if !is_fit {
        return Err(lacking(format!("varying like `{}` without a linker", input.name)));
    }
    Ok((sent, read))
}
