//! Decides for every part of a module that naga's reader returns whether it is carried over or rejected.
//!
//! naga's structs are destructured exhaustively, so a new field is a compile error until it is handled here.

use std::borrow::Cow;

use naga::valid::ModuleInfo;
use naga::{
    AddressSpace, GlobalVariable, Handle, ImageClass, ImageDimension, Module, SpecialTypes, Type,
    TypeInner,
};

use ir::diagnostic::CompileError;
use ir::format::Format;

use crate::checked::{Places, error_at};

/// Rejects parts of a module that later passes do not handle, if the entry point at `chosen` or no entry point uses
/// them.
///
/// Parts that only other entry points use do not belong to the stage.
pub(super) fn check(
    module: &Module,
    info: &ModuleInfo,
    chosen: usize,
    places: Places<'_>,
) -> Result<(), CompileError> {
    let Module {
        types,
        special_types,
        // They are carried with the module.
        constants: _,
        global_expressions: _,
        functions: _,
        global_variables,
        // They become constants: see `crate::overrides`.
        overrides: _,
        // One of them becomes the stage: see `crate::entry`.
        entry_points: _,
        // They change what naga's validator reports. It has run already; they are carried for later validation.
        diagnostic_filters: _,
        diagnostic_filter_leaf: _,
        // Comments have no effect.
        doc_comments: _,
    } = module;
    if let Some(word) = special(special_types) {
        return Err(CompileError::unsupported(word, places.text));
    }
    for (handle, ty) in types.iter() {
        if let Some(word) = opaque(ty) {
            return Err(CompileError::unsupported(word, places.of(types.get_span(handle))));
        }
    }
    for (handle, global) in global_variables.iter() {
        let is_used = !info.get_entry_point(chosen)[handle].is_empty();
        let has_workgroups = module.entry_points[chosen].stage == naga::ShaderStage::Compute;
        if global.space == AddressSpace::WorkGroup && is_used && !has_workgroups {
            let place = places.of(global_variables.get_span(handle));
            let message = "only compute stages can use variables of the workgroup";
            return Err(error_at(place, message));
        }
        if is_part(module, info, chosen, handle)
            && let Some(word) = refused(module, global)
        {
            let place = places.of(global_variables.get_span(handle));
            return Err(CompileError::unsupported(word, place));
        }
    }
    Ok(())
}

/// True if the entry point at `chosen` uses the variable, or if no entry point does.
fn is_part(
    module: &Module,
    info: &ModuleInfo,
    chosen: usize,
    global: Handle<GlobalVariable>,
) -> bool {
    let is_used = |index: usize| !info.get_entry_point(index)[global].is_empty();
    is_used(chosen) || !(0..module.entry_points.len()).any(is_used)
}

/// The name of the unsupported feature that needs one of these types, if any is present.
fn special(types: &SpecialTypes) -> Option<&'static str> {
    let SpecialTypes {
        ray_desc,
        ray_intersection,
        ray_vertex_return,
        external_texture_params,
        external_texture_transfer_function,
        // Types of results of built-in functions, which are carried with the module.
        predeclared_types: _,
    } = types;
    if ray_desc.is_some() || ray_intersection.is_some() || ray_vertex_return.is_some() {
        return Some("ray queries");
    }
    let external =
        external_texture_params.is_some() || external_texture_transfer_function.is_some();
    external.then_some("external textures")
}

/// The name of a type that interstage does not support anywhere.
fn opaque(ty: &Type) -> Option<&'static str> {
    // The name is only for people.
    let Type { name: _, inner } = ty;
    match inner {
        TypeInner::CooperativeMatrix { .. } => Some("cooperative matrices"),
        TypeInner::AccelerationStructure { .. } | TypeInner::RayQuery { .. } => Some("ray queries"),
        TypeInner::Scalar(_)
        | TypeInner::Vector { .. }
        | TypeInner::Matrix { .. }
        | TypeInner::Atomic(_)
        | TypeInner::Pointer { .. }
        | TypeInner::ValuePointer { .. }
        | TypeInner::Array { .. }
        | TypeInner::Struct { .. }
        // These three are types of variables, where the check knows whether an entry point uses them.
        | TypeInner::Image { .. }
        | TypeInner::Sampler { .. }
        | TypeInner::BindingArray { .. } => None,
    }
}

/// The name of the kind of a variable that interstage does not support.
fn refused(module: &Module, global: &GlobalVariable) -> Option<Cow<'static, str>> {
    let GlobalVariable {
        // Its name, type and initial value are carried with the module.
        name: _,
        ty,
        init: _,
        // It becomes a resource's point: see `crate::resources`.
        binding: _,
        space,
        // They are carried with the module. An adapter without them lacks a feature.
        memory_decorations: _,
    } = global;
    let inner = &module.types[*ty].inner;
    match space {
        AddressSpace::Storage { .. } | AddressSpace::Uniform => {
            matches!(inner, TypeInner::BindingArray { .. }).then_some("binding arrays".into())
        }
        AddressSpace::Handle => handle_word(inner),
        AddressSpace::TaskPayload => Some("task payloads".into()),
        AddressSpace::RayPayload | AddressSpace::IncomingRayPayload => Some("ray payloads".into()),
        AddressSpace::Function
        | AddressSpace::Private
        | AddressSpace::WorkGroup
        | AddressSpace::Immediate => None,
    }
}

/// The name of the kind of a variable in the `handle` address space that interstage does not support, if any.
fn handle_word(inner: &TypeInner) -> Option<Cow<'static, str>> {
    match inner {
        TypeInner::Image { class: ImageClass::External, .. } => Some("external textures".into()),
        TypeInner::Image {
            dim,
            arrayed,
            class: ImageClass::Sampled { multi, .. } | ImageClass::Depth { multi },
        } => {
            let is_plain = *dim == ImageDimension::D2 && !arrayed;
            (*multi && !is_plain).then_some("arrays of multisampled textures".into())
        }
        TypeInner::Image { class: ImageClass::Storage { format, access: _ }, .. } => {
            let name = format!("{format:?}").to_lowercase();
            Format::from_name(&name).is_none().then(|| format!("storage textures of {name}").into())
        }
        TypeInner::Sampler { comparison: _ } => None,
        TypeInner::BindingArray { .. } => Some("binding arrays".into()),
        TypeInner::AccelerationStructure { .. } | TypeInner::RayQuery { .. } => {
            Some("ray queries".into())
        }
        TypeInner::Scalar(_)
        | TypeInner::Vector { .. }
        | TypeInner::Matrix { .. }
        | TypeInner::CooperativeMatrix { .. }
        | TypeInner::Atomic(_)
        | TypeInner::Pointer { .. }
        | TypeInner::ValuePointer { .. }
        | TypeInner::Array { .. }
        | TypeInner::Struct { .. } => Some("resources of this type".into()),
    }
}

#[cfg(test)]
mod tests {
    use naga::{ArraySize, Handle, Scalar, StorageAccess, VectorSize};

    use ir::source::Span;

    use super::*;

    const TEXT: &str = "var<private> own: u32;
        @compute @workgroup_size(1) fn main() { own = 1; }
        @compute @workgroup_size(1) fn other() {}";

    /// The message that rejects the module after `change`, which also gets the variable `own`.
    fn refusal(change: impl FnOnce(&mut Module, Handle<GlobalVariable>)) -> Option<String> {
        let mut module = naga::front::wgsl::parse_str(TEXT).expect("right WGSL");
        let places = Places { source: TEXT, text: Span::new(0, TEXT.len()) };
        let info = crate::checked::validate(&module, places).expect("a valid module");
        let own = module.global_variables.iter().next().expect("a variable").0;
        change(&mut module, own);
        match check(&module, &info, 0, places) {
            Ok(()) => None,
            Err(CompileError::Unsupported { word, span }) => {
                assert!(span.is_some(), "{word} has no place");
                Some(word)
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    fn of_space(space: AddressSpace) -> Option<String> {
        refusal(|module, own| module.global_variables.get_mut(own).space = space)
    }

    fn of_type(space: AddressSpace, inner: TypeInner) -> Option<String> {
        refusal(|module, own| {
            let ty = Type { name: None, inner };
            let global = module.global_variables.get_mut(own);
            global.space = space;
            global.ty = module.types.insert(ty, naga::Span::UNDEFINED);
        })
    }

    #[test]
    fn each_address_space_is_carried_or_refused() {
        for space in [
            AddressSpace::Function,
            AddressSpace::Private,
            AddressSpace::WorkGroup,
            AddressSpace::Uniform,
            AddressSpace::Storage { access: StorageAccess::all() },
            AddressSpace::Immediate,
        ] {
            assert_eq!(of_space(space), None, "{space:?}");
        }
        let refused = |space| of_space(space).expect("a refusal");
        assert_eq!(refused(AddressSpace::TaskPayload), "task payloads");
        assert_eq!(refused(AddressSpace::RayPayload), "ray payloads");
        assert_eq!(refused(AddressSpace::IncomingRayPayload), "ray payloads");
        assert_eq!(refused(AddressSpace::Handle), "resources of this type");
    }

    #[test]
    fn each_texture_and_sampler_is_carried_or_refused() {
        let image = |arrayed, class| TypeInner::Image { dim: ImageDimension::D2, arrayed, class };
        let float = naga::ScalarKind::Float;
        let storage = |format| ImageClass::Storage { format, access: StorageAccess::LOAD };
        let handle = AddressSpace::Handle;
        for (inner, word) in [
            (image(true, ImageClass::Sampled { kind: float, multi: false }), None),
            (image(false, ImageClass::Depth { multi: true }), None),
            (
                image(true, ImageClass::Depth { multi: true }),
                Some("arrays of multisampled textures"),
            ),
            (image(false, storage(naga::StorageFormat::R32Float)), None),
            (
                image(false, storage(naga::StorageFormat::R64Uint)),
                Some("storage textures of r64uint"),
            ),
            (image(false, ImageClass::External), Some("external textures")),
            (TypeInner::Sampler { comparison: true }, None),
            (TypeInner::AccelerationStructure { vertex_return: false }, Some("ray queries")),
            (TypeInner::RayQuery { vertex_return: true }, Some("ray queries")),
        ] {
            assert_eq!(of_type(handle, inner.clone()).as_deref(), word, "{inner:?}");
        }
        let array = |base| TypeInner::BindingArray { base, size: ArraySize::Dynamic };
        for space in [handle, AddressSpace::Uniform] {
            let word = refusal(|module, own| {
                let base = module.global_variables[own].ty;
                let ty = Type { name: None, inner: array(base) };
                let global = module.global_variables.get_mut(own);
                global.space = space;
                global.ty = module.types.insert(ty, naga::Span::UNDEFINED);
            });
            assert_eq!(word.as_deref(), Some("binding arrays"), "{space:?}");
        }
        let matrix = TypeInner::CooperativeMatrix {
            columns: naga::CooperativeSize::Eight,
            rows: naga::CooperativeSize::Eight,
            scalar: Scalar::F32,
            role: naga::CooperativeRole::A,
        };
        assert_eq!(of_type(AddressSpace::Private, matrix).as_deref(), Some("cooperative matrices"));
        let vector = TypeInner::Vector { size: VectorSize::Bi, scalar: Scalar::F32 };
        assert_eq!(of_type(AddressSpace::Private, vector), None);
    }

    #[test]
    fn each_special_type_is_carried_or_refused() {
        let refused = |set: fn(&mut SpecialTypes, Handle<Type>)| {
            refusal(|module, own| {
                let ty = module.global_variables[own].ty;
                set(&mut module.special_types, ty);
            })
        };
        let rays: [fn(&mut SpecialTypes, Handle<Type>); 3] = [
            |types, ty| types.ray_desc = Some(ty),
            |types, ty| types.ray_intersection = Some(ty),
            |types, ty| types.ray_vertex_return = Some(ty),
        ];
        for set in rays {
            assert_eq!(refused(set).as_deref(), Some("ray queries"));
        }
        let external: [fn(&mut SpecialTypes, Handle<Type>); 2] = [
            |types, ty| types.external_texture_params = Some(ty),
            |types, ty| types.external_texture_transfer_function = Some(ty),
        ];
        for set in external {
            assert_eq!(refused(set).as_deref(), Some("external textures"));
        }
        let predeclared = refused(|types, ty| {
            let own = naga::PredeclaredType::FrexpResult { size: None, scalar: Scalar::F32 };
            types.predeclared_types.insert(own, ty);
        });
        assert_eq!(predeclared, None);
    }

    #[test]
    fn what_only_other_entry_points_use_is_no_part_of_the_stage() {
        let text = "enable wgpu_binding_array;
            @group(0) @binding(0) var seen: binding_array<texture_2d<f32>, 2>;
            @compute @workgroup_size(1) fn main() {}
            @compute @workgroup_size(1) fn other() { _ = textureLoad(seen[1], vec2u(), 0); }";
        let module = naga::front::wgsl::parse_str(text).expect("right WGSL");
        let places = Places { source: text, text: Span::new(0, text.len()) };
        let info = crate::checked::validate(&module, places).expect("a valid module");
        assert_eq!(check(&module, &info, 0, places), Ok(()));
        let Err(CompileError::Unsupported { word, span: Some(span) }) =
            check(&module, &info, 1, places)
        else {
            panic!("the texture is used");
        };
        assert_eq!(word, "binding arrays");
        assert!(text[span.start..span.end].contains("seen"), "{span:?}");
    }
}
