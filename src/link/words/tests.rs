//! Checks that stages with 64-bit values and their lowered copies produce the same results on the executor, bit for
//! bit.

mod buffers;
mod equality;
mod moves;
mod refusals;

use std::borrow::Cow;

use cpu::compile::compile;
use cpu::lanes::{Lane, Lanes};
use cpu::memory::{Bound, Buffer, Environment, Work};
use cpu::texture::Textures;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{EntryPoint, Module};

use super::{Wide, lower};
use crate::LinkError;
use ir::builder::FunctionBuilder;
use ir::emit::{self, Language};
use ir::stage::{ENTRY_POINT, ShaderStage};
use ir::stage_module::StageModule;

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
const LANGUAGES: [Language; 5] =
    [Language::Spirv, Language::Glsl, Language::Hlsl, Language::Msl, Language::Wgsl];

/// The head of every stage: words to read and to write, and functions that convert them to and from 64-bit values.
const HEAD: &str = "
    @group(0) @binding(0) var<storage, read_write> out: array<u32, 512>;
    @group(0) @binding(1) var<storage, read_write> given: array<u32, 512>;
    var<private> next: u32;
    fn long(i: u32) -> u64 { return (u64(given[2u * i + 1u]) << 32u) | u64(given[2u * i]); }
    fn double(i: u32) -> f64 { return bitcast<f64>(long(i)); }
    fn put(word: u32) { out[next] = word; next++; }
    fn put_long(x: u64) { put(u32(x)); put(u32(x >> 32u)); }
    fn put_double(x: f64) { put_long(bitcast<u64>(x)); }
    ";

/// Compiles a WGSL compute stage.
fn stage(text: &str) -> StageModule {
    wgsl::compile(&wgsl::Input::whole(text, ShaderStage::Compute))
        .expect("the test's WGSL is right")
}

/// Lowers a stage, which must have 64-bit values.
fn lowered(stage: &StageModule, which: Wide) -> Result<StageModule, LinkError> {
    let mut copy = Cow::Borrowed(stage);
    assert!(lower(&mut copy, which)?, "the stage has 64-bit values");
    Ok(copy.into_owned())
}

/// Validates a module for an adapter with these capabilities.
#[track_caller]
fn validate(module: &Module, capabilities: Capabilities) -> ModuleInfo {
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    validator.validate(module).unwrap_or_else(|error| panic!("{}", error.emit_to_string("")))
}

/// The module with an entry point that runs the stage once.
fn with_entry_point(stage: &StageModule) -> Module {
    let mut module = stage.module.clone();
    let mut builder = FunctionBuilder::new(&mut module);
    builder.call(stage.main, Vec::new());
    let function = builder.finish();
    module.entry_points.push(EntryPoint {
        name: ENTRY_POINT.to_owned(),
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

/// The words of `out` and of the buffer at binding 2 after a run. Before it `out` is zero, the buffer at binding 2
/// contains different numbers, and `given` contains the doubles.
#[track_caller]
fn run(module: &Module) -> [Vec<u32>; 2] {
    let code = compile(module).expect("everything is implemented");
    let mut lanes = Lanes::new(&code, 1).expect("it is small");
    let numbers = (0..).map(|n| n * 0x0070_0503 + 1).take(WORDS);
    let given = DOUBLES.concat().into_iter().cycle().take(WORDS);
    let buffers = [vec![0; WORDS], given.collect(), numbers.collect()];
    let mut buffers = buffers.map(|words| Buffer { words, bytes: WORDS * 4 });
    let bound = code.resources.iter().map(|binding| Bound::Buffer(binding.binding as usize));
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

/// Runs a stage unchanged and lowered. Both must write the same words, and must write at least one.
#[track_caller]
fn check_stage(native: &StageModule, which: Wide) -> Vec<u32> {
    let lowered = lowered(native, which).unwrap_or_else(|error| panic!("{error}"));
    let [native, lowered] = [native, &lowered].map(with_entry_point);
    validate(&native, Capabilities::all());
    validate(&lowered, Capabilities::all() - Capabilities::SHADER_INT64 - Capabilities::FLOAT64);
    for language in LANGUAGES {
        if let Err(error) = emit::write(&lowered, language) {
            panic!("{error}");
        }
    }
    let [expected, actual] = [&native, &lowered].map(run);
    assert_eq!(actual, expected);
    let [out, _] = actual;
    assert!(out.iter().any(|word| *word != 0), "nothing was written");
    out
}

/// Runs the stage with this text unchanged and lowered; see [`check_stage`].
#[track_caller]
fn check_module(text: &str, which: Wide) -> Vec<u32> {
    check_stage(&stage(text), which)
}

/// Runs a stage whose `main` has these statements, after some declarations, unchanged and lowered; see [`check_stage`].
#[track_caller]
fn check_with(declarations: &str, body: &str) -> Vec<u32> {
    let text = format!("{HEAD}{declarations}\n@compute @workgroup_size(1) fn main() {{ {body} }}");
    check_module(&text, Wide::Both)
}

#[track_caller]
fn check(body: &str) -> Vec<u32> {
    check_with("", body)
}

#[test]
fn a_stage_without_64_bits_stays_as_it_is() {
    let stage = stage("var<private> x: f32; @compute @workgroup_size(1) fn main() { x = 1.0; }");
    let mut copy = Cow::Borrowed(&stage);
    assert_eq!(lower(&mut copy, Wide::Both), Ok(false));
    assert!(matches!(copy, Cow::Borrowed(_)));
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

/// 64-bit integers are not lowered if the adapter lacks only doubles and the stage has none.
#[test]
fn integers_alone_stay_where_the_adapter_has_them() {
    let text = "@group(0) @binding(0) var<storage, read_write> out: array<u32, 512>;
        @compute @workgroup_size(1) fn main() { out[0] = u32(u64(out[1]) * 3lu); }";
    let stage = stage(text);
    let mut copy = Cow::Borrowed(&stage);
    assert_eq!(lower(&mut copy, Wide::Floats), Ok(false));
    let refused = lower(&mut copy, Wide::Both).expect_err("it multiplies");
    assert_eq!(refused.to_string(), "`*` on `uint64_t`, which this adapter has only as words");
}

/// The tables of a stage refer to functions and globals by handle.
#[test]
fn functions_and_globals_keep_their_handles() {
    let text = format!(
        "{HEAD} var<private> d: mat2x3<f64>;
         @compute @workgroup_size(1) fn main() {{ d[1].z = double(2u); put_double(d[1].z); }}"
    );
    let native = stage(&text);
    let lowered = lowered(&native, Wide::Both).expect("moves only");
    let names = |module: &Module| {
        let functions = module.functions.iter().map(|(_, function)| function.name.clone());
        let globals = module.global_variables.iter().map(|(_, global)| global.name.clone());
        functions.chain(globals).collect::<Vec<_>>()
    };
    assert_eq!(names(&lowered.module), names(&native.module));
    assert_eq!(lowered.main, native.main);
    assert_eq!(lowered.module.entry_points.len(), 0);
}
