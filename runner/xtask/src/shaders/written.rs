//! Counts of stages that a language cannot express, as `interstage inspect --out` prints them.

use std::path::Path;

use super::reason::plain;
use super::table::Table;

/// The counts in `said`, which ends with the number of modules; `None` if a line has another form.
pub(super) fn table(language: &'static str, said: &str) -> Option<Table> {
    let mut lines: Vec<_> = said.lines().collect();
    let (modules, refused) = totals(lines.pop()?)?;
    let mut table = Table::new(language, "", modules + refused);
    let mut counted = 0;
    for line in lines {
        let (count, rest) = line.split_once(" × ")?;
        let (reason, first) = rest.rsplit_once("; for example ")?;
        let count = count.parse().ok()?;
        table.refuse(count, Path::new(first), plain(reason));
        counted += count;
    }
    (counted == refused).then_some(table)
}

/// The numbers of the last line: `3 cases, 1 without a program: 4 modules written, 2 not expressible`.
fn totals(line: &str) -> Option<(usize, usize)> {
    let (_, counts) = line.split_once(": ")?;
    let (written, refused) = counts.strip_suffix(" not expressible")?.split_once(" written, ")?;
    let written = written.strip_suffix("modules").or(written.strip_suffix("module"))?;
    Some((written.trim().parse().ok()?, refused.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_reasons_with_counts_and_the_last_has_the_totals() {
        let said = "2 × not expressible in MSL: 3 'x'; for example a/b (vertex)\n\
            3 cases, 1 without a program: 4 modules written, 2 not expressible\n";
        let table = table("msl", said).expect("the form of `inspect`");
        let indent = " ".repeat(22);
        assert_eq!(
            table.draw(&[]).join("\n"),
            format!(
                "== msl: 4 of 6 modules\n     2  not listed    not expressible in MSL: N …\n{indent}a/b (vertex)"
            )
        );
        let is_read = |said: &str| super::table("msl", said).is_some();
        assert!(is_read("1 case, 0 without a program: 1 module written, 0 not expressible"));
        assert!(!is_read("1 case, 0 without a program: 1 module written, 1 not expressible"));
        assert!(!is_read(
            "cannot read a\n1 case, 0 without a program: 1 module written, 0 not expressible"
        ));
        assert!(!is_read(""));
    }
}
