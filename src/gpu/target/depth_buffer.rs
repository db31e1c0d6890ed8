//! The depth buffer of the render targets, and the conversion of GL's depth and stencil state to wgpu's.

use case::Case;
use case::depth_stencil::{CompareFunction, DepthFormat, StencilOperation, StencilTest};
use offer::format::depth_format;
use plan::{DrawSetup, Plan};

use super::flat_texture::flat_texture;
use crate::adapter::Gpu;

/// The depth buffer of the render targets.
pub(crate) struct DepthBuffer {
    pub(crate) texture: wgpu::Texture,
    pub(crate) view: wgpu::TextureView,
    pub(crate) format: DepthFormat,
}

impl DepthBuffer {
    pub(crate) fn new(gpu: &Gpu, case: &Case, plan: &Plan) -> Option<Self> {
        let format = case.depth_buffer()?;
        let mut usage = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let is_read = case.samples == 1 || gpu.offer().reads_samples();
        if is_read && plan.reads_depth() {
            usage |= wgpu::TextureUsages::TEXTURE_BINDING;
        }
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            sample_count: case.samples,
            ..flat_texture("depth buffer", case.size, depth_format(format), usage)
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        Some(Self { texture, view, format })
    }

    /// The attachment of a pass, which first clears it to the given values.
    pub(crate) fn attachment(
        &self,
        depth: Option<f32>,
        stencil: Option<u8>,
    ) -> wgpu::RenderPassDepthStencilAttachment<'_> {
        let depth = depth.map_or(wgpu::LoadOp::Load, wgpu::LoadOp::Clear);
        let stencil =
            stencil.map_or(wgpu::LoadOp::Load, |stencil| wgpu::LoadOp::Clear(stencil.into()));
        let store = wgpu::StoreOp::Store;
        wgpu::RenderPassDepthStencilAttachment {
            view: &self.view,
            depth_ops: self.format.has_depth().then_some(wgpu::Operations { load: depth, store }),
            stencil_ops: self
                .format
                .has_stencil()
                .then_some(wgpu::Operations { load: stencil, store }),
        }
    }

    /// The depth and stencil state of a draw. As in GL, a disabled test also disables writes.
    pub(crate) fn state(&self, setup: DrawSetup) -> wgpu::DepthStencilState {
        let function = setup.depth.map(|test| test.function);
        let compare = function.map_or(wgpu::CompareFunction::Always, compare_function);
        let has_depth = self.format.has_depth();
        wgpu::DepthStencilState {
            format: depth_format(self.format),
            depth_write_enabled: has_depth
                .then_some(setup.depth.is_some_and(|test| test.is_written)),
            depth_compare: has_depth.then_some(compare),
            stencil: setup.stencil.map_or_else(wgpu::StencilState::default, stencil_state),
            bias: wgpu::DepthBiasState {
                constant: setup.raster.bias.constant,
                slope_scale: f32::from_bits(setup.raster.bias.slope),
                clamp: f32::from_bits(setup.raster.bias.clamp),
            },
        }
    }
}

/// True if a stencil test neither compares with its reference nor writes it.
pub(crate) fn ignores_reference(test: StencilTest) -> bool {
    !stencil_state(test).needs_ref_value()
}

fn stencil_state(test: StencilTest) -> wgpu::StencilState {
    let [fail_op, depth_fail_op, pass_op] = test.operations.map(stencil_operation);
    let compare = compare_function(test.function);
    let face = wgpu::StencilFaceState { compare, fail_op, depth_fail_op, pass_op };
    wgpu::StencilState {
        front: face,
        back: face,
        read_mask: test.mask.into(),
        write_mask: test.write_mask.into(),
    }
}

const fn stencil_operation(operation: StencilOperation) -> wgpu::StencilOperation {
    match operation {
        StencilOperation::Keep => wgpu::StencilOperation::Keep,
        StencilOperation::Zero => wgpu::StencilOperation::Zero,
        StencilOperation::Replace => wgpu::StencilOperation::Replace,
        StencilOperation::Invert => wgpu::StencilOperation::Invert,
        StencilOperation::Increment => wgpu::StencilOperation::IncrementClamp,
        StencilOperation::Decrement => wgpu::StencilOperation::DecrementClamp,
        StencilOperation::IncrementWrap => wgpu::StencilOperation::IncrementWrap,
        StencilOperation::DecrementWrap => wgpu::StencilOperation::DecrementWrap,
    }
}

/// wgpu's comparison function for a GL comparison.
pub(crate) const fn compare_function(function: CompareFunction) -> wgpu::CompareFunction {
    match function {
        CompareFunction::Never => wgpu::CompareFunction::Never,
        CompareFunction::Less => wgpu::CompareFunction::Less,
        CompareFunction::Equal => wgpu::CompareFunction::Equal,
        CompareFunction::LessOrEqual => wgpu::CompareFunction::LessEqual,
        CompareFunction::Greater => wgpu::CompareFunction::Greater,
        CompareFunction::NotEqual => wgpu::CompareFunction::NotEqual,
        CompareFunction::GreaterOrEqual => wgpu::CompareFunction::GreaterEqual,
        CompareFunction::Always => wgpu::CompareFunction::Always,
    }
}
