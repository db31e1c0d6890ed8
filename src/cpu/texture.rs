//! Textures, views and samplers.

/// All textures of a case, with their views and samplers.
#[derive(Debug, Default)]
pub struct Textures {}

/// A lookup of a filtered texel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lookup {
    /// Normalised coordinates; the components that the texture lacks are 0.
    pub coordinate: [f32; 3],
    /// Layer of an array texture, otherwise 0.
    pub layer: i32,
    /// Offset in texels.
    pub offset: [i32; 3],
    /// Level of detail.
    pub level: Level,
    /// Reference value of a depth comparison.
    pub reference: Option<f32>,
    /// The component that is gathered from four texels, if any.
    pub gather: Option<usize>,
}

/// Level of detail of a lookup.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Level {
    /// This level.
    Exact(f32),
    /// That of the coordinates' derivatives, and a bias.
    Gradients {
        /// Derivatives towards the right.
        x: [f32; 3],
        /// Derivatives towards the next row.
        y: [f32; 3],
        /// Added to the level.
        bias: f32,
    },
}

/// The address of a single texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texel {
    /// Coordinates; those that the texture lacks are 0.
    pub at: [i32; 3],
    /// Layer of an array texture, otherwise 0.
    pub layer: i32,
    /// Level, from the first of the view.
    pub level: i32,
    /// Sample of a multisampled texture.
    pub sample: i32,
}

impl Textures {
    /// Looks a filtered texel up. Words are bits of floats or integers, as the texture's class says; of a depth
    /// comparison the first one counts.
    pub fn sample(&self, _view: usize, _sampler: usize, _lookup: &Lookup) -> [u32; 4] {
        [0; 4]
    }

    /// Reads a texel. Outside of the texture all words are 0.
    pub fn load(&self, _view: usize, _texel: Texel) -> [u32; 4] {
        [0; 4]
    }

    /// Writes a texel, converted to the texture's format. Outside of the texture this has no effect.
    pub fn store(&mut self, _view: usize, _texel: Texel, _words: [u32; 4]) {}

    /// Width, height and depth of a level of a view.
    pub fn size(&self, _view: usize, _level: i32) -> [u32; 3] {
        [0; 3]
    }

    /// Numbers of levels, layers (cubes count six faces as one) and samples of a view.
    pub fn counts(&self, _view: usize) -> [u32; 3] {
        [1; 3]
    }
}
