// [config]
// expect_result: fail
// glsl_version: 1.50
// check_link: true
// [end config]
//
// A geometry stage declares its output primitive (GLSL 4.60 section 4.4.2.2), which linking detects.
#version 150
layout(triangles) in;
void main() { gl_Position = vec4(0.0); EmitVertex(); }
