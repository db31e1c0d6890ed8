//! Entries of bind group layouts.

use link::binding::BindingPoint;

/// Where something is bound, and as what.
pub(super) type Entry = (BindingPoint, wgpu::BindGroupLayoutEntry);
