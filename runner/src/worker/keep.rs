//! Keeps the results of a case for inspection by a person: images, link map and lowered stages as files, and everything
//! once more as [`Evidence`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use interstage::case::{Case, Expectation, Step};
use interstage::check::verdict::{Failure, Verdict};
use interstage::check::{Goldens, expected_image};
use interstage::gpu::Gpu;
use interstage::ir::emit::Language;
use interstage::ir::format::Format;
use interstage::ir::options::XFB_POINT;
use interstage::ir::readback::{Image, Readback, Snapshot};
use interstage::{CaseReport, Inspection, emit_stages};

use crate::golden;
use crate::golden::layout::TexelLayout;
use crate::report::evidence::{self, BufferEvidence, Evidence, ImageEvidence, Packed, Stage};

/// Prefix of the note with the folder of the evidence.
pub const NOTE: &str = "kept in ";

/// Maximum number of images, and of buffers, kept per case.
const MAX_KEPT: usize = 16;

/// Colours of a difference image: equal, different.
const DIFFERENCE: [[u8; 4]; 2] = [[24, 24, 24, 255], [255, 48, 48, 255]];

/// A render target with the failed expectations that read it at the same time.
struct Looked<'a> {
    image: &'a Arc<Image>,
    target: u32,
    lines: Vec<usize>,
    expected: Option<Image>,
}

/// Deletes the evidence of an earlier run about the case, so that it is not taken for this run's.
pub fn forget(folder: &Path, case: &Case) {
    // Usually there is none.
    let _ = std::fs::remove_file(evidence::folder_of(folder, &case.name).join(evidence::FILE));
}

/// Writes everything into the case's own folder below `folder`, and returns that folder; none if there is nothing to
/// keep. Without a report, because the case has not run yet, only the stages and the link map are written.
pub fn keep(
    folder: &Path,
    case: &Case,
    gpu: Option<&Gpu>,
    report: Option<&CaseReport>,
) -> anyhow::Result<Option<PathBuf>> {
    let inspection = interstage::inspect(case, gpu).unwrap_or_default();
    let readback = report.and_then(|report| report.readback.as_ref());
    if inspection == Inspection::default() && readback.is_none() {
        return Ok(None);
    }
    let folder = evidence::folder_of(folder, &case.name);
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make {}", folder.display()))?;
    write(&folder.join("link_map.txt"), inspection.map.as_bytes())?;
    for (stage, wgsl) in &inspection.stages {
        write(&folder.join(format!("{stage}.wgsl")), wgsl.as_bytes())?;
    }
    for (stage, spirv) in emit_stages(case, gpu, Language::Spirv).into_iter().flatten() {
        if let Ok(spirv) = spirv {
            write(&folder.join(format!("{stage}.spv")), &spirv)?;
        }
    }
    if let Some(readback) = readback {
        keep_captures(&folder, case, readback)?;
    }
    let failures = report.map_or(&[][..], |report| failures(&report.verdict));
    let looked = looked_at(case, readback, failures);
    for looked in &looked {
        keep_image(&folder, looked)?;
    }
    let evidence = Evidence {
        source: case.source.text().to_owned(),
        map: inspection.map,
        stages: inspection.stages.into_iter().map(|(name, wgsl)| Stage { name, wgsl }).collect(),
        failures: failures.to_vec(),
        images: looked.iter().map(packed).collect(),
        buffers: buffers(case, readback),
    };
    evidence::write(&folder, &evidence)?;
    Ok(Some(folder))
}

fn failures(verdict: &Verdict) -> &[Failure] {
    match verdict {
        Verdict::Fail(failures) => failures,
        Verdict::Pass | Verdict::Skip(_) | Verdict::Unsupported(_) | Verdict::Broken(_) => &[],
    }
}

/// The images that expectations read, each once; those with a failure first.
fn looked_at<'a>(
    case: &Case,
    readback: Option<&'a Readback>,
    failures: &[Failure],
) -> Vec<Looked<'a>> {
    let mut found: Vec<Looked<'a>> = Vec::new();
    let goldens = golden::load(case);
    for (line, step, captured) in captures(case, readback) {
        // A partial image is not kept: a run that keeps evidence reads whole images.
        let Snapshot::Image(image) = captured else { continue };
        if !image.is_whole() {
            continue;
        }
        let known = found.iter().position(|it| Arc::ptr_eq(it.image, image));
        let at = known.unwrap_or(found.len());
        if known.is_none() {
            let target = step.expectation().and_then(Expectation::target).unwrap_or(0);
            found.push(Looked { image, target, lines: Vec::new(), expected: None });
        }
        let (Some(expectation), Some(looked)) = (step.expectation(), found.get_mut(at)) else {
            continue;
        };
        if failures.iter().any(|failure| failure.line == Some(line)) {
            looked.lines.push(line);
            looked.add_expected(expectation, &goldens);
        }
    }
    found.sort_by_key(|looked| looked.lines.is_empty());
    found.truncate(MAX_KEPT);
    found
}

impl Looked<'_> {
    fn add_expected(&mut self, expectation: &Expectation, goldens: &Goldens) {
        let so_far = self.expected.as_ref().unwrap_or(self.image);
        if let Some(image) = expected_image(expectation, so_far, goldens) {
            self.expected = Some(image);
        }
    }
}

/// The value that every expectation read, with its line.
fn captures<'a, 'c>(
    case: &'c Case,
    readback: Option<&'a Readback>,
) -> impl Iterator<Item = (usize, &'c Step, &'a Snapshot)> {
    let captures = readback.map_or(&[][..], |readback| &readback.snapshots);
    case.steps.iter().zip(captures).filter_map(|(step, captured)| {
        let (line, _) = case.source.line_and_column(step.span.start);
        Some((line, &step.value, captured.as_ref()?))
    })
}

fn buffers(case: &Case, readback: Option<&Readback>) -> Vec<BufferEvidence> {
    let buffer = |(line, _, captured): (usize, &Step, &Snapshot)| match captured {
        Snapshot::Buffer(bytes) => Some(BufferEvidence { line, actual: Packed::of(bytes) }),
        Snapshot::Image(_) | Snapshot::Count(_) => None,
    };
    captures(case, readback).filter_map(buffer).take(MAX_KEPT).collect()
}

fn packed(looked: &Looked<'_>) -> ImageEvidence {
    // A golden of another size is only in its own file, because it cannot be overlaid.
    let same_size =
        |image: &&Image| (image.width, image.height) == (looked.image.width, looked.image.height);
    ImageEvidence {
        lines: looked.lines.clone(),
        target: looked.target,
        format: looked.image.format.name().to_owned(),
        width: looked.image.width,
        height: looked.image.height,
        actual: Packed::of(&looked.image.bytes),
        expected: looked.expected.as_ref().filter(same_size).map(|it| Packed::of(&it.bytes)),
    }
}

/// Writes `line12_target0.png`, and if an image is expected also `…_expected.png` and `…_difference.png`.
fn keep_image(folder: &Path, looked: &Looked<'_>) -> anyhow::Result<()> {
    let Ok(layout) = TexelLayout::of(looked.image.format) else { return Ok(()) };
    let line = looked.lines.first().map_or_else(String::new, |line| format!("line{line}_"));
    let stem = format!("{line}target{}", looked.target);
    let extension = layout.container.extension();
    golden::write(&folder.join(format!("{stem}.{extension}")), looked.image)?;
    let Some(expected) = &looked.expected else { return Ok(()) };
    golden::write(&folder.join(format!("{stem}_expected.{extension}")), expected)?;
    match difference(looked.image, expected) {
        Some(image) => golden::write(&folder.join(format!("{stem}_difference.png")), &image),
        None => Ok(()),
    }
}

/// Image of the pixels in which two images of one size differ.
fn difference(actual: &Image, expected: &Image) -> Option<Image> {
    if actual.bytes.len() != expected.bytes.len() || actual.width != expected.width {
        return None;
    }
    let size = actual.format.bytes_per_texel().max(1);
    let pairs = actual.bytes.chunks(size).zip(expected.bytes.chunks(size));
    let bytes = pairs.flat_map(|(actual, expected)| DIFFERENCE[usize::from(actual != expected)]);
    let (width, height) = (actual.width, actual.height);
    Some(Image::whole(Format::RGBA8_UNORM, width, height, bytes.collect()))
}

/// Writes the bytes of every transform feedback buffer that a step reads.
fn keep_captures(folder: &Path, case: &Case, readback: &Readback) -> anyhow::Result<()> {
    for (step, captured) in case.steps.iter().zip(&readback.snapshots) {
        let Step::Expect(Expectation::Buffer(probe)) = &step.value else { continue };
        let number = probe.binding.checked_sub(XFB_POINT);
        let (Some(number), Some(Snapshot::Buffer(bytes))) = (number, captured) else { continue };
        let (line, _) = case.source.line_and_column(step.span.start);
        let path = folder.join(format!("line{line}_capture{number}.bin"));
        std::fs::write(&path, &**bytes)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(bytes: &[u8]) -> Image {
        Image::whole(Format::RGBA8_UNORM, 2, 1, bytes.to_vec())
    }

    #[test]
    fn a_difference_of_one_bit_is_marked() {
        let actual = image(&[0, 0, 0, 0, 8, 8, 8, 8]);
        let expected = image(&[0, 0, 0, 0, 8, 8, 8, 9]);
        let marked = difference(&actual, &expected).map(|it| it.bytes);
        assert_eq!(marked, Some(DIFFERENCE.concat()));
        assert_eq!(difference(&actual, &image(&[0])), None);
    }
}
