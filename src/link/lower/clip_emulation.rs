//! Emulates clipping in the fragment stage, for adapters without clip distances. The fragment stage gets the distances
//! as a varying and discards if one is negative.
//!
//! The result differs from clipping at the edges of multisampled primitives, and where a primitive is clipped by depth,
//! so a case must enable it. Both stages get a new main function around the user's, so every later pass sees an
//! ordinary varying that ordinary code writes and reads.

use std::borrow::Cow;
use std::num::NonZeroU32;

use naga::{ArraySize, BinaryOperator, Block, Function, Scalar, Span, Statement, TypeInner};

use crate::lower::state_uniform;
use crate::table::shell::ClipDistances;
use crate::wrap::clip::gated_distances;
use ir::builder::{FunctionBuilder, insert_type};
use ir::interface::{Interpolation, Place, ScalarKind, Type, Variable};
use ir::stage_module::StageModule;

/// Name of the varying, which no shader can declare.
const NAME: &str = "emulated clip distances";

/// Makes `fragment` discard the fragments that `clip` excludes. Without a fragment stage nothing is visible anyway.
pub(crate) fn lower(
    vertex: &mut StageModule,
    fragment: Option<&mut Cow<'_, StageModule>>,
    clip: &ClipDistances,
) {
    let Some(length) = NonZeroU32::new(clip.count) else { return };
    let Some(fragment) = fragment else { return };
    let written = add_array(vertex, length);
    vertex.outputs.push(varying(&written, clip.count));
    write_after(vertex, clip, &written);
    let fragment = fragment.to_mut();
    let read = add_array(fragment, length);
    fragment.inputs.push(varying(&read, clip.count));
    discard_before(fragment, clip.count, &read);
}

fn varying(place: &Place, count: u32) -> Variable {
    Variable {
        interpolation: Interpolation::Smooth,
        place: Some(place.clone()),
        ..Variable::new(NAME, Type::F32.array(count))
    }
}

fn add_array(stage: &mut StageModule, length: NonZeroU32) -> Place {
    let base = insert_type(&mut stage.module, TypeInner::Scalar(Scalar::F32));
    let inner = TypeInner::Array { base, size: ArraySize::Constant(length), stride: 4 };
    state_uniform::add_global(stage, inner)
}

/// Computes the distances after the user's code.
fn write_after(stage: &mut StageModule, clip: &ClipDistances, to: &Place) {
    let mut module = stage.module.clone();
    let mut builder = FunctionBuilder::new(&mut module);
    builder.call(stage.main, Vec::new());
    let distances = gated_distances(&mut builder, stage, clip);
    for (plane, distance) in (0..).zip(distances) {
        let pointer = builder.pointer_into(to.global, &[plane]);
        builder.store(pointer, distance);
    }
    builder.push(Statement::Return { value: None });
    let main = builder.finish();
    stage.module = module;
    replace_main(stage, main);
}

/// Skips the user's code if a distance is negative.
fn discard_before(stage: &mut StageModule, count: u32, from: &Place) {
    let mut module = stage.module.clone();
    let mut builder = FunctionBuilder::new(&mut module);
    for plane in 0..count {
        let pointer = builder.pointer_into(from.global, &[plane]);
        let left = builder.load(pointer);
        let right = builder.number(0, ScalarKind::F32);
        // NaN counts as outside.
        let op = BinaryOperator::GreaterEqual;
        let condition = builder.binary(op, left, right);
        builder.push(Statement::If {
            condition,
            accept: Block::new(),
            reject: Block::from_vec(vec![Statement::Kill]),
        });
    }
    builder.call(stage.main, Vec::new());
    builder.push(Statement::Return { value: None });
    let main = builder.finish();
    stage.module = module;
    replace_main(stage, main);
}

fn replace_main(stage: &mut StageModule, main: Function) {
    stage.main = stage.module.functions.append(main, Span::UNDEFINED);
}

#[cfg(test)]
mod tests {
    use crate::program::LinkedStages;
    use crate::{AdapterRules, LinkOptions, RasterState, link, testing};
    use ir::stage::ShaderStage;
    use ir::stage_module::Stages;

    /// Both stages as WGSL.
    fn linked(options: &LinkOptions) -> [naga::Module; 2] {
        let vertex =
            "#version 130\nvoid main() { gl_Position = vec4(1.0); gl_ClipDistance[1] = 2.0; }";
        let fragment = "#version 130\nout vec4 c; void main() { c = vec4(1.0); }";
        let stages = Stages::new([
            testing::stage(ShaderStage::Vertex, vertex),
            testing::stage(ShaderStage::Fragment, fragment),
        ])
        .expect("a program");
        let program = link(&stages, options).expect("it links");
        match program.stages {
            LinkedStages::Render { vertex, fragment: Some(fragment) } => [vertex, fragment],
            LinkedStages::Render { .. } | LinkedStages::Compute(_) => panic!("a pair was linked"),
        }
    }

    fn gives_distances(module: &naga::Module) -> bool {
        let binding = naga::Binding::BuiltIn(naga::BuiltIn::ClipDistances);
        module.types.iter().any(|(_, ty)| {
            let naga::TypeInner::Struct { members, .. } = &ty.inner else { return false };
            members.iter().any(|member| member.binding.as_ref() == Some(&binding))
        })
    }

    #[test]
    fn early_tests_see_what_would_be_clipped() {
        let vertex =
            "#version 420\nvoid main() { gl_Position = vec4(1.0); gl_ClipDistance[0] = 2.0; }";
        let fragment = "#version 420\nlayout(early_fragment_tests) in; out vec4 c; void main() { c = vec4(1.0); }";
        let stages = Stages::new([
            testing::stage(ShaderStage::Vertex, vertex),
            testing::stage(ShaderStage::Fragment, fragment),
        ])
        .expect("a program");
        let raster = RasterState { clip_planes: 1, ..RasterState::default() };
        let options = LinkOptions { raster, ..LinkOptions::default() };
        link(&stages, &options).expect("the adapter clips");
        let adapter = AdapterRules { has_clip_distances: false, ..AdapterRules::default() };
        let error = link(&stages, &LinkOptions { adapter, ..options }).expect_err("it is refused");
        let word = "unsupported: early fragment tests where the fragment stage clips";
        assert_eq!(error.to_string(), word);
    }

    #[test]
    fn emulated_distances_are_a_varying_that_discards() {
        let options = LinkOptions {
            raster: RasterState { clip_planes: 2, ..RasterState::default() },
            ..LinkOptions::default()
        };
        let [vertex, fragment] = linked(&options);
        assert!(gives_distances(&vertex));
        assert!(fragment.entry_points[0].function.arguments.is_empty());
        let [vertex, fragment] = linked(&LinkOptions {
            adapter: AdapterRules { has_clip_distances: false, ..AdapterRules::default() },
            ..options
        });
        assert!(!gives_distances(&vertex));
        assert_eq!(fragment.entry_points[0].function.arguments.len(), 1);
    }
}
