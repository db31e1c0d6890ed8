//! The linker's result: the final modules, and the bindings of everything that a case refers to by name.

use naga::Module;

use crate::binding::{Attribute, OpaqueBinding, StorageBuffer, UniformBuffer, VertexComputeStage};
use crate::front::Front;
use crate::map::LinkMap;
use crate::reflect::Reflection;
use crate::xfb::Xfb;
use ir::options::GEOMETRY_POINT;
use ir::stage::ShaderStage;
use ir::stage_module::LanguageRules;

/// The draws in which sample masks of a fragment stage have an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaskRule {
    /// Draws with several samples per pixel, as in GL.
    Multisampled,
    /// All draws, as in WebGPU and Vulkan.
    Always,
}

impl MaskRule {
    /// The rule for a fragment stage's language.
    pub const fn of(rules: LanguageRules) -> Self {
        if rules.has_gl_conventions() { Self::Multisampled } else { Self::Always }
    }
}

/// The vertex of a primitive whose values flat varyings use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlatVertex {
    /// The first vertex, as in WGSL and Vulkan.
    First,
    /// The last vertex, as in GL.
    Last,
}

/// A program ready to run.
#[derive(Clone, Debug)]
pub struct LinkedProgram {
    /// The final modules; each has exactly one entry point, `ENTRY_POINT`.
    pub stages: LinkedStages,
    /// The link map.
    pub map: LinkMap,
    /// GL's reflection of the program, or of the last stage if each stage is a separate program.
    pub reflection: Reflection,
    /// GL's reflection of each stage before the last, if each stage is a separate program.
    pub earlier_reflections: Vec<(ShaderStage, Reflection)>,
    /// Vertex attributes that the vertex stage reads, with their locations.
    pub attributes: Vec<Attribute>,
    /// Uniform buffers, through which uniforms are set.
    pub uniform_buffers: Vec<UniformBuffer>,
    /// Storage buffers.
    pub storage_buffers: Vec<StorageBuffer>,
    /// Textures, samplers and images.
    pub opaques: Vec<OpaqueBinding>,
    /// Indices of the draw buffers that the fragment stage writes; other draw buffers keep their contents.
    pub written_targets: Vec<u32>,
    /// True for dual-source blending: outputs with `index = 1`.
    pub is_dual_source: bool,
    /// Rule for the vertex stage's point size, if points are drawn as quads.
    pub points: Option<PointSizeRule>,
    /// The compute stage that writes the cull distances of every vertex, one word per distance; `None` if nothing is
    /// culled.
    pub cull: Option<VertexComputeStage>,
    /// The vertex, tessellation and geometry stages, as compute stages. The drawn vertex stage then only passes on the
    /// results of the last of them: it reads the buffer at [`GEOMETRY_POINT`], and its
    /// vertex index is the index of an entry.
    pub front: Option<Front>,
    /// True if the vertex stage counts instances from the first instance of a draw (WGSL) instead of 0 (GLSL).
    pub counts_first_instance: bool,
    /// The vertex of a primitive whose values flat varyings use, unless a case chooses one.
    pub flat: FlatVertex,
    /// Draws in which sample masks have an effect.
    pub masks: MaskRule,
    /// True if the final modules use naga capabilities that some adapters lack.
    pub needs_capabilities: bool,
    /// Transform feedback, if outputs are captured.
    pub xfb: Option<Xfb>,
}

impl LinkedProgram {
    /// GL's reflection of the program that consists of or contains this stage.
    pub fn reflection_of(&self, stage: ShaderStage) -> &Reflection {
        let own = self.earlier_reflections.iter().find(|(known, _)| *known == stage);
        own.map_or(&self.reflection, |(_, reflection)| reflection)
    }

    /// GL's reflections of all programs in this one, the last stage's at the end.
    pub fn reflections(&self) -> impl DoubleEndedIterator<Item = &Reflection> {
        let earlier = self.earlier_reflections.iter().map(|(_, reflection)| reflection);
        earlier.chain([&self.reflection])
    }
}

/// The condition under which a vertex stage's point size is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointSizeRule {
    /// Always: OpenGL ES.
    Always,
    /// While `GL_PROGRAM_POINT_SIZE` is enabled: OpenGL.
    WhenEnabled,
}

/// The final modules of a program.
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

/// Adds the compute stage to the users of all resources that the vertex stage uses.
pub(crate) fn mark_use(program: &mut LinkedProgram) {
    let uniforms = program.uniform_buffers.iter_mut().map(|buffer| &mut buffer.stages);
    let storage = program.storage_buffers.iter_mut().map(|buffer| &mut buffer.stages);
    let opaques = program.opaques.iter_mut().map(|opaque| &mut opaque.stages);
    for stages in uniforms.chain(storage).chain(opaques) {
        stages.compute |= stages.vertex;
    }
}

/// Makes the compute stages before the draw the users of the vertex stage's resources. The drawn stage uses only the
/// buffer of records and uniforms.
pub(crate) fn mark_front(program: &mut LinkedProgram) {
    let uniforms = program.uniform_buffers.iter_mut().map(|buffer| &mut buffer.stages);
    for stages in uniforms {
        stages.compute |= stages.vertex;
    }
    let is_own = |buffer: &&mut StorageBuffer| buffer.case_binding != GEOMETRY_POINT;
    let storage =
        program.storage_buffers.iter_mut().filter(is_own).map(|buffer| &mut buffer.stages);
    let opaques = program.opaques.iter_mut().map(|opaque| &mut opaque.stages);
    for stages in storage.chain(opaques) {
        stages.compute |= std::mem::take(&mut stages.vertex);
    }
}
