//! Faults that no script plays: real shaders on a real adapter, real workers.

use crate::Place;

/// A loop that never ends, and that no compiler can drop. llvmpipe leaves every loop after 65,535 turns, so there it is
/// the number of pixels and draws that makes it take hours.
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

#[test]
fn a_shader_that_never_ends_is_a_timeout_and_costs_no_other_case() {
    let place = Place::new([], "");
    for name in ["a", "b", "d", "e"] {
        place.write(&format!("cases/{name}.shader_test"), GOOD);
    }
    place.write("cases/c.shader_test", ENDLESS);
    let arguments = ["run", "--results", "out", "--timeout", "3", "--retries", "0"];
    let run = crate::run(&mut place.command(&arguments));
    let statuses = place.statuses();
    if run.stdout.contains("without an adapter") {
        return;
    }
    let is_right = ["Timeout", "Crash"].contains(&statuses["c"].as_str());
    assert!(is_right, "{}", run.text());
    for name in ["a", "b", "d", "e"] {
        assert_eq!(statuses[name], "Pass", "{}", run.text());
    }
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

/// Real workers, real linking, no adapter needed.
#[cfg(target_os = "linux")]
#[test]
fn real_workers_killed_at_random_moments_lose_no_result_of_a_thousand() {
    use std::time::Duration;

    use crate::{Random, children, finish, is_alive, signal};

    let place = Place::new([], "");
    for number in 0..1000 {
        let slots = if number % 25 == 7 { 2 } else { 1 };
        let text = LINKED.replace("slots 1", &format!("slots {slots}"));
        place.write(&format!("cases/{number:04}.shader_test"), &text);
    }
    let mut command = place.command(&[
        "run",
        "--results",
        "out",
        "--retries",
        "3",
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
        std::thread::sleep(Duration::from_millis(50 + random.below(100)));
        let workers = children(program.id());
        if let Some(worker) = workers.get(random.index(2)) {
            signal(*worker, "-KILL");
            kills += 1;
        }
    }
    let run = finish(program.wait_with_output().unwrap());
    let statuses = place.statuses();
    assert_eq!(statuses.len(), 1000, "{}", run.text());
    for (number, status) in statuses.values().enumerate() {
        let is_right = if number % 25 == 7 { ["Fail", "Fail"] } else { ["Pass", "Flake"] };
        assert!(is_right.contains(&status.as_str()), "{number}: {status}");
    }
    assert!(kills >= 3, "{kills} kills: {}", run.text());
    assert_eq!(run.code, Some(1), "{}", run.text());
}
