//! The sections of a composed case that draw and check: `[vertex data]`, `[index data]`, `[render targets]`, `[test]`.

use std::fmt::Write as _;

use ir::diagnostic::Unsupported;
use ir::stage::ShaderStage;

use super::syntax::{Body, Case, Expect};
use super::templates::{Role, Templates, located};
use super::values::{Scalar, ScalarType, Value, ValueType, Values};

/// Maximum number of characters of the values in a comment.
const MAX_COMMENT: usize = 160;

/// Corners of the two triangles that cover the target, as rows of `[vertex data]`.
const CORNERS: [&str; 4] = ["-1 -1 0 1", "-1 1 0 1", "1 -1 0 1", "1 1 0 1"];

/// Corners in the order of the two triangles.
const INDICES: [usize; 6] = [0, 1, 2, 1, 3, 2];

/// Comparison of the drawn results.
#[derive(Clone, Copy, Debug)]
enum Outcome {
    /// All pixels of the colour are white.
    White,
    /// Each output is the colour of a target in this format.
    Colors(TargetFormat),
}

/// Format of the targets of a case with `output_color`.
#[derive(Clone, Copy, Debug)]
struct TargetFormat {
    /// Name in `[render targets]`.
    name: &'static str,
    /// Channels that are compared.
    channels: &'static str,
    /// The value of each channel that stands for 1.
    scales: [f64; 4],
    /// True for integers.
    is_integer: bool,
}

/// Formats by the type of `output_color`.
const FORMATS: [(&str, TargetFormat); 5] = [
    ("vec2", TargetFormat::floats("rg8unorm", "rg", [255.0; 4])),
    // The suite's format has 5, 6 and 5 bits. A float within half a step is the same value there.
    ("vec3", TargetFormat::floats("rgba32float", "rgb", [31.0, 63.0, 31.0, 1.0])),
    ("vec4", TargetFormat::floats("rgba8unorm", "rgba", [255.0; 4])),
    ("ivec2", TargetFormat::integers("rg8sint", "rg")),
    ("ivec4", TargetFormat::integers("rgba8sint", "rgba")),
];

impl TargetFormat {
    const fn floats(name: &'static str, channels: &'static str, scales: [f64; 4]) -> Self {
        Self { name, channels, scales, is_integer: false }
    }

    const fn integers(name: &'static str, channels: &'static str) -> Self {
        Self { name, channels, scales: [1.0; 4], is_integer: true }
    }
}

/// The sections of a case that must pass.
///
/// # Errors
/// The case has an output that no target can hold.
pub(super) fn drawn(case: &Case, templates: Templates) -> Result<String, Unsupported> {
    let result = result_of(case, templates)?;
    let mut text = vertex_data(case, templates);
    if let Outcome::Colors(format) = result {
        text += "[render targets]\n";
        for idx in 0..case.values.outputs.len() {
            let _ = writeln!(text, "{idx} {}", format.name);
        }
    }
    text += "[test]\n";
    text += match result {
        Outcome::White => "clear color 0.125 0.25 0.5 1\ntolerance 0 0 0 0\n".to_owned(),
        Outcome::Colors(format) => {
            let half = format.scales.map(|scale| if format.is_integer { 0.0 } else { 0.5 / scale });
            let [r, g, b, a] = half;
            format!("tolerance {r} {g} {b} {a}\n")
        }
    }
    .as_str();
    let topology = if has_tessellation(case) { "patches" } else { "triangles" };
    for draw in 0..case.values.draws() {
        text += &cleared(case, result);
        text += &uniforms(case, templates, draw);
        let _ =
            writeln!(text, "draw indexed {topology} {} {}", draw * INDICES.len(), INDICES.len());
        text += &probes(case, result, draw);
    }
    Ok(text)
}

/// The `[test]` section of a case that must not be drawn with.
pub(super) fn expected(expect: Expect) -> &'static str {
    match expect {
        Expect::CompileFail => "[test]\ncompile error\n",
        Expect::LinkFail | Expect::ValidationFail => "[test]\nlink error\n",
        Expect::CompileOrLinkFail => "[test]\ncompile or link error\n",
        Expect::BuildSuccessful | Expect::Pass => "[test]\nlink success\n",
    }
}

fn result_of(case: &Case, templates: Templates) -> Result<Outcome, Unsupported> {
    let Some(color) = &case.color else { return Ok(Outcome::White) };
    if templates == Templates::OpenGl {
        return Err(Unsupported("`output_color` with the templates of OpenGL".to_owned()));
    }
    let format = FORMATS.iter().find(|(ty, _)| *ty == color.value);
    let format = format.map(|(_, format)| *format);
    let format = format.ok_or_else(|| Unsupported(format!("`output_color {}`", color.value)))?;
    let wanted = if format.is_integer { ScalarType::Int } else { ScalarType::Float };
    let fits = |value: &Value| value.ty.scalar == wanted && !value.ty.is_matrix();
    match case.values.outputs.iter().find(|value| !fits(value)) {
        Some(value) => Err(Unsupported(format!(
            "an output of type {} with `output_color {}`",
            value.ty.name(),
            color.value
        ))),
        None if case.values.outputs.is_empty() => {
            Err(Unsupported("`output_color` without outputs".to_owned()))
        }
        None => Ok(Outcome::Colors(format)),
    }
}

/// True if the case draws patches.
fn has_tessellation(case: &Case) -> bool {
    let programs = match &case.body {
        Body::Both { .. } => return false,
        Body::Program(program) => std::slice::from_ref(program),
        Body::Pipeline(programs) => programs,
    };
    programs.iter().flat_map(|program| &program.stages).any(|shader| shader.stage.has_patches())
}

/// A column of `[vertex data]`: its header, and the value of a draw.
struct Column<'a> {
    header: String,
    value: &'a Value,
    /// Scalars of the value that the column has.
    range: std::ops::Range<usize>,
}

/// `[vertex data]` with four rows for each draw, and `[index data]`.
fn vertex_data(case: &Case, templates: Templates) -> String {
    let columns = columns(case, templates);
    let position = match templates {
        Templates::OpenGl => "dEQP_Position",
        Templates::Vulkan => "0",
    };
    let mut text = format!("[vertex data]\n{position}/float/vec4");
    for column in &columns {
        let _ = write!(text, " {}", column.header);
    }
    text.push('\n');
    let mut indices = String::from("[index data]\n");
    for draw in 0..case.values.draws() {
        let values: String = columns.iter().map(|column| column.cells(draw, templates)).collect();
        for corner in CORNERS {
            let _ = writeln!(text, "{corner}{values}");
        }
        for corner in INDICES {
            let _ = write!(indices, "{} ", draw * CORNERS.len() + corner);
        }
        indices.push('\n');
    }
    text + &indices
}

impl Column<'_> {
    /// The numbers of a draw, with a blank before each.
    fn cells(&self, draw: usize, templates: Templates) -> String {
        let scalars = &self.value.list[draw][self.range.clone()];
        let kind = self.value.ty.scalar;
        let text = |scalar: &Scalar| match templates {
            Templates::OpenGl => format!(" {:?}", scalar.as_float()),
            Templates::Vulkan => format!(" {}", scalar.text(kind)),
        };
        scalars.iter().map(text).collect()
    }
}

/// The columns of the inputs.
fn columns(case: &Case, templates: Templates) -> Vec<Column<'_>> {
    let is_fragment =
        matches!(case.body, Body::Both { shader, .. } if shader.stage == ShaderStage::Fragment);
    let mut columns = Vec::new();
    for (location, value) in located(&case.values.inputs, 1) {
        let rows = usize::from(value.ty.rows);
        let prefix = if is_fragment || !value.ty.is_float() { "a_" } else { "" };
        for column in 0..value.ty.columns {
            let header = match templates {
                Templates::OpenGl => {
                    let ty = value.ty.with(ScalarType::Float).name();
                    let of_matrix =
                        if value.ty.is_matrix() { format!("/{column}") } else { String::new() };
                    format!("{prefix}{}/float/{ty}{of_matrix}", value.name)
                }
                Templates::Vulkan => located_header(location + u32::from(column), value.ty),
            };
            let start = usize::from(column) * rows;
            columns.push(Column { header, value, range: start..start + rows });
        }
    }
    columns
}

/// The header of a column at a location; booleans are unsigned integers.
fn located_header(location: u32, ty: ValueType) -> String {
    let (storage, scalar) = match ty.scalar {
        ScalarType::Float => ("float", ScalarType::Float),
        ScalarType::Int => ("int", ScalarType::Int),
        ScalarType::Uint | ScalarType::Bool => ("uint", ScalarType::Uint),
    };
    let vector = ValueType { scalar, columns: 1, rows: ty.rows };
    format!("{location}/{storage}/{}", vector.name())
}

fn cleared(case: &Case, result: Outcome) -> String {
    match result {
        Outcome::White => "clear\n".to_owned(),
        Outcome::Colors(format) => {
            let color = if format.is_integer { "99 99 99 99" } else { "0.125 0.25 0.75 1" };
            let mut text = String::new();
            for idx in 0..case.values.outputs.len() {
                let _ = writeln!(text, "clearbuffer {idx} {color}");
            }
            text
        }
    }
}

/// The commands that set the expected values and the uniforms of a draw.
fn uniforms(case: &Case, templates: Templates, draw: usize) -> String {
    let mut text = String::new();
    // A case that writes its outputs has no uniforms for their expected values.
    let outputs = if case.color.is_some() { &[][..] } else { &case.values.outputs };
    let (reference, own) = match templates {
        Templates::OpenGl => ("ref_", ""),
        Templates::Vulkan => ("Reference.", "Uniforms."),
    };
    for value in outputs {
        text += &uniform(value, reference, draw);
    }
    for value in &case.values.uniforms {
        text += &uniform(value, own, draw);
    }
    text
}

fn uniform(value: &Value, prefix: &str, draw: usize) -> String {
    let scalar = match value.ty.scalar {
        ScalarType::Bool | ScalarType::Int => ScalarType::Int,
        ScalarType::Uint | ScalarType::Float => value.ty.scalar,
    };
    let numbers = value.list[draw].iter().map(|number| format!(" {}", number.text(scalar)));
    let numbers: String = numbers.collect();
    format!("uniform {} {prefix}{}{numbers}\n", value.ty.with(scalar).name(), value.name)
}

/// A comment about the draw, if there are several: its number, and its values.
fn comment(values: &Values, draw: usize) -> String {
    let count = values.draws();
    if count < 2 {
        return String::new();
    }
    let shown = |value: &Value| {
        let scalars = value.list[draw].iter().map(|scalar| scalar.text(value.ty.scalar));
        let scalars = scalars.collect::<Vec<_>>().join(" ");
        format!("{} = {scalars}", value.name)
    };
    let mut text: String = values.all().map(shown).collect::<Vec<_>>().join(", ");
    if text.len() > MAX_COMMENT {
        text = text.chars().take(MAX_COMMENT).collect::<String>() + "…";
    }
    format!(" # draw {} of {count}: {text}", draw + 1)
}

fn probes(case: &Case, result: Outcome, draw: usize) -> String {
    let comment = comment(&case.values, draw);
    let Outcome::Colors(format) = result else { return format!("probe all rgb 1 1 1{comment}\n") };
    let mut text = String::new();
    for (idx, value) in case.values.outputs.iter().enumerate() {
        let scalars = value.list[draw].iter().map(|scalar| scalar.as_float());
        // Channels beyond the output's components are 0, 0, 0, 1.
        let whole: Vec<f64> = scalars.collect();
        let kind = if format.is_integer { " int" } else { "" };
        let _ = write!(text, "probe target {idx} all {}{kind}", format.channels);
        for channel in 0..format.channels.len() {
            let missing = if channel == 3 { 1.0 } else { 0.0 };
            let number = whole.get(channel).copied().unwrap_or(missing);
            let _ = write!(text, " {}", number / format.scales[channel]);
        }
        text += &comment;
        text.push('\n');
    }
    text
}

/// The role of a shader of a case.
pub(super) const fn role(body: &Body, stage: ShaderStage) -> Role {
    match body {
        Body::Both { .. } => Role::Both(stage),
        Body::Program(_) | Body::Pipeline(_) => Role::Stage(stage),
    }
}
