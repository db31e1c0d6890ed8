//! Statements: conditions, loops, `switch`, jumps, scopes.

use crate::invalid::rule::{Rule, Where, compile, declare, one, state, valid};

use Where::{Either, Vertex};

/// The rules of this topic.
pub const RULES: &[Rule] = &[
    compile("if_without_a_boolean", "6.2").everywhere().by(&[
        state(Either, "if (1) { acc.x = 1.0; }"),
        state(Either, "if (acc.x) { acc.x = 1.0; }"),
        state(Either, "if (bvec2(true)) { acc.x = 1.0; }"),
    ]),
    compile("loop_without_a_boolean", "6.3").everywhere().by(&[
        state(Either, "for (int i = 0; 1; i++) { break; }"),
        state(Either, "while (1) { break; }"),
        state(Either, "do { acc.x = 1.0; } while (acc.x);"),
    ]),
    compile("break_outside_a_loop", "6.4").everywhere().by(&[
        state(Either, "break;"),
        state(Either, "if (acc.x > 1.0) { break; }"),
        declare(Either, "void $n() { break; }"),
    ]),
    compile("continue_outside_a_loop", "6.4").everywhere().by(&[
        state(Either, "continue;"),
        state(Either, "if (acc.x > 1.0) { continue; }"),
        state(Either, "switch (1) { case 1: continue; }").since(130, 300),
    ]),
    compile("discard_in_the_vertex_stage", "6.4")
        .everywhere()
        .by(&[state(Vertex, "discard;"), state(Vertex, "if (acc.x > 1.0) { discard; }")]),
    compile("switch_in_old_versions", "6.2")
        .desktop(110, 120)
        .es(100, 100)
        .by(&[state(Either, "switch (1) { case 1: acc.x = 1.0; break; }")]),
    compile("switch_on_what_is_no_integer", "6.2").since(130, 300).by(&[
        state(Either, "switch (acc.x) { case 1: acc.x = 1.0; break; }"),
        state(Either, "switch (true) { default: acc.x = 1.0; break; }"),
        state(Either, "switch (ivec2(1)) { default: acc.x = 1.0; break; }"),
    ]),
    compile("case_twice", "6.2").since(130, 300).by(&[
        state(Either, "switch (int(acc.x)) { case 1: acc.x = 1.0; break; case 1: break; }"),
        state(Either, "switch (int(acc.x)) { case 2: acc.x = 1.0; break; case 1 + 1: break; }"),
    ]),
    compile("default_twice", "6.2").since(130, 300).by(&[state(
        Either,
        "switch (int(acc.x)) { default: acc.x = 1.0; break; default: break; }",
    )]),
    compile("case_that_is_no_constant", "6.2").since(130, 300).by(&[
        one(Either, "uniform int $n;", "switch (int(acc.x)) { case $n: acc.x = 1.0; break; }"),
        state(Either, "int $n = 1; switch (int(acc.x)) { case $n: acc.x = 1.0; break; }"),
    ]),
    compile("case_of_another_type", "6.2").since(130, 300).by(&[
        state(Either, "switch (int(acc.x)) { case 1.0: acc.x = 1.0; break; }"),
        state(Either, "switch (int(acc.x)) { case true: acc.x = 1.0; break; }"),
    ]),
    compile("case_of_the_other_sign", "6.2").desktop(130, 330).es(300, 320).by(&[
        state(Either, "switch (1u) { case 1: acc.x = 1.0; break; }"),
        state(Either, "switch (1) { case 1u: acc.x = 1.0; break; }"),
    ]),
    compile("statement_before_the_first_case", "6.2")
        .since(130, 300)
        .by(&[state(Either, "switch (int(acc.x)) { acc.x = 1.0; case 1: break; }")]),
    compile("case_outside_a_switch", "6.2")
        .since(130, 300)
        .by(&[state(Either, "case 1: acc.x = 1.0;"), state(Either, "default: acc.x = 1.0;")]),
    compile("case_inside_other_statements", "6.2").since(130, 300).by(&[state(
        Either,
        "switch (int(acc.x)) { case 0: if (acc.x > 1.0) { case 1: acc.x = 1.0; } break; }",
    )]),
    compile("nothing_behind_the_last_case", "ES 6.2")
        .es(300, 320)
        .by(&[state(Either, "switch (int(acc.x)) { case 0: acc.x = 1.0; break; case 1: }")]),
    compile("name_twice_in_a_scope", "4.2.2").everywhere().by(&[
        declare(Either, "float $n; float $n;"),
        declare(Either, "uniform vec4 $n; float $n;"),
        state(Either, "float $n; vec2 $n;"),
        state(Either, "int $n = 1; int $n = 2;"),
        declare(Either, "struct $n { float a; }; struct $n { float a; };"),
    ]),
    compile("parameter_redeclared_in_the_body", "4.2.2").desktop(120, 460).es(300, 320).by(&[
        declare(Either, "void $n(float a) { float a = 1.0; acc.x = a; }"),
        declare(Either, "void $n(float a) { vec2 a; }"),
    ]),
    compile("loop_variable_redeclared_in_the_body", "4.2.2").everywhere().by(&[
        state(Either, "for (int i = 0; i < 2; i++) { int i = 1; acc.x = float(i); }"),
        state(Either, "while (bool b = acc.x > 9.0) { float b = 1.0; acc.x = b; }"),
        state(Either, "for (int i = 0; bool i = acc.x > 9.0; ) { acc.x = 1.0; }"),
    ]),
    valid("loop_variable_hidden_in_the_body", "4.2.2").everywhere().by(&[
        state(Either, "for (int i = 0; i < 2; i++) { { float i = 1.0; acc.x = i; } }"),
        state(Either, "float $n = 1.0; for (int i = 0; i < 2; i++) { int $n = 1; } acc.x = $n;"),
    ]),
    compile("declaration_as_the_body", "6.3").everywhere().by(&[
        state(Either, "if (acc.x > 1.0) uniform float $n;"),
        state(Either, "while (false) struct $n;"),
    ]),
    compile("missing_semicolon_or_brace", "9").everywhere().by(&[
        state(Either, "acc.x = 1.0 acc.y = 1.0;"),
        state(Either, "if (acc.x > 1.0 { acc.y = 1.0; }"),
        declare(Either, "float $n"),
        state(Either, "acc.x = ;"),
    ]),
    compile("goto_or_label", "6.4")
        .everywhere()
        .by(&[state(Either, "goto $n;"), state(Either, "$n: acc.x = 1.0;")]),
    valid("inner_scopes_hide_names", "4.2.2").everywhere().by(&[
        state(Either, "float $n = 1.0; { vec2 $n = vec2(2.0); acc.xy += $n; } acc += $n;"),
        one(Either, "float $n;", "vec2 $n = vec2(1.0); acc.xy += $n;"),
        state(
            Either,
            "for (int i = 0; i < 2; i++) { for (int i = 0; i < 2; i++) { acc += 1.0; } }",
        ),
    ]),
];
