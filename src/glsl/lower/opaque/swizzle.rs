//! Emulates texture swizzles. WebGPU does not have this state of GL's textures, so shaders read it from a hidden
//! uniform.

use naga::{
    BinaryOperator, Expression, GlobalVariable, Handle, Literal, MathFunction, SwizzleComponent,
};

use crate::ast::Ident;
use crate::lower::body::Body;
use crate::lower::global::Use;
use crate::lower::operand::Value;
use crate::lower::types::Kind;
use crate::lower::{Result, Stage};
use ir::source::Span;
use ir::uniform::swizzle_name;

use super::OpaqueCall;
use super::sample::{Level, Sampling};

impl Stage<'_> {
    /// The hidden uniform of a texture: four numbers, where 0 to 3 select components, 4 means zero and 5 means one.
    fn swizzle_uniform(&mut self, idx: usize, span: Span) -> Handle<GlobalVariable> {
        if let Some(global) = self.opaques.swizzles.get(&idx) {
            return *global;
        }
        let opaque = &self.opaques.all[idx];
        // A depth is read as luminance unless the case specifies otherwise.
        let initial = if opaque.ty.is_shadow { [0, 0, 0, 5] } else { [0, 1, 2, 3] };
        let name = Ident { name: swizzle_name(&opaque.name), span };
        let ty = self.vector(4, Kind::Uint);
        let global = self.add_hidden(name, ty, Some(initial.to_vec()));
        self.opaques.swizzles.insert(idx, global);
        global
    }
}

impl Body<'_, '_> {
    /// A texel with the texture's swizzle applied.
    pub(super) fn swizzled_texel(&mut self, idx: usize, texel: Value, span: Span) -> Value {
        let is_vector = self.shape(texel.ty).components() == Some(4);
        if !is_vector || !self.stage.hints.has_swizzles {
            return texel;
        }
        self.swizzled(idx, texel, span)
    }

    /// The result of a comparison as four components.
    pub(super) fn swizzled_depth(&mut self, idx: usize, depth: Value, span: Span) -> Value {
        let texel = self.splat(depth, 4, span);
        self.swizzled(idx, texel, span)
    }

    /// Loads the swizzle of the texture.
    fn swizzle_choice(&mut self, idx: usize, span: Span) -> Value {
        let global = self.stage.swizzle_uniform(idx, span);
        self.stage.record_use(Use { global, member: None, is_write: false });
        let pointer = self.global(global, span);
        let ty = self.stage.vector(4, Kind::Uint);
        self.load_pointer(pointer, ty, span)
    }

    /// Gathers `component` of four texels with the swizzle applied. The code gathers all candidate components and
    /// selects one.
    pub(super) fn swizzled_gather(
        &mut self,
        call: &OpaqueCall<'_>,
        idx: usize,
        sampling: &Sampling,
        component: SwizzleComponent,
    ) -> Result<Value> {
        let span = call.span;
        let choice = self.swizzle_choice(idx, span);
        let from = self.part(choice, component as u32, span);
        let (zero, one) = (call.ty.kind.small(0), call.ty.kind.small(1));
        let one = self.literal(one, span);
        let zero = self.literal(zero, span);
        let mut result = self.splat(one, 4, span);
        let zeros = self.splat(zero, 4, span);
        let bool_ty = self.stage.scalar(Kind::Bool);
        for number in 0..5 {
            let value = if number < 4 {
                let component = SwizzleComponent::from_index(number);
                self.sample(
                    call,
                    idx,
                    &Sampling { level: Level::Gather(component), ..sampling.clone() },
                )?
            } else {
                zeros
            };
            let number = self.literal(Literal::U32(number), span);
            let is_it = self.plain(BinaryOperator::Equal, from, number, span);
            result = self.choose(Value { ty: bool_ty, ..is_it }, value, result, span);
        }
        Ok(result)
    }

    fn swizzled(&mut self, idx: usize, texel: Value, span: Span) -> Value {
        let choice = self.swizzle_choice(idx, span);
        let kind = self.shape(texel.ty).kind().unwrap_or(Kind::Float);
        let scalar = self.stage.scalar(kind);
        let (zero, one) = (kind.small(0), kind.small(1));
        let mut parts = Vec::new();
        for component in 0..4 {
            let from = self.part(choice, component, span);
            let last = self.literal(Literal::U32(3), span);
            let index = self.math(MathFunction::Min, &[from, last], from.ty, span);
            let access = Expression::Access { base: texel.handle, index: index.handle };
            let mut part = self.value(access, scalar, span);
            for (number, literal) in [(4, zero), (5, one)] {
                let number = self.literal(Literal::U32(number), span);
                let bool_ty = self.stage.scalar(Kind::Bool);
                let is_it = self.plain(BinaryOperator::Equal, from, number, span);
                let constant = self.literal(literal, span);
                part = self.choose(Value { ty: bool_ty, ..is_it }, constant, part, span);
            }
            parts.push(part);
        }
        self.compose(texel.ty, &parts, span)
    }
}
