//! Abilities of a device: features, downlevel flags, limits, and the GLSL that the GL backend writes for it. All checks
//! for capabilities that an adapter may lack read this type, so a device can pretend to have less.

use super::language::Language;

/// Abilities that a device may use.
#[derive(Clone, Debug)]
pub struct Abilities {
    /// Features that the device was opened with.
    pub features: wgpu_types::Features,
    /// Downlevel flags: the guarantees of WebGPU that this adapter meets.
    pub flags: wgpu_types::DownlevelFlags,
    /// Limits that the device was opened with.
    pub limits: wgpu_types::Limits,
    /// GLSL version that the GL backend writes; `None` for other backends.
    pub language: Option<Language>,
}

impl Abilities {
    /// True if the device has a downlevel flag.
    pub const fn has(&self, flag: wgpu_types::DownlevelFlags) -> bool {
        self.flags.contains(flag)
    }
}
