//! The buffers, textures and samplers of a stage. `@group` and `@binding` together identify a resource, as in WebGPU;
//! its name is an alias.

use naga::{
    AddressSpace, GlobalVariable, Handle, ImageClass, Module, ResourceBinding, StorageAccess,
    TypeInner,
};

use ir::diagnostic::CompileError;
use ir::stage_module::{ResourceKind, ResourceVariable};
use ir::vulkan::{MAX_BINDING, MAX_SET, point};

use crate::checked::Places;

/// The resources among the `used` variables.
pub(super) fn resources(
    module: &Module,
    used: &[Handle<GlobalVariable>],
    places: Places<'_>,
) -> Result<Vec<ResourceVariable>, CompileError> {
    let mut found = Vec::new();
    for handle in used {
        let global = &module.global_variables[*handle];
        let inner = &module.types[global.ty].inner;
        let Some(kind) = kind_of(global.space, inner) else { continue };
        let span = places.of(module.global_variables.get_span(*handle));
        let Some(ResourceBinding { group, binding }) = global.binding else {
            return Err(CompileError::unsupported("a resource without a binding", span));
        };
        if group > MAX_SET || binding > MAX_BINDING {
            let word = format!("`@group` above {MAX_SET} and `@binding` above {MAX_BINDING}");
            return Err(CompileError::unsupported(word, span));
        }
        found.push(ResourceVariable {
            name: format!("@group({group}) @binding({binding})"),
            global: *handle,
            kind,
            binding: Some(point(group, binding)),
            alias: global.name.clone().unwrap_or_default(),
            described: None,
            element: 0,
            layout: None,
            location: None,
            span: Some(span),
        });
    }
    Ok(found)
}

/// The kind of variables in an address space; `None` if they are not resources. Unsupported address spaces and types are
/// rejected earlier.
fn kind_of(space: AddressSpace, inner: &TypeInner) -> Option<ResourceKind> {
    match space {
        AddressSpace::Storage { access } => {
            let is_writable = access.contains(StorageAccess::STORE);
            Some(ResourceKind::StorageBuffer { is_writable })
        }
        AddressSpace::Uniform => Some(ResourceKind::UniformBuffer),
        AddressSpace::Handle => {
            let is_image =
                matches!(inner, TypeInner::Image { class: ImageClass::Storage { .. }, .. });
            let is_sampler = matches!(inner, TypeInner::Sampler { .. });
            Some(match (is_image, is_sampler) {
                (true, _) => ResourceKind::Image,
                (false, true) => ResourceKind::Sampler,
                (false, false) => ResourceKind::Texture,
            })
        }
        AddressSpace::Function
        | AddressSpace::Private
        | AddressSpace::WorkGroup
        | AddressSpace::Immediate
        | AddressSpace::TaskPayload
        | AddressSpace::RayPayload
        | AddressSpace::IncomingRayPayload => None,
    }
}
