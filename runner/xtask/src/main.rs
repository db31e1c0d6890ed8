//! `cargo xtask cases` and `cargo xtask test`.
fn main() {}
