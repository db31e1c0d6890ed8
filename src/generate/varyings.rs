//! Random pairs of stages whose varyings carry a distinct value in every component.
//!
//! The vertex stage writes the varyings; the fragment stage compares every component and draws green when all are
//! right. Values are integers, equal at all vertices, so that every interpolation reproduces them to within a quarter.
//! 64-bit values are composed of two words and split again, which also works on adapters without 64-bit types. The
//! vertex stage adds zeros that are not known at compile time, so that no linker can eliminate the varyings. Each
//! program is linked for a number of inter-stage variables that is certain to suffice: with K classes and C components,
//! classes waste at most 3K components, and a 64-bit scalar or vector at most one.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use fastrand::Rng;

/// Inter-stage variables that every adapter has.
pub(super) const MAX_VARIABLES: u32 = 16;

/// Text of the case for `seed`.
pub fn case(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let mut program = Program::default();
    let wanted = rng.u32(1..=4 * MAX_VARIABLES);
    for _ in 0..64 {
        let varying = Varying::random(&mut rng, program.varyings.len());
        let more = program.with(&varying);
        if more.variables() <= MAX_VARIABLES {
            program = more;
        }
        if program.components() >= wanted {
            break;
        }
    }
    program.text(seed, &mut rng)
}

/// A scalar, vector or matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain {
    pub(super) columns: u32,
    pub(super) rows: u32,
    /// Prefix of vectors: `""`, `i`, `u`, `d`, `i64` or `u64`; in WGSL also `h` for halves.
    pub(super) prefix: &'static str,
}

#[derive(Clone, Debug)]
pub(super) enum Type {
    Plain(Plain),
    /// Dimensions, the outermost first.
    Array(Plain, Vec<u32>),
    Struct(Vec<Plain>),
    /// An array of structs.
    Structs(Vec<Plain>, u32),
}

#[derive(Clone, Debug)]
pub(super) struct Varying {
    pub(super) name: String,
    pub(super) ty: Type,
    /// `flat`, `noperspective centroid`, or nothing.
    pub(super) qualifiers: &'static str,
    /// Its location, if it has one.
    pub(super) location: Option<u32>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub(super) varyings: Vec<Varying>,
}

/// A part that is written and compared at once.
pub(super) struct Leaf {
    /// Its GLSL expression.
    pub(super) path: String,
    pub(super) plain: Plain,
}

impl Plain {
    fn random(rng: &mut Rng) -> Self {
        const PREFIXES: [&str; 10] = ["", "", "", "", "", "i", "u", "d", "i64", "u64"];
        let prefix = *rng.choice(PREFIXES.iter()).unwrap_or(&"");
        let rows = rng.u32(1..=4);
        let is_matrix = matches!(prefix, "" | "d") && rows > 1 && rng.u32(0..3) == 0;
        Self { columns: if is_matrix { rng.u32(2..=4) } else { 1 }, rows, prefix }
    }

    fn components(self) -> u32 {
        self.columns * self.rows * if self.is_wide() { 2 } else { 1 }
    }

    /// True for 64-bit scalars.
    pub(super) fn is_wide(self) -> bool {
        matches!(self.prefix, "d" | "i64" | "u64")
    }

    /// Components that may be left empty before its columns.
    fn padding(self) -> u32 {
        if self.is_wide() { self.columns } else { 0 }
    }

    pub(super) fn name(self) -> String {
        match (self.columns, self.rows, self.prefix) {
            (1, 1, "i") => "int".to_owned(),
            (1, 1, "u") => "uint".to_owned(),
            (1, 1, "d") => "double".to_owned(),
            (1, 1, "i64") => "int64_t".to_owned(),
            (1, 1, "u64") => "uint64_t".to_owned(),
            (1, 1, _) => "float".to_owned(),
            (1, rows, prefix) => format!("{prefix}vec{rows}"),
            (columns, rows, prefix) => format!("{prefix}mat{columns}x{rows}"),
        }
    }

    const fn column(self) -> Self {
        Self { columns: 1, ..self }
    }
}

impl Type {
    fn random(rng: &mut Rng) -> Self {
        let members = |rng: &mut Rng| (0..rng.u32(1..=3)).map(|_| Plain::random(rng)).collect();
        match rng.u32(0..8) {
            0 => Self::Array(Plain::random(rng), vec![rng.u32(1..=4)]),
            1 => Self::Array(Plain::random(rng), vec![rng.u32(1..=2), rng.u32(1..=2)]),
            2 => Self::Struct(members(rng)),
            3 => Self::Structs(members(rng), rng.u32(1..=2)),
            _ => Self::Plain(Plain::random(rng)),
        }
    }

    fn plains(&self) -> &[Plain] {
        match self {
            Self::Plain(plain) | Self::Array(plain, _) => std::slice::from_ref(plain),
            Self::Struct(members) | Self::Structs(members, _) => members,
        }
    }

    fn components(&self) -> u32 {
        self.sum(Plain::components)
    }

    /// The sum of `of` over all parts.
    fn sum(&self, of: fn(Plain) -> u32) -> u32 {
        let one: u32 = self.plains().iter().map(|plain| of(*plain)).sum();
        match self {
            Self::Plain(_) | Self::Struct(_) => one,
            Self::Array(_, dimensions) => one * dimensions.iter().product::<u32>(),
            Self::Structs(_, count) => one * count,
        }
    }
}

impl Varying {
    pub(super) fn random(rng: &mut Rng, idx: usize) -> Self {
        const FLOATS: [&str; 9] = [
            "",
            "",
            "smooth",
            "flat",
            "noperspective",
            "centroid",
            "sample",
            "noperspective centroid",
            "flat",
        ];
        let ty = Type::random(rng);
        let has_integers = ty.plains().iter().any(|plain| !plain.prefix.is_empty());
        let picked = rng.choice(FLOATS.iter()).copied().unwrap_or("");
        let qualifiers = if has_integers { "flat" } else { picked };
        Self { name: format!("v{idx}"), ty, qualifiers, location: None }
    }

    fn declare(&self, direction: &str) -> String {
        self.structure() + &self.declaration(direction, &self.name)
    }

    /// The declaration of its structure, if it has one.
    pub(super) fn structure(&self) -> String {
        match &self.ty {
            Type::Plain(_) | Type::Array(..) => String::new(),
            Type::Struct(members) | Type::Structs(members, _) => structure(&self.name, members),
        }
    }

    /// A declaration of a variable of this type that is called `name`.
    pub(super) fn declaration(&self, direction: &str, name: &str) -> String {
        let (ty, suffix) = match &self.ty {
            Type::Plain(plain) => (plain.name(), String::new()),
            Type::Array(plain, dimensions) => {
                let mut suffix = String::new();
                for length in dimensions {
                    let _ = write!(suffix, "[{length}]");
                }
                (plain.name(), suffix)
            }
            Type::Struct(_) => (format!("S{}", self.name), String::new()),
            Type::Structs(_, count) => (format!("S{}", self.name), format!("[{count}]")),
        };
        let qualifiers = self.qualifiers;
        let location = self.location.map(|location| format!("layout(location = {location}) "));
        let location = location.unwrap_or_default();
        format!("{location}{qualifiers} {direction} {ty} {name}{suffix};\n")
    }

    fn leaves(&self) -> Vec<Leaf> {
        self.leaves_of(&self.name)
    }

    /// The parts of a variable of this type that is called `name`.
    pub(super) fn leaves_of(&self, name: &str) -> Vec<Leaf> {
        let mut wholes = Vec::new();
        let member =
            |path: String, (idx, plain): (usize, &Plain)| (format!("{path}.m{idx}"), *plain);
        match &self.ty {
            Type::Plain(plain) => wholes.push((name.to_owned(), *plain)),
            Type::Array(plain, dimensions) => {
                let mut paths = vec![name.to_owned()];
                for length in dimensions {
                    let indices = |path: &String| {
                        (0..*length).map(|idx| format!("{path}[{idx}]")).collect::<Vec<_>>()
                    };
                    paths = paths.iter().flat_map(indices).collect();
                }
                wholes.extend(paths.into_iter().map(|path| (path, *plain)));
            }
            Type::Struct(members) => {
                wholes.extend(
                    members.iter().enumerate().map(|numbered| member(name.to_owned(), numbered)),
                );
            }
            Type::Structs(members, count) => {
                for idx in 0..*count {
                    let path = format!("{name}[{idx}]");
                    wholes.extend(
                        members.iter().enumerate().map(|numbered| member(path.clone(), numbered)),
                    );
                }
            }
        }
        let columns = |(path, plain): (String, Plain)| {
            let path_of = |column| match plain.columns {
                1 => path.clone(),
                _ => format!("{path}[{column}]"),
            };
            let leaf = |column| Leaf { path: path_of(column), plain: plain.column() };
            (0..plain.columns).map(leaf).collect::<Vec<_>>()
        };
        wholes.into_iter().flat_map(columns).collect()
    }
}

/// Writes and compares a 64-bit scalar or vector word by word. Both words contain the number, and a double is normal.
fn write_wide(leaf: &Leaf, first: u32, writes: &mut String, compares: &mut String) {
    let Leaf { path, plain } = leaf;
    let (pack, unpack, words) = match plain.prefix {
        "d" => ("packDouble2x32", "unpackDouble2x32", "uvec2"),
        "i64" => ("packInt2x32", "unpackInt2x32", "ivec2"),
        _ => ("packUint2x32", "unpackUint2x32", "uvec2"),
    };
    for (letter, value) in "xyzw".chars().zip(first..first + plain.rows) {
        let component = if plain.rows == 1 { path.clone() } else { format!("{path}.{letter}") };
        let (low, high) = (value.wrapping_mul(0x9e37_79b1), 0x4000_0000 + value);
        let of = |zero: &str| format!("{words}(uvec2({low}u{zero}, {high}u))");
        let _ = writeln!(writes, "    {component} = {pack}({});", of(" + uint(zero)"));
        let _ = writeln!(compares, "    right = right && {unpack}({component}) == {};", of(""));
    }
}

/// `struct Sv1 { … };`
fn structure(name: &str, members: &[Plain]) -> String {
    let mut text = format!("struct S{name} {{");
    for (idx, member) in members.iter().enumerate() {
        let _ = write!(text, " {} m{idx};", member.name());
    }
    text.push_str(" };\n");
    text
}

impl Program {
    pub(super) fn with(&self, varying: &Varying) -> Self {
        let mut more = self.clone();
        more.varyings.push(varying.clone());
        more
    }

    pub(super) fn components(&self) -> u32 {
        self.varyings.iter().map(|varying| varying.ty.components()).sum()
    }

    /// A number of slots that suffices in any order. The varyings without locations fit behind the last location.
    pub(super) fn variables(&self) -> u32 {
        let class = |varying: &Varying| varying.qualifiers.trim_start_matches("smooth");
        let loose = || self.varyings.iter().filter(|varying| varying.location.is_none());
        let classes = loose().map(class).collect::<BTreeSet<_>>().len();
        let classes = u32::try_from(classes).unwrap_or(u32::MAX);
        let of_loose: u32 =
            loose().map(|varying| varying.ty.components() + varying.ty.sum(Plain::padding)).sum();
        let placed = self.varyings.iter().filter_map(|varying| varying.location);
        placed.max().map_or(0, |last| last + 1) + (of_loose + 3 * classes) / 4
    }

    pub(super) fn has_int64(&self) -> bool {
        let mut plains = self.varyings.iter().flat_map(|varying| varying.ty.plains());
        plains.any(|plain| matches!(plain.prefix, "i64" | "u64"))
    }

    fn text(&self, seed: u64, rng: &mut Rng) -> String {
        let (mut writes, mut compares) = (String::new(), String::new());
        let mut value = 1;
        for leaf in self.varyings.iter().flat_map(Varying::leaves) {
            if leaf.plain.is_wide() {
                write_wide(&leaf, value, &mut writes, &mut compares);
                value += leaf.plain.rows;
                continue;
            }
            let ty = leaf.plain.name();
            let values: Vec<String> =
                (value..value + leaf.plain.rows).map(|value| value.to_string()).collect();
            value += leaf.plain.rows;
            let (path, values) = (&leaf.path, values.join(", "));
            let _ = writeln!(writes, "    {path} = {ty}({values}) + {ty}(zero);");
            let _ = match (leaf.plain.prefix, leaf.plain.rows) {
                ("", 1) => {
                    writeln!(compares, "    right = right && abs({path} - {values}.0) < 0.25;")
                }
                ("", _) => writeln!(
                    compares,
                    "    right = right && all(lessThan(abs({path} - {ty}({values})), {ty}(0.25)));"
                ),
                _ => writeln!(compares, "    right = right && {path} == {ty}({values});"),
            };
        }
        let declare = |direction| -> String {
            self.varyings.iter().map(|varying| varying.declare(direction)).collect()
        };
        let (extension, required) = if self.has_int64() {
            let name = "GL_ARB_gpu_shader_int64";
            (format!("#version 450\n#extension {name} : require\n"), format!("{name}\n"))
        } else {
            (String::new(), String::new())
        };
        format!(
            "# Random varyings, each component with a value of its own: `interstage generate varyings --seed {seed}`.\n\n\
             [require]\nGLSL >= 4.50\n{required}size 4 4\n\n\
             [vertex shader]\n{extension}in vec4 piglit_vertex;\n{}\nvoid main() {{\n    gl_Position = piglit_vertex;\n    \
             float zero = piglit_vertex.z;\n{writes}}}\n\n\
             [fragment shader]\n{extension}{}out vec4 color;\n\nvoid main() {{\n    bool right = true;\n{compares}    \
             color = right ? vec4(0.0, 1.0, 0.0, 1.0) : vec4(1.0, 0.0, 0.0, 1.0);\n}}\n\n\
             [link]\n{}\n[test]\ndraw rect -1 -1 2 2\nprobe all rgba 0.0 1.0 0.0 1.0\ncompare oracle\n",
            declare("out"),
            declare("in"),
            self.link_lines(rng, 0),
        )
    }

    /// Link options that leave room for this number of built-in variables.
    pub(super) fn link_lines(&self, rng: &mut Rng, built_ins: u32) -> String {
        let mut lines = format!("variables {}\n", self.variables().max(1) + built_ins);
        let mode = rng.choice(["on", "on", "scalar", "dense"].iter()).copied().unwrap_or("on");
        let _ = writeln!(lines, "pack {mode}");
        if rng.bool() {
            lines.push_str("optimise dead constants uniforms duplicates convergent\n");
        }
        if rng.u8(0..4) == 0 {
            lines.push_str("native off\n");
        }
        if rng.u8(0..4) == 0 {
            lines.push_str("share centroid noperspective\n");
        }
        lines
    }
}
