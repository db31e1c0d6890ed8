//! Runs wired geometry stages, and collects the vertices and primitives that they emit.

use ir::geometry::GeometryStage;
use plan::ExecuteError;

use super::invocations::{Invocation, Runner, WIDTH, WiredStage, turns};
use super::{Draw, Emitted, Primitives, Records, no_entries};
use crate::geometry::strip::Strips;
use crate::lanes::Emission;
use crate::numbers::{count, index};
use crate::world::World;

/// A geometry stage.
#[derive(Debug)]
pub struct WiredGeometry {
    /// The stage.
    pub stage: WiredStage,
    /// Properties of the stage.
    pub properties: GeometryStage,
    /// Number of vertex streams that have entries.
    pub streams: u32,
}

impl WiredGeometry {
    /// Runs the stage for primitives. `drawn` words of each emitted vertex are drawn.
    pub(super) fn emit(
        &self,
        world: &mut World,
        draw: Draw<'_>,
        primitives: &Primitives,
        drawn: usize,
    ) -> Result<Emitted, ExecuteError> {
        let entries = no_entries(entries_of(draw).saturating_mul(self.streams));
        let mut emitted = Emitted { drawn, entries, ..Emitted::default() };
        let mut stage = Runner::new(world, &self.stage, draw.points, WIDTH)?;
        let times = index(self.properties.invocations.max(1));
        let each = primitives.each * times;
        // Each workgroup runs invocations of only one instance.
        let mut batches = Vec::new();
        for instance in 0..primitives.ids.len().checked_div(primitives.each).unwrap_or(0) {
            let last = (instance + 1) * each;
            let first = turns(world, each, WIDTH).into_iter().map(|turn| instance * each + turn);
            batches.extend(first.map(|first| first..(first + WIDTH).min(last)));
        }
        for batch in batches {
            let invocation = |serial: usize| Invocation {
                primitive: serial / times,
                id: primitives.ids.get(serial / times).copied().unwrap_or(0),
                turn: count(serial % times),
                ..Invocation::default()
            };
            let all: Vec<_> = batch.clone().map(invocation).collect();
            let lanes = stage.run(world, &all, &primitives.vertices, &Records::default())?;
            for (lane, serial) in batch.enumerate() {
                self.collect(lanes.emitted(lane), draw, serial, &mut emitted);
            }
        }
        Ok(emitted)
    }

    /// Adds the output of the invocation with this serial number. Each stream has separate strips and entries.
    fn collect(&self, events: &[Emission], draw: Draw<'_>, serial: usize, emitted: &mut Emitted) {
        let strips = || Strips::new(self.properties.output, draw.convention);
        let mut streams: Vec<_> = (0..self.streams).map(|_| strips()).collect();
        for event in events {
            let (Emission::Vertex { stream, .. } | Emission::End { stream }) = event;
            let Some(strips) = streams.get_mut(index(*stream)) else { continue };
            match event {
                Emission::Vertex { words, .. } => {
                    emitted.stride = words.len();
                    let number = emitted.words.len().checked_div(emitted.stride);
                    emitted.words.extend(words);
                    strips.push(count(number.unwrap_or(0)));
                }
                Emission::End { .. } => strips.end(),
            }
        }
        let size = self.properties.output.vertices();
        let room = (self.properties.max_vertices + 1).saturating_sub(size).saturating_mul(size);
        for (stream, strips) in streams.into_iter().enumerate() {
            let first = stream.saturating_mul(index(entries_of(draw)));
            let first = first.saturating_add(serial.saturating_mul(index(room)));
            let places = emitted.entries.iter_mut().skip(first);
            places.zip(strips.complete).for_each(|(place, vertex)| *place = vertex);
        }
    }
}

/// Number of entries of one stream.
fn entries_of(draw: Draw<'_>) -> u32 {
    draw.passes.last().map_or(0, |pass| pass.word(3))
}
