//! Translates expectations: probes of buffers and images, and comparisons of two of them.

use std::collections::BTreeSet;

use case::depth_stencil::DepthAspect;
use case::parse::CaseError;
use case::{
    BufferProbe, Comparison, Content, ContentComparison, ContentRule, DepthProbe, Probe,
    ReadExpectation as Expected, Region, Setting, Step, Tolerance as CaseTolerance, vacuous,
};
use ir::interface::{ScalarKind, Type};
use ir::scalar::{self, Number};
use ir::source::Spanned;

use super::{Translated, Translator, broken, format, unsupported};
use crate::syntax::command::{Command, Expectation, ProbeRegion, Tolerance};
use crate::syntax::data::{DataFormat, DataType, Scalar};
use crate::syntax::{BufferId, BufferKind};

/// Default tolerance of Amber for channels.
const CHANNEL_TOLERANCE: f64 = 0.002;

/// Default tolerance for values that are compared with a tolerance.
const DEFAULT_TOLERANCE: Tolerance = Tolerance { value: 0.000_001, is_percentage: true };

/// The maximum distance of two histograms of 256 bins: that of black and white pixels.
const WIDEST_DISTANCE: f64 = 255.0 / 256.0;

/// Maximum number of values of one expectation.
const MAX_VALUES: usize = 1 << 20;

/// The colour that pixels must have.
#[derive(Clone, Copy)]
struct ExpectedColor {
    /// Red, green, blue and alpha.
    channels: [f64; 4],
    /// True if alpha is compared.
    has_alpha: bool,
}

/// The buffers that expectations concern.
pub(super) fn expected_buffers(commands: &[Spanned<Command>]) -> BTreeSet<BufferId> {
    let mut found = BTreeSet::new();
    for command in commands {
        match &command.value {
            Command::Expect(
                Expectation::Values { buffer, .. }
                | Expectation::Pixels { buffer, .. }
                | Expectation::Probe { buffer, .. },
            ) => {
                found.insert(*buffer);
            }
            Command::Expect(
                Expectation::EqualBuffers { first, second }
                | Expectation::Rmse { first, second, .. }
                | Expectation::HistogramEmd { first, second, .. },
            ) => found.extend([*first, *second]),
            Command::Repeat { commands, .. } => found.extend(expected_buffers(commands)),
            Command::Copy { from, .. } => {
                found.insert(*from);
            }
            Command::Run { .. }
            | Command::Clear(_)
            | Command::ClearColor { .. }
            | Command::ClearDepth { .. }
            | Command::ClearStencil { .. }
            | Command::Write { .. } => {}
        }
    }
    found
}

impl Translator<'_> {
    /// Translates an expectation, unless it concerns a copy: then it was translated at the copy.
    pub(super) fn expect(&mut self, expectation: &Expectation) -> Translated<()> {
        match expectation {
            Expectation::Values { buffer, .. }
            | Expectation::Pixels { buffer, .. }
            | Expectation::Probe { buffer, .. }
                if self.kept.contains_key(buffer) =>
            {
                if self.moved.contains(&self.place.start) {
                    return Ok(());
                }
                let word = "an expectation about a copy that is not made beside it";
                Err(unsupported(self.place, word))
            }
            Expectation::Values { .. } => self.expect_values(expectation),
            Expectation::Pixels { buffer, rectangle, color, has_alpha, tolerances } => {
                let channel = |channel: &u8| f64::from(*channel) / 255.0;
                let color = [0, 1, 2, 3].map(|idx: usize| channel(&color[idx]));
                let scale = |tolerance: &Tolerance| Tolerance {
                    value: if tolerance.is_percentage {
                        tolerance.value
                    } else {
                        // Slightly more than the steps, so that the quotients may be rounded.
                        (tolerance.value + 0.001) / 255.0
                    },
                    ..*tolerance
                };
                let tolerances: Vec<_> = tolerances.iter().map(scale).collect();
                let color = ExpectedColor { channels: color, has_alpha: *has_alpha };
                self.expect_color(*buffer, Region::Rect(*rectangle), color, &tolerances)
            }
            Expectation::Probe { buffer, region, color, has_alpha, tolerances } => {
                let region = region_of(*region);
                let color = ExpectedColor { channels: *color, has_alpha: *has_alpha };
                self.expect_color(*buffer, region, color, tolerances)
            }
            Expectation::EqualBuffers { first, second } => {
                self.expect_alike(*first, *second, ContentRule::Equal)
            }
            Expectation::Rmse { first, second, tolerance } => {
                self.expect_alike(*first, *second, ContentRule::RootMeanSquare(*tolerance))
            }
            Expectation::HistogramEmd { first, second, tolerance } => {
                self.expect_alike(*first, *second, ContentRule::HistogramDistance(*tolerance))
            }
        }
    }

    /// Translates an expectation about the copy `to` of `from`, at the copy.
    pub(super) fn expect_of_copy(
        &mut self,
        expectation: &Expectation,
        from: BufferId,
        to: BufferId,
    ) -> Translated<()> {
        let mut moved = expectation.clone();
        match &mut moved {
            Expectation::Values { buffer, .. }
            | Expectation::Pixels { buffer, .. }
            | Expectation::Probe { buffer, .. }
                if *buffer == to =>
            {
                *buffer = from;
            }
            Expectation::Values { .. }
            | Expectation::Pixels { .. }
            | Expectation::Probe { .. }
            | Expectation::EqualBuffers { .. }
            | Expectation::Rmse { .. }
            | Expectation::HistogramEmd { .. } => return Ok(()),
        }
        if self.kept.contains_key(&from) {
            return Err(unsupported(self.place, "an expectation about the copy of a copy"));
        }
        self.moved.insert(self.place.start);
        self.expect(&moved)
    }

    fn expect_color(
        &mut self,
        buffer: BufferId,
        region: Region,
        color: ExpectedColor,
        tolerances: &[Tolerance],
    ) -> Translated<()> {
        if self.script.buffers[buffer.0].kind == BufferKind::Plain {
            return Err(broken(self.place, "a plain buffer has no pixels"));
        }
        let Content::Target(target) = self.content_of(buffer)? else { return Ok(()) };
        let mut limits = [CHANNEL_TOLERANCE; 4];
        for (channel, limit) in limits.iter_mut().enumerate() {
            // A single tolerance applies to all channels; of several, each applies to one, and the others have the
            // default.
            let own = if let [all] = tolerances { Some(all) } else { tolerances.get(channel) };
            if let Some(tolerance) = own {
                *limit = absolute(*tolerance, color.channels[channel]);
            }
        }
        let channels = if color.has_alpha { 4 } else { 3 };
        let numbers = color.channels.iter().map(|value| Number::Real(*value));
        let expected = numbers.take(usize::from(channels)).collect();
        let probe = Probe {
            target,
            sample: None,
            region,
            channels,
            expected,
            alternatives: Vec::new(),
            tolerance: Some(CaseTolerance::Absolute(limits)),
            is_exact_integer: false,
        };
        let format = format::color_format(&self.script.buffers[buffer.0], self.place)?;
        match vacuous::holds_for_every_pixel(&probe, format) {
            Some(message) => Err(broken(self.place, message)),
            None => self.push(Expected::Probe(probe)),
        }
    }

    fn expect_alike(
        &mut self,
        first: BufferId,
        second: BufferId,
        rule: ContentRule,
    ) -> Translated<()> {
        self.check_rule([first, second], rule)?;
        self.check_width([first, second], rule)?;
        let (kept, content) = match (self.kept.get(&first), self.kept.get(&second)) {
            (Some(kept), None) => (*kept, self.content_of(second)?),
            (None, Some(kept)) => (*kept, self.content_of(first)?),
            (None, None) => {
                let content = self.content_of(first)?;
                let kept = self.case.steps.len();
                self.push(Expected::Kept(content))?;
                (kept, self.content_of(second)?)
            }
            (Some(_), Some(_)) => {
                return Err(unsupported(self.place, "a comparison of two copies"));
            }
        };
        let has_run = self.case.steps[kept..].iter().any(|step| matches!(step.value, Step::Run(_)));
        let is_copy = [(first, second), (second, first)]
            .iter()
            .any(|(copy, other)| self.copied.get(copy) == Some(other));
        if first == second || is_copy && !has_run {
            let message = "the buffer is compared with itself";
            return Err(CaseError::Broken(vec![vacuous::SAME_CONTENT.error(self.place, message)]));
        }
        self.push(Expected::Alike(ContentComparison { content, kept, rule }))
    }

    /// Checks that a rule is not satisfied by all contents: the error of an image is bounded by its format, and that of
    /// floats must be less than the initial contents of the buffers.
    fn check_width(&self, buffers: [BufferId; 2], rule: ContentRule) -> Translated<()> {
        let (most, widest) = match rule {
            ContentRule::Equal => return Ok(()),
            ContentRule::HistogramDistance(most) => (most, Some(WIDEST_DISTANCE)),
            ContentRule::RootMeanSquare(most) => (most, self.widest_error(buffers)?),
        };
        if most.is_finite() && most >= 0.0 && widest.is_none_or(|widest| most < widest) {
            return Ok(());
        }
        let message = format!("a tolerance of {most} says nothing about what the buffers contain");
        Err(CaseError::Broken(vec![vacuous::WIDE_CONTENT.error(self.place, message)]))
    }

    /// The maximum error of any two contents of these buffers; for plain buffers, the error of their initial contents.
    fn widest_error(&self, buffers: [BufferId; 2]) -> Translated<Option<f64>> {
        let mut widest = 1.0_f64;
        for id in buffers {
            let buffer = &self.script.buffers[id.0];
            if buffer.kind != BufferKind::Plain {
                return Ok(vacuous::widest_error(format::color_format(buffer, self.place)?));
            }
            let bytes = self.bytes_of(id)?;
            let words = bytes.chunks_exact(4);
            let floats = words.map(|word| f32::from_le_bytes([word[0], word[1], word[2], word[3]]));
            let squares = floats.map(|value| f64::from(value) * f64::from(value));
            let (sum, count) =
                squares.fold((0.0, 0.0), |(sum, count), one| (sum + one, count + 1.0));
            if sum > 0.0 {
                widest = widest.max((sum / count).sqrt());
            }
        }
        Ok(Some(widest))
    }

    /// Checks that a rule is applicable to the contents: plain buffers are compared as consecutive floats.
    fn check_rule(&self, buffers: [BufferId; 2], rule: ContentRule) -> Translated<()> {
        for id in buffers {
            let buffer = &self.script.buffers[id.0];
            if buffer.kind != BufferKind::Plain {
                continue;
            }
            let element = buffer.format.element(buffer.layout, buffer.is_array);
            let count = u32::try_from(element.components.len()).unwrap_or(u32::MAX);
            let is_dense = element.stride == count.saturating_mul(4)
                && element.components.iter().all(|one| one.scalar == Scalar::Float);
            let word = match rule {
                ContentRule::Equal => continue,
                ContentRule::RootMeanSquare(_) if is_dense => continue,
                ContentRule::RootMeanSquare(_) => "the error of buffers of other types than floats",
                ContentRule::HistogramDistance(_) => "histograms of buffers that are no images",
            };
            return Err(unsupported(self.place, word));
        }
        Ok(())
    }

    fn expect_values(&mut self, expectation: &Expectation) -> Translated<()> {
        let Expectation::Values { buffer: id, format, offset, comparison, tolerances, values } =
            expectation
        else {
            return Ok(());
        };
        let buffer = &self.script.buffers[id.0];
        if buffer.kind != BufferKind::Plain {
            return self.expect_depths(expectation);
        }
        if values.len() > MAX_VALUES {
            return Err(broken(
                self.place,
                format!("an expectation has at most {MAX_VALUES} values"),
            ));
        }
        self.make_storage(*id)?;
        let format = format.as_ref().unwrap_or(&buffer.format);
        let cells = cells(format, buffer, *offset, values.len());
        if cells.len() < values.len() {
            return Err(unsupported(self.place, "values of such a format"));
        }
        let tolerances = self.tolerances_of(format, tolerances)?;
        let mut runs: Vec<Run> = Vec::new();
        for (idx, (cell, value)) in cells.into_iter().zip(values).enumerate() {
            let value = (value.clone(), tolerances[idx % tolerances.len()]);
            match runs.last_mut() {
                Some(run) if run.takes(&cell) => run.values.push(value),
                Some(_) | None => {
                    runs.push(Run { offset: cell.0, scalar: cell.1, values: vec![value] });
                }
            }
        }
        runs.iter().try_for_each(|run| self.expect_run(*id, run, *comparison))
    }

    /// Tolerances of the components of a scalar, vector or column of `format`: one for all, or one for each, where
    /// missing ones have the language's default. Amber uses only the first one.
    fn tolerances_of(
        &self,
        format: &DataFormat,
        given: &[Tolerance],
    ) -> Translated<Vec<Tolerance>> {
        if let [] | [_] = given {
            return Ok(vec![given.first().copied().unwrap_or(DEFAULT_TOLERANCE)]);
        }
        let count = match format {
            DataFormat::Type(DataType::Scalar(_)) => 1,
            DataFormat::Type(DataType::Vector(count, _)) => usize::from(*count),
            DataFormat::Type(DataType::Matrix { rows, .. }) => usize::from(*rows),
            DataFormat::Type(DataType::Struct(_)) => {
                return Err(unsupported(self.place, "several tolerances for a structure"));
            }
            DataFormat::Pixel(format) => format.channels.len(),
        };
        if given.len() > count {
            return Err(unsupported(self.place, "more tolerances than an element has components"));
        }
        let missing = std::iter::repeat(DEFAULT_TOLERANCE);
        Ok(given.iter().copied().chain(missing).take(count).collect())
    }

    /// Expects values of the case's depth buffer, pixel by pixel from row 0.
    fn expect_depths(&mut self, expectation: &Expectation) -> Translated<()> {
        let Expectation::Values { buffer: id, format, offset, comparison, tolerances, values } =
            expectation
        else {
            return Ok(());
        };
        let is_known = match &self.script.buffers[id.0].format {
            DataFormat::Pixel(format) => format.name == "D32_SFLOAT",
            DataFormat::Type(_) => false,
        };
        let is_compared = matches!(comparison, Comparison::Equal | Comparison::Near);
        let is_own = self.framebuffers.is_depth(*id) && self.case.samples == 1;
        if !is_known || !is_own || !is_compared || format.is_some() || offset % 4 != 0 {
            return Err(unsupported(self.place, "the values of an image"));
        }
        if tolerances.len() > 1 {
            return Err(unsupported(self.place, "more tolerances than an element has components"));
        }
        let size = self.framebuffers.size(*id, &self.script.buffers[id.0]);
        let width = size.map_or(1, |[width, ..]| u64::from(width));
        for (pixel, value) in (offset / 4..).zip(values) {
            let expected = number_of(value, ScalarKind::F32)?;
            let tolerance = if *comparison == Comparison::Near {
                let tolerance = tolerances.first().copied().unwrap_or(DEFAULT_TOLERANCE);
                let most = absolute(tolerance, expected.to_f64().unwrap_or(f64::NAN));
                CaseTolerance::Absolute([most; 4])
            } else {
                CaseTolerance::Ulp(0)
            };
            self.push(Setting::Tolerance(tolerance))?;
            let at = [pixel % width, pixel / width];
            let at = at.map(|coordinate| u32::try_from(coordinate).unwrap_or(u32::MAX));
            self.push(Expected::Depth(DepthProbe { aspect: DepthAspect::Depth, at, expected }))?;
        }
        Ok(())
    }

    fn expect_run(&mut self, id: BufferId, run: &Run, comparison: Comparison) -> Translated<()> {
        let binding = Self::point(id);
        let Some(kind) = kind_of(run.scalar) else {
            return self.expect_small(binding, run, comparison);
        };
        let ty = Type::Scalar(kind);
        let offset = u32::try_from(run.offset).unwrap_or(u32::MAX);
        let numbers = run.values.iter().map(|(value, _)| number_of(value, kind));
        let expected = numbers.collect::<Translated<Vec<_>>>()?;
        if comparison == Comparison::Near {
            return self.expect_near(binding, run, kind, &expected);
        }
        self.push(Expected::Buffer(BufferProbe { binding, offset, ty, comparison, expected }))
    }

    /// Expects the values of a run, which are `expected`, each with its tolerance.
    fn expect_near(
        &mut self,
        binding: u32,
        run: &Run,
        kind: ScalarKind,
        expected: &[Number],
    ) -> Translated<()> {
        let size = u32::try_from(scalar::byte_size(kind)).unwrap_or(u32::MAX);
        let mut offset = u32::try_from(run.offset).unwrap_or(u32::MAX);
        for (number, (_, tolerance)) in expected.iter().zip(&run.values) {
            let value = scalar_value(*number, kind);
            let limits = [absolute(*tolerance, value); 4];
            self.push(Setting::Tolerance(CaseTolerance::Absolute(limits)))?;
            self.push(Expected::Buffer(BufferProbe {
                binding,
                offset,
                ty: Type::Scalar(kind),
                comparison: Comparison::Near,
                expected: vec![*number],
            }))?;
            offset = offset.saturating_add(size);
        }
        Ok(())
    }

    /// Expects values of 8 and 16 bits that fill whole words, by comparing the words.
    fn expect_small(&mut self, binding: u32, run: &Run, comparison: Comparison) -> Translated<()> {
        let word = "values of 8 and 16 bits that are not whole words";
        let refused = || unsupported(self.place, word);
        let mut bytes = Vec::new();
        for (value, _) in &run.values {
            let Number::Integer(number) = value.value else { return Err(refused()) };
            let size = usize::try_from(run.scalar.size()).unwrap_or(0);
            bytes.extend_from_slice(&number.to_le_bytes()[..size]);
        }
        let is_whole = run.offset.is_multiple_of(4) && bytes.len().is_multiple_of(4);
        if comparison != Comparison::Equal || !is_whole || run.scalar == Scalar::Float16 {
            return Err(refused());
        }
        let word = |bytes: &[u8]| {
            let word = bytes.iter().rev().fold(0_u64, |word, byte| word << 8 | u64::from(*byte));
            Number::Bits(word)
        };
        let expected = bytes.chunks_exact(4).map(word).collect();
        let offset = u32::try_from(run.offset).unwrap_or(u32::MAX);
        let ty = Type::Scalar(ScalarKind::U32);
        self.push(Expected::Buffer(BufferProbe { binding, offset, ty, comparison, expected }))
    }
}

/// The region of a probe's pixels.
fn region_of(region: ProbeRegion) -> Region {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast from a float saturates, and pixels are whole"
    )]
    let whole = |number: f64| number.max(0.0) as u32;
    match region {
        ProbeRegion::Whole => Region::All,
        ProbeRegion::Pixels([x, y, width, height]) => {
            Region::Rect([x, y, width, height].map(whole))
        }
        ProbeRegion::Relative([x, y, width, height]) if width == 0.0 && height == 0.0 => {
            Region::RelativePixel([x, y])
        }
        ProbeRegion::Relative(rect) => Region::RelativeRect(rect),
    }
}

/// Adjacent values of one type, each with its tolerance.
struct Run {
    offset: u64,
    scalar: Scalar,
    values: Vec<(Spanned<Number>, Tolerance)>,
}

impl Run {
    fn takes(&self, (offset, scalar): &(u64, Scalar)) -> bool {
        let count = u64::try_from(self.values.len()).unwrap_or(u64::MAX);
        let end = count.saturating_mul(u64::from(self.scalar.size())).saturating_add(self.offset);
        self.scalar == *scalar && end == *offset
    }
}

/// Offset and type of `count` numbers of a buffer's elements, starting at byte `first`.
fn cells(
    format: &DataFormat,
    buffer: &crate::syntax::Buffer,
    first: u64,
    count: usize,
) -> Vec<(u64, Scalar)> {
    let element = format.element(buffer.layout, buffer.is_array);
    if element.components.is_empty() || element.stride == 0 {
        return Vec::new();
    }
    let stride = u64::from(element.stride);
    let starts = (0..).map(|idx: u64| first.saturating_add(idx.saturating_mul(stride)));
    let all = starts.flat_map(|start| {
        element.components.iter().map(move |component| {
            (start.saturating_add(u64::from(component.offset)), component.scalar)
        })
    });
    all.take(count).collect()
}

const fn kind_of(scalar: Scalar) -> Option<ScalarKind> {
    match scalar {
        Scalar::Int32 => Some(ScalarKind::I32),
        Scalar::Uint32 => Some(ScalarKind::U32),
        Scalar::Int64 => Some(ScalarKind::I64),
        Scalar::Uint64 => Some(ScalarKind::U64),
        Scalar::Float => Some(ScalarKind::F32),
        Scalar::Double => Some(ScalarKind::F64),
        Scalar::Int8 | Scalar::Int16 | Scalar::Uint8 | Scalar::Uint16 | Scalar::Float16 => None,
    }
}

/// Converts a number to a kind: an integer of the other signedness has the same bits.
fn number_of(value: &Spanned<Number>, kind: ScalarKind) -> Translated<Number> {
    let number = match (value.value, kind) {
        (Number::Integer(number), ScalarKind::U32) if number < 0 => {
            Number::Integer(number & i128::from(u32::MAX))
        }
        (Number::Integer(number), ScalarKind::U64) if number < 0 => {
            Number::Integer(number & i128::from(u64::MAX))
        }
        (number, _) => number,
    };
    match scalar::bits(number, kind) {
        Ok(_) => Ok(number),
        Err(error) => Err(broken(value.span, error.to_string())),
    }
}

fn scalar_value(number: Number, kind: ScalarKind) -> f64 {
    match (number, kind) {
        (Number::Bits(bits), ScalarKind::F64) => f64::from_bits(bits),
        (Number::Bits(bits), ScalarKind::F32) => {
            u32::try_from(bits).map_or(0.0, |bits| f64::from(f32::from_bits(bits)))
        }
        (number, _) => number.to_f64().unwrap_or(0.0),
    }
}

/// Converts a tolerance to the maximum difference from `expected`.
fn absolute(tolerance: Tolerance, expected: f64) -> f64 {
    if tolerance.is_percentage { tolerance.value / 100.0 * expected.abs() } else { tolerance.value }
}
