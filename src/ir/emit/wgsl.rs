//! Writes WGSL that says what the module says. naga's writer drops some things, and writes others that only naga reads.
//!
//! The module is changed before it is written where that suffices. Lines and attributes that naga's writer omits are
//! added to its text.

mod exchange;
mod non_finite;

use naga::back::wgsl;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{ConservativeDepth, EarlyDepthTest, Module, Type, TypeInner};

use super::{WriteError, not_expressible};

/// A dialect of WGSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WgslDialect {
    /// WebGPU's language.
    Standard,
    /// The language of naga's reader: it has 64-bit types, attributes of its own, and no line that enables subgroups.
    Naga,
}

/// The line that naga's reader does not know: it always knows subgroups.
pub const ENABLE_SUBGROUPS: &str = "enable subgroups;\n";

/// The attribute before which naga's dialect has the one for early depth tests.
const FRAGMENT: &str = "@fragment ";

/// Writes a valid module with one entry point.
///
/// # Errors
/// The dialect cannot express the module.
pub(super) fn write(module: &Module, dialect: WgslDialect) -> Result<String, WriteError> {
    let mut module = module.clone();
    exchange::name_results(&mut module);
    drop_bindings(&mut module);
    non_finite::lower(&mut module);
    let info = validated(&module, Capabilities::all());
    let info = info.map_err(|error| not_expressible("WGSL", error))?;
    let written = wgsl::write_string(&module, &info, wgsl::WriterFlags::empty());
    let written = written.map_err(|error| not_expressible("WGSL", error))?;
    let mut text = written.replace(non_finite::ROUNDED_MAXIMUM, non_finite::MAXIMUM);
    let early = module.entry_points.first().and_then(|entry| entry.early_depth_test);
    match (dialect, early) {
        (_, None) => {}
        (WgslDialect::Standard, Some(_)) => {
            return Err(not_expressible("WGSL", "it has no early depth tests"));
        }
        (WgslDialect::Naga, Some(early)) => add_early_test(&mut text, early),
    }
    let groups = Capabilities::SUBGROUP | Capabilities::SUBGROUP_BARRIER;
    if dialect == WgslDialect::Standard
        && text.contains("subgroup")
        && validated(&module, Capabilities::all() - groups).is_err()
    {
        text.insert_str(0, ENABLE_SUBGROUPS);
    }
    Ok(text)
}

/// Drops the locations of structures that no entry point takes or returns. They are those of the stage before it was linked,
/// and a 64-bit vector as words is an array, which WGSL allows at no location.
fn drop_bindings(module: &mut Module) {
    let mains = module.entry_points.iter().map(|entry| &entry.function);
    let crossing: Vec<_> = mains
        .flat_map(|main| {
            let arguments = main.arguments.iter().map(|one| one.ty);
            arguments.chain(main.result.iter().map(|one| one.ty))
        })
        .collect();
    let inner: Vec<_> = module
        .types
        .iter()
        .filter(|(handle, _)| !crossing.contains(handle))
        .filter_map(|(handle, ty)| {
            let TypeInner::Struct { members, span } = &ty.inner else { return None };
            let mut members = members.clone();
            for member in &mut members {
                member.binding = None;
            }
            let inner = TypeInner::Struct { members, span: *span };
            Some((handle, Type { name: ty.name.clone(), inner }))
        })
        .collect();
    for (handle, ty) in inner {
        // Types may differ in nothing but their locations.
        if module.types.get(&ty).is_none() {
            module.types.replace(handle, ty);
        }
    }
}

/// Adds the attribute of the entry point that naga's writer omits and its reader knows.
fn add_early_test(text: &mut String, early: EarlyDepthTest) {
    let word = match early {
        EarlyDepthTest::Force => "force",
        EarlyDepthTest::Allow { conservative: ConservativeDepth::GreaterEqual } => "greater_equal",
        EarlyDepthTest::Allow { conservative: ConservativeDepth::LessEqual } => "less_equal",
        EarlyDepthTest::Allow { conservative: ConservativeDepth::Unchanged } => "unchanged",
    };
    if let Some(at) = text.rfind(FRAGMENT) {
        text.insert_str(at, &format!("@early_depth_test({word}) "));
    }
}

fn validated(module: &Module, capabilities: Capabilities) -> Result<ModuleInfo, String> {
    let validated = Validator::new(ValidationFlags::all(), capabilities).validate(module);
    validated.map_err(|error| format!("invalid module: {error}"))
}

#[cfg(test)]
mod tests {
    use naga::front::wgsl::parse_str;

    use super::*;

    #[track_caller]
    fn written(text: &str, dialect: WgslDialect) -> Result<String, WriteError> {
        write(&parse_str(text).expect("valid WGSL"), dialect)
    }

    #[test]
    fn early_depth_tests_are_in_the_dialect_of_naga_only() {
        for word in ["force", "greater_equal", "less_equal", "unchanged"] {
            let text = format!("@early_depth_test({word}) @fragment fn main() {{}}");
            let own = written(&text, WgslDialect::Naga).expect("is in the dialect");
            let early = |text: &str| parse_str(text).map(|it| it.entry_points[0].early_depth_test);
            assert_eq!(early(&own).expect("valid WGSL"), early(&text).expect("valid WGSL"));
            let refusal = written(&text, WgslDialect::Standard).expect_err("WGSL lacks it");
            let expected = "not expressible in WGSL: it has no early depth tests";
            assert_eq!(refusal.to_string(), expected);
        }
    }

    #[test]
    fn only_structures_of_the_interface_have_locations() {
        let text = "struct Inner { @location(0) a: vec4f } struct Outer { @location(1) b: vec4f }
            fn f() -> Inner { return Inner(); }
            @fragment fn main() -> Outer { return Outer(f().a); }";
        let text = written(text, WgslDialect::Standard).expect("is expressible");
        assert!(text.contains("    a: vec4<f32>,"), "{text}");
        assert!(text.contains("    @location(1) b: vec4<f32>,"), "{text}");
    }

    #[test]
    fn subgroups_are_enabled_where_they_are_used() {
        let check = |body: &str, expected: bool| {
            let text = format!("@compute @workgroup_size(1) fn main() {{ {body} }}");
            let standard = written(&text, WgslDialect::Standard).expect("is expressible");
            assert_eq!(standard.starts_with(ENABLE_SUBGROUPS), expected, "{standard}");
            parse_str(&written(&text, WgslDialect::Naga).expect("so it is"))
                .expect("naga reads it");
        };
        check("let all = subgroupAll(true);", true);
        check("subgroupBarrier();", true);
        check("let subgroups = 1;", false);
    }
}
