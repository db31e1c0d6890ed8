//! Faults that need real shaders on a real adapter, and real workers.

use std::path::Path;

use crate::{Place, Run};

/// Paths of Chromium's software driver `SwiftShader`, which really hangs in an endless loop.
const SWIFTSHADER: [&str; 3] = [
    "/usr/lib/chromium/vk_swiftshader_icd.json",
    "/usr/lib64/chromium-browser/vk_swiftshader_icd.json",
    "/opt/google/chrome/vk_swiftshader_icd.json",
];

/// A loop that never ends, and that no compiler can eliminate. llvmpipe of Mesa 22.3 leaves every loop after 65,535
/// iterations, so there the number of pixels and draws makes it take hours.
const ENDLESS: &str = "\
[require]
GLSL >= 4.30
size 2048 2048

[vertex shader passthrough]

[fragment shader]
#version 430
layout(std430, binding = 0) buffer Data { uint count; uint stop; };
out vec4 color;
void main()
{
    uint n = 0u;
    while (stop == 0u) {
        count = n;
        n += 1u;
    }
    color = vec4(float(n));
}

[test]
ssbo 0 8
@for i in 1..1000
draw rect -1 -1 2 2
@end
probe all rgba 0 0 0 0
";

const GOOD: &str = "\
[require]
GLSL >= 1.30
size 4 4

[vertex shader passthrough]

[fragment shader]
#version 130
out vec4 color;
void main() { color = vec4(1.0); }

[test]
draw rect -1 -1 2 2
probe all rgba 1 1 1 1
";

/// Runs [`ENDLESS`] among good cases.
fn run_endless(place: &Place, adapter: &[&str], driver: Option<&Path>) -> Run {
    for number in 0..40 {
        place.write(&format!("cases/{number:04}.shader_test"), GOOD);
    }
    place.write("cases/0020.shader_test", ENDLESS);
    let arguments = ["run", "--results", "out", "--timeout", "3", "--jobs", "2"];
    let mut command = place.command(&[&arguments, adapter].concat());
    if let Some(driver) = driver {
        command.env("VK_ADD_DRIVER_FILES", driver);
    }
    crate::run(&mut command)
}

#[test]
fn a_shader_that_never_ends_is_a_timeout_and_costs_no_other_case() {
    let place = Place::new([], "");
    let run = run_endless(&place, &["--retries", "0"], None);
    if run.stdout.contains("without an adapter") {
        return crate::say("not tried: there is no adapter");
    }
    let fault = "a shader that takes hours (the adapter that is there)";
    place.check_all(fault, 1, 40, |name, status| match name {
        // A GPU's watchdog may be faster, and reset the device.
        "0020" => ["Timeout", "Crash"].contains(&status),
        _ => status == "Pass",
    });
}

#[test]
fn an_endless_loop_that_really_hangs_is_a_timeout_twice_and_costs_no_other_case() {
    let Some(driver) = SWIFTSHADER.iter().map(Path::new).find(|path| path.exists()) else {
        return crate::say("not tried: SwiftShader is not installed; it comes with Chromium");
    };
    let place = Place::new([], "");
    let run = run_endless(&place, &["--adapter", "swiftshader"], Some(driver));
    assert_eq!(run.code, Some(1), "{}", run.text());
    let fault = "an endless loop on SwiftShader, run again alone";
    place.check_all(fault, 2, 40, |name, status| {
        status == if name == "0020" { "Timeout" } else { "Pass" }
    });
    // Both attempts ended in the same way, so the first is not reported.
    let told = run.stdout.matches("stopped because it did not end within 3 s\n").count();
    assert_eq!((told, run.stdout.contains("  before ")), (1, false), "{}", run.text());
    // These files were written before the second attempt used the adapter.
    let kept = place.path().join("out/evidence/cases/0020.shader_test");
    for file in ["link_map.txt", "fragment.wgsl", "fragment.spv", "evidence.json", "repeat.txt"] {
        assert!(kept.join(file).is_file(), "{file}: {}", run.text());
    }
}

/// A case with a chain of `else if` that overflows any stack: naga's WGSL reader recurses once for each, and the
/// process aborts. (It rejects all other deep nesting.)
fn too_deep() -> String {
    let chain = "else if b{}".repeat(370_000);
    format!(
        "[compute shader wgsl]\n@compute @workgroup_size(1) fn main() {{ let b = false; if b{{}}{chain} }}\n\n[test]\nlink success\n"
    )
}

#[test]
fn a_process_that_aborts_inside_naga_is_a_crash_and_costs_no_other_case() {
    let place = Place::new([], "");
    for number in 0..40 {
        place.write(&format!("cases/{number:04}.shader_test"), LINKED);
    }
    for name in ["0010", "0030"] {
        place.write(&format!("cases/{name}.shader_test"), &too_deep());
    }
    // Half the time the process aborts while the previous case runs.
    let arguments = ["run", "--results", "out", "--jobs", "2", "--compile-ahead"];
    let run = crate::run(&mut place.command(&arguments));
    assert_eq!(run.code, Some(1), "{}", run.text());
    let fault = "naga overflows its stack and aborts, run again alone";
    place.check_all(fault, 4, 40, |name, status| {
        status == if ["0010", "0030"].contains(&name) { "Crash" } else { "Pass" }
    });
    assert!(run.stdout.contains("the worker process ended: signal: 6 (SIGABRT)"), "{}", run.text());
    assert!(run.stdout.contains("has overflowed its stack"), "{}", run.text());
}

/// A case that only links.
const LINKED: &str = "\
[vertex shader]
#version 450
layout(location = 0) in vec4 position;
out vec2 uv;
void main() { gl_Position = position; uv = position.xy; }

[fragment shader]
#version 450
in vec2 uv;
out vec4 color;
void main() { color = vec4(uv, 0.0, 1.0); }

[link]
slots 1
";

/// Real workers, real linking; every fifth case draws, if there is an adapter.
#[cfg(target_os = "linux")]
#[test]
fn real_workers_killed_at_random_moments_lose_no_result_of_a_thousand() {
    use std::time::Duration;

    use crate::{Random, children, finish, is_alive, signal};

    let place = Place::new([], "");
    for number in 0..1000 {
        let slots = if number % 25 == 7 { 2 } else { 1 };
        let linked = LINKED.replace("slots 1", &format!("slots {slots}"));
        let text = if number % 5 == 0 { GOOD.to_owned() } else { linked };
        place.write(&format!("cases/{number:04}.shader_test"), &text);
    }
    let mut command = place.command(&[
        "run",
        "--results",
        "out",
        // On a busy machine, a worker that opens a device may be killed repeatedly. That is not a crash of the case, so
        // several retries are needed.
        "--retries",
        "30",
        "--max-losses",
        "50",
        "--jobs",
        "2",
    ]);
    let stdio = std::process::Stdio::piped;
    let program = command.stdout(stdio()).stderr(stdio()).spawn().unwrap();
    let mut random = Random(0xbeef);
    let mut kills = 0;
    while is_alive(program.id()) {
        std::thread::sleep(Duration::from_millis(100 + random.below(200)));
        let workers = children(program.id());
        if let Some(worker) = workers.get(random.index(2)) {
            signal(*worker, "-KILL");
            kills += 1;
        }
    }
    let run = finish(program.wait_with_output().unwrap());
    let has_adapter = !run.stdout.contains("without an adapter");
    assert!(place.path().join("out/results.csv").exists(), "{}", run.text());
    let fault = "kill -9 of a real worker, at random moments";
    place.check_all(fault, kills, 1000, |name, status| {
        let number: usize = name.parse().expect("the cases are numbered");
        let right = match number {
            number if number % 25 == 7 => ["Fail", "Fail"],
            number if number % 5 == 0 && !has_adapter => ["Skip", "Skip"],
            _ => ["Pass", "Flake"],
        };
        right.contains(&status)
    });
    assert!(kills >= 3, "{kills} kills: {}", run.text());
    assert_eq!(run.code, Some(if has_adapter { 1 } else { 3 }), "{}", run.text());
}
