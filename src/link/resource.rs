//! Buffers, textures, samplers and images, which stay resources of the modules. Determines their binding points and the
//! stages that use them.

pub(crate) mod bind;
pub(crate) mod explicit_io;
pub mod uniform;

mod access;
mod agreement;
mod descriptor;
mod opaque;

use naga::valid::ModuleInfo;
use naga::{Expression, Function, GlobalVariable, Handle, Module, ResourceBinding};

use crate::table::binding::{
    BindingPoint, OpaqueBinding, Sharing, StageUse, StorageBuffer, Uniform, UniformBuffer, mark,
};
use ir::diagnostic::Diagnostic;
use ir::interface::{ScalarKind, Type};
use ir::layout::BlockLayout;
use ir::layout::natural;
use ir::layout::standard::{self, MatrixOrder, Standard};
use ir::options::ATOMIC_COUNTER_POINT;
use ir::stage_module::{ResourceKind, ResourceVariable, StageModule};

/// Bind group of storage buffers.
pub(crate) const STORAGE_GROUP: u32 = 0;
/// Bind group of uniform buffers in naga's own layout.
pub(crate) const NATURAL_UNIFORM_GROUP: u32 = 1;

/// Bind group of textures, samplers and images.
pub(crate) const OPAQUE_GROUP: u32 = 3;

/// The resources that the final modules use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resources {
    /// Storage buffers in binding order.
    pub storage_buffers: Vec<StorageBuffer>,
    /// Uniform buffers in binding order.
    pub uniform_buffers: Vec<UniformBuffer>,
    /// Textures, samplers and images in binding order.
    pub opaques: Vec<OpaqueBinding>,
}

/// Gives every resource of `modules` (one per stage, same order) its final group and binding. Resources of different
/// stages with the same kind and name are the same resource, unless each stage is a separate program.
pub(crate) fn relocate(
    stages: &[&StageModule],
    modules: &mut [Module],
    sharing: Sharing,
) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    descriptor::check(stages, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    match sharing {
        Sharing::ByName => relocate_program(stages, modules, sharing),
        Sharing::Apart => {
            for (stage, module) in stages.iter().zip(&mut *modules) {
                relocate_program(&[stage], std::slice::from_mut(module), sharing)?;
            }
            access::unify(stages, modules);
            Ok(())
        }
    }
}

fn relocate_program(
    stages: &[&StageModule],
    modules: &mut [Module],
    sharing: Sharing,
) -> Result<(), Vec<Diagnostic>> {
    let mut errors = opaque::unify(stages, modules);
    agreement::check(stages, &mut errors);
    for (stage, module) in stages.iter().zip(modules) {
        for resource in &stage.resources {
            let at = binding_point(stages, resource, sharing.first_binding(stage));
            let binding = ResourceBinding { group: at.group, binding: at.binding };
            let global = module.global_variables.get_mut(resource.global);
            global.binding = Some(binding).filter(|_| at != BindingPoint::IMMEDIATES);
            if let Some(other) = conflicting(stages, resource) {
                let message =
                    format!("`{}` has another binding in another stage: {other}", resource.name);
                errors.push(Diagnostic::error(resource.span, message));
            }
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The resources that the entry points use, by naga's analysis.
pub(crate) fn used(
    stages: &[&StageModule],
    modules: &[Module],
    infos: &[ModuleInfo],
    sharing: Sharing,
) -> Resources {
    let mut resources = Resources::default();
    for ((stage, module), info) in stages.iter().zip(modules).zip(infos) {
        let owner = sharing.owner(stage);
        let program = match sharing {
            Sharing::ByName => stages,
            Sharing::Apart => std::slice::from_ref(stage),
        };
        for resource in &stage.resources {
            if info.get_entry_point(0)[resource.global].is_empty() {
                continue;
            }
            let at = binding_point(program, resource, sharing.first_binding(stage));
            match resource.kind {
                ResourceKind::StorageBuffer { is_writable } => {
                    let ty = module.global_variables[resource.global].ty;
                    let buffer = storage_buffer(&mut resources, resource, at);
                    buffer.is_std430 = natural::is_std430(module, ty);
                    buffer.is_measured |= is_measured(module, resource.global);
                    buffer.min_size = buffer.min_size.max(natural::span_of(module, ty));
                    buffer.is_writable |= is_writable || access::is_writable(module, resource);
                    buffer.owner = owner;
                    mark(&mut buffer.stages, stage.stage);
                }
                ResourceKind::AtomicCounters => {
                    let buffer = storage_buffer(&mut resources, resource, at);
                    buffer.is_writable = true;
                    buffer.case_binding = ATOMIC_COUNTER_POINT + resource.binding.unwrap_or(0);
                    buffer.owner = owner;
                    mark(&mut buffer.stages, stage.stage);
                }
                ResourceKind::Texture | ResourceKind::Sampler | ResourceKind::Image => {
                    let used = opaque::Used { module, info };
                    let opaques = &mut resources.opaques;
                    if let Some(binding) = opaque::add(opaques, resource, stage, used, at) {
                        binding.owner = owner;
                        mark(&mut binding.stages, stage.stage);
                    }
                }
                ResourceKind::UniformBuffer | ResourceKind::Immediates => {
                    // All backends access a buffer that was lowered to words correctly.
                    let is_lowered = module.global_variables[resource.global].ty
                        != stage.module.global_variables[resource.global].ty;
                    let (uniform, is_std140) = uniform(resource, &stage.module);
                    let buffer = uniform_buffer(&mut resources, resource, at);
                    buffer.is_std140 &= is_std140 || is_lowered;
                    buffer.add(uniform);
                    // All separable programs of a pipeline share the immediates.
                    buffer.owner = owner.filter(|_| !buffer.is_immediate());
                    mark(&mut buffer.stages, stage.stage);
                }
            }
        }
    }
    resources.storage_buffers.sort_by_key(|buffer| buffer.at);
    resources.uniform_buffers.sort_by_key(|buffer| buffer.at);
    resources.opaques.sort_by_key(|opaque| opaque.at);
    resources
}

/// True if some function reads the length of the runtime-sized array in the buffer.
fn is_measured(module: &Module, buffer: Handle<GlobalVariable>) -> bool {
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    let mut functions = module.functions.iter().map(|(_, function)| function).chain(entries);
    functions.any(|function| {
        let measured = function.expressions.iter().filter_map(|(_, expression)| {
            let Expression::ArrayLength(array) = expression else { return None };
            Some(*array)
        });
        measured.map(|array| root(function, array)).any(|global| global == Some(buffer))
    })
}

/// The global that a pointer leads into.
fn root(function: &Function, mut pointer: Handle<Expression>) -> Option<Handle<GlobalVariable>> {
    loop {
        #[expect(clippy::wildcard_enum_match_arm, reason = "no other expression leads to a global")]
        match &function.expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
                pointer = *base;
            }
            Expression::GlobalVariable(global) => return Some(*global),
            _ => return None,
        }
    }
}

/// The binding point of a resource. Resources of a group are numbered from `first` in the order of first appearance.
fn binding_point(stages: &[&StageModule], resource: &ResourceVariable, first: u32) -> BindingPoint {
    if resource.kind == ResourceKind::Immediates {
        return BindingPoint::IMMEDIATES;
    }
    let group = group_of(resource);
    let mut known: Vec<(bool, &str)> = Vec::new();
    for other in
        stages.iter().flat_map(|stage| &stage.resources).filter(|other| group_of(other) == group)
    {
        if !known.contains(&key(other)) {
            known.push(key(other));
        }
    }
    let binding = known.iter().position(|other| *other == key(resource)).unwrap_or(0);
    let binding = u32::try_from(binding).unwrap_or(u32::MAX).saturating_add(first);
    BindingPoint { group, binding }
}

/// Identity of a resource in its group.
fn key(resource: &ResourceVariable) -> (bool, &str) {
    (resource.kind == ResourceKind::Sampler, &resource.name)
}

const fn group_of(resource: &ResourceVariable) -> u32 {
    match resource.kind {
        ResourceKind::StorageBuffer { .. } | ResourceKind::AtomicCounters => STORAGE_GROUP,
        ResourceKind::UniformBuffer => NATURAL_UNIFORM_GROUP,
        ResourceKind::Immediates => BindingPoint::IMMEDIATES.group,
        ResourceKind::Texture | ResourceKind::Sampler | ResourceKind::Image => OPAQUE_GROUP,
    }
}

fn conflicting(stages: &[&StageModule], resource: &ResourceVariable) -> Option<u32> {
    let all = stages.iter().flat_map(|stage| &stage.resources);
    let same =
        all.filter(|other| group_of(other) == group_of(resource) && key(other) == key(resource));
    same.filter_map(|other| other.binding)
        .find(|binding| resource.binding.is_some_and(|own| own != *binding))
}

fn storage_buffer<'a>(
    resources: &'a mut Resources,
    resource: &ResourceVariable,
    at: BindingPoint,
) -> &'a mut StorageBuffer {
    let buffers = &mut resources.storage_buffers;
    let known = buffers.iter().position(|buffer| buffer.at == at);
    let idx = known.unwrap_or_else(|| {
        buffers.push(StorageBuffer {
            name: resource.name.clone(),
            case_binding: resource.binding.unwrap_or(0),
            at,
            stages: StageUse::default(),
            owner: None,
            is_writable: false,
            is_std430: true,
            is_measured: false,
            min_size: 0,
        });
        buffers.len() - 1
    });
    &mut buffers[idx]
}

/// Type and layout of a buffer of `bytes` bytes whose own type, such as one with halves, no case can name: its words.
fn words_of(bytes: u32) -> (Type, BlockLayout) {
    let ty = Type::Scalar(ScalarKind::U32).array(bytes.div_ceil(4));
    let layout = standard::layout_of(&ty, Standard::Std430, MatrixOrder::ColumnMajor);
    (ty, layout)
}

fn uniform_buffer<'a>(
    resources: &'a mut Resources,
    resource: &ResourceVariable,
    at: BindingPoint,
) -> &'a mut UniformBuffer {
    let buffers = &mut resources.uniform_buffers;
    let known = buffers.iter().position(|buffer| buffer.at == at);
    let idx = known.unwrap_or_else(|| {
        buffers.push(UniformBuffer {
            name: resource.name.clone(),
            case_binding: resource.binding,
            at,
            stages: StageUse::default(),
            owner: None,
            size: 0,
            is_std140: true,
            uniforms: Vec::new(),
        });
        buffers.len() - 1
    });
    &mut buffers[idx]
}

/// The whole of a uniform buffer as a stage declares it, and whether its layout is that of std140.
fn uniform(resource: &ResourceVariable, module: &Module) -> (Uniform, bool) {
    let ty = module.global_variables[resource.global].ty;
    let own = || natural::type_of(module, ty).zip(natural::layout_of(module, ty));
    let described = resource.described.clone().or_else(own);
    let (ty, layout) = described.unwrap_or_else(|| words_of(natural::span_of(module, ty)));
    let standard = standard::layout_of(&ty, Standard::Std140, MatrixOrder::ColumnMajor);
    let is_std140 = standard.scalar_offsets(&ty) == layout.scalar_offsets(&ty);
    let uniform = Uniform {
        functions: Vec::new(),
        name: resource.name.clone(),
        alias: resource.alias.clone(),
        ty,
        layout,
        offset: 0,
        location: None,
        initial: None,
        span: resource.span,
    };
    (uniform, is_std140)
}
