//! Translates commands: draws, dispatches, clears, copies and writes.

use std::sync::Arc;

use case::bind::BindStep;
use case::depth_stencil::StencilChange;
use case::state::RasterChange;
use case::{Action, Content, Draw, DrawShape, ReadExpectation, Setting, Topology};
use ir::source::Spanned;

use super::framebuffer::size_of;
use super::{Translated, Translator, broken, format, unsupported};
use crate::syntax::command::{Command, RunForm};
use crate::syntax::pipeline::{InputRate, Pipeline, PipelineKind};
use crate::syntax::{BufferId, BufferKind, Dimension, PipelineId};

/// Maximum number of cells of a grid.
const MAX_CELLS: u64 = 1 << 18;

impl Translator<'_> {
    /// Translates commands in order.
    pub(super) fn commands(&mut self, commands: &[Spanned<Command>]) -> Translated<()> {
        for (at, command) in commands.iter().enumerate() {
            self.place = command.span;
            self.command(&command.value, &commands[at + 1..])?;
        }
        Ok(())
    }

    fn command(&mut self, command: &Command, later: &[Spanned<Command>]) -> Translated<()> {
        match command {
            Command::Run { pipeline, form } => self.run(*pipeline, form),
            Command::Clear(pipeline) => self.clear(*pipeline),
            Command::ClearColor { pipeline, color } => {
                self.clear.entry(*pipeline).or_default().color = *color;
                Ok(())
            }
            Command::ClearDepth { pipeline, depth } => {
                self.clear.entry(*pipeline).or_default().depth = *depth;
                Ok(())
            }
            Command::ClearStencil { pipeline, stencil } => {
                self.clear.entry(*pipeline).or_default().stencil = *stencil;
                Ok(())
            }
            Command::Copy { from, to } => self.copy(*from, *to, later),
            Command::Repeat { count, commands } => {
                (0..*count).try_for_each(|_| self.commands(commands))
            }
            Command::Expect(expectation) => self.expect(expectation),
            Command::Write { buffer, offset, bytes } => self.write(*buffer, *offset, bytes),
        }
    }

    fn clear(&mut self, id: PipelineId) -> Translated<()> {
        let script = self.script;
        let pipeline = &script.pipelines[id.0];
        if pipeline.kind == PipelineKind::Compute {
            return Err(broken(self.place, "a compute pipeline has nothing to clear"));
        }
        self.select_framebuffer(pipeline)?;
        let values = self.clear.get(&id).copied().unwrap_or_default();
        self.push(Setting::ClearColor(values.color))?;
        if self.framebuffers.has_depth(pipeline) {
            self.state(RasterChange::ClearDepth(narrow(values.depth)))?;
            let stencil = u8::try_from(values.stencil & 0xff).unwrap_or(u8::MAX);
            self.state(RasterChange::Stencil(StencilChange::Clear(stencil)))?;
        }
        self.push(Action::Clear)
    }

    fn run(&mut self, id: PipelineId, form: &RunForm) -> Translated<()> {
        let script = self.script;
        let pipeline = &script.pipelines[id.0];
        let number = self.programs.number(id);
        if self.programs.are_several() && self.current.program != Some(number) {
            self.current.program = Some(number);
            self.push(Setting::Bind(BindStep::Program(number)))?;
        }
        if pipeline.kind == PipelineKind::Graphics {
            self.select_framebuffer(pipeline)?;
            if self.current.pipeline != Some(id) {
                self.set_state(pipeline)?;
            }
        }
        self.bind(pipeline)?;
        self.current.pipeline = Some(id);
        let framebuffer = size_of(script, pipeline);
        match form {
            RunForm::Compute(groups) => {
                let most = case::limits::MAX_WORKGROUPS;
                if groups.iter().any(|count| *count > most) {
                    let message = format!("the number of workgroups is at most {most}");
                    return Err(broken(self.place, message));
                }
                self.push(Action::Compute(*groups))
            }
            RunForm::DrawRect { position, size, is_in_pixels, is_patch } => {
                let rect = rectangle(framebuffer, *position, *size, *is_in_pixels);
                let draw = Draw { is_patch: *is_patch, ..Draw::once(DrawShape::Rect(rect)) };
                self.push(Action::Draw(draw))
            }
            RunForm::DrawGrid { position, size, cells } => {
                let rect = rectangle(framebuffer, *position, *size, true);
                self.grid(rect, *cells)
            }
            RunForm::DrawArray { .. } => self.draw_array(pipeline, form),
        }
    }

    fn grid(&mut self, [x, y, width, height]: [f32; 4], cells: [u32; 2]) -> Translated<()> {
        let count = u64::from(cells[0]) * u64::from(cells[1]);
        if count > MAX_CELLS {
            return Err(broken(self.place, format!("a grid has at most {MAX_CELLS} cells")));
        }
        let at = |column: u32, row: u32| {
            [x + width * part(column, cells[0]), y + height * part(row, cells[1])]
        };
        let mut positions = Vec::new();
        for row in 0..cells[1] {
            for column in 0..cells[0] {
                let corners = [
                    at(column, row + 1),
                    at(column, row),
                    at(column + 1, row + 1),
                    at(column + 1, row),
                ];
                // Amber starts both triangles of a cell at the corner with the greatest x and y.
                positions.extend([2, 0, 1, 2, 1, 3].map(|corner: usize| corners[corner]));
            }
        }
        self.bind_positions(&positions)?;
        let count = u32::try_from(positions.len()).unwrap_or(u32::MAX);
        let shape = DrawShape::Arrays { topology: Topology::Triangles, first: 0, count };
        self.push(Action::Draw(Draw::once(shape)))
    }

    fn draw_array(&mut self, pipeline: &Pipeline, form: &RunForm) -> Translated<()> {
        let RunForm::DrawArray { topology, is_indexed, first, count, first_instance, instances } =
            *form
        else {
            return Ok(());
        };
        if is_indexed && first != 0 {
            // In the language this is an index; Amber's engine adds the number to every index.
            return Err(unsupported(self.place, "START_IDX of an indexed draw"));
        }
        let indices = if is_indexed { self.indices(pipeline)? } else { Vec::new() };
        let available = if is_indexed {
            u32::try_from(indices.len()).unwrap_or(u32::MAX)
        } else {
            self.row_count(pipeline)?.unwrap_or(first.saturating_add(count.unwrap_or(0)))
        };
        let count = count.unwrap_or(available.saturating_sub(first));
        let shape = if is_indexed {
            DrawShape::Indexed { topology, first, count }
        } else {
            DrawShape::Arrays { topology, first, count }
        };
        let most = case::limits::MAX_INSTANCES;
        if instances > most {
            return Err(broken(self.place, format!("a draw has at most {most} instances")));
        }
        let by_instance =
            pipeline.vertex_buffers.iter().any(|buffer| buffer.rate == InputRate::Instance);
        if !by_instance {
            self.bind_vertices(pipeline, indices, 0)?;
            let draw = Draw { instances, first_instance, ..Draw::once(shape) };
            return self.push(Action::Draw(draw));
        }
        // Each instance is a separate draw, with its elements in all rows.
        for instance in first_instance..first_instance.saturating_add(instances) {
            self.bind_vertices(pipeline, indices.clone(), instance)?;
            let draw = Draw { first_instance: instance, ..Draw::once(shape.clone()) };
            self.push(Action::Draw(draw))?;
        }
        Ok(())
    }

    /// Keeps the current content of the first buffer: in Amber only expectations can use the copy.
    fn copy(&mut self, from: BufferId, to: BufferId, later: &[Spanned<Command>]) -> Translated<()> {
        let content = self.content_of(from)?;
        self.kept.insert(to, self.case.steps.len());
        self.copied.insert(to, from);
        self.push(ReadExpectation::Kept(content))?;
        let place = self.place;
        for command in later {
            match &command.value {
                Command::Copy { to: again, .. } if *again == to => break,
                Command::Expect(expectation) => {
                    self.place = command.span;
                    self.expect_of_copy(expectation, from, to)?;
                }
                Command::Copy { .. }
                | Command::Run { .. }
                | Command::Clear(_)
                | Command::ClearColor { .. }
                | Command::ClearDepth { .. }
                | Command::ClearStencil { .. }
                | Command::Repeat { .. }
                | Command::Write { .. } => {}
            }
        }
        self.place = place;
        Ok(())
    }

    /// The whole content of a buffer or image. An image is selected too.
    pub(super) fn content_of(&mut self, id: BufferId) -> Translated<Content> {
        let buffer = &self.script.buffers[id.0];
        if buffer.kind == BufferKind::Plain {
            self.make_storage(id)?;
            return Ok(Content::Buffer(Self::point(id)));
        }
        if format::is_depth(&buffer.format) {
            return Err(unsupported(self.place, "the content of a depth buffer"));
        }
        if let Some(target) = self.framebuffers.target(id) {
            return Ok(Content::Target(target));
        }
        if !self.framebuffers.are_textures() {
            return Err(unsupported(self.place, "images that no pipeline draws to"));
        }
        if let BufferKind::Image { dimension: Dimension::D3, .. } = buffer.kind {
            return Err(unsupported(self.place, "the content of a 3D image"));
        }
        self.make_image(id)?;
        self.select_images(vec![id])?;
        Ok(Content::Target(0))
    }

    fn write(&mut self, id: BufferId, offset: u32, bytes: &Arc<[u8]>) -> Translated<()> {
        if self.made.contains(&id.0) {
            let (buffer, content) = (Self::point(id), Arc::clone(bytes));
            return self.push(Setting::Bind(BindStep::Content { buffer, offset, content }));
        }
        let mut all = self.bytes_of(id)?.to_vec();
        let first = usize::try_from(offset).unwrap_or(usize::MAX);
        let end = first.saturating_add(bytes.len());
        if end > case::limits::MAX_BUFFER_BYTES as usize {
            return Err(broken(self.place, "the buffer is too large"));
        }
        all.resize(all.len().max(end), 0);
        all[first..end].copy_from_slice(bytes);
        self.contents.insert(id.0, Arc::from(all));
        Ok(())
    }
}

#[expect(clippy::cast_possible_truncation, reason = "coordinates and depths are floats")]
const fn narrow(value: f64) -> f32 {
    value as f32
}

#[expect(clippy::cast_precision_loss, reason = "a grid has few cells")]
const fn part(index: u32, count: u32) -> f32 {
    index as f32 / count as f32
}

/// x, y, width and height of a rectangle in clip space.
fn rectangle(framebuffer: [u32; 2], at: [f64; 2], size: [f64; 2], is_in_pixels: bool) -> [f32; 4] {
    let [x, y, width, height] = [at[0], at[1], size[0], size[1]].map(narrow);
    if !is_in_pixels {
        return [x, y, width, height];
    }
    let [columns, rows] = framebuffer.map(|side| narrow(f64::from(side)));
    [x / columns * 2.0 - 1.0, y / rows * 2.0 - 1.0, width / columns * 2.0, height / rows * 2.0]
}
