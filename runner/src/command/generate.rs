//! `interstage generate`.

mod expected;
mod statistics;

use interstage::ir::diagnostic::counted;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use generate::attributes::{self, Expected};
use generate::invalid::rule::Rule;
use generate::programs::Recipe;
use generate::{blocks, geometry, invalid, programs, tessellation, varyings, wgsl};
use interstage::case::parse::CaseError;
use interstage::device::Device;
use interstage::ir::diagnostic;

use crate::args::{GenerateOptions, Generated, Language};
use crate::exit::Exit;
use crate::files::case_file;
use crate::project::{self, settings};

/// Writes case files, one for every seed.
pub fn generate(options: &GenerateOptions) -> anyhow::Result<Exit> {
    let rule = rule(options)?;
    let language = language(options)?;
    if options.rules {
        return print_rules();
    }
    let recipe = recipe(options, language)?;
    let seeds = options.seed..options.seed.saturating_add(options.count);
    if options.statistics {
        if !matches!(options.what, Generated::Programs) {
            bail!("--statistics applies only to `generate programs`");
        }
        return statistics::print(seeds, &recipe);
    }
    let folder = folder(options);
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create `{}`", folder.display()))?;
    if !matches!(options.what, Generated::Invalid | Generated::Attributes) {
        make_project(&folder)?;
    }
    if let Some(file) = &options.file {
        return of_wgsl(file, &folder);
    }
    if let Generated::Attributes = options.what {
        return attributes(&folder);
    }
    for seed in seeds {
        let is_wgsl = language == Language::Wgsl;
        let (name, text) = match (options.what, is_wgsl) {
            (Generated::Varyings, false) => ("varyings", varyings::case(seed)),
            (Generated::Varyings, true) => ("varyings_wgsl", wgsl::varyings::case(seed)),
            (Generated::Geometry, false) => ("geometry", geometry::case(seed)),
            (Generated::Geometry, true) => ("geometry_wgsl", geometry::case_with_wgsl(seed)),
            (Generated::Tessellation, false) => ("tessellation", tessellation::case(seed)),
            (Generated::Tessellation, true) => {
                ("tessellation_wgsl", tessellation::case_with_wgsl(seed))
            }
            (Generated::Blocks, false) => ("blocks", blocks::case(seed)),
            (Generated::Blocks, true) => ("blocks_wgsl", wgsl::blocks::case(seed)),
            (Generated::Invalid, _) => ("invalid", invalid::case(seed, rule)),
            (Generated::Programs, _) => (programs_in(language), program(seed, &recipe, options)?),
            (Generated::Wgsl, _) => bail!("`generate wgsl` needs a file"),
            (Generated::Attributes, _) => bail!("attributes have no seeds"),
        };
        let path = folder.join(format!("{name}_{seed}.shader_test"));
        std::fs::write(&path, text)
            .with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    writeln!(std::io::stdout(), "{} in {}", counted(options.count, "case"), folder.display())?;
    Ok(Exit::AsExpected)
}

/// A program. One that every language has also probes what it leaves in GLSL, and in GLSL what it leaves in WGSL.
fn program(seed: u64, recipe: &Recipe, options: &GenerateOptions) -> anyhow::Result<String> {
    let text = programs::case(seed, recipe);
    if !options.common {
        return Ok(text);
    }
    let other = match language(options)? {
        Language::Glsl => programs::Language::Wgsl,
        Language::Wgsl | Language::Spirv => programs::Language::Glsl,
    };
    let reference = programs::case(seed, &recipe.clone().written_in(other));
    let device = Device::open("cpu:0").map_err(anyhow::Error::msg)?;
    expected::with_probes(&text, &reference, &device)
        .with_context(|| format!("the program of seed {seed} in another language"))
}

/// The recipe that the options describe.
fn recipe(options: &GenerateOptions, language: Language) -> anyhow::Result<Recipe> {
    if !options.without.is_empty() && !matches!(options.what, Generated::Programs) {
        bail!("--without applies only to `generate programs`");
    }
    if options.common && !matches!(options.what, Generated::Programs) {
        bail!("--common applies only to `generate programs`");
    }
    let language = language.into();
    let all = if options.common { Recipe::common(language) } else { Recipe::new(language) };
    options.without.iter().try_fold(all, |recipe, feature| {
        recipe.without(feature).with_context(|| {
            format!("programs have no `{feature}`; --statistics lists what they have")
        })
    })
}

/// Makes a folder a project unless it is already in one. Without a project its cases would be read by piglit's rules,
/// which give some words another meaning.
fn make_project(folder: &Path) -> anyhow::Result<()> {
    if project::of(folder)?.is_some() {
        return Ok(());
    }
    let path = folder.join(settings::FILE);
    let text = "# The cases here are read strictly, and not by piglit's rules.\n";
    std::fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))
}

/// Writes the programs about attributes, and counts the expected treatments of their words.
fn attributes(folder: &Path) -> anyhow::Result<Exit> {
    let programs = attributes::all();
    for program in &programs {
        let path = folder.join(format!("{}.shader_test", program.name()));
        std::fs::write(&path, program.case())
            .with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    let count = |is_it: fn(&Expected) -> bool| {
        programs.iter().filter(|program| is_it(&program.expected)).count()
    };
    writeln!(
        std::io::stdout(),
        "{} in {}: {} words are carried, {} have no effect, {} are unsupported, {} refused",
        counted(programs.len(), "case"),
        folder.display(),
        count(|expected| matches!(expected, Expected::Carried)),
        count(|expected| matches!(expected, Expected::NoEffect(_))),
        count(|expected| matches!(expected, Expected::Unsupported)),
        count(|expected| matches!(expected, Expected::Refused)),
    )?;
    Ok(Exit::AsExpected)
}

/// Writes the cases of a WGSL file, and lists the entry points for which there is none.
fn of_wgsl(file: &Path, folder: &Path) -> anyhow::Result<Exit> {
    let path =
        file.to_str().with_context(|| format!("{}: the path is not UTF-8", file.display()))?;
    if !case_file::is_wgsl(path) {
        bail!("{path}: the name does not end with `.{}`", case_file::WGSL);
    }
    let text = case_file::read(path).with_context(|| path.to_owned())?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut stdout = std::io::stdout().lock();
    let mut count = 0;
    for unread in case_file::split_at(path, &text).with_context(|| path.to_owned())? {
        let parsed = unread.read();
        match parsed.result {
            Err(CaseError::Unsupported { word, .. }) => {
                writeln!(stdout, "{}: unsupported: {word}", parsed.name)?;
            }
            Err(CaseError::Excluded { reason }) => {
                writeln!(stdout, "{}: excluded: {reason}", parsed.name)?;
            }
            Err(CaseError::Broken(errors)) => {
                let lines = errors.iter().map(|error| diagnostic::one_line(&parsed.source, error));
                bail!("{}", lines.collect::<Vec<_>>().join("\n"))
            }
            Ok(_) => {
                let entries = case_file::parameters_of(&parsed.name).trim_start_matches('#');
                let case = folder.join(format!("{stem}_{}.shader_test", entries.replace('+', "_")));
                std::fs::write(&case, parsed.source.text())
                    .with_context(|| format!("cannot write `{}`", case.display()))?;
                count += 1;
            }
        }
    }
    writeln!(stdout, "{} in {}", counted(count, "case"), folder.display())?;
    Ok(Exit::AsExpected)
}

fn folder(options: &GenerateOptions) -> PathBuf {
    let usual = match options.what {
        Generated::Varyings
        | Generated::Geometry
        | Generated::Tessellation
        | Generated::Blocks
        | Generated::Programs
        | Generated::Wgsl => "out/cases",
        Generated::Invalid => "out/invalid",
        Generated::Attributes => "out/attributes",
    };
    options.output.clone().unwrap_or_else(|| Path::new(usual).to_owned())
}

/// Prefix of the names of programs, which distinguishes the languages.
pub(super) const fn programs_in(language: Language) -> &'static str {
    match language {
        Language::Glsl => "programs_glsl",
        Language::Wgsl => "programs_wgsl",
        Language::Spirv => "programs_spirv",
    }
}

/// The language of the stages, which the subject must have.
fn language(options: &GenerateOptions) -> anyhow::Result<Language> {
    let Some(language) = options.language else { return Ok(Language::Glsl) };
    let languages = options.what.languages();
    if languages.contains(&language) {
        return Ok(language);
    }
    let (kind, language) = (name(options.what), name(language));
    match languages.iter().map(|language| name(*language)).collect::<Vec<_>>().as_slice() {
        [] => bail!("`generate {kind}` takes no --language"),
        [only] => bail!("`generate {kind}` has no programs in {language}, only in {only}"),
        [first @ .., last] => bail!(
            "`generate {kind}` has no programs in {language}, only in {} and {last}",
            first.join(", ")
        ),
    }
}

/// The word of the command line for a value.
fn name(value: impl clap::ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |word| word.get_name().to_owned())
}

/// Looks up the rule that the options name.
fn rule(options: &GenerateOptions) -> anyhow::Result<Option<&'static Rule>> {
    if options.file.is_some() && !matches!(options.what, Generated::Wgsl) {
        bail!("only `generate wgsl` takes a file");
    }
    match options.what {
        Generated::Invalid => {}
        Generated::Varyings
        | Generated::Geometry
        | Generated::Tessellation
        | Generated::Blocks
        | Generated::Programs
        | Generated::Attributes
        | Generated::Wgsl
            if options.rules || options.rule.is_some() =>
        {
            bail!("--rules and --rule apply only to `generate invalid`")
        }
        Generated::Varyings
        | Generated::Geometry
        | Generated::Tessellation
        | Generated::Blocks
        | Generated::Programs
        | Generated::Attributes
        | Generated::Wgsl => {
            return Ok(None);
        }
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
            why => format!("\tsometimes accepted: {why}"),
        };
        let Rule { name, section, verdict, .. } = rule;
        writeln!(stdout, "{name}\t{section}\t{versions}\t{verdict}{leniency}")?;
    }
    Ok(Exit::AsExpected)
}
