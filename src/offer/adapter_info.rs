//! Descriptions of adapters.

use std::fmt;

use ir::backend::Backend;

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
