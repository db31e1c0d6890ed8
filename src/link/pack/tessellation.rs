//! Interfaces between tessellation stages: nothing is packed, and patch varyings have separate slots.
//!
//! Invocations of a control stage write their outputs separately and read one another's, so that a slot must not hold
//! parts of two varyings: each scalar, vector, matrix column and array element has one, in the order of declaration.
//! WebGPU has no such stages; the rule is here because the placement of a program must not depend on the executor.

use ir::options::PackMode;

use super::{PackError, PackItem, SlotMap, pack};

/// Slots of a patch, as in Mesa.
pub const PATCH_SLOTS: usize = 32;

/// Placement of a tessellation interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TessellationSlots {
    /// Varyings of every vertex.
    pub vertices: SlotMap,
    /// Varyings declared `patch`. Their slots are counted from 0 again.
    pub patches: SlotMap,
}

/// Places the varyings of a tessellation interface: per-vertex and per-patch.
///
/// Fails as [`pack`] does, and with [`PackError::TooLarge`] and its index for the first patch varying that ends behind
/// [`PATCH_SLOTS`].
pub fn pack_tessellation(
    vertices: &[PackItem],
    patches: &[PackItem],
) -> Result<TessellationSlots, PackError> {
    let vertices = pack(vertices, PackMode::Off)?;
    let patches = pack(patches, PackMode::Off)?;
    let ends_behind = |places: &Vec<super::Position>| {
        places.iter().any(|at| usize::try_from(at.slot).is_ok_and(|slot| slot >= PATCH_SLOTS))
    };
    match patches.items.iter().position(ends_behind) {
        Some(item) => Err(PackError::TooLarge { item }),
        None => Ok(TessellationSlots { vertices, patches }),
    }
}
