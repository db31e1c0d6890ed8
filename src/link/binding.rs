//! What a linked program is bound to: attributes, buffers, textures, samplers and images.

use naga::Module;

use ir::format::Format;
use ir::interface::Type;
use ir::layout::BlockLayout;
use ir::source::Span;
use ir::stage::ShaderStage;

/// The vertex stage as a compute stage that writes to a buffer, see [`crate::capture`].
#[derive(Clone, Debug)]
pub struct VertexCapture {
    /// The final module.
    pub module: Module,
    /// The first of its four buffers.
    pub at: BindingPoint,
    /// Words that it writes for every vertex.
    pub stride: u32,
}

/// A vertex attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its type. Array elements and matrix columns have consecutive locations from `location` on; the module takes
    /// a four-component vector of the type's scalar at each.
    pub ty: Type,
    /// First location.
    pub location: u32,
}

impl Attribute {
    /// How many locations it takes: one for each scalar or vector in it.
    pub fn location_count(&self) -> usize {
        self.ty.leaves().len()
    }

    /// What an attribute of floats reads when nothing sets it: GL's current colour is white and its current normal
    /// points at the viewer.
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

/// Which stages use a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageUse {
    /// The vertex stage does.
    pub vertex: bool,
    /// The fragment stage does.
    pub fragment: bool,
    /// The compute stage does.
    pub compute: bool,
}

impl StageUse {
    /// Whether this stage does.
    pub const fn has(self, stage: ShaderStage) -> bool {
        match stage {
            ShaderStage::Vertex => self.vertex,
            ShaderStage::Fragment => self.fragment,
            ShaderStage::Compute => self.compute,
        }
    }
}

/// A uniform buffer and the uniforms in it.
#[derive(Clone, Debug, PartialEq)]
pub struct UniformBuffer {
    /// Block name; empty for the buffer of all loose uniforms.
    pub name: String,
    /// The binding point that the case's text gave it, if any.
    pub case_binding: Option<u32>,
    /// Where the modules expect it.
    pub at: BindingPoint,
    /// Who uses it.
    pub stages: StageUse,
    /// The stage whose uniforms these are, where each stage is a program of its own.
    pub owner: Option<ShaderStage>,
    /// Bytes, a multiple of 16.
    pub size: u32,
    /// Whether the modules see it as std140 lays it out, which is all that naga's GLSL writer can express.
    pub is_std140: bool,
    /// The uniforms in it.
    pub uniforms: Vec<Uniform>,
}

/// One uniform, or one block as a whole, inside a [`UniformBuffer`].
#[derive(Clone, Debug, PartialEq)]
pub struct Uniform {
    /// The name a case sets it by; for a block without instance name every member is one `Uniform`.
    pub name: String,
    /// Another name a case may set it by; empty when there is none.
    pub alias: String,
    /// Its type.
    pub ty: Type,
    /// Offsets and strides inside the uniform.
    pub layout: BlockLayout,
    /// Byte offset in the buffer.
    pub offset: u32,
    /// `layout(location = …)`, by which a case may set it too.
    pub location: Option<u32>,
    /// Value before the case sets one, as the scalars' bits in leaf order; `None` means zero.
    pub initial: Option<Vec<u32>>,
    /// The functions that a subroutine uniform is the index of; none for any other.
    pub functions: Vec<String>,
    /// Its declaration.
    pub span: Option<Span>,
}

/// A texture, sampler or image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpaqueBinding {
    /// The uniform's name: `tex`, `tex[1]`, `lights[0].shadow`. A texture and its sampler have the same.
    pub name: String,
    /// Where the modules expect it.
    pub at: BindingPoint,
    /// Who uses it.
    pub stages: StageUse,
    /// The stage whose uniform this is, where each stage is a program of its own.
    pub owner: Option<ShaderStage>,
    /// The unit it is on before the case sets one.
    pub unit: u32,
    /// `layout(location = …)`, by which a case may set the unit too.
    pub location: Option<u32>,
    /// What it is.
    pub kind: OpaqueKind,
}

/// What an [`OpaqueBinding`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpaqueKind {
    /// A texture that is sampled or fetched from.
    Texture {
        /// Its shape.
        dimension: TextureDimension,
        /// What its texels are.
        class: TexelClass,
    },
    /// A sampler.
    Sampler {
        /// Whether it compares depths.
        is_comparison: bool,
    },
    /// A storage texture.
    Image {
        /// Its shape.
        dimension: TextureDimension,
        /// Its format.
        format: Format,
        /// What the shaders do with it.
        access: ImageAccess,
    },
}

impl OpaqueKind {
    /// Its shape; a sampler has none.
    pub const fn dimension(self) -> Option<TextureDimension> {
        match self {
            Self::Texture { dimension, .. } | Self::Image { dimension, .. } => Some(dimension),
            Self::Sampler { .. } => None,
        }
    }

    /// Whether it is a storage texture.
    pub const fn is_image(self) -> bool {
        matches!(self, Self::Image { .. })
    }

    /// Whether it is a storage texture that shaders write.
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

/// The shapes of textures. Those of one dimension are two-dimensional with a height of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are the shapes")]
pub enum TextureDimension {
    D2,
    D2Array,
    D3,
    Cube,
    CubeArray,
}

/// What the texels of a texture are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TexelClass {
    /// Floats.
    Float,
    /// Signed integers.
    Sint,
    /// Unsigned integers.
    Uint,
    /// Depths that are compared.
    Depth,
}

/// What shaders do with a storage texture.
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
    /// The binding a case addresses it by; of atomic counters [`ir::options::ATOMIC_COUNTER_POINT`] is added.
    pub case_binding: u32,
    /// Where the modules expect it.
    pub at: BindingPoint,
    /// Who uses it.
    pub stages: StageUse,
    /// Whether any stage may write it.
    pub is_writable: bool,
    /// Bytes that WebGPU wants a bound buffer to have at least: the block with one element of an open array.
    pub min_size: u32,
    /// Whether its members stand where std430 puts them, which is all that naga's GLSL writer can express.
    pub is_std430: bool,
}

/// Adds `stage` to the users.
pub fn mark(stages: &mut StageUse, stage: ShaderStage) {
    match stage {
        ShaderStage::Vertex => stages.vertex = true,
        ShaderStage::Fragment => stages.fragment = true,
        ShaderStage::Compute => stages.compute = true,
    }
}

/// From here on fragment stages have their bindings in every group when stages are programs of their own, so that a
/// stage's bindings do not depend on its partner.
const FIRST_FRAGMENT_BINDING: u32 = 256;

/// What equal names in two stages mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// One resource: the stages are one program.
    ByName,
    /// Nothing: each stage is a program of its own.
    Apart,
}

impl Sharing {
    /// The first binding of a stage in every group.
    pub const fn first_binding(self, stage: ShaderStage) -> u32 {
        match (self, stage) {
            (Self::Apart, ShaderStage::Fragment) => FIRST_FRAGMENT_BINDING,
            (Self::Apart, ShaderStage::Vertex | ShaderStage::Compute) | (Self::ByName, _) => 0,
        }
    }

    /// The stage that a resource of `stage` belongs to, where it belongs to one.
    pub const fn owner(self, stage: ShaderStage) -> Option<ShaderStage> {
        match self {
            Self::ByName => None,
            Self::Apart => Some(stage),
        }
    }
}
