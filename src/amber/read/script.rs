//! Reads `AmberScript`: the top-level commands, each with the function of its module.

use std::collections::HashMap;
use std::sync::Arc;

use ir::source::{Span, Spanned};

use super::names::{Names, duplicate};
use super::text::at::At;
use super::text::cursor::{Cursor, missing_end};
use super::text::limits::Budget;
use super::text::problem::{Errors, Parsed, Problem};
use super::type_name::Structures;
use crate::ScriptError;
use crate::layout::Element;
use crate::syntax::command::{Command, MAX_REPEATS};
use crate::syntax::{BufferId, PipelineId, Requirement, SamplerId, Script, ShaderId};

/// Top-level commands that declare something. None of these words starts a line of a block.
const DECLARATIONS: [&str; 14] = [
    "ACCELERATION_STRUCTURE",
    "BUFFER",
    "DERIVE_PIPELINE",
    "DEVICE_EXTENSION",
    "DEVICE_FEATURE",
    "DEVICE_PROPERTY",
    "IMAGE",
    "INSTANCE_EXTENSION",
    "PIPELINE",
    "REPEAT",
    "SAMPLER",
    "SHADER",
    "STRUCT",
    "VIRTUAL_FILE",
];

/// Commands at the top level and in `REPEAT`.
const COMMANDS: [&str; 7] =
    ["CLEAR", "CLEAR_COLOR", "CLEAR_DEPTH", "CLEAR_STENCIL", "COPY", "EXPECT", "RUN"];

/// A script that is being read.
#[derive(Debug)]
pub(crate) struct Parser<'a> {
    /// The next token.
    pub(super) cursor: Cursor<'a>,
    /// The part of the script that was read so far.
    pub(super) script: Script,
    /// Errors so far.
    errors: Errors,
    /// Names of the shaders.
    pub(super) shaders: Names,
    /// Names of the buffers and images.
    pub(super) buffers: Names,
    /// Names of the samplers.
    pub(super) samplers: Names,
    /// Names of the pipelines.
    pub(super) pipelines: Names,
    /// Contents of the virtual files by path.
    pub(super) files: HashMap<String, Span>,
    /// The structures by name.
    pub(super) structures: Structures,
    /// Layouts of the elements of the buffers.
    pub(super) elements: Vec<Arc<Element>>,
    /// Layouts by the name of the type, as written, and the standard.
    pub(super) known_elements: HashMap<String, Arc<Element>>,
    /// Bytes of all buffers so far.
    pub(super) budget: Budget,
}

/// Reads an `AmberScript`.
///
/// # Errors
/// The script is broken, with all its errors; or it needs a feature that interstage does not support.
pub fn parse(text: &str) -> Result<Script, ScriptError> {
    let mut parser = Parser::new(text);
    let result = parser.read();
    parser.errors.outcome(result.map(|()| parser.script))
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            cursor: Cursor::new(text, Span::new(0, text.len())),
            script: Script::default(),
            errors: Errors::default(),
            shaders: Names::new("shader"),
            buffers: Names::new("buffer"),
            samplers: Names::new("sampler"),
            pipelines: Names::new("pipeline"),
            files: HashMap::new(),
            structures: Structures::new(),
            elements: Vec::new(),
            known_elements: HashMap::new(),
            budget: Budget::default(),
        }
    }

    /// Reads the whole script. Errors are recorded; an unsupported feature ends the reading.
    fn read(&mut self) -> Parsed<()> {
        loop {
            self.cursor.skip_empty_lines();
            if self.cursor.is_text_end() {
                return Ok(());
            }
            let result = self.cursor.word("a command").and_then(|word| self.read_top(word));
            if let Err(problem) = result.and_then(|()| self.cursor.finish_line()) {
                self.note(problem)?;
                self.skip_to_command();
            }
        }
    }

    /// Records an error. Too many errors end the reading.
    fn note(&mut self, problem: Problem) -> Parsed<()> {
        if !self.errors.note(problem)? {
            self.cursor.stop();
        }
        Ok(())
    }

    /// True at the start of a line with a top-level command.
    fn is_command_start(&self) -> bool {
        let word = self.cursor.peek_word().filter(|_| self.cursor.is_line_start());
        word.is_some_and(|word| {
            DECLARATIONS.contains(&word.value) || COMMANDS.contains(&word.value)
        })
    }

    /// Consumes everything up to the next line with a top-level command.
    fn skip_to_command(&mut self) {
        while !self.cursor.is_text_end() && !self.is_command_start() {
            self.cursor.skip_line();
            self.cursor.skip_empty_lines();
        }
    }

    /// Reads lines up to `END`, each with `read`, which gets its first word. Errors of a line are recorded.
    pub(super) fn block(
        &mut self,
        header: Span,
        mut read: impl FnMut(&mut Self, At<&'a str>) -> Parsed<()>,
    ) -> Parsed<()> {
        loop {
            self.cursor.skip_empty_lines();
            if self.cursor.is_text_end() || self.is_command_start() {
                return Err(missing_end(header));
            }
            let result = match self.cursor.word("a command or `END`") {
                Ok(word) if word.value == "END" => return Ok(()),
                Ok(word) => read(self, word),
                Err(problem) => Err(problem),
            };
            if let Err(problem) = result {
                self.note(problem)?;
                self.cursor.skip_line();
            }
        }
    }

    fn read_top(&mut self, word: At<&'a str>) -> Parsed<()> {
        match word.value {
            "BUFFER" => self.read_buffer(word.span),
            "IMAGE" => self.read_image(word.span),
            "SAMPLER" => self.read_sampler(word.span),
            "SHADER" => self.read_shader(word.span),
            "VIRTUAL_FILE" => self.read_virtual_file(word.span),
            "STRUCT" => self.read_structure(word.span),
            "PIPELINE" => self.read_pipeline(word.span),
            "DERIVE_PIPELINE" => self.read_derived_pipeline(word.span),
            "REPEAT" => self.read_repeat(word.span),
            "SET" => self.read_engine_data(),
            "DEVICE_FEATURE" => self.read_requirement(word.span, Requirement::Feature),
            "DEVICE_EXTENSION" => self.read_requirement(word.span, Requirement::DeviceExtension),
            "INSTANCE_EXTENSION" => {
                self.read_requirement(word.span, Requirement::InstanceExtension)
            }
            "DEVICE_PROPERTY" => self.read_requirement(word.span, Requirement::Property),
            "ACCELERATION_STRUCTURE" => Err(Problem::unsupported("ray tracing", word.span)),
            _ => {
                let command = self.read_command(word, &[&DECLARATIONS[..], &COMMANDS[..]])?;
                self.script.commands.push(command);
                Ok(())
            }
        }
    }

    fn read_requirement(&mut self, start: Span, of: fn(String) -> Requirement) -> Parsed<()> {
        let name = self.cursor.name("a name")?;
        let span = self.cursor.since(start);
        self.script.requirements.push(Spanned::new(of(name.value.to_owned()), span));
        Ok(())
    }

    /// Reads `SET ENGINE_DATA`: time limits, which have no effect here.
    fn read_engine_data(&mut self) -> Parsed<()> {
        self.cursor.expect("ENGINE_DATA")?;
        self.cursor.expect("fence_timeout_ms")?;
        self.cursor.unsigned("the time").map(|_| ())
    }

    fn read_virtual_file(&mut self, start: Span) -> Parsed<()> {
        let path = self.cursor.text("a path")?;
        let text = self.cursor.raw_text(self.cursor.since(start))?;
        if self.files.contains_key(&path.value) {
            return Err(duplicate("virtual file", &path.value, path.span));
        }
        self.files.insert(path.value, text);
        Ok(())
    }

    fn read_repeat(&mut self, start: Span) -> Parsed<()> {
        let count = self.cursor.positive("the number of repetitions")?;
        let header = self.cursor.since(start);
        if count > MAX_REPEATS {
            let message = format!("commands are repeated at most {MAX_REPEATS} times");
            return Err(Problem::error(header, message));
        }
        self.cursor.finish_line()?;
        let commands = self.read_repeated(header)?;
        let command = Command::Repeat { count, commands };
        self.script.commands.push(Spanned::new(command, header));
        Ok(())
    }

    /// Reads the commands of a `REPEAT`.
    fn read_repeated(&mut self, header: Span) -> Parsed<Vec<Spanned<Command>>> {
        let mut commands = Vec::new();
        loop {
            self.cursor.skip_empty_lines();
            let is_next =
                self.cursor.peek_word().is_some_and(|word| DECLARATIONS.contains(&word.value));
            if self.cursor.is_text_end() || is_next {
                return Err(missing_end(header));
            }
            let result = self.cursor.word("a command or `END`").and_then(|word| {
                if word.value == "END" {
                    return Ok(None);
                }
                let command = self.read_command(word, &[&COMMANDS])?;
                self.cursor.finish_line()?;
                Ok(Some(command))
            });
            match result {
                Ok(None) => return Ok(commands),
                Ok(Some(command)) => commands.push(command),
                Err(problem) => {
                    self.note(problem)?;
                    self.cursor.skip_line();
                }
            }
        }
    }

    /// Reads a command that may be repeated. `known` are the words for a suggestion.
    fn read_command(
        &mut self,
        word: At<&'a str>,
        known: &[&[&'static str]],
    ) -> Parsed<Spanned<Command>> {
        let command = match word.value {
            "RUN" => self.read_run(),
            "CLEAR" => self.pipeline_name().map(Command::Clear),
            "CLEAR_COLOR" => self.read_clear_color(),
            "CLEAR_DEPTH" => self.read_clear_depth(),
            "CLEAR_STENCIL" => self.read_clear_stencil(),
            "COPY" => self.read_copy(),
            "EXPECT" => self.read_expect(),
            _ => Err(Problem::unknown("command", word, known.iter().copied().flatten().copied())),
        }?;
        Ok(Spanned::new(command, self.cursor.since(word.span)))
    }

    fn read_clear_color(&mut self) -> Parsed<Command> {
        let pipeline = self.pipeline_name()?;
        let mut color = [0.0; 4];
        for channel in &mut color {
            *channel = f64::from(self.cursor.up_to(255, "a channel")?) / 255.0;
        }
        Ok(Command::ClearColor { pipeline, color })
    }

    fn read_clear_depth(&mut self) -> Parsed<Command> {
        let pipeline = self.pipeline_name()?;
        let depth = self.cursor.real("a depth")?;
        Ok(Command::ClearDepth { pipeline, depth })
    }

    fn read_clear_stencil(&mut self) -> Parsed<Command> {
        let pipeline = self.pipeline_name()?;
        let stencil = self.cursor.up_to(255, "a stencil value")?;
        Ok(Command::ClearStencil { pipeline, stencil })
    }

    fn read_copy(&mut self) -> Parsed<Command> {
        let from = self.buffer_name()?;
        self.cursor.expect("TO")?;
        let to = self.buffer_name()?;
        if from.value == to.value {
            return Err(Problem::error(to.span, "a buffer is not copied to itself"));
        }
        Ok(Command::Copy { from: from.value, to: to.value })
    }

    /// Consumes the name of a buffer.
    pub(super) fn buffer_name(&mut self) -> Parsed<Spanned<BufferId>> {
        let name = self.cursor.word("the name of a buffer")?;
        Ok(Spanned::new(BufferId(self.buffers.find(name)?), name.span))
    }

    /// Consumes the name of a sampler.
    pub(super) fn sampler_name(&mut self) -> Parsed<SamplerId> {
        let name = self.cursor.word("the name of a sampler")?;
        self.samplers.find(name).map(SamplerId)
    }

    /// Consumes the name of a shader.
    pub(super) fn shader_name(&mut self) -> Parsed<ShaderId> {
        let name = self.cursor.word("the name of a shader")?;
        self.shaders.find(name).map(ShaderId)
    }

    /// Consumes the name of a pipeline.
    pub(super) fn pipeline_name(&mut self) -> Parsed<PipelineId> {
        let name = self.cursor.word("the name of a pipeline")?;
        self.pipelines.find(name).map(PipelineId)
    }
}
