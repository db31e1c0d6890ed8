//! Splits textures, samplers and images. WebGPU has only separate textures and samplers, so a combined one becomes two
//! variables for every element of an array, and every load of it becomes two loads. Arrays of separate textures,
//! samplers and images are split as well.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::dr::{Function, Instruction, Module, Operand};
use rspirv::spirv::{Decoration, Op, StorageClass};

use crate::declarations::{Declarations, Variable, first_word};
use crate::role::Role;
use ir::diagnostic::Unsupported;

use super::block_array::fresh;
use super::value::global;

/// Maximum number of textures in an array.
const MAX_TEXTURES: u32 = 64;

/// The kind of a variable after splitting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TexturePart {
    Texture,
    Sampler,
    Image,
}

/// The variables that replace one element.
#[derive(Clone, Copy)]
enum Split {
    /// The texture and the sampler of a combined texture.
    Combined { image_type: u32, image: u32, sampler: u32 },
    /// A texture, sampler or image that is not combined.
    Single { ty: u32, variable: u32 },
}

/// Splits every texture. Returns the old id, the element and the part for every new variable.
pub(super) fn split(
    module: &mut Module,
    declarations: &Declarations,
    roles: &BTreeMap<u32, Role>,
) -> Result<BTreeMap<u32, (u32, u32, TexturePart)>, Unsupported> {
    let mut origins = BTreeMap::new();
    let part_of = |variable: &Variable| match roles.get(&variable.id)? {
        Role::SampledImage | Role::Texture => Some(TexturePart::Texture),
        Role::Sampler => Some(TexturePart::Sampler),
        Role::Image => Some(TexturePart::Image),
        Role::Input
        | Role::Output
        | Role::UniformBlock
        | Role::StorageBlock
        | Role::LooseUniform
        | Role::AtomicCounter
        | Role::Own => None,
    };
    let all = declarations.variables.iter();
    let textures: Vec<_> = all.filter_map(|one| Some((*one, part_of(one)?))).collect();
    if textures.is_empty() {
        return Ok(origins);
    }
    let sampler_type = global(module, Op::TypeSampler, None, Vec::new());
    let mut elements: BTreeMap<u32, Vec<Split>> = BTreeMap::new();
    for (texture, part) in &textures {
        let (inner, count) = length_of(declarations, *texture)?;
        let is_combined = roles.get(&texture.id) == Some(&Role::SampledImage);
        for element in 0..count {
            let split = if is_combined {
                let image_type =
                    declarations.ty(inner).and_then(|(_, types)| types.first().copied());
                let image_type = image_type.ok_or("a texture without image type")?;
                let image = declare(module, image_type);
                let sampler = declare(module, sampler_type);
                origins.insert(image, (texture.id, element, *part));
                origins.insert(sampler, (texture.id, element, TexturePart::Sampler));
                Split::Combined { image_type, image, sampler }
            } else {
                let variable = declare(module, inner);
                origins.insert(variable, (texture.id, element, *part));
                Split::Single { ty: inner, variable }
            };
            elements.entry(texture.id).or_default().push(split);
        }
    }
    module
        .types_global_values
        .retain(|global| !global.result_id.is_some_and(|id| elements.contains_key(&id)));
    let mut functions = std::mem::take(&mut module.functions);
    let mut splitting = Splitting { module, declarations, elements, sampler_type };
    for function in &mut functions {
        splitting.function(function)?;
    }
    module.functions = functions;
    declare_access(module, &origins);
    Ok(origins)
}

/// The element type of a variable, and the number of its elements.
fn length_of(declarations: &Declarations, variable: Variable) -> Result<(u32, u32), Unsupported> {
    let (inner, lengths) = declarations.without_arrays(variable.ty);
    let count = lengths.iter().fold(1_u32, |count, length| count.saturating_mul(*length));
    if lengths.len() > 1 {
        return Err(Unsupported("an array of arrays of SPIR-V textures".to_owned()));
    }
    if count > MAX_TEXTURES {
        let word = format!("an array of {count} SPIR-V textures; the limit is {MAX_TEXTURES}");
        return Err(Unsupported(word));
    }
    Ok((inner, count))
}

/// Declares a variable of this type and returns its id.
fn declare(module: &mut Module, ty: u32) -> u32 {
    let class = Operand::StorageClass(StorageClass::UniformConstant);
    let operands = vec![class.clone(), Operand::IdRef(ty)];
    let pointer = global(module, Op::TypePointer, None, operands);
    let id = fresh(module);
    let variable = Instruction::new(Op::Variable, Some(pointer), Some(id), vec![class]);
    module.types_global_values.push(variable);
    id
}

fn load(ty: u32, id: u32, from: u32) -> Instruction {
    Instruction::new(Op::Load, Some(ty), Some(id), vec![Operand::IdRef(from)])
}

struct Splitting<'a> {
    module: &'a mut Module,
    declarations: &'a Declarations,
    elements: BTreeMap<u32, Vec<Split>>,
    sampler_type: u32,
}

impl Splitting<'_> {
    fn function(&mut self, function: &mut Function) -> Result<(), Unsupported> {
        let mut chains: BTreeMap<u32, Split> = BTreeMap::new();
        for block in &mut function.blocks {
            let mut new = Vec::new();
            for instruction in std::mem::take(&mut block.instructions) {
                let base = instruction.operands.first().map_or(0, first_word);
                let known = match self.elements.get(&base).map(Vec::as_slice) {
                    Some([only]) => Some(*only),
                    Some(_) | None => chains.get(&base).copied(),
                };
                match (instruction.class.opcode, instruction.result_id, known) {
                    (Op::AccessChain | Op::InBoundsAccessChain, Some(id), _)
                        if self.elements.contains_key(&base) =>
                    {
                        chains.insert(id, self.element(base, &instruction)?);
                    }
                    (Op::Load, Some(id), Some(split)) => {
                        self.load(split, instruction.result_type, id, &mut new);
                    }
                    _ => {
                        self.check(&instruction, &chains)?;
                        new.push(instruction);
                    }
                }
            }
            block.instructions = new;
        }
        Ok(())
    }

    /// The element that a chain selects.
    fn element(&self, base: u32, chain: &Instruction) -> Result<Split, Unsupported> {
        let index = chain.operands.get(1).map(first_word);
        let index = index.and_then(|index| self.declarations.integer(index));
        let split = index.and_then(|index| self.elements[&base].get(index as usize));
        Ok(*split.ok_or("a dynamic index into an array of SPIR-V textures")?)
    }

    fn load(&mut self, split: Split, ty: Option<u32>, id: u32, new: &mut Vec<Instruction>) {
        match split {
            Split::Combined { image_type, image, sampler } => {
                let [loaded_image, loaded_sampler] = [(); 2].map(|()| fresh(self.module));
                new.push(load(image_type, loaded_image, image));
                new.push(load(self.sampler_type, loaded_sampler, sampler));
                let halves = [loaded_image, loaded_sampler].map(Operand::IdRef).to_vec();
                new.push(Instruction::new(Op::SampledImage, ty, Some(id), halves));
            }
            Split::Single { ty, variable } => new.push(load(ty, id, variable)),
        }
    }

    fn check(
        &self,
        instruction: &Instruction,
        chains: &BTreeMap<u32, Split>,
    ) -> Result<(), Unsupported> {
        let is_left = |id: u32| self.elements.contains_key(&id) || chains.contains_key(&id);
        let mut operands = instruction.operands.iter();
        if operands.any(|operand| matches!(operand, Operand::IdRef(id) if is_left(*id))) {
            let word = "a SPIR-V texture used by another instruction than OpLoad";
            return Err(Unsupported(word.to_owned()));
        }
        Ok(())
    }
}

/// Declares for naga which images the code only reads or only writes, because few formats allow both.
fn declare_access(module: &mut Module, origins: &BTreeMap<u32, (u32, u32, TexturePart)>) {
    let is_image =
        |id: &u32| origins.get(id).is_some_and(|(_, _, part)| *part == TexturePart::Image);
    let mut loaded: BTreeMap<u32, u32> = BTreeMap::new();
    let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
    for one in module.functions.iter().flat_map(Function::all_inst_iter) {
        let Some(first) = crate::specialize::ids(one).next() else { continue };
        match one.class.opcode {
            Op::Load if is_image(&first) => {
                loaded.extend(one.result_id.map(|id| (id, first)));
            }
            Op::ImageRead => drop(loaded.get(&first).map(|image| read.insert(*image))),
            Op::ImageWrite => drop(loaded.get(&first).map(|image| written.insert(*image))),
            _ => {}
        }
    }
    for image in origins.keys().filter(|id| is_image(id)) {
        let decoration = match (read.contains(image), written.contains(image)) {
            (true, true) => continue,
            (false, true) => Decoration::NonReadable,
            (_, false) => Decoration::NonWritable,
        };
        let operands = vec![Operand::IdRef(*image), Operand::Decoration(decoration)];
        module.annotations.push(Instruction::new(Op::Decorate, None, None, operands));
    }
}
