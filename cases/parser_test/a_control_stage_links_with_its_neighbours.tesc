// [config]
// expect_result: pass
// glsl_version: 1.50
// require_extensions: GL_ARB_tessellation_shader
// check_link: true
// [end config]
//
// A control stage links with a vertex and an evaluation stage (OpenGL 4.6 section 7.3), which are added.
#version 150
#extension GL_ARB_tessellation_shader : require
layout(vertices = 3) out;
void main() { gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position; }
