//! Roles of variables at module scope, which determine their form for naga.

use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, Dim, Op, StorageClass};

use super::declarations::{Declarations, Variable, first_word};
use ir::diagnostic::Unsupported;

/// Role of a variable at module scope.
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
    /// A uniform outside any block that is not a texture, sampler or image.
    LooseUniform,
    /// A texture together with its sampler.
    SampledImage,
    /// A texture.
    Texture,
    /// A sampler.
    Sampler,
    /// An image whose texels are read and written.
    Image,
    /// An atomic counter, or an array of them.
    AtomicCounter,
    /// A private or workgroup variable of the stage.
    Own,
}

impl Role {
    /// The role of `variable`. The error describes the variable if it cannot be used.
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
                match Self::of_image(declarations, image)? {
                    Self::Texture => Ok(Self::SampledImage),
                    _ => Err(Unsupported("SPIR-V samplers of images".to_owned())),
                }
            }
            Op::TypeImage => Self::of_image(declarations, ty),
            Op::TypeSampler => Ok(Self::Sampler),
            _ => Ok(Self::LooseUniform),
        }
    }

    fn of_image(declarations: &Declarations, ty: u32) -> Result<Self, Unsupported> {
        let image = declarations.value(ty);
        let operand = |idx: usize| image.and_then(|image| image.operands.get(idx));
        // 1 for a depth texture, an array or multisampling; 2 for an image without a sampler.
        let number = |idx| operand(idx).map_or(0, first_word);
        let [is_arrayed, is_multisampled] = [3, 4].map(|idx| number(idx) != 0);
        let is_image = match number(5) {
            0 => {
                return Err(Unsupported(
                    "SPIR-V images of which only a run knows the use".to_owned(),
                ));
            }
            used => used == 2,
        };
        let is_known = match operand(1) {
            Some(Operand::Dim(Dim::Dim2D)) => true,
            Some(Operand::Dim(Dim::Dim3D)) => !is_arrayed,
            Some(Operand::Dim(Dim::DimCube)) => !is_image,
            _ => false,
        };
        if is_multisampled || !is_known {
            let word = match (is_image, is_multisampled) {
                (_, true) => "multisampled SPIR-V textures",
                (true, false) => "SPIR-V images other than 2D and 3D",
                (false, false) => "SPIR-V textures other than 2D, 3D and cubes",
            };
            return Err(Unsupported(word.to_owned()));
        }
        Ok(if is_image { Self::Image } else { Self::Texture })
    }

    /// True if the variable becomes a private global, which the linker's shell reads or writes.
    pub(super) const fn is_private(self) -> bool {
        match self {
            Self::Input | Self::Output | Self::UniformBlock | Self::LooseUniform => true,
            Self::StorageBlock
            | Self::SampledImage
            | Self::Texture
            | Self::Sampler
            | Self::Image
            | Self::AtomicCounter
            | Self::Own => false,
        }
    }
}
