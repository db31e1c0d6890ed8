//! The preprocessor: directives, macros, extensions, versions.

use fastrand::Rng;

use crate::invalid::program::{Program, Stage};
use crate::invalid::rule::{Rule, Where, change, compile, declare, head, one, state, valid};
use crate::invalid::version::{Profile, Version};

use Where::{Either, Vertex};

/// Numbers and profiles that no `#version` has together.
const NO_VERSIONS: [(u16, Profile); 9] = [
    (115, Profile::Core),
    (200, Profile::Core),
    (331, Profile::Core),
    (470, Profile::Core),
    (999, Profile::Core),
    (120, Profile::Compatibility),
    (130, Profile::Compatibility),
    (330, Profile::Es),
    (400, Profile::Es),
];

/// The rules of this topic.
pub const RULES: &[Rule] = &[
    compile("error_directive", "3.3").everywhere().by(&[
        head(Either, "#error no"),
        declare(Either, "#ifdef GL_ES\n#error es\n#else\n#error desktop\n#endif"),
    ]),
    compile("extension_that_is_required_and_missing", "3.3").everywhere().by(&[
        head(Either, "#extension GL_ARB_$n : require"),
    ]),
    compile("all_extensions_are_required", "3.3").everywhere().by(&[
        head(Either, "#extension all : require"),
        head(Either, "#extension all : enable"),
    ]),
    valid("extension_that_is_enabled_and_missing", "3.3").everywhere().by(&[
        head(Either, "#extension GL_ARB_$n : enable"),
        head(Either, "#extension GL_ARB_$n : warn"),
        head(Either, "#extension GL_ARB_$n : disable"),
        head(Either, "#extension all : warn"),
    ]),
    compile("extension_with_an_unknown_behaviour", "3.3").everywhere().by(&[
        head(Either, "#extension GL_ARB_explicit_attrib_location : maybe"),
        head(Either, "#extension GL_ARB_explicit_attrib_location"),
    ]),
    compile("condition_without_end", "3.3").everywhere().by(&[
        declare(Either, "#if 1"),
        declare(Either, "#ifdef $n"),
    ]),
    compile("end_without_condition", "3.3").everywhere().by(&[
        declare(Either, "#endif"),
        declare(Either, "#else"),
        declare(Either, "#if 1\n#else\n#else\n#endif"),
        declare(Either, "#elif 1"),
    ]),
    compile("condition_that_cannot_be_evaluated", "3.3").everywhere().by(&[
        declare(Either, "#if\n#endif"),
        declare(Either, "#if 1.0\n#endif"),
        declare(Either, "#if 1 +\n#endif"),
        declare(Either, "#if (1\n#endif"),
    ]),
    compile("condition_on_an_undefined_macro", "ES 3.4").es(100, 320).by(&[
        declare(Either, "#if $n\n#endif"),
        declare(Either, "#if $n == 1\n#endif"),
    ]),
    compile("unknown_directive", "3.3").everywhere().by(&[
        declare(Either, "#$n"),
        declare(Either, "#include \"a\""),
        declare(Either, "#warning a"),
    ]),
    compile("macro_is_redefined", "3.3").everywhere().by(&[
        declare(Either, "#define $n 1\n#define $n 2"),
        declare(Either, "#define $n(a) a\n#define $n(b) b"),
    ]),
    valid("macro_is_redefined_alike", "3.3").everywhere().by(&[
        declare(Either, "#define $n 1\n#define $n 1"),
        declare(Either, "#define $n 1\n#undef $n\n#define $n 2"),
    ]),
    compile("predefined_macro_is_changed", "3.3").everywhere().by(&[
        declare(Either, "#define __LINE__ 1"),
        declare(Either, "#undef __VERSION__").since(0, 100),
        declare(Either, "#define __FILE__ 2"),
        declare(Either, "#define GL_$n 1"),
    ]),
    compile("macro_with_wrong_arguments", "3.3").everywhere().by(&[
        one(Either, "#define $n(a, b) a", "acc += $n(1.0);"),
        one(Either, "#define $n(a) a", "acc += $n(1.0, 2.0);"),
        one(Either, "#define $n(a) a", "acc += $n(1.0;"),
    ]),
    compile("macro_parameter_twice", "3.3").everywhere().by(&[declare(Either, "#define $n(a, a) a")]),
    compile("version_that_is_not_first", "3.3").everywhere().by(&[
        declare(Either, "#version 110"),
        declare(Vertex, "float $n;\n#version 100"),
    ]),
    compile("extension_behind_code", "3.3").everywhere().by(&[
        declare(Either, "float $n;\n#extension all : warn"),
    ]),
    compile("directive_behind_code_of_its_line", "3.3").everywhere().by(&[
        declare(Either, "float $n; #define $m 1"),
    ]),
    compile("line_that_goes_on_in_old_versions", "3.3").lenient("Mesa joins such lines in every version").desktop(110, 120).es(100, 100).by(&[
        state(Either, "acc.x = 1.0 \\\n + 1.0;"),
    ]),
    compile("comment_without_end", "3.4").everywhere().by(&[declare(Either, "/* $n")]),
    compile("comment_in_a_comment", "3.4").everywhere().by(&[declare(Either, "/* /* $n */ */")]),
    valid("macros_and_conditions", "3.3").everywhere().by(&[
        one(Either, "#define $n(a, b) ((a) + (b))", "acc += $n(1.0, 2.0);"),
        declare(Either, "#if defined(GL_ES) || __VERSION__ > 100 && !defined $n\nfloat $n;\n#elif 0\n#error no\n#endif"),
        declare(Either, "#ifndef $n\n#define $n\n#endif\n#ifdef $n\nfloat x$n;\n#else\n#error no\n#endif"),
    ]),
    compile("tokens_behind_a_directive", "3.3").everywhere().by(&[
        declare(Either, "#if 1\n#else $n\n#endif"),
        declare(Either, "#if 1\n#endif $n"),
        declare(Either, "#ifdef $n $m\n#endif"),
        declare(Either, "#ifndef $n $m\n#endif"),
        declare(Either, "#undef $n $m"),
        declare(Either, "#if 1 2\n#endif"),
        declare(Either, "#if 1)\n#endif"),
    ]),
    compile("directive_without_its_name", "3.3").everywhere().by(&[
        declare(Either, "#define"),
        declare(Either, "#define 1 2"),
        declare(Either, "#undef"),
        declare(Either, "#undef 1"),
        declare(Either, "#ifdef\n#endif"),
        declare(Either, "#ifdef 1\n#endif"),
        declare(Either, "#ifndef\n#endif"),
    ]),
    compile("macro_parameters_that_are_none", "3.3").everywhere().by(&[
        declare(Either, "#define $n("),
        declare(Either, "#define $n(a"),
        declare(Either, "#define $n(a b) a"),
        declare(Either, "#define $n(1) 1"),
        declare(Either, "#define $n(a,) a"),
        declare(Either, "#define $n(, a) a"),
    ]),
    compile("macro_call_with_an_open_parenthesis", "3.3").everywhere().by(&[
        one(Either, "#define $n(a) a", "acc += $n((1.0);"),
        one(Either, "#define $n(a, b) a", "acc += $n(1.0, (2.0);"),
        one(Either, "#define $n() 1.0", "acc += $n(;"),
    ]),
    compile("operator_that_makes_strings", "3.3").everywhere().by(&[
        one(Either, "#define $n(a) #a", "acc += $n(1.0);"),
        declare(Either, "#define $n(a) 1.0 #a"),
    ]),
    compile("pasting_without_an_operand", "3.3").everywhere().by(&[
        declare(Either, "#define $n ## a"),
        declare(Either, "#define $n(a) a ##"),
    ]),
    compile("pasting_in_es", "ES 3.4").es(100, 320).by(&[
        one(Either, "#define $n(a, b) a##b", "float $n(x, y) = 1.0;"),
        declare(Either, "#define $n a ## b"),
    ]),
    compile("defined_without_a_name", "3.3").everywhere().by(&[
        declare(Either, "#if defined\n#endif"),
        declare(Either, "#if defined()\n#endif"),
        declare(Either, "#if defined 1\n#endif"),
        declare(Either, "#if defined($n\n#endif"),
        declare(Either, "#if defined($n $m)\n#endif"),
        declare(Either, "#if defined + 1\n#endif"),
    ]),
    compile("macro_named_defined", "3.3").desktop(110, 460).by(&[
        declare(Either, "#define defined 1"),
        declare(Either, "#undef defined"),
    ]),
    compile("operator_that_conditions_lack", "3.3").everywhere().by(&[
        declare(Either, "#if 1 ? 1 : 1\n#endif"),
        declare(Either, "#if 1, 1\n#endif"),
        declare(Either, "#if 1 ^^ 0\n#endif"),
        declare(Either, "#if ++1\n#endif"),
        declare(Either, "#if 1 = 1\n#endif"),
    ]),
    compile("number_that_conditions_lack", "3.3").everywhere().by(&[
        declare(Either, "#if 0.5\n#endif"),
        declare(Either, "#if 1e3\n#endif"),
        declare(Either, "#if 1 + .5\n#endif"),
        declare(Either, "#if 09\n#endif"),
        declare(Either, "#if 0x\n#endif"),
        declare(Either, "#if 1x\n#endif"),
        declare(Either, "#if 1uu\n#endif"),
    ]),
    compile("integer_too_large_for_a_condition", "3.3").everywhere().by(&[
        declare(Either, "#if 99999999999999999999\n#endif"),
        declare(Either, "#if 0x10000000000000000\n#endif"),
    ]),
    compile("division_by_zero_in_a_condition", "3.3").everywhere().by(&[
        declare(Either, "#if 1 / 0\n#endif"),
        declare(Either, "#if 1 % 0\n#endif"),
        declare(Either, "#if 0\n#elif 1 / (1 - 1)\n#endif"),
    ]),
    valid("division_by_zero_that_does_not_count", "3.3").everywhere().by(&[
        declare(Either, "#if 1\n#elif 1 / 0\n#endif"),
        declare(Either, "#if 0\n#if 1 / 0\n#endif\n#endif"),
    ]),
    compile("line_with_wrong_operands", "3.3").everywhere().by(&[
        declare(Either, "#line"),
        declare(Either, "#line $n"),
        declare(Either, "#line 1.5"),
        declare(Either, "#line 1 2.5"),
        declare(Either, "#line 1 $n"),
        declare(Either, "#line 1 2 3"),
    ]),
    valid("line_with_macros", "3.3").everywhere().by(&[
        declare(Either, "#define $n 7\n#line $n"),
        declare(Either, "#define $n 7\n#define $m 0\n#line $n $m"),
    ]),
    compile("extension_without_a_colon", "3.3").everywhere().by(&[
        head(Either, "#extension all warn"),
        head(Either, "#extension all = warn"),
        head(Either, "#extension : warn"),
        head(Either, "#extension"),
        head(Either, "#extension all : warn all"),
    ]),
    compile("version_that_there_is_not", "3.3").everywhere().by(&[change(set_no_version)]),
    compile("pragma_in_a_function", "3.3").everywhere().by(&[
        state(Either, "\n#pragma optimize(off)\n"),
        state(Either, "\n#pragma debug(on)\n"),
    ]),
    valid("pragma_that_says_nothing", "3.3").everywhere().by(&[
        declare(Either, "#pragma"),
        declare(Either, "#pragma $n(1 + \n#pragma optimize(on)"),
        state(Either, "\n#pragma $n\n"),
    ]),
    valid("directives_that_are_skipped", "3.3").everywhere().by(&[
        declare(Either, "#if 0\n#$n\n#error no\n#define\n#line $n\n#endif"),
        declare(Either, "#if 0\n#if 1.0\n#elif\n#else\n#endif\n#endif"),
        declare(Either, "#ifdef $n\n#version 999\n#extension $n\n#endif"),
    ]),
    valid("number_sign_with_blanks", "3.3").everywhere().by(&[
        declare(Either, "#"),
        declare(Either, "  #  define $n 1"),
        declare(Either, "# /* $n */"),
        declare(Either, "#if 1 // $n\n#endif /* $n */"),
    ]),
    valid("macro_with_two_underscores", "3.3").everywhere().by(&[
        declare(Either, "#define x__$n 1").since(110, 100),
        declare(Either, "#define __$n 1\nfloat $n = float(__$n);").since(110, 100),
        declare(Either, "#define x__$n 1\n#undef x__$n").since(110, 310),
    ]),
    valid("undefined_macro_that_does_not_count", "ES 3.4").es(100, 320).by(&[
        declare(Either, "#if defined($n) && $n\n#endif"),
        declare(Either, "#if 0 && ($n == 1 || $m)\n#endif"),
        declare(Either, "#if 1 || $n\n#endif"),
    ]),
    compile("macro_is_redefined_with_other_blanks", "3.3").everywhere().by(&[
        declare(Either, "#define $n 1 + 2\n#define $n 1+2"),
        declare(Either, "#define $n(a) (a)\n#define $n(a) ( a )"),
    ]),
    compile("macro_is_redefined_as_a_function", "3.3").everywhere().by(&[
        declare(Either, "#define $n 1\n#define $n() 1"),
        declare(Either, "#define $n(a) 1\n#define $n 1"),
    ]),
    valid("macro_is_redefined_with_more_blanks", "3.3").everywhere().by(&[
        declare(Either, "#define $n 1 + 2\n#define $n  1  + /* $m */ 2"),
        declare(Either, "#define $n(a, b) a b\n#define $n( a ,b )  a\tb"),
    ]),
    compile("group_without_a_condition", "3.3").everywhere().by(&[
        declare(Either, "#if 0\n#elif\n#endif"),
        declare(Either, "#if 0\n#elif 1.0\n#endif"),
        declare(Either, "#if 0\n#else\n#elif 1\n#endif"),
    ]),
    valid("function_macro_without_a_call", "3.3").everywhere().by(&[
        declare(Either, "#define $n(a) a\nfloat $n;"),
        one(Either, "#define $n() 1.0", "acc += $n ( ) + $n\n();"),
    ]),
];

/// Gives a stage a version that does not exist.
fn set_no_version(program: &mut Program, rng: &mut Rng) {
    let (number, profile) = NO_VERSIONS[rng.usize(0..NO_VERSIONS.len())];
    let stage = Stage::random(rng);
    program.stage(stage).version = Some(Version { number, profile });
}
