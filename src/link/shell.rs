//! The shell around a stage's user code, as data: what enters and leaves through which location.
//!
//! The *prolog* fills the stage's private globals from entry-point arguments and uniform buffers, then the user's
//! `main` runs unchanged, then the *epilog* collects the entry point's result from private globals.
//! `wrap` turns a [`Shell`] into naga IR; nothing here does.

use naga::{GlobalVariable, Handle};

use crate::binding::BindingPoint;
use crate::pack::PackingClass;
use ir::interface::{Place, ScalarKind};

/// Everything around one stage's user code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shell {
    /// Locations that enter: vertex attributes or slots.
    pub inputs: Vec<Slot>,
    /// How their components reach the stage's variables.
    pub input_wires: Vec<Wire>,
    /// Values that the stage gets without any location.
    pub constants: Vec<Constant>,
    /// Locations that leave: slots or fragment outputs.
    pub outputs: Vec<Slot>,
    /// How the stage's variables reach their components.
    pub output_wires: Vec<Wire>,
    /// Uniform buffers of raw words that the stage reads, and what is loaded from them.
    pub uniforms: Vec<UniformWires>,
    /// What is done to the fragment stage's window coordinates.
    pub frag_coord: FragCoordShift,
    /// How the vertex stage's clip-space position is turned into wgpu's.
    pub position: PositionRule,
    /// The clip distances that the vertex stage gives.
    pub clip: Option<ClipDistances>,
    /// How a vertex stage draws points as quads.
    pub points: Option<PointExpansion>,
}

/// What a vertex stage that draws points as quads needs. Draws of anything else are unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointExpansion {
    /// A `vec4`, see [`crate::point::POINT_STATE`].
    pub state: Place,
    /// The size as a float where the user's code writes it, else 1.
    pub size: Option<Handle<GlobalVariable>>,
    /// A `vec2` to fill with the place in the square: 0, 0 at its upper left corner.
    pub coordinate: Option<Place>,
    /// Varyings that are the place in the square as well.
    pub replaced: Vec<ReplacedVarying>,
    /// Whether these run up from the lower left corner, and not down from the upper left one.
    pub is_lower_left: bool,
}

/// A varying of floats that is (s, t, 0, 1) in points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedVarying {
    /// Where the user's code leaves it.
    pub place: Place,
    /// Its first component, of four.
    pub start: u8,
    /// How many components it has.
    pub size: u8,
}

/// Clip distances of a vertex stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClipDistances {
    /// How many, 1 to 8.
    pub count: u32,
    /// A `u32` with a bit for every distance that acts; all others are 1. Without it all act.
    pub enables: Option<Place>,
    /// Where they come from.
    pub source: ClipSource,
}

/// Where clip distances come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClipSource {
    /// The stage writes them. What is beyond its array is 1.
    Written {
        /// An array of floats.
        global: Handle<GlobalVariable>,
        /// Its length.
        length: u32,
    },
    /// The products of planes and a point.
    Planes {
        /// An array of eight `vec4`.
        planes: Place,
        /// A `vec4`; `None` for `gl_Position`.
        point: Option<Place>,
    },
}

/// What a vertex stage writes to a buffer when it runs as a compute stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureShell {
    /// The first of its four buffers, see [`crate::capture`].
    pub at: BindingPoint,
    /// The location that each vector of a row of vertices holds.
    pub row: Vec<u32>,
    /// Words written for every vertex.
    pub stride: u32,
    /// What is written.
    pub captured: Captured,
}

/// What a capturing stage writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// Scalars and vectors as the user's code leaves them.
    pub wires: Vec<CapturedWire>,
    /// Parts of the slots that the epilog packs.
    pub chunks: Vec<CapturedChunk>,
    /// Words that are always the same: which, and their bits.
    pub constants: Vec<(u32, u32)>,
}

impl Captured {
    /// One past the last word.
    pub fn end(&self) -> u32 {
        let wires = self.wires.iter().map(|wire| wire.word + u32::from(wire.size));
        let chunks = self.chunks.iter().map(|chunk| chunk.word + u32::from(chunk.count));
        let constants = self.constants.iter().map(|(word, _)| word + 1);
        wires.chain(chunks).chain(constants).max().unwrap_or(0)
    }
}

/// Neighbouring components of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedChunk {
    /// Index of the slot in the shell's list.
    pub slot: usize,
    /// The first component.
    pub component: u8,
    /// How many.
    pub count: u8,
    /// The word of the first of them, counted from the vertex's first.
    pub word: u32,
}

impl CapturedChunk {
    /// Whether this scalar is the next one.
    pub fn goes_on_with(&self, slot: usize, component: u8, word: u32) -> bool {
        self.slot == slot
            && self.component + self.count == component
            && self.word + u32::from(self.count) == word
    }
}

/// A scalar or vector written to a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedWire {
    /// Where the user's code leaves it.
    pub place: Place,
    /// Its base type, of 32 bits; written as it is.
    pub scalar: ScalarKind,
    /// How many scalars it has.
    pub size: u8,
    /// The word of the first of them, counted from the vertex's first.
    pub word: u32,
}

/// One location. Both sides of the seam have equal types, because some adapters want that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The location number.
    pub location: u32,
    /// Base type of the vector.
    pub kind: ScalarKind,
    /// Number of its components: 4 on the program's outer interfaces, 1 (a scalar) to 4 between stages.
    pub width: u8,
    /// How it is interpolated; `None` on the program's outer interfaces.
    pub class: Option<PackingClass>,
    /// Dual-source index of a fragment output.
    pub blend_source: Option<u32>,
    /// What components hold that no wire fills: the last is one where this is set, all others are zero.
    pub is_alpha_one: bool,
}

/// A scalar or vector variable, or such a part of a variable, and the components it travels in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    /// The scalar or vector in the stage's module.
    pub place: Place,
    /// Its base type; converted to and from the slot's by bit-cast.
    pub scalar: ScalarKind,
    /// For every scalar: index of the slot in the shell's list, and component.
    pub components: Vec<(usize, u8)>,
    /// Whether it is multiplied by the position's w when it leaves the vertex stage, and by the window position's w,
    /// which is one over that, when it enters the fragment stage.
    pub is_over_w: bool,
}

/// A scalar that a stage gets as a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// The scalar.
    pub place: Place,
    /// Its base type.
    pub scalar: ScalarKind,
    /// Its bits.
    pub bits: u32,
}

/// A uniform buffer of raw words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniformWires {
    /// Where it is bound.
    pub at: BindingPoint,
    /// Its size in vectors of four words.
    pub vectors: u32,
    /// The scalars and vectors to load.
    pub wires: Vec<UniformWire>,
}

/// One scalar or vector loaded from a buffer of raw words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniformWire {
    /// Where it goes.
    pub place: Place,
    /// Its base type; a boolean is true when its word is not zero.
    pub scalar: ScalarKind,
    /// The word of each scalar, counted from the buffer's start.
    pub words: Vec<u32>,
}

/// What the prolog makes of the window coordinates, which count from the lower left and have halves at centres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FragCoordShift {
    /// y becomes this height minus y.
    pub height: Option<u32>,
    /// A half is taken from x and y.
    pub is_half_less: bool,
}

/// How the position is turned into wgpu's clip space. The y axis always changes sign, so that the first row of a
/// render target in memory is the lowest one, as in GL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionRule {
    /// z runs from 0 to w already (WGSL).
    #[default]
    ZeroToOne,
    /// z runs from −w to w (GLSL).
    MinusOneToOne,
}

/// Vertices of one workgroup.
pub const WORKGROUP_SIZE: u32 = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captured_words_end_behind_the_last() {
        let captured = |constants| Captured { constants, ..Captured::default() };
        assert_eq!(captured(Vec::new()).end(), 0);
        assert_eq!(captured(vec![(0, 7)]).end(), 1);
        assert_eq!(captured(vec![(5, 7), (2, 7)]).end(), 6);
    }
}
