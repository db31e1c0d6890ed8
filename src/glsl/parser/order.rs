//! Checks the order of qualifiers, which was fixed before GLSL 4.20 and ES 3.10 (GLSL 1.50 section 4.7), and their
//! repetition.

/// Kinds of qualifier in the order of the old versions. `layout` may occur anywhere before [`QualifierKind::Auxiliary`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum QualifierKind {
    Precise,
    Invariant,
    Interpolation,
    Layout,
    Auxiliary,
    Storage,
    Precision,
}

/// The qualifiers of one declaration that have been parsed.
#[derive(Debug, Default)]
pub(super) struct Order {
    seen: Vec<(QualifierKind, String)>,
}

/// An error of the shader: a qualifier in a place where it is not allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct WrongOrder(pub(super) String);

impl Order {
    /// Adds a qualifier. The error is the reason why it is not allowed here.
    pub(super) fn add(&mut self, word: &str, is_free: bool) -> Result<(), WrongOrder> {
        let Some(kind) = kind_of(word) else { return Ok(()) };
        let repeated = self.seen.iter().find(|(known, _)| *known == kind);
        let must_precede = self.seen.iter().find(|(known, _)| is_out_of_order(*known, kind));
        let result = match (repeated, must_precede) {
            (Some((_, first)), _) if !may_repeat(kind, is_free) => {
                Err(WrongOrder(if *first == word {
                    format!("`{word}` is given twice")
                } else {
                    format!("`{word}` cannot be combined with `{first}`")
                }))
            }
            (_, Some((_, first))) if !is_free => {
                Err(WrongOrder(format!("`{word}` must come before `{first}` in this version")))
            }
            _ => Ok(()),
        };
        self.seen.push((kind, word.to_owned()));
        result
    }
}

/// True if a qualifier may repeat. Storage qualifiers are counted elsewhere, where their declaration is known.
const fn may_repeat(kind: QualifierKind, is_free: bool) -> bool {
    match kind {
        QualifierKind::Storage => true,
        QualifierKind::Layout => is_free,
        QualifierKind::Precise
        | QualifierKind::Invariant
        | QualifierKind::Interpolation
        | QualifierKind::Auxiliary
        | QualifierKind::Precision => false,
    }
}

fn is_out_of_order(first: QualifierKind, second: QualifierKind) -> bool {
    let is_layout_early = second == QualifierKind::Layout && first < QualifierKind::Auxiliary;
    let is_layout_first = first == QualifierKind::Layout && second < QualifierKind::Auxiliary;
    first > second && !is_layout_early && !is_layout_first
}

fn kind_of(word: &str) -> Option<QualifierKind> {
    Some(match word {
        "precise" => QualifierKind::Precise,
        "invariant" => QualifierKind::Invariant,
        "smooth" | "flat" | "noperspective" => QualifierKind::Interpolation,
        "layout" => QualifierKind::Layout,
        "centroid" | "sample" | "patch" => QualifierKind::Auxiliary,
        "const" | "in" | "out" | "inout" | "attribute" | "varying" | "uniform" | "buffer"
        | "shared" => QualifierKind::Storage,
        "lowp" | "mediump" | "highp" => QualifierKind::Precision,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the first message about these words.
    #[track_caller]
    fn check(words: &str, is_free: bool, expected: &str) {
        let mut order = Order::default();
        let message = words.split(' ').find_map(|word| order.add(word, is_free).err());
        assert_eq!(message.map_or(String::new(), |wrong| wrong.0), expected, "{words}");
    }

    #[test]
    fn old_versions_fix_the_order() {
        check("invariant flat centroid out highp", false, "");
        check("flat layout out", false, "");
        check("layout invariant flat out", false, "");
        check(
            "smooth invariant out",
            false,
            "`invariant` must come before `smooth` in this version",
        );
        check("out centroid", false, "`centroid` must come before `out` in this version");
        check("in layout", false, "`layout` must come before `in` in this version");
        check("highp in", false, "`in` must come before `highp` in this version");
    }

    #[test]
    fn new_versions_take_any_order() {
        check("highp out centroid layout layout flat invariant", true, "");
    }

    #[test]
    fn some_stand_only_once_in_any_version() {
        let message = "`sample` cannot be combined with `centroid`";
        check("centroid sample in", true, message);
        let message = "`layout` is given twice";
        check("layout layout in", false, message);
        check("const in", false, "");
    }
}
