//! `junit.xml`: a test suite per adapter, in the form that GitLab and GitHub's `JUnit` actions read.
//!
//! Both identify a test across runs by `classname` and `name`, so neither contains the adapter. GitLab shows `file`,
//! and GitHub's actions annotate `file` and `line`. A failed case is a `<failure>`. A case that crashed its process or
//! could not be read is an `<error>`. A case that was not run or is a known failure is `<skipped>`. A flake has passed,
//! with its earlier attempts as `<flakyFailure>`.

use std::time::Duration;

use quick_junit::{
    NonSuccessKind, Report, TestCase, TestCaseStatus, TestRerun, TestSuite, XmlString,
};

use crate::files::case_file;
use crate::outcome::status::Status;
use crate::report::json::{CaseRecord, Results};

/// Maximum length of any quoted text: GitLab rejects files of more than 30 MB.
const MAX_TEXT: usize = 4_000;

/// The file's text.
pub fn draw(results: &[Results]) -> String {
    let mut report = Report::new("interstage");
    report.add_test_suites(results.iter().map(suite));
    let text = report.to_string().expect("every string was made fit for XML");
    text.chars().filter(|char| is_of_xml(*char)).collect()
}

/// True for the characters that an XML 1.0 document may contain (production 2, `Char`).
const fn is_of_xml(char: char) -> bool {
    matches!(char, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

fn suite(results: &Results) -> TestSuite {
    let adapter = results.adapter.as_ref();
    let name = adapter.map_or("without an adapter", |adapter| adapter.selector.as_str());
    let mut suite = TestSuite::new(name);
    if let Some(adapter) = adapter {
        suite.add_property(("adapter", adapter.title.as_str()));
    }
    suite.add_property(("interstage", results.interstage.as_str()));
    // JUnit has no word for known failures, which are `skipped` here, nor for flakes, which have passed.
    for (class, count) in results.counts.named() {
        suite.add_property((class.word(), count.to_string().as_str()));
    }
    suite.add_test_cases(results.cases.iter().map(test_case));
    let seconds: f32 = results.cases.iter().map(|case| case.seconds).sum();
    suite.set_time(duration(seconds));
    suite
}

fn test_case(case: &CaseRecord) -> TestCase {
    let file = case_file::file_of(&case.name);
    let folder = file.rsplit_once('/').map_or("interstage", |(folder, _)| folder);
    let mut test = TestCase::new(case.name.as_str(), status(case));
    test.set_classname(folder.replace('/', "."));
    test.set_time(duration(case.seconds));
    test.extra.insert(XmlString::new("file"), XmlString::new(file));
    if let Some(line) = case.failures.iter().find_map(|failure| failure.line) {
        test.extra.insert(XmlString::new("line"), XmlString::new(line.to_string()));
    }
    if !case.repeat.is_empty() {
        test.set_system_out(format!("repeat: {}", case.repeat));
    }
    if case.kind.is_failure() && !case.stderr.is_empty() {
        test.set_system_err(short_text(&case.stderr));
    }
    test
}

fn status(case: &CaseRecord) -> TestCaseStatus {
    let mut status = match case.kind {
        Status::Pass | Status::Flake | Status::Slow => TestCaseStatus::success(),
        Status::Skip
        | Status::Unsupported
        | Status::Undecided
        | Status::Untested
        | Status::NoAdapter
        | Status::KnownFlake
        | Status::ExpectedFail => TestCaseStatus::skipped(),
        Status::Fail | Status::ImprovedToPass | Status::ImprovedToSkip | Status::ImprovedToFail => {
            TestCaseStatus::non_success(NonSuccessKind::Failure)
        }
        Status::Broken | Status::NoDevice | Status::Crash | Status::Timeout => {
            TestCaseStatus::non_success(NonSuccessKind::Error)
        }
    };
    let details = details(case);
    // An attribute can only hold one line.
    let message = case.known.as_deref().or(details.lines().next()).unwrap_or_default();
    match &mut status {
        TestCaseStatus::Success { .. } => {}
        TestCaseStatus::NonSuccess { .. } | TestCaseStatus::Skipped { .. } => {
            status.set_type(word(case)).set_message(short_text(message));
        }
    }
    if case.kind.is_failure() {
        status.set_description(short_text(&details));
    }
    // In this format, only a case that was repeated and passed is a flake.
    if matches!(case.kind, Status::Flake | Status::Slow) {
        status.add_reruns(case.attempts.iter().map(|attempt| {
            let mut rerun = TestRerun::new(NonSuccessKind::Failure);
            let reason = short_text(attempt.reason.as_deref().unwrap_or_default());
            rerun.set_time(duration(attempt.seconds)).set_message(reason);
            rerun.set_type(attempt.kind.csv_word());
            rerun
        }));
    }
    status
}

/// The word for the type of a test: that of `results.csv`, except for cases that ran and tell nothing.
fn word(case: &CaseRecord) -> &str {
    match case.kind {
        Status::Undecided => "Undecided",
        Status::Untested => "Untested",
        Status::Pass
        | Status::Fail
        | Status::Skip
        | Status::Unsupported
        | Status::Broken
        | Status::NoAdapter
        | Status::NoDevice
        | Status::Crash
        | Status::Timeout
        | Status::Flake
        | Status::Slow
        | Status::KnownFlake
        | Status::ExpectedFail
        | Status::ImprovedToPass
        | Status::ImprovedToSkip
        | Status::ImprovedToFail => &case.status,
    }
}

/// Formats all failures as text.
fn details(case: &CaseRecord) -> String {
    if case.failures.is_empty() {
        let reason = case.reason.clone().unwrap_or_default();
        return if case.diagnostics.is_empty() { reason } else { case.diagnostics.clone() };
    }
    let lines = case.failures.iter().flat_map(|failure| {
        let details = failure.details.iter().map(|detail| format!("  {detail}"));
        std::iter::once(failure.to_string()).chain(details)
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn short_text(text: &str) -> String {
    let mut short: String = text.chars().take(MAX_TEXT).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

fn duration(seconds: f32) -> Duration {
    Duration::try_from_secs_f32(seconds).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use interstage::check::verdict::{Failure, Verdict};

    use super::*;
    use crate::outcome::{CaseResult, Outcome};

    #[track_caller]
    fn check(name: &str, outcome: Outcome, expected: Expect) {
        let result = CaseResult::bare(name, outcome, 0.5, "\u{1b}[31mred & <b>\0\n".to_owned());
        let text = draw(&[Results::new(None, vec![CaseRecord::from(&result)])]);
        let at = text.find("<testcase").expect("a test case");
        let end = text.find("    </testsuite>").expect("the end of the suite");
        expected.assert_eq(&text[at..end]);
    }

    #[test]
    fn everything_is_escaped_and_what_xml_cannot_hold_is_left_out() {
        let details = vec!["expected  ]]> & \"1\"".to_owned()];
        let failure = Failure { line: Some(3), step: "probe <\u{0}\u{8}>".to_owned(), details };
        check(
            "cases/a & b/it's \"<é>\".shader_test#n=1,m=2",
            Outcome::Finished(Verdict::Fail(vec![failure])),
            expect![[r#"
                <testcase name="cases/a &amp; b/it&apos;s &quot;&lt;é&gt;&quot;.shader_test#n=1,m=2" classname="cases.a &amp; b" time="0.500" file="cases/a &amp; b/it&apos;s &quot;&lt;é&gt;&quot;.shader_test" line="3">
                            <failure message="line 3: probe &lt;&gt;" type="Fail">line 3: probe &lt;&gt;
                  expected  ]]&gt; &amp; &quot;1&quot;</failure>
                            <system-err>red &amp; &lt;b&gt;</system-err>
                        </testcase>
            "#]],
        );
    }

    /// Name, message and driver output contain the first characters and those around every limit of XML's `Char`.
    #[test]
    fn no_character_makes_the_file_ill_formed() {
        let around = ['\u{d000}'..='\u{e100}', '\u{fe00}'..='\u{10100}', '\u{1ff00}'..='\u{20100}'];
        let all = ('\0'..='\u{800}').chain(around.into_iter().flatten());
        let all = all.chain('\u{10ff00}'..=char::MAX);
        for chunk in all.collect::<Vec<_>>().chunks(MAX_TEXT / 2) {
            let text: String = chunk.iter().collect();
            let failure = Failure { line: None, step: text.clone(), details: vec![text.clone()] };
            let outcome = Outcome::Finished(Verdict::Fail(vec![failure]));
            let result = CaseResult::bare(&text, outcome, 0.5, text.clone());
            let drawn = draw(&[Results::new(None, vec![CaseRecord::from(&result)])]);
            let wrong = drawn.chars().find(|char| {
                let is_control = *char < ' ' && !['\t', '\n', '\r'].contains(char);
                is_control || *char == '\u{fffe}' || *char == '\u{ffff}'
            });
            assert_eq!(wrong, None);
            let last = chunk[chunk.len() - 1];
            assert!(drawn.contains(last) || (0xfffe..=0xffff).contains(&u32::from(last)));
        }
    }

    #[test]
    fn a_lost_process_is_an_error_and_a_skip_is_skipped() {
        let crashed = Outcome::Crashed { status: "signal: 11 (SIGSEGV)".to_owned() };
        check(
            "cases/v/a.shader_test",
            crashed,
            expect![[r#"
                <testcase name="cases/v/a.shader_test" classname="cases.v" time="0.500" file="cases/v/a.shader_test">
                            <error message="the worker process ended: signal: 11 (SIGSEGV)" type="Crash">the worker process ended: signal: 11 (SIGSEGV)</error>
                            <system-err>red &amp; &lt;b&gt;</system-err>
                        </testcase>
            "#]],
        );
        let skipped = Outcome::Finished(Verdict::Skip("needs GL 4.6".to_owned()));
        check(
            "a.shader_test",
            skipped,
            expect![[r#"
                <testcase name="a.shader_test" classname="interstage" time="0.500" file="a.shader_test">
                            <skipped message="needs GL 4.6" type="Skip"/>
                        </testcase>
            "#]],
        );
        check(
            "a.shader_test",
            Outcome::Finished(Verdict::Pass),
            expect![[r#"
                <testcase name="a.shader_test" classname="interstage" time="0.500" file="a.shader_test"/>
            "#]],
        );
    }
}
