//! Reads `probe`: the expected pixels of the framebuffer and values of storage buffers.

use ir::source::{Span, Spanned};

use super::Reader;
use super::buffers::Typed;
use crate::read::text::problem::{Parsed, Problem};
use crate::syntax::BufferId;
use crate::syntax::command::{Command, Expectation, ProbeRegion, Tolerance};
use crate::syntax::data::{DataFormat, DataType};
use case::Comparison;
use ir::scalar::Number;

/// The pixels that a probe reads, from its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    All,
    Rectangle,
    Pixel,
}

/// The values of a `probe ssbo`, and how they are compared.
struct Probed<'a> {
    buffer: BufferId,
    typed: &'a Typed,
    offset: u64,
    comparison: Comparison,
}

impl Reader<'_> {
    /// Reads the rest of a `probe` line.
    pub(super) fn read_probe(&mut self, start: Span, is_relative: bool) -> Parsed<()> {
        if !is_relative && self.cursor.accept("ssbo") {
            return self.read_storage_probe(start);
        }
        let extent = if self.cursor.accept("all") {
            Extent::All
        } else if self.cursor.accept("rect") {
            Extent::Rectangle
        } else {
            Extent::Pixel
        };
        let has_alpha = self.cursor.choice("colour", &[("rgb", false), ("rgba", true)])?;
        let region = self.read_region(extent, is_relative)?;
        let mut color = [0.0; 4];
        self.read_tuple(&mut color[..if has_alpha { 4 } else { 3 }], "a channel")?;
        self.cursor.finish_line()?;
        let (buffer, tolerances) = (self.framebuffer(), self.tolerances.clone());
        let probe = Expectation::Probe { buffer, region, color, has_alpha, tolerances };
        self.add_command(Command::Expect(probe), start);
        Ok(())
    }

    fn read_region(&mut self, extent: Extent, is_relative: bool) -> Parsed<ProbeRegion> {
        let start = self.cursor.peek().span;
        let mut place = [0.0; 4];
        match extent {
            Extent::All => return Ok(ProbeRegion::Whole),
            Extent::Rectangle => self.read_tuple(&mut place, "a coordinate")?,
            Extent::Pixel => {
                self.read_tuple(&mut place[..2], "a coordinate")?;
                if !is_relative {
                    place[2..].fill(1.0);
                }
            }
        }
        let span = self.cursor.since(start);
        if place.iter().any(|number| number.is_nan() || *number < 0.0) {
            return Err(Problem::error(span, "coordinates are not below 0"));
        }
        let is_empty = |size: f64| if is_relative { size == 0.0 } else { size < 1.0 };
        if extent == Extent::Rectangle && place[2..].iter().any(|size| is_empty(*size)) {
            return Err(Problem::error(span, "there is no pixel in this rectangle"));
        }
        Ok(if is_relative { ProbeRegion::Relative(place) } else { ProbeRegion::Pixels(place) })
    }

    /// Reads numbers, with or without brackets around them and commas between them.
    fn read_tuple(&mut self, into: &mut [f64], what: &str) -> Parsed<()> {
        let has_bracket = self.cursor.accept("(");
        for (at, number) in into.iter_mut().enumerate() {
            if at > 0 {
                self.cursor.accept(",");
            }
            *number = self.cursor.real(what)?;
        }
        if has_bracket { self.cursor.expect(")") } else { Ok(()) }
    }

    /// Reads `TYPE BINDING OFFSET COMPARISON VALUES`.
    fn read_storage_probe(&mut self, start: Span) -> Parsed<()> {
        let typed = self.typed(self.layouts.storage)?;
        let place = self.set_and_binding()?;
        let offset = self.offset(&typed)?;
        let comparison = self.cursor.choice("comparison", &Comparison::OPERATORS)?;
        let values = self.values(&typed.element, typed.rows)?;
        let end = u64::from(offset) + typed.end(values.len());
        let buffer = self.look_at(place, &typed, end, self.cursor.since(start))?;
        let values = values.into_iter().map(|mut value| {
            // `0x…` is not a bit pattern for a float.
            if let (Number::Bits(whole), true) = (value.value, typed.is_float()) {
                value.value = Number::Integer(whole.into());
            }
            Spanned::from(value)
        });
        let values: Vec<_> = values.collect();
        self.cursor.finish_line()?;
        let offset = u64::from(offset);
        self.add_values(&Probed { buffer, typed: &typed, offset, comparison }, values, start);
        Ok(())
    }

    /// Adds an expectation, or one for every value if their layout is not the buffer's own, or if the components of a
    /// column have different tolerances.
    fn add_values(&mut self, probed: &Probed<'_>, values: Vec<Spanned<Number>>, start: Span) {
        let Probed { buffer, typed, offset, comparison } = *probed;
        let is_near = comparison == Comparison::Near;
        let tolerances = if is_near { self.tolerances.clone() } else { Vec::new() };
        if !typed.has_own_layout && tolerances.len() < 2 {
            let format = Some(DataFormat::Type(typed.data_type.clone()));
            let values =
                Expectation::Values { buffer, format, offset, comparison, tolerances, values };
            return self.add_command(Command::Expect(values), start);
        }
        for (at, value) in values.into_iter().enumerate() {
            let (place, scalar) = typed.cell(at);
            let own: Option<&Tolerance> =
                tolerances.get(at % typed.rows).or_else(|| tolerances.first());
            let value = Expectation::Values {
                buffer,
                format: Some(DataFormat::Type(DataType::Scalar(scalar))),
                offset: offset + place,
                comparison,
                tolerances: own.copied().into_iter().collect(),
                values: vec![value],
            };
            self.add_command(Command::Expect(value), start);
        }
    }
}
