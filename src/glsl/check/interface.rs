//! Inputs and outputs of a stage: types, interpolation, auxiliary storage and invariance (GLSL 4.60 sections 4.3.4 to
//! 4.3.6, 4.5 and 4.8.1).

use crate::ast::{
    Declarator, Ident, InterpolationWord, QualifiedType, Qualifiers, Storage, TypeName,
    TypeSpecifier,
};
use crate::target::VULKAN;
use ir::stage::{Execution, Ports};

use super::{
    Checker, NEVER, has_storage, is_bool, is_double, is_integer, is_matrix, is_vertex_array,
    is_wide,
};

/// Kind of input or output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Attribute,
    VaryingOut,
    VaryingIn,
    FragmentOutput,
}

impl Checker<'_> {
    fn end(&self, qualifiers: &Qualifiers) -> Option<End> {
        let has = |storage| has_storage(qualifiers, storage);
        let (inputs, outputs) = (self.stage.inputs(), self.stage.outputs());
        if inputs == Ports::Outer && (has(Storage::In) || has(Storage::Attribute)) {
            Some(End::Attribute)
        } else if outputs.are_varyings() && (has(Storage::Out) || has(Storage::Varying)) {
            Some(End::VaryingOut)
        } else if outputs == Ports::Outer && has(Storage::Out) {
            // This comes first: GL_EXT_gpu_shader4 has `varying out`.
            Some(End::FragmentOutput)
        } else if inputs.are_varyings() && (has(Storage::In) || has(Storage::Varying)) {
            Some(End::VaryingIn)
        } else {
            None
        }
    }

    /// Checks that only varyings have interpolation and auxiliary qualifiers.
    pub(super) fn check_interpolated(&mut self, qualifiers: &Qualifiers) {
        let end = self.end(qualifiers);
        let is_varying = matches!(end, Some(End::VaryingIn | End::VaryingOut));
        if let Some((_, span)) = qualifiers.interpolation {
            let is_deprecated = has_storage(qualifiers, Storage::Varying)
                && self.is_from(130, 300)
                && !self.enables(&["GL_EXT_gpu_shader4"]);
            if !is_varying {
                self.complain(span, "only varyings can have an interpolation qualifier");
            } else if is_deprecated {
                self.complain(
                    span,
                    "`varying` cannot be combined with an interpolation qualifier in this version",
                );
            }
        }
        self.check_patch(qualifiers);
        for (is_there, word) in
            [(qualifiers.is_centroid, "centroid"), (qualifiers.is_sample, "sample")]
        {
            if is_there && !is_varying {
                self.complain(qualifiers.span, format!("only varyings can be `{word}`"));
            }
        }
    }

    /// Checks that only inputs of evaluation stages and outputs of control stages are `patch`, and that these have no
    /// other auxiliary qualifier (GLSL 4.60 sections 4.3.4 to 4.3.6).
    pub(super) fn check_patch(&mut self, qualifiers: &Qualifiers) {
        if !qualifiers.is_patch {
            return;
        }
        let is_of_patch = self.stage.outputs().have_patches()
            && has_storage(qualifiers, Storage::Out)
            || self.stage.inputs().have_patches() && has_storage(qualifiers, Storage::In);
        if !is_of_patch {
            let message =
                "only outputs of control stages and inputs of evaluation stages can be `patch`";
            self.complain(qualifiers.span, message);
        } else if qualifiers.is_centroid || qualifiers.is_sample {
            let word = if qualifiers.is_sample { "sample" } else { "centroid" };
            self.complain(qualifiers.span, format!("`patch` cannot be combined with `{word}`"));
        }
    }

    /// Checks the type of an input or output outside blocks.
    pub(super) fn check_interface_type(&mut self, ty: &QualifiedType, declarator: &Declarator) {
        let Some(end) = self.end(&ty.qualifiers) else { return };
        let dimensions = ty.ty.array.len() + declarator.array.len();
        match end {
            End::Attribute => self.check_attribute(&ty.ty, dimensions, &declarator.name),
            End::VaryingIn | End::VaryingOut => {
                self.check_varying(&ty.ty, &declarator.name);
                let is_vertex_array = is_vertex_array(self.stage, &ty.qualifiers);
                let dimensions = dimensions.saturating_sub(usize::from(is_vertex_array));
                self.check_es_varying(&ty.ty, dimensions, &declarator.name);
                self.check_flat(&ty.ty, &ty.qualifiers, &declarator.name);
            }
            End::FragmentOutput => {
                self.check_fragment_output(&ty.ty, &declarator.name);
                if dimensions > 1 && self.version.is_es {
                    let message = "a fragment output cannot be an array of arrays in GLSL ES";
                    self.complain(declarator.name.span, message);
                }
            }
        }
    }

    fn check_attribute(&mut self, ty: &TypeSpecifier, dimensions: usize, name: &Ident) {
        let has_integers = self.is_from(130, 300) || self.enables(&["GL_EXT_gpu_shader4"]);
        let has_doubles = self.is_from(410, NEVER) || self.enables(&["GL_ARB_vertex_attrib_64bit"]);
        if self.is_struct(ty) {
            self.complain(name.span, "a vertex attribute cannot be a struct");
        } else if self.contains(ty, &is_integer) && !has_integers {
            self.complain(name.span, "a vertex attribute cannot contain integers in this version");
        } else if self.contains(ty, &is_double) && !has_doubles {
            self.complain(name.span, "a vertex attribute cannot contain doubles in this version");
        }
        if dimensions > 0 && !self.is_from(150, NEVER) {
            self.complain(name.span, "a vertex attribute cannot be an array in this version");
        }
    }

    fn check_varying(&mut self, ty: &TypeSpecifier, name: &Ident) {
        if self.is_struct(ty) && !self.is_from(150, 300) {
            self.complain(name.span, "a varying cannot be a struct in this version");
        }
        let has_integers = self.is_from(130, 300) || self.enables(&["GL_EXT_gpu_shader4"]);
        if self.contains(ty, &is_integer) && !has_integers {
            self.complain(name.span, "a varying cannot contain integers in this version");
        }
    }

    /// Checks that in ES no varying has nested arrays (GLSL ES 3.20 sections 4.3.4 and 4.3.6). Members of blocks may
    /// have them.
    fn check_es_varying(&mut self, ty: &TypeSpecifier, dimensions: usize, name: &Ident) {
        if !self.version.is_es || self.version.number < 300 {
            return;
        }
        let what = if dimensions > 1 {
            "an array of arrays"
        } else if dimensions > 0 && self.is_struct(ty) {
            "an array of structs"
        } else if self.nests(ty) {
            "a struct with an array or a struct in it"
        } else {
            return;
        };
        self.complain(name.span, format!("a varying cannot be {what} in GLSL ES"));
    }

    /// True if the type is a struct that contains an array or a struct.
    fn nests(&self, ty: &TypeSpecifier) -> bool {
        let definition = match &ty.kind {
            TypeName::Named(name) => self.structs.get(&**name).copied(),
            TypeName::Struct(definition) => Some(definition),
        };
        definition.is_some_and(|definition| {
            definition.members.iter().any(|member| {
                let is_array = !member.array.is_empty() || !member.ty.ty.array.is_empty();
                is_array || self.is_struct(&member.ty.ty)
            })
        })
    }

    fn check_fragment_output(&mut self, ty: &TypeSpecifier, name: &Ident) {
        let is_wrong = |name: &str| is_matrix(name) || is_bool(name) || is_wide(name);
        if self.is_struct(ty) || self.contains(ty, &is_wrong) {
            self.complain(
                name.span,
                "a fragment output must be a `float`, `int` or `uint` scalar or vector, or an array of these",
            );
        }
    }

    /// Checks that integers and doubles are `flat`: fragment inputs, and in ES, but not for Vulkan, vertex outputs too.
    pub(super) fn check_flat(&mut self, ty: &TypeSpecifier, qualifiers: &Qualifiers, name: &Ident) {
        let is_checked = match self.stage.properties().runs_as {
            Execution::Vertex => self.version.is_es && !self.enables(&[VULKAN]),
            Execution::Fragment => true,
            Execution::Compute => false,
        };
        let is_flat = matches!(qualifiers.interpolation, Some((InterpolationWord::Flat, _)));
        let must_be_flat = |name: &str| is_integer(name) || is_wide(name);
        if is_checked && !is_flat && self.is_from(130, 300) && self.contains(ty, &must_be_flat) {
            let message =
                format!("`{}` contains integers or doubles and must be `flat`", name.name);
            self.complain(name.span, message);
        }
    }

    /// Checks that from GLSL 4.20 and ES 3.00 on no declaration makes an input invariant; a separate statement still
    /// may, as in Mesa.
    pub(super) fn check_invariant_input(&mut self, qualifiers: &Qualifiers, name: &Ident) {
        let is_input = self.end(qualifiers) == Some(End::VaryingIn);
        if qualifiers.is_invariant && is_input && self.is_from(420, 300) {
            self.complain(
                name.span,
                format!("`{}` is an input and cannot be invariant", name.name),
            );
        }
    }

    /// Checks that only outputs of a stage, and inputs of the fragment stage, are invariant.
    pub(super) fn check_invariance(&mut self, qualifiers: &Qualifiers, name: &Ident) {
        if !qualifiers.is_invariant {
            return;
        }
        let is_right = match self.end(qualifiers) {
            Some(End::VaryingIn | End::VaryingOut) => true,
            Some(End::FragmentOutput) => self.is_from(130, 100),
            Some(End::Attribute) | None => false,
        };
        if !is_right {
            self.complain(name.span, format!("`{}` cannot be invariant", name.name));
        }
    }
}
