//! State that the pairs of a session share if slots are labels ([`LabelOptions::are_used`]).

use crate::relocate::Relocator;
use crate::separable::{self, Labels};
use crate::stages::StageObjects;
use crate::{LabelOptions, LinkError, geometry};
use ir::interface::Variable;
use ir::stage::ShaderStage;
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
    /// The labelling for a program with this vertex and this fragment stage, given by their indices. Without a fragment
    /// stage, its index has no meaning.
    pub(crate) const fn new(labelling: &'a mut Labelling, vertex: usize, fragment: usize) -> Self {
        // Vertex stages have even numbers, fragment stages odd numbers. The pass-through stage after a geometry stage
        // has no number.
        let numbers = [vertex.saturating_mul(2), fragment.saturating_mul(2).saturating_add(1)];
        Self { labelling, numbers }
    }
}

/// The stage objects whose varyings get semantics.
#[derive(Debug)]
pub(crate) struct LabelledObjects {
    /// Vertex stages; `None` for those whose outputs have no labels.
    pub(crate) vertex: Vec<Option<StageModule>>,
    /// Tessellation control stages; `None` unless each stage is a separate program.
    pub(crate) control: Vec<Option<StageModule>>,
    /// Tessellation evaluation stages; `None` for those whose outputs have no labels.
    pub(crate) evaluation: Vec<Option<StageModule>>,
    /// Geometry stages.
    pub(crate) geometry: Vec<StageModule>,
    /// Fragment stages.
    pub(crate) fragment: Vec<StageModule>,
}

impl LabelledObjects {
    /// Collects the objects, without semantics so far. Objects whose outputs have no labels are left out; `has_labels`
    /// returns this for the vertex and the evaluation stage with an index.
    pub(crate) fn of(
        objects: StageObjects<'_>,
        is_separable: bool,
        has_labels: impl Fn(ShaderStage, usize) -> bool,
    ) -> Self {
        let only = |stages: &[StageModule]| {
            let stages = stages.iter().enumerate();
            let stages = stages.map(|(idx, stage)| {
                (is_separable || has_labels(stage.stage, idx)).then(|| stage.clone())
            });
            stages.collect()
        };
        Self {
            vertex: only(objects.vertex),
            control: only(objects.control),
            evaluation: only(objects.evaluation),
            geometry: objects.geometry.to_vec(),
            fragment: objects.fragment.to_vec(),
        }
    }

    fn all_mut(&mut self) -> Vec<&mut StageModule> {
        let Self { vertex, control, evaluation, geometry, fragment } = self;
        let before = vertex.iter_mut().chain(control).chain(evaluation).flatten();
        before.chain(geometry).chain(fragment).collect()
    }

    /// The stages whose outputs may go to a fragment stage.
    fn producers(&self) -> impl Iterator<Item = &StageModule> + Clone {
        self.vertex.iter().chain(&self.evaluation).flatten().chain(&self.geometry)
    }

    /// The stages that have labels.
    fn all(&self) -> impl Iterator<Item = &StageModule> + Clone {
        self.producers().chain(self.control.iter().flatten()).chain(&self.fragment)
    }

    /// All varyings with labels.
    fn varyings(&self, options: &LabelOptions) -> impl Iterator<Item = &Variable> {
        let outputs = self.producers().chain(self.control.iter().flatten());
        let outputs = outputs.flat_map(|stage| &stage.outputs);
        // The inputs of other stages have labels only if each stage is a separate program.
        let middle = self.control.iter().chain(&self.evaluation).flatten().chain(&self.geometry);
        let inputs = middle.filter(|_| options.is_separable);
        let inputs = inputs.chain(&self.fragment).flat_map(|stage| &stage.inputs);
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
        separable::check_labels(objects.all(), options)?;
        separable::label_builtins(&mut objects.all_mut(), options);
        separable::apply_semantics(&mut objects.all_mut(), options)?;
        let objects = &*objects;
        let checked = options.linkage.check(objects.producers(), objects.fragment.iter());
        checked.map_err(LinkError::Refused)?;
        let varyings = || objects.varyings(options);
        let known = varyings().filter_map(|varying| varying.location);
        let relocator = Relocator::new(options, known);
        let labels = options.is_separable.then(|| Labels::of(varyings(), options.linkage.keys()));
        Ok(Some(Self { relocator, labels }))
    }
}
