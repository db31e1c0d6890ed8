//! What a validation layer or a driver objects to fails the case that is running, and no other.
//!
//! Its own process, because validation is switched on for a process. What is objected to is made up here and takes the
//! way that wgpu's messages take, so that no layer needs to be there.

use std::sync::atomic::{AtomicBool, Ordering};

use interstage::case::Dialect;
use interstage::case::parse::parse;
use interstage::compare::Goldens;
use interstage::gpu::{Gpu, validation};
use interstage::run_case;
use interstage::verdict::{Failure, Verdict};

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

/// A message as wgpu logs it: level, where it comes from, text.
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

/// What becomes of the case while `messages` are heard again and again.
fn failures_while(gpu: &Gpu, messages: &[Message]) -> Vec<Failure> {
    let parsed = parse("a.shader_test", CASE.as_bytes(), Dialect::Interstage).remove(0);
    let case = parsed.result.expect("it is a case");
    let is_over = AtomicBool::new(false);
    let report = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                for (level, target, text) in messages {
                    log::log!(target: target, *level, "{text}");
                }
                std::thread::yield_now();
            }
        });
        let report = run_case(&case, Some(gpu), &Goldens::default());
        is_over.store(true, Ordering::Relaxed);
        report
    });
    match report.verdict {
        Verdict::Pass => Vec::new(),
        Verdict::Fail(failures) => failures,
        other @ (Verdict::Skip(_) | Verdict::Unsupported(_) | Verdict::Broken(_)) => {
            panic!("{}: {other:?}", gpu.info())
        }
    }
}

#[test]
fn an_objection_fails_the_case_that_runs_and_no_other() {
    validation::listen().expect("nobody else listens");
    for info in interstage::gpu::adapters() {
        let selector = format!("{}:{}", info.backend, info.index);
        let gpu = Gpu::open(&selector).expect("it is listed");
        assert_eq!(failures_while(&gpu, &[]), []);
        let (own, expected, foreign) = match info.backend.as_str() {
            "vulkan" => (OF_VULKAN, "VUID-made-up: a rule was broken", OF_GL),
            "gl" => (OF_GL, "GL error: a rule was broken", OF_VULKAN),
            _ => continue,
        };
        let failures = failures_while(&gpu, &[own]);
        let told: Vec<_> = failures.iter().map(|it| (it.step.as_str(), &it.details[..])).collect();
        assert_eq!(told, [("validation", &[expected.to_owned()][..])], "{selector}");
        let (_, target, text) = own;
        let (hint, info) =
            (text.replacen("VALIDATION", "PERFORMANCE", 1), (log::Level::Info, target, text));
        let hint: &'static str = hint.replacen("/Error", "/Performance", 1).leak();
        let harmless = [foreign, info, (log::Level::Warn, target, hint)];
        assert_eq!(failures_while(&gpu, &harmless), [], "{selector}");
    }
}
