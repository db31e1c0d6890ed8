//! `drawbuffers`, `clearbuffer`, `enable GL_BLEND`, `blendfunc`, `blendequation`, `blendcolor` and `colormask`.

use crate::limits::MAX_TARGET_INDEX;
use crate::read::line::{Words, wrong};
use crate::read::problem::{Parsed, Problem};
use crate::state::StateChange;
use crate::state::output::{BlendEquation, BlendFactor, OutputChange};
use crate::{Action, Setting};
use ir::options::DRAW_BUFFERS;

use super::state::CHANNELS;

/// Capability of `enable` and `disable` that [`read_blend`] handles.
pub(super) const BLEND: &str = "GL_BLEND";

const FACTORS: [(&str, BlendFactor); 17] = [
    ("GL_ZERO", BlendFactor::Zero),
    ("GL_ONE", BlendFactor::One),
    ("GL_SRC_COLOR", BlendFactor::SrcColor),
    ("GL_ONE_MINUS_SRC_COLOR", BlendFactor::OneMinusSrcColor),
    ("GL_DST_COLOR", BlendFactor::DstColor),
    ("GL_ONE_MINUS_DST_COLOR", BlendFactor::OneMinusDstColor),
    ("GL_SRC_ALPHA", BlendFactor::SrcAlpha),
    ("GL_ONE_MINUS_SRC_ALPHA", BlendFactor::OneMinusSrcAlpha),
    ("GL_DST_ALPHA", BlendFactor::DstAlpha),
    ("GL_ONE_MINUS_DST_ALPHA", BlendFactor::OneMinusDstAlpha),
    ("GL_SRC_ALPHA_SATURATE", BlendFactor::SrcAlphaSaturate),
    ("GL_CONSTANT_COLOR", BlendFactor::ConstantColor),
    ("GL_ONE_MINUS_CONSTANT_COLOR", BlendFactor::OneMinusConstantColor),
    ("GL_SRC1_COLOR", BlendFactor::Src1Color),
    ("GL_ONE_MINUS_SRC1_COLOR", BlendFactor::OneMinusSrc1Color),
    ("GL_SRC1_ALPHA", BlendFactor::Src1Alpha),
    ("GL_ONE_MINUS_SRC1_ALPHA", BlendFactor::OneMinusSrc1Alpha),
];

/// GL blend factors that WebGPU lacks, because its blend constant is one colour.
const BEYOND_WEBGPU: [&str; 2] = ["GL_CONSTANT_ALPHA", "GL_ONE_MINUS_CONSTANT_ALPHA"];

const EQUATIONS: [(&str, BlendEquation); 5] = [
    ("GL_FUNC_ADD", BlendEquation::Add),
    ("GL_FUNC_SUBTRACT", BlendEquation::Subtract),
    ("GL_FUNC_REVERSE_SUBTRACT", BlendEquation::ReverseSubtract),
    ("GL_MIN", BlendEquation::Min),
    ("GL_MAX", BlendEquation::Max),
];

/// Reads `drawbuffers TARGET|none…`.
pub(super) fn read_draw_buffers(words: &mut Words<'_>) -> Parsed<Setting> {
    let mut map: Vec<Option<u32>> = Vec::new();
    loop {
        let word = words.peek();
        let target = if words.take("none") {
            None
        } else {
            Some(words.integer("a render target or `none`", 0..=MAX_TARGET_INDEX)?)
        };
        if let Some(word) = word {
            if target.is_some() && map.contains(&target) {
                let message =
                    format!("render target {} is assigned to two draw buffers", word.text);
                return Err(wrong(word, message));
            }
            if map.len() == DRAW_BUFFERS {
                return Err(wrong(word, format!("there are only {DRAW_BUFFERS} draw buffers")));
            }
        }
        map.push(target);
        if !words.has_more() {
            return Ok(output(OutputChange::DrawBuffers(map)));
        }
    }
}

/// Reads `clearbuffer N r g b a`.
pub(super) fn read_clear_buffer(words: &mut Words<'_>) -> Parsed<Action> {
    let buffer = words.integer("a draw buffer", 0..=MAX_TARGET_INDEX)?;
    let mut values = [0.0; 4];
    for (value, channel) in values.iter_mut().zip(CHANNELS) {
        let word = words.need(channel)?;
        *value = clear_value(word.text)
            .ok_or_else(|| wrong(word, format!("expected {channel}, found `{}`", word.text)))?;
    }
    Ok(Action::ClearBuffer { buffer, values })
}

/// A number that WebGPU can clear with. It must be decimal: an integer must not be mistaken for the bits of a float.
fn clear_value(text: &str) -> Option<f64> {
    match crate::read::number::parse_number(text).ok()? {
        ir::scalar::Number::Bits(_) => None,
        number @ (ir::scalar::Number::Integer(_) | ir::scalar::Number::Real(_)) => number.to_f64(),
    }
}

/// Reads the words after `enable GL_BLEND` or `disable GL_BLEND`: nothing, or a draw buffer.
pub(super) fn read_blend(words: &mut Words<'_>, is_enabled: bool) -> Parsed<Setting> {
    let buffer = if words.has_more() {
        Some(words.integer("a draw buffer", 0..=MAX_TARGET_INDEX)?)
    } else {
        None
    };
    Ok(output(OutputChange::Blend { buffer, is_enabled }))
}

/// Reads `blendfunc [buffer N] SOURCE DESTINATION [SOURCE_ALPHA DESTINATION_ALPHA]`.
pub(super) fn read_blend_function(words: &mut Words<'_>) -> Parsed<Setting> {
    let buffer = read_buffer(words)?;
    let color = [read_factor(words)?, read_factor(words)?];
    let alpha = if words.has_more() { [read_factor(words)?, read_factor(words)?] } else { color };
    Ok(output(OutputChange::BlendFunction { buffer, color, alpha }))
}

/// Reads `blendequation [buffer N] EQUATION [EQUATION_ALPHA]`.
pub(super) fn read_blend_equation(words: &mut Words<'_>) -> Parsed<Setting> {
    let buffer = read_buffer(words)?;
    let color = read_named(words, &EQUATIONS, "blend equation")?;
    let alpha =
        if words.has_more() { read_named(words, &EQUATIONS, "blend equation")? } else { color };
    Ok(output(OutputChange::BlendEquation { buffer, color, alpha }))
}

/// Reads `blendcolor r g b a`.
pub(super) fn read_blend_color(words: &mut Words<'_>) -> Parsed<Setting> {
    words.floats32(CHANNELS).map(|color| output(OutputChange::BlendColor(color)))
}

/// Reads `colormask [buffer N] r g b a`.
pub(super) fn read_color_mask(words: &mut Words<'_>) -> Parsed<Setting> {
    let buffer = read_buffer(words)?;
    let mut channels = [true; 4];
    for (channel, name) in channels.iter_mut().zip(CHANNELS) {
        *channel = words.integer(&format!("{name}'s switch"), 0..=1)? == 1;
    }
    Ok(output(OutputChange::ColorMask { buffer, channels }))
}

fn read_buffer(words: &mut Words<'_>) -> Parsed<Option<u32>> {
    if !words.take("buffer") {
        return Ok(None);
    }
    words.integer("a draw buffer", 0..=MAX_TARGET_INDEX).map(Some)
}

fn read_factor(words: &mut Words<'_>) -> Parsed<BlendFactor> {
    if let Some(word) = words.peek().filter(|word| BEYOND_WEBGPU.contains(&word.text)) {
        return Err(Problem::unsupported(format!("blendfunc {}", word.text), word.span));
    }
    read_named(words, &FACTORS, "blend factor")
}

fn read_named<T: Copy>(words: &mut Words<'_>, table: &[(&str, T)], what: &str) -> Parsed<T> {
    let word = words.need(&format!("a {what} such as `{}`", table[0].0))?;
    if let Some((_, value)) = table.iter().find(|(name, _)| *name == word.text) {
        return Ok(*value);
    }
    let error = wrong(word, format!("unknown {what} `{}`", word.text));
    Err(error.nearest(word.text, table.iter().map(|(name, _)| *name)))
}

const fn output(change: OutputChange) -> Setting {
    Setting::State(StateChange::Output(change))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::read::commands::tests::{check, check_error, check_unsupported};

    use super::*;

    #[test]
    fn draw_buffers_are_targets_or_none() {
        let map = vec![Some(1), None, Some(0)];
        check("drawbuffers 1 none 0", output(OutputChange::DrawBuffers(map)));
        check_error(
            "drawbuffers 1 none 1",
            &expect![[r"
            render target 1 is assigned to two draw buffers (usage: drawbuffers TARGET|none…)
            drawbuffers 1 none 1
                               ^"]],
        );
    }

    #[test]
    fn blending_is_of_one_buffer_or_of_all() {
        check("enable GL_BLEND", output(OutputChange::Blend { buffer: None, is_enabled: true }));
        let one = OutputChange::Blend { buffer: Some(3), is_enabled: false };
        check("disable GL_BLEND 3", output(one));
        let color = [BlendFactor::SrcAlpha, BlendFactor::One];
        let function = |buffer, alpha| output(OutputChange::BlendFunction { buffer, color, alpha });
        check("blendfunc GL_SRC_ALPHA GL_ONE", function(None, color));
        let alpha = [BlendFactor::Zero, BlendFactor::Src1Alpha];
        let line = "blendfunc buffer 2 GL_SRC_ALPHA GL_ONE GL_ZERO GL_SRC1_ALPHA";
        check(line, function(Some(2), alpha));
        let (color, alpha) = (BlendEquation::Min, BlendEquation::ReverseSubtract);
        check(
            "blendequation GL_MIN GL_FUNC_REVERSE_SUBTRACT",
            output(OutputChange::BlendEquation { buffer: None, color, alpha }),
        );
        check_unsupported("blendfunc GL_CONSTANT_ALPHA GL_ONE", "blendfunc GL_CONSTANT_ALPHA");
        check_error(
            "blendfunc GL_SRC_ALHPA GL_ONE",
            &expect![[r"
            unknown blend factor `GL_SRC_ALHPA` (did you mean `GL_SRC_ALPHA`?)
            blendfunc GL_SRC_ALHPA GL_ONE
                      ^^^^^^^^^^^^"]],
        );
    }

    #[test]
    fn masks_and_clears_are_of_channels() {
        let channels = [true, false, false, true];
        let mask = OutputChange::ColorMask { buffer: Some(1), channels };
        check("colormask buffer 1 1 0 0 1", output(mask));
        let values = [-1.0, 4_294_967_295.0, 0.5, 0.0];
        check("clearbuffer 2 -1 4294967295 0.5 0", Action::ClearBuffer { buffer: 2, values });
        check_error(
            "clearbuffer 2 0x10 0 0 0",
            &expect![[r"
            expected red, found `0x10` (usage: clearbuffer BUFFER r g b a)
            clearbuffer 2 0x10 0 0 0
                          ^^^^"]],
        );
    }
}
