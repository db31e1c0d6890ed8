//! Compute stages: dispatches, and the vertex stages that run as such.

use std::collections::BTreeMap;

use link::binding::BindingPoint;
use naga::{Binding, BuiltIn};
use plan::ExecuteError;

use crate::code::Register;
use crate::lanes::{Lane, Lanes};
use crate::memory::{Bound, Environment};
use crate::numbers::{count, index};
use crate::stage::{Stage, registers, unknown};
use crate::world::{World, endless, lacking};

/// Maximum invocations of a workgroup: WebGPU's guaranteed number, several times.
const MAX_INVOCATIONS: u64 = 4096;

/// An input, and its first register.
type Input = (BuiltIn, std::ops::Range<Register>);

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
    let mut lanes = Lanes::new(&stage.code, width);
    let all = vec![Lane::Live; width];
    let mut environment =
        Environment { buffers: &mut world.buffers, textures: &mut world.textures, bound: &bound };
    lanes.prepare(&mut environment).map_err(endless)?;
    for z in 0..groups[2] {
        for y in 0..groups[1] {
            for x in 0..groups[0] {
                write_inputs(&mut lanes, &inputs, (size, groups), ([x, y, z], width));
                lanes.run(&mut environment, &all).map_err(endless)?;
            }
        }
    }
    Ok(())
}

fn inputs(stage: &Stage) -> Result<Vec<Input>, ExecuteError> {
    let input = |port: &crate::code::Port| match port.binding {
        Binding::BuiltIn(
            builtin @ (BuiltIn::GlobalInvocationId
            | BuiltIn::LocalInvocationId
            | BuiltIn::LocalInvocationIndex
            | BuiltIn::WorkGroupId
            | BuiltIn::WorkGroupSize
            | BuiltIn::NumWorkGroups),
        ) => Ok((builtin, registers(port)?)),
        Binding::BuiltIn(builtin) => Err(unknown(builtin, "compute")),
        Binding::Location { .. } => Err(lacking("locations in a compute stage")),
    };
    stage.code.inputs.iter().map(input).collect()
}

fn write_inputs(
    lanes: &mut Lanes<'_>,
    inputs: &[Input],
    (size, groups): ([u32; 3], [u32; 3]),
    (group, width): ([u32; 3], usize),
) {
    for (builtin, registers) in inputs {
        for (component, register) in registers.clone().enumerate().take(3) {
            let words = lanes.words_mut(register);
            for (lane, word) in words.iter_mut().enumerate().take(width) {
                let local = local_id(lane, size);
                *word = match builtin {
                    BuiltIn::LocalInvocationId => local[component],
                    BuiltIn::LocalInvocationIndex => count(lane),
                    BuiltIn::WorkGroupId => group[component],
                    BuiltIn::WorkGroupSize => size[component],
                    BuiltIn::NumWorkGroups => groups[component],
                    _ => group[component]
                        .wrapping_mul(size[component])
                        .wrapping_add(local[component]),
                };
            }
        }
    }
}

/// The position of a lane in its workgroup; x is fastest.
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
