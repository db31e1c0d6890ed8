//! Tests the examples X1 to X10 of transform feedback row by row. Every expected chunk is derived from the rules by
//! hand.
//!
//! The chunks depend only on types and places, so outputs are declared in the notation of [`crate::testing`] and have
//! globals that no code uses.

use crate::match_up::{LinkRules, match_up};
use crate::place::routing::PairOfStages;
use crate::place::varying;
use crate::table::shell::Shell;
use crate::{LinkOptions, testing};
use ir::interface::{Place, Variable};
use ir::linkage_table::LinkageTable;
use ir::options::{CaptureItem, CaptureMode, CaptureSection, Packing};
use ir::source::{Span, Spanned};
use ir::stage::ShaderStage;
use ir::stage_module::{StageModule, XfbDeclarations, XfbOutput, XfbStride};

use super::chunk::{Ways, ways};
use super::name::candidates;
use super::{XfbLayout, listed, qualified};

/// A vertex stage with these outputs.
fn vertex(outputs: &str) -> StageModule {
    let text = "#version 450\nvoid main() { gl_Position = vec4(0.0); }";
    let mut stage = testing::stage(ShaderStage::Vertex, text);
    stage.outputs = placed(&mut stage, outputs);
    stage
}

/// Variables with separate globals, which are added to the stage.
fn placed(stage: &mut StageModule, variables: &str) -> Vec<Variable> {
    let globals = &mut stage.module.global_variables;
    let (_, known) = globals.iter().next().expect("the position, or the colour");
    let known = known.clone();
    let place = |variable: Variable| {
        let global = globals.append(known.clone(), naga::Span::UNDEFINED);
        Variable { place: Some(Place::whole(global)), ..variable }
    };
    crate::notation::variables(variables).into_iter().map(place).collect()
}

/// A fragment stage that reads these inputs.
fn fragment(inputs: &str) -> StageModule {
    let text = "#version 450\nout vec4 color; void main() { color = vec4(0.0); }";
    let mut stage = testing::stage(ShaderStage::Fragment, text);
    stage.inputs = placed(&mut stage, inputs);
    stage
}

/// A `[capture]` section from the lines of a list, which are separated by commas.
fn section(mode: CaptureMode, list: &str) -> CaptureSection {
    let item = |text: &str| match text.split_once(' ') {
        Some(("skip", words)) => CaptureItem::Skip(words.parse().expect("a number")),
        Some(("next", _)) => CaptureItem::NextBuffer,
        Some(_) | None => CaptureItem::Output(text.to_owned()),
    };
    let items = list.split(", ").map(|text| Spanned::new(item(text), Span::new(0, 0)));
    CaptureSection { header: Span::new(0, 0), mode, items: items.collect() }
}

/// Prints `c 0 1.xyz->4` for every item (its name, its buffer and its chunks), then `0: 28` for every buffer with its
/// stride. Without a fragment stage, captured outputs have extra slots.
fn show(
    vertex: &StageModule,
    fragment: Option<&StageModule>,
    layout: &XfbLayout,
    packing: Packing,
) -> String {
    let Ways { rows, .. } = match fragment {
        None => ways(layout, vertex, &Shell::default(), None, packing),
        Some(fragment) => {
            let rules = LinkRules::of_languages(vertex.rules, fragment.rules);
            let matching =
                match_up(&vertex.outputs, &fragment.inputs, &LinkageTable::default(), rules)
                    .expect("they match");
            let pair = PairOfStages {
                producer: vertex,
                consumer: fragment,
                matching: &matching,
                clip: None,
            };
            let options = LinkOptions { packing, ..LinkOptions::default() };
            let routing = varying::place(pair, &options).expect("it fits");
            let mut shell = Shell::default();
            varying::connect(pair, &routing, [&mut shell, &mut Shell::default()]);
            ways(layout, vertex, &shell, Some((pair, &routing)), packing)
        }
    }
    .expect("the outputs can be packed");
    let rows = rows.iter().map(|row| format!("{} {} {}", row.name, row.buffer, row.chunks_text()));
    let buffers = layout.buffers.iter().map(|buffer| {
        let idle = if buffer.is_active { "" } else { " idle" };
        format!("{}: {}{idle}", buffer.number, buffer.stride * 4)
    });
    rows.chain(buffers).collect::<Vec<_>>().join("; ")
}

/// Checks the layout of a list, or its errors.
#[track_caller]
fn check_list(
    (vertex, fragment): (&StageModule, Option<&StageModule>),
    mode: CaptureMode,
    list: &str,
    expected: &str,
) {
    let is_vec3_aligned = mode == CaptureMode::Separate;
    let packing = Packing { is_vec3_aligned, ..Packing::default() };
    let found = match listed::layout(&candidates(vertex), &section(mode, list)) {
        Ok(layout) => show(vertex, fragment, &layout, packing),
        Err(errors) => errors.into_iter().map(|error| error.message).collect(),
    };
    assert_eq!(found, expected, "{list}");
}

/// Checks outputs that a fragment stage reads, captured in this mode.
#[track_caller]
fn check_mode(outputs: &str, mode: CaptureMode, list: &str, expected: &str) {
    check_list((&vertex(outputs), Some(&fragment(outputs))), mode, list, expected);
}

/// Checks outputs that a fragment stage reads, captured interleaved.
#[track_caller]
fn check(outputs: &str, list: &str, expected: &str) {
    check_mode(outputs, CaptureMode::Interleaved, list, expected);
}

const E1: &str = "vec2 a; vec2 b; vec3 c; vec3 d";

#[test]
fn x1_a_double_parked_vec3_takes_two_chunks() {
    let chunks = "a 0 0.xy->0; c 0 1.xyz->2; d 0 1.w->5 2.xy->6; 0: 32";
    check(E1, "a, c, d", chunks);
}

#[test]
fn x2_gaps_and_buffers_move_chunks() {
    let chunks = "a 0 0.xy->0; c 0 1.xyz->4; d 1 1.w->0 2.xy->1; 0: 28; 1: 12";
    check(E1, "a, skip 2, c, next buffer, d", chunks);
}

#[test]
fn x3_elements_are_taken_from_where_the_array_is() {
    let outputs = "vec3 n[3]; vec2 a; float f";
    check(outputs, "n[1], f", "n[1] 0 1.zw->0 2.x->2; f 0 0.z->3; 0: 16");
    check(outputs, "n", "n 0 0.w->0 1.xyzw->1 2.xyzw->5; 0: 36");
}

#[test]
fn x4_columns_follow_each_other_tightly() {
    let chunks = "m 0 0.zw->0 1.xyzw->2 2.xyz->6; 0: 36";
    check("mat3 m; vec2 uv; float k", "m", chunks);
}

#[test]
fn x5_members_are_taken_from_where_the_structure_is() {
    let outputs = "struct{vec3 v; vec2 w;} s[2]";
    check(outputs, "s[1].v, s[1].w", "s[1].v 0 1.yzw->0; s[1].w 0 2.xy->3; 0: 20");
}

/// Without the alignment both vec3 would straddle slots.
#[test]
fn x6_separate_vec3_take_one_chunk_each() {
    let outputs = "vec2 a; vec3 b; vec3 c; float d";
    let separate = "b 0 1.xyz->0; c 1 2.xyz->0; 0: 12; 1: 12";
    check_mode(outputs, CaptureMode::Separate, "b, c", separate);
    let interleaved = "b 0 0.w->0 1.xy->1; c 0 1.zw->3 2.x->5; 0: 24";
    check_mode(outputs, CaptureMode::Interleaved, "b, c", interleaved);
}

/// `a` is in x, y is padding. No fragment stage can read a double, so only captured outputs are packed.
#[test]
fn x7_a_double_is_two_words_of_its_slot() {
    let vertex = vertex("struct{float a; dvec2 d;} q");
    let check = |list: &str, expected: &str| {
        check_list((&vertex, None), CaptureMode::Interleaved, list, expected);
    };
    check("q.d", "q.d 0 0.zw->0 1.xy->2; 0: 16");
    check("q.a, skip 1, q.d", "q.a 0 0.x->0; q.d 0 0.zw->2 1.xy->4; 0: 24");
}

/// The double has two of four components and is packed first.
#[test]
fn x8_a_double_makes_the_implicit_stride_a_multiple_of_eight() {
    let vertex = vertex("float f; double d");
    let output = |name: &str, offset| XfbOutput {
        name: name.to_owned(),
        buffer: 0,
        offset,
        span: Span::new(0, 0),
    };
    let outputs = vec![output("f", 8), output("d", 0)];
    let declared = XfbDeclarations { outputs, ..XfbDeclarations::default() };
    let layout = qualified::layout(&candidates(&vertex), &declared).expect("it is right");
    let chunks = "d 0 0.xy->0; f 0 0.z->2; 0: 16";
    assert_eq!(show(&vertex, None, &layout, Packing::default()), chunks);
    let strides = vec![XfbStride { buffer: 0, stride: 12, span: Span::new(0, 0) }];
    let declared = XfbDeclarations { strides, ..declared };
    let errors = qualified::layout(&candidates(&vertex), &declared).expect_err("12 is wrong");
    let messages: Vec<_> = errors.into_iter().map(|error| error.message).collect();
    assert_eq!(messages, ["the `xfb_stride` of capture buffer 0 must be a multiple of 8"]);
}

#[test]
fn x9_a_buffer_of_gaps_is_idle() {
    check(E1, "skip 4, next buffer, a", "a 1 0.xy->0; 0: 16 idle; 1: 8");
}

#[test]
fn x10_clip_distances_are_in_vectors_of_four() {
    let text = "#version 450\nout float gl_ClipDistance[6];
        void main() { gl_Position = vec4(0.0); gl_ClipDistance[5] = 1.0; }";
    let vertex = testing::stage(ShaderStage::Vertex, text);
    let check = |list: &str, expected: &str| {
        check_list((&vertex, None), CaptureMode::Interleaved, list, expected);
    };
    check("gl_ClipDistance[5]", "gl_ClipDistance[5] 0 gl_ClipDistance/1.y->0; 0: 4");
    let whole = "gl_ClipDistance/0.xyzw->0 gl_ClipDistance/1.xy->4";
    check("gl_ClipDistance", &format!("gl_ClipDistance 0 {whole}; 0: 24"));
    check(
        "gl_ClipDistance[6]",
        "`gl_ClipDistance[6]` is captured, but `gl_ClipDistance` has 6 elements",
    );
}
