//! Both ways to capture are compared so that a fault of the packer cannot hide: here it has one, and the draw fails.

use super::{Capturing, declared};
use crate::case::capture::{CaptureItem, CaptureMode, CaptureSection, CaptureStep};
use crate::case::{Draw, DrawShape, ShaderStage, Step, Topology};
use crate::fixture;
use crate::gpu::{self, ExecuteError, Gpu};
use crate::link::map::LinkMap;
use crate::link::match_up::{LinkRules, match_up};
use crate::link::program::LinkedProgram;
use crate::link::shell::Shell;
use crate::link::varying::{PairOfStages, Route, Routing};
use crate::link::{LinkOptions, Stages, link, location, testing, uniform, validate, varying, wrap};
use crate::source::{Span, Spanned};

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

/// The program, which captures `a` and `b`; packed with `faults` in the routes, and then in the shell.
fn program(faults: (fn(&mut Routing), fn(&mut Shell))) -> LinkedProgram {
    let vertex = testing::stage(ShaderStage::Vertex, VERTEX);
    let fragment = testing::stage(ShaderStage::Fragment, FRAGMENT);
    let output = |name: &str| Spanned::new(CaptureItem::Output(name.to_owned()), Span::default());
    let mode = CaptureMode::Interleaved;
    let items = vec![output("a"), output("b")];
    let capture = Some(CaptureSection { header: Span::default(), mode, items });
    let options = LinkOptions { capture, ..LinkOptions::default() };
    let stages = Stages::Render { vertex: vertex.clone(), fragment: Some(fragment.clone()) };
    let program = link(&stages, &options).expect("it links");

    let rules = LinkRules::of(vertex.rules, fragment.rules);
    let matched = match_up(&vertex.outputs, &fragment.inputs, rules).expect("they match");
    let pair = PairOfStages { vertex: &vertex, fragment: &fragment, matched: &matched, clip: None };
    let mut routing = varying::place(pair, &options).expect("it fits");
    faults.0(&mut routing);
    let mut shell = Shell::default();
    varying::connect(pair, &routing, (&mut shell, &mut Shell::default()));
    faults.1(&mut shell);
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
fn check(faults: (fn(&mut Routing), fn(&mut Shell)), expected: Result<(), &str>) {
    let shape = DrawShape::Arrays { topology: Topology::Points, first: 0, count: 3 };
    let buffer = CaptureStep::Buffer { buffer: 0, size: 64, fill: 0 };
    let draw = CaptureStep::Draw(Draw::once(shape));
    let case = fixture::case(vec![Step::Capture(buffer), Step::Capture(draw)]);
    let program = program(faults);
    let adapters = gpu::adapters();
    assert!(!adapters.is_empty(), "these tests need an adapter, such as Mesa's lavapipe");
    for info in adapters {
        let gpu = Gpu::open(&format!("{}:{}", info.backend, info.index)).expect("it is listed");
        let found = match gpu::execute(&gpu, &case, &program) {
            Ok(readback) if readback.messages.is_empty() => Ok(()),
            Err(ExecuteError::Step { step: 1, message }) => Err(message),
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
    check((|_| {}, |_| {}), Ok(()));
}

/// `a.x` and `b.x` are 1.0 and 3.0 of vertex 0.
#[test]
fn two_scalars_in_one_component_are_found() {
    let overlap = |routing: &mut Routing| {
        let taken = *first_route(routing, 1);
        *first_route(routing, 0) = taken;
    };
    let message = "word 0 of `a` in vertex 0 is 0x40400000 in the packed slots, and 0x3f800000 before packing";
    check((overlap, |_| {}), Err(message));
}

/// `b.y` and `b.z` are 4.0 and 5.0 of vertex 0.
#[test]
fn scalars_that_are_stored_in_each_others_components_are_found() {
    let swap = |shell: &mut Shell| {
        let wire = shell.output_wires.iter_mut().find(|wire| wire.components.len() == 3);
        wire.expect("`b` is one wire").components.swap(1, 2);
    };
    let message = "word 1 of `b` in vertex 0 is 0x40a00000 in the packed slots, and 0x40800000 before packing";
    check((|_| {}, swap), Err(message));
}
