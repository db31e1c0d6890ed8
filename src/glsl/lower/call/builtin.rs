//! Built-in functions: tables, one file per chapter of the language's specification.
//!
//! A [`Row`] has a name, a signature in the specification's own notation (`genF(genF, genF, float)`), and a way to emit
//! the call with arguments of exactly those types. Several rows with the same name are its overloads. `genF`, `genI`,
//! `genU` and `genB` mean a scalar or vector of the same size throughout the signature; `vec`, `ivec`, `uvec` and
//! `bvec` mean vectors only. `out` marks a parameter that is written, `mem` one whose memory is accessed.

mod checked;
mod common;
mod emission;
mod exponent;
mod float_bits;
mod geometric;
mod integer;
mod legacy;
mod matrix;
mod overload;
mod packing;
mod relational;
mod subgroup;
mod synchronization;
mod trinary;
mod wide;

#[cfg(test)]
mod tests;

use naga::{BinaryOperator, DerivativeAxis, DerivativeControl, Expression, Literal, MathFunction};

use crate::ast::Ident;
use ir::source::Span;
use ir::stage::ShaderStage;

use overload::{Overload, Width, family, overloads};

use super::argument::Argument;
use super::function::{Direction, ParameterType};
use super::overload_rank::{self, Conversion};
use crate::lower::body::Body;
use crate::lower::operand::{Operand, Place, Value};
use crate::lower::types::constant::literal_of;
use crate::lower::types::{Kind, Shape, Ty};
use crate::lower::{Result, wrong};

/// One overload (or family of overloads) of a built-in function.
pub(in crate::lower) struct Row {
    /// The function's name.
    pub(in crate::lower) name: &'static str,
    /// The signature, as `result(parameter, …)`.
    pub(in crate::lower) signature: &'static str,
    /// Emits the call.
    pub(in crate::lower) emit: Emit,
}

/// Method of emitting a built-in function.
#[derive(Clone, Copy)]
pub(in crate::lower) enum Emit {
    /// The same function in naga. Scalar arguments next to vectors are first repeated to vectors.
    Math(MathFunction),
    /// The same function in naga, whose last two arguments (numbers of bits) are unsigned.
    Bits(MathFunction),
    /// A derivative.
    Derivative(DerivativeAxis, DerivativeControl),
    /// A function of one value, implemented in this module.
    Unary(fn(&mut Body<'_, '_>, Value, &Call) -> Value),
    /// A function of two values, implemented in this module.
    Binary(fn(&mut Body<'_, '_>, [Value; 2], &Call) -> Value),
    /// A function of three values, implemented in this module.
    Ternary(fn(&mut Body<'_, '_>, [Value; 3], &Call) -> Value),
    /// Any other function: one that returns `void`, writes parameters, or may fail.
    Custom(fn(&mut Body<'_, '_>, &Call) -> Result<Option<Value>>),
}

/// A call whose arguments have the row's types.
pub(in crate::lower) struct Call {
    /// Values of the parameters; unspecified for `out` and `mem`.
    pub(in crate::lower) values: Vec<Value>,
    /// Places of the `out` and `mem` parameters.
    pub(in crate::lower) places: Vec<Option<Place>>,
    /// Type of the result; unspecified for `void`.
    pub(in crate::lower) ty: Ty,
    /// The function's name.
    pub(in crate::lower) name: &'static str,
    /// Position of the call.
    pub(in crate::lower) span: Span,
}

impl Row {
    /// A row for a function of naga.
    const fn math(name: &'static str, signature: &'static str, fun: MathFunction) -> Self {
        Self { name, signature, emit: Emit::Math(fun) }
    }

    /// A row for a function of naga on bit fields.
    const fn bits(name: &'static str, signature: &'static str, fun: MathFunction) -> Self {
        Self { name, signature, emit: Emit::Bits(fun) }
    }

    const fn unary(
        name: &'static str,
        signature: &'static str,
        emit: fn(&mut Body<'_, '_>, Value, &Call) -> Value,
    ) -> Self {
        Self { name, signature, emit: Emit::Unary(emit) }
    }

    const fn binary(
        name: &'static str,
        signature: &'static str,
        emit: fn(&mut Body<'_, '_>, [Value; 2], &Call) -> Value,
    ) -> Self {
        Self { name, signature, emit: Emit::Binary(emit) }
    }

    const fn ternary(
        name: &'static str,
        signature: &'static str,
        emit: fn(&mut Body<'_, '_>, [Value; 3], &Call) -> Value,
    ) -> Self {
        Self { name, signature, emit: Emit::Ternary(emit) }
    }

    const fn custom(
        name: &'static str,
        signature: &'static str,
        emit: fn(&mut Body<'_, '_>, &Call) -> Result<Option<Value>>,
    ) -> Self {
        Self { name, signature, emit: Emit::Custom(emit) }
    }
}

const TABLES: [&[Row]; 15] = [
    checked::ROWS,
    common::ROWS,
    emission::ROWS,
    exponent::ROWS,
    float_bits::ROWS,
    geometric::ROWS,
    integer::ROWS,
    legacy::ROWS,
    matrix::ROWS,
    packing::ROWS,
    relational::ROWS,
    subgroup::ROWS,
    synchronization::ROWS,
    trinary::ROWS,
    wide::ROWS,
];

/// Beginnings of the names of functions of extensions that are not provided.
const UNSUPPORTED: [&str; 13] = [
    "texture",
    "texel",
    "shadow",
    "image",
    "sparse",
    "ballot",
    "readInvocation",
    "readFirstInvocation",
    "clock",
    "subgroup",
    "vote",
    "beginInvocation",
    "endInvocation",
];

/// True if a built-in function has this name.
pub(in crate::lower) fn is_name(name: &str) -> bool {
    rows(name).next().is_some()
}

/// Returns the name if it belongs to a family of functions of extensions that are not provided.
pub(in crate::lower) fn unsupported_word(name: &str) -> Option<&str> {
    UNSUPPORTED.iter().any(|prefix| name.starts_with(prefix)).then_some(name)
}

/// Beginning of the names of functions whose results depend on which invocations call them.
const SUBGROUP: &str = "subgroup";

/// True if calling the built-in function or constructor has no side effects.
pub(in crate::lower) fn is_pure(name: &str) -> bool {
    crate::lower::types::is_keyword(name)
        || is_name(name)
            && !name.starts_with(SUBGROUP)
            && rows(name).all(|row| {
                let (result, parameters) = parts(row.signature);
                result != "void"
                    && parameters.iter().all(|parameter| direction(parameter) == Direction::In)
            })
}

/// Parameter directions of every overload with `count` parameters.
pub(in crate::lower) fn directions(name: &str, count: usize) -> Vec<Vec<Direction>> {
    rows(name)
        .map(|row| parts(row.signature).1.into_iter().map(direction).collect::<Vec<_>>())
        .filter(|directions| directions.len() == count)
        .collect()
}

fn rows(name: &str) -> impl Iterator<Item = &'static Row> {
    TABLES.into_iter().flatten().filter(move |row| row.name == name)
}

/// Splits a signature into result and parameters.
fn parts(signature: &'static str) -> (&'static str, Vec<&'static str>) {
    let (result, rest) = signature.split_once('(').unwrap_or((signature, ""));
    let inner = rest.strip_suffix(')').unwrap_or(rest).trim();
    let parameters =
        if inner.is_empty() { Vec::new() } else { inner.split(',').map(str::trim).collect() };
    (result.trim(), parameters)
}

fn direction(parameter: &str) -> Direction {
    match parameter.split_once(' ') {
        Some(("out", _)) => Direction::Out,
        Some(("mem", _)) => Direction::Memory,
        _ => Direction::In,
    }
}

fn word(parameter: &'static str) -> &'static str {
    parameter.split_once(' ').map_or(parameter, |(_, word)| word)
}

impl Body<'_, '_> {
    /// Calls a built-in function. Selects the best overload, or the first of several with the fewest conversions.
    pub(in crate::lower) fn call_builtin(
        &mut self,
        name: &Ident,
        arguments: &[Argument],
        span: Span,
    ) -> Result<Operand> {
        // An overload with 64-bit types is never better for arguments without such types, and trying it would add its
        // types to the module.
        let is_wide =
            |argument: &Argument| self.shape(argument.ty).kind().is_some_and(Kind::is_wide);
        let has_wide = arguments.iter().any(is_wide);
        let mut best: Option<(Vec<Conversion>, Overload, u8)> = None;
        for overload in overloads(&name.name) {
            if !has_wide && overload.width != Width::Narrow || !self.has_overload(overload) {
                continue;
            }
            for size in 1..=4 {
                let Some(conversions) = self.row_conversions(overload, size, arguments) else {
                    continue;
                };
                let is_best = best.as_ref().is_none_or(|(best, ..)| {
                    let is_shorter =
                        overload_rank::count(&conversions) < overload_rank::count(best);
                    overload_rank::is_better(&conversions, best)
                        || is_shorter && !overload_rank::is_better(best, &conversions)
                });
                if is_best {
                    best = Some((conversions, overload, size));
                }
            }
        }
        let Some((_, overload, size)) = best else { return self.no_match(name, arguments) };
        self.emit_row(overload, size, arguments, span)
    }

    /// True if an overload of the built-in function has exactly these parameters.
    pub(in crate::lower) fn has_parameters(
        &mut self,
        name: &str,
        parameters: &[ParameterType],
    ) -> bool {
        let arguments: Vec<_> = parameters.iter().map(|one| Argument::of_type(one.ty)).collect();
        overloads(name).filter(|overload| overload.width == Width::Narrow).any(|overload| {
            (1..=4).any(|size| {
                let conversions = self.row_conversions(overload, size, &arguments);
                conversions.is_some_and(|found| overload_rank::count(&found) == 0)
            })
        })
    }

    /// True if the object has an overload of a function with 64-bit types.
    pub(in crate::lower) fn has_wide_overload(&self, name: &str) -> bool {
        let mut wide = overloads(name).filter(|overload| overload.width != Width::Narrow);
        wide.any(|overload| self.has_overload(overload))
    }

    /// True if the object has this overload. An overload with 64-bit types exists if the object has these types,
    /// whatever its row says.
    fn has_overload(&self, overload: Overload) -> bool {
        let row = overload.row;
        if overload.is_wide_atomic() {
            return self.enables(&["GL_NV_shader_atomic_int64"]);
        }
        match overload.wide_type() {
            Some(ty) => self.has_type(ty),
            None => self.has_function(row.name, Some(row.signature)),
        }
    }

    /// The type that a word of a signature means if families have `size` components.
    fn row_type(&mut self, word: &str, size: u8, width: Width) -> Option<Ty> {
        let ty = match family(word) {
            Some((sizes, kind)) => sizes.contains(&size).then(|| self.stage.vector(size, kind)),
            None => self.stage.keyword_type(word),
        }?;
        Some(match self.shape(ty) {
            Shape::Scalar(kind) => self.stage.scalar(width.of(kind)),
            Shape::Vector(size, kind) => self.stage.vector(size, width.of(kind)),
            Shape::Matrix(columns, rows, kind) => self.stage.matrix(columns, rows, width.of(kind)),
            Shape::Array(..) | Shape::Struct => ty,
        })
    }

    fn row_conversions(
        &mut self,
        Overload { row, width }: Overload,
        size: u8,
        arguments: &[Argument],
    ) -> Option<Vec<Conversion>> {
        let (_, parameters) = parts(row.signature);
        if parameters.len() != arguments.len() {
            return None;
        }
        let is_family = parameters.iter().any(|parameter| family(word(parameter)).is_some());
        if !is_family && size > 1 {
            return None;
        }
        let mut conversions = Vec::new();
        for (parameter, argument) in parameters.into_iter().zip(arguments) {
            let ty = self.row_type(word(parameter), size, width)?;
            if ty == argument.ty {
                conversions.push(Conversion::Exact);
                continue;
            }
            let is_fine = match direction(parameter) {
                Direction::In => self.is_type_convertible(argument.ty, ty),
                Direction::Out => self.is_type_convertible(ty, argument.ty),
                Direction::InOut | Direction::Memory => false,
            };
            if !is_fine {
                return None;
            }
            conversions.push(self.conversion(argument.ty, ty, direction(parameter)));
        }
        Some(conversions)
    }

    fn emit_row(
        &mut self,
        Overload { row, width }: Overload,
        size: u8,
        arguments: &[Argument],
        span: Span,
    ) -> Result<Operand> {
        let (result, parameters) = parts(row.signature);
        let (mut values, mut places) = (Vec::new(), Vec::new());
        for (parameter, argument) in parameters.into_iter().zip(arguments) {
            let ty = self.row_type(word(parameter), size, width).unwrap_or(argument.ty);
            if direction(parameter) == Direction::In {
                let value = self.argument_value(argument)?;
                values.push(self.implicit(value, ty, argument.span)?);
                places.push(None);
                continue;
            }
            let Some(place) = &argument.place else {
                return wrong(argument.span, "this argument must be a variable");
            };
            self.check_writable(place, argument.span)?;
            values.push(self.zero(ty, argument.span));
            places.push(Some(place.clone()));
        }
        let float = self.stage.scalar(Kind::Float);
        let ty = self.row_type(result, size, width).unwrap_or(float);
        let call = Call { values, places, ty, name: row.name, span };
        let value = self.emit_call(row.emit, &call)?;
        let Some(value) = value else { return Ok(Operand::Void) };
        Ok(Operand::Value(self.collapsed(value, &call)))
    }

    fn emit_call(&mut self, emit: Emit, call: &Call) -> Result<Option<Value>> {
        let value = match (emit, &call.values[..]) {
            (Emit::Math(fun), _) => self.math_call(fun, call),
            (Emit::Bits(fun), [fields @ .., offset, count]) => {
                let mut values = fields.to_vec();
                values.push(self.bitcast(*offset, Kind::Uint, call.span));
                values.push(self.bitcast(*count, Kind::Uint, call.span));
                self.math(fun, &values, call.ty, call.span)
            }
            (Emit::Derivative(..), _) if self.stage.stage != ShaderStage::Fragment => {
                return wrong(
                    call.span,
                    format!("`{}` is only available in the fragment stage", call.name),
                );
            }
            (Emit::Derivative(axis, ctrl), [value, ..]) => {
                let derivative = Expression::Derivative { axis, ctrl, expr: value.handle };
                self.value(derivative, call.ty, call.span)
            }
            (Emit::Unary(emit), [x]) => emit(self, *x, call),
            (Emit::Binary(emit), [x, y]) => emit(self, [*x, *y], call),
            (Emit::Ternary(emit), [x, y, z]) => emit(self, [*x, *y, *z], call),
            (Emit::Custom(emit), _) => return emit(self, call),
            // Signature and emitter of a table row do not match. A test calls every row.
            (
                Emit::Bits(_)
                | Emit::Derivative(..)
                | Emit::Unary(_)
                | Emit::Binary(_)
                | Emit::Ternary(_),
                _,
            ) => {
                return Ok(None);
            }
        };
        Ok(Some(value))
    }

    /// Replaces the result by a literal if all arguments are constant, so that the constant evaluator does not have to
    /// follow the generated code.
    fn collapsed(&mut self, value: Value, call: &Call) -> Value {
        let is_constant = call.places.iter().all(Option::is_none)
            && !call.values.is_empty()
            && call.values.iter().all(|value| self.is_known(*value));
        if is_constant && let Some(constant) = self.evaluate(value.handle) {
            self.materialize(&constant, call.span)
        } else {
            value
        }
    }

    fn math_call(&mut self, fun: MathFunction, call: &Call) -> Value {
        let size = call
            .values
            .iter()
            .filter_map(|value| self.shape(value.ty).components())
            .max()
            .unwrap_or(1);
        let values: Vec<_> =
            call.values.iter().map(|value| self.splat(*value, size, call.span)).collect();
        self.math(fun, &values, call.ty, call.span)
    }

    /// Calls a mathematical function of naga.
    pub(in crate::lower) fn math(
        &mut self,
        fun: MathFunction,
        arguments: &[Value],
        ty: Ty,
        span: Span,
    ) -> Value {
        let argument = |idx: usize| arguments.get(idx).map(|value| value.handle);
        let Some(arg) = argument(0) else { return self.zero(ty, span) };
        let (arg1, arg2, arg3) = (argument(1), argument(2), argument(3));
        self.value(Expression::Math { fun, arg, arg1, arg2, arg3 }, ty, span)
    }

    /// Writes the result of an `out` parameter, converted to the argument's type.
    pub(in crate::lower) fn write_out(
        &mut self,
        call: &Call,
        idx: usize,
        value: Value,
    ) -> Result<()> {
        let Some(Some(place)) = call.places.get(idx) else { return Ok(()) };
        let value = self.implicit(value, place.ty, call.span)?;
        self.store(place, value, call.span)
    }

    /// True for a scalar.
    fn is_scalar(&self, value: Value) -> bool {
        matches!(self.shape(value.ty), Shape::Scalar(_))
    }

    /// A value with as many components as `value`, each equal to `literal`.
    pub(in crate::lower) fn literal_like(
        &mut self,
        value: Value,
        literal: Literal,
        span: Span,
    ) -> Value {
        let size = self.shape(value.ty).components().unwrap_or(1);
        let literal = self.literal(literal, span);
        self.splat(literal, size, span)
    }

    /// A value with the kind and size of `value` in which every component has these bits.
    fn bits_like(&mut self, value: Value, bits: u64, span: Span) -> Value {
        let kind = self.shape(value.ty).kind().unwrap_or(Kind::Uint);
        let literal = literal_of(kind, bits).unwrap_or(Literal::U32(0));
        self.literal_like(value, literal, span)
    }

    /// A value with the kind and size of `value` in which every component is a small number.
    fn number_like(&mut self, value: Value, number: u8, span: Span) -> Value {
        let kind = self.shape(value.ty).kind().unwrap_or(Kind::Float);
        self.literal_like(value, kind.small(number), span)
    }

    /// Selects `accept` where `condition` is true, else `reject`. Both are evaluated.
    pub(in crate::lower) fn choose(
        &mut self,
        condition: Value,
        accept: Value,
        reject: Value,
        span: Span,
    ) -> Value {
        let size = self.shape(accept.ty).components().unwrap_or(1);
        let condition = self.splat(condition, size, span).handle;
        let (accept, reject, ty) = (accept.handle, reject.handle, accept.ty);
        self.value(Expression::Select { condition, accept, reject }, ty, span)
    }

    /// Multiplies a vector by a scalar.
    fn scaled(&mut self, vector: Value, factor: Value, span: Span) -> Value {
        let size = self.shape(vector.ty).components().unwrap_or(1);
        let factor = self.splat(factor, size, span);
        self.plain(BinaryOperator::Multiply, vector, factor, span)
    }

    /// True if the constant evaluator knows the value. Functions are then generated as arithmetic that it can follow.
    fn is_known(&mut self, value: Value) -> bool {
        self.evaluate(value.handle).is_some()
    }
}
