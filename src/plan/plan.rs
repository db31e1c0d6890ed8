//! Plans: everything that an executor needs to run a case.

use crate::attachments::{Attachments, OutputStates, uses_second};
use crate::levels::WantedLevels;
use crate::opaque::{BoundOpaque, PlannedView, SamplerState};
use crate::operation::{DrawSetup, Operation};
use crate::pass::PlannedPass;
use crate::render_to::TextureLayer;
use crate::snapshot::{PlannedSnapshot, SnapshotSource};
use crate::texture::PlannedTexture;
use crate::vertex::VertexLayout;
use crate::xfb::XfbEvent;
use ir::format::FormatClass;
use ir::options::DRAW_BUFFERS;

/// Initial value of the depth buffer.
pub const INITIAL_DEPTH: f32 = 1.0;

/// All operations and data for running a case.
#[derive(Debug, Default)]
pub struct Plan {
    /// The operations, in order.
    pub operations: Vec<Operation>,
    /// Layout of the rows in `vertices`, by program.
    pub layouts: Vec<VertexLayout>,
    /// Vertex rows of all draws.
    pub vertices: Vec<u8>,
    /// Index lists of all draws.
    pub indices: Vec<u32>,
    /// Levels that a run of this plan determines, which planning needs to continue.
    pub wanted_levels: Option<WantedLevels>,
    /// Distinct contents of uniform buffers.
    pub uniform_contents: Vec<Vec<u8>>,
    /// Byte sizes of the storage buffers of `ssbo` steps and of passes, initially zero-filled.
    pub storage_sizes: Vec<u32>,
    /// Textures that the case makes.
    pub textures: Vec<PlannedTexture>,
    /// Distinct texture views.
    pub views: Vec<PlannedView>,
    /// Distinct samplers.
    pub samplers: Vec<SamplerState>,
    /// Lists of textures that are render targets together, as indices.
    pub framebuffers: Vec<Vec<TextureLayer>>,
    /// Base type of the fragment output for each draw buffer.
    pub written_classes: [FormatClass; DRAW_BUFFERS],
    /// Distinct assignments of targets to colour attachments.
    pub attachments: Vec<Attachments>,
    /// Distinct blending and mask states.
    pub outputs: Vec<OutputStates>,
    /// Message about a feature of the case that WebGPU lacks.
    pub impossible: Option<String>,
    /// Passes of the draws.
    pub passes: Vec<PlannedPass>,
    /// The storage buffer with the index lists of draws whose primitives may be culled: index into `storage_sizes`.
    pub kept: Option<usize>,
    /// Transform feedback events.
    pub xfb_events: Vec<XfbEvent>,
    /// Distinct resource bindings of draws and dispatches.
    pub bindings: Vec<Bindings>,
    /// Copies for expectations.
    pub snapshots: Vec<PlannedSnapshot>,
    /// For every step, the snapshot for its expectation.
    pub snapshot_of_step: Vec<Option<usize>>,
}

impl Plan {
    /// Index of a storage buffer for at least `bytes` bytes: the known one, enlarged if it is smaller, or a new one.
    pub(crate) fn grow(&mut self, known: Option<usize>, bytes: u32) -> usize {
        let all = &mut self.storage_sizes;
        let idx = known.unwrap_or_else(|| {
            all.push(0);
            all.len() - 1
        });
        all[idx] = bytes.max(all[idx]).max(4);
        idx
    }

    /// True if a draw blends with a second source.
    pub fn blends_second_source(&self, setup: &DrawSetup) -> bool {
        let states = self.outputs.get(setup.outputs);
        states.is_some_and(|states| states.iter().any(uses_second))
    }

    /// True if any draw blends with a second source.
    pub fn ever_blends_second_source(&self) -> bool {
        self.outputs.iter().flatten().any(uses_second)
    }
}

impl Plan {
    /// True if the depths of the depth buffer are read.
    pub fn reads_depth(&self) -> bool {
        let is_read = |operation: &Operation| matches!(operation, Operation::ReadDepth(_));
        self.reads(SnapshotSource::Depth) || self.operations.iter().any(is_read)
    }

    /// True if some expectation reads `source`.
    pub fn reads(&self, source: SnapshotSource) -> bool {
        self.snapshots.iter().any(|snapshot| snapshot.source == source)
    }
}

/// Resource bindings of the program at one step.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bindings {
    /// Index of the program.
    pub program: usize,
    /// For each uniform buffer of the program, an index into [`Plan::uniform_contents`].
    pub uniforms: Vec<usize>,
    /// For each storage buffer of the program, an index into [`Plan::storage_sizes`].
    pub storage: Vec<usize>,
    /// For each texture, sampler and image of the program, its binding.
    pub opaques: Vec<BoundOpaque>,
}
