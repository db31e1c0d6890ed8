//! HLSL for compilers that write SPIR-V.
//!
//! naga writes HLSL for Direct3D. Its text lacks some of what a stage says, and has samplers in heaps, which Vulkan does
//! not have.

use naga::{
    AddressSpace, Binding, BuiltIn, Handle, ImageClass, Module, StructMember, Type, TypeInner,
};

/// Word of naga's text before the number of a location.
const LOCATION: &str = " : LOC";

/// Word of naga's text before the number of a colour. The second source of blending is the colour 1.
const TARGET: &str = " : SV_Target";

/// Register of immediates in naga's text ([`ir::emit`] chooses the space), which only they have.
const IMMEDIATES: &str = "register(b0, space255)";

/// The text with what SPIR-V has and Direct3D says in another way, as attributes: locations, without which compilers
/// number semantics in the order of the text, second sources of blending, and immediates.
pub(super) fn for_vulkan(text: &str, module: &Module) -> String {
    let mut text = with_attribute(text, LOCATION, |number| format!("vk::location({number})"));
    if has_second_source(module) {
        text =
            with_attribute(&text, TARGET, |source| format!("vk::location(0), vk::index({source})"));
    }
    let lines = text.split_inclusive('\n').map(|line| {
        let is_immediate = line.contains(IMMEDIATES);
        if is_immediate { format!("[[vk::push_constant]] {line}") } else { line.to_owned() }
    });
    lines.collect()
}

/// The text with an attribute before each declaration whose semantic begins with `word`. `attribute` gets the number of the
/// semantic.
fn with_attribute(text: &str, word: &str, attribute: impl Fn(&str) -> String) -> String {
    let mut parts = text.split(word);
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(part.len());
        let before = written.rfind(['(', ',', '\n']).map_or(0, |at| at + 1);
        let spaces = written[before..].len() - written[before..].trim_start().len();
        written.insert_str(before + spaces, &format!("[[{}]] ", attribute(&part[..end])));
        written = written + word + part;
    }
    written
}

/// True if the entry point writes a second source of blending.
fn has_second_source(module: &Module) -> bool {
    let second = |member: &StructMember| {
        matches!(member.binding, Some(Binding::Location { blend_src: Some(1), .. }))
    };
    let result = module.entry_points.first().and_then(|entry| entry.function.result.as_ref());
    result.is_some_and(|result| {
        matches!(&module.types[result.ty].inner,
            TypeInner::Struct { members, .. } if members.iter().any(second))
    })
}

/// The first part of a stage that naga's HLSL loses, in words.
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
        (lays_immediates_out(module), "layout of arrays and matrices in immediates"),
    ];
    lacks.into_iter().find(|(is_lacking, _)| *is_lacking).map(|(_, what)| what)
}

/// True if immediates have a member whose place naga's text gives by Direct3D's rules for constant buffers, which those of
/// push constants differ from.
fn lays_immediates_out(module: &Module) -> bool {
    let mut immediates = module.global_variables.iter().map(|(_, one)| one);
    immediates.any(|one| one.space == AddressSpace::Immediate && has_strides(module, one.ty))
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the others have no parts, or parts without gaps"
)]
fn has_strides(module: &Module, ty: Handle<Type>) -> bool {
    match &module.types[ty].inner {
        TypeInner::Array { .. } | TypeInner::Matrix { .. } => true,
        TypeInner::Struct { members, .. } => members.iter().any(|one| has_strides(module, one.ty)),
        _ => false,
    }
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

    /// The text of HLSL for a stage in WGSL.
    fn written(text: &str) -> String {
        let module = fixture::module(text);
        let text = ir::emit::write(&module, ir::emit::Language::Hlsl).expect("is expressible");
        for_vulkan(&String::from_utf8_lossy(&text), &module)
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let written = written(text);
        for expected in expected {
            assert!(written.contains(expected), "{expected}: {written}");
        }
    }

    #[test]
    fn semantics_get_locations() {
        check(
            "struct A { @location(12) @interpolate(flat) a: vec3i, @builtin(position) b: vec4f }
             @vertex fn main(@builtin(vertex_index) i: u32, @location(0) c: vec4f,
                 @location(3) d: f32) -> A { return A(vec3i(), c * d); }",
            &[
                " [[vk::location(12)]] nointerpolation int3 a : LOC12;",
                "(uint i : SV_VertexID, [[vk::location(0)]] float4 c : LOC0, [[vk::location(3)]] float d : LOC3)",
                "    float4 b : SV_Position;",
            ],
        );
    }

    #[test]
    fn second_sources_have_an_index() {
        let text = "enable dual_source_blending;
             struct A { @location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(1) b: vec4f }
             @fragment fn main() -> A { return A(); }";
        let first = "[[vk::location(0), vk::index(0)]] float4 a : SV_Target0;";
        check(text, &[first, "[[vk::location(0), vk::index(1)]] float4 b : SV_Target1;"]);
        let one = "@fragment fn main() -> @location(1) vec4f { return vec4f(); }";
        assert!(!written(one).contains("vk::"), "{}", written(one));
    }

    #[test]
    fn immediates_are_push_constants() {
        check(
            "struct A { a: vec4f } var<immediate> a: A; @group(0) @binding(0) var<uniform> b: vec4f;
             @fragment fn main() -> @location(0) vec4f { return a.a + b; }",
            &[
                "\n[[vk::push_constant]] ConstantBuffer<A> a: register(b0, space255);",
                "\ncbuffer b : register(b0)",
            ],
        );
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
        let immediates = |ty: &str| {
            format!(
                "struct B {{ b: {ty} }} struct A {{ a: vec3f, b: B }} var<immediate> a: A;
                 @fragment fn main() -> @location(0) vec4f {{ let c = a.b; return a.a.xxxx; }}"
            )
        };
        let layout = "layout of arrays and matrices in immediates";
        check(&immediates("array<vec2i, 2>"), Some(layout));
        check(&immediates("mat2x3f"), Some(layout));
        check(&immediates("vec2i"), None);
    }
}
