//! Tests of races in WGSL, by the words of a run without noise and of the first pair with noise.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{Binding, BuiltIn};

use super::*;
use crate::compile::compile;
use crate::lanes::{Lane, Lanes};
use crate::memory::{Buffer, Work};
use crate::texture::Textures;

const LANES: usize = 4;
const WORDS: usize = 16;

fn compiled(body: &str) -> Code {
    let text = format!(
        "enable f16;
        struct All {{ halves: array<f16, 8>, words: array<u32, 8>, counter: atomic<u32> }}
        @group(0) @binding(0) var<storage, read_write> all: All;
        var<workgroup> row: array<u32, 4>;
        @compute @workgroup_size(4)
        fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u) {{
            let id = group.x * 4 + lane;
            {body}
        }}"
    );
    let module = naga::front::wgsl::parse_str(&text).expect("the text is WGSL");
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(&module).expect("the module is valid");
    compile(&module).expect("everything is implemented")
}

/// The words after two workgroups whose lanes start like this.
fn run(code: &Code, starts: [Lane; LANES], work: &Work, noise: Option<Noise>) -> Vec<u32> {
    work.foresight.borrow_mut().begin(noise);
    let mut buffers = [Buffer { words: vec![0; WORDS], bytes: WORDS * 4 }];
    let mut textures = Textures::default();
    let bound = &[Bound::Buffer(0)];
    let (buffers, textures) = (&mut buffers, &mut textures);
    let mut environment = Environment { buffers, textures, bound, work, noise };
    let mut lanes = Lanes::new(code, LANES).expect("there is room");
    lanes.prepare(&mut environment).expect("everything is bound");
    let mut groups = [0, 1];
    if noise.is_some_and(|noise| noise.is_backwards) {
        groups.reverse();
    }
    for group in groups {
        for input in &code.inputs {
            let is_group = input.binding == Binding::BuiltIn(BuiltIn::WorkGroupId);
            let words = lanes.words_mut(input.register).iter_mut().zip(0..);
            words.for_each(|(word, lane)| *word = if is_group { group } else { lane });
        }
        lanes.run(&mut environment, &starts).expect("it ends");
    }
    environment.buffers[0].words.clone()
}

/// True if the runs of both pairs return what the run without noise does.
fn is_decided(body: &str, starts: [Lane; LANES]) -> bool {
    let (code, work) = (compiled(body), Work::default());
    let exact = run(&code, starts, &work, None);
    let pairs = Noise::PAIRS
        .map(|pair| pair.map(|noise| run(&code, starts, &work, Some(noise)) == exact) == [true; 2]);
    assert_eq!(pairs[0], pairs[1], "{body}");
    pairs[0]
}

#[test]
fn what_a_race_decides_differs() {
    for body in [
        "all.words[0] += 1;",
        "if group.x == 0 { all.words[0] += 1; }",
        "all.words[0] ^= 1;",
        "all.words[0] = id;",
        "all.words[0] = 1 + lane % 2;",
        "if lane == 0 { all.words[0] = group.x; }",
        "if id == 5 { all.words[0] = 3; } all.words[id % 7 + 1] = all.words[0];",
        "let x = all.words[0]; all.words[id % 7 + 1] = x; if id == 5 { all.words[0] = 3; }",
        "let x = atomicXor(&all.counter, 1); if lane == 0 { all.words[0] = x; }",
        "row[0] = lane; workgroupBarrier(); all.words[id] = row[0];",
        "row[lane] = id; all.words[id] = row[lane ^ 1];",
        "all.halves[1] = f16(id);",
        // A barrier orders one workgroup, but not two.
        "all.words[id] = id; storageBarrier(); all.words[id] += all.words[7 - id];",
    ] {
        assert!(!is_decided(body, [Lane::Live; LANES]), "{body}");
    }
}

#[test]
fn what_has_an_order_and_what_is_the_same_is_decided() {
    for body in [
        "all.words[id] += id; all.words[id] *= 3;",
        "all.words[0] = 7;",
        "if all.words[0] == 0 { all.words[0] = 1; }",
        "all.words[id] = id; storageBarrier(); all.words[id] += all.words[id - lane];",
        "row[lane] = id; workgroupBarrier(); all.words[id] = row[lane ^ 1];",
        "if lane == 2 { row[0] = id; } all.words[id] = workgroupUniformLoad(&row[0]);",
        "for (var i = 0u; i < 4; i++) {
            if i == lane { row[0] += lane; }
            workgroupBarrier();
        }
        all.words[id] = row[0];",
        "atomicAdd(&all.counter, id);",
        "atomicStore(&all.counter, 3); all.words[id] = atomicLoad(&all.counter);",
        // Neighbours are halves of the same word.
        "all.halves[id] = f16(id);",
        // Every lane loads all words, and uses only its own.
        "let words = all.words; all.words[id] = words[id] + 1;",
    ] {
        assert!(is_decided(body, [Lane::Live; LANES]), "{body}");
    }
}

#[test]
fn helpers_neither_store_nor_count_as_loads() {
    let body = "let x = all.words[group.x]; all.words[group.x] = x + lane + 1;";
    let starts = [Lane::Helper, Lane::Helper, Lane::Live, Lane::Absent];
    assert!(is_decided(body, starts));
    assert!(!is_decided(body, [Lane::Helper, Lane::Live, Lane::Live, Lane::Absent]));
}

#[test]
fn barriers_of_memory_leave_nothing_to_know_of_turns_before() {
    let code = compiled("all.words[0] = id;");
    let (work, [first, _]) = (Work::default(), Noise::PAIRS[0]);
    let mut buffers = [Buffer { words: vec![0; WORDS], bytes: WORDS * 4 }];
    let (buffers, textures) = (&mut buffers, &mut Textures::default());
    let (bound, work, noise) = (&[Bound::Buffer(0)], &work, Some(first));
    let environment = Environment { buffers, textures, bound, work, noise };
    let place = Place { memory: 0, at: 8 };
    let mut races = Races::new(&code, &environment).expect("it stores");
    races.begin_turn();
    assert_eq!(races.store(place, 1, [0, 5]), 5);
    races.begin_turn();
    assert_eq!(races.load(place, 1, true), Some(0));
    races.barrier(false);
    assert_eq!(races.load(place, 1, true), Some(0));
    races.barrier(true);
    assert_eq!(races.load(place, 1, true), None);
}

#[test]
fn code_without_stores_is_not_watched() {
    let code = compiled("atomicStore(&all.counter, all.words[0]);");
    let (work, [first, _]) = (Work::default(), Noise::PAIRS[0]);
    let (buffers, textures) = (&mut [], &mut Textures::default());
    let (bound, work, noise) = (&[Bound::Buffer(0)], &work, Some(first));
    assert!(Races::new(&code, &Environment { buffers, textures, bound, work, noise }).is_none());
}

#[test]
fn floats_are_near_that_would_count_as_decided() {
    let are_near = |a: f32, b: f32| are_near([a.to_bits(), b.to_bits()]);
    assert!(are_near(0.001, 0.004) && are_near(100.0, 101.0) && are_near(-0.001, 0.001));
    assert!(!are_near(1.0, 2.0) && !are_near(1.0, 1.000_1) && !are_near(0.0, 0.001));
    assert!(!super::are_near([1, 2]));
}
