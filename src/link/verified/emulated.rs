//! The emulated stages of a linked program.

use naga::Module;

use crate::binding::{BindingPoint, GeometryCompute, VertexComputeStage};
use crate::front::{ControlCompute, EvaluationCompute, Front, TessellationCompute};
use crate::packed::Packed;
use ir::stage::ShaderStage;

/// The compute stages of a packed program, with these modules, which are in the order of the stages. `None` if no stage
/// is emulated.
pub(super) fn compute(
    packed: &Packed<'_>,
    at: BindingPoint,
    modules: impl Iterator<Item = Module>,
) -> Option<Front> {
    let emulated = packed.lowered().emulated.as_ref()?;
    let record = packed.matched.record.as_ref()?;
    let buffers = &packed.buffers;
    let strides = buffers.iter().map(|buffer| buffer.vertex.stride()).chain([record.stride]);
    let mut vertex = None;
    let (mut control, mut evaluation, mut geometry) = (None, None, None);
    let stages = packed.lowered().stages.before().iter();
    for (idx, ((stage, module), stride)) in stages.zip(modules).zip(strides).enumerate() {
        if stage.stage == ShaderStage::Vertex {
            vertex = Some(VertexComputeStage { module, at, stride });
        } else if let Some(own) = stage.control() {
            let (first_vertex, vertex_stride) = (buffers[idx].patch_words(), stride);
            let (vertices, levels) = (own.vertices, emulated.levels.clone());
            let stride = first_vertex + vertices * vertex_stride;
            control = Some(ControlCompute {
                module,
                at,
                vertices,
                stride,
                first_vertex,
                vertex_stride,
                levels,
            });
        } else if let Some(own) = stage.evaluation() {
            evaluation = Some(EvaluationCompute { module, at, stride, pattern: own.pattern });
        } else if let Some(own) = &stage.geometry {
            geometry = Some(GeometryCompute {
                module,
                at,
                stride,
                input: own.input,
                output: own.output,
                max_vertices: own.max_vertices,
                invocations: own.invocations,
                streams: record.streams,
            });
        }
    }
    let tessellation = evaluation.map(|evaluation| TessellationCompute { control, evaluation });
    Some(Front { vertex: vertex?, tessellation, geometry })
}
