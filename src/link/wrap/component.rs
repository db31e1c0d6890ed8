//! Composes vectors from components of others.

use naga::{Expression, Handle, Module, SwizzleComponent};

use ir::builder::{FunctionBuilder, vector_size};
use ir::interface::ScalarKind;

/// A component of a vector, or a scalar.
#[derive(Clone, Copy)]
pub(super) struct Component {
    /// The vector or scalar.
    pub(super) vector: Handle<Expression>,
    /// Number of components of `vector`; 1 for a scalar.
    pub(super) width: u8,
    /// Index of the component.
    pub(super) index: u8,
}

/// Composes a scalar or vector of `kind` from components of others.
pub(super) fn gather(
    builder: &mut FunctionBuilder<&mut Module>,
    from: &[Component],
    kind: ScalarKind,
) -> Handle<Expression> {
    if let [one] = from {
        return pick(builder, *one);
    }
    let Component { vector, width, .. } = from[0];
    if width == 1 || from.iter().any(|other| other.vector != vector) {
        let components = from.iter().map(|one| pick(builder, *one)).collect();
        let ty = builder.vector_type(from.len(), kind);
        return builder.compose(ty, components);
    }
    if from.len() == usize::from(width) && (0..).zip(from).all(|(idx, one)| one.index == idx) {
        return vector;
    }
    let mut pattern = [SwizzleComponent::X; 4];
    for (target, one) in pattern.iter_mut().zip(from) {
        *target = SwizzleComponent::from_index(u32::from(one.index));
    }
    let size = vector_size(from.len()).expect("a lone scalar is handled above");
    builder.emit(Expression::Swizzle { size, vector, pattern })
}

/// Extracts the component as a scalar.
pub(super) fn pick(
    builder: &mut FunctionBuilder<&mut Module>,
    one: Component,
) -> Handle<Expression> {
    if one.width == 1 { one.vector } else { builder.part(one.vector, u32::from(one.index)) }
}
