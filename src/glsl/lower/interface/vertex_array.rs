//! Arrays with one element for each vertex of a primitive or patch: inputs of geometry and tessellation stages, and
//! outputs of tessellation control stages (GLSL 4.60 sections 4.3.4 and 4.3.6).
//!
//! Their size need not be declared. It follows from the input primitive of a geometry stage (which any shader object
//! may declare in any place) or from `layout(vertices = …)` of a control stage, or it is `gl_MaxPatchVertices`.

use crate::ast::{Ident, Qualifiers};
use ir::stage::ShaderStage::{self, Geometry, TessellationControl, TessellationEvaluation};
use ir::tessellation::MAX_PATCH_VERTICES;

use crate::lower::declaration::implied_length::ArrayForm;
use crate::lower::global::Role;
use crate::lower::qualifier::At;
use crate::lower::type_specifier::Declared;
use crate::lower::{Result, Stage, stage_name, unsupported, wrong};

/// True for inputs or outputs of a stage that are arrays of vertices, unless they are `patch`.
const fn is_role_of_vertices(stage: ShaderStage, role: Role) -> bool {
    match stage {
        Geometry | TessellationEvaluation => matches!(role, Role::Input),
        TessellationControl => matches!(role, Role::Input | Role::Output),
        ShaderStage::Vertex | ShaderStage::Fragment | ShaderStage::Compute => false,
    }
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
            let (word, stage) = (direction(role), stage_name(self.stage));
            let message =
                format!("`{}` is an {word} of the {stage} and must be an array", name.name);
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

    /// Number of elements of an array of vertices that is declared without a size.
    pub(in crate::lower) fn vertex_count(&mut self, role: Role, name: &Ident) -> Result<u32> {
        if self.stage == Geometry {
            return Ok(match self.vertices() {
                Some(vertices) => vertices,
                None => self.implied_length(&name.name, ArrayForm::Scope).length().max(1),
            });
        }
        if role == Role::Input {
            return Ok(MAX_PATCH_VERTICES);
        }
        match self.patch_size() {
            Ok(size) => Ok(size.unwrap_or(1)),
            Err(span) => unsupported(span, "`vertices` whose value follows from a later constant"),
        }
    }

    fn check_vertices(&mut self, at: At, role: Role, name: &Ident, size: u32) -> Result<()> {
        match (self.stage, role) {
            (TessellationControl, Role::Output) => self.check_patch_size(at, name, size),
            (TessellationControl | TessellationEvaluation, _) if size != MAX_PATCH_VERTICES => {
                let message = format!(
                    "`{}` has {size} elements, but `gl_MaxPatchVertices` is {MAX_PATCH_VERTICES}",
                    name.name
                );
                wrong(name.span, message)
            }
            (TessellationControl | TessellationEvaluation, _) => Ok(()),
            (Geometry | ShaderStage::Vertex | ShaderStage::Fragment | ShaderStage::Compute, _) => {
                self.check_primitive_size(at, name, size)
            }
        }
    }
}

/// The word for the direction: `input` or `output`.
pub(in crate::lower) const fn direction(role: Role) -> &'static str {
    if matches!(role, Role::Input) { "input" } else { "output" }
}
