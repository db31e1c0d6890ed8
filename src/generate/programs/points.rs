//! Bindings of the resources of programs.

use super::tree::{CELLS, SIGNED_CELLS};

/// Binding of the buffer that compute stages write.
pub(super) const OUTPUT_POINT: u8 = 0;

/// Binding of the buffer that stages read.
pub(super) const INPUT_POINT: u8 = 1;

/// Binding of the buffer of inexact floats that compute stages write.
pub const SUM_POINT: u8 = 2;

/// Binding of the counters of compute stages.
pub(super) const COUNTER_POINT: u8 = 3;

/// Binding of the first uniform.
pub(super) const UNIFORM_POINT: u8 = 4;

/// Binding of the cells of unsigned integers; those of signed ones are behind it.
pub(super) const CELL_POINT: u8 = 13;

/// Numbers and bindings of both.
pub(super) const CELL_POINTS: [(usize, u8); 2] =
    [(CELLS, CELL_POINT), (SIGNED_CELLS, CELL_POINT + 1)];

/// Binding of the picture, a storage texture.
pub(super) const PICTURE_POINT: u8 = 15;
