//! Local variables, initialisers, and initialisers of globals that must run in `main`.

use naga::{GlobalVariable, Handle};

use crate::ast::{Declarator, Ident, Initializer, QualifiedType, Storage};
use ir::source::Span;

use super::implied_length::ArrayForm;
use crate::lower::body::Body;
use crate::lower::global::{GlobalInfo, Role};
use crate::lower::operand::{Access, Place, Value};
use crate::lower::qualifier::At;
use crate::lower::scope::{Constancy, Symbol};
use crate::lower::type_specifier::Declared;
use crate::lower::types::constant::Constant;
use crate::lower::types::{Shape, Ty};
use crate::lower::{Result, Stage, unsupported, wrong};

/// A global initialised at the start of `main`.
#[derive(Clone, Debug)]
pub(in crate::lower) struct Pending<'a> {
    /// The global.
    pub(in crate::lower) global: Handle<GlobalVariable>,
    /// Type of the global.
    pub(in crate::lower) ty: Ty,
    /// The declaration of the global.
    pub(in crate::lower) at: At,
    /// The value.
    pub(in crate::lower) value: PendingValue<'a>,
    /// Position of the name.
    pub(in crate::lower) span: Span,
}

/// The value of a [`Pending`].
#[derive(Clone, Debug)]
pub(in crate::lower) enum PendingValue<'a> {
    /// An initialiser that is not constant.
    Initializer(&'a Initializer),
    /// A constant with infinities or NaNs, which naga's global initialisers cannot hold.
    Constant(Constant),
}

impl Body<'_, '_> {
    /// Executes a global's initialiser.
    pub(in crate::lower) fn run_pending(&mut self, pending: &Pending<'_>) -> Result<()> {
        (self.object, self.position) = (pending.at.object, pending.at.position);
        let value = match &pending.value {
            PendingValue::Initializer(initializer) => {
                let declared = Declared { element: pending.ty, dims: Vec::new() };
                self.initializer(initializer, &declared)?
            }
            PendingValue::Constant(constant) => self.materialize(constant, pending.span),
        };
        let symbol = Symbol::Global(pending.global);
        let Some(place) = self.place_of(&symbol, pending.span) else { return Ok(()) };
        // This is the only write to a constant.
        let place = Place { access: Access::ReadWrite, ..place };
        self.store(&place, value, pending.span)
    }

    /// The value of an initialiser for a variable of the declared type; also fills the type's open sizes.
    pub(in crate::lower) fn initializer(
        &mut self,
        initializer: &Initializer,
        declared: &Declared,
    ) -> Result<Value> {
        match initializer {
            Initializer::Expr(expr) => {
                let value = self.rvalue(expr)?;
                let ty = self.sized_like(declared, value.ty, expr.span)?;
                self.implicit(value, ty, expr.span)
            }
            Initializer::List(list, span)
                if list.is_empty() && self.enables(&["GL_EXT_null_initializer"]) =>
            {
                let ty = self.sized(declared, *span)?;
                Ok(self.zero(ty, *span))
            }
            Initializer::List(list, span) => self.initializer_list(list, declared, *span),
        }
    }

    fn initializer_list(
        &mut self,
        list: &[Initializer],
        declared: &Declared,
        span: Span,
    ) -> Result<Value> {
        let mut parts = Vec::new();
        if let [_, inner @ ..] = &*declared.dims {
            let mut part = Declared { element: declared.element, dims: inner.to_vec() };
            for initializer in list {
                let value = self.initializer(initializer, &part)?;
                part = Declared { element: value.ty, dims: Vec::new() };
                parts.push((value, span));
            }
            let length = declared.dims.first().copied().flatten();
            let length = length.or(u32::try_from(list.len()).ok());
            let whole = Declared { element: part.element, dims: vec![length] };
            let ty = if part.dims.is_empty() {
                self.sized(&whole, span)?
            } else {
                return wrong(span, "an array needs at least one element");
            };
            return self.construct(ty, &parts, span);
        }
        let ty = declared.element;
        let needed = self.stage.child_count(ty) as usize;
        if matches!(self.shape(ty), Shape::Scalar(_)) {
            let name = self.type_name(ty);
            return wrong(span, format!("`{name}` cannot be initialised with a list"));
        }
        if list.len() != needed {
            let (name, count) = (self.type_name(ty), list.len());
            return wrong(
                span,
                format!("the list for `{name}` has {count} initialisers but needs {needed}"),
            );
        }
        for (idx, initializer) in (0..).zip(list) {
            let part = Declared { element: self.stage.child(ty, idx), dims: Vec::new() };
            parts.push((self.initializer(initializer, &part)?, span));
        }
        if let Shape::Matrix(..) | Shape::Vector(..) = self.shape(ty) {
            let parts: Vec<_> = parts.into_iter().map(|(value, _)| value).collect();
            return Ok(self.compose(ty, &parts, span));
        }
        self.construct(ty, &parts, span)
    }

    /// Rejects qualifiers that a local variable cannot have.
    pub(in crate::lower) fn check_local_qualifiers(ty: &QualifiedType) -> Result<()> {
        for (storage, span) in &ty.qualifiers.storage {
            match storage {
                Storage::Const => {}
                Storage::Subroutine => return unsupported(*span, "subroutine"),
                Storage::In
                | Storage::Out
                | Storage::InOut
                | Storage::Attribute
                | Storage::Varying
                | Storage::Uniform
                | Storage::Buffer
                | Storage::Shared => {
                    return wrong(*span, "a local variable cannot have this qualifier");
                }
            }
        }
        Ok(())
    }

    /// Declares a local variable. Its name becomes visible after its initialiser.
    pub(in crate::lower) fn local_variable(
        &mut self,
        ty: &QualifiedType,
        specified: &Declared,
        declarator: &Declarator,
    ) -> Result<()> {
        let (name, span) = (&declarator.name, declarator.name.span);
        let is_const = ty.qualifiers.storage.iter().any(|(word, _)| *word == Storage::Const);
        let declared = self.with_dimensions(specified, &declarator.array)?;
        let Some(initializer) = &declarator.initializer else {
            if is_const {
                return wrong(span, format!("the constant `{}` needs an initialiser", name.name));
            }
            return self.local_without_value(name, declared);
        };
        let value = self.initializer(initializer, &declared)?;
        self.take_open(name, value.ty)?;
        if is_const {
            self.check_local_constant(initializer)?;
        }
        if is_const
            && let Some(constant) = self.evaluate(value.handle)
            && let Some(symbol) = self.stage.constant_symbol(name, &constant, self.object)
        {
            return self.declare(name, symbol);
        }
        let pointer = self.local(&name.name, value.ty, span);
        self.store_pointer(pointer, value.handle, span);
        self.declare(
            name,
            Symbol::Local { pointer, ty: value.ty, constancy: Constancy::of_variable(is_const) },
        )
    }

    /// Declares a local variable without initialiser. If it is an array that was declared without a size, it keeps its
    /// elements.
    fn local_without_value(&mut self, name: &Ident, mut declared: Declared) -> Result<()> {
        let span = name.span;
        let is_open = declared.dims.first() == Some(&None);
        self.stage.fill_open_size(name, ArrayForm::Scope, &mut declared);
        let ty = self.sized(&declared, span)?;
        let before = self.take_open(name, ty)?;
        let symbol = if let Some((stored, pieces)) = self.local_pieces(&name.name, ty, span) {
            Symbol::LocalPieces { pieces, ty, stored }
        } else {
            let pointer = self.local(&name.name, ty, span);
            Symbol::Local { pointer, ty, constancy: Constancy::Variable }
        };
        if let Some(before) = &before {
            self.copy_open(before, &symbol, span)?;
        }
        self.declare(name, symbol)?;
        if is_open {
            self.leave_open(name, before.as_ref());
        }
        Ok(())
    }
}

impl Stage<'_> {
    /// The symbol of a constant. Scalars, vectors and matrices are values; arrays and structs stay in memory, where
    /// they can be indexed. `None` for arrays and structs with infinities or NaNs.
    pub(in crate::lower) fn constant_symbol(
        &mut self,
        name: &Ident,
        constant: &Constant,
        object: usize,
    ) -> Option<Symbol> {
        match self.shape(constant.ty) {
            Shape::Scalar(_) | Shape::Vector(..) | Shape::Matrix(..) => {
                Some(Symbol::Constant(constant.clone()))
            }
            Shape::Array(..) | Shape::Struct => {
                let init = Some(self.module_constant(constant)?);
                let info = GlobalInfo {
                    constant: Some(constant.clone()),
                    ..GlobalInfo::new(constant.ty, Role::Const, object)
                };
                let global = self.add_private(name, info);
                self.module.global_variables.get_mut(global).init = init;
                Some(Symbol::Global(global))
            }
        }
    }

    /// Gives a private global a constant initial value.
    pub(in crate::lower) fn set_initial(
        &mut self,
        global: Handle<GlobalVariable>,
        constant: &Constant,
        span: Span,
    ) {
        let is_whole = self.globals.get(&global).is_none_or(|info| info.pieces.is_none());
        if is_whole && let Some(init) = self.module_constant(constant) {
            self.module.global_variables.get_mut(global).init = Some(init);
            return;
        }
        let value = PendingValue::Constant(constant.clone());
        let ty = constant.ty;
        self.pending.push(Pending { global, ty, at: At { object: 0, position: 0 }, value, span });
    }

    /// The value of a global's initialiser, if it is constant.
    pub(in crate::lower) fn constant_initializer(
        &mut self,
        object: usize,
        position: usize,
        initializer: &Initializer,
        declared: &Declared,
    ) -> Result<(Ty, Option<Constant>)> {
        let mut body = Body::new(self, object, position);
        let value = body.initializer(initializer, declared)?;
        Ok((value.ty, body.evaluate(value.handle)))
    }
}
