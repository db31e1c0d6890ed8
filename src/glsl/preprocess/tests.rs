//! Preprocesses small GLSL texts and compares the tokens, or the errors of invalid texts.

use expect_test::{Expect, expect};

use super::*;

/// Checks the tokens, separated by spaces, or the errors with the text that they point at.
#[track_caller]
fn check(text: &str, expected: Expect) {
    check_version(text, Version::default(), expected);
}

#[track_caller]
fn check_version(text: &str, version: Version, expected: Expect) {
    let base = 100;
    let (spliced, library) = (Spliced::new(text, base), Library::new(&[], &[]));
    let actual = match preprocess(&spliced, &library, version, Target::OpenGl) {
        Ok(result) => {
            let words: Vec<&str> = result.tokens.iter().map(|token| &*token.text).collect();
            words.join(" ")
        }
        Err(errors) => {
            let place = |span: Span| text.get(span.start - base..span.end - base).unwrap_or("?");
            let line =
                |e: &Diagnostic| format!("{} at `{}`", e.message, place(e.span.expect("a place")));
            errors.iter().map(line).collect::<Vec<_>>().join("\n")
        }
    };
    expected.assert_eq(&actual);
}

const ES: Version = Version { number: 300, is_es: true, is_compatibility: false };

#[test]
fn macros_replace_names_and_calls() {
    check(
        "#define A 1\n#define F(x, y) (x + y)\nA F(A, F(2, 3)) F",
        expect!["1 ( 1 + ( 2 + 3 ) ) F"],
    );
    check("#define F() x\nF() F ()", expect!["x x"]);
    check("#define F (a)\nF(b)", expect!["( a ) ( b )"]);
    check("#define F(x) <x>\nF((a, b))F()", expect!["< ( a , b ) > < >"]);
    check("#define F(x) [x]\nF(a\nb\n)", expect!["[ a b ]"]);
}

#[test]
fn a_macro_is_not_expanded_in_itself() {
    check("#define a a b\na", expect!["a b"]);
    check("#define f(x) x + f\nf(1)(2)", expect!["1 + f ( 2 )"]);
    check("#define x y\n#define y x\nx y", expect!["x y"]);
    // The argument is expanded completely before the body is scanned.
    check("#define f(x) [x]\nf(f(1))", expect!["[ [ 1 ] ]"]);
}

#[test]
fn the_result_is_scanned_with_what_follows() {
    check("#define f(x) (x)\n#define g f\ng(1)", expect!["( 1 )"]);
}

/// F32
#[test]
fn tokens_are_joined_before_they_are_expanded() {
    check("#define J(a, b) a ## b\n#define xy 1\nJ(x, y) J(, y) J(x,) J(,)", expect!["1 y x"]);
    check("#define V(n) v##n##_t\nV(2)", expect!["v2_t"]);
    check("#define A 1\n#define J(a, b) a##b\nJ(A, A)", expect!["AA"]);
    check(
        "#define J(a, b) a##b\nJ(+, x)",
        expect!["`##` cannot join `+` and `x` to one token at `J`"],
    );
    check("#define J ## a", expect!["`##` needs a token on both sides at `##`"]);
}

/// F35
#[test]
fn conditions_choose_one_group() {
    check("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif", expect!["b"]);
    check("#if 0\n#if 1\na\n#else\nb\n#endif\n#error x\n#else\nc\n#endif", expect!["c"]);
    check("#define X\n#ifdef X\na\n#endif\n#ifndef X\nb\n#endif", expect!["a"]);
    check("#define X 1\n#undef X\n#ifdef X\na\n#endif", expect![""]);
    check("#if 1\n#elif 1/0\n#endif", expect![""]);
}

/// F25
#[test]
fn conditions_have_c_precedence() {
    check("#if 1 + 2 * 3 == 7 && (1 << 2 | 1) == 5\na\n#endif", expect!["a"]);
    check("#if -1 < 0 && ~0 == -1 && !0\na\n#endif", expect!["a"]);
    check("#if 10 / 3 == 3 && 10 % 3 == 1 && 0x10 == 020\na\n#endif", expect!["a"]);
    check("#define D defined(X)\n#define X\n#if D && defined X\na\n#endif", expect!["a"]);
}

/// F25, F35
#[test]
fn errors_of_conditions_point_at_their_cause() {
    check("#if 1 / 0\n#endif", expect!["division by zero at `/`"]);
    check("#if\n#endif", expect!["expected a value after this at `#if`"]);
    check("#if (1\n#endif", expect!["this parenthesis is not closed at `(`"]);
    check("#if 1 2\n#endif", expect!["unexpected text after the condition at `2`"]);
    check("#if 1 ? 1 : 1\n#endif", expect!["unexpected text after the condition at `?`"]);
    check("#if 1 + 0.5\n#endif", expect!["`0.5` is not an integer at `0.5`"]);
    check("#if 09\n#endif", expect!["`09` is not an integer at `09`"]);
    check("#if 1uu\n#endif", expect!["`1uu` is not an integer at `1uu`"]);
    check("#if 0x8u - 010U\na\n#endif", expect![""]);
    check("#endif", expect!["`#endif` without `#if` at `#endif`"]);
    check("#else", expect!["`#else` without `#if` at `#else`"]);
    check("a\n#if 1", expect!["this `#if` has no `#endif` at `#if`"]);
    check("#if 1\n#else\n#else\n#endif", expect!["`#else` after `#else` at `#else`"]);
}

/// F26
#[test]
fn an_undefined_name_is_zero_on_desktop_and_an_error_in_es() {
    let text = "#if X\na\n#endif\n#if defined(X) && X\n#endif";
    check(text, expect![""]);
    check_version(text, ES, expect!["`X` is not defined at `X`"]);
}

/// F29
#[test]
fn the_version_is_known_to_the_text() {
    check("#version 330\n__VERSION__ GL_core_profile", expect!["330 1"]);
    check("#version 150 compatibility\nGL_compatibility_profile", expect!["1"]);
    check("__VERSION__\n#ifdef GL_ES\na\n#endif", expect!["110"]);
    check_version("__VERSION__ GL_ES", ES, expect!["300 1"]);
    check("#version 331", expect!["`331` is not a version of GLSL at `331`"]);
    check("#version 300", expect!["`300` is not a version of GLSL at `300`"]);
    check("#version 330 es", expect!["`330` is not a version of GLSL at `330`"]);
    check("#version 120 core", expect!["`core` is not a profile of GLSL 120 at `core`"]);
    check("#version core", expect!["`#version` needs a number at `#version`"]);
    check("a\n#version 330", expect!["`#version` must come before everything else at `#version`"]);
}

#[test]
fn the_line_is_the_texts_own() {
    check("__LINE__\n\\\n__LINE__ /*\n*/ __LINE__", expect!["1 3 4"]);
    check("#line 10 2\n__LINE__ __FILE__\n__LINE__", expect!["10 2 11"]);
    check("#define L __LINE__\n\nL", expect!["3"]);
}

#[test]
fn directives_that_mean_nothing_here_are_accepted() {
    check("#pragma optimize(off)\n#\n#extension GL_X : enable\na", expect!["a"]);
}

#[test]
fn extensions_are_recorded_and_macros() {
    let (spliced, library) = (
        Spliced::new("#extension GL_ARB_gpu_shader5 : require\nGL_ARB_gpu_shader5", 0),
        Library::new(&[], &[]),
    );
    let result = preprocess(&spliced, &library, Version::default(), Target::OpenGl)
        .expect("a known extension");
    let [extension] = &*result.extensions else { panic!("one extension") };
    assert_eq!((&*extension.name, &*extension.behaviour), ("GL_ARB_gpu_shader5", "require"));
    assert_eq!(extension.span, Span::new(0, 39));
    assert_eq!(&*result.tokens.first().expect("one token").text, "1");
    let spliced = Spliced::new("#extension GL_NONE : require", 0);
    let result = preprocess(&spliced, &library, Version::default(), Target::OpenGl)
        .expect("a good directive");
    assert_eq!(result.unsupported, Some(("GL_NONE".to_owned(), Span::new(11, 18))));
}

/// F30
#[test]
fn extensions_come_first_and_have_a_behaviour() {
    check("#extension all : warn\na", expect!["a"]);
    let message = expect!["`#extension` must come before any code at `#extension`"];
    check("a\n#extension all : warn", message);
    check("#extension all = warn", expect!["unknown extension behaviour at `warn`"]);
    check("#extension GL_X : maybe", expect!["unknown extension behaviour at `maybe`"]);
    check("#extension GL_X", expect!["expected `#extension NAME : BEHAVIOUR` at `#extension`"]);
    check("#extension all : require", expect!["`all` cannot be required or enabled at `all`"]);
}

/// F28, F31, F37
#[test]
fn wrong_definitions_are_refused() {
    check(
        "#define A 1\n#define A 1\n#define A 2",
        expect!["macro `A` is already defined with another body at `A`"],
    );
    check("#define F(a, a) a", expect!["the parameter `a` is declared twice at `a`"]);
    check("#define F(a", expect!["the parameter list of this macro has no closing `)` at `F`"]);
    check(
        "#define GL_X",
        expect!["`GL_X` is a predefined or reserved macro name and cannot be changed at `GL_X`"],
    );
    check_version(
        "#undef __LINE__",
        ES,
        expect![
            "`__LINE__` is a predefined or reserved macro name and cannot be changed at `__LINE__`"
        ],
    );
    check(
        "#define F(a) a\nF(1, 2)\nF(1",
        expect!["macro `F` has 1 parameter, but the call has 2 arguments at `F`"],
    );
    check("#define F(a) a\nF(1", expect!["the arguments of macro `F` have no closing `)` at `F`"]);
    check("#error no  way", expect!["#error no way at `#error no  way`"]);
    check("#frob", expect!["unknown directive `#frob` at `#frob`"]);
}

/// F24, F36
#[test]
fn directives_end_where_their_operands_do() {
    check("#if 1\n#else x\n#endif", expect!["unexpected `x` at the end of `#else` at `x`"]);
    check("#if 1\n#endif x", expect!["unexpected `x` at the end of `#endif` at `x`"]);
    check("#ifdef A x\n#endif", expect!["unexpected `x` at the end of `#ifdef` at `x`"]);
    check("#ifndef A x\n#endif", expect!["unexpected `x` at the end of `#ifdef` at `x`"]);
    check("#define A\n#undef A x", expect!["unexpected `x` at the end of `#undef` at `x`"]);
    check("#version 330 core x", expect!["unexpected `x` at the end of `#version` at `x`"]);
    check("#line 1 2 3", expect!["unexpected `3` at the end of `#line` at `3`"]);
    check("#line", expect!["`#line` needs a number at `#line`"]);
    check("#line 1 1.5", expect!["the second operand of `#line` is a number at `1.5`"]);
    // In skipped text only the nesting counts.
    check("#if 0\n#if 1\n#else x\n#endif x\n#endif\n1", expect!["1"]);
}

#[test]
fn lines_of_a_macro_are_those_of_the_end_of_its_call() {
    let text = "#define B __LINE__\n#define A(a, b) B, a, b\nA(__LINE__,\n__LINE__\n)";
    check(text, expect!["5 , 3 , 4"]);
}

#[test]
fn desktop_programs_may_remove_predefined_macros() {
    check("#undef __VERSION__\n#ifdef __VERSION__\n1\n#endif\n__VERSION__", expect!["__VERSION__"]);
    check("#ifdef __FILE__\n1\n#endif", expect!["1"]);
}

/// F27
#[test]
fn defined_is_an_operator_wherever_it_comes_from() {
    check("#define A defined\n#if A A\n1\n#endif", expect!["1"]);
    check("#define A defined\n#if A (B)\n1\n#endif", expect![""]);
    check(
        "#define A defined\n#if A\n#endif",
        expect!["`defined` needs the name of a macro at `A`"],
    );
    check("#if defined(B\n#endif", expect!["`defined` needs the name of a macro at `defined`"]);
    let text = "#define defined 0.5\n#define A defined\nA";
    check_version(text, ES, expect!["0.5"]);
    let message = expect![
        "`defined` is a predefined or reserved macro name and cannot be changed at `defined`"
    ];
    check("#define defined 0.5", message);
}

/// F32
#[test]
fn operators_that_the_language_lacks_are_refused() {
    check_version("#define F(n) t##n", ES, expect!["GLSL ES has no operator `##` at `##`"]);
    check("#define F(n) f(#n)", expect!["GLSL has no operator `#`, for it has no strings at `#`"]);
    check("#define F(n) t##n\nF(1)", expect!["t1"]);
}

/// F33
#[test]
fn some_pragmas_stand_outside_of_functions() {
    let message = expect!["this pragma must stand outside of functions at `#pragma`"];
    check("void main() {\n#pragma optimize(on)\n}", message);
    check("{}\n#pragma debug(off)\n{\n#pragma other\n}", expect!["{ } { }"]);
}

/// F34
#[test]
fn names_have_a_maximum_length_in_es() {
    let name = "x".repeat(1025);
    let (spliced, library) = (Spliced::new(&name, 0), Library::new(&[], &[]));
    let errors = preprocess(&spliced, &library, ES, Target::OpenGl).expect_err("a long name");
    assert_eq!(errors[0].message, "a name has at most 1024 characters");
    preprocess(&spliced, &library, Version::default(), Target::OpenGl).expect("no such limit");
}

#[test]
fn a_token_of_a_macro_stands_where_the_macro_is_used() {
    let text = "#define F(x) x + y\nF(a)";
    let (spliced, library) = (Spliced::new(text, 7), Library::new(&[], &[]));
    let result =
        preprocess(&spliced, &library, Version::default(), Target::OpenGl).expect("no errors");
    let places: Vec<_> = result
        .tokens
        .iter()
        .map(|token| text.get(token.span.start - 7..token.span.end - 7).unwrap_or("?"))
        .collect();
    // Tokens of the use itself keep their own positions.
    assert_eq!(places, ["a", "F(a)", "F(a)"]);
}

#[test]
fn hostile_macros_end_in_an_error() {
    let level = |n: i32| format!("#define A{n} A{} A{}\n", n - 1, n - 1);
    let doubling = (1..40).map(level).collect::<String>() + "A39";
    check(
        &doubling,
        expect!["interstage supports at most 262144 tokens from macro expansion at `A39`"],
    );

    let nested = format!("#define F(x) x\n{}1{}", "F(".repeat(200), ")".repeat(200));
    check(&nested, expect!["interstage supports at most 100 nested macro calls at `F`"]);

    let condition = format!("#if {}1\n#endif", "(".repeat(50_000));
    check(
        &condition,
        expect!["this condition is nested too deeply; interstage supports 100 levels at `(`"],
    );

    let joined = "#define J(a) a##a\n#define K(a) J(a)\n".to_owned()
        + &format!("{}x{}", "K(".repeat(20), ")".repeat(20));
    let (spliced, library) = (Spliced::new(&joined, 0), Library::new(&[], &[]));
    let error = preprocess(&spliced, &library, Version::default(), Target::OpenGl)
        .expect_err("a word of a million letters");
    assert!(error.iter().any(|error| error.message.starts_with("`##` cannot join")));
}

/// Checks the tokens of `text` with the texts of `tree` available for inclusion.
#[track_caller]
fn check_include(text: &str, tree: &[(&str, &str)], expected: Expect) {
    let include = |(path, text): &(&str, &str)| Include {
        path: (*path).to_owned(),
        text: (*text).to_owned(),
        base: 1000,
    };
    let includes: Vec<Include> = tree.iter().map(include).collect();
    let folders = ["/f".to_owned(), "/g".to_owned()];
    let text = format!("#extension GL_ARB_shading_language_include : enable\n{text}");
    let (spliced, library) = (Spliced::new(&text, 0), Library::new(&includes, &folders));
    let words = |result: Preprocessed<'_>| {
        result.tokens.iter().map(|token| token.text.to_string()).collect::<Vec<_>>().join(" ")
    };
    let message = |errors: Vec<Diagnostic>| errors.into_iter().map(|error| error.message).collect();
    expected.assert_eq(
        &preprocess(&spliced, &library, Version::default(), Target::OpenGl)
            .map_or_else(message, words),
    );
}

#[test]
fn an_included_text_stands_where_it_is_included() {
    let tree = [("/a b/x", "#define M __LINE__\n1 M"), ("/a b/../y", "2"), ("/y", "3")];
    check_include(
        "#include \"/a b/x\"\nM #undef\n#include </y>\n__LINE__",
        &tree,
        expect!["1 2 3 # undef 3 5"],
    );
    check(
        "#include \"/x\"",
        expect!["`#include` needs the extension `GL_ARB_shading_language_include` at `#include`"],
    );
    check_include("#include \"/z\"", &tree, expect![[r#"there is no include text "/z""#]]);
    check_include("#include /y", &tree, expect!["there is no include text /y"]);
}

#[test]
fn relative_paths_are_looked_up_in_the_text_own_folder_and_the_search_path() {
    let tree = [
        ("/h/own", "#include \"x\"\n#include <x>"),
        ("/h/x", "h"),
        ("/g/x", "g"),
        ("/f/../g/y", "y"),
    ];
    check_include(
        "#include </h/own>\n#include \"x\"\n#include \"../g/./y\"",
        &tree,
        expect!["h g g y"],
    );
}

#[test]
fn a_text_that_includes_itself_ends_in_an_error() {
    check_include(
        "#include </x>",
        &[("/x", "#include </x>")],
        expect!["interstage supports 1000 `#include` directives, nested 32 deep"],
    );
}
