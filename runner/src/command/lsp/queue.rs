//! The documents that wait for analysis. A newer version replaces an older one, so that typing queues no work.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use gen_lsp_types::Diagnostic;
use interstage::device::Device;

use super::analysis::{Analysis, Course, Job, analyse};

/// A queue for one worker.
#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// At most one job for each document, in order of arrival.
    waiting: Vec<Job>,
    /// The newest generation of each open document.
    newest: BTreeMap<String, u64>,
}

/// A document that was analysed, or its first case.
#[derive(Clone, Debug)]
pub(super) struct Analysed {
    /// The document.
    pub(super) uri: String,
    /// The generation that was analysed.
    pub(super) generation: u64,
    /// The results.
    pub(super) results: Results,
}

/// What the analysis of a document found.
#[derive(Clone, Debug)]
pub(super) enum Results {
    /// Messages about the first of many cases.
    Early(Vec<Diagnostic>),
    /// Everything.
    Whole(Analysis),
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a version of a document, and removes older ones.
    pub(super) fn put(&self, job: Job) {
        let mut state = self.lock();
        state.newest.insert(job.uri.to_string(), job.generation);
        state.waiting.retain(|known| known.uri != job.uri);
        state.waiting.push(job);
        drop(state);
        self.changed.notify_one();
    }

    /// Removes a document that was closed.
    pub(super) fn forget(&self, uri: &str) {
        let mut state = self.lock();
        state.newest.remove(uri);
        state.waiting.retain(|known| known.uri.as_ref() != uri);
    }

    /// Waits for the next job.
    fn take(&self) -> Job {
        let mut state = self.lock();
        loop {
            if !state.waiting.is_empty() {
                return state.waiting.remove(0);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// True if there is a newer version of the job's document, or if the document was closed.
    fn is_stale(&self, job: &Job) -> bool {
        self.lock().newest.get(job.uri.as_ref()) != Some(&job.generation)
    }

    /// Analyses documents until `done` returns false.
    pub(super) fn work(&self, device: &Device, done: impl Fn(Analysed) -> bool) {
        loop {
            let job = self.take();
            let tell = |results| {
                done(Analysed { uri: job.uri.to_string(), generation: job.generation, results })
            };
            // If the server has ended, so does this loop below.
            let early = |messages| _ = tell(Results::Early(messages));
            let course = Course { is_stale: &|| self.is_stale(&job), early: &early };
            let Some(analysis) = analyse(&job, device, course) else { continue };
            if !tell(Results::Whole(analysis)) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::position::{Encoding, Text};
    use super::*;

    fn job(uri: &str, generation: u64) -> Job {
        let text = Text::new("[test]\n".to_owned(), Encoding::Utf16);
        Job { uri: uri.into(), path: uri.to_owned(), generation, text }
    }

    #[test]
    fn a_newer_version_replaces_an_older_one() {
        let queue = Queue::default();
        for generation in 1..100 {
            queue.put(job("a", generation));
        }
        queue.put(job("b", 100));
        queue.put(job("c", 101));
        queue.forget("b");
        assert_eq!(queue.take().generation, 99);
        assert_eq!(queue.take().uri.as_ref(), "c");
        assert!(queue.lock().waiting.is_empty());
    }

    #[test]
    fn an_older_version_and_a_closed_document_are_stale() {
        let queue = Queue::default();
        queue.put(job("a", 1));
        let first = queue.take();
        assert!(!queue.is_stale(&first));
        queue.put(job("a", 2));
        assert!(queue.is_stale(&first));
        let second = queue.take();
        queue.forget("a");
        assert!(queue.is_stale(&second));
    }
}
