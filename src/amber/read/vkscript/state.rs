//! Reads the words that set the state of later draws, such as `depthTestEnable true`, and `… entrypoint NAME`.

use std::fmt::Write as _;

use ir::source::Spanned;
use ir::tessellation::MAX_PATCH_VERTICES;

use super::words::{BLEND_OPS, LOGIC_OPS, vulkan_word};
use super::{Form, Reader};
use crate::read::text::at::At;
use crate::read::text::problem::{Parsed, Problem};
use crate::read::words::{BLEND_FACTORS, COMPARE_OPS, POLYGON_MODES, STENCIL_OPS, TOPOLOGIES};
use crate::syntax::pipeline::{
    Blend, BlendPart, CullMode, DepthBias, FixedState, LogicOp, PipelineKind,
};
use crate::syntax::{ShaderKind, ShaderLanguage};
use case::depth_stencil::{CompareFunction, StencilOperation};
use case::output::{BlendEquation, BlendFactor};

/// Vertices of the patch that `draw rect patch` draws.
const RECTANGLE_VERTICES: u32 = 4;

/// The state of the next draw or dispatch. State with a switch is kept while the switch is off.
#[derive(Clone, Debug)]
pub(super) struct State {
    fixed: FixedState,
    bias: Switched<DepthBias>,
    bounds: Switched<[f64; 2]>,
    logic_op: Switched<LogicOp>,
    blend: Switched<Blend>,
    patch_vertices: u32,
    entries: Vec<(ShaderKind, Spanned<String>)>,
}

/// State with a switch.
#[derive(Clone, Copy, Debug)]
struct Switched<T> {
    is_on: bool,
    value: T,
}

impl<T: Copy> Switched<T> {
    const fn off(value: T) -> Self {
        Self { is_on: false, value }
    }

    fn used(&self) -> Option<T> {
        self.is_on.then_some(self.value)
    }
}

impl Default for State {
    fn default() -> Self {
        let part = BlendPart {
            source: BlendFactor::One,
            destination: BlendFactor::Zero,
            operation: BlendEquation::Add,
        };
        Self {
            fixed: FixedState::default(),
            bias: Switched::off(DepthBias::default()),
            bounds: Switched::off([0.0; 2]),
            logic_op: Switched::off(LogicOp::Clear),
            blend: Switched::off(Blend { color: part, alpha: part }),
            patch_vertices: 3,
            entries: Vec::new(),
        }
    }
}

impl State {
    /// The state of rasterisation, tests and blending. Without a depth/stencil image, both tests are off.
    pub(super) fn fixed(&self, has_depth_stencil: bool) -> FixedState {
        let mut fixed = self.fixed.clone();
        fixed.depth.bias = self.bias.used();
        fixed.depth.bounds = self.bounds.used();
        fixed.logic_op = self.logic_op.used();
        fixed.blend = self.blend.used();
        if !has_depth_stencil {
            fixed.depth.is_tested = false;
            fixed.depth.bounds = None;
            fixed.stencil.is_tested = false;
        }
        fixed
    }

    /// Text that distinguishes the pipelines of a script.
    pub(super) fn key(&self, form: Form) -> String {
        let Form { kind, is_patch, first_vertex } = form;
        let mut key = format!("{kind:?} {first_vertex}");
        for (stage, entry) in &self.entries {
            let is_used = (*stage == ShaderKind::Compute) == (kind == PipelineKind::Compute);
            if is_used {
                let _ = write!(key, " {stage:?} {}", entry.value);
            }
        }
        if kind == PipelineKind::Graphics {
            let vertices = self.patch_control_points(is_patch);
            let _ = write!(key, " {vertices} {:?}", self.fixed(true));
        }
        key
    }

    /// Number of vertices of a patch.
    pub(super) const fn patch_control_points(&self, is_patch: bool) -> u32 {
        if is_patch { RECTANGLE_VERTICES } else { self.patch_vertices }
    }

    /// The entry point of a stage, if one was named.
    pub(super) fn entry(&self, stage: ShaderKind) -> Option<Spanned<String>> {
        let found = self.entries.iter().find(|(known, _)| *known == stage);
        found.map(|(_, entry)| entry.clone())
    }
}

/// Selects part of the state.
type Part<T> = fn(&mut State) -> &mut T;

const SWITCHES: [(&str, Part<bool>); 10] = [
    ("primitiveRestartEnable", |state| &mut state.fixed.restarts_primitives),
    ("depthClampEnable", |state| &mut state.fixed.depth.is_clamped),
    ("rasterizerDiscardEnable", |state| &mut state.fixed.discards_everything),
    ("depthBiasEnable", |state| &mut state.bias.is_on),
    ("logicOpEnable", |state| &mut state.logic_op.is_on),
    ("blendEnable", |state| &mut state.blend.is_on),
    ("depthTestEnable", |state| &mut state.fixed.depth.is_tested),
    ("depthWriteEnable", |state| &mut state.fixed.depth.is_written),
    ("depthBoundsTestEnable", |state| &mut state.bounds.is_on),
    ("stencilTestEnable", |state| &mut state.fixed.stencil.is_tested),
];

const REALS: [(&str, Part<f64>); 6] = [
    ("depthBiasConstantFactor", |state| &mut state.bias.value.constant),
    ("depthBiasClamp", |state| &mut state.bias.value.clamp),
    ("depthBiasSlopeFactor", |state| &mut state.bias.value.slope),
    ("lineWidth", |state| &mut state.fixed.line_width),
    ("minDepthBounds", |state| &mut state.bounds.value[0]),
    ("maxDepthBounds", |state| &mut state.bounds.value[1]),
];

const FACTORS: [(&str, Part<BlendFactor>); 4] = [
    ("srcColorBlendFactor", |state| &mut state.blend.value.color.source),
    ("dstColorBlendFactor", |state| &mut state.blend.value.color.destination),
    ("srcAlphaBlendFactor", |state| &mut state.blend.value.alpha.source),
    ("dstAlphaBlendFactor", |state| &mut state.blend.value.alpha.destination),
];

const EQUATIONS: [(&str, Part<BlendEquation>); 2] = [
    ("colorBlendOp", |state| &mut state.blend.value.color.operation),
    ("alphaBlendOp", |state| &mut state.blend.value.alpha.operation),
];

const COMPARISONS: [(&str, Part<CompareFunction>); 3] = [
    ("depthCompareOp", |state| &mut state.fixed.depth.compare),
    ("front.compareOp", |state| &mut state.fixed.stencil.front.compare),
    ("back.compareOp", |state| &mut state.fixed.stencil.back.compare),
];

const OPERATIONS: [(&str, Part<StencilOperation>); 6] = [
    ("front.failOp", |state| &mut state.fixed.stencil.front.fail),
    ("front.passOp", |state| &mut state.fixed.stencil.front.pass),
    ("front.depthFailOp", |state| &mut state.fixed.stencil.front.depth_fail),
    ("back.failOp", |state| &mut state.fixed.stencil.back.fail),
    ("back.passOp", |state| &mut state.fixed.stencil.back.pass),
    ("back.depthFailOp", |state| &mut state.fixed.stencil.back.depth_fail),
];

const NUMBERS: [(&str, Part<u32>); 6] = [
    ("front.compareMask", |state| &mut state.fixed.stencil.front.compare_mask),
    ("front.writeMask", |state| &mut state.fixed.stencil.front.write_mask),
    ("front.reference", |state| &mut state.fixed.stencil.front.reference),
    ("back.compareMask", |state| &mut state.fixed.stencil.back.compare_mask),
    ("back.writeMask", |state| &mut state.fixed.stencil.back.write_mask),
    ("back.reference", |state| &mut state.fixed.stencil.back.reference),
];

/// The other words of this module.
const OTHERS: [&str; 7] = [
    "topology",
    "polygonMode",
    "logicOp",
    "frontFace",
    "cullMode",
    "colorWriteMask",
    "patchControlPoints",
];

const FACES: [(&str, bool); 2] = [("counter_clockwise", false), ("clockwise", true)];

/// For each mode, whether front and back faces are culled.
const CULLED: [(&str, [bool; 2]); 4] = [
    ("none", [false, false]),
    ("front_bit", [true, false]),
    ("back_bit", [false, true]),
    ("front_and_back", [true, true]),
];

const CHANNELS: [(&str, usize); 4] = [("r_bit", 0), ("g_bit", 1), ("b_bit", 2), ("a_bit", 3)];

/// The words that set state.
pub(super) fn known_words() -> impl Iterator<Item = &'static str> {
    fn names<T>(table: &'static [(&'static str, T)]) -> impl Iterator<Item = &'static str> {
        table.iter().map(|(name, _)| *name)
    }
    names(&SWITCHES)
        .chain(names(&REALS))
        .chain(names(&FACTORS))
        .chain(names(&EQUATIONS))
        .chain(names(&COMPARISONS))
        .chain(names(&OPERATIONS))
        .chain(names(&NUMBERS))
        .chain(OTHERS)
}

fn part<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == name).map(|(_, part)| *part)
}

impl Reader<'_> {
    /// Reads the rest of a line if `name` sets state, and returns true if it does.
    pub(super) fn read_state(&mut self, name: &str) -> Parsed<bool> {
        if let Some(part) = part(&SWITCHES, name) {
            *part(&mut self.state) = self.boolean()?;
        } else if let Some(part) = part(&REALS, name) {
            *part(&mut self.state) = self.cursor.real("a number")?;
        } else if let Some(part) = part(&FACTORS, name) {
            let factor = self.vulkan("blend factor", "VK_BLEND_FACTOR_", &BLEND_FACTORS)?;
            *part(&mut self.state) = factor;
        } else if let Some(part) = part(&EQUATIONS, name) {
            *part(&mut self.state) = self.blend_operation()?;
        } else if let Some(part) = part(&COMPARISONS, name) {
            let comparison = self.vulkan("comparison", "VK_COMPARE_OP_", &COMPARE_OPS)?;
            *part(&mut self.state) = comparison;
        } else if let Some(part) = part(&OPERATIONS, name) {
            let operation = self.vulkan("stencil operation", "VK_STENCIL_OP_", &STENCIL_OPS)?;
            *part(&mut self.state) = operation;
        } else if let Some(part) = part(&NUMBERS, name) {
            *part(&mut self.state) = self.cursor.unsigned("a mask or a reference")?.value;
        } else {
            return self.read_other_state(name);
        }
        Ok(true)
    }

    fn read_other_state(&mut self, name: &str) -> Parsed<bool> {
        match name {
            // Every draw specifies its own topology.
            "topology" => {
                self.vulkan("topology", "VK_PRIMITIVE_TOPOLOGY_", &TOPOLOGIES)?;
            }
            "polygonMode" => {
                let mode = self.vulkan("polygon mode", "VK_POLYGON_MODE_", &POLYGON_MODES)?;
                self.state.fixed.polygon_mode = mode;
            }
            "logicOp" => {
                let operation = self.vulkan("logical operation", "VK_LOGIC_OP_", &LOGIC_OPS)?;
                self.state.logic_op.value = operation;
            }
            "frontFace" => {
                let is_clockwise = self.vulkan("front face", "VK_FRONT_FACE_", &FACES)?;
                self.state.fixed.is_front_clockwise = is_clockwise;
            }
            "cullMode" => {
                let words = self.flags("cull mode", "VK_CULL_MODE_", &CULLED)?;
                let is_culled = |face: usize| words.iter().any(|faces| faces[face]);
                self.state.fixed.cull = match (is_culled(0), is_culled(1)) {
                    (false, false) => CullMode::None,
                    (true, false) => CullMode::Front,
                    (false, true) => CullMode::Back,
                    (true, true) => CullMode::FrontAndBack,
                };
            }
            "colorWriteMask" => {
                let channels = self.flags("channel", "VK_COLOR_COMPONENT_", &CHANNELS)?;
                self.state.fixed.color_write_mask =
                    [0, 1, 2, 3].map(|channel| channels.contains(&channel));
            }
            "patchControlPoints" => self.state.patch_vertices = self.patch_vertices()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Reads `parameter vertices COUNT`.
    pub(super) fn read_patch_parameter(&mut self) -> Parsed<()> {
        self.cursor.expect("parameter")?;
        self.cursor.expect("vertices")?;
        self.state.patch_vertices = self.patch_vertices()?;
        Ok(())
    }

    fn patch_vertices(&mut self) -> Parsed<u32> {
        let span = self.cursor.peek().span;
        let vertices = self.cursor.positive("the number of vertices")?;
        if vertices > MAX_PATCH_VERTICES {
            let message = format!("a patch has at most {MAX_PATCH_VERTICES} vertices");
            return Err(Problem::error(span, message));
        }
        Ok(vertices)
    }

    /// Reads `entrypoint NAME`.
    pub(super) fn read_entry_point(&mut self, stage: At<ShaderKind>) -> Parsed<()> {
        self.cursor.expect("entrypoint")?;
        let name = self.cursor.name("the name of an entry point")?;
        let Some(shader) = self.script.shaders.iter().find(|shader| shader.stage == stage.value)
        else {
            return Err(Problem::error(stage.span, "there is no shader of this stage"));
        };
        match shader.language {
            ShaderLanguage::SpirvAssembly
            | ShaderLanguage::SpirvHex
            | ShaderLanguage::SpirvBinary
            | ShaderLanguage::Wgsl => {}
            ShaderLanguage::Glsl | ShaderLanguage::Passthrough if name.value == "main" => {}
            ShaderLanguage::Glsl | ShaderLanguage::Passthrough => {
                let message = "the only entry point of this shader is `main`";
                return Err(Problem::error(name.span, message));
            }
        }
        self.state.entries.retain(|(known, _)| *known != stage.value);
        let entry = Spanned::new(name.value.to_owned(), name.span);
        self.state.entries.push((stage.value, entry));
        self.state.entries.sort_by_key(|(stage, _)| format!("{stage:?}"));
        Ok(())
    }

    fn boolean(&mut self) -> Parsed<bool> {
        let word = self.cursor.word("`true` or `false`")?;
        let values = [("true", true), ("false", false)];
        let found = values.iter().find(|(known, _)| known.eq_ignore_ascii_case(word.value));
        let known = values.iter().map(|(known, _)| *known);
        found.map(|(_, value)| *value).ok_or_else(|| Problem::unknown("switch", word, known))
    }

    fn vulkan<T: Copy>(&mut self, what: &str, start: &str, table: &[(&str, T)]) -> Parsed<T> {
        let word = self.cursor.word(&format!("a {what}"))?;
        vulkan_word(what, start, table, word)
    }

    /// Consumes words up to the end of the line, with or without `|` between them.
    fn flags<T: Copy>(&mut self, what: &str, start: &str, table: &[(&str, T)]) -> Parsed<Vec<T>> {
        let mut found = Vec::new();
        while !self.cursor.is_line_end() {
            let words = self.cursor.word(&format!("a {what}"))?;
            for word in parts(words) {
                found.push(vulkan_word(what, start, table, word)?);
            }
        }
        if found.is_empty() {
            return Err(self.cursor.unexpected(&format!("a {what}")));
        }
        Ok(found)
    }

    fn blend_operation(&mut self) -> Parsed<BlendEquation> {
        let word = self.cursor.word("a blend operation")?;
        if word.value.starts_with("VK_BLEND_OP_") && word.value.ends_with("_EXT") {
            return Err(Problem::unsupported("advanced blend operations", word.span));
        }
        vulkan_word("blend operation", "VK_BLEND_OP_", &BLEND_OPS, word)
    }
}

/// The words between `|`.
fn parts(words: At<&str>) -> impl Iterator<Item = At<&str>> {
    let mut start = words.span.start;
    words.value.split('|').filter_map(move |word| {
        let span = ir::source::Span::new(start, start + word.len());
        start = span.end + 1;
        (!word.is_empty()).then_some(At::new(word, span))
    })
}
