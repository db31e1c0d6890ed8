//! Checks that the WGSL of a stage says what the stage is.
//!
//! naga's writer drops the offsets and sizes of members (<https://github.com/gfx-rs/wgpu/issues/4373>). The linker lowers
//! blocks with other layouts than WGSL's to words, except those with 16-bit values and immediates. A compiler that reads
//! such a text compiles another stage, which is no fault of its own.

use ir::emit::ENABLE_SUBGROUPS;
use naga::{GlobalVariable, Handle, Module, Type, TypeInner};

/// Checks that a text that naga wrote for `module` has the same layouts of buffers and the same depth tests.
///
/// # Errors
/// What the text lacks, or that it is not WGSL.
pub(super) fn check(module: &Module, text: &str) -> Result<(), String> {
    let text = text.strip_prefix(ENABLE_SUBGROUPS).unwrap_or(text);
    let read = naga::front::wgsl::parse_str(text).map_err(|error| {
        format!("the text is no WGSL: {}", error.emit_to_string(text).trim_end())
    })?;
    for (planned, found) in buffers(module).zip(buffers(&read)) {
        if !has_layout_of([(module, planned.ty), (&read, found.ty)]) {
            let name = planned.name.as_deref().unwrap_or("without name");
            return Err(format!("the text has no offsets of the members of the buffer `{name}`"));
        }
    }
    let early = |module: &Module| module.entry_points.first().map(|one| one.early_depth_test);
    if early(module) != early(&read) {
        return Err("the text has no early depth test".to_owned());
    }
    Ok(())
}

/// The variables with a layout in memory, in the order of declaration.
fn buffers(module: &Module) -> impl Iterator<Item = &GlobalVariable> {
    module.global_variables.iter().map(|(_, one)| one).filter(|one| is_buffer(one.space))
}

/// True for what has a layout in memory.
const fn is_buffer(space: naga::AddressSpace) -> bool {
    matches!(
        space,
        naga::AddressSpace::Uniform
            | naga::AddressSpace::Storage { .. }
            | naga::AddressSpace::Immediate
    )
}

/// True if the parts of both types are at the same places. The padding at the end of structs is not compared: what it
/// moves has another offset or stride.
fn has_layout_of([(one, ty), (other, found)]: [(&Module, Handle<Type>); 2]) -> bool {
    match (&one.types[ty].inner, &other.types[found].inner) {
        (
            TypeInner::Struct { members, span: _ },
            TypeInner::Struct { members: others, span: _ },
        ) => {
            let parts = members.iter().zip(others);
            members.len() == others.len()
                && parts.into_iter().all(|(own, found)| {
                    own.offset == found.offset && has_layout_of([(one, own.ty), (other, found.ty)])
                })
        }
        (
            TypeInner::Array { base, size, stride },
            TypeInner::Array { base: found, size: found_size, stride: found_stride },
        ) => {
            stride == found_stride
                && size == found_size
                && has_layout_of([(one, *base), (other, *found)])
        }
        (planned, found) => planned == found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "struct B { a: f32, b: array<vec2f, 3>, c: mat2x2f }
        @group(0) @binding(0) var<storage> b: B;
        @fragment fn main() -> @location(0) vec4f { return vec4f(b.a); }";

    #[track_caller]
    fn refused(text: &str, written: &str, expected: &str) {
        let told = check(&fixture::module(text), written).expect_err("something is lost");
        assert!(told.contains(expected), "{told}");
    }

    #[test]
    fn what_a_text_loses_is_named() {
        assert_eq!(check(&fixture::module(TEXT), TEXT), Ok(()));
        let lost = "the text has no offsets of the members of the buffer `b`";
        refused(&TEXT.replace("a: f32", "@size(16) a: f32"), TEXT, lost);
        refused(&TEXT.replace("c: mat2x2f }", "@align(64) c: mat2x2f }"), TEXT, lost);
        refused(TEXT, &TEXT.replace("vec2f, 3", "vec3f, 3"), lost);
        let early = TEXT.replace("@fragment", "@fragment @early_depth_test(force)");
        refused(&early, TEXT, "the text has no early depth test");
        refused(TEXT, "fn main() { let a = ; }", "the text is no WGSL");
    }
}
