//! The fourth phase of [`link`](crate::link()): makes modules with entry points around the users' code.

pub(super) mod emulated;

use naga::Module;

use crate::labelling::LabelledPair;
use crate::phase::packed::Packed;
use crate::table::word_block::InPlaceBlocks;
use crate::wrap;

/// The wrapped stages of a program.
#[derive(Debug)]
pub(crate) struct Wrapped<'a> {
    /// The packed program.
    pub(crate) packed: Packed<'a>,
    /// The modules, in the order of the stages. If slots are labels, the modules name labels.
    pub(crate) modules: Vec<Module>,
    /// The variables that each emulated stage accesses in place, in the order of the stages.
    pub(crate) in_place: Vec<InPlaceBlocks>,
    /// Index of the relocatable object of each drawn module that other pairs of the session may share.
    pub(crate) objects: Vec<Option<usize>>,
}

impl<'a> Wrapped<'a> {
    /// Wraps the stages, or reuses the modules of an earlier pair.
    pub(crate) fn new(packed: Packed<'a>, labelled: Option<&mut LabelledPair<'_>>) -> Self {
        let stages = &packed.lowered().stages;
        let drawn = stages.drawn();
        let all = stages.all();
        let shells = all.iter().zip(&packed.shells).skip(drawn);
        let emulated = emulated::wrap(&packed).into_iter();
        let (mut modules, in_place): (Vec<_>, Vec<_>) =
            emulated.map(|stage| (stage.module, stage.in_place)).unzip();
        let Some(LabelledPair { labelling, numbers }) = labelled else {
            modules.extend(shells.map(|(stage, shell)| wrap::wrap(stage, shell)));
            let objects = vec![None; all.len() - drawn];
            return Self { packed, modules, in_place, objects };
        };
        // A stage that a pass has changed for this pair cannot be shared with other pairs.
        let is_shared = labelling.labels.is_some();
        let numbers = stages.are_unchanged().into_iter().skip(drawn).zip(*numbers);
        let numbers = numbers.map(|(is_own, number)| (is_own && is_shared).then_some(number));
        let wrapped = shells.zip(numbers);
        let wrapped = wrapped
            .map(|((stage, shell), number)| labelling.relocator.wrapped(number, stage, shell));
        let (objects, drawn): (Vec<_>, Vec<_>) = wrapped.unzip();
        modules.extend(drawn);
        Self { packed, modules, in_place, objects }
    }
}
