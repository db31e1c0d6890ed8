//! The interface model: inputs and outputs of a stage, independent of the source language.
//!
//! A *varying* is a value passed from producer to consumer, a *vertex attribute* and a *fragment output* are the
//! program's outer interfaces; all three are [`Variable`]s here. A composite value is addressed by its *scalars* in
//! declaration order: structs member by member, arrays element by element, matrices column by column.

pub mod declared_block;
pub mod declared_uniform;
pub mod precision;
pub mod scalar;
pub mod type_name;

use std::fmt;

use naga::{GlobalVariable, Handle};

use crate::source::Span;

/// The base type of a scalar, vector or matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScalarKind {
    /// 32-bit float.
    F32,
    /// 32-bit signed integer.
    I32,
    /// 32-bit unsigned integer.
    U32,
    /// 64-bit float; two components.
    F64,
    /// 64-bit signed integer; two components.
    I64,
    /// 64-bit unsigned integer; two components.
    U64,
    /// Boolean: never a varying; a uniform or block member of four bytes, false = 0.
    Bool,
}

impl ScalarKind {
    /// Number of 32-bit components per scalar: 1 or 2.
    pub const fn components(self) -> u32 {
        match self {
            Self::F32 | Self::I32 | Self::U32 | Self::Bool => 1,
            Self::F64 | Self::I64 | Self::U64 => 2,
        }
    }

    /// True if a varying of this kind must be flat (integers and 64-bit types, as in Mesa's packing classes).
    pub const fn is_always_flat(self) -> bool {
        !matches!(self, Self::F32)
    }
}

/// The type of an interface value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// One scalar.
    Scalar(ScalarKind),
    /// 2 to 4 scalars.
    Vector {
        /// Number of scalars, 2 to 4.
        size: u8,
        /// Kind of the scalars.
        scalar: ScalarKind,
    },
    /// `columns` vectors of `rows` scalars.
    Matrix {
        /// Number of columns, 2 to 4.
        columns: u8,
        /// Number of rows, 2 to 4.
        rows: u8,
        /// Kind of the scalars.
        scalar: ScalarKind,
    },
    /// `length` elements of one type; for arrays of arrays the outermost dimension comes first.
    Array {
        /// Type of one element.
        element: Box<Type>,
        /// Number of elements, at least 1.
        length: u32,
    },
    /// Named members in declaration order.
    Struct(StructType),
}

/// A structure type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StructType {
    /// The type's name; ignored when two types are compared for linking.
    pub name: String,
    /// The members in declaration order.
    pub members: Vec<Member>,
}

/// One member of a [`StructType`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// The member's name.
    pub name: String,
    /// The member's type.
    pub ty: Type,
}

/// A scalar or vector at the end of a path into a composite type. A matrix has one leaf per column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Index of struct member, array element or matrix column at every step from the root.
    pub path: Vec<u32>,
    /// The path in GLSL notation: `.f`, `[2].v`, `[1]` (matrix column); empty for a plain scalar or vector.
    pub suffix: String,
    /// Scalars in the leaf, 1 to 4.
    pub size: u8,
    /// Kind of the scalars.
    pub scalar: ScalarKind,
}

impl Leaf {
    /// Number of 32-bit components of the leaf.
    pub fn words(&self) -> usize {
        usize::from(self.size) * self.scalar.components() as usize
    }

    /// The cells of the leaf's words if it starts at component `start` of a location: the location, relative to the
    /// first, and the component.
    pub fn cells(&self, start: u8) -> impl Iterator<Item = (u32, u8)> {
        let words = u8::try_from(self.words()).unwrap_or(u8::MAX);
        (start..start.saturating_add(words)).map(|word| (u32::from(word / 4), word % 4))
    }

    /// Number of locations of the leaf as a varying from component `start` on: two for a 64-bit vector of three or four
    /// (GLSL 4.60, 4.4.1).
    pub fn location_count(&self, start: u8) -> u32 {
        self.cells(start).last().map_or(1, |(last, _)| last + 1)
    }
}

impl Type {
    /// Shorthand for a 32-bit float scalar.
    pub const F32: Self = Self::Scalar(ScalarKind::F32);

    /// A scalar for `size` 1, else a vector.
    pub const fn scalar_or_vector(size: u8, scalar: ScalarKind) -> Self {
        if size == 1 { Self::Scalar(scalar) } else { Self::Vector { size, scalar } }
    }

    /// An array of `length` elements of this type.
    #[must_use]
    pub fn array(self, length: u32) -> Self {
        Self::Array { element: Box::new(self), length }
    }

    /// All scalars and vectors in declaration order.
    pub fn leaves(&self) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        collect_leaves(self, &mut Vec::new(), String::new(), &mut leaves);
        leaves
    }

    /// Kinds of all scalars in declaration order.
    pub fn scalars(&self) -> impl Iterator<Item = ScalarKind> {
        let leaves = self.leaves().into_iter();
        leaves.flat_map(|leaf| std::iter::repeat_n(leaf.scalar, usize::from(leaf.size)))
    }

    /// All leaves of a varying that starts at component `start`, each with its first location, relative to the
    /// varying's.
    pub fn located_leaves(&self, start: u8) -> impl Iterator<Item = (u32, Leaf)> {
        let mut next = 0_u32;
        self.leaves().into_iter().map(move |leaf| {
            let first = next;
            next = next.saturating_add(leaf.location_count(start));
            (first, leaf)
        })
    }

    /// The cells of the words of a varying that starts at component `start`: the location, relative to the varying's,
    /// and the component.
    pub fn cells(&self, start: u8) -> Vec<(u32, u8)> {
        let mut cells = Vec::new();
        for (first, leaf) in self.located_leaves(start) {
            let own = leaf.cells(start);
            cells.extend(own.map(|(next, component)| (first.saturating_add(next), component)));
        }
        cells
    }

    /// Number of locations of a varying of this type from component `start` on.
    pub fn location_count(&self, start: u8) -> u32 {
        self.leaves().iter().map(|leaf| leaf.location_count(start)).fold(0, u32::saturating_add)
    }

    /// Number of 32-bit components without any padding.
    pub fn component_count(&self) -> u32 {
        match self {
            Self::Scalar(scalar) => scalar.components(),
            Self::Vector { size, scalar } => u32::from(*size) * scalar.components(),
            Self::Matrix { columns, rows, scalar } => {
                u32::from(*columns) * u32::from(*rows) * scalar.components()
            }
            Self::Array { element, length } => element.component_count().saturating_mul(*length),
            Self::Struct(ty) => ty
                .members
                .iter()
                .fold(0, |sum, member| member.ty.component_count().saturating_add(sum)),
        }
    }

    /// The type without its array dimensions.
    pub fn without_arrays(&self) -> &Self {
        match self {
            Self::Array { element, .. } => element.without_arrays(),
            other @ (Self::Scalar(_)
            | Self::Vector { .. }
            | Self::Matrix { .. }
            | Self::Struct(_)) => other,
        }
    }

    /// True if the type contains a scalar that must be flat.
    pub fn has_always_flat(&self) -> bool {
        self.has_scalar(ScalarKind::is_always_flat)
    }

    /// True if the type contains a scalar of 64 bits.
    pub fn has_64_bit(&self) -> bool {
        self.has_scalar(|scalar| scalar.components() == 2)
    }

    fn has_scalar(&self, is_one: fn(ScalarKind) -> bool) -> bool {
        match self {
            Self::Scalar(scalar) | Self::Vector { scalar, .. } | Self::Matrix { scalar, .. } => {
                is_one(*scalar)
            }
            Self::Array { element, .. } => element.has_scalar(is_one),
            Self::Struct(ty) => ty.members.iter().any(|member| member.ty.has_scalar(is_one)),
        }
    }
}

fn collect_leaves(ty: &Type, path: &mut Vec<u32>, suffix: String, leaves: &mut Vec<Leaf>) {
    match ty {
        Type::Scalar(scalar) => {
            leaves.push(Leaf { path: path.clone(), suffix, size: 1, scalar: *scalar });
        }
        Type::Vector { size, scalar } => {
            leaves.push(Leaf { path: path.clone(), suffix, size: *size, scalar: *scalar });
        }
        Type::Matrix { columns, rows, scalar } => {
            let column = Type::scalar_or_vector(*rows, *scalar);
            for idx in 0..u32::from(*columns) {
                descend(&column, idx, format!("{suffix}[{idx}]"), path, leaves);
            }
        }
        Type::Array { element, length } => {
            for idx in 0..*length {
                descend(element, idx, format!("{suffix}[{idx}]"), path, leaves);
            }
        }
        Type::Struct(ty) => {
            for (idx, member) in (0..).zip(&ty.members) {
                descend(&member.ty, idx, format!("{suffix}.{}", member.name), path, leaves);
            }
        }
    }
}

fn descend(ty: &Type, idx: u32, suffix: String, path: &mut Vec<u32>, leaves: &mut Vec<Leaf>) {
    path.push(idx);
    collect_leaves(ty, path, suffix, leaves);
    path.pop();
}

/// Interpolation qualifier of a varying.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Interpolation {
    /// No qualifier: equivalent to [`Self::Smooth`], but older languages distinguish them when matching.
    #[default]
    Unqualified,
    /// Perspective-correct.
    Smooth,
    /// The provoking vertex's value.
    Flat,
    /// Linear in window space.
    NoPerspective,
}

/// Sampling location of a varying inside the pixel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sampling {
    /// At the pixel's centre.
    #[default]
    Center,
    /// Inside the covered part of the pixel.
    Centroid,
    /// At every sample.
    Sample,
}

/// Place of a variable's value in its stage's module: a private global, or part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The private global.
    pub global: Handle<GlobalVariable>,
    /// Struct member and array element indices from the global to the variable.
    pub path: Vec<u32>,
}

impl Place {
    /// The whole of a private global.
    pub const fn whole(global: Handle<GlobalVariable>) -> Self {
        Self { global, path: Vec::new() }
    }
}

/// A user variable of a stage's interface.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Variable {
    /// Name for matching: the variable's own, or `Block.member` for a member of an interface block (`Block[1].member`
    /// in an array of blocks).
    pub name: String,
    /// Name in a `[link]` section and in messages (`instance.member`); empty if it equals `name`.
    pub alias: String,
    /// Type of the variable, without any per-vertex array dimension.
    pub ty: Type,
    /// The type as GLSL ES writes it, with the precisions of the variable and of a struct's members; empty in other
    /// languages.
    pub es_type: String,
    /// Declared interpolation.
    pub interpolation: Interpolation,
    /// Declared sampling.
    pub sampling: Sampling,
    /// `layout(location = …)` or `@location(…)`.
    pub location: Option<u32>,
    /// `layout(component = …)`, 0 to 3.
    pub component: Option<u32>,
    /// `layout(index = …)` or `@blend_src(…)` of a fragment output.
    pub index: Option<u32>,
    /// `layout(stream = …)` of an output of a geometry stage; otherwise 0.
    pub stream: u32,
    /// `patch`: one value for a whole patch, between tessellation stages.
    pub is_patch: bool,
    /// True for `@interpolate(flat, either)`: the value may come from any vertex of a primitive.
    pub is_either: bool,
    /// True if the language declares scalars of 16 bits. `ty` has scalars of 32 bits, in which the values are passed.
    pub is_narrow: bool,
    /// True if declared `invariant`.
    pub is_invariant: bool,
    /// True for a member of an interface block.
    pub is_block_member: bool,
    /// True if code reachable from `main` reads it (an input) or writes it (an output).
    pub is_used: bool,
    /// Static use (GLSL 4.60 section 3.3): true if any code, even unreachable code, reads an input, writes an output
    /// or queries the length of an input. True whenever `is_used` is.
    pub is_statically_used: bool,
    /// Place of the value; `None` only in interfaces written by hand for tests.
    pub place: Option<Place>,
    /// Position of the declaration in the case, if there is one.
    pub span: Option<Span>,
}

impl Variable {
    /// A variable without qualifiers and place, marked as used.
    pub fn new(name: impl Into<String>, ty: Type) -> Self {
        Self {
            name: name.into(),
            alias: String::new(),
            ty,
            es_type: String::new(),
            interpolation: Interpolation::default(),
            sampling: Sampling::default(),
            location: None,
            component: None,
            index: None,
            stream: 0,
            is_patch: false,
            is_either: false,
            is_narrow: false,
            is_invariant: false,
            is_block_member: false,
            is_used: true,
            is_statically_used: true,
            place: None,
            span: None,
        }
    }
}

impl fmt::Display for ScalarKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "float",
            Self::I32 => "int",
            Self::U32 => "uint",
            Self::F64 => "double",
            Self::I64 => "int64_t",
            Self::U64 => "uint64_t",
            Self::Bool => "bool",
        })
    }
}

/// Formats in GLSL notation: `vec3`, `mat3x2`, `ivec2[3]`, a struct's name.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(scalar) => write!(f, "{scalar}"),
            Self::Vector { size, scalar } => write!(f, "{}{size}", vector_prefix(*scalar)),
            Self::Matrix { columns, rows, scalar } => {
                let prefix = if *scalar == ScalarKind::F64 { "dmat" } else { "mat" };
                if columns == rows {
                    write!(f, "{prefix}{columns}")
                } else {
                    write!(f, "{prefix}{columns}x{rows}")
                }
            }
            Self::Array { .. } => {
                write!(f, "{}", self.without_arrays())?;
                let mut ty = self;
                while let Self::Array { element, length } = ty {
                    write!(f, "[{length}]")?;
                    ty = element;
                }
                Ok(())
            }
            Self::Struct(ty) => write!(f, "{}", ty.name),
        }
    }
}

const fn vector_prefix(scalar: ScalarKind) -> &'static str {
    match scalar {
        ScalarKind::F32 => "vec",
        ScalarKind::I32 => "ivec",
        ScalarKind::U32 => "uvec",
        ScalarKind::F64 => "dvec",
        ScalarKind::I64 => "i64vec",
        ScalarKind::U64 => "u64vec",
        ScalarKind::Bool => "bvec",
    }
}

impl fmt::Display for Interpolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unqualified => "unqualified",
            Self::Smooth => "smooth",
            Self::Flat => "flat",
            Self::NoPerspective => "noperspective",
        })
    }
}

impl fmt::Display for Sampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Center => "center",
            Self::Centroid => "centroid",
            Self::Sample => "sample",
        })
    }
}

/// One line of `[varyings]`: a varying of the WGSL and SPIR-V stages of the case.
#[derive(Clone, Debug, PartialEq)]
pub struct VaryingDeclaration {
    /// Name in every WGSL and SPIR-V stage.
    pub name: String,
    /// Type of the varying.
    pub ty: Type,
    /// Interpolation as written.
    pub interpolation: Interpolation,
    /// Sampling as written.
    pub sampling: Sampling,
    /// `GENERIC[7]`, if given.
    pub generic: Option<u32>,
    /// The line.
    pub span: Span,
}

/// Maximum number of components of one variable: far more than any interface or uniform buffer holds, and few enough to
/// enumerate.
pub const MAX_COMPONENTS: u32 = 1 << 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_follow_declaration_order() {
        let ty = Type::Struct(StructType {
            name: "S".into(),
            members: vec![
                Member { name: "f".into(), ty: Type::F32 },
                Member {
                    name: "m".into(),
                    ty: Type::Matrix { columns: 2, rows: 3, scalar: ScalarKind::F32 }.array(2),
                },
            ],
        });
        let names: Vec<_> = ty.leaves().into_iter().map(|leaf| leaf.suffix).collect();
        assert_eq!(names, [".f", ".m[0][0]", ".m[0][1]", ".m[1][0]", ".m[1][1]"]);
        assert_eq!(ty.component_count(), 13);
    }

    #[test]
    fn types_print_as_in_glsl() {
        let ty = Type::Vector { size: 2, scalar: ScalarKind::I32 }.array(3).array(2);
        assert_eq!(ty.to_string(), "ivec2[2][3]");
        assert_eq!(
            Type::Matrix { columns: 3, rows: 2, scalar: ScalarKind::F32 }.to_string(),
            "mat3x2"
        );
    }
}
