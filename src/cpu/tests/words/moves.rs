//! Tests moving, composing and decomposing values.

use naga::{Expression, Literal, Scalar, ScalarKind as Kind};

use super::{DOUBLES, HEAD, check, check_module, check_stage, check_with};
use ir::builder::FunctionBuilder;
use ir::stage_module::StageModule;
use link::Wide;

#[test]
fn words_become_doubles_and_come_back() {
    let out = check("for (var i = 0u; i < 12u; i++) { put_double(double(i)); }");
    assert_eq!(out[..24], DOUBLES.concat());
}

#[test]
fn literals_have_their_bits() {
    let out = check(
        "put_double(1.5lf); put_double(-0.1lf); put_double(1e300lf); put_double(-0.0lf);
         put_long(0x123456789abcdef0lu); put_long(bitcast<u64>(-2li));
         var x = 7.25lf; put_double(x); var n = -3li; put_long(bitcast<u64>(n));",
    );
    let bits = [1.5_f64, -0.1, 1e300, -0.0].map(f64::to_bits);
    let bits = bits.into_iter().chain([0x1234_5678_9abc_def0, (-2_i64).cast_unsigned()]);
    let bits = bits.chain([7.25_f64.to_bits(), (-3_i64).cast_unsigned()]);
    let words = bits.flat_map(u64::to_le_bytes);
    let words: Vec<_> = words.collect();
    let words = words.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four")));
    assert_eq!(out[..16], words.collect::<Vec<_>>());
}

#[test]
fn vectors_are_composed_of_scalars_and_vectors() {
    check(
        "let xy = vec2(double(2u), double(3u)); let yzw = vec3(double(4u), xy);
         let all = vec4(yzw, double(5u)); let pairs = vec4(xy, all.zw); let same = vec3<f64>(double(6u));
         for (var i = 0u; i < 4u; i++) { put_double(all[i]); put_double(pairs[i]); put_double(same[i % 3u]); }
         put_double(all.x); put_double(pairs.w); put_double(same.y);",
    );
}

#[test]
fn swizzles_take_any_components() {
    check(
        "let v = vec4(double(2u), double(3u), double(4u), double(5u)); let w = v.wzyx; let u = v.yy; let t = w.xyw;
         put_double(w.x); put_double(w.w); put_double(u.y); put_double(t.z); put_double(v.zzz.y);
         let zero = vec3<f64>().zxy; put_double(zero.y); put_double(vec4(zero, v.x).w);",
    );
}

#[test]
fn components_are_stored_one_by_one() {
    check(
        "var v = vec3(double(2u)); v.y = double(3u); let i = given[20]; v[2u - i + 1u] = double(5u);
         var m = mat3x2<f64>(); m[1] = v.xz; m[2][i] = double(6u); m[i].x = double(7u);
         for (var c = 0u; c < 3u; c++) { put_double(m[c].x); put_double(m[c].y); put_double(v[c]); }",
    );
}

#[test]
fn matrices_are_moved_whole_and_by_columns() {
    check(
        "let m = mat2x4<f64>(vec4(double(2u)), vec4(double(3u), double(4u), double(5u), double(6u)));
         var n = m; n[0] = m[1]; let column = n[0]; let o = n;
         for (var r = 0u; r < 4u; r++) { put_double(column[r]); put_double(o[1][r]); put_double(m[0][r]); }",
    );
}

#[test]
fn structures_arrays_and_calls_take_words_along() {
    check_with(
        "struct S { a: f32, b: f64, c: array<vec3<f64>, 2>, d: mat2x2<f64> }
         fn changed(s: S, x: f64) -> S { var t = s; t.c[1].z = x; t.d[0] = vec2(x, s.b); return t; }
         fn change(p: ptr<function, vec3<f64>>, x: f64) { (*p).y = x; }
         fn chosen(v: vec4<f64>, i: u32) -> f64 { return v[i]; }
         var<private> all: array<S, 2>;
         var<private> start: vec2<f64> = vec2<f64>(1.5lf, -0.0lf);
         var<private> zeros: vec3<f64> = vec3<f64>(vec2<f64>(), 5lf);
         const LIST = array<f64, 3>(1lf, 2lf, 3lf);
         const VECTOR = vec3<f64>(4lf, 5lf, 6lf);",
        "all[1] = changed(S(1.0, double(4u), array(vec3(double(5u)), vec3(double(6u))), mat2x2<f64>()), double(3u));
         all[0].c = all[1].c; let s = all[0]; let t = all[1];
         put_double(s.c[1].z); put_double(s.c[1].y); put_double(t.b); put_double(t.d[0].y); put_double(t.d[1].x);
         var v = vec3(double(2u)); change(&v, double(7u)); put_double(v.y); put_double(v.z);
         put_double(chosen(vec4(v, double(8u)), given[2])); put_double(start.x); put_double(start.y);
         put_double(zeros.y); put_double(zeros.z); var local = vec3<f64>(vec2<f64>(), VECTOR.z); put_double(local[given[8]]);
         let list = LIST; put_double(list[given[8]]); let vector = VECTOR; put_double(vector[given[8]]);
         put_double(vec4(VECTOR.xy, v.xy).y); put(bitcast<u32>(t.a));",
    );
}

#[test]
fn one_of_two_values_is_chosen() {
    check(
        "let a = vec3(double(2u), double(3u), double(4u)); let b = vec3(double(5u), double(6u), double(7u));
         let yes = given[2] == 0u; let no = !yes;
         put_double(select(a.x, b.x, yes)); put_double(select(a.x, b.x, no));
         let c = select(a, b, vec3(yes, no, yes)); let d = select(a, b, no);
         for (var i = 0u; i < 3u; i++) { put_double(c[i]); put_double(d[i]); }",
    );
}

#[test]
fn integers_widen_and_narrow() {
    check(
        "for (var i = 0u; i < 24u; i++) {
            let u = given[i]; let s = bitcast<i32>(u);
            put_long(u64(u)); put_long(u64(s)); put_long(bitcast<u64>(i64(u))); put_long(bitcast<u64>(i64(s)));
            let wide = long(i / 2u); put(u32(wide)); put(bitcast<u32>(i32(bitcast<i64>(wide))));
            put(u32(bool(wide)));
         }",
    );
    check(
        "let u = vec3(given[3], given[5], given[8]); let s = bitcast<vec3<i32>>(u);
         let a = vec3<u64>(u); let b = vec3<i64>(s); let back = vec3<u32>(b);
         let c = vec3<u64>(vec3(u.zx, u.y)); var d = i32(bitcast<i64>(a.x)); d += i32(c.z);
         for (var i = 0u; i < 3u; i++) { put_long(a[i]); put_long(bitcast<u64>(b[i])); put(back[i]); put_long(c[i]); }
         put(bitcast<u32>(d));",
    );
}

#[test]
fn booleans_become_numbers_and_numbers_booleans() {
    check(
        "for (var i = 0u; i < 12u; i++) {
            let x = double(i); put(u32(bool(x)));
            let is_odd = (i & 1u) == 1u; put_long(u64(is_odd)); put_long(bitcast<u64>(i64(is_odd)));
            put_double(f64(is_odd));
         }",
    );
}

#[test]
fn bits_are_combined() {
    check(
        "for (var i = 0u; i < 12u; i++) {
            let a = long(i); let b = long((i * 5u + 3u) % 12u);
            put_long(a & b); put_long(a | b); put_long(a ^ b); put_long(~a);
            put_long(a & 0xffffffff00000000lu); put_long(0xf0fflu & a); put_long(u64(given[i]) ^ a); put_long(u64() | a);
            put_long(a << 32u); put_long(a >> 32u); put_long(a << 0u); put_long(bitcast<u64>(bitcast<i64>(a) >> 32u));
         }",
    );
    check(
        "let a = vec2(long(3u), long(9u)); let b = vec2(long(4u), long(5u)); let c = (a & ~b) ^ (b | a);
         let d = c >> vec2(32u, 0u); let e = bitcast<vec2<i64>>(c) >> vec2(32u);
         put_long(c.x); put_long(c.y); put_long(d.x); put_long(d.y);
         put_long(bitcast<u64>(e.x)); put_long(bitcast<u64>(e.y));",
    );
}

/// A stage that converts a constant, which naga's front end would evaluate itself, and writes the result.
fn converting(constant: Literal, to: Scalar) -> StageModule {
    // The linker leaves out buffers that the compiled `main`, which is replaced here, does not use.
    let text = format!("{HEAD} @compute @workgroup_size(1) fn main() {{ put(given[0]); }}");
    let mut stage = super::stage(&text);
    let name = match (to.kind, to.width) {
        (Kind::Float, 8) => "put_double",
        (_, 8) => "put_long",
        _ => "put",
    };
    let mut functions = stage.module.functions.iter();
    let put = functions.find(|(_, function)| function.name.as_deref() == Some(name));
    let (put, _) = put.expect("it is in the head");
    drop(functions);
    let mut main = FunctionBuilder::new(&mut stage.module);
    let expr = main.literal(constant);
    let convert = Some(to.width);
    let result = main.emit(Expression::As { expr, kind: to.kind, convert });
    let is_double = name == "put_double";
    let kind = if is_double { Kind::Float } else { Kind::Uint };
    let result = main.emit(Expression::As { expr: result, kind, convert: None });
    main.call(put, vec![result]);
    let main = main.finish();
    stage.main = stage.module.functions.append(main, naga::Span::UNDEFINED);
    stage
}

#[test]
fn constants_are_converted() {
    let (longs, words) = ([Scalar::F64, Scalar::I64, Scalar::U64], [Scalar::U32, Scalar::F32]);
    for to in longs.into_iter().chain(words) {
        for literal in [
            Literal::F32(1.1),
            Literal::F32(3.9),
            Literal::F64(1.1),
            Literal::F64(16_777_217.0),
            Literal::F64(5e9),
            Literal::I32(77),
            Literal::U32(0xffff_ffff),
            Literal::I64(0x7fff_ffff_ffff_ffff),
            Literal::U64(0x0020_0000_0000_0001),
            Literal::Bool(true),
        ] {
            check_stage(&converting(literal, to), Wide::Both);
        }
    }
    let out = check_stage(&converting(Literal::F32(0.1), Scalar::F64), Wide::Both);
    assert_eq!(out[..2], [0xa000_0000, 0x3fb9_9999]);
}

#[test]
fn control_flow_stays() {
    check(
        "var x = double(2u); var i = 0u;
         loop {
            if i == 3u { x = double(5u); continue; }
            let y = double(i);
            switch i { case 1u, 2u: { put_double(y); } case 4u: { put_double(x); x = y; } default: { x = y; } }
            continuing { i++; break if i == 6u; }
         }
         put_double(x);
         for (var j = 0u; ; j++) { if j == 2u { break; } let z = x; put_double(z); }",
    );
}

#[test]
fn workgroups_share_words() {
    check_with(
        "var<workgroup> shared_value: f64; var<workgroup> row: array<vec2<f64>, 3>;",
        "shared_value = double(4u); row[given[8]] = vec2(double(5u), double(6u));
         put_double(workgroupUniformLoad(&shared_value)); put_double(row[1].y); let r = row; put_double(r[1].x);",
    );
}

/// The results of subgroup operations come from statements, which are mixed with those on words.
#[test]
fn operations_of_subgroups_on_words_stay() {
    check(
        "put_double(double(2u)); let sum = subgroupAdd(given[5]); let first = subgroupBroadcastFirst(given[7]);
         let ballot = subgroupBallot(true); put(sum); put(first); put(ballot.x); put_double(double(3u));",
    );
}

/// Without the operand of a `switch` or the condition of a loop, nothing needs words.
#[test]
fn an_early_return_leaves_the_rest_out() {
    let text = format!(
        "{HEAD} fn early(i: u32) -> f64 {{ if i == 0u {{ return double(3u); }} return 2.0lf; }}
         @compute @workgroup_size(1) fn main() {{ put_double(early(0u)); put_double(early(1u)); return; }}"
    );
    check_module(&text, Wide::Both);
}
