//! The commands of `[test]`: a row of `COMMANDS` each, with a read function in the submodule for its kind.

mod buffer;
mod capture;
mod draw;
mod gl_state;
mod golden;
mod output;
mod probe;
mod query;
mod state;
mod stencil;
mod texture;
mod uniform;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::limits::{MAX_DRAWS, MAX_STEPS};
use crate::read::line::{Punctuation, Words, wrong};
use crate::read::once;
use crate::read::problem::{Parsed, Problem};
use crate::read::reader::Reader;
use crate::read::section::Section;
use crate::{Case, Dialect, Step};
use ir::diagnostic::Diagnostic;
use ir::source::Spanned;

/// A command: its leading words, its syntax, and the function that reads the rest of the line.
struct Command {
    words: &'static str,
    usage: &'static str,
    read: fn(&mut Words<'_>) -> Parsed<Step>,
}

/// All commands. If several rows match a line, the one with the most words wins.
static COMMANDS: [Command; 81] = [
    Command {
        words: "active shader program",
        usage: "active shader program STAGE",
        read: uniform::read_active_stage,
    },
    Command {
        words: "active uniform",
        usage: "active uniform NAME PROPERTY answer",
        read: query::read_uniform,
    },
    Command {
        words: "atomic counter buffer",
        usage: "atomic counter buffer N COUNT",
        read: buffer::read_counter_buffer,
    },
    Command {
        words: "atomic counter",
        usage: "atomic counter N INDEX VALUE",
        read: buffer::read_counter,
    },
    Command {
        words: "atomic counters",
        usage: "atomic counters COUNT",
        read: buffer::read_counters,
    },
    Command {
        words: "block array index",
        usage: "block array index N",
        read: gl_state::read_block_element,
    },
    Command { words: "blendcolor", usage: "blendcolor r g b a", read: output::read_blend_color },
    Command {
        words: "blendequation",
        usage: "blendequation [buffer N] EQUATION [EQUATION_ALPHA]",
        read: output::read_blend_equation,
    },
    Command {
        words: "blendfunc",
        usage: "blendfunc [buffer N] SOURCE DESTINATION [SOURCE_ALPHA DESTINATION_ALPHA]",
        read: output::read_blend_function,
    },
    Command {
        words: "capture",
        usage: "capture begin, pause, resume or end",
        read: capture::read_step,
    },
    Command {
        words: "block binding",
        usage: "block binding N",
        read: gl_state::read_block_binding,
    },
    Command {
        words: "block matrix stride",
        usage: "block matrix stride N",
        read: gl_state::read_block_matrix_stride,
    },
    Command { words: "block offset", usage: "block offset N", read: gl_state::read_block_offset },
    Command {
        words: "block row major",
        usage: "block row major 0, or block row major 1",
        read: gl_state::read_block_row_major,
    },
    Command { words: "clear color", usage: "clear color r g b a", read: state::read_clear_color },
    Command { words: "clear depth", usage: "clear depth z", read: gl_state::read_clear_depth },
    Command { words: "clear stencil", usage: "clear stencil N", read: stencil::read_clear },
    Command { words: "clear", usage: "clear", read: state::read_clear },
    Command {
        words: "clamp color",
        usage: "clamp color vertex|fragment on|off",
        read: gl_state::read_clamp_color,
    },
    Command {
        words: "clearbuffer",
        usage: "clearbuffer BUFFER r g b a",
        read: output::read_clear_buffer,
    },
    Command { words: "clip plane", usage: "clip plane N a b c d", read: gl_state::read_clip_plane },
    Command { words: "color", usage: "color r g b a", read: gl_state::read_color },
    Command {
        words: "colormask",
        usage: "colormask [buffer N] r g b a",
        read: output::read_color_mask,
    },
    Command {
        words: "compile error",
        usage: "compile error \"text\"",
        read: state::read_compile_error,
    },
    Command { words: "compute", usage: "compute X Y Z", read: state::read_compute },
    Command {
        words: "depthfunc",
        usage: "depthfunc FUNCTION",
        read: gl_state::read_depth_function,
    },
    Command { words: "disable", usage: "disable CAPABILITY", read: gl_state::read_disable },
    Command {
        words: "draw arrays",
        usage: "draw arrays [instanced] TOPOLOGY first count [instances] [first instance N] [from capture …]",
        read: draw::read_arrays,
    },
    Command {
        words: "draw captured",
        usage: "draw captured TOPOLOGY [instances N] [first instance N] from capture N COLUMN… [offset BYTES] [stride BYTES]",
        read: draw::read_captured,
    },
    Command {
        words: "drawbuffers",
        usage: "drawbuffers TARGET|none…",
        read: output::read_draw_buffers,
    },
    Command {
        words: "draw indexed",
        usage: "draw indexed TOPOLOGY first count [instances N] [base vertex N] [first instance N] [from capture …]",
        read: draw::read_indexed,
    },
    Command {
        words: "draw instanced",
        usage: "draw instanced TOPOLOGY first count N [first instance N] [from capture …], or draw instanced rect [ortho] N x y w h",
        read: draw::read_instanced,
    },
    Command {
        words: "draw rect",
        usage: "draw rect [ortho] x y w h, or draw rect tex x y w h s t sw th",
        read: draw::read_rect,
    },
    Command { words: "fb tex 2d", usage: "fb tex 2d UNIT…", read: texture::read_framebuffer },
    Command { words: "enable", usage: "enable CAPABILITY", read: gl_state::read_enable },
    Command {
        words: "frustum",
        usage: "frustum left right bottom top near far",
        read: gl_state::read_frustum,
    },
    Command {
        words: "golden",
        usage: "golden target N NAME [exact | tolerance n | flip t]",
        read: golden::read,
    },
    Command { words: "hint", usage: "hint TARGET MODE", read: gl_state::read_without_effect },
    Command {
        words: "image texture",
        usage: "image texture UNIT FORMAT",
        read: texture::read_image,
    },
    Command {
        words: "link",
        usage: "link success, or link error \"text\"",
        read: state::read_link,
    },
    Command {
        words: "memory barrier",
        usage: "memory barrier BITS",
        read: gl_state::read_without_effect,
    },
    Command { words: "ortho", usage: "ortho [left right bottom top]", read: gl_state::read_ortho },
    Command {
        words: "probe atomic counter",
        usage: "probe atomic counter INDEX OPERATOR value, or probe atomic counter buffer N OFFSET OPERATOR value",
        read: buffer::read_counter_probe,
    },
    Command {
        words: "probe buffer",
        usage: "probe buffer N TYPE OFFSET OPERATOR values",
        read: buffer::read_buffer_probe,
    },
    Command {
        words: "probe capture",
        usage: "probe capture N TYPE OFFSET OPERATOR values",
        read: capture::read_probe,
    },
    Command { words: "probe depth", usage: "probe depth x y z", read: probe::read_depth },
    Command { words: "probe stencil", usage: "probe stencil x y N", read: stencil::read_probe },
    Command {
        words: "stencilfunc",
        usage: "stencilfunc FUNCTION REFERENCE MASK",
        read: stencil::read_function,
    },
    Command {
        words: "stencilop",
        usage: "stencilop FAIL DEPTH_FAIL PASS",
        read: stencil::read_operations,
    },
    Command { words: "stencilmask", usage: "stencilmask MASK", read: stencil::read_write_mask },
    Command {
        words: "probe ssbo",
        usage: "probe ssbo TYPE N OFFSET OPERATOR value",
        read: buffer::read_ssbo_probe,
    },
    Command {
        words: "probe xfb buffer",
        usage: "probe xfb buffer float N INDEX value",
        read: capture::read_xfb_probe,
    },
    Command {
        words: "probe",
        usage: "probe [target N] [sample K] [rect | all] rgb|rgba [(x, y[, w, h])] (r, g, b[, a]) [ulp N]",
        read: probe::read,
    },
    Command {
        words: "provoking vertex",
        usage: "provoking vertex first, or provoking vertex last",
        read: gl_state::read_provoking_vertex,
    },
    Command {
        words: "relative probe",
        usage: "relative probe [target N] [sample K] [rect] rgb|rgba (x, y[, w, h]) (r, g, b[, a]) [ulp N]",
        read: probe::read_relative,
    },
    Command {
        words: "shade model",
        usage: "shade model flat, or shade model smooth",
        read: gl_state::read_shade_model,
    },
    Command {
        words: "ssbo",
        usage: "ssbo N SIZE, or ssbo N subdata TYPE OFFSET values",
        read: buffer::read_ssbo,
    },
    Command {
        words: "subuniform",
        usage: "subuniform STAGE UNIFORM FUNCTION",
        read: uniform::read_subroutine,
    },
    Command {
        words: "texparameter",
        usage: "texparameter TARGET PARAMETER VALUE",
        read: texture::read_parameter,
    },
    Command {
        words: "texture checkerboard",
        usage: "texture checkerboard UNIT LEVEL (w, h) (r, g, b, a) (r, g, b, a)",
        read: texture::read_checkerboard,
    },
    Command {
        words: "texture integer",
        usage: "texture integer UNIT (w, h) (blue, alpha) FORMAT",
        read: texture::read_integer,
    },
    Command {
        words: "texture junk 2DArray",
        usage: "texture junk 2DArray UNIT (w, h, layers)",
        read: texture::read_junk,
    },
    Command {
        words: "texture miptree",
        usage: "texture miptree UNIT",
        read: texture::read_miptree,
    },
    Command {
        words: "texture quads",
        usage: "texture quads UNIT LEVEL (w, h) (tile w, tile h) (color) (color) (color) (color)",
        read: texture::read_quads,
    },
    Command {
        words: "texture rgbw",
        usage: "texture rgbw [TARGET] UNIT (size) [FORMAT]",
        read: texture::read_rgbw,
    },
    Command {
        words: "texture",
        usage: "texture shadowTARGET UNIT (size)",
        read: texture::read_other,
    },
    Command {
        words: "texcoord",
        usage: "texcoord UNIT (s, t, r, q)",
        read: gl_state::read_texcoord,
    },
    Command {
        words: "tolerance",
        usage: "tolerance r g b a, or tolerance ulp N",
        read: state::read_tolerance,
    },
    Command {
        words: "ubo array index",
        usage: "ubo array index N",
        read: gl_state::read_block_element,
    },
    Command { words: "uniform", usage: "uniform TYPE NAME values", read: uniform::read },
    Command {
        words: "verify program_interface_query",
        usage: "verify program_interface_query INTERFACE NAME PROPERTY answer",
        read: query::read_resource,
    },
    Command {
        words: "verify program_interface",
        usage: "verify program_interface INTERFACE PROPERTY answer",
        read: query::read_interface,
    },
    Command {
        words: "verify resource_index",
        usage: "verify resource_index INTERFACE NAME answer",
        read: query::read_index,
    },
    Command {
        words: "verify resource_location",
        usage: "verify resource_location INTERFACE NAME answer",
        read: query::read_location,
    },
    Command {
        words: "verify resource_name",
        usage: "verify resource_name INTERFACE INDEX \"name\"",
        read: query::read_name,
    },
    Command {
        words: "verify program_query",
        usage: "verify program_query PROPERTY answer",
        read: query::read_program,
    },
    Command { words: "use", usage: "use VERTEX FRAGMENT", read: state::read_use },
    Command {
        words: "verify query_object",
        usage: "verify query_object QUERY N",
        read: capture::read_query,
    },
    Command {
        words: "xfb buffer object",
        usage: "xfb buffer object N SIZE [WORD]",
        read: capture::read_buffer,
    },
    Command {
        words: "xfb buffer range",
        usage: "xfb buffer range N OFFSET SIZE [of M]",
        read: capture::read_range,
    },
    Command {
        words: "xfb draw",
        usage: "xfb draw arrays, indexed or captured, as in draw arrays, draw indexed and draw captured",
        read: capture::read_draw,
    },
];

/// piglit commands that interstage does not have; the longest match is named as unsupported.
const KNOWN_ELSEWHERE: [&str; 11] = [
    "blend",
    "blit",
    "compute group size",
    "draw instanced rect ortho patch",
    "draw instanced rect patch",
    "draw rect ortho patch",
    "draw rect patch",
    "fb",
    "patch parameter",
    "probe warn",
    "xfb",
];

/// Leading words of a command.
struct Start {
    words: Vec<&'static str>,
    /// The command, or `None` for one that only piglit has.
    command: Option<&'static Command>,
}

/// Leading words of all commands by their first word, longer ones first.
static STARTS: LazyLock<BTreeMap<&str, Vec<Start>>> = LazyLock::new(|| {
    let ours = COMMANDS.iter().map(|command| (command.words, Some(command)));
    let mut all: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (words, command) in ours.chain(KNOWN_ELSEWHERE.map(|words| (words, None))) {
        let words: Vec<_> = words.split(' ').collect();
        all.entry(words[0]).or_default().push(Start { words, command });
    }
    for starts in all.values_mut() {
        starts.sort_by_key(|start| Reverse(start.words.join(" ").len()));
    }
    all
});

/// Keywords of the section: commands, topologies and comparisons.
pub fn known_words() -> impl Iterator<Item = &'static str> {
    let commands = COMMANDS.iter().map(|command| command.words);
    let words = commands.chain(draw::known_words()).chain(buffer::known_words());
    words.chain(query::known_words()).chain(capture::known_words())
}

/// Reads `[test]` into `case`.
pub(super) fn read(reader: &mut Reader<'_>, section: &Section, case: &mut Case) {
    let mut draws = 0;
    let mut is_over = false;
    reader.each_line(section.body, Punctuation::Separates, |reader, words| {
        if is_over {
            words.skip(usize::MAX / 2);
            return Ok(());
        }
        let step = read_step(words)?;
        once::note_step(reader, words, &step);
        draws += usize::from(matches!(step, Step::Draw(_) | Step::Compute(_) | Step::Capture(_)));
        let (limit, what) = match (draws > MAX_DRAWS, case.steps.len() >= MAX_STEPS) {
            (true, _) => (MAX_DRAWS, "draws"),
            (false, true) => (MAX_STEPS, "commands"),
            (false, false) => {
                case.steps.push(Spanned::new(step, words.span));
                return Ok(());
            }
        };
        is_over = true;
        let message = format!("the case has more than {limit} {what}");
        Err(Diagnostic::error(words.span, message).into())
    });
    if reader.is_intact(section.header.to(section.body)) {
        once::check_unseen(reader, &case.steps);
    }
}

/// Reads one line of `[test]`.
fn read_step(words: &mut Words<'_>) -> Parsed<Step> {
    let known = words.peek().and_then(|first| STARTS.get(first.text));
    match known.into_iter().flatten().find(|start| start.fits(words)) {
        Some(Start { words: start, command: None }) => {
            Err(not_ours(words.dialect, &start.join(" "), words.span))
        }
        Some(Start { words: start, command: Some(command) }) => {
            words.skip(start.len());
            (command.read)(words)
                .map_err(|problem| problem.with_help(format!("usage: {}", command.usage)))
        }
        None => Err(unknown(words)),
    }
}

impl Start {
    fn fits(&self, words: &Words<'_>) -> bool {
        self.words.iter().enumerate().all(|(idx, expect)| {
            words.peek_at(idx).is_some_and(|word| word.text == *expect && !word.is_quoted)
        })
    }
}

fn not_ours(dialect: Dialect, known: &str, span: ir::source::Span) -> Problem {
    match dialect {
        Dialect::Piglit => Problem::unsupported(known, span),
        Dialect::Interstage => {
            Diagnostic::error(span, format!("`{known}` is piglit's and not supported yet")).into()
        }
    }
}

fn unknown(words: &Words<'_>) -> Problem {
    let Some(first) = words.peek() else {
        return Diagnostic::error(words.span, "empty command").into();
    };
    if words.dialect == Dialect::Piglit {
        return Problem::unsupported(first.text, first.span);
    }
    let second = words.peek_at(1).map_or("", |second| second.text);
    let both = format!("{} {second}", first.text);
    let names = COMMANDS.each_ref().map(|command| command.words);
    let mut error = wrong(first, format!("unknown command `{}`", first.text));
    let is_first_known = names.iter().any(|name| name.split(' ').next() == Some(first.text));
    if is_first_known && !second.is_empty() {
        error = wrong(first, format!("unknown command `{both}`"));
    }
    let first_words = names.iter().map(|name| name.split(' ').next().unwrap_or(name));
    error
        .nearest(&both, names.into_iter().filter(|name| name.contains(' ')))
        .nearest(first.text, first_words)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use expect_test::{Expect, expect};

    use super::*;

    /// Reads one line as a step; errors are `from..to message (help: …)`.
    pub(super) fn step(dialect: Dialect, line: &str) -> Result<Step, String> {
        let read = |line| {
            let mut words = Words::cut(line, 0, Punctuation::Separates, dialect)?;
            let step = read_step(&mut words)?;
            match words.rest() {
                Some(rest) => Err(Diagnostic::error(rest, "words are left").into()),
                None => Ok(step),
            }
        };
        read(line).map_err(|problem| match problem {
            Problem::Unsupported { word, .. } => format!("unsupported: {word}"),
            Problem::Broken(error) => {
                let span = error.span.expect("an error in a line has a place");
                let help = error.help.map_or(String::new(), |help| format!(" ({help})"));
                format!(
                    "{}{help}\n{line}\n{}{}",
                    error.message,
                    " ".repeat(span.start),
                    "^".repeat((span.end - span.start).max(1))
                )
            }
        })
    }

    /// Checks the step of a strict line.
    #[track_caller]
    pub(super) fn check(line: &str, expect: Step) {
        assert_eq!(step(Dialect::Interstage, line), Ok(expect), "{line}");
        // A line that is valid in interstage's cases is valid in piglit's.
        assert!(step(Dialect::Piglit, line).is_ok(), "{line}");
    }

    /// Checks the message for a strict line.
    #[track_caller]
    pub(super) fn check_error(line: &str, expect: &Expect) {
        expect.assert_eq(&step(Dialect::Interstage, line).expect_err("is wrong"));
    }

    /// Checks that a piglit line is unsupported, and why.
    #[track_caller]
    pub(super) fn check_unsupported(line: &str, expect: &str) {
        assert_eq!(step(Dialect::Piglit, line), Err(format!("unsupported: {expect}")));
    }

    #[test]
    fn every_command_is_in_the_table_once() {
        let all: BTreeSet<_> =
            COMMANDS.iter().map(|command| command.words).chain(KNOWN_ELSEWHERE).collect();
        assert_eq!(all.len(), COMMANDS.len() + KNOWN_ELSEWHERE.len());
        for command in &COMMANDS {
            assert!(
                command.usage.starts_with(command.words) || command.words == "probe",
                "{}",
                command.words
            );
        }
    }

    #[test]
    fn the_longest_known_command_counts() {
        check_unsupported("texture something 0", "texture something");
        check_unsupported("fb draw 0", "fb");
        check_unsupported("draw rect patch 0 0 1 1", "draw rect patch");
        check_unsupported("draw rect ortho patch 0 0 1 1", "draw rect ortho patch");
        check_unsupported("xfb something", "xfb");
        check_unsupported("xyzzy", "xyzzy");
    }

    #[test]
    fn unknown_commands_suggest_the_nearest() {
        check_error(
            "probee all rgba 0 0 0 0",
            &expect![[r"
            unknown command `probee` (did you mean `probe`?)
            probee all rgba 0 0 0 0
            ^^^^^^"]],
        );
        check_error(
            "draw rct 0 0 1 1",
            &expect![[r"
            unknown command `draw rct` (did you mean `draw rect`?)
            draw rct 0 0 1 1
            ^^^^"]],
        );
        check_error(
            "blend func 1 0",
            &expect![[r"
            `blend` is piglit's and not supported yet
            blend func 1 0
            ^^^^^^^^^^^^^^"]],
        );
    }
}
