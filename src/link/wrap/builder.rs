//! Builds one naga function, expression by expression, and adds the types it needs to the module.

use naga::{
    Expression, Function, GlobalVariable, Handle, Literal, Module, Range, Span, Statement,
    SwizzleComponent, Type, TypeInner, VectorSize,
};

use ir::interface::{Place, ScalarKind};

use super::naga_scalar;

/// A component of a vector, or a scalar.
#[derive(Clone, Copy)]
pub(crate) struct Component {
    /// The vector or scalar.
    pub(crate) vector: Handle<Expression>,
    /// Its number of components; 1 for a scalar.
    pub(crate) width: u8,
    /// Index of the component.
    pub(crate) index: u8,
}

/// A function under construction, and the module it will live in.
pub(crate) struct FunctionBuilder<'a> {
    pub(crate) module: &'a mut Module,
    pub(crate) function: Function,
}

impl<'a> FunctionBuilder<'a> {
    pub(crate) fn new(module: &'a mut Module) -> Self {
        Self { module, function: Function::default() }
    }

    pub(crate) fn finish(self) -> Function {
        self.function
    }

    pub(crate) fn push(&mut self, statement: Statement) {
        self.function.body.push(statement, Span::UNDEFINED);
    }

    /// Appends an expression that is evaluated here.
    pub(crate) fn emit(&mut self, expression: Expression) -> Handle<Expression> {
        let handle = self.declare(expression);
        self.push(Statement::Emit(Range::new_from_bounds(handle, handle)));
        handle
    }

    /// Appends an expression that naga evaluates before the body: arguments, literals, variables.
    pub(crate) fn declare(&mut self, expression: Expression) -> Handle<Expression> {
        self.function.expressions.append(expression, Span::UNDEFINED)
    }

    pub(crate) fn scalar_type(&mut self, scalar: ScalarKind) -> Handle<Type> {
        self.insert_type(TypeInner::Scalar(naga_scalar(scalar)))
    }

    /// A scalar type for size 1, else a vector type.
    pub(crate) fn vector_type(&mut self, size: usize, scalar: ScalarKind) -> Handle<Type> {
        match vector_size(size) {
            None => self.scalar_type(scalar),
            Some(size) => self.insert_type(TypeInner::Vector { size, scalar: naga_scalar(scalar) }),
        }
    }

    pub(crate) fn insert_type(&mut self, inner: TypeInner) -> Handle<Type> {
        self.module.types.insert(Type { name: None, inner }, Span::UNDEFINED)
    }

    /// Pointer to a variable or a part of one.
    pub(crate) fn pointer(&mut self, place: &Place) -> Handle<Expression> {
        self.pointer_into(place.global, &place.path)
    }

    pub(crate) fn pointer_into(
        &mut self,
        global: Handle<GlobalVariable>,
        path: &[u32],
    ) -> Handle<Expression> {
        let mut pointer = self.declare(Expression::GlobalVariable(global));
        for index in path {
            pointer = self.emit(Expression::AccessIndex { base: pointer, index: *index });
        }
        pointer
    }

    pub(crate) fn load(&mut self, pointer: Handle<Expression>) -> Handle<Expression> {
        self.emit(Expression::Load { pointer })
    }

    pub(crate) fn store(&mut self, pointer: Handle<Expression>, value: Handle<Expression>) {
        self.push(Statement::Store { pointer, value });
    }

    /// Component `index` of the vector `vector`.
    pub(crate) fn component(
        &mut self,
        vector: Handle<Expression>,
        index: u8,
    ) -> Handle<Expression> {
        self.emit(Expression::AccessIndex { base: vector, index: u32::from(index) })
    }

    /// A scalar or vector of `kind` gathered from components of other ones.
    pub(crate) fn gather(&mut self, from: &[Component], kind: ScalarKind) -> Handle<Expression> {
        if let [one] = from {
            return self.pick(*one);
        }
        let Component { vector, width, .. } = from[0];
        if width == 1 || from.iter().any(|other| other.vector != vector) {
            let components = from.iter().map(|one| self.pick(*one)).collect();
            let ty = self.vector_type(from.len(), kind);
            return self.emit(Expression::Compose { ty, components });
        }
        if from.len() == usize::from(width) && (0..).zip(from).all(|(idx, one)| one.index == idx) {
            return vector;
        }
        let mut pattern = [SwizzleComponent::X; 4];
        for (target, one) in pattern.iter_mut().zip(from) {
            *target = SwizzleComponent::from_index(u32::from(one.index));
        }
        let size = vector_size(from.len()).expect("a lone scalar is handled above");
        self.emit(Expression::Swizzle { size, vector, pattern })
    }

    fn pick(&mut self, one: Component) -> Handle<Expression> {
        if one.width == 1 { one.vector } else { self.component(one.vector, one.index) }
    }

    /// `value` with its bits read as `to`; the same expression when the kinds agree.
    pub(crate) fn bitcast(
        &mut self,
        value: Handle<Expression>,
        from: ScalarKind,
        to: ScalarKind,
    ) -> Handle<Expression> {
        if from == to {
            return value;
        }
        let kind = naga_scalar(to).kind;
        self.emit(Expression::As { expr: value, kind, convert: None })
    }

    /// A 32-bit constant by its bits.
    pub(crate) fn constant(&mut self, bits: u32, kind: ScalarKind) -> Handle<Expression> {
        let value = f32::from_bits(bits);
        let literal = match kind {
            ScalarKind::F32 if value.is_finite() => Literal::F32(value),
            // naga has no literals for infinities and NaN.
            ScalarKind::F32 => {
                let bits = self.constant(bits, ScalarKind::U32);
                return self.bitcast(bits, ScalarKind::U32, ScalarKind::F32);
            }
            ScalarKind::I32 => Literal::I32(bits.cast_signed()),
            ScalarKind::Bool => Literal::Bool(bits != 0),
            ScalarKind::U32 | ScalarKind::F64 | ScalarKind::I64 | ScalarKind::U64 => {
                Literal::U32(bits)
            }
        };
        self.declare(Expression::Literal(literal))
    }

    /// The number `value` in the given kind; only used for 0 and 1.
    pub(crate) fn number(&mut self, value: u8, kind: ScalarKind) -> Handle<Expression> {
        let literal = match kind {
            ScalarKind::F32 => Literal::F32(f32::from(value)),
            ScalarKind::I32 => Literal::I32(i32::from(value)),
            ScalarKind::U32 => Literal::U32(u32::from(value)),
            ScalarKind::F64 => Literal::F64(f64::from(value)),
            ScalarKind::I64 => Literal::I64(i64::from(value)),
            ScalarKind::U64 => Literal::U64(u64::from(value)),
            ScalarKind::Bool => Literal::Bool(value != 0),
        };
        self.declare(Expression::Literal(literal))
    }
}

/// naga's size of a vector of 2 to 4 scalars.
pub(crate) const fn vector_size(size: usize) -> Option<VectorSize> {
    match size {
        2 => Some(VectorSize::Bi),
        3 => Some(VectorSize::Tri),
        4 => Some(VectorSize::Quad),
        _ => None,
    }
}
