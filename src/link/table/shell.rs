//! The shell around a stage's user code, as data: inputs and outputs with their locations.
//!
//! The *prolog* fills the stage's private globals from entry-point arguments and uniform buffers. Then the user's
//! `main` runs unchanged. Then the *epilog* collects the entry point's result from private globals. This module has
//! only the data; `wrap` lowers a [`Shell`] to naga IR.

use naga::{GlobalVariable, Handle};

use crate::pack::PackingClass;
use crate::table::binding::BindingPoint;
use crate::table::front::Element;
use ir::interface::{Place, ScalarKind};

/// Everything around the user code of one stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shell {
    /// Input locations: vertex attributes or slots.
    pub inputs: Vec<Slot>,
    /// Wires from the components of `inputs` to the stage's variables.
    pub input_wires: Vec<Wire>,
    /// Values that the stage gets as constants.
    pub constants: Vec<Constant>,
    /// Output locations: slots or fragment outputs.
    pub outputs: Vec<Slot>,
    /// Wires from the stage's variables to the components of `outputs`.
    pub output_wires: Vec<Wire>,
    /// Uniform buffers of raw words that the stage reads, and the values loaded from them.
    pub uniforms: Vec<UniformWires>,
    /// Conversion of the fragment stage's window coordinates.
    pub frag_coord: FragCoordShift,
    /// Conversion of the vertex stage's clip-space position to wgpu's.
    pub position: PositionRule,
    /// The clip distances that the vertex stage writes.
    pub clip: Option<ClipDistances>,
    /// Expansion of points to quads, in a vertex stage.
    pub points: Option<PointExpansion>,
}

/// Parameters of a vertex stage that draws points as quads. Draws of other primitives are unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointExpansion {
    /// A `vec4`, see [`crate::lower::point::POINT_STATE`].
    pub state: Place,
    /// The global with the point size, if the user's code writes it; otherwise the size is 1.
    pub size: Option<Handle<GlobalVariable>>,
    /// A `vec2` that receives the position in the square, which is 0, 0 at the upper left corner.
    pub coordinate: Option<Place>,
    /// Varyings that are replaced by the position in the square.
    pub replaced: Vec<ReplacedVarying>,
    /// True if t of the replaced varyings increases upwards from the lower left corner instead of downwards from the
    /// upper left corner.
    pub is_lower_left: bool,
}

/// The condition under which a vertex stage's point size is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointSizeRule {
    /// Always: OpenGL ES.
    Always,
    /// While `GL_PROGRAM_POINT_SIZE` is enabled: OpenGL.
    WhenEnabled,
}

/// A varying of floats that is (s, t, 0, 1) in points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedVarying {
    /// The varying in the user's code.
    pub place: Place,
    /// First of the four components that the varying contains.
    pub start: u8,
    /// Number of components of the varying.
    pub size: u8,
}

/// Clip distances of a vertex stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClipDistances {
    /// Number of distances, 1 to 8.
    pub count: u32,
    /// A `u32` with a bit for every enabled distance; disabled distances are 1. Without it all distances are enabled.
    pub enables: Option<Place>,
    /// Source of the distances.
    pub source: ClipSource,
}

/// Source of clip distances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClipSource {
    /// The stage writes the distances. Distances beyond its array are 1.
    Written {
        /// The array of floats that the stage writes.
        global: Handle<GlobalVariable>,
        /// Length of the array.
        length: u32,
    },
    /// The distances are products of planes and a point.
    Planes {
        /// The planes, an array of eight `vec4`.
        planes: Place,
        /// The point, a `vec4`; `None` for `gl_Position`.
        point: Option<Place>,
    },
}

/// The shell of a stage that runs as a compute stage.
#[derive(Debug)]
pub(crate) struct ComputeShell<'a, T> {
    /// The slots, constants and uniforms, which every kind of stage has.
    pub(crate) common: &'a Shell,
    /// The part that only this kind of stage has.
    pub(crate) own: &'a T,
}

/// Shell of a vertex stage that runs as a compute stage and writes results to a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VertexComputeShell {
    /// Binding point of the first of the stage's four buffers; see [`crate::compute::vertex_compute`].
    pub at: BindingPoint,
    /// The location that each vector of a row of vertices holds.
    pub row: Vec<u32>,
    /// Number of words written for every vertex.
    pub stride: u32,
    /// The elements of the buffer that is written.
    pub element: Element,
    /// The written values.
    pub results: VertexResults,
}

/// Shell of a geometry stage, which runs as a compute stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GeometryShell {
    /// Binding point of the first of the stage's four buffers; see [`crate::compute::geometry`].
    pub at: BindingPoint,
    /// The values that the stage reads of each vertex.
    pub received: Received,
    /// The words of an emitted vertex's record.
    pub record: Vec<ResultWire>,
    /// Number of words in a record.
    pub stride: u32,
    /// Number of vertex streams that are recorded.
    pub streams: u32,
    /// True after an evaluation stage: the number of a primitive is then the number of its patch, which is in a list.
    pub has_patches: bool,
}

/// The values of each vertex, or of a patch, that a compute stage reads from the results of the stage before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Received {
    /// Number of vertices that the stage reads, of a primitive or of a patch; 0 for values of a patch.
    pub vertices: u32,
    /// Number of words of a vertex's or patch's values.
    pub stride: u32,
    /// For each input slot, its word among the values.
    pub slot_words: Vec<u32>,
    /// Built-in inputs: places without the index of the vertex, and words among the values.
    pub built_ins: Vec<ResultWire>,
}

/// Shell of a tessellation control stage, which runs as a compute stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ControlShell {
    /// Binding point of the first of the stage's four buffers; see [`crate::table::front`].
    pub at: BindingPoint,
    /// The values that the stage reads of each vertex.
    pub received: Received,
    /// The values that the stage writes for each vertex.
    pub results: VertexResults,
    /// Number of words of a vertex's results.
    pub vertex_stride: u32,
    /// The shell with the slots of the stage's outputs for a patch.
    pub patch: Shell,
    /// The values that the stage writes for a patch.
    pub patch_results: VertexResults,
    /// Index of the first word of the first vertex in a patch's results.
    pub first_vertex: u32,
}

/// Shell of a tessellation evaluation stage, which runs as a compute stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EvaluationShell {
    /// Binding point of the first of the stage's four buffers; see [`crate::table::front`].
    pub at: BindingPoint,
    /// The values that the stage reads of each vertex.
    pub received: Received,
    /// The values that the stage reads of a patch; `None` without a control stage.
    pub patch: Option<PatchShell>,
    /// The tessellation levels that the stage reads, with the indices of their words.
    pub levels: Vec<ResultWire>,
    /// The values that the stage writes for each domain point.
    pub given: Given,
}

/// The results of a control stage for a patch, as the evaluation stage reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PatchShell {
    /// The shell with the slots of the patch's values.
    pub shell: Shell,
    /// The words of the slots.
    pub received: Received,
    /// Number of words of a patch with its vertices.
    pub stride: u32,
    /// Index of the first word of the first vertex in a patch's results.
    pub first_vertex: u32,
}

/// The results of an evaluation stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// Results for a geometry stage, and the number of words of a point.
    Results(VertexResults, u32),
    /// An entry and a record for the drawn vertex stage, and the number of words of the record.
    Record(Vec<ResultWire>, u32),
}

/// The values that a vertex stage, run as a compute stage, writes for each vertex.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct VertexResults {
    /// Scalars and vectors with the values that the user's code leaves.
    pub wires: Vec<ResultWire>,
    /// Parts of the slots that the epilog packs.
    pub chunks: Vec<ResultChunk>,
    /// Words with a constant value, as index and bits.
    pub constants: Vec<(u32, u32)>,
}

impl VertexResults {
    /// The index after the last word.
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
    /// Index of the first component.
    pub component: u8,
    /// Number of components.
    pub count: u8,
    /// Index of the word for the first component, relative to the vertex's first word.
    pub word: u32,
}

impl ResultChunk {
    /// True if a scalar in component `component` of slot `slot`, written to word `word`, continues the chunk.
    pub(crate) fn goes_on_with(&self, slot: usize, component: u8, word: u32) -> bool {
        self.slot == slot
            && self.component + self.count == component
            && self.word + u32::from(self.count) == word
    }
}

/// A scalar or vector that is written to a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResultWire {
    /// The variable, or a part of one, in the user's code.
    pub place: Place,
    /// Base type; the bits are written unchanged.
    pub scalar: ScalarKind,
    /// Number of scalars.
    pub size: u8,
    /// Index of the first word, relative to the vertex's first word.
    pub word: u32,
}

/// A location with the type of its vector. Both sides of an interface have equal types, because some adapters require
/// this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The location number.
    pub location: u32,
    /// Base type of the vector.
    pub kind: ScalarKind,
    /// Number of the vector's components: 4 on the program's outer interfaces, 1 (a scalar) to 4 between stages.
    pub width: u8,
    /// Packing class of the slot; `None` on the program's outer interfaces.
    pub class: Option<PackingClass>,
    /// Dual-source index of a fragment output.
    pub blend_source: Option<u32>,
    /// True if the last component is one when no wire fills it. All other unfilled components are zero.
    pub is_alpha_one: bool,
}

/// A scalar or vector (a variable or a part of one), and the slot components that hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    /// The scalar or vector in the stage's module.
    pub place: Place,
    /// Base type, which is converted to and from the slot's base type by a bitcast.
    pub scalar: ScalarKind,
    /// For every word of every scalar, the index of the slot in the shell's list, and the component.
    pub components: Vec<(usize, u8)>,
    /// True if the value is multiplied by the position's w in the vertex stage, and by the window position's w, which
    /// is 1 / w, in the fragment stage.
    pub is_over_w: bool,
}

/// A scalar of a stage that the prolog sets to a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// The scalar.
    pub place: Place,
    /// Base type of the scalar.
    pub scalar: ScalarKind,
    /// Bits of the constant.
    pub bits: u32,
}

/// A uniform buffer of raw words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniformWires {
    /// Binding point of the buffer.
    pub at: BindingPoint,
    /// Size of the buffer in vectors of four words.
    pub vectors: u32,
    /// The scalars and vectors to load.
    pub wires: Vec<UniformWire>,
}

/// One scalar or vector loaded from a buffer of raw words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniformWire {
    /// The variable, or the part of one, that is loaded.
    pub place: Place,
    /// Base type. A boolean is true if its word is not zero.
    pub scalar: ScalarKind,
    /// Index of each word of each scalar, counted from the buffer's start.
    pub words: Vec<u32>,
}

/// Conversion of the window coordinates, which before it have a lower left origin and half-integer pixel centres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FragCoordShift {
    /// If present, y becomes this height minus y.
    pub height: Option<u32>,
    /// True if one half is subtracted from x and y.
    pub is_half_less: bool,
}

/// Conversion of the position to wgpu's clip space. The y axis is always negated, so that the first row of a render
/// target in memory is the lowest one, as in GL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionRule {
    /// The z coordinate is already between 0 and w (WGSL and Vulkan).
    #[default]
    ZeroToOne,
    /// The z coordinate is between −w and w (GLSL).
    MinusOneToOne,
}

/// Number of invocations of a workgroup, one per vertex.
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
