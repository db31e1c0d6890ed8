//! Indices of distinct items.

/// Index of `item` in `all`; adds it if it is missing.
pub(super) fn index_in<T: PartialEq>(all: &mut Vec<T>, item: T) -> usize {
    all.iter().position(|known| *known == item).unwrap_or_else(|| {
        all.push(item);
        all.len() - 1
    })
}
