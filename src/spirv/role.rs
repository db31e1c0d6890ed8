//! Roles of variables at module scope, which determine their form for naga.

use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, Dim, Op, StorageClass};

use super::declarations::{Declarations, Variable, first_word};
use ir::diagnostic::Unsupported;

/// Role of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A stage input: a built-in or a user variable.
    Input,
    /// A stage output.
    Output,
    /// A uniform block, or an array of them.
    UniformBlock,
    /// A storage block, or an array of them.
    StorageBlock,
    /// A uniform outside any block that is no texture, sampler or image.
    LooseUniform,
    /// A texture together with its sampler.
    SampledImage,
    /// An atomic counter, or an array of them.
    AtomicCounter,
    /// Private or workgroup memory of the stage.
    Own,
}

impl Role {
    /// The role of `variable`; the error says what it is if it cannot be used.
    pub(super) fn of(declarations: &Declarations, variable: Variable) -> Result<Self, Unsupported> {
        let (ty, _) = declarations.without_arrays(variable.ty);
        let is = |decoration| declarations.decorations(ty).has(decoration);
        match variable.class {
            StorageClass::Input => Ok(Self::Input),
            StorageClass::Output => Ok(Self::Output),
            StorageClass::Uniform if is(Decoration::BufferBlock) => Ok(Self::StorageBlock),
            StorageClass::Uniform | StorageClass::PushConstant => Ok(Self::UniformBlock),
            StorageClass::StorageBuffer => Ok(Self::StorageBlock),
            StorageClass::Private | StorageClass::Workgroup => Ok(Self::Own),
            StorageClass::UniformConstant => Self::of_uniform(declarations, ty),
            StorageClass::AtomicCounter => Ok(Self::AtomicCounter),
            other => Err(Unsupported(format!("variables of storage class {other:?}"))),
        }
    }

    fn of_uniform(declarations: &Declarations, ty: u32) -> Result<Self, Unsupported> {
        let Some(value) = declarations.value(ty) else { return Ok(Self::LooseUniform) };
        match value.class.opcode {
            Op::TypeSampledImage => {
                let image = value.operands.first().map_or(0, first_word);
                let image = declarations.value(image);
                let operand = |idx: usize| image.and_then(|image| image.operands.get(idx));
                let is_two_dimensional = operand(1) == Some(&Operand::Dim(Dim::Dim2D));
                // No depth, arrays or multisampling.
                let is_plain = (2..5).all(|idx| operand(idx).map(first_word) == Some(0));
                if is_two_dimensional && is_plain {
                    Ok(Self::SampledImage)
                } else {
                    Err(Unsupported("SPIR-V textures other than 2D".to_owned()))
                }
            }
            Op::TypeImage => Err(Unsupported("SPIR-V images".to_owned())),
            Op::TypeSampler => Err(Unsupported("SPIR-V samplers without texture".to_owned())),
            _ => Ok(Self::LooseUniform),
        }
    }

    /// True if the variable becomes a private global, which the linker's shell reads or writes.
    pub(super) const fn is_private(self) -> bool {
        match self {
            Self::Input | Self::Output | Self::UniformBlock | Self::LooseUniform => true,
            Self::StorageBlock | Self::SampledImage | Self::AtomicCounter | Self::Own => false,
        }
    }
}
