//! The text of a case.

use super::{Fate, Generated, STEP, Seam};
use crate::declared::{Block, Placed, compares, declarations, placed, writes};
use crate::varyings::Type;

/// Name of the block of an interface.
const FRONT: &str = "front";
const MIDDLE: &str = "middle";
const PATCH: &str = "plate";
const BACK: &str = "back";
const LAST: &str = "last";

/// Values of the first components of the interfaces, in the order of their blocks above.
const FIRST: [u32; 5] = [1, 201, 401, 601, 801];

/// An interface in a case.
#[derive(Clone, Copy)]
pub(super) struct Named<'a> {
    /// Its variables.
    pub(super) seam: &'a Seam,
    /// Name of its block.
    name: &'static str,
    /// Value of its first component.
    first: u32,
}

impl<'a> Named<'a> {
    const fn block(self) -> Block {
        Block { name: self.name, members: self.seam.block }
    }

    pub(super) fn placed(self) -> Vec<Placed<'a>> {
        placed(self.seam.varyings.iter().map(|(varying, _)| varying), self.block(), self.first)
    }

    /// Declarations on the side that writes; `array` is `[]` for a control stage.
    fn outputs(self, direction: &str, array: &str) -> String {
        declarations(&self.placed(), direction, self.block(), array)
    }

    /// Declarations on the side that reads.
    fn inputs(self, direction: &str, array: &str) -> String {
        let all = self.placed().into_iter().enumerate();
        let declared = all.filter(|(idx, _)| self.seam.is_declared(*idx)).map(|(_, placed)| placed);
        declarations(&declared.collect::<Vec<_>>(), direction, self.block(), array)
    }

    /// The expression for variable `idx` of the vertex at `index`, or of no particular vertex.
    fn path(self, idx: usize, placed: &Placed<'_>, index: &str) -> String {
        let (name, own) = (self.name, &placed.name);
        if idx + self.seam.block < self.seam.varyings.len() {
            format!("{own}{index}")
        } else {
            format!("{name}{index}.{own}")
        }
    }

    /// Statements that write all variables of the vertex at `index`.
    fn written(self, index: &str) -> String {
        let one = |(idx, mut placed): (usize, Placed<'_>)| {
            placed.path = self.path(idx, &placed, index);
            writes(&placed, "step")
        };
        self.placed().into_iter().enumerate().map(one).collect()
    }

    /// Statements that check the compared variables of the vertex at `index`.
    fn compared(self, index: &str) -> String {
        self.compared_where(index, |idx| self.seam.varyings[idx].1 == Fate::Compared)
    }

    fn compared_where(self, index: &str, is_it: impl Fn(usize) -> bool) -> String {
        let all = self.placed().into_iter().enumerate().filter(|(idx, _)| is_it(*idx));
        all.map(|(idx, placed)| compares(&placed, &self.path(idx, &placed, index), "step"))
            .collect()
    }
}

/// `{ float step = …; … }`
fn scope(step: &str, statements: &str) -> String {
    format!("    {{\n    float step = {STEP} * {step};\n{statements}    }}\n")
}

/// `for (int i = 0; …) { float step = …; … }`
fn each(count: &str, step: &str, statements: &str) -> String {
    format!("    for (int i = 0; i < {count}; i++)\n{}", scope(step, statements))
}

/// A number of a domain point at `coordinate`.
fn code(coordinate: &str) -> String {
    format!("(floor({coordinate}.x * 16.0 + 0.5) + 17.0 * floor({coordinate}.y * 16.0 + 0.5))")
}

/// Outputs of a control stage for every vertex, and for the patch.
fn middle((vertex, patch): &(Seam, Seam)) -> [Named<'_>; 2] {
    [
        Named { seam: vertex, name: MIDDLE, first: FIRST[1] },
        Named { seam: patch, name: PATCH, first: FIRST[2] },
    ]
}

impl Generated {
    pub(super) fn front(&self) -> Named<'_> {
        Named { seam: &self.vertex, name: FRONT, first: FIRST[0] }
    }

    fn back(&self) -> Named<'_> {
        Named { seam: &self.evaluation, name: BACK, first: FIRST[3] }
    }

    /// Inputs of the fragment stage.
    pub(super) fn last(&self) -> Named<'_> {
        let last = |seam| Named { seam, name: LAST, first: FIRST[4] };
        self.geometry.as_ref().map_or(self.back(), last)
    }

    fn vertex(&self) -> String {
        format!(
            "in float zero;\nflat out int instance;\n{}\nvoid main() {{\n    instance = gl_InstanceID;\n    \
             float step = zero + {STEP} * float(gl_VertexID + 16 * gl_InstanceID);\n{}}}\n",
            self.front().outputs("out", ""),
            self.front().written(""),
        )
    }

    /// Statements of the stage after the vertex stage.
    fn compare_front(&self) -> String {
        let size = self.pattern.size;
        let step = format!("float({size} * gl_PrimitiveID + i + 16 * instance[0])");
        let patches = self.pattern.patches;
        format!(
            "    bool right = gl_PatchVerticesIn == {size};\n    \
             int whole = gl_PrimitiveID + {patches} * instance[0];\n{}",
            each("gl_PatchVerticesIn", &step, &self.front().compared("[i]"))
        )
    }

    fn control(&self, control: &(Seam, Seam)) -> String {
        let [vertex, patch] = middle(control);
        let given = self.pattern.given;
        let others = if self.has_barrier {
            let step = "float(whole * 8 + other)";
            let all = vertex.compared_where("[other]", |_| true);
            format!(
                "    barrier();\n    int other = (gl_InvocationID + 1) % {given};\n{}",
                scope(step, &all)
            )
        } else {
            String::new()
        };
        format!(
            "layout(vertices = {given}) out;\nflat in int instance[];\npatch out ivec2 whose;\nout int good[];\n\
             {}{}{}\nvoid main() {{\n{}{}    if (gl_InvocationID == {last}) {{\n    \
             whose = ivec2(instance[0], whole);\n{}    }}\n{others}{}    \
             good[gl_InvocationID] = right ? 1 : 0;\n}}\n",
            self.front().inputs("in", "[]"),
            vertex.outputs("out", "[]"),
            patch.outputs("patch out", ""),
            self.compare_front(),
            scope("float(whole * 8 + gl_InvocationID)", &vertex.written("[gl_InvocationID]")),
            scope("float(whole)", &patch.written("")),
            self.pattern.levels(),
            last = given - 1,
        )
    }

    /// Declarations and statements of an evaluation stage after a control stage.
    fn compare_middle(&self, control: &(Seam, Seam)) -> [String; 2] {
        let [vertex, patch] = middle(control);
        let (given, patches) = (self.pattern.given, self.pattern.patches);
        let good = "    right = right && good[i] == 1;\n";
        let of_vertex = vertex.compared("[i]") + good;
        [
            format!(
                "patch in ivec2 whose;\nin int good[];\n{}{}",
                vertex.inputs("in", "[]"),
                patch.inputs("patch in", "")
            ),
            format!(
                "    int whole = whose.y;\n    \
                 bool right = gl_PatchVerticesIn == {given} && whole == gl_PrimitiveID + {patches} * whose.x;\n{}{}",
                each("gl_PatchVerticesIn", "float(whole * 8 + i)", &of_vertex),
                scope("float(whole)", &patch.compared("")),
            ),
        ]
    }

    fn evaluation(&self) -> String {
        let [declared, statements] = match &self.control {
            Some(control) => self.compare_middle(control),
            None => [
                "flat in int instance[];\n".to_owned() + &self.front().inputs("in", "[]"),
                self.compare_front(),
            ],
        };
        let (note, coordinate, step) = match self.geometry {
            Some(_) => ("note", "out vec2 coordinate;\n", code("gl_TessCoord")),
            None => ("stamp", "", "float(whole)".to_owned()),
        };
        let given = if coordinate.is_empty() { "" } else { "    coordinate = gl_TessCoord.xy;\n" };
        format!(
            "layout({}) in;\n{declared}flat out ivec4 {note};\n{coordinate}{}\nvoid main() {{\n{statements}{}{given}{}    \
             {note} = ivec4(whole, gl_PrimitiveID, 0, right ? 1 : 0);\n}}\n",
            self.pattern.layout(),
            self.back().outputs("out", ""),
            self.pattern.position(),
            scope(&step, &self.back().written("")),
        )
    }

    fn geometry_stage(&self) -> String {
        let (taken, given, size) = self.pattern.primitive();
        format!(
            "layout({taken}) in;\nlayout({given}, max_vertices = {size}) out;\nflat in ivec4 note[];\n\
             in vec2 coordinate[];\n{}flat out ivec4 stamp;\n{}\nvoid main() {{\n    \
             bool right = gl_PrimitiveIDIn == note[0].y;\n{}    for (int i = 0; i < {size}; i++) {{\n    \
             gl_Position = gl_in[i].gl_Position;\n    \
             stamp = ivec4(note[i].xy, 0, right ? 1 : 0);\n{}    EmitVertex();\n    }}\n}}\n",
            self.back().inputs("in", "[]"),
            self.last().outputs("out", ""),
            each(
                &size.to_string(),
                &code("coordinate[i]"),
                &(self.back().compared("[i]") + "    right = right && note[i].w == 1;\n"),
            ),
            scope("float(note[i].x)", &self.last().written("")),
        )
    }

    fn fragment(&self) -> String {
        format!(
            "flat in ivec4 stamp;\n{}layout(location = 0) out vec4 color;\nlayout(location = 1) out ivec4 told;\n\n\
             void main() {{\n    bool right = stamp.w == 1;\n{}    \
             color = right ? vec4(0.0, 1.0, 0.0, 1.0) : vec4(1.0, 0.0, 0.0, 1.0);\n    \
             told = ivec4(stamp.xyz, {});\n}}\n",
            self.last().inputs("in", ""),
            scope("float(stamp.x)", &self.last().compared("")),
            if self.tells_side() { "gl_FrontFacing ? 1 : 0" } else { "2" },
        )
    }

    /// `[capture]`, and the commands that capture.
    fn captures(&self) -> [String; 2] {
        if !self.is_captured {
            return Default::default();
        }
        let mut names = vec!["stamp"];
        let seam = self.last().seam;
        for (varying, _) in &seam.varyings[..seam.varyings.len() - seam.block] {
            if let Type::Plain(plain) = &varying.ty
                && !plain.is_wide()
            {
                names.push(&varying.name);
            }
        }
        [
            format!("[capture]\n{}\n\n", names.join("\n")),
            format!(
                "xfb buffer object 0 65536\nxfb {}compare oracle capture 0\n",
                self.pattern.draw()
            ),
        ]
    }

    /// The case.
    pub(super) fn text(&self, seed: u64, link_lines: &str) -> String {
        let (mut version, mut required) = (String::new(), String::new());
        if self.seams().any(Seam::has_int64) {
            let name = "GL_ARB_gpu_shader_int64";
            version = format!("#version 450\n#extension {name} : require\n");
            required = format!("{name}\n");
        }
        let control =
            self.control.as_ref().map(|seams| ("tessellation control", self.control(seams)));
        let geometry = self.geometry.as_ref().map(|_| ("geometry", self.geometry_stage()));
        let stages = control.into_iter().chain([("tessellation evaluation", self.evaluation())]);
        let stages: String = stages.chain(geometry).fold(String::new(), |text, (name, code)| {
            text + &format!("[{name} shader]\n{version}{code}\n")
        });
        let (option, word) = if self.is_wgsl { (" --language wgsl", " wgsl") } else { ("", "") };
        let [declared, vertex, fragment] = if self.is_wgsl {
            self.in_wgsl()
        } else {
            [String::new(), version.clone() + &self.vertex(), version.clone() + &self.fragment()]
        };
        let ([width, height], [drawn, up]) = (self.pattern.size(), self.pattern.drawn());
        let [section, commands] = self.captures();
        let zeros = "0\n".repeat(self.pattern.vertices() as usize);
        format!(
            "# Random varyings between all stages: `interstage generate tessellation{option} --seed {seed}`.\n\n\
             [require]\nGLSL >= 4.50\n{required}size {width} {height}\n\n{declared}\
             [vertex shader{word}]\n{vertex}\n{stages}[fragment shader{word}]\n{fragment}\n\
             {section}[render targets]\n0 rgba8unorm\n1 rgba32sint\n\n[link]\n{link_lines}\n\
             [vertex data]\nzero/float/float\n{zeros}\n[test]\n{}{commands}{}\
             probe rect rgba (0, 0, {drawn}, {up}) (0.0, 1.0, 0.0, 1.0)\ncompare oracle target 1\n",
            self.pattern.state(self.is_wgsl),
            self.pattern.draw(),
        )
    }
}
