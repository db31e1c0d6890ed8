// [config]
// expect_result: pass
// glsl_version: 3.10 es
// check_link: true
// [end config]
#version 310 es
layout(local_size_x = 8) in;
shared uint sum;
void main() { atomicAdd(sum, gl_LocalInvocationID.x); }
