//! Ways in which a case or script cannot fail, or can never pass, in one table for all readers.
//!
//! A row names a way and the readers that refuse it. Most rows search the finished [`Case`], which case files and
//! scripts both become. The other ways are found where a word is read, and only their errors are made here. piglit's
//! files are exempt: they were written for another reader, which accepts all of them.

mod expected;
mod linking;
mod objects;
mod pixels;
mod unwritten;
mod watched;

use crate::Case;
use ir::diagnostic::Diagnostic;
use ir::source::Span;

pub use pixels::{holds_for_every_pixel, widest_error};

/// A way in which a case cannot fail, or can never pass.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// Name of the way in `docs/format/cannot-fail.md`.
    pub name: &'static str,
    /// The readers that refuse the way.
    pub readers: Readers,
    found: Found,
}

/// The readers that refuse a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// The reader of case files.
    Cases,
    /// The readers of case files, `AmberScript` and `VkScript`.
    All,
    /// The readers of `AmberScript` and `VkScript`.
    Scripts,
}

/// Where a way is detected.
#[derive(Clone, Copy, Debug)]
enum Found {
    /// Where the word or line is read.
    Reading,
    /// In the finished case, if these sections are free of errors.
    Case(Sections, fn(&Subject<'_>) -> Vec<Diagnostic>),
}

/// The sections that a search reads. Results that follow from an error in one of them are not reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sections {
    /// `[test]`.
    Steps,
    /// `[test]` and `[render targets]`.
    StepsAndTargets,
    /// `[test]` and `[link]`.
    StepsAndLink,
    /// `[expect]`.
    Expect,
}

/// The case that is searched.
struct Subject<'a> {
    case: &'a Case,
    /// Position of the setting of `[link]` that begins with the given words.
    setting: &'a dyn Fn(&str) -> Option<Span>,
}

/// A case without any expectation; a script without any is unsupported.
pub const EXPECTS_NOTHING: Way = reading("a case or script that expects nothing", Readers::All);
/// A setting of a section that is given twice, or a state that is set twice before a step uses it.
pub const GIVEN_TWICE: Way = reading("anything that is said twice", Readers::Cases);
/// A setting after the last step that it could affect.
pub const UNSEEN: Way = reading("a setting behind the last step that would see it", Readers::Cases);
/// A section or declaration that nothing reads.
pub const UNUSED: Way = reading("a section that nothing uses", Readers::Cases);
/// An expected message that is too general.
pub const COMMON_MESSAGE: Way =
    reading("an expected error whose text nearly every message has", Readers::Cases);
/// An empty text after `with`.
pub const EMPTY_SYMPTOM: Way =
    reading("a line of `[expect]` whose symptom is empty", Readers::Cases);
/// A word that GL does not know, of a command without effect.
pub const UNKNOWN_WORD: Way =
    reading("a word of `memory barrier` or `hint` that GL does not know", Readers::Cases);
/// `@for` whose bounds depend on no parameter, with no number between them.
pub const EMPTY_LOOP: Way = reading("an `@for` that never runs", Readers::Cases);
/// Lines of `[require]` of which only one can hold.
pub const CONTRADICTION: Way =
    reading("lines of `[require]` that contradict each other", Readers::Cases);
/// `profile all but …` that names all other profiles.
pub const NO_PROFILE: Way =
    reading("`profile all` where every other profile refuses", Readers::Cases);
/// A tolerance that is negative, infinite or NaN.
pub const ENDLESS_TOLERANCE: Way =
    reading("a tolerance that is negative, infinite or no number", Readers::All);
/// A script's comparison of a content with itself.
pub const SAME_CONTENT: Way = reading("a buffer that is compared with itself", Readers::Scripts);
/// A maximum error or distance that no two contents exceed.
pub const WIDE_CONTENT: Way =
    reading("a greatest error of two buffers that no two buffers exceed", Readers::Scripts);

/// All ways, in the order of `docs/format/cannot-fail.md`.
pub const WAYS: [Way; 23] = [
    EXPECTS_NOTHING,
    searched(
        "`link success` without any stage",
        Readers::Cases,
        Found::Case(Sections::Steps, objects::nothing_to_link),
    ),
    UNUSED,
    searched(
        "a stage object that nothing uses",
        Readers::Cases,
        Found::Case(Sections::Steps, objects::unused),
    ),
    searched(
        "a probe of what nothing has written yet",
        Readers::All,
        Found::Case(Sections::Steps, unwritten::search),
    ),
    searched(
        "a probe or comparison that holds for every value, or for none",
        Readers::All,
        Found::Case(Sections::StepsAndTargets, pixels::search),
    ),
    ENDLESS_TOLERANCE,
    SAME_CONTENT,
    WIDE_CONTENT,
    searched(
        "a step whose result nothing looks at",
        Readers::Cases,
        Found::Case(Sections::StepsAndLink, watched::last_step),
    ),
    searched(
        "a draw that is cleared before anything looks at it",
        Readers::Cases,
        Found::Case(Sections::StepsAndLink, watched::wiped_draws),
    ),
    searched(
        "a render target that nothing looks at",
        Readers::Cases,
        Found::Case(Sections::StepsAndLink, watched::targets),
    ),
    searched(
        "anything expected or drawn beside an expected error",
        Readers::Cases,
        Found::Case(Sections::StepsAndLink, watched::beside_an_error),
    ),
    COMMON_MESSAGE,
    searched(
        "a line of `[link]` that nothing could break, or that has no effect",
        Readers::Cases,
        Found::Case(Sections::StepsAndLink, linking::search),
    ),
    NO_PROFILE,
    GIVEN_TWICE,
    UNSEEN,
    UNKNOWN_WORD,
    CONTRADICTION,
    EMPTY_SYMPTOM,
    searched(
        "two lines of `[expect]` for one adapter",
        Readers::Cases,
        Found::Case(Sections::Expect, expected::search),
    ),
    EMPTY_LOOP,
];

const fn reading(name: &'static str, readers: Readers) -> Way {
    Way { name, readers, found: Found::Reading }
}

const fn searched(name: &'static str, readers: Readers, found: Found) -> Way {
    Way { name, readers, found }
}

impl Way {
    /// The error about an occurrence of this way, for readers.
    pub fn error(&self, span: impl Into<Option<Span>>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(span, message)
    }
}

/// Errors of a case file. `is_intact` shows which sections have no other errors, and `setting` returns the position of
/// a setting of `[link]`.
pub(crate) fn of_case(
    case: &Case,
    is_intact: impl Fn(Sections) -> bool,
    setting: &dyn Fn(&str) -> Option<Span>,
) -> Vec<Diagnostic> {
    let subject = Subject { case, setting };
    search(&subject, |way, sections| way.readers != Readers::Scripts && is_intact(sections))
}

/// Errors of a script that was converted to `case`.
pub fn of_script(case: &Case) -> Vec<Diagnostic> {
    let subject = Subject { case, setting: &|_| None };
    search(&subject, |way, _| way.readers != Readers::Cases)
}

fn search(subject: &Subject<'_>, is_wanted: impl Fn(&Way, Sections) -> bool) -> Vec<Diagnostic> {
    let found = WAYS.iter().filter_map(|way| match way.found {
        Found::Case(sections, search) if is_wanted(way, sections) => Some(search(subject)),
        Found::Case(..) | Found::Reading => None,
    });
    found.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_stands_in_the_documents_in_this_order() {
        let text = include_str!("../../docs/format/cannot-fail.md");
        let rows = text.lines().filter_map(|line| {
            let mut cells = line.strip_prefix("| ")?.split(" | ");
            let (name, readers) = (cells.next()?, cells.next()?);
            ["cases", "all", "scripts"].contains(&readers).then(|| (name, readers.to_owned()))
        });
        let expected =
            WAYS.iter().map(|way| (way.name, format!("{:?}", way.readers).to_lowercase()));
        assert_eq!(rows.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }
}
