//! Tests matching, in the short notation for interfaces.

use crate::notation::variables;
use ir::linkage_table::LinkageTable;
use ir::source::Span;
use ir::stage::ShaderStage;
use ir::stage_module::{LanguageRules, XfbOutput};

use crate::ProgramRules;

use super::*;

const GLSL_450: LinkRules = LinkRules {
    producer: "vertex",
    consumer: "fragment",
    version: 450,
    is_es: false,
    has_wgsl: false,
    is_wgsl: false,
    is_vulkan: false,
    is_fixed_function: false,
    has_labels: false,
    do_declarations_count: true,
};

#[track_caller]
fn check(rules: LinkRules, outputs: &str, inputs: &str, expected: &str) {
    assert_eq!(summary(&variables(outputs), &variables(inputs), rules), expected);
}

fn summary(outputs: &[Variable], inputs: &[Variable], rules: LinkRules) -> String {
    match match_up(outputs, inputs, &LinkageTable::default(), rules) {
        Err(errors) => {
            errors.iter().map(|error| error.message.clone()).collect::<Vec<_>>().join("\n")
        }
        Ok(matched) => {
            let pair =
                |pair: &Pair| format!("{}={}", outputs[pair.output].name, inputs[pair.input].name);
            let mut words: Vec<String> = matched.pairs.iter().map(pair).collect();
            words.extend(matched.unread.iter().map(|idx| format!("unread {}", outputs[*idx].name)));
            words.extend(
                matched.unwritten.iter().map(|idx| format!("unwritten {}", inputs[*idx].name)),
            );
            words.join(", ")
        }
    }
}

/// Marks a variable as not used by any code.
fn never(variable: &mut Variable) {
    (variable.is_used, variable.is_statically_used) = (false, false);
}

fn glsl(version: u16) -> LinkRules {
    LinkRules { version, ..GLSL_450 }
}

fn es(version: u16) -> LinkRules {
    LinkRules { version, is_es: true, ..GLSL_450 }
}

#[test]
fn pairs_are_found_by_name_and_unread_outputs_removed() {
    check(GLSL_450, "vec2 a; vec3 b; float c", "float c; vec2 a", "a=a, c=c, unread b");
}

#[test]
fn explicit_locations_match_whatever_the_names_are() {
    check(GLSL_450, "@3 vec2 a; @1 vec2 b", "@1 vec2 x; @3 vec2 y", "a=y, b=x");
    check(
        GLSL_450,
        "@3 vec2 a",
        "vec2 a",
        "`a` is read by the fragment stage but not written by the vertex stage",
    );
}

/// C42
#[test]
fn explicit_locations_of_one_stage_must_not_overlap() {
    check(
        GLSL_450,
        "@1 vec4 a[2]; @2 vec2 b",
        "@1 vec4 a[2]; @2 vec2 b",
        "`a` and `b` overlap at 2.x\n`a` and `b` overlap at 2.x",
    );
}

/// C33
#[test]
fn an_undeclared_input_is_an_error_in_es_and_except_from_130_to_410() {
    let message = "`v` is read by the fragment stage but not written by the vertex stage";
    check(glsl(420), "", "vec4 v", message);
    check(es(100), "", "vec4 v", message);
    check(glsl(120), "", "vec4 v", message);
    check(glsl(130), "", "vec4 v", "unwritten v");
    check(glsl(410), "", "vec4 v", "unwritten v");
    let fixed_function = LinkRules { is_fixed_function: true, ..glsl(120) };
    check(fixed_function, "", "vec4 v", "unwritten v");
}

/// C34
#[test]
fn an_unwritten_input_is_an_error_up_to_120() {
    let mut outputs = variables("vec4 v");
    never(&mut outputs[0]);
    let inputs = variables("vec4 v");
    assert_eq!(summary(&outputs, &inputs, glsl(130)), "unwritten v");
    let message =
        "`v` is read by the fragment stage but declared and never written by the vertex stage";
    assert_eq!(summary(&outputs, &inputs, glsl(120)), message);
}

#[test]
fn an_unused_input_needs_nothing() {
    let mut inputs = variables("vec4 v");
    never(&mut inputs[0]);
    assert_eq!(summary(&variables("vec4 v"), &inputs, GLSL_450), "unread v");
    assert_eq!(summary(&[], &inputs, es(300)), "");
}

/// C33, C34: a static use counts, even if its code never runs and no value is passed.
#[test]
fn code_that_never_runs_is_a_static_use() {
    let mut inputs = variables("vec4 v");
    inputs[0].is_used = false;
    let missing = "`v` is read by the fragment stage but not written by the vertex stage";
    assert_eq!(summary(&[], &inputs, glsl(420)), missing);
    assert_eq!(summary(&[], &inputs, glsl(410)), "");
    let mut outputs = variables("vec4 v");
    outputs[0].is_used = false;
    assert_eq!(summary(&outputs, &inputs, glsl(120)), "");
    never(&mut outputs[0]);
    let unwritten =
        "`v` is read by the fragment stage but declared and never written by the vertex stage";
    assert_eq!(summary(&outputs, &inputs, glsl(120)), unwritten);
}

/// An explicit location must have a matching output in every version (Mesa; GLSL 4.60 section 4.4.1).
#[test]
fn an_explicit_location_is_met_in_every_version() {
    let message = "`v` is read by the fragment stage but not written by the vertex stage";
    check(glsl(330), "", "@1 vec4 v", message);
    let mut inputs = variables("@1 vec4 v");
    never(&mut inputs[0]);
    assert_eq!(summary(&[], &inputs, glsl(330)), "");
    let shifted =
        "`b` of the fragment stage begins inside or before `a` of the vertex stage and overlaps it";
    let mut inputs = variables("@2 vec4 b");
    never(&mut inputs[0]);
    assert_eq!(summary(&variables("@1 vec4 a[2]"), &inputs, GLSL_450), shifted);
}

/// C36: declarations count, used or not.
#[test]
fn interpolation_must_match_where_nobody_reads() {
    let (mut outputs, mut inputs) = (variables("flat vec4 v"), variables("smooth vec4 v"));
    never(&mut inputs[0]);
    let message = "`v` is flat in the vertex stage but smooth in the fragment stage";
    assert_eq!(summary(&outputs, &inputs, glsl(430)), message);
    never(&mut outputs[0]);
    assert_eq!(summary(&outputs, &inputs, glsl(430)), message);
    assert_eq!(summary(&outputs, &inputs, glsl(440)), "");
}

/// C42: an overlap is an error even if the variables are not used.
#[test]
fn explicit_locations_of_unused_variables_must_not_overlap() {
    let mut outputs = variables("@1 vec4 a; @1 vec2 b");
    never(&mut outputs[1]);
    assert_eq!(summary(&outputs, &[], GLSL_450), "`a` and `b` overlap at 1.x");
}

/// C35
#[test]
fn types_must_be_identical_but_for_struct_names() {
    check(
        GLSL_450,
        "vec3 v",
        "vec4 v",
        "`v` is vec3 in the vertex stage but vec4 in the fragment stage",
    );
    check(
        GLSL_450,
        "vec3 v[2]",
        "vec3 v[3]",
        "`v` is vec3[2] in the vertex stage but vec3[3] in the fragment stage",
    );
    check(
        GLSL_450,
        "struct{float f; vec2 g;} s",
        "struct{float f; vec2 h;} s",
        "`s` is a struct in both stages but the members differ: { float f; vec2 g; } and { float f; vec2 h; }",
    );
}

/// C36, C37
#[test]
fn interpolation_must_match_before_440_and_in_es() {
    let message = "`v` is flat in the vertex stage but smooth in the fragment stage";
    check(glsl(430), "flat vec4 v", "smooth vec4 v", message);
    check(es(320), "flat vec4 v", "smooth vec4 v", message);
    check(glsl(440), "flat vec4 v", "smooth vec4 v", "v=v");
    check(
        glsl(330),
        "vec4 v",
        "smooth vec4 v",
        "`v` is unqualified in the vertex stage but smooth in the fragment stage",
    );
    check(es(300), "vec4 v", "smooth vec4 v", "v=v");
}

/// C38, C39
#[test]
fn sample_must_match_and_centroid_only_in_blocks() {
    check(GLSL_450, "centroid vec4 v", "vec4 v", "v=v");
    check(GLSL_450, "sample vec4 v", "vec4 v", "`v` is qualified `sample` in one stage only");
    let block = |text: &str| {
        let mut members = variables(text);
        for member in &mut members {
            member.is_block_member = true;
        }
        members
    };
    let (outputs, inputs) = (block("centroid vec4 B.v"), block("vec4 B.v"));
    assert_eq!(
        summary(&outputs, &inputs, GLSL_450),
        "`B.v` is qualified `centroid` in one stage only"
    );
    assert_eq!(summary(&outputs, &inputs, es(310)), "B.v=B.v");
}

/// C41
#[test]
fn blocks_must_have_the_same_members_in_the_same_order() {
    let block = |text: &str| {
        let mut members = variables(text);
        for member in &mut members {
            member.is_block_member = true;
        }
        members
    };
    let message = summary(&block("vec4 B.a; vec4 B.b"), &block("vec4 B.b; vec4 B.a"), GLSL_450);
    assert_eq!(
        message,
        "block `B` has the members `a`, `b` in the vertex stage but `b`, `a` in the fragment stage"
    );
}

/// C40
#[test]
fn invariance_must_match_in_old_versions_even_where_nobody_reads() {
    let mut outputs = variables("vec4 v");
    outputs[0].is_invariant = true;
    let mut inputs = variables("vec4 v");
    never(&mut inputs[0]);
    let message = "`v` is invariant in one stage only";
    assert_eq!(summary(&outputs, &inputs, glsl(410)), message);
    assert_eq!(summary(&outputs, &inputs, es(100)), message);
    assert_eq!(summary(&outputs, &inputs, glsl(420)), "unread v");
    assert_eq!(summary(&outputs, &inputs, es(300)), "unread v");
}

/// C42
#[test]
fn a_struct_shares_no_location() {
    let both = |text: &str| {
        let mut both = variables(text);
        both[1].component = Some(2);
        both
    };
    let structs = both("@0 struct{vec2 f;} s; @0 vec2 w");
    let message = "`s` is a struct and cannot share location 0 with `w`";
    assert_eq!(summary(&structs, &[], GLSL_450), message);
    let vectors = both("@0 vec2 s; @0 vec2 w");
    assert_eq!(summary(&vectors, &vectors, GLSL_450), "s=s, w=w");
}

/// The newer of two versions applies, whichever stage has it. The fixed-function stage uses the rules of the other
/// stage. No language links by labels unless the case enables this. A declaration that no code names may belong to
/// another entry point of the module, so it counts only in GLSL.
#[test]
fn the_newer_version_decides() {
    let glsl = |version, is_es| LanguageRules::Glsl { version, is_es };
    assert_eq!(LinkRules::of_languages(glsl(110, false), glsl(450, false)), GLSL_450);
    assert_eq!(LinkRules::of_languages(glsl(450, false), glsl(110, false)), GLSL_450);
    assert_eq!(LinkRules::of_languages(glsl(450, true), glsl(110, false)), GLSL_450);
    let fixed = LinkRules { is_fixed_function: true, ..GLSL_450 };
    assert_eq!(LinkRules::of_languages(LanguageRules::FixedFunction, glsl(450, false)), fixed);
    let modules = LinkRules { do_declarations_count: false, ..GLSL_450 };
    let vulkan = LinkRules { is_vulkan: true, ..modules };
    assert_eq!(LinkRules::of_languages(LanguageRules::Vulkan, LanguageRules::Vulkan), vulkan);
    assert_eq!(LinkRules::of_languages(LanguageRules::Spirv, LanguageRules::Spirv), modules);
    let wgsl = LinkRules { version: 460, has_wgsl: true, ..modules };
    let both = LinkRules { is_wgsl: true, ..wgsl };
    assert_eq!(LinkRules::of_languages(LanguageRules::Wgsl, LanguageRules::Wgsl), both);
    assert_eq!(LinkRules::of_languages(LanguageRules::Wgsl, LanguageRules::Spirv), wgsl);
    assert_eq!(LinkRules::of_languages(LanguageRules::Spirv, glsl(450, false)), wgsl);
    assert_eq!(LinkRules::of_languages(LanguageRules::Vulkan, LanguageRules::Spirv), wgsl);
    assert_eq!(LinkRules::of_languages(LanguageRules::Spirv, LanguageRules::Vulkan), wgsl);
}

/// WebGPU, "validating inter-stage interfaces": types, interpolation and sampling must be equal, and each input must
/// have an output at its location, even if the code does not read it.
#[test]
fn locations_of_wgsl_follow_webgpu() {
    let rules = LinkRules::of_languages(LanguageRules::Wgsl, LanguageRules::Wgsl);
    check(rules, "@0 smooth float a", "@0 smooth float b", "a=b");
    let words = "the stages differ in interpolation of `b`: ";
    let differs = |vertex: &str, fragment: &str| {
        format!("{words}`{vertex}` in the vertex stage but `{fragment}` in the fragment stage")
    };
    let checked = |output: &str, input: &str, expected: &str| {
        check(rules, &format!("@0 {output} float a"), &format!("@0 {input} float b"), expected);
    };
    checked("smooth", "noperspective", &differs("perspective", "linear"));
    checked("flat", "smooth", &differs("flat, first", "perspective"));
    checked("smooth centroid", "smooth", &differs("perspective, centroid", "perspective"));
    checked("smooth", "smooth sample", &differs("perspective", "perspective, sample"));
    checked("flat", "flat", "a=b");
    let [mut output, mut input] = [variables("@0 flat int a"), variables("@0 flat int b")];
    output[0].is_either = true;
    assert_eq!(summary(&output, &input, rules), differs("flat, either", "flat, first"));
    input[0].is_used = false;
    input[0].is_statically_used = false;
    input[0].location = Some(1);
    let missing = "`b` is an input of the fragment stage but not an output of the vertex stage";
    assert_eq!(summary(&output, &input, rules), missing);
    let mixed = LinkRules::of_languages(LanguageRules::Wgsl, LanguageRules::Spirv);
    assert_eq!(summary(&output, &input, mixed), "unread a");
}

/// A variable that overlaps in several places is reported once.
#[test]
fn an_overlap_is_told_once() {
    let message = "`a` and `b` overlap at 0.x";
    check(GLSL_450, "@0 vec4 a[3]; @0 vec4 b[2]", "@0 vec4 a[3]", message);
}

/// The errors about the outputs of a SPIR-V stage that is the last stage. Transform feedback captures the outputs in
/// `captured`.
fn last(outputs: &str, captured: &[&str], last_outputs: LastOutputs) -> String {
    let mut module = naga::Module::default();
    let main = module.functions.append(naga::Function::default(), naga::Span::UNDEFINED);
    let mut stage = StageModule::new(ShaderStage::Vertex, LanguageRules::Spirv, module, main);
    stage.outputs = variables(outputs);
    let span = Span::new(0, 0);
    let item = |name: &&str| XfbOutput { name: (*name).to_owned(), buffer: 0, offset: 0, span };
    stage.xfb.outputs = captured.iter().map(item).collect();
    let rules = ProgramRules { last_outputs, ..ProgramRules::default() };
    let checked = check_last(&stage, &LinkOptions { rules, ..LinkOptions::default() });
    let errors = checked.err().unwrap_or_default();
    errors.into_iter().map(|error| error.message).collect::<Vec<_>>().join("\n")
}

/// piglit's `arb_gl_spirv/execution/xfb/vs_block`: SPIR-V has no rule for outputs that are not read, and Mesa does not
/// check them.
#[test]
fn what_nothing_captures_may_overlap_where_mesa_links() {
    let (used, captured) = (LastOutputs::Used, LastOutputs::Captured);
    let message = "`a` and `b` overlap at 0.x";
    let outputs = "@0 vec4 a; @0 vec4 b[2]";
    assert_eq!(last(outputs, &["b"], captured), "");
    assert_eq!(last(outputs, &[], captured), "");
    assert_eq!(last(outputs, &["a", "b"], captured), message);
    assert_eq!(last(outputs, &["b"], used), message);
}

/// Adjacent locations do not overlap, whether they are read or not.
#[test]
fn neighbours_do_not_overlap() {
    let told = |outputs: &str| summary(&variables(outputs), &variables("@1 vec4 a[2]"), GLSL_450);
    for beside in ["@0 vec4 b", "@3 vec4 b"] {
        assert!(!told(beside).contains("overlaps"), "{}", told(beside));
    }
    for inside in ["@0 vec4 b[2]", "@2 vec4 b"] {
        assert!(told(inside).contains("overlaps"), "{}", told(inside));
    }
}

#[test]
fn in_vulkan_inputs_may_be_missing_or_narrower() {
    let vulkan = LinkRules::of_languages(LanguageRules::Vulkan, LanguageRules::Vulkan);
    check(vulkan, "@3 vec4 a", "@3 vec2 b; @4 vec4 c", "a=b, unwritten c");
    let message = "`b` is vec2 in the vertex stage but vec4 in the fragment stage";
    check(vulkan, "@3 vec2 a", "@3 vec4 b", message);
    let message = "`b` is uvec4 in the vertex stage but vec2 in the fragment stage";
    check(vulkan, "@3 uvec4 a", "@3 vec2 b", message);
}
