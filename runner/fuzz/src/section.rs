//! Inputs that are a section of a case: the header gives the stage, and the rest is the shader.

use interstage::ir::stage::ShaderStage;

/// The first bytes of a binary of SPIR-V.
pub(crate) const MAGIC: [u8; 4] = 0x0723_0203_u32.to_le_bytes();

/// Joins the header of a stage and a shader to a section.
pub(crate) fn joined(stage: ShaderStage, shader: &[u8]) -> Vec<u8> {
    [header(stage).as_bytes(), shader].concat()
}

/// Splits a section into its stage and the bytes after the header; `None` without a valid header.
pub(crate) fn divided(input: &[u8]) -> Option<(ShaderStage, &[u8])> {
    let of = |stage| Some((stage, input.strip_prefix(header(stage).as_bytes())?));
    ShaderStage::ALL.into_iter().find_map(of)
}

fn header(stage: ShaderStage) -> String {
    format!("[{} shader]\n", stage.name())
}
