//! Stages that WebGPU does not have, and the vertex stage before them, which run as compute stages before each draw.
//!
//! This module lowers each of them alone; [`crate::interface`] matches and packs the interfaces between them. The drawn
//! vertex stage passes on the results of the last one. How these stages find each other's values: [`crate::table::front`] and
//! [`crate::compute::geometry`].

mod levels;
mod patch_location;
mod patch_size;
mod primitive_id;

use std::borrow::Cow;

use crate::compute::geometry::built_in;
use crate::compute::geometry::pass_through::PassThrough;
use crate::compute::vertex_compute;
use crate::lower::draw_parameters;
use crate::stages::RenderStages;
use crate::stages::{language, whole_stage};
use crate::table::binding::MAX_BINDINGS_APART;
use crate::table::front::KnownLevels;
use crate::{LinkError, LinkOptions};
use ir::interface::Variable;
use ir::stage_module::StageModule;
use ir::tessellation::is_level;

/// Facts about the emulated stages of a program, each from one stage alone.
#[derive(Clone, Debug)]
pub(crate) struct Emulated {
    /// The stage that passes on the results.
    pub(crate) pass_through: PassThrough,
    /// Number of vertices that each stage reads: of a primitive, or of a patch. 0 for the vertex stage.
    pub(crate) vertices: Vec<u32>,
    /// Levels of the control stage, if they are known before it runs.
    pub(crate) levels: Option<KnownLevels>,
    /// True if the last stage gives points.
    pub(crate) gives_points: bool,
}

/// Lowers the stages of a program before its fragment stage, of which there are at least two. Returns the stages to draw
/// with: the one that passes on results, and the fragment stage.
///
/// # Errors
/// The stages cannot be linked whatever their interfaces are, or the vertex stage cannot run as a compute stage.
pub(crate) fn lower<'a>(
    stages: &mut [Cow<'a, StageModule>],
    mut fragment: Option<Cow<'a, StageModule>>,
    options: &LinkOptions,
) -> Result<(Emulated, RenderStages<'a>), LinkError> {
    if options.labels.is_separable {
        check_separable(stages, fragment.as_deref())?;
    }
    for stage in &*stages {
        patch_location::check(stage)?;
    }
    for pair in stages.windows(2) {
        language::check(&pair[0], &pair[1], options)?;
        whole_stage::check_per_vertex(&pair[0], options)?;
        whole_stage::check_redeclarations(&pair[0], &pair[1], options)?;
    }
    let [vertex, .., last] = stages else { unreachable!("there are at least two stages") };
    draw_parameters::lower(vertex);
    vertex_compute::check(vertex)?;
    if let Some(fragment) = &mut fragment
        && built_in::pass_to_fragment_stage(fragment)
    {
        primitive_id::give(last);
    }
    let (vertex, pass_through) = PassThrough::of(last);
    let gives_points = last.primitive_vertices() == Some(1);
    let levels = stages.iter().find_map(|stage| levels::known(stage));
    let vertices = patch_size::read_vertices(stages, options.raster.patch_vertices);
    for (stage, vertices) in stages.iter_mut().zip(&vertices) {
        patch_size::shrink(stage, *vertices);
    }
    let render = RenderStages { vertex: Cow::Owned(vertex), fragment };
    Ok((Emulated { pass_through, vertices, levels, gives_points }, render))
}

/// Rejects programs of separable tessellation stages whose result is not defined or cannot be expressed.
///
/// # Errors
/// An evaluation stage reads variables of a patch without a control stage, or there are more bindings than numbers.
fn check_separable(
    before: &[Cow<'_, StageModule>],
    fragment: Option<&StageModule>,
) -> Result<(), LinkError> {
    let stages = || before.iter().map(|stage| &**stage).chain(fragment);
    if stages().all(|stage| stage.tessellation.is_none()) {
        return Ok(());
    }
    let bindings: usize = stages().map(|stage| stage.resources.len()).sum();
    if bindings > MAX_BINDINGS_APART {
        let word = format!("separable tessellation stages with {bindings} resources");
        return Err(LinkError::Unsupported { word, span: None });
    }
    if stages().any(|stage| stage.control().is_some()) {
        return Ok(());
    }
    let is_lost = |input: &&Variable| input.is_patch && input.is_used && !is_level(&input.name);
    match before.iter().flat_map(|stage| &stage.inputs).find(is_lost) {
        Some(input) => {
            let word = format!("`{}` of a patch without a separable control stage", input.name);
            Err(LinkError::Unsupported { word, span: input.span })
        }
        None => Ok(()),
    }
}
