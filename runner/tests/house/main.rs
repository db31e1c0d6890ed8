//! The structure of the library: dependencies between crates, and between modules.

mod manifests;
mod modules;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Root of the repository.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The crates of the library by name, with their folders.
fn crates() -> BTreeMap<String, PathBuf> {
    let folders = std::fs::read_dir(root().join("src")).expect("the library has a folder");
    let folders = folders.flatten().map(|entry| entry.path());
    let crates = folders.filter(|path| path.join("Cargo.toml").exists()).filter_map(|path| {
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

/// Only one crate depends on wgpu, so that another executor can be added.
#[test]
fn one_crate_names_wgpu() {
    let names = ["wgpu".to_owned()];
    let uses = |path: &Path| !manifests::edges(&read(path), &names).is_empty();
    let crates = crates().into_iter();
    let using: Vec<_> = crates.filter(|(_, folder)| uses(&folder.join("Cargo.toml"))).collect();
    let using: Vec<&str> = using.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(using, ["gpu"]);
    assert!(!uses(&root().join("Cargo.toml")));
}

/// No cycles of sibling modules, direct or indirect: what two modules share lies in a third one below them.
#[test]
fn modules_beside_each_other_form_no_circles() {
    let mut found = Vec::new();
    let program = [("runner", "runner/src"), ("xtask", "runner/xtask/src")];
    let program = program.map(|(name, folder)| (name.to_owned(), root().join(folder)));
    for (name, folder) in crates().into_iter().chain(program) {
        found.extend(modules::circles(&name, &folder));
    }
    assert_eq!(found, []);
}
