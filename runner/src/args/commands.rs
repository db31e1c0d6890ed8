//! Options of commands that write or show single cases, and of `doctor`.

use std::path::PathBuf;

use crate::args::{ADAPTER, PoolOptions, PretendOptions, Selection, ThroughOptions};

/// Options of `new`.
#[derive(Debug, clap::Args)]
pub struct NewOptions {
    /// Name of the case: the claim that it tests, in words; may contain folders (`varying/a_claim`)
    pub name: String,
    /// Template of the case
    #[command(flatten)]
    pub template: TemplateOptions,
}

/// Choice of a template.
#[derive(Clone, Copy, Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct TemplateOptions {
    /// Stages in WGSL instead of GLSL
    #[arg(long)]
    wgsl: bool,
    /// A compute stage instead of a vertex and a fragment stage
    #[arg(long, conflicts_with = "texture")]
    compute: bool,
    /// A fragment stage that reads a texture
    #[arg(long)]
    texture: bool,
    /// A case about the linker alone, which needs no adapter
    #[arg(long, conflicts_with_all = ["wgsl", "compute", "texture"])]
    link: bool,
}

/// Template of a new case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Template {
    /// Vertex and fragment stage in GLSL.
    Glsl,
    /// A compute stage in GLSL.
    GlslCompute,
    /// A fragment stage in GLSL that reads a texture.
    GlslTexture,
    /// Vertex and fragment stage in WGSL.
    Wgsl,
    /// A compute stage in WGSL.
    WgslCompute,
    /// A fragment stage in WGSL that reads a texture.
    WgslTexture,
    /// Only a link map.
    Link,
}

impl TemplateOptions {
    /// The chosen template.
    pub const fn template(self) -> Template {
        match self {
            Self { link: true, .. } => Template::Link,
            Self { wgsl: false, compute: true, .. } => Template::GlslCompute,
            Self { wgsl: false, texture: true, .. } => Template::GlslTexture,
            Self { wgsl: false, .. } => Template::Glsl,
            Self { wgsl: true, compute: true, .. } => Template::WgslCompute,
            Self { wgsl: true, texture: true, .. } => Template::WgslTexture,
            Self { wgsl: true, .. } => Template::Wgsl,
        }
    }
}

/// Options of `inspect`.
#[derive(Debug, clap::Args)]
pub struct InspectOptions {
    /// A case file, or one of its cases (`FILE#name=value;…`); with --out also several, and folders
    #[arg(required = true)]
    pub cases: Vec<PathBuf>,
    /// Language of the stages; `wgsl` has words where WGSL lacks a type or a layout, and SPIR-V is printed as text, but
    /// as a binary with --stage into a pipe or a file [default: naga's WGSL of the stages as they were linked]
    #[arg(long, value_name = "LANGUAGE", conflicts_with = "through")]
    pub format: Option<Format>,
    /// Other compilers: each stage is shown as naga writes it and as each of them does.
    #[command(flatten)]
    pub through: ThroughOptions,
    /// Show the variant of every stage that `run --vary SEED` runs on the executor: other code with the same meaning
    #[arg(long, value_name = "SEED", conflicts_with = "through")]
    pub vary: Option<u64>,
    /// Print this stage alone, without the link map and headings
    #[arg(long, value_name = "STAGE", conflicts_with = "out")]
    pub stage: Option<ShownStage>,
    /// Write the stages into this folder instead of printing them, one file each: `vertex.spv`, `fragment.spv`; with
    /// several cases, each has its own subfolder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// A language for `inspect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// WebGPU
    Wgsl,
    /// Vulkan
    Spirv,
    /// GL
    Glsl,
    /// Direct3D
    Hlsl,
    /// Metal
    Msl,
    /// naga's IR as a graph for Graphviz
    Dot,
}

/// A stage for `inspect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ShownStage {
    /// The vertex stage
    Vertex,
    /// The tessellation control stage, which runs as a compute stage
    #[value(name = "tessellation_control", alias = "tessellation-control")]
    TessellationControl,
    /// The tessellation evaluation stage, which runs as a compute stage
    #[value(name = "tessellation_evaluation", alias = "tessellation-evaluation")]
    TessellationEvaluation,
    /// The geometry stage, which runs as a compute stage
    Geometry,
    /// The fragment stage
    Fragment,
    /// The compute stage
    Compute,
}

impl ShownStage {
    /// The stage's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::TessellationControl => "tessellation_control",
            Self::TessellationEvaluation => "tessellation_evaluation",
            Self::Geometry => "geometry",
            Self::Fragment => "fragment",
            Self::Compute => "compute",
        }
    }
}

/// Options of `doctor`.
#[derive(Debug, clap::Args)]
pub struct DoctorOptions {
    /// The cases for --skips.
    #[command(flatten)]
    pub selection: Selection,
    /// Adapter: `vulkan:0`, `gl`, `cpu`, part of a name, or `all`
    #[arg(long, default_value = "all", help_heading = ADAPTER)]
    pub adapter: String,
    /// Missing capabilities of the device.
    #[command(flatten)]
    pub pretend: PretendOptions,
    /// Print the features, downlevel flags, limits and formats of each adapter
    #[arg(long)]
    pub features: bool,
    /// Print the cases that each adapter would skip, with reasons; this compiles and links all cases
    #[arg(long)]
    pub skips: bool,
    /// Print the GL versions, extensions and limits that interstage provides on each adapter
    #[arg(long)]
    pub gl: bool,
}

/// Options of `bless`.
#[derive(Debug, clap::Args)]
pub struct BlessOptions {
    /// Case files, or single cases (`FILE#name=value;…`)
    #[arg(required = true)]
    pub cases: Vec<PathBuf>,
    /// Print the changes, and write nothing
    #[arg(long, conflicts_with = "review")]
    pub dry_run: bool,
    /// Ask about the changes of each case before they are written: `y` writes them, `n` does not, `q` ends
    #[arg(long)]
    pub review: bool,
    /// Adapter and workers.
    #[command(flatten)]
    pub pool: PoolOptions,
}

/// Options of `fmt`.
#[derive(Debug, clap::Args)]
pub struct FmtOptions {
    /// Case files, folders searched for `*.shader_test`, `@LIST`, or `-` for stdin, whose text is printed
    #[arg(required = true, value_name = "PATH")]
    pub files: Vec<PathBuf>,
    /// Print the files that are not formatted, and write nothing; exit code 1 if there are any
    #[arg(long)]
    pub check: bool,
}

/// Options of `lsp`.
#[derive(Debug, clap::Args)]
pub struct LspOptions {
    /// Adapter for runs of cases, as for `run`
    #[arg(long, value_name = "NAME")]
    pub adapter: Option<String>,
    /// Accepted because clients of the protocol pass it; the server always uses stdin and stdout
    #[arg(long, hide = true)]
    pub stdio: bool,
}

/// Options of `convert`.
#[derive(Debug, clap::Args)]
pub struct ConvertOptions {
    /// The script (`*.amber`, `*.vk_shader_test` or `*.vkscript`), the case of a conformance suite (`FILE.test#NAME`) or the
    /// parser test (`*.vert` and so on)
    #[arg(value_name = "FILE")]
    pub script: PathBuf,
    /// Write the case into this file instead of printing it
    #[arg(short, long, value_name = "CASE")]
    pub output: Option<PathBuf>,
}

/// Options of `reduce`.
#[derive(Debug, clap::Args)]
pub struct ReduceOptions {
    /// A case file, or one of its cases (`FILE#name=value;…`)
    pub case: PathBuf,
    /// Preserve only the status and the kind of the reason, not the expectation and its values
    #[arg(long)]
    pub loose: bool,
    /// Compare all values with those that interstage's executor permits, as `run --oracle` does, for a case that fails
    /// only there
    #[arg(long)]
    pub oracle: bool,
    /// Also keep the case passing on this adapter: `vulkan:0`, `gl`, or part of its name
    #[arg(long, value_name = "ADAPTER")]
    pub against: Option<String>,
    /// Write the reduced case into this file instead of printing it
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Adapter and workers.
    #[command(flatten)]
    pub pool: PoolOptions,
    /// Script of case results that replaces the adapter; see `worker/scripted.rs`
    #[arg(long, value_name = "FILE", hide = true)]
    pub script: Option<PathBuf>,
}
