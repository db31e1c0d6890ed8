//! Tests of the lowering of built-in functions.

mod wide;

use naga::Literal;
use naga::valid::{Capabilities, ValidationFlags, Validator};

use crate::ast::{Declaration, Expr, Initializer, Item, Version};
use crate::lower::types::constant::Constant;
use crate::lower::{Stage, compile};
use crate::parser::{ParseOptions, parse};
use ir::stage::ShaderStage;

use super::*;

const OPTIONS: ParseOptions = ParseOptions {
    default_version: Version { number: 460, is_es: false, is_compatibility: true },
    includes: Vec::new(),
    include_folders: Vec::new(),
    target: crate::Target::OpenGl,
};

/// GLSL type for a word of a signature; `None` if its family has no type of this size.
fn type_word(word: &str, size: u8, width: Width) -> Option<String> {
    let Some((sizes, kind)) = family(word) else { return Some(single_type(word, width)) };
    let (scalar, letter) = match width.of(kind) {
        Kind::Bool => ("bool", "b"),
        Kind::Int => ("int", "i"),
        Kind::Uint => ("uint", "u"),
        Kind::Float => ("float", ""),
        Kind::Int64 => ("int64_t", "i64"),
        Kind::Uint64 => ("uint64_t", "u64"),
        Kind::Double => ("double", "d"),
    };
    let name = if size == 1 { scalar.to_owned() } else { format!("{letter}vec{size}") };
    sizes.contains(&size).then_some(name)
}

/// The type for a word that is not a family, at a width.
fn single_type(word: &str, width: Width) -> String {
    let is_of_floats = word == "float" || word.starts_with("vec") || word.starts_with("mat");
    match (width, word) {
        (Width::Double, "float") => "double".to_owned(),
        (Width::Double, word) if is_of_floats => format!("d{word}"),
        (Width::Int64, "int" | "uint") => format!("{word}64_t"),
        _ => word.to_owned(),
    }
}

/// A shader that calls the overload with variables of exactly its types.
fn shader_calling(Overload { row, width }: Overload, size: u8) -> Option<String> {
    let (result, parameters) = parts(row.signature);
    let (mut globals, mut names) = (Vec::new(), Vec::new());
    let is_emission = row.name.contains("Stream") || row.name == "subgroupQuadBroadcast";
    for (idx, parameter) in parameters.iter().enumerate() {
        let storage = if direction(parameter) == Direction::Memory { "shared " } else { "" };
        let ty = type_word(word(parameter), size, width)?;
        if is_emission {
            globals.push(format!("const {ty} p{idx} = {ty}(1);\n"));
        } else {
            globals.push(format!("{storage}{ty} p{idx};\n"));
        }
        names.push(format!("p{idx}"));
    }
    let call = format!("{}({})", row.name, names.join(", "));
    let call = match result {
        "void" => call,
        _ => format!("{} r = {call}", type_word(result, size, width)?),
    };
    Some(format!("{}void main() {{ {call}; }}", globals.concat()))
}

/// Extensions that add the functions that no version has.
const EXTENSIONS: &str = "#extension GL_AMD_shader_trinary_minmax : enable
    #extension GL_EXT_gpu_shader4 : enable
    #extension GL_ARB_gpu_shader_int64 : enable
    #extension GL_NV_shader_atomic_int64 : enable
    #extension GL_KHR_shader_subgroup_arithmetic : enable
    #extension GL_KHR_shader_subgroup_ballot : enable
    #extension GL_KHR_shader_subgroup_quad : enable
    #extension GL_KHR_shader_subgroup_shuffle : enable
    #extension GL_KHR_shader_subgroup_shuffle_relative : enable
    #extension GL_KHR_shader_subgroup_vote : enable
    ";

/// The capabilities that a module may use. If its text has no 64-bit types, the module must have none either, not even
/// an unused one.
fn capabilities(text: &str) -> Capabilities {
    let is_wide = ["double", "dvec", "dmat", "64"].iter().any(|word| text.contains(word));
    let wide = Capabilities::FLOAT64 | Capabilities::SHADER_INT64;
    if is_wide { Capabilities::all() } else { Capabilities::all() - wide }
}

#[track_caller]
fn check_valid(text: &str, stage: ShaderStage) {
    let sizes = [
        (ShaderStage::Compute, "\nlayout(local_size_x = 1) in;"),
        (ShaderStage::Geometry, "\nlayout(points) in; layout(points, max_vertices = 1) out;"),
        (ShaderStage::TessellationControl, "\nlayout(vertices = 1) out;"),
        (ShaderStage::TessellationEvaluation, "\nlayout(quads) in;"),
    ];
    let size = sizes.iter().find(|(own, _)| *own == stage).map_or("", |(_, size)| size);
    let unit = parse(&format!("{EXTENSIONS}{text}{size}"), 0, &OPTIONS).expect(text);
    let module = compile(&[unit], stage, &crate::Hints::default()).expect(text).module;
    let mut validator = Validator::new(ValidationFlags::all(), capabilities(text));
    if let Err(error) = validator.validate(&module) {
        panic!("{text}\n{error:?}");
    }
}

#[test]
fn every_overload_of_every_size_is_valid() {
    // `ftransform` needs the built-in variables of the compatibility profile.
    let is_checked = |name: &str| super::checked::ROWS.iter().any(|row| row.name == name);
    let is_run = |name: &&str| *name != "ftransform" && !is_checked(name);
    let names = TABLES.into_iter().flatten().map(|row| row.name);
    let names: std::collections::BTreeSet<_> = names.filter(is_run).collect();
    for overload in names.into_iter().flat_map(overloads) {
        let row = overload.row;
        let is_parallel = ["atomic", "barrier", "memoryBarrier", "groupMemoryBarrier", "subgroup"]
            .iter()
            .any(|prefix| row.name.starts_with(prefix));
        let is_emission = ["Emit", "End"].iter().any(|prefix| row.name.starts_with(prefix));
        let stage = match (is_parallel, is_emission) {
            (true, _) => ShaderStage::Compute,
            (false, true) => ShaderStage::Geometry,
            (false, false) => ShaderStage::Fragment,
        };
        let shaders: Vec<_> = (1..=4).filter_map(|size| shader_calling(overload, size)).collect();
        assert!(!shaders.is_empty(), "{} {}", row.name, row.signature);
        for shader in shaders {
            check_valid(&shader, stage);
        }
    }
}

/// The bits of a constant expression.
#[track_caller]
fn evaluate(text: &str) -> Vec<u64> {
    let shader = format!("{EXTENSIONS}float unused = {text};");
    let unit = parse(&shader, 0, &OPTIONS).expect("the expression is right");
    let units = [unit];
    let Some(Item::Declaration(Declaration::Variables { declarators, .. })) =
        units[0].items.first()
    else {
        panic!("it is a declaration")
    };
    let Some(Initializer::Expr(expr)) = &declarators[0].initializer else {
        panic!("it has a value")
    };
    let mut stage = Stage::new(&units, ShaderStage::Fragment);
    let constant = |stage: &mut Stage<'_>, expr: &Expr| stage.constant(0, 0, expr);
    constant(&mut stage, expr).expect(text).bits.to_vec()
}

fn word_of(bits: u64) -> u32 {
    u32::try_from(bits).expect("32 bits")
}

#[track_caller]
fn check_floats(text: &str, expected: &[f32]) {
    let actual: Vec<f32> =
        evaluate(text).into_iter().map(|bits| f32::from_bits(word_of(bits))).collect();
    let is_near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-5;
    assert_eq!(actual.len(), expected.len(), "{text}");
    assert!(actual.iter().zip(expected).all(is_near), "{text} is {actual:?}, not {expected:?}");
}

#[track_caller]
fn check_integers(text: &str, expected: &[i32]) {
    let actual: Vec<i32> =
        evaluate(text).into_iter().map(|bits| word_of(bits).cast_signed()).collect();
    assert_eq!(actual, expected, "{text}");
}

#[test]
fn geometric_functions_follow_the_specification() {
    check_floats("dot(vec3(1, 2, 3), vec3(4, 5, 6))", &[32.0]);
    check_floats("dot(2.0, 3.0)", &[6.0]);
    check_floats("length(vec2(3, 4)) + length(-2.0)", &[7.0]);
    check_floats("distance(vec2(1, 1), vec2(4, 5))", &[5.0]);
    check_floats("cross(vec3(1, 2, 3), vec3(4, 5, 7))", &[-1.0, 5.0, -3.0]);
    check_floats("normalize(vec2(3, 4))", &[0.6, 0.8]);
    check_floats("normalize(-3.0)", &[-1.0]);
    check_floats("faceforward(vec2(1, 2), vec2(1, 0), vec2(-1, 0))", &[1.0, 2.0]);
    check_floats("faceforward(vec2(1, 2), vec2(1, 0), vec2(1, 0))", &[-1.0, -2.0]);
    check_floats("reflect(vec2(1, -1), vec2(0, 1))", &[1.0, 1.0]);
    check_floats("refract(vec2(0, -1), vec2(0, 1), 0.5)", &[0.0, -1.0]);
    // 60 degrees of incidence at twice the speed: total reflection.
    check_floats("refract(vec2(0.8660254, -0.5), vec2(0, 1), 2.0)", &[0.0, 0.0]);
    check_floats("refract(vec2(0.6, -0.8), vec2(0, 1), 0.5)", &[0.3, -0.953_939_2]);
}

#[test]
fn matrix_functions_follow_the_specification() {
    check_floats("matrixCompMult(mat2(1, 2, 3, 4), mat2(5, 6, 7, 8))", &[5.0, 12.0, 21.0, 32.0]);
    check_floats("outerProduct(vec3(1, 2, 3), vec2(4, 5))", &[4.0, 8.0, 12.0, 5.0, 10.0, 15.0]);
    check_floats("transpose(mat2x3(1, 2, 3, 4, 5, 6))", &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    check_floats("determinant(mat2(1, 2, 3, 4))", &[-2.0]);
    check_floats("determinant(mat3(2, 0, 1, 1, 3, 2, 1, 1, 4))", &[18.0]);
    check_floats("determinant(mat4(2, 0, 0, 1, 0, 3, 0, 0, 0, 0, 4, 0, 1, 0, 0, 5))", &[108.0]);
    check_floats("inverse(mat2(1, 2, 3, 4))", &[-2.0, 1.0, 1.5, -0.5]);
}

#[test]
fn products_of_constant_matrices_are_known() {
    check_floats(
        "mat2(1, 2, 3, 4) * mat3x2(5, 6, 7, 8, 9, 10)",
        &[23.0, 34.0, 31.0, 46.0, 39.0, 58.0],
    );
    check_floats("mat2x3(1, 2, 3, 4, 5, 6) * vec2(7, 8)", &[39.0, 54.0, 69.0]);
    check_floats("vec3(7, 8, 9) * mat2x3(1, 2, 3, 4, 5, 6)", &[50.0, 122.0]);
    check_floats("2.0 * mat2(1, 2, 3, 4) * 0.5", &[1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn a_matrix_multiplied_by_its_inverse_is_one() {
    for (size, entries) in
        [(3_u8, "2, 0, 1, 1, 3, 2, 1, 1, 4"), (4, "2, 7, 0, 1, 0, 3, 5, 0, 9, 0, 4, 0, 1, 6, 0, 5")]
    {
        let matrix = format!("mat{size}({entries})");
        let row = |row: u8| {
            let entry = |column: u8| {
                let left: Vec<_> = (0..size).map(|k| format!("{matrix}[{k}][{row}]")).collect();
                format!("dot(vec{size}({}), inverse({matrix})[{column}])", left.join(", "))
            };
            (0..size).map(entry).collect::<Vec<_>>().join(", ")
        };
        for idx in 0..size {
            let unit: Vec<f32> =
                (0..size).map(|column| if column == idx { 1.0 } else { 0.0 }).collect();
            check_floats(&format!("vec{size}({})", row(idx)), &unit);
        }
    }
}

#[test]
fn common_functions_follow_the_specification() {
    check_floats("mod(vec2(-1.5, 5.5), 2.0)", &[0.5, 1.5]);
    check_floats("mix(vec2(1, 2), vec2(3, 4), bvec2(true, false))", &[3.0, 2.0]);
    check_integers("mix(ivec2(1, 2), ivec2(3, 4), bvec2(false, true))", &[1, 4]);
    check_floats("roundEven(vec2(2.5, 3.5))", &[2.0, 4.0]);
    check_floats("smoothstep(0.0, 2.0, vec3(-1, 1, 3))", &[0.0, 0.5, 1.0]);
    check_floats("fma(2.0, 3.0, 4.0)", &[10.0]);
    check_floats("min3(3.0, 1.0, 2.0) + mid3(3.0, 1.0, 2.0) * 10.0", &[21.0]);
    check_integers("max3(ivec2(3, 1), ivec2(1, 2), ivec2(2, 7))", &[3, 7]);
    check_floats("noise3(1.0)", &[0.0, 0.0, 0.0]);
}

#[test]
fn nans_and_infinities_are_told_by_their_bits() {
    let special = "uintBitsToFloat(uvec4(0x7f800000u, 0xff800000u, 0x7fc00000u, 0x3f800000u))";
    check_integers(&format!("isinf({special})"), &[1, 1, 0, 0]);
    check_integers(&format!("isnan({special})"), &[0, 0, 1, 0]);
    check_integers("floatBitsToInt(vec2(1.0, -0.0))", &[0x3f80_0000, i32::MIN]);
}

#[test]
fn integer_functions_follow_the_specification() {
    check_integers("bitCount(uvec2(7, 0xffffffffu))", &[3, 32]);
    check_integers("findLSB(ivec3(0, 8, -1))", &[-1, 3, 0]);
    check_integers("findMSB(ivec4(0, 8, -1, -2))", &[-1, 3, -1, 0]);
    check_integers("findMSB(uvec2(0xffffffffu, 0))", &[31, -1]);
    check_integers("bitfieldReverse(1)", &[i32::MIN]);
    check_integers("bitfieldExtract(ivec2(0xf0, 0x70), 4, 4)", &[-1, 7]);
    check_integers("bitfieldExtract(uvec2(0xf0, 0x70), 4, 4)", &[15, 7]);
    check_integers("ivec2(bitfieldExtract(-1, 32, 0), bitfieldExtract(-1, 0, 32))", &[0, -1]);
    check_integers("bitfieldInsert(ivec2(0, -1), ivec2(-1, 0), 8, 4)", &[0xf00, !0xf00]);
    check_integers("bitfieldInsert(5u, 7u, 32, 0) + bitfieldInsert(5u, 7u, 0, 32)", &[12]);
}

/// Evaluates a constant that `build` composes from literals.
#[track_caller]
fn built(build: impl FnOnce(&mut Body<'_, '_>) -> Value) -> Vec<u64> {
    let unit = parse("", 0, &OPTIONS).expect("nothing is right");
    let units = [unit];
    let mut stage = Stage::new(&units, ShaderStage::Fragment);
    let mut body = Body::new(&mut stage, 0, 0);
    let value = build(&mut body);
    let constant: Constant = body.evaluate(value.handle).expect("it is constant");
    constant.bits.to_vec()
}

#[test]
fn the_upper_half_of_a_product_is_exact() {
    let numbers = [0, 1, 0xffff, 0x1_0000, 0x1234_5678, 0x8000_0000, 0xffff_fffe, u32::MAX];
    for x in numbers {
        for y in numbers {
            let high = built(|body| {
                let span = Span::new(0, 0);
                let (x, y) =
                    (body.literal(Literal::U32(x), span), body.literal(Literal::U32(y), span));
                integer::high_word(body, x, y, span)
            });
            let product = u64::from(x) * u64::from(y);
            assert_eq!(high, [product >> 32], "{x} {y}");
        }
    }
}

#[test]
fn the_upper_half_of_a_signed_product_is_exact() {
    let numbers = [0, 1, -1, 0x7fff_ffff, i32::MIN, -0x1234_5678, 0x1_0000];
    for x in numbers {
        for y in numbers {
            let high = built(|body| {
                let span = Span::new(0, 0);
                let (x, y) =
                    (body.literal(Literal::I32(x), span), body.literal(Literal::I32(y), span));
                integer::signed_high_word(body, x, y, span)
            });
            let product = (i64::from(x) * i64::from(y)) >> 32;
            let expected = i32::try_from(product).expect("32 bits");
            assert_eq!(
                high.into_iter().map(word_of).collect::<Vec<_>>(),
                [expected.cast_unsigned()],
                "{x} {y}"
            );
        }
    }
}

#[test]
fn a_float_is_split_into_fraction_and_power() {
    let cases = [
        (1.0_f32, 0.5, 1),
        (-10.0, -0.625, 4),
        (0.25, 0.5, -1),
        (0.0, 0.0, 0),
        (-0.0, -0.0, 0),
        (f32::MAX, 0.999_999_94, 128),
    ];
    for (x, fraction, power) in cases {
        let part = |is_power: bool| {
            built(|body| {
                let x = body.literal(Literal::F32(x), Span::new(0, 0));
                let (fraction, power) = exponent::split(body, x, Span::new(0, 0));
                if is_power { power } else { fraction }
            })
        };
        assert_eq!(part(false), [u64::from(f32::to_bits(fraction))], "{x}");
        assert_eq!(part(true), [u64::from(i32::cast_unsigned(power))], "{x}");
    }
}

#[test]
fn nested_constant_functions_are_evaluated_once_each() {
    let text = format!("{}vec3(1, 2, 2){}", "normalize(".repeat(40), ")".repeat(40));
    check_floats(&text, &[1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]);
}
