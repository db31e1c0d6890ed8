/* [config]
 * expect_result: fail
 * glsl_version: 3.00 es
 * [end config]
 *
 * In GLSL ES 1.00 a fragment shader's floats have no precision of their own (GLSL ES 1.00 section 4.5.3); in GLSL 1.10
 * they need none.
 */
uniform float x;
void main() { gl_FragColor = vec4(x); }
