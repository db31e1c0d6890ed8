//! The vertex stage as a compute stage. It runs the user's code for every vertex of a draw and writes selected results
//! to a buffer, vertex by vertex in the order of the draw. No rasteriser is needed, and every vertex runs exactly once,
//! which adapters do not guarantee for vertex stages.
//!
//! The stage has four internal buffers in the group of the storage buffers, at consecutive bindings:
//!
//! | binding | content | declaration in the module |
//! |---|---|---|
//! | first | the rows of the vertex buffers | `array<vec4<u32>>`, read |
//! | + 1 | the index lists | `array<u32>`, read |
//! | + 2 | the results | `array<u32>`, written |
//! | + 3 | parameters of the draw, which the executor writes | uniform `vec4<u32>` |
//!
//! Invocation (x, y) runs vertex x of instance y; its results begin at word (y · count + x) · stride.

use naga::BuiltIn;
use naga::valid::{GlobalUse, ModuleInfo};

use crate::resource::STORAGE_GROUP;
use crate::resource::bind::{OwnBlocks, bind, validate};
use crate::resource::uniform::Uniforms;
use crate::table::binding::{Attribute, BindingPoint};
use crate::table::front::Element;
use crate::table::pass::{Pass, Role};
use crate::table::shell::{Shell, VertexComputeShell, VertexResults};
use crate::{LinkError, LinkOptions, wrap};
use ir::stage_module::{Direction, ResourceKind, StageModule};

/// A program whose vertex stage can also run as a compute stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VertexProgram<'a> {
    /// All stages, in the order of the pipeline.
    pub(crate) stages: &'a [&'a StageModule],
    /// Index of the drawn vertex stage.
    pub(crate) drawn: usize,
    /// naga's analysis of the final module of the vertex stage.
    pub(crate) info: &'a ModuleInfo,
    /// The shell of the vertex stage for drawing.
    pub(crate) shell: &'a Shell,
    /// Vertex attributes.
    pub(crate) attributes: &'a [Attribute],
    /// Uniform buffers.
    pub(crate) uniforms: &'a Uniforms,
    /// Options of the linker.
    pub(crate) options: &'a LinkOptions,
}

impl VertexProgram<'_> {
    /// The vertex stage.
    pub(crate) const fn vertex(&self) -> &StageModule {
        self.stages[self.drawn]
    }

    /// Makes the compute stage that writes `results`. The module is final: it is valid, and its resources have the same
    /// bindings as in the other stages.
    ///
    /// # Errors
    /// The stage depends on values that only a draw provides.
    pub(crate) fn link(&self, results: VertexResults, role: Role) -> Result<Pass, LinkError> {
        check(self.vertex())?;
        let at = own_buffers(self.stages);
        let stride = results.end();
        let shell = VertexComputeShell {
            at,
            stride,
            element: Element::Word,
            results,
            row: row_locations(self.attributes),
        };
        // The stage is bound together with the others, so that its resources get the same bindings.
        let mut modules: Vec<_> = self.stages.iter().map(|stage| stage.module.clone()).collect();
        modules[self.drawn] = wrap::wrap_vertex_compute(self.vertex(), self.shell, &shell).module;
        let own = OwnBlocks { uniforms: self.uniforms, in_place: &[] };
        bind(self.stages, &mut modules, own, self.options)?;
        let module = modules.swap_remove(self.drawn);
        validate(&module)?;
        Ok(Pass { module, at, stride, role })
    }

    /// Rejects stages with side effects, because the vertices of a captured draw run more than once. `which` describes
    /// the stage in messages.
    pub(crate) fn check_writes(&self, which: &str) -> Result<(), LinkError> {
        let entry = self.info.get_entry_point(0);
        let is_written = |global: naga::Handle<naga::GlobalVariable>| {
            entry[global].intersects(GlobalUse::WRITE | GlobalUse::ATOMIC)
        };
        let resources = &self.vertex().resources;
        match resources.iter().find(|resource| is_written(resource.global)) {
            Some(written) => Err(LinkError::Unsupported {
                word: format!("`{}`, which a vertex stage {which} writes", written.name),
                span: written.span,
            }),
            None => Ok(()),
        }
    }
}

/// Binding point of the first internal buffer of a compute stage.
pub(crate) fn own_buffers(stages: &[&StageModule]) -> BindingPoint {
    BindingPoint { group: STORAGE_GROUP, binding: first_free_binding(stages) }
}

/// A binding beyond all storage buffers of the program.
fn first_free_binding(stages: &[&StageModule]) -> u32 {
    let is_in_group = |kind| match kind {
        ResourceKind::StorageBuffer { .. } | ResourceKind::AtomicCounters => true,
        ResourceKind::UniformBuffer
        | ResourceKind::Immediates
        | ResourceKind::Texture
        | ResourceKind::Sampler
        | ResourceKind::Image => false,
    };
    let resources = stages.iter().flat_map(|stage| &stage.resources);
    let taken = resources.filter(|resource| is_in_group(resource.kind)).count();
    u32::try_from(taken).unwrap_or(u32::MAX)
}

/// The location that each vector of a vertex row holds, in the executor's order.
pub(crate) fn row_locations(attributes: &[Attribute]) -> Vec<u32> {
    attributes.iter().flat_map(|attribute| attribute.vectors.iter().copied()).collect()
}

/// Rejects built-in inputs that only a draw provides.
pub(crate) fn check(vertex: &StageModule) -> Result<(), LinkError> {
    let is_known = |builtin| matches!(builtin, BuiltIn::VertexIndex | BuiltIn::InstanceIndex);
    let inputs = vertex.builtins.iter().filter(|input| input.direction == Direction::Input);
    let Some(unknown) = inputs.map(|input| input.builtin).find(|builtin| !is_known(*builtin))
    else {
        return Ok(());
    };
    let word = format!("{unknown:?} in a vertex stage whose results are captured");
    Err(LinkError::Unsupported { word, span: None })
}

#[cfg(test)]
mod tests {
    use crate::program::LinkedProgram;
    use crate::{LinkOptions, testing};
    use ir::stage::ShaderStage;
    use ir::stage_module::Stages;

    use super::*;

    fn link_glsl(text: &str) -> Result<LinkedProgram, LinkError> {
        let vertex = testing::stage(ShaderStage::Vertex, &format!("#version 450\n{text}"));
        crate::link(&Stages::new([vertex]).expect("a program"), &LinkOptions::default())
    }

    #[test]
    fn the_stage_has_its_buffers_behind_those_of_the_program() {
        let program = link_glsl(
            "layout(binding = 3) readonly buffer A { float a; };
             layout(binding = 5) readonly buffer B { float b; };
             uniform float c;
             in vec4 p;
             void main() { gl_Position = p; gl_CullDistance[2] = a + b + c; }",
        );
        let program = program.expect("it links");
        let [distances, culling] = &program.passes[..] else { panic!("{:?}", program.passes) };
        assert_eq!((distances.at, distances.stride), (BindingPoint { group: 0, binding: 2 }, 3));
        assert_eq!(culling.at, distances.at);
        let globals = distances.module.global_variables.iter();
        let mut own: Vec<_> = globals
            .filter_map(|(_, global)| Some((global.binding?.binding, global.name.clone()?)))
            .filter(|(_, name)| name.starts_with("vertex_compute"))
            .collect();
        own.sort();
        let names = (0..4).map(|idx| (2 + idx, format!("vertex_compute{idx}")));
        assert_eq!(own, names.collect::<Vec<_>>());
        let storage = program.storage_buffers.iter().map(|buffer| buffer.stages);
        let uniforms = program.uniform_buffers.iter().map(|buffer| buffer.stages);
        assert!(storage.chain(uniforms).all(|users| users.compute));
    }

    #[test]
    fn rows_hold_one_vector_for_every_location() {
        let attribute = |ty: &str, location| {
            Attribute::new("", ty.parse().expect("a type"), location, &mut (8..))
        };
        assert_eq!(
            row_locations(&[
                attribute("mat3", 4),
                attribute("float[2]", 1),
                attribute("dmat2x3", 0)
            ]),
            [4, 5, 6, 1, 2, 0, 8, 1, 9]
        );
    }

    #[test]
    fn what_only_a_draw_knows_is_unsupported() {
        let check = |body: &str, expected: &str| {
            let error = link_glsl(body).expect_err("it is not supported");
            assert_eq!(error.to_string(), format!("unsupported: {expected}"));
        };
        check(
            "buffer A { float a; }; void main() { gl_CullDistance[0] = 1.0; a = 2.0; }",
            "`A`, which a vertex stage with cull distances writes",
        );
        check(
            "layout(binding = 0) uniform atomic_uint n;
             void main() { gl_CullDistance[0] = float(atomicCounterIncrement(n)); }",
            "`atomic counters 0`, which a vertex stage with cull distances writes",
        );
    }
}
