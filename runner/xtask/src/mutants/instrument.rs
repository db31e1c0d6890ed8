//! Insertion of mutants into a file.

use std::ops::Range;

use crate::mutants::site::{IS, SELECTOR, Site};

/// Text of a file with mutants, and their positions.
#[derive(Debug)]
pub(crate) struct Instrumented {
    pub(crate) text: String,
    /// Number and byte range of each mutant.
    pub(crate) places: Vec<(usize, Range<usize>)>,
    selector: &'static str,
}

/// Inserts `sites`, each with its number, into `text`, in which `selector` is the path of the module that selects mutants.
///
/// A site inside another one is inserted into the original part, because only one mutant is ever selected.
pub(crate) fn instrument(
    text: &str,
    sites: &[(usize, &Site)],
    selector: &'static str,
) -> Instrumented {
    let mut sites = sites.to_vec();
    // Outer sites first. Insertions come before sites that begin at the same byte.
    sites.sort_by_key(|(number, site)| {
        (site.bytes.start, !site.bytes.is_empty(), usize::MAX - site.bytes.end, *number)
    });
    let mut made = Instrumented { text: String::new(), places: Vec::new(), selector };
    made.render(text, 0..text.len(), &sites);
    made
}

impl Instrumented {
    fn render(&mut self, text: &str, bytes: Range<usize>, mut sites: &[(usize, &Site)]) {
        let mut at = bytes.start;
        while let [(number, site), rest @ ..] = sites {
            self.text.push_str(&text[at..site.bytes.start]);
            let count =
                rest.iter().take_while(|(_, inner)| inner.bytes.start < site.bytes.end).count();
            let (inner, others) = rest.split_at(count);
            let question = format!("{}::is({number})", self.selector);
            let filled = |text: &str| text.replace(IS, &question).replace(SELECTOR, self.selector);
            let start = self.text.len();
            let (before, behind) = (filled(&site.before), filled(&site.behind));
            self.text.push_str(&before);
            self.render(text, site.bytes.clone(), inner);
            self.text.push_str(&behind);
            self.places.push((*number, start..self.text.len()));
            at = site.bytes.end;
            sites = others;
        }
        self.text.push_str(&text[at..bytes.end]);
    }
}
