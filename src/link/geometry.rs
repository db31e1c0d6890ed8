//! Geometry stages, which WebGPU does not have: the vertex stage and the geometry stage run as compute stages before each
//! draw, and the vertex stage that is drawn passes on what the geometry stage emitted.
//!
//! The vertex stage runs once for each vertex of the draw ([`crate::vertex_compute`]) and writes packed slots and built-in
//! outputs. The geometry stage has four buffers of its own in the group of the storage buffers, at consecutive bindings:
//!
//! | binding | what | as the module sees it |
//! |---|---|---|
//! | first | the results of the vertex stage | `array<u32>`, read |
//! | + 1 | the index lists | `array<u32>`, read |
//! | + 2 | entries and records | `array<u32>`, written |
//! | + 3 | identity of the draw | uniform of two `vec4<u32>` |
//!
//! Invocation (x, y) is number x mod `invocations` for primitive x / `invocations` of instance y. The words of the
//! uniform are:
//!
//! | word | what |
//! |---|---|
//! | 0 | index of the first word of the list of primitives: for each primitive the number of each of its vertices, counted in the order in which the vertex stage ran |
//! | 1 | primitives of one instance |
//! | 2 | vertices of one instance |
//! | 3 | entries of one stream |
//! | 4 | places of the vertices of a primitive in its entries, two bits each: those of the first, second and third vertex of an even primitive of a strip, then those of an odd one |
//!
//! The third buffer begins with the entries, stream after stream. Those of one stream are a list of points, lines or
//! triangles, in the order of instances, primitives, invocations, and as emitted. Each invocation has room for as many
//! as it can emit ([`GeometryCompute::room`](crate::binding::GeometryCompute::room)); an entry is the index of the first
//! word of the vertex's record, or [`NO_VERTEX`](crate::binding::NO_VERTEX). The records follow: `max_vertices` for each
//! invocation.
//!
//! Stream 0 is drawn; other streams have entries and records for transform feedback alone ([`crate::xfb`]). A stage that
//! writes `gl_Layer` has a hidden uniform [`LAYER`]: with a layer there, the drawn vertex stage moves the
//! primitives of other layers outside of the clip volume.

mod built_in;
mod front;
mod liveness;
mod pass_through;
mod record;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use naga::Module;

use crate::binding::{BindingPoint, GeometryCompute, VertexComputeStage};
use crate::map::LinkMap;
use crate::match_up::{self, LinkRules};
use crate::separable::Labels;
use crate::shell::{ResultWire, Shell, VertexResults};
use crate::stages::RenderStages;
use crate::{
    LinkError, LinkOptions, draw_parameters, language, separable, vertex_compute, whole_stage, xfb,
};
use ir::diagnostic::{Diagnostic, Unsupported};
use ir::geometry::GeometryStage;
use ir::interface::Variable;
use ir::stage_module::StageModule;

pub(crate) use built_in::is_built_in;
pub use pass_through::{LAYER, NO_LAYER, drawn_layer};

use record::Record;

/// The stages before the one that is drawn, and everything between them.
#[derive(Clone, Debug)]
pub(crate) struct Front {
    /// Properties of the geometry stage.
    pub(crate) geometry: GeometryStage,
    /// The shells of both stages, as far as the interface between them fills them.
    pub(crate) shells: [Shell; 2],
    /// What the vertex stage writes.
    pub(crate) results: VertexResults,
    /// The word of each slot among the results.
    pub(crate) slot_words: Vec<u32>,
    /// Built-in inputs of the geometry stage.
    pub(crate) built_ins: Vec<ResultWire>,
    /// Record of an emitted vertex.
    pub(crate) record: Record,
    /// Vertex streams that count.
    pub(crate) streams: u32,
    /// The interface between both stages.
    pub(crate) map: LinkMap,
}

impl Front {
    /// The compute stages with these modules, of the vertex stage and the geometry stage.
    pub(crate) fn compute(
        self,
        at: BindingPoint,
        mut modules: impl Iterator<Item = Module>,
    ) -> GeometryCompute {
        let mut next = || modules.next().expect("the front has two stages");
        let stride = self.results.end();
        GeometryCompute {
            vertex: VertexComputeStage { module: next(), at, stride },
            module: next(),
            at,
            stride: self.record.stride,
            input: self.geometry.input,
            output: self.geometry.output,
            max_vertices: self.geometry.max_vertices,
            invocations: self.geometry.invocations,
            streams: self.streams,
        }
    }
}

/// The stages of a program with a geometry stage.
#[derive(Clone, Debug)]
pub(crate) struct GeometryStages<'a> {
    /// The vertex stage.
    pub(crate) vertex: Cow<'a, StageModule>,
    /// The geometry stage.
    pub(crate) geometry: Cow<'a, StageModule>,
    /// The fragment stage, if there is one.
    pub(crate) fragment: Option<Cow<'a, StageModule>>,
}

/// A linked front: its stages, its tables, and the stages that are drawn.
pub(crate) type Linked<'a> = ([Cow<'a, StageModule>; 2], Front, RenderStages<'a>);

/// Links the vertex and the geometry stage, from the last stage to the first: what the fragment stage does not read need
/// not be emitted, and what is needed for nothing else need not come from the vertex stage (C32). With `labels` each stage
/// is a program, and keeps what its partners do not read.
///
/// # Errors
/// The interfaces do not match, or the vertex stage cannot run as a compute stage.
pub(crate) fn link<'a>(
    stages: GeometryStages<'a>,
    options: &LinkOptions,
    labels: Option<&mut Labels>,
) -> Result<Linked<'a>, LinkError> {
    let GeometryStages { mut vertex, mut geometry, mut fragment } = stages;
    let own = geometry.geometry.clone().ok_or_else(|| unsupported("this geometry stage"))?;
    language::check(&vertex, &geometry, &options.rules)?;
    whole_stage::check_per_vertex(&vertex, &geometry, options)?;
    whole_stage::check_redeclarations(&vertex, &geometry, options)?;
    draw_parameters::lower(&mut vertex);
    vertex_compute::check(&vertex)?;
    if let Some(fragment) = &mut fragment {
        built_in::pass_to_fragment_stage(fragment);
    }
    let live = live_outputs(&geometry, fragment.as_deref(), options)?;
    let is_apart = labels.is_some();
    let dead = if is_apart { Vec::new() } else { liveness::dead_inputs(&geometry, &live) };
    if !dead.is_empty() {
        for idx in dead {
            geometry.to_mut().inputs[idx].is_used = false;
        }
    }
    let record = Record::of(&geometry, &live);
    let mut pass_through = pass_through::build(&geometry, &record);
    if is_apart {
        // What is not in the record has no label.
        for (output, is_live) in pass_through.outputs.iter_mut().zip(&live) {
            output.is_used &= is_live;
        }
    }
    let streams = streams(&geometry, &live);
    let crossing = match labels {
        Some(labels) => front::cross_apart((&vertex, &geometry), labels, options)?,
        None => front::cross((&vertex, &geometry), options)?,
    };
    let front = front::front((&vertex, &geometry), own, (record, streams), crossing);
    let render = RenderStages { vertex: Cow::Owned(pass_through), fragment };
    Ok(([vertex, geometry], front, render))
}

fn unsupported(word: &str) -> LinkError {
    Unsupported(word.to_owned()).into()
}

/// True for each output of the geometry stage that the fragment stage reads or that is captured. Built-in outputs always
/// count, and where each stage is a program all that are drawn.
fn live_outputs(
    geometry: &StageModule,
    fragment: Option<&StageModule>,
    options: &LinkOptions,
) -> Result<Vec<bool>, LinkError> {
    let captured = xfb::declared(geometry, options.capture.as_ref()).map_err(LinkError::Refused)?;
    let captured = captured.map_or_else(Vec::new, |layout| layout.items);
    let is_apart = options.labels.is_separable;
    let mut live: Vec<bool> = geometry
        .outputs
        .iter()
        .map(|output| {
            let is_captured = captured.iter().any(|item| item.variable == output.name);
            let is_drawn = is_apart && output.stream == 0;
            output.is_used && (output.name.starts_with("gl_") || is_captured || is_drawn)
        })
        .collect();
    let Some(fragment) = fragment else { return Ok(live) };
    language::check(geometry, fragment, &options.rules)?;
    let rules = LinkRules {
        has_labels: options.labels.are_used(),
        ..LinkRules::of(geometry.rules, fragment.rules).between("geometry", "fragment")
    };
    let linkage = &options.labels.linkage;
    let outputs: Vec<Variable> = geometry.outputs.iter().map(built_in::as_read).collect();
    let matching = if is_apart {
        separable::match_up(&outputs, &linkage.seen_from_outputs(&fragment.inputs), rules).0
    } else {
        match_up::match_up(&outputs, &fragment.inputs, linkage, rules)
            .map_err(LinkError::Refused)?
    };
    for pair in &matching.pairs {
        let output = &geometry.outputs[pair.output];
        if output.stream != 0 {
            let name = &output.name;
            if is_apart {
                let word = format!("`{name}` of stream {} before a separable stage", output.stream);
                return Err(LinkError::Unsupported { word, span: output.span });
            }
            let message =
                format!("`{name}` is of stream {}, and only stream 0 is drawn", output.stream);
            return Err(LinkError::Refused(vec![Diagnostic::error(output.span, message)]));
        }
        live[pair.output] = true;
    }
    Ok(live)
}

/// One more than the last stream with a live output.
fn streams(geometry: &StageModule, live: &[bool]) -> u32 {
    let outputs = geometry.outputs.iter().zip(live).filter(|(_, is_live)| **is_live);
    outputs.map(|(output, _)| output.stream + 1).max().unwrap_or(1)
}
