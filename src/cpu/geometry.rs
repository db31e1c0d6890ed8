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

#[cfg(test)]
mod tests {
    use case::{Case, Region};
    use fixture::geometry::{
        CAPTURED_COUNTS, CAPTURED_WORDS, CULLED, PIXELS, SQUARES, captured_case, capturing,
        culling, program,
    };
    use ir::readback::{Extent, Snapshot};
    use ir::scalar::Number;
    use link::program::LinkedProgram;

    use crate::execute;

    /// What the expectations of a case look at.
    fn snapshots(case: &Case, program: &LinkedProgram) -> Vec<Snapshot> {
        let readback = execute(case, program, Extent::Whole).expect("it runs");
        readback.snapshots.into_iter().flatten().collect()
    }

    #[track_caller]
    fn check_pixels(program: &LinkedProgram, expected: &[[u8; 4]; 4]) {
        let look = fixture::probe(0, Region::All, &[Number::Integer(0); 4]);
        let found = snapshots(&fixture::geometry::case(&SQUARES, vec![look]), program);
        let [Snapshot::Image(image)] = &found[..] else { panic!("{found:?}") };
        let reds: Vec<u8> = image.bytes.iter().step_by(4).copied().collect();
        assert_eq!(reds, expected.as_flattened());
    }

    #[test]
    fn what_a_geometry_stage_emits_is_drawn() {
        check_pixels(&program(), &PIXELS);
    }

    #[test]
    fn what_a_geometry_stage_emits_is_culled() {
        check_pixels(&culling(), &CULLED);
    }

    #[test]
    fn what_a_geometry_stage_emits_is_captured_and_counted() {
        let found = snapshots(&captured_case(), &capturing());
        let bytes: Vec<u8> = CAPTURED_WORDS.iter().flat_map(|word| word.to_le_bytes()).collect();
        let [generated, written] = CAPTURED_COUNTS.map(Snapshot::Count);
        assert_eq!(found, [Snapshot::Buffer(bytes.into()), generated, written]);
    }
}
