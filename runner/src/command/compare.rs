//! `interstage compare`: differences between two runs, or between the adapters of one run, down to the bytes read back.
//!
//! Cases are paired by name. Statuses, failures and link maps are compared directly, readbacks by the digests that every
//! run records. If both sides kept their images, these are also compared pixel by pixel.

use interstage::ir::diagnostic::counted;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::bail;
use interstage::check::verdict::Failure;
use interstage::ir::format::Format;

use crate::args::CompareOptions;
use crate::exit::Exit;
use crate::outcome::status::Status;
use crate::report::evidence::{self, Evidence, ImageEvidence};
use crate::report::json::{self, AdapterRecord, CaseRecord, Results};

/// One side: the results of an adapter, and the folder with the evidence of its cases.
#[derive(Clone)]
struct Side {
    results: Results,
    evidence: PathBuf,
}

/// Prints the differences; the exit code is 1 if there are any.
pub fn compare(options: &CompareOptions) -> anyhow::Result<Exit> {
    let mut text = String::new();
    let mut differing = 0;
    for (left, right) in pairs(options)? {
        refuse_strangers(&left, &right)?;
        let _ = match [title(&left), title(&right)] {
            [one, same] if one == same => writeln!(text, "both on {one}"),
            [one, other] => writeln!(text, "{one}  against  {other}"),
        };
        let readbacks = comparable(&left, &right);
        if let Err(why) = readbacks {
            let _ =
                writeln!(text, "note: only statuses, failures and link maps are compared: {why}");
        }
        differing += draw(&mut text, &left, &right, readbacks.is_ok());
    }
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(if differing == 0 { Exit::AsExpected } else { Exit::Regression })
}

/// Rejects two sides without a common case.
fn refuse_strangers(left: &Side, right: &Side) -> anyhow::Result<()> {
    let names: BTreeSet<_> = left.results.cases.iter().map(|case| &case.name).collect();
    if right.results.cases.iter().any(|case| names.contains(&case.name)) {
        return Ok(());
    }
    let first = |side: &Side| match side.results.cases.first() {
        Some(case) => case.name.clone(),
        None => "no case".to_owned(),
    };
    bail!(
        "the two runs have no case in common; the first has {}, the second {}",
        first(left),
        first(right)
    )
}

/// Checks that the digests of both sides cover the same pixels; the error says why they do not.
fn comparable(left: &Side, right: &Side) -> Result<(), &'static str> {
    let keeps_all = |side: &Side| {
        let run = side.results.run.as_ref();
        run.is_some_and(|run| run.command.iter().any(|word| word == "--keep-all"))
    };
    let has_digests = |side: &Side| side.results.cases.iter().any(|case| !case.captures.is_empty());
    if keeps_all(left) != keeps_all(right) {
        return Err("one run read back all pixels (--keep-all), the other only those of probes");
    }
    if has_digests(left) != has_digests(right) {
        return Err("one of the runs has no digests of its readbacks");
    }
    Ok(())
}

fn pairs(options: &CompareOptions) -> anyhow::Result<Vec<(Side, Side)>> {
    let left = sides(&options.left)?;
    let Some(right) = &options.right else {
        let mut sides = left.into_iter();
        let first = sides.next().filter(|_| sides.len() > 0);
        let Some(first) = first else {
            bail!(
                "{} has results of one adapter only; name a second run to compare it with",
                options.left.display()
            );
        };
        return Ok(sides.map(|other| (first.clone(), other)).collect());
    };
    let mut right = sides(right)?;
    if left.len() == 1 && right.len() == 1 {
        return Ok(left.into_iter().zip(right).collect());
    }
    let mut pairs = Vec::new();
    for side in left {
        let selector = selector(side.results.adapter.as_ref());
        let same =
            right.iter().position(|side| self::selector(side.results.adapter.as_ref()) == selector);
        if let Some(at) = same {
            pairs.push((side, right.remove(at)));
        }
    }
    if pairs.is_empty() {
        bail!("the two runs have no adapter in common");
    }
    Ok(pairs)
}

fn sides(path: &Path) -> anyhow::Result<Vec<Side>> {
    if !path.exists() {
        let expected = "expected a folder that `interstage run --results` wrote";
        bail!("{}: no such file or folder; {expected}", path.display());
    }
    let all = json::read_all(path)?;
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) };
    let root = folder.join(evidence::FOLDER);
    let many = all.len() > 1;
    let side = |results: Results| {
        let evidence = results.folder_in(&root, many);
        Side { results, evidence }
    };
    Ok(all.into_iter().map(side).collect())
}

fn selector(adapter: Option<&AdapterRecord>) -> Option<&str> {
    adapter.map(|adapter| adapter.selector.as_str())
}

fn title(side: &Side) -> &str {
    side.results.adapter.as_ref().map_or("without an adapter", |adapter| &adapter.title)
}

/// Formats the differences of each case and the number of differing cases. Returns that number.
fn draw(text: &mut String, left: &Side, right: &Side, with_readbacks: bool) -> usize {
    let by_name = |side: &'_ Side| -> BTreeMap<String, CaseRecord> {
        let cases = side.results.cases.iter();
        cases.map(|case| (case.name.clone(), case.clone())).collect()
    };
    let (ours, mut theirs) = (by_name(left), by_name(right));
    let mut found: Vec<(Change, String)> = Vec::new();
    let mut compared = 0;
    for (name, case) in &ours {
        let Some(other) = theirs.remove(name) else {
            found.push((Change::OnlyLeft, format!("only left   {name}\n")));
            continue;
        };
        compared += 1;
        let mut own = String::new();
        draw_case(&mut own, case, &other);
        if with_readbacks {
            draw_readbacks(&mut own, case, &other);
            draw_pixels(&mut own, name, [left, right]);
        }
        if !own.is_empty() {
            found.push((Change::of(case, &other), own));
        }
    }
    let only_right = theirs.keys().map(|name| format!("only right  {name}\n"));
    found.extend(only_right.map(|line| (Change::OnlyRight, line)));
    found.sort_by_key(|(change, _)| *change);
    text.extend(found.iter().map(|(_, own)| own.as_str()));
    let parts = in_parentheses(&found);
    let of_all = format!("{compared} {}", if compared == 1 { "was" } else { "were" });
    let _ = match found.len() {
        0 => writeln!(text, "no difference in {}", counted(compared, "case")),
        1 => writeln!(text, "1 case differs{parts}, {of_all} compared"),
        differing => writeln!(text, "{differing} cases differ{parts}, {of_all} compared"),
    };
    found.len()
}

/// The number of regressions and fixes in parentheses; empty if there are none.
fn in_parentheses(found: &[(Change, String)]) -> String {
    let count = |wanted| found.iter().filter(|(change, _)| *change == wanted).count();
    let words = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{count} {many}")),
    };
    let regressions = words(count(Change::Regression), "regression", "regressions");
    let fixes = words(count(Change::Fix), "fix", "fixes");
    let parts: Vec<_> = regressions.into_iter().chain(fixes).collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

/// The difference of a case between two runs, in the order of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    /// It fails only on the right.
    Regression,
    /// It fails only on the left.
    Fix,
    /// Another status, failure, link map or readback.
    Other,
    OnlyLeft,
    OnlyRight,
}

impl Change {
    fn of(left: &CaseRecord, right: &CaseRecord) -> Self {
        match [left, right].map(|case| case.kind.is_failure()) {
            [false, true] => Self::Regression,
            [true, false] => Self::Fix,
            [true, true] | [false, false] => Self::Other,
        }
    }

    /// The word for a change of status.
    const fn word(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::Fix => "fix",
            Self::Other | Self::OnlyLeft | Self::OnlyRight => "status",
        }
    }
}

fn draw_case(text: &mut String, left: &CaseRecord, right: &CaseRecord) {
    let name = &left.name;
    if left.kind != right.kind {
        let headings = [left, right].map(|case| case.kind.heading().to_lowercase());
        let word = Change::of(left, right).word();
        let _ = writeln!(text, "{word:<11} {name}: {} -> {}", headings[0], headings[1]);
        let reason = right.reason.as_deref().or(left.reason.as_deref());
        for line in reason.into_iter().flat_map(str::lines).take(3) {
            let _ = writeln!(text, "              {line}");
        }
    } else if let [Some(ours), Some(theirs)] = [left, right].map(Headline::of)
        && !ours.is_like(&theirs)
    {
        let _ = writeln!(text, "{:<11} {name}: {ours} -> {theirs}", "failure");
    }
    if left.slots != right.slots {
        let _ = writeln!(text, "slots       {name}");
        let _ = writeln!(text, "              {}", left.slots.join("    "));
        let _ = writeln!(text, "              {}", right.slots.join("    "));
    }
}

/// The first failure of a case, in two lines.
#[derive(Debug, PartialEq, Eq)]
struct Headline {
    /// The line of the case that failed, or the part of interstage. Empty if no expectation failed.
    step: String,
    /// The first line about it.
    detail: String,
}

impl Headline {
    /// The first failure of a case, whether a list knows it or not; `None` if the case does not fail.
    fn of(case: &CaseRecord) -> Option<Self> {
        if !case.kind.is_failure() && case.kind != Status::ExpectedFail {
            return None;
        }
        let line = |text: &str| text.lines().next().unwrap_or_default().trim().to_owned();
        Some(match case.failures.first() {
            Some(Failure { step, details, .. }) => {
                Self { step: line(step), detail: line(details.first().map_or("", String::as_str)) }
            }
            None => Self {
                step: String::new(),
                detail: line(case.reason.as_deref().unwrap_or_default()),
            },
        })
    }

    /// True if the same fails, apart from numbers that vary from run to run.
    fn is_like(&self, other: &Self) -> bool {
        self.step == other.step && without_numbers(&self.detail) == without_numbers(&other.detail)
    }
}

impl fmt::Display for Headline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [&*self.step, &*self.detail].into_iter().filter(|part| !part.is_empty());
        f.write_str(&parts.collect::<Vec<_>>().join(": "))
    }
}

/// The words of a line; numbers are `0`. The number of a status or of a signal does not vary and stays.
fn without_numbers(line: &str) -> Vec<&str> {
    let mut before = "";
    let kept = line.split_whitespace().map(|word| {
        let is_kept = ["status", "signal"].contains(&before.trim_matches(['(', ':']));
        before = word;
        let bare = word.trim_start_matches(|char: char| !char.is_alphanumeric());
        let is_number = bare.starts_with(|char: char| char.is_ascii_digit());
        if is_number && !is_kept { "0" } else { word }
    });
    kept.collect()
}

/// Formats the readbacks whose digests differ.
fn draw_readbacks(text: &mut String, left: &CaseRecord, right: &CaseRecord) {
    let name = &left.name;
    if left.captures.len() != right.captures.len() {
        let counts = [left.captures.len(), right.captures.len()];
        let _ = writeln!(
            text,
            "readback    {name}: {} and {}",
            counts[0],
            counted(counts[1], "capture")
        );
        return;
    }
    for (ours, theirs) in left.captures.iter().zip(&right.captures) {
        if ours != theirs {
            let what = if ours.what == theirs.what {
                ours.what.clone()
            } else {
                format!("{} and {}", ours.what, theirs.what)
            };
            let _ = writeln!(text, "readback    {name}:{}: {what}", ours.line);
        }
    }
}

/// Formats the first differing pixel, if both sides kept their images.
fn draw_pixels(text: &mut String, name: &str, sides: [&Side; 2]) {
    let kept = sides.map(|side| evidence::read(&evidence::folder_of(&side.evidence, name)));
    let [Some(left), Some(right)] = kept else { return };
    let images = |evidence: Evidence| {
        let images = evidence.images.into_iter();
        images.map(|image| ((image.target, image.lines.clone()), image)).collect::<BTreeMap<_, _>>()
    };
    let (left, mut right) = (images(left), images(right));
    for (key, image) in left {
        if let Some(line) = right.remove(&key).and_then(|other| pixel_line(&image, &other)) {
            let _ = writeln!(text, "              render target {}: {line}", key.0);
        }
    }
}

fn pixel_line(left: &ImageEvidence, right: &ImageEvidence) -> Option<String> {
    if (&left.format, left.width, left.height) != (&right.format, right.width, right.height) {
        return None;
    }
    let format = Format::from_name(&left.format)?;
    let size = format.bytes_per_texel().max(1);
    let (ours, theirs) = (left.actual.bytes()?, right.actual.bytes()?);
    let pairs = || ours.chunks_exact(size).zip(theirs.chunks_exact(size));
    let count = pairs().filter(|(ours, theirs)| ours != theirs).count();
    let first = pairs().position(|(ours, theirs)| ours != theirs)?;
    let (ours, theirs) = pairs().nth(first)?;
    let width = usize::try_from(left.width).ok()?.max(1);
    let bits = |texel: &[u8]| {
        let bits = format.decode(texel).bits;
        let shown = bits.iter().take(format.channel_count()).map(|bits| format!("{bits:#x}"));
        shown.collect::<Vec<_>>().join(" ")
    };
    Some(format!(
        "{count} pixels differ, first ({}, {}): {} and {}",
        first % width,
        first / width,
        bits(ours),
        bits(theirs)
    ))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use interstage::check::verdict::Verdict;

    use super::*;
    use crate::outcome::{CaseResult, Outcome, SnapshotDigest};

    fn case(name: &str, verdict: Verdict, digest: &str) -> CaseRecord {
        let mut result = CaseResult::bare(name, Outcome::Finished(verdict), 0.0, String::new());
        let (what, digest) = ("rgba8unorm 4 by 4".to_owned(), digest.to_owned());
        result.captures = vec![SnapshotDigest { line: 7, what, digest }];
        CaseRecord::from(&result)
    }

    fn side(cases: Vec<CaseRecord>) -> Side {
        Side { results: Results::new(None, cases), evidence: PathBuf::new() }
    }

    #[track_caller]
    fn check(left: Vec<CaseRecord>, right: Vec<CaseRecord>, expected: Expect) {
        let mut text = String::new();
        draw(&mut text, &side(left), &side(right), true);
        expected.assert_eq(&text);
    }

    #[test]
    fn other_bytes_are_a_difference_though_both_pass() {
        check(
            vec![case("a", Verdict::Pass, "1"), case("b", Verdict::Pass, "1")],
            vec![case("a", Verdict::Pass, "2"), case("b", Verdict::Pass, "1")],
            expect![[r"
                readback    a:7: rgba8unorm 4 by 4
                1 case differs, 2 were compared
            "]],
        );
    }

    #[test]
    fn a_case_that_one_side_lacks_is_a_difference() {
        check(
            vec![case("a", Verdict::Pass, "1")],
            vec![case("b", Verdict::Skip("needs x".to_owned()), "1")],
            expect![[r"
                only left   a
                only right  b
                2 cases differ, 0 were compared
            "]],
        );
    }

    #[test]
    fn regressions_come_first_and_are_counted() {
        let fail = || Verdict::Fail(Vec::new());
        let skip = || Verdict::Skip("needs x".to_owned());
        check(
            vec![case("a", fail(), "1"), case("b", skip(), "1"), case("c", Verdict::Pass, "1")],
            vec![
                case("a", Verdict::Pass, "1"),
                case("b", Verdict::Pass, "1"),
                case("c", fail(), "1"),
            ],
            expect![[r"
                regression  c: pass -> fail
                fix         a: fail -> pass
                status      b: skip -> pass
                              needs x
                3 cases differ (1 regression, 1 fix), 3 were compared
            "]],
        );
    }

    /// Numbers such as the count of wrong pixels vary, the number of a signal does not.
    #[test]
    fn another_failure_is_a_difference() {
        let fail = |name: &str, step: &str, detail: &str| {
            let failure = Failure::of_case(step, vec![detail.to_owned()]);
            case(name, Verdict::Fail(vec![failure]), "1")
        };
        let pixels = |count: u32| format!("first difference at ({count}, 1); {count} of 16 pixels");
        let signal = |number: u32| format!("sh crashes (signal {number})");
        check(
            vec![
                fail("a", "probe all rgba 1 0 0 1", &pixels(3)),
                fail("b", "probe all rgba 1 0 0 1", &pixels(3)),
                fail("c", "compiler", &signal(6)),
            ],
            vec![
                fail("a", "probe all rgba 1 0 0 1", &pixels(12)),
                fail("b", "compiler", &signal(6)),
                fail("c", "compiler", &signal(11)),
            ],
            expect![[r"
                failure     b: probe all rgba 1 0 0 1: first difference at (3, 1); 3 of 16 pixels -> compiler: sh crashes (signal 6)
                failure     c: compiler: sh crashes (signal 6) -> compiler: sh crashes (signal 11)
                2 cases differ, 3 were compared
            "]],
        );
    }

    #[test]
    fn equal_runs_have_no_difference() {
        let cases = || vec![case("a", Verdict::Pass, "1")];
        check(
            cases(),
            cases(),
            expect![[r"
            no difference in 1 case
        "]],
        );
    }
}
