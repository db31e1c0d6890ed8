//! Looks up filtered and gathered texels, by Vulkan's sections "Texel Filtering" and "Texel Gathering".
//!
//! Weights and sums are in double precision, and are rounded once at the end.

use case::depth_stencil::CompareFunction;
use case::texture::Filter;
use ir::format::FormatClass;
use link::table::binding::TextureDimension;
use plan::{PlannedView, SamplerState};

use super::address::{Footprint, wrapped};
use super::cube::{self, OnFace};
use super::detail::{Levels, level_of_steps};
use super::texels::{Image, single};
use super::{Level, Lookup};

/// Offsets of the four texels along the first two axes, 0 for the lower and 1 for the upper, in the order of gathered
/// components.
const GATHERED: [[i64; 2]; 4] = [[0, 1], [1, 1], [1, 0], [0, 0]];

/// A view with its image.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen<'a> {
    pub(super) image: &'a Image,
    pub(super) view: PlannedView,
}

/// A lookup with all inputs that it depends on.
#[derive(Debug)]
struct Looking<'a> {
    seen: Seen<'a>,
    sampler: &'a SamplerState,
    /// Normalised coordinates on the layer or face.
    coordinate: [f64; 3],
    offset: [i32; 3],
    /// Layer, or face of a cube.
    layer: i64,
    /// Comparison with a reference value.
    comparison: Option<(CompareFunction, f32)>,
}

/// The words of a texel.
#[derive(Clone, Copy, Debug)]
struct Texels {
    /// The words of up to three texels: only the first counts, unless the texel is a corner.
    words: [[u32; 4]; 3],
    /// True beyond a cube's corner, where three texels meet.
    is_corner: bool,
}

impl Texels {
    const fn one(words: [u32; 4]) -> Self {
        Self { words: [words, [0; 4], [0; 4]], is_corner: false }
    }
}

impl Seen<'_> {
    /// Number of layers; 1 for a texture without layers.
    pub(super) fn layers(&self) -> u32 {
        match self.view.dimension {
            TextureDimension::D1
            | TextureDimension::D2
            | TextureDimension::D2Multisampled
            | TextureDimension::D3 => 1,
            TextureDimension::D2Array | TextureDimension::Cube | TextureDimension::CubeArray => {
                self.image.size[2]
            }
        }
    }

    /// Width, height, and depth of a level of the view.
    pub(super) fn size(&self, level: u32) -> [u32; 3] {
        let size = self.image.level_size(self.view.base_level.saturating_add(level));
        match self.view.dimension {
            TextureDimension::D3 => size,
            TextureDimension::D1
            | TextureDimension::D2
            | TextureDimension::D2Multisampled
            | TextureDimension::D2Array
            | TextureDimension::Cube
            | TextureDimension::CubeArray => [size[0], size[1], 1],
        }
    }

    const fn is_cube(&self) -> bool {
        matches!(self.view.dimension, TextureDimension::Cube | TextureDimension::CubeArray)
    }
}

/// Performs a lookup.
pub(super) fn look_up(seen: Seen<'_>, sampler: &SamplerState, lookup: &Lookup) -> [u32; 4] {
    let direction = lookup.coordinate.map(f64::from);
    let face = seen.is_cube().then(|| OnFace::new(direction));
    let mut coordinate = face.map_or(direction, |face| [face.at[0], face.at[1], 0.0]);
    if seen.view.dimension == TextureDimension::D1 {
        // The middle of the only row.
        coordinate[1] = 0.5;
    }
    let faces = if face.is_some() { 6 } else { 1 };
    let last = i64::from(seen.layers() / faces).saturating_sub(1).max(0);
    let layer = i64::from(lookup.layer).clamp(0, last) * i64::from(faces);
    let looking = Looking {
        seen,
        sampler,
        coordinate,
        offset: if face.is_some() { [0; 3] } else { lookup.offset },
        layer: layer + face.map_or(0, |face| i64::try_from(face.face).unwrap_or(0)),
        comparison: lookup.reference.map(|reference| looking_at(seen, sampler, reference)),
    };
    if let Some(component) = lookup.gather {
        return looking.gather(component);
    }
    let detail = match lookup.level {
        Level::Exact(level) => f64::from(level),
        Level::Gradients { x, y, bias } => {
            let steps = |change: [f32; 3]| {
                let change = change.map(f64::from);
                let change = face.map_or(change, |face| {
                    let [s, t] = face.derivatives(change);
                    [s, t, 0.0]
                });
                let size = seen.size(0).map(f64::from);
                [change[0] * size[0], change[1] * size[1], change[2] * size[2]]
            };
            level_of_steps(steps(x), steps(y)) + f64::from(bias)
        }
    };
    looking.filter(Levels::new(detail, sampler, seen.view.level_count))
}

/// The comparison function of a sampler, and the reference value, clamped because the texels are fixed-point numbers.
fn looking_at(seen: Seen<'_>, sampler: &SamplerState, reference: f32) -> (CompareFunction, f32) {
    let function = sampler.compare.unwrap_or(CompareFunction::LessOrEqual);
    match seen.image.format {
        plan::TexelFormat::Depth => (function, reference.clamp(0.0, 1.0)),
        plan::TexelFormat::Color(_) => (function, reference),
    }
}

impl Looking<'_> {
    /// The filtered texel of one level, or a mix of two.
    fn filter(&self, levels: Levels) -> [u32; 4] {
        let class = self.seen.image.class();
        if class != FormatClass::Float {
            let places = self.footprints(levels.first, Filter::Nearest);
            let at = places.map(|place| place.first);
            return self.texels(levels.first, at).words[0];
        }
        let mut sum = self.of_level(levels.first, levels.filter);
        if levels.next_weight > 0.0 {
            let next = self.of_level(levels.first.saturating_add(1), levels.filter);
            for (sum, next) in sum.iter_mut().zip(next) {
                *sum = *sum * (1.0 - levels.next_weight) + next * levels.next_weight;
            }
        }
        sum.map(|value| single(value).to_bits())
    }

    fn of_level(&self, level: u32, filter: Filter) -> [f64; 4] {
        let places = self.footprints(level, filter);
        let mut sum: Option<[f64; 4]> = None;
        for corner in 0..8_u8 {
            let is_next = [0, 1, 2].map(|axis| corner >> axis & 1 == 1);
            let mut weight = 1.0;
            let mut at = [0; 3];
            for (axis, place) in places.iter().enumerate() {
                let next = is_next[axis];
                weight *= if next { place.next_weight } else { 1.0 - place.next_weight };
                at[axis] = place.first + i64::from(next);
            }
            // A texel with weight 0 is ignored, even if it is infinite.
            if weight > 0.0 {
                let texel = self.real(level, at).map(|value| value * weight);
                sum = Some(sum.map_or(texel, |sum| plus(sum, texel)));
            }
        }
        sum.unwrap_or_default()
    }

    fn footprints(&self, level: u32, filter: Filter) -> [Footprint; 3] {
        let size = self.seen.size(level);
        let mut places = [Footprint { first: 0, next_weight: 0.0 }; 3];
        let axes = if self.seen.view.dimension == TextureDimension::D3 { 3 } else { 2 };
        for (axis, place) in places.iter_mut().enumerate().take(axes) {
            *place = Footprint::new(self.coordinate[axis], size[axis], self.offset[axis], filter);
        }
        places
    }

    /// A texel as numbers, or the result of its comparison.
    fn real(&self, level: u32, at: [i64; 3]) -> [f64; 4] {
        let real = |words: [u32; 4]| {
            let numbers = words.map(|word| f64::from(f32::from_bits(word)));
            self.comparison.map_or(numbers, |(function, reference)| {
                let is_so = holds(function, reference, f32::from_bits(words[0]));
                [f64::from(u8::from(is_so)), 0.0, 0.0, 1.0]
            })
        };
        let Texels { words: [first, second, third], is_corner } = self.texels(level, at);
        if is_corner {
            return plus(plus(real(first), real(second)), real(third)).map(|sum| sum / 3.0);
        }
        real(first)
    }

    fn texels(&self, level: u32, [column, row, slice]: [i64; 3]) -> Texels {
        let (size, image) = (self.seen.size(level), self.seen.image);
        let level = self.seen.view.base_level.saturating_add(level);
        let read = |at| image.read(level, at).unwrap_or_else(|| image.outside());
        if self.seen.is_cube() {
            let (cube, face) = (self.layer / 6 * 6, usize::try_from(self.layer % 6).unwrap_or(0));
            let found = cube::texels(face, [column, row], i64::from(size[0]));
            let layer = |face: usize| cube + i64::try_from(face).unwrap_or(0);
            let read = |(face, [x, y]): cube::FaceTexel| read([x, y, layer(face)]);
            return match found[..] {
                [first, second, third] => {
                    Texels { words: [read(first), read(second), read(third)], is_corner: true }
                }
                _ => Texels::one(found.first().map_or([0; 4], |texel| read(*texel))),
            };
        }
        let wrap = |axis: usize, at| wrapped(self.sampler.wrap[axis], at, size[axis]);
        let place = match self.seen.view.dimension {
            TextureDimension::D3 => wrap(2, slice),
            TextureDimension::D1
            | TextureDimension::D2
            | TextureDimension::D2Multisampled
            | TextureDimension::D2Array
            | TextureDimension::Cube
            | TextureDimension::CubeArray => Some(self.layer),
        };
        Texels::one(match (wrap(0, column), wrap(1, row), place) {
            (Some(column), Some(row), Some(place)) => read([column, row, place]),
            _ => image.border(self.sampler.border),
        })
    }

    /// One component of the four texels of a linear filter on the first level.
    fn gather(&self, component: usize) -> [u32; 4] {
        let component = component.min(3);
        let [columns, rows, _] = self.footprints(0, Filter::Linear).map(|place| place.first);
        let is_float = self.seen.image.class() == FormatClass::Float;
        GATHERED.map(|[right, down]| {
            let at = [columns + right, rows + down, 0];
            if self.comparison.is_some() {
                return single(self.real(0, at)[0]).to_bits();
            }
            let texels = self.texels(0, at);
            if texels.is_corner && is_float {
                return single(self.real(0, at)[component]).to_bits();
            }
            texels.words[0][component]
        })
    }
}

fn plus(left: [f64; 4], right: [f64; 4]) -> [f64; 4] {
    [left[0] + right[0], left[1] + right[1], left[2] + right[2], left[3] + right[3]]
}

/// True if `reference FUNCTION texel` holds.
fn holds(function: CompareFunction, reference: f32, texel: f32) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let order = reference.partial_cmp(&texel);
    match function {
        CompareFunction::Never => false,
        CompareFunction::Less => order == Some(Less),
        CompareFunction::Equal => order == Some(Equal),
        CompareFunction::LessOrEqual => matches!(order, Some(Less | Equal)),
        CompareFunction::Greater => order == Some(Greater),
        CompareFunction::NotEqual => order != Some(Equal),
        CompareFunction::GreaterOrEqual => matches!(order, Some(Greater | Equal)),
        CompareFunction::Always => true,
    }
}
