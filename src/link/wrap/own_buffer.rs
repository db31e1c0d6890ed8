//! Internal buffers of a compute stage, which no shader declares.

use naga::{
    AddressSpace, ArraySize, BinaryOperator, Expression, GlobalVariable, Handle, Module,
    ResourceBinding, Span, StorageAccess, StructMember, TypeInner,
};

use crate::table::binding::BindingPoint;
use crate::table::front::{ELEMENT_WORDS, Element};
use ir::builder::{FunctionBuilder, global};
use ir::interface::ScalarKind;

/// Elements of an array in a buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements {
    /// Their type.
    pub(super) base: Handle<naga::Type>,
    /// Bytes from one to the next.
    pub(super) stride: u32,
}

/// Consecutive words of a buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words {
    /// The buffer, which is a runtime-sized array.
    pub(crate) buffer: Handle<GlobalVariable>,
    /// Index of the first element.
    pub(crate) first: Handle<Expression>,
    /// The elements of the array.
    pub(crate) element: Element,
}

impl Words {
    /// Words of an array of vectors, from vector `first` on.
    pub(crate) const fn in_vectors(
        buffer: Handle<GlobalVariable>,
        first: Handle<Expression>,
    ) -> Self {
        Self { buffer, first, element: Element::Vector }
    }

    /// A pointer to the element that contains word `word`.
    fn element(self, builder: &mut FunctionBuilder<&mut Module>, word: u32) -> Handle<Expression> {
        let offset = builder.uint(word / self.element.words());
        let at = builder.binary(BinaryOperator::Add, self.first, offset);
        element(builder, self.buffer, at)
    }

    /// A pointer to word `word`.
    pub(super) fn word(
        self,
        builder: &mut FunctionBuilder<&mut Module>,
        word: u32,
    ) -> Handle<Expression> {
        let pointer = self.element(builder, word);
        match self.element {
            Element::Word => pointer,
            Element::Vector => builder.part(pointer, word % ELEMENT_WORDS),
        }
    }

    /// A pointer to the vector that consists of word `word` and the three words after it, if there is one.
    pub(super) fn vector(
        self,
        builder: &mut FunctionBuilder<&mut Module>,
        word: u32,
    ) -> Option<Handle<Expression>> {
        let is_whole = self.element == Element::Vector && word.is_multiple_of(ELEMENT_WORDS);
        is_whole.then(|| self.element(builder, word))
    }
}

/// Loads the parameters of the draw, as vectors of four words, from the uniform buffer with number `buffer`.
pub(super) fn draw_words<const N: usize>(
    builder: &mut FunctionBuilder<&mut Module>,
    at: BindingPoint,
    buffer: u32,
) -> [Handle<Expression>; N] {
    let ty = builder.vector_type(4, ScalarKind::U32);
    let member = |idx: u32| StructMember {
        name: Some(format!("draw{idx}")),
        ty,
        binding: None,
        offset: idx * 16,
    };
    let members: Vec<_> = (0..).take(N).map(member).collect();
    let span = u32::try_from(N * 16).unwrap_or(u32::MAX);
    let inner = TypeInner::Struct { members, span };
    let global = add_buffer(builder, at, buffer, inner, AddressSpace::Uniform);
    let mut next = 0;
    [(); N].map(|()| {
        let pointer = builder.pointer_into(global, &[next]);
        next += 1;
        builder.load(pointer)
    })
}

/// Adds a storage buffer that is a runtime-sized array of words.
pub(super) fn words(
    builder: &mut FunctionBuilder<&mut Module>,
    at: BindingPoint,
    buffer: u32,
    access: StorageAccess,
) -> Handle<GlobalVariable> {
    let base = builder.scalar_type(ScalarKind::U32);
    array(builder, at, buffer, Elements { base, stride: 4 }, access)
}

/// Adds a storage buffer that is a runtime-sized array of these elements.
pub(super) fn elements(
    builder: &mut FunctionBuilder<&mut Module>,
    at: BindingPoint,
    buffer: u32,
    element: Element,
    access: StorageAccess,
) -> Handle<GlobalVariable> {
    match element {
        Element::Word => words(builder, at, buffer, access),
        Element::Vector => {
            let base = builder.vector_type(4, ScalarKind::U32);
            array(builder, at, buffer, Elements { base, stride: 16 }, access)
        }
    }
}

/// A pointer to the word with this index in an array of vectors.
pub(crate) fn word_at(
    builder: &mut FunctionBuilder<&mut Module>,
    buffer: Handle<GlobalVariable>,
    index: Handle<Expression>,
) -> Handle<Expression> {
    let two = builder.uint(2);
    let vector = builder.binary(BinaryOperator::ShiftRight, index, two);
    let three = builder.uint(3);
    let component = builder.binary(BinaryOperator::And, index, three);
    let vector = element(builder, buffer, vector);
    builder.element(vector, component)
}

/// The number of vectors that hold `words` words.
pub(super) fn vectors_of(
    builder: &mut FunctionBuilder<&mut Module>,
    words: Handle<Expression>,
) -> Handle<Expression> {
    let three = builder.uint(3);
    let up = builder.binary(BinaryOperator::Add, words, three);
    let two = builder.uint(2);
    builder.binary(BinaryOperator::ShiftRight, up, two)
}

/// Adds a storage buffer that is a runtime-sized array.
pub(super) fn array(
    builder: &mut FunctionBuilder<&mut Module>,
    at: BindingPoint,
    buffer: u32,
    Elements { base, stride }: Elements,
    access: StorageAccess,
) -> Handle<GlobalVariable> {
    let ty = builder.insert_type(TypeInner::Array { base, size: ArraySize::Dynamic, stride });
    let member = StructMember { name: Some("elements".into()), ty, binding: None, offset: 0 };
    let inner = TypeInner::Struct { members: vec![member], span: stride };
    add_buffer(builder, at, buffer, inner, AddressSpace::Storage { access })
}

fn add_buffer(
    builder: &mut FunctionBuilder<&mut Module>,
    at: BindingPoint,
    buffer: u32,
    inner: TypeInner,
    space: AddressSpace,
) -> Handle<GlobalVariable> {
    let name = Some(format!("VertexCompute{buffer}"));
    let ty = builder.module.types.insert(naga::Type { name, inner }, Span::UNDEFINED);
    let binding = at.binding.saturating_add(buffer);
    let at = ResourceBinding { group: at.group, binding };
    let variable = global(Some(format!("vertex_compute{buffer}")), ty, space, Some(at));
    builder.module.global_variables.append(variable, Span::UNDEFINED)
}

/// A pointer to element `index` of a runtime-sized array.
pub(super) fn element(
    builder: &mut FunctionBuilder<&mut Module>,
    buffer: Handle<GlobalVariable>,
    index: Handle<Expression>,
) -> Handle<Expression> {
    let array = builder.pointer_into(buffer, &[0]);
    builder.element(array, index)
}
