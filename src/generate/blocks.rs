//! Self-checking cases with blocks of all layouts.
//!
//! The words of the buffer are numbered, as floats. The fragment stage compares every scalar of the block with the
//! number of the word at its expected offset, and draws green when all are right; integers are compared bit by bit, and
//! some indices are known only at run time. `[link]` expects every offset, stride and matrix order that GL reports. The
//! layout rules are implemented here independently of the linker's.
//!
//! The first 270 seeds are the space of piglit's generator of uniform blocks: nine matrix types, row-major,
//! column-major or by the block's default, in five nestings, in std140 and `shared`. All others are random.

use std::fmt::Write as _;

use fastrand::Rng;

/// Number of cases that are not random.
pub const SHAPES: u64 = 270;
/// Limit on scalars; more make shaders slow to compile.
const MAX_SCALARS: usize = 100;

/// Text of the case for `seed`.
pub fn case(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    if seed < SHAPES {
        return Block::shape(seed).text(seed, &mut rng);
    }
    loop {
        let block = Block::random(&mut rng);
        if block.leaves().scalars.len() <= MAX_SCALARS {
            return block.text(seed, &mut rng);
        }
    }
}

/// A type.
#[derive(Clone, Debug)]
enum Node {
    /// Columns (1 for vectors), rows, and `""`, `i` or `u`.
    Plain(u32, u32, &'static str),
    Array(Box<Node>, u32),
    Struct(Vec<Node>),
}

use Node::{Array, Plain, Struct};

#[derive(Clone, Debug)]
struct Member {
    ty: Node,
    /// `row_major` or `column_major`, if specified.
    is_row_major: Option<bool>,
}

#[derive(Clone, Debug)]
struct Block {
    members: Vec<Member>,
    /// `std140`, `std430`, `scalar` or `shared`.
    packing: &'static str,
    is_storage: bool,
    is_row_major: Option<bool>,
}

/// Alignment rules of a block.
#[derive(Clone, Copy)]
struct Rules {
    /// Minimum alignment of arrays and structs.
    least: u32,
    /// True if vectors align like their scalars.
    is_scalar: bool,
    is_row_major: bool,
}

/// All leaves of a block.
#[derive(Default)]
struct Leaves {
    /// `member` lines of `[link]`.
    members: Vec<String>,
    /// Each scalar's name in the shader, its prefix, and its word number.
    scalars: Vec<(String, &'static str, u32)>,
    /// Bytes in use.
    end: u32,
}

const fn up(value: u32, to: u32) -> u32 {
    value.div_ceil(to) * to
}

impl Rules {
    /// Number of vectors that are stored contiguously, and their components.
    const fn vectors(self, columns: u32, rows: u32) -> (u32, u32) {
        if self.is_row_major && columns > 1 { (rows, columns) } else { (columns, rows) }
    }

    const fn vector_alignment(self, components: u32) -> u32 {
        match components {
            _ if self.is_scalar => 4,
            1 => 4,
            2 => 8,
            _ => 16,
        }
    }

    fn alignment(self, ty: &Node) -> u32 {
        match ty {
            Plain(1, rows, _) => self.vector_alignment(*rows),
            Plain(columns, rows, _) => {
                up(self.vector_alignment(self.vectors(*columns, *rows).1), self.least)
            }
            Array(element, _) => up(self.alignment(element), self.least),
            Struct(members) => {
                let most = members.iter().map(|member| self.alignment(member)).max();
                up(most.unwrap_or(4), self.least)
            }
        }
    }

    /// Stride between the vectors of a matrix, in bytes.
    fn matrix_step(self, columns: u32, rows: u32) -> u32 {
        let components = self.vectors(columns, rows).1;
        up(up(4 * components, self.vector_alignment(components)), self.least)
    }

    fn size(self, ty: &Node) -> u32 {
        match ty {
            Plain(1, rows, _) => 4 * rows,
            Plain(columns, rows, _) => {
                self.matrix_step(*columns, *rows) * self.vectors(*columns, *rows).0
            }
            Array(element, length) => self.step(ty, element) * length,
            Struct(members) => {
                let place =
                    |end: u32, member: &Node| up(end, self.alignment(member)) + self.size(member);
                up(members.iter().fold(0, place), self.alignment(ty))
            }
        }
    }

    /// Array stride in bytes.
    fn step(self, array: &Node, element: &Node) -> u32 {
        up(self.size(element), self.alignment(array))
    }
}

impl Node {
    fn random(rng: &mut Rng, depth: u32) -> Self {
        match rng.u32(0..8) {
            0 | 1 if depth > 0 => Array(Box::new(Self::random(rng, depth - 1)), rng.u32(1..=3)),
            2 | 3 if depth > 0 => {
                Struct((0..rng.u32(1..=3)).map(|_| Self::random(rng, depth - 1)).collect())
            }
            4 | 5 => Plain(rng.u32(2..=4), rng.u32(2..=4), ""),
            _ => Plain(1, rng.u32(1..=4), ["", "", "i", "u"][rng.usize(0..4)]),
        }
    }

    fn has_matrix(&self) -> bool {
        match self {
            Plain(columns, _, _) => *columns > 1,
            Array(element, _) => element.has_matrix(),
            Struct(members) => members.iter().any(Self::has_matrix),
        }
    }

    /// Type name, and the dimensions after the variable name; declares structs first.
    fn name(&self, structs: &mut Vec<String>) -> (String, String) {
        match self {
            Plain(1, 1, prefix) => {
                let name = match *prefix {
                    "i" => "int",
                    "u" => "uint",
                    _ => "float",
                };
                (name.to_owned(), String::new())
            }
            Plain(1, rows, prefix) => (format!("{prefix}vec{rows}"), String::new()),
            Plain(columns, rows, _) => (format!("mat{columns}x{rows}"), String::new()),
            Array(element, length) => {
                let (name, dimensions) = element.name(structs);
                (name, format!("[{length}]{dimensions}"))
            }
            Struct(members) => {
                let mut text = String::new();
                for (idx, member) in members.iter().enumerate() {
                    let (name, dimensions) = member.name(structs);
                    let _ = write!(text, " {name} m{idx}{dimensions};");
                }
                let name = format!("S{}", structs.len());
                structs.push(format!("struct {name} {{{text} }};\n"));
                (name, String::new())
            }
        }
    }
}

/// Where a value of a block is.
struct Place {
    /// Rules of the member of the block that it belongs to.
    rules: Rules,
    /// Byte of the block where it begins.
    at: u32,
    /// The shader's expression for it.
    path: String,
    /// GL's name of it, if GL lists it.
    name: Option<String>,
}

impl Place {
    /// The place of the part with this suffix, at byte `at` of the block.
    fn part(&self, suffix: &str, at: u32) -> Self {
        let path = format!("{}{suffix}", self.path);
        let name = self.name.as_ref().map(|name| format!("{name}{suffix}"));
        Self { rules: self.rules, at, path, name }
    }
}

impl Leaves {
    /// Adds a value.
    fn add(&mut self, ty: &Node, place: &Place) {
        let rules = place.rules;
        match ty {
            Plain(columns, rows, prefix) => {
                self.add_plain(*columns, *rows, prefix, place);
                self.list(ty, place, None);
            }
            Array(element, length) => {
                let step = rules.step(ty, element);
                let is_plain = matches!(**element, Plain(..));
                if is_plain {
                    self.list(element, place, Some(step));
                }
                for idx in 0..*length {
                    let mut part = place.part(&format!("[{idx}]"), place.at + idx * step);
                    part.name = part.name.filter(|_| !is_plain);
                    self.add(element, &part);
                }
                self.end = self.end.max(place.at + step * length);
            }
            Struct(members) => {
                let mut end = place.at;
                for (idx, member) in members.iter().enumerate() {
                    let at = up(end, rules.alignment(member));
                    self.add(member, &place.part(&format!(".m{idx}"), at));
                    end = at + rules.size(member);
                }
            }
        }
    }

    fn add_plain(&mut self, columns: u32, rows: u32, prefix: &'static str, place: &Place) {
        let Place { rules, at, path, .. } = place;
        let step = rules.matrix_step(columns, rows);
        for column in 0..columns {
            for row in 0..rows {
                let (outer, inner) =
                    if rules.is_row_major && columns > 1 { (row, column) } else { (column, row) };
                let path = match (columns, rows) {
                    (1, 1) => path.clone(),
                    (1, _) => format!("{path}[{row}]"),
                    _ => format!("{path}[{column}][{row}]"),
                };
                self.scalars.push((path, prefix, (at + outer * step + inner * 4) / 4));
            }
        }
        let size = if columns == 1 { 4 * rows } else { step * rules.vectors(columns, rows).0 };
        self.end = self.end.max(at + size);
    }

    /// Adds the line of a value, or of an array of such values, if GL lists it.
    fn list(&mut self, ty: &Node, place: &Place, stride: Option<u32>) {
        let Place { rules, at, name: Some(name), .. } = place else { return };
        let mut line = format!("member {name} offset {at} stride {}", stride.unwrap_or(0));
        if let Plain(columns @ 2.., rows, _) = ty {
            let step = rules.matrix_step(*columns, *rows);
            let is_row_major = u32::from(rules.is_row_major);
            let _ = write!(line, " matrix_stride {step} row_major {is_row_major}");
        }
        self.members.push(line);
    }
}

impl Block {
    fn random(rng: &mut Rng) -> Self {
        let order = |rng: &mut Rng| [None, None, Some(true), Some(false)][rng.usize(0..4)];
        let members = (0..rng.u32(1..=4)).map(|_| {
            let ty = Node::random(rng, 3);
            let is_row_major = order(rng).filter(|_| ty.has_matrix());
            Member { ty, is_row_major }
        });
        let members = members.collect();
        let packing = ["std140", "std430", "scalar", "shared"][rng.usize(0..4)];
        Self { members, packing, is_storage: rng.bool(), is_row_major: order(rng) }
    }

    /// One of piglit's shapes, between two floats.
    fn shape(seed: u64) -> Self {
        let digit = |divisor: u64, base: u64| u32::try_from(seed / divisor % base).unwrap_or(0);
        let matrix = Plain(2 + digit(1, 3), 2 + digit(3, 3), "");
        let is_row_major = [Some(true), Some(false), None][digit(9, 3) as usize];
        let float = || Plain(1, 1, "");
        let ty = match digit(27, 5) {
            0 => matrix,
            1 => Array(Box::new(matrix), 2),
            2 => Struct(vec![float(), matrix, float()]),
            3 => Array(Box::new(Struct(vec![float(), matrix])), 2),
            _ => {
                let inner = Struct(vec![Array(Box::new(matrix), 2), float()]);
                Struct(vec![float(), Array(Box::new(inner), 2)])
            }
        };
        let packing = if digit(135, 2) == 0 { "std140" } else { "shared" };
        let plain = || Member { ty: float(), is_row_major: None };
        let members = vec![plain(), Member { ty, is_row_major }, plain()];
        // A member without a qualifier uses the block's order, which is row-major in every second case.
        let is_row_major = seed.is_multiple_of(2).then_some(true);
        Self { members, packing, is_storage: false, is_row_major }
    }

    fn leaves(&self) -> Leaves {
        let mut leaves = Leaves::default();
        let mut end = 0;
        for (idx, member) in self.members.iter().enumerate() {
            let rules = Rules {
                least: if matches!(self.packing, "std140" | "shared") { 16 } else { 4 },
                is_scalar: self.packing == "scalar",
                is_row_major: member.is_row_major.or(self.is_row_major).unwrap_or(false),
            };
            let at = up(end, rules.alignment(&member.ty));
            let (path, name) = (format!("b.m{idx}"), Some(format!("B.m{idx}")));
            let place = Place { rules, at, path, name };
            match &member.ty {
                // For a composite array that is a direct member of a storage block, GL lists the first element.
                Array(element, length) if self.is_storage && !matches!(**element, Plain(..)) => {
                    let step = rules.step(&member.ty, element);
                    for idx in 0..*length {
                        let mut part = place.part(&format!("[{idx}]"), at + idx * step);
                        part.name = part.name.filter(|_| idx == 0);
                        leaves.add(element, &part);
                    }
                    leaves.end = leaves.end.max(at + step * length);
                }
                ty @ (Plain(..) | Array(..) | Struct(_)) => leaves.add(ty, &place),
            }
            end = at + rules.size(&member.ty);
        }
        leaves
    }

    fn text(&self, seed: u64, rng: &mut Rng) -> String {
        let leaves = self.leaves();
        let (mut structs, mut members) = (Vec::new(), String::new());
        for (idx, member) in self.members.iter().enumerate() {
            let (name, dimensions) = member.ty.name(&mut structs);
            let order = order_words(member.is_row_major);
            let _ = writeln!(members, "    {order}{name} m{idx}{dimensions};");
        }
        let order = match self.is_row_major {
            None => "",
            Some(true) => ", row_major",
            Some(false) => ", column_major",
        };
        let kind = if self.is_storage { "readonly buffer" } else { "uniform" };
        let size = up(leaves.end, 16);
        let count = leaves.members.len();
        format!(
            "# Every scalar of a block is where its rules put it: `interstage generate blocks --seed {seed} --count 1`.\n\n\
             [require]\nGLSL >= 4.50\nsize 4 4\n\n[vertex shader passthrough]\n\n[fragment shader]\n#version 450\n\
             #extension GL_EXT_scalar_block_layout : require\n{}layout({}{order}, binding = 1) {kind} B {{\n{members}}} b;\n\
             uniform int zero;\nout vec4 color;\n\nvoid main() {{\n    bool right = zero == 0;\n{}    \
             color = right ? vec4(0.0, 1.0, 0.0, 1.0) : vec4(1.0, 0.0, 0.0, 1.0);\n}}\n\n\
             [link]\nblock B size {size} binding 1 members {count}\n{}\n\n[test]\nuniform int zero 0\n{}\
             draw rect -1 -1 2 2\nprobe all rgba 0.0 1.0 0.0 1.0\ncompare oracle\n",
            structs.concat(),
            self.packing,
            compares(&leaves, rng),
            leaves.members.join("\n"),
            self.fill(size),
        )
    }

    /// Numbers the words of the buffer.
    fn fill(&self, size: u32) -> String {
        let numbers = |from: u32, to: u32| -> String {
            let words: Vec<String> = (from..to).map(|word| word.to_string()).collect();
            words.join(" ")
        };
        if self.is_storage {
            return format!("ssbo 1 {size}\nssbo 1 subdata float 0 {}\n", numbers(0, size / 4));
        }
        let mut text = "block binding 1\n".to_owned();
        for vector in 0..size / 16 {
            let four = numbers(4 * vector, 4 * vector + 4);
            let _ = writeln!(text, "block offset {}\nuniform vec4 words {four}", 16 * vector);
        }
        text
    }
}

fn order_words(is_row_major: Option<bool>) -> &'static str {
    match is_row_major {
        None => "",
        Some(true) => "layout(row_major) ",
        Some(false) => "layout(column_major) ",
    }
}

/// One comparison per scalar; half of them with indices unknown to the compiler.
fn compares(leaves: &Leaves, rng: &mut Rng) -> String {
    let mut text = String::new();
    for (path, prefix, word) in &leaves.scalars {
        let path = if rng.bool() { path.replace('[', "[zero + ") } else { path.clone() };
        let value = match *prefix {
            "i" => format!("intBitsToFloat({path})"),
            "u" => format!("uintBitsToFloat({path})"),
            _ => path,
        };
        let _ = writeln!(text, "    right = right && {value} == {word}.0;");
    }
    text
}
