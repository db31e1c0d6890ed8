//! Built-in variables between the stages that run before the drawn vertex stage.

use std::borrow::Cow;

use naga::BuiltIn;

use crate::lower::clip_distance::distances_of;
use crate::table::front::place_of;
use crate::table::shell::ResultWire;
use ir::interface::{Interpolation, Place, ScalarKind, Type, Variable};
use ir::stage_module::{Direction, StageModule};

/// The built-in outputs of a vertex stage that have a separate global.
const NAMES: [&str; 4] = ["gl_Position", "gl_PointSize", "gl_ClipDistance", "gl_CullDistance"];

/// True for an input of the geometry stage that is passed as a built-in.
pub(crate) fn is_built_in(input: &Variable) -> bool {
    NAMES.contains(&input.name.as_str())
}

/// A copy of an input of the geometry stage for matching, in which an input that is passed as a built-in counts as
/// unused.
pub(crate) fn hidden(input: &Variable) -> Variable {
    let is_built_in = is_built_in(input);
    Variable {
        is_used: input.is_used && !is_built_in,
        is_statically_used: input.is_statically_used && !is_built_in,
        ..input.clone()
    }
}

/// The wires of the built-in inputs that the consumer uses, from word `first` on: first those that the producer writes,
/// then the same words as the consumer reads them.
pub(crate) fn wires(
    producer: &StageModule,
    consumer: &StageModule,
    first: u32,
) -> (Vec<ResultWire>, Vec<ResultWire>) {
    let (mut written, mut read) = (Vec::new(), Vec::new());
    let mut word = first;
    for input in consumer.inputs.iter().filter(|input| input.is_used) {
        let (Some(place), Some((from, length))) = (&input.place, source(producer, &input.name))
        else {
            continue;
        };
        for leaf in input.ty.leaves() {
            if leaf.path.first().is_some_and(|idx| length.is_none_or(|length| *idx >= length)) {
                continue;
            }
            let (scalar, size) = (ScalarKind::F32, leaf.size);
            let path = [from.path.as_slice(), &leaf.path].concat();
            let from = Place { global: from.global, path };
            word = place_of(word, u32::from(size));
            written.push(ResultWire { place: from, scalar, size, word });
            let path = [place.path.as_slice(), &leaf.path].concat();
            let to = Place { global: place.global, path };
            read.push(ResultWire { place: to, scalar, size, word });
            word += u32::from(size);
        }
    }
    (written, read)
}

/// The place of a built-in output, and its length if it is an array.
fn source(producer: &StageModule, name: &str) -> Option<(Place, Option<u32>)> {
    if producer.control().is_some() && NAMES.contains(&name) {
        let own = producer.outputs.iter().find(|output| output.name == name && output.is_used)?;
        let length = match own.ty {
            Type::Array { length, .. } => Some(length),
            Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } | Type::Struct(_) => None,
        };
        return Some((own.place.clone()?, length));
    }
    let array = |kind| {
        distances_of(producer, kind).map(|(global, length)| (Place::whole(global), Some(length)))
    };
    let plain = |is_it: fn(BuiltIn) -> bool| {
        let is_own = |known: &&ir::stage_module::BuiltinVariable| {
            known.direction == Direction::Output && is_it(known.builtin)
        };
        producer.builtins.iter().find(is_own).map(|known| (Place::whole(known.global), None))
    };
    match name {
        "gl_Position" => plain(|kind| matches!(kind, BuiltIn::Position { .. })),
        "gl_PointSize" => plain(|kind| kind == BuiltIn::PointSize),
        "gl_ClipDistance" => array(BuiltIn::ClipDistances),
        "gl_CullDistance" => array(BuiltIn::CullDistance),
        _ => None,
    }
}

/// Makes `gl_PrimitiveID` of the fragment stage an ordinary input, which the stage before it writes. Returns false if
/// the fragment stage does not read it.
pub(crate) fn pass_to_fragment_stage(fragment: &mut Cow<'_, StageModule>) -> bool {
    let known = fragment.builtins.iter().find(|input| input.builtin == BuiltIn::PrimitiveIndex);
    let Some(global) = known.map(|input| input.global) else { return false };
    let fragment = fragment.to_mut();
    fragment.builtins.retain(|input| input.builtin != BuiltIn::PrimitiveIndex);
    fragment.inputs.push(Variable {
        interpolation: Interpolation::Flat,
        place: Some(Place::whole(global)),
        ..Variable::new(PRIMITIVE_ID, Type::Scalar(ScalarKind::U32))
    });
    true
}

/// Name of the number of the primitive, which is written as an `int` and read as the same bits.
pub(crate) const PRIMITIVE_ID: &str = "gl_PrimitiveID";
