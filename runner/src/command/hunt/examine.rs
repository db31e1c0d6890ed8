//! Examines a failed program: does it have a fault that is known? If not, it is reduced and becomes a fault of its own.

use std::collections::{BTreeSet, HashMap};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use generate::programs::Draft;
use regex::Regex;

use super::folder::{self, Material};
use super::log::{Batch, Fault, Line, Log};
use super::report;
use super::runs::Runs;
use super::shrink::{Shrunk, shrink};
use super::signature::Signature;
use super::source::{self, Source, Subject};
use super::totals::Totals;
use crate::args::{HuntOptions, PoolOptions, ReduceOptions};
use crate::command::reduce::Original;
use crate::command::reduce::trial::{Trial, is_pass};
use crate::outcome::status::Status;

/// Maximum number of doublings of the distance between examined failures of one signature.
const MOST_DOUBLINGS: u32 = 10;

/// Maximum number of operations of a fault that are left out to recognise it.
const MOST_MASKS: usize = 3;

/// Names of called functions in a shader, for variants of cases, which have no list of features.
static CALLED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(\w+)\s*\(|\b(Op\w+)").expect("the pattern is a constant"));

/// Words before a parenthesis that are no functions.
const KEYWORDS: [&str; 6] = ["if", "for", "while", "switch", "main", "layout"];

/// Results of examined failures. The more of a signature had known faults, the fewer are examined.
#[derive(Debug, Default)]
struct Verdicts(HashMap<Signature, Row>);

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// Number of failures.
    seen: u64,
    /// Number of examined failures since the last new fault.
    known: u32,
}

impl Verdicts {
    /// True if the next failure of the signature is to be examined.
    fn wants(&mut self, signature: &Signature) -> bool {
        let row = self.0.entry(signature.clone()).or_default();
        row.seen += 1;
        (row.seen - 1).is_multiple_of(1 << row.known.min(MOST_DOUBLINGS))
    }

    fn ended(&mut self, signature: &Signature, is_new: bool) {
        let row = self.0.entry(signature.clone()).or_default();
        row.known = if is_new { 0 } else { row.known + 1 };
    }
}

/// Examines failures, and writes down what is new.
#[derive(Debug)]
pub(super) struct Examiner {
    pub(super) runs: Runs,
    pub(super) log: Log,
    pub(super) totals: Totals,
    /// Number of faults that this hunt has found.
    pub(super) new: usize,
    /// Names of cases that are broken without a variant as well.
    pub(super) broken: BTreeSet<String>,
    verdicts: Verdicts,
    folder: PathBuf,
    reduce_time: Duration,
}

impl Examiner {
    pub(super) fn new(runs: Runs, log: Log, totals: Totals, options: &HuntOptions) -> Self {
        let (folder, reduce_time) = (options.output.clone(), options.reduce_time);
        let (verdicts, broken) = (Verdicts::default(), BTreeSet::new());
        Self { runs, log, totals, new: 0, broken, verdicts, folder, reduce_time }
    }

    /// Counts a result in the batch. A failure with a new fault becomes a folder.
    pub(super) fn examine(
        &mut self,
        subject: &Subject<'_>,
        batch: &mut Batch,
    ) -> anyhow::Result<()> {
        let target = &subject.adapter.title;
        let is_random = !subject.is_variant();
        let is_broken = self.is_broken(subject)?;
        let tally = batch.tallies.entry(target.clone()).or_default();
        if is_broken {
            tally.skipped += 1;
            return Ok(());
        }
        let is_failure = tally.count(subject.result, is_random);
        let signature = Signature::of(target, subject.result);
        let Some(signature) = signature.filter(|_| is_failure) else { return Ok(()) };
        let draft = subject.source.draft(subject.number);
        let original = Original::of(subject.case.clone())?;
        let mut trial = self.trial(subject, &original)?;
        if let Some(name) = self.known(&signature, subject.source, draft.as_ref(), &mut trial)? {
            *batch.again.entry(name).or_default() += 1;
            return Ok(());
        }
        let tally = batch.tallies.entry(target.clone()).or_default();
        if signature.is_value && !self.verdicts.wants(&signature) {
            tally.unexamined += 1;
            return Ok(());
        }
        let Some(shrunk) = self.shrunk(&mut trial, draft.as_ref(), &original.text)? else {
            tally.passed_again += 1;
            return Ok(());
        };
        let features = by_rarity(subject.source, shrunk.features);
        let same = self.faults_of(&signature).find(|fault| is_same(&fault.features, &features));
        let same = match same {
            Some(fault) => Some(fault.name.clone()),
            // The whole program may have had other faults, too.
            None => self.known(&signature, subject.source, shrunk.draft.as_ref(), &mut trial)?,
        };
        if let Some(name) = same {
            *batch.again.entry(name).or_default() += 1;
            self.verdicts.ended(&signature, false);
            return Ok(());
        }
        self.verdicts.ended(&signature, true);
        let fault = Fault {
            name: name(self.totals.faults.len() + 1, &features),
            signature,
            features,
            source: subject.source.name().to_owned(),
            number: subject.number,
            lines: shrunk.text.lines().count(),
        };
        let (text, original) = (shrunk.text.as_str(), &original);
        let material = Material { subject, fault: &fault, text, original };
        folder::write(&self.runs, &self.folder, &material)?;
        self.log.append(&Line::Found(fault.clone()))?;
        say(&format!("new: {}: {}", fault.name, report::title(&fault)))?;
        self.totals.faults.push(fault);
        self.new += 1;
        Ok(())
    }

    /// True for a variant of a case that is broken itself. The first time, prints why.
    fn is_broken(&mut self, subject: &Subject<'_>) -> anyhow::Result<bool> {
        if !subject.is_variant() || subject.result.status != Status::Broken {
            return Ok(false);
        }
        let name = &subject.case.name;
        if self.broken.contains(name) {
            return Ok(true);
        }
        let original =
            self.runs.run_on(subject.adapter, subject.case, &self.runs.pool_for(None))?;
        let Some(original) = original.filter(|original| original.status == Status::Broken) else {
            return Ok(false);
        };
        let reason = original.outcome.reason().unwrap_or_default();
        let reason = reason.lines().next().unwrap_or_default();
        say(&format!("note: {name} cannot be varied, because it is broken: {reason}"))?;
        self.broken.insert(name.clone());
        Ok(true)
    }

    fn faults_of(&self, signature: &Signature) -> impl Iterator<Item = &Fault> {
        self.totals.faults.iter().filter(move |fault| fault.signature == *signature)
    }

    /// The known fault of a program: the one with its signature, or for wrong values one without whose rare operations
    /// it passes.
    fn known(
        &self,
        signature: &Signature,
        source: &Source,
        draft: Option<&Draft>,
        trial: &mut Trial,
    ) -> anyhow::Result<Option<String>> {
        if !signature.is_value || self.reduce_time.is_zero() {
            return Ok(self.faults_of(signature).next().map(|fault| fault.name.clone()));
        }
        let Some(draft) = draft else { return Ok(None) };
        let own = draft.features();
        let (mut names, mut texts) = (Vec::new(), Vec::new());
        for fault in self.faults_of(signature) {
            for operation in rare(source, fault) {
                if own.contains(&operation) {
                    names.push(fault.name.clone());
                    texts.push(draft.without_operations(&BTreeSet::from([operation])).case());
                }
            }
        }
        if texts.is_empty() {
            return Ok(None);
        }
        let outcomes = trial.run(&texts.iter().map(String::as_str).collect::<Vec<_>>())?;
        let passing = names.into_iter().zip(outcomes).find(|(_, outcome)| is_pass(outcome));
        Ok(passing.map(|(name, _)| name))
    }

    fn shrunk(
        &self,
        trial: &mut Trial,
        draft: Option<&Draft>,
        text: &str,
    ) -> anyhow::Result<Option<Shrunk>> {
        if self.reduce_time.is_zero() {
            let (text, features) = (text.to_owned(), BTreeSet::new());
            return Ok(Some(Shrunk { text, features, draft: draft.cloned() }));
        }
        let deadline = Instant::now() + self.reduce_time;
        let shrunk = shrink(trial, draft, text, deadline)?;
        Ok(shrunk.map(|shrunk| match draft {
            Some(_) => shrunk,
            None => Shrunk { features: called(&shrunk.text), ..shrunk },
        }))
    }

    /// Runs smaller programs on the adapter of the failure.
    fn trial(&self, subject: &Subject<'_>, original: &Original) -> anyhow::Result<Trial> {
        let Subject { adapter, pool, .. } = subject;
        let options = ReduceOptions {
            case: original.planned.file.clone().into(),
            loose: false,
            oracle: subject.is_variant(),
            against: None,
            output: None,
            pool: PoolOptions { adapter: Some(adapter.selector()), ..(*pool).clone() },
            script: self.runs.script.clone(),
        };
        Trial::new(&options, original.planned.clone(), original.dialect)
    }
}

/// Prints a line to stderr.
pub(super) fn say(line: &str) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stderr(), "{line}")?)
}

/// Features: operations before constructs, and of both the rarest of the kind of programs first. A construct may be left
/// because it holds what fails.
fn by_rarity(source: &Source, features: BTreeSet<String>) -> Vec<String> {
    let mut features: Vec<_> = features.into_iter().collect();
    features.sort_by_key(|name| (!is_operation(name), source.uses(name)));
    features
}

/// Words behind the `of` of an operation: the kinds of numbers.
const NUMBERS: [&str; 9] =
    ["bool", "int", "uint", "float", "inexact", "int64", "uint64", "double", "half"];

/// True for an operation on a kind of numbers, such as `abs of uint` or `conversion of int to bool`.
fn is_operation(feature: &str) -> bool {
    let kind = feature.rsplit_once(" of ").and_then(|(_, rest)| rest.split(' ').next());
    kind.is_some_and(|kind| NUMBERS.contains(&kind))
}

/// The rarest operation of a fault, and others that are rare. Without one of them, programs with this fault pass.
fn rare(source: &Source, fault: &Fault) -> Vec<String> {
    let operations = fault.features.iter().filter(|name| is_operation(name));
    let all = operations.enumerate();
    let rare = all.filter(|(at, name)| *at == 0 || source.uses(name) <= source::SAMPLE / 3);
    rare.take(MOST_MASKS).map(|(_, name)| name.clone()).collect()
}

/// Features that say where something happens, and not what. A smaller program may keep any of them.
const PLACES: [&str; 18] = [
    "16 elements of a storage buffer",
    "barrier",
    "block of varyings",
    "call",
    "capture",
    "changed parameter",
    "changed parameter passed on",
    "composite varying",
    "compute stage",
    "geometry stage",
    "half",
    "private variable",
    "result of an atomic operation",
    "several draws",
    "structure",
    "tessellation control stage",
    "tessellation evaluation stage",
    "workgroup memory",
];

/// True if two reduced programs have the same fault: one uses nothing that the other does not use.
fn is_same(one: &[String], other: &[String]) -> bool {
    let what = |all: &[String]| -> BTreeSet<String> {
        all.iter().filter(|name| !PLACES.contains(&name.as_str())).cloned().collect()
    };
    let (one, other) = (what(one), what(other));
    let is_in = |some: &BTreeSet<_>, all| !some.is_empty() && some.is_subset(all);
    one == other || is_in(&one, &other) || is_in(&other, &one)
}

/// The functions and instructions in a case.
fn called(text: &str) -> BTreeSet<String> {
    let names = CALLED.captures_iter(text).filter_map(|found| found.get(1).or(found.get(2)));
    let names = names.map(|name| name.as_str().to_owned());
    names.filter(|name| !KEYWORDS.contains(&name.as_str())).collect()
}

/// Name of the folder of a fault: a number, and what its program uses.
fn name(number: usize, features: &[String]) -> String {
    let is_named = |feature: &&String| feature.contains(char::is_alphabetic);
    let chosen = features.iter().find(is_named).or(features.first());
    let words = chosen.map_or("fault", String::as_str);
    let plain: String =
        words.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '_' }).collect();
    let plain = plain.split('_').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_");
    let plain = if plain.is_empty() { "fault".to_owned() } else { plain.to_lowercase() };
    format!("{number:03}_{plain}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn programs_have_one_fault_if_one_uses_what_the_other_uses() {
        let [abs, both, other] = [&["abs"][..], &["abs", "if"], &["min"]].map(features);
        assert!(is_same(&abs, &both) && is_same(&both, &abs) && is_same(&abs, &abs));
        assert!(!is_same(&abs, &other));
        assert!(is_same(&[], &[]) && !is_same(&[], &abs));
        let [here, there] = [&["abs", "call"][..], &["compute stage", "abs"]].map(features);
        assert!(is_same(&here, &there));
    }

    #[test]
    fn operations_have_kinds_of_numbers() {
        for name in ["abs of uint", "conversion of int64 to bool", "sin of inexact float"] {
            assert!(is_operation(name), "{name}");
        }
        for name in ["texel", "size of a texture", "result of an atomic operation", "if"] {
            assert!(!is_operation(name), "{name}");
        }
    }

    #[test]
    fn few_failures_are_examined_where_many_were_known() {
        let signature =
            Signature { target: "gl".to_owned(), kind: "wrong value".to_owned(), is_value: true };
        let mut verdicts = Verdicts::default();
        let mut examined = Vec::new();
        for number in 0..16 {
            if verdicts.wants(&signature) {
                examined.push(number);
                verdicts.ended(&signature, false);
            }
        }
        assert_eq!(examined, [0, 2, 4, 8]);
        verdicts.ended(&signature, true);
        assert!(verdicts.wants(&signature));
    }

    #[test]
    fn folders_are_named_by_an_operation() {
        assert_eq!(name(7, &features(&["<<", "abs of int"])), "007_abs_of_int");
        assert_eq!(name(12, &features(&["array"])), "012_array");
        assert_eq!(name(1, &[]), "001_fault");
    }

    #[test]
    fn variants_are_told_apart_by_what_they_call() {
        let text = "void main() { if (x) y = max(a, sin (b)); }\n%1 = OpIAdd %2 %3";
        let found: Vec<_> = called(text).into_iter().collect();
        assert_eq!(found, ["OpIAdd", "max", "sin"]);
    }
}
