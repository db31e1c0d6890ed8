//! Random programs: on the executor, linking does not change their results, and adapters return values that the oracle
//! permits.

use generate::programs::{Language, Recipe, case};
use interstage::check::verdict::Verdict;
use interstage::device::Device;

use super::run::{devices, executor, is_unlinked, report, sample};

const LANGUAGES: [Language; 3] = [Language::Glsl, Language::Wgsl, Language::Spirv];

/// Operations with known faults (`docs/driver-faults.md`), which the programs of adapters lack.
const FAULTY: [&str; 18] = [
    // naga's writer of GLSL
    "abs of uint",
    "pack4xI8 of int",
    "pack4xU8 of uint",
    // Mesa
    "matrix * matrix of float",
    "bitfieldInsert of int",
    "bitfieldInsert of uint",
    // Mesa 22.3
    "unpackHalf2x16 of inexact float",
    "< of int64",
    "<= of int64",
    "> of int64",
    ">= of int64",
    "== of int64",
    "!= of int64",
    "< of uint64",
    "<= of uint64",
    "> of uint64",
    ">= of uint64",
    "== of uint64",
];

/// All of a language that works everywhere.
fn sound(language: Language) -> Recipe {
    let all = Recipe::new(language);
    FAULTY.iter().fold(all, |recipe, feature| recipe.clone().without(feature).unwrap_or(recipe))
}

/// Runs a program. Returns how it failed, if it did. Undecided values are not a failure of the adapter.
fn run(seed: u64, recipe: &Recipe, device: &Device) -> Option<String> {
    let text = case(seed, recipe);
    let report = report(&text, device);
    let is_right = match &report.verdict {
        Verdict::Pass => true,
        Verdict::Fail(failures) => failures.iter().all(|failure| is_undecided(&failure.details)),
        // wgpu's GL backend cannot draw into 32-bit floats on every driver, and has no 64-bit types.
        Verdict::Skip(reason)
            if reason.contains("rgba32float") || reason.contains("SHADER_F64") =>
        {
            return None;
        }
        Verdict::Skip(_)
        | Verdict::Unsupported(_)
        | Verdict::Undecided(_)
        | Verdict::Untested(_)
        | Verdict::Broken(_) => false,
    };
    let told = || format!("seed {seed}: {:?}\n{text}", report.verdict);
    (!is_right || !is_unlinked(&report)).then(told)
}

/// True if no value differs, but some are undecided.
fn is_undecided(details: &[String]) -> bool {
    details.iter().any(|line| line.trim_start().starts_with("values    0 of "))
        && details.iter().any(|line| line.trim_start().starts_with("blame     not decided"))
}

#[test]
fn the_linker_changes_nothing() {
    let device = executor();
    for language in LANGUAGES {
        for seed in 0..sample(60) {
            assert_eq!(run(seed, &Recipe::new(language), &device), None);
        }
    }
}

#[test]
fn adapters_give_what_the_oracle_allows() {
    for (adapter, device) in devices() {
        for language in LANGUAGES {
            for seed in 0..sample(20) {
                assert_eq!(run(seed, &sound(language), &device), None, "{adapter}");
            }
        }
    }
}

/// Counts the features that no program of many has, and what the programs compute for nothing.
#[test]
fn programs_use_all_of_a_language_and_all_of_it_counts() {
    for language in LANGUAGES {
        let recipe = Recipe::new(language);
        let mut missing = recipe.features();
        let (mut locals, mut dead, mut outputs, mut varying) = (0, 0, 0, 0);
        for seed in 0..400 {
            let (features, reach) = recipe.measured(seed);
            missing.retain(|feature| !features.contains(feature));
            locals += reach.locals;
            dead += reach.dead;
            outputs += reach.outputs;
            varying += reach.varying;
        }
        assert!(missing.is_empty(), "{language:?}: {missing:?}");
        assert!(dead * 100 < locals, "{language:?}: {dead} of {locals} locals are dead");
        assert_eq!(varying, outputs, "{language:?}");
    }
}

#[test]
fn what_is_left_out_is_in_no_program() {
    let all = Recipe::new(Language::Wgsl);
    for feature in ["abs of uint", "matrix * matrix of float", "transpose of float"] {
        let with = |recipe: &Recipe| (0..40).any(|seed| recipe.measured(seed).0.contains(feature));
        assert!(with(&all), "{feature}");
        let without = all.clone().without(feature).expect("WGSL has it");
        assert!(!with(&without) && !without.features().contains(feature), "{feature}");
    }
    let feature = "abs of uint";
    let without = all.clone().without(feature).expect("WGSL has it");
    assert!(case(0, &without).contains("--language wgsl --without 'abs of uint' --seed 0"));
    assert!(all.without("abs of words").is_none());
    assert!(Recipe::new(Language::Glsl).without(feature).is_none());
}
