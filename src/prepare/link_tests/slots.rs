//! Tests the slots of the final modules, and their maximum number.

use expect_test::{Expect, expect};
use naga::{Module, TypeInner};

use case::Dialect;
use case::parse::parse;

use ir::options::Packing;
use ir::stage_module::Stages;
use link::program::LinkedStages;
use link::{AdapterRules, LinkError, LinkOptions, RasterState, link};

/// GLSL stages with the varyings in `declarations`, which have no `in` and `out` and are separated by `;`. The vertex
/// stage runs `vertex_code`, the fragment stage outputs `sum`.
fn glsl(declarations: &str, (vertex_code, sum): (&str, &str)) -> Stages {
    let declare = |direction: &str| -> String {
        let line = |text: &str| format!("{};\n", text.trim().replacen('~', direction, 1));
        declarations.split(';').map(line).collect()
    };
    let text = format!(
        "[vertex shader]\nin vec4 piglit_vertex;\n{}void main() {{ gl_Position = piglit_vertex; {vertex_code} }}\n\
         [fragment shader]\n{}out vec4 color;\nvoid main() {{ color = vec4({sum}); }}\n[test]\nlink success\n",
        declare("out"),
        declare("in"),
    );
    let parsed = parse("test.shader_test", text.as_bytes(), Dialect::Interstage);
    let case = parsed.into_iter().next().expect("a case").result.expect("a right case");
    compile::compile(&case, &case::gl::limit::Limits::guaranteed(&[])).expect("stages that compile")
}

/// Checks the slots, printed as `location: interpolation sampling type` in order of location.
#[track_caller]
fn check_slots(stages: &Stages, slots: Expect) {
    let program = link(stages, &LinkOptions::default()).expect("links");
    let LinkedStages::Render { vertex, fragment: Some(fragment) } = &program.stages else {
        panic!("a draw")
    };
    let written: Vec<_> =
        vertex.entry_points[0].function.result.iter().map(|result| result.ty).collect();
    let members = written.into_iter().flat_map(|ty| {
        let TypeInner::Struct { members, .. } = &vertex.types[ty].inner else { return Vec::new() };
        members.clone()
    });
    let members =
        members.filter_map(|member| slot_line(vertex, member.ty, member.binding.as_ref()));
    let arguments = fragment.entry_points[0].function.arguments.iter();
    let arguments = arguments
        .filter_map(|argument| slot_line(fragment, argument.ty, argument.binding.as_ref()));
    let (members, arguments) = (members.collect::<Vec<_>>(), arguments.collect::<Vec<_>>());
    assert_eq!(members, arguments, "the two sides differ");
    slots.assert_eq(&members.join("\n"));
}

fn slot_line(
    module: &Module,
    ty: naga::Handle<naga::Type>,
    binding: Option<&naga::Binding>,
) -> Option<String> {
    let naga::Binding::Location { location, interpolation, sampling, .. } = binding? else {
        return None;
    };
    let ty = &module.types[ty].inner;
    Some(format!("{location}: {:?} {:?} {ty:?}", (*interpolation)?, (*sampling)?))
}

/// C47, C50 WebGPU requires equal locations, types, interpolation and sampling on both sides. Integers are flat and
/// passed as integers, so that no arithmetic changes their bits.
#[test]
fn both_sides_of_every_slot_are_equal_and_integers_flat() {
    let stages = glsl(
        "~ float a; noperspective ~ vec2 b; centroid ~ mat2 c; flat ~ ivec4 n; sample ~ float d; flat ~ uint u[3]; \
         flat ~ vec3 k; noperspective centroid ~ vec2 e",
        (
            "a = 1.0; b = vec2(2.0); c = mat2(3.0); n = ivec4(4); d = 5.0; u[2] = 6u; k = vec3(7.0); e = vec2(8.0);",
            "a + b.x + c[1].y + float(n.z) + d + float(u[2]) + k.y + e.x",
        ),
    );
    let slots = expect![[r"
        0: Perspective Center Scalar(Scalar { kind: Float, width: 4 })
        1: Flat Either Vector { size: Quad, scalar: Scalar { kind: Sint, width: 4 } }
        2: Flat Either Vector { size: Quad, scalar: Scalar { kind: Uint, width: 4 } }
        3: Flat Either Vector { size: Bi, scalar: Scalar { kind: Uint, width: 4 } }
        4: Linear Center Vector { size: Bi, scalar: Scalar { kind: Float, width: 4 } }
        5: Perspective Centroid Vector { size: Quad, scalar: Scalar { kind: Float, width: 4 } }
        6: Linear Centroid Vector { size: Bi, scalar: Scalar { kind: Float, width: 4 } }
        7: Perspective Sample Scalar(Scalar { kind: Float, width: 4 })"]];
    check_slots(&stages, slots);
}

/// The error message for `count` vec4 varyings that do not fit; empty if they fit.
fn refusal(
    count: u32,
    (vertex_code, fragment_code): (&str, &str),
    options: &LinkOptions,
) -> String {
    // Every component differs from vertex to vertex and is read, so that nothing can be removed.
    let read: Vec<String> = (0..count).map(|idx| format!("v[{idx}] + ")).collect();
    let sum = format!("{}{fragment_code}", read.concat());
    let write = format!(
        "for (int i = 0; i < {count}; i++) v[i] = piglit_vertex * float(i + 1); {vertex_code}"
    );
    let vertex_code = &write;
    match link(&glsl(&format!("~ vec4 v[{count}]"), (vertex_code, &sum)), options) {
        Ok(_) => String::new(),
        Err(LinkError::Refused(errors) | LinkError::Forbidden(errors)) => errors[0].message.clone(),
        Err(
            error @ (LinkError::NoRoom(_)
            | LinkError::NoWideTypes { .. }
            | LinkError::Unsupported { .. }
            | LinkError::Invalid { .. }),
        ) => error.to_string(),
    }
}

/// Checks that exactly `available` slots are left for varyings.
#[track_caller]
fn check_available(available: u32, code: (&str, &str), options: &LinkOptions) {
    assert_eq!(refusal(available, code, options), "");
    let message = format!("the varyings take {} slots but there are {available}", available + 1);
    assert_eq!(refusal(available + 1, code, options), message);
}

/// C43, C48, C49
#[test]
fn builtins_and_points_are_counted_as_variables() {
    let plain = LinkOptions::default();
    let points = LinkOptions {
        raster: RasterState { has_points: true, ..RasterState::default() },
        ..LinkOptions::default()
    };
    let facing = "vec4(float(gl_FrontFacing))";
    let sample = "vec4(float(gl_SampleID))";
    let both = "vec4(float(gl_FrontFacing) + float(gl_SampleID))";
    check_available(16, ("", "vec4(0.0)"), &plain);
    check_available(16, ("", "gl_FragCoord"), &plain);
    check_available(15, ("", "vec4(0.0)"), &points);
    check_available(15, ("", facing), &plain);
    check_available(15, ("", sample), &plain);
    check_available(14, ("", both), &plain);
    check_available(15, ("", "vec4(float(gl_SampleMaskIn[0]))"), &plain);
    check_available(15, ("", "vec4(float(gl_PrimitiveID))"), &plain);
    // Points are counted on the vertex side, the built-in inputs on the fragment side.
    check_available(14, ("", both), &points);
}

/// C43, C48: every four clip distances count as one variable, and so does a partial group.
#[test]
fn clip_distances_are_counted_by_fours() {
    for (planes, available) in [(0, 16), (1, 15), (4, 15), (5, 14), (8, 14)] {
        let options = LinkOptions {
            raster: RasterState { clip_planes: planes, ..RasterState::default() },
            ..LinkOptions::default()
        };
        let code = format!("gl_ClipDistance[{}] = 1.0;", planes.max(1) - 1);
        check_available(available, (&code, "vec4(0.0)"), &options);
    }
}

/// C17 Two locations are occupied. An array needs consecutive slots after them, and the holes before it stay empty, so
/// slots 0 to 7 are all necessary. With fewer slots, only packing into holes makes the varyings fit, and only if it is
/// allowed.
#[test]
fn room_before_locations_is_used_when_nothing_else_is_left() {
    let declarations = "layout(location = 1) ~ vec4 e; layout(location = 3) ~ vec4 f; ~ vec3 a; ~ vec4 b[2]; ~ vec2 c";
    let vertex = "vec4 p = piglit_vertex; e = p; f = p * 2.0; a = p.xyz * 3.0; b[0] = p * 4.0; b[1] = p * 5.0; c = p.xy * 6.0;";
    let sum = "e + f + vec4(a, 0.0) + b[0] + b[1] + vec4(c, c)";
    let linked = |most: u32, has_fallback: bool| {
        let packing = Packing { has_fallback, ..Packing::default() };
        let options = LinkOptions {
            packing,
            adapter: AdapterRules { max_inter_stage_variables: most, ..AdapterRules::default() },
            ..LinkOptions::default()
        };
        match link(&glsl(declarations, (vertex, sum)), &options) {
            Ok(program) => format!("{:?}", program.map.steps),
            Err(LinkError::Refused(errors) | LinkError::Forbidden(errors)) => {
                errors[0].message.clone()
            }
            Err(error) => error.to_string(),
        }
    };
    assert_eq!(linked(8, false), "[]");
    assert_eq!(linked(7, false), "a varying is at location 7 but the last one is 6");
    assert_eq!(linked(7, true), "[Dense]");
}

#[test]
fn the_limit_is_the_adapters() {
    for most in [1, 15, 31, 32] {
        let options = LinkOptions {
            adapter: AdapterRules { max_inter_stage_variables: most, ..AdapterRules::default() },
            ..LinkOptions::default()
        };
        check_available(most, ("", "vec4(0.0)"), &options);
    }
}
