//! Textures, samplers and images: their kinds follow from the modules' own types.

use naga::valid::ModuleInfo;
use naga::{GlobalVariable, Handle, ImageClass, ImageDimension, Module, StorageAccess, TypeInner};

use crate::table::binding::{
    BindingPoint, ImageAccess, OpaqueBinding, OpaqueKind, StageUse, TexelClass, TextureDimension,
};
use ir::diagnostic::Diagnostic;
use ir::format::Format;
use ir::stage_module::{LanguageRules, ResourceKind, ResourceVariable, StageModule};

/// Gives images with the same name the same access in all modules, as bind groups require. Opaque uniforms with the
/// same name that differ in another way are errors, and in WGSL also those that differ in their access.
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
        let is_wgsl = stages[*stage].rules == LanguageRules::Wgsl;
        let is_equal = if is_wgsl {
            here == there
        } else {
            with_access(here, access) == with_access(there, access)
        };
        if !is_equal {
            let what = if is_wgsl { "resource" } else { "uniform" };
            let name = &resource.name;
            let message = format!("{what} `{name}` has another type in an earlier stage");
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
        | ResourceKind::Immediates
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

/// Adds a used resource of `stage` to the table, or merges it with the entry that is already there.
pub(super) fn add<'a>(
    opaques: &'a mut Vec<OpaqueBinding>,
    resource: &ResourceVariable,
    stage: &StageModule,
    used: Used<'_>,
    at: BindingPoint,
) -> Option<&'a mut OpaqueBinding> {
    let is_separate = stage.rules == LanguageRules::Wgsl;
    let mut kind = kind_of(&inner(used.module, resource.global))?;
    let pairs = &used.info.get_entry_point(0).sampling_set;
    match &mut kind {
        OpaqueKind::Texture { is_filterable, .. } => {
            let is_sampled = pairs.iter().any(|pair| pair.image == resource.global);
            *is_filterable &= is_sampled || !is_separate;
        }
        OpaqueKind::Sampler { is_filtering, .. } => {
            let mut own = pairs.iter().filter(|pair| pair.sampler == resource.global);
            *is_filtering = !own.any(|pair| has_integers(&inner(used.module, pair.image)));
        }
        OpaqueKind::Image { .. } => {}
    }
    if let Some(known) = opaques.iter().position(|known| known.at == at) {
        let known = opaques.get_mut(known)?;
        known.kind = merged(known.kind, kind);
        return Some(known);
    }
    opaques.push(OpaqueBinding {
        name: resource.name.clone(),
        at,
        stages: StageUse::default(),
        owner: None,
        unit: resource.binding.unwrap_or(0),
        is_separate,
        location: resource.location,
        kind,
    });
    opaques.last_mut()
}

/// The kind of a resource that two stages use.
const fn merged(first: OpaqueKind, second: OpaqueKind) -> OpaqueKind {
    match (first, second) {
        (
            OpaqueKind::Texture { dimension, class, is_filterable },
            OpaqueKind::Texture { is_filterable: other, .. },
        ) => OpaqueKind::Texture { dimension, class, is_filterable: is_filterable || other },
        (
            OpaqueKind::Sampler { is_comparison, is_filtering },
            OpaqueKind::Sampler { is_filtering: other, .. },
        ) => OpaqueKind::Sampler { is_comparison, is_filtering: is_filtering && other },
        (
            OpaqueKind::Texture { .. } | OpaqueKind::Sampler { .. } | OpaqueKind::Image { .. },
            OpaqueKind::Texture { .. } | OpaqueKind::Sampler { .. } | OpaqueKind::Image { .. },
        ) => first,
    }
}

fn has_integers(inner: &TypeInner) -> bool {
    let TypeInner::Image { class: ImageClass::Sampled { kind, .. }, .. } = inner else {
        return false;
    };
    matches!(kind, naga::ScalarKind::Sint | naga::ScalarKind::Uint)
}

/// The final module of a stage, with naga's analysis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Used<'a> {
    pub(super) module: &'a Module,
    pub(super) info: &'a ModuleInfo,
}

#[expect(clippy::wildcard_enum_match_arm, reason = "no other type is opaque")]
fn kind_of(inner: &TypeInner) -> Option<OpaqueKind> {
    match *inner {
        TypeInner::Sampler { comparison } => {
            Some(OpaqueKind::Sampler { is_comparison: comparison, is_filtering: true })
        }
        TypeInner::Image { dim, arrayed, class } => {
            let dimension = match (dim, arrayed) {
                (ImageDimension::D1, false) => TextureDimension::D1,
                (ImageDimension::D2, false) => TextureDimension::D2,
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

fn image_kind(dimension: TextureDimension, class: ImageClass) -> Option<OpaqueKind> {
    let texture = |class, is_multisampled: bool| {
        // Front ends reject multisampled textures of other shapes.
        let dimension = match (dimension, is_multisampled) {
            (TextureDimension::D2, true) => TextureDimension::D2Multisampled,
            (_, true) => return None,
            (_, false) => dimension,
        };
        let is_filterable = class == TexelClass::Float && !is_multisampled;
        Some(OpaqueKind::Texture { dimension, class, is_filterable })
    };
    match class {
        ImageClass::Sampled { kind, multi } => match kind {
            naga::ScalarKind::Sint => texture(TexelClass::Sint, multi),
            naga::ScalarKind::Uint => texture(TexelClass::Uint, multi),
            naga::ScalarKind::Float
            | naga::ScalarKind::Bool
            | naga::ScalarKind::AbstractInt
            | naga::ScalarKind::AbstractFloat => texture(TexelClass::Float, multi),
        },
        ImageClass::Depth { multi } => texture(TexelClass::Depth, multi),
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
        // Front ends reject external textures.
        ImageClass::External => None,
    }
}
