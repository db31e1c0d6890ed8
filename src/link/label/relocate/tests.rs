//! Checks that relocation equals linking from scratch, and rewrites only what is necessary.

use std::fmt::Write as _;
use std::sync::LazyLock;

use naga::back::wgsl::{WriterFlags, write_string};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use proptest::prelude::*;

use crate::interface::separable::{self, Ends, LabelRules, Labels};
use crate::match_up::LinkRules;
use crate::session::link_all;
use crate::table::shell::{Slot, Wire};
use crate::testing::stage;
use crate::{LabelOptions, LinkOptions};
use ir::linkage_table::LinkageTable;
use ir::options::ColorState;
use ir::semantic::FIRST_OTHER_KEY;
use ir::stage::ShaderStage;

use super::*;

/// Qualifier and type for each of the labels that tests use.
const KINDS: [(&str, &str); 4] =
    [("", "vec4"), ("", "float"), ("flat ", "uint"), ("noperspective ", "vec2")];

fn declarations(labels: &BTreeSet<u32>, direction: &str) -> String {
    labels.iter().fold(String::new(), |mut text, label| {
        let (qualifier, ty) = KINDS[*label as usize % KINDS.len()];
        let _ = writeln!(text, "layout(location = {label}) {qualifier}{direction} {ty} v{label};");
        text
    })
}

/// A stage that writes a different number to each label.
fn vertex(labels: &BTreeSet<u32>) -> StageModule {
    let mut text = format!("#version 450\n{}void main() {{\n", declarations(labels, "out"));
    for label in labels {
        let (_, ty) = KINDS[*label as usize % KINDS.len()];
        let _ = writeln!(text, "v{label} = {ty}({label});");
    }
    text.push_str("gl_Position = vec4(0.0, 0.0, 0.0, 1.0); }");
    stage(ShaderStage::Vertex, &text)
}

/// A stage that reads each label.
fn fragment(labels: &BTreeSet<u32>) -> StageModule {
    let sum = labels.iter().fold("0.0".to_owned(), |sum, label| format!("{sum} + float(v{label})"));
    let text = declarations(labels, "in");
    let text = format!("#version 450\n{text}out vec4 c;\nvoid main() {{ c = vec4({sum}); }}");
    stage(ShaderStage::Fragment, &text)
}

fn options(profile: Profile) -> LinkOptions {
    LinkOptions {
        labels: LabelOptions { profile, is_separable: true, ..LabelOptions::default() },
        ..LinkOptions::default()
    }
}

/// The module as WGSL, with temporaries and slots numbered in the order of their appearance.
fn text(module: &Module) -> String {
    // A rewritten stage may load variables that no location fills any more.
    let mut module = module.clone();
    naga::compact::compact(&mut module, naga::compact::KeepUnused::No);
    let module = &module;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(module).expect("a valid module");
    let wgsl = write_string(module, &info, WriterFlags::empty()).expect("it is WGSL");
    let wgsl: String = wgsl.lines().filter(|line| !is_zero(line)).collect::<Vec<_>>().join("\n");
    let mut numbers = BTreeMap::new();
    let mut normal = String::new();
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut rest = wgsl.as_str();
    while let Some(start) = rest.find(is_word) {
        let length = rest[start..].find(|letter| !is_word(letter)).unwrap_or(rest.len() - start);
        let word = &rest[start..start + length];
        normal.push_str(&rest[..start]);
        if word.starts_with("_e") || word.starts_with("slot") {
            let next = numbers.len();
            let _ = write!(normal, "name{}", numbers.entry(word.to_owned()).or_insert(next));
        } else {
            normal.push_str(word);
        }
        rest = &rest[start + length..];
    }
    normal + rest
}

/// True for a line that stores zero.
fn is_zero(line: &str) -> bool {
    let value = line.trim().split_once(" = ").map_or("", |(_, value)| value);
    let zero = ["vec4<f32>()", "vec4<u32>()"].iter().find_map(|zero| value.strip_prefix(zero));
    matches!(zero, Some(";" | ".x;" | ".xy;"))
}

/// The shell that uses the locations of `map` from the start, without slots that have no location.
fn shell_with(shell: &Shell, map: &LabelMap) -> Shell {
    let moved = |slots: &[Slot]| -> Vec<Slot> {
        let place = |slot: &Slot| {
            let location = match slot.class {
                Some(_) => map.get(&slot.location).copied().flatten()?,
                None => slot.location,
            };
            Some(Slot { location, ..*slot })
        };
        slots.iter().filter_map(place).collect()
    };
    let kept = |slots: &[Slot]| -> Vec<Option<usize>> {
        let mut next = 0;
        let number = |slot: &Slot| {
            let is_kept =
                slot.class.is_none() || map.get(&slot.location).copied().flatten().is_some();
            next += usize::from(is_kept);
            is_kept.then(|| next - 1)
        };
        slots.iter().map(number).collect()
    };
    let wires = |wires: &[Wire], numbers: &[Option<usize>]| {
        let wire = |wire: &Wire| {
            let components = wire.components.iter();
            let components: Option<Vec<_>> =
                components.map(|(slot, component)| Some((numbers[*slot]?, *component))).collect();
            Some(Wire { components: components?, ..wire.clone() })
        };
        wires.iter().filter_map(wire).collect::<Vec<_>>()
    };
    Shell {
        inputs: moved(&shell.inputs),
        input_wires: wires(&shell.input_wires, &kept(&shell.inputs)),
        outputs: moved(&shell.outputs),
        output_wires: wires(&shell.output_wires, &kept(&shell.outputs)),
        ..shell.clone()
    }
}

/// A stage after rewriting, and linked from scratch. Rewriting an unwritten input leaves a store of zero, which linking
/// from scratch does not have.
fn both_ways(stage: &StageModule, shell: &Shell, map: &LabelMap) -> [String; 2] {
    let mut patched = wrap::wrap(stage, shell);
    patch(&mut patched, map, UnwrittenInput::Zero);
    let scratch = wrap::wrap(stage, &shell_with(shell, map));
    [patched, scratch].map(|module| text(&module))
}

/// The shells of both stages, which name labels.
fn shells(vertex: &StageModule, fragment: &StageModule) -> [Shell; 2] {
    let rules = LinkRules::of_languages(vertex.rules, fragment.rules);
    let (matching, _) = separable::match_up(&vertex.outputs, &fragment.inputs, rules);
    let ends = Ends { outputs: &vertex.outputs, inputs: &fragment.inputs, matching: &matching };
    let mut shells = [Shell::default(), Shell::default()];
    let [first, second] = &mut shells;
    let mut labels = Labels::default();
    let (linkage, colors) = (&LinkageTable::default(), ColorState::default());
    separable::connect(ends, &mut labels, LabelRules { linkage, colors }, [first, second])
        .expect("they connect");
    shells
}

fn labels(mask: u32) -> BTreeSet<u32> {
    (0..6).filter(|bit| mask >> bit & 1 == 1).map(|bit| bit * 5).collect()
}

/// Every stage that writes or reads some of six varyings.
static STAGES: LazyLock<Vec<[StageModule; 2]>> = LazyLock::new(|| {
    (0..64).map(|mask| [vertex(&labels(mask)), fragment(&labels(mask))]).collect()
});

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    /// Relocation agrees with linking from scratch for all locations of a pair and all subsets of its varyings.
    #[test]
    fn relocating_and_linking_from_scratch_agree(
        written in 0u32..64,
        read in 0u32..64,
        locations in Just((0..16).collect::<Vec<u32>>()).prop_shuffle(),
    ) {
        let (vertex, fragment) = (&STAGES[written as usize][0], &STAGES[read as usize][1]);
        let [first, second] = shells(vertex, fragment);
        let common = labels(written & read);
        let map = |own: BTreeSet<u32>| -> LabelMap {
            let place = |label: u32| locations[label as usize / 5];
            own.into_iter().map(|key| (key, common.contains(&key).then(|| place(key)))).collect()
        };
        let [patched, scratch] = both_ways(vertex, &first, &map(labels(written)));
        prop_assert_eq!(patched, scratch);
        let [patched, scratch] = both_ways(fragment, &second, &map(labels(read)));
        prop_assert_eq!(patched, scratch);
    }

    /// Every profile gives modules that the independent check of linked modules accepts, or rejects the pair.
    #[test]
    fn every_pair_under_every_profile_verifies(written in 0u32..64, read in 0u32..64) {
        let (vertex, fragment) = (&STAGES[written as usize][0], &STAGES[read as usize][1]);
        for (_, profile) in Profile::ALL {
            let (first, second) = (std::slice::from_ref(vertex), std::slice::from_ref(fragment));
            match link_all(first, second, &[(0, 0)], &options(profile)) {
                Ok(linked) => prop_assert!(linked.programs[0].map.placement.is_some()),
                Err(crate::LinkError::Forbidden(_)) => {
                    prop_assert!(matches!(profile, Profile::I915));
                    prop_assert!((written | read) >> 2 != 0, "labels below 8 are fine");
                }
                Err(error) => prop_assert!(false, "{error}"),
            }
        }
    }
}

#[track_caller]
fn check_counters(profile: Profile, writers: &[&[u32]], uses: &[(usize, usize)], expected: &str) {
    let writers: Vec<_> =
        writers.iter().map(|keys| vertex(&keys.iter().copied().collect())).collect();
    let reader = fragment(&BTreeSet::from([0, 2]));
    let linked = link_all(&writers, &[reader], uses, &options(profile)).expect("they link");
    assert_eq!(linked.programs[0].map.counters.to_string(), expected);
}

/// Two vertex stages with identity layouts, then one in whose dense layout label 2 is the second.
#[test]
fn only_other_layouts_are_rewritten_and_only_once() {
    let writers: [&[u32]; 3] = [&[0, 2], &[0, 2, 5], &[0, 2, 200]];
    check_counters(
        Profile::Nv30,
        &writers,
        &[(0, 0), (1, 0), (0, 0), (1, 0)],
        "links 2, identical 4, relocations 0, emitted 0, reused 0",
    );
    check_counters(
        Profile::Nv30,
        &writers,
        &[(0, 0), (2, 0), (0, 0), (2, 0), (2, 0)],
        "links 2, identical 3, relocations 1, emitted 1, reused 2",
    );
}

/// An unwritten label does not count as a relocation, but WebGPU requires a module without it, which is made once.
#[test]
fn a_missing_label_is_no_relocation() {
    check_counters(
        Profile::Webgpu,
        &[&[0], &[0, 1]],
        &[(0, 0), (1, 0)],
        "links 2, identical 2, relocations 0, emitted 1, reused 1",
    );
}

/// All variables may have labels: `GENERIC` labels need no extra locations.
#[test]
fn every_variable_may_be_a_label() {
    let labels: BTreeSet<u32> = (0..16).collect();
    let options = options(Profile::Webgpu);
    assert_eq!(options.adapter.max_inter_stage_variables, 16);
    let (writers, readers) = ([vertex(&labels)], [fragment(&labels)]);
    let linked = link_all(&writers, &readers, &[(0, 0)], &options);
    assert!(linked.is_ok(), "{:?}", linked.err());
}

/// Labels other than `GENERIC` count from the last location down. The labels of all stages count, so the order of pairs
/// does not matter.
#[test]
fn other_labels_have_one_place_in_all_pairs() {
    let keys = ["POSITION", "FOG"].map(|label| label.parse::<Semantic>().expect("a label").key());
    assert_eq!(keys[0], FIRST_OTHER_KEY);
    for order in [[0, 1], [1, 0]] {
        let mut relocator = Relocator::new(&options(Profile::Webgpu).labels, keys);
        for at in order {
            let mut modules = [Module::default(), Module::default()];
            let [first, second] = &mut modules;
            let stage = |module| RelocatableStage {
                object: None,
                module,
                labels: BTreeSet::from([keys[at]]),
            };
            let none = BTreeSet::new();
            let apart = LabelsApart { undefined: &none, unread: &none };
            let placement = relocator.relocate(stage(first), stage(second), apart, 16);
            let registers = placement.expect("they fit").registers;
            let location = 15 - u32::try_from(at).expect("0 or 1");
            let semantic = Semantic::of_key(keys[at]);
            assert_eq!(registers, [Register { output: semantic, input: semantic, location }]);
        }
    }
}

/// The module may already contain the result type, because any shader may declare it.
#[test]
fn a_type_that_is_there_is_used() {
    let text = |location: u32| {
        format!(
            "struct Result {{ @builtin(position) p: vec4f, @location({location}) v: vec4f }}
             @vertex fn main() -> Result {{ return Result(vec4f(), vec4f()); }}"
        )
    };
    let [mut module, known] =
        [200, 1].map(|at| naga::front::wgsl::parse_str(&text(at)).expect("valid WGSL"));
    let is_result = |ty: &&naga::Type| ty.name.as_deref() == Some("Result");
    let (_, ty) = known.types.iter().find(|(_, ty)| is_result(ty)).expect("declared");
    // Both modules have their types in the same order.
    module.types.insert(ty.clone(), naga::Span::UNDEFINED);
    patch(&mut module, &LabelMap::from([(200, Some(1))]), UnwrittenInput::Zero);
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(&module).expect("a valid module");
}

/// naga's validator needs memory in proportion to the highest location.
#[test]
fn labels_are_validated_as_small_locations() {
    let text = |location: u32| {
        format!(
            "struct Result {{ @builtin(position) p: vec4f, @location(2) u: f32, @location({location}) v: vec4f }}
             @vertex fn main() -> Result {{ return Result(vec4f(), 0.0, vec4f()); }}"
        )
    };
    let [labelled, small] = [1 << 30, 4097].map(|at| naga::front::wgsl::parse_str(&text(at)));
    let [labelled, small] = [labelled, small].map(|module| module.expect("valid WGSL"));
    let found = with_small_locations(&labelled).expect("a copy");
    let types = |module: &Module| module.types.iter().map(|(_, ty)| ty.clone()).collect::<Vec<_>>();
    assert_eq!(types(&found), types(&small));
    let info = |module: &Module| {
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
        format!("{:?}", validator.validate(module).expect("a valid module"))
    };
    assert_eq!(info(&found), info(&labelled));
    let low = naga::front::wgsl::parse_str(&text(3)).expect("valid WGSL");
    assert!(with_small_locations(&low).is_none());
}

/// Equal module numbers mean equal modules, so a pipeline cache can use them.
#[test]
fn a_rewritten_module_keeps_its_number() {
    let writers: [&[u32]; 2] = [&[0, 2, 200], &[0, 2, 201]];
    let writers = writers.map(|keys| vertex(&keys.iter().copied().collect()));
    let readers = [fragment(&BTreeSet::from([0, 2]))];
    let linked = link_all(&writers, &readers, &[(0, 0), (1, 0)], &options(Profile::Nv30));
    let programs = linked.expect("they link").programs;
    let number = |at: usize| programs[at].map.placement.as_ref().expect("labels").modules[1];
    assert!(number(0).is_some());
    assert_eq!(number(0), number(1));
}
