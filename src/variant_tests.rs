//! Variants of the interface between two stages change no pixel.

use std::collections::BTreeSet;

use case::Dialect;
use case::parse::parse;
use ir::readback::Extent;
use link::session::LinkedPrograms;
use prepare::Linking;

use crate::device::Devices;
use crate::variants::Unlinked;

/// Number of seeds among which every change must occur.
const SEEDS: u64 = 48;

/// Variables of all kinds: in a block and outside it, with locations and without, whole numbers whose value an operation
/// gives in either stage.
const GLSL: &str = "[require]
GLSL >= 4.50
size 8 8
[vertex shader]
layout(location = 0) in vec4 position;
struct Pair { float first; vec2 second; };
out Block { vec3 inside; float beside; };
out vec4 wide;
out mat2 matrix;
out Pair pair;
out float list[3];
flat out ivec2 whole;
flat out uint number;
flat out float rigid;
layout(location = 5) out vec2 placed[2];
layout(location = 6, component = 2) out vec2 near;
layout(location = 5, component = 2) out vec2 nearer;
layout(location = 7, component = 1) out vec3 shifted;
void main() {
    gl_Position = position;
    inside = position.xyz * 0.25;
    beside = position.w * 0.5;
    wide = position * 0.125;
    matrix = mat2(position.xy, position.zw);
    pair = Pair(position.x * 0.5, position.yx);
    list = float[](0.25, position.x, position.y);
    whole = ivec2(gl_VertexID, 3) * 5;
    number = uint(gl_VertexID) + 4u;
    rigid = -float(gl_VertexID);
    placed = vec2[](position.xy * 0.0625, position.zw);
    near = position.yx;
    nearer = position.xy;
    shifted = position.yxw;
}
[fragment shader]
struct Pair { float first; vec2 second; };
in Block { vec3 inside; float beside; };
in vec4 wide;
in mat2 matrix;
in Pair pair;
in float list[3];
flat in ivec2 whole;
flat in uint number;
flat in float rigid;
layout(location = 5) in vec2 placed[2];
layout(location = 6, component = 2) in vec2 near;
layout(location = 5, component = 2) in vec2 nearer;
layout(location = 7, component = 1) in vec3 shifted;
layout(location = 0) out vec4 floats;
layout(location = 1) out ivec4 wholes;
void main() {
    floats = vec4(inside, beside) + wide + vec4(matrix[0], matrix[1]) + vec4(pair.first, pair.second, list[2]);
    floats += vec4(list[0], list[1], placed[0] + placed[1] * near / nearer) + vec4(shifted, abs(rigid));
    wholes = ivec4(whole.yx ^ ivec2(9), int(number << 2u), floatBitsToInt(rigid));
}
[render targets]
0 rgba32float
1 rgba32sint
[test]
draw rect -1 -1 2 2
compare oracle target 0
compare oracle target 1
";

const WGSL: &str = "[require]
size 8 8
[vertex shader wgsl]
struct Out { @builtin(position) at: vec4f, @location(2) a: vec4f, @location(0) @interpolate(flat) b: vec2i,
    @location(3) c: f32, @location(1) @interpolate(flat) d: u32 }
@vertex fn main(@location(0) position: vec4f, @builtin(vertex_index) number: u32) -> Out {
    return Out(position, position.wzyx, vec2i(i32(number)) * 3, position.x, ~number); }
[fragment shader wgsl]
@fragment fn main(@location(2) a: vec4f, @location(0) @interpolate(flat) b: vec2i, @location(3) c: f32,
    @location(1) @interpolate(flat) d: u32) -> @location(0) vec4f {
    return a + vec4f(vec2f(b + 7), c, f32(d & 15u)); }
[render targets]
0 rgba32float
[test]
draw rect -1 -1 2 2
compare oracle target 0
";

/// Checks that the pixels stay the same with every seed, and returns the names of the changes.
#[track_caller]
fn changes_without_effect(text: &str) -> Vec<String> {
    let case = parse("a.shader_test", text.as_bytes(), Dialect::Interstage).remove(0);
    let case = case.result.expect("a right case");
    let device = Devices::fitting("cpu").open("cpu").expect("the executor");
    let rules = device.offer().link_rules();
    let compiled = prepare::compile(&case).expect("it compiles");
    let original = compiled.link(&case, rules, prepare::first_profile(&case));
    let Ok(Linking::Done(originals)) = original else { panic!("no link") };
    let run = |programs: &LinkedPrograms| {
        let readback = device.execute(&case, programs, Extent::Whole).expect("it runs");
        readback.snapshots
    };
    let expected = run(&originals);
    let mut names = BTreeSet::new();
    for seed in 0..SEEDS {
        let unlinked = Unlinked { case: &case, compiled: &compiled, rules, seed };
        let found = unlinked.relinked(&originals.programs);
        assert_eq!(found.faults, Vec::<String>::new(), "{seed}");
        let Some(programs) = &found.programs else { continue };
        assert_eq!(run(programs), expected, "{seed}: {:?}", found.places);
        names.extend(found.places.into_keys());
    }
    names.into_iter().collect()
}

#[test]
fn every_change_of_a_seam_occurs_and_keeps_the_pixels() {
    let all = [
        "bits",
        "block",
        "locations",
        "merge",
        "order",
        "packing",
        "split",
        "to-fragment",
        "to-vertex",
    ];
    assert_eq!(changes_without_effect(GLSL), all);
}

#[test]
fn variables_with_locations_change_in_every_language() {
    let all =
        ["bits", "locations", "merge", "order", "packing", "split", "to-fragment", "to-vertex"];
    assert_eq!(changes_without_effect(WGSL), all);
}

#[test]
fn variables_that_the_case_names_stay() {
    let named = GLSL.replace("[render targets]", "[link]\nslots 14\n[render targets]");
    assert_eq!(changes_without_effect(&named), Vec::<String>::new());
    let captured = GLSL.replace("[render targets]", "[capture]\nwhole\n[render targets]");
    let captured = captured.replace("[test]\n", "[test]\nxfb buffer object 0 64\n");
    assert_eq!(changes_without_effect(&captured), ["packing"]);
}
