//! Values that no compiler can know: zero and false, computed from an input that the stage always has.
//!
//! The entry point stores a zero in a private variable: whether a condition on a built-in input holds that never does.

use naga::{
    BinaryOperator, Binding, BuiltIn, Expression, Function, FunctionArgument, GlobalVariable,
    Handle, Literal, Module, Range, ShaderStage, Span, Statement, TypeInner, UnaryOperator,
};

use ir::builder::{add_private, insert_type};

use crate::copy::Copy;

/// Name of the private variable.
const NAME: &str = "vary_zero";

/// A vertex or invocation that no draw or dispatch has.
const NEVER: u32 = u32::MAX - 4;

/// Adds the private variable to a module with one entry point. Returns `None` if the stage has no suitable input.
pub(crate) fn declare(module: &mut Module) -> Option<Handle<GlobalVariable>> {
    input(module.entry_points.first()?.stage)?;
    let number = insert_type(module, TypeInner::Scalar(naga::Scalar::U32));
    Some(add_private(module, Some(NAME.to_owned()), number))
}

/// Makes the entry point store the zero first, and adds the input if it is missing. This comes after all changes, so that
/// they do not change it.
pub(crate) fn define(module: &mut Module, global: Handle<GlobalVariable>) {
    let Some((builtin, inner)) = module.entry_points.first().and_then(|entry| input(entry.stage))
    else {
        return;
    };
    let ty = insert_type(module, inner);
    let mut entry = module.entry_points.remove(0);
    let function = &mut entry.function;
    let given = argument(module, function, builtin).unwrap_or_else(|| {
        function.arguments.push(FunctionArgument {
            name: Some("vary_input".to_owned()),
            ty,
            binding: Some(Binding::BuiltIn(builtin)),
        });
        Given { argument: function.arguments.len() - 1, member: None }
    });
    store(function, given, entry.stage, global);
    module.entry_points.insert(0, entry);
}

/// The input that decides, and its type.
fn input(stage: ShaderStage) -> Option<(BuiltIn, TypeInner)> {
    use naga::{Scalar, VectorSize};
    match stage {
        ShaderStage::Vertex => Some((BuiltIn::VertexIndex, TypeInner::Scalar(Scalar::U32))),
        ShaderStage::Fragment => Some((
            BuiltIn::Position { invariant: false },
            TypeInner::Vector { size: VectorSize::Quad, scalar: Scalar::F32 },
        )),
        ShaderStage::Compute => Some((
            BuiltIn::GlobalInvocationId,
            TypeInner::Vector { size: VectorSize::Tri, scalar: Scalar::U32 },
        )),
        ShaderStage::Task
        | ShaderStage::Mesh
        | ShaderStage::RayGeneration
        | ShaderStage::AnyHit
        | ShaderStage::ClosestHit
        | ShaderStage::Miss => None,
    }
}

/// An argument with a built-in input.
#[derive(Clone, Copy, Debug)]
struct Given {
    /// Index of the argument.
    argument: usize,
    /// The member of its struct.
    member: Option<u32>,
}

/// The argument that already has the input.
fn argument(module: &Module, function: &Function, wanted: BuiltIn) -> Option<Given> {
    let is_wanted = |binding: &Option<Binding>| match (binding, wanted) {
        (Some(Binding::BuiltIn(BuiltIn::Position { .. })), BuiltIn::Position { .. }) => true,
        (Some(Binding::BuiltIn(builtin)), _) => *builtin == wanted,
        (Some(Binding::Location { .. }) | None, _) => false,
    };
    function.arguments.iter().enumerate().find_map(|(idx, argument)| {
        if is_wanted(&argument.binding) {
            return Some(Given { argument: idx, member: None });
        }
        let TypeInner::Struct { members, .. } = &module.types[argument.ty].inner else {
            return None;
        };
        let member = members.iter().position(|member| is_wanted(&member.binding))?;
        Some(Given { argument: idx, member: Some(u32::try_from(member).ok()?) })
    })
}

/// Stores the zero before all other statements.
fn store(
    function: &mut Function,
    given: Given,
    stage: ShaderStage,
    global: Handle<GlobalVariable>,
) {
    let mut append = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let idx = u32::try_from(given.argument).unwrap_or(u32::MAX);
    let whole = append(Expression::FunctionArgument(idx));
    let pointer = append(Expression::GlobalVariable(global));
    let is_fragment = stage == ShaderStage::Fragment;
    let limit = if is_fragment { Literal::F32(-1.0) } else { Literal::U32(NEVER) };
    let limit = append(Expression::Literal(limit));
    let [one, zero] = [1, 0].map(|number| append(Expression::Literal(Literal::U32(number))));
    let mut value = whole;
    let mut first = None;
    let mut evaluate = |expression, value: &mut Handle<Expression>| {
        *value = append(expression);
        first.get_or_insert(*value);
    };
    if let Some(index) = given.member {
        evaluate(Expression::AccessIndex { base: whole, index }, &mut value);
    }
    if stage != ShaderStage::Vertex {
        evaluate(Expression::AccessIndex { base: value, index: 0 }, &mut value);
    }
    let op = if is_fragment { BinaryOperator::Less } else { BinaryOperator::Equal };
    evaluate(Expression::Binary { op, left: value, right: limit }, &mut value);
    evaluate(Expression::Select { condition: value, accept: one, reject: zero }, &mut value);
    let range = Range::new_from_bounds(first.unwrap_or(value), value);
    let statements = vec![Statement::Emit(range), Statement::Store { pointer, value }];
    function.body.splice(0..0, naga::Block::from_vec(statements));
}

impl Copy<'_> {
    /// A `u32` that is zero, evaluated here. `None` if the stage has none, or if invocations act together somewhere: the
    /// control flow around that must not depend on private variables.
    pub(crate) fn zero(&mut self) -> Option<Handle<Expression>> {
        let zero = self.scene.zero.filter(|_| !self.scene.collective.is_anywhere)?;
        let pointer = self.new.global(zero);
        Some(self.new.load(pointer))
    }

    /// A condition that is never true. The statements behind it must not act together.
    pub(crate) fn never(&mut self) -> Option<Handle<Expression>> {
        let pointer = self.new.global(self.scene.zero?);
        let left = self.new.load(pointer);
        let right = self.new.uint(0);
        let op = [BinaryOperator::NotEqual, BinaryOperator::Greater][self.random.index(2)];
        Some(self.new.binary(op, left, right))
    }

    /// A condition that is always true, under the same rule.
    pub(crate) fn always(&mut self) -> Option<Handle<Expression>> {
        let never = self.never()?;
        Some(self.new.emit(Expression::Unary { op: UnaryOperator::LogicalNot, expr: never }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{text, valid};

    /// Adds the zero to an entry point and checks what is written before the rest.
    #[track_caller]
    fn check(wgsl: &str, expected: &[&str]) {
        let mut module = fixture::module(wgsl);
        let zero = declare(&mut module).expect("the stage has an input");
        define(&mut module, zero);
        valid(&module);
        let text = text(&module);
        for part in expected {
            assert!(text.contains(part), "no `{part}` in\n{text}");
        }
    }

    #[test]
    fn an_input_that_is_missing_is_added() {
        let body = "-> @location(0) vec4f { return vec4f(1.0); }";
        check(
            &format!("@fragment fn main() {body}"),
            &["@builtin(position) vary_input: vec4<f32>", "(vary_input.x < -1f)", "vary_zero ="],
        );
        check("@compute @workgroup_size(1) fn main() {}", &["(vary_input.x == 4294967291u)"]);
        let vertex = "@vertex fn main() -> @builtin(position) vec4f { return vec4f(1.0); }";
        check(vertex, &["(vary_input == 4294967291u)"]);
    }

    #[test]
    fn an_input_that_the_stage_has_is_used() {
        let text = "struct In { @location(0) a: vec4f, @builtin(position) at: vec4f }
            @fragment fn main(given: In) -> @location(0) vec4f { return given.a; }";
        check(text, &["(given.at.x < -1f)"]);
        let text = "@vertex fn main(@builtin(vertex_index) idx: u32) -> @builtin(position) vec4f { return vec4f(f32(idx)); }";
        check(text, &["(idx == 4294967291u)"]);
    }
}
