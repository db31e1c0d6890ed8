//! Passes the bits of variables that are not interpolated as another type, in another class of slots.

use ir::builder::add_private;
use ir::interface::{self, Place, ScalarKind, Variable};

use crate::random::Random;

use super::pair::{Code, Pair, Seam, like};

/// Passes some variables as other types.
pub(super) fn change(seam: &mut Seam, random: &mut Random) {
    let pairs = seam.pairs();
    seam.with_code(|code| {
        for pair in pairs.iter().filter(|pair| pair.is_flat()) {
            let (size, from) = match *pair.ty() {
                interface::Type::Scalar(scalar) => (1, scalar),
                interface::Type::Vector { size, scalar } => (size, scalar),
                interface::Type::Matrix { .. }
                | interface::Type::Array { .. }
                | interface::Type::Struct(_) => continue,
            };
            // Bits of integers are no floats that a driver keeps.
            let to = match from {
                ScalarKind::U32 => ScalarKind::I32,
                ScalarKind::F32 if random.coin() => ScalarKind::I32,
                ScalarKind::I32 | ScalarKind::F32 => ScalarKind::U32,
                ScalarKind::F64 | ScalarKind::I64 | ScalarKind::U64 | ScalarKind::Bool => continue,
            };
            if random.alters() {
                pass(code, pair, size, [from, to]);
            }
        }
    });
}

/// Passes a variable of `size` components as another kind.
fn pass(code: &mut Code<'_>, pair: &Pair, size: u8, [from, to]: [ScalarKind; 2]) -> Option<()> {
    let ty = interface::Type::scalar_or_vector(size, to);
    let sent = code.producer.vector_type(usize::from(size), to);
    let sent = Place::whole(add_private(code.producer.module, None, sent));
    let value = code.producer.read(pair.output.place.as_ref()?);
    let value = code.producer.bitcast(value, from, to);
    let pointer = code.producer.pointer(&sent);
    code.producer.store(pointer, value);

    let received = code.consumer.vector_type(usize::from(size), to);
    let received = Place::whole(add_private(code.consumer.module, None, received));
    let value = code.consumer.read(&received);
    let value = code.consumer.bitcast(value, to, from);
    let pointer = code.consumer.pointer(pair.input.place.as_ref()?);
    code.consumer.store(pointer, value);

    let name = format!("{}/bits", pair.output.name);
    let own = |of: &Variable, place| like(of, &name, &ty, place);
    let new = Pair { output: own(&pair.output, sent), input: own(&pair.input, received) };
    code.replace(&[pair], [new]);
    Some(())
}
