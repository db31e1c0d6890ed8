//! The linker's result: the final modules, and the bindings of everything that a case refers to by name.

use naga::Module;

use crate::compute::xfb::Xfb;
use crate::place::map::LinkMap;
use crate::reflect::Reflection;
use crate::table::binding::{Attribute, OpaqueBinding, StageUse, StorageBuffer, UniformBuffer};
use crate::table::pass::{ControlPass, GeometryPass, Known, Pass, Role};
use crate::table::shell::PointSizeRule;
use ir::options::GEOMETRY_POINT;
use ir::stage::ShaderStage;
use ir::stage_module::LanguageRules;
use ir::tessellation::TessellationPattern;

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
    /// The compute passes beside the draws, those of a chain first and in the order of the pipeline.
    pub passes: Vec<Pass>,
    /// Properties of the draws.
    pub draw: DrawRules,
    /// True if the final modules use naga capabilities that some adapters lack.
    pub needs_capabilities: bool,
    /// What transform feedback does with the records of the captures, if outputs are captured.
    pub captured: Option<Xfb>,
}

/// Properties of the draws of a program.
#[derive(Clone, Debug)]
pub struct DrawRules {
    /// Indices of the draw buffers that the fragment stage writes; other draw buffers keep their contents.
    pub written_targets: Vec<u32>,
    /// True for dual-source blending: outputs with `index = 1`.
    pub is_dual_source: bool,
    /// Rule for the vertex stage's point size, if points are drawn as quads.
    pub points: Option<PointSizeRule>,
    /// True if the vertex stage counts instances from the first instance of a draw (WGSL) instead of 0 (GLSL).
    pub counts_first_instance: bool,
    /// The vertex of a primitive whose values flat varyings use, unless a case chooses one.
    pub flat: FlatVertex,
    /// Draws in which sample masks have an effect.
    pub masks: MaskRule,
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

impl LinkedProgram {
    /// The first pass for whose role `own` has a value.
    pub fn pass<'a, T>(&'a self, own: impl Fn(&'a Role) -> Option<T>) -> Option<Known<T>> {
        self.passes.iter().enumerate().find_map(|(number, pass)| {
            own(&pass.role).map(|own| Known { number, stride: pass.stride, own })
        })
    }

    /// The vertex stage before tessellation and geometry stages.
    pub fn vertex_pass(&self) -> Option<Known<()>> {
        self.pass(|role| matches!(role, Role::Vertex).then_some(()))
    }

    /// The tessellation control stage.
    pub fn control_pass(&self) -> Option<Known<&ControlPass>> {
        self.pass(|role| if let Role::Control(own) = role { Some(own) } else { None })
    }

    /// The tessellation evaluation stage.
    pub fn evaluation_pass(&self) -> Option<Known<TessellationPattern>> {
        self.pass(|role| if let Role::Evaluation(own) = role { Some(*own) } else { None })
    }

    /// The geometry stage.
    pub fn geometry_pass(&self) -> Option<Known<&GeometryPass>> {
        self.pass(|role| if let Role::Geometry(own) = role { Some(own) } else { None })
    }

    /// The pass that writes cull distances.
    pub fn distances_pass(&self) -> Option<Known<()>> {
        self.pass(|role| matches!(role, Role::Distances).then_some(()))
    }

    /// The pass that culls by these distances.
    pub fn culling_pass(&self) -> Option<Known<()>> {
        self.pass(|role| matches!(role, Role::Culling).then_some(()))
    }

    /// Indices of both passes of transform feedback: from the function, and from the slots.
    pub fn capture_passes(&self) -> impl Iterator<Item = usize> {
        let all = self.passes.iter().enumerate();
        all.filter(|(_, pass)| pass.role.is_capture()).map(|(number, _)| number)
    }

    /// True if tessellation or geometry stages run before each draw. The drawn vertex stage then only passes on the
    /// results of the last of them: it reads the buffer at [`GEOMETRY_POINT`], and its vertex index is
    /// the index of an entry.
    pub fn has_chain(&self) -> bool {
        self.passes.iter().any(|pass| pass.role.is_in_chain())
    }

    /// Number of vertex streams.
    pub fn streams(&self) -> u32 {
        self.geometry_pass().map_or(1, |geometry| geometry.own.streams)
    }
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

/// Makes the passes the users of the vertex stage's resources. If stages of a chain run before the draw, the drawn
/// vertex stage itself uses only the buffer of records and uniforms.
pub(crate) fn mark_passes(program: &mut LinkedProgram) {
    let has_chain = program.has_chain();
    let has_others = program.passes.iter().any(|pass| !pass.role.is_in_chain());
    for buffer in &mut program.uniform_buffers {
        buffer.stages.compute |= buffer.stages.vertex && (has_chain || has_others);
    }
    for buffer in &mut program.storage_buffers {
        let is_drawn = buffer.case_binding == GEOMETRY_POINT;
        mark(&mut buffer.stages, has_chain && !is_drawn, has_others);
    }
    for opaque in &mut program.opaques {
        mark(&mut opaque.stages, has_chain, has_others);
    }
}

/// Makes passes users of what the vertex stage uses: those of a chain in its place, others beside it.
const fn mark(stages: &mut StageUse, in_chain: bool, in_others: bool) {
    stages.compute |= stages.vertex && (in_chain || in_others);
    stages.vertex &= !in_chain;
}
