/* [config]
 * expect_result: fail
 * glsl_version: 1.30
 * [end config]
 *
 * `glsl_version` is about the context. Without `#version` the shader is GLSL 1.10 (GLSL 4.60 section 3.3), which has no `in`
 * variables.
 */
in vec4 position;
void main() { gl_Position = position; }
