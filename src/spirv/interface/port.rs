//! Mapping of SPIR-V's built-ins to naga's.

use rspirv::spirv::BuiltIn;

use ir::stage::ShaderStage;
use ir::stage_module::Direction;

/// naga's built-in, if it exists in this stage and direction. Instances count from zero, as in GL.
pub(super) fn naga_builtin(
    stage: ShaderStage,
    builtin: BuiltIn,
    direction: Direction,
) -> Option<naga::BuiltIn> {
    use naga::BuiltIn as Naga;
    let position = Naga::Position { invariant: false };
    Some(match (stage, direction, builtin) {
        (ShaderStage::Vertex, Direction::Output, BuiltIn::Position)
        | (ShaderStage::Fragment, Direction::Input, BuiltIn::FragCoord) => position,
        (ShaderStage::Vertex, Direction::Output, BuiltIn::PointSize) => Naga::PointSize,
        (ShaderStage::Vertex, Direction::Output, BuiltIn::ClipDistance)
        | (ShaderStage::Fragment, Direction::Input, BuiltIn::ClipDistance) => Naga::ClipDistances,
        (ShaderStage::Vertex, Direction::Output, BuiltIn::CullDistance) => Naga::CullDistance,
        (ShaderStage::Vertex, Direction::Input, BuiltIn::VertexId | BuiltIn::VertexIndex) => {
            Naga::VertexIndex
        }
        (ShaderStage::Vertex, Direction::Input, BuiltIn::InstanceId | BuiltIn::InstanceIndex) => {
            Naga::InstanceIndex
        }
        (ShaderStage::Vertex, Direction::Input, BuiltIn::BaseVertex) => Naga::BaseVertex,
        (ShaderStage::Vertex, Direction::Input, BuiltIn::BaseInstance) => Naga::BaseInstance,
        (ShaderStage::Vertex, Direction::Input, BuiltIn::DrawIndex) => Naga::DrawIndex,
        (ShaderStage::Fragment, Direction::Input, BuiltIn::FrontFacing) => Naga::FrontFacing,
        (ShaderStage::Fragment, Direction::Input, BuiltIn::PointCoord) => Naga::PointCoord,
        (ShaderStage::Fragment, Direction::Input, BuiltIn::PrimitiveId) => Naga::PrimitiveIndex,
        (ShaderStage::Fragment, Direction::Input, BuiltIn::SampleId) => Naga::SampleIndex,
        (ShaderStage::Fragment, _, BuiltIn::SampleMask) => Naga::SampleMask,
        (ShaderStage::Fragment, Direction::Output, BuiltIn::FragDepth) => Naga::FragDepth,
        (ShaderStage::Compute, Direction::Input, BuiltIn::GlobalInvocationId) => {
            Naga::GlobalInvocationId
        }
        (ShaderStage::Compute, Direction::Input, BuiltIn::LocalInvocationId) => {
            Naga::LocalInvocationId
        }
        (ShaderStage::Compute, Direction::Input, BuiltIn::LocalInvocationIndex) => {
            Naga::LocalInvocationIndex
        }
        (ShaderStage::Compute, Direction::Input, BuiltIn::WorkgroupId) => Naga::WorkGroupId,
        (ShaderStage::Compute, Direction::Input, BuiltIn::NumWorkgroups) => Naga::NumWorkGroups,
        _ => return None,
    })
}
