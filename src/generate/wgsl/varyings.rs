//! Random pairs of WGSL stages whose varyings carry a distinct value in every component.
//!
//! Varyings match by location or by name; their members and parameters are in another order in each stage, in structures or
//! loose. A triangle whose third dimension is w covers the target. What is interpolated rises to the right, in the way of
//! its `@interpolate`; a flat value depends on its vertex, unless `either` leaves the vertex open. The fragment stage
//! compares every component with the value at its pixel, and draws green when all are right.

use fastrand::Rng;

use super::declared::{compares, declarable, declaration, line, section, structure, writes};
use crate::declared::{Block, Fate, Placed, placed};
use crate::varyings::{MAX_VARIABLES, Plain, Program, Type, Varying};

/// Arguments of `@interpolate`; each row is one way to interpolate.
const WAYS: [&[&str]; 8] = [
    &["", "perspective", "perspective, center"],
    &["perspective, centroid"],
    &["perspective, sample"],
    &["linear", "linear, center"],
    &["linear, centroid"],
    &["linear, sample"],
    &["flat", "flat, first"],
    &["flat, either"],
];

/// Row of flat values in [`WAYS`].
const FLAT: usize = 6;

/// Text of the case for `seed`.
pub fn case(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    Generated::random(&mut rng).text(seed, &mut rng)
}

/// A varying's use.
#[derive(Clone, Copy, Debug)]
struct Detail {
    /// Its row in [`WAYS`], if it has a location.
    way: usize,
    fate: Fate,
    /// Place of the input in the fragment stage: 0 for a parameter, 1 and 2 for a member of the first or second structure.
    home: usize,
}

#[derive(Debug)]
struct Generated {
    program: Program,
    details: Vec<Detail>,
    /// Place of the position in the fragment stage, numbered as in [`Detail::home`].
    home: usize,
    /// Location of the vertex stage's attribute, or none.
    zero: Option<u32>,
}

impl Generated {
    fn random(rng: &mut Rng) -> Self {
        let has_halves = rng.u8(0..4) == 0;
        // Quarters of the probability that a varying has a location.
        let share = *rng.choice([0, 2, 4, 4].iter()).unwrap_or(&4);
        let mut locations: Vec<u32> = (0..rng.u32(6..=MAX_VARIABLES)).collect();
        rng.shuffle(&mut locations);
        let (mut program, mut details) = (Program::default(), Vec::new());
        for idx in 0..rng.usize(1..=18) {
            let mut varying = declarable(Varying::random(rng, idx));
            if rng.u8(0..4) < share
                && let Some(location) = locations.last()
            {
                varying.location = Some(*location);
                varying.ty = Type::Plain(located(rng));
            }
            if has_halves && rng.bool() {
                halve(&mut varying);
            }
            let detail = Detail::random(rng, &varying);
            let more = program.with(&varying);
            if more.variables() > MAX_VARIABLES {
                continue;
            }
            program = more;
            details.push(detail);
            if varying.location.is_some() {
                locations.pop();
            }
        }
        let zero = rng.bool().then(|| rng.u32(0..8));
        Self { program, details, home: rng.usize(0..3), zero }
    }

    /// The varyings with their values.
    fn placed(&self) -> Vec<Placed<'_>> {
        placed(self.program.varyings.iter(), Block { name: "", members: 0 }, 1)
    }

    fn has_halves(&self) -> bool {
        let is_half = |varying: &Varying| matches!(&varying.ty, Type::Plain(plain) | Type::Array(plain, _) if plain.prefix == "h");
        self.program.varyings.iter().any(is_half)
    }

    fn structures(&self) -> String {
        let enable = if self.has_halves() { "enable f16;\n" } else { "" };
        enable.to_owned() + &self.program.varyings.iter().map(structure).collect::<String>()
    }

    fn vertex(&self, rng: &mut Rng) -> String {
        let mut members = vec!["    @builtin(position) position: vec4f,\n".to_owned()];
        let mut written = String::new();
        for (placed, detail) in self.placed().iter().zip(&self.details) {
            let declaration = declaration(placed.varying, &placed.name);
            members.push(format!("    {}{declaration},\n", detail.attributes(placed.varying, rng)));
            let step = detail.steps(placed.varying)[0];
            written += &writes(placed, &format!("out.{}", placed.name), step);
        }
        rng.shuffle(&mut members);
        let zero = self.zero.map_or_else(String::new, |location| format!("@location({location}) "));
        format!(
            "{}struct Out {{\n{}}}\n\n\
             @vertex fn main(@builtin(vertex_index) vertex: u32, {zero}zero: f32) -> Out {{\n    \
             let corner = array(vec2f(-1, -1), vec2f(3, -1), vec2f(-1, 3))[vertex];\n    \
             let far = f32(vertex == 1);\n    let rise = 32.0 * far + zero;\n    \
             let number = 64.0 * f32(vertex) + zero;\n    var out: Out;\n    \
             out.position = vec4f(corner, 0.0, 1.0) * (1.0 + far);\n{written}    return out;\n}}\n",
            self.structures(),
            members.concat(),
        )
    }

    fn fragment(&self, rng: &mut Rng) -> String {
        const PREFIXES: [&str; 3] = ["", "first.", "second."];
        let mut homes = [Vec::new(), Vec::new(), Vec::new()];
        homes[self.home].push("@builtin(position) position: vec4f".to_owned());
        let mut compared = String::new();
        for (placed, detail) in self.placed().iter().zip(&self.details) {
            if detail.fate == Fate::Missing {
                continue;
            }
            // At a location the name does not count.
            let name = match placed.varying.location {
                Some(_) => placed.name.replace('v', "r"),
                None => placed.name.clone(),
            };
            let attributes = detail.attributes(placed.varying, rng);
            homes[detail.home].push(format!("{attributes}{}", declaration(placed.varying, &name)));
            if detail.fate == Fate::Compared {
                let step = detail.steps(placed.varying)[1];
                compared += &compares(placed, &format!("{}{name}", PREFIXES[detail.home]), step);
            }
        }
        let mut structures = self.structures();
        let [mut parameters, first, second] = homes;
        for (mut members, ty) in [(first, "First"), (second, "Second")] {
            if !members.is_empty() {
                rng.shuffle(&mut members);
                let members = members.join(",\n    ");
                structures.extend([format!("struct {ty} {{\n    {members},\n}}\n")]);
                parameters.push(format!("{}: {ty}", ty.to_lowercase()));
            }
        }
        rng.shuffle(&mut parameters);
        format!(
            "{structures}\n@fragment fn main(\n    {},\n) -> @location(0) vec4f {{\n    \
             // Part of the target's width; the triangle is twice as wide, and w is 2 at its right corner.\n    \
             let part = {}position.x / 4.0;\n    let linear = 16.0 * part;\n    \
             let perspective = 32.0 * part / (4.0 - part);\n    var right = true;\n{compared}    \
             return select(vec4f(1.0, 0.0, 0.0, 1.0), vec4f(0.0, 1.0, 0.0, 1.0), right);\n}}\n",
            parameters.join(",\n    "),
            PREFIXES[self.home],
        )
    }

    fn text(&self, seed: u64, rng: &mut Rng) -> String {
        let lines: String =
            self.program.varyings.iter().map(|varying| line(varying, &varying.name)).collect();
        let column = self.zero.map_or_else(|| "zero".to_owned(), |location| location.to_string());
        let feature = if self.has_halves() { "feature SHADER_F16\n" } else { "" };
        format!(
            "# Random varyings of two WGSL stages: `interstage generate varyings --language wgsl --seed {seed}`.\n\n\
             [require]\nsize 4 4\n{feature}\n{}[vertex shader wgsl]\n{}\n[fragment shader wgsl]\n{}\n\
             [vertex data]\n{column}/float/float\n0\n0\n0\n\n[link]\n{}\n[test]\ndraw arrays triangles 0 3\n\
             probe all rgba 0.0 1.0 0.0 1.0\ncompare oracle\n",
            section(&lines),
            self.vertex(rng),
            self.fragment(rng),
            self.program.link_lines(rng, 0),
        )
    }
}

impl Detail {
    fn random(rng: &mut Rng, varying: &Varying) -> Self {
        const FATES: [Fate; 6] = [
            Fate::Compared,
            Fate::Compared,
            Fate::Compared,
            Fate::Compared,
            Fate::Declared,
            Fate::Missing,
        ];
        let is_integer =
            matches!(&varying.ty, Type::Plain(plain) if matches!(plain.prefix, "i" | "u"));
        Self {
            way: if is_integer { rng.usize(FLAT..WAYS.len()) } else { rng.usize(0..WAYS.len()) },
            fate: *rng.choice(FATES.iter()).unwrap_or(&Fate::Compared),
            // A parameter that is a structure would stand for its members.
            home: rng.usize(usize::from(matches!(varying.ty, Type::Struct(_)))..3),
        }
    }

    /// `@location` and `@interpolate`, in one of several ways to say the same.
    fn attributes(self, varying: &Varying, rng: &mut Rng) -> String {
        let Some(location) = varying.location else { return String::new() };
        let way = rng.choice(WAYS[self.way].iter()).copied().unwrap_or("");
        match (way, rng.bool()) {
            ("", _) => format!("@location({location}) "),
            (_, false) => format!("@location({location}) @interpolate({way}) "),
            (_, true) => format!("@interpolate({way}) @location({location}) "),
        }
    }

    /// What the vertex stage adds to the values, and what the fragment stage expects of that.
    fn steps(self, varying: &Varying) -> [&'static str; 2] {
        if varying.location.is_some() {
            return match self.way {
                0..=2 => ["rise", "perspective"],
                3..FLAT => ["rise", "linear"],
                FLAT => ["number", "0.0"],
                _ => ["zero", "0.0"],
            };
        }
        match varying.qualifiers {
            "flat" => ["number", "0.0"],
            "noperspective" | "noperspective centroid" => ["rise", "linear"],
            _ => ["rise", "perspective"],
        }
    }
}

/// A type that may have a location.
fn located(rng: &mut Rng) -> Plain {
    let prefix = *rng.choice(["", "", "", "", "i", "u"].iter()).unwrap_or(&"");
    Plain { columns: 1, rows: rng.u32(1..=4), prefix }
}

/// Makes a varying one of halves, if it is a smooth scalar or vector of floats.
fn halve(varying: &mut Varying) {
    if let Type::Plain(plain) = &mut varying.ty
        && plain.columns == 1
        && plain.prefix.is_empty()
        && (varying.location.is_some() || matches!(varying.qualifiers, "" | "smooth"))
    {
        plain.prefix = "h";
    }
}
