//! Insertion of mutants into a file.

use std::ops::Range;

use crate::mutants::site::{IS, Site};

/// Text of a file with mutants, and their positions.
#[derive(Debug)]
pub(crate) struct Instrumented {
    pub(crate) text: String,
    /// Number and byte range of each mutant.
    pub(crate) places: Vec<(usize, Range<usize>)>,
}

/// Inserts `sites`, each with its number, into `text`.
///
/// A site inside another one is inserted into the original part, because only one mutant is ever selected.
pub(crate) fn instrument(text: &str, sites: &[(usize, &Site)]) -> Instrumented {
    let mut sites = sites.to_vec();
    // Outer sites first. Insertions come before sites that begin at the same byte.
    sites.sort_by_key(|(number, site)| {
        (site.bytes.start, !site.bytes.is_empty(), usize::MAX - site.bytes.end, *number)
    });
    let mut made = Instrumented { text: String::new(), places: Vec::new() };
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
            let question = format!("ir::mutant::is({number})");
            let start = self.text.len();
            self.text.push_str(&site.before.replace(IS, &question));
            self.render(text, site.bytes.clone(), inner);
            self.text.push_str(&site.behind.replace(IS, &question));
            self.places.push((*number, start..self.text.len()));
            at = site.bytes.end;
            sites = others;
        }
        self.text.push_str(&text[at..bytes.end]);
    }
}
