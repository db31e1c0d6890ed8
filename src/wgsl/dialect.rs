//! Stand-ins for entry points of interstage's dialect of WGSL, in which arguments, members and results of an entry point
//! may lack `@location` and `@builtin`.
//!
//! naga's validator rejects these entry points. A stand-in has the arguments and results with a binding, and calls the
//! user's function with zeros. The validator then checks everything that the user wrote: the code, the resources and
//! all bindings that are present.

use naga::{
    Binding, EntryPoint, Expression, Function, FunctionArgument, FunctionResult, GlobalVariable,
    Handle, Module, Span, Statement, StructMember, Type, TypeInner,
};

/// The bindings that the user's entry point had before its stand-in replaced it.
#[derive(Debug)]
pub(super) struct StandIn {
    /// The binding of each argument of the user's function.
    arguments: Vec<Option<Binding>>,
    /// The binding of the result of the user's function.
    result: Option<Binding>,
}

/// Replaces each entry point that lacks bindings by a stand-in; one result per entry point.
///
/// The `declared` variables come from the case's `[varyings]` and belong to each entry point. If there are any, every
/// entry point gets a stand-in that uses them.
pub(super) fn complete(
    module: &mut Module,
    declared: &[Handle<GlobalVariable>],
) -> Vec<Option<StandIn>> {
    (0..module.entry_points.len()).map(|index| replace(module, index, declared)).collect()
}

fn replace(
    module: &mut Module,
    index: usize,
    declared: &[Handle<GlobalVariable>],
) -> Option<StandIn> {
    let user = &module.entry_points[index].function;
    let ports = user.arguments.iter().map(|argument| (argument.ty, argument.binding.is_some()));
    let results = user.result.iter().map(|result| (result.ty, result.binding.is_some()));
    let open = |(ty, is_bound): (Handle<Type>, bool)| (!is_bound).then_some(ty);
    let mut open = ports.chain(results).filter_map(open);
    // Arguments that no stage can have get no stand-in: the validator's message for the original is more precise.
    let is_complete = open.clone().all(|ty| is_bound_struct(module, ty));
    if is_complete && declared.is_empty() || !open.all(|ty| is_value(module, ty)) {
        return None;
    }
    let mut user = module.entry_points[index].function.clone();
    let stand_in = StandIn {
        arguments: user.arguments.iter_mut().map(|one| one.binding.take()).collect(),
        result: user.result.as_mut().and_then(|one| one.binding.take()),
    };
    let function = module.functions.append(user, Span::UNDEFINED);
    let mut own = calling(module, &stand_in, function);
    for global in declared {
        let ty = module.global_variables[*global].ty;
        let value = own.expressions.append(Expression::ZeroValue(ty), Span::UNDEFINED);
        let pointer = own.expressions.append(Expression::GlobalVariable(*global), Span::UNDEFINED);
        own.body.push(Statement::Store { pointer, value }, Span::UNDEFINED);
    }
    if let Some(result) = &own.result {
        let zero = own.expressions.append(Expression::ZeroValue(result.ty), Span::UNDEFINED);
        own.body.push(Statement::Return { value: Some(zero) }, Span::UNDEFINED);
    }
    module.entry_points[index].function = own;
    Some(stand_in)
}

/// True for a struct whose members all have a binding.
fn is_bound_struct(module: &Module, ty: Handle<Type>) -> bool {
    let TypeInner::Struct { members, .. } = &module.types[ty].inner else { return false };
    members.iter().all(|member| member.binding.is_some())
}

/// True for types whose values can be passed to a function.
fn is_value(module: &Module, ty: Handle<Type>) -> bool {
    #[expect(clippy::wildcard_enum_match_arm, reason = "all other types are opaque or pointers")]
    match &module.types[ty].inner {
        TypeInner::Scalar(_) | TypeInner::Vector { .. } | TypeInner::Matrix { .. } => true,
        TypeInner::Array { base, .. } => is_value(module, *base),
        TypeInner::Struct { members, .. } => {
            members.iter().all(|member| is_value(module, member.ty))
        }
        _ => false,
    }
}

/// The stand-in's function, which calls `function`.
fn calling(module: &mut Module, stand_in: &StandIn, function: Handle<Function>) -> Function {
    let user = &module.functions[function];
    let mut own = Function { name: user.name.clone(), ..Function::default() };
    own.diagnostic_filter_leaf = user.diagnostic_filter_leaf;
    let mut zeros = Vec::new();
    for (argument, binding) in user.arguments.iter().zip(&stand_in.arguments) {
        zeros.push(own.expressions.append(Expression::ZeroValue(argument.ty), Span::UNDEFINED));
        own.arguments.extend(bound_arguments(module, argument, binding.as_ref()));
    }
    let result = user.result.clone();
    let call_result = result
        .is_some()
        .then(|| own.expressions.append(Expression::CallResult(function), Span::UNDEFINED));
    let call = Statement::Call { function, arguments: zeros, result: call_result };
    own.body.push(call, Span::UNDEFINED);
    own.result = result.and_then(|result| bound_result(module, &result, stand_in.result.as_ref()));
    own
}

/// The arguments of the stand-in for one argument of the user's function.
fn bound_arguments(
    module: &Module,
    argument: &FunctionArgument,
    binding: Option<&Binding>,
) -> Vec<FunctionArgument> {
    if binding.is_some() || is_bound_struct(module, argument.ty) {
        return vec![FunctionArgument { binding: binding.cloned(), ..argument.clone() }];
    }
    let TypeInner::Struct { members, .. } = &module.types[argument.ty].inner else {
        return Vec::new();
    };
    let bound = members.iter().filter(|member| member.binding.is_some());
    let as_argument = |StructMember { name, ty, binding, offset: _ }: &StructMember| {
        FunctionArgument { name: name.clone(), ty: *ty, binding: binding.clone() }
    };
    bound.map(as_argument).collect()
}

/// The result of the stand-in.
fn bound_result(
    module: &mut Module,
    result: &FunctionResult,
    binding: Option<&Binding>,
) -> Option<FunctionResult> {
    if binding.is_some() || is_bound_struct(module, result.ty) {
        return Some(FunctionResult { ty: result.ty, binding: binding.cloned() });
    }
    let Type { name, inner: TypeInner::Struct { members, span } } = &module.types[result.ty] else {
        return None;
    };
    let bound = members.iter().filter(|member| member.binding.is_some());
    let members: Vec<_> = bound.cloned().collect();
    if members.is_empty() {
        return None;
    }
    let ty = Type { name: name.clone(), inner: TypeInner::Struct { members, span: *span } };
    let place = module.types.get_span(result.ty);
    Some(FunctionResult { ty: module.types.insert(ty, place), binding: None })
}

impl StandIn {
    /// Takes the only entry point out of `module` and restores the user's function and its bindings.
    pub(super) fn undo(self, module: &mut Module) -> Option<EntryPoint> {
        let mut entry = module.entry_points.pop()?;
        // The user's function was added last, and only the stand-in calls it.
        let last = module.functions.iter().last()?.0;
        let mut others = naga::Arena::new();
        for (handle, function, span) in module.functions.drain() {
            if handle == last {
                entry.function = function;
            } else {
                others.append(function, span);
            }
        }
        module.functions = others;
        for (argument, binding) in entry.function.arguments.iter_mut().zip(self.arguments) {
            argument.binding = binding;
        }
        if let Some(result) = &mut entry.function.result {
            result.binding = self.result;
        }
        Some(entry)
    }
}
