//! Wires the stages before the rasteriser if there are others besides a vertex stage.

use case::state::ProvokingVertex;
use cpu::wired::{
    EmissionWiring, Number, Part, RecordLayout, SharedWire, Stage, Wire, WiredControl,
    WiredEvaluation, WiredGeometry, WiredStage, WiredStages, WiredTessellation, Wiring, lacking,
};
use ir::builder::{add_private, insert_type};
use ir::interface::{Interpolation, Place, ScalarKind, Type, Variable};
use ir::stage::ShaderStage;
use ir::stage_module::StageModule;
use ir::tessellation::Tessellation;
use link::program::LinkedProgram;
use link::table::binding::BindingPoint;
use link::table::pass::{ControlPass, GeometryPass, Pass, Role};
use naga::{Binding, BuiltIn, Module, Scalar, TypeInner};
use plan::ExecuteError;

use super::crossing::{Crossing, Inputs};
use super::uniforms::{compiled, uniforms};
use super::vertex;
use crate::context::Context;
use crate::numbers::{count, index};

/// Name of the primitive number, an output of the last stage before the rasteriser.
const PRIMITIVE_ID: &str = "gl_PrimitiveID";

/// The fragment stage after tessellation or geometry stages: the primitive number becomes an ordinary input.
pub(super) fn fragment_stage(fragment: &StageModule) -> StageModule {
    let mut fragment = fragment.clone();
    let own = fragment.builtins.iter().position(|own| own.builtin == BuiltIn::PrimitiveIndex);
    if let Some(own) = own {
        let global = fragment.builtins.remove(own).global;
        fragment.inputs.push(primitive_id(Place::whole(global)));
    }
    fragment
}

/// An evaluation stage directly before the rasteriser: the patch number becomes an ordinary output. `None` for other
/// stages.
pub(super) fn numbered(stage: &StageModule) -> Option<StageModule> {
    let mut stage = stage.clone();
    let Some(Tessellation::Evaluation(own)) = &mut stage.tessellation else { return None };
    let module = &mut stage.module;
    let global = *own.primitive_id.get_or_insert_with(|| {
        let ty = insert_type(module, TypeInner::Scalar(Scalar::I32));
        add_private(module, None, ty)
    });
    stage.outputs.push(primitive_id(Place::whole(global)));
    Some(stage)
}

fn primitive_id(place: Place) -> Variable {
    Variable {
        interpolation: Interpolation::Flat,
        place: Some(place),
        ..Variable::new(PRIMITIVE_ID, Type::Scalar(ScalarKind::I32))
    }
}

/// The stages before the rasteriser, in the order of the pipeline.
pub(super) type Chain<'a> = &'a [&'a StageModule];

/// The outputs of the last stage.
pub(super) struct Leaving {
    /// Outputs for the rasteriser.
    pub(super) drawn: Wiring,
    /// Outputs for transform feedback.
    pub(super) captured: Vec<Wire>,
    /// Number of vertex streams that are drawn or captured.
    pub(super) streams: u32,
    /// The provoking vertex of the fragment stage's language.
    pub(super) provoking: ProvokingVertex,
}

/// Wires stages together, from the first to the last.
struct Wirer<'a> {
    linked: &'a LinkedProgram,
    leaving: Leaving,
}

/// Wires and compiles the stages of a chain.
pub(super) fn stages(
    context: Context<'_>,
    chain: Chain<'_>,
    leaving: Leaving,
) -> Result<WiredStages, ExecuteError> {
    let Context { case, linked, .. } = context;
    let wirer = Wirer { linked, leaving };
    let find = |stage| chain.iter().copied().find(|own| own.stage == stage);
    let vertex = find(ShaderStage::Vertex).ok_or_else(|| lacking("vertex stage"))?;
    let mut seams = Vec::new();
    for pair in chain.windows(2) {
        seams.push(Crossing::of_vertices(case, pair[0], pair[1])?);
    }
    let mut seams = seams.into_iter();
    let first = seams.next().unwrap_or_default();
    let vertex = wirer.vertex(vertex, &first)?;
    let mut before = first;
    let mut tessellation = None;
    let control = find(ShaderStage::TessellationControl);
    if let Some(evaluation) = find(ShaderStage::TessellationEvaluation) {
        let patch = Crossing::of_patches(case, control, evaluation)?;
        let control = match control {
            Some(control) => {
                let behind = seams.next().unwrap_or_default();
                let own = wirer.control(control, before, &behind, &patch)?;
                before = behind;
                Some(own)
            }
            None => None,
        };
        let behind = seams.next();
        let evaluation = wirer.evaluation(evaluation, before, patch, behind.as_ref())?;
        tessellation = Some(WiredTessellation { control, evaluation });
        before = behind.unwrap_or_default();
    } else if control.is_some() {
        return Err(lacking("evaluation stage after a control stage"));
    }
    let geometry = find(ShaderStage::Geometry);
    let geometry = geometry.map(|geometry| wirer.geometry(geometry, before)).transpose()?;
    let provoking = wirer.leaving.provoking;
    let mut stages = WiredStages { vertex, tessellation, geometry, drawn: 0, provoking };
    let drawn = stages.last().map(RecordLayout::of_all).transpose()?;
    stages.drawn = drawn.map_or(0, |layout| layout.stride);
    Ok(stages)
}

impl Wirer<'_> {
    fn own(
        &self,
        stage: &StageModule,
        inputs: Inputs,
        wiring: Wiring,
    ) -> Result<WiredStage, ExecuteError> {
        let Inputs { wires, preset, received } = inputs;
        let uniforms = uniforms(stage, self.linked)?;
        let wiring = Wiring { inputs: wires, preset, uniforms, ..wiring };
        Ok(WiredStage { stage: compiled(stage, self.linked, &wiring)?, received })
    }

    /// The wiring of the last stage.
    fn last(&self) -> Wiring {
        Wiring { captured: self.leaving.captured.clone(), ..self.leaving.drawn.clone() }
    }

    fn vertex(
        &self,
        vertex: &StageModule,
        behind: &Crossing,
    ) -> Result<(Stage, RecordLayout), ExecuteError> {
        let wiring = Wiring {
            inputs: vertex::inputs(vertex, self.linked)?,
            outputs: behind.outputs.clone(),
            uniforms: uniforms(vertex, self.linked)?,
            ..Wiring::default()
        };
        let stage = compiled(vertex, self.linked, &wiring)?;
        let layout = RecordLayout::of_all(&stage)?;
        Ok((stage, layout))
    }

    fn control(
        &self,
        control: &StageModule,
        before: Crossing,
        vertices: &Crossing,
        patch: &Crossing,
    ) -> Result<WiredControl, ExecuteError> {
        let own = control.control();
        let own = own.ok_or_else(|| lacking("control stage without its properties"))?;
        let inputs = Inputs::new(before, Crossing::default())
            .number(own.primitive_id, Number::Primitive)
            .number(own.invocation_id, Number::Invocation)
            .number(own.patch_vertices, Number::PatchVertices);
        let mut shared = shared_wires(&patch.outputs);
        for vertex in 0..own.vertices {
            let first = patch.words + index(vertex) * vertices.words;
            for SharedWire { word, part, words } in shared_wires(&vertices.outputs) {
                let path = [&[vertex], part.path.as_slice()].concat();
                let part = Part { path, ..part };
                shared.push(SharedWire { word: first + word, part, words });
            }
        }
        let stage = self.own(control, inputs, Wiring { shared, ..Wiring::default() })?;
        let (patch, stride) = (patch.words, vertices.words);
        Ok(WiredControl { stage, vertices: own.vertices, patch, stride })
    }

    /// Compiles the evaluation stage, which is the last stage if no geometry stage follows.
    fn evaluation(
        &self,
        evaluation: &StageModule,
        vertices: Crossing,
        patch: Crossing,
        behind: Option<&Crossing>,
    ) -> Result<WiredEvaluation, ExecuteError> {
        let own = evaluation.evaluation();
        let own = own.ok_or_else(|| lacking("evaluation stage without its properties"))?;
        let inputs = Inputs::new(vertices, patch)
            .number(own.primitive_id, Number::Primitive)
            .number(own.patch_vertices, Number::PatchVertices)
            .number(own.coordinate, Number::Coordinate);
        let wiring = if let Some(behind) = behind {
            Wiring { outputs: behind.outputs.clone(), ..Wiring::default() }
        } else {
            self.last()
        };
        let stage = self.own(evaluation, inputs, wiring)?;
        WiredEvaluation::new(stage, own.pattern)
    }

    fn geometry(
        &self,
        geometry: &StageModule,
        before: Crossing,
    ) -> Result<WiredGeometry, ExecuteError> {
        let properties = geometry.geometry.clone();
        let properties =
            properties.ok_or_else(|| lacking("geometry stage without its properties"))?;
        let inputs = Inputs::new(before, Crossing::default())
            .number(properties.primitive_id, Number::Primitive)
            .number(properties.invocation_id, Number::Invocation);
        let emission = Some(EmissionWiring {
            emit: properties.emit,
            end: properties.end,
            max_vertices: properties.max_vertices,
        });
        let stage = self.own(geometry, inputs, Wiring { emission, ..self.last() })?;
        Ok(WiredGeometry { stage, properties, streams: self.leaving.streams })
    }
}

/// The wires as parts of the workgroup's variables, whose first words in the results are their locations.
fn shared_wires(wires: &[Wire]) -> Vec<SharedWire> {
    let given = |wire: &Wire| {
        let Binding::Location { location, .. } = wire.binding else { return None };
        let (word, part) = (index(location), wire.part.clone());
        Some(SharedWire { word, part, words: wire.components })
    };
    wires.iter().filter_map(given).collect()
}

/// The stages as far as the plan reads them.
pub(super) fn described(stages: &WiredStages) -> Vec<Pass> {
    let at = BindingPoint { group: 0, binding: 0 };
    let pass = |role, stride| Pass { module: Module::default(), at, stride: count(stride), role };
    let mut passes = vec![pass(Role::Vertex, stages.vertex.1.stride)];
    if let Some(own) = &stages.tessellation {
        passes.extend(own.control.as_ref().map(|own| {
            // The plan reads the levels from the words that a control stage writes.
            let control = ControlPass {
                vertices: own.vertices,
                first_vertex: count(own.patch),
                vertex_stride: count(own.stride),
                levels: None,
            };
            pass(Role::Control(control), own.size())
        }));
        let evaluation = &own.evaluation;
        passes.push(pass(Role::Evaluation(evaluation.pattern()), evaluation.words()));
    }
    passes.extend(stages.geometry.as_ref().map(|stage| {
        let geometry = GeometryPass {
            input: stage.properties.input,
            output: stage.properties.output,
            max_vertices: stage.properties.max_vertices,
            records: stage.properties.max_vertices,
            invocations: stage.properties.invocations,
            streams: stage.streams,
        };
        pass(Role::Geometry(geometry), stages.drawn)
    }));
    passes
}
