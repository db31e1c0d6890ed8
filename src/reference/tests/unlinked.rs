//! Checks that unlinked stages return what the cases about geometry and tessellation stages expect.

use std::path::Path;

use case::parse::parse;
use case::{Case, Dialect, needs_gpu};
use check::Goldens;
use ir::readback::{Extent, Readback};
use link::session::LinkedPrograms;
use plan::ExecuteError;
use prepare::{Compiled, Linking, first_profile};
use reference::UnlinkedStages;

/// Stack size for the front ends, whose depth limits are those of the library.
const STACK_BYTES: usize = 256 << 20;

/// A case with its stages before and after linking. `None` for cases that run nothing.
fn known(case: &Case) -> Option<(Compiled, LinkedPrograms)> {
    let compiled = prepare::compile(case).ok().filter(|_| needs_gpu(case))?;
    let linking = compiled.link(case, link::AdapterRules::default(), first_profile(case)).ok()?;
    let Linking::Done(linked) = linking else { return None };
    Some((compiled, linked))
}

/// Runs the stages as they were compiled. `None` for cases of several programs that share stages.
fn run(
    case: &Case,
    (compiled, linked): &(Compiled, LinkedPrograms),
) -> Option<Result<Readback, ExecuteError>> {
    let Compiled::Program(stages) = compiled else { return None };
    let stages: [UnlinkedStages<'_>; 1] = [stages.each()];
    let executable = reference::executable(case, &stages, linked);
    Some(executable.and_then(|executable| executable.run(Extent::Whole)))
}

/// The differences from the expectations of a case. `None` for cases of several programs that share stages, and for
/// those whose levels only the linker knows.
fn problems(case: &Case, known: &(Compiled, LinkedPrograms)) -> Option<Vec<String>> {
    let limit = plan::too_many_unknown_draws();
    Some(match run(case, known)? {
        Err(ExecuteError::Lacking(reason)) if reason == limit => return None,
        Ok(readback) => {
            let failures = check::check(case, &readback, &Goldens::default()).into_iter();
            failures.flat_map(|failure| failure.details).collect()
        }
        Err(error) => vec![error.to_string()],
    })
}

/// Calls `work` with each case of a folder.
fn each_case(folder: &str, mut work: impl FnMut(&Case)) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        if path.extension().is_none_or(|extension| extension != "shader_test") {
            continue;
        }
        let text = std::fs::read(&path).expect("it can be read");
        for parsed in parse(&path.display().to_string(), &text, Dialect::Interstage) {
            parsed.result.iter().for_each(&mut work);
        }
    }
}

fn with_room(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    thread.expect("there is room for a stack").join().expect("all cases pass");
}

#[test]
fn cases_about_stages_before_the_rasteriser_pass() {
    with_room(|| {
        for (folder, least) in [("../../cases/geometry", 75), ("../../cases/tessellation", 300)] {
            let (mut count, mut all) = (0, Vec::new());
            each_case(folder, |case| {
                let Some(known) = known(case) else { return };
                let Some(problems) = problems(case, &known) else { return };
                count += 1;
                all.extend(problems.into_iter().map(|text| format!("{}: {text}", case.name)));
            });
            assert!(all.is_empty(), "{}", all.join("\n"));
            assert!(count >= least, "{folder} has {count} cases");
        }
    });
}

#[test]
fn chains_give_what_they_give_linked() {
    with_room(|| {
        let mut count = 0;
        each_case("tests/cases", |case| {
            let known = known(case).expect("the stages link");
            let unlinked = run(case, &known).expect("it is one program");
            let unlinked = unlinked.unwrap_or_else(|error| panic!("{}: {error}", case.name));
            let linked = cpu::execute(case, &known.1, Extent::Whole).expect("the program runs");
            assert!(unlinked.snapshots == linked.snapshots, "{} differs", case.name);
            let problems = problems(case, &known);
            assert_eq!(problems, Some(Vec::new()), "{}", case.name);
            count += 1;
        });
        assert_eq!(count, 3);
    });
}
