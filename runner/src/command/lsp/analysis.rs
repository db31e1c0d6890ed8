//! The analysis of one version of a document: what a run finds before it executes, and the names.

use std::panic::{AssertUnwindSafe, catch_unwind};

use gen_lsp_types::{Diagnostic, DiagnosticSeverity, Uri};
use interstage::case::parse::CaseError;
use interstage::case::{Case, ExpectedOutcome, ExpectedStatus};
use interstage::device::Device;
use interstage::diagnosis::{Finding, diagnose};

use super::findings::Findings;
use super::names::Names;
use super::origin::Origin;
use super::position::Text;
use crate::files::case_file::{self, Loaded};

/// Number of cases of a file that are compiled.
const MAX_CASES: usize = 256;

/// Number of cases from which on the messages about the first one do not wait for the others.
const MANY_CASES: usize = 8;

/// A version of a document.
#[derive(Clone, Debug)]
pub(super) struct Job {
    /// The document.
    pub(super) uri: Uri,
    /// Path of its file.
    pub(super) path: String,
    /// Number that a later version exceeds.
    pub(super) generation: u64,
    /// The text.
    pub(super) text: Text,
}

/// The results.
#[derive(Clone, Debug, Default)]
pub(super) struct Analysis {
    /// Messages.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Names.
    pub(super) names: Names,
    /// The cases of the file: their parameters with `#`, or the empty text for a file without parameters.
    pub(super) cases: Vec<String>,
}

/// Progress of an analysis.
#[derive(Clone, Copy)]
pub(super) struct Course<'a> {
    /// True if the results are not wanted any more.
    pub(super) is_stale: &'a dyn Fn() -> bool,
    /// Called with the messages about the first of many cases.
    pub(super) early: &'a dyn Fn(Vec<Diagnostic>),
}

/// Analyses a document with `device`. Returns `None` if it became stale.
pub(super) fn analyse(job: &Job, device: &Device, course: Course<'_>) -> Option<Analysis> {
    guarded(job, || examine(job, device, course))
}

/// Runs `work`, and turns a panic into a message.
fn guarded(job: &Job, work: impl FnOnce() -> Option<Analysis>) -> Option<Analysis> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let origin = Origin::new(job.text.as_str());
        let mut findings = Findings::new(&job.text, &origin);
        let message = "interstage panicked, which is a bug; see the server's stderr";
        findings.add_whole(DiagnosticSeverity::Error, message.to_owned());
        let diagnostics = findings.finish(&job.uri, &[]);
        Some(Analysis { diagnostics, ..Analysis::default() })
    })
}

fn examine(job: &Job, device: &Device, course: Course<'_>) -> Option<Analysis> {
    let origin = Origin::new(job.text.as_str());
    let mut findings = Findings::new(&job.text, &origin);
    let unread = match case_file::split_at(&job.path, job.text.as_str().as_bytes()) {
        Ok(unread) => unread,
        Err(error) => {
            findings.add_whole(DiagnosticSeverity::Error, error.to_string());
            let diagnostics = findings.finish(&job.uri, &[]);
            return Some(Analysis { diagnostics, ..Analysis::default() });
        }
    };
    let suffixes = unread.iter().map(|case| case_file::parameters_of(&case.name).to_owned());
    let suffixes: Vec<String> = suffixes.collect();
    let mut names = Names::default();
    for (number, case) in unread.iter().take(MAX_CASES).enumerate() {
        if (course.is_stale)() {
            return None;
        }
        if number == 1 && unread.len() >= MANY_CASES {
            (course.early)(findings.clone().finish(&job.uri, &suffixes[..1]));
        }
        findings.begin(number);
        let loaded = case_file::supplied(&job.path, case);
        let mut examined = Examined { job, findings: &mut findings, names: &mut names };
        examined.add(&loaded, &suffixes[number], device, &origin);
    }
    if unread.len() > MAX_CASES {
        let (count, all) = (MAX_CASES, unread.len());
        let message =
            format!("only the first {count} of {all} cases are compiled here; a run has all");
        findings.add_whole(DiagnosticSeverity::Information, message);
    }
    let told: &[String] =
        if suffixes.len() > MAX_CASES { &suffixes[..MAX_CASES] } else { &suffixes };
    let diagnostics = findings.finish(&job.uri, told);
    Some(Analysis { diagnostics, names, cases: suffixes })
}

/// Results of the analysis of a document's cases.
struct Examined<'a, 'b> {
    job: &'a Job,
    findings: &'a mut Findings<'b>,
    names: &'a mut Names,
}

impl Examined<'_, '_> {
    fn add(&mut self, loaded: &Loaded, suffix: &str, device: &Device, origin: &Origin<'_>) {
        let parsed = &loaded.parsed;
        // A case of a WGSL file has a text of its own, whose lines are not those of the file.
        let is_own = parsed.source.path() == self.job.path;
        let none = Names::default();
        match &parsed.result {
            Err(CaseError::Broken(errors)) if is_own => {
                for error in errors {
                    self.findings.add_diagnostic(&parsed.source, error, &none);
                }
            }
            Err(CaseError::Broken(errors)) => {
                let told = errors
                    .iter()
                    .map(|error| interstage::ir::diagnostic::one_line(&parsed.source, error));
                let told = told.collect::<Vec<_>>().join("\n");
                self.findings.add_whole(DiagnosticSeverity::Error, told);
            }
            Err(CaseError::Unsupported { word, span }) => {
                let reason = format!("unsupported by interstage: {word}");
                let finding = Finding::Unjudged { reason, span: Some(*span) };
                self.findings.add_finding(&parsed.source, &finding, &none);
            }
            Err(CaseError::Excluded { reason }) => {
                let reason = format!("excluded: {reason}");
                self.findings.add_whole(DiagnosticSeverity::Information, reason);
            }
            Ok(_) if !is_own => {}
            Ok(case) => {
                for warning in &case.warnings {
                    self.findings.add_diagnostic(&case.source, warning, &none);
                }
                let diagnosis = diagnose(case, device);
                if let Some(compiled) = &diagnosis.compiled {
                    self.names.add_stages(compiled, &case.source, origin);
                }
                self.names.add_programs(&diagnosis.programs, suffix);
                let expected = expected(case, &diagnosis.findings, device);
                for finding in &diagnosis.findings {
                    match &expected {
                        Some(reason) => self.findings.add_expected(&case.source, finding, reason),
                        None => self.findings.add_finding(&case.source, finding, self.names),
                    }
                }
            }
        }
    }
}

/// The reason in `[expect]` for the findings about a case on `device`.
fn expected(case: &Case, findings: &[Finding], device: &Device) -> Option<String> {
    let messages = findings.iter().map(|finding| match finding {
        Finding::Error(error) => error.message.clone(),
        Finding::Failure(failure) => failure.details.join("\n"),
        Finding::Unjudged { .. } => String::new(),
    });
    let message = messages.collect::<Vec<_>>().join("\n");
    let title = device.info().to_string();
    let is_it = |line: &&ExpectedOutcome| {
        line.status == ExpectedStatus::Fail
            && line.adapter.fits(Some(&title))
            && line.symptom.as_ref().is_none_or(|symptom| message.contains(symptom))
    };
    case.expected.iter().find(is_it).map(|line| line.reason.clone())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::super::position::Encoding;
    use super::*;

    fn job(path: &str, text: &str) -> Job {
        let text = Text::new(text.to_owned(), Encoding::Utf16);
        Job { uri: format!("file:///{path}").into(), path: path.to_owned(), generation: 1, text }
    }

    /// The results for a text, and the messages about its first case.
    fn analysed(text: &str) -> (Analysis, Vec<Diagnostic>) {
        let device = Device::open("cpu").expect("the executor is always there");
        let first = RefCell::default();
        let early = |told| drop(first.replace(told));
        let course = Course { is_stale: &|| false, early: &early };
        let analysis = analyse(&job("cases/a.shader_test", text), &device, course);
        (analysis.expect("it is not stale"), first.into_inner())
    }

    fn shown(analysis: &Analysis) -> Vec<String> {
        let show = |told: &Diagnostic| {
            let gen_lsp_types::Message::String(message) = &told.message else {
                return "another form".to_owned();
            };
            let (start, end) = (told.range.start, told.range.end);
            format!("{}:{}-{}:{} {message}", start.line, start.character, end.line, end.character)
        };
        analysis.diagnostics.iter().map(show).collect()
    }

    #[test]
    fn a_panic_is_a_message() {
        let told = guarded(&job("a", "[test]\n"), || panic!("a test of the guard"));
        let told = shown(&told.expect("there is a message"));
        assert_eq!(told, ["0:0-0:6 interstage panicked, which is a bug; see the server's stderr"]);
    }

    #[test]
    fn a_message_of_several_cases_is_given_once() {
        let text = "[parameters]\nn = 1 2 3\n[test]\nlink ${n}\nclear ${n}\n";
        let found = shown(&analysed(text).0);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found[0].starts_with("3:5-3:9 expected `success` or `error`, found `1`"),
            "{found:?}"
        );
        let text = "[parameters]\nn = 1 2 3\n[vertex shader passthrough]\n[test]\n@for i in 1..n\nlik success ${n}\n@end\nlink success\n";
        let found = shown(&analysed(text).0);
        assert!(found[0].ends_with("\nin `#n=2`, `#n=3`"), "{found:?}");
    }

    #[test]
    fn messages_about_the_first_of_many_cases_are_early() {
        let text = "[parameters]\nn = 1..8\n[test]\nlink ${n}\n";
        let (all, first) = analysed(text);
        let first = Analysis { diagnostics: first, ..Analysis::default() };
        assert_eq!(shown(&first), shown(&all));
        assert_eq!(shown(&all).len(), 1);
        assert_eq!(analysed(&text.replace("1..8", "1..7")).1, []);
    }

    #[test]
    fn a_stale_job_ends() {
        let device = Device::open("cpu").expect("the executor is always there");
        let course = Course { is_stale: &|| true, early: &drop };
        let stale = analyse(&job("cases/a.shader_test", "[test]\n"), &device, course);
        assert!(stale.is_none());
    }
}
