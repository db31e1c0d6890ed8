//! Names at global scope of a shader object, and names inside functions.

use std::collections::HashMap;
use std::rc::Rc;

use naga::{Expression, GlobalVariable, Handle};

use crate::ast::{TranslationUnit, Version};
use crate::target::Target;
use ir::declared_block::PackingWord;

use super::operand::Pieces;
use super::types::Ty;
use super::types::constant::Constant;
use super::types::layout::Packing;

/// The names of one shader object.
pub(super) struct Object {
    /// Language version of the object.
    pub(super) version: Version,
    /// Default layout of uniform blocks.
    pub(super) uniform_blocks: BlockDefaults,
    /// Default layout of storage blocks.
    pub(super) storage_blocks: BlockDefaults,
    names: HashMap<String, (Symbol, usize)>,
    /// Functions by name, as indices into the stage's list, with the item that declares them.
    functions: HashMap<String, Vec<(usize, usize)>>,
}

/// Defaults set by `layout(…) uniform;` and `layout(…) buffer;`.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockDefaults {
    /// Layout rules for offsets and strides.
    pub(super) packing: Packing,
    /// Packing qualifier.
    pub(super) word: PackingWord,
    /// True if matrices are row-major.
    pub(super) is_row_major: bool,
}

/// Defaults of an object without these statements.
const DEFAULTS: BlockDefaults =
    BlockDefaults { packing: Packing::Std140, word: PackingWord::Shared, is_row_major: false };

/// The names of a scope in a function.
#[derive(Debug, Default)]
pub(super) struct LocalScope {
    /// The symbols.
    pub(super) names: HashMap<String, Symbol>,
    /// Arrays without a size, with the number of elements that constant indices have selected so far.
    pub(super) open: HashMap<String, u32>,
}

/// Symbol of a variable or type.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    /// A struct.
    Type(Ty),
    /// A scalar, vector or matrix known at compile time.
    Constant(Constant),
    /// A global, or a block by its instance name.
    Global(Handle<GlobalVariable>),
    /// An array of storage blocks by its instance name: the blocks, with the last index changing fastest, and the
    /// lengths of the dimensions.
    Blocks(Rc<[Handle<GlobalVariable>]>, Rc<[u32]>),
    /// A member of a block without instance name.
    Member(Handle<GlobalVariable>, u32),
    /// A large local array.
    LocalPieces {
        /// Pieces of the array.
        pieces: Pieces,
        /// Type of the whole array.
        ty: Ty,
        /// The type of a piece.
        stored: Ty,
    },
    /// A local variable or parameter.
    Local {
        /// Pointer to the variable.
        pointer: Handle<Expression>,
        /// Type of the variable.
        ty: Ty,
        /// Constancy: decides whether the variable may be written or be part of a constant expression.
        constancy: Constancy,
    },
}

/// Constancy of a local variable or parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Constancy {
    Variable,
    /// A `const` parameter: not written, and not constant (GLSL 4.60 section 4.3.3).
    Parameter,
    /// A `const` variable.
    Constant,
}

impl Constancy {
    /// The constancy of a variable of a function.
    pub(super) const fn of_variable(is_const: bool) -> Self {
        if is_const { Self::Constant } else { Self::Variable }
    }
}

impl Object {
    /// The object of a translation unit, without declarations.
    pub(super) fn new(unit: &TranslationUnit) -> Self {
        let storage_blocks = match unit.target() {
            Target::OpenGl | Target::CheckedOpenGl => DEFAULTS,
            Target::Vulkan => BlockDefaults { packing: Packing::Std430, ..DEFAULTS },
        };
        Self {
            version: unit.version,
            uniform_blocks: DEFAULTS,
            storage_blocks,
            names: HashMap::new(),
            functions: HashMap::new(),
        }
    }

    /// The symbol of `name` for the item with index `position`. Later declarations are not visible.
    pub(super) fn find(&self, name: &str, position: usize) -> Option<&Symbol> {
        self.names.get(name).filter(|(_, at)| *at <= position).map(|(symbol, _)| symbol)
    }

    /// Declares `name` in the item `position`. Returns false if it already exists.
    pub(super) fn declare(&mut self, name: &str, symbol: Symbol, position: usize) -> bool {
        // GLSL 1.10 has separate name spaces for variables and functions (section 4.2.6).
        let has_one_space = self.version.is_es || self.version.number > 110;
        let is_function = || has_one_space && self.functions.contains_key(name);
        if self.names.contains_key(name) || is_function() {
            return false;
        }
        self.names.insert(name.to_owned(), (symbol, position));
        true
    }

    /// Makes a function of the stage visible in this object, from its first declaration on.
    pub(super) fn declare_function(&mut self, name: &str, function: usize, position: usize) {
        let known = self.functions.entry(name.to_owned()).or_default();
        if !known.iter().any(|(existing, _)| *existing == function) {
            known.push((function, position));
        }
    }

    /// The functions called `name` that are visible to an item with index `position`.
    pub(super) fn functions(&self, name: &str, position: usize) -> Vec<usize> {
        let all = self.functions.get(name).map_or(&[][..], Vec::as_slice);
        all.iter().filter(|(_, at)| *at <= position).map(|(function, _)| *function).collect()
    }
}
