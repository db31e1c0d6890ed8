//! The types of storage blocks in memory: offsets and strides by std140 or std430 (GLSL 4.60 section 7.6.2.2).
//!
//! Booleans are stored as `u32`. A matrix whose column stride is larger than in naga's own matrices becomes an array of
//! its columns. Values accessed by atomic functions get naga's atomic types.

use naga::{ArraySize, StructMember, TypeInner};

use crate::ast::{Expr, ExprKind};
use crate::lower::scan;
use ir::layout::standard::{MatrixOrder, Standard};
use ir::source::Span;

use super::{Kind, Shape, Ty};
use crate::lower::{Result, Stage, unsupported};

/// Layout rules of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lower) enum Packing {
    /// `std140`: arrays and structs are aligned to 16 bytes.
    Std140,
    /// `std430`: every type has its natural alignment.
    Std430,
    /// `scalar`: vectors have the alignment of their scalars. naga's types cannot express this, so the types are those
    /// of std430, and the linker gets the real offsets of the members.
    Scalar,
}

/// Layout rules of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lower) struct LayoutRules {
    /// Layout rules of the block.
    pub(in crate::lower) packing: Packing,
    /// True if matrices are row-major.
    pub(in crate::lower) is_row_major: bool,
}

impl LayoutRules {
    /// The matrix order of the member.
    pub(in crate::lower) const fn order(self) -> MatrixOrder {
        if self.is_row_major { MatrixOrder::RowMajor } else { MatrixOrder::ColumnMajor }
    }
}

/// A type in memory.
#[derive(Clone, Copy, Debug)]
pub(in crate::lower) struct StoredType {
    /// The type in the module.
    pub(in crate::lower) ty: Ty,
    /// Size in bytes.
    pub(in crate::lower) size: u32,
    /// Alignment in bytes.
    pub(in crate::lower) alignment: u32,
}

/// Paths of member names, without indices, to values that are accessed atomically.
pub(in crate::lower) type AtomicPaths = Vec<Vec<String>>;

impl Packing {
    /// Alignment of an array, matrix or struct whose parts have the alignment `alignment`.
    pub(in crate::lower) const fn round(self, alignment: u32) -> u32 {
        match self {
            Self::Std140 => alignment.next_multiple_of(16),
            Self::Std430 | Self::Scalar => alignment,
        }
    }

    /// The corresponding standard layout.
    pub(in crate::lower) const fn standard(self) -> Standard {
        match self {
            Self::Std140 => Standard::Std140,
            Self::Std430 => Standard::Std430,
            Self::Scalar => Standard::Scalar,
        }
    }
}

impl Stage<'_> {
    /// The type in memory of values of type `ty` in a storage block.
    pub(in crate::lower) fn storage_type(
        &mut self,
        ty: Ty,
        rules: LayoutRules,
        atomics: &AtomicPaths,
        span: Span,
    ) -> Result<StoredType> {
        let is_atomic = atomics.iter().any(Vec::is_empty);
        match self.shape(ty) {
            Shape::Scalar(kind) => {
                let kind = memory_kind(kind);
                let inner = if is_atomic {
                    TypeInner::Atomic(kind.scalar())
                } else {
                    TypeInner::Scalar(kind.scalar())
                };
                let bytes = kind.bytes();
                Ok(StoredType { ty: self.add_type(None, inner), size: bytes, alignment: bytes })
            }
            Shape::Vector(size, kind) => {
                if !atomics.is_empty() {
                    return unsupported(
                        span,
                        "an atomic function on a vector component, which naga does not support",
                    );
                }
                Ok(self.stored_vector(size, memory_kind(kind)))
            }
            Shape::Matrix(columns, rows, kind) if rules.is_row_major => {
                Ok(self.row_major_type(columns, rows, kind, rules.packing))
            }
            Shape::Matrix(columns, rows, kind) => {
                let column = self.stored_vector(rows, kind);
                let alignment = rules.packing.round(column.alignment);
                let size = alignment * u32::from(columns);
                let ty = if alignment == column.alignment {
                    ty
                } else {
                    self.strided(column.ty, Some(u32::from(columns)), alignment)
                };
                Ok(StoredType { ty, size, alignment })
            }
            Shape::Array(element, length) => {
                let element = self.storage_type(element, rules, atomics, span)?;
                let alignment = rules.packing.round(element.alignment);
                let stride = element.size.next_multiple_of(alignment);
                let ty = self.strided(element.ty, length, stride);
                let size = stride.saturating_mul(length.unwrap_or(1));
                Ok(StoredType { ty, size, alignment })
            }
            Shape::Struct => self.stored_struct(ty, rules, atomics, span),
        }
    }

    fn stored_vector(&mut self, size: u8, kind: Kind) -> StoredType {
        let alignment = kind.bytes() * if size == 2 { 2 } else { 4 };
        let size_in_bytes = u32::from(size) * kind.bytes();
        StoredType { ty: self.vector(size, kind), size: size_in_bytes, alignment }
    }

    fn strided(&mut self, element: Ty, length: Option<u32>, stride: u32) -> Ty {
        let size = length
            .and_then(std::num::NonZeroU32::new)
            .map_or(ArraySize::Dynamic, ArraySize::Constant);
        self.add_type(None, TypeInner::Array { base: element, size, stride })
    }

    fn stored_struct(
        &mut self,
        ty: Ty,
        rules: LayoutRules,
        atomics: &AtomicPaths,
        span: Span,
    ) -> Result<StoredType> {
        let name = self.module.types[ty].name.clone();
        let (mut end, mut alignment) = (0_u32, 1_u32);
        let mut members = Vec::new();
        for member in self.members(ty).to_vec() {
            let paths = below(atomics, member.name.as_deref().unwrap_or_default());
            let stored = self.storage_type(member.ty, rules, &paths, span)?;
            let offset = end.next_multiple_of(stored.alignment);
            alignment = alignment.max(stored.alignment);
            members.push(StructMember { name: member.name, ty: stored.ty, binding: None, offset });
            end = offset.saturating_add(stored.size);
        }
        let alignment = rules.packing.round(alignment);
        let size = end.next_multiple_of(alignment);
        let ty = self.add_type(name, TypeInner::Struct { members, span: size });
        Ok(StoredType { ty, size, alignment })
    }

    /// Paths below the variable or block instance `name` that are passed to atomic functions.
    pub(in crate::lower) fn atomic_paths(&self, name: &str) -> AtomicPaths {
        let mut paths = AtomicPaths::new();
        for unit in self.units {
            scan::visit_unit(unit, &mut |expr| {
                let ExprKind::Call(function, arguments) = &expr.kind else { return };
                if !function.name.starts_with("atomic") {
                    return;
                }
                let mut path = Vec::new();
                let root = arguments.first().and_then(|memory| member_path(memory, &mut path));
                if root == Some(name) {
                    paths.push(path);
                }
            });
        }
        paths
    }
}

/// The paths through a member, without the member's own name.
pub(in crate::lower) fn below(paths: &AtomicPaths, member: &str) -> AtomicPaths {
    paths
        .iter()
        .filter_map(|path| path.split_first())
        .filter(|(first, _)| *first == member)
        .map(|(_, rest)| rest.to_vec())
        .collect()
}

/// The variable at the root of an access; the member names after it are collected in order.
fn member_path<'e>(expr: &'e Expr, path: &mut Vec<String>) -> Option<&'e str> {
    if let ExprKind::Variable(name) = &expr.kind {
        return Some(name);
    }
    if let ExprKind::Index(base, _) = &expr.kind {
        return member_path(base, path);
    }
    let ExprKind::Field(base, field) = &expr.kind else { return None };
    let root = member_path(base, path);
    path.push(field.name.clone());
    root
}

const fn memory_kind(kind: Kind) -> Kind {
    match kind {
        Kind::Bool => Kind::Uint,
        Kind::Int | Kind::Uint | Kind::Float | Kind::Int64 | Kind::Uint64 | Kind::Double => kind,
    }
}
