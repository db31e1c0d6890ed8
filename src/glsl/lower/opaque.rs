//! Samplers, images and atomic counters.
//!
//! A value of an opaque type is a number: an index into a table of all opaque objects of the stage ([`Opaque`]). So it
//! can be an array element, a struct member or a parameter like any other value. If the number is known at compile
//! time, the entry's resource is used directly. Otherwise the code tries all entries of the type, which are few.
//!
//! One-dimensional textures become two-dimensional ones of height one, because WebGPU's one-dimensional textures have
//! no layers, levels or depth formats; rectangle textures become two-dimensional ones whose coordinates are divided by
//! the size.

pub(super) mod builtin_argument;
mod counter;
mod format;
mod image;
mod lod_bias;
pub(super) mod point;
mod prototype;
mod sample;
mod sample_name;
mod separate;
mod shape;
mod swizzle;
mod texture;

use naga::{
    AddressSpace, ArraySize, Block, Expression, GlobalVariable, Handle, ImageClass,
    ResourceBinding, StorageAccess, StorageFormat, StructMember, TypeInner,
};

use crate::ast::{Ident, MemoryWord, Qualifiers};
use crate::builtins;
use ir::interface::Place;
use ir::source::Span;
use ir::stage_module::{ResourceKind, ResourceVariable, UniformVariable};

use super::body::Body;
use super::call::argument::Argument;
use super::declaration::Specifier;
use super::global::{GlobalInfo, MemoryAccess, Role};
use super::operand::{Operand, Value};
use super::qualifier::{At, has_layout};
use super::scope::Symbol;
use super::types::constant::Constant;
use super::types::{Kind, Shape, Ty};
use super::{Fault, Result, Stage, unsupported, wrong};
pub(super) use format::word as format_word;
use shape::{Class, Dim, OpaqueType, parse_any_type, parse_type};

/// Number of texture units of all stages together, as in Mesa; GL 4.6 guarantees 96.
const MAX_UNITS: u32 = 192;

/// Maximum number of samplers, images and counters of a stage.
const MAX_OPAQUES: usize = 256;

/// Prefix for the names of opaque types' structs: Direct3D has its own types with names such as `sampler2D`.
const STRUCT_PREFIX: &str = "gl_";

/// A sampler, image or counter of the stage: an entry of the table.
#[derive(Clone, Debug)]
pub(super) struct Opaque {
    name: String,
    ty: OpaqueType,
    /// The texture, image, or buffer of counters.
    global: Handle<GlobalVariable>,
    /// The sampler.
    sampler: Option<Handle<GlobalVariable>>,
    /// Index of the counter in its buffer.
    word: u32,
    /// Accesses to the image.
    access: StorageAccess,
    format: StorageFormat,
    /// `readonly` and `writeonly` of an image.
    memory: MemoryAccess,
}

impl Opaque {
    fn new(name: &str, ty: OpaqueType, global: Handle<GlobalVariable>) -> Self {
        Self {
            name: name.to_owned(),
            ty,
            global,
            sampler: None,
            word: 0,
            access: StorageAccess::empty(),
            format: StorageFormat::Rgba8Unorm,
            memory: MemoryAccess::default(),
        }
    }
}

/// Opaque uniforms of the stage.
#[derive(Default)]
pub(super) struct Opaques {
    types: std::collections::HashMap<Ty, OpaqueType>,
    all: Vec<Opaque>,
    /// Counter buffers by binding point, with the next free offset.
    counters: std::collections::BTreeMap<u32, (Handle<GlobalVariable>, u32)>,
    /// Offset of the next counters, by binding point.
    counter_offsets: std::collections::BTreeMap<u32, u32>,
    /// Hidden uniforms that hold the swizzles of textures, by table index.
    swizzles: std::collections::HashMap<usize, Handle<GlobalVariable>>,
    /// Hidden uniforms that hold the level-of-detail biases of textures, by table index.
    lod_biases: std::collections::HashMap<usize, Handle<GlobalVariable>>,
    /// Combined entries by the table indices of their texture and their sampler.
    combined: std::collections::BTreeMap<(usize, usize), usize>,
}

/// True if the word names a supported opaque type.
pub(super) fn is_type(word: &str) -> bool {
    parse_type(word).is_some()
}

/// The parts of a uniform that contains opaque values.
#[derive(Default)]
struct Parts {
    /// The initial value: indices, and zeros for everything else.
    bits: Vec<u64>,
    /// The parts that are not opaque: name, path and type.
    plain: Vec<(String, Vec<u32>, Ty)>,
    /// Indices that lead to the part that is being collected.
    path: Vec<u32>,
}

/// The declaration of opaque values, with its running counters.
struct OpaqueDeclaration<'q> {
    at: At,
    qualifiers: &'q Qualifiers,
    span: Span,
    /// The unit of the first value.
    first: Option<u32>,
    /// The unit of the next value.
    unit: Option<u32>,
    location: Option<u32>,
}

impl Stage<'_> {
    /// The opaque type with this keyword. In the module it is a struct that holds the table index.
    pub(super) fn opaque_type(&mut self, word: &str) -> Option<Ty> {
        let parse = if self.hints.is_only_compiled { parse_any_type } else { parse_type };
        let opaque = parse(word)?;
        let unit = self.scalar(Kind::Uint);
        let name = Some("gl_index".to_owned());
        let member = StructMember { name, ty: unit, binding: None, offset: 0 };
        let inner = TypeInner::Struct { members: vec![member], span: 4 };
        let ty = self.add_type(Some(format!("{STRUCT_PREFIX}{word}")), inner);
        self.opaques.types.insert(ty, opaque);
        Some(ty)
    }

    /// The name of a struct in GLSL; for an opaque type its keyword.
    pub(super) fn struct_name(&self, ty: Ty) -> &str {
        let name = self.module.types[ty].name.as_deref().unwrap_or_default();
        name.strip_prefix(STRUCT_PREFIX).filter(|_| self.is_opaque(ty)).unwrap_or(name)
    }

    /// True if a type is or contains an opaque one.
    pub(super) fn has_opaque(&self, ty: Ty) -> bool {
        self.contains(ty, &|part| self.is_opaque(part))
    }

    /// True for a sampler, or an array of them.
    pub(super) fn has_sampler(&self, ty: Ty) -> bool {
        match self.shape(ty) {
            Shape::Array(element, _) => self.has_sampler(element),
            Shape::Scalar(_) | Shape::Vector(..) | Shape::Matrix(..) | Shape::Struct => {
                self.opaques.types.get(&ty).is_some_and(|opaque| {
                    matches!(opaque.class, Class::Sampler | Class::Texture | Class::BareSampler)
                })
            }
        }
    }

    /// Declares `uniform sampler2D name;` and all other declarations with opaque types.
    pub(super) fn declare_opaque(
        &mut self,
        specifier: &Specifier<'_>,
        ty: Ty,
        name: &Ident,
    ) -> Result<()> {
        let Specifier { at, qualifiers, .. } = *specifier;
        self.note_uniform(specifier, ty, name, None)?;
        if self.existing(at, name, ty, Role::Uniform)?.is_some() {
            return Ok(());
        }
        let unit = self.binding_value(at, qualifiers, 1, MAX_UNITS)?;
        let location = self.layout_value(at, qualifiers, "location")?;
        if has_layout(qualifiers, "input_attachment_index") {
            return unsupported(name.span, "input_attachment_index");
        }
        let mut owner =
            OpaqueDeclaration { at, qualifiers, span: name.span, first: unit, unit, location };
        let mut parts = Parts::default();
        let first_counter = self.counters.len();
        self.collect_opaques(&mut owner, ty, &name.name, &mut parts)?;
        self.note_counter(first_counter);
        let constant = Constant::new(ty, parts.bits);
        let info = GlobalInfo {
            constant: parts.plain.is_empty().then(|| constant.clone()),
            ..GlobalInfo::new(ty, Role::Uniform, at.object)
        };
        let global = self.add_private(name, info);
        self.set_initial(global, &constant, name.span);
        self.shared.insert(name.name.clone(), global);
        for (name, path, ty) in parts.plain {
            self.uniforms.push(UniformVariable {
                span: Some(owner.span),
                ..UniformVariable::loose(name, self.interface_type(ty), Place { global, path })
            });
        }
        self.declare_symbol(at, name, Symbol::Global(global))
    }

    /// True for an opaque type.
    pub(super) fn is_opaque(&self, ty: Ty) -> bool {
        self.opaques.types.contains_key(&ty)
    }

    /// Adds a hidden uniform that holds state of a texture.
    fn add_hidden(
        &mut self,
        name: Ident,
        ty: Ty,
        initial: Option<Vec<u64>>,
    ) -> Handle<GlobalVariable> {
        let global = self.add_private(&name, GlobalInfo::new(ty, Role::Uniform, 0));
        self.uniforms.push(UniformVariable {
            initial,
            span: Some(name.span),
            ..UniformVariable::loose(name.name, self.interface_type(ty), Place::whole(global))
        });
        global
    }

    fn collect_opaques(
        &mut self,
        owner: &mut OpaqueDeclaration<'_>,
        ty: Ty,
        name: &str,
        parts: &mut Parts,
    ) -> Result<()> {
        if let Some(opaque) = self.opaques.types.get(&ty).copied() {
            let idx = self.add_opaque(owner, opaque, name)?;
            parts.bits.push(u64::try_from(idx).unwrap_or(u64::MAX));
            return Ok(());
        }
        if !self.has_opaque(ty) {
            let count = usize::try_from(self.scalar_count(ty)).unwrap_or(0);
            parts.bits.extend(std::iter::repeat_n(0, count));
            parts.plain.push((name.to_owned(), parts.path.clone(), ty));
            return Ok(());
        }
        for idx in 0..self.child_count(ty) {
            let part = match self.members(ty).get(idx as usize) {
                Some(member) => format!("{name}.{}", member.name.clone().unwrap_or_default()),
                None => format!("{name}[{idx}]"),
            };
            let child = self.child(ty, idx);
            parts.path.push(idx);
            self.collect_opaques(owner, child, &part, parts)?;
            parts.path.pop();
        }
        Ok(())
    }

    /// Adds an entry to the table, and its resources to the module.
    fn add_opaque(
        &mut self,
        owner: &mut OpaqueDeclaration<'_>,
        ty: OpaqueType,
        name: &str,
    ) -> Result<usize> {
        if self.opaques.all.len() >= MAX_OPAQUES {
            return wrong(
                owner.span,
                format!("interstage supports at most {MAX_OPAQUES} samplers and images in a stage"),
            );
        }
        let unit = owner.unit;
        let opaque = match ty.class {
            Class::Counter => self.counter(owner, ty, name)?,
            Class::Sampler => {
                let inner = ty.sampled();
                let global = self.resource(owner, name, ResourceKind::Texture, inner);
                let sampler = TypeInner::Sampler { comparison: ty.is_shadow };
                let sampler = self.resource(owner, name, ResourceKind::Sampler, sampler);
                let sampler = Some(sampler);
                Opaque { sampler, ..Opaque::new(name, ty, global) }
            }
            Class::Texture => {
                let ty = OpaqueType { is_shadow: self.is_compared(name), ..ty };
                let global = self.resource(owner, name, ResourceKind::Texture, ty.sampled());
                Opaque::new(name, OpaqueType { is_shadow: false, ..ty }, global)
            }
            Class::BareSampler => {
                let inner = TypeInner::Sampler { comparison: ty.is_shadow };
                let global = self.resource(owner, name, ResourceKind::Sampler, inner);
                Opaque::new(name, ty, global)
            }
            Class::Image => {
                let declared = format::declared(owner.qualifiers);
                let hint = self.hints.image_format(name, unit.unwrap_or(0));
                let format = declared
                    .or_else(|| hint.and_then(format::of))
                    .unwrap_or_else(|| format::default_of(ty.kind));
                let access = StorageAccess::empty();
                let inner = ty.image(ImageClass::Storage { format, access });
                let global = self.resource(owner, name, ResourceKind::Image, inner);
                let has = |word| owner.qualifiers.memory.contains(&word);
                let memory = MemoryAccess {
                    is_read_only: has(MemoryWord::ReadOnly),
                    is_write_only: has(MemoryWord::WriteOnly),
                };
                Opaque { format, memory, ..Opaque::new(name, ty, global) }
            }
        };
        if ty.class != Class::Counter {
            owner.unit = unit.map(|unit| unit.saturating_add(1));
            owner.location = owner.location.map(|location| location.saturating_add(1));
        }
        self.opaques.all.push(opaque);
        Ok(self.opaques.all.len() - 1)
    }

    /// Adds a global that stays a resource of the module.
    fn resource(
        &mut self,
        owner: &OpaqueDeclaration<'_>,
        name: &str,
        kind: ResourceKind,
        inner: TypeInner,
    ) -> Handle<GlobalVariable> {
        let ty = self.add_type(None, inner);
        let ident = Ident { name: name.to_owned(), span: owner.span };
        let space = if kind == ResourceKind::AtomicCounters {
            AddressSpace::Storage { access: StorageAccess::LOAD | StorageAccess::STORE }
        } else {
            AddressSpace::Handle
        };
        let binding = u32::try_from(self.resources.len()).unwrap_or(u32::MAX);
        let place = Some(ResourceBinding { group: 0, binding });
        let info = GlobalInfo::new(ty, Role::Storage, owner.at.object);
        let global = self.add_global(&ident, space, place, info);
        let (name, alias) = self.identity(kind, name, owner.first, owner.unit);
        self.resources.push(ResourceVariable {
            name,
            global,
            kind,
            binding: owner.unit,
            alias,
            described: None,
            element: 0,
            layout: None,
            location: owner.location,
            span: Some(owner.span),
        });
        global
    }

    /// Sets the access of every image according to its uses.
    pub(super) fn finish_opaques(&mut self) {
        for opaque in self.opaques.all.clone() {
            if opaque.ty.class != Class::Image {
                continue;
            }
            let format = opaque.format;
            let access =
                if opaque.access.is_empty() { StorageAccess::STORE } else { opaque.access };
            let inner = opaque.ty.image(ImageClass::Storage { format, access });
            let ty = self.add_type(None, inner);
            self.module.global_variables.get_mut(opaque.global).ty = ty;
        }
    }
}

impl Body<'_, '_> {
    /// Lowers a call of a function whose first parameter is opaque; `None` for other functions.
    pub(super) fn call_opaque(
        &mut self,
        name: &Ident,
        arguments: &[Argument],
        span: Span,
    ) -> Result<Option<Operand>> {
        if !builtins::is_opaque_function(&name.name) {
            return Ok(None);
        }
        let first = arguments.first().and_then(|first| self.stage.opaques.types.get(&first.ty));
        let Some(ty) = first.copied() else { return self.no_match(name, arguments) };
        let values = self.opaque_arguments(name, arguments)?;
        let call = OpaqueCall { name, ty, values, span };
        let operand = match ty.class {
            _ if !ty.is_runnable() => return Ok(Some(self.stand_in(&call))),
            Class::Sampler => self.texture_call(&call),
            Class::Texture => self.bare_texture_call(&call),
            Class::BareSampler => Ok(None),
            Class::Image => self.image_call(&call),
            Class::Counter => self.counter_call(&call),
        };
        match operand {
            Err(Fault::Unsupported { .. }) if self.stage.hints.is_only_compiled => {
                Ok(Some(self.stand_in(&call)))
            }
            Ok(None) => self.no_match(name, arguments),
            Ok(Some(_)) | Err(_) => operand,
        }
    }

    /// The table entries that the first argument of the call may select.
    fn choices(&mut self, call: &OpaqueCall<'_>) -> Vec<usize> {
        let Some(value) = call.values.first() else { return Vec::new() };
        if let Some(known) = self.evaluate(value.handle)
            && let Some(idx) = known.bits.first().and_then(|idx| usize::try_from(*idx).ok())
        {
            return vec![idx];
        }
        let all = self.stage.opaques.all.iter().enumerate();
        all.filter(|(_, opaque)| opaque.ty == call.ty).map(|(idx, _)| idx).collect()
    }

    /// The result of an operation without side effects on the entry selected by the call. All candidate entries are
    /// evaluated outside of control flow, because derivatives need neighbouring invocations.
    fn choose_opaque(
        &mut self,
        call: &OpaqueCall<'_>,
        ty: Ty,
        mut operation: impl FnMut(&mut Self, usize) -> Result<Value>,
    ) -> Result<Value> {
        let choices = self.choices(call);
        let Some((first, rest)) = choices.split_first() else {
            return Ok(self.zero(ty, call.span));
        };
        let mut result = operation(self, *first)?;
        for idx in rest {
            let value = operation(self, *idx)?;
            let condition = self.is_opaque(call, *idx);
            result = self.choose(condition, value, result, call.span);
        }
        Ok(result)
    }

    /// Executes an operation with side effects on the entry selected by the call.
    fn with_opaque(
        &mut self,
        call: &OpaqueCall<'_>,
        mut operation: impl FnMut(&mut Self, usize) -> Result<()>,
    ) -> Result<()> {
        let choices = self.choices(call);
        if let [only] = choices[..] {
            return operation(self, only);
        }
        for idx in choices {
            let condition = self.is_opaque(call, idx);
            self.code.open_block();
            let done = operation(self, idx);
            let block = self.code.close_block();
            done?;
            self.push_if(condition.handle, block, Block::new(), call.span);
        }
        Ok(())
    }

    /// Emits the test that the call selects entry `idx`.
    fn is_opaque(&mut self, call: &OpaqueCall<'_>, idx: usize) -> Value {
        let Some(value) = call.values.first().copied() else {
            return self.bool(false, call.span);
        };
        let index = self.part(value, 0, call.span);
        let literal = naga::Literal::U32(u32::try_from(idx).unwrap_or(u32::MAX));
        let expected = self.literal(literal, call.span);
        let bool_ty = self.stage.scalar(Kind::Bool);
        let test = self.plain(naga::BinaryOperator::Equal, index, expected, call.span);
        Value { ty: bool_ty, ..test }
    }

    /// Component `idx` of a scalar or vector; `None` beyond its end.
    fn component(&mut self, value: Value, idx: u8, span: Span) -> Option<Value> {
        match self.shape(value.ty) {
            Shape::Scalar(_) if idx == 0 => Some(value),
            Shape::Vector(size, _) if idx < size => Some(self.part(value, u32::from(idx), span)),
            Shape::Scalar(_)
            | Shape::Vector(..)
            | Shape::Matrix(..)
            | Shape::Array(..)
            | Shape::Struct => None,
        }
    }

    /// Composes a vector of scalars; a single scalar is unchanged.
    fn vector_of(&mut self, kind: Kind, parts: &[Value], span: Span) -> Value {
        if let [only] = parts {
            return *only;
        }
        let ty = self.stage.vector(u8::try_from(parts.len()).unwrap_or(4), kind);
        self.compose(ty, parts, span)
    }

    /// Pointer to the entry's texture, image or buffer.
    fn opaque_global(&mut self, idx: usize, span: Span) -> Handle<Expression> {
        let global = self.stage.opaques.all[idx].global;
        self.global(global, span)
    }
}

/// A call with an opaque first argument.
struct OpaqueCall<'c> {
    name: &'c Ident,
    ty: OpaqueType,
    values: Vec<Value>,
    span: Span,
}

/// Type of a counter buffer.
fn counter_buffer(stage: &mut Stage<'_>) -> TypeInner {
    let base = stage.add_type(None, TypeInner::Atomic(naga::Scalar::U32));
    TypeInner::Array { base, size: ArraySize::Dynamic, stride: 4 }
}
