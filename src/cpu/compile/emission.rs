//! Wired geometry stages: their outputs are copied wherever a vertex is emitted.

use naga::{Function, Handle};

use super::wiring::{EmissionWiring, Wiring};
use super::{Compiler, Result};
use crate::code::{EmissionOp, Op, Register};

impl Compiler<'_> {
    /// Compiles a call of a function that emits a vertex or ends a strip. Returns false for other functions.
    pub(super) fn emission_call(
        &mut self,
        function: Handle<Function>,
        stream: Option<Register>,
    ) -> Result<bool> {
        let Some((wiring, own)) = self.emission.and_then(|all| Some((all, all.emission.as_ref()?)))
        else {
            return Ok(false);
        };
        let stream = stream.map_or_else(|| self.word(0), Ok)?;
        if function == own.emit {
            self.emit_vertex(wiring, own, stream)?;
        } else if function == own.end {
            self.emit_body(Op::Emission(EmissionOp::End { stream }))?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Copies the current values of all outputs, and does not change them.
    fn emit_vertex(
        &mut self,
        wiring: &Wiring,
        own: &EmissionWiring,
        stream: Register,
    ) -> Result<()> {
        let mut saved = Vec::new();
        for (part, words) in &wiring.clamped {
            let (from, to) = (self.part(part)?, self.allocate(*words)?);
            self.emit_body(Op::Move { to, from, words: *words })?;
            saved.push(Op::Move { to: from, from: to, words: *words });
        }
        let known = self.code.outputs.len();
        self.leave(wiring)?;
        wiring.captured.iter().try_for_each(|wire| self.output(wire, wiring))?;
        let ports = self.code.outputs.split_off(known);
        let words = ports.iter().flat_map(|port| port.register..port.register + port.components);
        let (words, max_vertices) = (words.collect(), own.max_vertices);
        self.emit_body(Op::Emission(EmissionOp::Vertex { stream, words, max_vertices }))?;
        saved.into_iter().try_for_each(|op| self.emit_body(op))
    }
}
