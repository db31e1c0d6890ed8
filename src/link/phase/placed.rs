//! The sixth phase of [`link`](crate::link()): if slots are labels, replaces labels by locations in the modules.

use std::collections::BTreeSet;

use naga::Module;
use naga::valid::ModuleInfo;

use crate::LinkError;
use crate::label::label_limit::{self, UsedLabels};
use crate::label::relocate::{LabelsApart, Placement, RelocatableStage, RelocationError};
use crate::labelling::LabelledPair;
use crate::phase::bound::Bound;
use crate::phase::lowered::Lowered;
use crate::phase::packed::Packed;
use crate::place::budget::Budget;
use crate::place::routing::PairOfStages;
use crate::resource::Resources;
use crate::table::shell::Slot;
use crate::table::word_block::InPlaceBlocks;
use ir::diagnostic::Diagnostic;
use ir::interface::Variable;
use ir::semantic::{Semantic, SemanticName};
use ir::source::Span;

/// The stages of a program, with locations.
#[derive(Debug)]
pub(crate) struct Placed<'a> {
    /// The packed program.
    pub(crate) packed: Packed<'a>,
    /// The final modules, in the order of the stages.
    pub(crate) modules: Vec<Module>,
    /// The variables that emulated stages access in place, as in [`Wrapped`](crate::phase::wrapped::Wrapped).
    pub(crate) in_place: Vec<InPlaceBlocks>,
    /// naga's analysis of each module, as in [`Bound`].
    pub(crate) infos: Vec<ModuleInfo>,
    /// The resources that the modules use, as in [`Bound`].
    pub(crate) resources: Resources,
    /// True if a module needs capabilities that some adapters lack, as in [`Bound`].
    pub(crate) needs_capabilities: bool,
}

impl<'a> Placed<'a> {
    /// Replaces labels by locations, in a session whose slots are labels. In other sessions there are no labels.
    ///
    /// # Errors
    /// The profile does not allow the labels, or there are too few locations.
    pub(crate) fn new(
        bound: Bound<'a>,
        labelled: Option<LabelledPair<'_>>,
    ) -> Result<Self, LinkError> {
        let Bound {
            mut packed,
            mut modules,
            objects,
            in_place,
            infos,
            resources,
            needs_capabilities,
        } = bound;
        let drawn = packed.lowered().stages.drawn();
        if let (Some(labelled), [vertex, fragment]) = (labelled, &mut modules[drawn..]) {
            let placement = place(&packed, labelled, &objects, [vertex, fragment])?;
            packed.map.placement = Some(placement);
        }
        Ok(Self { packed, modules, in_place, infos, resources, needs_capabilities })
    }
}

fn place(
    packed: &Packed<'_>,
    LabelledPair { labelling, .. }: LabelledPair<'_>,
    objects: &[Option<usize>],
    [vertex, fragment]: [&mut Module; 2],
) -> Result<Placement, LinkError> {
    let Lowered { options, stages, .. } = packed.lowered();
    let shells = &packed.shells[stages.drawn()..];
    let pair = packed.matched.pair().expect("labels are given to pairs");
    // The slots of attributes and render targets have no class.
    let labels = |slots: &[Slot]| -> BTreeSet<u32> {
        slots.iter().filter(|slot| slot.class.is_some()).map(|slot| slot.location).collect()
    };
    let (written, read) = (labels(&shells[0].outputs), labels(&shells[1].inputs));
    let span = pair.inputs().last().and_then(|input| input.span);
    // A stage that passes on outputs has the labels of the stage before it.
    let [written, read] = [(stages.last_before_raster(), written), (pair.consumer, read)]
        .map(|(stage, keys)| UsedLabels { stage: stage.stage, keys });
    label_limit::check([&written, &read], options.labels.generics, span)?;
    let unread = unread_back_colors(pair);
    let budget = Budget::of(pair, options);
    let available = u32::try_from(budget.locations()).unwrap_or(u32::MAX);
    let producer = RelocatableStage { object: objects[0], module: vertex, labels: written.keys };
    let consumer = RelocatableStage { object: objects[1], module: fragment, labels: read.keys };
    let apart = LabelsApart { undefined: &packed.undefined, unread: &unread };
    let placement =
        labelling.relocator.relocate(producer, consumer, apart, available).map_err(|misfit| {
            match misfit {
                RelocationError::Semantics(messages) => LinkError::Refused(errors(span, messages)),
                RelocationError::Profile(messages) => LinkError::Forbidden(errors(span, messages)),
                RelocationError::Locations(message) => {
                    budget.error(Diagnostic::error(span, message))
                }
            }
        })?;
    let is_two_sided = placement.two_sided.is_some() && packed.lowered().reads_face;
    match placement.profile.refusal_of_face().filter(|_| is_two_sided) {
        Some(refusal) => Err(LinkError::Forbidden(errors(span, vec![refusal]))),
        None => Ok(placement),
    }
}

fn errors(span: Option<Span>, messages: Vec<String>) -> Vec<Diagnostic> {
    let error = |message| Diagnostic::error(span, message);
    messages.into_iter().map(error).collect()
}

/// Keys of the back colours that the producer writes but that are not passed on because only one side is shown, if the
/// consumer reads the front colour. The profile's rules count them, because the use of BCOLOR must not depend on the
/// state of a draw.
fn unread_back_colors(pair: PairOfStages<'_>) -> BTreeSet<u32> {
    let label = |variable: &Variable| Some(Semantic::of_key(variable.location?));
    let inputs = pair.consumer.inputs.iter().filter(|input| input.is_used);
    let read: Vec<Semantic> = inputs.filter_map(label).collect();
    let front = |back: Semantic| Semantic { name: SemanticName::Color, ..back };
    let written = pair.producer.outputs.iter().filter(|output| output.is_used).filter_map(label);
    let back = written.filter(|semantic| semantic.name == SemanticName::BackColor);
    back.filter(|back| read.contains(&front(*back))).map(Semantic::key).collect()
}
