//! The preprocessor: directives, macros, extensions, versions.

use crate::invalid::rule::{Rule, Where, compile, declare, head, one, state, valid};

use Where::{Either, Vertex};

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
        declare(Either, "#undef __VERSION__"),
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
];
