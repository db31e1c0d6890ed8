//! Digests of values read back, so that runs can be compared byte for byte without keeping every image.

use interstage::case::{Case, Step};
use interstage::ir::readback::{Area, Image, Readback, Snapshot};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::outcome::SnapshotDigest;

/// Computes a digest of the data that each expectation of the case reads, in file order. For images it covers the
/// pixels that the expectation reads, or with `is_whole` all pixels read back.
pub fn of(case: &Case, readback: &Readback, is_whole: bool) -> Vec<SnapshotDigest> {
    let mut last: Option<(*const u8, u64)> = None;
    let mut digests = Vec::new();
    for (step, snapshot) in case.steps.iter().zip(&readback.snapshots) {
        let Some(snapshot) = snapshot else { continue };
        let (what, digest) = match snapshot {
            Snapshot::Image(image) => {
                let area = if is_whole { None } else { looked_at(&step.value, image) };
                let area = area.unwrap_or(image.part);
                // Several expectations may share an image, which is hashed once.
                let known = last.filter(|(start, _)| *start == image.bytes.as_ptr());
                let known = known.filter(|_| area == image.part).map(|(_, digest)| digest);
                let digest = known.unwrap_or_else(|| digest_of(image, area));
                if area == image.part {
                    last = Some((image.bytes.as_ptr(), digest));
                }
                (name_of(image, area), format!("{digest:016x}"))
            }
            Snapshot::Buffer(bytes) => {
                (format!("buffer of {} bytes", bytes.len()), format!("{:016x}", xxh3_64(bytes)))
            }
            Snapshot::Count(count) => ("number of primitives".to_owned(), count.to_string()),
        };
        let (line, _) = case.source.line_and_column(step.span.start);
        digests.push(SnapshotDigest { line, what, digest });
    }
    digests
}

/// Pixels that the expectation of a step reads; `None` if it reads the image as a whole, or outside of it.
fn looked_at(step: &Step, image: &Image) -> Option<Area> {
    let area = step.reading()?.region()?.area([image.width, image.height])?;
    image.part.contains(area).then_some(area)
}

/// XXH3 of the rows of an area that was read back.
fn digest_of(image: &Image, area: Area) -> u64 {
    if area == image.part {
        return xxh3_64(&image.bytes);
    }
    let width = usize::try_from(area.width).unwrap_or(usize::MAX);
    let length = width.saturating_mul(image.format.bytes_per_texel());
    let mut hash = Xxh3::new();
    for y in area.y..area.y.saturating_add(area.height) {
        let row = image.offset_of(area.x, y).and_then(|at| image.bytes.get(at..)?.get(..length));
        hash.update(row.unwrap_or(&[]));
    }
    hash.digest()
}

/// Description of an image: `rgba8unorm 250 by 250`, with the rectangle if it is not the whole image.
fn name_of(image: &Image, area: Area) -> String {
    let (format, Image { width, height, .. }) = (image.format.name(), image);
    let Area { x, y, width: columns, height: rows } = area;
    if area == Area::whole(*width, *height) {
        return format!("{format} {width} by {height}");
    }
    format!("{format} {width} by {height}, the {columns} by {rows} from ({x}, {y}) on")
}
