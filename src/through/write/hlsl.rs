//! HLSL for compilers that write SPIR-V.
//!
//! naga writes HLSL for Direct3D. Its text lacks some of what a stage says, and has samplers in heaps, which Vulkan does
//! not have.

use naga::{Binding, BuiltIn, ImageClass, Module, TypeInner};

/// Word of naga's text before the number of a location.
const LOCATION: &str = " : LOC";

/// The text with the locations of its semantics in SPIR-V, too. Without them, compilers number locations in the order of
/// the text.
pub(super) fn with_locations(text: &str) -> String {
    let mut parts = text.split(LOCATION);
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(part.len());
        let before = written.rfind(['(', ',', '\n']).map_or(0, |at| at + 1);
        let spaces = written[before..].len() - written[before..].trim_start().len();
        written.insert_str(before + spaces, &format!("[[vk::location({})]] ", &part[..end]));
        written = written + LOCATION + part;
    }
    written
}

/// What the text would not say, in words.
pub(super) fn dropped(module: &Module) -> Option<&'static str> {
    let of_globals = |is_it: fn(&TypeInner) -> bool| {
        module.global_variables.iter().any(|(_, one)| is_it(&module.types[one.ty].inner))
    };
    let entry = module.entry_points.first()?;
    let is_count = Some(Binding::BuiltIn(BuiltIn::NumWorkGroups));
    let is_in_struct = |ty: &TypeInner| {
        matches!(ty, TypeInner::Struct { members, .. }
            if members.iter().any(|member| member.binding == is_count))
    };
    let counts_groups = entry.function.arguments.iter().any(|argument| {
        argument.binding == is_count || is_in_struct(&module.types[argument.ty].inner)
    });
    let lacks = [
        (entry.early_depth_test.is_some(), "early depth tests"),
        (of_globals(is_sampler), "samplers outside heaps"),
        (of_globals(is_storage), "formats of storage textures"),
        (counts_groups, "number of workgroups"),
    ];
    lacks.into_iter().find(|(is_lacking, _)| *is_lacking).map(|(_, what)| what)
}

const fn is_sampler(ty: &TypeInner) -> bool {
    matches!(ty, TypeInner::Sampler { .. })
}

const fn is_storage(ty: &TypeInner) -> bool {
    matches!(ty, TypeInner::Image { class: ImageClass::Storage { .. }, .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semantics_get_locations() {
        let text = "struct A {\n    nointerpolation int3 a : LOC12;\n    float4 b : SV_Position;\n};\n\
                    A main(uint i : SV_VertexID, float4 c : LOC0, float d : LOC3)\n";
        let expected = "struct A {\n    [[vk::location(12)]] nointerpolation int3 a : LOC12;\n    float4 b : SV_Position;\n};\n\
                        A main(uint i : SV_VertexID, [[vk::location(0)]] float4 c : LOC0, [[vk::location(3)]] float d : LOC3)\n";
        assert_eq!(with_locations(text), expected);
    }

    #[test]
    fn what_the_text_would_drop_is_named() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(dropped(&fixture::module(text)), expected, "{text}");
        };
        check("@early_depth_test(force) @fragment fn main() {}", Some("early depth tests"));
        check("@fragment fn main() {}", None);
        let compute = |arguments: &str, body: &str| {
            format!(
                "@group(0) @binding(0) var t: texture_2d<f32>;
                 @group(0) @binding(1) var s: sampler;
                 @group(0) @binding(2) var i: texture_storage_2d<rgba8unorm, write>;
                 @compute @workgroup_size(1) fn main({arguments}) {{ {body} }}"
            )
        };
        let whole = compute("", "let a = textureSampleLevel(t, s, vec2f(), 0.0);");
        check(&whole, Some("samplers outside heaps"));
        let without = whole.replace("@group(0) @binding(1) var s: sampler;", "");
        let without = without.replace("textureSampleLevel(t, s, vec2f(), 0.0)", "1");
        check(&without, Some("formats of storage textures"));
        let counted = "@compute @workgroup_size(1) fn main(@builtin(num_workgroups) n: vec3u) {}";
        check(counted, Some("number of workgroups"));
        check("@compute @workgroup_size(1) fn main(@builtin(workgroup_id) n: vec3u) {}", None);
    }
}
