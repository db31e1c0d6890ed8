//! The target `parser_test` of `runner/fuzz`, guided by coverage.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(
    // libFuzzer's hook ends the process at any panic, also at those of rspirv that the front end of SPIR-V catches.
    init: drop(std::panic::take_hook()),
    |input: &[u8]| interstage_fuzz::target::run("parser_test", input)
);
