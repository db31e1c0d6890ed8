/* [config]
 * expect_result: pass
 * glsl_version: 3.00
 * check_link: true
 * [end config]
 */
#version 300 es
out vec4 color;
void main() { gl_Position = color = vec4(1.0); }
