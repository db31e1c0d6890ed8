//! Programs that no linker has touched: varyings go by name and location, each in a place of its own.
//!
//! What this shares with the linker: the plan of the steps, the locations of attributes, the places of uniforms in
//! their buffers, and the draw buffers of outputs without a location. What it does by itself: matching varyings,
//! passing them on, and everything around the user's code.

use case::Case;
use ir::interface::{Interpolation, Place, Sampling, ScalarKind, Type, Variable};
use ir::readback::Readback;
use ir::stage_module::{
    BuiltinVariable, Direction, LanguageRules, ResourceKind, ResourceVariable, StageModule, Stages,
    UniformKind, UniformVariable,
};
use link::binding::{OpaqueKind, Uniform, UniformBuffer};
use link::clip_distance::ENABLES;
use link::program::LinkedProgram;
use link::routing::Route;
use naga::{ArraySize, Binding, BuiltIn, ResourceBinding, Scalar, TypeInner};
use plan::{ExecuteError, Programs};

use crate::compile::{Part, UniformWire, Wire, Wiring, compile_whole};
use crate::draw::RenderStages;
use crate::errors::lacking;
use crate::execute::{ProgramStages, Way, run};
use crate::stage::Stage;
use crate::vertex::RecordLayout;

/// Runs the steps of `case` with the stages as they were compiled. `program` is the linked program, for the plan.
///
/// # Errors
/// As those of [`crate::execute()`].
pub fn execute_unlinked(
    case: &Case,
    stages: &Stages,
    program: &LinkedProgram,
    way: impl Into<Way>,
) -> Result<Readback, ExecuteError> {
    refuse(program)?;
    let own = match stages {
        Stages::Render { vertex, fragment } => {
            let wires = varyings(vertex, fragment.as_ref())?;
            let vertex = vertex_stage(vertex, program, wires.outputs)?;
            let fragment = fragment.as_ref();
            let fragment = fragment
                .map(|fragment| fragment_stage(fragment, case, program, wires.inputs))
                .transpose()?;
            let records = RecordLayout::new(&vertex)?;
            let render = Some(RenderStages { vertex, records, fragment });
            ProgramStages { render, ..ProgramStages::default() }
        }
        Stages::Compute(stage) => {
            let wiring = Wiring {
                inputs: builtins(stage, Direction::Input)?,
                uniforms: uniforms(stage, program)?,
                ..Wiring::default()
            };
            let compute = Some(compiled(stage, program, &wiring)?);
            ProgramStages { compute, ..ProgramStages::default() }
        }
    };
    let programs: Programs<'_> = program.into();
    run(case, programs, way.into(), |_| Ok(vec![own]))
}

/// Refuses what only the linker does so far, and what it may round.
fn refuse(program: &LinkedProgram) -> Result<(), ExecuteError> {
    let has_more = program.points.is_some() || program.cull.is_some() || program.xfb.is_some();
    if has_more {
        return Err(lacking("points as quads, cull distances and captures without a linker"));
    }
    let mut routes = program.map.varyings.iter().flat_map(|varying| &varying.routes);
    if routes.any(|route| matches!(route, Route::Slot { is_over_w: true, .. })) {
        return Err(lacking("exact value of varyings that the linker multiplies by w"));
    }
    Ok(())
}

/// The varyings of both stages.
#[derive(Default)]
struct Varyings {
    outputs: Vec<Wire>,
    inputs: Vec<Wire>,
}

/// Every scalar and vector of a varying gets a location of its own.
fn varyings(
    vertex: &StageModule,
    fragment: Option<&StageModule>,
) -> Result<Varyings, ExecuteError> {
    let mut all = Varyings::default();
    let mut location = 0;
    for input in fragment.into_iter().flat_map(|stage| &stage.inputs) {
        let Some(to) = &input.place else { continue };
        let Some(output) = partner(input, &vertex.outputs) else {
            if input.is_used {
                return Err(lacking(format!("value for `{}` without a linker", input.name)));
            }
            continue;
        };
        let Some(from) = &output.place else { continue };
        let (sent, read) = (output.ty.leaves(), input.ty.leaves());
        let is_equal = sent.len() == read.len()
            && sent.iter().zip(&read).all(|(a, b)| (a.size, a.scalar) == (b.size, b.scalar));
        if !is_equal {
            return Err(lacking(format!("varying like `{}` without a linker", input.name)));
        }
        let mut word = 0;
        for leaf in &read {
            let scalar = naga_scalar(leaf.scalar)?;
            let components = usize::from(leaf.size);
            let class = class(input, output, leaf.scalar);
            let binding =
                |class: Option<(naga::Interpolation, naga::Sampling)>| Binding::Location {
                    location,
                    interpolation: class.map(|(interpolation, _)| interpolation),
                    sampling: class.map(|(_, sampling)| sampling),
                    blend_src: None,
                    per_primitive: false,
                };
            let wire = |place: &Place| Wire {
                binding: binding(Some(class)),
                scalar,
                components,
                part: part(place, word),
            };
            all.outputs.push(wire(from));
            all.inputs.push(wire(to));
            word += components;
            location += 1;
        }
    }
    Ok(all)
}

/// The output that an input reads: that of its location, or else of its name.
fn partner<'a>(input: &Variable, outputs: &'a [Variable]) -> Option<&'a Variable> {
    let component = |variable: &Variable| variable.component.unwrap_or(0);
    outputs.iter().find(|output| match (input.location, output.location) {
        (Some(location), other) => other == Some(location) && component(input) == component(output),
        (None, None) => input.name == output.name,
        (None, Some(_)) => false,
    })
}

fn class(
    input: &Variable,
    output: &Variable,
    scalar: ScalarKind,
) -> (naga::Interpolation, naga::Sampling) {
    let declared = match input.interpolation {
        Interpolation::Unqualified => output.interpolation,
        own @ (Interpolation::Smooth | Interpolation::Flat | Interpolation::NoPerspective) => own,
    };
    if scalar.is_always_flat() || declared == Interpolation::Flat {
        return (naga::Interpolation::Flat, naga::Sampling::Either);
    }
    let sampling = match input.sampling {
        Sampling::Center => naga::Sampling::Center,
        Sampling::Centroid => naga::Sampling::Centroid,
        Sampling::Sample => naga::Sampling::Sample,
    };
    let interpolation = match declared {
        Interpolation::NoPerspective => naga::Interpolation::Linear,
        Interpolation::Unqualified | Interpolation::Smooth | Interpolation::Flat => {
            naga::Interpolation::Perspective
        }
    };
    (interpolation, sampling)
}

fn vertex_stage(
    stage: &StageModule,
    program: &LinkedProgram,
    varyings: Vec<Wire>,
) -> Result<Stage, ExecuteError> {
    let mut inputs = builtins(stage, Direction::Input)?;
    for attribute in &stage.inputs {
        let Some(place) = &attribute.place else { continue };
        let linked = program.attributes.iter().find(|known| known.name == attribute.name);
        let Some(linked) = linked else { continue };
        let mut word = 0;
        for (leaf, location) in attribute.ty.leaves().iter().zip(linked.location..) {
            let components = usize::from(leaf.size);
            inputs.push(Wire {
                binding: location_binding(location, None),
                scalar: naga_scalar(leaf.scalar)?,
                components,
                part: part(place, word),
            });
            word += components;
        }
    }
    let mut outputs = builtins(stage, Direction::Output)?;
    let is_position =
        |wire: &Wire| matches!(wire.binding, Binding::BuiltIn(BuiltIn::Position { .. }));
    outputs.retain(|wire| {
        is_position(wire) || !matches!(wire.binding, Binding::BuiltIn(BuiltIn::PointSize))
    });
    if !outputs.iter().any(is_position) {
        return Err(lacking("vertex stage without a position"));
    }
    let clip_enables = word_of(program, ENABLES);
    if clip_enables.is_none() && stage.rules != LanguageRules::Wgsl {
        // No plane is ever enabled.
        outputs.retain(is_position);
    }
    let has_distances = outputs.iter().any(|wire| !is_position(wire));
    if clip_enables.is_some() && !has_distances {
        return Err(lacking("clip planes without a linker"));
    }
    outputs.extend(varyings);
    let has_gl_depth = stage.rules != LanguageRules::Wgsl;
    let uniforms = uniforms(stage, program)?;
    let wiring =
        Wiring { inputs, outputs, uniforms, has_gl_depth, clip_enables, ..Wiring::default() };
    compiled(stage, program, &wiring)
}

fn fragment_stage(
    stage: &StageModule,
    case: &Case,
    program: &LinkedProgram,
    varyings: Vec<Wire>,
) -> Result<Stage, ExecuteError> {
    let mut inputs = builtins(stage, Direction::Input)?;
    inputs.extend(varyings);
    let mut outputs = builtins(stage, Direction::Output)?;
    outputs.extend(fragment_outputs(stage, program)?);
    let rule = stage.frag_coord;
    let wiring = Wiring {
        inputs,
        outputs,
        uniforms: uniforms(stage, program)?,
        turned_at: rule.is_origin_upper_left.then_some(case.size[1]),
        has_whole_centres: rule.is_pixel_center_integer,
        ..Wiring::default()
    };
    compiled(stage, program, &wiring)
}

/// The values of the draw buffers.
fn fragment_outputs(
    stage: &StageModule,
    program: &LinkedProgram,
) -> Result<Vec<Wire>, ExecuteError> {
    let mut wires = Vec::new();
    for row in &program.map.outputs {
        let matches = |output: &&Variable| output.name == row.name;
        let output = stage.outputs.iter().find(matches);
        let found = output.and_then(|output| Some((output, output.place.as_ref()?)));
        let Some((output, place)) = found else {
            return Err(lacking(format!("output `{}` without a linker", row.name)));
        };
        let leaves = output.ty.leaves();
        let [leaf] = &leaves[..] else {
            return Err(lacking("arrays of outputs without a linker"));
        };
        if leaf.size != 4 || leaf.scalar.components() != 1 {
            return Err(lacking("outputs of fewer than four components without a linker"));
        }
        if output.location.is_some_and(|location| location != row.buffer)
            && row.name != "gl_FragColor"
        {
            return Err(lacking("outputs elsewhere than they say without a linker"));
        }
        let second = (program.is_dual_source).then_some(u32::from(row.is_second));
        wires.push(Wire {
            binding: location_binding(row.buffer, second),
            scalar: naga_scalar(row.scalar)?,
            components: 4,
            part: part(place, 0),
        });
    }
    Ok(wires)
}

const fn location_binding(location: u32, blend_src: Option<u32>) -> Binding {
    let (interpolation, sampling) = (None, None);
    Binding::Location { location, interpolation, sampling, blend_src, per_primitive: false }
}

fn part(place: &Place, word: usize) -> Part {
    Part { global: place.global, path: place.path.clone(), word }
}

fn naga_scalar(kind: ScalarKind) -> Result<Scalar, ExecuteError> {
    Ok(match kind {
        ScalarKind::F32 => Scalar::F32,
        ScalarKind::I32 => Scalar::I32,
        ScalarKind::U32 => Scalar::U32,
        ScalarKind::Bool | ScalarKind::F64 | ScalarKind::I64 | ScalarKind::U64 => {
            return Err(lacking(format!("{kind} varyings without a linker")));
        }
    })
}

/// Built-in variables, each through its own global.
fn builtins(stage: &StageModule, direction: Direction) -> Result<Vec<Wire>, ExecuteError> {
    let own = stage.builtins.iter().filter(|builtin| builtin.direction == direction);
    own.map(|builtin| builtin_wire(stage, builtin)).collect()
}

fn builtin_wire(stage: &StageModule, builtin: &BuiltinVariable) -> Result<Wire, ExecuteError> {
    let ty = stage.module.global_variables[builtin.global].ty;
    #[expect(clippy::wildcard_enum_match_arm, reason = "built-in variables have few types")]
    let (scalar, components) = match stage.module.types[ty].inner {
        TypeInner::Scalar(scalar) => (scalar, 1),
        TypeInner::Vector { size, scalar } => (scalar, size as usize),
        // Clip distances, or a mask of samples.
        TypeInner::Array { base, size: ArraySize::Constant(length), .. } => {
            let TypeInner::Scalar(scalar) = stage.module.types[base].inner else {
                return Err(lacking(format!("{:?} without a linker", builtin.builtin)));
            };
            (scalar, length.get() as usize)
        }
        _ => return Err(lacking(format!("{:?} without a linker", builtin.builtin))),
    };
    let part = Part { global: builtin.global, path: Vec::new(), word: 0 };
    Ok(Wire { binding: Binding::BuiltIn(builtin.builtin), scalar, components, part })
}

/// The uniforms of a stage, each from its place in a buffer.
fn uniforms(
    stage: &StageModule,
    program: &LinkedProgram,
) -> Result<Vec<UniformWire>, ExecuteError> {
    let mut wires = Vec::new();
    for variable in &stage.uniforms {
        let is_own =
            |buffer: &&UniformBuffer| buffer.owner.is_none_or(|owner| owner == stage.stage);
        let buffers = program.uniform_buffers.iter().filter(is_own);
        let is_block = matches!(variable.kind, UniformKind::Block { .. });
        let wanted = if is_block { &*variable.name } else { "" };
        let named = buffers.filter(|buffer| buffer.name == wanted);
        let mut found = named.filter_map(|buffer| Some((buffer, offsets(variable, buffer)?)));
        let Some((buffer, offsets)) = found.next() else {
            if variable.is_used {
                return Err(lacking(format!("place for `{}` without a linker", variable.name)));
            }
            continue;
        };
        let group = buffer.at.group;
        let leaves = variable.ty.leaves();
        let booleans = leaves
            .iter()
            .flat_map(|leaf| vec![leaf.scalar == ScalarKind::Bool; usize::from(leaf.size)]);
        if variable.ty.has_64_bit() {
            return Err(lacking("64-bit uniforms without a linker"));
        }
        wires.push(UniformWire {
            buffer: ResourceBinding { group, binding: buffer.at.binding },
            words: offsets.iter().map(|offset| offset / 4).collect(),
            are_booleans: booleans.collect(),
            part: part(&variable.place, 0),
        });
    }
    Ok(wires)
}

/// Byte offsets of all scalars of a uniform or block in its buffer.
fn offsets(variable: &UniformVariable, buffer: &UniformBuffer) -> Option<Vec<u32>> {
    let of = |uniform: &Uniform| -> Vec<u32> {
        let all = uniform.layout.scalar_offsets(&uniform.ty);
        all.iter().map(|offset| uniform.offset + offset).collect()
    };
    let named = |name: &str| buffer.uniforms.iter().find(|uniform| uniform.name == name);
    if let Some(whole) = named(&variable.name)
        && whole.ty == variable.ty
    {
        return Some(of(whole));
    }
    let Type::Struct(block) = &variable.ty else { return None };
    let members = block.members.iter().map(|member| named(&member.name).map(of));
    Some(members.collect::<Option<Vec<_>>>()?.concat())
}

/// Buffer and word of a uniform that holds state.
fn word_of(program: &LinkedProgram, name: &str) -> Option<(ResourceBinding, u32)> {
    let mut all = program.uniform_buffers.iter();
    all.find_map(|buffer| {
        let uniform = buffer.uniforms.iter().find(|uniform| uniform.name == name)?;
        let (group, binding) = (buffer.at.group, buffer.at.binding);
        Some((ResourceBinding { group, binding }, uniform.offset / 4))
    })
}

/// Compiles a stage with its resources where the program has them.
fn compiled(
    stage: &StageModule,
    program: &LinkedProgram,
    wiring: &Wiring,
) -> Result<Stage, ExecuteError> {
    let mut module = stage.module.clone();
    for resource in &stage.resources {
        // The program lacks what nothing uses.
        let at = place_of(resource, stage, program);
        module.global_variables.get_mut(resource.global).binding = at;
    }
    let own = stage.resources.iter();
    let own = own.filter_map(|resource| Some((resource.global, resource.layout.clone()?)));
    let wiring = &Wiring { layouts: own.collect(), ..wiring.clone() };
    let code = compile_whole(&module, stage.main, wiring, stage.workgroup_size);
    let code = code.map_err(|missing| ExecuteError::Lacking(missing.to_string()))?;
    Ok(Stage { code, is_tested_early: false })
}

/// Where the linked program has a resource.
fn place_of(
    resource: &ResourceVariable,
    stage: &StageModule,
    program: &LinkedProgram,
) -> Option<ResourceBinding> {
    let is_own = |owner: Option<_>| owner.is_none_or(|owner| owner == stage.stage);
    let opaque = |is_kind: fn(&OpaqueKind) -> bool| {
        let mut all = program.opaques.iter().filter(|opaque| is_own(opaque.owner));
        all.find(|opaque| opaque.name == resource.name && is_kind(&opaque.kind))
            .map(|opaque| opaque.at)
    };
    let at = match resource.kind {
        ResourceKind::StorageBuffer { .. } | ResourceKind::AtomicCounters => {
            let mut all = program.storage_buffers.iter();
            all.find(|block| block.name == resource.name && block.stages.has(stage.stage))?.at
        }
        ResourceKind::UniformBuffer => {
            let mut all = program.uniform_buffers.iter().filter(|buffer| is_own(buffer.owner));
            all.find(|buffer| buffer.name == resource.name)?.at
        }
        ResourceKind::Texture => opaque(|kind| matches!(kind, OpaqueKind::Texture { .. }))?,
        ResourceKind::Sampler => opaque(|kind| matches!(kind, OpaqueKind::Sampler { .. }))?,
        ResourceKind::Image => opaque(|kind| matches!(kind, OpaqueKind::Image { .. }))?,
    };
    Some(ResourceBinding { group: at.group, binding: at.binding })
}
