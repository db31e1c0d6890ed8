//! Chooses the slot of each `GENERIC` label of a stage.
//!
//! If the labels are small, each label is its slot (*identity*), so many stages agree without knowing each other.
//! Otherwise, if they are close together, the smallest becomes slot 0 (*shifted*). Otherwise they are numbered
//! consecutively (*dense*). Only labels that instructions use take part; a declaration alone gets no slot.

use std::collections::BTreeSet;
use std::fmt;

/// A set of labels.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabelSet(BTreeSet<u32>);

impl LabelSet {
    /// True if the label is in the set.
    pub fn contains(&self, label: u32) -> bool {
        self.0.contains(&label)
    }

    /// The labels in ascending order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = u32> + '_ {
        self.0.iter().copied()
    }

    /// Number of labels.
    pub fn len(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }

    /// True if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<u32> for LabelSet {
    fn from_iter<I: IntoIterator<Item = u32>>(labels: I) -> Self {
        Self(labels.into_iter().collect())
    }
}

/// A mapping from labels to slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SlotLayout {
    /// The label is the slot.
    Identity,
    /// The slot is the label minus the smallest label.
    Shifted {
        /// The smallest label.
        by: u32,
    },
    /// The slot is the number of smaller labels in the set.
    Dense,
}

/// The error for more labels than slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyLabels {
    /// Number of labels.
    pub labels: u32,
    /// Number of slots.
    pub slots: u32,
}

impl SlotLayout {
    /// Chooses the layout of `labels` if slots below `efficient` have no extra cost and there are `total` slots.
    ///
    /// # Errors
    /// There are more labels than slots.
    pub fn choose(labels: &LabelSet, efficient: u32, total: u32) -> Result<Self, TooManyLabels> {
        if labels.len() > total {
            return Err(TooManyLabels { labels: labels.len(), slots: total });
        }
        let efficient = efficient.min(total);
        let (Some(first), Some(last)) = (labels.iter().next(), labels.iter().next_back()) else {
            return Ok(Self::Identity);
        };
        Ok(if last < efficient {
            Self::Identity
        } else if last - first < efficient {
            Self::Shifted { by: first }
        } else {
            Self::Dense
        })
    }

    /// The slot of a label in `labels`; `None` for any other label.
    pub fn slot_of(self, labels: &LabelSet, label: u32) -> Option<u32> {
        if !labels.contains(label) {
            return None;
        }
        match self {
            Self::Identity => Some(label),
            Self::Shifted { by } => label.checked_sub(by),
            Self::Dense => {
                let smaller = labels.iter().take_while(|other| *other < label).count();
                u32::try_from(smaller).ok()
            }
        }
    }
}

/// Prints `identity`, `shifted by 100` or `dense`.
impl fmt::Display for SlotLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identity => f.write_str("identity"),
            Self::Shifted { by } => write!(f, "shifted by {by}"),
            Self::Dense => f.write_str("dense"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(labels: impl IntoIterator<Item = u32>, expected: SlotLayout, slots: &[u32]) {
        let labels: LabelSet = labels.into_iter().collect();
        let layout = SlotLayout::choose(&labels, 8, 16).expect("they fit");
        assert_eq!(layout, expected);
        let found: Vec<u32> =
            labels.iter().filter_map(|label| layout.slot_of(&labels, label)).collect();
        assert_eq!(found, slots);
    }

    #[test]
    fn small_labels_are_slots_close_ones_are_shifted_and_others_are_counted() {
        check(0..8, SlotLayout::Identity, &[0, 1, 2, 3, 4, 5, 6, 7]);
        check([7], SlotLayout::Identity, &[7]);
        check(100..108, SlotLayout::Shifted { by: 100 }, &[0, 1, 2, 3, 4, 5, 6, 7]);
        check([0, 200], SlotLayout::Dense, &[0, 1]);
        check([1, 8], SlotLayout::Shifted { by: 1 }, &[0, 7]);
        check([0, 8], SlotLayout::Dense, &[0, 1]);
        check([63, 64, 127, 128, 255], SlotLayout::Dense, &[0, 1, 2, 3, 4]);
        check([1, 255, 256, 1023], SlotLayout::Dense, &[0, 1, 2, 3]);
        check([1000, 1007], SlotLayout::Shifted { by: 1000 }, &[0, 7]);
    }

    #[test]
    fn labels_beyond_the_slots_are_refused() {
        let labels: LabelSet = (0..17).collect();
        let refused = SlotLayout::choose(&labels, 8, 16);
        assert_eq!(refused, Err(TooManyLabels { labels: 17, slots: 16 }));
    }

    proptest! {
        #[test]
        fn slots_are_distinct_and_below_the_total(
            labels in prop::collection::btree_set(0u32..1024, 0..20),
            efficient in 0u32..20,
        ) {
            let set: LabelSet = labels.iter().copied().collect();
            let layout = SlotLayout::choose(&set, efficient, 20).expect("they fit");
            let slots: std::collections::BTreeSet<u32> =
                labels.iter().filter_map(|label| layout.slot_of(&set, *label)).collect();
            prop_assert_eq!(slots.len(), labels.len());
            prop_assert!(slots.iter().all(|slot| *slot < 20));
        }
    }
}
