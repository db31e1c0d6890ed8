//! GL's blending as wgpu's, and what of it an adapter lacks.

use super::Gpu;
use super::plan::{Operation, Plan, Programs, RenderTo};
use crate::case::Case;
use crate::case::output::{BlendComponent, BlendEquation, BlendFactor, BufferState};
use crate::format::{Format, FormatClass};

/// How a draw buffer of `format` is blended. As in GL, integers never are.
pub(super) fn blend_state(format: Format, state: &BufferState) -> Option<wgpu::BlendState> {
    let is_blended = state.is_blended && format.class() == FormatClass::Float;
    is_blended
        .then(|| wgpu::BlendState { color: component(state.color), alpha: component(state.alpha) })
}

/// What `plan` asks of blending and the adapter lacks, in words.
pub(super) fn lacks_blending(
    gpu: &Gpu,
    case: &Case,
    programs: Programs<'_>,
    plan: &Plan,
) -> Option<String> {
    let draws = plan.operations.iter().filter_map(|operation| match operation {
        Operation::Draw(draw) if draw.setup.to == RenderTo::Window => Some(draw),
        Operation::Draw(_)
        | Operation::Clear { .. }
        | Operation::Fill { .. }
        | Operation::Cull(_)
        | Operation::Feedback(_)
        | Operation::Rows(_)
        | Operation::Dispatch { .. }
        | Operation::Write { .. }
        | Operation::Snapshot(_) => None,
    });
    let has_independent = gpu.abilities.has(wgpu::DownlevelFlags::INDEPENDENT_BLEND);
    let fills_holes = gpu.info().backend == "gl";
    for draw in draws {
        let map = plan.attachments.get(draw.setup.attachments).copied().unwrap_or_default();
        let states = plan.outputs.get(draw.setup.outputs).copied().unwrap_or_default();
        let program = programs.all.get(draw.setup.program);
        let written = program.map_or(&[][..], |program| &program.written_targets);
        let last = (0..).zip(map).filter(|(_, target)| target.is_some()).map(|it| it.0).last();
        let last = last.unwrap_or(0);
        let mut first = None;
        for (buffer, (target, state)) in (0..).zip(map.into_iter().zip(states)) {
            let target = case.render_targets.iter().find(|it| Some(it.index) == target);
            // On GL something that nobody writes is attached where there is a hole.
            if target.is_none() && !(fills_holes && buffer < last) {
                continue;
            }
            let blend = target.and_then(|target| blend_state(target.format, &state));
            if let Some(target) = target.filter(|it| !gpu.format_support(it.format).is_blendable)
                && blend.is_some()
            {
                return Some(format!("the adapter cannot blend {}", target.format.name()));
            }
            let is_written = target.is_some() && written.contains(&buffer);
            let way = is_written.then_some((blend, state.channels));
            if *first.get_or_insert(way) != way && !has_independent {
                return Some("the adapter blends and masks all targets alike".to_owned());
            }
        }
    }
    None
}

fn component(component: BlendComponent) -> wgpu::BlendComponent {
    let operation = match component.equation {
        BlendEquation::Add => wgpu::BlendOperation::Add,
        BlendEquation::Subtract => wgpu::BlendOperation::Subtract,
        BlendEquation::ReverseSubtract => wgpu::BlendOperation::ReverseSubtract,
        BlendEquation::Min => wgpu::BlendOperation::Min,
        BlendEquation::Max => wgpu::BlendOperation::Max,
    };
    // GL ignores these factors, and WebGPU wants them to be one.
    let has_factors = match component.equation {
        BlendEquation::Add | BlendEquation::Subtract | BlendEquation::ReverseSubtract => true,
        BlendEquation::Min | BlendEquation::Max => false,
    };
    let chosen = |own: BlendFactor| {
        if has_factors { factor(own) } else { wgpu::BlendFactor::One }
    };
    wgpu::BlendComponent {
        src_factor: chosen(component.source),
        dst_factor: chosen(component.destination),
        operation,
    }
}

const fn factor(factor: BlendFactor) -> wgpu::BlendFactor {
    match factor {
        BlendFactor::Zero => wgpu::BlendFactor::Zero,
        BlendFactor::One => wgpu::BlendFactor::One,
        BlendFactor::SrcColor => wgpu::BlendFactor::Src,
        BlendFactor::OneMinusSrcColor => wgpu::BlendFactor::OneMinusSrc,
        BlendFactor::DstColor => wgpu::BlendFactor::Dst,
        BlendFactor::OneMinusDstColor => wgpu::BlendFactor::OneMinusDst,
        BlendFactor::SrcAlpha => wgpu::BlendFactor::SrcAlpha,
        BlendFactor::OneMinusSrcAlpha => wgpu::BlendFactor::OneMinusSrcAlpha,
        BlendFactor::DstAlpha => wgpu::BlendFactor::DstAlpha,
        BlendFactor::OneMinusDstAlpha => wgpu::BlendFactor::OneMinusDstAlpha,
        BlendFactor::SrcAlphaSaturate => wgpu::BlendFactor::SrcAlphaSaturated,
        BlendFactor::ConstantColor => wgpu::BlendFactor::Constant,
        BlendFactor::OneMinusConstantColor => wgpu::BlendFactor::OneMinusConstant,
        BlendFactor::Src1Color => wgpu::BlendFactor::Src1,
        BlendFactor::OneMinusSrc1Color => wgpu::BlendFactor::OneMinusSrc1,
        BlendFactor::Src1Alpha => wgpu::BlendFactor::Src1Alpha,
        BlendFactor::OneMinusSrc1Alpha => wgpu::BlendFactor::OneMinusSrc1Alpha,
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
        let own = (wgpu::BlendFactor::SrcAlpha, wgpu::BlendFactor::OneMinusSrcAlpha);
        assert_eq!(factors(BlendEquation::Subtract), own);
        let one = (wgpu::BlendFactor::One, wgpu::BlendFactor::One);
        assert_eq!(factors(BlendEquation::Min), one);
        assert_eq!(factors(BlendEquation::Max), one);
    }
}
