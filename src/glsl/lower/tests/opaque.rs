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
