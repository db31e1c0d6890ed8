//! Assigns locations to varyings: every scalar and vector has its own.

use cpu::wired::{Coordinate, Part, RecordLayout, Sprites, Varying, Wire, lacking};
use ir::interface::{Interpolation, Place, Sampling, ScalarKind, Variable};
use ir::options::{ColorState, ShadeModel};
use ir::stage_module::{Direction, StageModule};
use naga::{Binding, BuiltIn, Scalar};
use plan::ExecuteError;

use super::interface::{Interface, ones};
use super::sprites::Wanted;
use super::wires::{self, crossing, part};

/// Names of back-face colours, by the input that they replace.
const BACKS: [(&str, &str); 2] =
    [("gl_Color", "gl_BackColor"), ("gl_SecondaryColor", "gl_BackSecondaryColor")];

/// Name of the output with a primitive's layer.
const LAYER: &str = "gl_Layer";

/// How a varying is interpolated.
#[derive(Clone, Copy)]
struct Class {
    /// The interpolation between vertices.
    interpolation: naga::Interpolation,
    /// The position in a pixel where the varying is interpolated.
    sampling: naga::Sampling,
}

impl Class {
    const SMOOTH: Self =
        Self { interpolation: naga::Interpolation::Perspective, sampling: naga::Sampling::Center };
    const FLAT: Self =
        Self { interpolation: naga::Interpolation::Flat, sampling: naga::Sampling::Either };
}

/// The varyings between two stages.
#[derive(Default)]
pub(super) struct Varyings {
    /// Outputs of the producer.
    pub(super) outputs: Vec<Wire>,
    /// Inputs of the fragment stage.
    pub(super) inputs: Vec<Wire>,
    /// Words of inputs without an output.
    pub(super) preset: Vec<(Part, u32)>,
    /// Locations of point coordinates, with the component of the first word.
    coordinates: Vec<(u32, usize, bool)>,
    /// Locations that the producer does not write, and their numbers of components.
    added: Vec<(u32, usize)>,
    /// Locations of front colours, and of the corresponding back colours.
    backs: Vec<(u32, u32)>,
    /// Locations of flat varyings that may have the value of any vertex.
    eithers: Vec<u32>,
    /// Location of the primitives' layer.
    layer: Option<u32>,
    count: u32,
}

/// The varyings between two stages.
pub(super) fn of(
    interface: &Interface<'_>,
    colors: ColorState,
    vertex: &StageModule,
    fragment: Option<&StageModule>,
    sprites: Option<&Wanted>,
) -> Result<Varyings, ExecuteError> {
    let mut all = Varyings::default();
    for (output, input) in &interface.pairs {
        let first = all.count;
        let class = |scalar| class(input, scalar, colors);
        all.pair(output, input, class)?;
        all.eithers.extend((first..all.count).filter(|_| input.is_either));
        let start = sprites.and_then(|sprites| sprites.start_of(input));
        if let (Some(start), Some(sprites)) = (start, sprites) {
            all.coordinates.push((first, start, sprites.is_lower_left));
        }
        let back = BACKS.iter().find(|(name, _)| *name == input.name);
        let back = back.filter(|_| colors.is_two_sided).and_then(|(_, name)| {
            vertex.outputs.iter().find(|output| output.is_used && output.name == *name)
        });
        if let Some(back) = back {
            let other = all.count;
            all.output(back, |scalar| self::class(input, scalar, colors))?;
            all.backs.push((first, other));
        }
    }
    for input in &interface.empty {
        all.empty(input, interface.is_last_one, colors, sprites)?;
    }
    if let Some(fragment) = fragment {
        all.distances(vertex, fragment);
        all.point_coordinate(fragment, sprites.is_some());
    }
    all.layer(vertex)?;
    Ok(all)
}

impl Varyings {
    /// Adds an output and the input that reads it, leaf by leaf.
    fn pair(
        &mut self,
        output: &Variable,
        input: &Variable,
        class: impl Fn(ScalarKind) -> Class,
    ) -> Result<(), ExecuteError> {
        let (Some(from), Some(to)) = (&output.place, &input.place) else { return Ok(()) };
        let (sent, read) = wires::leaves_of(output, input)?;
        let mut words = [0, 0];
        for (sent, read) in sent.iter().zip(&read) {
            let class = class(read.scalar);
            let ((scalar, given), (_, taken)) = (crossing(sent)?, crossing(read)?);
            self.output_wire(scalar, given, part(from, words[0]), class);
            self.input_wire(scalar, taken, part(to, words[1]), class);
            words = [words[0] + given, words[1] + taken];
            self.count += 1;
        }
        Ok(())
    }

    /// Adds an output without an input.
    fn output(
        &mut self,
        output: &Variable,
        class: impl Fn(ScalarKind) -> Class,
    ) -> Result<(), ExecuteError> {
        let Some(from) = &output.place else { return Ok(()) };
        let mut word = 0;
        for leaf in output.ty.leaves() {
            let (scalar, size) = crossing(&leaf)?;
            self.output_wire(scalar, size, part(from, word), class(leaf.scalar));
            word += size;
            self.count += 1;
        }
        Ok(())
    }

    fn output_wire(&mut self, scalar: Scalar, components: usize, part: Part, class: Class) {
        let binding = binding(self.count, class);
        self.outputs.push(Wire { binding, scalar, components, part });
    }

    fn input_wire(&mut self, scalar: Scalar, components: usize, part: Part, class: Class) {
        let binding = binding(self.count, class);
        self.inputs.push(Wire { binding, scalar, components, part });
    }

    /// Adds an input without an output. Points and back faces may provide its value.
    fn empty(
        &mut self,
        input: &Variable,
        is_last_one: bool,
        colors: ColorState,
        sprites: Option<&Wanted>,
    ) -> Result<(), ExecuteError> {
        let Some(place) = &input.place else { return Ok(()) };
        let start = sprites.and_then(|sprites| sprites.start_of(input));
        if let (Some(start), Some(sprites)) = (start, sprites) {
            let size = input.ty.component_count() as usize;
            let class = class(input, ScalarKind::F32, colors);
            self.input_wire(Scalar::F32, size, part(place, 0), class);
            self.coordinates.push((self.count, start, sprites.is_lower_left));
            self.added.push((self.count, size));
            self.count += 1;
            return Ok(());
        }
        if BACKS.iter().any(|(name, _)| *name == input.name) && colors.is_two_sided {
            return Err(lacking(format!("value for `{}` without a linker", input.name)));
        }
        if is_last_one {
            let one = |word| (part(place, word), 1.0_f32.to_bits());
            self.preset.extend(ones(input).into_iter().map(one));
        }
        Ok(())
    }

    /// Adds the clip and cull distances that the fragment stage reads and the producer writes.
    fn distances(&mut self, vertex: &StageModule, fragment: &StageModule) {
        for kind in [BuiltIn::ClipDistances, BuiltIn::CullDistance] {
            let read = wires::distances(fragment, kind, Direction::Input);
            let written = wires::distances(vertex, kind, Direction::Output);
            let (Some((to, read)), Some((from, written))) = (read, written) else { continue };
            for word in 0..read.min(written) {
                let part = |global| part(&Place::whole(global), word);
                self.output_wire(Scalar::F32, 1, part(from), Class::SMOOTH);
                self.input_wire(Scalar::F32, 1, part(to), Class::SMOOTH);
                self.count += 1;
            }
        }
    }

    /// Adds `gl_Layer`, which no stage reads: it selects the layer that is drawn to.
    fn layer(&mut self, vertex: &StageModule) -> Result<(), ExecuteError> {
        let own = vertex.outputs.iter().find(|output| output.name == LAYER && output.is_used);
        let Some(own) = own else { return Ok(()) };
        self.layer = Some(self.count);
        self.output(own, |_| Class::FLAT)
    }

    /// First word of the layer in these records.
    pub(super) fn layer_word(&self, records: &RecordLayout) -> Option<usize> {
        records.varyings.get(&self.layer?).map(|varying| varying.word)
    }

    /// Adds `gl_PointCoord`, which is zero unless points have point coordinates.
    fn point_coordinate(&mut self, fragment: &StageModule, has_sprites: bool) {
        let read = wires::builtin(fragment, BuiltIn::PointCoord, Direction::Input);
        let Some(read) = read.filter(|_| has_sprites) else { return };
        self.input_wire(Scalar::F32, 2, part(&Place::whole(read.global), 0), Class::SMOOTH);
        self.coordinates.push((self.count, 0, false));
        self.added.push((self.count, 2));
        self.count += 1;
    }

    /// Adds the values that the producer does not write to its records, and determines how its points are drawn.
    pub(super) fn finish(
        &self,
        records: &mut RecordLayout,
        sprites: Option<Wanted>,
    ) -> Option<Sprites> {
        for (location, components) in &self.added {
            let word = records.add_words(*components);
            let (components, kind) = (*components, naga::ScalarKind::Float);
            records.varyings.insert(*location, Varying { word, components, kind });
        }
        records.backs = self.backs.iter().copied().collect();
        records.eithers = self.eithers.iter().copied().collect();
        let are_sized = sprites?.are_sized;
        let mut coordinates = Vec::new();
        for (location, start, is_upward) in &self.coordinates {
            let Some(varying) = records.varyings.get(location) else { continue };
            let components = *start..(*start + varying.components).min(4);
            let words = (varying.word..).zip(components);
            coordinates.extend(words.map(|(word, component)| Coordinate {
                word,
                component,
                is_upward: *is_upward,
            }));
        }
        Some(Sprites { are_sized, coordinates })
    }
}

const fn binding(location: u32, Class { interpolation, sampling }: Class) -> Binding {
    Binding::Location {
        location,
        interpolation: Some(interpolation),
        sampling: Some(sampling),
        blend_src: None,
        per_primitive: false,
    }
}

/// The interpolation of an input: only the input's own qualifiers count (GLSL 4.60, 4.5).
fn class(input: &Variable, scalar: ScalarKind, colors: ColorState) -> Class {
    let is_color = BACKS.iter().any(|(name, _)| *name == input.name);
    let is_flat = match input.interpolation {
        Interpolation::Flat => true,
        Interpolation::Unqualified => is_color && colors.shade_model == ShadeModel::Flat,
        Interpolation::Smooth | Interpolation::NoPerspective => false,
    };
    if is_flat || scalar.is_always_flat() {
        return Class::FLAT;
    }
    let sampling = match input.sampling {
        Sampling::Center => naga::Sampling::Center,
        Sampling::Centroid => naga::Sampling::Centroid,
        Sampling::Sample => naga::Sampling::Sample,
    };
    let interpolation = match input.interpolation {
        Interpolation::NoPerspective => naga::Interpolation::Linear,
        Interpolation::Unqualified | Interpolation::Smooth | Interpolation::Flat => {
            naga::Interpolation::Perspective
        }
    };
    Class { interpolation, sampling }
}
