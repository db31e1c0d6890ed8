//! `cargo xtask docs`: makes the book of the documentation, or checks that what the documentation says works.
//!
//! The book is in `target/book`, with a search. mdBook makes it; if it is missing, it is built once below
//! `target/tools`. It is a program and not a library of the workspace, so no other build compiles it.

mod blocks;
mod book;
mod links;
mod output;
mod page;
mod runner;
mod site;

use std::path::Path;
use std::time::Instant;

use crate::build::{build_program, program};
use crate::step::say;
use runner::{Shell, Speed};

/// Runs the command with these arguments.
pub(crate) fn run(arguments: &[String], root: &Path) -> Result<(), String> {
    match arguments {
        [] => make(root),
        [option, slow, rest @ ..] if option == "--check" && slow == "--slow" => {
            check(root, rest, Speed::Slow)
        }
        [option, rest @ ..] if option == "--check" => check(root, rest, Speed::Fast),
        _ => Err("the only options are `--check [--slow] [PAGES…]`".to_owned()),
    }
}

/// Makes the book, and checks the links of its pages before and after.
fn make(root: &Path) -> Result<(), String> {
    let pages = links::read_all(root)?;
    report(&links::problems(root, &pages))?;
    book::build(root, &pages)?;
    let site = root.join(book::SITE);
    report(&site::problems(&site)?)?;
    say(&format!("{}/index.html", book::SITE));
    Ok(())
}

/// Checks links, and runs the commands of the pages that the arguments name, or of all.
fn check(root: &Path, names: &[String], speed: Speed) -> Result<(), String> {
    let pages = links::read_all(root)?;
    report(&links::problems(root, &pages))?;
    if let Some(name) = names.iter().find(|name| !pages.contains_key(Path::new(name))) {
        return Err(format!("there is no page {name}"));
    }
    build_program()?;
    let shell = Shell::new(root, &program(), speed)?;
    let mut failures = Vec::new();
    for page in pages.values() {
        let is_wanted = names.is_empty() || names.iter().any(|name| page.path == Path::new(name));
        if !is_wanted {
            continue;
        }
        let started = Instant::now();
        let outcome = shell.check(page);
        if outcome.commands + outcome.left > 0 {
            let (name, seconds) = (page.path.display(), started.elapsed().as_secs_f64());
            let excerpts = if outcome.left == 1 { "excerpt" } else { "excerpts" };
            say(&format!(
                "{name}: {} commands, {} {excerpts}, {seconds:.1} s",
                outcome.commands, outcome.left
            ));
        }
        failures.extend(outcome.failures);
    }
    report(&failures)
}

/// Prints the problems; an error if there are any.
fn report(problems: &[String]) -> Result<(), String> {
    for problem in problems {
        say(problem);
    }
    match problems.len() {
        0 => Ok(()),
        1 => Err("1 problem".to_owned()),
        count => Err(format!("{count} problems")),
    }
}
