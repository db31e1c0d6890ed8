//! Reads `BUFFER` and `IMAGE` with their data.

use std::sync::Arc;

use ir::scalar::Number;
use ir::source::Span;

use super::script::Parser;
use super::text::at::At;
use super::text::cursor::{Cursor, missing_end, real_of};
use super::text::number::{add_bytes, bits};
use super::text::problem::{Parsed, Problem};
use super::text::token::TokenKind;
use super::type_name::data_format;
use crate::layout::{Component, Element};
use crate::syntax::data::{DataFormat, Scalar, Standard};
use crate::syntax::{Buffer, BufferKind, Content, Dimension, FileForm};
use ir::diagnostic::counted;

/// The words that begin the content of a buffer.
const CONTENTS: [&str; 6] = ["DATA", "FILE", "FILL", "SERIES_FROM", "SIZE", "WIDTH"];

/// A format as it is written, with its layout.
struct Written {
    format: DataFormat,
    is_array: bool,
    layout: Standard,
    element: Arc<Element>,
}

impl Written {
    /// A buffer of this format, without content.
    fn buffer(&self, name: At<&str>, span: Span, kind: BufferKind) -> Buffer {
        Buffer {
            name: name.value.to_owned(),
            span,
            kind,
            format: self.format.clone(),
            is_array: self.is_array,
            layout: self.layout,
            content: Content::Zero,
            count: None,
        }
    }
}

/// Options of `IMAGE`.
struct ImageOptions {
    dimension: Dimension,
    size: [Option<u32>; 3],
    mip_levels: u32,
    samples: u32,
    written: Option<Written>,
}

impl Parser<'_> {
    /// Reads `BUFFER NAME …`.
    pub(super) fn read_buffer(&mut self, start: Span) -> Parsed<()> {
        let name = self.cursor.name("the name of the buffer")?;
        self.buffers.check_new(name)?;
        let form = self.cursor.word("`DATA_TYPE` or `FORMAT`")?;
        match form.value {
            "DATA_TYPE" => self.read_plain(name, start),
            "FORMAT" => self.read_attachment(name, start),
            _ => Err(Problem::unknown("kind of buffer", form, ["DATA_TYPE", "FORMAT"])),
        }
    }

    /// Reads a type or format, and `STD140` or `STD430`.
    fn written_format(&mut self) -> Parsed<Written> {
        let name = self.cursor.word("a type")?;
        let (format, is_array) = data_format(name, &self.structures)?;
        let layout = if self.cursor.accept("STD140") {
            Standard::Std140
        } else {
            self.cursor.accept("STD430");
            Standard::Std430
        };
        let key = format!("{layout:?} {}", name.value);
        let known = self.known_elements.entry(key);
        let element = known.or_insert_with(|| Arc::new(format.element(layout, is_array)));
        let element = Arc::clone(element);
        Ok(Written { format, is_array, layout, element })
    }

    /// The rest of `BUFFER NAME DATA_TYPE …`.
    fn read_plain(&mut self, name: At<&str>, start: Span) -> Parsed<()> {
        let written = self.written_format()?;
        let header = self.cursor.since(start);
        let word = self.cursor.word("the content of the buffer")?;
        let mut kind = BufferKind::Plain;
        let (content, count) = match word.value {
            "DATA" => {
                let (content, count) = self.read_data(&written.element, header)?;
                (content, Some(count))
            }
            "SIZE" => {
                let count = self.cursor.unsigned("the size")?.value;
                if self.cursor.accept("FILE") {
                    let element = Arc::clone(&written.element);
                    self.budget.reserve(count.into(), element.stride, header)?;
                    (self.read_file()?, Some(count))
                } else {
                    (self.read_filled(&written.element, count.into(), header)?, Some(count))
                }
            }
            "WIDTH" => {
                let width = self.cursor.positive("the width")?;
                self.cursor.expect("HEIGHT")?;
                let size = [width, self.cursor.positive("the height")?, 1];
                let dimension = Dimension::D2;
                kind = BufferKind::Image { dimension, size, mip_levels: 1, samples: 1 };
                let (content, count) = self.read_texels(&written.element, size, header)?;
                (content, Some(count))
            }
            _ => return Err(Problem::unknown("content", word, CONTENTS)),
        };
        let buffer = Buffer { content, count, ..written.buffer(name, header, kind) };
        self.add_buffer(buffer, written.element);
        Ok(())
    }

    /// The rest of `BUFFER NAME FORMAT …`.
    fn read_attachment(&mut self, name: At<&str>, start: Span) -> Parsed<()> {
        let written = self.written_image_format()?;
        let (mut mip_levels, mut samples, mut content) = (1, 1, Content::Zero);
        while !self.cursor.is_line_end() {
            let option = self.cursor.word("an option")?;
            match option.value {
                "MIP_LEVELS" => mip_levels = self.mip_levels()?,
                "SAMPLES" => samples = self.samples()?,
                "FILE" => content = self.read_file()?,
                _ => {
                    let known = ["MIP_LEVELS", "SAMPLES", "FILE"];
                    return Err(Problem::unknown("option", option, known));
                }
            }
        }
        let kind = BufferKind::Attachment { mip_levels, samples };
        let span = self.cursor.since(start);
        let buffer = Buffer { content, ..written.buffer(name, span, kind) };
        self.add_buffer(buffer, written.element);
        Ok(())
    }

    fn written_image_format(&mut self) -> Parsed<Written> {
        let span = self.cursor.peek().span;
        let written = self.written_format()?;
        match written.format {
            DataFormat::Pixel(_) => Ok(written),
            DataFormat::Type(_) => Err(Problem::error(span, "this is no image format")),
        }
    }

    fn mip_levels(&mut self) -> Parsed<u32> {
        let span = self.cursor.peek().span;
        let levels = self.cursor.positive("the number of levels")?;
        if levels > 32 {
            return Err(Problem::error(span, "an image has at most 32 levels"));
        }
        Ok(levels)
    }

    fn samples(&mut self) -> Parsed<u32> {
        let samples = self.cursor.unsigned("the number of samples")?;
        if !samples.value.is_power_of_two() || samples.value > 64 {
            let message = "the number of samples is 1, 2, 4, 8, 16, 32 or 64";
            return Err(Problem::error(samples.span, message));
        }
        Ok(samples.value)
    }

    /// Reads `IMAGE NAME …`.
    pub(super) fn read_image(&mut self, start: Span) -> Parsed<()> {
        let name = self.cursor.name("the name of the image")?;
        self.buffers.check_new(name)?;
        let options = self.read_image_options()?;
        let header = self.cursor.since(start);
        let missing = |what: &str| Problem::error(header, format!("the image has no {what}"));
        let written = options.written.ok_or_else(|| missing("`FORMAT` or `DATA_TYPE`"))?;
        let is_needed = match options.dimension {
            Dimension::D1 => [true, false, false],
            Dimension::D2 => [true, true, false],
            Dimension::D3 => [true, true, true],
        };
        let mut size = [1; 3];
        for (axis, word) in ["`WIDTH`", "`HEIGHT`", "`DEPTH`"].into_iter().enumerate() {
            match options.size[axis] {
                Some(extent) => size[axis] = extent,
                None if is_needed[axis] => return Err(missing(word)),
                None => {}
            }
        }
        let ImageOptions { dimension, mip_levels, samples, .. } = options;
        let kind = BufferKind::Image { dimension, size, mip_levels, samples };
        let (content, count) = self.read_texels(&written.element, size, header)?;
        let count = Some(count);
        let buffer = Buffer { content, count, ..written.buffer(name, header, kind) };
        self.add_buffer(buffer, written.element);
        Ok(())
    }

    fn read_image_options(&mut self) -> Parsed<ImageOptions> {
        let dimension = Dimension::D1;
        let mut options =
            ImageOptions { dimension, size: [None; 3], mip_levels: 1, samples: 1, written: None };
        let known = ["DATA_TYPE", "FORMAT", "MIP_LEVELS", "SAMPLES", "DIM_1D", "DIM_2D", "DIM_3D"];
        while let Some(option) = self.cursor.peek_word() {
            if ["DATA", "FILL", "SERIES_FROM"].contains(&option.value) {
                break;
            }
            self.cursor.advance();
            match option.value {
                "DATA_TYPE" => options.written = Some(self.written_format()?),
                "FORMAT" => options.written = Some(self.written_image_format()?),
                "MIP_LEVELS" => options.mip_levels = self.mip_levels()?,
                "SAMPLES" => options.samples = self.samples()?,
                "DIM_1D" => options.dimension = Dimension::D1,
                "DIM_2D" => options.dimension = Dimension::D2,
                "DIM_3D" => options.dimension = Dimension::D3,
                "WIDTH" => options.size[0] = Some(self.cursor.positive("the width")?),
                "HEIGHT" => options.size[1] = Some(self.cursor.positive("the height")?),
                "DEPTH" => options.size[2] = Some(self.cursor.positive("the depth")?),
                _ => {
                    let known = known.into_iter().chain(["WIDTH", "HEIGHT", "DEPTH"]);
                    return Err(Problem::unknown("option", option, known));
                }
            }
        }
        Ok(options)
    }

    /// Reads the content of an image, if it has any; returns it and the number of texels.
    fn read_texels(
        &mut self,
        element: &Element,
        size: [u32; 3],
        header: Span,
    ) -> Parsed<(Content, u32)> {
        let count = size.iter().fold(1_u64, |all, extent| all.saturating_mul((*extent).into()));
        let texels = u32::try_from(count).unwrap_or(u32::MAX);
        if self.cursor.is_line_end() {
            self.budget.reserve(count, element.stride, header)?;
            return Ok((Content::Zero, texels));
        }
        if self.cursor.accept("DATA") {
            let (content, found) = self.read_data(element, header)?;
            if found != texels {
                let message =
                    format!("the image has {}, its data {found}", counted(texels, "texel"));
                return Err(Problem::error(header, message));
            }
            return Ok((content, texels));
        }
        Ok((self.read_filled(element, count, header)?, texels))
    }

    fn add_buffer(&mut self, buffer: Buffer, element: Arc<Element>) {
        self.buffers.add(&buffer.name);
        self.elements.push(element);
        self.script.buffers.push(buffer);
    }

    /// Reads `[PNG | BINARY | TEXT] PATH`.
    fn read_file(&mut self) -> Parsed<Content> {
        let form = if self.cursor.accept("TEXT") {
            FileForm::Text
        } else if self.cursor.accept("BINARY") {
            FileForm::Binary
        } else {
            self.cursor.accept("PNG");
            FileForm::Png
        };
        Ok(Content::File { form, path: self.cursor.text("a path")? })
    }

    /// Reads the numbers of `DATA` up to `END`; returns the content and the number of elements.
    fn read_data(&mut self, element: &Element, header: Span) -> Parsed<(Content, u32)> {
        check_has_numbers(element, header)?;
        let components = &element.components;
        let (mut data, mut at, mut count) = (Vec::new(), 0, 0_u32);
        loop {
            let token = self.cursor.peek().clone();
            match token.kind {
                TokenKind::LineEnd => {}
                TokenKind::TextEnd => return Err(missing_end(header)),
                TokenKind::Word("END") => break,
                TokenKind::Number(number) => {
                    if at == 0 {
                        self.budget.reserve(1, element.stride, header)?;
                        count += 1;
                    }
                    put(At::new(number, token.span), components[at], &mut data, element)?;
                    at = (at + 1) % components.len();
                }
                TokenKind::Word(_) | TokenKind::Quoted(_) => {
                    return Err(self.cursor.unexpected("a number or `END`"));
                }
            }
            self.cursor.advance();
        }
        let end = self.cursor.peek().span;
        self.cursor.advance();
        if at != 0 {
            let message = format!("the last element has {at} of {} numbers", components.len());
            return Err(Problem::error(end, message));
        }
        if count == 0 {
            return Err(Problem::error(header, "there is no data"));
        }
        Ok((Content::Bytes(data.into()), count))
    }

    /// Reads `FILL …` or `SERIES_FROM …` for `count` elements.
    fn read_filled(&mut self, element: &Element, count: u64, header: Span) -> Parsed<Content> {
        let word = self.cursor.word("the content of the buffer")?;
        let first = self.cursor.number("a number")?;
        check_has_numbers(element, header)?;
        match word.value {
            "FILL" => {
                let bytes = self.budget.reserve(count, element.stride, header)?;
                filled(first, element, bytes)
            }
            "SERIES_FROM" => {
                self.cursor.expect("INC_BY")?;
                let step = self.cursor.number("a number")?;
                let [component] = element.components[..] else {
                    let message = "a series is one of single numbers, not of vectors or matrices";
                    return Err(Problem::error(word.span, message));
                };
                let bytes = self.budget.reserve(count, element.stride, header)?;
                series([first, step], component.scalar, element.stride, bytes)
            }
            _ => Err(Problem::unknown("content", word, CONTENTS)),
        }
    }
}

/// Reads elements from the text of a file; returns their bytes and their number, or the line of an error and its
/// message.
pub(crate) fn text_file(text: &str, element: &Element) -> Result<(Vec<u8>, u32), (usize, String)> {
    let line_of = |at: usize| 1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count();
    let told = |problem: Problem, at: usize| match problem {
        Problem::Broken(error) => {
            (line_of(error.span.map_or(at, |span| span.start)), error.message)
        }
        Problem::Unsupported { word, span } => {
            (line_of(span.start), format!("{word} are unsupported"))
        }
    };
    let whole = Span::new(0, text.len());
    check_has_numbers(element, whole).map_err(|problem| told(problem, 0))?;
    let mut cursor = Cursor::new(text, whole);
    let (mut data, mut at, mut count) = (Vec::new(), 0, 0_u32);
    loop {
        let span = cursor.peek().span;
        match cursor.peek().kind {
            TokenKind::LineEnd => cursor.advance(),
            TokenKind::TextEnd => break,
            TokenKind::Word(_) | TokenKind::Quoted(_) | TokenKind::Number(_) => {
                let number = cursor.number("a number");
                let number = number.map_err(|problem| told(problem, span.start))?;
                let component = element.components[at];
                put(number, component, &mut data, element)
                    .map_err(|problem| told(problem, span.start))?;
                count += u32::from(at == 0);
                at = (at + 1) % element.components.len();
            }
        }
    }
    if at != 0 {
        let message = format!("the last element has {at} of {} numbers", element.components.len());
        return Err((line_of(text.len()), message));
    }
    Ok((data, count))
}

/// Checks that each number of an element is whole bytes.
fn check_has_numbers(element: &Element, span: Span) -> Parsed<()> {
    if element.components.is_empty() {
        return Err(Problem::unsupported("data with depths of 24 bits", span));
    }
    Ok(())
}

/// Writes a number into the last element of `data`, after adding an element for the first number.
fn put(
    number: At<Number>,
    component: Component,
    data: &mut Vec<u8>,
    element: &Element,
) -> Parsed<()> {
    let stride = element.stride as usize;
    let is_first = element.components.first() == Some(&component);
    if is_first {
        data.resize(data.len() + stride, 0);
    }
    let value = bits(number, component.scalar)?.to_le_bytes();
    let start = data.len() - stride + component.offset as usize;
    let size = component.scalar.size() as usize;
    data[start..start + size].copy_from_slice(&value[..size]);
    Ok(())
}

/// `bytes` bytes of elements in which every number is the same.
fn filled(number: At<Number>, element: &Element, bytes: usize) -> Parsed<Content> {
    let mut one = Vec::new();
    for component in &element.components {
        put(number, *component, &mut one, element)?;
    }
    if one.iter().all(|byte| *byte == 0) {
        return Ok(Content::Zero);
    }
    Ok(Content::Bytes(one.repeat(bytes / one.len()).into()))
}

/// `bytes` bytes of numbers that start with the first number and increase by the second.
fn series(
    [first, step]: [At<Number>; 2],
    scalar: Scalar,
    stride: u32,
    bytes: usize,
) -> Parsed<Content> {
    let stride = stride as usize;
    let mut data = vec![0; bytes];
    if scalar.is_float() {
        let (mut value, step_by) = (real_of(first.value), real_of(step.value));
        for element in data.chunks_exact_mut(stride) {
            let mut one = Vec::with_capacity(8);
            add_bytes(At::new(Number::Real(value), first.span), scalar, &mut one)?;
            element[..one.len()].copy_from_slice(&one);
            value += step_by;
        }
    } else {
        let (mut value, step_by) = (bits(first, scalar)?, bits(step, scalar)?);
        let size = scalar.size() as usize;
        for element in data.chunks_exact_mut(stride) {
            element[..size].copy_from_slice(&value.to_le_bytes()[..size]);
            value = value.wrapping_add(step_by);
        }
    }
    Ok(Content::Bytes(data.into()))
}
