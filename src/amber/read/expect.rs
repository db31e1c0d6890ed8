//! Reads `EXPECT`.

use std::sync::Arc;

use ir::scalar::Number;
use ir::source::{Span, Spanned};

use super::script::Parser;
use super::text::cursor::real_of;
use super::text::number::bits;
use super::text::problem::{Parsed, Problem};
use super::text::token::TokenKind;
use super::words::COMPARATORS;
use crate::layout::Element;
use crate::syntax::BufferId;
use crate::syntax::command::{Command, Expectation, Tolerance};
use case::{Comparison, vacuous};

/// The words that may follow the name of a buffer.
const FORMS: [&str; 4] = ["IDX", "EQ_BUFFER", "RMSE_BUFFER", "EQ_HISTOGRAM_EMD_BUFFER"];

impl Parser<'_> {
    /// Reads `BUFFER …`.
    pub(super) fn read_expect(&mut self) -> Parsed<Command> {
        let buffer = self.buffer_name()?.value;
        let form = self.cursor.word("what is expected")?;
        let expectation = match form.value {
            "IDX" => self.read_place(buffer),
            "EQ_BUFFER" => {
                let second = self.buffer_name()?.value;
                Ok(Expectation::EqualBuffers { first: buffer, second })
            }
            "RMSE_BUFFER" => {
                let (second, tolerance) = self.second_and_tolerance()?;
                Ok(Expectation::Rmse { first: buffer, second, tolerance })
            }
            "EQ_HISTOGRAM_EMD_BUFFER" => {
                let (second, tolerance) = self.second_and_tolerance()?;
                Ok(Expectation::HistogramEmd { first: buffer, second, tolerance })
            }
            _ => Err(Problem::unknown("expectation", form, FORMS)),
        };
        expectation.map(Command::Expect)
    }

    fn second_and_tolerance(&mut self) -> Parsed<(BufferId, f64)> {
        let second = self.buffer_name()?.value;
        self.cursor.expect("TOLERANCE")?;
        Ok((second, self.cursor.real("a tolerance")?))
    }

    /// Reads the rest of the line after `IDX`.
    fn read_place(&mut self, buffer: BufferId) -> Parsed<Expectation> {
        let x = self.cursor.unsigned("a place")?.value;
        if matches!(self.cursor.peek().kind, TokenKind::Number(_)) {
            let y = self.cursor.unsigned("a place")?.value;
            self.cursor.expect("SIZE")?;
            return self.read_pixels(buffer, [x, y]);
        }
        let tolerances =
            if self.cursor.accept("TOLERANCE") { self.tolerances(4)? } else { Vec::new() };
        let place = self.cursor.peek().span;
        let comparison = match self.cursor.choice("comparison", &COMPARATORS)? {
            comparison if tolerances.is_empty() => comparison,
            Comparison::Equal => Comparison::Near,
            Comparison::NotEqual
            | Comparison::Less
            | Comparison::LessOrEqual
            | Comparison::Greater
            | Comparison::GreaterOrEqual
            | Comparison::Near => {
                return Err(Problem::error(place, "only `EQ` has a tolerance"));
            }
        };
        let element = Arc::clone(&self.elements[buffer.0]);
        let values = self.expected_values(&element, place)?;
        let offset = u64::from(x);
        Ok(Expectation::Values { buffer, format: None, offset, comparison, tolerances, values })
    }

    /// Reads numbers up to the end of the line, for consecutive numbers of elements.
    fn expected_values(&mut self, element: &Element, place: Span) -> Parsed<Vec<Spanned<Number>>> {
        let components = &element.components;
        if components.is_empty() {
            return Err(Problem::unsupported("values of depths of 24 bits", place));
        }
        let mut values = Vec::new();
        while !self.cursor.is_line_end() || values.is_empty() {
            let mut value = self.cursor.number("a number")?;
            let scalar = components[values.len() % components.len()].scalar;
            bits(value, scalar)?;
            // `0x…` is not a bit pattern for a float.
            if let (Number::Bits(whole), true) = (value.value, scalar.is_float()) {
                value.value = Number::Integer(whole.into());
            }
            values.push(value.into());
        }
        Ok(values)
    }

    /// Reads tolerances, some with `%`: at least one and at most `limit`.
    fn tolerances(&mut self, limit: usize) -> Parsed<Vec<Tolerance>> {
        let mut tolerances = Vec::new();
        while let TokenKind::Number(number) = self.cursor.peek().kind {
            if tolerances.len() == limit {
                let message = format!("there are at most {limit} tolerances");
                return Err(Problem::error(self.cursor.peek().span, message));
            }
            let place = self.cursor.peek().span;
            self.cursor.advance();
            let is_percentage = self.cursor.accept("%");
            tolerances.push(tolerance(real_of(number), is_percentage, place)?);
        }
        if tolerances.is_empty() {
            return Err(self.cursor.unexpected("a tolerance"));
        }
        Ok(tolerances)
    }

    /// Reads `WIDTH HEIGHT EQ_RGB R G B` or `WIDTH HEIGHT EQ_RGBA R G B A`, and tolerances.
    fn read_pixels(&mut self, buffer: BufferId, [x, y]: [u32; 2]) -> Parsed<Expectation> {
        let width = self.cursor.positive("the width")?;
        let height = self.cursor.positive("the height")?;
        let forms = [("EQ_RGB", false), ("EQ_RGBA", true)];
        let has_alpha = self.cursor.choice("comparison", &forms)?;
        let mut color = [0; 4];
        let channels = if has_alpha { 4 } else { 3 };
        for channel in &mut color[..channels] {
            let place = self.cursor.peek().span;
            let value = self.cursor.unsigned("a channel")?.value;
            let message = "a channel is at most 255";
            *channel = u8::try_from(value).map_err(|_| Problem::error(place, message))?;
        }
        let tolerances =
            if self.cursor.accept("TOLERANCE") { self.tolerances(channels)? } else { Vec::new() };
        let rectangle = [x, y, width, height];
        Ok(Expectation::Pixels { buffer, rectangle, color, has_alpha, tolerances })
    }
}

/// Checks that a tolerance lets the expectation fail.
pub(crate) fn tolerance(value: f64, is_percentage: bool, place: Span) -> Parsed<Tolerance> {
    if value.is_finite() && value >= 0.0 {
        return Ok(Tolerance { value, is_percentage });
    }
    let error = vacuous::ENDLESS_TOLERANCE.error(place, "a tolerance must be zero or more");
    Err(Problem::Broken(error))
}
