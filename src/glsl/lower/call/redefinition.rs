//! Functions of the shader with the names of built-in functions (GLSL ES 3.20 section 6.1, GLSL ES 1.00 section 8).

use crate::ast::Ident;
use crate::builtins;
use crate::lower::body::Body;
use crate::lower::{Result, Stage, wrong};

use super::builtin;
use super::function::ParameterType;

impl Stage<'_> {
    /// Rejects a function that ES does not allow beside a built-in one: of the same name, or in ES 1.00 with the same
    /// parameters. Desktop GLSL lets functions hide built-in ones.
    pub(super) fn check_redefinition(
        &mut self,
        object: usize,
        name: &Ident,
        parameters: &[ParameterType],
    ) -> Result<()> {
        let version = self.version(object);
        let is_known = builtin::is_name(&name.name) || builtins::is_opaque_function(&name.name);
        if !version.is_es || !is_known {
            return Ok(());
        }
        let mut body = Body::new(self, object, 0);
        if !body.has_function(&name.name, None)
            || version.number == 100 && !body.has_parameters(&name.name, parameters)
        {
            return Ok(());
        }
        let message = format!(
            "`{}` is a built-in function and cannot be redeclared in this version",
            name.name
        );
        wrong(name.span, message)
    }
}
