//! The vertex and the fragment stage in WGSL.

use super::{Fate, Generated, Use};
use crate::declared::is_flat;
use crate::wgsl::declared::{Side, compares, lines_of, writes};

impl Generated {
    /// `[varyings]`, the vertex stage and the fragment stage.
    pub(super) fn in_wgsl(&self) -> [String; 3] {
        let (vertex, fragment) = (self.vertex_side(), self.fragment_side());
        let declared = lines_of(&vertex, &fragment);
        [declared, vertex.vertex("256.0"), fragment.fragment(self.tells_side())]
    }

    fn vertex_side(&self) -> Side {
        let mut side = Side::default();
        for placed in self.front() {
            side.declare(placed.varying, &placed.name);
            side.statements += &writes(&placed, &format!("out.{}", placed.name), "step");
        }
        side
    }

    fn fragment_side(&self) -> Side {
        let mut side = Side::default();
        let mut passed = Vec::new();
        for (mut placed, (_, purpose)) in self.front().into_iter().zip(&self.front) {
            if let Use::Passed(fate) = *purpose {
                placed.name = placed.name.replace('v', "w");
                passed.push((placed, fate, ["x", "y"]));
            }
        }
        let own = self.own().into_iter().zip(&self.own);
        let own = own.map(|(placed, (_, fate))| (placed, *fate, ["z", "y"]));
        for (placed, fate, [flat, smooth]) in passed.into_iter().chain(own) {
            if fate != Fate::Missing {
                side.declare(placed.varying, &placed.name);
            }
            if fate == Fate::Compared {
                let number = if is_flat(placed.varying) { flat } else { smooth };
                let step = format!("256.0 * f32(in.stamp.{number})");
                side.statements += &compares(&placed, &format!("in.{}", placed.name), &step);
            }
        }
        side
    }
}
