//! Reads `SAMPLER`.

use ir::source::Span;

use super::script::Parser;
use super::text::problem::{Parsed, Problem};
use super::words::{ADDRESS_MODES, BORDER_COLORS, COMPARE_OPS, FILTERS};
use crate::syntax::sampler::{AddressMode, BorderColor, Sampler};
use case::depth_stencil::CompareFunction;
use case::texture::Filter;

/// The words that start an option.
const OPTIONS: [&str; 12] = [
    "ADDRESS_MODE_U",
    "ADDRESS_MODE_V",
    "ADDRESS_MODE_W",
    "BORDER_COLOR",
    "COMPARE",
    "COMPARE_OP",
    "MAG_FILTER",
    "MAX_LOD",
    "MIN_FILTER",
    "MIN_LOD",
    "NORMALIZED_COORDS",
    "UNNORMALIZED_COORDS",
];

impl Parser<'_> {
    /// Reads `SAMPLER NAME …`.
    pub(super) fn read_sampler(&mut self, start: Span) -> Parsed<()> {
        let name = self.cursor.name("the name of the sampler")?;
        self.samplers.check_new(name)?;
        let mut sampler = Sampler {
            name: name.value.to_owned(),
            span: start,
            magnify: Filter::Nearest,
            minify: Filter::Nearest,
            address: [AddressMode::Repeat; 3],
            border: BorderColor::FloatTransparentBlack,
            min_lod: 0.0,
            max_lod: 1.0,
            is_normalized: true,
            compare: None,
        };
        let mut compare = CompareFunction::Never;
        let mut compares = false;
        while !self.cursor.is_line_end() {
            let option = self.cursor.word("an option")?;
            match option.value {
                "COMPARE" => compares = self.cursor.switch()?,
                "COMPARE_OP" => compare = self.cursor.choice("comparison", &COMPARE_OPS)?,
                "MAG_FILTER" => sampler.magnify = self.cursor.choice("filter", &FILTERS)?,
                "MIN_FILTER" => sampler.minify = self.cursor.choice("filter", &FILTERS)?,
                "ADDRESS_MODE_U" => sampler.address[0] = self.address_mode()?,
                "ADDRESS_MODE_V" => sampler.address[1] = self.address_mode()?,
                "ADDRESS_MODE_W" => sampler.address[2] = self.address_mode()?,
                "BORDER_COLOR" => {
                    sampler.border = self.cursor.choice("border colour", &BORDER_COLORS)?;
                }
                "MIN_LOD" => sampler.min_lod = self.cursor.real("a level")?,
                "MAX_LOD" => sampler.max_lod = self.cursor.real("a level")?,
                "NORMALIZED_COORDS" => sampler.is_normalized = true,
                "UNNORMALIZED_COORDS" => {
                    sampler.is_normalized = false;
                    (sampler.min_lod, sampler.max_lod) = (0.0, 0.0);
                }
                _ => return Err(Problem::unknown("option", option, OPTIONS)),
            }
        }
        sampler.span = self.cursor.since(start);
        sampler.compare = compares.then_some(compare);
        if sampler.max_lod < sampler.min_lod {
            let message = "the greatest level is below the least";
            return Err(Problem::error(sampler.span, message));
        }
        self.samplers.add(name.value);
        self.script.samplers.push(sampler);
        Ok(())
    }

    fn address_mode(&mut self) -> Parsed<AddressMode> {
        self.cursor.choice("address mode", &ADDRESS_MODES)
    }
}
