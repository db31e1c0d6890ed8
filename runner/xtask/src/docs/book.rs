//! The book: pages are copied to a folder, with links that hold there, and mdBook makes the site of them.
//!
//! The pages keep their paths from the root of the repository, so most links between them stay as they are. A `README.md`
//! is the first page of its folder, which mdBook calls `index.html`. Links to other files of the repository become links
//! to its site.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::links::{self, Pages, SUMMARY};
use super::page::{Link, Page};
use crate::build::cargo;
use crate::step::say;

/// Folder of the copied pages, as `book.toml` names it.
const SOURCE: &str = "target/book-source";

/// Folder of the site, as `book.toml` names it.
pub(super) const SITE: &str = "target/book";

/// Folder of the tools that this command builds.
const TOOLS: &str = "target/tools";

/// Version of mdBook that is built where no mdBook of this series is installed.
const VERSION: &str = "0.5.4";

/// What `mdbook --version` prints before the last number of the version.
const SERIES: &str = "mdbook v0.5.";

/// Name of the first page of a folder in the repository, and in the book.
const README: &str = "README.md";
const INDEX: &str = "index.md";

/// Branch that links to the repository's site name.
const BRANCH: &str = "main";

/// Makes the book.
pub(super) fn build(root: &Path, pages: &Pages) -> Result<(), String> {
    write_source(root, pages)?;
    let mdbook = find_mdbook(root)?;
    let status = Command::new(mdbook).arg("build").current_dir(root).status();
    let status = status.map_err(|error| format!("cannot start mdBook: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("mdBook: {status}")) }
}

/// Copies the pages of the book and their images.
fn write_source(root: &Path, pages: &Pages) -> Result<(), String> {
    let folder = root.join(SOURCE);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|error| about(&folder, &error))?;
    }
    let summary = pages.get(Path::new(SUMMARY)).ok_or_else(|| format!("there is no {SUMMARY}"))?;
    let chapters: BTreeSet<_> =
        summary.links.iter().map(|link| links::resolve(&summary.path, &link.target)).collect();
    let repository = repository(root)?;
    let place = Place { root, chapters: &chapters, repository: &repository };
    let text = rewrite(summary, |link| {
        Some(from_root(&in_book(&links::resolve(&summary.path, &link.target))))
    });
    write(&folder.join("SUMMARY.md"), text.as_bytes())?;
    for page in pages.values().filter(|page| chapters.contains(&page.path)) {
        let text = rewrite(page, |link| place.target(page, link));
        write(&folder.join(in_book(&page.path)), text.as_bytes())?;
        for image in page.links.iter().filter(|link| is_image(&link.target)) {
            let path = links::resolve(&page.path, &image.target);
            let bytes = std::fs::read(root.join(&path)).map_err(|error| about(&path, &error))?;
            write(&folder.join(path), &bytes)?;
        }
    }
    Ok(())
}

/// Where the links of the book lead.
struct Place<'a> {
    root: &'a Path,
    /// Paths of the pages in the book.
    chapters: &'a BTreeSet<PathBuf>,
    /// Address of the repository.
    repository: &'a str,
}

impl Place<'_> {
    /// The target of a link in the book; none if it stays as it is.
    fn target(&self, page: &Page, link: &Link) -> Option<String> {
        let (file, anchor) = links::split(&link.target);
        if links::is_outside(&link.target) || file.is_empty() || is_image(file) {
            return None;
        }
        let path = links::resolve(&page.path, file);
        if self.chapters.contains(&path) {
            let file = file.strip_suffix(README)?;
            let anchor = anchor.map_or_else(String::new, |anchor| format!("#{anchor}"));
            return Some(format!("{file}{INDEX}{anchor}"));
        }
        let kind = if self.root.join(&path).is_dir() { "tree" } else { "blob" };
        Some(format!("{}/{kind}/{BRANCH}/{}", self.repository, from_root(&path)))
    }
}

/// Path of a page in the book.
fn in_book(path: &Path) -> PathBuf {
    if path.file_name().is_some_and(|name| name == README) {
        path.with_file_name(INDEX)
    } else {
        path.to_owned()
    }
}

fn is_image(target: &str) -> bool {
    !links::is_outside(target) && Path::new(target).extension().is_some_and(|it| it == "png")
}

/// A path with the separators of addresses.
fn from_root(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

/// The text of a page with other targets of links.
fn rewrite(page: &Page, target: impl Fn(&Link) -> Option<String>) -> String {
    let mut text = page.text.clone();
    for link in page.links.iter().rev() {
        let Some(target) = target(link) else { continue };
        let written = &page.text[link.place.clone()];
        let Some(offset) = written.rfind(&format!("]({}", link.target)) else { continue };
        let start = link.place.start + offset + "](".len();
        text.replace_range(start..start + link.target.len(), &target);
    }
    text
}

/// Address of the repository, from the manifest of the workspace.
fn repository(root: &Path) -> Result<String, String> {
    let manifest = root.join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).map_err(|error| about(&manifest, &error))?;
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("repository = \""));
    let address = lines.next().and_then(|rest| rest.strip_suffix('"'));
    address.map(str::to_owned).ok_or_else(|| "Cargo.toml names no repository".to_owned())
}

/// Finds mdBook, or builds it below `target`.
fn find_mdbook(root: &Path) -> Result<PathBuf, String> {
    let name = Path::new("mdbook").with_extension(std::env::consts::EXE_EXTENSION);
    let built = root.join(TOOLS).join("bin").join(&name);
    if let Some(mdbook) = [built.clone(), name].into_iter().find(|mdbook| is_usable(mdbook)) {
        return Ok(mdbook);
    }
    let tools = root.join(TOOLS);
    let mut command = cargo(&["install", "mdbook", "--locked", "--version", VERSION]);
    // Without the server of `mdbook serve`, half of its dependencies are left out.
    command.args(["--no-default-features", "--features", "search", "--root"]).arg(&tools);
    command.arg("--target-dir").arg(tools.join("build")).current_dir(root);
    say(&format!("build mdBook {VERSION} in {TOOLS}: {command:?}"));
    let status = command.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() { Ok(built) } else { Err("cannot build mdBook".to_owned()) }
}

fn is_usable(mdbook: &Path) -> bool {
    let output = Command::new(mdbook).arg("--version").output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).starts_with(SERIES))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let folder = path.parent().expect("the file is in a folder");
    std::fs::create_dir_all(folder).map_err(|error| about(folder, &error))?;
    std::fs::write(path, bytes).map_err(|error| about(path, &error))
}

fn about(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_out_of_the_book_lead_to_the_repository() {
        let root = crate::build::root();
        let text = "[a](format/test.md#state) [b](../Cargo.toml) [c](../cases/wgsl) ![d](x.png) [e](#f) [g](format/README.md#h)";
        let page = Page::of(Path::new("docs/page.md"), text);
        let chapters =
            BTreeSet::from(["test", "README"].map(|name| format!("docs/format/{name}.md").into()));
        let place = Place { root: &root, chapters: &chapters, repository: "https://r" };
        let expected = "[a](format/test.md#state) [b](https://r/blob/main/Cargo.toml) \
            [c](https://r/tree/main/cases/wgsl) ![d](x.png) [e](#f) [g](format/index.md#h)";
        assert_eq!(rewrite(&page, |link| place.target(&page, link)), expected);
    }

    #[test]
    fn the_configuration_names_the_folders() {
        let root = crate::build::root();
        let text = std::fs::read_to_string(root.join("book.toml")).expect("the file is there");
        assert!(text.contains(&format!("src = \"{SOURCE}\"")));
        assert!(text.contains(&format!("build-dir = \"{SITE}\"")));
        assert!(repository(&root).is_ok_and(|address| text.contains(&address)));
        for file in [".github/workflows/ci.yml", ".gitlab-ci.yml"] {
            let text = std::fs::read_to_string(root.join(file)).expect("the file is there");
            assert!(text.contains(&format!("mdbook-{VERSION}")), "{file} keeps another version");
        }
    }
}
