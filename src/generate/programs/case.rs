//! Writes a program as a case: its stages, what they need, and the commands.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::points::{
    CELL_POINTS, COUNTER_POINT, INPUT_POINT, OUTPUT_POINT, PICTURE_POINT, SUM_POINT, UNIFORM_POINT,
};
use super::tree::{
    COUNTERS, Expression, INPUTS, INVOCATIONS, Kind, OWN_OUTPUTS, PIXELS, Place, Program, Stage,
    StageKind, Statement, Texture, Type, Uniforms, Value, Variable, WORKGROUPS, Widths,
};
use super::walk::{self, Part};
use super::{Language, Recipe, spirv, text};

/// Text of the case.
pub(super) fn text(program: &Program, seed: u64, recipe: &Recipe) -> String {
    let language = recipe.language;
    let require = if language == Language::Glsl { "GLSL >= 4.50\n" } else { "" };
    let widths = match program.widths {
        Widths::Usual => "",
        Widths::Wide => "feature SHADER_F64\nfeature SHADER_INT64\n",
        Widths::Half => "feature SHADER_F16\n",
    };
    let stages: String =
        program.stages.iter().map(|stage| section(program, stage, language)).collect();
    let is_compute = program.has(StageKind::Compute);
    let targets = if is_compute { "" } else { "[render targets]\n0 rgba32uint\n1 rgba32float\n\n" };
    // WGSL's flat varyings come from the first vertex, and those of other languages from the last.
    let is_shared = language == Language::Wgsl && recipe.is_for(Language::Glsl) && !is_compute;
    let convention = if is_shared { "provoking vertex last\n" } else { "" };
    let read = Read::of(program);
    format!(
        "# A random program: `interstage generate programs {} --seed {seed} --count 1`.\n\n\
         [require]\n{require}{widths}size {PIXELS} {PIXELS}\n\n{stages}{targets}{}[test]\n{convention}{}{}{}",
        recipe.options(),
        capture(program),
        resources(program, &read, language),
        runs(program, &read, language),
        comparisons(program, &read),
    )
}

/// A stage.
fn section(program: &Program, stage: &Stage, language: Language) -> String {
    let (word, text) = match language {
        Language::Glsl => ("", text::stage(program, stage, language)),
        Language::Wgsl => (" wgsl", text::stage(program, stage, language)),
        Language::Spirv => (" spirv", spirv::stage(program, stage)),
    };
    format!("[{} shader{word}]\n{text}\n", stage.kind.name())
}

/// The list of captured outputs, those of the last stage before the fragment stage.
fn capture(program: &Program) -> String {
    if program.captured.is_empty() {
        return String::new();
    }
    let writer = program.before(StageKind::Fragment);
    let name = |variable: &Variable| {
        let is_member = writer == StageKind::Vertex && program.is_member(*variable);
        let block = if is_member { "Block." } else { "" };
        format!("{block}{}{}\n", writer.prefix(), variable.number)
    };
    format!("[capture]\n{}\n", program.captured.iter().map(name).collect::<String>())
}

/// Commands that create what a program uses. All programs use all of it until they are made smaller; a command for what
/// nothing uses is an error.
fn resources(program: &Program, read: &Read, language: Language) -> String {
    let mut text = String::new();
    if program.has(StageKind::Compute) {
        let invocations = usize::from(INVOCATIONS * WORKGROUPS);
        let _ =
            writeln!(text, "ssbo {OUTPUT_POINT} {}", invocations * usize::from(OWN_OUTPUTS) * 4);
        let _ = writeln!(text, "ssbo {SUM_POINT} {}", invocations * 4);
        let _ = writeln!(text, "ssbo {COUNTER_POINT} {}", COUNTERS * 4);
        let first = "1 0xffffffff 5 4000000000 16 85";
        let _ = writeln!(text, "ssbo {COUNTER_POINT} subdata uint 0 {first}");
    }
    if read.buffer {
        let words = (0..INPUTS).map(|number| u32::from(number).wrapping_mul(0x9e37_79b1) ^ 0x55);
        let words = words.map(|word| word.to_string()).collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "ssbo {INPUT_POINT} {}", INPUTS * 4);
        let _ = writeln!(text, "ssbo {INPUT_POINT} subdata uint 0 {words}");
    }
    for point in read.cells() {
        let _ = writeln!(text, "ssbo {point} {}", usize::from(PIXELS * PIXELS) * 4);
    }
    if read.picture {
        let size = format!("({PIXELS}, {PIXELS}) r32uint");
        let _ = writeln!(text, "texture numbers 2D {PICTURE_POINT} {size}");
        let _ = writeln!(text, "image texture {PICTURE_POINT} r32uint");
    }
    text.extend(read.textures.iter().map(|texture| texture.commands(language)));
    if !program.captured.is_empty() {
        let _ = writeln!(text, "xfb buffer object 0 {}", captured_size(program));
    }
    text
}

/// Bytes of what all draws capture, and more.
fn captured_size(program: &Program) -> usize {
    let words = |variable: &Variable| match variable.ty {
        Type::Matrix(columns, rows) => usize::from(columns) * usize::from(rows),
        Type::Value(scalar, count) => usize::from(count) * if scalar.is_wide() { 2 } else { 1 },
        Type::Array(_) | Type::Struct(_) => 0,
    };
    let vertices = 24;
    program.captured.iter().map(words).sum::<usize>() * 4 * vertices * program.uniforms.len()
}

/// The draws or dispatches, and before each its uniforms. Two draws cover half of the targets each.
fn runs(program: &Program, read: &Read, language: Language) -> String {
    let is_captured = !program.captured.is_empty();
    let mut text = String::new();
    let count = program.uniforms.len();
    let width = if count > 1 { 1 } else { 2 };
    // No specification of GL says which triangle has a pixel whose centre is on the edge between them. So the rectangle is
    // higher than the target, and its diagonal meets no centre.
    let (patch, height) =
        if program.has(StageKind::Evaluation) { ("patch ", "2") } else { ("", "2.25") };
    if is_captured {
        text += "capture begin\n";
    }
    for (column, values) in (-1..).zip(&program.uniforms) {
        text += &uniforms(values, read, language);
        let _ = if program.has(StageKind::Compute) {
            writeln!(text, "compute {WORKGROUPS} 1 1")
        } else {
            writeln!(text, "draw rect {patch}{column} -1 {width} {height}")
        };
    }
    if is_captured {
        text += "capture end\n";
    }
    text
}

/// Commands for the values of the uniforms that a program reads.
fn uniforms(values: &Uniforms, read: &Read, language: Language) -> String {
    let join = |numbers: [String; 4]| numbers.join(" ");
    let values = [
        join(values.ints.map(|number| number.to_string())),
        join(values.uints.map(|number| number.to_string())),
        join(values.sixteenths.map(|number| format!("{:?}", f64::from(number) / 16.0))),
    ];
    let mut text = String::new();
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

/// Comparisons of all that a program leaves.
fn comparisons(program: &Program, read: &Read) -> String {
    let mut parts = Vec::new();
    if program.has(StageKind::Compute) {
        let points = [OUTPUT_POINT, SUM_POINT, COUNTER_POINT];
        parts.extend(points.map(|point| format!("ssbo {point}")));
    } else {
        parts.extend(["target 0".to_owned(), "target 1".to_owned()]);
    }
    parts.extend(read.cells().map(|point| format!("ssbo {point}")));
    if !program.captured.is_empty() {
        parts.push("capture 0".to_owned());
    }
    parts.into_iter().fold(String::new(), |text, part| text + "compare oracle " + &part + "\n")
}

/// The resources that a program reads.
#[derive(Default)]
struct Read {
    /// By their numbers.
    uniforms: BTreeSet<usize>,
    buffer: bool,
    textures: BTreeSet<Texture>,
    /// Numbers of the written buffers.
    written: BTreeSet<usize>,
    picture: bool,
}

impl Read {
    fn of(program: &Program) -> Self {
        let mut read = Self::default();
        for stage in &program.stages {
            walk::stage(stage, &mut |part| match part {
                Part::Place(Place { variable, .. }) if variable.kind == Kind::Uniform => {
                    read.uniforms.insert(variable.number);
                }
                Part::Place(Place { variable, .. }) if variable.kind == Kind::Output => {
                    read.written.insert(variable.number);
                }
                Part::Place(place) => read.buffer |= place.variable.kind == Kind::Input,
                Part::Expression(Expression { value: Value::Lookup(lookup, _), .. }) => {
                    read.textures.insert(lookup.texture());
                }
                Part::Expression(value) => read.picture |= matches!(value.value, Value::Painted),
                Part::Statement(statement) => {
                    read.picture |= matches!(statement, Statement::Paint(_));
                }
            });
        }
        read
    }

    /// Bindings of the cells that the program changes.
    fn cells(&self) -> impl Iterator<Item = u8> {
        let changed = CELL_POINTS.into_iter().filter(|(number, _)| self.written.contains(number));
        changed.map(|(_, point)| point)
    }
}
