//! Border colours of textures that no driver provides through wgpu.
//!
//! wgpu has three border colours: transparent black, black and white. Textures of piglit's `checkerboard` and `quads`
//! have a red border, which most of their cases never read. The executor, which has every colour, tells whether a case
//! does.

use case::Case;
use cpu::Executable;
use ir::readback::{Extent, Snapshot};
use link::session::LinkedPrograms;

/// Describes a border colour that wgpu lacks and that the results of a case depend on, or may depend on where the
/// executor cannot run the case.
pub(crate) fn lacking(case: &Case, programs: &LinkedPrograms) -> Option<String> {
    // A plan that fails is reported by the run.
    let plan = cpu::planned(case, programs).ok()?;
    let [r, g, b, a] = plan.samplers.iter().find(|sampler| sampler.has_other_border())?.border;
    let mut other = cpu::planned(case, programs).ok()?;
    for sampler in &mut other.samplers {
        sampler.border = sampler.border_of_webgpu();
    }
    let run = |plan| -> Option<Vec<Option<Snapshot>>> {
        let executable = Executable::new(case, programs, plan).ok()?;
        Some(executable.run(Extent::Probed).ok()?.snapshots)
    };
    let why = match (run(plan), run(other)) {
        (Some(exact), Some(nearest)) if exact == nearest => return None,
        (Some(_), Some(_)) => "which the results depend on",
        (None, _) | (_, None) => "which the results may depend on",
    };
    Some(format!(
        "wgpu lacks the border colour ({r}, {g}, {b}, {a}), {why}; it has transparent black, black and white"
    ))
}

#[cfg(test)]
mod tests {
    use case::Dialect;
    use case::parse::parse;

    use crate::device::Device;

    /// The reason why a case does not run on a driver; the fragment stage reads the lower left texel of a checkerboard
    /// at this place.
    fn lacking(at: &str, wrap: &str) -> Option<String> {
        let text = format!(
            "[vertex shader passthrough]
[fragment shader]
uniform sampler2D tex;
void main() {{ gl_FragColor = texture2D(tex, {at}); }}
[test]
uniform int tex 0
texture checkerboard 0 0 (4, 4) (0.0, 0.0, 0.0, 1.0) (0.0, 1.0, 0.0, 1.0)
{wrap}
draw rect -1 -1 2 2
probe all rgba 0 0 0 1
"
        );
        let parsed = parse("a.shader_test", text.as_bytes(), Dialect::Piglit).remove(0);
        let case = parsed.result.expect("the case is well-formed");
        let device = Device::open("cpu").expect("the executor is everywhere");
        let programs = crate::prepare(&case, Some(&device)).0.expect("the case links").linking;
        let crate::Linking::Done(programs) = programs else { panic!("the case links") };
        super::lacking(&case, &programs)
    }

    #[test]
    fn a_red_border_is_lacking_where_results_depend_on_it() {
        let reason = "wgpu lacks the border colour (1, 0, 0, 1), which the results depend on; it has transparent \
                      black, black and white";
        assert_eq!(lacking("vec2(1.5)", "").as_deref(), Some(reason));
        assert_eq!(lacking("vec2(0.1)", ""), None);
        let clamped = "texparameter 2D wrap_s clamp_to_edge\ntexparameter 2D wrap_t clamp_to_edge\n\
                       texparameter 2D wrap_r clamp_to_edge";
        assert_eq!(lacking("vec2(1.5)", clamped), None);
        assert_eq!(lacking("vec2(1.5)", "texparameter 2D border_color 1 1 1 1"), None);
    }
}
