//! Sets specialisation constants, which become ordinary constants.

mod operation;

use std::collections::BTreeMap;

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Decoration, Op};

use ir::diagnostic::{Diagnostic, Unsupported};
use ir::stage::{ConstantName, Specialization};

use super::Conventions;
use super::declarations::{Declarations, first_word};

/// Reason why a module cannot be specialised.
#[derive(Clone, Debug)]
pub(super) enum SpecializeError {
    /// The case is invalid.
    Wrong(Diagnostic),
    /// An unsupported operation on constants: the result's id and a description.
    Unsupported(u32, Unsupported),
}

/// Replaces every specialisation constant of `module` by a constant. A value for an id that is not a specialisation
/// constant is an error in OpenGL (`ARB_gl_spirv`), and ignored in Vulkan (`VkSpecializationMapEntry`).
pub(super) fn specialize(
    module: &mut Module,
    values: &[Specialization],
    conventions: Conventions,
) -> Result<(), SpecializeError> {
    let declarations = Declarations::of(module);
    let mut given: BTreeMap<u32, &Specialization> = BTreeMap::new();
    for value in values {
        let id = match &value.constant {
            ConstantName::Id(id) => *id,
            ConstantName::Name(name) => {
                let message = format!("`{name}` is no number, which a constant of SPIR-V has");
                return Err(SpecializeError::Wrong(Diagnostic::error(value.span, message)));
            }
        };
        if given.insert(id, value).is_some() {
            let message = format!("specialisation constant {id} is given twice");
            return Err(SpecializeError::Wrong(Diagnostic::error(value.span, message)));
        }
    }
    let mut unused = given.clone();
    let mut constants = operation::Constants::default();
    for instruction in &mut module.types_global_values {
        let id = instruction.result_id.unwrap_or(0);
        let number = declarations.decorations(id).number(Decoration::SpecId);
        let value = number.and_then(|number| given.get(&number)).copied();
        if let Some((id, value)) = number.zip(value) {
            unused.remove(&id);
            check_type(&declarations, instruction, id, value)?;
        }
        replace(instruction, value.map(|value| value.bits), &constants)
            .map_err(|word| SpecializeError::Unsupported(id, word))?;
        constants.remember(instruction);
    }
    match unused.iter().next() {
        Some((id, value)) if conventions == Conventions::OpenGl => {
            let message = format!("the module has no specialisation constant {id}");
            Err(SpecializeError::Wrong(Diagnostic::error(value.span, message)))
        }
        Some(_) | None => Ok(()),
    }
}

fn check_type(
    declarations: &Declarations,
    constant: &Instruction,
    id: u32,
    value: &Specialization,
) -> Result<(), SpecializeError> {
    let ty = constant.result_type.and_then(|ty| declarations.ty(ty));
    let is_fitting = match &ty {
        Some((Op::TypeBool | Op::TypeFloat, operands)) => {
            operands.first().is_none_or(|operand| *operand == 32)
        }
        Some((Op::TypeInt, operands)) => operands.first() == Some(&32),
        _ => false,
    };
    if is_fitting {
        return Ok(());
    }
    let message = format!("specialisation constant {id} is neither a boolean nor a 32-bit number");
    Err(SpecializeError::Wrong(Diagnostic::error(value.span, message)))
}

fn replace(
    instruction: &mut Instruction,
    value: Option<u32>,
    constants: &operation::Constants,
) -> Result<(), Unsupported> {
    let (op, operands) = match instruction.class.opcode {
        Op::SpecConstantTrue | Op::SpecConstantFalse => {
            let default = u32::from(instruction.class.opcode == Op::SpecConstantTrue);
            (truth(value.unwrap_or(default)), Vec::new())
        }
        Op::SpecConstant => match value {
            Some(bits) => (Op::Constant, vec![Operand::LiteralBit32(bits)]),
            None => (Op::Constant, instruction.operands.clone()),
        },
        Op::SpecConstantComposite => (Op::ConstantComposite, instruction.operands.clone()),
        Op::SpecConstantOp => constants.evaluate(instruction)?,
        _ => return Ok(()),
    };
    *instruction = Instruction::new(op, instruction.result_type, instruction.result_id, operands);
    Ok(())
}

/// The opcode of a boolean constant.
const fn truth(bits: u32) -> Op {
    if bits == 0 { Op::ConstantFalse } else { Op::ConstantTrue }
}

/// The ids in an instruction, in order.
pub(super) fn ids(instruction: &Instruction) -> impl Iterator<Item = u32> {
    let is_id = |operand: &&Operand| matches!(operand, Operand::IdRef(_));
    instruction.operands.iter().filter(is_id).map(first_word)
}
