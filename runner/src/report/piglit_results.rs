//! `piglit/results.json`: the results of one adapter in the format of piglit's own runs, so that `piglit summary` shows
//! both side by side.
//!
//! The format is version 10 of piglit's (its `framework/results.py` and `framework/backends/json.py`). Tests are named
//! as piglit names its files: groups joined by `@`, without `tests/` and without the extension.

use std::io::Write;

use serde_json::{Map, Value, json};

use crate::files::case_file;
use crate::report::json::{CaseRecord, Results};
use crate::report::piglit::Word;

/// Subfolder of a result folder, which is passed to `piglit summary`.
pub const FOLDER: &str = "piglit";

/// Version of the format.
const VERSION: u32 = 10;

/// Writes the file.
pub fn write(out: &mut impl Write, results: &Results) -> std::io::Result<()> {
    let tests: Map<String, Value> =
        results.cases.iter().map(|case| (test_name(&case.name), test(case))).collect();
    let seconds: f32 = results.cases.iter().map(|case| case.seconds).sum();
    let adapter = results.adapter.as_ref();
    let name = adapter.map_or("interstage", |adapter| adapter.selector.as_str());
    let title = adapter.map_or("none", |adapter| adapter.title.as_str());
    let run = json!({
        "__type__": "TestrunResult",
        "results_version": VERSION,
        "name": name,
        "info": { "system": { "interstage": results.interstage, "adapter": title } },
        "options": {},
        "time_elapsed": time(seconds),
        "tests": tests,
    });
    serde_json::to_writer(&mut *out, &run)?;
    out.write_all(b"\n")
}

fn test(case: &CaseRecord) -> Value {
    let details = if case.diagnostics.is_empty() {
        case.reason.clone().unwrap_or_default()
    } else {
        case.diagnostics.clone()
    };
    json!({
        "__type__": "TestResult",
        "result": Word::of(case.kind).text(),
        "out": details,
        "err": case.stderr,
        "command": case.repeat,
        "environment": "",
        "returncode": null,
        "subtests": { "__type__": "Subtests" },
        "time": time(case.seconds),
        "exception": null,
        "traceback": null,
        "dmesg": "",
        "images": null,
        "pid": [],
    })
}

fn time(seconds: f32) -> Value {
    json!({ "__type__": "TimeAttribute", "start": 0.0, "end": seconds })
}

/// piglit's name of a case: `spec@glsl-1.10@execution@a`.
fn test_name(name: &str) -> String {
    let (file, parameters) = (case_file::file_of(name), case_file::parameters_of(name));
    let below = file.strip_prefix("tests/").or_else(|| file.strip_prefix("generated_tests/"));
    let below = below.unwrap_or(file);
    let stem = below.strip_suffix(case_file::EXTENSION).and_then(|stem| stem.strip_suffix('.'));
    let group = stem.unwrap_or(below).trim_start_matches('/').replace('/', "@");
    format!("{group}{parameters}").to_lowercase()
}

#[cfg(test)]
mod tests {
    use interstage::check::verdict::Verdict;

    use super::*;
    use crate::outcome::{CaseResult, Outcome};

    #[test]
    fn names_are_piglits() {
        let check = |name: &str, expected: &str| assert_eq!(test_name(name), expected);
        check("tests/spec/glsl-1.10/execution/A.shader_test", "spec@glsl-1.10@execution@a");
        check("cases/v/b.shader_test#n=1;m=2", "cases@v@b#n=1;m=2");
    }

    #[test]
    fn a_case_has_piglits_word_and_the_reason() {
        let outcome = Outcome::Finished(Verdict::Skip("needs x".to_owned()));
        let result =
            CaseResult::bare("tests/spec/a.shader_test", outcome, 0.5, "said\n".to_owned());
        let mut text = Vec::new();
        write(&mut text, &Results::new(None, vec![CaseRecord::from(&result)])).unwrap();
        let value: Value = serde_json::from_slice(&text).unwrap();
        let test = &value["tests"]["spec@a"];
        assert_eq!(value["results_version"], VERSION);
        assert_eq!([&test["result"], &test["out"], &test["err"]], ["skip", "needs x", "said"]);
        assert_eq!(test["time"]["end"], 0.5);
    }
}
