//! The program accepts the commands in the guides.

use clap::Parser as _;
use interstage_runner::args::Args;

use crate::{GOOD, folder, interstage};

/// Sample values for variables of CI systems.
const VARIABLES: [(&str, &str); 3] =
    [("${{ matrix.shard }}", "2"), ("$CI_NODE_INDEX", "2"), ("$CI_NODE_TOTAL", "4")];

/// Commands in the code blocks of a guide: from `interstage` to the end of the line, lines that end in a backslash
/// joined, comments and quotes removed.
fn commands(markdown: &str) -> Vec<Vec<String>> {
    let mut text = markdown.replace("\\\n", " ");
    for (variable, value) in VARIABLES {
        text = text.replace(variable, value);
    }
    let mut is_code = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        let line = line.trim_start();
        let line = line.strip_prefix("- ").unwrap_or(line);
        let line = line.strip_prefix("run: ").or_else(|| line.strip_prefix("$ ")).unwrap_or(line);
        if is_code && line.starts_with("interstage ") {
            let command = line.split(" # ").next().unwrap_or_default();
            let words = command.split_whitespace().map(|word| word.trim_matches('\'').to_owned());
            found.push(words.collect());
        }
    }
    found
}

#[test]
fn every_command_of_the_guides_is_taken() {
    let guides = [
        include_str!("../../../README.md"),
        include_str!("../../../docs/baselines.md"),
        include_str!("../../../docs/ci.md"),
        include_str!("../../../docs/commands.md"),
        include_str!("../../../docs/gpu-lab.md"),
        include_str!("../../../docs/invalid-programs.md"),
        include_str!("../../../docs/editors/README.md"),
        include_str!("../../../docs/first-case.md"),
        include_str!("../../../docs/from-piglit.md"),
        include_str!("../../../docs/link-maps.md"),
        include_str!("../../../docs/reduce.md"),
        include_str!("../../../docs/results.md"),
        include_str!("../../../docs/scripts.md"),
        include_str!("../../../docs/validation.md"),
        include_str!("../../../docs/wgsl-files.md"),
        include_str!("../../../docs/wrong-pixel.md"),
    ];
    let commands: Vec<_> = guides.iter().flat_map(|guide| commands(guide)).collect();
    assert!(commands.len() >= 40, "the guides are not written as this test reads them");
    for words in commands {
        let parsed = Args::try_parse_from(&words);
        assert!(parsed.is_ok(), "{}: {}", words.join(" "), parsed.unwrap_err());
    }
}

/// Arguments of `cargo xtask cases` that `interstage run` does not know.
const WORDS_OF_CASES: [&str; 3] = ["--mesa", "--full", "--swiftshader"];

#[test]
fn every_run_of_the_cases_in_the_readme_is_taken() {
    let readme = include_str!("../../../README.md");
    // In blocks, and between backquotes in tables and in text.
    let commands: Vec<_> = readme.split("cargo xtask cases ").skip(1).collect();
    assert!(commands.len() >= 5, "{commands:?}");
    for command in commands {
        let command = command.split(['#', '`', '\n']).next().unwrap_or_default();
        let words = command.split_whitespace().filter(|word| !WORDS_OF_CASES.contains(word));
        let parsed = Args::try_parse_from(["interstage", "run"].into_iter().chain(words));
        assert!(parsed.is_ok(), "{command}: {}", parsed.unwrap_err());
    }
}

#[test]
fn problem_matchers_find_the_place_of_a_failure_and_of_a_message() {
    let package = include_str!("../../../docs/editors/package.json");
    let package: serde_json::Value = serde_json::from_str(package).expect("it is JSON");
    let matchers = &package["contributes"]["problemMatchers"];
    let pattern = |pattern: &serde_json::Value| {
        regex::Regex::new(pattern["regexp"].as_str().expect("a text"))
            .expect("a regular expression")
    };
    let failing = GOOD.replace("slots 1", "slots 2");
    let folder = folder(&[("cases/fails.shader_test", &failing), ("cases/empty.shader_test", "")]);
    let text = interstage(folder.path(), &["run"]).stdout;
    let place = |pattern: &regex::Regex| {
        let found = text.lines().find_map(|line| pattern.captures(line)).expect("a line fits");
        format!("{}:{}", &found[1], &found[2])
    };
    assert_eq!(place(&pattern(&matchers[0]["pattern"])), "cases/fails.shader_test:21");
    assert_eq!(place(&pattern(&matchers[1]["pattern"][0])), "error:the file is empty");
    assert_eq!(place(&pattern(&matchers[1]["pattern"][1])), "cases/empty.shader_test:1");
}

#[test]
fn yaml_is_indented_by_spaces_and_every_variable_is_known() {
    let guide = include_str!("../../../docs/ci.md");
    assert!(!guide.contains('\t'), "YAML takes no tabs");
    for piece in guide.split("${{").skip(1) {
        let name = piece.split("}}").next().unwrap_or_default().trim();
        let is_output = name.strip_prefix("steps.interstage.outputs.").is_some_and(|output| {
            let action = include_str!("../../../action.yml");
            let outputs = action.split("\noutputs:").nth(1).unwrap_or_default();
            outputs.contains(&format!("\n  {output}:"))
        });
        assert!(name == "matrix.shard" || is_output, "{name}");
    }
}
