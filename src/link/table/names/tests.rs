//! Tests every meaning of a name in one stage with every meaning in another.

use crate::table::binding::Sharing;
use crate::testing::stage;
use ir::diagnostic::CompileError;
use ir::stage::ShaderStage;

use super::check;

/// The interface in which a declaration puts the name `u`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum In {
    Uniforms,
    Buffers,
    /// Neither: the name is known only in its shader, or it names a block.
    Neither,
}

const KINDS: [(In, &str); 21] = [
    (In::Uniforms, "uniform float u;"),
    (In::Uniforms, "uniform int u;"),
    (In::Uniforms, "uniform vec4 u;"),
    (In::Uniforms, "uniform float u[2];"),
    (In::Uniforms, "struct S { float a; }; uniform S u;"),
    (In::Uniforms, "uniform double u;"),
    (In::Uniforms, "uniform sampler2D u;"),
    (In::Uniforms, "uniform sampler2D u[2];"),
    (In::Uniforms, "uniform isampler2D u;"),
    (In::Uniforms, "uniform sampler2DShadow u;"),
    (In::Uniforms, "struct T { sampler2D a; float b; }; uniform T u;"),
    (In::Uniforms, "layout(rgba8i) readonly uniform iimage2D u;"),
    (In::Uniforms, "layout(rgba8i) readonly uniform iimage2D u[2];"),
    (In::Uniforms, "layout(binding = 0) uniform atomic_uint u;"),
    (In::Uniforms, "layout(binding = 0) uniform atomic_uint u[2];"),
    (In::Uniforms, "uniform Block { float u; };"),
    (In::Buffers, "buffer Buffer { float u; };"),
    (In::Neither, "uniform Instance { float x; } u;"),
    (In::Neither, "buffer Other { float x; } u;"),
    (In::Neither, "uniform u { float x; } block;"),
    (In::Neither, "buffer u { float x; } block;"),
];

/// The rule of GLSL 4.60 section 4.3.9: in each interface a name has only one meaning.
fn is_conflict(first: In, one: &str, second: In, two: &str) -> bool {
    first == second && first != In::Neither && one != two
}

#[test]
fn a_name_has_one_meaning_in_each_interface() {
    let compiled = |kind: ShaderStage, layout: &str| {
        let text =
            |declaration: &str| format!("#version 450\n{layout}\n{declaration}\nvoid main() {{}}");
        KINDS.map(|(_, declaration)| stage(kind, &text(declaration)))
    };
    let vertex = compiled(ShaderStage::Vertex, "");
    let geometry = "layout(points) in; layout(points, max_vertices = 1) out;";
    let geometry = compiled(ShaderStage::Geometry, geometry);
    let fragment = compiled(ShaderStage::Fragment, "");
    let mut conflicts = 0;
    for (one, first) in KINDS.into_iter().zip(0..) {
        for (two, second) in KINDS.into_iter().zip(0..) {
            let expected = is_conflict(one.0, one.1, two.0, two.1);
            conflicts += u32::from(expected);
            for (earlier, later) in
                [(&vertex, &fragment), (&vertex, &geometry), (&geometry, &fragment)]
            {
                let stages = [&earlier[first], &later[second]];
                let found = check(&stages, Sharing::ByName);
                assert_eq!(found.is_err(), expected, "{one:?} beside {two:?}: {found:?}");
                assert!(check(&stages, Sharing::Apart).is_ok(), "{one:?} beside {two:?}");
            }
        }
    }
    // 16 kinds of uniform names with 15 others each.
    assert_eq!(conflicts, 16 * 15);
}

/// Two shader objects of one stage share its names, as two stages do.
#[test]
fn two_objects_share_their_names() {
    let refused = |first: &str, second: &str| {
        let texts = [(first, "void main() {}"), (second, "void other() {}")];
        let units = texts.map(|(declaration, function)| {
            let text = format!("#version 450\n{declaration}\n{function}");
            glsl::parse(&text, 0, &glsl::ParseOptions::default()).expect("the test's GLSL is right")
        });
        match glsl::compile(&units, ShaderStage::Vertex, &glsl::Hints::default()) {
            Ok(stage) => check(&[&stage], Sharing::ByName).is_err(),
            Err(CompileError::Link(_)) => true,
            Err(other) => panic!("{other:?}"),
        }
    };
    for one in KINDS {
        for two in KINDS {
            assert_eq!(
                refused(one.1, two.1),
                is_conflict(one.0, one.1, two.0, two.1),
                "{one:?} beside {two:?}"
            );
        }
    }
    let at = |location: u32| format!("layout(location = {location}) uniform sampler2D u;");
    assert!(refused(&at(1), &at(2)));
    assert!(!refused(&at(1), &at(1)));
    assert!(!refused(&at(1), "uniform sampler2D u;"));
}
