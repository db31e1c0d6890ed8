//! The shell around a stage's user code, as data: inputs and outputs with their locations.
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
    /// Input locations: vertex attributes or slots.
    pub inputs: Vec<Slot>,
    /// Wires from their components to the stage's variables.
    pub input_wires: Vec<Wire>,
    /// Values that the stage gets as constants.
    pub constants: Vec<Constant>,
    /// Output locations: slots or fragment outputs.
    pub outputs: Vec<Slot>,
    /// Wires from the stage's variables to their components.
    pub output_wires: Vec<Wire>,
    /// Uniform buffers of raw words that the stage reads, and the values loaded from them.
    pub uniforms: Vec<UniformWires>,
    /// Conversion of the fragment stage's window coordinates.
    pub frag_coord: FragCoordShift,
    /// Conversion of the vertex stage's clip-space position to wgpu's.
    pub position: PositionRule,
    /// The clip distances that the vertex stage gives.
    pub clip: Option<ClipDistances>,
    /// Expansion of points to quads, in a vertex stage.
    pub points: Option<PointExpansion>,
}

/// Parameters of a vertex stage that draws points as quads. Draws of anything else are unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointExpansion {
    /// A `vec4`, see [`crate::point::POINT_STATE`].
    pub state: Place,
    /// The point size, if the user's code writes it; else it is 1.
    pub size: Option<Handle<GlobalVariable>>,
    /// A `vec2` to fill with the position in the square: 0, 0 at its upper left corner.
    pub coordinate: Option<Place>,
    /// Varyings that are replaced by the position in the square.
    pub replaced: Vec<ReplacedVarying>,
    /// True if t of the replaced varyings runs up from the lower left corner, and not down from the upper left one.
    pub is_lower_left: bool,
}

/// A varying of floats that is (s, t, 0, 1) in points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedVarying {
    /// The varying in the user's code.
    pub place: Place,
    /// Its first component, of four.
    pub start: u8,
    /// Number of its components.
    pub size: u8,
}

/// Clip distances of a vertex stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClipDistances {
    /// Number of distances, 1 to 8.
    pub count: u32,
    /// A `u32` with a bit for every enabled distance; all others are 1. Without it all are enabled.
    pub enables: Option<Place>,
    /// Their source.
    pub source: ClipSource,
}

/// Source of clip distances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClipSource {
    /// The stage writes them. Distances beyond its array are 1.
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

/// Shell of a vertex stage that runs as a compute stage and writes results to a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VertexComputeShell {
    /// Binding point of the first of its four buffers, see [`crate::vertex_compute`].
    pub at: BindingPoint,
    /// The location that each vector of a row of vertices holds.
    pub row: Vec<u32>,
    /// Words written for every vertex.
    pub stride: u32,
    /// The written values.
    pub results: VertexResults,
}

/// Shell of a geometry stage, which runs as a compute stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GeometryShell {
    /// Binding point of the first of its four buffers, see [`crate::geometry`].
    pub at: BindingPoint,
    /// What it reads of each vertex.
    pub received: Received,
    /// The words of an emitted vertex's record.
    pub record: Vec<ResultWire>,
    /// Number of those words.
    pub stride: u32,
    /// Vertex streams that are recorded.
    pub streams: u32,
    /// True behind an evaluation stage: the number of a primitive is that of its patch, which a list tells.
    pub has_patches: bool,
}

/// What a compute stage reads of each vertex, or of a patch, that the stage before it wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Received {
    /// Number of vertices that the stage reads: of a primitive, or of a patch. 0 for values of a patch.
    pub vertices: u32,
    /// Words of a vertex's or patch's values.
    pub stride: u32,
    /// The word of each input slot among them.
    pub slot_words: Vec<u32>,
    /// Built-in inputs: places without the index of the vertex, and words among the values.
    pub built_ins: Vec<ResultWire>,
}

/// Shell of a tessellation control stage, which runs as a compute stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ControlShell {
    /// Binding point of the first of its four buffers, see [`crate::front`].
    pub at: BindingPoint,
    /// What it reads of each vertex.
    pub received: Received,
    /// What it writes for each vertex.
    pub results: VertexResults,
    /// Words of them.
    pub vertex_stride: u32,
    /// Shell with the slots of what it writes for a patch.
    pub patch: Shell,
    /// What it writes for a patch.
    pub patch_results: VertexResults,
    /// The first word of the first vertex in a patch.
    pub first_vertex: u32,
}

/// Shell of a tessellation evaluation stage, which runs as a compute stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EvaluationShell {
    /// Binding point of the first of its four buffers, see [`crate::front`].
    pub at: BindingPoint,
    /// What it reads of each vertex.
    pub received: Received,
    /// What it reads of a patch; `None` without a control stage.
    pub patch: Option<PatchShell>,
    /// The levels that it reads: numbers of words.
    pub levels: Vec<ResultWire>,
    /// What it writes for each domain point.
    pub given: Given,
}

/// What a control stage wrote for a patch, as the evaluation stage reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PatchShell {
    /// Shell with the slots.
    pub shell: Shell,
    /// The words of those slots.
    pub received: Received,
    /// Words of a patch with its vertices.
    pub stride: u32,
    /// The first word of the first vertex in a patch.
    pub first_vertex: u32,
}

/// What an evaluation stage writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// Results for a geometry stage, and words of a point.
    Results(VertexResults, u32),
    /// An entry and a record for the vertex stage that is drawn, and words of the record.
    Record(Vec<ResultWire>, u32),
}

/// Values that the vertex stage as a compute stage writes for each vertex.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct VertexResults {
    /// Scalars and vectors as the user's code leaves them.
    pub wires: Vec<ResultWire>,
    /// Parts of the slots that the epilog packs.
    pub chunks: Vec<ResultChunk>,
    /// Words with a constant value: index and bits.
    pub constants: Vec<(u32, u32)>,
}

impl VertexResults {
    /// One past the last word.
    pub(crate) fn end(&self) -> u32 {
        let wires = self
            .wires
            .iter()
            .map(|wire| wire.word + u32::from(wire.size) * wire.scalar.components());
        let chunks = self.chunks.iter().map(|chunk| chunk.word + u32::from(chunk.count));
        let constants = self.constants.iter().map(|(word, _)| word + 1);
        wires.chain(chunks).chain(constants).max().unwrap_or(0)
    }
}

/// Consecutive components of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResultChunk {
    /// Index of the slot in the shell's list.
    pub slot: usize,
    /// The first component.
    pub component: u8,
    /// Number of components.
    pub count: u8,
    /// The word of the first of them, relative to the vertex's first.
    pub word: u32,
}

impl ResultChunk {
    /// True if this scalar is the next one.
    pub(crate) fn goes_on_with(&self, slot: usize, component: u8, word: u32) -> bool {
        self.slot == slot
            && self.component + self.count == component
            && self.word + u32::from(self.count) == word
    }
}

/// A scalar or vector written to a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResultWire {
    /// The variable, or part of one, in the user's code.
    pub place: Place,
    /// Its base type; written as it is.
    pub scalar: ScalarKind,
    /// Number of its scalars.
    pub size: u8,
    /// The word of the first of them, relative to the vertex's first.
    pub word: u32,
}

/// One location. Both sides of an interface have equal types, because some adapters require that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The location number.
    pub location: u32,
    /// Base type of the vector.
    pub kind: ScalarKind,
    /// Number of its components: 4 on the program's outer interfaces, 1 (a scalar) to 4 between stages.
    pub width: u8,
    /// Its packing class; `None` on the program's outer interfaces.
    pub class: Option<PackingClass>,
    /// Dual-source index of a fragment output.
    pub blend_source: Option<u32>,
    /// Value of components that no wire fills: if true, the last is one; all others are zero.
    pub is_alpha_one: bool,
}

/// A scalar or vector variable, or such a part of a variable, and the components it travels in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    /// The scalar or vector in the stage's module.
    pub place: Place,
    /// Its base type; converted to and from the slot's by bit-cast.
    pub scalar: ScalarKind,
    /// For every word of every scalar: index of the slot in the shell's list, and component.
    pub components: Vec<(usize, u8)>,
    /// True if it is multiplied by the position's w in the vertex stage, and by the window position's w, which is one
    /// over that, in the fragment stage.
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
    /// Its binding point.
    pub at: BindingPoint,
    /// Its size in vectors of four words.
    pub vectors: u32,
    /// The scalars and vectors to load.
    pub wires: Vec<UniformWire>,
}

/// One scalar or vector loaded from a buffer of raw words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniformWire {
    /// The variable, or part of one, that is loaded.
    pub place: Place,
    /// Its base type; a boolean is true when its word is not zero.
    pub scalar: ScalarKind,
    /// Each word of each scalar, counted from the buffer's start.
    pub words: Vec<u32>,
}

/// Conversion of the window coordinates, which have a lower left origin and half-integer centres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FragCoordShift {
    /// y becomes this height minus y.
    pub height: Option<u32>,
    /// One half is subtracted from x and y.
    pub is_half_less: bool,
}

/// Conversion of the position to wgpu's clip space. The y axis is always negated, so that the first row of a render
/// target in memory is the lowest one, as in GL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionRule {
    /// z is between 0 and w already (WGSL and Vulkan).
    #[default]
    ZeroToOne,
    /// z is between −w and w (GLSL).
    MinusOneToOne,
}

/// Invocations of one workgroup, one per vertex.
pub const WORKGROUP_SIZE: u32 = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_end_behind_the_last_word() {
        let results = |constants| VertexResults { constants, ..VertexResults::default() };
        assert_eq!(results(Vec::new()).end(), 0);
        assert_eq!(results(vec![(0, 7)]).end(), 1);
        assert_eq!(results(vec![(5, 7), (2, 7)]).end(), 6);
    }
}
