//! Fills some channels of a render target, for clears with a colour mask, which WebGPU's own clears ignore.

use ir::backend::Backend;
use ir::format::{ChannelValue, FormatClass};
use ir::scalar::Number;
use offer::format::texture_format;

use super::flat_texture::flat_texture;
use super::full_screen::{self, Written};
use super::render_target::{Target, stored_channels};
use crate::adapter::Gpu;

/// Clears all samples of a target to `values`, because samples cannot be uploaded.
pub(crate) fn fill_samples(gpu: &Gpu, target: &Target, values: &[Number]) {
    let texel = target.format.pack(stored_channels(target.format, values));
    let values = target.format.decode(&texel).values.map(|value| match value {
        ChannelValue::Float(value) => f64::from(value),
        ChannelValue::Sint(value) => f64::from(value),
        ChannelValue::Uint(value) => f64::from(value),
    });
    let descriptor = wgpu::CommandEncoderDescriptor { label: None };
    let mut encoder = gpu.device.create_command_encoder(&descriptor);
    encode(gpu, &mut encoder, target, values, [true; 4]);
    gpu.queue.submit([encoder.finish()]);
}

/// Records a write of `values`, in the target's own number type, to the selected channels of `target`.
pub(crate) fn encode(
    gpu: &Gpu,
    encoder: &mut wgpu::CommandEncoder,
    target: &Target,
    values: [f64; 4],
    channels: [bool; 4],
) {
    let color = wgpu::Color { r: values[0], g: values[1], b: values[2], a: values[3] };
    let is_whole = channels == [true; 4];
    let load = if is_whole { wgpu::LoadOp::Clear(color) } else { wgpu::LoadOp::Load };
    let attachment = target.attachment(load);
    let state = texture_format(target.format).filter(|_| !is_whole).map(|format| {
        wgpu::ColorTargetState { format, blend: None, write_mask: write_mask(channels) }
    });
    let shader = || shader(target.format.class(), values);
    let pipeline = state.map(|state| pipeline(gpu, &shader(), state, target.samples()));
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &[Some(attachment)],
        ..wgpu::RenderPassDescriptor::default()
    });
    if let Some(pipeline) = pipeline {
        pass.set_pipeline(&pipeline);
        pass.draw(0..3, 0..1);
    }
}

/// Resets the blend factors of wgpu's GL backend by a draw with plain factors and no visible effect. The backend leaves
/// blend factors set when it disables blending, and Mesa rejects every draw to several targets while one of these
/// factors is a second source.
pub(crate) fn forget_second_source(gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) {
    if gpu.info().backend != Backend::Gl {
        return;
    }
    let format = wgpu::TextureFormat::Rgba8Unorm;
    let texture = gpu.device.create_texture(&flat_texture(
        "nobody looks",
        [1, 1],
        format,
        wgpu::TextureUsages::RENDER_ATTACHMENT,
    ));
    let state = wgpu::ColorTargetState {
        format,
        blend: Some(wgpu::BlendState::REPLACE),
        write_mask: wgpu::ColorWrites::ALL,
    };
    let pipeline = pipeline(gpu, &shader(FormatClass::Float, [0.0; 4]), state, 1);
    let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &[Some(full_screen::covered(&view))],
        ..wgpu::RenderPassDescriptor::default()
    });
    pass.set_pipeline(&pipeline);
    pass.draw(0..3, 0..1);
}

/// The WGSL of a fragment stage that writes one colour.
fn shader(class: FormatClass, values: [f64; 4]) -> String {
    let (ty, values) = match class {
        FormatClass::Float => ("f32", values.map(|value| format!("{:?}f", narrow(value)))),
        FormatClass::Sint => ("i32", values.map(|value| format!("i32({})", to_signed(value)))),
        FormatClass::Uint => ("u32", values.map(|value| format!("{}u", to_unsigned(value)))),
    };
    let values = values.join(", ");
    format!("@fragment fn fragment() -> @location(0) vec4<{ty}> {{ return vec4<{ty}>({values}); }}")
}

fn pipeline(
    gpu: &Gpu,
    text: &str,
    state: wgpu::ColorTargetState,
    samples: u32,
) -> wgpu::RenderPipeline {
    let written = Written { targets: &[Some(state)], depth: None, samples, sample_mask: !0 };
    full_screen::pipeline(gpu, "masked clear", text, written)
}

/// wgpu's write mask for the channels that are true.
pub(crate) fn write_mask(channels: [bool; 4]) -> wgpu::ColorWrites {
    let all = [
        wgpu::ColorWrites::RED,
        wgpu::ColorWrites::GREEN,
        wgpu::ColorWrites::BLUE,
        wgpu::ColorWrites::ALPHA,
    ];
    all.into_iter()
        .zip(channels)
        .filter(|(_, is_set)| *is_set)
        .map(|(channel, _)| channel)
        .collect()
}

#[expect(clippy::cast_possible_truncation, reason = "a 32-bit float is what a clear has")]
const fn narrow(value: f64) -> f32 {
    value as f32
}

#[expect(clippy::cast_possible_truncation, reason = "a cast from float saturates")]
const fn to_signed(value: f64) -> i32 {
    value as i32
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast from float saturates"
)]
const fn to_unsigned(value: f64) -> u32 {
    value as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shaders_write_the_classes_own_numbers() {
        for class in [FormatClass::Float, FormatClass::Sint, FormatClass::Uint] {
            let text = shader(class, [-1.0, 0.1, 4e9, 1e-40]);
            assert!(naga::front::wgsl::parse_str(&text).is_ok(), "{text}");
        }
        assert!(shader(FormatClass::Uint, [4_294_967_295.0; 4]).contains("4294967295u"));
        assert!(shader(FormatClass::Sint, [-2_147_483_648.0; 4]).contains("i32(-2147483648)"));
    }
}
