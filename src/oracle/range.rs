//! Values that an adapter may return: the values of several runs, and a margin around them.

use std::fmt;

use ir::format::{ChannelValue, Format, FormatClass, Texel};
use ir::readback::{Image, Snapshot};

/// Width up to which a range of a float decides something, as a part of its largest absolute value.
const WIDEST_PART: f64 = 1.0 / 64.0;

/// Width up to which any range of a float decides something: a sine may be wrong by 1/2048.
const WIDEST: f64 = 1.0 / 256.0;

/// Maximum number of steps of a rounded format in a range: one for rounding, the others for blending.
const MOST_STEPS: u32 = 4;

/// Least value at which a word of a buffer counts as a float instead of an integer.
const LEAST_FLOAT: f64 = 1e-20;

/// Width and height of a tile in pixels. Neighbouring values come from the same operations, so the widest range in a
/// tile applies to all of its values.
const TILE: usize = 8;

/// The values that an adapter may return in one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expected {
    /// Exactly this value: a word of a buffer, or a channel as a number.
    Exactly(f64),
    /// A float in this range.
    Between {
        /// Least value.
        least: f64,
        /// Largest value.
        most: f64,
    },
    /// Any value: rounding decides, or the behaviour is undefined.
    Undecided,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(value) => write!(f, "{value}"),
            Self::Between { least, most } => write!(f, "{least} to {most}"),
            Self::Undecided => f.write_str("anything"),
        }
    }
}

impl Expected {
    fn allows(self, found: f64) -> bool {
        match self {
            #[expect(clippy::float_cmp, reason = "exactly this value")]
            Self::Exactly(value) => value == found,
            Self::Between { least, most } => (least..=most).contains(&found),
            Self::Undecided => true,
        }
    }

    fn width(self) -> f64 {
        match self {
            Self::Between { least, most } => most - least,
            Self::Exactly(_) | Self::Undecided => 0.0,
        }
    }

    /// Widens the range by a margin on both sides.
    fn widened(self, by: f64) -> Self {
        match self {
            _ if by <= 0.0 => self,
            Self::Between { least, most } => Self::Between { least: least - by, most: most + by },
            Self::Exactly(value) => Self::Between { least: value - by, most: value + by },
            Self::Undecided => self,
        }
    }

    /// The expected value for the values of all runs. Values that differ are a range if they are near each other, and
    /// otherwise undecided.
    fn of(values: &[f64], is_near: impl FnOnce([f64; 2]) -> bool) -> Self {
        let [first, ..] = *values else { return Self::Undecided };
        if values.iter().any(|value| value.is_nan()) {
            return Self::Undecided;
        }
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if least >= most {
            return Self::Exactly(first);
        }
        if is_near([least, most]) { Self::Between { least, most } } else { Self::Undecided }
    }
}

/// True if a range is narrow enough to decide something. False for infinity.
fn is_narrow([least, most]: [f64; 2]) -> bool {
    let width = most - least;
    width.is_finite() && width <= WIDEST.max(WIDEST_PART * least.abs().max(most.abs()))
}

/// Result of comparing a snapshot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Number of values that were compared.
    pub decided: usize,
    /// Number of values that are undecided.
    pub undecided: usize,
    /// Number of values that differ from the expected ones.
    pub different: usize,
    /// The first differing value: its place, the value found, and the expected one.
    pub first: Option<(String, String, Expected)>,
}

impl Comparison {
    /// True if too many values are undecided for a useful result: more than a tenth.
    pub const fn is_vague(&self) -> bool {
        self.decided == 0 || self.undecided > (self.decided + self.undecided) / 10
    }

    /// The counts as a line of a failure.
    pub fn counts(&self) -> String {
        let Self { decided, undecided, different, .. } = self;
        format!("values    {different} of {decided} differ, {undecided} are not decided")
    }

    /// Adds the counts of `other`; the first difference stays the first.
    pub fn add(&mut self, other: &Self) {
        self.decided += other.decided;
        self.undecided += other.undecided;
        self.different += other.different;
        self.first = self.first.take().or_else(|| other.first.clone());
    }

    /// Compares a value; `place` is called only if it differs.
    fn value(&mut self, expected: Expected, found: f64, place: impl FnOnce() -> String) {
        if expected == Expected::Undecided {
            self.undecided += 1;
            return;
        }
        self.decided += 1;
        if !expected.allows(found) {
            self.different += 1;
            self.first.get_or_insert_with(|| (place(), found.to_string(), expected));
        }
    }

    /// The result for a snapshot of a run whose shape differs between the executor's runs: nothing is known.
    fn unknown(found: &Snapshot) -> Self {
        let undecided = match found {
            Snapshot::Image(image) => image.bytes.len() / image.format.bytes_per_texel().max(1),
            Snapshot::Buffer(bytes) => bytes.len() / 4,
            Snapshot::Count(_) => 1,
        };
        Self { undecided, ..Self::default() }
    }

    fn of_another_shape() -> Self {
        let first = Some(("the whole".to_owned(), "another size".to_owned(), Expected::Undecided));
        Self { different: 1, first, ..Self::default() }
    }
}

/// Compares a snapshot with those of all runs on the executor; the first run is without noise. Floats may differ by
/// `slack` more, which has a value for each channel; the first is for words of buffers.
pub fn compare(runs: &[&Snapshot], found: &Snapshot, slack: [f64; 4]) -> Comparison {
    match (runs.first(), found) {
        (Some(Snapshot::Image(first)), Snapshot::Image(found)) => {
            let all: Option<Vec<&Image>> = runs
                .iter()
                .map(|run| match run {
                    Snapshot::Image(image) => is_alike(first, image).then_some(&**image),
                    Snapshot::Buffer(_) | Snapshot::Count(_) => None,
                })
                .collect();
            match all {
                _ if !is_alike(first, found) => Comparison::of_another_shape(),
                Some(all) => Images::new(&all, found, slack).compare(),
                None => Comparison::unknown(&Snapshot::Image(found.clone())),
            }
        }
        (Some(Snapshot::Buffer(first)), Snapshot::Buffer(found)) => {
            let all: Option<Vec<&[u8]>> = runs
                .iter()
                .map(|run| match run {
                    Snapshot::Buffer(bytes) if bytes.len() == first.len() => Some(&bytes[..]),
                    Snapshot::Buffer(_) | Snapshot::Image(_) | Snapshot::Count(_) => None,
                })
                .collect();
            match all {
                _ if found.len() != first.len() => Comparison::of_another_shape(),
                Some(all) => compare_words(&all, found, slack[0]),
                None => Comparison::unknown(&Snapshot::Buffer(found.clone())),
            }
        }
        (Some(Snapshot::Count(_)), Snapshot::Count(found)) => {
            let counts: Vec<_> = runs
                .iter()
                .map(|run| match run {
                    Snapshot::Count(count) => f64::from(*count),
                    Snapshot::Image(_) | Snapshot::Buffer(_) => f64::NAN,
                })
                .collect();
            let mut comparison = Comparison::default();
            let expected = Expected::of(&counts, |_| false);
            comparison.value(expected, f64::from(*found), || "the count".to_owned());
            comparison
        }
        (None, _) => Comparison::unknown(found),
        (Some(_), _) => Comparison::of_another_shape(),
    }
}

/// True if both images are complete and have the same format and size.
fn is_alike(first: &Image, other: &Image) -> bool {
    let shape = |image: &Image| (image.format, image.width, image.height, image.bytes.len());
    shape(first) == shape(other) && first.is_whole() && other.is_whole()
}

/// A channel of a texel.
struct Value {
    texel: usize,
    channel: usize,
    expected: Expected,
    found: f64,
    /// True if the format rounds, and the runs differ by at most one of its steps.
    is_rounded: bool,
}

/// One channel of a tile. Neighbouring values come from the same operations, so what rounding does to one of them it
/// may do to the others.
#[derive(Clone, Copy, Debug, Default)]
struct Channel {
    /// The widest range, which applies to all values that depend on rounding.
    widest: f64,
    /// Range over all runs of the undecided values: both sides of an edge.
    jump: Option<[f64; 2]>,
}

impl Channel {
    fn add(&mut self, values: &[f64], expected: Expected, is_rounded: bool) {
        if !is_rounded {
            self.widest = self.widest.max(expected.width());
        }
        if expected == Expected::Undecided {
            let [least, most] = self.jump.unwrap_or([f64::INFINITY, f64::NEG_INFINITY]);
            let least = values.iter().copied().fold(least, f64::min);
            self.jump = Some([least, values.iter().copied().fold(most, f64::max)]);
        }
    }

    /// True if an unexpected value lies on an edge that crosses the tile.
    fn jumps_to(self, found: f64) -> bool {
        self.jump.is_some_and(|[least, most]| (least..=most).contains(&found))
    }
}

/// Images of the same format and size.
struct Images<'a> {
    runs: &'a [&'a Image],
    found: &'a Image,
    format: Format,
    columns: usize,
    /// Bytes of one texel.
    each: usize,
    channels: usize,
    is_float: bool,
    /// Additional differences that floats may have.
    slack: [f64; 4],
}

impl<'a> Images<'a> {
    fn new(runs: &'a [&'a Image], found: &'a Image, slack: [f64; 4]) -> Self {
        let format = found.format;
        Self {
            runs,
            found,
            format,
            columns: usize::try_from(found.width).unwrap_or(0),
            each: format.bytes_per_texel(),
            channels: format.channel_count(),
            is_float: format.class() == FormatClass::Float,
            slack,
        }
    }

    fn compare(&self) -> Comparison {
        let mut comparison = Comparison::default();
        let rows = usize::try_from(self.found.height).unwrap_or(0);
        if self.runs.iter().all(|run| run.bytes == self.found.bytes) && !self.is_float {
            return Comparison { decided: rows * self.columns * self.channels, ..comparison };
        }
        for top in (0..rows).step_by(TILE) {
            for left in (0..self.columns).step_by(TILE) {
                let columns = left..(left + TILE).min(self.columns);
                let texels = (top..(top + TILE).min(rows))
                    .flat_map(|y| columns.clone().map(move |x| y * self.columns + x));
                self.compare_tile(&texels.collect::<Vec<_>>(), &mut comparison);
            }
        }
        comparison
    }

    /// Compares the texels of a tile. Neighbouring values come from the same operations: see [`Channel`].
    fn compare_tile(&self, texels: &[usize], comparison: &mut Comparison) {
        let mut ranges = Vec::new();
        let mut tile = [Channel::default(); 4];
        for texel in texels {
            let bytes = |image: &'a Image| image.bytes.get(texel * self.each..).unwrap_or(&[]);
            let own = |image: &'a Image| bytes(image).get(..self.each).unwrap_or(&[]);
            let found = own(self.found);
            let is_same = self.runs.iter().all(|run| own(run) == found);
            if is_same && !(self.is_float && self.has_nan(found)) {
                comparison.decided += self.channels;
                continue;
            }
            let runs: Vec<_> = self.runs.iter().map(|run| self.format.decode(own(run))).collect();
            let found = self.format.decode(found);
            for (channel, tile) in tile.iter_mut().enumerate().take(self.channels) {
                let steps = self.steps(&runs, channel);
                let values: Vec<_> = runs.iter().map(|run| number(run.values[channel])).collect();
                let expected = Expected::of(&values, |range| {
                    self.is_float && (is_narrow(range) || steps.is_some_and(|n| n <= MOST_STEPS))
                });
                // One rounding gives one of the two neighbours of a value, and both are in the range.
                let is_rounded = !self.is_float || steps.is_some_and(|steps| steps <= 1);
                tile.add(&values, expected, is_rounded);
                let found = number(found.values[channel]);
                ranges.push(Value { texel: *texel, channel, expected, found, is_rounded });
            }
        }
        for Value { texel, channel, expected, found, is_rounded } in ranges {
            let slack = if self.is_float { self.slack[channel] } else { 0.0 };
            let by = slack + if is_rounded { 0.0 } else { tile[channel].widest };
            let expected = expected.widened(by);
            if !expected.allows(found) && tile[channel].jumps_to(found) {
                comparison.undecided += 1;
                continue;
            }
            comparison.value(expected, found, || {
                let name = ["red", "green", "blue", "alpha"].get(channel).copied().unwrap_or("");
                format!("{name} of pixel ({}, {})", texel % self.columns, texel / self.columns)
            });
        }
    }

    /// Distance between the values of all runs in steps of the format; `None` for NaN, and for single precision, which
    /// is not rounded here.
    fn steps(&self, runs: &[Texel], channel: usize) -> Option<u32> {
        if self.format.channel_bits(channel) > 16 {
            return None;
        }
        let first = runs.first()?.bits[channel];
        let distance = |run: &Texel| self.format.ulp_distance(channel, first, run.bits[channel]);
        runs.iter().map(distance).try_fold(0, |most, own| Some(own?.max(most)))
    }

    fn has_nan(&self, texel: &[u8]) -> bool {
        self.format.decode(texel).values.iter().any(|value| number(*value).is_nan())
    }
}

fn number(value: ChannelValue) -> f64 {
    match value {
        ChannelValue::Float(value) => f64::from(value),
        ChannelValue::Sint(value) => f64::from(value),
        ChannelValue::Uint(value) => f64::from(value),
    }
}

/// Number of words in a group of a buffer: 64 bytes.
const GROUP: usize = 16;

/// A word whose float value lies in this range is surely a float.
const FLOATS: [f64; 2] = [1e-6, 1e6];

/// Compares the words of a buffer. Where all runs have the same word, it is compared as bits, otherwise as a float if
/// it looks like one. The widest range of a group, relative to its value, applies to all floats of the group.
fn compare_words(runs: &[&[u8]], found: &[u8], slack: f64) -> Comparison {
    let mut comparison = Comparison::default();
    for group in (0..found.len()).step_by(4 * GROUP) {
        let places = (group..found.len().min(group + 4 * GROUP)).step_by(4);
        let all: Vec<_> = places
            .map(|at| {
                let words: Vec<_> = runs.iter().map(|run| word(run, at)).collect();
                (at, expected_word(&words), word(found, at))
            })
            .collect();
        let size = |expected: Expected| match expected {
            Expected::Between { least, most } => least.abs().max(most.abs()),
            Expected::Exactly(value) => value.abs(),
            Expected::Undecided => 0.0,
        };
        let parts = all.iter().map(|(_, (expected, _), _)| expected.width() / size(*expected));
        let widest = parts.fold(0.0, f64::max);
        let jumps = jumps_of(runs, all.iter().map(|(at, (expected, _), _)| (*at, *expected)));
        for (at, (expected, is_float), found) in all {
            let real = f32::from_bits(found);
            let place = || format!("the {} at byte {at}", if is_float { "float" } else { "word" });
            let (expected, value) = if is_float {
                (expected.widened(slack + widest * size(expected)), f64::from(real))
            } else {
                (expected, f64::from(found))
            };
            let own = runs.first().map(|run| word(run, at));
            let is_edge = own.is_some_and(|own| jumps.contains(&own)) && jumps.contains(&found);
            if !expected.allows(value) && is_edge {
                comparison.undecided += 1;
                continue;
            }
            comparison.value(expected, value, place);
        }
    }
    comparison
}

/// The undecided words of a group in all runs: the values on both sides of an edge. A word beside them that the executor
/// has on one side and the adapter on the other lies on the same edge.
fn jumps_of(runs: &[&[u8]], group: impl Iterator<Item = (usize, Expected)>) -> Vec<u32> {
    let undecided = group.filter(|(_, expected)| *expected == Expected::Undecided);
    undecided.flat_map(|(at, _)| runs.iter().map(move |run| word(run, at))).collect()
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    let own = bytes.get(at..).unwrap_or(&[]);
    word.iter_mut().zip(own).for_each(|(place, byte)| *place = *byte);
    u32::from_le_bytes(word)
}

/// The expected value of a word, and whether it is a float.
fn expected_word(words: &[u32]) -> (Expected, bool) {
    let floats: Vec<_> = words.iter().map(|word| f64::from(f32::from_bits(*word))).collect();
    let first = words.first().copied().unwrap_or(0);
    if words.iter().all(|word| *word == first) {
        let is_float = floats.iter().all(|value| (FLOATS[0]..FLOATS[1]).contains(&value.abs()));
        let bits = f64::from(first);
        return (
            Expected::Exactly(floats.first().copied().filter(|_| is_float).unwrap_or(bits)),
            is_float,
        );
    }
    let is_float = floats.iter().all(|value| *value == 0.0 || value.abs() >= LEAST_FLOAT);
    (Expected::of(&floats, |range| is_float && is_narrow(range)), true)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn image(format: Format, texels: &[f32]) -> Snapshot {
        let bytes = match format.channel_count() {
            1 => texels.iter().flat_map(|value| value.to_le_bytes()).collect(),
            _ => texels.iter().flat_map(|_| [0, 0, 0, 0]).collect(),
        };
        let width = u32::try_from(texels.len()).expect("few texels");
        Snapshot::Image(Arc::new(Image::whole(format, width, 1, bytes)))
    }

    fn floats(texels: &[f32]) -> Snapshot {
        image(Format::R32_FLOAT, texels)
    }

    /// Checks the numbers of decided, undecided and different values.
    #[track_caller]
    fn check(runs: &[Snapshot], found: &Snapshot, expected: [usize; 3]) {
        let runs: Vec<_> = runs.iter().collect();
        let Comparison { decided, undecided, different, .. } = compare(&runs, found, [0.0; 4]);
        assert_eq!([decided, undecided, different], expected);
    }

    #[test]
    fn equal_runs_allow_one_value() {
        let runs = [floats(&[0.5, 1.0]), floats(&[0.5, 1.0])];
        check(&runs, &floats(&[0.5, 1.0]), [2, 0, 0]);
        check(&runs, &floats(&[0.5, 1.000_000_1]), [2, 0, 1]);
        check(&[floats(&[0.0])], &floats(&[-0.0]), [1, 0, 0]);
    }

    #[test]
    fn different_runs_allow_a_range_with_a_margin() {
        let runs = [floats(&[0.5]), floats(&[0.5001]), floats(&[0.4999])];
        // The margin is as wide as the range on both sides.
        check(&runs, &floats(&[0.5002]), [1, 0, 0]);
        check(&runs, &floats(&[0.5004]), [1, 0, 1]);
        // The widest range in a tile applies to all of its values.
        let runs = [floats(&[0.5, 0.2, 0.3]), floats(&[0.501, 0.200_01, 0.3])];
        check(&runs, &floats(&[0.5, 0.2005, 0.3]), [3, 0, 0]);
        check(&runs, &floats(&[0.5, 0.2, 0.3005]), [3, 0, 0]);
        check(&runs, &floats(&[0.5, 0.2, 0.3015]), [3, 0, 1]);
    }

    #[test]
    fn a_tolerance_widens_ranges_of_floats_and_nothing_else() {
        let different = |run: &Snapshot, found: &Snapshot, slack: f64| {
            compare(&[run], found, [slack; 4]).different
        };
        let counts = |run: &Snapshot, found: &Snapshot| {
            [0.0, 0.2, 0.3].map(|slack| different(run, found, slack))
        };
        assert_eq!(counts(&floats(&[0.5]), &floats(&[0.75])), [1, 1, 0]);
        let word = |word: u32| Snapshot::Buffer(Arc::new(word.to_le_bytes().to_vec()));
        assert_eq!(counts(&word(0.5_f32.to_bits()), &word(0.75_f32.to_bits())), [1, 1, 0]);
        assert_eq!(counts(&word(7), &word(8)), [1, 1, 1]);
    }

    #[test]
    fn a_value_beside_an_edge_may_be_on_its_other_side() {
        let edge = [0.0, 1.0, 1.0].map(|middle| floats(&[0.0, middle, 1.0]));
        check(&edge, &floats(&[0.0, 1.0, 0.0]), [1, 2, 0]);
        check(&edge, &floats(&[0.0, 1.0, 1.5]), [2, 1, 1]);
    }

    #[test]
    fn both_neighbours_of_a_rounded_value_are_right() {
        let byte = |byte| {
            let bytes = vec![byte, 0, 0, 0];
            Snapshot::Image(Arc::new(Image::whole(Format::RGBA8_UNORM, 1, 1, bytes)))
        };
        check(&[byte(127), byte(128)], &byte(128), [4, 0, 0]);
        check(&[byte(127), byte(128)], &byte(129), [4, 0, 1]);
        check(&[byte(100), byte(200)], &byte(7), [3, 1, 0]);
    }

    #[test]
    fn wide_ranges_and_different_integers_are_not_decided() {
        check(&[floats(&[0.0]), floats(&[1.0])], &floats(&[7.0]), [0, 1, 0]);
        check(&[floats(&[f32::NAN])], &floats(&[7.0]), [0, 1, 0]);
        check(&[Snapshot::Count(1), Snapshot::Count(2)], &Snapshot::Count(9), [0, 1, 0]);
        check(&[Snapshot::Count(1), Snapshot::Count(1)], &Snapshot::Count(2), [1, 0, 1]);
    }

    #[test]
    fn a_word_beside_undecided_ones_may_be_on_the_other_side_of_their_edge() {
        let words = |words: &[u32]| {
            let bytes = words.iter().flat_map(|word| word.to_le_bytes());
            Snapshot::Buffer(Arc::new(bytes.collect()))
        };
        let runs = [words(&[2, 7, 2]), words(&[7, 2, 2])];
        check(&runs, &words(&[2, 2, 7]), [0, 3, 0]);
        check(&runs, &words(&[2, 2, 8]), [1, 2, 1]);
        // A word that is on neither side in the executor has one value.
        let runs = [words(&[2, 7, 5]), words(&[7, 2, 5])];
        check(&runs, &words(&[2, 2, 7]), [1, 2, 1]);
        // In another group of words no edge is known.
        let far = |first: u32, last: u32| words(&[&[first][..], &[0; GROUP - 1], &[last]].concat());
        check(&[far(2, 2), far(7, 2)], &far(2, 7), [GROUP, 1, 1]);
    }

    #[test]
    fn words_of_buffers_are_floats_only_if_they_look_like_such() {
        let words = |words: &[u32]| {
            let bytes = words.iter().flat_map(|word| word.to_le_bytes());
            Snapshot::Buffer(Arc::new(bytes.collect()))
        };
        check(&[words(&[1, 7]), words(&[2, 7])], &words(&[9, 8]), [1, 1, 1]);
        let runs = [words(&[1.0_f32.to_bits()]), words(&[1.001_f32.to_bits()])];
        check(&runs, &words(&[1.0015_f32.to_bits()]), [1, 0, 0]);
        check(&runs, &words(&[1.1_f32.to_bits()]), [1, 0, 1]);
        // No value is near infinity.
        let runs = [words(&[f32::INFINITY.to_bits()]), words(&[f32::MAX.to_bits()])];
        check(&runs, &words(&[f32::INFINITY.to_bits()]), [0, 1, 0]);
        // The length differs.
        check(&runs, &words(&[]), [0, 0, 1]);
    }

    /// An integer and its bits as a float are two notations of one word, so only one is shown.
    #[test]
    fn a_word_is_named_as_what_it_looks_like() {
        let first = |run: u32, found: u32| {
            let [run, found] =
                [run, found].map(|word| Snapshot::Buffer(Arc::new(word.to_le_bytes().to_vec())));
            compare(&[&run], &found, [0.0; 4]).first.map(|(place, found, _)| place + ": " + &found)
        };
        assert_eq!(first(7, 8).as_deref(), Some("the word at byte 0: 8"));
        let floats = first(0.5_f32.to_bits(), 0.75_f32.to_bits());
        assert_eq!(floats.as_deref(), Some("the float at byte 0: 0.75"));
    }
}
