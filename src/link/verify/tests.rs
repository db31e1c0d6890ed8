//! Tests that wrong interfaces are noticed: interpolations, and values in buffers.

use std::borrow::Cow;

use naga::{Interpolation as How, Sampling as Where};

use super::{Expected, check_interpolation};
use crate::pack::PackingClass;

use crate::phase::bound::Bound;
use crate::phase::complete::Complete;
use crate::phase::lowered::Lowered;
use crate::phase::matched::Matched;
use crate::phase::packed::Packed;
use crate::phase::placed::Placed;
use crate::phase::verified::verified;
use crate::phase::wrapped::Wrapped;
use crate::place::routing::Route;
use crate::{LinkError, LinkOptions, testing};
use ir::interface::{Interpolation, Place, Sampling, ScalarKind, Type};
use ir::stage::ShaderStage;

const VERTEX: &str = "out vec2 a; out vec3 b;
    void main() { gl_Position = vec4(0.0); a = vec2(1.0); b = vec3(2.0); }";

const GEOMETRY: &str = "layout(triangles) in;
    layout(triangle_strip, max_vertices = 3) out;
    in vec2 a[]; in vec3 b[]; out vec4 c; out vec2 d;
    void main() {
        gl_Position = gl_in[1].gl_Position;
        c = a[0].xyxy + b[2].xyzz;
        d = b[1].yz;
        EmitVertex();
    }";

const CONTROL: &str = "layout(vertices = 3) out;
    in vec2 a[]; in vec3 b[]; out vec4 e[]; out vec2 f[]; patch out vec2 g; patch out vec3 h;
    void main() {
        gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
        gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 3.0;
        gl_TessLevelInner[0] = a[0].x;
        e[gl_InvocationID] = a[1].xyyx;
        f[gl_InvocationID] = b[0].xz;
        g = a[0];
        h = b[1];
    }";

const EVALUATION: &str = "layout(triangles) in;
    in vec4 e[]; in vec2 f[]; patch in vec2 g; patch in vec3 h; out vec4 c; out vec2 d;
    void main() {
        gl_Position = gl_in[0].gl_Position * gl_TessLevelInner[0] * gl_TessLevelOuter[1];
        c = e[1] + h.xyzz;
        d = f[2] + g;
    }";

const FRAGMENT: &str = "in vec4 c; in vec2 d; out vec4 color;
    void main() { color = c + d.xyxy; }";

/// Links these stages and the fragment stage, after `plant` has changed the tables of the interfaces.
fn linked(
    between: &[(ShaderStage, &str)],
    plant: impl FnOnce(&mut Packed<'_>),
) -> Result<(), LinkError> {
    let stage = |(stage, text): &(ShaderStage, &str)| {
        Cow::Owned(testing::stage(*stage, &format!("#version 450\n{text}")))
    };
    let first = [(ShaderStage::Vertex, VERTEX)];
    let last = [(ShaderStage::Fragment, FRAGMENT)];
    let stages = first.iter().chain(between).chain(&last).map(stage).collect();
    let lowered = Lowered::new(stages, &LinkOptions::default())?;
    let mut packed = Packed::new(Matched::new(lowered)?, None)?;
    plant(&mut packed);
    let bound = Bound::new(Wrapped::new(packed, None))?;
    verified(Complete::new(Placed::new(bound, None)?)?).map(|_| ())
}

#[track_caller]
fn check(between: &[(ShaderStage, &str)], plant: impl FnOnce(&mut Packed<'_>)) {
    match linked(between, plant) {
        Err(LinkError::Invalid { message, .. }) => {
            assert!(message.starts_with("the linked modules are wrong: "), "{message}");
        }
        other => panic!("{other:?}"),
    }
}

const WITH_GEOMETRY: [(ShaderStage, &str); 1] = [(ShaderStage::Geometry, GEOMETRY)];

const TESSELLATED: [(ShaderStage, &str); 2] = [
    (ShaderStage::TessellationControl, CONTROL),
    (ShaderStage::TessellationEvaluation, EVALUATION),
];

#[test]
fn right_interfaces_pass() {
    assert_eq!(linked(&WITH_GEOMETRY, |_| ()), Ok(()));
    assert_eq!(linked(&TESSELLATED, |_| ()), Ok(()));
}

#[test]
fn a_component_swapped_before_the_geometry_stage_is_noticed() {
    check(&WITH_GEOMETRY, |packed| packed.shells[1].input_wires[0].components.swap(0, 1));
    check(&WITH_GEOMETRY, |packed| packed.shells[0].output_wires[1].components.swap(1, 2));
    check(&WITH_GEOMETRY, |packed| drop(packed.shells[1].input_wires.pop()));
}

#[test]
fn a_word_moved_before_the_geometry_stage_is_noticed() {
    check(&WITH_GEOMETRY, |packed| packed.buffers[0].vertex.results.wires[0].word += 1);
    check(&WITH_GEOMETRY, |packed| packed.buffers[0].vertex.received.slot_words.swap(0, 1));
    check(&WITH_GEOMETRY, |packed| packed.buffers[0].vertex.received.built_ins[0].word += 1);
}

#[test]
fn a_component_swapped_between_tessellation_stages_is_noticed() {
    check(&TESSELLATED, |packed| packed.shells[1].input_wires[0].components.swap(0, 1));
    check(&TESSELLATED, |packed| packed.shells[2].input_wires[0].components.swap(0, 1));
    check(&TESSELLATED, |packed| packed.shells[1].output_wires[0].components.swap(0, 1));
    for side in [0, 1] {
        check(&TESSELLATED, |packed| {
            let shells = &mut packed.buffers[1].patch.as_mut().expect("there are patches").shells;
            let [written, read] = shells;
            let wires = [&mut written.output_wires, &mut read.input_wires];
            wires.into_iter().nth(side).expect("one of two")[0].components.swap(0, 1);
        });
    }
}

#[test]
fn a_word_moved_between_tessellation_stages_is_noticed() {
    check(&TESSELLATED, |packed| packed.buffers[1].vertex.results.wires[0].word += 1);
    check(&TESSELLATED, |packed| {
        let patch = packed.buffers[1].patch.as_mut().expect("there are patches");
        patch.values.received.built_ins[0].word += 1;
    });
    // Vertices that overlap.
    check(&TESSELLATED, |packed| packed.buffers[1].vertex.received.stride -= 1);
}

#[test]
fn a_word_moved_in_the_record_of_a_vertex_is_noticed() {
    check(&WITH_GEOMETRY, |packed| {
        packed.matched.record.as_mut().expect("it has one").wires[0].word += 1;
    });
    check(&TESSELLATED, |packed| {
        packed.matched.record.as_mut().expect("it has one").wires[0].word += 1;
    });
}

const INDEXED: [(ShaderStage, &str); 2] = [
    (
        ShaderStage::TessellationControl,
        "layout(vertices = 3) out;
        in vec2 a[]; in vec3 b[]; out vec4 e[]; out vec2 f[]; patch out vec4 g[2];
        void main() {
            e[gl_InvocationID] = a[gl_InvocationID].xyxy + b[gl_InvocationID].xyzz;
            f[gl_InvocationID] = a[gl_InvocationID];
            g[0] = g[1] = e[0];
        }",
    ),
    (
        ShaderStage::TessellationEvaluation,
        "layout(triangles) in;
        in vec4 e[]; in vec2 f[]; patch in vec4 g[2]; uniform int u; out vec4 c; out vec2 d;
        void main() { c = e[u] + g[u]; d = e[0].xy + f[u]; gl_Position = c; }",
    ),
];

#[test]
fn a_word_moved_in_an_input_without_copies_is_noticed() {
    assert_eq!(linked(&INDEXED, |_| ()), Ok(()));
    check(&INDEXED, |packed| packed.buffers[0].vertex.received.slot_words.swap(0, 1));
    check(&INDEXED, |packed| packed.buffers[1].vertex.received.slot_words[0] += 1);
    check(&INDEXED, |packed| packed.buffers[1].vertex.received.stride -= 4);
    check(&INDEXED, |packed| {
        let patch = packed.buffers[1].patch.as_mut().expect("there are patches");
        patch.values.received.slot_words.iter_mut().for_each(|word| *word += 1);
    });
}

const WRITTEN: [(ShaderStage, &str); 1] = [(
    ShaderStage::Geometry,
    "layout(triangles) in;
    layout(triangle_strip, max_vertices = 3) out;
    in vec2 a[]; in vec3 b[]; uniform int u; out vec4 c; out vec2 d;
    void main() {
        c = a[0].xyxy;
        d = a[1];
        c[u] = d[u] = b[0].x;
        EmitVertex();
    }",
)];

#[test]
fn a_word_moved_in_an_output_without_copies_is_noticed() {
    assert_eq!(linked(&WRITTEN, |_| ()), Ok(()));
    for idx in [0, 1] {
        check(&WRITTEN, |packed| {
            packed.matched.record.as_mut().expect("it has one").wires[idx].word += 1;
        });
    }
    // Two outputs in the same words, where the next stage looks for them.
    check(&TESSELLATED, |packed| {
        let values = &mut packed.buffers[1].vertex;
        values.results.chunks[1].word = values.results.chunks[0].word;
        values.received.slot_words[1] = values.received.slot_words[0];
    });
    // The second one is beyond the record.
    check(&WRITTEN, |packed| {
        packed.matched.record.as_mut().expect("it has one").stride = 4;
    });
}

/// True if an input of the fragment stage is accepted for a smooth varying at the centroid.
fn is_accepted(interpolation: How, sampling: Where) -> bool {
    let binding = naga::Binding::Location {
        location: 0,
        interpolation: Some(interpolation),
        sampling: Some(sampling),
        blend_src: None,
        per_primitive: false,
    };
    let stage = testing::stage(ShaderStage::Vertex, &format!("#version 450\n{VERTEX}"));
    let (global, _) = stage.module.global_variables.iter().next().expect("a global");
    let place = Place { global, path: Vec::new() };
    let class = PackingClass { interpolation: Interpolation::Smooth, sampling: Sampling::Centroid };
    let varying = Expected {
        name: "a",
        ty: &Type::Scalar(ScalarKind::F32),
        from: place.clone(),
        to: place,
        class,
        routes: &[],
        has_one_sample: false,
    };
    check_interpolation(Some(&binding), &varying, Route::Dead).is_ok()
}

#[test]
fn another_interpolation_or_sampling_is_noticed() {
    assert!(is_accepted(How::Perspective, Where::Centroid));
    assert!(!is_accepted(How::Linear, Where::Centroid));
    assert!(!is_accepted(How::Flat, Where::Centroid));
    assert!(!is_accepted(How::Perspective, Where::Center));
    assert!(!is_accepted(How::Perspective, Where::Sample));
}
