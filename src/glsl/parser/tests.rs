//! Syntax trees of small GLSL texts, in brackets, and errors in invalid ones.

mod hostile;
mod print;

use expect_test::{Expect, expect};

use super::*;

fn version(number: u16) -> ParseOptions {
    let default_version = Version { number, is_es: false, is_compatibility: number < 140 };
    ParseOptions { default_version, ..ParseOptions::default() }
}

/// Parses a text to its tree or its errors.
fn parsed(
    text: &str,
    base: usize,
    options: &ParseOptions,
) -> Result<TranslationUnit, Vec<Diagnostic>> {
    parse(text, base, options).map_err(|error| match error {
        CompileError::Diagnostics(errors) => errors,
        CompileError::Link(_) | CompileError::Unsupported { .. } => panic!("{text}: {error:?}"),
    })
}

/// Checks the tree in brackets, or the errors with the text that they point at.
#[track_caller]
fn check_version(text: &str, number: u16, expected: Expect) {
    let base = 1000;
    let actual = match parsed(text, base, &version(number)) {
        Ok(unit) => unit.items.iter().map(print::item).collect::<Vec<_>>().join("\n"),
        Err(errors) => {
            let line = |error: &Diagnostic| {
                let span = error.span.expect("an error has a place");
                let place = span.start - base..span.end - base;
                format!("{} at `{}`", error.message, text.get(place).unwrap_or("?"))
            };
            errors.iter().map(line).collect::<Vec<_>>().join("\n")
        }
    };
    expected.assert_eq(&actual);
}

#[track_caller]
fn check(text: &str, expected: Expect) {
    check_version(text, 460, expected);
}

/// Checks the tree of one expression.
#[track_caller]
fn check_expression(text: &str, expected: Expect) {
    let text = format!("int unused = {text};");
    let unit = parse(&text, 0, &version(460)).expect("the expression is right");
    let item = print::item(unit.items.first().expect("there is one item"));
    expected.assert_eq(item.trim_start_matches("var int unused = "));
}

/// Checks the tree of statements in a function.
#[track_caller]
fn check_statement(text: &str, expected: Expect) {
    let text = format!("struct S {{ int i; }}; void main() {{ {text} }}");
    let unit = parse(&text, 0, &version(460)).expect("the statement is right");
    let item = print::item(unit.items.get(1).expect("there is a function"));
    expected.assert_eq(item.trim_start_matches("fn void main() "));
}

#[test]
fn infix_operators_have_cs_precedence() {
    check_expression("a + b * c - d", expect!["(- (+ a (* b c)) d)"]);
    check_expression(
        "a || b ^^ c && d | e ^ f & g",
        expect!["(|| a (^^ b (&& c (| d (^ e (& f g))))))"],
    );
    check_expression("a == b < c << d + e % f", expect!["(== a (< b (<< c (+ d (% e f)))))"]);
    check_expression("(a + b) * c", expect!["(* (+ a b) c)"]);
    check_expression("-a.x++ * !b", expect!["(* (- (post++ (. a x))) (! b))"]);
}

#[test]
fn assignment_and_selection_group_to_the_right() {
    check_expression("a = b += c", expect!["(= a (+= b c))"]);
    check_expression("a ? b, c : d ? e : f = g", expect!["(? a (, b c) (? d e (= f g)))"]);
}

#[test]
fn calls_and_constructors_are_told_apart_from_indexing() {
    check_expression("f(void) + vec3(1, g(2u))", expect!["(+ f() vec3(1 g(2u)))"]);
    check_expression("float[2](1.0, .5).length()", expect!["(. float[2](1 0.5) length())"]);
    check_expression("vec2[][3](a)[1][0].xy", expect!["(. ([] ([] vec2[][3](a) 1) 0) xy)"]);
    check_expression("a[1][i](2, b)", expect!["([] ([] a 1) i)(2 b)"]);
    check("int x = a.b(1)(2);", expect!["only functions and types can be called at `a.b(1)(`"]);
}

#[test]
fn literals_keep_their_types() {
    check_expression(
        "1 + 0x10u + 1.5lf + 1e1 + true",
        expect!["(+ (+ (+ (+ 1 16u) 1.5lf) 10) true)"],
    );
}

#[test]
fn declarations_keep_both_sets_of_array_sizes() {
    check("float[2] a[3], b = 1.0;", expect!["var float[2] a[3], b = 1"]);
    check("const vec2[] c[](1) = { { v, w, }, {} };", expect!["expected `;`, found `(` at `(`"]);
    check("const vec2[] c[] = { { v, w, }, {} };", expect!["var const vec2[] c[] = {{v w} {}}"]);
}

#[test]
fn qualifiers_come_in_any_order() {
    check(
        "layout(location = 1 + 2, component = 1) flat centroid out highp uvec2 v;",
        expect!["var layout(location=(+ 1 2) component=1) out flat centroid high uvec2 v"],
    );
    check("invariant gl_Position;", expect!["requalify invariant: gl_Position"]);
    check(
        "flat in float a; flat a, b;",
        expect![[r"
        var in flat float a
        requalify flat: a b"]],
    );
    check(
        "layout(local_size_x = 4, shared) in;",
        expect!["requalify layout(local_size_x=4 shared) in:"],
    );
    check("precision mediump float;", expect!["precision medium float"]);
    check("subroutine(t, u) void f() {}", expect!["fn subroutine(t u) void f() {}"]);
}

#[test]
fn blocks_have_members_and_perhaps_an_instance() {
    check(
        "layout(std140) uniform B { mat4 m, n[2]; layout(offset = 8) float f; } b[2][3];",
        expect![
            "block layout(std140) uniform B {mat4 m; mat4 n[2]; layout(offset=8) float f;} b[2][3]"
        ],
    );
    check("buffer B { readonly float f[]; };", expect!["block buffer B {readonly float f[];}"]);
}

#[test]
fn structs_are_types_from_their_end_on() {
    check_version(
        "struct S { int a; struct { float f; } b; } s = S(1); S t[2]; struct { int i; };",
        110,
        expect![[r"
            var struct S {int a; struct {float f;} b;} s = S(1)
            var S t[2]
            var struct {int i;}"]],
    );
}

#[test]
fn functions_have_prototypes_and_bodies() {
    check(
        "void f(void); float g(const in vec2, inout float[2] a[3]); int h(int a, int) { return a; }",
        expect![[r"
            prototype void f()
            prototype float g(const in vec2, inout float[2] a[3])
            fn int h(int a, int) {return a;}"]],
    );
}

#[test]
fn a_struct_name_may_be_hidden_by_a_variable() {
    check_statement("S a; S S = S(1); S * a;", expect!["{var S a; var S S = S(1); (* S a);}"]);
    check_statement(
        "{ int S; S[0]; } S[2](1); S[2] b;",
        expect!["{{var int S; ([] S 0);} S[2](1); var S[2] b;}"],
    );
}

#[test]
fn every_statement_is_known() {
    check_statement(
        "if (a) b; else if (c) ; else { d; }",
        expect!["{if a b; else if c ; else {d;}}"],
    );
    check_statement(
        "for (int i = 0, j; i < 2; ++i, j--) continue; for (;;) break; for (i = 0; bool b = c;) {}",
        expect![
            "{for (var int i = 0, j; (< i 2); (, (pre++ i) (post-- j))) continue; for (; ; ) break; for ((= i 0); bool b = c; ) {}}"
        ],
    );
    check_statement(
        "while (bool b = c) discard; do { return; } while (d);",
        expect!["{while (bool b = c) discard; do {return;} while d;}"],
    );
    check_statement(
        "switch (a) { case 1 + 1: b; default: break; }",
        expect!["{switch a {case (+ 1 1): b; default: break;}}"],
    );
    check_statement(
        "vec2(1); const vec2 a = b; precise float c;",
        expect!["{vec2(1); var const vec2 a = b; var precise float c;}"],
    );
}

#[test]
fn later_keywords_are_names_in_old_shaders() {
    check_version(
        "float sample, patch, buffer, shared;",
        120,
        expect!["var float sample, patch, buffer, shared"],
    );
    check("sample in float a;", expect!["var in sample float a"]);
    check(
        "float a; int goto; half b;",
        expect![[r"
        `goto` is a reserved word at `goto`
        `half` is a reserved word at `half`"]],
    );
}

#[test]
fn the_parser_goes_on_after_an_error() {
    check(
        "int a = ; void f() { b c d; { x = (; } y + ; } } int e",
        expect![[r"
        expected an expression, found `;` at `;`
        expected `;`, found `d` at `d`
        expected an expression, found `;` at `;`
        expected an expression, found `;` at `;`
        expected a type, found `}` at `}`
        expected `;`, found the end of the shader at ``"]],
    );
    check(
        "void f() { int a = 08; @ }",
        expect![[r"
        `08` is not a number at `08`
        unexpected character `@` at `@`"]],
    );
}

#[test]
fn spans_are_places_in_the_case() {
    let text = "#version 330\nfloat f(int a) { return a \\\n + 1; }";
    let unit = parse(text, 50, &ParseOptions::default()).expect("the text is right");
    let Some(crate::ast::Item::Function(prototype, body)) = unit.items.first() else {
        panic!("a function")
    };
    let at = |span: ir::source::Span| text.get(span.start - 50..span.end - 50).expect("inside");
    assert_eq!(at(prototype.name.span), "f");
    assert_eq!(at(body.span), "{ return a \\\n + 1; }");
    assert_eq!(at(body.statements.first().expect("return").span), "return a \\\n + 1;");
    assert_eq!(unit.version.number, 330);
}

#[test]
fn old_versions_lack_what_came_later() {
    check_version(
        "int a[2][2]; int b = ~1 % a.length();",
        110,
        expect![[r"
            arrays of arrays need GLSL 4.30 or GLSL ES 3.10 at `[`
            `~` needs GLSL 1.30 or GLSL ES 3.00 at `~`
            `%` needs GLSL 1.30 or GLSL ES 3.00 at `%`
            `length()` needs GLSL 1.20 or GLSL ES 3.00 at `length`"]],
    );
    check(
        "struct S { struct T { int i; } t; };",
        expect!["a struct cannot be defined inside another at `struct T { int i; }`"],
    );
    check_version("float invariant;", 110, expect!["var float invariant"]);
}

#[test]
fn qualifiers_stand_where_they_mean_something() {
    check(
        "struct S { flat highp int i; highp int j; }; void f(uniform int i); const int g();",
        expect![[r#"
            a struct member can only have a precision qualifier at `flat highp`
            a parameter can only be `const`, `in`, `out` or `inout` at `uniform`
            the return type of a function cannot have a storage qualifier at `const`"#]],
    );
}

#[test]
fn a_switch_ends_in_a_statement() {
    check(
        "void f() { switch (1) { case 2: } }",
        expect!["a statement must follow this label at `2`"],
    );
}
