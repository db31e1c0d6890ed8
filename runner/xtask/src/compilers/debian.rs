//! Packages of Debian: the index of a release, and what a package needs.

use std::collections::{BTreeMap, BTreeSet};

/// A package of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    /// Path below the mirror.
    pub(super) file: String,
    /// SHA-256 of the file, in hexadecimal digits.
    pub(super) sha256: String,
    /// For each dependency, the names of the packages that satisfy it.
    depends: Vec<Vec<String>>,
}

/// The packages of a release, by name.
#[derive(Debug)]
pub(super) struct Index(BTreeMap<String, Package>);

impl Index {
    /// Reads a `Packages` file. Of several versions of a package, the first counts. Paragraphs that lack a field are left
    /// out.
    pub(super) fn parse(text: &str) -> Self {
        let mut all = BTreeMap::new();
        for package in text.split("\n\n").filter_map(package) {
            all.entry(package.name.clone()).or_insert(package);
        }
        Self(all)
    }

    /// These packages and all that they depend on, by name. Of alternatives, the first that the index has counts. A
    /// dependency that it does not have is a virtual package, and is left out.
    ///
    /// # Errors
    /// The index lacks a wanted package.
    pub(super) fn closure(&self, wanted: &[&str]) -> Result<Vec<&Package>, String> {
        if let Some(missing) = wanted.iter().find(|name| !self.0.contains_key(**name)) {
            return Err(format!("the index has no package `{missing}`"));
        }
        let mut open: Vec<&str> = wanted.to_vec();
        let mut found = BTreeSet::new();
        while let Some(name) = open.pop() {
            let Some(package) = self.0.get(name).filter(|_| found.insert(name)) else { continue };
            let first = |names: &'_ Vec<String>| {
                let known = names.iter().find_map(|name| self.0.get_key_value(name));
                known.map(|(name, _)| name.as_str())
            };
            open.extend(package.depends.iter().filter_map(first));
        }
        Ok(found.into_iter().filter_map(|name| self.0.get(name)).collect())
    }
}

/// The package of a paragraph.
fn package(paragraph: &str) -> Option<Package> {
    let field = |name: &str| {
        let mut lines = paragraph.lines();
        let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        value.map(|value| value.trim().to_owned())
    };
    let depends = field("Depends").unwrap_or_default();
    Some(Package {
        name: field("Package")?,
        version: field("Version")?,
        file: field("Filename")?,
        sha256: field("SHA256")?,
        depends: depends.split(',').map(alternatives).filter(|names| !names.is_empty()).collect(),
    })
}

/// Names of a dependency such as `libc6 (>= 2.36) | libc6.1:any`.
fn alternatives(text: &str) -> Vec<String> {
    let name = |one: &str| {
        let name = one.trim().split([' ', '(', ':']).next().unwrap_or_default();
        (!name.is_empty()).then(|| name.to_owned())
    };
    text.split('|').filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDEX: &str = "\
Package: tint
Version: 2
Depends: libc6 (>= 2.36), libvirtual:any | libspare, libabsent
Description: a compiler
 of several lines
Filename: pool/t/tint.deb
SHA256: aa

Package: tint
Version: 1
Filename: pool/t/old.deb
SHA256: bb

Package: libc6
Version: 2.42
Pre-Depends: x
Filename: pool/libc6.deb
SHA256: cc

Package: libspare
Version: 1
Depends: tint
Filename: pool/libspare.deb
SHA256: dd

Package: broken
Version: 1
";

    #[track_caller]
    fn check(wanted: &str, expected: Result<&[&str], &str>) {
        let index = Index::parse(INDEX);
        let found = index.closure(&[wanted]);
        let names = found.map(|all| all.iter().map(|one| one.name.clone()).collect::<Vec<_>>());
        let expected = expected.map(|all| all.iter().map(|name| (*name).to_owned()).collect());
        assert_eq!(names, expected.map_err(str::to_owned));
    }

    #[test]
    fn a_package_comes_with_all_that_it_needs() {
        check("tint", Ok(&["libc6", "libspare", "tint"]));
        check("libc6", Ok(&["libc6"]));
        check("broken", Err("the index has no package `broken`"));
    }

    #[test]
    fn the_first_version_of_a_package_counts() {
        let index = Index::parse(INDEX);
        let found = index.closure(&["tint"]).expect("it is there");
        let tint = found.iter().find(|package| package.name == "tint").expect("it is there");
        let Package { version, file, sha256, .. } = tint;
        assert_eq!([version, file, sha256], ["2", "pool/t/tint.deb", "aa"]);
    }
}
