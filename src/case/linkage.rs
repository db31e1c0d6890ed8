//! What `[link]` says: how to link, and what the linker must decide.

use crate::source::{Span, Spanned};

/// `[link]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkSection {
    /// The header, when the section exists.
    pub header: Option<Span>,
    /// `pack …`.
    pub pack: PackMode,
    /// What the linker must decide, in file order.
    pub expectations: Vec<Spanned<LinkExpectation>>,
}

/// Whether varyings share slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PackMode {
    /// By class, order and declaration: see `link::pack`.
    #[default]
    On,
    /// Every scalar, vector, matrix column and array element has its own slot.
    Off,
    /// Every scalar is placed on its own, densely (§1.3.9).
    Scalar,
}

/// One expectation of `[link]`.
#[derive(Clone, Debug, PartialEq)]
pub enum LinkExpectation {
    /// `slots 3`.
    Slots(u32),
    /// `a 0.xy`, `d 1.w 2.x`, `m[1] 1.yzw`.
    Placement {
        /// Varying, or part of one.
        name: String,
        /// Where its scalars are, in order.
        chunks: Vec<Chunk>,
    },
    /// `unused b`: removed because nobody reads it.
    Unused(String),
    /// `block Lights size 496 binding 4 members 11`, with any of the three.
    Block {
        /// The block: its name, or `binding 4` in SPIR-V.
        name: String,
        /// What is expected of it.
        facts: Vec<(BlockFact, u32)>,
    },
    /// `member Lights.s[1].c4 offset 224 stride 16`.
    Member {
        /// Block and member.
        path: String,
        /// What is expected of it.
        facts: Vec<(MemberFact, u32)>,
    },
    /// `error "text"`: linking fails with a message containing the text.
    Error(String),
}

/// What `block` of `[link]` expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockFact {
    /// `BUFFER_DATA_SIZE`.
    Size,
    /// The binding point.
    Binding,
    /// Active variables.
    Members,
}

/// What `member` of `[link]` expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberFact {
    /// Bytes from the block's start.
    Offset,
    /// Bytes between the elements of an array.
    Stride,
    /// Bytes between columns or rows.
    MatrixStride,
    /// 1 when rows follow one another, else 0.
    RowMajor,
}

/// A run of components inside one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The slot.
    pub slot: u32,
    /// First component, 0 (x) to 3 (w).
    pub component: u8,
    /// How many, 1 to 4.
    pub count: u8,
}
