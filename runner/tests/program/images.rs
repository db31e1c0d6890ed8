//! Images of a failing case are kept as a whole, although its expectations read only parts of them.

use interstage_runner::report::evidence::{self, Packed};
use serde_json::Value;

use crate::{folder, program, run};

/// Draws green into the lower left quarter of a black target; the last line fails.
const CASE: &str = "\
[require]
GLSL >= 4.50
SIZE 8 6

[vertex shader passthrough]

[fragment shader]
out vec4 color;
void main() { color = vec4(0.0, 1.0, 0.0, 1.0); }

[test]
clear color 0 0 0 1
clear
draw rect -1 -1 1 1
probe rgba (1, 1) (0, 1, 0, 1)
probe rgba (5, 2) (0, 1, 0, 1)
";

#[test]
fn the_whole_target_of_a_failing_case_is_kept() {
    let folder = folder(&[("cases/a.shader_test", CASE)]);
    let failed = run(program(folder.path()).args(["run", "--results", "out"]));
    assert_eq!(failed.code, Some(1), "{}", failed.text());
    let kept = folder.path().join("out/evidence/cases/a.shader_test");
    let file = std::fs::read(kept.join("line16_target0.png")).expect("it is kept");
    let image = image::load_from_memory(&file).expect("it is PNG").into_rgba8();
    assert_eq!(image.dimensions(), (8, 6));
    // Image files begin with the highest row.
    for (idx, pixel) in image.chunks_exact(4).enumerate() {
        let (x, y) = (idx % 8, idx / 8);
        let green = if x < 4 && y >= 3 { 255 } else { 0 };
        assert_eq!(pixel, [0, green, 0, 255], "({x}, {y})");
    }
    assert!(!failed.text().contains("second run"), "{}", failed.text());
}

#[test]
fn a_digest_is_of_the_pixels_that_are_looked_at() {
    let folder = folder(&[("cases/a.shader_test", CASE)]);
    let what = |arguments: &[&str]| {
        run(program(folder.path()).args(["run", "--results", "out"]).args(arguments));
        let results = std::fs::read(folder.path().join("out/results.json")).expect("written");
        let results: Value = serde_json::from_slice(&results).expect("JSON");
        let captures = results["cases"][0]["captures"].as_array().expect("a list").clone();
        let of = |key: &str| captures.iter().map(|it| it[key].clone()).collect::<Vec<_>>();
        (of("what"), of("digest"))
    };
    let (part, whole) = (what(&[]), what(&["--keep-all"]));
    let pixels = ["(1, 1)", "(5, 2)"];
    assert_eq!(part.0, pixels.map(|at| format!("rgba8unorm 8 by 6, the 1 by 1 from {at} on")));
    // One is green and the other black.
    let digest = |bytes: &[u8]| format!("{:016x}", xxhash_rust::xxh3::xxh3_64(bytes));
    assert_eq!(part.1, [digest(&[0, 255, 0, 255]), digest(&[0, 0, 0, 255])]);
    assert_eq!(whole.0, ["rgba8unorm 8 by 6"; 2]);
    let green = |idx: usize| if idx % 8 < 4 && idx / 8 < 3 { 255 } else { 0 };
    let all: Vec<u8> = (0..48).flat_map(|idx| [0, green(idx), 0, 255]).collect();
    assert_eq!(whole.1, [digest(&all), digest(&all)]);
}

/// Reads a buffer with a wrong expectation.
const BUFFER: &str = "\
[require]
GLSL >= 4.50

[compute shader]
layout(local_size_x = 1) in;
layout(std430, binding = 3) buffer Data { uint a; };
void main() { a = 7u; }

[test]
ssbo 3 4
compute 1 1 1
probe ssbo uint 3 0 == 0x8
";

#[test]
fn evidence_names_the_buffer_and_the_pixels_that_probes_look_at() {
    let folder = folder(&[("cases/a.shader_test", CASE), ("cases/b.shader_test", BUFFER)]);
    let failed = run(program(folder.path()).args(["run", "--adapter", "cpu", "--results", "out"]));
    assert_eq!(failed.code, Some(1), "{}", failed.text());
    for line in ["    expected  == 0x8\n", "    actual    0x7\n"] {
        assert!(failed.stdout.contains(line), "{}", failed.stdout);
    }
    let kept = |name: &str| {
        evidence::read(&folder.path().join("out/evidence/cases").join(name)).expect("it is kept")
    };
    // Bytes begin with the lowest row. The probe that passes counts, too.
    let probed = kept("a.shader_test").images[0].probed.as_ref().and_then(Packed::bytes);
    let channels = |idx: usize| if [8 + 1, 2 * 8 + 5].contains(&idx) { 0b1111 } else { 0 };
    assert_eq!(probed, Some((0..48).map(channels).collect()));
    assert_eq!(kept("b.shader_test").buffers[0].name, "storage buffer 3");
}
