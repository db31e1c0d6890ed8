//! Translates buffers, images and samplers: the steps that create them, and those that bind them before a draw or
//! dispatch.

use std::sync::Arc;

use case::Setting;
use case::bind::{BindStep, BufferPart, Sampler};
use case::texture::{Filter, TextureContent, TextureStep, TextureTarget, Wrap};
use ir::format::Format;
use ir::source::{Span, Spanned};
use ir::vulkan::{MAX_BINDING, MAX_SET, PUSH_CONSTANT_POINT, point};

use super::framebuffer::targets_of;
use super::{Translated, Translator, broken, format, unsupported};
use crate::syntax::pipeline::{Binding, BufferRange, Pipeline, Resource};
use crate::syntax::sampler::{AddressMode, BorderColor, Sampler as TreeSampler};
use crate::syntax::{Buffer, BufferId, BufferKind, Content, Dimension, PipelineId, SamplerId};

impl Translator<'_> {
    /// Creates the storage buffers and textures of the `used` pipelines and of expectations.
    pub(super) fn make_resources(&mut self, used: &[PipelineId]) -> Translated<()> {
        for id in used {
            let script = self.script;
            let pipeline = &script.pipelines[id.0];
            for binding in &pipeline.bindings {
                self.place = binding.span;
                match &binding.value.resource {
                    Resource::Storage(range) => self.make_storage(range.buffer)?,
                    Resource::StorageImage { buffer, .. }
                    | Resource::SampledImage { buffer, .. }
                    | Resource::CombinedImageSampler { buffer, .. } => self.make_image(*buffer)?,
                    Resource::Uniform(_) | Resource::Sampler(_) => {}
                }
            }
            self.place = pipeline.span;
            if self.framebuffers.are_textures() {
                for (_, buffer) in targets_of(pipeline) {
                    self.make_image(buffer)?;
                }
            }
        }
        Ok(())
    }

    /// Creates a storage buffer for a plain buffer, once.
    pub(super) fn make_storage(&mut self, id: BufferId) -> Translated<()> {
        if self.made.contains(&id.0) {
            return Ok(());
        }
        let bytes = self.bytes_of(id)?;
        let size = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let most = case::limits::MAX_BUFFER_BYTES;
        if size > most {
            let name = &self.script.buffers[id.0].name;
            let message = format!("`{name}` has {size} bytes; a storage buffer has at most {most}");
            return Err(broken(self.place, message));
        }
        self.made.insert(id.0);
        self.push(Setting::Ssbo { binding: Self::point(id), size: size.next_multiple_of(4) })?;
        if bytes.iter().any(|byte| *byte != 0) {
            let buffer = Self::point(id);
            self.push(Setting::Bind(BindStep::Content { buffer, offset: 0, content: bytes }))?;
        }
        Ok(())
    }

    /// Creates a texture for an image, once.
    pub(super) fn make_image(&mut self, id: BufferId) -> Translated<()> {
        if self.made.contains(&id.0) {
            return Ok(());
        }
        let buffer = &self.script.buffers[id.0];
        let size = self.framebuffers.size(id, buffer).ok_or_else(|| {
            unsupported(self.place, format!("`{}` as an image without a size", buffer.name))
        })?;
        let (target, levels) = match buffer.kind {
            BufferKind::Image { dimension: Dimension::D3, mip_levels, .. } => {
                (TextureTarget::D3, mip_levels)
            }
            BufferKind::Image { mip_levels, .. } | BufferKind::Attachment { mip_levels, .. } => {
                (TextureTarget::D2, mip_levels)
            }
            BufferKind::Plain => (TextureTarget::D2, 1),
        };
        let most = case::limits::MAX_TEXTURE_SIZE;
        if size.iter().any(|side| *side == 0 || *side > most) {
            return Err(broken(self.place, format!("an image has 1 to {most} texels in a row")));
        }
        if samples(buffer) > 1 {
            return Err(unsupported(self.place, "multisampled images that are textures"));
        }
        let format = if format::is_depth(&buffer.format) {
            self.check_depth_texture(buffer)?;
            Format::R32_FLOAT
        } else {
            format::color_format(buffer, self.place)?
        };
        let texels = size.iter().map(|side| u64::from(*side)).product::<u64>();
        let texel = u64::try_from(format.bytes_per_texel()).unwrap_or(u64::MAX);
        let first = match &buffer.content {
            Content::Zero => Arc::from(Vec::new()),
            Content::Bytes(bytes) => Arc::clone(bytes),
            Content::File { .. } => return Err(unsupported(self.place, "images from files")),
        };
        if texels.saturating_mul(texel) < u64::try_from(first.len()).unwrap_or(u64::MAX) {
            let message = format!("`{}` has more data than texels", buffer.name);
            return Err(broken(self.place, message));
        }
        let rest = (1..levels.min(32)).map(|_| Arc::from(Vec::new()));
        let levels = std::iter::once(first).chain(rest).collect();
        let content = TextureContent::Texels { target, size, format, levels };
        self.made.insert(id.0);
        self.push(Setting::Texture(TextureStep { unit: Self::point(id), content }))
    }

    /// Checks that depths can be read from a texture of floats.
    fn check_depth_texture(&self, buffer: &Buffer) -> Translated<()> {
        let is_zero = match &buffer.content {
            Content::Zero => true,
            Content::Bytes(bytes) => bytes.iter().all(|byte| *byte == 0),
            Content::File { .. } => false,
        };
        let is_flat = match buffer.kind {
            BufferKind::Plain => false,
            BufferKind::Attachment { mip_levels, .. } => mip_levels == 1,
            BufferKind::Image { dimension, mip_levels, .. } => {
                dimension == Dimension::D2 && mip_levels == 1
            }
        };
        let has_depth = format::depth_format(buffer, self.place)?.has_depth();
        if is_zero && is_flat && has_depth {
            return Ok(());
        }
        Err(unsupported(self.place, "such a depth buffer that is a texture"))
    }

    /// Updates the texture of a depth buffer before a draw or dispatch that reads it.
    fn read_depth(&mut self, pipeline: &Pipeline, id: BufferId) -> Translated<()> {
        if !format::is_depth(&self.script.buffers[id.0].format) {
            return Ok(());
        }
        if pipeline.depth_stencil.as_ref().is_some_and(|depth| depth.value == id) {
            return Err(unsupported(self.place, "a depth buffer that is read and tested at once"));
        }
        if !self.framebuffers.is_depth(id) {
            return Ok(());
        }
        let size = self.framebuffers.size(id, &self.script.buffers[id.0]);
        let [width, height] = self.case.size;
        if self.case.samples > 1 || size != Some([width, height, 1]) {
            return Err(unsupported(self.place, "such a depth buffer that is a texture"));
        }
        self.push(Setting::Bind(BindStep::DepthTexture(Self::point(id))))
    }

    /// Bytes of a buffer that only the script sets.
    pub(super) fn bytes_of(&self, id: BufferId) -> Translated<Arc<[u8]>> {
        if let Some(bytes) = self.contents.get(&id.0) {
            return Ok(Arc::clone(bytes));
        }
        let buffer = &self.script.buffers[id.0];
        match &buffer.content {
            Content::Bytes(bytes) => Ok(Arc::clone(bytes)),
            Content::Zero => {
                let count = u64::from(buffer.count.unwrap_or(0));
                let element = buffer.format.element(buffer.layout, buffer.is_array);
                let bytes = count.saturating_mul(u64::from(element.stride));
                if bytes > u64::from(case::limits::MAX_BUFFER_BYTES) {
                    let most = case::limits::MAX_BUFFER_BYTES;
                    let message = format!("`{}` has more than {most} bytes", buffer.name);
                    return Err(broken(buffer.span, message));
                }
                Ok(Arc::from(vec![0; usize::try_from(bytes).unwrap_or(0)]))
            }
            Content::File { .. } => Err(unsupported(buffer.span, "buffers from files")),
        }
    }

    /// Binds all resources of a pipeline.
    pub(super) fn bind(&mut self, pipeline: &Pipeline) -> Translated<()> {
        let command = self.place;
        self.check_parts(pipeline)?;
        for binding in &pipeline.bindings {
            let (set, number) = (binding.value.set, binding.value.binding);
            if set > MAX_SET || number > MAX_BINDING {
                let message = format!("sets are 0 to {MAX_SET}, and bindings 0 to {MAX_BINDING}");
                return Err(broken(binding.span, message));
            }
            let at = point(set, number);
            match &binding.value.resource {
                Resource::SampledImage { buffer, .. } => self.read_depth(pipeline, *buffer)?,
                Resource::CombinedImageSampler { buffer, sampler, .. } => {
                    self.check_comparison(*buffer, *sampler, binding.span)?;
                    self.read_depth(pipeline, *buffer)?;
                }
                Resource::StorageImage { buffer, .. } => {
                    self.check_storage(*buffer, binding.span)?;
                }
                Resource::Uniform(_) | Resource::Storage(_) | Resource::Sampler(_) => {}
            }
            self.bind_one(at, &binding.value.resource, binding.span)?;
        }
        if let Some(constants) = &pipeline.push_constant {
            let range = BufferRange { buffer: constants.value, offset: 0, range: None };
            self.bind_uniform(PUSH_CONSTANT_POINT, range, constants.span)?;
        }
        self.place = command;
        Ok(())
    }

    fn check_comparison(&self, id: BufferId, sampler: SamplerId, span: Span) -> Translated<()> {
        let is_depth = format::is_depth(&self.script.buffers[id.0].format);
        if is_depth && self.script.samplers[sampler.0].compare.is_some() {
            return Err(unsupported(span, "the comparison of depths in a texture"));
        }
        Ok(())
    }

    fn check_storage(&self, id: BufferId, span: Span) -> Translated<()> {
        if format::is_depth(&self.script.buffers[id.0].format) {
            return Err(unsupported(span, "a depth buffer that is a storage image"));
        }
        Ok(())
    }

    fn bind_one(&mut self, point: u32, resource: &Resource, span: Span) -> Translated<()> {
        match resource {
            Resource::Uniform(range) => self.bind_uniform(point, *range, span),
            Resource::Storage(range) => {
                let buffer = Self::point(range.buffer);
                if range.offset == 0 && range.range.is_none() {
                    return self.push(Setting::Bind(BindStep::Storage { point, buffer }));
                }
                let part = self.part(*range, span)?;
                self.push(Setting::Bind(BindStep::StoragePart { point, part }))
            }
            Resource::StorageImage { buffer, base_mip_level } => {
                let (texture, level) = (Self::point(*buffer), *base_mip_level);
                self.push(Setting::Bind(BindStep::Image { point, texture, level }))
            }
            Resource::SampledImage { buffer, base_mip_level } => {
                let (texture, level) = (Self::point(*buffer), *base_mip_level);
                self.push(Setting::Bind(BindStep::Texture { point, texture, level }))
            }
            Resource::CombinedImageSampler { buffer, sampler, base_mip_level } => {
                let (texture, level) = (Self::point(*buffer), *base_mip_level);
                self.push(Setting::Bind(BindStep::Texture { point, texture, level }))?;
                self.bind_sampler(point, &self.script.samplers[sampler.0], span)
            }
            Resource::Sampler(sampler) => {
                self.bind_sampler(point, &self.script.samplers[sampler.0], span)
            }
        }
    }

    /// Part of a storage buffer, which ends with the buffer unless the range has a length.
    fn part(&self, range: BufferRange, span: Span) -> Translated<BufferPart> {
        let all = u64::try_from(self.bytes_of(range.buffer)?.len()).unwrap_or(u64::MAX);
        let all = all.next_multiple_of(4);
        let Some(rest) = all.checked_sub(range.offset).filter(|rest| *rest > 0) else {
            let offset = range.offset;
            let message = format!("the offset {offset} lies behind the buffer's {all} bytes");
            return Err(broken(span, message));
        };
        let size = range.range.unwrap_or(rest);
        if size > rest {
            return Err(broken(span, "the range ends behind the buffer"));
        }
        let narrow = |bytes: u64| u32::try_from(bytes).ok().filter(|bytes| bytes % 4 == 0);
        let (Some(offset), Some(size)) = (narrow(range.offset), narrow(size)) else {
            return Err(unsupported(span, "parts of buffers that are no whole words"));
        };
        Ok(BufferPart { buffer: Self::point(range.buffer), offset, size })
    }

    /// Checks that no two storage buffers of a pipeline share bytes, if one of them is a part.
    fn check_parts(&self, pipeline: &Pipeline) -> Translated<()> {
        let is_part = |range: &BufferRange| range.offset != 0 || range.range.is_some();
        let has_part = |binding: &Spanned<Binding>| match &binding.value.resource {
            Resource::Storage(range) => is_part(range),
            Resource::Uniform(_)
            | Resource::StorageImage { .. }
            | Resource::SampledImage { .. }
            | Resource::CombinedImageSampler { .. }
            | Resource::Sampler(_) => false,
        };
        if !pipeline.bindings.iter().any(has_part) {
            return Ok(());
        }
        let mut known: Vec<(BufferRange, BufferPart)> = Vec::new();
        for binding in &pipeline.bindings {
            let Resource::Storage(range) = binding.value.resource else { continue };
            let whole = BufferRange { offset: 0, range: None, ..range };
            let part = self.part(if is_part(&range) { range } else { whole }, binding.span)?;
            let ends = |part: &BufferPart| [part.offset, part.offset.saturating_add(part.size)];
            let [first, end] = ends(&part);
            let meets = |(other, own): &(BufferRange, BufferPart)| {
                let [other_first, other_end] = ends(own);
                own.buffer == part.buffer
                    && (is_part(other) || is_part(&range))
                    && first < other_end
                    && other_first < end
            };
            if known.iter().any(meets) {
                let word = "parts of a storage buffer that share bytes";
                return Err(unsupported(binding.span, word));
            }
            known.push((range, part));
        }
        Ok(())
    }

    fn bind_uniform(&mut self, point: u32, range: BufferRange, span: Span) -> Translated<()> {
        if self.made.contains(&range.buffer.0) {
            let part = self.part(range, span)?;
            return self.push(Setting::Bind(BindStep::StoredUniform { point, part }));
        }
        let bytes = self.bytes_of(range.buffer)?;
        let first = usize::try_from(range.offset).unwrap_or(usize::MAX);
        let length =
            range.range.map_or(usize::MAX, |length| usize::try_from(length).unwrap_or(usize::MAX));
        let last = first.saturating_add(length).min(bytes.len());
        let content = bytes.get(first..last).ok_or_else(|| {
            broken(
                span,
                format!("the offset {first} lies behind the buffer's {} bytes", bytes.len()),
            )
        })?;
        let content = Arc::from(content);
        self.push(Setting::Bind(BindStep::Uniform { point, content }))
    }

    fn bind_sampler(&mut self, point: u32, sampler: &TreeSampler, span: Span) -> Translated<()> {
        if !sampler.is_normalized {
            return Err(unsupported(span, "samplers with unnormalized coordinates"));
        }
        if sampler.min_lod != 0.0 {
            return Err(unsupported(span, "a least level of detail of samplers"));
        }
        let has_more =
            |buffer: &Buffer| f64::from(levels(buffer).saturating_sub(1)) > sampler.max_lod;
        if self.script.buffers.iter().any(has_more) {
            return Err(unsupported(span, "a largest level of detail of samplers"));
        }
        let wrap = sampler.address.map(wrap_mode);
        let [Some(u), Some(v), Some(w)] = wrap else {
            return Err(unsupported(span, "mirrored clamping of samplers"));
        };
        let sampler = Sampler {
            magnify: sampler.magnify,
            minify: sampler.minify,
            between: Filter::Nearest,
            wrap: [u, v, w],
            border: border(sampler.border),
            levels: [0.0, narrow(sampler.max_lod)],
            compare: sampler.compare,
        };
        self.push(Setting::Bind(BindStep::Sampler { point, sampler }))
    }
}

const fn levels(buffer: &Buffer) -> u32 {
    match buffer.kind {
        BufferKind::Plain => 1,
        BufferKind::Image { mip_levels, .. } | BufferKind::Attachment { mip_levels, .. } => {
            mip_levels
        }
    }
}

const fn samples(buffer: &Buffer) -> u32 {
    match buffer.kind {
        BufferKind::Plain => 1,
        BufferKind::Image { samples, .. } | BufferKind::Attachment { samples, .. } => samples,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a level of detail is a small number")]
const fn narrow(value: f64) -> f32 {
    value as f32
}

const fn wrap_mode(mode: AddressMode) -> Option<Wrap> {
    match mode {
        AddressMode::Repeat => Some(Wrap::Repeat),
        AddressMode::MirroredRepeat => Some(Wrap::MirroredRepeat),
        AddressMode::ClampToEdge => Some(Wrap::ClampToEdge),
        AddressMode::ClampToBorder => Some(Wrap::ClampToBorder),
        AddressMode::MirrorClampToEdge => None,
    }
}

const fn border(color: BorderColor) -> [f64; 4] {
    match color {
        BorderColor::FloatTransparentBlack | BorderColor::IntTransparentBlack => [0.0; 4],
        BorderColor::FloatOpaqueBlack | BorderColor::IntOpaqueBlack => [0.0, 0.0, 0.0, 1.0],
        BorderColor::FloatOpaqueWhite | BorderColor::IntOpaqueWhite => [1.0; 4],
    }
}
