//! Names that are reserved or already in use.

use crate::invalid::rule::{Rule, Where, compile, declare, one, state, valid};

use Where::{Either, Vertex};

/// The rules of this topic.
pub const RULES: &[Rule] = &[
    compile("variable_that_begins_with_gl", "3.7").everywhere().by(&[
        declare(Either, "float gl_$n;"),
        declare(Either, "uniform $T gl_$n;"),
        state(Either, "float gl_$n = 1.0;"),
        declare(Vertex, "$out vec4 gl_$n;"),
    ]),
    compile("function_that_begins_with_gl", "3.7").everywhere().by(&[
        declare(Either, "float gl_$n() { return 1.0; }"),
        declare(Either, "void $n(float gl_a) {}"),
    ]),
    compile("struct_or_member_that_begins_with_gl", "3.7").everywhere().by(&[
        declare(Either, "struct gl_$n { float a; };"),
        declare(Either, "struct $n { float gl_a; };"),
    ]),
    compile("block_that_begins_with_gl", "3.7").since(140, 300).by(&[
        declare(Either, "uniform gl_$n { float a; };"),
        declare(Either, "uniform $n { float a; } gl_$m;"),
        declare(Either, "uniform $n { float gl_a; } $m;"),
    ]),
    compile("function_and_variable_of_one_name", "4.2.2")
        .lenient("functions have names of their own in 1.10, as Mesa has it")
        .everywhere()
        .by(&[
            declare(Either, "float $n; float $n() { return 1.0; }"),
            declare(Either, "float $n() { return 1.0; } uniform float $n;"),
        ]),
    compile("struct_and_variable_of_one_name", "4.2.2").everywhere().by(&[
        declare(Either, "struct $n { float a; }; float $n;"),
        declare(Either, "float $n; struct $n { float a; };"),
    ]),
    compile("struct_and_function_of_one_name", "4.2.2")
        .everywhere()
        .by(&[declare(Either, "struct $n { float a; }; float $n() { return 1.0; }")]),
    compile("type_as_a_name", "3.6").everywhere().by(&[
        declare(Either, "float vec4;"),
        state(Either, "int float = 1;"),
        declare(Either, "uniform float sampler2D;"),
        declare(Either, "struct mat2 { float a; };"),
    ]),
    compile("name_that_begins_with_a_digit", "3.7")
        .everywhere()
        .by(&[declare(Either, "float 1$n;"), state(Either, "float 2$n = 1.0;")]),
    compile("name_with_other_characters", "3.7")
        .everywhere()
        .by(&[declare(Either, "float $n$a;"), declare(Either, "float $n@;")]),
    valid("names_of_later_built_ins", "3.7").everywhere().by(&[
        one(Either, "float fmaa;", "fmaa = 1.0; acc += fmaa;"),
        state(Either, "float inverse_$n = 1.0; acc += inverse_$n;"),
        state(Either, "float texture1 = 1.0; acc += texture1;"),
    ]),
    compile("hidden_function_is_called", "4.2.2").since(120, 100).by(&[
        one(Either, "float $n(float a) { return a; }", "float $n = 1.0; acc += $n($n);"),
        one(Either, "", "float sin = 1.0; acc += sin(sin);"),
    ]),
    valid("function_beside_a_variable_of_its_name", "4.2.2").desktop(110, 110).by(&[
        one(Either, "float $n(float a) { return a; }", "float $n = 1.0; acc += $n($n);"),
        one(Either, "float $n(float a) { return a; } const float $n = 1.0;", "acc += $n($n);"),
    ]),
    compile("hidden_type_is_used", "4.2.2").everywhere().by(&[one(
        Either,
        "struct $n { float a; };",
        "float $n = 1.0; $n $m; acc += $n;",
    )]),
];
