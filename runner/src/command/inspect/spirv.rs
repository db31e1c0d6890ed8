//! SPIR-V as text, in the notation of `spirv-dis`.

use rspirv::binary::Disassemble as _;

/// Disassembles a module. If it cannot be read, which would be a bug in its writer, the text says so.
pub(super) fn text(bytes: &[u8]) -> String {
    match rspirv::dr::load_bytes(bytes) {
        Ok(module) => module.disassemble(),
        Err(error) => format!("; the module cannot be read: {error}"),
    }
}
