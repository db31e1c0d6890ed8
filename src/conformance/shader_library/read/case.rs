//! Reads a case: its settings, shaders and programs.

use ir::diagnostic::Diagnostic;
use ir::source::{Span, Spanned};
use ir::stage::ShaderStage;

use super::Reader;
use crate::shader_library::syntax::{
    Body, Case, Expect, Extension, Need, Program, STAGES, Shader, Version,
};
use crate::shader_library::token::Kind;
use crate::shader_library::values::Values;

/// Words that may stand in a case.
const CASE_WORDS: [&str; 14] = [
    "desc",
    "expect",
    "version",
    "require",
    "output_color",
    "values",
    "both",
    "vertex",
    "tessellation_control",
    "tessellation_evaluation",
    "geometry",
    "fragment",
    "pipeline_program",
    "end",
];

/// Words that may stand in a pipeline program.
const PROGRAM_WORDS: [&str; 8] = [
    "active_stages",
    "require",
    "vertex",
    "tessellation_control",
    "tessellation_evaluation",
    "geometry",
    "fragment",
    "end",
];

/// The parts of a case that were read so far.
#[derive(Default)]
struct Draft {
    expect: Option<Spanned<Expect>>,
    version: Option<Version>,
    values: Option<Values>,
    needs: Vec<Spanned<Need>>,
    color: Option<Spanned<String>>,
    both: Option<Shader>,
    program: Program,
    pipeline: Vec<Program>,
}

impl Reader<'_> {
    /// Reads the rest of a case after its name, including `end`. `start` is the position of `case`.
    pub(super) fn case_body(&mut self, start: Span) -> Result<Case, Diagnostic> {
        let mut draft = Draft::default();
        loop {
            let token = self.token;
            match self.text(token) {
                "end" if token.kind == Kind::Word => {
                    self.advance();
                    break;
                }
                word if token.kind == Kind::Word => self.case_part(word, &mut draft)?,
                _ => return Err(self.unknown("a word of a case or `end`", &CASE_WORDS)),
            }
        }
        draft.finish(start, self.last_end)
    }

    /// A part of a case that begins with `word`.
    fn case_part(&mut self, word: &str, draft: &mut Draft) -> Result<(), Diagnostic> {
        let span = self.token.span;
        match word {
            "desc" => {
                self.advance();
                self.quoted("a description")?;
            }
            "expect" => {
                let expect = self.expect()?;
                once(&mut draft.expect, expect, span)?;
            }
            "version" => {
                let version = self.version()?;
                once(&mut draft.version, version, span)?;
            }
            "require" => self.require(Some(&mut draft.needs), &mut draft.program.extensions)?,
            "output_color" => {
                self.advance();
                let name = self.need_kind(Kind::Word, "a type")?;
                let color = Spanned::new(self.text(name).to_owned(), name.span);
                once(&mut draft.color, color, span)?;
            }
            "values" => {
                let values = self.values()?;
                once(&mut draft.values, values, span)?;
            }
            "both" => {
                let both = self.shader(ShaderStage::Vertex)?;
                once(&mut draft.both, both, span)?;
            }
            "pipeline_program" => draft.pipeline.push(self.pipeline_program()?),
            other => match stage_named(other) {
                Some(stage) => draft.program.stages.push(self.shader(stage)?),
                None => return Err(self.unknown("a word of a case or `end`", &CASE_WORDS)),
            },
        }
        Ok(())
    }

    /// `expect WORD`.
    fn expect(&mut self) -> Result<Spanned<Expect>, Diagnostic> {
        self.advance();
        let found = Expect::WORDS.iter().find(|(word, _)| self.text(self.token) == *word);
        let Some((_, expect)) = found else {
            let words = Expect::WORDS.map(|(word, _)| word);
            return Err(self.unknown("what must happen, such as `pass`", &words));
        };
        let span = self.advance().span;
        Ok(Spanned::new(*expect, span))
    }

    /// `version N [es]`.
    fn version(&mut self) -> Result<Version, Diagnostic> {
        self.advance();
        let token = self.need_kind(Kind::Integer, "a version of GLSL")?;
        let is_es = self.take("es");
        let has_profile = !is_es && (self.take("core") || self.take("compatibility"));
        let known = if is_es { &Version::ES[..] } else { &Version::DESKTOP };
        let number = self.text(token).parse::<u16>().ok().filter(|number| known.contains(number));
        number.map(|number| Version { number, is_es }).ok_or_else(|| {
            let word = if is_es { "GLSL ES" } else { "GLSL" };
            let message = format!("there is no {word} {}", self.text(token));
            let mistake = Diagnostic::error(token.span, message);
            let is_for_es = !is_es
                && !has_profile
                && Version::ES.map(|es| es.to_string()).iter().any(|es| es == self.text(token));
            if is_for_es { mistake.with_help("`es` behind it names GLSL ES") } else { mistake }
        })
    }

    /// The keyword of a stage, and its source.
    fn shader(&mut self, stage: ShaderStage) -> Result<Shader, Diagnostic> {
        let keyword = self.advance().span;
        let source = self.need_kind(Kind::Shader, "the source of a shader between `\"\"`")?.span;
        Ok(Shader { stage, keyword, text: Span::new(source.start + 2, source.end - 2) })
    }

    /// `pipeline_program … end`.
    fn pipeline_program(&mut self) -> Result<Program, Diagnostic> {
        let span = self.advance().span;
        self.is_in_pipeline = true;
        let mut program = Program { span: Some(span), ..Program::default() };
        while !self.take("end") {
            match self.text(self.token) {
                "active_stages" => {
                    self.advance();
                    program.active = self.stage_list()?;
                }
                "require" => self.require(None, &mut program.extensions)?,
                word => {
                    let is_word = self.token.kind == Kind::Word;
                    let Some(stage) = stage_named(word).filter(|_| is_word) else {
                        let what = "a word of a pipeline program or `end`";
                        return Err(self.unknown(what, &PROGRAM_WORDS));
                    };
                    program.stages.push(self.shader(stage)?);
                }
            }
        }
        self.is_in_pipeline = false;
        Ok(program)
    }

    /// `{ STAGE, … }`.
    pub(super) fn stage_list(&mut self) -> Result<Vec<Spanned<ShaderStage>>, Diagnostic> {
        self.need("{")?;
        let mut stages: Vec<Spanned<ShaderStage>> = Vec::new();
        loop {
            let Some(stage) = stage_named(self.text(self.token)) else {
                return Err(self.unknown("a stage", &STAGES.map(|(word, _)| word)));
            };
            let span = self.advance().span;
            if stages.iter().any(|known| known.value == stage) {
                return Err(Diagnostic::error(span, "this stage is named twice"));
            }
            stages.push(Spanned::new(stage, span));
            if self.take("}") {
                return Ok(stages);
            }
            self.need(",")?;
        }
    }
}

fn stage_named(word: &str) -> Option<ShaderStage> {
    STAGES.iter().find(|(known, _)| *known == word).map(|(_, stage)| *stage)
}

/// Stores a setting that a case may have once.
fn once<T>(place: &mut Option<T>, value: T, span: Span) -> Result<(), Diagnostic> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(Diagnostic::error(span, "the case already has this")),
    }
}

impl Draft {
    /// The case, whose `case` is at `start` and whose `end` ends at `end`.
    fn finish(self, start: Span, end: usize) -> Result<Case, Diagnostic> {
        let Self { expect, version, values, needs, color, both, mut program, pipeline } = self;
        let has_stages = !program.stages.is_empty();
        let body = match (both, &pipeline[..]) {
            (Some(both), _) if has_stages || !pipeline.is_empty() => {
                let message = "a case with `both` has no other shaders";
                return Err(Diagnostic::error(both.keyword, message));
            }
            (Some(shader), _) => {
                Body::Both { shader, extensions: std::mem::take(&mut program.extensions) }
            }
            (None, []) => {
                check_complete(&program.stages, start)?;
                Body::Program(program)
            }
            (None, _) => {
                check_pipeline(&program, &pipeline, start)?;
                Body::Pipeline(pipeline)
            }
        };
        Ok(Case {
            span: Span::new(start.start, end),
            expect: expect.unwrap_or(Spanned::new(Expect::Pass, start)),
            version: version.unwrap_or(Version::DEFAULT),
            values: values.unwrap_or_default(),
            needs,
            color,
            body,
        })
    }
}

/// Checks that there are a vertex and a fragment stage.
fn check_complete(stages: &[Shader], start: Span) -> Result<(), Diagnostic> {
    for (word, stage) in [STAGES[0], STAGES[4]] {
        if !stages.iter().any(|shader| shader.stage == stage) {
            let message = format!("the case has no {word} shader");
            return Err(Diagnostic::error(start, message));
        }
    }
    Ok(())
}

/// Checks that each stage of a pipeline is active in one program, which has its source.
fn check_pipeline(outside: &Program, pipeline: &[Program], start: Span) -> Result<(), Diagnostic> {
    if let Some(shader) = outside.stages.first() {
        let message = "a case with pipeline programs has no shaders outside them";
        return Err(Diagnostic::error(shader.keyword, message));
    }
    if let Some(Extension { span, .. }) = outside.extensions.first() {
        let message = "a case with pipeline programs has no extensions outside them";
        return Err(Diagnostic::error(*span, message));
    }
    let mut all: Vec<Shader> = Vec::new();
    for program in pipeline {
        let place = program.span.unwrap_or(start);
        if program.active.is_empty() {
            return Err(Diagnostic::error(place, "`active_stages` is missing"));
        }
        for active in &program.active {
            if !program.stages.iter().any(|shader| shader.stage == active.value) {
                let message = format!("the program has no {} shader", active.value.name());
                return Err(Diagnostic::error(active.span, message));
            }
        }
        for shader in &program.stages {
            if !program.active.iter().any(|active| active.value == shader.stage) {
                let message = "`active_stages` does not name this stage";
                return Err(Diagnostic::error(shader.keyword, message));
            }
            if all.iter().any(|known| known.stage == shader.stage) {
                let message = "another program of the case has this stage";
                return Err(Diagnostic::error(shader.keyword, message));
            }
        }
        all.extend(&program.stages);
    }
    check_complete(&all, start)
}
