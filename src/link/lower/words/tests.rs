//! Checks the modules and tables of lowered stages. The executor's tests check that
//! they produce the same results.

mod buffers;
mod refusals;

use std::borrow::Cow;

use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{EntryPoint, Module};

use super::{Wide, lower};
use crate::LinkError;
use ir::builder::FunctionBuilder;
use ir::stage::{ENTRY_POINT, ShaderStage};
use ir::stage_module::StageModule;

/// Functions that read 64-bit values and write words.
const HEAD: &str = include_str!("../../../../src/fixture/wide/head.wgsl");

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

#[test]
fn a_stage_without_64_bits_stays_as_it_is() {
    let stage = stage("var<private> x: f32; @compute @workgroup_size(1) fn main() { x = 1.0; }");
    let mut copy = Cow::Borrowed(&stage);
    assert_eq!(lower(&mut copy, Wide::Both), Ok(false));
    assert!(matches!(copy, Cow::Borrowed(_)));
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
