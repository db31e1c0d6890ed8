//! The fourth phase of [`link`](crate::link()): modules with entry points around the users' code.

use naga::Module;

use crate::labelling::LabelledPair;
use crate::packed::Packed;
use crate::wrap;

/// Wrapped stages.
#[derive(Debug)]
pub(crate) struct Wrapped<'a> {
    /// The packed program.
    pub(crate) packed: Packed<'a>,
    /// The modules, in the order of the stages. Where slots are labels, they name labels.
    pub(crate) modules: Vec<Module>,
    /// Index of the relocatable object of each module that other pairs of the session may share.
    pub(crate) objects: Vec<Option<usize>>,
}

impl<'a> Wrapped<'a> {
    /// Wraps the stages, or takes the modules of an earlier pair.
    pub(crate) fn new(packed: Packed<'a>, labelled: Option<&mut LabelledPair<'_>>) -> Self {
        let stages = &packed.lowered().stages;
        let all = stages.all();
        let shells = &packed.shells;
        let Some(LabelledPair { labelling, numbers }) = labelled else {
            let modules = all.iter().zip(shells).map(|(stage, shell)| wrap::wrap(stage, shell));
            let objects = vec![None; all.len()];
            let modules = modules.collect();
            return Self { packed, modules, objects };
        };
        // A stage that a pass has changed for this pair is no other pair's.
        let is_shared = labelling.labels.is_some();
        let numbers = stages.are_unchanged().into_iter().zip(*numbers);
        let numbers = numbers.map(|(is_own, number)| (is_own && is_shared).then_some(number));
        let wrapped = all.iter().zip(shells).zip(numbers);
        let wrapped = wrapped
            .map(|((stage, shell), number)| labelling.relocator.wrapped(number, stage, shell));
        let (objects, modules) = wrapped.unzip();
        Self { packed, modules, objects }
    }
}
