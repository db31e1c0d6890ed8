//! Varyings in WGSL: their types and declarations, and the statements that write or compare every part of them.

use std::fmt::Write as _;

use fastrand::Rng;

use crate::declared::Placed;
use crate::varyings::{Leaf, Plain, Type, Varying};

/// Name of a scalar, vector or matrix type.
pub(crate) fn plain(plain: Plain) -> String {
    let scalar = scalar(plain.prefix);
    match (plain.columns, plain.rows) {
        (1, 1) => scalar.to_owned(),
        (1, rows) => format!("vec{rows}<{scalar}>"),
        (columns, rows) => format!("mat{columns}x{rows}<{scalar}>"),
    }
}

/// Name of the scalar type with this prefix in GLSL.
pub(crate) fn scalar(prefix: &str) -> &'static str {
    match prefix {
        "i" => "i32",
        "u" => "u32",
        "h" => "f16",
        _ => "f32",
    }
}

/// Name of the type of a varying.
fn ty(varying: &Varying) -> String {
    match &varying.ty {
        Type::Plain(ty) => plain(*ty),
        Type::Array(element, lengths) => lengths
            .iter()
            .rev()
            .fold(plain(*element), |element, length| format!("array<{element}, {length}>")),
        Type::Struct(_) => format!("S{}", varying.name),
        Type::Structs(_, length) => format!("array<S{}, {length}>", varying.name),
    }
}

/// The declaration of a varying's structure, if it has one.
pub(crate) fn structure(varying: &Varying) -> String {
    let (Type::Struct(members) | Type::Structs(members, _)) = &varying.ty else {
        return String::new();
    };
    let member = |(idx, member): (usize, &Plain)| format!("m{idx}: {}", plain(*member));
    let members: Vec<_> = members.iter().enumerate().map(member).collect();
    format!("struct S{} {{ {} }}\n", varying.name, members.join(", "))
}

/// The declaration of a member or parameter, without the attributes of its interpolation.
pub(crate) fn declaration(varying: &Varying, name: &str) -> String {
    format!("{name}: {}", ty(varying))
}

/// A member with its location and interpolation, for a stage whose neighbour is in GLSL.
fn member(varying: &Varying, name: &str) -> String {
    let declaration = declaration(varying, name);
    let Some(location) = varying.location else { return format!("    {declaration},\n") };
    let way = match varying.qualifiers {
        "flat" => " @interpolate(flat)",
        "noperspective" => " @interpolate(linear)",
        "noperspective centroid" => " @interpolate(linear, centroid)",
        "centroid" => " @interpolate(perspective, centroid)",
        "sample" => " @interpolate(perspective, sample)",
        _ => "",
    };
    format!("    @location({location}){way} {declaration},\n")
}

/// The line of `[varyings]` that gives a varying its interpolation, unless it has a location or needs none.
pub(crate) fn line(varying: &Varying, name: &str) -> String {
    let (Type::Plain(plain) | Type::Array(plain, _)) = &varying.ty else { return String::new() };
    if varying.location.is_some() || varying.qualifiers.is_empty() || plain.prefix == "h" {
        return String::new();
    }
    let mut text = format!("{} {}", varying.qualifiers, plain.name());
    if let Type::Array(_, lengths) = &varying.ty {
        for length in lengths {
            let _ = write!(text, "[{length}]");
        }
    }
    format!("{text} {name}\n")
}

/// The section with these lines, if there are any.
pub(crate) fn section(lines: &str) -> String {
    if lines.is_empty() { String::new() } else { format!("[varyings]\n{lines}\n") }
}

/// Statements that give the parts of a variable, which is at `path`, their values plus `step`, a float.
pub(crate) fn writes(placed: &Placed<'_>, path: &str, step: &str) -> String {
    let write = |part: Part| format!("    {} = {};\n", part.leaf.path, part.value);
    parts(placed, path, step).into_iter().map(write).collect()
}

/// Statements that compare the parts of a variable, which is at `path`.
pub(crate) fn compares(placed: &Placed<'_>, path: &str, step: &str) -> String {
    let compare = |Part { leaf: Leaf { path, plain: ty }, value }: Part| {
        let is_right = match ty.prefix {
            "" | "h" => format!("abs({path} - ({value})) < {}(0.25)", plain(ty)),
            _ => format!("{path} == {value}"),
        };
        if ty.rows == 1 {
            format!("    right = right && {is_right};\n")
        } else {
            format!("    right = right && all({is_right});\n")
        }
    };
    parts(placed, path, step).into_iter().map(compare).collect()
}

/// A scalar or vector of a variable, and its value.
struct Part {
    leaf: Leaf,
    value: String,
}

/// The scalars and vectors of a variable, which is at `path`.
fn parts(placed: &Placed<'_>, path: &str, step: &str) -> Vec<Part> {
    let mut first = placed.first;
    let value = |leaf: Leaf| {
        let numbers = first..first + leaf.plain.rows;
        first = numbers.end;
        let (name, scalar) = (plain(leaf.plain), scalar(leaf.plain.prefix));
        let list: Vec<_> = numbers.map(|number| number.to_string()).collect();
        let step = match (scalar, leaf.plain.rows) {
            ("f32", 1) => step.to_owned(),
            (_, 1) => format!("{scalar}({step})"),
            ("f32", _) => format!("{name}({step})"),
            _ => format!("{name}({scalar}({step}))"),
        };
        Part { leaf, value: format!("{name}({}) + {step}", list.join(", ")) }
    };
    placed.varying.leaves_of(path).into_iter().map(value).collect()
}

/// Converts a varying to one that WGSL and `[varyings]` can declare: scalars have 32 bits, and structures are smooth.
pub(crate) fn declarable(mut varying: Varying) -> Varying {
    let narrow = |plain: &mut Plain| {
        plain.prefix = match plain.prefix {
            "d" => "",
            "i64" => "i",
            "u64" => "u",
            other => other,
        }
    };
    match &mut varying.ty {
        Type::Plain(plain) | Type::Array(plain, _) => narrow(plain),
        Type::Struct(members) | Type::Structs(members, _) => members.iter_mut().for_each(narrow),
    }
    if let Type::Struct(members) | Type::Structs(members, _) = &varying.ty
        && !matches!(varying.qualifiers, "" | "smooth")
    {
        varying.ty = Type::Plain(members[0]);
    }
    varying
}

/// Locations for some of the varyings around stages in GLSL.
#[derive(Debug)]
pub(crate) struct Locations {
    free: Vec<u32>,
    /// Quarters of the probability that a scalar or vector gets one.
    share: u8,
}

impl Locations {
    /// Locations in any order, with gaps.
    pub(crate) fn random(rng: &mut Rng) -> Self {
        let mut free: Vec<u32> = (0..rng.u32(2..12)).collect();
        rng.shuffle(&mut free);
        Self { free, share: *rng.choice([0, 1, 2, 4].iter()).unwrap_or(&0) }
    }

    /// Converts a varying to a [declarable](declarable) one, perhaps with a location.
    pub(crate) fn declarable(&mut self, varying: Varying, rng: &mut Rng) -> Varying {
        let mut varying = declarable(varying);
        let is_plain = matches!(&varying.ty, Type::Plain(plain) if plain.columns == 1);
        if is_plain && rng.u8(0..4) < self.share {
            varying.location = self.free.pop();
        }
        varying
    }
}

/// One side of an interface between a WGSL stage and one in GLSL.
#[derive(Debug, Default)]
pub(crate) struct Side {
    structures: String,
    members: String,
    lines: String,
    /// The statements that write or compare its values.
    pub(crate) statements: String,
}

impl Side {
    /// Declares a varying under this name.
    pub(crate) fn declare(&mut self, varying: &Varying, name: &str) {
        self.structures += &structure(varying);
        self.members += &member(varying, name);
        self.lines += &line(varying, name);
    }

    /// The vertex stage, whose values grow by `step` with every vertex. It also gives the number of the instance.
    pub(crate) fn vertex(&self, step: &str) -> String {
        let Self { structures, members, statements, .. } = self;
        format!(
            "{structures}struct Out {{\n    @builtin(position) position: vec4f,\n    instance: i32,\n{members}}}\n\n\
             @vertex fn main(zero: f32, @builtin(vertex_index) vertex: u32, @builtin(instance_index) which: u32) -> Out {{\n    \
             var out: Out;\n    out.instance = i32(which);\n    \
             let step = zero + {step} * f32(vertex + 16 * which);\n{statements}    return out;\n}}\n"
        )
    }

    /// The fragment stage, which also reads `stamp`, and tells it and the side of the triangle if `tells_side`.
    pub(crate) fn fragment(&self, tells_side: bool) -> String {
        let Self { structures, members, statements, .. } = self;
        let (declared, side) = if tells_side {
            ("    @builtin(front_facing) side: bool,\n", "select(0, 1, in.side)")
        } else {
            ("", "2")
        };
        format!(
            "{structures}struct In {{\n    stamp: vec4i,\n{declared}{members}}}\n\
             struct Targets {{\n    @location(0) color: vec4f,\n    @location(1) told: vec4i,\n}}\n\n\
             @fragment fn main(in: In) -> Targets {{\n    var right = in.stamp.w == 1;\n{statements}    \
             let color = select(vec4f(1.0, 0.0, 0.0, 1.0), vec4f(0.0, 1.0, 0.0, 1.0), right);\n    \
             return Targets(color, vec4i(in.stamp.xyz, {side}));\n}}\n"
        )
    }
}

/// `[varyings]` of a program with these WGSL stages, which have an input `stamp` and an output `instance`.
pub(crate) fn lines_of(vertex: &Side, fragment: &Side) -> String {
    let (first, last) = (&vertex.lines, &fragment.lines);
    section(&format!("flat int instance\nflat ivec4 stamp\n{first}{last}"))
}
