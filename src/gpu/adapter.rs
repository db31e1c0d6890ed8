//! Lists adapters, chooses one by name and opens a device on it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ir::backend::Backend;
use offer::{AdapterInfo, DeviceType, Offer, Pretend};
use through::Chain;

use super::messages::Messages;
use super::pipeline_cache::PipelineCache;
use super::{offered, validation};

/// Default time that one case may keep the adapter busy; see [`Gpu::set_answer_timeout`].
const ANSWER_TIMEOUT: Duration = Duration::from_mins(2);

/// The reason why no device could be opened.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// No adapter of the machine matches the selector.
    #[error("no adapter `{selector}`; there are: {available}")]
    NoAdapter {
        /// The requested adapter.
        selector: String,
        /// The available adapters, or `none`.
        available: String,
    },
    /// The driver refused to create a device.
    #[error("{adapter} gives no device: {reason}")]
    NoDevice {
        /// Description of the adapter.
        adapter: String,
        /// wgpu's message.
        reason: String,
    },
}

/// An open device.
#[derive(Debug)]
pub struct Gpu {
    pub(super) offer: Offer,
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    pub(super) messages: Messages,
    pub(super) pipeline_cache: PipelineCache,
    pub(super) answer_timeout: Duration,
    compiles_less: bool,
    compilers: Option<Chain>,
    /// True while stages go to the driver without other compilers.
    is_direct: AtomicBool,
    compiler_failure: Mutex<Option<through::Failure>>,
    /// Locked while a case runs, so that messages belong to one case.
    pub(super) running: Mutex<()>,
}

impl Gpu {
    /// Opens the first adapter that matches `selector`: `vulkan:0`, `gl`, or a part of its name, ignoring case.
    ///
    /// The device has every feature of the adapter that is not experimental, and the adapter's own limits.
    pub fn open(selector: &str) -> Result<Self, GpuError> {
        Self::open_as(selector, &Pretend::default())
    }

    /// Opens an adapter like [`Self::open`], with a device reduced by `pretend`.
    pub fn open_as(selector: &str, pretend: &Pretend) -> Result<Self, GpuError> {
        Adapters::fitting(selector).open_as(selector, pretend)
    }

    fn on(info: AdapterInfo, adapter: wgpu::Adapter, pretend: &Pretend) -> Result<Self, GpuError> {
        let no_device = |reason: &dyn ToString| GpuError::NoDevice {
            adapter: info.to_string(),
            reason: reason.to_string(),
        };
        let offer = offered::offer_of(info.clone(), &adapter, pretend);
        let offer = offer.map_err(|error| no_device(&error))?;
        let abilities = offer.abilities();
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("interstage"),
            required_features: abilities.features,
            required_limits: abilities.limits.clone(),
            ..wgpu::DeviceDescriptor::default()
        });
        let (device, queue) = pollster::block_on(request).map_err(|error| no_device(&error))?;
        // An error of the device itself affects every case, not only the first.
        if let Some(objection) = validation::take(info.backend).into_iter().next() {
            return Err(no_device(&objection));
        }
        let messages = Messages::of(&device);
        let running = Mutex::new(());
        let answer_timeout = ANSWER_TIMEOUT;
        let pipeline_cache = PipelineCache::default();
        let compiles_less = false;
        Ok(Self {
            offer,
            device,
            queue,
            messages,
            pipeline_cache,
            answer_timeout,
            compiles_less,
            compilers: None,
            is_direct: AtomicBool::new(false),
            compiler_failure: Mutex::default(),
            running,
        })
    }

    /// Identity of the adapter.
    pub const fn info(&self) -> &AdapterInfo {
        self.offer.info()
    }

    /// The features, flags, limits and formats of the device.
    pub const fn offer(&self) -> &Offer {
        &self.offer
    }

    /// Makes the driver compile fewer shader variants where possible; see `Self::compiles_tiles_alike`.
    pub const fn compile_less(&mut self) {
        self.compiles_less = true;
    }

    /// True if the driver should compile a fragment stage only once. When llvmpipe draws to exactly one target, it
    /// compiles a second variant for tiles that a primitive covers completely, which takes a quarter of its time. An
    /// empty second attachment disables this specialisation, and the code for partly covered tiles draws all tiles. The
    /// second variant is then not tested, so callers must opt in.
    pub(super) fn compiles_tiles_alike(&self) -> bool {
        self.compiles_less
            && self.info().backend == Backend::Vulkan
            && self.info().name.starts_with("llvmpipe")
    }

    /// Compiles every stage through other programs. If the first of them reads WGSL, the device offers only what WGSL can
    /// express, also without the programs.
    ///
    /// # Errors
    /// The device takes no shaders of other programs, with the reason. wgpu gives SPIR-V unchanged to Vulkan drivers
    /// only.
    pub fn compile_through(&mut self, compilers: Chain) -> Result<(), String> {
        let (info, features) = (self.info(), self.offer.abilities().features);
        if info.backend != Backend::Vulkan {
            return Err(format!(
                "other compilers need a Vulkan adapter, because they write SPIR-V; this is one of {}",
                info.backend
            ));
        }
        if !features.contains(wgpu::Features::PASSTHROUGH_SHADERS) {
            return Err("the device lacks PASSTHROUGH_SHADERS".to_owned());
        }
        self.offer.write_in(compilers.language());
        self.compilers = Some(compilers);
        Ok(())
    }

    /// The programs that compile every stage; `None` without such programs.
    pub fn compilers(&self) -> Option<&Chain> {
        self.compilers.as_ref().filter(|_| !self.is_direct.load(Ordering::Relaxed))
    }

    /// Runs `work` while stages go to the driver without other compilers.
    pub fn without_compilers<T>(&self, work: impl FnOnce() -> T) -> T {
        let _direct = Direct::begin(&self.is_direct);
        work()
    }

    /// Keeps the first failure of a program until the case has ended.
    pub(super) fn keep_compiler_failure(&self, failure: through::Failure) {
        let mut kept = self.compiler_failure.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get_or_insert(failure);
    }

    /// Takes the first failure of a program since the last call.
    pub(super) fn take_compiler_failure(&self) -> Option<through::Failure> {
        self.compiler_failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The reason why the device was lost; `None` if it was not lost. A lost device cannot run any more cases.
    pub fn lost(&self) -> Option<String> {
        self.messages.lost()
    }

    /// Sets the time that one case may keep the adapter busy before it counts as lost.
    pub const fn set_answer_timeout(&mut self, timeout: Duration) {
        self.answer_timeout = timeout;
    }

    /// Number of pipelines of pairs of stages made on this device so far, without cache hits.
    pub fn made_pipelines(&self) -> usize {
        self.pipeline_cache.made()
    }

    /// Waits until no other thread runs a case on this device.
    pub(super) fn lock(&self) -> std::sync::MutexGuard<'_, ()> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sets a flag for as long as it lives. A panic ends it, too: later cases must go through the compilers.
struct Direct<'a>(&'a AtomicBool);

impl<'a> Direct<'a> {
    fn begin(flag: &'a AtomicBool) -> Self {
        flag.store(true, Ordering::Relaxed);
        Self(flag)
    }
}

impl Drop for Direct<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// Adapters of this machine, by backend (`vulkan`, `metal`, `dx12`, `gl`) and then in the driver's order. Their drivers
/// stay loaded, so that opening one of them costs less than [`Gpu::open`].
#[derive(Debug, Default)]
pub struct Adapters(Vec<(AdapterInfo, wgpu::Adapter)>);

impl Adapters {
    /// All adapters of this machine.
    pub fn all() -> Self {
        Self(enumerate(wgpu::Backends::all()))
    }

    /// The adapters that [`Gpu::open`] searches for `selector`. If `selector` begins with the name of a backend, only
    /// its adapters are listed and no other driver is loaded.
    pub fn fitting(selector: &str) -> Self {
        Self(enumerate(backends_of(selector)))
    }

    /// The Vulkan adapters if one of them is a GPU; no other driver is then loaded. Otherwise all adapters.
    pub fn until_hardware() -> Self {
        let first = enumerate(wgpu::Backends::VULKAN);
        if first.iter().any(|(info, _)| info.device_type.is_hardware()) {
            return Self(first);
        }
        let others = enumerate(wgpu::Backends::all() - wgpu::Backends::VULKAN);
        Self(first.into_iter().chain(others).collect())
    }

    /// Descriptions of the adapters.
    pub fn infos(&self) -> impl Iterator<Item = &AdapterInfo> {
        self.0.iter().map(|(info, _)| info)
    }

    /// Opens an adapter like [`Gpu::open`], but only from this list.
    pub fn open(&self, selector: &str) -> Result<Gpu, GpuError> {
        self.open_as(selector, &Pretend::default())
    }

    /// Opens an adapter like [`Gpu::open_as`], but only from this list.
    pub fn open_as(&self, selector: &str, pretend: &Pretend) -> Result<Gpu, GpuError> {
        let chosen = self.0.iter().find(|(info, _)| fits(info, selector));
        let Some((info, adapter)) = chosen else {
            let names: Vec<_> = adapters().iter().map(short_name).collect();
            let mut available = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            if let Some(reason) = validation::failed_instance() {
                available = format!("{available} (Vulkan with its validation layer: {reason})");
            }
            return Err(GpuError::NoAdapter { selector: selector.to_owned(), available });
        };
        Gpu::on(info.clone(), adapter.clone(), pretend)
    }
}

/// Descriptions of [`Adapters::all`].
pub fn adapters() -> Vec<AdapterInfo> {
    Adapters::all().infos().cloned().collect()
}

fn backends_of(selector: &str) -> wgpu::Backends {
    let backend = selector.split_once(':').map_or(selector, |(backend, _)| backend);
    match backend.parse() {
        Ok(Backend::Vulkan) => wgpu::Backends::VULKAN,
        Ok(Backend::Metal) => wgpu::Backends::METAL,
        Ok(Backend::Dx12) => wgpu::Backends::DX12,
        Ok(Backend::Gl) => wgpu::Backends::GL,
        Ok(Backend::Cpu) => wgpu::Backends::empty(),
        // The selector is a part of an adapter's name.
        Err(_) => wgpu::Backends::all(),
    }
}

fn enumerate(backends: wgpu::Backends) -> Vec<(AdapterInfo, wgpu::Adapter)> {
    let all = validation::while_listing(|| {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends,
            // Developers also test drivers that are not yet conformant.
            flags: wgpu::InstanceFlags::ALLOW_UNDERLYING_NONCOMPLIANT_ADAPTER
                | validation::instance_flags(),
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        pollster::block_on(instance.enumerate_adapters(backends))
    });
    let known = all.into_iter().filter_map(|adapter| Some((backend_of(&adapter)?, adapter)));
    let mut known: Vec<_> = known.collect();
    known.sort_by_key(|(backend, _)| *backend);
    let mut named: Vec<(AdapterInfo, wgpu::Adapter)> = Vec::new();
    for (backend, adapter) in known {
        let info = adapter.get_info();
        let index = named.iter().filter(|(other, _)| other.backend == backend).count();
        let driver = format!("{} {}", info.driver, info.driver_info).trim().to_owned();
        let device_type = device_type(info.device_type);
        let (name, bus) = (info.name, info.device_pci_bus_id);
        named.push((AdapterInfo { backend, index, name, driver, device_type, bus }, adapter));
    }
    named
}

/// The backend of an adapter; `None` for backends of wgpu that do not use a GPU of this machine.
fn backend_of(adapter: &wgpu::Adapter) -> Option<Backend> {
    match adapter.get_info().backend {
        wgpu::Backend::Vulkan => Some(Backend::Vulkan),
        wgpu::Backend::Metal => Some(Backend::Metal),
        wgpu::Backend::Dx12 => Some(Backend::Dx12),
        wgpu::Backend::Gl => Some(Backend::Gl),
        wgpu::Backend::BrowserWebGpu | wgpu::Backend::Noop => None,
    }
}

const fn device_type(ty: wgpu::DeviceType) -> DeviceType {
    match ty {
        wgpu::DeviceType::IntegratedGpu => DeviceType::Integrated,
        wgpu::DeviceType::DiscreteGpu => DeviceType::Discrete,
        wgpu::DeviceType::VirtualGpu => DeviceType::Virtual,
        wgpu::DeviceType::Cpu => DeviceType::Cpu,
        wgpu::DeviceType::Other => DeviceType::Other,
    }
}

fn fits(info: &AdapterInfo, selector: &str) -> bool {
    if let Some((backend, index)) = selector.split_once(':')
        && let Ok(index) = index.parse::<usize>()
    {
        return info.backend.name() == backend && info.index == index;
    }
    info.backend.name() == selector || info.name.to_lowercase().contains(&selector.to_lowercase())
}

fn short_name(info: &AdapterInfo) -> String {
    format!("{}:{} ({})", info.backend, info.index, info.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_the_direct_way() {
        let flag = AtomicBool::new(false);
        let work = std::panic::AssertUnwindSafe(|| {
            let _direct = Direct::begin(&flag);
            assert!(flag.load(Ordering::Relaxed));
            panic!("within the work");
        });
        assert!(std::panic::catch_unwind(work).is_err());
        assert!(!flag.load(Ordering::Relaxed));
    }

    #[track_caller]
    fn check(selector: &str, expected: bool) {
        let info = AdapterInfo {
            backend: Backend::Vulkan,
            index: 1,
            name: "llvmpipe (LLVM 15.0.6, 256 bits)".to_owned(),
            driver: "llvmpipe Mesa 22.3.6".to_owned(),
            device_type: DeviceType::Cpu,
            bus: String::new(),
        };
        assert_eq!(fits(&info, selector), expected, "{selector}");
    }

    #[test]
    fn the_name_of_a_backend_spares_the_others() {
        let all = wgpu::Backends::all();
        for (selector, backends) in [
            ("vulkan", wgpu::Backends::VULKAN),
            ("gl:1", wgpu::Backends::GL),
            ("llvmpipe", all),
            ("geforce: 1", all),
            ("gle", all),
        ] {
            assert_eq!(backends_of(selector), backends, "{selector}");
        }
    }

    #[test]
    fn adapters_are_chosen_by_backend_index_or_part_of_the_name() {
        check("vulkan:1", true);
        check("vulkan:0", false);
        check("vulkan", true);
        check("gl", false);
        check("LLVMpipe", true);
        check("radeon", false);
    }
}
