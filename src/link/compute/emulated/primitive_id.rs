//! `gl_PrimitiveID` of the fragment stage behind an evaluation stage: the number of the patch (OpenGL 4.6, section 15.2.2).

use std::borrow::Cow;

use naga::{Scalar, TypeInner};

use crate::compute::geometry::built_in::PRIMITIVE_ID;
use ir::builder::{add_private, insert_type};
use ir::interface::{Interpolation, Place, ScalarKind, Type, Variable};
use ir::stage_module::StageModule;
use ir::tessellation::Tessellation;

/// Makes the number of the patch an output of an evaluation stage. A geometry stage writes its own.
pub(super) fn give(last: &mut Cow<'_, StageModule>) {
    if last.evaluation().is_none() {
        return;
    }
    let last = last.to_mut();
    let Some(Tessellation::Evaluation(own)) = &mut last.tessellation else { return };
    let module = &mut last.module;
    let global = *own.primitive_id.get_or_insert_with(|| {
        let ty = insert_type(module, TypeInner::Scalar(Scalar::I32));
        add_private(module, None, ty)
    });
    last.outputs.push(Variable {
        interpolation: Interpolation::Flat,
        place: Some(Place::whole(global)),
        ..Variable::new(PRIMITIVE_ID, Type::Scalar(ScalarKind::I32))
    });
}
