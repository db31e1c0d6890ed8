//! Random programs: on the executor, linking does not change their results, and adapters return values that the oracle
//! permits.

use generate::programs::{Language, Recipe, case};
use interstage::check::verdict::Verdict;
use interstage::device::Device;
use interstage::ir::format::FormatClass;
use interstage::ir::readback::Snapshot;

use super::run::{devices, executor, is_unlinked, report, sample};

const LANGUAGES: [Language; 3] = [Language::Glsl, Language::Wgsl, Language::Spirv];

/// Operations with known faults, which the programs of adapters lack: one in each line, beside comments.
const FAULTY: &str = include_str!("../../lab/operations.txt");

/// All of a language that works everywhere.
fn sound(language: Language) -> Recipe {
    let all = Recipe::new(language);
    let features = FAULTY.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    features.fold(all, |recipe, feature| recipe.clone().without(feature).unwrap_or(recipe))
}

/// Runs a program. Returns how it failed, if it did. Undecided values are not a failure of the adapter.
fn run(seed: u64, recipe: &Recipe, device: &Device) -> Option<String> {
    let text = case(seed, recipe);
    let report = report(&text, device);
    let is_right = match &report.verdict {
        Verdict::Pass => true,
        Verdict::Fail(failures) => failures.iter().all(|failure| is_undecided(&failure.details)),
        // wgpu's GL backend cannot draw into 32-bit floats on every driver, and has no types of 16 and 64 bits.
        Verdict::Skip(reason)
            if ["rgba32float", "SHADER_F16", "SHADER_F64"]
                .iter()
                .any(|one| reason.contains(one)) =>
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

/// Takes more than ten seconds: a driver needs a tenth of a second for each program, and the oracle runs it five times.
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

/// The contents that a program compares, in order, each with `true` if it holds floats.
fn left_by(seed: u64, language: Language, device: &Device) -> Vec<(bool, Vec<u8>)> {
    let text = case(seed, &Recipe::common(language));
    let report = report(&text, device);
    let Some(readback) = report.readback else { panic!("{:?}\n{text}", report.verdict) };
    let is_compute = text.contains("[compute shader");
    let snapshots = readback.snapshots.into_iter().flatten().enumerate();
    let bytes = snapshots.map(|(number, snapshot)| match snapshot {
        Snapshot::Image(image) => (image.format.class() == FormatClass::Float, image.bytes.clone()),
        Snapshot::Buffer(bytes) => (is_compute && number == 1, bytes.to_vec()),
        Snapshot::Count(_) => panic!("nothing is counted"),
    });
    bytes.collect()
}

/// True if the floats are the same but for rounding.
fn are_near(first: &[u8], second: &[u8]) -> bool {
    let floats = |bytes: &[u8]| -> Vec<f32> {
        let words = bytes.chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]);
        words.map(f32::from_le_bytes).collect()
    };
    let pairs = floats(first).into_iter().zip(floats(second));
    first.len() == second.len()
        && pairs.into_iter().all(|(a, b)| (a - b).abs() <= 1e-5 + 1e-4 * a.abs().max(b.abs()))
}

/// The oracle knows a program only as a front end gives it, so it cannot find a front end's fault.
#[test]
fn a_program_does_the_same_in_every_language() {
    let device = executor();
    for seed in 0..sample(40) {
        let [first, others @ ..] = LANGUAGES.map(|language| left_by(seed, language, &device));
        assert!(!first.is_empty());
        for (other, language) in others.iter().zip(&LANGUAGES[1..]) {
            assert_eq!(first.len(), other.len());
            for (number, ((is_float, a), (_, b))) in first.iter().zip(other).enumerate() {
                let is_same = if *is_float { are_near(a, b) } else { a == b };
                assert!(is_same, "seed {seed}: comparison {number} differs in {language:?}");
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
        for seed in 0..600 {
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
fn every_operation_with_a_known_fault_is_one_of_some_language() {
    for feature in FAULTY.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let has = |language: &Language| Recipe::new(*language).without(feature).is_some();
        assert!(LANGUAGES.iter().any(has), "{feature}");
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
