//! Checks the text for names that every compiler for Direct3D would reject: two members of a struct with the same name,
//! and structs with the name of a built-in type.

use std::collections::BTreeSet;

/// Name of this check in tables.
pub(super) const NAME: &str = "names";

/// Types of old shader models, which current compilers still have, and which naga does not avoid as names.
const TYPES: [&str; 6] =
    ["sampler1D", "sampler2D", "sampler3D", "samplerCUBE", "texture2D", "textureCUBE"];

/// The problem with the names of a module, if any.
pub(super) fn check(hlsl: &str) -> Option<String> {
    let mut members: Option<BTreeSet<&str>> = None;
    for line in hlsl.lines() {
        if let Some(name) = line.strip_prefix("struct ").and_then(|rest| rest.strip_suffix(" {")) {
            if TYPES.contains(&name) {
                return Some("a struct has the name of a built-in type".to_owned());
            }
            members = Some(BTreeSet::new());
        } else if line == "};" {
            members = None;
        } else if let Some(members) = &mut members {
            // The columns of a two-row matrix are on one line.
            let declared = line.split_inclusive(';').filter(|piece| piece.ends_with(';'));
            if !declared.map(member).all(|name| members.insert(name)) {
                return Some("two members of a struct have one name".to_owned());
            }
        }
    }
    None
}

/// The name in a declaration such as `    nointerpolation float4 a[3] : LOC0;`.
fn member(line: &str) -> &str {
    let declared = line.split([':', '[', ';']).next().unwrap_or_default();
    declared.split_whitespace().next_back().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_behind_the_type_and_before_everything_else() {
        assert_eq!(member("    nointerpolation float4 a_1[3] : LOC0;"), "a_1");
        assert_eq!(member("    row_major float2x3 m;"), "m");
        assert_eq!(member("    float x : SV_Target0;"), "x");
    }

    #[test]
    fn names_are_wrong_twice_in_one_struct_or_when_they_are_types() {
        let structs = |first: &str, second: &str| {
            format!(
                "struct A {{\n    int x;\n    int {first}[2];\n}};\n\nstruct {second} {{\n    int x;\n}};\n"
            )
        };
        assert_eq!(check(&structs("y", "B")), None);
        assert_eq!(check(&structs("m_0; float2 m_1", "B")), None);
        let twice = "two members of a struct have one name";
        assert_eq!(check(&structs("x", "B")).as_deref(), Some(twice));
        assert_eq!(check(&structs("m_0; float2 x", "B")).as_deref(), Some(twice));
        let built_in = "a struct has the name of a built-in type";
        assert_eq!(check(&structs("y", "sampler2D")).as_deref(), Some(built_in));
        assert_eq!(check("void f() {\n    int x;\n    int x;\n}\n"), None);
    }
}
