//! Random programs that break a rule are rejected; those that break none link.

use std::collections::BTreeSet;

use generate::invalid::rule::{Rule, Verdict};
use generate::invalid::version::Version;
use generate::invalid::{program, rules};
use interstage::case::Dialect;
use interstage::case::parse::parse;
use interstage::check::Goldens;
use interstage::check::verdict::Verdict as Outcome;
use interstage::run_case;

use super::run::sample;

/// Number of programs among which every rule must occur.
const PROGRAMS: u64 = 10_000;

/// Number of linked programs per rule.
const OF_EACH_RULE: u64 = 6;

/// Result of linking a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Linked {
    Accepted,
    Refused,
    /// The program uses something that interstage does not support.
    Unsupported,
}

fn link(text: &str) -> Linked {
    let parsed = parse("generated", text.as_bytes(), Dialect::Piglit).remove(0);
    let Ok(case) = parsed.result else { return Linked::Unsupported };
    match run_case(&case, None, &Goldens::default()).verdict {
        Outcome::Pass => Linked::Accepted,
        Outcome::Fail(_) => Linked::Refused,
        Outcome::Unsupported(_)
        | Outcome::Undecided(_)
        | Outcome::Untested(_)
        | Outcome::Skip(_) => Linked::Unsupported,
        Outcome::Broken(problems) => panic!("a broken case, {problems:?}:\n{text}"),
    }
}

#[test]
fn equal_seeds_make_equal_programs() {
    for seed in 0..100 {
        assert_eq!(program(seed, None).text, program(seed, None).text);
    }
    let texts: BTreeSet<_> = (0..100).map(|seed| program(seed, None).text).collect();
    assert_eq!(texts.len(), 100, "and others make others");
}

#[test]
fn every_rule_is_broken_by_some_seed() {
    let made = (0..PROGRAMS).filter_map(|seed| program(seed, None).rule);
    let made: BTreeSet<&str> = made.map(|rule| rule.name).collect();
    let missing: Vec<_> = rules::all().filter(|rule| !made.contains(rule.name)).collect();
    assert!(missing.is_empty(), "{:?}", missing.iter().map(|rule| rule.name).collect::<Vec<_>>());
}

#[test]
fn every_rule_is_complete() {
    let mut names = BTreeSet::new();
    for rule in rules::all() {
        let is_snake =
            |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
        assert!(rule.name.chars().all(is_snake), "{}", rule.name);
        assert!(names.insert(rule.name), "{} stands twice", rule.name);
        let section = rule.section.strip_prefix("ES ").unwrap_or(rule.section);
        assert!(
            section.split('.').all(|part| part.parse::<u8>().is_ok()),
            "{}: {section}",
            rule.name
        );
        assert!(Version::all().any(|version| rule.holds(version)), "{} holds nowhere", rule.name);
        for (idx, way) in rule.ways.iter().enumerate() {
            let holds = |version| rule.holds(version) && way.is_in(version);
            assert!(Version::all().any(holds), "way {idx} of {} is in no version", rule.name);
        }
    }
    let breaches = rules::all().filter(|rule| rule.verdict != Verdict::Valid).count();
    assert!(breaches >= 530, "{breaches} rules");
}

#[test]
fn what_is_accepted_is_explained() {
    let guide = include_str!("../../../docs/invalid-programs.md");
    for rule in rules::all().filter(|rule| !rule.leniency.is_empty()) {
        assert!(guide.contains(&format!("| `{}` |", rule.name)), "{}", rule.name);
    }
}

#[test]
fn programs_that_break_no_rule_link() {
    let valid = (0..PROGRAMS).map(|seed| program(seed, None)).filter(|it| it.rule.is_none());
    let mut linked = 0;
    for program in valid.take(200) {
        match link(&program.text) {
            Linked::Accepted => linked += 1,
            Linked::Refused => panic!("refused:\n{}", program.text),
            Linked::Unsupported => {}
        }
    }
    assert!(linked >= 190, "only {linked} are supported");
}

#[test]
fn programs_that_break_a_rule_are_refused() {
    let mut wrong = Vec::new();
    for rule in rules::all() {
        let accepted = accepted(rule);
        let is_wrong = match rule.verdict {
            Verdict::Valid => accepted.refused > 0,
            Verdict::CompileError | Verdict::LinkError => accepted.accepted > 0,
        };
        if is_wrong && rule.leniency.is_empty() {
            wrong.push(format!("{}: {accepted:?}", rule.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Results for the programs of a rule.
#[derive(Debug, Default)]
struct Count {
    accepted: usize,
    refused: usize,
    /// A seed whose program was accepted; if there is none, one whose program was rejected.
    seed: Option<u64>,
}

fn accepted(rule: &'static Rule) -> Count {
    let mut count = Count::default();
    // Every rule has its own seeds; otherwise all would have the same versions and places.
    let first = 1000 * rule.name.bytes().map(u64::from).sum::<u64>();
    for seed in first..first + sample(OF_EACH_RULE) {
        match link(&program(seed, Some(rule)).text) {
            Linked::Accepted => {
                count.accepted += 1;
                count.seed = Some(seed);
            }
            Linked::Refused => {
                count.refused += 1;
                count.seed = count.seed.or(Some(seed));
            }
            Linked::Unsupported => {}
        }
    }
    count
}
