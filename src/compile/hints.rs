//! Hints for compiling GLSL: textures, images and limits of the case.

use case::texture::TextureSetting;
use case::{Case, Step};
use glsl::Hints;
use ir::scalar::Number;

/// The hints of `case`.
pub(super) fn of(case: &Case) -> Hints {
    let varying_components = case.link.promised_components();
    let mut hints = Hints { varying_components, ..Hints::default() };
    for step in &case.steps {
        add(&mut hints, &step.value);
    }
    hints
}

fn add(hints: &mut Hints, step: &Step) {
    match step {
        Step::TextureParameter(parameter) => {
            hints.has_lod_biases |= matches!(parameter.setting, TextureSetting::LodBias(_));
            hints.has_swizzles |= matches!(parameter.setting, TextureSetting::Swizzle(..));
        }
        Step::ImageTexture { unit, format } => hints.images.push((*unit, *format)),
        Step::Uniform(uniform) => {
            if let [Number::Integer(unit)] = uniform.values[..]
                && let Ok(unit) = u32::try_from(unit)
            {
                hints.units.push((uniform.name.clone(), unit));
            }
        }
        Step::ClearColor(_)
        | Step::ClearBuffer { .. }
        | Step::Clear
        | Step::Draw(_)
        | Step::Compute(_)
        | Step::Ssbo { .. }
        | Step::SsboData { .. }
        | Step::Texture(_)
        | Step::FramebufferTextures(_)
        | Step::Capture(_)
        | Step::State(_)
        | Step::Use { .. }
        | Step::Tolerance(_)
        | Step::Expect(_) => {}
    }
}
