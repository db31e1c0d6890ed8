//! Links compiled stages into a program: [`link`].
//!
//! A pair of stages goes through these passes in this order. The first group rewrites stages and gives them as new ones; the
//! second fills tables and changes nothing; the third builds modules and rewrites those.
//!
//! ```text
//! limit            sizes and counts that GL or the case allows
//! draw_parameters  gl_BaseVertex, gl_BaseInstance and gl_DrawID become uniforms
//! feedback         the layout of what is captured, from declarations
//! clip_distance    clip distances and planes become WebGPU's built-in, or varyings that the fragment stage clips by
//! cull_distance    cull distances become outputs of a compute stage that runs before the draw
//! point            points with a size or coordinates become quads
//! legacy           back colours, and clamped colours
//!
//! whole_stage      errors about stages as wholes
//! reflect          the tables that queries are answered from
//! match_up         pairs of outputs and inputs; all other link errors
//! varying          pieces, optimise, pack within the budget: one route per scalar
//! location         vertex attributes
//! fragment_output  fragment outputs to render targets, gl_FragColor to all of them
//! uniform          one buffer for all loose uniforms, one per block
//!
//! wrap             entry points around the users' code
//! bind             bindings of the modules' own resources; blocks that naga would misplace become words
//! validate         naga's validator
//! relocate         locations for labels, where stages were compiled apart
//! cull, feedback   compute stages for culling and transform feedback
//! verify           an independent check that each scalar arrives as the routes say
//! ```

pub mod budget;
pub mod capture;
pub mod clip_distance;
mod clip_emulation;
mod conventions;
pub mod cull_distance;
pub mod declared_block;
pub mod distance_map;
pub mod draw_parameters;
pub mod feedback;
pub mod fragment_output;
mod language;
pub mod layout_choice;
pub mod legacy;
pub mod limit;
pub mod location;
pub mod map;
pub mod match_up;
pub mod optimise;
mod options;
pub mod pack;
pub mod point;
pub mod program;
pub mod reflect;
pub mod relocate;
pub mod resource;
pub mod separable;
pub mod session;
pub mod shell;
mod state_uniform;
#[cfg(test)]
pub(crate) mod testing;
pub mod uniform;
pub mod varying;
pub mod verify;
mod whole_stage;
pub mod words;
pub mod wrap;

pub mod binding;
#[cfg(test)]
pub mod combinations;
pub mod difference;
pub mod leaf;
pub mod routing;
#[cfg(test)]
mod slot_tests;
#[cfg(test)]
mod tests;
pub mod write_uniform;

use std::collections::BTreeSet;

use naga::Module;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use crate::binding::Attribute;
use crate::routing::{PairOfStages, Route, Routing};
use ir::diagnostic::{Diagnostic, Unsupported};
use ir::interface::{Place, Type, Variable};
use ir::options::{CaptureMode, CaptureSection};
use ir::source::Span;
use ir::stage_module::{LanguageRules, StageModule, Stages};

use clip_distance::Lowered;
use conventions::{frag_coord_shift, position_rule};
use cull_distance::Culling;
use distance_map::DistanceMap;
use feedback::{Capturing, Layout};
use fragment_output::FragmentOutputs;
use map::LinkMap;
use match_up::{LinkRules, Pair};
pub use options::{AdapterRules, LinkOptions};
use pack::PackingClass;
use program::{LinkedProgram, LinkedStages, MaskRule};
use session::Session;
use shell::{CapturedWire, ClipDistances, PointExpansion, Shell};
use uniform::Uniforms;

/// Why stages cannot be linked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// The shaders': they do not fit together. All reasons, in the consumer's declaration order.
    #[error("the stages do not link")]
    Refused(Vec<Diagnostic>),
    /// The adapter's: the program is right, but its varyings need more room than there is. Never satisfies an expected
    /// link error.
    #[error("{}", .0.message)]
    NoRoom(Box<Diagnostic>),
    /// Ours: the program is right, but cannot be run yet.
    #[error("unsupported: {word}")]
    Unsupported {
        /// The construct.
        word: String,
        /// Where it stands; `None` if no one place is to blame.
        span: Option<Span>,
    },
    /// Ours, or naga's: a final module is wrong. Never satisfies an expected link error.
    #[error("{message}")]
    Invalid {
        /// What is wrong with it.
        message: String,
        /// The code that naga points at.
        span: Option<Span>,
    },
}

impl From<Unsupported> for LinkError {
    fn from(Unsupported(word): Unsupported) -> Self {
        Self::Unsupported { word, span: None }
    }
}

/// Links `stages`.
pub fn link(stages: &Stages, options: &LinkOptions) -> Result<LinkedProgram, LinkError> {
    limit::check_sizes(stages)?;
    limit::check_counts(stages)?;
    match stages {
        Stages::Render { vertex, fragment: Some(fragment) } if options.is_relabelled() => {
            session::link_one(vertex, fragment, options)
        }
        Stages::Render { vertex, fragment } => {
            link_render(vertex, fragment.as_ref(), options, &mut Session::default())
        }
        Stages::Compute(stage) => match &options.capture {
            Some(section) => Err(LinkError::Refused(vec![feedback::no_vertex_stage(section)])),
            None => link_compute(stage, options),
        },
    }
}

/// What the vertex stage's shell gives beside varyings and the position.
#[derive(Clone, Debug, Default)]
struct Extras {
    clip: Option<ClipDistances>,
    points: Option<PointExpansion>,
    cull: Vec<CapturedWire>,
    feedback: Option<Layout>,
}

fn link_render(
    vertex: &StageModule,
    fragment: Option<&StageModule>,
    options: &LinkOptions,
    session: &mut Session,
) -> Result<LinkedProgram, LinkError> {
    session.begin(vertex, fragment);
    cull_distance::check_sizes(vertex, fragment)?;
    let vertex = &*draw_parameters::lower(vertex);
    let distances = DistanceMap::of(vertex);
    let feedback =
        feedback::declared(vertex, options.capture.as_ref()).map_err(LinkError::Refused)?;
    let captured = feedback.as_ref().map_or_else(Vec::new, reflect::captured);
    let Lowered { vertex, fragment, clip } = clip_distance::lower(vertex, fragment, options)?;
    let cull_distance::Lowered { vertex, fragment, distances: cull } =
        cull_distance::lower(vertex, fragment);
    let point::Lowered { vertex, fragment, expansion, size_rule } =
        point::lower(vertex, fragment, !cull.is_empty(), options)?;
    let extras = Extras { clip, points: expansion, cull, feedback };
    // Quads do not cost what points do.
    let has_points = options.has_points && extras.points.is_none();
    let is_separate = |section: &CaptureSection| section.mode == CaptureMode::Separate;
    let mut options = LinkOptions { has_points, ..options.clone() };
    options.packing.is_vec3_aligned = options.capture.as_ref().is_some_and(is_separate);
    let options = &options;
    let program = match fragment {
        Some(fragment) => link_pair(&vertex, &fragment, extras, options, session),
        None => link_vertex(&vertex, extras, options),
    };
    let mut program = LinkedProgram { points: size_rule, ..program? };
    program.map.distances = distances;
    program.vertex_reflection.as_mut().unwrap_or(&mut program.reflection).set_captured(captured);
    if program.cull.is_some() || program.feedback.is_some() {
        crate::program::mark_use(&mut program);
    }
    Ok(program)
}

fn link_pair(
    vertex: &StageModule,
    fragment: &StageModule,
    extras: Extras,
    options: &LinkOptions,
    session: &mut Session,
) -> Result<LinkedProgram, LinkError> {
    whole_stage::check_pair(vertex, fragment, options)?;
    let fragment = &*legacy::select_sides(vertex, fragment, options);
    let [vertex, fragment] = &legacy::clamp_colors(vertex, fragment, options);
    let (vertex, fragment) = (&*session.named(vertex), &*session.named(fragment));
    let (vertex_reflection, reflection) = limit::reflected_pair(vertex, fragment, options)?;
    match_up::check_builtins(vertex, fragment).map_err(LinkError::Refused)?;
    let rules = LinkRules::of(vertex.rules, fragment.rules);
    let (matched, mismatches) = session.match_up(vertex, fragment, rules)?;
    let clip = extras.clip.clone();
    let pair = PairOfStages { vertex, fragment, matched: &matched, clip: clip.as_ref() };
    let (mut vertex_shell, mut fragment_shell) = (Shell::default(), Shell::default());
    let routing = session.route(pair, options, (&mut vertex_shell, &mut fragment_shell))?;
    let mut map = LinkMap { mismatches, ..link_map(pair, &routing) };
    let expected = expected(pair, &routing, options);
    vertex_shell.position = position_rule(vertex);
    vertex_shell.clip = extras.clip;
    vertex_shell.points = extras.points;
    fragment_shell.frag_coord = frag_coord_shift(fragment, options)?;
    let attributes = location::attributes(vertex, &mut vertex_shell).map_err(LinkError::Refused)?;
    let outputs = fragment_output::lower(fragment, options, &mut fragment_shell)?;
    let FragmentOutputs { written_targets, is_dual_source, rows } = outputs;
    map.outputs = rows;
    check_attributes(&attributes)?;
    let mut uniforms = uniform::gather_pair(&[vertex, fragment], options.sharing())?;
    attach(&mut uniforms, &mut [&mut vertex_shell, &mut fragment_shell]);
    varying::connect_uniforms(pair, &routing, &mut uniforms.buffers, &mut fragment_shell);
    let (stages, shells) = ([vertex, fragment], [&vertex_shell, &fragment_shell]);
    let mut modules = session.wrap(stages, shells);
    let done = finish(&stages, &mut modules, &uniforms, options)?;
    session.relocate(pair, shells, &mut modules, options, &mut map)?;
    let cull = Culling { wires: extras.cull, shell: &vertex_shell, attributes: &attributes };
    let cull = cull.link(&stages, &done.infos, &uniforms, options)?;
    let (layout, routed) = (extras.feedback.as_ref(), Some((pair, &routing)));
    let (shell, attributes) = (&vertex_shell, attributes);
    let capturing = Capturing { layout, shell, attributes: &attributes, routed, options };
    let feedback = capturing.link(&stages, &done.infos, &uniforms, &mut map)?;
    uniforms.buffers.extend(done.resources.uniform_buffers);
    let [vertex_module, fragment_module] = modules;
    verify::verify(&vertex_module, &fragment_module, &expected).map_err(|message| {
        let message = format!("the linked modules are wrong: {message}");
        LinkError::Invalid { message, span: None }
    })?;
    Ok(LinkedProgram {
        needs_capabilities: done.needs_capabilities,
        map,
        stages: LinkedStages::Render { vertex: vertex_module, fragment: Some(fragment_module) },
        reflection,
        vertex_reflection,
        attributes,
        uniform_buffers: uniforms.buffers,
        storage_buffers: done.resources.storage_buffers,
        opaques: done.resources.opaques,
        written_targets,
        is_dual_source,
        points: None,
        cull,
        counts_first_instance: vertex.rules == LanguageRules::Wgsl,
        masks: MaskRule::of(fragment.rules),
        feedback,
    })
}

fn link_vertex(
    vertex: &StageModule,
    extras: Extras,
    options: &LinkOptions,
) -> Result<LinkedProgram, LinkError> {
    whole_stage::check_position(vertex)?;
    let Extras { clip, points, cull, feedback } = extras;
    let mut shell = Shell { position: position_rule(vertex), clip, points, ..Shell::default() };
    let attributes = location::attributes(vertex, &mut shell).map_err(LinkError::Refused)?;
    check_attributes(&attributes)?;
    let mut uniforms = uniform::gather(&[vertex]).map_err(LinkError::Refused)?;
    attach(&mut uniforms, &mut [&mut shell]);
    let mut modules = [wrap::wrap(vertex, &shell)];
    let Finished { resources, infos, needs_capabilities } =
        finish(&[vertex], &mut modules, &uniforms, options)?;
    let cull = Culling { wires: cull, shell: &shell, attributes: &attributes };
    let cull = cull.link(&[vertex], &infos, &uniforms, options)?;
    let unread =
        vertex.outputs.iter().filter(|output| output.is_used).map(|output| output.name.clone());
    let mut map = LinkMap { unread: unread.collect(), ..LinkMap::default() };
    let (layout, routed) = (feedback.as_ref(), None);
    let capturing = Capturing { layout, shell: &shell, attributes: &attributes, routed, options };
    let feedback = capturing.link(&[vertex], &infos, &uniforms, &mut map)?;
    uniforms.buffers.extend(resources.uniform_buffers);
    let [module] = modules;
    Ok(LinkedProgram {
        needs_capabilities,
        map,
        stages: LinkedStages::Render { vertex: module, fragment: None },
        reflection: limit::reflected(&[vertex], options)?,
        vertex_reflection: None,
        attributes,
        uniform_buffers: uniforms.buffers,
        storage_buffers: resources.storage_buffers,
        opaques: resources.opaques,
        written_targets: Vec::new(),
        is_dual_source: false,
        points: None,
        cull,
        counts_first_instance: vertex.rules == LanguageRules::Wgsl,
        masks: MaskRule::Always,
        feedback,
    })
}

fn link_compute(stage: &StageModule, options: &LinkOptions) -> Result<LinkedProgram, LinkError> {
    let mut shell = Shell::default();
    let mut uniforms = uniform::gather(&[stage]).map_err(LinkError::Refused)?;
    attach(&mut uniforms, &mut [&mut shell]);
    let mut modules = [wrap::wrap(stage, &shell)];
    let Finished { resources, needs_capabilities, .. } =
        finish(&[stage], &mut modules, &uniforms, options)?;
    uniforms.buffers.extend(resources.uniform_buffers);
    let [module] = modules;
    Ok(LinkedProgram {
        needs_capabilities,
        map: LinkMap::default(),
        stages: LinkedStages::Compute(module),
        reflection: limit::reflected(&[stage], options)?,
        vertex_reflection: None,
        attributes: Vec::new(),
        uniform_buffers: uniforms.buffers,
        storage_buffers: resources.storage_buffers,
        opaques: resources.opaques,
        written_targets: Vec::new(),
        is_dual_source: false,
        points: None,
        cull: None,
        counts_first_instance: false,
        masks: MaskRule::Always,
        feedback: None,
    })
}

/// WebGPU has no components of locations.
fn check_attributes(attributes: &[Attribute]) -> Result<(), LinkError> {
    let mut taken = BTreeSet::new();
    if attributes.iter().all(|attribute| taken.insert(attribute.location)) {
        return Ok(());
    }
    let word = "vertex attributes that share a location".to_owned();
    Err(LinkError::Unsupported { word, span: None })
}

fn attach(uniforms: &mut Uniforms, shells: &mut [&mut Shell]) {
    for (shell, wires) in shells.iter_mut().zip(uniforms.wires.drain(..)) {
        shell.uniforms = wires;
    }
}

/// What is known of modules that are bound and valid.
struct Finished {
    resources: resource::Resources,
    infos: Vec<ModuleInfo>,
    needs_capabilities: bool,
}

/// Binds the modules' own resources, validates, and tells what is used.
fn finish(
    stages: &[&StageModule],
    modules: &mut [Module],
    uniforms: &Uniforms,
    options: &LinkOptions,
) -> Result<Finished, LinkError> {
    bind(stages, modules, uniforms, options)?;
    let mut needs_capabilities = false;
    let infos = modules.iter().map(|module| {
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
        validator.validate(module).or_else(|_| {
            needs_capabilities = true;
            validate(module)
        })
    });
    let infos = infos.collect::<Result<Vec<_>, _>>()?;
    let resources = resource::used(stages, modules, &infos, options.sharing());
    Ok(Finished { resources, infos, needs_capabilities })
}

/// Gives the modules' own resources their binding points.
fn bind(
    stages: &[&StageModule],
    modules: &mut [Module],
    uniforms: &Uniforms,
    options: &LinkOptions,
) -> Result<(), LinkError> {
    for (stage, module) in stages.iter().zip(&mut *modules) {
        uniform::in_place::bind(stage, module, &uniforms.buffers);
    }
    resource::relocate(stages, modules, options.sharing()).map_err(LinkError::Refused)?;
    for (stage, module) in stages.iter().zip(&mut *modules) {
        let blocks = words::misplaced_blocks(stage, module, options.are_blocks_standard_only);
        words::lower(module, &blocks)?;
    }
    Ok(())
}

/// Validates a linked module as wgpu will.
///
/// # Errors
/// naga's message.
pub fn validate(module: &Module) -> Result<ModuleInfo, LinkError> {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(module).map_err(|error| {
        let span = error.spans().find_map(|(span, _)| span.to_range());
        let mut message = format!("naga refuses the linked module: {}", error.as_inner());
        let mut source = std::error::Error::source(error.as_inner());
        while let Some(inner) = source {
            message.push_str(": ");
            message.push_str(&inner.to_string());
            source = inner.source();
        }
        LinkError::Invalid { message, span: span.map(|range| Span::new(range.start, range.end)) }
    })
}

/// What must arrive, for the check of the final modules.
pub fn expected<'a>(
    pair: PairOfStages<'a>,
    routing: &'a Routing,
    options: &LinkOptions,
) -> Vec<verify::Expected<'a>> {
    let one = |(matched, routes): (&Pair, &'a Vec<Route>)| {
        let (output, input) =
            (&pair.vertex.outputs[matched.output], &pair.fragment.inputs[matched.input]);
        let (from, to) = (sent_from(output, input)?, input.place.clone()?);
        let interpolation = legacy::interpolation(input, options);
        let class = PackingClass::of(&input.ty, interpolation, input.sampling);
        let has_one_sample = !options.is_multisampled;
        let (name, ty) = (&*input.name, &input.ty);
        Some(verify::Expected { name, ty, from, to, class, routes, has_one_sample })
    };
    pair.matched.pairs.iter().zip(&routing.routes).filter_map(one).collect()
}

/// Where the producer leaves what `input` reads: a scalar may be read from a vector.
fn sent_from(output: &Variable, input: &Variable) -> Option<Place> {
    let mut place = output.place.clone()?;
    if matches!((&output.ty, &input.ty), (Type::Vector { .. }, Type::Scalar(_))) {
        place.path.push(0);
    }
    Some(place)
}

fn link_map(pair: PairOfStages<'_>, routing: &Routing) -> LinkMap {
    let mut map = LinkMap::of_varyings(&pair.inputs(), routing);
    let output = |idx: &usize| pair.vertex.outputs[*idx].name.clone();
    let input = |idx: &usize| pair.fragment.inputs[*idx].name.clone();
    map.unread = pair.matched.unread.iter().map(output).collect();
    map.unwritten = pair.matched.unwritten.iter().map(input).collect();
    map
}
