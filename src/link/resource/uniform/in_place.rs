//! Reads large uniform arrays directly from buffers instead of copying them into private globals. Drivers that keep
//! private arrays in registers take seconds to compile a dynamic index into a copy, but no time for an index into a
//! buffer.
//!
//! This is limited to arrays whose natural layout equals std140: arrays of vectors with three or four components, or of
//! matrices with columns of this size.

use naga::{AddressSpace, Module, ResourceBinding};

use crate::table::binding::UniformBuffer;
use ir::interface::{ScalarKind, Type};
use ir::stage_module::{StageModule, UniformKind, UniformVariable};

/// Number of components from which a copy costs more than a separate buffer.
const LEAST_COMPONENTS: u32 = 64;

/// True if the uniform gets a separate buffer of its own type.
pub(crate) fn is_in_place(uniform: &UniformVariable) -> bool {
    let is_whole = uniform.place.path.is_empty();
    let is_loose = matches!(uniform.kind, UniformKind::Loose { .. });
    let is_array = matches!(uniform.ty, Type::Array { .. });
    is_whole
        && is_loose
        && is_array
        && uniform.ty.component_count() >= LEAST_COMPONENTS
        && has_wide_elements(uniform.ty.without_arrays())
}

fn has_wide_elements(ty: &Type) -> bool {
    match ty {
        Type::Vector { size: rows, scalar } | Type::Matrix { rows, scalar, .. } => {
            *rows >= 3 && matches!(scalar, ScalarKind::F32 | ScalarKind::I32 | ScalarKind::U32)
        }
        Type::Scalar(_) | Type::Array { .. } | Type::Struct(_) => false,
    }
}

/// Turns the private globals of uniforms that are read in place into uniform buffers of the final module.
pub fn bind(stage: &StageModule, module: &mut Module, buffers: &[UniformBuffer]) {
    for uniform in stage.uniforms.iter().filter(|uniform| uniform.is_used && is_in_place(uniform)) {
        let holds = |buffer: &&UniformBuffer| {
            buffer.owner.is_none_or(|owner| owner == stage.stage)
                && buffer.uniforms.iter().any(|known| known.name == uniform.name)
        };
        let Some(buffer) = buffers.iter().find(holds) else { continue };
        let global = module.global_variables.get_mut(uniform.place.global);
        global.space = AddressSpace::Uniform;
        global.init = None;
        global.binding =
            Some(ResourceBinding { group: buffer.at.group, binding: buffer.at.binding });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_arrays_of_whole_vectors_stay_in_place() {
        let is_wide = |name: &str| {
            let ty: Type = name.parse().expect("a type");
            has_wide_elements(ty.without_arrays())
        };
        for name in ["vec4[16]", "ivec3[2][30]", "mat4[4]", "mat2x3[40]"] {
            assert!(is_wide(name), "{name}");
        }
        for name in ["float[100]", "vec2[64]", "mat3x2[20]", "bvec4[16]"] {
            assert!(!is_wide(name), "{name}");
        }
    }
}
