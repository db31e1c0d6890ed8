//! The scripts of the action for GitHub, with a release that is made here and a program that is a script.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const VERSION: &str = "1.2.3";
const ARCHIVE: &str = "interstage-1.2.3-x86_64-unknown-linux-gnu.tar.gz";

/// A case that needs no adapter and passes.
const GOOD: &str = "\
[vertex shader]
#version 450
layout(location = 0) in vec4 position;
out vec2 uv;
void main() { gl_Position = position; uv = position.xy; }

[fragment shader]
#version 450
in vec2 uv;
out vec4 color;
void main() { color = vec4(uv, 0.0, 1.0); }

[link]
slots 1
";

/// A program that writes its arguments to the file that `SEEN` names, and counts as interstage does.
const PROGRAM: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then echo "interstage 1.2.3"; exit; fi
printf '%s\n' "$@" > "$SEEN"
echo "$MESA_SHADER_CACHE_DIR" >> "$SEEN"
mkdir -p "$3"
echo '<testsuites name="interstage" tests="9" skipped="2" failures="3" errors="1">' > "$3/junit.xml"
if [ -n "$WAITS" ]; then trap 'echo ended > "$WAITS.ended"; exit 3' TERM; echo > "$WAITS"; for _ in $(seq 400); do sleep 0.05; done; fi
exit "${CODE:-0}"
"#;

/// A runner of GitHub, with releases that `file:` addresses lead to.
struct Runner {
    folder: TempDir,
}

/// Result of a script.
struct Step {
    code: Option<i32>,
    stderr: String,
    outputs: BTreeMap<String, String>,
}

impl Runner {
    fn new() -> Self {
        let runner =
            Self { folder: tempfile::tempdir().expect("the system has room for temporary files") };
        runner.write("bin/ldd", "#!/bin/sh\necho 'ldd (GNU libc) 2.36'\n");
        let program = format!("archive/{}/interstage", ARCHIVE.trim_end_matches(".tar.gz"));
        runner.write(&program, PROGRAM);
        runner.write(&format!("download/v{VERSION}/README"), "");
        runner.shell("tar -C archive -czf download/v1.2.3/$ARCHIVE ${ARCHIVE%.tar.gz}");
        runner.list_checksums();
        runner
    }

    /// Writes the checksums of the release, which is the newest.
    fn list_checksums(&self) {
        self.write("latest/download/README", "");
        self.shell(
            "cd download/v1.2.3 && echo \"$(sha256 $ARCHIVE)  $ARCHIVE\" > SHA256SUMS \
             && cp SHA256SUMS ../../latest/download",
        );
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes an executable file.
    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("it lies in the folder"))
            .expect("the folder is ours");
        std::fs::write(&path, text).expect("the folder is ours");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(path, mode).expect("the file is ours");
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Runs a line of bash, with the functions of the action.
    fn shell(&self, line: &str) {
        let text = format!("source '{}' && {line}", script("lib").display());
        let mut command = Command::new("bash");
        command.args(["-c", &text]).env("ARCHIVE", ARCHIVE).current_dir(self.folder.path());
        assert!(command.status().expect("bash is installed").success(), "{line}");
    }

    /// A script of the action with the inputs that action.yml gives it, of which some are set otherwise.
    fn command(&self, name: &str, set: &[(&str, &str)]) -> Command {
        let releases = format!("file://{}", self.folder.path().display());
        let path = std::env::var("PATH").expect("the tests run with it");
        let mut command = Command::new("bash");
        command.arg(script(name)).current_dir(self.folder.path());
        for name in ["VERSION", "PROGRAM", "PATHS", "ADAPTER", "ARGS", "SHADERS", "CI"] {
            command.env(name, "");
        }
        command.envs([("MESA", "false"), ("CACHE", "true"), ("INSTALL_ONLY", "false")]);
        command.envs([("RUNNER_OS", "Linux"), ("RUNNER_ARCH", "X64"), ("RESULTS", "results")]);
        command.env("PATH", format!("{}:{path}", self.path("bin").display()));
        command.env("RELEASES", releases).env("RUNNER_TEMP", self.path("temp"));
        command.env("GITHUB_OUTPUT", self.path("output")).env("GITHUB_PATH", self.path("paths"));
        command.env("SEEN", self.path("seen")).env_remove("GITHUB_STEP_SUMMARY");
        command.envs(set.iter().copied());
        command
    }

    /// Runs a script of the action.
    fn step(&self, name: &str, set: &[(&str, &str)]) -> Step {
        std::fs::write(self.path("output"), "").expect("the folder is ours");
        self.ended(self.command(name, set).output().expect("bash is installed"))
    }

    fn ended(&self, output: Output) -> Step {
        let lines = self.read("output");
        let outputs = lines.lines().filter_map(|line| line.split_once('='));
        let outputs = outputs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        Step { code: output.status.code(), stderr, outputs }
    }

    /// Runs `install.sh` with the outputs of a successful `resolve.sh`.
    fn install(&self, found: &Step) -> Step {
        assert_eq!(found.code, Some(0), "{}", found.stderr);
        let set = [
            ("VERSION", found.output("version")),
            ("ARCHIVE", found.output("archive")),
            ("CHECKSUM", found.output("checksum")),
        ];
        self.step("install", &set)
    }

    /// Runs a script that must fail as the action does for wrong use.
    #[track_caller]
    fn fails(&self, name: &str, set: &[(&str, &str)], message: &str) {
        self.step(name, set).is_refused(message);
    }
}

impl Step {
    /// An output, or the empty text, as in an expression of GitHub.
    fn output(&self, name: &str) -> &str {
        self.outputs.get(name).map_or("", String::as_str)
    }

    #[track_caller]
    fn is_refused(&self, message: &str) {
        assert_eq!(self.code, Some(3), "{}", self.stderr);
        let annotation =
            self.stderr.lines().find(|line| line.starts_with("::error title=")).unwrap_or_default();
        assert!(annotation.contains(message), "{}", self.stderr);
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn script(name: &str) -> PathBuf {
    root().join(format!(".github/action/{name}.sh"))
}

#[test]
fn the_newest_release_is_installed_and_runs() {
    let runner = Runner::new();
    let found = runner.step("resolve", &[]);
    assert_eq!(found.output("version"), VERSION);
    assert_eq!(found.output("archive"), ARCHIVE);
    let installed = runner.install(&found);
    let program = installed.output("program").to_owned();
    assert!(program.ends_with("/interstage"), "{}", installed.stderr);
    assert_eq!(runner.read("paths").trim_end(), program.trim_end_matches("/interstage"));
    let set = [
        ("PROGRAM", program.as_str()),
        ("PATHS", "cases\r\nmy cases\n-odd\n"),
        ("ADAPTER", "vulkan:0"),
        ("ARGS", "--quiet\r\n  --shard 1/4 -t .*\n"),
        ("SHADERS", "shaders"),
        ("CODE", "2"),
    ];
    let ran = runner.step("run", &set);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    let outputs = ["results", "passed", "failed", "exit-code"].map(|name| ran.output(name));
    assert_eq!(outputs, ["results", "3", "4", "2"]);
    let seen = [
        "run --results results --adapter vulkan:0 --quiet --shard 1/4 -t .* --",
        "cases|my cases|-odd|shaders|",
    ];
    assert_eq!(runner.read("seen").replace('\n', "|"), seen.join(" ").replacen(' ', "|", 11));
    runner.fails("run", &set, "`results` has the results of another run");
}

#[test]
fn a_version_is_written_with_or_without_its_letter() {
    let runner = Runner::new();
    for version in ["1.2.3", "v1.2.3", "latest"] {
        let found = runner.step("resolve", &[("VERSION", version)]);
        assert_eq!(found.output("version"), VERSION, "{}", found.stderr);
    }
}

#[test]
fn inputs_that_cannot_be_followed_are_errors() {
    let runner = Runner::new();
    let check = |set: &[(&str, &str)], message: &str| runner.fails("resolve", set, message);
    check(&[("VERSION", "9.9.9")], "there is no release `v9.9.9`");
    check(&[("VERSION", "1.2/../x")], "`1.2/../x` is no version such as `0.1.0`, nor `latest`");
    check(&[("VERSION", "1.2.3"), ("PROGRAM", "x")], "`version` and `path` exclude each other");
    check(&[("MESA", "yes")], "input `mesa` is `true` or `false`, not `yes`");
    check(&[("CACHE", "a\nb%")], "input `cache` is `true` or `false`, not `a%0Ab%25`");
    check(&[("RUNNER_ARCH", "ARM64")], "has no archive for aarch64-unknown-linux-gnu");
    check(&[("RUNNER_OS", "Windows"), ("RUNNER_ARCH", "X86")], "a program for Windows-X86");
    runner.write("bin/ldd", "#!/bin/sh\necho 'musl libc (aarch64)' >&2; exit 1\n");
    check(&[("RUNNER_ARCH", "ARM64")], "a program for Linux-ARM64-musl");
    check(&[], "has no archive for x86_64-unknown-linux-musl");
    runner.fails("install", &[("PROGRAM", "x")], "there is no file `x`");
    let set = [("PROGRAM", "x"), ("ARGS", "-t 'a b'")];
    runner.fails("run", &set, "has no quotes or backslashes: -t 'a b'");
    runner.fails("run", &[("PROGRAM", "x"), ("RESULTS", "")], "input `results` is empty");
    runner.fails("mesa", &[("RUNNER_OS", "macOS")], "on Linux only, not on macOS");
}

#[test]
fn releases_that_are_not_as_ours_are_errors() {
    let runner = Runner::new();
    let list = |text: &str| runner.write("latest/download/SHA256SUMS", text);
    let check = |message: &str| runner.fails("resolve", &[], message);
    list("");
    check("the release `latest` has no archive for x86_64-unknown-linux-gnu");
    list(&format!("0123  {ARCHIVE}\n"));
    check("has no checksum for interstage-1.2.3-x86_64-unknown-linux-gnu.tar.gz but `0123`");
    let sum = "0".repeat(64);
    list(&format!("{sum}  {ARCHIVE}\n{sum} *{}\n", ARCHIVE.replace('3', "4")));
    check("two archives for x86_64-unknown-linux-gnu");
    list(&format!("{sum}  interstage-;x-x86_64-unknown-linux-gnu.zip\n"));
    check("names an archive without a version");
    runner.write("download/v1.2.4/SHA256SUMS", &format!("{sum}  {ARCHIVE}\n"));
    runner.fails("resolve", &[("VERSION", "1.2.4")], "has an archive of version 1.2.3");
    list(&format!("{sum}  {}\n", ARCHIVE.replace('3', "4")));
    let found = runner.step("resolve", &[]);
    let missing = runner.install(&found);
    missing.is_refused("the release v1.2.4 has no file");
}

#[test]
fn an_archive_that_was_changed_is_not_unpacked() {
    let runner = Runner::new();
    let found = runner.step("resolve", &[]);
    let archive = format!("temp/interstage/archive/{ARCHIVE}");
    // A cache may hold anything; it is then as if there were none.
    runner.write(&archive, "not what was released");
    assert_eq!(runner.install(&found).code, Some(0));
    std::fs::remove_file(runner.path(&archive)).unwrap();
    runner.write(&format!("download/v{VERSION}/{ARCHIVE}"), "changed");
    runner.install(&found).is_refused("but SHA256SUMS says");
    assert!(!runner.path(&archive).exists());
}

#[test]
fn a_missing_tool_is_named() {
    let runner = Runner::new();
    let link = "mkdir few && for tool in bash mkdir cut sha256sum shasum rm mv; do \
                ! path=$(command -v $tool) || ln -s $path few/$tool; done";
    runner.shell(link);
    let path = runner.path("few");
    let set = [("PATH", path.to_str().expect("the folder has a name in Unicode"))];
    runner.fails("resolve", &set, "needs `curl`, which is not installed");
}

#[test]
fn mesa_is_installed_where_it_is_missing() {
    let runner = Runner::new();
    runner.write("bin/apt-get", "#!/bin/sh\necho \"$1\" >> \"$SEEN\"\n[ \"$1\" != \"$BREAKS\" ]\n");
    runner.write("bin/sudo", "#!/bin/sh\nexec \"$@\"\n");
    let query =
        "#!/bin/sh\ncase \"$*\" in *Status*) echo \"$STATUS\" ;; *) echo 25.0.7-2 ;; esac\n";
    runner.write("bin/dpkg-query", query);
    runner.write("seen", "");
    let there = runner.step("mesa", &[("STATUS", "installed")]);
    assert!(there.output("key").starts_with("25.0.7-2-"), "{}", there.stderr);
    assert_eq!(runner.read("seen"), "");
    let missing = runner.step("mesa", &[("STATUS", "config-files")]);
    assert_eq!(missing.code, Some(0), "{}", missing.stderr);
    assert_eq!(runner.read("seen"), "update\ninstall\n");
    let set = [("STATUS", ""), ("BREAKS", "install")];
    runner.fails("mesa", &set, "`apt-get install mesa-vulkan-drivers");
}

#[test]
fn the_program_itself_keeps_its_exit_code_and_counts() {
    let runner = Runner::new();
    runner.write("cases/good.shader_test", GOOD);
    runner.write("cases/wrong.shader_test", &GOOD.replace("slots 1", "slots 2"));
    let installed = runner.step("install", &[("PROGRAM", env!("CARGO_BIN_EXE_interstage"))]);
    let program = ("PROGRAM", installed.output("program"));
    let ran = runner.step("run", &[program, ("ADAPTER", "none")]);
    let outputs = ["passed", "failed", "exit-code"].map(|name| ran.output(name));
    assert_eq!((ran.code, outputs), (Some(1), ["1", "1", "1"]), "{}", ran.stderr);
    // A run that does not begin has no counts.
    let ran = runner.step("run", &[program, ("PATHS", "nowhere"), ("RESULTS", "others")]);
    let outputs = ["passed", "failed", "exit-code"].map(|name| ran.output(name));
    assert_eq!((ran.code, outputs), (Some(3), ["", "", "3"]), "{}", ran.stderr);
}

/// A cancelled job has results.
#[test]
fn a_signal_reaches_the_program() {
    let runner = Runner::new();
    runner.write("output", "");
    let waits = runner.path("waits");
    let program =
        runner.path(&format!("archive/{}/interstage", ARCHIVE.trim_end_matches(".tar.gz")));
    let mut command = runner.command("run", &[]);
    command.env("PROGRAM", program).env("WAITS", &waits).stderr(Stdio::piped());
    let mut child = command.spawn().expect("bash is installed");
    while !waits.exists() && child.try_wait().expect("it was started").is_none() {
        std::thread::yield_now();
    }
    runner.shell(&format!("kill -TERM {}", child.id()));
    let ran = runner.ended(child.wait_with_output().expect("it was started"));
    assert_eq!((ran.code, ran.output("exit-code")), (Some(3), "3"), "{}", ran.stderr);
    assert_eq!(runner.read("waits.ended"), "ended\n");
    assert_eq!(ran.output("passed"), "3");
}

/// The inputs and outputs of action.yml are those of the tables in docs/ci.md, and its scripts exist.
#[test]
fn the_action_is_documented() {
    let text = std::fs::read_to_string(root().join("action.yml")).expect("the file is there");
    let guide = std::fs::read_to_string(root().join("docs/ci.md")).expect("the page is there");
    let names = |section: &str| {
        let lines = text.lines().skip_while(|line| line.trim_end_matches(':') != section).skip(1);
        let lines = lines.take_while(|line| line.is_empty() || line.starts_with(' '));
        let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        names.map(|line| line.trim().trim_end_matches(':').to_owned()).collect::<Vec<_>>()
    };
    for (section, head) in [("inputs", "| input |"), ("outputs", "| output |")] {
        let rows = guide.lines().skip_while(|line| !line.starts_with(head)).skip(2);
        let rows = rows.map_while(|line| line.strip_prefix("| `")?.split('`').next());
        assert_eq!(rows.collect::<Vec<_>>(), names(section), "{section}");
    }
    let scripts = text.lines().filter_map(|line| line.split("/.github/action/").nth(1));
    let scripts: Vec<_> = scripts.map(|rest| rest.trim_end_matches(".sh\"")).collect();
    assert_eq!(scripts, ["resolve", "install", "mesa", "run"]);
    assert!(scripts.iter().all(|name| script(name).exists()));
}
