//! Verdicts on programs, and how interstage's are obtained.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// A verdict on a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opinion {
    pub(crate) verdict: Verdict,
    /// First line of the reason.
    pub(crate) message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The program links.
    Accepts,
    /// The program does not link.
    Refuses,
    /// The program was not tried, or gave no result.
    Unknown,
}

impl Opinion {
    /// An unknown verdict, for this reason.
    pub(crate) fn lost(why: &str) -> Self {
        Self { verdict: Verdict::Unknown, message: why.to_owned() }
    }
}

/// Runs interstage on all files of a folder in one process.
pub(crate) fn interstage(
    program: &Path,
    adapter: &str,
    jobs: usize,
    files: &Path,
    folder: &Path,
) -> Result<HashMap<PathBuf, Opinion>, String> {
    let results = folder.join("results");
    let _ = std::fs::remove_dir_all(&results);
    let mut command = Command::new(program);
    command.arg("run").arg(files).args(["--adapter", adapter, "--jobs", &jobs.to_string()]);
    command.args(["--retries", "0", "--quiet", "--results"]).arg(&results);
    // The exit code only reports that some files fail.
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.map_err(|error| format!("{}: {error}", program.display()))?;
    let path = results.join("results.json");
    let text = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let json: Value = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
    let cases = json["cases"].as_array().ok_or("results.json has no cases")?;
    let opinion = |case: &Value| {
        let text = |key: &str| case[key].as_str().unwrap_or_default();
        let verdict = match text("status") {
            "Pass" => Verdict::Accepts,
            "Fail" => Verdict::Refuses,
            _ => Verdict::Unknown,
        };
        let message = text("reason").lines().take(4).collect::<Vec<_>>().join(" ");
        // Names in the results are relative to the root of the project.
        let file = Path::new(text("name")).file_name().unwrap_or_default();
        (files.join(file), Opinion { verdict, message })
    };
    Ok(cases.iter().map(opinion).collect())
}
