//! What an offer lacks if other compilers read the stages as WGSL, whatever the adapter has.

use naga::{AddressSpace, TypeInner};
use wgpu_types::Features;

use ir::emit::{Language, WgslDialect};
use link::program::LinkedProgram;

use crate::need::{Subject, modules};
use crate::offer::Offer;

/// Features of wgpu whose types, attributes and functions are not in WGSL.
const NOT_IN_WGSL: Features = Features::SHADER_I16
    .union(Features::SHADER_INT64_ATOMIC_ALL_OPS)
    .union(Features::SHADER_FLOAT32_ATOMIC)
    .union(Features::TEXTURE_ATOMIC)
    .union(Features::TEXTURE_INT64_ATOMIC)
    .union(Features::SHADER_EARLY_DEPTH_TEST)
    .union(Features::SHADER_BARYCENTRICS)
    .union(Features::SHADER_PER_VERTEX)
    .union(Features::SHADER_DRAW_INDEX)
    .union(Features::SUBGROUP_BARRIER)
    .union(Features::MEMORY_DECORATION_COHERENT)
    .union(Features::MEMORY_DECORATION_VOLATILE)
    .union(Features::VERTEX_WRITABLE_STORAGE);

/// What the programs need and WGSL lacks, in words; `None` if nothing, or if no compiler reads their stages as WGSL.
pub(crate) fn lacks_wgsl(
    offer: &Offer,
    subject: &Subject<'_>,
    programs: &[LinkedProgram],
) -> Option<String> {
    if offer.written != Some(Language::Wgsl(WgslDialect::Standard)) {
        return None;
    }
    let word = |what: &str| format!("WGSL has no {what}");
    let mut modules = programs.iter().flat_map(modules);
    let has_immediate_arrays = modules.any(|module| {
        let mut immediates = module.global_variables.iter().map(|(_, one)| one);
        immediates.any(|one| one.space == AddressSpace::Immediate && has_array(module, one.ty))
    });
    let what = subject.needed_of(NOT_IN_WGSL);
    what.or(has_immediate_arrays.then_some("arrays of immediates")).map(word)
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others hold no types")]
fn has_array(module: &naga::Module, ty: naga::Handle<naga::Type>) -> bool {
    match &module.types[ty].inner {
        TypeInner::Array { .. } => true,
        TypeInner::Struct { members, .. } => {
            members.iter().any(|member| has_array(module, member.ty))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use ir::backend::Backend;
    use link::program::LinkedStages;

    use super::*;
    use crate::pretend::Pretend;
    use crate::{AdapterInfo, DeviceType};

    #[track_caller]
    fn check(text: &str, dialect: WgslDialect, expected: Option<&str>) {
        let info = AdapterInfo {
            backend: Backend::Cpu,
            index: 0,
            name: String::new(),
            driver: String::new(),
            device_type: DeviceType::Cpu,
            bus: String::new(),
        };
        let mut offer = Offer::of_executor(info, &Pretend::default()).expect("the whole executor");
        let program = fixture::program(LinkedStages::Compute(fixture::module(text)));
        let (case, programs) = (fixture::case(Vec::new()), std::slice::from_ref(&program));
        let lacks = |offer: &Offer| {
            lacks_wgsl(offer, &Subject::new(offer, &case, programs, None), programs)
        };
        assert_eq!(lacks(&offer), None);
        offer.write_in(Language::Wgsl(dialect));
        assert_eq!(lacks(&offer).as_deref(), expected);
    }

    #[test]
    fn what_wgsl_lacks_is_named_unless_naga_reads_it() {
        let early = "@early_depth_test(force) @fragment fn main() {}";
        check(early, WgslDialect::Standard, Some("WGSL has no early fragment tests"));
        check(early, WgslDialect::Naga, None);
        let compute = |ty: &str| {
            format!(
                "struct I {{ a: {ty} }} var<immediate> i: I;
                 @compute @workgroup_size(1) fn main() {{ let a = i.a; }}"
            )
        };
        let arrays = compute("array<f32, 2>");
        check(&arrays, WgslDialect::Standard, Some("WGSL has no arrays of immediates"));
        check(&arrays, WgslDialect::Naga, None);
        check(&compute("vec2f"), WgslDialect::Standard, None);
    }
}
