//! The help of the subcommands: groups of options, and examples that the program accepts.

use std::fmt::Write as _;

use clap::{CommandFactory as _, Parser as _};
use expect_test::expect;
use interstage_runner::args::Args;

use crate::{folder, interstage};

/// Commands of the examples in the help of a subcommand.
fn examples(command: &clap::Command) -> Vec<String> {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let lines = help.strip_prefix("Examples:\n").unwrap_or_default().lines();
    let commands =
        lines.filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    commands.map(str::to_owned).collect()
}

/// Words of a command without quotes, up to a pipe or a redirection.
fn words(command: &str) -> Vec<&str> {
    let words = command.split(' ').take_while(|word| !["|", ">"].contains(word));
    words.map(|word| word.trim_matches('\'')).collect()
}

#[test]
fn every_subcommand_has_examples_that_are_accepted() {
    let program = Args::command();
    let subcommands: Vec<_> =
        program.get_subcommands().filter(|command| !command.is_hide_set()).collect();
    assert!(subcommands.len() > 10);
    for command in subcommands {
        let name = command.get_name();
        let examples = examples(command);
        assert!(!examples.is_empty(), "{name} has no examples");
        for example in examples {
            let words = words(&example);
            assert_eq!(words[..2], ["interstage", name]);
            let parsed = Args::try_parse_from(&words);
            assert!(parsed.is_ok(), "{example}: {}", parsed.unwrap_err());
        }
    }
}

#[test]
fn the_options_of_run_are_grouped() {
    let program = Args::command();
    let run = program.find_subcommand("run").expect("there is a command `run`");
    let mut groups = String::new();
    let mut last = None;
    for option in run.get_arguments().filter(|option| !option.is_hide_set()) {
        let heading = option.get_help_heading().unwrap_or("no group");
        if last != Some(heading) {
            let _ = write!(groups, "\n{heading}:");
        }
        last = Some(heading);
        let _ = write!(groups, " {}", option.get_id());
    }
    expect![[r#"

        no group: paths
        Selection of cases: failed filter exclude shard
        Adapter and device: adapter pretend without limit through through_language vary validate
        Time and processes: jobs timeout
        What is tested: profile emulate oracle
        Results: resume results keep keep_all
        Time and processes: fail_fast
        Results: overwrite
        Output: piglit
        Results: junit
        Output: format quiet verbose
        Lists of known failures, flakes and skips: known_failures flakes skips
        Time and processes: retries max_losses max_memory
        Compilers and caches of drivers: cold shader_cache quick_llvmpipe compile_ahead"#]]
    .assert_eq(&groups);
}

#[test]
fn help_and_manual_have_the_groups_and_the_examples() {
    let folder = folder(&[]);
    let help = interstage(folder.path(), &["run", "--help"]).stdout;
    let manual = interstage(folder.path(), &["man", "--out", "."]);
    assert_eq!(manual.code, Some(0), "{}", manual.text());
    let manual = std::fs::read_to_string(folder.path().join("interstage-run.1")).expect("a page");
    for text in ["Selection of cases", "Adapter and device", "Time and processes", "Examples:"] {
        assert!(help.contains(text), "{help}");
    }
    assert!(manual.contains("Examples:") && manual.contains("runs the second of four parts"));
}
