//! Tables of the built-in variables, constants and functions, with the versions that have them.
//!
//! These tables answer every query about a built-in name: the versions, profiles and stages that have it, its type, and
//! whether it may be redeclared. Keywords and types are in [`super::word`], which tests versions in the same way. The
//! versions are those of the GLSL and GLSL ES specifications (chapters 7 and 8). If Mesa has a name in an earlier
//! version than the specification and piglit relies on this, the row uses Mesa's version.

mod availability;
mod constants;
mod functions;
mod opaque_functions;
mod variables;

pub(super) use availability::{Availability, Context, LEGACY_STORAGE, NEVER, since};
pub(super) use constants::{BuiltinConstant, constant};
pub(super) use functions::{INT64, is_function_available};
pub(super) use opaque_functions::{Prototype, is_opaque_function, opaque_prototypes};
pub(super) use variables::{
    BOUNDING_BOX, BuiltinKind, COORD_LAYOUT, DEPTH_LAYOUT, Seen, StoredBuiltin, is_bounding_box,
    is_in_another_stage, is_reserved_family, redeclaration, variable,
};
