//! One value for each shader stage.

use std::iter::Zip;
use std::ops::{Index, IndexMut};
use std::{array, slice};

use super::ShaderStage;

/// One value for each shader stage, in the order of the pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PerStage<T>([T; ShaderStage::ALL.len()]);

/// Iterates over the stages with their values.
pub type Iter<'a, T> =
    Zip<array::IntoIter<ShaderStage, { ShaderStage::ALL.len() }>, slice::Iter<'a, T>>;

impl<T> PerStage<T> {
    /// The result of `value` for each stage.
    pub fn from_fn(value: impl FnMut(ShaderStage) -> T) -> Self {
        Self(ShaderStage::ALL.map(value))
    }

    /// The stages with their values.
    pub fn iter(&self) -> Iter<'_, T> {
        ShaderStage::ALL.into_iter().zip(&self.0)
    }

    /// The values.
    pub fn values(&self) -> slice::Iter<'_, T> {
        self.0.iter()
    }

    /// The values, to change them.
    pub fn values_mut(&mut self) -> slice::IterMut<'_, T> {
        self.0.iter_mut()
    }

    /// References to the values.
    pub const fn each_ref(&self) -> PerStage<&T> {
        PerStage(self.0.each_ref())
    }

    /// The result of `value` for each value.
    pub fn map<U>(self, value: impl FnMut(T) -> U) -> PerStage<U> {
        PerStage(self.0.map(value))
    }
}

impl<'a, T> IntoIterator for &'a PerStage<T> {
    type Item = (ShaderStage, &'a T);
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> PerStage<Option<T>> {
    /// The stages that have a value, with their values.
    pub fn present(&self) -> impl DoubleEndedIterator<Item = (ShaderStage, &T)> {
        self.iter().filter_map(|(stage, value)| Some((stage, value.as_ref()?)))
    }
}

/// Collects the values of some stages; the other stages have the default.
impl<T: Default> FromIterator<(ShaderStage, T)> for PerStage<T> {
    fn from_iter<I: IntoIterator<Item = (ShaderStage, T)>>(values: I) -> Self {
        let mut all = Self::default();
        for (stage, value) in values {
            all[stage] = value;
        }
        all
    }
}

impl<T> Index<ShaderStage> for PerStage<T> {
    type Output = T;

    fn index(&self, stage: ShaderStage) -> &T {
        &self.0[stage as usize]
    }
}

impl<T> IndexMut<ShaderStage> for PerStage<T> {
    fn index_mut(&mut self, stage: ShaderStage) -> &mut T {
        &mut self.0[stage as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_has_its_own_value_in_the_order_of_the_pipeline() {
        assert!(ShaderStage::ALL.is_sorted_by(|a, b| a < b));
        let all = PerStage::from_fn(|stage| stage);
        assert!(all.iter().all(|(stage, own)| stage == *own && all[stage] == stage));
        let some = [(ShaderStage::Fragment, Some('f')), (ShaderStage::Vertex, Some('v'))];
        let some: PerStage<Option<char>> = some.into_iter().collect();
        assert_eq!(some.present().map(|(_, own)| *own).collect::<String>(), "vf");
        assert_eq!(some[ShaderStage::Geometry], None);
    }
}
