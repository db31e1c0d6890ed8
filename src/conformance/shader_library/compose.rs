//! Composes the text of a case in this project's format.

use case::Dialect;
use case::gl::extension;
use case::gl::{Api, Support};
use case::parse::CaseError;
use ir::diagnostic::Diagnostic;
use ir::source::{Source, Span, Spanned};
use ir::stage::ShaderStage;

use super::stages::{ExtensionLine, Line, MAX_BYTES, filled, lines_at};
use super::steps;
use super::syntax::{Body, Case, Expect, Extension, Need, Program, Shader};
use super::templates::Templates;

/// Width and height of the render targets, in pixels.
const SIZE: u32 = 64;

/// A composed case.
pub(super) struct Composed {
    /// Its text.
    pub(super) source: Source,
    /// The dialect that it is read in.
    pub(super) dialect: Dialect,
}

/// Composes a case of the file `source`.
///
/// # Errors
/// The case has a mistake, or something that this project lacks.
pub(super) fn composed(
    case: &Case,
    source: &Source,
    templates: Templates,
) -> Result<Composed, CaseError> {
    let composer = Composer { case, source, templates, lines: Vec::new() };
    let lines = composer.lines()?;
    let bytes: usize = lines.iter().map(|line| line.text.len() + 1).sum();
    if bytes > MAX_BYTES {
        let message = format!("the case becomes {bytes} bytes; at most {MAX_BYTES} are allowed");
        return Err(broken(Diagnostic::error(case.span, message)));
    }
    let (texts, mut numbers): (Vec<_>, Vec<_>) =
        lines.into_iter().map(|line| (line.text, line.number)).unzip();
    // The text ends with an empty line.
    numbers.push(numbers.last().copied().unwrap_or(1));
    let text = texts.join("\n") + "\n";
    let dialect = match templates {
        Templates::OpenGl => Dialect::ShaderLibrary,
        Templates::Vulkan => Dialect::Vulkan,
    };
    Ok(Composed { source: Source::with_file_lines(source.path(), text, numbers), dialect })
}

/// The lines of a case while they are composed.
struct Composer<'a> {
    case: &'a Case,
    source: &'a Source,
    templates: Templates,
    lines: Vec<Line>,
}

impl Composer<'_> {
    /// All lines of the case.
    fn lines(mut self) -> Result<Vec<Line>, CaseError> {
        self.check()?;
        self.requirements()?;
        let case = self.case;
        match &case.body {
            Body::Both { shader, extensions } => self.both(shader, extensions)?,
            Body::Program(program) => self.program(program)?,
            Body::Pipeline(programs) => {
                for program in programs {
                    self.program(program)?;
                }
                self.add("[link]\nseparable", case.span.start);
            }
        }
        let steps = if case.expect.value == Expect::Pass {
            steps::drawn(case, self.templates).map_err(|word| {
                let span = case.color.as_ref().map_or(case.span, |color| color.span);
                CaseError::Unsupported { word: word.0, span }
            })?
        } else {
            steps::expected(case.expect.value).to_owned()
        };
        self.add(&steps, case.expect.span.start);
        Ok(self.lines)
    }

    /// Adds the lines of a text, which come from the file's line with this offset.
    fn add(&mut self, text: &str, offset: usize) {
        let number = self.number(offset);
        self.lines.extend(lines_at(text, number));
    }

    /// Number of the file's line with this offset.
    fn number(&self, offset: usize) -> usize {
        self.source.line_and_column(offset).0
    }

    /// Checks that this project can do what the case is about.
    fn check(&self) -> Result<(), CaseError> {
        let case = self.case;
        if let (Templates::Vulkan, Body::Pipeline(_)) = (self.templates, &case.body) {
            return Err(unsupported("`pipeline_program` with the templates of Vulkan", case.span));
        }
        if self.templates == Templates::Vulkan && case.expect.value != Expect::Pass {
            let word = "an expected error with the templates of Vulkan";
            return Err(unsupported(word, case.expect.span));
        }
        for need in &case.needs {
            let word = match need.value {
                Need::Limit { .. } | Need::FullEs100 => continue,
                Need::OnlyEs100 => {
                    "`only_glsl_es_100_support`: interstage also has later versions of GLSL ES"
                }
                Need::OneDrawBuffer => "`exactly_one_draw_buffer`: interstage has several",
            };
            return Err(unsupported(word, need.span));
        }
        let Body::Pipeline(programs) = &case.body else { return Ok(()) };
        match programs.iter().find(|program| program.stages.len() > 1) {
            Some(program) => Err(unsupported(
                "a pipeline program with several stages or sources",
                program.span.unwrap_or(case.span),
            )),
            None => Ok(()),
        }
    }

    /// `[require]`.
    fn requirements(&mut self) -> Result<(), CaseError> {
        let case = self.case;
        let start = case.span.start;
        self.add(&format!("[require]\nsize {SIZE} {SIZE}"), start);
        if self.templates == Templates::Vulkan {
            return Ok(());
        }
        let (number, es) = (case.version.number, if case.version.is_es { "ES " } else { "" });
        self.add(&format!("GLSL {es}>= {}.{:02}", number / 100, number % 100), start);
        for Spanned { value: need, span } in &case.needs {
            if let Need::Limit { name, above } = need {
                self.add(&format!("{name} >= {}", u64::from(*above) + 1), span.start);
            }
        }
        let extensions = match &case.body {
            Body::Both { extensions, .. } => vec![extensions],
            Body::Program(program) => vec![&program.extensions],
            Body::Pipeline(programs) => programs.iter().map(|one| &one.extensions).collect(),
        };
        let mut names = Vec::new();
        for extension in extensions.into_iter().flatten() {
            let name = self.chosen(extension)?;
            if !names.contains(&name) {
                self.add(name, extension.span.start);
                names.push(name);
            }
        }
        Ok(())
    }

    /// The first alternative that this project provides.
    fn chosen<'b>(&self, extension: &'b Extension) -> Result<&'b str, CaseError> {
        let api = if self.case.version.is_es { Api::Es } else { Api::Desktop };
        let is_provided = |name: &&String| extension::support(name, api) == Support::Provided;
        let names = &extension.alternatives;
        let chosen = match self.templates {
            Templates::OpenGl => names.iter().find(is_provided),
            Templates::Vulkan => names.first(),
        };
        chosen.map(String::as_str).ok_or_else(|| unsupported(names.join(" or "), extension.span))
    }

    /// The `#extension` lines of a stage.
    fn extension_lines(
        &self,
        extensions: &[Extension],
        stage: ShaderStage,
    ) -> Result<Vec<ExtensionLine>, CaseError> {
        let own = extensions.iter().filter(|extension| extension.is_for(stage));
        own.map(|extension| {
            let text = format!("#extension {} : require", self.chosen(extension)?);
            Ok(Line { text, number: self.number(extension.span.start) })
        })
        .collect()
    }

    /// The stages of a case with `both`: its source, and a generated stage.
    fn both(&mut self, shader: &Shader, extensions: &[Extension]) -> Result<(), CaseError> {
        for stage in [ShaderStage::Vertex, ShaderStage::Fragment] {
            if stage == shader.stage {
                self.stage(shader, extensions)?;
            } else {
                let text = self.templates.generated(self.case, stage);
                let header = stage.properties().header;
                self.add(&format!("[{header}]\n{text}"), self.case.span.start);
            }
        }
        Ok(())
    }

    /// The stages of a program.
    fn program(&mut self, program: &Program) -> Result<(), CaseError> {
        for shader in &program.stages {
            self.stage(shader, &program.extensions)?;
        }
        Ok(())
    }

    fn stage(&mut self, shader: &Shader, extensions: &[Extension]) -> Result<(), CaseError> {
        let role = steps::role(&self.case.body, shader.stage);
        let parameters = self.templates.parameters(self.case, role);
        let extensions = self.extension_lines(extensions, shader.stage)?;
        let lines = filled(self.source, shader, &parameters, &extensions).map_err(broken)?;
        let header = format!("[{}]", shader.stage.properties().header);
        self.add(&header, shader.keyword.start);
        for mut line in lines {
            // A section begins with a bracket in the first column.
            if line.text.starts_with('[') {
                line.text.insert(0, ' ');
            }
            self.lines.push(line);
        }
        Ok(())
    }
}

fn broken(mistake: Diagnostic) -> CaseError {
    CaseError::Broken(vec![mistake])
}

fn unsupported(word: impl Into<String>, span: Span) -> CaseError {
    CaseError::Unsupported { word: word.into(), span }
}
