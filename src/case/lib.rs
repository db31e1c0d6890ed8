//! The case format: data types for one test case (shaders, link settings, draws, expectations), and its parser.
//!
//! `read` is the parser. Everything else is plain data and pure functions on it.

mod buffer_point;
pub mod draw;
pub mod draws;
pub mod expectation;
pub mod gl;
pub mod limits;
pub mod linking;
pub mod patch;
mod read;
mod requirement;
mod resource;
mod shader;
pub mod state;
mod step;
pub mod vacuous;

use std::sync::Arc;

use ir::diagnostic::Diagnostic;
use ir::format::Format;
use ir::interface::VaryingDeclaration;
use ir::scalar::Number;
use ir::source::{Source, Span, Spanned};
use ir::stage::{ShaderStage, Specialization};

use resource::bind::ProgramSource;
use state::StateChange;
use state::depth_stencil::DepthFormat;

pub use draw::vertex_data::{VertexColumn, VertexData, VertexStorage};
pub use draw::xfb;
pub use draw::{Draw, DrawShape, RESTART_INDEX, Topology};
pub use expectation::expected::{
    AdapterPart, AdapterPattern, ExpectedOutcome, ExpectedStatus, VersionBound,
};
pub use expectation::tolerance::Tolerance;
pub use expectation::{
    BufferProbe, Comparison, Content, ContentComparison, ContentRule, CountProbe, DepthProbe,
    Expectation, Golden, GoldenRule, OracleSource, Probe, ProgramExpectation, ReadExpectation,
    ReadSource, Region,
};
pub use expectation::{query, tolerance};
pub use ir::options::{ATOMIC_COUNTER_POINT, XFB_POINT};
pub use ir::options::{
    Chunk, ColorChooser, DebugNames, GenericLimits, Optimise, OutputRule, PackMode, PackStep,
    Packing, PerVertexRule, ProgramLimit, RemovalReason, Share, SpriteCoordinates,
};
pub use linking::{
    BlockFact, Counter, Likeness, LinkExpectation, LinkSection, MemberFact, ProfileChoice, Seam,
    UsedStages,
};
pub use read::section::expected::parse_adapter_pattern;
pub use read::{commands, known_words, outline, parse, vocabulary};
pub use requirement::{DeviceRequirement, GlRequirement, Requirement};
pub use resource::{bind, texture};
pub use shader::{BinaryFile, IncludeSource, Language, ShaderSource};
pub use state::{depth_stencil, output};
pub use step::{Action, Setting, Step, UniformStep};

/// One case: a file, or one combination of a file's parameters.
#[derive(Clone, Debug)]
pub struct Case {
    /// The path as given, plus `#name=value,…` when the file has parameters.
    pub name: String,
    /// Source text, with parameters filled in.
    pub source: Arc<Source>,
    /// Strictness of the parser, and the API whose conventions apply.
    pub dialect: Dialect,
    /// `[require]`, in file order.
    pub requirements: Vec<Spanned<Requirement>>,
    /// The shader sections, in file order.
    pub shaders: Vec<ShaderSource>,
    /// Values of SPIR-V stages' specialisation constants.
    pub specializations: Vec<Specialization>,
    /// Programs besides the one of `shaders`, each linked separately. Only scripts have any.
    pub further_programs: Vec<ProgramSource>,
    /// `[shader include]`: texts for GLSL `#include`.
    pub includes: Vec<IncludeSource>,
    /// `[shader include paths]`: search folders for relative paths.
    pub include_folders: Vec<String>,
    /// `[varyings]`, for WGSL and SPIR-V stages.
    pub varyings: Vec<VaryingDeclaration>,
    /// `samples N` of `[render targets]`: samples per pixel.
    pub samples: u32,
    /// `depth FORMAT` of `[render targets]`: the format of the depth buffer.
    pub depth_format: Option<DepthFormat>,
    /// `[render targets]`; one rgba8unorm target at index 0 when the section is missing.
    pub render_targets: Vec<RenderTarget>,
    /// Render target width and height in pixels: `size` or `SIZE` of `[require]`, otherwise 250 by 250.
    pub size: [u32; 2],
    /// `[link]`.
    pub link: LinkSection,
    /// `[capture]`.
    pub capture: Option<ir::options::CaptureSection>,
    /// `[vertex data]`.
    pub vertex_data: Option<VertexData>,
    /// `[index data]`: vertex indices for `draw indexed`.
    pub indices: Vec<u32>,
    /// `[test]`, in file order.
    pub steps: Vec<Spanned<Step>>,
    /// Names of the script's buffers and images, by index ([`resource::bind::script_point`]). Only scripts have any.
    pub script_buffers: Vec<String>,
    /// Paths, from the case's folder, of the files whose content the steps contain.
    pub files: Vec<String>,
    /// `[expect]`: known failures. They do not change the verdict, only how the verdict is counted.
    pub expected: Vec<ExpectedOutcome>,
    /// Warnings: lines that were read but have no effect.
    pub warnings: Vec<Diagnostic>,
}

impl Case {
    /// True if the case asks only whether its stages compile.
    pub fn is_only_compiled(&self) -> bool {
        self.program_expectations().any(|line| line.value.is_of_compiling())
    }

    /// The case for a file without sections.
    pub fn empty(name: String, source: Arc<Source>, dialect: Dialect) -> Self {
        Self {
            name,
            source,
            dialect,
            requirements: Vec::new(),
            shaders: Vec::new(),
            specializations: Vec::new(),
            further_programs: Vec::new(),
            includes: Vec::new(),
            include_folders: Vec::new(),
            varyings: Vec::new(),
            samples: 1,
            depth_format: None,
            render_targets: vec![RenderTarget {
                index: 0,
                format: Format::RGBA8_UNORM,
                clear: None,
                span: None,
            }],
            size: [250, 250],
            link: LinkSection::default(),
            capture: None,
            vertex_data: None,
            indices: Vec::new(),
            steps: Vec::new(),
            script_buffers: Vec::new(),
            files: Vec::new(),
            expected: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The settings among the steps, in order.
    pub fn settings(&self) -> impl Iterator<Item = Spanned<&Setting>> {
        self.steps.iter().filter_map(|step| {
            let Step::Set(setting) = &step.value else { return None };
            Some(Spanned::new(setting, step.span))
        })
    }

    /// The changes of GL state among the steps, in order.
    pub fn state_changes(&self) -> impl Iterator<Item = &StateChange> {
        self.steps.iter().filter_map(|step| step.value.state())
    }

    /// The draws of `draw …` and `xfb draw …`, in order.
    pub fn draws(&self) -> impl Iterator<Item = Spanned<&Draw>> {
        self.steps.iter().filter_map(|step| Some(Spanned::new(step.value.draw()?, step.span)))
    }

    /// The draws of `draw …` only: those of `xfb draw …` end before rasterisation.
    pub fn rasterised_draws(&self) -> impl Iterator<Item = &Draw> {
        self.steps.iter().filter_map(|step| {
            if let Step::Run(Action::Draw(draw)) = &step.value { Some(draw) } else { None }
        })
    }

    /// True if some step makes textures the render targets.
    pub fn draws_to_textures(&self) -> bool {
        self.settings().any(|setting| setting.value.is_framebuffer())
    }

    /// True if the case contains `compare oracle`.
    pub fn asks_oracle(&self) -> bool {
        self.readings().any(|line| matches!(line.value, ReadExpectation::Oracle(_)))
    }

    /// The lines of `[require]` about GL, in file order.
    pub fn gl_requirements(&self) -> impl DoubleEndedIterator<Item = &GlRequirement> {
        self.requirements.iter().filter_map(|line| {
            if let Requirement::Gl(requirement) = &line.value { Some(requirement) } else { None }
        })
    }

    /// The last stage of the pipeline that has a section.
    pub fn last_stage(&self) -> ShaderStage {
        let has = |stage: &ShaderStage| self.shaders.iter().any(|shader| shader.stage == *stage);
        ShaderStage::ALL.into_iter().rfind(has).unwrap_or(ShaderStage::Vertex)
    }

    /// The expectations among the steps, in order.
    pub fn expectations(&self) -> impl Iterator<Item = Spanned<&Expectation>> {
        self.steps
            .iter()
            .filter_map(|step| Some(Spanned::new(step.value.expectation()?, step.span)))
    }

    /// The expectations about compiling and linking, in order.
    pub fn program_expectations(&self) -> impl Iterator<Item = Spanned<&ProgramExpectation>> {
        self.expectations().filter_map(|line| {
            let Expectation::Program(expectation) = line.value else { return None };
            Some(Spanned::new(expectation, line.span))
        })
    }

    /// The expectations about results of the GPU, in order.
    pub fn readings(&self) -> impl Iterator<Item = Spanned<&ReadExpectation>> {
        self.steps.iter().filter_map(|step| Some(Spanned::new(step.value.reading()?, step.span)))
    }

    /// Format of the depth buffer, or `None` without one.
    pub fn depth_buffer(&self) -> Option<DepthFormat> {
        let is_required =
            self.requirements.iter().any(|line| line.value == Requirement::DepthBuffer);
        self.depth_format.or(is_required.then(DepthFormat::default))
    }

    /// True if the fragment stage clips by discarding, instead of the adapter with clip distances.
    pub fn emulates_clip(&self, has_clip_distances: bool) -> bool {
        let has_choice =
            self.requirements.iter().any(|line| line.value == Requirement::ClipDistances);
        self.link.emulates_clip || has_choice && !has_clip_distances
    }

    /// Switches to clipping in the fragment stage, so that the adapter needs no clip distances.
    ///
    /// Returns `false`, and changes nothing, if the case requires native clip distances and has expectations about
    /// slots, which hold only for the varyings without emulation.
    pub fn emulate_clip(&mut self) -> bool {
        let clip_distances: Requirement =
            DeviceRequirement::Feature("CLIP_DISTANCES".to_owned()).into();
        let is_native = |line: &Spanned<Requirement>| {
            line.value == clip_distances || line.value == Requirement::ClipDistances
        };
        let is_about_slots = |line: &Spanned<LinkExpectation>| line.value.is_about_slots();
        let is_clipping = self.requirements.iter().any(is_native) && !self.link.emulates_clip;
        if is_clipping && self.link.expectations.iter().any(is_about_slots) {
            return false;
        }
        self.requirements.retain(|line| line.value != clip_distances);
        self.link.emulates_clip = true;
        true
    }
}

/// Strictness of the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Cases of this project: everything unknown is an error.
    Interstage,
    /// Files written for piglit: trailing text is a warning, and commands that piglit knows but interstage does not
    /// make the case unsupported.
    Piglit,
    /// Scripts for Vulkan, read by the crate `amber`: Vulkan's conventions apply. Texts in this project's own format
    /// are read as strictly as [`Self::Interstage`].
    Vulkan,
    /// Cases composed from the shader library of GL's conformance tests: read as strictly as [`Self::Interstage`], but
    /// `compile error`, `link error` and `compile or link error` stand without a text, a stage may have several
    /// sections, and uniforms and attributes that the program lacks are ignored, as in GL.
    ShaderLibrary,
}

/// One line of `[render targets]`.
#[derive(Clone, Debug, PartialEq)]
pub struct RenderTarget {
    /// Index of the colour attachment, 0 to 7.
    pub index: u32,
    /// Pixel format.
    pub format: Format,
    /// Initial content: `clear …`, else zeros.
    pub clear: Option<Vec<Number>>,
    /// Span of the line; `None` for a target that no line declares.
    pub span: Option<Span>,
}

/// True if some step of the case draws, dispatches or checks a result of the GPU.
pub fn needs_gpu(case: &Case) -> bool {
    case.steps.iter().any(|step| step.value.needs_gpu())
}
