//! The options of `interstage generate`.

use std::path::PathBuf;

/// `interstage generate`.
#[derive(Clone, Debug, clap::Args)]
pub struct GenerateOptions {
    /// Subject of the cases
    pub what: Generated,
    /// The WGSL file (`wgsl`)
    #[arg(value_name = "FILE.wgsl", required_if_eq("what", "wgsl"))]
    pub file: Option<PathBuf>,
    /// Seed of the first case; each further case uses the next one
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Number of cases
    #[arg(long, default_value_t = 100)]
    pub count: u64,
    /// Output folder [default: `out/cases`, below a folder named `cases`, so that the cases are read strictly;
    /// `out/invalid` for invalid programs and `out/attributes` for attributes, which are read as piglit tests]
    #[arg(long, alias = "out", value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Only print the rules that `invalid` breaks: name, section, versions, and the right form
    #[arg(long)]
    pub rules: bool,
    /// Write nothing, and print what the programs use of their language, and what of them reaches their outputs
    /// (`programs`)
    #[arg(long)]
    pub statistics: bool,
    /// Leave out an operation of a kind of numbers, such as `abs of uint`, as `--statistics` names it (`programs`); several
    /// times for several
    #[arg(long, value_name = "FEATURE")]
    pub without: Vec<String>,
    /// Use only what all languages have, so that the program of a seed is the same in each, and probe what it leaves in
    /// another language on the executor (`programs`)
    #[arg(long)]
    pub common: bool,
    /// Language of the stages [default: `glsl`]: `glsl` or `wgsl` for `varyings`, `geometry`, `tessellation` and `blocks`,
    /// where stages that WGSL lacks stay in GLSL; any for `programs`
    #[arg(long, value_enum)]
    pub language: Option<Language>,
    /// Break only this rule (`invalid`)
    #[arg(long, value_name = "NAME")]
    pub rule: Option<String>,
}

/// Subject of generated cases.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Generated {
    /// Varyings of all types and qualifiers, with a different value in every component
    Varyings,
    /// Programs with a geometry stage, with a different value in every component of every vertex
    Geometry,
    /// Programs with tessellation stages, with a different value in every component of every vertex and patch
    Tessellation,
    /// Blocks of all layouts; seeds below 270 are the shapes of piglit's generator, the others are random
    Blocks,
    /// Programs that break one rule of the language, or none; in the piglit dialect
    Invalid,
    /// Every qualifier, layout word, execution mode, decoration and attribute at every place, right or wrong; in the
    /// piglit dialect
    Attributes,
    /// Programs with arithmetic, control flow, calls and derivatives, compared with the oracle
    Programs,
    /// A case for each entry point of a WGSL file, with inputs; `run FILE.wgsl` runs the same ones
    Wgsl,
}

impl Generated {
    /// Languages in which there are programs about this subject; none if the subject decides the language.
    pub const fn languages(self) -> &'static [Language] {
        match self {
            Self::Varyings | Self::Geometry | Self::Tessellation | Self::Blocks => {
                &[Language::Glsl, Language::Wgsl]
            }
            Self::Programs => &[Language::Glsl, Language::Wgsl, Language::Spirv],
            Self::Invalid => &[Language::Glsl],
            Self::Attributes | Self::Wgsl => &[],
        }
    }
}

/// Language of the stages of generated programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Language {
    /// GLSL 4.50
    Glsl,
    /// WGSL
    Wgsl,
    /// SPIR-V assembly
    Spirv,
}

impl From<Language> for generate::programs::Language {
    fn from(language: Language) -> Self {
        match language {
            Language::Glsl => Self::Glsl,
            Language::Wgsl => Self::Wgsl,
            Language::Spirv => Self::Spirv,
        }
    }
}
