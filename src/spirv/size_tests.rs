//! `BUFFER_DATA_SIZE` of explicit layouts: up to the last byte in use, an array without length counting one stride,
//! rounded up to 16 (the rule of Mesa's linker; the first four sizes are also piglit's).

use super::*;
use link::reflect::reflect;

/// A block: the decorations of its members and types, the types of the members, and the expected size.
struct Block {
    what: &'static str,
    decorations: &'static str,
    types: &'static str,
    members: &'static str,
    size: u32,
}

const PLAIN: &str = "OpMemberDecorate %block 0 Offset 0";

const BLOCKS: [Block; 14] = [
    Block {
        what: "mat3x2, stride 16",
        decorations: "OpMemberDecorate %block 0 MatrixStride 16 OpMemberDecorate %block 0 ColMajor",
        types: "%m = OpTypeMatrix %v2 3",
        members: "%m",
        size: 48,
    },
    Block {
        what: "mat3x2, stride 32",
        decorations: "OpMemberDecorate %block 0 MatrixStride 32 OpMemberDecorate %block 0 ColMajor",
        types: "%m = OpTypeMatrix %v2 3",
        members: "%m",
        size: 80,
    },
    Block {
        what: "vec4[3], stride 16",
        decorations: "OpDecorate %a ArrayStride 16",
        types: "%a = OpTypeArray %v4 %three",
        members: "%a",
        size: 48,
    },
    Block {
        what: "vec4[3], stride 32",
        decorations: "OpDecorate %a ArrayStride 32",
        types: "%a = OpTypeArray %v4 %three",
        members: "%a",
        size: 80,
    },
    Block {
        what: "row-major mat3x2, stride 16",
        decorations: "OpMemberDecorate %block 0 MatrixStride 16 OpMemberDecorate %block 0 RowMajor",
        types: "%m = OpTypeMatrix %v2 3",
        members: "%m",
        size: 32,
    },
    Block {
        what: "float[5], stride 4 (storage)",
        decorations: "OpDecorate %a ArrayStride 4 OpDecorate %block BufferBlock",
        types: "%a = OpTypeArray %float %five",
        members: "%a",
        size: 32,
    },
    Block {
        what: "float[5], stride 16",
        decorations: "OpDecorate %a ArrayStride 16",
        types: "%a = OpTypeArray %float %five",
        members: "%a",
        size: 80,
    },
    Block {
        what: "float at 16 declared before vec4 at 0",
        decorations: "OpMemberDecorate %block 1 Offset 0 OpMemberDecorate %block 0 Offset 16",
        types: "",
        members: "%float %v4",
        size: 32,
    },
    Block {
        what: "vec4 and float[] of stride 4 at 16 (storage)",
        decorations: "OpMemberDecorate %block 1 Offset 16 OpDecorate %a ArrayStride 4 \
                      OpDecorate %block BufferBlock",
        types: "%a = OpTypeRuntimeArray %float",
        members: "%v4 %a",
        size: 32,
    },
    Block {
        what: "struct{float, vec2 at 8}[2] of stride 16 at 16",
        decorations: "OpMemberDecorate %block 0 Offset 16 OpDecorate %a ArrayStride 16 \
                      OpMemberDecorate %s 0 Offset 0 OpMemberDecorate %s 1 Offset 8",
        types: "%s = OpTypeStruct %float %v2 %a = OpTypeArray %s %two",
        members: "%a",
        size: 48,
    },
    Block { what: "vec3", decorations: "", types: "", members: "%v3", size: 16 },
    Block {
        what: "vec3 and a float behind it",
        decorations: "OpMemberDecorate %block 1 Offset 12",
        types: "",
        members: "%v3 %float",
        size: 16,
    },
    Block {
        what: "float[2][3], strides 48 and 16",
        decorations: "OpDecorate %a ArrayStride 16 OpDecorate %b ArrayStride 48",
        types: "%a = OpTypeArray %float %three %b = OpTypeArray %a %two",
        members: "%b",
        size: 96,
    },
    Block {
        what: "mat2[2], strides 16 and 64",
        decorations: "OpMemberDecorate %block 0 MatrixStride 16 OpMemberDecorate %block 0 ColMajor \
                      OpDecorate %a ArrayStride 64",
        types: "%m = OpTypeMatrix %v2 2 %a = OpTypeArray %m %two",
        members: "%a",
        size: 96,
    },
];

fn module(block: &Block) -> String {
    let Block { decorations, types, members, .. } = block;
    let is_storage = decorations.contains("BufferBlock");
    let kind = if is_storage { "" } else { "OpDecorate %block Block" };
    let first = if decorations.contains("%block 0 Offset") { "" } else { PLAIN };
    format!(
        "OpCapability Shader OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\" OpExecutionMode %main LocalSize 1 1 1
        {kind} {first} {decorations} OpDecorate %v Binding 3
        %void = OpTypeVoid %fn = OpTypeFunction %void
        %float = OpTypeFloat 32 %uint = OpTypeInt 32 0
        %v2 = OpTypeVector %float 2 %v3 = OpTypeVector %float 3 %v4 = OpTypeVector %float 4
        %two = OpConstant %uint 2 %three = OpConstant %uint 3 %five = OpConstant %uint 5
        {types} %block = OpTypeStruct {members}
        %pointer = OpTypePointer Uniform %block %v = OpVariable %pointer Uniform
        %main = OpFunction %void None %fn %label = OpLabel OpReturn OpFunctionEnd"
    )
}

#[test]
fn sizes_end_with_the_last_byte_in_use() {
    for block in &BLOCKS {
        let text = module(block);
        let form = Form::Assembly { source: &text, text: Span::new(0, text.len()) };
        let stage = compile(
            &Input { form, entry: None, conventions: Conventions::OpenGl },
            ShaderStage::Compute,
            &[],
        );
        let stage = stage.unwrap_or_else(|error| panic!("{}: {error:?}", block.what));
        let reflection = reflect(&[&stage]);
        let blocks = reflection.uniform_blocks.iter().chain(&reflection.storage_blocks);
        let sizes: Vec<u32> = blocks.map(|block| block.size).collect();
        assert_eq!(sizes, [block.size], "{}", block.what);
    }
}
