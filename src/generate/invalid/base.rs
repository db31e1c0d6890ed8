//! Random valid programs.
//!
//! A program is a handful of *features*: functions that add declarations and statements that its version supports.
//! They are independent, so each one uses new names, and locations reserved for it.

use fastrand::Rng;

use crate::invalid::program::{Object, Place, Program, Stage};
use crate::invalid::types::{Plain, Type};
use crate::invalid::version::{Profile, Version};

/// Outputs that the fragment stage writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Any output.
    Any,
    /// None; the broken rule decides.
    None,
}

/// Maximum number of slots that varyings of a valid program take, besides those of single ones.
const MAX_SLOTS: u32 = 8;

/// Adds something to a program.
type Feature = fn(&mut Program, &mut Rng);

const FEATURES: [Feature; 22] = [
    varying,
    varying,
    varying,
    attribute,
    attribute,
    uniform,
    uniform,
    uniform,
    sampler,
    global_constant,
    function,
    overloads,
    local_control,
    uniform_block,
    storage_block,
    interface_block,
    located_varying,
    fragment_built_in,
    vertex_built_in,
    second_object,
    legacy,
    unread_output,
];

/// Features that do not depend on the neighbouring stages.
const FEATURES_OF_CHAINS: [Feature; 15] = [
    crossing,
    crossing,
    crossing,
    attribute,
    uniform,
    uniform,
    uniform,
    sampler,
    global_constant,
    function,
    overloads,
    local_control,
    uniform_block,
    storage_block,
    second_object,
];

/// Stages between the vertex and the fragment stage, with the first versions of GLSL and GLSL ES that have them.
const BETWEEN: [(u16, u16, &[Stage]); 5] = [
    (150, 320, &[Stage::Geometry]),
    (400, 0, &[Stage::Evaluation]),
    (400, 320, &[Stage::Control, Stage::Evaluation]),
    (400, 0, &[Stage::Evaluation, Stage::Geometry]),
    (400, 320, &[Stage::Control, Stage::Evaluation, Stage::Geometry]),
];

/// Choices of stages between the vertex and the fragment stage that a version has and that include all `needed` ones.
pub fn stages_with(version: Version, needed: &[Stage]) -> impl Iterator<Item = &'static [Stage]> {
    let choices = BETWEEN.into_iter().filter(move |(desktop, es, stages)| {
        version.since(*desktop, *es) && needed.iter().all(|stage| stages.contains(stage))
    });
    choices.map(|(.., stages)| stages)
}

/// A valid program of this version. With `between` it has tessellation or geometry stages, including these.
pub fn program(
    version: Version,
    output: Output,
    between: Option<&[Stage]>,
    rng: &mut Rng,
) -> Program {
    let choices: Vec<_> =
        between.into_iter().flat_map(|needed| stages_with(version, needed)).collect();
    let chosen = rng.choice(choices);
    let features: &[Feature] = if chosen.is_some() { &FEATURES_OF_CHAINS } else { &FEATURES };
    let mut program = Program::new(version, chosen.unwrap_or_default());
    for _ in 0..rng.u8(0..=6) {
        let feature = features[rng.usize(0..features.len())];
        feature(&mut program, rng);
    }
    match output {
        Output::Any => write_output(&mut program, rng),
        Output::None => {}
    }
    program
}

/// Adds a value that crosses from a stage to the next one.
fn crossing(program: &mut Program, rng: &mut Rng) {
    let neighbours = program.neighbours(rng);
    let ty = Plain::floats(program.version, rng);
    let crossing = Crossing { neighbours, types: [ty, ty], is_patch: [rng.bool(); 2] };
    crossing.declare(program, rng);
}

/// A value that is passed between two neighbouring stages, as each of them declares it.
#[derive(Clone, Copy, Debug)]
pub struct Crossing {
    /// The stages.
    pub neighbours: [Stage; 2],
    /// The types of one vertex's value.
    pub types: [Plain; 2],
    /// True in a stage where it is a value of the patch; only some interfaces have these.
    pub is_patch: [bool; 2],
}

impl Crossing {
    /// Adds the declarations, a write and a read.
    pub fn declare(self, program: &mut Program, rng: &mut Rng) {
        let name = program.name("v");
        let [producer, consumer] = self.neighbours;
        let is_patch = |side: usize| self.is_patch[side] && producer == Stage::Control;
        let word = |is_patch: bool| if is_patch { "patch " } else { "" };
        let written = producer == Stage::Control && !is_patch(0);
        let (size, element) = if written { ("[]", "[gl_InvocationID]") } else { ("", "") };
        let ty = self.types[0];
        let place = Place::random(rng);
        program.declare(producer, format!("{}out {} {name}{size};", word(is_patch(0)), ty.name()));
        program.state(producer, place, &format!("{name}{element} = {};", ty.value()));
        let read = consumer.has_vertices() && !is_patch(1);
        let (size, element) = if read { ("[]", "[0]") } else { ("", "") };
        let ty = self.types[1];
        program.declare(consumer, format!("{}in {} {name}{size};", word(is_patch(1)), ty.name()));
        let value = ty.read(&format!("{name}{element}"));
        program.state(consumer, Place::random(rng), &format!("acc += {value};"));
    }
}

/// Adds a colour output, in one of the ways that the version supports.
fn write_output(program: &mut Program, rng: &mut Rng) {
    let version = program.version;
    let has_user_outputs = version.since(130, 300);
    let is_oldest_es = version.is_es() && version.number == 100;
    let has_old_outputs = version.has_legacy() || is_oldest_es;
    let ending = if has_user_outputs && (!has_old_outputs || rng.bool()) {
        let has_location = version.since(330, 300) && rng.bool();
        let location = if has_location { "layout(location = 0) " } else { "" };
        program.declare(Stage::Fragment, format!("{location}out vec4 color;"));
        "color = acc;"
    } else if has_old_outputs && rng.u8(0..4) == 0 {
        "gl_FragData[0] = acc;"
    } else if has_old_outputs {
        "gl_FragColor = acc;"
    } else {
        ""
    };
    ending.clone_into(&mut program.stage(Stage::Fragment).ending);
}

/// Qualifiers for a varying of this type, in an order that every version accepts.
pub fn varying_qualifiers(version: Version, ty: &Type, rng: &mut Rng) -> &'static str {
    if ty.has_integers() {
        return "flat ";
    }
    let mut choices = vec!["", ""];
    if version.since(130, 300) {
        choices.extend(["smooth ", "flat "]);
    }
    if version.since(130, 0) {
        choices.push("noperspective ");
    }
    if version.since(120, 300) {
        choices.push("centroid ");
    }
    if version.since(400, 320) {
        choices.push("sample ");
    }
    rng.choice(choices).unwrap_or("")
}

/// Adds a varying to both stages, whether or not it is read and written.
fn varying(program: &mut Program, rng: &mut Rng) {
    let version = program.version;
    let (name, ty) = (program.name("v"), Type::varying(version, rng));
    if program.slots + ty.slots() > MAX_SLOTS {
        return;
    }
    program.slots += ty.slots();
    let qualifiers = varying_qualifiers(version, &ty, rng);
    declare_varying(program, &name, &ty, qualifiers);
    // In old versions, a varying that is read must be written.
    let must_be_written = !version.since(130, 300);
    if must_be_written || rng.u8(0..4) > 0 {
        let place = if must_be_written { Place::Main } else { Place::random(rng) };
        program.state(Stage::Vertex, place, &ty.write(&name, rng));
    }
    if rng.u8(0..4) > 0 {
        program.state(Stage::Fragment, Place::random(rng), &ty.read(&name, rng));
    }
}

/// Declares a varying in both stages, with its struct.
pub fn declare_varying(program: &mut Program, name: &str, ty: &Type, qualifiers: &str) {
    let version = program.version;
    for (stage, keyword) in [(Stage::Vertex, version.output()), (Stage::Fragment, version.input())]
    {
        if let Some(definition) = ty.definition() {
            program.declare_once(stage, definition);
        }
        program.declare(stage, format!("{qualifiers}{keyword} {};", ty.declare(name)));
    }
}

/// Adds an output that the fragment stage does not declare.
fn unread_output(program: &mut Program, rng: &mut Rng) {
    let version = program.version;
    let (name, ty) = (program.name("v"), Type::of(Plain::floats(version, rng)));
    program.declare(Stage::Vertex, format!("{} {};", version.output(), ty.declare(&name)));
    if rng.bool() {
        program.state(Stage::Vertex, Place::random(rng), &ty.write(&name, rng));
    }
}

/// Adds a varying with a location. Few programs have two, so the first location is enough.
fn located_varying(program: &mut Program, rng: &mut Rng) {
    let version = program.version;
    if !version.since(410, 310)
        || program.stage(Stage::Vertex).globals.iter().any(|global| global.contains("location"))
    {
        return;
    }
    let (name, ty) = (program.name("v"), Type::of(Plain::numeric(version, rng)));
    let qualifiers = if ty.has_integers() { " flat" } else { "" };
    let fits = ty.plain.columns == 1 && ty.plain.rows <= 3 && version.since(440, 0);
    let component = if fits && rng.bool() { ", component = 0" } else { "" };
    let location = rng.u8(0..4);
    let layout = format!("layout(location = {location}{component}){qualifiers}");
    declare_varying(program, &name, &ty, &format!("{layout} "));
    program.state(Stage::Vertex, Place::random(rng), &ty.write(&name, rng));
    program.state(Stage::Fragment, Place::random(rng), &ty.read(&name, rng));
}

fn attribute(program: &mut Program, rng: &mut Rng) {
    let version = program.version;
    let (name, ty) = (program.name("a"), Type::of(Plain::numeric(version, rng)));
    program.declare(Stage::Vertex, format!("{} {};", version.attribute(), ty.declare(&name)));
    if rng.bool() {
        program.state(Stage::Vertex, Place::random(rng), &ty.read(&name, rng));
    }
}

/// Adds a uniform to one stage or to both.
fn uniform(program: &mut Program, rng: &mut Rng) {
    let (name, ty) = (program.name("u"), Type::uniform(program.version, rng));
    for stage in stages(rng) {
        if let Some(definition) = ty.definition() {
            program.declare_once(stage, definition);
        }
        program.declare(stage, format!("uniform {};", ty.declare(&name)));
        if rng.u8(0..3) > 0 {
            program.state(stage, Place::random(rng), &ty.read(&name, rng));
        }
    }
}

/// Stages that something is added to.
fn stages(rng: &mut Rng) -> Vec<Stage> {
    match rng.u8(0..3) {
        0 => vec![Stage::Vertex],
        1 => vec![Stage::Fragment],
        _ => vec![Stage::Vertex, Stage::Fragment],
    }
}

fn sampler(program: &mut Program, rng: &mut Rng) {
    let name = program.name("t");
    let function = if program.version.since(130, 300) { "texture" } else { "texture2D" };
    program.declare(Stage::Fragment, format!("uniform sampler2D {name};"));
    if rng.bool() {
        let text = format!("acc += {function}({name}, acc.xy);");
        program.state(Stage::Fragment, Place::random(rng), &text);
    }
}

fn global_constant(program: &mut Program, rng: &mut Rng) {
    let (stage, name) = (Stage::random(rng), program.name("k"));
    let plain = Plain::numeric(program.version, rng);
    let qualifier = if rng.bool() { "const " } else { "" };
    program.declare(stage, format!("{qualifier}{} {name} = {};", plain.name(), plain.value()));
    if rng.bool() {
        program.state(stage, Place::random(rng), &format!("acc += {};", plain.read(&name)));
    }
}

fn function(program: &mut Program, rng: &mut Rng) {
    let (stage, name) = (Stage::random(rng), program.name("g"));
    let plain = Plain::numeric(program.version, rng);
    let ty = plain.name();
    let direction = *rng.choice(&["", "in ", "const in "]).unwrap_or(&"");
    if rng.bool() {
        program.declare(stage, format!("{ty} {name}({direction}{ty} a);"));
    }
    let body = format!("{ty} {name}({direction}{ty} a) {{ return a; }}");
    program.stage(stage).functions.push(body);
    if rng.bool() {
        let call = plain.read(&format!("{name}({})", plain.value()));
        program.state(stage, Place::Main, &format!("acc += {call};"));
    }
}

fn overloads(program: &mut Program, rng: &mut Rng) {
    let (stage, name) = (Stage::random(rng), program.name("h"));
    for ty in ["float", "vec2", "vec3"] {
        let body = format!("float {name}({ty} a, out float b) {{ b = 1.0; return 2.0; }}");
        program.stage(stage).functions.push(body);
    }
    let call = format!("float b; acc += {name}(acc.xy, b) + b;");
    program.state(stage, Place::Called, &call);
}

fn local_control(program: &mut Program, rng: &mut Rng) {
    let version = program.version;
    let mut choices = vec![
        "for (int i = 0; i < 3; i++) { acc += 1.0; }",
        "if (acc.x > 1.0) { acc.x = 0.0; } else { acc.y = 1.0; }",
        "vec2 a[2]; a[0] = acc.xy; a[1] = acc.zw; acc.xy = a[1];",
        "float x = acc.x; { float x = 2.0; acc += x; } acc += x;",
        "const int n = 2; float a[n]; a[n - 1] = 1.0; acc += a[1];",
        "acc = acc.x > 1.0 ? acc : acc.wzyx;",
        "vec4 q = acc; q.yx = q.xy; acc += q;",
        "mat3 m = mat3(1.0); acc.xyz = m * acc.xyz;",
        "struct L { float a; vec2 b; } l; l.a = 1.0; acc += l.a;",
    ];
    if version.since(130, 300) {
        choices.push(
            "int i = 1; switch (i) { case 0: acc.x = 1.0; break; case 1: default: acc.y = 2.0; }",
        );
        choices.push("uint u = 3u; u = u << 1; acc += float(u & 1u);");
        choices.push("int n = 0; while (n < 4) { if (n == 2) { break; } n++; } acc += float(n);");
    }
    if version.since(120, 300) {
        choices.push("float a[2] = float[2](1.0, 2.0); acc += a[0];");
        choices.push("float a[3]; acc += float(a.length());");
    }
    if version.since(120, 0) {
        choices.push("float x = 1; acc += x;");
    }
    let text = rng.choice(choices).unwrap_or(";");
    program.state(Stage::random(rng), Place::random(rng), text);
}

/// Members of a block, and one that can be read, with its type.
pub fn members(version: Version, rng: &mut Rng) -> (Vec<String>, String, Plain) {
    let count = rng.u8(1..=3);
    let mut members = Vec::new();
    let mut read = (String::new(), Plain::float(1));
    for idx in 0..count {
        let plain = Plain::numeric(version, rng);
        let is_array = rng.u8(0..4) == 0;
        let suffix = if is_array { "[2]" } else { "" };
        members.push(format!("{} m{idx}{suffix};", plain.name()));
        read = (format!("m{idx}{}", if is_array { "[1]" } else { "" }), plain);
    }
    (members, read.0, read.1)
}

fn uniform_block(program: &mut Program, rng: &mut Rng) {
    let version = program.version;
    if !version.since(140, 300) {
        return;
    }
    let name = program.name("B");
    let (members, path, plain) = members(version, rng);
    if !version.since(150, 300) {
        // Instance names need GLSL 1.50.
        let member = name.to_lowercase();
        for stage in stages(rng) {
            program.declare(stage, format!("uniform {name} {{ vec4 {member}; }};"));
            program.state(stage, Place::random(rng), &format!("acc += {member};"));
        }
        return;
    }
    let mut layouts = vec!["layout(std140) ", "layout(shared) ", "", "layout(std140, row_major) "];
    if version.since(420, 310) {
        layouts.push("layout(std140, binding = 3) ");
    }
    let layout = rng.choice(layouts).unwrap_or("");
    let suffix = *rng.choice(&["", "[2]"]).unwrap_or(&"");
    for stage in stages(rng) {
        let instance = name.to_lowercase();
        let members = members.join(" ");
        program
            .declare(stage, format!("{layout}uniform {name} {{ {members} }} {instance}{suffix};"));
        let element = if suffix.is_empty() { "" } else { "[1]" };
        if rng.bool() {
            let read = plain.read(&format!("{instance}{element}.{path}"));
            program.state(stage, Place::random(rng), &format!("acc += {read};"));
        }
    }
}

fn storage_block(program: &mut Program, rng: &mut Rng) {
    let version = program.version;
    if !version.since(430, 310) {
        return;
    }
    let name = program.name("B");
    let (members, path, plain) = members(version, rng);
    let binding = rng.u8(0..4);
    let instance = name.to_lowercase();
    let text = format!(
        "layout(std430, binding = {binding}) buffer {name} {{ {} }} {instance};",
        members.join(" ")
    );
    program.declare(Stage::Fragment, text);
    if rng.bool() {
        let read = plain.read(&format!("{instance}.{path}"));
        program.state(Stage::Fragment, Place::random(rng), &format!("acc += {read};"));
    }
}

/// Adds a block of varyings.
fn interface_block(program: &mut Program, rng: &mut Rng) {
    let version = program.version;
    if !version.since(150, 320) {
        return;
    }
    let name = program.name("B");
    let (vertex, fragment) = (program.name("b"), program.name("b"));
    let (mut members, path, plain) = members(version, rng);
    for member in &mut members {
        let is_integer = member.starts_with(['i', 'u']);
        *member = if is_integer { format!("flat {member}") } else { member.clone() };
    }
    let members = members.join(" ");
    program.declare(Stage::Vertex, format!("out {name} {{ {members} }} {vertex};"));
    program.declare(Stage::Fragment, format!("in {name} {{ {members} }} {fragment};"));
    let write = format!("{vertex}.{path} = {};", plain.value());
    program.state(Stage::Vertex, Place::random(rng), &write);
    if rng.bool() {
        let read = plain.read(&format!("{fragment}.{path}"));
        program.state(Stage::Fragment, Place::random(rng), &format!("acc += {read};"));
    }
}

fn fragment_built_in(program: &mut Program, rng: &mut Rng) {
    let version = program.version;
    let mut choices = vec![
        "acc += gl_FragCoord;",
        "if (gl_FrontFacing) { acc.x = 1.0; }",
        "if (acc.x > 9.0) { discard; }",
    ];
    if version.since(120, 100) {
        choices.push("acc.xy += gl_PointCoord;");
    }
    if version.since(110, 300) {
        choices.push("acc += dFdx(acc);");
    }
    if version.since(150, 320) {
        choices.push("acc += float(gl_PrimitiveID);");
    }
    if version.since(400, 320) {
        choices.push("acc += float(gl_SampleID);");
    }
    let text = rng.choice(choices).unwrap_or("");
    program.state(Stage::Fragment, Place::random(rng), text);
}

fn vertex_built_in(program: &mut Program, rng: &mut Rng) {
    let version = program.version;
    let mut choices = vec!["gl_PointSize = 2.0;"];
    if version.since(130, 300) {
        choices.push("acc += float(gl_VertexID);");
    }
    if version.since(140, 300) {
        choices.push("acc += float(gl_InstanceID);");
    }
    if version.since(460, 0) {
        choices.push("acc += float(gl_BaseVertex);");
    }
    if version.since(130, 0) {
        choices.push("gl_ClipDistance[2] = 1.0;");
    }
    let text = rng.choice(choices).unwrap_or("");
    program.state(Stage::Vertex, Place::random(rng), text);
}

/// Adds a function in its own shader object, which GLSL ES does not support.
fn second_object(program: &mut Program, rng: &mut Rng) {
    if program.version.profile == Profile::Es {
        return;
    }
    let (stage, name) = (Stage::random(rng), program.name("s"));
    program.declare(stage, format!("float {name}(float a);"));
    let functions = vec![format!("float {name}(float a) {{ return a + 1.0; }}")];
    program.objects(stage).push(Object { functions, ..Object::default() });
    program.state(stage, Place::Main, &format!("acc += {name}(acc.x);"));
}

/// Adds something that only the compatibility profile and old versions have.
fn legacy(program: &mut Program, rng: &mut Rng) {
    if !program.version.has_legacy() {
        return;
    }
    let (stage, text) = *rng
        .choice(&[
            (Stage::Vertex, "acc += ftransform();"),
            (Stage::Vertex, "acc += gl_ModelViewProjectionMatrix * gl_Vertex;"),
            (Stage::Vertex, "gl_FrontColor = gl_Color;"),
            (Stage::Vertex, "gl_TexCoord[1] = gl_MultiTexCoord0;"),
            (Stage::Fragment, "acc += gl_TexCoord[1];"),
            (Stage::Fragment, "acc += gl_Color;"),
            (Stage::Vertex, "gl_ClipVertex = gl_Vertex;"),
        ])
        .unwrap_or(&(Stage::Vertex, ";"));
    if text.contains("gl_ClipVertex") && program.version.number >= 130 {
        return;
    }
    program.state(stage, Place::random(rng), text);
}
