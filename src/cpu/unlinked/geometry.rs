//! The geometry stage, and the vertex stage before it: every input of every vertex has words of its own.

use case::{Case, LinkSection};
use ir::interface::{Interpolation, Place, ScalarKind, Type, Variable};
use ir::linkage_table::LinkageTable;
use ir::stage_module::{Direction, StageModule};
use link::binding::{BindingPoint, GeometryCompute, VertexComputeStage};
use link::front::Front;
use link::program::LinkedProgram;
use naga::{Binding, BuiltIn, GlobalVariable, Handle, Module, Scalar};
use plan::ExecuteError;

use super::interface::{Interface, is_member, ones};
use super::uniforms::{compiled, uniforms};
use super::vertex;
use super::wires::{self, crossing, location, part};
use crate::compile::{EmissionWiring, Part, Wire, Wiring};
use crate::errors::lacking;
use crate::geometry::OwnGeometry;
use crate::numbers::count;
use crate::vertex::RecordLayout;

/// Name of the number of the primitive, which the geometry stage gives.
const PRIMITIVE_ID: &str = "gl_PrimitiveID";

/// The fragment stage behind a geometry stage: the number of the primitive is an input like any other.
pub(super) fn fragment_stage(fragment: &StageModule) -> StageModule {
    let mut fragment = fragment.clone();
    let own = fragment.builtins.iter().position(|own| own.builtin == BuiltIn::PrimitiveIndex);
    if let Some(own) = own {
        let global = fragment.builtins.remove(own).global;
        fragment.inputs.push(Variable {
            interpolation: Interpolation::Flat,
            place: Some(Place::whole(global)),
            ..Variable::new(PRIMITIVE_ID, Type::Scalar(ScalarKind::I32))
        });
    }
    fragment
}

/// What crosses from the vertex stage to the geometry stage.
#[derive(Default)]
struct Crossing {
    /// What the vertex stage gives. Locations are the words of a record.
    outputs: Vec<Wire>,
    /// The same words of each vertex, as the geometry stage takes them, with their first word.
    inputs: Vec<(u32, Wire)>,
    /// Words of inputs that nothing gives, and their bits.
    preset: Vec<(Part, u32)>,
    words: usize,
}

impl Crossing {
    /// A scalar or vector, of which the input takes `taken` components.
    fn add(&mut self, scalar: Scalar, from: (Part, usize), to: (Place, usize, usize), size: u32) {
        let ((from, given), (place, word, taken)) = (from, to);
        let binding = location(count(self.words), None);
        self.outputs.push(Wire { binding, scalar, components: given, part: from });
        for vertex in 0..size {
            let path = [&[vertex], place.path.as_slice()].concat();
            let part = Part { global: place.global, path, word };
            let binding = location(count(self.words), None);
            self.inputs.push((vertex, Wire { binding, scalar, components: taken, part }));
        }
        self.words += given;
    }

    /// An output and the input that reads it, leaf by leaf.
    fn pair(&mut self, output: &Variable, input: &Variable, size: u32) -> Result<(), ExecuteError> {
        let (Some(from), Some(to)) = (&output.place, &input.place) else { return Ok(()) };
        let (sent, read) = (output.ty.leaves(), input.ty.leaves());
        let is_fit = sent.len() == read.len()
            && sent.iter().zip(&read).all(|(a, b)| a.size >= b.size && a.scalar == b.scalar);
        if !is_fit {
            return Err(lacking(format!("varying like `{}` without a linker", input.name)));
        }
        let mut words = [0, 0];
        for (sent, read) in sent.iter().zip(&read) {
            let ((scalar, given), (_, taken)) = (crossing(sent)?, crossing(read)?);
            let (from, to) = (part(from, words[0]), (to.clone(), words[1], taken));
            self.add(scalar, (from, given), to, size);
            words = [words[0] + given, words[1] + taken];
        }
        Ok(())
    }

    /// An input without a value, of which the last of four components is one.
    fn one(&mut self, input: &Variable, size: u32) {
        let Some(place) = &input.place else { return };
        for vertex in 0..size {
            let path = [&[vertex], place.path.as_slice()].concat();
            let place = Place { global: place.global, path };
            let one = |word| (part(&place, word), 1.0_f32.to_bits());
            self.preset.extend(ones(input).into_iter().map(one));
        }
    }

    /// A member of `gl_in` that the vertex stage has a global for.
    fn built_in(&mut self, vertex: &StageModule, input: &Variable, size: u32) {
        let (Some(to), Some((global, length))) = (&input.place, source(vertex, &input.name)) else {
            return;
        };
        let from = Place::whole(global);
        let taken = input.ty.component_count() as usize;
        for word in 0..taken.min(length) {
            self.add(Scalar::F32, (part(&from, word), 1), (to.clone(), word, 1), size);
        }
    }
}

/// The global behind a built-in output, and its words.
fn source(vertex: &StageModule, name: &str) -> Option<(Handle<GlobalVariable>, usize)> {
    let plain = |builtin, words| {
        let own = wires::builtin(vertex, builtin, Direction::Output)?;
        Some((own.global, words))
    };
    let distances = |kind| wires::distances(vertex, kind, Direction::Output);
    match name {
        "gl_Position" => plain(BuiltIn::Position { invariant: false }, 4),
        "gl_PointSize" => plain(BuiltIn::PointSize, 1),
        "gl_ClipDistance" => distances(BuiltIn::ClipDistances),
        "gl_CullDistance" => distances(BuiltIn::CullDistance),
        _ => None,
    }
}

/// Everything that crosses. Tables of linkage are about the fragment stage.
fn crossing_of(
    case: &Case,
    vertex: &StageModule,
    geometry: &StageModule,
    size: u32,
) -> Result<Crossing, ExecuteError> {
    let section = LinkSection { linkage: LinkageTable::default(), ..case.link.clone() };
    let interface = Interface::of(&section, vertex, Some(geometry));
    let mut all = Crossing::default();
    for (output, input) in &interface.pairs {
        all.pair(output, input, size)?;
    }
    for input in interface.empty {
        if is_member(input) {
            all.built_in(vertex, input, size);
        } else if interface.is_last_one {
            all.one(input, size);
        }
    }
    Ok(all)
}

/// The vertex stage and the geometry stage. `leaving` is what leaves the latter to the rasteriser, and `captured` what
/// transform feedback takes, of so many vertex streams.
pub(super) fn stages(
    (case, linked): (&Case, &LinkedProgram),
    (vertex, geometry): (&StageModule, &StageModule),
    leaving: Wiring,
    (captured, streams): (Vec<Wire>, u32),
) -> Result<OwnGeometry, ExecuteError> {
    let own = geometry.geometry.clone();
    let own = own.ok_or_else(|| lacking("geometry stage without its properties"))?;
    let crossing = crossing_of(case, vertex, geometry, own.input.vertices())?;
    let wiring = Wiring {
        inputs: vertex::inputs(vertex, linked)?,
        outputs: crossing.outputs,
        uniforms: uniforms(vertex, linked)?,
        ..Wiring::default()
    };
    let stage = compiled(vertex, linked, &wiring)?;
    let layout = RecordLayout::of_all(&stage)?;
    let mut inputs = Vec::new();
    for (vertex, wire) in crossing.inputs {
        let Binding::Location { location: word, .. } = wire.binding else { continue };
        let binding = location(vertex.saturating_mul(count(crossing.words)) + word, None);
        inputs.push(Wire { binding, ..wire });
    }
    let numbers = [
        (own.primitive_id, BuiltIn::PrimitiveIndex),
        (own.invocation_id, BuiltIn::LocalInvocationIndex),
    ];
    for (global, builtin) in numbers {
        let Some(global) = global else { continue };
        let (binding, part) = (Binding::BuiltIn(builtin), part(&Place::whole(global), 0));
        inputs.push(Wire { binding, scalar: Scalar::I32, components: 1, part });
    }
    let (emit, end, max_vertices) = (own.emit, own.end, own.max_vertices);
    let emission = Some(EmissionWiring { emit, end, max_vertices, captured });
    let wiring = Wiring { inputs, preset: crossing.preset, emission, ..leaving };
    let stage_of = compiled(geometry, linked, &wiring)?;
    let drawn = RecordLayout::of_all(&stage_of)?.stride;
    Ok(OwnGeometry { vertex: (stage, layout), stage: stage_of, own, drawn, streams })
}

/// The stages for the plan, as far as it looks at them.
pub(super) fn described(stages: &OwnGeometry) -> Front {
    let at = BindingPoint { group: 0, binding: 0 };
    let stride = count(stages.vertex.1.stride);
    let vertex = VertexComputeStage { module: Module::default(), at, stride };
    let geometry = GeometryCompute {
        module: Module::default(),
        at,
        stride: count(stages.drawn),
        input: stages.own.input,
        output: stages.own.output,
        max_vertices: stages.own.max_vertices,
        invocations: stages.own.invocations,
        streams: stages.streams,
    };
    Front { vertex, tessellation: None, geometry: Some(geometry) }
}
