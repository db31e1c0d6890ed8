//! Draws with vertex rows from transform feedback buffers.
//!
//! Nothing has run at planning time, but the origin of every word of a transform feedback buffer is known: the fill of
//! a new buffer, or a record of a captured draw. So the adapter copies the words from records to vertices between the
//! two draws.

use std::ops::Range;

use crate::error::Misfit;
use crate::vertex::{self, LOCATION_BYTES, UnreadColumns};
use case::draw::XfbRows;
use case::{Case, Draw, DrawShape};
use ir::source::Spanned;

use super::Planner;
use super::geometry::{PointDraw, Rows};
use crate::operation::Operation;
use crate::operation::RowCopy;
use crate::xfb::XfbEvent;

/// Maximum number of copies before one draw.
const MAX_COPIES: usize = 1 << 16;

/// Origin of a word in a transform feedback buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// Initial value of the buffer, not overwritten since.
    Fill(u32),
    /// A word of a record.
    Record {
        /// Index into [`crate::Plan::storage_sizes`].
        buffer: usize,
        /// Index of the word in that buffer.
        word: usize,
    },
}

/// True if a draw of the case reads transform feedback results.
pub(super) fn takes_captures(case: &Case) -> bool {
    case.draws().any(|Spanned { value: draw, .. }| {
        !draw.sources.is_empty() || matches!(draw.shape, DrawShape::Captured { .. })
    })
}

impl Planner<'_> {
    /// Adds an event. The records of a draw are in the storage buffer with index `records`.
    pub(super) fn push_event(&mut self, event: XfbEvent, records: Option<usize>) {
        self.plan.xfb_events.push(event);
        if let Some(assembly) = &mut self.assembly {
            if event.entries().is_some() {
                self.plan.impossible.get_or_insert_with(|| {
                    "draws from buffers in a case that captures behind a geometry or tessellation stage"
                        .to_owned()
                });
            }
            let xfbs: Vec<_> =
                self.programs.all.iter().map(|program| program.captured.as_ref()).collect();
            let record = |word| records.map(|buffer| Word::Record { buffer, word });
            assembly.apply(&xfbs, &event, Word::Fill, record);
        }
    }

    /// Stores the number of vertices written, when transform feedback ends.
    pub(super) fn note_captured(&mut self) {
        let vertices = self.assembly.as_ref().map(|assembly| u32::try_from(assembly.vertices()));
        self.geometry.captured = vertices.map(|vertices| vertices.unwrap_or(u32::MAX));
    }

    /// Source of a draw's rows.
    pub(super) fn row_source(&self, draw: &Draw) -> Result<Rows, Misfit> {
        let mut least = None;
        for source in &draw.sources {
            let XfbRows { buffer, .. } = source;
            if self.capture.writes(*buffer) {
                return Err(Misfit(format!(
                    "capture buffer {buffer} is read while captures write it"
                )));
            }
            let content = self.assembly.as_ref().and_then(|assembly| assembly.buffer(*buffer));
            let content = content
                .ok_or_else(|| Misfit(format!("there is no capture buffer {buffer} yet")))?;
            let count = source.count_in(u32::try_from(content.size).unwrap_or(u32::MAX));
            least = Some(least.map_or(count, |least: u32| least.min(count)));
        }
        Ok(least.map_or(Rows::Section, Rows::Captured))
    }

    /// Plans the copies for a draw whose rows [`Self::row_source`] found in transform feedback buffers. `rows` is
    /// their range, and each row is for as many vertices as `points` says.
    pub(super) fn fill_rows(
        &mut self,
        draw: &Draw,
        rows: &Range<usize>,
        points: PointDraw,
    ) -> Result<(), Misfit> {
        let mut copies = Vec::new();
        for source in &draw.sources {
            self.fill_columns(source, rows, points, &mut copies)?;
        }
        match draw.shape {
            DrawShape::Arrays { .. } | DrawShape::Indexed { .. } => {
                self.fill_stored(rows, points, &mut copies)?;
            }
            DrawShape::Rect(_)
            | DrawShape::RectOrtho(_)
            | DrawShape::RectTextured { .. }
            | DrawShape::Captured { .. } => {}
        }
        if copies.len() > MAX_COPIES {
            self.plan.impossible.get_or_insert_with(|| {
                format!("a draw of rows from buffers that takes more than {MAX_COPIES} copies")
            });
            return Ok(());
        }
        if !copies.is_empty() {
            self.plan.operations.push(Operation::Rows(copies));
        }
        Ok(())
    }

    /// Plans the copies of the columns in a script's storage buffers.
    fn fill_stored(
        &mut self,
        rows: &Range<usize>,
        points: PointDraw,
        copies: &mut Vec<RowCopy>,
    ) -> Result<(), Misfit> {
        let Some(table) = self.geometry.table() else { return Ok(()) };
        let row_bytes = self.geometry.layout.stride();
        for stored in &table.stored {
            let buffer = *self.storage.get(&stored.buffer).ok_or("there is no such buffer")?;
            let columns = table.data.as_ref().map_or(&[][..], |data| &data.columns);
            let Some(column) = columns.get(stored.column) else { continue };
            let (layout, attributes) = (&self.geometry.layout, &self.program.attributes);
            let place = vertex::column_place(layout, attributes, column, UnreadColumns::Ignored)?;
            let Some((idx, _)) = place else { continue };
            let words = column.storage.size() as usize / 4 * usize::from(column.components);
            for (vertex, start) in rows.clone().step_by(row_bytes.max(1)).enumerate() {
                let row = vertex / points.vertices();
                let from = stored.offset as usize + row * stored.stride as usize;
                let to = start + idx * LOCATION_BYTES;
                for byte in (0..words * 4).step_by(4) {
                    add_word(copies, buffer, from + byte, to + byte);
                }
            }
        }
        Ok(())
    }

    fn fill_columns(
        &mut self,
        source: &XfbRows,
        rows: &Range<usize>,
        points: PointDraw,
        copies: &mut Vec<RowCopy>,
    ) -> Result<(), Misfit> {
        let content = self.assembly.as_ref().and_then(|assembly| assembly.buffer(source.buffer));
        let words = content.map_or(&[][..], |content| &content.words);
        let geometry = &mut self.geometry;
        let row_bytes = geometry.layout.stride();
        for column in &source.columns {
            let attributes = &self.program.attributes;
            let unread = UnreadColumns::Refused;
            let place = vertex::column_place(&geometry.layout, attributes, column, unread)?;
            let Some((idx, scalar)) = place else { continue };
            let width = column.storage.size() as usize / 4;
            if scalar.words() != width {
                let name = &column.attribute;
                return Err(Misfit(format!(
                    "captured values of `{name}` would have to be converted"
                )));
            }
            let vertices = rows.clone().step_by(row_bytes.max(1));
            for (vertex, start) in vertices.enumerate() {
                let row = vertex / points.vertices();
                let first = (source.offset + column.offset) as usize / 4
                    + row * (source.stride as usize / 4);
                let to = start + idx * LOCATION_BYTES;
                let own = words.iter().skip(first).take(usize::from(column.components) * width);
                for (word, to) in own.zip((to..).step_by(4)) {
                    match word {
                        Word::Fill(bits) => {
                            if let Some(place) = geometry.vertices.get_mut(to..to + 4) {
                                place.copy_from_slice(&bits.to_le_bytes());
                            }
                        }
                        Word::Record { buffer, word } => add_word(copies, *buffer, *word * 4, to),
                    }
                }
            }
        }
        Ok(())
    }
}

/// Adds the copy of a word, or extends the last copy if it is adjacent.
fn add_word(copies: &mut Vec<RowCopy>, buffer: usize, from: usize, to: usize) {
    if let Some(last) = copies.last_mut()
        && (last.buffer, last.from + last.size, last.to + last.size) == (buffer, from, to)
    {
        last.size += 4;
        return;
    }
    copies.push(RowCopy { buffer, from, to, size: 4 });
}

#[cfg(test)]
mod tests {
    use crate::topology::ProvokingVertex;
    use crate::{ExecuteError, Plan, plan};
    use case::xfb::XfbStep;
    use case::{Action, Step, Topology, VertexStorage};
    use ir::interface::Type;
    use link::compute::xfb::{Buffer, Run, TimesW, Xfb};
    use link::program::{LinkedProgram, LinkedStages};
    use link::table::binding::Attribute;

    use super::*;

    /// A program that captures two words per vertex, the second one after a gap, with an attribute `a` of two floats.
    fn program() -> LinkedProgram {
        let vertex = naga::Module::default();
        let stages = LinkedStages::Render { vertex, fragment: None };
        let buffers = vec![Buffer { number: 0, stride: 3, is_active: true, stream: 0 }];
        let run = |record_word, word| Run {
            name: "v".to_owned(),
            record_word,
            buffer: 0,
            word,
            count: 1,
        };
        let runs = vec![run(0, 0), run(1, 2)];
        let captured = Some(Xfb { buffers, runs, times_w: TimesW::default(), stride: 2 });
        let passes = fixture::captures(2);
        let ty: Type = "vec2".parse().expect("a type");
        let attributes = vec![Attribute::new("a", ty, 0, &mut (0..))];
        LinkedProgram { attributes, captured, passes, ..fixture::program(stages) }
    }

    fn capture(step: XfbStep) -> Step {
        Action::Xfb(step).into()
    }

    fn buffer(buffer: u32, size: u32) -> Step {
        capture(XfbStep::Buffer { buffer, size, fill: 9 })
    }

    fn draw(shape: DrawShape, name: &str, offset: u32) -> Draw {
        let column = fixture::column(name, VertexStorage::Float, 2);
        let source = XfbRows { buffer: 0, columns: vec![column], offset, stride: 12 };
        Draw { sources: vec![source], ..Draw::once(shape) }
    }

    const fn points(first: u32, count: u32) -> DrawShape {
        DrawShape::Arrays { topology: Topology::Points, first, count }
    }

    const ALL: DrawShape = DrawShape::Captured { topology: Topology::Points };

    /// Steps that capture two points into a new buffer of `size` bytes.
    fn captured(size: u32) -> Vec<Step> {
        let draw = Draw { sources: Vec::new(), ..draw(points(0, 2), "a", 0) };
        vec![buffer(0, size), capture(XfbStep::Draw(draw))]
    }

    /// The steps `before`, then a draw.
    fn after(before: Vec<Step>, draw: Draw) -> Vec<Step> {
        [before, vec![Action::Draw(draw).into()]].concat()
    }

    fn planned(steps: Vec<Step>) -> Result<Plan, (usize, String)> {
        let mut case = fixture::case(steps);
        case.vertex_data = Some(case::VertexData {
            columns: Vec::new(),
            stride: 4,
            bytes: vec![0; 8],
            row_count: 2,
        });
        match plan(&case, &program(), ProvokingVertex::Last) {
            Ok(plan) => Ok(plan),
            Err(ExecuteError::Step { step, misfit }) => Err((step, misfit.0)),
            Err(other) => panic!("{other:?}"),
        }
    }

    /// Rows begin at words 1 and 2 of a vertex: at the gap, which keeps its 9, and at the second captured word. A
    /// vertex has four words, of which the last two are 0 and 1. The two rows of the section come first.
    #[test]
    fn words_come_from_records_and_from_the_fill() {
        let steps = after(captured(24), draw(points(0, 2), "a", 4));
        let plan = planned(steps).expect("it is right");
        let copy = |from, to| RowCopy { buffer: 0, from, to, size: 4 };
        let copies = Operation::Rows(vec![copy(4, 36), copy(12, 52)]);
        assert!(plan.operations.contains(&copies), "{:?}", plan.operations);
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(&plan.vertices[32..]);
        assert_eq!(words, [9, 0, 0, 1_f32.to_bits(), 9, 0, 0, 1_f32.to_bits()]);
    }

    /// From word 2 on, the next vertex's first word follows, which is also the next word of the records.
    #[test]
    fn words_that_stay_neighbours_are_copied_together() {
        let steps = after(captured(24), draw(points(0, 1), "a", 8));
        let plan = planned(steps).expect("it is right");
        let copies = vec![RowCopy { buffer: 0, from: 4, to: 32, size: 8 }];
        assert!(plan.operations.contains(&Operation::Rows(copies)));
    }

    #[test]
    fn as_many_rows_are_drawn_as_vertices_found_room() {
        #[track_caller]
        fn check(size: u32, expected: usize) {
            let plan = planned(after(captured(size), draw(ALL, "a", 0))).expect("it is right");
            let drawn = plan.operations.iter().map(|operation| {
                let Operation::Draw(draw) = operation else { return 0 };
                draw.indices.len()
            });
            assert_eq!(drawn.sum::<usize>(), expected, "{size}");
        }
        check(24, 2);
        check(20, 1);
        check(8, 0);
    }

    #[test]
    fn rows_that_are_not_there_are_an_error() {
        #[track_caller]
        fn check(steps: Vec<Step>, expected: &str) {
            let last = steps.len() - 1;
            let error = planned(steps).err();
            assert_eq!(error, Some((last, expected.to_owned())));
        }
        check(after(vec![], draw(points(0, 1), "a", 0)), "there is no capture buffer 0 yet");
        check(
            after(captured(24), draw(points(1, 2), "a", 0)),
            "there is no row 2; the capture buffers have 2",
        );
        check(
            after(captured(24), draw(points(0, 1), "a", 20)),
            "there is no row 0; the capture buffers have 0",
        );
        check(
            after(captured(24), draw(points(0, 1), "b", 0)),
            "`b` is not an attribute of the vertex stage; it has `a`",
        );
        check(after(vec![buffer(0, 24)], draw(ALL, "a", 0)), "nothing has been captured yet");
        let row = draw(points(0, 16_384), "a", 0);
        check(
            after(after(vec![buffer(0, 1 << 18)], row), draw(points(0, 1), "a", 0)),
            "the draws of a case may take 16384 rows from capture buffers together",
        );
    }

    /// OpenGL leaves the result undefined if a draw reads what transform feedback writes at the same time.
    #[test]
    fn what_captures_write_is_not_read_before_they_end() {
        let message = "capture buffer 0 is read while captures write it".to_owned();
        let read = || draw(points(0, 1), "a", 0);
        let steps = vec![buffer(0, 24), capture(XfbStep::Draw(read()))];
        assert_eq!(planned(steps).err(), Some((1, message.clone())));
        let begin = vec![buffer(0, 24), capture(XfbStep::Begin)];
        let pause = [begin.clone(), vec![capture(XfbStep::Pause)]].concat();
        assert_eq!(planned(after(pause, read())).err(), Some((3, message)));
        let end = [begin, vec![capture(XfbStep::End)]].concat();
        assert!(planned(after(end, read())).is_ok());
        // The range that transform feedback writes does not overlap the bytes that are read.
        let range = XfbStep::Range { buffer: 0, of: 1, offset: 0, size: 24 };
        let apart =
            vec![buffer(0, 24), buffer(1, 24), capture(range), capture(XfbStep::Draw(read()))];
        assert!(planned(apart).is_ok());
    }
}
