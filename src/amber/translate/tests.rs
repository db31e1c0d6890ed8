//! Tests of translations, by short descriptions of their steps of some kinds, or by their messages.

use std::sync::Arc;

use case::parse::{CaseError, Files, Picture};
use case::{Content, Expectation, ReadExpectation, Step};
use expect_test::{Expect, expect};
use ir::source::Source;

use super::{read, unchecked};

/// A script with a compute pipeline `P` that writes the buffer `B` of four numbers, followed by `commands`.
fn compute(commands: &str) -> String {
    format!(
        "#!amber\nSHADER compute S GLSL\nvoid main() {{}}\nEND\n\
         BUFFER B DATA_TYPE uint32 DATA 1 2 3 4 END\nBUFFER C DATA_TYPE uint32 DATA 0 0 0 0 END\n\
         PIPELINE compute P\nATTACH S\nBIND BUFFER B AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\n{commands}"
    )
}

/// A script with a graphics pipeline `P` with the lines `content`, which draws to the image `I`, followed by
/// `commands`.
fn graphics(declarations: &str, content: &str, commands: &str) -> String {
    format!(
        "#!amber\nSHADER vertex V PASSTHROUGH\nSHADER fragment F GLSL\nvoid main() {{}}\nEND\n\
         BUFFER I FORMAT R8G8B8A8_UNORM\n{declarations}\nPIPELINE graphics P\nATTACH V\nATTACH F\n\
         BIND BUFFER I AS color LOCATION 0\nFRAMEBUFFER_SIZE 4 4\n{content}\nEND\n{commands}"
    )
}

/// Two files next to the script.
struct Beside;

impl Files for Beside {
    fn bytes(&self, path: &str) -> Result<Vec<u8>, String> {
        match path {
            "two.bin" => Ok(vec![1, 0, 0, 0, 2, 0, 0, 0]),
            "two.txt" => Ok(b"# two numbers\n1\n2 # the second\n".to_vec()),
            "bad.txt" => Ok(b"1\n\n2 x".to_vec()),
            _ => Err("there is none".to_owned()),
        }
    }

    fn picture(&self, path: &str) -> Result<Picture, String> {
        match path {
            "green.png" => Ok(Picture { size: [1, 2], bytes: [0, 255, 0, 255].repeat(2) }),
            _ => Err("there is none".to_owned()),
        }
    }
}

/// The expectations of the case, or the message with its position.
fn told(text: &str) -> String {
    let source = Arc::new(Source::new("a.amber", text));
    let at = |span: ir::source::Span| {
        let (line, column) = source.line_and_column(span.start);
        format!("{line}:{column}: ")
    };
    match unchecked("a", &source, &Beside) {
        Ok(case) => case
            .steps
            .iter()
            .enumerate()
            .filter_map(|(idx, step)| match &step.value {
                Step::Expect(expectation) => Some(format!("{idx} {}", shown(expectation))),
                Step::Set(_) | Step::Run(_) => None,
            })
            .collect::<Vec<_>>()
            .join("\n"),
        Err(CaseError::Unsupported { word, span }) => format!("{}unsupported: {word}", at(span)),
        Err(CaseError::Excluded { reason }) => format!("excluded: {reason}"),
        Err(CaseError::Broken(errors)) => {
            let line = |error: &ir::diagnostic::Diagnostic| {
                format!("{}{}", error.span.map_or(String::new(), at), error.message)
            };
            errors.iter().map(line).collect::<Vec<_>>().join("\n")
        }
    }
}

fn shown(expectation: &Expectation) -> String {
    match expectation {
        Expectation::Read(ReadExpectation::Buffer(probe)) => {
            format!("{} at {} {:?} {:?}", probe.ty, probe.offset, probe.comparison, probe.expected)
        }
        Expectation::Read(ReadExpectation::Kept(content)) => {
            format!("kept {}", content_name(*content))
        }
        Expectation::Read(ReadExpectation::Alike(alike)) => {
            format!("{} like {} {:?}", content_name(alike.content), alike.kept, alike.rule)
        }
        Expectation::Read(ReadExpectation::Probe(probe)) => {
            format!("{:?} {:?}", probe.region, probe.expected)
        }
        Expectation::Read(other) => format!("{other:?}"),
        Expectation::Program(other) => format!("{other:?}"),
    }
}

fn content_name(content: Content) -> &'static str {
    match content {
        Content::Target(_) => "target",
        Content::Buffer(_) => "buffer",
    }
}

#[track_caller]
fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&told(text));
}

#[test]
fn values_are_compared_where_the_element_has_them() {
    check(
        &compute("EXPECT B IDX 4 EQ 7 8\n"),
        &expect!["2 uint at 4 Equal [Integer(7), Integer(8)]"],
    );
    let three = "BUFFER V DATA_TYPE vec3<float> DATA 1 2 3 4 5 6 END\n";
    check(
        &compute(&format!("{three}EXPECT V IDX 0 EQ 1.5 2 3 4\n")),
        &expect![[r#"
            4 float at 0 Equal [Real(1.5), Integer(2), Integer(3)]
            5 float at 16 Equal [Integer(4)]"#]],
    );
}

#[test]
fn small_values_are_compared_if_they_fill_words() {
    let bytes = "BUFFER S8 DATA_TYPE uint8 DATA 1 2 3 4 END\n";
    check(
        &compute(&format!("{bytes}EXPECT S8 IDX 0 EQ 1 2 3 255\n")),
        &expect!["4 uint at 0 Equal [Bits(4278387201)]"],
    );
    check(
        &compute(&format!("{bytes}EXPECT S8 IDX 0 EQ 1 2\n")),
        &expect!["12:1: unsupported: values of 8 and 16 bits that are not whole words"],
    );
}

/// No expectation may be lost: the case would pass without it.
#[test]
fn expectations_about_a_copy_are_checked_where_it_is_made_or_refused() {
    let both = "COPY B TO C\nRUN P 1 1 1\nEXPECT C IDX 0 EQ 1\n";
    check(
        &compute(both),
        &expect![[r#"
            2 kept buffer
            3 uint at 0 Equal [Integer(1)]"#]],
    );
    let inside = "COPY B TO C\nREPEAT 2\nEXPECT C IDX 0 EQ 1\nEND\n";
    check(
        &compute(inside),
        &expect!["13:1: unsupported: an expectation about a copy that is not made beside it"],
    );
    let outside = "REPEAT 2\nCOPY B TO C\nRUN P 1 1 1\nEND\nEXPECT C IDX 0 EQ 1\n";
    check(
        &compute(outside),
        &expect!["15:1: unsupported: an expectation about a copy that is not made beside it"],
    );
    let again =
        "COPY B TO C\nEXPECT C IDX 0 EQ 1\nCOPY B TO C\nRUN P 1 1 1\nEXPECT C EQ_BUFFER B\n";
    check(
        &compute(again),
        &expect![[r#"
            2 kept buffer
            3 uint at 0 Equal [Integer(1)]
            4 kept buffer
            7 buffer like 4 Equal"#]],
    );
}

#[test]
fn pixels_are_parts_of_one() {
    check(
        &graphics("", "", "EXPECT I IDX 1 2 SIZE 3 1 EQ_RGB 0 255 51\n"),
        &expect!["0 Rect([1, 2, 3, 1]) [Real(0.0), Real(1.0), Real(0.2)]"],
    );
    check(
        &compute("EXPECT B IDX 0 0 SIZE 1 1 EQ_RGB 0 0 0\n"),
        &expect!["11:1: a plain buffer has no pixels"],
    );
}

#[test]
fn what_a_shader_may_write_is_read_by_shaders_alone() {
    let bound = "BIND BUFFER B AS storage DESCRIPTOR_SET 0 BINDING 0\n";
    let data = "BUFFER B DATA_TYPE uint32 DATA 0 1 2 END";
    let draw = "RUN P DRAW_ARRAY AS TRIANGLE_LIST INDEXED START_IDX 0 COUNT 3\n";
    check(
        &graphics(data, &format!("{bound}INDEX_DATA B"), draw),
        &expect!["14:12: unsupported: indices that shaders may write"],
    );
    let draw = "RUN P DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 3\n";
    check(
        &graphics(data, &format!("{bound}VERTEX_DATA B LOCATION 0 FORMAT R8_UNORM"), draw),
        &expect!["14:1: unsupported: such vertices that shaders may write"],
    );
    let parts = "BIND BUFFER B AS storage DESCRIPTOR_SET 0 BINDING 1 DESCRIPTOR_OFFSET 4";
    check(
        &graphics(data, &format!("{bound}{parts}"), draw),
        &expect!["14:1: unsupported: parts of a storage buffer that share bytes"],
    );
    let behind = "BIND BUFFER B AS uniform DESCRIPTOR_SET 0 BINDING 1 DESCRIPTOR_OFFSET 64";
    let found = told(&graphics(data, &format!("{bound}{behind}"), draw));
    assert!(found.contains("the offset 64 lies behind the buffer's"), "{found}");
}

#[test]
fn state_that_is_missing_is_no_default() {
    let draw = "RUN P DRAW_RECT POS 0 0 SIZE 4 4\n";
    for (content, word) in [
        ("POLYGON_MODE point", "polygons of which the corners are drawn"),
        ("VIEWPORT 0 4 SIZE 4 -4", "a viewport that is turned over"),
        ("VIEWPORT 0 0 SIZE 4 4 MIN_DEPTH 1.0 MAX_DEPTH 0.0", "a viewport that is turned over"),
        ("DEPTH\nBOUNDS min 0.25 max 1.0\nEND", "the depth bounds test"),
    ] {
        let found = told(&graphics("", content, draw));
        assert!(found.ends_with(&format!("unsupported: {word}")), "{content}: {found}");
    }
}

#[test]
fn a_bias_is_a_whole_number_of_known_steps() {
    let of = |format: &str, constant: &str| {
        let bias = format!(
            "BIND BUFFER D AS depth_stencil\nDEPTH\nTEST on\nBIAS constant {constant} clamp 0 slope 0\nEND"
        );
        let depth = format!("BUFFER D FORMAT {format}");
        told(&graphics(&depth, &bias, "RUN P DRAW_RECT POS 0 0 SIZE 4 4\n"))
    };
    assert_eq!(of("D16_UNORM", "1.0"), "");
    let fraction = "8:1: unsupported: a constant depth bias that is no whole number";
    assert_eq!(of("D16_UNORM", "0.5"), fraction);
    let open = "8:1: unsupported: a constant depth bias of 24-bit depths, which WebGPU may store otherwise";
    assert_eq!(of("D24_UNORM_S8_UINT", "1.0"), open);
}

/// Greater numbers would denote other sets.
#[test]
fn sets_and_bindings_are_small() {
    let bound = |place: &str| {
        let content = format!("BIND BUFFER B AS storage {place}");
        let data = "BUFFER B DATA_TYPE uint32 DATA 0 1 2 END";
        told(&graphics(data, &content, "RUN P DRAW_RECT POS 0 0 SIZE 4 4\n"))
    };
    let message = "13:1: sets are 0 to 255, and bindings 0 to 65534";
    assert_eq!(bound("DESCRIPTOR_SET 256 BINDING 0"), message);
    assert_eq!(bound("DESCRIPTOR_SET 0 BINDING 65536"), message);
    assert_eq!(bound("DESCRIPTOR_SET 255 BINDING 65534"), "");
}

#[test]
fn modules_have_hexadecimal_words_and_files_below_the_script() {
    let attached = "PIPELINE compute P\nATTACH S\nEND\nRUN P 1 1 1\n";
    check(
        &format!("#!amber\nSHADER compute S SPIRV-HEX\n0x07230203 0xz\nEND\n{attached}"),
        &expect!["3:12: `0xz` is no hexadecimal word"],
    );
    check(
        &format!("#!amber\nSHADER compute S SPIRV-BIN FILE ../a.spv\n{attached}"),
        &expect!["2:33: the file must be in the script's folder, or below it"],
    );
}

#[test]
fn vkscript_is_told_by_its_first_section() {
    check("# a comment\n[compute shader]\n", &expect!["3:1: the script has no `[test]`"]);
    check("# a comment\n[compute shader]\n[test]\n", &expect![""]);
}

#[test]
fn entry_points_and_indices_are_not_forgotten() {
    let other = compute("RUN P 1 1 1\n").replace("ATTACH S", "ATTACH S ENTRY_POINT other");
    check(&other, &expect!["8:22: the entry point of a GLSL shader is `main`"]);
    check(&other.replace("other", "main"), &expect![""]);
    let indexed = graphics(
        "BUFFER V DATA_TYPE vec4<float> DATA 0 0 0 1 END\nBUFFER X DATA_TYPE uint32 DATA 0 0 END\n",
        "VERTEX_DATA V LOCATION 0\nINDEX_DATA X\n",
        "RUN P DRAW_ARRAY AS POINT_LIST INDEXED START_IDX 1 COUNT 1\n",
    );
    check(&indexed, &expect!["19:1: unsupported: START_IDX of an indexed draw"]);
    check(&indexed.replace("START_IDX 1", "START_IDX 0"), &expect![""]);
}

#[test]
fn buffers_are_read_from_files() {
    let of = |declared: &str| {
        let text = compute("EXPECT D IDX 0 EQ 1\n");
        told(&text.replace("BUFFER C DATA_TYPE uint32 DATA 0 0 0 0 END", declared))
    };
    for (file, expected) in [
        ("BINARY two.bin", "uint at 0 Equal [Integer(1)]"),
        ("TEXT two.txt", "uint at 0 Equal [Integer(1)]"),
        ("TEXT bad.txt", "6:44: line 3: expected a number"),
        ("TEXT no.txt", "6:44: there is none"),
        ("TEXT ../two.txt", "6:44: the file must be in the script's folder, or below it"),
        ("PNG green.png", "6:43: unsupported: pictures in buffers that are no images"),
    ] {
        let found = of(&format!("BUFFER D DATA_TYPE uint32 SIZE 2 FILE {file}"));
        assert!(found.contains(expected), "{file}: {found}");
    }
    // The file determines the number of elements.
    let found = of("BUFFER D DATA_TYPE uint32 SIZE 3 FILE TEXT two.txt");
    assert!(found.contains("uint at 0 Equal"), "{found}");
}

#[track_caller]
fn check_refused(commands: &str, message: &str) {
    check_refused_text(&compute(&format!("RUN P 1 1 1\n{commands}\n")), message);
}

#[track_caller]
fn check_refused_text(text: &str, message: &str) {
    let source = Arc::new(Source::new("a.amber", text));
    match read("a".to_owned(), Arc::clone(&source), &Beside).result {
        Ok(_) => assert_eq!(message, "", "{text}"),
        Err(CaseError::Unsupported { word, .. } | CaseError::Excluded { reason: word }) => {
            assert_eq!(word, message, "{text}");
        }
        Err(CaseError::Broken(errors)) => {
            assert!(errors[0].message.contains(message), "{text}: {}", errors[0].message);
            assert!(!message.is_empty() && errors[0].span.is_some(), "{text}");
        }
    }
}

#[test]
fn each_component_has_its_tolerance() {
    let of = |ty: &str, tolerances: &str, values: &str| {
        let buffer = format!("BUFFER V DATA_TYPE {ty} SIZE 4 FILL 0\n");
        let expect = format!("EXPECT V IDX 0 TOLERANCE {tolerances} EQ {values}\n");
        let source = Arc::new(Source::new("a.amber", compute(&format!("{buffer}{expect}"))));
        let case = unchecked("a", &source, &Beside).map_err(|error| format!("{error:?}"))?;
        let limits = case.settings().filter_map(|setting| {
            let case::Setting::Tolerance(case::Tolerance::Absolute([limit, ..])) = setting.value
            else {
                return None;
            };
            Some(*limit)
        });
        Ok::<Vec<f64>, String>(limits.collect())
    };
    let four = "0.5 0.125 0.25 10%";
    assert_eq!(of("vec4<float>", four, "1 1 1 20 1"), Ok(vec![0.5, 0.125, 0.25, 2.0, 0.5]));
    assert_eq!(of("vec4<float>", "0.5", "1 1 1"), Ok(vec![0.5, 0.5, 0.5]));
    assert_eq!(of("mat2x3<float>", "1 2 3", "9 9 9 9"), Ok(vec![1.0, 2.0, 3.0, 1.0]));
    // A missing tolerance is the default: a millionth of a percent.
    assert_eq!(of("vec2<float>", "0.5", "8 8"), Ok(vec![0.5, 0.5]));
    let found = of("vec4<float>", "1 2", "100 100 100 100").expect("it is right");
    assert_eq!(found[..2], [1.0, 2.0]);
    assert!(found[2..].iter().all(|limit| (limit - 0.000_001).abs() < 1e-12), "{found:?}");
    let more = of("vec2<float>", "1 2 3", "9 9").expect_err("there are two components");
    assert!(more.contains("more tolerances than an element has components"), "{more}");
}

#[test]
fn a_script_can_fail() {
    check_refused("EXPECT B IDX 0 EQ 1", "");
    check_refused("", "a script that expects nothing");
    check_refused("COPY B TO C", "a script that expects nothing");
    check_refused("EXPECT B EQ_BUFFER B", "compared with itself");
    check_refused("COPY B TO C\nEXPECT C EQ_BUFFER B", "compared with itself");
    check_refused("COPY B TO C\nRUN P 1 1 1\nEXPECT C EQ_BUFFER B", "");
    check_refused("EXPECT B EQ_BUFFER C", "");
    check_refused("EXPECT B IDX 0 GE 0", "holds for every value");
    check_refused("EXPECT B IDX 0 LE 4294967295", "holds for every value");
    // An expectation that never holds fails.
    check_refused("EXPECT B IDX 0 LT 0", "");
    // Every tolerance except one that includes all numbers lets the expectation fail.
    check_refused("EXPECT B IDX 0 TOLERANCE 4294967294 EQ 0", "");
    check_refused("EXPECT B IDX 0 TOLERANCE 4294967295 EQ 0", "holds for every value");
    let float = |tolerance: &str| {
        let run = format!("RUN P 1 1 1\nEXPECT B IDX 0 TOLERANCE {tolerance} EQ 0.5\n");
        compute(&run).replacen("uint32", "float", 1)
    };
    check_refused_text(&float("1.5"), "");
    check_refused_text(&float("1e38"), "");
    check_refused_text(&float("4e38"), "holds for every value");
    check_refused("EXPECT B IDX 0 TOLERANCE 1e999 EQ 1", "a tolerance must be zero or more");
    check_refused("EXPECT B IDX 0 TOLERANCE -1 EQ 1", "a tolerance must be zero or more");
    let before = compute("EXPECT B IDX 0 EQ 1\nRUN P 1 1 1\n");
    check_refused_text(&before, "nothing that could write buffer `B` has run yet");
    check_refused_text(&compute("EXPECT B EQ_BUFFER C\nRUN P 1 1 1\n"), "nothing has run yet");
    // If something else reads the result, initial data may be probed too.
    for first in ["EXPECT B IDX 0 EQ 0", "EXPECT B EQ_BUFFER C"] {
        check_refused_text(&compute(&format!("{first}\nRUN P 1 1 1\nEXPECT B IDX 0 EQ 1\n")), "");
    }
}

#[test]
fn an_error_of_two_buffers_can_be_exceeded() {
    let floats = |tolerance: &str| {
        let buffers =
            "BUFFER X DATA_TYPE float DATA 3 4 END\nBUFFER Y DATA_TYPE float SIZE 2 FILL 0\n";
        compute(&format!("{buffers}RUN P 1 1 1\nEXPECT X RMSE_BUFFER Y TOLERANCE {tolerance}\n"))
    };
    // The root of (9 + 16) / 2 is 3.535….
    check_refused_text(&floats("3.5"), "");
    check_refused_text(&floats("3.6"), "a tolerance of 3.6 says nothing");
    check_refused_text(&floats("10000"), "a tolerance of 10000 says nothing");
    let images = |rule: &str| {
        let draw =
            "RUN P DRAW_RECT POS 0 0 SIZE 4 4\nCOPY I TO J\nRUN P DRAW_RECT POS 0 0 SIZE 4 4\n";
        graphics("BUFFER J FORMAT R8G8B8A8_UNORM", "", &format!("{draw}EXPECT I {rule}\n"))
    };
    check_refused_text(&images("RMSE_BUFFER J TOLERANCE 254"), "");
    check_refused_text(&images("RMSE_BUFFER J TOLERANCE 255"), "a tolerance of 255 says nothing");
    check_refused_text(&images("EQ_HISTOGRAM_EMD_BUFFER J TOLERANCE 0.9"), "");
    check_refused_text(&images("EQ_HISTOGRAM_EMD_BUFFER J TOLERANCE 5"), "a tolerance of 5 says");
    check_refused_text(&images("IDX 0 0 SIZE 4 4 EQ_RGBA 0 0 0 0 TOLERANCE 254"), "");
    let all = images("IDX 0 0 SIZE 4 4 EQ_RGBA 0 0 0 0 TOLERANCE 255");
    check_refused_text(&all, "red of this probe is right whatever is there");
}

#[test]
fn passes_of_an_optimiser_are_refused_by_name() {
    let of = |passes: &str| {
        let text = compute("RUN P 1 1 1\nEXPECT B IDX 0 EQ 1\n");
        text.replace("ATTACH S\n", &format!("ATTACH S\nSHADER_OPTIMIZATION S\n{passes}END\n"))
    };
    check_refused_text(&of(""), "");
    let word = "SHADER_OPTIMIZATION --graphics-robust-access";
    check_refused_text(&of("--graphics-robust-access\n"), word);
}
