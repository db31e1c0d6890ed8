//! The stages of a program while it is linked. A pass that changes a stage makes it `Cow::Owned`.

pub(crate) mod language;
pub(crate) mod whole_stage;

use std::borrow::Cow;

use ir::stage::{PerStage, ShaderStage};
use ir::stage_module::StageModule;

/// Stage objects, from which programs are linked.
pub type StageObjects<'a> = PerStage<&'a [StageModule]>;

/// Indices of the stage objects of one program.
pub type ObjectNumbers = PerStage<Option<usize>>;

/// The stages of a draw, while they are lowered together.
#[derive(Clone, Debug)]
pub struct RenderStages<'a> {
    /// The vertex stage.
    pub vertex: Cow<'a, StageModule>,
    /// The fragment stage, if there is one.
    pub fragment: Option<Cow<'a, StageModule>>,
}

/// The stages of a program, in the order of the pipeline.
#[derive(Clone, Debug)]
pub(crate) struct ProgramStages<'a> {
    all: Vec<Cow<'a, StageModule>>,
    /// Number of stages that run as compute stages before each draw. The stage that follows them passes on the results of
    /// the last one.
    before: usize,
}

impl<'a> ProgramStages<'a> {
    /// The stages of a draw, and those that run before it.
    pub(crate) fn render(before: Vec<Cow<'a, StageModule>>, drawn: RenderStages<'a>) -> Self {
        let count = before.len();
        let drawn = std::iter::once(drawn.vertex).chain(drawn.fragment);
        Self { all: before.into_iter().chain(drawn).collect(), before: count }
    }

    /// The stage of a dispatch.
    pub(crate) fn compute(stage: Cow<'a, StageModule>) -> Self {
        Self { all: vec![stage], before: 0 }
    }

    /// All stages, with the stage that passes on results.
    pub(crate) fn all(&self) -> Vec<&StageModule> {
        self.all.iter().map(|stage| &**stage).collect()
    }

    /// The stages that the case has.
    pub(crate) fn of_case(&self) -> Vec<&StageModule> {
        let of_case = |(idx, _): &(usize, _)| self.passes_on() != Some(*idx);
        self.all.iter().enumerate().filter(of_case).map(|(_, stage)| &**stage).collect()
    }

    /// The stages that run before each draw.
    pub(crate) fn before(&self) -> &[Cow<'a, StageModule>] {
        &self.all[..self.before]
    }

    /// Index of the stage that is drawn or dispatched: of the vertex stage or the compute stage.
    pub(crate) const fn drawn(&self) -> usize {
        self.before
    }

    /// Index of the stage that passes on the results of the stages before it.
    pub(crate) fn passes_on(&self) -> Option<usize> {
        (self.before > 0).then_some(self.before)
    }

    /// The last stage that the case has before the rasteriser.
    pub(crate) fn last_before_raster(&self) -> &StageModule {
        &self.all[self.before.saturating_sub(1)]
    }

    /// The fragment stage, if there is one.
    pub(crate) fn fragment(&self) -> Option<&StageModule> {
        self.all.get(self.before + 1).map(|stage| &**stage)
    }

    /// The drawn vertex stage and the fragment stage of a program that has both.
    pub(crate) fn pair(&self) -> Option<(&StageModule, &StageModule)> {
        Some((&*self.all[self.before], self.fragment()?))
    }

    /// True for a dispatch.
    pub(crate) fn is_dispatch(&self) -> bool {
        self.all[self.before].stage == ShaderStage::Compute
    }

    /// The stage with this index, to change it.
    pub(crate) fn stage_mut(&mut self, idx: usize) -> &mut Cow<'a, StageModule> {
        &mut self.all[idx]
    }

    /// For each stage, true if no pass has changed it.
    pub(crate) fn are_unchanged(&self) -> Vec<bool> {
        self.all.iter().map(|stage| matches!(stage, Cow::Borrowed(_))).collect()
    }
}
