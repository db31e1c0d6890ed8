//! Cases: their parser, and all steps from their text to a plan.

use interstage::case::parse::{CaseError, ParsedCase, split};
use interstage::case::{Case, Dialect};
use interstage::link::LinkError;
use interstage::plan::topology::ProvokingVertex;
use interstage::prepare::{self, Linking};
use interstage::{offer, plan};

use super::{check_messages, check_span};

/// Maximum number of cases of one file that are parsed: its parameters may give thousands.
const CASES: usize = 3;

/// Maximum number of cases of one file that are planned.
const PLANS: usize = 1;

/// Parses a file in each dialect.
pub(super) fn case(input: &[u8]) {
    for dialect in [Dialect::Interstage, Dialect::Piglit] {
        for unread in split("fuzz.shader_test", input, dialect).iter().take(CASES) {
            check_parsed(&unread.read());
        }
    }
}

/// Checks the messages about a case, whether it could be parsed or not.
pub(super) fn check_parsed(parsed: &ParsedCase) {
    match &parsed.result {
        Ok(case) => check_messages(&case.source, &case.warnings),
        Err(CaseError::Broken(errors)) => {
            assert!(!errors.is_empty(), "a case is broken, and nothing says why");
            check_messages(&parsed.source, errors);
        }
        Err(CaseError::Unsupported { word, span }) => check_span(&parsed.source, *span, word),
        Err(CaseError::Excluded { reason }) => assert!(!reason.is_empty(), "{}", parsed.name),
    }
}

/// Parses, compiles, links and plans the first case of a file.
pub(super) fn plan(input: &[u8]) {
    for dialect in [Dialect::Interstage, Dialect::Piglit] {
        for unread in split("fuzz.shader_test", input, dialect).iter().take(PLANS) {
            if let Ok(case) = unread.read().result {
                plan_case(&case);
            }
        }
    }
}

fn plan_case(case: &Case) {
    let rules = prepare::AdapterRules::default();
    let limits = offer::gl_limits(None, case);
    let Ok(compiled) = prepare::compile_for(case, &limits) else { return };
    let Ok(linking) = compiled.link(case, rules, prepare::first_profile(case)) else { return };
    match linking {
        Linking::Done(programs) => {
            // An error belongs to one of the case's steps and is not a finding.
            drop(plan::plan(case, &programs, ProvokingVertex::First));
        }
        Linking::Failed(LinkError::Invalid { message, .. }) => {
            panic!("a linked module is wrong: {message}")
        }
        Linking::Failed(LinkError::Refused(errors) | LinkError::Forbidden(errors)) => {
            check_messages(&case.source, &errors);
        }
        Linking::Failed(
            LinkError::NoRoom(_) | LinkError::NoWideTypes { .. } | LinkError::Unsupported { .. },
        ) => {}
    }
}
