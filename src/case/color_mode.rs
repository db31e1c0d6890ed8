//! How colours of the compatibility profile reach fragments, which the linker must know beforehand.

use crate::case::state::{Capability, ShadeModel, StateChange};
use crate::case::{Case, Step};

/// The GL state that decides it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColorMode {
    /// Whether back faces have the back colours.
    pub is_two_sided: bool,
    /// How colours without an interpolation qualifier are interpolated.
    pub shade_model: ShadeModel,
}

/// The mode at the first draw of `case`.
pub fn color_mode(case: &Case) -> ColorMode {
    at_draws(case).first().copied().unwrap_or_default()
}

/// Whether draws differ in their mode: a case is linked once.
pub fn has_several_modes(case: &Case) -> bool {
    at_draws(case).windows(2).any(|pair| pair[0] != pair[1])
}

fn at_draws(case: &Case) -> Vec<ColorMode> {
    let mut mode = ColorMode::default();
    let mut modes = Vec::new();
    for step in &case.steps {
        if let Step::State(change) = &step.value {
            mode.apply(change);
        } else if let Step::Draw(_) = &step.value {
            modes.push(mode);
        }
    }
    modes
}

impl ColorMode {
    const fn apply(&mut self, change: &StateChange) {
        if let StateChange::ShadeModel(model) = change {
            self.shade_model = *model;
        } else if let StateChange::Switch { capability: Capability::TwoSide, is_enabled } = change {
            self.is_two_sided = *is_enabled;
        }
    }
}
