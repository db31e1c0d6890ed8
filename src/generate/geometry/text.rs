//! The text of a case.

use std::fmt::Write as _;

use super::{Fate, Generated, Use};
use crate::declared::{Block, Placed, compares, declarations, is_flat, placed, writes};
use crate::varyings::Type;

impl Generated {
    const fn front_block(&self) -> Block {
        Block { name: "front", members: self.front_block }
    }

    const fn own_block(&self) -> Block {
        Block { name: "back", members: self.own_block }
    }

    pub(super) fn front(&self) -> Vec<Placed<'_>> {
        placed(self.front.iter().map(|(varying, _)| varying), self.front_block(), 1)
    }

    pub(super) fn own(&self) -> Vec<Placed<'_>> {
        placed(self.own.iter().map(|(varying, _)| varying), self.own_block(), 101)
    }

    /// A block is the same in all stages, so all of its members are inputs, whatever their use.
    fn is_declared(&self, idx: usize) -> bool {
        self.front[idx].1 != Use::Missing || idx + self.front_block >= self.front.len()
    }

    fn vertex(&self) -> String {
        let front = self.front();
        let writes: String = front.iter().map(|placed| writes(placed, "step")).collect();
        format!(
            "in float zero;\nflat out int instance;\n{}\nvoid main() {{\n    instance = gl_InstanceID;\n    \
             float step = zero + 256.0 * float(gl_VertexID + 16 * gl_InstanceID);\n{writes}}}\n",
            declarations(&front, "out", self.front_block(), "")
        )
    }

    fn geometry(&self) -> String {
        let (front, own) = (self.front(), self.own());
        let (mut compared, mut given) = (String::new(), String::new());
        let (mut inputs, mut passed) = (Vec::new(), String::new());
        let loose = front.len() - self.front_block;
        for (idx, placed) in front.into_iter().enumerate() {
            let of = |vertex: &str| {
                let name = &placed.name;
                if idx < loose {
                    format!("{name}[{vertex}]")
                } else {
                    format!("front[{vertex}].{name}")
                }
            };
            match self.front[idx].1 {
                Use::Compared => compared += &compares(&placed, &of("i"), "step"),
                Use::Passed(_) => {
                    let out = placed.name.replace('v', "w");
                    let from = of(if is_flat(placed.varying) { "number % SIZE" } else { "0" });
                    passed += &placed.varying.declaration("out", &out);
                    let _ = writeln!(given, "    {out} = {from};");
                }
                Use::Missing => {}
            }
            if self.is_declared(idx) {
                inputs.push(placed);
            }
        }
        for placed in &own {
            let step = if is_flat(placed.varying) { "number" } else { "first" };
            given += &writes(placed, &format!("256.0 * float({step})"));
        }
        let emission = &self.emission;
        let size = emission.size.to_string();
        format!(
            "layout({input}{times}) in;\nlayout({output}, max_vertices = {most}) out;\n\
             flat in int instance[];\nflat out ivec4 stamp;\n{}{passed}{}\
             int number = 0;\nint ok = 1;\nint first;\n\n\
             void corner(float x, float y) {{\n    \
             int column = (instance[0] * {primitives} + gl_PrimitiveIDIn) * {invocations} + gl_InvocationID;\n    \
             gl_Position = vec4((float(column) + x) * (2.0 / {count}.0) - 1.0, y, 0.0, 1.0) * {w};\n    \
             stamp = ivec4(first + number % SIZE, first, number, ok);\n{}    EmitVertex();\n    number++;\n}}\n\n\
             void main() {{\n    bool right = true;\n    first = SIZE * gl_PrimitiveIDIn + 16 * instance[0];\n    \
             for (int i = 0; i < SIZE; i++) {{\n    float step = 256.0 * float(first + i);\n{}    }}\n    \
             ok = right ? 1 : 0;\n{}}}\n",
            declarations(&inputs, "in", self.front_block(), "[]"),
            declarations(&own, "out", self.own_block(), ""),
            given.replace("SIZE", &size),
            compared,
            emission.statements(),
            input = emission.input,
            times = times_text(emission.invocations),
            output = emission.output,
            most = emission.max_vertices(),
            primitives = emission.primitives,
            invocations = emission.invocations,
            count = emission.columns(),
            w = emission.w,
        )
        .replace("SIZE", &size)
    }

    fn fragment(&self) -> String {
        let (mut inputs, mut compared) = (String::new(), String::new());
        for (placed, (varying, purpose)) in self.front().into_iter().zip(&self.front) {
            let (Use::Passed(fate), name) = (*purpose, placed.name.replace('v', "w")) else {
                continue;
            };
            if fate != Fate::Missing {
                inputs += &varying.structure();
                inputs += &varying.declaration("in", &name);
            }
            if fate == Fate::Compared {
                let step = if is_flat(varying) { "x" } else { "y" };
                compared += &compares(&placed, &name, &format!("256.0 * float(stamp.{step})"));
            }
        }
        let (mut own, loose) = (Vec::new(), self.own.len() - self.own_block);
        for (idx, (placed, (varying, fate))) in self.own().into_iter().zip(&self.own).enumerate() {
            if *fate == Fate::Compared {
                let step = if is_flat(varying) { "z" } else { "y" };
                let step = format!("256.0 * float(stamp.{step})");
                compared += &compares(&placed, &placed.path, &step);
            }
            if *fate != Fate::Missing || idx >= loose {
                own.push(placed);
            }
        }
        format!(
            "flat in ivec4 stamp;\n{inputs}{}layout(location = 0) out vec4 color;\nlayout(location = 1) out ivec4 told;\n\n\
             void main() {{\n    bool right = stamp.w == 1;\n{compared}    \
             color = right ? vec4(0.0, 1.0, 0.0, 1.0) : vec4(1.0, 0.0, 0.0, 1.0);\n    \
             told = ivec4(stamp.xyz, {});\n}}\n",
            declarations(&own, "in", self.own_block(), ""),
            if self.tells_side() { "gl_FrontFacing ? 1 : 0" } else { "2" },
        )
    }

    /// `[capture]`, and the commands that capture.
    fn captures(&self) -> (String, String) {
        if !self.is_captured {
            return (String::new(), String::new());
        }
        let mut names = vec!["stamp"];
        let loose = self.own.len() - self.own_block;
        for (varying, _) in &self.own[..loose] {
            let (Type::Plain(plain) | Type::Array(plain, _)) = &varying.ty else { continue };
            let is_nested = matches!(&varying.ty, Type::Array(_, sizes) if sizes.len() > 1);
            if !plain.is_wide() && !is_nested {
                names.push(&varying.name);
            }
        }
        let draw = self.emission.draw();
        (
            format!("[capture]\n{}\n\n", names.join("\n")),
            format!("xfb buffer object 0 4096\nxfb {draw}compare oracle capture 0\n"),
        )
    }

    /// The case.
    pub(super) fn text(&self, seed: u64, link_lines: &str) -> String {
        let varyings = self.front.iter().map(|(varying, _)| varying.clone()).collect();
        let front = super::Program { varyings };
        let (extension, required) = if front.has_int64() || self.back.has_int64() {
            let name = "GL_ARB_gpu_shader_int64";
            (format!("#version 450\n#extension {name} : require\n"), format!("{name}\n"))
        } else {
            (String::new(), String::new())
        };
        let [drawn, height] = self.emission.drawn();
        let width = self.emission.columns() * 2;
        let (section, commands) = self.captures();
        let zeros = "0\n".repeat(self.emission.vertices() as usize);
        let (option, word) = if self.is_wgsl { (" --language wgsl", " wgsl") } else { ("", "") };
        let [declared, vertex, fragment] = if self.is_wgsl {
            self.in_wgsl()
        } else {
            [
                String::new(),
                extension.clone() + &self.vertex(),
                extension.clone() + &self.fragment(),
            ]
        };
        format!(
            "# Random varyings of three stages: `interstage generate geometry{option} --seed {seed}`.\n\n\
             [require]\nGLSL >= 4.50\n{required}size {width} {height}\n\n{declared}\
             [vertex shader{word}]\n{vertex}\n[geometry shader]\n{extension}{}\n[fragment shader{word}]\n{fragment}\n\
             {section}[render targets]\n0 rgba8unorm\n1 rgba32sint\n\n[link]\n{link_lines}\n\
             [vertex data]\nzero/float/float\n{zeros}\n[test]\n{}{commands}{}\
             probe rect rgba (0, 0, {drawn}, {height}) (0.0, 1.0, 0.0, 1.0)\ncompare oracle target 1\n",
            self.geometry(),
            self.emission.state(),
            self.emission.draw(),
        )
    }
}

/// The qualifier for this number of invocations.
fn times_text(invocations: u32) -> String {
    match invocations {
        1 => String::new(),
        times => format!(", invocations = {times}"),
    }
}
