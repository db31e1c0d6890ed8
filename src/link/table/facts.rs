//! Facts about a stage's module that more than one part of the linker needs.

pub(crate) mod indexed;
pub(crate) mod reads;
pub(crate) mod shape;
