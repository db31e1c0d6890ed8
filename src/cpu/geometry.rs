//! Geometry stages, which run as compute stages before each draw.

use std::collections::BTreeMap;

use link::binding::{BindingPoint, GeometryCompute};
use plan::{ExecuteError, PlannedGeometry};

use crate::compute::dispatch;
use crate::memory::Bound;
use crate::stage::Stage;
use crate::world::World;

/// The vertex stage and the geometry stage of a program, as they run before its draws.
#[derive(Debug)]
pub(crate) struct GeometryStages {
    /// Each with the first binding of its buffers.
    stages: [(Stage, BindingPoint); 2],
    /// Invocations of the geometry stage for each primitive.
    invocations: u32,
}

impl GeometryStages {
    /// Those of a linked program.
    pub(crate) fn linked(geometry: &GeometryCompute) -> Result<Self, ExecuteError> {
        let vertex = (Stage::new(&geometry.vertex.module)?, geometry.vertex.at);
        let own = (Stage::new(&geometry.module)?, geometry.at);
        Ok(Self { stages: [vertex, own], invocations: geometry.invocations })
    }

    /// Writes the entries and records of a draw.
    pub(crate) fn run(
        &self,
        world: &mut World,
        points: &BTreeMap<BindingPoint, Bound>,
        draw: &PlannedGeometry,
    ) -> Result<(), ExecuteError> {
        let vertex = world.add(draw.vertex_words().to_vec());
        let own = world.add(draw.words().to_vec());
        let buffers = [
            [world.places.rows, world.places.indices, draw.results, vertex],
            [draw.results, world.places.indices, draw.records, own],
        ];
        let sizes = draw.workgroups(self.invocations);
        for (((stage, at), buffers), [x, y]) in self.stages.iter().zip(buffers).zip(sizes) {
            let mut points = points.clone();
            for (binding, buffer) in (at.binding..).zip(buffers) {
                points.insert(BindingPoint { binding, ..*at }, Bound::Buffer(buffer));
            }
            dispatch(world, stage, &points, [x, y, 1])?;
        }
        world.forget_added();
        Ok(())
    }
}
