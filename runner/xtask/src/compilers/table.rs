//! Counts of the results through one compiler, and the table of all compilers.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::known::{Failure, Known};

/// Outcome of a case that ran through a compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    Passed,
    /// The compiler ended with an error.
    Refused,
    /// It crashed, did not end, wrote nothing, or did not start.
    Ended,
    /// It wrote invalid SPIR-V.
    Invalid,
    /// It changed the interface of a stage.
    Interface,
    /// A value is wrong, and right without the compiler.
    Value,
    /// A value is wrong, and the compiler is not blamed.
    NotBlamed,
    /// naga does not write the stage in the language that the compiler reads.
    NotWritten,
    /// Skipped for another reason.
    Skipped,
    /// Anything else, such as a crash of the driver.
    Other,
}

/// The classes in the order of the table's columns.
const COLUMNS: [(Class, &str); 10] = [
    (Class::Passed, "passed"),
    (Class::Refused, "refused"),
    (Class::Ended, "crashed, hung, no result"),
    (Class::Invalid, "invalid"),
    (Class::Interface, "changed interface"),
    (Class::Value, "different value"),
    (Class::NotBlamed, "not blamed"),
    (Class::NotWritten, "naga cannot write"),
    (Class::Skipped, "skipped"),
    (Class::Other, "other"),
];

/// Parts of messages about a compiler, and their classes.
const MESSAGES: [(&str, Class); 9] = [
    (" refuses the stage (", Class::Refused),
    (" crashes (", Class::Ended),
    (" does not end within ", Class::Ended),
    (" writes no result: ", Class::Ended),
    (" cannot be started: ", Class::Ended),
    (" writes invalid SPIR-V", Class::Invalid),
    (" changes the interface of the stage", Class::Interface),
    ("interstage's naga writes no ", Class::NotWritten),
    ("WGSL has no ", Class::NotWritten),
];

/// Results through one compiler.
pub(super) struct Row {
    name: String,
    /// The compilers with their versions, from the adapter's title.
    title: String,
    /// Reason why there are no results.
    missing: Option<String>,
    counts: BTreeMap<Class, usize>,
    /// Number of failures by their known cause.
    known: BTreeMap<String, usize>,
    /// Failures without a known cause: the case, and the first lines of the message.
    unknown: Vec<(String, String)>,
}

impl Row {
    /// The row of a compiler that did not run.
    pub(super) fn missing(name: &str, reason: String) -> Self {
        Self { missing: Some(reason), ..Self::empty(name) }
    }

    fn empty(name: &str) -> Self {
        let (counts, known, unknown) = Default::default();
        Self { name: name.to_owned(), title: String::new(), missing: None, counts, known, unknown }
    }

    /// Reads a results folder.
    pub(super) fn read(name: &str, folder: &Path, known: &Known) -> Result<Self, String> {
        let path = folder.join("results.json");
        let text = std::fs::read_to_string(&path);
        let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
        let all: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        Ok(Self::of(name, &all, known))
    }

    fn of(name: &str, all: &Value, known: &Known) -> Self {
        let mut row = Self::empty(name);
        let title = all["adapter"]["title"].as_str().unwrap_or_default();
        title.rsplit(" · through ").next().unwrap_or_default().clone_into(&mut row.title);
        for case in all["cases"].as_array().into_iter().flatten() {
            row.count(case, known);
        }
        row
    }

    fn count(&mut self, case: &Value, known: &Known) {
        let message = message(case);
        let class = class(case, &message);
        *self.counts.entry(class).or_default() += 1;
        if !class.needs_cause() {
            return;
        }
        let name = case["name"].as_str().unwrap_or_default();
        let failure = Failure { compiler: &self.name, case: name, message: &message };
        if let Some(cause) = known.cause(failure) {
            *self.known.entry(cause.to_owned()).or_default() += 1;
        } else {
            let first = message.lines().take(3).collect::<Vec<_>>().join(" | ");
            self.unknown.push((name.to_owned(), first));
        }
    }

    /// Number of failures without a known cause.
    pub(super) fn unknown(&self) -> usize {
        self.unknown.len()
    }
}

impl Class {
    /// True for what counts as an error unless its cause is known.
    const fn needs_cause(self) -> bool {
        match self {
            Self::Refused
            | Self::Ended
            | Self::Invalid
            | Self::Interface
            | Self::Value
            | Self::Other => true,
            Self::Passed | Self::NotBlamed | Self::NotWritten | Self::Skipped => false,
        }
    }
}

/// All that a result says about its failures.
fn message(case: &Value) -> String {
    let mut lines = Vec::new();
    lines.extend(case["reason"].as_str());
    for failure in case["failures"].as_array().into_iter().flatten() {
        lines.extend(failure["details"].as_array().into_iter().flatten().filter_map(Value::as_str));
    }
    lines.join("\n")
}

fn class(case: &Value, message: &str) -> Class {
    let of_compiler = || MESSAGES.iter().find(|(part, _)| message.contains(part));
    match case["kind"].as_str().unwrap_or_default() {
        // Flakes and slow cases passed when they ran again. An improvement is one over a driver's or naga's known fault.
        "Pass" | "ImprovedToPass" | "ExpectedFail" | "KnownFlake" | "Flake" | "Slow" => {
            Class::Passed
        }
        "Skip" | "Unsupported" | "NoAdapter" | "Undecided" | "Untested" => {
            let is_not_written =
                of_compiler().is_some_and(|(_, class)| *class == Class::NotWritten);
            if is_not_written { Class::NotWritten } else { Class::Skipped }
        }
        "Fail" => match of_compiler() {
            Some((_, class)) => *class,
            None => blamed(message),
        },
        _ => Class::Other,
    }
}

/// Beginnings of what is blamed beside the compiler.
const OTHERS: [&str; 5] = ["not ", "the driver", "naga or the driver", "the case", "the executor"];

/// The class of a wrong value. With several, the worst.
fn blamed(message: &str) -> Class {
    let blames = || message.lines().filter_map(|line| line.trim().strip_prefix("blame     "));
    match blames().all(|blame| OTHERS.iter().any(|other| blame.starts_with(other))) {
        _ if blames().next().is_none() => Class::Other,
        true => Class::NotBlamed,
        false => Class::Value,
    }
}

/// Formats a Markdown table, and below it the causes and the failures without any.
pub(super) fn draw(rows: &[Row]) -> Vec<String> {
    let titles = COLUMNS.map(|(_, title)| title).join(" | ");
    let mut lines = vec![
        format!("| compiler | {titles} | version |"),
        format!("|---|{}---|", "--:|".repeat(COLUMNS.len())),
    ];
    for row in rows {
        let counts = COLUMNS.map(|(class, _)| match row.missing {
            Some(_) => "–".to_owned(),
            None => row.counts.get(&class).copied().unwrap_or_default().to_string(),
        });
        let last = row.missing.as_ref().unwrap_or(&row.title);
        lines.push(format!("| {} | {} | {last} |", row.name, counts.join(" | ")));
    }
    for Row { name, known, unknown, .. } in rows {
        let mut causes: Vec<_> = known.iter().collect();
        causes.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        lines.extend(causes.iter().map(|(cause, count)| format!("{name}: {count:>5}  {cause}")));
        let failure =
            |(case, message): &(String, String)| format!("{name}: NOT EXPLAINED {case}: {message}");
        lines.extend(unknown.iter().map(failure));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: &str, details: &[&str], expected: Class) {
        let case = serde_json::json!({ "kind": kind, "failures": [{ "details": details }] });
        assert_eq!(class(&case, &message(&case)), expected, "{details:?}");
    }

    #[test]
    fn faults_of_compilers_have_classes() {
        let stage = |what: &str| format!("vertex stage through dxc: dxc {what}");
        check("Pass", &[], Class::Passed);
        check("ImprovedToPass", &[], Class::Passed);
        check("Fail", &[&stage("refuses the stage (status 1)")], Class::Refused);
        check("Fail", &[&stage("crashes (signal 11)")], Class::Ended);
        check("Fail", &[&stage("does not end within 20 s")], Class::Ended);
        check("Fail", &[&stage("writes no result: there is no file")], Class::Ended);
        check("Fail", &[&stage("writes invalid SPIR-V"), "x"], Class::Invalid);
        check("Fail", &[&stage("changes the interface of the stage")], Class::Interface);
        check("Skip", &["interstage's naga writes no hlsl: x"], Class::NotWritten);
        check("Skip", &["WGSL has no early fragment tests"], Class::NotWritten);
        check("Skip", &["max_bind_groups is 4"], Class::Skipped);
        check("Crash", &["signal 11"], Class::Other);
    }

    #[test]
    fn a_wrong_value_is_the_compilers_unless_the_adapter_gives_it_too() {
        let right = "blame     dxc: without it, the adapter gives what is expected";
        let same = "blame     not dxc: without it, the adapter gives the same";
        check("Fail", &["expected  1", right], Class::Value);
        check("Fail", &["expected  1", same], Class::NotBlamed);
        check("Fail", &["blame     the case: the executor gives the same"], Class::NotBlamed);
        let either = "blame     naga or the driver: the executor gives something else";
        check("Fail", &[either], Class::NotBlamed);
        let undefined = "blame     the executor, or undefined behaviour";
        check("Fail", &[undefined], Class::NotBlamed);
        check("Fail", &[undefined, right], Class::Value);
        check("Fail", &[same, right], Class::Value);
        check("Fail", &["expected  1"], Class::Other);
    }

    #[test]
    fn the_table_has_counts_causes_and_what_has_none() {
        let all = serde_json::json!({
            "adapter": { "title": "vulkan · llvmpipe · through dxc (3.7)" },
            "cases": [
                { "name": "cases/a.shader_test", "kind": "Pass" },
                { "name": "cases/b.shader_test", "kind": "Fail", "reason": "x: dxc refuses the stage (1)\nodd" },
                { "name": "cases/c.shader_test", "kind": "Fail", "reason": "x: dxc refuses the stage (1)\neven" },
            ],
        });
        let known = Known::parse("dxc * \"odd\" an odd fault").expect("a list");
        let row = Row::of("dxc", &all, &known);
        assert_eq!(row.unknown(), 1);
        let lines = draw(&[row, Row::missing("tint", "not installed".to_owned())]);
        assert_eq!(
            lines[2..],
            [
                "| dxc | 1 | 2 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | dxc (3.7) |",
                "| tint | – | – | – | – | – | – | – | – | – | – | not installed |",
                "dxc:     1  an odd fault",
                "dxc: NOT EXPLAINED cases/c.shader_test: x: dxc refuses the stage (1) | even",
            ]
        );
    }
}
