//! Tests of compiled WGSL, by the words that it writes.

use crate::code::Code;
use crate::compile::compile;
use crate::errors::Stopped;
use crate::lanes::{Lane, Lanes};
use crate::memory::{Bound, Buffer, Environment, Work};
use crate::texture::Textures;

fn compiled(text: &str) -> Code {
    let module = naga::front::wgsl::parse_str(text).expect("the text is WGSL");
    let all = naga::valid::Capabilities::all();
    naga::valid::Validator::new(naga::valid::ValidationFlags::all(), all)
        .validate(&module)
        .expect("the module is valid");
    compile(&module).expect("everything is implemented")
}

/// Words of the storage buffer `@group(0) @binding(0)`, initially zero, after one workgroup of `size` invocations.
fn run(text: &str, size: usize, words: usize) -> Result<Vec<u32>, Stopped> {
    let code = compiled(text);
    let mut lanes = Lanes::new(&code, size)?;
    let mut buffers = [Buffer { words: vec![0; words], bytes: words * 4 }];
    let mut textures = Textures::default();
    let (bound, work) = (&[Bound::Buffer(0)], &Work::default());
    let (buffers, textures) = (&mut buffers, &mut textures);
    let mut environment = Environment { buffers, textures, bound, work, noise: None };
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
        // The last lane writes to the last element, because there are only three.
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

/// Indices far beyond every kind of memory: private and shared arrays, vectors, matrices, values and buffers.
#[test]
fn no_index_is_too_large() {
    let text = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        var<private> a: array<vec2u, 3>;
        var<workgroup> shared_words: array<u32, 4>;
        var<workgroup> counter: array<atomic<u32>, 2>;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) id: u32) {
            let far = select(0x7fffffffu, 0xffffffffu, id > 1u) - id;
            a[far][far] = 1u; shared_words[far] = 2u;
            let value = array(1u, 2u, 3u); var m = mat3x3f(); m[far][far] = 1.0;
            out[far] = a[far].y + value[far] + shared_words[far] + u32(m[2][2]) + atomicAdd(&counter[far], 0u);
            out[far - 7u] += out[0x80000000u]; out[id] = 5u; }";
    assert_eq!(run(text, 4, 5), Ok(vec![5, 5, 5, 5, 7]));
}

/// A module whose `main` has the body that `body` builds.
fn built(body: impl FnOnce(&mut naga::Module, &mut naga::Function) -> naga::Block) -> naga::Module {
    let mut module = naga::Module::default();
    let mut function = naga::Function::default();
    function.body = body(&mut module, &mut function);
    module.entry_points.push(naga::EntryPoint {
        name: "main".to_owned(),
        stage: naga::ShaderStage::Compute,
        early_depth_test: None,
        workgroup_size: [1; 3],
        workgroup_size_overrides: None,
        function,
        mesh_info: None,
        task_payload: None,
        incoming_ray_payload: None,
    });
    module
}

fn refusal(module: &naga::Module) -> String {
    compile(module).expect_err("it is too deep").to_string()
}

const DEPTH: usize = 5000;

#[test]
fn blocks_expressions_and_types_may_only_be_so_deep() {
    use naga::{Block, Expression, Span, Statement, Type, TypeInner, UnaryOperator};
    let span = Span::UNDEFINED;
    let blocks = |depth: usize| {
        built(|_, function| {
            let condition = naga::Literal::Bool(true);
            let condition = function.expressions.append(Expression::Literal(condition), span);
            (0..depth).fold(Block::new(), |accept, _| {
                let reject = Block::new();
                Block::from_vec(vec![Statement::If { condition, accept, reject }])
            })
        })
    };
    assert!(compile(&blocks(500)).is_ok());
    assert_eq!(
        refusal(&blocks(DEPTH)),
        "the executor has no blocks inside each other as deep as this"
    );
    let expressions = built(|_, function| {
        let one = Expression::Literal(naga::Literal::I32(1));
        let mut expr = function.expressions.append(one, span);
        for _ in 0..DEPTH {
            let negation = Expression::Unary { op: UnaryOperator::Negate, expr };
            expr = function.expressions.append(negation, span);
        }
        // No `Emit` covers the constants.
        let selector = expr;
        Block::from_vec(vec![Statement::Switch { selector, cases: Vec::new() }])
    });
    assert_eq!(
        refusal(&expressions),
        "the executor has no blocks and expressions inside each other as deep as this"
    );
    let types = built(|module, function| {
        let mut ty = module
            .types
            .insert(Type { name: None, inner: TypeInner::Scalar(naga::Scalar::U32) }, span);
        for _ in 0..DEPTH {
            let size = naga::ArraySize::Constant(std::num::NonZeroU32::MIN);
            let inner = TypeInner::Array { base: ty, size, stride: 4 };
            ty = module.types.insert(Type { name: None, inner }, span);
        }
        let variable = naga::LocalVariable { name: None, ty, init: None };
        function.local_variables.append(variable, span);
        Block::new()
    });
    assert_eq!(refusal(&types), "the executor has no types inside each other as deep as this");
}

/// Each function calls the next one twice, so that the innermost is inlined 2⁴⁰ times.
#[test]
fn calls_may_not_grow_without_end() {
    let mut text = "fn f40() {}\n".to_owned();
    for number in (0..40).rev() {
        let next = number + 1;
        text.push_str(
            &[
                "fn f",
                &number.to_string(),
                "() { f",
                &next.to_string(),
                "(); f",
                &next.to_string(),
                "(); }\n",
            ]
            .concat(),
        );
    }
    text.push_str("@compute @workgroup_size(1) fn main() { f0(); }");
    let module = naga::front::wgsl::parse_str(&text).expect("the text is WGSL");
    assert_eq!(refusal(&module), "the executor has no stages with so many operations");
}

#[test]
fn what_is_missing_has_a_name() {
    let text = "enable wgpu_int16; @compute @workgroup_size(1) fn main() { var x: i16; x = reverseBits(x); }";
    let module = naga::front::wgsl::parse_str(text).expect("the text is WGSL");
    assert_eq!(refusal(&module), "the executor has no ReverseBits of I16");
}

/// A subgroup has four lanes. Lane 3 is inactive.
#[test]
fn subgroups_are_of_four_lanes_that_are_active() {
    let check = |body: &str, expected: [u32; 4]| {
        check(&format!("if id < 3u {{ let x = id + 2u; {body} }}"), &expected);
    };
    check("out[id] = subgroupBallot(id != 1u).x;", [5, 5, 5, 0]);
    check("out[id] = subgroupBallot().x + subgroupBallot().y;", [7, 7, 7, 0]);
    check("out[id] = subgroupAdd(x) + 100u * subgroupMul(x);", [2409, 2409, 2409, 0]);
    check("out[id] = subgroupMin(x) + 10u * subgroupMax(x);", [42, 42, 42, 0]);
    check(
        "out[id] = subgroupAnd(x) + 10u * subgroupOr(x) + 100u * subgroupXor(x);",
        [570, 570, 570, 0],
    );
    check("out[id] = u32(subgroupAll(x > 2u)) + 2u * u32(subgroupAny(x > 3u));", [2, 2, 2, 0]);
    check(
        "out[id] = subgroupExclusiveAdd(x) + 100u * subgroupInclusiveAdd(x);",
        [200, 502, 905, 0],
    );
    check(
        "out[id] = subgroupExclusiveMul(x) + 100u * subgroupInclusiveMul(x);",
        [201, 602, 2406, 0],
    );
    check("out[id] = u32(subgroupInclusiveAdd(vec2f(0.5, f32(x))).y);", [2, 5, 9, 0]);
    check("out[id] = subgroupBroadcastFirst(x) + 10u * subgroupBroadcast(x, 2u);", [42, 42, 42, 0]);
    // Values from lane 3, or from outside the subgroup, are undefined; here they are 0.
    check(
        "out[id] = subgroupShuffle(x, 2u - id) + 10u * subgroupShuffleXor(x, 1u);",
        [34, 23, 2, 0],
    );
    check("out[id] = subgroupShuffleUp(x, 1u) + 10u * subgroupShuffleDown(x, 1u);", [30, 42, 3, 0]);
    check(
        "out[id] = quadSwapX(x) + 10u * quadSwapY(x) + 100u * quadSwapDiagonal(x);",
        [43, 402, 320, 0],
    );
    check("out[id] = quadBroadcast(x, 1u);", [3, 3, 3, 0]);
}

/// Four lanes change four texels one after another; initially these are 5, 6, 7 and 8.
#[test]
fn atomics_change_texels() {
    let text = "@group(0) @binding(0) var all: texture_storage_2d<r32uint, atomic>;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) id: u32) {
            textureAtomicAdd(all, vec2u(0, 0), id); textureAtomicMax(all, vec2u(1, 0), id + 5u);
            textureAtomicMin(all, vec2u(0, 1), id + 2u); textureAtomicXor(all, vec2u(1, 1), 1u << id);
            textureAtomicOr(all, vec2u(2, 0), 1u); }";
    let code = compiled(text);
    let bytes = [5_u32, 6, 7, 8].iter().flat_map(|texel| texel.to_le_bytes()).collect();
    let texture = plan::PlannedTexture {
        size: [2, 2, 1],
        shape: plan::TextureShape::Flat,
        format: plan::TexelFormat::Color(
            ir::format::Format::from_name("r32uint").expect("a format"),
        ),
        levels: vec![bytes],
        is_image: true,
        is_target: false,
    };
    let dimension = link::table::binding::TextureDimension::D2;
    let view = plan::PlannedView { texture: 0, dimension, base_level: 0, level_count: 1 };
    let plan = plan::Plan { textures: vec![texture], views: vec![view], ..plan::Plan::default() };
    let mut textures = Textures::new(&plan);
    let (bound, work) = (&[Bound::View(0)], &Work::default());
    let mut environment =
        Environment { buffers: &mut [], textures: &mut textures, bound, work, noise: None };
    let mut lanes = Lanes::new(&code, 4).expect("there is room");
    lanes.prepare(&mut environment).expect("everything is bound");
    lanes.words_mut(code.inputs[0].register).copy_from_slice(&[0, 1, 2, 3]);
    lanes.run(&mut environment, &[Lane::Live; 4]).expect("it ends");
    let texels = textures.layer(0, 0).chunks_exact(4).map(|bytes| bytes[0]).collect::<Vec<_>>();
    // 5 + 0 + 1 + 2 + 3, the largest of 5 to 8, the least of 2 to 5, 8 with its four lowest bits changed.
    assert_eq!(texels, [11, 8, 2, 7]);
}
