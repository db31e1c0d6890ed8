//! What compiling a stage takes from the rest of the case: GL leaves it to the state of texture and image units, WebGPU
//! wants it in the module. And the limits that a case sets, which are constants of the language.

use ir::format::Format;

/// What a case says about its textures, images and limits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hints {
    /// Whether some texture has its components moved.
    pub has_swizzles: bool,
    /// Whether some texture has a level bias.
    pub has_lod_biases: bool,
    /// Components of varyings that the program is promised, where the case says so.
    pub varying_components: Option<u32>,
    /// Formats of image units.
    pub images: Vec<(u32, Format)>,
    /// Units by the names of uniforms.
    pub units: Vec<(String, u32)>,
}

impl Hints {
    /// The format that image `name`, which declares none, has on its unit: `unit` unless a step sets it.
    pub fn image_format(&self, name: &str, unit: u32) -> Option<Format> {
        // An array named without index is its first element.
        let whole = name.strip_suffix("[0]");
        let is_it = |(known, _): &&(String, u32)| known == name || Some(&**known) == whole;
        let set = self.units.iter().rev().find(is_it);
        let unit = set.map_or(unit, |(_, unit)| *unit);
        self.images.iter().find(|(known, _)| *known == unit).map(|(_, format)| *format)
    }
}
