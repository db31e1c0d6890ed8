//! Checks that all stages declare the same kind of descriptor at a place. In WebGPU ("default pipeline layout") and in
//! Vulkan (`VkDescriptorSetLayoutBinding`) a place belongs to the pipeline's layout, which has one entry for it
//! whatever the stages call it. In GL uniform blocks, storage blocks and texture units have separate numbers.

use std::collections::BTreeMap;
use std::fmt;

use naga::{Expression, Function, GlobalVariable, Handle, Module};

use ir::diagnostic::Diagnostic;
use ir::source::Span;
use ir::stage_module::{LanguageRules, ResourceKind, StageModule, UniformKind};

/// The kind of an entry of a pipeline layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Descriptor {
    UniformBuffer,
    StorageBuffer,
    /// In Vulkan a texture, a sampler or both: a combined image sampler serves variables of all three kinds.
    Texture,
    /// A sampler of WebGPU.
    Sampler,
    Image,
}

/// The declaration of a descriptor in a stage.
struct Declared<'a> {
    descriptor: Descriptor,
    /// The place, as written in the stage's language.
    name: &'a str,
    number: u32,
    stage: &'static str,
    span: Option<Span>,
}

/// Reports all places that two stages declare as different kinds of descriptors. GL stages, and stages of different
/// APIs, share no places.
pub(super) fn check(stages: &[&StageModule], errors: &mut Vec<Diagnostic>) {
    for rules in [LanguageRules::Wgsl, LanguageRules::Vulkan] {
        let mut seen: BTreeMap<u32, Declared<'_>> = BTreeMap::new();
        let own = stages.iter().filter(|stage| stage.rules == rules);
        for here in own.flat_map(|stage| declared(stage)) {
            let Some(first) = seen.get(&here.number) else {
                seen.insert(here.number, here);
                continue;
            };
            if first.descriptor != here.descriptor {
                let Declared { name, descriptor, stage, .. } = &here;
                let message = format!(
                    "`{name}` is {descriptor} in the {stage} stage but {} in the {} stage",
                    first.descriptor, first.stage
                );
                errors.push(Diagnostic::error(here.span, message));
            }
        }
    }
}

/// The descriptors that a stage names. A module may declare others for other entry points.
fn declared(stage: &StageModule) -> Vec<Declared<'_>> {
    let name = stage.stage.name();
    let uniforms = stage.uniforms.iter().filter(|uniform| uniform.is_used);
    let blocks = uniforms.filter_map(|block| {
        let UniformKind::Block { binding, .. } = block.kind else { return None };
        let descriptor = Descriptor::UniformBuffer;
        let (number, span) = (binding?, block.span);
        Some(Declared { descriptor, name: &block.name, number, stage: name, span })
    });
    let resources = stage.resources.iter();
    let resources = resources.filter(|resource| is_named(&stage.module, resource.global));
    let resources = resources.filter_map(|resource| {
        let descriptor = match resource.kind {
            ResourceKind::UniformBuffer => Descriptor::UniformBuffer,
            ResourceKind::StorageBuffer { .. } => Descriptor::StorageBuffer,
            ResourceKind::Sampler if stage.rules == LanguageRules::Wgsl => Descriptor::Sampler,
            ResourceKind::Texture | ResourceKind::Sampler => Descriptor::Texture,
            ResourceKind::Image => Descriptor::Image,
            // Neither API has atomic counters, and immediates have no descriptor.
            ResourceKind::AtomicCounters | ResourceKind::Immediates => return None,
        };
        let (number, span) = (resource.binding?, resource.span);
        Some(Declared { descriptor, name: &resource.name, number, stage: name, span })
    });
    blocks.chain(resources).collect()
}

fn is_named(module: &Module, global: Handle<GlobalVariable>) -> bool {
    let names = |function: &Function| {
        let mut all = function.expressions.iter();
        all.any(|(_, expression)| *expression == Expression::GlobalVariable(global))
    };
    module.functions.iter().any(|(_, function)| names(function))
}

impl fmt::Display for Descriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UniformBuffer => "a uniform buffer",
            Self::StorageBuffer => "a storage buffer",
            Self::Texture => "a texture or sampler",
            Self::Sampler => "a sampler",
            Self::Image => "a storage image",
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing;
    use ir::stage::ShaderStage;

    use super::*;

    const UNIFORM: &str = "layout(binding = 3) uniform A { vec4 a; };";
    const STORAGE: &str = "layout(binding = 3) readonly buffer B { vec4 a; };";
    const TEXTURE: &str =
        "layout(binding = 3) uniform sampler2D t; vec4 get() { return texture(t, vec2(0.5)); }";
    const IMAGE: &str = "layout(binding = 3, rgba32f) readonly uniform image2D i;
        vec4 get() { return imageLoad(i, ivec2(0)); }";

    /// The errors for a vertex stage with the declarations `first` and a fragment stage with `second`, under these
    /// rules. Both stages use everything that they declare.
    fn errors(rules: LanguageRules, [first, second]: [&str; 2]) -> String {
        let value = |text: &str| if text.contains("get()") { "get()" } else { "a" };
        let text = |declared: &str, output: &str| {
            let value = value(declared);
            format!("#version 450\n{declared}\n{output}\nvoid main() {{ {value}; o = {value}; }}")
        };
        let mut vertex = testing::stage(ShaderStage::Vertex, &text(first, "out vec4 o;"));
        let mut fragment = testing::stage(ShaderStage::Fragment, &text(second, "out vec4 o;"));
        (vertex.rules, fragment.rules) = (rules, rules);
        let mut errors = Vec::new();
        check(&[&vertex, &fragment], &mut errors);
        errors.into_iter().map(|error| error.message).collect::<Vec<_>>().join("\n")
    }

    /// Vulkan 1.3, VkGraphicsPipelineCreateInfo-layout-07990: the type of a descriptor is that of its variables.
    #[test]
    fn in_vulkan_a_place_has_one_kind_of_descriptor() {
        let all = [
            (UNIFORM, "`A` is a uniform buffer"),
            (STORAGE, "`B` is a storage buffer"),
            (TEXTURE, "`t` is a texture or sampler"),
            (IMAGE, "`i` is a storage image"),
        ];
        for (first, _) in all {
            for (second, message) in all {
                let found = errors(LanguageRules::Vulkan, [first, second]);
                assert_eq!(found.starts_with(message), first != second, "{found}");
                let gl = LanguageRules::Glsl { version: 450, is_es: false };
                assert_eq!(errors(gl, [first, second]), "");
                assert_eq!(errors(LanguageRules::Spirv, [first, second]), "");
            }
        }
    }

    #[test]
    fn what_no_code_names_is_another_entry_points() {
        let both = format!("{UNIFORM} {}", "layout(binding = 3) buffer C { vec4 c; };");
        assert_eq!(errors(LanguageRules::Vulkan, [UNIFORM, &both]), "");
    }
}
