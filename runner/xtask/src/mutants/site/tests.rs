//! Sites found in small pieces of code, and their mutants.

use crate::mutants::instrument::instrument;
use crate::mutants::site::find;

/// `kind: original → mutated` for each mutant of the text.
fn found(text: &str) -> Vec<String> {
    let (sites, _) = find(text).unwrap();
    let line = |site: &crate::mutants::site::Site| {
        format!("{}: {} → {}", site.kind, site.original, site.mutated)
    };
    sites.iter().map(line).collect()
}

/// Mutants of one expression; the function around it has none.
#[track_caller]
fn check(expression: &str, expected: &[&str]) {
    let text = format!("fn f() -> T {{ {expression} }}");
    let found = found(&text);
    assert_eq!(found, expected);
    // With all mutants together, it is still an expression.
    let (sites, _) = find(&text).unwrap();
    let numbered: Vec<_> = (1..).zip(&sites).collect();
    let made = instrument(&text, &numbered, "ir::mutant").text;
    syn::parse_file(&made).unwrap_or_else(|error| panic!("{made}: {error}"));
}

#[test]
fn every_comparison_has_a_neighbour() {
    check("a < b", &["comparison: a < b → a <= b"]);
    check("a <= b", &["comparison: a <= b → a < b"]);
    check("a > b", &["comparison: a > b → a >= b"]);
    check("a >= b", &["comparison: a >= b → a > b"]);
    check("a == b", &["comparison: a == b → a != b"]);
    check("a != b", &["comparison: a != b → a == b"]);
}

#[test]
fn every_operator_has_an_opposite() {
    check("a + b", &["arithmetic: a + b → a - b"]);
    check("a - b", &["arithmetic: a - b → a + b"]);
    check("a * b", &["arithmetic: a * b → a / b"]);
    check("a / b", &["arithmetic: a / b → a * b"]);
    check("a % b", &["arithmetic: a % b → a / b"]);
    check("a & b", &["bits: a & b → a | b"]);
    check("a << b", &["bits: a << b → a >> b"]);
    check("a && b", &["logic: a && b → a || b"]);
    check("a || b", &["logic: a || b → a && b"]);
    check("!a", &["not: !a → a"]);
    check("-a", &[]);
}

#[test]
fn literals_are_off_by_one_or_turned_round() {
    check("7u32", &["number: 7u32 → 8u32", "number: 7u32 → 6u32"]);
    check("0", &["number: 0 → 1"]);
    check("true", &["boolean: true → false"]);
    check("[0; 4]", &["number: 0 → 1"]);
    check("a.0", &[]);
    check("Some(a)", &["some: Some(a) → None"]);
}

#[test]
fn methods_are_exchanged_and_their_arguments_lost() {
    check("a.min(b)", &["opposite: a.min(b) → a.max(b)"]);
    check("a.filter(|x| x.y)", &["filter: x.y → true"]);
    check("a.chain(b)", &["chain: b → nothing"]);
    check("a.rev()", &["rev: a → a.rev()"]);
    check("a.is_empty()", &["question: a.is_empty() → !a.is_empty()"]);
    check("a.any(b)", &["opposite: a.any(b) → a.all(b)", "question: a.any(b) → !a.any(b)"]);
}

#[test]
fn conditions_are_turned_round_unless_they_bind() {
    check("if a { b } else { c }", &["condition: a → !(a)"]);
    check("if let A = a { b } else { c }", &[]);
    check("if let A = a && b == c { b } else { c }", &["comparison: b == c → b != c"]);
    check("match a { B if c => d, E => f }", &["guard: c → !(c)"]);
}

#[test]
fn statements_are_left_out_and_bodies_cut() {
    check("{ a.push(b); c }", &["statement: a.push(b); → left out"]);
    check("{ a(b)?; c }", &["statement: a(b)?; → left out"]);
    check("{ a = b; c }", &["statement: a = b; → left out"]);
    check("{ let a = b; c }", &[]);
    check("{ return a; }", &[]);
    let bodies = |output| found(&format!("fn f() {output} {{ a }}"));
    assert_eq!(bodies(""), ["body: fn f() → return;"]);
    assert_eq!(
        bodies("-> bool"),
        ["body: fn f() -> bool → return true;", "body: fn f() -> bool → return false;"]
    );
    assert_eq!(bodies("-> Result<(), E>"), ["body: fn f() -> Result<(), E> → return Ok(());"]);
    assert_eq!(bodies("-> Result<A, E>"), Vec::<String>::new());
    assert_eq!(bodies("-> Option<A>"), ["body: fn f() -> Option<A> → return None;"]);
}

#[test]
fn what_is_no_product_code_or_constant_is_left_out() {
    let nothing = Vec::<String>::new();
    assert_eq!(found("#[cfg(test)] mod tests { fn f() -> T { a < b } }"), nothing);
    assert_eq!(found("#[cfg(all(test, unix))] mod tests { fn f() -> T { a < b } }"), nothing);
    assert_eq!(found("#[test] fn f() { a < b; }"), nothing);
    assert_eq!(found("const fn f() -> bool { a < b }"), nothing);
    assert_eq!(found("const A: usize = 1 + 2; static B: [u8; 3] = [1; 3];"), nothing);
    assert_eq!(found("fn f() -> T { match a { 1..=3 => b, _ => c } }"), nothing);
    assert_eq!(found("fn f() -> T { assert!(a < b) }"), nothing);
    assert_eq!(found("enum A { B = 1 } #[a(1)] struct C;"), nothing);
    let (_, modules) = find("mod a; #[cfg(test)] mod b; pub mod c; mod d {}").unwrap();
    assert_eq!(modules, ["a", "c"]);
}

#[test]
fn mutants_inside_each_other_are_chosen_one_by_one() {
    let text = "fn f() -> T { a + b < c.min(1) }";
    let (sites, _) = find(text).unwrap();
    let chosen: Vec<_> = (1..)
        .zip(&sites)
        .filter(|(_, site)| ["comparison", "arithmetic", "opposite"].contains(&site.kind))
        .collect();
    let made = instrument(text, &chosen, "ir::mutant");
    assert_eq!(
        made.text,
        "fn f() -> T { (if ir::mutant::is(1) { (a + b <= c.min(1)) } else { (\
         (if ir::mutant::is(2) { (a - b) } else { (a + b) }) < \
         (if ir::mutant::is(3) { (c.max(1)) } else { (c.min(1)) })) }) }"
    );
    for (number, place) in made.places {
        assert!(made.text[place].starts_with(&format!("(if ir::mutant::is({number})")));
    }
}

#[test]
fn mutants_name_the_module_that_selects_them() {
    let text = "fn f() -> T { a.rev() }";
    let (sites, _) = find(text).unwrap();
    assert_eq!(
        instrument(text, &[(7, &sites[0])], "crate::mutant").text,
        "fn f() -> T { crate::mutant::reversed_if(crate::mutant::is(7), a).rev() }"
    );
}

#[test]
fn a_cut_body_stands_before_what_the_function_begins_with() {
    let text = "fn f() -> bool {a < b}";
    let (sites, _) = find(text).unwrap();
    let numbered: Vec<_> = (1..).zip(&sites).collect();
    assert_eq!(
        instrument(text, &numbered, "ir::mutant").text,
        "fn f() -> bool { if ir::mutant::is(1) { return true; } \
         if ir::mutant::is(2) { return false; }\
         (if ir::mutant::is(3) { (a <= b) } else { (a < b) })}"
    );
}

#[test]
fn a_mutant_is_named_by_its_type_and_function() {
    let text = "impl A<B> { fn f() { a < b; } } fn g() { fn h() { a < b; } a > b; }";
    let (sites, _) = find(text).unwrap();
    let compared = sites.iter().filter(|site| site.kind == "comparison");
    let within: Vec<_> = compared.map(|site| site.within.as_str()).collect();
    assert_eq!(within, ["A<B>::f", "g::h", "g"]);
}
