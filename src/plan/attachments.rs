//! The colour attachments of passes, and their blending.

use case::output::BufferState;
use ir::options::DRAW_BUFFERS;

/// Index of the render target of each draw buffer.
pub(crate) type TargetMap = [Option<u32>; DRAW_BUFFERS];

/// The colour attachments of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attachments {
    /// Index of the render target of each attachment.
    pub targets: TargetMap,
    /// Draw buffer of each attachment.
    pub buffers: [u32; DRAW_BUFFERS],
}

impl Attachments {
    /// Attachments where attachment n is draw buffer n.
    pub(crate) fn in_order(targets: TargetMap) -> Self {
        Self { targets, ..Self::default() }
    }

    /// Attachments for only the draw buffers that the fragment stage writes, without gaps between them; if there are
    /// none, one that it does not write. Unwritten attachments would need a separate colour mask, and so independent
    /// blending.
    pub(crate) fn written(targets: TargetMap, written: &[u32]) -> Self {
        let target_of = |buffer: u32| {
            let place = usize::try_from(buffer).ok().and_then(|idx| targets.get(idx));
            place.copied().flatten()
        };
        let mut buffers = Self::default().buffers;
        let is_written = |buffer: &u32| target_of(*buffer).is_some() && written.contains(buffer);
        let spare = buffers.into_iter().find(|buffer| target_of(*buffer).is_some());
        let spare = spare.filter(|_| !buffers.iter().any(is_written));
        let is_kept = |buffer: &u32| is_written(buffer) || spare == Some(*buffer);
        // The sort is stable, so other draw buffers keep their order.
        buffers.sort_by_key(|buffer| !is_kept(buffer));
        let target = |buffer: u32| target_of(buffer).filter(|_| is_kept(&buffer));
        Self { targets: buffers.map(target), buffers }
    }

    /// Reorders blending and mask states from draw buffers to attachments.
    pub(crate) fn ordered(&self, states: &OutputStates) -> OutputStates {
        let state = |buffer: u32| {
            let place = usize::try_from(buffer).ok().and_then(|idx| states.get(idx));
            place.copied().unwrap_or_default()
        };
        self.buffers.map(state)
    }
}

impl Default for Attachments {
    fn default() -> Self {
        let buffers = std::array::from_fn(|idx| u32::try_from(idx).unwrap_or(u32::MAX));
        Self { targets: TargetMap::default(), buffers }
    }
}

/// Blending and mask state of each colour attachment.
pub type OutputStates = [BufferState; DRAW_BUFFERS];

pub(crate) fn uses_second(state: &BufferState) -> bool {
    let factors = [state.color, state.alpha].map(|blend| [blend.source, blend.destination]);
    state.is_blended && factors.as_flattened().iter().any(|factor| factor.is_dual_source())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_stands_side_by_side() {
        let targets = [Some(0), Some(1), None, Some(3), Some(4), None, None, None];
        let own = Attachments::written(targets, &[2, 3, 1]);
        assert_eq!(own.targets, [Some(1), Some(3), None, None, None, None, None, None]);
        assert_eq!(own.buffers, [1, 3, 0, 2, 4, 5, 6, 7]);
        let mut states = OutputStates::default();
        states[3].is_blended = true;
        let ordered = own.ordered(&states).map(|state| state.is_blended);
        assert_eq!(ordered, [false, true, false, false, false, false, false, false]);
        // A pass needs one attachment.
        let own =
            Attachments::written([None, None, Some(5), Some(6), None, None, None, None], &[0]);
        assert_eq!(own.targets, [Some(5), None, None, None, None, None, None, None]);
        assert_eq!(own.buffers, [2, 0, 1, 3, 4, 5, 6, 7]);
        let none = TargetMap::default();
        assert_eq!(Attachments::written(none, &[0]), Attachments::in_order(none));
    }
}
