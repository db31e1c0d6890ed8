//! Adapter listing and selection.
//!
//! A worker lists the adapters: only a worker has the right environment, and only a worker may crash in a driver.

use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use interstage::ir::backend::Backend;

use crate::pool::child::WorkerProgram;
use crate::protocol::{Adapter, Answer, Request, Wanted};
use crate::stop::Stop;

/// Advice for a machine without a driver: the command that installs one.
pub const INSTALL: &str = "on Debian, install one with `apt-get install mesa-vulkan-drivers`";

/// `--adapter` value for no adapter at all.
const NONE: &str = "none";

/// Timeout for listing the adapters.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Lists the adapters in a worker of `program`: those of one backend if one of them fits `wanted`, else all. Keeps the
/// worker as a spare if the listed adapters share one driver.
pub fn list(program: &WorkerProgram, wanted: Option<&str>) -> anyhow::Result<Vec<Adapter>> {
    let few = match wanted.map(str::to_lowercase) {
        None => Wanted::UntilHardware,
        Some(wanted) if wanted == NONE => return Ok(Vec::new()),
        Some(wanted) if wanted == "all" || wanted.contains(',') => Wanted::All,
        Some(wanted) => Wanted::Fitting(wanted),
    };
    let few = listed(program, few)?;
    let is_found = wanted.is_none_or(|wanted| select(few.clone(), Some(wanted)).is_ok());
    // The error about an unknown adapter lists every adapter, so list them all.
    if is_found { Ok(few) } else { listed(program, Wanted::All) }
}

/// Lists only the executor, without loading a driver, for machines where listing the adapters crashes a driver.
pub fn executor_alone(program: &WorkerProgram) -> anyhow::Result<Vec<Adapter>> {
    let name = Backend::Cpu.name().to_owned();
    let adapters = listed(program, Wanted::Fitting(name))?;
    Ok(adapters.into_iter().filter(is_executor).collect())
}

fn listed(program: &WorkerProgram, wanted: Wanted) -> anyhow::Result<Vec<Adapter>> {
    let mut worker = program.start().context("cannot start a worker")?;
    let asked = worker.ask(&Request::Adapters(wanted));
    match asked.map(|()| worker.answer(TIMEOUT, &Stop::default())) {
        Ok(Ok(Answer::Adapters(adapters))) => {
            let words = adapters.iter().find(|adapter| !adapter.extensions.is_empty());
            if let Some(adapter) = words {
                // The driver of this worker was loaded without them.
                program.tell_extensions(&adapter.extensions);
            } else if share_a_driver(&adapters) {
                program.keep(worker);
            }
            Ok(adapters)
        }
        Ok(Ok(_)) => bail!("cannot list the adapters: the worker sent an unexpected answer"),
        Ok(Err(loss)) => {
            let (status, stderr) = worker.end_after(loss);
            bail!("cannot list the adapters: {status}\n{stderr}")
        }
        Err(error) => Err(error).context("cannot list the adapters"),
    }
}

fn share_a_driver(adapters: &[Adapter]) -> bool {
    let mut drivers = adapters.iter().filter(|adapter| !is_executor(adapter));
    let first = drivers.next();
    drivers.all(|adapter| first.is_some_and(|first| first.backend == adapter.backend))
}

/// True for interstage's executor, which every machine has and which tests no driver.
pub fn is_executor(adapter: &Adapter) -> bool {
    adapter.backend == Backend::Cpu.into()
}

/// True if this value of `--adapter` accepts whatever adapters the machine has.
pub fn takes_what_is_there(wanted: Option<&str>) -> bool {
    wanted.is_none_or(|wanted| wanted == "all")
}

/// True if a run uses the executor only because the machine has no driver, not because someone asked for it.
pub fn is_executor_by_default(selected: &[Adapter], wanted: Option<&str>) -> bool {
    !selected.is_empty() && selected.iter().all(is_executor) && takes_what_is_there(wanted)
}

/// The note for a run that uses the executor only because the machine has no driver.
pub fn note_without_driver(selected: &[Adapter], wanted: Option<&str>) -> Option<String> {
    is_executor_by_default(selected, wanted).then(|| {
        format!("no driver is tested: none is installed, so interstage's executor runs the cases; {INSTALL}")
    })
}

/// Selects adapters by the value of `--adapter`. Returns none only for `none`, or if the machine's adapters could not
/// be listed. The executor is selected by name, or if there is no driver.
pub fn select(available: Vec<Adapter>, wanted: Option<&str>) -> anyhow::Result<Vec<Adapter>> {
    let Some(wanted) = wanted else {
        let default = available
            .iter()
            .find(|adapter| adapter.is_hardware)
            .or_else(|| available.iter().find(|adapter| adapter.backend == Backend::Vulkan.into()))
            .or(available.first());
        return Ok(default.cloned().into_iter().collect());
    };
    if wanted == "all" {
        let has_driver = available.iter().any(|adapter| !is_executor(adapter));
        let is_meant = |adapter: &Adapter| !(has_driver && is_executor(adapter));
        return Ok(available.into_iter().filter(is_meant).collect());
    }
    if wanted.eq_ignore_ascii_case(NONE) {
        return Ok(Vec::new());
    }
    let missing =
        |wanted: &str| anyhow!("no adapter matches `{wanted}`; available: {}", names(&available));
    // An adapter's name may contain a comma.
    if let Some(adapter) = named(&available, &wanted.to_lowercase()) {
        return Ok(vec![adapter.clone()]);
    }
    let mut selected: Vec<Adapter> = Vec::new();
    for part in wanted.split(',').map(str::trim) {
        let adapter = named(&available, &part.to_lowercase()).ok_or_else(|| missing(part))?;
        if !selected.contains(adapter) {
            selected.push(adapter.clone());
        }
    }
    Ok(selected)
}

/// Finds the adapters with this name. An exact name has priority over a backend, and a backend over part of a name:
/// `gl` does not select `Google SwiftShader`.
fn named<'a>(adapters: &'a [Adapter], wanted: &str) -> Option<&'a Adapter> {
    let find = |fits: &dyn Fn(&Adapter) -> bool| adapters.iter().find(|adapter| fits(adapter));
    find(&|adapter| adapter.selector() == wanted)
        .or_else(|| find(&|adapter| adapter.backend.name() == wanted))
        .or_else(|| find(&|adapter| adapter.name.to_lowercase().contains(wanted)))
        .or_else(|| find(&|adapter| wanted == LAVAPIPE && is_lavapipe(adapter)))
}

/// Mesa's name for llvmpipe behind Vulkan. The adapter itself is called llvmpipe.
const LAVAPIPE: &str = "lavapipe";

fn is_lavapipe(adapter: &Adapter) -> bool {
    adapter.backend == Backend::Vulkan.into() && adapter.name.starts_with("llvmpipe")
}

/// Selectors and names of the adapters, in one line.
fn names(adapters: &[Adapter]) -> String {
    if adapters.is_empty() {
        return "none".to_owned();
    }
    let name = |adapter: &Adapter| format!("{} ({})", adapter.selector(), adapter.name);
    adapters.iter().map(name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(backend: &str, index: usize, name: &str) -> Adapter {
        let name = name.to_owned();
        Adapter {
            title: format!("{backend} · {name}"),
            is_hardware: name == "GeForce",
            bus: String::new(),
            extensions: String::new(),
            options: String::new(),
            unvalidated: None,
            backend: backend.parse::<Backend>().expect("the test names one").into(),
            index,
            name,
        }
    }

    #[track_caller]
    fn check(available: &[Adapter], wanted: Option<&str>, expected: &str) {
        let found = match select(available.to_vec(), wanted) {
            Ok(found) => found.iter().map(Adapter::selector).collect::<Vec<_>>().join(" "),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn lavapipe_is_llvmpipe_behind_vulkan() {
        let both =
            [adapter("gl", 0, "llvmpipe (LLVM 15)"), adapter("vulkan", 0, "llvmpipe (LLVM 15)")];
        check(&both, Some("lavapipe"), "vulkan:0");
        let missing = "no adapter matches `lavapipe`; available: gl:0 (llvmpipe (LLVM 15))";
        check(&both[..1], Some("lavapipe"), missing);
    }

    #[test]
    fn hardware_comes_first_then_vulkan() {
        let software =
            [adapter("gl", 0, "llvmpipe (LLVM 15)"), adapter("vulkan", 0, "llvmpipe (LLVM 15)")];
        let both = [&software[..], &[adapter("vulkan", 1, "GeForce")]].concat();
        check(&both, None, "vulkan:1");
        check(&software, None, "vulkan:0");
        check(&software[..1], None, "gl:0");
        check(&[], None, "");
    }

    #[test]
    fn the_executor_is_taken_where_it_is_named_or_alone() {
        let executor = adapter("cpu", 0, "interstage's executor");
        let all = [adapter("gl", 0, "llvmpipe"), executor.clone()];
        let alone = std::slice::from_ref(&executor);
        check(&all, None, "gl:0");
        check(&all, Some("all"), "gl:0");
        check(&all, Some("cpu,gl"), "cpu:0 gl:0");
        check(&all, Some("Executor"), "cpu:0");
        check(&all, Some("none"), "");
        check(alone, None, "cpu:0");
        check(alone, Some("all"), "cpu:0");
        check(alone, Some("none"), "");
        check(
            alone,
            Some("gl"),
            "no adapter matches `gl`; available: cpu:0 (interstage's executor)",
        );
        assert!(note_without_driver(alone, None).is_some());
        assert!(note_without_driver(alone, Some("all")).is_some());
        assert_eq!(note_without_driver(alone, Some("cpu")), None);
        assert_eq!(note_without_driver(&all, None), None);
        assert_eq!(note_without_driver(&[], None), None);
        assert!(share_a_driver(&all));
        assert!(!share_a_driver(&[adapter("vulkan", 0, "llvmpipe"), all[0].clone()]));
    }

    #[test]
    fn an_adapter_is_named_by_backend_index_or_part_of_its_name() {
        let adapters = [
            adapter("vulkan", 0, "Google SwiftShader"),
            adapter("vulkan", 1, "GeForce"),
            adapter("gl", 0, "GeForce"),
        ];
        check(&adapters, Some("vulkan:1"), "vulkan:1");
        check(&adapters, Some("gl"), "gl:0");
        check(&adapters, Some("geforce"), "vulkan:1");
        check(&adapters, Some("all"), "vulkan:0 vulkan:1 gl:0");
        check(&adapters, Some("gl, vulkan:0,gl"), "gl:0 vulkan:0");
        let comma = [adapter("gl", 0, "llvmpipe (LLVM 15, 256 bits)")];
        check(&comma, Some("LLVM 15, 256"), "gl:0");
        check(
            &comma,
            Some("gl,llvm 16"),
            "no adapter matches `llvm 16`; available: gl:0 (llvmpipe (LLVM 15, 256 bits))",
        );
        check(
            &adapters,
            Some("radeon"),
            "no adapter matches `radeon`; available: vulkan:0 (Google SwiftShader), vulkan:1 (GeForce), gl:0 (GeForce)",
        );
        check(&[], Some("gl"), "no adapter matches `gl`; available: none");
    }
}
