//! Writes the lines of `[test]`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use case::bind::BindStep;
use case::output::OutputChange;
use case::state::{Capability, Raster, RasterChange, StateChange};
use case::{
    Action, BufferProbe, Case, Comparison, Draw, DrawShape, Expectation, Probe, ProgramExpectation,
    ReadExpectation, Region, Setting, Step, Tolerance,
};
use ir::interface::Type;
use ir::scalar::{self, Number};
use ir::source::Span;
use ir::stage::ShaderStage;
use ir::vulkan;

use super::{Written, shader, unsupported};

/// The lines written so far, and the state that they set.
pub(super) struct Steps<'a> {
    /// The lines.
    pub(super) text: String,
    case: &'a Case,
    /// Corners of the rectangles that are drawn with rows of `[vertex data]`.
    corners: Vec<[f32; 2]>,
    /// True if the fragment stage may read the depth of a pixel.
    reads_depth: bool,
    /// Bindings of the script's storage buffers.
    bindings: BTreeMap<u32, u32>,
    /// Bytes of uniform blocks, by binding.
    blocks: BTreeMap<u32, Vec<u8>>,
    /// The point of the last `block binding` line.
    block: Option<u32>,
    clear: Option<[f64; 4]>,
    tolerance: Option<[f64; 4]>,
}

impl<'a> Steps<'a> {
    /// Writes the steps of `case`.
    pub(super) fn of(case: &'a Case) -> Written<Self> {
        let reads_depth = case.shaders.iter().any(|shader| {
            shader.stage == ShaderStage::Fragment
                && shader::text_of(case, shader).contains("FragCoord")
        });
        let mut steps = Self {
            text: String::new(),
            case,
            corners: Vec::new(),
            reads_depth,
            bindings: bindings(case)?,
            blocks: BTreeMap::new(),
            block: None,
            clear: None,
            tolerance: None,
        };
        for step in &case.steps {
            match &step.value {
                Step::Set(setting) => steps.setting(setting, step.span)?,
                Step::Run(action) => steps.action(action, step.span)?,
                Step::Expect(expectation) => steps.expectation(expectation, step.span)?,
            }
        }
        Ok(steps)
    }

    /// The `[vertex data]` section with the corners. In Vulkan a rectangle is at depth 0, which is −1 in OpenGL's clip
    /// space.
    pub(super) fn vertex_data(&self) -> String {
        if self.corners.is_empty() {
            return String::new();
        }
        let mut text = "[vertex data]\npiglit_vertex/float/vec4\n".to_owned();
        for [x, y] in &self.corners {
            let _ = writeln!(text, "{x:?} {y:?} -1 1");
        }
        text + "\n"
    }

    fn line(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    fn setting(&mut self, setting: &Setting, span: Span) -> Written<()> {
        match setting {
            Setting::ClearColor(color) => {
                if self.clear != Some(*color) {
                    self.clear = Some(*color);
                    let [r, g, b, a] = color;
                    self.line(&format!("clear color {r} {g} {b} {a}"));
                }
                Ok(())
            }
            Setting::Ssbo { binding, size } => {
                let binding = self.binding(*binding, span)?;
                self.line(&format!("ssbo {binding} {size}"));
                Ok(())
            }
            Setting::Bind(BindStep::Uniform { point, content }) => {
                let binding = binding_of(*point, span)?;
                // A block that no shader declares is not part of the program.
                if self.case.shaders.iter().any(|it| shader::has_binding(self.case, it, binding)) {
                    self.uniform(binding, content);
                }
                Ok(())
            }
            Setting::Bind(BindStep::Content { buffer, offset, content }) => {
                let binding = self.binding(*buffer, span)?;
                for (from, name, values) in runs(content, &vec![0; content.len()]) {
                    let offset = u64::from(*offset) + from as u64;
                    self.line(&format!("ssbo {binding} subdata {name} {offset} {values}"));
                }
                Ok(())
            }
            // `bindings` already contains these.
            Setting::Bind(BindStep::Storage { .. }) => Ok(()),
            Setting::Bind(_) => Err(unsupported(span, "textures, and vertices of buffers")),
            Setting::State(change) if is_at_first(change) => Ok(()),
            Setting::State(_) => Err(unsupported(span, "tests, blending and masks")),
            Setting::Uniform(_)
            | Setting::SsboData { .. }
            | Setting::Texture(_)
            | Setting::TextureParameter(_)
            | Setting::ImageTexture { .. }
            | Setting::FramebufferTextures(_)
            | Setting::FramebufferLayers(_)
            | Setting::Use(_)
            | Setting::Tolerance(_) => Err(unsupported(span, "images that are textures")),
        }
    }

    /// Writes the words of a block that differ from its current ones; blocks are zero initially.
    fn uniform(&mut self, binding: u32, content: &[u8]) {
        let block = self.blocks.entry(binding).or_default();
        block.resize(block.len().max(content.len()), 0);
        let before = block.clone();
        block[..content.len()].copy_from_slice(content);
        for (offset, name, values) in runs(content, &before) {
            if self.block != Some(binding) {
                self.block = Some(binding);
                self.line(&format!("block binding {binding}"));
            }
            self.line(&format!("block offset {offset}"));
            self.line(&format!("uniform {name} word {values}"));
        }
    }

    fn action(&mut self, action: &Action, span: Span) -> Written<()> {
        match action {
            Action::Clear => self.line("clear"),
            Action::Compute([x, y, z]) => self.line(&format!("compute {x} {y} {z}")),
            Action::Draw(draw) => return self.draw(draw, span),
            Action::ClearBuffer { .. } | Action::Xfb(_) => {
                return Err(unsupported(span, "such a command"));
            }
        }
        Ok(())
    }

    fn draw(&mut self, draw: &Draw, span: Span) -> Written<()> {
        let DrawShape::Rect([x, y, width, height]) = draw.shape else {
            return Err(unsupported(span, "draws other than DRAW_RECT"));
        };
        if *draw != Draw::once(draw.shape.clone()) {
            return Err(unsupported(span, "patches and instances"));
        }
        if !self.reads_depth {
            self.line(&format!("draw rect {x} {y} {width} {height}"));
            return Ok(());
        }
        let first = self.corners.len();
        let (right, top) = (x + width, y + height);
        self.corners.extend([[x, y], [right, y], [x, top], [right, top]]);
        self.line(&format!("draw arrays triangle_strip {first} 4"));
        Ok(())
    }

    fn expectation(&mut self, expectation: &Expectation, span: Span) -> Written<()> {
        match expectation {
            Expectation::Program(ProgramExpectation::LinkSuccess) => {
                self.line("link success");
                Ok(())
            }
            Expectation::Read(ReadExpectation::Probe(probe)) => self.probe(probe, span),
            Expectation::Read(ReadExpectation::Buffer(probe)) => self.buffer_probe(probe, span),
            Expectation::Read(ReadExpectation::Kept(_) | ReadExpectation::Alike(_)) => {
                Err(unsupported(span, "comparisons of two buffers"))
            }
            // An expectation that AmberScript cannot express is rejected, so none is lost.
            Expectation::Program(_) | Expectation::Read(_) => {
                Err(unsupported(span, "such an expectation"))
            }
        }
    }

    fn probe(&mut self, probe: &Probe, span: Span) -> Written<()> {
        let within = self.tolerance(probe, span)?;
        let target =
            if probe.target == 0 { String::new() } else { format!("target {} ", probe.target) };
        let channels = if probe.channels == 4 { "rgba" } else { "rgb" };
        let values = numbers(&probe.expected) + &within;
        let [width, height] = self.case.size;
        let list = |numbers: &[f64]| {
            let shown: Vec<_> = numbers.iter().map(f64::to_string).collect();
            format!("({})", shown.join(", "))
        };
        let line = match probe.region {
            Region::Rect(rect) if rect == [0, 0, width, height] => {
                format!("probe {target}all {channels} {values}")
            }
            Region::All => format!("probe {target}all {channels} {values}"),
            Region::Rect(rect) => {
                let rect = list(&rect.map(f64::from));
                format!("probe {target}rect {channels} {rect} {values}")
            }
            Region::Pixel([x, y]) => format!("probe {target}{channels} {x} {y} {values}"),
            Region::RelativePixel(at) => {
                format!("relative probe {target}{channels} {} {values}", list(&at))
            }
            Region::RelativeRect(rect) => {
                format!("relative probe {target}rect {channels} {} {values}", list(&rect))
            }
        };
        self.line(&line);
        Ok(())
    }

    /// The words of a probe for its tolerance: whole steps if the target has them, because other tolerances of a case
    /// are rounded up to steps. Otherwise a `tolerance` line before the probe sets it.
    fn tolerance(&mut self, probe: &Probe, span: Span) -> Written<String> {
        let Some(Tolerance::Absolute(limits)) = probe.tolerance else {
            return Err(unsupported(span, "such a tolerance"));
        };
        let target = self.case.render_targets.iter().find(|target| target.index == probe.target);
        if target.is_some_and(|target| target.format.is_at_most_8_bit_unorm()) {
            let [limit, ..] = limits;
            if limits.iter().any(|other| other.total_cmp(&limit).is_ne()) {
                return Err(unsupported(span, "tolerances that differ between channels"));
            }
            return Ok(format!(" ulp {}", (limit * 255.0).floor()));
        }
        if self.tolerance != Some(limits) {
            self.tolerance = Some(limits);
            let [r, g, b, a] = limits;
            self.line(&format!("tolerance {r} {g} {b} {a}"));
        }
        Ok(String::new())
    }

    fn buffer_probe(&mut self, probe: &BufferProbe, span: Span) -> Written<()> {
        let BufferProbe { binding, offset, ty, comparison, expected } = probe;
        let binding = self.binding(*binding, span)?;
        if *comparison == Comparison::Near {
            return Err(unsupported(span, "a tolerance of buffers"));
        }
        let operator = comparison.operator();
        // Writes a line for each value: in files written for piglit, only the first value of a line counts.
        let Type::Scalar(scalar) = ty else { return Err(unsupported(span, "values of vectors")) };
        for (idx, value) in expected.iter().enumerate() {
            let offset = *offset as usize + idx * scalar::byte_size(*scalar);
            let value = numbers(std::slice::from_ref(value));
            self.line(&format!("probe ssbo {ty} {binding} {offset} {operator} {value}"));
        }
        Ok(())
    }

    /// Binding of the script's buffer with this number.
    fn binding(&self, buffer: u32, span: Span) -> Written<u32> {
        let binding = self.bindings.get(&buffer).copied();
        binding.ok_or_else(|| unsupported(span, "a buffer that no shader has"))
    }
}

/// True for GL's initial state, and for state that affects only points and patches, which are rejected.
fn is_at_first(change: &StateChange) -> bool {
    match change {
        StateChange::Switch { capability, is_enabled } => {
            !is_enabled || *capability == Capability::ProgramPointSize
        }
        StateChange::Output(OutputChange::Blend { is_enabled, .. }) => !is_enabled,
        StateChange::Output(OutputChange::ColorMask { channels, .. }) => *channels == [true; 4],
        // No fragment stage reads its face.
        StateChange::Raster(RasterChange::Primitives(raster)) => {
            Raster { is_front_reversed: false, ..*raster } == Raster::default()
        }
        StateChange::Raster(RasterChange::Viewport(viewport)) => viewport.is_none(),
        // The only vertex stage has no varyings.
        StateChange::Patch(_) | StateChange::ProvokingVertex(_) => true,
        StateChange::Output(_)
        | StateChange::Raster(_)
        | StateChange::ShadeModel(_)
        | StateChange::ClampColor { .. }
        | StateChange::Color(_)
        | StateChange::TexCoord { .. }
        | StateChange::Block(_)
        | StateChange::Subroutine(_)
        | StateChange::ActiveStage(_)
        | StateChange::WithoutEffect => false,
    }
}

/// The binding of each storage buffer of the script; no two may share one, and none may have two.
fn bindings(case: &Case) -> Written<BTreeMap<u32, u32>> {
    let mut found: BTreeMap<u32, u32> = BTreeMap::new();
    for setting in case.settings() {
        let Setting::Bind(BindStep::Storage { point, buffer }) = setting.value else { continue };
        let binding = binding_of(*point, setting.span)?;
        let is_taken = found.iter().any(|(other, taken)| *taken == binding && other != buffer);
        if is_taken || found.insert(*buffer, binding).is_some_and(|before| before != binding) {
            return Err(unsupported(setting.span, "storage buffers that change their binding"));
        }
    }
    Ok(found)
}

/// The binding of a point in set 0.
fn binding_of(point: u32, span: Span) -> Written<u32> {
    if point > vulkan::MAX_BINDING {
        return Err(unsupported(span, "push constants, and sets other than 0"));
    }
    Ok(point)
}

/// Runs of up to four consecutive words of one type that differ from `before`: offset, type and values.
fn runs(content: &[u8], before: &[u8]) -> Vec<(usize, String, String)> {
    let mut found: Vec<(usize, &'static str, Vec<String>)> = Vec::new();
    let words = |bytes: &[u8]| -> Vec<u32> {
        let words = bytes.chunks_exact(4);
        words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    };
    for (idx, (word, old)) in words(content).into_iter().zip(words(before)).enumerate() {
        if word == old {
            continue;
        }
        let (name, value) = typed(word);
        match found.last_mut() {
            Some((at, last, values))
                if *last == name && values.len() < 4 && *at + 4 * values.len() == 4 * idx =>
            {
                values.push(value);
            }
            Some(_) | None => found.push((4 * idx, name, vec![value])),
        }
    }
    let shown = |(at, name, values): (usize, &str, Vec<String>)| {
        let name = match (name, values.len()) {
            (_, 1) => name.to_owned(),
            ("float", count) => format!("vec{count}"),
            (_, count) => format!("{}vec{count}", &name[..1]),
        };
        (at, name, values.join(" "))
    };
    found.into_iter().map(shown).collect()
}

/// A word as a number of its most likely type.
fn typed(word: u32) -> (&'static str, String) {
    let (integer, float) = (word.cast_signed(), f32::from_bits(word));
    if integer.unsigned_abs() < 1 << 22 {
        ("int", integer.to_string())
    } else if float.is_normal() && (1e-12..1e15).contains(&float.abs()) {
        ("float", format!("{float:?}"))
    } else {
        ("uint", format!("0x{word:08x}"))
    }
}

fn numbers(numbers: &[Number]) -> String {
    let shown = numbers.iter().map(|number| match number {
        Number::Integer(value) => value.to_string(),
        Number::Real(value) if value.is_nan() => "nan".to_owned(),
        Number::Real(value) => value.to_string(),
        Number::Bits(bits) => format!("0x{bits:x}"),
    });
    shown.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_follow_one_another_are_vectors_of_their_type() {
        let words = [1_u32, 2, 0, 0x3f80_0000, 0xc000_0000, 0xffff_fff0, 0x7fc0_0000, 5];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let shown: Vec<_> = runs(&bytes, &[0; 32])
            .into_iter()
            .map(|(at, name, values)| format!("{at} {name} {values}"))
            .collect();
        let expected =
            ["0 ivec2 1 2", "12 vec2 1.0 -2.0", "20 int -16", "24 uint 0x7fc00000", "28 int 5"];
        assert_eq!(shown, expected);
        assert_eq!(runs(&bytes, &bytes), []);
    }
}
