//! The linker's result: final modules, and where everything a case names by name went.

use naga::Module;

use crate::layout::BlockLayout;
use crate::link::interface::Type;
use crate::link::map::LinkMap;
use crate::source::Span;

/// Name of the entry point of every final module.
pub const ENTRY_POINT: &str = "main";

/// A program ready to run.
#[derive(Clone, Debug)]
pub struct LinkedProgram {
    /// The final modules; each has exactly one entry point, [`ENTRY_POINT`].
    pub stages: LinkedStages,
    /// What the linker decided.
    pub map: LinkMap,
    /// Vertex attributes that the vertex stage reads, with their locations.
    pub attributes: Vec<Attribute>,
    /// Uniform buffers, by which uniforms are set.
    pub uniform_buffers: Vec<UniformBuffer>,
    /// Storage buffers.
    pub storage_buffers: Vec<StorageBuffer>,
    /// Indices of the render targets that the fragment stage writes; others keep their content.
    pub written_targets: Vec<u32>,
}

/// The final modules.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "one of these exists per case")]
pub enum LinkedStages {
    /// A draw.
    Render {
        /// The vertex stage.
        vertex: Module,
        /// The fragment stage; absent when the case has none.
        fragment: Option<Module>,
    },
    /// A dispatch.
    Compute(Module),
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
    /// Its declaration.
    pub span: Option<Span>,
}

/// A storage buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageBuffer {
    /// Block name.
    pub name: String,
    /// The binding a case addresses it by.
    pub case_binding: u32,
    /// Where the modules expect it.
    pub at: BindingPoint,
    /// Who uses it.
    pub stages: StageUse,
    /// Whether any stage may write it.
    pub is_writable: bool,
    /// Whether its members stand where std430 puts them, which is all that naga's GLSL writer can express.
    pub is_std430: bool,
}
