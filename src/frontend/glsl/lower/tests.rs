//! Tests of the lowering as a whole.
