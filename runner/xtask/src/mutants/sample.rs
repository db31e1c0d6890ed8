//! The mutants of the code under test, in an order given by a seed.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use crate::mutants::site::{self, Site};

/// Roots of the code under test: these files and the modules below them. Parts of the linker and the comparison are in
/// `ir` and `case`, because other crates use them too.
const ROOTS: [&str; 9] = [
    "src/link/lib.rs",
    "src/check/lib.rs",
    "src/case/expectation/reach.rs",
    "src/case/expectation/tolerance.rs",
    "src/ir/interface.rs",
    "src/ir/linkage_table.rs",
    "src/ir/profile.rs",
    "src/ir/semantic.rs",
    "src/ir/interface/type_name.rs",
];

/// A mutant of the project.
#[derive(Clone, Debug)]
pub(crate) struct Mutant {
    /// Number that selects it; from 1.
    pub(crate) number: usize,
    /// File, relative to the root of the workspace.
    pub(crate) file: String,
    pub(crate) site: Site,
    /// Number of mutants with the same text before it in its function.
    nth: usize,
}

impl Mutant {
    /// A mutant whose text occurs only once in its function.
    pub(crate) fn alone(number: usize, file: &str, site: Site) -> Self {
        Self { number, file: file.to_owned(), site, nth: 0 }
    }

    /// Name of the mutant in the journal, in one line. It stays the same while code around the mutant changes.
    pub(crate) fn key(&self) -> String {
        let nth = if self.nth == 0 { String::new() } else { format!(" ({})", self.nth + 1) };
        self.text() + &nth
    }

    fn text(&self) -> String {
        let Site { within, kind, original, mutated, .. } = &self.site;
        format!("{}: {within}: {kind}: `{original}` → `{mutated}`", self.file)
    }
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Site { line, kind, original, mutated, .. } = &self.site;
        write!(f, "{}:{line}: {kind}: `{original}` → `{mutated}`", self.file)
    }
}

/// Folder of the modules below a file; those of a crate are beside its root.
pub(crate) fn folder_of(file: &str) -> &str {
    file.strip_suffix("/lib.rs").unwrap_or_else(|| file.trim_end_matches(".rs"))
}

/// Path of a file's module, after the name of its crate.
pub(crate) fn module_of(file: &str) -> String {
    let path = file.trim_start_matches("src/");
    let is_above = !path.contains('/');
    let path = if is_above { format!("interstage/{path}") } else { path.to_owned() };
    folder_of(&path).replace('/', "::")
}

/// All mutants of the linker and the comparison, numbered in file order.
pub(crate) fn candidates(root: &Path) -> Result<Vec<Mutant>, String> {
    let mut mutants = Vec::new();
    let mut files: Vec<String> = ROOTS.map(str::to_owned).to_vec();
    while let Some(file) = files.pop() {
        let path = root.join(&file);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
        let (sites, modules) = site::find(&text).map_err(|error| format!("{file}: {error}"))?;
        let folder = folder_of(&file);
        files.extend(modules.iter().map(|module| format!("{folder}/{module}.rs")));
        mutants.extend(sites.into_iter().map(|site| (file.clone(), site)));
    }
    Ok(numbered(mutants))
}

/// Sorts mutants by file and place, and numbers them.
pub(crate) fn numbered(mut mutants: Vec<(String, Site)>) -> Vec<Mutant> {
    mutants.sort_by(|(a, one), (b, other)| (a, one.bytes.start).cmp(&(b, other.bytes.start)));
    let mut alike: BTreeMap<String, usize> = BTreeMap::new();
    let numbered = mutants.into_iter().zip(1..).map(|((file, site), number)| {
        let mut mutant = Mutant { number, file, site, nth: 0 };
        let count = alike.entry(mutant.text()).or_default();
        mutant.nth = *count;
        *count += 1;
        mutant
    });
    numbered.collect()
}

/// Shuffles the items in an order given by the seed (Fisher and Yates, with `SplitMix64`).
pub(crate) fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed;
    let mut random = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    for last in (1..items.len()).rev() {
        let count = u64::try_from(last + 1).expect("fewer than 2^64 items");
        let chosen = usize::try_from(random() % count).expect("below the number of items");
        items.swap(last, chosen);
    }
}

#[cfg(test)]
mod tests {
    use super::{module_of, shuffle};

    #[test]
    fn modules_are_named_behind_their_crates() {
        assert_eq!(module_of("src/link/lib.rs"), "link");
        assert_eq!(module_of("src/link/pack/tests.rs"), "link::pack::tests");
        assert_eq!(module_of("src/lib.rs"), "interstage");
        assert_eq!(module_of("src/profiles.rs"), "interstage::profiles");
    }

    #[test]
    fn the_seed_alone_chooses_the_order() {
        let order = |seed| {
            let mut items: Vec<u32> = (0..100).collect();
            shuffle(&mut items, seed);
            items
        };
        assert_eq!(order(7), order(7));
        assert_ne!(order(7), order(8));
        let mut sorted = order(7);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
    }
}
