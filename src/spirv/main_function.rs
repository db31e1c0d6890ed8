//! Builds a `main` without arguments and result, which copies built-in values into the module's own variables, calls
//! the entry point's function, and copies results back.
//!
//! SPIR-V keeps built-ins in members of blocks and with either signedness; the linker wants a private global of naga's
//! type for each.

use naga::{
    AddressSpace, ArraySize, Expression, Function, GlobalVariable, Handle, MemoryDecorations,
    Module, Range, Scalar, ScalarKind, Span, Statement, Type, TypeInner, VectorSize,
};

use ir::interface;
use ir::stage_module::{BuiltinVariable, Direction};

use super::interface::Port;

/// Adds the function and the globals that it copies from and to.
pub(super) fn build(
    module: &mut Module,
    user: Handle<Function>,
    ports: &[Port],
) -> (Handle<Function>, Vec<BuiltinVariable>) {
    let function = Function { name: Some("interstage_main".into()), ..Function::default() };
    let mut building = Building { module, function, builtins: Vec::new() };
    for port in ports.iter().filter(|port| port.direction == Direction::Input) {
        building.copy(port);
    }
    let call = Statement::Call { function: user, arguments: Vec::new(), result: None };
    building.function.body.push(call, Span::UNDEFINED);
    for port in ports.iter().filter(|port| port.direction == Direction::Output) {
        building.copy(port);
    }
    let Building { function, builtins, .. } = building;
    (module.functions.append(function, Span::UNDEFINED), builtins)
}

struct Building<'a> {
    module: &'a mut Module,
    function: Function,
    builtins: Vec<BuiltinVariable>,
}

impl Building<'_> {
    fn copy(&mut self, port: &Port) {
        let own_type = self.type_of(port);
        let outer = self.outer_global(port, own_type);
        let outer = self.declare(Expression::GlobalVariable(outer));
        let mut inner = self.declare(Expression::GlobalVariable(port.place.global));
        // The sample mask is an array of one word in SPIR-V and a word in naga.
        let is_wrapped = port.builtin == naga::BuiltIn::SampleMask
            && matches!(port.ty, interface::Type::Array { .. });
        for index in port.place.path.iter().copied().chain(is_wrapped.then_some(0)) {
            inner = self.emit(Expression::AccessIndex { base: inner, index });
        }
        let (from, to) = match port.direction {
            Direction::Input => (outer, inner),
            Direction::Output => (inner, outer),
        };
        let mut value = self.emit(Expression::Load { pointer: from });
        if is_signed(&port.ty) {
            let kind = match port.direction {
                Direction::Input => ScalarKind::Sint,
                Direction::Output => ScalarKind::Uint,
            };
            value = self.emit(Expression::As { expr: value, kind, convert: None });
        }
        self.function.body.push(Statement::Store { pointer: to, value }, Span::UNDEFINED);
    }

    fn outer_global(&mut self, port: &Port, ty: Handle<Type>) -> Handle<GlobalVariable> {
        let variable = GlobalVariable {
            name: Some("interstage_builtin".into()),
            space: AddressSpace::Private,
            binding: None,
            ty,
            init: None,
            memory_decorations: MemoryDecorations::empty(),
        };
        let global = self.module.global_variables.append(variable, Span::UNDEFINED);
        let direction = port.direction;
        self.builtins.push(BuiltinVariable {
            builtin: port.builtin,
            global,
            direction,
            is_written: direction == Direction::Output,
        });
        global
    }

    /// naga's type for the built-in: integers are unsigned.
    fn type_of(&mut self, port: &Port) -> Handle<Type> {
        use interface::Type as Ours;
        let scalar = match port.ty.leaves().first().map(|leaf| leaf.scalar) {
            Some(interface::ScalarKind::I32 | interface::ScalarKind::U32) => Scalar::U32,
            Some(interface::ScalarKind::Bool) => Scalar::BOOL,
            Some(
                interface::ScalarKind::F32
                | interface::ScalarKind::F64
                | interface::ScalarKind::I64
                | interface::ScalarKind::U64,
            )
            | None => Scalar::F32,
        };
        let inner = match &port.ty {
            Ours::Vector { size: 2, .. } => TypeInner::Vector { size: VectorSize::Bi, scalar },
            Ours::Vector { size: 3, .. } => TypeInner::Vector { size: VectorSize::Tri, scalar },
            Ours::Vector { .. } => TypeInner::Vector { size: VectorSize::Quad, scalar },
            Ours::Array { length, .. } if port.builtin != naga::BuiltIn::SampleMask => {
                let base = self.insert(TypeInner::Scalar(scalar));
                let length =
                    std::num::NonZeroU32::new(*length).unwrap_or(std::num::NonZeroU32::MIN);
                TypeInner::Array { base, size: ArraySize::Constant(length), stride: 4 }
            }
            Ours::Scalar(_) | Ours::Matrix { .. } | Ours::Array { .. } | Ours::Struct(_) => {
                TypeInner::Scalar(scalar)
            }
        };
        self.insert(inner)
    }

    fn insert(&mut self, inner: TypeInner) -> Handle<Type> {
        self.module.types.insert(Type { name: None, inner }, Span::UNDEFINED)
    }

    fn declare(&mut self, expression: Expression) -> Handle<Expression> {
        self.function.expressions.append(expression, Span::UNDEFINED)
    }

    fn emit(&mut self, expression: Expression) -> Handle<Expression> {
        let handle = self.declare(expression);
        let range = Range::new_from_bounds(handle, handle);
        self.function.body.push(Statement::Emit(range), Span::UNDEFINED);
        handle
    }
}

fn is_signed(ty: &interface::Type) -> bool {
    ty.leaves().first().is_some_and(|leaf| leaf.scalar == interface::ScalarKind::I32)
}
