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

/// Maximum number of images, and of buffers, kept per case.
const MAX_KEPT: usize = 16;

/// Colours of a difference image: equal, different.
const DIFFERENCE: [[u8; 4]; 2] = [[24, 24, 24, 255], [255, 48, 48, 255]];

/// A render target with the failed expectations that read it at the same time.
struct ProbedTarget<'a> {
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
        .with_context(|| format!("cannot create the folder {}", folder.display()))?;
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
        keep_xfb_buffers(&folder, case, readback)?;
    }
    let failures = report.map_or(&[][..], |report| failures(&report.verdict));
    let probed = probed_targets(case, readback, failures);
    for target in &probed {
        keep_image(&folder, target)?;
    }
    let evidence = Evidence {
        source: case.source.text().to_owned(),
        map: inspection.map,
        stages: inspection.stages.into_iter().map(|(name, wgsl)| Stage { name, wgsl }).collect(),
        failures: failures.to_vec(),
        images: probed.iter().map(packed).collect(),
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
fn probed_targets<'a>(
    case: &Case,
    readback: Option<&'a Readback>,
    failures: &[Failure],
) -> Vec<ProbedTarget<'a>> {
    let mut found: Vec<ProbedTarget<'a>> = Vec::new();
    let goldens = golden::load(case);
    for (line, step, snapshot) in snapshots(case, readback) {
        // A partial image is not kept: a run that keeps evidence reads whole images.
        let Snapshot::Image(image) = snapshot else { continue };
        if !image.is_whole() {
            continue;
        }
        let known = found.iter().position(|probed| Arc::ptr_eq(probed.image, image));
        let at = known.unwrap_or(found.len());
        if known.is_none() {
            let target = step.expectation().and_then(Expectation::target).unwrap_or(0);
            found.push(ProbedTarget { image, target, lines: Vec::new(), expected: None });
        }
        let (Some(expectation), Some(probed)) = (step.expectation(), found.get_mut(at)) else {
            continue;
        };
        if failures.iter().any(|failure| failure.line == Some(line)) {
            probed.lines.push(line);
            probed.add_expected(expectation, &goldens);
        }
    }
    found.sort_by_key(|probed| probed.lines.is_empty());
    found.truncate(MAX_KEPT);
    found
}

impl ProbedTarget<'_> {
    fn add_expected(&mut self, expectation: &Expectation, goldens: &Goldens) {
        let so_far = self.expected.as_ref().unwrap_or(self.image);
        if let Some(image) = expected_image(expectation, so_far, goldens) {
            self.expected = Some(image);
        }
    }
}

/// The value that every expectation read, with its line.
fn snapshots<'a, 'c>(
    case: &'c Case,
    readback: Option<&'a Readback>,
) -> impl Iterator<Item = (usize, &'c Step, &'a Snapshot)> {
    let snapshots = readback.map_or(&[][..], |readback| &readback.snapshots);
    case.steps.iter().zip(snapshots).filter_map(|(step, snapshot)| {
        let (line, _) = case.source.line_and_column(step.span.start);
        Some((line, &step.value, snapshot.as_ref()?))
    })
}

fn buffers(case: &Case, readback: Option<&Readback>) -> Vec<BufferEvidence> {
    let buffer = |(line, _, snapshot): (usize, &Step, &Snapshot)| match snapshot {
        Snapshot::Buffer(bytes) => Some(BufferEvidence { line, actual: Packed::of(bytes) }),
        Snapshot::Image(_) | Snapshot::Count(_) => None,
    };
    snapshots(case, readback).filter_map(buffer).take(MAX_KEPT).collect()
}

fn packed(probed: &ProbedTarget<'_>) -> ImageEvidence {
    // A golden of another size is only in its own file, because it cannot be overlaid.
    let same_size =
        |image: &&Image| (image.width, image.height) == (probed.image.width, probed.image.height);
    ImageEvidence {
        lines: probed.lines.clone(),
        target: probed.target,
        format: probed.image.format.name().to_owned(),
        width: probed.image.width,
        height: probed.image.height,
        actual: Packed::of(&probed.image.bytes),
        expected: probed.expected.as_ref().filter(same_size).map(|image| Packed::of(&image.bytes)),
    }
}

/// Writes `line12_target0.png`, and if an image is expected also `…_expected.png` and `…_difference.png`.
fn keep_image(folder: &Path, probed: &ProbedTarget<'_>) -> anyhow::Result<()> {
    let Ok(layout) = TexelLayout::of(probed.image.format) else { return Ok(()) };
    let line = probed.lines.first().map_or_else(String::new, |line| format!("line{line}_"));
    let stem = format!("{line}target{}", probed.target);
    let extension = layout.container.extension();
    golden::write(&folder.join(format!("{stem}.{extension}")), probed.image)?;
    let Some(expected) = &probed.expected else { return Ok(()) };
    golden::write(&folder.join(format!("{stem}_expected.{extension}")), expected)?;
    match difference(probed.image, expected) {
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
fn keep_xfb_buffers(folder: &Path, case: &Case, readback: &Readback) -> anyhow::Result<()> {
    for (step, snapshot) in case.steps.iter().zip(&readback.snapshots) {
        let Step::Expect(Expectation::Buffer(probe)) = &step.value else { continue };
        let number = probe.binding.checked_sub(XFB_POINT);
        let (Some(number), Some(Snapshot::Buffer(bytes))) = (number, snapshot) else { continue };
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
        let marked = difference(&actual, &expected).map(|image| image.bytes);
        assert_eq!(marked, Some(DIFFERENCE.concat()));
        assert_eq!(difference(&actual, &image(&[0])), None);
    }
}
