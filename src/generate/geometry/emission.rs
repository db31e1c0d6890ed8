//! The draw, and the vertices that an invocation emits for it.

use std::fmt::Write as _;

use fastrand::Rng;

/// Primitives that a geometry stage takes: GLSL's name, GL's topology, and vertices.
const INPUTS: [(&str, &str, u32); 5] = [
    ("points", "GL_POINTS", 1),
    ("lines", "GL_LINES", 2),
    ("triangles", "GL_TRIANGLES", 3),
    ("lines_adjacency", "GL_LINES_ADJACENCY", 4),
    ("triangles_adjacency", "GL_TRIANGLES_ADJACENCY", 6),
];

/// A vertex at these parts of the invocation's width and of the height, or the end of a strip.
type Event = Option<[&'static str; 2]>;

/// Strips that cover an invocation's pixels: GLSL's name, and the vertices. No edge goes through the centre of a pixel,
/// and no line ends in the diamond of one, so that its direction does not matter.
const OUTPUTS: [(&str, &[Event]); 6] = [
    (
        "triangle_strip",
        &[Some(["0.0", "-1.0"]), Some(["1.0", "-1.0"]), Some(["0.0", "1.0"]), Some(["1.0", "1.0"])],
    ),
    (
        "triangle_strip",
        &[
            Some(["0.0", "-1.0"]),
            Some(["1.0", "-1.0"]),
            Some(["0.0", "1.0"]),
            None,
            Some(["1.0", "-1.0"]),
            Some(["1.0", "1.0"]),
            Some(["0.0", "1.0"]),
        ],
    ),
    (
        "triangle_strip",
        &[
            Some(["0.0", "-1.0"]),
            Some(["1.0", "-1.0"]),
            Some(["0.0", "-0.5"]),
            Some(["1.0", "-0.5"]),
            Some(["0.0", "1.0"]),
            Some(["1.0", "1.0"]),
        ],
    ),
    ("line_strip", &[Some(["0.05", "0.5"]), Some(["1.05", "0.5"])]),
    ("line_strip", &[Some(["0.05", "0.5"]), Some(["0.55", "0.5"]), Some(["1.05", "0.5"])]),
    ("points", &[Some(["0.25", "0.0"]), Some(["0.75", "0.0"])]),
];

/// The draw, and the vertices that every invocation emits.
#[derive(Debug)]
pub(super) struct Emission {
    pub(super) input: &'static str,
    topology: &'static str,
    /// Vertices of an input primitive.
    pub(super) size: u32,
    pub(super) primitives: u32,
    pub(super) invocations: u32,
    instances: u32,
    pub(super) output: &'static str,
    events: &'static [Event],
    /// True if another strip follows that has too few vertices.
    is_incomplete: bool,
    /// True if more vertices are emitted than allowed.
    is_too_much: bool,
    /// The position's w.
    pub(super) w: &'static str,
    is_first_provoking: bool,
}

impl Emission {
    pub(super) fn random(rng: &mut Rng) -> Self {
        let (input, topology, size) = INPUTS[rng.usize(0..INPUTS.len())];
        let (output, events) = OUTPUTS[rng.usize(0..OUTPUTS.len())];
        Self {
            input,
            topology,
            size,
            primitives: rng.u32(1..=2),
            invocations: *rng.choice([1, 1, 2, 3].iter()).unwrap_or(&1),
            instances: *rng.choice([1, 1, 2].iter()).unwrap_or(&1),
            output,
            events,
            is_incomplete: output != "points" && rng.u8(0..4) == 0,
            is_too_much: rng.u8(0..4) == 0,
            w: if rng.bool() { "1.0" } else { "2.0" },
            is_first_provoking: rng.u8(0..4) == 0,
        }
    }

    /// True if the output primitives are points.
    pub(super) fn are_points(&self) -> bool {
        self.output == "points"
    }

    /// Invocations of all primitives and instances.
    pub(super) const fn count(&self) -> u32 {
        self.primitives * self.invocations * self.instances
    }

    /// Vertices of one instance.
    pub(super) const fn vertices(&self) -> u32 {
        self.primitives * self.size
    }

    /// `max_vertices`
    pub(super) fn max_vertices(&self) -> usize {
        self.events.iter().flatten().count() + usize::from(self.is_incomplete)
    }

    /// Width and height of what is drawn.
    pub(super) fn drawn(&self) -> [u32; 2] {
        [self.count() * 2, if self.output == "triangle_strip" { 4 } else { 1 }]
    }

    /// Number of invocations for which the targets have room. The last line ends in a pixel that it does not draw.
    pub(super) fn columns(&self) -> u32 {
        self.count() + u32::from(self.output == "line_strip")
    }

    /// The calls that emit.
    pub(super) fn statements(&self) -> String {
        let mut text = String::new();
        for event in self.events {
            let _ = match event {
                Some([x, y]) => writeln!(text, "    corner({x}, {y});"),
                None => writeln!(text, "    EndPrimitive();"),
            };
        }
        let wrong = "    ok = 0;\n    EndPrimitive();\n";
        if self.is_incomplete {
            let _ = writeln!(text, "{wrong}    corner(0.0, -1.0);");
        }
        if self.is_too_much {
            let _ = write!(
                text,
                "{wrong}    corner(0.0, -1.0);\n    corner(1.0, 0.0);\n    corner(0.0, 1.0);\n"
            );
        }
        text
    }

    /// The command that draws.
    pub(super) fn draw(&self) -> String {
        let Self { topology, instances, .. } = self;
        let vertices = self.vertices();
        if *instances == 1 {
            return format!("draw arrays {topology} 0 {vertices}\n");
        }
        format!("draw arrays instanced {topology} 0 {vertices} {instances}\n")
    }

    /// Commands before the draws.
    pub(super) const fn state(&self) -> &'static str {
        if self.is_first_provoking { "provoking vertex first\n" } else { "" }
    }
}
