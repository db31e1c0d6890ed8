//! `[link]`: link settings, and expected results of the linker.

mod pair;
mod seam;
mod settings;

use crate::limits::MAX_TARGET_INDEX;
use crate::linking::{
    BlockExpectation, MapExpectation, OutputExpectation, SlotExpectation, VaryingExpectation,
};
use crate::read::line::{Punctuation, Word, Words, read_message, wrong};
use crate::read::once::Once;
use crate::read::point::read_point;
use crate::read::problem::{Parsed, Problem};
use crate::read::reader::Reader;
use crate::read::section::Section;
use crate::{BlockFact, Case, Counter, Likeness, LinkExpectation, LinkSection, MemberFact};
use ir::diagnostic::nearest_word;
use ir::options::{Chunk, ColorChooser, MAX_XFB_BUFFER, PackStep, RemovalReason};
use ir::semantic::{MAX_LOCATION, MAX_SLOT, Semantic, SemanticName, Use};
use ir::source::Spanned;
use ir::vulkan::MAX_BINDING;

use pair::{OpenPair, PAIR};
use seam::{OpenSeam, SEAM};

type ReadLine = fn(&mut Words<'_>, &mut LinkSection) -> Parsed<()>;

/// Leading words of expectations, with the words that identify each. Any other word that is not a setting is the name
/// of a varying. One of these words before a slot position is also a varying's name.
const LINES: [(&str, Once, ReadLine); 26] = [
    ("output", Once::First(2), read_output),
    ("distances", Once::Form(&["masks", "scalars", "count"]), read_distances),
    ("slots", Once::First(1), read_slots),
    ("steps", Once::First(1), read_steps),
    ("carrier", Once::First(2), read_carrier),
    ("unused", Once::First(2), read_unused),
    ("dead", Once::First(2), |words, link| read_removed(words, link, RemovalReason::Dead)),
    ("constant", Once::First(2), |words, link| read_removed(words, link, RemovalReason::Constant)),
    ("uniform", Once::First(2), |words, link| read_removed(words, link, RemovalReason::Uniform)),
    ("duplicate", Once::First(2), |words, link| {
        read_removed(words, link, RemovalReason::Duplicate)
    }),
    ("captured", Once::First(2), read_xfb),
    ("stride", Once::First(2), read_stride),
    ("error", Once::Whole, read_error),
    ("layout", Once::First(1), read_layout),
    ("register", Once::First(2), read_register),
    ("mismatch", Once::First(2), read_mismatch),
    ("two_sided", Once::First(1), read_two_sided),
    ("pipelines", Once::First(1), read_pipelines),
    ("links", Once::First(1), |words, link| read_counter(words, link, Counter::Links)),
    ("identical", Once::First(1), |words, link| read_counter(words, link, Counter::Identical)),
    ("relocations", Once::First(1), |words, link| read_counter(words, link, Counter::Relocations)),
    ("emitted", Once::First(1), |words, link| read_counter(words, link, Counter::Emitted)),
    ("reused", Once::First(1), |words, link| read_counter(words, link, Counter::Reused)),
    ("block", Once::Facts(2), read_block),
    ("member", Once::Facts(2), read_member),
    ("alone", Once::First(1), read_alone),
];

const BLOCK_FACTS: [(&str, BlockFact); 3] =
    [("size", BlockFact::Size), ("binding", BlockFact::Binding), ("members", BlockFact::Members)];

const MEMBER_FACTS: [(&str, MemberFact); 4] = [
    ("offset", MemberFact::Offset),
    ("stride", MemberFact::Stride),
    ("matrix_stride", MemberFact::MatrixStride),
    ("row_major", MemberFact::RowMajor),
];

/// Keywords of the section.
pub(in crate::read) fn known_words() -> impl Iterator<Item = &'static str> {
    let steps = PackStep::ALL.iter().map(|(word, _)| *word);
    let facts = BLOCK_FACTS.iter().map(|(word, _)| *word);
    let facts = facts.chain(MEMBER_FACTS.iter().map(|(word, _)| *word));
    let likenesses = Likeness::ALL.iter().map(|(word, _)| *word);
    first_words().chain(settings::known_words()).chain(steps).chain(facts).chain(likenesses)
}

/// Leading words of all lines.
pub(in crate::read) fn first_words() -> impl Iterator<Item = &'static str> {
    settings::LINES.iter().chain(&LINES).map(|(word, _, _)| *word).chain([PAIR, SEAM])
}

/// Reads the section into `case`.
pub(in crate::read) fn read(reader: &mut Reader<'_>, section: &Section, case: &mut Case) {
    case.link.header = Some(section.header);
    let mut pair: Option<OpenPair> = None;
    let mut seam: Option<OpenSeam> = None;
    reader.each_line(section.body, Punctuation::IsText, |reader, words| {
        let first = words.need("a line of `[link]`")?;
        let is_placement = words.peek().is_some_and(|word| parse_chunk(word.text).is_some());
        if first.text == PAIR && !is_placement {
            OpenPair::close(pair.take(), reader);
            pair = Some(OpenPair::read(words)?);
            reader.give("[link]", Once::Whole.settings(words.all()));
            return Ok(());
        }
        if first.text == SEAM && !is_placement {
            OpenSeam::close(seam.take(), reader);
            seam = OpenSeam::read(words)?;
            reader.give("[link]", Once::Whole.settings(words.all()));
            return Ok(());
        }
        let before = case.link.expectations.len();
        let mut known = settings::LINES.iter().chain(&LINES);
        let known = known.find(|(known, _, _)| *known == first.text && !is_placement);
        let (place, once) = if let Some((_, once, read)) = known {
            read(words, &mut case.link)?;
            ("[link]", *once)
        } else {
            let expectation = read_placement(words, first)?;
            expect(words, &mut case.link, expectation);
            ("[link] places", Once::First(1))
        };
        let mut settings = once.settings(words.all());
        if let Some(seam) = &mut seam {
            seam.narrow(&mut case.link.expectations[before..], first)?;
            for (setting, _) in &mut settings {
                *setting = seam.setting(setting);
            }
        }
        if let Some(pair) = &mut pair {
            pair.narrow(&mut case.link.expectations[before..], first)?;
            for (setting, _) in &mut settings {
                *setting = pair.setting(setting);
            }
        }
        reader.give(place, settings);
        Ok(())
    });
    OpenPair::close(pair, reader);
    OpenSeam::close(seam, reader);
}

/// Adds an expectation for the line `words`.
fn expect(words: &Words<'_>, link: &mut LinkSection, line: impl Into<LinkExpectation>) {
    link.expectations.push(Spanned::new(line.into(), words.span));
}

fn read_alone(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let word = words.need("`same` or `different`")?;
    let Some((_, likeness)) = Likeness::ALL.iter().find(|(known, _)| *known == word.text) else {
        let message = format!("expected `same` or `different`, found `{}`", word.text);
        return Err(wrong(word, message).nearest(word.text, ["same", "different"]));
    };
    expect(words, link, LinkExpectation::Map(MapExpectation::Alone(*likeness)));
    Ok(())
}

fn need_semantic(words: &mut Words<'_>) -> Parsed<Semantic> {
    let word = words.need("a semantic such as `GENERIC[7]`")?;
    word.text.parse().map_err(|message| wrong(word, message))
}

fn read_layout(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let word = words.need("`identity`, `shifted` or `dense`")?;
    let text = match word.text {
        "identity" | "dense" => word.text.to_owned(),
        "shifted" => {
            let by = words.need("`by`")?;
            if by.text != "by" {
                return Err(wrong(by, format!("expected `by`, found `{}`", by.text)));
            }
            format!("shifted by {}", words.integer("the smallest label", 0..=MAX_SLOT)?)
        }
        other => {
            let message = format!("expected `identity`, `shifted` or `dense`, found `{other}`");
            return Err(wrong(word, message));
        }
    };
    expect(words, link, VaryingExpectation::Layout(text));
    Ok(())
}

fn read_register(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let semantic = need_semantic(words)?;
    let reader = if words.take("->") { Some(need_semantic(words)?) } else { None };
    let location = words.integer("a location", 0..=MAX_LOCATION)?;
    expect(words, link, VaryingExpectation::Register { semantic, reader, location });
    Ok(())
}

fn read_mismatch(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let name = words.need("an input")?.text.to_owned();
    expect(words, link, SlotExpectation::Mismatch(name));
    Ok(())
}

fn read_counter(words: &mut Words<'_>, link: &mut LinkSection, counter: Counter) -> Parsed<()> {
    let value = words.integer("how many", 0..=1_000_000)?;
    expect(words, link, LinkExpectation::Counter { counter, value });
    Ok(())
}

fn read_pipelines(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let value = words.integer("how many", 1..=1_000_000)?;
    expect(words, link, LinkExpectation::Pipelines(value));
    Ok(())
}

fn read_two_sided(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let word = words.need("`hardware` or `fragment`")?;
    let chooser = match word.text {
        "hardware" => ColorChooser::Hardware,
        "fragment" => ColorChooser::Fragment,
        other => {
            let message = format!("expected `hardware` or `fragment`, found `{other}`");
            return Err(wrong(word, message).nearest(other, ["hardware", "fragment"]));
        }
    };
    expect(words, link, OutputExpectation::TwoSided(chooser));
    Ok(())
}

fn read_steps(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let mut steps = Vec::new();
    let mut word = words.need("`none`, or steps such as `dense`")?;
    if word.text != "none" {
        loop {
            let Some((_, step)) = PackStep::ALL.iter().find(|(name, _)| *name == word.text) else {
                let message = format!("expected a step of the packer, found `{}`", word.text);
                let known = PackStep::ALL.iter().map(|(name, _)| *name);
                return Err(wrong(word, message).nearest(word.text, known));
            };
            steps.push(*step);
            match words.take_word() {
                Some(next) => word = next,
                None => break,
            }
        }
    }
    expect(words, link, VaryingExpectation::Steps(steps));
    Ok(())
}

fn read_output(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let buffer = words.integer("a draw buffer", 0..=MAX_TARGET_INDEX)?;
    let text = words.need("a type such as `uvec4`, or `none`")?.text.to_owned();
    expect(words, link, OutputExpectation::Fragment { buffer, text });
    Ok(())
}

fn read_distances(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let text = rest_of_line(words, "distances such as `c0 c1 | k0`, or `none`")?;
    expect(words, link, OutputExpectation::Distances(text));
    Ok(())
}

/// The remaining words, at least one, joined with blanks.
fn rest_of_line(words: &mut Words<'_>, what: &str) -> Parsed<String> {
    let mut text = words.need(what)?.text.to_owned();
    while let Some(word) = words.take_word() {
        text.push(' ');
        text.push_str(word.text);
    }
    Ok(text)
}

fn read_carrier(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let slot = words.integer("a slot", 0..=MAX_SLOT)?;
    let text = rest_of_line(words, "a carrier such as `smooth vec3`")?;
    expect(words, link, SlotExpectation::Carrier { slot, text });
    Ok(())
}

fn read_removed(
    words: &mut Words<'_>,
    link: &mut LinkSection,
    reason: RemovalReason,
) -> Parsed<()> {
    let name = words.need("a varying")?.text.to_owned();
    expect(words, link, VaryingExpectation::Removed { name, reason });
    Ok(())
}

fn read_slots(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let count = words.integer("the number of slots", 0..=MAX_LOCATION + 1)?;
    expect(words, link, SlotExpectation::Count(count));
    Ok(())
}

fn read_unused(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let name = words.need("a varying")?.text.to_owned();
    expect(words, link, SlotExpectation::Unused(name));
    Ok(())
}

fn read_xfb(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let name = words.need("a captured output")?.text.to_owned();
    let mut chunks = vec![words.need("its chunks, such as `1.w->5`, or `unwritten`")?.text];
    while let Some(word) = words.take_word() {
        chunks.push(word.text);
    }
    expect(words, link, VaryingExpectation::XfbChunks { name, text: chunks.join(" ") });
    Ok(())
}

fn read_stride(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let buffer = words.integer("the number of the capture buffer", 0..=MAX_XFB_BUFFER)?;
    let bytes = words.integer("the stride in bytes", 0..=u32::MAX)?;
    expect(words, link, OutputExpectation::XfbStride { buffer, bytes });
    Ok(())
}

fn read_error(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let text = read_message(words, "a link error")?;
    expect(words, link, LinkExpectation::Error(text));
    Ok(())
}

fn read_block(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let name = read_path(words, "a block")?;
    let facts = read_facts(words, &BLOCK_FACTS, |words, fact| match fact {
        BlockFact::Binding => read_point(words, "the binding", MAX_BINDING),
        BlockFact::Size | BlockFact::Members => words.integer("the number", 0..=u32::MAX),
    })?;
    expect(words, link, LinkExpectation::Block(BlockExpectation::Whole { name, facts }));
    Ok(())
}

fn read_member(words: &mut Words<'_>, link: &mut LinkSection) -> Parsed<()> {
    let path = read_path(words, "a member such as `Block.member`")?;
    let facts =
        read_facts(words, &MEMBER_FACTS, |words, _| words.integer("the number", 0..=u32::MAX))?;
    expect(words, link, LinkExpectation::Block(BlockExpectation::Member { path, facts }));
    Ok(())
}

/// Reads a block or a part of one. A buffer of WGSL may be named by its place, which in group 0 is the binding alone.
fn read_path(words: &mut Words<'_>, what: &str) -> Parsed<String> {
    let word = words.need(what)?;
    match word.text.strip_prefix("0:") {
        Some(rest) => Err(wrong(word, format!("omit the number of group 0: write `{rest}`"))),
        None => Ok(word.text.to_owned()),
    }
}

/// Reads pairs of a word and a number, at least one.
fn read_facts<T: Copy>(
    words: &mut Words<'_>,
    known: &[(&str, T)],
    read_number: impl Fn(&mut Words<'_>, T) -> Parsed<u32>,
) -> Parsed<Vec<(T, u32)>> {
    let mut facts = Vec::new();
    while facts.is_empty() || words.has_more() {
        let word = words.need("what is expected")?;
        let names = || known.iter().map(|(name, _)| *name);
        let Some((_, fact)) = known.iter().find(|(name, _)| *name == word.text) else {
            let message = format!("`{}` cannot be expected here", word.text);
            return Err(wrong(word, message).nearest(word.text, names()));
        };
        facts.push((*fact, read_number(words, *fact)?));
    }
    Ok(facts)
}

fn read_placement(words: &mut Words<'_>, name: Word<'_>) -> Parsed<SlotExpectation> {
    let mut chunks = Vec::new();
    while let Some(word) = words.take_word() {
        let Some(chunk) = parse_chunk(word.text) else {
            return Err(not_a_chunk(name, word));
        };
        if let Some(joined) = chunks.last().and_then(|before| joined(*before, chunk, word)) {
            let message = "components of a slot that follow each other are written together";
            return Err(wrong(word, message).with_help(format!("write `{joined}`")));
        }
        chunks.push(chunk);
    }
    if chunks.is_empty() {
        let error = wrong(name, format!("`{}` has no place", name.text));
        return Err(error
            .nearest(name.text, first_words())
            .with_help("a place is `0.xy`: slot 0, components x and y"));
    }
    Ok(SlotExpectation::Placement { name: name.text.to_owned(), chunks })
}

/// The place that two places are together, if the second one goes on where the first one ends. `word` is the second one.
fn joined(before: Chunk, chunk: Chunk, word: Word<'_>) -> Option<String> {
    let goes_on = before.slot == chunk.slot && before.component + before.count == chunk.component;
    let (slot, _) = word.text.split_once('.').filter(|_| goes_on)?;
    let components = usize::from(before.component)..usize::from(chunk.component + chunk.count);
    Some(format!("{slot}.{}", "xyzw".get(components)?))
}

/// The error for a malformed slot position. If the line's first word resembles a keyword, that is the likelier
/// mistake.
fn not_a_chunk(name: Word<'_>, word: Word<'_>) -> Problem {
    match nearest_word(name.text, first_words()) {
        Some(known) => wrong(name, format!("unknown word `{}`", name.text))
            .with_help(format!("did you mean `{known}`?")),
        None => wrong(word, format!("expected a place, found `{}`", word.text))
            .with_help("a place is `0.xy`: slot 0, components x and y"),
    }
}

/// Parses `0.xy` or `COLOR[0].xy`: a slot, a dot, and consecutive components.
fn parse_chunk(text: &str) -> Option<Chunk> {
    let (slot, components) = text.split_once('.')?;
    let slot = if slot.bytes().all(|byte| byte.is_ascii_digit()) {
        slot.parse().ok().filter(|slot| *slot <= MAX_SLOT)?
    } else {
        let semantic: Semantic = slot.parse().ok()?;
        let is_number = semantic.name == SemanticName::Generic;
        Some(semantic.key()).filter(|_| !is_number && semantic.check(Use::Intermediate).is_ok())?
    };
    let component = "xyzw".find(components)?;
    let count = u8::try_from(components.len()).ok().filter(|count| *count > 0)?;
    Some(Chunk { slot, component: u8::try_from(component).ok()?, count })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::Dialect;
    use crate::read::parse::tests::messages;
    use ir::options::PackMode;
    use ir::stage::ShaderStage;

    use super::*;

    fn read_lines(lines: &str) -> Result<Case, String> {
        messages(
            &format!("[link]\n{lines}\n[test]\nlink success\n[vertex shader passthrough]\n"),
            Dialect::Interstage,
        )
    }

    #[track_caller]
    fn check_error(lines: &str, expect: &Expect) {
        expect.assert_eq(&read_lines(lines).expect_err("is wrong"));
    }

    #[test]
    fn a_run_of_components_is_one_place() {
        check_error(
            "b 0.z 0.w",
            &expect![
                "2:7: components of a slot that follow each other are written together (help: write `0.zw`)"
            ],
        );
        assert!(read_lines("b 0.w 0.z").is_ok() && read_lines("b 0.z 1.w").is_ok());
    }

    #[test]
    fn places_are_runs_of_components() {
        let chunk = |slot, component, count| Some(Chunk { slot, component, count });
        assert_eq!(parse_chunk("0.xy"), chunk(0, 0, 2));
        assert_eq!(parse_chunk("12.w"), chunk(12, 3, 1));
        assert_eq!(parse_chunk("1.yzw"), chunk(1, 1, 3));
        let color = Semantic { name: SemanticName::Color, index: 1 };
        assert_eq!(parse_chunk("COLOR[1].zw"), chunk(color.key(), 2, 2));
        for text in [
            "GENERIC[1].x",
            "COLOR[2].x",
            "COLOR.",
            "0",
            "0.",
            ".x",
            "0.xz",
            "0.yx",
            "0.xyzwx",
            "-1.x",
            "+1.x",
            "1073741824.x",
            "a.x",
        ] {
            assert_eq!(parse_chunk(text), None, "{text}");
        }
    }

    #[test]
    fn group_0_of_a_buffer_is_not_written() {
        for line in ["block 0:1 size 4", "member 0:1 offset 0", "block u binding 0:1"] {
            let error = read_lines(line).expect_err("is wrong");
            assert!(error.contains("omit the number of group 0: write `1`"), "{error}");
        }
        read_lines("block 2:3 size 4 binding 2:3\nmember 3.a offset 0").expect("is a case");
    }

    #[test]
    fn lines_are_settings_or_expectations() {
        let case =
            read_lines("profile webgpu\npack scalar\nslots 3\nd 1.w 2.x\nm[1] 1.yzw\nunused b")
                .expect("is a case");
        assert_eq!(case.link.packing.mode, PackMode::Scalar);
        let found: Vec<_> = case.link.expectations.into_iter().map(|line| line.value).collect();
        let place = |slot, component, count| Chunk { slot, component, count };
        assert_eq!(
            found,
            [
                SlotExpectation::Count(3),
                SlotExpectation::Placement {
                    name: "d".into(),
                    chunks: vec![place(1, 3, 1), place(2, 0, 1)]
                },
                SlotExpectation::Placement { name: "m[1]".into(), chunks: vec![place(1, 1, 3)] },
                SlotExpectation::Unused("b".into()),
            ]
            .map(LinkExpectation::from)
        );
        let text = "[link]\nerror \"not written\"\n";
        let case = messages(text, Dialect::Interstage).expect("is a case");
        let error = LinkExpectation::Error("not written".into());
        assert_eq!(case.link.expectations[0].value, error);
    }

    #[test]
    fn a_linkage_table_has_each_label_once_and_names_belong_to_spirv() {
        check_error(
            "linkage GENERIC[3] GENERIC[7]",
            &expect!["2:20: expected `->`, found `GENERIC[7]`"],
        );
        check_error(
            "linkage BCOLOR[0] -> GENERIC[7]",
            &expect![
                "2:9: `BCOLOR[0]` cannot match another label: back faces show BCOLOR in place of COLOR (help: COLOR, FOG, GENERIC and TEXCOORD can)"
            ],
        );
        check_error(
            "linkage GENERIC[7] -> FACE",
            &expect![
                "2:23: `FACE` cannot match another label: it is `gl_FrontFacing` (help: COLOR, FOG, GENERIC and TEXCOORD can)"
            ],
        );
        check_error(
            "linkage GENERIC[7] -> COLOR[2]",
            &expect!["2:23: `COLOR[2]` cannot be used between stages: COLOR has indices 0 to 1"],
        );
        check_error(
            "linkage GENERIC[3] -> GENERIC[1073741824]",
            &expect![
                "2:23: `GENERIC[1073741824]` cannot be used between stages: GENERIC has indices 0 to 1073741823"
            ],
        );
        check_error(
            "linkage GENERIC[3] -> GENERIC[3]",
            &expect![
                "2:23: `GENERIC[3]` goes to `GENERIC[3]` without this line (help: leave out the line: only a label that matches a different one needs one)"
            ],
        );
        check_error(
            "linkage GENERIC[3] -> GENERIC[7]\nlinkage GENERIC[3] -> GENERIC[8]",
            &expect![
                "3:20: `GENERIC[3]` goes to `GENERIC[7]` already (help: an output can go to one input only)"
            ],
        );
        check_error(
            "linkage GENERIC[3] -> GENERIC[7]\nlinkage GENERIC[4] -> GENERIC[7]",
            &expect![
                "3:1: `linkage GENERIC[7]` is given twice, first in line 2 (help: one of them has no effect, or contradicts the other; keep one)"
            ],
        );
        check_error(
            "debug_names on",
            &expect![
                "2:1: `debug_names` has no effect here (help: only SPIR-V modules have debug names)"
            ],
        );
    }

    #[test]
    fn limits_of_labels_are_about_stages_of_the_case() {
        check_error(
            "generics control 300",
            &expect![[r"
                2:1: there are only 256 labels here (help: `profile software` takes more)
                2:1: `generics control` has no effect here (help: the case has no tessellation control stage)"]],
        );
        let words = ShaderStage::OF_DRAWS.iter().map(|stage| format!("`{}`", stage.word()));
        let words = words.collect::<Vec<_>>().join(", ");
        let expected = format!(
            "2:10: expected one of {words}, found `geometri` (help: did you mean `geometry`?)"
        );
        assert_eq!(read_lines("generics geometri 3").expect_err("is wrong"), expected);
    }

    #[test]
    fn mistakes_are_named() {
        check_error("slotz 3", &expect!["2:1: unknown word `slotz` (help: did you mean `slots`?)"]);
        check_error(
            "uv 0.zx",
            &expect![[r"
            2:4: expected a place, found `0.zx` (help: a place is `0.xy`: slot 0, components x and y)"]],
        );
        check_error(
            "uv",
            &expect![
                "2:1: `uv` has no place (help: a place is `0.xy`: slot 0, components x and y)"
            ],
        );
        check_error(
            "error text",
            &expect!["2:7: expected a part of the message in quotes, found `text`"],
        );
        check_error(
            "pack of",
            &expect!["2:6: expected `on`, `off`, `scalar` or `dense`, found `of`"],
        );
        check_error(
            "profile sm33",
            &expect![[r"2:9: there is no linkage profile `sm33` (help: did you mean `sm3`?)"]],
        );
        check_error(
            "semantic a GENERICS[1]",
            &expect![[r"2:12: `GENERICS[1]` is not a semantic such as `GENERIC[7]` or `FOG`"]],
        );
    }
}
