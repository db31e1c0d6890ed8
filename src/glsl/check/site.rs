//! Kinds of declaration that have qualifiers.

use crate::ast::{Qualifiers, Storage};
use ir::stage::ShaderStage;

use super::has_storage;

/// A kind of declaration that has qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// An input outside any block.
    Input,
    /// An output outside any block.
    Output,
    /// A uniform outside any block.
    Uniform,
    /// A subroutine uniform.
    SubroutineUniform,
    /// A variable that the workgroup shares.
    Shared,
    /// A global constant.
    Constant,
    /// Any other variable at global scope.
    Global,
    /// A block of inputs.
    InputBlock,
    /// A member of a block of inputs.
    InputMember,
    /// A block of outputs.
    OutputBlock,
    /// A member of a block of outputs.
    OutputMember,
    /// A uniform block.
    UniformBlock,
    /// A member of a uniform block.
    UniformMember,
    /// A storage block.
    StorageBlock,
    /// A member of a storage block.
    StorageMember,
    /// A redeclared built-in variable.
    Builtin,
    /// A redeclared built-in block.
    BuiltinBlock,
    /// A member of a redeclared built-in block.
    BuiltinMember,
    /// A member of a struct.
    StructMember,
    /// A function and its result.
    Function,
    /// A function with the qualifier `subroutine`.
    Subroutine,
    /// A parameter of a function.
    Parameter,
    /// A variable in a function.
    Local,
    /// A variable that is already declared: `invariant a;`.
    Known,
    /// A statement `layout(…) in;`.
    StageInput,
    /// A statement `layout(…) out;`.
    StageOutput,
    /// A statement `layout(…) uniform;`.
    StageUniform,
    /// A statement `layout(…) buffer;`.
    StageBuffer,
    /// A statement with no other storage qualifier or none: `layout(…);`, `layout(…) shared;`.
    StageOther,
}

impl Site {
    /// The site of a variable at global scope.
    pub(super) fn of_global(qualifiers: &Qualifiers, stage: ShaderStage) -> Self {
        let has = |storage| has_storage(qualifiers, storage);
        if has(Storage::In) || has(Storage::Attribute) {
            Self::Input
        } else if has(Storage::Out) || has(Storage::Varying) && stage == ShaderStage::Vertex {
            // GL_EXT_gpu_shader4 has `varying out` in the fragment stage.
            Self::Output
        } else if has(Storage::Varying) {
            Self::Input
        } else if has(Storage::Subroutine) {
            Self::SubroutineUniform
        } else if has(Storage::Uniform) {
            Self::Uniform
        } else if has(Storage::Shared) {
            Self::Shared
        } else if has(Storage::Const) {
            Self::Constant
        } else {
            Self::Global
        }
    }

    /// The site of a statement that applies to the stage as a whole.
    pub(super) fn of_stage(qualifiers: &Qualifiers) -> Self {
        match *qualifiers.storage {
            [(Storage::In, _)] => Self::StageInput,
            [(Storage::Out, _)] => Self::StageOutput,
            [(Storage::Uniform, _)] => Self::StageUniform,
            [(Storage::Buffer, _)] => Self::StageBuffer,
            _ => Self::StageOther,
        }
    }

    /// The site of the members of a block, if this site is a block.
    pub(super) const fn members(self) -> Option<Self> {
        match self {
            Self::InputBlock => Some(Self::InputMember),
            Self::OutputBlock => Some(Self::OutputMember),
            Self::UniformBlock => Some(Self::UniformMember),
            Self::StorageBlock => Some(Self::StorageMember),
            Self::BuiltinBlock => Some(Self::BuiltinMember),
            Self::Input
            | Self::Output
            | Self::Uniform
            | Self::SubroutineUniform
            | Self::Shared
            | Self::Constant
            | Self::Global
            | Self::InputMember
            | Self::OutputMember
            | Self::UniformMember
            | Self::StorageMember
            | Self::Builtin
            | Self::BuiltinMember
            | Self::StructMember
            | Self::Function
            | Self::Subroutine
            | Self::Parameter
            | Self::Local
            | Self::Known
            | Self::StageInput
            | Self::StageOutput
            | Self::StageUniform
            | Self::StageBuffer
            | Self::StageOther => None,
        }
    }
}
