//! Runs programs on adapters.

use std::path::PathBuf;

use crate::adapter;
use crate::args::{HuntOptions, PoolOptions};
use crate::command::run::execution::{Execution, Rules, adapters_for, pool_program};
use crate::environment;
use crate::event::{Event, Report};
use crate::outcome::CaseResult;
use crate::plan::{Plan, PlannedCase};
use crate::pool::child::WorkerProgram;
use crate::protocol::{Adapter, Purpose};
use crate::stop::Stop;
use crate::worker::scripted;

/// The adapters of a hunt, and what is before them.
#[derive(Debug)]
pub(super) struct Runs {
    pub(super) pool: PoolOptions,
    pub(super) adapters: Vec<Adapter>,
    pub(super) stop: Stop,
    /// Script that replaces the adapters.
    pub(super) script: Option<PathBuf>,
    program: WorkerProgram,
}

impl Runs {
    /// Selects the adapters.
    pub(super) fn new(options: &HuntOptions, stop: Stop) -> anyhow::Result<Self> {
        let (pool, script) = (options.pool.or_of(None), options.script.clone());
        let program = program(&pool, script.as_deref())?;
        let any = Plan { cases: vec![PlannedCase::bare("", 0)], ..Plan::default() };
        let wanted = pool.adapter.as_deref();
        let adapters = match &script {
            Some(_) => adapter::select(scripted::adapters(), wanted)?,
            None => adapters_for(&program, &any, wanted)?,
        };
        Ok(Self { pool, adapters, stop, script, program })
    }

    /// The options of workers that run variants with a seed, or programs as they are.
    pub(super) fn pool_for(&self, vary: Option<u64>) -> PoolOptions {
        PoolOptions { vary: vary.or(self.pool.vary), ..self.pool.clone() }
    }

    /// Runs programs on all adapters.
    pub(super) fn run(
        &self,
        cases: &[PlannedCase],
        pool: &PoolOptions,
    ) -> anyhow::Result<Vec<(Adapter, Vec<CaseResult>)>> {
        let own;
        let program = if pool.vary == self.pool.vary {
            &self.program
        } else {
            own = program(pool, self.script.as_deref())?;
            &own
        };
        self.execute(program, &self.adapters, cases, pool)
    }

    /// Runs a case on one adapter.
    pub(super) fn run_on(
        &self,
        adapter: &Adapter,
        case: &PlannedCase,
        pool: &PoolOptions,
    ) -> anyhow::Result<Option<CaseResult>> {
        let program = program(pool, self.script.as_deref())?;
        let adapters = std::slice::from_ref(adapter);
        let results = self.execute(&program, adapters, std::slice::from_ref(case), pool)?;
        Ok(results.into_iter().flat_map(|(_, results)| results).next())
    }

    /// The adapters of the machine, the executor among them.
    pub(super) fn all_adapters(&self, pool: &PoolOptions) -> anyhow::Result<Vec<Adapter>> {
        adapter::list(&program(pool, self.script.as_deref())?, Some("all"))
    }

    fn execute(
        &self,
        program: &WorkerProgram,
        adapters: &[Adapter],
        cases: &[PlannedCase],
        pool: &PoolOptions,
    ) -> anyhow::Result<Vec<(Adapter, Vec<CaseResult>)>> {
        let mut collected = Collected::default();
        let execution = Execution {
            cases,
            adapters,
            program,
            limits: &pool.workers,
            purpose: Purpose::Check {
                keep: None,
                profile: None,
                emulated: None,
                asks_oracle: pool.vary.is_some(),
            },
            rules: Rules { stop: self.stop.clone(), ..Rules::default() },
        };
        execution.run(&mut [&mut collected])?;
        Ok(collected.0)
    }
}

/// The workers' program. Random programs would fill the caches of drivers.
fn program(pool: &PoolOptions, script: Option<&std::path::Path>) -> anyhow::Result<WorkerProgram> {
    let mut program = pool_program(pool, None)?;
    program.environment.extend(environment::without_shader_cache());
    Ok(match script {
        Some(script) => program.with_script(script),
        None => program,
    })
}

/// Collects the results on each adapter.
#[derive(Default)]
struct Collected(Vec<(Adapter, Vec<CaseResult>)>);

impl Report for Collected {
    fn hear(&mut self, event: &Event<'_>) -> anyhow::Result<()> {
        match event {
            Event::AdapterStarted { adapter, .. } => {
                self.0.extend(adapter.map(|adapter| (adapter.clone(), Vec::new())));
            }
            Event::CaseReported(result) => {
                if let Some((_, results)) = self.0.last_mut() {
                    results.push((*result).clone());
                }
            }
            Event::CaseDone(_) | Event::AdapterFinished => {}
        }
        Ok(())
    }
}
