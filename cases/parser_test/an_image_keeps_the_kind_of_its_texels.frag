// The data of an atomic function has the kind of the image (GLSL 4.60 section 8.12).
// [config]
// expect_result: fail
// glsl_version: 4.50
// [end config]
#version 450
layout(r32i) uniform iimage2D counts;
void main() { imageAtomicAdd(counts, ivec2(0), 1u); }
