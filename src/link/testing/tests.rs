//! Links pairs of WGSL stages and checks the map, the modules and the verification of the modules.

use expect_test::{Expect, expect};

use ir::format::FormatClass;
use ir::linkage_table::LinkageTable;
use ir::options::Packing;
use ir::stage::ShaderStage;

use crate::match_up::match_up;
use std::collections::BTreeSet;

use crate::match_up::LinkRules;
use crate::phase::verified::expected;
use crate::place::map::LinkMap;
use crate::place::routing::PairOfStages;
use crate::place::varying;
use crate::program::LinkedStages;
use crate::resource::bind::validate;
use crate::table::shell::Shell;
use crate::{verify, wrap};
use ir::stage_module::StageModule;

use crate::*;

fn stage(stage: ShaderStage, text: &str) -> StageModule {
    wgsl::compile(&wgsl::Input::whole(text, stage)).expect("valid WGSL")
}

fn pair(vertex: &str, fragment: &str) -> Stages {
    Stages::new([stage(ShaderStage::Vertex, vertex), stage(ShaderStage::Fragment, fragment)])
        .expect("a program")
}

/// A vertex stage that writes the members `outputs`, and a fragment stage that reads all members `inputs`.
fn members(outputs: &str, inputs: &str, sum: &str) -> Stages {
    let vertex = format!(
        "struct Out {{ @builtin(position) p: vec4f, {outputs} }}
         @vertex fn main() -> Out {{ var out: Out; return out; }}"
    );
    let fragment = format!(
        "struct In {{ {inputs} }}
         @fragment fn main(v: In) -> @location(0) vec4f {{ return vec4f(f32({sum})); }}"
    );
    pair(&vertex, &fragment)
}

#[track_caller]
fn check(stages: &Stages, expected: Expect) {
    expected.assert_eq(&match link(stages, &LinkOptions::default()) {
        Ok(program) => program.map.to_string(),
        Err(LinkError::Refused(errors) | LinkError::Forbidden(errors)) => {
            errors.iter().flat_map(|error| [error.message.as_str(), "\n"]).collect()
        }
        Err(
            error @ (LinkError::NoRoom(_)
            | LinkError::NoWideTypes { .. }
            | LinkError::Unsupported { .. }
            | LinkError::Invalid { .. }),
        ) => error.to_string(),
    });
}

#[test]
fn composites_and_integers_cross_in_their_classes() {
    check(
        &members(
            "a: vec2f, n: vec3i, m: mat2x3f, unread: f32, k: array<u32, 2>",
            "k: array<u32, 2>, m: mat2x3f, n: vec3i, a: vec2f",
            "v.a.x + v.m[0].x + f32(v.n.x) + f32(v.k[1])",
        ),
        expect![[r#"
            slot  class   type   x       y       z       w
            0     smooth  vec4   a.x     a.y     m[0].x  m[0].y
            1     smooth  vec4   m[0].z  m[1].x  m[1].y  m[1].z
            2     flat    uvec4  k[0]    k[1]    n.x     n.y
            3     flat    uint   n.z     –       –       –
            unread, removed: unread
        "#]],
    );
}

#[test]
fn a_wgsl_input_that_nobody_writes_is_an_error() {
    check(
        &members("a: f32", "b: f32", "v.b"),
        expect![[r#"
            `b` is read by the fragment stage but not written by the vertex stage
        "#]],
    );
}

/// Sixteen slots fit, and points use one of them.
#[test]
fn slots_are_counted_against_the_adapter() {
    let stages = members("a: array<vec4f, 16>", "a: array<vec4f, 16>", "v.a[3].x");
    let packing = Packing { has_fallback: false, ..Packing::default() };
    let options = LinkOptions { packing, ..LinkOptions::default() };
    assert!(link(&stages, &options).is_ok());
    let points = LinkOptions {
        raster: RasterState { has_points: true, ..RasterState::default() },
        ..options.clone()
    };
    let Err(LinkError::Refused(errors)) = link(&stages, &points) else { panic!("must not fit") };
    assert_eq!(errors[0].message, "the varyings take 16 slots but there are 15");
    let stages = members(
        "a: array<f32, 61>, n: array<i32, 3>",
        "a: array<f32, 61>, n: array<i32, 3>",
        "v.a[3] + f32(v.n[2])",
    );
    let Err(LinkError::Refused(errors)) = link(&stages, &options) else { panic!("must not fit") };
    assert_eq!(errors[0].message, "the varyings take 17 slots but there are 16");
}

#[test]
fn outputs_must_have_the_kind_of_their_target() {
    let vertex = "@vertex fn main() -> @builtin(position) vec4f { return vec4f(); }";
    let fragment = "@fragment fn main() -> @location(0) vec4u { return vec4u(1); }";
    check(
        &pair(vertex, fragment),
        expect![[r#"
        `result` is uvec4 but render target 0 holds float values
    "#]],
    );
    let options = LinkOptions {
        raster: RasterState { targets: vec![Some(FormatClass::Uint)], ..RasterState::default() },
        ..LinkOptions::default()
    };
    let program = link(&pair(vertex, fragment), &options).expect("links");
    assert_eq!(program.draw.written_targets, [0]);
}

/// A binding has one buffer, whatever the stages call it, and two buffers may have the same name (WGSL, "resource
/// interface").
#[test]
fn groups_and_bindings_identify_uniforms() {
    let buffers = |vertex: &str, fragment: &str| {
        let vertex =
            format!("{vertex} @vertex fn main() -> @builtin(position) vec4f {{ return u; }}");
        let fragment =
            format!("{fragment} @fragment fn main() -> @location(0) vec4f {{ return u; }}");
        let program = link(&pair(&vertex, &fragment), &LinkOptions::default()).expect("links");
        let buffers = program.uniform_buffers.iter();
        buffers.map(|buffer| buffer.case_binding.expect("a place")).collect::<Vec<_>>()
    };
    let at = |group: u32, binding: u32| {
        format!("@group({group}) @binding({binding}) var<uniform> u: vec4f;")
    };
    assert_eq!(buffers(&at(0, 2), &at(0, 3)), [2, 3]);
    assert_eq!(buffers(&at(1, 2), &at(0, 2)), [0x1_0002, 2]);
    assert_eq!(buffers(&at(1, 2), &at(1, 2)), [0x1_0002]);
    let other =
        "@group(1) @binding(2) var<uniform> w: vec4f; alias V = vec4f; var<private> u: V = V();";
    let other = format!("{other} @fragment fn other() -> @location(0) vec4f {{ return w; }}");
    assert_eq!(buffers(&at(1, 2), &other), [0x1_0002]);
}

#[test]
fn huge_variables_are_refused() {
    let stages = members("a: array<mat4x4f, 100000>", "a: array<mat4x4f, 100000>", "v.a[3][0].x");
    check(
        &stages,
        expect![[r#"
        `a` has 1600000 components; at most 65536 can be linked
    "#]],
    );
}

/// The check of the final modules detects shells that do not agree.
#[test]
fn crossed_wires_are_noticed() {
    let stages = members("a: vec2f, b: vec2f", "a: vec2f, b: vec2f", "v.a.x + v.b.y");
    let [vertex, fragment] = stages.all() else { panic!("a draw") };
    let rules = LinkRules::of_languages(vertex.rules, fragment.rules);
    let matching = match_up(&vertex.outputs, &fragment.inputs, &LinkageTable::default(), rules)
        .expect("they match");
    let options = LinkOptions::default();
    let pair =
        PairOfStages { producer: vertex, consumer: fragment, matching: &matching, clip: None };
    let routing = varying::place(pair, &options).expect("they fit");
    let (mut first, mut second) = (Shell::default(), Shell::default());
    varying::connect(pair, &routing, [&mut first, &mut second]);
    let verdict = |first: &Shell, second: &Shell| {
        let (first, second) = (wrap::wrap(vertex, first), wrap::wrap(fragment, second));
        verify::verify(&first, &second, &expected(pair, &routing, &options.raster))
    };
    assert_eq!(verdict(&first, &second), Ok(()));
    let mut crossed = second.clone();
    crossed.input_wires[0].components.swap(0, 1);
    assert!(verdict(&first, &crossed).is_err());
    let mut missing = first.clone();
    missing.output_wires.pop();
    assert!(verdict(&missing, &second).is_err());
    let mut flat = second;
    flat.inputs[0].kind = ir::interface::ScalarKind::U32;
    assert!(verdict(&first, &flat).is_err());
}

/// The link map shows distances and fragment outputs below its slots.
#[test]
fn outer_lines_tell_of_every_output() {
    let row = |buffer| crate::place::fragment_output::OutputRow {
        buffer,
        is_second: false,
        scalar: ir::interface::ScalarKind::U32,
        name: "a".to_owned(),
        raw: Some(ir::interface::ScalarKind::F32),
    };
    let distances = crate::lower::distance_map::DistanceMap { clip: 2, ..LinkMap::EMPTY.distances };
    let map = LinkMap { distances, outputs: vec![row(0), row(3)], ..LinkMap::EMPTY };
    let lines = map.outer_lines();
    let outputs = ["output 0 uvec4 <- a, bits of float", "output 3 uvec4 <- a, bits of float"];
    assert_eq!(lines[lines.len() - 2..], outputs);
    assert!(lines.len() > 2, "{lines:?}");
}

/// Without other stages, slots need no stages in front.
#[test]
fn slots_of_a_chain_begin_with_their_stages() {
    let with_slot = |name: &str| LinkMap {
        slots: vec![crate::place::map::SlotRow {
            slot: 0,
            class: crate::pack::PackingClass::FLAT,
            carrier: crate::place::routing::Carrier {
                kind: ir::interface::ScalarKind::F32,
                width: 1,
            },
            components: [Some(name.to_owned()), None, None, None],
        }],
        ..LinkMap::EMPTY
    };
    assert_eq!(with_slot("a").interface_lines(), ["0.x <- a"]);
    let stages = [ShaderStage::TessellationControl, ShaderStage::TessellationEvaluation];
    let earlier = crate::place::map::InterfaceMap { stages, is_patch: true, map: with_slot("b") };
    let map = LinkMap { earlier: vec![earlier], ..with_slot("a") };
    let lines = ["control to evaluation, patches: 0.x <- b", "evaluation to fragment: 0.x <- a"];
    assert_eq!(map.interface_lines(), lines);
}

/// The hidden uniforms of different textures have different names.
#[test]
fn hidden_uniforms_of_textures_have_names_of_their_own() {
    let names =
        ["a", "b"].map(|name| [ir::uniform::swizzle_name(name), ir::uniform::lod_bias_name(name)]);
    let all: BTreeSet<_> = names.as_flattened().iter().collect();
    assert_eq!(all.len(), 4);
}

/// The message shows the innermost of naga's errors.
#[test]
fn refused_modules_say_what_is_wrong() {
    let text = "@fragment fn main() -> @location(0) f32 { return 1.0; }";
    let mut module = naga::front::wgsl::parse_str(text).expect("valid WGSL");
    let function = &mut module.entry_points[0].function;
    let literal = naga::Expression::Literal(naga::Literal::U32(1));
    function.expressions.iter_mut().for_each(|(_, known)| *known = literal.clone());
    let Err(LinkError::Invalid { message, .. }) = validate(&module) else { panic!("is invalid") };
    assert!(message.contains("does not match the declared return type"), "{message}");
}

/// Blocks lowered to words, and atomic counters, have layouts that all backends read correctly.
#[test]
fn lowered_blocks_and_counters_have_standard_layouts() {
    let text = "@group(0) @binding(2) var<uniform> u: array<mat2x2f, 3>;
        @fragment fn main() -> @location(0) vec4f { return vec4f(u[1][0], u[2][1]); }";
    let vertex = "@vertex fn main() -> @builtin(position) vec4f { return vec4f(); }";
    let is_std140 = |block_layouts| {
        let options = LinkOptions {
            adapter: AdapterRules { block_layouts, ..AdapterRules::default() },
            ..LinkOptions::default()
        };
        let program = link(&pair(vertex, text), &options).expect("links");
        program.uniform_buffers.iter().map(|buffer| buffer.is_std140).collect::<Vec<_>>()
    };
    assert_eq!(is_std140(BlockLayouts::Any), [false]);
    assert_eq!(is_std140(BlockLayouts::Standard), [true]);
    assert_eq!(is_std140(BlockLayouts::Natural), [true]);
    let text = "#version 450\nlayout(binding = 1) uniform atomic_uint n; out vec4 color;
        void main() { color = vec4(atomicCounterIncrement(n)); }";
    let fragment = testing::stage(ShaderStage::Fragment, text);
    let text = "#version 450\nvoid main() { gl_Position = vec4(0.0); }";
    let vertex = testing::stage(ShaderStage::Vertex, text);
    let program =
        link(&Stages::new([vertex, fragment]).expect("a program"), &LinkOptions::default());
    let buffers = program.expect("links").storage_buffers;
    assert_eq!(buffers.iter().map(|buffer| buffer.is_std430).collect::<Vec<_>>(), [true]);
}

/// In HLSL, uniform blocks with more than vectors are lowered to words.
#[test]
fn uniform_blocks_with_gaps_are_lowered_for_compilers_of_hlsl() {
    let check = |block: &str, is_lowered: bool| {
        let text = format!(
            "struct P {{ p: vec4f }} struct B {{ a: vec4f, {block} }}
             @group(0) @binding(2) var<uniform> b: B;
             @fragment fn main() -> @location(0) vec4f {{ return b.a; }}"
        );
        assert_eq!(has_words(&text, BlockLayouts::Flat), is_lowered, "{block}");
    };
    check("b: vec3f, c: array<vec4f, 3>", false);
    check("b: mat2x2f", true);
    check("b: array<P, 2>", true);
    check("b: P", true);
}

/// True if the linker lowers blocks of a fragment stage to words.
fn has_words(text: &str, block_layouts: BlockLayouts) -> bool {
    let vertex = "@vertex fn main() -> @builtin(position) vec4f { return vec4f(); }";
    let adapter = AdapterRules { block_layouts, ..Default::default() };
    let options = LinkOptions { adapter, ..LinkOptions::default() };
    let program = link(&pair(vertex, text), &options).expect("links");
    let LinkedStages::Render { fragment: Some(fragment), .. } = &program.stages else {
        panic!("has a fragment stage")
    };
    let mut names = fragment.types.iter().filter_map(|(_, ty)| ty.name.as_deref());
    names.any(|name| name.starts_with("Words"))
}

/// Where texts have no offsets, blocks that WGSL would lay out otherwise are lowered to words.
#[test]
fn blocks_with_other_layouts_than_wgsls_are_lowered_for_texts_without_offsets() {
    let check = |block: &str, expected: &[(BlockLayouts, bool)]| {
        let text = format!(
            "struct B {{ a: f32, {block} }} @group(0) @binding(2) var<storage> b: B;
             @fragment fn main() -> @location(0) vec4f {{ return vec4f(b.a, b.b, b.a, b.b); }}"
        );
        for (block_layouts, is_lowered) in expected {
            let has_words = has_words(&text, *block_layouts);
            assert_eq!(has_words, *is_lowered, "{block}, {block_layouts:?}");
        }
    };
    check("b: f32", &[(BlockLayouts::Natural, false), (BlockLayouts::Flat, false)]);
    check("b: f32, c: array<vec3f>", &[(BlockLayouts::Natural, false)]);
    let apart = [
        (BlockLayouts::Any, false),
        (BlockLayouts::Natural, true),
        // HLSL has offsets in byte buffers.
        (BlockLayouts::Flat, false),
    ];
    check("@align(16) b: f32", &apart);
    check("@size(8) b: f32, c: f32", &apart);
}

/// WGSL multiplies a vector by a scalar, which is an operand of every component of the product.
#[test]
fn a_scalar_of_wgsl_multiplies_component_by_component() {
    let vertex = "struct Out { @builtin(position) p: vec4f, a: vec2f, b: f32 }
        @vertex fn main(@location(0) q: vec4f) -> Out {
            var out: Out;
            out.p = q;
            out.a = q.xy * q.z;
            out.b = q.y * q.z;
            return out;
        }";
    let fragment = "struct In { a: vec2f, b: f32 }
        @fragment fn main(v: In) -> @location(0) vec4f { return vec4f(v.a, v.b, 1.0); }";
    let mut options = LinkOptions::default();
    options.packing.optimise.duplicates = true;
    let program = link(&pair(vertex, fragment), &options).expect("links");
    expect![[r#"
        slot  class   type  x    y    z  w
        0     smooth  vec2  a.x  a.y  –  –
        duplicate, not passed: b
    "#]]
    .assert_eq(&program.map.to_string());
}
