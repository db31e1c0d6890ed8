//! Variants of stages: `--vary`.

use crate::{Run, folder, interstage, program, run};

/// A case with a loop, branches and a function, which expects `red` in place of 0.75.
fn case(red: &str) -> String {
    format!(
        "[vertex shader passthrough]\n\n[fragment shader]\n#version 450\nout vec4 color;\n\
         float half_of(float x) {{ if (x > 8.0) return 4.0; return x * 0.5; }}\n\
         void main() {{ float red = 0.0; for (int i = 0; i < 3; i++) {{ red += half_of(0.5); }}\n\
         color = vec4(red, 0.0, 0.0, 1.0); }}\n\n\
         [render targets]\n0 rgba32float\n\n\
         [test]\ndraw rect -1 -1 2 2\nprobe all rgba {red} 0 0 1\n"
    )
}

fn varied(red: &str, options: &[&str]) -> (Run, String) {
    let folder = folder(&[("cases/a.shader_test", &case(red))]);
    let arguments = ["run", "--adapter", "cpu", "--results", "out", "--oracle"];
    let told = run(program(folder.path()).args(arguments).args(options));
    let results = std::fs::read_to_string(folder.path().join("out/results.json"));
    (told, results.expect("the run writes results"))
}

#[test]
fn a_variant_gives_what_the_original_gives_and_the_run_counts_its_changes() {
    for seed in ["1", "2"] {
        let (told, results) = varied("0.75", &["--vary", seed]);
        for line in [
            &format!(" · varied by {seed}\n"),
            "varied: 1 of 1 case\n",
            "1 passed, 0 failed, 0 skipped\n",
        ] {
            assert!(told.stdout.contains(line), "{line}:\n{}", told.text());
        }
        assert!(results.contains(r#""varied": {"#), "{results}");
    }
    let (told, results) = varied("0.75", &[]);
    assert!(!told.stdout.contains("varied"), "{}", told.text());
    assert!(!results.contains("varied"), "{results}");
}

#[test]
fn a_failure_says_that_the_original_fails_as_well_and_how_to_repeat_it() {
    let (told, _) = varied("0.5", &["--vary", "1"]);
    for part in ["    variant   not at fault: the original fails as well\n", " --vary 1"] {
        assert!(told.stdout.contains(part), "{part}:\n{}", told.text());
    }
}

/// A case that leaves the packing open, with four varyings.
const OPEN: &str = "\
[vertex shader]
in vec4 piglit_vertex;
out vec2 a;
out vec2 b;
out float c;
out float d;
void main()
{
    gl_Position = piglit_vertex;
    a = piglit_vertex.xy;
    b = piglit_vertex.yx;
    c = piglit_vertex.x;
    d = piglit_vertex.y;
}

[fragment shader]
in vec2 a;
in vec2 b;
in float c;
in float d;
out vec4 color;
void main() { color = vec4(a, b) + vec4(c, d, c, d); }

[test]
draw rect -1 -1 2 2
compare oracle target 0
";

#[test]
fn inspect_shows_variants_with_their_packing() {
    let folder = folder(&[("cases/a.shader_test", OPEN), ("cases/b.shader_test", OPEN)]);
    let inspect = |more: &[&str]| {
        let run = interstage(folder.path(), &[&["inspect", "cases/a.shader_test"], more].concat());
        assert_eq!(run.code, Some(0), "{}", run.text());
        run.stdout
    };
    let plain = inspect(&[]);
    let seeds: Vec<_> = (1..=8).map(|seed| inspect(&["--vary", &seed.to_string()])).collect();
    assert!(seeds.iter().all(|varied| *varied != plain));
    let slots = |text: &str| text.split("\n\n").next().map(str::to_owned);
    assert!(seeds.iter().any(|varied| slots(varied) != slots(&plain)), "{}", seeds.concat());
    assert_eq!(seeds[0], inspect(&["--vary", "1"]));
    assert_ne!(inspect(&["--stage", "vertex"]), inspect(&["--stage", "vertex", "--vary", "1"]));
    let all = ["inspect", "cases", "--vary", "1", "--out", "out"];
    assert_eq!(interstage(folder.path(), &all).code, Some(0));
    let written =
        std::fs::read_to_string(folder.path().join("out/cases/b.shader_test/vertex.wgsl"));
    let alone = inspect(&["--stage", "vertex", "--vary", "1"]);
    assert_eq!(written.expect("it is written").trim_end(), alone.trim_end());
    let both = ["inspect", "cases/a.shader_test", "--vary", "1", "--through", "spirv-opt"];
    assert_eq!(interstage(folder.path(), &both).code, Some(3));
}
