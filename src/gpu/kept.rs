//! Shader modules and pipelines that outlive a case, for separable stages that meet in pairs: when a pair is drawn
//! again, in this case, under another profile or in another case, its pipeline exists already.
//!
//! The cache key of a module is its SPIR-V; that of a pipeline is its modules and everything else that it is made from.
//! Objects that a case made while the adapter complained are not kept, so that the next case sees the complaint too.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::binding_entry::Entry;
use ir::emit::{self, Language};
use plan::topology::Primitive;

use super::Gpu;

/// Capacity of the pipeline cache; cleared when full.
const MOST: usize = 4096;

/// Cache of one device.
#[derive(Debug, Default)]
pub(super) struct Kept(Mutex<Content>);

#[derive(Debug, Default)]
struct Content {
    modules: HashMap<Vec<u8>, KeptModule>,
    pipelines: HashMap<PipelineKey, wgpu::RenderPipeline>,
    /// Modules ever made, so that no number is given twice.
    numbers: usize,
    made: usize,
}

/// A module, and a number that is unique to its code.
#[derive(Clone, Debug)]
pub(super) struct KeptModule {
    pub(super) number: usize,
    pub(super) module: wgpu::ShaderModule,
}

/// Cache key of a pipeline.
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
    /// Returns the shader module of `module`, made by `make` if it is new, and true if another case may have it too.
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

    /// Returns the pipeline of `key`, made by `make` if it is new.
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

    /// Clears the cache.
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
    /// Number of pipelines of pairs of stages made on this device so far. Cache hits do not count.
    pub fn made_pipelines(&self) -> usize {
        self.kept.content().made
    }
}
