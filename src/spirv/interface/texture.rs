//! Textures and their samplers, identified by location; the point is their unit.

use naga::{GlobalVariable, Handle};
use rspirv::spirv::{Decoration, Op};

use crate::rewrite::texture::TexturePart;
use ir::stage_module::{ResourceKind, ResourceVariable};

use super::{Gathering, Problem};

impl Gathering<'_> {
    /// Adds the texture or the sampler of a combined texture, or of one element of an array of textures.
    pub(crate) fn add_texture(
        &mut self,
        id: u32,
        element: u32,
        part: TexturePart,
        global: Handle<GlobalVariable>,
    ) -> Result<(), Problem> {
        let own = self.declarations.decorations(id);
        let location = own.number(Decoration::Location);
        let unit = self.point(id)?;
        let variable = self.declarations.variables.iter().find(|variable| variable.id == id);
        let is_array = variable
            .is_some_and(|variable| !self.declarations.without_arrays(variable.ty).1.is_empty());
        let is_sampler = variable.is_some_and(|variable| {
            let (inner, _) = self.declarations.without_arrays(variable.ty);
            matches!(self.declarations.ty(inner), Some((Op::TypeSampler, _)))
        });
        let what = match part {
            TexturePart::Sampler if is_sampler => "sampler",
            TexturePart::Texture | TexturePart::Sampler => "texture",
            TexturePart::Image => "image",
        };
        let base = match location {
            Some(location) => format!("location {location}"),
            None => format!("{what} at {unit}"),
        };
        let own = self.declarations.name(id).unwrap_or("").to_owned();
        let named = |base: String| {
            if is_array && !base.is_empty() { format!("{base}[{element}]") } else { base }
        };
        self.interface.resources.push(ResourceVariable {
            name: named(base),
            alias: named(own),
            global,
            kind: match part {
                TexturePart::Texture => ResourceKind::Texture,
                TexturePart::Sampler => ResourceKind::Sampler,
                TexturePart::Image => ResourceKind::Image,
            },
            binding: Some(unit.element(element).number()),
            location: location.map(|location| location.saturating_add(element)),
            described: None,
            element: 0,
            layout: None,
            span: Some((self.spans)(id)),
        });
        Ok(())
    }
}
