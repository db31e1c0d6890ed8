//! Plans changes of the current program, which `use` selects.

use super::Planner;
use super::program_uniforms::ProgramUniforms;
use crate::error::Misfit;
use crate::vertex::VertexLayout;
use ir::stage::ShaderStage;
use link::program::LinkedProgram;

/// Owner of uniforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owner {
    /// The program with this index.
    Program(usize),
    /// The stage object with this index, which is a separate program.
    Object(ShaderStage, usize),
}

impl<'a> Planner<'a> {
    /// Switches to the program of the next `use` step. Each pair or triple of stages is a program with its own
    /// uniforms, unless its stages are programs.
    pub(super) fn use_next(&mut self) -> Result<(), Misfit> {
        let next = self.programs.uses.get(self.used).copied();
        self.used += 1;
        let found = next.and_then(|next| Some((next, self.programs.all.get(next)?)));
        let (next, program) = found.ok_or("there is no such program")?;
        self.change_program(next, program)
    }

    /// Switches to the program with this index.
    pub(super) fn select_program(&mut self, next: usize) -> Result<(), Misfit> {
        let program = self.programs.all.get(next).ok_or("there is no such program")?;
        self.change_program(next, program)
    }

    fn change_program(&mut self, next: usize, program: &'a LinkedProgram) -> Result<(), Misfit> {
        if next == self.current {
            return Ok(());
        }
        if self.capture.is_active() {
            return Err("the program cannot change while captures run; pause them".into());
        }
        for (key, at) in self.owned_buffers() {
            let content = self.uniforms.get(at).cloned().unwrap_or_default();
            self.owned.insert(key, content);
        }
        let uniforms =
            self.parked.remove(&next).unwrap_or_else(|| ProgramUniforms::of(program).initial());
        let parked = std::mem::replace(&mut self.uniforms, uniforms);
        self.parked.insert(self.current, parked);
        (self.current, self.program) = (next, program);
        for (key, at) in self.owned_buffers() {
            if let (Some(content), Some(place)) = (self.owned.get(&key), self.uniforms.get_mut(at))
            {
                place.clone_from(content);
            }
        }
        self.load_points();
        let layout = VertexLayout::new(&program.attributes)?;
        self.geometry.change_program(program, layout);
        for (attribute, value) in &self.currents {
            self.geometry.set_current(attribute, *value);
        }
        self.write_state()
    }

    /// Uniform buffers of the current program that belong to one of its stages.
    fn owned_buffers(&self) -> Vec<((Owner, u32), usize)> {
        let all = self.program.uniform_buffers.iter().enumerate();
        let owned = all.filter(|(_, buffer)| buffer.owner.is_some());
        owned.map(|(at, buffer)| ((self.owner_of(buffer.owner), buffer.at.binding), at)).collect()
    }

    /// Owner of a uniform in the current program that belongs to `stage`, or to the whole program.
    pub(super) fn owner_of(&self, stage: Option<ShaderStage>) -> Owner {
        let Some(stage) = stage else { return Owner::Program(self.current) };
        let objects = self.programs.objects.get(self.current).copied().unwrap_or_default();
        Owner::Object(stage, objects[stage].unwrap_or(0))
    }

    /// Sets the current value of an attribute in all programs.
    pub(super) fn set_current(&mut self, attribute: String, value: [f32; 4]) {
        self.geometry.set_current(&attribute, value);
        self.currents.retain(|(known, _)| *known != attribute);
        self.currents.push((attribute, value));
    }
}
