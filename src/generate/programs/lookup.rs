//! Textures of random programs, and the lookups that read them.

use super::Language;

/// A texture of [`TEXELS`](super::tree::TEXELS) by as many texels. Its texels count on, by the rules of `texture
/// numbers`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Texture {
    /// Of unsigned integers, with two levels.
    Words,
    /// Of exact floats, with two levels and without filters.
    Exact,
    /// Of floats, which are filtered.
    Smooth,
}

impl Texture {
    pub(super) const ALL: [Self; 3] = [Self::Words, Self::Exact, Self::Smooth];

    /// Name in shaders.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Words => "numbers",
            Self::Exact => "heights",
            Self::Smooth => "waves",
        }
    }

    /// Binding, and the number of the unit in GL.
    pub(super) const fn point(self) -> u8 {
        match self {
            Self::Words => 7,
            Self::Exact => 8,
            Self::Smooth => 9,
        }
    }

    /// Binding of its sampler in WGSL.
    pub(super) const fn sampler_point(self) -> u8 {
        self.point() + 3
    }

    /// The commands that make it.
    pub(super) fn commands(self, language: Language) -> String {
        let point = self.point();
        let (format, filter) = match self {
            Self::Words => ("rgba32uint levels 2", "nearest"),
            Self::Exact => ("rgba16float levels 2", "nearest"),
            // Some drivers filter eight bits with eight bits.
            Self::Smooth => ("rgba16float", "linear"),
        };
        let texture = format!("texture numbers 2D {point} (4, 4) {format}\n");
        let sampler = match (language, self) {
            (Language::Wgsl, _) => {
                let point = self.sampler_point();
                format!("sampler {point} mag {filter} min {filter} wrap repeat\n")
            }
            (_, Self::Smooth) => "texparameter 2D mag linear\ntexparameter 2D min linear\n\
                                  texparameter 2D wrap_s repeat\ntexparameter 2D wrap_t repeat\n"
                .to_owned(),
            (_, Self::Words | Self::Exact) => {
                "texparameter 2D mag nearest\ntexparameter 2D min nearest_mipmap_nearest\n\
                 texparameter 2D wrap_s repeat\ntexparameter 2D wrap_t repeat\n"
                    .to_owned()
            }
        };
        texture + &sampler
    }
}

/// Level selection of a filtered lookup. The texture has one level, so every way gives the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Filtered {
    /// By the distance from pixel to pixel.
    Implicit,
    /// By its number, the second operand.
    Level,
    /// By two gradients, the second and third operand.
    Gradient,
}

/// Kind of texture lookup, with the type of its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Lookup {
    /// A texel of a level, at integer coordinates: four unsigned integers.
    Fetch(u8),
    /// A component of the four texels at a corner whose integer coordinates are the operand: unsigned integers. The
    /// texels may be moved.
    Gather { component: u8, offset: Option<[i8; 2]> },
    /// A texel of a level, by the coordinates of its centre; the operand is the same in whole texels: four exact floats.
    Nearest { level: u8, offset: Option<[i8; 2]> },
    /// At any coordinates: four inexact floats.
    Filtered(Filtered),
    /// Columns and rows of a level: two signed integers.
    Size(u8),
    /// The number of levels: a signed integer.
    Levels,
}

impl Lookup {
    /// Name among the features.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Fetch(_) => "texel",
            Self::Gather { .. } => "gathered texels",
            Self::Nearest { .. } => "nearest texel",
            Self::Filtered(Filtered::Implicit) => "filtered texels",
            Self::Filtered(Filtered::Level) => "filtered texels of a level",
            Self::Filtered(Filtered::Gradient) => "filtered texels by gradients",
            Self::Size(_) => "size of a texture",
            Self::Levels => "levels of a texture",
        }
    }

    pub(super) const fn texture(self) -> Texture {
        match self {
            Self::Fetch(_) | Self::Gather { .. } | Self::Levels => Texture::Words,
            Self::Nearest { .. } | Self::Size(_) => Texture::Exact,
            Self::Filtered(_) => Texture::Smooth,
        }
    }
}
