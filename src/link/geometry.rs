//! Geometry stages, which WebGPU does not have: the vertex stage and the geometry stage run as compute stages before each
//! draw, and the vertex stage that is drawn passes on what the geometry stage emitted.
//!
//! The vertex stage runs once for each vertex of the draw (`vertex_compute`) and writes packed slots and built-in
//! outputs. The geometry stage has four buffers of its own in the group of the storage buffers, at consecutive bindings:
//!
//! | binding | what | as the module sees it |
//! |---|---|---|
//! | first | the results of the vertex stage | `array<u32>`, read |
//! | + 1 | the index lists | `array<u32>`, read |
//! | + 2 | entries and records | `array<u32>`, written |
//! | + 3 | identity of the draw | uniform of two `vec4<u32>` |
//!
//! Invocation (x, y) is number x mod `invocations` for primitive x / `invocations` of instance y. The words of the
//! uniform are:
//!
//! | word | what |
//! |---|---|
//! | 0 | index of the first word of the list of primitives: for each primitive the number of each of its vertices, counted in the order in which the vertex stage ran |
//! | 1 | primitives of one instance |
//! | 2 | vertices of one instance |
//! | 3 | entries of one stream |
//! | 4 | places of the vertices of a primitive in its entries, two bits each: those of the first, second and third vertex of an even primitive of a strip, then those of an odd one |
//! | 5 | behind an evaluation stage: index of the first word of the list with the number of each primitive's patch |
//!
//! The third buffer begins with the entries, stream after stream. Those of one stream are a list of points, lines or
//! triangles, in the order of instances, primitives, invocations, and as emitted. Each invocation has room for as many
//! as it can emit ([`GeometryCompute::room`](crate::binding::GeometryCompute::room)); an entry is the index of the first
//! word of the vertex's record, or [`NO_VERTEX`](crate::binding::NO_VERTEX). The records follow: `max_vertices` for each
//! invocation.
//!
//! Stream 0 is drawn; other streams have entries and records for transform feedback alone ([`crate::xfb`]). A stage that
//! writes `gl_Layer` has a hidden uniform [`LAYER`]: with a layer there, the drawn vertex stage moves the
//! primitives of other layers outside of the clip volume.

pub(crate) mod built_in;
pub(crate) mod liveness;
pub(crate) mod pass_through;
pub(crate) mod record;
#[cfg(test)]
mod tests;

pub(crate) use built_in::is_built_in;
pub use pass_through::{LAYER, NO_LAYER, drawn_layer};
