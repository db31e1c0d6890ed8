//! What an expression gives: a value, or a place in memory that is not read yet.

use std::rc::Rc;

use naga::{Expression, Handle};

use super::global::Use;
use super::types::Ty;

/// An expression and its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// The expression.
    pub(super) handle: Handle<Expression>,
    /// Its type.
    pub(super) ty: Ty,
}

/// The result of an expression.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    /// A value.
    Value(Value),
    /// Something in memory, not read yet.
    Place(Place),
    /// No value: a call of a `void` function.
    Void,
}

/// An l-value.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Pointer to it, or to the vector that `swizzle` selects from.
    pub(super) pointer: Handle<Expression>,
    /// Its type in the shader.
    pub(super) ty: Ty,
    /// The type the pointer points at.
    pub(super) stored: Ty,
    /// Selected components of the vector.
    pub(super) swizzle: Option<Vec<u8>>,
    /// Permitted accesses.
    pub(super) access: Access,
    /// Set for a column of a row-major matrix; `pointer` is then that of the rows.
    pub(super) column: Option<Step>,
    /// Its variables if it is split into several; then `pointer` is meaningless.
    pub(super) pieces: Option<Pieces>,
    /// The global that contains it, and the block member once one is selected.
    pub(super) root: Option<Use>,
    /// True for a whole block (or array of blocks): the next member access selects the block member.
    pub(super) is_block: bool,
    /// True for an array without a declared size so far ([`super::open_array`]).
    pub(super) is_open: bool,
}

/// Permitted accesses of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Reads and writes.
    ReadWrite,
    /// Only reads; a description for messages.
    ReadOnly(&'static str),
    /// Only writes.
    WriteOnly,
    /// Outputs of all invocations of a control stage: writes only at the index `gl_InvocationID`.
    OwnVertex,
}

/// Memory in several variables.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    /// Pointers to all of them, in order.
    pub(super) pointers: Rc<[Handle<Expression>]>,
    /// Elements in each.
    pub(super) length: u32,
    /// The part selected by a dynamic index; before that the place is the whole array.
    pub(super) chosen: Option<Chosen>,
}

/// An element, or a part of it.
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
    /// True if a dynamic index has selected a part.
    pub(super) fn is_chosen(&self) -> bool {
        self.pieces.as_ref().is_some_and(|pieces| pieces.chosen.is_some())
    }
}
