//! Properties of entry points and of their interfaces reach the final modules, in every language that has them.

use std::num::NonZeroU32;

use naga::{
    AddressSpace, ArraySize, Binding, ConservativeDepth, EarlyDepthTest, EntryPoint,
    GlobalVariable, ImageClass, ImageDimension, MemoryDecorations, Module, ScalarKind,
    StorageAccess, StorageFormat, StructMember, Type, TypeInner,
};

use case::Dialect;
use case::parse::parse;
use link::AdapterRules;
use link::program::{LinkedProgram, LinkedStages};

/// Links the program of a case.
#[track_caller]
fn linked(text: &str) -> LinkedProgram {
    let case = parse("a.shader_test", text.as_bytes(), Dialect::Interstage).remove(0);
    let case = case.result.expect("a right case");
    match prepare::linked_program(&case, AdapterRules::default()) {
        Ok(program) => program,
        Err(verdict) => panic!("{verdict:?}"),
    }
}

/// The two modules of a program with these sections.
#[track_caller]
fn modules(vertex: &str, fragment: &str) -> [Module; 2] {
    // SPIR-V links with GLSL only if the case says so.
    let is_mixed = [vertex, fragment].iter().any(|section| section.starts_with(" spirv"));
    let link = if is_mixed { "[link]\nmix on\n" } else { "" };
    let text = format!(
        "[require]\nGLSL >= 4.50\n[vertex shader{vertex}\n[fragment shader{fragment}\n{link}[test]\nlink success\n"
    );
    match linked(&text).stages {
        LinkedStages::Render { vertex, fragment: Some(fragment) } => [vertex, fragment],
        LinkedStages::Render { .. } | LinkedStages::Compute(_) => panic!("a pair was linked"),
    }
}

/// Every property of an entry point except its code and its name, one per line.
fn shown(module: &Module) -> Vec<String> {
    let [entry] = &module.entry_points[..] else { panic!("one entry point") };
    let EntryPoint {
        name: _,
        stage,
        early_depth_test,
        workgroup_size,
        workgroup_size_overrides: None,
        function,
        mesh_info: None,
        task_payload: None,
        incoming_ray_payload: None,
    } = entry
    else {
        panic!("no stage of ours has more")
    };
    let mut lines = vec![format!("{stage:?} {early_depth_test:?} {workgroup_size:?}")];
    let arguments = function.arguments.iter();
    lines.extend(arguments.map(|argument| format!("in {}", in_words(argument.binding.as_ref()))));
    let result = function.result.as_ref().map(|result| &module.types[result.ty].inner);
    if let Some(TypeInner::Struct { members, .. }) = result {
        let members = members.iter();
        lines.extend(members.map(|member| format!("out {}", in_words(member.binding.as_ref()))));
    }
    lines
}

fn in_words(binding: Option<&Binding>) -> String {
    match binding {
        Some(Binding::BuiltIn(builtin)) => format!("{builtin:?}"),
        Some(Binding::Location { location, interpolation, sampling, blend_src, per_primitive }) => {
            format!("{location} {interpolation:?} {sampling:?} {blend_src:?} {per_primitive}")
        }
        None => "nothing".to_owned(),
    }
}

#[track_caller]
fn check(vertex: &str, fragment: &str, expected: [&[&str]; 2]) {
    for (module, expected) in modules(vertex, fragment).iter().zip(expected) {
        assert_eq!(shown(module), expected);
    }
}

#[test]
fn attributes_of_wgsl_reach_the_final_modules() {
    let vertex = " wgsl]
        struct Out {
            @builtin(position) @invariant p: vec4f,
            @location(5) @interpolate(linear, centroid) a: vec2f,
            @location(2) @interpolate(flat, first) b: u32,
            @location(9) @interpolate(perspective, sample) c: f32,
        }
        @vertex fn main(@location(3) v: vec4f, @builtin(vertex_index) i: u32) -> Out {
            return Out(v, v.xy, i, v.x);
        }";
    let fragment = " wgsl]
        enable dual_source_blending;
        struct Out {
            @location(0) @blend_src(0) first: vec4f,
            @location(0) @blend_src(1) second: vec4f,
            @builtin(frag_depth) depth: f32,
        }
        @early_depth_test(less_equal)
        @fragment fn main(
            @builtin(position) p: vec4f,
            @location(5) @interpolate(linear, centroid) a: vec2f,
            @location(2) @interpolate(flat, first) b: u32,
            @location(9) @interpolate(perspective, sample) c: f32,
        ) -> Out {
            return Out(p, vec4f(a, f32(b), c), 0.0);
        }";
    // The plan puts the values of the right vertex where the backend reads flat values, so `either` is as good.
    check(
        vertex,
        fragment,
        [
            &[
                "Vertex None [0, 0, 0]",
                "in 3 None None None false",
                "in VertexIndex",
                "out Position { invariant: true }",
                "out 2 Some(Flat) Some(Either) None false",
                "out 5 Some(Linear) Some(Centroid) None false",
                "out 9 Some(Perspective) Some(Sample) None false",
            ],
            &[
                "Fragment Some(Allow { conservative: LessEqual }) [0, 0, 0]",
                "in 2 Some(Flat) Some(Either) None false",
                "in 5 Some(Linear) Some(Centroid) None false",
                "in 9 Some(Perspective) Some(Sample) None false",
                "in Position { invariant: false }",
                "out FragDepth",
                "out 0 None None Some(0) false",
                "out 0 None None Some(1) false",
            ],
        ],
    );
}

/// Every property of the resource called `name` except its initial value, which resources cannot have, and its binding,
/// which the linker chooses.
#[track_caller]
fn resource(module: &Module, name: &str) -> (AddressSpace, MemoryDecorations, TypeInner) {
    let mut all = module.global_variables.iter().map(|(_, own)| own);
    let found = all.find(|own| own.name.as_deref() == Some(name));
    let GlobalVariable { name: _, space, binding, ty, init: None, memory_decorations } =
        found.unwrap_or_else(|| panic!("`{name}` is gone"))
    else {
        panic!("`{name}` has an initial value");
    };
    assert_eq!(binding.is_some(), *space != AddressSpace::Immediate, "{name}");
    let Type { name: _, inner } = &module.types[*ty];
    (*space, *memory_decorations, inner.clone())
}

/// A resource of WGSL: its declaration in front of the colon, its type, and how a function uses it.
#[derive(Clone)]
struct Declared {
    name: &'static str,
    words: &'static str,
    ty: &'static str,
    used: &'static str,
    expected: (AddressSpace, MemoryDecorations, TypeInner),
}

/// A texture or sampler, without a word in its declaration.
fn handle(name: &'static str, ty: &'static str, used: &'static str, inner: TypeInner) -> Declared {
    let expected = (AddressSpace::Handle, MemoryDecorations::empty(), inner);
    Declared { name, words: "var", ty, used, expected }
}

/// Sampled textures.
fn sampled_textures() -> Vec<Declared> {
    use ImageDimension::{Cube, D1, D2, D3};
    let sampled = |dim, arrayed, kind| TypeInner::Image {
        dim,
        arrayed,
        class: ImageClass::Sampled { kind, multi: false },
    };
    let multi = ImageClass::Sampled { kind: ScalarKind::Uint, multi: true };
    let float = ScalarKind::Float;
    vec![
        handle(
            "line",
            "texture_1d<i32>",
            "textureLoad(line, 0, 0)",
            sampled(D1, false, ScalarKind::Sint),
        ),
        handle(
            "volume",
            "texture_3d<u32>",
            "textureLoad(volume, vec3u(), 0)",
            sampled(D3, false, ScalarKind::Uint),
        ),
        handle(
            "layers",
            "texture_2d_array<f32>",
            "textureLoad(layers, vec2u(), 0, 0)",
            sampled(D2, true, float),
        ),
        handle(
            "cubes",
            "texture_cube_array<f32>",
            "textureSampleLevel(cubes, plain, vec3f(), 0, 0)",
            sampled(Cube, true, float),
        ),
        handle(
            "samples",
            "texture_multisampled_2d<u32>",
            "textureLoad(samples, vec2u(), 1)",
            TypeInner::Image { dim: D2, arrayed: false, class: multi },
        ),
    ]
}

/// Depth textures and samplers.
fn depth_textures() -> Vec<Declared> {
    use ImageDimension::{Cube, D2};
    let depth =
        |dim, arrayed, multi| TypeInner::Image { dim, arrayed, class: ImageClass::Depth { multi } };
    let comparison = TypeInner::Sampler { comparison: true };
    vec![
        handle(
            "depths",
            "texture_depth_cube_array",
            "textureSampleCompareLevel(depths, comparing, vec3f(), 0, 0)",
            depth(Cube, true, false),
        ),
        handle(
            "depth_samples",
            "texture_depth_multisampled_2d",
            "textureLoad(depth_samples, vec2u(), 1)",
            depth(D2, false, true),
        ),
        handle(
            "plain",
            "sampler",
            "textureSampleLevel(cubes, plain, vec3f(), 0, 0)",
            TypeInner::Sampler { comparison: false },
        ),
        handle(
            "comparing",
            "sampler_comparison",
            "textureSampleCompareLevel(depths, comparing, vec3f(), 0, 0)",
            comparison,
        ),
    ]
}

/// Storage textures.
fn storage_textures() -> Vec<Declared> {
    use ImageDimension::{D1, D2, D3};
    let stored = |dim, arrayed, format, access| TypeInner::Image {
        dim,
        arrayed,
        class: ImageClass::Storage { format, access },
    };
    let (load, store) = (StorageAccess::LOAD, StorageAccess::STORE);
    vec![
        handle(
            "fetched",
            "texture_storage_2d_array<rg32sint, read>",
            "textureLoad(fetched, vec2u(), 0)",
            stored(D2, true, StorageFormat::Rg32Sint, load),
        ),
        handle(
            "written",
            "texture_storage_1d<rgba16float, write>",
            "textureDimensions(written)",
            stored(D1, false, StorageFormat::Rgba16Float, store),
        ),
        handle(
            "both",
            "texture_storage_3d<r32uint, read_write>",
            "textureLoad(both, vec3u())",
            stored(D3, false, StorageFormat::R32Uint, load | store),
        ),
    ]
}

fn buffers() -> Vec<Declared> {
    let vector = TypeInner::Vector { size: naga::VectorSize::Tri, scalar: naga::Scalar::U32 };
    let storage = |access| AddressSpace::Storage { access };
    let none = MemoryDecorations::empty();
    let [load, store] = [StorageAccess::LOAD, StorageAccess::STORE];
    let buffer = |name, words, used, space| Declared {
        name,
        words,
        ty: "vec3u",
        used,
        expected: (space, none, vector.clone()),
    };
    let mut all = vec![
        buffer("uniforms", "var<uniform>", "uniforms", AddressSpace::Uniform),
        buffer("constants", "var<immediate>", "constants", AddressSpace::Immediate),
        buffer("seen", "var<storage, read>", "seen", storage(load)),
        buffer("changed", "var<storage, read_write>", "changed", storage(load | store)),
    ];
    let mut coherent = buffer(
        "coherent_one",
        "@coherent var<storage, read_write>",
        "coherent_one",
        storage(load | store),
    );
    coherent.expected.1 = MemoryDecorations::COHERENT;
    all.push(coherent);
    all
}

#[test]
fn resources_of_wgsl_reach_the_final_module() {
    let all: Vec<_> =
        [sampled_textures(), depth_textures(), storage_textures(), buffers()].concat();
    let mut text = String::new();
    for (number, Declared { name, words, ty, .. }) in all.iter().enumerate() {
        let at = format!("@group({}) @binding({})", number % 3, 7 * number);
        let at = if *words == "var<immediate>" { "" } else { &at };
        text.extend([at, " ", words, " ", name, ": ", ty, ";\n"]);
    }
    let uses: String = all.iter().map(|own| ["_ = ", own.used, ";\n"].concat()).collect();
    let text = format!(
        "[compute shader wgsl]\n{text}@compute @workgroup_size(1) fn main() {{ {uses} }}\n[test]\nlink success\n"
    );
    let LinkedStages::Compute(module) = linked(&text).stages else { panic!("a compute stage") };
    for Declared { name, expected, .. } in &all {
        assert_eq!(resource(&module, name), *expected, "{name}");
    }
}

/// Every property of a struct's members, and the bytes between elements of an array.
#[test]
fn layouts_of_wgsl_reach_the_final_module() {
    let text = "[compute shader wgsl]
        struct Part { @size(24) a: f32, @align(32) b: vec2f }
        struct Data { first: u32, @align(64) parts: array<Part, 3>, last: atomic<i32> }
        @group(0) @binding(0) var<storage, read_write> data: Data;
        @compute @workgroup_size(1) fn main() { data.first = u32(data.parts[1].b.y) + u32(atomicLoad(&data.last)); }
        [test]\nlink success\n";
    let text = text.replace("\n        [test]", "\n[test]");
    let LinkedStages::Compute(module) = linked(&text).stages else { panic!("a compute stage") };
    let offsets = |inner: &TypeInner| {
        let TypeInner::Struct { members, span } = inner else { panic!("a struct") };
        let offset = |member: &StructMember| {
            let StructMember { name: Some(name), ty: _, binding: None, offset } = member else {
                panic!("a member of a buffer has a name and no binding");
            };
            format!("{name} {offset}")
        };
        let members: Vec<_> = members.iter().map(offset).collect();
        (members.join(", "), *span)
    };
    let (_, _, data) = resource(&module, "data");
    assert_eq!(offsets(&data), ("first 0, parts 64, last 256".to_owned(), 320));
    let TypeInner::Struct { members, .. } = &data else { panic!("a struct") };
    let TypeInner::Array { base, size, stride } = module.types[members[1].ty].inner else {
        panic!("an array");
    };
    assert_eq!((size, stride), (ArraySize::Constant(NonZeroU32::new(3).expect("three")), 64));
    assert_eq!(offsets(&module.types[base].inner), ("a 0, b 32".to_owned(), 64));
    let atomic = TypeInner::Atomic(naga::Scalar::I32);
    assert_eq!(module.types[members[2].ty].inner, atomic);
}

#[test]
fn workgroup_sizes_reach_the_final_module() {
    let text = "[compute shader wgsl]
        @group(0) @binding(0) var<storage, read_write> n: u32;
        @compute @workgroup_size(3, 2, 4) fn main() { n = 1u; }\n[test]\nlink success\n";
    let LinkedStages::Compute(module) = linked(text).stages else { panic!("a compute stage") };
    assert_eq!(shown(&module), ["Compute None [3, 2, 4]"]);
}

/// True if the position is invariant in the final module of a vertex stage that starts with `vertex`.
#[track_caller]
fn is_invariant(vertex: &str) -> bool {
    let [vertex, _] =
        modules(vertex, "]\n#version 450\nout vec4 c; void main() { c = vec4(1.0); }");
    shown(&vertex).iter().any(|line| line == "out Position { invariant: true }")
}

#[test]
fn invariant_positions_of_glsl_reach_the_final_module() {
    let main = "void main() { gl_Position = vec4(0.5); }";
    assert!(!is_invariant(&format!("]\n#version 450\n{main}")));
    let block = "out gl_PerVertex { invariant vec4 gl_Position; };";
    for way in ["invariant gl_Position;", "#pragma STDGL invariant(all)", block] {
        assert!(is_invariant(&format!("]\n#version 450\n{way}\n{main}")), "{way}");
    }
    let others = "invariant gl_PointSize; invariant out vec4 v;";
    assert!(!is_invariant(&format!("]\n#version 450\n{others}\n{main}")));
}

#[test]
fn invariant_positions_of_spirv_reach_the_final_module() {
    let module = |decoration: &str| {
        format!(
            " spirv]
            OpCapability Shader
            OpMemoryModel Logical GLSL450
            OpEntryPoint Vertex %main \"main\" %position
            OpDecorate %position BuiltIn Position
            {decoration}
            %void = OpTypeVoid
            %function = OpTypeFunction %void
            %float = OpTypeFloat 32
            %vector = OpTypeVector %float 4
            %pointer = OpTypePointer Output %vector
            %position = OpVariable %pointer Output
            %one = OpConstant %float 1
            %ones = OpConstantComposite %vector %one %one %one %one
            %main = OpFunction %void None %function
            %entry = OpLabel
            OpStore %position %ones
            OpReturn
            OpFunctionEnd"
        )
    };
    assert!(!is_invariant(&module("")));
    assert!(is_invariant(&module("OpDecorate %position Invariant")));
}

/// The early depth test of a fragment stage's entry point.
#[track_caller]
fn early(fragment: &str) -> Option<EarlyDepthTest> {
    let vertex = "]\n#version 450\nvoid main() { gl_Position = vec4(0.5); }";
    modules(vertex, fragment)[1].entry_points[0].early_depth_test
}

#[test]
fn early_tests_of_glsl_reach_the_final_module() {
    let of = |declarations: &str| {
        early(&format!(
            "]\n#version 450\n{declarations}\nout vec4 c; void main() {{ c = vec4(1.0); gl_FragDepth = 0.5; }}"
        ))
    };
    let forced = "layout(early_fragment_tests) in;";
    assert_eq!(of(""), None);
    assert_eq!(of(forced), Some(EarlyDepthTest::Force));
    let words = [
        ("depth_greater", ConservativeDepth::GreaterEqual),
        ("depth_less", ConservativeDepth::LessEqual),
        ("depth_unchanged", ConservativeDepth::Unchanged),
    ];
    for (word, conservative) in words {
        let promise = format!("layout({word}) out float gl_FragDepth;");
        assert_eq!(of(&promise), Some(EarlyDepthTest::Allow { conservative }), "{word}");
        for both in [format!("{promise}\n{forced}"), format!("{forced}\n{promise}")] {
            assert_eq!(of(&both), Some(EarlyDepthTest::Force), "{both}");
        }
    }
    assert_eq!(of("layout(depth_any) out float gl_FragDepth;"), None);
}

#[test]
fn early_tests_of_spirv_reach_the_final_module() {
    let of = |mode: &str| {
        early(&format!(
            " spirv]
            OpCapability Shader
            OpMemoryModel Logical GLSL450
            OpEntryPoint Fragment %main \"main\" %depth
            OpExecutionMode %main OriginLowerLeft
            OpExecutionMode %main DepthReplacing
            {mode}
            OpDecorate %depth BuiltIn FragDepth
            %void = OpTypeVoid
            %function = OpTypeFunction %void
            %float = OpTypeFloat 32
            %pointer = OpTypePointer Output %float
            %depth = OpVariable %pointer Output
            %one = OpConstant %float 1
            %main = OpFunction %void None %function
            %entry = OpLabel
            OpStore %depth %one
            OpReturn
            OpFunctionEnd"
        ))
    };
    let allowed = |conservative| Some(EarlyDepthTest::Allow { conservative });
    assert_eq!(of(""), None);
    let modes = [
        ("EarlyFragmentTests", Some(EarlyDepthTest::Force)),
        ("DepthGreater", allowed(ConservativeDepth::GreaterEqual)),
        ("DepthLess", allowed(ConservativeDepth::LessEqual)),
        ("DepthUnchanged", allowed(ConservativeDepth::Unchanged)),
    ];
    for (mode, expected) in modes {
        assert_eq!(of(&format!("OpExecutionMode %main {mode}")), expected, "{mode}");
    }
}
