//! Works around faults of naga's back ends: rewrites modules that they write wrongly, and determines whether one of
//! them caused a panic.

use std::any::Any;
use std::borrow::Cow;

use ir::backend::Backend;
use ir::emit::{self, Language, WriteError, immediate};
use naga::Module;
use offer::old_language;

use super::pointer_argument;
use crate::adapter::Gpu;

/// Rewrites `module` to constructs that the adapter's back end writes correctly.
pub(crate) fn prepared<'a>(gpu: &Gpu, module: Cow<'a, Module>) -> Cow<'a, Module> {
    let lowered = match gpu.info().backend {
        Backend::Vulkan => pointer_argument::without_part_pointers(&module),
        Backend::Gl => gpu
            .offer()
            .abilities()
            .language
            .and_then(|language| old_language::lowered(language, &module)),
        Backend::Dx12 => immediate::in_structs(&module),
        Backend::Metal | Backend::Cpu => None,
    };
    lowered.map_or(module, Cow::Owned)
}

/// The message of a panic, if naga panics while it writes one of these modules in the adapter's language; otherwise
/// `None`.
pub(crate) fn panic_message(
    gpu: &Gpu,
    panic: &(dyn Any + Send),
    modules: &[&Module],
) -> Option<String> {
    let (language, name) = language_of(gpu.info().backend)?;
    let mut modules = modules.iter().map(|module| prepared(gpu, Cow::Borrowed(*module)));
    if !modules.any(|module| panics(&module, language)) {
        return None;
    }
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    Some(format!("naga's {name} writer panics on a valid module: {text}"))
}

/// True if naga panics while it writes the module.
fn panics(module: &Module, language: Language) -> bool {
    matches!(emit::write(module, language), Err(WriteError::Panic(_)))
}

/// The language that naga writes for a backend of wgpu, and its name in messages.
const fn language_of(backend: Backend) -> Option<(Language, &'static str)> {
    match backend {
        Backend::Vulkan => Some((Language::Spirv, "SPIR-V")),
        Backend::Gl => Some((Language::Glsl, "GLSL")),
        Backend::Metal => Some((Language::Msl, "MSL")),
        Backend::Dx12 => Some((Language::Hlsl, "HLSL")),
        Backend::Cpu => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module on which naga's SPIR-V writer panics unless `prepared` rewrites it first.
    const PART: &str = "struct Pair { a: f32, b: f32 } fn raise(to: ptr<function, f32>) { *to += 1.0; }
        @fragment fn main() -> @location(0) vec4f { var v = Pair(); raise(&v.b); return vec4f(v.b); }";

    #[test]
    fn a_panic_belongs_to_the_writer_that_panics() {
        let module = fixture::module(PART);
        assert!(panics(&module, Language::Spirv));
        assert!(!panics(&module, Language::Glsl));
        let prepared = pointer_argument::without_part_pointers(&module).expect("it has a pointer");
        assert!(!panics(&prepared, Language::Spirv));
    }
}
