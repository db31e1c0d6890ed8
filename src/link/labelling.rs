//! State that the pairs of a session share where slots are labels ([`LabelOptions::are_used`]).

use crate::relocate::Relocator;
use crate::separable::{self, Labels};
use crate::{LabelOptions, LinkError};
use ir::semantic::Semantic;
use ir::stage_module::StageModule;

/// Labels and relocatable objects of the stages of a session.
#[derive(Debug)]
pub(crate) struct Labelling {
    /// Gives labels their locations.
    pub(crate) relocator: Relocator,
    /// Labels of all varyings, if the stages are separable.
    pub(crate) labels: Option<Labels>,
}

/// The labelling of a session, and the stages of one of its pairs.
#[derive(Debug)]
pub(crate) struct LabelledPair<'a> {
    /// The labelling.
    pub(crate) labelling: &'a mut Labelling,
    /// Numbers of the two stages in the session.
    pub(crate) numbers: [usize; 2],
}

impl Labelling {
    /// The labelling of these stages; `None` if slots are no labels. Gives varyings the semantics that the case names.
    ///
    /// # Errors
    /// A semantic is not allowed there.
    pub(crate) fn new(
        vertex: &mut [StageModule],
        fragment: &mut [StageModule],
        options: &LabelOptions,
    ) -> Result<Option<Self>, LinkError> {
        if !options.are_used() {
            return Ok(None);
        }
        let all: Vec<&StageModule> = vertex.iter().chain(&*fragment).collect();
        separable::check_labels(&all, options.profile)?;
        let mut all: Vec<&mut StageModule> = vertex.iter_mut().chain(&mut *fragment).collect();
        separable::apply_semantics(&mut all, options)?;
        options.linkage.check(vertex, fragment).map_err(LinkError::Refused)?;
        let varyings = || {
            let outputs = vertex.iter().flat_map(|stage| &stage.outputs);
            let inputs = fragment.iter().flat_map(|stage| &stage.inputs);
            outputs.chain(inputs).filter(|variable| variable.is_used)
        };
        let known = varyings().filter_map(|varying| match varying.location {
            Some(location) => Some(location),
            None => Semantic::of_builtin(&varying.name).map(Semantic::key),
        });
        let relocator = Relocator::new(options, known);
        let labels = options.is_separable.then(|| Labels::of(varyings(), options.linkage.keys()));
        Ok(Some(Self { relocator, labels }))
    }

    /// The labelling for the pair of a vertex and a fragment stage, by their indices.
    pub(crate) const fn pair(&mut self, vertex: usize, fragment: usize) -> LabelledPair<'_> {
        // Vertex stages have even numbers, fragment stages odd ones.
        let numbers = [vertex.saturating_mul(2), fragment.saturating_mul(2).saturating_add(1)];
        LabelledPair { labelling: self, numbers }
    }
}
