//! Both ways to capture are compared so that a fault of the packer cannot hide: here it has one, and the draw fails.

use case::capture::CaptureStep;
use case::{Draw, DrawShape, Step, Topology};
use gpu::{ExecuteError, Gpu};
use ir::options::{CaptureItem, CaptureMode, CaptureSection};
use ir::readback::Extent;
use ir::source::{Span, Spanned};
use ir::stage::ShaderStage;
use ir::stage_module::{StageModule, Stages};
use link::feedback::{Capturing, declared};
use link::map::LinkMap;
use link::match_up::{LinkRules, match_up};
use link::program::LinkedProgram;
use link::routing::{PairOfStages, Route, Routing};
use link::shell::Shell;
use link::{LinkOptions, link, location, uniform, validate, varying, wrap};

const VERTEX: &str = "#version 450
    out vec2 a; out vec3 b;
    void main() {
        gl_Position = vec4(0.0);
        float n = float(gl_VertexID);
        a = vec2(n + 1.0, n + 2.0);
        b = vec3(n + 3.0, n + 4.0, n + 5.0);
    }";

const FRAGMENT: &str = "#version 450
    in vec2 a; in vec3 b; out vec4 color;
    void main() { color = vec4(a, b.xy) + b.z; }";

/// Here `b` shares the slots of `a`, times w.
const VERTEX_TIMES_W: &str = "#version 450
    out vec2 a; noperspective out vec3 b;
    void main() {
        float n = float(gl_VertexID);
        gl_Position = vec4(0.0, 0.0, 0.0, n + 0.1);
        a = vec2(n + 1.0, n + 2.0);
        b = vec3(n + 3.0, n + 4.0, n + 5.0);
    }";

const FRAGMENT_TIMES_W: &str = "#version 450
    in vec2 a; noperspective in vec3 b; out vec4 color;
    void main() { color = vec4(a, b.xy) + b.z; }";

/// What goes wrong when the linker packs.
#[derive(Clone, Copy)]
struct Faults {
    routes: fn(&mut Routing),
    shell: fn(&mut Shell),
}

const NONE: Faults = Faults { routes: |_| {}, shell: |_| {} };

fn stage(stage: ShaderStage, text: &str) -> StageModule {
    let unit = glsl::parse(text, 0, &glsl::ParseOptions::default()).expect("it is right");
    glsl::compile(&[unit], stage, &glsl::Hints::default()).expect("it is right")
}

/// The program, which captures `a` and `b`.
fn program((vertex, fragment): (&str, &str), faults: Faults) -> LinkedProgram {
    let vertex = stage(ShaderStage::Vertex, vertex);
    let fragment = stage(ShaderStage::Fragment, fragment);
    let output = |name: &str| Spanned::new(CaptureItem::Output(name.to_owned()), Span::new(0, 0));
    let mode = CaptureMode::Interleaved;
    let items = vec![output("a"), output("b")];
    let capture = Some(CaptureSection { header: Span::new(0, 0), mode, items });
    let mut options = LinkOptions { capture, ..LinkOptions::default() };
    options.packing.share.noperspective = true;
    let stages = Stages::Render { vertex: vertex.clone(), fragment: Some(fragment.clone()) };
    let program = link(&stages, &options).expect("it links");

    let rules = LinkRules::of(vertex.rules, fragment.rules);
    let matched = match_up(&vertex.outputs, &fragment.inputs, rules).expect("they match");
    let pair = PairOfStages { vertex: &vertex, fragment: &fragment, matched: &matched, clip: None };
    let mut routing = varying::place(pair, &options).expect("it fits");
    (faults.routes)(&mut routing);
    let mut shell = Shell::default();
    varying::connect(pair, &routing, (&mut shell, &mut Shell::default()));
    (faults.shell)(&mut shell);
    let attributes = location::attributes(&vertex, &mut shell).expect("there are none");
    let layout = declared(&vertex, options.capture.as_ref()).expect("it can be captured");
    let uniforms = uniform::gather(&[&vertex, &fragment]).expect("there are none");
    let info = validate(&wrap::wrap(&vertex, &shell)).expect("the module is valid");
    let capturing = Capturing {
        layout: layout.as_ref(),
        shell: &shell,
        attributes: &attributes,
        routed: Some((pair, &routing)),
        options: &options,
    };
    let feedback =
        capturing.link(&[&vertex, &fragment], &[info], &uniforms, &mut LinkMap::default());
    LinkedProgram { feedback: feedback.expect("it links"), ..program }
}

/// What three captured points give on every adapter.
#[track_caller]
fn check(faults: Faults, expected: Result<(), &str>) {
    check_stages((VERTEX, FRAGMENT), faults, expected);
}

#[track_caller]
fn check_stages(stages: (&str, &str), faults: Faults, expected: Result<(), &str>) {
    let shape = DrawShape::Arrays { topology: Topology::Points, first: 0, count: 3 };
    let buffer = CaptureStep::Buffer { buffer: 0, size: 64, fill: 0 };
    let draw = CaptureStep::Draw(Draw::once(shape));
    let case = fixture::case(vec![Step::Capture(buffer), Step::Capture(draw)]);
    let program = program(stages, faults);
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

/// Where the packer put the first scalar of a pair.
fn first_route(routing: &mut Routing, pair: usize) -> &mut Route {
    routing.routes.get_mut(pair).and_then(|routes| routes.first_mut()).expect("it travels")
}

#[test]
fn without_a_fault_the_ways_agree() {
    check(NONE, Ok(()));
}

/// `a.x` and `b.x` are 1.0 and 3.0 of vertex 0.
#[test]
fn two_scalars_in_one_component_are_found() {
    let overlap: fn(&mut Routing) = |routing| {
        let taken = *first_route(routing, 1);
        *first_route(routing, 0) = taken;
    };
    let message = "word 0 of `a` in vertex 0 is 0x40400000 in the packed slots, and 0x3f800000 before packing";
    check(Faults { routes: overlap, ..NONE }, Err(message));
}

/// `b.y` and `b.z` are 4.0 and 5.0 of vertex 0.
#[test]
fn scalars_that_are_stored_in_each_others_components_are_found() {
    let swap: fn(&mut Shell) = |shell| {
        let wire = shell.output_wires.iter_mut().find(|wire| wire.components.len() == 3);
        wire.expect("`b` is one wire").components.swap(1, 2);
    };
    let message = "word 1 of `b` in vertex 0 is 0x40a00000 in the packed slots, and 0x40800000 before packing";
    check(Faults { shell: swap, ..NONE }, Err(message));
}

/// w of vertex 0 is 0.1.
#[test]
fn what_travels_times_w_is_looked_at_in_its_slot() {
    let stages = (VERTEX_TIMES_W, FRAGMENT_TIMES_W);
    check_stages(stages, NONE, Ok(()));
    let forget: fn(&mut Shell) = |shell| {
        for wire in &mut shell.output_wires {
            wire.is_over_w = false;
        }
    };
    let message =
        "word 0 of `b` in vertex 0 is 3.0 in the packed slots, and 3.0 times 0.1 before packing";
    check_stages(stages, Faults { shell: forget, ..NONE }, Err(message));
    let swap: fn(&mut Shell) = |shell| {
        let mut over_w = shell.output_wires.iter_mut().filter(|it| it.is_over_w);
        let (first, second) = (over_w.next(), over_w.next());
        let (first, second) = (first.expect("`b.x`"), second.expect("`b.y`"));
        std::mem::swap(&mut first.components, &mut second.components);
    };
    let message =
        "word 0 of `b` in vertex 0 is 0.4 in the packed slots, and 3.0 times 0.1 before packing";
    check_stages(stages, Faults { shell: swap, ..NONE }, Err(message));
}
