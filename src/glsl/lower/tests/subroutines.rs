//! Subroutines, and code that is never reached.

use ir::stage::ShaderStage::Fragment;

use super::{error_of, function_of, tables};

const HEAD: &str = "subroutine float pick(float x); subroutine uniform pick u;
    subroutine(pick) float halved(float x) { return x * 0.5; }
    subroutine(pick) float same(float x) { return x; } ";

#[track_caller]
fn check_error(rest: &str, expected: &str) {
    assert_eq!(error_of("400", Fragment, &format!("{HEAD}{rest}")), expected);
}

#[test]
fn a_call_is_a_switch_over_the_functions_of_the_type() {
    let text = format!("{HEAD} float y; void main() {{ y = u(2.0); }}");
    let main = function_of("400", Fragment, &text, "main");
    assert!(main.contains("switch"), "{main}");
    assert_eq!((main.matches("halved(2f)").count(), main.matches("same(2f)").count()), (1, 1));
    let module = super::compiled("400", Fragment, &[&text]).expect("the stage compiles");
    let table = tables(&module);
    assert!(
        table.contains("fragment subroutine u Subroutine { functions: [\"halved\", \"same\"] }")
    );
}

#[test]
fn subroutines_are_only_called() {
    check_error("void main() { float y = u; }", "a subroutine cannot be used as a value [u]");
    check_error(
        "void main() { u(true); }",
        "the arguments do not match the parameters of the subroutine [u(true)]",
    );
    check_error("void main() { pick(1.0); }", "`pick` is not declared [pick]");
    check_error("subroutine uniform int v; void main() {}", "this is not a subroutine type [int]");
    check_error(
        "subroutine(pick) int other(float x) { return 1; } void main() {}",
        "the return type or parameters of `other` differ from those of the subroutine type `pick` [other]",
    );
    check_error(
        "subroutine uniform pick all[2]; void main() { all(1.0); }",
        "an array of subroutines cannot be called without an index [all(1.0)]",
    );
    check_error(
        "int a[2]; void main() { a[1](2); }",
        "only functions and types can be called [a[1]]",
    );
}

#[test]
fn what_is_never_reached_may_be_undefined_and_no_more() {
    let check = |body: &str, expected: &str| {
        assert_eq!(
            error_of("400", Fragment, &format!("void f(); void main() {{ {body} }}")),
            expected
        );
    };
    check("if (false) f();", "accepted");
    check("if (1 + 1 == 2) {} else f();", "accepted");
    check("if (true) f();", "`f` is declared but not defined [f()]");
    check("if (false) f(1);", "no overload of `f` accepts (int) [f]");
}
