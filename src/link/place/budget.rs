//! Limits on the slots of varyings, and the other uses of inter-stage variables.
//!
//! WebGPU counts variables on both sides of the interface: on the vertex side one for drawing points and one for every
//! four clip distances, which also use the highest locations; on the fragment side one for each of some built-in
//! inputs. A slot counts as one variable whatever its width.
//!
//! The *promise* to a program is another number: the components of its varyings (`GL_MAX_VARYING_COMPONENTS`, `limit
//! varying_components`), however they are packed. A driver promises fewer components than its slots hold, because
//! classes do not share slots and packing may waste components (Mesa's packing of 2012: 64 components promised, 17
//! slots inside). A program that exceeds the promise does not link, even if it would fit.

use crate::lower::legacy::TEX_COORD;
use crate::options::SlotLimit;
use crate::pack::{PackingClass, SlotMap, Slots, end_of};
use crate::place::routing::{PairOfStages, Route, Routing};
use crate::{LinkError, LinkOptions};
use ir::diagnostic::Diagnostic;
use ir::options::ProgramLimit;
use ir::stage_module::{Direction, StageModule};

/// GL's slots for varyings, as Mesa counts them. A program that needs more does not link anywhere.
pub const GL_SLOTS: u32 = 32;

/// Limits for the varyings of a pair of stages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Limit on inter-stage variables.
    variables: usize,
    /// Variables used by other features on the vertex side: count and reason.
    vertex: Vec<(usize, String)>,
    /// Variables used by other features on the fragment side: count and reason.
    fragment: Vec<(usize, String)>,
    /// Number of locations below the locations of the clip distances.
    locations: usize,
    /// True if slots are labels, whose locations are chosen later.
    is_relabelled: bool,
    slot_limit: SlotLimit,
    /// Number of components of varyings promised to the program, if the case sets it.
    promised: Option<u32>,
}

impl Budget {
    /// The limits of `pair` under `options`.
    pub fn of(pair: PairOfStages<'_>, options: &LinkOptions) -> Self {
        let variables = options.adapter.max_inter_stage_variables as usize;
        let (is_relabelled, slot_limit) = (options.labels.are_used(), options.slot_limit);
        let promised = promised(options);
        if slot_limit == SlotLimit::Gl {
            let (vertex, fragment, locations) = (Vec::new(), Vec::new(), variables);
            return Self {
                variables,
                vertex,
                fragment,
                locations,
                is_relabelled,
                slot_limit,
                promised,
            };
        }
        let mut vertex = Vec::new();
        if options.raster.has_points {
            vertex.push((1, "points are drawn".to_owned()));
        }
        let mut locations = variables;
        if let Some(clip) = pair.clip {
            let vectors = clip.count.div_ceil(4) as usize;
            vertex.push((vectors, format!("{} clip distances", clip.count)));
            locations = locations.saturating_sub(vectors);
        }
        Self {
            variables,
            vertex,
            fragment: counted_builtins(pair.consumer),
            locations,
            is_relabelled,
            slot_limit,
            promised,
        }
    }

    /// The end of the locations for varyings.
    pub const fn locations(&self) -> usize {
        self.locations
    }

    /// True if the placed slots fit.
    pub fn holds(&self, slots: &SlotMap) -> bool {
        self.holds_classes(&slots.classes)
    }

    /// True if slots of these classes fit. A hole between slots does not count as a variable.
    pub(crate) fn holds_classes(&self, slots: &Slots<PackingClass>) -> bool {
        let is_in_reach = self.is_relabelled || end_of(slots) as usize <= self.locations;
        slots.len() <= self.slots() && is_in_reach
    }

    /// The message for slots that do not fit.
    pub fn message(&self, slots: &Slots<PackingClass>) -> String {
        let used = slots.len();
        if used > self.slots() {
            let slots = self.slots();
            let there_are = match self.slot_limit {
                SlotLimit::Case => format!("there are {slots}"),
                SlotLimit::Adapter => format!("the adapter has {slots}"),
                SlotLimit::Guarantee => {
                    format!("a program that draws nothing has {slots} unless `variables` says more")
                }
                SlotLimit::Gl => format!("GL has {slots}"),
            };
            let message = format!("the varyings take {used} slots but {there_are}");
            let promise = |count| format!("{message}, too few for the {count} components promised");
            return self.promised.map_or_else(|| message.clone(), promise);
        }
        format!(
            "a varying is at location {} but the last one is {}",
            end_of(slots).saturating_sub(1),
            self.locations.saturating_sub(1)
        )
    }

    /// Converts `reason`, which is about missing slots, to the kind of error that the origin of the limit requires.
    pub fn error(&self, reason: Diagnostic) -> LinkError {
        match self.slot_limit {
            SlotLimit::Case | SlotLimit::Gl => LinkError::Refused(vec![reason]),
            SlotLimit::Adapter | SlotLimit::Guarantee => LinkError::NoRoom(Box::new(reason)),
        }
    }

    /// Checks that the varyings do not exceed the promised components, however they are packed. The promise is that of
    /// the case, or else GL's 128 components, of which inputs that no stage writes take theirs. Unread elements of
    /// `gl_TexCoord` do not count once they are known.
    ///
    /// # Errors
    /// The varyings have more components than promised.
    pub(crate) fn check_promise(
        &self,
        pair: PairOfStages<'_>,
        routing: Option<&Routing>,
    ) -> Result<(), LinkError> {
        // Varyings that do not fit anyway are reported in slots, unless the case limits components.
        let by_gl = routing.map(|_| GL_SLOTS * 4);
        let Some(promised) = self.promised.or(by_gl) else { return Ok(()) };
        let inputs = pair.inputs();
        let mut count =
            inputs.iter().map(|input| input.ty.component_count()).fold(0, u32::saturating_add);
        for (input, routes) in inputs.iter().zip(routing.iter().flat_map(|routing| &routing.routes))
        {
            let unread = routes.iter().filter(|route| **route == Route::Dead).count();
            if input.name.starts_with(TEX_COORD) {
                count = count.saturating_sub(u32::try_from(unread).unwrap_or(u32::MAX));
            }
        }
        if self.promised.is_none() {
            count = count.saturating_add(unwritten_components(pair));
        }
        if count <= promised {
            return Ok(());
        }
        let unwritten = pair.matching.unwritten.iter().map(|idx| &pair.consumer.inputs[*idx]);
        let span = inputs.into_iter().chain(unwritten).last().and_then(|input| input.span);
        let message =
            format!("the varyings have {count} components; at most {promised} are allowed");
        Err(LinkError::Refused(vec![Diagnostic::error(span, message)]))
    }

    /// The lines of a table that lists the variables and their uses.
    pub fn rows(&self, routing: &Routing) -> Vec<String> {
        let used = routing.classes.len();
        let mut rows = vec![format!("{:>3}  inter-stage variables", self.variables)];
        let losses = self.vertex.iter().chain(&self.fragment);
        rows.extend(losses.map(|(count, what)| format!("{:>3}  {what}", format!("-{count}"))));
        rows.push(format!("{:>3}  slots of varyings", format!("-{used}")));
        if !routing.steps.is_empty() {
            let steps: Vec<String> = routing.steps.iter().map(ToString::to_string).collect();
            rows.push(format!("     after packing more tightly: {}", steps.join(", ")));
        }
        rows
    }

    /// Number of slots left for varyings, considering both sides.
    fn slots(&self) -> usize {
        let left = |losses: &[(usize, String)]| {
            let lost: usize = losses.iter().map(|(count, _)| count).sum();
            self.variables.saturating_sub(lost)
        };
        left(&self.vertex).min(left(&self.fragment))
    }
}

/// Components of the user's inputs that the fragment stage reads and the vertex stage does not write. GL counts them
/// against its limit too (OpenGL 4.6, section 11.1.2.1).
fn unwritten_components(pair: PairOfStages<'_>) -> u32 {
    let unwritten = pair.matching.unwritten.iter().map(|idx| &pair.consumer.inputs[*idx]);
    let own = unwritten.filter(|input| !input.name.starts_with("gl_"));
    own.map(|input| input.ty.component_count()).fold(0, u32::saturating_add)
}

fn promised(options: &LinkOptions) -> Option<u32> {
    let is_it = |(limit, _): &&(ProgramLimit, u32)| *limit == ProgramLimit::VaryingComponents;
    options.rules.limits.iter().find(is_it).map(|(_, most)| *most)
}

/// The built-in inputs of a fragment stage that count as inter-stage variables, one each.
fn counted_builtins(fragment: &StageModule) -> Vec<(usize, String)> {
    let inputs = fragment.builtins.iter().filter(|input| input.direction == Direction::Input);
    inputs.filter_map(|input| Some((1, counted_name(input.builtin)?.to_owned()))).collect()
}

#[expect(clippy::wildcard_enum_match_arm, reason = "all other built-ins are free")]
const fn counted_name(builtin: naga::BuiltIn) -> Option<&'static str> {
    Some(match builtin {
        naga::BuiltIn::FrontFacing => "front_facing",
        naga::BuiltIn::SampleIndex => "sample_index",
        naga::BuiltIn::SampleMask => "sample_mask",
        naga::BuiltIn::PrimitiveIndex => "primitive_index",
        naga::BuiltIn::SubgroupInvocationId => "subgroup_invocation_id",
        naga::BuiltIn::SubgroupSize => "subgroup_size",
        _ => return None,
    })
}
