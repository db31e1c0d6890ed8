//! Accepts the results of a case as its goldens and as the values of its probes and `[link]` lines, if all other
//! expectations hold.

mod links;
pub mod probes;

use interstage::ir::diagnostic::counted;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use interstage::case::Case;
use interstage::case::parse::ParsedCase;
use interstage::check::Goldens;
use interstage::check::verdict::{Failure, Verdict};
use interstage::device::Device;
use interstage::ir::readback::{Image, Readback, Snapshot};
use interstage::{CaseReport, run_case};

use crate::files::{case_file, golden};

/// Text of a case with new values, and one line about every change.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rewritten {
    /// Text of the file.
    text: String,
    /// Changed lines before and after: `31: probe …`.
    changes: Vec<String>,
}

/// Runs the case for its images. Then runs it again with these as goldens and with the actual values in failed probes
/// and `[link]` lines. If that passes and `writes` is set, writes both. Also returns a line about each change; there is
/// none for a case that passes unchanged.
pub fn bless(case: &Case, device: Option<&Device>, writes: bool) -> (CaseReport, Vec<String>) {
    let first = run_case(case, device, &Goldens::default());
    let readback = first.readback.as_ref();
    let drawn = readback.into_iter().flat_map(|readback| images(case, readback));
    let drawn = drawn.map(|(golden, image)| (golden.name.clone(), Ok(Image::clone(image))));
    let goldens = Goldens { images: drawn.collect() };
    let names_golden = golden::named_by(case).next().is_some();
    let second = if names_golden { run_case(case, device, &goldens) } else { first.clone() };
    let rewritten = match &second.verdict {
        Verdict::Pass => None,
        Verdict::Fail(failures) => {
            let rewritten = rewrite(case, readback, failures);
            match rewritten {
                Some(rewritten) if passes(case, &rewritten, device, &goldens) => Some(rewritten),
                Some(_) | None => return (second, Vec::new()),
            }
        }
        Verdict::Skip(_)
        | Verdict::Unsupported(_)
        | Verdict::Undecided(_)
        | Verdict::Untested(_)
        | Verdict::Broken(_) => {
            return (second, Vec::new());
        }
    };
    let notes = accept_all(case, readback, writes);
    match notes.and_then(|notes| accept_lines(case, rewritten, notes, writes)) {
        Ok(notes) => (CaseReport { verdict: Verdict::Pass, ..second }, notes),
        Err(error) => refused(second, format!("{error:#}")),
    }
}

/// Returns the case file with the actual values; `None` if another expectation fails, or a value cannot be written.
fn rewrite(case: &Case, readback: Option<&Readback>, failures: &[Failure]) -> Option<Rewritten> {
    // Read the file itself: in the source of a case with parameters these are already substituted.
    let text = String::from_utf8(case_file::read(case.source.path()).ok()?).ok()?;
    let mut lines: Vec<_> = text.split_inclusive('\n').map(str::to_owned).collect();
    let mut changes = Vec::new();
    links::rewrite(case, failures, &mut lines, &mut changes)?;
    if let Some(readback) = readback {
        probes::rewrite(case, readback, failures, &mut lines, &mut changes)?;
    }
    (!changes.is_empty()).then(|| Rewritten { text: lines.concat(), changes })
}

/// True if every case of the file passes with the new values or does not run on this adapter; the case itself must
/// pass. A file with parameters has several cases, which share its lines.
fn passes(case: &Case, rewritten: &Rewritten, device: Option<&Device>, goldens: &Goldens) -> bool {
    let path = case.source.path();
    let parsed = case_file::parse_at(path, rewritten.text.as_bytes()).unwrap_or_default();
    let has_passed = |ParsedCase { name, result, .. }: &ParsedCase| {
        let Ok(parsed) = result else { return false };
        let is_this = *name == case.name;
        let others = if is_this { None } else { Some(golden::load(parsed)) };
        match run_case(parsed, device, others.as_ref().unwrap_or(goldens)).verdict {
            Verdict::Pass => true,
            Verdict::Skip(_)
            | Verdict::Unsupported(_)
            | Verdict::Undecided(_)
            | Verdict::Untested(_) => !is_this,
            Verdict::Fail(_) | Verdict::Broken(_) => false,
        }
    };
    parsed.iter().any(|parsed| parsed.name == case.name) && parsed.iter().all(has_passed)
}

/// Writes the case file, and adds the changes to the notes.
fn accept_lines(
    case: &Case,
    rewritten: Option<Rewritten>,
    mut notes: Vec<String>,
    writes: bool,
) -> anyhow::Result<Vec<String>> {
    let Some(Rewritten { text, changes }) = rewritten else { return Ok(notes) };
    let path = case.source.path();
    let partial = format!("{path}.partial");
    if writes {
        std::fs::write(&partial, text)
            .and_then(|()| std::fs::rename(&partial, path))
            .with_context(|| format!("cannot write {path}"))?;
    }
    notes.extend(
        changes.iter().flat_map(|change| change.lines()).map(|line| format!("{path}:{line}")),
    );
    Ok(notes)
}

fn refused(report: CaseReport, reason: String) -> (CaseReport, Vec<String>) {
    let failure = Failure::of_case("bless", vec![reason]);
    (CaseReport { verdict: Verdict::Fail(vec![failure]), ..report }, Vec::new())
}

fn images<'a>(
    case: &'a Case,
    readback: &'a Readback,
) -> impl Iterator<Item = (&'a interstage::case::Golden, &'a Arc<Image>)> {
    case.steps.iter().zip(&readback.snapshots).filter_map(|(step, snapshot)| {
        let golden = golden::golden_of(&step.value)?;
        let Some(Snapshot::Image(image)) = snapshot else { return None };
        Some((golden, image))
    })
}

/// Writes all goldens that change. Returns a line about each.
fn accept_all(
    case: &Case,
    readback: Option<&Readback>,
    writes: bool,
) -> anyhow::Result<Vec<String>> {
    let mut notes = Vec::new();
    for (golden, image) in readback.into_iter().flat_map(|readback| images(case, readback)) {
        notes.extend(accept(&golden::path(case, golden)?, image, writes)?);
    }
    Ok(notes)
}

/// Writes a golden if it changes. Returns a line about the change.
fn accept(path: &Path, image: &Image, writes: bool) -> anyhow::Result<Option<String>> {
    let old = path.exists().then(|| golden::read(path, image.format));
    let change = match &old {
        None => format!("new: {} by {} {}", image.width, image.height, image.format.name()),
        Some(Ok(old)) if old == image => return Ok(None),
        Some(Ok(old)) => change(old, image),
        Some(Err(reason)) => format!("replaced; the old file was not a valid golden: {reason}"),
    };
    if writes {
        golden::write(path, image)?;
    }
    Ok(Some(format!("{}: {change}", path.display())))
}

fn change(old: &Image, new: &Image) -> String {
    if (old.width, old.height) != (new.width, new.height) {
        return format!("was {} by {}, is {} by {}", old.width, old.height, new.width, new.height);
    }
    let pixels = new.width as usize * new.height as usize;
    let size = (new.bytes.len() / pixels.max(1)).max(1);
    let changed =
        old.bytes.chunks(size).zip(new.bytes.chunks(size)).filter(|(old, new)| old != new).count();
    format!("{changed} of {} changed", counted(pixels, "pixel"))
}

#[cfg(test)]
mod tests {
    use interstage::ir::format::Format;

    use super::*;

    fn image(width: u32, bytes: &[u8]) -> Image {
        Image::whole(Format::RGBA8_UNORM, width, 1, bytes.to_vec())
    }

    #[test]
    fn every_change_of_a_golden_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        let check = |image: &Image, expected: &str| {
            // A change that is only reported is not written.
            let told = accept(&path, image, false).unwrap();
            assert_eq!(accept(&path, image, true).unwrap(), told);
            let told = told.unwrap_or_else(|| ": no change".to_owned());
            assert_eq!(told.rsplit_once(": ").unwrap().1, expected);
        };
        check(&image(2, &[0; 8]), "2 by 1 rgba8unorm");
        check(&image(2, &[0; 8]), "no change");
        check(&image(2, &[0, 0, 0, 0, 0, 1, 0, 0]), "1 of 2 pixels changed");
        check(&image(1, &[0; 4]), "was 2 by 1, is 1 by 1");
    }
}
