//! Converts workgroups of several dimensions to rows.
//!
//! naga rejects subgroup numbers in workgroups of several dimensions, because Direct3D defines no order there. The
//! implementation chooses which invocations form a subgroup (SPIR-V 1.6, 2.16), so a row with as many invocations, in
//! the order of `LocalInvocationIndex`, is equivalent.

use naga::{BinaryOperator, BuiltIn, Expression, GlobalVariable, Handle, Module};

use ir::builder::{FunctionBuilder, add_private};
use ir::interface::ScalarKind;
use ir::stage_module::{BuiltinVariable, Direction, StageModule};

/// Built-ins that naga accepts only in rows.
const NUMBERS: [BuiltIn; 3] =
    [BuiltIn::SubgroupId, BuiltIn::SubgroupInvocationId, BuiltIn::NumSubgroups];

/// Turns the workgroup of a compute stage into a row if the stage uses subgroup numbers.
pub(super) fn straighten(stage: &mut StageModule) {
    let is_numbered = stage.builtins.iter().any(|one| NUMBERS.contains(&one.builtin));
    if !is_numbered || stage.workgroup_size[1..] == [1, 1] {
        return;
    }
    let size = stage.workgroup_size;
    let Some(length) = size.iter().try_fold(1_u32, |all, side| all.checked_mul(*side)) else {
        return;
    };
    let mut code = FunctionBuilder::new(&mut stage.module);
    let (index, group) = (BuiltIn::LocalInvocationIndex, BuiltIn::WorkGroupId);
    let [index, group] = [(index, 1), (group, 3)]
        .map(|(builtin, count)| input(&mut code, &mut stage.builtins, builtin, count));
    let [index, group] = [index, group].map(|global| {
        let pointer = code.global(global);
        code.load(pointer)
    });
    let local = place(&mut code, index, size);
    let sizes = vector(&mut code, size);
    let first = code.binary(BinaryOperator::Multiply, group, sizes);
    let global = code.binary(BinaryOperator::Add, first, local);
    let computed = [
        (BuiltIn::LocalInvocationId, local),
        (BuiltIn::GlobalInvocationId, global),
        (BuiltIn::WorkGroupSize, sizes),
    ];
    stage.builtins.retain(|own| {
        let Some((_, value)) = computed.iter().find(|(builtin, _)| *builtin == own.builtin) else {
            return true;
        };
        let pointer = code.global(own.global);
        code.store(pointer, *value);
        false
    });
    code.call(stage.main, Vec::new());
    let function = naga::Function { name: Some("straight_main".to_owned()), ..code.finish() };
    stage.main = stage.module.functions.append(function, naga::Span::UNDEFINED);
    stage.workgroup_size = [length, 1, 1];
}

/// The global of a built-in input of `count` numbers; adds it if the stage lacks it.
fn input(
    code: &mut FunctionBuilder<&mut Module>,
    builtins: &mut Vec<BuiltinVariable>,
    builtin: BuiltIn,
    count: usize,
) -> Handle<GlobalVariable> {
    if let Some(known) = builtins.iter().find(|one| one.builtin == builtin) {
        return known.global;
    }
    let ty = match count {
        1 => code.scalar_type(ScalarKind::U32),
        _ => code.vector_type(count, ScalarKind::U32),
    };
    let global = add_private(code.module, None, ty);
    let direction = Direction::Input;
    builtins.push(BuiltinVariable { builtin, global, direction, is_written: false });
    global
}

/// Computes the position in a workgroup of the invocation with this index.
fn place(
    code: &mut FunctionBuilder<&mut Module>,
    index: Handle<Expression>,
    [width, height, _]: [u32; 3],
) -> Handle<Expression> {
    let (row, layer) = (code.uint(width), code.uint(width * height));
    let x = code.binary(BinaryOperator::Modulo, index, row);
    let rest = code.binary(BinaryOperator::Modulo, index, layer);
    let y = code.binary(BinaryOperator::Divide, rest, row);
    let z = code.binary(BinaryOperator::Divide, index, layer);
    let ty = code.vector_type(3, ScalarKind::U32);
    code.compose(ty, vec![x, y, z])
}

fn vector(code: &mut FunctionBuilder<&mut Module>, numbers: [u32; 3]) -> Handle<Expression> {
    let numbers = numbers.map(|number| code.uint(number));
    let ty = code.vector_type(3, ScalarKind::U32);
    code.compose(ty, numbers.to_vec())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use case::{Case, Dialect, Language, ShaderSource};
    use ir::source::{Source, Span};
    use ir::stage::ShaderStage;

    /// The workgroup size and the built-ins of a stage that numbers its subgroups.
    fn compiled(size: &str) -> ([u32; 3], Vec<String>) {
        let text = format!(
            "#version 450\n#extension GL_KHR_shader_subgroup_basic : enable\nlayout({size}) in;\n\
             layout(binding = 0) buffer B {{ uint b[]; }};\n\
             void main() {{ b[gl_GlobalInvocationID.y] = gl_SubgroupID + gl_LocalInvocationID.x; }}\n"
        );
        let source = Arc::new(Source::new("a", text.as_str()));
        let mut case = Case::empty("a".to_owned(), source, Dialect::Vulkan);
        case.shaders.push(ShaderSource {
            stage: ShaderStage::Compute,
            language: Language::Glsl,
            name: None,
            header: Span::new(0, 0),
            text: Span::new(0, text.len()),
            entry: None,
            file: None,
        });
        let limits = case::gl::limit::Limits::guaranteed(&[]);
        let stages = crate::compile(&case, &limits).expect("it is right");
        let stage = &stages.all()[0];
        let mut names: Vec<_> =
            stage.builtins.iter().map(|one| format!("{:?}", one.builtin)).collect();
        names.sort();
        (stage.workgroup_size, names)
    }

    #[test]
    fn boxes_become_rows_and_rows_stay() {
        let own = ["GlobalInvocationId", "LocalInvocationId", "SubgroupId"].map(str::to_owned);
        assert_eq!(compiled("local_size_x = 8"), ([8, 1, 1], own.to_vec()));
        let row = ["LocalInvocationIndex", "SubgroupId", "WorkGroupId"].map(str::to_owned);
        let size = "local_size_x = 4, local_size_y = 2, local_size_z = 3";
        assert_eq!(compiled(size), ([24, 1, 1], row.to_vec()));
    }
}
