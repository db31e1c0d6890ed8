//! Options that name other compilers.

use interstage::through::{Language, Step};

use super::ADAPTER;

/// Compilers between the linker and the driver.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = ADAPTER)]
pub struct ThroughOptions {
    /// Compile every stage through another compiler: `naga`, `tint`, `spirv-opt`, `dxc` or `glslang`, with a path and
    /// options if needed (`spirv-opt=/opt/bin/spirv-opt:-Os`), or any command with `{in}` and `{out}`. Several are called
    /// in this order. Needs a Vulkan adapter
    #[arg(long, value_name = "COMPILER")]
    pub through: Vec<String>,
    /// Language that commands of `--through` read
    #[arg(long, value_name = "LANGUAGE", requires = "through", value_parser = language)]
    pub through_language: Option<Language>,
}

impl ThroughOptions {
    /// The compilers.
    ///
    /// # Errors
    /// One of them is unknown, its command is wrong, there is no such program, or the language is for none of them.
    pub fn steps(&self) -> anyhow::Result<Vec<Step>> {
        let step = |text: &String| {
            let step = Step::of_text(text, self.through_language);
            let step = step.map_err(|error| anyhow::anyhow!("--through: {error}"))?;
            match step.file() {
                Some(_) => Ok(step.with_version()),
                None => Err(anyhow::anyhow!("--through: there is no program for `{text}`")),
            }
        };
        let steps = self.through.iter().map(step).collect::<anyhow::Result<Vec<_>>>()?;
        let is_used = steps.iter().any(|step| step.given_language().is_some());
        if self.through_language.is_some() && !is_used {
            let message = "is for commands with `{in}` and `{out}`, and there is none";
            return Err(anyhow::anyhow!("--through-language {message}"));
        }
        Ok(steps)
    }
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
        let of =
            |text: &str| ThroughOptions { through: vec![text.to_owned()], through_language: None };
        let told = of("cp {in} x").steps().expect_err("a mistake").to_string();
        assert_eq!(told, "--through: the command has no `{out}`");
        let told = of("naga=/no/naga").steps().expect_err("a mistake").to_string();
        assert_eq!(told, "--through: there is no program for `naga=/no/naga`");
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
