//! The linker's result: final modules, and where everything a case names by name went.

use naga::Module;

use crate::binding::{Attribute, OpaqueBinding, StorageBuffer, UniformBuffer, VertexCapture};
use crate::feedback::Feedback;
use crate::map::LinkMap;
use crate::reflect::Reflection;
use ir::stage::ShaderStage;
use ir::stage_module::LanguageRules;

/// Where the masks of samples that a fragment stage gives and takes count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaskRule {
    /// Where a pixel has several samples, as in GL.
    Multisampled,
    /// Everywhere, as in WebGPU.
    Always,
}

impl MaskRule {
    /// The rule of a fragment stage's language.
    pub const fn of(rules: LanguageRules) -> Self {
        match rules {
            LanguageRules::Glsl { .. } | LanguageRules::Spirv | LanguageRules::FixedFunction => {
                Self::Multisampled
            }
            LanguageRules::Wgsl => Self::Always,
        }
    }
}

/// A program ready to run.
#[derive(Clone, Debug)]
pub struct LinkedProgram {
    /// The final modules; each has exactly one entry point, [`ENTRY_POINT`].
    pub stages: LinkedStages,
    /// What the linker decided.
    pub map: LinkMap,
    /// What GL tells about the program; where each stage is one, about the last.
    pub reflection: Reflection,
    /// What GL tells about the vertex stage, where each stage is a program.
    pub vertex_reflection: Option<Reflection>,
    /// Vertex attributes that the vertex stage reads, with their locations.
    pub attributes: Vec<Attribute>,
    /// Uniform buffers, by which uniforms are set.
    pub uniform_buffers: Vec<UniformBuffer>,
    /// Storage buffers.
    pub storage_buffers: Vec<StorageBuffer>,
    /// Textures, samplers and images.
    pub opaques: Vec<OpaqueBinding>,
    /// Indices of the draw buffers that the fragment stage writes; others keep their content.
    pub written_targets: Vec<u32>,
    /// Whether it writes two values for blending: outputs with `index = 1`.
    pub is_dual_source: bool,
    /// Set when points are drawn as quads: when their size is the one that the vertex stage gives.
    pub points: Option<PointSizeRule>,
    /// Set when primitives may be culled: gives the cull distances of every vertex, one word each.
    pub cull: Option<VertexCapture>,
    /// Whether the vertex stage's instances are counted from the first instance of a draw (WGSL), and not from 0 (GLSL).
    pub counts_first_instance: bool,
    /// Where masks of samples count.
    pub masks: MaskRule,
    /// Whether the final modules use something of naga's capabilities, of which an adapter has some.
    pub needs_capabilities: bool,
    /// Set when outputs are captured.
    pub feedback: Option<Feedback>,
}

impl LinkedProgram {
    /// What GL tells about the program that this stage is, or belongs to.
    pub fn reflection_of(&self, stage: ShaderStage) -> &Reflection {
        let own = self.vertex_reflection.as_ref().filter(|_| stage == ShaderStage::Vertex);
        own.unwrap_or(&self.reflection)
    }
}

/// When the size that a vertex stage gives its points counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointSizeRule {
    /// Always: OpenGL ES.
    Always,
    /// While `GL_PROGRAM_POINT_SIZE` is enabled: OpenGL.
    WhenEnabled,
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

/// Adds the compute stage to the users of what the vertex stage uses.
pub fn mark_use(program: &mut LinkedProgram) {
    let uniforms = program.uniform_buffers.iter_mut().map(|it| &mut it.stages);
    let storage = program.storage_buffers.iter_mut().map(|it| &mut it.stages);
    let opaques = program.opaques.iter_mut().map(|it| &mut it.stages);
    for stages in uniforms.chain(storage).chain(opaques) {
        stages.compute |= stages.vertex;
    }
}
