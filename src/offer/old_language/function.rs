//! Replaces functions that old versions of GLSL lack. `functions.wgsl` has a body for each. The body replaces the call,
//! once per component if the body takes a number and the call a vector.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's expressions, types and functions have dozens of variants of which a few are in the bodies"
)]

use std::sync::LazyLock;

use naga::compact::{KeepUnused, compact};
use naga::front::Typifier;
use naga::proc::{ResolveContext, TypeResolution};
use naga::{
    Arena, Expression, Function, Handle, MathFunction, Module, PredeclaredType, Scalar, ScalarKind,
    Span, Statement, Type, TypeInner, UniqueArena,
};

use crate::language::Language;

use ir::operands::renumber::{Renumbering, with_functions};

/// Functions with the first versions of GLSL and GLSL ES that support what naga writes for them.
const FIRST_VERSIONS: [(&[MathFunction], u16, u16); 3] = {
    use MathFunction as M;
    [
        (
            &[
                M::CountOneBits,
                M::ReverseBits,
                M::ExtractBits,
                M::InsertBits,
                M::FirstTrailingBit,
                M::FirstLeadingBit,
                M::CountTrailingZeros,
                M::CountLeadingZeros,
                M::Frexp,
                M::Ldexp,
                M::Pack4x8snorm,
                M::Pack4x8unorm,
                M::Unpack4x8snorm,
                M::Unpack4x8unorm,
                M::Unpack4xI8,
                M::Unpack4xU8,
                M::Dot4I8Packed,
                M::Dot4U8Packed,
            ],
            400,
            310,
        ),
        (&[M::Pack2x16unorm, M::Unpack2x16unorm], 400, 300),
        (
            &[
                M::Pack2x16snorm,
                M::Pack2x16float,
                M::Unpack2x16snorm,
                M::Unpack2x16float,
                M::QuantizeToF16,
            ],
            420,
            300,
        ),
    ]
};

/// The module of `functions.wgsl`.
static BODIES: LazyLock<Option<Module>> =
    LazyLock::new(|| naga::front::wgsl::parse_str(include_str!("functions.wgsl")).ok());

/// True if `language` lacks what naga writes for `function`.
pub(crate) fn lacks(language: Language, function: MathFunction) -> bool {
    let row = FIRST_VERSIONS.iter().find(|(functions, ..)| functions.contains(&function));
    let first = row.map(|&(_, desktop, es)| if language.is_es { es } else { desktop });
    first.is_some_and(|first| language.number < first)
}

/// `module` with replacements for the functions that `language` lacks; `None` if it lacks none, or a replacement is
/// unknown. The replacements themselves may call functions that `language` lacks.
pub(super) fn without_missing_functions(language: Language, module: &Module) -> Option<Module> {
    if !lacks_any(language, module) {
        return None;
    }
    // Unused calls are removed first: naga does not write them, but would write their replacements.
    let mut module = module.clone();
    compact(&mut module, KeepUnused::Yes);
    let lowered = with_functions(&module, |old, types| {
        let calls = calls(language, &module, old)?;
        let has_some = calls.iter().any(Option::is_some);
        Some(if has_some { Some(with_bodies(old, calls, types)?) } else { None })
    });
    let Some(mut result) = lowered else {
        return (!lacks_any(language, &module)).then_some(module);
    };
    // naga writes a helper function for each `frexp` result type, even if it is not called.
    let is_frexp = |ty: &PredeclaredType| matches!(ty, PredeclaredType::FrexpResult { .. });
    if lacks(language, MathFunction::Frexp) {
        result.special_types.predeclared_types.retain(|ty, _| !is_frexp(ty));
    }
    Some(result)
}

/// True if `module` calls anything that `language` lacks.
fn lacks_any(language: Language, module: &Module) -> bool {
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    let functions = module.functions.iter().map(|(_, function)| function).chain(entries);
    functions.flat_map(|function| function.expressions.iter()).any(
        |(_, expression)| matches!(expression, Expression::Math { fun, .. } if lacks(language, *fun)),
    )
}

/// A call of a function that the language lacks.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) arguments: Vec<Operand>,
    /// The struct type that the function returns, composed of all `parts`; `None` if it does not return a struct.
    pub(super) whole: Option<Handle<Type>>,
    pub(super) parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub(super) value: Handle<Expression>,
    pub(super) scalar: Scalar,
    pub(super) is_vector: bool,
}

/// One value that a call returns.
#[derive(Debug)]
pub(super) struct Part {
    body: &'static Function,
    inner: TypeInner,
    /// For each expression of the body, by index: the new expression, if the old one belongs before all statements.
    early: Vec<Option<Handle<Expression>>>,
}

impl Part {
    /// A value of type `inner` that `body` computes.
    pub(super) const fn new(body: &'static Function, inner: TypeInner) -> Self {
        Self { body, inner, early: Vec::new() }
    }
}

/// For each expression, the call if the expression calls a function that `language` lacks and that has a replacement.
fn calls(language: Language, module: &Module, function: &Function) -> Option<Vec<Option<Call>>> {
    let locals = (&function.local_variables, &function.arguments);
    let context = ResolveContext::with_locals(module, locals.0, locals.1);
    let mut typifier = Typifier::new();
    let mut calls = Vec::new();
    for (handle, expression) in function.expressions.iter() {
        typifier.grow(handle, &function.expressions, &context).ok()?;
        let Expression::Math { fun, arg, arg1, arg2, arg3 } = *expression else {
            calls.push(None);
            continue;
        };
        let operands = [Some(arg), arg1, arg2, arg3].into_iter().flatten();
        let operands = operands.map(|value| {
            let (count, scalar) = typifier.get(value, &module.types).vector_size_and_scalar()?;
            (scalar.width == 4).then_some(Operand { value, scalar, is_vector: count.is_some() })
        });
        let arguments: Option<Vec<_>> = operands.collect();
        let is_missing = lacks(language, fun);
        let call = arguments.filter(|_| is_missing).and_then(|arguments| {
            let (whole, parts) = parts(fun, &typifier[handle], &module.types)?;
            Some(Call { arguments, whole, parts })
        });
        calls.push(call);
    }
    Some(calls)
}

/// The struct type and the values that `function` returns.
fn parts(
    function: MathFunction,
    result: &TypeResolution,
    types: &UniqueArena<Type>,
) -> Option<(Option<Handle<Type>>, Vec<Part>)> {
    let part = |name: &str, inner: &TypeInner| {
        let kind = inner.scalar_kind()?;
        let body = body(&format!("{name}{kind:?}")).or_else(|| body(name))?;
        Some(Part::new(body, inner.clone()))
    };
    let inner = result.inner_with(types);
    let TypeInner::Struct { members, .. } = inner else {
        return Some((None, vec![part(&format!("{function:?}"), inner)?]));
    };
    let named = members.iter().zip(["Fraction", "Power"]);
    let parts: Option<Vec<_>> = named
        .map(|(member, name)| part(&format!("{function:?}{name}"), &types[member.ty].inner))
        .collect();
    Some((result.handle(), parts?))
}

/// The function of `functions.wgsl` with this name.
pub(super) fn body(name: &str) -> Option<&'static Function> {
    let functions = &BODIES.as_ref()?.functions;
    let mut all = functions.iter().map(|(_, function)| function);
    all.find(|function| function.name.as_deref() == Some(name))
}

/// The function `old` with its `calls` replaced by bodies.
pub(super) fn with_bodies(
    old: &Function,
    mut calls: Vec<Option<Call>>,
    types: &mut UniqueArena<Type>,
) -> Option<Function> {
    let mut new = old.clone();
    new.expressions = Arena::new();
    let mut target = Destination { expressions: &mut new.expressions, types };
    for part in calls.iter_mut().flatten().flat_map(|call| &mut call.parts) {
        part.early = target.early(part.body)?;
    }
    let mut renumbering = Renumbering::default();
    for ((_, expression), call) in old.expressions.iter().zip(calls) {
        let before = target.expressions.len();
        let last = if let Some(mut call) = call {
            for argument in &mut call.arguments {
                argument.value = renumbering.of(argument.value);
            }
            target.call(&call)?
        } else {
            let mut expression = expression.clone();
            renumbering.expression(&mut expression);
            target.append(expression)
        };
        let first = target.expressions.iter().nth(before).map_or(last, |(first, _)| first);
        renumbering.note(first, last);
    }
    renumbering.rest(&mut new);
    Some(new)
}

/// The function into which bodies are copied.
#[derive(Debug)]
struct Destination<'a> {
    expressions: &'a mut Arena<Expression>,
    types: &'a mut UniqueArena<Type>,
}

impl Destination<'_> {
    fn append(&mut self, expression: Expression) -> Handle<Expression> {
        self.expressions.append(expression, Span::UNDEFINED)
    }

    fn ty(&mut self, inner: TypeInner) -> Handle<Type> {
        self.types.insert(Type { name: None, inner }, Span::UNDEFINED)
    }

    /// Finds or adds the type of this module that equals the number or vector type `ty` of the bodies' module.
    fn moved(&mut self, ty: Handle<Type>) -> Option<Handle<Type>> {
        let inner = BODIES.as_ref()?.types.get_handle(ty).ok()?.inner.clone();
        Some(self.ty(inner))
    }

    /// Appends the expressions of `body` that belong before all statements.
    fn early(&mut self, body: &Function) -> Option<Vec<Option<Handle<Expression>>>> {
        let mut early = Vec::new();
        for (_, expression) in body.expressions.iter() {
            early.push(match expression {
                Expression::Literal(literal) => Some(self.append(Expression::Literal(*literal))),
                Expression::ZeroValue(ty) => {
                    let ty = self.moved(*ty)?;
                    Some(self.append(Expression::ZeroValue(ty)))
                }
                _ => None,
            });
        }
        Some(early)
    }

    /// Appends the expressions that compute the value of `call`.
    fn call(&mut self, call: &Call) -> Option<Handle<Expression>> {
        let parts: Option<Vec<_>> =
            call.parts.iter().map(|part| self.part(part, &call.arguments)).collect();
        let components = parts?;
        match call.whole {
            Some(ty) => Some(self.append(Expression::Compose { ty, components })),
            None => components.first().copied(),
        }
    }

    fn part(&mut self, part: &Part, arguments: &[Operand]) -> Option<Handle<Expression>> {
        let parameter = part.body.arguments.first()?.ty;
        let parameter = &BODIES.as_ref()?.types.get_handle(parameter).ok()?.inner;
        let takes_vector = matches!(parameter, TypeInner::Vector { .. });
        match part.inner {
            TypeInner::Vector { size, scalar } if !takes_vector && arguments.first()?.is_vector => {
                let components: Option<Vec<_>> = (0..size as u32)
                    .map(|index| {
                        let mut own = arguments.to_vec();
                        for argument in own.iter_mut().filter(|argument| argument.is_vector) {
                            argument.value = self
                                .append(Expression::AccessIndex { base: argument.value, index });
                        }
                        self.body(part, &own, scalar)
                    })
                    .collect();
                let ty = self.ty(TypeInner::Vector { size, scalar });
                Some(self.append(Expression::Compose { ty, components: components? }))
            }
            TypeInner::Vector { scalar, .. } | TypeInner::Scalar(scalar) => {
                self.body(part, arguments, scalar)
            }
            _ => None,
        }
    }

    /// Appends the body of `part` with `arguments` substituted, and returns its value with components of type `scalar`.
    fn body(
        &mut self,
        part: &Part,
        arguments: &[Operand],
        scalar: Scalar,
    ) -> Option<Handle<Expression>> {
        let types = &BODIES.as_ref()?.types;
        let kind = |ty| types.get_handle(ty).ok()?.inner.scalar_kind();
        let mut given = Vec::new();
        for (argument, parameter) in arguments.iter().zip(&part.body.arguments) {
            let wanted = kind(parameter.ty)?;
            given.push(self.cast(argument.value, argument.scalar.kind, wanted));
        }
        let mut renumbering = Renumbering::default();
        for ((_, expression), early) in part.body.expressions.iter().zip(&part.early) {
            let new = match (early, expression) {
                (Some(early), _) => *early,
                (None, Expression::FunctionArgument(index)) => *given.get(*index as usize)?,
                (None, expression) => {
                    let mut expression = expression.clone();
                    renumbering.expression(&mut expression);
                    if let Expression::Compose { ty, .. } = &mut expression {
                        *ty = self.moved(*ty)?;
                    }
                    self.append(expression)
                }
            };
            renumbering.note(new, new);
        }
        let returned = part.body.body.iter().find_map(|statement| match statement {
            Statement::Return { value } => *value,
            _ => None,
        })?;
        let found = kind(part.body.result.as_ref()?.ty)?;
        Some(self.cast(renumbering.of(returned), found, scalar.kind))
    }

    /// Appends a bit cast of `value` to `wanted`.
    fn cast(
        &mut self,
        expr: Handle<Expression>,
        found: ScalarKind,
        wanted: ScalarKind,
    ) -> Handle<Expression> {
        if found == wanted {
            return expr;
        }
        self.append(Expression::As { expr, kind: wanted, convert: None })
    }
}

#[cfg(test)]
mod tests {
    use crate::old_language::lowered;
    use crate::old_language::tests::written;

    use super::*;

    const OLDEST: Language = Language { number: 330, is_es: false };

    #[test]
    fn every_missing_function_has_a_body() {
        for function in FIRST_VERSIONS.iter().flat_map(|(functions, ..)| *functions) {
            let name = format!("{function:?}");
            let names = match function {
                MathFunction::Frexp => vec![format!("{name}Fraction"), format!("{name}Power")],
                _ => vec![name],
            };
            assert!(names.iter().all(|name| body(name).is_some()), "{names:?}");
        }
    }

    #[test]
    fn bodies_are_expressions_whose_last_is_returned() {
        let bodies = &BODIES.as_ref().expect("it is WGSL").functions;
        for (_, body) in bodies.iter() {
            let [all @ .., Statement::Return { value: Some(value) }] = &body.body[..] else {
                panic!("{body:?}")
            };
            let is_emit = |statement: &Statement| matches!(statement, Statement::Emit(_));
            assert!(all.iter().all(is_emit) && body.local_variables.is_empty(), "{body:?}");
            let mut emitted =
                body.expressions.iter().filter(|(_, expression)| !expression.needs_pre_emit());
            assert_eq!(
                emitted.next_back().map(|(handle, _)| handle),
                Some(*value),
                "{:?}",
                body.name
            );
        }
    }

    #[track_caller]
    fn check(expression: &str, lacking: &[&str], present: &[&str]) {
        let text = format!(
            "@fragment fn main(@location(0) @interpolate(flat) i: vec4i, @location(1) @interpolate(flat) u: vec4u,
                @location(2) f: vec4f) -> @location(0) vec4f {{
                var result = f;
                if i.x > 0 {{ result += {expression}; }}
                return result;
            }}"
        );
        let lowered = lowered(OLDEST, &fixture::module(&text));
        let text = written(&lowered.expect("a function is missing"));
        for part in lacking {
            assert!(!text.contains(part), "`{part}` in\n{text}");
        }
        for part in present {
            assert!(text.contains(part), "no `{part}` in\n{text}");
        }
    }

    #[test]
    fn calls_of_missing_functions_vanish() {
        check("vec4f(countOneBits(i))", &["bitCount"], &["ivec4("]);
        check("vec4f(f32(firstLeadingBit(u.x)) + f32(firstLeadingBit(i.x)))", &["findMSB"], &[]);
        check("vec4f(insertBits(u, u.wzyx, 3u, 5u))", &["bitfieldInsert"], &["uvec4("]);
        check("vec4f(f32(countLeadingZeros(i.x)))", &["findMSB", "log2"], &[]);
        check("vec4f(f32(pack2x16float(unpack2x16snorm(u.x))))", &["Half2x16"], &["roundEven("]);
        check("vec4f(unpack4xI8(u.x))", &["bitfieldExtract"], &["ivec4("]);
        check("vec4f(ldexp(f.xy, i.zw), 0.0, 1.0)", &["ldexp"], &["vec2("]);
        let split = "vec4f(frexp(f.xy).fract, vec2f(frexp(f.xy).exp))";
        check(split, &["naga_frexp", "log2"], &["_frexp_result_vec2_f32_("]);
        check("modf(f).fract + vec4f(f32(frexp(f.x).exp))", &["naga_frexp"], &["naga_modf("]);
    }

    #[test]
    fn what_a_language_has_stays() {
        let text = "@fragment fn main(@location(0) f: vec2f) -> @location(0) vec4f {
            return vec4f(f32(pack2x16float(f)), f32(pack2x16unorm(f)), f32(countOneBits(u32(f.x))), 1.0);
        }";
        let module = fixture::module(text);
        let count = |number, is_es| {
            let language = Language { number, is_es };
            let lowered = without_missing_functions(language, &module);
            let entry = &lowered.as_ref().unwrap_or(&module).entry_points[0].function;
            let is_call = |expression: &Expression| matches!(expression, Expression::Math { fun, .. } if FIRST_VERSIONS.iter().any(|(functions, ..)| functions.contains(fun)));
            entry.expressions.iter().filter(|(_, expression)| is_call(expression)).count()
        };
        assert_eq!(count(330, false), 0);
        assert_eq!(count(410, false), 2);
        assert_eq!(count(420, false), 3);
        assert_eq!(count(300, true), 2);
        assert_eq!(count(310, true), 3);
        let unused = "@fragment fn main(@location(0) f: vec2f) -> @location(0) vec4f {
            let a = pack2x16float(f);
            return vec4f(1.0);
        }";
        let mut module = fixture::module(unused);
        // The names are removed, because naga writes every named expression.
        module.entry_points[0].function.named_expressions.clear();
        let lowered = lowered(OLDEST, &module);
        assert!(!written(&lowered.expect("a call vanishes")).contains("floatBitsToUint"));
    }
}
