//! `interstage fmt`: formats case files by the rules in `rules`.
//!
//! The formatted text must have the same `meaning` as the text before; otherwise nothing is written.

mod meaning;
mod rules;

use std::io::{Read as _, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Scope, ScopedJoinHandle};

use anyhow::{Context as _, anyhow, bail};
use interstage::case::Dialect;
use interstage::ir::source::Source;

use crate::args::{FmtOptions, Selection};
use crate::command::run::execution::print_error;
use crate::command::say;
use crate::exit::Exit;
use crate::files::case_file::{self, EXTENSION};
use crate::plan;
use crate::project;

/// Argument for stdin.
const STDIN: &str = "-";

/// Formats the files, or checks them.
pub fn fmt(options: &FmtOptions) -> anyhow::Result<Exit> {
    let is_stdin = |path: &PathBuf| path.as_os_str() == STDIN;
    if options.files.iter().any(is_stdin) {
        if options.files.len() > 1 {
            bail!("`-` stands for stdin, and no other file can be formatted with it");
        }
        let work = || format_stdin(options.check);
        return std::thread::scope(|scope| joined(large_stack(scope, work)?)?);
    }
    let mut problems = Vec::new();
    let files = plan::files(&Selection::of(&options.files), &mut problems);
    for problem in &problems {
        print_error(problem);
    }
    let first = if problems.is_empty() { Exit::AsExpected } else { Exit::Unusable };
    Ok(format_files(&files, options)?.max(first))
}

/// Starts a thread in which the reader's limits apply before the stack ends.
fn large_stack<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> anyhow::Result<ScopedJoinHandle<'scope, T>> {
    let builder = std::thread::Builder::new().stack_size(case_file::STACK_BYTES);
    builder.spawn_scoped(scope, work).context("cannot start a thread")
}

fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> anyhow::Result<T> {
    let result = thread.join();
    result.map_err(|_| anyhow!("interstage panicked, which is a bug; see the message above"))
}

/// The reason why a text is not formatted.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The text is not a case; the message has file, line and column, and ends in a line break.
    #[error("{0}")]
    NoCase(String),
    /// The formatter's fault: the formatted text means something else.
    #[error(
        "{0}: the formatted text would mean something else, which is a bug of interstage; the file is unchanged"
    )]
    OtherMeaning(String),
}

/// Formats the text of the case file at `path`.
///
/// # Errors
/// The text is not a case, or the formatter is wrong.
pub fn format_text(path: &str, text: &str, dialect: Dialect) -> Result<String, Refusal> {
    checked(path, text, rules::formatted(text, dialect))
}

/// Returns the formatted text, if it means the same as `text`.
fn checked(path: &str, text: &str, formatted: String) -> Result<String, Refusal> {
    if formatted == text {
        return meaning::check(path, text).map(|()| formatted).map_err(Refusal::NoCase);
    }
    let before = meaning::meaning(path, text).map_err(Refusal::NoCase)?;
    match meaning::meaning(path, &formatted) {
        Ok(after) if after == before => Ok(formatted),
        Ok(_) | Err(_) => Err(Refusal::OtherMeaning(path.to_owned())),
    }
}

fn format_stdin(is_check: bool) -> anyhow::Result<Exit> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .take(case_file::MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .context("cannot read stdin")?;
    let Ok((text, formatted)) = formatted_bytes("stdin", &bytes).map_err(|refusal| print(&refusal))
    else {
        return Ok(Exit::Unusable);
    };
    if is_check {
        let is_formatted = text == formatted;
        if !is_formatted {
            say("stdin is not formatted")?;
        }
        return Ok(if is_formatted { Exit::AsExpected } else { Exit::Regression });
    }
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(formatted.as_bytes())?;
    stdout.flush()?;
    Ok(Exit::AsExpected)
}

/// The text of a file before and after formatting.
fn formatted_bytes(path: &str, bytes: &[u8]) -> Result<(String, String), Refusal> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        let source = Source::new(path, before);
        let (line, column) = source.line_and_column(source.text().len());
        Refusal::NoCase(format!("{path}:{line}:{column}: error: this is not UTF-8\n"))
    })?;
    if text.starts_with('\u{feff}') {
        let told = "the file begins with a byte order mark, which case files cannot have";
        return Err(Refusal::NoCase(format!("{path}:1:1: error: {told}\n")));
    }
    let dialect =
        project::identify(path).map_err(|error| Refusal::NoCase(format!("{error}\n")))?.dialect;
    Ok((text.to_owned(), format_text(path, text, dialect)?))
}

fn format_files(files: &[String], options: &FmtOptions) -> anyhow::Result<Exit> {
    let is_case = |file: &&String| Path::new(file).extension().is_some_and(|it| it == EXTENSION);
    let (cases, others): (Vec<&String>, Vec<&String>) = files.iter().partition(is_case);
    let mut exit = Exit::AsExpected;
    if cases.is_empty() && !others.is_empty() {
        exit = Exit::Unusable;
        print_error(&format!("no case files found: only `*.{EXTENSION}` is formatted"));
    }
    for file in others {
        // Folders may hold scripts and WGSL files beside cases.
        let is_above = |named: &PathBuf| named.is_dir() && Path::new(file).starts_with(named);
        if !options.files.iter().any(is_above) {
            print_error(&format!("{file}: not a case file: only `*.{EXTENSION}` is formatted"));
            exit = Exit::Unusable;
        }
    }
    for (file, outcome) in cases.iter().zip(in_parallel(&cases, options.check)?) {
        exit = exit.max(tell(file, outcome)?);
    }
    Ok(exit)
}

/// Outcome of formatting a file.
#[derive(Debug)]
enum Outcome {
    /// It is formatted.
    Unchanged,
    /// It was not, and is now.
    Formatted,
    /// It is not; the number of the first line that differs.
    Differs(usize),
    /// It is no case, or the formatter is wrong.
    Refused(Refusal),
    /// It cannot be read or written.
    Failed(anyhow::Error),
}

/// Formats or checks the files on all processors. The results are in the order of the files.
fn in_parallel(files: &[&String], is_check: bool) -> anyhow::Result<Vec<Outcome>> {
    let count = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let next = AtomicUsize::new(0);
    let take = || {
        let idx = next.fetch_add(1, Ordering::Relaxed);
        Some((idx, *files.get(idx)?))
    };
    let format = |(idx, file): (usize, &String)| (idx, format_file(file, is_check));
    let work = || std::iter::from_fn(take).map(format).collect::<Vec<_>>();
    let done = std::thread::scope(|scope| {
        let start = |_| large_stack(scope, work);
        let threads: Vec<_> = (0..count.min(files.len())).map(start).collect::<Result<_, _>>()?;
        threads.into_iter().map(joined).collect::<anyhow::Result<Vec<_>>>()
    })?;
    let mut done: Vec<_> = done.into_iter().flatten().collect();
    done.sort_by_key(|(idx, _)| *idx);
    Ok(done.into_iter().map(|(_, outcome)| outcome).collect())
}

fn format_file(file: &str, is_check: bool) -> Outcome {
    let bytes = match case_file::read(file) {
        Ok(bytes) => bytes,
        Err(unreadable) => return Outcome::Failed(unreadable.into()),
    };
    match formatted_bytes(file, &bytes) {
        Err(refusal) => Outcome::Refused(refusal),
        Ok((text, formatted)) if text == formatted => Outcome::Unchanged,
        Ok((text, formatted)) if is_check => Outcome::Differs(first_difference(&text, &formatted)),
        Ok((_, formatted)) => match write(file, &formatted) {
            Ok(()) => Outcome::Formatted,
            Err(error) => Outcome::Failed(error),
        },
    }
}

/// Prints what became of a file.
fn tell(file: &str, outcome: Outcome) -> anyhow::Result<Exit> {
    match outcome {
        Outcome::Unchanged => Ok(Exit::AsExpected),
        Outcome::Formatted => say(&format!("formatted {file}")).map(|()| Exit::AsExpected),
        Outcome::Differs(line) => {
            say(&format!("{file}:{line}: not formatted")).map(|()| Exit::Regression)
        }
        Outcome::Refused(refusal) => {
            print(&refusal);
            Ok(Exit::Unusable)
        }
        Outcome::Failed(error) => {
            print_error(&format!("{file}: {error:#}"));
            Ok(Exit::Unusable)
        }
    }
}

/// Number of the first line that differs.
fn first_difference(text: &str, formatted: &str) -> usize {
    let same = text.split('\n').zip(formatted.split('\n')).take_while(|(one, other)| one == other);
    same.count() + 1
}

/// Replaces the file in one step, so that no failure leaves a part of it. A link stays a link.
fn write(file: &str, text: &str) -> anyhow::Result<()> {
    let path = std::fs::canonicalize(file).context("cannot find the file")?;
    let permissions = std::fs::metadata(&path).context("cannot read the file")?.permissions();
    if permissions.readonly() {
        bail!("the file is read-only");
    }
    let mut partial = path.clone().into_os_string();
    partial.push(".partial");
    let written = std::fs::write(&partial, text)
        .and_then(|()| std::fs::set_permissions(&partial, permissions))
        .and_then(|()| std::fs::rename(&partial, &path));
    written.inspect_err(|_| drop(std::fs::remove_file(&partial))).context("cannot write the file")
}

fn print(refusal: &Refusal) {
    match refusal {
        Refusal::NoCase(told) => drop(std::io::stderr().lock().write_all(told.as_bytes())),
        Refusal::OtherMeaning(_) => print_error(&refusal.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_another_meaning_is_refused() {
        let (path, text) =
            ("cases/a.shader_test", "[vertex shader passthrough]\n[test]\nlink success\n");
        let check = |formatted: &str| checked(path, text, formatted.to_owned());
        let other = Err(Refusal::OtherMeaning(path.to_owned()));
        assert_eq!(check(&text.replace("success", "error \"another meaning\"")), other);
        assert_eq!(check("[test]\n"), other);
        let same = text.replace("\n[test]", "\n\n[test]");
        assert_eq!(check(&same), Ok(same.clone()));
        assert!(matches!(checked(path, "[tset]\n", String::new()), Err(Refusal::NoCase(_))));
    }
}
