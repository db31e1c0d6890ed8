//! Runs one job inside the worker, and compiles and links the next one in the meantime.

use interstage::ir::diagnostic::counted;
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use interstage::case::parse::{CaseError, ParsedCase};
use interstage::case::{Case, ProfileChoice};
use interstage::check::verdict::Verdict;
use interstage::device::Device;
use interstage::ir::diagnostic;
use interstage::ir::diagnostic::Diagnostic;
use interstage::ir::readback::{Extent, Snapshot};
use interstage::ir::source::Source;
use interstage::oracle::{Comparison, Coverage};
use interstage::{
    CaseReport, Judged, Prepared, RunOptions, needs_adapter, run_case, run_prepared, would_run,
};

use crate::files::basis::Input;
use crate::files::case_file::{self, Loaded, Unreadable};
use crate::files::golden;
use crate::outcome::OracleCounts;
use crate::protocol::{Answer, Emulated, Finished, Job, Keep, KeptCases, Purpose};
use crate::report::evidence;
use crate::worker::{LazyDevice, NoGpu, bless, census, digest, keep};

/// A file that was read. It is kept, because the cases of one file mostly run in succession.
#[derive(Debug)]
pub struct LoadedFile {
    path: String,
    text: Vec<u8>,
}

impl LoadedFile {
    /// Reads the file of `job`, or reuses `last` if it is the same file.
    pub fn of(job: &Job, last: Option<&Arc<Self>>) -> Result<Arc<Self>, Unreadable> {
        if let Some(last) = last.filter(|last| last.path == job.file) {
            return Ok(Arc::clone(last));
        }
        let (path, text) = (job.file.clone(), case_file::read(&job.file)?);
        Ok(Arc::new(Self { path, text }))
    }

    fn parse(&self, job: &Job) -> Result<Loaded, Unreadable> {
        let loaded = case_file::load_one(&self.path, &self.text, &job.name)?;
        loaded.ok_or_else(|| Unreadable("the file was changed during the run".to_owned()))
    }
}

/// A case that was compiled and linked in advance.
#[derive(Debug)]
pub struct PreparedJob {
    job: Job,
    file: Arc<LoadedFile>,
    loaded: Loaded,
    prepared: Prepared,
    /// Duration in seconds.
    seconds: f32,
}

impl PreparedJob {
    /// True if this is the case of `job`.
    pub fn is_of(&self, job: &Job) -> bool {
        self.job == *job
    }

    /// The file that contains the case.
    pub const fn file(&self) -> &Arc<LoadedFile> {
        &self.file
    }
}

/// Compiles and links a case while the adapter is busy with another. Returns `None` if the job is not a check, cannot
/// be read, or needs a device that is not open yet; the case reports that when it runs.
pub fn prepare(
    job: &Job,
    lazy: &LazyDevice,
    last: Option<&Arc<LoadedFile>>,
) -> Option<PreparedJob> {
    let started = Instant::now();
    let Purpose::Check { profile, emulated, .. } = &job.purpose else { return None };
    let file = LoadedFile::of(job, last).ok()?;
    let loaded = file.parse(job).ok()?;
    let case = loaded.parsed.result.as_ref().ok()?;
    let case = emulating(under_profile(case, profile.as_deref()), *emulated).ok()?;
    let device = if needs_adapter(&case) { Some(lazy.opened()?) } else { None };
    let prepared = interstage::prepare(&case, device);
    drop(case);
    let seconds = started.elapsed().as_secs_f32();
    Some(PreparedJob { job: job.clone(), file, loaded, prepared, seconds })
}

/// Runs a job, which may have been prepared in advance.
pub fn run(
    job: &Job,
    file: Result<&LoadedFile, &Unreadable>,
    ahead: Option<PreparedJob>,
    lazy: &LazyDevice,
) -> Answer {
    let started = Instant::now();
    let seconds = ahead.as_ref().map_or(0.0, |ahead| ahead.seconds);
    let (loaded, prepared) = match ahead {
        Some(ahead) => (Ok(ahead.loaded), Some(ahead.prepared)),
        None => (file.map_err(Unreadable::clone).and_then(|file| file.parse(job)), None),
    };
    let result = match loaded {
        Ok(Loaded { parsed, mut inputs }) => {
            // Hash the goldens before they are read for the verdict, so that a later change of a file is detected.
            inputs.extend(parsed.result.as_ref().map(golden::inputs).unwrap_or_default());
            let result = run_parsed(job, &parsed, prepared, lazy);
            result.map(|finished| Finished { inputs, ..finished })
        }
        Err(Unreadable(message)) => Ok(unreadable(job, &message)),
    };
    match result {
        Ok(finished) => {
            let seconds = seconds + started.elapsed().as_secs_f32();
            Answer::Finished(Finished { seconds, ..finished })
        }
        Err(no_gpu) => Answer::from(no_gpu),
    }
}

/// Runs a parsed case. The error is the reason why there is no device.
fn run_parsed(
    job: &Job,
    parsed: &ParsedCase,
    prepared: Option<Prepared>,
    lazy: &LazyDevice,
) -> Result<Finished, NoGpu> {
    let case = match &parsed.result {
        Ok(case) => case,
        Err(CaseError::Broken(diagnostics)) => {
            let verdict = Verdict::Broken(diagnostics.clone());
            if let Purpose::Check { keep: Some(keep), .. } = &job.purpose {
                keep::keep_text(&keep.folder, &job.name, &parsed.source, &verdict);
            }
            return Ok(finished(&parsed.source, verdict));
        }
        Err(CaseError::Excluded { reason }) => {
            return Ok(finished(&parsed.source, Verdict::Skip(format!("excluded: {reason}"))));
        }
        Err(CaseError::Unsupported { word, span }) => {
            let is_census = job.purpose == Purpose::Census;
            let kind = is_census.then(|| census::kind_at(&parsed.source, *span));
            let word = kind.map_or_else(|| word.clone(), |kind| format!("{kind}: {word}"));
            return Ok(finished(&parsed.source, Verdict::Unsupported(word)));
        }
    };
    let mut result = match &job.purpose {
        Purpose::Check { keep, profile, emulated, asks_oracle } => {
            let case = under_profile(case, profile.as_deref());
            match emulating(case, *emulated) {
                Ok(case) => check(&case, prepared, lazy, keep.as_ref(), *asks_oracle)?,
                Err(skip) => finished(&parsed.source, skip),
            }
        }
        Purpose::WouldSkip => finished(&case.source, would_run(case, device(case, lazy)?)),
        Purpose::Census => finished(&case.source, census::compile_and_link(case)),
        Purpose::Bless { writes } => {
            let (report, notes) = bless::bless(case, device(case, lazy)?, *writes);
            Finished { notes, ..finished_report(case, report) }
        }
    };
    name_other_file(&mut result.verdict, &parsed.source, &job.file);
    let warnings = case.warnings.iter().map(|warning| diagnostic::one_line(&case.source, warning));
    result.warnings = warnings.collect();
    Ok(result)
}

/// Puts the name of the file in front of the failures of a case that `file` imports: their lines are not those of `file`.
fn name_other_file(verdict: &mut Verdict, source: &Source, file: &str) {
    let Verdict::Fail(failures) = verdict else { return };
    if !case_file::is_shader_library(file) || source.path() == file {
        return;
    }
    for failure in failures {
        if let Some(line) = failure.line.take() {
            failure.step = format!("{}:{line}: {}", source.path(), failure.step);
        }
    }
}

/// Returns the device, if the case needs one.
fn device<'a>(case: &Case, lazy: &'a LazyDevice) -> Result<Option<&'a Device>, NoGpu> {
    if needs_adapter(case) { lazy.get().map(Some) } else { Ok(None) }
}

/// Applies the profile of the command line, unless the case names a profile.
fn under_profile<'a>(case: &'a Case, profile: Option<&str>) -> Cow<'a, Case> {
    let choice = profile.and_then(ProfileChoice::of_name);
    if choice.is_none() || case.link.profile.is_some() {
        return Cow::Borrowed(case);
    }
    let mut case = case.clone();
    case.link.profile = choice;
    Cow::Owned(case)
}

/// Removes the features that the command line wants emulated from the case.
fn emulating(case: Cow<'_, Case>, emulated: Option<Emulated>) -> Result<Cow<'_, Case>, Verdict> {
    let mut case = match emulated {
        None => return Ok(case),
        Some(Emulated::Clip) => case.into_owned(),
    };
    if case.emulate_clip() {
        return Ok(Cow::Owned(case));
    }
    Err(Verdict::Skip(
        "the case expects specific slots, and emulated clip distances take some".to_owned(),
    ))
}

fn check(
    case: &Case,
    prepared: Option<Prepared>,
    lazy: &LazyDevice,
    keep: Option<&Keep>,
    asks_oracle: bool,
) -> Result<Finished, NoGpu> {
    let (started, device) = (Instant::now(), device(case, lazy)?);
    let mut notes = Vec::new();
    if let Some(keep) = keep {
        keep::forget(&keep.folder, case);
        match keep.of {
            KeptCases::Failed => {}
            KeptCases::Suspect | KeptCases::All => {
                notes.extend(note_about_evidence(keep::keep(&keep.folder, case, device, None)));
            }
        }
    }
    let prepared = prepared.unwrap_or_else(|| interstage::prepare(case, device));
    let extent = match keep.map(|keep| keep.of) {
        Some(KeptCases::Suspect | KeptCases::All) => Extent::Whole,
        Some(KeptCases::Failed) | None => Extent::Probed,
    };
    let options = RunOptions { extent, asks_oracle };
    let mut report = run_prepared(case, prepared, device, &golden::load(case), options);
    if is_of_wgsl_file(case) {
        report.verdict = decided(report.verdict, report.oracle.as_ref());
    }
    let keeps_all = keep.is_some_and(|keep| keep.of == KeptCases::All);
    let captures = report.readback.as_ref();
    let captures = captures.map_or_else(Vec::new, |readback| digest::of(case, readback, keeps_all));
    if let Some(keep) = keep
        && (keeps_all || matches!(report.verdict, Verdict::Fail(_)))
    {
        let (shown, note) = if !lacks_images(&report) {
            (Cow::Borrowed(&report), None)
        } else if lazy.has_time_for(started.elapsed()) {
            with_images(&report, run_case(case, device, &golden::load(case)))
        } else {
            (Cow::Borrowed(&report), Some(NO_TIME))
        };
        notes = note_about_evidence(keep::keep(&keep.folder, case, device, Some(&shown)))
            .into_iter()
            .collect();
        notes.extend(note.map(str::to_owned));
    }
    Ok(Finished { notes, captures, ..finished_report(case, report) })
}

/// True for a case generated from a plain WGSL file.
fn is_of_wgsl_file(case: &Case) -> bool {
    case_file::is_wgsl(case_file::file_of(&case.name))
}

/// The verdict for a case generated from a WGSL file, which has no expectation of its own: not decided if the only
/// problem is that values are undecided, and not tested if the case left all values as they were.
fn decided(verdict: Verdict, oracle: Option<&Result<Judged, String>>) -> Verdict {
    match (verdict, oracle) {
        (Verdict::Fail(failures), Some(Ok(judged))) if failures.len() == judged.vague => {
            let Comparison { decided, undecided, .. } = judged.all;
            let all = decided + undecided;
            Verdict::Undecided(if all == 1 {
                "the only value depends on rounding or is undefined".to_owned()
            } else {
                format!("{undecided} of {all} values depend on rounding or are undefined")
            })
        }
        (Verdict::Pass, Some(Ok(judged))) if judged.coverage.is_nothing() => {
            let Coverage { invocations, words, pixels } = judged.coverage;
            let all = words.all + pixels.all;
            Verdict::Untested(format!(
                "nothing changed: {} left all {all} words and pixels as they were",
                counted(invocations, "invocation")
            ))
        }
        (verdict, _) => verdict,
    }
}

/// True if only parts of the render targets were read back.
fn lacks_images(report: &CaseReport) -> bool {
    let captures = report.readback.iter().flat_map(|readback| readback.snapshots.iter().flatten());
    let is_part =
        |snapshot: &Snapshot| matches!(snapshot, Snapshot::Image(image) if !image.is_whole());
    captures.into_iter().any(is_part)
}

/// Note if the second run for the images is left out.
const NO_TIME: &str = "no images kept: a second run for them could exceed the timeout";

/// Combines the findings of `report` with the images of another run, and notes about that run.
fn with_images(
    report: &CaseReport,
    again: CaseReport,
) -> (Cow<'_, CaseReport>, Option<&'static str>) {
    let is_same = again.verdict == report.verdict;
    let note = "the images are from a second run, which had a different result";
    let verdict = report.verdict.clone();
    (Cow::Owned(CaseReport { verdict, ..again }), (!is_same).then_some(note))
}

/// Formats a note about an attempt to keep evidence.
fn note_about_evidence(kept: anyhow::Result<Option<PathBuf>>) -> Option<String> {
    match kept {
        Ok(folder) => folder.map(|folder| format!("{}{}", evidence::NOTE, folder.display())),
        Err(error) => Some(format!("cannot keep evidence: {error:#}")),
    }
}

/// Converts a library report for the program; the caller adds time, notes and warnings.
fn finished_report(case: &Case, report: CaseReport) -> Finished {
    let oracle = report.oracle.as_ref().map(OracleCounts::from);
    let CaseReport { verdict, slots, is_in_words, varied, .. } = report;
    Finished { slots, oracle, is_in_words, varied, ..finished(&case.source, verdict) }
}

fn finished(source: &Source, verdict: Verdict) -> Finished {
    let diagnostics = match &verdict {
        Verdict::Broken(diagnostics) => diagnostic::render(source, diagnostics),
        Verdict::Pass
        | Verdict::Fail(_)
        | Verdict::Skip(_)
        | Verdict::Unsupported(_)
        | Verdict::Undecided(_)
        | Verdict::Untested(_) => String::new(),
    };
    Finished {
        verdict,
        seconds: 0.0,
        slots: Vec::new(),
        diagnostics,
        warnings: Vec::new(),
        notes: Vec::new(),
        captures: Vec::new(),
        oracle: None,
        is_in_words: false,
        varied: None,
        inputs: Vec::new(),
    }
}

/// The report of a file that could not be read.
fn unreadable(job: &Job, message: &str) -> Finished {
    let error = Diagnostic::error(None, message);
    let inputs = vec![Input::of_file(&job.file)];
    Finished { inputs, ..finished(&Source::new(&job.file, ""), Verdict::Broken(vec![error])) }
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;
    use std::time::Duration;

    use interstage::check::verdict::Failure;
    use interstage::ir::readback::Readback;

    use super::*;

    fn report(details: &str) -> CaseReport {
        let details = vec![details.to_owned()];
        let failure = Failure { line: Some(1), step: "probe".to_owned(), details };
        CaseReport {
            verdict: Verdict::Fail(vec![failure]),
            slots: Vec::new(),
            readback: Some(Readback::default()),
            oracle: None,
            is_in_words: false,
            varied: None,
        }
    }

    /// The first run decides the verdict; a second run that disagrees is reported.
    #[test]
    fn the_second_run_gives_images_and_no_verdict() {
        let first = report("one");
        let (shown, note) = with_images(&first, CaseReport { readback: None, ..report("one") });
        assert_eq!((&shown.verdict, &shown.readback, note), (&first.verdict, &None, None));
        let passed = CaseReport { verdict: Verdict::Pass, ..report("") };
        for other in [passed, report("two")] {
            let (shown, note) = with_images(&first, other);
            assert_eq!(shown.verdict, first.verdict);
            assert_eq!(
                note,
                Some("the images are from a second run, which had a different result")
            );
        }
    }

    #[test]
    fn a_case_is_not_run_into_its_time_limit_for_images() {
        let timeout = Duration::from_secs(8);
        let device = LazyDevice { selector: None, listed: None, timeout, opened: OnceLock::new() };
        assert!(device.has_time_for(Duration::from_millis(1999)));
        assert!(!device.has_time_for(Duration::from_secs(2)));
    }
}
