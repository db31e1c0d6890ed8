//! Replaces single instructions by code. This module has the parts that all replacement rules share.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{GlslStd450Op, Op};

use super::block_array::fresh;
use super::value::global;

/// Maximum number of times that replacement code may be replaced again.
const MAX_DEPTH: u32 = 16;

/// Replaces all instructions that naga does not read, or reads with another meaning.
pub(super) fn replace(module: &mut Module) {
    let mut functions = std::mem::take(&mut module.functions);
    let mut types = BTreeMap::new();
    let (mut code, mut rounded) = (Vec::new(), BTreeSet::new());
    let all = module.types_global_values.iter();
    types.extend(all.filter_map(|one| one.result_id.zip(one.result_type)));
    let inside = functions.iter().flat_map(rspirv::dr::Function::all_inst_iter);
    types.extend(inside.filter_map(|one| one.result_id.zip(one.result_type)));
    for block in functions.iter_mut().flat_map(|function| &mut function.blocks) {
        for instruction in std::mem::take(&mut block.instructions) {
            let mut writer =
                Writer { module, code: &mut code, types: &mut types, rounded: &mut rounded };
            writer.instruction(instruction, 0);
        }
        block.instructions = std::mem::take(&mut code);
    }
    module.functions = functions;
}

/// Writes the code that replaces an instruction.
pub(super) struct Writer<'a> {
    pub(super) module: &'a mut Module,
    code: &'a mut Vec<Instruction>,
    /// Types of all values.
    types: &'a mut BTreeMap<u32, u32>,
    /// Coordinates whose layer is already rounded to a whole number.
    pub(super) rounded: &'a mut BTreeSet<u32>,
}

/// Kind of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Bool,
    Float,
    Signed,
    Unsigned,
}

/// A scalar or vector type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) id: u32,
    /// Number of scalars in the type.
    pub(super) size: u32,
    pub(super) scalar: Scalar,
    /// Number of bits of a scalar.
    pub(super) width: u32,
    /// The type of the scalars.
    element: u32,
}

impl Shape {
    pub(super) const fn is_integer(self) -> bool {
        match self.scalar {
            Scalar::Signed | Scalar::Unsigned => true,
            Scalar::Bool | Scalar::Float => false,
        }
    }
}

/// The GLSL.std.450 operation of the instruction, if it is an `OpExtInst`. The module has no other extended set with
/// code.
pub(super) fn extended(instruction: &Instruction) -> Option<GlslStd450Op> {
    match instruction.operands.get(1) {
        Some(Operand::LiteralExtInstInteger(number)) => GlslStd450Op::from_u32(*number),
        _ => None,
    }
}

impl Writer<'_> {
    fn instruction(&mut self, instruction: Instruction, depth: u32) {
        let start = self.code.len();
        let is_replaced = depth < MAX_DEPTH && self.rules(&instruction).is_some();
        if !is_replaced {
            self.code.truncate(start);
            self.code.push(instruction);
            return;
        }
        for written in self.code.split_off(start) {
            self.instruction(written, depth + 1);
        }
    }

    /// Applies the first rule that matches the instruction. Returns `None` if the instruction can stay.
    fn rules(&mut self, old: &Instruction) -> Option<()> {
        self.replace_arithmetic(old)
            .or_else(|| self.replace_comparison(old))
            .or_else(|| self.replace_composite(old))
            .or_else(|| self.replace_image(old))
            .or_else(|| self.replace_extended(old))
            .or_else(|| self.replace_signs(old))
    }

    /// The type of a value.
    pub(super) fn type_of(&self, value: u32) -> Option<u32> {
        self.types.get(&value).copied()
    }

    /// Shape of a value.
    pub(super) fn shape_of(&self, value: u32) -> Option<Shape> {
        self.shape(self.type_of(value)?)
    }

    pub(super) fn declaration(&self, id: u32) -> Option<&Instruction> {
        self.module.types_global_values.iter().find(|global| global.result_id == Some(id))
    }

    /// The types of a struct's members.
    pub(super) fn members(&self, ty: u32) -> Vec<u32> {
        let declared = self.declaration(ty).filter(|one| one.class.opcode == Op::TypeStruct);
        declared.map(|one| crate::specialize::ids(one).collect()).unwrap_or_default()
    }

    pub(super) fn shape(&self, ty: u32) -> Option<Shape> {
        let declared = self.declaration(ty)?;
        let shape = |scalar, width| Some(Shape { id: ty, size: 1, scalar, width, element: ty });
        match (declared.class.opcode, declared.operands.as_slice()) {
            (Op::TypeBool, _) => shape(Scalar::Bool, 1),
            (Op::TypeFloat, [Operand::LiteralBit32(width), ..]) => shape(Scalar::Float, *width),
            (Op::TypeInt, [Operand::LiteralBit32(width), Operand::LiteralBit32(sign)]) => {
                shape(if *sign == 0 { Scalar::Unsigned } else { Scalar::Signed }, *width)
            }
            (Op::TypeVector, [Operand::IdRef(element), Operand::LiteralBit32(size)]) => {
                let element = self.shape(*element).filter(|element| element.size == 1)?;
                Some(Shape { id: ty, size: *size, ..element })
            }
            _ => None,
        }
    }

    /// The type of the same size as `shape`, with these scalars of this width.
    pub(super) fn with(&mut self, shape: Shape, scalar: Scalar, width: u32) -> Shape {
        let word = Operand::LiteralBit32;
        let (op, operands) = match scalar {
            Scalar::Bool => (Op::TypeBool, Vec::new()),
            Scalar::Float => (Op::TypeFloat, vec![word(width)]),
            Scalar::Signed => (Op::TypeInt, vec![word(width), word(1)]),
            Scalar::Unsigned => (Op::TypeInt, vec![word(width), word(0)]),
        };
        let element = global(self.module, op, None, operands);
        let element = Shape { id: element, size: 1, scalar, width, element };
        self.sized(element, shape.size)
    }

    /// The type of the same size and width as `shape`, with these scalars.
    pub(super) fn like(&mut self, shape: Shape, scalar: Scalar) -> Shape {
        self.with(shape, scalar, shape.width)
    }

    /// The scalar or vector type with `size` of the scalars of `shape`.
    pub(super) fn sized(&mut self, shape: Shape, size: u32) -> Shape {
        if size == 1 {
            return Shape { id: shape.element, size, ..shape };
        }
        let operands = vec![Operand::IdRef(shape.element), Operand::LiteralBit32(size)];
        Shape { id: global(self.module, Op::TypeVector, None, operands), size, ..shape }
    }

    /// A constant with these bits in every component.
    pub(super) fn constant(&mut self, ty: Shape, bits: u64) -> u32 {
        let low = u32::try_from(bits & u64::from(u32::MAX)).unwrap_or(0);
        let operand = match ty.width {
            64 => Operand::LiteralBit64(bits),
            _ => Operand::LiteralBit32(low),
        };
        let scalar = global(self.module, Op::Constant, Some(ty.element), vec![operand]);
        self.types.insert(scalar, ty.element);
        if ty.size == 1 {
            return scalar;
        }
        let operands = vec![Operand::IdRef(scalar); ty.size as usize];
        let vector = global(self.module, Op::ConstantComposite, Some(ty.id), operands);
        self.types.insert(vector, ty.id);
        vector
    }

    pub(super) fn push(&mut self, op: Op, ty: u32, operands: Vec<Operand>) -> u32 {
        let id = fresh(self.module);
        self.types.insert(id, ty);
        self.code.push(Instruction::new(op, Some(ty), Some(id), operands));
        id
    }

    pub(super) fn write(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        self.push(op, ty, operands.iter().map(|id| Operand::IdRef(*id)).collect())
    }

    /// Extracts part `idx` of a composite.
    pub(super) fn extract(&mut self, ty: u32, composite: u32, idx: u32) -> u32 {
        let operands = vec![Operand::IdRef(composite), Operand::LiteralBit32(idx)];
        self.push(Op::CompositeExtract, ty, operands)
    }

    pub(super) fn store(&mut self, pointer: u32, value: u32) {
        let operands = [pointer, value].map(Operand::IdRef).to_vec();
        self.code.push(Instruction::new(Op::Store, None, None, operands));
    }

    /// Writes an instruction of the extended set GLSL.std.450.
    pub(super) fn extended(&mut self, op: GlslStd450Op, ty: u32, operands: &[u32]) -> u32 {
        let set = self.extended_set();
        let number = Operand::LiteralExtInstInteger(op as u32);
        let operands = operands.iter().map(|id| Operand::IdRef(*id));
        let operands = [Operand::IdRef(set), number].into_iter().chain(operands).collect();
        self.push(Op::ExtInst, ty, operands)
    }

    /// The extended set GLSL.std.450, which this imports if the module has not done so.
    fn extended_set(&mut self) -> u32 {
        let name = Operand::LiteralString("GLSL.std.450".to_owned());
        let is_it = |import: &&Instruction| import.operands.first() == Some(&name);
        let known = self.module.ext_inst_imports.iter().find(is_it);
        if let Some(id) = known.and_then(|import| import.result_id) {
            return id;
        }
        let id = fresh(self.module);
        let import = Instruction::new(Op::ExtInstImport, None, Some(id), vec![name]);
        self.module.ext_inst_imports.push(import);
        id
    }

    /// Ends the code with an instruction that takes over the result id of the old one.
    pub(super) fn finish(&mut self, old: &Instruction, op: Op, operands: &[u32]) {
        self.finish_with(old, op, operands.iter().map(|id| Operand::IdRef(*id)).collect());
    }

    pub(super) fn finish_with(&mut self, old: &Instruction, op: Op, operands: Vec<Operand>) {
        self.code.push(Instruction::new(op, old.result_type, old.result_id, operands));
    }
}
