//! `[require]`: requirements of a case on GL and on the adapter.

use ir::backend::Backend;

/// One line of `[require]`.
#[derive(Clone, Debug, PartialEq)]
pub enum Requirement {
    /// A requirement on GL.
    Gl(GlRequirement),
    /// A requirement on the device, which only the adapter answers.
    Device(DeviceRequirement),
    /// `depthbuffer`.
    DepthBuffer,
    /// `size W H` or `SIZE W H`; also in [`Case::size`](crate::Case::size).
    Size([u32; 2]),
    /// `feature CLIP_DISTANCES or emulated`: without clip distances in the adapter, the fragment stage clips.
    ClipDistances,
}

/// A requirement on GL.
#[derive(Clone, Debug, PartialEq)]
pub enum GlRequirement {
    /// `GL >= 3.3` or `GL ES >= 3.0`: version times 10.
    Version {
        /// True for ES.
        is_es: bool,
        /// Version times 10.
        version: u16,
        /// `COMPAT` or `CORE` after the number.
        profile: Option<String>,
    },
    /// `GLSL >= 1.30` or `GLSL ES >= 3.00`: version times 100.
    Glsl {
        /// True for ES.
        is_es: bool,
        /// Version times 100.
        version: u16,
    },
    /// A GL extension name; `is_wanted` is false for `!GL_…`.
    Extension {
        /// `GL_ARB_…`.
        name: String,
        /// True if the extension is required, false if it must be absent.
        is_wanted: bool,
    },
    /// Another numeric key of piglit, such as `GL_MAX_… >= n`.
    Limit {
        /// The key.
        name: String,
        /// Minimum value.
        minimum: i64,
    },
}

/// A requirement on the device.
#[derive(Clone, Debug, PartialEq)]
pub enum DeviceRequirement {
    /// `feature NAME`: a wgpu feature in wgpu's notation (`CLIP_DISTANCES`).
    Feature(String),
    /// `limit NAME >= N`: a wgpu limit.
    Limit {
        /// Field name in `wgpu::Limits`.
        name: String,
        /// Minimum value.
        minimum: u64,
    },
    /// `backend vulkan gl metal dx12 cpu`: one of these backends.
    Backend(Vec<Backend>),
    /// `adapter ~ "text"` or `adapter !~ "text"`: the adapter's name contains the text, or does not.
    Adapter {
        /// The text, compared ignoring case.
        pattern: String,
        /// True for `~`.
        is_wanted: bool,
        /// The reason: the comment on the line above.
        reason: String,
    },
}

impl From<GlRequirement> for Requirement {
    fn from(requirement: GlRequirement) -> Self {
        Self::Gl(requirement)
    }
}

impl From<DeviceRequirement> for Requirement {
    fn from(requirement: DeviceRequirement) -> Self {
        Self::Device(requirement)
    }
}
