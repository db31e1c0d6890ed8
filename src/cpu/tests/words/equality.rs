//! Tests comparisons for equality, which work on bits.

use super::check;

#[test]
fn doubles_are_equal_by_ieee_754() {
    let out = check(
        "for (var i = 0u; i < 12u; i++) { for (var j = 0u; j < 12u; j++) {
            let a = double(i); let b = double(j);
            put(u32(a == b) | (u32(a != b) << 1u));
         } }",
    );
    let at = |i: usize, j: usize| out[i * 12 + j];
    // 1 means equal, 2 means unequal.
    assert_eq!([at(0, 0), at(0, 1), at(1, 0), at(0, 2), at(2, 3), at(2, 4)], [1, 1, 1, 2, 2, 2]);
    assert_eq!([at(5, 5), at(5, 6), at(7, 7), at(8, 8), at(9, 9), at(8, 5)], [1, 2, 2, 2, 2, 2]);
    assert_eq!([at(10, 10), at(10, 11), at(10, 0), at(11, 1), at(2, 2)], [1, 2, 2, 2, 1]);
}

#[test]
fn doubles_are_compared_with_constants() {
    check(
        "for (var i = 0u; i < 12u; i++) {
            put(u32(double(i) == 1.0lf)); put(u32(double(i) != 0.0lf)); put(u32(-0.0lf == double(i)));
         }",
    );
}

#[test]
fn integers_are_equal_if_both_words_are() {
    let out = check(
        "for (var i = 0u; i < 12u; i++) { for (var j = 0u; j < 12u; j++) {
            let a = long(i); let b = bitcast<i64>(long(j));
            put(u32(a == bitcast<u64>(b)) | (u32(bitcast<i64>(a) != b) << 1u));
         } }",
    );
    assert_eq!([out[0], out[1], out[12 + 1], out[7 * 12 + 7]], [1, 2, 1, 1]);
}

#[test]
fn vectors_are_compared_by_components() {
    check(
        "let a = vec4(double(0u), double(2u), double(7u), double(5u));
         let b = vec4(double(1u), double(4u), double(7u), double(5u));
         let same = a == b; let different = a != b;
         for (var i = 0u; i < 4u; i++) { put(u32(same[i]) + 2u * u32(different[i])); }
         put(u32(all(a.xw == b.xw)) + 2u * u32(any(a != b)));
         let c = vec2(long(0u), long(1u)); let d = vec2(long(0u), long(0u)); let e = c == d;
         put(u32(e.x) + 2u * u32(e.y));",
    );
}
