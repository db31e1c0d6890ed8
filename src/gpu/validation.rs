//! Collects objections of validation layers and drivers.
//!
//! wgpu enables the Khronos validation layer on Vulkan (which also runs SPIRV-Tools' validator on every module),
//! `KHR_debug` output on GL, and the debug layer of Direct3D. It forwards their messages to the `log` crate, so this
//! module installs a logger. A process has only one logger, so validation is switched on for the whole process.
//!
//! An *objection* is a message whose type says that a rule was broken and whose severity wgpu calls a warning or an
//! error. Its type is `VALIDATION` on Vulkan, `Error` or `Undefined Behavior` on GL, and any on Direct3D. Hints about
//! performance, about deprecated or unportable calls, and messages of the loader about the machine are not objections.

mod known;
mod message;

use std::sync::{Mutex, MutexGuard, PoisonError};

use ir::backend::Backend;

use message::{Heard, Objection};

pub(super) use known::{Circumstances, is_known};
pub use known::{KNOWN, Known, When};
pub use message::Source;

/// Maximum number of objections kept per case.
const MAX_OBJECTIONS: usize = 256;

static STATE: Mutex<ValidatorState> = Mutex::new(ValidatorState::NEW);
static LISTENER: Listener = Listener;

/// The process already has another logger, so validation messages cannot be collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this process has another logger")]
pub struct AnotherLogger;

/// Enables validation for all adapters that this process lists from now on, and collects objections.
///
/// # Errors
/// The process has another logger.
pub fn listen() -> Result<(), AnotherLogger> {
    let mut state = state();
    if !state.is_on {
        log::set_logger(&LISTENER).map_err(|_| AnotherLogger)?;
        log::set_max_level(log::LevelFilter::Warn);
        state.is_on = true;
    }
    Ok(())
}

/// True if validation is on.
pub(super) fn is_on() -> bool {
    state().is_on
}

/// wgpu's instance flags, which enable validation if it is on.
pub(super) fn instance_flags() -> wgpu::InstanceFlags {
    if is_on() {
        // Object names, and debug groups as the scopes of messages, require `DEBUG`.
        wgpu::InstanceFlags::VALIDATION | wgpu::InstanceFlags::DEBUG
    } else {
        wgpu::InstanceFlags::empty()
    }
}

/// Runs `list`, which makes instances and lists adapters, and records which validators are present.
pub(super) fn while_listing<T>(list: impl FnOnce() -> T) -> T {
    if !is_on() {
        return list();
    }
    // wgpu reports a missing layer at debug level only.
    log::set_max_level(log::LevelFilter::Debug);
    let listed = list();
    log::set_max_level(log::LevelFilter::Warn);
    listed
}

/// The reason why an adapter of `backend` is not validated although validation is on.
pub fn lacking(backend: Backend) -> Option<&'static str> {
    let state = state();
    match backend {
        Backend::Vulkan => (state.is_on && state.lacks_layer).then_some(
            "the Vulkan loader has no layer `VK_LAYER_KHRONOS_validation`; on Debian, `apt-get install \
             vulkan-validationlayers` gives it, and VK_ADD_LAYER_PATH names a folder with another one",
        ),
        Backend::Gl => (state.is_on && !state.has_debug_output)
            .then_some("its driver has no debug output (GL_KHR_debug)"),
        Backend::Metal | Backend::Dx12 => None,
        Backend::Cpu => state.is_on.then_some("the executor has no driver to validate"),
    }
}

/// The reason why no Vulkan instance with the validation layer could be made; one without the layer may still work.
pub(super) fn failed_instance() -> Option<String> {
    state().failed_instance.clone()
}

/// The objections on adapters of `backend` since the last call; those of other backends are dropped.
pub(super) fn take(backend: Backend) -> Vec<Objection> {
    let mut all = std::mem::take(&mut state().objections);
    all.retain(|objection| objection.source.backend() == backend);
    all
}

/// Objections and the state of validators.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct ValidatorState {
    is_on: bool,
    lacks_layer: bool,
    has_debug_output: bool,
    failed_instance: Option<String>,
    objections: Vec<Objection>,
    /// True if the following messages about objects belong to the last objection.
    is_last_kept: bool,
}

impl ValidatorState {
    const NEW: Self = Self {
        is_on: false,
        lacks_layer: false,
        has_debug_output: false,
        failed_instance: None,
        objections: Vec::new(),
        is_last_kept: false,
    };

    fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::NoLayer => self.lacks_layer = true,
            Heard::DebugOutput => self.has_debug_output = true,
            Heard::NoInstance(reason) => self.failed_instance = Some(reason),
            Heard::Objection(objection) => {
                self.is_last_kept = self.objections.len() < MAX_OBJECTIONS;
                if self.is_last_kept {
                    self.objections.push(objection);
                }
            }
            Heard::Scope(scope) => {
                let last = self.objections.last_mut().filter(|_| self.is_last_kept);
                if let Some(last) = last {
                    last.scope.push(scope);
                }
            }
            Heard::Nothing => self.is_last_kept = false,
        }
    }
}

fn state() -> MutexGuard<'static, ValidatorState> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Listener;

impl log::Log for Listener {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        message::is_heard(metadata.target())
    }

    fn log(&self, record: &log::Record<'_>) {
        if self.enabled(record.metadata()) {
            let text = record.args().to_string();
            state().hear(message::read(record.level(), record.target(), &text));
        }
    }

    fn flush(&self) {}
}
