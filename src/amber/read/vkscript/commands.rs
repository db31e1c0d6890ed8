//! Reads the lines of `[test]`: draws, dispatches, clears and tolerances. Other modules read the rest.

use ir::source::{Span, Spanned};

use super::state::known_words;
use super::words::topology;
use super::{ANY_PIPELINE, Form, Reader};
use crate::read::expect::tolerance;
use crate::read::text::at::At;
use crate::read::text::cursor::real_of;
use crate::read::text::problem::{Parsed, Problem};
use crate::read::text::token::TokenKind;
use crate::syntax::ShaderKind;
use crate::syntax::command::{Command, RunForm};
use crate::syntax::pipeline::PipelineKind;

/// Words that start a command and set no state.
const COMMANDS: [&str; 15] = [
    "clear",
    "compute",
    "draw",
    "fragment",
    "geometry",
    "patch",
    "probe",
    "push",
    "relative",
    "ssbo",
    "tessellation",
    "tolerance",
    "ubo",
    "uniform",
    "vertex",
];

impl Reader<'_> {
    /// Reads one line.
    pub(super) fn read_command(&mut self) -> Parsed<()> {
        let word = self.cursor.word("a command")?;
        let start = word.span;
        let stage = |stage: ShaderKind| At::new(stage, start);
        match word.value {
            "draw" => self.read_draw(start),
            "compute" if self.cursor.peek_word().is_some() => {
                self.read_entry_point(stage(ShaderKind::Compute))
            }
            "compute" => self.read_dispatch(start),
            "clear" => self.read_clear(start),
            "ssbo" => self.read_storage(start),
            "ubo" => self.read_uniform_buffer(start),
            "uniform" => self.read_uniform(start),
            "push" => self.read_push(start),
            "probe" => self.read_probe(start, false),
            "relative" => {
                self.cursor.expect("probe")?;
                self.read_probe(start, true)
            }
            "tolerance" => self.read_tolerance(),
            "patch" => self.read_patch_parameter(),
            "vertex" => self.read_entry_point(stage(ShaderKind::Vertex)),
            "fragment" => self.read_entry_point(stage(ShaderKind::Fragment)),
            "geometry" => self.read_entry_point(stage(ShaderKind::Geometry)),
            "tessellation" => {
                let stages = [
                    ("control", ShaderKind::TessellationControl),
                    ("evaluation", ShaderKind::TessellationEvaluation),
                ];
                let kind = self.cursor.choice("stage", &stages)?;
                self.read_entry_point(stage(kind))
            }
            name if self.read_state(name)? => Ok(()),
            _ => {
                let known = COMMANDS.into_iter().chain(known_words());
                Err(Problem::unknown("command", word, known))
            }
        }
    }

    /// Adds a command that starts at `start` and ends here.
    pub(super) fn add_command(&mut self, command: Command, start: Span) {
        let span = self.cursor.since(start);
        self.script.commands.push(Spanned::new(command, span));
    }

    /// Adds a draw or dispatch, if the line ends here.
    fn add_run(&mut self, wanted: Form, form: RunForm, start: Span) -> Parsed<()> {
        self.cursor.finish_line()?;
        let pipeline = self.pipeline(wanted, self.cursor.since(start))?;
        self.add_command(Command::Run { pipeline, form }, start);
        Ok(())
    }

    fn read_draw(&mut self, start: Span) -> Parsed<()> {
        let word = self.cursor.word("`rect` or `arrays`")?;
        match word.value {
            "rect" => self.read_rectangle(start),
            "arrays" => self.read_arrays(start),
            _ => Err(Problem::unknown("draw", word, ["rect", "arrays"])),
        }
    }

    /// Reads `[ortho] [patch] X Y WIDTH HEIGHT`.
    fn read_rectangle(&mut self, start: Span) -> Parsed<()> {
        let (mut is_in_pixels, mut is_patch) = (false, false);
        while let Some(word) = self.cursor.peek_word() {
            match word.value {
                "ortho" => is_in_pixels = true,
                "patch" => is_patch = true,
                _ => return Err(Problem::unknown("option", word, ["ortho", "patch"])),
            }
            self.cursor.advance();
        }
        let position = [self.cursor.real("a coordinate")?, self.cursor.real("a coordinate")?];
        let size = [self.cursor.real("a width")?, self.cursor.real("a height")?];
        if self.vertex_buffers.len() > 1 {
            let message =
                "a rectangle takes the place of one column of vertex data, not of several";
            return Err(Problem::error(self.cursor.since(start), message));
        }
        let form = RunForm::DrawRect { position, size, is_in_pixels, is_patch };
        self.add_run(Form { is_patch, ..Form::of(PipelineKind::Graphics) }, form, start)
    }

    /// Reads `[indexed] [instanced] TOPOLOGY FIRST COUNT [INSTANCES]`.
    fn read_arrays(&mut self, start: Span) -> Parsed<()> {
        let (mut indexed, mut is_instanced) = (None, false);
        let topology = loop {
            let word = self.cursor.word("a topology")?;
            match word.value {
                "indexed" => indexed = Some(word.span),
                "instanced" => is_instanced = true,
                _ => break topology(word)?,
            }
        };
        let first = self.cursor.unsigned("the first vertex")?.value;
        let count = Some(self.cursor.unsigned("the number of vertices")?.value);
        let mut instances = 1;
        if is_instanced && !self.cursor.is_line_end() {
            instances = self.cursor.unsigned("the number of instances")?.value;
        }
        if let Some(span) = indexed.filter(|_| self.index_buffer.is_none()) {
            return Err(Problem::error(span, "the script has no `[indices]`"));
        }
        let is_indexed = indexed.is_some();
        // All indices from the first one on are drawn, and the first vertex is added to each.
        let (first, first_vertex) = if is_indexed { (0, first) } else { (first, 0) };
        let first_instance = 0;
        let form =
            RunForm::DrawArray { topology, is_indexed, first, count, first_instance, instances };
        self.add_run(Form { first_vertex, ..Form::of(PipelineKind::Graphics) }, form, start)
    }

    /// Reads `X Y Z`.
    fn read_dispatch(&mut self, start: Span) -> Parsed<()> {
        let mut groups = [0; 3];
        for count in &mut groups {
            *count = self.cursor.unsigned("a number of workgroups")?.value;
        }
        self.add_run(Form::of(PipelineKind::Compute), RunForm::Compute(groups), start)
    }

    /// Reads the rest of a `clear` line: nothing, `color R G B A`, `depth DEPTH` or `stencil VALUE`.
    fn read_clear(&mut self, start: Span) -> Parsed<()> {
        let pipeline = ANY_PIPELINE;
        let command = if self.cursor.is_line_end() {
            if let Some(depth) = self.clear_depth
                && self.depth_stencil.is_some()
                && !(0.0..=1.0).contains(&depth.value)
            {
                return Err(Problem::error(depth.span, "a depth is 0 to 1"));
            }
            Command::Clear(pipeline)
        } else {
            let word = self.cursor.word("`color`, `depth` or `stencil`")?;
            match word.value {
                "color" => {
                    let mut color = [0.0; 4];
                    for channel in &mut color {
                        *channel = self.cursor.real("a channel")?;
                    }
                    Command::ClearColor { pipeline, color }
                }
                "depth" => {
                    let span = self.cursor.peek().span;
                    let depth = self.cursor.real("a depth")?;
                    self.clear_depth = Some(At::new(depth, span));
                    Command::ClearDepth { pipeline, depth }
                }
                "stencil" => {
                    let stencil = self.cursor.up_to(255, "a stencil value")?;
                    Command::ClearStencil { pipeline, stencil }
                }
                _ => return Err(Problem::unknown("clear", word, ["color", "depth", "stencil"])),
            }
        };
        self.cursor.finish_line()?;
        self.add_command(command, start);
        Ok(())
    }

    /// Reads one or four numbers, some with `%`.
    fn read_tolerance(&mut self) -> Parsed<()> {
        let place = self.cursor.peek().span;
        let mut tolerances = Vec::new();
        while !self.cursor.is_line_end() {
            if !tolerances.is_empty() {
                self.cursor.accept(",");
            }
            let TokenKind::Number(number) = self.cursor.peek().kind else {
                return Err(self.cursor.unexpected("a tolerance"));
            };
            let span = self.cursor.peek().span;
            self.cursor.advance();
            let is_percentage = self.cursor.accept("%");
            tolerances.push(tolerance(real_of(number), is_percentage, span)?);
        }
        match tolerances.len() {
            0 => Err(self.cursor.unexpected("a tolerance")),
            1 | 4 => {
                self.tolerances = tolerances;
                Ok(())
            }
            _ => {
                let message = "there is one tolerance for all, or four";
                Err(Problem::error(self.cursor.since(place), message))
            }
        }
    }
}
