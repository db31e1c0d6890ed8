//! Linkage profiles: models of how a class of hardware connects the outputs of one stage to the inputs of the next.
//!
//! A profile defines which labels exist, how many vectors can cross the interface, how inputs find outputs, and which
//! stage is rewritten when they do not match. A pair of stages gives the same pixels under every profile: only
//! *locations* differ, and a link that a profile cannot do is a link error.

pub mod table;

use std::collections::BTreeSet;
use std::fmt;

use super::semantic::{ARBITRARY_LABELS, GENERIC_LABELS, Semantic, SemanticName, Use, sm3};

/// A class of hardware.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are the drivers'")]
pub enum Profile {
    #[default]
    Webgpu,
    Sm3,
    Nv30,
    Nv40,
    Nv50,
    R300,
    R600,
    Nvc0,
    I915,
    Software,
}

/// Mechanism by which a consumer's input finds the producer's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mechanism {
    /// Both stages name a slot, and the hardware has no remapping: a shader with a different slot is rewritten.
    FixedSlots,
    /// A routing table in front of the consumer, made from both signatures; each stage has its own numbering.
    RoutingTable,
    /// The hardware compares 8-bit ids.
    SemanticIds,
    /// The label's index is an address.
    FixedAddresses,
    /// One stage is compiled again for each partner.
    VariantPerPair,
    /// The software searches for the label when it builds the vertex layout.
    Search,
}

/// The stage that is rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patched {
    /// The vertex stage.
    Producer,
    /// The fragment stage.
    Consumer,
}

/// Value of an input whose label no output has. Separable stages read this value if a case names a single profile;
/// undefined contents read as zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnwrittenInput {
    /// Zeros.
    #[default]
    Zero,
    /// Zeros, and one in the last component.
    ZeroOne,
    /// Undefined contents.
    Undefined,
}

/// Properties of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// Number of `GENERIC` labels, from 0 on.
    pub labels: u32,
    /// Number of `GENERIC` labels if the pair has back colours.
    pub labels_with_back_colors: u32,
    /// Number of `GENERIC` vectors that can cross to the fragment stage; `None` for the adapter's number.
    pub slots: Option<u32>,
    /// Number of `GENERIC` vectors that can cross to a tessellation or geometry stage.
    pub earlier_slots: u32,
    /// Number of `GENERIC` labels between the vertex stage and a tessellation or geometry stage.
    pub earlier_labels: u32,
    /// Labels below this keep their slot; `None` for the adapter's number of slots.
    pub efficient: Option<u32>,
    /// Mechanism by which inputs find outputs.
    pub mechanism: Mechanism,
    /// The stage that is rewritten when labels do not match.
    pub patched: Patched,
    /// True if the hardware selects front or back colours itself. On WebGPU the fragment stage does so under every
    /// profile. The link map shows which one the hardware would use, and combinations that it cannot do are link
    /// errors.
    pub has_two_sided_colors: bool,
    /// Value of an input that no output feeds.
    pub unwritten: UnwrittenInput,
}

/// A profile without limits besides the adapter's.
const OPEN: Traits = Traits {
    labels: GENERIC_LABELS,
    labels_with_back_colors: GENERIC_LABELS,
    slots: None,
    earlier_slots: MAX_EARLIER_SLOTS,
    earlier_labels: GENERIC_LABELS,
    efficient: None,
    mechanism: Mechanism::FixedSlots,
    patched: Patched::Consumer,
    has_two_sided_colors: false,
    unwritten: UnwrittenInput::Zero,
};

impl Profile {
    /// All profiles by name.
    pub const ALL: [(&str, Self); 10] = [
        ("webgpu", Self::Webgpu),
        ("sm3", Self::Sm3),
        ("nv30", Self::Nv30),
        ("nv40", Self::Nv40),
        ("nv50", Self::Nv50),
        ("r300", Self::R300),
        ("r600", Self::R600),
        ("nvc0", Self::Nvc0),
        ("i915", Self::I915),
        ("software", Self::Software),
    ];

    /// Properties of the profile.
    #[expect(clippy::too_many_lines, reason = "a table")]
    pub const fn traits(self) -> Traits {
        match self {
            Self::Webgpu => OPEN,
            Self::Sm3 => Traits {
                labels: sm3::LABELS,
                labels_with_back_colors: sm3::LABELS_WITH_BACK_COLORS,
                // A pixel shader has ten inputs.
                slots: Some(10),
                efficient: Some(0),
                mechanism: Mechanism::VariantPerPair,
                patched: Patched::Producer,
                unwritten: UnwrittenInput::Undefined,
                ..OPEN
            },
            Self::Nv30 => Traits {
                slots: Some(8),
                efficient: Some(8),
                has_two_sided_colors: true,
                unwritten: UnwrittenInput::Undefined,
                ..OPEN
            },
            Self::Nv40 => Traits {
                slots: Some(10),
                efficient: Some(8),
                has_two_sided_colors: true,
                unwritten: UnwrittenInput::Undefined,
                ..OPEN
            },
            Self::Nv50 => Traits {
                // The table has 64 entries, one for each component. The vertex stage can pass more to a geometry stage.
                slots: Some(16),
                efficient: Some(0),
                mechanism: Mechanism::RoutingTable,
                has_two_sided_colors: true,
                unwritten: UnwrittenInput::ZeroOne,
                ..OPEN
            },
            Self::R300 => Traits {
                labels: 32,
                labels_with_back_colors: 32,
                slots: Some(8),
                efficient: Some(0),
                mechanism: Mechanism::RoutingTable,
                has_two_sided_colors: true,
                unwritten: UnwrittenInput::Undefined,
                ..OPEN
            },
            Self::R600 => Traits {
                // The id is index + 1, in 8 bits.
                labels: 255,
                labels_with_back_colors: 255,
                slots: Some(32),
                mechanism: Mechanism::SemanticIds,
                ..OPEN
            },
            Self::Nvc0 => Traits {
                labels: NVC0_VECTORS,
                labels_with_back_colors: NVC0_VECTORS,
                slots: Some(NVC0_VECTORS),
                earlier_slots: NVC0_VECTORS,
                earlier_labels: NVC0_VECTORS,
                mechanism: Mechanism::FixedAddresses,
                has_two_sided_colors: true,
                ..OPEN
            },
            Self::I915 => Traits {
                labels: 8,
                labels_with_back_colors: 8,
                slots: Some(8),
                efficient: Some(8),
                unwritten: UnwrittenInput::Undefined,
                ..OPEN
            },
            Self::Software => Traits {
                // The search accepts any index.
                labels: ARBITRARY_LABELS,
                labels_with_back_colors: ARBITRARY_LABELS,
                earlier_labels: ARBITRARY_LABELS,
                mechanism: Mechanism::Search,
                ..OPEN
            },
        }
    }

    /// Number of `GENERIC` labels that a stage can name. The profile itself may have fewer.
    pub const fn nameable_labels(self) -> u32 {
        let labels = self.traits().labels;
        if labels > GENERIC_LABELS { labels } else { GENERIC_LABELS }
    }

    /// A message for each semantic in `used` that no varying can have.
    pub fn impossible(self, used: &BTreeSet<Semantic>) -> Vec<String> {
        let nameable = self.nameable_labels();
        let check = |semantic: &Semantic| semantic.check_among(Use::Intermediate, nameable).err();
        used.iter().filter_map(check).map(String::from).collect()
    }

    /// A message for each label rule of the profile that a pair with the semantics `used` breaks.
    pub fn refusals(self, used: &BTreeSet<Semantic>) -> Vec<String> {
        let traits = self.traits();
        let has_back_colors = used.iter().any(|label| label.name == SemanticName::BackColor);
        let labels = if has_back_colors { traits.labels_with_back_colors } else { traits.labels };
        let mut refusals = self.beyond(used, labels, has_back_colors);
        if self == Self::R600 {
            refusals.extend(r600_collisions(used));
        }
        refusals
    }

    /// A message for each label rule of the profile that two stages with the semantics `used` break, where the second
    /// is a tessellation or geometry stage. There is no rule if the hardware lacks the stage, or passes its inputs in
    /// memory.
    pub fn earlier_refusals(self, used: &BTreeSet<Semantic>) -> Vec<String> {
        self.beyond(used, self.traits().earlier_labels, false)
    }

    /// A message for each `GENERIC` label that is not below `labels`.
    fn beyond(self, used: &BTreeSet<Semantic>, labels: u32, has_back_colors: bool) -> Vec<String> {
        let is_beyond = |label: &&Semantic| {
            label.name == SemanticName::Generic && (labels..GENERIC_LABELS).contains(&label.index)
        };
        let refusal = |semantic| {
            let reason = self.label_reason(has_back_colors, labels);
            format!("profile {self} has no `{semantic}`: {reason}")
        };
        used.iter().filter(is_beyond).map(refusal).collect()
    }

    /// Error for a pair with back colours whose fragment stage also reads `FACE`, if the profile cannot do both.
    pub fn refusal_of_face(self) -> Option<String> {
        (self == Self::R300).then(|| {
            format!("profile {self} has no `FACE` beside `BCOLOR`: two-sided colour takes the face")
        })
    }

    fn label_reason(self, has_back_colors: bool, labels: u32) -> String {
        let last = labels.saturating_sub(1);
        match self {
            Self::Sm3 if has_back_colors => {
                format!("with BCOLOR the labels are 0 to {last}")
            }
            Self::Nvc0 => {
                format!("the index is an address, and there are {labels} vectors")
            }
            Self::R600 => "the id, one more than the index, has 8 bits".to_owned(),
            Self::Webgpu
            | Self::Sm3
            | Self::Nv30
            | Self::Nv40
            | Self::Nv50
            | Self::R300
            | Self::I915
            | Self::Software => format!("the labels are 0 to {last}"),
        }
    }
}

/// Vectors that can cross to a stage before the fragment stage in GL: 128 components
/// (`GL_MAX_GEOMETRY_INPUT_COMPONENTS` and similar limits), as Mesa counts them.
pub const MAX_EARLIER_SLOTS: u32 = 32;

/// Vectors of generic varyings on nvc0: 0x200 bytes.
const NVC0_VECTORS: u32 = 32;

/// Messages about pairs of semantics that have the same id on r600.
fn r600_collisions(used: &BTreeSet<Semantic>) -> Vec<String> {
    let mut collisions = Vec::new();
    for other in used.iter().filter(|label| label.name != SemanticName::Generic) {
        let Some(id) = r600_id(*other) else { continue };
        let generic = Semantic::generic(id.saturating_sub(1));
        if used.contains(&generic) {
            collisions.push(format!(
                "profile r600 cannot tell `{generic}` from `{other}`: both have the id {id}"
            ));
        }
    }
    collisions
}

/// The id that r600 compares; `None` for semantics that it handles separately.
pub fn r600_id(semantic: Semantic) -> Option<u32> {
    let name = match semantic.name {
        SemanticName::Generic => return Some(semantic.index.saturating_add(1)),
        SemanticName::Color => 1,
        SemanticName::BackColor => 2,
        SemanticName::Fog => 3,
        SemanticName::Normal => 6,
        SemanticName::EdgeFlag => 8,
        SemanticName::PrimitiveId => 9,
        SemanticName::InstanceId => 10,
        SemanticName::VertexId => 11,
        SemanticName::Stencil => 12,
        SemanticName::ClipDistance => 13,
        SemanticName::ClipVertex => 14,
        SemanticName::Position
        | SemanticName::PointSize
        | SemanticName::Face
        | SemanticName::TexCoord
        | SemanticName::PointCoord
        | SemanticName::Layer
        | SemanticName::ViewportIndex
        | SemanticName::SampleId
        | SemanticName::SamplePosition
        | SemanticName::SampleMask => return None,
    };
    Some((0x80 | name << 3 | semantic.index & 7) + 1)
}

impl fmt::Display for Mechanism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FixedSlots => "fixed slots",
            Self::RoutingTable => "routing table",
            Self::SemanticIds => "semantic ids",
            Self::FixedAddresses => "fixed addresses",
            Self::VariantPerPair => "variant per pair",
            Self::Search => "search",
        })
    }
}

impl fmt::Display for Patched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Producer => "vertex stage",
            Self::Consumer => "fragment stage",
        })
    }
}

impl fmt::Display for UnwrittenInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Zero => "0, 0, 0, 0",
            Self::ZeroOne => "0, 0, 0, 1",
            Self::Undefined => "undefined",
        })
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = Self::ALL.iter().find(|(_, profile)| profile == self);
        f.write_str(own.map_or("", |(name, _)| name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(profile: Profile, used: &str, expected: &[&str]) {
        let used = used.split_whitespace().map(|text| text.parse().expect("a semantic")).collect();
        let messages = [profile.impossible(&used), profile.refusals(&used)].concat();
        assert_eq!(messages, expected);
    }

    #[test]
    fn sm3_has_219_labels_and_217_with_back_colors() {
        check(Profile::Sm3, "GENERIC[0] GENERIC[7] GENERIC[218] COLOR[0]", &[]);
        check(
            Profile::Sm3,
            "GENERIC[219]",
            &["profile sm3 has no `GENERIC[219]`: the labels are 0 to 218"],
        );
        check(Profile::Sm3, "GENERIC[216] BCOLOR[0]", &[]);
        check(
            Profile::Sm3,
            "GENERIC[217] BCOLOR[0]",
            &["profile sm3 has no `GENERIC[217]`: with BCOLOR the labels are 0 to 216"],
        );
    }

    /// GENERIC 0 to 127 never collide; the first that collides is 136, with COLOR[0], whose id is (0x80 | 1 << 3) + 1.
    #[test]
    fn r600_ids_collide_from_136_on() {
        check(Profile::R600, "GENERIC[127] GENERIC[135] COLOR[0]", &[]);
        check(
            Profile::R600,
            "GENERIC[136] COLOR[0]",
            &["profile r600 cannot tell `GENERIC[136]` from `COLOR[0]`: both have the id 137"],
        );
        check(Profile::R600, "GENERIC[136]", &[]);
        check(
            Profile::R600,
            "GENERIC[255]",
            &["profile r600 has no `GENERIC[255]`: the id, one more than the index, has 8 bits"],
        );
    }

    #[test]
    fn only_a_search_takes_labels_above_255() {
        check(Profile::Software, "GENERIC[256] GENERIC[8911] GENERIC[1073741823]", &[]);
        check(
            Profile::Software,
            "GENERIC[1073741824]",
            &[
                "`GENERIC[1073741824]` cannot be used between stages: GENERIC has indices 0 to 1073741823",
            ],
        );
        for (name, profile) in Profile::ALL.into_iter().filter(|(name, _)| *name != "software") {
            let refusals = profile.impossible(&[Semantic::generic(256)].into());
            let message =
                "`GENERIC[256]` cannot be used between stages: GENERIC has indices 0 to 255";
            assert_eq!(refusals, [message], "{name}");
        }
    }

    #[test]
    fn only_addresses_of_nvc0_hold_before_the_fragment_stage() {
        let used: BTreeSet<_> = [31, 32].map(Semantic::generic).into();
        let refused = |(_, profile): &(_, Profile)| !profile.earlier_refusals(&used).is_empty();
        let refusing: Vec<_> = Profile::ALL.into_iter().filter(refused).collect();
        assert_eq!(refusing, [("nvc0", Profile::Nvc0)]);
        let message =
            "profile nvc0 has no `GENERIC[32]`: the index is an address, and there are 32 vectors";
        assert_eq!(Profile::Nvc0.earlier_refusals(&used), [message]);
    }

    #[test]
    fn nvc0_has_32_vectors() {
        check(Profile::Nvc0, "GENERIC[31]", &[]);
        check(
            Profile::Nvc0,
            "GENERIC[32]",
            &[
                "profile nvc0 has no `GENERIC[32]`: the index is an address, and there are 32 vectors",
            ],
        );
    }

    /// r600 packs semantics other than GENERIC as 0x80 | name << 3 | index and adds one, with TGSI's numbers for the
    /// names.
    #[test]
    fn r600_ids_follow_from_the_numbers_of_names() {
        let names = [
            ("COLOR[0]", 1, 0),
            ("COLOR[1]", 1, 1),
            ("BCOLOR[1]", 2, 1),
            ("FOG", 3, 0),
            ("NORMAL", 6, 0),
            ("EDGEFLAG", 8, 0),
            ("PRIMID", 9, 0),
            ("INSTANCEID", 10, 0),
            ("VERTEXID", 11, 0),
            ("STENCIL", 12, 0),
            ("CLIPDIST[1]", 13, 1),
            ("CLIPVERTEX", 14, 0),
        ];
        for (text, name, index) in names {
            let semantic = text.parse().expect("a semantic");
            assert_eq!(r600_id(semantic), Some((0x80 | name << 3 | index) + 1), "{text}");
        }
        assert_eq!(r600_id(Semantic::generic(7)), Some(8));
    }
}
