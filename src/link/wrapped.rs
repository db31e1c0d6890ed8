//! The fourth phase of [`link`](crate::link()): makes modules with entry points around the users' code.

use naga::Module;

use crate::labelling::LabelledPair;
use crate::packed::Packed;
use crate::shell::{ComputeShell, GeometryShell, Shell, VertexComputeShell};
use crate::{vertex_compute, wrap};
use ir::stage_module::StageModule;

/// The wrapped stages of a program.
#[derive(Debug)]
pub(crate) struct Wrapped<'a> {
    /// The packed program.
    pub(crate) packed: Packed<'a>,
    /// The modules, in the order of the stages. If slots are labels, the modules name labels.
    pub(crate) modules: Vec<Module>,
    /// Index of the relocatable object of each module that other pairs of the session may share.
    pub(crate) objects: Vec<Option<usize>>,
}

impl<'a> Wrapped<'a> {
    /// Wraps the stages, or reuses the modules of an earlier pair.
    pub(crate) fn new(packed: Packed<'a>, labelled: Option<&mut LabelledPair<'_>>) -> Self {
        let stages = &packed.lowered().stages;
        let all = stages.all();
        let shells = &packed.shells;
        let Some(LabelledPair { labelling, numbers }) = labelled else {
            let drawn = all.iter().zip(shells).take(stages.drawn());
            let drawn = drawn.map(|(stage, shell)| wrap::wrap(stage, shell));
            let modules = drawn.chain(front(&packed)).collect();
            let objects = vec![None; all.len()];
            return Self { packed, modules, objects };
        };
        // A stage that a pass has changed for this pair cannot be shared with other pairs.
        let is_shared = labelling.labels.is_some();
        let numbers = stages.are_unchanged().into_iter().zip(*numbers);
        let numbers = numbers.map(|(is_own, number)| (is_own && is_shared).then_some(number));
        let wrapped = all.iter().zip(shells).zip(numbers);
        let wrapped = wrapped
            .map(|((stage, shell), number)| labelling.relocator.wrapped(number, stage, shell));
        let (objects, mut modules): (Vec<_>, Vec<_>) = wrapped.unzip();
        modules.extend(front(&packed));
        Self { packed, modules, objects }
    }
}

/// The modules of the stages before the drawn vertex stage.
fn front(packed: &Packed<'_>) -> Vec<Module> {
    let lowered = packed.lowered();
    let (all, drawn) = (lowered.stages.all(), lowered.stages.drawn());
    let Some(chain) = &lowered.chain else { return Vec::new() };
    let at = vertex_compute::own_buffers(&all);
    let stages = all.iter().zip(&packed.shells).skip(drawn).enumerate();
    let module = |(idx, (stage, shell)): (usize, (&&StageModule, &Shell))| {
        let sent = chain.seams.get(idx);
        if let Some(own) = &stage.geometry {
            let shell_of = GeometryShell {
                at,
                received: chain.received(idx),
                record: chain.record.wires.clone(),
                stride: chain.record.stride,
                streams: chain.streams,
                has_patches: all.iter().any(|stage| stage.evaluation().is_some()),
            };
            return wrap::wrap_geometry(
                stage,
                own,
                &ComputeShell { common: shell, own: &shell_of },
            );
        }
        if let Some(own) = stage.evaluation() {
            let shell_of = chain.evaluation_shell(idx, stage, at);
            let shell = ComputeShell { common: shell, own: &shell_of };
            return wrap::wrap_evaluation(stage, own, &shell);
        }
        let Some(sent) = sent else { unreachable!("a vertex or control stage is not the last") };
        if let Some(own) = stage.control() {
            let shell_of = sent.control_shell(chain.received(idx), at);
            return wrap::wrap_control(stage, own, &ComputeShell { common: shell, own: &shell_of });
        }
        let of_vertex = VertexComputeShell {
            at,
            row: vertex_compute::row_locations(&packed.attributes),
            stride: sent.stride(),
            results: sent.vertex.results.clone(),
        };
        wrap::wrap_vertex_compute(stage, shell, &of_vertex)
    };
    stages.map(module).collect()
}
