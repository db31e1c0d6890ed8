//! The oracle attributes failures to the right party. Faults are injected into linked programs (the linker's), into the
//! programs that the adapter runs (naga's and the driver's), into the adapter's results (the driver's), and into a
//! case's expectations.
//!
//! No adapter takes part: the executor runs everything. A fault that changes the results must be detected and
//! attributed to the right party. Each fault is injected into one case of every file with small targets.

#[expect(clippy::wildcard_enum_match_arm, reason = "a fault changes one kind of things")]
mod code;
#[path = "../common/mod.rs"]
mod common;
mod interface;
mod readbacks;
#[path = "../common/soak.rs"]
mod soak;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use interstage::case::Case;
use interstage::check::{Goldens, check};
use interstage::cpu::{Executable, planned};
use interstage::ir::readback::{Extent, Readback};
use interstage::link::program::{LinkedProgram, LinkedStages};
use interstage::link::session::LinkedPrograms;
use interstage::link::table::pass::Role;
use interstage::oracle::{Blame, Judgement, Oracle};
use interstage::prepare::{Compiled, Linking, compile, first_profile};
use interstage::{link, needs_gpu, unlinked_stages};
use interstage_runner::files::case_file;
use naga::Module;
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// Changes a final module at the place with the given number. False if there is no such place.
type ModuleFault = fn(&mut Module, usize) -> bool;

/// Changes a readback. False if it has nothing that can be changed.
type ReadbackFault = fn(&mut Readback) -> bool;

/// A fault to inject.
#[derive(Clone, Copy)]
enum Fault {
    /// In the final fragment or compute stage, both the adapter's and the oracle's linked one.
    Linker(ModuleFault),
    /// In the final vertex stage.
    LinkerVertex(ModuleFault),
    /// In the vertex stage before a tessellation or geometry stage.
    LinkerFront(ModuleFault),
    /// In the tessellation control stage, which runs as a compute stage.
    LinkerControl(ModuleFault),
    /// In the tessellation evaluation stage, which runs as a compute stage.
    LinkerEvaluation(ModuleFault),
    /// In the geometry stage, which runs as a compute stage.
    LinkerGeometry(ModuleFault),
    /// In the final fragment or compute stage, on the adapter only.
    Naga(ModuleFault),
    /// In the adapter's results.
    Driver(ReadbackFault),
}

const FAULTS: &[(&str, Fault)] = &[
    ("locations of inputs exchanged", Fault::Linker(interface::exchange_inputs)),
    ("locations of inputs off by one", Fault::Linker(interface::rotate_inputs)),
    ("perspective taken for linear", Fault::Linker(interface::linear_inputs)),
    ("smooth taken for flat", Fault::Linker(interface::flat_inputs)),
    ("flat taken for smooth", Fault::Linker(interface::smooth_inputs)),
    ("centroid and sample lost", Fault::Linker(interface::center_inputs)),
    ("locations of outputs exchanged", Fault::Linker(interface::exchange_outputs)),
    ("locations of varyings exchanged", Fault::LinkerVertex(interface::exchange_outputs)),
    ("components exchanged before", Fault::LinkerVertex(code::exchange_components)),
    ("components exchanged behind", Fault::Linker(code::exchange_components)),
    ("component off by one before", Fault::LinkerVertex(code::shift_index)),
    ("component off by one behind", Fault::Linker(code::shift_index)),
    ("components turned before", Fault::LinkerVertex(code::turn_swizzle)),
    ("components turned behind", Fault::Linker(code::turn_swizzle)),
    ("a varying not written", Fault::LinkerVertex(code::drop_store)),
    ("an input not read", Fault::Linker(code::drop_store)),
    ("a wrong constant before", Fault::LinkerVertex(code::change_literal)),
    ("a wrong constant behind", Fault::Linker(code::change_literal)),
    ("converted instead of taken as bits", Fault::Linker(code::convert_bits)),
    ("sign lost", Fault::LinkerVertex(code::lose_sign)),
    (
        "components exchanged in front of a geometry stage",
        Fault::LinkerFront(code::exchange_components),
    ),
    ("a value not written in front of a geometry stage", Fault::LinkerFront(code::drop_store)),
    ("a wrong constant in front of a geometry stage", Fault::LinkerFront(code::change_literal)),
    (
        "components exchanged behind a control stage",
        Fault::LinkerEvaluation(code::exchange_components),
    ),
    ("a value not written by a control stage", Fault::LinkerControl(code::drop_store)),
    ("a wrong constant in a control stage", Fault::LinkerControl(code::change_literal)),
    ("a value not written by an evaluation stage", Fault::LinkerEvaluation(code::drop_store)),
    ("a wrong constant in an evaluation stage", Fault::LinkerEvaluation(code::change_literal)),
    ("a value not written by a geometry stage", Fault::LinkerGeometry(code::drop_store)),
    ("a wrong constant in a geometry stage", Fault::LinkerGeometry(code::change_literal)),
    ("naga: plus taken for minus", Fault::Naga(code::subtract)),
    ("naga: product taken for sum", Fault::Naga(code::add)),
    ("naga: comparison turned", Fault::Naga(code::turn_comparison)),
    ("naga: wrong constant", Fault::Naga(code::change_literal)),
    ("naga: a store lost", Fault::Naga(code::drop_store)),
    ("naga: branches exchanged", Fault::Naga(code::exchange_branches)),
    ("naga: another function", Fault::Naga(code::change_function)),
    ("naga: selection turned", Fault::Naga(code::turn_selection)),
    ("naga: components exchanged", Fault::Naga(code::exchange_components)),
    ("naga: index off by one", Fault::Naga(code::shift_index)),
    ("driver: one pixel wrong", Fault::Driver(readbacks::one_texel)),
    ("driver: upside down", Fault::Driver(readbacks::upside_down)),
    ("driver: mirrored", Fault::Driver(readbacks::mirrored)),
    ("driver: red and blue exchanged", Fault::Driver(readbacks::red_and_blue)),
    ("driver: nothing drawn", Fault::Driver(readbacks::nothing)),
    ("driver: a column late", Fault::Driver(readbacks::a_column_late)),
    ("driver: last row lost", Fault::Driver(readbacks::without_last_row)),
    ("driver: alpha lost", Fault::Driver(readbacks::without_alpha)),
    ("driver: one word of buffers wrong", Fault::Driver(readbacks::one_word)),
    ("driver: counts one more", Fault::Driver(readbacks::one_more)),
];

/// Maximum number of pixels of a case's targets.
const MOST_PIXELS: u32 = 1024;

/// Results for a fault: how often it changed the readback, was attributed to the right party, was undecided, and was
/// attributed to another party.
#[derive(Clone, Debug, Default)]
struct Found {
    changed: usize,
    right: usize,
    undecided: usize,
    wrong: Vec<String>,
}

impl Found {
    fn add(&mut self, other: Self) {
        self.changed += other.changed;
        self.right += other.right;
        self.undecided += other.undecided;
        self.wrong.extend(other.wrong);
    }

    fn judge(&mut self, name: &str, expected: Blame, judgement: &Judgement) {
        let mut lines = judgement.failures.iter().flat_map(|failure| &failure.details);
        let blame = lines.find(|line| line.starts_with("blame"));
        self.changed += 1;
        match blame {
            Some(line) if line == expected.line() => self.right += 1,
            Some(line) if line != Blame::Unknown.line() => {
                self.wrong.push(format!("{name}: {line}"));
            }
            Some(_) | None => self.undecided += 1,
        }
    }
}

/// A case with the oracle's results.
struct Known<'a> {
    case: &'a Case,
    compiled: &'a Compiled,
    programs: LinkedPrograms,
    oracle: Oracle,
}

fn known<'a>(case: &'a Case, compiled: &'a Compiled) -> Option<Known<'a>> {
    let rules = link::AdapterRules::default();
    let Ok(Linking::Done(programs)) = compiled.link(case, rules, first_profile(case)) else {
        return None;
    };
    let stages = unlinked_stages(compiled, &programs);
    let oracle = Oracle::of(case, &stages, &programs).ok()?;
    let passes = check(case, &oracle.linked, &Goldens::default()).is_empty();
    (passes && oracle.unlinked.is_ok()).then_some(Known { case, compiled, programs, oracle })
}

impl Known<'_> {
    /// The readback of the linked programs, if they are valid.
    fn run(&self, programs: &LinkedPrograms) -> Option<Readback> {
        let plan = planned(self.case, programs).ok()?;
        Executable::new(self.case, programs, plan).ok()?.run(Extent::Whole).ok()
    }

    /// The programs with a fault in a stage of the first program.
    fn faulty(&self, fault: ModuleFault, place: Place, number: usize) -> Option<LinkedPrograms> {
        let mut programs = self.programs.clone();
        let module = stage(programs.programs.first_mut()?, place)?;
        let is_changed = fault(module, number);
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
        (is_changed && validator.validate(module).is_ok()).then_some(programs)
    }

    fn judged(&self, oracle: &Oracle, readback: &Readback) -> Judgement {
        let goldens = Goldens::default();
        let failures = check(self.case, readback, &goldens);
        oracle.judge(self.case, readback, &goldens, failures)
    }

    /// Injects a fault at the first place where it changes the readback.
    fn try_fault(&self, fault: Fault) -> Found {
        let mut found = Found::default();
        let name = &self.case.name;
        if let Fault::Driver(change) = fault {
            let mut readback = self.oracle.linked.clone();
            if change(&mut readback) && readback.snapshots != self.oracle.linked.snapshots {
                let judgement = self.judged(&self.oracle, &readback);
                found.judge(name, Blame::NagaOrDriver, &judgement);
            }
            return found;
        }
        let (change, place) = match fault {
            Fault::Linker(change) | Fault::Naga(change) => (change, Place::Last),
            Fault::LinkerVertex(change) => (change, Place::Vertex),
            Fault::LinkerFront(change) => (change, Place::Front),
            Fault::LinkerControl(change) => (change, Place::Control),
            Fault::LinkerEvaluation(change) => (change, Place::Evaluation),
            Fault::LinkerGeometry(change) => (change, Place::Geometry),
            Fault::Driver(_) => return found,
        };
        for number in 0..PLACES {
            let Some(programs) = self.faulty(change, place, number) else { continue };
            let Some(readback) = self.run(&programs) else { continue };
            if readback.snapshots == self.oracle.linked.snapshots {
                continue;
            }
            if matches!(fault, Fault::Naga(_)) {
                let judgement = self.judged(&self.oracle, &readback);
                found.judge(name, Blame::NagaOrDriver, &judgement);
            } else {
                let stages = unlinked_stages(self.compiled, &programs);
                let Ok(oracle) = Oracle::of(self.case, &stages, &programs) else { continue };
                found.judge(name, Blame::Linker, &self.judged(&oracle, &readback));
            }
            break;
        }
        found
    }
}

/// Maximum number of places at which a fault is injected.
const PLACES: usize = 6;

/// A final module of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The vertex stage that is drawn.
    Vertex,
    /// The vertex stage before a tessellation or geometry stage.
    Front,
    Control,
    Evaluation,
    Geometry,
    /// The fragment or compute stage.
    Last,
}

fn stage(program: &mut LinkedProgram, place: Place) -> Option<&mut Module> {
    let mut passes = program.passes.iter_mut();
    let mut pass = |is_it: fn(&Role) -> bool| {
        passes.find(|pass| is_it(&pass.role)).map(|pass| &mut pass.module)
    };
    match (&mut program.stages, place) {
        (_, Place::Front) => pass(|role| matches!(role, Role::Vertex)),
        (_, Place::Control) => pass(|role| matches!(role, Role::Control(_))),
        (_, Place::Evaluation) => pass(|role| matches!(role, Role::Evaluation(_))),
        (_, Place::Geometry) => pass(|role| matches!(role, Role::Geometry(_))),
        (LinkedStages::Render { vertex, .. }, Place::Vertex) => Some(vertex),
        (LinkedStages::Render { fragment, .. }, Place::Last) => fragment.as_mut(),
        (LinkedStages::Compute(module), Place::Last) => Some(module),
        (LinkedStages::Compute(_), Place::Vertex) => None,
    }
}

/// The first case of a file, if its targets are small.
fn first_case(path: &Path) -> Option<Case> {
    let path = path.to_str().expect("case paths are plain text");
    let mut cases = case_file::load(path).unwrap_or_default().into_iter();
    let case = cases.find_map(|parsed| parsed.result.ok())?;
    let [width, height] = case.size;
    (needs_gpu(&case) && width * height <= MOST_PIXELS).then_some(case)
}

/// Injects faults into the first case of each file. Returns the number of cases, and the results of each fault.
fn try_all(files: &[PathBuf], faults: &[(&str, Fault)]) -> (usize, Vec<Found>) {
    let (next, cases) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let all = Mutex::new(vec![Found::default(); faults.len()]);
    let work = || {
        while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Some(case) = first_case(path) else { continue };
            let Ok(compiled) = compile(&case) else { continue };
            let Some(known) = known(&case, &compiled) else { continue };
            cases.fetch_add(1, Ordering::Relaxed);
            let found: Vec<_> = faults.iter().map(|(_, fault)| known.try_fault(*fault)).collect();
            let mut all = all.lock().expect("no thread panicked");
            all.iter_mut().zip(found).for_each(|(all, found)| all.add(found));
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            let thread = thread::Builder::new().stack_size(case_file::STACK_BYTES);
            thread.spawn_scoped(scope, work).expect("a thread");
        }
    });
    (cases.into_inner(), all.into_inner().expect("no thread panicked"))
}

/// Files of the reference's cases with stages before the rasteriser.
fn chains() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/reference/tests/cases");
    let folder = folder.canonicalize().expect("the executor's cases");
    let entries = folder.read_dir().expect("a readable folder");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    files.sort();
    files
}

#[test]
fn faults_are_blamed_on_the_right_one() {
    let step = if soak::is_soak() { 1 } else { STEP };
    let (files, chains) = (common::case_files(), chains());
    let sample: Vec<_> = files.iter().step_by(step).chain(&chains).cloned().collect();
    let (cases, mut all) = try_all(&sample, FAULTS);
    // The sample may have no place for a rare fault, so try it on other files.
    for (fault, found) in FAULTS.iter().zip(&mut all).filter(|(_, found)| found.right == 0) {
        let (_, own) = try_all(&files, &[*fault]);
        *found = own.into_iter().next().unwrap_or_default();
    }
    let mut table = format!("{cases} cases\n");
    let mut wrong = Vec::new();
    let (mut changed, mut right) = (0, 0);
    for ((name, _), found) in FAULTS.iter().zip(&all) {
        let Found { changed: own, right: own_right, undecided, .. } = found;
        let _ = writeln!(
            table,
            "{name}: {own} change something, {own_right} right, {undecided} not decided"
        );
        changed += own;
        right += own_right;
        wrong.extend(found.wrong.iter().map(|line| format!("{name}: {line}")));
    }
    soak::tell(&format!(
        "{table}{right} of {changed} are blamed on the right one\n{}",
        wrong.join("\n")
    ));
    assert!(all.iter().all(|found| found.right > 0), "a fault is never seen:\n{table}");
    assert!(right * 100 >= changed * LEAST, "only {right} of {changed} are right:\n{table}");
}

/// By default, one file in this many is used.
const STEP: usize = 3;

/// Minimum share, in per cent, of faults that must be attributed to the right party.
const LEAST: usize = 95;
