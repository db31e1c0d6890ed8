// [config]
// expect_result: pass
// glsl_version: 1.50
// [end config]
//
// Overlapping outputs are a link error (GLSL 4.60 section 4.4.1), so the shader compiles.
#version 150
#extension GL_ARB_separate_shader_objects : require
layout(location = 0) out vec4 a;
layout(location = 0) out vec4 b;
void main() { gl_Position = a = b = vec4(0.0); }
