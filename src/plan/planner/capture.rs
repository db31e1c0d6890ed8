//! Plans transform feedback: captured draws, and the commands between them.

use super::Planner;
use super::geometry::PointDraw;
use super::geometry_stage::{Emitted, Rasterizer};
use crate::error::Misfit;
use crate::pass::PassVertices;
use crate::snapshot::SnapshotSource;
use crate::topology::{self, Primitive};
use crate::xfb::EmittedEntries;
use crate::xfb::XfbEvent;
use case::xfb::XfbStep;
use case::{Draw, ReadExpectation, ReadSource};
use ir::options::XFB_POINT;
use link::compute::xfb::Xfb;
use std::collections::BTreeMap;
use std::ops::Range;

/// Maximum words of all transform feedback records of one case, by either method: 64 MiB.
const MAX_RECORD_WORDS: u32 = 1 << 24;

/// Maximum instances of a captured draw: WebGPU's guaranteed number of workgroups.
const MAX_INSTANCES: u32 = 65_535;

/// Maximum vertices of one instance: the number that WebGPU's guaranteed number of workgroups processes.
const MAX_VERTICES: u32 = 65_535 * link::table::shell::WORKGROUP_SIZE;

/// Transform feedback state at a step.
#[derive(Clone, Debug, Default)]
pub(super) struct CaptureState {
    is_on: bool,
    is_paused: bool,
    /// Program whose outputs are captured.
    program: usize,
    /// Primitive type of the first draw since transform feedback began; all others must have the same.
    primitive: Option<Primitive>,
    /// For each transform feedback buffer, the buffer with its bytes and the range in it.
    places: BTreeMap<u32, (u32, Range<u32>)>,
    /// Words of all records so far.
    words: u32,
    /// Buffers that are written until transform feedback ends.
    written: Vec<u32>,
}

impl CaptureState {
    /// True if draws are captured now.
    pub(super) const fn is_active(&self) -> bool {
        self.is_on && !self.is_paused
    }

    /// True if transform feedback that has not ended writes to this buffer.
    pub(super) fn writes(&self, buffer: u32) -> bool {
        self.is_on && self.written.contains(&buffer)
    }

    /// True if draws are only counted now.
    pub(super) const fn is_paused(&self) -> bool {
        self.is_on && self.is_paused
    }
}

impl Planner<'_> {
    /// Plans a transform feedback command.
    pub(super) fn capture_step(&mut self, idx: usize, step: &XfbStep) -> Result<(), Misfit> {
        match step {
            XfbStep::Buffer { buffer, size, fill } => {
                let event = XfbEvent::Buffer { number: *buffer, size: *size, fill: *fill };
                self.change_buffer(*buffer, *buffer, 0..*size, event)
            }
            XfbStep::Range { buffer, of, offset, size } => {
                let (number, of, offset, size) = (*buffer, *of, *offset, *size);
                let event = XfbEvent::Range { number, of, offset, size };
                self.change_buffer(number, of, offset..offset.saturating_add(size), event)
            }
            XfbStep::Draw(draw) => {
                self.begin_capture()?;
                self.captured_draw(idx, draw)?;
                self.end_capture();
                Ok(())
            }
            XfbStep::Begin => self.begin_capture(),
            XfbStep::Pause => self.switch_pause(true),
            XfbStep::Resume => self.switch_pause(false),
            XfbStep::End if self.capture.is_on => {
                self.end_capture();
                Ok(())
            }
            XfbStep::End => Err("captures have not begun".into()),
        }
    }

    fn change_buffer(
        &mut self,
        number: u32,
        of: u32,
        range: Range<u32>,
        event: XfbEvent,
    ) -> Result<(), Misfit> {
        if self.capture.is_on {
            return Err("buffers cannot change between `capture begin` and `end`".into());
        }
        self.capture.places.insert(number, (of, range));
        self.push_event(event, None);
        Ok(())
    }

    fn end_capture(&mut self) {
        self.capture.is_on = false;
        self.note_captured();
    }

    fn begin_capture(&mut self) -> Result<(), Misfit> {
        let Some(xfb) = &self.program.captured else {
            return Err("the program captures nothing".into());
        };
        if self.capture.is_on {
            return Err("captures have begun already".into());
        }
        let active =
            xfb.buffers.iter().filter(|buffer| buffer.is_active).map(|buffer| buffer.number);
        let active: Vec<_> = active.collect();
        check_places(&active, &self.capture.places)?;
        let owner = |number: &u32| self.capture.places.get(number).map(|(of, _)| *of);
        self.capture.written = active.iter().filter_map(owner).collect();
        (self.capture.is_on, self.capture.is_paused) = (true, false);
        self.capture.primitive = None;
        self.capture.program = self.current;
        self.push_event(XfbEvent::Begin, None);
        Ok(())
    }

    fn switch_pause(&mut self, is_paused: bool) -> Result<(), Misfit> {
        if !self.capture.is_on || self.capture.is_paused == is_paused {
            let state = if is_paused { "running" } else { "paused" };
            return Err(Misfit(format!("captures are not {state}")));
        }
        if self.capture.program != self.current {
            return Err("captures go on with the program that they began with".into());
        }
        self.capture.is_paused = is_paused;
        Ok(())
    }

    /// Plans the capture of a draw.
    pub(super) fn captured_draw(&mut self, idx: usize, draw: &Draw) -> Result<(), Misfit> {
        let program = self.program;
        if program.has_chain() {
            return self.geometry_draw(idx, draw, Rasterizer::Off);
        }
        let Some(xfb) = &program.captured else { return Ok(()) };
        self.write_draw_parameters(draw)?;
        let source = self.row_source(draw)?;
        let shape = self.geometry.add_captured(draw, source)?;
        self.fill_rows(draw, &shape.vertices, shape.points)?;
        self.check_primitive(shape.primitive)?;
        let count = shape.indices.end.saturating_sub(shape.indices.start);
        let vertices = shape.primitive.vertices();
        let total = count.checked_mul(draw.instances).ok_or("too many vertices are captured")?;
        let (mut records, mut buffer) = (None, None);
        if total > 0 && xfb.stride > 0 {
            let size = self.render_size();
            self.state.write_draw(self.program, &mut self.uniforms, PointDraw::NoQuads, size)?;
            let bindings = self.bind()?;
            let vertices = PassVertices {
                rows: shape.vertices,
                indices: shape.indices,
                instances: draw.instances,
                first_instance: self.first_instance(draw),
            };
            let first = self.capture_vertices(idx, bindings, &vertices)?;
            (records, buffer) = (Some(self.record_snapshots(first)?), Some(first));
        }
        let primitives = total / vertices;
        let program = self.current;
        let (step, stream, entries) = (idx, 0, None);
        let event =
            XfbEvent::Draw { step, program, vertices, primitives, stream, records, entries };
        self.push_event(event, buffer);
        Ok(())
    }

    /// Checks that a draw has the same type of primitive as the other draws of a capture.
    fn check_primitive(&mut self, primitive: Primitive) -> Result<(), Misfit> {
        if *self.capture.primitive.get_or_insert(primitive) != primitive {
            return Err("all draws of one capture must give the same kind of primitive".into());
        }
        Ok(())
    }

    /// Plans the passes that write the records of vertices. Returns the index of the buffer with those from the
    /// function; those from the slots are in the next one.
    fn capture_vertices(
        &mut self,
        step: usize,
        bindings: usize,
        vertices: &PassVertices,
    ) -> Result<usize, Misfit> {
        let stride = self.program.captured.as_ref().map_or(0, |xfb| xfb.stride);
        let own = vertices.total().and_then(|total| total.checked_mul(stride));
        let words = own.and_then(|words| words.checked_add(self.capture.words));
        let words = words.filter(|words| *words <= MAX_RECORD_WORDS);
        self.capture.words = words.ok_or("too many vertices are captured")?;
        if vertices.count() > MAX_VERTICES || vertices.instances > MAX_INSTANCES {
            return Err(Misfit(format!(
                "a captured draw may have {MAX_VERTICES} vertices in {MAX_INSTANCES} instances"
            )));
        }
        let first = self.plan.storage_sizes.len();
        self.plan.storage_sizes.extend([own.unwrap_or(0).saturating_mul(4); 2]);
        let captures = self.program.capture_passes().zip(first..);
        let passes = captures.map(|(number, records)| vertices.pass(number, records)).collect();
        self.push_passes(step, bindings, passes);
        Ok(first)
    }

    /// Snapshots of the records from the function, which are in buffer `first`, and from the slots.
    fn record_snapshots(&mut self, first: usize) -> Result<[usize; 2], Misfit> {
        let function = self.snapshot(SnapshotSource::Buffer(first), None)?;
        let slots = self.snapshot(SnapshotSource::Buffer(first + 1), None)?;
        Ok([function, slots])
    }

    /// Plans the capture of the primitives that a geometry stage emitted.
    pub(super) fn capture_entries(&mut self, step: usize, emitted: Emitted) -> Result<(), Misfit> {
        let program = self.program;
        let Some(xfb) = &program.captured else { return Ok(()) };
        self.check_primitive(emitted.primitive)?;
        if emitted.entries == 0 {
            return Ok(());
        }
        // Primitives of the first stream are counted, whether they are captured or not.
        for stream in 0..emitted.streams {
            if stream == 0 || xfb.captures(stream) {
                self.capture_stream(step, emitted, xfb, stream)?;
            }
        }
        Ok(())
    }

    /// Plans the capture of the primitives that a geometry stage emitted to one stream.
    fn capture_stream(
        &mut self,
        step: usize,
        emitted: Emitted,
        xfb: &Xfb,
        stream: u32,
    ) -> Result<(), Misfit> {
        let Emitted { entries, primitive, bindings, .. } = emitted;
        let (mut records, mut buffer) = (None, None);
        if xfb.stride > 0 && xfb.captures(stream) {
            let indices = self.captured_entries(emitted, stream)?;
            let vertices = PassVertices { rows: 0..0, indices, instances: 1, first_instance: 0 };
            let first = self.capture_vertices(step, bindings, &vertices)?;
            (records, buffer) = (Some(self.record_snapshots(first)?), Some(first));
        }
        let (program, vertices) = (self.current, primitive.vertices());
        let primitives = entries / vertices;
        let entries = Some(self.emitted_entries(emitted, stream)?);
        let event =
            XfbEvent::Draw { step, program, vertices, primitives, stream, records, entries };
        self.push_event(event, buffer);
        Ok(())
    }

    /// The list of a stream's entries in GL's capture order.
    fn captured_entries(&mut self, emitted: Emitted, stream: u32) -> Result<Range<u32>, Misfit> {
        let Emitted { entries, primitive, .. } = emitted;
        let (from, to) = (self.geometry.convention(), self.geometry.provoking);
        // Streams after the first have points.
        if from == to || stream > 0 {
            let first = entries.saturating_mul(stream);
            let all = self.entry_list(first.saturating_add(entries))?;
            return Ok(all.start.saturating_add(first)..all.end);
        }
        let order = topology::capture_order(primitive, from, to);
        let firsts = (0..entries / primitive.vertices()).map(|idx| idx * primitive.vertices());
        let list: Vec<u32> =
            firsts.flat_map(|first| order.iter().map(move |place| first + place)).collect();
        self.geometry.push_indices(list.into_iter())
    }

    /// Reads back which entries of a stream have a vertex.
    fn emitted_entries(&mut self, emitted: Emitted, stream: u32) -> Result<EmittedEntries, Misfit> {
        let snapshot = self.snapshot(SnapshotSource::Buffer(emitted.records), None)?;
        let vertices = emitted.primitive.vertices();
        let first = emitted.entries.saturating_mul(stream);
        Ok(EmittedEntries { snapshot, first, count: emitted.entries, vertices })
    }

    /// Counts the primitives that a geometry stage emits while transform feedback is paused.
    pub(super) fn count_entries(&mut self, emitted: Emitted) -> Result<(), Misfit> {
        if emitted.entries == 0 {
            return Ok(());
        }
        let primitives = emitted.entries / emitted.primitive.vertices();
        let entries = Some(self.emitted_entries(emitted, 0)?);
        self.push_event(XfbEvent::Paused { primitives, entries }, None);
        Ok(())
    }

    /// Counts the primitives of a draw while transform feedback is paused.
    pub(super) fn uncaptured_draw(&mut self, draw: &Draw) -> Result<(), Misfit> {
        let source = self.row_source(draw)?;
        let shape = self.geometry.add_captured(draw, source)?;
        let count = shape.indices.end.saturating_sub(shape.indices.start);
        let primitives = (count / shape.primitive.vertices()).saturating_mul(draw.instances);
        self.push_event(XfbEvent::Paused { primitives, entries: None }, None);
        Ok(())
    }

    /// Records an expectation about transform feedback.
    pub(super) fn capture_expectation(&mut self, step: usize, expectation: &ReadExpectation) {
        let event = match expectation.source() {
            ReadSource::Count(query) => XfbEvent::Count { step, query },
            ReadSource::Buffer(binding) => match binding.checked_sub(XFB_POINT) {
                Some(number) => XfbEvent::Probe { step, number },
                None => return,
            },
            ReadSource::Target { .. } | ReadSource::Depth(_) | ReadSource::Texture(_) => return,
        };
        self.push_event(event, None);
    }
}

/// Checks that every written buffer exists, and that no two share a byte, which GL leaves undefined.
fn check_places(active: &[u32], places: &BTreeMap<u32, (u32, Range<u32>)>) -> Result<(), Misfit> {
    let mut known: Vec<(u32, &(u32, Range<u32>))> = Vec::new();
    for number in active {
        let Some(place) = places.get(number) else {
            return Err(Misfit(format!(
                "capture buffer {number} needs an `xfb buffer object {number} SIZE` before this step"
            )));
        };
        let shares_bytes = |(_, (of, range)): &&(u32, &(u32, Range<u32>))| {
            *of == place.0 && range.start < place.1.end && place.1.start < range.end
        };
        if let Some((other, _)) = known.iter().find(shares_bytes) {
            return Err(Misfit(format!("capture buffers {other} and {number} share bytes")));
        }
        known.push((*number, place));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::topology::ProvokingVertex;
    use crate::{ExecuteError, plan};
    use case::{Action, DrawShape, Step, Topology};
    use link::compute::xfb::{Buffer, TimesW};
    use link::program::LinkedStages;

    use super::*;

    const BUFFER: XfbStep = XfbStep::Buffer { buffer: 0, size: 64, fill: 0 };

    fn draw(topology: Topology) -> Step {
        Step::Run(Action::Draw(Draw::once(DrawShape::Arrays { topology, first: 0, count: 6 })))
    }

    /// The events of a case whose program captures one word per vertex, or the first error.
    fn events(steps: Vec<Step>) -> Result<Vec<XfbEvent>, (usize, String)> {
        let vertex = naga::Module::default();
        let stages = LinkedStages::Render { vertex, fragment: None };
        let buffers = vec![Buffer { number: 0, stride: 1, is_active: true, stream: 0 }];
        let times_w = TimesW::default();
        let captured = Some(Xfb { buffers, runs: Vec::new(), times_w, stride: 1 });
        let passes = fixture::captures(1);
        let program = link::program::LinkedProgram { captured, passes, ..fixture::program(stages) };
        match plan(&fixture::case(steps), &program, ProvokingVertex::Last) {
            Ok(plan) => Ok(plan.xfb_events),
            Err(ExecuteError::Step { step, misfit }) => Err((step, misfit.0)),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn captures_begin_pause_go_on_and_end_in_this_order() {
        #[track_caller]
        fn check(steps: &[XfbStep], expected: &str) {
            let steps = steps.iter().map(|step| Action::Xfb(step.clone()).into());
            let steps: Vec<_> = steps.collect();
            let last = steps.len() - 1;
            assert_eq!(events(steps), Err((last, expected.to_owned())));
        }
        use XfbStep::{Begin, End, Pause, Resume};
        check(&[End], "captures have not begun");
        let missing = "capture buffer 0 needs an `xfb buffer object 0 SIZE` before this step";
        check(&[Begin], missing);
        check(&[BUFFER, Begin, Begin], "captures have begun already");
        check(&[BUFFER, Begin, Pause, Begin], "captures have begun already");
        check(&[BUFFER, Pause], "captures are not running");
        check(&[BUFFER, Begin, Resume], "captures are not paused");
        check(&[BUFFER, Begin, Pause, Pause], "captures are not running");
        check(&[BUFFER, Begin, End, End], "captures have not begun");
        let message = "buffers cannot change between `capture begin` and `end`";
        check(&[BUFFER, Begin, BUFFER], message);
        let range = XfbStep::Range { buffer: 0, of: 0, offset: 0, size: 4 };
        check(&[BUFFER, Begin, Pause, range], message);
    }

    #[test]
    fn one_capture_has_one_kind_of_primitive() {
        let begin = [Step::Run(Action::Xfb(BUFFER)), Step::Run(Action::Xfb(XfbStep::Begin))];
        let mixed = [draw(Topology::LineLoop), draw(Topology::Lines), draw(Topology::Points)];
        assert_eq!(
            events([&begin[..], &mixed].concat()),
            Err((4, "all draws of one capture must give the same kind of primitive".to_owned()))
        );
        let pause = Step::Run(Action::Xfb(XfbStep::Pause));
        let paused = [draw(Topology::Lines), pause, draw(Topology::TriangleFan)];
        let events = events([&begin[..], &paused].concat()).expect("it is right");
        assert_eq!(events.last(), Some(&XfbEvent::Paused { primitives: 4, entries: None }));
    }

    #[test]
    fn buffers_that_are_written_are_there_and_apart() {
        #[track_caller]
        fn check(active: &[u32], expected: Result<(), &str>) {
            let places = [(0, (0, 0..16)), (1, (0, 16..32)), (2, (0, 12..20))].into();
            let expected = expected.map_err(|text| Misfit(text.to_owned()));
            assert_eq!(check_places(active, &places), expected);
        }
        check(&[0, 1], Ok(()));
        check(&[2], Ok(()));
        check(&[0, 2], Err("capture buffers 0 and 2 share bytes"));
        check(&[1, 2], Err("capture buffers 1 and 2 share bytes"));
        check(
            &[0, 3],
            Err("capture buffer 3 needs an `xfb buffer object 3 SIZE` before this step"),
        );
    }
}
