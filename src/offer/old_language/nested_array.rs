//! Replaces arrays of arrays, which GLSL before 4.30 and GLSL ES before 3.10 lack. All versions have arrays of structs,
//! so an array that is the element of another becomes the only member of a struct: `array<array<f32, 2>, 3>` is
//! `array<Row, 3>` with `struct Row { elements: array<f32, 2> }`. The memory layout is unchanged. An access of a
//! wrapped element gets one more access after it.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's expressions have dozens of variants of which a few have types or elements"
)]

use naga::front::Typifier;
use naga::proc::ResolveContext;
use naga::{
    Arena, Expression, Function, Handle, Module, Span, StructMember, Type, TypeInner, UniqueArena,
};

use ir::operands::renumber::Renumbering;

/// True if `module` has arrays of arrays.
pub(super) fn has_arrays_of_arrays(module: &Module) -> bool {
    let is_nested = |ty: &Type| matches!(ty.inner, TypeInner::Array { base, .. } if is_array(&module.types, base));
    module.types.iter().any(|(_, ty)| is_nested(ty))
}

/// `module` without arrays of arrays; `None` if it has none, or the size of an array is unknown.
pub(super) fn without_arrays_of_arrays(module: &Module) -> Option<Module> {
    if !has_arrays_of_arrays(module) {
        return None;
    }
    let types = Types::of(module)?;
    let mut result = module.clone();
    types.put_into(&mut result);
    let mut renumbering = Renumbering::default();
    let mut expressions = Arena::new();
    for (_, expression) in module.global_expressions.iter() {
        types.expression(&mut renumbering, expression.clone(), false, &mut expressions);
    }
    result.global_expressions = expressions;
    for (_, constant) in result.constants.iter_mut() {
        constant.init = renumbering.of(constant.init);
    }
    for (_, constant) in result.overrides.iter_mut() {
        constant.init = constant.init.map(|init| renumbering.of(init));
    }
    for (_, variable) in result.global_variables.iter_mut() {
        variable.init = variable.init.map(|init| renumbering.of(init));
    }
    for (handle, function) in module.functions.iter() {
        *result.functions.get_mut(handle) = types.function(module, function)?;
    }
    for (entry, old) in result.entry_points.iter_mut().zip(&module.entry_points) {
        entry.function = types.function(module, &old.function)?;
    }
    Some(result)
}

fn is_array(types: &UniqueArena<Type>, ty: Handle<Type>) -> bool {
    matches!(types[ty].inner, TypeInner::Array { .. })
}

/// The types of a module before and after the rewrite.
#[derive(Debug)]
struct Types<'a> {
    old: &'a UniqueArena<Type>,
    new: UniqueArena<Type>,
    /// The new type of each old one, by its index.
    moved: Vec<Handle<Type>>,
    /// For every array that is an element somewhere, the struct that wraps it.
    wrappers: Vec<Option<Handle<Type>>>,
}

impl<'a> Types<'a> {
    /// Computes the types of a module after the rewrite. Returns `None` if the size of an array is unknown.
    fn of(module: &'a Module) -> Option<Self> {
        let mut all = Self {
            old: &module.types,
            new: UniqueArena::new(),
            moved: Vec::new(),
            wrappers: vec![None; module.types.len()],
        };
        for (handle, ty) in module.types.iter() {
            let mut ty = ty.clone();
            match &mut ty.inner {
                TypeInner::Array { base, .. } => *base = all.element(*base, module)?,
                TypeInner::BindingArray { base, .. } | TypeInner::Pointer { base, .. } => {
                    *base = all.at(*base);
                }
                TypeInner::Struct { members, .. } => {
                    for member in members {
                        member.ty = all.at(member.ty);
                    }
                }
                TypeInner::Scalar(_)
                | TypeInner::Vector { .. }
                | TypeInner::Matrix { .. }
                | TypeInner::CooperativeMatrix { .. }
                | TypeInner::Atomic(_)
                | TypeInner::ValuePointer { .. }
                | TypeInner::Image { .. }
                | TypeInner::Sampler { .. }
                | TypeInner::AccelerationStructure { .. }
                | TypeInner::RayQuery { .. } => {}
            }
            let moved = all.new.insert(ty, module.types.get_span(handle));
            all.moved.push(moved);
        }
        Some(all)
    }

    fn at(&self, old: Handle<Type>) -> Handle<Type> {
        self.moved[old.index()]
    }

    /// The type that replaces `base` as the element of an array.
    fn element(&mut self, base: Handle<Type>, module: &Module) -> Option<Handle<Type>> {
        let moved = self.at(base);
        let TypeInner::Array { size, stride, .. } = self.old[base].inner else {
            return Some(moved);
        };
        let naga::proc::IndexableLength::Known(count) = size.resolve(module.to_ctx()).ok()? else {
            return None;
        };
        let name = Some("elements".to_owned());
        let member = StructMember { name, ty: moved, binding: None, offset: 0 };
        let inner = TypeInner::Struct { members: vec![member], span: count.checked_mul(stride)? };
        // A unique name keeps the wrapper distinct from the user's structs.
        let name = Some(format!("Elements{}", base.index()));
        let wrapper = self.new.insert(Type { name, inner }, Span::UNDEFINED);
        self.wrappers[base.index()] = Some(wrapper);
        Some(wrapper)
    }

    /// Replaces the types of the module by the new ones.
    fn put_into(&self, module: &mut Module) {
        module.types = self.new.clone();
        let special = &mut module.special_types;
        let mut moved: Vec<_> = special.predeclared_types.values_mut().collect();
        moved.extend(module.constants.iter_mut().map(|(_, constant)| &mut constant.ty));
        moved.extend(module.overrides.iter_mut().map(|(_, constant)| &mut constant.ty));
        moved.extend(module.global_variables.iter_mut().map(|(_, variable)| &mut variable.ty));
        for ty in moved {
            *ty = self.at(*ty);
        }
    }

    fn function(&self, module: &Module, old: &Function) -> Option<Function> {
        let mut new = old.clone();
        let arguments = new.arguments.iter_mut().map(|argument| &mut argument.ty);
        let results = new.result.iter_mut().map(|result| &mut result.ty);
        let locals = new.local_variables.iter_mut().map(|(_, variable)| &mut variable.ty);
        for ty in arguments.chain(results).chain(locals) {
            *ty = self.at(*ty);
        }
        let context = ResolveContext::with_locals(module, &old.local_variables, &old.arguments);
        let mut typifier = Typifier::new();
        let mut renumbering = Renumbering::default();
        new.expressions = Arena::new();
        for (handle, expression) in old.expressions.iter() {
            typifier.grow(handle, &old.expressions, &context).ok()?;
            let base = match expression {
                Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
                    Some(*base)
                }
                _ => None,
            };
            let is_element =
                base.is_some_and(|base| self.has_array_elements(typifier.get(base, self.old)));
            let expressions = &mut new.expressions;
            self.expression(&mut renumbering, expression.clone(), is_element, expressions);
        }
        renumbering.rest(&mut new);
        Some(new)
    }

    /// True if a value, or the target of a pointer, is an array of arrays.
    fn has_array_elements(&self, ty: &TypeInner) -> bool {
        let whole = match ty {
            TypeInner::Pointer { base, .. } => &self.old[*base].inner,
            own => own,
        };
        matches!(whole, TypeInner::Array { base, .. } if is_array(self.old, *base))
    }

    /// Appends the replacement of `expression`, the next expression in order. `is_element` is true if it accesses an
    /// array that is an element of another array.
    fn expression(
        &self,
        renumbering: &mut Renumbering,
        mut expression: Expression,
        is_element: bool,
        to: &mut Arena<Expression>,
    ) {
        renumbering.expression(&mut expression);
        let mut first = None;
        match &mut expression {
            Expression::ZeroValue(ty)
            | Expression::AtomicResult { ty, .. }
            | Expression::WorkGroupUniformLoadResult { ty }
            | Expression::SubgroupOperationResult { ty } => *ty = self.at(*ty),
            Expression::Compose { ty, components } => {
                if let TypeInner::Array { base, .. } = self.old[*ty].inner
                    && let Some(wrapper) = self.wrappers[base.index()]
                {
                    for component in components {
                        let whole =
                            Expression::Compose { ty: wrapper, components: vec![*component] };
                        *component = to.append(whole, Span::UNDEFINED);
                        first.get_or_insert(*component);
                    }
                }
                *ty = self.at(*ty);
            }
            _ => {}
        }
        let mut last = to.append(expression, Span::UNDEFINED);
        let first = first.unwrap_or(last);
        if is_element {
            last = to.append(Expression::AccessIndex { base: last, index: 0 }, Span::UNDEFINED);
        }
        renumbering.note(first, last);
    }
}

#[cfg(test)]
mod tests;
