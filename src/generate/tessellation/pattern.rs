//! The draw: patches, their division, and the positions of their points.

use fastrand::Rng;

/// Shape of a patch's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Triangles,
    Quads,
    Isolines,
    /// Quads in point mode.
    Points,
}

/// The draw, and how its patches are divided.
#[derive(Debug)]
pub(super) struct Pattern {
    shape: Shape,
    spacing: &'static str,
    is_clockwise: bool,
    outer: [f32; 4],
    inner: [f32; 2],
    /// True if every second patch has levels that are 1 more.
    pub(super) differs: bool,
    /// Vertices of a patch.
    pub(super) size: u32,
    /// Number of vertices that the control stage outputs.
    pub(super) given: u32,
    /// Patches of one instance.
    pub(super) patches: u32,
    instances: u32,
    /// Vertices that belong to no patch.
    left_over: u32,
    is_first_provoking: bool,
}

impl Pattern {
    pub(super) fn random(rng: &mut Rng, has_control: bool) -> Self {
        const SPACINGS: [&str; 3] =
            ["equal_spacing", "fractional_even_spacing", "fractional_odd_spacing"];
        const LEVELS: [f32; 8] = [1.0, 1.0, 2.0, 3.0, 4.3, 5.0, 2.5, 1.25];
        let shape =
            [Shape::Triangles, Shape::Quads, Shape::Isolines, Shape::Points][rng.usize(0..4)];
        let mut level = || LEVELS[rng.usize(0..LEVELS.len())];
        let (mut outer, mut inner) = ([level(), level(), level(), level()], [level(), level()]);
        let mut spacing = SPACINGS[rng.usize(0..3)];
        if shape == Shape::Isolines {
            outer[0] = outer[0].ceil();
        }
        if shape == Shape::Points {
            spacing = SPACINGS[0];
            let [across, up] = [outer[0].ceil(), outer[1].ceil()];
            (outer, inner) = ([up, across, up, across], [across, up]);
        }
        let size = rng.u32(1..=5);
        Self {
            shape,
            spacing,
            is_clockwise: rng.bool(),
            outer,
            inner,
            differs: has_control
                && matches!(shape, Shape::Triangles | Shape::Quads)
                && rng.u8(0..3) == 0,
            size,
            given: rng.u32(1..=5),
            patches: rng.u32(1..=3),
            instances: *rng.choice([1, 1, 2].iter()).unwrap_or(&1),
            left_over: if rng.u8(0..4) == 0 { rng.u32(0..size) } else { 0 },
            // If an adapter's last vertex is the provoking one, lines would run backwards and end in another pixel.
            is_first_provoking: shape != Shape::Isolines && rng.u8(0..4) == 0,
        }
    }

    pub(super) fn is_point_mode(&self) -> bool {
        self.shape == Shape::Points
    }

    /// `triangles, equal_spacing, cw` and so on.
    pub(super) fn layout(&self) -> String {
        let (domain, mode) = match self.shape {
            Shape::Triangles => ("triangles", ""),
            Shape::Quads => ("quads", ""),
            Shape::Isolines => ("isolines", ""),
            Shape::Points => ("quads", ", point_mode"),
        };
        let order = if self.is_clockwise { ", cw" } else { "" };
        format!("{domain}, {}{order}{mode}", self.spacing)
    }

    /// Output primitives: a geometry stage's words for its input and output, and the number of vertices.
    pub(super) fn primitive(&self) -> (&'static str, &'static str, u32) {
        match self.shape {
            Shape::Triangles | Shape::Quads => ("triangles", "triangle_strip", 3),
            Shape::Isolines => ("lines", "line_strip", 2),
            Shape::Points => ("points", "points", 1),
        }
    }

    /// Pixels of a patch's column: width and height.
    fn column(&self) -> [u32; 2] {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is a small whole number"
        )]
        let whole = |level: f32| level as u32;
        match self.shape {
            Shape::Triangles | Shape::Quads => [4, 4],
            Shape::Isolines => [2, whole(self.outer[0])],
            Shape::Points => [whole(self.outer[1]) + 1, whole(self.outer[0]) + 1],
        }
    }

    const fn count(&self) -> u32 {
        self.patches * self.instances
    }

    /// Pixels that are drawn.
    pub(super) fn drawn(&self) -> [u32; 2] {
        let [width, height] = self.column();
        [width * self.count(), height]
    }

    /// Size of the targets. The last line ends in a pixel that it does not draw.
    pub(super) fn size(&self) -> [u32; 2] {
        let [width, height] = self.drawn();
        [if self.shape == Shape::Isolines { width + 2 } else { width }, height]
    }

    /// The statement that places a domain point of patch `whole`, in pixels. A triangle reaches beyond its column, which
    /// the next patches draw over.
    pub(super) fn position(&self) -> String {
        let [width, height] = self.column();
        let at = match self.shape {
            Shape::Quads => format!("gl_TessCoord.xy * vec2({width}.0, {height}.0)"),
            Shape::Triangles => format!("gl_TessCoord.xy * 2.2 * vec2({width}.0, {height}.0)"),
            Shape::Isolines => {
                format!("vec2(gl_TessCoord.x * {width}.0 + 0.1, gl_TessCoord.y * {height}.0 + 0.5)")
            }
            Shape::Points => {
                format!("gl_TessCoord.xy * vec2({}.0, {}.0) + vec2(0.5)", width - 1, height - 1)
            }
        };
        let [all, up] = self.size();
        format!(
            "    vec2 pixel = {at} + vec2({width}.0 * float(whole), 0.0);\n    \
             gl_Position = vec4(pixel / vec2({all}.0, {up}.0) * 2.0 - vec2(1.0), 0.0, 1.0);\n"
        )
    }

    /// Statements of a control stage.
    pub(super) fn levels(&self) -> String {
        let more = if self.differs { " + float(gl_PrimitiveID % 2)" } else { "" };
        let list = |name: &str, levels: &[f32]| -> String {
            let line = |(idx, level)| format!("    {name}[{idx}] = {level:?}{more};\n");
            levels.iter().enumerate().map(line).collect()
        };
        list("gl_TessLevelOuter", &self.outer) + &list("gl_TessLevelInner", &self.inner)
    }

    /// Commands before the draws. With a fragment stage in WGSL the first vertex is the provoking one, which would turn
    /// isolines round on some adapters.
    pub(super) fn state(&self, is_wgsl: bool) -> String {
        let list = |levels: &[f32]| -> String {
            levels.iter().fold(String::new(), |text, level| text + &format!(" {level}"))
        };
        let provoking = match (self.is_first_provoking, self.shape) {
            (true, _) => "provoking vertex first\n",
            (false, Shape::Isolines) if is_wgsl => "provoking vertex last\n",
            (false, _) => "",
        };
        format!(
            "{provoking}patch parameter vertices {}\n\
             patch parameter default level outer{}\n\
             patch parameter default level inner{}\n",
            self.size,
            list(&self.outer),
            list(&self.inner),
        )
    }

    /// Vertices of one instance.
    pub(super) const fn vertices(&self) -> u32 {
        self.patches * self.size + self.left_over
    }

    /// The command that draws.
    pub(super) fn draw(&self) -> String {
        let vertices = self.vertices();
        match self.instances {
            1 => format!("draw arrays GL_PATCHES 0 {vertices}\n"),
            times => format!("draw arrays instanced GL_PATCHES 0 {vertices} {times}\n"),
        }
    }
}
