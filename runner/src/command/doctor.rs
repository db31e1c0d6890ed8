//! `interstage doctor`: the capabilities of this machine, and which cases it would skip and why.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use anyhow::bail;
use interstage::case::gl;
use interstage::case::gl::Api;

use crate::adapter;
use crate::args::{DoctorOptions, WorkerLimits};
use crate::command::execution::{Execution, Rules, print_problems, worker_program};
use crate::event::{Event, Report};
use crate::exit::Exit;
use crate::plan::{Plan, plan};
use crate::pool::child::WorkerProgram;
use crate::protocol::{Adapter, Answer, Device, Purpose, Request};
use crate::status::Status;
use crate::stop::Stop;

/// Timeout for opening a device.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Maximum number of cases named per reason.
const NAMES: usize = 5;

/// Maximum line width for names of features and extensions.
const WIDTH: usize = 100;

/// Prints the adapters and the requirements they do not meet.
pub fn doctor(options: &DoctorOptions) -> anyhow::Result<Exit> {
    let limits = &WorkerLimits { jobs: None, timeout: Some(TIMEOUT) };
    let program = &worker_program(limits, &options.pretend, None)?;
    let wanted = Some(options.adapter.as_str());
    let adapters = adapter::select(adapter::list(program, wanted)?, wanted)?;
    if adapters.is_empty() {
        bail!(
            "no adapter found; on Debian, install one with `apt-get install mesa-vulkan-drivers`"
        );
    }
    if options.gl {
        return print_gl(program, &adapters);
    }
    // Outside a project, only the adapters are printed.
    let only_adapters = options.selection.is_of_nothing();
    let plan = if only_adapters { Plan::default() } else { plan(&options.selection) };
    let mut exit = print_problems(&plan);
    for adapter in &adapters {
        let mut text = format!("{}\n", adapter.line());
        match describe(program, adapter) {
            Ok(device) => text += &draw(&device),
            Err(error) => {
                exit = Exit::Unusable;
                let _ = writeln!(text, "  {error:#}");
            }
        }
        if only_adapters {
            writeln!(std::io::stdout(), "{text}")?;
            continue;
        }
        let mut reasons = Reasons::default();
        let adapters = std::slice::from_ref(adapter);
        let purpose = Purpose::WouldSkip;
        let execution = Execution {
            cases: &plan.cases,
            adapters,
            program,
            limits,
            purpose,
            rules: Rules::default(),
        };
        exit = exit.max(execution.run(&mut [&mut reasons])?);
        writeln!(std::io::stdout(), "{text}{}", reasons.draw())?;
    }
    Ok(exit)
}

/// Prints the GL that interstage provides on each adapter.
fn print_gl(program: &WorkerProgram, adapters: &[Adapter]) -> anyhow::Result<Exit> {
    let mut exit = Exit::AsExpected;
    for adapter in adapters {
        let text = describe(program, adapter).map_or_else(
            |error| {
                exit = Exit::Unusable;
                format!("  {error:#}\n")
            },
            |device| draw_gl(&device),
        );
        writeln!(std::io::stdout(), "{}\n{text}", adapter.line())?;
    }
    Ok(exit)
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

/// GL versions, extensions and limits that `[require]` lines are checked against.
fn draw_gl(device: &Device) -> String {
    let mut text = format!(
        "  GL {} core, GL {0} compatibility, GL ES {}, GLSL {}, GLSL ES {}\n",
        gl::gl_version(gl::DESKTOP_VERSION),
        gl::gl_version(gl::ES_VERSION),
        gl::glsl_version(gl::GLSL_VERSION),
        gl::glsl_version(gl::GLSL_ES_VERSION),
    );
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

/// Words wrapped to a limited width, without a final line end.
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
#[derive(Debug, Default)]
struct Reasons {
    total: usize,
    cases: BTreeMap<(Status, String), Vec<String>>,
}

impl Report for Reasons {
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        if let Event::CaseReported(result) = event {
            self.total += 1;
            if let Some(reason) = result.outcome.reason() {
                let key = (result.status, reason);
                self.cases.entry(key).or_default().push(result.name.clone());
            }
        }
        Ok(())
    }
}

impl Reasons {
    fn draw(&self) -> String {
        let kept_back: usize = self.cases.values().map(Vec::len).sum();
        let mut text = format!("  would run {} of {} cases\n", self.total - kept_back, self.total);
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
