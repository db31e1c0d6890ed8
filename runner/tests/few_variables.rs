//! Adapters with few inter-stage variables: cases still link there because varyings are packed, with the same verdicts.
//!
//! By default only files about packing are tested, with four variables. `cargo xtask soak` tests all files, and prints
//! the table of docs/measurements.md. If `INTERSTAGE_FILES` has paths, one per line, those files are only linked.

mod common;
#[path = "common/sharing.rs"]
mod sharing;
#[path = "common/soak.rs"]
mod soak;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use interstage::case::Case;
use interstage::check::Goldens;
use interstage::check::verdict::Verdict;
use interstage::device::Device;
use interstage::ir::options::PackMode;
use interstage::offer::Pretend;
use interstage::{needs_gpu, run_case, would_run};
use interstage_runner::files::case_file;

/// Numbers of variables: the minimum of WebGL 2 and of Vulkan, of an early phone, of 31 components, and of ES 2.
const VARIABLES: [u32; 5] = [15, 12, 8, 7, 4];

const LIMIT: &str = "max_inter_stage_shader_variables";

fn given_files() -> Option<Vec<PathBuf>> {
    let list = std::env::var_os("INTERSTAGE_FILES")?;
    let text = std::fs::read_to_string(list).expect("a list of paths");
    Some(text.lines().map(PathBuf::from).collect())
}

fn cases_of(path: &Path) -> Vec<Case> {
    let path = path.to_str().expect("case paths are plain text");
    let cases = case_file::load(path).unwrap_or_default();
    let last = cases.len().saturating_sub(1);
    let picked = cases.into_iter().enumerate().filter(|(idx, _)| *idx == 0 || *idx == last);
    picked.filter_map(|(_, parsed)| parsed.result.ok()).filter(needs_gpu).collect()
}

fn is_too_few(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Skip(reason) if reason.contains(LIMIT) || reason.starts_with("GL_MAX_"))
}

/// Counts of cases.
#[derive(Default)]
struct Counts {
    /// All cases.
    all: AtomicUsize,
    /// Cases that link.
    linked: AtomicUsize,
    /// Cases that link only with packing.
    packed: AtomicUsize,
}

impl Counts {
    fn add(&self, case: &Case, device: &Device) {
        let links = |case: &Case| would_run(case, Some(device)) == Verdict::Pass;
        self.all.fetch_add(1, Ordering::Relaxed);
        if !links(case) {
            return;
        }
        self.linked.fetch_add(1, Ordering::Relaxed);
        let mut loose = case.clone();
        loose.link.packing.mode = PackMode::Off;
        if is_too_few(&would_run(&loose, Some(device))) {
            self.packed.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[test]
fn packing_lets_more_link_and_changes_no_verdict() {
    let adapter = sharing::first_adapter();
    let given = given_files();
    let own = || {
        let mut files = common::case_files();
        if !soak::is_soak() {
            files.retain(|path| path.parent().is_some_and(|it| it.ends_with("pack")));
        }
        files
    };
    let all = if soak::is_soak() || given.is_some() { &VARIABLES[..] } else { &VARIABLES[4..] };
    let files = given.clone().unwrap_or_else(own);
    let verdicts = Mutex::new(BTreeMap::new());
    let run =
        |case: &Case, device: &Device| run_case(case, Some(device), &Goldens::default()).verdict;
    if given.is_none() {
        sharing::sum_of_all(&adapter, &files, |path, device| {
            let found =
                cases_of(path).into_iter().map(|case| (case.name.clone(), run(&case, device)));
            let found: Vec<_> = found.collect();
            verdicts.lock().expect("nothing panicked").extend(found);
            0
        });
    }
    let verdicts = verdicts.into_inner().expect("nothing panicked");
    soak::tell("| variables | link | only because of packing | of |\n|--:|--:|--:|--:|");
    let mut rescued = 0;
    for variables in all {
        let few = Pretend::default().with_limit(&format!("{LIMIT}={variables}"));
        let counts = Counts::default();
        let check = |path: &PathBuf, device: &Device| {
            for case in cases_of(path) {
                counts.add(&case, device);
                let Some(before) = verdicts.get(&case.name) else { continue };
                let found = run(&case, device);
                let is_right = found == *before || is_too_few(&found);
                assert!(is_right, "{} with {variables}: {found:?}", case.name);
            }
            0
        };
        sharing::sum_of_all_as(&adapter, &few.expect("a limit"), &files, check);
        let [all, linked, packed] =
            [counts.all, counts.linked, counts.packed].map(AtomicUsize::into_inner);
        soak::tell(&format!("| {variables} | {linked} | {packed} | {all} |"));
        rescued += packed;
    }
    assert!(rescued > 0, "packing lets nothing link that would not without");
}
