//! Texel coordinates: computed from normalised ones, by Vulkan's section "Texel Coordinate Systems", and wrapped.

use case::texture::{Filter, Wrap};

/// The first texel of a filter along an axis, and the weight of the next one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Footprint {
    pub(super) first: i64,
    pub(super) next_weight: f64,
}

impl Footprint {
    /// The footprint of a normalised coordinate on an axis of `size` texels. NaN counts as 0.
    pub(super) fn new(coordinate: f64, size: u32, offset: i32, filter: Filter) -> Self {
        let texels = coordinate * f64::from(size);
        let texels = if texels.is_nan() { 0.0 } else { texels.clamp(-1e18, 1e18) };
        let start = match filter {
            Filter::Nearest => texels,
            Filter::Linear => texels - 0.5,
        };
        let next_weight = match filter {
            Filter::Nearest => 0.0,
            Filter::Linear => start - start.floor(),
        };
        Self { first: whole(start.floor()) + i64::from(offset), next_weight }
    }
}

/// Applies a wrap mode to a texel coordinate; `None` for the border.
pub(super) fn wrapped(wrap: Wrap, at: i64, size: u32) -> Option<i64> {
    let size = i64::from(size.max(1));
    match wrap {
        Wrap::Repeat => Some(at.rem_euclid(size)),
        Wrap::MirroredRepeat => {
            let place = at.rem_euclid(2 * size);
            Some(place.min(2 * size - 1 - place))
        }
        Wrap::ClampToEdge => Some(at.clamp(0, size - 1)),
        Wrap::ClampToBorder => (0..size).contains(&at).then_some(at),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a whole number of at most 60 bits")]
const fn whole(value: f64) -> i64 {
    value as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(coordinate: f64, filter: Filter, first: i64, next_weight: f64) {
        let found = Footprint::new(coordinate, 4, 0, filter);
        assert_eq!(found, Footprint { first, next_weight }, "{coordinate}");
    }

    #[test]
    fn texel_centres_are_at_halves() {
        // The centre of texel 1 of 4 is at 1.5 / 4.
        check(0.375, Filter::Linear, 1, 0.0);
        check(0.4375, Filter::Linear, 1, 0.25);
        check(0.0, Filter::Linear, -1, 0.5);
        check(0.499, Filter::Nearest, 1, 0.0);
        check(0.5, Filter::Nearest, 2, 0.0);
        check(-0.1, Filter::Nearest, -1, 0.0);
    }

    #[test]
    fn any_coordinate_has_a_footprint() {
        check(f64::NAN, Filter::Nearest, 0, 0.0);
        assert!(Footprint::new(f64::INFINITY, 4, i32::MAX, Filter::Linear).first > 1 << 40);
        assert!(Footprint::new(f64::NEG_INFINITY, 4, i32::MIN, Filter::Nearest).first < -1 << 40);
    }

    #[test]
    fn wraps_are_those_of_vulkans_table() {
        let all = |wrap| (-5..9).map(|at| wrapped(wrap, at, 4).unwrap_or(-1)).collect::<Vec<_>>();
        assert_eq!(all(Wrap::Repeat), [3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0]);
        assert_eq!(all(Wrap::MirroredRepeat), [3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0, 0]);
        assert_eq!(all(Wrap::ClampToEdge), [0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3, 3]);
        assert_eq!(all(Wrap::ClampToBorder), [-1, -1, -1, -1, -1, 0, 1, 2, 3, -1, -1, -1, -1, -1]);
    }
}
