//! Reads `DEPTH`, `STENCIL`, `BLEND` and `SUBGROUP`.

use ir::source::Span;

use super::script::Parser;
use super::text::at::At;
use super::text::problem::{Parsed, Problem};
use super::words::{BLEND_FACTORS, COMPARE_OPS, STENCIL_OPS};
use crate::syntax::pipeline::{Blend, BlendPart, Depth, DepthBias, Stencil, StencilFace};
use case::output::{BlendEquation, BlendFactor};

/// Blend operations, with Amber's misspellings.
const BLEND_OPS: [(&str, BlendEquation); 7] = [
    ("add", BlendEquation::Add),
    ("substract", BlendEquation::Subtract),
    ("subtract", BlendEquation::Subtract),
    ("reverse_substract", BlendEquation::ReverseSubtract),
    ("reverse_subtract", BlendEquation::ReverseSubtract),
    ("min", BlendEquation::Min),
    ("max", BlendEquation::Max),
];

/// Blend operations that only an extension of Vulkan has.
const ADVANCED_BLEND_OPS: [&str; 46] = [
    "zero",
    "src",
    "dst",
    "src_over",
    "dst_over",
    "src_in",
    "dst_in",
    "src_out",
    "dst_out",
    "src_atop",
    "dst_atop",
    "xor",
    "multiply",
    "screen",
    "overlay",
    "darken",
    "lighten",
    "color_dodge",
    "color_burn",
    "hard_light",
    "soft_light",
    "difference",
    "exclusion",
    "invert",
    "invert_rgb",
    "linear_dodge",
    "linear_burn",
    "vivid_light",
    "linear_light",
    "pin_light",
    "hard_mix",
    "hsl_hue",
    "hsl_saturation",
    "hsl_color",
    "hsl_luminosity",
    "plus",
    "plus_clamped",
    "plus_clamped_alpha",
    "plus_darker",
    "minus",
    "minus_clamped",
    "contrast",
    "invert_ovg",
    "red",
    "green",
    "blue",
];

const DEPTH_OPTIONS: [&str; 6] = ["TEST", "WRITE", "COMPARE_OP", "CLAMP", "BOUNDS", "BIAS"];

const STENCIL_OPTIONS: [&str; 8] = [
    "TEST",
    "FAIL_OP",
    "PASS_OP",
    "DEPTH_FAIL_OP",
    "COMPARE_OP",
    "COMPARE_MASK",
    "WRITE_MASK",
    "REFERENCE",
];

const BLEND_OPTIONS: [&str; 6] = [
    "SRC_COLOR_FACTOR",
    "DST_COLOR_FACTOR",
    "COLOR_OP",
    "SRC_ALPHA_FACTOR",
    "DST_ALPHA_FACTOR",
    "ALPHA_OP",
];

/// The faces that a `STENCIL` applies to.
#[derive(Clone, Copy, Debug)]
struct Faces {
    front: bool,
    back: bool,
}

const FACES: [(&str, Faces); 3] = [
    ("front", Faces { front: true, back: false }),
    ("back", Faces { front: false, back: true }),
    ("front_and_back", Faces { front: true, back: true }),
];

/// A change of the test of one face.
type FaceChange = Box<dyn Fn(&mut StencilFace)>;

impl<'a> Parser<'a> {
    /// Reads the lines of `DEPTH`.
    pub(super) fn read_depth(&mut self, start: Span, depth: &mut Depth) -> Parsed<()> {
        self.block(start, |parser, option| {
            let cursor = &mut parser.cursor;
            match option.value {
                "TEST" => depth.is_tested = cursor.switch()?,
                "WRITE" => depth.is_written = cursor.switch()?,
                "COMPARE_OP" => depth.compare = cursor.choice("comparison", &COMPARE_OPS)?,
                "CLAMP" => depth.is_clamped = cursor.switch()?,
                "BOUNDS" => {
                    cursor.expect("min")?;
                    let least = cursor.real("a depth")?;
                    cursor.expect("max")?;
                    depth.bounds = Some([least, cursor.real("a depth")?]);
                }
                "BIAS" => {
                    cursor.expect("constant")?;
                    let constant = cursor.real("a number")?;
                    cursor.expect("clamp")?;
                    let clamp = cursor.real("a number")?;
                    cursor.expect("slope")?;
                    let slope = cursor.real("a number")?;
                    depth.bias = Some(DepthBias { constant, clamp, slope });
                }
                _ => return Err(Problem::unknown("option", option, DEPTH_OPTIONS)),
            }
            Ok(())
        })
    }

    /// Reads the face and the lines of `STENCIL`.
    pub(super) fn read_stencil(&mut self, start: Span, stencil: &mut Stencil) -> Parsed<()> {
        let faces = self.cursor.choice("face", &FACES)?;
        let header = self.cursor.since(start);
        self.block(header, |parser, option| {
            if option.value == "TEST" {
                stencil.is_tested = parser.cursor.switch()?;
                return Ok(());
            }
            let set = parser.stencil_option(option)?;
            if faces.front {
                set(&mut stencil.front);
            }
            if faces.back {
                set(&mut stencil.back);
            }
            Ok(())
        })
    }

    /// Reads an option of a face, and returns the change that it makes.
    fn stencil_option(&mut self, option: At<&'a str>) -> Parsed<FaceChange> {
        let cursor = &mut self.cursor;
        Ok(match option.value {
            "FAIL_OP" => {
                let operation = cursor.choice("stencil operation", &STENCIL_OPS)?;
                Box::new(move |face| face.fail = operation)
            }
            "PASS_OP" => {
                let operation = cursor.choice("stencil operation", &STENCIL_OPS)?;
                Box::new(move |face| face.pass = operation)
            }
            "DEPTH_FAIL_OP" => {
                let operation = cursor.choice("stencil operation", &STENCIL_OPS)?;
                Box::new(move |face| face.depth_fail = operation)
            }
            "COMPARE_OP" => {
                let compare = cursor.choice("comparison", &COMPARE_OPS)?;
                Box::new(move |face| face.compare = compare)
            }
            "COMPARE_MASK" => {
                let mask = cursor.up_to(255, "a mask")?;
                Box::new(move |face| face.compare_mask = mask)
            }
            "WRITE_MASK" => {
                let mask = cursor.up_to(255, "a mask")?;
                Box::new(move |face| face.write_mask = mask)
            }
            "REFERENCE" => {
                let reference = cursor.up_to(255, "a reference")?;
                Box::new(move |face| face.reference = reference)
            }
            _ => return Err(Problem::unknown("option", option, STENCIL_OPTIONS)),
        })
    }

    /// Reads the lines of `BLEND`.
    pub(super) fn read_blend(&mut self, start: Span) -> Parsed<Blend> {
        let part = BlendPart {
            source: BlendFactor::One,
            destination: BlendFactor::Zero,
            operation: BlendEquation::Add,
        };
        let mut blend = Blend { color: part, alpha: part };
        self.block(start, |parser, option| {
            match option.value {
                "SRC_COLOR_FACTOR" => blend.color.source = parser.blend_factor()?,
                "DST_COLOR_FACTOR" => blend.color.destination = parser.blend_factor()?,
                "COLOR_OP" => blend.color.operation = parser.blend_operation()?,
                "SRC_ALPHA_FACTOR" => blend.alpha.source = parser.blend_factor()?,
                "DST_ALPHA_FACTOR" => blend.alpha.destination = parser.blend_factor()?,
                "ALPHA_OP" => blend.alpha.operation = parser.blend_operation()?,
                _ => return Err(Problem::unknown("option", option, BLEND_OPTIONS)),
            }
            Ok(())
        })?;
        Ok(blend)
    }

    fn blend_factor(&mut self) -> Parsed<BlendFactor> {
        self.cursor.choice("blend factor", &BLEND_FACTORS)
    }

    fn blend_operation(&mut self) -> Parsed<BlendEquation> {
        match self.cursor.peek_word() {
            Some(word) if ADVANCED_BLEND_OPS.contains(&word.value) => {
                Err(Problem::unsupported("advanced blend operations", word.span))
            }
            Some(_) | None => self.cursor.choice("blend operation", &BLEND_OPS),
        }
    }

    /// Reads the shader and the lines of `SUBGROUP`, which may only state the defaults.
    pub(super) fn read_subgroup(&mut self, start: Span) -> Parsed<()> {
        self.shader_name()?;
        let header = self.cursor.since(start);
        self.block(header, |parser, option| {
            let is_default = match option.value {
                "FULLY_POPULATED" | "VARYING_SIZE" => !parser.cursor.switch()?,
                "REQUIRED_SIZE" => {
                    parser.cursor.skip_line();
                    false
                }
                _ => {
                    let known = ["FULLY_POPULATED", "VARYING_SIZE", "REQUIRED_SIZE"];
                    return Err(Problem::unknown("option", option, known));
                }
            };
            if is_default {
                return Ok(());
            }
            Err(Problem::unsupported("control of subgroup sizes", option.span))
        })
    }
}
