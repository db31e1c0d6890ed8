//! The transform feedback output of a failing case is kept: as bytes for programs, and in the evidence for the HTML
//! report.

use crate::{folder, program, run};

/// Records 1.0 and 2.0 after a gap; the last line fails.
const CASE: &str = "\
[require]
GLSL >= 4.50

[vertex shader]
out vec2 a;
void main() { gl_Position = vec4(0.0); a = vec2(1.0, 2.0); }

[capture]
skip 1
a

[test]
xfb buffer object 0 12 7
xfb draw arrays points 0 1
probe capture 0 uint 0 == 7
probe capture 0 float 4 == 1 3
";

#[test]
fn the_captures_of_a_failing_case_are_saved() {
    let folder = folder(&[("cases/a.shader_test", CASE)]);
    let failed = run(program(folder.path()).args(["run", "--results", "out"]));
    assert_eq!(failed.code, Some(1), "{}", failed.text());
    let expected = [7_u32, 1.0_f32.to_bits(), 2.0_f32.to_bits()];
    let expected: Vec<u8> = expected.iter().flat_map(|word| word.to_le_bytes()).collect();
    let kept = folder.path().join("out/evidence/cases/a.shader_test");
    for line in [15, 16] {
        let bytes = std::fs::read(kept.join(format!("line{line}_capture0.bin")));
        assert_eq!(bytes.expect("it is kept"), expected);
    }
    let evidence = std::fs::read_to_string(kept.join("evidence.json")).expect("it is kept");
    assert!(evidence.contains("\"line\":16"), "{evidence}");
}

/// The text for `path` with another last probe.
fn text_with(path: &str, probe: &str) -> String {
    let (before, _) = CASE.rsplit_once("probe").expect("a probe");
    let folder = folder(&[(path, &format!("{before}{probe}\n"))]);
    run(program(folder.path()).args(["run", path])).text()
}

/// In an interstage case this is an error before anything runs; in piglit's files, which specify only the probed data,
/// afterwards.
#[test]
fn a_probe_beyond_a_capture_buffer_is_an_error() {
    let probe = "probe xfb buffer float 0 3 1";
    let broken = text_with("cases/a.shader_test", probe);
    assert!(
        broken.contains("BROKEN") && broken.contains("capture buffer 0 has only 12 bytes"),
        "{broken}"
    );
    let failed = text_with("other/a.shader_test", probe);
    let message = "byte 12 lies outside of capture buffer 0 of 12 bytes";
    assert!(failed.contains("FAIL ") && failed.contains(message), "{failed}");
    let odd = text_with("cases/a.shader_test", "probe capture 0 float 6 == 1");
    assert!(odd.contains("the byte offset must be a multiple of 4, not `6`"), "{odd}");
    let unknown = text_with("cases/a.shader_test", "probe capture 1 float 0 == 1");
    assert!(unknown.contains("there is no capture buffer 1 yet"), "{unknown}");
}
