//! The record of an emitted vertex: its live outputs as words.

use crate::table::front::{ELEMENT_WORDS, place_of};
use crate::table::shell::ResultWire;
use ir::interface::{Place, ScalarKind, Type};
use ir::stage_module::{Direction, StageModule};

/// The scalars and vectors of a record, with their words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    /// The parts of the geometry stage's outputs that are in the record.
    pub(crate) wires: Vec<ResultWire>,
    /// Number of words in the record, a multiple of four.
    pub(crate) stride: u32,
    /// Number of vertex streams that count: one more than the last stream with a live output.
    pub(crate) streams: u32,
}

impl Record {
    /// The record of a stage, with the outputs that are `live` and the built-in outputs that it writes.
    pub(crate) fn of(geometry: &StageModule, live: &[bool]) -> Self {
        let mut record = Self { streams: streams(geometry, live), ..Self::default() };
        for (output, _) in geometry.outputs.iter().zip(live).filter(|(_, is_live)| **is_live) {
            if let Some(place) = &output.place {
                record.add(place, &output.ty);
            }
        }
        let own = geometry.builtins.iter().filter(|output| output.direction == Direction::Output);
        for output in own {
            let ty = geometry.module.global_variables[output.global].ty;
            if let Some(ty) = type_of(&geometry.module, ty) {
                record.add(&Place::whole(output.global), &ty);
            }
        }
        record.stride = record.stride.max(1).next_multiple_of(ELEMENT_WORDS);
        record
    }

    fn add(&mut self, place: &Place, ty: &Type) {
        for leaf in ty.leaves() {
            let path = [place.path.as_slice(), &leaf.path].concat();
            let place = Place { global: place.global, path };
            let (scalar, size) = (leaf.scalar, leaf.size);
            let words = u32::from(size) * scalar.components();
            let word = place_of(self.stride, words);
            self.wires.push(ResultWire { place, scalar, size, word });
            self.stride = word + words;
        }
    }
}

fn streams(last: &StageModule, live: &[bool]) -> u32 {
    let outputs = last.outputs.iter().zip(live).filter(|(_, is_live)| **is_live);
    outputs.map(|(output, _)| output.stream + 1).max().unwrap_or(1)
}

/// The type of a built-in output: floats, vectors and arrays of them.
fn type_of(module: &naga::Module, ty: naga::Handle<naga::Type>) -> Option<Type> {
    let is_float = module.types[ty].inner == naga::TypeInner::Scalar(naga::Scalar::F32);
    let float = is_float.then_some(Type::Scalar(ScalarKind::F32));
    ir::layout::natural::type_of(module, ty).or(float)
}
