//! Rules, and the notation for rows of the table of rules.
//!
//! A row names the rule, its section, the versions in which it holds and the verdict when it is broken; then one or
//! more *ways* to break it, of which one is drawn. A way is text for one or both stages, with placeholders that are
//! chosen anew each time:
//!
//! | placeholder | stands for |
//! |---|---|
//! | `$n`, `$m`, `$k` | three new names |
//! | `$out`, `$in`, `$attribute` | the version's keyword: `varying` or `out`, `varying` or `in`, `attribute` or `in` |
//! | `$T`, `$U` | two different types of floats |
//! | `$v`, `$w` | two different vectors of floats |
//! | `$i` | 0 to 3 |
//! | `$tex` | the function that samples a texture |
//!
//! `acc` is a vec4 that every shader has; values that are read are added to it.

use std::fmt;

use fastrand::Rng;

use crate::invalid::base;
use crate::invalid::program::{Program, Stage};
use crate::invalid::version::{Profile, Range, Version};

/// A rule of the language.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Name in snake case.
    pub name: &'static str,
    /// Section of GLSL 4.60, or of GLSL ES 3.20 if it begins with `ES`.
    pub section: &'static str,
    /// Versions in which it holds.
    pub range: Range,
    /// Profiles in which it holds.
    pub profiles: Profiles,
    /// Verdict when it is broken.
    pub verdict: Verdict,
    /// Parts of a way that are needed to break the rule.
    pub needs: Needs,
    /// True if the program gets no fragment output.
    pub is_bare: bool,
    /// Stages between the vertex and the fragment stage that the program must have; `None` if it has none.
    pub between: Option<&'static [Stage]>,
    /// Reason why interstage accepts some programs that break it; empty if it accepts none.
    pub leniency: &'static str,
    /// The ways to break it.
    pub ways: &'static [Way],
}

/// GLSL profiles in which a rule holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profiles {
    /// All profiles.
    All,
    /// Not in the compatibility profile.
    NotCompatibility,
    /// Only versions and profiles with the legacy built-ins.
    Legacy,
}

/// The right verdict for a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It links.
    Valid,
    /// A shader does not compile.
    CompileError,
    /// All shaders compile, but do not link.
    LinkError,
}

/// Parts of a way that are needed to break a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Declarations; statements may be left out.
    Declarations,
    /// Statements too, in any place.
    Statements,
    /// Statements that are executed.
    ReachedStatements,
}

/// One way to break a rule.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// First version of GLSL and of GLSL ES that the way needs; 0 for no requirement.
    pub since: (u16, u16),
    /// The change to the program.
    pub edit: Edit,
}

/// A change to a program.
#[derive(Clone, Copy)]
pub enum Edit {
    /// A declaration and a statement for a stage; either may be empty.
    One(Where, &'static str, &'static str),
    /// Declaration and statement of the vertex stage, then of the fragment stage.
    Pair([&'static str; 2], [&'static str; 2]),
    /// Declaration and statement for a stage's object with `main`, then the declarations of a second object.
    Objects(Where, [&'static str; 2], &'static str),
    /// Lines right after `#version`.
    Head(Where, &'static str),
    /// Any other change.
    Change(fn(&mut Program, &mut Rng)),
}

/// Selection of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// The vertex stage.
    Vertex,
    /// The tessellation control stage.
    Control,
    /// The tessellation evaluation stage.
    Evaluation,
    /// The geometry stage.
    Geometry,
    /// The fragment stage.
    Fragment,
    /// The vertex or the fragment stage.
    Either,
}

/// A rule whose breach is a compile error.
pub const fn compile(name: &'static str, section: &'static str) -> Rule {
    rule(name, section, Verdict::CompileError, Needs::Statements)
}

/// A rule whose breach is a link error.
pub const fn link(name: &'static str, section: &'static str) -> Rule {
    rule(name, section, Verdict::LinkError, Needs::Declarations)
}

/// A valid construct that looks like a breach.
pub const fn valid(name: &'static str, section: &'static str) -> Rule {
    rule(name, section, Verdict::Valid, Needs::Declarations)
}

const fn rule(name: &'static str, section: &'static str, verdict: Verdict, needs: Needs) -> Rule {
    let range = Range { desktop: None, es: None };
    Rule {
        name,
        section,
        range,
        profiles: Profiles::All,
        verdict,
        needs,
        is_bare: false,
        between: None,
        leniency: "",
        ways: &[],
    }
}

/// A way with a declaration.
pub const fn declare(place: Where, text: &'static str) -> Way {
    one(place, text, "")
}

/// A way with a statement.
pub const fn state(place: Where, text: &'static str) -> Way {
    one(place, "", text)
}

/// A way with a declaration and a statement.
pub const fn one(place: Where, declaration: &'static str, statement: &'static str) -> Way {
    Way { since: (0, 0), edit: Edit::One(place, declaration, statement) }
}

/// A way with a declaration and a statement for each stage.
pub const fn pair(vertex: [&'static str; 2], fragment: [&'static str; 2]) -> Way {
    Way { since: (0, 0), edit: Edit::Pair(vertex, fragment) }
}

/// A way with a declaration and a statement of one object, and declarations of a second.
pub const fn objects(place: Where, first: [&'static str; 2], second: &'static str) -> Way {
    Way { since: (0, 0), edit: Edit::Objects(place, first, second) }
}

/// A way with lines after `#version`.
pub const fn head(place: Where, text: &'static str) -> Way {
    Way { since: (0, 0), edit: Edit::Head(place, text) }
}

/// A way that is a function.
pub const fn change(edit: fn(&mut Program, &mut Rng)) -> Way {
    Way { since: (0, 0), edit: Edit::Change(edit) }
}

impl Rule {
    /// Holds in all versions.
    #[must_use]
    pub const fn everywhere(self) -> Self {
        self.desktop(110, 460).es(100, 320)
    }

    /// Holds from these versions on; 0 for not in that language.
    #[must_use]
    pub const fn since(self, desktop: u16, es: u16) -> Self {
        let rule = if desktop == 0 { self } else { self.desktop(desktop, 460) };
        if es == 0 { rule } else { rule.es(es, 320) }
    }

    /// Holds in these versions of GLSL.
    #[must_use]
    pub const fn desktop(mut self, first: u16, last: u16) -> Self {
        self.range.desktop = Some((first, last));
        self
    }

    /// Holds in these versions of GLSL ES.
    #[must_use]
    pub const fn es(mut self, first: u16, last: u16) -> Self {
        self.range.es = Some((first, last));
        self
    }

    /// Does not hold in the compatibility profile.
    #[must_use]
    pub const fn core(mut self) -> Self {
        self.profiles = Profiles::NotCompatibility;
        self
    }

    /// Holds only with the legacy built-ins.
    #[must_use]
    pub const fn legacy(mut self) -> Self {
        self.profiles = Profiles::Legacy;
        self
    }

    /// Needs the statements, in any place.
    #[must_use]
    pub const fn used(mut self) -> Self {
        self.needs = Needs::Statements;
        self
    }

    /// Needs the statements to be executed.
    #[must_use]
    pub const fn reached(mut self) -> Self {
        self.needs = Needs::ReachedStatements;
        self
    }

    /// Removes all other fragment outputs.
    #[must_use]
    pub const fn bare(mut self) -> Self {
        self.is_bare = true;
        self
    }

    /// Has tessellation or geometry stages, with these among them.
    #[must_use]
    pub const fn with(mut self, stages: &'static [Stage]) -> Self {
        self.between = Some(stages);
        self
    }

    /// Accepted in some cases, for this reason.
    #[must_use]
    pub const fn lenient(mut self, why: &'static str) -> Self {
        self.leniency = why;
        self
    }

    /// Sets the ways to break it.
    #[must_use]
    pub const fn by(mut self, ways: &'static [Way]) -> Self {
        self.ways = ways;
        self
    }

    /// True if the rule holds in `version`.
    pub fn holds(&self, version: Version) -> bool {
        let suits = match self.profiles {
            Profiles::All => true,
            Profiles::NotCompatibility => version.profile != Profile::Compatibility,
            Profiles::Legacy => version.has_legacy(),
        };
        let has_stages =
            self.between.is_none_or(|needed| base::stages_with(version, needed).next().is_some());
        suits
            && has_stages
            && self.range.contains(version)
            && self.ways.iter().any(|way| way.is_in(version))
    }

    /// The versions in words.
    pub fn versions(&self) -> String {
        let suffix = match self.profiles {
            Profiles::All => "",
            Profiles::NotCompatibility => ", not in the compatibility profile",
            Profiles::Legacy => ", where the old built-ins are",
        };
        format!("{}{suffix}", self.range)
    }
}

impl Way {
    /// Restricts the way to these versions and later ones.
    #[must_use]
    pub const fn since(mut self, desktop: u16, es: u16) -> Self {
        self.since = (desktop, es);
        self
    }

    /// True if `version` meets the requirement. A language with 0 meets it only if the other has 0 too.
    pub fn is_in(&self, version: Version) -> bool {
        self.since == (0, 0) || version.since(self.since.0, self.since.1)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Valid => "valid",
            Self::CompileError => "compile error",
            Self::LinkError => "link error",
        })
    }
}

impl fmt::Debug for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(place, ..) | Self::Objects(place, ..) | Self::Head(place, _) => {
                write!(f, "Edit in {place:?}")
            }
            Self::Pair(..) => f.write_str("Edit in both"),
            Self::Change(_) => f.write_str("Edit by a function"),
        }
    }
}
