//! Determines how shells convert GL's coordinates to WebGPU's.

use naga::BuiltIn;

use crate::table::shell::{FragCoordShift, PositionRule};
use crate::{LinkError, RasterState};
use ir::stage_module::StageModule;

/// The conversion of a fragment stage's window coordinates.
///
/// # Errors
/// The stage needs the height of its targets, and the targets have different heights.
pub(crate) fn frag_coord_shift(
    fragment: &StageModule,
    raster: &RasterState,
) -> Result<FragCoordShift, LinkError> {
    let rule = fragment.frag_coord;
    let is_read =
        fragment.builtins.iter().any(|builtin| matches!(builtin.builtin, BuiltIn::Position { .. }));
    if rule.is_origin_upper_left && is_read && raster.target_height.is_none() {
        let word = "origin_upper_left with targets of several heights".to_owned();
        return Err(LinkError::Unsupported { word, span: None });
    }
    let height = raster.target_height.filter(|_| rule.is_origin_upper_left);
    Ok(FragCoordShift { height, is_half_less: rule.is_pixel_center_integer })
}

/// The conversion of a vertex stage's position.
pub(crate) fn position_rule(vertex: &StageModule) -> PositionRule {
    if vertex.rules.has_gl_conventions() {
        PositionRule::MinusOneToOne
    } else {
        PositionRule::ZeroToOne
    }
}
