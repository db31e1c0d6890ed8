//! Snapshots: how an execution through WebGPU lays them out in buffers, and which ones an adapter cannot read.

use case::Case;
use plan::{Plan, SnapshotSource};

use super::offer::Offer;

/// Size in bytes up to which a snapshot buffer is filled before another one is made.
pub const BUFFER_BYTES: u64 = 64 << 20;

/// Alignment of copies in a snapshot buffer, which is a multiple of the size of every texel.
pub const ALIGNMENT: u64 = 16;

/// The reason why the adapter cannot do the single-sample reads of `plan`; `None` if it can do all of them.
pub(crate) fn lacks_samples(offer: &Offer, case: &Case, plan: &Plan) -> Option<String> {
    let is_single = |source: &SnapshotSource| match source {
        SnapshotSource::Sample { .. } => true,
        SnapshotSource::Depth => case.samples > 1,
        SnapshotSource::Target(idx) => {
            let target = case.render_targets.get(*idx);
            let is_resolved =
                target.is_some_and(|target| offer.format_support(target.format).is_resolvable);
            case.samples > 1 && !is_resolved
        }
        SnapshotSource::Stencil
        | SnapshotSource::Texture(_)
        | SnapshotSource::Layers(_)
        | SnapshotSource::Buffer(_) => false,
    };
    if case.samples > 1 && plan.reads(SnapshotSource::Stencil) {
        return Some("stencil values of several samples".to_owned());
    }
    let is_lacking =
        !offer.reads_samples() && plan.snapshots.iter().any(|snapshot| is_single(&snapshot.source));
    is_lacking.then(|| "the adapter cannot read single samples".to_owned())
}
