//! Lowers the draw parameters of a vertex stage: `gl_BaseVertex`, `gl_BaseInstance` and `gl_DrawID`.
//!
//! The executor builds the lists of vertex and instance rows itself and starts all draws at zero, so the adapter's
//! values would be wrong; some adapters do not have them. The bases become uniforms that are set for every draw. A draw
//! is always the first and only one of its command, so its number is zero.

use std::borrow::Cow;

use naga::{BuiltIn, GlobalVariable, Handle, Scalar, TypeInner};

use crate::lower::state_uniform;
use ir::interface::{Place, ScalarKind, Type};
use ir::stage_module::{BuiltinVariable, Direction, StageModule};

/// Hidden uniform with the base vertex of an indexed draw; 0 in other draws (OpenGL 4.6, 11.1.3.9).
pub const BASE_VERTEX: &str = "base vertex";
/// Hidden uniform with the first instance.
pub const BASE_INSTANCE: &str = "base instance";

/// Replaces the draw parameters of the vertex stage by uniforms.
pub(crate) fn lower(vertex: &mut Cow<'_, StageModule>) {
    let is_own = |builtin| {
        matches!(builtin, BuiltIn::BaseVertex | BuiltIn::BaseInstance | BuiltIn::DrawIndex)
    };
    if !vertex.builtins.iter().any(|input| is_own(input.builtin)) {
        return;
    }
    let vertex = vertex.to_mut();
    let (own, others) = vertex.builtins.drain(..).partition(|input| is_own(input.builtin));
    vertex.builtins = others;
    let own: Vec<BuiltinVariable> = own;
    for builtin in own.iter().filter(|known| known.direction == Direction::Input) {
        let names = [(BuiltIn::BaseVertex, BASE_VERTEX), (BuiltIn::BaseInstance, BASE_INSTANCE)];
        // `gl_DrawID` needs no uniform: a private global is zero if nothing writes it.
        let Some((_, name)) = names.iter().find(|(known, _)| *known == builtin.builtin) else {
            continue;
        };
        let ty = Type::Scalar(scalar_of(vertex, builtin.global));
        let place = Place::whole(builtin.global);
        state_uniform::fill(vertex, name, ty, place);
    }
}

/// The scalar type of a draw parameter's global. GLSL's lowering uses naga's unsigned type; in SPIR-V the module
/// declares the type.
fn scalar_of(vertex: &StageModule, global: Handle<GlobalVariable>) -> ScalarKind {
    let ty = vertex.module.global_variables[global].ty;
    let signed = TypeInner::Scalar(Scalar::I32);
    if vertex.module.types[ty].inner == signed { ScalarKind::I32 } else { ScalarKind::U32 }
}

#[cfg(test)]
mod tests {
    use crate::testing;
    use ir::stage::ShaderStage;

    use super::*;

    #[test]
    fn bases_are_uniforms_and_the_number_of_the_draw_is_zero() {
        let text = "#version 460
            void main() {
                gl_Position = vec4(gl_BaseVertex, gl_BaseInstance, gl_DrawID, gl_VertexID);
            }";
        let stage = testing::stage(ShaderStage::Vertex, text);
        let mut lowered = Cow::Owned(stage);
        lower(&mut lowered);
        let uniforms = lowered.uniforms.iter();
        let uniforms: Vec<_> =
            uniforms.map(|uniform| (uniform.name.as_str(), uniform.ty.to_string())).collect();
        let word = || "uint".to_owned();
        assert_eq!(uniforms, [(BASE_VERTEX, word()), (BASE_INSTANCE, word())]);
        let inputs = lowered.builtins.iter().filter(|input| input.direction == Direction::Input);
        let inputs: Vec<_> = inputs.map(|input| input.builtin).collect();
        assert_eq!(inputs, [BuiltIn::VertexIndex]);
    }
}
