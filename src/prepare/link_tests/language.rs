//! Tests stages of several languages in one program.

use super::map_of_case;

/// Checks the error for a GLSL vertex stage with `declaration` and a SPIR-V fragment stage with a storage block at
/// binding 3, a uniform block at binding 4 and a uniform at location 5.
#[track_caller]
fn check(declaration: &str, value: &str, expected: Result<(), &str>) {
    let text = format!(
        "[require]\nGLSL >= 4.50\n[vertex shader]\n{declaration}\n\
         void main() {{ gl_Position = vec4({value}); }}\n\
         [fragment shader spirv]\n\
         OpCapability Shader OpMemoryModel Logical GLSL450\n\
         OpEntryPoint Fragment %main \"main\" %color OpExecutionMode %main OriginLowerLeft\n\
         OpDecorate %color Location 0 OpDecorate %u Location 5\n\
         OpDecorate %block BufferBlock OpMemberDecorate %block 0 Offset 0 OpDecorate %b Binding 3\n\
         OpDecorate %ublock Block OpMemberDecorate %ublock 0 Offset 0 OpDecorate %ub Binding 4\n\
         %void = OpTypeVoid %fn = OpTypeFunction %void %float = OpTypeFloat 32\n\
         %v4 = OpTypeVector %float 4 %pout = OpTypePointer Output %v4\n\
         %block = OpTypeStruct %float %ublock = OpTypeStruct %float\n\
         %pb = OpTypePointer Uniform %block %pub = OpTypePointer Uniform %ublock\n\
         %pu = OpTypePointer UniformConstant %float\n\
         %color = OpVariable %pout Output %u = OpVariable %pu UniformConstant\n\
         %b = OpVariable %pb Uniform %ub = OpVariable %pub Uniform\n\
         %main = OpFunction %void None %fn %label = OpLabel OpReturn OpFunctionEnd\n\
         [link]\nmix on\n[test]\nlink success\n"
    );
    let found = map_of_case(&text);
    match expected {
        Ok(()) => assert!(found.starts_with("slot") || found.is_empty(), "{found}"),
        Err(place) => {
            let why = "in both a SPIR-V stage, where this identifies it, and a GLSL stage, where its name does";
            assert!(found.contains(&format!("{place} {why}")), "{found}");
        }
    }
}

#[test]
fn nothing_is_at_one_place_in_two_languages() {
    let storage = "layout(binding = 3) readonly buffer B { float x; };";
    check(storage, "x", Err("storage block binding 3"));
    let uniform = "layout(binding = 4) uniform B { float x; };";
    check(uniform, "x", Err("uniform block binding 4"));
    let loose = "layout(location = 5) uniform float x;";
    check(loose, "x", Err("uniform location 5"));
    // Each kind of resource has separate binding numbers.
    check("layout(binding = 3) uniform B { float x; };", "x", Ok(()));
}
