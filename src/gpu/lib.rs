//! Runs cases on adapters through wgpu. No other crate depends on wgpu.
//!
//! [`adapters`] lists the adapters of the machine, [`Gpu::open`] opens a device, and [`execute`] runs one case on it.
//! Execution is first planned as data (in `plan/lib.rs`), which needs no adapter, and then encoded as one submission.

mod ability;
mod adapter;
mod back_end;
mod bindings;
mod blending;
mod cull;
mod depth_buffer;
mod depth_upload;
mod execute;
mod fill;
mod flat_texture;
mod full_screen;
mod geometry;
mod messages;
mod need;
mod offer;
mod old_language;
mod pipeline;
mod pipeline_cache;
mod pointer_argument;
mod pretend;
mod read_back;
mod requirement;
mod resources;
mod samples;
mod snapshot;
mod stencil_copy;
mod texel_copy;
mod texture_format;
mod textures;
mod unused_outputs;
pub mod validation;
mod xfb;

#[cfg(test)]
mod adapter_geometry_tests;
#[cfg(test)]
mod adapter_tests;
pub mod binding_entry;
pub mod format_support;
mod limits;
pub mod target;

use std::fmt;

use ir::backend::Backend;

pub use crate::format_support::FormatSupport;
pub use adapter::{Adapters, Gpu, adapters};
pub use execute::execute;
pub use need::{NeedRow, Needs, need_table};
pub use offer::Offer;
pub use plan::{ExecuteError, Programs};
pub use pretend::{Pretend, PretendError};
pub use requirement::{asks_adapter, missing_gl, missing_requirement, unknown_requirement};
pub use requirement::{gl_limits, lacks_case, lacks_planned, needs};

/// Value of Mesa's `MESA_EXTENSION_OVERRIDE`, set before any worker process starts: wgpu's GL backend finds float
/// render targets by the name of an extension that Mesa's core profile does not list.
pub const EXTENSION_WORDS: &str = "+EXT_color_buffer_float";

/// Additional extension overrides for Mesa on this adapter, so that wgpu sets bindings by name: see
/// `ability::Language::has_bindings`. wgpu infers from `GL_ARB_compute_shader` that shaders declare their bindings, but
/// old GLSL has no syntax for them. Compute stages cannot be written in these versions anyway.
pub fn extension_words_of(adapter: &AdapterInfo) -> &'static str {
    let language =
        (adapter.backend == Backend::Gl).then(|| ability::Language::of_driver(&adapter.driver));
    let has_bindings = language.flatten().is_none_or(ability::Language::has_bindings);
    if has_bindings { "" } else { "-GL_ARB_compute_shader" }
}

/// Description of an adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterInfo {
    /// The API through which the adapter is used.
    pub backend: Backend,
    /// Index among the adapters of its backend.
    pub index: usize,
    /// Name of the adapter, such as `llvmpipe (LLVM 15.0.6, 256 bits)`.
    pub name: String,
    /// Name of the driver (`llvmpipe`) and its version text (`Mesa 22.3.6`).
    pub driver: String,
    /// Kind of hardware.
    pub device_type: DeviceType,
    /// PCI bus address (`0000:01:00.0`); empty if the driver does not report it.
    pub bus: String,
}

/// Kind of hardware of an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceType {
    /// A GPU that shares its memory with the processor.
    Integrated,
    /// A GPU with its own memory.
    Discrete,
    /// A virtual or remote GPU.
    Virtual,
    /// A software implementation.
    Cpu,
    /// A device of unknown kind.
    Other,
}

impl DeviceType {
    /// True if the device is certainly a GPU.
    pub const fn is_hardware(self) -> bool {
        match self {
            Self::Integrated | Self::Discrete => true,
            Self::Virtual | Self::Cpu | Self::Other => false,
        }
    }
}

/// The reason why no device could be opened.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// No adapter of the machine matches the selector.
    #[error("no adapter `{selector}`; there are: {available}")]
    NoAdapter {
        /// The requested adapter.
        selector: String,
        /// The available adapters, or `none`.
        available: String,
    },
    /// The driver refused to create a device.
    #[error("{adapter} gives no device: {reason}")]
    NoDevice {
        /// Description of the adapter.
        adapter: String,
        /// wgpu's message.
        reason: String,
    },
}

impl fmt::Display for AdapterInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} · {} · {}", self.backend, self.name, self.driver)
    }
}

impl fmt::Display for DeviceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Integrated => "integrated",
            Self::Discrete => "discrete",
            Self::Virtual => "virtual",
            Self::Cpu => "software",
            Self::Other => "other",
        })
    }
}
