//! A compiled but unlinked stage.
//!
//! For every source language, a [`StageModule`] holds a `naga::Module` without entry points, in which
//! [`StageModule::main`] is an ordinary function without arguments and result. Inputs, outputs, built-ins and uniforms
//! are private globals, listed in the tables beside the module. Only storage buffers, images and samplers are real
//! resources. The linker wraps `main` in an entry point that stores the private globals before the call and loads them
//! after it.

use std::collections::BTreeMap;

use naga::{BuiltIn, EarlyDepthTest, Function, GlobalVariable, Handle, Module};

use crate::diagnostic::Unsupported;
use crate::interface::declared_block::DeclaredBlock;
use crate::interface::declared_uniform::DeclaredUniform;
use crate::interface::{Place, Type, Variable};
use crate::layout::BlockLayout;
use crate::layout::standard::{MatrixOrder, Standard};
use crate::source::Span;
use crate::stage::geometry::GeometryStage;
use crate::stage::tessellation::{ControlStage, EvaluationStage, Tessellation};
use crate::stage::{PerStage, ShaderStage};

/// Hidden uniform with the number of triangles per primitive of the draw. No shader can declare this name.
pub const TRIANGLES_PER_PRIMITIVE: &str = "triangles per primitive";

/// A compiled stage before linking.
#[derive(Clone, Debug)]
pub struct StageModule {
    /// Shader stage.
    pub stage: ShaderStage,
    /// Language conventions that linking depends on.
    pub rules: LanguageRules,
    /// Where the stage begins in the case; `None` for a stage without a section.
    pub place: Option<Span>,
    /// The code, without entry points. It must validate apart from that.
    pub module: Module,
    /// The user's main function: no arguments, no result.
    pub main: Handle<Function>,
    /// Vertex attributes (vertex stage) or varyings read (later stages), in declaration order.
    pub inputs: Vec<Variable>,
    /// Varyings written (earlier stages) or fragment outputs (fragment stage), in declaration order.
    pub outputs: Vec<Variable>,
    /// Built-in values read or written, each through a private global of naga's type for that built-in.
    pub builtins: Vec<BuiltinVariable>,
    /// Declared lengths of built-in arrays, by name. They apply even if nothing uses the arrays.
    pub builtin_lengths: BTreeMap<String, u32>,
    /// Built-in variables that are declared invariant, with their positions.
    pub invariant_builtins: Vec<(String, Span)>,
    /// The first member of `gl_PerVertex` that a shader object uses without redeclaring the block. Vertex stages only.
    pub unredeclared_member: Option<(String, Span)>,
    /// Redeclarations of `gl_PerVertex`.
    pub per_vertex: PerVertexBlocks,
    /// Globals of outputs that the wrapper may overwrite after the user's code, so that the linker cannot evaluate
    /// them from the code.
    pub overwritten: Vec<Handle<GlobalVariable>>,
    /// Uniforms that the wrapper copies from raw words into private globals.
    pub uniforms: Vec<UniformVariable>,
    /// Layout qualifiers of `gl_FragCoord` in a fragment stage.
    pub frag_coord: FragCoordRule,
    /// Early depth and stencil tests of a fragment stage, or the promise about its depth that allows them.
    pub early_depth_test: Option<EarlyDepthTest>,
    /// True if the position that the stage writes is invariant. The table of built-ins lists the position without that
    /// property. An invariant window position of a fragment stage has no effect in any API, so no module has one.
    pub has_invariant_position: bool,
    /// Declarations of the uniform and storage blocks of a GLSL stage.
    pub declared_blocks: Vec<DeclaredBlock>,
    /// Declarations of the uniforms outside blocks in all objects of a GLSL stage.
    pub declared_uniforms: Vec<DeclaredUniform>,
    /// Resources, which the module declares as resources.
    pub resources: Vec<ResourceVariable>,
    /// Atomic counters. Stages must declare them identically.
    pub counters: Vec<CounterVariable>,
    /// Workgroup size of a compute stage; otherwise `[1, 1, 1]`.
    pub workgroup_size: [u32; 3],
    /// Declarations for transform feedback in a vertex or geometry stage.
    pub xfb: XfbDeclarations,
    /// Properties that only a geometry stage has.
    pub geometry: Option<GeometryStage>,
    /// Properties that only a tessellation stage has.
    pub tessellation: Option<Tessellation>,
}

impl StageModule {
    /// A stage with this code and without an interface.
    pub fn new(
        stage: ShaderStage,
        rules: LanguageRules,
        module: Module,
        main: Handle<Function>,
    ) -> Self {
        Self {
            stage,
            rules,
            place: None,
            module,
            main,
            inputs: Vec::new(),
            outputs: Vec::new(),
            builtins: Vec::new(),
            builtin_lengths: BTreeMap::new(),
            invariant_builtins: Vec::new(),
            unredeclared_member: None,
            per_vertex: PerVertexBlocks::default(),
            overwritten: Vec::new(),
            uniforms: Vec::new(),
            frag_coord: FragCoordRule::default(),
            early_depth_test: None,
            has_invariant_position: false,
            declared_blocks: Vec::new(),
            declared_uniforms: Vec::new(),
            resources: Vec::new(),
            counters: Vec::new(),
            workgroup_size: [1; 3],
            xfb: XfbDeclarations::default(),
            geometry: None,
            tessellation: None,
        }
    }
}

impl StageModule {
    /// Properties of a control stage.
    pub const fn control(&self) -> Option<&ControlStage> {
        match &self.tessellation {
            Some(Tessellation::Control(own)) => Some(own),
            Some(Tessellation::Evaluation(_)) | None => None,
        }
    }

    /// Properties of an evaluation stage.
    pub const fn evaluation(&self) -> Option<&EvaluationStage> {
        match &self.tessellation {
            Some(Tessellation::Evaluation(own)) => Some(own),
            Some(Tessellation::Control(_)) | None => None,
        }
    }
}

impl StageModule {
    /// Number of vertices of each primitive that the stage takes; `None` if it takes vertices or patches.
    pub fn taken_vertices(&self) -> Option<u32> {
        self.geometry.as_ref().map(|own| own.input.vertices())
    }

    /// Number of vertices of each primitive that the stage makes; `None` if it makes none.
    pub fn primitive_vertices(&self) -> Option<u32> {
        let own = self.geometry.as_ref().map(|own| own.output.vertices());
        own.or_else(|| Some(self.evaluation()?.pattern.vertices()))
    }
}

/// Redeclarations of `gl_PerVertex`, which must be the same on both sides of an interface (GLSL 4.60 section 7.1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PerVertexBlocks {
    /// The output block of a vertex or geometry stage.
    pub output: Option<RedeclaredBlock>,
    /// The input block of a geometry stage, `gl_in`.
    pub input: Option<RedeclaredBlock>,
    /// The first use of `gl_in` by a shader object that does not redeclare it.
    pub unredeclared_input: Option<Span>,
    /// The first member of the output block that a shader object uses without redeclaring it.
    pub unredeclared_output: Option<(String, Span)>,
}

/// A redeclared built-in block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedeclaredBlock {
    /// The members in order, with the sizes of arrays: `gl_ClipDistance[2]`, or `gl_ClipDistance[]` without a size.
    pub members: Vec<String>,
    /// True if some code names a member. A control stage always uses its output block.
    pub is_used: bool,
    /// Position of the declaration.
    pub span: Span,
}

impl RedeclaredBlock {
    /// Names of the members, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().filter_map(|member| member.split('[').next())
    }
}

/// Transform feedback declarations: `xfb_buffer`, `xfb_offset` and `xfb_stride`, or SPIR-V's `XfbBuffer`, `Offset` and
/// `XfbStride`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct XfbDeclarations {
    /// Outputs with an offset. Each member of a block is a separate output.
    pub outputs: Vec<XfbOutput>,
    /// Strides of buffers, one for each declaration.
    pub strides: Vec<XfbStride>,
    /// True if any transform feedback qualifier is present, even one that captures nothing.
    pub has_words: bool,
}

impl XfbDeclarations {
    /// True if the stage itself declares its transform feedback, so that a list of names has no effect.
    pub const fn is_declared(&self) -> bool {
        self.has_words || !self.outputs.is_empty() || !self.strides.is_empty()
    }
}

/// An output with `xfb_offset`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XfbOutput {
    /// The output's name in [`StageModule::outputs`], or that of a built-in variable (`gl_Position`).
    pub name: String,
    /// Number of the buffer.
    pub buffer: u32,
    /// Byte offset in the vertex.
    pub offset: u32,
    /// Position of the declaration.
    pub span: Span,
}

/// `xfb_stride` of a transform feedback buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XfbStride {
    /// Number of the buffer.
    pub buffer: u32,
    /// Stride in bytes.
    pub stride: u32,
    /// Position of the qualifier.
    pub span: Span,
}

/// Layout qualifiers of `gl_FragCoord`: `layout(…) in vec4 gl_FragCoord;`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FragCoordRule {
    /// `origin_upper_left`: y runs down from the upper edge.
    pub is_origin_upper_left: bool,
    /// `pixel_center_integer`: pixel centres have integer coordinates, not half-integers.
    pub is_pixel_center_integer: bool,
}

/// Source language of a stage, with its conventions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LanguageRules {
    /// GLSL: clip-space z from −w to w.
    Glsl {
        /// Version times 100, such as 450.
        version: u16,
        /// True for GLSL ES.
        is_es: bool,
    },
    /// WGSL: clip-space z from 0 to w.
    Wgsl,
    /// SPIR-V for OpenGL: clip-space z from −w to w, and no names.
    Spirv,
    /// A fixed-function stage of GL, which uses built-in variables only; clip space as in GLSL.
    FixedFunction,
    /// GLSL or SPIR-V for Vulkan: clip-space z from 0 to w, and no names.
    Vulkan,
}

impl LanguageRules {
    /// True if names identify uniforms, blocks and varyings. In other languages bindings and locations do, and names
    /// are debug information.
    pub const fn has_names(self) -> bool {
        match self {
            Self::Glsl { .. } | Self::Wgsl | Self::FixedFunction => true,
            Self::Spirv | Self::Vulkan => false,
        }
    }

    /// True if GL's conventions for draws apply: clip-space z from −w to w, instance numbers that start at 0 in every
    /// draw, clip distances that must be enabled, and sample masks only for several samples. WebGPU and Vulkan have the
    /// opposite of each.
    pub const fn has_gl_conventions(self) -> bool {
        match self {
            Self::Glsl { .. } | Self::Spirv | Self::FixedFunction => true,
            Self::Wgsl | Self::Vulkan => false,
        }
    }
}

/// Name of a version of GLSL: `GLSL ES 3.10`.
pub fn version_name(version: u16, is_es: bool) -> String {
    let language = if is_es { "GLSL ES" } else { "GLSL" };
    format!("{language} {}.{:02}", version / 100, version % 100)
}

/// A built-in value that the stage uses.
#[derive(Clone, Debug)]
pub struct BuiltinVariable {
    /// The built-in, by naga's name.
    pub builtin: BuiltIn,
    /// The private global that holds the value. Its type is that of the built-in (`vec4<f32>` for the position, `u32`
    /// for the vertex index).
    pub global: Handle<GlobalVariable>,
    /// Input or output.
    pub direction: Direction,
    /// True if the code writes the built-in; an output may also be only declared, or read.
    pub is_written: bool,
}

/// Direction of a built-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Input of the stage: stored by the prolog.
    Input,
    /// Output of the stage: loaded by the epilog.
    Output,
}

/// A uniform kept in a private global that the prolog loads from a uniform buffer of raw words.
#[derive(Clone, Debug)]
pub struct UniformVariable {
    /// Name of the uniform or block. In a SPIR-V stage `location 3` or `binding 5`, as names have no meaning there.
    pub name: String,
    /// Debug name in a SPIR-V module (`OpName`), which a case may use instead; otherwise empty.
    pub alias: String,
    /// Type of the uniform (a struct for a block).
    pub ty: Type,
    /// Place of the value. In the global, booleans are `bool`, and every type is naga's plain one.
    pub place: Place,
    /// Loose uniform, subroutine uniform or block.
    pub kind: UniformKind,
    /// Initial value: the scalars' bits in leaf order. `None` means zero.
    pub initial: Option<Vec<u64>>,
    /// Explicit layout of a block, if the module has one. Otherwise std140 applies.
    pub layout: Option<BlockLayout>,
    /// `layout` qualifiers of each member of a block. The linker lays out the values itself, but the qualifiers of all
    /// stages must agree.
    pub members: Vec<MemberLayout>,
    /// True if the stage's code uses the uniform.
    pub is_used: bool,
    /// Position of the declaration.
    pub span: Option<Span>,
}

impl UniformVariable {
    /// A loose uniform with initial value zero that is neither declared nor used.
    pub const fn loose(name: String, ty: Type, place: Place) -> Self {
        Self {
            name,
            alias: String::new(),
            ty,
            place,
            kind: UniformKind::Loose { location: None },
            initial: None,
            layout: None,
            members: Vec::new(),
            is_used: false,
            span: None,
        }
    }
}

/// `layout` qualifiers of a uniform block's member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemberLayout {
    /// True if the member's matrices are `row_major`.
    pub is_row_major: bool,
    /// `offset = …`
    pub offset: Option<u32>,
    /// `align = …`
    pub align: Option<u32>,
    /// The block's layout standard.
    pub standard: Standard,
}

impl MemberLayout {
    /// Matrix order of the member.
    pub const fn order(&self) -> MatrixOrder {
        if self.is_row_major { MatrixOrder::RowMajor } else { MatrixOrder::ColumnMajor }
    }
}

/// Kind of a uniform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UniformKind {
    /// A uniform outside any block. All of them share one buffer per program.
    Loose {
        /// `layout(location = …)`.
        location: Option<u32>,
    },
    /// A subroutine uniform: its value is an index into the functions of its subroutine type. Its name includes the
    /// stage: see [`subroutine_name`](crate::stage::uniform::subroutine_name).
    Subroutine {
        /// Names of the functions.
        functions: Vec<String>,
    },
    /// A std140 uniform block with its own buffer.
    Block {
        /// `layout(binding = …)`.
        binding: Option<u32>,
        /// True if the block has an instance name (`uniform B { … } b;`), through which its members are accessed.
        has_instance_name: bool,
    },
}

/// A resource of the stage's module.
#[derive(Clone, Debug)]
pub struct ResourceVariable {
    /// Name; for a storage buffer the block's name, in a SPIR-V stage `binding 5`.
    pub name: String,
    /// Debug name in a SPIR-V module (`OpName`), which a case may use instead; otherwise empty.
    pub alias: String,
    /// The global. The linker assigns its group and binding.
    pub global: Handle<GlobalVariable>,
    /// Kind of resource.
    pub kind: ResourceKind,
    /// Declared binding, by which a case addresses the resource (`ssbo 2 …`); for a texture or image, its first unit.
    pub binding: Option<u32>,
    /// `layout(location = …)` of a texture or image.
    pub location: Option<u32>,
    /// Layout of a storage buffer, if it differs from that of naga's type.
    pub layout: Option<BlockLayout>,
    /// Declared type and layout of a storage buffer, if they differ from the module's. In the module booleans are
    /// integers, and matrices may be arrays of columns or structs of rows. A runtime-sized array has one element.
    pub described: Option<(Type, BlockLayout)>,
    /// Index in an array of blocks, flattened over all dimensions. Storage buffers only.
    pub element: u32,
    /// Position of the declaration.
    pub span: Option<Span>,
}

/// An atomic counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterVariable {
    /// Name, with the index for an array element.
    pub name: String,
    /// Binding point.
    pub binding: u32,
    /// Byte offset in the buffer at the binding point.
    pub offset: u32,
    /// Position of the declaration.
    pub span: Option<Span>,
}

/// Kind of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResourceKind {
    /// A storage buffer with a layout that naga can express.
    StorageBuffer {
        /// True if the stage may write it.
        is_writable: bool,
    },
    /// A uniform buffer with a layout that naga can express (WGSL `var<uniform>`).
    UniformBuffer,
    /// The immediates (WGSL `var<immediate>`), which have no binding and which all stages share.
    Immediates,
    /// A buffer of atomic counters.
    AtomicCounters,
    /// A sampled texture.
    Texture,
    /// The sampler for the texture of the same name.
    Sampler,
    /// A storage texture.
    Image,
}

/// The compiled stages of a program, in the order of the pipeline: a compute stage, or a vertex stage and the stages that
/// follow it. A control stage has an evaluation stage behind it.
#[derive(Clone, Debug)]
pub struct Stages(Vec<StageModule>);

impl Stages {
    /// Makes a program of these stages, in any order.
    ///
    /// # Errors
    /// The stages do not form a pipeline.
    pub fn new(stages: impl IntoIterator<Item = StageModule>) -> Result<Self, Unsupported> {
        let mut all: Vec<StageModule> = stages.into_iter().collect();
        all.sort_by_key(|own| own.stage);
        let has = |stage| all.iter().any(|own| own.stage == stage);
        let lonely = all.iter().find_map(|own| {
            let (stage, behind) = (own.stage, own.stage.properties().followed_by?);
            let word =
                format!("a program with a {} stage and no {} stage", stage.word(), behind.word());
            (!has(behind)).then_some(word)
        });
        let word = if has(ShaderStage::Compute) && all.len() > 1 {
            "a program with a compute stage and others".to_owned()
        } else if !has(ShaderStage::Compute) && !has(ShaderStage::Vertex) {
            "a program without a vertex stage".to_owned()
        } else if let Some(word) = lonely {
            word
        } else if all.windows(2).any(|pair| pair[0].stage == pair[1].stage) {
            "a program with two stages of one kind".to_owned()
        } else {
            return Ok(Self(all));
        };
        Err(Unsupported(word))
    }

    /// All stages, in the order of the pipeline.
    pub fn all(&self) -> &[StageModule] {
        &self.0
    }

    /// The module of each stage.
    pub fn each(&self) -> PerStage<Option<&StageModule>> {
        self.0.iter().map(|own| (own.stage, Some(own))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::ShaderStage::{
        Compute, Fragment, Geometry, TessellationControl, TessellationEvaluation, Vertex,
    };
    use super::*;

    #[track_caller]
    fn check(stages: &[ShaderStage], expected: &str) {
        let mut module = Module::default();
        let main = module.functions.append(Function::default(), naga::Span::default());
        let own = |stage: &ShaderStage| {
            StageModule::new(*stage, LanguageRules::Wgsl, module.clone(), main)
        };
        let found = match Stages::new(stages.iter().map(own)) {
            Ok(stages) => {
                let words: Vec<&str> = stages.all().iter().map(|own| own.stage.word()).collect();
                words.join(" ")
            }
            Err(Unsupported(word)) => word,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn only_pipelines_are_programs() {
        check(&[Vertex], "vertex");
        check(&[Compute], "compute");
        let all = [Fragment, Geometry, TessellationEvaluation, TessellationControl, Vertex];
        check(&all, "vertex control evaluation geometry fragment");
        check(&[Vertex, TessellationEvaluation], "vertex evaluation");
        let lonely = "a program with a control stage and no evaluation stage";
        check(&[Vertex, TessellationControl, Fragment], lonely);
        check(&[], "a program without a vertex stage");
        check(&[Fragment], "a program without a vertex stage");
        check(&[Compute, Vertex], "a program with a compute stage and others");
        check(&[Vertex, Fragment, Fragment], "a program with two stages of one kind");
    }
}
