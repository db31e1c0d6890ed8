//! The stages of a program while it is linked. A pass that changes a stage makes it `Cow::Owned`.

use std::borrow::Cow;

use ir::stage_module::StageModule;

/// Stage objects, from which programs are linked.
#[derive(Clone, Copy, Debug, Default)]
pub struct StageObjects<'a> {
    /// Vertex stages.
    pub vertex: &'a [StageModule],
    /// Tessellation control stages.
    pub control: &'a [StageModule],
    /// Tessellation evaluation stages.
    pub evaluation: &'a [StageModule],
    /// Geometry stages.
    pub geometry: &'a [StageModule],
    /// Fragment stages.
    pub fragment: &'a [StageModule],
}

impl<'a> StageObjects<'a> {
    /// All objects, of all kinds of stages.
    pub(crate) fn all(self) -> impl Iterator<Item = &'a StageModule> {
        let before = self.vertex.iter().chain(self.control).chain(self.evaluation);
        before.chain(self.geometry).chain(self.fragment)
    }
}

/// The stages of a draw.
#[derive(Clone, Debug)]
pub struct RenderStages<'a> {
    /// The vertex stage.
    pub vertex: Cow<'a, StageModule>,
    /// The fragment stage, if there is one.
    pub fragment: Option<Cow<'a, StageModule>>,
}

/// The stages of a program.
#[derive(Clone, Debug)]
pub(crate) enum ProgramStages<'a> {
    /// A draw.
    Render(RenderStages<'a>),
    /// A draw of the results of tessellation or geometry stages.
    Chain {
        /// The drawn stages. Their vertex stage passes on the results of the compute stages.
        render: RenderStages<'a>,
        /// The stages of the case before the fragment stage, which run as compute stages.
        front: Vec<Cow<'a, StageModule>>,
    },
    /// A dispatch.
    Compute(Cow<'a, StageModule>),
}

impl ProgramStages<'_> {
    /// The stages that are drawn or dispatched, in the order of the pipeline, followed by those that run as compute
    /// stages before draws.
    pub(crate) fn all(&self) -> Vec<&StageModule> {
        self.shared().into_iter().map(|stage| &**stage).collect()
    }

    /// The stages that the case has, in the order of the pipeline.
    pub(crate) fn of_case(&self) -> Vec<&StageModule> {
        match self {
            Self::Render(_) | Self::Compute(_) => self.all(),
            Self::Chain { render, front } => {
                front.iter().map(|stage| &**stage).chain(render.fragment.as_deref()).collect()
            }
        }
    }

    fn shared(&self) -> Vec<&Cow<'_, StageModule>> {
        match self {
            Self::Render(RenderStages { vertex, fragment }) => {
                std::iter::once(vertex).chain(fragment).collect()
            }
            Self::Chain { render: RenderStages { vertex, fragment }, front } => {
                std::iter::once(vertex).chain(fragment).chain(front).collect()
            }
            Self::Compute(stage) => vec![stage],
        }
    }

    /// Number of stages that are drawn or dispatched, which come first in [`Self::all`].
    pub(crate) fn drawn(&self) -> usize {
        match self {
            Self::Render(_) | Self::Compute(_) => self.all().len(),
            Self::Chain { render, .. } => 1 + usize::from(render.fragment.is_some()),
        }
    }

    /// The drawn vertex stage and the fragment stage of a program that has both.
    pub(crate) fn pair(&self) -> Option<(&StageModule, &StageModule)> {
        match self {
            Self::Render(RenderStages { vertex, fragment })
            | Self::Chain { render: RenderStages { vertex, fragment }, .. } => {
                Some((vertex, fragment.as_deref()?))
            }
            Self::Compute(_) => None,
        }
    }

    /// For each stage, in the order of [`Self::all`], true if no pass has changed it.
    pub(crate) fn are_unchanged(&self) -> Vec<bool> {
        self.shared().into_iter().map(|stage| matches!(stage, Cow::Borrowed(_))).collect()
    }
}
