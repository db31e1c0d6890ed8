//! Tests the names in queries that a SPIR-V stage's debug names give.

use super::program_of;

/// The names of uniforms, blocks and outputs of a fragment stage with these debug names and decorations,
/// declarations and code.
fn names(names: &str, declarations: &str, code: &str) -> [String; 3] {
    let text = format!(
        "[vertex shader passthrough]\n[fragment shader spirv]\n\
         OpCapability Shader\nOpMemoryModel Logical GLSL450\n\
         OpEntryPoint Fragment %main \"main\" %color\nOpExecutionMode %main OriginLowerLeft\n\
         {names}\nOpDecorate %color Location 0\n\
         %void = OpTypeVoid\n%fn = OpTypeFunction %void\n%float = OpTypeFloat 32\n\
         %uint = OpTypeInt 32 0\n%two = OpConstant %uint 2\n%v4 = OpTypeVector %float 4\n\
         %pout = OpTypePointer Output %v4\n%color = OpVariable %pout Output\n{declarations}\n\
         %main = OpFunction %void None %fn\n%label = OpLabel\n{code}\nOpReturn\nOpFunctionEnd\n\
         [link]\nmix on\ndebug_names on\n[test]\nlink success\n"
    );
    let program = program_of(&text).expect("it links");
    let named = program.reflection.with_debug_names.expect("the tables with names");
    let join = |names: Vec<&str>| names.join(", ");
    [
        join(named.uniforms.iter().map(|uniform| &*uniform.name).collect()),
        join(named.uniform_blocks.iter().map(|block| &*block.name).collect()),
        join(named.outputs.iter().map(|output| &*output.name).collect()),
    ]
}

#[test]
fn arrays_and_structures_are_named_as_in_glsl() {
    let found = names(
        "OpName %block \"Block\"\nOpMemberName %block 0 \"inner\"\nOpMemberName %inner 0 \"a\"\n\
         OpMemberName %inner 1 \"b\"\nOpName %color \"shown\"\n\
         OpDecorate %block Block\nOpDecorate %blocks Binding 4\n\
         OpDecorate %inners ArrayStride 48\nOpDecorate %floats ArrayStride 16\n\
         OpMemberDecorate %block 0 Offset 0\nOpMemberDecorate %inner 0 Offset 0\n\
         OpMemberDecorate %inner 1 Offset 16",
        "%floats = OpTypeArray %float %two\n%inner = OpTypeStruct %v4 %floats\n\
         %inners = OpTypeArray %inner %two\n%block = OpTypeStruct %inners\n\
         %array = OpTypeArray %block %two\n%pointer = OpTypePointer Uniform %array\n\
         %blocks = OpVariable %pointer Uniform\n%null = OpConstantNull %v4",
        "OpStore %color %null",
    );
    let members =
        ["Block.inner[0].a", "Block.inner[0].b[0]", "Block.inner[1].a", "Block.inner[1].b[0]"];
    assert_eq!(found, [&members.join(", "), "Block[0], Block[1]", "shown"]);
}

#[test]
fn what_lacks_a_part_of_its_name_is_nameless() {
    let found = names(
        "OpName %block \"Block\"\nOpMemberName %block 1 \"b\"\nOpName %loose \"loose\"\n\
         OpMemberName %inner 0 \"a\"\nOpDecorate %loose Location 2\n\
         OpDecorate %block Block\nOpDecorate %u Binding 4\n\
         OpMemberDecorate %block 0 Offset 0\nOpMemberDecorate %block 1 Offset 16",
        "%block = OpTypeStruct %v4 %v4\n%pointer = OpTypePointer Uniform %block\n\
         %u = OpVariable %pointer Uniform\n%inner = OpTypeStruct %v4 %v4\n\
         %ploose = OpTypePointer UniformConstant %inner\n%loose = OpVariable %ploose UniformConstant",
        "%s = OpLoad %inner %loose\n%v = OpCompositeExtract %v4 %s 0\nOpStore %color %v",
    );
    assert_eq!(found, [", Block.b, loose.a, ", "Block", ""]);
}
