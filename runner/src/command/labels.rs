//! `interstage labels`: the linkage profiles, and the mapping between semantics and shader model 3 declarations.

use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::bail;
use interstage::ir::profile::Profile;
use interstage::ir::profile::table::{COLUMNS, row};
use interstage::ir::semantic::sm3;
use interstage::ir::semantic::sm3::Declaration;
use interstage::ir::semantic::{Semantic, SemanticName, Use};

use crate::args::LabelsOptions;
use crate::exit::Exit;

/// Prints the tables of profiles and labels, or the counterparts of the given labels.
pub fn labels(options: &LabelsOptions) -> anyhow::Result<Exit> {
    let text = if options.labels.is_empty() {
        profiles() + "\n" + &all(options.back_colors)
    } else {
        let lines = options.labels.iter().map(|label| counterpart(label, options.back_colors));
        lines.collect::<anyhow::Result<Vec<_>>>()?.concat()
    };
    write!(std::io::stdout(), "{text}")?;
    Ok(Exit::AsExpected)
}

/// Formats the profiles as a table.
fn profiles() -> String {
    let mut rows = vec![COLUMNS.map(str::to_owned)];
    rows.extend(Profile::ALL.iter().map(|(_, profile)| row(*profile)));
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..COLUMNS.len()).map(width).collect();
    let line = |row: &[String; COLUMNS.len()]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}  "));
        cells.collect::<String>().trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// Lists every semantic that has a declaration in shader model 3.
fn all(has_back_colors: bool) -> String {
    let names = SemanticName::ALL.into_iter();
    let all = names.flat_map(|(_, name)| {
        (0..name.index_count(Use::Intermediate)).map(move |index| Semantic { name, index })
    });
    let pairs = all.filter_map(|semantic| Some((semantic, sm3::declaration_of(semantic)?)));
    // With back colours, two GENERIC labels have no declaration.
    let own = pairs
        .filter(|(semantic, found)| sm3::semantic_of(*found, has_back_colors) == Some(*semantic));
    own.fold(String::new(), |mut text, (semantic, declaration)| {
        let _ = writeln!(text, "{semantic} {declaration}");
        text
    })
}

/// Returns a semantic's declaration, or a declaration's semantic.
fn counterpart(label: &str, has_back_colors: bool) -> anyhow::Result<String> {
    if let Ok(declaration) = label.parse::<Declaration>() {
        return Ok(match sm3::semantic_of(declaration, has_back_colors) {
            Some(semantic) => format!("{declaration} {semantic}\n"),
            None => format!("{declaration} none\n"),
        });
    }
    let semantic: Semantic = match label.parse() {
        Ok(semantic) => semantic,
        Err(error) => bail!("{error}, nor a declaration such as `TEXCOORD7`"),
    };
    let known = sm3::declaration_of(semantic);
    let own = known
        .filter(|declaration| sm3::semantic_of(*declaration, has_back_colors) == Some(semantic));
    Ok(own.map_or_else(
        || format!("{semantic} none\n"),
        |declaration| format!("{semantic} {declaration}\n"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(label: &str, has_back_colors: bool, expected: &str) {
        let found = counterpart(label, has_back_colors);
        assert_eq!(found.expect("a label"), format!("{label} {expected}\n"));
    }

    #[test]
    fn labels_have_counterparts_both_ways() {
        check("GENERIC[7]", false, "TEXCOORD7");
        check("TEXCOORD7", false, "GENERIC[7]");
        check("GENERIC[218]", false, "COLOR2");
        check("COLOR2", false, "GENERIC[218]");
        check("COLOR2", true, "BCOLOR[0]");
        check("GENERIC[218]", true, "none");
        check("BCOLOR[0]", true, "COLOR2");
        check("GENERIC[219]", false, "none");
        check("FOG", false, "FOG0");
        assert!(counterpart("TEXCOORD16", false).is_err());
    }

    /// There are 14 usages with 16 indices, and all are valid.
    #[test]
    fn all_224_declarations_are_listed() {
        for has_back_colors in [false, true] {
            assert_eq!(all(has_back_colors).lines().count(), 224);
        }
    }
}
