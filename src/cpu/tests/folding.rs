//! Checks that the GLSL front end folds constants to the bits that the executor computes.

use case::Dialect;
use case::gl::limit::Limits;
use case::parse::parse;
use ir::readback::{Extent, Snapshot};
use prepare::linked_programs;

/// Expressions of `a`, `b` and `c`, which are floats.
#[rustfmt::skip]
const OF_FLOATS: &[&str] = &[
    "-a", "a + b", "a - b", "a * b", "a / b", "float(a < b) + 2.0 * float(a <= b) + 4.0 * float(a == b)",
    "float(a > b) + 2.0 * float(a >= b) + 4.0 * float(a != b)", "float(int(a))", "float(uint(a))", "float(bool(a))",
    "a < b ? b : c", "radians(a)", "degrees(a)", "sin(a)", "cos(a)", "tan(a)", "asin(a)", "acos(a)", "atan(a)",
    "atan(a, b)", "sinh(a)", "cosh(a)", "tanh(a)", "asinh(a)", "acosh(a)", "atanh(a)", "pow(a, b)", "exp(a)",
    "log(a)", "exp2(a)", "log2(a)", "sqrt(a)", "inversesqrt(a)", "abs(a)", "sign(a)", "floor(a)", "trunc(a)",
    "round(a)", "roundEven(a)", "ceil(a)", "fract(a)", "mod(a, b)", "min(a, b)", "max(a, b)", "clamp(a, b, c)",
    "mix(a, b, c)", "step(a, b)", "smoothstep(a, b, c)", "fma(a, b, c)", "ldexp(a, int(b))",
    "uintBitsToFloat(packSnorm2x16(vec2(a, b)))", "uintBitsToFloat(packUnorm2x16(vec2(a, b)))",
    "uintBitsToFloat(packHalf2x16(vec2(a, b)))", "uintBitsToFloat(packSnorm4x8(vec4(a, b, c, a)))",
    "uintBitsToFloat(packUnorm4x8(vec4(a, b, c, a)))", "length(vec3(a, b, c))", "dot(vec3(a, b, c), vec3(c, b, b))",
    "normalize(vec3(a, b, c)).y", "cross(vec3(a, b, c), vec3(c, c, b)).x", "reflect(vec2(a, b), vec2(b, c)).x",
    "refract(vec2(a, b), vec2(b, c), c).x", "faceforward(vec2(a, b), vec2(b, c), vec2(c, a)).y",
    "(mat2(a, b, c, b) * vec2(b, c)).x", "(vec2(b, c) * mat2(a, b, c, b)).y",
    "(mat3(a, b, c, a, a, b, b, c, a) * mat3(c, b, a, a, b, c, b, b, c))[1].z", "(a * mat2(b, c, a, b))[1].y",
    "determinant(mat3(a, b, c, c, a, b, b, b, a))", "inverse(mat2(a, b, c, b))[1].x",
];

/// Expressions of signed integers.
#[rustfmt::skip]
const OF_INTEGERS: &[&str] = &[
    "-a", "~a", "a + b", "a - b", "a * b", "a / (b | 1)", "a % (b | 1)", "a << (b & 31)", "a >> (b & 31)", "a & b",
    "a | b", "a ^ b", "int(a < b) + 2 * int(a == b) + 4 * int(a >= b)", "int(float(a))", "int(uint(a))",
    "int(bool(a))", "abs(a)", "sign(a)", "min(a, b)", "max(a, b)", "clamp(a, b, c)", "bitCount(a)", "findLSB(a)",
    "findMSB(a)", "bitfieldReverse(a)", "bitfieldExtract(a, b & 15, c & 15)", "bitfieldInsert(a, b, c & 15, b & 15)",
    "bitfieldExtract(a, 0, 0)", "bitfieldExtract(a, 0, 32)", "bitfieldInsert(a, b, 32, 0)",
    "bitfieldInsert(a, b, 0, 32)",
];

/// Expressions of unsigned integers.
#[rustfmt::skip]
const OF_WORDS: &[&str] = &[
    "a / (b | 1u)", "a % (b | 1u)", "a << (b & 31u)", "a >> (b & 31u)", "uint(a < b) + 2u * uint(a <= b)",
    "uint(float(a))", "min(a, b)", "max(a, b)", "clamp(a, b, c)", "uint(bitCount(a))", "uint(findLSB(a))",
    "uint(findMSB(a))", "bitfieldReverse(a)", "bitfieldExtract(a, int(b & 15u), int(c & 15u))",
    "bitfieldInsert(a, b, int(c & 15u), int(b & 15u))", "floatBitsToUint(unpackSnorm2x16(a).y)",
    "floatBitsToUint(unpackUnorm2x16(a).y)", "floatBitsToUint(unpackHalf2x16(a).y)",
    "floatBitsToUint(unpackSnorm4x8(a).z)", "floatBitsToUint(unpackUnorm4x8(a).w)",
];

/// Bits of operands, including floats, infinities, denormals and a NaN.
#[rustfmt::skip]
const FLOATS: [u32; 17] = [
    0x3f00_0000, 0xbfc0_0000, 0x0000_0000, 0x8000_0000, 0x0000_0001, 0x8070_0000, 0x7f7f_ffff, 0xff7f_ffff,
    0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x4020_0000, 0x5015_02f9, 0x3dcc_cccd, 0xc2c8_0000, 0x4300_0000,
    0x3f80_0000,
];

const INTEGERS: [u32; 11] =
    [0, 1, 2, 0xffff_ffff, 0x8000_0000, 0x8000_0001, 0x7fff_ffff, 31, 32, 0x1234_5678, 0xdead_beef];

/// Groups operands into triples.
fn triples(words: &[u32]) -> Vec<[u32; 3]> {
    let at = |idx: usize| words[idx % words.len()];
    let steps = [0, 1, 7].into_iter();
    steps
        .flat_map(|step| {
            (0..words.len()).map(move |idx| [at(idx), at(idx + step), at(idx * step + 2)])
        })
        .collect()
}

/// The word that a float, an `int` or a `uint` is read from and written as.
#[derive(Clone, Copy)]
struct Type {
    name: &'static str,
    read: &'static str,
    write: &'static str,
}

/// A case whose results are, for each triple, the folded one and the executed one.
fn case(ty: Type, expression: &str, triples: &[[u32; 3]]) -> String {
    let Type { name, read, write } = ty;
    let (mut main, mut operands) = (Vec::new(), Vec::new());
    for (number, words) in triples.iter().enumerate() {
        let (mut folded, mut executed) = (Vec::new(), Vec::new());
        for (idx, word) in words.iter().enumerate() {
            let letter = ["a", "b", "c"][idx];
            folded.push(format!("const {name} {letter} = {read}({word:#x}u); "));
            executed.push(format!("{name} {letter} = {read}(v[{}]); ", 3 * number + idx));
            operands.push(format!(" {word:#x}"));
        }
        let (folded, executed, at) = (folded.concat(), executed.concat(), 2 * number);
        main.push(format!("{{ {folded}const {name} r = {expression}; o[{at}] = {write}(r); }}\n"));
        main.push(format!("{{ {executed}o[{at} + 1] = {write}({expression}); }}\n"));
    }
    let (main, operands) = (main.concat(), operands.concat());
    let [read, written] = [12, 8].map(|bytes| bytes * triples.len());
    format!(
        "[compute shader]\n#version 450\nlayout(local_size_x = 1) in;
layout(std430, binding = 0) buffer In {{ uint v[]; }};
layout(std430, binding = 1) buffer Out {{ uint o[]; }};
void main() {{ {main} }}
[test]\nssbo 0 {read}\nssbo 1 {written}\nssbo 0 subdata uint 0{operands}
compute 1 1 1\nprobe buffer 1 uint 0 == 1"
    )
}

fn results(text: &str) -> Vec<[u32; 2]> {
    let parsed = parse("a.shader_test", text.as_bytes(), Dialect::Interstage).remove(0);
    let case = parsed.result.unwrap_or_else(|error| panic!("{error:?}"));
    let programs = linked_programs(&case, link::AdapterRules::default(), &Limits::guaranteed(&[]));
    let programs = programs.unwrap_or_else(|error| panic!("{error:?}"));
    let readback = cpu::execute(&case, &programs[0], Extent::Whole).expect("it can be executed");
    let Some(Some(Snapshot::Buffer(bytes))) = readback.snapshots.into_iter().find(Option::is_some)
    else {
        panic!("a buffer was probed")
    };
    let word = |chunk: &[u8]| u32::from_le_bytes(chunk.try_into().expect("four bytes"));
    let pair = |chunk: &[u8]| [word(&chunk[..4]), word(&chunk[4..])];
    bytes.chunks_exact(8).map(pair).collect()
}

/// True if a constant `ldexp` is a zero of the sign of the denormal number that the executor gives.
fn is_flushed(expression: &str, folded: u32, executed: u32) -> bool {
    expression.starts_with("ldexp")
        && executed & 0x7f80_0000 == 0
        && folded == executed & 0x8000_0000
}

/// Differences between folded and executed results. All NaNs count as equal.
fn differences(ty: Type, expressions: &[&str], words: &[u32]) -> Vec<String> {
    let triples = triples(words);
    let mut all = Vec::new();
    for expression in expressions {
        let results = results(&case(ty, expression, &triples));
        assert_eq!(results.len(), triples.len());
        for (words, [folded, executed]) in triples.iter().zip(results) {
            let are_nan = ty.name == "float"
                && [folded, executed].iter().all(|bits| f32::from_bits(*bits).is_nan());
            if folded != executed && !are_nan && !is_flushed(expression, folded, executed) {
                all.push(format!("{expression} of {words:x?}: {folded:#x}, not {executed:#x}"));
            }
        }
    }
    all
}

#[test]
fn folded_constants_are_what_is_executed() {
    let floats = Type { name: "float", read: "uintBitsToFloat", write: "floatBitsToUint" };
    let integers = Type { name: "int", read: "int", write: "uint" };
    let words = Type { name: "uint", read: "uint", write: "uint" };
    let mut all = differences(floats, OF_FLOATS, &FLOATS);
    all.extend(differences(integers, OF_INTEGERS, &INTEGERS));
    all.extend(differences(words, OF_WORDS, &INTEGERS));
    assert!(all.is_empty(), "{} differences:\n{}", all.len(), all.join("\n"));
}
