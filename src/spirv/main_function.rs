//! Builds a `main` without arguments and result, which copies built-in values into the module's own variables, calls
//! the entry point's function, and copies results back.
//!
//! SPIR-V keeps built-ins in members of blocks and with either signedness; the linker needs a private global of naga's
//! type for each.

use naga::{
    ArraySize, Expression, Function, GlobalVariable, Handle, Module, Scalar, ScalarKind, Span,
    Type, TypeInner, VectorSize,
};

use ir::builder::{FunctionBuilder, add_private};
use ir::interface;
use ir::stage_module::{BuiltinVariable, Direction};

use super::interface::Port;

/// Adds the function and the globals that it copies from and to.
pub(super) fn build(
    module: &mut Module,
    user: Handle<Function>,
    ports: &[Port],
) -> (Handle<Function>, Vec<BuiltinVariable>) {
    let mut main = FunctionBuilder::new(&mut *module);
    main.function.name = Some("interstage_main".into());
    let mut building = Building { main, builtins: Vec::new() };
    for port in ports.iter().filter(|port| port.direction == Direction::Input) {
        building.copy(port);
    }
    building.main.call(user, Vec::new());
    for port in ports.iter().filter(|port| port.direction == Direction::Output) {
        building.copy(port);
    }
    let Building { main, builtins } = building;
    let function = main.finish();
    (module.functions.append(function, Span::UNDEFINED), builtins)
}

struct Building<'a> {
    main: FunctionBuilder<&'a mut Module>,
    builtins: Vec<BuiltinVariable>,
}

impl Building<'_> {
    fn copy(&mut self, port: &Port) {
        let own_type = self.type_of(port);
        let outer = self.outer_global(port, own_type);
        let outer = self.main.global(outer);
        let mut inner = self.main.pointer(&port.place);
        // The sample mask is an array of one word in SPIR-V and a word in naga.
        let is_wrapped = port.builtin == naga::BuiltIn::SampleMask
            && matches!(port.ty, interface::Type::Array { .. });
        if is_wrapped {
            inner = self.main.part(inner, 0);
        }
        let (from, to) = match port.direction {
            Direction::Input => (outer, inner),
            Direction::Output => (inner, outer),
        };
        let mut value = self.main.load(from);
        if is_signed(&port.ty) {
            let kind = match port.direction {
                Direction::Input => ScalarKind::Sint,
                Direction::Output => ScalarKind::Uint,
            };
            value = self.main.emit(Expression::As { expr: value, kind, convert: None });
        }
        self.main.store(to, value);
    }

    fn outer_global(&mut self, port: &Port, ty: Handle<Type>) -> Handle<GlobalVariable> {
        let name = Some("interstage_builtin".into());
        let global = add_private(self.main.module, name, ty);
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
                let base = self.main.insert_type(TypeInner::Scalar(scalar));
                let length =
                    std::num::NonZeroU32::new(*length).unwrap_or(std::num::NonZeroU32::MIN);
                TypeInner::Array { base, size: ArraySize::Constant(length), stride: 4 }
            }
            Ours::Scalar(_) | Ours::Matrix { .. } | Ours::Array { .. } | Ours::Struct(_) => {
                TypeInner::Scalar(scalar)
            }
        };
        self.main.insert_type(inner)
    }
}

fn is_signed(ty: &interface::Type) -> bool {
    ty.leaves().first().is_some_and(|leaf| leaf.scalar == interface::ScalarKind::I32)
}
