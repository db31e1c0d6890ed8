//! SPIR-V as text, in the notation of `spirv-dis`.

use rspirv::binary::Disassemble as _;

/// The module as text. A module that cannot be read, which would be a bug of its writer, is only told.
pub(super) fn text(bytes: &[u8]) -> String {
    match rspirv::dr::load_bytes(bytes) {
        Ok(module) => module.disassemble(),
        Err(error) => format!("; the module cannot be read: {error}"),
    }
}
