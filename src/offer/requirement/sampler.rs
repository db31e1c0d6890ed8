//! Rejects textures with several samplers on GL. GLSL combines a texture with its sampler, so naga's GLSL writer
//! rejects these.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{GlobalVariable, Handle, Module};

use crate::need::modules;
use ir::backend::Backend;
use link::program::LinkedProgram;
use link::table::binding::OpaqueKind;

/// The texture that a stage of `program` reads through several samplers, in words.
pub(super) fn lacks_samplers(backend: Backend, program: &LinkedProgram) -> Option<String> {
    let is_sampler = |kind| matches!(kind, OpaqueKind::Sampler { .. });
    let samplers = program.opaques.iter().filter(|opaque| is_sampler(opaque.kind));
    if backend != Backend::Gl || samplers.count() < 2 {
        return None;
    }
    let found = modules(program).into_iter().find_map(sampled_twice)?;
    let name = program.opaques.iter().find(|opaque| {
        let at = found.1.map(|at| (at.group, at.binding));
        !is_sampler(opaque.kind) && at == Some((opaque.at.group, opaque.at.binding))
    });
    let name = name.map_or_else(|| found.0.clone(), |opaque| opaque.name.clone());
    Some(format!("GL has one sampler for each texture, and `{name}` is read through several"))
}

/// Name and binding of a texture that the module reads through several samplers.
fn sampled_twice(module: &Module) -> Option<(String, Option<naga::ResourceBinding>)> {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let valid = validator.validate(module).ok()?;
    let entry = (!module.entry_points.is_empty()).then(|| valid.get_entry_point(0))?;
    let images = || entry.sampling_set.iter().map(|pair| pair.image);
    let is_twice = |image: Handle<GlobalVariable>| images().filter(|one| *one == image).count() > 1;
    let image = images().filter(|image| is_twice(*image)).min()?;
    let global = &module.global_variables[image];
    Some((global.name.clone().unwrap_or_default(), global.binding))
}

#[cfg(test)]
mod tests {
    use ir::backend::Backend;
    use link::program::LinkedStages;
    use link::table::binding::{BindingPoint, OpaqueBinding, StageUse};

    use super::*;

    #[track_caller]
    fn check(backend: Backend, second: &str, expected: Option<&str>) {
        let text = format!(
            "@group(0) @binding(0) var image: texture_2d<f32>;
            @group(0) @binding(1) var other: texture_2d<f32>;
            @group(0) @binding(2) var a: sampler;
            @group(0) @binding(3) var b: sampler;
            @group(0) @binding(4) var<storage, read_write> result: vec4f;
            @compute @workgroup_size(1) fn main() {{
                result = textureSampleLevel(image, a, vec2f(), 0.0) + {second};
            }}"
        );
        let mut program = fixture::program(LinkedStages::Compute(fixture::module(&text)));
        for binding in [2, 3] {
            program.opaques.push(OpaqueBinding {
                name: "sampler".to_owned(),
                at: BindingPoint { group: 0, binding },
                stages: StageUse::default(),
                owner: None,
                unit: 0,
                is_separate: false,
                location: None,
                kind: OpaqueKind::Sampler { is_comparison: false, is_filtering: true },
            });
        }
        assert_eq!(lacks_samplers(backend, &program).as_deref(), expected);
    }

    #[test]
    fn a_texture_of_gl_has_one_sampler() {
        let twice = "textureSampleLevel(image, b, vec2f(), 0.0)";
        let message = "GL has one sampler for each texture, and `image` is read through several";
        check(Backend::Gl, twice, Some(message));
        check(Backend::Vulkan, twice, None);
        check(Backend::Gl, "textureSampleLevel(other, b, vec2f(), 0.0)", None);
        check(Backend::Gl, "textureSampleLevel(image, a, vec2f(1.0), 0.0)", None);
    }
}
