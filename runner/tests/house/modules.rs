//! Dependency cycles of modules inside a crate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use syn::visit::Visit;

/// The path of a module inside its crate; the crate's root has the empty one.
type Module = Vec<String>;

/// Modules of its crate that each module uses, by the longest path that is a module.
type Graph = BTreeMap<Module, BTreeSet<Module>>;

/// Cycles among modules with one parent, with the parent's path; submodules count as part of their parent. Tests do
/// not count.
pub(super) fn circles(name: &str, folder: &Path) -> Vec<(String, Vec<String>)> {
    let mut files = BTreeMap::new();
    collect(folder, &Module::new(), &mut files);
    let graph = graph(&files);
    let mut circles = Vec::new();
    for parent in files.keys() {
        let level = parent.len() + 1;
        let within = |module: &Module| module.len() >= level && module.starts_with(parent);
        let mut siblings: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (from, to) in graph.iter().filter(|(from, _)| within(from)) {
            let targets = to.iter().filter(|to| within(to)).map(|to| to[level - 1].as_str());
            siblings.entry(&from[level - 1]).or_default().extend(targets);
        }
        let path = std::iter::once(name.to_owned()).chain(parent.iter().cloned());
        let path = path.collect::<Vec<_>>().join("::");
        circles.extend(circles_of(&siblings).into_iter().map(|circle| (path.clone(), circle)));
    }
    circles
}

/// Sets of two or more nodes that reach each other.
fn circles_of(graph: &BTreeMap<&str, BTreeSet<&str>>) -> Vec<Vec<String>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        graph.keys().map(|from| (*from, reached(graph, from))).collect();
    let mut circles = BTreeSet::new();
    for (from, targets) in &reached {
        let back = |to: &&str| reached.get(to).is_some_and(|it| it.contains(from));
        let circle: BTreeSet<&str> = targets.iter().copied().filter(back).chain([*from]).collect();
        if circle.len() > 1 {
            circles.insert(circle.into_iter().map(str::to_owned).collect::<Vec<_>>());
        }
    }
    circles.into_iter().collect()
}

fn reached<'a>(graph: &BTreeMap<&'a str, BTreeSet<&'a str>>, from: &'a str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        let targets = graph.get(next).into_iter().flatten();
        open.extend(targets.copied().filter(|to| reached.insert(*to)));
    }
    reached
}

/// Source files of a crate, parsed.
fn collect(folder: &Path, at: &Module, files: &mut BTreeMap<Module, syn::File>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
        let below: Module = at.iter().cloned().chain([stem.to_owned()]).collect();
        if path.is_dir() {
            collect(&path, &below, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = super::read(&path);
            let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{stem}: {error}"));
            files.insert(if stem == "lib" { at.clone() } else { below }, file);
        }
    }
}

fn graph(files: &BTreeMap<Module, syn::File>) -> Graph {
    let mut graph = Graph::new();
    for (module, file) in files {
        // A file of tests, declared as such by its parent.
        if module.last().is_some_and(|name| name.ends_with("tests") || name == "testing") {
            continue;
        }
        let mut paths = Paths::default();
        paths.visit_file(file);
        let named = paths.0.iter().filter_map(|path| target(module, path, files));
        graph.insert(module.clone(), named.collect());
    }
    graph
}

/// The module that a path refers to.
fn target(from: &Module, path: &[String], files: &BTreeMap<Module, syn::File>) -> Option<Module> {
    let mut base = from.clone();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => (base, rest) = (Module::new(), &rest[1..]),
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|word| word == "super") {
                base.pop()?;
                rest = &rest[1..];
            }
        }
        first => {
            let below: Module = base.iter().cloned().chain([first.to_owned()]).collect();
            files.contains_key(&below).then_some(())?;
        }
    }
    let whole: Module = base.into_iter().chain(rest.iter().cloned()).collect();
    (0..=whole.len()).rev().map(|length| whole[..length].to_vec()).find(|it| files.contains_key(it))
}

/// All paths used in code, except in tests.
#[derive(Default)]
struct Paths(Vec<Vec<String>>);

impl Paths {
    fn add_tree(&mut self, before: &[String], tree: &syn::UseTree) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.add_tree(&with(&path.ident), &path.tree),
            syn::UseTree::Name(name) => self.0.push(with(&name.ident)),
            syn::UseTree::Rename(name) => self.0.push(with(&name.ident)),
            syn::UseTree::Glob(_) => self.0.push(before.to_vec()),
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.add_tree(before, tree));
            }
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.add_tree(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path.segments.iter().map(|segment| segment.ident.to_string());
        let names: Vec<_> = names.collect();
        if names.len() > 1 {
            self.0.push(names);
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let is_test = item.attrs.iter().any(|attribute| attribute.path().is_ident("cfg"));
        if !is_test {
            syn::visit::visit_item_mod(self, item);
        }
    }

    // Visibility is not a dependency.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}

#[test]
fn a_circle_is_what_reaches_itself_through_others() {
    let graph = BTreeMap::from([
        ("a", BTreeSet::from(["b"])),
        ("b", BTreeSet::from(["c", "d"])),
        ("c", BTreeSet::from(["a"])),
        ("d", BTreeSet::from(["d"])),
    ]);
    assert_eq!(circles_of(&graph), [["a", "b", "c"]]);
}

#[test]
fn paths_are_resolved_from_where_they_stand() {
    let file = |text: &str| syn::parse_file(text).expect("it is Rust");
    let files = BTreeMap::from([
        (Module::new(), file("")),
        (vec!["a".to_owned()], file("use super::b::X; fn f() { inner::g(); }")),
        (vec!["a".to_owned(), "inner".to_owned()], file("")),
        (
            vec!["b".to_owned()],
            file("use crate::a::inner; #[cfg(test)] mod tests { use crate::c; }"),
        ),
        (vec!["c".to_owned()], file("pub(in crate::a) fn f() {}")),
    ]);
    let graph = graph(&files);
    let names = |module: &[&str]| {
        let module: Module = module.iter().map(|it| (*it).to_owned()).collect();
        graph[&module].iter().map(|it| it.join("::")).collect::<Vec<_>>()
    };
    assert_eq!(names(&["a"]), ["a::inner", "b"]);
    assert_eq!(names(&["b"]), ["a::inner"]);
    assert_eq!(names(&["c"]), [""; 0]);
}
