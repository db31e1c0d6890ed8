//! Places of varyings, attributes and fragment outputs: locations, slots and routes.

pub mod budget;
pub(crate) mod conventions;
pub mod fragment_output;
pub(crate) mod location;
pub mod map;
pub(crate) mod optimise;
pub mod routing;
pub(crate) mod varying;
