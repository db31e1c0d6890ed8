//! The buffers, textures and samplers of a stage. `@group` and `@binding` together identify a resource, as in WebGPU;
//! its name is an alias.

use naga::{
    AddressSpace, GlobalVariable, Handle, ImageClass, Module, ResourceBinding, StorageAccess,
    TypeInner,
};

use ir::diagnostic::CompileError;
use ir::source::Span;
use ir::stage_module::{ResourceKind, ResourceVariable};
use ir::vulkan::{MAX_BINDING, MAX_SET, PUSH_CONSTANT_POINT, point};

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
        // naga's validator ensures that an entry point uses one variable of the immediates at most.
        let (name, point) = if kind == ResourceKind::Immediates {
            ("immediates".to_owned(), PUSH_CONSTANT_POINT)
        } else {
            let ResourceBinding { group, binding } = bound(global, span)?;
            (format!("@group({group}) @binding({binding})"), point(group, binding))
        };
        found.push(ResourceVariable {
            name,
            global: *handle,
            kind,
            binding: Some(point),
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

/// The binding of a variable that needs one.
fn bound(global: &GlobalVariable, span: Span) -> Result<ResourceBinding, CompileError> {
    let Some(binding) = global.binding else {
        return Err(CompileError::unsupported("a resource without a binding", span));
    };
    if binding.group > MAX_SET || binding.binding > MAX_BINDING {
        let word = format!("`@group` above {MAX_SET} and `@binding` above {MAX_BINDING}");
        return Err(CompileError::unsupported(word, span));
    }
    Ok(binding)
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
        AddressSpace::Immediate => Some(ResourceKind::Immediates),
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
        | AddressSpace::TaskPayload
        | AddressSpace::RayPayload
        | AddressSpace::IncomingRayPayload => None,
    }
}
