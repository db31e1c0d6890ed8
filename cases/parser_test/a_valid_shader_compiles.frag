/*
 * [config]
 * expect_result: pass
 * glsl_version: 1.30
 * [end config]
 *
 * A fragment shader is only compiled, so it may read what no vertex shader writes.
 */

#version 130
in vec2 coordinate;
void main()
{
    gl_FragColor = vec4(coordinate, 0.0, 1.0);
}
