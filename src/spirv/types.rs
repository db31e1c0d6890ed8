//! Converts SPIR-V's types to the linker's, with the layout from their decorations.

use rspirv::spirv::{Decoration, Op};

use crate::well_formed::malformed::Malformed;
use ir::interface::{MAX_COMPONENTS, Member, ScalarKind, StructType, Type};
use ir::layout::{BlockLayout, Shape};

use super::declarations::Declarations;

/// Maximum nesting of types.
const MAX_DEPTH: u32 = 32;

/// The linker's type for a type id. A runtime-sized array has one element.
pub(super) fn type_of(declarations: &Declarations, id: u32) -> Result<Type, Malformed> {
    let (depth, components) = declarations.extent(id);
    if depth > MAX_DEPTH || components > MAX_COMPONENTS {
        return Err(Malformed(format!(
            "has a type of {components} components nested {depth} levels deep; interstage supports {MAX_COMPONENTS} and {MAX_DEPTH}"
        )));
    }
    plain_type(declarations, id).ok_or_else(|| {
        Malformed("has a type that inputs, outputs and blocks cannot have".to_owned())
    })
}

fn plain_type(declarations: &Declarations, id: u32) -> Option<Type> {
    let (op, operands) = declarations.ty(id)?;
    let inner = || plain_type(declarations, *operands.first()?);
    Some(match op {
        Op::TypeBool => Type::Scalar(ScalarKind::Bool),
        Op::TypeFloat | Op::TypeInt => Type::Scalar(scalar_kind(op, &operands)?),
        Op::TypeVector => {
            let Type::Scalar(scalar) = inner()? else { return None };
            Type::Vector { size: size(operands.get(1))?, scalar }
        }
        Op::TypeMatrix => {
            let Type::Vector { size: rows, scalar } = inner()? else { return None };
            Type::Matrix { columns: size(operands.get(1))?, rows, scalar }
        }
        Op::TypeArray => {
            let length = declarations.integer(*operands.get(1)?).filter(|length| *length > 0)?;
            inner()?.array(length)
        }
        Op::TypeRuntimeArray => inner()?.array(1),
        Op::TypeStruct => {
            let member = |(idx, ty): (u32, &u32)| {
                let name = declarations.member_name(id, idx);
                Some(Member { name, ty: plain_type(declarations, *ty)? })
            };
            let members = (0..).zip(&operands).map(member).collect::<Option<_>>()?;
            let name = declarations.name(id).unwrap_or("struct").to_owned();
            Type::Struct(StructType { name, members })
        }
        _ => return None,
    })
}

fn scalar_kind(op: Op, operands: &[u32]) -> Option<ScalarKind> {
    match (op, operands) {
        (Op::TypeFloat, [32, ..]) => Some(ScalarKind::F32),
        (Op::TypeFloat, [64, ..]) => Some(ScalarKind::F64),
        (Op::TypeInt, [32, 0]) => Some(ScalarKind::U32),
        (Op::TypeInt, [32, _]) => Some(ScalarKind::I32),
        (Op::TypeInt, [64, 0]) => Some(ScalarKind::U64),
        (Op::TypeInt, [64, _]) => Some(ScalarKind::I64),
        _ => None,
    }
}

fn size(count: Option<&u32>) -> Option<u8> {
    u8::try_from(*count?).ok().filter(|count| (2..=4).contains(count))
}

/// Matrix order and stride of a member, inherited by the elements of its arrays.
#[derive(Clone, Copy, Debug, Default)]
struct MatrixWords {
    stride: Option<u32>,
    is_row_major: bool,
    is_column_major: bool,
}

/// The explicit layout of a block: its offsets, strides and matrix orders as decorated. Errors name the member.
///
/// A struct ends with its last byte in use, an array with its last element's, because that is how GL counts
/// `BUFFER_DATA_SIZE`; an array without length counts one whole stride.
pub(super) fn layout_of(declarations: &Declarations, id: u32) -> Result<BlockLayout, Malformed> {
    type_of(declarations, id)?;
    place(declarations, id, MatrixWords::default(), "")
}

fn place(
    declarations: &Declarations,
    id: u32,
    matrix: MatrixWords,
    path: &str,
) -> Result<BlockLayout, Malformed> {
    let (op, operands) = declarations.ty(id).ok_or("has no type")?;
    let first = operands.first().copied().unwrap_or(0);
    match op {
        Op::TypeArray | Op::TypeRuntimeArray => {
            let stride = declarations.decorations(id).number(Decoration::ArrayStride);
            let stride = stride.ok_or_else(|| Malformed(format!("`{path}` has no ArrayStride")))?;
            let element = place(declarations, first, matrix, &format!("{path}[0]"))?;
            let length = operands.get(1).and_then(|length| declarations.integer(*length));
            let size = match length {
                Some(length) => stride
                    .checked_mul(length.saturating_sub(1))
                    .and_then(|start| start.checked_add(element.size)),
                None => Some(stride),
            };
            let size = size.ok_or_else(|| Malformed(format!("`{path}` is too large")))?;
            let alignment = element.alignment;
            Ok(BlockLayout {
                size,
                alignment,
                shape: Shape::Array { stride, element: Box::new(element) },
            })
        }
        Op::TypeStruct => structure(declarations, id, &operands, path),
        Op::TypeMatrix => {
            let ty = plain_type(declarations, id)
                .ok_or("has a matrix type that interstage does not support")?;
            matrix_layout(&ty, matrix, path)
        }
        _ => {
            let ty = plain_type(declarations, id);
            let ty = ty.ok_or_else(|| {
                Malformed(format!("`{path}` has a type that a buffer cannot contain"))
            })?;
            if ty.leaves().iter().any(|leaf| leaf.scalar == ScalarKind::Bool) {
                return Err(Malformed(format!(
                    "`{path}` is a boolean, which a buffer cannot contain"
                )));
            }
            Ok(leaf(&ty))
        }
    }
}

fn structure(
    declarations: &Declarations,
    id: u32,
    members: &[u32],
    path: &str,
) -> Result<BlockLayout, Malformed> {
    let mut placed = Vec::new();
    let (mut size, mut alignment) = (0_u32, 4_u32);
    for (idx, ty) in (0..).zip(members) {
        let decorations = declarations.member_decorations(id, idx);
        let name = declarations.member_name(id, idx);
        let path = if path.is_empty() { name } else { format!("{path}.{name}") };
        let offset = decorations.number(Decoration::Offset);
        let offset = offset.ok_or_else(|| Malformed(format!("`{path}` has no Offset")))?;
        let matrix = MatrixWords {
            stride: decorations.number(Decoration::MatrixStride),
            is_row_major: decorations.has(Decoration::RowMajor),
            is_column_major: decorations.has(Decoration::ColMajor),
        };
        let layout = place(declarations, *ty, matrix, &path)?;
        let end = offset.checked_add(layout.size).filter(|end| *end <= 1 << 28);
        size = size.max(end.ok_or_else(|| {
            Malformed(format!("`{path}` ends beyond the 256 MiB that interstage supports"))
        })?);
        alignment = alignment.max(layout.alignment);
        placed.push((offset, layout));
    }
    Ok(BlockLayout { size, alignment, shape: Shape::Struct(placed) })
}

fn matrix_layout(ty: &Type, words: MatrixWords, path: &str) -> Result<BlockLayout, Malformed> {
    let Type::Matrix { columns, rows, scalar } = ty else {
        return Err(Malformed("has a matrix type that interstage does not support".to_owned()));
    };
    // A matrix has exactly one of the two decorations (SPIR-V, 2.16.2).
    match (words.is_row_major, words.is_column_major) {
        (false, false) => {
            return Err(Malformed(format!("`{path}` has neither RowMajor nor ColMajor")));
        }
        (true, true) => return Err(Malformed(format!("`{path}` has both RowMajor and ColMajor"))),
        (true, false) | (false, true) => {}
    }
    let stride = words.stride.ok_or_else(|| Malformed(format!("`{path}` has no MatrixStride")))?;
    let (count, length) = if words.is_row_major { (*rows, *columns) } else { (*columns, *rows) };
    let vector = leaf(&Type::Vector { size: length, scalar: *scalar });
    let size =
        stride.checked_mul(u32::from(count) - 1).and_then(|offset| offset.checked_add(vector.size));
    let shape = Shape::Matrix { stride, is_row_major: words.is_row_major };
    let size = size.ok_or_else(|| Malformed(format!("`{path}` is too large")))?;
    Ok(BlockLayout { size, alignment: vector.alignment, shape })
}

fn leaf(ty: &Type) -> BlockLayout {
    use ir::layout::standard::{MatrixOrder, Standard, layout_of};
    layout_of(ty, Standard::Std430, MatrixOrder::ColumnMajor)
}
