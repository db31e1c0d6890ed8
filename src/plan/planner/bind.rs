//! Binds the resources of a script's pipelines.

use std::sync::Arc;

use crate::error::Misfit;
use case::bind::BindStep;

use super::Planner;
use super::opaque::BoundImage;
use crate::opaque::SamplerState;
use crate::operation::Operation;
use crate::snapshot::SnapshotSource;
use crate::texture::TexelFormat;

impl Planner<'_> {
    pub(super) fn bind_step(&mut self, step: &BindStep) -> Result<(), Misfit> {
        match step {
            BindStep::Program(program) => self.select_program(*program)?,
            BindStep::Uniform { point, content } => self.set_block(*point, content),
            BindStep::StoredUniform { point, part } => self.bind_stored_uniform(*point, *part)?,
            BindStep::StoragePart { point, part } => self.bind_storage_part(*point, *part)?,
            BindStep::Content { buffer, offset, content } => {
                self.write_content(*buffer, *offset, content)?;
            }
            BindStep::Storage { point, buffer } => self.bind_storage(*point, *buffer)?,
            BindStep::Texture { point, texture, level } => {
                self.bind_texture(*point, *texture, *level)?;
            }
            BindStep::Sampler { point, sampler } => {
                self.units.samplers.insert(*point, SamplerState::new(sampler));
            }
            BindStep::Image { point, texture, level } => {
                self.bind_storage_image(*point, *texture, *level)?;
            }
            BindStep::Depth(is_attached) => self.attaches_depth = *is_attached,
            BindStep::DepthTexture(texture) => self.read_depth(*texture)?,
            BindStep::Vertices(table) => self.geometry.change_table(Arc::clone(table)),
        }
        Ok(())
    }

    /// Writes the first bytes of the uniform blocks at `point`.
    fn set_block(&mut self, point: u32, content: &[u8]) {
        self.parts.forget_uniform(point);
        for (buffer, bytes) in self.program.uniform_buffers.iter().zip(&mut self.uniforms) {
            if buffer.case_binding == Some(point) {
                let count = bytes.len().min(content.len());
                bytes[..count].copy_from_slice(&content[..count]);
                bytes[count..].fill(0);
            }
        }
    }

    fn write_content(&mut self, buffer: u32, offset: u32, content: &[u8]) -> Result<(), Misfit> {
        let buffer = *self.storage.get(&buffer).ok_or("there is no such buffer")?;
        let mut bytes = content.to_vec();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        if !bytes.is_empty() {
            self.plan.operations.push(Operation::Write { buffer, offset, bytes });
            self.current_snapshots.remove(&SnapshotSource::Buffer(buffer));
        }
        Ok(())
    }

    fn bind_storage(&mut self, point: u32, buffer: u32) -> Result<(), Misfit> {
        let buffer = *self.storage.get(&buffer).ok_or("there is no such buffer")?;
        self.storage.insert(point, buffer);
        self.parts.forget_storage(point);
        self.pad(point, buffer);
        Ok(())
    }

    /// Enlarges a buffer to the size of the block at `point`.
    pub(super) fn pad(&mut self, point: u32, buffer: usize) {
        let least = self.least_size(point);
        if let Some(size) = self.plan.storage_sizes.get_mut(buffer)
            && *size < least
        {
            *size = least;
            self.padded.insert(buffer);
        }
    }

    /// Binds the texture on unit `texture` at `point`.
    fn bind_texture(&mut self, point: u32, texture: u32, level: u32) -> Result<(), Misfit> {
        let target = self.units.last_target.get(&texture).copied();
        let found =
            target.and_then(|target| Some((target, *self.units.textures.get(&(texture, target))?)));
        let (target, mut bound) = found.ok_or("there is no such texture")?;
        self.units.textures.retain(|(unit, _), _| *unit != point);
        bound.base_level = level;
        self.units.textures.insert((point, target), bound);
        Ok(())
    }

    /// Copies the depth buffer into the texture on unit `texture`.
    fn read_depth(&mut self, texture: u32) -> Result<(), Misfit> {
        let texture = self.last_texture(texture)?;
        if let Some(planned) = self.plan.textures.get_mut(texture) {
            planned.is_target = true;
        }
        self.begin_depth();
        self.plan.operations.push(Operation::ReadDepth(texture));
        self.forget_texture(texture);
        Ok(())
    }

    /// Binds a level of the texture on unit `texture` as the image at `point`.
    fn bind_storage_image(&mut self, point: u32, texture: u32, level: u32) -> Result<(), Misfit> {
        let texture = self.last_texture(texture)?;
        let Some(planned) = self.plan.textures.get_mut(texture) else { return Ok(()) };
        planned.is_image = true;
        let TexelFormat::Color(format) = planned.format else {
            return Err("a depth texture cannot be a storage image".into());
        };
        self.units.images.insert(point, BoundImage { texture, format, level });
        Ok(())
    }
}
