//! Names: what a shader object declares at global scope, and what a function declares inside.

use std::collections::HashMap;
use std::rc::Rc;

use naga::{Expression, GlobalVariable, Handle};

use crate::ast::Version;
use ir::declared_block::PackingWord;

use super::constant::Constant;
use super::layout::Packing;
use super::pieces::Pieces;
use super::types::Ty;

/// The names of one shader object.
pub(super) struct Object {
    /// Its language version.
    pub(super) version: Version,
    /// How uniform blocks are laid out that do not say so themselves.
    pub(super) uniform_blocks: BlockDefaults,
    /// The same of storage blocks.
    pub(super) storage_blocks: BlockDefaults,
    names: HashMap<String, (Symbol, usize)>,
    /// Functions by name, as indices into the stage's list, with the item that declared them.
    functions: HashMap<String, Vec<(usize, usize)>>,
}

/// What `layout(…) uniform;` and `layout(…) buffer;` set.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockDefaults {
    /// Offsets and strides.
    pub(super) packing: Packing,
    /// The word for them.
    pub(super) word: PackingWord,
    /// Whether matrices are row-major.
    pub(super) is_row_major: bool,
}

/// What holds without any such statement.
const DEFAULTS: BlockDefaults =
    BlockDefaults { packing: Packing::Std140, word: PackingWord::Shared, is_row_major: false };

/// What a name of a variable or type stands for.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    /// A struct.
    Type(Ty),
    /// A scalar, vector or matrix known while compiling.
    Constant(Constant),
    /// A global, or a block by its instance name.
    Global(Handle<GlobalVariable>),
    /// An array of storage blocks by its instance name: the blocks, the last index changing fastest, and the lengths.
    Blocks(Rc<[Handle<GlobalVariable>]>, Rc<[u32]>),
    /// A member of a block without instance name.
    Member(Handle<GlobalVariable>, u32),
    /// A large local array.
    LocalPieces {
        /// Where it is.
        pieces: Pieces,
        /// Its type.
        ty: Ty,
        /// The type of a piece.
        stored: Ty,
    },
    /// A local variable or parameter.
    Local {
        /// Pointer to it.
        pointer: Handle<Expression>,
        /// Its type.
        ty: Ty,
        /// Whether it was declared `const`.
        is_const: bool,
    },
}

impl Object {
    /// An object that declares nothing yet.
    pub(super) fn new(version: Version) -> Self {
        Self {
            version,
            uniform_blocks: DEFAULTS,
            storage_blocks: DEFAULTS,
            names: HashMap::new(),
            functions: HashMap::new(),
        }
    }

    /// What `name` stands for in an item with index `position`: later declarations are not visible.
    pub(super) fn find(&self, name: &str, position: usize) -> Option<&Symbol> {
        self.names.get(name).filter(|(_, at)| *at <= position).map(|(symbol, _)| symbol)
    }

    /// Declares `name` in the item `position`; false when it existed already.
    pub(super) fn declare(&mut self, name: &str, symbol: Symbol, position: usize) -> bool {
        if self.names.contains_key(name) || self.functions.contains_key(name) {
            return false;
        }
        self.names.insert(name.to_owned(), (symbol, position));
        true
    }

    /// Makes a function of the stage visible here; the first declaration counts.
    pub(super) fn declare_function(&mut self, name: &str, function: usize, position: usize) {
        let known = self.functions.entry(name.to_owned()).or_default();
        if !known.iter().any(|(existing, _)| *existing == function) {
            known.push((function, position));
        }
    }

    /// The functions called `name` that an item with index `position` sees.
    pub(super) fn functions(&self, name: &str, position: usize) -> Vec<usize> {
        let all = self.functions.get(name).map_or(&[][..], Vec::as_slice);
        all.iter().filter(|(_, at)| *at <= position).map(|(function, _)| *function).collect()
    }
}
