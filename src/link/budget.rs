//! How many slots of varyings fit, and what else takes inter-stage variables.
//!
//! WebGPU counts variables on both sides of the seam: on the vertex side one for drawing points and one for every four
//! clip distances, which also take the highest locations; on the fragment side one for each of some built-in inputs.
//! A slot counts as one variable however wide it is.

use crate::diagnostic::Diagnostic;
use crate::frontend::StageModule;
use crate::frontend::stage_module::Direction;
use crate::link::pack::{PackingClass, SlotMap};
use crate::link::varying::{PairOfStages, Routing};
use crate::link::{LinkError, LinkOptions};

/// Slots that GL has for varyings, as Mesa counts them. A program that needs more does not link anywhere.
pub const GL_SLOTS: u32 = 32;

/// Whose number the inter-stage variables are, which decides what it means when varyings do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// The case's own (`variables N`), or a caller's: the program does not link.
    Given,
    /// The adapter's: the program is right all the same.
    Adapter,
    /// [`GL_SLOTS`], all of which are for varyings: the program does not link.
    Gl,
}

/// What a pair of stages may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Inter-stage variables there are.
    variables: usize,
    /// What the vertex side loses: how many, and to what.
    vertex: Vec<(usize, String)>,
    /// What the fragment side loses.
    fragment: Vec<(usize, String)>,
    /// Locations that end before the clip distances.
    locations: usize,
    /// Whether slots are labels, whose locations are chosen later.
    is_relabelled: bool,
    room: Room,
}

impl Budget {
    /// What `pair` leaves of the variables that `options` allow.
    pub fn of(pair: PairOfStages<'_>, options: &LinkOptions) -> Self {
        let variables = options.max_inter_stage_variables as usize;
        let (is_relabelled, room) = (options.is_relabelled(), options.room);
        if room == Room::Gl {
            let (vertex, fragment) = (Vec::new(), Vec::new());
            return Self { variables, vertex, fragment, locations: variables, is_relabelled, room };
        }
        let mut vertex = Vec::new();
        if options.has_points {
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
            fragment: counted_builtins(pair.fragment),
            locations,
            is_relabelled,
            room,
        }
    }

    /// Where locations end.
    pub const fn locations(&self) -> usize {
        self.locations
    }

    /// Whether the placed slots fit.
    pub fn holds(&self, slots: &SlotMap) -> bool {
        self.holds_classes(&slots.classes)
    }

    /// Whether these slots fit; a hole takes no variable.
    pub fn holds_classes(&self, slots: &[Option<PackingClass>]) -> bool {
        let is_in_reach = self.is_relabelled || slots.len() <= self.locations;
        slots.iter().flatten().count() <= self.slots() && is_in_reach
    }

    /// Why these slots do not fit.
    pub fn message(&self, slots: &[Option<PackingClass>]) -> String {
        let used = slots.iter().flatten().count();
        if used > self.slots() {
            return match self.room {
                Room::Given => {
                    format!("the varyings take {used} slots but there are {}", self.slots())
                }
                Room::Adapter => {
                    format!("the varyings take {used} slots but the adapter has {}", self.slots())
                }
                Room::Gl => format!("the varyings take {used} slots but GL has {}", self.slots()),
            };
        }
        format!(
            "a varying is at location {} but the last one is {}",
            slots.len().saturating_sub(1),
            self.locations.saturating_sub(1)
        )
    }

    /// The error that `reason`, which is about room, becomes.
    pub fn error(&self, reason: Diagnostic) -> LinkError {
        match self.room {
            Room::Given | Room::Gl => LinkError::Refused(vec![reason]),
            Room::Adapter => LinkError::NoRoom(Box::new(reason)),
        }
    }

    /// What takes the variables, in a line each.
    pub fn rows(&self, routing: &Routing) -> Vec<String> {
        let used = routing.classes.iter().flatten().count();
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

    /// Slots that both sides have left.
    fn slots(&self) -> usize {
        let left = |losses: &[(usize, String)]| {
            let lost: usize = losses.iter().map(|(count, _)| count).sum();
            self.variables.saturating_sub(lost)
        };
        left(&self.vertex).min(left(&self.fragment))
    }
}

/// The built-in inputs of a fragment stage that count as inter-stage variables, one each.
fn counted_builtins(fragment: &StageModule) -> Vec<(usize, String)> {
    let inputs = fragment.builtins.iter().filter(|it| it.direction == Direction::Input);
    inputs.filter_map(|it| Some((1, counted_name(it.builtin)?.to_owned()))).collect()
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
