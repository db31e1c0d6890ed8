//! Runs several adapters at once: different GPUs in parallel, software adapters one after the other, because they share
//! the processors.
//!
//! Reports still see one adapter at a time: events of a later adapter are queued until the earlier ones have finished.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::event::{Event, Report};
use crate::exit::Exit;
use crate::outcome::CaseResult;
use crate::protocol::Adapter;

/// Runs all cases on one adapter and notifies the reports.
pub type RunOn<'a> = &'a (dyn Fn(&Adapter, &mut [&mut dyn Report]) -> anyhow::Result<Exit> + Sync);

/// Adapters that run one after the other, by index.
pub type Lane = Vec<usize>;

/// Groups lanes that run in parallel into consecutive phases. Every GPU has a lane, and all software adapters share
/// one. A GPU with an unknown bus (GL reports none) may be the same as any other, so it runs in a later phase.
pub fn phases(adapters: &[Adapter]) -> Vec<Vec<Lane>> {
    let (mut gpus, mut software, mut unknown) = (BTreeMap::<_, Lane>::new(), vec![], vec![]);
    for (idx, adapter) in adapters.iter().enumerate() {
        match adapter.is_hardware {
            true if adapter.bus.is_empty() => unknown.push(idx),
            true => gpus.entry(&adapter.bus).or_default().push(idx),
            false => software.push(idx),
        }
    }
    let some = |lane: &Lane| !lane.is_empty();
    let mut first: Vec<_> = gpus.into_values().chain([software]).filter(some).collect();
    first.sort();
    let last = vec![unknown].into_iter().filter(some).collect();
    [first, last].into_iter().filter(|phase: &Vec<_>| !phase.is_empty()).collect()
}

/// Runs all lanes in parallel. The first error ends all of them.
pub fn run(
    adapters: &[Adapter],
    lanes: &[Lane],
    run_on: RunOn<'_>,
    reports: &mut [&mut dyn Report],
) -> anyhow::Result<Exit> {
    let (sender, receiver) = channel();
    let failure = &Failure::default();
    let exit = std::thread::scope(|scope| {
        let threads: Vec<_> = lanes
            .iter()
            .map(|lane| {
                let sender = sender.clone();
                scope.spawn(move || {
                    failure.caught(Exit::worst(lane.iter().map(|idx| {
                        let relay =
                            &mut EventForwarder { idx: *idx, sender: sender.clone(), failure };
                        run_on(&adapters[*idx], &mut [relay])
                    })))
                })
            })
            .collect();
        drop(sender);
        let told =
            failure.caught(forward(adapters, lanes, receiver, reports).map(|()| Exit::AsExpected));
        threads.into_iter().fold(told, |exit, thread| {
            exit.max(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
        })
    });
    failure.take().map_or(Ok(exit), Err)
}

/// The first error of any lane.
#[derive(Debug, Default)]
struct Failure(Mutex<Option<anyhow::Error>>);

impl Failure {
    fn caught(&self, exit: anyhow::Result<Exit>) -> Exit {
        exit.unwrap_or_else(|error| {
            if !error.is::<Abandoned>() {
                self.content().get_or_insert(error);
            }
            Exit::Unusable
        })
    }

    fn is_any(&self) -> bool {
        self.content().is_some()
    }

    fn take(&self) -> Option<anyhow::Error> {
        self.content().take()
    }

    fn content(&self) -> MutexGuard<'_, Option<anyhow::Error>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a lane after an error elsewhere.
#[derive(Debug)]
struct Abandoned;

impl fmt::Display for Abandoned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the run on another adapter failed")
    }
}

impl std::error::Error for Abandoned {}

/// Forwards the events of one adapter.
struct EventForwarder<'a> {
    idx: usize,
    sender: Sender<(usize, QueuedEvent)>,
    failure: &'a Failure,
}

impl Report for EventForwarder<'_> {
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        // If the receiver is gone, it has already reported an error.
        if self.failure.is_any() || self.sender.send((self.idx, QueuedEvent::from(event))).is_err()
        {
            return Err(Abandoned.into());
        }
        Ok(())
    }
}

/// Forwards the events of all lanes to the reports, one adapter after the other.
fn forward(
    adapters: &[Adapter],
    lanes: &[Lane],
    receiver: Receiver<(usize, QueuedEvent)>,
    reports: &mut [&mut dyn Report],
) -> anyhow::Result<()> {
    let mut waiting: Vec<VecDeque<QueuedEvent>> =
        adapters.iter().map(|_| VecDeque::new()).collect();
    let mut order: Vec<_> = lanes.iter().flatten().copied().collect();
    order.sort_unstable();
    let mut order = order.into_iter();
    let mut front = order.next().unwrap_or(0);
    for (idx, heard) in receiver {
        if let Some(queue) = waiting.get_mut(idx) {
            queue.push_back(heard);
        }
        while let Some(heard) = waiting.get_mut(front).and_then(VecDeque::pop_front) {
            heard.tell(adapters.get(front), reports)?;
            if matches!(heard, QueuedEvent::AdapterFinished) {
                front = order.next().unwrap_or(adapters.len());
            }
        }
    }
    // After an early end, some adapters have not finished.
    for (queue, adapter) in waiting.into_iter().zip(adapters) {
        queue.into_iter().try_for_each(|heard| heard.tell(Some(adapter), reports))?;
    }
    Ok(())
}

/// A queued event.
#[derive(Debug)]
enum QueuedEvent {
    AdapterStarted { total: usize },
    CaseDone(CaseResult),
    CaseReported(CaseResult),
    AdapterFinished,
}

impl From<&Event<'_>> for QueuedEvent {
    fn from(event: &Event<'_>) -> Self {
        match event {
            Event::AdapterStarted { total, .. } => Self::AdapterStarted { total: *total },
            Event::CaseDone(result) => Self::CaseDone((*result).clone()),
            Event::CaseReported(result) => Self::CaseReported((*result).clone()),
            Event::AdapterFinished => Self::AdapterFinished,
        }
    }
}

impl QueuedEvent {
    fn tell(
        &self,
        adapter: Option<&Adapter>,
        reports: &mut [&mut dyn Report],
    ) -> anyhow::Result<()> {
        let event = match self {
            Self::AdapterStarted { total } => Event::AdapterStarted { adapter, total: *total },
            Self::CaseDone(result) => Event::CaseDone(result),
            Self::CaseReported(result) => Event::CaseReported(result),
            Self::AdapterFinished => Event::AdapterFinished,
        };
        reports.iter_mut().try_for_each(|report| report.hear(&event))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use anyhow::bail;
    use interstage::ir::backend::Backend;

    use super::*;

    /// One adapter per bus: `-` for software, `?` for a GPU with an unknown bus.
    fn adapters(buses: &str) -> Vec<Adapter> {
        let adapter = |(index, bus): (usize, &str)| Adapter {
            backend: Backend::Vulkan.into(),
            index,
            name: String::new(),
            title: String::new(),
            is_hardware: bus != "-",
            bus: bus.trim_matches(['-', '?']).to_owned(),
            extensions: String::new(),
            options: String::new(),
            unvalidated: None,
        };
        buses.split_whitespace().enumerate().map(adapter).collect()
    }

    /// Records the events it receives.
    #[derive(Debug, Default)]
    struct Notes(Vec<String>);

    impl Report for Notes {
        fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
            self.0.push(match event {
                Event::AdapterStarted { adapter, total } => {
                    format!("{}: {total}", adapter.map_or_else(String::new, Adapter::selector))
                }
                Event::CaseDone(result) => format!("{} done", result.name),
                Event::CaseReported(result) => result.name.clone(),
                Event::AdapterFinished => "end".to_owned(),
            });
            Ok(())
        }
    }

    fn result(name: &str) -> CaseResult {
        CaseResult::bare(name, crate::outcome::Outcome::NoAdapter, 0.0, String::new())
    }

    #[test]
    fn what_is_surely_another_gpu_runs_at_the_same_time() {
        let check = |buses: &str, expected: &[&[&[usize]]]| {
            assert_eq!(phases(&adapters(buses)), expected, "{buses:?}");
        };
        check("", &[]);
        check("- -", &[&[&[0, 1]]]);
        check("1", &[&[&[0]]]);
        check("?", &[&[&[0]]]);
        // Two drivers of one GPU, another GPU, and software.
        check("1 - 2 1 -", &[&[&[0, 3], &[1, 4], &[2]]]);
        check("2 1 - ? ?", &[&[&[0], &[1], &[2]], &[&[3, 4]]]);
    }

    /// Both adapters meet at a barrier, so they must run at the same time. The second one is ahead of the first.
    #[test]
    fn lanes_run_at_the_same_time_and_are_heard_one_after_the_other() {
        let adapters = adapters("1 2");
        let both = Barrier::new(2);
        let run_on = |adapter: &Adapter, reports: &mut [&mut dyn Report]| {
            let mut tell = |event: &Event<'_>| reports[0].hear(event);
            if adapter.index == 0 {
                both.wait();
            }
            tell(&Event::AdapterStarted { adapter: Some(adapter), total: 1 })?;
            tell(&Event::CaseReported(&result(&format!("case {}", adapter.index))))?;
            tell(&Event::AdapterFinished)?;
            if adapter.index == 1 {
                both.wait();
            }
            Ok(if adapter.index == 1 { Exit::Regression } else { Exit::AsExpected })
        };
        let mut notes = Notes::default();
        let exit = run(&adapters, &phases(&adapters)[0], &run_on, &mut [&mut notes]);
        assert_eq!(exit.expect("no report failed"), Exit::Regression);
        assert_eq!(notes.0, ["vulkan:0: 1", "case 0", "end", "vulkan:1: 1", "case 1", "end"],);
    }

    /// Signals when a case is reported.
    struct Tell(Sender<()>);
    impl Report for Tell {
        fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
            if let Event::CaseReported(_) = event {
                self.0.send(())?;
            }
            Ok(())
        }
    }

    /// A GPU without a bus runs in a later phase, and nothing waits for it.
    #[test]
    fn reports_hear_at_once_of_an_adapter_behind_one_of_a_later_phase() {
        let adapters = adapters("1 ? -");
        let (heard, hearing) = channel();
        let hearing = Mutex::new(hearing);
        let run_on = |adapter: &Adapter, reports: &mut [&mut dyn Report]| {
            if adapter.index == 2 {
                reports[0].hear(&Event::CaseReported(&result("case")))?;
                let wait = std::time::Duration::from_secs(20);
                hearing.lock().unwrap().recv_timeout(wait)?;
            }
            reports[0].hear(&Event::AdapterFinished)?;
            Ok(Exit::AsExpected)
        };
        let mut tell = Tell(heard);
        let exit = run(&adapters, &phases(&adapters)[0], &run_on, &mut [&mut tell]);
        assert_eq!(exit.expect("it was heard before the end"), Exit::AsExpected);
    }

    /// The results of the second adapter are reported although the first did not finish.
    #[test]
    fn an_error_on_one_adapter_ends_the_others() {
        let adapters = adapters("1 2");
        let run_on = |adapter: &Adapter, reports: &mut [&mut dyn Report]| {
            if adapter.index == 0 {
                bail!("the disk is full");
            }
            loop {
                reports[0].hear(&Event::CaseDone(&result("case")))?;
            }
        };
        let error = run(&adapters, &phases(&adapters)[0], &run_on, &mut [&mut Notes::default()]);
        assert_eq!(error.expect_err("one failed").to_string(), "the disk is full");
    }

    #[test]
    fn a_report_that_fails_ends_all_lanes() {
        struct Full;
        impl Report for Full {
            fn hear(&mut self, _: &Event<'_>) -> anyhow::Result<()> {
                bail!("no room")
            }
        }
        let adapters = adapters("1 -");
        let run_on = |_: &Adapter, reports: &mut [&mut dyn Report]| loop {
            reports[0].hear(&Event::CaseDone(&result("case")))?;
        };
        let error = run(&adapters, &phases(&adapters)[0], &run_on, &mut [&mut Full]);
        assert_eq!(error.expect_err("nobody listens").to_string(), "no room");
    }
}
