//! The cases of a `.test` file and of the files that it imports.

use std::collections::BTreeMap;
use std::sync::Arc;

use case::Dialect;
use case::limits::MAX_ERRORS;
use case::parse::{CaseError, Files, UnreadCase, source_of};
use ir::diagnostic::{Diagnostic, one_line};
use ir::source::{Source, Span};
use ir::stage::ShaderStage;

use super::compose::{Composed, composed};
use super::excerpt;
use super::read::{Part, read};
use super::syntax::{Body, Case, Shader};
use super::templates::Templates;

/// First characters of the suite's files in XML, which have the same extension.
const XML: &str = "<?xml";

/// Maximum number of files that a file imports, directly or through others.
const MAX_IMPORTS: usize = 64;

/// Maximum number of cases of a file.
const MAX_CASES: usize = 100_000;

/// Maximum size of the composed cases of a file together.
const MAX_BYTES: usize = 256 << 20;

/// A `.test` file.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// Path of the file.
    pub path: &'a str,
    /// Name of the file in its project.
    pub name: &'a str,
    /// Content of the file.
    pub text: &'a [u8],
    /// The templates that fill in its placeholders.
    pub templates: Templates,
}

/// The cases of a `.test` file and of its imports.
#[derive(Clone, Debug)]
pub struct Library {
    /// Name of the file in its project.
    name: String,
    templates: Templates,
    source: Arc<Source>,
    entries: Vec<Entry>,
    /// Mistakes outside cases, with positions in the file itself.
    mistakes: Vec<Diagnostic>,
    /// Paths of the imported files, from the folder of the file.
    imports: Vec<String>,
}

impl Library {
    /// Reads a file, and those that it imports from `files`.
    ///
    /// # Errors
    /// The file is no text, or one of the suite's lists of entry points in XML: a case with the error.
    pub fn read(file: File<'_>, files: &dyn Files) -> Result<Self, Box<UnreadCase>> {
        let source =
            source_of(file.path, file.text, Dialect::ShaderLibrary).map_err(|mut broken| {
                file.name.clone_into(&mut broken.name);
                Box::new(broken)
            })?;
        if source.text().starts_with(XML) {
            let word = "a list of entry points in XML, not a file of the shader library".to_owned();
            let error = CaseError::Unsupported { word, span: Span::new(0, XML.len()) };
            return Err(Box::new(UnreadCase::refused(file.name.to_owned(), source, error)));
        }
        let source = Arc::new(source);
        let own = file.path.rsplit(['/', '\\']).next().unwrap_or(file.path).to_owned();
        let mut reader = LibraryReader {
            source: Arc::clone(&source),
            files,
            entries: Vec::new(),
            mistakes: Vec::new(),
            imports: Vec::new(),
            known: BTreeMap::new(),
        };
        reader.add(Origin {
            source: Arc::clone(&source),
            folder: String::new(),
            group: String::new(),
            open: vec![own],
            import: None,
        });
        let LibraryReader { entries, mut mistakes, imports, .. } = reader;
        if entries.is_empty() && mistakes.is_empty() {
            mistakes.push(Diagnostic::error(Span::new(0, 0), "the file has no case"));
        }
        let name = file.name.to_owned();
        Ok(Self { name, templates: file.templates, source, entries, mistakes, imports })
    }

    /// All cases, in the order of the file: `NAME#GROUP.CASE`, with `_vertex` or `_fragment` behind it for `both`.
    /// Mistakes outside cases are a case called as the file.
    pub fn cases(&self) -> Vec<UnreadCase> {
        let mut cases: Vec<_> = self.broken().into_iter().collect();
        let mut bytes = 0_usize;
        for entry in &self.entries {
            if bytes > MAX_BYTES {
                let message =
                    format!("the cases of the file are more than {MAX_BYTES} bytes; divide it");
                let error = CaseError::Broken(vec![Diagnostic::error(entry.span, message)]);
                cases.push(self.refused(entry, error));
                break;
            }
            let case = self.unread(entry);
            bytes += case.source().text().len();
            cases.push(case);
        }
        cases
    }

    /// The case with this name. Other cases are not composed.
    pub fn case(&self, name: &str) -> Option<UnreadCase> {
        if name == self.name {
            return self.broken();
        }
        let wanted = name.strip_prefix(&self.name)?.strip_prefix('#')?;
        self.entries.iter().find(|entry| entry.name == wanted).map(|entry| self.unread(entry))
    }

    /// Paths of the imported files, from the folder of the file.
    pub fn imports(&self) -> &[String] {
        &self.imports
    }

    /// The case with the mistakes outside cases, if there are any.
    fn broken(&self) -> Option<UnreadCase> {
        let is_right = self.mistakes.is_empty();
        let error = CaseError::Broken(self.mistakes.clone());
        let text = || Source::new(self.source.path(), self.source.text());
        (!is_right).then(|| UnreadCase::refused(self.name.clone(), text(), error))
    }

    /// A case, not read yet.
    fn unread(&self, entry: &Entry) -> UnreadCase {
        let outcome = match &entry.case {
            Err(mistake) => Err(CaseError::Broken(vec![mistake.clone()])),
            Ok(case) => entry.composed(case, self.templates),
        };
        match outcome {
            Ok(Composed { source, dialect }) => {
                UnreadCase::of(self.full_name(entry), source, dialect)
            }
            Err(error) => self.refused(entry, error),
        }
    }

    fn refused(&self, entry: &Entry, error: CaseError) -> UnreadCase {
        let (source, error) = excerpt::of(&entry.source, entry.span, error);
        UnreadCase::refused(self.full_name(entry), source, error)
    }

    fn full_name(&self, entry: &Entry) -> String {
        format!("{}#{}", self.name, entry.name)
    }
}

/// Reads a file and its imports.
struct LibraryReader<'a> {
    /// The file itself.
    source: Arc<Source>,
    files: &'a dyn Files,
    entries: Vec<Entry>,
    mistakes: Vec<Diagnostic>,
    imports: Vec<String>,
    /// Names of the cases, with the place of each.
    known: BTreeMap<String, String>,
}

/// A case of a library.
#[derive(Clone, Debug)]
struct Entry {
    /// Its name behind `#`.
    name: String,
    /// The text of its file.
    source: Arc<Source>,
    /// Its position.
    span: Span,
    case: Result<Arc<Case>, Diagnostic>,
    /// The stage that the source of `both` is.
    stage: Option<ShaderStage>,
}

/// A file that is read, and how it was imported.
struct Origin {
    source: Arc<Source>,
    /// Folder from that of the first file, with a slash behind it; empty for the same folder.
    folder: String,
    /// Groups around the import, joined by dots.
    group: String,
    /// Paths of the files that are being read.
    open: Vec<String>,
    /// Position of the import in the first file; `None` for that file.
    import: Option<Span>,
}

impl LibraryReader<'_> {
    /// Adds the cases of a file. Imports call this again, at most [`MAX_IMPORTS`] times.
    fn add(&mut self, origin: Origin) {
        let found = read(&origin.source);
        for mistake in found.mistakes {
            self.report(&origin, mistake);
        }
        for part in found.parts {
            match part {
                Part::Case { name, span, case } => {
                    self.add_case(&origin, format!("{}{name}", origin.group), span, *case);
                }
                Part::Import { group, path } => match self.imported(&origin, &path.value) {
                    Ok((source, file)) => {
                        let folder = file.rfind('/').map_or("", |slash| &file[..=slash]);
                        let folder = folder.to_owned();
                        let open = origin.open.iter().cloned().chain([file]).collect();
                        let group = format!("{}{group}", origin.group);
                        let import = Some(origin.import.unwrap_or(path.span));
                        self.add(Origin { source, folder, group, open, import });
                    }
                    Err(message) => {
                        self.report(&origin, Diagnostic::error(path.span, message));
                    }
                },
            }
        }
    }

    /// Adds a case, or the two cases of `both`.
    fn add_case(
        &mut self,
        origin: &Origin,
        name: String,
        span: Span,
        case: Result<Case, Diagnostic>,
    ) {
        let case = case.map(Arc::new);
        let is_both = case.as_ref().is_ok_and(|case| matches!(case.body, Body::Both { .. }));
        let names = if is_both {
            vec![
                (format!("{name}_vertex"), Some(ShaderStage::Vertex)),
                (format!("{name}_fragment"), Some(ShaderStage::Fragment)),
            ]
        } else {
            vec![(name, None)]
        };
        for (name, stage) in names {
            let (line, _) = origin.source.line_and_column(span.start);
            if let Some(first) = self.known.get(&name) {
                let message = format!("there is a case `{name}` already, at {first}");
                self.report(
                    origin,
                    Diagnostic::error(Span::new(span.start, span.start + 4), message),
                );
                return;
            }
            self.known.insert(name.clone(), format!("{}:{line}", origin.source.path()));
            let (source, case) = (Arc::clone(&origin.source), case.clone());
            self.entries.push(Entry { name, source, span, case, stage });
        }
    }

    /// The text of an imported file, and its path from the folder of the first file.
    ///
    /// # Errors
    /// The reason why it cannot be imported.
    fn imported(&mut self, origin: &Origin, path: &str) -> Result<(Arc<Source>, String), String> {
        let is_plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', ':']);
        if !path.split('/').all(is_plain) {
            return Err(format!("`{path}` is not a path below the folder of the file"));
        }
        let file = format!("{}{path}", origin.folder);
        if origin.open.contains(&file) {
            return Err(format!("`{path}` imports itself, directly or through another file"));
        }
        self.imports.push(file.clone());
        if self.imports.len() > MAX_IMPORTS || self.entries.len() > MAX_CASES {
            return Err(format!(
                "a file may have {MAX_IMPORTS} imports and {MAX_CASES} cases, with those of its imports"
            ));
        }
        let bytes = self.files.bytes(&file).map_err(|reason| format!("`{path}`: {reason}"))?;
        let first = self.source.path();
        let folder = first.rfind(['/', '\\']).map_or("", |slash| &first[..=slash]);
        let source = source_of(&format!("{folder}{file}"), &bytes, Dialect::ShaderLibrary);
        let source = source.map_err(|_| format!("`{path}` is empty or no text"))?;
        Ok((Arc::new(source), file))
    }

    /// Reports a mistake outside cases; one of an imported file at its import.
    fn report(&mut self, origin: &Origin, mistake: Diagnostic) {
        if self.mistakes.len() >= MAX_ERRORS {
            return;
        }
        let Some(import) = origin.import else {
            self.mistakes.push(mistake);
            return;
        };
        let message = one_line(&origin.source, &mistake);
        self.mistakes.push(Diagnostic { message, span: Some(import), ..mistake });
    }
}

impl Entry {
    fn composed(&self, case: &Case, templates: Templates) -> Result<Composed, CaseError> {
        match (self.stage, &case.body) {
            (Some(stage), Body::Both { shader, extensions }) => {
                let (shader, extensions) = (Shader { stage, ..*shader }, extensions.clone());
                let case = Case { body: Body::Both { shader, extensions }, ..case.clone() };
                composed(&case, &self.source, templates)
            }
            _ => composed(case, &self.source, templates),
        }
    }
}
