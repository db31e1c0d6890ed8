//! Random programs with a geometry stage, whose varyings carry a distinct value in every component of every vertex.
//!
//! The geometry stage compares its inputs of every vertex, passes some of them on and adds its own outputs. The
//! fragment stage compares its inputs, and draws green when all are right. Some outputs are not read, and neither are
//! the inputs that only they need. Every invocation covers different pixels: a part of a triangle strip, of a line
//! strip, or a point for each vertex. Vertices beyond `max_vertices`, and incomplete primitives, would be red.
//!
//! A value is the number of a component plus 256 times the number of a vertex. The fragment stage gets the numbers in
//! `stamp`: the vertex from which values are passed on, the first vertex of the primitive, and the emitted vertex.
//!
//! The vertex and the fragment stage may be in WGSL, which has no geometry stages.

mod emission;
mod in_wgsl;
mod text;

use fastrand::Rng;

use super::declared::{Fate, stamp};
use super::varyings::{MAX_VARIABLES, Program, Varying};
use super::wgsl::declared::Locations;
use emission::Emission;

/// Slots of the geometry stage's inputs that every GL has.
const MAX_READ: u32 = 32;

/// Use of a vertex stage's output in the geometry stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// The geometry stage compares it.
    Compared,
    /// The geometry stage passes it on.
    Passed(Fate),
    /// The geometry stage has no such input.
    Missing,
}

/// A program.
#[derive(Debug)]
struct Generated {
    /// Outputs of the vertex stage.
    front: Vec<(Varying, Use)>,
    /// Number of outputs at the end of `front` that are members of a block.
    front_block: usize,
    /// Additional outputs of the geometry stage.
    own: Vec<(Varying, Fate)>,
    /// Number of outputs at the end of `own` that are members of a block.
    own_block: usize,
    emission: Emission,
    /// All outputs of the geometry stage.
    back: Program,
    /// True if transform feedback captures some of them.
    is_captured: bool,
    /// True if the vertex and the fragment stage are in WGSL.
    is_wgsl: bool,
}

/// Text of the case for `seed`.
pub fn case(seed: u64) -> String {
    text(seed, false)
}

/// Text of the case for `seed` whose vertex and fragment stages are in WGSL.
pub fn case_with_wgsl(seed: u64) -> String {
    text(seed, true)
}

fn text(seed: u64, is_wgsl: bool) -> String {
    let mut rng = Rng::with_seed(seed);
    let generated = Generated::random(&mut rng, is_wgsl);
    let lines = generated.back.link_lines(&mut rng, generated.built_ins());
    generated.text(seed, &lines)
}

fn fate(rng: &mut Rng) -> Fate {
    *rng.choice(
        [Fate::Compared, Fate::Compared, Fate::Compared, Fate::Declared, Fate::Missing].iter(),
    )
    .unwrap_or(&Fate::Compared)
}

impl Generated {
    /// True if there is room for `gl_FrontFacing`. Points also need a variable.
    fn tells_side(&self) -> bool {
        self.back.variables() + u32::from(self.emission.are_points()) < MAX_VARIABLES
    }

    /// Inter-stage variables that are not varyings.
    fn built_ins(&self) -> u32 {
        u32::from(self.tells_side()) + u32::from(self.emission.are_points())
    }

    fn random(rng: &mut Rng, is_wgsl: bool) -> Self {
        let mut locations = is_wgsl.then(|| Locations::random(rng));
        let mut random = |rng: &mut Rng, idx| match (Varying::random(rng, idx), &mut locations) {
            (varying, None) => varying,
            (varying, Some(locations)) => locations.declarable(varying, rng),
        };
        let mut back = Program { varyings: vec![stamp()] };
        let (mut front, mut own) = (Program::default(), Vec::new());
        let mut uses = Vec::new();
        let wanted = rng.u32(1..=3 * MAX_VARIABLES);
        for idx in 0..rng.usize(1..=12) {
            let varying = random(rng, idx);
            if front.components() > wanted {
                break;
            }
            let read = front.with(&varying);
            if read.variables() > MAX_READ {
                continue;
            }
            front = read;
            let passed = Varying { name: format!("w{idx}"), ..varying.clone() };
            let more = back.with(&passed);
            let purpose = match rng.u8(0..8) {
                0..=3 if more.variables() < MAX_VARIABLES => {
                    back = more;
                    Use::Passed(fate(rng))
                }
                7 => Use::Missing,
                _ => Use::Compared,
            };
            uses.push(purpose);
        }
        for idx in 0..rng.usize(0..=6) {
            let varying = random(rng, idx);
            let varying = Varying { name: format!("o{idx}"), ..varying };
            let more = back.with(&varying);
            if more.variables() < MAX_VARIABLES {
                back = more;
                own.push((varying, fate(rng)));
            }
        }
        let block = |rng: &mut Rng, count: usize| match rng.u8(0..3) {
            0 if count > 0 && !is_wgsl => rng.usize(1..=count),
            _ => 0,
        };
        let (front_block, own_block) = (block(rng, front.varyings.len()), block(rng, own.len()));
        Self {
            front: front.varyings.into_iter().zip(uses).collect(),
            front_block,
            own,
            own_block,
            emission: Emission::random(rng),
            back,
            is_captured: rng.u8(0..4) == 0,
            is_wgsl,
        }
    }
}
