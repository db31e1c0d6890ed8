//! Combined textures and samplers, which WebGPU has only separately: two variables for every element of an array, and
//! two loads for every load.

use std::collections::BTreeMap;

use rspirv::dr::{Function, Instruction, Module, Operand};
use rspirv::spirv::{Op, StorageClass};

use crate::declarations::{Declarations, Variable, first_word};
use crate::role::Role;
use ir::diagnostic::Unsupported;

use super::block_array::fresh;

/// Maximum number of textures in an array.
const MAX_TEXTURES: u32 = 64;

/// One part of a combined texture and sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TexturePart {
    Texture,
    Sampler,
}

/// The parts of one texture.
#[derive(Clone, Copy)]
struct Split {
    image_type: u32,
    image: u32,
    sampler: u32,
}

/// Splits every texture. Returns the old id, the element and the part for every new variable.
pub(super) fn split(
    module: &mut Module,
    declarations: &Declarations,
    roles: &BTreeMap<u32, Role>,
) -> Result<BTreeMap<u32, (u32, u32, TexturePart)>, Unsupported> {
    let mut origins = BTreeMap::new();
    let is_texture = |variable: &&Variable| roles.get(&variable.id) == Some(&Role::SampledImage);
    let textures: Vec<_> = declarations.variables.iter().filter(is_texture).collect();
    if textures.is_empty() {
        return Ok(origins);
    }
    let [sampler_type, sampler_pointer] = [(); 2].map(|()| fresh(module));
    let declare = |op, id, operands| Instruction::new(op, None, Some(id), operands);
    module.types_global_values.extend([
        declare(Op::TypeSampler, sampler_type, Vec::new()),
        pointer(sampler_pointer, sampler_type),
    ]);
    let mut elements: BTreeMap<u32, Vec<Split>> = BTreeMap::new();
    for texture in &textures {
        let (sampled, lengths) = declarations.without_arrays(texture.ty);
        let count = lengths.iter().fold(1_u32, |count, length| count.saturating_mul(*length));
        if lengths.len() > 1 {
            return Err(Unsupported("an array of arrays of SPIR-V textures".to_owned()));
        }
        if count > MAX_TEXTURES {
            let word = format!("an array of {count} SPIR-V textures; the limit is {MAX_TEXTURES}");
            return Err(Unsupported(word));
        }
        let image_type = declarations.ty(sampled).and_then(|(_, types)| types.first().copied());
        let image_type = image_type.ok_or("a texture without image type")?;
        let image_pointer = fresh(module);
        module.types_global_values.push(pointer(image_pointer, image_type));
        for element in 0..count {
            let [image, sampler] = [(); 2].map(|()| fresh(module));
            let class = || vec![Operand::StorageClass(StorageClass::UniformConstant)];
            module.types_global_values.extend([
                Instruction::new(Op::Variable, Some(image_pointer), Some(image), class()),
                Instruction::new(Op::Variable, Some(sampler_pointer), Some(sampler), class()),
            ]);
            origins.insert(image, (texture.id, element, TexturePart::Texture));
            origins.insert(sampler, (texture.id, element, TexturePart::Sampler));
            elements.entry(texture.id).or_default().push(Split { image_type, image, sampler });
        }
    }
    module
        .types_global_values
        .retain(|global| !global.result_id.is_some_and(|id| elements.contains_key(&id)));
    let mut functions = std::mem::take(&mut module.functions);
    for function in &mut functions {
        rewrite(module, function, declarations, &elements, sampler_type)?;
    }
    module.functions = functions;
    Ok(origins)
}

fn pointer(id: u32, target: u32) -> Instruction {
    let class = Operand::StorageClass(StorageClass::UniformConstant);
    Instruction::new(Op::TypePointer, None, Some(id), vec![class, Operand::IdRef(target)])
}

fn rewrite(
    module: &mut Module,
    function: &mut Function,
    declarations: &Declarations,
    elements: &BTreeMap<u32, Vec<Split>>,
    sampler_type: u32,
) -> Result<(), Unsupported> {
    let mut chains: BTreeMap<u32, Split> = BTreeMap::new();
    for block in &mut function.blocks {
        let mut new = Vec::new();
        for mut instruction in std::mem::take(&mut block.instructions) {
            let base = instruction.operands.first().map_or(0, first_word);
            let known = match elements.get(&base).map(Vec::as_slice) {
                Some([only]) => Some(*only),
                Some(_) | None => chains.get(&base).copied(),
            };
            match (instruction.class.opcode, instruction.result_id) {
                (Op::AccessChain | Op::InBoundsAccessChain, Some(id))
                    if elements.contains_key(&base) =>
                {
                    let index = instruction.operands.get(1).map(first_word);
                    let index = index.and_then(|index| declarations.integer(index));
                    let split = index.and_then(|index| elements[&base].get(index as usize));
                    let split = split.ok_or("a dynamic index into an array of SPIR-V textures")?;
                    chains.insert(id, *split);
                    continue;
                }
                (Op::Load, Some(_)) => {
                    if let Some(split) = known {
                        let [image, sampler] = [(); 2].map(|()| fresh(module));
                        let load = |ty, id, from| {
                            Instruction::new(
                                Op::Load,
                                Some(ty),
                                Some(id),
                                vec![Operand::IdRef(from)],
                            )
                        };
                        new.push(load(split.image_type, image, split.image));
                        new.push(load(sampler_type, sampler, split.sampler));
                        let halves = [image, sampler].map(Operand::IdRef).to_vec();
                        instruction = Instruction::new(
                            Op::SampledImage,
                            instruction.result_type,
                            instruction.result_id,
                            halves,
                        );
                    }
                }
                _ => {}
            }
            let is_left = |id: u32| elements.contains_key(&id) || chains.contains_key(&id);
            let mut operands = instruction.operands.iter();
            if operands.any(|operand| matches!(operand, Operand::IdRef(id) if is_left(*id))) {
                return Err(Unsupported(
                    "a SPIR-V texture used by another instruction than OpLoad".to_owned(),
                ));
            }
            new.push(instruction);
        }
        block.instructions = new;
    }
    Ok(())
}
