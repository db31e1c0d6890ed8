//! Distribution of jobs to workers.
//!
//! Jobs are assigned in order. With every job, the worker reserves the next one, so that it can compile it early. At
//! the end, idle workers take reserved jobs from others.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Value for no job.
const NONE: usize = usize::MAX;

/// The jobs of a run, by index.
#[derive(Debug, Default)]
pub(super) struct Queue {
    count: usize,
    /// The next unassigned job.
    next: AtomicUsize,
    /// The reserved job of every worker, or [`NONE`].
    reserved: Vec<AtomicUsize>,
}

impl Queue {
    /// Creates a queue of `count` jobs for `workers` workers.
    pub(super) fn of(count: usize, workers: usize) -> Self {
        let reserved = std::iter::repeat_with(|| AtomicUsize::new(NONE)).take(workers).collect();
        Self { count, next: AtomicUsize::new(0), reserved }
    }

    /// Takes a job for this worker. Also returns the job that the worker has reserved.
    pub(super) fn take(&self, worker: usize) -> Option<(usize, Option<usize>)> {
        let own = self.reserved.get(worker)?;
        let job = take_reserved(own)
            .or_else(|| self.fresh())
            .or_else(|| self.reserved.iter().find_map(take_reserved))?;
        let next = self.fresh();
        own.store(next.unwrap_or(NONE), Ordering::Relaxed);
        Some((job, next))
    }

    /// Stops assigning jobs, except reserved ones.
    pub(super) fn close(&self) {
        self.next.store(self.count, Ordering::Relaxed);
    }

    fn fresh(&self) -> Option<usize> {
        let job = self.next.fetch_add(1, Ordering::Relaxed);
        (job < self.count).then_some(job)
    }
}

/// Takes a reserved job and removes the reservation.
fn take_reserved(reserved: &AtomicUsize) -> Option<usize> {
    let job = reserved.swap(NONE, Ordering::Relaxed);
    (job != NONE).then_some(job)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_worker_gets_its_reserved_job() {
        let queue = Queue::of(5, 2);
        assert_eq!(queue.take(0), Some((0, Some(1))));
        assert_eq!(queue.take(1), Some((2, Some(3))));
        assert_eq!(queue.take(1), Some((3, Some(4))));
        assert_eq!(queue.take(0), Some((1, None)));
        assert_eq!(queue.take(1), Some((4, None)));
        assert_eq!((queue.take(0), queue.take(1)), (None, None));
    }

    /// The first worker is stuck in its job.
    #[test]
    fn idle_workers_steal_reserved_jobs_at_the_end() {
        let queue = Queue::of(4, 2);
        assert_eq!(queue.take(0), Some((0, Some(1))));
        assert_eq!(queue.take(1), Some((2, Some(3))));
        assert_eq!(queue.take(1), Some((3, None)));
        assert_eq!(queue.take(1), Some((1, None)));
        assert_eq!((queue.take(1), queue.take(0)), (None, None));
    }
}
