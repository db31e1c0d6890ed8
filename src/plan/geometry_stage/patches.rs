//! Draws of patches: what the tessellation stages run for, by the contract of [`link::front`].
//!
//! Each domain point is evaluated once; the corners of primitives are a list of points, and become entries as a geometry
//! stage gives them.

use case::patch::PatchState;
use case::{RESTART_INDEX, Topology};
use ir::tessellation::TessellationLevels;
use link::front::TessellationCompute;
use link::write_uniform::Misfit;

use crate::geometry::DrawnRows;
use crate::tessellator::{primitive, tessellate};
use crate::topology::{self, Primitive, ProvokingVertex};

use super::Inputs;
use super::sizes::MAX_ENTRIES;

/// The patches of a draw, and their domain points.
#[derive(Debug)]
pub(super) struct Patches {
    /// Vertices of a patch as the draw gives it.
    pub(super) vertices: u32,
    /// Patches of one instance.
    pub(super) count: u32,
    /// Levels of patches without a control stage.
    pub(super) levels: TessellationLevels,
    /// For each point: number of its patch, and bits of u, v and w.
    pub(super) points: Vec<u32>,
    /// Number of the points.
    pub(super) point_count: u32,
    /// Numbers of the points of each primitive, in the order of a list for the backend.
    pub(super) corners: Vec<u32>,
    /// For each primitive the number of its patch among those of its instance.
    pub(super) numbers: Vec<u32>,
    /// Type of their primitives.
    pub(super) primitive: Primitive,
}

/// The vertices of patches: each patch is a primitive. Vertices that are left over are in none.
///
/// # Errors
/// The draw is not of patches.
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

impl Patches {
    /// The domain points of all patches. `None` if there are too many.
    ///
    /// # Errors
    /// Only a run tells the levels.
    pub(super) fn new(
        stages: &TessellationCompute,
        state: &PatchState,
        (count, instances): (u32, u32),
        conventions: (ProvokingVertex, ProvokingVertex),
    ) -> Result<Option<Self>, Misfit> {
        let levels = match &stages.control {
            None => state.levels,
            Some(control) => control.levels.ok_or_else(|| {
                Misfit("tessellation levels that only running the control stage tells".to_owned())
            })?,
        };
        let pattern = stages.evaluation.pattern;
        let (from, to) = conventions;
        let primitive = primitive(pattern);
        let one = tessellate(pattern, &levels);
        let corners = topology::in_list(primitive, &one.indices, from, to);
        let each = u32::try_from(one.points.len()).unwrap_or(u32::MAX);
        let most = u64::try_from(corners.len().max(one.points.len())).unwrap_or(u64::MAX);
        let all = u64::from(count) * u64::from(instances);
        let is_small =
            all.checked_mul(most.max(1)).is_some_and(|all| all <= u64::from(MAX_ENTRIES / 4));
        let Some(all) = u32::try_from(all).ok().filter(|_| is_small) else { return Ok(None) };
        let (mut points, mut list, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        for patch in 0..all {
            points.extend(
                one.points
                    .iter()
                    .flat_map(|[u, v, w]| [patch, u.to_bits(), v.to_bits(), w.to_bits()]),
            );
            list.extend(corners.iter().map(|corner| patch * each + corner));
            let primitives = corners.len() / primitive.vertices() as usize;
            numbers.extend(std::iter::repeat_n(patch % count.max(1), primitives));
        }
        Ok(Some(Self {
            vertices: state.vertices,
            count,
            levels,
            points,
            point_count: all * each,
            corners: list,
            numbers,
            primitive,
        }))
    }
}
