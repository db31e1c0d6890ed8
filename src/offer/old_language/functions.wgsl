// Functions that old GLSL lacks, by the names that naga gives them. Each is one expression without calls, branches and
// variables, for it is put where the call was. Integers are unsigned unless the name ends with the kind. A function of
// numbers is called for each component; one of vectors once. These may use each other as built-in functions.
// Sources: WebGPU Shading Language, sections 17.5 and 17.9; OpenGL Shading Language 4.60, sections 8.3, 8.4 and 8.8.

fn CountOneBits(x: u32) -> u32 {
    let pairs = x - ((x >> 1u) & 0x55555555u);
    let quads = (pairs & 0x33333333u) + ((pairs >> 2u) & 0x33333333u);
    return (((quads + (quads >> 4u)) & 0x0f0f0f0fu) * 0x01010101u) >> 24u;
}

fn ReverseBits(x: u32) -> u32 {
    let ones = ((x >> 1u) & 0x55555555u) | ((x & 0x55555555u) << 1u);
    let pairs = ((ones >> 2u) & 0x33333333u) | ((ones & 0x33333333u) << 2u);
    let quads = ((pairs >> 4u) & 0x0f0f0f0fu) | ((pairs & 0x0f0f0f0fu) << 4u);
    let bytes = ((quads >> 8u) & 0x00ff00ffu) | ((quads & 0x00ff00ffu) << 8u);
    return (bytes >> 16u) | (bytes << 16u);
}

fn CountTrailingZeros(x: u32) -> u32 {
    return countOneBits(~x & (x - 1u));
}

fn FirstTrailingBit(x: u32) -> u32 {
    return select(countTrailingZeros(x), 0xffffffffu, x == 0u);
}

fn FirstLeadingBit(x: u32) -> u32 {
    let two = x | (x >> 1u);
    let four = two | (two >> 2u);
    let eight = four | (four >> 4u);
    let sixteen = eight | (eight >> 8u);
    return countOneBits(sixteen | (sixteen >> 16u)) - 1u;
}

fn FirstLeadingBitSint(x: i32) -> i32 {
    return bitcast<i32>(firstLeadingBit(bitcast<u32>(x ^ (x >> 31u))));
}

fn CountLeadingZeros(x: u32) -> u32 {
    return 31u - firstLeadingBit(x);
}

// A shift by 32 is taken for one by 0, and only where its result does not matter.

fn ExtractBits(x: u32, offset: u32, count: u32) -> u32 {
    let first = min(offset, 32u);
    let size = min(count, 32u - first);
    let extracted = (x << ((32u - first - size) & 31u)) >> ((32u - size) & 31u);
    return select(extracted, 0u, size == 0u);
}

fn ExtractBitsSint(x: i32, offset: u32, count: u32) -> i32 {
    let first = min(offset, 32u);
    let size = min(count, 32u - first);
    let extracted = (x << ((32u - first - size) & 31u)) >> ((32u - size) & 31u);
    return select(extracted, 0i, size == 0u);
}

fn InsertBits(x: u32, bits: u32, offset: u32, count: u32) -> u32 {
    let first = min(offset, 32u);
    let size = min(count, 32u - first);
    let ones = select((1u << (size & 31u)) - 1u, 0xffffffffu, size == 32u);
    let mask = ones << (first & 31u);
    return (x & ~mask) | ((bits << (first & 31u)) & mask);
}

// Powers from -126 to 128 have a defined result, which is exact: both factors are normal numbers that scale the same way.
fn Ldexp(x: f32, power: i32) -> f32 {
    let one = clamp(power, -126i, 127i);
    let two = clamp(power - one, -126i, 127i);
    return x * bitcast<f32>((one + 127i) << 23u) * bitcast<f32>((two + 127i) << 23u);
}

// The two members of the result of frexp. Zero, infinities and NaNs have the power 0.

fn FrexpFraction(x: f32) -> f32 {
    let scaled = select(x, x * 16777216.0f, abs(x) < 0x1p-126f);
    let bits = bitcast<u32>(scaled);
    let stored = (bits >> 23u) & 0xffu;
    let fraction = bitcast<f32>((bits & 0x807fffffu) | 0x3f000000u);
    return select(x, fraction, stored - 1u < 0xfeu);
}

fn FrexpPower(x: f32) -> i32 {
    let is_small = abs(x) < 0x1p-126f;
    let stored = (bitcast<u32>(select(x, x * 16777216.0f, is_small)) >> 23u) & 0xffu;
    let power = i32(stored) - select(126i, 150i, is_small);
    return select(0i, power, stored - 1u < 0xfeu);
}

fn Pack4x8unorm(v: vec4f) -> u32 {
    let bytes = vec4u(round(clamp(v, vec4f(), vec4f(1.0f)) * 255.0f));
    return bytes.x | (bytes.y << 8u) | (bytes.z << 16u) | (bytes.w << 24u);
}

fn Pack4x8snorm(v: vec4f) -> u32 {
    let bytes = vec4u(vec4i(round(clamp(v, vec4f(-1.0f), vec4f(1.0f)) * 127.0f))) & vec4u(0xffu);
    return bytes.x | (bytes.y << 8u) | (bytes.z << 16u) | (bytes.w << 24u);
}

fn Pack2x16unorm(v: vec2f) -> u32 {
    let words = vec2u(round(clamp(v, vec2f(), vec2f(1.0f)) * 65535.0f));
    return words.x | (words.y << 16u);
}

fn Pack2x16snorm(v: vec2f) -> u32 {
    let words = vec2u(vec2i(round(clamp(v, vec2f(-1.0f), vec2f(1.0f)) * 32767.0f)));
    return (words.x & 0xffffu) | (words.y << 16u);
}

// Rounds to nearest, ties to even. Halves below 2^-14 are multiples of 2^-24.
fn Pack2x16float(v: vec2f) -> u32 {
    let bits = bitcast<vec2u>(v);
    let magnitude = bits & vec2u(0x7fffffffu);
    let rebased = magnitude - vec2u(0x38000000u);
    let rounded = (rebased + vec2u(0xfffu) + ((rebased >> vec2u(13u)) & vec2u(1u))) >> vec2u(13u);
    let normal = min(rounded, vec2u(0x7c00u));
    let small = vec2u(round(min(bitcast<vec2f>(magnitude), vec2f(1.0f)) * 16777216.0f));
    let finite = select(normal, small, magnitude < vec2u(0x38800000u));
    let half = select(finite, vec2u(0x7e00u), magnitude > vec2u(0x7f800000u));
    let words = half | ((bits >> vec2u(16u)) & vec2u(0x8000u));
    return words.x | (words.y << 16u);
}

fn Unpack4x8unorm(x: u32) -> vec4f {
    return vec4f(vec4u(x & 0xffu, (x >> 8u) & 0xffu, (x >> 16u) & 0xffu, x >> 24u)) / 255.0f;
}

fn Unpack4x8snorm(x: u32) -> vec4f {
    return max(vec4f(unpack4xI8(x)) / 127.0f, vec4f(-1.0f));
}

fn Unpack2x16unorm(x: u32) -> vec2f {
    return vec2f(vec2u(x & 0xffffu, x >> 16u)) / 65535.0f;
}

fn Unpack2x16snorm(x: u32) -> vec2f {
    return max(vec2f(vec2i(vec2u(x << 16u, x)) >> vec2u(16u)) / 32767.0f, vec2f(-1.0f));
}

fn Unpack2x16float(x: u32) -> vec2f {
    let words = vec2u(x & 0xffffu, x >> 16u);
    let magnitude = words & vec2u(0x7fffu);
    let normal = (magnitude << vec2u(13u)) + vec2u(0x38000000u);
    let small = bitcast<vec2u>(vec2f(magnitude) * 0x1p-24f);
    let finite = select(normal, small, magnitude < vec2u(0x400u));
    let whole = select(finite, normal + vec2u(0x38000000u), magnitude >= vec2u(0x7c00u));
    return bitcast<vec2f>(whole | ((words & vec2u(0x8000u)) << vec2u(16u)));
}

fn Unpack4xU8(x: u32) -> vec4u {
    return vec4u(x & 0xffu, (x >> 8u) & 0xffu, (x >> 16u) & 0xffu, x >> 24u);
}

fn Unpack4xI8(x: u32) -> vec4i {
    return vec4i(vec4u(x << 24u, x << 16u, x << 8u, x)) >> vec4u(24u);
}

fn Dot4U8Packed(x: u32, y: u32) -> u32 {
    return dot(unpack4xU8(x), unpack4xU8(y));
}

fn Dot4I8Packed(x: u32, y: u32) -> i32 {
    return dot(unpack4xI8(x), unpack4xI8(y));
}

fn QuantizeToF16(x: f32) -> f32 {
    return unpack2x16float(pack2x16float(vec2f(x, 0.0f))).x;
}

// Divisions of integers, where GLSL leaves some undefined. Source: WebGPU Shading Language, section 8.7.

fn DivideSint(a: i32, b: i32) -> i32 {
    let is_beyond = (b == 0i) | ((a == i32(-0x80000000)) & (b == -1i));
    return a / select(b, 1i, is_beyond);
}

fn DivideUint(a: u32, b: u32) -> u32 {
    return a / max(b, 1u);
}

fn ModuloSint(a: i32, b: i32) -> i32 {
    let is_beyond = (b == 0i) | ((a == i32(-0x80000000)) & (b == -1i));
    let divisor = select(b, 1i, is_beyond);
    return a - divisor * (a / divisor);
}

fn ModuloUint(a: u32, b: u32) -> u32 {
    return a % max(b, 1u);
}
