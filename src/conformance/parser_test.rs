//! piglit's parser tests: one shader per file, with a comment that says whether it compiles.
//!
//! The module `config` reads the comment. The shader is the whole file, so messages have its lines and columns.
//! Where the file also links, the module `partner` adds the stages that its stage cannot be linked without.

mod config;
mod partner;

use std::sync::Arc;

use case::gl::{self, Support, extension};
use case::parse::{CaseError, Files, ParsedCase};
use case::{Case, Dialect, GlRequirement, Language, ProgramExpectation, ShaderSource};
use ir::diagnostic::Diagnostic;
use ir::source::{Source, Span, Spanned};
use ir::stage::ShaderStage;

use config::{Config, Expected, Linked};
use partner::Partner;

/// File name extensions of parser tests, which are those of their stages.
pub const EXTENSIONS: [(&str, ShaderStage); 6] = [
    ("vert", ShaderStage::Vertex),
    ("tesc", ShaderStage::TessellationControl),
    ("tese", ShaderStage::TessellationEvaluation),
    ("geom", ShaderStage::Geometry),
    ("frag", ShaderStage::Fragment),
    ("comp", ShaderStage::Compute),
];

/// The stage of the parser test at `path`; `None` for other files.
pub fn stage_of(path: &str) -> Option<ShaderStage> {
    let name = path.rsplit(['/', '\\']).next()?;
    let (_, extension) = name.rsplit_once('.')?;
    EXTENSIONS.iter().find(|(known, _)| *known == extension).map(|(_, stage)| *stage)
}

/// True if the text has a line that begins a configuration. Shaders without one are not tests.
pub fn is_test(text: &str) -> bool {
    config::begins(text)
}

/// Reads a parser test.
pub fn read_case(name: String, source: Arc<Source>, _: &dyn Files) -> ParsedCase {
    match translate(name.clone(), &source) {
        Ok(case) => ParsedCase { name, source: Arc::clone(&case.source), result: Ok(case) },
        Err(error) => ParsedCase { name, source, result: Err(error) },
    }
}

fn translate(name: String, source: &Source) -> Result<Case, CaseError> {
    let config = config::read(source.text()).map_err(CaseError::Broken)?;
    let stage = stage_of(source.path()).ok_or_else(|| {
        let message = "a parser test is named after its stage, such as `NAME.vert`";
        CaseError::Broken(vec![Diagnostic::error(config.header, message)])
    })?;
    if let Some(span) = config.include {
        let word = "texts for `#include` in parser tests".to_owned();
        return Err(CaseError::Unsupported { word, span });
    }
    let partners = match config.linked {
        Linked::No => Vec::new(),
        Linked::Yes(_) => partner::partners(stage, config.version.value),
    };
    let (source, shaders) = with_partners(source, &config, stage, &partners);
    let mut case = Case::empty(name, Arc::new(source), Dialect::Piglit);
    case.shaders = shaders;
    add_requirements(&mut case, &config)?;
    let expectation = match (config.expected.value, config.linked) {
        (Expected::Pass, Linked::No) => ProgramExpectation::CompileSuccess,
        (Expected::Pass, Linked::Yes(_)) => ProgramExpectation::LinkSuccess,
        (Expected::Fail, Linked::No) => ProgramExpectation::CompileError(None),
        (Expected::Fail, Linked::Yes(_)) => ProgramExpectation::CompileOrLinkError,
    };
    case.steps.push(Spanned::new(expectation.into(), config.expected.span));
    Ok(case)
}

/// The text of the file with the partners behind it, whose lines are those of `check_link`, and the sections of all.
fn with_partners(
    source: &Source,
    config: &Config,
    stage: ShaderStage,
    partners: &[Partner],
) -> (Source, Vec<ShaderSource>) {
    let whole = Span::new(0, source.text().len());
    let mut text = source.text().to_owned();
    let mut lines: Vec<_> = (0..source.line_count()).map(|line| source.file_line(line)).collect();
    let mut shaders = vec![section(stage, config.header, whole)];
    if let Linked::Yes(span) = config.linked {
        let (line, _) = source.line_and_column(span.start);
        for partner in partners {
            text.push('\n');
            let start = text.len();
            text.push_str(&partner.text);
            lines.resize(lines.len() + 1 + partner.text.matches('\n').count(), line);
            shaders.push(section(partner.stage, span, Span::new(start, text.len())));
        }
    }
    (Source::with_file_lines(source.path(), text, lines), shaders)
}

const fn section(stage: ShaderStage, header: Span, text: Span) -> ShaderSource {
    let language = Language::Glsl;
    ShaderSource { stage, language, name: None, header, text, entry: None, file: None }
}

/// Adds the context and the extensions that the file asks for.
///
/// # Errors
/// An extension that interstage lacks.
fn add_requirements(case: &mut Case, config: &Config) -> Result<(), CaseError> {
    let Spanned { value: version, span } = config.version;
    let context = GlRequirement::Version {
        is_es: version.is_es,
        version: version.context(),
        profile: version.is_compatibility.then(|| "COMPAT".to_owned()),
    };
    case.requirements.push(Spanned::new(context.into(), span));
    for Spanned { value: wanted, span } in &config.extensions {
        let (name, is_wanted) = match wanted.strip_prefix('!') {
            Some(name) => (name, false),
            None => (wanted.as_str(), true),
        };
        match extension::support(name, gl::api(case)) {
            // Nothing runs.
            Support::Lacking
                if extension::SHADERS_ONLY.contains(&name)
                    || config.linked == Linked::No && extension::CHECKED_ONLY.contains(&name) =>
            {
                if is_wanted {
                    continue;
                }
                let reason = format!("interstage has {name} for shaders that are only compiled");
                return Err(CaseError::Excluded { reason });
            }
            Support::Lacking if is_wanted => {
                return Err(CaseError::Unsupported { word: name.to_owned(), span: *span });
            }
            Support::Lacking | Support::Provided | Support::Unknown => {}
        }
        let line = GlRequirement::Extension { name: name.to_owned(), is_wanted };
        case.requirements.push(Spanned::new(line.into(), *span));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use case::parse::{NoFiles, UnreadCase};
    use case::{Expectation, Step};

    use super::*;

    /// The case of a file, or the construct that is unsupported.
    fn case_of(path: &str, keys: &str, text: &str) -> Result<Case, String> {
        let text = format!("// [config]\n{keys}// [end config]\n{text}");
        let unread = UnreadCase::of_script(path, text.as_bytes(), read_case);
        unread.read_with(&NoFiles).result.map_err(|error| match error {
            CaseError::Unsupported { word, .. } => word,
            other @ (CaseError::Broken(_) | CaseError::Excluded { .. }) => format!("{other:?}"),
        })
    }

    fn expectation(keys: &str) -> ProgramExpectation {
        let case = case_of("a.vert", keys, "").expect("a test");
        let [Spanned { value: Step::Expect(Expectation::Program(expectation)), .. }] =
            &case.steps[..]
        else {
            panic!("{:?}", case.steps)
        };
        expectation.clone()
    }

    #[test]
    fn the_extension_of_the_file_is_the_stage() {
        assert_eq!(stage_of("a.b/c.geom"), Some(ShaderStage::Geometry));
        assert_eq!(stage_of("a.vert/c.shader_test"), None);
        assert_eq!(stage_of("vert"), None);
    }

    #[test]
    fn linking_decides_only_where_the_file_asks_for_it() {
        let keys = |result: &str, link: &str| {
            format!("// expect_result: {result}\n// glsl_version: 1.50\n// check_link: {link}\n")
        };
        assert_eq!(expectation(&keys("pass", "false")), ProgramExpectation::CompileSuccess);
        assert_eq!(expectation(&keys("fail", "false")), ProgramExpectation::CompileError(None));
        assert_eq!(expectation(&keys("pass", "true")), ProgramExpectation::LinkSuccess);
        assert_eq!(expectation(&keys("fail", "True")), ProgramExpectation::CompileOrLinkError);
    }

    #[test]
    fn partners_have_the_line_of_check_link() {
        let keys = "// expect_result: pass\n// glsl_version: 3.20\n// check_link: true\n";
        let text = "#version 320 es\nvoid main() {}\n";
        let case = case_of("a.tesc", keys, text).expect("a test");
        let stages: Vec<_> = case.shaders.iter().map(|shader| shader.stage).collect();
        let expected = [
            ShaderStage::TessellationControl,
            ShaderStage::Vertex,
            ShaderStage::TessellationEvaluation,
        ];
        assert_eq!(stages, expected);
        assert!(case.source.slice(case.shaders[0].text).ends_with(text));
        for partner in &case.shaders[1..] {
            assert!(case.source.slice(partner.text).starts_with("#version 320 es\n"));
            assert_eq!(case.source.line_and_column(partner.text.start), (4, 1));
        }
    }

    #[test]
    fn extensions_are_required_lacking_or_only_of_shaders() {
        let with = |extensions: &str| {
            let keys = format!(
                "// expect_result: pass\n// glsl_version: 1.50\n// require_extensions: {extensions}\n"
            );
            case_of("a.vert", &keys, "").map(|case| case.requirements.len())
        };
        assert_eq!(with("GL_ARB_gpu_shader5 !GL_ARB_sample_shading"), Ok(3));
        assert_eq!(with("GL_ARB_texture_query_lod"), Ok(1));
        assert_eq!(with("GL_OES_texture_buffer"), Ok(1));
        for name in ["GL_ARB_texture_query_lod", "GL_OES_texture_buffer"] {
            let reason = format!("interstage has {name} for shaders that are only compiled");
            assert_eq!(
                with(&format!("!{name}")),
                Err(format!("Excluded {{ reason: {reason:?} }}"))
            );
        }
        assert_eq!(with("GL_ARB_bindless_texture"), Err("GL_ARB_bindless_texture".to_owned()));
    }

    #[test]
    fn texts_for_includes_are_unsupported() {
        let keys = "// expect_result: pass\n// glsl_version: 1.50\n// dummy_shader_include: true\n";
        let word = "texts for `#include` in parser tests".to_owned();
        assert_eq!(case_of("a.vert", keys, "").map(|_| ()), Err(word));
    }
}
