//! Where the programs of a hunt come from: random ones of a language, or variants of cases.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use generate::programs::{Draft, Recipe};

use crate::args::{HuntOptions, Language, PoolOptions, Selection};
use crate::command::generate::programs_in;
use crate::outcome::CaseResult;
use crate::plan::{PlannedCase, plan};
use crate::project;
use crate::protocol::Adapter;

/// Number of random programs in a batch, and of variants.
const PROGRAMS: u64 = 48;
const VARIANTS: u64 = 256;

/// Folder of the programs that run, below that of the hunt.
const RUNNING: &str = "running";

/// A kind of programs, which are numbered from 0.
#[derive(Debug)]
pub(super) enum Source {
    /// Random programs; the number is the seed.
    Random(Random),
    /// Variants of these cases: first all with seed 0, then all with seed 1.
    Variants(Vec<PlannedCase>),
}

/// Number of programs in which features are counted.
pub(super) const SAMPLE: usize = 60;

/// Random programs of a language.
#[derive(Debug)]
pub(super) struct Random {
    recipe: Recipe,
    name: &'static str,
    /// For each feature, the number of programs of a sample that use it.
    uses: BTreeMap<String, usize>,
}

/// Programs to run.
#[derive(Debug)]
pub(super) struct Programs {
    /// Each with its number.
    pub(super) all: Vec<(u64, PlannedCase)>,
    /// Seed of the variants; `None` for random programs.
    pub(super) vary: Option<u64>,
}

impl Programs {
    /// The programs as a plan.
    pub(super) fn cases(&self) -> Vec<PlannedCase> {
        let cases = self.all.iter().enumerate();
        cases.map(|(index, (_, case))| PlannedCase { index, ..case.clone() }).collect()
    }
}

/// Checks that programs in one of the languages may have the feature.
fn check_feature(feature: &str, languages: &[Language]) -> anyhow::Result<()> {
    let has = |language: &Language| Recipe::new((*language).into()).without(feature).is_some();
    let names: Vec<_> = languages.iter().map(|language| programs_in(*language)).collect();
    ensure!(
        languages.iter().any(has),
        "{} have no `{feature}`; `interstage generate programs --statistics` lists what they have",
        names.join(" and ")
    );
    Ok(())
}

impl Source {
    /// The kinds of programs that the options describe.
    pub(super) fn all(options: &HuntOptions) -> anyhow::Result<Vec<Self>> {
        if options.paths.is_empty() {
            let languages = options.language.as_slice();
            for feature in &options.leave_out {
                check_feature(feature, languages)?;
            }
            let random = |language: &Language| Self::random(*language, &options.leave_out);
            return Ok(languages.iter().map(random).collect());
        }
        ensure!(options.leave_out.is_empty(), "--leave-out is for random programs, not for cases");
        ensure!(
            options.pool.vary.is_none(),
            "the variants of cases have seeds of their own; see --seed"
        );
        let plan = plan(&Selection::of(&options.paths));
        if let Some(problem) = plan.problems.first() {
            bail!("{problem}");
        }
        let cases: Vec<_> = plan.cases.into_iter().filter(|case| case.may_draw).collect();
        ensure!(!cases.is_empty(), "none of the cases draws or computes");
        Ok(vec![Self::Variants(cases)])
    }

    /// Programs in a language without the features that it has.
    fn random(language: Language, leave_out: &[String]) -> Self {
        let all = Recipe::new(language.into());
        let recipe = leave_out
            .iter()
            .fold(all, |recipe, feature| recipe.clone().without(feature).unwrap_or(recipe));
        let mut uses = BTreeMap::new();
        for seed in 0..SAMPLE {
            for feature in Draft::new(seed as u64, &recipe).features() {
                *uses.entry(feature).or_default() += 1;
            }
        }
        Self::Random(Random { recipe, name: programs_in(language), uses })
    }

    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Random(random) => random.name,
            Self::Variants(_) => "variants",
        }
    }

    /// Checks that some case can be varied, of which these are broken.
    pub(super) fn check(&self, broken: &BTreeSet<String>) -> anyhow::Result<()> {
        match self {
            Self::Random(_) => {}
            Self::Variants(cases) => ensure!(
                cases.iter().any(|case| !broken.contains(&case.name)),
                "none of the cases can be varied"
            ),
        }
        Ok(())
    }

    /// Number of programs of a sample that use a feature.
    pub(super) fn uses(&self, feature: &str) -> usize {
        match self {
            Self::Random(random) => random.uses.get(feature).copied().unwrap_or(0),
            Self::Variants(_) => 0,
        }
    }

    /// The random program of a number; `None` for variants.
    pub(super) fn draft(&self, number: u64) -> Option<Draft> {
        match self {
            Self::Random(random) => Some(Draft::new(number, &random.recipe)),
            Self::Variants(_) => None,
        }
    }

    /// A batch that begins with a number and has no more than `most` programs. Random programs are written into a folder
    /// below that of the hunt.
    pub(super) fn batch(&self, first: u64, most: u64, folder: &Path) -> anyhow::Result<Programs> {
        match self {
            Self::Random(..) => {
                let last = first.saturating_add(most.min(PROGRAMS));
                let written = (first..last).map(|number| self.write(number, folder));
                Ok(Programs { all: written.collect::<Result<_, _>>()?, vary: None })
            }
            Self::Variants(cases) => {
                let length = cases.len() as u64;
                let at = first % length;
                let count = (length - at).min(most).min(VARIANTS);
                let chosen = cases.iter().skip(usize::try_from(at)?).take(usize::try_from(count)?);
                let all = (first..).zip(chosen.cloned()).collect();
                Ok(Programs { all, vary: Some(first / length) })
            }
        }
    }

    fn write(&self, number: u64, folder: &Path) -> anyhow::Result<(u64, PlannedCase)> {
        let folder = folder.join(RUNNING).join(project::CASES);
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create the folder {}", folder.display()))?;
        let path = folder.join(format!("{}_{number}.shader_test", self.name()));
        let text = self.draft(number).map_or_else(String::new, |draft| draft.case());
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        let file = path.to_str().context("the path of the folder is not UTF-8")?.to_owned();
        let name = project::identify(&file)?.name;
        Ok((number, PlannedCase { name, file, ..PlannedCase::bare("", 0) }))
    }
}

/// Removes the programs that ran.
pub(super) fn clear(folder: &Path) {
    // What is left is written over.
    let _ = std::fs::remove_dir_all(folder.join(RUNNING));
}

/// A program that failed.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    /// Its kind, and its number.
    pub(super) source: &'a Source,
    pub(super) number: u64,
    pub(super) case: &'a PlannedCase,
    pub(super) adapter: &'a Adapter,
    /// The options with which it failed, except the adapter.
    pub(super) pool: &'a PoolOptions,
    pub(super) result: &'a CaseResult,
}

impl Subject<'_> {
    /// True if the program is a variant of a case.
    pub(super) const fn is_variant(&self) -> bool {
        matches!(self.source, Source::Variants(_))
    }
}
