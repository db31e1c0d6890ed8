//! Tests of reading scripts, by short descriptions of their commands and pipelines, or by their errors.

use std::fmt::Write as _;

use case::output::BlendFactor;
use expect_test::{Expect, expect};
use ir::source::{Source, Span};
use proptest::prelude::*;

use super::{is_vkscript, parse};
use crate::ScriptError;
use crate::syntax::Script;
use crate::syntax::command::{Command, Expectation, RunForm, Tolerance};

/// A script that can draw and dispatch, with these lines in `[test]`. The first one is line 12.
fn script(lines: &str) -> String {
    format!(
        "[vertex shader passthrough]\n[fragment shader]\nvoid main() {{}}\n[compute shader spirv]\n; nothing\n\
         [indices]\n0 1 2\n[vertex data]\n0/float/vec2\n1 2\n[test]\n{lines}\n"
    )
}

fn told(text: &str) -> String {
    match parse(text) {
        Ok(script) => commands(&script),
        Err(error) => errors(text, &error),
    }
}

fn commands(script: &Script) -> String {
    let mut out = String::new();
    for command in &script.commands {
        let _ = match &command.value {
            Command::Run { pipeline, form } => writeln!(out, "{} {}", pipeline.0, drawn(form)),
            Command::Write { buffer, offset, bytes } => {
                let name = &script.buffers[buffer.0].name;
                writeln!(out, "{name} at {offset} {bytes:?}")
            }
            Command::Expect(expectation) => writeln!(out, "{}", expected(expectation)),
            clear @ (Command::Clear(_)
            | Command::ClearColor { .. }
            | Command::ClearDepth { .. }
            | Command::ClearStencil { .. }
            | Command::Copy { .. }
            | Command::Repeat { .. }) => writeln!(out, "{clear:?}"),
        };
    }
    out
}

fn drawn(form: &RunForm) -> String {
    match form {
        RunForm::DrawRect { position, size, is_in_pixels, is_patch } => {
            let unit = if *is_in_pixels { "pixels" } else { "clip space" };
            format!("{position:?} {size:?} in {unit}{}", if *is_patch { " as a patch" } else { "" })
        }
        RunForm::DrawArray { topology, is_indexed, first, count, instances, .. } => {
            let indexed = if *is_indexed { " indexed" } else { "" };
            format!("{topology:?}{indexed} from {first} {count:?} × {instances}")
        }
        RunForm::Compute(_) | RunForm::DrawGrid { .. } => format!("{form:?}"),
    }
}

fn expected(expectation: &Expectation) -> String {
    let limits = |tolerances: &[Tolerance]| {
        let unit = |tolerance: &Tolerance| if tolerance.is_percentage { "%" } else { "" };
        let one = |tolerance: &Tolerance| format!(" ± {}{}", tolerance.value, unit(tolerance));
        tolerances.iter().map(one).collect::<String>()
    };
    match expectation {
        Expectation::Probe { region, color, has_alpha, tolerances, .. } => {
            let channels = if *has_alpha { 4 } else { 3 };
            format!("{region:?} {:?}{}", &color[..channels], limits(tolerances))
        }
        Expectation::Values { format, offset, comparison, tolerances, values, .. } => {
            let values: Vec<_> = values.iter().map(|value| value.value).collect();
            let format = format.as_ref().map_or(String::new(), |format| format!("{format:?}"));
            format!("{format} at {offset} {comparison:?} {values:?}{}", limits(tolerances))
        }
        Expectation::Pixels { .. }
        | Expectation::EqualBuffers { .. }
        | Expectation::Rmse { .. }
        | Expectation::HistogramEmd { .. } => format!("{expectation:?}"),
    }
}

fn errors(text: &str, error: &ScriptError) -> String {
    let source = Source::new("a.vkscript", text);
    let at = |span: Span| {
        let (line, column) = source.line_and_column(span.start);
        format!("{line}:{column}")
    };
    match error {
        ScriptError::Unsupported { word, span } => format!("{}: unsupported: {word}", at(*span)),
        ScriptError::Broken(errors) => {
            let lines = errors.iter().map(|error| {
                let help = error.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
                format!("{}: {}{help}", error.span.map_or(String::new(), at), error.message)
            });
            lines.collect::<Vec<_>>().join("\n")
        }
        ScriptError::Excluded { reason } => format!("excluded: {reason}"),
    }
}

#[track_caller]
fn check(lines: &str, expected: &Expect) {
    expected.assert_eq(&told(&script(lines)));
}

#[test]
fn a_script_begins_with_a_section() {
    assert!(is_vkscript("[test]\n"));
    assert!(is_vkscript("\u{feff}# a comment\n\n[test]\n"));
    assert!(!is_vkscript("#!amber\n[test]\n"));
    assert!(!is_vkscript("RUN\n[test]\n"));
    assert!(!is_vkscript(""));
}

#[test]
fn draws_say_what_is_drawn() {
    check(
        "draw rect -1 -1 2 2\ndraw rect ortho 0 0 8 8\ndraw arrays GL_TRIANGLES 1 3\n\
         draw arrays indexed instanced LINE_STRIP 0 3 4\ncompute 1 2 3",
        &expect![[r#"
            0 [-1.0, -1.0] [2.0, 2.0] in clip space
            0 [0.0, 0.0] [8.0, 8.0] in pixels
            0 Triangles from 1 Some(3) × 1
            0 LineStrip indexed from 0 Some(3) × 4
            1 Compute([1, 2, 3])
        "#]],
    );
}

#[test]
fn state_makes_pipelines_and_the_same_state_the_same_one() {
    check(
        "draw rect 0 0 1 1\nblendEnable true\ndraw rect 0 0 1 1\nblendEnable False\ndraw rect 0 0 1 1\n\
         cullMode VK_CULL_MODE_FRONT_BIT | VK_CULL_MODE_BACK_BIT\ndraw rect 0 0 1 1\n\
         cullMode VK_CULL_MODE_NONE\ndepthTestEnable true\ndraw rect patch 0 0 1 1",
        &expect![[r#"
            0 [0.0, 0.0] [1.0, 1.0] in clip space
            1 [0.0, 0.0] [1.0, 1.0] in clip space
            0 [0.0, 0.0] [1.0, 1.0] in clip space
            2 [0.0, 0.0] [1.0, 1.0] in clip space
            3 [0.0, 0.0] [1.0, 1.0] in clip space as a patch
        "#]],
    );
    let text = script(
        "colorWriteMask VK_COLOR_COMPONENT_R_BIT|VK_COLOR_COMPONENT_A_BIT\ndepthTestEnable true\n\
         srcColorBlendFactor VK_BLEND_FACTOR_SRC_ALPHA\nblendEnable true\ndraw rect 0 0 1 1",
    );
    let state = parse(&text).expect("it is valid").pipelines[0].state.clone();
    assert_eq!(state.color_write_mask, [true, false, false, true]);
    assert_eq!(state.blend.map(|blend| blend.color.source), Some(BlendFactor::SrcAlpha));
    assert_eq!(state.blend.map(|blend| blend.alpha.source), Some(BlendFactor::One));
    // There is no depth/stencil image.
    assert!(!state.depth.is_tested);
}

#[test]
fn values_are_written_in_the_layout_of_their_buffer() {
    check(
        "ssbo 0 subdata uint 4 1 2\nssbo 3:1 subdata u8vec3 0 1 2 3 4 5 6\nuniform ubo 2 mat2 0 1 0 0 1\n\
         uniform int 0 -1\npush int 4 0x10\nuniform ubo 2 uint 32 7 8\nubo 4 subdata uint 0 1 2\n\
         ubo layout std430\nubo 4 subdata uint 4 3 4\nubo 5 64",
        &expect![[r#"
            0:0 at 4 [1, 0, 0, 0, 2, 0, 0, 0]
            3:1 at 0 [1, 2, 3, 0, 4, 5, 6]
            0:2 at 0 [0, 0, 128, 63, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 63]
            push_constant at 0 [255, 255, 255, 255]
            push_constant at 4 [16, 0, 0, 0]
            0:2 at 32 [7, 0, 0, 0, 8, 0, 0, 0]
            0:4 at 0 [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0]
            0:4 at 4 [3, 0, 0, 0, 4, 0, 0, 0]
        "#]],
    );
}

#[test]
fn rows_of_matrices_may_lie_one_after_the_other() {
    check(
        "ssbo layout std430 row_major\nssbo 0 subdata mat2x3 0 1 2 3 4 5 6\nprobe ssbo mat2x3 0 0 == 1 2 3 4 5 6\n\
         ssbo layout std430\nssbo 0 subdata mat2 24 1 2 3 4",
        &expect![[r#"
            0:0 at 0 [0, 0, 128, 63, 0, 0, 128, 64, 0, 0, 0, 64, 0, 0, 160, 64, 0, 0, 64, 64, 0, 0, 192, 64]
            Type(Scalar(Float)) at 0 Equal [Integer(1)]
            Type(Scalar(Float)) at 8 Equal [Integer(2)]
            Type(Scalar(Float)) at 16 Equal [Integer(3)]
            Type(Scalar(Float)) at 4 Equal [Integer(4)]
            Type(Scalar(Float)) at 12 Equal [Integer(5)]
            Type(Scalar(Float)) at 20 Equal [Integer(6)]
            0:0 at 24 [0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64]
        "#]],
    );
    check(
        "ssbo layout row_major\nssbo 0 subdata mat2 0 1 2",
        &expect!["13:23: matrices by rows are written as wholes"],
    );
}

#[test]
fn probes_have_brackets_and_commas_or_none() {
    check(
        "probe rgb (1, 2) (0.5, 0, 0)\nprobe rect rgba 1 2 3 4 0 0 0 1\ntolerance 1% 2 3, 4\n\
         relative probe rect rgb (0, 0, .5, 1) (1 1 1)\nrelative probe rgb .5 .5 1 1 1\nprobe all rgb 0 0 0",
        &expect![[r#"
            Pixels([1.0, 2.0, 1.0, 1.0]) [0.5, 0.0, 0.0]
            Pixels([1.0, 2.0, 3.0, 4.0]) [0.0, 0.0, 0.0, 1.0]
            Relative([0.0, 0.0, 0.5, 1.0]) [1.0, 1.0, 1.0] ± 1% ± 2 ± 3 ± 4
            Relative([0.5, 0.5, 0.0, 0.0]) [1.0, 1.0, 1.0] ± 1% ± 2 ± 3 ± 4
            Whole [0.0, 0.0, 0.0] ± 1% ± 2 ± 3 ± 4
        "#]],
    );
}

#[test]
fn values_of_columns_have_tolerances_of_their_own() {
    check(
        "ssbo 0 4\nprobe ssbo vec2 0 0 == 1 0x2\ntolerance 1 2 3 4\nprobe ssbo vec2 0 8 ~= 3 4\n\
         ssbo layout std140\ntolerance 1%\nprobe ssbo int 0 0 < 5 6",
        &expect![[r#"
            Type(Vector(2, Float)) at 0 Equal [Integer(1), Integer(2)]
            Type(Scalar(Float)) at 8 Near [Integer(3)] ± 1
            Type(Scalar(Float)) at 12 Near [Integer(4)] ± 2
            Type(Scalar(Int32)) at 0 Less [Integer(5)]
            Type(Scalar(Int32)) at 16 Less [Integer(6)]
        "#]],
    );
}

#[test]
fn errors_have_the_place_of_the_word() {
    check(
        "darw rect 0 0 1 1\ndraw rect 0 0 1\ndraw rect 0 0 1 1 1\ndraw arrays TRIANGLES 0 3\n\
         depthTestEnable on\ndepthCompareOp LESS\nprobe rect rgb (0, 0, 1, 1 (0 0 0)\nprobe ssbo int 0 0 == 1\n\
         ssbo 0 subdata int 2 1\nssbo 0 subdata vec2 0 1 2 3\ntolerance 1 2\ncompute entrypoint\n\
         vertex entrypoint other\ngeometry entrypoint main\nubo 0 subdata int 0 1\nubo 0 4\nssbo 0 4\nclear colour",
        &expect![[r#"
            12:1: unknown command `darw` (did you mean `draw`?)
            13:16: expected a height, found the end of the line
            14:19: expected the end of the line, found `1`
            15:13: unknown topology `TRIANGLES` (did you mean `GL_TRIANGLES`?)
            16:17: unknown switch `on`
            17:16: unknown comparison `LESS`
            18:28: expected `)`, found `(`
            19:1: there is no storage buffer 0:0
            20:20: the offset is no multiple of 4
            21:23: the number of values is no multiple of 2
            22:11: there is one tolerance for all, or four
            23:19: expected the name of an entry point, found the end of the line
            24:19: the only entry point of this shader is `main`
            25:1: there is no shader of this stage
            26:1: this binding is both a uniform and a storage buffer
            27:1: this binding is both a uniform and a storage buffer
            29:7: unknown clear `colour` (did you mean `color`?)"#]],
    );
}

#[test]
fn what_is_looked_at_is_in_the_buffer() {
    check(
        "ssbo 0 subdata int 0 1 2\nprobe ssbo int 0 4 == 2 0",
        &expect!["13:1: the buffer has 8 bytes, and this is behind them"],
    );
    check(
        "ssbo 0 3\nprobe ssbo int 0 4 == 0 0",
        &expect![[r#"
            Type(Scalar(Int32)) at 4 Equal [Integer(0), Integer(0)]
        "#]],
    );
    check(
        "probe rect rgb (0, 0, 0, 4) (1, 1, 1)\nprobe rgb (-1, 0) (1, 1, 1)",
        &expect![[r#"
        12:16: there is no pixel in this rectangle
        13:11: coordinates are not below 0"#]],
    );
}

#[test]
fn huge_numbers_are_errors() {
    check(
        "ssbo 0 4294967295\nssbo 1 4294967296\nssbo 2 subdata int 4294967292 1\n\
         draw arrays GL_POINTS 99999999999999999999999999999999999999999 1\nclear stencil 256\nclear depth 1e999\n\
         compute 1 1 -1\npatch parameter vertices 33\ndraw arrays indexed GL_POINTS 4294967295 3\n\
         probe ssbo int 0 4294967292 == 1",
        &expect![[r#"
            13:8: the size must be a whole number from 0 to 4294967295
            14:1: a buffer has at most 256 MiB
            15:23: the first vertex must be a whole number from 0 to 4294967295
            16:15: a stencil value is at most 255
            18:13: a number of workgroups must be a whole number from 0 to 4294967295
            19:26: a patch has at most 32 vertices
            20:1: there is no such vertex
            12:1: the buffers of a script have at most 256 MiB together"#]],
    );
    expect![[r#"
        12:26: `256` is no `uint8`
        13:22: `1.5` is no `int32`"#]]
    .assert_eq(&told(&script("ssbo 0 subdata uint8_t 0 256\nssbo 0 subdata int 0 1.5")));
    expect![[r#"
        2:8: a width or height must not be 0
        3:8: a framebuffer is at most 65536 wide"#]]
    .assert_eq(&told("[require]\nfbsize 0 70000\nfbsize 70000 1\n[test]\n"));
}

#[test]
fn what_nobody_can_run_is_told() {
    check(
        "colorBlendOp VK_BLEND_OP_SRC_OVER_EXT",
        &expect!["12:14: unsupported: advanced blend operations"],
    );
    expect!["2:1: unsupported: sparse residency"]
        .assert_eq(&told("[require]\nsparseResidencyBuffer\n[test]\n"));
    expect!["2:1: unsupported: several shaders of one stage"]
        .assert_eq(&told("[fragment shader]\n[fragment shader spirv]\n[test]\n"));
}

#[test]
fn sections_have_their_names_and_are_whole() {
    expect!["3:1: the script has no `[test]`"]
        .assert_eq(&told("[vertex shader]\nvoid main() {}\n"));
    expect!["1:1: a script begins with a section, such as `[require]`"]
        .assert_eq(&told("text\n[test]\n"));
    expect!["1:2: unknown section `tset` (did you mean `test`?)"].assert_eq(&told("[tset]\n"));
    expect!["1:1: the name of a section ends with `]`"].assert_eq(&told("[test\n"));
    expect!["1:2: unknown section `fragment shader passthrough`"]
        .assert_eq(&told("[fragment shader passthrough]\n[test]\n"));
    expect!["2:1: there is a `[test]` already"].assert_eq(&told("[test]\n[test]\n"));
    expect!["2:1: there is no vertex shader"].assert_eq(&told("[test]\ndraw rect 0 0 1 1\n"));
    expect!["2:14: there is a column for location 0 already"]
        .assert_eq(&told("[vertex data]\n0/float/vec3 0/R8_UNORM\n1 2\n[test]\n"));
    expect!["3:6: expected a number, found the end of the line"]
        .assert_eq(&told("[vertex data]\n0/float/vec3 1/R8_UNORM\n1 2 3\n[test]\n"));
    expect![[r#"
        2:2: `/vec3` is no format of a column
        4:3: an index must be a whole number from 0 to 4294967295"#]]
    .assert_eq(&told("[vertex data]\n0/vec3\n[indices]\n1 -2\n[test]\n"));
}

#[test]
fn a_script_that_only_clears_has_a_pipeline() {
    let text = "[require]\ndepthstencil D32_SFLOAT\n[test]\nclear depth 127\nclear\n";
    expect!["4:13: a depth is 0 to 1"].assert_eq(&told(text));
    let script =
        parse("[fragment shader]\n[test]\nclear\nprobe all rgb 0 0 0\n").expect("it is valid");
    assert_eq!(script.pipelines.len(), 1);
    assert_eq!(script.pipelines[0].stages.len(), 1);
    let script = parse("[compute shader]\n[test]\n").expect("it is valid");
    assert_eq!(script.pipelines.len(), 1);
}

const PIECES: [&str; 48] = [
    "[test]",
    "[indices]",
    "[vertex data]",
    "[require]",
    "[vertex shader passthrough]",
    "[compute shader]",
    "\n",
    "\n",
    "draw",
    "rect",
    "arrays",
    "indexed",
    "instanced",
    "TRIANGLE_LIST",
    "ortho",
    "patch",
    "parameter",
    "vertices",
    "probe",
    "relative",
    "all",
    "rgb",
    "rgba",
    "(",
    ")",
    ",",
    "ssbo",
    "ubo",
    "uniform",
    "push",
    "layout",
    "std140",
    "subdata",
    "vec3",
    "mat2x3",
    "int8_t",
    "~=",
    "tolerance",
    "%",
    "clear",
    "color",
    "compute",
    "blendEnable",
    "true",
    "cullMode",
    "VK_CULL_MODE_NONE|",
    "0/R8_UNORM",
    "0x",
];

fn check_spans(text: &str) {
    let Err(error) = parse(text) else { return };
    let spans: Vec<Span> = match error {
        ScriptError::Unsupported { span, .. } => vec![span],
        ScriptError::Broken(errors) => errors.iter().filter_map(|error| error.span).collect(),
        ScriptError::Excluded { .. } => Vec::new(),
    };
    for span in spans {
        assert!(text.get(span.start..span.end).is_some(), "{span:?} is no part of the text");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic(text in ".*") {
        check_spans(&text);
        check_spans(&script(&text));
    }

    #[test]
    fn no_words_make_it_panic(
        pieces in prop::collection::vec(prop_oneof![
            4 => prop::sample::select(&PIECES[..]).prop_map(str::to_owned),
            2 => any::<i64>().prop_map(|number| number.to_string()),
            2 => (0_u8..9).prop_map(|number| number.to_string()),
            1 => any::<f64>().prop_map(|number| number.to_string()),
        ], 0..60),
    ) {
        check_spans(&pieces.join(" ").replace(" \n ", "\n"));
        check_spans(&script(&pieces.join(" ").replace(" \n ", "\n")));
    }

    #[test]
    fn no_end_makes_it_panic(end in 0_usize..400) {
        let text = script("ssbo 0 subdata vec3 0 1 2 3\ndraw rect 0 0 1 1\nprobe rect rgb (0, 0, 1, 1) (1, 1, 1)");
        check_spans(text.get(..end).unwrap_or(&text));
    }
}
