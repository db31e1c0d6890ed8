//! Counts of a run's statuses and reasons, and the table of all drivers.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

/// Maximum number of reasons per kind that are listed; the others are only counted.
const SHOWN: usize = 6;

/// Results of one driver.
pub(super) struct Row {
    name: &'static str,
    adapter: String,
    /// Reason why there are no results.
    missing: Option<String>,
    passed: usize,
    skipped: BTreeMap<String, usize>,
    expected: BTreeMap<String, usize>,
    failed: BTreeMap<String, usize>,
}

impl Row {
    /// The row of a driver that did not run.
    pub(super) fn missing(name: &'static str, reason: String) -> Self {
        let (skipped, expected, failed) = Default::default();
        let (adapter, missing) = (String::new(), Some(reason));
        Self { name, adapter, missing, passed: 0, skipped, expected, failed }
    }

    /// Reads a results folder.
    pub(super) fn read(name: &'static str, folder: &Path) -> Result<Self, String> {
        let path = folder.join("results.json");
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let all: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        Ok(Self::of(name, &all))
    }

    fn of(name: &'static str, all: &Value) -> Self {
        let mut row = Self { missing: None, ..Self::missing(name, String::new()) };
        all["adapter"]["title"].as_str().unwrap_or_default().clone_into(&mut row.adapter);
        for case in all["cases"].as_array().into_iter().flatten() {
            let reason = || reason(case);
            match case["kind"].as_str().unwrap_or_default() {
                "Pass" => row.passed += 1,
                "Skip" => *row.skipped.entry(reason()).or_default() += 1,
                "ExpectedFail" | "KnownFlake" => *row.expected.entry(reason()).or_default() += 1,
                kind => *row.failed.entry(format!("{kind}: {}", reason())).or_default() += 1,
            }
        }
        row
    }

    /// Name of the driver.
    pub(super) const fn name(&self) -> &'static str {
        self.name
    }

    /// True if the adapter's title contains `part`, which is in lower case.
    pub(super) fn is_on(&self, part: &str) -> bool {
        self.adapter.to_lowercase().contains(part)
    }

    /// True if the driver ran.
    pub(super) const fn is_there(&self) -> bool {
        self.missing.is_none()
    }

    /// True if all failures were crashes, including intermittent ones, as with a driver whose known fault ends its
    /// process.
    pub(super) fn only_crashed(&self) -> bool {
        let is_crash =
            |reason: &String| reason.starts_with("Crash: ") || reason.starts_with("Flake: ");
        self.failed.keys().all(is_crash)
    }

    /// True if any case failed.
    pub(super) fn went_wrong(&self) -> bool {
        !self.failed.is_empty()
    }
}

/// The first line of a case's reason, with `…` for quoted names and for numbers.
fn reason(case: &Value) -> String {
    let known = case["known"].as_str().filter(|known| !known.is_empty());
    let reason = known.or_else(|| case["reason"].as_str()).unwrap_or("no reason");
    let first = reason.lines().next().unwrap_or_default();
    let mut text = String::new();
    let mut is_quoted = false;
    for char in first.chars() {
        match char {
            '`' | '"' => {
                is_quoted = !is_quoted;
                if is_quoted {
                    text.push('…');
                }
            }
            _ if is_quoted => {}
            '0'..='9' if text.ends_with(['…', ' ']) => {
                if text.ends_with(' ') {
                    text.push('…');
                }
            }
            char => text.push(char),
        }
    }
    text
}

/// Formats a Markdown table, and below it the reasons of each driver.
pub(super) fn draw(rows: &[Row]) -> Vec<String> {
    let sum = |counts: &BTreeMap<String, usize>| counts.values().sum::<usize>();
    let mut lines = vec![
        "| driver | passed | skipped | expected failures | failed | adapter |".to_owned(),
        "|---|--:|--:|--:|--:|---|".to_owned(),
    ];
    for row in rows {
        lines.push(match &row.missing {
            Some(reason) => format!("| {} | – | – | – | – | {reason} |", row.name),
            None => format!(
                "| {} | {} | {} | {} | {} | {} |",
                row.name,
                row.passed,
                sum(&row.skipped),
                sum(&row.expected),
                sum(&row.failed),
                row.adapter
            ),
        });
    }
    for row in rows {
        let kinds =
            [("skipped", &row.skipped), ("expected", &row.expected), ("failed", &row.failed)];
        for (kind, counts) in kinds {
            lines.extend(
                most(counts).into_iter().map(|cell| format!("{:<15} {kind}: {cell}", row.name)),
            );
        }
    }
    lines
}

/// Lists the most frequent reasons, and counts the others.
fn most(counts: &BTreeMap<String, usize>) -> Vec<String> {
    let mut all: Vec<_> = counts.iter().collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let rest: usize = all.iter().skip(SHOWN).map(|(_, count)| **count).sum();
    let shown = all.iter().take(SHOWN).map(|(reason, count)| format!("{count:>5}  {reason}"));
    shown.chain((rest > 0).then(|| format!("{rest:>5}  for other reasons"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_counted_by_reason() {
        let all = serde_json::json!({
            "adapter": { "title": "vulkan:0 · llvmpipe" },
            "cases": [
                { "kind": "Pass" },
                { "kind": "Skip", "reason": "max_bind_groups is 4, and resources need 5" },
                { "kind": "Skip", "reason": "max_bind_groups is 4, and resources need 8" },
                { "kind": "ExpectedFail", "reason": "probe", "known": "resolves `a` wrongly" },
                { "kind": "Crash", "reason": "signal 11" },
            ],
        });
        let row = Row::of("lavapipe", &all);
        assert!(row.went_wrong() && row.only_crashed());
        let failed = serde_json::json!({ "cases": [{ "kind": "Fail", "reason": "probe" }] });
        assert!(!Row::of("lavapipe", &failed).only_crashed());
        assert!(row.is_on("llvmpipe") && !row.is_on("softpipe"));
        let lines = draw(&[row, Row::missing("zink", "not installed".to_owned())]);
        let expected = [
            "| driver | passed | skipped | expected failures | failed | adapter |",
            "|---|--:|--:|--:|--:|---|",
            "| lavapipe | 1 | 2 | 1 | 1 | vulkan:0 · llvmpipe |",
            "| zink | – | – | – | – | not installed |",
            "lavapipe        skipped:     2  max_bind_groups is …, and resources need …",
            "lavapipe        expected:     1  resolves … wrongly",
            "lavapipe        failed:     1  Crash: signal …",
        ];
        assert_eq!(lines, expected);
    }
}
