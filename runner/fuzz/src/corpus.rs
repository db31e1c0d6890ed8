//! Seeds: the files of folders, as inputs of a target.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use interstage::case::parse::split;
use interstage::case::{Case, Dialect, Language};
use interstage::ir::emit;
use interstage::ir::stage::ShaderStage;

use crate::section::{MAGIC, divided, joined};

/// The kind of seeds that a target needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Diet {
    /// Case files.
    Cases,
    /// Stages of cases in GLSL.
    Glsl,
    /// Stages of cases as SPIR-V: those written in assembly, and the linked stages of all cases as binaries.
    Spirv,
    /// Stages of cases in WGSL, and WGSL files.
    Wgsl,
    /// Scripts of Amber.
    Amber,
    /// Scripts of `VkRunner`.
    VkScript,
    /// Files of the shader library of the conformance tests.
    ShaderLibrary,
    /// Stages of cases in GLSL, as piglit's parser tests.
    ParserTests,
    /// All files.
    Everything,
}

/// Maximum size of a seed; in a larger one, a mutation would hardly ever hit the small details.
const MAX_BYTES: u64 = 64 << 10;

/// Maximum number of a file's parameter combinations that become seeds.
const COMBINATIONS: usize = 3;

/// Configuration of a parser test.
const CONFIG: &[u8] = b"// [config]\n// expect_result: pass\n// glsl_version: 4.50\n// check_link: true\n// [end config]\n";

impl Diet {
    /// True for a file from which seeds are made.
    fn takes(self, path: &Path) -> bool {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        match self {
            Self::Cases | Self::Glsl | Self::ParserTests => extension == "shader_test",
            Self::Spirv => ["shader_test", "spv"].contains(&extension),
            Self::Wgsl => ["shader_test", "wgsl"].contains(&extension),
            Self::Amber => extension == "amber",
            Self::VkScript => ["vkscript", "vk_shader_test"].contains(&extension),
            Self::ShaderLibrary => extension == "test",
            Self::Everything => true,
        }
    }
}

/// All files below the folders from which seeds are made, in an order that depends only on their names.
pub(crate) fn files(folders: &[PathBuf], diet: Diet) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for folder in folders {
        let context = || format!("cannot read the folder {}", folder.display());
        collect(folder, diet, &mut found).with_context(context)?;
    }
    found.sort();
    Ok(found)
}

fn collect(folder: &Path, diet: Diet, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let path = entry.path();
        if kind.is_dir() {
            collect(&path, diet, found)?;
        } else if kind.is_file() && diet.takes(&path) && entry.metadata()?.len() <= MAX_BYTES {
            found.push(path);
        }
    }
    Ok(())
}

/// The inputs made from a file. Empty if it cannot be read or holds nothing for the target.
pub(crate) fn seeds(path: &Path, diet: Diet) -> Vec<Vec<u8>> {
    let Ok(bytes) = std::fs::read(path) else { return Vec::new() };
    let is = |extension: &str| path.extension().is_some_and(|found| found == extension);
    match diet {
        Diet::Cases | Diet::Amber | Diet::VkScript | Diet::ShaderLibrary | Diet::Everything => {
            vec![bytes]
        }
        Diet::Glsl => stages(&bytes, Language::Glsl),
        Diet::ParserTests => {
            let stages = stages(&bytes, Language::Glsl);
            let with_config = |stage: &Vec<u8>| {
                let (stage, text) = divided(stage)?;
                Some(joined(stage, &[CONFIG, text].concat()))
            };
            stages.iter().filter_map(with_config).collect()
        }
        Diet::Wgsl if is("wgsl") => {
            let stages = [ShaderStage::Vertex, ShaderStage::Fragment, ShaderStage::Compute];
            stages.map(|stage| joined(stage, &bytes)).into()
        }
        Diet::Wgsl => stages(&bytes, Language::Wgsl),
        Diet::Spirv if is("spv") => vec![joined(ShaderStage::Fragment, &bytes)],
        Diet::Spirv => {
            let mut seeds = stages(&bytes, Language::SpirvAssembly);
            seeds.extend(cases(&bytes).first().into_iter().flat_map(binaries));
            seeds
        }
    }
}

/// The cases of a file's first parameter combinations.
fn cases(bytes: &[u8]) -> Vec<Case> {
    let unread = split("seed.shader_test", bytes, Dialect::Interstage);
    unread.iter().take(COMBINATIONS).filter_map(|case| case.read().result.ok()).collect()
}

/// The stages of a file in one language.
fn stages(bytes: &[u8], language: Language) -> Vec<Vec<u8>> {
    // Most files have no stage in the rarer languages, and reading a file with many parameters takes long.
    let word: &[u8] = match language {
        Language::Glsl | Language::Passthrough => b"shader",
        Language::SpirvAssembly => b"shader spirv",
        Language::Wgsl => b"shader wgsl",
    };
    if !bytes.windows(word.len()).any(|part| part == word) {
        return Vec::new();
    }
    let stages = |case: &Case| {
        let shaders = case.shaders.iter().filter(|shader| shader.language == language);
        let stages =
            shaders.map(|shader| joined(shader.stage, case.source.slice(shader.text).as_bytes()));
        stages.collect::<Vec<_>>()
    };
    cases(bytes).iter().flat_map(stages).collect()
}

/// The linked stages of a case as binaries.
fn binaries(case: &Case) -> Vec<Vec<u8>> {
    // naga's writer may panic; these targets do not test it.
    let emitted = catch_unwind(AssertUnwindSafe(|| {
        interstage::emit_stages(case, None, emit::Language::Spirv).unwrap_or_default()
    }));
    let stage_of = |name: &str| match name {
        "fragment" => ShaderStage::Fragment,
        "vertex" => ShaderStage::Vertex,
        _ => ShaderStage::Compute,
    };
    let emitted = emitted.unwrap_or_default().into_iter();
    let written = emitted.filter_map(|(name, binary)| Some((stage_of(&name), binary.ok()?)));
    let binaries = written.filter(|(_, binary)| binary.starts_with(&MAGIC));
    binaries.map(|(stage, binary)| joined(stage, &binary)).collect()
}
