//! Language versions, and ranges of them.

use std::fmt;

use fastrand::Rng;

/// A version of GLSL or GLSL ES as `#version` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// 110 to 460, or 100 to 320.
    pub number: u16,
    /// Language and profile.
    pub profile: Profile,
}

/// A language and profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Versions up to 1.30, and the core profile from 1.40 on.
    Core,
    /// `#version 150 compatibility` and later.
    Compatibility,
    /// GLSL ES.
    Es,
}

const DESKTOP: [u16; 13] = [110, 120, 130, 140, 150, 330, 400, 410, 420, 430, 440, 450, 460];
const ES: [u16; 4] = [100, 300, 310, 320];

/// The versions in which something holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// First and last version of GLSL.
    pub desktop: Option<(u16, u16)>,
    /// First and last version of GLSL ES.
    pub es: Option<(u16, u16)>,
}

impl Version {
    /// All versions: desktop, compatibility and ES.
    pub fn all() -> impl Iterator<Item = Self> {
        let with = |profile| move |number| Self { number, profile };
        let compatibility = DESKTOP.into_iter().filter(|number| *number >= 150);
        let compatibility = compatibility.map(with(Profile::Compatibility));
        let desktop = DESKTOP.into_iter().map(with(Profile::Core));
        desktop.chain(compatibility).chain(ES.into_iter().map(with(Profile::Es)))
    }

    /// A random version in `range`; the compatibility profile is rarer than the others, and GLSL ES as likely as GLSL.
    pub fn random(range: Range, rng: &mut Rng) -> Option<Self> {
        let wanted = Self::all().filter(|version| range.contains(*version));
        let weighted: Vec<_> = wanted
            .flat_map(|version| {
                let weight = match version.profile {
                    Profile::Core => 3,
                    Profile::Compatibility => 1,
                    Profile::Es => 5,
                };
                std::iter::repeat_n(version, weight)
            })
            .collect();
        rng.choice(weighted)
    }

    /// True for GLSL ES.
    pub fn is_es(self) -> bool {
        self.profile == Profile::Es
    }

    /// True if `varying` and the other legacy keywords can be used: up to 1.30, and in the compatibility profile.
    pub fn has_legacy(self) -> bool {
        match self.profile {
            Profile::Core => self.number <= 130,
            Profile::Compatibility => true,
            Profile::Es => false,
        }
    }

    /// True if this is at least `desktop`, or `es` for GLSL ES; 0 is no version.
    pub fn since(self, desktop: u16, es: u16) -> bool {
        let first = if self.is_es() { es } else { desktop };
        first != 0 && self.number >= first
    }

    /// Keyword for a vertex output: `varying` or `out`.
    pub fn output(self) -> &'static str {
        if self.since(130, 300) { "out" } else { "varying" }
    }

    /// [`Self::output`] for a fragment input: `varying` or `in`.
    pub fn input(self) -> &'static str {
        if self.since(130, 300) { "in" } else { "varying" }
    }

    /// `attribute` or `in`.
    pub fn attribute(self) -> &'static str {
        if self.since(130, 300) { "in" } else { "attribute" }
    }

    /// The `#version` line.
    pub fn directive(self) -> String {
        let suffix = match self.profile {
            Profile::Compatibility => " compatibility",
            Profile::Es if self.number >= 300 => " es",
            Profile::Core | Profile::Es => "",
        };
        format!("#version {}{suffix}\n", self.number)
    }

    /// The lines of `[require]`.
    pub fn requirement(self) -> String {
        let (major, minor) = (self.number / 100, self.number % 100);
        match self.profile {
            Profile::Core => format!("GLSL >= {major}.{minor:02}\n"),
            Profile::Compatibility => format!("GL COMPAT >= 3.2\nGLSL >= {major}.{minor:02}\n"),
            Profile::Es => {
                let gl = if self.number == 100 {
                    "2.0".to_owned()
                } else {
                    format!("{major}.{}", minor / 10)
                };
                format!("GL ES >= {gl}\nGLSL ES >= {major}.{minor:02}\n")
            }
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match self.profile {
            Profile::Core => "",
            Profile::Compatibility => " compatibility",
            Profile::Es => " es",
        };
        write!(f, "{}.{:02}{suffix}", self.number / 100, self.number % 100)
    }
}

impl Range {
    /// True if `version` is in the range.
    pub fn contains(self, version: Version) -> bool {
        let range = if version.is_es() { self.es } else { self.desktop };
        range.is_some_and(|(first, last)| (first..=last).contains(&version.number))
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |name: &str, range: Option<(u16, u16)>| {
            let dotted = |number: u16| format!("{}.{:02}", number / 100, number % 100);
            range.map(|(first, last)| format!("{name}{} to {}", dotted(first), dotted(last)))
        };
        let parts: Vec<_> =
            [part("", self.desktop), part("ES ", self.es)].into_iter().flatten().collect();
        f.write_str(&parts.join(", "))
    }
}
