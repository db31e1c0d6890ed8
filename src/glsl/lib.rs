//! GLSL 1.10 to 4.60 and ES 1.00 to 3.20: tokens, syntax tree, and lowering to naga's IR.

pub mod ast;
mod builtins;
mod check;
pub mod fixed_function;
mod hints;
mod literal;
mod lower;
pub mod parser;
mod preprocess;
mod scan;
mod specialize;
mod target;
mod token;
mod word;

pub use check::layout_word::{LayoutValue, LayoutWords, layout_words};
pub use check::qualifier_word::{QualifierWords, qualifier_words};
pub use check::site::Site;
pub use hints::Hints;
pub use lower::compile;
pub use parser::{Include, ParseOptions, parse};
pub use specialize::specialize;
pub use target::Target;

/// Extensions that `#extension` accepts in the newest version.
pub const fn shader_extensions(is_es: bool) -> &'static [&'static str] {
    preprocess::extensions(is_es)
}

/// Extensions whose rules are known, and that shaders may use only where a case asks only whether they compile.
pub const fn checked_extensions(is_es: bool) -> &'static [&'static str] {
    preprocess::checked_extensions(is_es)
}
