//! Rejects programs with several bindings on old GLSL. wgpu's GL backend assumes that the shaders of a driver with
//! compute stages declare their bindings, but naga writes none in GLSL before 4.20, so all buffers, textures and images
//! would use the first.

use crate::ability::Abilities;
use link::program::LinkedProgram;
use link::table::binding::OpaqueKind;

/// The kind of bindings of which `program` has too many, in words.
pub(super) fn lacks_bindings(abilities: &Abilities, program: &LinkedProgram) -> Option<String> {
    let language = abilities.language.filter(|language| !language.has_bindings())?;
    if !abilities.has(wgpu_types::DownlevelFlags::COMPUTE_SHADERS) {
        return None;
    }
    let textures = program.opaques.iter().filter(|opaque| match opaque.kind {
        OpaqueKind::Texture { .. } | OpaqueKind::Image { .. } => true,
        OpaqueKind::Sampler { .. } => false,
    });
    let buffers = program.uniform_buffers.iter().filter(|buffer| !buffer.is_immediate());
    let count = buffers.count().max(textures.count());
    (count > 1).then(|| {
        format!("the adapter's {language} says no bindings, and this driver needs them for {count}")
    })
}

#[cfg(test)]
mod tests {
    use crate::language::Language;
    use link::program::LinkedStages;
    use link::table::binding::StageUse;

    use super::*;

    #[track_caller]
    fn check(
        number: u16,
        flags: wgpu_types::DownlevelFlags,
        buffers: usize,
        expected: Option<&str>,
    ) {
        let text = "@compute @workgroup_size(1) fn main() {}";
        let mut program = fixture::program(LinkedStages::Compute(fixture::module(text)));
        program.uniform_buffers = vec![fixture::uniform_buffer(StageUse::default()); buffers];
        let abilities = Abilities {
            features: wgpu_types::Features::empty(),
            flags,
            limits: wgpu_types::Limits::default(),
            language: Some(Language { number, is_es: false }),
        };
        assert_eq!(lacks_bindings(&abilities, &program).as_deref(), expected);
    }

    #[test]
    fn old_languages_with_compute_stages_have_one_binding() {
        let compute = wgpu_types::DownlevelFlags::COMPUTE_SHADERS;
        let message = "the adapter's GLSL 3.30 says no bindings, and this driver needs them for 2";
        check(330, compute, 2, Some(message));
        check(330, compute, 1, None);
        check(420, compute, 2, None);
        check(330, wgpu_types::DownlevelFlags::empty(), 2, None);
    }
}
