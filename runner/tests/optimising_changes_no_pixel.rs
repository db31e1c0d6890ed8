//! The linker's optimisations do not change results: every case that draws reads back the same bits.
//!
//! Only the exact optimisations are tested: dead, constant and duplicate scalars are not passed between stages, and the
//! others are placed scalar by scalar. Of a file with parameters, the first and the last combination are used. By
//! default every third file is tested; `cargo xtask soak` tests all files.

mod common;
#[path = "common/sharing.rs"]
mod sharing;
#[path = "common/soak.rs"]
mod soak;

use std::path::Path;

use interstage::case::Case;
use interstage::check::Goldens;
use interstage::check::verdict::Verdict;
use interstage::device::Device;
use interstage::ir::options::{Optimise, PackMode};
use interstage::{needs_gpu, run_case};
use interstage_runner::files::case_file;

#[test]
fn exact_optimisations_change_no_bit() {
    let step = if soak::is_soak() { 1 } else { 3 };
    let files: Vec<_> = common::case_files().into_iter().step_by(step).collect();
    let changed = sharing::sum_of_all(&sharing::first_adapter(), &files, |path, device| {
        check_file(path, device)
    });
    soak::tell(&format!("{changed} cases were linked in another way"));
    assert!(changed > 150 / step, "only {changed} cases were linked in another way");
}

/// Checks a file. Returns the number of cases in which the optimisations changed something.
fn check_file(path: &Path, device: &Device) -> usize {
    let path = path.to_str().expect("case paths are plain text");
    let cases = case_file::load(path).expect("a readable case");
    let last = cases.len().saturating_sub(1);
    let picked = cases.into_iter().enumerate().filter(|(idx, _)| *idx == 0 || *idx == last);
    let cases = picked.filter_map(|(_, parsed)| parsed.result.ok());
    cases.filter(|case| needs_gpu(case) && check_case(case, device)).count()
}

fn check_case(case: &Case, device: &Device) -> bool {
    let mut plain = case.clone();
    plain.link.expectations.clear();
    let mut optimised = plain.clone();
    let packing = &mut optimised.link.packing;
    packing.optimise =
        Optimise { dead: true, constants: true, duplicates: true, ..packing.optimise };
    if packing.mode != PackMode::Off {
        packing.mode = PackMode::Dense;
    }
    let goldens = Goldens::default();
    let (plain, optimised) =
        (run_case(&plain, Some(device), &goldens), run_case(&optimised, Some(device), &goldens));
    let skips = |verdict: &Verdict| matches!(verdict, Verdict::Skip(_) | Verdict::Unsupported(_));
    if skips(&plain.verdict) {
        return false;
    }
    assert_eq!(plain.readback, optimised.readback, "{}: {:?}", case.name, optimised.slots);
    plain.slots != optimised.slots
}
