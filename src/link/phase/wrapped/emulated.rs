//! Wraps the emulated stages of a program: makes a compute module of each, and the role of the pass that runs it.

use crate::compute::geometry::record::Record;
use crate::compute::vertex_compute;
use crate::interface::buffer::{self, PackedBuffer};
use crate::phase::packed::Packed;
use crate::table::binding::BindingPoint;
use crate::table::front::Element;
use crate::table::pass::{ControlPass, GeometryPass, Role, records_of};
use crate::table::shell::{
    ComputeShell, ControlShell, EvaluationShell, GeometryShell, Given, PatchShell, Received, Shell,
    VertexComputeShell,
};
use crate::table::word_block::InPlaceBlocks;
use crate::wrap::{self, WrappedStage};
use ir::stage_module::StageModule;

/// The emulated stages, in the order of the pipeline.
pub(super) fn wrap(packed: &Packed<'_>) -> Vec<WrappedStage> {
    let stages = &packed.lowered().stages;
    let (Some(record), before) = (&packed.matched.record, stages.before()) else {
        return Vec::new();
    };
    let at = vertex_compute::own_buffers(&stages.all());
    let has_patches = before.iter().any(|stage| stage.evaluation().is_some());
    let stages = before.iter().zip(&packed.shells).enumerate();
    stages
        .map(|(idx, (stage, shell))| {
            let around = Around {
                at,
                given: packed.buffers.get(idx),
                received: packed.received(idx),
                taken: idx.checked_sub(1).and_then(|idx| packed.buffers.get(idx)),
                record,
                has_patches,
            };
            around.wrap(stage, shell, packed)
        })
        .collect()
}

/// The buffers around a stage.
struct Around<'a> {
    /// Binding point of the first of the stage's four buffers.
    at: BindingPoint,
    /// What the stage gives to the next one; `None` for the last stage.
    given: Option<&'a PackedBuffer>,
    /// What the stage reads of each vertex.
    received: Received,
    /// What the stage before this one gives.
    taken: Option<&'a PackedBuffer>,
    /// The record that the last stage gives.
    record: &'a Record,
    /// True if the program has an evaluation stage.
    has_patches: bool,
}

impl Around<'_> {
    fn wrap(self, stage: &StageModule, common: &Shell, packed: &Packed<'_>) -> WrappedStage {
        if let Some(own) = &stage.geometry {
            let shell = self.geometry_shell();
            return wrap::wrap_geometry(stage, own, &ComputeShell { common, own: &shell });
        }
        if let Some(own) = stage.evaluation() {
            let shell = self.evaluation_shell(stage);
            return wrap::wrap_evaluation(stage, own, &ComputeShell { common, own: &shell });
        }
        let Some(given) = self.given else {
            unreachable!("a vertex or control stage is not the last")
        };
        if let Some(own) = stage.control() {
            let shell = self.control_shell(given);
            return wrap::wrap_control(stage, own, &ComputeShell { common, own: &shell });
        }
        let shell = VertexComputeShell {
            at: self.at,
            row: vertex_compute::row_locations(&packed.attributes),
            stride: given.vertex.stride(),
            element: Element::Vector,
            results: given.vertex.results.clone(),
        };
        wrap::wrap_vertex_compute(stage, common, &shell)
    }

    fn geometry_shell(self) -> GeometryShell {
        GeometryShell {
            at: self.at,
            received: self.received,
            record: self.record.wires.clone(),
            stride: self.record.stride,
            streams: self.record.streams,
            has_patches: self.has_patches,
        }
    }

    fn control_shell(self, given: &PackedBuffer) -> ControlShell {
        let patch = given.patch.as_ref();
        ControlShell {
            at: self.at,
            received: self.received,
            results: given.vertex.results.clone(),
            vertex_stride: given.vertex.stride(),
            patch: patch.map(|patch| patch.shells[0].clone()).unwrap_or_default(),
            patch_results: patch.map(|patch| patch.values.results.clone()).unwrap_or_default(),
            first_vertex: given.patch_words(),
        }
    }

    fn evaluation_shell(self, stage: &StageModule) -> EvaluationShell {
        let given = match self.given {
            Some(given) => Given::Results(given.vertex.results.clone(), given.vertex.stride()),
            None => Given::Record(self.record.wires.clone(), self.record.stride),
        };
        EvaluationShell {
            at: self.at,
            patch: self.taken.and_then(|taken| patch_shell(taken, self.received.vertices)),
            received: self.received,
            levels: buffer::levels_of(&stage.inputs),
            given,
        }
    }
}

/// The role of the pass that runs emulated stage `idx`, and the number of words of one of its results. `stride` are those
/// of a vertex for the next stage.
pub(in crate::phase) fn role(
    packed: &Packed<'_>,
    idx: usize,
    stride: u32,
    in_place: &InPlaceBlocks,
) -> (Role, u32) {
    let lowered = packed.lowered();
    let stage = &lowered.stages.before()[idx];
    if let Some(own) = stage.control() {
        let first_vertex = packed.buffers[idx].patch_words();
        let (vertices, vertex_stride) = (own.vertices, stride);
        let levels = lowered.emulated.as_ref().and_then(|it| it.levels.clone());
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
            streams: packed.matched.record.as_ref().map_or(1, |record| record.streams),
            records: records_of(own.max_vertices, !in_place.outputs.is_empty()),
        })
    } else {
        Role::Vertex
    };
    (role, stride)
}

/// How an evaluation stage reads the values of a patch with this number of vertices.
fn patch_shell(taken: &PackedBuffer, vertices: u32) -> Option<PatchShell> {
    let patch = taken.patch.as_ref()?;
    let first_vertex = patch.values.stride();
    Some(PatchShell {
        shell: patch.shells[1].clone(),
        received: patch.values.received.clone(),
        stride: first_vertex + vertices * taken.vertex.stride(),
        first_vertex,
    })
}
