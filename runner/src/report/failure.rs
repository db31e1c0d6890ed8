//! The report of one failed case, as a block of text.
//!
//! ```text
//! FAIL cases/varying/flat_next_to_smooth.shader_test  vulkan:0
//!   cases/varying/flat_next_to_smooth.shader_test:31: probe rect rgba (0, 0, 64, 64) (0, 1, 0, 1)
//!     first difference at pixel (12, 7) of render target 0; 48 of 4096 pixels differ
//!   slots     0.xy <- uv    1.x <- id
//!   repeat    interstage run 'cases/varying/flat_next_to_smooth.shader_test' --adapter vulkan:0 --keep out/
//! ```

use std::fmt::Write as _;

use interstage::check::verdict::{Failure, Verdict};

use crate::files::case_file;
use crate::outcome::status::Status;
use crate::outcome::{Attempt, CaseResult, Outcome};
use crate::protocol::Adapter;
use crate::report::noise;

/// Maximum width of the slots in a line, so that it fits a terminal of 80 columns.
const SLOTS_WIDTH: usize = 66;

/// Maximum length of any line.
const LINE_WIDTH: usize = 300;

/// Maximum number of lines of driver output that are shown.
const STDERR_LINES: usize = 20;

/// Invocation of this program, for the command that repeats a case.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// The program's name or path as typed.
    pub program: String,
    /// Options that affect the results of cases, except those of the device: `--profile all`.
    pub options: Vec<String>,
}

impl Invocation {
    /// The invocation of this process.
    pub fn of_this_process() -> Self {
        let program = std::env::args().next().unwrap_or_else(|| "interstage".to_owned());
        Self { program, options: Vec::new() }
    }

    /// Returns this invocation with these options.
    #[must_use]
    pub fn with(self, options: Vec<String>) -> Self {
        Self { options, ..self }
    }

    /// A shell command that repeats one case.
    pub fn repeat_result(&self, result: &CaseResult, adapter: Option<&Adapter>) -> String {
        let case = format!("{}{}", result.file, case_file::parameters_of(&result.name));
        let plain = |char: char| char.is_ascii_alphanumeric() || "/._-".contains(char);
        let is_plain = !self.program.is_empty() && self.program.chars().all(plain);
        let program = if is_plain { self.program.clone() } else { quoted(&self.program) };
        // A path that begins with a dash would be read as an option.
        let case = if case.starts_with('-') { format!("./{case}") } else { case };
        let device = adapter
            .map(|adapter| [format!("--adapter {}", adapter.selector()), adapter.options.clone()]);
        let keep = if result.status == Status::Fail { "--keep out/" } else { "" };
        let timeout = result.outcome.limit();
        let timeout = timeout.map_or_else(String::new, |limit| format!("--timeout {limit}"));
        let options =
            device.into_iter().flatten().chain([timeout]).chain(self.options.iter().cloned());
        let words = [format!("{program} run {}", quoted(&case))].into_iter().chain(options);
        let words = words.chain([keep.to_owned()]).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join(" ")
    }
}

/// Formats the report of a failed case.
pub fn draw(result: &CaseResult, adapter: Option<&Adapter>, invocation: &Invocation) -> String {
    let place = adapter.map_or_else(String::new, |adapter| format!("  {}", adapter.selector()));
    let mut text = format!("{} {}{place}\n", result.status.heading(), visible(&result.name));
    draw_outcome(&mut text, result);
    let late = result.reason().filter(|_| result.outcome.reason().is_none());
    if let Some(late) = &late {
        push_indented(&mut text, 2, late);
    }
    let is_told = |attempt: &&Attempt| late.is_some() && attempt.outcome.limit().is_some();
    for attempt in result.other_attempts().filter(|attempt| !is_told(attempt)) {
        let reason = attempt.outcome.reason().unwrap_or_default();
        let first = reason.lines().next().unwrap_or_default();
        push_field(&mut text, "before", first);
        if attempt.stderr != result.stderr {
            draw_stderr(&mut text, &attempt.stderr);
        }
    }
    if let Some(known) = &result.known {
        push_field(&mut text, "known", known);
    }
    for warning in &result.warnings {
        push_indented(&mut text, 2, warning);
    }
    draw_slots(&mut text, &result.slots);
    draw_stderr(&mut text, &result.stderr);
    for note in &result.notes {
        push_field(&mut text, "note", note);
    }
    push_field(&mut text, "repeat", &invocation.repeat_result(result, adapter));
    text
}

fn draw_outcome(text: &mut String, result: &CaseResult) {
    match &result.outcome {
        Outcome::Finished(verdict) => match verdict {
            Verdict::Pass => {}
            Verdict::Fail(failures) => {
                for failure in failures {
                    draw_failure(text, &result.file, failure);
                }
            }
            Verdict::Skip(reason)
            | Verdict::Unsupported(reason)
            | Verdict::Undecided(reason)
            | Verdict::Untested(reason) => push_indented(text, 2, reason),
            Verdict::Broken(_) => push_indented(text, 2, result.diagnostics.trim_end()),
        },
        other @ (Outcome::NoAdapter
        | Outcome::NoDevice(_)
        | Outcome::DeviceLost(_)
        | Outcome::Panicked(_)
        | Outcome::Crashed { .. }
        | Outcome::OutOfMemory { .. }
        | Outcome::TimedOut { .. }) => {
            push_indented(text, 2, &other.reason().unwrap_or_default());
        }
    }
}

fn draw_failure(text: &mut String, file: &str, failure: &Failure) {
    let line = failure.line.map_or(String::new(), |line| format!(":{line}"));
    push_indented(text, 2, &format!("{file}{line}: {}", failure.step));
    failure.details.iter().for_each(|detail| push_indented(text, 4, detail));
}

fn draw_slots(text: &mut String, slots: &[String]) {
    let mut line = String::new();
    for slot in slots {
        if !line.is_empty() && line.len() + slot.len() > SLOTS_WIDTH {
            push_field(text, "slots", &line);
            line.clear();
        }
        let gap = if line.is_empty() { "" } else { "    " };
        line.push_str(gap);
        line.push_str(slot);
    }
    if !line.is_empty() {
        push_field(text, "slots", &line);
    }
}

fn draw_stderr(text: &mut String, stderr: &str) {
    let lines: Vec<_> = stderr.lines().filter(|line| !noise::is_harmless(line)).collect();
    for line in lines.iter().skip(lines.len().saturating_sub(STDERR_LINES)) {
        push_field(text, "printed", line);
    }
}

fn push_field(text: &mut String, name: &str, value: &str) {
    let _ = writeln!(text, "  {name:<9} {}", visible(value));
}

fn push_indented(text: &mut String, indent: usize, lines: &str) {
    for line in lines.lines() {
        let _ = writeln!(text, "{}", format!("{:indent$}{}", "", visible(line)).trim_end());
    }
}

/// Removes control characters, which must not reach the terminal, and limits the length.
fn visible(line: &str) -> String {
    let safe = |char: char| if char.is_control() && char != '\t' { '\u{fffd}' } else { char };
    let mut text: String = line.chars().take(LINE_WIDTH).map(safe).collect();
    if line.chars().nth(LINE_WIDTH).is_some() {
        text.push('…');
    }
    text
}

/// Quotes a word for a POSIX shell.
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use interstage::ir::backend::Backend;

    use super::*;

    fn result(outcome: Outcome) -> CaseResult {
        CaseResult::bare("cases/varying/it's.shader_test#n=2", outcome, 0.0, String::new())
    }

    #[track_caller]
    fn check(result: &CaseResult, expected: Expect) {
        let adapter = Adapter {
            backend: Backend::Vulkan.into(),
            index: 0,
            name: "llvmpipe".to_owned(),
            title: "vulkan · llvmpipe · Mesa 22.3.6".to_owned(),
            is_hardware: false,
            bus: String::new(),
            extensions: String::new(),
            options: String::new(),
            unvalidated: None,
        };
        let invocation = Invocation { program: "interstage".to_owned(), options: Vec::new() };
        expected.assert_eq(&draw(result, Some(&adapter), &invocation));
    }

    #[test]
    fn a_failure_shows_place_difference_slots_and_how_to_repeat_it() {
        let failure = Failure {
            line: Some(31),
            step: "probe all rgba 0 1 0 1".to_owned(),
            details: vec!["expected  0 1 0 1".to_owned(), "actual    0 0 0 1".to_owned()],
        };
        let slots = vec!["0.xy <- uv".to_owned(), "1.x <- id".to_owned()];
        let failed =
            CaseResult { slots, ..result(Outcome::Finished(Verdict::Fail(vec![failure]))) };
        check(
            &failed,
            expect![[r#"
                FAIL cases/varying/it's.shader_test#n=2  vulkan:0
                  cases/varying/it's.shader_test:31: probe all rgba 0 1 0 1
                    expected  0 1 0 1
                    actual    0 0 0 1
                  slots     0.xy <- uv    1.x <- id
                  repeat    interstage run 'cases/varying/it'\''s.shader_test#n=2' --adapter vulkan:0 --keep out/
            "#]],
        );
    }

    #[test]
    fn what_drivers_always_print_is_left_out() {
        let printed = "\
            Mesa 22.3.6 implementation error: Trying to enable unknown extension: EXT_color_buffer_float\n\
            Please report at https://gitlab.freedesktop.org/mesa/mesa/-/issues\n\
            error: XDG_RUNTIME_DIR is invalid or not set in the environment.\n\
            Mesa 22.3.6 implementation error: out of ideas\n";
        let failed = Outcome::Finished(Verdict::Fail(Vec::new()));
        check(
            &CaseResult { stderr: printed.to_owned(), ..result(failed) },
            expect![[r#"
                FAIL cases/varying/it's.shader_test#n=2  vulkan:0
                  printed   Mesa 22.3.6 implementation error: out of ideas
                  repeat    interstage run 'cases/varying/it'\''s.shader_test#n=2' --adapter vulkan:0 --keep out/
            "#]],
        );
    }

    #[test]
    fn a_dead_worker_leaves_its_status_and_last_words() {
        let crashed = Outcome::Crashed { status: "signal: 11 (SIGSEGV)".to_owned() };
        check(
            &CaseResult {
                stderr: "LLVM ERROR: \x1b[31mout of registers\n".to_owned(),
                ..result(crashed)
            },
            expect![[r#"
                CRASH cases/varying/it's.shader_test#n=2  vulkan:0
                  the worker process ended: signal: 11 (SIGSEGV)
                  printed   LLVM ERROR: �[31mout of registers
                  repeat    interstage run 'cases/varying/it'\''s.shader_test#n=2' --adapter vulkan:0
            "#]],
        );
    }

    #[test]
    fn a_slow_case_is_told_from_one_that_hung() {
        let slow = |seconds: f32| {
            let earlier = result(Outcome::TimedOut { seconds: 60.0 }).into_attempt();
            let crashed =
                result(Outcome::Crashed { status: "signal: 6".to_owned() }).into_attempt();
            let passed = result(Outcome::Finished(Verdict::Pass));
            let (status, attempts) = if seconds > 15.0 {
                (Status::Slow, vec![earlier])
            } else {
                (Status::Flake, vec![crashed, earlier])
            };
            CaseResult { status, attempts, seconds, ..passed }
        };
        check(
            &slow(49.0),
            expect![[r#"
                SLOW cases/varying/it's.shader_test#n=2  vulkan:0
                  timed out at 60 s; 49.0 s when run again alone
                  repeat    interstage run 'cases/varying/it'\''s.shader_test#n=2' --adapter vulkan:0
            "#]],
        );
        check(
            &slow(0.3),
            expect![[r#"
                FLAKE cases/varying/it's.shader_test#n=2  vulkan:0
                  hung: no result within 60 s; 0.3 s when run again alone
                  before    the worker process ended: signal: 6
                  repeat    interstage run 'cases/varying/it'\''s.shader_test#n=2' --adapter vulkan:0
            "#]],
        );
    }

    #[test]
    fn many_slots_take_several_lines() {
        let slots = (0..16).map(|slot| format!("{slot}.xyzw <- varying_{slot}")).collect();
        let timed_out = result(Outcome::TimedOut { seconds: 60.0 });
        let drawn = draw(
            &CaseResult { slots, ..timed_out },
            None,
            &Invocation { program: "a b".to_owned(), options: Vec::new() },
        );
        assert!(drawn.lines().all(|line| line.chars().count() <= 120), "{drawn}");
        assert_eq!(drawn.matches("varying_").count(), 16, "{drawn}");
        assert!(drawn.contains("'a b' run "), "{drawn}");
        assert!(drawn.ends_with(".shader_test#n=2' --timeout 60\n"), "{drawn}");
    }
}
