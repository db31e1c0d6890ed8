//! Sampling: coordinates, projection, layers, levels and comparison.

use naga::{
    BinaryOperator, Expression, ImageQuery, Literal, MathFunction, SampleLevel, SwizzleComponent,
};

use crate::lower::body::Body;
use crate::lower::operand::{Operand, Value};
use crate::lower::types::Kind;
use crate::lower::types::constant::literal_of;
use crate::lower::{Result, unsupported, wrong};
use ir::source::Span;
use ir::stage::ShaderStage;

use super::sample_name::{LevelWord, SampleName};
use super::{Dim, OpaqueCall, OpaqueType};

/// Arguments of a sampling function except the texture.
#[derive(Clone)]
pub(super) struct Sampling {
    /// The coordinates, projected.
    pub(super) parts: Vec<Value>,
    /// The layer, as a float.
    pub(super) layer: Option<Value>,
    /// Depth reference for a comparison.
    pub(super) reference: Option<Value>,
    pub(super) level: Level,
    /// A constant offset in texels.
    pub(super) offset: Option<Value>,
}

/// Level that is sampled.
#[derive(Clone, Copy)]
pub(super) enum Level {
    Implicit(Option<Value>),
    Lod(Value),
    Grad(Value, Value),
    /// One component of four texels of the first level.
    Gather(SwizzleComponent),
}

/// Index of the depth reference in the coordinates; `None` if it is a separate argument.
fn reference_index(ty: OpaqueType) -> Option<u8> {
    match (ty.dim, ty.is_arrayed) {
        (Dim::Cube, true) => None,
        (Dim::Two | Dim::Three, true) | (Dim::Cube | Dim::Three, false) => Some(3),
        _ => Some(2),
    }
}

impl Body<'_, '_> {
    pub(super) fn sample_call(
        &mut self,
        call: &OpaqueCall<'_>,
        name: SampleName,
    ) -> Result<Option<Operand>> {
        let span = call.span;
        let Some(sampling) = self.sampling(call, name)? else { return Ok(None) };
        let ty = match (call.ty.is_shadow, name.is_shadow_name) {
            (true, false) => self.stage.scalar(Kind::Float),
            (false, _) | (true, true) => self.stage.vector(4, call.ty.kind),
        };
        let sample = |body: &mut Self, idx: usize| {
            let value = body.sample(call, idx, &sampling)?;
            Ok(if name.is_shadow_name {
                body.swizzled_depth(idx, value, span)
            } else {
                body.swizzled_texel(idx, value, span)
            })
        };
        self.choose_opaque(call, ty, sample).map(|value| Some(Operand::Value(value)))
    }

    /// Parses the arguments of a sampling function in order.
    fn sampling(&mut self, call: &OpaqueCall<'_>, name: SampleName) -> Result<Option<Sampling>> {
        let span = call.span;
        let mut rest = call.values[1..].iter().copied();
        let Some(at) = rest.next() else { return Ok(None) };
        let reference = match (call.ty.is_shadow, reference_index(call.ty)) {
            (false, _) => None,
            (true, Some(idx)) => {
                let Some(reference) = self.component(at, idx, span) else { return Ok(None) };
                Some(reference)
            }
            (true, None) => rest.next(),
        };
        let level = match name.level {
            LevelWord::Implicit => None,
            LevelWord::Lod => rest.next().map(Level::Lod),
            LevelWord::Grad => rest.next().zip(rest.next()).map(|(x, y)| Level::Grad(x, y)),
        };
        let offset = if name.has_offset { rest.next() } else { None };
        let bias = rest.next();
        if bias.is_some() && self.stage.stage != ShaderStage::Fragment {
            return wrong(span, "a bias is only allowed in the fragment stage");
        }
        let level = level.unwrap_or(Level::Implicit(bias));
        let (mut parts, mut reference) = (Vec::new(), reference);
        for idx in 0..call.ty.coordinates() {
            let Some(part) = self.component(at, idx, span) else { return Ok(None) };
            parts.push(part);
        }
        let layer =
            if call.ty.is_arrayed { self.component(at, call.ty.coordinates(), span) } else { None };
        if name.is_proj {
            let last = self.shape(at.ty).components().unwrap_or(1) - 1;
            let Some(divisor) = self.component(at, last, span) else { return Ok(None) };
            for part in parts.iter_mut().chain(&mut reference) {
                *part = self.plain(BinaryOperator::Divide, *part, divisor, span);
            }
        }
        Ok(Some(Sampling { parts, layer, reference, level, offset }))
    }

    /// Samples entry `idx`. The result is a float for a comparison, else four components.
    pub(super) fn sample(
        &mut self,
        call: &OpaqueCall<'_>,
        idx: usize,
        sampling: &Sampling,
    ) -> Result<Value> {
        let span = call.span;
        let is_gather = matches!(sampling.level, Level::Gather(_));
        if call.ty.kind != Kind::Float && !is_gather {
            return self.nearest_texel(call, idx, sampling);
        }
        let image = self.opaque_global(idx, span);
        let Some(sampler) = self.stage.opaques.all[idx].sampler else {
            return unsupported(span, "an image used as a sampler");
        };
        let sampler = self.global(sampler, span);
        let scale =
            if call.ty.dim == Dim::Rect { Some(self.texture_size(image, span)) } else { None };
        let coordinate = self.coordinate(&sampling.parts, scale, span);
        let array_index = self.layer(sampling, span);
        let (coordinate, offset) = match sampling.offset {
            Some(offset) if is_gather && self.evaluate(offset.handle).is_none() => {
                (self.shifted(image, coordinate, offset, span), None)
            }
            Some(offset) => (coordinate, Some(self.constant_offset(call, offset)?)),
            None => (coordinate, None),
        };
        let is_comparison = sampling.reference.is_some();
        let (gather, level) = match self.biased(idx, sampling, span)? {
            Level::Gather(component) => (Some(component), SampleLevel::Zero),
            level @ (Level::Implicit(_) | Level::Lod(_) | Level::Grad(..)) => {
                (None, self.sample_level(call, level, is_comparison, scale))
            }
        };
        let ty = if is_comparison && gather.is_none() {
            self.stage.scalar(Kind::Float)
        } else {
            self.stage.vector(4, call.ty.kind)
        };
        let sample = Expression::ImageSample {
            image,
            sampler,
            gather,
            coordinate: coordinate.handle,
            array_index,
            offset,
            level,
            depth_ref: sampling.reference.map(|reference| reference.handle),
            clamp_to_edge: false,
        };
        Ok(self.value(sample, ty, span))
    }

    /// Loads the nearest texel, because WebGPU does not sample integers. Integer textures are never filtered and are
    /// clamped to the edge.
    fn nearest_texel(
        &mut self,
        call: &OpaqueCall<'_>,
        idx: usize,
        sampling: &Sampling,
    ) -> Result<Value> {
        let span = call.span;
        if self.stage.hints.has_lod_biases {
            return unsupported(span, "`texparameter lod_bias` with an integer sampler");
        }
        if call.ty.dim == Dim::Cube {
            return unsupported(span, "an integer cube sampler");
        }
        if sampling.offset.is_some() {
            return unsupported(span, "a texture offset with an integer sampler");
        }
        let image = self.opaque_global(idx, span);
        let lod = match sampling.level {
            Level::Lod(lod) => self.math(MathFunction::Round, &[lod], lod.ty, span),
            Level::Implicit(_) | Level::Grad(..) | Level::Gather(_) => {
                self.literal(Literal::F32(0.0), span)
            }
        };
        let level = Some(self.convert(lod, Kind::Int, span).handle);
        let coordinate = self.coordinate(&sampling.parts, None, span);
        let count = self.shape(coordinate.ty).components().unwrap_or(2);
        let ty = self.stage.vector(count, Kind::Uint);
        let query = ImageQuery::Size { level };
        let size = self.value(Expression::ImageQuery { image, query }, ty, span);
        let size = self.convert(size, Kind::Float, span);
        let scaled = if call.ty.dim == Dim::Rect {
            coordinate
        } else {
            self.plain(BinaryOperator::Multiply, coordinate, size, span)
        };
        let floor = self.math(MathFunction::Floor, &[scaled], scaled.ty, span);
        let one = self.literal(Literal::F32(1.0), span);
        let one = self.splat(one, count, span);
        let last = self.plain(BinaryOperator::Subtract, size, one, span);
        let zero = self.zero(last.ty, span);
        let texel = self.math(MathFunction::Clamp, &[floor, zero, last], last.ty, span);
        let coordinate = self.convert(texel, Kind::Int, span).handle;
        let array_index = self.layer(sampling, span);
        let load = Expression::ImageLoad { image, coordinate, array_index, sample: None, level };
        let ty = self.stage.vector(4, call.ty.kind);
        Ok(self.value(load, ty, span))
    }

    /// The nearest layer, as an integer.
    fn layer(&mut self, sampling: &Sampling, span: Span) -> Option<naga::Handle<Expression>> {
        let layer = sampling.layer?;
        let nearest = self.math(MathFunction::Round, &[layer], layer.ty, span);
        Some(self.convert(nearest, Kind::Int, span).handle)
    }

    /// The coordinates as one vector, divided by the size of a rectangle texture.
    fn coordinate(&mut self, parts: &[Value], scale: Option<Value>, span: Span) -> Value {
        let mut parts = parts.to_vec();
        if parts.len() == 1 {
            // The centre of the only row of a one-dimensional texture.
            parts.push(self.literal(Literal::F32(0.5), span));
        }
        let vector = self.vector_of(Kind::Float, &parts, span);
        match scale {
            Some(size) => self.plain(BinaryOperator::Divide, vector, size, span),
            None => vector,
        }
    }

    /// The centre of the four texels that are `offset` away from those gathered at `coordinate`. naga's own offsets
    /// must be constants.
    fn shifted(
        &mut self,
        image: naga::Handle<Expression>,
        coordinate: Value,
        offset: Value,
        span: Span,
    ) -> Value {
        let size = self.texture_size(image, span);
        let half = self.literal_like(size, Literal::F32(0.5), span);
        let one = self.literal_like(size, Literal::F32(1.0), span);
        let texels = self.plain(BinaryOperator::Multiply, coordinate, size, span);
        let lower = self.plain(BinaryOperator::Subtract, texels, half, span);
        let lower = self.math(MathFunction::Floor, &[lower], lower.ty, span);
        let offset = self.convert(offset, Kind::Float, span);
        let lower = self.plain(BinaryOperator::Add, lower, offset, span);
        let middle = self.plain(BinaryOperator::Add, lower, one, span);
        self.plain(BinaryOperator::Divide, middle, size, span)
    }

    /// Width and height as floats.
    fn texture_size(&mut self, image: naga::Handle<Expression>, span: Span) -> Value {
        let ty = self.stage.vector(2, Kind::Uint);
        let level = Some(self.literal(Literal::I32(0), span).handle);
        let query = ImageQuery::Size { level };
        let size = self.value(Expression::ImageQuery { image, query }, ty, span);
        self.convert(size, Kind::Float, span)
    }

    /// The level for sampling. Comparisons in WebGPU support only the first level, which is the only level of depth
    /// textures here.
    fn sample_level(
        &mut self,
        call: &OpaqueCall<'_>,
        level: Level,
        is_comparison: bool,
        scale: Option<Value>,
    ) -> SampleLevel {
        let is_fragment = self.stage.stage == ShaderStage::Fragment;
        match level {
            // Without a comparison, Direct3D has no function for the first level.
            Level::Implicit(_) if !is_fragment && !is_comparison => {
                SampleLevel::Exact(self.literal(Literal::F32(0.0), call.span).handle)
            }
            Level::Implicit(_) if !is_fragment => SampleLevel::Zero,
            Level::Implicit(Some(bias)) if !is_comparison => SampleLevel::Bias(bias.handle),
            Level::Implicit(_) => SampleLevel::Auto,
            Level::Lod(_) | Level::Grad(..) if is_comparison => SampleLevel::Zero,
            Level::Lod(lod) => SampleLevel::Exact(lod.handle),
            Level::Grad(x, y) => {
                let [x, y] = [x, y].map(|gradient| self.gradient(gradient, scale, call.span));
                SampleLevel::Gradient { x: x.handle, y: y.handle }
            }
            Level::Gather(_) => SampleLevel::Zero,
        }
    }

    fn gradient(&mut self, gradient: Value, scale: Option<Value>, span: Span) -> Value {
        if self.shape(gradient.ty).components() == Some(1) {
            let zero = self.literal(Literal::F32(0.0), span);
            return self.vector_of(Kind::Float, &[gradient, zero], span);
        }
        match scale {
            Some(size) => self.plain(BinaryOperator::Divide, gradient, size, span),
            None => gradient,
        }
    }

    /// An offset as a literal, which naga requires.
    fn constant_offset(
        &mut self,
        call: &OpaqueCall<'_>,
        offset: Value,
    ) -> Result<naga::Handle<Expression>> {
        let Some(constant) = self.evaluate(offset.handle) else {
            return unsupported(
                call.span,
                "a texture offset that is not constant, which naga does not support",
            );
        };
        let mut bits = constant.bits.to_vec();
        if call.ty.dim == Dim::One {
            bits.push(0);
        }
        let literals = bits.into_iter().filter_map(|bits| literal_of(Kind::Int, bits));
        let parts: Vec<Value> = literals.map(|literal| self.literal(literal, call.span)).collect();
        Ok(self.vector_of(Kind::Int, &parts, call.span).handle)
    }
}
