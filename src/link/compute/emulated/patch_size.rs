//! Lengths of the arrays that hold the vertices of a patch.
//!
//! GLSL declares them with `gl_MaxPatchVertices` elements (GLSL 4.60 section 4.3.4), of which those from
//! `gl_PatchVerticesIn` on are undefined. Most patches have three or four vertices, and adapters are slow to compile
//! large private arrays, so an array is as long as the patches are, where no code can tell.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "every other expression needs the array as it was declared"
)]

use std::borrow::Cow;
use std::collections::BTreeSet;

use naga::{
    ArraySize, Expression, Function, GlobalVariable, Handle, Literal, Module, Type, TypeInner,
};

use ir::operands;
use ir::stage_module::StageModule;
use ir::tessellation::Tessellation;

/// The number of vertices that each emulated stage reads, if the draws' patches have at most `drawn`.
pub(super) fn read_vertices(front: &[Cow<'_, StageModule>], drawn: u32) -> Vec<u32> {
    let given = front.iter().find_map(|stage| Some(stage.control()?.vertices));
    let of = |stage: &StageModule| match &stage.tessellation {
        Some(Tessellation::Control(_)) => drawn,
        Some(Tessellation::Evaluation(_)) => given.unwrap_or(drawn),
        None => stage.taken_vertices().unwrap_or(0),
    };
    front.iter().map(|stage| of(stage)).collect()
}

/// Gives the arrays of a tessellation stage's per-vertex inputs `vertices` elements, except those that some code reads as
/// a whole or with a constant index beyond.
pub(super) fn shrink(stage: &mut Cow<'_, StageModule>, vertices: u32) {
    if stage.tessellation.is_none() {
        return;
    }
    let inputs = stage.inputs.iter().filter(|input| !input.is_patch);
    let arrays: BTreeSet<_> =
        inputs.filter_map(|input| Some(input.place.as_ref()?.global)).collect();
    let is_free = |array: &Handle<GlobalVariable>| {
        let functions = stage.module.functions.iter().map(|(_, function)| function);
        let mut all =
            functions.chain(stage.module.entry_points.iter().map(|entry| &entry.function));
        all.all(|function| only_elements(function, *array, vertices))
    };
    let free: Vec<_> = arrays.into_iter().filter(is_free).collect();
    for array in free {
        set_length(&mut stage.to_mut().module, array, vertices);
    }
}

/// True if the function uses the array only for elements whose index is below `length` or not constant.
fn only_elements(function: &Function, array: Handle<GlobalVariable>, length: u32) -> bool {
    let is_array = |expr: Handle<Expression>| matches!(function.expressions[expr], Expression::GlobalVariable(global) if global == array);
    let mut is_whole = false;
    operands::read_by_block(&function.body, |operand| is_whole |= is_array(operand));
    !is_whole
        && function.expressions.iter().all(|(_, expression)| match *expression {
            Expression::Access { base, index } if is_array(base) => {
                match function.expressions[index] {
                    Expression::Literal(literal) => is_below(literal, length),
                    Expression::Constant(_) | Expression::Override(_) => false,
                    _ => true,
                }
            }
            Expression::AccessIndex { base, index } if is_array(base) => index < length,
            ref other => !operands::of_expression(&mut other.clone())
                .into_iter()
                .any(|found| is_array(*found)),
        })
}

fn is_below(index: Literal, length: u32) -> bool {
    match index {
        Literal::I32(index) => u32::try_from(index).is_ok_and(|index| index < length),
        Literal::U32(index) => index < length,
        _ => false,
    }
}

/// Makes a longer array as long as `length`.
fn set_length(module: &mut Module, array: Handle<GlobalVariable>, length: u32) {
    let ty = module.global_variables[array].ty;
    let TypeInner::Array { base, size: ArraySize::Constant(size), stride } = module.types[ty].inner
    else {
        return;
    };
    let Some(length) = std::num::NonZeroU32::new(length).filter(|length| *length < size) else {
        return;
    };
    let inner = TypeInner::Array { base, size: ArraySize::Constant(length), stride };
    let ty = module.types.insert(Type { name: None, inner }, naga::Span::UNDEFINED);
    module.global_variables[array].ty = ty;
}

#[cfg(test)]
mod tests {
    use crate::testing;
    use ir::stage::ShaderStage;

    use super::*;

    /// The length of each array after shrinking those of a control stage with this code to three vertices.
    fn lengths(code: &str) -> Vec<u32> {
        let text = format!(
            "#version 400
            layout(vertices = 4) out;
            in vec4 a[];
            uniform int u;
            out vec4 b[];
            vec4 third(vec4 all[32]) {{ return all[2]; }}
            void main() {{ {code} }}"
        );
        lengths_of(ShaderStage::TessellationControl, &text)
    }

    fn lengths_of(stage: ShaderStage, text: &str) -> Vec<u32> {
        let mut stage = Cow::Owned(testing::stage(stage, text));
        shrink(&mut stage, 3);
        let module = &stage.module;
        let places = stage.inputs.iter().filter_map(|input| input.place.as_ref());
        let types = places.map(|place| module.global_variables[place.global].ty);
        let length = |ty| match module.types[ty].inner {
            TypeInner::Array { size: ArraySize::Constant(size), .. } => Some(size.get()),
            _ => None,
        };
        types.filter_map(length).collect()
    }

    #[test]
    fn an_array_read_by_element_is_as_long_as_the_patches() {
        assert_eq!(lengths("b[gl_InvocationID] = a[u] + a[2];"), [3]);
        assert_eq!(lengths("b[gl_InvocationID] = vec4(a[gl_InvocationID].x, a[0].yzw);"), [3]);
    }

    #[test]
    fn an_array_keeps_its_length_where_code_could_tell() {
        assert_eq!(lengths("b[gl_InvocationID] = a[3];"), [32]);
        assert_eq!(lengths("vec4 all[32] = a; b[gl_InvocationID] = all[1];"), [32]);
        assert_eq!(lengths("b[gl_InvocationID] = third(a);"), [32]);
    }

    #[test]
    fn arrays_of_other_stages_are_no_patches() {
        let text = "#version 400
            in float a[5];
            void main() { gl_Position = vec4(a[0]); }";
        assert_eq!(lengths_of(ShaderStage::Vertex, text), [5]);
    }

    #[test]
    fn an_evaluation_stage_reads_what_the_control_stage_gives() {
        let control = "#version 400
            layout(vertices = 4) out;
            void main() {}";
        let evaluation = "#version 400
            layout(triangles) in;
            void main() {}";
        let vertex = (ShaderStage::Vertex, "#version 400\nvoid main() {}");
        let evaluation = (ShaderStage::TessellationEvaluation, evaluation);
        let control = (ShaderStage::TessellationControl, control);
        let read = |stages: &[(ShaderStage, &str)]| {
            let stages = stages.iter().map(|(stage, text)| testing::stage(*stage, text));
            read_vertices(&stages.map(Cow::Owned).collect::<Vec<_>>(), 7)
        };
        assert_eq!(read(&[vertex, control, evaluation]), [0, 7, 4]);
        assert_eq!(read(&[vertex, evaluation]), [0, 7]);
    }
}
