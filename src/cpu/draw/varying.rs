//! The inputs of fragment stages: interpolated varyings, and built-in variables.

use naga::{Binding, BuiltIn, Interpolation, Sampling, ScalarKind};
use plan::ExecuteError;

use crate::code::{Port, Register};
use crate::errors::lacking;
use crate::lanes::Lanes;
use crate::noise::allowance::DEPTH_ERROR;
use crate::noise::{Noise, mixed};
use crate::numbers::{count, narrow, real, unsigned_bits};
use crate::raster::Part;
use crate::raster::samples::{CENTRE, SUBPIXELS};
use crate::raster::triangle::{Quad, Shares, point};
use crate::stage::{Stage, registers, unknown};
use crate::vertex::RecordLayout;

/// Error of interpolation, relative to the largest value at a vertex. No specification gives a number; drivers of the
/// lab and the executor differ by at most 7.4e-7.
const INTERPOLATION_ERROR: f64 = 1.0 / 524_288.0;

/// An input of a fragment stage.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    source: Source,
    /// The source in back faces, if it differs.
    back: Option<Source>,
    registers: std::ops::Range<Register>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// First word in the records of vertices.
    Flat(usize),
    /// Like [`Self::Flat`], from any vertex.
    Either(usize),
    Interpolated {
        word: usize,
        is_linear: bool,
        at: Spot,
    },
    Position,
    IsFront,
    SampleIndex,
    SampleMask,
    PrimitiveIndex,
}

/// The position in a pixel where a varying is interpolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spot {
    Centre,
    Centroid,
    Sample,
}

/// The inputs of `stage`, from vertices with this layout of records.
pub(crate) fn inputs(stage: &Stage, records: &RecordLayout) -> Result<Vec<Input>, ExecuteError> {
    let input = |port: &Port| {
        let mut back = None;
        let source = match port.binding {
            Binding::BuiltIn(BuiltIn::Position { .. }) => Source::Position,
            Binding::BuiltIn(BuiltIn::FrontFacing) => Source::IsFront,
            Binding::BuiltIn(BuiltIn::SampleIndex) => Source::SampleIndex,
            Binding::BuiltIn(BuiltIn::SampleMask) => Source::SampleMask,
            Binding::BuiltIn(BuiltIn::PrimitiveIndex) => Source::PrimitiveIndex,
            Binding::BuiltIn(builtin) => return Err(unknown(builtin, "fragment")),
            Binding::Location { location, interpolation, sampling, .. } => {
                let of = |location| varying(port, records, location, interpolation, sampling);
                back = records.backs.get(&location).map(|other| of(*other)).transpose()?;
                let source = of(location)?;
                let is_either = records.eithers.contains(&location);
                if let (Source::Flat(word), true) = (source, is_either) {
                    Source::Either(word)
                } else {
                    source
                }
            }
        };
        Ok(Input { source, back, registers: registers(port)? })
    };
    stage.code.inputs.iter().map(input).collect()
}

fn varying(
    port: &Port,
    records: &RecordLayout,
    location: u32,
    interpolation: Option<Interpolation>,
    sampling: Option<Sampling>,
) -> Result<Source, ExecuteError> {
    let varying = records.varyings.get(&location);
    let varying = varying.filter(|varying| {
        varying.components >= port.components && varying.kind == port.scalar.kind
    });
    let varying =
        varying.ok_or_else(|| lacking(format!("output for the varying at {location}")))?;
    let word = varying.word;
    let at = match sampling {
        None | Some(Sampling::Center | Sampling::First | Sampling::Either) => Spot::Centre,
        Some(Sampling::Centroid) => Spot::Centroid,
        Some(Sampling::Sample) => Spot::Sample,
    };
    match interpolation {
        _ if port.scalar.kind != ScalarKind::Float => Ok(Source::Flat(word)),
        Some(Interpolation::Flat) => Ok(Source::Flat(word)),
        Some(Interpolation::Linear) => Ok(Source::Interpolated { word, is_linear: true, at }),
        Some(Interpolation::Perspective) | None => {
            Ok(Source::Interpolated { word, is_linear: false, at })
        }
        Some(Interpolation::PerVertex) => Err(lacking("varyings of single vertices")),
    }
}

/// True if the stage runs for every sample.
pub(crate) fn are_per_sample(inputs: &[Input]) -> bool {
    inputs.iter().any(|input| {
        matches!(input.source, Source::SampleIndex | Source::Interpolated { at: Spot::Sample, .. })
    })
}

/// Fragments of a quad, as inputs of the stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fragments<'a> {
    /// The part that covers the fragments.
    pub(crate) part: &'a Part,
    /// The records of the primitive's vertices.
    pub(crate) records: [&'a [u32]; 3],
    /// Number of the primitive.
    pub(crate) number: u32,
    /// The pixels.
    pub(crate) quad: Quad,
    /// The sample that the stage runs for, if it runs for each.
    pub(crate) sample: Option<u32>,
    /// Positions of samples.
    pub(crate) samples: &'static [[i64; 2]],
    /// Errors of interpolated values.
    pub(crate) noise: Option<Noise>,
    /// True if the stage reads the coverage.
    pub(crate) sees_masks: bool,
}

impl Fragments<'_> {
    /// Writes the inputs of four lanes.
    pub(crate) fn write(&self, lanes: &mut Lanes<'_>, first_lane: usize, inputs: &[Input]) {
        let mut known: [Option<[Shares; 4]>; 3] = [None; 3];
        for input in inputs {
            let source = input.back.filter(|_| !self.part.is_front).unwrap_or(input.source);
            match source {
                Source::Interpolated { word, is_linear, at } => {
                    let place = match at {
                        Spot::Centre => 0,
                        Spot::Centroid => 1,
                        Spot::Sample => 2,
                    };
                    let shares = known[place].get_or_insert_with(|| self.shares(at));
                    for (register, word) in input.registers.clone().zip(word..) {
                        let values = self.interpolated(word, is_linear, place, shares);
                        lanes.words_mut(register)[first_lane..][..4].copy_from_slice(&values);
                    }
                }
                Source::Flat(word) => copy(lanes, first_lane, input, self.words(0, word)),
                Source::Either(word) => {
                    let vertex = self.noise.map_or(0, |noise| noise.vertex(self.number));
                    copy(lanes, first_lane, input, self.words(vertex, word));
                }
                Source::Position => {
                    for (pixel, lane) in (0..4).zip(first_lane..) {
                        let position = self.position(pixel).map(f32::to_bits);
                        for (register, word) in input.registers.clone().zip(position) {
                            lanes.words_mut(register)[lane] = word;
                        }
                    }
                }
                Source::SampleMask if self.sees_masks => {
                    let words = lanes.words_mut(input.registers.start);
                    words[first_lane..][..4].copy_from_slice(&self.quad.coverage);
                }
                Source::IsFront
                | Source::SampleIndex
                | Source::SampleMask
                | Source::PrimitiveIndex => {
                    let words = lanes.words_mut(input.registers.start);
                    words[first_lane..][..4].fill(self.word(source));
                }
            }
        }
    }

    /// The words of a vertex, starting at `word`.
    fn words(&self, vertex: usize, word: usize) -> &[u32] {
        self.records[vertex].get(word..).unwrap_or(&[])
    }

    /// The value of a built-in variable that is the same in all pixels.
    fn word(&self, source: Source) -> u32 {
        match source {
            Source::IsFront => u32::from(self.part.is_front),
            Source::SampleIndex => self.sample.unwrap_or(0),
            Source::PrimitiveIndex => self.number,
            // The only sample of a pixel.
            Source::SampleMask => 1,
            Source::Flat(_)
            | Source::Either(_)
            | Source::Interpolated { .. }
            | Source::Position => 0,
        }
    }

    fn pixel(&self, idx: usize) -> [i64; 2] {
        let [right, down] = [idx & 1, idx >> 1].map(|side| i64::from(side != 0));
        [self.quad.x + right, self.quad.y + down]
    }

    fn shares(&self, at: Spot) -> [Shares; 4] {
        std::array::from_fn(|idx| {
            self.part.triangle.shares(point(self.pixel(idx), self.offset(idx, at)))
        })
    }

    /// The offset of a spot in its pixel. The centroid is the centre if all samples are covered, and otherwise the
    /// first covered sample, as in Direct3D.
    fn offset(&self, idx: usize, at: Spot) -> [i64; 2] {
        let sample = |sample: u32| {
            let place = usize::try_from(sample).ok().and_then(|place| self.samples.get(place));
            place.copied().unwrap_or(CENTRE)
        };
        let coverage = self.quad.coverage[idx];
        match at {
            Spot::Centre => CENTRE,
            Spot::Sample => self.sample.map_or(CENTRE, sample),
            Spot::Centroid => match self.sample {
                Some(own) => sample(own),
                None if coverage.count_ones() as usize == self.samples.len() => CENTRE,
                None => sample(coverage.trailing_zeros()),
            },
        }
    }

    /// The value of `gl_FragCoord`.
    fn position(&self, idx: usize) -> [f32; 4] {
        let at = point(self.pixel(idx), self.offset(idx, Spot::Sample));
        let [x, y] = at.map(|side| narrow(real(side) / real(SUBPIXELS)));
        let triangle = &self.part.triangle;
        let (mut depth, mut over_w) = (triangle.depth(at), triangle.shares(at).over_w);
        if let Some(noise) = self.noise {
            let error = if triangle.is_level() { 0.0 } else { DEPTH_ERROR };
            depth = noise.moved(depth, error, self.salt(idx));
            let error = triangle.steepness().unwrap_or(0.0) * INTERPOLATION_ERROR;
            over_w = noise.moved(over_w, error, !self.salt(idx));
        }
        [x, y, narrow(depth), narrow(over_w)]
    }

    /// The bits of a varying's component, interpolated in four pixels at a kind of spot.
    fn interpolated(
        &self,
        word: usize,
        is_linear: bool,
        place: usize,
        shares: &[Shares; 4],
    ) -> [u32; 4] {
        let bits = self.records.map(|record| record.get(word).copied().unwrap_or(0));
        // Equal values stay unchanged, even infinity.
        let is_constant = bits[1] == bits[0] && bits[2] == bits[0];
        // Drivers multiply interpolated values by an interpolated w, so a constant may not be reproduced exactly unless
        // w is 1; SwiftShader does so for linear ones, too. It also may not if they interpolate between points on a
        // clipping plane.
        let triangle = &self.part.triangle;
        let is_given_back = !triangle.is_clipped() && triangle.has_unit_w();
        if is_constant && (self.noise.is_none() || is_given_back) {
            return [bits[0]; 4];
        }
        let values = bits.map(|bits| f64::from(f32::from_bits(bits)));
        let most = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        // Varyings with equal values at all vertices are also equal between them.
        let own = bits
            .iter()
            .fold(count(place * 2 + usize::from(is_linear)), |own, bits| mixed(own, *bits));
        std::array::from_fn(|idx| {
            let shares = shares[idx];
            let shares = if is_linear { shares.linear } else { shares.perspective };
            let sum = shares[0] * values[0] + shares[1] * values[1] + shares[2] * values[2];
            match self.noise {
                Some(noise) => {
                    let salt = self.salt(idx).wrapping_add(own);
                    noise.moved_single(narrow(sum), most * INTERPOLATION_ERROR, salt).to_bits()
                }
                None => narrow(sum).to_bits(),
            }
        })
    }

    /// A value that distinguishes a pixel from others.
    fn salt(&self, idx: usize) -> u32 {
        let [x, y] = self.pixel(idx);
        unsigned_bits((y << 16 ^ x) << 8)
    }
}

/// Copies the words of an input to four lanes; words that a record lacks are zero.
fn copy(lanes: &mut Lanes<'_>, first_lane: usize, input: &Input, words: &[u32]) {
    for (idx, register) in input.registers.clone().enumerate() {
        let value = words.get(idx).copied().unwrap_or(0);
        lanes.words_mut(register)[first_lane..][..4].fill(value);
    }
}
