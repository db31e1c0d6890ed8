//! Runs the blocks of code of a page, in order, in one new folder.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use super::blocks::{Action, Command, action};
use super::output;
use super::page::{Block, Page};

/// Seconds after which a block is stopped.
const LIMIT: u32 = 600;

/// Exit code of `timeout` for a block that was stopped.
const STOPPED: i32 = 124;

/// Lines of a command's output that a message shows at most.
const MAX_LINES: usize = 60;

/// Variables that change what the program does, and that a reader's shell need not have.
const REMOVED: [&str; 3] = ["CI", "GITHUB_ACTIONS", "INTERSTAGE_ADAPTER"];

/// The environment of all commands.
#[derive(Debug)]
pub(super) struct Shell {
    /// Root of the repository, in the commands `$REPOSITORY`.
    repository: PathBuf,
    /// The variable `PATH`, with the built program first.
    path: std::ffi::OsString,
    speed: Speed,
}

/// Whether slow blocks run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speed {
    /// They do not.
    Fast,
    /// They do.
    Slow,
}

/// What became of a page.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Number of commands that ran.
    pub(super) commands: usize,
    /// Number of blocks that are excerpts.
    pub(super) left: usize,
    /// What is wrong.
    pub(super) failures: Vec<String>,
}

impl Shell {
    /// The environment with this program.
    pub(super) fn new(root: &Path, program: &Path, speed: Speed) -> Result<Self, String> {
        let repository = root.canonicalize().map_err(|error| error.to_string())?;
        let folder = program.parent().ok_or("the program has no folder")?.to_owned();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::iter::once(folder).chain(std::env::split_paths(&path));
        let path = std::env::join_paths(path).map_err(|error| error.to_string())?;
        Ok(Self { repository, path, speed })
    }

    /// Runs all blocks of the page. A block that fails ends the page, because later blocks rely on it.
    pub(super) fn check(&self, page: &Page) -> Outcome {
        let mut outcome = Outcome::default();
        let result = tempfile::tempdir().map_err(|error| error.to_string()).and_then(|folder| {
            let folder = Folder { shell: self, page, path: folder.path() };
            page.blocks.iter().try_for_each(|block| folder.check(block, &mut outcome))
        });
        outcome.failures.extend(result.err());
        outcome
    }
}

/// The folder of a page.
struct Folder<'a> {
    shell: &'a Shell,
    page: &'a Page,
    path: &'a Path,
}

impl Folder<'_> {
    fn check(&self, block: &Block, outcome: &mut Outcome) -> Result<(), String> {
        let about = |message: String| format!("{}: {message}", self.page.place(block.line));
        match action(self.page, block)? {
            None => {}
            Some(Action::RunSlowly(commands)) if self.shell.speed == Speed::Slow => {
                outcome.commands += commands.len();
                self.run(block, &commands)?;
            }
            Some(Action::Leave | Action::RunSlowly(_)) => outcome.left += 1,
            Some(Action::Write { path, text }) => {
                let file = self.path.join(&path);
                let folder = file.parent().unwrap_or(self.path);
                std::fs::create_dir_all(folder).map_err(|error| about(error.to_string()))?;
                std::fs::write(&file, text).map_err(|error| about(format!("{path}: {error}")))?;
            }
            Some(Action::Compare { path, text }) => {
                let actual = std::fs::read_to_string(self.path.join(&path))
                    .map_err(|error| about(format!("{path}: {error}")))?;
                if actual != text {
                    return Err(about(format!("{path} contains\n{actual}")));
                }
            }
            Some(Action::Run(commands)) => {
                outcome.commands += commands.len();
                self.run(block, &commands)?;
            }
        }
        Ok(())
    }

    /// Runs the commands of a block in one shell, so that variables and functions last until its end.
    fn run(&self, block: &Block, commands: &[Command]) -> Result<(), String> {
        let about = |message: &str| format!("{}: {message}", self.page.place(block.line));
        let state = tempfile::tempdir().map_err(|error| about(&error.to_string()))?;
        let script = state.path().join("script");
        std::fs::write(&script, text_of(commands)).map_err(|error| about(&error.to_string()))?;
        let mut process = Process::new("timeout");
        process
            .args(["--kill-after=5", &LIMIT.to_string(), "bash"])
            .arg(&script)
            .current_dir(self.path);
        for variable in REMOVED {
            process.env_remove(variable);
        }
        process.env("PATH", &self.shell.path).env("REPOSITORY", &self.shell.repository);
        process.env("STATE", state.path()).stdin(Stdio::null());
        let ended = process.output().map_err(|error| about(&format!("cannot run: {error}")))?;
        for (idx, command) in commands.iter().enumerate() {
            let read = |name: &str| {
                let bytes = std::fs::read(state.path().join(format!("{idx}.{name}")));
                bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            };
            let printed = read("output").unwrap_or_default();
            let Ok(code) = read("code") else {
                let told = String::from_utf8_lossy(&ended.stderr);
                let reason = match ended.status.code() {
                    Some(STOPPED) => format!("the block takes more than {LIMIT} s"),
                    Some(code) => format!("ended the block with exit code {code}"),
                    None => "the block was killed".to_owned(),
                };
                return Err(self.failure(command, &reason, &format!("{printed}{told}")));
            };
            if code.trim() != command.exit.to_string() {
                let reason = format!("exit code {}, expected {}", code.trim(), command.exit);
                return Err(self.failure(command, &reason, &printed));
            }
            if let Some(expected) = &command.output
                && !output::fits(expected, &printed)
            {
                let reason = "the page shows another output than this";
                return Err(self.failure(command, reason, &printed));
            }
        }
        Ok(())
    }

    fn failure(&self, command: &Command, reason: &str, printed: &str) -> String {
        let place = self.page.place(command.line);
        let shown = command.text.trim_start_matches("set -e\n").trim_end_matches("\nset +e");
        let mut text = format!("{place}: {reason}\n  $ {}", shown.replace('\n', "\n    "));
        let count = printed.lines().count();
        for line in printed.lines().take(MAX_LINES) {
            let _ = write!(text, "\n  {line}");
        }
        if count > MAX_LINES {
            let _ = write!(text, "\n  … and {} more lines", count - MAX_LINES);
        }
        text
    }
}

/// The script of a block: it records the output and the exit code of every command, and ends at the first one that is
/// not as expected.
fn text_of(commands: &[Command]) -> String {
    let mut text = String::new();
    for (idx, Command { text: command, exit, .. }) in commands.iter().enumerate() {
        let _ = write!(
            text,
            "{{\n{command}\n}} > \"$STATE/{idx}.output\" 2>&1\n\
            code=$?; echo $code > \"$STATE/{idx}.code\"; [ $code = {exit} ] || exit 0\n"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is wrong with a page.
    fn failures(text: &str) -> Vec<String> {
        let root = crate::build::root();
        let program = Path::new("/nonexistent/program");
        let shell = Shell::new(&root, program, Speed::Fast).expect("the root is there");
        shell.check(&Page::of(Path::new("docs/page.md"), text)).failures
    }

    #[test]
    fn a_page_whose_commands_work_has_no_failures() {
        let page = "\
<!-- file: a/b.txt -->
```text
one
two
```

```console
$ cd a && cat b.txt
one
…
```

<!-- exit 2: there is no such file -->
```sh
x=3     # lasts until the end of the block
echo \"$x\" \\
    > c.txt
ls d.txt
```

<!-- not run: needs a GPU -->
```sh
false
```

<!-- slow: takes hours -->
```sh
false
```

<!-- shows: c.txt -->
```text
3
```
";
        assert_eq!(failures(page), [""; 0]);
    }

    #[test]
    fn a_command_that_fails_is_reported_with_its_line_and_output() {
        let page =
            "# Title\n\n```sh\ntrue\necho told; false\necho later\n```\n\n```sh\nfalse\n```\n";
        let expected = "docs/page.md:5: exit code 1, expected 0\n  $ echo told; false\n  told";
        assert_eq!(failures(page), [expected]);
        let passes = page.replace("; false", "").replace("```sh\nfalse", "```sh\ntrue");
        assert_eq!(failures(&passes), [""; 0]);
    }

    #[test]
    fn what_a_page_announces_must_happen() {
        let exit = failures("<!-- exit 1: fails -->\n```sh\ntrue\n```\n");
        assert_eq!(exit, ["docs/page.md:3: exit code 0, expected 1\n  $ true"]);
        let output = failures("```console\n$ echo 1\n2\n```\n");
        let expected = "docs/page.md:2: the page shows another output than this\n  $ echo 1\n  1";
        assert_eq!(output, [expected]);
        let file = failures(
            "<!-- setup: echo 1 > a -->\n```sh\ntrue\n```\n<!-- shows: a -->\n```text\n2\n```\n",
        );
        assert_eq!(file, ["docs/page.md:6: a contains\n1\n"]);
        let setup = failures("<!-- setup:\nls nothing\ntrue -->\n```sh\ntrue\n```\n");
        assert!(
            setup[0]
                .starts_with("docs/page.md:1: ended the block with exit code 2\n  $ ls nothing")
        );
        let syntax = failures("```sh\nif\n```\n");
        assert!(syntax[0].starts_with("docs/page.md:2: "), "{syntax:?}");
        assert!(syntax[0].contains("syntax error"), "{syntax:?}");
    }
}
