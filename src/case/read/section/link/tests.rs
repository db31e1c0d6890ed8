//! Tests of the lines of `[link]`.

use expect_test::{Expect, expect};

use crate::Dialect;
use crate::read::parse::tests::messages;
use ir::options::PackMode;
use ir::stage::ShaderStage;

use super::*;

fn read_lines(lines: &str) -> Result<Case, String> {
    messages(
        &format!("[link]\n{lines}\n[test]\nlink success\n[vertex shader passthrough]\n"),
        Dialect::Interstage,
    )
}

#[track_caller]
fn check_error(lines: &str, expect: &Expect) {
    expect.assert_eq(&read_lines(lines).expect_err("is wrong"));
}

#[test]
fn a_run_of_components_is_one_place() {
    check_error(
        "b 0.z 0.w",
        &expect![
            "2:7: components of a slot that follow each other are written together (help: write `0.zw`)"
        ],
    );
    assert!(read_lines("b 0.w 0.z").is_ok() && read_lines("b 0.z 1.w").is_ok());
}

#[test]
fn places_are_runs_of_components() {
    let chunk = |slot, component, count| Some(Chunk { slot, component, count });
    assert_eq!(parse_chunk("0.xy"), chunk(0, 0, 2));
    assert_eq!(parse_chunk("12.w"), chunk(12, 3, 1));
    assert_eq!(parse_chunk("1.yzw"), chunk(1, 1, 3));
    let color = Semantic { name: SemanticName::Color, index: 1 };
    assert_eq!(parse_chunk("COLOR[1].zw"), chunk(color.key(), 2, 2));
    for text in [
        "GENERIC[1].x",
        "COLOR[2].x",
        "COLOR.",
        "0",
        "0.",
        ".x",
        "0.xz",
        "0.yx",
        "0.xyzwx",
        "-1.x",
        "+1.x",
        "1073741824.x",
        "a.x",
    ] {
        assert_eq!(parse_chunk(text), None, "{text}");
    }
}

#[test]
fn group_0_of_a_buffer_is_not_written() {
    for line in ["block 0:1 size 4", "member 0:1 offset 0", "block u binding 0:1"] {
        let error = read_lines(line).expect_err("is wrong");
        assert!(error.contains("omit the number of group 0: write `1`"), "{error}");
    }
    read_lines("block 2:3 size 4 binding 2:3\nmember 3.a offset 0").expect("is a case");
}

#[test]
fn lines_are_settings_or_expectations() {
    let case = read_lines("profile webgpu\npack scalar\nslots 3\nd 1.w 2.x\nm[1] 1.yzw\nunused b")
        .expect("is a case");
    assert_eq!(case.link.packing.mode, PackMode::Scalar);
    let found: Vec<_> = case.link.expectations.into_iter().map(|line| line.value).collect();
    let place = |slot, component, count| Chunk { slot, component, count };
    assert_eq!(
        found,
        [
            SlotExpectation::Count(3),
            SlotExpectation::Placement {
                name: "d".into(),
                chunks: vec![place(1, 3, 1), place(2, 0, 1)]
            },
            SlotExpectation::Placement { name: "m[1]".into(), chunks: vec![place(1, 1, 3)] },
            SlotExpectation::Unused("b".into()),
        ]
        .map(LinkExpectation::from)
    );
    let text = "[link]\nerror \"not written\"\n";
    let case = messages(text, Dialect::Interstage).expect("is a case");
    let error = LinkExpectation::Error("not written".into());
    assert_eq!(case.link.expectations[0].value, error);
}

#[test]
fn a_linkage_table_has_each_label_once_and_names_belong_to_spirv() {
    check_error(
        "linkage GENERIC[3] GENERIC[7]",
        &expect!["2:20: expected `->`, found `GENERIC[7]`"],
    );
    check_error(
        "linkage BCOLOR[0] -> GENERIC[7]",
        &expect![
            "2:9: `BCOLOR[0]` cannot match another label: back faces show BCOLOR in place of COLOR (help: COLOR, FOG, GENERIC and TEXCOORD can)"
        ],
    );
    check_error(
        "linkage GENERIC[7] -> FACE",
        &expect![
            "2:23: `FACE` cannot match another label: it is `gl_FrontFacing` (help: COLOR, FOG, GENERIC and TEXCOORD can)"
        ],
    );
    check_error(
        "linkage GENERIC[7] -> COLOR[2]",
        &expect!["2:23: `COLOR[2]` cannot be used between stages: COLOR has indices 0 to 1"],
    );
    check_error(
        "linkage GENERIC[3] -> GENERIC[1073741824]",
        &expect![
            "2:23: `GENERIC[1073741824]` cannot be used between stages: GENERIC has indices 0 to 1073741823"
        ],
    );
    check_error(
        "linkage GENERIC[3] -> GENERIC[3]",
        &expect![
            "2:23: `GENERIC[3]` goes to `GENERIC[3]` without this line (help: leave out the line: only a label that matches a different one needs one)"
        ],
    );
    check_error(
        "linkage GENERIC[3] -> GENERIC[7]\nlinkage GENERIC[3] -> GENERIC[8]",
        &expect![
            "3:20: `GENERIC[3]` goes to `GENERIC[7]` already (help: an output can go to one input only)"
        ],
    );
    check_error(
        "linkage GENERIC[3] -> GENERIC[7]\nlinkage GENERIC[4] -> GENERIC[7]",
        &expect![
            "3:1: `linkage GENERIC[7]` is given twice, first in line 2 (help: one of them has no effect, or contradicts the other; keep one)"
        ],
    );
    check_error(
        "debug_names on",
        &expect![
            "2:1: `debug_names` has no effect here (help: only SPIR-V modules have debug names)"
        ],
    );
}

#[test]
fn limits_of_labels_are_about_stages_of_the_case() {
    check_error(
        "generics control 300",
        &expect![[r"
            2:1: there are only 256 labels here (help: `profile software` takes more)
            2:1: `generics control` has no effect here (help: the case has no tessellation control stage)"]],
    );
    let words = ShaderStage::OF_DRAWS.iter().map(|stage| format!("`{}`", stage.word()));
    let words = words.collect::<Vec<_>>().join(", ");
    let expected =
        format!("2:10: expected one of {words}, found `geometri` (help: did you mean `geometry`?)");
    assert_eq!(read_lines("generics geometri 3").expect_err("is wrong"), expected);
}

#[test]
fn mistakes_are_named() {
    check_error("slotz 3", &expect!["2:1: unknown word `slotz` (help: did you mean `slots`?)"]);
    check_error(
        "uv 0.zx",
        &expect![[r"
        2:4: expected a place, found `0.zx` (help: a place is `0.xy`: slot 0, components x and y)"]],
    );
    check_error(
        "uv",
        &expect!["2:1: `uv` has no place (help: a place is `0.xy`: slot 0, components x and y)"],
    );
    check_error(
        "error text",
        &expect!["2:7: expected a part of the message in quotes, found `text`"],
    );
    check_error("pack of", &expect!["2:6: expected `on`, `off`, `scalar` or `dense`, found `of`"]);
    check_error(
        "profile sm33",
        &expect![[r"2:9: there is no linkage profile `sm33` (help: did you mean `sm3`?)"]],
    );
    check_error(
        "semantic a GENERICS[1]",
        &expect![[r"2:12: `GENERICS[1]` is not a semantic such as `GENERIC[7]` or `FOG`"]],
    );
}
