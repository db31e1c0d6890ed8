//! Meanings of uniform names across all stages, and layouts that declarations of one uniform or block share.

use fastrand::Rng;

use crate::invalid::program::{Object, Place, Program, Stage};
use crate::invalid::rule::{Rule, change, link, pair, valid};

/// The rules of this topic.
pub const RULES: &[Rule] = &[
    link("one_uniform_name_two_meanings", "4.3.5").everywhere().by(&[change(two_meanings)]),
    link("one_uniform_name_two_meanings_in_a_chain", "4.3.5")
        .since(150, 320)
        .with(&[])
        .by(&[change(two_meanings)]),
    link("one_uniform_name_two_meanings_in_two_objects", "4.3.5")
        .desktop(110, 460)
        .by(&[change(two_meanings_in_objects)]),
    valid("one_uniform_name_one_meaning", "4.3.5").since(150, 320).with(&[]).by(&[change(
        |program, rng| {
            let kinds = Kind::of(program);
            let kind = *rng.choice(&kinds).unwrap_or(&KINDS[0]);
            let stages = program.two_stages(rng);
            declare(program, stages, [kind, kind], rng);
        },
    )]),
    valid("a_block_has_the_name_of_a_uniform", "4.3.9").since(150, 300).by(&[
        pair(["uniform $n { float a; } $m;", "acc += $m.a;"], ["uniform float $n;", "acc += $n;"]),
        pair(
            ["uniform sampler2D $n;", "acc += texture($n, acc.xy);"],
            ["uniform $n { float a; } $m;", "acc += $m.a;"],
        ),
    ]),
    valid("an_instance_has_the_name_of_a_uniform", "4.3.9").since(150, 300).by(&[
        pair(["uniform $m { float a; } $n;", "acc += $n.a;"], ["uniform vec4 $n;", "acc += $n;"]),
        pair(
            ["uniform sampler2D $n;", "acc += texture($n, acc.xy);"],
            ["uniform $m { float a; } $n;", "acc += $n.a;"],
        ),
    ]),
    valid("a_buffer_has_the_name_of_a_uniform", "4.3.9").since(430, 310).by(&[
        pair(["buffer $m { float $n; };", "acc += $n;"], ["uniform float $n;", "acc += $n;"]),
        pair(
            ["uniform $k { float $n; };", "acc += $n;"],
            ["buffer $m { float $n; };", "acc += $n;"],
        ),
    ]),
    link("two_blocks_with_one_member", "4.3.9").since(140, 300).by(&[
        pair(
            ["uniform $m { float $n; };", "acc += $n;"],
            ["uniform $k { float $n; };", "acc += $n;"],
        ),
        pair(
            ["buffer $m { float $n; };", "acc += $n;"],
            ["buffer $k { float $n; };", "acc += $n;"],
        )
        .since(430, 310),
    ]),
    link("buffer_array_with_and_without_size", "4.3.9").since(430, 310).by(&[
        pair(
            ["buffer $n { float a[]; } $m;", "acc += $m.a[0];"],
            ["buffer $n { float a[1]; } $m;", "acc += $m.a[0];"],
        ),
        pair(
            ["buffer $n { vec4 b; vec2 $m[2]; };", "acc += $m[0].x;"],
            ["buffer $n { vec4 b; vec2 $m[]; };", "acc += $m[1].x;"],
        ),
    ]),
    valid("buffer_array_without_size", "4.3.9").since(430, 310).by(&[pair(
        ["buffer $n { vec4 b; float a[]; } $m;", "acc += $m.a[0];"],
        ["buffer $n { vec4 b; float a[]; } $k;", "acc += $k.a[3];"],
    )]),
    link("image_formats_differ", "4.4.7").since(420, 310).by(&[pair(
        ["layout(rgba8) readonly uniform highp image2D $n;", "acc += imageLoad($n, ivec2(0));"],
        ["layout(rgba16f) readonly uniform highp image2D $n;", "acc += imageLoad($n, ivec2(0));"],
    )]),
    link("sampler_locations_differ", "4.4.3").since(430, 310).by(&[
        pair(
            ["layout(location = 1) uniform sampler2D $n;", "acc += texture($n, acc.xy);"],
            ["layout(location = 2) uniform sampler2D $n;", "acc += texture($n, acc.xy);"],
        ),
        pair(
            ["layout(location = 1) uniform sampler2D $n;", "acc += texture($n, acc.xy);"],
            ["layout(location = 1) uniform float $m;", "acc += $m;"],
        ),
    ]),
    link("counters_of_stages_differ", "4.4.6").since(420, 310).by(&[
        pair(
            [
                "layout(binding = 0, offset = 4) uniform atomic_uint $n;",
                "acc += float(atomicCounter($n));",
            ],
            [
                "layout(binding = 0, offset = 8) uniform atomic_uint $n;",
                "acc += float(atomicCounter($n));",
            ],
        ),
        pair(
            ["layout(binding = 0) uniform atomic_uint $n;", "acc += float(atomicCounter($n));"],
            ["layout(binding = 1) uniform atomic_uint $n;", "acc += float(atomicCounter($n));"],
        ),
    ]),
    link("counters_of_stages_overlap", "4.4.6").since(420, 310).reached().by(&[pair(
        ["layout(binding = 0) uniform atomic_uint $n;", "acc += float(atomicCounter($n));"],
        ["layout(binding = 0) uniform atomic_uint $m[2];", "acc += float(atomicCounter($m[0]));"],
    )]),
    link("precisions_of_struct_members_differ", "ES 9.2.2").es(100, 320).by(&[
        pair(
            ["struct $m { highp float a; }; uniform $m $n;", "acc += $n.a;"],
            ["struct $m { mediump float a; }; uniform $m $n;", "acc += $n.a;"],
        ),
        pair(
            ["struct $m { float a; mediump vec2 b; }; uniform $m $n[2];", "acc += $n[1].a;"],
            ["struct $m { float a; lowp vec2 b; }; uniform $m $n[2];", "acc += $n[0].a;"],
        ),
    ]),
    link("precisions_of_samplers_differ", "ES 9.2.2").es(300, 320).by(&[
        pair(
            ["uniform highp sampler2D $n;", "acc += texture($n, acc.xy);"],
            ["uniform mediump sampler2D $n;", "acc += texture($n, acc.xy);"],
        ),
        pair(
            ["uniform highp sampler2D $n;", "acc += texture($n, acc.xy);"],
            ["uniform sampler2D $n;", "acc += texture($n, acc.xy);"],
        ),
    ]),
];

/// A meaning of a uniform name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind {
    /// First version of GLSL that has it.
    since: u16,
    /// First version of GLSL ES that has it.
    since_es: u16,
    /// Its declaration, with `$n` for the name, `$m` for another one, and `$p` for a precision in ES.
    declaration: &'static str,
    /// A float that it gives.
    value: &'static str,
}

const fn kind(since: u16, since_es: u16, declaration: &'static str, value: &'static str) -> Kind {
    Kind { since, since_es, declaration, value }
}

const KINDS: [Kind; 19] = [
    kind(110, 100, "uniform float $n;", "$n"),
    kind(110, 100, "uniform int $n;", "float($n)"),
    kind(110, 100, "uniform bool $n;", "float($n)"),
    kind(110, 100, "uniform vec4 $n;", "$n.x"),
    kind(110, 100, "uniform mat2 $n;", "$n[0].x"),
    kind(110, 100, "uniform float $n[2];", "$n[1]"),
    kind(110, 100, "struct $m { float a; vec2 b; }; uniform $m $n;", "$n.a"),
    kind(400, 0, "uniform double $n;", "float($n)"),
    kind(110, 100, "uniform $psampler2D $n;", "$tex($n, acc.xy).x"),
    kind(110, 100, "uniform $psampler2D $n[2];", "$tex($n[1], acc.xy).x"),
    kind(130, 300, "uniform $psamplerCube $n;", "texture($n, acc.xyz).x"),
    kind(130, 300, "uniform $pisampler2D $n;", "float(texture($n, acc.xy).x)"),
    kind(130, 300, "uniform $psampler2DShadow $n;", "texture($n, acc.xyz)"),
    kind(
        130,
        300,
        "struct $m { $psampler2D a; float b; }; uniform $m $n;",
        "texture($n.a, acc.xy).x + $n.b",
    ),
    kind(
        420,
        310,
        "layout(rgba8i) readonly uniform $piimage2D $n;",
        "float(imageLoad($n, ivec2(0)).x)",
    ),
    kind(420, 310, "layout(rgba8) readonly uniform $pimage2D $n;", "imageLoad($n, ivec2(0)).x"),
    kind(420, 310, "layout(binding = 0) uniform atomic_uint $n;", "float(atomicCounter($n))"),
    kind(420, 310, "layout(binding = 0) uniform atomic_uint $n[2];", "float(atomicCounter($n[1]))"),
    kind(140, 300, "uniform $m { float $n; };", "$n"),
];

impl Kind {
    /// Meanings that the program's version has.
    fn of(program: &Program) -> Vec<Self> {
        let version = program.version;
        KINDS.into_iter().filter(|kind| version.since(kind.since, kind.since_es)).collect()
    }

    fn two(program: &Program, rng: &mut Rng) -> [Self; 2] {
        let kinds = Self::of(program);
        let first = rng.usize(0..kinds.len());
        let second = (first + rng.usize(1..kinds.len())) % kinds.len();
        [kinds[first], kinds[second]]
    }

    /// Declaration and value of this meaning in a program.
    fn text(self, program: &Program, [name, other]: [&str; 2]) -> [String; 2] {
        let version = program.version;
        let texture = if version.since(130, 300) { "texture" } else { "texture2D" };
        let precision = if version.is_es() { "highp " } else { "" };
        [self.declaration, self.value].map(|text| {
            let text = text.replace("$tex", texture).replace("$p", precision);
            text.replace("$n", name).replace("$m", other)
        })
    }
}

fn two_meanings(program: &mut Program, rng: &mut Rng) {
    let (stages, kinds) = (program.two_stages(rng), Kind::two(program, rng));
    declare(program, stages, kinds, rng);
}

/// Gives a name one of two meanings in each of two stages. Most are used.
fn declare(program: &mut Program, stages: [Stage; 2], kinds: [Kind; 2], rng: &mut Rng) {
    let (name, other) = (program.name("n"), program.name("m"));
    for (stage, kind) in stages.into_iter().zip(kinds) {
        let [declaration, value] = kind.text(program, [&name, &other]);
        program.declare(stage, declaration);
        if rng.u8(0..4) > 0 {
            program.state(stage, Place::random(rng), &format!("acc += {value};"));
        }
    }
}

/// Gives a name one of two meanings in each of two objects of a stage.
fn two_meanings_in_objects(program: &mut Program, rng: &mut Rng) {
    let (stage, kinds) = (Stage::random(rng), Kind::two(program, rng));
    let (name, other, function) = (program.name("n"), program.name("m"), program.name("f"));
    let [declaration, value] = kinds[0].text(program, [&name, &other]);
    program.declare(stage, declaration);
    if rng.u8(0..4) > 0 {
        program.state(stage, Place::random(rng), &format!("acc += {value};"));
    }
    let another = program.name("k");
    let [declaration, value] = kinds[1].text(program, [&name, &another]);
    let functions = vec![format!("float {function}() {{ return {value}; }}")];
    program.objects(stage).push(Object {
        globals: vec![declaration],
        functions,
        ..Object::default()
    });
}
