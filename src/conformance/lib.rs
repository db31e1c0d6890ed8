//! Reads the test files of other projects about GLSL as cases.
//!
//! [`parser_test`] reads piglit's parser tests: shaders that must compile, or must not. [`shader_library`] reads the shader
//! library of the Vulkan and OpenGL conformance tests.

pub mod parser_test;
pub mod shader_library;
