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
mod tests;
