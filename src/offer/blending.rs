//! Converts GL's blend state to wgpu's.

use case::output::{BlendComponent, BlendEquation, BlendFactor, BufferState};
use ir::format::{Format, FormatClass};

/// The blend state of a draw buffer of `format`; `None` if it is not blended. As in GL, integer formats are never
/// blended.
pub fn blend_state(format: Format, state: &BufferState) -> Option<wgpu_types::BlendState> {
    let is_blended = state.is_blended && format.class() == FormatClass::Float;
    is_blended.then(|| wgpu_types::BlendState {
        color: component(state.color),
        alpha: component(state.alpha),
    })
}

fn component(component: BlendComponent) -> wgpu_types::BlendComponent {
    let operation = match component.equation {
        BlendEquation::Add => wgpu_types::BlendOperation::Add,
        BlendEquation::Subtract => wgpu_types::BlendOperation::Subtract,
        BlendEquation::ReverseSubtract => wgpu_types::BlendOperation::ReverseSubtract,
        BlendEquation::Min => wgpu_types::BlendOperation::Min,
        BlendEquation::Max => wgpu_types::BlendOperation::Max,
    };
    // GL ignores the factors of these equations, and WebGPU requires them to be one.
    let has_factors = match component.equation {
        BlendEquation::Add | BlendEquation::Subtract | BlendEquation::ReverseSubtract => true,
        BlendEquation::Min | BlendEquation::Max => false,
    };
    let chosen = |own: BlendFactor| {
        if has_factors { factor(own) } else { wgpu_types::BlendFactor::One }
    };
    wgpu_types::BlendComponent {
        src_factor: chosen(component.source),
        dst_factor: chosen(component.destination),
        operation,
    }
}

const fn factor(factor: BlendFactor) -> wgpu_types::BlendFactor {
    match factor {
        BlendFactor::Zero => wgpu_types::BlendFactor::Zero,
        BlendFactor::One => wgpu_types::BlendFactor::One,
        BlendFactor::SrcColor => wgpu_types::BlendFactor::Src,
        BlendFactor::OneMinusSrcColor => wgpu_types::BlendFactor::OneMinusSrc,
        BlendFactor::DstColor => wgpu_types::BlendFactor::Dst,
        BlendFactor::OneMinusDstColor => wgpu_types::BlendFactor::OneMinusDst,
        BlendFactor::SrcAlpha => wgpu_types::BlendFactor::SrcAlpha,
        BlendFactor::OneMinusSrcAlpha => wgpu_types::BlendFactor::OneMinusSrcAlpha,
        BlendFactor::DstAlpha => wgpu_types::BlendFactor::DstAlpha,
        BlendFactor::OneMinusDstAlpha => wgpu_types::BlendFactor::OneMinusDstAlpha,
        BlendFactor::SrcAlphaSaturate => wgpu_types::BlendFactor::SrcAlphaSaturated,
        BlendFactor::ConstantColor => wgpu_types::BlendFactor::Constant,
        BlendFactor::OneMinusConstantColor => wgpu_types::BlendFactor::OneMinusConstant,
        BlendFactor::Src1Color => wgpu_types::BlendFactor::Src1,
        BlendFactor::OneMinusSrc1Color => wgpu_types::BlendFactor::OneMinusSrc1,
        BlendFactor::Src1Alpha => wgpu_types::BlendFactor::Src1Alpha,
        BlendFactor::OneMinusSrc1Alpha => wgpu_types::BlendFactor::OneMinusSrc1Alpha,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(equation: BlendEquation) -> BufferState {
        let (source, destination) = (BlendFactor::SrcAlpha, BlendFactor::OneMinusSrcAlpha);
        let color = BlendComponent { source, destination, equation };
        BufferState { is_blended: true, color, alpha: color, ..BufferState::default() }
    }

    fn format(name: &str) -> Format {
        Format::from_name(name).expect("the test names a format")
    }

    #[test]
    fn integers_are_never_blended_and_others_only_where_it_is_on() {
        let on = state(BlendEquation::Add);
        assert!(blend_state(format("rgba8unorm"), &on).is_some());
        assert_eq!(blend_state(format("rgba8uint"), &on), None);
        assert_eq!(blend_state(format("rgba8unorm"), &BufferState::default()), None);
    }

    #[test]
    fn minimum_and_maximum_ignore_the_factors() {
        let factors = |equation| {
            let blend = blend_state(Format::RGBA8_UNORM, &state(equation)).expect("it is on");
            (blend.color.src_factor, blend.color.dst_factor)
        };
        let own = (wgpu_types::BlendFactor::SrcAlpha, wgpu_types::BlendFactor::OneMinusSrcAlpha);
        assert_eq!(factors(BlendEquation::Subtract), own);
        let one = (wgpu_types::BlendFactor::One, wgpu_types::BlendFactor::One);
        assert_eq!(factors(BlendEquation::Min), one);
        assert_eq!(factors(BlendEquation::Max), one);
    }
}
