//! The shader library of the Vulkan and OpenGL conformance tests: `*.test` files.
//!
//! A file holds groups of cases; a case holds shaders with placeholders, values of their inputs, uniforms and outputs,
//! and what must happen. [`Library`] reads a file with its imports and composes the text of a case for each: the
//! placeholders are filled in, the missing stages of a `both` case generated, and each value of a list becomes a draw.
//! The composed lines have the numbers of the file's lines, so that messages about shaders point into the file.

mod compose;
mod excerpt;
mod library;
mod read;
mod stages;
mod steps;
mod syntax;
mod templates;
mod token;
mod values;

pub use library::{File, Library};
pub use templates::Templates;

#[cfg(test)]
mod tests;
