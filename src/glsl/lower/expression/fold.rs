//! Evaluates expressions that turn out to be constant.
//!
//! It works on the lowered expressions, where types are resolved and conversions explicit. Expressions that it does not
//! know (loads of variables, calls, rare functions) are not constant.

use arithmetic::{Known, Machine, Now, PackFunction};
use naga::{BinaryOperator, Expression, Handle, MathFunction, RelationalFunction};

use crate::lower::body::Body;
use crate::lower::types::constant::{Constant, convert_bits, literal_bits};
use crate::lower::types::{Kind, Shape};

/// Maximum depth of an expression that is evaluated; deeper expressions are not constant.
const MAX_DEPTH: u32 = 100;

impl Body<'_, '_> {
    /// The value of an expression of this function, if it is constant.
    pub(in crate::lower) fn evaluate(&mut self, handle: Handle<Expression>) -> Option<Constant> {
        self.evaluate_at(handle, 0)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are in functions of their own")]
    fn evaluate_at(&mut self, handle: Handle<Expression>, depth: u32) -> Option<Constant> {
        if depth > MAX_DEPTH {
            return None;
        }
        let deeper = depth + 1;
        match self.code.function.expressions[handle].clone() {
            Expression::Literal(literal) => {
                let (kind, bits) = literal_bits(literal)?;
                Some(Constant::new(self.stage.scalar(kind), [bits]))
            }
            Expression::ZeroValue(ty) => {
                let count = usize::try_from(self.stage.scalar_count(ty)).ok()?;
                Some(Constant::new(ty, vec![0; count]))
            }
            Expression::AccessIndex { base, index } => {
                let base = self.evaluate_base(base, deeper)?;
                self.stage.constant_part(&base, index)
            }
            Expression::Access { base, index } => {
                let index = self.evaluate_at(index, deeper)?;
                let base = self.evaluate_base(base, deeper)?;
                self.stage.constant_part(&base, u32::try_from(*index.bits.first()?).ok()?)
            }
            Expression::Load { pointer } => self.evaluate_base(pointer, deeper),
            Expression::Compose { .. } | Expression::Splat { .. } | Expression::Swizzle { .. } => {
                self.evaluate_composition(handle, deeper)
            }
            _ => self.evaluate_operation(handle, deeper),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "only compositions come here")]
    fn evaluate_composition(
        &mut self,
        handle: Handle<Expression>,
        deeper: u32,
    ) -> Option<Constant> {
        match self.code.function.expressions[handle].clone() {
            Expression::Compose { ty, components } => {
                let mut bits = Vec::new();
                for component in components {
                    bits.extend_from_slice(&self.evaluate_at(component, deeper)?.bits);
                }
                Some(Constant::new(ty, bits))
            }
            Expression::Splat { size, value } => {
                let value = self.evaluate_at(value, deeper)?;
                let kind = self.shape(value.ty).kind()?;
                let ty = self.stage.vector(size as u8, kind);
                Some(Constant::new(ty, vec![*value.bits.first()?; size as usize]))
            }
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.evaluate_at(vector, deeper)?;
                let kind = self.shape(vector.ty).kind()?;
                let chosen = pattern.iter().take(size as usize);
                let bits = chosen.map(|idx| vector.bits.get(*idx as usize).copied());
                let bits = bits.collect::<Option<Vec<u64>>>()?;
                Some(Constant::new(self.stage.vector(size as u8, kind), bits))
            }
            _ => None,
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "every other expression is not constant")]
    fn evaluate_operation(&mut self, handle: Handle<Expression>, deeper: u32) -> Option<Constant> {
        match self.code.function.expressions[handle].clone() {
            Expression::Unary { op, expr } => {
                let operand = self.evaluate_at(expr, deeper)?;
                let kind = self.shape(operand.ty).kind()?;
                let bits = operand.bits.iter().map(|bits| Now.one(op.into(), kind.known(*bits)));
                let bits = bits.map(|known| Some(known.ok()?.bits()));
                Some(Constant::new(operand.ty, bits.collect::<Option<Vec<u64>>>()?))
            }
            Expression::Binary { op, left, right } => {
                let (left, right) =
                    (self.evaluate_at(left, deeper)?, self.evaluate_at(right, deeper)?);
                self.evaluate_binary(op, &left, &right)
            }
            Expression::Select { condition, accept, reject } => {
                let condition = self.evaluate_at(condition, deeper)?;
                let (accept, reject) =
                    (self.evaluate_at(accept, deeper)?, self.evaluate_at(reject, deeper)?);
                let bits = (0..accept.bits.len()).map(|idx| {
                    let chosen = condition.bits.get(idx).or(condition.bits.first())?;
                    let from = if *chosen != 0 { &accept } else { &reject };
                    from.bits.get(idx).copied()
                });
                Some(Constant::new(accept.ty, bits.collect::<Option<Vec<u64>>>()?))
            }
            Expression::As { expr, kind, convert } => self.evaluate_as(expr, kind, convert, deeper),
            Expression::Relational { fun, argument } => {
                let argument = self.evaluate_at(argument, deeper)?;
                let is_true = match fun {
                    RelationalFunction::All => argument.bits.iter().all(|bits| *bits != 0),
                    RelationalFunction::Any => argument.bits.iter().any(|bits| *bits != 0),
                    RelationalFunction::IsNan | RelationalFunction::IsInf => return None,
                };
                Some(Constant::new(self.stage.scalar(Kind::Bool), [u64::from(is_true)]))
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let mut arguments = vec![self.evaluate_at(arg, deeper)?];
                for argument in [arg1, arg2, arg3].into_iter().flatten() {
                    arguments.push(self.evaluate_at(argument, deeper)?);
                }
                self.evaluate_math(fun, &arguments)
            }
            _ => None,
        }
    }

    /// The value behind a pointer into a constant global, or of an ordinary constant expression.
    fn evaluate_base(&mut self, base: Handle<Expression>, depth: u32) -> Option<Constant> {
        if let Expression::GlobalVariable(global) = self.code.function.expressions[base] {
            return self.stage.globals.get(&global)?.constant.clone();
        }
        self.evaluate_at(base, depth)
    }

    fn evaluate_as(
        &mut self,
        expr: Handle<Expression>,
        kind: naga::ScalarKind,
        convert: Option<naga::Bytes>,
        depth: u32,
    ) -> Option<Constant> {
        let operand = self.evaluate_at(expr, depth)?;
        let shape = self.shape(operand.ty);
        let from = shape.kind()?;
        let width = convert.unwrap_or(from.scalar().width);
        let to = Kind::of(naga::Scalar { kind, width });
        let convert =
            |bits: &u64| if convert.is_some() { convert_bits(from, to, *bits) } else { *bits };
        let ty = self.stage.vector(shape.components()?, to);
        Some(Constant::new(ty, operand.bits.iter().map(convert).collect::<Vec<u64>>()))
    }

    fn evaluate_binary(
        &mut self,
        op: BinaryOperator,
        left: &Constant,
        right: &Constant,
    ) -> Option<Constant> {
        let (left_shape, right_shape) = (self.shape(left.ty), self.shape(right.ty));
        if matches!(left_shape, Shape::Matrix(..)) || matches!(right_shape, Shape::Matrix(..)) {
            let is_product = op == BinaryOperator::Multiply;
            return is_product.then(|| self.evaluate_product(left, right)).flatten();
        }
        let kind = left_shape.kind()?;
        let is_division = matches!(op, BinaryOperator::Divide | BinaryOperator::Modulo);
        if is_division && kind.is_integer() && right.bits.contains(&0) {
            // The result is undefined in GLSL and left to run time.
            return None;
        }
        let function = op.into();
        let count = left.bits.len().max(right.bits.len());
        self.each(count, &[left, right], |pair| Now.two(function, pair[0], pair[1]).ok())
    }

    fn evaluate_math(&mut self, fun: MathFunction, arguments: &[Constant]) -> Option<Constant> {
        let first = arguments.first()?;
        if matches!(self.shape(first.ty), Shape::Matrix(..)) {
            return None;
        }
        if let Some(pack) = PackFunction::of(fun) {
            let words = first.bits.iter().map(|bits| u32::try_from(*bits).ok());
            let mut bits = vec![0; pack.words()[1]];
            pack.apply(&words.collect::<Option<Vec<u32>>>()?, &mut bits);
            let bits: Vec<_> = bits.into_iter().map(u64::from).collect();
            let kind = Kind::of(pack.result().scalar());
            return Some(Constant::new(
                self.stage.vector(u8::try_from(bits.len()).ok()?, kind),
                bits,
            ));
        }
        let all: Vec<_> = arguments.iter().collect();
        self.each(first.bits.len(), &all, |own| {
            let result = Now.componentwise(fun, own).ok()??;
            // GLSL lets denormal results become zero (sections 4.7.1 and 8.3). Mesa makes them zero in constants, as
            // tests of piglit expect.
            Some(if fun == MathFunction::Ldexp { flushed(result) } else { result })
        })
    }

    /// Applies a function to each of `count` components. A scalar counts as every component.
    fn each(
        &mut self,
        count: usize,
        arguments: &[&Constant],
        function: impl Fn(&[Known]) -> Option<Known>,
    ) -> Option<Constant> {
        let kinds = arguments.iter().map(|argument| self.shape(argument.ty).kind());
        let kinds = kinds.collect::<Option<Vec<Kind>>>()?;
        let component = |idx: usize| {
            let scalar = |(of, kind): (&&Constant, &Kind)| {
                Some(kind.known(of.bits.get(idx).or(of.bits.first()).copied()?))
            };
            function(&arguments.iter().zip(&kinds).map(scalar).collect::<Option<Vec<_>>>()?)
        };
        let results = (0..count).map(component).collect::<Option<Vec<Known>>>()?;
        let kind = Kind::of(results.first()?.kind.scalar());
        let ty = self.stage.vector(u8::try_from(count).ok()?, kind);
        Some(Constant::new(ty, results.iter().map(|known| known.bits()).collect::<Vec<u64>>()))
    }
}

/// The result of `ldexp`, or a zero of its sign in place of a denormal number.
const fn flushed(result: Known) -> Known {
    let is_double = matches!(result.kind, arithmetic::Kind::F64);
    let [exponent, sign] = if is_double { [0x7ff << 52, 1 << 63] } else { [0xff << 23, 1 << 31] };
    let bits = result.bits();
    if bits & exponent == 0 { Known::of_bits(result.kind, bits & sign) } else { result }
}
