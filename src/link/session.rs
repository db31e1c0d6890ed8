//! Links many pairs of stages, one after the other, and keeps what later pairs can use again.
//!
//! A plain program is a session of one pair. Only where slots are labels ([`LinkOptions::is_relabelled`]) is anything
//! relocated or kept.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use naga::{BuiltIn, Module};

use crate::routing::{PairOfStages, Routing};
use ir::diagnostic::Diagnostic;
use ir::interface::Variable;
use ir::linkage_table::LinkageTable;
use ir::semantic::{Semantic, SemanticName};
use ir::stage::ShaderStage;
use ir::stage_module::StageModule;

use super::budget::Budget;
use super::map::LinkMap;
use super::match_up::{self, LinkRules, Matched};
use super::program::LinkedProgram;
use super::relocate::{Half, Misfit, Placement, Relocator};
use super::separable::{self, Labels, Sockets};
use super::shell::Shell;
use super::{LinkError, LinkOptions, link_render, varying};

/// State that outlives a pair.
#[derive(Debug, Default)]
pub struct Session {
    relocator: Option<Relocator>,
    labels: Option<Labels>,
    linkage: LinkageTable,
    /// Addresses of the original stages of the present pair, to detect stages that a pass has changed.
    origins: [Option<usize>; 2],
    /// True if the fragment stage of the present pair reads the face, and not only for the choice of back colours.
    reads_face: bool,
    /// Numbers of the stages of the present pair.
    numbers: [usize; 2],
    /// Indices of the objects of the present pair.
    objects: [Option<usize>; 2],
    sockets: Sockets,
    /// Indices of the programs of linked pairs, by their stages' numbers.
    pairs: BTreeMap<(usize, usize), usize>,
    programs: Vec<LinkedProgram>,
}

/// Programs of one case, and the order of their use.
#[derive(Clone, Debug, Default)]
pub struct LinkedPrograms {
    /// Every pair that is used. The link map of the first one has the counters of all pairs.
    pub programs: Vec<LinkedProgram>,
    /// Index of the program for every use, in order.
    pub uses: Vec<usize>,
    /// Numbers of the stage objects of every program.
    pub pairs: Vec<(usize, usize)>,
}

/// Links every pair of `uses`, which are indices into the stages, in that order.
///
/// # Errors
/// A pair does not link; the first such pair's error is returned.
pub fn link_all(
    vertex: &[StageModule],
    fragment: &[StageModule],
    uses: &[(usize, usize)],
    options: &LinkOptions,
) -> Result<LinkedPrograms, LinkError> {
    let (mut vertex, mut fragment) = (vertex.to_vec(), fragment.to_vec());
    let mut session = Session::new(&mut vertex, &mut fragment, options)?;
    let mut order = Vec::new();
    for (first, second) in uses {
        let (Some(producer), Some(consumer)) = (vertex.get(*first), fragment.get(*second)) else {
            continue;
        };
        order.push(session.link(*first, producer, *second, consumer, options)?);
    }
    Ok(session.finish(order))
}

/// Links one pair.
pub(super) fn link_one(
    vertex: &StageModule,
    fragment: &StageModule,
    options: &LinkOptions,
) -> Result<LinkedProgram, LinkError> {
    let mut stages = [vertex.clone(), fragment.clone()];
    let [vertex, fragment] = &mut stages;
    let mut session =
        Session::new(std::slice::from_mut(vertex), std::slice::from_mut(fragment), options)?;
    let mut program = link_render(vertex, Some(fragment), options, &mut session)?;
    program.map.counters = session.relocator.map(|it| it.counters).unwrap_or_default();
    Ok(program)
}

impl Session {
    /// A session for pairs of these stages. Gives their varyings the semantics that the case names.
    ///
    /// # Errors
    /// A semantic is not allowed there.
    pub fn new(
        vertex: &mut [StageModule],
        fragment: &mut [StageModule],
        options: &LinkOptions,
    ) -> Result<Self, LinkError> {
        if !options.is_relabelled() {
            return Ok(Self::default());
        }
        let all: Vec<&StageModule> = vertex.iter().chain(&*fragment).collect();
        separable::check_labels(&all, options.profile)?;
        let mut all: Vec<&mut StageModule> = vertex.iter_mut().chain(&mut *fragment).collect();
        separable::apply_semantics(&mut all, options)?;
        options.linkage.check(vertex, fragment).map_err(LinkError::Refused)?;
        let varyings = || {
            let outputs = vertex.iter().flat_map(|stage| &stage.outputs);
            outputs.chain(fragment.iter().flat_map(|stage| &stage.inputs)).filter(|it| it.is_used)
        };
        let known = varyings().filter_map(|varying| match varying.location {
            Some(location) => Some(location),
            None => Semantic::of_builtin(&varying.name).map(Semantic::key),
        });
        let relocator = Some(Relocator::new(options, known));
        let reserved = options.linkage.keys();
        let labels = options.is_separable.then(|| Labels::of(varyings(), reserved));
        let linkage = options.linkage.clone();
        Ok(Self { relocator, labels, linkage, ..Self::default() })
    }

    /// The program of a pair, linked if it is new. `first` and `second` are the numbers of the stages.
    ///
    /// # Errors
    /// The pair does not link.
    pub fn link(
        &mut self,
        first: usize,
        vertex: &StageModule,
        second: usize,
        fragment: &StageModule,
        options: &LinkOptions,
    ) -> Result<usize, LinkError> {
        if let Some(known) = self.pairs.get(&(first, second)).copied() {
            let placement = self.programs.get(known).and_then(|it| it.map.placement.as_ref());
            if let (Some(relocator), Some(placement)) = (&mut self.relocator, placement) {
                relocator.return_to(placement);
            }
            return Ok(known);
        }
        // Vertex stages have even numbers, fragment stages odd ones.
        self.numbers = [first.saturating_mul(2), second.saturating_mul(2).saturating_add(1)];
        let program = link_render(vertex, Some(fragment), options, self)?;
        self.programs.push(program);
        let at = self.programs.len() - 1;
        self.pairs.insert((first, second), at);
        Ok(at)
    }

    /// The programs, with the order of their use.
    pub fn finish(mut self, uses: Vec<usize>) -> LinkedPrograms {
        let counters = self.relocator.map(|it| it.counters).unwrap_or_default();
        if let Some(first) = self.programs.first_mut() {
            first.map.counters = counters;
        }
        let mut pairs: Vec<_> = self.pairs.into_iter().map(|(pair, at)| (at, pair)).collect();
        pairs.sort_unstable();
        let pairs = pairs.into_iter().map(|(_, pair)| pair).collect();
        LinkedPrograms { programs: self.programs, uses, pairs }
    }

    /// Begins a pair.
    pub(super) fn begin(&mut self, vertex: &StageModule, fragment: Option<&StageModule>) {
        self.origins = [Some(address(vertex)), fragment.map(address)];
        self.reads_face = fragment.is_some_and(|stage| {
            stage.builtins.iter().any(|it| it.builtin == BuiltIn::FrontFacing)
        });
        self.objects = [None; 2];
        self.sockets = Sockets::default();
    }

    /// The stage with the semantics that GLSL gives its varyings, if slots are labels.
    pub(super) fn named<'a>(&self, stage: &'a StageModule) -> Cow<'a, StageModule> {
        if self.relocator.is_none() || self.labels.is_some() {
            return Cow::Borrowed(stage);
        }
        let mut stage = stage.clone();
        match stage.stage {
            ShaderStage::Vertex => stage.outputs.iter_mut().for_each(name_builtin),
            ShaderStage::Fragment => stage.inputs.iter_mut().for_each(name_builtin),
            ShaderStage::Compute => {}
        }
        Cow::Owned(stage)
    }

    /// Matches outputs with inputs, and finds the undefined inputs.
    pub(super) fn match_up(
        &self,
        vertex: &StageModule,
        fragment: &StageModule,
        rules: LinkRules,
    ) -> Result<(Matched, Vec<String>), LinkError> {
        let inputs = self.linkage.seen_from_outputs(&fragment.inputs);
        if self.labels.is_some() {
            return Ok(separable::match_up(&vertex.outputs, &inputs, rules));
        }
        let rules = LinkRules { has_labels: self.relocator.is_some(), ..rules };
        let matched = match_up::check_places(&vertex.outputs, &fragment.inputs, rules)
            .and_then(|()| match_up::pair_up(&vertex.outputs, &inputs, rules));
        Ok((matched.map_err(LinkError::Refused)?, Vec::new()))
    }

    /// Decides the routes of the varyings, and fills the shells accordingly.
    pub(super) fn route(
        &mut self,
        pair: PairOfStages<'_>,
        options: &LinkOptions,
        shells: (&mut Shell, &mut Shell),
    ) -> Result<Routing, LinkError> {
        let routing = self.route_all(pair, options, shells);
        // The promise is checked even if the varyings do not fit.
        Budget::of(pair, options).check_promise(pair, routing.as_ref().ok())?;
        routing
    }

    fn route_all(
        &mut self,
        pair: PairOfStages<'_>,
        options: &LinkOptions,
        shells: (&mut Shell, &mut Shell),
    ) -> Result<Routing, LinkError> {
        if let Some(labels) = &mut self.labels {
            self.sockets = separable::connect(pair, labels, options, shells)?;
            return Ok(self.sockets.routing.clone());
        }
        let routing = varying::place(pair, options)?;
        let (producer, consumer) = shells;
        varying::connect(pair, &routing, (producer, consumer));
        // Routes have the labels of the vertex stage.
        for slot in &mut consumer.inputs {
            slot.location = self.linkage.paired_input(slot.location);
        }
        Ok(routing)
    }

    /// The wrapped modules, reused if they are kept.
    pub(super) fn wrap(&mut self, stages: [&StageModule; 2], shells: [&Shell; 2]) -> [Module; 2] {
        let mut modules = [Module::default(), Module::default()];
        for idx in 0..2 {
            let (stage, shell) = (stages[idx], shells[idx]);
            let Some(relocator) = &mut self.relocator else {
                modules[idx] = super::wrap::wrap(stage, shell);
                continue;
            };
            // A stage that a pass has changed for this pair differs from the kept one.
            let is_own = self.origins[idx] == Some(address(stage)) && self.labels.is_some();
            let number = is_own.then_some(self.numbers[idx]);
            (self.objects[idx], modules[idx]) = relocator.wrapped(number, stage, shell);
        }
        modules
    }

    /// Turns labels into locations.
    pub(super) fn relocate(
        &mut self,
        pair: PairOfStages<'_>,
        shells: [&Shell; 2],
        modules: &mut [Module; 2],
        options: &LinkOptions,
        map: &mut LinkMap,
    ) -> Result<(), LinkError> {
        let Some(relocator) = &mut self.relocator else { return Ok(()) };
        let keys = |slots: &[super::shell::Slot]| -> BTreeSet<u32> {
            slots.iter().map(|slot| slot.location).collect()
        };
        // Slots between stages come first in both shells, before attributes and targets have any.
        let between = |slots: &[super::shell::Slot]| -> Vec<super::shell::Slot> {
            slots.iter().filter(|slot| slot.class.is_some()).copied().collect()
        };
        let written = keys(&between(&shells[0].outputs));
        let read = keys(&between(&shells[1].inputs));
        let budget = Budget::of(pair, options);
        let available = u32::try_from(budget.locations()).unwrap_or(u32::MAX);
        let [vertex, fragment] = modules;
        let span = pair.inputs().last().and_then(|input| input.span);
        let over = [
            over_limit("vertex", options.generics.vertex, &written),
            over_limit("fragment", options.generics.fragment, &read),
        ];
        let over: Vec<String> = over.into_iter().flatten().collect();
        if !over.is_empty() {
            return Err(separable::refused(span, over));
        }
        let producer = Half { object: self.objects[0], module: vertex, labels: written };
        let consumer = Half { object: self.objects[1], module: fragment, labels: read };
        let undefined = &self.sockets.undefined;
        let placement: Placement = relocator
            .relocate(producer, consumer, undefined, available)
            .map_err(|misfit| match misfit {
                Misfit::Rules(messages) => separable::refused(span, messages),
                Misfit::Room(message) => budget.error(Diagnostic::error(span, message)),
            })?;
        let refusal = placement.two_sided.filter(|_| self.reads_face);
        if let Some(refusal) = refusal.and_then(|_| placement.profile.refusal_of_face()) {
            return Err(separable::refused(span, vec![refusal]));
        }
        map.placement = Some(placement);
        Ok(())
    }
}

/// The error for a stage that uses a `GENERIC` label beyond the case's limit, in words.
fn over_limit(stage: &str, limit: Option<u32>, labels: &BTreeSet<u32>) -> Option<String> {
    let limit = limit?;
    let generics = labels.iter().map(|key| Semantic::of_key(*key));
    let highest =
        generics.filter(|it| it.name == SemanticName::Generic).max_by_key(|it| it.index)?;
    (highest.index >= limit).then(|| {
        format!("the {stage} stage uses `{highest}`, and the case allows it {limit} labels")
    })
}

fn address(stage: &StageModule) -> usize {
    std::ptr::from_ref(stage).addr()
}

/// Gives a colour or fog coordinate of the compatibility profile the label of its semantic.
fn name_builtin(variable: &mut Variable) {
    if variable.location.is_none() {
        variable.location = Semantic::of_builtin(&variable.name).map(Semantic::key);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::stage;
    use ir::options::Optimise;
    use ir::profile::Profile;

    use super::*;

    /// With 32 labels the last is `GENERIC[31]`.
    #[test]
    fn the_limit_of_labels_is_their_number() {
        let generic = |index| Semantic { name: SemanticName::Generic, index }.key();
        let told = |index| over_limit("vertex", Some(32), &[generic(0), generic(index)].into());
        assert_eq!(told(31), None);
        assert!(told(32).is_some_and(|it| it.contains("GENERIC[32]")));
        assert_eq!(over_limit("vertex", None, &[generic(99)].into()), None);
    }

    /// One vertex stage, and fragment stages that read all, some and none of its outputs.
    fn stages(location: &dyn Fn(u32) -> String) -> (StageModule, Vec<StageModule>) {
        let [a, b, c] = [3, 1, 8].map(location);
        let text = format!(
            "#version 450\nuniform float u;\n{a} out vec2 a;\n{b} out vec3 b;\n{c} flat out int c;\n\
             void main() {{ gl_Position = vec4(0.0); a = vec2(u, 0.5); b = vec3(u, 1.0, u + u); c = 7; }}"
        );
        let vertex = stage(ShaderStage::Vertex, &text);
        let reader = |inputs: &str, value: &str| {
            let text = format!(
                "#version 450\n{inputs}\nout vec4 color;\nvoid main() {{ color = vec4({value}); }}"
            );
            stage(ShaderStage::Fragment, &text)
        };
        let fragments = vec![
            reader(
                &format!("{a} in vec2 a;\n{b} in vec3 b;\n{c} flat in int c;"),
                "a.x + a.y + b.x + b.y + b.z + float(c)",
            ),
            reader(&format!("{c} flat in int c;\n{b} noperspective in vec3 b;"), "float(c) + b.z"),
            reader("", "1.0"),
        ];
        (vertex, fragments)
    }

    /// All results of a link, except counters that include earlier links.
    fn shown(program: &LinkedProgram) -> String {
        let map = program.map.clone().without_history();
        format!("{:#?}", LinkedProgram { map, ..program.clone() })
    }

    /// Each program of a session equals that of a separate session, byte for byte, whatever was linked before it.
    #[track_caller]
    fn check_fresh(options: &LinkOptions, location: &dyn Fn(u32) -> String) {
        let (vertex, fragments) = stages(location);
        let vertex = [vertex];
        for (first, second) in [(0, 1), (1, 0), (0, 2), (2, 0), (2, 1)] {
            // Separate sessions first, so that not even state that outlives a session can make both alike.
            let alone = |fragment: usize| {
                let fragment = std::slice::from_ref(&fragments[fragment]);
                let linked = link_all(&vertex, fragment, &[(0, 0)], options).expect("it links");
                shown(&linked.programs[0])
            };
            let fresh = [alone(second), alone(first)];
            let uses = [(0, first), (0, second), (0, first)];
            let kept = link_all(&vertex, &fragments, &uses, options).expect("they link");
            assert_eq!(kept.uses, [0, 1, 0]);
            for (program, fresh) in kept.programs.iter().zip(fresh.iter().rev()) {
                assert!(shown(program) == *fresh, "{uses:?}");
            }
        }
    }

    #[test]
    fn nothing_of_an_earlier_link_is_left_in_a_later_one() {
        let plain = LinkOptions::default();
        let none = |_: u32| String::new();
        let located = |location: u32| format!("layout(location = {location})");
        check_fresh(&plain, &none);
        check_fresh(&plain, &located);
        let mut tight = LinkOptions::default();
        tight.packing.optimise = Optimise {
            dead: true,
            constants: true,
            uniforms: true,
            duplicates: true,
            convergent: true,
        };
        check_fresh(&tight, &none);
        for (_, profile) in Profile::ALL.into_iter().filter(|(name, _)| *name != "i915") {
            check_fresh(&LinkOptions { profile, ..LinkOptions::default() }, &none);
            let separable = LinkOptions { profile, is_separable: true, ..LinkOptions::default() };
            check_fresh(&separable, &located);
        }
    }
}
