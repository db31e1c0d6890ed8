//! Rejects textures that wgpu's GL backend or naga's GLSL writer cannot read.

use naga::{Expression, Function, ImageClass, Module, TypeInner};

use crate::need::modules;
use ir::backend::Backend;
use link::program::LinkedProgram;
use link::table::binding::TextureDimension;

/// The reason why the GL backend cannot read a texture of `program`.
pub(super) fn lacks_shape(backend: Backend, program: &LinkedProgram) -> Option<&'static str> {
    if backend != Backend::Gl {
        return None;
    }
    let mut shapes = program.opaques.iter().filter_map(|opaque| opaque.kind.dimension());
    shapes.find_map(lost).or_else(|| {
        let loads = modules(program).into_iter().any(loads_depths);
        loads.then_some("naga's GLSL has no loads from depth textures")
    })
}

/// True if a function of the module loads texels from a depth texture.
fn loads_depths(module: &Module) -> bool {
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    let mut functions = module.functions.iter().map(|(_, function)| function).chain(entries);
    functions.any(|function| {
        let mut loaded = function.expressions.iter().filter_map(|(_, expression)| {
            let Expression::ImageLoad { image, .. } = expression else { return None };
            Some(&function.expressions[*image])
        });
        loaded.any(|image| is_depth(module, function, image))
    })
}

/// True for a depth texture. Every texture is a variable or an argument.
fn is_depth(module: &Module, function: &Function, image: &Expression) -> bool {
    let ty = if let Expression::GlobalVariable(global) = image {
        Some(module.global_variables[*global].ty)
    } else if let Expression::FunctionArgument(index) = image {
        function.arguments.get(*index as usize).map(|argument| argument.ty)
    } else {
        None
    };
    let is_depth = |inner: &TypeInner| {
        matches!(inner, TypeInner::Image { class: ImageClass::Depth { .. }, .. })
    };
    ty.is_some_and(|ty| is_depth(&module.types[ty].inner))
}

/// The reason why wgpu's GL backend cannot read textures of this shape.
const fn lost(shape: TextureDimension) -> Option<&'static str> {
    match shape {
        // naga's GLSL declares `sampler1D`.
        TextureDimension::D1 => {
            Some("wgpu's GL backend makes two-dimensional textures of one-dimensional ones")
        }
        TextureDimension::D2Multisampled => {
            Some("wgpu's GL backend loses draws into multisampled textures that shaders read")
        }
        TextureDimension::D2
        | TextureDimension::D2Array
        | TextureDimension::D3
        | TextureDimension::Cube
        | TextureDimension::CubeArray => None,
    }
}

#[cfg(test)]
mod tests {
    use link::program::LinkedStages;

    use super::*;

    #[track_caller]
    fn check(declarations: &str, read: &str, expected: Option<&str>) {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> result: vec4f;
            {declarations}
            @compute @workgroup_size(1) fn main() {{ result.x = {read}; }}"
        );
        let program = fixture::program(LinkedStages::Compute(fixture::module(&text)));
        assert_eq!(lacks_shape(Backend::Gl, &program), expected);
        assert_eq!(lacks_shape(Backend::Vulkan, &program), None);
    }

    #[test]
    fn depths_are_loaded_in_no_function() {
        let missing = Some("naga's GLSL has no loads from depth textures");
        let depths = "@group(0) @binding(1) var depths: texture_depth_2d;";
        check(depths, "textureLoad(depths, vec2u(), 0)", missing);
        let function =
            "fn depth(own: texture_depth_2d) -> f32 { return textureLoad(own, vec2u(), 0); }";
        check(&format!("{depths} {function}"), "depth(depths)", missing);
        check(depths, "f32(textureDimensions(depths).x)", None);
        let colors = "@group(0) @binding(1) var colors: texture_2d<f32>;";
        check(colors, "textureLoad(colors, vec2u(), 0).x", None);
    }
}
