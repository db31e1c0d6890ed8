//! Built-in uniforms: GL state that is visible in shaders, with its values in a new context.

use Initial::{Each, FirstAndOthers, Identity, Zero};

use ir::interface::Type;

/// A built-in uniform.
pub(super) struct StateUniform {
    /// Name of the uniform.
    name: &'static str,
    /// Type of the uniform: a keyword or a name of [`STRUCTS`], optionally with an array size.
    pub(super) ty: &'static str,
    /// Initial value of the uniform.
    initial: Initial,
}

/// The value of GL state in a new context.
#[derive(Clone, Copy)]
enum Initial {
    Zero,
    /// The identity for every matrix in the uniform.
    Identity,
    /// The same scalars for every array element.
    Each(&'static [f32]),
    /// The scalars of the first array element, and those of every other element.
    FirstAndOthers(&'static [f32], &'static [f32]),
}

const fn uniform(name: &'static str, ty: &'static str, initial: Initial) -> StateUniform {
    StateUniform { name, ty, initial }
}

/// The only built-in uniform that is not limited to the compatibility profile.
const DEPTH_RANGE: &str = "gl_DepthRange";

/// The struct type of `gl_DepthRange`.
pub(super) const DEPTH_RANGE_STRUCT: &str = "gl_DepthRangeParameters";

#[rustfmt::skip]
const UNIFORMS: [StateUniform; 39] = [
    uniform(DEPTH_RANGE, DEPTH_RANGE_STRUCT, Each(&[0.0, 1.0, 1.0])),
    uniform("gl_ModelViewMatrix", "mat4", Identity),
    uniform("gl_ModelViewMatrixInverse", "mat4", Identity),
    uniform("gl_ModelViewMatrixTranspose", "mat4", Identity),
    uniform("gl_ModelViewMatrixInverseTranspose", "mat4", Identity),
    uniform("gl_ProjectionMatrix", "mat4", Identity),
    uniform("gl_ProjectionMatrixInverse", "mat4", Identity),
    uniform("gl_ProjectionMatrixTranspose", "mat4", Identity),
    uniform("gl_ProjectionMatrixInverseTranspose", "mat4", Identity),
    uniform("gl_ModelViewProjectionMatrix", "mat4", Identity),
    uniform("gl_ModelViewProjectionMatrixInverse", "mat4", Identity),
    uniform("gl_ModelViewProjectionMatrixTranspose", "mat4", Identity),
    uniform("gl_ModelViewProjectionMatrixInverseTranspose", "mat4", Identity),
    uniform("gl_TextureMatrix", "mat4[8]", Identity),
    uniform("gl_TextureMatrixInverse", "mat4[8]", Identity),
    uniform("gl_TextureMatrixTranspose", "mat4[8]", Identity),
    uniform("gl_TextureMatrixInverseTranspose", "mat4[8]", Identity),
    uniform("gl_NormalMatrix", "mat3", Identity),
    uniform("gl_NormalScale", "float", Each(&[1.0])),
    uniform("gl_ClipPlane", "vec4[8]", Zero),
    uniform("gl_Point", "gl_PointParameters", Each(&[1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0])),
    uniform("gl_FrontMaterial", "gl_MaterialParameters", Each(&MATERIAL)),
    uniform("gl_BackMaterial", "gl_MaterialParameters", Each(&MATERIAL)),
    uniform("gl_LightSource", "gl_LightSourceParameters[8]", FirstAndOthers(&FIRST_LIGHT, &OTHER_LIGHT)),
    uniform("gl_LightModel", "gl_LightModelParameters", Each(&[0.2, 0.2, 0.2, 1.0])),
    uniform("gl_FrontLightModelProduct", "gl_LightModelProducts", Each(&[0.04, 0.04, 0.04, 1.0])),
    uniform("gl_BackLightModelProduct", "gl_LightModelProducts", Each(&[0.04, 0.04, 0.04, 1.0])),
    uniform("gl_FrontLightProduct", "gl_LightProducts[8]", FirstAndOthers(&FIRST_PRODUCT, &OTHER_PRODUCT)),
    uniform("gl_BackLightProduct", "gl_LightProducts[8]", FirstAndOthers(&FIRST_PRODUCT, &OTHER_PRODUCT)),
    uniform("gl_TextureEnvColor", "vec4[2]", Zero),
    uniform("gl_EyePlaneS", "vec4[8]", Each(&[1.0, 0.0, 0.0, 0.0])),
    uniform("gl_EyePlaneT", "vec4[8]", Each(&[0.0, 1.0, 0.0, 0.0])),
    uniform("gl_EyePlaneR", "vec4[8]", Zero),
    uniform("gl_EyePlaneQ", "vec4[8]", Zero),
    uniform("gl_ObjectPlaneS", "vec4[8]", Each(&[1.0, 0.0, 0.0, 0.0])),
    uniform("gl_ObjectPlaneT", "vec4[8]", Each(&[0.0, 1.0, 0.0, 0.0])),
    uniform("gl_ObjectPlaneR", "vec4[8]", Zero),
    uniform("gl_ObjectPlaneQ", "vec4[8]", Zero),
    uniform("gl_Fog", "gl_FogParameters", Each(&[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0])),
];

/// Initial material: emission, ambient, diffuse, specular, shininess.
const MATERIAL: [f32; 17] =
    [0.0, 0.0, 0.0, 1.0, 0.2, 0.2, 0.2, 1.0, 0.8, 0.8, 0.8, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];

/// Initial first light: ambient, diffuse, specular, position, half vector, spot direction, exponent, cutoff and its
/// cosine, attenuations.
const FIRST_LIGHT: [f32; 29] = light(1.0);
const OTHER_LIGHT: [f32; 29] = light(0.0);

/// Initial first light product: ambient, diffuse, specular.
const FIRST_PRODUCT: [f32; 12] = [0.0, 0.0, 0.0, 1.0, 0.8, 0.8, 0.8, 1.0, 0.0, 0.0, 0.0, 1.0];
const OTHER_PRODUCT: [f32; 12] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

#[rustfmt::skip]
const fn light(level: f32) -> [f32; 29] {
    [
        0.0, 0.0, 0.0, 1.0, level, level, level, 1.0, level, level, level, 1.0,
        0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0,
        0.0, 180.0, -1.0, 1.0, 0.0, 0.0,
    ]
}

type Members = &'static [(&'static str, &'static str)];

const STRUCTS: [(&str, Members); 8] = [
    (DEPTH_RANGE_STRUCT, &[("near", "float"), ("far", "float"), ("diff", "float")]),
    (
        "gl_PointParameters",
        &[
            ("size", "float"),
            ("sizeMin", "float"),
            ("sizeMax", "float"),
            ("fadeThresholdSize", "float"),
            ("distanceConstantAttenuation", "float"),
            ("distanceLinearAttenuation", "float"),
            ("distanceQuadraticAttenuation", "float"),
        ],
    ),
    (
        "gl_MaterialParameters",
        &[
            ("emission", "vec4"),
            ("ambient", "vec4"),
            ("diffuse", "vec4"),
            ("specular", "vec4"),
            ("shininess", "float"),
        ],
    ),
    (
        "gl_LightSourceParameters",
        &[
            ("ambient", "vec4"),
            ("diffuse", "vec4"),
            ("specular", "vec4"),
            ("position", "vec4"),
            ("halfVector", "vec4"),
            ("spotDirection", "vec3"),
            ("spotExponent", "float"),
            ("spotCutoff", "float"),
            ("spotCosCutoff", "float"),
            ("constantAttenuation", "float"),
            ("linearAttenuation", "float"),
            ("quadraticAttenuation", "float"),
        ],
    ),
    ("gl_LightModelParameters", &[("ambient", "vec4")]),
    ("gl_LightModelProducts", &[("sceneColor", "vec4")]),
    ("gl_LightProducts", &[("ambient", "vec4"), ("diffuse", "vec4"), ("specular", "vec4")]),
    (
        "gl_FogParameters",
        &[
            ("color", "vec4"),
            ("density", "float"),
            ("start", "float"),
            ("end", "float"),
            ("scale", "float"),
        ],
    ),
];

/// Looks up the built-in uniform with this name.
pub(super) fn find(name: &str) -> Option<&'static StateUniform> {
    UNIFORMS.iter().find(|uniform| uniform.name == name)
}

/// True if only the compatibility profile has a uniform of this name.
pub(super) fn is_compatibility_name(name: &str) -> bool {
    name != DEPTH_RANGE && find(name).is_some()
}

/// Element and length of an array type's notation.
pub(super) fn array_parts(notation: &'static str) -> Option<(&'static str, u32)> {
    let (element, length) = notation.strip_suffix(']')?.split_once('[')?;
    Some((element, length.parse().ok()?))
}

/// Looks up the built-in struct with this name.
pub(super) fn struct_name(name: &str) -> Option<&'static str> {
    STRUCTS.iter().map(|(known, _)| *known).find(|known| *known == name)
}

/// The members of a built-in struct.
pub(super) fn members(name: &str) -> Option<Members> {
    STRUCTS.iter().find(|(known, _)| *known == name).map(|(_, members)| *members)
}

impl StateUniform {
    /// The initial value as the scalars' bits in leaf order.
    pub(super) fn initial_bits(&self, ty: &Type) -> Option<Vec<u64>> {
        let (element, length) = match ty {
            Type::Array { element, length } => (&**element, *length),
            Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } | Type::Struct(_) => {
                (ty, 1)
            }
        };
        let identity = identity(element);
        let scalars = |idx: u32| match self.initial {
            Zero => None,
            Identity => Some(&identity[..]),
            Each(scalars) => Some(scalars),
            FirstAndOthers(first, others) => Some(if idx == 0 { first } else { others }),
        };
        let elements = (0..length).map(scalars).collect::<Option<Vec<_>>>()?;
        Some(elements.concat().into_iter().map(|scalar| u64::from(scalar.to_bits())).collect())
    }
}

/// The identity matrix, column after column; empty for other types.
fn identity(ty: &Type) -> Vec<f32> {
    let Type::Matrix { columns, rows, .. } = ty else { return Vec::new() };
    let scalar = |column, row| if column == row { 1.0 } else { 0.0 };
    (0..*columns).flat_map(|column| (0..*rows).map(move |row| scalar(column, row))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value with too few scalars would silently leave the rest at zero.
    #[test]
    fn every_struct_has_a_value_for_each_scalar() {
        let size = |ty: &str| match ty {
            "vec4" => 4,
            "vec3" => 3,
            _ => 1,
        };
        for uniform in &UNIFORMS {
            let element = array_parts(uniform.ty).map_or(uniform.ty, |(element, _)| element);
            let count = members(element)
                .map_or_else(|| size(element), |all| all.iter().map(|(_, ty)| size(ty)).sum());
            match uniform.initial {
                Zero | Identity => {}
                Each(scalars) => assert_eq!(scalars.len(), count, "{}", uniform.name),
                FirstAndOthers(first, others) => {
                    assert_eq!([first.len(), others.len()], [count; 2], "{}", uniform.name);
                }
            }
        }
    }
}
