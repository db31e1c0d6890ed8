//! Helper functions that the user's code calls instead of accessing the block directly.

use naga::{
    BinaryOperator, Expression, Function, Handle, Module, Scalar, ScalarKind as Kind, Type,
    TypeInner,
};

use ir::builder::{FunctionBuilder, vector_size};
use ir::interface::ScalarKind;

use super::atomic::Operation;
use super::body::Body;
use super::part::Part;
use super::{ExplicitBlock, WordStorage};

/// The place that a helper reads or writes.
struct Place {
    /// Its offset in the block, in bytes.
    base: Handle<Expression>,
    /// Its offset in the buffer modulo 16, if it is known.
    in_vector: Option<u32>,
}

/// Number of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VertexNumber {
    /// It is constant.
    Constant(u32),
    /// It is an argument of the helper.
    Argument { is_signed: bool },
}

/// A helper function.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Helper {
    /// Computes `base + amount`.
    Add { amount: u32 },
    /// Computes `base + index * stride`.
    Step { stride: u32, is_signed: bool },
    /// Computes the offset of a vertex: of the given one, or of the one that the index says.
    Vertex { root: usize, number: VertexNumber },
    /// Loads the value at an offset. `in_vector` is the offset modulo 16, if it is known.
    Read { root: usize, part: Part, in_vector: Option<u32> },
    /// Stores the value at an offset. `in_vector` is the offset modulo 16, if it is known.
    Write { root: usize, part: Part, in_vector: Option<u32> },
    /// Computes the number of elements between an offset and the buffer's end.
    Length { root: usize, stride: u32 },
    /// Executes an atomic operation on the word at an offset.
    Atomic { root: usize, operation: Operation, scalar: Scalar },
}

impl Helper {
    /// Builds the helper function.
    pub(super) fn build(&self, module: &mut Module, roots: &[ExplicitBlock]) -> Function {
        let mut body = Body { builder: FunctionBuilder::new(module) };
        let word = body.builder.scalar_type(ScalarKind::U32);
        let base = body.argument("base", word);
        match self {
            Self::Add { amount } => {
                let amount = body.builder.uint(*amount);
                let sum = body.builder.binary(BinaryOperator::Add, base, amount);
                body.builder.finish_with(word, sum)
            }
            Self::Step { stride, is_signed } => {
                let index = body.index_argument(*is_signed);
                let stride = body.builder.uint(*stride);
                let product = body.builder.binary(BinaryOperator::Multiply, index, stride);
                let sum = body.builder.binary(BinaryOperator::Add, base, product);
                body.builder.finish_with(word, sum)
            }
            Self::Vertex { root, number } => {
                let index = match number {
                    VertexNumber::Constant(number) => body.builder.uint(*number),
                    VertexNumber::Argument { is_signed } => body.index_argument(*is_signed),
                };
                let offset = body.vertex(&roots[*root], index);
                body.builder.finish_with(word, offset)
            }
            Self::Read { root, part, in_vector } => {
                let root = &roots[*root];
                let in_vector = in_vector.map(|known| (known + root.offset) % 16);
                let value = body.read(root, &Place { base, in_vector }, 0, part);
                let ty = body.type_of(part);
                body.builder.finish_with(ty, value)
            }
            Self::Write { root, part, in_vector } => {
                let root = &roots[*root];
                let in_vector = in_vector.map(|known| (known + root.offset) % 16);
                let ty = body.type_of(part);
                let value = body.argument("value", ty);
                body.write(root, &Place { base, in_vector }, 0, part, value);
                body.builder.finish()
            }
            Self::Length { root, stride } => {
                let length = body.length(&roots[*root], base, *stride);
                body.builder.finish_with(word, length)
            }
            Self::Atomic { root, operation, scalar } => {
                body.atomic(&roots[*root], base, *operation, *scalar)
            }
        }
    }
}

impl Body<'_> {
    fn type_of(&mut self, part: &Part) -> Handle<Type> {
        match part {
            Part::Vector { size, scalar, ty, .. } => match (ty, vector_size(usize::from(*size))) {
                (Some(ty), _) => *ty,
                (None, None) => self.builder.insert_type(TypeInner::Scalar(*scalar)),
                (None, Some(size)) => {
                    self.builder.insert_type(TypeInner::Vector { size, scalar: *scalar })
                }
            },
            Part::Matrix { ty, .. }
            | Part::Array { ty, .. }
            | Part::Struct { ty, .. }
            | Part::Vertices { ty, .. } => *ty,
        }
    }

    fn read(
        &mut self,
        root: &ExplicitBlock,
        from: &Place,
        offset: u32,
        part: &Part,
    ) -> Handle<Expression> {
        if let Some(value) = self.read_in_vector(root, from, offset, part) {
            return value;
        }
        if let Part::Vector { size: 1, scalar, .. } = part {
            let pointer = self.word(root, from.base, offset);
            let word = self.builder.load(pointer);
            return self.value(word, *scalar);
        }
        let components = (0..count(part))
            .filter_map(|idx| part.at(idx))
            .map(|(inner, part)| self.read(root, from, offset.saturating_add(inner), &part))
            .collect();
        let ty = self.type_of(part);
        self.builder.compose(ty, components)
    }

    /// Reads a scalar or vector that is known to lie in one vector of the buffer.
    fn read_in_vector(
        &mut self,
        root: &ExplicitBlock,
        from: &Place,
        offset: u32,
        part: &Part,
    ) -> Option<Handle<Expression>> {
        let Part::Vector { size, scalar, stride: 4, .. } = part else { return None };
        let first = component_of(root, from, offset)?;
        if first + u32::from(*size) > 4 {
            return None;
        }
        let pointer = self.vector(root, from.base, offset);
        let value = if *size == 1 {
            let component = self.builder.part(pointer, first);
            self.builder.load(component)
        } else {
            let all = self.builder.load(pointer);
            let parts: Vec<_> =
                (first..).take(usize::from(*size)).map(|idx| self.builder.part(all, idx)).collect();
            if parts.len() == 4 {
                all
            } else {
                let ty = self.builder.vector_type(parts.len(), ScalarKind::U32);
                self.builder.compose(ty, parts)
            }
        };
        Some(self.value(value, *scalar))
    }

    /// Words as the scalars that they stand for. A boolean is true unless its word is zero.
    fn value(&mut self, words: Handle<Expression>, scalar: Scalar) -> Handle<Expression> {
        if scalar.kind != Kind::Bool {
            return self.cast(words, Kind::Uint, scalar.kind);
        }
        self.builder.emit(Expression::As { expr: words, kind: Kind::Bool, convert: Some(1) })
    }

    fn write(
        &mut self,
        root: &ExplicitBlock,
        to: &Place,
        offset: u32,
        part: &Part,
        value: Handle<Expression>,
    ) {
        let component = component_of(root, to, offset);
        if let (Part::Vector { size: 4, scalar, stride: 4, .. }, Some(0)) = (part, component) {
            let pointer = self.vector(root, to.base, offset);
            let words = self.words(value, *scalar);
            self.builder.store(pointer, words);
            return;
        }
        if let Part::Vector { size: 1, scalar, .. } = part {
            let pointer = match component {
                Some(component) => {
                    let vector = self.vector(root, to.base, offset);
                    self.builder.part(vector, component)
                }
                None => self.word(root, to.base, offset),
            };
            let word = self.words(value, *scalar);
            self.builder.store(pointer, word);
            return;
        }
        for idx in 0..count(part) {
            let Some((inner, part)) = part.at(idx) else { continue };
            let value = self.builder.part(value, idx);
            self.write(root, to, offset.saturating_add(inner), &part, value);
        }
    }

    /// A scalar or vector as words.
    fn words(&mut self, value: Handle<Expression>, scalar: Scalar) -> Handle<Expression> {
        if scalar.kind != Kind::Bool {
            return self.cast(value, scalar.kind, Kind::Uint);
        }
        self.builder.emit(Expression::As { expr: value, kind: Kind::Uint, convert: Some(4) })
    }

    fn length(
        &mut self,
        root: &ExplicitBlock,
        base: Handle<Expression>,
        stride: u32,
    ) -> Handle<Expression> {
        let words = self.builder.pointer_into(root.words, &[0]);
        let words = self.builder.emit(Expression::ArrayLength(words));
        let two = self.builder.uint(2);
        let bytes = self.builder.binary(BinaryOperator::ShiftLeft, words, two);
        let rest = self.builder.binary(BinaryOperator::Subtract, bytes, base);
        let stride = self.builder.uint(stride.max(1));
        self.builder.binary(BinaryOperator::Divide, rest, stride)
    }
}

/// The component of the buffer's vector that holds the word at an offset from `place`, if it is known.
fn component_of(root: &ExplicitBlock, place: &Place, offset: u32) -> Option<u32> {
    let is_known = matches!(root.memory, WordStorage::Vectors(_));
    place.in_vector.filter(|_| is_known).map(|first| (first + offset) % 16 / 4)
}

/// Number of parts of a composite.
fn count(part: &Part) -> u32 {
    match part {
        Part::Vector { size, .. } => u32::from(*size),
        Part::Matrix { columns, .. } => u32::from(*columns),
        Part::Array { length, .. } => length.unwrap_or(0),
        Part::Struct { members, .. } => u32::try_from(members.len()).unwrap_or(0),
        Part::Vertices { .. } => 0,
    }
}
