// Textures of buffers and of several samples, atomic functions of images, and queries of levels are valid (GLSL 4.60 sections
// 8.9 and 8.12), although WebGPU has nothing like them.
// [config]
// expect_result: pass
// glsl_version: 4.50
// [end config]
#version 450
uniform samplerBuffer texels;
uniform usampler2DMSArray samples;
uniform sampler2DShadow depths;
layout(r32i) uniform iimage2D counts;
in vec2 at;
out vec4 color;
void main() {
    int old = imageAtomicAdd(counts, ivec2(0), 1);
    uvec4 sampled = texelFetch(samples, ivec3(0), textureSamples(samples) - 1);
    color = texelFetch(texels, old) + vec4(sampled) + textureQueryLod(depths, at).xyxy + vec4(interpolateAtSample(at, gl_NumSamples), 0, 0);
}
