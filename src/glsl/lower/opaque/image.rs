//! Image functions (GLSL 4.60 section 8.12).

use naga::{Expression, Handle, ImageQuery, Literal, Statement, StorageAccess};

use crate::lower::body::Body;
use crate::lower::operand::{Operand, Value};
use crate::lower::types::Kind;
use crate::lower::{Result, unsupported, wrong};
use ir::source::Span;

use super::{Class, Dim, OpaqueCall};

/// Position of a texel.
#[derive(Clone, Copy)]
pub(super) struct TexelPlace {
    pub(super) coordinate: Handle<Expression>,
    pub(super) array_index: Option<Handle<Expression>>,
}

impl Body<'_, '_> {
    pub(super) fn image_call(&mut self, call: &OpaqueCall<'_>) -> Result<Option<Operand>> {
        let span = call.span;
        let texel = self.stage.vector(4, call.ty.kind);
        match (&*call.name.name, &call.values[1..]) {
            ("imageLoad", [at]) => {
                let Some(TexelPlace { coordinate, array_index }) =
                    self.texel_place(call, *at, None)
                else {
                    return Ok(None);
                };
                let load = |body: &mut Self, idx: usize| {
                    body.use_image(idx, StorageAccess::LOAD, span)?;
                    let image = body.opaque_global(idx, span);
                    let (sample, level) = (None, None);
                    let load =
                        Expression::ImageLoad { image, coordinate, array_index, sample, level };
                    Ok(body.value(load, texel, span))
                };
                self.choose_opaque(call, texel, load).map(|value| Some(Operand::Value(value)))
            }
            ("imageStore", [at, data]) => {
                let Some(TexelPlace { coordinate, array_index }) =
                    self.texel_place(call, *at, None)
                else {
                    return Ok(None);
                };
                let value = data.handle;
                self.with_opaque(call, |body, idx| {
                    body.use_image(idx, StorageAccess::STORE, span)?;
                    let image = body.opaque_global(idx, span);
                    let store = Statement::ImageStore { image, coordinate, array_index, value };
                    body.push(store, span);
                    Ok(())
                })?;
                Ok(Some(Operand::Void))
            }
            ("imageSize", []) => self.image_size(call, None).map(Some),
            (name, _) => {
                if name.starts_with("imageAtomic") {
                    for idx in self.choices(call) {
                        self.use_image(idx, StorageAccess::LOAD | StorageAccess::STORE, span)?;
                    }
                }
                unsupported(call.span, name)
            }
        }
    }

    fn use_image(&mut self, idx: usize, access: StorageAccess, span: Span) -> Result<()> {
        let Some(opaque) = self.stage.opaques.all.get_mut(idx) else { return Ok(()) };
        opaque.access |= access;
        let name = &opaque.name;
        if opaque.memory.is_write_only && access.contains(StorageAccess::LOAD) {
            return wrong(span, format!("image `{name}` is `writeonly` and cannot be read"));
        }
        if opaque.memory.is_read_only && access.contains(StorageAccess::STORE) {
            return wrong(span, format!("image `{name}` is `readonly` and cannot be written"));
        }
        Ok(())
    }

    /// Splits integer coordinates into coordinates and layer. Adds `offset`, a constant with the same number of
    /// components.
    pub(super) fn texel_place(
        &mut self,
        call: &OpaqueCall<'_>,
        at: Value,
        offset: Option<Value>,
    ) -> Option<TexelPlace> {
        let span = call.span;
        let is_cube_image = call.ty.dim == Dim::Cube && call.ty.class == Class::Image;
        let count = if is_cube_image { 2 } else { call.ty.coordinates() };
        let mut parts = Vec::new();
        for idx in 0..count {
            let mut part = self.component(at, idx, span)?;
            if let Some(offset) = offset {
                let offset = self.component(offset, idx, span)?;
                part = self.plain(naga::BinaryOperator::Add, part, offset, span);
            }
            parts.push(part);
        }
        if call.ty.dim == Dim::One {
            parts.push(self.literal(Literal::I32(0), span));
        }
        let array_index = if call.ty.is_arrayed || is_cube_image {
            Some(self.component(at, count, span)?.handle)
        } else {
            None
        };
        let coordinate = self.vector_of(Kind::Int, &parts, span).handle;
        Some(TexelPlace { coordinate, array_index })
    }

    /// Lowers `textureSize` and `imageSize`; `level` is for textures.
    pub(super) fn image_size(
        &mut self,
        call: &OpaqueCall<'_>,
        level: Option<Handle<Expression>>,
    ) -> Result<Operand> {
        let span = call.span;
        let count = call.ty.sizes();
        let plain = count - u8::from(call.ty.is_arrayed);
        let ty = self.stage.vector(count, Kind::Int);
        let size = |body: &mut Self, idx: usize| {
            let image = body.opaque_global(idx, span);
            let queried = body.stage.vector(plain.max(2), Kind::Uint);
            let query = ImageQuery::Size { level };
            let size = body.value(Expression::ImageQuery { image, query }, queried, span);
            let mut parts: Vec<Value> =
                (0..plain).filter_map(|idx| body.component(size, idx, span)).collect();
            if call.ty.is_arrayed {
                parts.push(body.layer_count(call, image, span));
            }
            let unsigned = body.vector_of(Kind::Uint, &parts, span);
            Ok(body.convert(unsigned, Kind::Int, span))
        };
        self.choose_opaque(call, ty, size).map(Operand::Value)
    }

    /// The number of layers; for an array of cubes, the number of cubes.
    fn layer_count(
        &mut self,
        call: &OpaqueCall<'_>,
        image: Handle<Expression>,
        span: Span,
    ) -> Value {
        let uint = self.stage.scalar(Kind::Uint);
        let query = ImageQuery::NumLayers;
        let layers = self.value(Expression::ImageQuery { image, query }, uint, span);
        if call.ty.dim == Dim::Cube && call.ty.class == Class::Image {
            let six = self.literal(Literal::U32(6), span);
            return self.plain(naga::BinaryOperator::Divide, layers, six, span);
        }
        layers
    }
}
