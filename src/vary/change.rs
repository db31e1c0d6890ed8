//! The changes, one file each, and the table of them.

mod boolean;
mod by_pointer;
mod components;
mod dead_code;
mod detour;
mod donate;
mod flip;
mod float;
mod home;
mod inline;
mod integer;
mod lists;
mod loops;
mod one_exit;
mod operands;
mod outline;
mod own_function;
mod switch;
mod values;

use crate::copy::Change;

/// Name of a change, and what makes it.
pub(crate) type Row = (&'static str, fn() -> Box<dyn Change>);

/// All changes. The names are those of results.
pub(crate) const ALL: [Row; 20] = [
    ("boolean", || Box::new(boolean::Boolean)),
    ("by-pointer", || Box::new(by_pointer::ByPointer)),
    ("components", || Box::new(components::Components)),
    ("dead-code", || Box::new(dead_code::DeadCode::new())),
    ("detour", || Box::new(detour::Detour)),
    ("donate", || Box::new(donate::Donate)),
    ("flip", || Box::new(flip::Flip)),
    ("float", || Box::new(float::Float)),
    ("home", || Box::new(home::Home)),
    ("inline", || Box::new(inline::Inline::new())),
    ("integer", || Box::new(integer::Integer)),
    ("once", || Box::new(loops::once::Once)),
    ("one-exit", || Box::new(one_exit::OneExit::new())),
    ("operands", || Box::new(operands::Operands)),
    ("outline", || Box::new(outline::Outline)),
    ("own-function", || Box::new(own_function::OwnFunction)),
    ("peel", || Box::new(loops::peel::Peel)),
    ("split-loop", || Box::new(loops::split_loop::SplitLoop::new())),
    ("switch", || Box::new(switch::Switch)),
    ("unroll", || Box::new(loops::unroll::Unroll::new())),
];
