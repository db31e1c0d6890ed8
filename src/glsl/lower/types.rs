//! GLSL's types as naga types: construction, decomposition, names.
//!
//! A value's type is a handle into the module's own type arena ([`Ty`]), which contains every type once, so two types
//! are equal exactly if their handles are equal. Arrays and structs of plain variables have naga's natural layout. The
//! types of storage blocks have other layouts and are created in `layout`.

pub(super) mod constant;
pub(super) mod layout;

use std::fmt::Write as _;

use naga::{ArraySize, Handle, Literal, Scalar, StructMember, TypeInner, VectorSize};

use ir::interface::{Member, ScalarKind, StructType, Type};

use super::Stage;
use crate::word::is_type;

/// A type of the module.
pub(super) type Ty = Handle<naga::Type>;

/// Maximum number of scalars in one variable, so that hostile array sizes do not exhaust memory.
pub(super) const MAX_SCALARS: u64 = 1 << 22;

/// Maximum number of scalars in an input, output or uniform, because their tables have an entry for each scalar.
pub(super) const MAX_INTERFACE_SCALARS: u64 = 1 << 16;

/// Maximum number of scalars that are compared or copied one by one.
pub(super) const MAX_UNROLLED_SCALARS: u64 = 1 << 14;

/// Scalar kind of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `uint`
    Uint,
    /// `float`
    Float,
    /// `int64_t`
    Int64,
    /// `uint64_t`
    Uint64,
    /// `double`
    Double,
}

/// Shape of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A scalar.
    Scalar(Kind),
    /// A vector of 2 to 4 components.
    Vector(u8, Kind),
    /// Columns and rows of a matrix, and its kind, `Float` or `Double`.
    Matrix(u8, u8, Kind),
    /// Element and length of an array; without a length, the runtime-sized array at the end of a storage block.
    Array(Ty, Option<u32>),
    /// A struct, a block, or a type without values in GLSL.
    Struct,
}

impl Kind {
    /// naga's scalar type of this kind.
    pub(super) const fn scalar(self) -> Scalar {
        match self {
            Self::Bool => Scalar::BOOL,
            Self::Int => Scalar::I32,
            Self::Uint => Scalar::U32,
            Self::Float => Scalar::F32,
            Self::Int64 => Scalar::I64,
            Self::Uint64 => Scalar::U64,
            Self::Double => Scalar::F64,
        }
    }

    /// The kind of a naga scalar; 16-bit scalars do not occur.
    pub(super) const fn of(scalar: Scalar) -> Self {
        match (scalar.kind, scalar.width) {
            (naga::ScalarKind::Bool, _) => Self::Bool,
            (naga::ScalarKind::Sint, 8) => Self::Int64,
            (naga::ScalarKind::Sint | naga::ScalarKind::AbstractInt, _) => Self::Int,
            (naga::ScalarKind::Uint, 8) => Self::Uint64,
            (naga::ScalarKind::Uint, _) => Self::Uint,
            (naga::ScalarKind::Float, 8) => Self::Double,
            (naga::ScalarKind::Float | naga::ScalarKind::AbstractFloat, _) => Self::Float,
        }
    }

    /// The corresponding kind of the `arithmetic` crate.
    pub(super) const fn arithmetic(self) -> arithmetic::Kind {
        match self {
            Self::Bool => arithmetic::Kind::Bool,
            Self::Int => arithmetic::Kind::I32,
            Self::Uint => arithmetic::Kind::U32,
            Self::Float => arithmetic::Kind::F32,
            Self::Int64 => arithmetic::Kind::I64,
            Self::Uint64 => arithmetic::Kind::U64,
            Self::Double => arithmetic::Kind::F64,
        }
    }

    /// A scalar of this kind for the `arithmetic` crate.
    pub(super) const fn known(self, bits: u64) -> arithmetic::Known {
        arithmetic::Known::of_bits(self.arithmetic(), bits)
    }

    /// True if arithmetic is defined on this kind.
    pub(super) const fn is_number(self) -> bool {
        !matches!(self, Self::Bool)
    }

    /// True for signed and unsigned integers.
    pub(super) const fn is_integer(self) -> bool {
        matches!(self, Self::Int | Self::Uint | Self::Int64 | Self::Uint64)
    }

    /// True for `double` and 64-bit integers.
    pub(super) const fn is_wide(self) -> bool {
        matches!(self, Self::Int64 | Self::Uint64 | Self::Double)
    }

    /// Size of a scalar in memory, in bytes.
    pub(super) const fn bytes(self) -> u32 {
        if self.is_wide() { 8 } else { 4 }
    }

    /// The literal of this kind for a small number or a truth value.
    pub(super) fn small(self, value: u8) -> Literal {
        match self {
            Self::Bool => Literal::Bool(value != 0),
            Self::Int => Literal::I32(i32::from(value)),
            Self::Uint => Literal::U32(u32::from(value)),
            Self::Float => Literal::F32(f32::from(value)),
            Self::Int64 => Literal::I64(i64::from(value)),
            Self::Uint64 => Literal::U64(u64::from(value)),
            Self::Double => Literal::F64(f64::from(value)),
        }
    }

    const fn interface(self) -> ScalarKind {
        match self {
            Self::Bool => ScalarKind::Bool,
            Self::Int => ScalarKind::I32,
            Self::Uint => ScalarKind::U32,
            Self::Float => ScalarKind::F32,
            Self::Int64 => ScalarKind::I64,
            Self::Uint64 => ScalarKind::U64,
            Self::Double => ScalarKind::F64,
        }
    }
}

impl Shape {
    /// The scalar kind; `None` for an array or a struct.
    pub(super) const fn kind(self) -> Option<Kind> {
        match self {
            Self::Scalar(kind) | Self::Vector(_, kind) | Self::Matrix(_, _, kind) => Some(kind),
            Self::Array(..) | Self::Struct => None,
        }
    }

    /// Number of components of a scalar or vector.
    pub(super) const fn components(self) -> Option<u8> {
        match self {
            Self::Scalar(_) => Some(1),
            Self::Vector(size, _) => Some(size),
            Self::Matrix(..) | Self::Array(..) | Self::Struct => None,
        }
    }
}

/// naga's vector size. Any number except 2 and 3 counts as 4.
pub(super) const fn vector_size(size: u8) -> VectorSize {
    match size {
        2 => VectorSize::Bi,
        3 => VectorSize::Tri,
        _ => VectorSize::Quad,
    }
}

impl Stage<'_> {
    /// Adds a type to the module.
    pub(super) fn add_type(&mut self, name: Option<String>, inner: TypeInner) -> Ty {
        self.module.types.insert(naga::Type { name, inner }, naga::Span::UNDEFINED)
    }

    /// The scalar type for `size` 1, else a vector type.
    pub(super) fn vector(&mut self, size: u8, kind: Kind) -> Ty {
        let scalar = kind.scalar();
        let inner = if size == 1 {
            TypeInner::Scalar(scalar)
        } else {
            TypeInner::Vector { size: vector_size(size), scalar }
        };
        self.add_type(None, inner)
    }

    /// A scalar.
    pub(super) fn scalar(&mut self, kind: Kind) -> Ty {
        self.vector(1, kind)
    }

    /// A matrix of floats or doubles.
    pub(super) fn matrix(&mut self, columns: u8, rows: u8, kind: Kind) -> Ty {
        let inner = TypeInner::Matrix {
            columns: vector_size(columns),
            rows: vector_size(rows),
            scalar: kind.scalar(),
        };
        self.add_type(None, inner)
    }

    /// An array with natural stride; `length` is at least 1.
    pub(super) fn array(&mut self, element: Ty, length: u32) -> Ty {
        let stride = self.natural_layout(element).2;
        let size = std::num::NonZeroU32::new(length).unwrap_or(std::num::NonZeroU32::MIN);
        self.add_type(
            None,
            TypeInner::Array { base: element, size: ArraySize::Constant(size), stride },
        )
    }

    /// A struct with natural offsets.
    pub(super) fn structure(&mut self, name: &str, members: &[(String, Ty)]) -> Ty {
        let (mut offset, mut alignment) = (0_u32, 1_u32);
        let mut placed = Vec::new();
        for (name, ty) in members {
            let (size, align, _) = self.natural_layout(*ty);
            offset = offset.next_multiple_of(align);
            alignment = alignment.max(align);
            placed.push(StructMember { name: Some(name.clone()), ty: *ty, binding: None, offset });
            offset += size;
        }
        let span = offset.next_multiple_of(alignment);
        self.add_type(Some(name.to_owned()), TypeInner::Struct { members: placed, span })
    }

    /// Size, alignment and array stride of a type in naga's layout.
    pub(super) fn natural_layout(&mut self, ty: Ty) -> (u32, u32, u32) {
        if self.layouter.update(self.module.to_ctx()).is_err() {
            return (16, 16, 16);
        }
        let layout = self.layouter[ty];
        let alignment = layout.alignment.round_up(1);
        (layout.size, alignment, layout.to_stride())
    }

    /// Shape of `ty`.
    pub(super) fn shape(&self, ty: Ty) -> Shape {
        shape_of(&self.module, ty)
    }

    /// Index and type of the struct member with this name.
    pub(super) fn member(&self, ty: Ty, name: &str) -> Option<(u32, Ty)> {
        let members = self.members(ty);
        (0..)
            .zip(members)
            .find(|(_, member)| member.name.as_deref() == Some(name))
            .map(|(idx, member)| (idx, member.ty))
    }

    /// The members of a struct; none for other types.
    pub(super) fn members(&self, ty: Ty) -> &[StructMember] {
        if let TypeInner::Struct { members, .. } = &self.module.types[ty].inner {
            members
        } else {
            &[]
        }
    }

    /// Number of direct parts of a vector, matrix, array or struct; 1 for a scalar.
    pub(super) fn child_count(&self, ty: Ty) -> u32 {
        match self.shape(ty) {
            Shape::Scalar(_) => 1,
            Shape::Vector(size, _) => u32::from(size),
            Shape::Matrix(columns, ..) => u32::from(columns),
            Shape::Array(_, length) => length.unwrap_or(0),
            Shape::Struct => u32::try_from(self.members(ty).len()).unwrap_or(u32::MAX),
        }
    }

    /// Type of the direct part `idx` of a vector, matrix, array or struct.
    pub(super) fn child(&mut self, ty: Ty, idx: u32) -> Ty {
        match self.shape(ty) {
            Shape::Scalar(_) => ty,
            Shape::Vector(_, kind) => self.scalar(kind),
            Shape::Matrix(_, rows, kind) => self.vector(rows, kind),
            Shape::Array(element, _) => element,
            Shape::Struct => self.members(ty).get(idx as usize).map_or(ty, |member| member.ty),
        }
    }

    /// Number of scalars in a type.
    pub(super) fn scalar_count(&self, ty: Ty) -> u64 {
        match self.shape(ty) {
            Shape::Scalar(_) => 1,
            Shape::Vector(size, _) => u64::from(size),
            Shape::Matrix(columns, rows, _) => u64::from(columns) * u64::from(rows),
            Shape::Array(element, length) => {
                self.scalar_count(element).saturating_mul(u64::from(length.unwrap_or(1)))
            }
            Shape::Struct => self
                .members(ty)
                .iter()
                .fold(0, |sum, member| self.scalar_count(member.ty).saturating_add(sum)),
        }
    }

    /// True if `is_found` holds for the type, or for one of its elements and members at any depth.
    pub(super) fn contains(&self, ty: Ty, is_found: &dyn Fn(Ty) -> bool) -> bool {
        is_found(ty)
            || match self.shape(ty) {
                Shape::Scalar(_) | Shape::Vector(..) | Shape::Matrix(..) => false,
                Shape::Array(element, _) => self.contains(element, is_found),
                Shape::Struct => {
                    self.members(ty).iter().any(|member| self.contains(member.ty, is_found))
                }
            }
    }

    /// True if the type contains a matrix.
    pub(super) fn contains_matrix(&self, ty: Ty) -> bool {
        self.contains(ty, &|part| matches!(self.shape(part), Shape::Matrix(..)))
    }

    /// True if some scalar in the type is a `bool`.
    pub(super) fn contains_bool(&self, ty: Ty) -> bool {
        self.contains(ty, &|part| self.shape(part).kind() == Some(Kind::Bool))
    }

    /// The type's name in GLSL.
    pub(super) fn type_name(&self, ty: Ty) -> String {
        let (mut base, mut suffix) = (ty, String::new());
        while let Shape::Array(element, length) = self.shape(base) {
            let length = length.map_or_else(String::new, |length| length.to_string());
            let _ = write!(suffix, "[{length}]");
            base = element;
        }
        if self.shape(base) == Shape::Struct {
            return format!("{}{suffix}", self.struct_name(base));
        }
        format!("{}{suffix}", self.interface_type(base))
    }

    /// The type in the interface model.
    pub(super) fn interface_type(&self, ty: Ty) -> Type {
        match self.shape(ty) {
            Shape::Scalar(kind) => Type::Scalar(kind.interface()),
            Shape::Vector(size, kind) => Type::Vector { size, scalar: kind.interface() },
            Shape::Matrix(columns, rows, kind) => {
                Type::Matrix { columns, rows, scalar: kind.interface() }
            }
            Shape::Array(element, length) => {
                self.interface_type(element).array(length.unwrap_or(1))
            }
            Shape::Struct => {
                let members = self.members(ty).iter().map(|member| Member {
                    name: member.name.clone().unwrap_or_default(),
                    ty: self.interface_type(member.ty),
                });
                let name = self.struct_name(ty).to_owned();
                Type::Struct(StructType { name, members: members.collect() })
            }
        }
    }

    /// The scalar, vector or matrix type with this keyword.
    pub(super) fn keyword_type(&mut self, word: &str) -> Option<Ty> {
        if let Some((_, kind)) = SCALARS.iter().find(|(name, _)| *name == word) {
            return Some(self.scalar(*kind));
        }
        for (prefix, kind) in
            [("mat", Kind::Float), ("f32mat", Kind::Float), ("dmat", Kind::Double)]
        {
            let Some(size) = word.strip_prefix(prefix) else { continue };
            let digits: Vec<u8> = size.bytes().map(|byte| byte.wrapping_sub(b'0')).collect();
            return match digits[..] {
                [n @ 2..=4] => Some(self.matrix(n, n, kind)),
                [columns @ 2..=4, x, rows @ 2..=4] if x == b'x' - b'0' => {
                    Some(self.matrix(columns, rows, kind))
                }
                _ => None,
            };
        }
        let (prefix, size) = word.split_once("vec")?;
        let size = size.parse::<u8>().ok().filter(|size| (2..=4).contains(size))?;
        let (_, kind) = VECTORS.iter().find(|(name, _)| *name == prefix)?;
        Some(self.vector(size, *kind))
    }
}

/// Keywords of the scalars.
const SCALARS: [(&str, Kind); 12] = [
    ("bool", Kind::Bool),
    ("int", Kind::Int),
    ("uint", Kind::Uint),
    ("unsigned int", Kind::Uint),
    ("float", Kind::Float),
    ("int64_t", Kind::Int64),
    ("uint64_t", Kind::Uint64),
    ("double", Kind::Double),
    ("float32_t", Kind::Float),
    ("float64_t", Kind::Double),
    ("int32_t", Kind::Int),
    ("uint32_t", Kind::Uint),
];

/// The prefixes of `vec2` and so on in the keywords of vectors.
pub(super) const VECTORS: [(&str, Kind); 11] = [
    ("", Kind::Float),
    ("i", Kind::Int),
    ("u", Kind::Uint),
    ("b", Kind::Bool),
    ("i64", Kind::Int64),
    ("u64", Kind::Uint64),
    ("d", Kind::Double),
    ("f32", Kind::Float),
    ("f64", Kind::Double),
    ("i32", Kind::Int),
    ("u32", Kind::Uint),
];

/// Shape of `ty`.
pub(super) fn shape_of(module: &naga::Module, ty: Ty) -> Shape {
    match &module.types[ty].inner {
        TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => Shape::Scalar(Kind::of(*scalar)),
        TypeInner::Vector { size, scalar } => Shape::Vector(*size as u8, Kind::of(*scalar)),
        TypeInner::Matrix { columns, rows, scalar } => {
            Shape::Matrix(*columns as u8, *rows as u8, Kind::of(*scalar))
        }
        TypeInner::Array { base, size, .. } => Shape::Array(
            *base,
            match size {
                ArraySize::Constant(length) => Some(length.get()),
                ArraySize::Pending(_) | ArraySize::Dynamic => None,
            },
        ),
        TypeInner::Struct { .. }
        | TypeInner::Pointer { .. }
        | TypeInner::ValuePointer { .. }
        | TypeInner::Image { .. }
        | TypeInner::Sampler { .. }
        | TypeInner::AccelerationStructure { .. }
        | TypeInner::RayQuery { .. }
        | TypeInner::BindingArray { .. }
        | TypeInner::CooperativeMatrix { .. } => Shape::Struct,
    }
}

/// True if `word` names a GLSL type that this lowering does not support, such as `half`.
pub(super) fn is_unsupported_type(word: &str) -> bool {
    const WORDS: [&str; 6] =
        ["atomic_uint", "float16_t", "half", "texture2DMS", "texture2DMSArray", "textureBuffer"];
    const PREFIXES: [&str; 6] = ["subpassInput", "f16vec", "f16mat", "int16_t", "16vec", "int8_t"];
    let plain = word.strip_prefix(['i', 'u']).unwrap_or(word);
    // The names of some functions begin with `image` too.
    let is_image =
        [word, plain].into_iter().filter_map(|word| word.strip_prefix("image")).any(|rest| {
            rest.starts_with(|first: char| first.is_ascii_digit())
                || rest.starts_with("Cube")
                || rest.starts_with("Buffer")
        });
    let is_sampler = plain.starts_with("sampler") && is_type(word);
    is_image
        || is_sampler
        || WORDS.contains(&word)
        || WORDS.contains(&plain)
        || PREFIXES.iter().any(|prefix| word.starts_with(prefix) || plain.starts_with(prefix))
}

/// True if `word` is the keyword of a scalar, vector or matrix.
pub(super) fn is_keyword(word: &str) -> bool {
    let vectors = VECTORS.iter().map(|(prefix, _)| (*prefix, "vec"));
    let mut composites = vectors.chain([("", "mat"), ("d", "mat")]);
    SCALARS.iter().any(|(name, _)| *name == word && !name.contains(' '))
        || composites.any(|(prefix, middle)| {
            let size = word.strip_prefix(prefix).and_then(|rest| rest.strip_prefix(middle));
            size.is_some_and(|size| {
                !size.is_empty() && size.bytes().all(|byte| byte == b'x' || byte.is_ascii_digit())
            })
        })
}
