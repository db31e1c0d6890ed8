//! Built-in functions of samplers and images, and the names of their types.

use crate::invalid::rule::{Rule, Where, compile, one, valid};

use Where::{Either, Fragment};

/// The rules of this topic.
pub const RULES: &[Rule] = &[
    compile("texture_function_without_this_overload", "8.9").since(130, 300).by(&[
        one(Either, "uniform highp sampler2D $n;", "acc += texture($n, vec3(0.0));"),
        one(Either, "uniform highp sampler2D $n;", "acc += texture($n, 0.0);"),
        one(Either, "uniform highp sampler3D $n;", "acc += textureLod($n, vec2(0.0), 0.0);"),
        one(Either, "uniform highp samplerCube $n;", "acc += textureProj($n, vec4(0.0));"),
        one(Either, "uniform highp sampler2DArray $n;", "acc += textureProj($n, vec4(0.0));"),
        one(Either, "uniform highp sampler2D $n;", "acc += texelFetch($n, vec2(0.0), 0);"),
        one(Either, "uniform highp samplerCube $n;", "acc += texelFetch($n, ivec3(0), 0);"),
        one(Either, "uniform highp sampler2DShadow $n;", "acc.x += textureProj($n, vec3(0.0));"),
        one(
            Either,
            "uniform highp sampler2DArrayShadow $n;",
            "acc.x += textureLod($n, vec4(0.0), 0.0);",
        ),
        one(Either, "uniform highp sampler3D $n;", "ivec2 $m = textureSize($n, 0);"),
        one(Either, "uniform highp sampler2D $n;", "acc.x += texture($n, vec2(0.0));"),
    ]),
    compile("texture_offset_of_another_size", "8.9").since(130, 300).by(&[
        one(
            Either,
            "uniform highp sampler2D $n;",
            "acc += textureLodOffset($n, vec2(0.0), 0.0, ivec3(0));",
        ),
        one(Either, "uniform highp sampler2D $n;", "acc += texelFetchOffset($n, ivec2(0), 0, 0);"),
        one(
            Either,
            "uniform highp samplerCube $n;",
            "acc += textureLodOffset($n, vec3(0.0), 0.0, ivec3(0));",
        ),
    ]),
    compile("texture_gradient_of_another_size", "8.9").since(130, 300).by(&[
        one(
            Either,
            "uniform highp sampler2D $n;",
            "acc += textureGrad($n, vec2(0.0), vec3(0.0), vec3(0.0));",
        ),
        one(
            Either,
            "uniform highp samplerCube $n;",
            "acc += textureGrad($n, vec3(0.0), vec2(0.0), vec2(0.0));",
        ),
    ]),
    compile("sampler_type_that_no_version_has", "4.1.7").since(130, 300).by(&[
        one(Either, "uniform highp sampler3DShadow $n;", ""),
        one(Either, "uniform highp isampler2DShadow $n;", ""),
        one(Either, "uniform highp samplerCubeRect $n;", ""),
    ]),
    compile("image_function_of_another_type", "8.12").desktop(420, 460).by(&[
        one(Either, "layout(r32f) uniform image2D $n;", "acc += imageLoad($n, ivec3(0));"),
        one(Either, "layout(r32f) uniform image2D $n;", "imageStore($n, ivec2(0), vec3(0.0));"),
        one(Either, "layout(rgba32f) uniform image2D $n;", "imageAtomicAdd($n, ivec2(0), 1);"),
        one(Either, "layout(r32i) uniform iimage2D $n;", "imageAtomicAdd($n, ivec2(0), 1.0);"),
    ]),
    valid("texture_functions", "8.9").since(130, 300).by(&[
        one(Either, "uniform highp sampler2D $n;", "acc += textureProjLod($n, vec4(1.0), 0.0);"),
        one(
            Either,
            "uniform highp sampler2D $n;",
            "acc += textureLodOffset($n, vec2(0.0), 0.0, ivec2(1, -1));",
        ),
        one(
            Either,
            "uniform highp sampler3D $n;",
            "acc += textureGrad($n, vec3(0.0), vec3(0.0), vec3(0.0));",
        ),
        one(
            Either,
            "uniform highp sampler2DShadow $n;",
            "acc.x += textureProjLod($n, vec4(1.0), 0.0);",
        ),
        one(
            Either,
            "uniform highp isampler2DArray $n;",
            "acc += vec4(texelFetchOffset($n, ivec3(0), 0, ivec2(0)));",
        ),
        one(
            Fragment,
            "uniform highp samplerCubeShadow $n;",
            "acc.x += texture($n, vec4(0.0), 1.0);",
        ),
        one(Either, "uniform highp usampler2D $n;", "acc.xy += vec2(textureSize($n, 0));"),
    ]),
];
