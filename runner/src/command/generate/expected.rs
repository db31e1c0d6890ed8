//! Expected values of random programs that every language has.
//!
//! The oracle takes a program from the front end that the adapter's program comes from too, and does not see its faults.
//! The values of another language's program do not depend on it.

use std::fmt::Write as _;

use anyhow::{Context as _, bail};
use interstage::case::Dialect;
use interstage::case::parse::parse;
use interstage::check::Goldens;
use interstage::device::Device;
use interstage::ir::format::FormatClass;
use interstage::ir::readback::{Image, Snapshot};
use interstage::run_case;

use crate::outcome::Outcome;
use crate::outcome::status::Status;

/// Words of a line.
const WORDS: usize = 16;

/// The case with probes of the words that `reference`, the same program in another language, leaves on the executor.
/// Floats only have their comparisons with the oracle.
pub(super) fn with_probes(text: &str, reference: &str, device: &Device) -> anyhow::Result<String> {
    let case = parse("generated", reference.as_bytes(), Dialect::Interstage).remove(0);
    let case = case.result.map_err(|error| anyhow::anyhow!("{error:?}"))?;
    let report = run_case(&case, Some(device), &Goldens::default());
    // Otherwise the linker or the executor is wrong, and with it the words.
    let outcome = Outcome::Finished(report.verdict);
    if outcome.status() != Status::Pass && !outcome.is_undecided() {
        bail!("it does not pass on the executor: {}", outcome.reason().unwrap_or_default());
    }
    let readback = report.readback.context("nothing ran")?;
    let mut snapshots = readback.snapshots.into_iter().flatten();
    let mut probed = String::new();
    for line in text.lines() {
        let _ = writeln!(probed, "{line}");
        if let Some(compared) = line.strip_prefix("compare oracle ") {
            let snapshot = snapshots.next().context("the programs compare the same")?;
            probed += &probes(compared, &snapshot);
        }
    }
    Ok(probed)
}

/// Probes of what a line compares, if it is exact.
fn probes(compared: &str, snapshot: &Snapshot) -> String {
    match (compared.split_once(' '), snapshot) {
        (Some(("target", _)), Snapshot::Image(image)) => of_target(image),
        (Some(("ssbo", number)), Snapshot::Buffer(bytes))
            if number != generate::programs::SUMS.to_string() =>
        {
            of_buffer(number, bytes)
        }
        _ => String::new(),
    }
}

/// Four unsigned integers of every pixel.
fn of_target(image: &Image) -> String {
    let mut text = String::new();
    if image.format.class() != FormatClass::Uint {
        return text;
    }
    for (number, texel) in (0_u32..).zip(words(&image.bytes).chunks_exact(4)) {
        let (x, y) = (number % image.width, number / image.width);
        let _ = writeln!(text, "probe rgba int {x} {y} {}", joined(texel));
    }
    text
}

/// All words of a storage buffer.
fn of_buffer(number: &str, bytes: &[u8]) -> String {
    let mut text = String::new();
    for (line, words) in words(bytes).chunks(WORDS).enumerate() {
        let offset = line * WORDS * 4;
        let _ = writeln!(text, "probe buffer {number} uint {offset} == {}", joined(words));
    }
    text
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]);
    words.map(u32::from_le_bytes).collect()
}

fn joined(words: &[u32]) -> String {
    words.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use generate::programs::{Language, Recipe, case};

    use super::*;

    #[test]
    fn every_word_of_a_program_is_probed() {
        let device = Device::open("cpu:0").expect("the executor is always there");
        let [glsl, wgsl] =
            [Language::Glsl, Language::Wgsl].map(|language| case(1, &Recipe::common(language)));
        let probed = with_probes(&wgsl, &glsl, &device).expect("the program runs");
        let lines = probed.lines().filter(|line| line.starts_with("probe rgba int"));
        assert_eq!(lines.count(), 64);
        assert!(with_probes(&wgsl, "no case", &device).is_err());
        let wrong = format!("{glsl}probe rgba int 0 0 1 2 3 4\n");
        assert!(with_probes(&wgsl, &wrong, &device).is_err());
        let is_right = |text: &str| {
            let case = parse("generated", text.as_bytes(), Dialect::Interstage).remove(0);
            let case = case.result.expect("the text is a case");
            run_case(&case, Some(&device), &Goldens::default()).verdict
                == interstage::check::verdict::Verdict::Pass
        };
        assert!(is_right(&probed));
        let pixel = "probe rgba int 3 4 ";
        let (before, after) = probed.split_once(pixel).expect("the pixel is probed");
        let (red, rest) = after.split_once(' ').expect("the pixel has four channels");
        let other = red.parse::<u32>().expect("it is a word") ^ 1;
        assert!(!is_right(&format!("{before}{pixel}{other} {rest}")));
    }
}
