//! Arguments that select cases.

use std::path::{Path, PathBuf};

use regex::Regex;

use crate::args::shard::Shard;
use crate::project;

/// Selection of cases.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Selection of cases")]
pub struct Selection {
    /// Case files, names of cases as printed (`cases/FILE#name=value;…`), folders, which are searched for cases, scripts and parser tests, or
    /// `@LIST`: a text file with one of these per line, such as a failures.csv [default: the roots in interstage.toml,
    /// else `cases`]
    #[arg(help_heading = None)]
    pub paths: Vec<PathBuf>,
    /// The failed cases of the run that wrote into DIR, on the adapters where they failed unless another is named
    #[arg(long, value_name = "DIR")]
    pub failed: Vec<PathBuf>,
    /// Only cases whose name matches; the regular expression may match anywhere in it. With several, one must match
    #[arg(long, short = 't', value_name = "REGEX")]
    pub filter: Vec<Regex>,
    /// Exclude cases whose name matches; may be given several times
    #[arg(long, short = 'x', value_name = "REGEX")]
    pub exclude: Vec<Regex>,
    /// Only the K-th of N parts of the selected cases; each case is in exactly one part, the same on every machine
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,
}

impl Selection {
    /// True if the command line selects nothing and there are no default cases.
    pub fn is_of_nothing(&self) -> bool {
        let has_default = || matches!(project::of(Path::new(".")), Err(_) | Ok(Some(_)));
        self.paths.is_empty()
            && self.failed.is_empty()
            && !has_default()
            && !Path::new(project::CASES).exists()
    }

    /// Selects all cases of these paths.
    pub fn of(paths: &[PathBuf]) -> Self {
        Self { paths: paths.to_vec(), ..Self::default() }
    }
}
