//! Detects lines of `[expect]` for the same adapter: only one of them can be right.

use super::Subject;
use crate::{AdapterPattern, ExpectedOutcome};
use ir::diagnostic::Diagnostic;

/// Reports each line whose adapters include, or are among, those of an earlier line.
///
/// Two patterns match the same adapter if one of them is `any`, or if one contains all parts of the other. Patterns
/// with different texts may match the same adapter too, but only an adapter shows that.
pub(super) fn search(subject: &Subject<'_>) -> Vec<Diagnostic> {
    let lines = &subject.case.expected;
    let report = |(idx, line): (usize, &ExpectedOutcome)| {
        let is_same = |other: &&ExpectedOutcome| are_of_one(&other.adapter, &line.adapter);
        let earlier = lines[..idx].iter().find(is_same)?;
        let (number, _) = subject.case.source.line_and_column(earlier.span.start);
        let message = format!("line {number} is about the same adapters");
        let help =
            "a case goes wrong in one way on an adapter: keep one line, or name what differs";
        Some(Diagnostic::error(line.span, message).with_help(help))
    };
    lines.iter().enumerate().filter_map(report).collect()
}

fn are_of_one(one: &AdapterPattern, other: &AdapterPattern) -> bool {
    match (one, other) {
        (AdapterPattern::Any, _) | (_, AdapterPattern::Any) => true,
        (AdapterPattern::Has(one), AdapterPattern::Has(other)) => {
            one.iter().all(|part| other.contains(part))
                || other.iter().all(|part| one.contains(part))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::parse_adapter_pattern;

    use super::*;

    #[test]
    fn patterns_are_of_one_adapter_if_one_has_all_parts_of_the_other() {
        let check = |one: &str, other: &str, expected: bool| {
            let [first, second] =
                [one, other].map(|text| parse_adapter_pattern(text).expect("is a pattern"));
            assert_eq!(are_of_one(&first, &second), expected, "{one} / {other}");
            assert_eq!(are_of_one(&second, &first), expected, "{other} / {one}");
        };
        check("any", "\"a\"", true);
        check("any", "any", true);
        check("\"a\"", "\"A\"", true);
        check("\"a\"", "\"b\" and \"a\"", true);
        check("\"a\" and \"b\"", "\"b\" and \"a\"", true);
        check("\"a\" and \"b\"", "\"b\" and \"c\"", false);
        check("\"a\"", "\"b\"", false);
        check("\"mesa\" < 23", "\"mesa\" >= 23", false);
        check("\"mesa\" < 23", "\"mesa\" < 23 and \"gl\"", true);
    }
}
