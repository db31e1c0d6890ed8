//! Changes that make a text vacuous, each in one way of the table.

use case::vacuous;

use Kind::{Amber, Case, VkScript};

/// The reader of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Case,
    Amber,
    VkScript,
}

/// A change of a text.
pub(crate) struct Change {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// Name of the way in which the changed text is vacuous.
    pub(crate) way: &'static str,
    /// Part of the expected message.
    pub(crate) message: &'static str,
    /// Returns the changed text, or `None` if the change does not apply to the text.
    pub(crate) apply: fn(&str) -> Option<String>,
}

const fn change(
    (kind, name): (Kind, &'static str),
    way: &'static str,
    message: &'static str,
    apply: fn(&str) -> Option<String>,
) -> Change {
    Change { name, kind, way, message, apply }
}

const NO_STAGE: &str = "`link success` without any stage";
const UNUSED_OBJECT: &str = "a stage object that nothing uses";
const UNWRITTEN: &str = "a probe of what nothing has written yet";
const EVERY_VALUE: &str = "a probe or comparison that holds for every value, or for none";
const UNWATCHED: &str = "a step whose result nothing looks at";
const WIPED: &str = "a draw that is cleared before anything looks at it";
const TARGET: &str = "a render target that nothing looks at";
const BESIDE: &str = "anything expected or drawn beside an expected error";
const LINK: &str = "a line of `[link]` that nothing could break, or that has no effect";
const TWO_LINES: &str = "two lines of `[expect]` for one adapter";

/// All changes.
#[rustfmt::skip]
pub(crate) const CHANGES: &[Change] = &[
    change((Case, "no expectation"), vacuous::EXPECTS_NOTHING.name, "the case expects nothing",
        |text| (!text.contains("[link]")).then(|| without(text, is_expectation))?),
    change((Case, "no stage"), NO_STAGE, "there is no stage that could be linked",
        |text| text.contains("\nlink success").then(|| without_stages(text))),
    change((Case, "indices"), vacuous::UNUSED.name, "`[index data]` is never used",
        |text| (!text.contains("indexed")).then(|| format!("{text}\n[index data]\n0 1 2\n"))),
    change((Case, "a fragment stage"), UNUSED_OBJECT, "`[fragment shader nobody]` is never used",
        |text| has_named_stages(text).then(|| format!("{text}\n[fragment shader nobody]\nvoid main() {{}}\n"))),
    change((Case, "a vertex stage"), UNUSED_OBJECT, "`[vertex shader nobody]` is never used",
        |text| has_named_stages(text).then(|| format!("{text}\n[vertex shader nobody]\nvoid main() {{}}\n"))),
    change((Case, "a probe before all steps"), UNWRITTEN, "nothing has drawn or cleared these pixels yet",
        |text| {
            let probe = line_with(text, |line| line.starts_with("probe all") || line.starts_with("probe rgb"))?;
            (!text.contains("fb tex")).then(|| at_start_of_test(text, probe))?
        }),
    change((Case, "no dispatch or draw"), UNWRITTEN, "nothing that could write",
        |text| {
            let probes = text.contains("\nprobe ssbo") || text.contains("\nprobe buffer");
            (probes && !text.contains("\nuniform")).then(|| without(text, |line| line.starts_with("compute ") || line.starts_with("draw ")))?
        }),
    change((Case, "no captured draw"), UNWRITTEN, "nothing was captured into capture buffer",
        |text| text.contains("\nprobe capture").then(|| without(text, is_capture))?),
    change((Case, "no draw that is counted"), UNWRITTEN, "nothing was drawn while captures were on",
        |text| text.contains("\nverify query_object").then(|| without(text, is_capture))?),
    change((Case, "a wide tolerance"), EVERY_VALUE, "is right whatever is there",
        |text| {
            let is_plain = !text.contains("tolerance") && !text.contains("[render targets]") && !text.contains("fb tex");
            is_plain.then(|| before(text, |line| line.starts_with("probe all rgb"), "tolerance 2 2 2 2"))?
        }),
    change((Case, "an unsigned number from 0 on"), EVERY_VALUE, "holds for every value of its type",
        |text| {
            let probe = line_with(text, |line| line.starts_with("probe buffer") && line.contains(" uint "))?;
            let words: Vec<&str> = probe.split_whitespace().take(5).collect();
            Some(text.replacen(probe, &format!("{} >= 0", words.join(" ")), 1))
        }),
    change((Case, "a number beyond the format"), EVERY_VALUE, "is never in `rgba8unorm`",
        |text| {
            let is_plain = !text.contains("[render targets]") && !text.contains("fb tex");
            let probe = line_with(text, |line| line.starts_with("probe all rgba")).filter(|_| is_plain)?;
            Some(text.replacen(probe, "probe all rgba 7 0 0 1", 1))
        }),
    change((Case, "a golden with all steps"), EVERY_VALUE, "so any image fits",
        |text| {
            let golden = line_with(text, |line| line.starts_with("golden target 0"))?;
            if text.contains("[render targets]") { return None; }
            let words: Vec<&str> = golden.split_whitespace().take(4).collect();
            Some(text.replacen(golden, &format!("{} tolerance 65535", words.join(" ")), 1))
        }),
    change((Case, "an infinite tolerance"), vacuous::ENDLESS_TOLERANCE.name, "a tolerance must be zero or more",
        |text| before(text, |line| line.starts_with("probe all"), "tolerance 0 inf 0 0")),
    change((Case, "a draw at the end"), UNWATCHED, "no expectation depends on the result of this step",
        |text| {
            let last = text.lines().rev().find(|line| line.starts_with("draw rect"))?;
            has_pixel_probe(text).then(|| at_end_of_test(text, last))?
        }),
    change((Case, "places without a probe"), UNWATCHED, "no expectation depends on the result of this step",
        |text| {
            let is_of_places = text.contains("[link]\n") && text.contains("\ndraw rect") && has_pixel_probe(text);
            let is_other = ["pipelines", "xfb", "capture", "error \""].iter().any(|word| text.contains(word));
            let has_places = text.lines().any(|line| line.starts_with("slots ")) && !is_other;
            (is_of_places && has_places).then(|| without(text, is_expectation))?
        }),
    change((Case, "a clear between"), WIPED, "is cleared before any expectation checks it",
        |text| {
            let is_other = ["buffer", "ssbo", "capture", "clear", "xfb", "atomic"].iter().any(|word| text.contains(word));
            let draw = line_with(text, |line| line.starts_with("draw rect")).filter(|_| !is_other)?;
            Some(text.replacen(draw, &format!("{draw}\nclear color 0 0 0 0\nclear"), 1))
        }),
    change((Case, "one more target"), TARGET, "nothing looks at render target 5",
        |text| {
            let is_plain = !text.contains("[render targets]") && !text.contains("fb tex") && !text.contains("error \"");
            (is_plain && text.contains("\ndraw ")).then(|| format!("{text}\n[render targets]\n0 rgba8unorm\n5 r8unorm\n"))
        }),
    change((Case, "an error beside a probe"), BESIDE, "expects an error, so that nothing else is looked at",
        |text| has_pixel_probe(text).then(|| at_end_of_test(text, "link error \"is not written by\""))?),
    change((Case, "an error of one word"), vacuous::COMMON_MESSAGE.name, "is in nearly every message",
        |text| {
            let line = line_with(text, |line| line.starts_with("link error \"") || line.starts_with("compile error \""))?;
            let (start, _) = line.split_once('"')?;
            Some(text.replacen(line, &format!("{start}\"error\""), 1))
        }),
    change((Case, "distances of no stage"), LINK, "no stage names a distance",
        |text| {
            let has_own = ["[link]", "clip", "Clip", "cull", "Cull", "spirv"].iter().any(|word| text.contains(word));
            (!has_own).then(|| format!("{text}\n[link]\ndistances none\n"))
        }),
    change((Case, "a stride without captures"), LINK, "nothing is captured",
        |text| {
            let has_own = ["[link]", "xfb", "[capture]", "spirv"].iter().any(|word| text.contains(word));
            (!has_own).then(|| format!("{text}\n[link]\nstride 0 16\n"))
        }),
    change((Case, "a fallback of nothing"), LINK, "`fallback` has no effect here",
        |text| (!text.contains("[link]")).then(|| format!("{text}\n[link]\npack off\nfallback off\nslots 1\n"))),
    change((Case, "no other profile"), vacuous::NO_PROFILE.name, "no other profile is left to compare with",
        |text| {
            let all = "sm3 nv30 nv40 nv50 r300 r600 nvc0 i915 software";
            (!text.contains("[link]")).then(|| format!("{text}\n[link]\nprofile all but {all}\n"))
        }),
    change((Case, "a version twice"), vacuous::GIVEN_TWICE.name, "`GLSL` is given twice",
        |text| {
            let line = line_with(text, |line| line.starts_with("GLSL >="))?;
            Some(text.replacen(line, &format!("{line}\n{line}"), 1))
        }),
    change((Case, "a tolerance at the end"), vacuous::UNSEEN.name, "nothing sees `tolerance`",
        |text| (!text.contains("tolerance")).then(|| at_end_of_test(text, "tolerance 0 0 0 0"))?),
    change((Case, "nonsense in a barrier"), vacuous::UNKNOWN_WORD.name, "GL has no bit `nonsense` here",
        |text| at_start_of_test(text, "memory barrier nonsense")),
    change((Case, "two profiles of GL"), vacuous::CONTRADICTION.name, "a case requires one profile of GL",
        |text| {
            let has_own = text.lines().any(|line| line.starts_with("GL "));
            (!has_own).then(|| after(text, "[require]", "GL CORE >= 3.2\nGL COMPAT >= 3.2"))?
        }),
    change((Case, "any symptom"), vacuous::EMPTY_SYMPTOM.name, "every message contains this",
        |text| (!text.contains("[expect]")).then(|| format!("{text}\n[expect]\nany fail with \"\" \"why\" https://a\n"))),
    change((Case, "two lines for one driver"), TWO_LINES, "is about the same adapters",
        |text| {
            let lines = "\"radv\" fail \"one\" https://a\n\"radv\" crash \"two\" https://a";
            (!text.contains("[expect]")).then(|| format!("{text}\n[expect]\n{lines}\n"))
        }),
    change((Case, "a line for all drivers and one for some"), TWO_LINES, "is about the same adapters",
        |text| {
            let lines = "\"radv\" and \"Mesa\" fail \"one\" https://a\nany flake \"two\" https://a";
            (!text.contains("[expect]")).then(|| format!("{text}\n[expect]\n{lines}\n"))
        }),
    change((Case, "a loop around a probe"), vacuous::EMPTY_LOOP.name, "this loop never runs",
        |text| {
            let probe = line_with(text, |line| line.starts_with("probe "))?;
            Some(text.replacen(probe, &format!("@for i in 0..0\n{probe}\n@end"), 1))
        }),
    change((Amber, "no expectation"), vacuous::EXPECTS_NOTHING.name, "unsupported: a script that expects nothing",
        |text| text.contains("\nRUN ").then(|| without(text, |line| line.starts_with("EXPECT")))?),
    change((Amber, "nothing runs before the expectations"), UNWRITTEN, " yet",
        |text| {
            let runs = |line: &str| line.starts_with("RUN ") || line.starts_with("CLEAR ");
            let last = text.lines().rev().find(|line| runs(line))?;
            if ["REPEAT", "COPY", "DEPTH_STENCIL", "SAMPLER"].iter().any(|word| text.contains(word)) { return None; }
            Some(format!("{}{last}\n", without(text, runs)?))
        }),
    change((Amber, "a buffer and itself"), vacuous::SAME_CONTENT.name, "the buffer is compared with itself",
        |text| {
            let name = line_with(text, |line| line.starts_with("EXPECT"))?.split_whitespace().nth(1)?;
            (!text.contains("COPY") && !text.contains("depth")).then(|| format!("{text}\nEXPECT {name} EQ_BUFFER {name}\n"))
        }),
    change((Amber, "all errors of two buffers"), vacuous::WIDE_CONTENT.name, "says nothing about what the buffers contain",
        |text| {
            let line = line_with(text, |line| line.contains("RMSE_BUFFER"))?;
            let (start, _) = line.split_once("TOLERANCE")?;
            Some(text.replacen(line, &format!("{start}TOLERANCE 100000"), 1))
        }),
    change((Amber, "all distances of two histograms"), vacuous::WIDE_CONTENT.name, "says nothing about what the buffers contain",
        |text| {
            let line = line_with(text, |line| line.contains("EQ_HISTOGRAM_EMD_BUFFER"))?;
            let (start, _) = line.split_once("TOLERANCE")?;
            Some(text.replacen(line, &format!("{start}TOLERANCE 5"), 1))
        }),
    change((Amber, "an infinite tolerance"), vacuous::ENDLESS_TOLERANCE.name, "a tolerance must be zero or more",
        |text| {
            let is_of_values = |line: &str| line.contains(" IDX ") && line.contains(" EQ ") && !line.contains("TOLERANCE");
            let line = line_with(text, |line| line.starts_with("EXPECT") && is_of_values(line))?;
            Some(text.replacen(line, &line.replacen(" EQ ", " TOLERANCE 1e999 EQ ", 1), 1))
        }),
    change((Amber, "a tolerance of everything"), EVERY_VALUE, "holds for every value of its type",
        |text| {
            let is_of_values = |line: &str| line.contains(" IDX ") && line.contains(" EQ ") && !line.contains("TOLERANCE");
            let line = line_with(text, |line| line.starts_with("EXPECT") && is_of_values(line))?;
            (!text.contains("D32_SFLOAT")).then(|| text.replacen(line, &line.replacen(" EQ ", " TOLERANCE 1e40 EQ ", 1), 1))
        }),
    change((Amber, "all of a channel"), EVERY_VALUE, "of this probe is right whatever is there",
        |text| {
            let is_of_pixels = |line: &str| line.contains("EQ_RGBA") && !line.contains("TOLERANCE");
            let line = line_with(text, |line| line.starts_with("EXPECT") && is_of_pixels(line))?;
            (!text.contains("FLOAT")).then(|| text.replacen(line, &format!("{line} TOLERANCE 255"), 1))
        }),
    change((VkScript, "no expectation"), vacuous::EXPECTS_NOTHING.name, "unsupported: a script that expects nothing",
        |text| without(text, |line| line.starts_with("probe ") || line.starts_with("relative probe"))),
    change((VkScript, "a probe before all steps"), UNWRITTEN, " yet",
        |text| {
            let probe = line_with(text, |line| line.starts_with("probe rect") || line.starts_with("probe all"))?;
            at_start_of_test(text, probe)
        }),
    change((VkScript, "an infinite tolerance"), vacuous::ENDLESS_TOLERANCE.name, "a tolerance must be zero or more",
        |text| at_start_of_test(text, "tolerance 1e999")),
    change((VkScript, "all of a channel"), EVERY_VALUE, "of this probe is right whatever is there",
        |text| before(text, |line| line.starts_with("probe rect") || line.starts_with("probe all"), "tolerance 1")),
];

/// The first line for which `is_it` holds.
fn line_with(text: &str, is_it: impl Fn(&str) -> bool) -> Option<&str> {
    text.lines().find(|line| is_it(line))
}

/// The text without the lines for which `is_it` holds; `None` if there is no such line.
fn without(text: &str, is_it: impl Fn(&str) -> bool) -> Option<String> {
    line_with(text, &is_it)?;
    let kept: Vec<&str> = text.lines().filter(|line| !is_it(line)).collect();
    Some(kept.join("\n") + "\n")
}

/// The text with `more` above the first line for which `is_it` holds.
fn before(text: &str, is_it: impl Fn(&str) -> bool, more: &str) -> Option<String> {
    let line = line_with(text, is_it)?;
    let at = text.find(&format!("\n{line}"))?;
    Some(format!("{}\n{more}{}", &text[..at], &text[at..]))
}

/// The text with `more` below the first line that is `line`.
fn after(text: &str, line: &str, more: &str) -> Option<String> {
    let at = text.find(&format!("{line}\n"))? + line.len();
    Some(format!("{}\n{more}{}", &text[..at], &text[at..]))
}

fn at_start_of_test(text: &str, more: &str) -> Option<String> {
    after(text, "\n[test]", more)
}

fn at_end_of_test(text: &str, more: &str) -> Option<String> {
    let start = text.find("\n[test]\n")? + 1;
    let end = text[start..].find("\n[").map_or(text.len(), |end| start + end);
    Some(format!("{}\n{more}\n{}", text[..end].trim_end(), &text[end..]))
}

/// The text without its sections of stages.
fn without_stages(text: &str) -> String {
    let mut is_stage = false;
    let mut kept = String::new();
    for line in text.lines() {
        if line.starts_with('[') {
            is_stage = line.contains(" shader");
        }
        if !is_stage {
            kept += line;
            kept.push('\n');
        }
    }
    kept
}

fn is_expectation(line: &str) -> bool {
    let starts = ["probe", "relative", "golden", "compare", "verify", "active uniform", "link "];
    starts.iter().any(|start| line.starts_with(start)) || line.starts_with("compile error")
}

fn is_capture(line: &str) -> bool {
    ["xfb draw", "capture begin", "capture end", "capture pause", "capture resume"]
        .iter()
        .any(|start| line.starts_with(start))
}

fn has_pixel_probe(text: &str) -> bool {
    text.contains("\nprobe all") || text.contains("\nprobe rgb") || text.contains("\nprobe rect")
}

/// True if stages have names from which `use` chooses, and which have no other meaning.
fn has_named_stages(text: &str) -> bool {
    text.contains("\nuse ") && !text.contains("\nseparable")
}
