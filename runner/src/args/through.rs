//! Options that name other compilers.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use interstage::through::{self, Language, Step};

use super::ADAPTER;
use crate::files::checkout;
use crate::project::settings::FILE;

/// Word that stands for no compiler.
const NONE: &str = "none";

/// Compilers between the linker and the driver.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = ADAPTER)]
pub struct ThroughOptions {
    /// Compile every stage through another compiler: `naga`, `tint`, `spirv-opt`, `dxc`, `glslang` or `spirv-cross`,
    /// with a path and options if needed (`spirv-opt=/opt/bin/spirv-opt:-Os`; for naga also a checkout of wgpu), or any
    /// command with `{in}` and `{out}`. Several are called in this order. `none` overrides interstage.toml. Needs a
    /// Vulkan adapter
    #[arg(long, value_name = "COMPILER")]
    pub through: Vec<String>,
    /// Language that commands of `--through` read
    #[arg(long, value_name = "LANGUAGE", value_parser = language)]
    pub through_language: Option<Language>,
    /// Settings of `interstage.toml` about compilers.
    #[arg(skip)]
    pub project: OfProject,
}

/// Settings of a project about the compilers of a command.
#[derive(Clone, Debug, Default)]
pub struct OfProject {
    /// Root of the project, if its settings name the compilers: their paths are relative to it.
    pub root: Option<PathBuf>,
    /// Language that the commands of these settings read, unless the command line names one.
    pub language: Option<Language>,
    /// True if the settings name compilers that this command leaves out or replaces.
    pub is_overridden: bool,
}

impl ThroughOptions {
    /// The compilers.
    ///
    /// # Errors
    /// One of them is unknown, its command is wrong, there is no such program, it cannot be built, one does not read
    /// what the one before it writes, or the language is for none of them.
    pub fn steps(&self) -> anyhow::Result<Vec<Step>> {
        let is_none = self.through == [NONE];
        let wanted = if is_none { &[][..] } else { &self.through };
        let steps: Vec<_> = wanted.iter().map(|text| self.step(text)).collect::<Result<_, _>>()?;
        if self.language().is_some() {
            let option = self.name_of_language();
            if wanted.is_empty() {
                let needed = if self.through_language.is_some() { "--through" } else { "through" };
                return Err(anyhow!("{option} needs {needed}"));
            }
            if !steps.iter().any(|step| step.given_language().is_some()) {
                let message = "is for commands with `{in}` and `{out}`, and there is none";
                return Err(anyhow!("{option} {message}"));
            }
        }
        through::check(&steps).map_err(|error| self.mistake(&error.to_string()))?;
        Ok(steps)
    }

    /// The language of the commands: that of the command line, or else that of the settings.
    fn language(&self) -> Option<Language> {
        self.through_language.or(self.project.language)
    }

    /// Name of the option, or of the setting, that gives the language.
    fn name_of_language(&self) -> String {
        match &self.project.root {
            Some(root) if self.through_language.is_none() => {
                format!("{}: through-language", root.join(FILE).display())
            }
            Some(_) | None => "--through-language".to_owned(),
        }
    }

    /// An error about the compilers, which begins with the option or the setting that names them.
    fn mistake(&self, reason: &str) -> anyhow::Error {
        match &self.project.root {
            Some(root) => anyhow!("{}: through: {reason}", root.join(FILE).display()),
            None => anyhow!("--through: {reason}"),
        }
    }

    fn step(&self, text: &str) -> anyhow::Result<Step> {
        let mistake = |reason: String| self.mistake(&reason);
        let step = Step::of_text(text, self.language());
        let step = step.map_err(|error| mistake(error.to_string()))?;
        let step = match &self.project.root {
            Some(folder) => step.relative_to(folder),
            None => step,
        };
        let folder = Path::new(step.program()).to_owned();
        if folder.is_dir() {
            if step.name() != "naga" {
                return Err(mistake(format!("{} is a folder", folder.display())));
            }
            let program =
                checkout::build(&folder).map_err(|error| mistake(format!("{error:#}")))?;
            let built = step.with_program(&program).identified();
            return Ok(built.with_revision(&checkout::revision(&folder)));
        }
        match step.file() {
            Some(_) => Ok(step.identified()),
            None => Err(mistake(no_program(&step))),
        }
    }
}

/// Why a program cannot be started.
fn no_program(step: &Step) -> String {
    let program = step.program();
    if Path::new(program).components().count() > 1 {
        return format!("`{program}` does not exist");
    }
    let no_shell = if program.starts_with(['~', '$']) || program.contains('=') {
        "; no shell reads the command"
    } else {
        ""
    };
    format!("`{program}` is not in PATH{no_shell}")
}

fn language(text: &str) -> Result<Language, String> {
    let known = Language::ALL.into_iter().find(|(name, _)| *name == text);
    let names = || Language::ALL.map(|(name, _)| name).join(", ");
    known.map(|(_, language)| language).ok_or_else(|| format!("the languages are {}", names()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_name_the_option() {
        let of = |text: &str| ThroughOptions {
            through: vec![text.to_owned()],
            ..ThroughOptions::default()
        };
        let told = of("cp {in} x").steps().expect_err("a mistake").to_string();
        assert_eq!(told, "--through: the command has no `{out}`");
        let told = of("naga=/no/naga").steps().expect_err("a mistake").to_string();
        assert_eq!(told, "--through: `/no/naga` does not exist");
        let told = of("A=1 cp {in} {out}").steps().expect_err("a mistake").to_string();
        assert_eq!(told, "--through: `A=1` is not in PATH; no shell reads the command");
        assert_eq!(language("msl"), Err("the languages are spirv, wgsl, hlsl, glsl".to_owned()));
    }

    #[test]
    fn the_help_names_every_preset() {
        let command = <crate::args::Args as clap::CommandFactory>::command();
        let run = command.find_subcommand("run").expect("a command");
        let through = run.get_arguments().find(|argument| argument.get_id() == "through");
        let help = through.and_then(clap::Arg::get_help).expect("a help").to_string();
        for name in interstage::through::preset::names() {
            assert!(help.contains(&format!("`{name}`")), "{name}");
        }
    }
}
