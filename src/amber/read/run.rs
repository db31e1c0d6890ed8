//! Reads `RUN`.

use ir::source::Span;

use super::script::Parser;
use super::text::problem::{Parsed, Problem};
use super::words::TOPOLOGIES;
use crate::syntax::PipelineId;
use crate::syntax::command::{Command, RunForm};
use crate::syntax::pipeline::{Pipeline, PipelineKind};

impl Parser<'_> {
    /// Reads `[TIMED_EXECUTION] PIPELINE …`.
    pub(super) fn read_run(&mut self) -> Parsed<Command> {
        self.cursor.accept("TIMED_EXECUTION");
        let pipeline = self.pipeline_name()?;
        let place = self.cursor.peek().span;
        let (kind, form) = if let Some(word) = self.cursor.peek_word() {
            self.cursor.advance();
            let form = match word.value {
                "DRAW_RECT" => self.read_rectangle()?,
                "DRAW_GRID" => self.read_grid()?,
                "DRAW_ARRAY" => self.read_array(pipeline, word.span)?,
                _ => {
                    let known = ["DRAW_RECT", "DRAW_GRID", "DRAW_ARRAY"];
                    return Err(Problem::unknown("draw", word, known));
                }
            };
            (PipelineKind::Graphics, form)
        } else {
            let mut groups = [0; 3];
            for count in &mut groups {
                *count = self.cursor.unsigned("a number of workgroups")?.value;
            }
            (PipelineKind::Compute, RunForm::Compute(groups))
        };
        if self.pipeline(pipeline).kind != kind {
            let message = match kind {
                PipelineKind::Graphics => "a compute pipeline does not draw",
                PipelineKind::Compute => "a graphics pipeline has no workgroups",
            };
            return Err(Problem::error(place, message));
        }
        Ok(Command::Run { pipeline, form })
    }

    fn pipeline(&self, PipelineId(index): PipelineId) -> &Pipeline {
        &self.script.pipelines[index]
    }

    /// Reads `POS X Y SIZE WIDTH HEIGHT`.
    fn position_and_size(&mut self) -> Parsed<[[f64; 2]; 2]> {
        self.cursor.expect("POS")?;
        let position = [self.cursor.real("a coordinate")?, self.cursor.real("a coordinate")?];
        self.cursor.expect("SIZE")?;
        Ok([position, [self.cursor.real("a width")?, self.cursor.real("a height")?]])
    }

    fn read_rectangle(&mut self) -> Parsed<RunForm> {
        let [position, size] = self.position_and_size()?;
        Ok(RunForm::DrawRect { position, size, is_in_pixels: true, is_patch: false })
    }

    fn read_grid(&mut self) -> Parsed<RunForm> {
        let [position, size] = self.position_and_size()?;
        self.cursor.expect("CELLS")?;
        let start = self.cursor.peek().span;
        let columns = self.cursor.positive("the number of columns")?;
        let rows = self.cursor.positive("the number of rows")?;
        // A grid is drawn with six vertices per cell.
        if u64::from(columns) * u64::from(rows) > 1 << 20 {
            return Err(Problem::error(start, "a grid has at most 1048576 cells"));
        }
        Ok(RunForm::DrawGrid { position, size, cells: [columns, rows] })
    }

    /// Reads `AS TOPOLOGY …`.
    fn read_array(&mut self, pipeline: PipelineId, place: Span) -> Parsed<RunForm> {
        self.cursor.expect("AS")?;
        let topology = self.cursor.choice("topology", &TOPOLOGIES)?;
        let (mut is_indexed, mut first, mut count) = (false, 0, None);
        let (mut first_instance, mut instances) = (0, 1);
        while !self.cursor.is_line_end() {
            let option = self.cursor.word("an option")?;
            match option.value {
                "INDEXED" => is_indexed = true,
                "START_IDX" => first = self.cursor.unsigned("the first vertex")?.value,
                "COUNT" => count = Some(self.cursor.positive("the number of vertices")?),
                "START_INSTANCE" => {
                    first_instance = self.cursor.unsigned("the first instance")?.value;
                }
                "INSTANCE_COUNT" => instances = self.cursor.positive("the number of instances")?,
                _ => {
                    let known =
                        ["INDEXED", "START_IDX", "COUNT", "START_INSTANCE", "INSTANCE_COUNT"];
                    return Err(Problem::unknown("option", option, known));
                }
            }
        }
        let drawn = self.pipeline(pipeline);
        if is_indexed && drawn.index_buffer.is_none() {
            return Err(Problem::error(place, "the pipeline has no `INDEX_DATA`"));
        }
        if !is_indexed && count.is_none() && drawn.vertex_buffers.is_empty() {
            let message = "without `VERTEX_DATA`, nothing but `COUNT` says how much is drawn";
            return Err(Problem::error(place, message));
        }
        Ok(RunForm::DrawArray { topology, is_indexed, first, count, first_instance, instances })
    }
}
