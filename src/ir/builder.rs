//! Builds functions of naga's IR, expression by expression.
//!
//! naga evaluates an expression where an `Emit` statement covers it. Constants, arguments, variables and results of
//! calls need none. The builder covers every other expression where it is added, so the order of evaluation is the
//! order of the calls. Statements after a jump are dropped: naga allows none there.

use naga::{
    AddressSpace, BinaryOperator, Block, Expression, Function, FunctionArgument, FunctionResult,
    GlobalVariable, Handle, Literal, LocalVariable, MathFunction, MemoryDecorations, Module, Range,
    ResourceBinding, Span, Statement, Type, TypeInner, VectorSize,
};

use crate::interface::{Place, ScalarKind};

/// A function under construction, with the module that will hold it: `&mut Module`, or `()` if the caller holds the
/// module.
#[derive(Debug)]
pub struct FunctionBuilder<M> {
    /// The module that will hold the function.
    pub module: M,
    /// The function without its statements.
    pub function: Function,
    /// Blocks under construction, the innermost last.
    blocks: Vec<Block>,
    /// Source position of added expressions and statements.
    span: Span,
}

impl<M> FunctionBuilder<M> {
    /// An empty function.
    pub fn new(module: M) -> Self {
        let function = Function::default();
        Self { module, function, blocks: vec![Block::new()], span: Span::UNDEFINED }
    }

    /// The finished function.
    pub fn finish(mut self) -> Function {
        self.function.body = self.close_block();
        self.function
    }

    /// The finished function, which returns `value` of type `ty`.
    pub fn finish_with(mut self, ty: Handle<Type>, value: Handle<Expression>) -> Function {
        self.push(Statement::Return { value: Some(value) });
        self.function.result = Some(FunctionResult { ty, binding: None });
        self.finish()
    }

    /// Sets the source position of what is added from now on.
    pub const fn at(&mut self, span: Span) -> &mut Self {
        self.span = span;
        self
    }

    /// Adds an expression and, if necessary, evaluates it here.
    pub fn emit(&mut self, expression: Expression) -> Handle<Expression> {
        let is_result = matches!(
            expression,
            Expression::CallResult(_)
                | Expression::AtomicResult { .. }
                | Expression::WorkGroupUniformLoadResult { .. }
                | Expression::RayQueryProceedResult
                | Expression::SubgroupBallotResult
                | Expression::SubgroupOperationResult { .. }
        );
        let is_evaluated = !expression.needs_pre_emit() && !is_result;
        let handle = self.function.expressions.append(expression, self.span);
        if is_evaluated && !self.is_dead() {
            self.cover(handle);
        }
        handle
    }

    fn cover(&mut self, handle: Handle<Expression>) {
        let Some(block) = self.blocks.last_mut() else { return };
        if let Some(Statement::Emit(range)) = block.last_mut()
            && range.index_range().end as usize == handle.index()
            && let Some((first, _)) = range.first_and_last()
        {
            *range = Range::new_from_bounds(first, handle);
            return;
        }
        block.push(Statement::Emit(Range::new_from_bounds(handle, handle)), self.span);
    }

    /// Adds a statement.
    pub fn push(&mut self, statement: Statement) {
        if let (false, Some(block)) = (self.is_dead(), self.blocks.last_mut()) {
            block.push(statement, self.span);
        }
    }

    /// True if the code here is unreachable: the current block ended in a jump.
    pub fn is_dead(&self) -> bool {
        self.blocks.last().is_some_and(ends_in_jump)
    }

    /// Starts a nested block.
    pub fn open_block(&mut self) {
        self.blocks.push(Block::new());
    }

    /// Ends the innermost block.
    pub fn close_block(&mut self) -> Block {
        self.blocks.pop().unwrap_or_default()
    }

    /// Continues a closed block.
    pub fn reopen_block(&mut self, block: Block) {
        self.blocks.push(block);
    }

    /// Adds the statements of a closed block.
    pub fn append(&mut self, mut statements: Block) {
        if let (false, Some(block)) = (self.is_dead(), self.blocks.last_mut()) {
            block.append(&mut statements);
        }
    }

    /// Adds an argument; returns its value.
    pub fn argument(&mut self, argument: FunctionArgument) -> Handle<Expression> {
        let idx = u32::try_from(self.function.arguments.len()).unwrap_or(u32::MAX);
        self.function.arguments.push(argument);
        self.emit(Expression::FunctionArgument(idx))
    }

    /// Adds a local variable; returns a pointer to it.
    pub fn local(&mut self, name: &str, ty: Handle<Type>) -> Handle<Expression> {
        let variable = LocalVariable { name: Some(name.to_owned()), ty, init: None };
        let handle = self.function.local_variables.append(variable, self.span);
        self.emit(Expression::LocalVariable(handle))
    }

    /// Pointer to a global.
    pub fn global(&mut self, global: Handle<GlobalVariable>) -> Handle<Expression> {
        self.emit(Expression::GlobalVariable(global))
    }

    /// Pointer to a global or a part of one.
    pub fn pointer(&mut self, place: &Place) -> Handle<Expression> {
        self.pointer_into(place.global, &place.path)
    }

    /// Pointer to the part of a global at the end of a path.
    pub fn pointer_into(
        &mut self,
        global: Handle<GlobalVariable>,
        path: &[u32],
    ) -> Handle<Expression> {
        let whole = self.global(global);
        path.iter().fold(whole, |pointer, index| self.part(pointer, *index))
    }

    /// Reads through a pointer at this point.
    pub fn load(&mut self, pointer: Handle<Expression>) -> Handle<Expression> {
        self.emit(Expression::Load { pointer })
    }

    /// Reads a global or a part of one at this point.
    pub fn read(&mut self, place: &Place) -> Handle<Expression> {
        let pointer = self.pointer(place);
        self.load(pointer)
    }

    /// Writes through a pointer at this point.
    pub fn store(&mut self, pointer: Handle<Expression>, value: Handle<Expression>) {
        self.push(Statement::Store { pointer, value });
    }

    /// Part `index` of a vector, matrix, array or struct, or a pointer to it for a pointer.
    pub fn part(&mut self, base: Handle<Expression>, index: u32) -> Handle<Expression> {
        self.emit(Expression::AccessIndex { base, index })
    }

    /// The part of a vector, matrix or array at a computed index, or a pointer to it for a pointer.
    pub fn element(
        &mut self,
        base: Handle<Expression>,
        index: Handle<Expression>,
    ) -> Handle<Expression> {
        self.emit(Expression::Access { base, index })
    }

    /// A value of type `ty` from its parts.
    pub fn compose(
        &mut self,
        ty: Handle<Type>,
        components: Vec<Handle<Expression>>,
    ) -> Handle<Expression> {
        self.emit(Expression::Compose { ty, components })
    }

    /// An operation on two values.
    pub fn binary(
        &mut self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Handle<Expression> {
        self.emit(Expression::Binary { op, left, right })
    }

    /// One of naga's functions, of up to four arguments.
    pub fn math(
        &mut self,
        fun: MathFunction,
        arguments: &[Handle<Expression>],
    ) -> Handle<Expression> {
        let at = |idx: usize| arguments.get(idx).copied();
        let arg = arguments[0];
        self.emit(Expression::Math { fun, arg, arg1: at(1), arg2: at(2), arg3: at(3) })
    }

    /// `accept` where `condition` is true, else `reject`.
    pub fn select(
        &mut self,
        condition: Handle<Expression>,
        accept: Handle<Expression>,
        reject: Handle<Expression>,
    ) -> Handle<Expression> {
        self.emit(Expression::Select { condition, accept, reject })
    }

    /// Reinterprets the bits of `value` as `to`; returns the same expression if the kinds agree.
    pub fn bitcast(
        &mut self,
        expr: Handle<Expression>,
        from: ScalarKind,
        to: ScalarKind,
    ) -> Handle<Expression> {
        if from == to {
            return expr;
        }
        self.emit(Expression::As { expr, kind: naga_scalar(to).kind, convert: None })
    }

    /// Calls a function without a result.
    pub fn call(&mut self, function: Handle<Function>, arguments: Vec<Handle<Expression>>) {
        self.push(Statement::Call { function, arguments, result: None });
    }

    /// Calls a function for its result.
    pub fn call_for_result(
        &mut self,
        function: Handle<Function>,
        arguments: Vec<Handle<Expression>>,
    ) -> Handle<Expression> {
        let result = self.emit(Expression::CallResult(function));
        self.push(Statement::Call { function, arguments, result: Some(result) });
        result
    }

    /// A literal.
    pub fn literal(&mut self, literal: Literal) -> Handle<Expression> {
        self.emit(Expression::Literal(literal))
    }

    /// A literal `u32`.
    pub fn uint(&mut self, value: u32) -> Handle<Expression> {
        self.literal(Literal::U32(value))
    }

    /// A 32-bit constant by its bits.
    pub fn constant(&mut self, bits: u32, kind: ScalarKind) -> Handle<Expression> {
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
        self.literal(literal)
    }

    /// A small number in the given kind.
    pub fn number(&mut self, value: u8, kind: ScalarKind) -> Handle<Expression> {
        self.literal(match kind {
            ScalarKind::F32 => Literal::F32(f32::from(value)),
            ScalarKind::I32 => Literal::I32(i32::from(value)),
            ScalarKind::U32 => Literal::U32(u32::from(value)),
            ScalarKind::F64 => Literal::F64(f64::from(value)),
            ScalarKind::I64 => Literal::I64(i64::from(value)),
            ScalarKind::U64 => Literal::U64(u64::from(value)),
            ScalarKind::Bool => Literal::Bool(value != 0),
        })
    }
}

impl FunctionBuilder<&mut Module> {
    /// A scalar type.
    pub fn scalar_type(&mut self, scalar: ScalarKind) -> Handle<Type> {
        self.insert_type(TypeInner::Scalar(naga_scalar(scalar)))
    }

    /// A scalar type for size 1, else a vector type.
    pub fn vector_type(&mut self, size: usize, scalar: ScalarKind) -> Handle<Type> {
        match vector_size(size) {
            None => self.scalar_type(scalar),
            Some(size) => self.insert_type(TypeInner::Vector { size, scalar: naga_scalar(scalar) }),
        }
    }

    /// Adds a type without a name to the module.
    pub fn insert_type(&mut self, inner: TypeInner) -> Handle<Type> {
        insert_type(self.module, inner)
    }
}

/// True if control never continues after the block.
pub fn ends_in_jump(block: &Block) -> bool {
    let last = block.last();
    last.is_some_and(|last| {
        matches!(
            last,
            Statement::Break | Statement::Continue | Statement::Return { .. } | Statement::Kill
        )
    })
}

/// Adds a type without a name to a module.
pub fn insert_type(module: &mut Module, inner: TypeInner) -> Handle<Type> {
    module.types.insert(Type { name: None, inner }, Span::UNDEFINED)
}

/// Adds a private global to a module.
pub fn add_private(
    module: &mut Module,
    name: Option<String>,
    ty: Handle<Type>,
) -> Handle<GlobalVariable> {
    module.global_variables.append(global(name, ty, AddressSpace::Private, None), Span::UNDEFINED)
}

/// A global without an initial value.
pub const fn global(
    name: Option<String>,
    ty: Handle<Type>,
    space: AddressSpace,
    binding: Option<ResourceBinding>,
) -> GlobalVariable {
    let memory_decorations = MemoryDecorations::empty();
    GlobalVariable { name, space, binding, ty, init: None, memory_decorations }
}

/// naga's size of a vector of 2 to 4 scalars.
pub const fn vector_size(size: usize) -> Option<VectorSize> {
    match size {
        2 => Some(VectorSize::Bi),
        3 => Some(VectorSize::Tri),
        4 => Some(VectorSize::Quad),
        _ => None,
    }
}

/// naga's scalar for a scalar kind.
const fn naga_scalar(scalar: ScalarKind) -> naga::Scalar {
    match scalar {
        ScalarKind::F32 => naga::Scalar::F32,
        ScalarKind::I32 => naga::Scalar::I32,
        ScalarKind::U32 => naga::Scalar::U32,
        ScalarKind::F64 => naga::Scalar::F64,
        ScalarKind::I64 => naga::Scalar::I64,
        ScalarKind::U64 => naga::Scalar::U64,
        ScalarKind::Bool => naga::Scalar::BOOL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_an_emit_and_constants_need_none() {
        let mut module = Module::default();
        let mut builder = FunctionBuilder::new(&mut module);
        let float = builder.scalar_type(ScalarKind::F32);
        let pointer = builder.local("x", float);
        let two = builder.number(2, ScalarKind::F32);
        let old = builder.load(pointer);
        let twice = builder.binary(BinaryOperator::Multiply, old, two);
        builder.store(pointer, twice);
        let new = builder.load(pointer);
        let function = builder.finish_with(float, new);
        let expected = [
            Statement::Emit(Range::new_from_bounds(old, twice)),
            Statement::Store { pointer, value: twice },
            Statement::Emit(Range::new_from_bounds(new, new)),
            Statement::Return { value: Some(new) },
        ];
        assert_eq!(format!("{:?}", &*function.body), format!("{expected:?}"));
    }

    #[test]
    fn nothing_follows_a_jump() {
        let mut builder = FunctionBuilder::new(());
        builder.open_block();
        builder.push(Statement::Kill);
        let zero = builder.uint(0);
        builder.binary(BinaryOperator::Add, zero, zero);
        builder.push(Statement::Break);
        let block = builder.close_block();
        assert!(matches!(*block, [Statement::Kill]));
        builder.append(block);
        assert!(builder.is_dead());
        assert_eq!(builder.finish().body.len(), 1);
    }
}
