//! Case files on disk: size-limited reading, and parsing under the name and in the dialect of their project.

use std::cell::RefCell;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use interstage::case::Case;
use interstage::case::parse::{
    CaseError, Files, ParsedCase, Picture, ScriptReader, UnreadCase, split, split_one,
};
use interstage::conformance::parser_test;
use interstage::conformance::shader_library::{self, Library, Templates};
use interstage::ir::diagnostic::Diagnostic;
use interstage::wgsl_file::{self, SettingsFile};

use crate::files::basis::Input;
use crate::files::picture;
use crate::project::{self, Identity};

/// Maximum size of a case file.
pub const MAX_BYTES: u64 = interstage::case::limits::MAX_FILE_BYTES as u64;

/// File name extension of case files.
pub const EXTENSION: &str = "shader_test";

/// File name extensions of scripts of Amber and `VkRunner`.
pub const SCRIPTS: [&str; 3] = ["amber", "vkscript", "vk_shader_test"];

/// File name extension of WGSL files, from which cases are generated.
pub const WGSL: &str = "wgsl";

/// File name extension of the shader library of the Vulkan and OpenGL conformance tests.
pub const SHADER_LIBRARY: &str = "test";

/// Stack for every thread that reads cases or compiles their shaders. It is large enough that the library's depth
/// limits apply before the stack ends, on every platform.
pub const STACK_BYTES: usize = 256 << 20;

/// A file that cannot be read as a case: the fault of the user or of the file system.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

/// Reads the file at `path`.
pub fn read(path: &str) -> Result<Vec<u8>, Unreadable> {
    let explain = |error: std::io::Error| Unreadable(format!("cannot read the file: {error}"));
    // Check the size first, so that a huge file is not read just to be rejected.
    let metadata = std::fs::metadata(path).map_err(explain)?;
    if !metadata.is_file() {
        return Err(Unreadable("the path is not a file".to_owned()));
    }
    refuse_large(metadata.len())?;
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
        .map_err(explain)?;
    refuse_large(bytes.len() as u64)?;
    Ok(bytes)
}

/// Reads and parses the file at `path`: one entry per combination of its parameters.
pub fn load(path: &str) -> Result<Vec<ParsedCase>, Unreadable> {
    parse_at(path, &read(path)?)
}

/// Parses the text of a case at `path`, and reads the files it references.
pub fn parse_at(path: &str, text: &[u8]) -> Result<Vec<ParsedCase>, Unreadable> {
    Ok(split_at(path, text)?.iter().map(|case| supplied(path, case).parsed).collect())
}

/// Splits the text of the file at `path` into cases, named by its project.
pub fn split_at(path: &str, text: &[u8]) -> Result<Vec<UnreadCase>, Unreadable> {
    let Identity { name, dialect, .. } = identify(path)?;
    if is_wgsl(path) {
        let settings = settings_of(path)?;
        let settings = settings.as_ref().map(|(path, text)| SettingsFile { path, text });
        return Ok(wgsl_file::read_cases(path, text, &name, settings));
    }
    if is_shader_library(path) {
        return Ok(library_of(path, text, &name)
            .map_or_else(|broken| vec![*broken], |library| library.cases()));
    }
    if let Some(reader) = reader_of(path) {
        return Ok(vec![read_by(reader, path, text, name)]);
    }
    let mut cases = split(path, text, dialect);
    for case in &mut cases {
        case.name = format!("{name}{}", parameters_of(&case.name));
    }
    Ok(cases)
}

/// The path of the settings beside a WGSL file.
fn settings_path(path: &str) -> String {
    format!("{path}.toml")
}

/// Path and text of the settings beside a WGSL file, if there are any.
fn settings_of(path: &str) -> Result<Option<(String, String)>, Unreadable> {
    let path = settings_path(path);
    if !Path::new(&path).exists() {
        return Ok(None);
    }
    let bytes =
        read(&path).map_err(|Unreadable(reason)| Unreadable(format!("{path}: {reason}")))?;
    Ok(Some((path, String::from_utf8_lossy(&bytes).into_owned())))
}

/// Finds the case called `name` in the text of the file at `path`. Parameters in `name` may also be separated by
/// commas.
pub fn split_one_at(path: &str, text: &[u8], name: &str) -> Result<Option<UnreadCase>, Unreadable> {
    let identity = identify(path)?;
    if is_wgsl(path) {
        let wanted = format!("{}{}", identity.name, parameters_of(name));
        return Ok(split_at(path, text)?.into_iter().find(|case| case.name == wanted));
    }
    if is_shader_library(path) {
        let wanted = format!("{}{}", identity.name, parameters_of(name));
        return Ok(match library_of(path, text, &identity.name) {
            Ok(library) => library.case(&wanted),
            Err(broken) => (wanted == identity.name).then_some(*broken),
        });
    }
    if let Some(reader) = reader_of(path) {
        return Ok((name == identity.name).then(|| read_by(reader, path, text, identity.name)));
    }
    let typed = format!("{path}{}", parameters_of(name));
    let found = split_one(path, text, identity.dialect, &typed);
    Ok(found.map(|mut found| {
        found.name = format!("{}{}", identity.name, parameters_of(&found.name));
        found
    }))
}

/// Parses the case called `name` in the text of the file at `path`; `None` if there is no such case.
pub fn parse_one(path: &str, text: &[u8], name: &str) -> Result<Option<ParsedCase>, Unreadable> {
    Ok(load_one(path, text, name)?.map(|loaded| loaded.parsed))
}

/// A parsed case, and the files that it was read from.
#[derive(Debug)]
pub struct Loaded {
    /// The case.
    pub parsed: ParsedCase,
    /// The case file and the files that the case names.
    pub inputs: Vec<Input>,
}

/// Parses a case like [`parse_one`], and also returns the files that were read.
pub fn load_one(path: &str, text: &[u8], name: &str) -> Result<Option<Loaded>, Unreadable> {
    let loaded = split_one_at(path, text, name)?.map(|case| supplied(path, &case));
    Ok(loaded.map(|mut loaded| {
        loaded.inputs.insert(0, Input::of_bytes(path, text));
        if is_wgsl(path) {
            loaded.inputs.push(Input::of_file(&settings_path(path)));
        }
        if is_shader_library(path) {
            loaded.inputs.extend(imports_of(path, text, name));
        }
        loaded
    }))
}

/// A file of the shader library that was read.
struct ReadLibrary {
    path: String,
    text: Vec<u8>,
    library: Arc<Library>,
}

/// The file of the shader library that was read last, unless it has imports, which may change. Reading such a file takes
/// longer than compiling most of its cases, which mostly run in succession.
static LAST: Mutex<Option<ReadLibrary>> = Mutex::new(None);

/// The cases of the file of the shader library at `path`, which its project calls `name`. Files in a folder called
/// `vulkan` have Vulkan's templates, as in the suite.
fn library_of(path: &str, text: &[u8], name: &str) -> Result<Arc<Library>, Box<UnreadCase>> {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(last) = last.as_ref().filter(|last| last.path == path && last.text == text) {
        return Ok(Arc::clone(&last.library));
    }
    let is_vulkan = Path::new(path).components().any(|part| part.as_os_str() == "vulkan");
    let templates = if is_vulkan { Templates::Vulkan } else { Templates::OpenGl };
    let file = shader_library::File { path, name, text, templates };
    let library = Arc::new(Library::read(file, &Beside::of(path))?);
    *last = library.imports().is_empty().then(|| ReadLibrary {
        path: path.to_owned(),
        text: text.to_owned(),
        library: Arc::clone(&library),
    });
    Ok(library)
}

/// The files that a file of the shader library imports.
fn imports_of(path: &str, text: &[u8], name: &str) -> Vec<Input> {
    let Ok(library) = library_of(path, text, file_of(name)) else { return Vec::new() };
    let folder = Path::new(path).parent().unwrap_or(Path::new(""));
    let file = |import: &String| Input::of_file(&folder.join(import).to_string_lossy());
    library.imports().iter().map(file).collect()
}

/// The file part of a case's name: all but the parameters.
pub fn file_of(name: &str) -> &str {
    &name[..name.len() - parameters_of(name).len()]
}

/// The part of a case's name after the file: `#name=value;…`, the entry points of a WGSL file, or the groups and the
/// case of a file of the shader library; may be empty.
pub fn parameters_of(name: &str) -> &str {
    let behind =
        |extension: &str| name.rfind(extension).map(|at| &name[at + extension.len() - 1..]);
    let extensions = [".shader_test#", ".wgsl#", ".test#"];
    extensions.into_iter().find_map(behind).unwrap_or("")
}

/// True for the path of a WGSL file.
pub fn is_wgsl(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == WGSL)
}

/// True for the path of a file of the shader library.
pub fn is_shader_library(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == SHADER_LIBRARY)
}

/// True for the path of a case, a script or a file of the shader library.
pub fn is_case(path: &Path) -> bool {
    let extension = path.extension();
    extension.is_some_and(|extension| {
        let known = [EXTENSION, SHADER_LIBRARY].into_iter().chain(SCRIPTS);
        known.into_iter().any(|known| extension == known)
    })
}

/// True for the path of a script.
pub fn is_script(path: &str) -> bool {
    let extension = Path::new(path).extension();
    extension.is_some_and(|extension| SCRIPTS.iter().any(|known| extension == *known))
}

/// True for the path of a stage, which may be a parser test.
pub fn is_stage(path: &str) -> bool {
    parser_test::stage_of(path).is_some()
}

/// True for the path of a parser test, whose text has a `[config]`.
pub fn is_parser_test(path: &Path) -> bool {
    let text = path.to_str().filter(|path| is_stage(path)).and_then(|path| read(path).ok());
    text.is_some_and(|text| parser_test::is_test(&String::from_utf8_lossy(&text)))
}

/// The reader of files that are not written as sections: scripts and parser tests.
fn reader_of(path: &str) -> Option<ScriptReader> {
    if is_script(path) {
        return Some(interstage::amber::read_case);
    }
    is_stage(path).then_some(parser_test::read_case)
}

fn read_by(reader: ScriptReader, path: &str, text: &[u8], name: String) -> UnreadCase {
    let mut case = UnreadCase::of_script(path, text, reader);
    case.name = name;
    case
}

fn identify(path: &str) -> Result<Identity, Unreadable> {
    project::identify(path).map_err(|error| Unreadable(error.to_string()))
}

/// Reads one case of the file at `path` and the files that it references.
pub fn supplied(path: &str, case: &UnreadCase) -> Loaded {
    let beside = Beside::of(path);
    let mut parsed = case.read_with(&beside);
    if let Ok(case) = &mut parsed.result
        && let Err(errors) = supply(&beside, case)
    {
        parsed.result = Err(CaseError::Broken(errors));
    }
    Loaded { parsed, inputs: beside.inputs.into_inner() }
}

/// Files in the case's folder that the case references.
pub fn files_of(case: &Case) -> impl Iterator<Item = &str> {
    let further = case.further_programs.iter().flat_map(|program| &program.shaders);
    let shaders = case.shaders.iter().chain(further);
    let modules = shaders.filter_map(|shader| Some(&*shader.file.as_ref()?.path.value));
    modules.chain(case.files.iter().map(String::as_str))
}

/// The files beside a case file.
struct Beside<'a> {
    /// Path of the case file.
    case: &'a str,
    /// The files that were read.
    inputs: RefCell<Vec<Input>>,
}

impl<'a> Beside<'a> {
    /// The files beside the case file at this path.
    fn of(case: &'a str) -> Self {
        Self { case, inputs: RefCell::default() }
    }
}

impl Files for Beside<'_> {
    fn bytes(&self, path: &str) -> Result<Vec<u8>, String> {
        let folder = Path::new(self.case).parent().unwrap_or(Path::new(""));
        let path = folder.join(path);
        let path = path.to_str().ok_or_else(|| "the file name is not UTF-8".to_owned())?;
        let content = read(path);
        let input = content.as_ref().map(|bytes| Input::of_bytes(path, bytes));
        self.inputs.borrow_mut().push(input.unwrap_or_else(|_| Input::of_file(path)));
        content.map_err(|unreadable| unreadable.0)
    }

    fn picture(&self, path: &str) -> Result<Picture, String> {
        picture::decode(&self.bytes(path)?)
    }
}

fn supply(beside: &Beside<'_>, case: &mut Case) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let further = case.further_programs.iter_mut().flat_map(|program| &mut program.shaders);
    for shader in case.shaders.iter_mut().chain(further) {
        let Some(file) = shader.file.as_ref().filter(|file| file.content.is_err()) else {
            continue;
        };
        let content = beside.bytes(&file.path.value);
        if let Err(reason) = &content {
            errors.push(Diagnostic::error(file.path.span, reason.clone()));
        }
        shader.supply(content);
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn refuse_large(size: u64) -> Result<(), Unreadable> {
    if size > MAX_BYTES {
        return Err(Unreadable(format!(
            "the file has {size} bytes; the limit for a case file is {MAX_BYTES}"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_file_and_its_parameters() {
        let check = |name: &str, file: &str, parameters: &str| {
            assert_eq!((file_of(name), parameters_of(name)), (file, parameters));
        };
        check("cases/a.shader_test", "cases/a.shader_test", "");
        check("a.wgsl#vs+fs", "a.wgsl", "#vs+fs");
        check("a.test#if.x_vertex", "a.test", "#if.x_vertex");
        check("a#b/c.shader_test#n=1;m=2", "a#b/c.shader_test", "#n=1;m=2");
    }
}
