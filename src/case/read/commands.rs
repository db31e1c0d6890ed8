//! The commands of `[test]`: a row of `COMMANDS` each, with a read function in the submodule for its kind.

mod buffer;
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
mod use_stages;
mod without_effect;
mod xfb;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::limits::{MAX_DRAWS, MAX_STEPS};
use crate::read::line::{Punctuation, Words, wrong};
use crate::read::once;
use crate::read::problem::{Parsed, Problem};
use crate::read::reader::Reader;
use crate::read::section::Section;
use crate::{Action, Case, Dialect, Expectation, Setting, Step};
use ir::diagnostic::Diagnostic;
use ir::source::Spanned;

/// A command: its leading words, the syntax of its arguments, and the function that reads these.
struct Command {
    words: &'static str,
    arguments: &'static str,
    read: ReadStep,
}

/// The function that reads the arguments of a command, by the kind of its step.
enum ReadStep {
    Set(Read<Setting>),
    Run(Read<Action>),
    Expect(Read<Expectation>),
}

type Read<T> = fn(&mut Words<'_>) -> Parsed<T>;

const fn set(words: &'static str, arguments: &'static str, read: Read<Setting>) -> Command {
    Command { words, arguments, read: ReadStep::Set(read) }
}

const fn run(words: &'static str, arguments: &'static str, read: Read<Action>) -> Command {
    Command { words, arguments, read: ReadStep::Run(read) }
}

const fn expect(words: &'static str, arguments: &'static str, read: Read<Expectation>) -> Command {
    Command { words, arguments, read: ReadStep::Expect(read) }
}

/// All commands. If several rows match a line, the one with the most words wins.
static COMMANDS: [Command; 89] = [
    set("active shader program", "STAGE", uniform::read_active_stage),
    expect("active uniform", "NAME PROPERTY answer", query::read_uniform),
    set("atomic counter", "N INDEX VALUE", buffer::read_counter),
    set("atomic counter buffer", "N COUNT", buffer::read_counter_buffer),
    set("atomic counters", "COUNT", buffer::read_counters),
    set("blendcolor", "r g b a", output::read_blend_color),
    set("blendequation", "[buffer N] EQUATION [EQUATION_ALPHA]", output::read_blend_equation),
    set(
        "blendfunc",
        "[buffer N] SOURCE DESTINATION [SOURCE_ALPHA DESTINATION_ALPHA]",
        output::read_blend_function,
    ),
    set("block array index", "N", gl_state::read_block_element),
    set("block binding", "N|immediates", gl_state::read_block_binding),
    set("block matrix stride", "N", gl_state::read_block_matrix_stride),
    set("block offset", "N", gl_state::read_block_offset),
    set("block row major", "0, or block row major 1", gl_state::read_block_row_major),
    run("capture", "begin, pause, resume or end", xfb::read_step),
    set("clamp color", "vertex|fragment on|off", gl_state::read_clamp_color),
    run("clear", "", state::read_clear),
    set("clear color", "r g b a", state::read_clear_color),
    set("clear depth", "z", gl_state::read_clear_depth),
    set("clear stencil", "N", stencil::read_clear),
    run("clearbuffer", "BUFFER r g b a", output::read_clear_buffer),
    set("clip plane", "N a b c d", gl_state::read_clip_plane),
    set("color", "r g b a", gl_state::read_color),
    set("colormask", "[buffer N] r g b a", output::read_color_mask),
    expect(
        "compare oracle",
        "[target N | depth | stencil | ssbo N | capture N]",
        golden::read_oracle,
    ),
    expect("compile error", "\"text\"", state::read_compile_error),
    expect("compile or link error", "", state::read_compile_or_link_error),
    run("compute", "X Y Z", state::read_compute),
    set("depthfunc", "FUNCTION", gl_state::read_depth_function),
    set("disable", "CAPABILITY", gl_state::read_disable),
    run(
        "draw arrays",
        "[instanced] TOPOLOGY first count [instances] [first instance N] [from capture …]",
        draw::read_arrays,
    ),
    run(
        "draw captured",
        "TOPOLOGY [instances N] [first instance N] from capture N COLUMN… [offset BYTES] [stride BYTES]",
        draw::read_xfb,
    ),
    run(
        "draw indexed",
        "TOPOLOGY first count [instances N] [base vertex N] [first instance N] [from capture …]",
        draw::read_indexed,
    ),
    run(
        "draw instanced",
        "TOPOLOGY first count N [first instance N] [from capture …], or draw instanced rect [ortho] [patch] N x y w h",
        draw::read_instanced,
    ),
    run(
        "draw rect",
        "[ortho] [patch] x y w h, or draw rect tex x y w h s t sw th",
        draw::read_rect,
    ),
    set("drawbuffers", "TARGET|none…", output::read_draw_buffers),
    set("enable", "CAPABILITY", gl_state::read_enable),
    set("fb tex 2d", "UNIT…", texture::read_framebuffer),
    set("fb tex layered", "UNIT", texture::read_layers),
    set("frustum", "left right bottom top near far", gl_state::read_frustum),
    expect("golden", "target N NAME [exact | tolerance n | flip t]", golden::read),
    set("hint", "TARGET MODE", without_effect::read_hint),
    set("image texture", "UNIT FORMAT", texture::read_image),
    expect("link", "success, or link error \"text\"", state::read_link),
    set("memory barrier", "BITS", without_effect::read_memory_barrier),
    set("ortho", "[left right bottom top]", gl_state::read_ortho),
    set("patch parameter default level inner", "a b", gl_state::read_inner_levels),
    set("patch parameter default level outer", "a b c d", gl_state::read_outer_levels),
    set("patch parameter vertices", "N", gl_state::read_patch_vertices),
    expect(
        "probe",
        "[target N] [sample K] [rect | all] r|rg|rgb|rgba [int] [(x, y[, w, h])] (r[, g[, b[, a]]]) [ulp N]",
        probe::read,
    ),
    expect(
        "probe atomic counter",
        "INDEX OPERATOR value, or probe atomic counter buffer N OFFSET OPERATOR value",
        buffer::read_counter_probe,
    ),
    expect("probe buffer", "N TYPE OFFSET OPERATOR values", buffer::read_buffer_probe),
    expect("probe capture", "N TYPE OFFSET OPERATOR values", xfb::read_probe),
    expect("probe depth", "x y z", probe::read_depth),
    expect("probe ssbo", "TYPE N OFFSET OPERATOR value", buffer::read_ssbo_probe),
    expect("probe stencil", "x y N", stencil::read_probe),
    expect("probe xfb buffer", "float|double N INDEX value", xfb::read_xfb_probe),
    set("provoking vertex", "first, or provoking vertex last", gl_state::read_provoking_vertex),
    expect(
        "relative probe",
        "[target N] [sample K] [rect] r|rg|rgb|rgba [int] (x, y[, w, h]) (r[, g[, b[, a]]]) [ulp N]",
        probe::read_relative,
    ),
    set("sampler", "POINT [PROPERTY VALUE]…", texture::read_sampler),
    set("shade model", "flat, or shade model smooth", gl_state::read_shade_model),
    set("ssbo", "N SIZE, or ssbo N subdata TYPE OFFSET values", buffer::read_ssbo),
    set("stencilfunc", "FUNCTION REFERENCE MASK", stencil::read_function),
    set("stencilmask", "MASK", stencil::read_write_mask),
    set("stencilop", "FAIL DEPTH_FAIL PASS", stencil::read_operations),
    set("subuniform", "STAGE UNIFORM FUNCTION", uniform::read_subroutine),
    set("texcoord", "UNIT (s, t, r, q)", gl_state::read_texcoord),
    set("texparameter", "TARGET PARAMETER VALUE", texture::read_parameter),
    set("texture", "shadowTARGET UNIT (size)", texture::read_other),
    set(
        "texture checkerboard",
        "UNIT LEVEL (w, h) (r, g, b, a) (r, g, b, a)",
        texture::read_checkerboard,
    ),
    set("texture integer", "UNIT (w, h) (blue, alpha) FORMAT", texture::read_integer),
    set("texture junk 2DArray", "UNIT (w, h, layers)", texture::read_junk),
    set("texture miptree", "UNIT", texture::read_miptree),
    set("texture numbers", "[TARGET] UNIT (size) FORMAT [levels N]", texture::read_numbers),
    set(
        "texture quads",
        "UNIT LEVEL (w, h) (tile w, tile h) (color) (color) (color) (color)",
        texture::read_quads,
    ),
    set("texture rgbw", "[TARGET] UNIT (size) [FORMAT]", texture::read_rgbw),
    set("tolerance", "r g b a, or tolerance ulp N", state::read_tolerance),
    set("ubo array index", "N", gl_state::read_block_element),
    set("uniform", "TYPE NAME values", uniform::read),
    set("use", use_stages::WORDS, use_stages::read),
    expect("verify program_interface", "INTERFACE PROPERTY answer", query::read_interface),
    expect(
        "verify program_interface_query",
        "INTERFACE NAME PROPERTY answer",
        query::read_resource,
    ),
    expect("verify program_query", "PROPERTY answer", query::read_program),
    expect("verify query_object", "QUERY N", xfb::read_query),
    expect("verify resource_index", "INTERFACE NAME answer", query::read_index),
    expect("verify resource_location", "INTERFACE NAME answer", query::read_location),
    expect("verify resource_name", "INTERFACE INDEX \"name\"", query::read_name),
    run("xfb buffer object", "N SIZE [WORD]", xfb::read_buffer),
    run("xfb buffer range", "N OFFSET SIZE [of M]", xfb::read_range),
    run(
        "xfb draw",
        "arrays, indexed or captured, as in draw arrays, draw indexed and draw captured",
        xfb::read_draw,
    ),
];

/// piglit commands that interstage lacks; the longest match is named as unsupported.
const KNOWN_ELSEWHERE: [&str; 17] = [
    "blend barrier",
    "blit",
    "calllist",
    "compute group size",
    "deletelist",
    "endlist",
    "fb",
    "fbfetch",
    "light",
    "newlist",
    "polygon mode",
    "probe warn",
    "program binary",
    "resident texture",
    "vertex attrib",
    "viewport swizzle",
    "xfb",
];

/// Leading words of a command.
struct CommandStart {
    words: Vec<&'static str>,
    /// The command, or `None` for one that only piglit has.
    command: Option<&'static Command>,
}

/// Leading words of all commands by their first word, longer ones first.
static STARTS: LazyLock<BTreeMap<&str, Vec<CommandStart>>> = LazyLock::new(|| {
    let ours = COMMANDS.iter().map(|command| (command.words, Some(command)));
    let mut all: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (words, command) in ours.chain(KNOWN_ELSEWHERE.map(|words| (words, None))) {
        let words: Vec<_> = words.split(' ').collect();
        all.entry(words[0]).or_default().push(CommandStart { words, command });
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
    words.chain(query::known_words()).chain(xfb::known_words())
}

/// Leading words and the syntax of the arguments of each command.
pub(super) fn usages() -> impl Iterator<Item = (&'static str, &'static str)> {
    COMMANDS.iter().map(|command| (command.words, command.arguments))
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
        draws += usize::from(matches!(step, Step::Run(_)) && step.needs_gpu());
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
        Some(CommandStart { words: start, command: None }) => {
            Err(not_ours(words.dialect, &start.join(" "), words.span))
        }
        Some(CommandStart { words: start, command: Some(command) }) => {
            words.skip(start.len());
            let read = match command.read {
                ReadStep::Set(read) => read(words).map(Step::Set),
                ReadStep::Run(read) => read(words).map(Step::Run),
                ReadStep::Expect(read) => read(words).map(Step::Expect),
            };
            read.map_err(|problem| {
                let usage = format!("usage: {} {}", command.words, command.arguments);
                problem.with_help(usage.trim_end().to_owned())
            })
        }
        None => Err(unknown(words)),
    }
}

impl CommandStart {
    fn fits(&self, words: &Words<'_>) -> bool {
        self.words.iter().enumerate().all(|(idx, expect)| {
            words.peek_at(idx).is_some_and(|word| word.text == *expect && !word.is_quoted)
        })
    }
}

fn not_ours(dialect: Dialect, known: &str, span: ir::source::Span) -> Problem {
    match dialect {
        Dialect::Piglit => Problem::unsupported(known, span),
        Dialect::Interstage | Dialect::ShaderLibrary | Dialect::Vulkan => Diagnostic::error(
            span,
            format!("`{known}` is a piglit command that is not supported yet"),
        )
        .into(),
    }
}

fn unknown(words: &Words<'_>) -> Problem {
    let Some(first) = words.peek() else {
        return Diagnostic::error(words.span, "empty command").into();
    };
    let second = words.peek_at(1).map_or("", |second| second.text);
    let both = format!("{} {second}", first.text);
    let names = COMMANDS.iter().map(|command| command.words).chain(KNOWN_ELSEWHERE);
    let names: Vec<_> = names.collect();
    let mut error = wrong(first, format!("unknown command `{}`", first.text));
    let is_first_known = names.iter().any(|name| name.split(' ').next() == Some(first.text));
    if is_first_known && !second.is_empty() {
        error = wrong(first, format!("unknown command `{both}`"));
    }
    let first_words = names.iter().map(|name| name.split(' ').next().unwrap_or(name));
    error
        .nearest(&both, names.iter().copied().filter(|name| name.contains(' ')))
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
    pub(super) fn check(line: &str, expect: impl Into<Step>) {
        assert_eq!(step(Dialect::Interstage, line), Ok(expect.into()), "{line}");
        // A line that is valid in interstage's cases is valid in piglit's.
        assert!(step(Dialect::Piglit, line).is_ok(), "{line}");
    }

    /// Checks the message for a strict line.
    #[track_caller]
    pub(super) fn check_error(line: &str, expect: &Expect) {
        expect.assert_eq(&step(Dialect::Interstage, line).expect_err("is wrong"));
    }

    /// Checks the reason why a piglit line is unsupported.
    #[track_caller]
    pub(super) fn check_unsupported(line: &str, expect: &str) {
        assert_eq!(step(Dialect::Piglit, line), Err(format!("unsupported: {expect}")));
    }

    #[test]
    fn every_command_is_in_the_table_once_and_in_order() {
        assert!(COMMANDS.is_sorted_by_key(|command| command.words));
        let all: BTreeSet<_> =
            COMMANDS.iter().map(|command| command.words).chain(KNOWN_ELSEWHERE).collect();
        assert_eq!(all.len(), COMMANDS.len() + KNOWN_ELSEWHERE.len());
    }

    #[test]
    fn the_longest_known_command_counts() {
        check_unsupported("polygon mode GL_FRONT GL_LINE", "polygon mode");
        check_unsupported("fb draw 0", "fb");
        check_unsupported("program binary save restore", "program binary");
        check_unsupported("xfb something", "xfb");
    }

    #[test]
    fn a_word_that_piglit_lacks_too_is_an_error_in_both_dialects() {
        for dialect in [Dialect::Piglit, Dialect::Interstage] {
            let message = |line| step(dialect, line).expect_err("is wrong");
            assert!(
                message("prob all rgba 0 1 0 1")
                    .starts_with("unknown command `prob` (did you mean `probe`?)")
            );
            assert!(message("polgon mode").contains("did you mean `polygon mode`?"));
            assert!(message("enable GL_DEPTH_TESTS").contains("did you mean `GL_DEPTH_TEST`?"));
            assert!(message("uniform vec5 a 1").contains("unknown type `vec5`"));
            assert!(message("texture rgbbw 0 (1, 1)").contains("unknown word `rgbbw`"));
        }
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
            &expect![[r#"
                unknown command `blend func` (did you mean `blend`?)
                blend func 1 0
                ^^^^^"#]],
        );
    }
}
