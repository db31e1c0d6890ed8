//! `interstage merge`: joins the results of shards, or of runs on several machines, into those of one run.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{bail, ensure};

use crate::args::MergeOptions;
use crate::event::{Event, Report};
use crate::exit::Exit;
use crate::files::basis::Conditions;
use crate::journal::{self, Beginning, Journal, Line, Record};
use crate::protocol::Adapter;
use crate::report::console::Console;
use crate::report::evidence;
use crate::report::failure::Invocation;
use crate::report::progress::Verbosity;
use crate::report::results::ResultFiles;
use crate::report::step_summary::StepSummary;

/// Combined results of all folders for one adapter.
struct Merged {
    adapter: Option<Adapter>,
    lines: BTreeMap<(usize, String), Line>,
}

/// Writes the joined results and reports them.
pub fn merge(options: &MergeOptions) -> anyhow::Result<Exit> {
    let mut merged: Vec<Merged> = Vec::new();
    for folder in &options.folders {
        let shown = folder.display();
        let expected = "expected a folder that `interstage run --results` wrote";
        ensure!(folder.is_dir(), "{shown}: no such folder; {expected}");
        let has_run = folder.join(journal::RUN).is_file();
        ensure!(has_run, "{shown}: no {} in this folder; {expected}", journal::RUN);
        let records = journal::records(folder)?;
        ensure!(!records.is_empty(), "{shown}: no journal in this folder; {expected}");
        records.into_iter().try_for_each(|record| add(&mut merged, record, folder))?;
    }
    let verbosity = if options.quiet { Verbosity::Quiet } else { Verbosity::Normal };
    let mut console = Console::new(anstream::stdout(), verbosity, Invocation::of_this_process());
    let beginning = Beginning::Fresh;
    let command = journal::Command::default();
    // Shards without cases may not have looked for an adapter.
    if merged.iter().any(|merged| !merged.lines.is_empty()) {
        merged.retain(|merged| merged.adapter.is_some() || !merged.lines.is_empty());
    }
    let (folder, conditions) = (&options.results, Conditions::default());
    let journal = Journal::begin(folder, merged.len(), beginning, command, conditions)?;
    let mut files = ResultFiles::new(&options.results, merged.len())?;
    for folder in &options.folders {
        evidence::adopt(folder, &options.results)?;
    }
    let mut summary = StepSummary::in_actions(Invocation::of_this_process());
    let mut reports: Vec<&mut dyn Report> = vec![&mut console, &mut files];
    if let Some(summary) = &mut summary {
        reports.push(summary);
    }
    let mut exit = Exit::AsExpected;
    for Merged { adapter, lines } in &merged {
        let (mut writer, _) = journal.open(adapter.as_ref())?;
        let started = Event::AdapterStarted { adapter: adapter.as_ref(), total: lines.len() };
        tell(&mut reports, &started)?;
        for line in lines.values() {
            let result = &line.result;
            exit = exit.max(result.status.exit());
            writer.append(line)?;
            tell(&mut reports, &Event::CaseDone(result))?;
            tell(&mut reports, &Event::CaseReported(result))?;
        }
        tell(&mut reports, &Event::AdapterFinished)?;
    }
    Ok(exit.max(missing_shards(options)?))
}

fn add(merged: &mut Vec<Merged>, record: Record, folder: &Path) -> anyhow::Result<()> {
    let at = merged.iter().position(|merged| merged.adapter == record.adapter);
    let at = at.unwrap_or_else(|| {
        merged.push(Merged { adapter: record.adapter.clone(), lines: BTreeMap::new() });
        merged.len() - 1
    });
    for (index, line) in record.lines {
        let name = line.result.name.clone();
        if merged[at].lines.insert((index, name.clone()), line).is_some() {
            let adapter = record.adapter.as_ref().map_or("no adapter".to_owned(), Adapter::line);
            bail!("{}: `{name}` on {adapter} is also in an earlier folder", folder.display());
        }
    }
    Ok(())
}

/// Reports missing shards.
fn missing_shards(options: &MergeOptions) -> anyhow::Result<Exit> {
    let mut shards: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for folder in &options.folders {
        let Some(shard) = journal::command_of(folder)?.shard else { continue };
        let Some((number, count)) = shard.split_once('/') else { continue };
        shards.entry(count.to_owned()).or_default().push(number.to_owned());
    }
    let mut exit = Exit::AsExpected;
    for (count, numbers) in shards {
        let all = 1..=count.parse::<usize>().unwrap_or(0);
        let is_missing = |number: &String| !numbers.contains(number);
        let missing: Vec<_> = all.map(|number| number.to_string()).filter(is_missing).collect();
        if !missing.is_empty() {
            crate::command::run::execution::print_error(&missing_message(&missing, &count));
            exit = Exit::Unusable;
        }
    }
    Ok(exit)
}

/// Names the shards that are missing, and what to do.
fn missing_message(missing: &[String], count: &str) -> String {
    let shards: Vec<_> = missing.iter().map(|number| format!("{number}/{count}")).collect();
    let (noun, verb) = if missing.len() == 1 { ("shard", "is") } else { ("shards", "are") };
    format!(
        "{noun} {} {verb} missing; also name the results folder of `interstage run … --shard {}`",
        shards.join(", "),
        shards[0]
    )
}

fn tell(reports: &mut [&mut dyn Report], event: &Event<'_>) -> anyhow::Result<()> {
    reports.iter_mut().try_for_each(|report| report.hear(event))
}
