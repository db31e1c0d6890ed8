//! Tests the labels of varyings without a location.

use crate::match_up::LinkRules;
use crate::notation::variables;
use ir::stage_module::LanguageRules;

use super::{Labels, match_up};

/// Checks the first labels of these varyings, by name.
#[track_caller]
fn check(text: &str, expected: &[(&str, u32)]) {
    let all = variables(text);
    let mut labels = Labels::of(&all, []);
    let found: Vec<_> =
        all.iter().map(|variable| (variable.name.as_str(), labels.of_variable(variable))).collect();
    assert_eq!(found, expected);
}

#[test]
fn free_labels_are_given_in_the_order_of_the_names() {
    check("vec4 c; vec4 a; vec2 b[2]", &[("c", 3), ("a", 0), ("b", 1)]);
    check("vec4 c; @1 vec4 x; vec2 b[2]; vec4 a", &[("c", 4), ("x", 1), ("b", 2), ("a", 0)]);
}

/// Every unread output is reported, including the first.
#[test]
fn unread_outputs_are_those_without_a_reader() {
    let rules = LinkRules::of_languages(LanguageRules::Wgsl, LanguageRules::Wgsl);
    let unread = |inputs: &str| match_up(&variables("vec4 a; vec4 b"), &variables(inputs), rules);
    let unread = |inputs: &str| unread(inputs).0.unread;
    assert_eq!(unread("vec4 b"), [0]);
    assert_eq!(unread("vec4 a"), [1]);
    assert_eq!(unread("vec4 a; vec4 b"), []);
}
