//! Known differences between the readbacks of drivers, and the reasons for them.

use std::collections::{BTreeMap, BTreeSet};

/// Known differences.
pub(super) struct Known<'a>(Vec<Line<'a>>);

struct Line<'a> {
    /// The case file, without its extension.
    file: &'a str,
    /// The driver, or `*` for all.
    driver: &'a str,
    reason: &'a str,
}

impl<'a> Known<'a> {
    /// Parses lines of `FILE DRIVER REASON`; a line that begins with `#` is a comment.
    ///
    /// # Errors
    /// A line has no reason.
    pub(super) fn parse(text: &'a str) -> Result<Self, String> {
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let read = |line: &'a str| {
            let mut words = line.splitn(3, ' ');
            let mut next = || words.next().map(str::trim).filter(|word| !word.is_empty());
            let (Some(file), Some(driver), Some(reason)) = (next(), next(), next()) else {
                return Err(format!("expected FILE DRIVER REASON, found `{line}`"));
            };
            Ok(Line { file, driver, reason })
        };
        lines.map(read).collect::<Result<_, _>>().map(Self)
    }

    /// The known reason why this file reads back other bytes on this driver.
    pub(super) fn reason(&self, file: &str, driver: &str) -> Option<&'a str> {
        let fits = |line: &&Line<'_>| line.file == file && ["*", driver].contains(&line.driver);
        self.0.iter().find(fits).map(|line| line.reason)
    }
}

/// Counts the differing readbacks of each file in the output of `interstage compare`. A case that ran on one side only
/// cannot be compared, and one that fails on a side as its own `[expect]` says needs no other reason.
pub(super) fn by_file(text: &str) -> BTreeMap<String, usize> {
    let lines = |kind| text.lines().filter_map(move |line| line.strip_prefix(kind));
    let status = |line: &'_ str| -> Option<String> {
        let (case, change) = line.trim_start().split_once(": ")?;
        change.contains("expected fail").then(|| case.to_owned())
    };
    let expected: BTreeSet<String> = lines("status").filter_map(status).collect();
    let mut files = BTreeMap::new();
    for line in lines("readback") {
        let line = line.trim_start();
        let Some((file, rest)) = line.split_once(".shader_test") else { continue };
        let is_one_sided = rest.ends_with(" captures") || rest.ends_with(" capture");
        let case = rest.rsplit_once(": ").map_or(rest, |(before, _)| before);
        let case = case.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let case = format!("{file}.shader_test{}", case.strip_suffix(':').unwrap_or(case));
        if !is_one_sided && !expected.contains(&case) {
            *files.entry(file.to_owned()).or_default() += 1;
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_counted_by_file() {
        let text = "\
left  against  right
status      cases/a.shader_test: pass -> skip
readback    cases/a.shader_test: 3 and 0 captures
readback    cases/b/c.shader_test#n=3:49: rgba32float 2 by 2, the 1 by 2 from (0, 0) on
readback    cases/b/c.shader_test:50: rgba32float 2 by 2
status      cases/d.shader_test#n=1: pass -> expected fail
              probe all rgba 1 1 1 1: first difference at pixel (0, 0)
readback    cases/d.shader_test#n=1:49: rgba32float 2 by 2
readback    cases/d.shader_test#n=10:49: rgba32float 2 by 2
status      cases/e.shader_test: expected fail -> pass
readback    cases/e.shader_test:12: buffer of 16 bytes
readback    cases/f.shader_test: 0 and 1 capture
2 cases differ, 9 were compared
";
        let expected = [("cases/b/c".to_owned(), 2), ("cases/d".to_owned(), 1)];
        assert_eq!(by_file(text), BTreeMap::from(expected));
    }

    #[test]
    fn every_line_has_a_reason() {
        let known = Known::parse("# for people\n\na * rounding of halves\nb zink its fault\n");
        let known = known.expect("both have one");
        assert_eq!(known.reason("a", "softpipe"), Some("rounding of halves"));
        assert_eq!(known.reason("b", "zink"), Some("its fault"));
        assert_eq!(known.reason("b", "gl33"), None);
        let error = Known::parse("a *").err();
        assert_eq!(error.as_deref(), Some("expected FILE DRIVER REASON, found `a *`"));
    }
}
