//! `interstage generate`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::args::{GenerateOptions, Generated};
use crate::exit::Exit;
use crate::generate::invalid::rule::Rule;
use crate::generate::{blocks, invalid, varyings};

/// Writes case files, one for every seed.
pub fn generate(options: &GenerateOptions) -> anyhow::Result<Exit> {
    let rule = rule(options)?;
    if options.rules {
        return print_rules();
    }
    let folder = folder(options);
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create `{}`", folder.display()))?;
    for seed in options.seed..options.seed.saturating_add(options.count) {
        let (name, text) = match options.what {
            Generated::Varyings => ("varyings", varyings::case(seed)),
            Generated::Blocks => ("blocks", blocks::case(seed)),
            Generated::Invalid => ("invalid", invalid::case(seed, rule)),
        };
        let path = folder.join(format!("{name}_{seed}.shader_test"));
        std::fs::write(&path, text)
            .with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    writeln!(std::io::stdout(), "{} cases in {}", options.count, folder.display())?;
    Ok(Exit::AsExpected)
}

fn folder(options: &GenerateOptions) -> PathBuf {
    let usual = match options.what {
        Generated::Varyings | Generated::Blocks => "out/cases",
        Generated::Invalid => "out/invalid",
    };
    options.output.clone().unwrap_or_else(|| Path::new(usual).to_owned())
}

/// The rule that the options name.
fn rule(options: &GenerateOptions) -> anyhow::Result<Option<&'static Rule>> {
    match options.what {
        Generated::Invalid => {}
        Generated::Varyings | Generated::Blocks if options.rules || options.rule.is_some() => {
            bail!("--rules and --rule apply only to `generate invalid`")
        }
        Generated::Varyings | Generated::Blocks => return Ok(None),
    }
    let Some(name) = &options.rule else { return Ok(None) };
    let rule = invalid::rules::all().find(|rule| rule.name == name);
    rule.map(Some).with_context(|| format!("unknown rule `{name}`; list the rules with --rules"))
}

fn print_rules() -> anyhow::Result<Exit> {
    let mut stdout = std::io::stdout().lock();
    for rule in invalid::rules::all() {
        let versions = rule.versions();
        let leniency = match rule.leniency {
            "" => String::new(),
            why => format!("\taccepted at times: {why}"),
        };
        let Rule { name, section, verdict, .. } = rule;
        writeln!(stdout, "{name}\t{section}\t{versions}\t{verdict}{leniency}")?;
    }
    Ok(Exit::AsExpected)
}
