//! Hidden uniforms that no shader declares. They pass GL state to the shells of the vertex stage. The state may change
//! between draws, but the program is linked only once. Their names contain spaces, so no shader can have them.

use naga::{ArraySize, Scalar, TypeInner, VectorSize};

use ir::builder::{add_private, insert_type};
use ir::interface::{Place, ScalarKind, Type};
use ir::stage_module::{StageModule, UniformVariable};

/// Adds a `uint` that the executor sets by `name`.
pub(crate) fn add_word(stage: &mut StageModule, name: &str) -> Place {
    add(stage, name, Type::Scalar(ScalarKind::U32), TypeInner::Scalar(Scalar::U32))
}

/// Adds a `vec4` that the executor sets by `name`.
pub(crate) fn add_vector(stage: &mut StageModule, name: &str) -> Place {
    add(stage, name, Type::Vector { size: 4, scalar: ScalarKind::F32 }, vector())
}

/// Adds an array of `vec4` with `length` elements, at least one.
pub(crate) fn add_vectors(stage: &mut StageModule, name: &str, length: u32) -> Place {
    let base = insert_type(&mut stage.module, vector());
    let size = std::num::NonZeroU32::new(length).expect("callers ask for at least one");
    let array = TypeInner::Array { base, size: ArraySize::Constant(size), stride: 16 };
    let ty = Type::Vector { size: 4, scalar: ScalarKind::F32 }.array(length);
    add(stage, name, ty, array)
}

/// Adds a private global with the type `inner` that no shader declares.
pub(crate) fn add_global(stage: &mut StageModule, inner: TypeInner) -> Place {
    let ty = insert_type(&mut stage.module, inner);
    let global = add_private(&mut stage.module, None, ty);
    Place::whole(global)
}

const fn vector() -> TypeInner {
    TypeInner::Vector { size: VectorSize::Quad, scalar: Scalar::F32 }
}

fn add(stage: &mut StageModule, name: &str, ty: Type, inner: TypeInner) -> Place {
    let place = add_global(stage, inner);
    fill(stage, name, ty, place.clone());
    place
}

/// Adds a uniform called `name`, which the executor sets and whose value is at `place`.
pub(crate) fn fill(stage: &mut StageModule, name: &str, ty: Type, place: Place) {
    stage.uniforms.push(UniformVariable {
        is_used: true,
        ..UniformVariable::loose(name.to_owned(), ty, place)
    });
}
