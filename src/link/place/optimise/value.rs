//! Value numbering of scalars. Equal numbers mean equal values in every run of the stage.

use std::collections::HashMap;

use naga::{GlobalVariable, Handle};

/// Number of a scalar value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ValueId(u32);

/// Definition of a scalar value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// A constant with these bits. Values of different base types with equal bits are equal.
    Constant(u32),
    /// The initial value of a scalar of a global that is never written.
    Given {
        /// The global.
        global: Handle<GlobalVariable>,
        /// Index of the scalar in the global.
        scalar: usize,
        /// True if the value is the same at all vertices of a primitive.
        is_convergent: bool,
    },
    /// A scalar of the result of a pure operation.
    Operation {
        /// The operation with its types, and the index of the scalar in its result.
        tag: String,
        /// The operands of the operation.
        operands: Vec<ValueId>,
    },
    /// One of two values, selected by a condition.
    Choice {
        /// The condition.
        condition: ValueId,
        /// The values if the condition is true, and if it is false.
        values: [ValueId; 2],
    },
    /// The value at the exit that the numbered call took.
    Exit {
        /// Number of the call.
        call: u32,
        /// The value at every exit, in order.
        values: Vec<ValueId>,
    },
    /// A value that differs from all others.
    Unknown(u32),
}

/// All values of a stage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    nodes: Vec<(Node, bool)>,
    ids: HashMap<Node, ValueId>,
    unknown: u32,
}

impl Values {
    /// The number of the value that `node` defines.
    pub(crate) fn number(&mut self, node: Node) -> ValueId {
        if let Some(known) = self.ids.get(&node) {
            return *known;
        }
        let is_convergent = match &node {
            Node::Constant(_) => true,
            Node::Given { is_convergent, .. } => *is_convergent,
            Node::Operation { operands, .. } => operands.iter().all(|id| self.is_convergent(*id)),
            Node::Choice { condition, values } => {
                values.iter().chain([condition]).all(|id| self.is_convergent(*id))
            }
            Node::Exit { .. } | Node::Unknown(_) => false,
        };
        let id = ValueId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push((node.clone(), is_convergent));
        self.ids.insert(node, id);
        id
    }

    /// Adds an unknown value.
    pub(crate) fn unknown(&mut self) -> ValueId {
        self.unknown += 1;
        self.number(Node::Unknown(self.unknown))
    }

    /// The number of a constant.
    pub(crate) fn constant(&mut self, bits: u32) -> ValueId {
        self.number(Node::Constant(bits))
    }

    /// The definition of a value.
    pub(crate) fn node(&self, id: ValueId) -> &Node {
        &self.nodes[id.0 as usize].0
    }

    /// True if the value is known to be the same at all vertices of a primitive.
    pub(crate) fn is_convergent(&self, id: ValueId) -> bool {
        self.nodes[id.0 as usize].1
    }
}
