//! Tests of the rules about whole cases: each row is a text and the error message that it gives.

use crate::Dialect;
use crate::read::parse::tests::messages;
use ir::stage::ShaderStage;

/// Checks the first message about `text`, without its position.
#[track_caller]
fn check(text: &str, expect: &str) {
    match messages(text, Dialect::Interstage) {
        Ok(_) => panic!("{text}\nis a case"),
        Err(found) => assert!(found.contains(expect), "{text}\ngives {found}\nand not {expect}"),
    }
}

#[track_caller]
fn check_right(text: &str) {
    if let Err(found) = messages(text, Dialect::Interstage) {
        panic!("{text}\ngives {found}");
    }
}

const STAGES: &str = "[vertex shader passthrough]\n[fragment shader]\nvoid main() {}\n";

/// A case with `lines` in `[require]`.
fn require(lines: &str) -> String {
    format!("[require]\n{lines}\n{STAGES}[test]\nlink success\n")
}

/// A case with `lines` in `[link]`.
fn link(lines: &str) -> String {
    format!("{STAGES}[link]\n{lines}\n[test]\nlink success\n")
}

/// A case with `lines` in `[test]`, after a draw to a target of this format.
fn test(format: &str, lines: &str) -> String {
    format!(
        "{STAGES}[render targets]\n0 {format}\ndepth depth24plus-stencil8\n[test]\ndraw rect -1 -1 2 2\n{lines}\n"
    )
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn a_setting_is_given_once() {
    let twice =
        |setting: &str, line: usize| format!("`{setting}` is given twice, first in line {line}");
    for (lines, setting) in [
        ("GL >= 3.3\nGL >= 3.3", "GL"),
        ("GL CORE >= 3.3\nGL CORE >= 3.2", "GL CORE"),
        ("GLSL >= 3.30\nGLSL >= 4.50", "GLSL"),
        ("GL_ARB_sync\n!GL_ARB_sync", "GL_ARB_sync"),
        (
            "GL_MAX_VARYING_COMPONENTS >= 5\nINT GL_MAX_VARYING_COMPONENTS >= 3",
            "GL_MAX_VARYING_COMPONENTS",
        ),
        ("depthbuffer\ndepthbuffer", "depthbuffer"),
        ("size 8 8\nSIZE 4 4", "size"),
        ("feature CLIP_DISTANCES\nfeature CLIP_DISTANCES or emulated", "feature CLIP_DISTANCES"),
        ("limit max_buffer_size >= 5\nlimit max_buffer_size >= 3", "limit max_buffer_size"),
        ("backend vulkan\nbackend gl", "backend"),
    ] {
        check(&require(lines), &twice(setting, 2));
    }
    let apis = "a case requires either GL or GL ES, but line 2 is of the other";
    check(&require("GL >= 3.3\nGL ES >= 3.0"), apis);
    check(&require("GL ES >= 3.0\nGL COMPAT >= 3.0"), apis);
    check_right(&require("GL >= 3.3\nGL CORE >= 3.2"));
    let profiles = "a case requires one profile of GL, but line 2 is of the other";
    check(&require("GL CORE >= 3.2\nGL COMPAT >= 3.0"), profiles);
    check(&require("GL COMPAT >= 3.0\nGL CORE >= 3.2"), profiles);
    let adapters = "# why\nadapter ~ \"llvm\"\n# why\nadapter !~ \"LLVM\"";
    check(&require(adapters), &twice("adapter llvm", 3));
    for (lines, setting) in [
        ("profile nv30\nprofile nv40", "profile"),
        ("profile nv30\nprofile nv30", "profile"),
        ("pack off\npack on", "pack"),
        ("fallback off\nfallback on", "fallback"),
        ("native off\nnative on", "native"),
        ("optimise dead\noptimise constants dead", "optimise dead"),
        ("share centroid centroid", "share centroid"),
        ("variables 16\nvariables 8", "variables"),
        ("outputs raw\noutputs typed", "outputs"),
        ("emulate clip\nemulate clip", "emulate"),
        ("mix on\nmix off", "mix"),
        ("limit uniform_blocks 3\nlimit uniform_blocks 4", "limit uniform_blocks"),
        ("separable\nseparable", "separable"),
        ("semantic a GENERIC[1]\nsemantic a GENERIC[2]", "semantic a"),
        ("slots 3\nslots 4", "slots"),
        ("steps none\nsteps dense", "steps"),
        ("a 0.x\na 1.x", "a"),
        ("carrier 0 flat int\ncarrier 0 smooth vec2", "carrier 0"),
        ("unused a\nunused a", "unused a"),
        ("dead a\ndead a", "dead a"),
        ("constant a\nconstant a", "constant a"),
        ("uniform a\nuniform a", "uniform a"),
        ("duplicate a\nduplicate a", "duplicate a"),
        ("output 0 vec4\noutput 0 none", "output 0"),
        ("stride 0 16\nstride 0 32", "stride 0"),
        ("captured a unwritten\ncaptured a 0.x->0", "captured a"),
        ("block B size 16\nblock B members 1 size 32", "block B size"),
        ("member B.a offset 0 offset 16", "member B.a offset"),
        ("distances none\ndistances c0", "distances"),
        ("two_sided hardware\ntwo_sided fragment", "two_sided"),
        ("pipelines 1\npipelines 2", "pipelines"),
        ("layout dense\nlayout identity", "layout"),
        ("register GENERIC[0] 1\nregister GENERIC[0] 2", "register GENERIC[0]"),
        ("mismatch a\nmismatch a", "mismatch a"),
        ("links 1\nlinks 2", "links"),
        ("identical 1\nidentical 2", "identical"),
        ("relocations 1\nrelocations 2", "relocations"),
        ("emitted 1\nemitted 2", "emitted"),
        ("reused 1\nreused 2", "reused"),
        ("error \"not written\"\nerror \"not written\"", "error not written"),
        ("sprite TEXCOORD[0] TEXCOORD[0]", "sprite TEXCOORD[0]"),
    ] {
        check(&link(lines), &twice(setting, 5));
    }
}

#[test]
fn what_a_section_declares_is_declared_once() {
    let targets =
        |lines: &str| format!("{STAGES}[render targets]\n{lines}\n[test]\nlink success\n");
    check(
        &targets("samples 4\n0 rgba8unorm\nsamples 1"),
        "`samples` is given twice, first in line 5",
    );
    check(&targets("depth stencil8\ndepth stencil8"), "`depth` is given twice, first in line 5");
    check(&targets("1 rgba8unorm\n1 r8unorm"), "`render target 1` is given twice, first in line 5");
    let data = |header: &str| {
        format!(
            "{STAGES}[vertex data]\n{header}\n0 0\n[test]\ndraw arrays points 0 1\nprobe all rgb 0 0 0\n"
        )
    };
    check(&data("a/float/float a/float/float"), "`a` is given twice");
    check(&data("a[1]/float/float a[1]/float/float"), "`a[1]` is given twice");
    check(&data("m/float/mat2/1 m/float/mat2/1"), "`m column 1` is given twice");
    let parameters = |lines: &str| format!("[parameters]\n{lines}\n[test]\nlink success ${{a}}");
    check(&parameters("a = 1\na = 2"), "`a` is given twice, first in line 2");
    check(&parameters("a = 1\nlet a = 2"), "`a` is given twice, first in line 2");
    let spirv = "[vertex shader spirv]\n[vertex shader specializations]\nint 0 1\nuint 0 2\n[test]\nlink success\n";
    check(spirv, "`vertex constant 0` is given twice, first in line 3");
    let expect = "any fail \"r\" http://a";
    check(&format!("{}[expect]\n{expect}\n{expect}\n", link("slots 0")), "is given twice");
    let varyings = "[vertex shader wgsl]\n[varyings]\nvec2 a\nvec3 a\n[test]\nlink success\n";
    check(varyings, "`a` is given twice, first in line 3");
}

#[test]
fn a_command_sets_what_something_sees_before_it_is_set_again() {
    let all = "probe all rgba 0 1 0 1";
    for (lines, setting) in [
        ("tolerance 0 0 0 0\ntolerance 0.1 0 0 0", "tolerance"),
        ("tolerance 0 0 0 0\ndraw rect 0 0 1 1\ntolerance ulp 1", "tolerance"),
        ("clear color 0 0 0 0\nclear color 1 1 1 1", "clear color"),
        ("clear depth 0\nclear depth 1", "clear depth"),
        ("clear stencil 0\nclear stencil 1", "clear stencil"),
        ("uniform float a 1\nuniform vec2 a 1 2", "uniform a"),
        ("enable GL_DEPTH_TEST\ndisable GL_DEPTH_TEST", "GL_DEPTH_TEST"),
        ("depthfunc GL_LESS\ndepthfunc GL_EQUAL", "depthfunc"),
        ("blendfunc GL_ONE GL_ONE\nblendfunc GL_ZERO GL_ONE", "blendfunc"),
        ("colormask buffer 0 1 1 1 1\ncolormask buffer 0 0 1 1 1", "colormask buffer 0"),
        ("xfb buffer object 0 16\nxfb buffer object 0 32", "xfb buffer object 0"),
        (
            "xfb buffer object 0 16\nxfb buffer range 0 0 8\nxfb buffer range 0 8 8",
            "xfb buffer range 0",
        ),
        ("atomic counter buffer 0 1\natomic counter buffer 0 2", "atomic counter buffer 0"),
        ("provoking vertex last\nprovoking vertex first", "provoking vertex"),
        ("ssbo 0 8\nssbo 0 16", "ssbo 0"),
        ("ssbo 0 subdata uint 4 1\nssbo 0 subdata uint 4 2", "ssbo 0 subdata 4"),
        ("texture rgbw 0 (8, 8)\ntexture miptree 0", "texture 0"),
    ] {
        let found = format!("`{setting}` is given twice");
        check(&test("rgba8unorm", &format!("{lines}\ndraw rect 0 0 1 1\n{all}")), &found);
    }
    check(
        &format!("{STAGES}[test]\nlink success\nlink success\n"),
        "`link success` is given twice",
    );
    let seen = "tolerance 0 0 0 0\nprobe all rgba 0 1 0 1\ntolerance 0.1 0 0 0\nuniform float a 1\n\
                draw rect 0 0 1 1\nuniform float a 2\ndraw rect 0 0 1 1\nprobe all rgba 0 1 0 1";
    check_right(&test("rgba8unorm", seen));
    let buffers = "blendfunc GL_ONE GL_ONE\nblendfunc buffer 0 GL_ZERO GL_ONE\ndraw rect 0 0 1 1";
    check_right(&test("rgba8unorm", &format!("{buffers}\n{all}")));
}

#[test]
fn nothing_is_set_that_nobody_sees() {
    let all = "probe all rgba 0 1 0 1";
    for (lines, setting) in [
        (format!("{all}\ntolerance 0 0 0 0"), "tolerance"),
        (format!("clear color 0 0 0 0\n{all}"), "clear color"),
        (format!("{all}\nuniform float a 1"), "uniform a"),
        (format!("{all}\nenable GL_DEPTH_TEST"), "GL_DEPTH_TEST"),
    ] {
        check(&test("rgba8unorm", &lines), &format!("nothing sees `{setting}`"));
    }
    // State that affects linking needs no draw.
    check_right(&format!("{STAGES}[test]\nenable GL_CLIP_PLANE7\nlink success\n"));
}

#[test]
fn a_probe_is_of_numbers_that_can_be_there() {
    for (format, values, message) in [
        ("rgba8unorm", "-5 2 0 1", "`-5` is never in `rgba8unorm`, which holds 0 to 1"),
        ("rgba8unorm", "0 1.5 0 1", "`1.5` is never in `rgba8unorm`"),
        ("rgba8unorm", "nan 0 0 1", "`NaN` is never in `rgba8unorm`"),
        ("rgba8unorm", "0|2 0 0 1", "`2` is never in `rgba8unorm`"),
        ("rgba8snorm", "0 -1.5 0 1", "`-1.5` is never in `rgba8snorm`, which holds -1 to 1"),
        ("rgba8uint", "256 0 0 1", "`256` is never in `rgba8uint`, whose red is 0 to 255"),
        ("rgba8uint", "0 -1 0 1", "`-1` is never in `rgba8uint`, whose green is 0 to 255"),
        ("rgba16sint", "0 0 32768 1", "whose blue is -32768 to 32767"),
        ("rgb10a2uint", "0 0 0 4", "whose alpha is 0 to 3"),
        ("rgba16float", "1e6 0 0 1", "`1000000.0` is never in `rgba16float`"),
        ("rgba16float", "0x10000 0 0 1", "`0x10000` has more than the 16 bits of `rgba16float`"),
        ("rg11b10ufloat", "-1 0 0 1", "`-1` is never in `rg11b10ufloat`"),
        ("r8unorm", "0 0.5 0 1", "`r8unorm` has no green, which reads 0"),
        ("r8unorm", "0 0 0 0", "`r8unorm` has no alpha, which reads 1"),
    ] {
        check(&test(format, &format!("probe all rgba {values}")), message);
    }
    for (format, values) in [
        ("rgba8unorm", "0 1 0.5 0x3f800000"),
        ("rgba8snorm", "-1 1 0 1"),
        ("rgba16float", "65504|inf nan -1 0x3c00"),
        ("rg11b10ufloat", "0.5 1 2 1"),
        ("rgba32sint", "-2147483648 0xffffffff 0 1"),
        ("r32float", "1e30 0 0 1"),
    ] {
        check_right(&test(format, &format!("probe all rgba {values}")));
    }
    check(&test("rgba8unorm", "probe depth 0 0 1.5"), "`1.5` is never a depth");
    check(&test("rgba8unorm", "probe stencil 0 0 256"), "256");
}

#[test]
fn a_tolerance_leaves_something_to_find() {
    let always = "of this probe is right whatever is there";
    for (format, lines, channel) in [
        ("rgba8unorm", "tolerance 2 2 2 2\nprobe all rgba 0 1 0 1", "red"),
        ("rgba8unorm", "tolerance 0 0 1 0\nprobe rgba 0 0 0 1 0 1", "blue"),
        ("rgba8unorm", "tolerance 0 0.5 0 0\nprobe all rgb 0 0.5 0", "green"),
        ("rgba8unorm", "tolerance 0.5 0 0 0\nprobe all rgb 0|1 1 0", "red"),
        ("rgba8unorm", "probe all rgba 0 1 0 1 ulp 255", "red"),
        ("rgba8snorm", "tolerance 1 0 0 0\nprobe all rgb 0 1 0", "red"),
        ("rgba16unorm", "tolerance 1 0 0 0\nprobe all rgb 0 1 0", "red"),
        ("rgba32float", "tolerance 1 0 0 0\nprobe all rgb 0 1 0", "red"),
        ("rgba32float", "tolerance 0 0 8 0\nprobe all rgb 0 1 -8", "blue"),
        ("rgba16float", "tolerance 0 1e30 0 0\nprobe all rgb 0 1 0", "green"),
    ] {
        check(&test(format, lines), &format!("{channel} {always}"));
    }
    check_right(&test("rgba8unorm", "tolerance 0.9 0.9 0.9 0.9\nprobe all rgba 0 1 0 1"));
    check_right(&test("rgba32float", "tolerance 7 0 0 0\nprobe all rgb 8 1 0"));
    let choices = "every channel of this probe has a choice";
    check(&test("rgba8unorm", "probe all rgba 0|1 0|1 0|1 0|1"), choices);
    check(&test("r8unorm", "probe all rgba 0|1 0 0 1"), choices);
    check_right(&test("rgba8unorm", "probe all rgba 0|1 0|1 0|1 1"));
    check(&test("rgba8unorm", "tolerance 1 0 0 0\nprobe depth 0 0 1"), "whatever is there");
    check(&test("rgba8unorm", "golden target 0 a tolerance 255"), "is all of `rgba8unorm`");
    check_right(&test("rgba8unorm", "golden target 0 a tolerance 254"));
    check(&test("rgba8unorm", "golden target 0 a flip 1"), "less than 1");
    check(&test("rgba8unorm", "tolerance inf 0 0 0\nprobe all rgb 0 0 0"), "a tolerance must be");
}

#[test]
fn a_comparison_can_hold_and_can_fail() {
    let buffer =
        |lines: &str| format!("[compute shader]\n[test]\nssbo 0 64\ncompute 1 1 1\n{lines}\n");
    for (probe, holds) in [
        ("uint 0 >= 0", true),
        ("uint 0 <= 4294967295", true),
        ("uint 0 > -0x1", true),
        ("int 0 >= -2147483648", true),
        ("int 0 <= 2147483647", true),
        ("float 0 != nan", true),
        ("uint 0 < 0", false),
        ("uint 0 > 4294967295", false),
        ("int 0 < -2147483648", false),
        ("float 0 == nan", false),
        ("float 0 < nan", false),
        ("float 0 > inf", false),
        ("float 0 < -inf", false),
    ] {
        if probe.contains("-0x1") {
            // Numbers of another type are rejected earlier.
            check(&buffer(&format!("probe buffer 0 {probe}")), "`-0x1` does not fit `uint`");
            continue;
        }
        let which = if holds { "holds for every value" } else { "holds for no value" };
        check(&buffer(&format!("probe buffer 0 {probe}")), which);
    }
    let near = "tolerance 5 5 5 5\nprobe buffer 0 float 0 ~= 1";
    check(&buffer(near), "holds for every value");
    check_right(&buffer("probe buffer 0 uint 0 >= 1\nprobe buffer 0 float 0 ~= nan"));
}

#[test]
fn somebody_looks_at_what_is_drawn() {
    let nobody = "no expectation depends on the result of this step";
    let draw = "draw rect -1 -1 2 2";
    let lines = |lines: &str| format!("{STAGES}[test]\n{lines}\n");
    check(&lines(&format!("{draw}\nprobe all rgba 0 0 0 0\n{draw}")), nobody);
    let linked = format!("{STAGES}[link]\nslots 0\n[test]\n{draw}\n");
    check(&linked, nobody);
    check(&lines(&format!("{draw}\nprobe all rgba 0 0 0 0\nclear color 0 0 0 1\nclear")), nobody);
    check(&lines(&format!("{draw}\nlink success")), nobody);
    check(
        "[compute shader]\n[test]\nssbo 0 4\ncompute 1 1 1\nprobe buffer 0 uint 0 == 0\ncompute 1 1 1\n",
        nobody,
    );
    check_right(&lines(&format!("{draw}\n{draw}\nprobe all rgba 0 0 0 0")));
    let wiped = "the result of this draw is cleared before any expectation checks it";
    check(&lines(&format!("{draw}\nclear color 0 0 0 1\nclear\nprobe all rgba 0 0 0 1")), wiped);
    let probe = "probe all rgba 0 0 0 0";
    check_right(&lines(&format!("{draw}\n{probe}\nclear\n{draw}\n{probe}")));
    let targets = "[render targets]\n0 rgba8unorm\n2 r8unorm\n";
    let of = |lines: &str| format!("{STAGES}{targets}{lines}");
    let unseen = "nothing looks at render target 2";
    check(&of(&format!("[test]\n{draw}\nprobe all rgba 0 0 0 0\n")), unseen);
    let both = format!("[test]\n{draw}\nprobe all rgba 0 0 0 0\nprobe target 2 all rgb 0 0 0\n");
    check_right(&of(&both));
    check_right(&of(&format!("[link]\noutput 2 none\n[test]\n{draw}\nprobe all rgba 0 0 0 0\n")));
    let counted = format!("{STAGES}[link]\npipelines 1\n[test]\n{draw}\n");
    check_right(&counted);
}

#[test]
fn nothing_is_looked_at_beside_an_expected_error() {
    let beside = "line 5 expects an error, so that nothing else is looked at";
    let lines = |lines: &str| format!("{STAGES}[test]\n{lines}\n");
    let error = "link error \"not written by\"";
    check(&lines(&format!("{error}\ndraw rect -1 -1 2 2\nprobe all rgb 0 0 0")), beside);
    check(&lines(&format!("{error}\nlink success")), beside);
    check(&lines(&format!("compile error \"is not declared\"\n{error}")), beside);
    check(&lines(&format!("{error}\nverify program_query GL_ACTIVE_UNIFORMS 1")), beside);
    let link = |line: &str| format!("{STAGES}[link]\nerror \"not written by\"\n{line}\n");
    check(&link("slots 1"), beside);
    check_right(&link("error \"another message\""));
    check_right(&lines(error));
}

#[test]
fn an_expected_error_names_the_one_that_is_meant() {
    let needs = "needs a part of its message";
    let vague = "is in nearly every message";
    let lines = |lines: &str| format!("{STAGES}[test]\n{lines}\n");
    check(&lines("link error"), needs);
    check(&lines("compile error"), needs);
    check(&lines("link error \"e\""), vague);
    check(&lines("compile error \"gl_Position\""), vague);
    check(&link("error \"e\""), vague);
    check(&link("error \"a  b\""), vague);
    check(&link("error \"\""), vague);
}

#[test]
fn a_line_about_linking_can_fail_beside_the_settings() {
    let no_label = "nothing has a label here";
    for line in ["relocations 0", "links 0", "reused 0", "layout identity", "register GENERIC[0] 0"]
    {
        check(&link(line), no_label);
        check(&link(&format!("profile webgpu\n{line}")), no_label);
        check(&link(&format!("profile all\n{line}")), no_label);
        check_right(&link(&format!("profile nv30\n{line}")));
        check_right(&link(&format!("separable\n{line}")));
    }
    check(&link("mismatch a"), "only inputs of `separable` stages are undefined");
    check(&link("output 7 none"), "there is no draw buffer 7");
    check(&link("stride 0 0"), "nothing is captured");
    check(&link("captured a unwritten"), "nothing is captured");
    check(&link("distances none"), "no stage names a distance");
    check(&link("fallback off\nsteps none"), "`steps none` holds for every program here");
    check(&link("pack off\nsteps none"), "`steps none` holds for every program here");
    check(&link("pipelines 0"), "how many must be an integer from 1");
    check(&link("block B"), "missing what is expected");
    check(&link("member B.a"), "missing what is expected");
}

#[test]
fn no_setting_takes_the_effect_from_another() {
    for line in ["pack off", "optimise dead", "share noperspective", "fallback off", "native off"] {
        let setting = line.split(' ').next().unwrap_or_default();
        let message = format!("`{setting}` has no effect here");
        check(&link(&format!("separable\n{line}")), &message);
        check_right(&link(line));
    }
    check(&link("separable\nsteps none"), "nothing is packed here");
    check(&link("pack inside\nfallback on"), "`fallback` has no effect here");
    check_right(&link("pack scalar\nfallback off"));
}

#[test]
fn nothing_stands_behind_a_header() {
    let text = |header: &str| {
        format!("[vertex shader passthrough]\n{header}\nvoid main() {{}}\n[test]\nlink success\n")
    };
    check(&text("[fragment shader]#version 100"), "unexpected `#version 100` after the header");
    check(&text("[fragment shader] #version 100"), "unexpected `#version 100` after the header");
    check_right(&text("[fragment shader] # the second stage"));
}

#[test]
fn used_stages_are_there_and_geometry_stages_are_used() {
    let text = |sections: &[&str], steps: &str| {
        let sections = sections.iter().map(|words| format!("[{words}]\nvoid main() {{}}\n"));
        format!("{}[test]\n{steps}\nlink success\n", sections.collect::<String>())
    };
    let pair = ["vertex shader v", "fragment shader f"];
    let triple = ["vertex shader v", "geometry shader g", "fragment shader f"];
    check_right(&text(&pair, "use v f"));
    check_right(&text(&triple, "use v g f"));
    check(&text(&pair, "use v g f"), "6:1: there is no `[geometry shader g]`");
    check(&text(&pair, "use v"), "3:1: `[fragment shader f]` is never used");
    check_right(&text(&pair, "use v\nuse v f"));
    check_right(&text(&triple, "use v g\nuse v g f"));
    check_right(&text(&triple, "use v g f\nuse v"));
    check(&text(&triple, "use v"), "3:1: `[geometry shader g]` is never used");
    let first = "stage, but the first name must be a vertex stage";
    check(&text(&triple, "use g"), &format!("8:1: `g` is a geometry {first}"));
    check(&text(&triple, "use f"), &format!("8:1: `f` is a fragment {first}"));
    check(&text(&triple, "use g f"), &format!("`g` is a geometry {first}"));
    check(&text(&triple, "use x"), "8:1: there is no `[vertex shader x]`");
    let neither = "8:1: there is no `[fragment shader x]` and no `[geometry shader x]`";
    check(&text(&triple, "use v x"), neither);
    check(&text(&triple, "use v v"), "there is no `[fragment shader v]` and no");
    let same = ["vertex shader v", "geometry shader f", "fragment shader f"];
    let both = "8:1: `f` is a geometry stage and a fragment stage: rename one";
    check(&text(&same, "use v f"), both);
    check_right(&text(&same, "use v f f"));
    check(&text(&triple, "use v f f"), "there is no `[geometry shader f]`");
    check(&text(&triple, "use v g g"), "there is no `[fragment shader g]`");
    let twice = "8:1: `f` is a fragment stage, which cannot follow the fragment stage `f`";
    check(&text(&triple, "use v g f f"), twice);
    let surplus = format!("use v g{}", " f".repeat(ShaderStage::OF_DRAWS.len() - 1));
    check(&text(&triple, &surplus), "unexpected `f` at the end of the line");
    check(&text(&triple, "use v f"), "3:1: `[geometry shader g]` is never used");
    let unnamed = ["vertex shader v", "geometry shader", "fragment shader f"];
    check(&text(&unnamed, "use v f"), "`[geometry shader]` is never used");
    let second = ["vertex shader v", "fragment shader f", "fragment shader g"];
    check(&text(&second, "use v f"), "5:1: `[fragment shader g]` is never used");
    check_right(&text(&second, "use v f\nuse v g"));
    let separable = text(&second, "use v f").replace("[test]", "[link]\nseparable\n[test]");
    check_right(&separable);
}

#[test]
fn tessellation_stages_are_used_in_the_order_of_the_pipeline() {
    let text = |more: &[&str], steps: &str| {
        let sections = [
            &["vertex shader v", "fragment shader f"],
            &["tessellation control shader c", "tessellation evaluation shader e"],
        ];
        let sections = sections.into_iter().flatten().chain(more);
        let sections = sections.map(|words| format!("[{words}]\nvoid main() {{}}\n"));
        format!("{}[test]\n{steps}\nlink success\n", sections.collect::<String>())
    };
    let geometry = ["geometry shader g"];
    check_right(&text(&[], "use v c e f"));
    check_right(&text(&[], "use v c e\nuse v e\nuse v e f\nuse v f\nuse v"));
    check_right(&text(&geometry, "use v c e g f\nuse v e g\nuse v g f"));
    check(&text(&[], "use v e f"), "5:1: `[tessellation control shader c]` is never used");
    check(&text(&[], "use v f"), "7:1: `[tessellation evaluation shader e]` is never used");
    let lonely =
        "10:1: `c` is a tessellation control stage, but no tessellation evaluation stage follows";
    check(&text(&[], "use v c f"), lonely);
    check(&text(&[], "use v c"), lonely);
    let order = "10:1: `c` is a tessellation control stage, which cannot follow the tessellation evaluation stage `e`";
    check(&text(&[], "use v e c f"), order);
    check(&text(&[], "use v x f"), "10:1: no stage after the vertex stage is called `x`");
    check(&text(&[], "use v c e f x"), "10:1: no stage after the vertex stage is called `x`");
    let first =
        "10:1: `c` is a tessellation control stage, but the first name must be a vertex stage";
    check(&text(&[], "use c e f"), first);
    let same = ["tessellation evaluation shader f"];
    let both = "12:1: `f` is a tessellation evaluation stage and a fragment stage: rename one";
    check(&text(&same, "use v c f"), both);
    check_right(&text(&same, "use v c f f\nuse v c e f"));
}

#[test]
fn lines_below_pair_are_about_a_triple_that_is_used() {
    let text = |uses: &str, pair: &str| {
        let stages = "[vertex shader v]\n[geometry shader g]\n[fragment shader f]\n";
        format!("{stages}[link]\n{pair}\nslots 1\n[test]\n{uses}\nlink success\n")
    };
    let both = "use v f\nuse v g f";
    check_right(&text(both, "pair v g f"));
    check_right(&text(both, "pair v f"));
    check_right(&text("use v g f\nuse v", "pair v"));
    check_right(&text("use v g f\nuse v g", "pair v g"));
    check(&text("use v g f", "pair v g"), "no step uses the pair `v g`");
    check(&text("use v g\nuse v f", "pair v"), "no step uses the pair `v`");
    check(&text("use v g f", "pair v f"), "no step uses the pair `v f`");
    let patches = |pair: &str| {
        let stages = "[tessellation control shader c]\n[tessellation evaluation shader e]\n";
        format!("{stages}{}", text("use v c e g f\nuse v e f", pair))
    };
    check_right(&patches("pair v e f"));
    check_right(&patches("pair v c e g f"));
    check(&patches("pair v c e f"), "no step uses the pair `v c e f`");
    check(&text(both, "pair v f f"), "no step uses the pair `v f f`");
}

#[test]
fn a_probe_sees_what_something_wrote() {
    let pixels = "nothing has drawn or cleared these pixels yet";
    let draw = "draw rect -1 -1 2 2";
    let lines = |lines: &str| format!("{STAGES}[test]\n{lines}\n");
    let probe = "probe all rgba 0 0 0 0";
    check(&lines(&format!("{probe}\n{draw}\n{probe}")), pixels);
    check_right(&lines(&format!("clear color 0 0 0 0\nclear\n{probe}\n{draw}\n{probe}")));
    let compute = |lines: &str| format!("[compute shader]\n[test]\nssbo 0 8\n{lines}\n");
    let buffer = "nothing that could write storage buffer 0 has run yet";
    let probe = "probe buffer 0 uint 0 == 0";
    check(&compute(&format!("{probe}\ncompute 1 1 1\n{probe}")), buffer);
    check(&compute(&format!("compute 1 0 1\n{probe}")), buffer);
    check(&compute(&format!("compute 1 1 1\n{probe}\nssbo 0 8\n{probe}")), buffer);
    check_right(&compute(&format!("compute 1 1 1\n{probe}")));
    let capture = |steps: &str| {
        let capture = format!("{STAGES}[capture]\na\n[test]\nxfb buffer object 0 16\n{steps}\n");
        format!("{capture}probe all rgba 0 0 0 0\n")
    };
    let nothing = "nothing was captured into capture buffer 0 yet";
    let (probe, query) =
        ("probe capture 0 uint 0 == 0", "verify query_object GL_PRIMITIVES_GENERATED 0");
    let xfb = "xfb draw arrays points 0 1";
    check(&capture(&format!("{draw}\n{probe}\n{xfb}")), nothing);
    check(&capture(&format!("{xfb}\nxfb buffer object 0 8\n{probe}\n{draw}")), nothing);
    check(
        &capture(&format!("capture begin\ncapture pause\n{draw}\ncapture end\n{probe}")),
        nothing,
    );
    check(&capture(&format!("{draw}\n{query}\n{xfb}")), "nothing was drawn while captures were on");
    check_right(&capture(&format!("capture begin\ncapture pause\n{draw}\ncapture end\n{query}")));
    check_right(&capture(&format!("{draw}\n{xfb}\n{probe}\n{query}")));
}

#[test]
fn what_is_linked_and_looped_is_there() {
    check("[test]\nlink success\n", "there is no stage that could be linked");
    let loops = |bounds: &str| format!("{STAGES}[test]\n@for i in {bounds}\n@end\nlink success\n");
    check(&loops("0..0"), "this loop never runs");
    check(&loops("3..(1 + 1)"), "this loop never runs");
    check_right(&loops("0..1"));
    let parameters = format!("[parameters]\nn = 0 1\n{}", loops("0..n"));
    for case in crate::parse::parse("a.shader_test", parameters.as_bytes(), Dialect::Interstage) {
        assert!(case.result.is_ok());
    }
}
