//! Runs the cases about draws, clipping, samples and targets on the CPU.

use std::path::Path;

use case::parse::parse;
use case::{Case, Dialect, ReadExpectation, needs_gpu};
use check::Goldens;
use ir::readback::Extent;
use prepare::{Linking, compile, first_profile};

const FOLDERS: [&str; 6] = ["clip", "cull", "draw", "multisample", "state", "target"];

/// Stack size for the front ends, whose depth limits are those of the library.
const STACK_BYTES: usize = 256 << 20;

/// The problems of a case. `None` if it was not run, because it concerns only the linker, needs more slots than WebGPU
/// guarantees, or expects the result of another adapter.
fn problems(case: &Case) -> Option<Vec<String>> {
    let is_elsewhere = case.shaders.iter().any(|shader| shader.file.is_some());
    let mut expectations = case.readings();
    let has_golden =
        expectations.any(|expectation| matches!(expectation.value, ReadExpectation::Golden(_)));
    let is_of_another = case.name.contains("adapter=SwiftShader");
    if is_elsewhere || has_golden || is_of_another || !needs_gpu(case) {
        return None;
    }
    let rules = link::AdapterRules::default();
    let linking = compile(case).ok()?.link(case, rules, first_profile(case)).ok()?;
    let Linking::Done(programs) = linking else { return None };
    let failures = match cpu::execute(case, &programs, Extent::Probed) {
        Ok(readback) => check::check(case, &readback, &Goldens::default()),
        Err(error) => return Some(vec![error.to_string()]),
    };
    Some(failures.into_iter().flat_map(|failure| failure.details).collect())
}

/// Number of cases in a folder that ran, and the problems of all.
fn run(folder: &Path) -> (u32, Vec<String>) {
    let (mut count, mut all) = (0, Vec::new());
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        if path.extension().is_none_or(|extension| extension != "shader_test") {
            continue;
        }
        let text = std::fs::read(&path).expect("it can be read");
        for parsed in parse(&path.display().to_string(), &text, Dialect::Interstage) {
            let Ok(case) = parsed.result else { continue };
            if let Some(problems) = problems(&case) {
                count += 1;
                all.extend(problems.into_iter().map(|text| format!("{}: {text}", case.name)));
            }
        }
    }
    (count, all)
}

#[test]
fn cases_about_rasterisation_pass() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        for folder in FOLDERS {
            let (count, problems) = run(&cases.join(folder));
            assert!(count > 5, "{folder} has {count} cases");
            assert!(problems.is_empty(), "{}", problems.join("\n"));
        }
    });
    thread.expect("there is room for a stack").join().expect("all cases pass");
}

/// The problems of a case whose stage makes this promise about its depth, and adds this number to it.
fn problems_of_promise(word: &str, added: &str) -> Option<Vec<String>> {
    let text = format!(
        "[require]\nGLSL >= 4.20\ndepthbuffer\nsize 2 2\n[vertex shader passthrough]\n[fragment shader]\n\
         #version 420\nlayout({word}) out float gl_FragDepth;\nout vec4 color;\n\
         void main() {{ gl_FragDepth = gl_FragCoord.z + {added}; color = vec4(1.0); }}\n\
         [test]\nenable GL_DEPTH_TEST\ndraw rect -1 -1 2 2\nprobe all rgba 1 1 1 1\n"
    );
    let case = parse("a.shader_test", text.as_bytes(), Dialect::Interstage).remove(0);
    problems(&case.result.expect("a right case"))
}

#[test]
fn a_depth_that_breaks_its_promise_has_no_result() {
    let broken = [
        ("depth_greater", "-0.25", "at least"),
        ("depth_less", "0.25", "at most"),
        ("depth_unchanged", "0.25", "equal to"),
    ];
    for (word, added, relation) in broken {
        let what = "the interpolated one, as the stage promises";
        let text = format!("the executor has no result for a depth that is not {relation} {what}");
        assert_eq!(problems_of_promise(word, added), Some(vec![text]), "{word}");
        assert_eq!(problems_of_promise(word, "0.0"), Some(Vec::new()), "{word}");
    }
    assert_eq!(problems_of_promise("depth_any", "0.25"), Some(Vec::new()));
}
