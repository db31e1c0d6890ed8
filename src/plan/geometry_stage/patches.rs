//! Draws of patches: what the tessellation stages run for, by the contract of [`link::front`].
//!
//! A primitive's domain points follow one another, each evaluated for itself, so that the entries are a list of primitives
//! as a geometry stage gives them.

use case::patch::PatchState;
use case::{RESTART_INDEX, Topology};
use ir::tessellation::{TessellationLevels, TessellationPattern};
use link::front::TessellationCompute;
use link::write_uniform::Misfit;

use crate::geometry::DrawnRows;
use crate::tessellator::{Tessellated, primitive, tessellate};
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
        let corners = corners(pattern, &tessellate(pattern, &levels), conventions);
        let each = u32::try_from(corners.len()).unwrap_or(u32::MAX);
        let all = count.checked_mul(instances);
        let Some((all, point_count)) = all.and_then(|all| Some((all, all.checked_mul(each)?)))
        else {
            return Ok(None);
        };
        if point_count > MAX_ENTRIES / 4 {
            return Ok(None);
        }
        let bits = |[u, v, w]: [f32; 3]| [u.to_bits(), v.to_bits(), w.to_bits()];
        let points = (0..all).flat_map(|patch| {
            corners.iter().flat_map(move |point| {
                let [u, v, w] = bits(*point);
                [patch, u, v, w]
            })
        });
        Ok(Some(Self {
            vertices: state.vertices,
            count,
            levels,
            points: points.collect(),
            point_count,
            primitive: primitive(pattern),
        }))
    }
}

/// The points of each primitive, in the order of a list for the backend.
fn corners(
    pattern: TessellationPattern,
    patch: &Tessellated,
    (from, to): (ProvokingVertex, ProvokingVertex),
) -> Vec<[f32; 3]> {
    let list = topology::in_list(primitive(pattern), &patch.indices, from, to);
    list.into_iter().filter_map(|idx| patch.points.get(idx as usize)).copied().collect()
}
