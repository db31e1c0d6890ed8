//! Changes that make loops, or change those that a function has.

mod flags;
pub(super) mod once;
pub(super) mod peel;
pub(super) mod split_loop;
pub(super) mod unroll;
