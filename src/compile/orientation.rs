//! The orientation of primitives in Vulkan, compared with GL's.
//!
//! In both APIs the first row of a target in memory is where y is −1. GL calls it the lowest row and Vulkan the
//! uppermost. So a triangle that winds counter-clockwise in one API winds clockwise in the other, and the upper edge of
//! a point in one is its lower edge in the other. All later stages use GL's orientation.

use naga::{BinaryOperator, BuiltIn, Expression, Handle, Literal, Module, Type, UnaryOperator};

use ir::builder::{FunctionBuilder, add_private};
use ir::stage_module::{Direction, StageModule};

/// Converts `gl_FrontFacing` and `gl_PointCoord` from GL's orientation to Vulkan's, before the code of a stage runs.
pub(super) fn turn(stage: &mut StageModule) {
    let is_turned =
        |builtin: BuiltIn| matches!(builtin, BuiltIn::FrontFacing | BuiltIn::PointCoord);
    let inputs = stage.builtins.iter_mut().filter(|one| one.direction == Direction::Input);
    let mut turned: Vec<_> = inputs.filter(|one| is_turned(one.builtin)).collect();
    if turned.is_empty() {
        return;
    }
    let mut code = FunctionBuilder::new(());
    for input in &mut turned {
        let (own, ty) = (input.global, stage.module.global_variables[input.global].ty);
        input.global = add_private(&mut stage.module, None, ty);
        let given = code.global(input.global);
        let given = code.load(given);
        let value = if input.builtin == BuiltIn::PointCoord {
            from_other_edge(&mut code, given, ty)
        } else {
            code.emit(Expression::Unary { op: UnaryOperator::LogicalNot, expr: given })
        };
        let own = code.global(own);
        code.store(own, value);
    }
    code.call(stage.main, Vec::new());
    stage.main = append(&mut stage.module, code);
}

/// Counts the second coordinate from the opposite edge.
fn from_other_edge(
    code: &mut FunctionBuilder<()>,
    given: Handle<Expression>,
    ty: Handle<Type>,
) -> Handle<Expression> {
    let one = code.literal(Literal::F32(1.0));
    let (x, y) = (code.part(given, 0), code.part(given, 1));
    let y = code.binary(BinaryOperator::Subtract, one, y);
    code.compose(ty, vec![x, y])
}

fn append(module: &mut Module, code: FunctionBuilder<()>) -> Handle<naga::Function> {
    let function = naga::Function { name: Some("turned_main".to_owned()), ..code.finish() };
    module.functions.append(function, naga::Span::UNDEFINED)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The statements of the new `main`, and the built-in inputs that no longer read the global of the user's code.
    fn turned(text: &str) -> (usize, Vec<BuiltIn>) {
        let unit = glsl::parse(text, 0, &glsl::ParseOptions::default()).expect("it is right");
        let stage = ir::stage::ShaderStage::Fragment;
        let mut stage =
            glsl::compile(&[unit], stage, &glsl::Hints::default()).expect("it is right");
        let before = stage.builtins.clone();
        turn(&mut stage);
        let own = before.iter().map(|builtin| builtin.global);
        let moved = stage.builtins.iter().zip(own).filter(|(new, own)| new.global != *own);
        let moved = moved.map(|(new, _)| new.builtin).collect();
        let main = &stage.module.functions[stage.main];
        let written = main.body.iter().filter(|one| matches!(one, naga::Statement::Store { .. }));
        (written.count(), moved)
    }

    #[test]
    fn faces_and_places_in_points_are_turned_before_the_code_runs() {
        let read = "#version 450\nout vec4 c; void main() { c = vec4(gl_PointCoord, gl_FrontFacing, gl_FragCoord.x); }";
        let (written, mut moved) = turned(read);
        moved.sort_by_key(|builtin| format!("{builtin:?}"));
        assert_eq!((written, moved), (2, vec![BuiltIn::FrontFacing, BuiltIn::PointCoord]));
    }

    #[test]
    fn a_stage_that_reads_neither_stays_as_it_is() {
        let read = "#version 450\nout vec4 c; void main() { c = gl_FragCoord; }";
        assert_eq!(turned(read), (1, Vec::new()));
    }
}
