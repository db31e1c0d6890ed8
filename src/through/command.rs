//! Command lines of external programs.

use std::env::consts::EXE_EXTENSION;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use naga::ShaderStage;
use serde::{Deserialize, Serialize};

use super::fault::Fault;
use super::language::Language;
use super::process::{self, Run};

/// Word of a command that stands for the file to read.
const INPUT: &str = "{in}";

/// Word of a command that stands for the file to write.
const OUTPUT: &str = "{out}";

/// A mistake in a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// There is no program.
    #[error("the command is empty")]
    Empty,
    /// A quotation mark has no partner.
    #[error("`{0}` has no closing partner")]
    Unclosed(char),
    /// There is no compiler of this name.
    #[error("`{text}` is neither a command with `{{in}}` and `{{out}}` nor one of {names}")]
    NoPreset {
        /// The user's text.
        text: String,
        /// Names of the compilers that are known.
        names: String,
    },
    /// A word is missing without which the program cannot get or give a stage.
    #[error("the command has no `{0}`")]
    Lacks(&'static str),
}

/// A compiler that is known by name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<'a> {
    /// The user's text.
    pub(super) given: &'a str,
    pub(super) name: &'a str,
    /// Path of the program, in one word.
    pub(super) program: &'a str,
    /// Arguments, as in a command.
    pub(super) arguments: &'a str,
    pub(super) reads: Language,
}

/// A program of a chain, with its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The user's text.
    given: String,
    /// The language that was given with it.
    given_language: Option<Language>,
    name: String,
    /// True for a compiler that is known by name.
    is_known: bool,
    /// Version that the compiler prints; empty if it prints none or was not asked.
    version: String,
    /// The program and its arguments. [`INPUT`] and [`OUTPUT`] stand for files, also within a word.
    words: Vec<String>,
    reads: Language,
}

impl Step {
    /// A program by its command, such as `spirv-opt -O {in} -o {out}`. Words are separated by spaces, and quotation marks
    /// of both kinds keep them together. No shell reads the command.
    ///
    /// # Errors
    /// The command is empty, or lacks `{in}`, `{out}` or a quotation mark.
    pub fn of_command(command: &str, language: Option<Language>) -> Result<Self, CommandError> {
        let reads = language.unwrap_or(Language::Spirv);
        let words = split(command)?;
        let program = words.first().ok_or(CommandError::Empty)?;
        for needed in [INPUT, OUTPUT] {
            if !words.iter().skip(1).any(|word| word.contains(needed)) {
                return Err(CommandError::Lacks(needed));
            }
        }
        let name = name_of(program);
        let (given, version) = (command.to_owned(), String::new());
        Ok(Self { given, given_language: language, name, is_known: false, version, words, reads })
    }

    /// A program that is known by name.
    pub(super) fn of_known(known: Known<'_>) -> Result<Self, CommandError> {
        let Known { given, name, program, arguments, reads } = known;
        let words = std::iter::once(program.to_owned()).chain(split(arguments)?).collect();
        Ok(Self {
            given: given.to_owned(),
            given_language: None,
            name: name.to_owned(),
            is_known: true,
            version: String::new(),
            words,
            reads,
        })
    }

    /// Asks a compiler that is known by name for its version. Other programs are not started for that: nobody knows what
    /// they do without a stage.
    #[must_use]
    pub fn with_version(mut self) -> Self {
        if self.is_known
            && let Some(file) = self.file()
        {
            self.version = process::version(&file);
        }
        self
    }

    /// Name and version, for titles.
    pub fn title(&self) -> String {
        match &*self.version {
            "" => self.name.clone(),
            version => format!("{} ({version})", self.name),
        }
    }

    /// The file of the program: a path is relative to the working directory of this process, and a name is searched in
    /// `PATH`. `None` if there is no such file.
    pub fn file(&self) -> Option<PathBuf> {
        let program = Path::new(self.words.first()?);
        if program.components().count() > 1 {
            return std::path::absolute(program).ok().filter(|path| path.is_file());
        }
        let folders = std::env::var_os("PATH")?;
        let named = |folder: PathBuf| folder.join(program).with_extension(EXE_EXTENSION);
        let as_is = |folder: PathBuf| folder.join(program);
        let mut files = std::env::split_paths(&folders)
            .flat_map(|folder| [as_is(folder.clone()), named(folder)]);
        files.find(|path| path.is_file())
    }

    /// The text that names the program in options ([`Self::of_text`]).
    pub fn given(&self) -> &str {
        &self.given
    }

    /// The language that was given for the command.
    pub const fn given_language(&self) -> Option<Language> {
        self.given_language
    }

    /// The program and its arguments.
    #[cfg(test)]
    pub(super) fn words(&self) -> &[String] {
        &self.words
    }

    /// Name of the program, without its folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The language that the program reads.
    pub const fn reads(&self) -> Language {
        self.reads
    }

    /// Runs the program on a text. Returns what it writes.
    pub(super) fn run(
        &self,
        text: &[u8],
        stage: ShaderStage,
        writes: Language,
        limit: Duration,
    ) -> Result<Vec<u8>, Fault> {
        let started = |error: std::io::Error| Fault::NotStarted(error.to_string());
        let folder = tempfile::Builder::new().prefix("interstage-").tempdir().map_err(started)?;
        let input = folder.path().join("in").with_extension(extension(self.reads));
        let output = folder.path().join("out").with_extension(extension(writes));
        std::fs::write(&input, text).map_err(started)?;
        let [name, profile] = words_of(stage);
        let word = |word: &String| -> OsString {
            word.replace(INPUT, &input.to_string_lossy())
                .replace(OUTPUT, &output.to_string_lossy())
                .replace("{stage}", name)
                .replace("{profile}", profile)
                .into()
        };
        let mut words: Vec<_> = self.words.iter().map(word).collect();
        if let (Some(first), Some(file)) = (words.first_mut(), self.file()) {
            *first = file.into();
        }
        process::run(&Run { words: &words, folder: folder.path(), limit })?;
        process::result(&output)
    }
}

/// A stage in the words of glslang, and as a profile of DXC.
const fn words_of(stage: ShaderStage) -> [&'static str; 2] {
    match stage {
        ShaderStage::Vertex => ["vert", "vs_6_2"],
        ShaderStage::Fragment => ["frag", "ps_6_2"],
        ShaderStage::Compute
        | ShaderStage::Task
        | ShaderStage::Mesh
        | ShaderStage::RayGeneration
        | ShaderStage::Miss
        | ShaderStage::AnyHit
        | ShaderStage::ClosestHit => ["comp", "cs_6_2"],
    }
}

/// Extension of a file. Programs of several languages tell them apart by it.
const fn extension(language: Language) -> &'static str {
    match language {
        Language::Spirv => "spv",
        Language::Wgsl => "wgsl",
        Language::Hlsl => "hlsl",
        Language::Glsl => "glsl",
    }
}

/// Name of a program: the last part of its path, without an extension.
fn name_of(program: &str) -> String {
    let stem = Path::new(program).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    stem.filter(|stem| !stem.is_empty()).unwrap_or_else(|| program.to_owned())
}

/// The words of a command.
fn split(command: &str) -> Result<Vec<String>, CommandError> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for letter in command.chars() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            (Some(_) | None, _) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.map_or(Ok(words), |open| Err(CommandError::Unclosed(open)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, expected: &[&str]) {
        assert_eq!(split(command).expect("words"), expected, "{command}");
    }

    #[test]
    fn quotation_marks_keep_words_together() {
        check("a  b\tc", &["a", "b", "c"]);
        check("'a b' \"c 'd\"e ''", &["a b", "c 'de", ""]);
        assert_eq!(split("a 'b"), Err(CommandError::Unclosed('\'')));
    }

    #[test]
    fn a_command_names_both_files() {
        let of = |command: &str| Step::of_command(command, None);
        let step = of("/usr/bin/spirv-opt -O {in} -o {out}").expect("a command");
        assert_eq!(step.name(), "spirv-opt");
        assert_eq!(of(" "), Err(CommandError::Empty));
        assert_eq!(of("cp x {out}"), Err(CommandError::Lacks("{in}")));
        assert_eq!(of("cp {in} x"), Err(CommandError::Lacks("{out}")));
        assert_eq!(of("--file={in} --out={out}"), Err(CommandError::Lacks("{in}")));
        assert!(of("opt --file={in} --out={out}").is_ok());
    }
}
