//! The table of requirements of cases is complete and right. On a device with exactly the capabilities that a case
//! needs, wgpu rejects nothing. On a device that lacks one of them, the case is skipped with the name of that
//! capability, or passes without it.
//!
//! By default a sample of the files is tested, which takes 20 s, because a device is opened for every test.
//! `cargo xtask soak` tests all files.

mod common;
#[path = "common/sharing.rs"]
mod sharing;
#[path = "common/soak.rs"]
mod soak;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use interstage::case::Case;
use interstage::check::Goldens;
use interstage::check::verdict::Verdict;
use interstage::device::{Device, Devices};
use interstage::offer::{Needs, Pretend, need_table};
use interstage::{needs, needs_gpu, run_case};
use interstage_runner::files::case_file;

/// One file in this many is tested.
const SAMPLE: usize = 24;

/// Files that are always tested: once, their cases were skipped on devices of what they need.
const ALWAYS: [&str; 1] = ["tessellation/patches_of_no_level_are_discarded.shader_test"];

/// Maximum number of cases tested per removed capability.
const TRIED: usize = 3;

fn files() -> Vec<PathBuf> {
    let is_always = |path: &Path| ALWAYS.iter().any(|end| path.ends_with(end));
    let files = common::case_files().into_iter().enumerate();
    let is_tried =
        |idx: usize, path: &Path| soak::is_soak() || idx.is_multiple_of(SAMPLE) || is_always(path);
    let tried = files.filter(|(idx, path)| is_tried(*idx, path)).map(|(_, path)| path);
    let tried: Vec<_> = tried.collect();
    let always = tried.iter().filter(|path| is_always(path)).count();
    assert_eq!(always, ALWAYS.len(), "a file was renamed: {ALWAYS:?}");
    tried
}

/// The first and the last of a file's parameter combinations that draw, with their requirements.
fn cases_of(path: &Path, device: &Device) -> Vec<(Case, Needs)> {
    let path = path.to_str().expect("case paths are plain text");
    let cases = case_file::load(path).expect("a readable case");
    let last = cases.len().saturating_sub(1);
    let picked = cases.into_iter().enumerate().filter(|(idx, _)| *idx == 0 || *idx == last);
    let cases = picked.filter_map(|(_, parsed)| parsed.result.ok()).filter(needs_gpu);
    cases.filter_map(|case| needs(&case, device).ok().map(|needs| (case, needs))).collect()
}

fn verdict(case: &Case, device: &Device) -> Verdict {
    run_case(case, Some(device), &Goldens::default()).verdict
}

#[test]
fn a_device_of_exactly_what_a_case_needs_is_enough() {
    let adapter = sharing::first_adapter();
    let adapters = Devices::fitting(&adapter);
    let narrow = Mutex::new(BTreeSet::new());
    let check = |path: &PathBuf, full: &Device| {
        let cases = cases_of(path, full);
        for (case, needs) in &cases {
            let device = adapters.open_as(&adapter, &Pretend::exactly(needs)).expect("a device");
            let (found, expected) = (verdict(case, &device), verdict(case, full));
            if found != expected {
                assert!(
                    is_narrow(&found),
                    "{}: {found:?}, but {expected:?} with all, with {needs:?}",
                    case.name
                );
                narrow.lock().expect("nothing panicked").insert(case.name.clone());
            }
        }
        cases.len()
    };
    let tried = sharing::sum_of_all(&adapter, &files(), check);
    let narrow = narrow.into_inner().expect("nothing panicked");
    soak::tell(&format!(
        "{tried} cases on devices of what they need; skipped for want of room: {narrow:?}"
    ));
    assert!(tried > 25, "only {tried} cases were tried");
    assert!(narrow.len() < 3 + tried / 50, "{} of {tried}: {narrow:?}", narrow.len());
}

/// True for three reasons that take precedence: the linker allocates slots for inputs before it detects that nothing
/// writes them, lines about GL limits require more than the case itself uses, and a device with doubles but without
/// 64-bit integers has both as words.
fn is_narrow(verdict: &Verdict) -> bool {
    let starts = |reason: &str| {
        ["the varyings take", "GL_MAX_"].iter().any(|start| reason.starts_with(start))
    };
    let is_words = |reason: &str| reason.ends_with("which this adapter has only as words");
    matches!(verdict, Verdict::Skip(reason) if starts(reason) || is_words(reason))
}

/// A feature, flag or limit that is removed from a device.
#[derive(Clone, Debug)]
enum Removal {
    Name(&'static str),
    Limit(&'static str, u64),
}

impl Removal {
    fn name(&self) -> &'static str {
        match self {
            Self::Name(name) | Self::Limit(name, _) => name,
        }
    }

    fn concerns(&self, needs: &Needs) -> bool {
        match self {
            Self::Name(name) => needs.names.contains(name),
            Self::Limit(name, value) => {
                needs.limits.iter().any(|(known, needed)| known == name && needed > value)
            }
        }
    }

    fn device(&self) -> Pretend {
        let all = Pretend::default();
        match self {
            Self::Name(name) => all.without(name),
            Self::Limit(name, value) => all.with_limit(&format!("{name}={value}")),
        }
        .expect("wgpu knows it")
    }
}

/// Every feature, flag and limit that some case needs. Limits are tested twice: a little below the greatest
/// requirement, and below the least.
fn removals(cases: &[(Case, Needs)]) -> Vec<Removal> {
    let names: BTreeSet<_> = cases.iter().flat_map(|(_, needs)| &needs.names).copied().collect();
    let mut limits: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    for (name, value) in cases.iter().flat_map(|(_, needs)| &needs.limits) {
        limits.entry(name).or_default().insert(value - 1);
    }
    let ends = limits.into_iter().flat_map(|(name, values)| {
        let ends: BTreeSet<_> = values.first().into_iter().chain(values.last()).copied().collect();
        ends.into_iter().map(move |value| Removal::Limit(name, value))
    });
    names.into_iter().map(Removal::Name).chain(ends).collect()
}

#[test]
fn what_is_missing_makes_a_skip_with_its_name() {
    let adapter = sharing::first_adapter();
    let adapters = Devices::fitting(&adapter);
    let collected = Mutex::new(Vec::new());
    sharing::sum_of_all(&adapter, &files(), |path, device| {
        let passing = cases_of(path, device).into_iter().filter(|(case, _)| {
            // A case with expected failures proves nothing here.
            case.expected.is_empty()
        });
        collected.lock().expect("nothing panicked").extend(passing);
        0
    });
    let cases = collected.into_inner().expect("nothing panicked");
    let removals = removals(&cases);
    let check = |removal: &Removal, _: &Device| {
        let device = adapters.open_as(&adapter, &removal.device()).expect("a device");
        let concerned: Vec<_> = cases.iter().filter(|(_, needs)| removal.concerns(needs)).collect();
        let step = if soak::is_soak() { 1 } else { concerned.len().div_ceil(TRIED) };
        let tried = concerned.into_iter().step_by(step);
        let skipped = tried.filter(|(case, _)| is_skipped(case, removal, &device)).count();
        soak::tell(&format!("{removal:?}: {skipped} skipped"));
        usize::from(skipped > 0)
    };
    let effective = sharing::sum_of_all(&adapter, &removals, check);
    let named: BTreeSet<_> = removals.iter().map(Removal::name).collect();
    let table: BTreeSet<_> = need_table().iter().map(|(_, name, _)| *name).collect();
    let counts = (named.len(), table.len(), removals.len());
    soak::tell(&format!("needed, in the table, removals, of which skip: {counts:?}, {effective}"));
    assert!(named.is_subset(&table), "{named:?}");
    assert!(effective * 10 > removals.len() * 9, "{effective} of {} skip", removals.len());
}

/// True if the case is skipped; if it is not, checks that it passes.
fn is_skipped(case: &Case, removal: &Removal, device: &Device) -> bool {
    let name = removal.name();
    match verdict(case, device) {
        Verdict::Skip(reason) => {
            // Without 64-bit types the reason is an operation that pairs of words do not support.
            let is_wide = ["SHADER_F64", "SHADER_INT64"].contains(&name);
            let is_word = is_wide && reason.ends_with("which this adapter has only as words");
            let is_named = is_word || reason.contains(name) || reason.starts_with("GL_MAX_");
            assert!(is_named, "{} without {removal:?}: {reason}", case.name);
            true
        }
        Verdict::Pass => false,
        verdict @ (Verdict::Fail(_)
        | Verdict::Unsupported(_)
        | Verdict::Undecided(_)
        | Verdict::Untested(_)
        | Verdict::Broken(_)) => {
            panic!("{} without {removal:?}: {verdict:?}", case.name)
        }
    }
}
