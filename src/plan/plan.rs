//! Plans: everything that an executor needs to run a case.

use crate::attachments::{Attachments, OutputStates, uses_second};
use crate::cull::PlannedCull;
use crate::geometry_stage::{PlannedGeometry, WantedLevels};
use crate::opaque::{BoundOpaque, PlannedView, SamplerState};
use crate::operation::{DrawSetup, Operation};
use crate::render_to::TextureLayer;
use crate::snapshot::{PlannedSnapshot, SnapshotSource};
use crate::texture::PlannedTexture;
use crate::vertex::VertexLayout;
use crate::xfb::{PlannedXfb, XfbEvent};
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
    /// Byte sizes of the storage buffers that `ssbo` steps make, initially zero-filled.
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
    /// Draws through a geometry stage.
    pub geometries: Vec<PlannedGeometry>,
    /// Draws whose primitives may be culled.
    pub culls: Vec<PlannedCull>,
    /// Draws with transform feedback.
    pub xfbs: Vec<PlannedXfb>,
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
    /// True if compute stages read the vertex rows and index lists.
    pub const fn reads_lists(&self) -> bool {
        !(self.geometries.is_empty() && self.culls.is_empty() && self.xfbs.is_empty())
    }

    /// Index of the step that a captured draw belongs to.
    pub fn step_of(&self, xfb: &PlannedXfb) -> Option<usize> {
        let is_own = |snapshot: usize| {
            let source = self.snapshots.get(snapshot).map(|snapshot| snapshot.source);
            source == Some(SnapshotSource::Buffer(xfb.records[0]))
        };
        self.xfb_events.iter().find_map(|event| match event {
            XfbEvent::Draw { step, records: Some([function, _]), .. } if is_own(*function) => {
                Some(*step)
            }
            XfbEvent::Draw { .. }
            | XfbEvent::Buffer { .. }
            | XfbEvent::Range { .. }
            | XfbEvent::Begin
            | XfbEvent::Paused { .. }
            | XfbEvent::Probe { .. }
            | XfbEvent::Count { .. } => None,
        })
    }
}

impl Plan {
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
