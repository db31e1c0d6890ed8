//! `#include` (`GL_ARB_shading_language_include`): named texts, found by path in a tree that the application provides.

use super::splice::Spliced;

/// A text that `#include` can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Include {
    /// Path of the text in the tree: `/a/b/name`.
    pub path: String,
    /// The text.
    pub text: String,
    /// Position of the text in the case's source.
    pub base: usize,
}

/// All texts that one shader may include.
#[derive(Debug)]
pub(crate) struct Library<'a> {
    texts: Vec<(String, Spliced<'a>)>,
    /// Folders in which relative paths are looked up.
    folders: &'a [String],
}

impl<'a> Library<'a> {
    /// The texts and the search path.
    pub(crate) fn new(includes: &'a [Include], folders: &'a [String]) -> Self {
        let texts = includes
            .iter()
            .map(|include| (normalized(&include.path), Spliced::new(&include.text, include.base)));
        Self { texts: texts.collect(), folders }
    }

    /// The path and the text that `operand` (with its quotes or angle brackets) names in a text of `folder`. A path in
    /// quotes is first looked up relative to that folder. If several texts have the same path, the last one is used.
    pub(super) fn find(&self, operand: &str, folder: Option<&str>) -> Option<(&str, &Spliced<'a>)> {
        let (path, first) = match unwrapped(operand, '"', '"') {
            Some(path) => (path, folder),
            None => (unwrapped(operand, '<', '>')?, None),
        };
        let candidates: Vec<String> = if path.starts_with('/') {
            vec![normalized(path)]
        } else {
            let folders = first.into_iter().chain(self.folders.iter().map(String::as_str));
            folders.map(|folder| normalized(&format!("{folder}/{path}"))).collect()
        };
        candidates.iter().find_map(|path| {
            let mut texts = self.texts.iter().rev();
            texts.find(|(known, _)| known == path).map(|(path, text)| (path.as_str(), text))
        })
    }
}

/// The folder of a normalized path.
pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn unwrapped(operand: &str, open: char, close: char) -> Option<&str> {
    operand.strip_prefix(open)?.strip_suffix(close)
}

/// Normalizes a path: `/a/./b/../c` becomes `/a/c`.
fn normalized(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.into_iter().flat_map(|part| ["/", part]).collect()
}
