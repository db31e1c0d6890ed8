//! Words that a version reserves, does not have yet, or has removed.

use fastrand::Rng;

use crate::invalid::program::{Place, Program, Stage};
use crate::invalid::rule::{Rule, Where, change, compile, declare, state, valid};

use Where::{Either, Fragment, Vertex};

/// Words that cannot be names, with the first versions of GLSL and GLSL ES that reserve them.
const RESERVED: &[(&str, u16, u16)] = &[
    ("asm", 110, 100),
    ("class", 110, 100),
    ("union", 110, 100),
    ("enum", 110, 100),
    ("typedef", 110, 100),
    ("template", 110, 100),
    ("this", 110, 100),
    ("goto", 110, 100),
    ("inline", 110, 100),
    ("noinline", 110, 100),
    ("public", 110, 100),
    ("static", 110, 100),
    ("extern", 110, 100),
    ("external", 110, 100),
    ("interface", 110, 100),
    ("long", 110, 100),
    ("short", 110, 100),
    ("half", 110, 100),
    ("fixed", 110, 100),
    ("unsigned", 110, 100),
    ("input", 110, 100),
    ("output", 110, 100),
    ("hvec2", 110, 100),
    ("fvec3", 110, 100),
    ("sizeof", 110, 100),
    ("cast", 110, 100),
    ("namespace", 110, 100),
    ("using", 110, 100),
    ("double", 110, 100),
    ("dvec2", 110, 100),
    ("sampler3DRect", 110, 100),
    ("volatile", 110, 100),
    ("switch", 110, 100),
    ("default", 110, 100),
    ("superp", 130, 100),
    ("lowp", 120, 100),
    ("precision", 120, 100),
    ("invariant", 120, 100),
    ("mat2x3", 120, 300),
    ("centroid", 120, 300),
    ("uint", 130, 300),
    ("uvec4", 130, 300),
    ("smooth", 130, 300),
    ("flat", 130, 100),
    ("noperspective", 130, 300),
    ("case", 130, 300),
    ("common", 130, 300),
    ("partition", 130, 300),
    ("active", 130, 300),
    ("filter", 130, 300),
    ("isampler2D", 130, 300),
    ("layout", 140, 300),
    ("dmat2", 400, 300),
    ("patch", 400, 300),
    ("sample", 400, 300),
    ("subroutine", 400, 300),
    ("precise", 400, 310),
    ("atomic_uint", 420, 300),
    ("image2D", 130, 300),
    ("coherent", 420, 300),
    ("restrict", 420, 300),
    ("resource", 420, 300),
    ("buffer", 430, 310),
    ("shared", 430, 310),
];

/// The rules of this topic.
pub const RULES: &[Rule] = &[
    compile("reserved_word_as_a_name", "3.6").everywhere().by(&[change(|program, rng| {
        let version = program.version;
        name(program, rng, |desktop, es| version.since(desktop, es));
    })]),
    valid("word_of_a_later_version_as_a_name", "3.6").everywhere().by(&[change(|program, rng| {
        let version = program.version;
        name(program, rng, |desktop, es| !version.since(desktop, es));
    })]),
    compile("interpolation_in_old_versions", "3.6").desktop(110, 120).es(100, 100).by(&[
        declare(Vertex, "flat varying $T $n;"),
        declare(Fragment, "smooth varying $T $n;"),
        declare(Vertex, "noperspective varying vec2 $n;"),
    ]),
    compile("in_and_out_of_stages_in_old_versions", "3.6").desktop(110, 120).es(100, 100).by(&[
        declare(Vertex, "in vec4 $n;"),
        declare(Vertex, "out vec4 $n;"),
        declare(Fragment, "in vec4 $n;"),
    ]),
    compile("centroid_in_old_versions", "3.6").desktop(110, 110).es(100, 100).by(&[
        declare(Vertex, "centroid varying vec4 $n;"),
        declare(Fragment, "centroid varying vec4 $n;"),
    ]),
    compile("invariant_in_old_versions", "3.6").desktop(110, 110).by(&[
        declare(Vertex, "invariant varying vec4 $n;"),
        declare(Vertex, "invariant gl_Position;"),
    ]),
    compile("varying_and_attribute_are_gone", "3.6").desktop(420, 460).es(300, 320).core().by(&[
        declare(Vertex, "attribute vec4 $n;"),
        declare(Vertex, "varying vec4 $n;"),
        declare(Fragment, "varying vec4 $n;"),
    ]),
    compile("layout_in_old_versions", "3.6").desktop(110, 130).es(100, 100).by(&[
        declare(Vertex, "layout(location = 1) $attribute vec4 $n;"),
        declare(Either, "layout(std140) uniform vec4 $n;"),
    ]),
    compile("sample_in_old_versions", "3.6")
        .desktop(130, 330)
        .es(300, 310)
        .by(&[declare(Vertex, "sample out vec4 $n;"), declare(Fragment, "sample in vec4 $n;")]),
    compile("precise_in_old_versions", "3.6")
        .desktop(110, 330)
        .es(100, 310)
        .by(&[declare(Vertex, "precise $out vec4 $n;"), state(Either, "precise float $n = 1.0;")]),
    compile("noperspective_in_es", "ES 3.6").es(300, 320).by(&[
        declare(Vertex, "noperspective out vec4 $n;"),
        declare(Fragment, "noperspective in vec4 $n;"),
    ]),
    compile("memory_qualifiers_in_old_versions", "3.6").desktop(110, 410).es(100, 300).by(&[
        declare(Either, "coherent uniform vec4 $n;"),
        declare(Either, "restrict uniform float $n;"),
        declare(Either, "readonly uniform float $n;"),
    ]),
    compile("shared_in_other_stages", "4.3.8")
        .since(430, 310)
        .by(&[declare(Either, "shared float $n;"), declare(Either, "shared vec4 $n[2];")]),
    compile("subroutine_in_old_versions", "6.1.2").desktop(110, 330).es(100, 320).by(&[
        declare(Either, "subroutine float $n(float a);"),
        declare(Either, "subroutine uniform $n $m;"),
    ]),
];

/// Uses a suitable word as a name.
fn name(program: &mut Program, rng: &mut Rng, suits: impl Fn(u16, u16) -> bool) {
    let suiting = RESERVED.iter().filter(|(_, desktop, es)| suits(*desktop, *es));
    let Some((word, ..)) = rng.choice(suiting.collect::<Vec<_>>()) else { return };
    let stage = Stage::random(rng);
    match rng.u8(0..4) {
        0 => program.declare(stage, format!("uniform vec4 {word};")),
        1 => program.declare(stage, format!("float {word}(float a) {{ return a; }}")),
        2 => program.declare(stage, format!("struct R{word} {{ float {word}; }};")),
        _ => {
            program.state(
                stage,
                Place::random(rng),
                &format!("float {word} = 1.0; acc += {word};"),
            );
        }
    }
}
