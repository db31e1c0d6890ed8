//! Every case of the project as a test of its own, so that `cargo test NAME` and nextest run, filter and report cases as
//! they do with any other test.
//!
//! The adapter is that of `INTERSTAGE_ADAPTER` (`vulkan:0`), else the first one. Devices are shared by the tests of a
//! process. A case that the adapter cannot run passes with a note, as skips do everywhere.
//!
//! `cargo xtask test` sets `INTERSTAGE_CASES_RUN_ELSEWHERE`, because it runs all cases on every adapter in a step of its
//! own.

mod common;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use interstage::gpu::{self, Gpu};
use interstage::verdict::Verdict;
use interstage::{needs_gpu, run_case};
use interstage_runner::{case_file, golden};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let is_listed = arguments.list || arguments.filter.is_some();
    if std::env::var_os("INTERSTAGE_CASES_RUN_ELSEWHERE").is_some() && !is_listed {
        let note = "the cases are run elsewhere: INTERSTAGE_CASES_RUN_ELSEWHERE is set\n";
        let _ = std::io::Write::write_all(&mut std::io::stderr(), note.as_bytes());
        return ExitCode::SUCCESS;
    }
    let devices = Arc::new(Devices::default());
    let trials = common::case_files().iter().flat_map(|path| trials_of(path, &devices)).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Devices that no test uses at the moment.
#[derive(Default)]
struct Devices(Mutex<Vec<Gpu>>);

impl Devices {
    fn take(&self) -> Result<Gpu, String> {
        let idle = self.0.lock().map_err(|error| error.to_string())?.pop();
        idle.map_or_else(Self::open, Ok)
    }

    fn open() -> Result<Gpu, String> {
        let first = || {
            let adapter = gpu::adapters().into_iter().next()?;
            Some(format!("{}:{}", adapter.backend, adapter.index))
        };
        let selector = std::env::var("INTERSTAGE_ADAPTER").ok().or_else(first);
        let selector = selector.ok_or("there is no adapter")?;
        Gpu::open(&selector).map_err(|error| format!("{selector}: {error}"))
    }

    fn give_back(&self, gpu: Gpu) {
        // A lost device is of no use to the next.
        if gpu.lost().is_none()
            && let Ok(mut idle) = self.0.lock()
        {
            idle.push(gpu);
        }
    }
}

/// A test for every combination of the file's parameters.
fn trials_of(path: &Path, devices: &Arc<Devices>) -> Vec<Trial> {
    let path = path.to_str().expect("case paths are plain text").to_owned();
    let cases = on_large_stack({
        let path = path.clone();
        move || {
            let cases = case_file::load(&path).expect("a readable case");
            cases.into_iter().map(|case| case.name).collect::<Vec<_>>()
        }
    });
    let trial = |(idx, name): (usize, String)| {
        let (path, devices) = (path.clone(), Arc::clone(devices));
        let short = case_file::short_name(&name).replace('/', "::");
        let run = move || on_large_stack(move || run(&path, idx, &devices));
        Trial::ignorable_test(short, run)
    };
    cases.into_iter().enumerate().map(trial).collect()
}

fn run(path: &str, idx: usize, devices: &Devices) -> Result<Completion, Failed> {
    let parsed = case_file::load(path)?.into_iter().nth(idx).ok_or("the file was changed")?;
    let case = parsed.result.map_err(|error| format!("{error:?}"))?;
    let gpu = if needs_gpu(&case) { Some(devices.take()?) } else { None };
    let verdict = run_case(&case, gpu.as_ref(), &golden::load(&case)).verdict;
    if let Some(gpu) = gpu {
        devices.give_back(gpu);
    }
    match verdict {
        Verdict::Pass => Ok(Completion::Completed),
        Verdict::Skip(reason) | Verdict::Unsupported(reason) => {
            Ok(Completion::ignored_with(reason))
        }
        Verdict::Fail(failures) => {
            let lines = failures.iter().map(|it| {
                let place = PathBuf::from(path);
                let details = it.details.join("\n    ");
                format!("{}:{}: {}\n    {details}", place.display(), it.line, it.step)
            });
            Err(lines.collect::<Vec<_>>().join("\n").into())
        }
        Verdict::Broken(errors) => Err(format!("{errors:?}").into()),
    }
}

/// Shaders are walked recursively; the program runs them on a large stack too.
fn on_large_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(case_file::STACK_BYTES).spawn(work);
    match thread.expect("a thread").join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}
