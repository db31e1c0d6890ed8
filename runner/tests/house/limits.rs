//! Limits of what grows unseen. Each number is that of today and may only fall: a change that lowers it changes it here.

use std::sync::LazyLock;

use structure::package::{self, Package};
use structure::siblings;

/// Number of siblings in cycles, by their parent. Items that two modules share belong in a third module below them.
const CIRCLES: [(&str, usize); 0] = [];

/// Number of modules below a crate's root that are in a cycle with items defined in the root.
const THROUGH_ROOTS: [(&str, usize); 5] =
    [("arithmetic", 1), ("compile", 1), ("link", 1), ("spirv", 5), ("interstage", 1)];

/// Number of functions with an argument that is a tuple. What travels together through functions is a struct.
const TUPLES: usize = 14;

/// Number of functions with [`MANY`] or more arguments, where a tuple counts as its elements and `self` as one.
const MANY_ARGUMENTS: usize = 14;

/// Number of arguments that are too many.
const MANY: usize = 6;

/// Most modules in a folder: more belong in folders by subject.
const SIBLINGS: usize = 20;

/// Most modules in a folder that is a [table](TABLES).
const ROWS: usize = 24;

/// Folders that are tables: rules, tests and tests of commands, each independent of the others, one in a file.
const TABLES: [&str; 3] = ["runner/tests", "runner/tests/program", "src/generate/invalid/rules"];

/// Folders with more modules, and their number.
const FULL_FOLDERS: [(&str, usize); 0] = [];

/// Figures about the packages, which take seconds to measure.
static PACKAGES: LazyLock<Vec<Package>> = LazyLock::new(|| {
    package::packages(&super::root()).expect("the sources can be read and parsed")
});

/// Fails if the numbers differ from those of the table.
#[track_caller]
fn check(found: &[(String, usize)], table: &[(&str, usize)], details: &dyn std::fmt::Debug) {
    let table: Vec<_> = table.iter().map(|(name, number)| ((*name).to_owned(), *number)).collect();
    assert_eq!(found, table, "{details:#?}");
}

#[test]
fn circles_of_modules_only_shrink() {
    let mut siblings: Vec<(String, Vec<String>)> = Vec::new();
    let mut through_roots = Vec::new();
    for Package { name, circles, .. } in &*PACKAGES {
        siblings.extend(circles.siblings.iter().cloned());
        through_roots.push((name.clone(), circles.through_root.clone()));
    }
    through_roots.retain(|(_, modules)| !modules.is_empty());
    let numbers = |of: &[(String, Vec<String>)]| {
        of.iter().map(|(name, circle)| (name.clone(), circle.len())).collect::<Vec<_>>()
    };
    check(&numbers(&siblings), &CIRCLES, &siblings);
    check(&numbers(&through_roots), &THROUGH_ROOTS, &through_roots);
}

#[test]
fn functions_with_many_arguments_or_tuples_only_become_fewer() {
    let mut tuples = Vec::new();
    let mut many = Vec::new();
    for Package { folder, functions, .. } in &*PACKAGES {
        for function in functions {
            let file = folder.join(&function.file);
            let place = format!("{}:{}: {}", file.display(), function.line, function.name);
            tuples.extend(function.has_tuple.then(|| place.clone()));
            many.extend((function.arguments >= MANY).then_some(place));
        }
    }
    let found = [("tuples", tuples.len()), ("many arguments", many.len())];
    let found = found.map(|(name, number)| (name.to_owned(), number));
    check(&found, &[("tuples", TUPLES), ("many arguments", MANY_ARGUMENTS)], &[tuples, many]);
}

#[test]
fn full_folders_only_become_fewer_and_emptier() {
    let found = siblings::siblings(&super::root()).expect("the folders can be read");
    let limit = |name: &String| if TABLES.contains(&name.as_str()) { ROWS } else { SIBLINGS };
    let full: Vec<_> = found.into_iter().filter(|(name, number)| *number > limit(name)).collect();
    check(&full, &FULL_FOLDERS, &"a folder has too many modules");
}
