//! Places of clip and cull distances in the two vectors in which hardware reads them.
//!
//! Clip distances come first and cull distances follow directly. Distances are counted as scalars, because a partly
//! used vector must not count as four planes. Hardware uses one of two forms, and this module has both: vectors with a
//! mask of their used components, and a list of scalars.

use std::fmt;

use naga::BuiltIn;

use crate::lower::clip_distance::distances_of;
use ir::stage_module::StageModule;

/// The numbers of distances that a vertex stage writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DistanceMap {
    /// Number of elements of `gl_ClipDistance`.
    pub clip: u32,
    /// Number of elements of `gl_CullDistance`.
    pub cull: u32,
}

/// A place in one of the two vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DistancePlace {
    /// Index of the vector, 0 or 1.
    pub vector: u32,
    /// Index of the component, 0 (x) to 3 (w).
    pub component: u32,
}

impl DistanceMap {
    /// The map of the distances that `vertex` writes.
    pub fn of(vertex: &StageModule) -> Self {
        let count = |kind| distances_of(vertex, kind).map_or(0, |(_, length)| length);
        Self { clip: count(BuiltIn::ClipDistances), cull: count(BuiltIn::CullDistance) }
    }

    /// The list of scalars: `c0`, `c1`, …, `k0`, ….
    pub fn scalars(self) -> Vec<String> {
        let clip = (0..self.clip).map(|idx| format!("c{idx}"));
        clip.chain((0..self.cull).map(|idx| format!("k{idx}"))).collect()
    }

    /// The place of the scalar with this index.
    pub const fn place(self, scalar: u32) -> Option<DistancePlace> {
        if scalar >= self.clip + self.cull {
            return None;
        }
        Some(DistancePlace { vector: scalar / 4, component: scalar % 4 })
    }

    /// For every vector, the mask of components that are clip distances.
    pub(crate) fn clip_masks(self) -> Vec<u32> {
        self.masks(0..self.clip)
    }

    /// For every vector, the mask of components that are cull distances.
    pub(crate) fn cull_masks(self) -> Vec<u32> {
        self.masks(self.clip..self.clip + self.cull)
    }

    /// The map in the notation that `text` starts with: `masks 0xf 0x1 | 0x0 0xe` (clip, then cull distances of every
    /// vector), `scalars c0 c1 k0`, `count 2 1`, or else the vectors.
    pub fn written_like(self, text: &str) -> String {
        match text.split_whitespace().next() {
            Some("masks") => format!("masks {}", self.masks_text(" | ")),
            Some("count") => format!("count {} {}", self.clip, self.cull),
            Some("scalars") => format!("scalars {}", self.scalars().join(" ")),
            Some(_) | None => self.to_string(),
        }
    }

    fn masks_text(self, separator: &str) -> String {
        let shown = |masks: Vec<u32>| {
            masks.iter().map(|mask| format!("{mask:#x}")).collect::<Vec<_>>().join(" ")
        };
        format!("{}{separator}{}", shown(self.clip_masks()), shown(self.cull_masks()))
    }

    fn masks(self, scalars: std::ops::Range<u32>) -> Vec<u32> {
        let count = (self.clip + self.cull).div_ceil(4);
        let of_vector = |vector| {
            let places = scalars.clone().filter_map(|scalar| self.place(scalar));
            places
                .filter(|place| place.vector == vector)
                .fold(0, |mask, place| mask | 1 << place.component)
        };
        (0..count).map(of_vector).collect()
    }

    /// The lines of the link map about distances; empty without distances.
    pub fn lines(self) -> Vec<String> {
        if self == Self::default() {
            return Vec::new();
        }
        vec![
            format!("distances: {} clip, {} cull", self.clip, self.cull),
            format!("  vectors: {self}"),
            format!("  usage masks: clip {}", self.masks_text(", cull ")),
            format!("  scalars: {}", self.scalars().join(" ")),
        ]
    }
}

/// Prints the vectors as `c0 c1 c2 c3 | c4 k0`, or `none`.
impl fmt::Display for DistanceMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scalars = self.scalars();
        if scalars.is_empty() {
            return f.write_str("none");
        }
        let vectors = scalars.chunks(4).map(|vector| vector.join(" "));
        f.write_str(&vectors.collect::<Vec<_>>().join(" | "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(clip: u32, cull: u32, vectors: &str, clip_masks: &[u32], cull_masks: &[u32]) {
        let map = DistanceMap { clip, cull };
        assert_eq!(map.to_string(), vectors);
        assert_eq!((map.clip_masks(), map.cull_masks()), (clip_masks.into(), cull_masks.into()));
    }

    #[test]
    fn cull_distances_follow_clip_distances_directly() {
        check(0, 0, "none", &[], &[]);
        check(3, 2, "c0 c1 c2 k0 | k1", &[0b0111, 0], &[0b1000, 0b0001]);
        check(5, 3, "c0 c1 c2 c3 | c4 k0 k1 k2", &[0b1111, 0b0001], &[0, 0b1110]);
        check(8, 0, "c0 c1 c2 c3 | c4 c5 c6 c7", &[0b1111, 0b1111], &[0, 0]);
        check(0, 8, "k0 k1 k2 k3 | k4 k5 k6 k7", &[0, 0], &[0b1111, 0b1111]);
    }

    #[test]
    fn the_map_is_written_in_the_notation_asked_for() {
        let map = DistanceMap { clip: 5, cull: 2 };
        assert_eq!(map.written_like("masks 0x0"), "masks 0xf 0x1 | 0x0 0x6");
        assert_eq!(map.written_like("scalars"), "scalars c0 c1 c2 c3 c4 k0 k1");
        assert_eq!(map.written_like("count 2 2"), "count 5 2");
        assert_eq!(map.written_like("c0 | k0"), "c0 c1 c2 c3 | c4 k0 k1");
        assert_eq!(
            map.lines(),
            [
                "distances: 5 clip, 2 cull",
                "  vectors: c0 c1 c2 c3 | c4 k0 k1",
                "  usage masks: clip 0xf 0x1, cull 0x0 0x6",
                "  scalars: c0 c1 c2 c3 c4 k0 k1",
            ]
        );
    }

    #[test]
    fn a_mask_has_as_many_bits_as_there_are_scalars() {
        for clip in 0..=8_u32 {
            // Register k of n distances has the mask ((1 << (n - 4k)) - 1) & 15.
            let expected: Vec<u32> =
                (0..clip.div_ceil(4)).map(|k| ((1 << (clip - 4 * k)) - 1) & 15).collect();
            assert_eq!(DistanceMap { clip, cull: 0 }.clip_masks(), expected);
        }
    }
}
