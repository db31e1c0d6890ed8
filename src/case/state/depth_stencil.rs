//! Depth and stencil buffers: their formats, and GL's stencil state. Data only.

/// Format of the depth buffer, by wgpu's names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DepthFormat {
    /// Integers of 16 bits that represent 0 to 1.
    Depth16Unorm,
    /// At least 24 bits; the storage format is unspecified.
    Depth24Plus,
    /// At least 24 bits of depth in an unspecified format, and a stencil buffer.
    Depth24PlusStencil8,
    /// 32-bit floats. The default, for cases that name no format.
    #[default]
    Depth32Float,
    /// 32-bit floats and a stencil buffer.
    Depth32FloatStencil8,
    /// Only a stencil buffer.
    Stencil8,
}

const FORMATS: [(&str, DepthFormat); 6] = [
    ("depth16unorm", DepthFormat::Depth16Unorm),
    ("depth24plus", DepthFormat::Depth24Plus),
    ("depth24plus-stencil8", DepthFormat::Depth24PlusStencil8),
    ("depth32float", DepthFormat::Depth32Float),
    ("depth32float-stencil8", DepthFormat::Depth32FloatStencil8),
    ("stencil8", DepthFormat::Stencil8),
];

impl DepthFormat {
    /// Every format, in wgpu's order.
    pub fn all() -> impl Iterator<Item = Self> {
        FORMATS.iter().map(|(_, format)| *format)
    }

    /// The format called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        FORMATS.iter().find(|(known, _)| *known == name).map(|(_, format)| *format)
    }

    /// wgpu's name.
    pub fn name(self) -> &'static str {
        FORMATS.iter().find(|(_, format)| *format == self).map_or("", |(name, _)| name)
    }

    /// True if the format has a depth aspect.
    pub const fn has_depth(self) -> bool {
        match self {
            Self::Stencil8 => false,
            Self::Depth16Unorm
            | Self::Depth24Plus
            | Self::Depth24PlusStencil8
            | Self::Depth32Float
            | Self::Depth32FloatStencil8 => true,
        }
    }

    /// True if the format has a stencil aspect.
    pub const fn has_stencil(self) -> bool {
        match self {
            Self::Stencil8 | Self::Depth24PlusStencil8 | Self::Depth32FloatStencil8 => true,
            Self::Depth16Unorm | Self::Depth24Plus | Self::Depth32Float => false,
        }
    }
}

/// Aspect of a depth/stencil buffer that a probe checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepthAspect {
    /// `probe depth`.
    Depth,
    /// `probe stencil`.
    Stencil,
}

/// GL stencil operation: the change to a stored stencil value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are GL's")]
pub enum StencilOperation {
    #[default]
    Keep,
    Zero,
    Replace,
    Invert,
    Increment,
    Decrement,
    IncrementWrap,
    DecrementWrap,
}

/// One change of stencil state; front and back faces are treated alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StencilChange {
    /// `stencilfunc FUNCTION REFERENCE MASK`.
    Function {
        /// Comparison `reference FUNCTION stored`; the test passes if it holds.
        function: CompareFunction,
        /// Reference value, for the comparison and for [`StencilOperation::Replace`].
        reference: u8,
        /// Mask of the bits that are compared.
        mask: u8,
    },
    /// `stencilop FAIL DEPTH_FAIL PASS`.
    Operations([StencilOperation; 3]),
    /// `stencilmask MASK`: mask of the bits that are written.
    WriteMask(u8),
    /// `clear stencil N`: makes `clear` clear the stencil buffer, to this value.
    Clear(u8),
}

/// The depth test of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DepthTest {
    /// Comparison `fragment FUNCTION stored`; the test passes if it holds.
    pub function: CompareFunction,
    /// True if fragments that pass write their depth.
    pub is_written: bool,
}

/// The stencil test of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StencilTest {
    /// Comparison `reference FUNCTION stored`; the test passes if it holds.
    pub function: CompareFunction,
    /// Reference value, for the comparison and for [`StencilOperation::Replace`].
    pub reference: u8,
    /// Mask of the bits that are compared.
    pub mask: u8,
    /// Mask of the bits that are written.
    pub write_mask: u8,
    /// Operations when the stencil test fails, when the depth test fails, and when both pass.
    pub operations: [StencilOperation; 3],
}

impl StencilTest {
    /// GL's initial state.
    pub const INITIAL: Self = Self {
        function: CompareFunction::Always,
        reference: 0,
        mask: u8::MAX,
        write_mask: u8::MAX,
        operations: [StencilOperation::Keep; 3],
    };
}

/// Comparison `fragment FUNCTION stored`; the test passes if it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are GL's")]
pub enum CompareFunction {
    Never,
    #[default]
    Less,
    Equal,
    LessOrEqual,
    Greater,
    NotEqual,
    GreaterOrEqual,
    Always,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_its_name_and_holds_something() {
        for format in DepthFormat::all() {
            assert_eq!(DepthFormat::from_name(format.name()), Some(format));
            assert_eq!(format.has_stencil(), format.name().contains("stencil8"));
            assert_eq!(format.has_depth(), format.name().contains("depth"));
        }
        assert_eq!(DepthFormat::all().count(), 6);
    }
}
