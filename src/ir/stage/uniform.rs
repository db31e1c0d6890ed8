//! Names and locations of uniforms.

use crate::interface::Type;
use crate::stage::ShaderStage;

/// Name of the hidden uniform with the swizzle of a texture: 0 to 3 are the texture's components, 4 is zero and 5 is
/// one.
pub fn swizzle_name(texture: &str) -> String {
    format!("{texture} swizzle")
}

/// Name of the hidden uniform with the LOD bias of a texture.
pub fn lod_bias_name(texture: &str) -> String {
    format!("{texture} lod bias")
}

/// Name of a stage's subroutine uniform. Unlike plain uniforms, these are separate for each stage.
pub fn subroutine_name(stage: ShaderStage, name: &str) -> String {
    format!("{} subroutine {name}", stage.name())
}

/// Number of explicit locations of a uniform: every array element and struct member has one, a matrix only one.
pub fn location_count(ty: &Type) -> u32 {
    match ty {
        Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } => 1,
        Type::Array { element, length } => location_count(element).saturating_mul(*length),
        Type::Struct(ty) => {
            ty.members.iter().map(|member| location_count(&member.ty)).fold(0, u32::saturating_add)
        }
    }
}
