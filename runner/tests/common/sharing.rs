//! Runs checks on one adapter on all processors.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use interstage::device::Device;
use interstage::gpu;
use interstage::offer::Pretend;
use interstage_runner::files::case_file;

/// The first available adapter, as a value of `--adapter`.
pub(crate) fn first_adapter() -> String {
    let adapter = gpu::adapters().into_iter().next().expect("an adapter");
    format!("{}:{}", adapter.backend, adapter.index)
}

/// Sums like [`sum_of_all_as`], on devices with all features of the adapter.
pub(crate) fn sum_of_all<T: Sync>(
    adapter: &str,
    items: &[T],
    check: impl Fn(&T, &Device) -> usize + Sync,
) -> usize {
    sum_of_all_as(adapter, &Pretend::default(), items, check)
}

/// Sum of the results of `check` for every item. One thread per processor, each with its own device and a stack as
/// large as the program's, since shaders are walked recursively.
///
/// # Panics
///
/// When a check panics, after the other threads have finished.
pub(crate) fn sum_of_all_as<T: Sync>(
    adapter: &str,
    pretend: &Pretend,
    items: &[T],
    check: impl Fn(&T, &Device) -> usize + Sync,
) -> usize {
    let next = AtomicUsize::new(0);
    let work = || {
        let device = Device::open_as(adapter, pretend).expect("a device");
        let taken = std::iter::from_fn(|| items.get(next.fetch_add(1, Ordering::Relaxed)));
        taken.map(|item| check(item, &device)).sum::<usize>()
    };
    thread::scope(|scope| {
        let start = |_| {
            let thread = thread::Builder::new().stack_size(case_file::STACK_BYTES);
            thread.spawn_scoped(scope, work).expect("a thread")
        };
        let count = thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..count).map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("no check panicked")).sum()
    })
}
