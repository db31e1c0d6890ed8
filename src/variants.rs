//! Runs variants of linked stages, and says whether a failure is theirs.

use std::collections::BTreeSet;

use case::Case;
use check::verdict::Failure;
use ir::options::{Optimise, PackMode, Packing};
use ir::readback::{Extent, Readback};
use link::program::{LinkedProgram, LinkedStages};
use link::session::LinkedPrograms;
use naga::Module;
use prepare::{Compiled, Linking};
use vary::{CHANGES, Places, Variant};

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
    /// The programs before their stages were changed, if their varyings are packed in another way.
    repacked: Option<LinkedPrograms>,
    seed: u64,
    faults: Vec<String>,
}

impl Variants {
    /// The variants of all stages and passes with this seed.
    pub(crate) fn of(original: &Original<'_>, seed: u64) -> Self {
        let repacked = repacked(original, seed);
        let mut programs = repacked.as_ref().unwrap_or(original.programs).clone();
        let (mut places, faults) = vary_all(&mut programs.programs, seed, CHANGES);
        if repacked.is_some() {
            places.insert(PACKING.to_owned(), 1);
        }
        Self { programs, places, repacked, seed, faults }
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
        let unchanged = self.repacked.as_ref().unwrap_or(ran.programs);
        // Failures that the variants alone have.
        let is_new = |failure: &Failure| original.iter().all(|known| known.line != failure.line);
        let is_failing = |count| {
            let mut programs = unchanged.clone();
            vary_all(&mut programs.programs, self.seed, count);
            run(&programs).is_ok_and(|readback| failures_of(&readback).iter().any(is_new))
        };
        let begins = own.iter().any(is_new).then(|| {
            let is_packing = self.repacked.is_some() && is_failing(0);
            if is_packing {
                PACKING.to_owned()
            } else {
                self.change_at(unchanged, first(is_failing))
            }
        });
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

    /// Names of the changes with this number in all modules.
    fn change_at(&self, originals: &LinkedPrograms, number: usize) -> String {
        let mut originals = originals.programs.clone();
        let modules = originals.iter_mut().flat_map(modules);
        let names = modules.filter_map(|module| vary::name_of(module, self.seed, number));
        names.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(" or ")
    }
}

/// The programs with their varyings packed in a way that the seed chooses. `None` if the case has rules or expectations
/// about packing, or the varyings do not fit.
fn repacked(original: &Original<'_>, seed: u64) -> Option<LinkedPrograms> {
    let case = case_with_packing(original.case, &original.programs.programs, seed)?;
    let rules = original.device.offer().link_rules();
    match original.compiled.link(&case, rules, prepare::first_profile(&case)) {
        Ok(Linking::Done(programs)) => Some(programs),
        Ok(Linking::Failed(_)) | Err(_) => None,
    }
}

/// The case with another way to pack its varyings, which the seed and the linked program choose. `None` if the case has
/// rules or expectations about packing.
pub(crate) fn case_with_packing(
    case: &Case,
    programs: &[LinkedProgram],
    seed: u64,
) -> Option<Case> {
    let link = &case.link;
    let is_free = link.packing == Packing::default()
        && link.expectations.is_empty()
        && link.profile.is_none()
        && !link.is_separable;
    let [program] = programs else { return None };
    let LinkedStages::Render { vertex, .. } = &program.stages else { return None };
    if !is_free {
        return None;
    }
    let mut case = case.clone();
    case.link.packing = packing(vary::number(vertex, seed));
    Some(case)
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

/// The smallest number for which `fails` is true with one more, if it is true for all larger ones.
fn first(fails: impl Fn(usize) -> bool) -> usize {
    let (mut good, mut bad) = (0, CHANGES);
    while bad - good > 1 {
        let middle = usize::midpoint(good, bad);
        if fails(middle) { bad = middle } else { good = middle }
    }
    good
}

/// Replaces all stages and passes by their variants with the first `count` changes. Returns the altered places, and the
/// changes that went wrong.
pub(crate) fn vary_all(
    programs: &mut [LinkedProgram],
    seed: u64,
    count: usize,
) -> (Places, Vec<String>) {
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
