//! Texture functions (GLSL 4.60 section 8.9, 1.20 section 8.7).

use naga::{Expression, ImageQuery, Literal, SwizzleComponent};

use crate::lower::body::Body;
use crate::lower::expression::version::DYNAMIC;
use crate::lower::operand::Operand;
use crate::lower::types::Kind;
use crate::lower::{Result, unsupported, wrong};

use ir::stage::ShaderStage;

use super::sample::{Level, Sampling};
use super::sample_name::parse_sample;
use super::{Dim, OpaqueCall};

impl Body<'_, '_> {
    pub(super) fn texture_call(&mut self, call: &OpaqueCall<'_>) -> Result<Option<Operand>> {
        let name = &*call.name.name;
        if let Some(sample) = parse_sample(name) {
            return self.sample_call(call, sample);
        }
        if name.starts_with("texelFetch") {
            return self.fetch_call(call, name.ends_with("Offset"));
        }
        if name.starts_with("textureSize") {
            return self.size_call(call);
        }
        match name {
            "textureQueryLevels" => {
                let ty = self.stage.scalar(Kind::Int);
                let levels = |body: &mut Self, idx: usize| {
                    let image = body.opaque_global(idx, call.span);
                    let uint = body.stage.scalar(Kind::Uint);
                    let query = ImageQuery::NumLevels;
                    let levels =
                        body.value(Expression::ImageQuery { image, query }, uint, call.span);
                    Ok(body.convert(levels, Kind::Int, call.span))
                };
                self.choose_opaque(call, ty, levels).map(|value| Some(Operand::Value(value)))
            }
            "textureGather" => self.gather_call(call, false),
            "textureGatherOffset" => self.gather_call(call, true),
            "textureGatherOffsets" => self.gather_offsets_call(call),
            "textureQueryLod" | "textureQueryLOD" if self.stage.stage != ShaderStage::Fragment => {
                wrong(call.span, format!("`{name}` is only available in the fragment stage"))
            }
            _ => unsupported(call.span, &*call.name.name),
        }
    }

    fn fetch_call(&mut self, call: &OpaqueCall<'_>, has_offset: bool) -> Result<Option<Operand>> {
        let span = call.span;
        let (at, level, offset) = match (call.ty.dim, has_offset, &call.values[1..]) {
            (Dim::Rect, false, [at]) => (*at, None, None),
            (Dim::Rect, true, [at, offset]) => (*at, None, Some(*offset)),
            (_, false, [at, level]) => (*at, Some(*level), None),
            (_, true, [at, level, offset]) => (*at, Some(*level), Some(*offset)),
            _ => return Ok(None),
        };
        let level = Some(level.unwrap_or_else(|| self.literal(Literal::I32(0), span)).handle);
        let Some(place) = self.texel_place(call, at, offset) else { return Ok(None) };
        let (coordinate, array_index) = (place.coordinate, place.array_index);
        let ty = self.stage.vector(4, call.ty.kind);
        let fetch = |body: &mut Self, idx: usize| {
            let image = body.opaque_global(idx, span);
            let load =
                Expression::ImageLoad { image, coordinate, array_index, sample: None, level };
            let texel = body.value(load, ty, span);
            Ok(body.swizzled_texel(idx, texel, span))
        };
        self.choose_opaque(call, ty, fetch).map(|value| Some(Operand::Value(value)))
    }

    fn size_call(&mut self, call: &OpaqueCall<'_>) -> Result<Option<Operand>> {
        let level = match (call.ty.dim, &call.values[1..]) {
            (Dim::Rect, []) => self.literal(Literal::I32(0), call.span),
            (_, [level]) => *level,
            _ => return Ok(None),
        };
        self.image_size(call, Some(level.handle)).map(Some)
    }

    /// Lowers `textureGatherOffsets(s, P[, reference], offsets[, component])`: each component comes from the lower left
    /// texel of one of four gathers.
    fn gather_offsets_call(&mut self, call: &OpaqueCall<'_>) -> Result<Option<Operand>> {
        let place = if call.ty.is_shadow { 3 } else { 2 };
        let Some(offsets) = call.values.get(place).copied() else { return Ok(None) };
        if self.evaluate(offsets.handle).is_none() {
            return wrong(call.span, "the offsets of `textureGatherOffsets` must be constant");
        }
        let mut texels = Vec::new();
        for idx in 0..4 {
            let mut values = call.values.clone();
            values[place] = self.part(offsets, idx, call.span);
            let one = OpaqueCall { values, ..*call };
            let Some(gathered) = self.gather_call(&one, true)? else { return Ok(None) };
            let gathered = self.value_of(&gathered, call.span)?;
            texels.push(self.part(gathered, 3, call.span));
        }
        let ty = self.stage.vector(4, call.ty.kind);
        Ok(Some(Operand::Value(self.compose(ty, &texels, call.span))))
    }

    /// Lowers `textureGather(s, P[, reference][, offset][, component])`.
    fn gather_call(&mut self, call: &OpaqueCall<'_>, has_offset: bool) -> Result<Option<Operand>> {
        let span = call.span;
        let mut rest = call.values[1..].iter().copied();
        let Some(at) = rest.next() else { return Ok(None) };
        let reference = if call.ty.is_shadow { rest.next() } else { None };
        let offset = if has_offset { rest.next() } else { None };
        if offset.is_some_and(|offset| self.evaluate(offset.handle).is_none())
            && !self.is_from(400, 320)
            && !self.enables(&DYNAMIC)
        {
            return wrong(span, "the offset of a gather must be constant in this version");
        }
        let component = rest.next().map_or(Some(0), |component| self.known_index(component));
        let gather = match component {
            Some(0) => SwizzleComponent::X,
            Some(1) => SwizzleComponent::Y,
            Some(2) => SwizzleComponent::Z,
            Some(3) => SwizzleComponent::W,
            // GLSL 4.60 section 8.9.4.
            Some(_) | None => {
                return wrong(span, "the component to gather must be a constant from 0 to 3");
            }
        };
        let count = call.ty.coordinates();
        let mut parts = Vec::new();
        for idx in 0..count {
            let Some(part) = self.component(at, idx, span) else { return Ok(None) };
            parts.push(part);
        }
        let layer = if call.ty.is_arrayed { self.component(at, count, span) } else { None };
        let level = Level::Gather(gather);
        let sampling = Sampling { parts, layer, reference, level, offset };
        let ty = self.stage.vector(4, call.ty.kind);
        let is_moved = self.stage.hints.has_swizzles && !call.ty.is_shadow;
        let value = self.choose_opaque(call, ty, |body, idx| {
            if is_moved {
                body.swizzled_gather(call, idx, &sampling, gather)
            } else {
                body.sample(call, idx, &sampling)
            }
        })?;
        Ok(Some(Operand::Value(value)))
    }
}
