//! Commands in the blocks of code of a page, and the comments above a block that say how it is run.
//!
//! | block | commands |
//! |---|---|
//! | `sh` | every line; a backslash at its end continues it |
//! | `console` | lines that begin with `$ `; the lines below are what the command prints, with `…` for any text |
//! | `yaml` | what follows `run:`, and the items of `script:` and `before_script:` |
//!
//! | comment | meaning |
//! |---|---|
//! | `not run: REASON` | the block is an excerpt |
//! | `slow: REASON` | the block runs with `--slow` alone |
//! | ``not run `BEGINNING`: REASON`` | the commands that begin so are left out |
//! | `exit N: REASON` | the last command ends with this exit code; without it, with 0 |
//! | ``exit N `BEGINNING`: REASON`` | the commands that begin so end with this exit code |
//! | `setup: COMMANDS` | these commands run before; they do what the text of the page says, or prepare what it presumes |
//! | `with TEXT: VALUE` | a placeholder of the commands, and the value that replaces it |
//! | `file: PATH` | the block is written to this file |
//! | `shows: PATH` | the block is what this file contains |

use super::page::{Block, Comment, Page};

/// What is done with a block.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// The commands run, in order.
    Run(Vec<Command>),
    /// Nothing runs, for a reason that the page gives.
    Leave,
    /// The commands run if there is time.
    RunSlowly(Vec<Command>),
    /// The text is written to a file.
    Write { path: String, text: String },
    /// A file must have the text.
    Compare { path: String, text: String },
}

/// A command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    /// Its line on the page.
    pub(super) line: usize,
    /// As it is run, with its continuation lines.
    pub(super) text: String,
    /// The exit code that the page announces.
    pub(super) exit: i32,
    /// The lines that the page shows as its output.
    pub(super) output: Option<Vec<String>>,
}

/// The comments of a block.
#[derive(Debug, Default)]
struct Marks {
    is_left: bool,
    is_slow: bool,
    /// Beginnings of commands that are left out.
    left: Vec<String>,
    exits: Vec<Announced>,
    setup: Vec<Command>,
    placeholders: Vec<Placeholder>,
    file: Option<String>,
    shown: Option<String>,
}

/// An exit code that the page announces.
#[derive(Debug)]
struct Announced {
    code: i32,
    /// Beginning of the commands; none for the last one.
    beginning: Option<String>,
}

#[derive(Debug)]
struct Placeholder {
    text: String,
    value: String,
}

/// What is done with a block of the page; none if it has no commands and no comments. The error is a message with the
/// place.
pub(super) fn action(page: &Page, block: &Block) -> Result<Option<Action>, String> {
    let mut marks = Marks::default();
    for comment in &block.comments {
        marks
            .read(comment)
            .map_err(|message| format!("{}: {message}", page.place(comment.line)))?;
    }
    let mut commands = commands(block);
    if marks.is_left {
        return Ok(Some(Action::Leave));
    }
    let text = block.lines.join("\n") + "\n";
    if let Some(path) = marks.file {
        return Ok(Some(Action::Write { path, text }));
    }
    if let Some(path) = marks.shown {
        return Ok(Some(Action::Compare { path, text }));
    }
    if commands.is_empty() {
        let is_script = ["sh", "console"].contains(&block.language.as_str());
        let is_wrong = is_script || !block.comments.is_empty();
        let message = || format!("{}: the block has no commands", page.place(block.line));
        return if is_wrong { Err(message()) } else { Ok(None) };
    }
    marks
        .change(&mut commands)
        .map_err(|message| format!("{}: {message}", page.place(block.line)))?;
    marks.setup.extend(commands);
    let run = if marks.is_slow { Action::RunSlowly } else { Action::Run };
    Ok(Some(run(marks.setup)))
}

impl Marks {
    fn read(&mut self, comment: &Comment) -> Result<(), String> {
        let unknown = || format!("`{}` is no comment about a block", comment.text);
        let (head, rest) = comment.text.split_once(':').ok_or_else(unknown)?;
        let rest = rest.trim();
        if rest.is_empty() {
            return Err(format!("nothing follows `{head}:`"));
        }
        if head == "not run" {
            self.is_left = true;
        } else if head == "slow" {
            self.is_slow = true;
        } else if let Some(beginning) = head.strip_prefix("not run ") {
            self.left.push(beginning.trim_matches('`').to_owned());
        } else if let Some(exit) = head.strip_prefix("exit ") {
            let (code, beginning) = exit.split_once(' ').unwrap_or((exit, ""));
            let code = code.parse().map_err(|_| unknown())?;
            let beginning = Some(beginning.trim_matches('`').to_owned());
            let beginning = beginning.filter(|beginning| !beginning.is_empty());
            self.exits.push(Announced { code, beginning });
        } else if let Some(text) = head.strip_prefix("with ") {
            self.placeholders.push(Placeholder { text: text.to_owned(), value: rest.to_owned() });
        } else if head == "setup" {
            self.setup.push(command(comment.line, &format!("set -e\n{rest}\nset +e")));
        } else if head == "file" {
            self.file = Some(rest.to_owned());
        } else if head == "shows" {
            self.shown = Some(rest.to_owned());
        } else {
            return Err(unknown());
        }
        Ok(())
    }

    /// Removes commands, replaces placeholders, and sets the exit codes.
    fn change(&self, commands: &mut Vec<Command>) -> Result<(), String> {
        let unused = |beginning: &str| format!("no command begins with `{beginning}`");
        for Announced { code, beginning } in &self.exits {
            let count = commands.len();
            let is_meant = |command: &Command, idx: usize| match beginning {
                Some(beginning) => command.text.starts_with(beginning),
                None => idx + 1 == count,
            };
            let meant = commands.iter_mut().enumerate();
            let mut meant = meant.filter(|(idx, command)| is_meant(command, *idx)).peekable();
            if meant.peek().is_none() {
                return Err(unused(beginning.as_deref().unwrap_or_default()));
            }
            meant.for_each(|(_, command)| command.exit = *code);
        }
        for beginning in &self.left {
            let count = commands.len();
            commands.retain(|command| !command.text.starts_with(beginning));
            if commands.len() == count {
                return Err(unused(beginning));
            }
        }
        for command in commands {
            for Placeholder { text, value } in &self.placeholders {
                command.text = command.text.replace(text, value);
            }
        }
        Ok(())
    }
}

fn commands(block: &Block) -> Vec<Command> {
    let first = block.line + 1;
    match block.language.as_str() {
        "sh" => script(&block.lines, first),
        "console" => console(&block.lines, first),
        "yaml" => yaml(&block.lines, first),
        _ => Vec::new(),
    }
}

/// A command that ends with exit code 0 and whose output is not shown.
fn command(line: usize, text: &str) -> Command {
    Command { line, text: text.to_owned(), exit: 0, output: None }
}

/// Commands of a script; empty lines and comments are left out.
fn script(lines: &[String], first: usize) -> Vec<Command> {
    let mut found: Vec<Command> = Vec::new();
    let mut is_open = false;
    for (line, number) in lines.iter().zip(first..) {
        if is_open && let Some(open) = found.last_mut() {
            open.text = format!("{}\n{line}", open.text);
        } else if !line.trim().is_empty() && !line.trim_start().starts_with('#') {
            found.push(command(number, line));
        }
        is_open = line.ends_with('\\');
    }
    found
}

/// Commands with the output below each.
fn console(lines: &[String], first: usize) -> Vec<Command> {
    let mut found: Vec<Command> = Vec::new();
    for (line, number) in lines.iter().zip(first..) {
        if let Some(text) = line.strip_prefix("$ ") {
            found.push(command(number, text));
        } else if let Some(last) = found.last_mut() {
            last.output.get_or_insert_default().push(line.clone());
        }
    }
    found
}

/// Commands of jobs.
fn yaml(lines: &[String], first: usize) -> Vec<Command> {
    let mut found = Vec::new();
    let mut is_script = false;
    for (line, number) in lines.iter().zip(first..) {
        let text = line.trim_start();
        let item = text.strip_prefix("- ");
        if let Some(run) = item.unwrap_or(text).strip_prefix("run: ") {
            found.push(command(number, run));
        } else if let Some(item) = item.filter(|_| is_script) {
            found.push(command(number, item));
        } else {
            is_script = ["script:", "before_script:"].contains(&text);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// Lines and texts of the commands of a page's first block.
    fn found(text: &str) -> Result<Option<Action>, String> {
        let page = Page::of(Path::new("page.md"), text);
        action(&page, &page.blocks[0])
    }

    #[test]
    fn commands_are_found_in_every_language() {
        let sh = found("<!-- exit 1: on purpose -->\n```sh\n# one\na \\\n  b\n\nc\n```\n");
        let last = Command { exit: 1, ..command(7, "c") };
        assert_eq!(sh, Ok(Some(Action::Run(vec![command(4, "a \\\n  b"), last]))));
        let sh = found("<!-- exit 1 `a`: on purpose -->\n```sh\na b\nc\n```\n");
        let first = Command { exit: 1, ..command(3, "a b") };
        assert_eq!(sh, Ok(Some(Action::Run(vec![first, command(4, "c")]))));
        let console = found("<!-- setup:\nx\ny\n-->\n```console\n$ a\n1\n2\n$ b\n```\n");
        let shown = Command { output: Some(vec!["1".into(), "2".into()]), ..command(6, "a") };
        let expected = vec![command(1, "set -e\nx\ny\nset +e"), shown, command(9, "b")];
        assert_eq!(console, Ok(Some(Action::Run(expected))));
        let yaml = "script:\n    - a $N\n    - b\nname: c\nsteps:\n  - run: d $N\n  - name: e\n    run: f\n";
        let yaml =
            found(&format!("<!-- not run `b`: no -->\n<!-- with $N: 1 -->\n```yaml\n{yaml}```\n"));
        let expected = vec![command(5, "a 1"), command(9, "d 1"), command(11, "f")];
        assert_eq!(yaml, Ok(Some(Action::Run(expected))));
        assert_eq!(found("```yaml\na: 1\n```\n"), Ok(None));
    }

    #[test]
    fn every_block_of_the_documentation_can_be_read() {
        let root = crate::build::root();
        let pages = crate::docs::links::read_all(&root).expect("the pages can be read");
        let mut count = 0;
        for page in pages.values() {
            for block in &page.blocks {
                let action = action(page, block).unwrap_or_else(|message| panic!("{message}"));
                count += usize::from(matches!(action, Some(Action::Run(_))));
            }
        }
        assert!(count > 20, "{count} blocks have commands");
    }

    #[test]
    fn wrong_comments_are_errors_with_their_line() {
        for wrong in [
            "<!-- not run -->\n```sh\na\n```\n",
            "<!-- not run: -->\n```sh\na\n```\n",
            "<!-- exit x: y -->\n```sh\na\n```\n",
            "<!-- note: y -->\n```sh\na\n```\n",
            "<!-- not run `b`: c -->\n```sh\na\n```\n",
            "<!-- exit 1 `b`: c -->\n```sh\na\n```\n",
            "```sh\n# a\n```\n",
            "<!-- exit 1: y -->\n```text\na\n```\n",
        ] {
            let message = found(wrong).expect_err(wrong);
            assert!(
                message.starts_with("page.md:1: ") || message.starts_with("page.md:2: "),
                "{message}"
            );
        }
    }
}
