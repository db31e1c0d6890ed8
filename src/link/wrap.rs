//! Builds final modules: a new entry point around the user's unchanged code.
//!
//! The entry point's arguments are the shell's input locations and the built-ins that the stage reads. Its result is a
//! struct of the built-ins that the stage writes and the shell's output locations. In between it calls the user's
//! `main`.

pub(super) mod clip;
mod component;
mod epilog;
mod geometry;
mod geometry_emit;
mod in_place;
mod own_buffer;
mod point;
mod prolog;
mod raw_words;
mod receive;
mod tessellation;
mod vertex_compute;
mod wide;

use naga::{EntryPoint, Function, FunctionArgument, FunctionResult, Handle, Module, StructMember};
pub(crate) use own_buffer::{Words, word_at};
pub(crate) use raw_words::raw_words;
pub(crate) use receive::{load as load_record, store as store_record};

use crate::table::shell::{
    ComputeShell, ControlShell, EvaluationShell, GeometryShell, Shell, Slot, VertexComputeShell,
    WORKGROUP_SIZE,
};
use crate::table::word_block::InPlaceBlocks;
use ir::builder::FunctionBuilder;
use ir::geometry::GeometryStage;
use ir::interface::{Interpolation, Sampling};
use ir::stage::{ENTRY_POINT, ShaderStage, naga_stage};
use ir::stage_module::{Direction, StageModule};
use ir::tessellation::{ControlStage, EvaluationStage};

/// A stage that runs as a compute stage, with a shell around its code.
#[derive(Clone, Debug)]
pub(crate) struct WrappedStage {
    /// The module with the entry point.
    pub(crate) module: Module,
    /// The variables that the code accesses in the buffers of results, without copies.
    pub(crate) in_place: InPlaceBlocks,
}

/// The stage's module with `shell` around its code.
pub(crate) fn wrap(stage: &StageModule, shell: &Shell) -> Module {
    let mut module = stage.module.clone();
    let mut builder = FunctionBuilder::new(&mut module);
    let entered = prolog::build(&mut builder, stage, shell);
    builder.call(stage.main, Vec::new());
    epilog::build(&mut builder, stage, shell, entered);
    let function = builder.finish();
    module.entry_points.push(entry_point(stage, function));
    module
}

/// The module of a vertex stage with a compute entry point that captures its results, with the parts of `shell` around
/// its code.
pub(crate) fn wrap_vertex_compute(
    stage: &StageModule,
    shell: &Shell,
    compute: &VertexComputeShell,
) -> WrappedStage {
    let mut module = stage.module.clone();
    let mut builder = FunctionBuilder::new(&mut module);
    let result = vertex_compute::enter(&mut builder, stage, shell, compute);
    builder.call(stage.main, Vec::new());
    vertex_compute::leave(&mut builder, stage, shell, compute, result);
    let function = builder.finish();
    module.entry_points.push(EntryPoint {
        stage: naga::ShaderStage::Compute,
        workgroup_size: [WORKGROUP_SIZE, 1, 1],
        ..entry_point(stage, function)
    });
    WrappedStage { module, in_place: InPlaceBlocks::default() }
}

/// The module of a geometry stage with a compute entry point, with the parts of `shell` around its code, and with the
/// functions that emit vertices.
pub(crate) fn wrap_geometry(
    stage: &StageModule,
    own: &GeometryStage,
    shell: &ComputeShell<'_, GeometryShell>,
) -> WrappedStage {
    let mut module = stage.module.clone();
    let mut builder = FunctionBuilder::new(&mut module);
    let (entered, in_place) = geometry::enter(&mut builder, own, shell);
    builder.call(stage.main, Vec::new());
    geometry::leave(&mut builder, own, &entered);
    let function = builder.finish();
    geometry_emit::fill(&mut module, own, shell.own, &entered);
    module.entry_points.push(EntryPoint {
        workgroup_size: [WORKGROUP_SIZE, 1, 1],
        ..entry_point(stage, function)
    });
    WrappedStage { module, in_place }
}

/// The module of a tessellation control stage with a compute entry point, with the parts of `shell` around its code.
pub(crate) fn wrap_control(
    stage: &StageModule,
    own: &ControlStage,
    shell: &ComputeShell<'_, ControlShell>,
) -> WrappedStage {
    let mut module = stage.module.clone();
    let mut builder = FunctionBuilder::new(&mut module);
    let (entered, in_place) = tessellation::enter_control(&mut builder, own, shell);
    builder.call(stage.main, Vec::new());
    tessellation::leave_control(&mut builder, stage, shell, entered);
    let function = builder.finish();
    if !in_place.outputs.is_empty() {
        tessellation::order_results(&mut module);
    }
    let workgroup_size = [own.vertices, 1, 1];
    module.entry_points.push(EntryPoint { workgroup_size, ..entry_point(stage, function) });
    WrappedStage { module, in_place }
}

/// The module of a tessellation evaluation stage with a compute entry point, with the parts of `shell` around its code.
pub(crate) fn wrap_evaluation(
    stage: &StageModule,
    own: &EvaluationStage,
    shell: &ComputeShell<'_, EvaluationShell>,
) -> WrappedStage {
    let mut module = stage.module.clone();
    let mut builder = FunctionBuilder::new(&mut module);
    let (entered, in_place) = tessellation::enter_evaluation(&mut builder, own, shell);
    builder.call(stage.main, Vec::new());
    tessellation::leave_evaluation(&mut builder, stage, entered);
    let function = builder.finish();
    let workgroup_size = [WORKGROUP_SIZE, 1, 1];
    module.entry_points.push(EntryPoint { workgroup_size, ..entry_point(stage, function) });
    WrappedStage { module, in_place }
}

fn entry_point(stage: &StageModule, function: Function) -> EntryPoint {
    EntryPoint {
        name: ENTRY_POINT.to_owned(),
        stage: naga_stage(stage.stage),
        early_depth_test: stage.early_depth_test,
        workgroup_size: if stage.stage == ShaderStage::Compute {
            stage.workgroup_size
        } else {
            [0; 3]
        },
        workgroup_size_overrides: None,
        function,
        mesh_info: None,
        task_payload: None,
        incoming_ray_payload: None,
    }
}

/// The binding of a slot. Producer and consumer get equal bindings, because interpolation and sampling must agree
/// exactly.
fn slot_binding(slot: &Slot) -> naga::Binding {
    let class = slot.class.map(|class| match (class.interpolation, class.sampling) {
        (Interpolation::Flat, _) => (naga::Interpolation::Flat, naga::Sampling::Either),
        (Interpolation::NoPerspective, sampling) => {
            (naga::Interpolation::Linear, naga_sampling(sampling))
        }
        (Interpolation::Unqualified | Interpolation::Smooth, sampling) => {
            (naga::Interpolation::Perspective, naga_sampling(sampling))
        }
    });
    naga::Binding::Location {
        location: slot.location,
        interpolation: class.map(|(interpolation, _)| interpolation),
        sampling: class.map(|(_, sampling)| sampling),
        blend_src: slot.blend_source,
        per_primitive: false,
    }
}

const fn naga_sampling(sampling: Sampling) -> naga::Sampling {
    match sampling {
        Sampling::Center => naga::Sampling::Center,
        Sampling::Centroid => naga::Sampling::Centroid,
        Sampling::Sample => naga::Sampling::Sample,
    }
}

/// The built-ins of one direction, in the order in which they become arguments or result members.
fn builtins(
    stage: &StageModule,
    direction: Direction,
) -> impl Iterator<Item = &ir::stage_module::BuiltinVariable> {
    stage.builtins.iter().filter(move |builtin| builtin.direction == direction)
}

fn argument(ty: Handle<naga::Type>, name: String, binding: naga::Binding) -> FunctionArgument {
    FunctionArgument { name: Some(name), ty, binding: Some(binding) }
}

fn member(ty: Handle<naga::Type>, name: String, binding: naga::Binding) -> StructMember {
    StructMember { name: Some(name), ty, binding: Some(binding), offset: 0 }
}

fn result(ty: Handle<naga::Type>) -> FunctionResult {
    FunctionResult { ty, binding: None }
}
