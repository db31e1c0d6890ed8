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
use super::quote;

/// Word of a command that stands for the file to read.
const INPUT: &str = "{in}";

/// Word of a command that stands for the file to write.
const OUTPUT: &str = "{out}";

/// Word of a command that stands for the stage, in the words of glslang.
const STAGE: &str = "{stage}";

/// Word of a command that stands for the stage as a profile of DXC.
const PROFILE: &str = "{profile}";

/// Word of a command that stands for options that depend on the language that is read.
const FROM: &str = "{from}";

/// Word of a command that stands for options that depend on the language that is written.
const TO: &str = "{to}";

/// Programs that are called like the script that they read.
const INTERPRETERS: [&str; 7] = ["sh", "bash", "python", "python3", "perl", "ruby", "node"];

/// One run of a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) stage: ShaderStage,
    pub(super) reads: Language,
    pub(super) writes: Language,
    /// Time limit.
    pub(super) limit: Duration,
}

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
    /// A word looks like one that stands for something, and stands for nothing.
    #[error("`{0}` stands for nothing; there are {{in}}, {{out}}, {{stage}} and {{profile}}")]
    Placeholder(String),
    /// A program reads no language that the one before it writes.
    #[error("{writer} writes {writes}, and {reader} reads {reads}")]
    NoLanguage {
        /// Name of the first program.
        writer: String,
        /// Languages that it writes.
        writes: String,
        /// Name of the second program, or of the driver.
        reader: String,
        /// Languages that it reads.
        reads: String,
    },
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
    pub(super) reads: &'a [Language],
    pub(super) writes: &'a [Language],
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
    /// Sizes and times of the program's file and of the files in its command when they were found
    /// ([`Self::identified`]). Results of other files are not those of this program.
    stamp: String,
    /// The program and its arguments. [`INPUT`] and [`OUTPUT`] stand for files, also within a word.
    words: Vec<String>,
    /// Languages that the program reads. It gets the first if no other program is before it.
    reads: Vec<Language>,
    /// Languages that the program writes, the best for a next program first.
    writes: Vec<Language>,
}

impl Step {
    /// A program by its command, such as `spirv-opt -O {in} -o {out}`. Words are separated by spaces, and quotation marks
    /// of both kinds keep them together. No shell reads the command.
    ///
    /// # Errors
    /// The command is empty, or lacks `{in}`, `{out}` or a quotation mark.
    pub fn of_command(command: &str, language: Option<Language>) -> Result<Self, CommandError> {
        let words = split(command)?;
        let program = words.first().ok_or(CommandError::Empty)?;
        if let Some(unknown) = words.iter().find_map(|word| unknown_placeholder(word)) {
            return Err(CommandError::Placeholder(unknown.to_owned()));
        }
        for needed in [INPUT, OUTPUT] {
            if !words.iter().skip(1).any(|word| word.contains(needed)) {
                return Err(CommandError::Lacks(needed));
            }
        }
        let name = name_of(program);
        Ok(Self {
            given: command.to_owned(),
            given_language: language,
            name,
            is_known: false,
            version: String::new(),
            stamp: String::new(),
            words,
            reads: vec![language.unwrap_or(Language::Spirv)],
            // Nobody knows what it can write. It is told by the extension of the file.
            writes: Language::ALL.map(|(_, language)| language).to_vec(),
        })
    }

    /// A program that is known by name.
    pub(super) fn of_known(known: Known<'_>) -> Result<Self, CommandError> {
        let Known { given, name, program, arguments, reads, writes } = known;
        let words = std::iter::once(program.to_owned()).chain(split(arguments)?).collect();
        Ok(Self {
            given: given.to_owned(),
            given_language: None,
            name: name.to_owned(),
            is_known: true,
            version: String::new(),
            stamp: String::new(),
            words,
            reads: reads.to_vec(),
            writes: writes.to_vec(),
        })
    }

    /// The program as it is named: a path, or a name in `PATH`.
    pub fn program(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// The same call of another program file.
    #[must_use]
    pub fn with_program(mut self, program: &Path) -> Self {
        if let Some(first) = self.words.first_mut() {
            *first = program.to_string_lossy().into_owned();
        }
        self
    }

    /// The program whose path is relative to `folder`, unless it is absolute or a name in `PATH`, with the files of its
    /// command.
    #[must_use]
    pub fn relative_to(self, folder: &Path) -> Self {
        let mut own = self;
        for (word, file) in own.files_in(folder) {
            own.given = own.given.replacen(&own.words[word], &file.to_string_lossy(), 1);
            own.words[word] = file.to_string_lossy().into_owned();
        }
        own.with_program_in(folder)
    }

    /// The arguments of a command that name files in a folder: their places among the words, and their paths.
    fn files_in(&self, folder: &Path) -> Vec<(usize, PathBuf)> {
        if self.is_known {
            return Vec::new();
        }
        let arguments = self.words.iter().enumerate().skip(1);
        let files = arguments.map(|(place, word)| (place, folder.join(word)));
        files.filter(|(_, path)| path.is_file()).collect()
    }

    fn with_program_in(self, folder: &Path) -> Self {
        let named = self.program().to_owned();
        let path = Path::new(&named);
        if path.is_absolute() || path.components().count() < 2 {
            return self;
        }
        let joined = folder.join(path);
        let given = self.given.replacen(&named, &joined.to_string_lossy(), 1);
        Self { given, ..self }.with_program(&joined)
    }

    /// Records which files the program and its arguments are, and asks a compiler that is known by name for its version.
    /// Other programs are not started for that: nobody knows what they do without a stage. Arguments that name files get
    /// their whole paths, because the program runs in a folder of its own.
    #[must_use]
    pub fn identified(mut self) -> Self {
        let Some(file) = self.file() else { return self };
        let mut stamps = vec![stamp(&file)];
        let folder = std::env::current_dir().unwrap_or_default();
        for (place, path) in self.files_in(&folder) {
            stamps.push(stamp(&path));
            self.words[place] = path.to_string_lossy().into_owned();
            if place == 1 && INTERPRETERS.contains(&&*self.name) {
                self.name = name_of(&self.words[place]);
            }
        }
        self.stamp = stamps.join(", ");
        if self.is_known {
            self.version = process::version(&file);
        }
        self
    }

    /// Adds a word to the version, such as the commit of a checkout.
    #[must_use]
    pub fn with_revision(mut self, revision: &str) -> Self {
        let parts = [&*self.version, revision];
        self.version =
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
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

    /// The language that the program reads if no other is before it.
    pub fn reads(&self) -> Language {
        self.reads.first().copied().unwrap_or(Language::Spirv)
    }

    /// Runs the program on a text. Returns what it writes.
    pub(super) fn run(&self, text: &[u8], call: &Call) -> Result<Vec<u8>, Fault> {
        let &Call { stage, reads, writes, limit } = call;
        let started = |error: std::io::Error| Fault::NotStarted(error.to_string());
        let folder = tempfile::Builder::new().prefix("interstage-").tempdir().map_err(started)?;
        let input = folder.path().join("in").with_extension(reads.extension());
        let output = folder.path().join("out").with_extension(writes.extension());
        std::fs::write(&input, text).map_err(started)?;
        let [name, profile] = words_of(stage);
        let of_language = |word: &String| match &**word {
            FROM => words_of_input(reads).iter().map(|&word| word.to_owned()).collect(),
            TO => words_of_output(writes).iter().map(|&word| word.to_owned()).collect(),
            _ => vec![word.clone()],
        };
        let word = |word: String| -> OsString {
            word.replace(INPUT, &input.to_string_lossy())
                .replace(OUTPUT, &output.to_string_lossy())
                .replace(STAGE, name)
                .replace(PROFILE, profile)
                .into()
        };
        let mut words: Vec<_> = self.words.iter().flat_map(of_language).map(word).collect();
        if let (Some(first), Some(file)) = (words.first_mut(), self.file()) {
            *first = file.into();
        }
        let ended = process::run(&Run { words: &words, folder: folder.path(), limit });
        let printed = ended.map_err(|fault| quote::with_lines(fault, text, reads))?;
        process::result(&output, &printed)
    }
}

/// Languages between the programs: what the first reads, what each reads that the one before it wrote, and SPIR-V.
///
/// # Errors
/// A program reads no language that the one before it writes, or the last one writes no SPIR-V.
pub(super) fn languages(steps: &[Step]) -> Result<Vec<Language>, CommandError> {
    let names = |languages: &[Language]| {
        let names: Vec<_> = languages.iter().map(|language| language.name()).collect();
        names.join(", ")
    };
    let mut languages: Vec<_> = steps.first().map(Step::reads).into_iter().collect();
    for (idx, step) in steps.iter().enumerate() {
        let next = steps.get(idx + 1);
        let reads = next.map_or(&[Language::Spirv][..], |next| &next.reads);
        let common = step.writes.iter().find(|language| reads.contains(language));
        languages.push(*common.ok_or_else(|| CommandError::NoLanguage {
            writer: step.name.clone(),
            writes: names(&step.writes),
            reader: next.map_or_else(|| "the driver".to_owned(), |next| next.name.clone()),
            reads: names(reads),
        })?);
    }
    Ok(languages)
}

/// How glslang is told what it reads.
const fn words_of_input(language: Language) -> &'static [&'static str] {
    match language {
        Language::Hlsl => &["-D"],
        Language::Spirv | Language::Wgsl | Language::Glsl => &[],
    }
}

/// How SPIRV-Cross is told what to write.
const fn words_of_output(language: Language) -> &'static [&'static str] {
    match language {
        Language::Hlsl => &["--hlsl", "--shader-model", "62"],
        Language::Glsl => &["--vulkan-semantics", "--version", "450", "--no-es"],
        Language::Spirv | Language::Wgsl => &[],
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

/// Size and time of a file.
fn stamp(file: &Path) -> String {
    file.metadata().map_or_else(
        |_| String::new(),
        |found| format!("{} {:?}", found.len(), found.modified().ok()),
    )
}

/// The first part of a word that is like `{name}` and stands for nothing.
fn unknown_placeholder(word: &str) -> Option<&str> {
    let mut opened = word.match_indices('{').filter_map(|(start, _)| {
        let length = word[start..].find('}')?;
        Some(&word[start..=start + length])
    });
    opened.find(|part| {
        let name = &part[1..part.len() - 1];
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase());
        is_name && ![INPUT, OUTPUT, STAGE, PROFILE].contains(part)
    })
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
        assert_eq!(of("cp {in} {out} {stge}"), Err(CommandError::Placeholder("{stge}".to_owned())));
        let inside = of("cp {in} {out} --x={stage}:{stge}");
        assert_eq!(inside, Err(CommandError::Placeholder("{stge}".to_owned())));
        assert!(of("cp {in} {out} {stage} --x={profile} {} {A} {b }{").is_ok());
    }

    #[track_caller]
    fn check_languages(texts: &[&str], expected: Result<&[Language], &str>) {
        let steps: Vec<_> =
            texts.iter().map(|text| Step::of_text(text, None).expect("a step")).collect();
        let found = languages(&steps).map_err(|error| error.to_string());
        assert_eq!(found.as_deref().map_err(String::as_str), expected, "{texts:?}");
    }

    #[test]
    fn every_program_reads_what_the_one_before_it_writes() {
        use Language::{Glsl, Hlsl, Spirv, Wgsl};
        check_languages(&["tint"], Ok(&[Wgsl, Spirv]));
        check_languages(&["naga", "dxc", "spirv-opt"], Ok(&[Wgsl, Hlsl, Spirv, Spirv]));
        check_languages(&["naga", "tint"], Ok(&[Wgsl, Wgsl, Spirv]));
        check_languages(&["spirv-cross", "glslang"], Ok(&[Spirv, Glsl, Spirv]));
        check_languages(&["spirv-cross", "dxc"], Ok(&[Spirv, Hlsl, Spirv]));
        check_languages(&["cp {in} {out}", "tint"], Ok(&[Spirv, Spirv, Spirv]));
        check_languages(&["spirv-opt", "dxc"], Err("spirv-opt writes spirv, and dxc reads hlsl"));
        check_languages(
            &["spirv-cross"],
            Err("spirv-cross writes glsl, hlsl, and the driver reads spirv"),
        );
    }

    /// An interpreter is called like its script, whose changes count.
    #[test]
    fn files_in_arguments_are_part_of_the_program() {
        let folder = tempfile::tempdir().expect("a folder");
        let script = folder.path().join("wrap.sh");
        std::fs::write(&script, "1").expect("a file");
        let of = || Step::of_text("sh wrap.sh {in} {out}", None).expect("a step");
        let step = of().relative_to(folder.path()).identified();
        let path = script.to_string_lossy();
        assert_eq!(step.words(), ["sh", &*path, "{in}", "{out}"]);
        assert_eq!(step.given(), format!("sh {path} {{in}} {{out}}"));
        assert_eq!(step.name(), "wrap");
        std::fs::write(&script, "12").expect("a file");
        assert_ne!(of().relative_to(folder.path()).identified().stamp, step.stamp);
        assert_eq!(of().identified().words(), ["sh", "wrap.sh", "{in}", "{out}"]);
    }

    #[test]
    fn a_path_is_relative_to_the_folder_that_names_it() {
        let of = |text: &str| {
            let step = Step::of_text(text, None).expect("a step").relative_to(Path::new("/a"));
            [step.program().to_owned(), step.given().to_owned()]
        };
        assert_eq!(of("naga=../b/naga"), ["/a/../b/naga", "naga=/a/../b/naga"]);
        assert_eq!(of("naga"), ["naga", "naga"]);
        assert_eq!(of("/x/y {in} {out}"), ["/x/y", "/x/y {in} {out}"]);
        assert_eq!(of("x/y {in} {out}"), ["/a/x/y", "/a/x/y {in} {out}"]);
    }
}
