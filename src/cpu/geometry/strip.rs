//! Assembles primitives from the strips of one invocation, by OpenGL 4.6 core, 11.3.2 and table 13.2.

use case::state::ProvokingVertex;
use ir::geometry::OutputPrimitive;

/// Vertices of the primitives of strips. Each primitive begins with its provoking vertex, and triangles wind as in GL.
#[derive(Debug)]
pub(super) struct Strips {
    output: OutputPrimitive,
    convention: ProvokingVertex,
    /// The strip that has not ended yet.
    strip: Vec<u32>,
    /// The vertices of complete primitives.
    pub(super) complete: Vec<u32>,
}

impl Strips {
    pub(super) const fn new(output: OutputPrimitive, convention: ProvokingVertex) -> Self {
        Self { output, convention, strip: Vec::new(), complete: Vec::new() }
    }

    /// Adds a vertex.
    pub(super) fn push(&mut self, vertex: u32) {
        self.strip.push(vertex);
        let is_odd = self.strip.len().is_multiple_of(2);
        match (self.output, self.strip.as_slice()) {
            (OutputPrimitive::Points, [.., point]) => self.complete.push(*point),
            (OutputPrimitive::LineStrip, [.., first, second]) => {
                self.complete.extend(match self.convention {
                    ProvokingVertex::First => [*first, *second],
                    ProvokingVertex::Last => [*second, *first],
                });
            }
            (OutputPrimitive::TriangleStrip, [.., first, second, third]) => {
                self.complete.extend(match (self.convention, is_odd) {
                    (ProvokingVertex::First, false) => [*first, *second, *third],
                    (ProvokingVertex::First, true) => [*first, *third, *second],
                    (ProvokingVertex::Last, false) => [*third, *first, *second],
                    (ProvokingVertex::Last, true) => [*third, *second, *first],
                });
            }
            (
                OutputPrimitive::Points
                | OutputPrimitive::LineStrip
                | OutputPrimitive::TriangleStrip,
                _,
            ) => {}
        }
    }

    /// Ends the strip.
    pub(super) fn end(&mut self) {
        self.strip.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(output: OutputPrimitive, convention: ProvokingVertex, expected: &[u32]) {
        let mut strips = Strips::new(output, convention);
        (0..5).for_each(|vertex| strips.push(vertex));
        strips.end();
        (5..7).for_each(|vertex| strips.push(vertex));
        assert_eq!(strips.complete, expected);
    }

    #[test]
    fn primitives_begin_with_their_provoking_vertices() {
        let (first, last) = (ProvokingVertex::First, ProvokingVertex::Last);
        check(OutputPrimitive::Points, last, &[0, 1, 2, 3, 4, 5, 6]);
        check(OutputPrimitive::LineStrip, first, &[0, 1, 1, 2, 2, 3, 3, 4, 5, 6]);
        check(OutputPrimitive::LineStrip, last, &[1, 0, 2, 1, 3, 2, 4, 3, 6, 5]);
        check(OutputPrimitive::TriangleStrip, first, &[0, 1, 2, 1, 3, 2, 2, 3, 4]);
        check(OutputPrimitive::TriangleStrip, last, &[2, 0, 1, 3, 2, 1, 4, 2, 3]);
    }
}
