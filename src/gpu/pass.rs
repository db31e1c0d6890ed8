//! Pipelines and bind groups of draws, dispatches and passes.

pub(crate) mod back_end;
pub(crate) mod bindings;
pub(crate) mod passes;
pub(crate) mod pipeline;
pub(crate) mod pointer_argument;
pub(crate) mod stage;
