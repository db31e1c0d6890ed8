//! Several programs in one case, of which `use` chooses one.

use super::Planner;
use crate::case::ShaderStage;
use crate::gpu::vertex::VertexLayout;
use crate::link::program::LinkedProgram;
use crate::link::session::LinkedPrograms;

/// The programs of a case.
#[derive(Clone, Copy, Debug)]
pub struct Programs<'a> {
    /// All of them.
    pub all: &'a [LinkedProgram],
    /// For every `use` step the program that it means.
    pub uses: &'a [usize],
    /// For every program the numbers of its stage objects.
    pub pairs: &'a [(usize, usize)],
}

/// A uniform buffer of a stage object that is a program of its own: stage, number of the object, binding.
pub(super) type Owned = (ShaderStage, usize, u32);

impl<'a> From<&'a LinkedProgram> for Programs<'a> {
    fn from(program: &'a LinkedProgram) -> Self {
        Self { all: std::slice::from_ref(program), uses: &[], pairs: &[] }
    }
}

impl<'a> From<&'a LinkedPrograms> for Programs<'a> {
    fn from(programs: &'a LinkedPrograms) -> Self {
        Self { all: &programs.programs, uses: &programs.uses, pairs: &programs.pairs }
    }
}

impl<'a> Programs<'a> {
    /// The program before any `use`: the one that is used first.
    pub(super) fn first_index(self) -> usize {
        self.uses.first().copied().unwrap_or(0)
    }

    pub(super) fn first(self) -> Option<&'a LinkedProgram> {
        self.all.get(self.first_index())
    }
}

impl Planner<'_> {
    /// Goes on to the program of the next `use` step. Every pair of stages is a program with uniforms of its own, unless
    /// its stages are programs.
    pub(super) fn use_next(&mut self) -> Result<(), String> {
        let next = self.programs.uses.get(self.used).copied();
        self.used += 1;
        let found = next.and_then(|next| Some((next, self.programs.all.get(next)?)));
        let (next, program) = found.ok_or("there is no such program")?;
        if next == self.current {
            return Ok(());
        }
        for (key, at) in self.owned_buffers() {
            let content = self.uniforms.get(at).cloned().unwrap_or_default();
            self.owned.insert(key, content);
        }
        let uniforms = self.parked.remove(&next).unwrap_or_else(|| program.initial_uniforms());
        let parked = std::mem::replace(&mut self.uniforms, uniforms);
        self.parked.insert(self.current, parked);
        (self.current, self.program) = (next, program);
        for (key, at) in self.owned_buffers() {
            if let (Some(content), Some(place)) = (self.owned.get(&key), self.uniforms.get_mut(at))
            {
                place.clone_from(content);
            }
        }
        let layout = VertexLayout::new(&program.attributes)?;
        self.geometry.change_program(program, layout);
        for (attribute, value) in &self.currents {
            self.geometry.set_current(attribute, *value);
        }
        self.write_state()
    }

    /// The present program's buffers that belong to one of its stages.
    fn owned_buffers(&self) -> Vec<(Owned, usize)> {
        let Some((vertex, fragment)) = self.programs.pairs.get(self.current).copied() else {
            return Vec::new();
        };
        let all = self.program.uniform_buffers.iter().enumerate();
        let owned = all.filter_map(|(at, buffer)| {
            let object = match buffer.owner? {
                ShaderStage::Vertex => vertex,
                ShaderStage::Fragment | ShaderStage::Compute => fragment,
            };
            Some(((buffer.owner?, object, buffer.at.binding), at))
        });
        owned.collect()
    }

    /// Sets what an attribute is where no data give it, in all programs.
    pub(super) fn set_current(&mut self, attribute: String, value: [f32; 4]) {
        self.geometry.set_current(&attribute, value);
        self.currents.retain(|(known, _)| *known != attribute);
        self.currents.push((attribute, value));
    }
}
