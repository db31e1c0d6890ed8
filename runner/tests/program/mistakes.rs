//! Input and options that are wrong, and what the program says.

mod bad_input;
mod habits;
mod typed;
