//! Routes of the scalars of varyings.

use std::fmt;

use crate::match_up::Matching;
use crate::pack::{PackingClass, Position, Slots};
use crate::place::optimise::UniformScalar;
use crate::table::shell::ClipDistances;
use ir::interface::{ScalarKind, Type, Variable};
use ir::options::{PackStep, RemovalReason};
use ir::stage_module::StageModule;

/// Routes of all varyings of a pair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Routing {
    /// For every pair, the route of every scalar in leaf order.
    pub routes: Vec<Vec<Route>>,
    /// The class of every slot in use.
    pub classes: Slots<PackingClass>,
    /// The carrier of every slot in use.
    pub carriers: Slots<Carrier>,
    /// Steps by which the linker packed more tightly than asked.
    pub steps: Vec<PackStep>,
}

/// The route of one scalar of a varying to the consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// The scalar is passed in a component of a slot.
    Slot {
        /// The component.
        at: Position,
        /// True if the scalar is multiplied by w in the vertex stage, and divided by w in the fragment stage.
        is_over_w: bool,
        /// True if another scalar writes the same value to the component.
        is_duplicate: bool,
        /// True if any interpolation is correct, because the scalar is the same at all vertices of a primitive.
        is_convergent: bool,
    },
    /// The consumer uses a constant with these bits.
    Constant(u32),
    /// The consumer loads the scalar from a uniform.
    Uniform(UniformScalar),
    /// The scalar is not read.
    Dead,
}

impl Route {
    /// The reason why the scalar is in no slot; `None` if it is in a slot.
    pub const fn removal(self) -> Option<RemovalReason> {
        match self {
            Self::Slot { is_duplicate: false, .. } => None,
            Self::Slot { is_duplicate: true, .. } => Some(RemovalReason::Duplicate),
            Self::Constant(_) => Some(RemovalReason::Constant),
            Self::Uniform(_) => Some(RemovalReason::Uniform),
            Self::Dead => Some(RemovalReason::Dead),
        }
    }
}

/// A pair of stages whose varyings are placed.
#[derive(Clone, Copy, Debug)]
pub struct PairOfStages<'a> {
    /// The stage that writes.
    pub producer: &'a StageModule,
    /// The stage that reads.
    pub consumer: &'a StageModule,
    /// Outputs matched with inputs.
    pub matching: &'a Matching,
    /// The clip distances that the vertex stage writes, which use inter-stage variables too.
    pub clip: Option<&'a ClipDistances>,
}

impl<'a> PairOfStages<'a> {
    /// The consumer's variables, in the order of the pairs.
    pub fn inputs(self) -> Vec<&'a Variable> {
        self.matching.pairs.iter().map(|pair| &self.consumer.inputs[pair.input]).collect()
    }
}

/// Type of the vector in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carrier {
    /// Base type of the vector.
    pub kind: ScalarKind,
    /// Number of components of the vector, 1 to 4.
    pub width: u8,
}

/// Prints the GLSL name, such as `vec3` or `uint`.
impl fmt::Display for Carrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Type::scalar_or_vector(self.width, self.kind))
    }
}
