//! Links of the documentation: every link leads to a file and a heading that are there, and every page is in the book.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::page::Page;

/// The table of contents of the book.
pub(super) const SUMMARY: &str = "docs/SUMMARY.md";

/// Pages that are not part of the book: its table of contents, and a form.
const NOT_IN_THE_BOOK: [&str; 2] = [SUMMARY, ".github/pull_request_template.md"];

/// The pages of the repository by their paths, in alphabetical order.
pub(super) type Pages = BTreeMap<PathBuf, Page>;

/// Folders without pages: what builds and runs write.
const SKIPPED: [&str; 4] = ["target", "results", "out", "corpus"];

/// Reads all pages of the repository.
pub(super) fn read_all(root: &Path) -> Result<Pages, String> {
    let mut pages = Pages::new();
    read_folder(root, Path::new(""), &mut pages)?;
    Ok(pages)
}

fn read_folder(root: &Path, folder: &Path, pages: &mut Pages) -> Result<(), String> {
    let about = |error: std::io::Error| format!("{}: {error}", root.join(folder).display());
    for entry in std::fs::read_dir(root.join(folder)).map_err(about)? {
        let entry = entry.map_err(about)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = folder.join(&name);
        if entry.file_type().map_err(about)?.is_dir() {
            let is_hidden = name.starts_with('.') && name != ".github";
            if !is_hidden && !SKIPPED.contains(&name.as_str()) {
                read_folder(root, &path, pages)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.insert(path.clone(), Page::read(root, &path)?);
        }
    }
    Ok(())
}

/// Returns a message for every dead link and every page that is missing from the book.
pub(super) fn problems(root: &Path, pages: &Pages) -> Vec<String> {
    let dead = pages.values().flat_map(|page| dead_links(root, pages, page));
    dead.chain(outside(pages)).collect()
}

fn dead_links(root: &Path, pages: &Pages, page: &Page) -> Vec<String> {
    let links = page.links.iter();
    let told = links.filter_map(|link| {
        let reason = dead(root, pages, page, &link.target)?;
        Some(format!("{}: `{}`: {reason}", page.place(link.line), link.target))
    });
    told.collect()
}

/// Why a link leads nowhere; none if it leads somewhere or out of the repository.
fn dead(root: &Path, pages: &Pages, page: &Page, target: &str) -> Option<String> {
    if is_outside(target) {
        return None;
    }
    let (file, anchor) = split(target);
    let path = if file.is_empty() { page.path.clone() } else { resolve(&page.path, file) };
    if !root.join(&path).exists() {
        return Some(format!("there is no {}", path.display()));
    }
    let anchor = anchor?;
    let Some(page) = pages.get(&path) else {
        return Some(format!("{} has no headings", path.display()));
    };
    (!page.anchors.contains(anchor)).then(|| format!("{} has no such heading", path.display()))
}

/// Pages that are not in the table of contents exactly once.
fn outside(pages: &Pages) -> Vec<String> {
    let Some(summary) = pages.get(Path::new(SUMMARY)) else {
        return vec![format!("there is no {SUMMARY}")];
    };
    let mut counts: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for link in &summary.links {
        *counts.entry(resolve(&summary.path, &link.target)).or_default() += 1;
    }
    let is_listed = |path: &&PathBuf| {
        NOT_IN_THE_BOOK.iter().all(|other| *path != Path::new(other))
            && counts.get(*path).copied().unwrap_or_default() != 1
    };
    let wrong = pages.keys().filter(is_listed);
    wrong.map(|path| format!("{}: is not in {SUMMARY} once", path.display())).collect()
}

/// True for a link to another site.
pub(super) fn is_outside(target: &str) -> bool {
    target.starts_with("http://") || target.starts_with("https://")
}

/// File and anchor of a link; the file is empty for the page itself.
pub(super) fn split(target: &str) -> (&str, Option<&str>) {
    target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)))
}

/// Path from the repository of a file that a link on the page at `page` names.
pub(super) fn resolve(page: &Path, file: &str) -> PathBuf {
    let mut path = page.parent().unwrap_or_else(|| Path::new("")).to_owned();
    for component in Path::new(file).components() {
        match component {
            Component::ParentDir => drop(path.pop()),
            Component::Normal(name) => path.push(name),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_link_of_the_documentation_leads_somewhere() {
        let root = crate::build::root();
        let pages = read_all(&root).expect("the pages can be read");
        let links: usize = pages.values().map(|page| page.links.len()).sum();
        assert!(pages.len() > 50 && links > 300, "{} pages with {links} links", pages.len());
        let problems = problems(&root, &pages);
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }

    #[test]
    fn dead_links_and_pages_outside_the_book_are_found() {
        let folder = tempfile::tempdir().expect("the system has room for temporary files");
        let root = folder.path();
        let files = [
            ("docs/SUMMARY.md", "* [A](a.md)\n"),
            ("docs/a.md", "# A\n\n[b](../b.md#title) [b](../b.md#other)\n[c](c.md)\n[self](#a)\n"),
            ("b.md", "# Title\n[site](https://example.org/x.md) [file](docs#x)\n"),
        ];
        let mut pages = Pages::new();
        std::fs::create_dir(root.join("docs")).expect("the folder is ours");
        for (path, text) in files {
            std::fs::write(root.join(path), text).expect("the folder is ours");
            pages.insert(path.into(), Page::of(Path::new(path), text));
        }
        let expected = [
            "b.md:2: `docs#x`: docs has no headings",
            "docs/a.md:3: `../b.md#other`: b.md has no such heading",
            "docs/a.md:4: `c.md`: there is no docs/c.md",
            "b.md: is not in docs/SUMMARY.md once",
        ];
        assert_eq!(problems(root, &pages), expected);
    }
}
