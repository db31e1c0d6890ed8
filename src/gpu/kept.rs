//! Shader modules and pipelines that outlive a case, for stages that meet in pairs: when a pair is drawn again, in this
//! case, under another profile or in another case, its pipeline is there.
//!
//! A module is known by its SPIR-V, a pipeline by its modules and everything else that it is made from. What a case made
//! while the adapter complained is not kept, so that the next case hears the complaint too.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::binding_entry::Entry;
use ir::emit::{self, Language};
use plan::topology::Primitive;

use super::Gpu;

/// Pipelines that are kept at most; then all are forgotten.
const MOST: usize = 4096;

/// What is kept on one device.
#[derive(Debug, Default)]
pub(super) struct Kept(Mutex<Content>);

#[derive(Debug, Default)]
struct Content {
    modules: HashMap<Vec<u8>, KeptModule>,
    pipelines: HashMap<PipelineKey, wgpu::RenderPipeline>,
    /// How many modules there have ever been, so that no number is given twice.
    numbers: usize,
    made: usize,
}

/// A module, and a number that only modules with the same code have.
#[derive(Clone, Debug)]
pub(super) struct KeptModule {
    pub(super) number: usize,
    pub(super) module: wgpu::ShaderModule,
}

/// What a pipeline is made from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PipelineKey {
    /// Numbers of the vertex and the fragment module.
    pub(super) modules: [usize; 2],
    pub(super) entries: Vec<Entry>,
    pub(super) stride: usize,
    pub(super) attributes: Vec<wgpu::VertexAttribute>,
    pub(super) primitive: Primitive,
    pub(super) depth_stencil: Option<wgpu::DepthStencilState>,
    pub(super) samples: u32,
    pub(super) targets: Vec<Option<wgpu::ColorTargetState>>,
}

impl Kept {
    /// The shader module of `module`, and whether it is one that another case may have. `make` makes it.
    pub(super) fn module(
        &self,
        module: &naga::Module,
        make: impl FnOnce() -> wgpu::ShaderModule,
    ) -> KeptModule {
        let code = emit::write(module, Language::Spirv);
        let mut content = self.content();
        let known = code.as_ref().ok().and_then(|code| content.modules.get(code));
        if let Some(known) = known {
            return known.clone();
        }
        content.numbers += 1;
        let made = KeptModule { number: content.numbers, module: make() };
        if let Ok(code) = code {
            content.modules.insert(code, made.clone());
        }
        made
    }

    /// The pipeline of `key`. `make` makes it.
    pub(super) fn pipeline(
        &self,
        key: PipelineKey,
        make: impl FnOnce() -> wgpu::RenderPipeline,
    ) -> wgpu::RenderPipeline {
        let mut content = self.content();
        if let Some(known) = content.pipelines.get(&key) {
            return known.clone();
        }
        if content.pipelines.len() >= MOST {
            content.pipelines.clear();
            content.modules.clear();
        }
        let made = make();
        content.made += 1;
        content.pipelines.insert(key, made.clone());
        made
    }

    /// Nothing that was made so far is used again.
    pub(super) fn forget(&self) {
        let mut content = self.content();
        content.pipelines.clear();
        content.modules.clear();
    }

    fn content(&self) -> MutexGuard<'_, Content> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Gpu {
    /// How many pipelines of pairs of stages were made on this device so far. Those that were there already do not
    /// count.
    pub fn made_pipelines(&self) -> usize {
        self.kept.content().made
    }
}
