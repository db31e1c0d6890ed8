//! HLSL for compilers that write SPIR-V.
//!
//! naga writes HLSL for Direct3D. Its text lacks some of what a stage says, and has samplers in heaps, which Vulkan does
//! not have.

use naga::{
    AddressSpace, Binding, BuiltIn, Handle, ImageClass, Module, ResourceBinding, StorageFormat,
    StructMember, Type, TypeInner,
};

/// Word of naga's text before the number of a location.
const LOCATION: &str = " : LOC";

/// Word of naga's text before the number of a colour. The second source of blending is the colour 1.
const TARGET: &str = " : SV_Target";

/// Register of immediates in naga's text ([`ir::emit`] chooses the space), which only they have.
const IMMEDIATES: &str = "register(b0, space255)";

/// Beginnings of the lines that declare heaps of samplers, and where the numbers of a group's samplers are.
const HEAPS: [&str; 3] = [
    "SamplerState nagaSamplerHeap[",
    "SamplerComparisonState nagaComparisonSamplerHeap[",
    "StructuredBuffer<uint> nagaGroup",
];

/// Beginning of the lines that take a sampler from a heap.
const SAMPLER: &str = "static const Sampler";

/// The text with what SPIR-V has and Direct3D says in another way. Attributes are locations, without which compilers
/// number semantics in the order of the text, second sources of blending, immediates and formats of storage textures.
/// Samplers have registers of their own instead of numbers in heaps.
pub(super) fn for_vulkan(text: &str, module: &Module) -> String {
    let mut text = with_attribute(text, LOCATION, |number| format!("vk::location({number})"));
    if has_second_source(module) {
        text =
            with_attribute(&text, TARGET, |source| format!("vk::location(0), vk::index({source})"));
    }
    let formats = storage_formats(module);
    let lines = text.split_inclusive('\n').map(|line| {
        if line.contains(IMMEDIATES) {
            format!("[[vk::push_constant]] {line}")
        } else if HEAPS.iter().any(|heap| line.starts_with(heap)) {
            String::new()
        } else if let Some(sampler) = line.strip_prefix(SAMPLER).and_then(own_register) {
            sampler
        } else if let Some(format) = formats.iter().find(|one| declares(line, one.0)) {
            let name = &format.1;
            // The one name that DXC and glslang disagree about.
            let other = if name == "r11g11b10f" { "r11fg11fb10f" } else { name };
            format!("[[vk::image_format(\"{name}\")]] [[spv::format_{other}]] {line}")
        } else {
            line.to_owned()
        }
    });
    lines.collect()
}

/// The declaration of a sampler with a register of its own. `line` follows [`SAMPLER`]:
/// `State name = nagaSamplerHeap[nagaGroup1SamplerIndexArray[2]];`
fn own_register(line: &str) -> Option<String> {
    let (declared, index) = line.split_once(" = ")?;
    let (_, group) = index.split_once("[nagaGroup")?;
    let (group, binding) = group.split_once("SamplerIndexArray")?;
    let (_, binding) = binding.split_once('[')?;
    let (binding, _) = binding.split_once(']')?;
    Some(format!("Sampler{declared} : register(s{binding}, space{group});\n"))
}

/// True for the line that declares the storage texture with this binding.
fn declares(line: &str, binding: ResourceBinding) -> bool {
    let ResourceBinding { group, binding } = binding;
    let space = if group == 0 { String::new() } else { format!(", space{group}") };
    line.starts_with("RWTexture")
        && line.trim_end().ends_with(&format!(" : register(u{binding}{space});"))
}

/// Bindings of the storage textures, and what compilers call their formats.
fn storage_formats(module: &Module) -> Vec<(ResourceBinding, String)> {
    let globals = module.global_variables.iter();
    let format = |ty: Handle<Type>| format_of(&module.types[ty].inner);
    globals.filter_map(|(_, one)| Some((one.binding?, format_name(format(one.ty)?)?))).collect()
}

/// Format of a storage texture.
const fn format_of(ty: &TypeInner) -> Option<StorageFormat> {
    if let TypeInner::Image { class: ImageClass::Storage { format, .. }, .. } = ty {
        Some(*format)
    } else {
        None
    }
}

/// SPIR-V's name of a format as attributes have it: `rgba8snorm`, `r32ui`. `None` for a format that SPIR-V lacks.
fn format_name(format: StorageFormat) -> Option<String> {
    if format == StorageFormat::Rg11b10Ufloat {
        return Some("r11g11b10f".to_owned());
    }
    let name = format!("{format:?}").to_lowercase();
    let ends = [("unorm", ""), ("snorm", "snorm"), ("float", "f"), ("uint", "ui"), ("sint", "i")];
    let named = |(end, own)| Some(name.strip_suffix(end)?.to_owned() + own);
    ends.into_iter().find_map(named).filter(|_| format != StorageFormat::Bgra8Unorm)
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
    let of_globals = |is_it: fn(&Module, &TypeInner) -> bool| {
        module.global_variables.iter().any(|(_, one)| is_it(module, &module.types[one.ty].inner))
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
        (of_globals(is_sampler_array), "arrays of samplers outside heaps"),
        (of_globals(is_without_format), "format of a storage texture"),
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

fn is_sampler_array(module: &Module, ty: &TypeInner) -> bool {
    matches!(ty, TypeInner::BindingArray { base, .. }
        if matches!(module.types[*base].inner, TypeInner::Sampler { .. }))
}

/// True for a storage texture whose format has no name, and for an array of storage textures.
fn is_without_format(module: &Module, ty: &TypeInner) -> bool {
    if let TypeInner::BindingArray { base, .. } = ty {
        format_of(&module.types[*base].inner).is_some()
    } else {
        format_of(ty).is_some_and(|format| format_name(format).is_none())
    }
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
    fn samplers_and_storage_textures_have_registers_and_formats() {
        let text = "@group(0) @binding(0) var t: texture_2d<f32>;
             @group(0) @binding(1) var s: sampler;
             @group(2) @binding(4) var c: sampler_comparison;
             @group(2) @binding(5) var d: texture_depth_2d;
             @group(0) @binding(2) var i: texture_storage_2d<rgba8snorm, write>;
             @group(1) @binding(2) var j: texture_storage_2d_array<r32uint, read_write>;
             @group(0) @binding(3) var k: texture_storage_3d<rg11b10ufloat, write>;
             @compute @workgroup_size(1) fn main() {
                 let a = textureSampleLevel(t, s, vec2f(), 0.0).x + textureSampleCompareLevel(d, c, vec2f(), 0.5);
                 textureStore(i, vec2i(), vec4f(a));
                 textureStore(k, vec3i(), vec4f(a));
                 textureStore(j, vec2i(), 0, vec4u(1u)); }";
        let parts = [
            "\nSamplerState s : register(s1, space0);\n",
            "\nSamplerComparisonState c : register(s4, space2);\n",
            "\n[[vk::image_format(\"rgba8snorm\")]] [[spv::format_rgba8snorm]] RWTexture2D<snorm float4> i : register(u2);\n",
            "\n[[vk::image_format(\"r11g11b10f\")]] [[spv::format_r11fg11fb10f]] RWTexture3D<float4> k : register(u3);\n",
            "\n[[vk::image_format(\"r32ui\")]] [[spv::format_r32ui]] RWTexture2DArray<uint> j : register(u2, space1);\n",
        ];
        check(text, &parts);
        assert!(!written(text).contains("naga"), "{}", written(text));
    }

    #[test]
    fn formats_have_the_names_of_attributes() {
        use StorageFormat::{
            R32Sint, Rg11b10Ufloat, Rgb10a2Uint, Rgb10a2Unorm, Rgba16Float, Rgba16Snorm,
        };
        let formats = [R32Sint, Rg11b10Ufloat, Rgb10a2Uint, Rgb10a2Unorm, Rgba16Float, Rgba16Snorm];
        let names = ["r32i", "r11g11b10f", "rgb10a2ui", "rgb10a2", "rgba16f", "rgba16snorm"];
        assert_eq!(formats.map(|format| format_name(format).unwrap_or_default()), names);
    }

    #[test]
    fn what_the_text_would_drop_is_named() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(dropped(&fixture::module(text)), expected, "{text}");
        };
        check("@early_depth_test(force) @fragment fn main() {}", Some("early depth tests"));
        check("@fragment fn main() {}", None);
        let image = |format: &str| {
            format!(
                "@group(0) @binding(2) var i: texture_storage_2d<{format}, write>;
                 @compute @workgroup_size(1) fn main() {{ textureStore(i, vec2i(), vec4f()); }}"
            )
        };
        check(&image("rgba8unorm"), None);
        check(&image("bgra8unorm"), Some("format of a storage texture"));
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
