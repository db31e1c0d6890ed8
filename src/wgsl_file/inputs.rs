//! Values for buffers, uniforms and attributes.

use std::fmt::Write as _;

use ir::interface::{ScalarKind, Type};
use ir::layout::natural;
use naga::proc::Layouter;
use naga::{ArraySize, Handle, Module, TypeInner};

/// Number of elements of a runtime-sized array without a setting.
pub(super) const ELEMENTS: u32 = 8;

/// Maximum number of scalars of a buffer that get a value; the others are zero.
const MAX_SCALARS: usize = 4096;

/// A scalar in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    offset: u32,
    scalar: naga::Scalar,
    part: Part,
}

/// What a scalar is a part of, which decides its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// A scalar, a vector, or a matrix that is not square.
    Any,
    /// The diagonal of a square matrix of floats.
    Diagonal,
    /// A square matrix of floats, beside its diagonal.
    BesideDiagonal,
}

impl Part {
    /// The part that component `index` of a matrix is, column by column.
    const fn of_matrix(index: usize, columns: usize, rows: usize) -> Self {
        match (columns == rows, index / rows == index % rows) {
            (false, _) => Self::Any,
            (true, true) => Self::Diagonal,
            (true, false) => Self::BesideDiagonal,
        }
    }

    /// The float with this number. Square matrices are near the identity, so places that they transform stay near the
    /// target.
    fn float(self, number: usize) -> f32 {
        match self {
            Self::Any => quarter(number),
            Self::Diagonal => 1.0 + quarter(number) / 64.0,
            Self::BesideDiagonal => quarter(number) / 64.0,
        }
    }
}

impl Leaf {
    /// True if the scalar can have this value.
    pub(super) fn takes(self, value: f64) -> bool {
        let is_whole = value.fract() == 0.0;
        match self.scalar.kind {
            naga::ScalarKind::Float => true,
            naga::ScalarKind::Uint => is_whole && value >= 0.0,
            _ => is_whole,
        }
    }
}

/// True if a buffer of this type ends with a runtime-sized array.
pub(super) fn is_sized_at_runtime(module: &Module, ty: Handle<naga::Type>) -> bool {
    match &module.types[ty].inner {
        TypeInner::Array { size, .. } => *size == ArraySize::Dynamic,
        TypeInner::Struct { members, .. } => {
            members.last().is_some_and(|last| is_sized_at_runtime(module, last.ty))
        }
        _ => false,
    }
}

/// Bytes of a buffer of this type, and its scalars, if a runtime-sized array has this number of elements.
pub(super) fn leaves(
    module: &Module,
    ty: Handle<naga::Type>,
    elements: u32,
) -> Option<(u32, Vec<Leaf>)> {
    let mut layouter = Layouter::default();
    layouter.update(module.to_ctx()).ok()?;
    let mut all = Vec::new();
    let shapes = Shapes { module, layouter: &layouter, elements };
    shapes.add_leaves(ty, 0, &mut all);
    let inner = &module.types[ty].inner;
    let size = match inner {
        TypeInner::Array { size: ArraySize::Dynamic, stride, .. } => {
            stride.checked_mul(elements)?
        }
        TypeInner::Struct { members, .. } => match members.last() {
            Some(last) => match module.types[last.ty].inner {
                TypeInner::Array { size: ArraySize::Dynamic, stride, .. } => {
                    last.offset.checked_add(stride.checked_mul(elements)?)?
                }
                _ => layouter[ty].size,
            },
            None => return None,
        },
        _ => layouter[ty].size,
    };
    Some((size.checked_next_multiple_of(4)?, all))
}

/// The shapes of a module's types.
#[derive(Clone, Copy)]
struct Shapes<'a> {
    module: &'a Module,
    layouter: &'a Layouter,
    /// Number of elements of runtime-sized arrays.
    elements: u32,
}

impl Shapes<'_> {
    /// Adds the scalars of a value at a byte offset.
    fn add_leaves(&self, ty: Handle<naga::Type>, offset: u32, all: &mut Vec<Leaf>) {
        let Self { module, layouter, elements } = *self;
        if all.len() >= MAX_SCALARS {
            return;
        }
        match module.types[ty].inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
                all.push(Leaf { offset, scalar, part: Part::Any });
            }
            TypeInner::Vector { size, scalar } => {
                add_vector(u32::from(size as u8), scalar, offset, |_| Part::Any, all);
            }
            TypeInner::Matrix { columns, rows, scalar } => {
                let stride = layouter[ty].size / columns as u32;
                for column in 0..columns as u32 {
                    let part = |row| {
                        let own = column as usize * rows as usize + row;
                        Part::of_matrix(own, columns as usize, rows as usize)
                    };
                    let offset = offset + column * stride;
                    add_vector(u32::from(rows as u8), scalar, offset, part, all);
                }
            }
            TypeInner::Array { base, size, stride } => {
                let count = match size {
                    ArraySize::Constant(count) => count.get(),
                    ArraySize::Dynamic => elements,
                    ArraySize::Pending(_) => 0,
                };
                for element in 0..count {
                    let Some(at) =
                        element.checked_mul(stride).and_then(|at| at.checked_add(offset))
                    else {
                        return;
                    };
                    if all.len() >= MAX_SCALARS {
                        return;
                    }
                    self.add_leaves(base, at, all);
                }
            }
            TypeInner::Struct { ref members, .. } => {
                for member in members {
                    self.add_leaves(member.ty, offset + member.offset, all);
                }
            }
            _ => {}
        }
    }
}

fn add_vector(
    size: u32,
    scalar: naga::Scalar,
    offset: u32,
    part: impl Fn(usize) -> Part,
    all: &mut Vec<Leaf>,
) {
    let width = u32::from(scalar.width);
    let leaf = |own| Leaf { offset: offset + own * width, scalar, part: part(own as usize) };
    all.extend((0..size).map(leaf));
}

/// Cycles through quarters from 0.25 to 4: most results computed from them are exact.
fn quarter(number: usize) -> f32 {
    const QUARTERS: [f32; 16] =
        [0.25, 1.0, 0.75, 2.0, 1.25, 0.5, 3.0, 1.75, 4.0, 2.5, 1.5, 3.5, 2.25, 3.25, 2.75, 3.75];
    QUARTERS[number % QUARTERS.len()]
}

/// Cycles through powers of two, of which each even one is less than the next: shaders divide by uniforms, such as the size
/// of the target, and compare two of them.
fn power_of_two(number: usize) -> f32 {
    const POWERS: [f32; 10] = [8.0, 16.0, 1.0, 2.0, 0.5, 4.0, 0.25, 32.0, 0.125, 64.0];
    POWERS[number % POWERS.len()]
}

/// Cycles through integers from 1 to 7: they may be indices and step counts.
fn small(number: usize) -> usize {
    const SMALL: [usize; 7] = [1, 3, 2, 5, 4, 7, 6];
    SMALL[number % SMALL.len()]
}

/// The number of the first value of a program's resource with this index: each begins at another place of the
/// sequences, so that copying one to another changes something.
pub(super) const fn first_number(index: usize) -> usize {
    3 * index
}

/// Commands that fill a storage buffer. Its first scalars have the given values, and the others those from number
/// `first` on.
pub(super) fn fill(
    point: &str,
    size: u32,
    leaves: &[Leaf],
    first: usize,
    values: &[f64],
) -> String {
    let bytes = filled(leaves, first, values);
    let is_float = |leaf: &Leaf| leaf.scalar == naga::Scalar::F32;
    let are_floats = leaves.iter().all(is_float);
    let mut text = format!("ssbo {point} {size}\n");
    for (line, words) in bytes.chunks(64).enumerate() {
        let ty = if are_floats { "float" } else { "uint" };
        let _ = write!(text, "ssbo {point} subdata {ty} {}", line * 64);
        for word in words.chunks_exact(4) {
            let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            let _ = match word {
                _ if are_floats => write!(text, " {}", f32::from_bits(word)),
                0..10 => write!(text, " {word}"),
                10.. => write!(text, " {word:#010x}"),
            };
        }
        text.push('\n');
    }
    text
}

/// A word that is no likely result.
pub(super) const UNSET: &str = "0x5eed5eed";

/// Commands for a buffer that stages only write: it begins with words that are no likely results.
pub(super) fn unset(point: &str, size: usize) -> String {
    let words = (size / 4).min(MAX_SCALARS);
    let mut text = format!("ssbo {point} {size}\n");
    for first in (0..words).step_by(16) {
        let line = format!(" {UNSET}").repeat((words - first).min(16));
        let _ = writeln!(text, "ssbo {point} subdata uint {}{line}", first * 4);
    }
    text
}

/// Initial channels of a target: unlike each other and zero, so that a stage that writes zeros is detected.
pub(super) fn clear_color(format: &str) -> &'static str {
    if format.ends_with("float") { "1 0.5 2 4" } else { "9 5 6 8" }
}

/// Bytes of a buffer up to its last scalar with a value: the given ones, and then those from number `first` on.
fn filled(leaves: &[Leaf], first: usize, values: &[f64]) -> Vec<u8> {
    let end = leaves.last().map_or(0, |leaf| leaf.offset as usize + usize::from(leaf.scalar.width));
    let mut bytes = vec![0_u8; end.next_multiple_of(4)];
    for (index, leaf) in leaves.iter().enumerate() {
        let generated = || value(first + index, *leaf);
        let value = values.get(index).map_or_else(generated, |value| bits(*value, leaf.scalar));
        if let Some(place) = bytes
            .get_mut(leaf.offset as usize..)
            .and_then(|rest| rest.get_mut(..usize::from(leaf.scalar.width.min(8))))
        {
            place.copy_from_slice(&value.to_le_bytes()[..place.len()]);
        }
    }
    bytes
}

/// Bits of a generated value.
fn value(number: usize, Leaf { scalar, part, .. }: Leaf) -> u64 {
    match scalar.kind {
        naga::ScalarKind::Float => bits(f64::from(part.float(number)), scalar),
        _ => small(number) as u64,
    }
}

/// Bits of a number as a scalar.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the scalar has fewer values"
)]
fn bits(value: f64, scalar: naga::Scalar) -> u64 {
    match (scalar.kind, scalar.width) {
        (naga::ScalarKind::Float, 4) => u64::from((value as f32).to_bits()),
        (naga::ScalarKind::Float, 8) => value.to_bits(),
        (naga::ScalarKind::Float, _) => u64::from(half::f16::from_f64(value).to_bits()),
        (naga::ScalarKind::Sint, _) => (value as i64) as u64,
        _ => value as u64,
    }
}

/// A value as an expression of WGSL.
pub(super) fn literal(number: usize, scalar: naga::Scalar) -> Option<String> {
    let float = quarter(number);
    Some(match (scalar.kind, scalar.width) {
        (naga::ScalarKind::Float, 2) => format!("{float}h"),
        (naga::ScalarKind::Float, 4) => format!("{float}f"),
        (naga::ScalarKind::Float, 8) => format!("{float}lf"),
        (naga::ScalarKind::Sint, 4) => format!("{}i", small(number)),
        (naga::ScalarKind::Sint, 8) => format!("{}li", small(number)),
        (naga::ScalarKind::Uint, 4) => format!("{}u", small(number)),
        (naga::ScalarKind::Uint, 8) => format!("{}lu", small(number)),
        (naga::ScalarKind::Bool, _) => (number % 2 == 1).to_string(),
        _ => return None,
    })
}

/// Value of a scalar in a uniform, as a case writes it.
fn text_value(number: usize, kind: ScalarKind, part: Part) -> String {
    match kind {
        ScalarKind::F32 | ScalarKind::F64 => match part {
            Part::Any => power_of_two(number).to_string(),
            Part::Diagonal | Part::BesideDiagonal => part.float(number).to_string(),
        },
        ScalarKind::Bool => (number % 2).to_string(),
        ScalarKind::I32 | ScalarKind::U32 | ScalarKind::I64 | ScalarKind::U64 => {
            small(number).to_string()
        }
    }
}

/// Commands that set a uniform; `None` if no command can. Its first scalars have the given values.
pub(super) fn uniforms(
    module: &Module,
    name: &str,
    ty: Handle<naga::Type>,
    number: &mut usize,
    values: &[f64],
) -> Option<String> {
    let Some(own) = natural::type_of(module, ty) else {
        return uniform_words(module, name, ty, number, values);
    };
    let mut commands = UniformCommands { text: String::new(), number, values: values.iter() };
    commands.set(&own, name);
    Some(commands.text)
}

/// Commands that set the words of a uniform whose type, such as one with halves, cases cannot name.
fn uniform_words(
    module: &Module,
    name: &str,
    ty: Handle<naga::Type>,
    number: &mut usize,
    values: &[f64],
) -> Option<String> {
    let (_, leaves) = leaves(module, ty, ELEMENTS)?;
    let mut text = String::new();
    for (index, word) in filled(&leaves, *number, values).chunks_exact(4).enumerate() {
        let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        if word != 0 {
            let _ = writeln!(text, "uniform uint {name}[{index}] {word:#010x}");
        }
    }
    *number += leaves.len();
    Some(text)
}

/// Commands that set parts of a uniform.
struct UniformCommands<'n> {
    /// The commands, one a line.
    text: String,
    /// Number of scalars that have a value, in all uniforms.
    number: &'n mut usize,
    /// Values for the next scalars of this uniform.
    values: std::slice::Iter<'n, f64>,
}

impl UniformCommands<'_> {
    fn set(&mut self, ty: &Type, path: &str) {
        match ty {
            Type::Struct(own) => {
                for member in &own.members {
                    self.set(&member.ty, &format!("{path}.{}", member.name));
                }
            }
            Type::Array { element, length } => {
                for index in 0..*length {
                    if *self.number >= MAX_SCALARS {
                        return;
                    }
                    self.set(element, &format!("{path}[{index}]"));
                }
            }
            Type::Scalar(kind) => self.write(ty, path, *kind, &[Part::Any]),
            Type::Vector { size, scalar } => {
                self.write(ty, path, *scalar, &vec![Part::Any; usize::from(*size)]);
            }
            Type::Matrix { columns, rows, scalar } => {
                let [columns, rows] = [columns, rows].map(|side| usize::from(*side));
                let parts = (0..columns * rows).map(|own| Part::of_matrix(own, columns, rows));
                self.write(ty, path, *scalar, &parts.collect::<Vec<_>>());
            }
        }
    }

    /// Writes the command for a value of these scalars.
    fn write(&mut self, ty: &Type, path: &str, kind: ScalarKind, parts: &[Part]) {
        let _ = write!(self.text, "uniform {ty} {path}");
        for part in parts {
            let text = match self.values.next() {
                Some(value) => value.to_string(),
                None => text_value(*self.number, kind, *part),
            };
            let _ = write!(self.text, " {text}");
            *self.number += 1;
        }
        self.text.push('\n');
    }
}

/// Corners of a square that covers the target, as two triangles.
const CORNERS: [[f32; 2]; 6] =
    [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]];

/// The section with the vertex data. The first attribute with at least two floats has the corners; the others have
/// small values that differ between vertices. `None` without attributes.
pub(super) fn vertex_data(attributes: &[(u32, Type)]) -> Option<String> {
    if attributes.is_empty() {
        return Some(String::new());
    }
    let shape = |ty: &Type| match ty {
        Type::Scalar(kind) => Some((*kind, 1)),
        Type::Vector { size, scalar } => Some((*scalar, usize::from(*size))),
        Type::Matrix { .. } | Type::Array { .. } | Type::Struct(_) => None,
    };
    let is_place = |ty: &Type| shape(ty).is_some_and(|(kind, n)| kind == ScalarKind::F32 && n > 1);
    let place = attributes.iter().position(|(_, ty)| is_place(ty));
    let mut text = "[vertex data]\n".to_owned();
    for (location, ty) in attributes {
        let storage = match shape(ty)?.0 {
            ScalarKind::F32 => "float",
            ScalarKind::I32 => "int",
            ScalarKind::U32 => "uint",
            ScalarKind::Bool | ScalarKind::F64 | ScalarKind::I64 | ScalarKind::U64 => return None,
        };
        let _ = write!(text, "{location}/{storage}/{ty} ");
    }
    text.push('\n');
    for (vertex, corner) in CORNERS.iter().enumerate() {
        for (index, (_, ty)) in attributes.iter().enumerate() {
            let (kind, count) = shape(ty)?;
            let own =
                if Some(index) == place { [corner[0], corner[1], 0.0, 1.0] } else { [0.0; 4] };
            for (part, own) in own.into_iter().enumerate().take(count) {
                let _ = if Some(index) == place {
                    write!(text, "{own} ")
                } else {
                    write!(text, "{} ", text_value(vertex * 3 + index + part, kind, Part::Any))
                };
            }
        }
        text.push('\n');
    }
    text.push('\n');
    Some(text)
}
