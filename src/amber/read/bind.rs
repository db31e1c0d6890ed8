//! Reads `BIND`.

use ir::diagnostic::counted;
use ir::scalar::Number;
use ir::source::{Span, Spanned};

use super::pipeline::check_count;
use super::script::Parser;
use super::text::at::At;
use super::text::problem::{Parsed, Problem};
use crate::syntax::pipeline::{Binding, BufferRange, ColorAttachment, Pipeline, Resource};
use crate::syntax::{BufferId, BufferKind};

/// The type of a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Color,
    DepthStencil,
    Resolve,
    PushConstant,
    Uniform,
    Storage,
    UniformDynamic,
    StorageDynamic,
    StorageImage,
    SampledImage,
    CombinedImageSampler,
    TexelBuffer,
}

const USES: [(&str, Use); 13] = [
    ("color", Use::Color),
    ("depth_stencil", Use::DepthStencil),
    ("resolve", Use::Resolve),
    ("push_constant", Use::PushConstant),
    ("uniform", Use::Uniform),
    ("storage", Use::Storage),
    ("uniform_dynamic", Use::UniformDynamic),
    ("storage_dynamic", Use::StorageDynamic),
    ("storage_image", Use::StorageImage),
    ("sampled_image", Use::SampledImage),
    ("combined_image_sampler", Use::CombinedImageSampler),
    ("uniform_texel_buffer", Use::TexelBuffer),
    ("storage_texel_buffer", Use::TexelBuffer),
];

impl Parser<'_> {
    /// Reads the rest of a `BIND` line.
    pub(super) fn read_bind(&mut self, start: Span, pipeline: &mut Pipeline) -> Parsed<()> {
        let object = self.cursor.word("what is bound")?;
        match object.value {
            "BUFFER" => self.read_bound_buffer(start, pipeline),
            "SAMPLER" => {
                let sampler = self.sampler_name()?;
                self.refuse_kernel()?;
                let [set, binding] = self.set_and_binding()?;
                let resource = Resource::Sampler(sampler);
                self.bind(Binding { set, binding, resource }, start, pipeline)
            }
            "BUFFER_ARRAY" | "SAMPLER_ARRAY" => {
                Err(Problem::unsupported("arrays of resources", object.span))
            }
            "ACCELERATION_STRUCTURE" => Err(Problem::unsupported("ray tracing", object.span)),
            _ => Err(Problem::unknown("kind of resource", object, ["BUFFER", "SAMPLER"])),
        }
    }

    fn refuse_kernel(&self) -> Parsed<()> {
        match self.cursor.peek_word() {
            Some(word) if word.value == "KERNEL" => {
                Err(Problem::unsupported("OpenCL C", word.span))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn set_and_binding(&mut self) -> Parsed<[u32; 2]> {
        self.cursor.expect("DESCRIPTOR_SET")?;
        let set = self.cursor.unsigned("a descriptor set")?.value;
        self.cursor.expect("BINDING")?;
        Ok([set, self.cursor.unsigned("a binding")?.value])
    }

    /// Adds a binding, replacing one with the same set and number.
    fn bind(&self, binding: Binding, start: Span, pipeline: &mut Pipeline) -> Parsed<()> {
        let place = (binding.set, binding.binding);
        let bound = Spanned::new(binding, self.cursor.since(start));
        let is_same =
            |other: &&mut Spanned<Binding>| (other.value.set, other.value.binding) == place;
        match pipeline.bindings.iter_mut().find(is_same) {
            Some(other) => *other = bound,
            None => pipeline.bindings.push(bound),
        }
        check_count(&pipeline.bindings, start)
    }

    fn read_bound_buffer(&mut self, start: Span, pipeline: &mut Pipeline) -> Parsed<()> {
        let buffer = self.buffer_name()?;
        self.refuse_kernel()?;
        self.cursor.expect("AS")?;
        let use_span = self.cursor.peek().span;
        match self.cursor.choice("use of a buffer", &USES)? {
            Use::Color => self.read_color(buffer.value, start, pipeline),
            Use::DepthStencil => {
                pipeline.depth_stencil = Some(buffer);
                Ok(())
            }
            Use::Resolve => {
                pipeline.resolves.push(buffer);
                check_count(&pipeline.resolves, start)
            }
            Use::PushConstant => {
                pipeline.push_constant = Some(buffer);
                Ok(())
            }
            Use::TexelBuffer => Err(Problem::unsupported("texel buffers", use_span)),
            used @ (Use::Uniform
            | Use::Storage
            | Use::UniformDynamic
            | Use::StorageDynamic
            | Use::StorageImage
            | Use::SampledImage
            | Use::CombinedImageSampler) => {
                let binding = self.read_resource(buffer.value, used)?;
                self.bind(binding, start, pipeline)
            }
        }
    }

    /// Reads `LOCATION N [BASE_MIP_LEVEL N]`.
    fn read_color(&mut self, buffer: BufferId, start: Span, pipeline: &mut Pipeline) -> Parsed<()> {
        self.cursor.expect("LOCATION")?;
        let location = self.cursor.unsigned("a location")?.value;
        let base_mip_level = self.base_mip_level(buffer)?;
        let span = self.cursor.since(start);
        let color = ColorAttachment { location, buffer, base_mip_level, span };
        match pipeline.color_attachments.iter_mut().find(|other| other.location == location) {
            Some(other) => *other = color,
            None => pipeline.color_attachments.push(color),
        }
        check_count(&pipeline.color_attachments, start)
    }

    fn base_mip_level(&mut self, BufferId(buffer): BufferId) -> Parsed<u32> {
        if !self.cursor.accept("BASE_MIP_LEVEL") {
            return Ok(0);
        }
        let levels = match self.script.buffers[buffer].kind {
            BufferKind::Plain => 1,
            BufferKind::Image { mip_levels, .. } | BufferKind::Attachment { mip_levels, .. } => {
                mip_levels
            }
        };
        let level = self.cursor.unsigned("a level")?;
        if level.value >= levels {
            let message = format!("the image has {}", counted(levels, "level"));
            return Err(Problem::error(level.span, message));
        }
        Ok(level.value)
    }

    /// Reads the rest of a line that binds a buffer or image to a set and a binding.
    fn read_resource(&mut self, buffer: BufferId, used: Use) -> Parsed<Binding> {
        let sampler = if used == Use::CombinedImageSampler {
            self.cursor.expect("SAMPLER")?;
            Some(self.sampler_name()?)
        } else {
            None
        };
        self.refuse_kernel()?;
        let [set, binding] = self.set_and_binding()?;
        let resource = match (used, sampler) {
            (Use::CombinedImageSampler, Some(sampler)) => {
                let base_mip_level = self.base_mip_level(buffer)?;
                Resource::CombinedImageSampler { buffer, sampler, base_mip_level }
            }
            (Use::StorageImage, _) => {
                Resource::StorageImage { buffer, base_mip_level: self.base_mip_level(buffer)? }
            }
            (Use::SampledImage, _) => {
                Resource::SampledImage { buffer, base_mip_level: self.base_mip_level(buffer)? }
            }
            (Use::Storage, _) => Resource::Storage(self.read_range(buffer, false)?),
            (Use::StorageDynamic, _) => Resource::Storage(self.read_range(buffer, true)?),
            (Use::UniformDynamic, _) => Resource::Uniform(self.read_range(buffer, true)?),
            (_, _) => Resource::Uniform(self.read_range(buffer, false)?),
        };
        Ok(Binding { set, binding, resource })
    }

    /// Reads `[OFFSET N] [DESCRIPTOR_OFFSET N] [DESCRIPTOR_RANGE N]`.
    fn read_range(&mut self, buffer: BufferId, is_dynamic: bool) -> Parsed<BufferRange> {
        let mut offset = 0;
        if is_dynamic {
            self.cursor.expect("OFFSET")?;
            offset = u64::from(self.cursor.unsigned("the offset")?.value);
        }
        if self.cursor.accept("DESCRIPTOR_OFFSET") {
            offset += u64::from(self.cursor.unsigned("the offset")?.value);
        }
        let mut range = None;
        if self.cursor.accept("DESCRIPTOR_RANGE") {
            // -1 means the rest of the buffer.
            range = match self.cursor.number("the size of the range")? {
                At { value: Number::Integer(-1), .. } => None,
                At { value: Number::Integer(bytes), span } => {
                    let message = "the size of the range is a number of bytes";
                    let bytes = u64::try_from(bytes).map_err(|_| Problem::error(span, message))?;
                    Some(bytes)
                }
                At { value: Number::Bits(bytes), .. } => Some(bytes),
                At { value: Number::Real(_), span } => {
                    let message = "the size of the range is a number of bytes";
                    return Err(Problem::error(span, message));
                }
            };
        }
        Ok(BufferRange { buffer, offset, range })
    }
}
