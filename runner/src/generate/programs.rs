//! Random programs of a vertex and a fragment stage, compared with the oracle: arithmetic, control flow, dynamic indices,
//! nested calls, derivatives, and varyings of several types.
//!
//! A program has no undefined behaviour by construction: every variable is initialised, indices are masked, loops are
//! bounded, and nothing is divided. Floats are kept small by `fract`. A seed gives the same program in both languages.

use std::fmt::Write as _;

use fastrand::Rng;

/// The language of the stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Language {
    /// GLSL 4.50
    Glsl,
    /// WGSL
    Wgsl,
}

/// Type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ty {
    Float,
    Int,
    /// So many floats.
    Vec(u8),
}

/// A variable in scope.
#[derive(Clone, Debug)]
struct Var {
    name: String,
    ty: Ty,
}

/// A function that later code may call.
#[derive(Clone, Debug)]
struct Function {
    name: String,
    parameters: Vec<Ty>,
    result: Ty,
}

/// Writes one stage.
struct Writer<'a> {
    rng: &'a mut Rng,
    language: Language,
    text: String,
    scope: Vec<Var>,
    functions: Vec<Function>,
    /// Number of names given.
    names: usize,
    /// Depth of blocks.
    depth: usize,
    /// True in a fragment stage outside of branches, where derivatives are defined.
    has_derivatives: bool,
}

const TYPES: [Ty; 5] = [Ty::Float, Ty::Float, Ty::Int, Ty::Vec(2), Ty::Vec(4)];

/// Text of the case for `seed`.
pub fn case(seed: u64, language: Language) -> String {
    let mut rng = Rng::with_seed(seed);
    let varyings: Vec<_> = (0..rng.usize(1..=5))
        .map(|number| {
            let ty = TYPES[rng.usize(0..TYPES.len())];
            let way = match ty {
                Ty::Int => "flat",
                Ty::Float | Ty::Vec(_) => ["", "", "flat", "centroid"][rng.usize(0..4)],
            };
            (Var { name: format!("v{number}"), ty }, way)
        })
        .collect();
    let vertex = stage(&mut rng, language, &varyings, true);
    let fragment = stage(&mut rng, language, &varyings, false);
    let (word, require) = match language {
        Language::Glsl => ("", "GLSL >= 4.50\n"),
        Language::Wgsl => (" wgsl", ""),
    };
    let uniforms = format!(
        "uniform float u0 {}\nuniform int u1 {}\n",
        f32::from(rng.u8(1..16)) / 16.0,
        rng.u8(0..16)
    );
    format!(
        "# A random program: `interstage generate programs --seed {seed}`.\n\n[require]\n{require}size 8 8\n\n\
         [vertex shader{word}]\n{vertex}\n[fragment shader{word}]\n{fragment}\n\
         [render targets]\n0 rgba32float\n\n[test]\n{uniforms}draw rect -1 -1 2 2\ncompare oracle\n"
    )
}

fn stage(
    rng: &mut Rng,
    language: Language,
    varyings: &[(Var, &'static str)],
    is_vertex: bool,
) -> String {
    let mut writer = Writer {
        rng,
        language,
        text: String::new(),
        scope: Vec::new(),
        functions: Vec::new(),
        names: 0,
        depth: 1,
        has_derivatives: false,
    };
    writer.interface(varyings, is_vertex);
    for _ in 0..writer.rng.usize(0..=3) {
        writer.function();
    }
    writer.main(varyings, is_vertex);
    writer.text
}

impl Writer<'_> {
    fn name_of(&self, ty: Ty) -> String {
        match (self.language, ty) {
            (Language::Glsl, Ty::Float) => "float".to_owned(),
            (Language::Glsl, Ty::Int) => "int".to_owned(),
            (Language::Glsl, Ty::Vec(size)) => format!("vec{size}"),
            (Language::Wgsl, Ty::Float) => "f32".to_owned(),
            (Language::Wgsl, Ty::Int) => "i32".to_owned(),
            (Language::Wgsl, Ty::Vec(size)) => format!("vec{size}<f32>"),
        }
    }

    fn line(&mut self, text: &str) {
        let indent = "    ".repeat(self.depth);
        let _ = writeln!(self.text, "{indent}{text}");
    }

    fn fresh(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    /// Uniforms and varyings.
    fn interface(&mut self, varyings: &[(Var, &'static str)], is_vertex: bool) {
        if self.language == Language::Glsl {
            self.text += "uniform float u0;\nuniform int u1;\n";
            let direction = if is_vertex { "out" } else { "in" };
            for (var, way) in varyings {
                let ty = self.name_of(var.ty);
                let _ = writeln!(self.text, "{way} {direction} {ty} {};", var.name);
            }
            self.text += if is_vertex { "in vec4 piglit_vertex;\n" } else { "out vec4 color;\n" };
            return;
        }
        self.text += "@group(0) @binding(0) var<uniform> u0: f32;\n@group(0) @binding(1) var<uniform> u1: i32;\n";
        self.text += "struct Varyings {\n    @builtin(position) place: vec4<f32>,\n";
        for (location, (var, way)) in varyings.iter().enumerate() {
            let ty = self.name_of(var.ty);
            let way = match *way {
                "" => "perspective",
                "centroid" => "perspective, centroid",
                way => way,
            };
            let _ = writeln!(
                self.text,
                "    @location({location}) @interpolate({way}) {}: {ty},",
                var.name
            );
        }
        self.text += "}\n";
    }

    /// A function of earlier ones.
    fn function(&mut self) {
        let name = self.fresh("call");
        let pick = |rng: &mut Rng| TYPES[rng.usize(0..TYPES.len())];
        let result = pick(self.rng);
        let parameters: Vec<_> = (0..self.rng.usize(1..=3)).map(|_| pick(self.rng)).collect();
        let named: Vec<_> = parameters
            .iter()
            .enumerate()
            .map(|(number, ty)| Var { name: format!("p{number}"), ty: *ty })
            .collect();
        let list: Vec<_> = named
            .iter()
            .map(|var| {
                let ty = self.name_of(var.ty);
                match self.language {
                    Language::Glsl => format!("{ty} {}", var.name),
                    Language::Wgsl => format!("{}: {ty}", var.name),
                }
            })
            .collect();
        let (ty, list) = (self.name_of(result), list.join(", "));
        let head = match self.language {
            Language::Glsl => format!("{ty} {name}({list}) {{"),
            Language::Wgsl => format!("fn {name}({list}) -> {ty} {{"),
        };
        let _ = writeln!(self.text, "{head}");
        self.scope = named;
        self.uniforms();
        self.statements(2);
        let value = self.expression(result, 2);
        self.line(&format!("return {value};"));
        self.text += "}\n";
        self.functions.push(Function { name, parameters, result });
    }

    fn uniforms(&mut self) {
        self.scope.push(Var { name: "u0".to_owned(), ty: Ty::Float });
        self.scope.push(Var { name: "u1".to_owned(), ty: Ty::Int });
    }

    fn main(&mut self, varyings: &[(Var, &'static str)], is_vertex: bool) {
        let is_glsl = self.language == Language::Glsl;
        self.scope.clear();
        self.uniforms();
        let head = match (is_glsl, is_vertex) {
            (true, _) => "void main() {",
            (false, true) => "@vertex fn main(piglit_vertex: vec4<f32>) -> Varyings {",
            (false, false) => "@fragment fn main(input: Varyings) -> @location(0) vec4<f32> {",
        };
        let _ = writeln!(self.text, "{head}");
        if is_vertex {
            self.scope.push(Var { name: "piglit_vertex".to_owned(), ty: Ty::Vec(4) });
        } else {
            let own = varyings.iter().map(|(var, _)| Var {
                name: if is_glsl { var.name.clone() } else { format!("input.{}", var.name) },
                ty: var.ty,
            });
            self.scope.extend(own);
        }
        self.has_derivatives = !is_vertex;
        self.statements(4);
        if is_vertex {
            self.leave(varyings);
        } else {
            let mut values: Vec<_> = (0..4).map(|_| self.expression(Ty::Float, 2)).collect();
            // Every program uses both uniforms, which commands set.
            values[3] += if is_glsl { " + u0 * float(u1)" } else { " + u0 * f32(u1)" };
            let value = format!("{}({})", self.name_of(Ty::Vec(4)), values.join(", "));
            self.line(&if is_glsl {
                format!("color = {value};")
            } else {
                format!("return {value};")
            });
        }
        self.text += "}\n";
    }

    /// Position, with a w that varies at times, and varyings.
    fn leave(&mut self, varyings: &[(Var, &'static str)]) {
        let is_glsl = self.language == Language::Glsl;
        let w = ["1.0", "1.0", "2.0", "(piglit_vertex.x * 0.5 + 1.0)"][self.rng.usize(0..4)];
        let place = format!("piglit_vertex * {w}");
        let values: Vec<_> = varyings.iter().map(|(var, _)| self.expression(var.ty, 3)).collect();
        if is_glsl {
            self.line(&format!("gl_Position = {place};"));
        } else {
            self.line("var all: Varyings;");
            self.line(&format!("all.place = {place};"));
        }
        for ((var, _), value) in varyings.iter().zip(values) {
            let target = if is_glsl { "" } else { "all." };
            self.line(&format!("{target}{} = {value};", var.name));
        }
        if !is_glsl {
            self.line("return all;");
        }
    }

    fn statements(&mut self, count: usize) {
        for _ in 0..self.rng.usize(1..=count) {
            self.statement();
        }
    }

    fn statement(&mut self) {
        match self.rng.u8(0..8) {
            0 if self.depth < 3 => self.branch(),
            1 if self.depth < 3 => self.repeat(),
            2 => self.element(),
            _ => {
                let ty = TYPES[self.rng.usize(0..TYPES.len())];
                let value = self.expression(ty, 3);
                self.declare(ty, &value);
            }
        }
    }

    /// A new variable.
    fn declare(&mut self, ty: Ty, value: &str) -> String {
        let name = self.fresh("x");
        let own = self.name_of(ty);
        match self.language {
            Language::Glsl => self.line(&format!("{own} {name} = {value};")),
            Language::Wgsl => self.line(&format!("var {name}: {own} = {value};")),
        }
        self.scope.push(Var { name: name.clone(), ty });
        name
    }

    /// A variable that one of two branches changes.
    fn branch(&mut self) {
        let ty = TYPES[self.rng.usize(0..TYPES.len())];
        let value = self.expression(ty, 2);
        let changed = self.declare(ty, &value);
        let condition = self.expression(Ty::Int, 2);
        self.line(&format!("if (({condition} & 1) == 0) {{"));
        self.inside(&changed, ty);
        self.line("} else {");
        self.inside(&changed, ty);
        self.line("}");
    }

    /// A variable that a loop changes a few times.
    fn repeat(&mut self) {
        let ty = TYPES[self.rng.usize(0..TYPES.len())];
        let value = self.expression(ty, 2);
        let changed = self.declare(ty, &value);
        let (counter, limit) = (self.fresh("turn"), self.rng.u8(1..=4));
        let head = match self.language {
            Language::Glsl => {
                format!("for (int {counter} = 0; {counter} < {limit}; {counter}++) {{")
            }
            Language::Wgsl => {
                format!("for (var {counter}: i32 = 0; {counter} < {limit}; {counter}++) {{")
            }
        };
        self.line(&head);
        let before = self.scope.len();
        self.scope.push(Var { name: counter, ty: Ty::Int });
        self.inside(&changed, ty);
        self.scope.truncate(before);
        self.line("}");
    }

    /// Statements of a block, the last of which sets a variable from outside.
    fn inside(&mut self, changed: &str, ty: Ty) {
        let (before, had) = (self.scope.len(), self.has_derivatives);
        self.has_derivatives = false;
        self.depth += 1;
        self.statements(2);
        let value = self.expression(ty, 2);
        self.line(&format!("{changed} = {value};"));
        self.depth -= 1;
        self.scope.truncate(before);
        self.has_derivatives = had;
    }

    /// An element of an array, at an index that is known at run time only.
    fn element(&mut self) {
        let name = self.fresh("a");
        let values: Vec<_> = (0..4).map(|_| self.expression(Ty::Float, 2)).collect();
        let values = values.join(", ");
        match self.language {
            Language::Glsl => self.line(&format!("float {name}[4] = float[4]({values});")),
            Language::Wgsl => {
                self.line(&format!("var {name}: array<f32, 4> = array<f32, 4>({values});"));
            }
        }
        let (set, index) = (self.expression(Ty::Int, 1), self.expression(Ty::Int, 2));
        let value = self.expression(Ty::Float, 1);
        self.line(&format!("{name}[{set} & 3] = {value};"));
        self.declare(Ty::Float, &format!("{name}[{index} & 3]"));
    }

    fn expression(&mut self, ty: Ty, depth: usize) -> String {
        let choice = self.rng.u8(0..10);
        if depth > 0
            && choice < 2
            && let Some(call) = self.call(ty, depth)
        {
            return call;
        }
        if depth == 0 || choice < 4 {
            return self.leaf(ty);
        }
        match ty {
            Ty::Int => self.integer(depth - 1),
            Ty::Float => self.float(depth - 1),
            Ty::Vec(size) => self.vector(size, depth - 1),
        }
    }

    fn call(&mut self, ty: Ty, depth: usize) -> Option<String> {
        let fitting: Vec<_> =
            self.functions.iter().filter(|function| function.result == ty).cloned().collect();
        let function = fitting.get(self.rng.usize(0..fitting.len().max(1)))?;
        let arguments: Vec<_> =
            function.parameters.iter().map(|ty| self.expression(*ty, depth - 1)).collect();
        Some(format!("{}({})", function.name, arguments.join(", ")))
    }

    /// A variable or a constant.
    fn leaf(&mut self, ty: Ty) -> String {
        let fitting: Vec<_> = self.scope.iter().filter(|var| var.ty == ty).cloned().collect();
        if !fitting.is_empty() && self.rng.u8(0..4) > 0 {
            return fitting[self.rng.usize(0..fitting.len())].name.clone();
        }
        match ty {
            Ty::Int => self.rng.u8(0..8).to_string(),
            Ty::Float => format!("{:?}", f32::from(self.rng.u8(1..32)) / 16.0),
            Ty::Vec(size) => {
                let parts: Vec<_> = (0..size).map(|_| self.leaf(Ty::Float)).collect();
                format!("{}({})", self.name_of(ty), parts.join(", "))
            }
        }
    }

    fn integer(&mut self, depth: usize) -> String {
        let (a, b) = (self.expression(Ty::Int, depth), self.expression(Ty::Int, depth));
        match self.rng.u8(0..6) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 => format!("({a} * {b})"),
            3 => format!("({a} ^ {b})"),
            4 => format!("min({a}, {b})"),
            _ => match self.language {
                Language::Glsl => format!("({a} << ({b} & 7))"),
                Language::Wgsl => format!("({a} << u32({b} & 7))"),
            },
        }
    }

    fn float(&mut self, depth: usize) -> String {
        let a = self.expression(Ty::Float, depth);
        let is_glsl = self.language == Language::Glsl;
        match self.rng.u8(0..9) {
            0 => format!("fract({a} + {})", self.expression(Ty::Float, depth)),
            1 => format!("({a} * 0.5 - {} * 0.25)", self.expression(Ty::Float, depth)),
            2 => format!("max({a}, {})", self.expression(Ty::Float, depth)),
            3 => format!("sin({a})"),
            4 => {
                let size = [2, 4][self.rng.usize(0..2)];
                let part = ["x", "y"][self.rng.usize(0..2)];
                format!("{}.{part}", self.expression(Ty::Vec(size), depth))
            }
            5 => {
                let number = self.expression(Ty::Int, depth);
                let word = if is_glsl { "float" } else { "f32" };
                format!("({word}({number} & 15) * 0.125)")
            }
            6 => format!("clamp({a}, -1.0, 1.0)"),
            7 if self.has_derivatives => {
                // Of what varies: the derivative of a constant is no test.
                let word = [["dFdx", "dFdy"], ["dpdx", "dpdy"]][usize::from(!is_glsl)];
                format!("{}({a})", word[self.rng.usize(0..2)])
            }
            _ => format!("abs({a})"),
        }
    }

    fn vector(&mut self, size: u8, depth: usize) -> String {
        let ty = Ty::Vec(size);
        let a = self.expression(ty, depth);
        match self.rng.u8(0..5) {
            0 => format!("fract({a} + {})", self.expression(ty, depth)),
            1 => format!("({a} * {})", self.expression(Ty::Float, depth)),
            2 => format!("mix({a}, {}, {:?})", self.expression(ty, depth), 0.25),
            3 => {
                let swizzle = if size == 2 { "yx" } else { "wzyx" };
                format!("{a}.{swizzle}")
            }
            _ => {
                let parts: Vec<_> = (0..size).map(|_| self.expression(Ty::Float, depth)).collect();
                format!("{}({})", self.name_of(ty), parts.join(", "))
            }
        }
    }
}
