//! `interstage generate programs --statistics`: what the programs use of their language, and what of it counts.

use std::collections::BTreeMap;
use std::io::Write as _;

use anyhow::Context as _;
use generate::programs::{self, Reach, Recipe};
use interstage::case::{Dialect, parse::parse};
use interstage::check::Goldens;
use interstage::device::Device;
use interstage::ir::readback::Extent;
use interstage::{RunOptions, prepare, run_prepared};

use crate::exit::Exit;

/// Values that the oracle compared in one program.
#[derive(Clone, Copy, Debug, Default)]
struct Compared {
    decided: usize,
    undecided: usize,
}

/// Prints the statistics of the programs of `seeds`.
pub(super) fn print(seeds: std::ops::Range<u64>, recipe: &Recipe) -> anyhow::Result<Exit> {
    let mut uses: BTreeMap<String, usize> =
        recipe.features().into_iter().map(|name| (name, 0)).collect();
    let device = Device::open("cpu:0")?;
    let (mut reach, mut compared, mut lines) = (Reach::default(), Compared::default(), Vec::new());
    for seed in seeds {
        let (features, own) = recipe.measured(seed);
        for feature in features {
            *uses.entry(feature).or_default() += 1;
        }
        reach.locals += own.locals;
        reach.dead += own.dead;
        reach.outputs += own.outputs;
        reach.varying += own.varying;
        let text = programs::case(seed, recipe);
        lines.push(text.lines().count());
        let own = compare(&text, &device).with_context(|| format!("the program of seed {seed}"))?;
        compared.decided += own.decided;
        compared.undecided += own.undecided;
    }
    lines.sort_unstable();
    let mut out = std::io::stdout().lock();
    for (feature, count) in &uses {
        writeln!(out, "{count:>6}  {feature}")?;
    }
    let median = lines.get(lines.len() / 2).copied().unwrap_or(0);
    writeln!(out, "{} programs; {median} lines in the median", lines.len())?;
    writeln!(
        out,
        "{} of {} locals are dead ({})",
        reach.dead,
        reach.locals,
        share(reach.dead, reach.locals)
    )?;
    writeln!(
        out,
        "{} of {} outputs of fragment stages depend on a varying ({})",
        reach.varying,
        reach.outputs,
        share(reach.varying, reach.outputs)
    )?;
    let all = compared.decided + compared.undecided;
    writeln!(
        out,
        "{} of {all} values are not decided ({})",
        compared.undecided,
        share(compared.undecided, all)
    )?;
    let unused = uses.values().filter(|count| **count == 0).count();
    writeln!(out, "{unused} of {} features are in no program", uses.len())?;
    Ok(Exit::AsExpected)
}

fn share(part: usize, whole: usize) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a share of a few digits")]
    let percent = if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 };
    format!("{percent:.2} %")
}

/// Runs a program on the executor.
fn compare(text: &str, device: &Device) -> anyhow::Result<Compared> {
    let mut cases = parse("program.shader_test", text.as_bytes(), Dialect::Interstage);
    let case = cases.pop().and_then(|parsed| parsed.result.ok()).context("cannot be read")?;
    let options = RunOptions { extent: Extent::Whole, asks_oracle: true };
    let prepared = prepare(&case, Some(device));
    let report = run_prepared(&case, prepared, Some(device), &Goldens::default(), options);
    let Some(Ok(judged)) = report.oracle else {
        anyhow::bail!("it does not run on the executor: {:?}", report.verdict)
    };
    Ok(Compared { decided: judged.all.decided, undecided: judged.all.undecided })
}

#[cfg(test)]
mod tests {
    use generate::programs::Language;

    use super::*;

    #[test]
    fn shares_have_two_digits() {
        assert_eq!(share(1, 3), "33.33 %");
        assert_eq!(share(0, 0), "0.00 %");
    }

    #[test]
    fn a_program_that_cannot_be_read_is_no_result() {
        let device = Device::open("cpu:0").expect("the executor is always there");
        assert!(compare("no case", &device).is_err());
        let compared =
            compare(&programs::case(3, &Recipe::new(Language::Glsl)), &device).expect("a program");
        assert!(compared.decided > 0);
    }
}
