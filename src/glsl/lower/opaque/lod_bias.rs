//! Emulates `texparameter … lod_bias`, a bias that GL adds to the level of detail whenever a texture is sampled.
//! WebGPU's samplers do not have it, so shaders read it from a hidden uniform (OpenGL 4.6, section 8.14.1,
//! `bias_texobj`).

use naga::{BinaryOperator, GlobalVariable, Handle, MathFunction};

use crate::ast::Ident;
use crate::lower::body::Body;
use crate::lower::global::Use;
use crate::lower::operand::Value;
use crate::lower::types::Kind;
use crate::lower::{Result, Stage, unsupported};
use ir::source::Span;
use ir::stage::ShaderStage;
use ir::uniform::lod_bias_name;

use super::sample::{Level, Sampling};

impl Stage<'_> {
    fn lod_bias_uniform(&mut self, idx: usize, span: Span) -> Handle<GlobalVariable> {
        if let Some(global) = self.opaques.lod_biases.get(&idx) {
            return *global;
        }
        let name = Ident { name: lod_bias_name(&self.opaques.all[idx].name), span };
        let ty = self.scalar(Kind::Float);
        let global = self.add_hidden(name, ty, None);
        self.opaques.lod_biases.insert(idx, global);
        global
    }
}

impl Body<'_, '_> {
    /// Adds the texture's own bias to the level, if a step of the case sets a bias.
    pub(super) fn biased(&mut self, idx: usize, sampling: &Sampling, span: Span) -> Result<Level> {
        let level = sampling.level;
        if !self.stage.hints.has_lod_biases || matches!(level, Level::Gather(_)) {
            return Ok(level);
        }
        if sampling.reference.is_some() {
            return unsupported(span, "`texparameter lod_bias` with a shadow sampler");
        }
        let global = self.stage.lod_bias_uniform(idx, span);
        self.stage.record_use(Use { global, member: None, is_write: false });
        let (pointer, ty) = (self.global(global, span), self.stage.scalar(Kind::Float));
        let bias = self.load_pointer(pointer, ty, span);
        let add = |body: &mut Self, to: Value| body.plain(BinaryOperator::Add, to, bias, span);
        Ok(match level {
            Level::Implicit(None) if self.stage.stage == ShaderStage::Fragment => {
                Level::Implicit(Some(bias))
            }
            Level::Implicit(Some(own)) => Level::Implicit(Some(add(self, own))),
            // In other stages the level is 0.
            Level::Implicit(None) => Level::Lod(bias),
            Level::Lod(lod) => Level::Lod(add(self, lod)),
            // Doubling the gradients adds one level.
            Level::Grad(x, y) => {
                let factor = self.math(MathFunction::Exp2, &[bias], ty, span);
                let [x, y] = [x, y].map(|gradient| {
                    let size = self.shape(gradient.ty).components().unwrap_or(1);
                    let factor = self.splat(factor, size, span);
                    self.plain(BinaryOperator::Multiply, gradient, factor, span)
                });
                Level::Grad(x, y)
            }
            Level::Gather(_) => level,
        })
    }
}
