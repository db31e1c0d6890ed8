//! Modules of SPIR-V with one declaration of each kind, to which a decoration or an execution mode is added.

use ir::stage::ShaderStage;
use spirv::word::Site;

/// The stages that have a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Module {
    Vertex,
    Fragment,
    Compute,
}

impl Module {
    pub(super) const ALL: [Self; 3] = [Self::Vertex, Self::Fragment, Self::Compute];

    pub(super) const fn stage(self) -> ShaderStage {
        match self {
            Self::Vertex => ShaderStage::Vertex,
            Self::Fragment => ShaderStage::Fragment,
            Self::Compute => ShaderStage::Compute,
        }
    }

    pub(super) const fn section(self) -> &'static str {
        match self {
            Self::Vertex => "vertex shader spirv",
            Self::Fragment => "fragment shader spirv",
            Self::Compute => "compute shader spirv",
        }
    }

    pub(super) const fn head(self) -> &'static str {
        match self {
            Self::Vertex => VERTEX_HEAD,
            Self::Fragment => FRAGMENT_HEAD,
            Self::Compute => COMPUTE_HEAD,
        }
    }

    pub(super) const fn modes(self) -> &'static [&'static str] {
        match self {
            Self::Vertex => &["OpExecutionMode %main Xfb"],
            Self::Fragment => &["OpExecutionMode %main OriginLowerLeft"],
            Self::Compute => &["OpExecutionMode %main LocalSize 1 1 1"],
        }
    }

    pub(super) const fn decorations(self) -> &'static [&'static str] {
        match self {
            Self::Vertex => VERTEX_DECORATIONS,
            Self::Fragment => FRAGMENT_DECORATIONS,
            Self::Compute => &[],
        }
    }

    pub(super) const fn body(self) -> &'static str {
        match self {
            Self::Vertex => VERTEX_BODY,
            Self::Fragment => FRAGMENT_BODY,
            Self::Compute => COMPUTE_BODY,
        }
    }

    /// What may be decorated: its kind, its name, and the place in messages.
    pub(super) const fn targets(self) -> &'static [(Site, &'static str, &'static str)] {
        match self {
            Self::Vertex => &[
                (Site::Output, "%out", "output"),
                (Site::InterfaceMember, "%outs 0", "member of an output block"),
            ],
            Self::Fragment => &[
                (Site::Input, "%in", "input"),
                (Site::Output, "%color", "output"),
                (Site::InterfaceMember, "%ins 0", "member of an input block"),
                (Site::Block, "%resource", "storage block"),
                (Site::LooseUniform, "%loose", "uniform"),
                (Site::Counter, "%counter", "atomic counter"),
                (Site::Private, "%private", "private variable"),
                (Site::Struct, "%block", "struct"),
                (Site::Member, "%block 0", "member"),
                (Site::Array, "%array", "array type"),
                (Site::Pointer, "%ppriv", "pointer type"),
                (Site::Type, "%m4", "type"),
                (Site::Constant, "%constant", "constant"),
                (Site::Function, "%helper", "function"),
                (Site::Parameter, "%parameter", "parameter"),
                (Site::Local, "%local", "local variable"),
                (Site::Value, "%value", "value"),
            ],
            Self::Compute => &[(Site::Constant, "%size", "constant")],
        }
    }
}

const VERTEX_HEAD: &str = "\
OpCapability Shader
OpCapability TransformFeedback
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %position %out %block
";

const VERTEX_DECORATIONS: &[&str] = &[
    "OpDecorate %position BuiltIn Position",
    "OpDecorate %out Location 0",
    "OpDecorate %out XfbBuffer 0",
    "OpDecorate %out XfbStride 64",
    "OpDecorate %out Offset 0",
    "OpDecorate %outs Block",
    "OpMemberDecorate %outs 0 Location 2",
    "OpMemberDecorate %outs 0 XfbBuffer 0",
    "OpMemberDecorate %outs 0 XfbStride 64",
    "OpMemberDecorate %outs 0 Offset 16",
];

const VERTEX_BODY: &str = "\
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%int = OpTypeInt 32 1
%zero = OpConstant %int 0
%two = OpConstant %int 2
%half = OpConstant %float 0.5
%all = OpConstantComposite %v4 %half %half %half %half
%outs = OpTypeStruct %float
%pv4 = OpTypePointer Output %v4
%pfloat = OpTypePointer Output %float
%pouts = OpTypePointer Output %outs
%position = OpVariable %pv4 Output
%out = OpVariable %pfloat Output
%block = OpVariable %pouts Output
%main = OpFunction %void None %fn
%label = OpLabel
OpStore %position %all
OpStore %out %half
%member = OpAccessChain %pfloat %block %zero
OpStore %member %half
OpReturn
OpFunctionEnd
";

const FRAGMENT_HEAD: &str = "\
OpCapability Shader
OpCapability AtomicStorage
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %in %entering %color %depth
";

const FRAGMENT_DECORATIONS: &[&str] = &[
    "OpDecorate %in Location 0",
    "OpDecorate %ins Block",
    "OpMemberDecorate %ins 0 Location 3",
    "OpDecorate %color Location 0",
    "OpDecorate %depth Location 2",
    "OpDecorate %block Block",
    "OpMemberDecorate %block 0 Offset 0",
    "OpMemberDecorate %block 0 ColMajor",
    "OpMemberDecorate %block 0 MatrixStride 16",
    "OpDecorate %array ArrayStride 128",
    "OpDecorate %resource Binding 0",
    "OpDecorate %resource DescriptorSet 0",
    "OpDecorate %loose Location 5",
    "OpDecorate %counter Binding 0",
    "OpDecorate %counter Offset 0",
];

const FRAGMENT_BODY: &str = "\
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%m4 = OpTypeMatrix %v4 4
%hfn = OpTypeFunction %float %float
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%zero = OpConstant %int 0
%two = OpConstant %int 2
%uzero = OpConstant %uint 0
%one = OpConstant %uint 1
%constant = OpSpecConstant %float 0.5
%array = OpTypeArray %m4 %two
%block = OpTypeStruct %array
%ins = OpTypeStruct %float
%pin = OpTypePointer Input %v4
%pins = OpTypePointer Input %ins
%pinf = OpTypePointer Input %float
%pout = OpTypePointer Output %v4
%pdepth = OpTypePointer Output %float
%pblock = OpTypePointer StorageBuffer %block
%pcolumn = OpTypePointer StorageBuffer %v4
%ploose = OpTypePointer UniformConstant %float
%pcounter = OpTypePointer AtomicCounter %uint
%ppriv = OpTypePointer Private %float
%plocal = OpTypePointer Function %float
%in = OpVariable %pin Input
%entering = OpVariable %pins Input
%color = OpVariable %pout Output
%depth = OpVariable %pdepth Output
%resource = OpVariable %pblock StorageBuffer
%loose = OpVariable %ploose UniformConstant
%counter = OpVariable %pcounter AtomicCounter
%private = OpVariable %ppriv Private
%helper = OpFunction %float None %hfn
%parameter = OpFunctionParameter %float
%first = OpLabel
OpReturnValue %parameter
OpFunctionEnd
%main = OpFunction %void None %fn
%label = OpLabel
%local = OpVariable %plocal Function
%a = OpLoad %v4 %in
%chain = OpAccessChain %pinf %entering %zero
%b = OpLoad %float %chain
%column = OpAccessChain %pcolumn %resource %zero %two %two
%c = OpLoad %v4 %column
%d = OpLoad %float %loose
%count = OpAtomicIIncrement %uint %counter %one %uzero
OpStore %private %b
OpStore %local %d
%e = OpLoad %float %private
%f = OpLoad %float %local
%value = OpFMul %float %e %f
%g = OpFunctionCall %float %helper %value
%h = OpFAdd %float %g %constant
%i = OpVectorTimesScalar %v4 %a %h
%j = OpFAdd %v4 %i %c
OpStore %color %j
OpStore %depth %h
OpReturn
OpFunctionEnd
";

const COMPUTE_HEAD: &str = "\
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
";

const COMPUTE_BODY: &str = "\
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%two = OpConstant %int 2
%uint = OpTypeInt 32 0
%uvec3 = OpTypeVector %uint 3
%utwo = OpConstant %uint 2
%size = OpConstantComposite %uvec3 %utwo %utwo %utwo
%main = OpFunction %void None %fn
%label = OpLabel
OpReturn
OpFunctionEnd
";
