//! A target body that misbehaves as a word in its input says, so that tests can check that each kind of finding is
//! detected.

use std::hint::black_box;
use std::time::Duration;

/// Misbehaves if the input asks for it.
pub(super) fn body(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    assert!(!text.contains("please panic"), "asked to");
    if text.contains("please overflow") {
        black_box(descend(black_box(0)));
    }
    if text.contains("please hang") {
        std::thread::sleep(Duration::from_hours(1));
    }
    if text.contains("please take everything") {
        black_box(Vec::<u8>::with_capacity(black_box(1 << 46)));
    }
}

fn descend(depth: u64) -> u64 {
    if depth == u64::MAX { 0 } else { 1 + black_box(descend(black_box(depth + 1))) }
}
