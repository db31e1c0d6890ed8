//! Compiles functions: the values of their expressions, and their statements.

use link::table::binding::BindingPoint;
use naga::front::Typifier;
use naga::proc::ResolveContext;
use naga::{AddressSpace, Expression, Function, Handle, StorageAccess, TypeInner};

use super::place::Place;
use super::words::{Layout, has_halves, words_of};
use super::{Compiler, Result, not_implemented};
use crate::code::{Op, Register};

/// Value of an expression.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    /// First register of the value.
    Registers(Register),
    /// The place that a pointer refers to.
    Place(Place<'a>),
    /// A texture or sampler: index into the code's resources.
    Resource(usize),
}

/// State of compiling a function.
pub(super) struct FunctionCompiler<'a, 'b> {
    pub(super) compiler: &'b mut Compiler<'a>,
    pub(super) function: &'a Function,
    arguments: Vec<Value<'a>>,
    /// Registers for the function's result.
    pub(super) result: Option<Register>,
    values: Vec<Option<Value<'a>>>,
    locals: Vec<Place<'a>>,
    types: Typifier,
    /// Number of conditional blocks around the current statement.
    pub(super) conditions: usize,
    /// True after a statement that may return.
    pub(super) has_returned: bool,
}

impl<'a, 'b> FunctionCompiler<'a, 'b> {
    pub(super) fn new(
        compiler: &'b mut Compiler<'a>,
        function: &'a Function,
        arguments: Vec<Value<'a>>,
        result: Option<Register>,
    ) -> Result<Self> {
        let mut types = Typifier::new();
        let context = ResolveContext::with_locals(
            compiler.module,
            &function.local_variables,
            &function.arguments,
        );
        for (handle, _) in function.expressions.iter() {
            if types.grow(handle, &function.expressions, &context).is_err() {
                return not_implemented("expressions without a type");
            }
        }
        let values = vec![None; function.expressions.len()];
        let (locals, conditions, has_returned) = (Vec::new(), 0, false);
        Ok(Self {
            compiler,
            function,
            arguments,
            result,
            values,
            locals,
            types,
            conditions,
            has_returned,
        })
    }

    /// Compiles the function into the current block.
    pub(super) fn body(&mut self) -> Result<()> {
        for (_, local) in self.function.local_variables.iter() {
            let words = words_of(self.compiler.module, local.ty)?;
            let to = self.compiler.allocate(words)?;
            self.locals.push(Place::registers(to));
            let op = match local.init {
                Some(init) => {
                    let from = self.compiler.constant(&self.function.expressions, init)?;
                    Op::Move { to, from, words }
                }
                None => Op::Zero { to, words },
            };
            self.compiler.emit_body(op)?;
        }
        self.statements(&self.function.body)
    }

    pub(super) fn type_of(&self, expression: Handle<Expression>) -> &TypeInner {
        self.types.get(expression, &self.compiler.module.types)
    }

    /// True if all running lanes reach the current statement, exactly once.
    pub(super) const fn is_straight(&self) -> bool {
        self.compiler.depth == 0 && self.conditions == 0 && !self.has_returned
    }

    /// Forgets pointers to global variables, whose places have changed.
    pub(super) fn forget_pointers(&mut self) {
        for (handle, expression) in self.function.expressions.iter() {
            if matches!(expression, Expression::GlobalVariable(_)) {
                self.values[handle.index()] = None;
            }
        }
    }

    pub(super) fn set(&mut self, expression: Handle<Expression>, value: Value<'a>) {
        self.values[expression.index()] = Some(value);
    }

    /// Registers of an expression that is neither a pointer nor a resource.
    pub(super) fn register(&mut self, expression: Handle<Expression>) -> Result<Register> {
        match self.value(expression)? {
            Value::Registers(at) => Ok(at),
            Value::Place(_) | Value::Resource(_) => not_implemented("pointers as values"),
        }
    }

    /// Index of the resource that an expression names.
    pub(super) fn resource(&mut self, expression: Handle<Expression>) -> Result<usize> {
        match self.value(expression)? {
            Value::Resource(resource) => Ok(resource),
            Value::Place(_) | Value::Registers(_) => not_implemented("resources of this kind"),
        }
    }

    pub(super) fn value(&mut self, expression: Handle<Expression>) -> Result<Value<'a>> {
        if let Some(value) = self.values[expression.index()] {
            return Ok(value);
        }
        let value = match self.function.expressions[expression] {
            Expression::FunctionArgument(index) => match self.arguments.get(index as usize) {
                Some(value) => *value,
                None => return not_implemented("a missing argument"),
            },
            Expression::GlobalVariable(variable) => self.global(variable)?,
            Expression::LocalVariable(variable) => Value::Place(self.locals[variable.index()]),
            Expression::Literal(_) | Expression::Constant(_) | Expression::ZeroValue(_) => {
                let function = self.function;
                Value::Registers(self.compiler.constant(&function.expressions, expression)?)
            }
            // Values of expressions that no `Emit` covers: here only constants can be read for the first time.
            _ => {
                self.compiler.enter()?;
                let value = self.evaluate(expression)?;
                self.compiler.nesting -= 1;
                value
            }
        };
        self.set(expression, value);
        Ok(value)
    }

    /// Layout of a buffer without an explicit one.
    fn buffer_layout(&self, ty: Handle<naga::Type>) -> Layout<'a> {
        let module = self.compiler.module;
        let has_halves = has_halves(module, &module.types[ty].inner);
        if has_halves { Layout::Halves } else { Layout::Buffer }
    }

    fn global(&mut self, handle: Handle<naga::GlobalVariable>) -> Result<Value<'a>> {
        if let Some(place) = self.compiler.globals.get(&handle) {
            return Ok(Value::Place(*place));
        }
        let variable = &self.compiler.module.global_variables[handle];
        let BindingPoint { group, binding } = BindingPoint::IMMEDIATES;
        let immediates = || naga::ResourceBinding { group, binding };
        let is_immediate = variable.space == AddressSpace::Immediate;
        let Some(binding) = variable.binding.or_else(|| is_immediate.then(immediates)) else {
            return not_implemented(format!("variables of {:?}", variable.space));
        };
        let resources = &mut self.compiler.code.resources;
        let known = resources.iter().position(|known| *known == binding);
        let resource = known.unwrap_or_else(|| {
            resources.push(binding);
            resources.len() - 1
        });
        let space = variable.space;
        let own = self.compiler.layouts.get(&handle).copied();
        let layout = own.map_or_else(|| self.buffer_layout(variable.ty), Layout::Block);
        match space {
            AddressSpace::Uniform | AddressSpace::Immediate => {
                Ok(Value::Place(Place::buffer(resource, true, layout)))
            }
            AddressSpace::Storage { access } => {
                let is_uniform = !access.contains(StorageAccess::STORE);
                Ok(Value::Place(Place::buffer(resource, is_uniform, layout)))
            }
            AddressSpace::Handle => match self.compiler.module.types[variable.ty].inner {
                TypeInner::Image { .. } | TypeInner::Sampler { .. } => {
                    Ok(Value::Resource(resource))
                }
                _ => not_implemented("resources of this type"),
            },
            AddressSpace::Function
            | AddressSpace::Private
            | AddressSpace::WorkGroup
            | AddressSpace::TaskPayload
            | AddressSpace::RayPayload
            | AddressSpace::IncomingRayPayload => {
                not_implemented(format!("variables of {space:?}"))
            }
        }
    }
}
