//! Semantics of interface values: a *semantic* is a name and an index, such as `GENERIC[3]` or `COLOR[0]`. Separately
//! compiled stages are linked by equal semantics, not by locations.
//!
//! The rules are those of the gallium proposal of April 2010 on shader semantics and linkage:
//!
//! 1. `NORMAL` is no linkage semantic.
//! 2. Every semantic other than `GENERIC`, `COLOR` and `BCOLOR` has index 0 only, `POSITION` too.
//! 3. `COLOR` and `BCOLOR` have indices 0 and 1; fragment outputs are exempt, there `COLOR[n]` is render target n.
//! 4. `GENERIC` 0 to 218 work everywhere while the pair has no `BCOLOR`.
//! 5. `GENERIC` 0 to 216 work everywhere if the pair has `BCOLOR`.
//! 6. `GENERIC` 0 to 255 work wherever labels are not those of SM3.
//! 7. Other indices may work, and should not be needed: a profile that accepts any index has all below
//!    [`ARBITRARY_LABELS`].
//!
//! Most semantics with only index 0 belong to the rasteriser: every vertex stage has one `POSITION`, `gl_Position`. A
//! user varying cannot have a semantic that belongs to the rasteriser ([`SemanticName::builtin`]). An edge flag goes to
//! the rasteriser, so the vertex stage may write one and no stage reads it.
//!
//! Later additions to gallium are included: `TEXCOORD` 0 to 7, and `CLIPDIST` 0 and 1.

pub mod sm3;

use std::fmt;
use std::str::FromStr;

/// Number of `GENERIC` labels in nearly all drivers.
pub const GENERIC_LABELS: u32 = 256;

/// Highest location that a `[link]` section can name. A slot that is a label may be higher.
pub const MAX_LOCATION: u32 = 1023;

/// Number of `GENERIC` labels in a profile that accepts any index: 30 bits.
pub const ARBITRARY_LABELS: u32 = 1 << 30;

/// Highest slot that a `[link]` section can name: the last label.
pub const MAX_SLOT: u32 = ARBITRARY_LABELS - 1;

/// The name of a semantic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SemanticName {
    /// Clip-space position; feeds the rasteriser.
    Position,
    /// Vertex colour of front faces, or a render target.
    Color,
    /// Vertex colour of back faces.
    BackColor,
    /// Fog coordinate.
    Fog,
    /// Point size.
    PointSize,
    /// User data.
    Generic,
    /// Legacy normal, which is no linkage semantic.
    Normal,
    /// Front-face flag of the fragment.
    Face,
    /// Edge flag, used only for unfilled polygons.
    EdgeFlag,
    /// Primitive number.
    PrimitiveId,
    /// Instance number.
    InstanceId,
    /// Vertex number.
    VertexId,
    /// Stencil value of a fragment.
    Stencil,
    /// Four clip distances.
    ClipDistance,
    /// Clip-space vertex for user clip planes.
    ClipVertex,
    /// Texture coordinate, which may be replaced in point sprites.
    TexCoord,
    /// Point sprite coordinate.
    PointCoord,
    /// Render target layer.
    Layer,
    /// Viewport number.
    ViewportIndex,
    /// Sample number.
    SampleId,
    /// Sample position.
    SamplePosition,
    /// Coverage mask.
    SampleMask,
}

/// Use of a semantic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Use between two stages.
    Intermediate,
    /// Use as an output of the fragment stage.
    FragmentOutput,
}

impl SemanticName {
    /// All names with their notation.
    pub const ALL: [(&str, Self); 22] = [
        ("POSITION", Self::Position),
        ("COLOR", Self::Color),
        ("BCOLOR", Self::BackColor),
        ("FOG", Self::Fog),
        ("PSIZE", Self::PointSize),
        ("GENERIC", Self::Generic),
        ("NORMAL", Self::Normal),
        ("FACE", Self::Face),
        ("EDGEFLAG", Self::EdgeFlag),
        ("PRIMID", Self::PrimitiveId),
        ("INSTANCEID", Self::InstanceId),
        ("VERTEXID", Self::VertexId),
        ("STENCIL", Self::Stencil),
        ("CLIPDIST", Self::ClipDistance),
        ("CLIPVERTEX", Self::ClipVertex),
        ("TEXCOORD", Self::TexCoord),
        ("PCOORD", Self::PointCoord),
        ("LAYER", Self::Layer),
        ("VIEWPORT_INDEX", Self::ViewportIndex),
        ("SAMPLEID", Self::SampleId),
        ("SAMPLEPOS", Self::SamplePosition),
        ("SAMPLEMASK", Self::SampleMask),
    ];

    /// Number of indices for this use in nearly all drivers; 0 if the semantic is not allowed for it.
    pub const fn index_count(self, usage: Use) -> u32 {
        match (self, usage) {
            (Self::Generic, Use::Intermediate) => GENERIC_LABELS,
            (Self::Color, Use::FragmentOutput) | (Self::TexCoord, Use::Intermediate) => 8,
            (Self::Color | Self::BackColor | Self::ClipDistance, Use::Intermediate) => 2,
            (
                Self::Position
                | Self::Fog
                | Self::PointSize
                | Self::Face
                | Self::EdgeFlag
                | Self::PrimitiveId
                | Self::ClipVertex
                | Self::PointCoord
                | Self::Layer
                | Self::ViewportIndex,
                Use::Intermediate,
            )
            | (Self::Position | Self::Stencil | Self::SampleMask, Use::FragmentOutput) => 1,
            (
                Self::Normal
                | Self::InstanceId
                | Self::VertexId
                | Self::Stencil
                | Self::SampleId
                | Self::SamplePosition
                | Self::SampleMask,
                Use::Intermediate,
            )
            | (
                Self::BackColor
                | Self::Fog
                | Self::PointSize
                | Self::Generic
                | Self::Normal
                | Self::Face
                | Self::EdgeFlag
                | Self::PrimitiveId
                | Self::InstanceId
                | Self::VertexId
                | Self::ClipDistance
                | Self::ClipVertex
                | Self::TexCoord
                | Self::PointCoord
                | Self::Layer
                | Self::ViewportIndex
                | Self::SampleId
                | Self::SamplePosition,
                Use::FragmentOutput,
            ) => 0,
        }
    }
}

impl SemanticName {
    /// The built-in variable that is the only one with this semantic between stages, as an input or output of the
    /// rasteriser.
    pub const fn builtin(self) -> Option<&'static str> {
        match self {
            Self::Position => Some("gl_Position"),
            Self::PointSize => Some("gl_PointSize"),
            Self::Face => Some("gl_FrontFacing"),
            Self::PrimitiveId => Some("gl_PrimitiveID"),
            Self::ClipDistance => Some("gl_ClipDistance"),
            Self::ClipVertex => Some("gl_ClipVertex"),
            Self::PointCoord => Some("gl_PointCoord"),
            Self::Layer => Some("gl_Layer"),
            Self::ViewportIndex => Some("gl_ViewportIndex"),
            Self::Color
            | Self::BackColor
            | Self::Fog
            | Self::Generic
            | Self::Normal
            | Self::EdgeFlag
            | Self::InstanceId
            | Self::VertexId
            | Self::Stencil
            | Self::TexCoord
            | Self::SampleId
            | Self::SamplePosition
            | Self::SampleMask => None,
        }
    }
}

/// A semantic: a name and an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Semantic {
    /// The name.
    pub name: SemanticName,
    /// The index.
    pub index: u32,
}

/// Keys of semantics other than `GENERIC` start here; each name has `KEYS_OF_A_NAME` indices.
pub const FIRST_OTHER_KEY: u32 = ARBITRARY_LABELS;
const KEYS_OF_A_NAME: u32 = 8;

impl Semantic {
    /// `GENERIC[index]`.
    pub const fn generic(index: u32) -> Self {
        Self { name: SemanticName::Generic, index }
    }

    /// The semantic of a varying that is a GLSL built-in, by its name in either stage.
    pub fn of_builtin(name: &str) -> Option<Self> {
        let (name, index) = match name {
            "gl_FrontColor" | "gl_Color" => (SemanticName::Color, 0),
            "gl_FrontSecondaryColor" | "gl_SecondaryColor" => (SemanticName::Color, 1),
            "gl_BackColor" => (SemanticName::BackColor, 0),
            "gl_BackSecondaryColor" => (SemanticName::BackColor, 1),
            "gl_FogFragCoord" => (SemanticName::Fog, 0),
            _ => return None,
        };
        Some(Self { name, index })
    }

    /// Checks that the semantic is allowed for this use.
    ///
    /// # Errors
    /// The semantic is not allowed; the text names the rule.
    pub fn check(self, usage: Use) -> Result<(), SemanticError> {
        self.check_among(usage, GENERIC_LABELS)
    }

    /// Like [`Self::check`], with `labels` as the number of `GENERIC` labels between stages.
    ///
    /// # Errors
    /// The semantic is not allowed; the text names the rule.
    pub fn check_among(self, usage: Use, labels: u32) -> Result<(), SemanticError> {
        let count = match (self.name, usage) {
            (SemanticName::Generic, Use::Intermediate) => labels,
            (name, usage) => name.index_count(usage),
        };
        if self.index < count {
            return Ok(());
        }
        let name = Notation(self.name);
        let place = match usage {
            Use::Intermediate => "between stages",
            Use::FragmentOutput => "as a fragment output",
        };
        Err(SemanticError(match count {
            0 => format!("`{self}` cannot be used {place}: {name} is not a semantic there"),
            1 => format!("`{self}` cannot be used {place}: {name} has only index 0"),
            count => {
                format!("`{self}` cannot be used {place}: {name} has indices 0 to {}", count - 1)
            }
        }))
    }

    /// Checks that a user varying called `name` may have this semantic, with `labels` as the number of `GENERIC`
    /// labels.
    ///
    /// # Errors
    /// The semantic is not allowed; the text names the rule, or the built-in variable that the semantic belongs to.
    pub fn check_varying(self, name: &str, labels: u32) -> Result<(), SemanticError> {
        self.check_among(Use::Intermediate, labels)?;
        match self.name.builtin() {
            Some(builtin) => {
                Err(SemanticError(format!("`{name}` cannot be `{self}`, which is `{builtin}`")))
            }
            None => Ok(()),
        }
    }

    /// Unique number of the semantic; for `GENERIC` its index. Used in place of a location before locations are
    /// assigned.
    pub fn key(self) -> u32 {
        if self.name == SemanticName::Generic {
            return self.index;
        }
        let at = SemanticName::ALL.iter().position(|(_, name)| *name == self.name).unwrap_or(0);
        let at = u32::try_from(at).unwrap_or(0);
        FIRST_OTHER_KEY + at * KEYS_OF_A_NAME + self.index.min(KEYS_OF_A_NAME - 1)
    }

    /// The semantic with this key.
    pub fn of_key(key: u32) -> Self {
        let Some(other) = key.checked_sub(FIRST_OTHER_KEY) else { return Self::generic(key) };
        let name = usize::try_from(other / KEYS_OF_A_NAME).ok();
        match name.and_then(|at| SemanticName::ALL.get(at)) {
            Some((_, name)) => Self { name: *name, index: other % KEYS_OF_A_NAME },
            None => Self::generic(key),
        }
    }
}

/// Formats a slot for messages: its number, or the semantic that it is the key of, unless that is `GENERIC`.
pub fn slot_text(slot: u32) -> String {
    if slot < FIRST_OTHER_KEY { slot.to_string() } else { Semantic::of_key(slot).to_string() }
}

/// The case's fault: a word that is not a semantic, or a semantic that a variable cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SemanticError(pub String);

impl From<SemanticError> for String {
    fn from(error: SemanticError) -> Self {
        error.0
    }
}

/// Formats a name in the notation of the case format.
struct Notation(SemanticName);

impl fmt::Display for Notation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = SemanticName::ALL.iter().find(|(_, name)| *name == self.0);
        f.write_str(own.map_or("", |(notation, _)| notation))
    }
}

/// Formats as `GENERIC[3]` or `FOG`: index 0 is omitted for names with a single index.
impl fmt::Display for Semantic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_only = self.name.index_count(Use::Intermediate) < 2 && self.index == 0;
        let name = Notation(self.name);
        if is_only { write!(f, "{name}") } else { write!(f, "{name}[{}]", self.index) }
    }
}

impl FromStr for Semantic {
    type Err = SemanticError;

    fn from_str(text: &str) -> Result<Self, SemanticError> {
        let wrong =
            || SemanticError(format!("`{text}` is not a semantic such as `GENERIC[7]` or `FOG`"));
        let (notation, index) = match text.split_once('[') {
            None => (text, 0),
            Some((notation, rest)) => {
                let digits = rest.strip_suffix(']').filter(|digits| {
                    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
                });
                let index = digits.and_then(|digits| digits.parse().ok()).ok_or_else(wrong)?;
                (notation, index)
            }
        };
        let known = SemanticName::ALL.iter().find(|(known, _)| *known == notation);
        let (_, name) = known.ok_or_else(wrong)?;
        Ok(Self { name: *name, index })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, usage: Use, expected: &str) {
        let outcome = text.parse::<Semantic>().and_then(|semantic| semantic.check(usage));
        assert_eq!(outcome.err().map_or(String::new(), String::from), expected);
    }

    #[test]
    fn indices_have_the_ranges_of_the_rules() {
        use Use::{FragmentOutput, Intermediate};
        for right in ["GENERIC[0]", "GENERIC[255]", "COLOR[1]", "BCOLOR[1]", "FOG", "TEXCOORD[7]"] {
            check(right, Intermediate, "");
        }
        check("COLOR[7]", FragmentOutput, "");
        check(
            "COLOR[2]",
            Intermediate,
            "`COLOR[2]` cannot be used between stages: COLOR has indices 0 to 1",
        );
        check(
            "BCOLOR[2]",
            Intermediate,
            "`BCOLOR[2]` cannot be used between stages: BCOLOR has indices 0 to 1",
        );
        check(
            "POSITION[1]",
            Intermediate,
            "`POSITION[1]` cannot be used between stages: POSITION has only index 0",
        );
        check(
            "FOG[1]",
            Intermediate,
            "`FOG[1]` cannot be used between stages: FOG has only index 0",
        );
        check(
            "GENERIC[256]",
            Intermediate,
            "`GENERIC[256]` cannot be used between stages: GENERIC has indices 0 to 255",
        );
        check(
            "NORMAL",
            Intermediate,
            "`NORMAL` cannot be used between stages: NORMAL is not a semantic there",
        );
        check(
            "GENERIC[]",
            Intermediate,
            "`GENERIC[]` is not a semantic such as `GENERIC[7]` or `FOG`",
        );
    }

    #[test]
    fn arbitrary_labels_have_30_bits() {
        let check = |index: u32, labels: u32| {
            Semantic::generic(index).check_among(Use::Intermediate, labels).is_ok()
        };
        assert!(check(256, ARBITRARY_LABELS) && !check(256, GENERIC_LABELS));
        assert!(check(8911, ARBITRARY_LABELS) && check((1 << 30) - 1, ARBITRARY_LABELS));
        assert!(!check(1 << 30, ARBITRARY_LABELS));
        let color = Semantic { name: SemanticName::Color, index: 2 };
        assert!(color.check_among(Use::Intermediate, ARBITRARY_LABELS).is_err());
    }

    #[test]
    fn what_the_rasteriser_takes_or_gives_is_no_varying() {
        let check = |text: &str, expected: &str| {
            let semantic: Semantic = text.parse().expect("a semantic");
            assert_eq!(
                semantic
                    .check_varying("a", GENERIC_LABELS)
                    .err()
                    .map_or(String::new(), String::from),
                expected
            );
        };
        check("POSITION", "`a` cannot be `POSITION`, which is `gl_Position`");
        check("PSIZE", "`a` cannot be `PSIZE`, which is `gl_PointSize`");
        check("FACE", "`a` cannot be `FACE`, which is `gl_FrontFacing`");
        check("PRIMID", "`a` cannot be `PRIMID`, which is `gl_PrimitiveID`");
        check("CLIPDIST[1]", "`a` cannot be `CLIPDIST[1]`, which is `gl_ClipDistance`");
        check("PSIZE[1]", "`PSIZE[1]` cannot be used between stages: PSIZE has only index 0");
        for right in ["EDGEFLAG", "COLOR[1]", "BCOLOR[0]", "FOG", "GENERIC[7]", "TEXCOORD[7]"] {
            check(right, "");
        }
    }

    #[test]
    fn slots_print_as_numbers_or_semantics() {
        assert_eq!(slot_text(Semantic::generic(8911).key()), "8911");
        let color = Semantic { name: SemanticName::Color, index: 1 };
        assert_eq!(slot_text(color.key()), "COLOR[1]");
    }

    #[test]
    fn notation_and_keys_are_inverse() {
        let mut keys = std::collections::BTreeSet::new();
        for (_, name) in SemanticName::ALL {
            for index in 0..name.index_count(Use::Intermediate) {
                let semantic = Semantic { name, index };
                assert_eq!(semantic.to_string().parse(), Ok(semantic));
                assert_eq!(Semantic::of_key(semantic.key()), semantic);
                assert!(keys.insert(semantic.key()), "{semantic} has a key of its own");
            }
        }
        let far = [GENERIC_LABELS, 1023, 1024, 8911, 1 << 16, ARBITRARY_LABELS - 1];
        for semantic in far.map(Semantic::generic) {
            assert_eq!(Semantic::of_key(semantic.key()), semantic);
            assert!(keys.insert(semantic.key()), "{semantic} has a key of its own");
        }
    }

    /// Elsewhere `+7` would be a number.
    #[test]
    fn an_index_is_digits_alone() {
        for wrong in ["GENERIC[+7]", "GENERIC[7x]", "GENERIC[x]", "GENERIC[7", "GENERIC[ 7]"] {
            assert!(wrong.parse::<Semantic>().is_err(), "{wrong}");
        }
    }
}
