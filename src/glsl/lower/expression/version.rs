//! Version-dependent rules for expressions: functions, arrays as values, conversions, indices.

use crate::ast::{Expr, ExprKind, Ident, Initializer};
use crate::builtins::{self, NEVER};
use crate::lower::global::Role;
use crate::lower::operand::Operand;
use crate::word::{Vocabulary, Word};
use ir::source::Span;
use ir::stage::ShaderStage;

use crate::lower::body::Body;
use crate::lower::call::builtin;
use crate::lower::operand::Value;
use crate::lower::scope::{Constancy, Symbol};
use crate::lower::types::{Shape, Ty};
use crate::lower::{Result, scan, wrong};

/// Extensions with which arrays of samplers and of blocks accept any dynamically uniform index, and gathers any offset.
pub(in crate::lower) const DYNAMIC: [&str; 3] =
    ["GL_ARB_gpu_shader5", "GL_EXT_gpu_shader5", "GL_OES_gpu_shader5"];

impl Body<'_, '_> {
    /// True if the version is at least this one, of desktop GLSL or of ES.
    pub(in crate::lower) fn is_from(&self, desktop: u16, es: u16) -> bool {
        let version = self.version();
        version.number >= if version.is_es { es } else { desktop }
    }

    /// True if the object enables one of these extensions.
    pub(in crate::lower) fn enables(&self, names: &[&str]) -> bool {
        self.stage.has_extension(self.object, names)
    }

    /// Rejects a built-in function that is not in this version.
    pub(in crate::lower) fn check_function_version(&self, name: &Ident) -> Result<()> {
        let is_there = self.has_function(&name.name, None) && self.has_legacy_lod(&name.name);
        if is_there || self.has_wide_overload(&name.name) {
            return Ok(());
        }
        wrong(name.span, format!("`{}` is not available in this version", name.name))
    }

    /// True if this object has the built-in function, or one overload of it.
    pub(in crate::lower) fn has_function(&self, name: &str, signature: Option<&str>) -> bool {
        let context = builtins::Context {
            version: self.version(),
            has_legacy: self.stage.has_legacy(self.object),
            enables: &|names| self.enables(names),
        };
        builtins::is_function_available(name, signature, context)
    }

    /// False for a `…Lod` function with a texture type in its name, unless the stage, the version or an extension
    /// allows it. Originally only vertex stages had these functions.
    fn has_legacy_lod(&self, name: &str) -> bool {
        let is_typed =
            ["texture1D", "texture2D", "texture3D", "textureCube", "shadow1D", "shadow2D"]
                .iter()
                .any(|family| name.starts_with(family));
        let is_it = is_typed && name.ends_with("Lod") && !name.contains("Rect");
        !is_it
            || self.stage.stage == ShaderStage::Vertex
            || self.is_from(130, 300)
            || self.enables(&["GL_ARB_shader_texture_lod", "GL_EXT_gpu_shader4"])
    }

    /// Rejects a type that this version does not have. Its keyword is then an ordinary name or reserved.
    pub(in crate::lower) fn check_type_version(&self, name: &str, span: Span) -> Result<()> {
        if self.has_type(name) {
            return Ok(());
        }
        wrong(span, format!("there is no type `{name}` in this version"))
    }

    /// True if the version or an extension has the type.
    pub(in crate::lower) fn has_type(&self, name: &str) -> bool {
        let extensions = self.stage.units.get(self.object).map_or(&[][..], |unit| &unit.extensions);
        let word = Vocabulary::new(self.version(), extensions).classify(name);
        !matches!(word, Word::Name | Word::Reserved)
    }

    /// Rejects components of scalars before GLSL 4.20, and in ES.
    pub(in crate::lower) fn check_scalar_components(&self, field: &Ident) -> Result<()> {
        if self.is_from(420, NEVER) || self.enables(&["GL_ARB_shading_language_420pack"]) {
            return Ok(());
        }
        wrong(field.span, "a scalar cannot be swizzled in this version")
    }

    /// Rejects lengths of vectors and matrices before GLSL 4.20 and ES 3.10.
    pub(in crate::lower) fn check_length_version(&self, ty: Ty, span: Span) -> Result<()> {
        let has_all = self.is_from(420, 310) || self.enables(&["GL_ARB_shading_language_420pack"]);
        if has_all || matches!(self.shape(ty), Shape::Array(..)) {
            return Ok(());
        }
        wrong(span, "only arrays have `length()` in this version")
    }

    /// Rejects arrays as values before GLSL 1.20 and ES 3.00.
    pub(in crate::lower) fn check_array_value(&self, ty: Ty, span: Span) -> Result<()> {
        if self.is_from(120, 300) || !matches!(self.shape(ty), Shape::Array(..)) {
            return Ok(());
        }
        wrong(span, "an array cannot be used as a value in this version")
    }

    /// Rejects constructing a matrix from another one before GLSL 1.20.
    pub(in crate::lower) fn check_matrix_version(&self, span: Span) -> Result<()> {
        if self.is_from(120, 100) {
            return Ok(());
        }
        wrong(span, "a matrix cannot be constructed from matrices in this version")
    }

    /// Rejects conversions in `return` before GLSL 4.20.
    pub(in crate::lower) fn check_returned(&self, value: Value, ty: Ty, span: Span) -> Result<()> {
        let converts =
            self.is_from(420, NEVER) || self.enables(&["GL_ARB_shading_language_420pack"]);
        if converts || value.ty == ty || !self.is_type_convertible(value.ty, ty) {
            return Ok(());
        }
        let (have, want) = (self.type_name(value.ty), self.type_name(ty));
        wrong(span, format!("`return` does not convert `{have}` to `{want}` in this version"))
    }

    /// Rejects dynamic indices into arrays of samplers and of uniform blocks before GLSL 4.00 and ES 3.20.
    pub(in crate::lower) fn check_dynamic_index(
        &self,
        indexed: &Operand,
        span: Span,
    ) -> Result<()> {
        if self.is_from(400, 320) || !self.is_from(130, 300) || self.enables(&DYNAMIC) {
            return Ok(());
        }
        let (ty, is_block) = match indexed {
            Operand::Place(place) => (place.ty, place.is_block),
            Operand::Value(value) => (value.ty, false),
            Operand::Void => return Ok(()),
        };
        let is_interface = match indexed {
            Operand::Place(place) => place.root.is_some_and(|root| {
                let info = self.stage.globals.get(&root.global);
                info.is_some_and(|info| info.role != Role::Uniform)
            }),
            Operand::Value(_) | Operand::Void => false,
        };
        if is_block && !is_interface {
            return wrong(span, "an array of blocks needs a constant index in this version");
        }
        if self.stage.has_sampler(ty) && matches!(self.shape(ty), Shape::Array(..)) {
            return wrong(span, "an array of samplers needs a constant index in this version");
        }
        Ok(())
    }

    /// Rejects an initialiser that cannot be constant because it reads a variable or calls a function of the shader.
    pub(in crate::lower) fn check_constant_initializer(
        &self,
        initializer: &Initializer,
    ) -> Result<()> {
        match initializer {
            Initializer::Expr(expr) => self.check_constant_expression(expr),
            Initializer::List(list, _) => {
                list.iter().try_for_each(|part| self.check_constant_initializer(part))
            }
        }
    }

    /// Rejects an expression that names a variable, or calls a function that is never constant.
    pub(in crate::lower) fn check_constant_expression(&self, expr: &Expr) -> Result<()> {
        let mut found: Option<Span> = None;
        let mut has_method = false;
        scan::visit_expr(expr, &mut |part| {
            let is_wrong = match &part.kind {
                ExprKind::Variable(name) => {
                    self.find(name).is_some_and(|symbol| self.is_variable(&symbol))
                }
                ExprKind::Call(name, _) => self.is_never_constant(&name.name),
                ExprKind::Method(..) => {
                    has_method = true;
                    false
                }
                ExprKind::CallIndexed(..) | ExprKind::Assign(..) | ExprKind::Increment { .. } => {
                    true
                }
                ExprKind::Int(_)
                | ExprKind::Uint(_)
                | ExprKind::Float(_)
                | ExprKind::Double(_)
                | ExprKind::Int64(_)
                | ExprKind::Uint64(_)
                | ExprKind::Bool(_)
                | ExprKind::Unary(..)
                | ExprKind::Binary(..)
                | ExprKind::Select(..)
                | ExprKind::Comma(..)
                | ExprKind::Construct(..)
                | ExprKind::Field(..)
                | ExprKind::Index(..) => false,
            };
            if is_wrong {
                found.get_or_insert(part.span);
            }
        });
        match found {
            // The length of an array is constant, whatever its contents.
            Some(span) if !has_method => wrong(span, "this is not a constant expression"),
            Some(_) | None => Ok(()),
        }
    }

    /// True for functions of the shader, noise, and in GLSL 1.10 every function but constructors.
    fn is_never_constant(&self, name: &str) -> bool {
        let is_user = !self.candidates(name).is_empty();
        let is_old = !self.is_from(120, 100) && builtin::is_name(name);
        is_user || is_old || name.starts_with("noise")
    }

    fn is_variable(&self, symbol: &Symbol) -> bool {
        match symbol {
            Symbol::Local { constancy, .. } => *constancy != Constancy::Constant,
            Symbol::Global(global) => {
                self.stage.globals.get(global).is_some_and(|info| info.role != Role::Const)
            }
            Symbol::Member(..) | Symbol::Blocks(..) | Symbol::LocalPieces { .. } => true,
            Symbol::Type(_) | Symbol::Constant(_) => false,
        }
    }

    /// Rejects local constants with computed values before GLSL 4.20.
    pub(in crate::lower) fn check_local_constant(&self, initializer: &Initializer) -> Result<()> {
        let is_free =
            self.is_from(420, NEVER) || self.enables(&["GL_ARB_shading_language_420pack"]);
        if is_free { Ok(()) } else { self.check_constant_initializer(initializer) }
    }
}
