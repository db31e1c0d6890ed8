//! Transform feedback is captured in two ways that are compared, so that a fault of the packer cannot hide. In these
//! tests the stage that reads the slots belongs to another program, as if the packer had mixed up its slots, and the
//! draw fails.

use case::xfb::XfbStep;
use case::{Action, Draw, DrawShape, Topology};
use gpu::Gpu;
use ir::options::{CaptureItem, CaptureMode, CaptureSection};
use ir::readback::Extent;
use ir::source::{Span, Spanned};
use ir::stage::ShaderStage;
use ir::stage_module::{StageModule, Stages};
use link::program::LinkedProgram;
use link::table::pass::{Pass, Role};
use link::{LinkOptions, link};
use plan::ExecuteError;

/// Values of `a` and `b` as GLSL, where `n` is the number of the vertex: 0, 1, …
const A: &str = "vec2(n + 1.0, n + 2.0)";
const B: &str = "vec3(n + 3.0, n + 4.0, n + 5.0)";

fn stage(stage: ShaderStage, text: &str) -> StageModule {
    let unit = glsl::parse(text, 0, &glsl::ParseOptions::default()).expect("it is right");
    glsl::compile(&[unit], stage, &glsl::Hints::default()).expect("it is right")
}

/// Links a program that captures `a` and `b` with these values. With `noperspective`, `b` shares the slots of `a`,
/// multiplied by w, which is n + 0.5.
fn program(qualifier: &str, a: &str, b: &str) -> LinkedProgram {
    let vertex = format!(
        "#version 450
        out vec2 a; {qualifier} out vec3 b;
        void main() {{
            float n = float(gl_VertexID);
            gl_Position = vec4(0.0, 0.0, 0.0, n + 0.5);
            a = {a};
            b = {b};
        }}"
    );
    let fragment = format!(
        "#version 450
        in vec2 a; {qualifier} in vec3 b; out vec4 color;
        void main() {{ color = vec4(a, b.xy) + b.z; }}"
    );
    let output = |name: &str| Spanned::new(CaptureItem::Output(name.to_owned()), Span::new(0, 0));
    let mode = CaptureMode::Interleaved;
    let items = vec![output("a"), output("b")];
    let capture = Some(CaptureSection { header: Span::new(0, 0), mode, items });
    let mut options = LinkOptions { capture, ..LinkOptions::default() };
    options.packing.share.noperspective = true;
    let vertex = stage(ShaderStage::Vertex, &vertex);
    let fragment = stage(ShaderStage::Fragment, &fragment);
    link(&Stages::new([vertex, fragment]).expect("a program"), &options).expect("it links")
}

/// Links a program that captures `a` and `b` but whose slots hold `in_slots` instead.
fn mixed_up(qualifier: &str, in_slots: [&str; 2]) -> LinkedProgram {
    let mut program = program(qualifier, A, B);
    let other = self::program(qualifier, in_slots[0], in_slots[1]);
    let is_of_slots = |pass: &Pass| matches!(pass.role, Role::SlotCapture);
    program.passes.retain(|pass| !is_of_slots(pass));
    program.passes.extend(other.passes.into_iter().filter(is_of_slots));
    program
}

/// Captures three points on every adapter and checks the result.
#[track_caller]
fn check(qualifier: &str, in_slots: [&str; 2], expected: Result<(), &str>) {
    let shape = DrawShape::Arrays { topology: Topology::Points, first: 0, count: 3 };
    let buffer = XfbStep::Buffer { buffer: 0, size: 64, fill: 0 };
    let draw = XfbStep::Draw(Draw::once(shape));
    let case = fixture::case(vec![Action::Xfb(buffer).into(), Action::Xfb(draw).into()]);
    let program = mixed_up(qualifier, in_slots);
    let adapters = gpu::adapters();
    assert!(!adapters.is_empty(), "these tests need an adapter, such as Mesa's lavapipe");
    for info in adapters {
        let gpu = Gpu::open(&format!("{}:{}", info.backend, info.index)).expect("it is listed");
        let found = match gpu::execute(&gpu, &case, &program, Extent::Whole) {
            Ok(readback) if readback.messages.is_empty() => Ok(()),
            Err(ExecuteError::Step { step: 1, misfit }) => Err(misfit.0),
            other => panic!("{other:?}"),
        };
        assert_eq!(found, expected.map_err(str::to_owned), "{info:?}");
    }
}

#[test]
fn without_a_fault_the_ways_agree() {
    check("", [A, B], Ok(()));
    check("noperspective", [A, B], Ok(()));
}

/// `a.x` and `b.x` are 1.0 and 3.0 in vertex 0.
#[test]
fn two_scalars_in_one_component_are_found() {
    let message = "word 0 of `a` in vertex 0 is 0x40400000 in the packed slots, and 0x3f800000 before packing";
    check("", ["vec2(n + 3.0, n + 2.0)", B], Err(message));
}

/// `b.y` and `b.z` are 4.0 and 5.0 in vertex 0.
#[test]
fn scalars_that_are_stored_in_each_others_components_are_found() {
    let message = "word 1 of `b` in vertex 0 is 0x40a00000 in the packed slots, and 0x40800000 before packing";
    check("", [A, "vec3(n + 3.0, n + 5.0, n + 4.0)"], Err(message));
}

/// w is 0.5 in vertex 0, so `b.x` is 1.5 in its slot.
#[test]
fn what_travels_times_w_is_looked_at_in_its_slot() {
    let not_times_w = "vec3(n + 3.0, n + 4.0, n + 5.0) / gl_Position.w";
    let message =
        "word 0 of `b` in vertex 0 is 3.0 in the packed slots, and 3.0 times 0.5 before packing";
    check("noperspective", [A, not_times_w], Err(message));
    let swapped = "vec3(n + 4.0, n + 3.0, n + 5.0)";
    let message =
        "word 0 of `b` in vertex 0 is 2.0 in the packed slots, and 3.0 times 0.5 before packing";
    check("noperspective", [A, swapped], Err(message));
}
