//! Data from the rest of the case that compiling a stage needs. In GL it is state of texture and image units; in WebGPU
//! it belongs to the module. GL's limits are included, because the language has them as constants.

use ir::format::Format;

/// Textures, images and limits of a case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hints {
    /// True if the case asks only whether the stage compiles. Functions and types that are checked but cannot be run are
    /// then no reason to reject it, and the module has no meaning.
    pub is_only_compiled: bool,
    /// True if some texture has a swizzle.
    pub has_swizzles: bool,
    /// True if some texture has a level-of-detail bias.
    pub has_lod_biases: bool,
    /// GL's limits for the case on its adapter, by name: these are the values of the language's built-in constants.
    pub limits: Vec<(&'static str, i64)>,
    /// Formats of image units.
    pub images: Vec<(u32, Format)>,
    /// Texture and image units by uniform name.
    pub units: Vec<(String, u32)>,
}

impl Hints {
    /// Value of the GL limit with this name, if it is known.
    pub fn limit(&self, name: &str) -> Option<i64> {
        self.limits.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// Format of the image `name`, which declares no format, from its unit. The unit is `unit` unless a step sets
    /// another one.
    pub fn image_format(&self, name: &str, unit: u32) -> Option<Format> {
        // The name of an array without an index means its first element.
        let whole = name.strip_suffix("[0]");
        let is_it = |(known, _): &&(String, u32)| known == name || Some(&**known) == whole;
        let set = self.units.iter().rev().find(is_it);
        let unit = set.map_or(unit, |(_, unit)| *unit);
        self.images.iter().find(|(known, _)| *known == unit).map(|(_, format)| *format)
    }
}
