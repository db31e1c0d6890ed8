//! Keeps the results of a case for inspection: images, link map and lowered stages as files, and all of them again as
//! [`Evidence`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use interstage::case::depth_stencil::DepthAspect;
use interstage::case::{Case, ReadExpectation, ReadSource, Setting, Step, Tolerance};
use interstage::check::verdict::{Failure, Verdict};
use interstage::check::{
    Goldens, expected_image, probed_channels, tolerance_text, unaccepted_channels,
};
use interstage::device::Device;
use interstage::ir::diagnostic::Diagnostic;
use interstage::ir::emit::Language;
use interstage::ir::format::Format;
use interstage::ir::options::XFB_POINT;
use interstage::ir::readback::{Image, Readback, Snapshot};
use interstage::ir::source::Source;
use interstage::{CaseReport, Inspection, Judged, emit_stages};

use crate::files::golden;
use crate::files::golden::layout::TexelLayout;
use crate::report::evidence::{
    self, BufferEvidence, Evidence, ImageEvidence, OracleEvidence, Packed, Stage,
};

/// Maximum number of images, and of buffers, kept per case.
const MAX_KEPT: usize = 16;

/// Colours of a difference image: equal, different.
const DIFFERENCE: [[u8; 4]; 2] = [[24, 24, 24, 255], [255, 48, 48, 255]];

/// A render target with the failed expectations that read it at the same time.
struct ProbedTarget<'a> {
    image: &'a Arc<Image>,
    /// The step at which it was first read.
    step: usize,
    target: u32,
    /// `depth buffer`; `None` for a render target.
    name: Option<&'static str>,
    lines: Vec<usize>,
    expected: Option<Image>,
    /// Rejected channels of each pixel; none if an expectation does not check single pixels.
    unaccepted: Option<Vec<u8>>,
    /// Channels of each pixel that some expectation looks at; none if one looks at all of them.
    probed: Option<Vec<u8>>,
    /// Tolerances of the failed expectations.
    tolerances: Vec<String>,
}

/// An expectation with what it read.
struct Reading<'a, 'c> {
    step: usize,
    line: usize,
    expectation: &'c ReadExpectation,
    /// The tolerance that applies to the expectation.
    tolerance: Tolerance,
    snapshot: &'a Snapshot,
}

/// Deletes the evidence of the case from an earlier run, so that it is not mistaken for this run's.
pub fn forget(folder: &Path, case: &Case) {
    // Usually there is no such file.
    let _ = std::fs::remove_file(evidence::folder_of(folder, &case.name).join(evidence::FILE));
}

/// Writes the text of a case that fails before it is compiled, or may crash then, with its invalid lines.
pub fn keep_text(folder: &Path, name: &str, source: &Source, verdict: &Verdict) {
    let evidence = Evidence {
        source: source.text().to_owned(),
        failures: marked(source, verdict),
        ..Evidence::default()
    };
    let folder = evidence::folder_of(folder, name);
    // The report of the case is more important than its text, which is still on the disk.
    let _ = std::fs::create_dir_all(&folder);
    let _ = evidence::write(&folder, &evidence);
}

/// The failures; for a broken case, its diagnostics as failures of their lines.
fn marked(source: &Source, verdict: &Verdict) -> Vec<Failure> {
    match verdict {
        Verdict::Fail(failures) => failures.clone(),
        Verdict::Broken(diagnostics) => {
            let failure = |message: &Diagnostic| {
                Failure::at(source, message.span, message.message.clone(), Vec::new())
            };
            diagnostics.iter().map(failure).collect()
        }
        Verdict::Pass
        | Verdict::Skip(_)
        | Verdict::Unsupported(_)
        | Verdict::Undecided(_)
        | Verdict::Untested(_) => Vec::new(),
    }
}

/// Writes all evidence into the case's own folder below `folder`, and returns that folder; `None` if there is only the
/// text. Without a report, because the case has not run yet, only the stages and the link map are written.
pub fn keep(
    folder: &Path,
    case: &Case,
    device: Option<&Device>,
    report: Option<&CaseReport>,
) -> anyhow::Result<Option<PathBuf>> {
    let verdict = report.map_or(&Verdict::Pass, |report| &report.verdict);
    keep_text(folder, &case.name, &case.source, verdict);
    let inspection = interstage::inspect(case, device).unwrap_or_default();
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
    keep_spirv(&folder, case, device)?;
    if let Some(readback) = readback {
        keep_xfb_buffers(&folder, case, readback)?;
    }
    let judged = report.and_then(|report| report.oracle.as_ref()?.as_ref().ok());
    let failures = marked(&case.source, verdict);
    let probed = probed_targets(case, readback, &failures);
    for target in &probed {
        keep_image(&folder, target)?;
    }
    let evidence = Evidence {
        source: case.source.text().to_owned(),
        map: inspection.map,
        stages: inspection.stages.into_iter().map(|(name, wgsl)| Stage { name, wgsl }).collect(),
        failures,
        images: probed.iter().map(|probed| packed(probed, judged)).collect(),
        buffers: buffers(case, readback, judged),
    };
    evidence::write(&folder, &evidence)?;
    Ok(Some(folder))
}

/// Returns the images that expectations read, each once; those with a failure come first.
fn probed_targets<'a>(
    case: &Case,
    readback: Option<&'a Readback>,
    failures: &[Failure],
) -> Vec<ProbedTarget<'a>> {
    let mut found: Vec<ProbedTarget<'a>> = Vec::new();
    let goldens = golden::load(case);
    for reading in readings(case, readback) {
        // Partial images are not kept: a run that keeps evidence reads whole images.
        let Snapshot::Image(image) = reading.snapshot else { continue };
        if !image.is_whole() {
            continue;
        }
        let known = found.iter().position(|probed| Arc::ptr_eq(probed.image, image));
        let at = known.unwrap_or(found.len());
        if known.is_none() {
            found.push(ProbedTarget::new(image, &reading));
        }
        let Some(probed) = found.get_mut(at) else { continue };
        probed.add_reading(&reading);
        if failures.iter().any(|failure| failure.line == Some(reading.line)) {
            probed.add_failure(&reading, &goldens);
        }
    }
    found.sort_by_key(|probed| probed.lines.is_empty());
    found.truncate(MAX_KEPT);
    found
}

impl<'a> ProbedTarget<'a> {
    fn new(image: &'a Arc<Image>, &Reading { step, expectation, .. }: &Reading<'_, '_>) -> Self {
        Self {
            image,
            step,
            target: expectation.target().unwrap_or(0),
            name: depth_name(expectation),
            lines: Vec::new(),
            expected: None,
            unaccepted: Some(Vec::new()),
            probed: Some(Vec::new()),
            tolerances: Vec::new(),
        }
    }

    fn add_reading(&mut self, reading: &Reading<'_, '_>) {
        let more = probed_channels(reading.expectation, self.image);
        self.probed = joined(self.probed.take(), more);
    }

    fn add_failure(&mut self, reading: &Reading<'_, '_>, goldens: &Goldens) {
        let &Reading { line, expectation, tolerance, .. } = reading;
        self.lines.push(line);
        let so_far = self.expected.as_ref().unwrap_or(self.image);
        if let Some(image) = expected_image(expectation, so_far, goldens) {
            self.expected = Some(image);
        }
        let unaccepted = unaccepted_channels(expectation, self.image, tolerance, goldens);
        self.unaccepted = joined(self.unaccepted.take(), unaccepted);
        let text = tolerance_text(expectation, tolerance, self.image.format);
        if !self.tolerances.contains(&text) {
            self.tolerances.push(text);
        }
    }
}

/// The channels of each pixel that are in either of two lists. `None` if one is, and `more` if the other is empty.
fn joined(so_far: Option<Vec<u8>>, more: Option<Vec<u8>>) -> Option<Vec<u8>> {
    let (so_far, more) = so_far.zip(more)?;
    let so_far = so_far.into_iter().chain(std::iter::repeat(0));
    Some(more.into_iter().zip(so_far).map(|(more, so_far)| more | so_far).collect())
}

impl ProbedTarget<'_> {
    /// Rejected channels of each pixel, if they are known.
    fn unaccepted(&self) -> Option<&[u8]> {
        self.unaccepted.as_deref().filter(|channels| !channels.is_empty())
    }
}

fn depth_name(expectation: &ReadExpectation) -> Option<&'static str> {
    let ReadExpectation::Depth(probe) = expectation else { return None };
    Some(match probe.aspect {
        DepthAspect::Depth => "depth buffer",
        DepthAspect::Stencil => "stencil buffer",
    })
}

/// Returns every expectation with the snapshot that it read.
fn readings<'a, 'c>(
    case: &'c Case,
    readback: Option<&'a Readback>,
) -> impl Iterator<Item = Reading<'a, 'c>> {
    let snapshots = readback.map_or(&[][..], |readback| &readback.snapshots);
    let mut tolerance = Tolerance::DEFAULT;
    case.steps.iter().zip(snapshots).enumerate().filter_map(move |(number, (step, snapshot))| {
        if let Step::Set(Setting::Tolerance(new)) = &step.value {
            tolerance = *new;
        }
        let (line, _) = case.source.line_and_column(step.span.start);
        let (expectation, snapshot) = (step.value.reading()?, snapshot.as_ref()?);
        Some(Reading { step: number, line, expectation, tolerance, snapshot })
    })
}

/// The oracle's results for a step.
fn of_oracle(judged: Option<&Judged>, step: usize) -> Option<OracleEvidence> {
    let judged = judged?;
    let packed = |readback: &Readback| match readback.snapshots.get(step)?.as_ref()? {
        Snapshot::Image(image) => Some(Packed::of(&image.bytes)),
        Snapshot::Buffer(bytes) => Some(Packed::of(bytes)),
        Snapshot::Count(_) => None,
    };
    let unlinked = judged.unlinked.as_ref().ok().and_then(packed);
    Some(OracleEvidence { unlinked, linked: packed(&judged.linked)? })
}

fn buffers(
    case: &Case,
    readback: Option<&Readback>,
    judged: Option<&Judged>,
) -> Vec<BufferEvidence> {
    let buffer = |Reading { step, line, snapshot, expectation, .. }: Reading<'_, '_>| match snapshot
    {
        Snapshot::Buffer(bytes) => {
            let (oracle, name) = (of_oracle(judged, step), buffer_name(case, expectation));
            Some(BufferEvidence { line, name, actual: Packed::of(bytes), oracle })
        }
        Snapshot::Image(_) | Snapshot::Count(_) => None,
    };
    readings(case, readback).filter_map(buffer).take(MAX_KEPT).collect()
}

/// Kind and binding of the buffer that an expectation reads; empty if it reads none.
fn buffer_name(case: &Case, expectation: &ReadExpectation) -> String {
    let ReadSource::Buffer(binding) = expectation.source() else { return String::new() };
    case.buffer_name(binding)
}

fn packed(probed: &ProbedTarget<'_>, judged: Option<&Judged>) -> ImageEvidence {
    // A golden of another size is only kept in its own file, because it cannot be overlaid.
    let same_size =
        |image: &&Image| (image.width, image.height) == (probed.image.width, probed.image.height);
    ImageEvidence {
        lines: probed.lines.clone(),
        target: probed.target,
        name: probed.name.map(str::to_owned),
        format: probed.image.format.name().to_owned(),
        width: probed.image.width,
        height: probed.image.height,
        actual: Packed::of(&probed.image.bytes),
        expected: probed.expected.as_ref().filter(same_size).map(|image| Packed::of(&image.bytes)),
        oracle: of_oracle(judged, probed.step),
        unaccepted: probed.unaccepted().map(Packed::of),
        probed: probed.probed.as_deref().map(Packed::of),
        tolerance: probed.tolerances.join(", "),
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
    match difference(probed.image, expected, probed.unaccepted()) {
        Some(image) => golden::write(&folder.join(format!("{stem}_difference.png")), &image),
        None => Ok(()),
    }
}

/// Image of the pixels in which two images of the same size differ; if rejected pixels are known, of those.
fn difference(actual: &Image, expected: &Image, unaccepted: Option<&[u8]>) -> Option<Image> {
    if actual.bytes.len() != expected.bytes.len() || actual.width != expected.width {
        return None;
    }
    let size = actual.format.bytes_per_texel().max(1);
    let pairs = actual.bytes.chunks(size).zip(expected.bytes.chunks(size));
    let differs = pairs.enumerate().map(|(idx, (actual, expected))| {
        let channels = unaccepted.and_then(|unaccepted| unaccepted.get(idx));
        channels.map_or(actual != expected, |channels| *channels != 0)
    });
    let bytes = differs.flat_map(|differs| DIFFERENCE[usize::from(differs)]).collect();
    Some(Image::whole(Format::RGBA8_UNORM, actual.width, actual.height, bytes))
}

/// Writes the bytes of every transform feedback buffer that a step reads.
fn keep_xfb_buffers(folder: &Path, case: &Case, readback: &Readback) -> anyhow::Result<()> {
    for (step, snapshot) in case.steps.iter().zip(&readback.snapshots) {
        let Some(ReadExpectation::Buffer(probe)) = step.value.reading() else { continue };
        let number = probe.binding.checked_sub(XFB_POINT);
        let (Some(number), Some(Snapshot::Buffer(bytes))) = (number, snapshot) else { continue };
        let (line, _) = case.source.line_and_column(step.span.start);
        let path = folder.join(format!("line{line}_capture{number}.bin"));
        std::fs::write(&path, &**bytes)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Writes every stage in naga's SPIR-V. If other compilers give the driver theirs, there is none, not even of an earlier
/// run: naga's would mislead, and theirs takes as long as they do.
fn keep_spirv(folder: &Path, case: &Case, device: Option<&Device>) -> anyhow::Result<()> {
    let has_compilers = device.is_some_and(|device| device.compilers().is_some());
    for (stage, spirv) in emit_stages(case, device, Language::Spirv).into_iter().flatten() {
        let path = folder.join(format!("{stage}.spv"));
        if has_compilers {
            // Usually there is no such file.
            let _ = std::fs::remove_file(path);
        } else if let Ok(spirv) = spirv {
            write(&path, &spirv)?;
        }
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
        let marked = difference(&actual, &expected, None).map(|image| image.bytes);
        assert_eq!(marked, Some(DIFFERENCE.concat()));
        assert_eq!(difference(&actual, &image(&[0]), None), None);
    }

    #[test]
    fn a_difference_within_the_tolerance_is_not_marked() {
        let (actual, expected) = (image(&[0; 8]), image(&[1; 8]));
        let marked = difference(&actual, &expected, Some(&[0, 4])).map(|image| image.bytes);
        assert_eq!(marked, Some(DIFFERENCE.concat()));
    }

    #[test]
    fn the_diagnostics_of_a_broken_case_mark_their_lines() {
        let source = Source::new("a", "[test]\nxyzzy\n");
        let broken = Diagnostic::error(interstage::ir::source::Span::new(7, 12), "no such word");
        let folder = tempfile::tempdir().unwrap();
        keep_text(folder.path(), "a", &source, &Verdict::Broken(vec![broken]));
        let evidence = evidence::read(&folder.path().join("a")).unwrap();
        assert_eq!(evidence.source, source.text());
        assert_eq!(evidence.failures[0].to_string(), "line 2: no such word");
    }
}
