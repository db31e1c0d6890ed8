//! Separate textures and samplers, as in Vulkan, and the combined values that `sampler2D(texture, sampler)` constructs
//! (`GL_KHR_vulkan_glsl`).
//!
//! A constructed value is the number of a table entry, like every opaque value. The entries of all textures with all
//! matching samplers are created before any function is lowered, because a function may be called with any of them.

use naga::{BinaryOperator, Literal};

use crate::ast::{Expr, ExprKind, Ident};
use crate::lower::body::Body;
use crate::lower::operand::{Operand, Value};
use crate::lower::types::Kind;
use crate::lower::{Result, Stage, scan, unsupported, wrong};
use ir::source::Span;

use super::shape::{Class, OpaqueType, parse_type};
use super::{MAX_OPAQUES, Opaque, OpaqueCall};

impl Stage<'_> {
    /// True if some constructor combines the texture with a comparison sampler. The texture then holds depths.
    pub(super) fn is_compared(&self, texture: &str) -> bool {
        let texture = texture.split('[').next().unwrap_or(texture);
        let mut is_compared = false;
        for unit in self.units {
            scan::visit_unit(unit, &mut |expr| {
                let ExprKind::Call(function, arguments) = &expr.kind else { return };
                let is_constructor = parse_type(&function.name)
                    .is_some_and(|ty| ty.class == Class::Sampler && ty.is_shadow);
                let root = arguments.first().and_then(root_name);
                is_compared |= is_constructor && root == Some(texture);
            });
        }
        is_compared
    }

    /// Adds a table entry for each texture with each sampler that matches it.
    pub(in crate::lower) fn combine_opaques(&mut self) {
        let all: Vec<(usize, Opaque)> = self.opaques.all.iter().cloned().enumerate().collect();
        let of_class = |class| all.iter().filter(move |(_, opaque)| opaque.ty.class == class);
        for (texture, opaque) in of_class(Class::Texture) {
            let is_depth = self.is_compared(&opaque.name);
            for (sampler, bare) in of_class(Class::BareSampler) {
                if bare.ty.is_shadow != is_depth || self.opaques.all.len() >= MAX_OPAQUES {
                    continue;
                }
                let ty = OpaqueType { class: Class::Sampler, is_shadow: is_depth, ..opaque.ty };
                let combined = Opaque { ty, sampler: Some(bare.global), ..opaque.clone() };
                self.opaques.combined.insert((*texture, *sampler), self.opaques.all.len());
                self.opaques.all.push(combined);
            }
        }
    }
}

/// The variable at the root of an expression.
fn root_name(expr: &Expr) -> Option<&str> {
    if let ExprKind::Index(base, _) = &expr.kind {
        return root_name(base);
    }
    let ExprKind::Variable(name) = &expr.kind else { return None };
    Some(name)
}

impl Body<'_, '_> {
    /// Lowers `sampler2D(texture, sampler)`; `None` for other calls.
    pub(in crate::lower) fn combined_sampler(
        &mut self,
        name: &Ident,
        arguments: &[Expr],
        span: Span,
    ) -> Result<Option<Operand>> {
        if !self.stage.is_vulkan() {
            return Ok(None);
        }
        let wanted = parse_type(&name.name).filter(|ty| ty.class == Class::Sampler);
        let (Some(wanted), Some(ty)) = (wanted, self.stage.opaque_type(&name.name)) else {
            return Ok(None);
        };
        let refused =
            || format!("`{}` is constructed from a texture and a sampler of its kind", name.name);
        let [texture, sampler] = arguments else { return wrong(span, refused()) };
        let (texture, sampler) = (self.rvalue(texture)?, self.rvalue(sampler)?);
        let types = &self.stage.opaques.types;
        let textures = types.get(&texture.ty).is_some_and(|own| {
            *own == OpaqueType { class: Class::Texture, is_shadow: false, ..wanted }
        });
        let samplers = types.get(&sampler.ty).is_some_and(|own| {
            own.class == Class::BareSampler && own.is_shadow == wanted.is_shadow
        });
        if !textures || !samplers {
            return wrong(span, refused());
        }
        let index = self.combined_index([texture, sampler], wanted, span)?;
        Ok(Some(Operand::Value(self.compose(ty, &[index], span))))
    }

    /// The number of the entry for a texture and a sampler, which may be known only at run time.
    fn combined_index(
        &mut self,
        parts: [Value; 2],
        wanted: OpaqueType,
        span: Span,
    ) -> Result<Value> {
        let known = parts.map(|part| {
            let constant = self.evaluate(part.handle)?;
            usize::try_from(*constant.bits.first()?).ok()
        });
        let suits = |(texture, sampler): (usize, usize)| {
            let is = |known: Option<usize>, own| known.is_none_or(|known| known == own);
            is(known[0], texture) && is(known[1], sampler)
        };
        let entries: Vec<_> = self
            .stage
            .opaques
            .combined
            .iter()
            .filter(|(parts, idx)| suits(**parts) && self.stage.opaques.all[**idx].ty == wanted)
            .map(|(parts, idx)| (*parts, *idx))
            .collect();
        let Some(((_, first), rest)) = entries.split_first() else {
            return unsupported(
                span,
                "a texture with samplers that compare and others that do not",
            );
        };
        let mut index = self.entry_number(*first, span);
        for ((texture, sampler), idx) in rest {
            let is_texture = self.is_entry(parts[0], *texture, span);
            let is_sampler = self.is_entry(parts[1], *sampler, span);
            let both = self.plain(BinaryOperator::LogicalAnd, is_texture, is_sampler, span);
            let entry = self.entry_number(*idx, span);
            index = self.choose(both, entry, index, span);
        }
        Ok(index)
    }

    /// Tests whether an opaque value is the number of this entry.
    fn is_entry(&mut self, value: Value, idx: usize, span: Span) -> Value {
        let number = self.part(value, 0, span);
        let entry = self.entry_number(idx, span);
        let test = self.plain(BinaryOperator::Equal, number, entry, span);
        Value { ty: self.stage.scalar(Kind::Bool), ..test }
    }

    fn entry_number(&mut self, idx: usize, span: Span) -> Value {
        self.literal(Literal::U32(u32::try_from(idx).unwrap_or(u32::MAX)), span)
    }

    /// Lowers a function of a texture without a sampler, which reads texels or sizes
    /// (`GL_EXT_samplerless_texture_functions`).
    pub(super) fn bare_texture_call(&mut self, call: &OpaqueCall<'_>) -> Result<Option<Operand>> {
        let name = &*call.name.name;
        let is_plain =
            name.starts_with("texelFetch") || ["textureSize", "textureQueryLevels"].contains(&name);
        if !is_plain {
            return Ok(None);
        }
        if !self.enables(&["GL_EXT_samplerless_texture_functions"]) {
            let message =
                format!("`{name}` of a texture needs GL_EXT_samplerless_texture_functions");
            return wrong(call.name.span, message);
        }
        self.texture_call(call)
    }
}
