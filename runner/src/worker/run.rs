//! Runs one job inside the worker.

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Instant;

use interstage::case::parse::{CaseError, ParsedCase};
use interstage::case::{Case, ProfileChoice};
use interstage::diagnostic::{self, Diagnostic};
use interstage::gpu::Gpu;
use interstage::source::{Source, Span};
use interstage::verdict::Verdict;
use interstage::{CaseReport, needs_gpu, run_case, would_run};

use crate::args::Emulated;
use crate::case_file;
use crate::golden;
use crate::protocol::{Answer, Finished, Job, Keep, KeptCases, Purpose};
use crate::worker::{LazyGpu, NoGpu, bless, census, digest, keep};

/// The file that was parsed last: the cases of one file mostly come one after the other.
#[derive(Debug, Default)]
pub struct LastFile {
    path: Option<String>,
    cases: Vec<ParsedCase>,
}

/// Runs a job.
pub fn run(job: &Job, gpu: &mut LazyGpu, last_file: &mut LastFile) -> Answer {
    let started = Instant::now();
    let result = match last_file.find(job) {
        Ok(parsed) => run_parsed(job, parsed, gpu),
        Err(message) => Ok(unreadable(job, &message)),
    };
    match result {
        Ok(finished) => {
            Answer::Finished(Finished { seconds: started.elapsed().as_secs_f32(), ..finished })
        }
        Err(no_gpu) => Answer::from(no_gpu),
    }
}

impl LastFile {
    fn find(&mut self, job: &Job) -> Result<&ParsedCase, String> {
        if self.path.as_ref() != Some(&job.file) {
            self.path = None;
            self.cases = case_file::load(&job.file)?;
            self.path = Some(job.file.clone());
        }
        let found = self.cases.iter().find(|case| case.name == job.name);
        found.ok_or_else(|| "the file was changed during the run".to_owned())
    }
}

/// Runs a parsed case. The error is why it lacks a device.
fn run_parsed(job: &Job, parsed: &ParsedCase, gpu: &mut LazyGpu) -> Result<Finished, NoGpu> {
    let case = match &parsed.result {
        Ok(case) => case,
        Err(CaseError::Broken(diagnostics)) => {
            return Ok(finished(&parsed.source, Verdict::Broken(diagnostics.clone())));
        }
        Err(CaseError::Unsupported { word, span }) => {
            let is_census = job.purpose == Purpose::Census;
            let kind = is_census.then(|| census::kind_at(&parsed.source, *span));
            let word = kind.map_or_else(|| word.clone(), |kind| format!("{kind}: {word}"));
            return Ok(finished(&parsed.source, Verdict::Unsupported(word)));
        }
    };
    let mut result = match &job.purpose {
        Purpose::Check { keep, profile, emulated } => {
            let case = under_profile(case, profile.as_deref());
            match emulating(case, *emulated) {
                Ok(case) => check(&case, device(&case, gpu)?, keep.as_ref()),
                Err(skip) => finished(&parsed.source, skip),
            }
        }
        Purpose::WouldSkip => finished(&case.source, would_run(case, device(case, gpu)?)),
        Purpose::Census => finished(&case.source, census::compile_and_link(case)),
        Purpose::Bless => bless::bless(case, device(case, gpu)?),
    };
    let warnings = case.warnings.iter().map(|warning| diagnostic::one_line(&case.source, warning));
    result.warnings = warnings.collect();
    Ok(result)
}

/// The device, for a case that needs one.
fn device<'a>(case: &Case, gpu: &'a mut LazyGpu) -> Result<Option<&'a Gpu>, NoGpu> {
    if needs_gpu(case) { gpu.get().map(Some) } else { Ok(None) }
}

/// The case under the profile of the command line, unless it names one of its own.
fn under_profile<'a>(case: &'a Case, profile: Option<&str>) -> Cow<'a, Case> {
    let choice = profile.and_then(ProfileChoice::of_name);
    if choice.is_none() || case.link.profile.is_some() {
        return Cow::Borrowed(case);
    }
    let mut case = case.clone();
    case.link.profile = choice;
    Cow::Owned(case)
}

/// The case without what the command line wants emulated.
fn emulating(case: Cow<'_, Case>, emulated: Option<Emulated>) -> Result<Cow<'_, Case>, Verdict> {
    let mut case = match emulated {
        None => return Ok(case),
        Some(Emulated::Clip) => case.into_owned(),
    };
    if case.emulate_clip() {
        return Ok(Cow::Owned(case));
    }
    Err(Verdict::Skip("slots are expected, and emulated clip distances take some".to_owned()))
}

fn check(case: &Case, gpu: Option<&Gpu>, keep: Option<&Keep>) -> Finished {
    let mut notes = Vec::new();
    if let Some(keep) = keep {
        keep::forget(&keep.folder, case);
        match keep.of {
            KeptCases::Failed => {}
            KeptCases::Suspect | KeptCases::All => {
                notes.extend(told(keep::keep(&keep.folder, case, gpu, None)));
            }
        }
    }
    let report = run_case(case, gpu, &golden::load(case));
    let captures = report.readback.as_ref().map_or_else(Vec::new, |it| digest::of(case, it));
    if let Some(keep) = keep
        && (keep.of == KeptCases::All || matches!(report.verdict, Verdict::Fail(_)))
    {
        notes = told(keep::keep(&keep.folder, case, gpu, Some(&report))).into_iter().collect();
    }
    Finished { notes, captures, ..finished_report(case, report) }
}

/// What became of an attempt to keep something.
fn told(kept: anyhow::Result<Option<PathBuf>>) -> Option<String> {
    match kept {
        Ok(folder) => folder.map(|folder| format!("{}{}", keep::NOTE, folder.display())),
        Err(error) => Some(format!("nothing kept: {error:#}")),
    }
}

/// What the program hears of a library report; time, notes and warnings are added by others.
pub fn finished_report(case: &Case, report: CaseReport) -> Finished {
    Finished { slots: report.slots, ..finished(&case.source, report.verdict) }
}

fn finished(source: &Source, verdict: Verdict) -> Finished {
    let diagnostics = match &verdict {
        Verdict::Broken(diagnostics) => diagnostic::render(source, diagnostics),
        Verdict::Pass | Verdict::Fail(_) | Verdict::Skip(_) | Verdict::Unsupported(_) => {
            String::new()
        }
    };
    Finished {
        verdict,
        seconds: 0.0,
        slots: Vec::new(),
        diagnostics,
        warnings: Vec::new(),
        notes: Vec::new(),
        captures: Vec::new(),
    }
}

/// A file whose text nobody could read: the one error without a place.
fn unreadable(job: &Job, message: &str) -> Finished {
    let error = Diagnostic::error(Span::default(), message);
    let diagnostics = format!("error: {}: {message}\n", job.file);
    Finished { diagnostics, ..finished(&Source::new(&job.file, ""), Verdict::Broken(vec![error])) }
}
