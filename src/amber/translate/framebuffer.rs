//! Translates framebuffers: the images that pipelines draw to.
//!
//! If all pipelines draw to the same images, and nothing else is bound to these, they are the case's render targets.
//! Otherwise every image is a texture, and each draw and each expectation selects the images that it uses.

use std::collections::BTreeMap;

use case::bind::BindStep;
use case::{Case, RenderTarget, Setting};
use ir::format::FormatClass;
use ir::source::{Span, Spanned};

use super::{Translated, Translator, broken, format, is_run, unsupported};
use crate::syntax::pipeline::{Pipeline, PipelineKind, Resource};
use crate::syntax::{Buffer, BufferId, BufferKind, Content, Dimension, PipelineId, Script};

/// Width and height of framebuffers without `FRAMEBUFFER_SIZE`.
const DEFAULT_SIZE: [u32; 2] = [250, 250];

/// Values that `CLEAR` writes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClearValues {
    pub(super) color: [f64; 4],
    pub(super) depth: f64,
    pub(super) stencil: u32,
}

impl Default for ClearValues {
    fn default() -> Self {
        Self { color: [0.0; 4], depth: 1.0, stencil: 0 }
    }
}

/// Locations of the images that are drawn to.
pub(super) struct Framebuffers {
    place: Place,
    /// The case's depth buffer.
    depth: Option<BufferId>,
    /// Width and height of the images whose size is that of their pipelines.
    sizes: BTreeMap<usize, [u32; 2]>,
}

enum Place {
    /// Render target of each image, or of the image that is resolved to it.
    Window(BTreeMap<BufferId, u32>),
    Textures,
}

impl Framebuffers {
    /// Determines the framebuffers of the `used` pipelines, and sets the case's render targets.
    pub(super) fn of(script: &Script, used: &[PipelineId], case: &mut Case) -> Translated<Self> {
        let drawing: Vec<_> = used
            .iter()
            .map(|id| (&script.pipelines[id.0], is_run(script, *id)))
            .filter(|(pipeline, _)| pipeline.kind == PipelineKind::Graphics)
            .collect();
        let Some((first, _)) = drawing.first().copied() else {
            case.render_targets.clear();
            return Ok(Self { place: Place::Textures, depth: None, sizes: BTreeMap::new() });
        };
        case.size = size_of(script, first);
        check_size(case.size, first.span)?;
        let pipelines: Vec<_> = drawing.iter().map(|(pipeline, _)| *pipeline).collect();
        let sizes = sizes_of(script, &pipelines)?;
        set_targets(script, first, case)?;
        let is_window = is_window(script, &pipelines);
        let depth = depth_of(script, &drawing)?;
        if let Some((depth, pipeline)) = depth {
            let buffer = &script.buffers[depth.value.0];
            case.depth_format = Some(format::depth_format(buffer, depth.span)?);
            case.size = size_of(script, pipeline);
        }
        let depth = depth.map(|(depth, _)| depth.value);
        if is_window {
            let mut targets: BTreeMap<_, _> = targets_of(first)
                .into_iter()
                .map(|(location, buffer)| (buffer, location))
                .collect();
            for (resolve, (location, _)) in first.resolves.iter().zip(targets_of(first)) {
                targets.insert(resolve.value, location);
            }
            return Ok(Self { place: Place::Window(targets), depth, sizes });
        }
        for pipeline in &pipelines {
            check_classes(script, pipeline, case)?;
        }
        Ok(Self { place: Place::Textures, depth, sizes })
    }

    /// Render target of an image, if it is one.
    pub(super) fn target(&self, buffer: BufferId) -> Option<u32> {
        match &self.place {
            Place::Window(targets) => targets.get(&buffer).copied(),
            Place::Textures => None,
        }
    }

    /// True if an image is the case's depth buffer.
    pub(super) fn is_depth(&self, buffer: BufferId) -> bool {
        self.depth == Some(buffer)
    }

    /// True if a pipeline draws with the case's depth buffer.
    pub(super) fn has_depth(&self, pipeline: &Pipeline) -> bool {
        pipeline.depth_stencil.as_ref().is_some_and(|depth| self.is_depth(depth.value))
    }

    /// True if the images are textures.
    pub(super) const fn are_textures(&self) -> bool {
        matches!(self.place, Place::Textures)
    }

    /// Width, height and depth of an image; `None` for a plain buffer, and for an image without its own size that no
    /// pipeline draws to.
    pub(super) fn size(&self, id: BufferId, buffer: &Buffer) -> Option<[u32; 3]> {
        match buffer.kind {
            BufferKind::Plain => None,
            BufferKind::Image { size, .. } => Some(size),
            BufferKind::Attachment { .. } => {
                let [width, height] = self.sizes.get(&id.0).copied()?;
                Some([width, height, 1])
            }
        }
    }
}

impl Translator<'_> {
    /// Selects the images that a pipeline draws to.
    pub(super) fn select_framebuffer(&mut self, pipeline: &Pipeline) -> Translated<()> {
        let targets: Vec<_> = targets_of(pipeline).into_iter().map(|(_, buffer)| buffer).collect();
        if !self.framebuffers.are_textures() || targets.is_empty() {
            return Ok(());
        }
        let has_depth = self.framebuffers.has_depth(pipeline);
        if self.current.has_depth != has_depth {
            self.current.has_depth = has_depth;
            self.current.framebuffer = None;
            self.push(Setting::Bind(BindStep::Depth(has_depth)))?;
        }
        self.select_images(targets)
    }

    /// Makes images, which are textures, the render targets.
    pub(super) fn select_images(&mut self, images: Vec<BufferId>) -> Translated<()> {
        if !self.framebuffers.are_textures()
            || images.is_empty()
            || self.current.framebuffer.as_ref() == Some(&images)
        {
            return Ok(());
        }
        let units = images.iter().map(|image| Self::point(*image)).collect();
        self.current.framebuffer = Some(images);
        self.push(Setting::FramebufferTextures(units))
    }
}

/// Width and height of a pipeline's framebuffer: its own, or those of an image that it draws to.
pub(super) fn size_of(script: &Script, pipeline: &Pipeline) -> [u32; 2] {
    let images = pipeline.color_attachments.iter().filter_map(|attachment| {
        match script.buffers[attachment.buffer.0].kind {
            BufferKind::Image { size: [width, height, _], .. } => Some([width, height]),
            BufferKind::Plain | BufferKind::Attachment { .. } => None,
        }
    });
    pipeline.framebuffer_size.or_else(|| images.into_iter().next()).unwrap_or(DEFAULT_SIZE)
}

fn check_size(size: [u32; 2], span: Span) -> Translated<()> {
    let most = case::limits::MAX_TARGET_SIZE;
    if size.iter().any(|side| *side == 0 || *side > most) {
        let [width, height] = size;
        let message =
            format!("a framebuffer has 1 to {most} pixels in a row, not {width}x{height}");
        return Err(broken(span, message));
    }
    Ok(())
}

/// Width and height of each image that the pipelines draw to.
fn sizes_of(script: &Script, pipelines: &[&Pipeline]) -> Translated<BTreeMap<usize, [u32; 2]>> {
    let mut sizes = BTreeMap::new();
    for pipeline in pipelines {
        let mut attachments = pipeline.color_attachments.iter();
        if let Some(level) = attachments.find(|attachment| attachment.base_mip_level > 0) {
            return Err(unsupported(level.span, "drawing to a level of an image"));
        }
        let size = size_of(script, pipeline);
        check_size(size, pipeline.span)?;
        let depth = pipeline.depth_stencil.as_ref().map(|depth| depth.value);
        for buffer in targets_of(pipeline).into_iter().map(|(_, buffer)| buffer).chain(depth) {
            if let Some(known) = sizes.insert(buffer.0, size)
                && known != size
                && matches!(script.buffers[buffer.0].kind, BufferKind::Attachment { .. })
            {
                let name = &script.buffers[buffer.0].name;
                let message = format!("`{name}` is in framebuffers of several sizes");
                return Err(broken(pipeline.span, message));
            }
        }
    }
    Ok(sizes)
}

/// Location and image of each colour attachment, by location.
pub(super) fn targets_of(pipeline: &Pipeline) -> Vec<(u32, BufferId)> {
    let mut targets: Vec<_> = pipeline
        .color_attachments
        .iter()
        .map(|attachment| (attachment.location, attachment.buffer))
        .collect();
    targets.sort_unstable();
    targets
}

fn set_targets(script: &Script, pipeline: &Pipeline, case: &mut Case) -> Translated<()> {
    let mut attachments = pipeline.color_attachments.clone();
    attachments.sort_by_key(|attachment| attachment.location);
    case.samples = 1;
    for attachment in &attachments {
        let buffer = &script.buffers[attachment.buffer.0];
        if attachment.location > case::limits::MAX_TARGET_INDEX {
            let most = case::limits::MAX_TARGET_INDEX;
            let message = format!("the location of a colour attachment is 0 to {most}");
            return Err(broken(attachment.span, message));
        }
        let format = format::color_format(buffer, attachment.span)?;
        case.samples = case.samples.max(samples_of(buffer));
        let (index, span) = (attachment.location, Some(attachment.span));
        case.render_targets.push(RenderTarget { index, format, clear: None, span });
    }
    if attachments.is_empty() {
        let default = ir::format::Format::from_name("bgra8unorm");
        let format = default.unwrap_or(ir::format::Format::RGBA8_UNORM);
        case.render_targets.push(RenderTarget { index: 0, format, clear: None, span: None });
    }
    Ok(())
}

const fn samples_of(buffer: &Buffer) -> u32 {
    match buffer.kind {
        BufferKind::Plain => 1,
        BufferKind::Image { samples, .. } | BufferKind::Attachment { samples, .. } => samples,
    }
}

/// True if all pipelines draw to the same images, and nothing else uses these.
fn is_window(script: &Script, pipelines: &[&Pipeline]) -> bool {
    let Some(first) = pipelines.first() else { return false };
    let size = size_of(script, first);
    let is_same = |pipeline: &&&Pipeline| {
        targets_of(pipeline) == targets_of(first)
            && size_of(script, pipeline) == size
            && pipeline.depth_stencil.as_ref().map(|depth| depth.value)
                == first.depth_stencil.as_ref().map(|depth| depth.value)
    };
    let is_plain = |id: BufferId| {
        let buffer = &script.buffers[id.0];
        let fits = match buffer.kind {
            BufferKind::Plain => false,
            BufferKind::Attachment { mip_levels, .. } => mip_levels == 1,
            BufferKind::Image { dimension, size: [width, height, _], mip_levels, .. } => {
                dimension == Dimension::D2 && [width, height] == size && mip_levels == 1
            }
        };
        let is_zero = match &buffer.content {
            Content::Zero => true,
            Content::Bytes(bytes) => bytes.iter().all(|byte| *byte == 0),
            Content::File { .. } => false,
        };
        fits && is_zero && !is_bound(script, id)
    };
    let targets = targets_of(first);
    let samples: Vec<_> = targets.iter().map(|(_, id)| samples_of(&script.buffers[id.0])).collect();
    let is_even = samples.iter().all(|count| *count == samples[0]);
    let resolves = first.resolves.iter().map(|resolve| resolve.value);
    is_even
        && pipelines.iter().all(|pipeline| is_same(&pipeline))
        && targets.iter().map(|(_, id)| *id).chain(resolves).all(is_plain)
}

/// True if some pipeline binds the image as a resource.
fn is_bound(script: &Script, id: BufferId) -> bool {
    let bindings = script.pipelines.iter().flat_map(|pipeline| &pipeline.bindings);
    bindings.map(|binding| &binding.value.resource).any(|resource| match resource {
        Resource::Uniform(range) | Resource::Storage(range) => range.buffer == id,
        Resource::StorageImage { buffer, .. }
        | Resource::SampledImage { buffer, .. }
        | Resource::CombinedImageSampler { buffer, .. } => *buffer == id,
        Resource::Sampler(_) => false,
    })
}

/// The depth buffer that some draw tests or writes, or that is read, with its pipeline.
fn depth_of<'a>(
    script: &Script,
    drawing: &[(&'a Pipeline, bool)],
) -> Translated<Option<(&'a Spanned<BufferId>, &'a Pipeline)>> {
    let mut found: Option<(&Spanned<BufferId>, &Pipeline)> = None;
    for (pipeline, is_run) in drawing {
        let Some(depth) = &pipeline.depth_stencil else { continue };
        let is_used = *is_run && has_tests(pipeline)
            || is_bound(script, depth.value)
            || expects_depth(script, pipeline);
        match found {
            _ if !is_used => {}
            None => found = Some((depth, pipeline)),
            Some((known, _)) if known.value != depth.value => {
                return Err(unsupported(depth.span, "several depth buffers"));
            }
            Some((_, known)) if size_of(script, known) != size_of(script, pipeline) => {
                return Err(unsupported(depth.span, "a depth buffer of several sizes"));
            }
            Some(_) => {}
        }
    }
    Ok(found)
}

fn has_tests(pipeline: &Pipeline) -> bool {
    pipeline.state.depth.is_tested || pipeline.state.stencil.is_tested
}

/// True if an expectation concerns the pipeline's depth buffer.
fn expects_depth(script: &Script, pipeline: &Pipeline) -> bool {
    let Some(depth) = &pipeline.depth_stencil else { return false };
    super::expect::expected_buffers(&script.commands).contains(&depth.value)
}

/// Checks base types: programs are linked for those of the case's targets.
fn check_classes(script: &Script, pipeline: &Pipeline, case: &mut Case) -> Translated<()> {
    for (at, attachment) in pipeline.color_attachments.iter().enumerate() {
        let buffer = &script.buffers[attachment.buffer.0];
        if samples_of(buffer) > 1 {
            return Err(unsupported(attachment.span, "multisampled images that are textures"));
        }
        if !targets_of(pipeline).iter().any(|(location, _)| usize::try_from(*location) == Ok(at)) {
            return Err(unsupported(attachment.span, "holes between the locations of attachments"));
        }
        let format = format::color_format(buffer, attachment.span)?;
        let known = case.render_targets.iter().find(|known| known.index == attachment.location);
        let class = known.map(|known| known.format.class());
        if class.is_some_and(|class: FormatClass| class != format.class()) {
            return Err(unsupported(attachment.span, "attachments of several base types"));
        }
        if class.is_none() {
            let (index, span) = (attachment.location, Some(attachment.span));
            case.render_targets.push(RenderTarget { index, format, clear: None, span });
        }
    }
    Ok(())
}
