//! The tables of execution modes and decorations: the stages and declarations that may have each, and how each is
//! treated (SPIR-V 1.6, sections 3.6 and 3.20).
//!
//! A word without a row, or at a site that its rows do not list, is not supported. The lists of unsupported words let a
//! test distinguish a decision from a word that a newer grammar adds.

use rspirv::spirv::{Decoration as Deco, ExecutionMode as Mode};

use Site::{
    Array, Block, Constant, Counter, Function, Input, InterfaceMember, Local, LooseUniform, Member,
    Output, Parameter, Pointer, Private, Struct, Texture, Value,
};
use Treatment::{Carried, NoEffect, Unsupported};
use ir::stage::ShaderStage::{
    self, Compute, Fragment, Geometry, TessellationControl as Control,
    TessellationEvaluation as Evaluation, Vertex,
};
use ir::treatment::Treatment;

/// The kind of target that a decoration has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// A variable of the storage class `Input`.
    Input,
    /// A variable of the storage class `Output`.
    Output,
    /// A uniform or storage block.
    Block,
    /// A texture, sampler or image.
    Texture,
    /// A uniform outside any block.
    LooseUniform,
    /// An atomic counter.
    Counter,
    /// A private or workgroup variable.
    Private,
    /// A struct type.
    Struct,
    /// A member of an input or output block.
    InterfaceMember,
    /// A member of any other struct type.
    Member,
    /// An array type.
    Array,
    /// A pointer type.
    Pointer,
    /// Any other type.
    Type,
    /// A constant.
    Constant,
    /// A function.
    Function,
    /// A parameter of a function.
    Parameter,
    /// A variable in a function.
    Local,
    /// The result of an instruction in a function.
    Value,
}

/// Execution modes, the stages that may have them, and their treatment.
#[derive(Debug)]
pub struct ModeWords {
    /// The execution modes of this row.
    pub modes: &'static [Mode],
    /// Stages that may have these modes.
    pub stages: &'static [ShaderStage],
    /// How these modes are treated.
    pub treatment: Treatment,
}

/// Decorations, the sites where they are allowed, and their treatment there.
#[derive(Debug)]
pub struct DecorationWords {
    /// The decorations of this row.
    pub decorations: &'static [Deco],
    /// Sites where these decorations are allowed.
    pub sites: &'static [Site],
    /// How these decorations are treated at these sites.
    pub treatment: Treatment,
}

const fn mode(
    modes: &'static [Mode],
    stages: &'static [ShaderStage],
    treatment: Treatment,
) -> ModeWords {
    ModeWords { modes, stages, treatment }
}

const fn row(
    decorations: &'static [Deco],
    sites: &'static [Site],
    treatment: Treatment,
) -> DecorationWords {
    DecorationWords { decorations, sites, treatment }
}

const ALL_STAGES: &[ShaderStage] = &[Vertex, Control, Evaluation, Geometry, Fragment, Compute];
const ALL_SITES: &[Site] = &[
    Input,
    Output,
    Block,
    Texture,
    LooseUniform,
    Counter,
    Private,
    Struct,
    InterfaceMember,
    Member,
    Array,
    Pointer,
    Site::Type,
    Constant,
    Function,
    Parameter,
    Local,
    Value,
];
/// All sites that name memory.
const MEMORY: &[Site] = &[
    Input,
    Output,
    Block,
    Texture,
    LooseUniform,
    Counter,
    Private,
    InterfaceMember,
    Member,
    Parameter,
    Local,
    Value,
];

const LATER: Treatment =
    NoEffect("naga has no word for it: a driver may do less than it asks for, and never more");
const EXACT: Treatment =
    NoEffect("naga has no word for it: a driver may fuse operations; linker and executor do not");
const PRECISION: Treatment =
    NoEffect("an implementation may compute with more precision than it is asked for");
const VISIBLE: Treatment =
    NoEffect("only invocations that exchange plain values while they run could notice");
const ALIASES: Treatment = NoEffect("it promises which variables name the same memory");
const PROMISE: Treatment = NoEffect("it promises something about values, which nothing relies on");
const ACCESS: Treatment = NoEffect("it only forbids accesses");

/// All execution modes.
#[rustfmt::skip]
const MODES: &[ModeWords] = &[
    mode(&[Mode::OriginUpperLeft, Mode::OriginLowerLeft, Mode::PixelCenterInteger], &[Fragment],
        Carried("frag_coord")),
    mode(&[Mode::DepthReplacing], &[Fragment], NoEffect("the output FragDepth says it")),
    mode(&[Mode::EarlyFragmentTests, Mode::DepthGreater, Mode::DepthLess, Mode::DepthUnchanged], &[Fragment],
        Carried("early_depth_test")),
    mode(&[Mode::LocalSize, Mode::LocalSizeId], &[Compute], Carried("workgroup_size")),
    mode(&[Mode::Xfb], &[Vertex], Carried("xfb")),
    mode(&[Mode::SubgroupUniformControlFlowKHR, Mode::MaximallyReconvergesKHR], ALL_STAGES, LATER),
    mode(&[Mode::Invocations, Mode::InputPoints, Mode::InputLines, Mode::InputLinesAdjacency,
        Mode::InputTrianglesAdjacency, Mode::OutputPoints, Mode::OutputLineStrip, Mode::OutputTriangleStrip],
        &[Geometry], Unsupported),
    mode(&[Mode::Triangles], &[Control, Evaluation, Geometry], Unsupported),
    mode(&[Mode::OutputVertices], &[Control, Evaluation, Geometry], Unsupported),
    mode(&[Mode::SpacingEqual, Mode::SpacingFractionalEven, Mode::SpacingFractionalOdd, Mode::VertexOrderCw,
        Mode::VertexOrderCcw, Mode::PointMode, Mode::Quads, Mode::Isolines], &[Control, Evaluation], Unsupported),
    mode(&[
        Mode::LocalSizeHint, Mode::VecTypeHint, Mode::ContractionOff, Mode::Initializer, Mode::Finalizer,
        Mode::SubgroupSize, Mode::SubgroupsPerWorkgroup, Mode::SubgroupsPerWorkgroupId, Mode::LocalSizeHintId,
        Mode::NonCoherentColorAttachmentReadEXT, Mode::NonCoherentDepthAttachmentReadEXT,
        Mode::NonCoherentStencilAttachmentReadEXT, Mode::PostDepthCoverage, Mode::DenormPreserve,
        Mode::DenormFlushToZero, Mode::SignedZeroInfNanPreserve, Mode::RoundingModeRTE, Mode::RoundingModeRTZ,
        Mode::NonCoherentTileAttachmentReadQCOM, Mode::TileShadingRateQCOM, Mode::EarlyAndLateFragmentTestsAMD,
        Mode::StencilRefReplacingEXT, Mode::CoalescingAMDX, Mode::IsApiEntryAMDX, Mode::MaxNodeRecursionAMDX,
        Mode::StaticNumWorkgroupsAMDX, Mode::ShaderIndexAMDX, Mode::MaxNumWorkgroupsAMDX,
        Mode::StencilRefUnchangedFrontAMD, Mode::StencilRefGreaterFrontAMD, Mode::StencilRefLessFrontAMD,
        Mode::StencilRefUnchangedBackAMD, Mode::StencilRefGreaterBackAMD, Mode::StencilRefLessBackAMD,
        Mode::QuadDerivativesKHR, Mode::RequireFullQuadsKHR, Mode::SharesInputWithAMDX, Mode::OutputLinesEXT,
        Mode::OutputPrimitivesEXT, Mode::DerivativeGroupQuadsKHR, Mode::DerivativeGroupLinearKHR,
        Mode::OutputTrianglesEXT, Mode::PixelInterlockOrderedEXT, Mode::PixelInterlockUnorderedEXT,
        Mode::SampleInterlockOrderedEXT, Mode::SampleInterlockUnorderedEXT, Mode::ShadingRateInterlockOrderedEXT,
        Mode::ShadingRateInterlockUnorderedEXT, Mode::Shader64BitIndexingEXT, Mode::SharedLocalMemorySizeINTEL,
        Mode::RoundingModeRTPINTEL, Mode::RoundingModeRTNINTEL, Mode::FloatingPointModeALTINTEL,
        Mode::FloatingPointModeIEEEINTEL, Mode::MaxWorkgroupSizeINTEL, Mode::MaxWorkDimINTEL,
        Mode::NoGlobalOffsetINTEL, Mode::NumSIMDWorkitemsINTEL, Mode::SchedulerTargetFmaxMhzINTEL,
        Mode::FPFastMathDefault, Mode::StreamingInterfaceINTEL, Mode::RegisterMapInterfaceINTEL,
        Mode::NamedBarrierCountINTEL, Mode::MaximumRegistersINTEL, Mode::MaximumRegistersIdINTEL,
        Mode::NamedMaximumRegistersINTEL
    ], ALL_STAGES, Unsupported),
];

/// All decorations.
#[rustfmt::skip]
const DECORATIONS: &[DecorationWords] = &[
    row(&[Deco::RelaxedPrecision], ALL_SITES, PRECISION),
    row(&[Deco::SpecId], &[Constant], Carried("module")),
    row(&[Deco::Block, Deco::BufferBlock], &[Struct], Carried("uniforms, resources")),
    row(&[Deco::RowMajor, Deco::ColMajor, Deco::MatrixStride], &[Member], Carried("uniforms, resources")),
    row(&[Deco::ArrayStride], &[Array], Carried("uniforms, resources")),
    row(&[Deco::ArrayStride], &[Pointer], NoEffect("only OpPtrAccessChain uses it, which is refused")),
    row(&[Deco::GLSLShared, Deco::GLSLPacked], &[Struct], NoEffect("the members' offsets say it")),
    row(&[Deco::RowMajor, Deco::ColMajor, Deco::MatrixStride], &[InterfaceMember],
        NoEffect("inputs and outputs have no layout in memory")),
    row(&[Deco::BuiltIn], &[Input, Output, InterfaceMember], Carried("builtins")),
    row(&[Deco::BuiltIn], &[Constant], Carried("workgroup_size")),
    row(&[Deco::NoPerspective, Deco::Flat, Deco::Centroid, Deco::Sample], &[Input, Output, InterfaceMember],
        Carried("inputs, outputs")),
    row(&[Deco::Restrict, Deco::Aliased, Deco::RestrictPointer, Deco::AliasedPointer], MEMORY, ALIASES),
    row(&[Deco::Volatile, Deco::Coherent], MEMORY, VISIBLE),
    row(&[Deco::NonWritable], &[Block, Member], Carried("resources")),
    row(&[Deco::NonWritable], &[Texture, LooseUniform, Private, Parameter, Local, Value], ACCESS),
    row(&[Deco::NonReadable], MEMORY, ACCESS),
    row(&[Deco::Uniform, Deco::UniformId, Deco::NoSignedWrap, Deco::NoUnsignedWrap], ALL_SITES, PROMISE),
    row(&[Deco::Stream], &[Output, InterfaceMember], NoEffect("a stream other than 0 is refused")),
    row(&[Deco::Location], &[Input, Output, InterfaceMember, Texture, LooseUniform], Carried("inputs, outputs, uniforms")),
    row(&[Deco::Component], &[Input, Output, InterfaceMember], Carried("inputs, outputs")),
    row(&[Deco::Index], &[Output], Carried("outputs")),
    row(&[Deco::Binding], &[Block, Texture, Counter], Carried("uniforms, resources, counters")),
    row(&[Deco::Binding, Deco::DescriptorSet], &[LooseUniform], NoEffect("a uniform outside blocks has a location")),
    row(&[Deco::DescriptorSet], &[Counter], NoEffect("OpenGL has no descriptor sets, and Vulkan no counters")),
    row(&[Deco::DescriptorSet], &[Block, Texture], Carried("uniforms, resources")),
    row(&[Deco::Offset], &[Member, InterfaceMember, Output, Counter], Carried("uniforms, resources, counters, xfb")),
    row(&[Deco::XfbBuffer, Deco::XfbStride], &[Output, InterfaceMember], Carried("xfb")),
    row(&[Deco::Invariant], &[Output, InterfaceMember],
        NoEffect("naga has a word for the position's only, which is carried")),
    row(&[Deco::NoContraction], &[Value], EXACT),
    row(&[Deco::NonUniform], ALL_SITES, NoEffect("each invocation selects its own element of an array of resources")),
    row(&[Deco::CounterBuffer, Deco::UserSemantic, Deco::UserTypeGOOGLE], ALL_SITES, NoEffect("it is for tools")),
    row(&[
        Deco::CPacked, Deco::Patch, Deco::Constant, Deco::SaturatedConversion, Deco::FuncParamAttr,
        Deco::FPRoundingMode, Deco::FPFastMathMode, Deco::LinkageAttributes, Deco::InputAttachmentIndex,
        Deco::Alignment, Deco::MaxByteOffset, Deco::AlignmentId, Deco::MaxByteOffsetId,
        Deco::SaturatedToLargestFloat8NormalConversionEXT, Deco::WeightTextureQCOM, Deco::BlockMatchTextureQCOM,
        Deco::BlockMatchSamplerQCOM, Deco::ExplicitInterpAMD, Deco::NodeSharesPayloadLimitsWithAMDX,
        Deco::NodeMaxPayloadsAMDX, Deco::TrackFinishWritingAMDX, Deco::PayloadNodeNameAMDX,
        Deco::PayloadNodeBaseIndexAMDX, Deco::PayloadNodeSparseArrayAMDX, Deco::PayloadNodeArraySizeAMDX,
        Deco::PayloadDispatchIndirectAMDX, Deco::ArrayStrideIdEXT, Deco::OffsetIdEXT, Deco::OverrideCoverageNV,
        Deco::PassthroughNV, Deco::ViewportRelativeNV, Deco::SecondaryViewportRelativeNV, Deco::PerPrimitiveEXT,
        Deco::PerViewNV, Deco::PerTaskNV, Deco::PerVertexKHR, Deco::MemberOffsetNV,
        Deco::HitObjectShaderRecordBufferNV, Deco::HitObjectShaderRecordBufferEXT, Deco::BankNV,
        Deco::BindlessSamplerNV, Deco::BindlessImageNV, Deco::BoundSamplerNV, Deco::BoundImageNV, Deco::SIMTCallINTEL,
        Deco::ReferencedIndirectlyINTEL, Deco::ClobberINTEL, Deco::SideEffectsINTEL, Deco::VectorComputeVariableINTEL,
        Deco::FuncParamIOKindINTEL, Deco::VectorComputeFunctionINTEL, Deco::StackCallINTEL,
        Deco::GlobalVariableOffsetINTEL, Deco::FunctionRoundingModeINTEL, Deco::FunctionDenormModeINTEL,
        Deco::RegisterALTERA, Deco::MemoryALTERA, Deco::NumbanksALTERA, Deco::BankwidthALTERA,
        Deco::MaxPrivateCopiesALTERA, Deco::SinglepumpALTERA, Deco::DoublepumpALTERA, Deco::MaxReplicatesALTERA,
        Deco::SimpleDualPortALTERA, Deco::MergeALTERA, Deco::BankBitsALTERA, Deco::ForcePow2DepthALTERA,
        Deco::StridesizeALTERA, Deco::WordsizeALTERA, Deco::TrueDualPortALTERA, Deco::BurstCoalesceALTERA,
        Deco::CacheSizeALTERA, Deco::DontStaticallyCoalesceALTERA, Deco::PrefetchALTERA, Deco::StallEnableALTERA,
        Deco::FuseLoopsInFunctionALTERA, Deco::MathOpDSPModeALTERA, Deco::AliasScopeINTEL, Deco::NoAliasINTEL,
        Deco::InitiationIntervalALTERA, Deco::MaxConcurrencyALTERA, Deco::PipelineEnableALTERA,
        Deco::BufferLocationALTERA, Deco::IOPipeStorageALTERA, Deco::FunctionFloatingPointModeINTEL,
        Deco::SingleElementVectorINTEL, Deco::VectorComputeCallableFunctionINTEL, Deco::MediaBlockIOINTEL,
        Deco::StallFreeALTERA, Deco::FPMaxErrorDecorationINTEL, Deco::LatencyControlLabelALTERA,
        Deco::LatencyControlConstraintALTERA, Deco::ConduitKernelArgumentALTERA,
        Deco::RegisterMapKernelArgumentALTERA, Deco::MMHostInterfaceAddressWidthALTERA,
        Deco::MMHostInterfaceDataWidthALTERA, Deco::MMHostInterfaceLatencyALTERA,
        Deco::MMHostInterfaceReadWriteModeALTERA, Deco::MMHostInterfaceMaxBurstALTERA,
        Deco::MMHostInterfaceWaitRequestALTERA, Deco::StableKernelArgumentALTERA, Deco::HostAccessINTEL,
        Deco::InitModeALTERA, Deco::ImplementInRegisterMapALTERA, Deco::ConditionalINTEL, Deco::CacheControlLoadINTEL,
        Deco::CacheControlStoreINTEL
    ], ALL_SITES, Unsupported),
];

/// All rows of the table of execution modes.
pub fn mode_words() -> &'static [ModeWords] {
    MODES
}

/// All rows of the table of decorations.
pub fn decoration_words() -> &'static [DecorationWords] {
    DECORATIONS
}

/// The row of an execution mode.
pub(super) fn of_mode(mode: Mode) -> Option<&'static ModeWords> {
    MODES.iter().find(|row| row.modes.contains(&mode))
}

/// The treatment of a decoration at a site. A decoration without a row is not supported.
pub(super) fn of_decoration(decoration: Deco, site: Site) -> Treatment {
    let mut rows = DECORATIONS.iter();
    let row = rows.find(|row| row.decorations.contains(&decoration) && row.sites.contains(&site));
    row.map_or(Unsupported, |row| row.treatment)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No enumerant has a larger number.
    const LARGEST: u32 = 1 << 16;

    #[test]
    fn every_execution_mode_of_the_grammar_is_decided() {
        let modes: Vec<Mode> = (0..LARGEST).filter_map(Mode::from_u32).collect();
        for mode in &modes {
            let rows = MODES.iter().filter(|row| row.modes.contains(mode));
            assert_eq!(rows.count(), 1, "{mode:?}");
        }
        assert!(modes.len() > 80, "{}", modes.len());
    }

    #[test]
    fn every_decoration_of_the_grammar_is_decided() {
        let decorations: Vec<Deco> = (0..LARGEST).filter_map(Deco::from_u32).collect();
        for decoration in &decorations {
            let rows = DECORATIONS.iter().filter(|row| row.decorations.contains(decoration));
            let mut sites: Vec<Site> = Vec::new();
            for site in rows.flat_map(|row| row.sites) {
                assert!(!sites.contains(site), "{decoration:?} has two rows for {site:?}");
                sites.push(*site);
            }
            assert!(!sites.is_empty(), "{decoration:?}");
        }
        assert!(decorations.len() > 120, "{}", decorations.len());
    }
}
