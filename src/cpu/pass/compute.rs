//! Runs compute stages: dispatches, and vertex stages that run as compute stages.

use std::collections::BTreeMap;

use link::table::binding::BindingPoint;
use naga::{Binding, BuiltIn};
use plan::ExecuteError;

use crate::code::{Port, Register};
use crate::errors::{lacking, stopped};
use crate::lanes::{Lane, Lanes, subgroup};
use crate::memory::Bound;
use crate::numbers::{count, index};
use crate::stage::{Stage, registers, unknown};
use crate::world::World;

/// Maximum invocations of a workgroup: several times WebGPU's guaranteed number.
const MAX_INVOCATIONS: u64 = 4096;

/// An input, and its registers.
type Input = (Id, std::ops::Range<Register>);

/// Meaning of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Id {
    Global,
    Local,
    LocalIndex,
    Group,
    Size,
    Groups,
    Subgroup,
    SubgroupLane,
    SubgroupSize,
    Subgroups,
}

/// A workgroup of a dispatch.
struct Workgroup {
    /// Position among the workgroups.
    id: [u32; 3],
    /// Number of workgroups in each direction.
    groups: [u32; 3],
    /// Number of invocations in each direction.
    size: [u32; 3],
    /// Number of invocations.
    width: usize,
}

/// Runs a compute stage in `groups` workgroups.
pub(crate) fn dispatch(
    world: &mut World,
    stage: &Stage,
    points: &BTreeMap<BindingPoint, Bound>,
    groups: [u32; 3],
) -> Result<(), ExecuteError> {
    let bound = stage.bound(points)?;
    let size = stage.code.workgroup_size;
    let invocations = size.iter().try_fold(1_u64, |all, side| all.checked_mul(u64::from(*side)));
    let invocations = invocations.filter(|all| *all <= MAX_INVOCATIONS);
    let invocations = invocations.ok_or_else(|| lacking("room for such a workgroup"))?;
    let width = usize::try_from(invocations).unwrap_or(0);
    let inputs = inputs(stage)?;
    if width == 0 || groups.contains(&0) {
        return Ok(());
    }
    let mut lanes = bound.lanes(world, width)?;
    let all = vec![Lane::Live; width];
    let is_backwards = world.noise.is_some_and(|noise| noise.is_backwards);
    let mut environment = world.environment(&bound.objects);
    for z in 0..groups[2] {
        for y in 0..groups[1] {
            for x in 0..groups[0] {
                let group = [x, y, z];
                let last = groups.map(|count| count - 1);
                let mirrored = [0, 1, 2].map(|axis| last[axis] - group[axis]);
                let id = if is_backwards { mirrored } else { group };
                Workgroup { id, groups, size, width }.write_inputs(&mut lanes, &inputs);
                lanes.run(&mut environment, &all).map_err(stopped)?;
            }
        }
    }
    Ok(())
}

fn inputs(stage: &Stage) -> Result<Vec<Input>, ExecuteError> {
    let input = |port: &Port| {
        let Binding::BuiltIn(builtin) = port.binding else {
            return Err(lacking("locations in a compute stage"));
        };
        let known = IDS.iter().find(|(known, _)| *known == builtin);
        let (_, id) = known.ok_or_else(|| unknown(builtin, "compute"))?;
        Ok((*id, registers(port)?))
    };
    stage.code.inputs.iter().map(input).collect()
}

const IDS: [(BuiltIn, Id); 10] = [
    (BuiltIn::GlobalInvocationId, Id::Global),
    (BuiltIn::LocalInvocationId, Id::Local),
    (BuiltIn::LocalInvocationIndex, Id::LocalIndex),
    (BuiltIn::WorkGroupId, Id::Group),
    (BuiltIn::WorkGroupSize, Id::Size),
    (BuiltIn::NumWorkGroups, Id::Groups),
    (BuiltIn::SubgroupId, Id::Subgroup),
    (BuiltIn::SubgroupInvocationId, Id::SubgroupLane),
    (BuiltIn::SubgroupSize, Id::SubgroupSize),
    (BuiltIn::NumSubgroups, Id::Subgroups),
];

impl Workgroup {
    fn write_inputs(&self, lanes: &mut Lanes<'_>, inputs: &[Input]) {
        for (id, registers) in inputs {
            for (component, register) in registers.clone().enumerate().take(3) {
                let words = lanes.words_mut(register);
                for (lane, word) in words.iter_mut().enumerate().take(self.width) {
                    *word = self.word(*id, component, lane);
                }
            }
        }
    }

    /// A component of an input in a lane.
    fn word(&self, id: Id, component: usize, lane: usize) -> u32 {
        let [group, groups, size] =
            [self.id, self.groups, self.size].map(|vector| vector[component]);
        let local = local_id(lane, self.size)[component];
        match id {
            Id::Global => group.wrapping_mul(size).wrapping_add(local),
            Id::Local => local,
            Id::LocalIndex => count(lane),
            Id::Group => group,
            Id::Size => size,
            Id::Groups => groups,
            Id::Subgroup => count(lane / subgroup::SIZE),
            Id::SubgroupLane => count(lane % subgroup::SIZE),
            Id::SubgroupSize => count(subgroup::SIZE),
            Id::Subgroups => count(self.width.div_ceil(subgroup::SIZE)),
        }
    }
}

/// The position of a lane in its workgroup; x changes fastest.
fn local_id(lane: usize, [width, height, _]: [u32; 3]) -> [u32; 3] {
    let [width, height] = [width, height].map(|side| index(side).max(1));
    [lane % width, lane / width % height, lane / width / height].map(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_invocations_with_x_fastest() {
        assert_eq!(local_id(0, [4, 3, 2]), [0, 0, 0]);
        assert_eq!(local_id(5, [4, 3, 2]), [1, 1, 0]);
        assert_eq!(local_id(23, [4, 3, 2]), [3, 2, 1]);
    }
}
