//! GL's reflection of a linked program: its active uniforms, blocks, inputs and outputs.
//!
//! All data come from the stages' own declarations and the layout rules, never from an adapter. A program of SPIR-V
//! stages answers all queries without names (`GL_ARB_gl_spirv`, issue 19): strings are empty, and their lengths are 1.
//! Names in such a program are debug information, which an implementation may still report (`debug_names`).

pub(crate) mod limit;

mod debug_names;
pub mod xfb_varying;

use crate::resource::uniform::layout_of_uniform;
use crate::table::binding::{StageUse, mark};
use crate::table::difference::described_block;
use crate::table::leaf::{Expansion, Tail, leaves};
use ir::interface::{Type, Variable};
use ir::layout::natural;
use ir::layout::standard::round_up;
use ir::stage_module::{
    CounterVariable, LanguageRules, ResourceKind, ResourceVariable, StageModule, UniformKind,
    UniformVariable,
};

pub use crate::table::difference::{MemberNames, first_difference};
pub use crate::table::leaf::{ActiveVariable, LeafPlace};
pub use xfb_varying::{XfbVarying, xfb_varyings};

/// GL's number for the type of an atomic counter.
const UNSIGNED_INT_ATOMIC_COUNTER: u32 = 0x92db;

/// GL's tables of a program's resources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reflection {
    /// True if resources have names, unlike in programs of SPIR-V stages.
    pub has_names: bool,
    /// Loose uniforms, and the members of uniform blocks. The members of an array of blocks are listed once.
    pub uniforms: Vec<ActiveVariable>,
    /// Uniform blocks, with each element of an array of blocks separate.
    pub uniform_blocks: Vec<ActiveBlock>,
    /// Members of storage blocks.
    pub buffer_variables: Vec<ActiveVariable>,
    /// Storage blocks, with each element of an array of blocks separate.
    pub storage_blocks: Vec<ActiveBlock>,
    /// Buffers of atomic counters.
    pub counter_buffers: Vec<ActiveBlock>,
    /// Inputs of the first stage.
    pub inputs: Vec<ExternalVariable>,
    /// Outputs of the last stage.
    pub outputs: Vec<ExternalVariable>,
    /// Captured varyings, in the order of GL's list.
    pub xfb_varyings: Vec<XfbVarying>,
    /// These tables with the debug names of SPIR-V modules, if queries report debug names.
    pub with_debug_names: Option<Box<Reflection>>,
}

/// A uniform or storage block, or a buffer of atomic counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActiveBlock {
    /// Identity of the block: its name, or `binding 5` in SPIR-V. For a buffer of WGSL stages, the name of the variable
    /// in the first of them.
    pub name: String,
    /// Debug name of the block in a SPIR-V module, or the variable's name in a later WGSL stage, if it differs.
    pub alias: String,
    /// True for a buffer of WGSL stages, which its group and binding identify.
    pub is_wgsl: bool,
    /// Binding point of the block; 0 by default.
    pub binding: u32,
    /// `BUFFER_DATA_SIZE`: bytes up to the end of the last member, rounded up to 16. An array without a length counts
    /// as one stride. For a buffer of WGSL stages, WebGPU's minimum size of a binding: WGSL's `SizeOf` of its type.
    pub size: u32,
    /// `NUM_ACTIVE_VARIABLES`: the number of active variables.
    pub variables: u32,
    /// Index of the block that the variables belong to: this block, or the first of its array.
    pub first_of_array: usize,
    /// Stages that declare the block.
    pub stages: StageUse,
}

impl ActiveBlock {
    /// True for the buffer of WGSL stages at this binding if it has this size.
    const fn is_at(&self, binding: u32, size: u32) -> bool {
        self.is_wgsl && self.binding == binding && self.size == size
    }

    /// Adds a stage that declares the block too; in WGSL, under a name of its own.
    fn add_stage(&mut self, stage: &StageModule, name: &str) {
        mark(&mut self.stages, stage.stage);
        if self.is_wgsl && self.name != name {
            name.clone_into(&mut self.alias);
        }
    }
}

/// The variables of a block.
struct Members<'a> {
    /// They are among these.
    all: &'a [ActiveVariable],
    /// Index of the block in the reflection.
    block: Option<usize>,
    /// Name of the block.
    name: &'a str,
}

/// What two declarations of a block have in common apart from their names: a member's name in the block, GL's number for
/// its type, its number of elements and its place.
type MemberShape<'a> = (&'a str, u32, u32, Option<LeafPlace>);

impl<'a> Members<'a> {
    /// The buffer of WGSL stages at this binding that has these variables and this size.
    fn known<'b>(
        &self,
        blocks: &'b mut [ActiveBlock],
        all: &[ActiveVariable],
        binding: u32,
        size: u32,
    ) -> Option<&'b mut ActiveBlock> {
        let is_it = |(index, block): &(usize, &mut ActiveBlock)| {
            let first = Members { all, block: Some(*index), name: &block.name };
            block.is_at(binding, size) && first.shapes() == self.shapes()
        };
        blocks.iter_mut().enumerate().find(is_it).map(|(_, block)| block)
    }

    fn shapes(&self) -> Vec<MemberShape<'a>> {
        let own = self.all.iter().filter(|own| own.block == self.block);
        let shape = |own: &'a ActiveVariable| {
            let member = own.name.strip_prefix(self.name).unwrap_or(&own.name);
            (member, own.gl_type, own.size, own.place)
        };
        own.map(shape).collect()
    }
}

/// An input of the first stage or an output of the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalVariable {
    /// Name of the variable.
    pub name: String,
    /// Type of the variable.
    pub ty: Type,
    /// The declared location.
    pub location: Option<u32>,
    /// The declared component.
    pub component: Option<u32>,
    /// `layout(index = …)`, the index of the blend source.
    pub index: Option<u32>,
    /// The stage that has the variable.
    pub stages: StageUse,
}

/// Makes the tables of a program whose stages link.
pub fn reflect(stages: &[&StageModule]) -> Reflection {
    let has_names = stages.iter().all(|stage| stage.rules.has_names());
    let mut reflection = Reflection { has_names, ..Reflection::default() };
    for stage in stages {
        for uniform in &stage.uniforms {
            reflection.add_uniform(stage, uniform);
        }
        reflection.add_resources(stage);
    }
    if let Some(first) = stages.first() {
        reflection.inputs = external_list(first, &first.inputs);
    }
    if let Some(last) = stages.last() {
        reflection.outputs = external_list(last, &last.outputs);
    }
    reflection
}

fn external_list(stage: &StageModule, variables: &[Variable]) -> Vec<ExternalVariable> {
    let used = variables.iter().filter(|variable| variable.is_used);
    used.map(|variable| external(stage, variable)).collect()
}

fn external(stage: &StageModule, variable: &Variable) -> ExternalVariable {
    ExternalVariable {
        name: variable.name.clone(),
        ty: variable.ty.clone(),
        location: variable.location,
        component: variable.component,
        index: variable.index,
        stages: only(stage),
    }
}

/// The set that contains only this stage.
fn only(stage: &StageModule) -> StageUse {
    let mut stages = StageUse::default();
    mark(&mut stages, stage.stage);
    stages
}

impl Reflection {
    fn add_uniform(&mut self, stage: &StageModule, uniform: &UniformVariable) {
        match &uniform.kind {
            // Names with spaces belong to hidden uniforms of the linker.
            UniformKind::Loose { .. } if self.has_names && uniform.name.contains(' ') => {}
            // GL lists subroutine uniforms in a separate interface.
            UniformKind::Subroutine { .. } => {}
            UniformKind::Loose { location } => {
                if uniform.is_used {
                    self.add_loose(stage, uniform, *location);
                }
            }
            UniformKind::Block { binding, has_instance_name } => {
                self.add_uniform_block(stage, uniform, *binding, *has_instance_name);
            }
        }
    }

    fn add_loose(&mut self, stage: &StageModule, uniform: &UniformVariable, location: Option<u32>) {
        let mut is_known = false;
        for known in self.uniforms.iter_mut().filter(|known| known.origin == uniform.name) {
            mark(&mut known.stages, stage.stage);
            is_known = true;
        }
        if is_known {
            return;
        }
        let mut next = location;
        for leaf in leaves(&uniform.name, &uniform.ty, None, Expansion::Full) {
            let location = next;
            next = next.and_then(|next| next.checked_add(leaf.size));
            let (origin, stages) = (uniform.name.clone(), only(stage));
            self.uniforms.push(ActiveVariable { origin, location, stages, ..leaf });
        }
    }

    fn add_uniform_block(
        &mut self,
        stage: &StageModule,
        uniform: &UniformVariable,
        binding: Option<u32>,
        has_instance_name: bool,
    ) {
        if let Some(known) = self.uniform_blocks.iter_mut().find(|block| block.name == uniform.name)
        {
            mark(&mut known.stages, stage.stage);
            return;
        }
        let layout = layout_of_uniform(uniform);
        let block_name = uniform.name.split('[').next().unwrap_or_default();
        let prefix = if has_instance_name { block_name } else { "" };
        let found = leaves(prefix, &uniform.ty, Some(&layout), Expansion::Full);
        let stages = only(stage);
        // GL lists the members of an array of blocks once.
        let is_first = uniform.place.path.iter().all(|index| *index == 0);
        let index = self.uniform_blocks.len();
        let before = self.uniform_blocks.last().map(|block| block.first_of_array);
        let first = before.filter(|_| !is_first).unwrap_or(index);
        self.uniform_blocks.push(ActiveBlock {
            name: uniform.name.clone(),
            alias: uniform.alias.clone(),
            is_wgsl: false,
            binding: binding.unwrap_or(0),
            size: round_up(crate::table::leaf::raw_end(&uniform.ty, &layout), 16),
            variables: u32::try_from(found.len()).unwrap_or(u32::MAX),
            first_of_array: first,
            stages,
        });
        if is_first {
            let found = found.into_iter();
            self.uniforms.extend(found.map(|leaf| ActiveVariable { block: Some(index), ..leaf }));
        }
    }

    /// Adds the elements of an array of counters or textures as one variable.
    fn add_opaque(
        &mut self,
        stage: &StageModule,
        element: &str,
        gl_type: u32,
        location: Option<u32>,
    ) -> Option<&mut ActiveVariable> {
        let array =
            element.strip_suffix(']').and_then(|rest| rest.rfind('[')).map(|at| &element[..at]);
        let name = array.map_or_else(|| element.to_owned(), |array| format!("{array}[0]"));
        let is_it = |known: &&mut ActiveVariable| known.name == name && known.gl_type == gl_type;
        if let Some(known) = self.uniforms.iter_mut().find(is_it) {
            if known.origin != element && array.is_some() {
                known.size =
                    known.size.max(crate::table::leaf::last_index(element).saturating_add(1));
            }
            mark(&mut known.stages, stage.stage);
            return None;
        }
        let variable = ActiveVariable::opaque(&name, element, gl_type, location);
        self.uniforms.push(ActiveVariable { stages: only(stage), ..variable });
        self.uniforms.last_mut()
    }

    /// Adds a counter, which is a word of the buffer at its binding point.
    fn add_counter(&mut self, stage: &StageModule, counter: &CounterVariable) {
        let found =
            self.counter_buffers.iter().position(|buffer| buffer.binding == counter.binding);
        let index = found.unwrap_or(self.counter_buffers.len());
        if found.is_none() {
            let name = format!("atomic counters {}", counter.binding);
            let binding = counter.binding;
            self.counter_buffers.push(ActiveBlock { name, binding, ..ActiveBlock::default() });
        }
        let array_stride = if counter.name.ends_with(']') { 4 } else { 0 };
        let place = LeafPlace { offset: counter.offset, array_stride, ..LeafPlace::default() };
        let added = self.add_opaque(stage, &counter.name, UNSIGNED_INT_ATOMIC_COUNTER, None);
        let is_new = added.is_some();
        if let Some(variable) = added {
            variable.place = Some(place);
            variable.counter_buffer = Some(index);
        }
        let buffer = &mut self.counter_buffers[index];
        buffer.variables += u32::from(is_new);
        buffer.size = buffer.size.max(counter.offset.saturating_add(4));
        mark(&mut buffer.stages, stage.stage);
    }

    fn add_resources(&mut self, stage: &StageModule) {
        for counter in &stage.counters {
            self.add_counter(stage, counter);
        }
        for resource in &stage.resources {
            match resource.kind {
                ResourceKind::StorageBuffer { .. } => self.add_storage_block(stage, resource),
                ResourceKind::Texture | ResourceKind::Image => {
                    self.add_opaque(stage, &resource.name, 0, resource.location);
                }
                ResourceKind::UniformBuffer => self.add_uniform_buffer(stage, resource),
                ResourceKind::Immediates | ResourceKind::AtomicCounters | ResourceKind::Sampler => {
                }
            }
        }
    }

    /// Adds a uniform buffer of WGSL with its members.
    fn add_uniform_buffer(&mut self, stage: &StageModule, resource: &ResourceVariable) {
        let binding = resource.binding.unwrap_or(0);
        let ty = stage.module.global_variables[resource.global].ty;
        let Some((ty, layout)) = natural::places_of_block(&stage.module, ty) else { return };
        let found = leaves(&resource.alias, &ty, Some(&layout), Expansion::Full);
        let own = Members { all: &found, block: None, name: &resource.alias };
        if let Some(known) =
            own.known(&mut self.uniform_blocks, &self.uniforms, binding, layout.size)
        {
            known.add_stage(stage, &resource.alias);
            return;
        }
        let index = self.uniform_blocks.len();
        self.uniform_blocks.push(ActiveBlock {
            name: resource.alias.clone(),
            alias: String::new(),
            is_wgsl: true,
            binding,
            size: layout.size,
            variables: u32::try_from(found.len()).unwrap_or(u32::MAX),
            first_of_array: index,
            stages: only(stage),
        });
        let found = found.into_iter();
        self.uniforms.extend(found.map(|leaf| ActiveVariable { block: Some(index), ..leaf }));
    }

    fn add_storage_block(&mut self, stage: &StageModule, resource: &ResourceVariable) {
        // In WGSL each stage has its own names, and those of the first stage are reported.
        let is_wgsl = stage.rules == LanguageRules::Wgsl;
        let (name, alias) = match stage.rules {
            LanguageRules::Wgsl => (&resource.alias, String::new()),
            LanguageRules::Glsl { .. }
            | LanguageRules::Spirv
            | LanguageRules::FixedFunction
            | LanguageRules::Vulkan => (&resource.name, resource.alias.clone()),
        };
        let binding = resource.binding.unwrap_or(0);
        let is_it = |block: &&mut ActiveBlock| !is_wgsl && block.name == *name;
        if let Some(known) = self.storage_blocks.iter_mut().find(is_it) {
            known.add_stage(stage, name);
            return;
        }
        let global = &stage.module.global_variables[resource.global];
        let described = if is_wgsl {
            natural::places_of_block(&stage.module, global.ty)
        } else {
            described_block(stage, resource)
        };
        let Some((ty, layout)) = described else { return };
        let block_name = name.split('[').next().unwrap_or_default();
        let is_open = natural::is_open(&stage.module, global.ty);
        let tail = if is_open { Tail::Open } else { Tail::Closed };
        let expansion = Expansion::FirstElements(tail);
        let found = leaves(block_name, &ty, Some(&layout), expansion);
        let own = Members { all: &found, block: None, name };
        let known =
            own.known(&mut self.storage_blocks, &self.buffer_variables, binding, layout.size);
        if let Some(known) = known.filter(|_| is_wgsl) {
            known.add_stage(stage, name);
            return;
        }
        let stages = only(stage);
        let index = self.storage_blocks.len();
        let is_first = resource.element == 0;
        let before = self.storage_blocks.last().map(|block| block.first_of_array);
        let first = before.filter(|_| !is_first).unwrap_or(index);
        self.storage_blocks.push(ActiveBlock {
            name: name.clone(),
            alias,
            is_wgsl,
            binding,
            size: if is_wgsl {
                layout.size
            } else {
                round_up(crate::table::leaf::raw_end(&ty, &layout), 16)
            },
            variables: u32::try_from(found.len()).unwrap_or(u32::MAX),
            first_of_array: first,
            stages,
        });
        if is_first {
            let found = found.into_iter();
            self.buffer_variables
                .extend(found.map(|leaf| ActiveVariable { block: Some(index), ..leaf }));
        }
    }
}
