//! Operands of image instructions that naga's reader silently drops or treats as zero. Operands that naga cannot
//! express are unsupported, offsets of fetches are added to the coordinates, and layers are rounded as in SPIR-V.

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{GlslStd450Op, ImageOperands, Op};

use super::code::{Scalar, Shape, Writer};
use crate::declarations::first_word;
use ir::diagnostic::Unsupported;

/// Operands that affect only memory ordering or the extension of a texel of the same width.
const WITHOUT_EFFECT: ImageOperands = ImageOperands::NON_PRIVATE_TEXEL
    .union(ImageOperands::VOLATILE_TEXEL)
    .union(ImageOperands::SIGN_EXTEND)
    .union(ImageOperands::ZERO_EXTEND)
    .union(ImageOperands::NONTEMPORAL);

/// Rejects image operands that naga drops.
pub(super) fn check(module: &Module) -> Result<(), Unsupported> {
    let is_zero = |id: u32| {
        let mut globals = module.types_global_values.iter();
        let constant = globals.find(|global| global.result_id == Some(id));
        constant.is_some_and(|constant| match constant.class.opcode {
            Op::ConstantNull => true,
            Op::Constant => constant.operands.first().map(first_word) == Some(0),
            _ => false,
        })
    };
    for one in module.functions.iter().flat_map(rspirv::dr::Function::all_inst_iter) {
        let Some((at, mask)) = mask_of(one) else { continue };
        let name = format!("{:?}", one.class.opcode);
        let is_compared = name.contains("Dref");
        let allowed = match one.class.opcode {
            Op::ImageFetch => ImageOperands::LOD | ImageOperands::CONST_OFFSET,
            Op::ImageRead | Op::ImageWrite => ImageOperands::NONE,
            Op::ImageGather | Op::ImageDrefGather => ImageOperands::CONST_OFFSET,
            _ if is_compared => {
                ImageOperands::CONST_OFFSET | ImageOperands::BIAS | ImageOperands::LOD
            }
            _ => {
                ImageOperands::CONST_OFFSET
                    | ImageOperands::BIAS
                    | ImageOperands::LOD
                    | ImageOperands::GRAD
            }
        };
        let refused = mask - allowed - WITHOUT_EFFECT;
        if !refused.is_empty() {
            return Err(Unsupported(format!("the image operand {refused:?} of Op{name}")));
        }
        let level = one.operands.get(at + 1).map_or(0, first_word);
        if is_compared && mask.contains(ImageOperands::LOD) && !is_zero(level) {
            return Err(Unsupported(format!("Op{name} of another level than 0")));
        }
    }
    Ok(())
}

/// The position and the value of the mask of image operands.
fn mask_of(one: &Instruction) -> Option<(usize, ImageOperands)> {
    one.operands.iter().enumerate().find_map(|(at, operand)| match operand {
        Operand::ImageOperands(mask) => Some((at, *mask)),
        _ => None,
    })
}

impl Writer<'_> {
    /// Lowers fetches with an offset, and rounds the layer of sampling and gather instructions. Returns `None` if the
    /// instruction can stay.
    pub(super) fn replace_image(&mut self, old: &Instruction) -> Option<()> {
        if let (Op::ImageFetch, Some((at, mask))) = (old.class.opcode, mask_of(old))
            && mask.contains(ImageOperands::CONST_OFFSET)
        {
            return self.fetch(old, at, mask);
        }
        if format!("{:?}", old.class.opcode).starts_with("ImageSample")
            || matches!(old.class.opcode, Op::ImageGather | Op::ImageDrefGather)
        {
            return self.round_layer(old);
        }
        None
    }

    /// Adds the offset of a fetch to its coordinates.
    fn fetch(&mut self, old: &Instruction, at: usize, mask: ImageOperands) -> Option<()> {
        let coordinate = first_word(old.operands.get(1)?);
        let ty = self.shape_of(coordinate)?;
        let is_before = u32::from(mask.contains(ImageOperands::LOD)) as usize;
        let mut operands = old.operands.clone();
        let offset = first_word(&operands.remove(at + 1 + is_before));
        if self.shape_of(offset)?.size != ty.size {
            return None;
        }
        let moved = self.write(Op::IAdd, ty.id, &[coordinate, offset]);
        operands[1] = Operand::IdRef(moved);
        let mask = mask - ImageOperands::CONST_OFFSET;
        operands[at] = Operand::ImageOperands(mask);
        if mask.is_empty() {
            operands.truncate(at);
        }
        self.finish_with(old, Op::ImageFetch, operands);
        Some(())
    }

    /// Rounds the layer of an array to the nearest whole number (Vulkan 1.3, 16.6.8). naga rounds it towards zero.
    fn round_layer(&mut self, old: &Instruction) -> Option<()> {
        let [sampled, coordinate] = [0, 1].map(|at| old.operands.get(at).map_or(0, first_word));
        let layer = self.layer_of(sampled)?;
        let ty = self.shape_of(coordinate).filter(|ty| ty.size > layer)?;
        if self.rounded.contains(&coordinate) {
            return None;
        }
        let one = self.sized(ty, 1);
        let rounded = self.round(coordinate, one, layer);
        let operands = [rounded, coordinate].map(Operand::IdRef).into_iter();
        let operands = operands.chain([Operand::LiteralBit32(layer)]).collect();
        let moved = self.push(Op::CompositeInsert, ty.id, operands);
        self.rounded.insert(moved);
        let mut operands = old.operands.clone();
        operands[1] = Operand::IdRef(moved);
        self.finish_with(old, old.class.opcode, operands);
        Some(())
    }

    fn round(&mut self, coordinate: u32, one: Shape, layer: u32) -> u32 {
        let part = self.extract(one.id, coordinate, layer);
        let floats = self.like(one, Scalar::Float);
        self.extended(GlslStd450Op::RoundEven, floats.id, &[part])
    }

    /// Index of the layer in the coordinates of an array of textures.
    fn layer_of(&self, sampled: u32) -> Option<u32> {
        let sampled = self.declaration(self.type_of(sampled)?)?;
        let image = self.declaration(crate::specialize::ids(sampled).next()?)?;
        let is_arrayed = image.operands.get(3).map(first_word) == Some(1);
        let size = match image.operands.get(1)? {
            Operand::Dim(rspirv::spirv::Dim::Dim2D) => 2,
            Operand::Dim(rspirv::spirv::Dim::DimCube) => 3,
            _ => return None,
        };
        is_arrayed.then_some(size)
    }
}
