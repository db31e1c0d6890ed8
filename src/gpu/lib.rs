//! Runs cases on adapters through wgpu. No other crate depends on wgpu, except `passthrough` for one unsafe call.
//!
//! [`adapters`] lists the adapters of the machine, [`Gpu::open`] opens a device, and [`execute`] runs one case on it.
//! Execution is first planned as data (in `plan/lib.rs`), which needs no adapter, and then encoded as one submission.

mod adapter;
mod copy;
mod execute;
mod messages;
mod offered;
mod pass;
mod pipeline_cache;
mod resources;
mod target;
pub mod validation;

#[cfg(test)]
mod adapter_geometry_tests;
#[cfg(test)]
mod adapter_tests;

use ir::backend::Backend;
use offer::{AdapterInfo, Language};

pub use adapter::{Adapters, Gpu, GpuError, adapters};
pub use execute::execute;

/// Value of Mesa's `MESA_EXTENSION_OVERRIDE`, set before any worker process starts: wgpu's GL backend finds float
/// render targets by the name of an extension that Mesa's core profile does not list.
pub const EXTENSION_WORDS: &str = "+EXT_color_buffer_float";

/// Additional extension overrides for Mesa on this adapter, so that wgpu sets bindings by name: see
/// [`Language::has_bindings`]. wgpu infers from `GL_ARB_compute_shader` that shaders declare their bindings, but old
/// GLSL has no syntax for them. Compute stages cannot be written in these versions anyway.
pub fn extension_words_of(adapter: &AdapterInfo) -> &'static str {
    let language = (adapter.backend == Backend::Gl).then(|| Language::of_driver(&adapter.driver));
    let has_bindings = language.flatten().is_none_or(Language::has_bindings);
    if has_bindings { "" } else { "-GL_ARB_compute_shader" }
}
