//! `interstage convert`: scripts as cases.

use expect_test::expect;
use tempfile::TempDir;

use crate::{folder, interstage};

/// Draws known values: each pixel's row and depth, and a member of a block.
const DRAWING: &str = "\
#!amber
# The lowest row is red. A rectangle lies at depth 0.

SHADER vertex kVertex PASSTHROUGH
SHADER fragment kFragment GLSL
#version 450
layout(set = 0, binding = 2) uniform Block { int unused; float blue; } block;
layout(location = 0) out vec4 color;
void main() {
  color = vec4(gl_FragCoord.y < 1.0 ? 1.0 : 0.0, gl_FragCoord.z, block.blue, 1.0);
}
END
BUFFER kBlock DATA_TYPE float DATA 0.0 0.6 END
BUFFER kImage FORMAT R8G8B8A8_UNORM
PIPELINE graphics kPipeline
  ATTACH kVertex
  ATTACH kFragment
  FRAMEBUFFER_SIZE 4 2
  BIND BUFFER kImage AS color LOCATION 0
  BIND BUFFER kBlock AS uniform DESCRIPTOR_SET 0 BINDING 2
END
CLEAR_COLOR kPipeline 0 255 0 255
CLEAR kPipeline
RUN kPipeline DRAW_RECT POS 0 0 SIZE 2 2
EXPECT kImage IDX 0 0 SIZE 2 1 EQ_RGBA 255 0 153 255
EXPECT kImage IDX 0 1 SIZE 2 1 EQ_RGBA 0 0 153 255
EXPECT kImage IDX 2 0 SIZE 2 2 EQ_RGB 0 255 0 TOLERANCE 5
";

/// Adds one to every number.
const COMPUTING: &str = "\
#!amber
SHADER compute kShader GLSL
#version 450
layout(local_size_x = 4) in;
layout(binding = 1, set = 0) buffer Numbers { uint numbers[]; };
void main() { numbers[gl_GlobalInvocationID.x] += 1u; }
END
BUFFER kNumbers DATA_TYPE uint32 DATA 1 2 4294967294 4 END
PIPELINE compute kPipeline
  ATTACH kShader
  BIND BUFFER kNumbers AS storage DESCRIPTOR_SET 0 BINDING 1
END
RUN kPipeline 1 1 1
EXPECT kNumbers IDX 0 EQ 2 3 4294967295 5
";

/// Converts `script`, and returns how the case ends on the executor.
fn verdict(script: &str) -> String {
    let folder = folder(&[("a.amber", script)]);
    let converted = interstage(folder.path(), &["convert", "a.amber", "-o", "cases/a.shader_test"]);
    assert_eq!(converted.text(), "exit code 0\n");
    let run = interstage(folder.path(), &["run", "cases/a.shader_test", "--adapter", "cpu"]);
    run.text().lines().rev().nth(1).expect("the line with the totals").to_owned()
}

#[test]
fn a_converted_script_passes_where_the_script_does() {
    assert_eq!(verdict(DRAWING), "1 passed, 0 failed, 0 skipped");
    assert_eq!(verdict(COMPUTING), "1 passed, 0 failed, 0 skipped");
}

#[test]
fn every_expectation_of_a_converted_script_can_fail() {
    for (right, wrong) in [
        ("EQ_RGBA 255 0 153", "EQ_RGBA 255 0 152"),
        ("EQ_RGBA 0 0 153", "EQ_RGBA 0 2 153"),
        ("EQ_RGB 0 255 0", "EQ_RGB 0 249 0"),
    ] {
        let script = DRAWING.replace(right, wrong);
        assert_eq!(verdict(&script), "0 passed, 1 failed, 0 skipped", "{wrong}");
    }
    for (right, wrong) in [("EQ 2 3", "EQ 2 4"), ("4294967295 5", "4294967295 6")] {
        let script = COMPUTING.replace(right, wrong);
        assert_eq!(verdict(&script), "0 passed, 1 failed, 0 skipped", "{wrong}");
    }
}

#[test]
fn a_case_says_what_the_script_says() {
    let folder = folder(&[("a.amber", DRAWING)]);
    expect![[r#"
        # The lowest row is red. A rectangle lies at depth 0.

        [require]
        size 4 2

        [vertex shader passthrough]

        [fragment shader]
        #version 450
        layout(binding = 2) uniform Block { int unused; float blue; } block;
        layout(location = 0) out vec4 color;
        void main() {
          color = vec4(gl_FragCoord.y < 1.0 ? 1.0 : 0.0, gl_FragCoord.z, block.blue, 1.0);
        }

        [vertex data]
        piglit_vertex/float/vec4
        -1.0 -1.0 -1 1
        0.0 -1.0 -1 1
        -1.0 1.0 -1 1
        0.0 1.0 -1 1

        [render targets]
        0 rgba8unorm

        [test]
        clear color 0 1 0 1
        clear
        block binding 2
        block offset 4
        uniform float word 0.6
        draw arrays triangle_strip 0 4
        probe rect rgba (0, 0, 2, 1) 1 0 0.6 1 ulp 0
        probe rect rgba (0, 1, 2, 1) 0 0 0.6 1 ulp 0
        probe rect rgb (2, 0, 2, 2) 0 1 0 ulp 5
        exit code 0
    "#]]
    .assert_eq(&told(&folder));
}

#[test]
fn what_a_case_cannot_say_has_a_place() {
    let constants = DRAWING
        .replace("layout(set = 0, binding = 2)", "layout(push_constant)")
        .replace("AS uniform DESCRIPTOR_SET 0 BINDING 2", "AS push_constant");
    let folder = folder(&[("a.amber", &constants)]);
    expect![[r#"
        a.amber:24:1: case files cannot express this: push constants, and sets other than 0
        exit code 3
    "#]]
    .assert_eq(&told(&folder));
}

#[test]
fn broken_scripts_and_other_files_are_refused() {
    let broken = folder(&[("a.amber", "#!amber\nRUN kNone 1 1 1\n")]);
    expect![[r#"
        error: unknown pipeline `kNone`
          ┌─ a.amber:2:5
          │
        2 │ RUN kNone 1 1 1
          │     ^^^^^

        exit code 3
    "#]]
    .assert_eq(&told(&broken));
    let case = interstage(broken.path(), &["convert", "a.shader_test"]);
    expect![[r#"
        error: a.shader_test: only scripts and files of conformance suites can be converted: amber, vkscript, vk_shader_test, test, vert, frag, …
        exit code 3
    "#]]
    .assert_eq(&case.text());
}

#[test]
fn scripts_are_not_blessed() {
    let folder = folder(&[("a.amber", COMPUTING)]);
    expect![[r#"
        error: a.amber: scripts cannot be changed; `interstage convert` converts one to a case
        exit code 3
    "#]]
    .assert_eq(&interstage(folder.path(), &["bless", "a.amber"]).text());
}

fn told(folder: &TempDir) -> String {
    interstage(folder.path(), &["convert", "a.amber"]).text()
}
