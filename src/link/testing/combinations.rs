//! Tests the 400 pairs of twenty vertex and twenty fragment stages (piglit's `400-combinations`) under every profile.
//! The linker's counters must equal those that follow from the profile's rule; `docs/linkage.md` has them as a table.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use expect_test::expect_file;

use crate::label::relocate::Counters;
use crate::session::link_all;
use crate::testing::stage;
use crate::{LabelOptions, LinkError, LinkOptions};
use ir::profile::table::{COLUMNS, row};
use ir::profile::{Patched, Profile, Traits};
use ir::stage::ShaderStage;
use ir::stage_module::StageModule;

/// Labelling of the six varyings, of which each stage has three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LabelPattern {
    /// Locations 0, 1, 2, 3, 5 and 7.
    Small,
    /// Locations at intervals of 43.
    Sparse,
    /// No locations: labels 0 to 5 are assigned by name. Every vertex stage writes all six, because otherwise the
    /// interfaces would not match.
    Named,
}

const LABELLINGS: [(&str, LabelPattern); 3] = [
    ("locations 0, 1, 2, 3, 5, 7", LabelPattern::Small),
    ("locations 0, 43, 86, 129, 172, 215", LabelPattern::Sparse),
    ("names", LabelPattern::Named),
];

impl LabelPattern {
    const fn labels(self) -> [u32; 6] {
        match self {
            Self::Small => [0, 1, 2, 3, 5, 7],
            Self::Sparse => [0, 43, 86, 129, 172, 215],
            Self::Named => [0, 1, 2, 3, 4, 5],
        }
    }

    fn declaration(self, varying: usize, direction: &str) -> String {
        let label = self.labels()[varying];
        match self {
            Self::Small | Self::Sparse => {
                format!("layout(location = {label}) {direction} float v{varying};\n")
            }
            Self::Named => format!("{direction} float v{varying};\n"),
        }
    }

    /// The varyings that the vertex stage for these three labels declares and writes.
    fn written(self, own: [usize; 3]) -> Vec<usize> {
        match self {
            Self::Small | Self::Sparse => own.to_vec(),
            Self::Named => (0..6).collect(),
        }
    }

    fn vertex(self, own: [usize; 3]) -> StageModule {
        let written = self.written(own);
        let declare = |idx: &usize| self.declaration(*idx, "out");
        let write = |idx: &usize| format!("v{idx} = {idx}.0; ");
        let declarations: String = written.iter().map(declare).collect();
        let writes: String = written.iter().map(write).collect();
        let text = format!(
            "#version 450\n{declarations}void main() {{ {writes}gl_Position = vec4(0.0); }}"
        );
        stage(ShaderStage::Vertex, &text)
    }

    fn fragment(self, own: [usize; 3]) -> StageModule {
        let declarations: String = own.iter().map(|idx| self.declaration(*idx, "in")).collect();
        let [a, b, c] = own;
        let text = format!(
            "#version 450\n{declarations}out vec4 color;\nvoid main() {{ color = vec4(v{a} + v{b} + v{c}); }}"
        );
        stage(ShaderStage::Fragment, &text)
    }
}

/// All sets of three labels out of six.
fn triples() -> Vec<[usize; 3]> {
    let mut all = Vec::new();
    for a in 0..4 {
        for b in a + 1..5 {
            all.extend((b + 1..6).map(|c| [a, b, c]));
        }
    }
    all
}

/// The twenty vertex and the twenty fragment stages.
type Twenties = (Vec<StageModule>, Vec<StageModule>);

static STAGES: LazyLock<Vec<Twenties>> = LazyLock::new(|| {
    let of = |labelling: LabelPattern| {
        let vertex = triples().into_iter().map(|own| labelling.vertex(own)).collect();
        (vertex, triples().into_iter().map(|own| labelling.fragment(own)).collect())
    };
    LABELLINGS.iter().map(|(_, labelling)| of(*labelling)).collect()
});

/// The slot of each label in a stage with these labels: the label itself if all are below `efficient`; else the label
/// less the smallest, if that fits; else its rank.
fn places(labels: &[u32], efficient: u32) -> BTreeMap<u32, u32> {
    let (least, most) = (labels[0], labels[labels.len() - 1]);
    let place = |(rank, label): (u32, &u32)| {
        let at = if most < efficient {
            *label
        } else if most - least < efficient {
            label - least
        } else {
            rank
        };
        (*label, at)
    };
    (0..).zip(labels).map(place).collect()
}

/// The counters of the 400 pairs that follow from the rule of [`Patched`]. The stage that is not patched is used
/// unchanged, unless it is a consumer with unwritten labels.
fn expected(traits: Traits, labelling: LabelPattern) -> Counters {
    let efficient = traits.efficient.unwrap_or(16);
    let labels = |own: &[usize]| own.iter().map(|idx| labelling.labels()[*idx]).collect::<Vec<_>>();
    let mut counters = Counters::default();
    let mut made = BTreeMap::new();
    let mut count = |stage: (usize, [usize; 3]), own: &BTreeMap<u32, u32>, now: Places| {
        let is_same = own.iter().all(|(label, place)| now[label] == Some(*place));
        let next = made.len();
        let is_new = *made.entry((stage, now.clone())).or_insert(next) == next;
        counters.identical += u32::from(is_same);
        counters.reused += u32::from(!is_same && !is_new);
        counters.emitted += u32::from(!is_same && is_new);
        if !is_same && is_new {
            let moved = now
                .iter()
                .filter(|(label, location)| location.is_some() && **location != Some(own[label]));
            counters.relocations += u32::try_from(moved.count()).expect("few");
        }
    };
    for writer in triples() {
        for reader in triples() {
            let from = places(&labels(&labelling.written(writer)), efficient);
            let to = places(&labels(&reader), efficient);
            let place = |kept: &BTreeMap<u32, u32>, label: &u32| {
                let crosses = from.contains_key(label) && to.contains_key(label);
                crosses.then(|| kept[label])
            };
            let all = |own: &BTreeMap<u32, u32>, kept: &BTreeMap<u32, u32>| -> Places {
                own.keys().map(|label| (*label, place(kept, label))).collect()
            };
            let as_it_is = from.iter().map(|(label, location)| (*label, Some(*location))).collect();
            match traits.patched {
                Patched::Consumer => {
                    count((0, writer), &from, as_it_is);
                    count((1, reader), &to, all(&to, &from));
                }
                Patched::Producer => {
                    count((0, writer), &from, all(&from, &to));
                    count((1, reader), &to, all(&to, &to));
                }
            }
        }
    }
    Counters { links: 400, ..counters }
}

/// The location of every label; `None` if it does not cross.
type Places = BTreeMap<u32, Option<u32>>;

/// The linker's counters, or its error for the first pair.
fn counted(profile: Profile, stages: &Twenties) -> Result<Counters, String> {
    let uses: Vec<_> = (0..400).map(|pair| (pair / 20, pair % 20)).collect();
    let options = LinkOptions {
        labels: LabelOptions { profile, is_separable: true, ..LabelOptions::default() },
        ..LinkOptions::default()
    };
    match link_all(&stages.0, &stages.1, &uses, &options) {
        Ok(linked) => Ok(linked.programs[0].map.counters),
        Err(LinkError::Refused(reasons) | LinkError::Forbidden(reasons)) => {
            Err(reasons[0].message.clone())
        }
        Err(
            error @ (LinkError::NoRoom(_)
            | LinkError::NoWideTypes { .. }
            | LinkError::Unsupported { .. }
            | LinkError::Invalid { .. }),
        ) => panic!("{error}"),
    }
}

/// True if the profile has too few labels for this labelling.
fn is_refused(traits: Traits, labelling: LabelPattern) -> bool {
    labelling.labels().iter().any(|label| *label >= traits.labels)
}

#[test]
fn all_400_pairs_cost_what_the_rule_says() {
    let mut text = String::from(BEFORE);
    let _ = writeln!(text, "| {} |\n|{}", COLUMNS.join(" | "), "---|".repeat(COLUMNS.len()));
    for (_, profile) in Profile::ALL {
        let _ = writeln!(text, "| {} |", row(profile).join(" | "));
    }
    text += BETWEEN;
    for ((name, labelling), stages) in LABELLINGS.iter().zip(&*STAGES) {
        for (_, profile) in Profile::ALL {
            let traits = profile.traits();
            let counted = counted(profile, stages);
            let expected = expected(traits, *labelling);
            match &counted {
                Ok(counters) => assert_eq!(*counters, expected, "{profile}, {name}"),
                Err(reason) => assert!(is_refused(traits, *labelling), "{reason}"),
            }
            let _ = match counted {
                Ok(Counters { links, identical, relocations, emitted, reused }) => writeln!(
                    text,
                    "| {name} | {profile} | {links} | {identical} | {relocations} | {emitted} | {reused} |"
                ),
                Err(reason) => writeln!(text, "| {name} | {profile} | {reason} | | | | |"),
            };
        }
    }
    expect_file!["../../../docs/linkage.md"].assert_eq(&text);
}

const BEFORE: &str = "\
# Linkage profiles and their costs

This page lists the linkage profiles, and what linking costs under each. The test `all_400_pairs_cost_what_the_rule_says`
writes it: run the test with `UPDATE_EXPECT=1`. `interstage labels` also prints the profiles, and the name of every label in
shader model 3.

## Profiles

";

const BETWEEN: &str = "
* **Labels and vectors** are those of the last interface, to the fragment stage. Before a geometry or tessellation stage, 32
  vectors can cross under every profile, as many as in GL. On nv50 that is more than its fragment stage takes, according to
  the driver's author. These interfaces have 256 labels; software has any number, and nvc0 has its 32 addresses, which are
  the same in all stages. Hardware with fewer labels has no geometry or tessellation stages: its driver runs them on the CPU.
* **Two-sided colour**: WebGPU's hardware never chooses between front and back colours. Code in the fragment stage does so
  under every profile, and the pixels are the same. The column shows in the link map (`two_sided` of `[link]`), and in link
  errors: under r300 the fragment stage cannot read the face if the hardware uses it for the colours.
* **Unwritten inputs**: the values that separable stages read from inputs without a matching output, if the case names a
  single profile. Undefined values are zero, and under `profile all` all values are zero. In a program that is linked as a
  whole, these inputs read zero.

## 400 pairs

Twenty vertex stages each write three of six varyings, and twenty fragment stages each read three of the six. This is the
space of piglit's `400-combinations`, which `cases/semantic/all_pairs_of_twenty_and_twenty_stages.shader_test` draws. With
names, every vertex stage writes all six, because interfaces without locations must match as a whole.

The columns are counters of the link map:

* *links*: linked pairs
* *identical*: stage modules used unchanged, of two for each link
* *relocations*: locations that were rewritten
* *emitted*: stage modules made by rewriting
* *reused*: uses of a module that was emitted for an earlier link

The test also derives every number from the profile's rule without the linker. The benchmark `pairs` of
`cargo bench --package interstage-runner` measures the time to link all 400 pairs, each used three times, under each profile.

| labels | profile | links | identical | relocations | emitted | reused |
|---|---|---:|---:|---:|---:|---:|
";
