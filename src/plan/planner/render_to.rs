//! Plans the render targets of draws.

use super::Planner;
use super::index::index_in;
use crate::error::Misfit;
use crate::render_to::RenderTo;
use crate::render_to::TextureLayer;
use crate::texture::TextureShape;
use case::texture::TextureTarget;

impl Planner<'_> {
    pub(super) fn bind_framebuffer(&mut self, units: &[u32]) -> Result<(), Misfit> {
        let mut textures = Vec::new();
        for unit in units {
            let bound = self.units.textures.get(&(*unit, TextureTarget::D2));
            let texture = bound
                .ok_or_else(|| {
                    Misfit(format!("there is no 2D texture on unit {unit} before this step"))
                })?
                .texture;
            if let Some(planned) = self.plan.textures.get_mut(texture) {
                planned.is_target = true;
            }
            textures.push(TextureLayer { texture, layer: 0 });
        }
        self.layers.clear();
        let framebuffer = index_in(&mut self.plan.framebuffers, textures);
        self.render_to = RenderTo::Textures { framebuffer, has_depth: self.attaches_depth };
        // Draw buffers belong to the state of a framebuffer.
        self.outputs.reset_map();
        Ok(())
    }

    /// Makes all layers of a unit's texture the render target. A texture that cannot have several layers is bound
    /// without them.
    pub(super) fn bind_layers(&mut self, unit: u32) -> Result<(), Misfit> {
        let texture = self.last_texture(unit)?;
        let Some(planned) = self.plan.textures.get_mut(texture) else { return Ok(()) };
        if matches!(planned.shape, TextureShape::Line | TextureShape::Multisampled) {
            let message = "neither a texture of one dimension in WGSL nor a multisampled one can be a render target";
            return Err(message.into());
        }
        planned.is_target = true;
        let count = planned.size[2].max(1);
        let has_layers = planned.shape != TextureShape::Flat || count > 1;
        let framebuffers = &mut self.plan.framebuffers;
        let of = |layer: u32| {
            let framebuffer = index_in(framebuffers, vec![TextureLayer { texture, layer }]);
            RenderTo::Textures { framebuffer, has_depth: false }
        };
        let all: Vec<_> = (0..count).map(of).collect();
        self.render_to = all.first().copied().unwrap_or_default();
        self.layers = if has_layers { all } else { Vec::new() };
        self.outputs.reset_map();
        Ok(())
    }

    /// Render targets of an operation on all layers: those of each layer, or the only ones.
    pub(super) fn all_layers(&self) -> Vec<RenderTo> {
        if self.layers.is_empty() { vec![self.render_to] } else { self.layers.clone() }
    }
}
