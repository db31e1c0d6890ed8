//! The sixth phase of [`link`](crate::link()): where slots are labels, modules that name locations instead.

use std::collections::BTreeSet;

use naga::Module;
use naga::valid::ModuleInfo;

use crate::LinkError;
use crate::bound::Bound;
use crate::budget::Budget;
use crate::labelling::LabelledPair;
use crate::packed::Packed;
use crate::relocate::{Placement, RelocatableStage, RelocationError};
use crate::resource::Resources;
use crate::shell::Slot;
use ir::diagnostic::Diagnostic;
use ir::semantic::{Semantic, SemanticName};
use ir::source::Span;

/// Stages with locations.
#[derive(Debug)]
pub(crate) struct Placed<'a> {
    /// The packed program.
    pub(crate) packed: Packed<'a>,
    /// The final modules, in the order of the stages.
    pub(crate) modules: Vec<Module>,
    /// As in [`Bound`].
    pub(crate) infos: Vec<ModuleInfo>,
    /// As in [`Bound`].
    pub(crate) resources: Resources,
    /// As in [`Bound`].
    pub(crate) needs_capabilities: bool,
}

impl<'a> Placed<'a> {
    /// Turns labels into locations, in a session whose slots are labels; otherwise there are none.
    ///
    /// # Errors
    /// The profile does not allow the labels, or there are too few locations.
    pub(crate) fn new(
        bound: Bound<'a>,
        labelled: Option<LabelledPair<'_>>,
    ) -> Result<Self, LinkError> {
        let Bound { mut packed, mut modules, objects, infos, resources, needs_capabilities } =
            bound;
        if let (Some(labelled), [vertex, fragment, ..]) = (labelled, &mut *modules) {
            let placement = place(&packed, labelled, &objects, [vertex, fragment])?;
            packed.map.placement = Some(placement);
        }
        Ok(Self { packed, modules, infos, resources, needs_capabilities })
    }
}

fn place(
    packed: &Packed<'_>,
    LabelledPair { labelling, .. }: LabelledPair<'_>,
    objects: &[Option<usize>],
    [vertex, fragment]: [&mut Module; 2],
) -> Result<Placement, LinkError> {
    let (options, shells) = (&packed.lowered().options, &packed.shells);
    let pair = packed.matched.pair().expect("labels are given to pairs");
    // Attributes and targets have no class.
    let labels = |slots: &[Slot]| -> BTreeSet<u32> {
        slots.iter().filter(|slot| slot.class.is_some()).map(|slot| slot.location).collect()
    };
    let (written, read) = (labels(&shells[0].outputs), labels(&shells[1].inputs));
    let span = pair.inputs().last().and_then(|input| input.span);
    let over = [
        over_limit("vertex", options.labels.generics.vertex, &written),
        over_limit("fragment", options.labels.generics.fragment, &read),
    ];
    let over: Vec<String> = over.into_iter().flatten().collect();
    if !over.is_empty() {
        return Err(LinkError::Refused(errors(span, over)));
    }
    let budget = Budget::of(pair, options);
    let available = u32::try_from(budget.locations()).unwrap_or(u32::MAX);
    let producer = RelocatableStage { object: objects[0], module: vertex, labels: written };
    let consumer = RelocatableStage { object: objects[1], module: fragment, labels: read };
    let placement = labelling
        .relocator
        .relocate(producer, consumer, &packed.undefined, available)
        .map_err(|misfit| match misfit {
            RelocationError::Semantics(messages) => LinkError::Refused(errors(span, messages)),
            RelocationError::Profile(messages) => LinkError::Forbidden(errors(span, messages)),
            RelocationError::Locations(message) => budget.error(Diagnostic::error(span, message)),
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

/// The error for a stage that uses a `GENERIC` label beyond the case's limit, in words.
fn over_limit(stage: &str, limit: Option<u32>, labels: &BTreeSet<u32>) -> Option<String> {
    let limit = limit?;
    let semantics = labels.iter().map(|key| Semantic::of_key(*key));
    let generics = semantics.filter(|semantic| semantic.name == SemanticName::Generic);
    let highest = generics.max_by_key(|semantic| semantic.index)?;
    (highest.index >= limit).then(|| {
        format!("the {stage} stage uses `{highest}`, but the case allows it only {limit} labels")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With 32 labels the last is `GENERIC[31]`.
    #[test]
    fn the_limit_of_labels_is_their_number() {
        let generic = |index| Semantic { name: SemanticName::Generic, index }.key();
        let told = |index| over_limit("vertex", Some(32), &[generic(0), generic(index)].into());
        assert_eq!(told(31), None);
        assert!(told(32).is_some_and(|message| message.contains("GENERIC[32]")));
        assert_eq!(over_limit("vertex", None, &[generic(99)].into()), None);
    }
}
