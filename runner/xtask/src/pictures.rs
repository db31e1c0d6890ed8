//! `cargo xtask pictures`: regenerates the pictures of README.md, from a run of two folders of cases, two of which are
//! changed so that they fail.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::machine;
use crate::step::say;

/// The cases that are run.
const FOLDERS: [&str; 2] = ["cases/varying", "cases/target"];

/// Changes that make cases fail: file, text, replacement.
const CHANGES: [[&str; 3]; 2] = [
    ["cases/varying/double_parked_vec3.shader_test", "d 1.w 2.xy", "d 1.w 2.yz"],
    ["cases/target/golden_of_a_disc.shader_test", "length(v) < 0.75", "length(v) < 0.6"],
];

/// The case that the picture of the report shows.
const SHOWN: &str = "cases/target/golden_of_a_disc.shader_test";

const STYLE: &str = "body { margin: 0; padding: 16px 20px; background: #16181d; color: #d6dae2; \
    font: 13px/1.45 \"DejaVu Sans Mono\", monospace } pre { margin: 0; font: inherit } \
    .c1 { font-weight: bold } .c2 { color: #9aa3b2 } .c31 { color: #ff7b78 } .c32 { color: #7fd58a } \
    .c33 { color: #e5b454 } .c36 { color: #6cc7d6 }";

/// Width and height of one character in the picture of the terminal, and the margin around the text.
const CHARACTER: [f64; 2] = [7.83, 18.85];
const AROUND: [f64; 2] = [40.0, 34.0];

/// Draws the pictures. The only option is `--program PATH`, another build of the program.
pub(crate) fn run(arguments: &[String], root: &Path) -> Result<(), String> {
    let program = match arguments {
        [] => {
            crate::build::build_program()?;
            crate::build::program()
        }
        [option, path] if option == "--program" => PathBuf::from(path),
        _ => return Err("the only option is `--program PATH`".to_owned()),
    };
    let folder = root.join("target/pictures");
    prepare(&folder, root)?;
    let printed = run_cases(&program, &folder)?;
    let terminal = folder.join("terminal.html");
    write(&terminal, &page(&printed))?;
    let images = root.join("docs/images");
    let (columns, lines) = size(&printed);
    let size = [columns * CHARACTER[0] + AROUND[0], lines * CHARACTER[1] + AROUND[1]];
    draw(&terminal, "", size, &images.join("failing-case.png"))?;
    let report = folder.join("results/index.html");
    draw(&report, &format!("#case={SHOWN}"), [1280.0, 900.0], &images.join("report.png"))
}

/// Creates a folder with the cases, two of them changed, and their goldens.
fn prepare(folder: &Path, root: &Path) -> Result<(), String> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(|error| error.to_string())?;
    }
    for name in FOLDERS.iter().chain(&["golden/target"]) {
        copy(&root.join(name), &folder.join(name)).map_err(|error| format!("{name}: {error}"))?;
    }
    for [file, text, other] in CHANGES {
        let path = folder.join(file);
        let case = std::fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
        if !case.contains(text) {
            return Err(format!("{file} has no `{text}` any more; change CHANGES"));
        }
        write(&path, &case.replace(text, other))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in from.read_dir()? {
        let entry = entry?;
        let (path, copy_at) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy(&path, &copy_at)?;
        } else {
            std::fs::copy(&path, &copy_at)?;
        }
    }
    Ok(())
}

/// Returns the terminal output of the run.
fn run_cases(program: &Path, folder: &Path) -> Result<String, String> {
    let program = program.canonicalize().map_err(|error| error.to_string())?;
    let bin = program.parent().ok_or("the program has no folder")?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(bin.to_owned()).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(path).map_err(|error| error.to_string())?;
    let arguments =
        ["run", FOLDERS[0], FOLDERS[1], "--adapter", "vulkan:0", "--results", "results"];
    let output = Command::new("interstage")
        .args(arguments)
        .current_dir(folder)
        .env("PATH", path)
        .env("TERM", "xterm-256color")
        .env("CLICOLOR_FORCE", "1")
        .env_remove("NO_COLOR")
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.code() != Some(1) {
        return Err(format!("the run ended with {}", output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(format!("\u{1b}[32m$\u{1b}[0m interstage {}\n{}", arguments.join(" "), text.trim_end()))
}

/// A page that looks like the terminal.
fn page(printed: &str) -> String {
    format!("<!doctype html><meta charset=utf-8><style>{STYLE}</style><pre>{}</pre>", html(printed))
}

/// Converts a terminal's colour codes to HTML elements.
fn html(text: &str) -> String {
    let mut html = String::new();
    let mut open = 0;
    for (number, part) in text.split("\u{1b}[").enumerate() {
        let (codes, rest) = if number == 0 { ("", part) } else { split_codes(part) };
        for code in codes.split(';').filter(|code| !code.is_empty()) {
            if code == "0" {
                html.push_str(&"</span>".repeat(open));
                open = 0;
            } else {
                let _ = write!(html, "<span class=c{code}>");
                open += 1;
            }
        }
        html.push_str(&rest.replace('&', "&amp;").replace('<', "&lt;"));
    }
    html + &"</span>".repeat(open)
}

fn split_codes(part: &str) -> (&str, &str) {
    part.split_once('m').unwrap_or(("", part))
}

/// Width and height of the text in columns and lines.
fn size(text: &str) -> (f64, f64) {
    let plain = |line: &str| -> usize {
        let parts = line.split("\u{1b}[").enumerate();
        parts
            .map(|(number, part)| if number == 0 { part } else { split_codes(part).1 })
            .map(|part| part.chars().count())
            .sum()
    };
    let columns = text.lines().map(plain).max().unwrap_or(0);
    let count = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    (count(columns), count(text.lines().count()))
}

/// Renders a page in Chromium.
fn draw(page: &Path, address: &str, [width, height]: [f64; 2], image: &Path) -> Result<(), String> {
    let browser = machine::chromium().ok_or("no Chromium; name one in CHROME")?;
    let page = page.canonicalize().map_err(|error| error.to_string())?;
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"])
        .arg("--virtual-time-budget=10000")
        .arg(format!("--window-size={width:.0},{height:.0}"))
        .arg(format!("--screenshot={}", image.display()))
        .arg(format!("file://{}{address}", page.display()))
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    say(&image.display().to_string());
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_become_elements_and_text_no_markup() {
        let text = "\u{1b}[1m\u{1b}[31mFAIL\u{1b}[0m a<b";
        assert_eq!(html(text), "<span class=c1><span class=c31>FAIL</span></span> a&lt;b");
        assert_eq!(html("\u{1b}[1;2mx"), "<span class=c1><span class=c2>x</span></span>");
        assert_eq!(size(text), (8.0, 1.0));
    }
}
