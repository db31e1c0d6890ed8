//! Errors that an implementation may make: the same program runs with each inexact step perturbed within the limits of
//! the specifications.
//!
//! A run with noise is one of the results that a conforming adapter may return; several runs show how far results may
//! differ. Results that no specification determines (overflow, division by zero, order of atomic operations, data
//! races, elements beyond an array) differ between runs.

pub(crate) mod foresight;

pub(crate) mod allowance;
mod packing;
mod rounding;

use half::f16;

use crate::numbers::narrow;

/// The row or column of a quad in which a derivative is the difference of two pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Neighbours {
    /// That of the pixel: a fine derivative.
    Own,
    /// The row and the column of this pixel of the quad, for all four.
    Of(u8),
}

/// The errors of one run. Each of [`Self::PAIRS`] has different errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noise {
    seed: u32,
    /// True if errors have the opposite sign of those in the run with the same seed.
    is_opposite: bool,
    /// True if results below the least normal number are flushed to zero.
    is_flushing: bool,
    /// True if lanes and workgroups run in reverse order.
    pub(crate) is_backwards: bool,
}

impl Noise {
    /// Pairs of runs. The errors of a pair are opposite, so the result without noise lies between theirs wherever it
    /// depends on them smoothly.
    pub const PAIRS: [[Self; 2]; 2] = [
        [
            Self { seed: 1, is_opposite: false, is_flushing: false, is_backwards: true },
            Self { seed: 1, is_opposite: true, is_flushing: true, is_backwards: false },
        ],
        [
            Self { seed: 2, is_opposite: false, is_flushing: true, is_backwards: true },
            Self { seed: 2, is_opposite: true, is_flushing: false, is_backwards: false },
        ],
    ];

    /// True if errors have any permitted size instead of the maximum, so that the errors of two steps seldom cancel.
    const fn is_partial(self) -> bool {
        self.seed > 1
    }

    /// True for the second run of a pair.
    pub(crate) const fn is_opposite(self) -> bool {
        self.is_opposite
    }

    /// −1 or 1, depending on `salt`.
    pub(crate) fn sign(self, salt: u32) -> f64 {
        let is_up = mixed(self.seed, salt) >> 31 == 1;
        if is_up == self.is_opposite { -1.0 } else { 1.0 }
    }

    /// An arbitrary word, depending on `salt`.
    pub(crate) const fn word(self, salt: u32) -> u32 {
        mixed(self.seed.wrapping_mul(2).wrapping_add(self.is_opposite as u32), !salt)
    }

    /// The vertex, of three, whose value a primitive gets where any vertex's is permitted.
    pub(crate) const fn vertex(self, primitive: u32) -> usize {
        match (self.is_partial(), self.is_opposite) {
            (false, false) => 1,
            (false, true) => 2,
            (true, _) => (self.word(primitive) % 3) as usize,
        }
    }

    /// The pixels of a derivative that is not fine. The specifications permit all, and the runs have all: a driver that
    /// takes the first row of a quad takes the last one of an image that is upside down.
    pub(crate) const fn neighbours(self) -> Neighbours {
        Neighbours::Of(match (self.is_partial(), self.is_opposite) {
            (false, false) => 0,
            (false, true) => 3,
            (true, false) => 1,
            (true, true) => 2,
        })
    }

    /// The element that an index beyond an array of `length` accesses. `None` for no element: loads return zero, stores
    /// are dropped. Most runs always use the same element, so that sums of many differ as well.
    pub(crate) fn beyond(self, length: u32, salt: u32) -> Option<u32> {
        let last = length.checked_sub(1)?;
        match (self.is_partial(), self.is_opposite) {
            (false, false) => Some(0),
            (false, true) => None,
            (true, false) => Some(last),
            (true, true) => Some(self.word(salt) % length),
        }
    }

    /// Perturbs a result by up to `allowance`. Results that overflow, and NaN, become arbitrary.
    pub(crate) fn moved(self, result: f64, allowance: f64, salt: u32) -> f64 {
        if !result.is_finite() || !allowance.is_finite() {
            return match self.word(salt) % 4 {
                0 => 0.0,
                1 => f64::from(f32::MAX),
                2 => f64::NAN,
                _ => result,
            };
        }
        let size =
            if self.is_partial() { f64::from(mixed(self.seed, !salt)) / TWO_TO_32 } else { 1.0 };
        let moved = (allowance * size).mul_add(self.sign(salt), result);
        let is_flushed = self.is_flushing && moved.abs() < f64::from(f32::MIN_POSITIVE);
        if is_flushed { 0.0_f64.copysign(moved) } else { moved }
    }

    /// Like [`Self::moved`], for a single-precision number.
    pub(crate) fn moved_single(self, result: f32, allowance: f64, salt: u32) -> f32 {
        narrow(self.moved(f64::from(result), allowance, salt))
    }

    /// Like [`Self::moved`], for a half-precision number.
    pub(crate) fn moved_half(self, result: f64, allowance: f64, salt: u32) -> f16 {
        let moved = f16::from_f64(self.moved(result, allowance, salt));
        let is_flushed = self.is_flushing && moved.to_f64().abs() < f16::MIN_POSITIVE.to_f64();
        if is_flushed { f16::ZERO.copysign(moved) } else { moved }
    }
}

const TWO_TO_32: f64 = 4_294_967_296.0;

/// Hashes both arguments: the word depends on all bits of both (the last steps of `MurmurHash3`).
pub(crate) const fn mixed(seed: u32, salt: u32) -> u32 {
    let mut word = salt ^ seed.wrapping_mul(0x9E37_79B9);
    word = (word ^ word >> 16).wrapping_mul(0x85EB_CA6B);
    word = (word ^ word >> 13).wrapping_mul(0xC2B2_AE35);
    word ^ word >> 16
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these numbers are exact")]
mod tests {
    use super::*;

    #[test]
    fn the_runs_of_a_pair_err_in_opposite_directions() {
        let [[up, down], _] = Noise::PAIRS;
        let mut sum = 0.0;
        for salt in 0..100 {
            assert!(up.sign(salt) + down.sign(salt) == 0.0, "{salt}");
            sum += up.sign(salt);
        }
        assert!(sum.abs() < 50.0, "{sum} of 100 errors go one way");
    }

    #[test]
    fn the_runs_take_derivatives_of_every_row_and_column() {
        let all = Noise::PAIRS.concat().into_iter().map(Noise::neighbours).collect::<Vec<_>>();
        assert_eq!(all, [0, 3, 1, 2].map(Neighbours::Of));
    }

    #[test]
    fn the_runs_take_different_elements_beyond_an_array() {
        let [[first, none], [last, any]] = Noise::PAIRS;
        assert_eq!([first, none, last].map(|noise| noise.beyond(8, 3)), [Some(0), None, Some(7)]);
        assert!((0..20).all(|salt| any.beyond(8, salt).is_some_and(|element| element < 8)));
        assert!((0..20).any(|salt| any.beyond(8, salt) != any.beyond(8, 3)));
        assert_eq!([first, none, last, any].map(|noise| noise.beyond(0, 3)), [None; 4]);
    }

    #[test]
    fn errors_stay_within_their_allowance() {
        for noise in Noise::PAIRS.concat() {
            let moved = noise.moved(1.0, 0.25, 7);
            let error = (moved - 1.0).abs();
            assert!(if noise.is_partial() { error > 0.0 && error < 0.25 } else { error == 0.25 });
        }
        // The least normal number is 1.2e-38.
        let [[keeps, flushes], _] = Noise::PAIRS;
        assert!(keeps.moved(1e-40, 0.0, 7) > 0.0);
        assert!(flushes.moved(1e-40, 0.0, 7) == 0.0);
    }
}
