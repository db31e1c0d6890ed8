//! A helper function under construction.

use naga::{
    BinaryOperator, Expression, FunctionArgument, Handle, Module, ScalarKind as Kind, Type,
};

use ir::builder::FunctionBuilder;
use ir::interface::ScalarKind;

use super::part::Part;
use super::{ExplicitBlock, First, WordStorage};

/// A function under construction.
pub(super) struct Body<'a> {
    pub(super) builder: FunctionBuilder<&'a mut Module>,
}

impl Body<'_> {
    pub(super) fn argument(&mut self, name: &str, ty: Handle<Type>) -> Handle<Expression> {
        self.builder.argument(FunctionArgument { name: Some(name.into()), ty, binding: None })
    }

    /// A pointer to the word at `base` plus `offset` bytes.
    pub(super) fn word(
        &mut self,
        root: &ExplicitBlock,
        base: Handle<Expression>,
        offset: u32,
    ) -> Handle<Expression> {
        let index = self.index(base, root.offset.saturating_add(offset), 2);
        let words = self.builder.pointer_into(root.words, &[0]);
        let two = self.builder.uint(2);
        match root.memory {
            WordStorage::Words | WordStorage::AtomicWords => self.builder.element(words, index),
            WordStorage::Vectors(_) => {
                let vector = self.builder.binary(BinaryOperator::ShiftRight, index, two);
                let vector = self.after_first(root, vector);
                let three = self.builder.uint(3);
                let component = self.builder.binary(BinaryOperator::And, index, three);
                let base = self.builder.element(words, vector);
                self.builder.element(base, component)
            }
        }
    }

    /// A pointer to the vector at `base` plus `offset` bytes, in a buffer of vectors.
    pub(super) fn vector(
        &mut self,
        root: &ExplicitBlock,
        base: Handle<Expression>,
        offset: u32,
    ) -> Handle<Expression> {
        let index = self.index(base, root.offset.saturating_add(offset), 4);
        let index = self.after_first(root, index);
        let words = self.builder.pointer_into(root.words, &[0]);
        self.builder.element(words, index)
    }

    /// The index of a vector in the buffer, if `index` counts from the first one of the block.
    fn after_first(
        &mut self,
        root: &ExplicitBlock,
        index: Handle<Expression>,
    ) -> Handle<Expression> {
        let Some(First::OfBlock(first)) = root.first else { return index };
        let first = self.builder.global(first);
        let first = self.builder.load(first);
        self.builder.binary(BinaryOperator::Add, first, index)
    }

    /// `base` plus `offset` bytes, in units of 2 to the power of `unit` bytes.
    fn index(&mut self, base: Handle<Expression>, offset: u32, unit: u32) -> Handle<Expression> {
        let offset = self.builder.uint(offset);
        let at = self.builder.binary(BinaryOperator::Add, base, offset);
        let unit = self.builder.uint(unit);
        self.builder.binary(BinaryOperator::ShiftRight, at, unit)
    }

    /// Adds an argument for an index, as `u32`.
    pub(super) fn index_argument(&mut self, is_signed: bool) -> Handle<Expression> {
        let kind = if is_signed { ScalarKind::I32 } else { ScalarKind::U32 };
        let ty = self.builder.scalar_type(kind);
        let index = self.argument("index", ty);
        self.builder.bitcast(index, kind, ScalarKind::U32)
    }

    /// The offset of vertex `index` from the beginning of the buffer, in bytes.
    pub(super) fn vertex(
        &mut self,
        root: &ExplicitBlock,
        index: Handle<Expression>,
    ) -> Handle<Expression> {
        let (Some(First::OfVertices(firsts) | First::OfBlock(firsts)), Part::Vertices { .. }) =
            (root.first, &root.part)
        else {
            unreachable!("only an array of vertices has vertices")
        };
        let firsts = self.builder.global(firsts);
        let first = self.builder.element(firsts, index);
        let first = self.builder.load(first);
        let four = self.builder.uint(4);
        self.builder.binary(BinaryOperator::ShiftLeft, first, four)
    }

    pub(super) fn cast(
        &mut self,
        expr: Handle<Expression>,
        from: Kind,
        to: Kind,
    ) -> Handle<Expression> {
        if from == to {
            return expr;
        }
        self.builder.emit(Expression::As { expr, kind: to, convert: None })
    }
}
