//! Cost of a program and all its child processes.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Linux reports CPU time in hundredths of a second.
const TICKS_PER_SECOND: f64 = 100.0;

/// Interval between memory samples.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Cost of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    /// CPU seconds of all processes.
    pub(crate) cpu: f64,
    /// Elapsed seconds.
    pub(crate) wall: f64,
    /// Peak memory of all processes together, in bytes, as sampled.
    pub(crate) peak: u64,
}

/// Runs a program to its end, with its output in the file `output`. A failure of the program is not an error.
pub(crate) fn measure(command: &mut Command, output: &Path) -> Result<Cost, String> {
    let printed = File::create(output).map_err(|error| format!("{}: {error}", output.display()))?;
    let before = cpu_of_children()?;
    let started = Instant::now();
    let quiet = command.stdin(Stdio::null()).stdout(printed).stderr(Stdio::null());
    let mut child = quiet
        .spawn()
        .map_err(|error| format!("cannot start {}: {error}", command.get_program().display()))?;
    let mut peak = 0;
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        peak = peak.max(memory_below(child.id()));
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(Cost { cpu: cpu_of_children()? - before, wall: started.elapsed().as_secs_f64(), peak })
}

/// CPU time of all children that ended and were waited for, including their children.
fn cpu_of_children() -> Result<f64, String> {
    let stat = std::fs::read_to_string("/proc/self/stat").map_err(|error| error.to_string())?;
    let ticks = |at: usize| fields(&stat).nth(at).and_then(|field| field.parse::<f64>().ok());
    let sum = ticks(13).zip(ticks(14)).map(|(user, system)| user + system);
    sum.map(|ticks| ticks / TICKS_PER_SECOND)
        .ok_or_else(|| "cannot parse /proc/self/stat".to_owned())
}

/// Fields after the program's name, which may contain any characters. The first is the third field of
/// `man proc_pid_stat`.
fn fields(stat: &str) -> impl Iterator<Item = &str> {
    stat.rsplit(')').next().unwrap_or_default().split_whitespace()
}

/// Memory of a process and its descendants, in bytes.
fn memory_below(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let held = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes =
        held.and_then(|size| size.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let below: u64 = lists
        .flat_map(|list| {
            list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()
        })
        .map(memory_below)
        .sum();
    kibibytes.unwrap_or(0) * 1024 + below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_works_costs_time_and_memory() {
        let mut busy = Command::new("sh");
        busy.args(["-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo $i"]);
        let output = std::env::temp_dir().join(format!("measure-{}", std::process::id()));
        let cost = measure(&mut busy, &output).unwrap();
        assert_eq!(std::fs::read_to_string(&output).unwrap(), "300000\n");
        std::fs::remove_file(&output).unwrap();
        assert!(cost.cpu > 0.0 && cost.cpu < cost.wall + 1.0 && cost.peak > 0, "{cost:?}");
    }
}
