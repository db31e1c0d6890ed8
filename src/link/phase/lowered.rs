//! The first phase of [`link`](crate::link()): lowers the stages to features that WebGPU has, and records what their
//! shells and additional stages must do instead. Stages that cannot be linked as a whole are rejected.

use std::borrow::Cow;

use naga::BuiltIn;

use crate::compute::cull_distance;
use crate::compute::emulated::{self, Emulated};
use crate::compute::xfb::{self, XfbLayout};
use crate::lower::distance_map::DistanceMap;
use crate::lower::{clip_distance, draw_parameters, legacy, point, words};
use crate::stages::{ProgramStages, RenderStages};
use crate::stages::{language, whole_stage};
use crate::table::shell::{ClipDistances, PointExpansion, PointSizeRule, ResultWire};
use crate::{LinkError, LinkOptions, match_up};
use ir::diagnostic::Unsupported;
use ir::options::{CaptureMode, CaptureSection};
use ir::stage::ShaderStage;
use ir::stage_module::StageModule;

/// The lowered stages of a program.
#[derive(Debug)]
pub(crate) struct Lowered<'a> {
    /// The stages. Stages that a lowering changed are owned.
    pub(crate) stages: ProgramStages<'a>,
    /// Options of the linker, adjusted to the lowered stages.
    pub(crate) options: LinkOptions,
    /// Clip distances that the vertex stage's shell writes.
    pub(crate) clip: Option<ClipDistances>,
    /// Expansion of points to quads by the vertex stage's shell, with the rule for their size.
    pub(crate) points: Option<(PointExpansion, PointSizeRule)>,
    /// Cull distances of the vertex stage.
    pub(crate) cull: Vec<ResultWire>,
    /// Layout of the transform feedback buffers.
    pub(crate) xfb: Option<XfbLayout>,
    /// Numbers of distances that the vertex stage writes.
    pub(crate) distances: DistanceMap,
    /// True if the user's fragment stage reads `gl_FrontFacing`.
    pub(crate) reads_face: bool,
    /// True if the 64-bit values of a stage are pairs of words.
    pub(crate) is_in_words: bool,
    /// The stages that run as compute stages before each draw, if there are any.
    pub(crate) emulated: Option<Emulated>,
}

impl<'a> Lowered<'a> {
    /// Lowers the stages of a program, which are in the order of the pipeline.
    ///
    /// # Errors
    /// A stage by itself breaks a rule, or the languages of the stages do not link.
    pub(crate) fn new(
        mut stages: Vec<Cow<'a, StageModule>>,
        options: &LinkOptions,
    ) -> Result<Self, LinkError> {
        if let (Some(ShaderStage::Compute), Some(section)) =
            (stages.first().map(|stage| stage.stage), &options.capture)
        {
            return Err(LinkError::Refused(vec![xfb::no_vertex_stage(section)]));
        }
        let mut is_in_words = false;
        for stage in &mut stages {
            is_in_words |= in_words(stage, options)?;
        }
        let fragment = stages.pop_if(|stage| stage.stage == ShaderStage::Fragment);
        let is_emulated = stages.len() > 1;
        let lowered = if is_emulated {
            let (emulated, drawn) = emulated::lower(&mut stages, fragment, options)?;
            // The output primitives of the last stage are rasterised, whatever primitives are drawn.
            let mut options = options.clone();
            options.raster.has_points = emulated.gives_points;
            Self { emulated: Some(emulated), ..Self::drawn(stages, drawn, &options)? }
        } else {
            match stages.pop() {
                Some(stage) if stage.stage == ShaderStage::Compute => {
                    Self::dispatched(stage, options)
                }
                Some(vertex) => Self::drawn(stages, RenderStages { vertex, fragment }, options)?,
                None => {
                    return Err(Unsupported("a program without a vertex stage".to_owned()).into());
                }
            }
        };
        Ok(Self { is_in_words, ..lowered })
    }

    fn dispatched(stage: Cow<'a, StageModule>, options: &LinkOptions) -> Self {
        Self {
            stages: ProgramStages::compute(stage),
            options: options.clone(),
            clip: None,
            points: None,
            cull: Vec::new(),
            xfb: None,
            distances: DistanceMap::default(),
            reads_face: false,
            is_in_words: false,
            emulated: None,
        }
    }

    /// Lowers the stages of a draw. `before` are the stages whose results the drawn vertex stage passes on.
    fn drawn(
        before: Vec<Cow<'a, StageModule>>,
        mut stages: RenderStages<'a>,
        options: &LinkOptions,
    ) -> Result<Self, LinkError> {
        let reads_face = stages.fragment.as_ref().is_some_and(|fragment| {
            fragment.builtins.iter().any(|builtin| builtin.builtin == BuiltIn::FrontFacing)
        });
        cull_distance::check_sizes(&stages.vertex, stages.fragment.as_deref())?;
        draw_parameters::lower(&mut stages.vertex);
        let distances = DistanceMap::of(&stages.vertex);
        let xfb =
            xfb::declared(&stages.vertex, options.capture.as_ref()).map_err(LinkError::Refused)?;
        let clip = clip_distance::lower(&mut stages, options.raster.clip_planes, options.adapter)?;
        let cull = cull_distance::lower(&mut stages);
        let points = point::lower(&mut stages, !cull.is_empty(), options)?;
        let is_separate = |section: &CaptureSection| section.mode == CaptureMode::Separate;
        let mut options = options.clone();
        // Quads do not need the inter-stage variable that points need.
        options.raster.has_points &= points.is_none();
        options.packing.is_vec3_aligned = options.capture.as_ref().is_some_and(is_separate);
        // The stage of the case that gives what is drawn.
        let last = before.last().unwrap_or(&stages.vertex);
        if let Some(fragment) = &stages.fragment {
            language::check(last, fragment, &options)?;
        } else {
            match_up::check_last(last, &options).map_err(LinkError::Refused)?;
        }
        whole_stage::check_vertex(&stages.vertex, &options)?;
        legacy::lower(&mut stages, options.raster.colors);
        Ok(Self {
            stages: ProgramStages::render(before, stages),
            options,
            clip,
            points,
            cull,
            xfb,
            distances,
            reads_face,
            is_in_words: false,
            emulated: None,
        })
    }
}

/// Replaces the 64-bit values of a stage by words if the adapter lacks 64-bit types.
fn in_words(stage: &mut Cow<'_, StageModule>, options: &LinkOptions) -> Result<bool, LinkError> {
    options.adapter.lacking.map_or(Ok(false), |lacking| words::lower(stage, lacking))
}
