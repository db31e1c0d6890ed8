//! Developer commands, for a machine with only Rust installed:
//!
//! * `cargo xtask cases [ARGS…]` runs every case on every adapter; the arguments are those of `interstage run`. Mesa's
//!   software drivers compile without LLVM's optimisations unless `--full` is among them.
//! * `cargo xtask test` runs the tests, every case on the default adapter, and an eighth of them on all others,
//!   on softpipe and on interstage's executor.
//! * `cargo xtask lint` checks the format, Clippy's lints and the links of doc comments. Both must pass before a change
//!   is committed.
//!
//! `test` first ensures that a Vulkan and a GL adapter and Chromium are installed. `cases` installs nothing unless
//! `--mesa` is among the arguments; without any driver it runs the cases on interstage's executor. Both build the `dev`
//! profile, in which dependencies that cost time in every case are optimised, and all commands share their builds.
//!
//! Five commands take longer, and run on request:
//!
//! * `cargo xtask soak` runs the tests and cases of which `test` runs a sample in full, with LLVM's optimisations.
//! * `cargo xtask lab` runs every case on every available software driver, and compares the drivers.
//! * `cargo xtask compilers` runs cases through other compilers, which it can install, and prints what each does wrong.
//! * `cargo xtask shaders` translates all stages to the languages of Direct3D and Metal, and passes those of Direct3D
//!   to free compilers.
//! * `cargo xtask fuzz` mutates cases, shaders and scripts, and finds inputs that crash or hang their readers.
//!
//! `cargo xtask docs` makes a book with a search of the documentation, and `cargo xtask docs --check` runs the commands
//! that the documentation shows.
//!
//! `cargo xtask pictures` regenerates the pictures of README.md, and `cargo xtask measure` the figures about the source
//! code, the cases and the documentation in `docs/measurements.md`.
//!
//! Five commands take measurements for `docs/measurements.md`, where a person enters them:
//!
//! * `cargo xtask faults` runs the tests that inject faults, and prints the faults and their results.
//! * `cargo xtask invalid` compares the verdicts of interstage and `shader_runner` on random invalid programs.
//! * `cargo xtask mutants` changes the linker in small ways and counts the changes that unit tests and cases detect;
//!   with `--naga` it changes naga, and counts the changes that sets of programs detect.
//! * `cargo xtask rules` switches off each rule of `docs/checklist.md`, and checks that the tests named there fail.
//! * `cargo xtask compare-speed` compares the CPU time of interstage, `shader_runner` and deqp-runner on piglit's
//!   files, with cold and warm caches.

mod build;
mod compilers;
mod docs;
mod faults;
mod invalid;
mod lab;
mod machine;
mod measure;
mod mutants;
mod pictures;
mod rules;
mod sample;
mod shaders;
mod speed;
mod step;
mod suite;

use std::io::Write as _;
use std::process::{Command, ExitCode};

use crate::build::{beside_this, build, build_program, cargo, program, root};
use crate::step::Step;

const USAGE: &str = "\
usage: cargo xtask cases [--mesa] [--full] [--swiftshader] [ARGS of `interstage run`…]
                                      run every case on every adapter, or on the executor if there is none.
                                      --mesa: install and use Mesa's software drivers; --full: turn on LLVM's
                                      optimisations; --swiftshader: also use Chromium's SwiftShader
       cargo xtask test               run the tests, every case on the default adapter, and an eighth of them
                                      on all others, on softpipe and on interstage's executor
       cargo xtask lint               check the format, Clippy's lints, and the links and examples of doc comments
       cargo xtask soak [ARGS…]       run in full the tests and cases of which `test` runs a sample; ARGS are those of
                                      libtest
       cargo xtask lab [--driver NAME]… [--root DIR] [--list] [ARGS of `interstage run`…]
                                      run every case on every available software driver, and print a table
       cargo xtask compilers --install
                                      put tint, SPIRV-Tools, glslang, SPIRV-Cross, DXC and naga below target/compilers
       cargo xtask compilers [--with NAME]… [--generated N] [--seed S] [--results DIR] [ARGS of `interstage run`…]
                                      run cases, or N generated programs of each kind, through each compiler, and
                                      print a table of what it does wrong
       cargo xtask compilers --table [--with NAME]… [--results DIR]
                                      print the table of the last results again, after an edit of the list of known
                                      failures
       cargo xtask compilers --passes [ARGS of `interstage run`…]
                                      run a sample of the cases through each pass of spirv-opt alone
       cargo xtask shaders [--sample N] [CASES…]
                                      write all stages in HLSL and MSL, and compile the HLSL with every installed
                                      compiler
       cargo xtask fuzz [--seconds N] [--target NAME]… [--seed N] [--corpus DIR]…
                                      mutate cases, shaders and scripts; each must end in a result or a message;
                                      `--help` lists all options
       cargo xtask docs               make the book of the documentation in target/book; builds mdBook if it is missing
       cargo xtask docs --check [--slow] [PAGES…]
                                      run the commands that the documentation, or these pages of it, shows; with
                                      --slow also those that take minutes
       cargo xtask pictures [--program PATH]
                                      draw the pictures of README.md, from a run of this or another build
       cargo xtask measure            count code, cases and documentation anew in docs/measurements.md
       cargo xtask faults             run the tests that inject faults, and print a table of their results
       cargo xtask invalid [--count N] [--seed S] [--rule NAME] [--jobs N] [--keep DIR]
                                      compare interstage and shader_runner on random invalid programs
       cargo xtask invalid --what attributes [--jobs N] [--keep DIR]
                                      compare them on every qualifier of GLSL at every place
       cargo xtask mutants [--sample N] [--seed S] [--again] [--unit-only | --cases PATH…]
                                      mutate the linker, and count the mutants that unit tests and cases detect
       cargo xtask mutants --naga [--sample N] [--seed S] [--programs generated|cases|NAME=PATH]… [--count N]
                                  [--shard K/N] [--most N] [--part PART]… [--vary SEED] [--through COMPILER]
                                  [--again]
                                      mutate naga, and count the mutants that sets of programs detect
       cargo xtask mutants --linker [the same options]
                                      mutate the linker, whose check of its own result is off, likewise
       cargo xtask rules [RULE…]      disable rules of docs/checklist.md, and check that the tests named there fail
       cargo xtask compare-speed [--rounds N] [--every N | --files LIST]
                                      compare the CPU time of piglit's files in interstage, shader_runner and
                                      deqp-runner
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((command, rest)) if command == "cases" => cases(rest),
        Some((command, [])) if command == "test" => test(),
        Some((command, [])) if command == "lint" => lint(),
        Some((command, rest)) if command == "compilers" => {
            report("compilers", compilers::run(rest, &root()))
        }
        Some((command, [])) if command == "faults" => report("faults", faults::run(&root())),
        Some((command, rest)) if command == "docs" => report("docs", docs::run(rest, &root())),
        Some((command, rest)) if command == "invalid" => {
            report("invalid", invalid::run(rest, &root()))
        }
        Some((command, [])) if command == "measure" => report("measure", measure::run(&root())),
        Some((command, rest)) if command == "mutants" => {
            report("mutants", mutants::run(rest, &root(), rules::own_check))
        }
        Some((command, rest)) if command == "pictures" => {
            report("pictures", pictures::run(rest, &root()))
        }
        Some((command, rest)) if command == "lab" => report("lab", lab::run(rest, &root())),
        Some((command, rest)) if command == "soak" => soak(rest),
        Some((command, rest)) if command == "fuzz" => fuzz(rest),
        Some((command, rest)) if command == "rules" => report("rules", rules::run(rest, &root())),
        Some((command, rest)) if command == "shaders" => {
            report("shaders", shaders::run(rest, &root()))
        }
        Some((command, rest)) if command == "compare-speed" => {
            report("compare-speed", speed::run(rest, &root()))
        }
        Some(_) | None => {
            let _ = std::io::stderr().write_all(USAGE.as_bytes());
            ExitCode::from(3)
        }
    }
}

/// Options of `cargo xtask cases`.
#[derive(Debug, PartialEq, Eq)]
struct CasesOptions {
    /// True if missing Mesa drivers are installed.
    installs_mesa: bool,
    has_swiftshader: bool,
    /// Arguments of `interstage run`.
    arguments: Vec<String>,
}

impl CasesOptions {
    fn of(arguments: &[String]) -> Self {
        let has = |name: &str| arguments.iter().any(|argument| argument == name);
        let others =
            arguments.iter().filter(|argument| ![MESA, SWIFTSHADER].contains(&argument.as_str()));
        Self {
            installs_mesa: has(MESA),
            has_swiftshader: has(SWIFTSHADER),
            arguments: others.cloned().collect(),
        }
    }

    /// True if the arguments select adapters.
    fn choose_adapters(arguments: &[String]) -> bool {
        arguments
            .iter()
            .any(|argument| argument == "--adapter" || argument.starts_with("--adapter="))
    }
}

fn cases(arguments: &[String]) -> ExitCode {
    let CasesOptions { installs_mesa, has_swiftshader, arguments } = CasesOptions::of(arguments);
    if installs_mesa {
        if let Err(message) = machine::prepare_for_cases() {
            return step::fail("prepare the machine", &message);
        }
    } else if let Some(note) = machine::note_for_cases()
        && !has_swiftshader
        && !CasesOptions::choose_adapters(&arguments)
    {
        step::say(&note);
    }
    if let Err(message) = build_program() {
        return step::fail("build the program", &message);
    }
    let mut command = run_cases(&arguments);
    if arguments.is_empty() {
        command.current_dir(root());
    }
    if has_swiftshader {
        match machine::swiftshader() {
            Ok(driver) => drop(command.env("VK_ADD_DRIVER_FILES", driver)),
            Err(message) => return step::fail("find SwiftShader", &message),
        }
    }
    match command.status() {
        // The program has already printed the problem.
        Ok(status) => step::exit_code(status),
        Err(error) => step::fail("start the program", &error.to_string()),
    }
}

fn report(name: &str, result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => step::fail(name, &message),
    }
}

fn test() -> ExitCode {
    let steps = [
        Step::function("prepare the machine", machine::prepare_for_tests),
        Step::function("tests", run_tests),
        Step::function("cases as tests, one by one", single_case),
        Step::function("the program", build_program),
        Step::command("cases on the executor", executor()),
        Step::command("cases on the default adapter", on_default_adapter()),
        Step::command("an eighth of the cases on every adapter", run_cases(&eighth())),
        Step::function("cases on softpipe", softpipe),
        Step::command("cases through an optimiser", through(&["spirv-opt"], &["--shard=1/60"])),
        Step::function("cases through SPIRV-Cross and glslang", through_glsl),
    ];
    step::run_all(steps, &root())
}

/// Runs cases on a Vulkan adapter through other compilers. `cargo xtask soak` runs all through the optimiser.
fn through(compilers: &[&str], cases: &[&str]) -> Command {
    let compilers = compilers.iter().map(|name| format!("--through={name}"));
    let cases = cases.iter().map(|&word| word.to_owned());
    let adapter = std::iter::once("--adapter=vulkan".to_owned());
    run_cases(&adapter.chain(compilers).chain(cases).collect::<Vec<_>>())
}

/// Runs some cases through the GLSL that SPIRV-Cross writes and glslang compiles; `cargo xtask compilers` runs all.
/// glslang needs a tenth of a second for a stage.
fn through_glsl() -> Result<(), String> {
    if !machine::has_glsl_compilers() {
        step::say("glslang or SPIRV-Cross is not installed, which is not tested");
        return Ok(());
    }
    let mut command = through(&["spirv-cross", "glslang"], &["--shard=1/120"]);
    let status = command.current_dir(root()).status().map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err(status.to_string()) }
}

/// Checks what needs no tests to run. It is a command of its own, because Clippy and rustdoc check all dependencies,
/// which `test` builds again.
fn lint() -> ExitCode {
    let lints = ["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"];
    let steps = [
        Step::command("format", cargo(&["fmt", "--all", "--check"])),
        Step::command("lints", cargo(&lints)),
        Step::command("documentation", documentation()),
        Step::function("examples in documentation", examples),
    ];
    step::run_all(steps, &root())
}

/// Runs the examples in doc comments. Prints what they print only if one fails: most crates have none.
fn examples() -> Result<(), String> {
    let mut command = cargo(&["test", "--quiet", "--workspace", "--doc"]);
    let output = command.current_dir(root()).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    step::say(&String::from_utf8_lossy(&[output.stdout, output.stderr].concat()));
    Err(output.status.to_string())
}

/// Builds the documentation of all crates; broken links are errors.
fn documentation() -> Command {
    let mut command = cargo(&["doc", "--quiet", "--workspace", "--no-deps"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    command
}

/// Runs all tests except the cases, which the next step runs on every adapter.
///
/// Thousands of generated programs are linked and drawn here. Mesa's software drivers compile them without LLVM's
/// optimisations, which saves a quarter of the time with a cold cache.
fn run_tests() -> Result<(), String> {
    suite::run(&root(), &[("INTERSTAGE_CASES_RUN_ELSEWHERE", "1"), ("GALLIVM_PERF", "nopt")])
}

/// Runs an eighth of the cases on interstage's own executor, which is slow because front ends are built without
/// optimisations. A test compares a sample of the others on the executor with their stages before linking.
fn executor() -> Command {
    run_cases(&[vec!["--adapter=cpu".to_owned()], eighth()].concat())
}

fn on_default_adapter() -> Command {
    let mut command = Command::new(program());
    command.args(["run", QUICK]);
    command
}

/// Options that select an eighth of the cases. On a second adapter with a cold cache of shaders, all cases take more than a
/// minute; `cargo xtask cases` runs them there.
fn eighth() -> Vec<String> {
    vec!["--shard=1/8".to_owned()]
}

/// Runs an eighth of the cases on softpipe, Mesa's only software driver without LLVM, which has fewer features than any GPU of
/// the last ten years: cases that need more are skipped, and nothing fails.
fn softpipe() -> Result<(), String> {
    on_softpipe(&eighth())
}

/// Runs all cases on softpipe.
fn all_on_softpipe() -> Result<(), String> {
    on_softpipe(&[])
}

fn on_softpipe(rest: &[String]) -> Result<(), String> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    let arguments = ["--driver", "softpipe"].map(str::to_owned);
    lab::run(&[&arguments[..], rest].concat(), &root())
}

/// Runs in full the tests and cases of which `cargo xtask test` runs a sample, and every case with LLVM's
/// optimisations.
fn soak(arguments: &[String]) -> ExitCode {
    let mut command = cargo(&["test", "--quiet", "--workspace"]);
    for test in LONG {
        command.args(["--test", test]);
    }
    command.args(["--", "--nocapture"]).args(arguments);
    command.env("INTERSTAGE_SOAK", "1").env("GALLIVM_PERF", "nopt");
    let oracle = ["--adapter", "vulkan:0", "--oracle"].map(str::to_owned);
    let steps = [
        Step::function("prepare the machine", machine::prepare_for_cases),
        Step::command("long tests", command),
        Step::function("the program", build_program),
        Step::command("cases on the executor", run_cases(&["--adapter", "cpu"].map(str::to_owned))),
        Step::command("cases on every adapter", run_cases(&[FULL.to_owned()])),
        Step::command("cases with the oracle", run_cases(&oracle)),
        Step::function("cases on softpipe", all_on_softpipe),
        Step::command("cases through an optimiser", through(&["spirv-opt"], &[])),
        Step::function("grids in full", full_grids),
        Step::function("a hunt for faults", hunt),
        Step::function("commands of the documentation", documented_commands),
    ];
    step::run_all(steps, &root())
}

/// Test programs that test more when `INTERSTAGE_SOAK` is set.
const LONG: [&str; 9] = [
    "blame",
    "captures_agree",
    "every_case_can_fail",
    "faults",
    "few_variables",
    "generated",
    "linked_like_unlinked",
    "needs",
    "optimising_changes_no_pixel",
];

/// Builds the fuzzer and runs it with these arguments.
fn fuzz(arguments: &[String]) -> ExitCode {
    if let Err(message) = build("interstage-fuzz") {
        return step::fail("build the fuzzer", &message);
    }
    match Command::new(beside_this("interstage-fuzz")).args(arguments).status() {
        // The fuzzer has already printed the problem.
        Ok(status) => step::exit_code(status),
        Err(error) => step::fail("start the fuzzer", &error.to_string()),
    }
}

/// Runs the commands that the documentation shows.
fn documented_commands() -> Result<(), String> {
    docs::run(&["--check", "--slow"].map(str::to_owned), &root())
}

/// Looks for faults with new random programs, for ten minutes. It goes on where the last hunt ended.
fn hunt() -> Result<(), String> {
    let list = root().join("runner/lab/operations.txt");
    let list =
        std::fs::read_to_string(&list).map_err(|error| format!("{}: {error}", list.display()))?;
    let mut command = Command::new(program());
    command.args(["hunt", "--adapter", "all", "--time", "10m", "-o", "target/hunt"]);
    for feature in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        command.args(["--leave-out", feature]);
    }
    let status = command.current_dir(root()).status().map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err(status.to_string()) }
}

/// Runs all cases of the files that contain a sample.
fn full_grids() -> Result<(), String> {
    let folder = sample::write_full(&root())?;
    let mut command = run_cases(&[FULL.to_owned()]);
    let status = command.arg(folder).status().map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err(status.to_string()) }
}

/// Uses the cases as nextest does: lists them, and runs one by its exact name in a separate process.
fn single_case() -> Result<(), String> {
    let run = |arguments: &[&str]| {
        let test = ["test", "--quiet", "--workspace", "--test", "cases", "--"];
        let output = cargo(&[&test, arguments].concat()).current_dir(root()).output();
        let output = output.map_err(|error| error.to_string())?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(format!("{arguments:?}: {}", String::from_utf8_lossy(&output.stderr)))
        }
    };
    let list = run(&["--list", "--format", "terse"])?;
    let names: Vec<_> = list.lines().filter_map(|line| line.strip_suffix(": test")).collect();
    let name = names.get(names.len() / 2).ok_or("no case is listed")?;
    let told = run(&[name, "--exact", "--nocapture"])?;
    let is_one = told.contains("running 1 test\n") && told.contains(" 0 failed;");
    if is_one { Ok(()) } else { Err(format!("`{name}` was not run alone: {told}")) }
}

/// Argument that installs Mesa's software drivers.
const MESA: &str = "--mesa";

/// Argument that adds `SwiftShader`.
const SWIFTSHADER: &str = "--swiftshader";

/// Argument that turns on LLVM's optimisations.
const FULL: &str = "--full";

/// Option of `interstage run` that makes Mesa's software drivers compile less.
const QUICK: &str = "--quick-llvmpipe";

/// Runs the program on all adapters unless the arguments select some, and with [`QUICK`] unless [`FULL`] is among them
/// (docs/decisions/default-runs-turn-off-llvms-optimisations.md).
fn run_cases(arguments: &[String]) -> Command {
    let mut command = Command::new(program());
    command.arg("run");
    if !CasesOptions::choose_adapters(arguments) {
        command.args(["--adapter", "all"]);
    }
    if !arguments.iter().any(|argument| argument == FULL || argument == QUICK) {
        command.arg(QUICK);
    }
    command.args(arguments.iter().filter(|argument| *argument != FULL));
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_mesa_is_installed_and_only_when_asked_for() {
        let of = |words: &[&str]| {
            CasesOptions::of(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
        };
        let expected = |installs_mesa, has_swiftshader, arguments: &[&str]| CasesOptions {
            installs_mesa,
            has_swiftshader,
            arguments: arguments.iter().map(|word| (*word).to_owned()).collect(),
        };
        assert_eq!(of(&[]), expected(false, false, &[]));
        assert_eq!(
            of(&["cases/x", "--adapter", "gl"]),
            expected(false, false, &["cases/x", "--adapter", "gl"])
        );
        assert_eq!(of(&["--mesa", "--full"]), expected(true, false, &["--full"]));
        assert_eq!(of(&["--swiftshader", "cases"]), expected(false, true, &["cases"]));
        assert!(CasesOptions::choose_adapters(&of(&["--adapter=cpu"]).arguments));
        assert!(!CasesOptions::choose_adapters(&of(&["--mesa"]).arguments));
    }

    /// The job has no other step that installs a driver, and would test nothing without one.
    #[test]
    fn the_job_for_github_in_the_readme_installs_drivers() {
        let readme = include_str!("../../../README.md");
        let (_, job) = readme.split_once("GitHub Actions:").expect("the README has the job");
        let job = job.split("```").nth(1).expect("it is in a block of code");
        let mut steps =
            job.lines().skip_while(|line| !line.contains("- uses: interstage/interstage@"));
        let [_, inputs] =
            [steps.next(), steps.next()].map(|line| line.expect("the action, and its inputs"));
        let inputs = inputs.split('#').next().unwrap_or_default();
        assert!(inputs.contains("mesa: true"), "{inputs}");
        let action = include_str!("../../../action.yml");
        for input in ["mesa", "paths", "adapter"] {
            assert!(
                inputs.contains(&format!("{input}: ")) && action.contains(&format!("\n  {input}:"))
            );
        }
    }
}
