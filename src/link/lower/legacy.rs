//! Passes colours of the compatibility profile from the vertex stage to the fragment stage.
//!
//! The vertex stage has a front and a back colour, both primary and secondary, and GL clamps all four unless a case
//! disables this. The fragment stage has one colour of each pair; for back faces it is the back colour if two-sided
//! colour is enabled. The code is added to *copies of the stages* before they are paired, as an additional input and a
//! new main function around the user's. Later passes, including the final check, see only ordinary varyings.

use std::borrow::Cow;

use naga::{
    BuiltIn, Expression, GlobalVariable, Handle, Literal, MathFunction, Module, Scalar, Span,
    TypeInner,
};

use crate::stages::RenderStages;
use ir::builder::{FunctionBuilder, add_private, insert_type, vector_size};
use ir::interface::{Interpolation, Place, ScalarKind, Variable};
use ir::options::{ColorState, ShadeModel};
use ir::semantic::Semantic;
use ir::stage_module::{BuiltinVariable, Direction, StageModule};

/// A colour that the fragment stage reads.
struct Color {
    /// Name of the colour in the fragment stage.
    read: &'static str,
    /// The vertex stage's output for front faces, or for all faces.
    front: &'static str,
    /// The vertex stage's output for back faces.
    back: &'static str,
}

const COLORS: [Color; 2] = [
    Color { read: "gl_Color", front: "gl_FrontColor", back: "gl_BackColor" },
    Color {
        read: "gl_SecondaryColor",
        front: "gl_FrontSecondaryColor",
        back: "gl_BackSecondaryColor",
    },
];

/// The output that feeds the input called `name`.
pub(crate) fn producer_name(name: &str) -> &str {
    COLORS.iter().find(|color| color.read == name).map_or(name, |color| color.front)
}

/// The output for back faces that must match the input called `name`, even if the input does not use it.
pub(crate) fn back_name(name: &str) -> Option<&'static str> {
    COLORS.iter().find(|color| color.read == name).map(|color| color.back)
}

/// The interpolation of `input`: flat shading makes colours without an explicit qualifier flat.
pub(crate) fn interpolation(input: &Variable, colors: ColorState) -> Interpolation {
    let is_color =
        COLORS.iter().any(|color| [color.read, color.back].contains(&input.name.as_str()));
    let is_flat = colors.shade_model == ShadeModel::Flat;
    match input.interpolation {
        Interpolation::Unqualified if is_color && is_flat => Interpolation::Flat,
        other @ (Interpolation::Unqualified
        | Interpolation::Smooth
        | Interpolation::Flat
        | Interpolation::NoPerspective) => other,
    }
}

/// Makes the fragment stage of a pair use the colours of the visible side, and clamps the colours of both stages to 0
/// to 1, according to the case.
pub(crate) fn lower(stages: &mut RenderStages<'_>, colors: ColorState) {
    let RenderStages { vertex, fragment: Some(fragment) } = stages else { return };
    if let Some(two_sided) = select_sides(vertex, fragment, colors) {
        *fragment = Cow::Owned(two_sided);
    }
    if let Some(clamped) = clamp_varyings(vertex, colors) {
        *vertex = Cow::Owned(clamped);
    }
    if let Some(clamped) = clamp_outputs(fragment, colors) {
        *fragment = Cow::Owned(clamped);
    }
}

/// The vertex stage with its compatibility colours clamped, unless the case disables clamping.
fn clamp_varyings(vertex: &StageModule, colors: ColorState) -> Option<StageModule> {
    if colors.is_vertex_unclamped {
        return None;
    }
    let is_color = |output: &&Variable| {
        COLORS.iter().any(|color| [color.front, color.back].contains(&output.name.as_str()))
    };
    let written: Vec<Place> = vertex
        .outputs
        .iter()
        .filter(|output| output.is_used)
        .filter(is_color)
        .filter_map(|output| output.place.clone())
        .collect();
    let written = written.into_iter().map(|place| (place, 4)).collect();
    clamped(vertex, written)
}

/// The fragment stage with its float outputs clamped to 0 to 1, if the case enables this. Otherwise clamping is left to
/// the target's format (OpenGL 4.6 compatibility, 15.2.3: `FIXED_ONLY`).
fn clamp_outputs(fragment: &StageModule, colors: ColorState) -> Option<StageModule> {
    if !colors.is_fragment_clamped {
        return None;
    }
    let mut written = Vec::new();
    for output in fragment.outputs.iter().filter(|output| output.is_used) {
        let Some(place) = &output.place else { continue };
        for leaf in output.ty.leaves().iter().filter(|leaf| leaf.scalar == ScalarKind::F32) {
            let path = [&place.path[..], &leaf.path].concat();
            written.push((Place { global: place.global, path }, leaf.size));
        }
    }
    clamped(fragment, written)
}

/// The stage with the given float scalars and vectors clamped after its main function; `None` if there are none.
fn clamped(stage: &StageModule, written: Vec<(Place, u8)>) -> Option<StageModule> {
    if written.is_empty() {
        return None;
    }
    let mut stage = stage.clone();
    let mut builder = FunctionBuilder::new(&mut stage.module);
    builder.call(stage.main, Vec::new());
    for (place, size) in &written {
        clamp(&mut builder, place, *size);
    }
    let main = builder.finish();
    stage.main = stage.module.functions.append(main, Span::UNDEFINED);
    Some(stage)
}

fn clamp(builder: &mut FunctionBuilder<&mut Module>, place: &Place, size: u8) {
    let [zero, one] = [0.0, 1.0].map(|bound| {
        let value = builder.literal(Literal::F32(bound));
        match vector_size(usize::from(size)) {
            Some(size) => builder.emit(Expression::Splat { size, value }),
            None => value,
        }
    });
    let pointer = builder.pointer(place);
    let color = builder.load(pointer);
    let clamped = builder.math(MathFunction::Clamp, &[color, zero, one]);
    builder.store(pointer, clamped);
}

/// The fragment stage with an additional input for every back colour that `vertex` writes, which back faces use. If a
/// back colour is not written, back faces use the front colour. `None` if `vertex` writes no back colour.
fn select_sides(
    vertex: &StageModule,
    fragment: &StageModule,
    colors: ColorState,
) -> Option<StageModule> {
    let is_written =
        |name: &str| vertex.outputs.iter().any(|output| output.is_used && output.name == name);
    let two_sided: Vec<(&Variable, &Color)> = fragment
        .inputs
        .iter()
        .filter(|input| input.is_used && colors.is_two_sided)
        .filter_map(|input| Some((input, COLORS.iter().find(|color| color.read == input.name)?)))
        .filter(|(_, color)| is_written(color.back))
        .collect();
    if two_sided.is_empty() {
        return None;
    }
    let mut stage = fragment.clone();
    let facing = facing(&mut stage);
    let mut pairs = Vec::new();
    for (input, color) in two_sided {
        let Some(front) = input.place.clone() else { continue };
        let ty = stage.module.global_variables[front.global].ty;
        let global = add_private(&mut stage.module, Some(color.back.to_owned()), ty);
        let back = Place::whole(global);
        pairs.push((front, back.clone()));
        let label = Semantic::of_builtin(color.back).map(Semantic::key);
        stage.inputs.push(Variable {
            name: color.back.to_owned(),
            location: label.filter(|_| input.location.is_some()),
            place: Some(back),
            ..input.clone()
        });
    }
    let mut builder = FunctionBuilder::new(&mut stage.module);
    let facing = builder.pointer_into(facing, &[]);
    let condition = builder.load(facing);
    for (front, back) in &pairs {
        let target = builder.pointer(front);
        let accept = builder.load(target);
        let back = builder.pointer(back);
        let reject = builder.load(back);
        let color = builder.select(condition, accept, reject);
        builder.store(target, color);
    }
    builder.call(stage.main, Vec::new());
    let main = builder.finish();
    stage.main = stage.module.functions.append(main, Span::UNDEFINED);
    Some(stage)
}

/// The global that is true for front faces, which is added if the stage does not have it.
fn facing(stage: &mut StageModule) -> Handle<GlobalVariable> {
    let known = stage.builtins.iter().find(|input| input.builtin == BuiltIn::FrontFacing);
    if let Some(known) = known {
        return known.global;
    }
    let ty = insert_type(&mut stage.module, TypeInner::Scalar(Scalar::BOOL));
    let global = add_private(&mut stage.module, Some("front_facing".to_owned()), ty);
    let builtin = BuiltIn::FrontFacing;
    stage.builtins.push(BuiltinVariable {
        builtin,
        global,
        direction: Direction::Input,
        is_written: false,
    });
    global
}

/// Name of the array of texture coordinates of the compatibility profile.
pub(crate) const TEX_COORD: &str = "gl_TexCoord";
