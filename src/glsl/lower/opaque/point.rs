//! Identities of resources. In OpenGL a resource is identified by its name. In Vulkan it is identified by its *point*,
//! which is its set and binding together, and its name is an alias.

use crate::ast::Qualifiers;
use crate::target::Target;
use ir::stage_module::ResourceKind;
use ir::vulkan::{MAX_BINDING, MAX_SET, PUSH_CONSTANT_POINT, point};

use crate::lower::qualifier::{At, has_layout};
use crate::lower::{Result, Stage, unsupported};

impl Stage<'_> {
    /// True if the stage is for Vulkan.
    pub(in crate::lower) fn is_vulkan(&self) -> bool {
        self.units.first().is_some_and(|unit| unit.target() == Target::Vulkan)
    }

    /// The point of a declaration. Set and binding are 0 without their qualifiers.
    pub(in crate::lower) fn point(&mut self, at: At, qualifiers: &Qualifiers) -> Result<u32> {
        if has_layout(qualifiers, "push_constant") {
            return Ok(PUSH_CONSTANT_POINT);
        }
        let set = self.layout_value(at, qualifiers, "set")?.unwrap_or(0);
        let binding = self.layout_value(at, qualifiers, "binding")?.unwrap_or(0);
        if set > MAX_SET || binding > MAX_BINDING {
            let word = format!("sets above {MAX_SET} and bindings above {MAX_BINDING}");
            return unsupported(qualifiers.span, word);
        }
        Ok(point(set, binding))
    }

    /// The name that identifies a resource that the shader calls `own`, and its alias. `first` is the point of the
    /// first element of its array, `unit` its own.
    pub(in crate::lower) fn identity(
        &self,
        kind: ResourceKind,
        own: &str,
        first: Option<u32>,
        unit: Option<u32>,
    ) -> (String, String) {
        if !self.is_vulkan() {
            return (own.to_owned(), String::new());
        }
        let point = |unit: Option<u32>| shown(unit.unwrap_or(0));
        let index = own.find('[').map_or("", |at| &own[at..]);
        let name = match kind {
            ResourceKind::StorageBuffer { .. }
            | ResourceKind::UniformBuffer
            | ResourceKind::Immediates
            | ResourceKind::AtomicCounters => point(unit),
            ResourceKind::Texture | ResourceKind::Sampler => {
                format!("texture at {}{index}", point(first))
            }
            ResourceKind::Image => format!("image at {}{index}", point(first)),
        };
        (name, own.to_owned())
    }
}

/// A point in words.
fn shown(point: u32) -> String {
    match (point, point >> 16, point & 0xffff) {
        (PUSH_CONSTANT_POINT, ..) => "push constants".to_owned(),
        (_, 0, binding) => format!("binding {binding}"),
        (_, set, binding) => format!("set {set} binding {binding}"),
    }
}
