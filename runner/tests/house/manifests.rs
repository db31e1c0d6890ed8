//! Dependencies between crates: those in Cargo.toml, and those documented in ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};

/// Entries of `[dependencies]` of a manifest that are among `names`.
pub(super) fn edges(manifest: &str, names: &[String]) -> BTreeSet<String> {
    entries(manifest, "[dependencies]", names)
}

/// Entries of `[dev-dependencies]` of a manifest that are among `names`.
pub(super) fn edges_of_tests(manifest: &str, names: &[String]) -> BTreeSet<String> {
    entries(manifest, "[dev-dependencies]", names)
}

fn entries(manifest: &str, section: &str, names: &[String]) -> BTreeSet<String> {
    let lines = manifest.lines().skip_while(|line| *line != section).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    let keys = lines.filter_map(|line| line.split(['.', ' ', '=']).next());
    keys.filter(|key| names.iter().any(|name| name == key)).map(str::to_owned).collect()
}

/// The rows of the table of crates, ``| `case` | what it is | `ir` |``.
pub(super) fn told(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let rows = text.lines().skip_while(|line| !line.starts_with("| crate |")).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, _, edges] = cells[..] else { panic!("not three cells: {line}") };
        let edges = edges.split_whitespace().filter(|word| *word != "–");
        let edges = edges.map(|word| word.trim_matches(['`', ',']).to_owned());
        (name.trim_matches('`').to_owned(), edges.collect())
    };
    rows.map(row).collect()
}

/// The edges of the drawing, `a --> b`.
pub(super) fn drawn(text: &str) -> BTreeSet<(String, String)> {
    let lines = text.lines().filter_map(|line| line.trim().split_once(" --> "));
    lines.map(|(from, to)| (from.to_owned(), to.to_owned())).collect()
}

/// True if `from` uses `to`, directly or not.
pub(super) fn reaches(edges: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str) -> bool {
    let next = edges.get(from).into_iter().flatten();
    next.into_iter().any(|next| next == to || reaches(edges, next, to))
}

/// The edges that do not follow from others.
pub(super) fn reduced(edges: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<(String, String)> {
    let all = edges.iter().flat_map(|(from, all)| all.iter().map(move |to| (from, to)));
    let is_direct = |(from, to): &(&String, &String)| {
        !edges[*from].iter().any(|other| other != *to && reaches(edges, other, to))
    };
    all.filter(is_direct).map(|(from, to)| (from.clone(), to.clone())).collect()
}

#[test]
fn edges_that_follow_from_others_are_not_drawn() {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let edges = [("a", set(&["b", "c"])), ("b", set(&["c"])), ("c", set(&[]))];
    let edges = edges.map(|(name, edges)| (name.to_owned(), edges)).into();
    let direct = [("a", "b"), ("b", "c")].map(|(from, to)| (from.to_owned(), to.to_owned()));
    assert_eq!(reduced(&edges), direct.into());
    assert_eq!(drawn("graph TD\n  a --> b\n  b --> c\n"), reduced(&edges));
}

#[test]
fn only_plain_dependencies_are_edges() {
    let names = ["ir", "case", "link"].map(str::to_owned);
    let manifest = "[package]\nname = \"x\"\n\n[dependencies]\nir.workspace = true\n# link\nnaga = \"30\"\n\n\
                    [dev-dependencies]\ncase.workspace = true\n";
    assert_eq!(edges(manifest, &names), BTreeSet::from(["ir".to_owned()]));
}

#[test]
fn the_table_is_read_row_by_row() {
    let text = "# A\n\n| crate | what | uses |\n|---|---|---|\n| `ir` | the base | – |\n| `case` | files | `ir`, `x` |\n\nB\n";
    let told = told(text);
    assert_eq!(told["ir"], BTreeSet::new());
    assert_eq!(told["case"], BTreeSet::from(["ir".to_owned(), "x".to_owned()]));
    assert_eq!(told.len(), 2);
}
