//! WGSL in, words out.

use crate::code::Code;
use crate::compile::compile;
use crate::lanes::{Lane, Lanes, Stopped};
use crate::memory::{Bound, Buffer, Environment};
use crate::texture::Textures;

fn compiled(text: &str) -> Code {
    let module = naga::front::wgsl::parse_str(text).expect("the text is WGSL");
    let all = naga::valid::Capabilities::all();
    naga::valid::Validator::new(naga::valid::ValidationFlags::all(), all)
        .validate(&module)
        .expect("the module is valid");
    compile(&module).expect("everything is implemented")
}

/// Words of the storage buffer `@group(0) @binding(0)` after one workgroup of this size, which is zero before.
fn run(text: &str, size: usize, words: usize) -> Result<Vec<u32>, Stopped> {
    let code = compiled(text);
    let mut lanes = Lanes::new(&code, size);
    let mut buffers = [Buffer { words: vec![0; words], bytes: words * 4 }];
    let mut textures = Textures::default();
    let mut environment = Environment {
        buffers: &mut buffers,
        textures: &mut textures,
        bound: &[Bound::Buffer(0)],
        noise: None,
    };
    lanes.prepare(&mut environment)?;
    for input in &code.inputs {
        for lane in 0..size {
            lanes.words_mut(input.register)[lane] = u32::try_from(lane).expect("it is small");
        }
    }
    lanes.run(&mut environment, &vec![Lane::Live; size])?;
    Ok(buffers[0].words.clone())
}

#[track_caller]
fn check(body: &str, expected: &[u32]) {
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) id: u32) {{ {body} }}"
    );
    assert_eq!(run(&text, 4, expected.len()), Ok(expected.to_vec()));
}

#[test]
fn lanes_part_and_join() {
    check("if id < 2u { out[id] = 1u; } else { out[id] = 2u; }", &[1, 1, 2, 2]);
    check("var n = 0u; for (var i = 0u; i < id; i++) { n += i + 1u; } out[id] = n;", &[0, 1, 3, 6]);
    check(
        "var n = 0u; loop { n++; if n == 2u { continue; } if n > id { break; } } out[id] = n;",
        &[1, 3, 3, 4],
    );
    check(
        "switch id { case 0u: { out[0] = 5u; } case 2u, 3u: { if id == 3u { break; } out[id] = 6u; } \
         default: { out[id] = 7u; } }",
        &[5, 7, 6, 0],
    );
    check(
        "var n = 0u; loop { n++; switch id { case 1u: { if n < 3u { continue; } break; } \
         default: {} } break; } out[id] = n;",
        &[1, 3, 1, 1],
    );
}

#[test]
fn functions_return_early_in_some_lanes() {
    let text = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        fn f(x: u32) -> u32 { if x == 1u { return 10u; } for (var i = 0u; ; i++) { if i == x { return i; } } return 9u; }
        fn change(p: ptr<function, u32>, x: u32) { if x > 1u { return; } *p = 3u; }
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) id: u32) {
            var v = 1u; change(&v, id); out[id] = f(id) + f(id + 1u) * 100u + v * 10000u;
        }";
    assert_eq!(run(text, 4, 4), Ok(vec![31000, 30210, 10302, 10403]));
}

#[test]
fn arrays_are_indexed_by_lane_and_stay_inside() {
    check(
        "var a = array(10u, 11u, 12u); a[id] = 20u + id; out[id] = a[0] + a[2 - min(id, 2u)];",
        // The last lane writes to the last element, because there are three only.
        &[32, 31, 20, 20],
    );
    check("out[id + 3u] = 1u; out[min(id, 1u)] = arrayLength(&out);", &[5, 5, 0, 1, 1]);
    check("let m = mat2x3f(1, 2, 3, 4, 5, 6); out[id] = u32(m[id & 1u][id >> 1u]);", &[1, 4, 2, 5]);
}

#[test]
fn workgroups_share_memory_and_atomics_count() {
    let text = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        var<workgroup> row: array<u32, 4>;
        var<workgroup> sum: atomic<u32>;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) id: u32) {
            row[id] = id * id; let before = atomicAdd(&sum, id + 1u);
            workgroupBarrier();
            out[id] = row[3u - id] + 100u * before + 1000u * atomicLoad(&sum);
        }";
    assert_eq!(run(text, 4, 4), Ok(vec![10009, 10104, 10301, 10600]));
}

#[test]
fn matrices_and_vectors_multiply() {
    // Columns (1, 2) and (3, 4) times (5, 6): (1·5 + 3·6, 2·5 + 4·6).
    check(
        "let v = mat2x2f(1, 2, 3, 4) * vec2f(5, 6); out[id] = u32(v[id & 1u]);",
        &[23, 34, 23, 34],
    );
    check(
        "let v = vec2f(5, 6) * mat2x2f(1, 2, 3, 4); out[id] = u32(v[id & 1u]);",
        &[17, 39, 17, 39],
    );
    check("out[id] = u32(-determinant(mat2x2f(1, 2, 3, 4)));", &[2; 4]);
}

#[test]
fn integers_wrap_and_divide_by_zero_as_wgsl_says() {
    check("let z = id - id; out[id] = (id + 7u) / z + (id % z) * 100u;", &[7, 8, 9, 10]);
    check(
        "let n = i32(id) - 2; out[id] = u32(n / 2 + 5) + u32(n % 2 + 5) * 10u;",
        &[54, 45, 55, 65],
    );
    check("out[id] = u32(f32(id) - 1.5);", &[0, 0, 0, 1]);
}

#[test]
fn a_loop_without_end_is_stopped() {
    let text = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(1) fn main() { loop { if out[0] == 1u { break; } } }";
    assert!(matches!(run(text, 1, 1), Err(Stopped::TooLong(_))));
}

#[test]
fn wide_scalars_take_two_words() {
    check(
        "let n = u64(id) * 4294967297lu; out[id] = u32(n >> 32u) + 10u * u32(n & 255lu) + \
         100u * u32(f64(id) * 0.5lf + 0.75lf);",
        &[0, 111, 122, 233],
    );
}
