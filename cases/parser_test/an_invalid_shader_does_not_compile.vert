// [config]
// expect_result: fail
// glsl_version: 1.20
// check_link: false
// [end config]
//
// There is no conversion of a vector to a number (GLSL 1.20 section 4.1.10).

#version 120
attribute vec4 position;
void main()
{
    float x = position;
    gl_Position = vec4(x);
}
