//! Compares what a command prints with what a page shows.

use std::sync::LazyLock;

use regex::Regex;

/// Durations, and titles of adapters in a run, which differ from machine to machine.
static VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)\b\d+(\.\d+)? s\b|(?:^(?:vulkan|gl):0 · ).*$").expect("it is a constant")
});

/// True if the output is what the page shows. There, `…` is any text in a line, and a line with nothing else is any
/// number of lines.
pub(super) fn fits(shown: &[String], printed: &str) -> bool {
    let mut pattern = String::from("^");
    for line in shown {
        if line.trim() == "…" {
            pattern.push_str("(?:.*\n)*");
            continue;
        }
        let line = plain(line.trim_end());
        let parts: Vec<_> = line.split('…').map(regex::escape).collect();
        pattern.push_str(&parts.join(".*"));
        pattern.push_str(" *\n");
    }
    pattern.push('$');
    let printed = plain(printed);
    let is_whole = printed.is_empty() || printed.ends_with('\n');
    let printed = if is_whole { printed } else { printed + "\n" };
    Regex::new(&pattern).is_ok_and(|pattern| pattern.is_match(&printed))
}

/// The text without what differs from machine to machine.
fn plain(text: &str) -> String {
    VARIABLE.replace_all(text, "~").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ellipses_and_durations_stand_for_anything() {
        let fits = |shown: &str, printed: &str| {
            fits(&shown.lines().map(str::to_owned).collect::<Vec<_>>(), printed)
        };
        assert!(fits("a\nb", "a\nb\n"));
        assert!(!fits("a\nb", "a\nb\nc\n"));
        assert!(!fits("a\nb", "a\n"));
        assert!(fits("a\n…", "a\nb\nc\n"));
        assert!(fits("a\n…", "a\n"));
        assert!(!fits("a\n…", "ab\n"));
        assert!(fits("…\nc", "a\nb\nc\n"));
        assert!(fits("a … c (x)", "a b c (x)\n"));
        assert!(!fits("a … c (x)", "a b c x\n"));
        assert!(fits("1 case in 0.2 s", "1 case in 12 s\n"));
        assert!(!fits("1 case in 0.2 s", "2 cases in 0.2 s\n"));
        assert!(fits("vulkan:0 · llvmpipe · Mesa 22", "vulkan:0 · NVIDIA\n"));
        assert!(!fits("vulkan:0 · llvmpipe", "gl\n"));
        assert!(fits("", "") && !fits("", "a\n"));
    }
}
