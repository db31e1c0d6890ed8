//! What GL tells about a linked program: its active uniforms, blocks, and what enters and leaves it.
//!
//! Everything comes from the stages' own declarations and the layout rules, never from an adapter. A program of SPIR-V
//! stages answers all of it without names (`GL_ARB_gl_spirv`, issue 19): strings are empty, and their lengths are 1.

mod answer;
mod captured;
mod difference;
mod expect;
mod leaf;

use crate::frontend::StageModule;
use crate::frontend::stage_module::{LanguageRules, ResourceKind, UniformKind, UniformVariable};
use crate::layout::natural;
use crate::layout::standard::round_up;
use crate::link::interface::{Type, Variable};
use crate::link::program::StageUse;
use crate::link::uniform::{layout_of_uniform, mark};
pub use answer::{ChosenBlock, check_queries};
pub use captured::{CapturedVarying, captured};
pub use difference::first_difference;
pub use expect::check_blocks;
pub use leaf::{ActiveVariable, LeafPlace};
use leaf::{Expansion, leaves};

/// GL's number for the type of an atomic counter.
const UNSIGNED_INT_ATOMIC_COUNTER: u32 = 0x92db;

/// The tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reflection {
    /// Whether resources have names: not in programs of SPIR-V stages.
    pub has_names: bool,
    /// Loose uniforms, and the members of uniform blocks; those of an array of blocks once.
    pub uniforms: Vec<ActiveVariable>,
    /// Uniform blocks, each element of an array of blocks.
    pub uniform_blocks: Vec<ActiveBlock>,
    /// Members of storage blocks.
    pub buffer_variables: Vec<ActiveVariable>,
    /// Storage blocks, each element of an array of blocks.
    pub storage_blocks: Vec<ActiveBlock>,
    /// What the first stage reads.
    pub inputs: Vec<ExternalVariable>,
    /// What the last stage writes.
    pub outputs: Vec<ExternalVariable>,
    /// What is captured, in the order of the list.
    pub captured: Vec<CapturedVarying>,
}

/// A uniform or storage block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveBlock {
    /// What tells it apart: its name, or `binding 5` in SPIR-V.
    pub name: String,
    /// A name that a SPIR-V module has for people.
    pub alias: String,
    /// Its binding point; 0 when nothing is said.
    pub binding: u32,
    /// `BUFFER_DATA_SIZE`: bytes up to the end of the last member, rounded up to 16. An array without length counts
    /// one stride. Apart from the least size that WebGPU wants of a binding.
    pub size: u32,
    /// `NUM_ACTIVE_VARIABLES`.
    pub variables: u32,
    /// Who declares it.
    pub stages: StageUse,
}

/// An input of the first stage or an output of the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalVariable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// The location that it was declared with.
    pub location: Option<u32>,
    /// The component that it was declared with.
    pub component: Option<u32>,
}

/// Fills the tables from the stages of a program that links.
pub fn reflect(stages: &[&StageModule]) -> Reflection {
    let has_names = !stages.iter().any(|stage| stage.rules == LanguageRules::Spirv);
    let mut reflection = Reflection { has_names, ..Reflection::default() };
    for stage in stages {
        for uniform in &stage.uniforms {
            reflection.add_uniform(stage, uniform);
        }
        reflection.add_resources(stage);
    }
    if let Some(first) = stages.first() {
        reflection.inputs = external_list(&first.inputs);
    }
    if let Some(last) = stages.last() {
        reflection.outputs = external_list(&last.outputs);
    }
    reflection
}

fn external_list(variables: &[Variable]) -> Vec<ExternalVariable> {
    variables.iter().filter(|it| it.is_used).map(external).collect()
}

fn external(variable: &Variable) -> ExternalVariable {
    ExternalVariable {
        name: variable.name.clone(),
        ty: variable.ty.clone(),
        location: variable.location,
        component: variable.component,
    }
}

impl Reflection {
    fn add_uniform(&mut self, stage: &StageModule, uniform: &UniformVariable) {
        match &uniform.kind {
            // Names with spaces are the linker's own.
            UniformKind::Loose { .. } if self.has_names && uniform.name.contains(' ') => {}
            // GL lists them in an interface of their own.
            UniformKind::Subroutine { .. } => {}
            UniformKind::Loose { location } => {
                let is_known = self.uniforms.iter().any(|known| known.origin == uniform.name);
                if uniform.is_used && !is_known {
                    let found = leaves(&uniform.name, &uniform.ty, None, Expansion::Full);
                    self.uniforms.extend(found.into_iter().map(|leaf| ActiveVariable {
                        origin: uniform.name.clone(),
                        location: *location,
                        ..leaf
                    }));
                }
            }
            UniformKind::Block { binding, has_instance_name } => {
                self.add_uniform_block(stage, uniform, *binding, *has_instance_name);
            }
        }
    }

    fn add_uniform_block(
        &mut self,
        stage: &StageModule,
        uniform: &UniformVariable,
        binding: Option<u32>,
        has_instance_name: bool,
    ) {
        if let Some(known) = self.uniform_blocks.iter_mut().find(|it| it.name == uniform.name) {
            mark(&mut known.stages, stage.stage);
            return;
        }
        let layout = layout_of_uniform(uniform);
        let block_name = uniform.name.split('[').next().unwrap_or_default();
        let prefix = if has_instance_name { block_name } else { "" };
        let found = leaves(prefix, &uniform.ty, Some(&layout), Expansion::Full);
        let mut stages = StageUse::default();
        mark(&mut stages, stage.stage);
        // GL lists the members of an array of blocks once.
        let is_first = uniform.place.path.iter().all(|index| *index == 0);
        let index = self.uniform_blocks.len();
        self.uniform_blocks.push(ActiveBlock {
            name: uniform.name.clone(),
            alias: uniform.alias.clone(),
            binding: binding.unwrap_or(0),
            size: round_up(leaf::raw_end(&uniform.ty, &layout), 16),
            variables: u32::try_from(found.len()).unwrap_or(u32::MAX),
            stages,
        });
        if is_first {
            let found = found.into_iter();
            self.uniforms.extend(found.map(|leaf| ActiveVariable { block: Some(index), ..leaf }));
        }
    }

    /// The elements of an array of counters or textures are one variable.
    fn add_opaque(&mut self, element: &str, gl_type: u32, location: Option<u32>) {
        let array =
            element.strip_suffix(']').and_then(|rest| rest.rfind('[')).map(|at| &element[..at]);
        let name = array.map_or_else(|| element.to_owned(), |array| format!("{array}[0]"));
        match self.uniforms.iter_mut().find(|known| known.name == name && known.gl_type == gl_type)
        {
            Some(known) if known.origin != element && array.is_some() => {
                known.size = known.size.max(leaf::last_index(element).saturating_add(1));
            }
            Some(_) => {}
            None => self.uniforms.push(ActiveVariable::opaque(&name, element, gl_type, location)),
        }
    }

    fn add_resources(&mut self, stage: &StageModule) {
        for counter in &stage.counters {
            self.add_opaque(&counter.name, UNSIGNED_INT_ATOMIC_COUNTER, None);
        }
        for resource in &stage.resources {
            match resource.kind {
                ResourceKind::StorageBuffer { .. } => {}
                ResourceKind::Texture | ResourceKind::Image => {
                    self.add_opaque(&resource.name, 0, resource.location);
                    continue;
                }
                ResourceKind::UniformBuffer
                | ResourceKind::AtomicCounters
                | ResourceKind::Sampler => continue,
            }
            if let Some(known) = self.storage_blocks.iter_mut().find(|it| it.name == resource.name)
            {
                mark(&mut known.stages, stage.stage);
                continue;
            }
            let ty = stage.module.global_variables[resource.global].ty;
            let Some((ty, own)) = natural::open_block(&stage.module, ty) else { continue };
            let layout = resource.layout.clone().unwrap_or(own);
            let block_name = resource.name.split('[').next().unwrap_or_default();
            let found = leaves(block_name, &ty, Some(&layout), Expansion::FirstElements);
            let mut stages = StageUse::default();
            mark(&mut stages, stage.stage);
            let index = self.storage_blocks.len();
            self.storage_blocks.push(ActiveBlock {
                name: resource.name.clone(),
                alias: resource.alias.clone(),
                binding: resource.binding.unwrap_or(0),
                size: round_up(leaf::raw_end(&ty, &layout), 16),
                variables: u32::try_from(found.len()).unwrap_or(u32::MAX),
                stages,
            });
            if !resource.name.contains('[') || resource.name.ends_with("[0]") {
                let found = found.into_iter();
                self.buffer_variables
                    .extend(found.map(|leaf| ActiveVariable { block: Some(index), ..leaf }));
            }
        }
    }
}

#[cfg(test)]
mod tests;
