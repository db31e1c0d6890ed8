//! Devices that run cases: those of GPUs and other drivers, through wgpu, and the executor on the CPU.

use std::time::Duration;

use case::Case;
use cpu::Executable;
use gpu::{Adapters, Gpu, GpuError};
use ir::backend::Backend;
use ir::readback::{Extent, Readback};
use link::session::LinkedPrograms;
use offer::{AdapterInfo, DeviceType, Offer, Pretend};
use plan::ExecuteError;

use crate::border;

/// Name of the executor in the list of adapters.
const EXECUTOR: &str = "interstage's executor";

/// An open device.
#[derive(Debug)]
pub struct Device {
    runs_on: RunsOn,
    /// Seed of the variants that run in place of linked stages.
    seed: Option<u64>,
}

/// The executor of a device's stages.
#[derive(Debug)]
enum RunsOn {
    /// A driver.
    Gpu(Box<Gpu>),
    /// The executor, with what it offers. It tests no driver.
    Cpu(Box<Offer>),
}

impl Device {
    /// Opens the first adapter that matches `selector`: `vulkan:0`, `gl`, `cpu`, or a part of its name, ignoring case.
    ///
    /// # Errors
    /// No adapter matches, or its driver refuses a device.
    pub fn open(selector: &str) -> Result<Self, GpuError> {
        Self::open_as(selector, &Pretend::default())
    }

    /// Like [`Self::open`], for a device with reduced capabilities.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub fn open_as(selector: &str, pretend: &Pretend) -> Result<Self, GpuError> {
        Devices::fitting(selector).open_as(selector, pretend)
    }

    fn executor(pretend: &Pretend) -> Result<Self, GpuError> {
        let info = executor();
        let (adapter, offer) = (info.to_string(), Offer::of_executor(info, pretend));
        offer
            .map(|offer| Self { runs_on: RunsOn::Cpu(Box::new(offer)), seed: None })
            .map_err(|error| GpuError::NoDevice { adapter, reason: error.to_string() })
    }

    /// The features, limits and formats of the device.
    pub fn offer(&self) -> &Offer {
        match &self.runs_on {
            RunsOn::Gpu(gpu) => gpu.offer(),
            RunsOn::Cpu(offer) => offer,
        }
    }

    /// Identity of the adapter.
    pub fn info(&self) -> &AdapterInfo {
        self.offer().info()
    }

    /// The reason why the device was lost; `None` if it was not. A lost device runs no more cases.
    pub fn lost(&self) -> Option<String> {
        match &self.runs_on {
            RunsOn::Gpu(gpu) => gpu.lost(),
            RunsOn::Cpu(_) => None,
        }
    }

    /// Sets how long one case may keep the device busy before the device counts as lost. The executor counts steps
    /// instead.
    pub fn set_answer_timeout(&mut self, timeout: Duration) {
        match &mut self.runs_on {
            RunsOn::Gpu(gpu) => gpu.set_answer_timeout(timeout),
            RunsOn::Cpu(_) => {}
        }
    }

    /// Lets the driver compile less where possible: see [`Gpu::compile_less`].
    pub fn compile_less(&mut self) {
        match &mut self.runs_on {
            RunsOn::Gpu(gpu) => gpu.compile_less(),
            RunsOn::Cpu(_) => {}
        }
    }

    /// Compiles every stage through other programs: see [`Gpu::compile_through`].
    ///
    /// # Errors
    /// The device takes no shaders of other programs, with the reason. The executor runs naga's IR and takes none.
    pub fn compile_through(&mut self, compilers: through::Chain) -> Result<(), String> {
        match &mut self.runs_on {
            RunsOn::Gpu(gpu) => gpu.compile_through(compilers),
            RunsOn::Cpu(_) => {
                Err("interstage's executor takes no shaders of other compilers".to_owned())
            }
        }
    }

    /// Names of the programs that compile every stage, joined by `+`; `None` without such programs.
    pub fn compilers(&self) -> Option<String> {
        match &self.runs_on {
            RunsOn::Gpu(gpu) => gpu.compilers().map(|chain| through::names(chain.steps())),
            RunsOn::Cpu(_) => None,
        }
    }

    /// Runs `work` while stages go to the driver without other compilers.
    pub fn without_compilers<T>(&self, work: impl FnOnce() -> T) -> T {
        match &self.runs_on {
            RunsOn::Gpu(gpu) => gpu.without_compilers(work),
            RunsOn::Cpu(_) => work(),
        }
    }

    /// Runs a variant with this seed in place of every linked stage: see [`vary::variant`].
    pub const fn vary(&mut self, seed: u64) {
        self.seed = Some(seed);
    }

    /// Seed of the variants.
    pub(crate) const fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// The device of a driver; `None` for the executor.
    #[cfg(test)]
    pub(crate) fn gpu(&self) -> Option<&Gpu> {
        match &self.runs_on {
            RunsOn::Gpu(gpu) => Some(gpu),
            RunsOn::Cpu(_) => None,
        }
    }

    /// Runs the steps of `case`, as [`gpu::execute`] does. The programs run as they are: the caller makes the variants.
    ///
    /// # Errors
    /// A step does not fit the program, the adapter lacks something that the program needs, or the device is lost.
    pub fn execute(
        &self,
        case: &Case,
        programs: &LinkedPrograms,
        extent: Extent,
    ) -> Result<Readback, ExecuteError> {
        match &self.runs_on {
            RunsOn::Gpu(gpu) => match border::lacking(case, programs) {
                Some(lacking) => Err(ExecuteError::Lacking(lacking)),
                None => gpu::execute(gpu, case, programs, extent),
            },
            RunsOn::Cpu(offer) => {
                let plan = cpu::planned(case, programs);
                match offer::lacks_planned(offer, case, programs, plan.as_ref().ok()) {
                    Some(lacking) => Err(ExecuteError::Lacking(lacking)),
                    None => Executable::new(case, programs, plan?)?.run(extent),
                }
            }
        }
    }

    /// Describes the first thing that a case needs and the device lacks, without running the case.
    pub fn lacks(&self, case: &Case, programs: &LinkedPrograms) -> Option<String> {
        match &self.runs_on {
            RunsOn::Gpu(gpu) => offer::lacks_case(gpu.offer(), case, programs),
            RunsOn::Cpu(offer) => {
                // Steps that do not fit are reported by the run.
                let plan = cpu::planned(case, programs).ok();
                let lacking = offer::lacks_planned(offer, case, programs, plan.as_ref());
                lacking.or_else(|| Some(Executable::new(case, programs, plan?).err()?.to_string()))
            }
        }
    }
}

impl From<Gpu> for Device {
    fn from(gpu: Gpu) -> Self {
        Self { runs_on: RunsOn::Gpu(Box::new(gpu)), seed: None }
    }
}

/// Description of the executor as an adapter.
pub fn executor() -> AdapterInfo {
    AdapterInfo {
        backend: Backend::Cpu,
        index: 0,
        name: EXECUTOR.to_owned(),
        driver: env!("CARGO_PKG_VERSION").to_owned(),
        device_type: DeviceType::Cpu,
        bus: String::new(),
    }
}

/// The adapters of this machine; the executor is the last. The drivers stay loaded, so opening one of these adapters
/// costs less than [`Device::open`].
#[derive(Debug)]
pub struct Devices {
    gpus: Adapters,
    executor: AdapterInfo,
}

impl Devices {
    /// Lists all adapters of this machine.
    pub fn all() -> Self {
        Adapters::all().into()
    }

    /// Lists the adapters among which [`Device::open`] looks for `selector`. If `selector` begins with the name of a
    /// backend, only drivers of that backend are loaded; for the executor, none.
    pub fn fitting(selector: &str) -> Self {
        Adapters::fitting(selector).into()
    }

    /// Lists only the Vulkan adapters if one of them is a GPU, without loading other drivers; otherwise lists all
    /// adapters.
    pub fn until_hardware() -> Self {
        Adapters::until_hardware().into()
    }

    /// Descriptions of the adapters.
    pub fn infos(&self) -> impl Iterator<Item = &AdapterInfo> {
        self.gpus.infos().chain(std::iter::once(&self.executor))
    }

    /// Like [`Device::open`], but chooses only among these adapters.
    ///
    /// # Errors
    /// As for [`Device::open`].
    pub fn open(&self, selector: &str) -> Result<Device, GpuError> {
        self.open_as(selector, &Pretend::default())
    }

    /// Like [`Device::open_as`], but chooses only among these adapters.
    ///
    /// # Errors
    /// As for [`Device::open`].
    pub fn open_as(&self, selector: &str, pretend: &Pretend) -> Result<Device, GpuError> {
        let backend = self.executor.backend.name();
        let index = self.executor.index;
        if selector == backend || selector == format!("{backend}:{index}") {
            return Device::executor(pretend);
        }
        match self.gpus.open_as(selector, pretend) {
            Ok(gpu) => Ok(gpu.into()),
            Err(GpuError::NoAdapter { .. }) if EXECUTOR.contains(&selector.to_lowercase()) => {
                Device::executor(pretend)
            }
            Err(GpuError::NoAdapter { selector, available }) => {
                let others = if available == "none" { String::new() } else { available + ", " };
                let available = format!("{others}{backend}:{index} ({EXECUTOR})");
                Err(GpuError::NoAdapter { selector, available })
            }
            Err(error) => Err(error),
        }
    }
}

impl From<Adapters> for Devices {
    fn from(gpus: Adapters) -> Self {
        Self { gpus, executor: executor() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(selector: &str, expected: Result<Backend, &str>) {
        let none = Devices::from(Adapters::default());
        match (none.open(selector), expected) {
            (Ok(device), Ok(backend)) => assert_eq!(device.info().backend, backend),
            (Err(error), Err(expected)) => {
                // On a machine with drivers, the message lists their adapters first.
                let found = error.to_string();
                assert!(found.ends_with(expected), "{found}");
            }
            (found, expected) => panic!("{selector}: {found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn the_executor_is_an_adapter_without_drivers() {
        for selector in ["cpu", "cpu:0", "Executor", "interstage"] {
            check(selector, Ok(Backend::Cpu));
        }
        check("cpu:1", Err("cpu:0 (interstage's executor)"));
        check("voodoo", Err("cpu:0 (interstage's executor)"));
        assert_eq!(executor().to_string().split(" · ").next(), Some("cpu"));
    }

    #[test]
    fn it_pretends_to_have_less() {
        let pretend = Pretend::default().without("CLIP_DISTANCES").expect("a feature of wgpu");
        let reduced = Device::open_as("cpu", &pretend).expect("the executor is everywhere");
        let whole = Device::open("cpu").expect("the executor is everywhere");
        assert!(whole.offer().has_clip_distances() && !reduced.offer().has_clip_distances());
        assert_eq!(whole.offer().link_rules().max_inter_stage_variables, 31);
    }

    /// Two arrays of three million numbers need more registers than the executor has.
    #[test]
    fn what_its_compiler_lacks_is_known_before_a_run() {
        let text = "[vertex shader passthrough]\n[fragment shader]\n#version 450\nout vec4 color;
float a[3000000]; float b[3000000];
void main() { int i = int(gl_FragCoord.x); a[i] = 1.0; b[i] = 0.5; color = vec4(a[0] * b[0]); }
[test]\ndraw rect -1 -1 2 2\nprobe all rgba 0.5 0.5 0.5 0.5\n";
        let parsed =
            case::parse::parse("a.shader_test", text.as_bytes(), case::Dialect::Interstage);
        let case = parsed.into_iter().next().and_then(|parsed| parsed.result.ok());
        let case = case.expect("the case is well-formed");
        let device = Device::open("cpu").expect("the executor is everywhere");
        let lack = "the executor has no stages with so many values".to_owned();
        let expected = crate::check::verdict::Verdict::Skip(lack);
        assert_eq!(crate::would_run(&case, Some(&device)), expected);
        assert_eq!(
            crate::run_case(&case, Some(&device), &check::Goldens::default()).verdict,
            expected
        );
    }

    #[test]
    fn every_format_can_be_a_target_of_the_executor() {
        let device = Device::open("cpu").expect("the executor is everywhere");
        for (format, ability) in device.offer().formats() {
            assert!(ability.starts_with("rendered"), "{format}: {ability}");
        }
    }
}
