//! What devices offer, and what cases need of them.
//!
//! An [`Offer`] holds the features, downlevel flags, limits and formats of a device as tables, by wgpu's names, whatever
//! executes on the device. [`Pretend`] reduces it. [`missing_requirement`], [`lacks_case`] and the like name the first
//! thing that a case needs and a device lacks; [`needs`] tells all that a case needs.
//!
//! Nothing here executes. What an execution on a GPU has in common with its needs is here too, as data of `wgpu-types`:
//! the [`entries`] of bind groups, [`format`](mod@format)s, [`blending`], and stages without what a device lacks
//! ([`old_language`], [`unused_outputs`]).

mod ability;
mod adapter_info;
pub mod blending;
pub mod entries;
mod executor;
pub mod format;
mod format_support;
mod language;
mod limits;
mod need;
mod offer;
pub mod old_language;
mod pretend;
mod requirement;
pub mod snapshot;
pub mod unused_outputs;
mod wgsl;

pub use ability::Abilities;
pub use adapter_info::{AdapterInfo, DeviceType};
pub use format_support::FormatSupport;
pub use language::Language;
pub use need::{NeedRow, Needs, modules, need_table};
pub use offer::{Offer, lower_for, lower_for_compilers};
pub use pretend::{Pretend, PretendError};
pub use requirement::{asks_adapter, missing_gl, missing_requirement, unknown_requirement};
pub use requirement::{gl_limits, lacks_case, lacks_plan, lacks_planned, lacks_programs, needs};
