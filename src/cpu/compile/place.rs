//! Places of variables.

use std::collections::BTreeMap;

use naga::{Block, Expression, Function, GlobalVariable, Handle, Statement};

use super::words::Layout;
use crate::code::{Address, Register, Shared};

/// Memory or registers that contain a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Registers(Register),
    Memory(Shared),
}

/// The place that a pointer refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place<'a> {
    pub(super) base: Base,
    /// Constant part of the offset, in words.
    pub(super) offset: u32,
    /// Register with a further offset, added to the constant one.
    pub(super) index: Option<Register>,
    pub(super) layout: Layout<'a>,
    /// True if the registers never change after this point.
    pub(super) is_fixed: bool,
    /// True if the content never changes while the stage runs.
    pub(super) is_uniform: bool,
}

impl<'a> Place<'a> {
    pub(super) const fn registers(at: Register) -> Self {
        Self {
            base: Base::Registers(at),
            offset: 0,
            index: None,
            layout: Layout::Packed,
            is_fixed: false,
            is_uniform: false,
        }
    }

    pub(super) fn workgroup(offset: usize) -> Self {
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        Self { base: Base::Memory(Shared::Workgroup), offset, ..Self::registers(0) }
    }

    /// The place of a whole buffer.
    pub(super) fn buffer(resource: usize, is_uniform: bool, layout: Layout<'a>) -> Self {
        let base = Base::Memory(Shared::Buffer(resource));
        Self { base, layout, is_uniform, ..Self::registers(0) }
    }

    /// First register of the place, if it is in registers that are known.
    pub(super) const fn register(&self) -> Option<Register> {
        match (self.base, self.index) {
            (Base::Registers(at), None) => Some(at + self.offset as usize),
            _ => None,
        }
    }

    /// Address of the place in shared memory.
    pub(super) const fn address(&self) -> Option<Address> {
        match self.base {
            Base::Registers(_) => None,
            Base::Memory(memory) => {
                let is_halves = matches!(self.layout, Layout::Halves);
                let (offset, index) = (self.offset, self.index);
                Some(Address { memory, offset, index, is_halves, is_atomic: false })
            }
        }
    }

    pub(super) fn at(self, offset: u32) -> Self {
        Self { offset: self.offset.saturating_add(offset), ..self }
    }
}

/// Counts the statements that may write each global variable. A call with a pointer argument counts as two.
pub(super) fn count_writes(
    function: &Function,
    block: &Block,
    writes: &mut BTreeMap<Handle<GlobalVariable>, usize>,
) {
    let count = |writes: &mut BTreeMap<_, usize>, pointer: Handle<Expression>, number: usize| {
        if let Some(variable) = root(function, pointer) {
            *writes.entry(variable).or_default() += number;
        }
    };
    for statement in block {
        match statement {
            Statement::Store { pointer, .. } | Statement::Atomic { pointer, .. } => {
                count(writes, *pointer, 1);
            }
            Statement::Call { arguments, .. } => {
                for argument in arguments {
                    count(writes, *argument, 2);
                }
            }
            Statement::Block(block) => count_writes(function, block, writes),
            Statement::If { accept, reject, .. } => {
                count_writes(function, accept, writes);
                count_writes(function, reject, writes);
            }
            Statement::Switch { cases, .. } => {
                for case in cases {
                    count_writes(function, &case.body, writes);
                }
            }
            Statement::Loop { body, continuing, .. } => {
                count_writes(function, body, writes);
                count_writes(function, continuing, writes);
            }
            _ => {}
        }
    }
}

/// The global variable that a pointer points into.
fn root(function: &Function, mut pointer: Handle<Expression>) -> Option<Handle<GlobalVariable>> {
    loop {
        match function.expressions[pointer] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
                pointer = base;
            }
            Expression::GlobalVariable(variable) => return Some(variable),
            _ => return None,
        }
    }
}
