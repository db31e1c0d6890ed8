//! Stages of many cases, each case in its own folder, and counts of what a language cannot express.

use interstage::ir::diagnostic::counted;
use std::collections::{BTreeMap, HashSet};
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, bail};
use interstage::emit_stages;

use super::language;
use crate::args::Format;
use crate::exit::Exit;
use crate::files::case_file;
use crate::plan::PlannedCase;
use crate::report::evidence;

/// Results over all cases.
#[derive(Default)]
struct Tally {
    cases: usize,
    modules: usize,
    /// Cases without a linked program: they expect that, or something is not supported.
    without_program: usize,
    /// Reasons, each with the modules it applies to.
    refused: BTreeMap<String, Vec<String>>,
}

/// Writes the stages of `cases`, or their variants of a seed, below `out`; identical stages of one case are written once. A stage that the language
/// cannot express is a failure.
pub(super) fn write(
    cases: &[PlannedCase],
    format: Option<Format>,
    vary: Option<u64>,
    out: &Path,
) -> anyhow::Result<Exit> {
    let (next, tally) = (AtomicUsize::new(0), Mutex::new(Ok(Tally::default())));
    let work = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = catch_unwind(AssertUnwindSafe(|| write_case(case, format, vary, out)));
            let result = result.unwrap_or_else(|_| {
                bail!("interstage or naga panicked, which is a bug: {}", case.name)
            });
            let Ok(mut tally) = tally.lock() else { return };
            match (&mut *tally, result) {
                (Ok(tally), Ok(own)) => tally.add(own),
                (Ok(_), Err(error)) => *tally = Err(error),
                (Err(_), _) => return,
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let thread = std::thread::Builder::new().stack_size(case_file::STACK_BYTES);
            thread.spawn_scoped(scope, work).context("cannot start a thread")?;
        }
        anyhow::Ok(())
    })?;
    let Ok(tally) = tally.into_inner() else {
        bail!("interstage panicked, which is a bug; see the message above")
    };
    tally?.print()
}

/// Writes the stages of one case.
fn write_case(
    planned: &PlannedCase,
    format: Option<Format>,
    vary: Option<u64>,
    out: &Path,
) -> anyhow::Result<Tally> {
    let text = case_file::read(&planned.file)?;
    let parsed = case_file::parse_one(&planned.file, &text, &planned.name)?;
    let parsed = parsed.context("the file changed while it was read")?;
    let mut tally = Tally { cases: 1, ..Tally::default() };
    let (language, extension) = language(format);
    let device = vary.map(super::varying).transpose()?;
    let case = parsed.result.ok();
    let stages = case.and_then(|case| emit_stages(&case, device.as_ref(), language).ok());
    let Some(stages) = stages else { return Ok(Tally { without_program: 1, ..tally }) };
    let folder = evidence::folder_of(out, &planned.name);
    // Hundreds of programs may share a few stages.
    let mut texts = HashSet::new();
    for (stage, written) in stages {
        match written {
            Ok(bytes) if texts.contains(&bytes) => {}
            Ok(bytes) => {
                let path = folder.join(format!("{stage}.{extension}"));
                std::fs::create_dir_all(&folder)
                    .and_then(|()| std::fs::write(&path, &bytes))
                    .with_context(|| format!("cannot write {}", path.display()))?;
                texts.insert(bytes);
                tally.modules += 1;
            }
            Err(reason) => {
                let module = format!("{} ({stage})", planned.name);
                tally.refused.entry(reason.to_string()).or_default().push(module);
            }
        }
    }
    Ok(tally)
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.cases += other.cases;
        self.modules += other.modules;
        self.without_program += other.without_program;
        for (reason, modules) in other.refused {
            self.refused.entry(reason).or_default().extend(modules);
        }
    }

    fn print(self) -> anyhow::Result<Exit> {
        let mut out = std::io::stdout().lock();
        for (reason, modules) in &self.refused {
            let first = modules.iter().min().map_or("", String::as_str);
            writeln!(out, "{} × {reason}; for example {first}", modules.len())?;
        }
        let refused: usize = self.refused.values().map(Vec::len).sum();
        writeln!(
            out,
            "{}, {} without a program: {} written, {refused} not expressible",
            counted(self.cases, "case"),
            self.without_program,
            counted(self.modules, "module")
        )?;
        Ok(if refused == 0 { Exit::AsExpected } else { Exit::Regression })
    }
}
