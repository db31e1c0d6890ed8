//! Writes HLSL, around faults of naga's writer.
//!
//! It refuses immediates that are no struct; it calls a matrix of two rows without a name `member_0`, `member_1`, and the next member `member_1` too; it declares
//! clip distances as one `float`, whatever their number; and its functions that store into a matrix of two rows change
//! their own copy.

pub mod immediate;

use naga::back::hlsl;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{ArraySize, Binding, BuiltIn, Module, Type, TypeInner};

use super::{WriteError, not_expressible};

/// Writes a valid module with one entry point.
///
/// # Errors
/// HLSL cannot express the module.
pub(super) fn write(module: &Module) -> Result<String, WriteError> {
    let mut module = immediate::in_structs(module).unwrap_or_else(|| module.clone());
    name_members(&mut module);
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(&module).map_err(|error| not_expressible("HLSL", error))?;
    // By default the writer has no register for immediates, and panics without one.
    let immediates_target = Some(hlsl::BindTarget { space: 255, ..hlsl::BindTarget::default() });
    let options = hlsl::Options { immediates_target, ..hlsl::Options::default() };
    let entry = hlsl::PipelineOptions::default();
    let mut written = String::new();
    let result = hlsl::Writer::new(&mut written, &options, &entry).write(&module, &info, None);
    result.map_err(|error| not_expressible("HLSL", error))?;
    if let Some((name, count)) = clip_distances(&module) {
        let declared = format!("    float {name} : SV_ClipDistance;\n");
        written = written.replace(&declared, &declaration(&name, count));
    }
    Ok(SETTERS.iter().fold(written, |written, setter| with_reference(&written, setter)))
}

/// Lines before the names of functions that store into a matrix of two rows, its columns or its components.
const SETTERS: [&str; 3] = ["\nvoid SetMat", "\nvoid __set_col_of_mat", "\nvoid __set_el_of_mat"];

/// Lets functions that begin like this change their first argument.
fn with_reference(text: &str, beginning: &str) -> String {
    let mut parts = text.split(beginning);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |written, part| {
        let part = part.replacen('(', "(inout ", 1);
        written + beginning + &part
    })
}

/// Gives every member of a struct a name.
fn name_members(module: &mut Module) {
    let unnamed: Vec<_> = module
        .types
        .iter()
        .filter_map(|(handle, ty)| {
            let TypeInner::Struct { members, span } = &ty.inner else { return None };
            if members.iter().all(|member| member.name.is_some()) {
                return None;
            }
            let mut members = members.clone();
            for (idx, member) in members.iter_mut().enumerate() {
                member.name.get_or_insert_with(|| format!("part_{idx}_of"));
            }
            let inner = TypeInner::Struct { members, span: *span };
            // Types may differ in nothing but their lack of names.
            let name = ty.name.clone().unwrap_or_else(|| format!("type_{}", handle.index()));
            Some((handle, Type { name: Some(name), inner }))
        })
        .collect();
    for (handle, ty) in unnamed {
        module.types.replace(handle, ty);
    }
}

/// Name and number of the clip distances that the entry point writes. naga's names of members are their own, unless
/// they are reserved or end with a digit.
fn clip_distances(module: &Module) -> Option<(String, u32)> {
    let result = module.entry_points.first()?.function.result.as_ref()?;
    let TypeInner::Struct { members, .. } = &module.types[result.ty].inner else { return None };
    let is_clip = Some(Binding::BuiltIn(BuiltIn::ClipDistances));
    let member = members.iter().find(|member| member.binding == is_clip)?;
    let TypeInner::Array { size: ArraySize::Constant(count), .. } = module.types[member.ty].inner
    else {
        return None;
    };
    Some((member.name.clone()?, count.get()))
}

/// Declares up to eight distances, four to a register.
fn declaration(name: &str, count: u32) -> String {
    let vector = |count| if count == 1 { "float".to_owned() } else { format!("float{count}") };
    if count <= 4 {
        return format!("    {} {name} : SV_ClipDistance;\n", vector(count));
    }
    let rest = vector(count - 4);
    format!(
        "    float4 {name} : SV_ClipDistance0;\n    {rest} rest_of_{name} : SV_ClipDistance1;\n"
    )
}

#[cfg(test)]
mod tests {
    use naga::front::wgsl::parse_str;

    use super::*;

    #[test]
    fn all_clip_distances_are_declared() {
        let check = |count: u32, expected: &str| {
            let text = format!(
                "enable clip_distances;
                 struct V {{ @builtin(position) p: vec4f, @builtin(clip_distances) d: array<f32, {count}> }}
                 @vertex fn main() -> V {{ var v: V; v.d[0] = 1.0; return v; }}"
            );
            let text = write(&parse_str(&text).expect("valid WGSL")).expect("is expressible");
            let (_, output) = text.split_once("struct VertexOutput_main {").expect("an output");
            assert!(output.contains(expected), "{text}");
        };
        check(1, "    float d : SV_ClipDistance;\n");
        check(3, "    float3 d : SV_ClipDistance;\n");
        check(5, "    float4 d : SV_ClipDistance0;\n    float rest_of_d : SV_ClipDistance1;\n");
        check(8, "    float4 d : SV_ClipDistance0;\n    float4 rest_of_d : SV_ClipDistance1;\n");
    }

    #[test]
    fn functions_that_store_into_matrices_change_their_argument() {
        let text = "struct A { a: mat3x2f, b: array<mat4x2f, 3> }
            var<private> a: A;
            @fragment fn main(@location(0) @interpolate(flat) i: i32) -> @location(0) vec4f {
                a.a = mat3x2f(); a.a[i] = vec2f(); a.a[i].x = 1.0; a.b[i][i] = vec2f(); a.b[i][i][i] = 2.0;
                return vec4f(a.a[0], a.b[i][1]);
            }";
        let text = write(&parse_str(text).expect("valid WGSL")).expect("is expressible");
        for function in [
            "SetMataOnA(inout A obj, float3x2 mat)",
            "SetMatVecaOnA(inout A obj, float2 vec, uint mat_idx)",
            "SetMatScalaraOnA(inout A obj, float scalar, uint mat_idx, uint vec_idx)",
            "__set_col_of_mat4x2_f32(inout __mat4x2_f32 mat, uint idx, float2 value)",
            "__set_el_of_mat4x2_f32(inout __mat4x2_f32 mat, uint idx, uint vec_idx, float value)",
        ] {
            assert!(text.contains(&format!("\nvoid {function} {{")), "{function}: {text}");
        }
    }

    #[test]
    fn members_without_names_have_different_ones() {
        let text = "struct A { a: mat2x2f, b: mat3x2f, c: f32 }
            @group(0) @binding(0) var<storage, read_write> a: A;
            @compute @workgroup_size(1) fn main() { a.c = 1.0; a.b[0].x = 2.0; }";
        let mut module = parse_str(text).expect("valid WGSL");
        let named = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some("A"));
        let (handle, mut ty) = named.map(|(handle, ty)| (handle, ty.clone())).expect("the block");
        if let TypeInner::Struct { members, .. } = &mut ty.inner {
            for member in members {
                member.name = None;
            }
        }
        module.types.replace(handle, Type { name: None, ..ty });
        let text = write(&module).expect("is expressible");
        let (_, block) = text.split_once("    float2 part_0_of_0;").expect("a matrix");
        assert!(
            block.contains("float2 part_1_of_0;") && block.contains("float part_2_of;"),
            "{text}"
        );
        assert!(!text.contains("member_"), "{text}");
    }
}
