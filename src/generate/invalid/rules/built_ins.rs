//! Built-in variables, constants and functions: versions, profiles and stages that have them.

use fastrand::Rng;

use crate::invalid::program::{Place, Program};
use crate::invalid::rule::{Rule, Where, change, compile, one, state, valid};
use crate::invalid::version::Version;

use Where::{Either, Fragment, Vertex};

/// A built-in: the stage, a statement that uses it, its first versions of GLSL and GLSL ES; 0 for a language without
/// it.
type Entry = (Where, &'static str, u16, u16);

const VARIABLES: &[Entry] = &[
    (Vertex, "acc += float(gl_VertexID);", 130, 300),
    (Vertex, "acc += float(gl_InstanceID);", 140, 300),
    (Vertex, "acc += float(gl_BaseVertex);", 460, 0),
    (Vertex, "acc += float(gl_BaseInstance);", 460, 0),
    (Vertex, "acc += float(gl_DrawID);", 460, 0),
    (Vertex, "gl_ClipDistance[1] = 1.0;", 130, 0),
    (Vertex, "gl_CullDistance[1] = 1.0;", 450, 0),
    (Vertex, "gl_PointSize = 1.0;", 110, 100),
    (Fragment, "acc += gl_ClipDistance[1];", 130, 0),
    (Fragment, "acc += float(gl_PrimitiveID);", 150, 320),
    (Fragment, "acc += float(gl_SampleID);", 400, 320),
    (Fragment, "acc += gl_SamplePosition.x;", 400, 320),
    (Fragment, "gl_SampleMask[0] = 1;", 400, 320),
    (Fragment, "acc += float(gl_HelperInvocation);", 450, 310),
    (Fragment, "acc += float(gl_Layer);", 430, 320),
    (Fragment, "acc += float(gl_ViewportIndex);", 430, 0),
    (Fragment, "gl_FragDepth = 0.5;", 110, 300),
    (Fragment, "acc.xy += gl_PointCoord;", 120, 100),
];

const CONSTANTS: &[Entry] = &[
    (Either, "acc += float(gl_MaxDrawBuffers);", 110, 100),
    (Either, "acc += float(gl_MaxClipDistances);", 130, 0),
    (Either, "acc += float(gl_MaxVaryingComponents);", 130, 0),
    (Either, "acc += float(gl_MinProgramTexelOffset);", 420, 300),
    (Either, "acc += float(gl_MaxVertexOutputComponents);", 150, 320),
    (Either, "acc += float(gl_MaxFragmentUniformVectors);", 410, 100),
    (Either, "acc += float(gl_MaxVertexOutputVectors);", 0, 300),
    (Either, "acc += float(gl_MaxImageUnits);", 420, 310),
    (Either, "acc += float(gl_MaxAtomicCounterBindings);", 420, 310),
    (Either, "acc += float(gl_MaxComputeWorkGroupSize.x);", 430, 310),
    (Either, "acc += float(gl_MaxTransformFeedbackBuffers);", 440, 0),
    (Either, "acc += float(gl_MaxSamples);", 450, 320),
    (Either, "acc += float(gl_MaxCullDistances);", 450, 0),
];

const FUNCTIONS: &[Entry] = &[
    (Either, "acc = trunc(acc);", 130, 300),
    (Either, "acc = roundEven(acc);", 130, 300),
    (Either, "if (isnan(acc.x)) { acc.x = 0.0; }", 130, 300),
    (Either, "acc = sinh(acc);", 130, 300),
    (Either, "mat2 q = transpose(mat2(1.0)); acc.xy += q[0];", 120, 300),
    (Either, "mat2 q = outerProduct(acc.xy, acc.zw); acc.xy += q[0];", 120, 300),
    (Either, "mat2 q = inverse(mat2(2.0)); acc.xy += q[0];", 140, 300),
    (Either, "acc += determinant(mat3(2.0));", 150, 300),
    (Either, "acc += float(floatBitsToInt(acc.x));", 330, 300),
    (Either, "acc += float(bitCount(3));", 400, 310),
    (Either, "acc = fma(acc, acc, acc);", 400, 320),
    (Either, "acc.xy = unpackHalf2x16(packHalf2x16(acc.xy));", 420, 300),
    (Either, "acc = unpackUnorm4x8(packUnorm4x8(acc));", 400, 310),
    (Either, "acc = ldexp(acc, ivec4(1));", 400, 310),
    (Either, "float q; acc.x = modf(acc.y, q);", 130, 300),
    (Either, "ivec2 q = mix(ivec2(1), ivec2(2), bvec2(true)); acc.x += float(q.x);", 450, 310),
    (Either, "acc = mix(acc, acc.wzyx, bvec4(true));", 130, 300),
    (Fragment, "acc = fwidth(acc);", 110, 300),
    (Fragment, "acc = dFdxFine(acc);", 450, 0),
];

const LEGACY: &[Entry] = &[
    (Vertex, "acc += gl_Vertex;", 0, 0),
    (Vertex, "acc += gl_Color;", 0, 0),
    (Vertex, "acc.xyz += gl_Normal;", 0, 0),
    (Vertex, "acc += gl_MultiTexCoord0;", 0, 0),
    (Vertex, "gl_FrontColor = acc;", 0, 0),
    (Vertex, "gl_BackSecondaryColor = acc;", 0, 0),
    (Vertex, "gl_TexCoord[0] = acc;", 0, 0),
    (Vertex, "gl_FogFragCoord = 1.0;", 0, 0),
    (Vertex, "acc = ftransform();", 0, 0),
    (Vertex, "gl_ClipVertex = acc;", 0, 0),
    (Fragment, "acc += gl_Color;", 0, 0),
    (Fragment, "acc += gl_SecondaryColor;", 0, 0),
    (Fragment, "acc += gl_TexCoord[1];", 0, 0),
    (Fragment, "acc += gl_FogFragCoord;", 0, 0),
    (Either, "acc = gl_ModelViewMatrix * acc;", 0, 0),
    (Either, "acc.xyz = gl_NormalMatrix * acc.xyz;", 0, 0),
    (Either, "acc += gl_LightSource[0].ambient;", 0, 0),
    (Either, "acc += gl_Fog.color;", 0, 0),
    (Either, "acc += float(gl_MaxLights);", 0, 0),
    (Either, "acc += float(gl_MaxTextureUnits);", 0, 0),
];

/// The rules of this topic.
pub const RULES: &[Rule] = &[
    compile("built_in_variable_of_a_later_version", "7.1").desktop(110, 450).es(100, 320).by(&[
        change(|program, rng| {
            lacking(program, rng, VARIABLES);
        }),
    ]),
    valid("built_in_variable_of_this_version", "7.1").everywhere().by(&[change(|program, rng| {
        having(program, rng, VARIABLES);
    })]),
    compile("built_in_constant_of_a_later_version", "7.3").desktop(110, 440).es(100, 320).by(&[
        change(|program, rng| {
            lacking(program, rng, CONSTANTS);
        }),
    ]),
    valid("built_in_constant_of_this_version", "7.3").everywhere().by(&[change(|program, rng| {
        having(program, rng, CONSTANTS);
    })]),
    compile("built_in_function_of_a_later_version", "8").desktop(110, 440).es(100, 320).by(&[
        change(|program, rng| {
            lacking(program, rng, FUNCTIONS);
        }),
    ]),
    valid("built_in_function_of_this_version", "8").everywhere().by(&[change(|program, rng| {
        having(program, rng, FUNCTIONS);
    })]),
    compile("built_in_of_the_compatibility_profile", "7.1").since(140, 100).core().by(&[change(
        |program, rng| {
            lacking(program, rng, LEGACY);
        },
    )]),
    compile("built_in_of_the_fragment_stage", "7.1.5").everywhere().by(&[
        state(Vertex, "acc += gl_FragCoord;"),
        state(Vertex, "if (gl_FrontFacing) { acc.x = 1.0; }"),
        state(Vertex, "acc.xy += gl_PointCoord;"),
        state(Vertex, "gl_FragColor = acc;"),
        state(Vertex, "gl_FragData[0] = acc;"),
        state(Vertex, "gl_FragDepth = 1.0;"),
        state(Vertex, "acc += float(gl_SampleID);"),
    ]),
    compile("built_in_of_the_vertex_stage", "7.1.1").everywhere().by(&[
        state(Fragment, "acc += gl_Position;"),
        state(Fragment, "gl_Position = acc;"),
        state(Fragment, "gl_PointSize = 1.0;"),
        state(Fragment, "acc += float(gl_VertexID);"),
        state(Fragment, "acc += float(gl_InstanceID);"),
    ]),
    compile("built_in_of_other_stages", "7.1").everywhere().by(&[
        state(Either, "acc += float(gl_InvocationID);"),
        state(Either, "acc += gl_TessCoord.x;"),
        state(Either, "acc += float(gl_LocalInvocationID.x);"),
        state(Either, "acc += float(gl_PrimitiveIDIn);"),
        state(Fragment, "gl_TessLevelOuter[0] = 1.0;"),
    ]),
    compile("write_to_a_built_in_input", "7.1").everywhere().by(&[
        state(Fragment, "gl_FragCoord = acc;"),
        state(Fragment, "gl_FrontFacing = true;"),
        state(Fragment, "gl_PointCoord.x = 1.0;").since(120, 100),
        state(Vertex, "gl_VertexID = 1;").since(130, 300),
        state(Fragment, "gl_PrimitiveID++;").since(150, 320),
        state(Fragment, "gl_ClipDistance[0] = 1.0;").since(130, 1000),
    ]),
    compile("write_to_a_built_in_constant", "7.3")
        .everywhere()
        .by(&[state(Either, "gl_MaxDrawBuffers = 1;"), state(Either, "gl_DepthRange.near = 1.0;")]),
    compile("texture_function_of_old_versions", "8.9")
        .lenient("Mesa has them in ES 3.00 and later")
        .desktop(420, 460)
        .es(300, 320)
        .core()
        .by(&[
            one(Fragment, "uniform sampler2D $n;", "acc += texture2D($n, acc.xy);"),
            one(Fragment, "uniform samplerCube $n;", "acc += textureCube($n, acc.xyz);"),
            one(Fragment, "uniform sampler2D $n;", "acc += texture2DProj($n, acc);"),
        ]),
    compile("texture_function_of_later_versions", "8.9").desktop(110, 120).es(100, 100).by(&[
        one(Fragment, "uniform sampler2D $n;", "acc += texture($n, acc.xy);"),
        one(Fragment, "uniform sampler2D $n;", "acc += texelFetch($n, ivec2(0), 0);"),
        one(Either, "uniform sampler2D $n;", "acc += textureLod($n, acc.xy, 0.0);"),
        one(Either, "uniform sampler2D $n;", "acc += float(textureSize($n, 0).x);"),
    ]),
    compile("gather_in_old_versions", "8.9.4").desktop(130, 330).es(300, 300).by(&[one(
        Fragment,
        "uniform sampler2D $n;",
        "acc += textureGather($n, acc.xy);",
    )]),
    compile("texture_coordinates_of_the_wrong_size", "8.9").everywhere().by(&[
        one(Fragment, "uniform sampler2D $n;", "acc += $tex($n, acc.xyz);"),
        one(Fragment, "uniform sampler2D $n;", "acc += $tex($n, acc.x);"),
        one(Fragment, "uniform sampler2D $n;", "acc += $tex($n);"),
    ]),
    compile("derivative_in_the_vertex_stage", "8.14.1")
        .since(110, 300)
        .by(&[state(Vertex, "acc = dFdx(acc);"), state(Vertex, "acc.x = fwidth(acc.y);")]),
    compile("derivative_without_the_extension", "ES 8.14")
        .es(100, 100)
        .by(&[state(Fragment, "acc = dFdx(acc);")]),
    compile("bias_in_the_vertex_stage", "8.9").everywhere().by(&[one(
        Vertex,
        "uniform sampler2D $n;",
        "acc += $tex($n, acc.xy, 1.0);",
    )]),
    compile("texel_offset_that_is_no_constant", "8.9").since(130, 300).by(&[one(
        Fragment,
        "uniform sampler2D $n; uniform ivec2 $m;",
        "acc += textureOffset($n, acc.xy, $m);",
    )]),
    compile("interpolation_function_of_what_is_no_input", "8.14.2").since(400, 320).by(&[
        state(Fragment, "vec4 $n = acc; acc += interpolateAtCentroid($n);"),
        state(Fragment, "acc += interpolateAtSample(acc, 0);"),
    ]),
    compile("built_in_function_with_wrong_arguments", "8").everywhere().by(&[
        state(Either, "acc = sin();"),
        state(Either, "acc = max(acc, vec2(1.0));"),
        state(Either, "acc.x = dot(acc, acc.xy);"),
        state(Either, "acc.xyz = cross(acc.xy, acc.zw);"),
        state(Either, "acc = clamp(acc, 0.0);"),
        state(Either, "if (any(acc)) { acc.x = 1.0; }"),
        state(Either, "if (any(lessThan(acc.x, 1.0))) { acc.x = 1.0; }"),
    ]),
];

fn lacking(program: &mut Program, rng: &mut Rng, entries: &[Entry]) {
    choose(program, rng, entries, |version, desktop, es| !version.since(desktop, es));
}

fn having(program: &mut Program, rng: &mut Rng, entries: &[Entry]) {
    choose(program, rng, entries, Version::since);
}

/// Adds a statement with one of the entries that suit the version.
fn choose(
    program: &mut Program,
    rng: &mut Rng,
    entries: &[Entry],
    suits: fn(Version, u16, u16) -> bool,
) {
    let version = program.version;
    let suiting = entries.iter().filter(|(_, _, desktop, es)| suits(version, *desktop, *es));
    let Some((place, text, ..)) = rng.choice(suiting.collect::<Vec<_>>()) else { return };
    let stage = place.stage(rng);
    program.state(stage, Place::random(rng), text);
}
