//! The memory that the operations of a plan read and write.

use case::Case;
use plan::{ExecuteError, Plan, RenderTo, TexelFormat, TextureLayer};

use crate::errors::{lacking, stopped};
use crate::memory::{Bound, Buffer, Environment, Work};
use crate::noise::Noise;
use crate::numbers::index;
use crate::raster::samples;
use crate::target::depth::DepthBuffer;
use crate::target::surface::{Place, Surface, Target};
use crate::texture::Textures;

/// Maximum bytes of all render targets and depth buffers of a case.
const MAX_TARGET_BYTES: usize = 2 << 30;

/// The memory of a case.
#[derive(Debug)]
pub(crate) struct World {
    /// Storage buffers, then uniform contents, then the vertex rows and the indices, and then buffers for a single
    /// operation.
    pub(crate) buffers: Vec<Buffer>,
    /// Textures.
    pub(crate) textures: Textures,
    /// The case's render targets.
    pub(crate) targets: Vec<Target>,
    /// Width and height of the render targets in pixels.
    pub(crate) size: [u32; 2],
    /// Samples per pixel of the render targets.
    pub(crate) samples: u32,
    /// The depth buffer of the render targets.
    pub(crate) depth: Option<DepthBuffer>,
    /// Rounding errors to simulate; `None` for exact results.
    pub(crate) noise: Option<Noise>,
    /// Indices of the buffers.
    pub(crate) places: Places,
    /// The work that remains.
    pub(crate) work: Work,
}

/// Indices of buffers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    /// Index of the first of the uniform contents.
    pub(crate) uniforms: usize,
    /// Index of the vertex rows.
    pub(crate) rows: usize,
    /// Index of the indices.
    pub(crate) indices: usize,
    /// Number of permanent buffers.
    pub(crate) count: usize,
}

impl World {
    /// Makes memory with its initial contents.
    pub(crate) fn new(
        case: &Case,
        plan: &Plan,
        work: Work,
        noise: Option<Noise>,
    ) -> Result<Self, ExecuteError> {
        work.foresight.borrow_mut().begin(noise);
        let mut buffers: Vec<_> = plan.storage_sizes.iter().map(|size| empty(*size)).collect();
        let uniforms = buffers.len();
        buffers.extend(plan.uniform_contents.iter().map(|content| filled(content)));
        let rows = buffers.len();
        buffers.push(filled(&plan.vertices));
        let bytes = plan.indices.len().saturating_mul(4);
        buffers.push(Buffer { words: plan.indices.clone(), bytes });
        let count = buffers.len();
        if samples::positions(case.samples).is_none() {
            return Err(lacking(format!("targets of {} samples", case.samples)));
        }
        let mut left = MAX_TARGET_BYTES;
        let mut targets = Vec::new();
        for target in &case.render_targets {
            targets.push(Target::new(case, target, &mut left)?);
        }
        let depth = case.depth_buffer();
        let depth =
            depth.map(|format| DepthBuffer::new(case, format, noise, &mut left)).transpose()?;
        let textures = Textures::new(plan);
        let places = Places { uniforms, rows, indices: rows + 1, count };
        let (size, samples) = (case.size, case.samples);
        Ok(Self { buffers, textures, targets, size, samples, depth, noise, places, work })
    }

    /// The memory that a stage can access.
    pub(crate) fn environment<'a>(&'a mut self, bound: &'a [Bound]) -> Environment<'a> {
        let Self { buffers, textures, work, noise, .. } = self;
        Environment { buffers, textures, bound, work, noise: *noise }
    }

    /// Subtracts from the remaining work.
    pub(crate) fn spend(&self, units: usize) -> Result<(), ExecuteError> {
        self.work.spend(units).map_err(stopped)
    }

    /// Adds a buffer for the current operation.
    pub(crate) fn add(&mut self, words: Vec<u32>) -> usize {
        let bytes = words.len().saturating_mul(4);
        self.buffers.push(Buffer { words, bytes });
        self.buffers.len() - 1
    }

    /// Drops the buffers that [`Self::add`] added.
    pub(crate) fn forget_added(&mut self) {
        self.buffers.truncate(self.places.count);
    }

    /// The surfaces of draws to `to`, each with its index among the render targets.
    pub(crate) fn surfaces(&self, plan: &Plan, to: RenderTo) -> Vec<(u32, Surface)> {
        match to {
            RenderTo::Window => {
                let surface = |(idx, target): (usize, &Target)| (target.index, target.surface(idx));
                self.targets.iter().enumerate().map(surface).collect()
            }
            RenderTo::Textures { framebuffer: idx, .. } => {
                let all = plan.framebuffers.get(idx).map_or(&[][..], Vec::as_slice);
                let surface = |(number, target): (u32, &TextureLayer)| {
                    let planned = plan.textures.get(target.texture)?;
                    let TexelFormat::Color(format) = planned.format else { return None };
                    let [width, height, _] = planned.size;
                    let place = Place::Texture(*target);
                    Some((number, Surface { place, format, size: [width, height], samples: 1 }))
                };
                (0..).zip(all).filter_map(surface).collect()
            }
        }
    }

    /// The bytes of a surface: pixel by pixel in rows, sample by sample within pixels. For a texture, they are a layer
    /// of its first level.
    pub(crate) fn bytes(&self, place: Place) -> &[u8] {
        match place {
            Place::Target(idx) => self.targets.get(idx).map_or(&[], |target| &target.bytes),
            Place::Texture(of) => self.textures.layer(of.texture, index(of.layer)),
        }
    }

    /// The bytes of a surface as a mutable slice, in the order of [`Self::bytes`].
    pub(crate) fn bytes_mut(&mut self, place: Place) -> &mut [u8] {
        match place {
            Place::Target(idx) => {
                self.targets.get_mut(idx).map_or(&mut [], |target| &mut target.bytes)
            }
            Place::Texture(of) => self.textures.layer_mut(of.texture, index(of.layer)),
        }
    }

    /// Copies the depth of each pixel's first sample into the first level of a texture.
    pub(crate) fn read_depth(&mut self, texture: usize) -> Result<(), ExecuteError> {
        let Some(depth) = &self.depth else { return Ok(()) };
        self.spend(depth.depths.len().saturating_mul(4))?;
        let bytes = self.textures.layer_mut(texture, 0);
        let firsts = depth.depths.iter().step_by(index(depth.samples).max(1));
        for (texel, depth) in bytes.chunks_exact_mut(4).zip(firsts) {
            texel.copy_from_slice(&depth.to_le_bytes());
        }
        Ok(())
    }

    /// The depth buffer of draws to `to`.
    pub(crate) fn depth_of(&mut self, to: RenderTo) -> Option<&mut DepthBuffer> {
        self.depth.as_mut().filter(|_| to.has_depth())
    }
}

/// A storage buffer of zeros. Its size is rounded up to words, like an adapter's.
fn empty(size: u32) -> Buffer {
    let words = index(size).div_ceil(4).max(1);
    Buffer { words: vec![0; words], bytes: words.saturating_mul(4) }
}

/// A buffer with these bytes.
fn filled(bytes: &[u8]) -> Buffer {
    let word = |chunk: &[u8]| {
        let mut bytes = [0; 4];
        bytes.iter_mut().zip(chunk).for_each(|(byte, from)| *byte = *from);
        u32::from_le_bytes(bytes)
    };
    Buffer { words: bytes.chunks(4).map(word).collect(), bytes: bytes.len() }
}
