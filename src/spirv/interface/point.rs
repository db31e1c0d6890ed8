//! Points of resources: the descriptor set and the binding together. In set 0 the point equals the binding.

use std::fmt;

use rspirv::spirv::Decoration;

use ir::vulkan::{MAX_BINDING, MAX_SET, PUSH_CONSTANT_POINT, point};

use super::{Gathering, Problem};

/// Place of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Point {
    /// A binding of a descriptor set.
    Bound {
        /// The descriptor set.
        set: u32,
        /// The binding within the set.
        binding: u32,
    },
    /// The push constants, which have neither set nor binding.
    PushConstants,
}

impl Point {
    /// The point of element `idx` of an array of resources, whose elements have consecutive bindings.
    pub(super) fn element(self, idx: u32) -> Self {
        match self {
            Self::Bound { set, binding } => {
                Self::Bound { set, binding: binding.saturating_add(idx) }
            }
            Self::PushConstants => self,
        }
    }

    pub(super) const fn number(self) -> u32 {
        match self {
            Self::Bound { set, binding } => point(set, binding),
            Self::PushConstants => PUSH_CONSTANT_POINT,
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bound { set: 0, binding } => write!(formatter, "binding {binding}"),
            Self::Bound { set, binding } => write!(formatter, "set {set} binding {binding}"),
            Self::PushConstants => formatter.write_str("push constants"),
        }
    }
}

impl Gathering<'_> {
    /// The point of a variable; set and binding are 0 without their decorations.
    pub(super) fn point(&self, id: u32) -> Result<Point, Problem> {
        let own = self.declarations.decorations(id);
        let set = own.number(Decoration::DescriptorSet);
        let binding = own.number(Decoration::Binding).unwrap_or(0);
        if set.is_some_and(|set| set > MAX_SET || binding > MAX_BINDING) {
            let word = format!("SPIR-V sets above {MAX_SET} and bindings above {MAX_BINDING}");
            return Err(Problem::Unsupported(id, word));
        }
        Ok(Point::Bound { set: set.unwrap_or(0), binding })
    }
}
