//! Every case of the project as a separate test, so that `cargo test NAME` and nextest run, filter and report cases
//! like any other test.
//!
//! The adapter is that of `INTERSTAGE_ADAPTER` (`vulkan:0`), else the default of `interstage run`. The tests of a
//! process share devices. A case that the adapter cannot run passes with a note.
//!
//! `cargo xtask test` sets `INTERSTAGE_CASES_RUN_ELSEWHERE`, because it runs all cases on every adapter in a separate
//! step.

mod common;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use interstage::check::verdict::Verdict;
use interstage::device::{self, Devices as Listed};
use interstage::{needs_adapter, run_case};
use interstage_runner::adapter;
use interstage_runner::args::Selection;
use interstage_runner::files::{case_file, golden};
use interstage_runner::outcome::weigh::weigh;
use interstage_runner::outcome::{CaseResult, Outcome};
use interstage_runner::plan::{PlannedCase, plan};
use interstage_runner::project::identify;
use interstage_runner::protocol::Adapter;
use interstage_runner::report::failure::{self, Invocation};
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
    let only = arguments.filter.clone().filter(|_| arguments.exact);
    let trials = on_large_stack(move || {
        let files = common::case_files();
        let plan = plan(&Selection::of(&only.map_or(files.clone(), |test| paths_of(&test, files))));
        plan.cases.into_iter().map(|case| trial(case, &devices)).collect()
    });
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Path of the case for the test with this name. nextest starts a process for every test, and reading all files would
/// take much longer than the test.
fn paths_of(test: &str, files: Vec<PathBuf>) -> Vec<PathBuf> {
    let (name, parameters) = test.find('#').map_or((test, ""), |at| test.split_at(at));
    let paths = files.into_iter().filter_map(|file| file.to_str().map(str::to_owned));
    let is_named = |path: &String| identify(path).is_ok_and(|found| test_name(&found.name) == name);
    let named = paths.filter(is_named);
    named.map(|path| PathBuf::from(path + parameters)).collect()
}

fn test_name(case: &str) -> String {
    let (file, parameters) = (case_file::file_of(case), case_file::parameters_of(case));
    let short = file.trim_start_matches("cases/").trim_end_matches(".shader_test");
    format!("{}{parameters}", short.replace('/', "::"))
}

/// A device, and the title of its adapter for `[expect]`.
struct Device {
    open: device::Device,
    title: String,
}

/// Idle devices.
#[derive(Default)]
struct Devices(Mutex<Vec<Device>>);

impl Devices {
    fn take(&self) -> Result<Device, String> {
        let idle = self.0.lock().map_err(|error| error.to_string())?.pop();
        idle.map_or_else(Self::open, Ok)
    }

    fn open() -> Result<Device, String> {
        let wanted = std::env::var("INTERSTAGE_ADAPTER").ok();
        let listed = wanted.as_deref().map_or_else(Listed::until_hardware, Listed::fitting);
        let adapters = listed.infos().map(Adapter::from).collect();
        let adapter = adapter::select(adapters, wanted.as_deref());
        let adapter = adapter.map_err(|error| error.to_string())?.into_iter().next();
        let adapter = adapter.ok_or("there is no adapter")?;
        let selector = adapter.selector();
        let open = listed.open(&selector).map_err(|error| format!("{selector}: {error}"))?;
        Ok(Device { open, title: adapter.title })
    }

    fn give_back(&self, device: Device) {
        // A lost device cannot be reused.
        if device.open.lost().is_none()
            && let Ok(mut idle) = self.0.lock()
        {
            idle.push(device);
        }
    }
}

fn trial(case: PlannedCase, devices: &Arc<Devices>) -> Trial {
    let devices = Arc::clone(devices);
    Trial::ignorable_test(test_name(&case.name), move || {
        on_large_stack(move || run(&case, &devices))
    })
}

fn run(planned: &PlannedCase, devices: &Devices) -> Result<Completion, Failed> {
    let text = case_file::read(&planned.file)?;
    let parsed = case_file::parse_one(&planned.file, &text, &planned.name)?;
    let case = parsed.ok_or("it was changed")?.result.map_err(|error| format!("{error:?}"))?;
    let device = if needs_adapter(&case) { Some(devices.take()?) } else { None };
    let open = device.as_ref().map(|device| &device.open);
    let verdict = run_case(&case, open, &golden::load(&case)).verdict;
    let title = device.as_ref().map(|device| device.title.as_str());
    let known: Vec<_> = planned.known(title).cloned().collect();
    let outcome = Outcome::Finished(verdict);
    let result = CaseResult::bare(&planned.name, outcome, 0.0, String::new());
    let mut result = result.of_file(&planned.file);
    weigh(&mut result, &known);
    if let Some(device) = device {
        devices.give_back(device);
    }
    if let Outcome::Finished(Verdict::Skip(reason) | Verdict::Unsupported(reason)) = result.outcome
    {
        return Ok(Completion::ignored_with(reason));
    }
    if result.status.is_failure() {
        let invocation = Invocation { program: "interstage".to_owned(), options: Vec::new() };
        return Err(failure::draw(&result, None, &invocation).into());
    }
    Ok(Completion::Completed)
}

/// Shaders are walked recursively; the program uses a large stack for that too.
fn on_large_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(case_file::STACK_BYTES).spawn(work);
    match thread.expect("a thread").join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}
