//! Assembles text and compares the words or the messages.

use expect_test::{Expect, expect};

use super::*;

/// Checks the instructions as rspirv prints them, or the errors with the text they underline.
#[track_caller]
fn check(text: &str, expected: Expect) {
    let base = 7;
    expected.assert_eq(&match assemble(text, base) {
        Ok(assembled) => {
            let module = rspirv::dr::load_words(&assembled.words).expect("well formed");
            let instructions = module.all_inst_iter();
            let lines = instructions.map(rspirv::binary::Disassemble::disassemble);
            lines.collect::<Vec<_>>().join("\n")
        }
        Err(errors) => {
            let shown = |error: &Diagnostic| {
                let help = error.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
                let span = error.span.expect("an error has a place");
                let place = &text[span.start - base..span.end - base];
                format!("{place}: {}{help}", error.message)
            };
            errors.iter().map(shown).collect::<Vec<_>>().join("\n")
        }
    });
}

#[test]
fn operands_follow_the_grammar() {
    check(
        r#"; a comment
        OpCapability Shader
        %1 = OpExtInstImport "GLSL.std.450"
        OpMemoryModel Logical GLSL450
        OpEntryPoint Fragment %main "main" %out
        OpExecutionMode %main LocalSize 4 2 1
        OpName %main "a \"b\"; c"
        OpDecorate %out Location 3
        %float = OpTypeFloat 32 %uint = OpTypeInt 32 0
        %int = OpTypeInt 32 1
        %p = OpTypePointer Output %float
        %out = OpVariable %p Output
        %c = OpConstant %int -5
        %d = OpSpecConstant %uint 0xffffffff
        %e = OpSpecConstantOp %uint IAdd %d %d"#,
        expect![[r#"
            OpCapability Shader
            %1 = OpExtInstImport "GLSL.std.450"
            OpMemoryModel Logical GLSL450
            OpEntryPoint Fragment %2 "main" %3
            OpExecutionMode %2 LocalSize 4 2 1
            OpName %2 "a \"b\"; c"
            OpDecorate %3 Location 3
            %4 = OpTypeFloat 32
            %5 = OpTypeInt 32 0
            %6 = OpTypeInt 32 1
            %7 = OpTypePointer Output %4
            %3 = OpVariable  %7  Output
            %8 = OpConstant  %6  4294967291
            %9 = OpSpecConstant  %5  4294967295
            %10 = OpSpecConstantOp  %5  IAdd %9 %9"#]],
    );
}

#[test]
fn every_mistake_is_reported_at_its_place() {
    check(
        "OpCapability Shadr
        %a = OpTypeFlaot 32
        OpTypeInt 32 0
        %b = OpTypeFloat
        %c = OpTypeFloat 32 0 1
        %d = OpName %c \"x\"
        OpDecorate c Location 1
        %f = OpTypeFloat 16
        %f = OpTypeBool
        %g = OpConstant %b 1",
        expect![[r#"
            Shadr: `Shadr` is not a valid Capability
            OpTypeFlaot: unknown instruction `OpTypeFlaot` (did you mean `OpTypeFloat`?)
            OpTypeInt: `OpTypeInt` has a result: write `%id = OpTypeInt …`
            t: missing operand: a number
            0: `0` is not a valid FPEncoding
            %d: `OpName` has no result
            c: `c` is not an id: ids start with `%`
            %f = OpTypeBool: `%f` is the result of two instructions
            1: the type of the constant is not numeric"#]],
    );
}

#[test]
fn numbers_are_written_by_their_type() {
    let words = |ty: NumberType, text: &str| {
        let token = Token { text, is_string: false, span: Span::new(0, 0) };
        ty.words(&token).ok()
    };
    let int = |width| NumberType::Integer { width, is_signed: true };
    let uint = NumberType::Integer { width: 32, is_signed: false };
    let float = |width| NumberType::Float { width };
    assert_eq!(words(int(32), "-1"), Some(vec![u32::MAX]));
    assert_eq!(words(uint, "-1"), None);
    assert_eq!(words(uint, "4294967296"), None);
    assert_eq!(words(int(16), "-2"), Some(vec![0xffff_fffe]));
    assert_eq!(words(int(64), "-1"), Some(vec![u32::MAX, u32::MAX]));
    assert_eq!(words(float(32), "0.1"), Some(vec![0x3dcc_cccd]));
    assert_eq!(words(float(32), "-0x1.8p+1"), Some(vec![0xc040_0000]));
    assert_eq!(words(float(32), "0x1p+128"), Some(vec![0x7f80_0000]));
    assert_eq!(words(float(16), "1"), Some(vec![0x3c00]));
    assert_eq!(words(float(64), "1"), Some(vec![0, 0x3ff0_0000]));
    assert_eq!(words(float(32), "1x"), None);
}

/// A thousand unknown names, or one of a thousand letters, were compared with all known ones for seconds.
#[test]
fn errors_are_not_reported_without_bound() {
    let errors = assemble(&"OpMem ".repeat(1000), 0).expect_err("there is no such instruction");
    assert_eq!(errors.len(), MAX_ERRORS);
    let long = format!("OpConst{}", "ant".repeat(1000));
    let errors = assemble(&long, 0).expect_err("there is no such instruction");
    assert_eq!(errors[0].help, None);
    check("OpLaod", expect!["OpLaod: unknown instruction `OpLaod` (did you mean `OpLoad`?)"]);
}

/// The place was the last byte, which of such a letter is no place in a text.
#[test]
fn an_operand_is_missing_behind_the_last_letter() {
    check("%a = OpIAdd %b%é", expect!["é: missing operand: an id"]);
}
