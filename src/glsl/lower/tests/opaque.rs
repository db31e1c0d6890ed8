//! Samplers, images and atomic counters.

use expect_test::{Expect, expect};

use ir::stage::ShaderStage::{self, Compute, Fragment, Vertex};

use super::{accepted, error_of, function_of};

/// Checks name, kind and first unit of every resource.
#[track_caller]
fn check_resources(stage: ShaderStage, text: &str, expected: Expect) {
    let (module, _) = accepted("450", stage, text);
    let line = |resource: &ir::stage_module::ResourceVariable| {
        let unit = resource.binding.map_or_else(String::new, |unit| format!(" on {unit}"));
        format!("{:?} {}{unit}", resource.kind, resource.name)
    };
    expected.assert_eq(&module.resources.iter().map(line).collect::<Vec<_>>().join("\n"));
}

/// Checks that a fragment stage whose `main` has this statement compiles to a valid module.
#[track_caller]
fn check_accepted(version: &str, declarations: &str, statement: &str) {
    accepted(version, Fragment, &format!("{declarations}\nvoid main() {{ {statement} }}"));
}

#[track_caller]
fn check_error(stage: ShaderStage, text: &str, expected: &str) {
    assert_eq!(error_of("450", stage, text), expected, "{text}");
}

#[test]
fn every_sampler_of_an_array_is_a_texture_and_a_sampler() {
    check_resources(
        Fragment,
        "struct S { float x; sampler2D map; };
         layout(binding = 3) uniform sampler2D a[2]; uniform S s; void main() {}",
        expect![[r"
            Texture a[0] on 3
            Sampler a[0] on 3
            Texture a[1] on 4
            Sampler a[1] on 4
            Texture s.map
            Sampler s.map"]],
    );
}

#[test]
fn counters_of_one_binding_point_share_a_buffer() {
    check_resources(
        Compute,
        "layout(binding = 2, offset = 8) uniform atomic_uint a;
         layout(binding = 2) uniform atomic_uint b[2]; layout(binding = 0) uniform atomic_uint c;
         void main() { atomicCounterIncrement(b[1]); }",
        expect![[r"
            AtomicCounters atomic counters 2 on 2
            AtomicCounters atomic counters 0 on 0"]],
    );
    let text = "layout(binding = 2, offset = 8) uniform atomic_uint a;
                layout(binding = 2) uniform atomic_uint b[2];
                void main() { atomicCounterIncrement(b[1]); }";
    expect![[r#"
        let _e8 = atomicAdd((&atomic_u0020_counters_u0020_2_[4]), 1u);
        counter = _e8;
    "#]]
    .assert_eq(&function_of("450", Compute, text, "main"));
}

#[test]
fn a_known_index_reads_one_texture_and_an_unknown_one_all() {
    let text = |index| {
        format!(
            "uniform sampler2D t[3]; uniform int n; out vec4 c;
             void main() {{ c = textureLod(t[{index}], vec2(0.5), 0.0); }}"
        )
    };
    let count = |index| {
        let main = function_of("450", Fragment, &text(index), "main");
        main.matches("textureSampleLevel").count()
    };
    assert_eq!([count("1"), count("n")], [1, 3]);
}

#[test]
fn texture_functions_of_all_versions_compile() {
    let old =
        "uniform sampler1D a; uniform sampler2D b; uniform sampler3D c; uniform samplerCube d;
               uniform sampler1DShadow e; uniform sampler2DShadow f;";
    for call in [
        "texture1D(a, 0.5)",
        "texture1DProj(a, vec2(0.5))",
        "texture2D(b, vec2(0.5), 1.0)",
        "texture2DProj(b, vec3(0.5))",
        "texture2DProj(b, vec4(0.5), 1.0)",
        "texture3D(c, vec3(0.5))",
        "textureCube(d, vec3(0.5))",
        "shadow1D(e, vec3(0.5))",
        "shadow2D(f, vec3(0.5), 1.0)",
        "shadow2DProj(f, vec4(0.5))",
    ] {
        check_accepted("120", old, &format!("gl_FragColor = {call};"));
    }
    let new = "uniform sampler2DArray a; uniform samplerCubeArray b; uniform sampler2DRect c;
               uniform sampler2DArrayShadow d; uniform samplerCubeShadow e; uniform isampler2D f;
               uniform samplerCubeArrayShadow g; uniform usampler3D h; uniform sampler1DArray i;
               out vec4 o;";
    for call in [
        "texture(a, vec3(0.5), 1.0)",
        "textureLod(b, vec4(0.5), 1.0)",
        "textureGrad(c, vec2(0.5), vec2(0.1), vec2(0.1))",
        "textureProj(c, vec3(0.5))",
        "vec4(texture(d, vec4(0.5)))",
        "vec4(textureGrad(e, vec4(0.5), vec3(0.1), vec3(0.1)))",
        "vec4(texture(f, vec2(0.5)))",
        "vec4(texture(g, vec4(0.5), 0.5))",
        "vec4(texelFetch(h, ivec3(0), 0))",
        "textureOffset(a, vec3(0.5), ivec2(1, -1))",
        "textureLodOffset(i, vec2(0.5), 0.0, 1)",
        "texelFetchOffset(i, ivec2(0), 0, 1)",
        "textureGather(a, vec3(0.5), 2)",
        "vec4(textureGather(f, vec2(0.5)))",
        "textureGather(d, vec3(0.5), 0.5)",
        "vec4(textureSize(b, 0), textureQueryLevels(b))",
        "vec4(textureSize(c), textureSize(i, 0))",
    ] {
        check_accepted("450", new, &format!("o = {call};"));
    }
}

#[test]
fn calls_that_no_sampler_has_are_errors() {
    let call = |call: &str| format!("uniform sampler2D s; void main() {{ {call}; }}");
    check_error(
        Vertex,
        &call("texture(s, vec2(0.5), 1.0)"),
        "a bias is only allowed in the fragment stage [texture(s, vec2(0.5), 1.0)]",
    );
    check_error(
        Fragment,
        &call("texture(s, 0.5)"),
        "no overload of `texture` accepts (sampler2D, float) [texture]",
    );
    check_error(
        Fragment,
        &call("texelFetch(s, ivec2(0))"),
        "no overload of `texelFetch` accepts (sampler2D, ivec2) [texelFetch]",
    );
    check_error(
        Fragment,
        &call("textureGather(s, vec3(0.5))"),
        "no overload of `textureGather` accepts (sampler2D, vec3) [textureGather]",
    );
}

/// Checks that a fragment stage with this call in `main` has no such overload.
#[track_caller]
fn check_missing(version: &str, ty: &str, call: &str) {
    let uniform = if ty.contains("image") { "layout(r32i) uniform highp" } else { "uniform lowp" };
    let text = format!("precision highp float; {uniform} {ty} s; void main() {{ {call}; }}");
    let found = error_of(version, Fragment, &text);
    let name = call.split('(').next().unwrap_or_default();
    let expected = [
        format!("no overload of `{name}` accepts"),
        format!("`{name}` is not available in this version"),
        format!("`{name}` is not declared"),
    ];
    assert!(expected.iter().any(|start| found.starts_with(start)), "{ty} {call}: {found}");
}

/// F1
#[test]
fn texture_functions_exist_for_the_samplers_of_the_specification_only() {
    for (ty, call) in [
        ("samplerCube", "textureProj(s, vec4(0))"),
        ("sampler2DArray", "textureProjLod(s, vec4(0), 0.0)"),
        ("sampler2DArray", "textureProjGrad(s, vec4(0), vec2(0), vec2(0))"),
        ("samplerCubeShadow", "textureLod(s, vec4(0), 0.0)"),
        ("sampler2DArrayShadow", "textureLod(s, vec4(0), 0.0)"),
        ("sampler2DArrayShadow", "texture(s, vec4(0), 0.0)"),
        ("samplerCube", "textureOffset(s, vec3(0), ivec2(0))"),
        ("samplerCube", "textureOffset(s, vec3(0), ivec3(0))"),
        ("sampler2DShadow", "texelFetch(s, ivec2(0), 0)"),
        ("samplerCube", "texelFetch(s, ivec3(0), 0)"),
        ("sampler2D", "texture(s, vec2(0), vec2(0))"),
        ("sampler2D", "texture2DArray(s, vec3(0))"),
        ("sampler2D", "textureGatherFoo(s, vec2(0))"),
    ] {
        check_missing("330", ty, call);
        check_missing("300 es", ty, call);
    }
    check_missing("300 es", "sampler2DArrayShadow", "textureOffset(s, vec4(0), ivec2(0))");
    check_missing("300 es", "sampler2D", "texture(s, ivec2(0))");
    check_missing("450", "sampler2DRect", "textureLod(s, vec2(0), 0.0)");
    check_missing("450", "iimage1D", "imageStore(s, 0, uvec4(0))");
    check_missing("450", "iimage2D", "imageStore(s, ivec3(0), ivec4(0))");
}

/// Lowers a shader of which only the verdict counts.
fn only_compiled(version: &str, text: &str) -> Result<(), String> {
    let text = format!("#version {version}\n{text}");
    let hints = crate::Hints { is_only_compiled: true, ..crate::Hints::default() };
    crate::lower::compile(&super::units(&[&text]), Fragment, &hints)
        .map(|_| ())
        .map_err(|error| format!("{error:?}"))
}

#[test]
fn what_cannot_be_run_is_checked_where_only_the_verdict_counts() {
    for (declaration, call) in [
        ("samplerBuffer s", "vec4 v = texelFetch(s, 3)"),
        ("usampler2DMSArray s", "uvec4 v = texelFetch(s, ivec3(0), 3); int n = textureSamples(s)"),
        ("sampler2D s", "vec2 v = textureQueryLod(s, vec2(0))"),
        ("layout(r32i) iimage2D s", "int v = imageAtomicAdd(s, ivec2(0), 1)"),
        ("layout(rgba8) image2DMS s", "imageStore(s, ivec2(0), 1, vec4(0))"),
        (
            "layout(r32f) image3D s",
            "float v = imageAtomicExchange(s, ivec3(0), 1.0); ivec3 n = imageSize(s)",
        ),
    ] {
        let (layout, ty) = declaration.split_once(") ").unwrap_or(("", declaration));
        let layout = if layout.is_empty() { String::new() } else { format!("{layout})") };
        let text = format!("{layout} uniform {ty}; void main() {{ {call}; }}");
        assert_eq!(only_compiled("450", &text), Ok(()), "{text}");
    }
    for text in [
        "in vec4 i; void main() { vec4 v = interpolateAtOffset(i, vec2(0)); }",
        "void main() { vec2 v = gl_SamplePosition; if (gl_HelperInvocation) v /= gl_NumSamples; }",
        "#extension GL_ARB_shader_stencil_export : enable\nvoid main() { gl_FragStencilRefARB = 3; }",
    ] {
        assert_eq!(only_compiled("450", text), Ok(()), "{text}");
    }
    for wrong in [
        "uniform samplerBuffer s; void main() { texelFetch(s, 3, 0); }",
        "layout(r32i) uniform iimage2D s; void main() { imageAtomicAdd(s, ivec2(0), 1u); }",
        "layout(r32f) uniform image2D s; void main() { imageAtomicAdd(s, ivec2(0), 1.0); }",
        "uniform sampler2DMS s; void main() { texture(s, vec2(0)); }",
        "in ivec4 i; void main() { interpolateAtCentroid(i); }",
        "uniform samplerExternalOES s; void main() {}",
        "void main() { gl_SamplePosition = vec2(0); }",
        "void main() { gl_FragStencilRefARB = 3; }",
    ] {
        assert!(only_compiled("450", wrong).is_err(), "{wrong}");
    }
}

#[test]
fn what_a_gather_takes_besides_its_place_is_constant() {
    let text = |call: &str| {
        format!("uniform int i; uniform ivec2 v; uniform sampler2D s; void main() {{ {call}; }}")
    };
    check_error(
        Fragment,
        &text("textureGather(s, vec2(0), i)"),
        "the component to gather must be a constant from 0 to 3 [textureGather(s, vec2(0), i)]",
    );
    let offsets = "textureGatherOffsets(s, vec2(0), ivec2[4](v, v, v, v))";
    check_error(
        Fragment,
        &text(offsets),
        &format!("the offsets of `textureGatherOffsets` must be constant [{offsets}]"),
    );
    let offset = "textureGatherOffset(s, vec2(0), v)";
    let old = format!(
        "#extension GL_ARB_texture_gather : require\nuniform ivec2 v; uniform sampler2D s; void main() {{ {offset}; }}"
    );
    assert_eq!(
        error_of("130", Fragment, &old),
        format!("the offset of a gather must be constant in this version [{offset}]")
    );
    check_accepted("450", "uniform ivec2 v; uniform sampler2D s;", &format!("{offset};"));
}

#[test]
fn memory_qualifiers_of_images_hold() {
    let image = |words: &str, call: &str| {
        format!("layout(rgba8) {words} uniform image2D i; void main() {{ {call}; }}")
    };
    check_error(
        Fragment,
        &image("writeonly", "imageLoad(i, ivec2(0))"),
        "image `i` is `writeonly` and cannot be read [imageLoad(i, ivec2(0))]",
    );
    check_error(
        Fragment,
        &image("readonly", "imageStore(i, ivec2(0), vec4(0))"),
        "image `i` is `readonly` and cannot be written [imageStore(i, ivec2(0), vec4(0))]",
    );
    check_error(
        Fragment,
        &image("", "imageStore(i, ivec2(0), imageLoad(i, ivec2(1)))"),
        "accepted",
    );
}

/// Direct3D's compilers treat `sampler2D` as a type, which naga does not know.
#[test]
fn no_struct_has_the_name_of_an_opaque_type() {
    let text =
        "layout(r32ui) uniform uimage2D i; uniform sampler2D s[2]; out vec4 c; uniform int n;
                vec4 f(sampler2D t) { return texture(t, vec2(0.5)); }
                void main() { c = f(s[n]); imageStore(i, ivec2(0), uvec4(1u)); }";
    let (stage, _) = accepted("450", Fragment, text);
    let names = stage.module.types.iter().filter_map(|(_, ty)| ty.name.as_deref());
    let names: Vec<_> = names.filter(|name| name.contains("2D")).collect();
    assert_eq!(names, ["gl_uimage2D", "gl_sampler2D"]);
}

/// F39: the names follow the pattern of samplers, but no version or extension has them.
#[test]
fn samplers_that_no_version_has_are_no_types() {
    for name in ["sampler3DShadow", "isampler2DShadow", "samplerRect"] {
        let text = format!("uniform {name} s; void main() {{}}");
        check_error(Fragment, &text, &format!("there is no type `{name}` [{name}]"));
    }
}
