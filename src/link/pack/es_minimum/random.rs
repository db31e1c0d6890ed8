//! Random sets of varyings that nearly fill sixteen rows.

use ir::interface::{Interpolation, Member, Sampling, ScalarKind, StructType, Type, Variable};

use super::{Grid, fit};

/// Qualifiers that the sets may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Qualifiers {
    /// Smooth, unqualified and flat varyings.
    Plain,
    /// Centroid and sample varyings too.
    Sampled,
    /// Some varyings with a location.
    Located,
}

/// A platform-independent sequence of random numbers: `SplitMix64`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Random(pub(super) u64);

impl Random {
    /// The next random number, which is below `end`.
    pub(super) fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let scaled = ((mixed >> 32) * u64::from(end)) >> 32;
        u32::try_from(scaled).expect("a number of 32 bits, as a share of one")
    }

    fn one_in(&mut self, count: u32) -> bool {
        self.below(count) == 0
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        let count = u32::try_from(of.len()).expect("a short list");
        of[self.below(count) as usize]
    }
}

/// A set that fits sixteen rows, and its grid. More variables are generated than fit, and those that do not fit are
/// left out, so that most sets are as large as possible.
pub(super) fn fitting_set(random: &mut Random, qualifiers: Qualifiers) -> (Vec<Variable>, Grid) {
    let budget = 48 + random.below(33);
    // The sets have few large or many small varyings, or anything between.
    let largest = 1 + random.below(5);
    let flat_share = random.below(4);
    let mut drawn = Vec::new();
    let mut components = 0;
    while components < budget {
        let next = variable(random, qualifiers, largest, flat_share);
        components += next.ty.component_count();
        drawn.push(next);
    }
    loop {
        match fit(&drawn) {
            Ok(grid) => return (drawn, grid),
            Err(misfit) => drop(drawn.remove(misfit.0)),
        }
    }
}

fn variable(
    random: &mut Random,
    qualifiers: Qualifiers,
    largest: u32,
    flat_share: u32,
) -> Variable {
    let is_flat = random.below(4) < flat_share;
    let base = if random.one_in(8) {
        structure(random, is_flat)
    } else {
        scalar_vector_or_matrix(random, is_flat)
    };
    let ty = match random.below(largest + 3) {
        0 | 1 => base,
        length if random.one_in(6) => base.array(length.min(3)).array(2),
        length => base.array(length),
    };
    let sampling = if qualifiers == Qualifiers::Sampled && !is_flat {
        random.pick(&[Sampling::Center, Sampling::Center, Sampling::Centroid, Sampling::Sample])
    } else {
        Sampling::Center
    };
    let is_located = qualifiers == Qualifiers::Located && random.one_in(6);
    let location = is_located.then(|| random.below(16));
    let interpolation = if is_flat {
        Interpolation::Flat
    } else {
        random.pick(&[Interpolation::Unqualified, Interpolation::Smooth])
    };
    Variable { interpolation, sampling, location, ..Variable::new("v", ty) }
}

fn scalar_vector_or_matrix(random: &mut Random, is_flat: bool) -> Type {
    let scalar = if is_flat {
        random.pick(&[ScalarKind::F32, ScalarKind::I32, ScalarKind::U32])
    } else {
        ScalarKind::F32
    };
    if scalar == ScalarKind::F32 && random.one_in(5) {
        let (columns, rows) = (random.pick(&[2, 3, 4]), random.pick(&[2, 3, 4]));
        return Type::Matrix { columns, rows, scalar };
    }
    Type::scalar_or_vector(random.pick(&[1, 2, 3, 4]), scalar)
}

fn structure(random: &mut Random, is_flat: bool) -> Type {
    let count = 1 + random.below(3);
    let member =
        |idx| Member { name: format!("m{idx}"), ty: scalar_vector_or_matrix(random, is_flat) };
    Type::Struct(StructType { name: "S".into(), members: (0..count).map(member).collect() })
}
