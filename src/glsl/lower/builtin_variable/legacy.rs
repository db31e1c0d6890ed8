//! Built-in variables that only the compatibility profile has: vertex attributes, colours, texture coordinates, fog.
//!
//! They are ordinary interface variables and uniforms with reserved names, so that the linker only needs to match
//! outputs and inputs. `gl_TexCoord` is one variable for each element, because the stages may declare it with different
//! sizes, and only elements that both declare are linked.

mod state;

use Role::{Input, Output};
use ShaderStage::{Fragment, Geometry, TessellationEvaluation, Vertex};
use naga::{GlobalVariable, Handle};

use crate::ast::{Ident, Qualifiers};
use ir::interface::{Place, Sampling, Variable};
use ir::stage::ShaderStage;
use ir::stage_module::UniformVariable;

use crate::lower::Stage;
use crate::lower::declaration::implied_length::ArrayForm;
use crate::lower::global::{GlobalInfo, Role};
use crate::lower::qualifier::interpolation;
use crate::lower::types::{Kind, Ty};

/// An input or output of the compatibility profile.
struct LegacyVariable {
    name: &'static str,
    stages: &'static [ShaderStage],
    role: Role,
    /// Number of components of the floating-point vector; `gl_TexCoord` is an array of vectors.
    size: u8,
}

const fn row(
    name: &'static str,
    stages: &'static [ShaderStage],
    role: Role,
    size: u8,
) -> LegacyVariable {
    LegacyVariable { name, stages, role, size }
}

/// Stages that output vertices. A control stage has the variables as members of `gl_out`.
const VERTICES: &[ShaderStage] = &[Vertex, TessellationEvaluation, Geometry];

/// Name of the only array among these variables.
pub(in crate::lower) const TEXTURE_COORDINATES: &str = "gl_TexCoord";

const VARIABLES: [LegacyVariable; 24] = [
    row("gl_Vertex", &[Vertex], Input, 4),
    row("gl_Normal", &[Vertex], Input, 3),
    row("gl_Color", &[Vertex], Input, 4),
    row("gl_SecondaryColor", &[Vertex], Input, 4),
    row("gl_FogCoord", &[Vertex], Input, 1),
    row("gl_MultiTexCoord0", &[Vertex], Input, 4),
    row("gl_MultiTexCoord1", &[Vertex], Input, 4),
    row("gl_MultiTexCoord2", &[Vertex], Input, 4),
    row("gl_MultiTexCoord3", &[Vertex], Input, 4),
    row("gl_MultiTexCoord4", &[Vertex], Input, 4),
    row("gl_MultiTexCoord5", &[Vertex], Input, 4),
    row("gl_MultiTexCoord6", &[Vertex], Input, 4),
    row("gl_MultiTexCoord7", &[Vertex], Input, 4),
    row("gl_FrontColor", VERTICES, Output, 4),
    row("gl_BackColor", VERTICES, Output, 4),
    row("gl_FrontSecondaryColor", VERTICES, Output, 4),
    row("gl_BackSecondaryColor", VERTICES, Output, 4),
    row("gl_FogFragCoord", VERTICES, Output, 1),
    row(TEXTURE_COORDINATES, VERTICES, Output, 4),
    row("gl_ClipVertex", VERTICES, Output, 4),
    row("gl_Color", &[Fragment], Input, 4),
    row("gl_SecondaryColor", &[Fragment], Input, 4),
    row("gl_FogFragCoord", &[Fragment], Input, 1),
    row(TEXTURE_COORDINATES, &[Fragment], Input, 4),
];

/// True if some stage has a variable or uniform of this name in the compatibility profile.
pub(in crate::lower) fn is_legacy_name(name: &str) -> bool {
    VARIABLES.iter().any(|row| row.name == name) || state::is_compatibility_name(name)
}

impl Stage<'_> {
    /// True if an object may use names that later versions removed.
    pub(in crate::lower) fn has_legacy(&self, object: usize) -> bool {
        let version = self.version(object);
        !version.is_es
            && (version.number < 140
                || version.is_compatibility
                || self.has_extension(object, &["GL_ARB_compatibility"]))
    }

    /// Declares the global of a variable or uniform of the compatibility profile.
    pub(in crate::lower) fn legacy_global(
        &mut self,
        object: usize,
        name: &Ident,
    ) -> Option<Handle<GlobalVariable>> {
        if is_legacy_name(&name.name) && !self.has_legacy(object) {
            return None;
        }
        let is_it =
            |row: &&LegacyVariable| row.name == name.name && row.stages.contains(&self.stage);
        let row = VARIABLES.iter().find(is_it);
        match row {
            Some(row) => Some(self.legacy_variable(object, name, row)),
            None => self.state_uniform(object, name),
        }
    }

    fn legacy_variable(
        &mut self,
        object: usize,
        name: &Ident,
        row: &LegacyVariable,
    ) -> Handle<GlobalVariable> {
        let element = self.vector(row.size, Kind::Float);
        let length = (row.name == TEXTURE_COORDINATES)
            .then(|| self.implied_length(row.name, ArrayForm::Scope).builtin_length());
        let ty = length.map_or(element, |length| self.array(element, length));
        let global = self.add_private(name, GlobalInfo::new(ty, row.role, object));
        self.shared.insert(name.name.clone(), global);
        let element = self.interface_type(element);
        let parts = match length {
            None => vec![(name.name.clone(), Vec::new())],
            Some(length) => {
                (0..length).map(|idx| (format!("{}[{idx}]", name.name), vec![idx])).collect()
            }
        };
        for (part, path) in parts {
            let mut variable = Variable::new(part, element.clone());
            variable.place = Some(Place { global, path });
            variable.span = Some(name.span);
            self.table(row.role).push(variable);
        }
        global
    }

    /// The global for a built-in uniform.
    fn state_uniform(&mut self, object: usize, name: &Ident) -> Option<Handle<GlobalVariable>> {
        let uniform = state::find(&name.name)?;
        let ty = self.state_type(uniform.ty)?;
        let global = self.add_private(name, GlobalInfo::new(ty, Role::Uniform, object));
        self.shared.insert(name.name.clone(), global);
        let ty = self.interface_type(ty);
        self.uniforms.push(UniformVariable {
            initial: uniform.initial_bits(&ty),
            span: Some(name.span),
            ..UniformVariable::loose(name.name.clone(), ty, Place::whole(global))
        });
        Some(global)
    }

    /// The type with the notation `mat4[8]`, `vec3` or the name of one of [`state`]'s structs.
    fn state_type(&mut self, notation: &'static str) -> Option<Ty> {
        if let Some((element, length)) = state::array_parts(notation) {
            let element = self.state_type(element)?;
            return Some(self.array(element, length));
        }
        let Some(members) = state::members(notation) else { return self.keyword_type(notation) };
        let mut placed = Vec::new();
        for (name, ty) in members {
            placed.push(((*name).to_owned(), self.keyword_type(ty)?));
        }
        Some(self.structure(notation, &placed))
    }

    /// The struct of a built-in uniform, by its name.
    pub(in crate::lower) fn state_struct(&mut self, object: usize, name: &str) -> Option<Ty> {
        let name = state::struct_name(name)?;
        let is_visible = name == state::DEPTH_RANGE_STRUCT || self.has_legacy(object);
        is_visible.then(|| self.state_type(name)).flatten()
    }

    /// Applies the qualifiers of a redeclaration to a variable of the compatibility profile.
    pub(in crate::lower) fn requalify_legacy(
        &mut self,
        global: Handle<GlobalVariable>,
        qualifiers: &Qualifiers,
    ) {
        let own = |variable: &&mut Variable| {
            variable.place.as_ref().is_some_and(|place| place.global == global)
        };
        for variable in self.inputs.iter_mut().chain(&mut self.outputs).filter(own) {
            if let Some((word, _)) = qualifiers.interpolation {
                variable.interpolation = interpolation(word);
            }
            if qualifiers.is_centroid {
                variable.sampling = Sampling::Centroid;
            }
        }
    }
}
