//! `cargo xtask lab`: runs all cases on every available software driver. Prints one table, and compares the readbacks
//! of each driver with those of the first.
//!
//! The known faults of each driver are in `runner/lab/DRIVER-fails.txt`, each with its reason. Those of drivers of
//! another system, whose root is the folder `NAME`, are in `runner/lab/NAME-DRIVER-fails.txt`.

mod difference;
mod driver;
mod table;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::machine;
use crate::step::say;
use driver::{DRIVERS, Driver, Place};
use table::Row;

/// Command-line options.
struct Options {
    /// Names of the chosen drivers; all if empty.
    drivers: Vec<String>,
    /// All other arguments, which are passed to `interstage run`.
    rest: Vec<String>,
    /// Root folder of another system whose drivers are used.
    root: Option<PathBuf>,
}

/// Runs the drivers one after the other, prints the table, and compares each with the first. `--list` prints the drivers and
/// runs nothing.
pub(crate) fn run(arguments: &[String], root: &Path) -> Result<(), String> {
    if arguments.iter().any(|argument| argument == "--list") {
        for driver in &DRIVERS {
            say(&format!("{:<15}  {}", driver.name, driver.what));
        }
        return Ok(());
    }
    let options = read(arguments)?;
    machine::prepare_for_cases()?;
    crate::build::build_program()?;
    let folder = root.join("target/lab");
    let chosen: Vec<_> = DRIVERS.iter().filter(|driver| options.wants(driver)).collect();
    let mut rows = Vec::new();
    for driver in chosen {
        let results = folder.join(options.folder_of(driver));
        if let Err(message) = driver.environment(options.root.as_deref()) {
            rows.push(Row::missing(driver.name, message));
            continue;
        }
        let ran = run_driver(driver, &options, root, &results);
        if let (Err(message), Some(fault)) = (&ran, driver.fault()) {
            rows.push(Row::missing(driver.name, format!("{fault}: {message}")));
            continue;
        }
        ran.map_err(|message| format!("{}: {message}", driver.name))?;
        let row = Row::read(driver.name, &results)?;
        if !driver.parts_of_title().iter().all(|part| row.is_on(part)) {
            return Err(format!("{}: the cases ran on another driver or processor", driver.name));
        }
        rows.push(row);
    }
    for line in table::draw(&rows) {
        say(&line);
    }
    let unexplained = compare(&rows, &folder, &options)?;
    let is_unexpected = |row: &&Row| {
        let has_fault = DRIVERS.iter().any(|one| one.name == row.name() && one.fault().is_some());
        row.went_wrong() && !(has_fault && row.only_crashed())
    };
    match rows.iter().filter(is_unexpected).count() {
        0 if unexplained == 0 => Ok(()),
        0 => Err(format!(
            "{unexplained} differences have no explanation in runner/lab/differences.txt"
        )),
        failed => Err(format!("{failed} drivers have unexpected results")),
    }
}

fn read(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options { drivers: Vec::new(), rest: Vec::new(), root: None };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().cloned().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--driver" => options.drivers.push(known(value()?)?),
            "--root" => options.root = Some(value()?.into()),
            _ => options.rest.push(argument.clone()),
        }
    }
    Ok(options)
}

fn known(name: String) -> Result<String, String> {
    if DRIVERS.iter().any(|driver| driver.name == name) {
        return Ok(name);
    }
    let names: Vec<_> = DRIVERS.iter().map(|driver| driver.name).collect();
    Err(format!("unknown driver `{name}`; available: {}", names.join(", ")))
}

impl Options {
    fn wants(&self, driver: &Driver) -> bool {
        self.drivers.is_empty() || self.drivers.iter().any(|name| name == driver.name)
    }

    fn folder_of(&self, driver: &Driver) -> String {
        let root = self.root.as_ref().and_then(|root| root.file_name()?.to_str());
        root.map_or_else(|| driver.name.to_owned(), |root| format!("{root}-{}", driver.name))
    }
}

/// Runs the cases on one driver and writes the results to `results`.
fn run_driver(
    driver: &Driver,
    options: &Options,
    root: &Path,
    results: &Path,
) -> Result<(), String> {
    let environment = driver.environment(options.root.as_deref())?;
    say(&format!("== {}: {}", driver.name, driver.what));
    // Old results must not be mistaken for those of this run.
    let _ = std::fs::remove_dir_all(results);
    let mut command = program_in(options.root.as_deref(), root, environment);
    command.args(["run", "--adapter", driver.adapter, "--results"]).arg(results);
    let known = root.join(format!("runner/lab/{}-fails.txt", options.folder_of(driver)));
    if known.exists() {
        command.arg("--known-failures").arg(known);
    }
    command.args(&options.rest);
    let status = command.status().map_err(|error| format!("cannot start interstage: {error}"))?;
    // 1 and 2 mean failures and improvements, which the table shows.
    match status.code() {
        Some(0..=2) => Ok(()),
        _ => Err(format!("the run did not finish ({status})")),
    }
}

/// Path of the program in this system, or in the one below `other`, which has this project at the same path.
fn program_in(
    other: Option<&Path>,
    root: &Path,
    environment: Vec<(&'static str, String)>,
) -> Command {
    let program = crate::build::program();
    let Some(other) = other else {
        let mut command = Command::new(program);
        command.envs(environment).current_dir(root);
        return command;
    };
    let mut command = Command::new("chroot");
    command.arg(other).arg("/usr/bin/env").arg(format!("--chdir={}", root.display()));
    command.args(environment.iter().map(|(name, value)| format!("{name}={value}")));
    command.arg(program);
    command
}

/// Prints the readbacks of each driver that differ from those of the first, by case file. Returns the number of files
/// without an explanation.
fn compare(rows: &[Row], folder: &Path, options: &Options) -> Result<usize, String> {
    let path = crate::build::root().join("runner/lab/differences.txt");
    let known =
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let known = difference::Known::parse(&known)?;
    let there: Vec<_> = rows.iter().filter(|row| row.is_there()).map(Row::name).collect();
    let Some((first, others)) = there.split_first() else { return Ok(0) };
    let place = |name: &str| {
        let driver = DRIVERS.iter().find(|driver| driver.name == name);
        folder.join(driver.map_or_else(String::new, |driver| options.folder_of(driver)))
    };
    let mut unexplained = 0;
    for other in others {
        let mut command = Command::new(crate::build::program());
        let output = command.arg("compare").args([place(first), place(other)]).output();
        let output = output.map_err(|error| format!("cannot compare the results: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        say(&format!("== snapshots that differ between {other} and {first}"));
        for (file, captures) in difference::by_file(&text) {
            let reason = known.reason(&file, other);
            unexplained += usize::from(reason.is_none());
            let reason = reason.unwrap_or("NOT EXPLAINED");
            say(&format!("{captures:>5}  {file}: {reason}"));
        }
    }
    Ok(unexplained)
}

/// Driver file of `place` below `root`, or in this system.
fn vulkan_file(place: Place, root: Option<&Path>) -> Result<Option<PathBuf>, String> {
    let prefix = match place {
        Place::Any => return Ok(None),
        Place::SwiftShader => return machine::swiftshader().map(Some),
        Place::Lavapipe => "lvp_icd",
    };
    let base = root.unwrap_or(Path::new("/"));
    for folder in ["usr/share/vulkan/icd.d", "usr/local/share/vulkan/icd.d", "etc/vulkan/icd.d"] {
        let entries = std::fs::read_dir(base.join(folder)).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut found = names.filter(|name| name.starts_with(prefix));
        if let Some(name) = found.next() {
            return Ok(Some(Path::new("/").join(folder).join(name)));
        }
    }
    Err("Mesa's Vulkan drivers are not installed".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Neither a driver nor the program exists below this root.
    #[test]
    fn a_list_runs_nothing() {
        let root = Path::new("/nonexistent");
        assert_eq!(run(&["--list".to_owned()], root), Ok(()));
        assert!(run(&["--list".to_owned(), "cases".to_owned()], root).is_ok());
    }
}
