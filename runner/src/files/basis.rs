//! What results depend on. A resumed run repeats the cases whose dependencies have changed.
//!
//! A result depends on the files of its case ([`Input`]: the case file, and the modules, pictures and goldens that it
//! names), and on the lines of lists that match it. All results on an adapter depend on the [`Conditions`] of the run:
//! the program, the project's settings, the options, and the variables that drivers read. Digests are XXH3 of 128 bits:
//! they detect a change, not a forgery.

use std::collections::HashMap;
use std::env;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use crate::project::{self, Project};

/// Digest of a file that cannot be read.
const UNREADABLE: &str = "unreadable";

/// Prefixes of the variables that choose or configure a driver.
const DRIVER_VARIABLES: [&str; 9] =
    ["EGL_", "GALLIUM_", "GALLIVM_", "LIBGL_", "LP_", "MESA_", "VK_", "__EGL_", "__GL"];

/// A file that a result depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Path of the file, as the run opened it.
    pub path: String,
    /// Digest of the file's content.
    pub digest: String,
}

impl Input {
    /// Creates the input of a file with this content.
    pub fn of_bytes(path: &str, bytes: &[u8]) -> Self {
        Self { path: path.to_owned(), digest: digest_of(bytes) }
    }

    /// Creates the input of a file with its present content.
    pub fn of_file(path: &str) -> Self {
        Self { path: path.to_owned(), digest: digest_of_file(Path::new(path)) }
    }
}

/// Conditions that all results of a run on one adapter share, besides the adapter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Conditions {
    /// Version and digest of this program.
    pub program: String,
    /// Digest of `interstage.toml`.
    pub settings: String,
    /// The options that can change a verdict.
    pub options: String,
    /// Digest of the variables that drivers read.
    pub environment: String,
}

impl Conditions {
    /// Conditions of this process with these options and the settings of the cases' project.
    ///
    /// # Errors
    /// The program's own file cannot be read.
    pub fn now(options: String, project: Option<&Project>) -> anyhow::Result<Self> {
        let program = env::current_exe().context("cannot find this program's file")?;
        let digest = digest_of_file(&program);
        anyhow::ensure!(digest != UNREADABLE, "cannot read {}", program.display());
        let settings = project.map(|project| project.root.join(project::FILE));
        Ok(Self {
            program: format!("{} {digest}", env!("CARGO_PKG_VERSION")),
            settings: settings.map_or_else(String::new, |file| digest_of_file(&file)),
            options,
            environment: digest_of(environment().as_bytes()),
        })
    }

    /// Names the differences between these conditions and others.
    pub fn changes(&self, other: &Self) -> Vec<String> {
        let Self { program, settings, options, environment } = self;
        let parts = [
            ("the program", program, &other.program),
            ("the project's settings", settings, &other.settings),
            ("the options", options, &other.options),
            ("the environment of the drivers", environment, &other.environment),
        ];
        let changed = parts.into_iter().filter(|(_, one, other)| one != other);
        changed.map(|(what, ..)| format!("{what} changed")).collect()
    }
}

/// Lists the variables that drivers read, one per line.
fn environment() -> String {
    let is_read = |name: &str| DRIVER_VARIABLES.iter().any(|start| name.starts_with(start));
    let variables =
        env::vars_os().map(|(name, value)| (name.to_string_lossy().into_owned(), value));
    let mut lines: Vec<_> = variables
        .filter(|(name, _)| is_read(name))
        .map(|(name, value)| format!("{name}={}\n", value.to_string_lossy()))
        .collect();
    lines.sort();
    lines.concat()
}

/// Compares files with their recorded digests. Reads every file once.
#[derive(Debug, Default)]
pub struct Files {
    digests: HashMap<String, String>,
}

impl Files {
    /// Returns the first of these files whose content has changed.
    pub fn changed<'a>(&mut self, inputs: &'a [Input]) -> Option<&'a str> {
        let is_changed = |input: &&Input| {
            let now = self.digests.entry(input.path.clone());
            *now.or_insert_with_key(|path| digest_of_file(Path::new(path))) != input.digest
        };
        inputs.iter().find(is_changed).map(|input| input.path.as_str())
    }
}

/// Digest of a byte string.
pub fn digest_of(bytes: &[u8]) -> String {
    format!("{:032x}", xxh3_128(bytes))
}

fn digest_of_file(path: &Path) -> String {
    // Reading a pipe would block.
    if !path.is_file() {
        return UNREADABLE.to_owned();
    }
    let digest = || {
        let mut file = File::open(path)?;
        let (mut hash, mut buffer) = (Xxh3::new(), vec![0; 1 << 16]);
        loop {
            match file.read(&mut buffer)? {
                0 => return std::io::Result::Ok(format!("{:032x}", hash.digest128())),
                length => hash.update(&buffer[..length]),
            }
        }
    };
    digest().unwrap_or_else(|_| UNREADABLE.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changes_appears_or_goes_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let [kept, edited, gone, new] = ["kept", "edited", "gone", "new"]
            .map(|name| folder.path().join(name).to_str().unwrap().to_owned());
        for path in [&kept, &edited, &gone] {
            std::fs::write(path, "old").unwrap();
        }
        let inputs = [&kept, &edited, &gone, &new].map(|path| Input::of_file(path));
        assert_eq!(inputs[0], Input::of_bytes(&kept, b"old"));
        assert_eq!(Files::default().changed(&inputs), None);
        std::fs::write(&edited, "new").unwrap();
        std::fs::remove_file(&gone).unwrap();
        std::fs::write(&new, "old").unwrap();
        let changed = inputs
            .each_ref()
            .map(|input| Files::default().changed(std::slice::from_ref(input)).is_some());
        assert_eq!(changed, [false, true, true, true]);
    }

    #[test]
    fn every_condition_that_changes_is_named() {
        let now = Conditions::now("a".to_owned(), None).unwrap();
        assert_eq!(now.changes(&now), Vec::<String>::new());
        let other = |change: fn(&mut Conditions)| {
            let mut other = now.clone();
            change(&mut other);
            now.changes(&other).join(", ")
        };
        assert_eq!(other(|it| it.program.push('x')), "the program changed");
        assert_eq!(other(|it| it.settings.push('x')), "the project's settings changed");
        assert_eq!(other(|it| it.options.push('x')), "the options changed");
        assert_eq!(other(|it| it.environment.push('x')), "the environment of the drivers changed");
        assert_eq!(now.changes(&Conditions::default()).len(), 3);
    }
}
