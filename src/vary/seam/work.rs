//! Moves exact operations from one stage to the other.
//!
//! A variable that is not interpolated has the value of one vertex, so an operation on it gives the same bits in either
//! stage.

mod operation;

use naga::{Expression, GlobalVariable, Handle, Module, Statement};

use ir::builder::add_private;
use ir::interface::{Interpolation, Place, Variable};
use ir::operands::{Operand, of_block};
use ir::stage_module::StageModule;

use crate::copy::{Change, Copy, Done};
use crate::facts::Jumps;
use crate::random::Random;

use super::pair::{Code, Pair, Seam, like};

use operation::{Operation, Plain};

/// Computes some operations of the consumer in the producer.
pub(super) fn to_vertex(seam: &mut Seam, random: &mut Random) {
    let is_kept = |pair: &Pair| {
        let kept = |global| !Uses::of(&seam.consumer.module, global).is_written();
        pair.is_flat() && whole(&pair.input).is_some_and(kept)
    };
    let pairs: Vec<_> = seam.pairs().into_iter().filter(is_kept).collect();
    let mut change = Ahead { pairs: &pairs, moved: Vec::new() };
    let mut next = seam.clone();
    if pairs.is_empty() || copied(&mut next.consumer, &mut change, random).is_none() {
        return;
    }
    let moved = change.moved;
    let is_done =
        next.with_code(|code| moved.iter().try_for_each(|moved| compute_first(code, moved)));
    match is_done {
        Some(()) => *seam = next,
        None => random.places = 0,
    }
}

/// Computes some operations of the producer in the consumer.
pub(super) fn to_fragment(seam: &mut Seam, random: &mut Random) {
    let is_stored = |pair: &Pair| {
        pair.is_flat()
            && whole(&pair.output).is_some_and(|global| is_stored_once(&seam.producer, global))
    };
    let pairs: Vec<_> = seam.pairs().into_iter().filter(is_stored).collect();
    let mut change = Behind { pairs: &pairs, moved: Vec::new() };
    let mut next = seam.clone();
    if pairs.is_empty() || copied(&mut next.producer, &mut change, random).is_none() {
        return;
    }
    let moved = change.moved;
    next.with_code(|code| moved.iter().for_each(|moved| compute_last(code, moved)));
    *seam = next;
}

/// An operation on a pair, or one whose result was a pair.
struct Moved<'a> {
    pair: &'a Pair,
    operation: Operation,
    /// The variable that has the value in the stage without the operation.
    global: Handle<GlobalVariable>,
    /// Type of the value.
    ty: Plain,
}

/// The global of a variable that has it alone.
fn whole(variable: &Variable) -> Option<Handle<GlobalVariable>> {
    let place = variable.place.as_ref()?;
    place.path.is_empty().then_some(place.global)
}

/// Copies the code of a stage with a change. `None` if nothing was altered.
fn copied(stage: &mut StageModule, change: &mut dyn Change, random: &mut Random) -> Option<()> {
    let module = crate::changed_by(&stage.module, None, change, random)?;
    stage.module = module;
    (random.places > 0).then_some(())
}

/// Replaces operations on inputs by inputs.
struct Ahead<'a> {
    pairs: &'a [Pair],
    moved: Vec<Moved<'a>>,
}

impl Change for Ahead<'_> {
    fn expression(
        &mut self,
        copy: &mut Copy<'_>,
        old: Handle<Expression>,
        _new: &Expression,
    ) -> Option<Handle<Expression>> {
        let (operand, operation) = operation::of(copy.old, old)?;
        let Expression::Load { pointer } = copy.old.expressions[operand] else { return None };
        let Expression::GlobalVariable(global) = copy.old.expressions[pointer] else { return None };
        let pair = self.pairs.iter().find(|pair| whole(&pair.input) == Some(global))?;
        let ty = operation.result(Plain::of(copy.inner(operand))?)?;
        if !copy.random.alters() {
            return None;
        }
        let inner = copy.new.insert_type(ty.inner());
        let global = add_private(copy.new.module, None, inner);
        self.moved.push(Moved { pair, operation, global, ty });
        let pointer = copy.new.global(global);
        Some(copy.new.load(pointer))
    }
}

/// Passes the result of an operation on an output. `None` if there is no location for it.
fn compute_first(code: &mut Code<'_>, moved: &Moved<'_>) -> Option<()> {
    let pair = moved.pair;
    let value = code.producer.read(pair.output.place.as_ref()?);
    let value = moved.operation.emit(&mut code.producer, value);
    let inner = code.producer.insert_type(moved.ty.inner());
    let sent = add_private(code.producer.module, None, inner);
    let pointer = code.producer.global(sent);
    code.producer.store(pointer, value);
    let location = match pair.output.location {
        None => None,
        Some(_) => Some(code.free_location(1)?),
    };
    let name = format!("{}/{}", pair.output.name, code.outputs.len());
    let own = |of: &Variable, global| Variable {
        location,
        component: None,
        interpolation: Interpolation::Flat,
        ..like(of, &name, &moved.ty.ty(), Place::whole(global))
    };
    code.outputs.push(own(&pair.output, sent));
    code.inputs.push(own(&pair.input, moved.global));
    Some(())
}

/// Stores operands in the place of results that are outputs.
struct Behind<'a> {
    pairs: &'a [Pair],
    moved: Vec<Moved<'a>>,
}

impl Change for Behind<'_> {
    fn statement(&mut self, copy: &mut Copy<'_>, statement: &Statement) -> Done {
        let Statement::Store { pointer, value } = *statement else { return Done::No };
        let Expression::GlobalVariable(global) = copy.old.expressions[pointer] else {
            return Done::No;
        };
        let pair = self.pairs.iter().find(|pair| whole(&pair.output) == Some(global));
        let (Some(pair), Some((operand, operation))) = (pair, operation::of(copy.old, value))
        else {
            return Done::No;
        };
        let ty = Plain::of(copy.inner(operand)).filter(|ty| operation.result(*ty).is_some());
        let Some(ty) = ty.filter(|_| copy.random.alters()) else { return Done::No };
        let inner = copy.new.insert_type(ty.inner());
        let global = add_private(copy.new.module, None, inner);
        let operand = copy.of(operand);
        let pointer = copy.new.global(global);
        copy.new.store(pointer, operand);
        self.moved.push(Moved { pair, operation, global, ty });
        Done::Replaced
    }
}

/// Computes an input from the operand of the operation.
fn compute_last(code: &mut Code<'_>, moved: &Moved<'_>) {
    let Some(place) = &moved.pair.input.place else { return };
    let inner = code.consumer.insert_type(moved.ty.inner());
    let received = add_private(code.consumer.module, None, inner);
    let pointer = code.consumer.global(received);
    let value = code.consumer.load(pointer);
    let value = moved.operation.emit(&mut code.consumer, value);
    let pointer = code.consumer.pointer(place);
    code.consumer.store(pointer, value);
    let name = format!("{}/operand", moved.pair.output.name);
    let own = |of: &Variable, global| Variable {
        interpolation: Interpolation::Flat,
        ..like(of, &name, &moved.ty.ty(), Place::whole(global))
    };
    let output = own(&moved.pair.output, moved.global);
    let input = own(&moved.pair.input, received);
    code.replace(&[moved.pair], [Pair { output, input }]);
}

/// True if the code stores the variable once, as a whole, whenever it runs, and never reads it.
fn is_stored_once(stage: &StageModule, global: Handle<GlobalVariable>) -> bool {
    let main = &stage.module.functions[stage.main];
    let is_store = |statement: &Statement| {
        let Statement::Store { pointer, .. } = statement else { return false };
        main.expressions[*pointer] == Expression::GlobalVariable(global)
    };
    // A return behind the store does no harm.
    let before = main.body.iter().take_while(|statement| !is_store(statement));
    let before: Vec<_> = before.cloned().collect();
    Uses::of(&stage.module, global) == (Uses { stores: 1, loads: 0, pointers: 0 })
        && before.len() < main.body.len()
        && !Jumps::of(&before).returns
}

/// Number of uses of a global in all functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Uses {
    stores: usize,
    loads: usize,
    /// Pointers that calls and atomic operations get.
    pointers: usize,
}

impl Uses {
    const fn is_written(self) -> bool {
        self.stores > 0 || self.pointers > 0
    }

    fn of(module: &Module, global: Handle<GlobalVariable>) -> Self {
        let mut uses = Self::default();
        for (_, function) in module.functions.iter() {
            let is_into = |handle: Handle<Expression>| {
                let mut at = handle;
                while let Expression::Access { base, .. } | Expression::AccessIndex { base, .. } =
                    function.expressions[at]
                {
                    at = base;
                }
                function.expressions[at] == Expression::GlobalVariable(global)
            };
            for (_, expression) in function.expressions.iter() {
                if let Expression::Load { pointer } = expression {
                    uses.loads += usize::from(is_into(*pointer));
                }
            }
            for operand in of_block(&mut function.body.clone()) {
                match operand {
                    Operand::Stored(pointer) => uses.stores += usize::from(is_into(*pointer)),
                    Operand::Read(value) => uses.pointers += usize::from(is_into(*value)),
                    Operand::Emitted(_) | Operand::Result(_) => {}
                }
            }
        }
        uses
    }
}
