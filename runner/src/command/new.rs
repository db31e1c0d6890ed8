//! `interstage new`: writes a case from a template. The case passes and says what to change.

use std::io::Write as _;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::args::{NewOptions, Template};
use crate::exit::Exit;
use crate::files::case_file;
use crate::project;
use crate::project::CASES;

/// Writes the case, and prints its path and how to run it.
pub fn new(options: &NewOptions) -> anyhow::Result<Exit> {
    let path = path_of(&options.name)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let text = text_of(options.template.template());
    let shown = path.display();
    match std::fs::File::create_new(&path) {
        Ok(mut file) => {
            file.write_all(text.as_bytes()).with_context(|| format!("cannot write {shown}"))?;
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            bail!("{shown} exists already; choose another name")
        }
        Err(error) => return Err(error).with_context(|| format!("cannot write {shown}")),
    }
    writeln!(std::io::stdout(), "{shown}\nrun it: interstage run {}", quoted(&path))?;
    Ok(Exit::AsExpected)
}

/// Path of the case with this name: below the first root of the project, or in `cases` below the project's root.
fn path_of(name: &str) -> anyhow::Result<PathBuf> {
    let name = name.strip_suffix(&format!(".{}", case_file::EXTENSION)).unwrap_or(name);
    let is_plain = |component| matches!(component, Component::Normal(_));
    let has_end = Path::new(name).file_name().is_some() && !name.ends_with('/');
    // In the name of a case, `#` begins the parameters. Lists separate their fields by commas.
    if !has_end || !Path::new(name).components().all(is_plain) || name.contains(is_no_name) {
        bail!("`{name}` is not a valid name; use words with `_`, and `/` between folders");
    }
    let project = project::of(Path::new("."))?;
    let root = project.as_ref().map(|project| project.root.clone()).unwrap_or_default();
    let roots = project.map_or_else(|| vec![PathBuf::from(CASES)], |it| it.settings.roots());
    let named = Path::new(name);
    // The name may include the folder of the cases, as in printed names.
    let below = roots.iter().find_map(|folder| Some(folder.join(named.strip_prefix(folder).ok()?)));
    let first = roots.first().map_or(Path::new(CASES), PathBuf::as_path);
    let below = below.unwrap_or_else(|| first.join(named));
    let path = root.join(format!("{}.{}", below.display(), case_file::EXTENSION));
    let here = std::env::current_dir().unwrap_or_default();
    Ok(path.strip_prefix(here).map_or(path.clone(), Path::to_owned))
}

/// True for characters that names of cases do not have: blanks, and what separates parameters and fields of lists.
fn is_no_name(char: char) -> bool {
    char.is_whitespace() || matches!(char, '#' | ',')
}

/// Quotes the path for a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "/._-".contains(char);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

const fn text_of(template: Template) -> &'static str {
    match template {
        Template::Glsl => include_str!("new/glsl.shader_test"),
        Template::GlslCompute => include_str!("new/compute.shader_test"),
        Template::GlslTexture => include_str!("new/texture.shader_test"),
        Template::Wgsl => include_str!("new/wgsl.shader_test"),
        Template::WgslCompute => include_str!("new/wgsl_compute.shader_test"),
        Template::WgslTexture => include_str!("new/wgsl_texture.shader_test"),
        Template::Link => include_str!("new/link.shader_test"),
    }
}
