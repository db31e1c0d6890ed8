//! Results of expressions: a value, or a place in memory that is not read yet.

use std::rc::Rc;

use naga::{Expression, Handle};

use super::global::Use;
use super::types::Ty;

/// A value: an expression of the module and its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// The expression.
    pub(super) handle: Handle<Expression>,
    /// Type of the expression.
    pub(super) ty: Ty,
}

/// The result of an expression.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    /// A value.
    Value(Value),
    /// A place in memory that is not read yet.
    Place(Place),
    /// No value: a call of a `void` function.
    Void,
}

/// An l-value.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Pointer to the place, or to the vector that `swizzle` selects from.
    pub(super) pointer: Handle<Expression>,
    /// Type of the place in the shader.
    pub(super) ty: Ty,
    /// Type that the pointer points to.
    pub(super) stored: Ty,
    /// Selected components of the vector.
    pub(super) swizzle: Option<Vec<u8>>,
    /// Permitted accesses.
    pub(super) access: Access,
    /// Set for a column of a row-major matrix; `pointer` then points to the rows.
    pub(super) column: Option<Step>,
    /// The variables of a place that is split into several; `pointer` then has no meaning.
    pub(super) pieces: Option<Pieces>,
    /// The global that contains the place, and the block member once one is selected.
    pub(super) root: Option<Use>,
    /// True for a whole block (or array of blocks): the next member access selects the block member.
    pub(super) is_block: bool,
    /// True for an array whose size was not declared yet ([`super::expression::open_array`]).
    pub(super) is_open: bool,
}

/// Permitted accesses of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Reads and writes.
    ReadWrite,
    /// Only reads, with a description of the place for messages.
    ReadOnly(&'static str),
    /// Only writes.
    WriteOnly,
    /// Outputs of all invocations of a control stage: writes only at the index `gl_InvocationID`.
    OwnVertex,
}

/// A large array in several variables.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    /// Pointers to all variables, in order.
    pub(super) pointers: Rc<[Handle<Expression>]>,
    /// Number of elements in each variable.
    pub(super) length: u32,
    /// The part selected by a dynamic index; `None` while the place is the whole array.
    pub(super) chosen: Option<Chosen>,
}

/// An element of an array in pieces, or a part of the element.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    /// Index of the piece.
    pub(super) piece: Value,
    /// Steps from the piece inwards, starting with the element's index.
    pub(super) steps: Vec<Step>,
}

/// One step from a composite to a part.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// A constant index.
    Known(u32),
    /// A dynamic index.
    Dynamic(Handle<Expression>),
}

impl Place {
    /// True if a dynamic index has selected a part of an array in pieces.
    pub(super) fn is_chosen(&self) -> bool {
        self.pieces.as_ref().is_some_and(|pieces| pieces.chosen.is_some())
    }
}
