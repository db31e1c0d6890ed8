//! Checks that errors name every operation that is not implemented on words.

use std::borrow::Cow;

use super::{HEAD, stage};
use crate::LinkError;
use crate::lower::words::{Wide, lower};

/// The unsupported word and the source text of the error for a `main` with these statements.
#[track_caller]
fn refused(declarations: &str, body: &str) -> (String, String) {
    let text = format!("{HEAD}{declarations}\n@compute @workgroup_size(1) fn main() {{ {body} }}");
    let stage = stage(&text);
    match lower(&mut Cow::Borrowed(&stage), Wide::Both) {
        Err(LinkError::NoWideTypes { operation, span }) => {
            let at = span.map_or("", |span| &text[span.start..span.end]);
            (operation, at.to_owned())
        }
        other => panic!("{body}: {other:?}"),
    }
}

#[track_caller]
fn check(body: &str, what: &str) {
    let (word, _) = refused("", body);
    assert_eq!(word, format!("{what}, which this adapter has only as words"), "{body}");
}

#[test]
fn arithmetic_is_refused() {
    check("put_double(double(0u) + double(1u));", "`+` on `double`");
    check("put_double(double(0u) - double(1u));", "`-` on `double`");
    check("put_double(-double(0u));", "`-` on `double`");
    check("put_long(long(0u) * long(1u));", "`*` on `uint64_t`");
    check("put_long(long(0u) / long(1u));", "`/` on `uint64_t`");
    check("put_long(bitcast<u64>(bitcast<i64>(long(0u)) % 3li));", "`%` on `int64_t`");
    check("let v = vec3(double(0u)); put_double((v * v).x);", "`*` on `dvec3`");
    check(
        "let m = mat2x3<f64>(); let v = m * vec2(double(0u)); put_double(v.x);",
        "`*` on `dmat2x3`",
    );
    check("let v = 2lf * vec2(double(0u)); put_double(v.x);", "`*` on `double`");
}

#[test]
fn order_is_refused() {
    check("put(u32(double(0u) < double(1u)));", "`<` on `double`");
    check("put(u32(long(0u) <= long(1u)));", "`<=` on `uint64_t`");
    check("put(u32(double(0u) > 0lf));", "`>` on `double`");
    check("put(u32(double(0u) >= 0lf));", "`>=` on `double`");
    check("put(u32(all(vec2(double(0u)) < vec2(double(1u)))));", "`lessThan` on `dvec2`");
    check("put(u32(all(vec2(double(0u)) >= vec2(0lf))));", "`greaterThanEqual` on `dvec2`");
}

#[test]
fn shifts_by_other_than_words_are_refused() {
    check("put_long(long(0u) << 1u);", "`<<` on `uint64_t`");
    check("put_long(long(0u) >> given[0]);", "`>>` on `uint64_t`");
    check("put_long((vec2(long(0u)) >> vec2(32u, 31u)).x);", "`>>` on `u64vec2`");
}

#[test]
fn functions_are_refused() {
    check("put_double(abs(double(0u)));", "`abs` on `double`");
    check("put_double(sqrt(double(0u)));", "`sqrt` on `double`");
    check("put_double(fma(double(0u), double(1u), double(2u)));", "`fma` on `double`");
    check("put_double(dot(vec2(double(0u)), vec2(double(1u))));", "`dot` on `dvec2`");
    check("put_double(round(double(0u)));", "`roundEven` on `double`");
    check("put_long(min(long(0u), long(1u)));", "`min` on `uint64_t`");
    check("put_long(countOneBits(long(0u)));", "`bitCount` on `uint64_t`");
    check("put_double(transpose(mat2x3<f64>())[0].x);", "`transpose` on `dmat2x3`");
}

#[test]
fn conversions_that_compute_are_refused() {
    let on = |from: &str, to: &str| format!("a conversion from `{from}` to `{to}`");
    check("put_double(f64(f32(given[0])));", &on("float", "double"));
    check("put_double(f64(given[0]));", &on("uint", "double"));
    check("put(bitcast<u32>(f32(double(0u))));", &on("double", "float"));
    check("put(u32(double(0u)));", &on("double", "uint"));
    check("put_long(u64(double(0u)));", &on("double", "uint64_t"));
    check("put_double(f64(bitcast<i64>(long(0u))));", &on("int64_t", "double"));
    check("put_long(u64(f32(given[0])));", &on("float", "uint64_t"));
    check("put_double(vec2<f64>(vec2(f32(given[0]))).x);", &on("vec2", "dvec2"));
}

#[test]
fn an_index_is_a_word() {
    check("var a = array(1u, 2u); put(a[long(0u)]);", "an index of `uint64_t`");
}

#[test]
fn atomics_are_refused() {
    let declarations = "@group(0) @binding(2) var<storage, read_write> count: atomic<u64>;";
    let (word, _) = refused(declarations, "atomicMax(&count, long(0u));");
    assert_eq!(word, "`atomicMax` on `uint64_t`, which this adapter has only as words");
    let (word, _) = refused(declarations, "put_long(long(0u));");
    assert_eq!(word, "an atomic variable of `uint64_t`, which this adapter has only as words");
}

#[test]
fn subgroups_are_refused() {
    check("put_long(subgroupAdd(long(0u)));", "a subgroup operation on `uint64_t`");
    check("put_long(subgroupBroadcastFirst(long(0u)));", "a subgroup operation on `uint64_t`");
}

#[test]
fn the_error_points_at_the_operation() {
    let (_, at) = refused("", "put(1u); put_double(double(0u) + double(1u));");
    assert_eq!(at, "double(0u) + double(1u)");
}
