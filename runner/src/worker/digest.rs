//! Names what came back by its content, so that runs can be compared byte for byte without keeping every image.

use std::sync::Arc;

use interstage::case::Case;
use interstage::readback::{Area, Captured, Image, Readback};
use xxhash_rust::xxh3::xxh3_64;

use crate::outcome::CaptureDigest;

/// `rgba8unorm 250 by 250`, with the rectangle that was read when that is not all of it.
fn name_of(image: &Image) -> String {
    let (format, [width, height]) = (image.format.name(), [image.width, image.height]);
    let Area { x, y, width: columns, height: rows } = image.part;
    if image.is_whole() {
        return format!("{format} {width} by {height}");
    }
    format!("{format} {width} by {height}, the {columns} by {rows} from ({x}, {y}) on")
}

/// One digest for everything that an expectation of the case looked at, in the order of the file.
pub fn of(case: &Case, readback: &Readback) -> Vec<CaptureDigest> {
    let mut last: Option<(*const u8, u64)> = None;
    let mut digests = Vec::new();
    for (step, captured) in case.steps.iter().zip(&readback.captures) {
        let Some(captured) = captured else { continue };
        let (bytes, what) = match captured {
            Captured::Image(image) => (&image.bytes, name_of(image)),
            Captured::Buffer(bytes) => {
                (Arc::as_ref(bytes), format!("buffer of {} bytes", bytes.len()))
            }
            Captured::Count(count) => {
                let (line, _) = case.source.line_and_column(step.span.start);
                let what = "number of primitives".to_owned();
                digests.push(CaptureDigest { line, what, digest: count.to_string() });
                continue;
            }
        };
        // Content that several expectations look at is shared; it is read only once.
        let digest = match last {
            Some((start, digest)) if start == bytes.as_ptr() => digest,
            Some(_) | None => xxh3_64(bytes),
        };
        last = Some((bytes.as_ptr(), digest));
        let (line, _) = case.source.line_and_column(step.span.start);
        digests.push(CaptureDigest { line, what, digest: format!("{digest:016x}") });
    }
    digests
}
