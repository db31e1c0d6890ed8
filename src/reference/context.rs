//! What determines how the stages of a program are wired.

use case::Case;
use ir::options::ColorState;
use link::program::LinkedProgram;

/// What determines, besides the stages of an unlinked program, how they are wired.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    /// The case that the program belongs to.
    pub(super) case: &'a Case,
    /// The same program linked.
    pub(super) linked: &'a LinkedProgram,
    /// The case's state for colours.
    pub(super) colors: ColorState,
}
