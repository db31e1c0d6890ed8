//! What the rooms of the library cost per case, without a GPU.

use interstage::case::Dialect;
use interstage::case::parse::parse;

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

#[divan::bench]
fn parse_case(bencher: divan::Bencher<'_, '_>) {
    bencher.bench(|| {
        parse(divan::black_box("cases/bench.shader_test"), CASE.as_bytes(), Dialect::Interstage)
    });
}
