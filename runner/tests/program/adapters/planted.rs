//! Faults planted into SPIR-V between a compiler and the driver: each is the compiler's, and is blamed on it.
//!
//! SPIRV-Tools' disassembler, `sed` and the assembler are the compiler. Every fault is one change that the case named
//! beside it can observe.

use std::path::Path;

use crate::{program, run, soak};

/// Evidence of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// A value is wrong, and the adapter is right without the compiler.
    Value,
    /// The interface of the stage differs from the planned one.
    Interface,
    /// The module is invalid.
    Invalid,
}
use Seen::{Interface, Invalid, Value};

impl Seen {
    /// Text that the failure must contain.
    const fn words(self) -> &'static str {
        match self {
            Value => "blame     sh: without it, the adapter gives what is expected",
            Interface => "sh changes the interface of the stage",
            Invalid => "sh writes invalid SPIR-V",
        }
    }
}

struct Fault {
    name: &'static str,
    /// Extended script for `sed`. It edits the first place.
    edit: &'static str,
    /// A case below `cases`, without its extension.
    case: &'static str,
    seen: Seen,
}

const FAULTS: &[Fault] = &[
    Fault {
        name: "an addition of floats subtracts",
        edit: r#"0,/OpFAdd/s//OpFSub/"#,
        case: "glsl/a_stage_without_version_is_es_100_in_an_es_program",
        seen: Value,
    },
    Fault {
        name: "a subtraction of floats adds",
        edit: r#"0,/OpFSub/s//OpFAdd/"#,
        case: "wgsl/builtin/primitives_are_counted",
        seen: Value,
    },
    Fault {
        name: "a product of floats adds",
        edit: r#"0,/OpFMul/s//OpFAdd/"#,
        case: "glsl/included_text_stands_where_it_is_included",
        seen: Value,
    },
    Fault {
        name: "a quotient of floats multiplies",
        edit: r#"0,/OpFDiv/s//OpFMul/"#,
        case: "wgsl/builtin/primitives_are_counted",
        seen: Value,
    },
    Fault {
        name: "an addition of integers subtracts",
        edit: r#"0,/OpIAdd/s//OpISub/"#,
        case: "wgsl/builtin/vertices_are_counted_from_the_first",
        seen: Value,
    },
    Fault {
        name: "a product of integers adds",
        edit: r#"0,/OpIMul/s//OpIAdd/"#,
        case: "wgsl/number/integer_arithmetic_wraps",
        seen: Value,
    },
    Fault {
        name: "a right shift does not keep the sign",
        edit: r#"0,/OpShiftRightArithmetic/s//OpShiftRightLogical/"#,
        case: "wgsl/number/right_shifts_follow_the_sign",
        seen: Value,
    },
    Fault {
        name: "a left shift goes right",
        edit: r#"0,/OpShiftLeftLogical/s//OpShiftRightLogical/"#,
        case: "wgsl/number/right_shifts_follow_the_sign",
        seen: Value,
    },
    Fault {
        name: "and is or",
        edit: r#"0,/OpBitwiseAnd/s//OpBitwiseOr/"#,
        case: "wgsl/example/a_texture_is_drawn_through_a_sampler",
        seen: Value,
    },
    Fault {
        name: "exclusive or is or",
        edit: r#"0,/OpBitwiseXor/s//OpBitwiseOr/"#,
        case: "wgsl/number/bit_operations_work_on_booleans_too",
        seen: Value,
    },
    Fault {
        name: "complement is negation",
        edit: r#"0,/OpNot /s//OpSNegate /"#,
        case: "wgsl/number/bit_operations_work_on_booleans_too",
        seen: Value,
    },
    Fault {
        name: "a remainder has the other sign",
        edit: r#"0,/OpFRem/s//OpFMod/"#,
        case: "wgsl/number/float_remainders_have_the_sign_of_the_dividend",
        seen: Value,
    },
    Fault {
        name: "greater is less",
        edit: r#"0,/OpFOrdGreaterThan /s//OpFOrdLessThan /"#,
        case: "wgsl/target/blending_uses_the_alpha_of_the_result",
        seen: Value,
    },
    Fault {
        name: "equal is unequal",
        edit: r#"0,/OpIEqual/s//OpINotEqual/"#,
        case: "glsl/ldexp_of_constants_is_constant",
        seen: Value,
    },
    Fault {
        name: "both is either",
        edit: r#"0,/OpLogicalAnd/s//OpLogicalOr/"#,
        case: "wgsl/number/bit_operations_work_on_booleans_too",
        seen: Value,
    },
    Fault {
        name: "a condition is not inverted",
        edit: r#"0,/OpLogicalNot/s//OpCopyObject/"#,
        case: "glsl/bools_compare",
        seen: Value,
    },
    Fault {
        name: "a conversion takes signed for unsigned",
        edit: r#"0,/OpConvertSToF/s//OpConvertUToF/"#,
        case: "oracle/a_rounded_zero_may_be_negative",
        seen: Value,
    },
    Fault {
        name: "a conversion to an integer takes unsigned",
        edit: r#"0,/OpConvertFToS/s//OpConvertFToU/"#,
        case: "oracle/a_rounded_zero_may_be_negative",
        seen: Invalid,
    },
    Fault {
        name: "floor is ceil",
        edit: r#"0,/ Floor /s// Ceil /"#,
        case: "wgsl/number/halves_round_to_even",
        seen: Value,
    },
    Fault {
        name: "trunc is round",
        edit: r#"0,/ Trunc /s// Round /"#,
        case: "wgsl/number/halves_round_to_even",
        seen: Value,
    },
    Fault {
        name: "minimum is maximum",
        edit: r#"0,/ FMin /s// FMax /"#,
        case: "oracle/functions_of_several_floats#of=min",
        seen: Value,
    },
    Fault {
        name: "signed maximum is unsigned",
        edit: r#"0,/ SMax /s// UMax /"#,
        case: "wgsl/number/clamp_of_integers_takes_the_high_end_last",
        seen: Value,
    },
    Fault {
        name: "a root is inverted",
        edit: r#"0,/ Sqrt /s// InverseSqrt /"#,
        case: "wgsl/number/transcendental_functions_meet_known_values",
        seen: Value,
    },
    Fault {
        name: "a sine is a cosine",
        edit: r#"0,/ Sin /s// Cos /"#,
        case: "wgsl/number/transcendental_functions_meet_known_values",
        seen: Value,
    },
    Fault {
        name: "branches are exchanged",
        edit: r#"0,/OpBranchConditional (%\w+) (%\w+) (%\w+)/s//OpBranchConditional \1 \3 \2/"#,
        case: "varying/front_faces_wind_counter_clockwise",
        seen: Value,
    },
    Fault {
        name: "selected values are exchanged",
        edit: r#"0,/OpSelect (%\w+) (%\w+) (%\w+) (%\w+)/s//OpSelect \1 \2 \4 \3/"#,
        case: "wgsl/target/blending_uses_the_alpha_of_the_result",
        seen: Value,
    },
    Fault {
        name: "a discard is lost",
        edit: r#"0,/OpKill/s//OpReturn/"#,
        case: "glsl/discard_leaves_the_target",
        seen: Value,
    },
    Fault {
        name: "a case of a switch goes to the default",
        edit: r#"0,/(OpSwitch %\w+ (%\w+) \w+) %\w+/s//\1 \2/"#,
        case: "wgsl/control/switches_choose_one_clause",
        seen: Value,
    },
    Fault {
        name: "the last store is lost",
        edit: r#"$!{H;d};H;x;s/(.*)\n *OpStore [^\n]*/\1/"#,
        case: "glsl/a_stage_without_version_is_es_100_in_an_es_program",
        seen: Value,
    },
    Fault {
        name: "the first component is the second",
        edit: r#"0,/(OpCompositeExtract .*) 0$/s//\1 1/"#,
        case: "glsl/a_stage_without_version_is_es_100_in_an_es_program",
        seen: Invalid,
    },
    Fault {
        name: "components are shuffled wrongly",
        edit: r#"0,/(OpVectorShuffle .*) 0 1$/s//\1 1 0/"#,
        case: "varying/same_names_as_attributes_and_uniforms",
        seen: Value,
    },
    Fault {
        name: "parts are put together in the wrong order",
        edit: r#"0,/(OpCompositeConstruct %\w+) (%\w+) (%\w+)/s//\1 \3 \2/"#,
        case: "varying/clip_distances_and_varyings",
        seen: Value,
    },
    Fault {
        name: "a constant is wrong",
        edit: r#"0,/(OpConstant %\w+) 0.5$/s//\1 0.25/"#,
        case: "wgsl/target/location_zero_is_not_broadcast",
        seen: Value,
    },
    Fault {
        name: "a derivative is along the other axis",
        edit: r#"0,/OpDPdx/s//OpDPdy/"#,
        case: "wgsl/position_counts_from_the_lower_left",
        seen: Value,
    },
    Fault {
        name: "an atomic addition subtracts",
        edit: r#"0,/OpAtomicIAdd/s//OpAtomicISub/"#,
        case: "wgsl/fragment/helpers_run_beside_small_triangles",
        seen: Value,
    },
    Fault {
        name: "an atomic minimum is a maximum",
        edit: r#"0,/OpAtomicUMin/s//OpAtomicUMax/"#,
        case: "wgsl/atomic/every_function_returns_the_old_value#type=u;space=storage",
        seen: Value,
    },
    Fault {
        name: "a member of a block is elsewhere",
        edit: r#"0,/(OpMemberDecorate .* Offset) 16$/s//\1 32/"#,
        case: "block/words_of_layouts_have_any_case",
        seen: Value,
    },
    Fault {
        name: "elements of a block are wider",
        edit: r#"0,/(OpDecorate .* ArrayStride) 16$/s//\1 32/"#,
        case: "block/forwarded_uniforms_of_a_row_major_block",
        seen: Value,
    },
    Fault {
        name: "a flat input is smooth",
        edit: r#"/Flat$/d"#,
        case: "varying/flat_is_the_last_vertex_of_lines",
        seen: Interface,
    },
    Fault {
        name: "a linear input is perspective",
        edit: r#"/NoPerspective$/d"#,
        case: "wgsl/varying/interpolation_follows_the_perspective",
        seen: Interface,
    },
    Fault {
        name: "a centroid input is not",
        edit: r#"/Centroid$/d"#,
        case: "wgsl/mixed/centroid_of_the_fragment_stage_decides",
        seen: Interface,
    },
    Fault {
        name: "an output has another location",
        edit: r#"0,/(OpDecorate .* Location) 0$/s//\1 7/"#,
        case: "glsl/a_stage_without_version_is_es_100_in_an_es_program",
        seen: Interface,
    },
    Fault {
        name: "a resource has another binding",
        edit: r#"0,/(OpDecorate .* Binding) 0$/s//\1 7/"#,
        case: "wgsl/number/unsigned_numbers_are_their_absolute_values",
        seen: Interface,
    },
    Fault {
        name: "the entry point has another name",
        edit: r#"0,/"main"/s//"mian"/"#,
        case: "glsl/a_stage_without_version_is_es_100_in_an_es_program",
        seen: Interface,
    },
    Fault {
        name: "a workgroup has another size",
        edit: r#"0,/(LocalSize) 1 /s//\1 2 /"#,
        case: "wgsl/number/unsigned_numbers_are_their_absolute_values",
        seen: Interface,
    },
    Fault {
        name: "the origin is gone",
        edit: r#"/OriginUpperLeft/d"#,
        case: "glsl/a_stage_without_version_is_es_100_in_an_es_program",
        seen: Invalid,
    },
    Fault {
        name: "a local variable has another type",
        edit: r#"0,/(OpTypeFloat) 32/s//\1 16/"#,
        case: "glsl/a_stage_without_version_is_es_100_in_an_es_program",
        seen: Invalid,
    },
];

/// Takes the module apart, edits it and puts it together again. Without an edit, it stays as it is.
const COMPILER: &str = "sh -c 'spirv-dis --raw-id $1 | sed -E \"$PLANTED\" | \
     spirv-as --preserve-numeric-ids --target-env vulkan1.1 -o $2 -' sh {in} {out}";

/// Runs a case through the compiler, and returns the output.
fn through(case: &str, edit: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (file, parameters) = case.split_once('#').unwrap_or((case, ""));
    let mark = if parameters.is_empty() { "" } else { "#" };
    let case = format!("cases/{file}.shader_test{mark}{parameters}");
    let arguments =
        ["run", &case, "--adapter", "vulkan:0", "--quick-llvmpipe", "--through", COMPILER];
    run(program(&root).args(arguments).env("PLANTED", edit)).text()
}

/// A sample by default: each fault starts a driver and a dozen processes.
#[test]
fn every_planted_fault_is_blamed_on_the_compiler() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let step = if soak::is_soak() { 1 } else { 6 };
    let missed: Vec<_> = FAULTS
        .iter()
        .step_by(step)
        .filter(|fault| !through(fault.case, fault.edit).contains(fault.seen.words()))
        .map(|fault| (fault.name, fault.seen))
        .collect();
    let planted = FAULTS.len().div_ceil(step);
    soak::tell(&format!("{} of {planted} faults are blamed", planted - missed.len()));
    assert_eq!(missed, []);
}

/// Without an edit, the cases pass: what is blamed above is the edit.
#[test]
fn modules_that_are_only_taken_apart_pass() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let step = if soak::is_soak() { 1 } else { 12 };
    for Fault { case, .. } in FAULTS.iter().step_by(step) {
        let text = through(case, "");
        assert!(text.contains("1 passed, 0 failed"), "{case}: {text}");
    }
}
