//! What `uniform` steps set, and the binding points of uniform blocks where each stage is a program.
//!
//! A program has its own loose uniforms and its own blocks, and each block is at a *binding point*, where all programs see
//! one buffer, each through its own members. In our cases that is the point that the block declares; a block without one
//! has a buffer to itself, as if it had been bound by itself. In piglit's files it is where piglit's reader puts it: it gives
//! the blocks of the program that it linked last, the fragment stage, buffers and the points from 0 on, and leaves those of
//! other programs where their declarations have them.

use super::Planner;
use crate::case::{Dialect, ShaderStage, UniformStep};
use crate::link::program::UniformBuffer;
use crate::link::uniform::RAW_UNIFORM_GROUP;

impl Planner<'_> {
    pub(super) fn set_uniform(&mut self, uniform: &UniformStep) -> Result<(), String> {
        let stage = self.active_stage;
        let is_location = uniform.name.starts_with(|first: char| first.is_ascii_digit());
        let is_piglit = self.case.dialect == Dialect::Piglit;
        if is_piglit && self.case.link.is_separable {
            if !is_location && self.program.reflection.has_names {
                return self.set_member_as_piglit(uniform);
            }
            // GL's errors are not looked at.
            if is_location && (stage.is_none() || !self.program.has_location(stage, &uniform.name))
            {
                return Ok(());
            }
        }
        let is_unit = self.set_unit(uniform)?;
        // The other stage, a program of its own, may have an ordinary uniform of the name.
        let is_alone = !self.case.link.is_separable || stage.is_some();
        if is_unit && (is_alone || !self.program.has_uniform(&uniform.name)) {
            return Ok(());
        }
        let is_label = !is_piglit || !self.program.reflection.has_names;
        if self.block.binding.is_some() && is_label && !is_location {
            self.program.write_at(&mut self.uniforms, &self.block, uniform)?;
        } else {
            self.write_named(stage, uniform)?;
        }
        self.share_points();
        Ok(())
    }

    fn write_named(
        &mut self,
        stage: Option<ShaderStage>,
        uniform: &UniformStep,
    ) -> Result<(), String> {
        let name = self.program.name_in_block_array(stage, &uniform.name, self.block.element);
        let named = name.map(|name| UniformStep { name, ..uniform.clone() });
        let uniform = named.as_ref().unwrap_or(uniform);
        if self.case.dialect == Dialect::Interstage {
            self.program.check_uniform_type(stage, uniform)?;
        }
        self.program.write_uniform_of(stage, &mut self.uniforms, uniform)
    }

    /// Sets a member of a block of the program that piglit's reader linked last. Names outside blocks it looks up in the
    /// program that is used without a pipeline, and there is none.
    fn set_member_as_piglit(&mut self, uniform: &UniformStep) -> Result<(), String> {
        let last = &self.program.reflection;
        let is_in_block = |name: &str| {
            let array = format!("{name}[0]");
            let base = name.rsplit_once('[').map_or(name, |(base, _)| base);
            let element = format!("{base}[0]");
            let is_it = |known: &str| known == name || known == array || known == element;
            last.uniforms.iter().any(|it| it.block.is_some() && is_it(&it.name))
        };
        if !is_in_block(&uniform.name) {
            return Err(format!(
                "`{}` is no location and in no block of the last stage, and each stage is a program",
                uniform.name
            ));
        }
        self.write_named(Some(ShaderStage::Fragment), uniform)?;
        self.share_points();
        Ok(())
    }

    /// The present program's buffers that are at binding points, with those.
    fn pointed(&self) -> Vec<(usize, u32)> {
        let all = self.program.uniform_buffers.iter().enumerate();
        all.filter_map(|(at, buffer)| Some((at, self.point_of(buffer)?))).collect()
    }

    fn point_of(&self, buffer: &UniformBuffer) -> Option<u32> {
        let owner = buffer.owner?;
        if buffer.name.is_empty() || buffer.at.group != RAW_UNIFORM_GROUP {
            return None;
        }
        match (self.case.dialect, owner) {
            (Dialect::Interstage, _) => buffer.case_binding,
            (Dialect::Piglit, ShaderStage::Vertex) => Some(buffer.case_binding.unwrap_or(0)),
            (Dialect::Piglit, ShaderStage::Fragment | ShaderStage::Compute) => {
                let last = &self.program.reflection;
                if !last.has_names {
                    return buffer.case_binding;
                }
                let index = last.uniform_blocks.iter().position(|it| it.name == buffer.name)?;
                u32::try_from(index).ok()
            }
        }
    }

    /// Takes what was just written through any block to all others at its binding point.
    fn share_points(&mut self) {
        let pointed = self.pointed();
        let before = self.points.clone();
        for (at, point) in &pointed {
            let Some(bytes) = self.uniforms.get(*at) else { continue };
            let old = before.get(point).map_or(&[][..], Vec::as_slice);
            let new = self.points.entry(*point).or_default();
            new.resize(new.len().max(bytes.len()), 0);
            let old = old.iter().chain(std::iter::repeat(&0));
            for ((byte, old), new) in bytes.iter().zip(old).zip(new) {
                if byte != old {
                    *new = *byte;
                }
            }
        }
        self.load_points();
    }

    /// Lets all blocks see what is at their binding points.
    pub(super) fn load_points(&mut self) {
        for (at, point) in self.pointed() {
            let there = self.points.get(&point).map_or(&[][..], Vec::as_slice);
            let there = there.iter().chain(std::iter::repeat(&0));
            if let Some(bytes) = self.uniforms.get_mut(at) {
                bytes.iter_mut().zip(there).for_each(|(byte, there)| *byte = *there);
            }
        }
    }
}
