//! The interfaces between the stages of a program: which output of one stage each input of the next one reads.
//!
//! The values of the interface to the fragment stage pass the rasteriser, in slots ([`crate::place::varying`]). Those of the
//! interfaces before it cross in a buffer, from one compute stage to the next ([`buffer`]).

pub(crate) mod separable;

pub(crate) mod buffer;
pub(crate) mod labelled;
pub(crate) mod part;

use crate::match_up::{self, LinkRules, Matching};
use crate::stages::ProgramStages;
use crate::{LinkError, LinkOptions};
use ir::interface::Variable;
use ir::linkage_table::LinkageTable;
use ir::stage_module::StageModule;

use part::only;

/// A matched interface between two stages of a program, given by their indices.
#[derive(Clone, Debug)]
pub(crate) struct Interface {
    /// The stage that writes.
    pub(crate) producer: usize,
    /// The stage that reads.
    pub(crate) consumer: usize,
    /// The varyings of each vertex.
    pub(crate) vertex: Varyings,
    /// The variables of each patch, from a control stage to an evaluation stage.
    pub(crate) patch: Option<Varyings>,
}

/// Matched outputs and inputs.
#[derive(Clone, Debug)]
pub(crate) struct Varyings {
    /// Matched outputs and inputs.
    pub(crate) matching: Matching,
    /// Names of inputs that are undefined because the interfaces of separable stages do not match.
    pub(crate) mismatches: Vec<String>,
}

impl Interface {
    /// Matches the drawn vertex stage with the fragment stage; `None` without a fragment stage.
    ///
    /// # Errors
    /// The stages do not match.
    pub(crate) fn to_fragment(
        stages: &ProgramStages<'_>,
        options: &LinkOptions,
    ) -> Result<Option<Self>, LinkError> {
        let Some((vertex, fragment)) = stages.pair() else { return Ok(None) };
        match_up::check_builtins(vertex, fragment).map_err(LinkError::Refused)?;
        // Messages name the stage of the case, even if another one passes its outputs on.
        let rules = rules_of(stages.last_before_raster(), fragment, options);
        let linkage = &options.labels.linkage;
        let vertex = if options.labels.is_separable {
            let inputs = linkage.seen_from_outputs(&fragment.inputs);
            separable::exact::check(&vertex.outputs, &inputs, rules).map_err(LinkError::Refused)?;
            let (matching, mismatches) = separable::match_up(&vertex.outputs, &inputs, rules);
            Varyings { matching, mismatches }
        } else {
            let matching = match_up::match_up(&vertex.outputs, &fragment.inputs, linkage, rules)
                .map_err(LinkError::Refused)?;
            Varyings { matching, mismatches: Vec::new() }
        };
        let producer = stages.drawn();
        Ok(Some(Self { producer, consumer: producer + 1, vertex, patch: None }))
    }

    /// Matches the stage before stage `consumer` with it, where their values cross in a buffer.
    ///
    /// # Errors
    /// The stages do not match.
    pub(crate) fn in_buffer(
        stages: &ProgramStages<'_>,
        consumer: usize,
        options: &LinkOptions,
    ) -> Result<Self, LinkError> {
        let producer = consumer - 1;
        let [from, to] = [producer, consumer].map(|idx| &*stages.before()[idx]);
        if !options.labels.is_separable {
            part::check_patches(from, to)?;
        }
        let rules = rules_of(from, to, options);
        let varyings = |is_patch| -> Result<Varyings, LinkError> {
            let outputs = only(&from.outputs, is_patch, "output");
            let inputs = only(&to.inputs, is_patch, "input");
            if options.labels.is_separable {
                separable::exact::check(&outputs, &inputs, rules).map_err(LinkError::Refused)?;
                let is_whole = labelled::is_whole(from, to, rules);
                let (matching, mismatches) =
                    separable::match_part(&outputs, &inputs, rules, is_whole);
                return Ok(Varyings { matching, mismatches });
            }
            let matching = match_up::match_up(&outputs, &inputs, &LinkageTable::default(), rules)
                .map_err(LinkError::Refused)?;
            Ok(Varyings { matching, mismatches: Vec::new() })
        };
        let vertex = varyings(false)?;
        let patch = part::has_patches(from).then(|| varyings(true)).transpose()?;
        Ok(Self { producer, consumer, vertex, patch })
    }

    /// True for each output of the producer that crosses in a buffer, and for its built-in ones.
    pub(crate) fn live_outputs(&self, producer: &StageModule) -> Vec<bool> {
        let patch = self.patch.iter().flat_map(|patch| &patch.matching.pairs);
        let pairs = self.vertex.matching.pairs.iter().chain(patch);
        let crossing: Vec<usize> = pairs.map(|pair| pair.output).collect();
        let is_live = |(idx, output): (usize, &Variable)| {
            crossing.contains(&idx) || output.is_used && output.name.starts_with("gl_")
        };
        producer.outputs.iter().enumerate().map(is_live).collect()
    }
}

/// The rules for matching two stages of the case.
fn rules_of(producer: &StageModule, consumer: &StageModule, options: &LinkOptions) -> LinkRules {
    let has_labels = options.labels.are_used();
    LinkRules { has_labels, ..LinkRules::of(producer, consumer, options) }
}
