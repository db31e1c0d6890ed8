//! Parses texts that are designed to break a parser. Each must give a tree or an error.

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::{CompileError, MAX_ERRORS, MAX_NESTING};
use super::{parse, parsed, version};

/// The construct of `text` that exceeds a limit.
#[track_caller]
fn check_exceeds(text: &str, expected: &str) {
    // Nested structs by themselves are not an error in GLSL 1.10.
    let number = if text.starts_with("struct") { 110 } else { 460 };
    match parse(text, 0, &version(number)) {
        Err(CompileError::Unsupported { word, .. }) => assert_eq!(word, expected),
        Err(CompileError::Diagnostics(errors) | CompileError::Link(errors)) => {
            panic!("{}", errors[0].message)
        }
        Ok(_) => panic!("the text is accepted"),
    }
}

#[test]
fn whatever_is_nested_too_deep_is_unsupported() {
    let cases = [
        ("int x = ", "- "),
        ("int x = ", "++"),
        ("int x = ", "a["),
        ("int x = ", "f("),
        ("int x = ", "a = "),
        ("int x = ", "a ? "),
        ("int x = ", "a ? b : "),
        ("int x = ", "1 + (2 * ("),
        ("int x = ", "a || b && c | d ^ e & f == g < h << i + j * ("),
        ("int x[] = ", "{"),
        ("int x", "[a"),
        ("void f() ", "{"),
        ("void f() {", "if (a) b; else "),
        ("void f() {", "for (;;) "),
        ("void f() {", "while (bool b = c) "),
        ("void f() {", "do "),
        ("void f() {", "switch (a) {"),
        ("", "struct S {"),
    ];
    check_exceeds(&format!("int x = {}", "(".repeat(50_000)), "more than 100 levels of nesting");
    for (head, repeated) in cases {
        let text = format!("{head}{}", repeated.repeat(1000));
        check_exceeds(&text, "more than 100 levels of nesting");
    }
}

#[test]
fn what_is_nested_a_little_less_is_not() {
    let depth = MAX_NESTING - 2;
    let text = format!("int x = {}1{};", "(".repeat(depth), ")".repeat(depth));
    assert!(parse(&text, 0, &version(460)).is_ok());
}

#[test]
fn long_chains_are_unsupported() {
    for (first, next) in [("a", "+a"), ("a", ".x"), ("a", "[0]"), ("a", ",a"), ("a", "++")] {
        let text = format!("void f() {{ {first}{}; }}", next.repeat(20_000));
        check_exceeds(&text, "an expression of more than 320 nested operations");
        let text = format!("void f() {{ {first}{}; }}", next.repeat(319));
        assert!(parse(&text, 0, &version(460)).is_ok());
    }
    // Chains in the innermost operands of chains.
    let chain = "+a".repeat(10);
    let text = format!("int x = {}a{};", "(".repeat(50), format!("{chain})").repeat(50));
    check_exceeds(&text, "an expression of more than 320 nested operations");
}

#[test]
fn types_are_not_copied_without_bound() {
    let size = "1+".repeat(200) + "1";
    let text = format!("struct S {{ float[{size}] a{}; }};", ",a".repeat(10_000));
    check_exceeds(&text, "members whose types are this long");
}

#[test]
fn errors_are_not_reported_without_bound() {
    let errors = parsed(&"int a = ;".repeat(1000), 0, &version(460)).expect_err("many errors");
    assert_eq!(errors.len(), MAX_ERRORS);
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC*") {
        let _ = parse(&text, 3, &version(460));
    }

    #[test]
    fn no_order_of_tokens_makes_the_parser_panic(
        tokens in vec(
            prop::sample::select(vec![
                "a", "S", "1", "2.5", "0x", "(", ")", "[", "]", "{", "}", ";", ",", ".", "=", "+",
                "++", "-", "?", ":", "int", "vec2", "void", "struct", "struct S", "in", "out",
                "layout", "uniform", "if", "else", "for", "while", "do", "switch", "case",
                "default", "return", "\n#define a", "\n#define f(x) x ## x", "f", "\n#if", "\n#endif",
                "\n#else\n", "defined", "\n", "\\\n", "/*", "*/", "//", "precision", "highp", "##",
                "__LINE__", "invariant", "subroutine", "length", "\n#line",
            ]),
            0..60,
        ),
        gap in prop::sample::select(vec!["", " "]),
    ) {
        let text = tokens.join(gap);
        if let Err(errors) = parsed(&text, 3, &version(460)) {
            prop_assert!(!errors.is_empty());
            for error in errors {
                let span = error.span.expect("an error has a place");
                prop_assert!(3 <= span.start && span.start <= span.end);
                prop_assert!(text.get(span.start - 3..span.end - 3).is_some());
            }
        }
    }
}
