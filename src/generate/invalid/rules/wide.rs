//! Doubles and 64-bit integers.

use fastrand::Rng;

use crate::invalid::program::{Place, Program, Stage};
use crate::invalid::rule::{Rule, Where, change, compile, declare, link, one, pair, state, valid};

use Where::{Either, Fragment, Vertex};

/// The rules of this topic.
pub const RULES: &[Rule] = &[
    compile("double_input_without_flat", "4.3.4").since(400, 0).by(&[
        declare(Fragment, "in double $n;"),
        declare(Fragment, "in dvec3 $n;"),
        declare(Fragment, "in dmat2 $n;"),
        declare(Fragment, "in double $n[2];"),
        declare(Fragment, "struct $n { float a; dvec2 b; }; in $n $m;"),
        declare(Fragment, "in $n { float a; double b; } $m;"),
    ]),
    valid("double_output_without_flat", "4.3.6").since(400, 0).by(&[
        declare(Vertex, "out double $n;"),
        one(Vertex, "out dvec3 $n;", "$n = dvec3(acc.xyz);"),
        declare(Vertex, "out dmat2 $n;"),
    ]),
    compile("fragment_output_of_doubles", "4.3.6").since(400, 0).by(&[
        declare(Fragment, "out double $n;"),
        declare(Fragment, "out dvec4 $n;"),
        declare(Fragment, "out dvec2 $n[2];"),
    ]),
    compile("double_attribute_in_old_versions", "4.3.4").desktop(400, 400).by(&[
        declare(Vertex, "in double $n;"),
        declare(Vertex, "in dmat2 $n;"),
    ]),
    valid("double_attribute", "4.3.4").since(410, 0).by(&[
        one(Vertex, "in double $n;", "acc.x += float($n);"),
        one(Vertex, "in dvec4 $n;", "acc += vec4($n);"),
    ]),
    compile("component_of_a_double", "4.4.1").since(440, 0).by(&[
        declare(Vertex, "layout(location = 9, component = 1) out double $n;"),
        declare(Vertex, "layout(location = 9, component = 3) out double $n;"),
        declare(Vertex, "layout(location = 9, component = 1) out dvec2 $n;"),
        declare(Vertex, "layout(location = 9, component = 2) out dvec2 $n;"),
        declare(Vertex, "layout(location = 9, component = 2) out dvec3 $n;"),
        declare(Vertex, "layout(location = 9, component = 0) out dmat2 $n;"),
        declare(Fragment, "layout(location = 9, component = 1) flat in double $n;"),
        declare(Fragment, "layout(location = 9, component = 2) flat in dvec4 $n;"),
    ]),
    valid("component_where_a_double_fits", "4.4.1").since(440, 0).by(&[
        declare(Vertex, "layout(location = 9, component = 2) flat out double $n;"),
        pair(
            ["layout(location = 9, component = 0) flat out double $n; layout(location = 9, component = 2) flat out double $m;", "$n = 1.0; $m = 2.0;"],
            ["layout(location = 9, component = 0) flat in double $n; layout(location = 9, component = 2) flat in double $m;", "acc.x += float($n + $m);"],
        ),
    ]),
    link("locations_of_doubles_overlap", "4.4.1").since(440, 0).reached().by(&[
        pair(
            ["layout(location = 9) flat out dvec3 $n; layout(location = 10) flat out vec4 $m;", "$n = dvec3(1.0); $m = vec4(1.0);"],
            ["layout(location = 9) flat in dvec3 $n; layout(location = 10) flat in vec4 $m;", "acc += vec4($n, 1.0) + $m;"],
        ),
        pair(
            ["layout(location = 9) flat out double $n; layout(location = 9, component = 1) flat out float $m;", "$n = 1.0; $m = 1.0;"],
            ["layout(location = 9) flat in double $n; layout(location = 9, component = 1) flat in float $m;", "acc.x += float($n) + $m;"],
        ),
        pair(
            ["layout(location = 9) flat out dvec4 $n; layout(location = 10, component = 2) flat out double $m;", "$n = dvec4(1.0); $m = 1.0;"],
            ["layout(location = 9) flat in dvec4 $n; layout(location = 10, component = 2) flat in double $m;", "acc += vec4($n); acc.x += float($m);"],
        ),
    ]),
    link("location_shared_by_two_widths", "4.4.1").since(440, 0).reached().by(&[
        pair(
            ["layout(location = 9) flat out double $n; layout(location = 9, component = 2) flat out float $m;", "$n = 1.0; $m = 1.0;"],
            ["layout(location = 9) flat in double $n; layout(location = 9, component = 2) flat in float $m;", "acc.x += float($n) + $m;"],
        ),
    ]),
    compile("double_to_float", "4.1.10").since(400, 0).by(&[
        state(Either, "float $n = 1.0lf;"),
        state(Either, "acc.x = double(1.0);"),
        state(Either, "acc += dvec4(1.0);"),
        state(Either, "int $n = 1.0lf;"),
        state(Either, "mat2 $n = dmat2(1.0);"),
        one(Either, "float $n(float a) { return a; }", "acc += $n(1.5lf);"),
        one(Either, "float $n() { return 1.0LF; }", ""),
        one(Either, "uniform double $n;", "acc.x += $n;"),
        one(Either, "void $n(out float a) { a = 1.0; }", "double $m; $n($m); acc.x += float($m[0]);"),
    ]),
    valid("float_to_double_is_implicit", "4.1.10").since(400, 0).by(&[
        state(Either, "double $n = 1.0; $n = 1; $n += 2u; acc.x += float($n);"),
        state(Either, "dvec3 $n = vec3(1.0); acc.xyz += vec3($n * acc.x);"),
        state(Either, "dmat2x3 $n = mat2x3(1.0); acc.xyz += vec3($n[1]);"),
        one(Either, "double $n(double a) { return a; }", "acc.x += float($n(1) + $n(acc.x));"),
        one(Either, "void $n(out float a) { a = 1.0; }", "double $m; $n($m); acc.x += float($m);"),
    ]),
    compile("operator_without_doubles", "5.9").since(400, 0).by(&[
        state(Either, "double $n = 5.0lf % 2.0lf;"),
        state(Either, "double $n = 1.0lf << 1;"),
        state(Either, "double $n = ~1.0lf;"),
        state(Either, "double $n = 1.0lf & 1;"),
        state(Either, "bool $n = !1.0lf;"),
        state(Either, "if (1.0lf) { acc.x = 1.0; }"),
        state(Either, "switch (1.0lf) { case 1: break; }"),
        state(Either, "acc.x = acc[1.0lf];"),
        state(Either, "acc.x += 1.0lf > 0.0lf ? 1.0lf : 0.0lf;"),
    ]),
    compile("built_in_function_without_doubles", "8").since(400, 0).by(&[
        state(Either, "double $n = sin(1.0lf);"),
        state(Either, "double $n = pow(2.0lf, 2.0lf);"),
        state(Either, "double $n = exp2(1.0lf);"),
        state(Either, "dvec2 $n = radians(dvec2(1.0));"),
        state(Either, "double $n = atan(1.0lf, 2.0lf);"),
        state(Either, "int $n = floatBitsToInt(1.0lf);"),
        state(Either, "uint $n = packUnorm2x16(dvec2(1.0));"),
        state(Fragment, "double $n = dFdx(1.0lf);"),
        one(Fragment, "flat in dvec2 $n;", "acc.xy += vec2(interpolateAtCentroid($n));"),
    ]),
    valid("built_in_function_of_doubles", "8").since(400, 0).by(&[
        state(Either, "acc.x += float(sqrt(2.0lf) + fma(1.0lf, 2.0lf, 3.0lf) + inversesqrt(4.0lf));"),
        state(Either, "acc.x += float(mix(1.0lf, 2.0lf, true) + mod(5.0lf, 2.0lf) + fract(1.5lf));"),
        state(Either, "int $n; acc.x += float(frexp(3.0lf, $n) + ldexp(1.0lf, $n));"),
        state(Either, "acc.x += float(determinant(inverse(dmat3(2.0))) + dot(dvec2(1.0), dvec2(2.0)));"),
        state(Either, "uvec2 $n = unpackDouble2x32(1.0lf); acc.x += float(packDouble2x32($n));"),
        state(Either, "acc.x += isnan(1.0lf) || isinf(dvec2(1.0)).y ? 1.0 : 0.0;"),
    ]),
    compile("literal_of_a_double_is_misspelt", "4.1.4").since(400, 0).by(&[
        state(Either, "double $n = 1lf;"),
        state(Either, "double $n = 1.0lF;"),
        state(Either, "double $n = 1.0Lf;"),
        state(Either, "double $n = 1.0l;"),
        state(Either, "double $n = 1.0d;"),
    ]),
    compile("precision_of_a_double", "4.7").since(400, 0).by(&[
        declare(Either, "precision highp double;"),
        declare(Either, "precision mediump dvec2;"),
    ]),
    link("double_and_float_with_one_name", "4.3.4").since(400, 0).reached().by(&[
        pair(["flat out double $n;", "$n = 1.0;"], ["flat in float $n;", "acc.x += $n;"]),
        pair(["flat out vec2 $n;", "$n = vec2(1.0);"], ["flat in dvec2 $n;", "acc.xy += vec2($n);"]),
        pair(["uniform double $n;", "acc.x += float($n);"], ["uniform float $n;", "acc.x += $n;"]),
    ]),
    compile("integer64_without_its_extension", "4.1.3").since(400, 0).by(&[
        state(Either, "int64_t $n;"),
        declare(Either, "uniform u64vec2 $n;"),
        state(Either, "acc.x += float(1l);"),
        state(Either, "acc.x += float(1ul);"),
        state(Either, "acc.x += float(packInt2x32(ivec2(1)));"),
    ]),
    compile("integer64_to_a_smaller_type", "4.1.10").since(400, 0).by(&[
        change(|program, rng| state64(program, rng, "int $n = 1l;")),
        change(|program, rng| state64(program, rng, "uint $n = 1ul;")),
        change(|program, rng| state64(program, rng, "float $n = 1l;")),
        change(|program, rng| state64(program, rng, "int64_t $n = 1ul;")),
        change(|program, rng| state64(program, rng, "int64_t $n = 1.0;")),
        change(|program, rng| state64(program, rng, "int64_t $n = 1.0lf;")),
        change(|program, rng| state64(program, rng, "acc += i64vec4(1);")),
        change(|program, rng| state64(program, rng, "bool $n = 1l;")),
        change(|program, rng| state64(program, rng, "if (1l) { acc.x = 1.0; }")),
    ]),
    valid("integer64_is_reached_implicitly", "4.1.10").since(400, 0).by(&[
        change(|program, rng| state64(program, rng, "int64_t $n = 1; $n += 2; acc.x += float($n);")),
        change(|program, rng| state64(program, rng, "uint64_t $n = 1u; $n = 2l; $n = 3; acc.x += float($n);")),
        change(|program, rng| state64(program, rng, "int64_t $n = 3; acc.x += float($n % 2l);")),
        change(|program, rng| state64(program, rng, "double $n = 1l; $n += 2ul; acc.x += float($n);")),
        change(|program, rng| state64(program, rng, "i64vec2 $n = ivec2(1) * 2l; acc.x += float(($n << 3).y);")),
        change(|program, rng| state64(program, rng, "acc.x += float(abs(-1l) + min(1l, 2l) + sign(-5l));")),
        change(|program, rng| state64(program, rng, "acc.x += float(packInt2x32(unpackInt2x32(5l)));")),
    ]),
    compile("built_in_function_without_integers64", "8.8").since(430, 0).by(&[
        change(|program, rng| state64(program, rng, "acc.x += float(bitfieldExtract(1l, 0, 1));")),
        change(|program, rng| state64(program, rng, "acc.x += float(findLSB(1l));")),
        change(|program, rng| state64(program, rng, "acc.x += intBitsToFloat(1l);")),
        change(|program, rng| {
            declare64(program, rng, "buffer $n { int64_t a; } $nb;", "atomicAdd($nb.a, 1l);");
        }),
    ]),
    compile("integer64_in_the_fragment_interface", "4.3.4").since(400, 0).by(&[
        change(|program, _| declare64_in(program, Stage::Fragment, "in int64_t $n;")),
        change(|program, _| declare64_in(program, Stage::Fragment, "in $n { u64vec2 a; } $nb;")),
        change(|program, _| declare64_in(program, Stage::Fragment, "out int64_t $n;")),
        change(|program, _| declare64_in(program, Stage::Fragment, "out u64vec4 $n;")),
    ]),
];

const EXTENSION: &str = "#extension GL_ARB_gpu_shader_int64 : require";

/// Adds a statement with 64-bit integers to a random stage.
fn state64(program: &mut Program, rng: &mut Rng, statement: &str) {
    declare64(program, rng, "", statement);
}

/// Adds a declaration and a statement with 64-bit integers to a random stage.
fn declare64(program: &mut Program, rng: &mut Rng, declaration: &str, statement: &str) {
    let (stage, name) = (Stage::random(rng), program.name("n"));
    program.stage(stage).head.push(EXTENSION.to_owned());
    program.declare(stage, declaration.replace("$n", &name));
    program.state(stage, Place::random(rng), &statement.replace("$n", &name));
}

/// Adds a declaration with 64-bit integers to a stage.
fn declare64_in(program: &mut Program, stage: Stage, declaration: &str) {
    let name = program.name("n");
    program.stage(stage).head.push(EXTENSION.to_owned());
    program.declare(stage, declaration.replace("$n", &name));
}
