//! Pixel formats of render targets, by wgpu's names, and what their bytes mean.

/// A colour format that can be a render target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    name: &'static str,
}

/// What the shader must output for a format, and what a probe of it compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FormatClass {
    /// Float, unorm and snorm formats: the shader outputs floats.
    Float,
    /// Signed integers.
    Sint,
    /// Unsigned integers.
    Uint,
}

impl Format {
    /// The format every target has unless the case says otherwise.
    pub const RGBA8_UNORM: Self = Self { name: "rgba8unorm" };

    /// The format of this name, such as `rgba32uint`.
    pub fn from_name(name: &str) -> Option<Self> {
        (name == "rgba8unorm").then_some(Self::RGBA8_UNORM)
    }

    /// wgpu's name.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// What the fragment stage must output.
    pub const fn class(self) -> FormatClass {
        FormatClass::Float
    }
}
