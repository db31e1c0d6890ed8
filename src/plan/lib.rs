//! Translates the steps of a case to a plan: a list of [`Operation`]s, with shared lists of vertices, indices, uniform
//! contents and storage buffers. Planning needs no adapter, and reports steps that do not fit the program.

mod attachments;
mod error;
mod levels;
mod opaque;
mod operation;
mod pass;
mod plan;
mod planner;
mod programs;
mod render_to;
mod runs;
mod snapshot;
pub mod tessellator;
mod texture;
pub mod topology;
pub mod vertex;
pub mod xfb;

#[cfg(test)]
mod tests;

pub use attachments::{Attachments, OutputStates};
pub use error::ExecuteError;
pub use levels::{WantedLevels, too_many_unknown_draws};
pub use opaque::{BoundOpaque, PlannedView, SamplerState};
pub use operation::{CopiedTo, DrawSetup, Operation, PlannedDraw, RowCopy, WordCopy};
pub use pass::{PassInput, PassVertices, PlannedPass};
pub use plan::{Bindings, INITIAL_DEPTH, Plan};
pub use planner::{PlanOptions, plan};
pub use programs::Programs;
pub use render_to::{RenderTo, TextureLayer};
pub use runs::plan_by_runs;
pub use snapshot::{PlannedSnapshot, SnapshotSource};
pub use texture::{PlannedTexture, TexelFormat, TextureShape};
pub use xfb::{EmittedEntries, XfbEvent};
