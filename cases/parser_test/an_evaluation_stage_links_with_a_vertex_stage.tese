// [config]
// expect_result: pass
// glsl_version: 4.00
// check_link: true
// [end config]
#version 400
layout(triangles) in;
void main() { gl_Position = vec4(gl_TessCoord, 1.0); }
