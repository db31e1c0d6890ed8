//! What the rooms of the library cost per case, without a GPU.

use interstage::case::parse::parse;
use interstage::case::{Case, Dialect};
use interstage::frontend::compile;
use interstage::link::{LinkOptions, link};

fn main() {
    divan::main();
}

const CASE: &str = "\
[require]
GLSL >= 1.30

[vertex shader]
#version 130
in vec4 piglit_vertex;
out vec2 uv;
flat out int id;
void main()
{
    gl_Position = piglit_vertex;
    uv = piglit_vertex.xy;
    id = gl_VertexID;
}

[fragment shader]
#version 130
in vec2 uv;
flat in int id;
out vec4 color;
void main()
{
    color = vec4(uv, float(id), 1.0);
}

[test]
draw rect -1 -1 2 2
probe all rgba 0 1 0 1
";

fn case() -> Case {
    let cases = parse("cases/bench.shader_test", CASE.as_bytes(), Dialect::Interstage);
    let first = cases.into_iter().next().expect("a text without parameters is one case");
    first.result.expect("the case is good")
}

#[divan::bench]
fn parse_case(bencher: divan::Bencher<'_, '_>) {
    let path = "cases/bench.shader_test";
    bencher.bench(|| parse(divan::black_box(path), CASE.as_bytes(), Dialect::Interstage));
}

#[divan::bench]
fn compile_glsl(bencher: divan::Bencher<'_, '_>) {
    let case = case();
    bencher.bench(|| compile(divan::black_box(&case)));
}

/// Wrapping included.
#[divan::bench]
fn link_stages(bencher: divan::Bencher<'_, '_>) {
    let stages = compile(&case()).expect("the shaders are good");
    let options = LinkOptions::default();
    bencher.bench(|| link(divan::black_box(&stages), &options));
}
