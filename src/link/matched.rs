//! The second phase of [`link`](crate::link()): matches outputs with inputs. It reports all link errors about
//! interfaces, and computes GL's reflection of the program from the shaders' declarations.

use crate::lowered::Lowered;
use crate::match_up::{self, LinkRules, Matching};
use crate::reflect::{self, Reflection};
use crate::routing::PairOfStages;
use crate::{LinkError, LinkOptions, limit, names, separable};
use ir::stage::ShaderStage;
use ir::stage_module::StageModule;

/// The stages of a program whose interfaces match.
#[derive(Debug)]
pub(crate) struct Matched<'a> {
    /// The lowered stages.
    pub(crate) lowered: Lowered<'a>,
    /// GL's reflection of the program, or of its last stage if each stage is a separate program.
    pub(crate) reflection: Reflection,
    /// GL's reflection of each stage before the last, if each stage is a separate program.
    pub(crate) earlier_reflections: Vec<(ShaderStage, Reflection)>,
    /// The varyings; `None` for a program without a fragment stage.
    pub(crate) varyings: Option<Varyings>,
}

/// The matched outputs of the vertex stage and inputs of the fragment stage.
#[derive(Debug)]
pub(crate) struct Varyings {
    /// Matched outputs and inputs.
    pub(crate) matching: Matching,
    /// Names of inputs that are undefined because the interfaces of separable stages do not match.
    pub(crate) mismatches: Vec<String>,
}

impl<'a> Matched<'a> {
    /// Matches the varyings of a program.
    ///
    /// # Errors
    /// The interfaces do not match, or the program exceeds a limit of GL.
    pub(crate) fn new(lowered: Lowered<'a>) -> Result<Self, LinkError> {
        let Lowered { stages, options, xfb, .. } = &lowered;
        names::check(&stages.of_case(), options.labels.sharing())?;
        let (mut earlier_reflections, mut reflection) =
            limit::reflected(&stages.of_case(), options)?;
        if let Some(layout) = xfb {
            let earlier = earlier_reflections.last_mut().map(|(_, earlier)| earlier);
            let own = earlier.unwrap_or(&mut reflection);
            own.set_xfb_varyings(reflect::xfb_varyings(layout));
        }
        let varyings = match stages.pair() {
            Some((vertex, fragment)) => Some(Varyings::new(vertex, fragment, options)?),
            None => None,
        };
        Ok(Self { lowered, reflection, earlier_reflections, varyings })
    }

    /// The matched stages; `None` for a program without a fragment stage.
    pub(crate) fn pair(&self) -> Option<PairOfStages<'_>> {
        let (vertex, fragment) = self.lowered.stages.pair()?;
        let matching = &self.varyings.as_ref()?.matching;
        Some(PairOfStages { vertex, fragment, matching, clip: self.lowered.clip.as_ref() })
    }
}

impl Varyings {
    fn new(
        vertex: &StageModule,
        fragment: &StageModule,
        options: &LinkOptions,
    ) -> Result<Self, LinkError> {
        match_up::check_builtins(vertex, fragment).map_err(LinkError::Refused)?;
        let rules = LinkRules::of(vertex, fragment, options);
        let linkage = &options.labels.linkage;
        if options.labels.is_separable {
            let inputs = linkage.seen_from_outputs(&fragment.inputs);
            let (matching, mismatches) = separable::match_up(&vertex.outputs, &inputs, rules);
            return Ok(Self { matching, mismatches });
        }
        let rules = LinkRules { has_labels: options.labels.are_used(), ..rules };
        let matching = match_up::match_up(&vertex.outputs, &fragment.inputs, linkage, rules)
            .map_err(LinkError::Refused)?;
        Ok(Self { matching, mismatches: Vec::new() })
    }
}
