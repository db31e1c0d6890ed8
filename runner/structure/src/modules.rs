//! Dependency cycles of modules inside a crate.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::Visit;

use crate::source::{Module, Source, is_for_tests};

/// For each module, the modules of its crate that it uses. A path counts as a use of the module that defines the item,
/// whatever re-exports it passes through.
type Graph = BTreeMap<Module, BTreeSet<Module>>;

/// The dependency cycles of a crate's modules.
#[derive(Debug)]
pub struct Circles {
    /// Cycles among modules with the same parent, with the parent's path; submodules count as part of their parent.
    pub siblings: Vec<(String, Vec<String>)>,
    /// Modules below the crate's root that the root uses and that, directly or not, use items defined in the root.
    pub through_root: Vec<String>,
}

/// Finds the cycles of the crate `name` with these files. Tests do not count.
pub(crate) fn circles(name: &str, sources: &[Source]) -> Circles {
    let files = sources.iter().filter(|source| !source.is_for_tests);
    let files: Files = files.map(|source| (source.module.clone(), &source.syntax)).collect();
    let graph = graph(&files, &scopes(&files));
    let mut siblings = Vec::new();
    for parent in files.keys() {
        let path = std::iter::once(name.to_owned()).chain(parent.iter().cloned());
        let path = path.collect::<Vec<_>>().join("::");
        let below = children(&graph, parent);
        siblings.extend(circles_of(&below).into_iter().map(|circle| (path.clone(), circle)));
    }
    Circles { siblings, through_root: through_root(&graph) }
}

/// Dependencies among the children of `parent`.
fn children<'a>(graph: &'a Graph, parent: &Module) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let level = parent.len() + 1;
    let within = |module: &Module| module.len() >= level && module.starts_with(parent);
    let mut children: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in graph.iter().filter(|(from, _)| within(from)) {
        let targets = to.iter().filter(|to| within(to)).map(|to| to[level - 1].as_str());
        children.entry(&from[level - 1]).or_default().extend(targets);
    }
    children
}

/// The children of the root that are in a cycle with it.
fn through_root(graph: &Graph) -> Vec<String> {
    let name = |module: &'_ Module| module.first().cloned().unwrap_or_default();
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (from, to) in graph {
        all.entry(name(from)).or_default().extend(to.iter().map(name));
    }
    let all = all.iter().map(|(from, to)| (from.as_str(), to.iter().map(String::as_str).collect()));
    let circle = circles_of(&all.collect()).into_iter().find(|circle| circle[0].is_empty());
    circle.map(|circle| circle[1..].to_vec()).unwrap_or_default()
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

/// The syntax trees of a crate's modules.
type Files<'a> = BTreeMap<Module, &'a syn::File>;

/// The names of a module.
#[derive(Default)]
struct Scope {
    /// Names of the items that the module defines.
    defined: BTreeSet<String>,
    /// Imported paths, by the name that the import gives them.
    imported: BTreeMap<String, Vec<String>>,
    /// Paths from which the module imports every name.
    globs: Vec<Vec<String>>,
}

impl Scope {
    fn of(file: &syn::File) -> Self {
        let mut scope = Self::default();
        for item in &file.items {
            match item {
                syn::Item::Use(item) => scope.add_use(item),
                syn::Item::Const(item) => scope.define(&item.ident),
                syn::Item::Enum(item) => scope.define(&item.ident),
                syn::Item::Fn(item) => scope.define(&item.sig.ident),
                syn::Item::Static(item) => scope.define(&item.ident),
                syn::Item::Struct(item) => scope.define(&item.ident),
                syn::Item::Trait(item) => scope.define(&item.ident),
                syn::Item::Type(item) => scope.define(&item.ident),
                syn::Item::ExternCrate(_)
                | syn::Item::ForeignMod(_)
                | syn::Item::Impl(_)
                | syn::Item::Macro(_)
                | syn::Item::Mod(_)
                | syn::Item::TraitAlias(_)
                | syn::Item::Union(_)
                | syn::Item::Verbatim(_)
                | _ => {}
            }
        }
        scope
    }

    fn define(&mut self, name: &syn::Ident) {
        self.defined.insert(name.to_string());
    }

    fn add_use(&mut self, item: &syn::ItemUse) {
        for (name, path) in imports(&item.tree) {
            if let Some(name) = name {
                self.imported.insert(name, path);
            } else {
                self.globs.push(path);
            }
        }
    }
}

/// The paths of a `use`, each with its name in the module; a path that ends in `*` has none.
fn imports(tree: &syn::UseTree) -> Vec<(Option<String>, Vec<String>)> {
    let behind = |first: &syn::Ident, rest: Vec<(Option<String>, Vec<String>)>| {
        let join =
            |(name, path): (_, Vec<String>)| (name, [vec![first.to_string()], path].concat());
        rest.into_iter().map(join).collect()
    };
    match tree {
        syn::UseTree::Path(path) => behind(&path.ident, imports(&path.tree)),
        syn::UseTree::Name(name) => {
            vec![(Some(name.ident.to_string()), vec![name.ident.to_string()])]
        }
        syn::UseTree::Rename(name) => {
            vec![(Some(name.rename.to_string()), vec![name.ident.to_string()])]
        }
        syn::UseTree::Glob(_) => vec![(None, Vec::new())],
        syn::UseTree::Group(group) => group.items.iter().flat_map(imports).collect(),
    }
}

/// The scopes of a crate's modules.
type Scopes = BTreeMap<Module, Scope>;

fn scopes(files: &Files) -> Scopes {
    files.iter().map(|(module, file)| (module.clone(), Scope::of(file))).collect()
}

fn graph(files: &Files, scopes: &Scopes) -> Graph {
    let mut graph = Graph::new();
    for (module, file) in files {
        let mut paths = Paths::default();
        paths.visit_file(file);
        let imported = scopes[module].imported.iter();
        let used = imported.filter(|(name, _)| paths.firsts.contains(*name)).map(|(_, path)| path);
        let named = paths.long.iter().chain(used);
        let named = named.filter_map(|path| resolve(module, path, scopes, 0));
        graph.insert(module.clone(), named.filter(|to| to != module).collect());
    }
    graph
}

fn below(module: &Module, name: &str) -> Module {
    module.iter().cloned().chain([name.to_owned()]).collect()
}

/// The module that defines the item that `path` names in `module`, or the deepest known one on the way there.
fn definition(module: Module, path: &[String], scopes: &Scopes, depth: usize) -> Module {
    // Imports that name each other have no definition.
    let Some(name) = path.first().filter(|_| depth < 16) else { return module };
    let child = below(&module, name);
    if scopes.contains_key(&child) {
        return definition(child, &path[1..], scopes, depth);
    }
    let Some(scope) = scopes.get(&module).filter(|it| !it.defined.contains(name)) else {
        return module;
    };
    if let Some(import) = scope.imported.get(name) {
        let import = [import, &path[1..]].concat();
        return resolve(&module, &import, scopes, depth + 1).unwrap_or(module);
    }
    let defines = |to: &Module| {
        let scope = scopes.get(to);
        scope.is_some_and(|it| it.defined.contains(name) || it.imported.contains_key(name))
    };
    let globs = scope.globs.iter().filter_map(|glob| resolve(&module, glob, scopes, depth + 1));
    let known = globs.into_iter().find(|to| *to != module && defines(to));
    known.map_or(module, |to| definition(to, path, scopes, depth + 1))
}

/// The module that defines the item that `path` names in `from`, or `from` itself for an item of another crate. `depth`
/// counts the imports on the way.
fn resolve(from: &Module, path: &[String], scopes: &Scopes, depth: usize) -> Option<Module> {
    let mut base = from.clone();
    let mut rest = path;
    if rest.first()? == "crate" {
        (base, rest) = (Module::new(), &rest[1..]);
    }
    while let Some(word) = rest.first().filter(|word| *word == "self" || *word == "super") {
        if word == "super" {
            base.pop()?;
        }
        rest = &rest[1..];
    }
    Some(definition(base, rest, scopes, depth))
}

/// The paths used in code, except in tests and re-exports.
#[derive(Default)]
struct Paths {
    /// Paths of more than one name, and imports.
    long: Vec<Vec<String>>,
    /// The first names of all paths.
    firsts: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if matches!(item.vis, syn::Visibility::Inherited) && !is_for_tests(&item.attrs) {
            self.long.extend(imports(&item.tree).into_iter().map(|(_, path)| path));
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path.segments.iter().map(|segment| segment.ident.to_string());
        let names: Vec<_> = names.collect();
        self.firsts.extend(names.first().cloned());
        if names.len() > 1 {
            self.long.push(names);
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_for_tests(&item.attrs) {
            syn::visit::visit_item_mod(self, item);
        }
    }

    // Visibility is not a dependency.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph_of(files: &[(Module, syn::File)]) -> Graph {
        let files = files.iter().map(|(module, file)| (module.clone(), file)).collect();
        graph(&files, &scopes(&files))
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
        let files = [
            (Module::new(), file("")),
            (vec!["a".to_owned()], file("use super::b::X; fn f() { inner::g(); }")),
            (vec!["a".to_owned(), "inner".to_owned()], file("")),
            (
                vec!["b".to_owned()],
                file("use crate::a::inner; #[cfg(test)] mod tests { use crate::c; }"),
            ),
            (vec!["c".to_owned()], file("pub(in crate::a) fn f() {}")),
        ];
        let graph = graph_of(&files);
        let names = |module: &[&str]| {
            let module: Module = module.iter().map(|it| (*it).to_owned()).collect();
            graph[&module].iter().map(|it| it.join("::")).collect::<Vec<_>>()
        };
        assert_eq!(names(&["a"]), ["a::inner", "b"]);
        assert_eq!(names(&["b"]), ["a::inner"]);
        assert_eq!(names(&["c"]), [""; 0]);
    }

    #[test]
    fn names_belong_to_the_module_that_defines_them() {
        let file = |text: &str| syn::parse_file(text).expect("it is Rust");
        let files = [
            (
                Module::new(),
                file("pub use a::Shared; mod a; mod b; mod c; pub struct Own; use c::g;"),
            ),
            (vec!["a".to_owned()], file("pub struct Shared; pub use super::c::*;")),
            (
                vec!["b".to_owned()],
                file("use crate::{Shared, Own}; fn f() { crate::a::Far::new(); }"),
            ),
            (vec!["c".to_owned()], file("pub struct Far; fn g(own: super::Own) {}")),
        ];
        let graph = graph_of(&files);
        let names = |module: &str| {
            let module: Module =
                module.split("::").filter(|it| !it.is_empty()).map(str::to_owned).collect();
            graph[&module].iter().map(|it| it.join("::")).collect::<Vec<_>>()
        };
        assert_eq!(names("b"), ["", "a", "c"]);
        assert_eq!(names(""), ["c"]);
        assert_eq!(through_root(&graph), ["c"]);
    }
}
