//! Reads the lines of `[require]`.

use ir::source::Spanned;

use super::{Reader, attachment};
use crate::read::format::pixel_format;
use crate::read::text::problem::{Parsed, Problem, shown};
use crate::syntax::Requirement;
use crate::syntax::data::PixelFormat;

/// Maximum width or height of a framebuffer.
const MAX_FRAMEBUFFER: u32 = 1 << 16;

impl Reader<'_> {
    /// Reads one line.
    pub(super) fn read_requirement(&mut self) -> Parsed<()> {
        let word = self.cursor.name("a feature or an extension")?;
        match word.value {
            "framebuffer" => self.framebuffer_format = Some(self.image_format()?),
            "depthstencil" => {
                let format = self.image_format()?;
                if self.depth_stencil.is_some() {
                    let message = "there is a depth and stencil buffer already";
                    return Err(Problem::error(word.span, message));
                }
                let span = self.cursor.since(word.span);
                let buffer = self.add_buffer(attachment("depth_stencil", format, span));
                self.depth_stencil = Some(Spanned::new(buffer, span));
            }
            // A time limit has no effect here.
            "fence_timeout" => {
                self.cursor.unsigned("the time")?;
            }
            "fbsize" => self.framebuffer_size = Some([self.extent()?, self.extent()?]),
            name if name.starts_with("sparseResidency") => {
                return Err(Problem::unsupported("sparse residency", word.span));
            }
            name => {
                let is_known_letter =
                    |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.');
                if !name.chars().all(is_known_letter) {
                    let message = format!("`{}` is no feature or extension", shown(name));
                    return Err(Problem::error(word.span, message));
                }
                let name = name.to_owned();
                let requirement = if name.starts_with("VK_") {
                    Requirement::DeviceExtension(name)
                } else {
                    Requirement::Feature(name)
                };
                self.script.requirements.push(Spanned::new(requirement, word.span));
            }
        }
        Ok(())
    }

    fn extent(&mut self) -> Parsed<u32> {
        let span = self.cursor.peek().span;
        let extent = self.cursor.positive("a width or height")?;
        if extent > MAX_FRAMEBUFFER {
            let message = format!("a framebuffer is at most {MAX_FRAMEBUFFER} wide");
            return Err(Problem::error(span, message));
        }
        Ok(extent)
    }

    fn image_format(&mut self) -> Parsed<PixelFormat> {
        let word = self.cursor.word("an image format")?;
        pixel_format(word.value).ok_or_else(|| {
            let message = format!("`{}` is no image format", shown(word.value));
            Problem::error(word.span, message)
        })
    }
}
