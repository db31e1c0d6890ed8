//! Property tests: compiling an arbitrary binary returns a stage or a message.

use proptest::prelude::*;

use super::*;

/// Blocks, varyings, built-ins, textures, counters, specialisation and control flow in one module.
const MODULE: &str = r#"
    OpCapability Shader
    OpCapability AtomicStorage
    OpMemoryModel Logical GLSL450
    OpEntryPoint Fragment %main "main" %in %coord %color
    OpExecutionMode %main OriginLowerLeft
    OpName %block "Block"
    OpMemberName %block 1 "inner"
    OpDecorate %in Location 1
    OpDecorate %in Component 1
    OpDecorate %coord BuiltIn FragCoord
    OpDecorate %color Location 0
    OpDecorate %block Block
    OpMemberDecorate %block 0 Offset 0
    OpMemberDecorate %block 0 MatrixStride 16
    OpMemberDecorate %block 0 RowMajor
    OpMemberDecorate %block 1 Offset 64
    OpMemberDecorate %inner 0 Offset 0
    OpMemberDecorate %inner 1 Offset 16
    OpDecorate %array ArrayStride 16
    OpDecorate %store BufferBlock
    OpMemberDecorate %store 0 Offset 4
    OpDecorate %tail ArrayStride 8
    OpDecorate %b Binding 2
    OpDecorate %s Binding 3
    OpDecorate %tex Location 4
    OpDecorate %tex Binding 1
    OpDecorate %counter Binding 2
    OpDecorate %counter Offset 4
    OpDecorate %count SpecId 7
    OpDecorate %loose Location 9
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %bool = OpTypeBool
    %float = OpTypeFloat 32
    %int = OpTypeInt 32 1
    %uint = OpTypeInt 32 0
    %v2 = OpTypeVector %float 2
    %v4 = OpTypeVector %float 4
    %m = OpTypeMatrix %v4 3
    %count = OpSpecConstant %uint 3
    %array = OpTypeArray %float %count
    %inner = OpTypeStruct %v2 %array
    %block = OpTypeStruct %m %inner
    %tail = OpTypeRuntimeArray %float
    %store = OpTypeStruct %tail
    %two = OpConstant %uint 2
    %blocks = OpTypeArray %store %two
    %image = OpTypeImage %float 2D 0 0 0 1 Unknown
    %sampled = OpTypeSampledImage %image
    %pb = OpTypePointer Uniform %block
    %ps = OpTypePointer Uniform %blocks
    %pf = OpTypePointer Uniform %float
    %pv = OpTypePointer Uniform %v4
    %pt = OpTypePointer UniformConstant %sampled
    %pl = OpTypePointer UniformConstant %v4
    %pc = OpTypePointer AtomicCounter %uint
    %pin = OpTypePointer Input %v2
    %pin4 = OpTypePointer Input %v4
    %pout = OpTypePointer Output %v4
    %zero = OpConstant %int 0
    %one = OpConstant %int 1
    %null = OpConstantNull %v4
    %scope = OpConstant %uint 1
    %none = OpConstant %uint 0
    %b = OpVariable %pb Uniform
    %s = OpVariable %ps Uniform
    %tex = OpVariable %pt UniformConstant
    %loose = OpVariable %pl UniformConstant %null
    %counter = OpVariable %pc AtomicCounter
    %in = OpVariable %pin Input
    %coord = OpVariable %pin4 Input
    %color = OpVariable %pout Output
    %main = OpFunction %void None %fn
    %start = OpLabel
    %uv = OpLoad %v2 %in
    %t = OpLoad %sampled %tex
    %texel = OpImageSampleImplicitLod %v4 %t %uv
    %column = OpAccessChain %pv %b %zero %one
    %c = OpLoad %v4 %column
    %n = OpAtomicIIncrement %uint %counter %scope %none
    %is = OpIEqual %bool %n %none
    OpSelectionMerge %end None
    OpBranchConditional %is %then %end
    %then = OpLabel
    %place = OpAccessChain %pf %s %one %zero %n
    %x = OpLoad %float %place
    OpStore %place %x
    OpBranch %end
    %end = OpLabel
    %u = OpLoad %v4 %loose
    %sum = OpFAdd %v4 %texel %u
    %all = OpFAdd %v4 %sum %c
    OpStore %color %all
    OpReturn
    OpFunctionEnd
"#;

fn words() -> Vec<u32> {
    assemble::assemble(MODULE, 0).expect("right assembly").words
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn compile_bytes(bytes: &[u8], stage: ShaderStage) -> Result<StageModule, CompileError> {
    let form = Form::Binary { content: Ok(bytes), span: Span::new(0, 1) };
    compile(&Input { form, entry: None, conventions: Conventions::OpenGl }, stage, &[])
}

#[test]
fn the_module_itself_compiles() {
    let compiled = compile_bytes(&bytes(&words()), ShaderStage::Fragment);
    assert!(compiled.is_ok(), "{compiled:?}");
}

/// Replacements for a word.
fn replacement() -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => 0_u32..100,
        1 => any::<u32>(),
        1 => Just(u32::MAX),
        // The first word of a short instruction.
        2 => (1_u32..6, 0_u32..400).prop_map(|(count, opcode)| count << 16 | opcode),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn replaced_words_never_panic(changes in prop::collection::vec((0_usize..1000, replacement()), 1..5)) {
        let mut words = words();
        for (at, word) in changes {
            let length = words.len();
            words[5 + at % (length - 5)] = word;
        }
        let _ = compile_bytes(&bytes(&words), ShaderStage::Fragment);
    }

    #[test]
    fn words_that_are_missing_or_doubled_never_panic(
        at in 5_usize..600, count in 0_usize..20, is_doubled: bool,
    ) {
        let mut words = words();
        let at = at.min(words.len());
        let end = (at + count).min(words.len());
        if is_doubled {
            let part = words[at..end].to_vec();
            words.splice(at..at, part);
        } else {
            words.drain(at..end);
        }
        let _ = compile_bytes(&bytes(&words), ShaderStage::Fragment);
    }

    #[test]
    fn any_bytes_never_panic(more in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = compile_bytes(&more, ShaderStage::Vertex);
        let mut whole = bytes(&[0x0723_0203, 0x0001_0300, 0, 100, 0]);
        whole.extend(more);
        let _ = compile_bytes(&whole, ShaderStage::Vertex);
    }
}

/// The binary in the cases equals the assembly next to it.
#[test]
fn the_binary_of_the_cases_is_its_assembly() {
    let text = include_str!("../../cases/spirv/two_fragment_stages.spvasm");
    let binary = include_bytes!("../../cases/spirv/two_fragment_stages.spv");
    let words = assemble::assemble(text, 0).expect("right assembly").words;
    assert_eq!(bytes(&words), binary, "the words are {words:08x?}");
}
