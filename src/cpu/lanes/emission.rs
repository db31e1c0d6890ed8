//! Records the vertices that geometry stages emit.

use super::Lanes;
use crate::code::{EmissionOp, Register};

/// An action of a geometry stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Emission {
    /// The stage emitted a vertex.
    Vertex {
        /// The vertex stream.
        stream: u32,
        /// Words of the stage's outputs.
        words: Vec<u32>,
    },
    /// The stage ended a strip.
    End {
        /// The vertex stream.
        stream: u32,
    },
}

impl Lanes<'_> {
    pub(super) fn emission(&mut self, op: &EmissionOp) {
        for lane in (0..self.width).filter(|lane| self.active[*lane] & self.live[*lane] != 0) {
            let word = |register: Register| self.words(register)[lane];
            let (event, room) = match op {
                EmissionOp::Vertex { stream, words, max_vertices } => {
                    let words = words.iter().map(|register| word(*register)).collect();
                    (Emission::Vertex { stream: word(*stream), words }, *max_vertices)
                }
                EmissionOp::End { stream } => (Emission::End { stream: word(*stream) }, u32::MAX),
            };
            let own = &mut self.emitted[lane];
            let is_vertex = |event: &&Emission| matches!(event, Emission::Vertex { .. });
            let is_repeated = !is_vertex(&&event) && own.last() == Some(&event);
            let has_room = own.iter().filter(is_vertex).count() < room as usize;
            if has_room && !is_repeated {
                own.push(event);
            }
        }
    }

    /// The actions of a lane in the last run, in order.
    pub(crate) fn emitted(&self, lane: usize) -> &[Emission] {
        self.emitted.get(lane).map_or(&[], Vec::as_slice)
    }
}
