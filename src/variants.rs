//! Runs variants of linked stages, and says whether a failure is theirs.

use std::collections::BTreeSet;

use case::{Case, LinkSection};
use check::verdict::{Failure, Verdict};
use ir::options::{Optimise, PackMode, Packing};
use ir::readback::{Extent, Readback};
use ir::stage_module::Stages;
use link::program::{LinkedProgram, LinkedStages};
use link::session::LinkedPrograms;
use naga::Module;
use prepare::{AdapterRules, Compiled, Linking};
use vary::{CHANGES, Places, SEAM_CHANGES, Variant};

use crate::compilers::Ran;
use crate::device::Device;

/// Begins the lines of a failure that say what the original stages give.
const VARIANT: &str = "variant   ";

/// Name of the change that packs varyings in another way.
const PACKING: &str = "packing";

/// A linked case, and the device that will run its variants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Original<'a> {
    pub(crate) case: &'a Case,
    pub(crate) device: &'a Device,
    pub(crate) compiled: &'a Compiled,
    pub(crate) programs: &'a LinkedPrograms,
}

/// Programs whose stages are variants.
#[derive(Debug)]
pub(crate) struct Variants {
    pub(crate) programs: LinkedPrograms,
    pub(crate) places: Places,
    /// The programs before their linked stages were changed, if they were linked in another way.
    relinked: Option<LinkedPrograms>,
    seed: u64,
    faults: Vec<String>,
}

impl Variants {
    /// The variants of all stages and passes with this seed.
    pub(crate) fn of(original: &Original<'_>, seed: u64) -> Self {
        let rules = original.device.offer().link_rules();
        let unlinked = Unlinked { case: original.case, compiled: original.compiled, rules, seed };
        let Relinked { programs: relinked, places: mut all, mut faults } =
            unlinked.relinked(&original.programs.programs);
        let mut programs = relinked.as_ref().unwrap_or(original.programs).clone();
        let (places, further) = vary_all(&mut programs.programs, seed, CHANGES);
        all.extend(places);
        faults.extend(further);
        Self { programs, places: all, relinked, seed, faults }
    }

    /// A failure if a change made an invalid module.
    pub(crate) fn failure(&self) -> Option<Failure> {
        let details = self.faults.iter().map(|fault| format!("a bug of interstage: {fault}"));
        let details: Vec<_> = details.collect();
        (!details.is_empty()).then(|| Failure::of_case("vary", details))
    }

    /// Runs the originals of these variants once more on the same device, and adds to each failure whether they fail,
    /// too, and else with which change the failure begins. `ran` has the original programs, and what came back from the
    /// variants.
    pub(crate) fn blame(
        &self,
        ran: Ran<'_>,
        compiled: &Compiled,
        failures_of: impl Fn(&Readback) -> Vec<Failure>,
        failures: &mut [Failure],
    ) {
        let own = failures_of(ran.readback);
        let is_judged = |line| own.iter().any(|own| own.line == line);
        let judged: Vec<_> =
            failures.iter_mut().filter(|failure| is_judged(failure.line)).collect();
        if judged.is_empty() {
            return;
        }
        let run = |programs: &LinkedPrograms| ran.device.execute(ran.case, programs, Extent::Whole);
        let Ok(readback) = run(ran.programs) else { return };
        let original = failures_of(&readback);
        // Failures that the variants alone have.
        let is_new = |failure: &Failure| original.iter().all(|known| known.line != failure.line);
        let fails = |programs: &LinkedPrograms| {
            run(programs).is_ok_and(|readback| failures_of(&readback).iter().any(is_new))
        };
        let begins = own.iter().any(is_new).then(|| self.first_change(ran, compiled, fails));
        for failure in judged {
            let at = match &begins {
                Some(begins) if is_new(failure) => {
                    format!("the original gives what is expected; the failure begins with {begins}")
                }
                Some(_) | None => "not at fault: the original fails as well".to_owned(),
            };
            failure.details.push(format!("{VARIANT}{at}"));
        }
    }

    /// Name of the first change with which programs fail.
    fn first_change(
        &self,
        ran: Ran<'_>,
        compiled: &Compiled,
        fails: impl Fn(&LinkedPrograms) -> bool,
    ) -> String {
        let unchanged = self.relinked.as_ref().unwrap_or(ran.programs);
        if self.relinked.is_some() && fails(unchanged) {
            let rules = ran.device.offer().link_rules();
            let unlinked = Unlinked { case: ran.case, compiled, rules, seed: self.seed };
            let seam = |count| unlinked.with_other_seams(count).and_then(|other| other.linked.ok());
            let number =
                first(SEAM_CHANGES + 1, |count| seam(count).is_some_and(|one| fails(&one)));
            return unlinked.seam_change(number).unwrap_or_else(|| PACKING.to_owned());
        }
        let number = first(CHANGES, |count| {
            let mut programs = unchanged.clone();
            vary_all(&mut programs.programs, self.seed, count);
            fails(&programs)
        });
        self.change_at(unchanged, number)
    }

    /// Names of the changes with this number in all modules.
    fn change_at(&self, originals: &LinkedPrograms, number: usize) -> String {
        let mut originals = originals.programs.clone();
        let modules = originals.iter_mut().flat_map(modules);
        let names = modules.filter_map(|module| vary::name_of(module, self.seed, number));
        joined(names).unwrap_or_default()
    }
}

/// The names, once each; `None` if there are none.
fn joined<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let names: Vec<_> = names.collect::<BTreeSet<_>>().into_iter().collect();
    (!names.is_empty()).then(|| names.join(" or "))
}

/// A case whose stages are compiled, and the seed of other ways to link them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unlinked<'a> {
    pub(crate) case: &'a Case,
    pub(crate) compiled: &'a Compiled,
    pub(crate) rules: AdapterRules,
    pub(crate) seed: u64,
}

/// The programs of a case; with a seed, their variants.
pub(crate) fn varied_programs(
    case: &Case,
    compiled: &Compiled,
    rules: AdapterRules,
    seed: Option<u64>,
) -> Result<Vec<LinkedProgram>, Verdict> {
    let mut programs = linked(case, compiled, rules)?.programs(case)?.programs;
    if let Some(seed) = seed {
        let unlinked = Unlinked { case, compiled, rules, seed };
        if let Some(relinked) = unlinked.relinked(&programs).programs {
            programs = relinked.programs;
        }
        vary_all(&mut programs, seed, CHANGES);
    }
    Ok(programs)
}

/// The programs of a case, linked in another way.
#[derive(Debug, Default)]
pub(crate) struct Relinked {
    /// `None` if there is no other way.
    pub(crate) programs: Option<LinkedPrograms>,
    pub(crate) places: Places,
    /// Errors of the linker that are bugs of interstage.
    pub(crate) faults: Vec<String>,
}

/// Programs with other variables between their stages.
struct OtherSeams {
    /// The programs, or the error of the linker. An adapter's lack of room is no error.
    linked: Result<LinkedPrograms, Option<String>>,
    stages: Compiled,
    places: Places,
}

impl Unlinked<'_> {
    /// The case with other variables between the stages and another way to pack them. `originals` are the programs of the
    /// case. What does not fit the adapter is left out.
    pub(crate) fn relinked(&self, originals: &[LinkedProgram]) -> Relinked {
        let mut found = Relinked::default();
        let other = self.with_other_seams(SEAM_CHANGES);
        let mut stages = self.compiled;
        if let Some(other) = &other {
            match &other.linked {
                Ok(programs) => {
                    found.programs = Some(programs.clone());
                    found.places.clone_from(&other.places);
                    stages = &other.stages;
                }
                Err(error) => found.faults.extend(error.clone()),
            }
        }
        let Some(case) = self.case_with_packing(originals) else { return found };
        if let Ok(Linking::Done(packed)) = linked(&case, stages, self.rules) {
            found.programs = Some(packed);
            found.places.insert(PACKING.to_owned(), 1);
        }
        found
    }

    /// The programs with the first `count` changes of the variables between the stages. `None` if nothing changes.
    fn with_other_seams(&self, count: usize) -> Option<OtherSeams> {
        if !self.has_free_names() {
            return None;
        }
        let mut places = Places::new();
        let mut varied = |stages: &Stages| {
            let variant = vary::with_other_seam(stages, self.seed, count);
            variant.map_or_else(
                || stages.clone(),
                |variant| {
                    for (name, count) in variant.places {
                        *places.entry(name).or_default() += count;
                    }
                    variant.stages
                },
            )
        };
        let stages = match self.compiled {
            Compiled::Program(stages) => Compiled::Program(varied(stages)),
            Compiled::Programs(all) => Compiled::Programs(all.iter().map(varied).collect()),
            Compiled::Objects(_) | Compiled::Unlinkable(_) | Compiled::Unlinked => return None,
        };
        if places.is_empty() {
            return None;
        }
        let linked = match linked(self.case, &stages, self.rules) {
            Ok(Linking::Done(programs)) => Ok(programs),
            Ok(Linking::Failed(error)) => {
                Err(Some(format!("other variables between the stages: {error}")))
            }
            Err(_) => Err(None),
        };
        Some(OtherSeams { linked, stages, places })
    }

    /// Names of the changes with this number of the variables between the stages; `None` behind the last.
    fn seam_change(&self, number: usize) -> Option<String> {
        let all = match self.compiled {
            Compiled::Program(stages) => std::slice::from_ref(stages),
            Compiled::Programs(all) => all,
            Compiled::Objects(_) | Compiled::Unlinkable(_) | Compiled::Unlinked => &[],
        };
        let names = all.iter().filter_map(|stages| vary::seam_change(stages, self.seed, number));
        joined(names)
    }

    /// True if nothing in the case names the variables between the stages.
    fn has_free_names(&self) -> bool {
        let link = LinkSection { header: None, ..self.case.link.clone() };
        link == LinkSection::default() && self.case.capture.is_none()
    }

    /// The case with another way to pack its varyings, which the seed and the linked program choose. `None` if the case
    /// has rules or expectations about packing.
    fn case_with_packing(&self, programs: &[LinkedProgram]) -> Option<Case> {
        let link = &self.case.link;
        let is_free = link.packing == Packing::default()
            && link.expectations.is_empty()
            && link.profile.is_none()
            && !link.is_separable;
        let [program] = programs else { return None };
        let LinkedStages::Render { vertex, .. } = &program.stages else { return None };
        if !is_free {
            return None;
        }
        let mut case = self.case.clone();
        case.link.packing = packing(vary::number(vertex, self.seed));
        Some(case)
    }
}

fn linked(case: &Case, stages: &Compiled, rules: AdapterRules) -> Result<Linking, Verdict> {
    stages.link(case, rules, prepare::first_profile(case))
}

/// A way to pack varyings.
fn packing(number: u64) -> Packing {
    let bit = |bit: u32| number >> bit & 1 == 1;
    let modes = [PackMode::On, PackMode::Off, PackMode::Inside, PackMode::Scalar, PackMode::Dense];
    let mode = modes[usize::try_from(number >> 8 & 0xff).unwrap_or(0) % modes.len()];
    let optimise = Optimise {
        dead: bit(0),
        constants: bit(1),
        uniforms: bit(2),
        duplicates: bit(3),
        convergent: bit(4),
    };
    Packing { mode, is_native_kept: bit(5), optimise, ..Packing::default() }
}

/// The smallest number for which `fails` is true with one more, if it is true for all larger ones up to `end`.
fn first(end: usize, fails: impl Fn(usize) -> bool) -> usize {
    let (mut good, mut bad) = (0, end);
    while bad - good > 1 {
        let middle = usize::midpoint(good, bad);
        if fails(middle) { bad = middle } else { good = middle }
    }
    good
}

/// Replaces all stages and passes by their variants with the first `count` changes. Returns the altered places, and the
/// changes that went wrong.
fn vary_all(programs: &mut [LinkedProgram], seed: u64, count: usize) -> (Places, Vec<String>) {
    let (mut all, mut all_faults) = (Places::new(), Vec::new());
    for module in programs.iter_mut().flat_map(modules) {
        let Variant { module: varied, places, faults } = vary::with_first(module, seed, count);
        *module = varied;
        for (name, count) in places {
            *all.entry(name).or_default() += count;
        }
        all_faults.extend(faults);
    }
    (all, all_faults)
}

/// All modules of a program.
fn modules(program: &mut LinkedProgram) -> Vec<&mut Module> {
    let stages = match &mut program.stages {
        LinkedStages::Render { vertex, fragment } => {
            std::iter::once(vertex).chain(fragment.as_mut()).collect()
        }
        LinkedStages::Compute(module) => vec![module],
    };
    stages.into_iter().chain(program.passes.iter_mut().map(|pass| &mut pass.module)).collect()
}
