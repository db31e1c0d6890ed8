//! Computes static facts about the scalars of varyings before they are placed.
//!
//! The producer's code is evaluated on value numbers (see [`evaluate`]). Two outputs with equal numbers are always
//! equal, and the definition of a number shows whether it is a constant, a uniform, or the same at all vertices of a
//! primitive. The consumer's code is searched for the components that it reads (see [`reads`]). Both are conservative.

pub(crate) mod evaluate;
pub(crate) mod value;

use std::collections::BTreeSet;
use std::iter::repeat_n;

use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use crate::match_up::Matching;
use crate::table::facts::{reads, shape};
use ir::interface::{Place, ScalarKind, Type};
use ir::stage_module::{ResourceKind, ResourceVariable, StageModule, UniformKind, UniformVariable};

use value::{Node, ValueId};

/// Facts about the matched varyings: for every pair, word by word. For variables with 64-bit scalars only the scalars
/// that are read are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The values that the producer writes.
    pub written: Vec<Vec<Written>>,
    /// True for scalars that the consumer reads.
    pub read: Vec<Vec<bool>>,
}

/// Facts about one scalar of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// Value number, equal for scalars that are always equal; `None` if nothing is known.
    pub value: Option<ValueId>,
    /// The bits of the scalar, if it is constant.
    pub constant: Option<u32>,
    /// The uniform whose value the scalar always has.
    pub uniform: Option<UniformScalar>,
    /// True if the scalar is known to be the same at all vertices of a primitive.
    pub is_convergent: bool,
}

/// A scalar in a uniform of the producer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UniformScalar {
    /// Index in the stage's list of uniforms.
    pub uniform: usize,
    /// Index of the scalar in the uniform, in leaf order.
    pub scalar: usize,
}

/// WebGPU's default limit on uniform buffers per stage.
const MAX_UNIFORM_BUFFERS: usize = 12;

const NOTHING: Written =
    Written { value: None, constant: None, uniform: None, is_convergent: false };

/// Analyses both stages.
pub(crate) fn analyse(vertex: &StageModule, fragment: &StageModule, matching: &Matching) -> Facts {
    Facts { written: written(vertex, fragment, matching), read: read(fragment, matching) }
}

fn written(vertex: &StageModule, fragment: &StageModule, matching: &Matching) -> Vec<Vec<Written>> {
    let outcome = types_of(vertex).and_then(|info| evaluate::run(vertex, &info));
    let mut buffers = UniformBuffers::of(fragment);
    let mut of_pair = |output: usize| {
        let output = &vertex.outputs[output];
        let count = output.ty.component_count() as usize;
        let unknown = vec![NOTHING; count];
        if output.ty.has_64_bit() {
            return unknown;
        }
        let (Some(outcome), Some(place)) = (&outcome, &output.place) else { return unknown };
        let scalars = outcome.at(&vertex.module, place).filter(|scalars| scalars.len() == count);
        let Some(scalars) = scalars else { return unknown };
        let facts = scalars.into_iter().map(|id| {
            let mut facts = facts_of(vertex, outcome, id);
            facts.uniform =
                facts.uniform.filter(|known| buffers.admit(&vertex.uniforms[known.uniform]));
            facts
        });
        facts.collect()
    };
    matching.pairs.iter().map(|pair| of_pair(pair.output)).collect()
}

fn facts_of(vertex: &StageModule, outcome: &evaluate::Outcome, id: ValueId) -> Written {
    let (constant, uniform) = match outcome.values.node(id) {
        Node::Constant(bits) => (Some(*bits), None),
        Node::Given { global, scalar, .. } => (None, uniform_at(vertex, *global, *scalar)),
        Node::Operation { .. } | Node::Choice { .. } | Node::Exit { .. } | Node::Unknown(_) => {
            (None, None)
        }
    };
    let is_convergent = outcome.values.is_convergent(id);
    Written { value: Some(id), constant, uniform, is_convergent }
}

/// The uniform buffers of the consumer, both present and added ones.
struct UniformBuffers {
    /// Names of the buffers in the linker's layout. The buffer of a stage's loose uniforms has no name.
    named: BTreeSet<String>,
    /// Number of buffers whose layout the stage itself determines.
    natural: usize,
}

impl UniformBuffers {
    fn of(fragment: &StageModule) -> Self {
        let used = fragment.uniforms.iter().filter(|uniform| uniform.is_used);
        let is_buffer = |resource: &&ResourceVariable| resource.kind == ResourceKind::UniformBuffer;
        Self {
            named: used.map(Self::name).collect(),
            natural: fragment.resources.iter().filter(is_buffer).count(),
        }
    }

    /// Adds the uniform's buffer unless the stage has it. Returns false if the limit is reached.
    fn admit(&mut self, uniform: &UniformVariable) -> bool {
        let name = Self::name(uniform);
        let has_room = self.named.len() + self.natural < MAX_UNIFORM_BUFFERS;
        let is_admitted = has_room || self.named.contains(&name);
        if is_admitted {
            self.named.insert(name);
        }
        is_admitted
    }

    fn name(uniform: &UniformVariable) -> String {
        match uniform.kind {
            UniformKind::Loose { .. } | UniformKind::Subroutine { .. } => String::new(),
            UniformKind::Block { .. } => uniform.name.clone(),
        }
    }
}

/// The uniform that the prolog loads into a scalar of a private global.
fn uniform_at(
    vertex: &StageModule,
    global: naga::Handle<naga::GlobalVariable>,
    scalar: usize,
) -> Option<UniformScalar> {
    vertex.uniforms.iter().enumerate().find_map(|(idx, uniform)| {
        if uniform.place.global != global {
            return None;
        }
        let ty = vertex.module.global_variables[global].ty;
        let (start, count) = shape::part_at(&vertex.module, ty, &uniform.place.path)?;
        let is_inside = (start..start + count).contains(&scalar)
            && count == uniform.ty.component_count() as usize;
        is_inside.then(|| UniformScalar { uniform: idx, scalar: scalar - start })
    })
}

fn read(fragment: &StageModule, matching: &Matching) -> Vec<Vec<bool>> {
    let reads = types_of(fragment).map(|info| reads::Reads::of(&fragment.module, &info));
    let of_pair = |input: usize| {
        let input = &fragment.inputs[input];
        let count = input.ty.component_count() as usize;
        match (&reads, &input.place) {
            (Some(reads), Some(place)) if input.ty.has_64_bit() => {
                wide_reads(reads, &fragment.module, place, &input.ty)
            }
            (Some(reads), Some(place)) => reads.at(&fragment.module, place, count),
            _ => vec![true; count],
        }
    };
    matching.pairs.iter().map(|pair| of_pair(pair.input)).collect()
}

/// The words that are read of an input with 64-bit scalars. Of each scalar either both words are read or none. The
/// module may hold the scalars as pairs of words.
fn wide_reads(reads: &reads::Reads, module: &naga::Module, place: &Place, ty: &Type) -> Vec<bool> {
    let kinds: Vec<ScalarKind> = ty.scalars().collect();
    let words = ty.component_count() as usize;
    let root = module.global_variables[place.global].ty;
    let count = shape::part_at(module, root, &place.path).map_or(0, |(_, count)| count);
    if count == kinds.len() {
        let scalars = reads.at(module, place, count).into_iter().zip(kinds);
        return scalars
            .flat_map(|(read, kind)| repeat_n(read, kind.components() as usize))
            .collect();
    }
    let mut parts = reads.at(module, place, words).into_iter();
    let each = kinds.into_iter().flat_map(|kind| {
        let count = kind.components() as usize;
        let is_read = parts.by_ref().take(count).fold(false, |any, part| any | part);
        repeat_n(is_read, count)
    });
    each.collect()
}

/// naga's analysis of the stage's module, with the types of all expressions.
fn types_of(stage: &StageModule) -> Option<ModuleInfo> {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(&stage.module).ok()
}
