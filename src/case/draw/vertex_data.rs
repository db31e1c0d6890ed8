//! `[vertex data]`.

use ir::source::Span;

/// `[vertex data]`: interleaved rows.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexData {
    /// The columns in order.
    pub columns: Vec<VertexColumn>,
    /// Bytes from one row to the next: the sum of the columns' sizes.
    pub stride: u32,
    /// All rows, little-endian, without padding.
    pub bytes: Vec<u8>,
    /// Number of rows.
    pub row_count: u32,
}

/// One column of `[vertex data]`: `name[idx]/ctype/glsltype[/matrix column]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexColumn {
    /// Attribute name, or a decimal location.
    pub attribute: String,
    /// Array element, for `name[idx]`.
    pub element: u32,
    /// Matrix column.
    pub matrix_column: u32,
    /// Storage type.
    pub storage: VertexStorage,
    /// Components, 1 to 4.
    pub components: u8,
    /// True if the shader type is an integer type (`int`, `ivec3`, `uint` …).
    pub is_integer: bool,
    /// True if the GLSL type has 64-bit scalars.
    pub is_wide: bool,
    /// Byte offset in the row.
    pub offset: u32,
    /// Span of the header cell.
    pub span: Span,
}

/// Storage type of a vertex column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the storage types")]
pub enum VertexStorage {
    Half,
    Float,
    Double,
    Byte,
    Ubyte,
    Short,
    Ushort,
    Int,
    Uint,
    Int64,
    Uint64,
}
