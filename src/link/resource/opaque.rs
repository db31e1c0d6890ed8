//! Textures, samplers and images: their kinds follow from the modules' own types.

use naga::{GlobalVariable, Handle, ImageClass, ImageDimension, Module, StorageAccess, TypeInner};

use crate::table::binding::{
    BindingPoint, ImageAccess, OpaqueBinding, OpaqueKind, StageUse, TexelClass, TextureDimension,
};
use ir::diagnostic::Diagnostic;
use ir::format::Format;
use ir::stage_module::{ResourceKind, ResourceVariable, StageModule};

/// Gives images with the same name the same access in all modules, as bind groups require. Opaque uniforms with the
/// same name that differ in another way are errors.
pub(super) fn unify(stages: &[&StageModule], modules: &mut [Module]) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    let all: Vec<(usize, &ResourceVariable)> = stages
        .iter()
        .enumerate()
        .flat_map(|(idx, stage)| stage.resources.iter().map(move |resource| (idx, resource)))
        .filter(|(_, resource)| is_opaque(resource.kind))
        .collect();
    for (idx, (stage, resource)) in all.iter().enumerate() {
        let Some((first_stage, first)) = all[..idx]
            .iter()
            .find(|(_, other)| other.name == resource.name && other.kind == resource.kind)
        else {
            continue;
        };
        let here = inner(&modules[*stage], resource.global);
        let there = inner(&modules[*first_stage], first.global);
        let access = access_of(&here).union(access_of(&there));
        if with_access(here.clone(), access) != with_access(there.clone(), access) {
            let message =
                format!("uniform `{}` has another type in an earlier stage", resource.name);
            errors.push(Diagnostic::error(resource.span, message));
            continue;
        }
        for (stage, global) in [(*stage, resource.global), (*first_stage, first.global)] {
            set_access(&mut modules[stage], global, access);
        }
    }
    errors
}

/// True for a texture, sampler or image.
pub(super) const fn is_opaque(kind: ResourceKind) -> bool {
    match kind {
        ResourceKind::Texture | ResourceKind::Sampler | ResourceKind::Image => true,
        ResourceKind::StorageBuffer { .. }
        | ResourceKind::UniformBuffer
        | ResourceKind::AtomicCounters => false,
    }
}

fn inner(module: &Module, global: Handle<GlobalVariable>) -> TypeInner {
    module.types[module.global_variables[global].ty].inner.clone()
}

fn access_of(inner: &TypeInner) -> StorageAccess {
    if let TypeInner::Image { class: ImageClass::Storage { access, .. }, .. } = inner {
        *access
    } else {
        StorageAccess::empty()
    }
}

fn with_access(inner: TypeInner, access: StorageAccess) -> TypeInner {
    if let TypeInner::Image { dim, arrayed, class: ImageClass::Storage { format, .. } } = inner {
        TypeInner::Image { dim, arrayed, class: ImageClass::Storage { format, access } }
    } else {
        inner
    }
}

fn set_access(module: &mut Module, global: Handle<GlobalVariable>, access: StorageAccess) {
    let old = module.global_variables[global].ty;
    let ty = naga::Type {
        name: module.types[old].name.clone(),
        inner: with_access(module.types[old].inner.clone(), access),
    };
    let ty = module.types.insert(ty, naga::Span::UNDEFINED);
    module.global_variables.get_mut(global).ty = ty;
}

/// Adds a used resource to the table, unless it is already there.
pub(super) fn add<'a>(
    opaques: &'a mut Vec<OpaqueBinding>,
    resource: &ResourceVariable,
    module: &Module,
    at: BindingPoint,
) -> Option<&'a mut OpaqueBinding> {
    if let Some(idx) = opaques.iter().position(|known| known.at == at) {
        return opaques.get_mut(idx);
    }
    opaques.push(OpaqueBinding {
        name: resource.name.clone(),
        at,
        stages: StageUse::default(),
        owner: None,
        unit: resource.binding.unwrap_or(0),
        location: resource.location,
        kind: kind_of(&inner(module, resource.global))?,
    });
    opaques.last_mut()
}

#[expect(clippy::wildcard_enum_match_arm, reason = "no other type is opaque")]
fn kind_of(inner: &TypeInner) -> Option<OpaqueKind> {
    match *inner {
        TypeInner::Sampler { comparison } => {
            Some(OpaqueKind::Sampler { is_comparison: comparison })
        }
        TypeInner::Image { dim, arrayed, class } => {
            let dimension = match (dim, arrayed) {
                (ImageDimension::D1 | ImageDimension::D2, false) => TextureDimension::D2,
                (ImageDimension::D1 | ImageDimension::D2, true) => TextureDimension::D2Array,
                (ImageDimension::D3, _) => TextureDimension::D3,
                (ImageDimension::Cube, false) => TextureDimension::Cube,
                (ImageDimension::Cube, true) => TextureDimension::CubeArray,
            };
            image_kind(dimension, class)
        }
        _ => None,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "multisampled textures are not compiled")]
fn image_kind(dimension: TextureDimension, class: ImageClass) -> Option<OpaqueKind> {
    match class {
        ImageClass::Sampled { kind, multi: false } => {
            let class = match kind {
                naga::ScalarKind::Sint => TexelClass::Sint,
                naga::ScalarKind::Uint => TexelClass::Uint,
                _ => TexelClass::Float,
            };
            Some(OpaqueKind::Texture { dimension, class })
        }
        ImageClass::Depth { multi: false } => {
            Some(OpaqueKind::Texture { dimension, class: TexelClass::Depth })
        }
        ImageClass::Storage { format, access } => {
            let format = Format::from_name(&format!("{format:?}").to_lowercase())?;
            let access = if access.contains(StorageAccess::ATOMIC) {
                ImageAccess::Atomic
            } else if access.contains(StorageAccess::LOAD | StorageAccess::STORE) {
                ImageAccess::ReadWrite
            } else if access.contains(StorageAccess::LOAD) {
                ImageAccess::Read
            } else {
                ImageAccess::Write
            };
            Some(OpaqueKind::Image { dimension, format, access })
        }
        _ => None,
    }
}
