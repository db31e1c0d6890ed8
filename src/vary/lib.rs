//! Variants of linked stages: other modules with the same meaning.
//!
//! A seed and the module choose some changes, and the places where each is made. What a driver returns for
//! a variant must be what the original may return, so a difference is a fault of naga, of the driver, or of a change. The
//! changes are proved on interstage's executor, which runs naga's IR directly.
//!
//! Every change copies all functions of the module. Each is made for the result of the one before it.

mod change;
mod copy;
mod facts;
mod opaque;
mod random;
mod seam;

use std::collections::BTreeMap;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{GlobalVariable, Handle, Module};

use change::Row;
use copy::Scene;
use facts::{Collective, Facts};
use random::Random;

pub use seam::{SEAM_CHANGES, SeamVariant, seam_change, with_other_seam};

/// Maximum number of expressions in a module that is changed further.
const MAX_EXPRESSIONS: usize = 6000;

/// Number of places that each change altered, by its name.
pub type Places = BTreeMap<String, u32>;

/// A variant of a module.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The variant; the module itself if no change applies.
    pub module: Module,
    /// Number of places that each change altered.
    pub places: Places,
    /// Changes whose result was invalid and was dropped, each with naga's message. Each is a bug of this crate.
    pub faults: Vec<String>,
}

/// Number of changes that there are.
pub const CHANGES: usize = change::ALL.len();

/// The variant of `module` with this seed. Only functions, local and private variables, and built-in inputs of the entry
/// point are added or changed: types and global variables keep their handles.
pub fn variant(module: &Module, seed: u64) -> Variant {
    with_first(module, seed, CHANGES)
}

/// Like [`variant`], but with the first `count` changes only, of at most [`CHANGES`].
pub fn with_first(module: &Module, seed: u64, count: usize) -> Variant {
    let rows = chosen(module, seed);
    let (rows, seed) = (&rows.0[..count.min(rows.0.len())], rows.1);
    let variant = changed(module, rows, seed, Checks::AtTheEnd);
    match variant {
        Ok(variant) => variant,
        // Once more, to find the change at fault.
        Err(_) => changed(module, rows, seed, Checks::Each).unwrap_or_else(|fault| Variant {
            module: module.clone(),
            places: Places::new(),
            faults: vec![fault],
        }),
    }
}

/// A number that depends on the seed and the module alone, for decisions of the caller.
pub fn number(module: &Module, seed: u64) -> u64 {
    Random::new(seed.rotate_left(32) ^ hash(module)).seed()
}

/// Name of the change with this number, from 0, in the variant of `module` with this seed.
pub fn name_of(module: &Module, seed: u64, number: usize) -> Option<&'static str> {
    chosen(module, seed).0.get(number).map(|(name, _)| *name)
}

/// The changes of a variant in order, and the seed of their places.
fn chosen(module: &Module, seed: u64) -> (Vec<Row>, u64) {
    let mut random = Random::new(seed ^ hash(module));
    let mut rows = change::ALL;
    random.shuffle(&mut rows);
    let chosen = random.below(3);
    let seed = random.seed();
    let taken = |row: &(usize, Row)| chosen != 0 || row.0.is_multiple_of(2);
    (rows.into_iter().enumerate().filter(taken).map(|(_, row)| row).collect(), seed)
}

/// A number that depends on the contents of a module, but not on the places in the text that it was read from.
fn hash(module: &Module) -> u64 {
    let without_spans = changed_by(module, None, &mut Plain, &mut Random::new(0));
    random::hash(without_spans.as_ref().unwrap_or(module))
}

/// Copies everything as it is, without spans.
#[derive(Debug)]
struct Plain;

impl copy::Change for Plain {}

/// When the validator runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Checks {
    /// After the last change; an invalid module is an error.
    AtTheEnd,
    /// After each change; an invalid module is dropped.
    Each,
}

fn changed(module: &Module, rows: &[Row], seed: u64, checks: Checks) -> Result<Variant, String> {
    let mut variant = Variant { module: module.clone(), places: Places::new(), faults: Vec::new() };
    let zero = opaque::declare(&mut variant.module);
    for (number, (name, change)) in rows.iter().enumerate() {
        if expressions(&variant.module) > MAX_EXPRESSIONS {
            break;
        }
        let own = seed.wrapping_add(number as u64);
        let mut random = Random::new(own);
        let new = changed_by(&variant.module, zero, &mut *change(), &mut random);
        let Some(new) = new.filter(|_| random.places > 0) else { continue };
        if checks == Checks::Each
            && let Err(fault) = valid(&new)
        {
            variant.faults.push(format!("{name}: {fault}"));
            continue;
        }
        variant.module = new;
        variant.places.insert((*name).to_owned(), random.places);
    }
    if variant.places.is_empty() {
        variant.module = module.clone();
    } else if let Some(zero) = zero {
        opaque::define(&mut variant.module, zero);
    }
    match checks {
        Checks::AtTheEnd => valid(&variant.module).map(|()| variant),
        Checks::Each => Ok(variant),
    }
}

/// The module changed by one change.
fn changed_by(
    module: &Module,
    zero: Option<Handle<GlobalVariable>>,
    change: &mut dyn copy::Change,
    random: &mut Random,
) -> Option<Module> {
    let stage = module.entry_points.first().map_or(naga::ShaderStage::Vertex, |entry| entry.stage);
    let collective = Collective::of(module);
    let functions = module.functions.iter();
    let facts: Option<Vec<_>> = functions.map(|(_, one)| Facts::of(module, one)).collect();
    let scene = Scene { source: module, collective: &collective, zero, stage, facts: &facts? };
    copy::changed(&scene, change, random)
}

fn expressions(module: &Module) -> usize {
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    let functions = module.functions.iter().map(|(_, function)| function).chain(entries);
    functions.map(|function| function.expressions.len()).sum()
}

/// naga's message about an invalid module.
fn valid(module: &Module) -> Result<(), String> {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    match validator.validate(module) {
        Ok(_) => Ok(()),
        Err(error) => {
            let mut message = error.to_string();
            let mut source = std::error::Error::source(error.as_inner());
            while let Some(inner) = source {
                message = format!("{message}: {inner}");
                source = inner.source();
            }
            Err(message)
        }
    }
}

#[cfg(test)]
mod tests;
