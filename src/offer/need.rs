//! Needs of cases: every feature, downlevel flag and limit of wgpu, and every capability of a format, in one table. A
//! missing one skips the case with a message that names it, before any call of wgpu.

mod amount;
mod format;
mod pass;
mod shader;
mod table;

use wgpu_types::{DownlevelFlags as Flags, Features};

use case::Case;
use ir::backend::Backend;
use link::program::LinkedProgram;
use plan::Plan;

use super::ability::Abilities;
use super::limits::LIMITS;
use super::offer::Offer;
use super::pretend::Pretend;
use format::FORMATS;
use table::{FEATURES, FLAGS, LIMIT_ROWS, SHADER_FEATURES, SHADER_FLAGS};

pub use shader::modules;

/// A case, with its programs and plan as far as they are known.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    /// The parsed case.
    pub(crate) case: &'a Case,
    /// The linked programs of the case; empty before linking.
    pub(crate) programs: &'a [LinkedProgram],
    /// The plan of the case, if it is known.
    pub(crate) plan: Option<&'a Plan>,
    /// Alignment of uniform buffer offsets.
    pub(crate) alignment: u32,
    /// True for GL adapters, on which some operations need other resources.
    pub(crate) is_gl: bool,
}

/// One row of the table of needs.
struct Row<T> {
    /// The feature, flag or limit that an adapter may lack.
    ability: T,
    /// The constructs that need the ability, in the plural.
    what: &'static str,
    /// The amount that a case needs: the value of a limit, or 1 for a feature or flag; 0 if the case does not need it.
    needed: fn(&Subject<'_>) -> u64,
}

/// The needs of a case, by wgpu's names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Names of the features and downlevel flags that the case needs.
    pub names: Vec<&'static str>,
    /// Names of the limits that the case needs, with their smallest sufficient values.
    pub limits: Vec<(&'static str, u64)>,
}

impl Needs {
    /// Adds a feature if wgpu knows it.
    pub(crate) fn add_name(&mut self, name: &str) {
        let known = wgpu_types::Features::from_name(name).map(feature_name);
        self.names.extend(known.filter(|feature| !self.names.contains(feature)));
    }

    /// Adds a limit if wgpu knows it.
    pub(crate) fn add_limit(&mut self, name: &str, value: u64) {
        let Some((name, _, _)) = LIMITS.iter().find(|(known, _, _)| *known == name) else { return };
        match self.limits.iter_mut().find(|(own, _)| own == name) {
            Some((_, own)) => *own = value.max(*own),
            None => self.limits.push((name, value)),
        }
    }
}

/// A printable row of the table of needs: the kind (feature, flag, limit or format), wgpu's name (empty for formats),
/// and the constructs that need it.
pub type NeedRow = (&'static str, &'static str, &'static str);

/// The table of needs in printable form.
pub fn need_table() -> Vec<NeedRow> {
    let feature =
        |row: &Row<wgpu_types::Features>| ("feature", feature_name(row.ability), row.what);
    let flag = |row: &Row<wgpu_types::DownlevelFlags>| ("flag", flag_name(row.ability), row.what);
    let features = FEATURES.iter().chain(&SHADER_FEATURES).map(feature);
    let of_formats = format::FORMAT_FEATURES.into_iter();
    let of_formats = of_formats.map(|feature| ("feature", feature_name(feature), "formats"));
    let flags = FLAGS.iter().chain(&SHADER_FLAGS).map(flag);
    let limits = LIMIT_ROWS.iter().map(|row| ("limit", row.ability, row.what));
    let formats = FORMATS.iter().map(|row| ("format", "", row.what));
    features.chain(of_formats).chain(flags).chain(limits).chain(formats).collect()
}

impl Pretend {
    /// A device that has exactly `needs`. Alignments stay those of the adapter.
    pub fn exactly(needs: &Needs) -> Self {
        let has = |name: &str| needs.names.contains(&name);
        let lacking = Features::all().iter_names().filter(|(name, _)| !has(name));
        let without = lacking.fold(Features::empty(), |all, (_, feature)| all | feature);
        let lacking = Flags::all().iter_names().filter(|(name, _)| !has(name));
        let without_flags = lacking.fold(Flags::empty(), |all, (_, flag)| all | flag);
        let value = |name: &str| {
            needs.limits.iter().find(|(known, _)| *known == name).map_or(0, |(_, value)| *value)
        };
        let most = LIMITS.iter().map(|limit| limit.0).filter(|name| name.starts_with("max_"));
        let limits = most.map(|name| (name, value(name))).collect();
        Self { kind: None, without, without_flags, limits }
    }
}

impl<'a> Subject<'a> {
    /// The case as it runs on the adapter with this offer.
    pub(crate) fn new(
        offer: &Offer,
        case: &'a Case,
        programs: &'a [LinkedProgram],
        plan: Option<&'a Plan>,
    ) -> Self {
        let is_gl = offer.info().backend == Backend::Gl;
        let alignment = offer.abilities.limits.min_uniform_buffer_offset_alignment;
        Self { case, programs, plan, alignment, is_gl }
    }

    /// The first need that `offer` lacks, in words.
    pub(crate) fn lacks(&self, offer: &Offer) -> Option<String> {
        let abilities = &offer.abilities;
        self.lacks_ability(abilities).or_else(|| format::lacks_format(self, offer))
    }

    /// The first thing that needs one of these features, in words.
    pub(crate) fn needed_of(&self, features: wgpu_types::Features) -> Option<&'static str> {
        let mut rows = FEATURES.iter().chain(&SHADER_FEATURES);
        let row = rows.find(|row| features.contains(row.ability) && (row.needed)(self) > 0)?;
        Some(row.what)
    }

    fn lacks_ability(&self, abilities: &Abilities) -> Option<String> {
        let is_covered = shader::is_covered(self, abilities);
        self.lacks_feature(abilities, is_covered)
            .or_else(|| self.lacks_flag(abilities, is_covered))
            // Capabilities that no row covers.
            .or_else(|| (!is_covered).then(|| shader::lacking(self, abilities)))
            .or_else(|| self.lacks_limit(abilities))
    }

    fn lacks_feature(&self, abilities: &Abilities, is_covered: bool) -> Option<String> {
        let shader = SHADER_FEATURES.iter().filter(|_| !is_covered);
        let missing = |row: &&Row<wgpu_types::Features>| {
            !abilities.features.contains(row.ability) && (row.needed)(self) > 0
        };
        let row = FEATURES.iter().chain(shader).find(missing)?;
        let name = feature_name(row.ability);
        Some(format!("the adapter lacks the feature {name}: {}", row.what))
    }

    fn lacks_flag(&self, abilities: &Abilities, is_covered: bool) -> Option<String> {
        let shader = SHADER_FLAGS.iter().filter(|_| !is_covered);
        let missing = |row: &&Row<wgpu_types::DownlevelFlags>| {
            !abilities.has(row.ability) && (row.needed)(self) > 0
        };
        let row = FLAGS.iter().chain(shader).find(missing)?;
        let name = flag_name(row.ability);
        Some(format!("the adapter lacks the flag {name}: {}", row.what))
    }

    fn lacks_limit(&self, abilities: &Abilities) -> Option<String> {
        LIMIT_ROWS.iter().find_map(|row| {
            let (_, get, _) = LIMITS.iter().find(|(name, _, _)| *name == row.ability)?;
            let (value, needed) = (get(&abilities.limits), (row.needed)(self));
            let (name, what) = (row.ability, row.what);
            (value < needed).then(|| format!("{name} is {value}, and {what} need {needed}"))
        })
    }

    /// All needs of the case on the adapter with this offer.
    pub(crate) fn needs(&self, offer: &Offer) -> Needs {
        let features = FEATURES.iter().chain(&SHADER_FEATURES);
        let features = features.filter(|row| (row.needed)(self) > 0);
        let flags = FLAGS.iter().chain(&SHADER_FLAGS).filter(|row| (row.needed)(self) > 0);
        let formats = format::needed_features(self, offer);
        let features = features.fold(formats, |all, row| all | row.ability);
        let names = features.iter_names().map(|(name, _)| name);
        let limits = LIMIT_ROWS.iter().map(|row| (row.ability, (row.needed)(self)));
        Needs {
            names: names.chain(flags.map(|row| flag_name(row.ability))).collect(),
            limits: limits.filter(|(_, value)| *value > 0).collect(),
        }
    }
}

fn feature_name(feature: wgpu_types::Features) -> &'static str {
    feature.iter_names().next().map_or("", |(name, _)| name)
}

fn flag_name(flag: wgpu_types::DownlevelFlags) -> &'static str {
    flag.iter_names().next().map_or("", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use link::program::LinkedStages;

    use super::*;

    const ALL: Abilities = Abilities {
        features: wgpu_types::Features::all(),
        flags: wgpu_types::DownlevelFlags::all(),
        limits: wgpu_types::Limits::defaults(),
        language: None,
    };

    fn compute(wgsl: &str) -> LinkedProgram {
        fixture::program(LinkedStages::Compute(fixture::module(wgsl)))
    }

    #[track_caller]
    fn check(program: &LinkedProgram, abilities: &Abilities, expected: Option<&str>) {
        let case = fixture::case(Vec::new());
        let programs = std::slice::from_ref(program);
        let subject = Subject { case: &case, programs, plan: None, alignment: 256, is_gl: false };
        assert_eq!(subject.lacks_ability(abilities).as_deref(), expected);
    }

    #[test]
    fn what_a_shader_uses_and_the_adapter_has_not_is_named() {
        let wgsl = "enable f16;
            @compute @workgroup_size(1) fn main(@builtin(subgroup_size) size: u32) {
                let half = f16(size);
            }";
        let program = compute(wgsl);
        check(&program, &ALL, None);
        let without = |feature| Abilities { features: ALL.features - feature, ..ALL };
        let message = "the adapter lacks the feature SHADER_F16: 16-bit floats";
        check(&program, &without(wgpu_types::Features::SHADER_F16), Some(message));
        check(&program, &without(wgpu_types::Features::SHADER_F64), None);
        let groups = wgpu_types::Features::SUBGROUP | wgpu_types::Features::SUBGROUP_VERTEX;
        let message = "the adapter lacks the feature SUBGROUP: subgroups";
        check(&program, &without(groups), Some(message));
        let plain = LinkedProgram { needs_capabilities: false, ..program };
        check(&plain, &without(groups), None);
    }

    #[test]
    fn what_no_row_knows_is_a_skip_too() {
        let wgsl = "@group(0) @binding(0) var<storage, read_write> a: atomic<u64>;
            @compute @workgroup_size(1) fn main() { atomicMax(&a, 1lu); }";
        let atomics = wgpu_types::Features::SHADER_INT64_ATOMIC_MIN_MAX
            | wgpu_types::Features::SHADER_INT64_ATOMIC_ALL_OPS;
        let abilities = Abilities { features: ALL.features - atomics, ..ALL };
        let names = "SHADER_INT64_ATOMIC_MIN_MAX or SHADER_INT64_ATOMIC_ALL_OPS";
        let message = &format!("the adapter's shaders lack {names}");
        check(&compute(wgsl), &abilities, Some(message));
    }

    #[test]
    fn a_missing_flag_is_named() {
        let program = compute("@compute @workgroup_size(1) fn main() {}");
        let flags = ALL.flags - wgpu_types::DownlevelFlags::COMPUTE_SHADERS;
        let what = "compute stages, geometry stages, captures and cull distances";
        let message = format!("the adapter lacks the flag COMPUTE_SHADERS: {what}");
        check(&program, &Abilities { flags, ..ALL }, Some(&message));
    }

    #[test]
    fn workgroups_keep_to_each_side_and_to_the_number_of_invocations() {
        let check = |size: &str, expected| {
            let wgsl = format!("@compute @workgroup_size({size}) fn main() {{}}");
            check(&compute(&wgsl), &ALL, expected);
        };
        check("256, 1, 1", None);
        check("4, 1, 64", None);
        let all = "max_compute_invocations_per_workgroup is 256, and workgroups need 272";
        check("16, 17, 1", Some(all));
        let side = "max_compute_workgroup_size_z is 64, and workgroups need 65";
        check("1, 1, 65", Some(side));
    }

    #[test]
    fn shared_variables_are_counted_together() {
        let wgsl = "var<workgroup> a: array<vec4f, 1024>; var<workgroup> b: f32;
            @compute @workgroup_size(1) fn main() { a[0] = vec4f(b); }";
        let needed = 16 * 1024 + 16;
        let name = "max_compute_workgroup_storage_size";
        let message = format!("{name} is 16384, and shared variables need {needed}");
        check(&compute(wgsl), &ALL, Some(&message));
    }

    #[test]
    fn the_table_stands_in_the_documents() {
        let text = include_str!("../../docs/needs.md");
        let rows = text.lines().filter(|line| {
            ["| feature", "| flag", "| limit", "| format"]
                .iter()
                .any(|start| line.starts_with(start))
        });
        let expected = need_table().into_iter().map(|(kind, name, what)| match name {
            "" => format!("| {kind} | | {what} |"),
            name => format!("| {kind} | `{name}` | {what} |"),
        });
        assert_eq!(rows.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }

    #[test]
    fn every_name_is_wgpus_and_stands_for_one_thing() {
        let features =
            FEATURES.iter().chain(&SHADER_FEATURES).map(|row| row.ability.iter().count());
        let flags = FLAGS.iter().chain(&SHADER_FLAGS).map(|row| row.ability.iter().count());
        assert!(features.chain(flags).all(|count| count == 1));
        let is_known = |name: &str| LIMITS.iter().any(|(known, _, _)| *known == name);
        assert!(LIMIT_ROWS.iter().all(|row| is_known(row.ability)));
    }
}
