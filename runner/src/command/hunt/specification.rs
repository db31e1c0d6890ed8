//! Names the sections of specifications that define what a program uses.

use crate::args::Language;

/// Features, and the sections about them in GLSL 4.60 and in WGSL. The features are names of operations, or constructs.
#[rustfmt::skip]
const SECTIONS: &[(&[&str], &str, &str)] = &[
    (&["+", "-", "*", "/", "%", "unary -", "matrix * vector", "vector * matrix", "matrix * matrix", "matrix * scalar",
       "matrix + matrix", "matrix - matrix"], "5.9 Expressions", "Arithmetic Expressions"),
    (&["&", "|", "^", "~", "<<", ">>"], "5.9 Expressions", "Bit Expressions"),
    (&["<", "<=", ">", ">=", "==", "!="], "5.9 Expressions; 8.7 Vector Relational Functions", "Comparison Expressions"),
    (&["&&", "||", "^^", "!", "& of booleans", "| of booleans"], "5.9 Expressions", "Logical Expressions"),
    (&["any", "all", "select"], "8.7 Vector Relational Functions; 8.3 Common Functions", "Logical Built-in Functions"),
    (&["abs", "sign", "min", "max", "clamp", "floor", "ceil", "trunc", "roundEven", "fract", "step", "fma", "mix", "smoothstep",
       "modf whole", "modf fraction", "frexp exponent", "frexp significand", "ldexp", "saturate", "quantizeToF16"],
     "8.3 Common Functions", "Numeric Built-in Functions"),
    (&["sin", "cos", "tan", "asin", "acos", "atan", "atan of two", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "radians",
       "degrees"], "8.1 Angle and Trigonometry Functions", "Numeric Built-in Functions"),
    (&["exp", "exp2", "log", "log2", "pow", "sqrt", "inversesqrt"], "8.2 Exponential Functions", "Numeric Built-in Functions"),
    (&["dot", "cross", "length", "distance", "normalize", "reflect", "refract", "faceforward"],
     "8.5 Geometric Functions", "Numeric Built-in Functions"),
    (&["matrixCompMult", "outerProduct", "transpose", "determinant"], "8.6 Matrix Functions", "Numeric Built-in Functions"),
    (&["bitCount", "bitfieldReverse", "findLSB", "findMSB", "countLeadingZeros", "countTrailingZeros", "bitfieldExtract",
       "bitfieldInsert", "uaddCarry", "usubBorrow", "umulExtended"], "8.8 Integer Functions", "Numeric Built-in Functions"),
    (&["pack4xI8", "pack4xU8", "pack4xI8Clamp", "pack4xU8Clamp", "packUnorm4x8", "packSnorm4x8", "packUnorm2x16",
       "packSnorm2x16", "packHalf2x16"], "8.4 Floating-Point Pack and Unpack Functions", "Data Packing Built-in Functions"),
    (&["dot4I8Packed", "dot4U8Packed"], "8.8 Integer Functions", "Numeric Built-in Functions"),
    (&["unpackUnorm4x8", "unpackSnorm4x8", "unpackUnorm2x16", "unpackSnorm2x16", "unpackHalf2x16", "unpack4xI8", "unpack4xU8"],
     "8.4 Floating-Point Pack and Unpack Functions", "Data Unpacking Built-in Functions"),
    (&["half"], "4.1.4 Floating-Point Variables", "Enable Extensions"),
    (&["conversion"], "5.4.1 Conversion and Scalar Constructors", "Value Constructor Built-in Functions"),
    (&["bit cast"], "8.3 Common Functions", "Bit Reinterpretation Built-in Functions"),
    (&["dFdx", "dFdy", "fwidth", "dFdxCoarse", "dFdyCoarse", "fwidthCoarse", "dFdxFine", "dFdyFine", "fwidthFine"], "8.14.1 Derivative Functions", "Derivative Built-in Functions"),
    (&["atomicAdd", "atomicAnd", "atomicMax", "atomicMin", "atomicOr", "atomicXor", "atomicExchange", "atomicCompareExchange",
       "atomicLoad", "atomicStore", "atomicSub",
       "result of an atomic operation"],
     "8.11 Atomic Memory Functions", "Atomic Built-in Functions"),
    (&["barrier"], "8.16 Shader Invocation Control Functions", "Synchronization Built-in Functions"),
    (&["if", "else", "switch", "fall-through"], "6.2 Selection", "Control Flow"),
    (&["for", "while", "do while"], "6.3 Iteration", "Control Flow"),
    (&["break", "continue", "discard", "return in a branch", "if and else leave", "break out of a loop and a switch"],
     "6.4 Jumps", "Control Flow"),
    (&["continuing"], "6.3 Iteration", "Continuing Statement"),
    (&["call", "changed parameter", "changed parameter passed on", "changed part of a variable"],
     "6.1.1 Function Calling Conventions", "Function Calls"),
    (&["assignment through a pointer"], "5.8 Assignments", "Reference and Pointer Types"),
    (&["unusual spelling"], "3.6 Tokens", "Textual Structure"),
    (&["swizzle"], "5.5 Vector and Scalar Components and Length", "Vector Access Expression"),
    (&["element at run time", "assignment to an element at run time", "assignment to a part", "array",
       "constant array", "matrix"],
     "5.7 Array Operations; 5.6 Matrix Components", "Composite Value Decomposition Expressions"),
    (&["structure"], "5.7 Structure and Array Operations", "Structure Access Expression"),
    (&["texel"], "8.9.2 Texel Lookup Functions", "textureLoad"),
    (&["nearest texel", "filtered texels of a level"], "8.9.2 Texel Lookup Functions", "textureSampleLevel"),
    (&["filtered texels"], "8.9.2 Texel Lookup Functions", "textureSample"),
    (&["filtered texels by gradients"], "8.9.2 Texel Lookup Functions", "textureSampleGrad"),
    (&["gathered texels"], "8.9.3 Texture Gather Functions", "textureGather"),
    (&["size of a texture"], "8.9.1 Texture Query Functions", "textureDimensions"),
    (&["levels of a texture"], "8.9.1 Texture Query Functions", "textureNumLevels"),
    (&["storage texture"], "8.12 Image Functions", "textureStore"),
    (&["block of varyings"], "4.3.9 Interface Blocks", "Interpolation"),
    (&["composite varying"], "4.3.4 Input Variables; 4.3.6 Output Variables", "User-defined Inputs and Outputs"),
    (&["flat varying", "inexact varying"], "4.5 Interpolation Qualifiers", "Interpolation"),
];

/// The sections about features, each once.
pub(super) fn sections(features: &[String], language: Language) -> Vec<String> {
    let mut found = Vec::new();
    for feature in features {
        let name = operation(feature);
        let row = SECTIONS.iter().find(|(names, ..)| names.contains(&name));
        let Some((_, glsl, wgsl)) = row else { continue };
        let own: Vec<_> = match language {
            Language::Glsl => glsl.split("; ").map(|one| format!("GLSL 4.60, {one}")).collect(),
            Language::Wgsl => vec![format!("WGSL, \"{wgsl}\"")],
            Language::Spirv => vec!["SPIR-V, \"Instructions\"".to_owned()],
        };
        for section in own {
            if !found.contains(&section) {
                found.push(section);
            }
        }
    }
    found
}

/// The name of the operation without the kind of its numbers: `abs` of `abs of uint`.
fn operation(feature: &str) -> &str {
    let is_name = |name: &&str| SECTIONS.iter().any(|(names, ..)| names.contains(name));
    let ends = feature.match_indices(" of ").map(|(at, _)| &feature[..at]);
    ends.filter(is_name).last().unwrap_or(feature)
}

#[cfg(test)]
mod tests {
    use generate::programs::Recipe;

    use super::*;

    #[test]
    fn every_feature_of_programs_has_a_section() {
        // These are no rules of a language.
        let others = [
            "capture",
            "compute stage",
            "geometry stage",
            "several draws",
            "tessellation control stage",
            "tessellation evaluation stage",
            "16 elements of a storage buffer",
            "private variable",
            "workgroup memory",
        ];
        for language in [Language::Glsl, Language::Wgsl, Language::Spirv] {
            for feature in Recipe::new(language.into()).features() {
                let has = !sections(std::slice::from_ref(&feature), language).is_empty();
                assert_ne!(has, others.contains(&feature.as_str()), "{feature}");
            }
        }
    }

    #[test]
    fn the_kind_of_numbers_is_no_part_of_the_name() {
        assert_eq!(operation("atan of two of inexact float"), "atan of two");
        assert_eq!(operation("conversion of int to uint"), "conversion");
        assert_eq!(operation("& of booleans of bool"), "& of booleans");
    }
}
