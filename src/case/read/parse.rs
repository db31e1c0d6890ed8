//! Parser of a case file. `docs/format` is the reference of the format.
//!
//! [`split`] decodes the bytes, `parameters` makes one text for each combination, and `read_case` reads the sections of
//! one text, each with the module of the same name.

use std::sync::Arc;

use crate::limits::MAX_FILE_BYTES;
pub use crate::read::problem::CaseError;
use crate::read::reader::Reader;
use crate::read::section::require::{self, SpirvMode};
use crate::read::section::{self, Section, SectionKind};
use crate::read::section::{include, link, specialization, spirv, targets, varyings, vertex_data};
use crate::read::{checks, commands, parameters, stage_names};
use crate::{Case, Dialect, Language, ProgramExpectation, ShaderSource, Step};
use ir::diagnostic::Diagnostic;
use ir::source::{Source, Span, Spanned};

/// One case of a file: the file itself, or one combination of its `[parameters]`.
#[derive(Clone, Debug)]
pub struct ParsedCase {
    /// Name of the case, as in [`Case::name`].
    pub name: String,
    /// The text that the spans of messages refer to.
    pub source: Arc<Source>,
    /// The case, or the error.
    pub result: Result<Case, CaseError>,
}

/// A case with its text, not parsed yet.
#[derive(Clone, Debug)]
pub struct UnreadCase {
    /// Name of the case, as in [`Case::name`].
    pub name: String,
    source: Arc<Source>,
    language: Reading,
    /// Error for the file as a whole.
    error: Option<CaseError>,
}

/// How the text of a case is read.
#[derive(Clone, Copy, Debug)]
enum Reading {
    /// As sections of a case file, in this dialect.
    Sections(Dialect),
    /// With a reader for another language.
    Script(ScriptReader),
}

/// Reads the text of a case in another language. The first argument is [`Case::name`].
pub type ScriptReader = fn(String, Arc<Source>, &dyn Files) -> ParsedCase;

/// The files next to a case. Paths are relative to its folder, and stay inside it.
pub trait Files {
    /// The bytes of a file, or the reason why it cannot be read.
    fn bytes(&self, path: &str) -> Result<Vec<u8>, String>;

    /// The pixels of a picture, or the reason why it cannot be read.
    fn picture(&self, path: &str) -> Result<Picture, String>;
}

/// No files: reading one fails.
#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl Files for NoFiles {
    fn bytes(&self, _: &str) -> Result<Vec<u8>, String> {
        Err("it is not loaded".to_owned())
    }

    fn picture(&self, _: &str) -> Result<Picture, String> {
        Err("it is not loaded".to_owned())
    }
}

/// A picture, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Width and height.
    pub size: [u32; 2],
    /// Red, green, blue and alpha of each pixel.
    pub bytes: Vec<u8>,
}

impl UnreadCase {
    /// A case whose text is in sections of the case format, in this dialect.
    pub fn of(name: String, source: Source, dialect: Dialect) -> Self {
        let language = Reading::Sections(dialect);
        Self { name, source: Arc::new(source), language, error: None }
    }

    /// The case that `reader` finds in `bytes`, the content of the file at `path`.
    pub fn of_script(path: &str, bytes: &[u8], reader: ScriptReader) -> Self {
        match source_of(path, bytes, Dialect::Vulkan) {
            Ok(source) => {
                let unread = Self::of(path.to_owned(), source, Dialect::Vulkan);
                Self { language: Reading::Script(reader), ..unread }
            }
            Err(broken) => broken,
        }
    }

    /// A case that cannot be read, with the text that the error concerns.
    pub fn refused(name: String, source: Source, error: CaseError) -> Self {
        Self { error: Some(error), ..Self::of(name, source, Dialect::Interstage) }
    }

    /// The text of the case.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Parses the case, without any files next to it.
    pub fn read(&self) -> ParsedCase {
        self.read_with(&NoFiles)
    }

    /// Parses the case, with the files next to it.
    pub fn read_with(&self, files: &dyn Files) -> ParsedCase {
        let (name, source) = (self.name.clone(), Arc::clone(&self.source));
        match (&self.error, self.language) {
            (Some(error), _) => ParsedCase { name, source, result: Err(error.clone()) },
            (None, Reading::Sections(dialect)) => read_case(name, source, dialect),
            (None, Reading::Script(reader)) => reader(name, source, files),
        }
    }
}

/// Parses `bytes`, the content of the file at `path`, as one or more cases.
///
/// Never fails as a whole: a file that cannot be read at all is one [`ParsedCase`] with an error.
pub fn parse(path: &str, bytes: &[u8], dialect: Dialect) -> Vec<ParsedCase> {
    split(path, bytes, dialect).iter().map(UnreadCase::read).collect()
}

/// Like [`parse`], but only expands the parameters of the file.
pub fn split(path: &str, bytes: &[u8], dialect: Dialect) -> Vec<UnreadCase> {
    let source = match source_of(path, bytes, dialect) {
        Ok(source) => source,
        Err(broken) => return vec![broken],
    };
    let unread = |name, source| UnreadCase::of(name, source, dialect);
    if dialect == Dialect::Piglit {
        return vec![unread(path.to_owned(), source)];
    }
    match parameters::expand(&source) {
        Ok(combinations) => combinations
            .into_iter()
            .map(|one| unread(format!("{path}{}", one.suffix), one.source))
            .collect(),
        Err(error) => vec![UnreadCase { error: Some(error), ..unread(path.to_owned(), source) }],
    }
}

/// The case called `name` among the results of [`split`]. Much faster than expanding and parsing all combinations of a
/// file.
pub fn split_one(path: &str, bytes: &[u8], dialect: Dialect, name: &str) -> Option<UnreadCase> {
    let suffix = name.strip_prefix(path)?;
    if suffix.is_empty() {
        return split(path, bytes, dialect).into_iter().find(|case| case.name == name);
    }
    let source = source_of(path, bytes, dialect).ok()?;
    let one = parameters::expand_one(&source, suffix).ok()??;
    Some(UnreadCase::of(name.to_owned(), one.source, dialect))
}

/// The text of a file.
///
/// # Errors
/// The file is empty, too large or no text: a case with the error.
pub fn source_of(path: &str, bytes: &[u8], dialect: Dialect) -> Result<Source, UnreadCase> {
    text_of(bytes, dialect).map(|text| Source::new(path, text)).map_err(|(text, error)| {
        let error = Some(CaseError::Broken(vec![error]));
        let broken = UnreadCase::of(path.to_owned(), Source::new(path, text), dialect);
        UnreadCase { error, ..broken }
    })
}

/// Decodes the bytes as text; on an error, returns it with as much text as its message needs.
fn text_of(bytes: &[u8], dialect: Dialect) -> Result<String, (String, Diagnostic)> {
    let length = bytes.len();
    let start = Span::new(0, 0);
    let at_start = |message: String| (String::new(), Diagnostic::error(start, message));
    if length > MAX_FILE_BYTES {
        let message = format!("the file has {length} bytes; a case has at most {MAX_FILE_BYTES}");
        return Err(at_start(message));
    }
    // `contains` compares many bytes at a time.
    if bytes.contains(&0) {
        let position = bytes.iter().take_while(|byte| **byte != 0).count();
        return Err(at_start(format!("this is not a text file: byte {position} is zero")));
    }
    let text = String::from_utf8_lossy(bytes);
    if text.trim().is_empty() {
        return Err((text.into_owned(), Diagnostic::error(start, "the file is empty")));
    }
    match std::str::from_utf8(bytes) {
        // Some of these files have shaders with characters that GLSL does not have.
        Err(_) if matches!(dialect, Dialect::Piglit | Dialect::ShaderLibrary) => {
            Ok(text.into_owned())
        }
        Err(error) => {
            // Both texts are equal up to here, where the replacement character is.
            let start = error.valid_up_to();
            let span = Span::new(start, start + char::REPLACEMENT_CHARACTER.len_utf8());
            Err((text.into_owned(), Diagnostic::error(span, "this is not UTF-8")))
        }
        Ok(_) => Ok(text.into_owned()),
    }
}

fn read_case(name: String, source: Arc<Source>, dialect: Dialect) -> ParsedCase {
    let mut case = Case::empty(name.clone(), Arc::clone(&source), dialect);
    let mut reader = Reader::new(&source, dialect);
    let sections = section::split(&mut reader);
    let spirv_mode = read_sections(&mut reader, &sections, &mut case);
    if dialect == Dialect::Piglit {
        choose_language(&mut case.shaders, spirv_mode);
        imply_expectation(&mut case.steps, checks::place_of_steps(&source, &sections));
    }
    stage_names::resolve(&mut case);
    checks::check(&mut reader, &sections, &case);
    let result = reader.finish().map(|warnings| Case { warnings, ..case });
    ParsedCase { name, source, result }
}

fn read_sections(reader: &mut Reader<'_>, sections: &[Section], case: &mut Case) -> SpirvMode {
    let mut spirv_mode = SpirvMode::default();
    for (idx, section) in sections.iter().enumerate() {
        let is_shader = matches!(section.kind, SectionKind::Shader { .. } | SectionKind::Include);
        if !is_shader && sections[..idx].iter().any(|earlier| earlier.kind == section.kind) {
            let header = reader.source.slice(section.header);
            reader.report(Diagnostic::error(section.header, format!("`{header}` is given twice")));
            continue;
        }
        match &section.kind {
            SectionKind::Require => spirv_mode = require::read(reader, section, case),
            SectionKind::Parameters => {}
            SectionKind::Shader { stage, language, name } => {
                let mut shader = ShaderSource {
                    stage: *stage,
                    language: *language,
                    name: name.clone(),
                    header: section.header,
                    text: section.body,
                    entry: None,
                    file: None,
                };
                match language {
                    Language::SpirvAssembly | Language::Wgsl => {
                        spirv::read(reader, section, &mut shader);
                    }
                    Language::Glsl | Language::Passthrough => {}
                }
                case.shaders.push(shader);
            }
            SectionKind::Specializations(stage) => {
                specialization::read(reader, section, *stage, &mut case.specializations);
            }
            SectionKind::Include => include::read(reader, section, case),
            SectionKind::IncludePaths => include::read_folders(reader, section, case),
            SectionKind::Varyings => varyings::read(reader, section, case),
            SectionKind::VertexData => vertex_data::read(reader, section, case),
            SectionKind::IndexData => vertex_data::read_indices(reader, section, case),
            SectionKind::RenderTargets => targets::read(reader, section, case),
            SectionKind::Link => link::read(reader, section, case),
            SectionKind::Capture => crate::read::section::capture::read(reader, section, case),
            SectionKind::Test => commands::read(reader, section, case),
            SectionKind::Expect => crate::read::section::expected::read(reader, section, case),
        }
    }
    spirv_mode
}

/// Selects between the GLSL and SPIR-V sections of a stage; piglit's files may have both.
fn choose_language(shaders: &mut Vec<ShaderSource>, spirv: SpirvMode) {
    let (chosen, other) = match spirv {
        SpirvMode::Replaces => (Language::SpirvAssembly, Language::Glsl),
        SpirvMode::Off => (Language::Glsl, Language::SpirvAssembly),
    };
    let stages: Vec<_> = shaders
        .iter()
        .filter(|shader| shader.language == chosen)
        .map(|shader| shader.stage)
        .collect();
    shaders.retain(|shader| shader.language != other || !stages.contains(&shader.stage));
}

/// Adds `link success` to a piglit file without expectations.
fn imply_expectation(steps: &mut Vec<Spanned<Step>>, place: Span) {
    if !steps.iter().any(|step| matches!(step.value, Step::Expect(_))) {
        steps.push(Spanned::new(ProgramExpectation::LinkSuccess.into(), place));
    }
}

#[cfg(test)]
pub(super) mod tests {
    use expect_test::expect;
    use proptest::prelude::*;

    use super::*;
    use crate::limits::MAX_ERRORS;
    use crate::read::reader::lines;

    /// Formats every error as `line:column: message (help: …)`.
    pub(crate) fn describe(source: &Source, error: &CaseError) -> String {
        let at = |span: Span| {
            let (line, column) = source.line_and_column(span.start);
            format!("{line}:{column}: ")
        };
        match error {
            CaseError::Unsupported { word, span } => format!("{}unsupported: {word}", at(*span)),
            CaseError::Excluded { reason } => format!("excluded: {reason}"),
            CaseError::Broken(errors) => errors
                .iter()
                .map(|error| {
                    let help = error
                        .help
                        .as_ref()
                        .map_or(String::new(), |help| format!(" (help: {help})"));
                    format!("{}{}{help}", error.span.map_or(String::new(), at), error.message)
                })
                .collect::<Vec<_>>()
                .join("\n"),
        }
    }

    /// The only case of a text, or its errors.
    pub(crate) fn messages(text: &str, dialect: Dialect) -> Result<Case, String> {
        let mut cases = parse("a.shader_test", text.as_bytes(), dialect);
        assert_eq!(cases.len(), 1);
        let case = cases.remove(0);
        case.result.map_err(|error| describe(&case.source, &error))
    }

    #[track_caller]
    fn check_bytes(bytes: &[u8], dialect: Dialect, expect: &expect_test::Expect) {
        let case = parse("a", bytes, dialect).remove(0);
        expect.assert_eq(&match case.result {
            Ok(case) => format!("{} steps, {} warnings", case.steps.len(), case.warnings.len()),
            Err(error) => describe(&case.source, &error),
        });
    }

    #[test]
    fn files_that_are_no_text_are_refused_with_their_reason() {
        for dialect in [Dialect::Interstage, Dialect::Piglit] {
            check_bytes(b"", dialect, &expect!["1:1: the file is empty"]);
            check_bytes(b" \n\n", dialect, &expect!["1:1: the file is empty"]);
            check_bytes(
                b"[test]\0",
                dialect,
                &expect!["1:1: this is not a text file: byte 6 is zero"],
            );
            let large = vec![b'#'; MAX_FILE_BYTES + 1];
            check_bytes(
                &large,
                dialect,
                &expect!["1:1: the file has 4194305 bytes; a case has at most 4194304"],
            );
        }
    }

    #[test]
    fn only_piglit_may_have_text_that_is_not_utf8() {
        let bytes = b"[test]\n# \xe9\nlink success\n";
        check_bytes(bytes, Dialect::Interstage, &expect!["2:3: this is not UTF-8"]);
        check_bytes(bytes, Dialect::Piglit, &expect!["1 steps, 0 warnings"]);
    }

    #[test]
    fn trailing_text_is_an_error_or_a_warning() {
        let bytes = b"[test]\nlink success really # why\n";
        check_bytes(
            bytes,
            Dialect::Interstage,
            &expect!["2:14: unexpected `really` at the end of the line"],
        );
        check_bytes(bytes, Dialect::Piglit, &expect!["1 steps, 1 warnings"]);
    }

    /// Each unknown word is compared with all known ones, so a file of them took minutes.
    #[test]
    fn reading_ends_at_the_first_error_too_many() {
        for (header, word) in [("[require]", "GL_"), ("[test]", "probee_")] {
            let lines: Vec<_> = (0..5000).map(|number| format!("{word}{number}\n")).collect();
            let text = format!("{header}\n{}", lines.concat());
            let errors = messages(&text, Dialect::Interstage).expect_err("nothing is known");
            let errors: Vec<_> = errors.lines().collect();
            assert_eq!(errors.len(), MAX_ERRORS + 1);
            assert_eq!(errors.last(), Some(&"101:1: further errors are not shown"));
        }
    }

    #[test]
    fn all_errors_are_reported_in_the_order_of_the_file() {
        let bytes =
            b"[require]\nGLS >= 1.30\n[tset]\n[test]\nprob all\nclear 1\n[require]\nsize 1\n";
        check_bytes(
            bytes,
            Dialect::Interstage,
            &expect![[r"
            2:1: unknown requirement `GLS` (help: did you mean `GL`?)
            3:1: unknown section `[tset]` (help: did you mean `test`?)
            5:1: unknown command `prob` (help: did you mean `probe`?)
            6:7: unexpected `1` at the end of the line
            7:1: `[require]` is given twice"]],
        );
    }

    #[test]
    fn a_piglit_file_without_expectation_expects_to_link() {
        let case = messages("[test]\ndraw rect 0 0 1 1\n", Dialect::Piglit).expect("is a case");
        assert_eq!(case.steps[1].value, ProgramExpectation::LinkSuccess.into());
        let case = messages("[vertex shader]\n", Dialect::Piglit).expect("is a case");
        assert_eq!(case.steps.len(), 1);
    }

    #[test]
    fn spirv_replaces_glsl_only_where_it_is_asked_for() {
        let languages = |require: &str| {
            let text = format!(
                "[require]\n{require}\n[vertex shader]\n[vertex shader spirv]\n[fragment shader]\n[test]\n"
            );
            let case = messages(&text, Dialect::Piglit).expect("is a case");
            case.shaders.iter().map(|shader| shader.language).collect::<Vec<_>>()
        };
        assert_eq!(languages("SPIRV YES"), [Language::SpirvAssembly, Language::Glsl]);
        assert_eq!(languages(""), [Language::Glsl, Language::Glsl]);
    }

    #[test]
    fn every_combination_is_a_case_of_its_own() {
        let text = b"[parameters]\nn = 1 2\n[test]\nlink ${n}\n";
        let cases = parse("a", text, Dialect::Interstage);
        let names: Vec<_> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names, ["a#n=1", "a#n=2"]);
        let errors: Vec<_> = cases
            .iter()
            .filter_map(|case| Some(describe(&case.source, case.result.as_ref().err()?)))
            .collect();
        assert!(
            errors[1].starts_with("4:6: expected `success` or `error`, found `2`"),
            "{errors:?}"
        );
    }

    #[test]
    fn shader_text_is_the_section_as_it_stands() {
        let text = "[vertex shader]\n# no comment\nvoid main() {}\n\n[test]\nlink success\n";
        let case = messages(text, Dialect::Interstage).expect("is a case");
        assert_eq!(case.source.slice(case.shaders[0].text), "# no comment\nvoid main() {}\n\n");
    }

    /// A random line that resembles part of a case, so that random text gets past the headers.
    fn likely_line() -> impl Strategy<Value = String> {
        let words = prop::sample::select(vec![
            "[require]",
            "[vertex shader]",
            "[vertex data]",
            "[index data]",
            "[link]",
            "[test]",
            "[varyings]",
            "[render targets]",
            "[parameters]",
            "GLSL >= 1.30",
            "a/float/vec2",
            "probe",
            "rect",
            "all",
            "rgba",
            "draw",
            "arrays",
            "triangles",
            "uniform",
            "mat4",
            "vec2[3]",
            "flat",
            "0",
            "-1",
            "1e9",
            "0x7fffffff",
            "nan",
            "(",
            ")",
            ",",
            "\"",
            "#",
            "=",
            "only",
            "1..4",
            "${a}",
            "@for i in 0..3",
            "@end",
            "slots",
            "0.xy",
            "ssbo",
            "subdata",
            "é",
            "ulp",
            "a",
            "==",
            "&&",
        ]);
        prop::collection::vec(words, 0..6).prop_map(|words| words.join(" "))
    }

    #[track_caller]
    fn check_spans(bytes: &[u8]) {
        for dialect in [Dialect::Interstage, Dialect::Piglit] {
            for case in parse("a", bytes, dialect) {
                let whole = Span::new(0, case.source.text().len());
                let count = lines(&case.source, whole).count();
                assert!(count <= case.source.line_count());
                if let Err(CaseError::Broken(errors)) = case.result {
                    assert!(!errors.is_empty());
                    for error in errors {
                        let Some(span) = error.span else { continue };
                        assert!(span.start <= span.end && span.end <= whole.end, "{error:?}");
                        assert!(
                            case.source.text().get(span.start..span.end).is_some(),
                            "{error:?}"
                        );
                    }
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            check_spans(&bytes);
        }

        #[test]
        fn no_text_makes_it_panic(lines in prop::collection::vec(prop_oneof![likely_line(), ".*"], 0..20)) {
            check_spans(lines.join("\n").as_bytes());
        }
    }
}
