//! Size limits of a case. A file that exceeds one gives an error, not a crash or an endless run.

/// Bytes of a file, and of one case after its parameters are filled in.
pub const MAX_FILE_BYTES: usize = 4 << 20;
/// Bytes of a line outside shader text.
pub const MAX_LINE_BYTES: usize = 64 << 10;
/// Commands in `[test]`.
pub const MAX_STEPS: usize = 100_000;
/// Draws and dispatches of a case.
pub const MAX_DRAWS: usize = 10_000;
/// Errors reported for one case; the next one ends reading its lines.
pub const MAX_ERRORS: usize = 100;
/// Width and height of the render targets, in pixels.
pub const MAX_TARGET_SIZE: u32 = 8192;
/// Samples of a pixel.
pub const MAX_SAMPLES: u32 = 16;
/// Highest index of a render target.
pub const MAX_TARGET_INDEX: u32 = 7;
/// Instances of a draw.
pub const MAX_INSTANCES: u32 = 65_536;
/// Workgroups of a dispatch in each dimension.
pub const MAX_WORKGROUPS: u32 = 65_535;
/// Highest binding point of a storage buffer.
pub const MAX_BINDING: u32 = 63;
/// Bytes of a storage buffer.
pub const MAX_BUFFER_BYTES: u32 = 16 << 20;
/// 32-bit components of one varying.
pub const MAX_VARYING_COMPONENTS: u32 = 1024;
/// Dimensions of an array type.
pub const MAX_ARRAY_DIMENSIONS: usize = 4;
/// Parameters of a file.
pub const MAX_PARAMETERS: usize = 32;
/// Bytes of a parameter's value.
pub const MAX_VALUE_BYTES: usize = 64;
/// Combinations of parameter values, before `only` filters them.
pub const MAX_COMBINATIONS: usize = 10_000;
/// Total bytes read and written while the parameters of one file are filled in.
pub const MAX_EXPANSION_BYTES: usize = 64 << 20;
/// Nesting depth of `@for` loops.
pub const MAX_LOOP_DEPTH: usize = 8;
/// Nesting depth of parentheses and signs in an expression.
pub const MAX_EXPRESSION_DEPTH: usize = 64;
/// Highest texture or image unit.
pub const MAX_UNIT: u32 = 63;
/// Width and height of a texture, in texels.
pub const MAX_TEXTURE_SIZE: u32 = 4096;
/// Layers of a texture.
pub const MAX_TEXTURE_LAYERS: u32 = 256;
