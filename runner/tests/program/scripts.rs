//! Scripts of Amber and `VkRunner`, as their users type them.

use crate::{folder, interstage, program, run};

/// A script that computes; with a wrong `expected`, its last line fails.
fn amber(expected: &str) -> String {
    format!(
        "#!amber\nSHADER compute kShader GLSL\n#version 450\nlayout(local_size_x = 1) in;\n\
         layout(set = 0, binding = 0) buffer Numbers {{ uint number; }};\nvoid main() {{ number = 7u; }}\nEND\n\
         BUFFER kNumbers DATA_TYPE uint32 SIZE 1 FILL 0\nPIPELINE compute kPipeline\n  ATTACH kShader\n  \
         BIND BUFFER kNumbers AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\nRUN kPipeline 1 1 1\n\
         EXPECT kNumbers IDX 0 EQ {expected}\n"
    )
}

const VKSCRIPT: &str = "\
[compute shader]
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Numbers { uint number; };
void main() { number = 7u; }

[test]
ssbo 0 4
compute 1 1 1
probe ssbo uint 0 0 == 7
";

#[test]
fn a_script_takes_an_adapter_without_being_told() {
    let folder = folder(&[
        ("script.amber", &amber("7")),
        ("wrong.amber", &amber("8")),
        ("script.vk_shader_test", VKSCRIPT),
        ("script.vkscript", VKSCRIPT),
    ]);
    for script in ["script.amber", "script.vk_shader_test", "script.vkscript"] {
        let told = interstage(folder.path(), &["run", script]);
        assert_eq!(told.code, Some(0), "{script}: {}", told.text());
        assert!(told.stdout.starts_with("cpu:0 · "), "{script}: {}", told.text());
        assert!(told.stdout.ends_with("1 passed, 0 failed, 0 skipped\n"), "{}", told.text());
    }
    let told = interstage(folder.path(), &["run", "wrong.amber"]);
    assert_eq!(told.code, Some(1), "{}", told.text());
    assert!(told.stdout.contains("EXPECT kNumbers IDX 0 EQ 8"), "{}", told.text());
}

#[test]
fn a_script_that_fails_is_tried_again() {
    let folder = folder(&[("script.amber", &amber("7")), ("actions", "once fail amber\n")]);
    let told = run(program(folder.path()).args(["run", "script.amber", "--script", "actions"]));
    assert_eq!(told.code, Some(0), "{}", told.text());
    assert!(told.stdout.contains("FLAKE"), "{}", told.text());
}
