//! Arguments of calls, evaluated and compared with parameters.

use crate::ast::{Expr, Ident};
use ir::source::Span;

use super::function::{Direction, ParameterType};
use super::overload_rank::Conversion;
use crate::lower::body::Body;
use crate::lower::operand::{Operand, Place, Value};
use crate::lower::types::Ty;
use crate::lower::{Result, wrong};

/// An argument, evaluated as far as the parameter's direction requires.
#[derive(Clone, Debug)]
pub(in crate::lower) struct Argument {
    /// Type of the argument.
    pub(in crate::lower) ty: Ty,
    /// Value of the argument, unless the parameter is only written or refers to memory.
    pub(in crate::lower) value: Option<Value>,
    /// Place of the argument, if it denotes memory.
    pub(in crate::lower) place: Option<Place>,
    /// Position of the argument.
    pub(in crate::lower) span: Span,
}

impl Argument {
    /// An argument of which only the type counts.
    pub(in crate::lower) const fn of_type(ty: Ty) -> Self {
        Self { ty, value: None, place: None, span: Span::new(0, 0) }
    }
}

impl Body<'_, '_> {
    /// Evaluates the arguments of a constructor.
    pub(in crate::lower) fn arguments(&mut self, arguments: &[Expr]) -> Result<Vec<(Value, Span)>> {
        let values = arguments
            .iter()
            .map(|argument| self.rvalue(argument).map(|value| (value, argument.span)));
        values.collect()
    }

    /// Evaluates an argument. If the candidate functions differ in the direction of the parameter, the argument is read
    /// and its place is kept.
    pub(in crate::lower) fn argument(
        &mut self,
        expr: &Expr,
        direction: Option<Direction>,
    ) -> Result<Argument> {
        let operand = self.expression(expr)?;
        let (ty, place) = match &operand {
            Operand::Value(value) => (value.ty, None),
            Operand::Place(place) => (place.ty, Some(place.clone())),
            Operand::Void => return wrong(expr.span, "the call of a `void` function has no value"),
        };
        let is_read = match direction {
            None | Some(Direction::In) => true,
            Some(Direction::Out | Direction::InOut | Direction::Memory) => false,
        };
        let value = match &operand {
            Operand::Place(_) if !is_read => None,
            Operand::Place(_) | Operand::Value(_) | Operand::Void => {
                Some(self.value_of(&operand, expr.span)?)
            }
        };
        Ok(Argument { ty, value, place, span: expr.span })
    }

    /// The value of an argument, which is read now unless it was read before.
    pub(in crate::lower) fn argument_value(&mut self, argument: &Argument) -> Result<Value> {
        match (argument.value, &argument.place) {
            (Some(value), _) => Ok(value),
            (None, Some(place)) => self.load(place, argument.span),
            (None, None) => wrong(argument.span, "this argument has no value"),
        }
    }

    /// The conversions of all arguments; `None` if one cannot be converted.
    pub(in crate::lower) fn conversions(
        &self,
        parameters: &[ParameterType],
        arguments: &[Argument],
    ) -> Option<Vec<Conversion>> {
        if parameters.len() != arguments.len() {
            return None;
        }
        let mut conversions = Vec::new();
        for (parameter, argument) in parameters.iter().zip(arguments) {
            if parameter.ty == argument.ty {
                conversions.push(Conversion::Exact);
                continue;
            }
            let is_in = self.is_type_convertible(argument.ty, parameter.ty);
            let is_out = self.is_type_convertible(parameter.ty, argument.ty);
            let is_fine = match parameter.direction {
                Direction::In => is_in,
                Direction::Out => is_out,
                Direction::InOut | Direction::Memory => is_in && is_out,
            };
            if !is_fine {
                return None;
            }
            conversions.push(self.conversion(argument.ty, parameter.ty, parameter.direction));
        }
        Some(conversions)
    }

    /// The conversion between an argument and a parameter of different types.
    pub(in crate::lower) fn conversion(
        &self,
        argument: Ty,
        parameter: Ty,
        direction: Direction,
    ) -> Conversion {
        let [argument, parameter] = [argument, parameter].map(|ty| self.shape(ty).kind());
        match direction {
            Direction::Out => Conversion::between(parameter, argument),
            Direction::In | Direction::InOut | Direction::Memory => {
                Conversion::between(argument, parameter)
            }
        }
    }

    /// The error if no overload accepts these arguments.
    pub(in crate::lower) fn no_match<T>(&self, name: &Ident, arguments: &[Argument]) -> Result<T> {
        let types: Vec<_> = arguments.iter().map(|argument| self.type_name(argument.ty)).collect();
        let message = format!("no overload of `{}` accepts ({})", name.name, types.join(", "));
        wrong(name.span, message)
    }
}
