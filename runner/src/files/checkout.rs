//! A checkout of wgpu whose naga program is a compiler under test.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, anyhow, bail};
use serde::Deserialize;

/// A message of cargo, as far as it names a program.
#[derive(Debug, Deserialize)]
struct Message {
    target: Option<Target>,
    executable: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
struct Target {
    name: String,
}

/// Builds naga's program in the checkout `folder`, with optimisations. cargo's own messages go to stderr.
///
/// # Errors
/// cargo is missing or fails, or builds no program `naga`.
pub fn build(folder: &Path) -> anyhow::Result<PathBuf> {
    let shown = folder.display();
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--release", "--package", "naga-cli", "--bin", "naga"]);
    cargo.args(["--message-format", "json-render-diagnostics"]).current_dir(folder);
    let output = cargo.stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("cannot start cargo in {shown}"))?;
    if !output.status.success() {
        bail!("cargo cannot build naga in {shown}");
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let built = executable(&messages).ok_or_else(|| anyhow!("cargo built no naga in {shown}"))?;
    Ok(folder.join(built))
}

/// The program that cargo's messages name.
fn executable(messages: &str) -> Option<PathBuf> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Message>(line).ok());
    let is_naga = |message: &Message| message.target.as_ref().is_some_and(|it| it.name == "naga");
    messages.filter(is_naga).filter_map(|message| message.executable).next_back()
}

/// The commit of the checkout `folder`, marked if files differ from it; empty if git does not know.
pub fn revision(folder: &Path) -> String {
    let mut git = Command::new("git");
    git.args(["describe", "--always", "--dirty", "--exclude=*"]).current_dir(folder);
    let output = git.stderr(Stdio::null()).output().ok().filter(|output| output.status.success());
    output.map_or_else(String::new, |output| {
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_in_cargos_messages() {
        let text = r#"{"reason":"compiler-artifact","target":{"name":"naga"},"executable":null}
   Compiling naga
{"reason":"compiler-artifact","target":{"name":"other"},"executable":"/x/other"}
{"reason":"compiler-artifact","target":{"name":"naga"},"executable":"/x/release/naga"}
{"reason":"build-finished","success":true}"#;
        assert_eq!(executable(text), Some(PathBuf::from("/x/release/naga")));
        assert_eq!(executable(text.lines().next().unwrap_or_default()), None);
    }
}
