//! Tests whole cases, with the expected images.

use case::Dialect;
use case::gl::limit::Limits;
use case::parse::parse;
use ir::readback::Image;
use prepare::linked_programs;

use std::sync::Arc;

use super::*;

/// Runs a case; returns its snapshots or its error.
fn run(text: &str) -> Result<Vec<Snapshot>, String> {
    run_with(Work::default(), text)
}

fn run_with(work: Work, text: &str) -> Result<Vec<Snapshot>, String> {
    let parsed = parse("a.shader_test", text.as_bytes(), Dialect::Interstage).remove(0);
    let case = parsed.result.expect("the case is well-formed");
    let programs = linked_programs(&case, link::AdapterRules::default(), &Limits::guaranteed(&[]));
    let programs = programs.expect("the stages link");
    let programs: Programs<'_> = (&programs[0]).into();
    let plan = planned(&case, programs).map_err(|error| error.to_string())?;
    let executable = Executable::new(&case, programs, plan).map_err(|error| error.to_string())?;
    let readback = executable.run_within(work, Extent::Whole);
    let readback = readback.map_err(|error| error.to_string())?;
    Ok(readback.snapshots.into_iter().flatten().collect())
}

/// The first image of a case.
#[track_caller]
fn image(text: &str) -> Arc<Image> {
    match run(text).map(|mut snapshots| snapshots.remove(0)) {
        Ok(Snapshot::Image(image)) => image,
        other => panic!("{other:?}"),
    }
}

/// A case of 4 by 4 pixels whose fragment stage has `body`, with these steps.
fn case(targets: &str, body: &str, steps: &str) -> String {
    format!(
        "[require]\nSIZE 4 4\n[render targets]\n{targets}
[vertex shader]
#version 450
in vec4 piglit_vertex;
out float slope;
void main() {{ gl_Position = piglit_vertex; slope = piglit_vertex.x * 2.0; }}
[fragment shader]
#version 450
in float slope;
layout(location = 0) out vec4 color;
void main() {{ {body} }}
[test]
{steps}"
    )
}

/// The red values of an image of 8-bit channels, row by row from the lowest.
fn reds(image: &Image) -> Vec<u8> {
    image.bytes.iter().step_by(image.format.bytes_per_texel()).copied().collect()
}

#[test]
fn the_lowest_row_is_the_first() {
    let text = case(
        "0 rgba8unorm\n",
        "color = vec4(1.0);",
        "draw rect -1 -1 2 0.5\nprobe all rgba 1 1 1 1",
    );
    let expected = [[255; 4], [0; 4], [0; 4], [0; 4]];
    assert_eq!(reds(&image(&text)), expected.as_flattened());
}

/// The rectangle covers the centre of one pixel, so three lanes of the quad are helpers.
#[test]
fn a_single_pixel_has_derivatives() {
    let body = "color = vec4(dFdx(slope) / 2.0, 0.0, 0.0, 1.0);";
    let text = case("0 rgba32float\n", body, "draw rect -0.2 -0.2 0.9 0.9\nprobe all rgba 1 1 1 1");
    let image = image(&text);
    let offset = image.offset_of(2, 2).expect("it was read");
    let red = f32::from_le_bytes(image.bytes[offset..][..4].try_into().expect("four bytes"));
    // Clip space is two units wide, and `slope` is twice that: 4 in 4 pixels.
    assert!((red - 0.5).abs() < 1e-6, "{red}");
    let drawn = image.bytes.chunks(16).filter(|texel| **texel != [0; 16]).count();
    assert_eq!(drawn, 1);
}

#[test]
fn front_faces_wind_counterclockwise_in_gl() {
    let body = "color = vec4(gl_FrontFacing ? 1.0 : 0.5);";
    let text = case("0 rgba8unorm\n", body, "draw rect -1 -1 2 2\nprobe all rgba 1 1 1 1");
    assert_eq!(reds(&image(&text)), [255; 16]);
}

#[test]
fn samples_are_averaged() {
    // The rectangle ends in the middle of the pixels of column 1 and covers samples 0 and 2, left of the middle.
    let text = case(
        "0 rgba8unorm\nsamples 4\n",
        "color = vec4(1.0);",
        "draw rect -1 -1 0.75 2\nprobe all rgba 1 1 1 1",
    );
    assert_eq!(reds(&image(&text))[..4], [255, 128, 0, 0]);
}

/// A case of `size`, with these stages and steps.
fn sized(size: &str, vertex: &str, fragment: &str, steps: &str) -> String {
    format!(
        "[require]\nSIZE {size}\n[render targets]\n0 rgba8unorm\n[vertex shader]\n#version 450
in vec4 piglit_vertex;
void main() {{ gl_Position = piglit_vertex; {vertex} }}
[fragment shader]\n#version 450
uniform float zero;
layout(location = 0) out vec4 color;
void main() {{ color = vec4(1.0); {fragment} }}
[test]\n{steps}\nprobe rgba 0 0 1 1 1 1"
    )
}

fn computed(body: &str, groups: &str) -> String {
    format!(
        "[compute shader]\n#version 450\nlayout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data {{ uint sum; }};
void main() {{ {body} }}
[test]\nssbo 0 4\ncompute {groups}\nprobe buffer 0 uint 0 == 1"
    )
}

/// Every run ends, and the message names the limit.
#[test]
fn work_is_bounded() {
    let draw = "draw rect -1 -1 2 2";
    let small = |vertex: &str, fragment: &str| sized("4 4", vertex, fragment, draw);
    let clears = ["clear\n".repeat(1000).as_str(), draw].concat();
    let slow = "for (int i = 0; i < 100; i++) color.x = pow(color.x, color.y);";
    for text in [
        small("while (true) gl_Position.x += 1.0;", ""),
        small("", "while (true) color.x += 1.0;"),
        computed("for (;;) sum += 0u;", "1 1 1"),
        computed("for (;;) {}", "1 1 1"),
        computed("for (uint i = 0u; i < 100u; i++) sum += i;", "65535 1000 1"),
        computed("", "65535 65535 65535"),
        sized("512 512", "", slow, draw),
        sized("512 512", "", "", &clears),
        sized("512 512", "", "", "draw instanced rect 65536 -1 -1 2 2"),
        sized("4 4", "", "", "draw instanced rect 65536 5 5 6 6"),
    ] {
        let limit = "the case's draws and dispatches did not end within 16777216 operations of \
                     single lanes";
        assert_eq!(
            run_with(Work::new(1 << 24), &text).map(|_| ()),
            Err(limit.to_owned()),
            "{text}"
        );
    }
    assert!(run(&sized("512 512", "", slow, draw)).is_ok());
}
