//! State that the pairs of a session share if slots are labels ([`LabelOptions::are_used`]).

use crate::compute::geometry;
use crate::interface::separable::{self, Labels};
use crate::label::relocate::Relocator;
use crate::stages::{ObjectNumbers, StageObjects};
use crate::{LabelOptions, LinkError};
use ir::interface::Variable;
use ir::stage::{PerStage, ShaderStage};
use ir::stage_module::StageModule;
use ir::tessellation::is_level;

/// Labels and relocatable objects of the stages of a session.
#[derive(Debug)]
pub(crate) struct Labelling {
    /// The relocator, which assigns locations to labels.
    pub(crate) relocator: Relocator,
    /// Labels of all varyings, if the stages are separable.
    pub(crate) labels: Option<Labels>,
}

/// The labelling of a session, and the stages of one of its programs that are drawn.
#[derive(Debug)]
pub(crate) struct LabelledPair<'a> {
    /// The labelling.
    pub(crate) labelling: &'a mut Labelling,
    /// Numbers of the two stages in the session.
    pub(crate) numbers: [usize; 2],
}

impl<'a> LabelledPair<'a> {
    /// The labelling for a program of these stage objects. Without a fragment stage, its number has no meaning.
    pub(crate) fn new(labelling: &'a mut Labelling, objects: ObjectNumbers) -> Self {
        let [vertex, fragment] =
            [ShaderStage::Vertex, ShaderStage::Fragment].map(|stage| objects[stage].unwrap_or(0));
        // Vertex stages have even numbers, fragment stages odd numbers. The pass-through stage after a geometry stage
        // has no number.
        let numbers = [vertex.saturating_mul(2), fragment.saturating_mul(2).saturating_add(1)];
        Self { labelling, numbers }
    }
}

/// The stage objects whose varyings get semantics; `None` for those without labels.
#[derive(Debug)]
pub(crate) struct LabelledObjects(pub(crate) PerStage<Vec<Option<StageModule>>>);

impl LabelledObjects {
    /// Collects the objects, without semantics so far. `has_labels` is false for objects that are left out.
    pub(crate) fn of(
        objects: StageObjects<'_>,
        has_labels: impl Fn(ShaderStage, usize) -> bool,
    ) -> Self {
        Self(objects.map(|objects| {
            let objects = objects.iter().enumerate();
            let own = objects.map(|(idx, own)| has_labels(own.stage, idx).then(|| own.clone()));
            own.collect()
        }))
    }

    fn all_mut(&mut self) -> Vec<&mut StageModule> {
        self.0.values_mut().flatten().flatten().collect()
    }

    /// The stages that have labels, in the order of the pipeline.
    fn all(&self) -> impl Iterator<Item = &StageModule> + Clone {
        self.0.values().flatten().flatten()
    }

    /// The objects of one kind of stage.
    fn of_stage(&self, stage: ShaderStage) -> impl Iterator<Item = &StageModule> + Clone {
        self.0[stage].iter().flatten()
    }

    /// The stages whose outputs may go to a fragment stage.
    fn producers(&self) -> impl Iterator<Item = &StageModule> + Clone {
        self.all().filter(|own| own.stage.may_precede_raster())
    }

    /// All varyings with labels.
    fn varyings(&self, options: &LabelOptions) -> impl Iterator<Item = &Variable> {
        let outputs = self.all().filter(|own| own.stage < ShaderStage::Fragment);
        let outputs = outputs.flat_map(|own| &own.outputs);
        // The inputs of stages before the fragment stage have labels only if each stage is a separate program.
        let inputs = self.all().filter(|own| {
            own.stage == ShaderStage::Fragment
                || options.is_separable && own.stage > ShaderStage::Vertex
        });
        let inputs = inputs.flat_map(|own| &own.inputs);
        let all = outputs.chain(inputs);
        let is_built_in =
            |variable: &Variable| geometry::is_built_in(variable) || is_level(&variable.name);
        all.filter(move |variable| variable.is_used && !is_built_in(variable))
    }
}

impl Labelling {
    /// The labelling of the stages of a session; `None` if slots are not labels. Also gives varyings the semantics that
    /// the case names.
    ///
    /// # Errors
    /// A semantic is not allowed for the varying that the case gives it to.
    pub(crate) fn new(
        objects: &mut LabelledObjects,
        options: &LabelOptions,
    ) -> Result<Option<Self>, LinkError> {
        if !options.are_used() {
            return Ok(None);
        }
        let control = objects.all().filter(|own| own.stage.properties().followed_by.is_some());
        let fragment = objects.of_stage(ShaderStage::Fragment);
        separable::check_labels(objects.producers().chain(control).chain(fragment), options)?;
        separable::label_builtins(&mut objects.all_mut(), options);
        separable::apply_semantics(&mut objects.all_mut(), options)?;
        let objects = &*objects;
        let checked =
            options.linkage.check(objects.producers(), objects.of_stage(ShaderStage::Fragment));
        checked.map_err(LinkError::Refused)?;
        let varyings = || objects.varyings(options);
        let known = varyings().filter_map(|varying| varying.location);
        let relocator = Relocator::new(options, known);
        let labels = options.is_separable.then(|| Labels::of(varyings(), options.linkage.keys()));
        Ok(Some(Self { relocator, labels }))
    }
}
