//! Bindings of a linked program: attributes, buffers, textures, samplers and images.

use ir::format::Format;
use ir::geometry::OutputPrimitive;
use ir::interface::Type;
use ir::layout::BlockLayout;
use ir::options::GEOMETRY_POINT;
use ir::source::Span;
use ir::stage::{Execution, ShaderStage};
use ir::stage_module::StageModule;

/// Number of list entries for `max_vertices` emitted vertices of this primitive.
pub(crate) const fn room(output: OutputPrimitive, max_vertices: u32) -> u32 {
    let own = output.vertices();
    (max_vertices + 1).saturating_sub(own).saturating_mul(own)
}

/// Value of a list entry of a geometry stage that has no vertex.
pub const NO_VERTEX: u32 = u32::MAX;

/// A vertex attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Name of the attribute.
    pub name: String,
    /// Type of the attribute. Array elements and matrix columns have consecutive locations from `location` on. At each
    /// location the module reads a four-component vector of the type's scalar, or vectors of `u32` words if the scalar
    /// has 64 bits.
    pub ty: Type,
    /// First location in the language: each scalar and vector has one.
    pub location: u32,
    /// Locations of the module's vectors of four words, in order: one for each scalar and vector of the type, and two
    /// for 64-bit vectors of three and four components.
    pub vectors: Vec<u32>,
}

impl Attribute {
    /// An attribute whose vectors are at its own locations. A leaf's second vector gets the next location of `rest`.
    pub fn new(name: &str, ty: Type, location: u32, rest: &mut impl Iterator<Item = u32>) -> Self {
        let leaves = ty.leaves().into_iter();
        let vectors = (location..).zip(leaves).flat_map(|(first, leaf)| {
            let second = (leaf.words() > 4).then(|| rest.next()).flatten();
            std::iter::once(first).chain(second)
        });
        let vectors = vectors.collect();
        Self { name: name.to_owned(), ty, location, vectors }
    }

    /// Number of locations of the attribute: one for each scalar or vector in it.
    pub fn location_count(&self) -> usize {
        self.ty.leaves().len()
    }

    /// Value of a float attribute that nothing sets: GL's current colour is white and its current normal points at the
    /// viewer.
    pub fn unset(&self) -> [f32; 4] {
        match &*self.name {
            "gl_Color" => [1.0; 4],
            "gl_Normal" => [0.0, 0.0, 1.0, 1.0],
            _ => [0.0, 0.0, 0.0, 1.0],
        }
    }
}

/// Group and binding of a resource in the final modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BindingPoint {
    /// Bind group, 0 to 3.
    pub group: u32,
    /// Binding in the group.
    pub binding: u32,
}

impl BindingPoint {
    /// Stands for the immediates, which are no member of a bind group.
    pub const IMMEDIATES: Self = Self { group: u32::MAX, binding: 0 };
}

/// The set of stages that use a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageUse {
    /// Used by the vertex stage.
    pub vertex: bool,
    /// Used by the fragment stage.
    pub fragment: bool,
    /// Used by a compute stage, including one that emulates a geometry stage.
    pub compute: bool,
}

impl StageUse {
    /// True if `stage` is in the set.
    pub const fn has(self, stage: ShaderStage) -> bool {
        match stage.properties().runs_as {
            Execution::Vertex => self.vertex,
            Execution::Fragment => self.fragment,
            Execution::Compute => self.compute,
        }
    }
}

/// A uniform buffer, or the immediates, and the uniforms in it.
#[derive(Clone, Debug, PartialEq)]
pub struct UniformBuffer {
    /// Block name; empty for the buffer of all loose uniforms.
    pub name: String,
    /// The binding point in the case's text, if any.
    pub case_binding: Option<u32>,
    /// Binding point in the final modules.
    pub at: BindingPoint,
    /// Stages that use the buffer.
    pub stages: StageUse,
    /// The stage that the uniforms belong to, if each stage is a separate program.
    pub owner: Option<ShaderStage>,
    /// Size in bytes, a multiple of 16; of 4 for immediates.
    pub size: u32,
    /// True if the modules use std140 layout for the buffer, the only one that naga's GLSL writer can express.
    pub is_std140: bool,
    /// The uniforms in the buffer.
    pub uniforms: Vec<Uniform>,
}

impl UniformBuffer {
    /// True for the immediates, which are no member of a bind group.
    pub fn is_immediate(&self) -> bool {
        self.at == BindingPoint::IMMEDIATES
    }

    /// Adds the declaration of one more stage. Stages may declare the same buffer with other names and sizes; of two
    /// declarations with one name, the larger is kept.
    pub(crate) fn add(&mut self, uniform: Uniform) {
        let unit = if self.is_immediate() { 4 } else { 16 };
        self.size = self.size.max(uniform.layout.size.next_multiple_of(unit));
        match self.uniforms.iter_mut().find(|known| known.alias == uniform.alias) {
            Some(known) if known.layout.size < uniform.layout.size => *known = uniform,
            Some(_) => {}
            None => self.uniforms.push(uniform),
        }
    }
}

/// One uniform, or one block as a whole, inside a [`UniformBuffer`].
#[derive(Clone, Debug, PartialEq)]
pub struct Uniform {
    /// The name by which a case sets the uniform. Each member of a block without an instance name is a separate
    /// `Uniform`.
    pub name: String,
    /// Another name by which a case may set the uniform; empty if there is none.
    pub alias: String,
    /// Type of the uniform.
    pub ty: Type,
    /// Offsets and strides inside the uniform.
    pub layout: BlockLayout,
    /// Byte offset of the uniform in the buffer.
    pub offset: u32,
    /// The location in `layout(location = …)`, by which a case may set the uniform too.
    pub location: Option<u32>,
    /// Initial value, as the scalars' bits in leaf order; `None` means zero.
    pub initial: Option<Vec<u64>>,
    /// The functions that a subroutine uniform selects from, by index; empty for any other uniform.
    pub functions: Vec<String>,
    /// Position of the declaration.
    pub span: Option<Span>,
}

/// A texture, sampler or image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpaqueBinding {
    /// The uniform's name: `tex`, `tex[1]`, `lights[0].shadow`. A texture and its sampler have the same name, unless
    /// they are [separate](Self::is_separate).
    pub name: String,
    /// Binding point in the final modules.
    pub at: BindingPoint,
    /// Stages that use the resource.
    pub stages: StageUse,
    /// The stage that the uniform belongs to, if each stage is a separate program.
    pub owner: Option<ShaderStage>,
    /// Initial texture or image unit; the [point](ir::vulkan::point) of a separate resource.
    pub unit: u32,
    /// True for a resource of WGSL: textures and samplers are bound separately, and there are no units.
    pub is_separate: bool,
    /// The location in `layout(location = …)`, by which a case may set the unit too.
    pub location: Option<u32>,
    /// Kind and type of the resource.
    pub kind: OpaqueKind,
}

/// Kind and type of an [`OpaqueBinding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpaqueKind {
    /// A texture that is sampled or fetched from.
    Texture {
        /// Shape of the texture.
        dimension: TextureDimension,
        /// Type of its texels.
        class: TexelClass,
        /// True if a filtering sampler may read it. Textures of GLSL always have a sampler.
        is_filterable: bool,
    },
    /// A sampler.
    Sampler {
        /// True for a comparison sampler.
        is_comparison: bool,
        /// False for a sampler that reads a texture of integers, which has no filter.
        is_filtering: bool,
    },
    /// A storage texture.
    Image {
        /// Shape of the storage texture.
        dimension: TextureDimension,
        /// Format of the storage texture.
        format: Format,
        /// Access of the shaders to the storage texture.
        access: ImageAccess,
    },
}

impl OpaqueKind {
    /// Shape of the texture; `None` for a sampler.
    pub const fn dimension(self) -> Option<TextureDimension> {
        match self {
            Self::Texture { dimension, .. } | Self::Image { dimension, .. } => Some(dimension),
            Self::Sampler { .. } => None,
        }
    }

    /// True for a storage texture.
    pub const fn is_image(self) -> bool {
        matches!(self, Self::Image { .. })
    }

    /// True for a storage texture that shaders write.
    pub const fn is_written(self) -> bool {
        matches!(
            self,
            Self::Image {
                access: ImageAccess::Write | ImageAccess::ReadWrite | ImageAccess::Atomic,
                ..
            }
        )
    }
}

/// The shapes of textures. One-dimensional textures of GLSL are two-dimensional with a height of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are the shapes")]
pub enum TextureDimension {
    D1,
    D2,
    D2Multisampled,
    D2Array,
    D3,
    Cube,
    CubeArray,
}

/// Texel types of textures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TexelClass {
    /// Floats.
    Float,
    /// Signed integers.
    Sint,
    /// Unsigned integers.
    Uint,
    /// Depths for comparison.
    Depth,
}

/// Access of shaders to a storage texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the kinds of access")]
pub enum ImageAccess {
    Read,
    Write,
    ReadWrite,
    Atomic,
}

/// A storage buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageBuffer {
    /// Block name.
    pub name: String,
    /// The binding by which a case addresses the buffer. For atomic counters [`ir::options::ATOMIC_COUNTER_POINT`] is
    /// added.
    pub case_binding: u32,
    /// Binding point in the final modules.
    pub at: BindingPoint,
    /// Stages that use the buffer.
    pub stages: StageUse,
    /// The stage that the block belongs to, if each stage is a separate program.
    pub owner: Option<ShaderStage>,
    /// True if any stage may write the buffer.
    pub is_writable: bool,
    /// WebGPU's minimum size of a bound buffer in bytes: the block with one element of its runtime-sized array.
    pub min_size: u32,
    /// True if the block's members have std430 offsets, the only ones that naga's GLSL writer can express.
    pub is_std430: bool,
    /// True if some stage reads the length of the block's runtime-sized array, which follows from the size of the bound
    /// buffer.
    pub is_measured: bool,
}

/// Adds `stage` to the set.
pub fn mark(stages: &mut StageUse, stage: ShaderStage) {
    match stage.properties().runs_as {
        Execution::Vertex => stages.vertex = true,
        Execution::Fragment => stages.fragment = true,
        Execution::Compute => stages.compute = true,
    }
}

/// Maximum number of bindings of a stage in a program with tessellation stages, if stages are separate programs.
pub(crate) const MAX_BINDINGS_APART: usize = 120;

/// First binding in every group, if stages are separate programs, of the vertex stage that passes on the results of
/// compute stages.
const PASS_THROUGH_BINDING: u32 = 768;

/// Meaning of equal resource names in two stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Equal names mean one resource: the stages are one program.
    ByName,
    /// Resources are not shared: each stage is a separate program.
    Apart,
}

impl Sharing {
    /// The first binding of a stage in every group.
    pub(crate) fn first_binding(self, stage: &StageModule) -> u32 {
        let is_pass_through = || stage.stage == ShaderStage::Vertex && passes_on(stage);
        match self {
            Self::ByName => 0,
            Self::Apart if is_pass_through() => PASS_THROUGH_BINDING,
            Self::Apart => stage.stage.properties().first_binding,
        }
    }

    /// The stage that owns a resource of `stage`; `None` if resources are shared, and for the pass-through stage that
    /// the linker makes.
    pub(crate) fn owner(self, stage: &StageModule) -> Option<ShaderStage> {
        match self {
            Self::ByName => None,
            Self::Apart => Some(stage.stage).filter(|_| !passes_on(stage)),
        }
    }
}

/// True for the pass-through vertex stage, which reads the vertices that a geometry stage emitted.
fn passes_on(stage: &StageModule) -> bool {
    stage.resources.iter().any(|resource| resource.binding == Some(GEOMETRY_POINT))
}
