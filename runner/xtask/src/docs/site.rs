//! Check of the finished site: every link between its pages leads to a page and an anchor that are there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::links::{is_outside, resolve, split};

/// A page that repeats all others, with links of its own making, and the page of a missing address, whose links are
/// absolute.
const GENERATED: [&str; 2] = ["print.html", "404.html"];

/// What a page of the site has.
struct Page {
    anchors: BTreeSet<String>,
    links: Vec<String>,
}

/// Returns a message for every dead link of the site in `folder`.
pub(super) fn problems(folder: &Path) -> Result<Vec<String>, String> {
    let mut paths = Vec::new();
    collect(folder, Path::new(""), &mut paths)?;
    let mut pages = BTreeMap::new();
    for path in &paths {
        if path.extension().is_some_and(|extension| extension == "html") {
            let text = std::fs::read_to_string(folder.join(path))
                .map_err(|error| format!("{}: {error}", path.display()))?;
            let page = Page { anchors: values(&text, "id").collect(), links: links(&text) };
            pages.insert(path.clone(), page);
        }
    }
    let files: BTreeSet<_> = paths.iter().cloned().collect();
    let mut found = Vec::new();
    for (path, page) in &pages {
        if GENERATED.iter().any(|name| path == Path::new(name)) {
            continue;
        }
        for link in page.links.iter().filter(|link| !is_outside(link)) {
            let (file, anchor) = split(link);
            let target = if file.is_empty() { path.clone() } else { resolve(path, file) };
            let has_anchor = anchor.is_none_or(|anchor| {
                pages.get(&target).is_some_and(|page| page.anchors.contains(anchor))
            });
            if !files.contains(&target) || !has_anchor {
                found.push(format!("{}: `{link}` leads nowhere", path.display()));
            }
        }
    }
    Ok(found)
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = std::fs::read_dir(root.join(folder))
        .map_err(|error| format!("{}: {error}", root.join(folder).display()))?;
    for entry in entries.flatten() {
        let path = folder.join(entry.file_name());
        if entry.path().is_dir() {
            collect(root, &path, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

/// Targets of links and images.
fn links(html: &str) -> Vec<String> {
    values(html, "href")
        .chain(values(html, "src"))
        .filter(|link| !link.starts_with("data:"))
        .collect()
}

/// Values of an attribute.
fn values<'a>(html: &'a str, attribute: &'a str) -> impl Iterator<Item = String> + 'a {
    let start = format!(" {attribute}=\"");
    html.split('<').skip(1).filter_map(move |tag| {
        let tag = tag.split('>').next().unwrap_or_default();
        let (_, rest) = tag.split_once(&start)?;
        Some(rest.split('"').next().unwrap_or_default().replace("&amp;", "&"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_without_page_or_anchor_is_found() {
        let folder = tempfile::tempdir().expect("the system has room for temporary files");
        let page = "<h1 id=\"a\">A</h1><a href=\"#a\">a</a><a class=x href=\"b.html#b\">b</a> \
            <a href=\"c.html\">c</a><a href=\"https://example.org/d.html\">d</a>";
        std::fs::write(folder.path().join("a.html"), page).expect("the folder is ours");
        std::fs::write(folder.path().join("b.html"), "<p id=\"c\">").expect("the folder is ours");
        let found = problems(folder.path()).expect("the folder can be read");
        assert_eq!(found, ["a.html: `b.html#b` leads nowhere", "a.html: `c.html` leads nowhere"]);
    }
}
