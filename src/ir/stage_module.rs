//! One compiled but unlinked stage.
//!
//! Whatever the language was, a [`StageModule`] holds a `naga::Module` without entry points in which
//! [`StageModule::main`] is an ordinary function without arguments and result. Everything that enters or leaves the
//! stage does so through private globals, which the tables beside the module name: user inputs and outputs,
//! built-ins, uniforms. Only storage buffers, images and samplers are real resources of the module already.
//! The linker's shell fills the private globals before it calls `main` and empties them after.

use std::collections::BTreeMap;

use naga::{BuiltIn, Function, GlobalVariable, Handle, Module};

use crate::declared_block::DeclaredBlock;
use crate::interface::{Place, Type, Variable};
use crate::layout::BlockLayout;
use crate::layout::standard::{MatrixOrder, Standard};
use crate::source::Span;
use crate::stage::ShaderStage;

/// Hidden uniform with the number of triangles that make a primitive of the draw. No shader can declare this name.
pub const TRIANGLES_PER_PRIMITIVE: &str = "triangles per primitive";

/// A compiled stage before linking.
#[derive(Clone, Debug)]
pub struct StageModule {
    /// Which stage it is.
    pub stage: ShaderStage,
    /// The language rules that linking follows.
    pub rules: LanguageRules,
    /// The code; no entry points. Everything in it validates but for the missing entry point.
    pub module: Module,
    /// The user's main function: no arguments, no result.
    pub main: Handle<Function>,
    /// Vertex attributes (vertex stage) or varyings read (fragment stage), in declaration order.
    pub inputs: Vec<Variable>,
    /// Varyings written (vertex stage) or fragment outputs (fragment stage), in declaration order.
    pub outputs: Vec<Variable>,
    /// Built-in values read or written, each through a private global of naga's type for that built-in.
    pub builtins: Vec<BuiltinVariable>,
    /// Elements of built-in arrays, by name, where a declaration says so and not only indices. They have them even if
    /// nothing uses them.
    pub builtin_lengths: BTreeMap<String, u32>,
    /// Built-in variables that the stage declares invariant, and where.
    pub invariant_builtins: Vec<(String, Span)>,
    /// Of a vertex stage: the first member of `gl_PerVertex` that a shader object uses without redeclaring the block.
    pub unredeclared_member: Option<(String, Span)>,
    /// Globals of outputs that the shell may overwrite behind the user's code, so that what the code writes there says
    /// nothing about what arrives.
    pub overwritten: Vec<Handle<GlobalVariable>>,
    /// Uniforms that the shell copies from raw words into private globals.
    pub uniforms: Vec<UniformVariable>,
    /// How the fragment stage wants its `gl_FragCoord`.
    pub frag_coord: FragCoordRule,
    /// Of a GLSL stage: what it declares of its uniform and storage blocks.
    pub declared_blocks: Vec<DeclaredBlock>,
    /// Resources that stay resources.
    pub resources: Vec<ResourceVariable>,
    /// Atomic counters, which stages must declare alike.
    pub counters: Vec<CounterVariable>,
    /// Local size of a compute stage; `[1, 1, 1]` otherwise.
    pub workgroup_size: [u32; 3],
    /// What the vertex stage says about transform feedback.
    pub feedback: FeedbackDeclarations,
}

/// `xfb_buffer`, `xfb_offset` and `xfb_stride`, or SPIR-V's `XfbBuffer`, `Offset` and `XfbStride`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeedbackDeclarations {
    /// Outputs with an offset. Members of blocks each have their own.
    pub outputs: Vec<FeedbackOutput>,
    /// Strides of buffers, as often as they are given.
    pub strides: Vec<FeedbackStride>,
    /// Whether there is any such word, even one that captures nothing.
    pub has_words: bool,
}

impl FeedbackDeclarations {
    /// Whether the stage itself says what is captured, so that no list of names counts.
    pub const fn is_declared(&self) -> bool {
        self.has_words || !self.outputs.is_empty() || !self.strides.is_empty()
    }
}

/// An output with `xfb_offset`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedbackOutput {
    /// Its name in [`StageModule::outputs`], or that of a built-in variable (`gl_Position`).
    pub name: String,
    /// Number of the buffer.
    pub buffer: u32,
    /// Bytes from the vertex's first.
    pub offset: u32,
    /// Its declaration.
    pub span: Span,
}

/// `xfb_stride` of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedbackStride {
    /// Number of the buffer.
    pub buffer: u32,
    /// Bytes.
    pub stride: u32,
    /// Where it is given.
    pub span: Span,
}

/// How `gl_FragCoord` is counted: `layout(…) in vec4 gl_FragCoord;`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FragCoordRule {
    /// y runs down from the upper edge, and not up from the lower one.
    pub is_origin_upper_left: bool,
    /// A pixel's centre has whole coordinates, and not halves.
    pub is_pixel_center_integer: bool,
}

/// Which language's conventions a stage was written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LanguageRules {
    /// GLSL: clip-space z from −w to w.
    Glsl {
        /// Version times 100, such as 450.
        version: u16,
        /// Whether it is an ES version.
        is_es: bool,
    },
    /// WGSL: clip-space z from 0 to w.
    Wgsl,
    /// SPIR-V for OpenGL: clip-space z from −w to w, no names.
    Spirv,
    /// A stage that GL has of its own, which takes and gives only built-in variables; clip space as in GLSL.
    FixedFunction,
}

/// A built-in value that the stage uses.
#[derive(Clone, Debug)]
pub struct BuiltinVariable {
    /// Which one, as naga names it.
    pub builtin: BuiltIn,
    /// The private global it is kept in. Its type is the built-in's own (`vec4<f32>` for the position,
    /// `u32` for the vertex index, `i32` where `is_signed`).
    pub global: Handle<GlobalVariable>,
    /// Whether the stage gets or gives it.
    pub direction: Direction,
    /// Whether the code writes it; an output may also only be declared, or read.
    pub is_written: bool,
}

/// Which way a built-in flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into the stage: stored by the prolog.
    Input,
    /// Out of the stage: read by the epilog.
    Output,
}

/// A uniform kept in a private global that the prolog loads from a uniform buffer of raw words.
#[derive(Clone, Debug)]
pub struct UniformVariable {
    /// The uniform's name; of a block, the block's name. Of a SPIR-V stage `location 3` or `binding 5`, because names
    /// mean nothing there.
    pub name: String,
    /// What a case may call it instead: the name that a SPIR-V module gives for people. Empty when there is none.
    pub alias: String,
    /// Its type (a struct for a block).
    pub ty: Type,
    /// Where the value is kept. Booleans are `bool` there, and every type is naga's plain one.
    pub place: Place,
    /// What it belongs to.
    pub kind: UniformKind,
    /// Value before the case sets one: the scalars' bits in leaf order. `None` means zero.
    pub initial: Option<Vec<u32>>,
    /// Of a block: where its members are, when the module says so itself. Otherwise std140 applies.
    pub layout: Option<BlockLayout>,
    /// Of a block: what `layout` says of each member. The values lie where the linker wants them, whatever it says, but
    /// the stages must agree in it.
    pub members: Vec<MemberLayout>,
    /// Its precision, where the language has any.
    pub precision: Option<Precision>,
    /// Whether the stage's code uses it.
    pub is_used: bool,
    /// Its declaration.
    pub span: Option<Span>,
}

/// `layout` of a member of a uniform block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemberLayout {
    /// Whether its matrices are `row_major`.
    pub is_row_major: bool,
    /// `offset = …`
    pub offset: Option<u32>,
    /// `align = …`
    pub align: Option<u32>,
    /// The block's rules for offsets and strides.
    pub standard: Standard,
}

impl MemberLayout {
    /// What the vectors of its matrices are.
    pub const fn order(&self) -> MatrixOrder {
        if self.is_row_major { MatrixOrder::RowMajor } else { MatrixOrder::ColumnMajor }
    }
}

/// Loose uniform or uniform block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UniformKind {
    /// A uniform outside any block, gathered into one buffer with all others of the program.
    Loose {
        /// `layout(location = …)`.
        location: Option<u32>,
    },
    /// The index of a function, among those of the uniform's subroutine type. Its name, by
    /// [`subroutine_name`](crate::uniform::subroutine_name), tells its stage too.
    Subroutine {
        /// The functions.
        functions: Vec<String>,
    },
    /// A std140 uniform block with its own buffer.
    Block {
        /// `layout(binding = …)`.
        binding: Option<u32>,
        /// Whether members are visible without an instance name (`uniform B { … };`).
        has_instance_name: bool,
    },
}

/// A resource of the stage's module.
#[derive(Clone, Debug)]
pub struct ResourceVariable {
    /// Its name: for a storage buffer the block's name, of a SPIR-V stage `binding 5`.
    pub name: String,
    /// What a case may call it instead: the name that a SPIR-V module gives for people. Empty when there is none.
    pub alias: String,
    /// The global, whose group and binding the linker assigns anew.
    pub global: Handle<GlobalVariable>,
    /// What it is.
    pub kind: ResourceKind,
    /// The binding point a case addresses it by (`ssbo 2 …`), when declared; of a texture or image its first unit.
    pub binding: Option<u32>,
    /// `layout(location = …)` of a texture or image.
    pub location: Option<u32>,
    /// Of a storage buffer: where its members are, when that is not where naga's type has them.
    pub layout: Option<BlockLayout>,
    /// Of a storage buffer whose type in the module is not what the shader says (booleans are integers there, and
    /// matrices may be arrays of columns or structs of rows): type and layout as the shader has them. An array without
    /// length has one element.
    pub described: Option<(Type, BlockLayout)>,
    /// Of a storage buffer that is one of an array of blocks: which, counted through all dimensions.
    pub element: u32,
    /// Its declaration.
    pub span: Option<Span>,
}

/// An atomic counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterVariable {
    /// Its name, with the index of an array's element.
    pub name: String,
    /// Binding point.
    pub binding: u32,
    /// Byte offset in the buffer there.
    pub offset: u32,
    /// Its declaration.
    pub span: Option<Span>,
}

/// What kind of resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResourceKind {
    /// A storage buffer with a layout naga expresses.
    StorageBuffer {
        /// Whether the stage may write it.
        is_writable: bool,
    },
    /// A uniform buffer with a layout naga expresses (WGSL `var<uniform>`).
    UniformBuffer,
    /// A buffer of atomic counters.
    AtomicCounters,
    /// A texture that is sampled or fetched from.
    Texture,
    /// The sampler that goes with the texture of the same name.
    Sampler,
    /// A storage texture.
    Image,
}

/// Precision qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are GLSL's keywords")]
pub enum Precision {
    Low,
    Medium,
    High,
}

/// The compiled stages of a case.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "one of these exists per case")]
pub enum Stages {
    /// A draw.
    Render {
        /// The vertex stage.
        vertex: StageModule,
        /// The fragment stage, if there is one.
        fragment: Option<StageModule>,
    },
    /// A dispatch.
    Compute(StageModule),
}
