//! Blocks whose accesses become accesses to words, by [`explicit_io`](crate::resource::explicit_io).

use naga::{GlobalVariable, Handle};

use ir::layout::BlockLayout;

/// A block that must be lowered to words.
#[derive(Clone, Debug)]
pub(crate) struct MisplacedBlock {
    /// The global of the block.
    pub global: Handle<GlobalVariable>,
    /// The layout of the block, with the offsets of its members.
    pub layout: BlockLayout,
    /// The buffer of the words.
    pub home: Home,
}

/// The buffer that holds the words of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Home {
    /// The global of the block itself, which gets the type of a buffer of words.
    Own,
    /// Part of a uniform buffer of `vec4<u32>` that the module has already.
    Uniforms {
        /// The global of the buffer.
        words: Handle<GlobalVariable>,
        /// Offset of the block in the buffer, in bytes.
        offset: u32,
    },
    /// Part of a buffer with the results of a stage.
    Results {
        /// The global of the buffer, which is a runtime-sized array of `vec4<u32>`.
        words: Handle<GlobalVariable>,
        /// Index of the first vector of the results.
        first: First,
        /// Offset of the block from there, in bytes.
        offset: u32,
    },
}

/// The variables of an emulated stage that its code accesses in the buffers of results, without copies.
#[derive(Clone, Debug, Default)]
pub(crate) struct InPlaceBlocks {
    /// Inputs, in the results of the stage before.
    pub inputs: Vec<MisplacedBlock>,
    /// Outputs, in the stage's own results.
    pub outputs: Vec<MisplacedBlock>,
}

/// A private global that has the index of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum First {
    /// A `u32`: the first vector of the block.
    OfBlock(Handle<GlobalVariable>),
    /// An array of `u32`: the first vector of each vertex. The block is an array of vertices.
    OfVertices(Handle<GlobalVariable>),
}
