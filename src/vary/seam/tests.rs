//! Tests of whole variants of seams.
