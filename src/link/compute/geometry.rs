//! Geometry stages, which WebGPU does not have. The vertex stage and the geometry stage run as compute stages before
//! each draw, and the drawn vertex stage passes on the vertices that the geometry stage emitted.
//!
//! The vertex stage runs once for each vertex of the draw (`vertex_compute`) and writes packed slots and
//! built-in outputs. The geometry stage has four internal buffers in the group of the storage buffers, at consecutive
//! bindings:
//!
//! | binding | content | declaration in the module |
//! |---|---|---|
//! | first | the results of the vertex stage | `array<vec4<u32>>`, read |
//! | + 1 | the index lists | `array<u32>`, read |
//! | + 2 | entries and records | `array<vec4<u32>>`, written |
//! | + 3 | parameters of the draw | uniform of two `vec4<u32>` |
//!
//! Invocation (x, y) is invocation x mod `invocations` of primitive x / `invocations` of instance y. The words of the
//! uniform are:
//!
//! | word | what |
//! |---|---|
//! | 0 | index of the first word of the list of primitives, which has the numbers of each primitive's vertices, counted in the order in which the vertex stage ran |
//! | 1 | number of primitives of one instance |
//! | 2 | number of vertices of one instance |
//! | 3 | number of entries of one stream |
//! | 4 | places of the vertices of a primitive in its entries, two bits each: for the first, second and third vertex of an even primitive of a strip, then for those of an odd one |
//! | 5 | after an evaluation stage: index of the first word of the list with the number of each primitive's patch |
//!
//! The third buffer begins with the entries, stream by stream. The entries of one stream are a list of points, lines or
//! triangles, in the order of instances, primitives, invocations and emission. Each invocation has room for all entries
//! that it can emit ([`GeometryPass::room`](crate::table::pass::GeometryPass::room)); an entry is the index of the
//! first vector of the vertex's record, or [`NO_VERTEX`](crate::table::binding::NO_VERTEX). The records follow with the next vector:
//! [`GeometryPass::records`](crate::table::pass::GeometryPass::records) for each invocation.
//!
//! Stream 0 is drawn; other streams have entries and records only for transform feedback ([`crate::compute::xfb`]). A stage that
//! writes `gl_Layer` has a hidden uniform [`LAYER`]. If the uniform holds a layer, the drawn vertex stage moves the
//! primitives of other layers outside the clip volume.

pub(crate) mod built_in;
pub(crate) mod liveness;
pub(crate) mod pass_through;
pub(crate) mod record;
#[cfg(test)]
mod tests;

pub(crate) use built_in::is_built_in;
pub use pass_through::{LAYER, NO_LAYER, drawn_layer};
