//! Other compilers between the linker and the driver.
//!
//! A [`Chain`] of external programs compiles every linked stage. naga writes the stage in the language that the first
//! program reads, each program reads what the one before it wrote, and the last one writes SPIR-V, which the driver gets
//! unchanged. So a case tests these compilers as it tests a driver:
//!
//! ```text
//! naga::Module ─naga's writer─▶ WGSL | SPIR-V | HLSL | GLSL ─program, program, …─▶ SPIR-V ─interface─▶ Compiled
//! ```
//!
//! What a program does wrong before anything runs is a [`Fault`] of its own kind.

mod command;
mod fault;
mod interface;
mod language;
pub mod preset;
mod process;
mod quote;
mod write;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ir::emit::{self, WgslDialect};
use naga::Module;

use command::Call;
use interface::Interface;

pub use command::{CommandError, Step};
pub use fault::{Failure, Fault};
pub use language::Language;

/// Time limit of one run of a program.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// Name of the naga that interstage is built with, which writes what the first program reads.
const OWN: &str = "interstage's naga";

/// Number of compiled stages that a chain keeps; afterwards it begins anew.
const MAX_KEPT: usize = 1024;

/// A stage in SPIR-V, with the entry point and the interface that the linker planned. Only [`Chain::compile`] makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    words: Vec<u32>,
    entry_point: String,
    workgroup_size: [u32; 3],
}

impl Compiled {
    /// The words of the module.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Name of the entry point.
    pub fn entry_point(&self) -> &str {
        &self.entry_point
    }

    /// Number of invocations of a workgroup in each dimension; zeros for stages without workgroups.
    pub const fn workgroup_size(&self) -> [u32; 3] {
        self.workgroup_size
    }
}

/// A text of a stage on its way through a [`Chain`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Name and version of the program that wrote it, or that failed.
    pub program: String,
    /// The language.
    pub language: Language,
    /// The text or words, or what the program does wrong.
    pub text: Result<Vec<u8>, Fault>,
}

/// Programs that compile every stage, one after the other, and the stages that they compiled.
#[derive(Debug)]
pub struct Chain {
    steps: Vec<Step>,
    /// What each program reads, and SPIR-V, which the last one writes.
    languages: Vec<Language>,
    time_limit: Duration,
    /// What was compiled before.
    kept: Mutex<Kept>,
}

/// Results by what the first program reads.
type Kept = HashMap<Vec<u8>, Result<Arc<Compiled>, Failure>>;

impl Chain {
    /// A chain of at least one program.
    ///
    /// # Errors
    /// A program reads no language that the one before it writes, or the last one writes no SPIR-V.
    pub fn new(steps: Vec<Step>) -> Result<Self, CommandError> {
        let languages = command::languages(&steps)?;
        Ok(Self { steps, languages, time_limit: TIME_LIMIT, kept: Mutex::default() })
    }

    /// Sets the time limit of one run of a program.
    #[must_use]
    pub const fn with_time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }

    /// The programs in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The language in which naga writes the stages for the first program.
    pub fn language(&self) -> emit::Language {
        let is_naga = self.steps.first().is_some_and(|step| step.name() == "naga");
        match self.first() {
            Language::Spirv => emit::Language::Spirv,
            Language::Wgsl if is_naga => emit::Language::Wgsl(WgslDialect::Naga),
            Language::Wgsl => emit::Language::Wgsl(WgslDialect::Standard),
            Language::Hlsl => emit::Language::Hlsl,
            Language::Glsl => emit::Language::Glsl,
        }
    }

    /// Compiles a stage with one entry point. A stage that was compiled before costs nothing.
    ///
    /// # Errors
    /// The first fault of a program.
    pub fn compile(&self, module: &Module, stage: &str) -> Result<Arc<Compiled>, Failure> {
        let failure = |program: &str, fault| Failure {
            program: program.to_owned(),
            stage: stage.to_owned(),
            fault,
        };
        let (text, planned) = self.begin(module).map_err(|fault| failure(OWN, fault))?;
        if let Some(known) = self.kept().get(&text) {
            return known.clone();
        }
        let written = self.call(text.clone(), module, |_, _, _| {});
        let made = written.and_then(|written| self.finish(&written, &planned, module));
        let made = made.map_err(|(name, fault)| failure(name, fault));
        let made = made.map(Arc::new);
        let mut kept = self.kept();
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert(text, made.clone());
        made
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the programs make of a stage, one after the other: first naga's text, then what each program wrote. A fault
    /// ends the list, also one of the last result.
    pub fn trace(&self, module: &Module) -> Vec<Written> {
        let of_naga = |text| Written { program: OWN.to_owned(), language: self.first(), text };
        let (text, planned) = match self.begin(module) {
            Ok(begun) => begun,
            Err(fault) => return vec![of_naga(Err(fault))],
        };
        let mut all = vec![of_naga(Ok(text.clone()))];
        let ended = self.call(text, module, |step, language, text| {
            all.push(Written { program: step.title(), language, text: Ok(text.to_vec()) });
        });
        let ended = ended.and_then(|text| self.finish(&text, &planned, module));
        if let Err((program, fault)) = ended {
            let program = program.to_owned();
            all.push(Written { program, language: Language::Spirv, text: Err(fault) });
        }
        all
    }

    /// The language that naga writes.
    fn first(&self) -> Language {
        self.languages.first().copied().unwrap_or(Language::Spirv)
    }

    /// What the first program reads, and the planned SPIR-V.
    fn begin(&self, module: &Module) -> Result<(Vec<u8>, Vec<u32>), Fault> {
        let planned = write::spirv(module)?;
        let text = match self.first() {
            Language::Spirv if self.languages.contains(&Language::Hlsl) => {
                bytes_of(&write::without_point_size(module)?)
            }
            Language::Spirv => bytes_of(&planned),
            Language::Wgsl | Language::Hlsl | Language::Glsl => {
                let fault = |reason| Fault::NotWritten { language: self.first(), reason };
                let text = write::text(module, self.language()).map_err(fault)?;
                let is_glslang = self.steps.first().is_some_and(|step| step.name() == "glslang");
                if is_glslang { write::around_glslang(&text) } else { text }
            }
        };
        Ok((text, planned))
    }

    /// Runs the programs on a text and tells `seen` what each writes. An error has the name of the program at fault.
    fn call(
        &self,
        mut text: Vec<u8>,
        module: &Module,
        mut seen: impl FnMut(&Step, Language, &[u8]),
    ) -> Result<Vec<u8>, (&str, Fault)> {
        let stage = module.entry_points.first().map_or(naga::ShaderStage::Compute, |one| one.stage);
        for (step, between) in self.steps.iter().zip(self.languages.windows(2)) {
            let &[reads, writes] = between else { continue };
            let call = Call { stage, reads, writes, limit: self.time_limit };
            text = step.run(&text, &call).map_err(|fault| (step.name(), fault))?;
            seen(step, writes, &text);
        }
        Ok(text)
    }

    /// Checks the result of the last program. An error has the name of the program at fault.
    fn finish(
        &self,
        text: &[u8],
        planned: &[u32],
        module: &Module,
    ) -> Result<Compiled, (&str, Fault)> {
        let last = self.steps.last().map_or(OWN, Step::name);
        let words = words_of(text).map_err(|fault| (last, fault))?;
        // What is invalid before the first program is no fault of the last.
        if let Err(reason) = process::validated(text)
            && process::validated(&bytes_of(planned)).is_ok()
        {
            return Err((last, Fault::Invalid(reason)));
        }
        let whole = write::whole(module).map_err(|fault| (OWN, fault))?;
        let expected = Interface::of(&whole).map_err(|reason| (OWN, Fault::Invalid(reason)))?;
        let found = Interface::of(&words).map_err(|reason| (last, Fault::Invalid(reason)))?;
        let differences = expected.differences(&found);
        if !differences.is_empty() {
            return Err((last, Fault::Interface(differences.join("\n"))));
        }
        let workgroup_size = module.entry_points.first().map_or([0; 3], |one| one.workgroup_size);
        Ok(Compiled { words, entry_point: ir::stage::ENTRY_POINT.to_owned(), workgroup_size })
    }
}

/// Checks that each program reads what the one before it writes, and that the last one writes SPIR-V.
///
/// # Errors
/// Which program does not.
pub fn check(steps: &[Step]) -> Result<(), CommandError> {
    if steps.is_empty() { Ok(()) } else { command::languages(steps).map(drop) }
}

/// Names of programs in order, joined by `+`.
pub fn names(steps: &[Step]) -> String {
    steps.iter().map(Step::name).collect::<Vec<_>>().join("+")
}

/// Names and versions of programs in order, joined by `+`.
pub fn titles(steps: &[Step]) -> String {
    steps.iter().map(Step::title).collect::<Vec<_>>().join("+")
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The words of a file with SPIR-V.
fn words_of(bytes: &[u8]) -> Result<Vec<u32>, Fault> {
    let (whole, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(Fault::Invalid(format!("{} bytes are no whole words", bytes.len())));
    }
    Ok(whole.iter().copied().map(u32::from_le_bytes).collect())
}

#[cfg(test)]
mod tests;
