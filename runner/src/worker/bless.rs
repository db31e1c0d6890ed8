//! Accepts what a case draws as its goldens, when everything else about the case is as expected.

use std::path::Path;
use std::sync::Arc;

use interstage::case::Case;
use interstage::compare::Goldens;
use interstage::gpu::Gpu;
use interstage::readback::{Captured, Image, Readback};
use interstage::verdict::{Failure, Verdict};
use interstage::{CaseReport, run_case};

use crate::golden;
use crate::protocol::Finished;
use crate::worker::run::finished_report;

/// Runs the case for its images, runs it again with these as goldens, and writes them if that passes.
pub fn bless(case: &Case, gpu: Option<&Gpu>) -> Finished {
    let first = run_case(case, gpu, &Goldens::default());
    if golden::named_by(case).next().is_none() {
        return refused(case, first, "the case names no golden".to_owned());
    }
    let Some(readback) = &first.readback else {
        // Skipped, unsupported, or it did not link.
        return finished_report(case, first);
    };
    let drawn = images(case, readback)
        .map(|(golden, image)| (golden.name.clone(), Ok(Image::clone(image))));
    let second = run_case(case, gpu, &Goldens { images: drawn.collect() });
    if second.verdict != Verdict::Pass {
        return finished_report(case, second);
    }
    match accept_all(case, readback) {
        Ok(notes) => Finished { notes, ..finished_report(case, second) },
        Err(message) => refused(case, second, message),
    }
}

fn refused(case: &Case, report: CaseReport, reason: String) -> Finished {
    let failure = Failure { line: 0, step: "bless".to_owned(), details: vec![reason] };
    finished_report(case, CaseReport { verdict: Verdict::Fail(vec![failure]), ..report })
}

fn images<'a>(
    case: &'a Case,
    readback: &'a Readback,
) -> impl Iterator<Item = (&'a interstage::case::Golden, &'a Arc<Image>)> {
    case.steps.iter().zip(&readback.captures).filter_map(|(step, captured)| {
        let golden = golden::golden_of(&step.value)?;
        let Some(Captured::Image(image)) = captured else { return None };
        Some((golden, image))
    })
}

/// Writes all goldens; one line each about what changed.
fn accept_all(case: &Case, readback: &Readback) -> Result<Vec<String>, String> {
    images(case, readback)
        .map(|(golden, image)| accept(&golden::path(case, golden)?, image))
        .collect()
}

fn accept(path: &Path, image: &Image) -> Result<String, String> {
    let old = path.exists().then(|| golden::read(path, image.format));
    let change = match &old {
        None => format!("new: {} by {} {}", image.width, image.height, image.format.name()),
        Some(Ok(old)) if old == image => return Ok(format!("{}: unchanged", path.display())),
        Some(Ok(old)) => change(old, image),
        Some(Err(reason)) => format!("replaced; the old file was no golden: {reason}"),
    };
    golden::write(path, image).map_err(|error| format!("{error:#}"))?;
    Ok(format!("{}: {change}", path.display()))
}

fn change(old: &Image, new: &Image) -> String {
    if (old.width, old.height) != (new.width, new.height) {
        return format!("was {} by {}, is {} by {}", old.width, old.height, new.width, new.height);
    }
    let pixels = new.width as usize * new.height as usize;
    let size = (new.bytes.len() / pixels.max(1)).max(1);
    let changed =
        old.bytes.chunks(size).zip(new.bytes.chunks(size)).filter(|(old, new)| old != new).count();
    format!("{changed} of {pixels} pixels changed")
}

#[cfg(test)]
mod tests {
    use interstage::format::Format;

    use super::*;

    fn image(width: u32, bytes: &[u8]) -> Image {
        Image { format: Format::RGBA8_UNORM, width, height: 1, bytes: bytes.to_vec() }
    }

    #[test]
    fn every_change_of_a_golden_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        let check = |image: &Image, expected: &str| {
            let told = accept(&path, image).unwrap();
            assert_eq!(told.rsplit_once(": ").unwrap().1, expected);
        };
        check(&image(2, &[0; 8]), "2 by 1 rgba8unorm");
        check(&image(2, &[0; 8]), "unchanged");
        check(&image(2, &[0, 0, 0, 0, 0, 1, 0, 0]), "1 of 2 pixels changed");
        check(&image(1, &[0; 4]), "was 2 by 1, is 1 by 1");
    }
}
