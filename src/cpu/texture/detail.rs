//! Levels of detail, by Vulkan's sections "Scale Factor Operation" to "Image Level(s) Selection".

use case::texture::Filter;
use plan::SamplerState;

/// The levels that a lookup uses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Levels {
    /// The first level, relative to that of the view.
    pub(super) first: u32,
    /// Weight of the next level.
    pub(super) next_weight: f64,
    /// Filter within a level.
    pub(super) filter: Filter,
}

/// The level of detail at which texels are as large as the steps of the coordinates, in texels, to the next pixels in
/// both directions.
pub(super) fn level_of_steps(right: [f64; 3], down: [f64; 3]) -> f64 {
    let square = |step: [f64; 3]| step.iter().map(|side| side * side).sum::<f64>();
    0.5 * libm::log2(square(right).max(square(down)))
}

impl Levels {
    /// The levels for a level of detail, for a view with `count` levels. NaN counts as 0.
    pub(super) fn new(detail: f64, sampler: &SamplerState, count: u32) -> Self {
        let [least, most] = match sampler.between {
            Some(_) => sampler.levels.map(f64::from),
            None => SamplerState::NEAREST.levels.map(f64::from),
        };
        let detail = if detail.is_nan() { 0.0 } else { detail.max(least).min(most) };
        let filter = if detail <= 0.0 { sampler.magnify } else { sampler.minify };
        let level = detail.min(f64::from(count.saturating_sub(1)));
        let (first, next_weight) = match sampler.between {
            None => (0.0, 0.0),
            Some(Filter::Nearest) => ((level + 0.5).ceil() - 1.0, 0.0),
            Some(Filter::Linear) => (level.floor(), level - level.floor()),
        };
        Self { first: small(first), next_weight, filter }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole number from 0 to 32"
)]
const fn small(value: f64) -> u32 {
    value as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampler(between: Option<Filter>) -> SamplerState {
        SamplerState { minify: Filter::Linear, between, ..SamplerState::NEAREST }
    }

    #[track_caller]
    fn check(between: Option<Filter>, detail: f64, first: u32, next_weight: f64, filter: Filter) {
        let found = Levels::new(detail, &sampler(between), 4);
        assert_eq!(found, Levels { first, next_weight, filter }, "{detail}");
    }

    #[test]
    fn the_longer_step_counts() {
        assert_eq!(level_of_steps([3.0, 4.0, 0.0], [1.0, 0.0, 0.0]).to_bits(), log2_of_5());
        assert_eq!(level_of_steps([1.0, 0.0, 0.0], [0.0, 4.0, 0.0]).to_bits(), 2_f64.to_bits());
        assert_eq!(level_of_steps([0.0; 3], [0.0; 3]).to_bits(), f64::NEG_INFINITY.to_bits());
    }

    fn log2_of_5() -> u64 {
        (0.5 * libm::log2(25.0)).to_bits()
    }

    #[test]
    fn what_is_not_minified_is_magnified() {
        check(None, 0.0, 0, 0.0, Filter::Nearest);
        check(None, f64::NEG_INFINITY, 0, 0.0, Filter::Nearest);
        check(None, f64::NAN, 0, 0.0, Filter::Nearest);
        check(None, 0.01, 0, 0.0, Filter::Linear);
        check(None, 3.0, 0, 0.0, Filter::Linear);
    }

    #[test]
    fn the_nearest_level_is_the_lower_one_at_the_middle() {
        check(Some(Filter::Nearest), 0.5, 0, 0.0, Filter::Linear);
        check(Some(Filter::Nearest), 0.51, 1, 0.0, Filter::Linear);
        check(Some(Filter::Nearest), 2.4, 2, 0.0, Filter::Linear);
        check(Some(Filter::Nearest), 9.0, 3, 0.0, Filter::Linear);
    }

    #[test]
    fn levels_are_mixed_up_to_the_last() {
        check(Some(Filter::Linear), 1.25, 1, 0.25, Filter::Linear);
        check(Some(Filter::Linear), 3.25, 3, 0.0, Filter::Linear);
        check(Some(Filter::Linear), f64::INFINITY, 3, 0.0, Filter::Linear);
    }
}
