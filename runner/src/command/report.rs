//! `interstage report`: one page from the results of one or several runs, side by side.

use std::collections::BTreeSet;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

use crate::args::ReportOptions;
use crate::exit::Exit;
use crate::report::html::{self, Run};
use crate::report::json::{self, CaseRecord, Results};
use crate::report::{evidence, results};

/// Maximum number of similar names in an error.
const NAMES: usize = 3;

/// Writes the page.
pub fn report(options: &ReportOptions) -> anyhow::Result<Exit> {
    let read = options.folders.iter().map(|folder| Ok((folder, json::read_all(folder)?)));
    let mut runs: Vec<(&PathBuf, Vec<Results>)> = read.collect::<anyhow::Result<_>>()?;
    if let Some(name) = &options.case {
        keep_case(&mut runs, name)?;
    }
    let runs: Vec<_> = runs
        .iter()
        .map(|(folder, results)| Run {
            label: folder.display().to_string(),
            evidence: root_of(folder).join(evidence::FOLDER),
            results,
        })
        .collect();
    ensure!(!options.output.is_dir(), "{} is a folder", options.output.display());
    results::write(&options.output, |out: &mut BufWriter<_>| html::draw(out, &runs))
        .context("cannot write the page")?;
    Ok(Exit::AsExpected)
}

/// Removes all cases but the one called `name`.
fn keep_case(runs: &mut [(&PathBuf, Vec<Results>)], name: &str) -> anyhow::Result<()> {
    let mut is_known = false;
    let mut alike = BTreeSet::new();
    for results in runs.iter_mut().flat_map(|(_, results)| results) {
        let is_like = |case: &CaseRecord| case.name.contains(name);
        alike.extend(
            results.cases.iter().filter(|case| is_like(case)).map(|case| case.name.clone()),
        );
        let mut cases = std::mem::take(&mut results.cases);
        cases.retain(|case| case.name == name);
        is_known |= !cases.is_empty();
        let (adapter, run) = (results.adapter.take(), results.run.take());
        let interstage = std::mem::take(&mut results.interstage);
        *results = Results { interstage, run, ..Results::new(adapter, cases) };
    }
    let alike: Vec<_> = alike.iter().take(NAMES).map(|name| format!("`{name}`")).collect();
    let hint = match &alike[..] {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(" or ")),
    };
    ensure!(is_known, "the results have no case `{name}`{hint}");
    Ok(())
}

/// The folder of the run whose results are at `path`.
fn root_of(path: &Path) -> &Path {
    if path.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) }
}
