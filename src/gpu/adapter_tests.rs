//! Runs programs made by hand on every adapter of the machine.
