//! Limits on `GENERIC` labels: the limits that a case sets for each kind of stage, and the profile's limits between the
//! stages before the fragment stage, where labels get no locations.

use std::collections::BTreeSet;

use crate::{LabelOptions, LinkError};
use ir::diagnostic::Diagnostic;
use ir::options::GenericLimits;
use ir::semantic::{Semantic, SemanticName};
use ir::source::Span;
use ir::stage::ShaderStage;

/// The keys of the labels that a stage uses on one side.
#[derive(Clone, Debug)]
pub(crate) struct UsedLabels {
    /// The stage.
    pub(crate) stage: ShaderStage,
    /// Keys of the labels.
    pub(crate) keys: BTreeSet<u32>,
}

/// Checks the limits of the case on the labels that a producer writes and those that its consumer reads.
///
/// # Errors
/// A stage uses a label beyond its limit.
pub(crate) fn check(
    sides: [&UsedLabels; 2],
    limits: GenericLimits,
    span: Option<Span>,
) -> Result<(), LinkError> {
    let over = sides.into_iter().filter_map(|side| over_limit(side, limits[side.stage]));
    let errors: Vec<_> = over.map(|message| Diagnostic::error(span, message)).collect();
    if errors.is_empty() { Ok(()) } else { Err(LinkError::Refused(errors)) }
}

/// Checks the labels between two stages before the fragment stage against the limits of the case and the profile's
/// rules.
///
/// # Errors
/// A stage uses a label beyond its limit, or one that the profile does not have.
pub(crate) fn check_earlier(
    [written, read]: [&UsedLabels; 2],
    options: &LabelOptions,
    span: Option<Span>,
) -> Result<(), LinkError> {
    let used = written.keys.union(&read.keys).map(|key| Semantic::of_key(*key)).collect();
    let errors = |messages: Vec<String>| {
        messages.into_iter().map(|message| Diagnostic::error(span, message)).collect::<Vec<_>>()
    };
    let impossible = errors(options.profile.impossible(&used));
    if !impossible.is_empty() {
        return Err(LinkError::Refused(impossible));
    }
    check([written, read], options.generics, span)?;
    let refusals = errors(options.profile.earlier_refusals(&used));
    if refusals.is_empty() { Ok(()) } else { Err(LinkError::Forbidden(refusals)) }
}

/// The message for a stage that uses a `GENERIC` label beyond the case's limit.
fn over_limit(UsedLabels { stage, keys }: &UsedLabels, limit: Option<u32>) -> Option<String> {
    let limit = limit?;
    let semantics = keys.iter().map(|key| Semantic::of_key(*key));
    let generics = semantics.filter(|semantic| semantic.name == SemanticName::Generic);
    let highest = generics.max_by_key(|semantic| semantic.index)?;
    let stage = stage.name();
    (highest.index >= limit).then(|| {
        format!("the {stage} stage uses `{highest}`, but the case allows it only {limit} labels")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With 32 labels the last label is `GENERIC[31]`. Other semantics do not count.
    #[test]
    fn the_limit_of_labels_is_their_number() {
        let color = Semantic { name: SemanticName::Color, index: 1 }.key();
        let used = |label| UsedLabels {
            stage: ShaderStage::TessellationControl,
            keys: [0, label, color].into(),
        };
        assert_eq!(over_limit(&used(31), Some(32)), None);
        let message = "the tessellation control stage uses `GENERIC[32]`, but the case allows it only 32 labels";
        assert_eq!(over_limit(&used(32), Some(32)).as_deref(), Some(message));
        assert_eq!(over_limit(&used(99), None), None);
    }
}
