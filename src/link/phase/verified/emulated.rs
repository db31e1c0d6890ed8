//! The passes that run the emulated stages of a linked program.

use naga::Module;

use crate::compute::emulated::Emulated;
use crate::compute::geometry::record::Record;
use crate::phase::packed::Packed;
use crate::table::binding::BindingPoint;
use crate::table::pass::{ControlPass, GeometryPass, Pass, Role};
use ir::stage_module::StageModule;

/// The passes with these modules, which are in the order of the stages.
pub(super) fn passes(packed: &Packed<'_>, at: BindingPoint, modules: Vec<Module>) -> Vec<Pass> {
    let (Some(emulated), Some(record)) = (&packed.lowered().emulated, &packed.matched.record)
    else {
        return Vec::new();
    };
    let stages = Stages { packed, emulated, record };
    let strides = packed.buffers.iter().map(|buffer| buffer.vertex.stride()).chain([record.stride]);
    let before = packed.lowered().stages.before();
    let all = before.iter().zip(modules).zip(strides).enumerate();
    all.map(|(idx, ((stage, module), stride))| {
        let (role, stride) = stages.role(idx, stage, stride);
        Pass { module, at, stride, role }
    })
    .collect()
}

/// The emulated stages of a program.
struct Stages<'a> {
    packed: &'a Packed<'a>,
    emulated: &'a Emulated,
    /// The record that the last stage gives.
    record: &'a Record,
}

impl Stages<'_> {
    /// The role of stage `idx`, and the number of words of one of its results. `stride` are those of a vertex for the
    /// next stage.
    fn role(&self, idx: usize, stage: &StageModule, stride: u32) -> (Role, u32) {
        if let Some(own) = stage.control() {
            let first_vertex = self.packed.buffers[idx].patch_words();
            let (vertices, vertex_stride) = (own.vertices, stride);
            let levels = self.emulated.levels.clone();
            let own = ControlPass { vertices, first_vertex, vertex_stride, levels };
            return (Role::Control(own), first_vertex + vertices * vertex_stride);
        }
        let role = if let Some(own) = stage.evaluation() {
            Role::Evaluation(own.pattern)
        } else if let Some(own) = &stage.geometry {
            Role::Geometry(GeometryPass {
                input: own.input,
                output: own.output,
                max_vertices: own.max_vertices,
                invocations: own.invocations,
                streams: self.record.streams,
            })
        } else {
            Role::Vertex
        };
        (role, stride)
    }
}
