//! Runs cases on every adapter of the machine. Without an adapter these tests fail.

use case::Dialect;
use case::parse::parse;
use check::Goldens;
use check::verdict::Verdict;
use gpu::adapters;

use crate::device::Device;

fn on_every_adapter(test: impl Fn(&Device)) {
    let all = adapters();
    assert!(!all.is_empty(), "these tests need an adapter, such as Mesa's lavapipe");
    for info in all {
        test(&Device::open(&format!("{}:{}", info.backend, info.index)).expect("it is listed"));
    }
}

/// A pair of stages gets one pipeline, even if it is used again by another case or under another profile with the same
/// locations.
#[test]
fn pipelines_of_pairs_are_made_once() {
    let text = |profile: &str, value: &str| {
        format!(
            "[require]\nsize 4 4\n[vertex shader]\n#version 450\nout gl_PerVertex {{ vec4 gl_Position; }};\n\
             in vec4 piglit_vertex;\nout vec4 a;\nvoid main() {{ gl_Position = piglit_vertex; a = vec4(1.0); }}\n\
             [fragment shader]\n#version 450\nin vec4 a;\nout vec4 color;\n\
             void main() {{ color = a * {value}; }}\n[link]\nseparable\nprofile {profile}\n[test]\n\
             draw rect -1 -1 2 2\ndraw rect -1 -1 2 2\nprobe all rgba {value} {value} {value} {value}\n"
        )
    };
    let made = |device: &Device, text: &str| {
        let Some(gpu) = device.gpu() else { panic!("{device:?} is no driver's") };
        let mut cases = parse("a.shader_test", text.as_bytes(), Dialect::Interstage);
        let case = cases.swap_remove(0).result.expect("a case");
        let before = gpu.made_pipelines();
        let report = crate::run_case(&case, Some(device), &Goldens::default());
        assert_eq!(report.verdict, Verdict::Pass);
        gpu.made_pipelines() - before
    };
    on_every_adapter(|device| {
        assert_eq!(made(device, &text("webgpu", "1.0")), 1);
        assert_eq!(made(device, &text("webgpu", "1.0")), 0, "another case with the same pair");
        assert_eq!(made(device, &text("nv30", "1.0")), 0, "the same locations");
        assert_eq!(made(device, &text("webgpu", "0.75")), 1, "another fragment stage");
    });
}

/// Runs all cases on one device: worker processes may run them on different devices, and a retry opens a new one.
#[test]
fn planes_of_one_case_do_not_act_in_the_next_on_the_same_device() {
    let text = include_bytes!("../cases/clip/enables_do_not_outlive_a_case.shader_test");
    let cases = parse("enables.shader_test", text, Dialect::Interstage);
    assert_eq!(cases.len(), 9, "eight planes, one to seven, and none");
    on_every_adapter(|device| {
        if !device.offer().has_clip_distances() {
            return;
        }
        for parsed in &cases {
            let case = parsed.result.as_ref().expect("a case");
            let report = crate::run_case(case, Some(device), &Goldens::default());
            assert_eq!(report.verdict, Verdict::Pass, "{} {}", device.info(), parsed.name);
        }
    });
}

/// The verdict of a case that requires `limit` to be at least `value` and only links, with an array of `length`
/// elements.
fn verdict_of(device: &Device, limit: &str, value: i64, length: &str) -> Verdict {
    let text = format!(
        "[require]\n{limit} >= {value}\n[vertex shader passthrough]\n[fragment shader]\n#version 460\n\
         out vec4 color;\nvoid main() {{ float a[{length}]; a[0] = 1.0; color = vec4(a[0]); }}\n\
         [test]\nlink success\n"
    );
    let mut cases = parse("a.shader_test", text.as_bytes(), Dialect::Interstage);
    let case = cases.swap_remove(0).result.expect("a case");
    crate::run_case(&case, Some(device), &Goldens::default()).verdict
}

/// The name of GLSL's constant for a limit: `gl_MaxVaryingComponents` for `GL_MAX_VARYING_COMPONENTS`.
fn constant_of(limit: &str) -> String {
    let words = limit.trim_start_matches("GL_").split('_').map(str::to_lowercase);
    let word = |word: String| word[..1].to_uppercase() + &word[1..];
    format!("gl_{}", words.map(word).collect::<String>())
}

/// Checks every limit whose name corresponds to a constant of GLSL 4.60; there are more than fifty.
#[test]
fn constants_of_the_language_are_the_limits_that_are_granted() {
    let check = |device: &Device| {
        let mut count = 0;
        let limits = device.offer().gl_limits();
        for (limit, value) in limits.into_iter().filter(|(_, value)| *value >= 0) {
            let beyond = verdict_of(device, limit, value + 1, "1");
            assert!(matches!(beyond, Verdict::Skip(_)), "{limit} > {value}: {beyond:?}");
            assert_eq!(verdict_of(device, limit, value, "1"), Verdict::Pass, "{limit}");
            let constant = constant_of(limit);
            let is_there = verdict_of(device, limit, value, &format!("{constant} < 0 ? 1 : 2"));
            if is_there == Verdict::Pass {
                let is_equal =
                    verdict_of(device, limit, value, &format!("{constant} == {value} ? 1 : 0"));
                assert_eq!(is_equal, Verdict::Pass, "{constant} is not {value}");
                count += 1;
            }
        }
        assert!(count > 50, "only {count} constants are limits");
    };
    check(&Device::open("cpu:0").expect("there is always the executor"));
    on_every_adapter(check);
}

/// An endless loop can hang a GPU, so where a case asks for the oracle the executor runs before the adapter.
#[test]
fn loops_without_an_end_do_not_get_to_the_adapter() {
    let text = "[require]\nGLSL >= 1.30\nsize 4 4\n[vertex shader passthrough]\n[fragment shader]\nuniform int end;\n\
                out vec4 color;\nvoid main() { int at = 0; while (at != end) at = (at + 2) & 1023;\n\
                color = vec4(at); }\n[test]\nuniform int end 7\ndraw rect -1 -1 2 2\ncompare oracle\n";
    let mut cases = parse("a.shader_test", text.as_bytes(), Dialect::Interstage);
    let case = cases.swap_remove(0).result.expect("a case");
    on_every_adapter(|device| {
        let Some(gpu) = device.gpu() else { panic!("{device:?} is no driver's") };
        let before = gpu.made_pipelines();
        let report = crate::run_case(&case, Some(device), &Goldens::default());
        let skipped = "no oracle: the stage did not end within 16777216 steps";
        assert_eq!(report.verdict, Verdict::Skip(skipped.to_owned()));
        assert_eq!(gpu.made_pipelines(), before);
    });
}
