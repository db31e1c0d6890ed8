//! What the tests of changes share, and tests of whole variants.

use ir::emit::{self, Language, WgslDialect};
use naga::Module;

use super::*;
use crate::copy::Change;

/// Number of seeds among which each form of a change must occur.
const SEEDS: u64 = 64;

/// The module as WGSL.
pub(crate) fn text(module: &Module) -> String {
    let text = emit::write(module, Language::Wgsl(WgslDialect::Naga)).expect("naga writes it");
    String::from_utf8(text).expect("a text")
}

/// Checks the module with naga's validator.
#[track_caller]
pub(crate) fn valid(module: &Module) {
    if let Err(fault) = super::valid(module) {
        panic!("{fault}\n{module:#?}");
    }
}

/// The module of `wgsl` with `change` at every place, and the number of places.
#[track_caller]
pub(crate) fn varied_by(change: &mut dyn Change, wgsl: &str, seed: u64) -> (Module, u32) {
    let mut module = fixture::module(wgsl);
    let zero = opaque::declare(&mut module);
    let mut random = Random::everywhere(seed);
    let mut new = changed_by(&module, zero, change, &mut random).expect("naga types it");
    opaque::define(&mut new, zero.expect("the stage has an input"));
    valid(&new);
    (new, random.places)
}

/// The module of `wgsl` with `change` at every place, and the number of places.
#[track_caller]
pub(crate) fn varied(change: &mut dyn Change, wgsl: &str) -> (Module, u32) {
    varied_by(change, wgsl, 1)
}

/// Checks that `change` writes all `parts`.
#[track_caller]
pub(crate) fn check(change: &mut dyn Change, wgsl: &str, parts: &[&str]) {
    let text = text(&varied(change, wgsl).0);
    for part in parts {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
}

/// Checks that each of `parts` occurs for some seed.
#[track_caller]
pub(crate) fn check_some(change: &mut dyn FnMut() -> Box<dyn Change>, wgsl: &str, parts: &[&str]) {
    let texts: Vec<_> =
        (0..SEEDS).map(|seed| text(&varied_by(&mut *change(), wgsl, seed).0)).collect();
    for part in parts {
        assert!(texts.iter().any(|text| text.contains(part)), "no `{part}` in\n{}", texts[0]);
    }
}

const TEXT: &str = "fn f(x: f32) -> f32 { if x > 0.5 { return 2.0; } return x * 3.0; }
    @fragment fn main(@location(0) a: vec4f, @location(1) @interpolate(flat) n: u32) -> @location(0) vec4f {
        var v = a; for (var i = 0u; i < n; i++) { if v.x < 0.5 && i != 2u { v.x += f(v.y); } else { v = v.yzwx; } }
        return v; }";

#[test]
fn a_variant_depends_on_module_and_seed_alone() {
    let module = fixture::module(TEXT);
    let of = |seed| text(&variant(&module, seed).module);
    assert_eq!(of(7), of(7));
    assert_ne!(of(7), of(8));
    // Comments and line breaks move the text.
    let moved = fixture::module(&format!("// A comment.\n\n{}", TEXT.replace("; ", ";\n\n")));
    assert_eq!(text(&variant(&moved, 7).module), of(7));
    let other = fixture::module(&TEXT.replace("3.0", "4.0"));
    assert_ne!(text(&variant(&other, 7).module), of(7).replace("3f", "4f"));
}

#[test]
fn every_change_occurs_and_is_valid() {
    let module = fixture::module(TEXT);
    let mut found = Places::new();
    for seed in 0..SEEDS {
        let variant = variant(&module, seed);
        assert_eq!(variant.faults, Vec::<String>::new());
        valid(&variant.module);
        found.extend(variant.places);
    }
    let names: Vec<_> = found.into_keys().collect();
    assert_eq!(names, change::ALL.map(|(name, _)| name));
}

#[test]
fn what_has_no_place_for_a_change_stays() {
    let module = fixture::module("@compute @workgroup_size(1) fn main() {}");
    let variant = variant(&module, 1);
    assert_eq!((variant.places, text(&variant.module)), (Places::new(), text(&module)));
}
