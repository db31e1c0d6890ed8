//! Lengths of arrays that are declared without a size (GLSL 4.60 section 4.1.9). The highest constant index and other
//! declarations imply them.

use crate::ast::{Expr, ExprKind, Ident};

use crate::lower::call::builtin;
use crate::lower::type_specifier::Declared;
use crate::lower::{Stage, scan};

/// Number of elements of a built-in array such as `gl_ClipDistance` or `gl_FragData` that is indexed dynamically.
pub(in crate::lower) const MAX_ELEMENTS: u32 = 8;

/// Form in which code names an array without a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lower) enum ArrayForm {
    /// The array's own name.
    Scope,
    /// A member of a block's instance.
    Instance,
}

/// Length of an array without a size, implied by its indices and other declarations.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::lower) struct ImpliedLength {
    /// Size in a later declaration.
    pub(in crate::lower) declared: Option<u32>,
    /// The highest constant index plus one.
    indexed: u32,
    /// True if some index is not constant.
    is_dynamic: bool,
}

impl ImpliedLength {
    /// The size, at least the highest constant index plus one.
    pub(in crate::lower) fn length(self) -> u32 {
        self.declared.unwrap_or(0).max(self.indexed)
    }

    /// True if the size follows from a declaration, or from constant indices alone.
    pub(in crate::lower) fn is_known(self) -> bool {
        self.declared.is_some() || self.indexed > 0 && !self.is_dynamic
    }

    /// Size of a built-in array, which needs no declaration.
    pub(in crate::lower) fn builtin_length(self) -> u32 {
        let indexed = if self.is_dynamic { MAX_ELEMENTS } else { self.indexed };
        self.declared.unwrap_or(indexed).clamp(1, MAX_ELEMENTS)
    }
}

impl Stage<'_> {
    /// Replaces `[]` by the size of a later declaration, or by the highest constant index plus one.
    pub(in crate::lower) fn fill_open_size(
        &mut self,
        name: &Ident,
        form: ArrayForm,
        declared: &mut Declared,
    ) {
        if declared.dims.first() == Some(&None) {
            let implied = self.implied_length(&name.name, form);
            if let Some(outer) = declared.dims.first_mut() {
                *outer = Some(implied.length().max(1));
            }
        }
    }

    /// Length of an array implied by the shader's other declarations and by indices.
    pub(in crate::lower) fn implied_length(
        &mut self,
        name: &str,
        form: ArrayForm,
    ) -> ImpliedLength {
        let units = self.units;
        let mut implied = ImpliedLength::default();
        let mut indices = Vec::new();
        for (idx, unit) in units.iter().enumerate() {
            scan::visit_unit(unit, &mut |expr| {
                if let ExprKind::Index(base, index) = &expr.kind
                    && is_array(base, name, form)
                {
                    indices.push((idx, &**index));
                }
            });
            for item in &unit.items {
                let size = scan::declared_size(item, name);
                let known = size.map(|size| self.quiet_integer(idx, size));
                // Different sizes are reported elsewhere.
                implied.declared = implied.declared.max(known.flatten());
            }
        }
        for (object, index) in indices {
            match self.quiet_integer(object, index) {
                Some(index) => implied.indexed = implied.indexed.max(index.saturating_add(1)),
                None => implied.is_dynamic = true,
            }
        }
        implied
    }

    /// The value of an expression if it is a constant that can be evaluated without lowering any function.
    pub(in crate::lower) fn quiet_integer(&mut self, object: usize, expr: &Expr) -> Option<u32> {
        if scan::has_effects(expr, &builtin::is_pure) {
            return None;
        }
        let value = self.constant_integer(object, usize::MAX, expr).ok()?;
        u32::try_from(value).ok()
    }
}

/// True if the expression is the variable `name`, or, in a block with an instance name, that member.
fn is_array(expr: &Expr, name: &str, form: ArrayForm) -> bool {
    match form {
        ArrayForm::Scope => matches!(&expr.kind, ExprKind::Variable(variable) if variable == name),
        ArrayForm::Instance => {
            matches!(&expr.kind, ExprKind::Field(_, field) if field.name == name)
        }
    }
}
