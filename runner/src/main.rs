//! The program `interstage`.
fn main() {}
