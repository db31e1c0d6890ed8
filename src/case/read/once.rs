//! Detects duplicates of settings, and of expectations about one thing, that may be given only once. A second line
//! would silently win, or change nothing.
//!
//! A [`Once`] selects the words of a line that identify the setting, and [`Reader::give`] records its position. In
//! `[test]` a setting may be given again after a step has used it: [`STEPS`] lists the kind of step for each command.

use crate::draw::xfb::XfbStep;
use crate::read::line::{Word, Words};
use crate::read::reader::Reader;
use crate::state::{BlockChange, StateChange};
use crate::vacuous;
use crate::{Action, ReadExpectation, Setting, Step};
use ir::source::{Span, Spanned};

/// Selection of the words that identify a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Once {
    /// The first n words.
    First(usize),
    /// The words at these indices.
    At(&'static [usize]),
    /// The first n words with each of the others: every other word is a separate setting.
    Each(usize),
    /// The first n words with every second one of the others; the words between them are values.
    Facts(usize),
    /// The first word, and the second if it is in this list: the forms of an expectation.
    Form(&'static [&'static str]),
    /// The command alone, or with a draw buffer: `blendfunc`, `blendfunc buffer 1`.
    Buffer,
    /// A storage buffer, or values in it: `ssbo 1 8`, `ssbo 1 subdata float 4 0.5`.
    Storage,
    /// A texture unit, or a level of the texture there: `texture rgbw 0 (8, 8)`, `texture quads 0 1 …`.
    Unit,
    /// All words.
    Whole,
}

impl Once {
    /// The settings in `line`, with their positions.
    pub(super) fn settings(self, line: &[Word<'_>]) -> Vec<(String, Span)> {
        let Some((first, last)) = line.first().zip(line.last()) else { return Vec::new() };
        let join = |words: &mut dyn Iterator<Item = &Word<'_>>| {
            words.map(|word| word.text).collect::<Vec<_>>().join(" ")
        };
        let whole = first.span.to(last.span);
        let of_first = |count: usize| join(&mut line.iter().take(count));
        let with = |count: usize, step: usize| {
            let others = line.iter().skip(count).step_by(step);
            others.map(|word| (format!("{} {}", of_first(count), word.text), word.span)).collect()
        };
        match self {
            Self::First(count) => vec![(of_first(count), whole)],
            Self::At(at) => vec![(join(&mut at.iter().filter_map(|idx| line.get(*idx))), whole)],
            Self::Each(count) => with(count, 1),
            Self::Facts(count) => with(count, 2),
            Self::Form(forms) => {
                let has_form = line.get(1).is_some_and(|word| forms.contains(&word.text));
                vec![(of_first(if has_form { 2 } else { 1 }), whole)]
            }
            Self::Buffer => {
                let has_buffer = line.get(1).is_some_and(|word| word.text == "buffer");
                vec![(of_first(if has_buffer { 3 } else { 1 }), whole)]
            }
            Self::Storage => {
                let has_values = line.get(2).is_some_and(|word| word.text == "subdata");
                Self::At(if has_values { &[0, 1, 2, 4] } else { &[0, 1] }).settings(line)
            }
            Self::Unit => vec![(format!("{} {}", first.text, unit_and_level(line)), whole)],
            Self::Whole => vec![(of_first(line.len()), whole)],
        }
    }
}

/// The unit of a `texture` command, with the level if it is not 0. Level 0 starts a new texture.
fn unit_and_level(line: &[Word<'_>]) -> String {
    let is_number = |text: &str| text.parse::<u32>().is_ok();
    // `1:0` is a binding of a WGSL stage.
    let number = |word: &&Word<'_>| word.text.splitn(2, ':').all(is_number);
    let mut numbers = line.iter().skip(2).filter(number);
    let unit = numbers.next().map_or("", |word| word.text);
    let has_levels =
        ["checkerboard", "quads"].iter().any(|word| line.iter().any(|w| w.text == *word));
    match numbers.next().filter(|level| has_levels && level.text != "0") {
        Some(level) => format!("{unit} level {}", level.text),
        None => unit.to_owned(),
    }
}

/// Kind of step that uses a setting of `[test]`. After a step of that kind the setting may be given again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SeenBy {
    Clears,
    Draws,
    Probes,
    Programs,
    /// No step: the setting holds for the whole case.
    Nobody,
}

impl SeenBy {
    const ALL: [Self; 5] = [Self::Clears, Self::Draws, Self::Probes, Self::Programs, Self::Nobody];

    /// Key in the reader's record.
    const fn place(self) -> &'static str {
        match self {
            Self::Clears => "[test] clears",
            Self::Draws => "[test] draws",
            Self::Probes => "[test] probes",
            Self::Programs => "[test] programs",
            Self::Nobody => "[test]",
        }
    }

    fn sees(self, step: &Step) -> bool {
        let draws = match step {
            Step::Set(_) => false,
            Step::Run(Action::Xfb(step)) => {
                !matches!(step, XfbStep::Buffer { .. } | XfbStep::Range { .. })
            }
            Step::Run(_) | Step::Expect(_) => true,
        };
        match self {
            Self::Clears => matches!(step, Step::Run(Action::Clear)),
            Self::Probes => step.reading().is_some_and(ReadExpectation::uses_tolerance),
            Self::Programs => draws || matches!(step, Step::Set(Setting::Uniform(_))),
            // Uniforms belong to the program, stage or block that is selected.
            Self::Draws => {
                draws
                    || matches!(
                        step,
                        Step::Set(
                            Setting::Use(_)
                                | Setting::State(
                                    StateChange::ActiveStage(_)
                                        | StateChange::Block(
                                            BlockChange::Element(_)
                                                | BlockChange::Binding(_)
                                                | BlockChange::Offset(_)
                                        )
                                )
                        )
                    )
            }
            Self::Nobody => false,
        }
    }
}

/// Settings of commands. If several rows match, the first one wins.
const STEPS: [(&str, Once, SeenBy); 35] = [
    ("link error", Once::Whole, SeenBy::Nobody),
    ("link success", Once::First(2), SeenBy::Nobody),
    ("compile error", Once::Whole, SeenBy::Nobody),
    ("compile or link error", Once::Whole, SeenBy::Nobody),
    ("tolerance", Once::First(1), SeenBy::Probes),
    ("clear color", Once::First(2), SeenBy::Clears),
    ("clear depth", Once::First(2), SeenBy::Clears),
    ("clear stencil", Once::First(2), SeenBy::Clears),
    ("active shader program", Once::First(3), SeenBy::Programs),
    ("uniform", Once::At(&[0, 2]), SeenBy::Draws),
    ("subuniform", Once::First(3), SeenBy::Draws),
    ("enable", Once::At(&[1, 2]), SeenBy::Draws),
    ("disable", Once::At(&[1, 2]), SeenBy::Draws),
    ("ortho", Once::First(1), SeenBy::Draws),
    ("frustum", Once::First(1), SeenBy::Draws),
    ("clip plane", Once::First(3), SeenBy::Draws),
    ("provoking vertex", Once::First(2), SeenBy::Draws),
    ("shade model", Once::First(2), SeenBy::Draws),
    ("depthfunc", Once::First(1), SeenBy::Draws),
    ("stencilfunc", Once::First(1), SeenBy::Draws),
    ("stencilop", Once::First(1), SeenBy::Draws),
    ("stencilmask", Once::First(1), SeenBy::Draws),
    ("color", Once::First(1), SeenBy::Draws),
    ("texcoord", Once::First(2), SeenBy::Draws),
    ("drawbuffers", Once::First(1), SeenBy::Draws),
    ("blendcolor", Once::First(1), SeenBy::Draws),
    ("blendfunc", Once::Buffer, SeenBy::Draws),
    ("blendequation", Once::Buffer, SeenBy::Draws),
    ("colormask", Once::Buffer, SeenBy::Draws),
    ("xfb buffer object", Once::First(4), SeenBy::Draws),
    ("xfb buffer range", Once::First(4), SeenBy::Draws),
    ("atomic counter buffer", Once::First(4), SeenBy::Draws),
    ("ssbo", Once::Storage, SeenBy::Draws),
    ("texture", Once::Unit, SeenBy::Draws),
    ("sampler", Once::First(2), SeenBy::Draws),
];

/// Records the settings of a step, and forgets those that the step uses.
pub(super) fn note_step(reader: &mut Reader<'_>, words: &Words<'_>, step: &Step) {
    if !reader.is_strict() {
        return;
    }
    for by in SeenBy::ALL {
        if by.sees(step) {
            reader.forget(by.place());
        }
    }
    let line = words.all();
    let starts = |start: &str| {
        start
            .split(' ')
            .enumerate()
            .all(|(idx, part)| line.get(idx).is_some_and(|word| word.text == part))
    };
    let known = STEPS.iter().find(|(start, _, _)| starts(start));
    if let Some((_, once, by)) = known {
        reader.give(by.place(), once.settings(line));
    }
}

/// Reports the last settings that no step uses.
pub(super) fn check_unseen(reader: &mut Reader<'_>, steps: &[Spanned<Step>]) {
    let draws = |step: &Step| SeenBy::Draws.sees(step) && !matches!(step, Step::Expect(_));
    let has_draws = steps.iter().any(|step| draws(&step.value));
    for by in [SeenBy::Clears, SeenBy::Draws, SeenBy::Probes] {
        // State may be intended for linking only.
        let is_of_interest = has_draws || by != SeenBy::Draws;
        for (setting, span) in reader.unseen(by.place()).into_iter().filter(|_| is_of_interest) {
            let message = format!("nothing sees `{setting}`");
            let help = "put it before the step that it affects, or leave it out";
            reader.report(vacuous::UNSEEN.error(span, message).with_help(help));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Dialect;
    use crate::read::line::Punctuation;

    use super::*;

    #[track_caller]
    fn check(once: Once, line: &str, expect: &[&str]) {
        let words = Words::cut(line, 0, Punctuation::Separates, Dialect::Interstage);
        let found = once.settings(words.expect("can be cut").all());
        let found: Vec<_> = found.iter().map(|(setting, _)| setting.as_str()).collect();
        assert_eq!(found, expect, "{line}");
    }

    #[test]
    fn words_name_what_a_line_sets() {
        check(Once::First(2), "limit uniform_blocks 3", &["limit uniform_blocks"]);
        check(Once::At(&[0, 2]), "uniform vec2 a 1 2", &["uniform a"]);
        check(Once::At(&[1, 2]), "enable GL_BLEND", &["GL_BLEND"]);
        check(Once::Each(1), "optimise dead constants", &["optimise dead", "optimise constants"]);
        check(Once::Facts(2), "block B size 4 members 1", &["block B size", "block B members"]);
        check(Once::Buffer, "colormask 1 1 1 1", &["colormask"]);
        check(Once::Buffer, "colormask buffer 2 1 1 1 1", &["colormask buffer 2"]);
        check(Once::Whole, "error \"a b\"", &["error a b"]);
        check(Once::Storage, "ssbo 1 8", &["ssbo 1"]);
        check(Once::Storage, "ssbo 1 subdata uint 4 5", &["ssbo 1 subdata 4"]);
        check(Once::Unit, "texture rgbw 1D 2", &["texture 2"]);
        check(Once::Unit, "texture miptree 2", &["texture 2"]);
        check(Once::Unit, "texture quads 2 0 (1, 1)", &["texture 2"]);
        check(Once::Unit, "texture quads 2 1 (1, 1)", &["texture 2 level 1"]);
        check(Once::First(1), "", &[]);
    }
}
