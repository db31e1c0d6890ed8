//! Compiled stages, and the objects bound to their resources.

use std::collections::BTreeMap;

use ir::stage_module::{LanguageRules, StageModule};
use link::program::LinkedProgram;
use link::table::binding::BindingPoint;
use naga::{BuiltIn, ConservativeDepth, EarlyDepthTest, Module, ScalarKind};
use plan::{Bindings, BoundOpaque, ExecuteError};

use crate::code::{Code, IntegerRules, Port, Register};
use crate::compile::wiring::{Wiring, compile_wired};
use crate::compile::{NotImplemented, compile};
use crate::errors::{lacking, stopped};
use crate::lanes::Lanes;
use crate::memory::Bound;
use crate::world::{Places, World};

/// A compiled stage.
#[derive(Debug)]
pub struct Stage {
    pub(crate) code: Code,
    /// Depth and stencil tests before the stage, or its promise about the depth that it writes.
    pub(crate) early: Option<EarlyDepthTest>,
}

/// A stage with the objects bound to its resources.
#[derive(Debug)]
pub(crate) struct BoundStage<'a> {
    /// The stage.
    pub(crate) stage: &'a Stage,
    /// The object bound to each resource of the stage.
    pub(crate) objects: Vec<Bound>,
}

impl Stage {
    /// Compiles a module with one entry point.
    pub(crate) fn new(module: &Module) -> Result<Self, ExecuteError> {
        let lacking = |missing: NotImplemented| ExecuteError::Lacking(missing.to_string());
        let code = compile(module).map_err(lacking)?;
        let early = module.entry_points.first().and_then(|entry| entry.early_depth_test);
        Ok(Self { code, early })
    }

    /// Compiles the `main` of a stage whose inputs and outputs are private globals, as `wiring` says.
    ///
    /// # Errors
    /// The executor lacks something that the stage needs.
    pub fn wired(stage: &StageModule, wiring: &Wiring) -> Result<Self, ExecuteError> {
        let code = compile_wired(&stage.module, stage.main, wiring, stage.workgroup_size);
        let mut code = code.map_err(|missing| ExecuteError::Lacking(missing.to_string()))?;
        if stage.rules == LanguageRules::Wgsl {
            code.integers = IntegerRules::Defined;
        }
        Ok(Self { code, early: stage.early_depth_test })
    }

    /// True if depth and stencil tests run before the stage.
    pub(crate) fn is_tested_early(&self) -> bool {
        self.early == Some(EarlyDepthTest::Force)
    }

    /// The stage's promise about the depth that it writes.
    pub(crate) const fn promise(&self) -> Option<ConservativeDepth> {
        match self.early {
            Some(EarlyDepthTest::Allow { conservative }) => Some(conservative),
            Some(EarlyDepthTest::Force) | None => None,
        }
    }

    /// The stage with the objects bound at these binding points.
    pub(crate) fn bound(
        &self,
        points: &BTreeMap<BindingPoint, Bound>,
    ) -> Result<BoundStage<'_>, ExecuteError> {
        let bound = |resource: &naga::ResourceBinding| {
            let (group, binding) = (resource.group, resource.binding);
            let found = points.get(&BindingPoint { group, binding }).copied();
            found.ok_or_else(|| lacking(format!("resource at group {group} binding {binding}")))
        };
        let objects = self.code.resources.iter().map(bound).collect::<Result<_, _>>()?;
        Ok(BoundStage { stage: self, objects })
    }
}

impl<'a> BoundStage<'a> {
    /// Lanes for the runs of a draw or dispatch.
    pub(crate) fn lanes(&self, world: &mut World, width: usize) -> Result<Lanes<'a>, ExecuteError> {
        let mut lanes = Lanes::new(&self.stage.code, width).map_err(stopped)?;
        lanes.prepare(&mut world.environment(&self.objects)).map_err(stopped)?;
        Ok(lanes)
    }
}

/// The objects that `bindings` binds at each binding point of the program.
pub(crate) fn points(
    program: &LinkedProgram,
    bindings: &Bindings,
    places: Places,
) -> BTreeMap<BindingPoint, Bound> {
    let uniforms = program.uniform_buffers.iter().zip(&bindings.uniforms);
    let uniforms =
        uniforms.map(|(buffer, content)| (buffer.at, Bound::Buffer(places.uniforms + content)));
    let storage = program.storage_buffers.iter().zip(&bindings.storage);
    let storage = storage.map(|(block, buffer)| (block.at, Bound::Buffer(*buffer)));
    let opaques = program.opaques.iter().zip(&bindings.opaques);
    let opaques = opaques.map(|(opaque, bound)| {
        let bound = match bound {
            BoundOpaque::View(view) => Bound::View(*view),
            BoundOpaque::Sampler(sampler) => Bound::Sampler(*sampler),
        };
        (opaque.at, bound)
    });
    uniforms.chain(storage).chain(opaques).collect()
}

/// The registers of a port's components, which are consecutive.
///
/// # Errors
/// The scalars of the port do not have 32 bits.
pub(crate) fn registers(port: &Port) -> Result<std::ops::Range<Register>, ExecuteError> {
    let is_word = port.scalar.width == 4 || port.scalar.kind == ScalarKind::Bool;
    if !is_word {
        let bits = u32::from(port.scalar.width) * 8;
        return Err(lacking(format!("inputs and outputs of stages with {bits} bits")));
    }
    Ok(port.register..port.register.saturating_add(port.components))
}

/// The error for a built-in variable that is not provided.
pub(crate) fn unknown(builtin: BuiltIn, stage: &str) -> ExecuteError {
    lacking(format!("{builtin:?} in a {stage} stage"))
}
