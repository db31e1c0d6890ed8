//! Time that counts towards a worker's limit.
//!
//! On a busy machine a worker may wait longer for a processor than it runs. That time does not count, because the limit
//! is meant to detect a worker that hangs, not a machine with other work. All other time counts, whether the worker
//! runs, sleeps or waits for a GPU. Linux reports both per thread (`/proc/PID/task/*/schedstat`); elsewhere all time
//! counts.

use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Measures the time of one process.
#[derive(Debug)]
pub(super) struct Effort {
    /// Folder with the process's threads.
    threads: PathBuf,
    /// Time of the last measurement.
    looked: Instant,
    /// The threads' times at the last measurement.
    times: Option<ThreadTimes>,
    counted: Duration,
}

/// Sums over the threads of a process since they started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ThreadTimes {
    /// Time on a processor.
    ran: Duration,
    /// Time in the queue for a processor.
    queued: Duration,
}

impl Effort {
    /// Begins to measure `process`.
    pub(super) fn of(process: u32) -> Self {
        let threads = PathBuf::from(format!("/proc/{process}/task"));
        let times = ThreadTimes::read(&threads);
        Self { threads, looked: Instant::now(), times, counted: Duration::ZERO }
    }

    /// Returns the time that counts since the start of the measurement.
    pub(super) fn look(&mut self) -> Duration {
        let passed = self.looked.elapsed();
        self.looked += passed;
        let times = ThreadTimes::read(&self.threads);
        self.counted += match (self.times, times) {
            (Some(before), Some(now)) => now.since(before).counted_of(passed),
            (None, _) | (_, None) => passed,
        };
        self.times = times;
        self.counted
    }
}

impl ThreadTimes {
    fn read(threads: &PathBuf) -> Option<Self> {
        let mut sum = Self::default();
        for thread in std::fs::read_dir(threads).ok()?.flatten() {
            // A thread may have ended since the folder was listed.
            let Ok(text) = std::fs::read_to_string(thread.path().join("schedstat")) else {
                continue;
            };
            let mut nanoseconds = text.split_whitespace().map(str::parse);
            let (Some(Ok(ran)), Some(Ok(queued))) = (nanoseconds.next(), nanoseconds.next()) else {
                return None;
            };
            sum.ran += Duration::from_nanos(ran);
            sum.queued += Duration::from_nanos(queued);
        }
        Some(sum)
    }

    /// The difference to `before`. The times of a thread that has ended are missing, so the difference is then smaller.
    fn since(self, before: Self) -> Self {
        Self {
            ran: self.ran.saturating_sub(before.ran),
            queued: self.queued.saturating_sub(before.queued),
        }
    }

    /// The part of `passed` that counts. Several threads may have run, or been queued, at the same time.
    fn counted_of(self, passed: Duration) -> Duration {
        passed.saturating_sub(self.queued).max(self.ran.min(passed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(ran: u64, queued: u64, expected: u64) {
        let [ran, queued, expected] = [ran, queued, expected].map(Duration::from_millis);
        let times = ThreadTimes { ran, queued };
        assert_eq!(times.counted_of(Duration::from_millis(100)), expected);
    }

    #[test]
    fn waiting_for_a_processor_does_not_count() {
        // One thread: runs alone, shares the processor with four others, sleeps.
        check(100, 0, 100);
        check(20, 80, 20);
        check(0, 0, 100);
        // Two threads: both run, both share, one sleeps while the other shares.
        check(200, 0, 100);
        check(40, 160, 40);
        check(20, 80, 20);
    }

    #[test]
    fn a_thread_that_ended_takes_its_time_along() {
        let time = |ran, queued| ThreadTimes {
            ran: Duration::from_millis(ran),
            queued: Duration::from_millis(queued),
        };
        assert_eq!(time(50, 10).since(time(70, 5)), time(0, 5));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_reports_the_time_of_this_process() {
        let before = ThreadTimes::read(&"/proc/self/task".into()).expect("the system reports it");
        let mut sum = 0_u64;
        let mut now = before;
        // Wait until the system has counted 20 ms of work.
        while now.since(before).ran < Duration::from_millis(20) {
            sum = std::hint::black_box((0..100_000).sum::<u64>() ^ sum);
            now = ThreadTimes::read(&"/proc/self/task".into()).expect("the system reports it");
        }
        assert!(now.since(before).counted_of(Duration::from_secs(1)) >= Duration::from_millis(20));
        assert_eq!(ThreadTimes::read(&"/proc/0/task".into()), None);
    }
}
