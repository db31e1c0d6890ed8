//! Random programs with tessellation stages, whose varyings carry a distinct value in every component.
//!
//! There may be a control stage and a geometry stage. Each stage compares all values that it reads of every vertex, of
//! the patch and of other invocations, and the fragment stage draws green when all are right. Some outputs are not
//! read. Each patch covers its own column of pixels.
//!
//! A value is the number of a component plus `STEP` times a number of the vertex: of the draw, of the patch, or of the
//! domain point.
//!
//! The vertex and the fragment stage may be in WGSL, which has no stages between them.

mod in_wgsl;
mod pattern;
mod text;

use fastrand::Rng;

use super::declared::{Fate, stamp};
use super::varyings::{MAX_VARIABLES, Program, Varying};
use super::wgsl::declared::Locations;
use pattern::Pattern;

/// Distance of the values of two vertices.
const STEP: &str = "2048.0";

/// The varyings between two stages.
#[derive(Debug, Default)]
struct Seam {
    varyings: Vec<(Varying, Fate)>,
    /// Number of varyings at the end that are members of a block.
    block: usize,
}

/// A program.
#[derive(Debug)]
struct Generated {
    /// Outputs of the vertex stage.
    vertex: Seam,
    /// Outputs of the control stage for each vertex and for the patch, if there is one.
    control: Option<(Seam, Seam)>,
    /// Outputs of the evaluation stage.
    evaluation: Seam,
    /// Outputs of the geometry stage, if there is one.
    geometry: Option<Seam>,
    /// Possible inputs of the fragment stage.
    back: Program,
    pattern: Pattern,
    /// True if a control invocation compares what another one wrote.
    has_barrier: bool,
    /// True if transform feedback captures some of the last stage's outputs.
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

impl Seam {
    /// Up to 6 varyings with names that begin with this letter.
    fn random(rng: &mut Rng, letter: char) -> Self {
        const FATES: [Fate; 5] =
            [Fate::Compared, Fate::Compared, Fate::Compared, Fate::Declared, Fate::Missing];
        let mut varyings = Vec::new();
        let mut slots = 0;
        for idx in 0..rng.usize(0..=6) {
            let varying = Varying { name: format!("{letter}{idx}"), ..Varying::random(rng, idx) };
            let leaves = varying.leaves_of("");
            // Each leaf takes one or two whole slots.
            slots += leaves.len() * 2;
            if slots > 28 {
                break;
            }
            varyings.push((varying, *rng.choice(FATES.iter()).unwrap_or(&Fate::Compared)));
        }
        let block = if rng.u8(0..3) == 0 { rng.usize(0..=varyings.len()) } else { 0 };
        Self { varyings, block }
    }

    /// Converts the varyings to variables of a patch, which nothing interpolates.
    fn of_patch(mut self) -> Self {
        for (varying, _) in &mut self.varyings {
            varying.qualifiers = "";
        }
        self
    }

    /// Converts the varyings to ones that a stage in WGSL can declare.
    fn of_wgsl(&mut self, rng: &mut Rng) {
        let mut locations = Locations::random(rng);
        for (varying, _) in &mut self.varyings {
            *varying = locations.declarable(varying.clone(), rng);
        }
        self.block = 0;
    }

    /// Drops the varyings that do not fit before the fragment stage, and returns the others.
    fn fit(&mut self) -> Program {
        let mut back = Program { varyings: vec![stamp()] };
        self.varyings.retain(|(varying, _)| {
            let more = back.with(varying);
            let fits = more.variables() < MAX_VARIABLES;
            if fits {
                back = more;
            }
            fits
        });
        self.block = self.block.min(self.varyings.len());
        back
    }

    /// True if a varying is an input of the next stage. A block is the same in both stages.
    fn is_declared(&self, idx: usize) -> bool {
        self.varyings[idx].1 != Fate::Missing || idx + self.block >= self.varyings.len()
    }

    fn has_int64(&self) -> bool {
        let varyings = self.varyings.iter().map(|(varying, _)| varying.clone()).collect();
        Program { varyings }.has_int64()
    }
}

impl Generated {
    fn random(rng: &mut Rng, is_wgsl: bool) -> Self {
        let has_control = rng.u8(0..4) != 0;
        let has_geometry = rng.u8(0..3) == 0;
        let mut vertex = Seam::random(rng, 'a');
        let control =
            has_control.then(|| (Seam::random(rng, 'b'), Seam::random(rng, 'p').of_patch()));
        let mut evaluation = Seam::random(rng, 'c');
        let mut geometry = has_geometry.then(|| Seam::random(rng, 'd'));
        let last = geometry.as_mut().unwrap_or(&mut evaluation);
        if is_wgsl {
            vertex.of_wgsl(rng);
            last.of_wgsl(rng);
        }
        let back = last.fit();
        Self {
            vertex,
            control,
            evaluation,
            geometry,
            back,
            pattern: Pattern::random(rng, has_control),
            has_barrier: rng.bool(),
            is_captured: rng.u8(0..4) == 0,
            is_wgsl,
        }
    }

    /// True if there is room for `gl_FrontFacing`. Points also need a variable.
    fn tells_side(&self) -> bool {
        self.back.variables() + u32::from(self.pattern.is_point_mode()) < MAX_VARIABLES
    }

    /// Inter-stage variables that are not varyings.
    fn built_ins(&self) -> u32 {
        u32::from(self.tells_side()) + u32::from(self.pattern.is_point_mode())
    }

    /// All interfaces.
    fn seams(&self) -> impl Iterator<Item = &Seam> {
        let control = self.control.iter().flat_map(|(vertex, patch)| [vertex, patch]);
        [&self.vertex, &self.evaluation].into_iter().chain(control).chain(&self.geometry)
    }
}
