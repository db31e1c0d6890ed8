//! Links the stages before the one that is drawn, from the last one back: what a stage does not read need not be written
//! by the stage before it (C32).
//!
//! What these stages become, and how they find each other's values: [`crate::front`] and [`crate::geometry`].

mod apart;
mod levels;
pub(crate) mod part;
mod patch_location;
mod patch_size;
mod primitive_id;
pub(crate) mod seam;

use std::borrow::Cow;

use naga::Module;

use crate::binding::BindingPoint;
use crate::front::KnownLevels;
use crate::geometry::record::Record;
use crate::geometry::{built_in, liveness, pass_through};
use crate::map::SeamMap;
use crate::match_up::{self, LinkRules};
use crate::pass::{ControlPass, GeometryPass, Pass, Role};
use crate::separable::Labels;
use crate::shell::{EvaluationShell, Given, Received, Shell};
use crate::stages::RenderStages;
use crate::verify::Defect;
use crate::verify::words::{self, Crossed, Extent, Side};
use crate::{
    LinkError, LinkOptions, draw_parameters, language, separable, vertex_compute, whole_stage, xfb,
};
use ir::diagnostic::{Diagnostic, Unsupported};
use ir::geometry::OutputPrimitive;
use ir::interface::{Place, Variable};
use ir::stage_module::StageModule;

use seam::{Seam, Sides};

/// The stages of a program with tessellation or geometry stages.
#[derive(Clone, Debug)]
pub(crate) struct ChainStages<'a> {
    /// Those before the fragment stage, at least two, in the order of the pipeline.
    pub(crate) front: Vec<Cow<'a, StageModule>>,
    /// The fragment stage, if there is one.
    pub(crate) fragment: Option<Cow<'a, StageModule>>,
}

/// Tables of the stages before the one that is drawn, and of everything between them.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    /// The shell of each stage, as far as the interfaces between them fill it.
    pub(crate) shells: Vec<Shell>,
    /// What crosses from each stage but the last to the next one.
    pub(crate) seams: Vec<Seam>,
    /// Record of a vertex that the last stage gives.
    pub(crate) record: Record,
    /// What the stage that is drawn must find in it.
    drawn: Vec<Crossed>,
    /// Vertex streams that count.
    pub(crate) streams: u32,
    /// Number of vertices that each stage reads: of a primitive, or of a patch. 0 for the vertex stage.
    vertices: Vec<u32>,
    /// Levels of the control stage, if they are known before it runs.
    levels: Option<KnownLevels>,
}

/// A linked chain: its stages, its tables, and the stages that are drawn.
pub(crate) type Linked<'a> = (Vec<Cow<'a, StageModule>>, Chain, RenderStages<'a>);

/// Links the stages of the chain. With `labels` each stage is a program, and keeps what its partners do not read.
///
/// # Errors
/// The interfaces do not match, or the vertex stage cannot run as a compute stage.
pub(crate) fn link<'a>(
    stages: ChainStages<'a>,
    options: &LinkOptions,
    mut labels: Option<&mut Labels>,
) -> Result<Linked<'a>, LinkError> {
    let is_apart = labels.is_some();
    let ChainStages { mut front, mut fragment } = stages;
    if is_apart {
        apart::check(&front, fragment.as_deref())?;
    }
    for stage in &front {
        patch_location::check(stage)?;
    }
    for pair in front.windows(2) {
        language::check(&pair[0], &pair[1], options)?;
        whole_stage::check_per_vertex(&pair[0], options)?;
        whole_stage::check_redeclarations(&pair[0], &pair[1], options)?;
    }
    let Some(vertex) = front.first_mut() else { return Err(incomplete()) };
    draw_parameters::lower(vertex);
    vertex_compute::check(vertex)?;
    let Some(last) = front.last_mut() else { return Err(incomplete()) };
    if let Some(fragment) = &mut fragment
        && built_in::pass_to_fragment_stage(fragment)
    {
        primitive_id::give(last);
    }
    let mut live = live_outputs(last, fragment.as_deref(), options)?;
    let record = Record::of(last, &live);
    let mut pass_through = pass_through::build(last, &record);
    if is_apart {
        // What is not in the record has no label.
        for (output, is_live) in pass_through.outputs.iter_mut().zip(&live) {
            output.is_used &= is_live;
        }
    }
    let drawn = drawn(last, &pass_through, &record);
    let render = RenderStages { vertex: Cow::Owned(pass_through), fragment };
    let streams = streams(last, &live);
    let mut shells = vec![Shell::default(); front.len()];
    let mut seams = Vec::new();
    for idx in (1..front.len()).rev() {
        if !is_apart {
            drop_dead_inputs(&mut front[idx], &live);
        }
        let sides = Sides { producer: &front[idx - 1], consumer: &front[idx] };
        let shells = &mut shells[idx - 1..=idx];
        let seam = Seam::link(sides, shells, options, labels.as_deref_mut())?;
        live = seam.live_outputs(sides.producer);
        seams.insert(0, seam);
    }
    let vertices = patch_size::read_vertices(&front, options.raster.patch_vertices);
    for (stage, vertices) in front.iter_mut().zip(&vertices) {
        patch_size::shrink(stage, *vertices);
    }
    let levels = front.iter().find_map(|stage| levels::known(stage));
    let chain = Chain { shells, seams, record, drawn, streams, vertices, levels };
    Ok((front, chain, render))
}

fn incomplete() -> LinkError {
    Unsupported("a program without a vertex stage".to_owned()).into()
}

fn drop_dead_inputs(stage: &mut Cow<'_, StageModule>, live: &[bool]) {
    for idx in liveness::dead_inputs(stage, live) {
        stage.to_mut().inputs[idx].is_used = false;
    }
}

/// True for each output of the last stage that the fragment stage reads or that is captured. Built-in outputs always
/// count, and where each stage is a program all that are drawn.
fn live_outputs(
    last: &StageModule,
    fragment: Option<&StageModule>,
    options: &LinkOptions,
) -> Result<Vec<bool>, LinkError> {
    let captured = xfb::declared(last, options.capture.as_ref()).map_err(LinkError::Refused)?;
    let captured = captured.map_or_else(Vec::new, |layout| layout.items);
    let is_apart = options.labels.is_separable;
    let is_live = |output: &Variable| {
        let is_captured = captured.iter().any(|item| item.variable == output.name);
        let is_drawn = is_apart && output.stream == 0;
        output.is_used && (output.name.starts_with("gl_") || is_captured || is_drawn)
    };
    let mut live: Vec<bool> = last.outputs.iter().map(is_live).collect();
    let Some(fragment) = fragment else {
        match_up::check_last(last, options).map_err(LinkError::Refused)?;
        return Ok(live);
    };
    language::check(last, fragment, options)?;
    let rules = LinkRules {
        has_labels: options.labels.are_used(),
        ..LinkRules::of(last, fragment, options)
    };
    let linkage = &options.labels.linkage;
    let outputs: Vec<Variable> = last.outputs.iter().map(built_in::as_read).collect();
    let matching = if is_apart {
        separable::match_up(&outputs, &linkage.seen_from_outputs(&fragment.inputs), rules).0
    } else {
        match_up::match_up(&outputs, &fragment.inputs, linkage, rules)
            .map_err(LinkError::Refused)?
    };
    for pair in &matching.pairs {
        let output = &last.outputs[pair.output];
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

/// The variables in the record, in the last stage and in the one that is drawn.
fn drawn(last: &StageModule, pass_through: &StageModule, record: &Record) -> Vec<Crossed> {
    let is_recorded = |place: &Place| {
        record.wires.iter().any(|wire| {
            wire.place.global == place.global && wire.place.path.starts_with(&place.path)
        })
    };
    let one = |(from, to): (&Variable, &Variable)| {
        let (from, to) = (from.place.clone()?, to.place.clone()?);
        is_recorded(&from).then_some((from, to))
    };
    let pairs = last.outputs.iter().zip(&pass_through.outputs);
    let variables = pairs.filter_map(|pair| Some((pair.1, one(pair)?)));
    let variables = variables.map(|(output, (from, to))| Crossed {
        name: output.name.clone(),
        ty: output.ty.clone(),
        from,
        to,
        routes: Vec::new(),
    });
    variables.collect()
}

/// One more than the last stream with a live output.
fn streams(last: &StageModule, live: &[bool]) -> u32 {
    let outputs = last.outputs.iter().zip(live).filter(|(_, is_live)| **is_live);
    outputs.map(|(output, _)| output.stream + 1).max().unwrap_or(1)
}

/// True if what the chain gives are points.
pub(crate) fn gives_points(front: &[Cow<'_, StageModule>]) -> bool {
    let Some(last) = front.last() else { return false };
    match (&last.geometry, last.evaluation()) {
        (Some(own), _) => own.output == OutputPrimitive::Points,
        (None, Some(own)) => own.pattern.is_point_mode,
        (None, None) => false,
    }
}

impl Chain {
    /// What stage `idx` reads of each vertex that the stage before it wrote.
    pub(crate) fn received(&self, idx: usize) -> Received {
        let seam = idx.checked_sub(1).and_then(|before| self.seams.get(before));
        let received = seam.map_or_else(Received::default, |seam| seam.vertex.received.clone());
        Received { vertices: self.vertices.get(idx).copied().unwrap_or(0), ..received }
    }

    /// The shell of stage `idx`, which is an evaluation stage.
    pub(crate) fn evaluation_shell(
        &self,
        idx: usize,
        stage: &StageModule,
        at: BindingPoint,
    ) -> EvaluationShell {
        let before = idx.checked_sub(1).and_then(|before| self.seams.get(before));
        let given = match self.seams.get(idx) {
            Some(seam) => Given::Results(seam.vertex.results.clone(), seam.stride()),
            None => Given::Record(self.record.wires.clone(), self.record.stride),
        };
        let received = self.received(idx);
        EvaluationShell {
            at,
            patch: before.and_then(|seam| seam.patch_shell(received.vertices)),
            received,
            levels: seam::levels_of(&stage.inputs),
            given,
        }
    }

    /// Checks that everything crosses between these modules of the stages, and to the stage that is drawn.
    pub(crate) fn verify(
        &self,
        modules: &[Module],
        drawn: &Module,
        at: BindingPoint,
    ) -> Result<(), Defect> {
        let buffer = |number: u32| Some(BindingPoint { binding: at.binding + number, ..at });
        for ((pair, seam), idx) in modules.windows(2).zip(&self.seams).zip(1..) {
            let from = Side { module: &pair[0], at: buffer(2) };
            let to = Side { module: &pair[1], at: buffer(0) };
            let extent = Extent::Vertices(self.vertices[idx]);
            words::verify([&from, &to], &seam.vertex.crossed, extent)?;
            if let Some((patch, _)) = &seam.patch {
                words::verify([&from, &to], &patch.crossed, Extent::One)?;
            }
        }
        let Some(last) = modules.last() else { return Ok(()) };
        let (from, to) = (Side { module: last, at: buffer(2) }, Side { module: drawn, at: None });
        words::verify([&from, &to], &self.drawn, Extent::One)
    }

    /// The maps of the interfaces between the stages.
    pub(crate) fn maps(&self, stages: &[&StageModule]) -> Vec<SeamMap> {
        let pairs = stages.windows(2).zip(&self.seams);
        pairs.flat_map(|(pair, seam)| seam.maps([pair[0].stage, pair[1].stage])).collect()
    }

    /// The passes with these modules, which are in the order of the stages.
    pub(crate) fn passes(
        self,
        at: BindingPoint,
        stages: &[Cow<'_, StageModule>],
        modules: impl Iterator<Item = Module>,
    ) -> Vec<Pass> {
        let strides = self.seams.iter().map(Seam::stride).chain([self.record.stride]);
        let all = stages.iter().zip(modules).zip(strides).enumerate();
        let pass = |(idx, ((stage, module), stride)): (usize, ((&Cow<'_, _>, _), _))| {
            let (role, stride) = self.role(idx, stage, stride);
            Pass { module, at, stride, role }
        };
        all.map(pass).collect()
    }

    /// The role of stage `idx`, and the number of words of one result; `stride` are those for the next stage's vertices.
    fn role(&self, idx: usize, stage: &StageModule, stride: u32) -> (Role, u32) {
        if let Some(own) = stage.control() {
            let seam = &self.seams[idx];
            let (first_vertex, vertex_stride) = (seam.patch_words(), seam.vertex.stride());
            let (vertices, levels) = (own.vertices, self.levels.clone());
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
                streams: self.streams,
            })
        } else {
            Role::Vertex
        };
        (role, stride)
    }
}
