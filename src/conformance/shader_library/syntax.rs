//! The syntax tree of a case of a `.test` file.

use ir::source::{Span, Spanned};
use ir::stage::ShaderStage;

use super::values::Values;

/// A case.
#[derive(Clone, Debug)]
pub(super) struct Case {
    /// Position from `case` to its `end`.
    pub(super) span: Span,
    /// The expectation, at its word, or at the case if it has none.
    pub(super) expect: Spanned<Expect>,
    /// Version of GLSL that the case is for.
    pub(super) version: Version,
    /// Values of inputs, outputs and uniforms.
    pub(super) values: Values,
    /// Requirements other than extensions.
    pub(super) needs: Vec<Spanned<Need>>,
    /// The type of `output_color`: the fragment stage writes the outputs themselves.
    pub(super) color: Option<Spanned<String>>,
    /// The shaders.
    pub(super) body: Body,
}

/// The shaders of a case.
#[derive(Clone, Debug)]
pub(super) enum Body {
    /// `both`: one source that is tested as a vertex and as a fragment stage.
    Both {
        /// The source.
        shader: Shader,
        /// Extensions that it needs.
        extensions: Vec<Extension>,
    },
    /// Stages of one program.
    Program(Program),
    /// `pipeline_program`: separable programs of one pipeline.
    Pipeline(Vec<Program>),
}

/// The stages of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    /// The stages in the order of the file; a stage may have several sources.
    pub(super) stages: Vec<Shader>,
    /// Extensions that the program needs.
    pub(super) extensions: Vec<Extension>,
    /// `active_stages`; empty outside `pipeline_program`.
    pub(super) active: Vec<Spanned<ShaderStage>>,
    /// Position of `pipeline_program`.
    pub(super) span: Option<Span>,
}

/// The source of a stage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shader {
    /// The stage; the vertex stage for `both`.
    pub(super) stage: ShaderStage,
    /// Position of the keyword.
    pub(super) keyword: Span,
    /// Position of the source, without its quotation marks.
    pub(super) text: Span,
}

/// Expected result of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expect {
    /// All pixels are white.
    Pass,
    /// Some stage does not compile.
    CompileFail,
    /// All stages compile, and the program does not link.
    LinkFail,
    /// Some stage does not compile, or the program does not link.
    CompileOrLinkFail,
    /// All programs link, and the pipeline is invalid.
    ValidationFail,
    /// The program links, and is not drawn with.
    BuildSuccessful,
}

impl Expect {
    /// The words of `expect`.
    pub(super) const WORDS: [(&'static str, Self); 6] = [
        ("pass", Self::Pass),
        ("compile_fail", Self::CompileFail),
        ("link_fail", Self::LinkFail),
        ("compile_or_link_fail", Self::CompileOrLinkFail),
        ("validation_fail", Self::ValidationFail),
        ("build_successful", Self::BuildSuccessful),
    ];
}

/// A version of GLSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    /// Version times 100.
    pub(super) number: u16,
    /// True for GLSL ES.
    pub(super) is_es: bool,
}

impl Version {
    /// The version of a case without `version`.
    pub(super) const DEFAULT: Self = Self { number: 100, is_es: true };

    /// The versions that cases may name.
    pub(super) const ES: [u16; 4] = [100, 300, 310, 320];
    /// The versions of desktop GLSL that cases may name.
    pub(super) const DESKTOP: [u16; 11] = [130, 140, 150, 330, 400, 410, 420, 430, 440, 450, 460];

    /// The first line of a shader in this version.
    pub(super) fn directive(self) -> String {
        let profile = if self.is_es && self.number >= 300 { " es" } else { "" };
        format!("#version {}{profile}", self.number)
    }

    /// True if the suite declares inputs with `in` and outputs with `out`, and not with `attribute` and `varying`.
    pub(super) const fn has_in_and_out(self) -> bool {
        self.number >= if self.is_es { 300 } else { 330 }
    }
}

/// A requirement besides extensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// `limit "NAME" > N`.
    Limit {
        /// GL's name of the limit.
        name: String,
        /// The greatest value that is too small.
        above: u32,
    },
    /// `full_glsl_es_100_support`: a case that an implementation of GLSL ES 1.00 need not pass.
    FullEs100,
    /// `only_glsl_es_100_support`: a case for implementations that know no later GLSL ES.
    OnlyEs100,
    /// `exactly_one_draw_buffer`.
    OneDrawBuffer,
}

/// `require extension { … } in { … }`.
#[derive(Clone, Debug)]
pub(super) struct Extension {
    /// The names, any of which will do.
    pub(super) alternatives: Vec<String>,
    /// The stages that declare it; all if there is no list.
    pub(super) stages: Option<Vec<ShaderStage>>,
    /// Position of the names.
    pub(super) span: Span,
}

impl Extension {
    /// True if the stage declares the extension.
    pub(super) fn is_for(&self, stage: ShaderStage) -> bool {
        self.stages.as_ref().is_none_or(|stages| stages.contains(&stage))
    }
}

/// The keywords of stages.
pub(super) const STAGES: [(&str, ShaderStage); 5] = [
    ("vertex", ShaderStage::Vertex),
    ("tessellation_control", ShaderStage::TessellationControl),
    ("tessellation_evaluation", ShaderStage::TessellationEvaluation),
    ("geometry", ShaderStage::Geometry),
    ("fragment", ShaderStage::Fragment),
];
