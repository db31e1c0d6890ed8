//! Errors of a validation layer or a driver fail the case that is running, and no other case.
//!
//! These tests are a separate process, because validation is switched on for a whole process. The messages are made up
//! and take the same path as those of wgpu, so that no layer needs to be installed.

use std::sync::atomic::{AtomicBool, Ordering};

use interstage::case::Dialect;
use interstage::case::parse::parse;
use interstage::check::Goldens;
use interstage::check::verdict::{Failure, Verdict};
use interstage::device::Device;
use interstage::gpu::{self, validation};
use interstage::ir::backend::Backend;
use interstage::offer::AdapterInfo;
use interstage::run_case;

const CASE: &str = "\
[require]
GLSL >= 3.30

[vertex shader]
#version 330
in vec4 piglit_vertex;
void main() { gl_Position = piglit_vertex; }

[fragment shader]
#version 330
out vec4 color;
void main() { color = vec4(1.0); }

[test]
draw rect -1 -1 2 2
probe all rgba 1 1 1 1
";

/// A message as wgpu logs it: level, target, text.
type Message = (log::Level, &'static str, &'static str);

const VULKAN: &str = "wgpu_hal::vulkan::instance";
const OF_VULKAN: Message = (
    log::Level::Error,
    VULKAN,
    "VALIDATION [VUID-made-up (0x1)]\n\tValidation Error: [ VUID-made-up ] Object 0: handle = 0x55d0c0ffee00, \
     type = VK_OBJECT_TYPE_DEVICE; | MessageID = 0x1 | a rule was broken",
);
const OF_GL: Message =
    (log::Level::Error, "wgpu_hal::gles", "GLES: [API/Error] ID 7 : a rule was broken");

/// Number of runs of a case in which a message must be noticed: on a busy machine the logging thread may be scheduled
/// only after the case has ended.
const MANY: usize = 200;

/// Number of runs of a case in which no message must be noticed.
const FEW: usize = 5;

/// Runs the case up to `runs` times while another thread logs `messages` repeatedly. Returns the failures of the first
/// run that fails.
fn failures_while(device: &Device, messages: &[Message], runs: usize) -> Vec<Failure> {
    let parsed = parse("a.shader_test", CASE.as_bytes(), Dialect::Interstage).remove(0);
    let case = parsed.result.expect("it is a case");
    let is_over = AtomicBool::new(false);
    let verdict = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                for (level, target, text) in messages {
                    log::log!(target: target, *level, "{text}");
                }
                std::thread::yield_now();
            }
        });
        let run = || run_case(&case, Some(device), &Goldens::default()).verdict;
        let verdict = (0..runs).map(|_| run()).find(|it| *it != Verdict::Pass);
        is_over.store(true, Ordering::Relaxed);
        verdict.unwrap_or(Verdict::Pass)
    });
    match verdict {
        Verdict::Pass => Vec::new(),
        Verdict::Fail(failures) => failures,
        other @ (Verdict::Skip(_)
        | Verdict::Unsupported(_)
        | Verdict::Undecided(_)
        | Verdict::Untested(_)
        | Verdict::Broken(_)) => {
            panic!("{}: {other:?}", device.info())
        }
    }
}

#[test]
fn an_objection_fails_the_case_that_runs_and_no_other() {
    validation::listen().expect("nobody else listens");
    // A message that is logged while a device is opened makes that fail, so open all devices first.
    let open = |info: AdapterInfo| {
        let selector = format!("{}:{}", info.backend, info.index);
        (Device::open(&selector).expect("it is listed"), info, selector)
    };
    let devices: Vec<_> = gpu::adapters().into_iter().map(open).collect();
    for (device, info, selector) in devices {
        assert_eq!(failures_while(&device, &[], FEW), []);
        let (own, expected, foreign) = match info.backend {
            Backend::Vulkan => (OF_VULKAN, "VUID-made-up: a rule was broken", OF_GL),
            Backend::Gl => (OF_GL, "GL error: a rule was broken", OF_VULKAN),
            Backend::Metal | Backend::Dx12 | Backend::Cpu => continue,
        };
        let failures = failures_while(&device, &[own], MANY);
        let told: Vec<_> = failures.iter().map(|it| (it.step.as_str(), &it.details[..])).collect();
        assert_eq!(told, [("validation", &[expected.to_owned()][..])], "{selector}");
        let (_, target, text) = own;
        let (hint, info) =
            (text.replacen("VALIDATION", "PERFORMANCE", 1), (log::Level::Info, target, text));
        let hint: &'static str = hint.replacen("/Error", "/Performance", 1).leak();
        let harmless = [foreign, info, (log::Level::Warn, target, hint)];
        assert_eq!(failures_while(&device, &harmless, FEW), [], "{selector}");
    }
}
