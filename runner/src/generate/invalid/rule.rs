//! What a rule is, and how a row of the table of rules is written.
//!
//! A row names the rule, its section, the versions in which it holds and what comes of breaking it; then one or more
//! *ways* to break it, of which one is drawn. A way is text for one or both stages, with words for what is drawn anew
//! each time:
//!
//! | word | stands for |
//! |---|---|
//! | `$n`, `$m`, `$k` | three names that nothing has |
//! | `$out`, `$in`, `$attribute` | the version's keyword: `varying` or `out`, `varying` or `in`, `attribute` or `in` |
//! | `$T`, `$U` | two different types of floats |
//! | `$v`, `$w` | two different vectors of floats |
//! | `$i` | 0 to 3 |
//! | `$tex` | the function that samples a texture |
//!
//! `acc` is a vec4 of every shader that takes up whatever is read.

use std::fmt;

use fastrand::Rng;

use crate::generate::invalid::program::Program;
use crate::generate::invalid::version::{Profile, Range, Version};

/// A rule of the language.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// In snake case.
    pub name: &'static str,
    /// Of GLSL 4.60, or of GLSL ES 3.20 where it begins with `ES`.
    pub section: &'static str,
    /// Where it holds.
    pub range: Range,
    /// Where it holds besides the range.
    pub profiles: Profiles,
    /// What comes of breaking it.
    pub verdict: Verdict,
    /// What must be there for the rule to be broken.
    pub needs: Needs,
    /// Whether the program is left without a fragment output.
    pub is_bare: bool,
    /// Why interstage accepts some programs that break it; empty where it accepts none.
    pub leniency: &'static str,
    /// The ways to break it.
    pub ways: &'static [Way],
}

/// Which profiles of GLSL a rule holds in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profiles {
    /// Both.
    All,
    /// Not in the compatibility profile.
    NotCompatibility,
    /// Where the old built-ins are.
    Legacy,
}

/// What is right for a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It links.
    Valid,
    /// A shader does not compile.
    CompileError,
    /// All shaders compile, and do not link.
    LinkError,
}

/// What must be there for a rule to be broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Declarations; statements are left out at times.
    Declarations,
    /// Statements too, wherever they stand.
    Statements,
    /// Statements that are reached.
    ReachedStatements,
}

/// One way to break a rule.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// First version of GLSL and of GLSL ES that has what the way is made of; 0 where nothing is asked.
    pub since: (u16, u16),
    /// What is done.
    pub edit: Edit,
}

/// What is done to a program.
#[derive(Clone, Copy)]
pub enum Edit {
    /// A declaration and a statement for a stage; either can be empty.
    One(Where, &'static str, &'static str),
    /// Declaration and statement of the vertex stage, then of the fragment stage.
    Pair([&'static str; 2], [&'static str; 2]),
    /// Declaration and statement of a stage's object with `main`, then the declarations of a second object.
    Objects(Where, [&'static str; 2], &'static str),
    /// Lines right after `#version`.
    Head(Where, &'static str),
    /// Anything else.
    Change(fn(&mut Program, &mut Rng)),
}

/// Which stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// The vertex stage.
    Vertex,
    /// The fragment stage.
    Fragment,
    /// One of both.
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

/// What looks like a breach and is none.
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
        leniency: "",
        ways: &[],
    }
}

/// A declaration.
pub const fn declare(place: Where, text: &'static str) -> Way {
    one(place, text, "")
}

/// A statement.
pub const fn state(place: Where, text: &'static str) -> Way {
    one(place, "", text)
}

/// A declaration and a statement.
pub const fn one(place: Where, declaration: &'static str, statement: &'static str) -> Way {
    Way { since: (0, 0), edit: Edit::One(place, declaration, statement) }
}

/// Declaration and statement of each stage.
pub const fn pair(vertex: [&'static str; 2], fragment: [&'static str; 2]) -> Way {
    Way { since: (0, 0), edit: Edit::Pair(vertex, fragment) }
}

/// Declaration and statement of one object, declarations of a second.
pub const fn objects(place: Where, first: [&'static str; 2], second: &'static str) -> Way {
    Way { since: (0, 0), edit: Edit::Objects(place, first, second) }
}

/// Lines after `#version`.
pub const fn head(place: Where, text: &'static str) -> Way {
    Way { since: (0, 0), edit: Edit::Head(place, text) }
}

/// A function that does it.
pub const fn change(edit: fn(&mut Program, &mut Rng)) -> Way {
    Way { since: (0, 0), edit: Edit::Change(edit) }
}

impl Rule {
    /// In all versions.
    #[must_use]
    pub const fn everywhere(self) -> Self {
        self.desktop(110, 460).es(100, 320)
    }

    /// From these versions on, of which 0 is none.
    #[must_use]
    pub const fn since(self, desktop: u16, es: u16) -> Self {
        let rule = if desktop == 0 { self } else { self.desktop(desktop, 460) };
        if es == 0 { rule } else { rule.es(es, 320) }
    }

    /// In these versions of GLSL.
    #[must_use]
    pub const fn desktop(mut self, first: u16, last: u16) -> Self {
        self.range.desktop = Some((first, last));
        self
    }

    /// In these versions of GLSL ES.
    #[must_use]
    pub const fn es(mut self, first: u16, last: u16) -> Self {
        self.range.es = Some((first, last));
        self
    }

    /// Not in the compatibility profile.
    #[must_use]
    pub const fn core(mut self) -> Self {
        self.profiles = Profiles::NotCompatibility;
        self
    }

    /// Where old built-ins are.
    #[must_use]
    pub const fn legacy(mut self) -> Self {
        self.profiles = Profiles::Legacy;
        self
    }

    /// The statements count, wherever they are.
    #[must_use]
    pub const fn used(mut self) -> Self {
        self.needs = Needs::Statements;
        self
    }

    /// The statements count, and must be reached.
    #[must_use]
    pub const fn reached(mut self) -> Self {
        self.needs = Needs::ReachedStatements;
        self
    }

    /// Without another fragment output.
    #[must_use]
    pub const fn bare(mut self) -> Self {
        self.is_bare = true;
        self
    }

    /// Accepted at times, and why.
    #[must_use]
    pub const fn lenient(mut self, why: &'static str) -> Self {
        self.leniency = why;
        self
    }

    /// How it is broken.
    #[must_use]
    pub const fn by(mut self, ways: &'static [Way]) -> Self {
        self.ways = ways;
        self
    }

    /// Whether the rule holds in `version`.
    pub fn holds(&self, version: Version) -> bool {
        let suits = match self.profiles {
            Profiles::All => true,
            Profiles::NotCompatibility => version.profile != Profile::Compatibility,
            Profiles::Legacy => version.has_legacy(),
        };
        suits && self.range.contains(version) && self.ways.iter().any(|way| way.is_in(version))
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
    /// Only from these versions on.
    #[must_use]
    pub const fn since(mut self, desktop: u16, es: u16) -> Self {
        self.since = (desktop, es);
        self
    }

    /// Whether `version` has what it takes. A language for which 0 is given has it if the other is given 0 too.
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
