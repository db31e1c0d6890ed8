//! `interstage report`: one page from the results of one or several runs, side by side.

use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

use crate::args::ReportOptions;
use crate::exit::Exit;
use crate::report::html::{self, Run};
use crate::report::json::{self, Results};
use crate::report::{evidence, results};

/// Writes the page.
pub fn report(options: &ReportOptions) -> anyhow::Result<Exit> {
    let read = options.folders.iter().map(|folder| Ok((folder, json::read_all(folder)?)));
    let runs: Vec<(&PathBuf, Vec<Results>)> = read.collect::<anyhow::Result<_>>()?;
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

/// The folder of the run whose results are at `path`.
fn root_of(path: &Path) -> &Path {
    if path.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) }
}
