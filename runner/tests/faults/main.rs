//! Fault injection into whole runs: whatever dies, hangs or is full, no result is lost and none is wrong.
//!
//! Most tests run a script (`worker/scripted.rs`), so that they are the same on every machine. Those in `real` use real
//! shaders and, if available, a real adapter. Random choices have fixed seeds.
//!
//! `cargo xtask faults` runs them and prints the injected faults and the results as a table: see [`Place::check_all`].

#![cfg(unix)]

mod bad_disks;
mod kills;
mod losses;
mod many;
mod real;
mod rejudging;
mod resuming;
#[path = "../common/soak.rs"]
mod soak;
mod weighing;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use tempfile::TempDir;

/// A folder with a script and as many cases as a run needs. A script ignores the contents of cases.
struct Place {
    folder: TempDir,
}

/// Result of a run of the program.
struct Run {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Place {
    /// Creates cases with these names below `cases`, and a script.
    fn new<'a>(names: impl IntoIterator<Item = &'a str>, script: &str) -> Self {
        let place = Self { folder: tempfile::tempdir().expect("the system has room") };
        for name in names {
            place.write(&format!("cases/{name}.shader_test"), "[test]\n");
        }
        place.write("script", script);
        place
    }

    /// Creates the cases `0000`, `0001` and so on, and a script.
    fn numbered(count: usize, script: &str) -> Self {
        let names: Vec<_> = (0..count).map(|number| format!("{number:04}")).collect();
        Self::new(names.iter().map(String::as_str), script)
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().expect("it lies in the folder")).expect("ours");
        std::fs::write(&path, text).expect("ours");
        path
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name))
            .unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The program with this folder as its working directory.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_interstage"));
        command.current_dir(self.path()).args(arguments).env_remove("CI");
        command
    }

    /// Runs the script with these additional arguments, and results in `out`.
    fn run(&self, arguments: &[&str]) -> Run {
        run(&mut self
            .command(&[&["run", "--script", "script", "--results", "out"], arguments].concat()))
    }

    /// Starts a run like [`Place::run`] without waiting for it.
    fn start(&self, arguments: &[&str]) -> Child {
        let arguments = [&["run", "--script", "script", "--results", "out"], arguments].concat();
        let mut command = self.command(&arguments);
        command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program was built")
    }

    /// Status words of `out/results.csv`, by the case's short name; panics if a name occurs twice.
    #[track_caller]
    fn statuses(&self) -> BTreeMap<String, String> {
        self.statuses_in("out")
    }

    #[track_caller]
    fn statuses_in(&self, folder: &str) -> BTreeMap<String, String> {
        let mut statuses = BTreeMap::new();
        for line in self.read(&format!("{folder}/results.csv")).lines() {
            let [name, status, _] = line.split(',').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            let name = name.trim_start_matches("cases/").replace(".shader_test", "");
            assert!(statuses.insert(name, status.to_owned()).is_none(), "{line}");
        }
        statuses
    }

    /// Panics unless `out` has the results of all `count` cases and all are right. Adds a row to the fault table: the
    /// number of injected faults, results, right ones and lost ones.
    #[track_caller]
    fn check_all(
        &self,
        fault: &str,
        injected: usize,
        count: usize,
        is_right: impl Fn(&str, &str) -> bool,
    ) {
        let statuses = self.statuses();
        let wrong: Vec<_> =
            statuses.iter().filter(|(name, status)| !is_right(name, status)).collect();
        let right = statuses.len() - wrong.len();
        let lost = count.saturating_sub(statuses.len());
        tell(&format!("{fault}\t{injected}\t{count}\t{right}\t{lost}"));
        assert!(wrong.is_empty(), "{wrong:?}");
        assert_eq!(statuses.len(), count, "every case has a result");
    }

    /// Number of lines of the journal, without its first.
    fn journal_length(&self) -> usize {
        let text = std::fs::read_to_string(self.path().join("out/journal.jsonl"));
        text.map_or(0, |text| text.lines().count().saturating_sub(1))
    }

    /// Waits until the journal has this many lines.
    fn wait_for_results(&self, count: usize) {
        while self.journal_length() < count {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Run {
    fn text(&self) -> String {
        format!("{}{}exit code {:?}\n", self.stderr, self.stdout, self.code)
    }
}

fn run(command: &mut Command) -> Run {
    finish(command.output().expect("the program was built"))
}

fn finish(Output { status, stdout, stderr }: Output) -> Run {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Run { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
}

/// Adds a row to the fault table, if one is collected.
fn tell(row: &str) {
    let Some(table) = std::env::var_os("INTERSTAGE_FAULT_TABLE") else { return };
    let file = std::fs::OpenOptions::new().append(true).create(true).open(table);
    // One write, because tests run in parallel.
    file.and_then(|mut file| file.write_all(format!("{row}\n").as_bytes()))
        .expect("the table can be written");
}

/// Prints what a test skipped, and why.
fn say(line: &str) {
    // Ignored: if stderr is closed, nothing can be done.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Sends a signal.
fn signal(process: u32, signal: &str) {
    let status =
        Command::new("kill").args([signal, &process.to_string()]).stderr(Stdio::null()).status();
    assert!(status.is_ok(), "there is no `kill`");
}

/// Running processes that `parent` started.
#[cfg(target_os = "linux")]
fn children(parent: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| {
            list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()
        })
        .collect()
}

/// True if a process exists and is no zombie.
#[cfg(target_os = "linux")]
fn is_alive(process: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| {
        !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z')
    })
}

/// Pseudo-random numbers that are the same in every run (xorshift).
struct Random(u64);

impl Random {
    /// A random index.
    fn index(&mut self, count: usize) -> usize {
        usize::try_from(self.below(count.max(1) as u64)).expect("it was one")
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}
