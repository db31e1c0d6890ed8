//! The vertex and the fragment stage in WGSL.

use super::{Fate, Generated, STEP};
use crate::wgsl::declared::{Side, compares, lines_of, writes};

impl Generated {
    /// `[varyings]`, the vertex stage and the fragment stage.
    pub(super) fn in_wgsl(&self) -> [String; 3] {
        let mut vertex = Side::default();
        for placed in self.front().placed() {
            vertex.declare(placed.varying, &placed.name);
            vertex.statements += &writes(&placed, &format!("out.{}", placed.name), "step");
        }
        let (mut fragment, last) = (Side::default(), self.last());
        let step = format!("{STEP} * f32(in.stamp.x)");
        for (placed, (_, fate)) in last.placed().iter().zip(&last.seam.varyings) {
            if *fate != Fate::Missing {
                fragment.declare(placed.varying, &placed.name);
            }
            if *fate == Fate::Compared {
                fragment.statements += &compares(placed, &format!("in.{}", placed.name), &step);
            }
        }
        let declared = lines_of(&vertex, &fragment);
        [declared, vertex.vertex(STEP), fragment.fragment(self.tells_side())]
    }
}
