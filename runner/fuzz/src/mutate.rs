//! Mutations of bytes, of a text's numbers, words and lines, and of the words of SPIR-V.

use std::ops::Range;

use fastrand::Rng;

use crate::section::MAGIC;

/// Maximum number of mutations of one input.
const MUTATIONS: usize = 6;

/// Maximum bytes of a mutated input.
const MAX_BYTES: usize = 256 << 10;

/// Numbers at the limits of types and tables, as text.
const NUMBERS: [&str; 24] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "4",
    "7",
    "16",
    "31",
    "32",
    "33",
    "64",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "18446744073709551616",
    "1e39",
    "0x80000000",
    "-2147483648",
];

/// Fragments of text that often break parsers.
const PIECES: [&str; 16] = [
    "(", ")", "[", "]", "{", "}", "\"", "\n", "\\\n", "#", "/*", "//", "é", "\u{feff}", "\0", "${",
];

/// Derives inputs from seeds.
#[derive(Debug)]
pub(crate) struct Mutator {
    random: Rng,
}

type Mutation = fn(&mut Mutator, &mut Vec<u8>, &[u8]);

/// Mutations of texts.
const OF_TEXT: [Mutation; 12] = [
    Mutator::replace_number,
    Mutator::replace_number,
    Mutator::replace_word,
    Mutator::replace_word,
    Mutator::remove_lines,
    Mutator::double_lines,
    Mutator::move_line,
    Mutator::take_line,
    Mutator::take_line,
    Mutator::insert_piece,
    Mutator::repeat_piece,
    Mutator::change_bytes,
];

/// Mutations of SPIR-V binaries.
const OF_WORDS: [Mutation; 4] = [
    |mutator, input, _| mutator.replace_binary_word(input),
    |mutator, input, _| mutator.replace_binary_word(input),
    Mutator::repeat_or_remove_binary_words,
    Mutator::change_bytes,
];

impl Mutator {
    /// Creates mutations that depend only on this seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: Rng::with_seed(seed) }
    }

    /// A random element of the list.
    pub(crate) fn choose<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        self.random.choice(all)
    }

    /// A mutated copy of `seed`, with parts of `donor` in it.
    pub(crate) fn mutated(&mut self, seed: &[u8], donor: &[u8]) -> Vec<u8> {
        let mut input = seed.to_vec();
        let is_binary = binary_start(seed).is_some();
        for _ in 0..self.random.usize(1..=MUTATIONS) {
            let mutations = if is_binary { &OF_WORDS[..] } else { &OF_TEXT[..] };
            let mutation = mutations[self.random.usize(..mutations.len())];
            mutation(self, &mut input, donor);
        }
        input.truncate(MAX_BYTES);
        input
    }

    /// A range of bytes, rarely long; `None` for an empty input.
    fn part(&mut self, length: usize) -> Range<usize> {
        let start = self.random.usize(..=length);
        let most = if self.random.u8(..8) == 0 { length } else { 8 };
        start..length.min(start + self.random.usize(..=most))
    }

    fn replace_number(&mut self, input: &mut Vec<u8>, _: &[u8]) {
        let numbers = runs(input, u8::is_ascii_digit);
        let Some(at) = self.random.choice(numbers) else { return };
        let number = NUMBERS[self.random.usize(..NUMBERS.len())];
        input.splice(at, number.bytes());
    }

    fn replace_word(&mut self, input: &mut Vec<u8>, donor: &[u8]) {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let words = if self.random.bool() { donor.to_vec() } else { input.clone() };
        let other = self.random.choice(runs(&words, is_word)).map(|word| words[word].to_vec());
        let word = self.random.choice(runs(input, is_word));
        if let (Some(word), Some(other)) = (word, other) {
            input.splice(word, other);
        }
    }

    /// A range of lines, rarely long.
    fn some_lines(&mut self, input: &[u8]) -> Range<usize> {
        let lines = lines(input);
        if lines.is_empty() {
            return 0..0;
        }
        let first = self.random.usize(..lines.len());
        let most = if self.random.u8(..4) == 0 { lines.len() } else { 2 };
        let last = (first + self.random.usize(..most)).min(lines.len() - 1);
        lines[first].start..lines[last].end
    }

    fn remove_lines(&mut self, input: &mut Vec<u8>, _: &[u8]) {
        let lines = self.some_lines(input);
        input.drain(lines);
    }

    fn double_lines(&mut self, input: &mut Vec<u8>, _: &[u8]) {
        let lines = self.some_lines(input);
        let copy = input[lines.clone()].to_vec();
        input.splice(lines.end..lines.end, copy);
    }

    fn move_line(&mut self, input: &mut Vec<u8>, _: &[u8]) {
        let Some(line) = self.random.choice(lines(input)) else { return };
        let line: Vec<u8> = input.drain(line).collect();
        let to = self.random.choice(lines(input)).map_or(0, |line| line.start);
        input.splice(to..to, line);
    }

    fn take_line(&mut self, input: &mut Vec<u8>, donor: &[u8]) {
        let Some(line) = self.random.choice(lines(donor)) else { return };
        let to = self.random.choice(lines(input)).map_or(0, |line| line.start);
        input.splice(to..to, donor[line].iter().copied());
    }

    fn insert_piece(&mut self, input: &mut Vec<u8>, _: &[u8]) {
        let piece = PIECES[self.random.usize(..PIECES.len())];
        let at = self.random.usize(..=input.len());
        input.splice(at..at, piece.bytes());
    }

    /// Inserts a short piece many times, which nests or chains whatever it begins.
    fn repeat_piece(&mut self, input: &mut Vec<u8>, _: &[u8]) {
        let start = self.random.usize(..=input.len());
        let end = input.len().min(start + self.random.usize(..12));
        let count = 1 << self.random.u32(..14).min(self.random.u32(..14));
        let piece = input[start..end].repeat(count);
        input.splice(end..end, piece);
    }

    fn change_bytes(&mut self, input: &mut Vec<u8>, donor: &[u8]) {
        let part = self.part(input.len());
        match self.random.u8(..4) {
            0 => drop(input.drain(part)),
            1 => {
                let other = self.part(donor.len());
                input.splice(part, donor[other].iter().copied());
            }
            2 => input.truncate(part.start),
            _ => input[part].iter_mut().for_each(|byte| *byte ^= 1 << self.random.u32(..8)),
        }
    }

    /// Replaces a word of SPIR-V: small numbers are ids and enumerants, and some are the first word of an instruction.
    fn replace_binary_word(&mut self, input: &mut [u8]) {
        let Some(at) = self.binary_word(input) else { return };
        let word = match self.random.u8(..8) {
            0..4 => self.random.u32(..100),
            4 => self.random.u32(..),
            5 => u32::MAX,
            _ => self.random.u32(1..6) << 16 | self.random.u32(..400),
        };
        input[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }

    fn repeat_or_remove_binary_words(&mut self, input: &mut Vec<u8>, _: &[u8]) {
        let Some(at) = self.binary_word(input) else { return };
        let end = at + ((input.len() - at) / 4).min(self.random.usize(..20)) * 4;
        if self.random.bool() {
            let copy = input[at..end].to_vec();
            input.splice(at..at, copy);
        } else {
            input.drain(at..end);
        }
    }

    /// Offset of a word after the five words of the header.
    fn binary_word(&mut self, input: &[u8]) -> Option<usize> {
        let start = binary_start(input)?;
        let count = ((input.len() - start) / 4).checked_sub(5).filter(|count| *count > 0)?;
        Some(start + (5 + self.random.usize(..count)) * 4)
    }
}

/// Offset of a binary, after the header line; `None` for a text.
fn binary_start(input: &[u8]) -> Option<usize> {
    let start = 1 + input.iter().position(|byte| *byte == b'\n')?;
    input[start..].starts_with(&MAGIC).then_some(start)
}

/// The longest runs of bytes for which `is_it` holds.
fn runs(input: &[u8], is_it: impl Fn(&u8) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in input.iter().enumerate().filter(|(_, byte)| is_it(byte)) {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            Some(_) | None => runs.push(at..at + 1),
        }
    }
    runs
}

/// The lines, each with its line end.
pub(crate) fn lines(input: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    let line = |line: &[u8]| {
        let range = start..start + line.len();
        start = range.end;
        range
    };
    input.split_inclusive(|byte| *byte == b'\n').map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_inputs() {
        let inputs = |seed| {
            let mut mutator = Mutator::new(seed);
            (0..50).map(|_| mutator.mutated(b"a 1\nb 2\n", b"c 3\n")).collect::<Vec<_>>()
        };
        assert_eq!(inputs(1), inputs(1));
        assert_ne!(inputs(1), inputs(2));
    }

    #[test]
    fn every_mutation_takes_any_input_and_changes_some() {
        let binary = [b"[vertex shader]\n", &MAGIC[..], &[7; 40]].concat();
        for mutation in OF_TEXT.into_iter().chain(OF_WORDS) {
            let mut mutator = Mutator::new(3);
            let mut changed = 0;
            for _ in 0..200 {
                for seed in [&b""[..], b"x", b"\n", b"a 10 b\nc\nd", &binary] {
                    let mut input = seed.to_vec();
                    mutation(&mut mutator, &mut input, b"e 5\nf");
                    changed += usize::from(input != seed);
                }
            }
            assert!(changed > 0);
        }
    }

    #[test]
    fn words_of_binaries_stay_words() {
        let binary = [b"[vertex shader]\n", &MAGIC[..], &[7; 64]].concat();
        let mut mutator = Mutator::new(5);
        for _ in 0..100 {
            let mut input = binary.clone();
            mutator.replace_binary_word(&mut input);
            assert_eq!((binary_start(&input), input.len()), (Some(16), binary.len()));
            assert_eq!(input[..36], binary[..36], "the header is kept");
        }
    }

    #[test]
    fn runs_and_lines_are_found() {
        assert_eq!(runs(b"a12 3", u8::is_ascii_digit), [1..3, 4..5]);
        assert_eq!(lines(b"a\n\nb"), [0..2, 2..3, 3..4]);
        assert_eq!(lines(b""), []);
    }
}
