//! The worker: a child process that reads jobs from stdin, runs them, and answers on stdout (see [`crate::protocol`]).
//!
//! The device is opened at the first case that needs it, and kept. Driver output goes to stderr, which the pool
//! collects. After a panic or the loss of the device, the worker reports it and waits to be ended: its state is
//! undefined, and with some drivers even closing a lost device never returns.

pub mod bless;
pub mod census;
pub mod digest;
pub mod keep;
pub mod run;
pub mod scripted;

use std::any::Any;
use std::io::{BufRead as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::Context as _;
use interstage::device::{self, Devices};
use interstage::gpu::{self, validation};
use interstage::ir::backend::Backend;
use interstage::offer::{AdapterInfo, DeviceType, Pretend};
use interstage::through::{self, Chain, Step};

use crate::args::WorkerOptions;
use crate::environment;
use crate::exit::Exit;
use crate::files::case_file;

use crate::processor;
use crate::protocol::{Adapter, Answer, Device, Job, Request, Wanted};
use crate::report::failure::quoted;
use crate::worker::run::{LoadedFile, PreparedJob};

/// Name of the thread that compiles and links the next case.
const PREPARING: &str = "preparing";

/// The device counts as lost after this many times the timeout of a case.
const ANSWER_FACTOR: u32 = 60;

/// Time for a worker to exit after its parent program is gone.
const ORPHANED: Duration = Duration::from_secs(2);

/// The adapter of this worker, opened when first needed.
#[derive(Debug)]
pub struct LazyDevice {
    selector: Option<String>,
    /// The listed adapters; the worker's adapter is one of these.
    listed: Option<Devices>,
    /// Timeout per case.
    timeout: Duration,
    opened: OnceLock<Result<device::Device, String>>,
}

/// Reason why there is no device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoGpu {
    /// The worker was started without an adapter.
    NoAdapter,
    /// The adapter provides no device, for this reason.
    NoDevice(String),
}

impl From<NoGpu> for Answer {
    fn from(reason: NoGpu) -> Self {
        match reason {
            NoGpu::NoAdapter => Self::NoAdapter,
            NoGpu::NoDevice(reason) => Self::NoDevice(reason),
        }
    }
}

impl LazyDevice {
    /// Returns the device, and opens it at the first call.
    pub fn get(&self) -> Result<&device::Device, NoGpu> {
        let Some(selector) = &self.selector else { return Err(NoGpu::NoAdapter) };
        let opened = self.opened.get_or_init(|| {
            let pretend = environment::pretended().map_err(|error| error.to_string())?;
            let device = match &self.listed {
                Some(listed) => listed.open_as(selector, &pretend),
                None => device::Device::open_as(selector, &pretend),
            };
            let mut device = device.map_err(|error| error.to_string())?;
            // A hang must be detected by the pool, not by the device, which does not know how busy the processors are.
            device.set_answer_timeout(self.timeout.saturating_mul(ANSWER_FACTOR));
            if environment::is_quick_llvmpipe() {
                device.compile_less();
            }
            let compilers = environment::compilers().map_err(|error| error.to_string())?;
            if !compilers.is_empty() {
                let chain = Chain::new(compilers).map_err(|error| error.to_string())?;
                device.compile_through(chain)?;
            }
            if let Some(seed) = environment::seed().map_err(|error| error.to_string())? {
                device.vary(seed);
            }
            Ok(device)
        });
        opened.as_ref().map_err(|reason| NoGpu::NoDevice(reason.clone()))
    }

    /// True if a case that took `time` can be run again before the pool's timeout.
    pub fn has_time_for(&self, time: Duration) -> bool {
        time.saturating_mul(4) < self.timeout
    }

    /// Lists adapters. One of them may be taken later.
    fn list(&mut self, wanted: &Wanted) -> Vec<Adapter> {
        let listed = match wanted {
            Wanted::All => Devices::all(),
            Wanted::Fitting(name) => Devices::fitting(name),
            Wanted::UntilHardware => Devices::until_hardware(),
        };
        let pretend = environment::pretended().unwrap_or_default();
        let compilers = environment::compilers().unwrap_or_default();
        let seed = environment::seed().unwrap_or_default();
        let is_validated = environment::is_validated();
        let mut adapters: Vec<_> = self.listed.insert(listed).infos().map(Adapter::from).collect();
        for adapter in &mut adapters {
            if !pretend.is_nothing() {
                adapter.title = format!("{} · pretending {pretend}", adapter.title);
            }
            if !compilers.is_empty() {
                adapter.title =
                    format!("{} · through {}", adapter.title, through::titles(&compilers));
            }
            if let Some(seed) = seed {
                adapter.title = format!("{} · varied by {seed}", adapter.title);
            }
            if is_validated {
                adapter.title = format!("{} · validated", adapter.title);
            }
            let vary = seed.map(|seed| format!("--vary {seed}"));
            let validate = is_validated.then(|| "--validate".to_owned());
            adapter.options =
                device_options(&pretend, &compilers, vary.into_iter().chain(validate));
        }
        adapters
    }

    /// Returns the device if it is already open.
    pub fn opened(&self) -> Option<&device::Device> {
        self.opened.get()?.as_ref().ok()
    }

    /// Reason why the device was lost; `None` if it was not.
    fn lost(&self) -> Option<String> {
        self.opened()?.lost()
    }
}

/// Command-line options for a device with these properties; `others` are whole options.
fn device_options(
    pretend: &Pretend,
    compilers: &[Step],
    others: impl Iterator<Item = String>,
) -> String {
    let pretend = pretend.to_string();
    let option = |word: &str| match word.strip_prefix('-') {
        Some(feature) => format!("--without {feature}"),
        None if word.contains('=') => format!("--limit {word}"),
        None => format!("--pretend {word}"),
    };
    let through = compilers.iter().map(|step| format!("--through {}", quoted(step.given())));
    let language = compilers.iter().find_map(Step::given_language);
    let language = language.map(|language| format!("--through-language {language}"));
    let none = environment::lacks_compilers_of_project().then(|| "--through none".to_owned());
    let pretended = pretend.split_whitespace().map(option);
    let all = pretended.chain(through).chain(none).chain(language).chain(others);
    all.collect::<Vec<_>>().join(" ")
}

/// Runs as a worker until stdin closes.
pub fn serve(options: &WorkerOptions) -> anyhow::Result<Exit> {
    silence_preparing();
    if environment::is_validated() {
        validation::listen()?;
    }
    let (sender, requests) = channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
        // An idle worker now exits by itself. One in the middle of a case, perhaps in a driver call that never returns,
        // does not, so it has to kill itself.
        drop(sender);
        std::thread::sleep(ORPHANED);
        kill_this_process();
    });
    let script = options.script.clone();
    let (selector, timeout) = (options.adapter.clone(), options.timeout);
    let device = LazyDevice { selector, listed: None, timeout, opened: OnceLock::new() };
    let answering = std::thread::Builder::new()
        .stack_size(case_file::STACK_BYTES)
        .spawn(move || match script {
            Some(script) => scripted::serve(&script, device.selector.as_deref(), &requests),
            None => answer_all(&requests, device),
        })
        .context("cannot start the worker's thread")?;
    answering.join().unwrap_or_else(|_| Ok(Exit::Unusable))
}

/// Answers all requests. Fails if the answers are no longer read.
fn answer_all(requests: &Receiver<String>, mut device: LazyDevice) -> anyhow::Result<Exit> {
    let mut state = WorkerState::default();
    while let Ok(line) = requests.recv() {
        match serde_json::from_str(&line).context("cannot parse the request")? {
            Request::Adapters(wanted) => send(&Answer::Adapters(device.list(&wanted)))?,
            Request::Take(selector) => device.selector = Some(selector),
            Request::Describe => {
                let describe = |device: &device::Device| Answer::Device(Device::from(device));
                send(&caught(|| device.get().map_or_else(Answer::from, describe)))?;
            }
            Request::Prepare(job) => send(&caught(|| {
                // Without a device, only cases that need none can be prepared.
                let _ = device.get();
                run::prepare(&job, &device, None);
                Answer::Prepared
            }))?,
            Request::Run { job, next } => {
                send(&Answer::Started { name: job.name.clone() })?;
                state.run(&job, next.as_ref(), &device)?;
            }
        }
    }
    Ok(Exit::AsExpected)
}

/// State that a worker keeps between cases.
#[derive(Debug, Default)]
struct WorkerState {
    last_file: Option<Arc<LoadedFile>>,
    ahead: Option<PreparedJob>,
}

impl WorkerState {
    /// Runs a job and answers; prepares the next one in the meantime.
    fn run(&mut self, job: &Job, next: Option<&Job>, device: &LazyDevice) -> anyhow::Result<()> {
        let ahead = self.ahead.take().filter(|ahead| ahead.is_of(job));
        let known = ahead.as_ref().map(PreparedJob::file).or(self.last_file.as_ref());
        let file = catch_unwind(|| LoadedFile::of(job, known));
        let file = match file {
            Ok(file) => file,
            Err(panic) => return send(&Answer::Panicked(message_of(panic.as_ref()))),
        };
        self.last_file = file.as_ref().ok().cloned();
        let last_file = self.last_file.as_ref();
        std::thread::scope(|scope| {
            let preparing = next.and_then(|next| {
                let thread = std::thread::Builder::new().name(PREPARING.to_owned());
                let thread = thread.stack_size(case_file::STACK_BYTES);
                thread.spawn_scoped(scope, || run::prepare(next, device, last_file)).ok()
            });
            send(&caught(|| {
                let file = file.as_ref().map(AsRef::as_ref);
                let answer = run::run(job, file, ahead, device);
                device.lost().map_or(answer, Answer::DeviceLost)
            }))?;
            // A panic in that thread belongs to the next case, and occurs again when that case runs.
            self.ahead = preparing.and_then(|thread| thread.join().ok().flatten());
            Ok(())
        })
    }
}

/// Returns the answer, or the panic as an answer.
fn caught(answer: impl FnOnce() -> Answer) -> Answer {
    let attempt = catch_unwind(AssertUnwindSafe(answer));
    attempt.unwrap_or_else(|panic| Answer::Panicked(message_of(panic.as_ref())))
}

/// Suppresses the messages of panics in the preparing thread, because they belong to another case.
fn silence_preparing() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().name() != Some(PREPARING) {
            print(panic);
        }
    }));
}

/// Kills this process. A regular exit can also hang in a driver.
fn kill_this_process() {
    #[cfg(unix)]
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    std::process::abort();
}

fn send(answer: &Answer) -> anyhow::Result<()> {
    let mut line = serde_json::to_vec(answer)?;
    line.push(b'\n');
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(&line)?;
    Ok(stdout.flush()?)
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_else(|| "a panic without a message".to_owned())
}

/// Backend, name and driver; for a software driver also the processor's level, on which its code depends.
fn title_of(info: &AdapterInfo) -> String {
    let is_driver = info.backend != Backend::Cpu;
    match info.device_type {
        DeviceType::Cpu if is_driver => format!("{info} · {}", processor::level()),
        DeviceType::Cpu
        | DeviceType::Integrated
        | DeviceType::Discrete
        | DeviceType::Virtual
        | DeviceType::Other => info.to_string(),
    }
}

impl From<&AdapterInfo> for Adapter {
    fn from(info: &AdapterInfo) -> Self {
        Self {
            backend: info.backend.into(),
            index: info.index,
            name: info.name.clone(),
            title: title_of(info),
            is_hardware: info.device_type.is_hardware(),
            bus: info.bus.clone(),
            extensions: gpu::extension_words_of(info).to_owned(),
            options: String::new(),
            unvalidated: validation::lacking(info.backend).map(str::to_owned),
        }
    }
}

impl From<&device::Device> for Device {
    fn from(device: &device::Device) -> Self {
        let offer = device.offer();
        let limits = offer.limits().into_iter().map(|(name, value)| (name.to_owned(), value));
        let gl_limits = offer.gl_limits().into_iter().map(|(name, value)| (name.to_owned(), value));
        Self {
            features: offer.features().into_iter().map(str::to_owned).collect(),
            flags: offer.flags().into_iter().map(str::to_owned).collect(),
            limits: limits.collect(),
            gl_limits: gl_limits.collect(),
            formats: offer
                .formats()
                .into_iter()
                .map(|(name, ability)| (name.to_owned(), ability))
                .collect(),
        }
    }
}
