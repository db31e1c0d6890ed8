//! Geometry and tessellation stages, versions of stages, and the interfaces between neighbours.

use fastrand::Rng;

use crate::invalid::base::Crossing;
use crate::invalid::program::{Place, Program, Stage};
use crate::invalid::rule::{Rule, Where, change, compile, declare, link, one, state, valid};
use crate::invalid::types::Plain;
use crate::invalid::version::{Profile, Version};

use Where::{Control, Either, Evaluation, Geometry, Vertex};

const G: &[Stage] = &[Stage::Geometry];
const C: &[Stage] = &[Stage::Control];
const E: &[Stage] = &[Stage::Evaluation];

/// The rules of this topic.
pub const RULES: &[Rule] = &[
    link("versions_of_es_differ", "ES 3.4").es(100, 320).by(&[change(|program, rng| {
        let other = |version: Version| version.is_es() && version != program.version;
        let versions: Vec<_> = Version::all().filter(|version| other(*version)).collect();
        two_versions(program, &versions, rng);
    })]),
    link("es_and_desktop", "3.3").everywhere().by(&[change(|program, rng| {
        let is_es = program.version.is_es();
        let versions: Vec<_> = Version::all().filter(|version| version.is_es() != is_es).collect();
        two_versions(program, &versions, rng);
    })]),
    valid("versions_of_the_desktop_differ", "3.3").desktop(140, 460).core().by(&[change(
        |program, rng| {
            let is_core = |version: &Version| version.profile == Profile::Core;
            let versions: Vec<_> = Version::all().filter(is_core).collect();
            two_versions(program, &versions, rng);
            if rng.bool() {
                // The newest version does not require the position.
                program.stage(Stage::Vertex).ending.clear();
            }
        },
    )]),
    link("outputs_of_a_lone_stage_overlap", "4.4.1").desktop(410, 460).by(&[change(
        |program, rng| {
            lone(
                program,
                "layout(location = 9) out vec4 $n; layout(location = 9) out vec4 $m;",
                rng,
            );
        },
    )]),
    valid("outputs_of_a_lone_stage", "4.4.1").desktop(410, 460).by(&[change(|program, rng| {
        lone(program, "layout(location = 9) out vec4 $n; layout(location = 10) out vec4 $m;", rng);
    })]),
    link("types_of_neighbours_differ", "4.3.4").since(150, 320).with(&[]).by(&[change(
        |program, rng| {
            let neighbours = program.neighbours(rng);
            let types = [Plain::float(2), Plain::float(3)];
            let types = if rng.bool() { types } else { [types[1], types[0]] };
            let is_patch = [rng.bool(); 2];
            Crossing { neighbours, types, is_patch }.declare(program, rng);
        },
    )]),
    link("patch_in_one_stage_only", "4.3.4").since(400, 320).with(C).by(&[change(
        |program, rng| {
            let neighbours = [Stage::Control, Stage::Evaluation];
            let types = [Plain::float(3); 2];
            let first = rng.bool();
            Crossing { neighbours, types, is_patch: [first, !first] }.declare(program, rng);
        },
    )]),
    link("per_vertex_members_differ", "7.1").desktop(410, 460).with(&[]).by(&[
        change(|program, rng| {
            redeclare(program, [true; 2], ["gl_ClipDistance[2]", "gl_ClipDistance[3]"], rng);
        }),
        change(|program, rng| {
            redeclare(program, [true; 2], ["gl_PointSize", "gl_ClipDistance[1]"], rng);
        }),
        change(|program, rng| redeclare(program, [true; 2], ["gl_PointSize", ""], rng)),
    ]),
    link("per_vertex_redeclared_by_one_neighbour", "7.1").desktop(410, 460).with(&[]).by(&[
        change(|program, rng| redeclare(program, [true, false], ["gl_PointSize", ""], rng)),
        change(|program, rng| redeclare(program, [false, true], ["", ""], rng)),
    ]),
    valid("per_vertex_redeclared_alike", "7.1").desktop(410, 460).with(&[]).by(&[
        change(|program, rng| redeclare(program, [true; 2], ["gl_PointSize", "gl_PointSize"], rng)),
        change(|program, rng| {
            redeclare(program, [true; 2], ["gl_ClipDistance[2]", "gl_ClipDistance[2]"], rng);
        }),
    ]),
    valid("primitives_of_neighbours_differ", "11.3.1")
        .since(400, 320)
        .with(&[Stage::Evaluation, Stage::Geometry])
        .by(&[change(|program, rng| {
            let words = ["points", "lines", "lines_adjacency", "triangles_adjacency"];
            let word = rng.choice(words).unwrap_or("points");
            program.stage(Stage::Geometry).layouts[0] = format!("layout({word}) in;");
        })]),
    link("geometry_stage_without_layout", "4.4.1").since(150, 320).with(G).by(&[
        change(|program, _| drop(program.stage(Stage::Geometry).layouts.remove(0))),
        change(|program, _| drop(program.stage(Stage::Geometry).layouts.remove(1))),
        change(|program, _| {
            "layout(triangle_strip) out;"
                .clone_into(&mut program.stage(Stage::Geometry).layouts[1]);
        }),
    ]),
    compile("geometry_layout_twice", "4.4.1").since(150, 320).with(G).by(&[
        declare(Geometry, "layout(points) in;"),
        declare(Geometry, "layout(points) out;"),
        declare(Geometry, "layout(max_vertices = 7) out;"),
    ]),
    valid("geometry_layout_repeated", "4.4.1").since(150, 320).with(G).by(&[
        declare(Geometry, "layout(triangles) in;"),
        declare(Geometry, "layout(triangle_strip) out;"),
        declare(Geometry, "layout(max_vertices = 3) out;"),
    ]),
    compile("geometry_input_without_array", "4.3.4").since(150, 320).with(G).by(&[
        declare(Geometry, "in vec4 $n;"),
        declare(Geometry, "in $n { vec4 a; } $m;"),
        declare(Geometry, "in float $n[2];"),
    ]),
    compile("vertex_beyond_the_primitive", "4.4.1").since(150, 320).with(G).used().by(&[
        state(Geometry, "acc += gl_in[3].gl_Position;"),
        one(Geometry, "in vec4 $n[];", "acc += $n[3];"),
    ]),
    compile("geometry_functions_elsewhere", "8.15")
        .since(150, 320)
        .used()
        .by(&[state(Either, "EmitVertex();"), state(Either, "EndPrimitive();")]),
    compile("write_to_the_vertices", "4.3.4").since(150, 320).with(&[]).used().by(&[change(
        |program, rng| {
            let [_, consumer] = program.neighbours(rng);
            let stage = if consumer.has_vertices() { consumer } else { Stage::Vertex };
            let text = if stage == Stage::Vertex {
                "gl_VertexID = 1;"
            } else {
                "gl_in[0].gl_Position = acc;"
            };
            program.state(stage, Place::random(rng), text);
        },
    )]),
    link("control_stage_without_vertices", "4.4.1")
        .since(400, 320)
        .with(C)
        .by(&[change(|program, _| program.stage(Stage::Control).layouts.clear())]),
    link("evaluation_stage_without_domain", "4.4.1").since(400, 320).with(E).by(&[
        change(|program, _| program.stage(Stage::Evaluation).layouts.clear()),
        change(|program, _| {
            program.stage(Stage::Evaluation).layouts = vec!["layout(cw) in;".to_owned()];
        }),
    ]),
    link("control_stage_without_evaluation_stage", "7.3")
        .since(400, 320)
        .with(C)
        .by(&[change(|program, _| drop(program.stages.remove(&Stage::Evaluation)))]),
    link("es_evaluation_stage_without_control_stage", "ES 7.3")
        .es(320, 320)
        .with(C)
        .by(&[change(|program, _| drop(program.stages.remove(&Stage::Control)))]),
    compile("output_of_another_invocation", "4.3.6").since(400, 320).with(C).used().by(&[
        state(Control, "gl_out[0].gl_Position = acc;"),
        one(Control, "out vec4 $n[];", "$n[1] = acc;"),
        one(Control, "out vec4 $n[];", "int i = gl_InvocationID; $n[i] = acc;"),
    ]),
    valid("output_of_its_invocation", "4.3.6").since(400, 320).with(C).used().by(&[
        one(Control, "out vec4 $n[];", "$n[gl_InvocationID] = acc; acc += $n[1];"),
        one(Control, "patch out vec4 $n[2];", "$n[1] = acc;"),
    ]),
    compile("barrier_in_control_flow", "8.16").since(400, 320).with(C).by(&[
        state(Control, "if (acc.x > 0.0) { barrier(); }"),
        state(Control, "for (int i = 0; i < 2; i++) { barrier(); }"),
        state(Evaluation, "barrier();"),
    ]),
    compile("patch_on_the_wrong_side", "4.3.4").since(400, 320).with(C).by(&[
        declare(Control, "patch in vec4 $n[];"),
        declare(Evaluation, "patch out vec4 $n;"),
        declare(Vertex, "patch out vec4 $n;"),
    ]),
    compile("tessellation_input_without_array", "4.3.4").since(400, 320).with(C).by(&[
        declare(Control, "in vec4 $n;"),
        declare(Evaluation, "in vec4 $n;"),
        declare(Control, "out vec4 $n;"),
    ]),
    compile("built_in_variables_of_tessellation_elsewhere", "7.1").since(400, 320).used().by(&[
        state(Either, "acc.xyz += gl_TessCoord;"),
        state(Either, "acc.x += gl_TessLevelOuter[0];"),
        state(Vertex, "acc.x += float(gl_PatchVerticesIn);"),
    ]),
    compile("write_to_the_levels", "7.1").since(400, 320).with(E).used().by(&[
        state(Evaluation, "gl_TessLevelOuter[0] = 1.0;"),
        state(Evaluation, "gl_TessCoord.x = 1.0;"),
    ]),
];

/// Gives one stage of a new program one of these versions.
fn two_versions(program: &mut Program, versions: &[Version], rng: &mut Rng) {
    let own = program.version;
    let Some(other) = rng.choice(versions.iter().copied()) else { return };
    let both = if rng.bool() { [own, other] } else { [other, own] };
    let newest =
        if own.number < other.number && own.is_es() == other.is_es() { other } else { own };
    *program = Program::new(newest, &[]);
    program.stage(Stage::Vertex).version = Some(both[0]);
    let fragment = program.stage(Stage::Fragment);
    fragment.version = Some(both[1]);
    if both[1].since(130, 300) {
        fragment.globals.push("out vec4 color;".to_owned());
    }
    let has_output = both[1].since(130, 300);
    let ending = if has_output { "color = acc;" } else { "gl_FragColor = acc;" };
    ending.clone_into(&mut fragment.ending);
}

/// Leaves only the vertex stage, with these outputs.
fn lone(program: &mut Program, outputs: &str, rng: &mut Rng) {
    let (first, second) = (program.name("n"), program.name("m"));
    *program = Program::new(program.version, &[]);
    program.stages.remove(&Stage::Fragment);
    program.declare(Stage::Vertex, outputs.replace("$n", &first).replace("$m", &second));
    if rng.bool() {
        program.state(
            Stage::Vertex,
            Place::random(rng),
            &format!("{first} = acc; {second} = acc;"),
        );
    }
}

/// Redeclares the block of two neighbours, on each side or not, with the position and these members. Both use it.
fn redeclare(program: &mut Program, sides: [bool; 2], members: [&str; 2], rng: &mut Rng) {
    let neighbours = loop {
        let neighbours = program.neighbours(rng);
        if neighbours[1].has_vertices() {
            break neighbours;
        }
    };
    let words = ["out", "in"];
    for (side, stage) in neighbours.into_iter().enumerate() {
        let instance = match (side, stage) {
            (0, Stage::Control) => " gl_out[]",
            (0, _) => "",
            (_, _) => " gl_in[]",
        };
        if sides[side] {
            let more = match members[side] {
                "" => String::new(),
                member => format!(" float {member};"),
            };
            let word = words[side];
            let text = format!("{word} gl_PerVertex {{ vec4 gl_Position;{more} }}{instance};");
            program.declare(stage, text);
        }
        let text = match (side, stage) {
            (0, Stage::Control) => "gl_out[gl_InvocationID].gl_Position = acc;",
            (0, _) => "gl_Position = acc;",
            (_, _) => "acc += gl_in[0].gl_Position;",
        };
        program.state(stage, Place::Main, text);
    }
}
