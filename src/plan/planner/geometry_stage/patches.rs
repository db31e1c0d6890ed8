//! Plans the inputs of the tessellation stages of a draw, by the contract of [`link::table::front`].
//!
//! Each domain point is evaluated once. The corners of primitives are a list of points, and become entries like those
//! of a geometry stage.

use crate::error::Misfit;
use case::patch::PatchState;
use case::{RESTART_INDEX, Topology};
use ir::geometry::InputPrimitive;
use ir::tessellation::{Domain, TessellationLevels, TessellationPattern};
use link::table::pass::GeometryPass;

use crate::planner::geometry::DrawnRows;
use crate::tessellator::{Tessellated, primitive, tessellate};
use crate::topology::{self, Primitive, ProvokingVertex};

use super::Inputs;
use super::sizes::MAX_ENTRIES;

/// The patches of a draw, and their domain points.
#[derive(Debug)]
pub(super) struct Patches {
    /// Number of vertices of an input patch.
    pub(super) vertices: u32,
    /// Number of patches of one instance.
    pub(super) count: u32,
    /// Levels of patches without a control stage.
    pub(super) levels: TessellationLevels,
    /// For each point, the number of its patch and the bits of u, v and w.
    pub(super) points: Vec<u32>,
    /// Number of points.
    pub(super) point_count: u32,
    /// Indices of the points of each primitive, in the order of a list for the backend.
    pub(super) corners: Vec<u32>,
    /// For each primitive, the number of its patch within its instance.
    pub(super) numbers: Vec<u32>,
    /// Type of the primitives.
    pub(super) primitive: Primitive,
}

/// Splits the vertices of a draw into patches: each patch is a primitive. Leftover vertices belong to none.
///
/// # Errors
/// The draw is not one of patches.
pub(super) fn inputs(rows: &DrawnRows, is_patch: bool, size: u32) -> Result<Inputs, Misfit> {
    if rows.topology != Topology::Patches && !is_patch {
        let drawn = rows.topology.name();
        return Err(Misfit(format!("tessellation stages take patches, and {drawn} has none")));
    }
    let mut all = super::OrdinalsOf::default();
    let mut primitives = Vec::new();
    for run in rows.rows.split(|row| *row == RESTART_INDEX) {
        let run: Vec<u32> = run.iter().map(|row| all.of(*row)).collect();
        primitives.extend(run.chunks_exact(size.max(1) as usize).flatten());
    }
    Ok(Inputs { vertices: all.vertices, primitives })
}

/// Checks that a geometry stage takes the type of primitives that an evaluation stage makes. GL links a program where
/// it differs, and refuses to draw (GL 4.6, section 11.3.1).
///
/// # Errors
/// The geometry stage takes another type.
pub(super) fn check_primitives(
    pattern: TessellationPattern,
    geometry: &GeometryPass,
) -> Result<(), Misfit> {
    let given = match (pattern.is_point_mode, pattern.domain) {
        (true, _) => InputPrimitive::Points,
        (false, Domain::Isolines) => InputPrimitive::Lines,
        (false, Domain::Triangles | Domain::Quads) => InputPrimitive::Triangles,
    };
    if given == geometry.input {
        return Ok(());
    }
    let (taken, given) = (geometry.input.word(), given.word());
    Err(Misfit(format!(
        "the geometry stage takes `{taken}`, but the tessellation evaluation stage gives {given}"
    )))
}

impl Patches {
    /// Tessellates all patches. `known` are the levels of each patch, or one element for all. `None` if there are too
    /// many points.
    pub(super) fn new(
        pattern: TessellationPattern,
        state: &PatchState,
        known: &[TessellationLevels],
        [count, instances]: [u32; 2],
        [from, to]: [ProvokingVertex; 2],
    ) -> Option<Self> {
        let primitive = primitive(pattern);
        let mut all = Self {
            vertices: state.vertices,
            count,
            levels: state.levels,
            points: Vec::new(),
            point_count: 0,
            corners: Vec::new(),
            numbers: Vec::new(),
            primitive,
        };
        let mut last: Option<(TessellationLevels, Tessellated, Vec<u32>)> = None;
        for patch in 0..count.checked_mul(instances)? {
            let levels = known.get(patch as usize).or(known.last()).copied().unwrap_or_default();
            if last.as_ref().is_none_or(|(known, _, _)| *known != levels) {
                let own = tessellate(pattern, &levels);
                let corners = topology::in_list(primitive, &own.indices, from, to);
                last = Some((levels, own, corners));
            }
            let Some((_, own, corners)) = &last else { continue };
            let bits = own.points.iter().flat_map(|point| point.map(f32::to_bits).into_iter());
            all.points.extend(
                bits.enumerate().flat_map(|(idx, bits)| {
                    (idx % 3 == 0).then_some(patch).into_iter().chain([bits])
                }),
            );
            all.corners.extend(corners.iter().map(|corner| all.point_count + corner));
            let primitives = corners.len() / primitive.vertices() as usize;
            all.numbers.extend(std::iter::repeat_n(patch % count.max(1), primitives));
            all.point_count += u32::try_from(own.points.len()).ok()?;
            if all.points.len().max(all.corners.len()) > MAX_ENTRIES as usize {
                return None;
            }
        }
        Some(all)
    }
}
