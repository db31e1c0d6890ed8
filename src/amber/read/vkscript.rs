//! Reads `VkScript`: its sections, of which `[test]` contains the commands.
//!
//! A script has one pipeline whose state changes between draws. It is read as one pipeline for every state used by a
//! draw or dispatch; all of them have the same attachments and resources.

mod buffers;
mod commands;
mod data_type;
mod probe;
mod require;
mod section;
mod state;
#[cfg(test)]
mod tests;
mod vertex_data;
mod words;

use std::collections::HashMap;

use ir::source::{Span, Spanned};

use super::format::pixel_format;
use super::text::at::At;
use super::text::cursor::Cursor;
use super::text::limits::{Budget, MAX_PIPELINES};
use super::text::problem::{Errors, Parsed, Problem};
use crate::ScriptError;
use crate::syntax::command::{Command, Expectation, Tolerance};
use crate::syntax::data::{DataFormat, PixelFormat, Standard};
use crate::syntax::pipeline::{Attached, ColorAttachment, Pipeline, PipelineKind, VertexBuffer};
use crate::syntax::{
    Buffer, BufferId, BufferKind, Content, PipelineId, Script, Shader, ShaderId, ShaderKind,
    ShaderLanguage,
};
use buffers::{Bound, Layouts};
use section::SectionKind;
use state::State;

/// Placeholder for the pipeline of `clear` until the script is read: any pipeline that draws is suitable.
const ANY_PIPELINE: PipelineId = PipelineId(usize::MAX);

/// A script that is being read.
#[derive(Debug)]
struct Reader<'a> {
    text: &'a str,
    /// The next token of the section.
    cursor: Cursor<'a>,
    errors: Errors,
    budget: Budget,
    /// The part of the script that was read so far.
    script: Script,
    /// The image that is drawn to, once it is needed.
    framebuffer: Option<BufferId>,
    framebuffer_format: Option<PixelFormat>,
    framebuffer_size: Option<[u32; 2]>,
    depth_stencil: Option<Spanned<BufferId>>,
    vertex_buffers: Vec<VertexBuffer>,
    index_buffer: Option<Spanned<BufferId>>,
    push_constant: Option<Bound>,
    /// The buffers by set and binding, in the order in which they are named.
    bound: Vec<([u32; 2], Bound)>,
    /// Indices of the buffers in `bound`.
    places: HashMap<[u32; 2], usize>,
    /// The state of the next draw.
    state: State,
    /// The pipelines, by their state in text form.
    pipelines: HashMap<String, PipelineId>,
    /// The values of the last `tolerance`.
    tolerances: Vec<Tolerance>,
    layouts: Layouts,
    /// The depth to which `clear` clears, if a line sets it.
    clear_depth: Option<At<f64>>,
}

/// The properties, besides the state, that determine the pipeline of a draw or dispatch.
#[derive(Clone, Copy, Debug)]
struct Form {
    kind: PipelineKind,
    /// True if a rectangle is drawn as a patch.
    is_patch: bool,
    /// Number added to every index.
    first_vertex: u32,
}

impl Form {
    const fn of(kind: PipelineKind) -> Self {
        Self { kind, is_patch: false, first_vertex: 0 }
    }
}

/// True if a text is `VkScript`: its first line that is not a comment starts with `[`.
pub fn is_vkscript(text: &str) -> bool {
    for line in text.trim_start_matches('\u{feff}').lines() {
        let line = line.trim_start();
        if line.starts_with('[') {
            return true;
        }
        if line.starts_with("#!amber") || !line.is_empty() && !line.starts_with('#') {
            return false;
        }
    }
    false
}

/// Reads a `VkScript`.
///
/// # Errors
/// The script is broken, with all its errors; or it needs a feature that interstage does not support.
pub fn parse(text: &str) -> Result<Script, ScriptError> {
    let mut reader = Reader {
        text,
        cursor: Cursor::new(text, Span::new(0, 0)),
        errors: Errors::default(),
        budget: Budget::default(),
        script: Script::default(),
        framebuffer: None,
        framebuffer_format: None,
        framebuffer_size: None,
        depth_stencil: None,
        vertex_buffers: Vec::new(),
        index_buffer: None,
        push_constant: None,
        bound: Vec::new(),
        places: HashMap::new(),
        state: State::default(),
        pipelines: HashMap::new(),
        tolerances: Vec::new(),
        layouts: Layouts::default(),
        clear_depth: None,
    };
    let result = reader.read();
    reader.errors.outcome(result.map(|()| reader.script))
}

impl Reader<'_> {
    fn read(&mut self) -> Parsed<()> {
        let sections = section::split(self.text);
        let sections = match sections {
            Ok(sections) => sections,
            Err(problem) => return self.errors.note(problem).map(|_| ()),
        };
        if !sections.iter().any(|section| section.kind == SectionKind::Test) {
            let end = Span::new(self.text.len(), self.text.len());
            return Err(Problem::error(end, "the script has no `[test]`"));
        }
        // The commands depend on the sections after them.
        let (tests, others): (Vec<_>, Vec<_>) =
            sections.into_iter().partition(|section| section.kind == SectionKind::Test);
        for section in others.into_iter().chain(tests) {
            let result = match section.kind {
                SectionKind::Comment | SectionKind::Test => Ok(()),
                SectionKind::Shader { .. } => self.add_shader(&section),
                SectionKind::Require => self.lines(section.body, Self::read_requirement),
                SectionKind::Indices => self.read_indices(section.header, section.body),
                SectionKind::VertexData => self.read_vertex_data(section.header, section.body),
            };
            if let Err(problem) = result {
                self.errors.note(problem)?;
            }
            if section.kind == SectionKind::Test {
                self.lines(section.body, Self::read_command)?;
            }
        }
        self.finish()
    }

    /// Reads the lines of a section. Errors of a line are recorded.
    fn lines(&mut self, body: Span, read: fn(&mut Self) -> Parsed<()>) -> Parsed<()> {
        self.cursor = Cursor::new(self.text, body);
        loop {
            self.cursor.skip_empty_lines();
            if self.cursor.is_text_end() {
                return Ok(());
            }
            let result = read(self).and_then(|()| self.cursor.finish_line());
            if let Err(problem) = result {
                if !self.errors.note(problem)? {
                    self.cursor.stop();
                }
                self.cursor.skip_line();
            }
        }
    }

    /// Adds a buffer, and returns its index.
    fn add_buffer(&mut self, buffer: Buffer) -> BufferId {
        self.script.buffers.push(buffer);
        BufferId(self.script.buffers.len() - 1)
    }

    /// The image that is drawn to.
    fn framebuffer(&mut self) -> BufferId {
        if let Some(framebuffer) = self.framebuffer {
            return framebuffer;
        }
        let default = || pixel_format("B8G8R8A8_UNORM");
        let format = self.framebuffer_format.clone().or_else(default);
        let format = format.unwrap_or_else(|| unreachable!("this format is known"));
        let framebuffer = self.add_buffer(attachment("framebuffer", format, Span::new(0, 0)));
        self.framebuffer = Some(framebuffer);
        framebuffer
    }

    /// The pipeline for a draw or dispatch at `span`.
    fn pipeline(&mut self, form: Form, span: Span) -> Parsed<PipelineId> {
        let needed = match form.kind {
            PipelineKind::Graphics => ShaderKind::Vertex,
            PipelineKind::Compute => ShaderKind::Compute,
        };
        if !self.script.shaders.iter().any(|shader| shader.stage == needed) {
            let stage = if needed == ShaderKind::Vertex { "vertex" } else { "compute" };
            return Err(Problem::error(span, format!("there is no {stage} shader")));
        }
        let key = self.state.key(form);
        if let Some(known) = self.pipelines.get(&key) {
            return Ok(*known);
        }
        if self.script.pipelines.len() >= MAX_PIPELINES {
            let message = format!("a script draws with at most {MAX_PIPELINES} states");
            return Err(Problem::error(span, message));
        }
        let id = self.add_pipeline(form, span)?;
        self.pipelines.insert(key, id);
        Ok(id)
    }

    fn add_pipeline(&mut self, form: Form, span: Span) -> Parsed<PipelineId> {
        let kind = form.kind;
        let id = PipelineId(self.script.pipelines.len());
        let mut pipeline = Pipeline::empty(format!("pipeline {}", id.0), span, kind);
        let is_compute = kind == PipelineKind::Compute;
        let shaders = self.script.shaders.iter().enumerate();
        let used =
            shaders.filter(|(_, shader)| (shader.stage == ShaderKind::Compute) == is_compute);
        pipeline.stages = used
            .map(|(index, shader)| Attached {
                shader: ShaderId(index),
                stage: shader.stage,
                entry: self.state.entry(shader.stage),
                specializations: Vec::new(),
                span: shader.header,
            })
            .collect();
        if kind == PipelineKind::Graphics {
            pipeline.framebuffer_size = self.framebuffer_size;
            pipeline.state = self.state.fixed(self.depth_stencil.is_some());
            let buffer = self.framebuffer();
            let color = ColorAttachment { location: 0, buffer, base_mip_level: 0, span };
            pipeline.color_attachments = vec![color];
            pipeline.depth_stencil.clone_from(&self.depth_stencil);
            pipeline.vertex_buffers.clone_from(&self.vertex_buffers);
            pipeline.index_buffer = self.indices_from(form.first_vertex, span)?;
            pipeline.patch_control_points = self.state.patch_control_points(form.is_patch);
        }
        self.script.pipelines.push(pipeline);
        Ok(id)
    }

    /// Gives `clear` a pipeline, and all pipelines the resources.
    fn finish(&mut self) -> Parsed<()> {
        let span = self.script.commands.iter().find(|command| is_about_framebuffer(&command.value));
        let span = span.map(|command| command.span);
        let draws = |pipeline: &Pipeline| pipeline.kind == PipelineKind::Graphics;
        let mut drawing = self.script.pipelines.iter().position(draws).map(PipelineId);
        if let (None, Some(span)) = (drawing, span) {
            let id = self.add_pipeline(Form::of(PipelineKind::Graphics), span)?;
            let expects = |command: &Spanned<Command>| matches!(command.value, Command::Expect(_));
            if self.script.commands.iter().any(expects) {
                self.use_passthrough(id, span);
            }
            drawing = Some(id);
        }
        for command in &mut self.script.commands {
            if let (Some(pipeline), Some(drawing)) = (pipeline_of(&mut command.value), drawing) {
                *pipeline = drawing;
            }
        }
        // Unused shaders must be valid too.
        let is_compute = |shader: &Shader| shader.stage == ShaderKind::Compute;
        for kind in [PipelineKind::Graphics, PipelineKind::Compute] {
            let is_wanted =
                |shader: &&Shader| is_compute(shader) == (kind == PipelineKind::Compute);
            let header = self.script.shaders.iter().find(is_wanted).map(|shader| shader.header);
            if let (Some(header), true) = (header, self.script.pipelines.is_empty()) {
                self.add_pipeline(Form::of(kind), header)?;
            }
        }
        self.finish_buffers()
    }
}

impl Reader<'_> {
    /// Gives a pipeline that only clears a pass-through vertex shader and no other: without a draw, stages need not
    /// match.
    fn use_passthrough(&mut self, id: PipelineId, span: Span) {
        let shader = ShaderId(self.script.shaders.len());
        let stage = ShaderKind::Vertex;
        self.script.shaders.push(Shader {
            name: "vertex shader passthrough".to_owned(),
            stage,
            language: ShaderLanguage::Passthrough,
            target_env: None,
            header: span,
            text: Span::new(span.start, span.start),
            file: None,
        });
        let (entry, specializations) = (None, Vec::new());
        self.script.pipelines[id.0].stages =
            vec![Attached { shader, stage, entry, specializations, span }];
    }
}

/// The pipeline that a command clears.
const fn pipeline_of(command: &mut Command) -> Option<&mut PipelineId> {
    match command {
        Command::Clear(pipeline)
        | Command::ClearColor { pipeline, .. }
        | Command::ClearDepth { pipeline, .. }
        | Command::ClearStencil { pipeline, .. } => Some(pipeline),
        Command::Run { .. }
        | Command::Copy { .. }
        | Command::Repeat { .. }
        | Command::Expect(_)
        | Command::Write { .. } => None,
    }
}

/// True if a command clears or probes the image that is drawn to.
const fn is_about_framebuffer(command: &Command) -> bool {
    match command {
        Command::Clear(_)
        | Command::ClearColor { .. }
        | Command::ClearDepth { .. }
        | Command::ClearStencil { .. }
        | Command::Expect(Expectation::Probe { .. }) => true,
        Command::Run { .. }
        | Command::Copy { .. }
        | Command::Repeat { .. }
        | Command::Expect(_)
        | Command::Write { .. } => false,
    }
}

/// An image as large as the framebuffer.
fn attachment(name: &str, format: PixelFormat, span: Span) -> Buffer {
    Buffer {
        name: name.to_owned(),
        span,
        kind: BufferKind::Attachment { mip_levels: 1, samples: 1 },
        format: DataFormat::Pixel(format),
        is_array: false,
        layout: Standard::Std430,
        content: Content::Zero,
        count: None,
    }
}
