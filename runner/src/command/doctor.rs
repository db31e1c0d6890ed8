//! `interstage doctor`: the adapters of this machine; on request their capabilities and the cases that they would skip.

use interstage::ir::diagnostic::counted;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use anyhow::{anyhow, bail};
use interstage::case::gl;
use interstage::case::gl::Api;
use interstage::through::{Step, preset};

use crate::adapter;
use crate::args::{DoctorOptions, WorkerLimits};
use crate::command::run::execution::{
    Execution, Rules, print_note, print_problems, worker_program,
};
use crate::event::{Event, Report};
use crate::exit::Exit;
use crate::outcome::status::Status;
use crate::plan::{Plan, plan};
use crate::pool::child::WorkerProgram;
use crate::protocol::{Adapter, Answer, Device, Purpose, Request};
use crate::report::progress::{Progress, Verbosity};
use crate::stop::Stop;

/// Timeout for opening a device.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Maximum number of cases named per reason.
const NAMES: usize = 5;

/// Maximum line width for names of features and extensions.
const WIDTH: usize = 100;

/// Prints a summary of each adapter and the details that the options request. Fails only if an adapter cannot be opened
/// or the usage is wrong.
pub fn doctor(options: &DoctorOptions) -> anyhow::Result<Exit> {
    let limits = &WorkerLimits { jobs: None, timeout: Some(TIMEOUT) };
    let program = &worker_program(limits, &options.pretend, None)?;
    let wanted = Some(options.adapter.as_str());
    // Paths on the command line are only used for the list of skips.
    let has_skips = options.skips || !options.selection.paths.is_empty();
    let plan = if has_skips { plan(&options.selection) } else { Plan::default() };
    let mut exit = print_problems(&plan);
    let listed = adapter::list(program, wanted)?;
    let adapters = if options.adapter == "all" { listed } else { adapter::select(listed, wanted)? };
    if adapters.is_empty() {
        bail!("no adapter was requested");
    }
    for (adapter, device) in adapters.iter().zip(describe_all(program, &adapters)) {
        let mut text = format!("{}\n", adapter.line());
        match &device {
            Ok(device) => text += &draw_all(device, options),
            Err(error) => {
                exit = Exit::Unusable;
                let _ = writeln!(text, "  cannot be opened, so the exit code is 3: {error:#}");
            }
        }
        writeln!(std::io::stdout(), "{text}")?;
        if !plan.cases.is_empty() && device.is_ok() {
            let skips = skips(program, adapter, &plan, limits)?;
            writeln!(std::io::stdout(), "{skips}")?;
        }
    }
    if options.adapter == "all" && adapters.iter().all(adapter::is_executor) {
        print_note(&format!("there is no driver to test; {}", adapter::INSTALL));
    }
    if !(options.features || has_skips || options.gl) {
        writeln!(std::io::stdout(), "{}", compilers())?;
        writeln!(
            std::io::stdout(),
            "more: --features (with limits and formats), --gl (extensions and limits), --skips (cases that would not run)"
        )?;
    }
    Ok(exit)
}

/// The compilers for `--through` that are in `PATH`.
fn compilers() -> String {
    let titles: Vec<_> = preset::installed().iter().map(Step::title).collect();
    match &titles[..] {
        [] => format!(
            "compilers for --through: none of {}",
            preset::names().collect::<Vec<_>>().join(", ")
        ),
        titles => format!("compilers for --through: {}", titles.join(", ")),
    }
}

/// Opens the adapters in parallel.
fn describe_all(program: &WorkerProgram, adapters: &[Adapter]) -> Vec<anyhow::Result<Device>> {
    std::thread::scope(|scope| {
        let open = |adapter| scope.spawn(move || describe(program, adapter));
        let threads: Vec<_> = adapters.iter().map(open).collect();
        let panicked = || Err(anyhow!("interstage panicked, which is a bug"));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| panicked())).collect()
    })
}

/// Lists the reasons why cases would not run on an adapter.
fn skips(
    program: &WorkerProgram,
    adapter: &Adapter,
    plan: &Plan,
    limits: &WorkerLimits,
) -> anyhow::Result<String> {
    let mut reasons = Reasons::default();
    let execution = Execution {
        cases: &plan.cases,
        adapters: std::slice::from_ref(adapter),
        program,
        limits,
        purpose: Purpose::WouldSkip,
        rules: Rules::default(),
    };
    // This command is about cases that would not run, so they do not change the exit code.
    execution.run(&mut [&mut reasons])?;
    Ok(reasons.draw())
}

/// Formats a summary and the details that the options request.
fn draw_all(device: &Device, options: &DoctorOptions) -> String {
    let mut text = String::from("  cases may require ");
    text += &gl_versions();
    let (features, flags) = (device.features.len(), device.flags.len());
    let _ = writeln!(
        text,
        "\n  {} and {} of wgpu",
        counted(features, "feature"),
        counted(flags, "downlevel flag")
    );
    if options.features {
        text += &draw(device);
    }
    if options.gl {
        text += &draw_gl(device);
    }
    text
}

/// Lists the versions of GL and GLSL that cases may require.
fn gl_versions() -> String {
    format!(
        "GL {} core, GL {0} compatibility, GL ES {}, GLSL {}, GLSL ES {}",
        gl::gl_version(gl::DESKTOP_VERSION),
        gl::gl_version(gl::ES_VERSION),
        gl::glsl_version(gl::GLSL_VERSION),
        gl::glsl_version(gl::GLSL_ES_VERSION),
    )
}

fn describe(program: &WorkerProgram, adapter: &Adapter) -> anyhow::Result<Device> {
    let mut worker = program.on(&adapter.selector()).start()?;
    worker.ask(&Request::Describe)?;
    match worker.answer(TIMEOUT, &Stop::default()) {
        Ok(Answer::Device(device)) => Ok(device),
        Ok(Answer::NoDevice(reason) | Answer::DeviceLost(reason) | Answer::Panicked(reason)) => {
            bail!("{reason}")
        }
        Ok(
            Answer::NoAdapter
            | Answer::Adapters(_)
            | Answer::Prepared
            | Answer::Started { .. }
            | Answer::Finished(_),
        ) => {
            bail!("the worker sent an unexpected answer")
        }
        Err(loss) => {
            let (status, stderr) = worker.end_after(loss);
            bail!("cannot open the device: {status}\n{stderr}")
        }
    }
}

/// Lists the GL extensions and limits against which `[require]` lines are checked.
fn draw_gl(device: &Device) -> String {
    let mut text = String::new();
    for (heading, api) in [("GL", Api::Desktop), ("GL ES", Api::Es)] {
        let names = gl::extension::provided(api).iter().copied();
        let _ = writeln!(text, "  extensions of {heading}\n{}", draw_words(names));
    }
    text.push_str("  limits\n");
    let width = device.gl_limits.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in &device.gl_limits {
        let _ = writeln!(text, "    {name:width$}  {value}");
    }
    text
}

/// Wraps words to a limited width, without a final line end.
fn draw_words<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    let mut line = String::new();
    for word in words {
        if !line.is_empty() && line.len() + word.len() >= WIDTH {
            let _ = writeln!(text, "   {line}");
            line.clear();
        }
        line.push(' ');
        line.push_str(word);
    }
    text + "   " + &line
}

fn draw(device: &Device) -> String {
    let features = draw_words(device.features.iter().map(String::as_str));
    let flags = draw_words(device.flags.iter().map(String::as_str));
    let mut text = format!("  features\n{features}\n  downlevel flags\n{flags}\n  limits\n");
    let width = device.limits.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in &device.limits {
        let _ = writeln!(text, "    {name:width$}  {value}");
    }
    text.push_str("  formats\n");
    let width = device.formats.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, ability) in &device.formats {
        let _ = writeln!(text, "    {name:width$}  {ability}");
    }
    text
}

/// Collects the reasons why cases would be skipped.
#[derive(Debug)]
struct Reasons {
    progress: Progress,
    total: usize,
    cases: BTreeMap<(Status, String), Vec<String>>,
}

impl Default for Reasons {
    fn default() -> Self {
        Self { progress: Progress::Hidden, total: 0, cases: BTreeMap::new() }
    }
}

impl Report for Reasons {
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        match event {
            Event::AdapterStarted { total, .. } => {
                self.progress = Progress::start(*total, Verbosity::Normal);
            }
            Event::CaseDone(_) => self.progress.step(0),
            Event::CaseReported(result) => {
                self.total += 1;
                if let Some(reason) = result.outcome.reason() {
                    let key = (result.status, reason);
                    self.cases.entry(key).or_default().push(result.name.clone());
                }
            }
            Event::AdapterFinished => self.progress.finish(),
        }
        Ok(())
    }
}

impl Reasons {
    fn draw(&self) -> String {
        let kept_back: usize = self.cases.values().map(Vec::len).sum();
        let (run, all) = (self.total - kept_back, counted(self.total, "case"));
        let mut text = format!("  would run {run} of {all}\n");
        for ((status, reason), names) in &self.cases {
            let heading = status.heading().to_lowercase();
            let _ = writeln!(text, "    {heading}: {} × {reason}", names.len());
            names.iter().take(NAMES).for_each(|name| {
                let _ = writeln!(text, "      {name}");
            });
            if names.len() > NAMES {
                let _ = writeln!(text, "      … and {} more", names.len() - NAMES);
            }
        }
        text
    }
}
