//! Values that are passed from one stage before the rasteriser to the next: every scalar and vector has its own words.

use case::{Case, LinkSection};
use cpu::wired::{Number, Part, Received, Wire, lacking};
use ir::interface::{Place, Variable};
use ir::linkage_table::LinkageTable;
use ir::stage_module::{Direction, StageModule};
use ir::tessellation::{INNER_LEVELS, OUTER_LEVELS};
use link::table::front::LEVEL_WORDS;
use naga::{ArraySize, Binding, BuiltIn, GlobalVariable, Handle, Scalar, TypeInner};
use plan::ExecuteError;

use super::interface::{Interface, is_member, ones};
use super::wires::{self, crossing, location, part};
use crate::numbers::{count, index};

/// The values that are passed for each vertex, or for each patch.
#[derive(Default)]
pub(super) struct Crossing {
    /// Outputs of the producer. Locations are words. Parts of a control stage's outputs lack the index of the vertex.
    pub(super) outputs: Vec<Wire>,
    /// Inputs of the consumer for the words of each vertex, with the index of the vertex.
    inputs: Vec<(usize, Wire)>,
    /// Words of inputs without an output, and their bits.
    preset: Vec<(Part, u32)>,
    /// Number of words of a vertex or patch.
    pub(super) words: usize,
    /// Number of vertices that the consumer has room for.
    vertices: usize,
}

/// An input of the consumer: its places, one for each vertex or a single one, and their first word.
struct To {
    places: Vec<Place>,
    word: usize,
    /// Number of components of the input.
    taken: usize,
}

impl Crossing {
    /// The values passed for each vertex. The linkage table applies only to the fragment stage, so it is ignored.
    pub(super) fn of_vertices(
        case: &Case,
        producer: &StageModule,
        consumer: &StageModule,
    ) -> Result<Self, ExecuteError> {
        let mut all = Self::default();
        let section = LinkSection { linkage: LinkageTable::default(), ..case.link.clone() };
        let interface = Interface::between(&section, producer, consumer, false);
        for input in consumer.inputs.iter().filter(|input| input.is_used && is_member(input)) {
            let places = all.places(consumer, input)?;
            all.built_in(producer, input, &places);
        }
        for (output, input) in interface.pairs.iter().filter(|(_, input)| !is_member(input)) {
            let places = all.places(consumer, input)?;
            all.pair(output, input, &places)?;
        }
        for input in interface.empty.iter().filter(|input| !is_member(input)) {
            let places = all.places(consumer, input)?;
            all.empty(input, &places, interface.is_last_one);
        }
        Ok(all)
    }

    /// The values passed for each patch; the levels come first. Without a control stage there is nothing else.
    pub(super) fn of_patches(
        case: &Case,
        control: Option<&StageModule>,
        evaluation: &StageModule,
    ) -> Result<Self, ExecuteError> {
        let mut all = Self { words: index(LEVEL_WORDS), ..Self::default() };
        if let Some(control) = control {
            all.outputs = levels(&control.outputs);
        }
        all.inputs = levels(&evaluation.inputs).into_iter().map(|wire| (0, wire)).collect();
        let Some(control) = control else { return Ok(all) };
        let section = LinkSection { linkage: LinkageTable::default(), ..case.link.clone() };
        let interface = Interface::between(&section, control, evaluation, true);
        for (output, input) in &interface.pairs {
            all.pair(output, input, &input.place.iter().cloned().collect::<Vec<_>>())?;
        }
        for input in &interface.empty {
            let places: Vec<_> = input.place.iter().cloned().collect();
            all.empty(input, &places, interface.is_last_one);
        }
        Ok(all)
    }

    /// The places of an input, vertex by vertex.
    fn places(
        &mut self,
        consumer: &StageModule,
        input: &Variable,
    ) -> Result<Vec<Place>, ExecuteError> {
        let Some(place) = &input.place else { return Ok(Vec::new()) };
        let global = place.global;
        let ty = consumer.module.global_variables[global].ty;
        let TypeInner::Array { size: ArraySize::Constant(length), .. } =
            consumer.module.types[ty].inner
        else {
            return Err(lacking(format!("`{}` of such vertices without a linker", input.name)));
        };
        self.vertices = self.vertices.max(index(length.get()));
        let path = |vertex| [&[vertex], place.path.as_slice()].concat();
        Ok((0..length.get()).map(|vertex| Place { global, path: path(vertex) }).collect())
    }

    /// Adds a scalar or vector of `given` components.
    fn add(&mut self, scalar: Scalar, from: Part, given: usize, to: &To) {
        let binding = || location(count(self.words), None);
        for (vertex, place) in to.places.iter().enumerate() {
            let (binding, components, part) = (binding(), to.taken, part(place, to.word));
            self.inputs.push((vertex, Wire { binding, scalar, components, part }));
        }
        self.outputs.push(Wire { binding: binding(), scalar, components: given, part: from });
        self.words += given;
    }

    /// Adds an output and the input that reads it, leaf by leaf.
    fn pair(
        &mut self,
        output: &Variable,
        input: &Variable,
        places: &[Place],
    ) -> Result<(), ExecuteError> {
        let Some(from) = &output.place else { return Ok(()) };
        let (sent, read) = wires::leaves_of(output, input)?;
        let mut words = [0, 0];
        for (sent, read) in sent.iter().zip(&read) {
            let ((scalar, given), (_, taken)) = (crossing(sent)?, crossing(read)?);
            let to = To { places: places.to_vec(), word: words[1], taken };
            self.add(scalar, part(from, words[0]), given, &to);
            words = [words[0] + given, words[1] + taken];
        }
        Ok(())
    }

    /// Adds an input without a value; the last of four components may be one instead of zero.
    fn empty(&mut self, input: &Variable, places: &[Place], is_last_one: bool) {
        for place in places.iter().filter(|_| is_last_one) {
            let one = |word| (part(place, word), 1.0_f32.to_bits());
            self.preset.extend(ones(input).into_iter().map(one));
        }
    }

    /// Adds a member of `gl_in`, if the producer writes it.
    fn built_in(&mut self, producer: &StageModule, input: &Variable, places: &[Place]) {
        let Some((from, length)) = source(producer, &input.name) else { return };
        let taken = input.ty.component_count() as usize;
        for word in 0..taken.min(length) {
            let to = To { places: places.to_vec(), word, taken: 1 };
            self.add(Scalar::F32, part(&from, word), 1, &to);
        }
    }
}

/// The levels, each in separate words at the start of a patch.
fn levels(variables: &[Variable]) -> Vec<Wire> {
    let mut all = Vec::new();
    for (name, first, components) in [(OUTER_LEVELS, 0, 4), (INNER_LEVELS, 4, 2)] {
        let known = variables.iter().find(|variable| variable.name == name && variable.is_used);
        let Some(place) = known.and_then(|variable| variable.place.as_ref()) else { continue };
        let (binding, scalar) = (location(first, None), Scalar::F32);
        all.push(Wire { binding, scalar, components, part: part(place, 0) });
    }
    all
}

/// The place of a built-in output, and its number of words.
fn source(producer: &StageModule, name: &str) -> Option<(Place, usize)> {
    if producer.control().is_some() {
        let own = producer.outputs.iter().find(|output| output.name == name && output.is_used)?;
        return Some((own.place.clone()?, own.ty.component_count() as usize));
    }
    let plain = |builtin, words| {
        let own = wires::builtin(producer, builtin, Direction::Output)?;
        Some((Place::whole(own.global), words))
    };
    let distances = |kind| {
        let (global, length) = wires::distances(producer, kind, Direction::Output)?;
        Some((Place::whole(global), length))
    };
    match name {
        "gl_Position" => plain(BuiltIn::Position { invariant: false }, 4),
        "gl_PointSize" => plain(BuiltIn::PointSize, 1),
        "gl_ClipDistance" => distances(BuiltIn::ClipDistances),
        "gl_CullDistance" => distances(BuiltIn::CullDistance),
        _ => None,
    }
}

/// The inputs of a stage, each at its location.
#[derive(Default)]
pub(super) struct Inputs {
    pub(super) wires: Vec<Wire>,
    /// Words without an output, and their bits.
    pub(super) preset: Vec<(Part, u32)>,
    pub(super) received: Received,
}

impl Inputs {
    /// The inputs of a stage from each vertex, and from the patch.
    pub(super) fn new(vertices: Crossing, patch: Crossing) -> Self {
        let received =
            Received { stride: vertices.words, vertices: vertices.vertices, patch: patch.words };
        let mut wires = Vec::new();
        let first = received.vertices * received.stride;
        let vertex = |(vertex, wire)| (vertex * received.stride, wire);
        let patch_inputs = patch.inputs.into_iter().map(|(_, wire)| (first, wire));
        for (first, wire) in vertices.inputs.into_iter().map(vertex).chain(patch_inputs) {
            let Wire { binding: Binding::Location { location: word, .. }, .. } = wire else {
                continue;
            };
            let binding = location(count(first).saturating_add(word), None);
            wires.push(Wire { binding, ..wire });
        }
        let preset = [vertices.preset, patch.preset].concat();
        Self { wires, preset, received }
    }

    /// Adds a number as an input, if the stage has a global for it.
    pub(super) fn number(mut self, global: Option<Handle<GlobalVariable>>, number: Number) -> Self {
        let Some(global) = global else { return self };
        let is_coordinate = number == Number::Coordinate;
        let (scalar, components) = if is_coordinate { (Scalar::F32, 3) } else { (Scalar::I32, 1) };
        let binding = location(self.received.location(number), None);
        let part = part(&Place::whole(global), 0);
        self.wires.push(Wire { binding, scalar, components, part });
        self
    }
}
