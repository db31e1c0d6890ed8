//! The structure of the project: dependencies between crates and between modules, arguments, and modules in a folder.

mod limits;
mod manifests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use structure::source;

/// Root of the repository.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The crates of the library by name, with their folders.
fn crates() -> BTreeMap<String, PathBuf> {
    let folders = source::library(&root()).expect("the library has a folder");
    let crates = folders.into_iter().filter_map(|path| {
        let name = path.file_name()?.to_str()?.to_owned();
        Some((name, path))
    });
    crates.collect()
}

/// The table and the drawing in ARCHITECTURE.md match the dependencies in the manifests.
#[test]
fn the_manifests_have_the_edges_that_the_architecture_tells_of() {
    let names: Vec<String> = crates().into_keys().chain(["interstage".to_owned()]).collect();
    let mut found = BTreeMap::new();
    for (name, folder) in crates() {
        found.insert(name, manifests::edges(&read(&folder.join("Cargo.toml")), &names));
    }
    let own = manifests::edges(&read(&root().join("Cargo.toml")), &names);
    found.insert("interstage".to_owned(), own);
    let architecture = read(&root().join("ARCHITECTURE.md"));
    assert_eq!(found, manifests::told(&architecture));
    assert_eq!(manifests::reduced(&found), manifests::drawn(&architecture));
}

/// Crates of the library that depend on `name` directly.
fn users(name: &str) -> Vec<String> {
    let names = [name.to_owned()];
    let uses =
        |folder: &Path| !manifests::edges(&read(&folder.join("Cargo.toml")), &names).is_empty();
    let own = uses(&root()).then(|| "interstage".to_owned());
    crates().into_iter().filter(|(_, it)| uses(it)).map(|(name, _)| name).chain(own).collect()
}

/// Only one crate depends on wgpu, so that another executor can be added, beside the one with wgpu's only call that is
/// unsafe. The capabilities of devices and the needs of
/// cases are in another crate, in wgpu's data types.
#[test]
fn wgpu_has_one_user_and_one_unsafe_call() {
    assert_eq!(users("wgpu"), ["gpu", "passthrough"]);
    assert_eq!(users("wgpu-types"), ["offer"]);
}

/// The linker's tests need no crate that uses the linker.
#[test]
fn the_linkers_tests_need_nothing_above_it() {
    let edges = manifests::told(&read(&root().join("ARCHITECTURE.md")));
    let above = edges.keys().filter(|name| manifests::reaches(&edges, name, "link"));
    let above: Vec<String> = above.cloned().collect();
    assert!(above.iter().any(|name| name == "plan"), "{above:?}");
    let manifest = read(&crates()["link"].join("Cargo.toml"));
    assert_eq!(manifests::edges_of_tests(&manifest, &above), BTreeSet::new());
}
