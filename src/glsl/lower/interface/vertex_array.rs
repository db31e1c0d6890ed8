//! Arrays with one element for each vertex of a primitive or patch: inputs of geometry and tessellation stages, and
//! outputs of tessellation control stages (GLSL 4.60 sections 4.3.4 and 4.3.6).
//!
//! Their size need not be declared. It follows from the input primitive of a geometry stage (which any shader object
//! may declare in any place) or from `layout(vertices = …)` of a control stage, or it is `gl_MaxPatchVertices`.

use crate::ast::{Ident, Qualifiers};
use ir::stage::ShaderStage;

use crate::lower::global::Role;
use crate::lower::qualifier::At;
use crate::lower::type_specifier::Declared;
use crate::lower::{Result, Stage, wrong};

/// True for inputs or outputs of a stage that are arrays of vertices, unless they are `patch`.
const fn is_role_of_vertices(stage: ShaderStage, role: Role) -> bool {
    matches!(role, Role::Input) && stage.inputs().have_vertices()
        || matches!(role, Role::Output) && stage.outputs().have_vertices()
}

impl Stage<'_> {
    /// True for a variable, or an array of blocks, with one element for each vertex.
    pub(in crate::lower) const fn has_vertices(&self, role: Role, qualifiers: &Qualifiers) -> bool {
        is_role_of_vertices(self.stage, role) && !qualifiers.is_patch
    }

    /// Gives an array of vertices the size that its stage requires, or compares its declared size with that.
    pub(in crate::lower) fn fill_vertices(
        &mut self,
        at: At,
        role: Role,
        name: &Ident,
        declared: &mut Declared,
    ) -> Result<()> {
        let Some(outer) = declared.dims.first().copied() else {
            let (word, stage) = (direction(role), self.stage.name());
            let message =
                format!("`{}` is an {word} of the {stage} stage and must be an array", name.name);
            return wrong(name.span, message);
        };
        if let Some(size) = outer {
            return self.check_vertices(at, role, name, size);
        }
        let size = self.vertex_count(role, name)?;
        if let Some(outer) = declared.dims.first_mut() {
            *outer = Some(size);
        }
        Ok(())
    }
}

/// The word for the direction: `input` or `output`.
pub(in crate::lower) const fn direction(role: Role) -> &'static str {
    if matches!(role, Role::Input) { "input" } else { "output" }
}
