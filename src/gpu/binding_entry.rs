//! Entries of bind group layouts.

use link::binding::BindingPoint;

/// Binding point and layout entry of a resource.
pub(super) type Entry = (BindingPoint, wgpu::BindGroupLayoutEntry);
