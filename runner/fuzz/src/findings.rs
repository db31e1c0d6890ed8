//! The findings of a target: one for each kind and place, minimised and written to a file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::minimise::minimise;
use crate::target::Target;
use crate::worker::{Outcome, Worker};

/// Maximum number of runs to minimise an input that panics.
const ATTEMPTS: usize = 2000;

/// Maximum number of runs to minimise an input that ends its process.
const ATTEMPTS_OF_DEATHS: usize = 100;

/// Maximum number of runs to minimise an input that takes too long: each lasts as long as the limit.
const ATTEMPTS_OF_HANGS: usize = 12;

/// The findings of a target.
#[derive(Debug)]
pub(crate) struct Findings {
    target: Target,
    folder: PathBuf,
    /// Number of inputs by their common property.
    found: BTreeMap<String, usize>,
}

impl Findings {
    /// Creates an empty list; files will be in a folder of the target inside `folder`.
    pub(crate) fn new(target: Target, folder: &Path) -> Self {
        Self { target, folder: folder.join(target.name), found: BTreeMap::new() }
    }

    /// Number of findings.
    pub(crate) fn count(&self) -> usize {
        self.found.len()
    }

    /// Records the outcome of an input. Returns a line about it if it is a new finding.
    pub(crate) fn add(
        &mut self,
        input: &[u8],
        outcome: &Outcome,
        worker: &mut Worker,
    ) -> anyhow::Result<Option<String>> {
        let Some((kind, mark, attempts)) = described(outcome) else { return Ok(None) };
        let count = self.found.entry(format!("{kind} {mark}")).or_default();
        *count += 1;
        if *count > 1 {
            return Ok(None);
        }
        let number = self.found.len();
        let is_same = |candidate: &[u8]| {
            let other = worker.run(candidate).as_ref().ok().and_then(described);
            other.is_some_and(|(other, its_mark, _)| (other, its_mark) == (kind, mark.clone()))
        };
        let smallest = minimise(input, attempts, is_same);
        std::fs::create_dir_all(&self.folder).context("cannot make the folder of findings")?;
        let path = self.folder.join(format!("{number}-{kind}.{}", self.target.extension));
        let write = || format!("cannot write {}", path.display());
        std::fs::write(&path, &smallest).with_context(write)?;
        let told = match outcome {
            Outcome::Panicked(told) | Outcome::Died(told) => told,
            Outcome::Fine | Outcome::Hung => "takes longer than the limit",
        };
        Ok(Some(format!("{}: {kind}: {told}\n  {}", self.target.name, path.display())))
    }
}

/// Returns the kind of a finding, the property that findings with the same cause share, and the maximum number of runs
/// to minimise it.
fn described(outcome: &Outcome) -> Option<(&'static str, String, usize)> {
    match outcome {
        Outcome::Fine => None,
        // Only the place: the message may depend on the input.
        Outcome::Panicked(told) => {
            let mark = told.split(": ").next().unwrap_or_default();
            Some(("panic", mark.to_owned(), ATTEMPTS))
        }
        Outcome::Died(told) => Some(("crash", told.clone(), ATTEMPTS_OF_DEATHS)),
        Outcome::Hung => Some(("hang", String::new(), ATTEMPTS_OF_HANGS)),
    }
}
