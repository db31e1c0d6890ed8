//! Self-checking cases with buffers of WGSL: uniform and storage buffers of every type, with `@align` and `@size`.
//!
//! The words of the buffer are numbered, as floats. A vertex, fragment or compute stage compares every scalar with the
//! number of the word at its expected offset; integers are compared bit by bit, and some indices are known only at run
//! time. A compute stage also copies every scalar and vector to a second buffer of the type, whose padding stays zero. Some
//! uniform buffers are set by the names of their members instead. The layout rules are implemented here independently of
//! naga's.

use std::fmt::Write as _;

use fastrand::Rng;

use super::layout::{Leaf, Member, Space, Ty, matrix_stride};

/// Limit on words with values; more make shaders slow to compile.
const MAX_WORDS: usize = 100;

/// Text of the case for `seed`.
pub fn case(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    loop {
        let buffer = Buffer::random(&mut rng);
        let words: usize = buffer.leaves().iter().map(|leaf| values(leaf).len()).sum();
        if (1..=MAX_WORDS).contains(&words) {
            return buffer.text(seed, &mut rng);
        }
    }
}

/// The stage that compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Vertex,
    Fragment,
    Compute,
}

#[derive(Clone, Debug)]
struct Buffer {
    ty: Ty,
    space: Space,
    stage: Stage,
    group: u32,
    binding: u32,
    /// True if the values are set by the names of the members.
    is_named: bool,
    /// Bytes behind the last element of an array without a length.
    left_over: u32,
}

/// A scalar, vector, column or atomic: its expression behind the name of the buffer, its components, and its words.
struct Column {
    path: String,
    prefix: &'static str,
    is_atomic: bool,
    words: Vec<u32>,
}

/// The words with the values of a leaf.
fn values(leaf: &Leaf) -> Vec<u32> {
    columns(leaf).into_iter().flat_map(|column| column.words).collect()
}

/// The columns of a leaf.
fn columns(leaf: &Leaf) -> Vec<Column> {
    let words = |at: u32, rows: u32| (at / 4..at / 4 + rows).collect::<Vec<_>>();
    let one = |prefix, is_atomic, rows| {
        let (path, words) = (leaf.path.clone(), words(leaf.at, rows));
        vec![Column { path, prefix, is_atomic, words }]
    };
    match &leaf.ty {
        Ty::Vector(rows, prefix) => one(*prefix, false, *rows),
        Ty::Atomic(prefix) => one(*prefix, true, 1),
        Ty::Matrix(columns, rows) => {
            let column = |number| Column {
                path: format!("{}[{number}]", leaf.path),
                prefix: "",
                is_atomic: false,
                words: words(leaf.at + number * matrix_stride(*rows), *rows),
            };
            (0..*columns).map(column).collect()
        }
        Ty::Array(..) | Ty::Runtime(..) | Ty::Struct(_) => Vec::new(),
    }
}

impl Column {
    /// Its value, read at `path`.
    fn read(&self, path: &str, rng: &mut Rng) -> String {
        if !self.is_atomic {
            return path.to_owned();
        }
        let zero = if self.prefix == "i" { "i32(zero)" } else { "zero" };
        match rng.u8(0..4) {
            0 => format!("atomicAdd(&{path}, {zero})"),
            1 => format!("atomicOr(&{path}, {zero})"),
            _ => format!("atomicLoad(&{path})"),
        }
    }

    /// Its expression behind the name of a buffer; half of them with indices unknown to the compiler.
    fn indexed(&self, buffer: &str, rng: &mut Rng) -> String {
        let path = format!("{buffer}{}", self.path);
        if rng.bool() { path.replace('[', "[zero + ") } else { path }
    }

    /// A comparison as a whole or component by component.
    fn compares(&self, rng: &mut Rng) -> String {
        let path = self.indexed("b", rng);
        let rows = self.words.len();
        let bits = |ty: &str, value: String| match self.prefix {
            "" => value,
            _ => format!("bitcast<{ty}>({value})"),
        };
        if rows == 1 {
            let value = bits("f32", self.read(&path, rng));
            return format!("    right = right && {value} == {}.0;\n", self.words[0]);
        }
        if rng.bool() {
            let list: Vec<_> = self.words.iter().map(|word| format!("{word}.0")).collect();
            let value = bits(&format!("vec{rows}f"), path);
            let list = list.join(", ");
            return format!("    right = right && all({value} == vec{rows}f({list}));\n");
        }
        let mut text = String::new();
        for (row, word) in self.words.iter().enumerate() {
            let part = match rng.u8(0..3) {
                0 => format!("{path}[zero + {row}]"),
                1 => format!("{path}[{row}]"),
                _ => format!("{path}.{}", ["x", "y", "z", "w"][row]),
            };
            let _ = writeln!(text, "    right = right && {} == {word}.0;", bits("f32", part));
        }
        text
    }

    /// A statement that copies it to the buffer `copy`.
    fn copies(&self, rng: &mut Rng) -> String {
        let (to, from) = (self.indexed("copy", rng), self.indexed("b", rng));
        let value = self.read(&from, rng);
        if self.is_atomic {
            format!("    atomicStore(&{to}, {value});\n")
        } else {
            format!("    {to} = {value};\n")
        }
    }
}

impl Buffer {
    fn random(rng: &mut Rng) -> Self {
        let stage = [Stage::Fragment, Stage::Fragment, Stage::Vertex, Stage::Compute];
        let stage = stage[rng.usize(0..4)];
        let space = match rng.u8(0..4) {
            0 | 1 => Space::Uniform,
            2 if stage != Stage::Vertex => Space::ReadWrite,
            _ => Space::Read,
        };
        let is_storage = space != Space::Uniform;
        let runtime = |rng: &mut Rng, depth| {
            Ty::Runtime(Box::new(Ty::element(rng, depth, space)), rng.u32(1..=3))
        };
        let ty = match rng.u8(0..8) {
            0 if is_storage => runtime(rng, 3),
            1 => Ty::Array(Box::new(Ty::element(rng, 3, space)), rng.u32(1..=3)),
            2..=4 if is_storage => {
                let mut members = Member::some(rng, 3, space);
                members.push(Member::of(runtime(rng, 2), rng, space));
                Ty::Struct(members)
            }
            _ => Ty::Struct(Member::some(rng, 3, space)),
        };
        let left_over = rng.u32(0..4) * 4;
        let [group, binding] = [rng.u32(0..4), rng.u32(0..8)];
        let is_named = !is_storage && rng.u8(0..3) == 0;
        Self { ty, space, stage, group, binding, is_named, left_over }
    }

    fn leaves(&self) -> Vec<Leaf> {
        self.ty.leaves("", 0)
    }
}

impl Buffer {
    /// Bytes of the buffer.
    fn bytes(&self) -> u32 {
        self.ty.size() + if self.ty.tail().is_some() { self.left_over } else { 0 }
    }

    /// Declarations of the buffers.
    fn declarations(&self) -> String {
        let mut structures = Vec::new();
        let ty = self.ty.name(&mut structures);
        let Self { group, binding, .. } = self;
        let space = match self.space {
            Space::Uniform => "uniform",
            Space::Read => "storage, read",
            Space::ReadWrite => "storage, read_write",
        };
        let mut text = structures.concat();
        let _ = writeln!(text, "@group({group}) @binding({binding}) var<{space}> b: {ty};");
        let other = (group + 1) % 4;
        let _ = writeln!(text, "@group({other}) @binding(3) var<uniform> zero: u32;");
        if self.stage == Stage::Compute {
            let copy = binding + 1;
            let _ = write!(
                text,
                "@group({group}) @binding({copy}) var<storage, read_write> copy: {ty};\n\
                 @group({other}) @binding(4) var<storage, read_write> found: u32;\n"
            );
        }
        text
    }

    /// The statements that compare.
    fn compares(&self, rng: &mut Rng) -> String {
        let mut text = "    var right = zero == 0;\n".to_owned();
        if let Some(tail) = self.ty.tail() {
            let length = (self.bytes() - tail.at) / tail.ty.stride();
            let _ =
                writeln!(text, "    right = right && arrayLength(&b{}) == {length};", tail.path);
        }
        for column in self.leaves().iter().flat_map(columns) {
            text += &column.compares(rng);
        }
        text
    }

    /// The sections of the stages.
    fn stages(&self, rng: &mut Rng) -> String {
        let (declared, compares) = (self.declarations(), self.compares(rng));
        let color = "select(vec4f(1.0, 0.0, 0.0, 1.0), vec4f(0.0, 1.0, 0.0, 1.0), right)";
        match self.stage {
            Stage::Vertex => format!(
                "[vertex shader wgsl]\n{declared}\n\
                 struct Out {{\n    @builtin(position) position: vec4f,\n    @location(0) color: vec4f,\n}}\n\n\
                 @vertex fn main(piglit_vertex: vec4f) -> Out {{\n{compares}    \
                 return Out(piglit_vertex, {color});\n}}\n\n\
                 [fragment shader wgsl]\n\
                 @fragment fn main(@location(0) color: vec4f) -> @location(0) vec4f {{\n    return color;\n}}\n"
            ),
            Stage::Fragment => format!(
                "[vertex shader passthrough]\n\n[fragment shader wgsl]\n{declared}\n\
                 @fragment fn main() -> @location(0) vec4f {{\n{compares}    return {color};\n}}\n"
            ),
            Stage::Compute => {
                let leaves = self.leaves();
                let copies: String =
                    leaves.iter().flat_map(columns).map(|column| column.copies(rng)).collect();
                format!(
                    "[compute shader wgsl]\n{declared}\n\
                     @compute @workgroup_size(1) fn main() {{\n{compares}    found = select(1u, 2u, right);\n\
                     {copies}}}\n"
                )
            }
        }
    }

    /// Commands that give the words of the buffer their values.
    fn fill(&self) -> String {
        let place = place(self.group, self.binding);
        let numbers = |from: u32, to: u32| -> String {
            let words: Vec<_> = (from..to).map(|word| word.to_string()).collect();
            words.join(" ")
        };
        let words = self.bytes() / 4;
        if self.space != Space::Uniform {
            let bytes = self.bytes();
            return format!(
                "ssbo {place} {bytes}\nssbo {place} subdata float 0 {}\n",
                numbers(0, words)
            );
        }
        if self.is_named {
            return self.leaves().iter().map(named).collect();
        }
        let mut text = format!("block binding {place}\n");
        for first in (0..words).step_by(4) {
            let end = words.min(first + 4);
            let ty = ["float", "vec2", "vec3", "vec4"][(end - first - 1) as usize];
            let _ = writeln!(
                text,
                "block offset {}\nuniform {ty} words {}",
                4 * first,
                numbers(first, end)
            );
        }
        text
    }

    /// The commands that run the stage, and what they expect.
    fn run(&self) -> String {
        if self.stage != Stage::Compute {
            return "draw rect -1 -1 2 2\nprobe all rgba 0.0 1.0 0.0 1.0\ncompare oracle\n"
                .to_owned();
        }
        let copy = place(self.group, self.binding + 1);
        let found = place((self.group + 1) % 4, 4);
        let mut words = vec![0; self.bytes() as usize / 4];
        for word in self.leaves().iter().flat_map(values) {
            words[word as usize] = word;
        }
        let words: Vec<_> = words.into_iter().map(|word| word.to_string()).collect();
        format!(
            "ssbo {copy} {}\nssbo {found} 4\ncompute 1 1 1\nprobe buffer {found} uint 0 == 2\n\
             probe buffer {copy} float 0 == {}\ncompare oracle ssbo {copy}\n",
            self.bytes(),
            words.join(" "),
        )
    }

    fn text(&self, seed: u64, rng: &mut Rng) -> String {
        let size = if self.stage == Stage::Compute { "" } else { "[require]\nsize 4 4\n\n" };
        format!(
            "# Every scalar of a buffer is where WGSL puts it: `interstage generate blocks --language wgsl --seed {seed} --count 1`.\n\n\
             {size}{}\n[test]\nuniform uint zero 0\n{}{}",
            self.stages(rng),
            self.fill(),
            self.run(),
        )
    }
}

/// A group and binding, as commands write them.
fn place(group: u32, binding: u32) -> String {
    if group == 0 { binding.to_string() } else { format!("{group}:{binding}") }
}

/// The line that sets a leaf by its name.
fn named(leaf: &Leaf) -> String {
    let list = |of: &dyn Fn(u32) -> String| -> String {
        values(leaf).into_iter().map(of).collect::<Vec<_>>().join(" ")
    };
    #[expect(clippy::cast_precision_loss, reason = "words are few")]
    let bits = |word: u32| (word as f32).to_bits().to_string();
    let (ty, values) = match &leaf.ty {
        Ty::Matrix(columns, rows) => {
            (format!("mat{columns}x{rows}"), list(&|word| word.to_string()))
        }
        Ty::Vector(1, "") => ("float".to_owned(), list(&|word| word.to_string())),
        Ty::Vector(1, "i") => ("int".to_owned(), list(&bits)),
        Ty::Vector(1, _) => ("uint".to_owned(), list(&bits)),
        Ty::Vector(rows, "") => (format!("vec{rows}"), list(&|word| word.to_string())),
        Ty::Vector(rows, prefix) => (format!("{prefix}vec{rows}"), list(&bits)),
        Ty::Atomic(_) | Ty::Array(..) | Ty::Runtime(..) | Ty::Struct(_) => return String::new(),
    };
    format!("uniform {ty} b{} {values}\n", leaf.path)
}
