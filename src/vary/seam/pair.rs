//! Two stages, the values between them, and code at their seam.

use std::ops::Range;

use naga::{Expression, Handle, Module, Span, SwizzleComponent, Type, TypeInner};

use ir::builder::{FunctionBuilder, vector_size};
use ir::interface::{self, Interpolation, Place, Variable};
use ir::stage_module::{LanguageRules, StageModule};

/// Highest location that a variant gives, plus one. Every adapter has as many.
pub(super) const LOCATIONS: u32 = 15;

/// A stage and the one right behind it.
#[derive(Clone, Debug)]
pub(super) struct Seam {
    pub(super) producer: StageModule,
    pub(super) consumer: StageModule,
}

/// An output, and the input that gets its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pair {
    pub(super) output: Variable,
    pub(super) input: Variable,
}

impl Pair {
    pub(super) const fn ty(&self) -> &interface::Type {
        &self.output.ty
    }

    /// True if the fragment stage gets the value of one vertex.
    pub(super) fn is_flat(&self) -> bool {
        self.input.interpolation == Interpolation::Flat || self.ty().has_always_flat()
    }
}

impl Seam {
    /// Pairs of user variables of equal types, which both stages use.
    pub(super) fn pairs(&self) -> Vec<Pair> {
        let inputs = &self.consumer.inputs;
        let of = |output: &Variable| {
            let mut readers = inputs.iter().filter(|input| meet(output, input));
            let input = readers.next().filter(|_| readers.next().is_none())?;
            Some(Pair { output: output.clone(), input: input.clone() })
        };
        let outputs = self.producer.outputs.iter().filter(|output| self.is_free(output));
        outputs.filter_map(of).filter(|pair| pair.output.ty == pair.input.ty).collect()
    }

    fn is_free(&self, output: &Variable) -> bool {
        let all = self.producer.outputs.iter();
        let overwritten = &self.producer.overwritten;
        let is_overwritten = |place: &Place| overwritten.contains(&place.global);
        all.filter(|other| is_same(output, other)).count() == 1
            && output.place.as_ref().is_some_and(|place| !is_overwritten(place))
    }

    /// True if a variable may begin at a component other than the first.
    pub(super) const fn has_components(&self) -> bool {
        match self.producer.rules {
            LanguageRules::Glsl { .. } | LanguageRules::Spirv | LanguageRules::Vulkan => true,
            LanguageRules::Wgsl | LanguageRules::FixedFunction => false,
        }
    }

    /// Adds code at the seam, behind the producer's and before the consumer's.
    pub(super) fn with_code<R>(&mut self, write: impl FnOnce(&mut Code<'_>) -> R) -> R {
        let Self { producer, consumer } = self;
        let mut code = Code {
            producer: FunctionBuilder::new(&mut producer.module),
            consumer: FunctionBuilder::new(&mut consumer.module),
            outputs: &mut producer.outputs,
            inputs: &mut consumer.inputs,
        };
        code.producer.call(producer.main, Vec::new());
        let result = write(&mut code);
        code.consumer.call(consumer.main, Vec::new());
        let (behind, before) = (code.producer.finish(), code.consumer.finish());
        producer.main = producer.module.functions.append(behind, Span::UNDEFINED);
        consumer.main = consumer.module.functions.append(before, Span::UNDEFINED);
        result
    }
}

/// True if the input reads the output.
fn meet(output: &Variable, input: &Variable) -> bool {
    let is_plain = |variable: &Variable| {
        variable.is_used
            && variable.place.is_some()
            && !variable.name.starts_with("gl_")
            && !variable.is_patch
            && !variable.is_narrow
            && variable.stream == 0
            && variable.index.is_none()
    };
    is_plain(output) && is_plain(input) && is_same(output, input)
}

/// True if the linker takes both for the same variable.
pub(super) fn is_same(first: &Variable, second: &Variable) -> bool {
    match (first.location, second.location) {
        (Some(own), Some(other)) => {
            own == other && first.component.unwrap_or(0) == second.component.unwrap_or(0)
        }
        (None, None) => {
            first.name == second.name && first.is_block_member == second.is_block_member
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// Code at the seam under construction, with the tables of its variables.
pub(super) struct Code<'a> {
    /// Runs behind the producer's code.
    pub(super) producer: FunctionBuilder<&'a mut Module>,
    /// Runs before the consumer's code.
    pub(super) consumer: FunctionBuilder<&'a mut Module>,
    pub(super) outputs: &'a mut Vec<Variable>,
    pub(super) inputs: &'a mut Vec<Variable>,
}

impl Code<'_> {
    /// Lists `new` in the place of the first of `old`, and the others no more.
    pub(super) fn replace(&mut self, old: &[&Pair], new: impl IntoIterator<Item = Pair>) {
        let (outputs, inputs) = new.into_iter().map(|pair| (pair.output, pair.input)).unzip();
        put(self.outputs, &old.iter().map(|pair| &pair.output).collect::<Vec<_>>(), outputs);
        put(self.inputs, &old.iter().map(|pair| &pair.input).collect::<Vec<_>>(), inputs);
    }

    /// The first of `count` neighbouring locations that no variable has; `None` if there are none.
    pub(super) fn free_location(&self, count: u32) -> Option<u32> {
        let all = self.outputs.iter().chain(&*self.inputs);
        let taken: Vec<_> = all.filter_map(locations_of).collect();
        let is_free = |first: &u32| {
            taken.iter().all(|taken| taken.end <= *first || first + count <= taken.start)
        };
        (0..=LOCATIONS.checked_sub(count)?).find(is_free)
    }
}

fn put(list: &mut Vec<Variable>, old: &[&Variable], new: Vec<Variable>) {
    let at = list.iter().position(|one| old.contains(&one)).unwrap_or(list.len());
    list.retain(|one| !old.contains(&one));
    list.splice(at..at, new);
}

/// Locations of a variable that has one.
pub(super) fn locations_of(variable: &Variable) -> Option<Range<u32>> {
    let first = variable.location?;
    let start = u8::try_from(variable.component.unwrap_or(0)).unwrap_or(0);
    Some(first..first + variable.ty.location_count(start))
}

/// Type of the value at a place; `None` if the path leads nowhere.
pub(super) fn type_at(module: &mut Module, place: &Place) -> Option<Handle<Type>> {
    let whole = module.global_variables[place.global].ty;
    place.path.iter().try_fold(whole, |ty, index| part_type(module, ty, *index))
}

/// Type of a part of a value: a member, an element, a column or a component.
pub(super) fn part_type(module: &mut Module, ty: Handle<Type>, index: u32) -> Option<Handle<Type>> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "all other types have no parts")]
    let inner = match &module.types[ty].inner {
        TypeInner::Struct { members, .. } => return Some(members.get(index as usize)?.ty),
        TypeInner::Array { base, .. } => return Some(*base),
        TypeInner::Matrix { rows, scalar, .. } => {
            TypeInner::Vector { size: *rows, scalar: *scalar }
        }
        TypeInner::Vector { scalar, .. } => TypeInner::Scalar(*scalar),
        _ => return None,
    };
    Some(ir::builder::insert_type(module, inner))
}

/// A variable with the qualifiers of `of`, outside blocks.
pub(super) fn like(of: &Variable, name: &str, ty: &interface::Type, place: Place) -> Variable {
    Variable {
        name: name.to_owned(),
        alias: String::new(),
        ty: ty.clone(),
        es_type: String::new(),
        is_block_member: false,
        place: Some(place),
        ..of.clone()
    }
}

/// Some components of a vector, or the one part with this index of any value.
pub(super) fn components(
    code: &mut FunctionBuilder<&mut Module>,
    whole: Handle<Expression>,
    indices: Range<u32>,
) -> Handle<Expression> {
    match vector_size(indices.len()) {
        None => code.part(whole, indices.start),
        Some(size) => {
            let mut pattern = SwizzleComponent::XYZW;
            pattern.rotate_left(indices.start as usize);
            code.emit(Expression::Swizzle { size, vector: whole, pattern })
        }
    }
}
