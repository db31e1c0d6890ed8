//! Compiles texture expressions.

use naga::{AtomicFunction, Expression, Handle, ImageQuery, Statement};

use super::expression::Vector;
use super::function::FunctionCompiler;
use super::{Result, not_implemented};
use arithmetic::Kind;

use crate::code::{ImageOp, Op, Register, SampleLevel, TexelRegisters};
use crate::texture::TexelAtomic;

/// An index of [`crate::texture::Textures::counts`].
const LEVELS: usize = 0;
const LAYERS: usize = 1;
const SAMPLES: usize = 2;

impl FunctionCompiler<'_, '_> {
    /// An expression about a texture.
    pub(super) fn image_expression(&mut self, handle: Handle<Expression>) -> Result<Register> {
        let words = self.words_of(handle)?;
        let to = match self.function.expressions[handle] {
            Expression::ImageSample { .. } => self.sample(handle, words)?,
            Expression::ImageLoad { image, coordinate, array_index, sample, level } => {
                let view = self.resource(image)?;
                let mut texel = self.texel(coordinate, array_index)?;
                texel.sample = self.optional(sample)?;
                texel.level = self.optional(level)?;
                let to = self.compiler.allocate(words)?;
                self.image_op(ImageOp::Load { to, words, view, texel })?;
                to
            }
            Expression::ImageQuery { image, query } => {
                let view = self.resource(image)?;
                let level = match query {
                    ImageQuery::Size { level } => self.optional(level)?,
                    ImageQuery::NumLevels | ImageQuery::NumLayers | ImageQuery::NumSamples => None,
                };
                let to = self.compiler.allocate(words)?;
                let op = match query {
                    ImageQuery::Size { .. } => ImageOp::Size { to, words, view, level },
                    ImageQuery::NumLevels => ImageOp::Count { to, view, which: LEVELS },
                    ImageQuery::NumLayers => ImageOp::Count { to, view, which: LAYERS },
                    ImageQuery::NumSamples => ImageOp::Count { to, view, which: SAMPLES },
                };
                self.image_op(op)?;
                to
            }
            _ => return not_implemented("this use of a texture"),
        };
        Ok(to)
    }

    /// A statement about a texture.
    pub(super) fn image_statement(&mut self, statement: &Statement) -> Result<()> {
        let op = match *statement {
            Statement::ImageStore { image, coordinate, array_index, value } => {
                let view = self.resource(image)?;
                let texel = self.texel(coordinate, array_index)?;
                let (from, words) = (self.register(value)?, self.words_of(value)?);
                ImageOp::Store { view, texel, from, words }
            }
            Statement::ImageAtomic { image, coordinate, array_index, fun, value } => {
                let operation = texel_atomic(fun)?;
                if self.words_of(value)? != 1 {
                    return not_implemented("atomics on images of 64-bit integers");
                }
                let view = self.resource(image)?;
                let texel = self.texel(coordinate, array_index)?;
                let value = self.register(value)?;
                ImageOp::Atomic { view, texel, operation, value }
            }
            _ => return not_implemented("this use of a texture"),
        };
        self.image_op(op)
    }

    fn image_op(&mut self, op: ImageOp) -> Result<()> {
        self.compiler.emit_body(Op::Image(Box::new(op)))
    }

    fn optional(&mut self, expression: Option<Handle<Expression>>) -> Result<Option<Register>> {
        expression.map(|expression| self.register(expression)).transpose()
    }

    fn texel(
        &mut self,
        coordinate: Handle<Expression>,
        layer: Option<Handle<Expression>>,
    ) -> Result<TexelRegisters> {
        let Vector { at, count: dimensions, .. } = self.vector(coordinate)?;
        let layer = self.optional(layer)?;
        Ok(TexelRegisters { at, dimensions, layer, level: None, sample: None })
    }

    fn sample(&mut self, handle: Handle<Expression>, words: usize) -> Result<Register> {
        let Expression::ImageSample {
            image,
            sampler,
            gather,
            coordinate,
            array_index,
            offset,
            level,
            depth_ref,
            clamp_to_edge,
        } = self.function.expressions[handle]
        else {
            return not_implemented("this use of a texture");
        };
        let (view, sampler) = (self.resource(image)?, self.resource(sampler)?);
        let coordinate = self.vector(coordinate)?;
        let layer = match array_index {
            Some(index) => {
                let index = self.vector(index)?;
                Some((index.at, index.kind))
            }
            None => None,
        };
        // A constant expression, which `Emit` does not cover.
        let offset = match offset {
            Some(offset) => {
                let function = self.function;
                Some(self.compiler.constant(&function.expressions, offset)?)
            }
            None => None,
        };
        let level = self.level(level)?;
        let reference = self.optional(depth_ref)?;
        let to = self.compiler.allocate(words)?;
        self.image_op(ImageOp::Sample {
            to,
            words,
            view,
            sampler,
            coordinate: coordinate.at,
            dimensions: coordinate.count,
            layer,
            offset,
            level,
            reference,
            gather: gather.map(|component| component as usize),
            is_clamped: clamp_to_edge,
        })?;
        Ok(to)
    }

    fn level(&mut self, level: naga::SampleLevel) -> Result<SampleLevel> {
        Ok(match level {
            naga::SampleLevel::Auto => SampleLevel::Auto,
            naga::SampleLevel::Zero => SampleLevel::Zero,
            naga::SampleLevel::Exact(level) => {
                let level = self.vector(level)?;
                match level.kind {
                    Kind::F32 => SampleLevel::Exact(level.at),
                    kind => SampleLevel::Whole(level.at, kind),
                }
            }
            naga::SampleLevel::Bias(bias) => SampleLevel::Bias(self.register(bias)?),
            naga::SampleLevel::Gradient { x, y } => {
                SampleLevel::Gradients { x: self.register(x)?, y: self.register(y)? }
            }
        })
    }
}

fn texel_atomic(function: AtomicFunction) -> Result<TexelAtomic> {
    Ok(match function {
        AtomicFunction::Add => TexelAtomic::Add,
        AtomicFunction::Subtract => TexelAtomic::Subtract,
        AtomicFunction::And => TexelAtomic::And,
        AtomicFunction::ExclusiveOr => TexelAtomic::ExclusiveOr,
        AtomicFunction::InclusiveOr => TexelAtomic::InclusiveOr,
        AtomicFunction::Min => TexelAtomic::Min,
        AtomicFunction::Max => TexelAtomic::Max,
        AtomicFunction::Exchange { compare: None } => TexelAtomic::Exchange,
        AtomicFunction::Exchange { compare: Some(_) } => {
            return not_implemented("compared exchanges on images");
        }
    })
}
