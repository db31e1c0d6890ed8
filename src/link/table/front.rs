//! The contract between compute stages that emulate stages before rasterisation. Tessellation and geometry stages,
//! which WebGPU does not have, and the vertex stage before them run as compute stages before each draw. The drawn
//! vertex stage passes on the results of the last of them.
//!
//! The order is vertex, tessellation control, tessellation evaluation, geometry. Each stage has four internal buffers
//! in the group of the storage buffers, at consecutive bindings: the results of the stage before it (rows of vertices
//! for the vertex stage), the index lists, its own results, and a uniform with the parameters of the draw. The
//! results are arrays of `vec4<u32>`, because drivers compile one access to a vector faster than four to its words; the
//! lists are arrays of `u32`. Numbers of words between sets of values are multiples of four. See `vertex_compute` for the vertex stage and [`crate::compute::geometry`] for the
//! geometry stage.
//!
//! # Tessellation control
//!
//! Workgroup (x, y) runs patch x of instance y; its invocations are those of GLSL. The number of the patch is p = y ·
//! patches + x. The words of the uniform, two `vec4<u32>`:
//!
//! | word | what |
//! |---|---|
//! | 0 | index of the first word of the list of patches in the index lists, which has the ordinals of the vertices of each patch of an instance |
//! | 1 | number of patches of one instance |
//! | 2 | vertices of one instance |
//! | 3 | number of vertices of a patch, `gl_PatchVerticesIn` |
//!
//! The results of patch p begin at word p · [`stride`](crate::table::pass::Pass::stride): [`LEVEL_WORDS`] words with the four
//! outer and two inner levels, then the other `patch` outputs, and from word
//! [`first_vertex`](crate::table::pass::ControlPass::first_vertex) on the results of each vertex,
//! [`vertex_stride`](crate::table::pass::ControlPass::vertex_stride) words each.
//!
//! # Tessellation evaluation
//!
//! Invocation x (in one dimension, with workgroups of [`WORKGROUP_SIZE`](crate::table::shell::WORKGROUP_SIZE)) runs domain
//! point x of the draw and writes the entry of corner x. The number of invocations is the larger of the numbers of
//! points and corners. The words of the uniform, four `vec4<u32>`:
//!
//! | word | what |
//! |---|---|
//! | 0 | index of the first word of the list of points in the index lists, which has for each point the number p of its patch and the bits of u, v and w |
//! | 1 | number of points |
//! | 2 | number of vertices of a patch, `gl_PatchVerticesIn`: the control stage's output size, if there is one |
//! | 3 | patches of one instance |
//! | 4 | without a control stage: word 0 of the control stage's uniform |
//! | 5 | without a control stage: vertices of one instance |
//! | 6 | without a geometry stage: index of the first word of the list of corners in the index lists, which has the numbers of points, primitive by primitive |
//! | 7 | without a geometry stage: number of corners |
//! | 8 to 13 | without a control stage: bits of the four outer and two inner levels |
//!
//! Without a control stage, the evaluation stage reads the results of the vertex stage. If a geometry stage follows, it
//! writes results like the vertex stage: point x at word x · [`stride`](crate::table::pass::Pass::stride). The geometry stage
//! then treats points as vertices of one instance, and word 5 of its uniform is the index of a list with the number of
//! each primitive's patch. Otherwise the evaluation stage writes the same as a geometry stage: an entry for each
//! corner, and after the entries, with the next vector, a record of `stride` words for each point.

/// Number of words of an element of the buffers of results, entries and records: a `vec4<u32>`. Each set of values begins
/// with an element.
pub const ELEMENT_WORDS: u32 = 4;

/// An element of a buffer of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    /// A `u32`.
    Word,
    /// A `vec4<u32>`.
    Vector,
}

impl Element {
    /// Number of words.
    pub(crate) const fn words(self) -> u32 {
        match self {
            Self::Word => 1,
            Self::Vector => ELEMENT_WORDS,
        }
    }
}

/// The word at which a value of `size` words begins that follows `word`: not across elements, if one holds it.
pub(crate) const fn place_of(word: u32, size: u32) -> u32 {
    let is_across = word % ELEMENT_WORDS + size > ELEMENT_WORDS;
    if is_across { word.next_multiple_of(ELEMENT_WORDS) } else { word }
}

/// Number of words of the tessellation levels, with which the results of a control stage for a patch begin.
pub const LEVEL_WORDS: u32 = 6;

/// Tessellation levels that are known before the control stage runs.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownLevels {
    /// Levels of the outer edges.
    pub outer: [KnownLevel; 4],
    /// Levels of the inside.
    pub inner: [KnownLevel; 2],
}

/// A tessellation level that is the same for every patch of a draw.
#[derive(Clone, Debug, PartialEq)]
pub enum KnownLevel {
    /// The level is constant.
    Constant(f32),
    /// The level is a scalar of a uniform of the control stage.
    Uniform {
        /// Name of the uniform.
        name: String,
        /// Index of the scalar in the uniform's value, in leaf order.
        scalar: usize,
    },
}
