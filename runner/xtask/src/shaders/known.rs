//! The table of `docs/shaders.md`: known reasons for rejected modules.

/// A known reason, and the party at fault.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) compiler: String,
    pub(super) reason: String,
    pub(super) fault: String,
}

/// Rows of the table with the heading `| compiler | reason | whose fault |`.
pub(super) fn rows(document: &str) -> Vec<Known> {
    let lines =
        document.lines().skip_while(|line| !line.starts_with("| compiler | reason | whose"));
    let rows = lines.skip(2).take_while(|line| line.starts_with('|'));
    rows.filter_map(|line| {
        let mut cells = line.split('|').skip(1).map(|cell| cell.trim().trim_matches('`'));
        let mut cell = || cells.next().map(str::to_owned);
        Some(Known { compiler: cell()?, reason: cell()?, fault: cell()? })
    })
    .collect()
}

/// The party at fault if a compiler gives this reason.
pub(super) fn fault_of<'a>(known: &'a [Known], compiler: &str, reason: &str) -> Option<&'a str> {
    let row = known.iter().find(|row| row.compiler == compiler && row.reason == reason);
    row.map(|row| row.fault.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_a_compiler_a_reason_and_a_fault() {
        let document = "| a | b | c |\n|---|---|---|\n| x | y | z |\n\n\
            | compiler | reason | whose fault | why |\n|---|---|---|---|\n| glslang | `… : a` | naga | b |\n\nend\n";
        let known = rows(document);
        assert_eq!(known.len(), 1);
        assert_eq!(fault_of(&known, "glslang", "… : a"), Some("naga"));
        assert_eq!(fault_of(&known, "dxc", "… : a"), None);
        assert_eq!(fault_of(&known, "glslang", "… : b"), None);
    }

    #[test]
    fn the_document_says_of_every_reason_whose_fault_it_is() {
        let known = rows(include_str!("../../../../docs/shaders.md"));
        assert!(!known.is_empty());
        for row in &known {
            assert!(!row.compiler.is_empty() && !row.reason.is_empty(), "{row:?}");
            assert!(
                ["naga", "the compiler", "the language", "interstage"].contains(&&*row.fault),
                "{row:?}"
            );
        }
    }
}
