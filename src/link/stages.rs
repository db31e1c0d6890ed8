//! The stages of one program while it is linked. A pass that changes a stage makes it `Cow::Owned`.

use std::borrow::Cow;

use ir::stage_module::StageModule;

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
#[expect(clippy::large_enum_variant, reason = "one of these exists per link")]
pub(crate) enum ProgramStages<'a> {
    /// A draw.
    Render(RenderStages<'a>),
    /// A dispatch.
    Compute(Cow<'a, StageModule>),
}

impl ProgramStages<'_> {
    /// The stages in the order of the pipeline.
    pub(crate) fn all(&self) -> Vec<&StageModule> {
        match self {
            Self::Render(RenderStages { vertex, fragment }) => {
                std::iter::once(&**vertex).chain(fragment.as_deref()).collect()
            }
            Self::Compute(stage) => vec![stage],
        }
    }

    /// The vertex and the fragment stage of a program that has both.
    pub(crate) fn pair(&self) -> Option<(&StageModule, &StageModule)> {
        match self {
            Self::Render(RenderStages { vertex, fragment }) => Some((vertex, fragment.as_deref()?)),
            Self::Compute(_) => None,
        }
    }

    /// True for each stage, in the order of the pipeline, that no pass has changed.
    pub(crate) fn are_unchanged(&self) -> Vec<bool> {
        let is_unchanged = |stage: &Cow<'_, StageModule>| matches!(stage, Cow::Borrowed(_));
        match self {
            Self::Render(RenderStages { vertex, fragment }) => {
                std::iter::once(vertex).chain(fragment).map(is_unchanged).collect()
            }
            Self::Compute(stage) => vec![is_unchanged(stage)],
        }
    }
}
