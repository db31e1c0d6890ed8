//! Runs stages with 64-bit values unchanged and as words, on the executor: the results are the same, bit for bit.

mod buffers;
mod equality;
mod moves;

use cpu::compile::compile;
use cpu::lanes::{Lane, Lanes};
use cpu::memory::{Bound, Buffer, Environment, Work};
use cpu::texture::Textures;
use ir::emit::{self, Language, WgslDialect};
use ir::stage::ShaderStage;
use ir::stage_module::{StageModule, Stages};
use link::program::{LinkedProgram, LinkedStages};
use link::{AdapterRules, LinkOptions, Wide, link};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{Module, ResourceBinding};

/// Number of words in each buffer.
const WORDS: usize = 512;

/// Special doubles as words, the low word first.
const DOUBLES: [[u32; 2]; 12] = [
    [0, 0],                     // 0
    [0, 0x8000_0000],           // -0
    [0, 0x3ff0_0000],           // 1
    [0, 0xbff0_0000],           // -1
    [1, 0x3ff0_0000],           // the next after 1
    [0, 0x7ff0_0000],           // infinity
    [0, 0xfff0_0000],           // -infinity
    [0, 0x7ff8_0000],           // NaN
    [1, 0x7ff0_0000],           // NaN only by its low word
    [0xffff_ffff, 0xffff_ffff], // NaN
    [1, 0],                     // the smallest double
    [1, 0x8000_0000],           // and its negative
];

/// The languages in which drivers get shaders.
const LANGUAGES: [Language; 5] = [
    Language::Spirv,
    Language::Glsl,
    Language::Hlsl,
    Language::Msl,
    Language::Wgsl(WgslDialect::Standard),
];

/// Functions that read 64-bit values and write words.
const HEAD: &str = include_str!("../../../../src/fixture/wide/head.wgsl");

/// Compiles a WGSL compute stage.
fn stage(text: &str) -> StageModule {
    wgsl::compile(&wgsl::Input::whole(text, ShaderStage::Compute))
        .expect("the test's WGSL is right")
}

/// Links a stage for an adapter with these rules.
fn linked(stage: &StageModule, adapter: AdapterRules) -> LinkedProgram {
    let options = LinkOptions { adapter, ..LinkOptions::default() };
    let stages = Stages::new([stage.clone()]).expect("a program");
    link(&stages, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// The rules of an adapter without these types.
fn lacking(which: Wide) -> AdapterRules {
    AdapterRules { lacking: Some(which), ..AdapterRules::default() }
}

fn module(program: &LinkedProgram) -> &Module {
    let LinkedStages::Compute(module) = &program.stages else { panic!("a compute stage") };
    module
}

/// The number that the stage's text has for the buffer at a binding.
fn number(program: &LinkedProgram, binding: ResourceBinding) -> usize {
    let is_it = |at: link::table::binding::BindingPoint| {
        (at.group, at.binding) == (binding.group, binding.binding)
    };
    let storage = program.storage_buffers.iter().find(|buffer| is_it(buffer.at));
    let uniform = program.uniform_buffers.iter().find(|buffer| is_it(buffer.at));
    let storage = storage.map(|buffer| buffer.case_binding);
    let number = storage.or_else(|| uniform?.case_binding).expect("all buffers have bindings");
    number as usize
}

/// The words of `out` and of the buffer at binding 2 after a run. Before it `out` is zero, the buffer at binding 2
/// contains different numbers, and `given` contains the doubles.
#[track_caller]
fn run(program: &LinkedProgram) -> [Vec<u32>; 2] {
    let code = compile(module(program)).expect("everything is implemented");
    let mut lanes = Lanes::new(&code, 1).expect("it is small");
    let numbers = (0..).map(|n| n * 0x0070_0503 + 1).take(WORDS);
    let given = DOUBLES.concat().into_iter().cycle().take(WORDS);
    let buffers = [vec![0; WORDS], given.collect(), numbers.collect()];
    let mut buffers = buffers.map(|words| Buffer { words, bytes: WORDS * 4 });
    let bound = code.resources.iter().map(|binding| Bound::Buffer(number(program, *binding)));
    let bound: Vec<_> = bound.collect();
    let (mut textures, work) = (Textures::default(), Work::default());
    let mut environment = Environment {
        buffers: &mut buffers,
        textures: &mut textures,
        bound: &bound,
        work: &work,
        noise: None,
    };
    lanes.prepare(&mut environment).expect("it fits");
    lanes.run(&mut environment, &[Lane::Live]).expect("it ends");
    let [out, _, block] = buffers;
    [out.words, block.words]
}

/// Validates the module of a program for an adapter without 64-bit types, and writes it in every language.
#[track_caller]
fn check_words(program: &LinkedProgram) {
    let narrow = Capabilities::all() - Capabilities::SHADER_INT64 - Capabilities::FLOAT64;
    let mut validator = Validator::new(ValidationFlags::all(), narrow);
    if let Err(error) = validator.validate(module(program)) {
        panic!("{}", error.emit_to_string(""));
    }
    for language in LANGUAGES {
        if let Err(error) = emit::write(module(program), language) {
            panic!("{error}");
        }
    }
}

/// Runs a stage unchanged and as words. Both must write the same words, and must write at least one.
#[track_caller]
fn check_stage(stage: &StageModule, which: Wide) -> Vec<u32> {
    let [native, words] =
        [AdapterRules::default(), lacking(which)].map(|rules| linked(stage, rules));
    check_words(&words);
    let [expected, actual] = [&native, &words].map(run);
    assert_eq!(actual, expected);
    let [out, _] = actual;
    assert!(out.iter().any(|word| *word != 0), "nothing was written");
    out
}

/// Runs the stage with this text unchanged and as words; see [`check_stage`].
#[track_caller]
fn check_module(text: &str, which: Wide) -> Vec<u32> {
    check_stage(&stage(text), which)
}

/// Runs a stage whose `main` has these statements, after some declarations, unchanged and as words; see
/// [`check_stage`].
#[track_caller]
fn check_with(declarations: &str, body: &str) -> Vec<u32> {
    let text = format!("{HEAD}{declarations}\n@compute @workgroup_size(1) fn main() {{ {body} }}");
    check_module(&text, Wide::Both)
}

#[track_caller]
fn check(body: &str) -> Vec<u32> {
    check_with("", body)
}

/// naga lists the type of a variable, but not that of a literal.
#[test]
fn a_literal_alone_is_lowered() {
    let text = "@group(0) @binding(0) var<storage, read_write> out: array<u32, 512>;
        @compute @workgroup_size(1) fn main() { let unused = 1.5lf; out[0] = 1u; }";
    let native = stage(text);
    assert!(native.module.types.iter().all(|(_, ty)| ty.inner.size(native.module.to_ctx()) != 8));
    check_module(text, Wide::Both);
}

/// Constant evaluation leaves intermediate expressions in the module.
#[test]
fn operations_that_nothing_needs_are_left_out() {
    let unused = "let unused = double(0u) * 2lf + 1lf; put_double(double(2u));";
    check_module(
        &format!("{HEAD}@compute @workgroup_size(1) fn main() {{ {unused} }}"),
        Wide::Both,
    );
}
