//! Lowers 64-bit values to pairs of 32-bit words, for adapters without 64-bit types.
//!
//! A 64-bit scalar becomes a `vec2<u32>`, the low word first. A vector of 64-bit scalars becomes an array of pairs, and
//! a matrix an array of these columns, so all access paths and the place of every byte in a buffer stay the same.
//! 64-bit values can be moved, stored, composed from words and decomposed, converted to and from 32-bit integers, and
//! compared for equality. All other operations are rejected: arithmetic on words is not implemented.
//!
//! Functions and globals keep their handles, and the interface tables keep the declared types.

mod constant;
mod conversion;
mod expression;
mod function;
mod layout;
mod operation;
mod refusal;
mod rewriting;
mod types;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use naga::{
    Arena, Constant, Expression, GlobalVariable, Module, Scalar, ScalarKind as Kind, SpecialTypes,
    UniqueArena,
};

use crate::LinkError;
use crate::options::Wide;
use ir::stage_module::StageModule;

use rewriting::Rewriting;
use types::WordTypes;

/// True if a stage with scalars of this type must be lowered for an adapter without these types.
const fn is_lacking(lacking: Wide, scalar: Scalar) -> bool {
    match lacking {
        Wide::Floats => is_wide(scalar) && matches!(scalar.kind, Kind::Float),
        Wide::Both => is_wide(scalar),
    }
}

/// True for scalars that are lowered to words.
const fn is_wide(scalar: Scalar) -> bool {
    matches!(scalar.kind, Kind::Float | Kind::Sint | Kind::Uint) && scalar.width == 8
}

/// Replaces the 64-bit values of a stage by words. Returns true if the stage has 64-bit values.
///
/// Descriptions of buffers whose module type changes are added to the stage's resources, with the layouts of the new
/// types. The module of a stage with 64-bit vectors in a uniform buffer is valid only after `explicit_io` has placed
/// that buffer.
///
/// # Errors
/// [`LinkError::Unsupported`] names an operation that is not implemented on words.
pub(crate) fn lower(stage: &mut Cow<'_, StageModule>, which: Wide) -> Result<bool, LinkError> {
    if !lacks_some(&stage.module, which) {
        return Ok(false);
    }
    let (module, types) = lowered(&stage.module)?;
    let resources = layout::resources(stage, &types);
    let stage = stage.to_mut();
    stage.module = module;
    stage.resources = resources;
    Ok(true)
}

/// True if the module has values of types that the adapter lacks.
fn lacks_some(module: &Module, which: Wide) -> bool {
    let functions = module.functions.iter().map(|(_, function)| &function.expressions);
    let mut expressions =
        functions.chain([&module.global_expressions]).flat_map(Arena::iter).map(|(_, it)| it);
    module.types.iter().any(|(_, ty)| types::has(&ty.inner, &|scalar| is_lacking(which, scalar)))
        || expressions.any(|expression| is_lacking_constant(expression, which))
}

/// True for a 64-bit expression whose type may be missing in the module's list of types.
#[expect(clippy::wildcard_enum_match_arm, reason = "other expressions take their types from these")]
fn is_lacking_constant(expression: &Expression, which: Wide) -> bool {
    match *expression {
        Expression::Literal(literal) => is_lacking(which, literal.scalar()),
        Expression::As { kind, convert: Some(width), .. } => {
            is_lacking(which, Scalar { kind, width })
        }
        _ => false,
    }
}

/// The module with words instead of 64-bit values, and the map of its types.
fn lowered(old: &Module) -> Result<(Module, WordTypes), LinkError> {
    let Module {
        // The types are rewritten below.
        types: _,
        special_types,
        constants: _,
        global_variables: _,
        global_expressions: _,
        functions: _,
        overrides,
        // Stages have no entry points before they are wrapped.
        entry_points: _,
        // Filters refer to neither types nor expressions.
        diagnostic_filters: _,
        diagnostic_filter_leaf: _,
        // Comments have no effect and are dropped.
        doc_comments: _,
    } = old;
    if !overrides.is_empty() {
        let word = "overrides beside 64-bit types that the adapter lacks".to_owned();
        return Err(LinkError::Unsupported { word, span: None });
    }
    let mut new = old.clone();
    new.types = UniqueArena::new();
    let types = WordTypes::new(old, &mut new);
    let SpecialTypes {
        predeclared_types,
        // The front ends reject ray queries and external textures.
        ray_desc: _,
        ray_intersection: _,
        ray_vertex_return: _,
        external_texture_params: _,
        external_texture_transfer_function: _,
    } = special_types;
    let special = predeclared_types.iter().map(|(name, ty)| (name.clone(), types.of(*ty)));
    new.special_types =
        SpecialTypes { predeclared_types: special.collect(), ..SpecialTypes::default() };
    new.doc_comments = None;
    global_expressions(old, &types, &mut new)?;
    for (handle, function) in old.functions.iter() {
        let function = function::rewritten(old, &types, function, &mut new)?;
        *new.functions.get_mut(handle) = function;
    }
    types::check(old)?;
    Ok((new, types))
}

/// Rewrites the constants and the variables of the module, with their values.
fn global_expressions(old: &Module, types: &WordTypes, new: &mut Module) -> Result<(), LinkError> {
    let locals = Arena::new();
    let mut rewriting =
        Rewriting::new(old, types, &old.global_expressions, (&locals, &[]), &mut *new)?;
    for (handle, _) in old.global_expressions.iter() {
        rewriting.rewrite(handle)?;
    }
    let moved = |handle| rewriting.of(handle);
    let constants = old.constants.iter().map(|(_, constant)| moved(constant.init));
    let constants: Vec<_> = constants.collect();
    let variables = old.global_variables.iter().map(|(_, variable)| variable.init.map(moved));
    let variables: Vec<_> = variables.collect();
    let expressions = rewriting.builder.finish().expressions;
    new.global_expressions = expressions;
    for ((_, constant), value) in new.constants.iter_mut().zip(constants) {
        let Constant { name: _, ty, init } = constant;
        (*ty, *init) = (types.of(*ty), value);
    }
    for ((_, variable), value) in new.global_variables.iter_mut().zip(variables) {
        let GlobalVariable { name: _, space: _, binding: _, ty, init, memory_decorations: _ } =
            variable;
        (*ty, *init) = (types.of(*ty), value);
    }
    Ok(())
}
