//! Texture coordinates of point sprites. While points are drawn, the varyings in a mask of labels (gallium's
//! `sprite_coord_enable`) are replaced by the position inside the point. Varyings outside the mask, and all varyings of
//! other primitives, keep the vertex stage's value.

use naga::{Scalar, TypeInner, VectorSize};

use crate::lower::legacy::TEX_COORD;
use crate::lower::state_uniform;
use crate::table::shell::ReplacedVarying;
use crate::{LinkError, LinkOptions};
use ir::diagnostic::Diagnostic;
use ir::interface::{Place, ScalarKind, Type, Variable};
use ir::semantic::{Semantic, SemanticName};
use ir::stage_module::StageModule;

/// Finds the replaced varyings. Outputs that the vertex stage lacks are added to it.
///
/// # Errors
/// No input of the fragment stage has one of the labels, or an input with such a label is not a vector of floats.
pub(super) fn replace(
    vertex: &mut StageModule,
    fragment: &StageModule,
    options: &LinkOptions,
) -> Result<Vec<ReplacedVarying>, LinkError> {
    let mut replaced = Vec::new();
    for label in &options.raster.sprite.labels {
        let mut own = fragment.inputs.iter().filter(|input| has_label(input, label.value));
        let Some(input) = own.find(|input| input.is_used) else {
            let message = format!("the fragment stage reads no `{}`", label.value);
            return Err(LinkError::Refused(vec![Diagnostic::error(label.span, message)]));
        };
        let Some(size) = float_components(&input.ty) else {
            let word = format!("`{}` as a sprite coordinate", input.ty);
            return Err(LinkError::Unsupported { word, span: Some(label.span) });
        };
        let Some(output) = options.labels.linkage.output_of(label.value.key()) else {
            let message =
                format!("no output goes to `{}`: its own output goes elsewhere", label.value);
            return Err(LinkError::Refused(vec![Diagnostic::error(label.span, message)]));
        };
        let output = Semantic::of_key(output);
        let start = input.component.and_then(|first| u8::try_from(first).ok()).unwrap_or(0);
        let mut outputs = vertex.outputs.iter_mut();
        let known = outputs.find(|other| has_label(other, output) && other.ty == input.ty);
        let place = if let Some(Variable { place: Some(place), is_used, .. }) = known {
            *is_used = true;
            place.clone()
        } else {
            let location = input.location.map(|_| output.key());
            add_output(vertex, &Variable { location, ..input.clone() }, size)
        };
        vertex.overwritten.push(place.global);
        replaced.push(ReplacedVarying { place, start, size });
    }
    Ok(replaced)
}

fn add_output(vertex: &mut StageModule, input: &Variable, size: u8) -> Place {
    let inner = match size {
        2 => TypeInner::Vector { size: VectorSize::Bi, scalar: Scalar::F32 },
        3 => TypeInner::Vector { size: VectorSize::Tri, scalar: Scalar::F32 },
        4 => TypeInner::Vector { size: VectorSize::Quad, scalar: Scalar::F32 },
        _ => TypeInner::Scalar(Scalar::F32),
    };
    let place = state_uniform::add_global(vertex, inner);
    vertex.outputs.push(Variable { place: Some(place.clone()), ..input.clone() });
    place
}

/// True if the variable has this label. The label of `gl_TexCoord[k]` is `TEXCOORD[k]`; a variable with a location or a
/// given semantic has the corresponding label.
fn has_label(variable: &Variable, label: Semantic) -> bool {
    let element = variable.name.strip_prefix(TEX_COORD).and_then(|rest| rest.strip_prefix('['));
    match element.and_then(|rest| rest.strip_suffix(']')?.parse().ok()) {
        Some(index) => label == Semantic { name: SemanticName::TexCoord, index },
        None => variable.location == Some(label.key()),
    }
}

fn float_components(ty: &Type) -> Option<u8> {
    match ty {
        Type::Scalar(ScalarKind::F32) => Some(1),
        Type::Vector { size, scalar: ScalarKind::F32 } => Some(*size),
        Type::Scalar(_)
        | Type::Vector { .. }
        | Type::Matrix { .. }
        | Type::Array { .. }
        | Type::Struct(_) => None,
    }
}
