//! Time that counts towards a worker's limit.
//!
//! On a busy machine a worker may wait longer for a processor than it runs. That time does not count, because the limit
//! is meant to detect a worker that hangs, not a machine with other work. All other time counts, whether the worker
//! runs, sleeps or waits for a GPU. Linux reports both per thread (`/proc/PID/task/*/schedstat`); elsewhere all time
//! counts.
//!
//! Linux adds a wait to a thread's time in the queue when the wait ends. A wait that is longer than the interval between
//! two measurements therefore first looks like sleep, and its time is subtracted when it is reported.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Measures the time of one process.
#[derive(Debug)]
pub(super) struct Effort {
    /// Folder with the process's threads.
    threads: PathBuf,
    /// Time of the last measurement.
    looked: Instant,
    /// Times of each thread at the last measurement, by its name in the folder; `None` where the system does not report them.
    times: Option<Threads>,
    tally: Tally,
    /// Time on processors, summed over the threads.
    ran: Duration,
}

/// Times of the threads of a process, by their names in its folder.
type Threads = BTreeMap<OsString, ThreadTime>;

/// Times of a thread since it began, or in an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ThreadTime {
    /// Time on a processor.
    ran: Duration,
    /// Time in the queue for a processor, in waits that have ended.
    queued: Duration,
}

/// Time that counts, summed over intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    counted: Duration,
    /// The part of `counted` in which no thread ran, as far as is known.
    idle: Duration,
}

impl Effort {
    /// Starts to measure `process`.
    pub(super) fn of(process: u32) -> Self {
        let threads = PathBuf::from(format!("/proc/{process}/task"));
        let times = read(&threads);
        Self {
            threads,
            looked: Instant::now(),
            times,
            tally: Tally::default(),
            ran: Duration::ZERO,
        }
    }

    /// Returns the time that counts since the start of the measurement.
    pub(super) fn look(&mut self) -> Duration {
        let passed = self.looked.elapsed();
        self.looked += passed;
        let times = read(&self.threads);
        match (&self.times, &times) {
            (Some(before), Some(now)) => {
                let threads = differences(before, now);
                self.ran += threads.iter().map(|thread| thread.ran).sum::<Duration>();
                self.tally.add(passed, &threads);
            }
            (None, _) | (_, None) => self.tally.counted += passed,
        }
        self.times = times;
        self.tally.counted
    }

    /// Time on processors up to the last look, summed over the threads; `None` where the system does not report it. The
    /// last moments of a thread that ended are missing.
    pub(super) fn ran(&self) -> Option<Duration> {
        self.times.as_ref().map(|_| self.ran)
    }
}

impl Tally {
    /// Adds an interval, with the times of each thread in it.
    fn add(&mut self, passed: Duration, threads: &[ThreadTime]) {
        let ran = threads.iter().map(|thread| thread.ran).sum::<Duration>().min(passed);
        // Several threads may have run, or queued, at the same time.
        let queued: Duration = threads.iter().map(|thread| thread.queued_within(passed)).sum();
        let counted = passed.saturating_sub(queued).max(ran);
        // The rest of a thread's time in the queue belongs to earlier intervals.
        let rest =
            threads.iter().map(|thread| thread.queued.saturating_sub(thread.queued_within(passed)));
        let late = rest.max().unwrap_or_default().min(self.idle);
        self.counted = (self.counted + counted).saturating_sub(late);
        self.idle = (self.idle + counted.saturating_sub(ran)).saturating_sub(late);
    }
}

impl ThreadTime {
    /// The time in the queue that is in an interval of this length.
    fn queued_within(self, passed: Duration) -> Duration {
        self.queued.min(passed.saturating_sub(self.ran))
    }
}

fn read(threads: &Path) -> Option<Threads> {
    let mut times = Threads::new();
    for thread in std::fs::read_dir(threads).ok()?.flatten() {
        // A thread may have ended since the folder was listed.
        let Ok(text) = std::fs::read_to_string(thread.path().join("schedstat")) else {
            continue;
        };
        let mut nanoseconds = text.split_whitespace().map(str::parse);
        let (Some(Ok(ran)), Some(Ok(queued))) = (nanoseconds.next(), nanoseconds.next()) else {
            return None;
        };
        let [ran, queued] = [ran, queued].map(Duration::from_nanos);
        times.insert(thread.file_name(), ThreadTime { ran, queued });
    }
    Some(times)
}

/// Times of each thread between two looks. A thread that ended in between is left out.
fn differences(before: &Threads, now: &Threads) -> Vec<ThreadTime> {
    let since = |(name, now): (&OsString, &ThreadTime)| {
        let before = before.get(name).copied().unwrap_or_default();
        ThreadTime {
            ran: now.ran.saturating_sub(before.ran),
            queued: now.queued.saturating_sub(before.queued),
        }
    };
    now.iter().map(since).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(ran: u64, queued: u64) -> ThreadTime {
        let [ran, queued] = [ran, queued].map(Duration::from_millis);
        ThreadTime { ran, queued }
    }

    /// Checks how much counts of intervals of 100 ms with these threads.
    #[track_caller]
    fn check(intervals: &[&[ThreadTime]], expected: u64) {
        let mut tally = Tally::default();
        for threads in intervals {
            tally.add(Duration::from_millis(100), threads);
        }
        assert_eq!(tally.counted, Duration::from_millis(expected));
    }

    #[test]
    fn waiting_for_a_processor_does_not_count() {
        // One thread: it runs alone, it shares the processor with four others, it sleeps.
        check(&[&[time(100, 0)]], 100);
        check(&[&[time(20, 80)]], 20);
        check(&[&[time(0, 0)]], 100);
        // Two threads: both run, both share, one sleeps while the other shares.
        check(&[&[time(100, 0), time(100, 0)]], 100);
        check(&[&[time(20, 80), time(20, 80)]], 40);
        check(&[&[time(0, 0), time(20, 80)]], 20);
    }

    #[test]
    fn a_wait_longer_than_an_interval_does_not_count() {
        // It waits through three intervals and runs at the end of the third.
        check(&[&[time(0, 0)], &[time(0, 0)], &[time(10, 290)]], 10);
        // It sleeps in the first and waits in the second and third.
        check(&[&[time(0, 0)], &[time(0, 0)], &[time(10, 190)]], 110);
        // Nothing is given back that has not been counted.
        check(&[&[time(10, 290)]], 10);
        // Two threads wait through the same two intervals.
        check(&[&[time(0, 0), time(0, 0)], &[time(5, 195), time(5, 195)]], 10);
    }

    #[test]
    fn a_hang_after_waits_counts_in_full() {
        check(&[&[time(0, 0)], &[time(10, 190)], &[time(0, 0)], &[time(0, 0)]], 210);
    }

    #[test]
    fn a_thread_that_ended_or_began_does_not_count_for_another() {
        let threads = |all: &[(&str, ThreadTime)]| -> Threads {
            all.iter().map(|(name, time)| (OsString::from(name), *time)).collect()
        };
        let before = threads(&[("1", time(70, 5)), ("2", time(500, 900))]);
        let now = threads(&[("1", time(90, 65)), ("3", time(7, 8))]);
        assert_eq!(differences(&before, &now), [time(20, 60), time(7, 8)]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn work_is_time_on_a_processor() {
        let mut effort = Effort::of(std::process::id());
        assert_eq!(effort.ran(), Some(Duration::ZERO));
        let mut sum = 0_u64;
        while effort.ran() < Some(Duration::from_millis(20)) {
            sum = std::hint::black_box((0..100_000).sum::<u64>() ^ sum);
            effort.look();
        }
        assert_eq!(Effort::of(0).ran(), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_reports_the_time_of_this_process() {
        let ran =
            |threads: &[ThreadTime]| threads.iter().map(|thread| thread.ran).sum::<Duration>();
        let look = || read(Path::new("/proc/self/task")).expect("the system reports it");
        let before = look();
        let mut sum = 0_u64;
        // Until the system has counted 20 ms of work.
        while ran(&differences(&before, &look())) < Duration::from_millis(20) {
            sum = std::hint::black_box((0..100_000).sum::<u64>() ^ sum);
        }
        assert_eq!(read(Path::new("/proc/0/task")), None);
    }
}
