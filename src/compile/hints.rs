//! Hints for compiling GLSL, from the textures, images and limits of the case.

use case::gl::limit::Limits;
use case::texture::TextureSetting;
use case::{Case, Setting};
use glsl::Hints;
use ir::scalar::Number;

/// The hints for `case` under GL's `limits`.
pub(super) fn of(case: &Case, limits: &Limits) -> Hints {
    let is_only_compiled = case.is_only_compiled();
    let limits = limits.values().to_vec();
    let mut hints = Hints { is_only_compiled, limits, ..Hints::default() };
    for setting in case.settings() {
        if let Setting::TextureParameter(parameter) = setting.value {
            hints.has_lod_biases |= matches!(parameter.setting, TextureSetting::LodBias(_));
            hints.has_swizzles |= matches!(parameter.setting, TextureSetting::Swizzle(..));
        } else if let Setting::ImageTexture { unit, format } = setting.value {
            hints.images.push((*unit, *format));
        } else if let Setting::Uniform(uniform) = setting.value
            && let [Number::Integer(unit)] = uniform.values[..]
            && let Ok(unit) = u32::try_from(unit)
        {
            hints.units.push((uniform.name.clone(), unit));
        }
    }
    hints
}
