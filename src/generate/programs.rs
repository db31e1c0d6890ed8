//! Random programs of a vertex and a fragment stage, or of a compute stage, compared with the oracle.
//!
//! They use all operators, functions, types and statements of a language, guarded so that nothing is undefined: divisors
//! are positive, indices and amounts of shifts masked, loops bounded. All values reach the outputs: exact ones in a hash,
//! inexact floats in a sum within the range that the oracle knows.

#[expect(clippy::wildcard_enum_match_arm, reason = "there are a hundred operations")]
mod draw;
#[expect(clippy::wildcard_enum_match_arm, reason = "there are a hundred operations")]
mod features;
#[expect(clippy::wildcard_enum_match_arm, reason = "there are a hundred operations")]
mod liveness;
mod operation;
#[expect(clippy::wildcard_enum_match_arm, reason = "there are a hundred operations")]
mod prune;
mod scalar;
#[expect(clippy::wildcard_enum_match_arm, reason = "there are a hundred operations")]
mod spirv;
#[expect(clippy::wildcard_enum_match_arm, reason = "there are a hundred operations")]
mod text;
mod tree;
mod walk;

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;

pub use liveness::Reach;
pub use prune::Layer;

use operation::{Op, ROWS, Row};
use tree::{
    COUNTERS, INPUTS, INVOCATIONS, Kind, OWN_OUTPUTS, Place, Program, Scalar, StageKind, Value,
    WORKGROUPS,
};
use walk::Part;

/// Binding of the buffer that compute stages write.
const OUTPUT_POINT: u8 = 0;

/// Binding of the buffer that stages read.
const INPUT_POINT: u8 = 1;

/// Binding of the sums of compute stages.
const SUM_POINT: u8 = 2;

/// Binding of the counters of compute stages.
const COUNTER_POINT: u8 = 3;

/// Binding of the first uniform.
const UNIFORM_POINT: u8 = 4;

/// Binding of the texture.
const TEXTURE_POINT: u8 = 7;

/// The language of the stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// GLSL 4.50.
    Glsl,
    /// WGSL.
    Wgsl,
    /// SPIR-V assembly.
    Spirv,
}

impl Language {
    const fn name(self) -> &'static str {
        match self {
            Self::Glsl => "glsl",
            Self::Wgsl => "wgsl",
            Self::Spirv => "spirv",
        }
    }
}

/// The operations that programs may have.
#[derive(Clone, Debug)]
pub struct Recipe {
    language: Language,
    /// Features that no program has, as they were given.
    without: Vec<String>,
    /// Operations, each of a class, that no program has.
    left_out: HashSet<(Op, Scalar)>,
}

impl Recipe {
    /// All of a language.
    pub fn new(language: Language) -> Self {
        Self { language, without: Vec::new(), left_out: HashSet::new() }
    }

    /// The same without an operation of a kind of numbers, such as `abs of uint`; `None` if the language has no such.
    pub fn without(mut self, feature: &str) -> Option<Self> {
        let all = ROWS.iter().flat_map(|row| Scalar::ALL.map(|class| (row, class)));
        let named: Vec<_> = all
            .filter(|(row, class)| row.has(self.language, *class))
            .filter(|(row, class)| features::named(row.op, *class) == feature)
            .map(|(row, class)| (row.op, class))
            .collect();
        self.without.push(feature.to_owned());
        self.left_out.extend(&named);
        (!named.is_empty()).then_some(self)
    }

    /// True if programs may have the operation of a class.
    fn has(&self, row: &Row, class: Scalar) -> bool {
        row.has(self.language, class) && !self.left_out.contains(&(row.op, class))
    }

    /// The features that programs may have.
    pub fn features(&self) -> BTreeSet<String> {
        let mut all = features::all(self.language);
        all.retain(|feature| !self.without.contains(feature));
        all
    }

    /// The features of a seed's program, and the counts of what reaches its outputs.
    pub fn measured(&self, seed: u64) -> (BTreeSet<String>, Reach) {
        let program = draw::program(seed, self);
        (features::of(&program), liveness::of(&program))
    }

    /// The options that give this recipe.
    fn options(&self) -> String {
        let without = self.without.iter().map(|feature| format!(" --without '{feature}'"));
        format!("--language {}{}", self.language.name(), without.collect::<String>())
    }
}

/// A program that can be made smaller.
#[derive(Clone, Debug)]
pub struct Draft {
    program: Program,
    recipe: Recipe,
    seed: u64,
}

impl Draft {
    /// The program of a seed.
    pub fn new(seed: u64, recipe: &Recipe) -> Self {
        Self { program: draw::program(seed, recipe), recipe: recipe.clone(), seed }
    }

    /// Number of possible cuts of a layer.
    pub fn cuts(&self, layer: Layer) -> usize {
        prune::count(&self.program, layer)
    }

    /// The program with these cuts of a layer, by their numbers, and without what nothing reads any more. A program that
    /// is no longer valid is possible: a `break` may have lost its loop.
    #[must_use]
    pub fn with(&self, layer: Layer, cuts: &BTreeSet<usize>) -> Self {
        Self { program: prune::cut(&self.program, layer, cuts), ..self.clone() }
    }

    /// The program with ones in place of the operations with these names, where that keeps it defined, such as `abs of
    /// uint`.
    #[must_use]
    pub fn without_operations(&self, names: &BTreeSet<String>) -> Self {
        Self { program: prune::without_operations(&self.program, names), ..self.clone() }
    }

    /// The features of the program.
    pub fn features(&self) -> BTreeSet<String> {
        features::of(&self.program)
    }

    /// Text of the case.
    pub fn case(&self) -> String {
        text_of(&self.program, self.seed, &self.recipe)
    }
}

/// Text of the case for `seed`.
pub fn case(seed: u64, recipe: &Recipe) -> String {
    Draft::new(seed, recipe).case()
}

fn text_of(program: &Program, seed: u64, recipe: &Recipe) -> String {
    let language = recipe.language;
    let (word, require) = match language {
        Language::Glsl => ("", "GLSL >= 4.50\n"),
        Language::Wgsl => (" wgsl", ""),
        Language::Spirv => (" spirv", ""),
    };
    let wide = if program.is_wide { "feature SHADER_F64\nfeature SHADER_INT64\n" } else { "" };
    let stages: Vec<_> = program
        .stages
        .iter()
        .map(|stage| {
            let name = match stage.kind {
                StageKind::Vertex => "vertex",
                StageKind::Fragment => "fragment",
                StageKind::Compute => "compute",
            };
            let text = match language {
                Language::Glsl | Language::Wgsl => text::stage(program, stage, language),
                Language::Spirv => spirv::stage(program, stage),
            };
            format!("[{name} shader{word}]\n{text}\n")
        })
        .collect();
    let is_compute = program.stages.iter().any(|stage| stage.kind == StageKind::Compute);
    let targets = if is_compute { "" } else { "[render targets]\n0 rgba32uint\n1 rgba32float\n\n" };
    let (setup, draw) = if is_compute { dispatch() } else { rectangle() };
    format!(
        "# A random program: `interstage generate programs {} --seed {seed} --count 1`.\n\n\
         [require]\n{require}{wide}size 8 8\n\n{}{targets}[test]\n{setup}{}{draw}",
        recipe.options(),
        stages.concat(),
        settings(program, language),
    )
}

/// Commands for what a program reads: uniforms, the buffer and the texture. All programs read all of it until they are made
/// smaller; a command for what nothing reads is an error.
fn settings(program: &Program, language: Language) -> String {
    let words = (0..INPUTS).map(|number| u32::from(number).wrapping_mul(0x9e37_79b1) ^ 0x55);
    let words = words.map(|word| word.to_string()).collect::<Vec<_>>().join(" ");
    let tree::Uniforms { ints, uints, sixteenths } = program.uniforms;
    let join = |numbers: [String; 4]| numbers.join(" ");
    let values = [
        join(ints.map(|number| number.to_string())),
        join(uints.map(|number| number.to_string())),
        join(sixteenths.map(|number| format!("{:?}", f64::from(number) / 16.0))),
    ];
    let read = Read::of(program);
    let mut text = String::new();
    if read.buffer {
        let size = INPUTS * 4;
        let _ =
            writeln!(text, "ssbo {INPUT_POINT} {size}\nssbo {INPUT_POINT} subdata uint 0 {words}");
    }
    if read.texture {
        let _ = writeln!(text, "texture numbers 2D {TEXTURE_POINT} (4, 4) rgba32uint");
    }
    if language == Language::Spirv && !read.uniforms.is_empty() {
        let _ = writeln!(text, "block binding {UNIFORM_POINT}");
    }
    for (number, (ty, values)) in ["ivec4", "uvec4", "vec4"].iter().zip(values).enumerate() {
        if !read.uniforms.contains(&number) {
            continue;
        }
        if language == Language::Spirv {
            let _ = writeln!(text, "block offset {}", number * 16);
        }
        let _ = writeln!(text, "uniform {ty} u{number} {values}");
    }
    text
}

/// The resources that a program reads.
#[derive(Default)]
struct Read {
    /// By their numbers.
    uniforms: BTreeSet<usize>,
    buffer: bool,
    texture: bool,
}

impl Read {
    fn of(program: &Program) -> Self {
        let mut read = Self::default();
        for stage in &program.stages {
            walk::stage(stage, &mut |part| match part {
                Part::Place(Place { variable, .. }) if variable.kind == Kind::Uniform => {
                    read.uniforms.insert(variable.number);
                }
                Part::Place(place) => read.buffer |= place.variable.kind == Kind::Input,
                Part::Expression(value) => read.texture |= matches!(value.value, Value::Texel(_)),
                Part::Statement(_) => {}
            });
        }
        read
    }
}

/// The commands before and behind the settings of a program with a compute stage.
fn dispatch() -> (String, String) {
    let invocations = usize::from(INVOCATIONS * WORKGROUPS);
    let setup = format!(
        "ssbo {OUTPUT_POINT} {}\nssbo {SUM_POINT} {}\nssbo {COUNTER_POINT} {}\nssbo {COUNTER_POINT} subdata uint 0 1 0xffffffff 5 4000000000 16 85\n",
        invocations * usize::from(OWN_OUTPUTS) * 4,
        invocations * 4,
        COUNTERS * 4,
    );
    let points = [OUTPUT_POINT, SUM_POINT, COUNTER_POINT];
    let compared = points.map(|point| format!("compare oracle ssbo {point}\n"));
    (setup, format!("compute {WORKGROUPS} 1 1\n{}", compared.concat()))
}

/// The commands before and behind the settings of a program that draws.
fn rectangle() -> (String, String) {
    let draw = "draw rect -1 -1 2 2\ncompare oracle target 0\ncompare oracle target 1\n";
    (String::new(), draw.to_owned())
}
