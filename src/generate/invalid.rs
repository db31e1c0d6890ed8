//! Random programs that break at most one rule of a table.
//!
//! A case starts from a random valid program ([`base`]) of a random version and breaks one rule of the table
//! ([`rules`]) in one of its ways (`apply`). Its comment names the rule and the right verdict. Every file ends with
//! `link success`, so an invalid program is one whose case fails: a compile error cannot be expected in piglit's
//! format. As the fault is known, three verdicts can be compared: this table's, interstage's, and that of piglit's
//! `shader_runner` (`cargo xtask invalid`).

pub mod apply;
pub mod base;
pub mod program;
pub mod rule;
pub mod rules;
pub mod types;
pub mod version;

use fastrand::Rng;

use crate::invalid::apply::apply;
use crate::invalid::base::Output;
use crate::invalid::program::Stage;
use crate::invalid::rule::{Rule, Verdict};
use crate::invalid::version::{Range, Version};

/// A random program with its expected verdict.
#[derive(Clone, Debug)]
pub struct Invalid {
    /// The broken rule, if any.
    pub rule: Option<&'static Rule>,
    /// Version of its shaders.
    pub version: Version,
    /// The right verdict.
    pub verdict: Verdict,
    /// Text of the case.
    pub text: String,
}

/// One in this many programs breaks no rule.
const VALID_EVERY: u64 = 8;

/// Program for `seed`. It breaks `rule`; if that is none, a random rule or none.
pub fn program(seed: u64, rule: Option<&'static Rule>) -> Invalid {
    let mut rng = Rng::with_seed(seed);
    let rules: Vec<&Rule> = rules::all().collect();
    let any = (rng.u64(0..VALID_EVERY) > 0).then(|| rules[rng.usize(0..rules.len())]);
    breaking(seed, rule.or(any), &mut rng)
}

fn breaking(seed: u64, rule: Option<&'static Rule>, rng: &mut Rng) -> Invalid {
    let everywhere = Range { desktop: Some((110, 460)), es: Some((100, 320)) };
    let version = loop {
        let range = rule.map_or(everywhere, |rule| rule.range);
        let version = Version::random(range, rng).expect("every rule holds somewhere");
        if rule.is_none_or(|rule| rule.holds(version)) {
            break version;
        }
    };
    let output = if rule.is_some_and(|rule| rule.is_bare) { Output::None } else { Output::Any };
    let anything: &[Stage] = &[];
    let between = match rule {
        Some(rule) => rule.between,
        None => rng.bool().then_some(anything),
    };
    let mut program = base::program(version, output, between, rng);
    let place = rule.map_or_else(String::new, |rule| apply(rule, &mut program, rng));
    let verdict = rule.map_or(Verdict::Valid, |rule| rule.verdict);
    let (name, section) = rule.map_or(("none", "-"), |rule| (rule.name, rule.section));
    let text = format!(
        "# A random program: `interstage generate invalid --seed {seed}`.\n\
         # rule: {name}\n# section: {section}\n# version: {version}\n# verdict: {verdict}\n# place: {place}\n\n{}",
        program.text(),
    );
    Invalid { rule, version, verdict, text }
}

/// Case text of `program`.
pub fn case(seed: u64, rule: Option<&'static Rule>) -> String {
    program(seed, rule).text
}
