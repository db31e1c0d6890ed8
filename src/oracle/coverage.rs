//! What a run changed of the values that a case compares. A run that changed nothing tests nothing.

use ir::readback::{Readback, Snapshot};

/// What a run did, and how much of what is compared it changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Number of shader invocations.
    pub invocations: usize,
    /// Words of buffers.
    pub words: Share,
    /// Pixels of targets, and texels.
    pub pixels: Share,
}

/// A part of some values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Number of values that a run changed.
    pub changed: usize,
    /// Number of all values.
    pub all: usize,
}

impl Coverage {
    /// Compares what a run gave with what was there before any draw or dispatch.
    pub(crate) fn of(invocations: usize, initial: &Readback, found: &Readback) -> Self {
        let mut coverage = Self { invocations, ..Self::default() };
        let mut last = None;
        for pair in initial.snapshots.iter().zip(&found.snapshots) {
            let (Some(before), Some(after)) = pair else { continue };
            // Consecutive expectations mostly read the same content.
            if last != Some((before, after)) {
                coverage.add(before, after);
            }
            last = Some((before, after));
        }
        coverage
    }

    /// True if values are compared and the run changed none of them.
    pub const fn is_nothing(&self) -> bool {
        self.words.all + self.pixels.all > 0 && self.words.changed + self.pixels.changed == 0
    }

    fn add(&mut self, before: &Snapshot, after: &Snapshot) {
        match (before, after) {
            (Snapshot::Buffer(before), Snapshot::Buffer(after)) => self.words.add(before, after, 4),
            (Snapshot::Image(before), Snapshot::Image(after)) => {
                let size = after.format.bytes_per_texel().max(1);
                self.pixels.add(&before.bytes, &after.bytes, size);
            }
            (Snapshot::Buffer(_) | Snapshot::Image(_) | Snapshot::Count(_), _) => {}
        }
    }
}

impl Share {
    /// Adds values of `size` bytes each.
    fn add(&mut self, before: &[u8], after: &[u8], size: usize) {
        let mut before = before.chunks(size);
        for after in after.chunks(size) {
            self.all += 1;
            self.changed += usize::from(before.next() != Some(after));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ir::format::Format;
    use ir::readback::Image;

    use super::*;

    fn readback(words: [u32; 2], texel: u8) -> Readback {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let buffer = Some(Snapshot::Buffer(Arc::new(bytes)));
        let texels = vec![0, 0, 0, 0, 0, texel, 0, 0];
        let image = Image::whole(Format::RGBA8_UNORM, 2, 1, texels);
        let image = Some(Snapshot::Image(Arc::new(image)));
        let snapshots = vec![buffer.clone(), None, buffer, image];
        Readback { snapshots, ..Readback::default() }
    }

    #[track_caller]
    fn check(found: &Readback, words: [usize; 2], pixels: [usize; 2], is_nothing: bool) {
        let coverage = Coverage::of(7, &readback([1, 2], 3), found);
        let share = |[changed, all]: [usize; 2]| Share { changed, all };
        let (words, pixels) = (share(words), share(pixels));
        assert_eq!(coverage, Coverage { invocations: 7, words, pixels });
        assert_eq!(coverage.is_nothing(), is_nothing);
    }

    #[test]
    fn each_word_and_pixel_that_differs_counts_once() {
        check(&readback([1, 2], 3), [0, 2], [0, 2], true);
        check(&readback([1, 9], 3), [1, 2], [0, 2], false);
        check(&readback([1, 2], 4), [0, 2], [1, 2], false);
        // What did not come back is not compared.
        check(&Readback::default(), [0, 0], [0, 0], false);
    }
}
