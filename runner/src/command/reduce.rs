//! `interstage reduce`: finds the smallest case that still has the same bug.
//!
//! *The same bug* is the same expectation with the same wrong value (`symptom`), in a case of the same kind (`shape`).
//! The algorithm is delta debugging (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002)
//! over `pieces`: notes, sections, lines, blocks in braces, statements. All attempts of a round run in parallel on the
//! workers. If several parts can each be removed alone, reduction then tries to remove them together.

mod output;
mod pieces;
mod shape;
pub(super) mod symptom;
pub(super) mod trial;

use interstage::ir::diagnostic::counted;
use std::collections::{BTreeSet, HashMap};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use interstage::case::Dialect;
use interstage::case::parse::CaseError;

use crate::args::{ReduceOptions, Selection};
use crate::exit::Exit;
use crate::files::case_file;
use crate::outcome::Outcome;
use crate::plan::{PlannedCase, plan};
use crate::project::{self, Settings};

use self::output::Output;
use self::pieces::{Composed, Piece, compose, cut, without};
use self::shape::Shape;
use self::symptom::{Precision, Symptom};
use self::trial::{Trial, copy_goldens, is_pass};

/// Maximum number of attempts for a case that hangs; each may take the whole time limit.
const SLOW_ATTEMPTS: usize = 80;

/// Bounds of the time limit of attempts for a case that hangs. The limit is a tenth of the usual one.
const SLOW_LIMITS: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(5)];

/// Maximum depth of blocks that are removed as a whole.
const DEPTH: usize = 3;

/// Divides pieces into units, each of which is removed as a whole.
type Divide = fn(&[Piece]) -> Vec<BTreeSet<usize>>;

/// A reduction.
struct Reduction<'a> {
    trial: &'a mut Trial,
    symptom: Symptom,
    shape: Shape,
    /// Maximum number of attempts.
    budget: usize,
    /// Time at which the reduction ends with what it has.
    deadline: Option<Instant>,
    /// Texts that were tried, and whether they have the bug.
    known: HashMap<String, bool>,
    /// Texts with the bug, each shorter than the previous one.
    accepted: Vec<Vec<Piece>>,
}

/// Writes or prints the smallest case.
pub fn reduce(options: &ReduceOptions) -> anyhow::Result<Exit> {
    let original = Original::of(the_case(options)?)?;
    let Original { planned, text, dialect, generated_from } = &original;
    if let Some(path) = options.output.as_deref().filter(|path| is_of_other_kind(path, planned)) {
        let extension = Path::new(&planned.file).extension().unwrap_or_default().display();
        bail!("{}: the reduced case has the format of `*.{extension}`", path.display());
    }
    let mut output = options.output.as_deref().map(Output::open).transpose()?;
    let mut trial = Trial::new(options, planned.clone(), *dialect)?;
    if let Some(name) = generated_from {
        // Undecided values are a failure only of cases that a person wrote, not of generated ones.
        refuse_harmless(&trial.run_file(name)?)?;
    }
    let precision = if options.loose { Precision::Loose } else { Precision::Exact };
    let symptom = symptom_of(&mut trial, text, precision)?;
    say(&format!("keeping: {symptom}"))?;
    let (reduced, symptom) = reduced(&mut trial, text, symptom, None)?;
    let [before, after] = [text, &reduced.text].map(|text| text.lines().count());
    let (before, attempts) = (counted(before, "line"), counted(trial.attempts, "attempt"));
    say(&format!("reduced {before} to {after} in {attempts}"))?;
    match &mut output {
        Some(output) => {
            output.write(&reduced.text)?;
            check_written(&trial, &original, output, &reduced, &symptom)?;
        }
        None => std::io::stdout().lock().write_all(reduced.text.as_bytes())?,
    }
    Ok(Exit::AsExpected)
}

/// True if the path has the file name extension of a different kind of file than the case.
fn is_of_other_kind(path: &Path, planned: &PlannedCase) -> bool {
    let is_known = |path: &Path| {
        let is_stage = path.to_str().is_some_and(case_file::is_stage);
        is_stage || case_file::is_case(path) || path.extension() == Some(case_file::WGSL.as_ref())
    };
    is_known(path) && path.extension() != Path::new(&planned.file).extension()
}

fn the_case(options: &ReduceOptions) -> anyhow::Result<PlannedCase> {
    let plan = plan(&Selection::of(std::slice::from_ref(&options.case)));
    if let Some(problem) = plan.problems.first() {
        bail!("{problem}");
    }
    match <[PlannedCase; 1]>::try_from(plan.cases) {
        Ok([case]) => Ok(case),
        Err(cases) => bail!(
            "{} has {}; name one of them, such as {}",
            options.case.display(),
            counted(cases.len(), "case"),
            cases.first().map_or("", |case| &case.name)
        ),
    }
}

/// The case to reduce.
pub(super) struct Original {
    pub(super) planned: PlannedCase,
    /// Text of the case, with parameters substituted.
    pub(super) text: String,
    pub(super) dialect: Dialect,
    /// Name of the entry points of a WGSL file or of the case of the shader library that the text was generated from,
    /// with the path.
    generated_from: Option<String>,
}

impl Original {
    /// The original of a planned case. For an entry point of a WGSL file, and for a case of the shader library, this is
    /// the case generated from it, as a separate file.
    pub(super) fn of(planned: PlannedCase) -> anyhow::Result<Self> {
        let explain = |message| anyhow!("{}: {message}", planned.file);
        let bytes = case_file::read(&planned.file).map_err(explain)?;
        let parameters = case_file::parameters_of(&planned.name);
        let dialect = project::identify(&planned.file)?.dialect;
        if parameters.is_empty() {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            return Ok(Self { planned, text, dialect, generated_from: None });
        }
        let case = case_file::parse_one(&planned.file, &bytes, &planned.name).map_err(explain)?;
        let case = case.context("the file changed while it was read")?;
        let is_library = case_file::is_shader_library(&planned.file);
        if !is_library && !case_file::is_wgsl(&planned.file) {
            let text = without_parameters(case.source.text());
            return Ok(Self { planned, text, dialect, generated_from: None });
        }
        let dialect = match &case.result {
            Ok(case) => case.dialect,
            Err(CaseError::Unsupported { word, .. }) => {
                bail!("{}: unsupported: {word}; only a failing case can be reduced", planned.name)
            }
            Err(CaseError::Excluded { reason }) => {
                bail!("{}: excluded: {reason}; only a failing case can be reduced", planned.name)
            }
            Err(CaseError::Broken(_)) if is_library => {
                bail!("{}: the case is broken; only a failing case can be reduced", planned.name)
            }
            Err(CaseError::Broken(_)) => Dialect::Interstage,
        };
        let stem = Path::new(&planned.file).with_extension("");
        let parts = parameters.trim_start_matches('#').replace(['+', '.'], "_");
        let file = format!("{}_{parts}.{}", stem.display(), case_file::EXTENSION);
        let name = project::identify(&file)?.name;
        let generated_from = Some(format!("{}{parameters}", planned.file));
        let text = case.source.text().to_owned();
        let planned = PlannedCase { name, file, ..planned };
        Ok(Self { planned, text, dialect, generated_from })
    }
}

/// The text with empty lines in place of `[parameters]`, because the parameters are already substituted.
fn without_parameters(text: &str) -> String {
    let mut is_within = false;
    let kept = text.lines().map(|line| {
        if line.starts_with('[') {
            is_within = line.starts_with("[parameters]");
        }
        if is_within { "" } else { line }
    });
    kept.collect::<Vec<_>>().join("\n")
}

/// The symptom of a text.
///
/// # Errors
/// It does not fail, or in a way that says nothing about shorter texts.
fn symptom_of(trial: &mut Trial, text: &str, precision: Precision) -> anyhow::Result<Symptom> {
    let outcome = trial.run(&[text])?.remove(0);
    let symptom = symptom_in(trial, &outcome, text, precision)?;
    let symptom = symptom.ok_or_else(|| not_wrong(&outcome))?;
    if symptom.is_missing_error() {
        bail!(
            "{symptom}; a case without the error that it expects cannot be reduced, because shorter ones lack it too"
        );
    }
    Ok(symptom)
}

/// The symptom in the outcome of a text; `None` if it is no failure.
///
/// # Errors
/// The adapter cannot be opened.
pub(super) fn symptom_in(
    trial: &Trial,
    outcome: &Outcome,
    text: &str,
    precision: Precision,
) -> anyhow::Result<Option<Symptom>> {
    if let Outcome::NoDevice(reason) = outcome {
        bail!("the adapter cannot be opened: {reason}");
    }
    let identity: Vec<_> = (1..=text.lines().count()).collect();
    Ok(Symptom::of(outcome, &identity, &trial.root(0), precision))
}

/// The smallest text with the symptom, or the smallest one that is found before the deadline.
pub(super) fn reduced(
    trial: &mut Trial,
    text: &str,
    symptom: Symptom,
    deadline: Option<Instant>,
) -> anyhow::Result<(Composed, Symptom)> {
    if let Some(against) = trial.against() {
        refuse_unless_pass(trial, text, &against)?;
    }
    let full = trial.timeout();
    let mut budget = usize::MAX;
    if symptom.is_slow() {
        let short = (full / 10).clamp(SLOW_LIMITS[0], SLOW_LIMITS[1]).min(full);
        trial.set_timeout(short)?;
        budget = SLOW_ATTEMPTS;
    }
    let original = cut(text);
    let shape = Shape::of(&original, symptom.line());
    let (known, accepted) = (HashMap::new(), vec![original.clone()]);
    let mut reduction = Reduction { trial, symptom, shape, budget, deadline, known, accepted };
    reduction.run(original)?;
    let Reduction { trial, symptom, mut accepted, .. } = reduction;
    if symptom.is_slow() {
        trial.set_timeout(full)?;
        confirm(trial, &symptom, &mut accepted)?;
    }
    let pieces = accepted.pop().context("the original is accepted")?;
    let last = if accepted.is_empty() { whole(text) } else { compose(&pieces) };
    Ok((last, symptom))
}

fn refuse_harmless(outcome: &Outcome) -> anyhow::Result<()> {
    if outcome.status().is_failure() { Ok(()) } else { Err(not_wrong(outcome)) }
}

fn not_wrong(outcome: &Outcome) -> anyhow::Error {
    let heading = outcome.status().heading().to_lowercase();
    anyhow!("the case has the status `{heading}`; only a failing case can be reduced")
}

fn refuse_unless_pass(trial: &Trial, text: &str, against: &str) -> anyhow::Result<()> {
    let outcomes = trial.run_against(&[text])?;
    let Some(wrong) = outcomes.iter().find(|outcome| !is_pass(outcome)) else { return Ok(()) };
    let heading = wrong.status().heading().to_lowercase();
    let reason = wrong.reason().unwrap_or_default();
    bail!(
        "the case does not pass on {against} ({heading}: {reason}); --against needs an adapter where it passes"
    )
}

fn whole(text: &str) -> Composed {
    Composed { text: text.to_owned(), origins: (1..=text.lines().count()).collect() }
}

/// Drops the shortest texts that end within the usual time limit, which is longer than that of the attempts.
fn confirm(
    trial: &mut Trial,
    symptom: &Symptom,
    accepted: &mut Vec<Vec<Piece>>,
) -> anyhow::Result<()> {
    while accepted.len() > 1 {
        let Some(last) = accepted.last().map(|pieces| compose(pieces)) else { break };
        let outcome = trial.run(&[&last.text])?.remove(0);
        if symptom.is_shown_by(&outcome, &last.origins, &trial.root(0)) {
            break;
        }
        accepted.truncate(accepted.len().div_ceil(2).min(accepted.len() - 1));
    }
    Ok(())
}

/// Runs the written file in its place, and reports whether another project or dialect there changes the outcome.
fn check_written(
    trial: &Trial,
    original: &Original,
    output: &Output,
    reduced: &Composed,
    symptom: &Symptom,
) -> anyhow::Result<()> {
    let Some(file) = output.path().to_str().filter(|_| output.path().is_file()) else {
        return Ok(());
    };
    if reduced.text.lines().any(|line| line.trim_start().starts_with("golden "))
        && let Some(folder) = copy_goldens(&original.planned, file)?
    {
        say(&format!("note: the goldens are copied to {}", folder.display()))?;
    }
    let folder = std::fs::canonicalize(output.path().parent().unwrap_or(output.path()));
    let root = folder.map(|folder| format!("{}/", folder.display())).unwrap_or_default();
    // A case in a folder of another dialect may have several combinations, or none.
    let found = trial.run_file(file)?;
    let heading = found.status().heading().to_lowercase();
    if symptom.is_shown_by(&found, &reduced.origins, &root) {
        return Ok(());
    }
    let dialect = project::identify(file).map(|identity| identity.dialect).ok();
    let why = match original.dialect {
        known if dialect == Some(known) => {
            "a file that it names is missing there, or the failure is not reliable".to_owned()
        }
        Dialect::Interstage => {
            "its folder has another dialect; put it below a folder named `cases`".to_owned()
        }
        Dialect::Piglit => {
            "its folder has another dialect; put it below a folder named as that of the original"
                .to_owned()
        }
        Dialect::ShaderLibrary | Dialect::Vulkan => format!(
            "its folder has another dialect; write an interstage.toml there, with the line `{}`",
            Settings::text_of(original.dialect).trim_end()
        ),
    };
    say(&format!("warning: {file} does not fail in the same way at this path ({heading}): {why}"))
}

fn say(line: &str) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stderr(), "{line}")?)
}

impl Reduction<'_> {
    /// Removes units of all sizes until no more can be removed.
    fn run(&mut self, original: Vec<Piece>) -> anyhow::Result<()> {
        // All further texts have empty lines before headers, so this one has them too.
        if self.good(std::slice::from_ref(&original))? != [true] {
            return Ok(());
        }
        self.accepted.push(original.clone());
        let divisions: [Divide; 2] = [pieces::notes, pieces::sections];
        let mut pieces = original;
        for divide in divisions {
            pieces = self.minimise(pieces.clone(), divide(&pieces))?;
        }
        loop {
            let before = pieces.len();
            pieces = self.minimise(pieces.clone(), pieces::lines(&pieces))?;
            for depth in 0..DEPTH {
                pieces = self.minimise(pieces.clone(), pieces::blocks(&pieces, depth))?;
            }
            pieces = self.minimise(pieces.clone(), pieces::singles(&pieces))?;
            pieces = self.minimise(pieces.clone(), pieces::sections(&pieces))?;
            if pieces.len() == before {
                return Ok(());
            }
        }
    }

    /// Delta debugging: removes some of the units at a time, and fewer when none can be removed.
    fn minimise(
        &mut self,
        mut pieces: Vec<Piece>,
        mut units: Vec<BTreeSet<usize>>,
    ) -> anyhow::Result<Vec<Piece>> {
        let mut size = units.len();
        while !units.is_empty() {
            let parts: Vec<BTreeSet<usize>> =
                units.chunks(size).map(|part| part.iter().flatten().copied().collect()).collect();
            let left_out = self.without_some(&pieces, &parts)?;
            if left_out.is_empty() {
                if size == 1 {
                    break;
                }
                size = size.div_ceil(2);
                continue;
            }
            pieces = without(&pieces, &left_out);
            units.retain(|unit| unit.is_disjoint(&left_out));
            size = size.min(units.len()).max(1);
            self.accepted.push(pieces.clone());
        }
        Ok(pieces)
    }

    /// Numbers of pieces that can be removed: of the parts that can each be removed alone, as many as can be removed
    /// together.
    fn without_some(
        &mut self,
        pieces: &[Piece],
        parts: &[BTreeSet<usize>],
    ) -> anyhow::Result<BTreeSet<usize>> {
        let candidates: Vec<_> = parts.iter().map(|part| without(pieces, part)).collect();
        let good = self.good(&candidates)?;
        let mut alone: Vec<_> =
            parts.iter().zip(good).filter(|(_, is_good)| *is_good).map(|(part, _)| part).collect();
        while alone.len() > 1 {
            let together: BTreeSet<usize> = alone.iter().copied().flatten().copied().collect();
            if self.good(&[without(pieces, &together)])? == [true] {
                return Ok(together);
            }
            alone.truncate(alone.len().div_ceil(2));
        }
        Ok(alone.first().map(|part| (*part).clone()).unwrap_or_default())
    }

    /// Returns for each candidate whether it has the bug.
    fn good(&mut self, candidates: &[Vec<Piece>]) -> anyhow::Result<Vec<bool>> {
        let line = self.symptom.line();
        let composed: Vec<_> = candidates.iter().map(|pieces| compose(pieces)).collect();
        let mut new: Vec<&Composed> = Vec::new();
        for (pieces, composed) in candidates.iter().zip(&composed) {
            let has_shape = !self.symptom.has_shape() || self.shape.is_of(pieces);
            let has_line = line.is_none_or(|line| composed.origins.contains(&line));
            let is_new = !self.known.contains_key(&composed.text)
                && !new.iter().any(|other| other.text == composed.text);
            if is_new && has_shape && has_line {
                new.push(composed);
            }
        }
        new.truncate(self.budget.saturating_sub(self.trial.attempts));
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            new.clear();
        }
        self.try_all(&new)?;
        let is_good = |composed: &Composed| self.known.get(&composed.text) == Some(&true);
        Ok(composed.iter().map(is_good).collect())
    }

    /// Runs texts and records which have the bug.
    fn try_all(&mut self, texts: &[&Composed]) -> anyhow::Result<()> {
        if texts.is_empty() {
            return Ok(());
        }
        let all: Vec<_> = texts.iter().map(|composed| composed.text.as_str()).collect();
        let outcomes = self.trial.run(&all)?;
        let mut good = Vec::new();
        for (number, (composed, outcome)) in texts.iter().zip(outcomes).enumerate() {
            let root = self.trial.root(number);
            let is_good = self.symptom.is_shown_by(&outcome, &composed.origins, &root);
            self.known.insert(composed.text.clone(), is_good);
            good.extend(is_good.then_some(*composed));
        }
        if self.trial.against().is_none() || good.is_empty() {
            return Ok(());
        }
        let all: Vec<_> = good.iter().map(|composed| composed.text.as_str()).collect();
        for (composed, outcome) in good.iter().zip(self.trial.run_against(&all)?) {
            self.known.insert(composed.text.clone(), is_pass(&outcome));
        }
        Ok(())
    }
}
