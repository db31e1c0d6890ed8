//! Runs hand-written programs on every adapter of the machine. These tests fail if there is no adapter.

use fixture::draw_all;

use crate::{Gpu, adapters, execute};
use case::{
    Action, BufferProbe, Case, Comparison, DrawShape, ReadExpectation, Region, RenderTarget,
    Setting, Step, Topology, VertexColumn, VertexData, VertexStorage,
};
use ir::interface::{ScalarKind, Type};
use ir::readback::{Extent, Readback, Snapshot};
use ir::scalar::Number;
use link::program::{LinkedProgram, LinkedStages};
use link::table::binding::{Attribute, BindingPoint, StageUse, StorageBuffer};
use offer::missing_requirement;
use plan::ExecuteError;

/// Copies `piglit_vertex` to the position, as the linker does: with y negated.
const PASSTHROUGH: &str = "
    @vertex fn main(@location(0) at: vec4<f32>) -> @builtin(position) vec4<f32> {
        return vec4(at.x, -at.y, at.zw);
    }";

pub(super) fn on_every_adapter(test: impl Fn(&Gpu)) {
    let all = adapters();
    assert!(!all.is_empty(), "these tests need an adapter, such as Mesa's lavapipe");
    for info in all {
        test(&Gpu::open(&format!("{}:{}", info.backend, info.index)).expect("it is listed"));
    }
}

fn attribute(name: &str, ty: Type, location: u32) -> Attribute {
    Attribute::new(name, ty, location, &mut (8..))
}

fn render(vertex: &str, fragment: &str) -> LinkedProgram {
    let fragment = Some(fixture::module(fragment));
    let stages = LinkedStages::Render { vertex: fixture::module(vertex), fragment };
    let mut program = fixture::program(stages);
    let ty = Type::scalar_or_vector(4, ScalarKind::F32);
    program.attributes.push(attribute("piglit_vertex", ty, 0));
    program
}

#[track_caller]
pub(super) fn readback(gpu: &Gpu, case: &Case, program: &LinkedProgram) -> Readback {
    let readback = execute(gpu, case, program, Extent::Whole).expect("the steps fit the program");
    assert_eq!(readback.messages, [""; 0], "{}", gpu.info());
    readback
}

/// The bytes of the image or buffer that step `step` reads.
#[track_caller]
pub(super) fn bytes(readback: &Readback, step: usize) -> Vec<u8> {
    match readback.snapshots[step].clone().expect("the step captures something") {
        Snapshot::Image(image) => image.bytes.clone(),
        Snapshot::Buffer(bytes) => bytes.to_vec(),
        Snapshot::Count(count) => count.to_le_bytes().to_vec(),
    }
}

pub(super) fn look_at(target: u32) -> Step {
    fixture::probe(target, Region::All, &[Number::Integer(0); 4])
}

fn look_at_buffer(binding: u32) -> Step {
    Step::from(ReadExpectation::Buffer(BufferProbe {
        binding,
        offset: 0,
        ty: Type::Scalar(ScalarKind::U32),
        comparison: Comparison::Equal,
        expected: vec![Number::Integer(0)],
    }))
}

#[test]
fn memory_starts_with_the_lowest_row() {
    let program = render(
        PASSTHROUGH,
        "@fragment fn main() -> @location(0) vec4<f32> { return vec4(1.0, 0.0, 0.0, 1.0); }",
    );
    // The lower left quarter.
    let quarter = fixture::draw(DrawShape::Rect([-1.0, -1.0, 1.0, 1.0]));
    let case = fixture::case(vec![
        Step::Set(Setting::ClearColor([0.0, 0.0, 1.0, 1.0])),
        Step::Run(Action::Clear),
        quarter,
        look_at(0),
    ]);
    let (red, blue) = ([255, 0, 0, 255], [0, 0, 255, 255]);
    let half = [red, red, blue, blue];
    let expected = [half, half, [blue; 4], [blue; 4]].as_flattened().as_flattened().to_vec();
    on_every_adapter(|gpu| {
        assert_eq!(bytes(&readback(gpu, &case, &program), 3), expected, "{}", gpu.info());
    });
}

/// Every pixel has a unique colour: a sixteenth of red per column, and of green per row counted from the lowest.
const OWN_COLORS: &str = "
    @fragment fn main(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
        return vec4(floor(at.xy) * 17.0 / 255.0, 0.0, 1.0);
    }";

#[test]
fn only_what_is_probed_comes_back() {
    let program = render(PASSTHROUGH, OWN_COLORS);
    let one = |at| fixture::probe(0, Region::Pixel(at), &[Number::Integer(0); 4]);
    // The first two probes are read in one snapshot: columns 1 to 2, rows 0 to 2.
    let steps = vec![draw_all(), one([2, 0]), one([1, 2]), draw_all(), one([3, 1])];
    let case = fixture::case(steps);
    let pixel = |[x, y]: [u8; 2]| [17 * x, 17 * y, 0, 255];
    let together: Vec<_> = [[1, 0], [2, 0], [1, 1], [2, 1], [1, 2], [2, 2]].map(pixel).concat();
    on_every_adapter(|gpu| {
        let readback = execute(gpu, &case, &program, Extent::Probed).expect("the steps fit");
        assert_eq!(readback.messages, [""; 0], "{}", gpu.info());
        for step in [1, 2] {
            assert_eq!(bytes(&readback, step), together, "{}", gpu.info());
        }
        assert_eq!(bytes(&readback, 4), pixel([3, 1]), "{}", gpu.info());
        let whole = execute(gpu, &case, &program, Extent::Whole).expect("the steps fit");
        let all = (0..16_u8).map(|idx| pixel([idx % 4, idx / 4])).collect::<Vec<_>>().concat();
        assert_eq!(bytes(&whole, 4), all, "{}", gpu.info());
    });
}

/// The case has more passes and copies than one encoder holds.
#[test]
fn every_one_of_many_expectations_sees_its_own_moment() {
    let program = render(PASSTHROUGH, OWN_COLORS);
    let steps = (0..100_u8).flat_map(|idx| {
        let color = [f64::from(idx) / 255.0, 0.0, 0.0, 1.0];
        [Step::Set(Setting::ClearColor(color)), Step::Run(Action::Clear), look_at(0)]
    });
    let case = fixture::case(steps.collect());
    on_every_adapter(|gpu| {
        let readback = readback(gpu, &case, &program);
        for idx in 0..100_u8 {
            let found = bytes(&readback, usize::from(idx) * 3 + 2);
            assert_eq!(found, [idx, 0, 0, 255].repeat(16), "{idx} on {}", gpu.info());
        }
    });
}

#[test]
fn front_faces_are_gls() {
    let program = render(
        PASSTHROUGH,
        "@fragment fn main(@builtin(front_facing) is_front: bool) -> @location(0) vec4<f32> {
            return select(vec4(1.0, 0.0, 0.0, 1.0), vec4(0.0, 1.0, 0.0, 1.0), is_front);
        }",
    );
    // A rect winds counterclockwise from its lower left corner.
    let case = fixture::case(vec![draw_all(), look_at(0)]);
    on_every_adapter(|gpu| {
        let pixels = bytes(&readback(gpu, &case, &program), 1);
        assert_eq!(pixels, [0, 255, 0, 255].repeat(16), "{}", gpu.info());
    });
}

fn numbered_rows(positions: &[[f32; 2]]) -> VertexData {
    let mut rows = Vec::new();
    for (id, [x, y]) in (1_u8..).zip(positions) {
        rows.extend(x.to_le_bytes());
        rows.extend(y.to_le_bytes());
        rows.push(id);
    }
    VertexData {
        columns: vec![
            fixture::column("piglit_vertex", VertexStorage::Float, 2),
            VertexColumn {
                is_integer: true,
                is_wide: false,
                offset: 8,
                ..fixture::column("id", VertexStorage::Ubyte, 1)
            },
        ],
        stride: 9,
        bytes: rows,
        row_count: u32::try_from(positions.len()).expect("a few rows"),
    }
}

/// Gives every pixel the id and the row number of the provoking vertex.
fn flat_ids() -> LinkedProgram {
    let mut program = render(
        "struct Out { @builtin(position) at: vec4<f32>,
                      @location(0) @interpolate(flat, either) id: vec4<u32> }
         @vertex fn main(@location(0) at: vec4<f32>, @location(1) id: vec4<u32>,
                         @builtin(vertex_index) row: u32) -> Out {
             return Out(vec4(at.x, -at.y, at.zw), vec4(id.x, row, id.zw));
         }",
        "@fragment fn main(@location(0) @interpolate(flat, either) id: vec4<u32>)
             -> @location(0) vec4<u32> { return id; }",
    );
    program.attributes.push(attribute("id", Type::Scalar(ScalarKind::U32), 1));
    program
}

/// Draws `corners` as `topology` on every adapter, and compares the pixels. In `expected`, rows of pixels go from the
/// top down. A letter is the one-based row of the provoking vertex (`a` is 1); a dot is a pixel that is not drawn.
#[track_caller]
fn check_provoking(topology: Topology, corners: &[[f32; 2]], expected: &str) {
    let count = u32::try_from(corners.len()).expect("a few corners");
    let shape = DrawShape::Arrays { topology, first: 0, count };
    let mut case = fixture::case(vec![fixture::draw(shape), look_at(0)]);
    case.vertex_data = Some(numbered_rows(corners));
    case.render_targets = vec![fixture::target(0, "rgba8uint")];
    let program = flat_ids();
    on_every_adapter(|gpu| {
        let pixels = bytes(&readback(gpu, &case, &program), 1);
        let letter = |pixel: &[u8]| match pixel {
            [0, 0, 0, 0] => '.',
            [id, row, 0, 1] if id - 1 == *row => char::from(b'a' + row),
            _ => '?',
        };
        let rows = pixels.chunks(16).rev();
        let rows: Vec<String> = rows.map(|row| row.chunks(4).map(letter).collect()).collect();
        assert_eq!(rows.join(" "), expected, "{topology:?} on {}", gpu.info());
    });
}

const SQUARE: [[f32; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];

#[test]
fn flat_varyings_of_quads_come_from_their_last_row() {
    check_provoking(Topology::Quads, &SQUARE, "dddd dddd dddd dddd");
    let zigzag = [[-1.0, -1.0], [-1.0, 1.0], [0.0, -1.0], [0.0, 1.0], [1.0, -1.0], [1.0, 1.0]];
    check_provoking(Topology::QuadStrip, &zigzag, "ddff ddff ddff ddff");
}

#[test]
fn flat_varyings_of_triangles_come_from_their_newest_row() {
    // Pixel centres are at ±0.25 and ±0.75; a point below the diagonal has y < x - 0.125.
    let half = [[-1.0, -1.125], [1.125, -1.125], [1.125, 1.0]];
    check_provoking(Topology::Triangles, &half, ".... ...c ..cc .ccc");
    // Moved by an eighth, so that no pixel centre is on the diagonal; a point below it has y < x - 0.25.
    let moved = SQUARE.map(|[x, y]| [x + 0.125, y - 0.125]);
    check_provoking(Topology::TriangleFan, &moved, "dddd dddc ddcc dccc");
}

#[test]
fn points_and_lines_cover_their_pixels() {
    let centre = |x: i16, y: i16| [f32::from(x) / 2.0 - 0.75, f32::from(y) / 2.0 - 0.75];
    check_provoking(Topology::Points, &[centre(0, 0), centre(3, 1)], ".... .... ...b a...");
    let line = [[-1.0, 0.25], [1.0, 0.25]];
    check_provoking(Topology::Lines, &line, ".... bbbb .... ....");
}

#[test]
fn indices_choose_rows_and_keep_their_numbers() {
    let shape = DrawShape::Indexed { topology: Topology::TriangleFan, first: 1, count: 4 };
    let mut case = fixture::case(vec![fixture::draw(shape), look_at(0)]);
    case.vertex_data = Some(numbered_rows(&SQUARE));
    case.indices = vec![9, 1, 2, 3, 0];
    case.render_targets = vec![fixture::target(0, "rgba8uint")];
    on_every_adapter(|gpu| {
        let pixels = bytes(&readback(gpu, &case, &flat_ids()), 1);
        // The fan's second triangle, lower left, ends in row 0 with id 1; its first, upper right, in row 3.
        assert_eq!(pixels[..4], [1, 0, 0, 1], "{}", gpu.info());
        assert_eq!(pixels[60..], [4, 3, 0, 1], "{}", gpu.info());
    });
}

#[test]
fn instances_are_drawn_and_numbered() {
    let program = render(
        "@vertex fn main(@location(0) at: vec4<f32>, @builtin(instance_index) instance: u32)
             -> @builtin(position) vec4<f32> {
             return vec4(at.x + f32(instance), -at.y, at.zw);
         }",
        "@fragment fn main() -> @location(0) vec4<f32> { return vec4(1.0); }",
    );
    let left_column = DrawShape::Rect([-1.0, -1.0, 0.5, 2.0]);
    let draw = case::Draw { instances: 2, ..case::Draw::once(left_column) };
    let case = fixture::case(vec![Step::Run(Action::Draw(draw)), look_at(0)]);
    on_every_adapter(|gpu| {
        let pixels = bytes(&readback(gpu, &case, &program), 1);
        let row = [[255; 4], [0; 4], [255; 4], [0; 4]].as_flattened().repeat(4);
        assert_eq!(pixels, row, "{}", gpu.info());
    });
}

#[test]
fn integer_targets_are_cleared_to_integers() {
    let program = render(PASSTHROUGH, "@fragment fn main() {}");
    let color = Step::Set(Setting::ClearColor([1.0, 2.0, 3.0, 70_000.0]));
    let mut case = fixture::case(vec![color, Step::Run(Action::Clear), look_at(0)]);
    case.render_targets = vec![fixture::target(0, "rgba32uint")];
    let expected = [1, 2, 3, 70_000_u32].map(u32::to_le_bytes).as_flattened().repeat(16);
    on_every_adapter(|gpu| assert_eq!(bytes(&readback(gpu, &case, &program), 2), expected));
}

#[test]
fn a_lost_device_is_an_error() {
    let program = render(PASSTHROUGH, "@fragment fn main() {}");
    let case = fixture::case(vec![draw_all(), look_at(0)]);
    on_every_adapter(|gpu| {
        gpu.device.destroy();
        let error = execute(gpu, &case, &program, Extent::Whole).expect_err("the device is gone");
        assert!(matches!(error, ExecuteError::DeviceLost(_)), "{error:?}");
    });
}

#[test]
fn targets_keep_what_the_program_does_not_write_and_holes_are_holes() {
    let mut program = render(
        PASSTHROUGH,
        "@fragment fn main() -> @location(3) vec4<u32> { return vec4(7u, 8u, 9u, 0xffffffffu); }",
    );
    program.draw.written_targets = vec![3];
    let mut case = fixture::case(vec![draw_all(), look_at(0), look_at(3)]);
    // A clear value that is converted from doubles to floats would lose some of these bits.
    let clear = vec![Number::Bits(0x7f80_0001), Number::Integer(0xffff_fffe)];
    let filled = RenderTarget { clear: Some(clear), ..fixture::target(0, "rg32uint") };
    case.render_targets = vec![filled, fixture::target(3, "rgba32uint")];
    on_every_adapter(|gpu| {
        let readback = readback(gpu, &case, &program);
        let kept = [0x7f80_0001_u32, 0xffff_fffe].map(u32::to_le_bytes);
        assert_eq!(bytes(&readback, 1), kept.as_flattened().repeat(16), "{}", gpu.info());
        let written = [7, 8, 9, u32::MAX].map(u32::to_le_bytes);
        assert_eq!(bytes(&readback, 2), written.as_flattened().repeat(16), "{}", gpu.info());
    });
}

#[test]
fn a_target_that_nothing_was_drawn_into_is_zero() {
    let program = render(PASSTHROUGH, "@fragment fn main() {}");
    let case = fixture::case(vec![look_at(0)]);
    on_every_adapter(|gpu| assert_eq!(bytes(&readback(gpu, &case, &program), 0), [0; 64]));
}

#[test]
fn a_program_without_fragment_stage_draws_nothing() {
    let mut program = render(PASSTHROUGH, "@fragment fn main() {}");
    program.stages = LinkedStages::Render { vertex: fixture::module(PASSTHROUGH), fragment: None };
    program.draw.written_targets.clear();
    let case = fixture::case(vec![draw_all(), look_at(0)]);
    on_every_adapter(|gpu| assert_eq!(bytes(&readback(gpu, &case, &program), 1), [0; 64]));
}

#[test]
fn buffers_are_written_and_read_in_the_order_of_the_steps() {
    let mut program = fixture::program(LinkedStages::Compute(fixture::module(
        "@group(1) @binding(0) var<storage, read_write> total: array<u32>;
         @compute @workgroup_size(1) fn main() { total[1] = total[1] + total[0]; }",
    )));
    let stages = StageUse { compute: true, ..StageUse::default() };
    program.storage_buffers.push(StorageBuffer {
        at: BindingPoint { group: 1, binding: 0 },
        ..fixture::storage_buffer("Total", 5, stages)
    });
    let set = |value| Setting::SsboData {
        binding: 5,
        offset: 0,
        ty: Type::Scalar(ScalarKind::U32),
        values: vec![Number::Integer(value)],
    };
    let case = fixture::case(vec![
        Step::Set(Setting::Ssbo { binding: 5, size: 8 }),
        set(10).into(),
        Step::Run(Action::Compute([1, 1, 1])),
        look_at_buffer(5),
        set(5).into(),
        Step::Run(Action::Compute([1, 1, 1])),
        look_at_buffer(5),
    ]);
    on_every_adapter(|gpu| {
        let readback = readback(gpu, &case, &program);
        assert_eq!(bytes(&readback, 3), [10, 0, 0, 0, 10, 0, 0, 0], "{}", gpu.info());
        assert_eq!(bytes(&readback, 6), [5, 0, 0, 0, 15, 0, 0, 0], "{}", gpu.info());
    });
}

#[test]
fn a_vertex_stage_writes_storage_or_the_adapter_is_said_to_lack_it() {
    let mut program = render(
        "@group(0) @binding(0) var<storage, read_write> seen: array<u32>;
         @vertex fn main(@location(0) at: vec4<f32>, @builtin(vertex_index) row: u32)
             -> @builtin(position) vec4<f32> {
             seen[row] = row + 1u;
             return at;
         }",
        "@fragment fn main() {}",
    );
    program.draw.written_targets.clear();
    let stages = StageUse { vertex: true, ..StageUse::default() };
    program.storage_buffers.push(fixture::storage_buffer("Seen", 0, stages));
    let make = Step::Set(Setting::Ssbo { binding: 0, size: 16 });
    let case = fixture::case(vec![make, draw_all(), look_at_buffer(0)]);
    on_every_adapter(|gpu| {
        if gpu.offer().features().contains(&"VERTEX_WRITABLE_STORAGE") {
            let expected = [1, 2, 3, 4_u32].map(u32::to_le_bytes);
            let seen = bytes(&readback(gpu, &case, &program), 2);
            assert_eq!(seen, expected.as_flattened(), "{}", gpu.info());
        } else {
            let error =
                execute(gpu, &case, &program, Extent::Whole).expect_err("the feature is missing");
            assert!(matches!(error, ExecuteError::Lacking(_)), "{error:?}");
        }
    });
}

#[test]
fn what_wgpu_objects_to_is_a_message_and_not_a_panic() {
    // The module uses a uniform buffer that the program's tables do not have.
    let mut program = render(
        PASSTHROUGH,
        "@group(0) @binding(0) var<uniform> color: vec4<f32>;
         @fragment fn main() -> @location(0) vec4<f32> { return color; }",
    );
    let case = fixture::case(vec![draw_all(), look_at(0)]);
    on_every_adapter(|gpu| {
        let readback =
            execute(gpu, &case, &program, Extent::Whole).expect("the steps fit the program");
        assert!(
            readback.messages.iter().any(|message| message.contains("Binding is missing")),
            "{readback:?}"
        );
        assert!(readback.snapshots.iter().all(Option::is_none));
    });
    let stages = StageUse { fragment: true, ..StageUse::default() };
    program.uniform_buffers.push(fixture::uniform_buffer(stages));
    on_every_adapter(|gpu| assert_eq!(bytes(&readback(gpu, &case, &program), 1), [0; 64]));
}

#[test]
fn an_unknown_adapter_is_an_error_that_lists_the_known_ones() {
    let error = Gpu::open("vulkan:99").expect_err("no machine has so many").to_string();
    assert!(error.starts_with("no adapter `vulkan:99`; there are: "), "{error}");
    assert!(error.contains(":0 ("), "{error}");
}

/// The printed format table agrees with execution: the test tries each format as a target, and draws into it if the
/// table says that it works.
#[test]
fn the_table_of_formats_tells_which_targets_run() {
    on_every_adapter(|gpu| {
        let table = gpu.offer().formats();
        assert_eq!(table.len(), ir::format::Format::all().len() + 6);
        for (name, ability) in table {
            let is_rendered = ability.starts_with("rendered");
            let mut case = fixture::case(vec![draw_all(), look_at(0)]);
            if let Some(format) = ir::format::Format::from_name(name) {
                case.render_targets[0].format = format;
            } else {
                case.depth_format = case::depth_stencil::DepthFormat::from_name(name);
                assert!(case.depth_format.is_some(), "{name}");
            }
            let missing = missing_requirement(gpu.offer(), &case);
            let expected = (!is_rendered).then_some(ability);
            assert_eq!(missing, expected, "{} {name}", gpu.info());
            if missing.is_some() {
                continue;
            }
            let (ty, value) = match case.render_targets[0].format.class() {
                ir::format::FormatClass::Float => ("f32", "1.0"),
                ir::format::FormatClass::Sint => ("i32", "1"),
                ir::format::FormatClass::Uint => ("u32", "1u"),
            };
            let fragment = format!(
                "@fragment fn main() -> @location(0) vec4<{ty}> {{ return vec4<{ty}>({value}); }}"
            );
            let program = render(PASSTHROUGH, &fragment);
            let bytes = bytes(&readback(gpu, &case, &program), 1);
            assert!(bytes.iter().any(|byte| *byte != 0), "{} {name}", gpu.info());
        }
    });
}
