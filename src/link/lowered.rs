//! The first phase of [`link`](crate::link()): lowers the stages to features that WebGPU has, and records what their
//! shells and additional stages must do instead. Stages that cannot be linked as a whole are rejected.

use std::borrow::Cow;

use naga::BuiltIn;

use crate::chain::{self, Chain, ChainStages};
use crate::distance_map::DistanceMap;
use crate::program::PointSizeRule;
use crate::separable::Labels;
use crate::shell::{ClipDistances, PointExpansion, ResultWire};
use crate::stages::{ProgramStages, RenderStages};
use crate::xfb::{self, XfbLayout};
use crate::{
    LinkError, LinkOptions, clip_distance, cull_distance, draw_parameters, legacy, match_up, point,
    whole_stage, words,
};
use ir::options::{CaptureMode, CaptureSection};
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
    /// The tables of the stages before the drawn vertex stage, if there are any.
    pub(crate) chain: Option<Chain>,
}

/// The stages of a program before lowering.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "one of these exists per link")]
pub(crate) enum UnloweredStages<'a> {
    /// A draw.
    Render(RenderStages<'a>),
    /// A draw with tessellation or geometry stages.
    Chain(ChainStages<'a>),
    /// A dispatch.
    Compute(Cow<'a, StageModule>),
}

impl UnloweredStages<'_> {
    /// The stages in the order of the pipeline.
    pub(crate) fn all(&self) -> impl Iterator<Item = &StageModule> {
        let stages: Vec<&Cow<'_, StageModule>> = match self {
            Self::Render(RenderStages { vertex, fragment }) => {
                std::iter::once(vertex).chain(fragment).collect()
            }
            Self::Chain(ChainStages { front, fragment }) => front.iter().chain(fragment).collect(),
            Self::Compute(stage) => vec![stage],
        };
        stages.into_iter().map(|stage| &**stage)
    }
}

impl<'a> Lowered<'a> {
    /// Lowers the stages of a program. `labels` are the labels of varyings, if each stage is a separate program.
    ///
    /// # Errors
    /// A stage by itself breaks a rule, or the languages of the stages do not link.
    pub(crate) fn new(
        stages: UnloweredStages<'a>,
        options: &LinkOptions,
        labels: Option<&mut Labels>,
    ) -> Result<Self, LinkError> {
        match (stages, &options.capture) {
            (UnloweredStages::Render(stages), _) => Self::render(stages, options),
            (UnloweredStages::Chain(stages), _) => Self::chain(stages, options, labels),
            (UnloweredStages::Compute(_), Some(section)) => {
                Err(LinkError::Refused(vec![xfb::no_vertex_stage(section)]))
            }
            (UnloweredStages::Compute(mut stage), None) => Ok(Self {
                is_in_words: in_words(&mut stage, options)?,
                stages: ProgramStages::Compute(stage),
                options: options.clone(),
                clip: None,
                points: None,
                cull: Vec::new(),
                xfb: None,
                distances: DistanceMap::default(),
                reads_face: false,
                chain: None,
            }),
        }
    }

    fn chain(
        mut stages: ChainStages<'a>,
        options: &LinkOptions,
        labels: Option<&mut Labels>,
    ) -> Result<Self, LinkError> {
        let mut is_in_words = false;
        for stage in stages.front.iter_mut().chain(&mut stages.fragment) {
            is_in_words |= in_words(stage, options)?;
        }
        let (front, chain, render) = chain::link(stages, options, labels)?;
        // The output primitives of the last stage are rasterised, whatever primitives are drawn.
        let mut options = options.clone();
        options.raster.has_points = chain::gives_points(&front);
        let lowered = Self::render(render, &options)?;
        let ProgramStages::Render(render) = lowered.stages else { return Ok(lowered) };
        let stages = ProgramStages::Chain { render, front };
        Ok(Self { stages, chain: Some(chain), is_in_words, ..lowered })
    }

    fn render(mut stages: RenderStages<'a>, options: &LinkOptions) -> Result<Self, LinkError> {
        let mut is_in_words = in_words(&mut stages.vertex, options)?;
        if let Some(fragment) = &mut stages.fragment {
            is_in_words |= in_words(fragment, options)?;
        }
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
        if let Some(fragment) = &stages.fragment {
            whole_stage::check_pair(&stages.vertex, fragment, &options)?;
        } else {
            whole_stage::check_vertex(&stages.vertex, &options)?;
            match_up::check_last(&stages.vertex, &options).map_err(LinkError::Refused)?;
        }
        legacy::lower(&mut stages, options.raster.colors);
        let stages = ProgramStages::Render(stages);
        Ok(Self {
            stages,
            options,
            clip,
            points,
            cull,
            xfb,
            distances,
            reads_face,
            is_in_words,
            chain: None,
        })
    }
}

/// Replaces the 64-bit values of a stage by words if the adapter lacks 64-bit types.
fn in_words(stage: &mut Cow<'_, StageModule>, options: &LinkOptions) -> Result<bool, LinkError> {
    options.adapter.lacking.map_or(Ok(false), |lacking| words::lower(stage, lacking))
}
