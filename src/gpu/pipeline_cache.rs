//! Caches shader modules and pipelines of pairs of separable stages beyond the end of a case. When a pair is drawn
//! again, in the same case, under another profile or in another case, its pipeline already exists.
//!
//! The cache key of a module is its SPIR-V; the key of a pipeline consists of its modules and everything else that it
//! is made from. Objects made while the adapter reported a message are not cached, so that the next case gets the
//! message too.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use case::state::Raster;
use ir::emit::{self, Language};
use offer::entries::Entry;
use plan::topology::Primitive;

/// Maximum number of pipelines in the cache, which is cleared when it is full.
const MAX_PIPELINES: usize = 4096;

/// Cache of shader modules and pipelines of one device.
#[derive(Debug, Default)]
pub(super) struct PipelineCache(Mutex<Entries>);

#[derive(Debug, Default)]
struct Entries {
    modules: HashMap<Vec<u8>, CachedModule>,
    pipelines: HashMap<PipelineKey, wgpu::RenderPipeline>,
    /// Number of modules made so far, so that no number is assigned twice.
    numbers: usize,
    made: usize,
}

/// A module, and a number that is unique to its code.
#[derive(Clone, Debug)]
pub(super) struct CachedModule {
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
    pub(super) raster: Raster,
    pub(super) depth_stencil: Option<wgpu::DepthStencilState>,
    pub(super) samples: u32,
    pub(super) targets: Vec<Option<wgpu::ColorTargetState>>,
}

impl PipelineCache {
    /// Returns the shader module of `module` with its number. Calls `make` if the module is new.
    pub(super) fn module(
        &self,
        module: &naga::Module,
        make: impl FnOnce() -> wgpu::ShaderModule,
    ) -> CachedModule {
        // naga's writer panics on some modules, which then have no cache key.
        let code = emit::write(module, Language::Spirv).ok();
        let mut entries = self.entries();
        let known = code.as_ref().and_then(|code| entries.modules.get(code));
        if let Some(known) = known {
            return known.clone();
        }
        entries.numbers += 1;
        let made = CachedModule { number: entries.numbers, module: make() };
        if let Some(code) = code {
            entries.modules.insert(code, made.clone());
        }
        made
    }

    /// Returns the pipeline of `key`. Calls `make` if the pipeline is new.
    pub(super) fn pipeline(
        &self,
        key: PipelineKey,
        make: impl FnOnce() -> wgpu::RenderPipeline,
    ) -> wgpu::RenderPipeline {
        let mut entries = self.entries();
        if let Some(known) = entries.pipelines.get(&key) {
            return known.clone();
        }
        if entries.pipelines.len() >= MAX_PIPELINES {
            entries.pipelines.clear();
            entries.modules.clear();
        }
        let made = make();
        entries.made += 1;
        entries.pipelines.insert(key, made.clone());
        made
    }

    /// Clears the cache.
    pub(super) fn clear(&self) {
        let mut entries = self.entries();
        entries.pipelines.clear();
        entries.modules.clear();
    }

    /// Number of pipelines made so far.
    pub(super) fn made(&self) -> usize {
        self.entries().made
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
