//! Plans the steps of a case, one after the other.

mod bind;
mod capture;
mod cull;
mod draw;
mod geometry;
mod geometry_stage;
mod index;
mod matrix;
mod opaque;
mod output;
mod parts;
mod program_uniforms;
mod programs;
mod render_to;
mod rows;
mod snapshot;
mod state;
mod uniform;

use crate::error::ExecuteError;
use crate::error::Misfit;
use crate::operation::Operation;
use crate::pass::PlannedPass;
use crate::plan::{Bindings, Plan};
use crate::programs::Programs;
use crate::render_to::RenderTo;
use crate::snapshot::SnapshotSource;
use crate::topology::ProvokingVertex;
use crate::vertex::VertexLayout;
use crate::xfb::assembly::Assembly;
use case::output::OutputState;
use case::patch::PatchState;
use case::state::StateChange;
use case::{Action, Case, Dialect, Expectation, Setting, Step};
use geometry::Geometry;
use ir::interface::Type;
use ir::options::ATOMIC_COUNTER_POINT;
use ir::scalar::{self, Number};
use ir::stage::ShaderStage;
use ir::tessellation::TessellationLevels;
use link::program::{LinkedProgram, LinkedStages};
use program_uniforms::BlockPlace;
use program_uniforms::ProgramUniforms;
use programs::Owner;
use state::GlState;
use std::collections::{BTreeMap, BTreeSet};

/// Properties of an adapter that change the plan.
#[derive(Clone, Copy, Debug)]
pub struct PlanOptions {
    /// Provoking vertex of the backend.
    pub provoking: ProvokingVertex,
    /// True if the adapter lacks independent blending, so that only written targets are attached.
    pub joins_targets: bool,
}

impl From<ProvokingVertex> for PlanOptions {
    fn from(provoking: ProvokingVertex) -> Self {
        Self { provoking, joins_targets: false }
    }
}

/// Plans the steps of `case` with `program`.
///
/// # Errors
/// [`ExecuteError::Step`] for the first step that does not fit the program, [`ExecuteError::Lacking`] for an attribute
/// type that WebGPU does not support.
pub fn plan<'a>(
    case: &'a Case,
    programs: impl Into<Programs<'a>>,
    options: impl Into<PlanOptions>,
) -> Result<Plan, ExecuteError> {
    plan_with(case, programs, options, &[])
}

/// Like [`plan`], with the levels of draws that runs of earlier plans determined: those of each patch, draw after draw.
/// A plan that needs the levels of another draw ends there, and sets [`Plan::wanted_levels`].
///
/// # Errors
/// As for [`plan`].
pub(crate) fn plan_with<'a>(
    case: &'a Case,
    programs: impl Into<Programs<'a>>,
    options: impl Into<PlanOptions>,
    levels: &'a [Vec<TessellationLevels>],
) -> Result<Plan, ExecuteError> {
    let (programs, options) = (programs.into(), options.into());
    let program = programs.first().ok_or_else(|| {
        let misfit = Misfit("there is no program".to_owned());
        ExecuteError::Step { step: 0, misfit }
    })?;
    let layouts = programs.all.iter().map(|program| VertexLayout::new(&program.attributes));
    let layouts =
        layouts.collect::<Result<Vec<_>, _>>().map_err(|misfit| ExecuteError::Lacking(misfit.0))?;
    let layout = layouts.get(programs.first_index()).cloned().unwrap_or_default();
    let mut planner = Planner {
        case,
        program,
        programs,
        current: programs.first_index(),
        used: 0,
        parked: BTreeMap::new(),
        currents: Vec::new(),
        plan: Plan {
            snapshot_of_step: vec![None; case.steps.len()],
            written_classes: output::written_classes(program),
            layouts,
            ..Plan::default()
        },
        options,
        geometry: Geometry::new(case, program, programs.all, layout, options.provoking),
        clear_color: None,
        state: GlState::new(),
        outputs: OutputState::default(),
        block: BlockPlace::default(),
        active_stage: None,
        owned: BTreeMap::new(),
        points: BTreeMap::new(),
        uniforms: ProgramUniforms::of(program).initial(),
        content_indices: BTreeMap::new(),
        binding_indices: BTreeMap::new(),
        storage: BTreeMap::new(),
        padded: BTreeSet::new(),
        units: opaque::Units::default(),
        render_to: RenderTo::Window,
        parts: parts::Parts::default(),
        attaches_depth: false,
        layers: Vec::new(),
        current_snapshots: BTreeMap::new(),
        snapshot_bytes: 0,
        capture: capture::CaptureState::default(),
        culled: cull::CullState::default(),
        emission: geometry_stage::Emission::default(),
        patches: PatchState::default(),
        levels: levels.iter(),
        assembly: rows::takes_captures(case).then(Assembly::default),
    };
    let all = planner.all_targets();
    planner.plan.attachments.push(all);
    planner.write_state().map_err(|misfit| ExecuteError::Step { step: 0, misfit })?;
    planner.steps()?;
    let Geometry { vertices, indices, .. } = planner.geometry;
    Ok(Plan { vertices, indices, ..planner.plan })
}

pub(crate) struct Planner<'a> {
    case: &'a Case,
    /// Program of the current step.
    program: &'a LinkedProgram,
    programs: Programs<'a>,
    /// Index of that program.
    current: usize,
    /// Number of `use` steps so far.
    used: usize,
    /// Uniforms of the programs not in use.
    parked: BTreeMap<usize, Vec<Vec<u8>>>,
    /// GL's current attribute values that were set so far.
    currents: Vec<(String, [f32; 4])>,
    plan: Plan,
    options: PlanOptions,
    geometry: Geometry<'a>,
    /// `None` until `clear color`.
    clear_color: Option<[f64; 4]>,
    state: GlState,
    /// State of fragment outputs.
    outputs: OutputState,
    /// Destination of `uniform` commands for blocks.
    block: BlockPlace,
    /// The stage whose uniforms `uniform` commands set, if each stage is a program.
    active_stage: Option<ShaderStage>,
    /// Uniforms of stage objects that are programs and not in use.
    owned: BTreeMap<(Owner, u32), Vec<u8>>,
    /// Contents at the binding points of uniform blocks, if each stage is a program.
    points: BTreeMap<u32, Vec<u8>>,
    /// Current contents of the uniform buffers.
    uniforms: Vec<Vec<u8>>,
    content_indices: BTreeMap<Vec<u8>, usize>,
    binding_indices: BTreeMap<Bindings, usize>,
    /// Current storage buffer of each binding point.
    storage: BTreeMap<u32, usize>,
    /// Storage buffers that are larger than the case declares.
    padded: BTreeSet<usize>,
    /// Current textures and images of the units.
    units: opaque::Units,
    /// Current render targets; of several layers, those of the first.
    render_to: RenderTo,
    /// Bound parts of storage buffers, and the copies that draws need because of them.
    parts: parts::Parts,
    /// True if textures that become render targets are combined with the case's depth buffer.
    attaches_depth: bool,
    /// Render targets of each layer, if the render targets have layers.
    layers: Vec<RenderTo>,
    /// Snapshots whose source has not been written since.
    current_snapshots: BTreeMap<SnapshotSource, usize>,
    /// Bytes of all snapshots so far.
    snapshot_bytes: u64,
    capture: capture::CaptureState,
    /// Buffers that all culled draws share.
    culled: cull::CullState,
    /// Buffers and lists that all draws through geometry stages share.
    emission: geometry_stage::Emission,
    /// State of patches at the current step.
    patches: PatchState,
    /// Levels of the remaining draws whose levels only a run determines.
    levels: std::slice::Iter<'a, Vec<TessellationLevels>>,
    /// Origin of each word of the transform feedback buffers, in a case whose draws read them.
    assembly: Option<Assembly<rows::Word>>,
}

impl Planner<'_> {
    /// Plans all steps, up to one that needs levels that only a run determines.
    fn steps(&mut self) -> Result<(), ExecuteError> {
        for (idx, step) in self.case.steps.iter().enumerate() {
            self.step(idx, &step.value)
                .map_err(|misfit| ExecuteError::Step { step: idx, misfit })?;
            if self.plan.wanted_levels.is_some() {
                break;
            }
        }
        Ok(())
    }

    fn step(&mut self, idx: usize, step: &Step) -> Result<(), Misfit> {
        self.patches.apply(step);
        match step {
            Step::Set(setting) => self.set(setting),
            Step::Run(action) => self.run(idx, action),
            Step::Expect(Expectation::Program(_)) => Ok(()),
            Step::Expect(Expectation::Read(expectation)) => {
                self.capture_expectation(idx, expectation);
                if let Some(snapshot) = self.snapshot_for(expectation)? {
                    self.plan.snapshot_of_step[idx] = Some(snapshot);
                }
                Ok(())
            }
        }
    }

    fn set(&mut self, setting: &Setting) -> Result<(), Misfit> {
        match setting {
            Setting::ClearColor(color) => self.clear_color = Some(*color),
            Setting::Uniform(uniform) => self.set_uniform(uniform)?,
            Setting::Texture(texture) => self.make_texture(texture)?,
            Setting::TextureParameter(parameter) => self.set_parameter(parameter)?,
            Setting::ImageTexture { unit, format } => self.bind_image(*unit, *format)?,
            Setting::FramebufferTextures(units) => self.bind_framebuffer(units)?,
            Setting::FramebufferLayers(unit) => self.bind_layers(*unit)?,
            Setting::Ssbo { binding, size } => {
                let buffer = self.plan.storage_sizes.len();
                self.storage.insert(*binding, buffer);
                let least = self.least_size(*binding);
                self.padded.extend((*size < least).then_some(buffer));
                self.plan.storage_sizes.push((*size).max(least));
            }
            Setting::SsboData { binding, offset, ty, values } => {
                self.write_storage(*binding, *offset, ty, values)?;
            }
            Setting::State(change) => self.change_state(change)?,
            Setting::Use(_) => self.use_next()?,
            Setting::Tolerance(_) => {}
            Setting::Bind(step) => self.bind_step(step)?,
        }
        Ok(())
    }

    fn run(&mut self, idx: usize, action: &Action) -> Result<(), Misfit> {
        match action {
            Action::Clear => self.clear(),
            Action::ClearBuffer { buffer, values } => self.clear_buffer(*buffer, *values),
            Action::Draw(draw) => self.draw(idx, draw)?,
            Action::Xfb(step) => self.capture_step(idx, step)?,
            Action::Compute(groups) => self.dispatch(*groups)?,
        }
        self.copy_back();
        Ok(())
    }

    /// Minimum size of the buffer at `binding`: in GL a buffer may be smaller than its block, in WebGPU it may not.
    fn least_size(&self, binding: u32) -> u32 {
        let mut blocks = self.program.storage_buffers.iter();
        blocks.find(|block| block.case_binding == binding).map_or(0, |block| block.min_size)
    }

    fn change_state(&mut self, change: &StateChange) -> Result<(), Misfit> {
        match change {
            StateChange::Raster(change) => self.state.apply(change, self.render_size()),
            StateChange::Switch { capability, is_enabled } => {
                self.state.switch(*capability, *is_enabled);
            }
            StateChange::Color(color) => self.set_current("gl_Color".to_owned(), *color),
            StateChange::TexCoord { unit, value } => {
                self.set_current(format!("gl_MultiTexCoord{unit}"), *value);
            }
            StateChange::Output(change) => self.outputs.apply(change),
            StateChange::ActiveStage(stage) => self.active_stage = Some(*stage),
            StateChange::Block(change) => self.block.apply(*change),
            StateChange::ProvokingVertex(vertex) => self.geometry.chosen = Some(*vertex),
            StateChange::Subroutine(choice) => {
                ProgramUniforms::of(self.program).choose_subroutine(&mut self.uniforms, choice)?;
            }
            // Colours are part of the linked program, and `PatchState` has the patches.
            StateChange::ShadeModel(_)
            | StateChange::ClampColor { .. }
            | StateChange::Patch(_)
            | StateChange::WithoutEffect => {}
        }
        self.write_state()
    }

    /// Plans passes for a draw of step `step`, which run one after the other with these bindings.
    fn push_passes(&mut self, step: usize, bindings: usize, mut passes: Vec<PlannedPass>) {
        for pass in &mut passes {
            (pass.step, pass.bindings) = (step, bindings);
        }
        let first = self.plan.passes.len();
        self.plan.passes.extend(passes);
        self.plan.operations.push(Operation::Passes(first..self.plan.passes.len()));
    }

    /// Width and height of the current render targets.
    fn render_size(&self) -> [u32; 2] {
        let texture = match self.render_to {
            RenderTo::Window => None,
            RenderTo::Textures { framebuffer: idx, .. } => {
                let first = self.plan.framebuffers.get(idx).and_then(|all| all.first());
                first.and_then(|target| self.plan.textures.get(target.texture))
            }
        };
        texture.map_or(self.case.size, |texture| [texture.size[0], texture.size[1]])
    }

    fn write_state(&mut self) -> Result<(), Misfit> {
        self.state.write(self.program, &mut self.uniforms)
    }

    fn dispatch(&mut self, groups: [u32; 3]) -> Result<(), Misfit> {
        if matches!(self.program.stages, LinkedStages::Render { .. }) {
            return Err("`compute` needs a compute stage, and the program has none".into());
        }
        let bindings = self.bind()?;
        self.plan.operations.push(Operation::Dispatch { groups, bindings });
        Ok(())
    }

    /// Current bindings of the program. Drops the snapshots of resources that it may write.
    fn bind(&mut self) -> Result<usize, Misfit> {
        self.write_swizzles();
        let mut bindings = Bindings {
            program: self.current,
            opaques: self.bind_opaques()?,
            ..Bindings::default()
        };
        self.copy_in();
        for (bytes, buffer) in self.uniforms.iter().zip(&self.program.uniform_buffers) {
            if let Some(part) = self.parts.uniform_at(buffer.case_binding) {
                self.plan.refuse_written(buffer);
                bindings.uniforms.push(self.plan.copied_content(part, bytes.len()));
                continue;
            }
            let contents = &mut self.plan.uniform_contents;
            let known = self.content_indices.get(bytes).copied();
            bindings.uniforms.push(known.unwrap_or_else(|| {
                contents.push(bytes.clone());
                self.content_indices.insert(bytes.clone(), contents.len() - 1);
                contents.len() - 1
            }));
        }
        for block in &self.program.storage_buffers {
            let binding = block.case_binding;
            let buffer = *self.storage.get(&binding).ok_or_else(|| {
                let name = &block.name;
                Misfit(match binding.checked_sub(ATOMIC_COUNTER_POINT) {
                    Some(counters) => format!(
                        "the counters at {counters} need an `atomic counter buffer` before this step"
                    ),
                    None if self.case.dialect == Dialect::Vulkan => {
                        let shown = ir::vulkan::shown(binding);
                        let (set, binding) = shown.split_once(':').unwrap_or(("0", &shown));
                        format!("no buffer is bound as storage to set {set}, binding {binding}")
                    }
                    None => format!(
                        "storage buffer `{name}` needs an `ssbo {} SIZE` before this step",
                        ir::vulkan::shown(binding)
                    ),
                })
            })?;
            bindings.storage.push(buffer);
            if block.is_measured && self.padded.contains(&buffer) {
                self.plan.impossible.get_or_insert_with(|| {
                    format!(
                        "the length of the array in `{}`, whose buffer is smaller than WebGPU lets it be",
                        block.name
                    )
                });
            }
            if block.is_writable {
                self.current_snapshots.remove(&SnapshotSource::Buffer(buffer));
            }
        }
        let all = &mut self.plan.bindings;
        Ok(*self.binding_indices.entry(bindings).or_insert_with_key(|bindings| {
            all.push(bindings.clone());
            all.len() - 1
        }))
    }

    fn write_storage(
        &mut self,
        binding: u32,
        offset: u32,
        ty: &Type,
        values: &[Number],
    ) -> Result<(), Misfit> {
        let Some(&buffer) = self.storage.get(&binding) else {
            return Err(Misfit(format!("there is no {} yet", self.case.buffer_name(binding))));
        };
        let kinds: Vec<_> = ty
            .leaves()
            .iter()
            .flat_map(|leaf| std::iter::repeat_n(leaf.scalar, usize::from(leaf.size)))
            .collect();
        let mut bytes = Vec::new();
        for (value, kind) in values.iter().zip(kinds.iter().cycle()) {
            bytes.extend(scalar::bytes(*value, *kind)?);
        }
        let size = self.plan.storage_sizes[buffer];
        let length = u32::try_from(bytes.len()).ok();
        let end = length.and_then(|length| offset.checked_add(length));
        if end.is_none_or(|end| end > size) {
            let (length, buffer) = (bytes.len(), self.case.buffer_name(binding));
            return Err(Misfit(format!(
                "{length} bytes at offset {offset} do not fit {buffer} of {size} bytes"
            )));
        }
        if !offset.is_multiple_of(4) {
            return Err(Misfit(format!("offset {offset} is not a multiple of 4")));
        }
        if !bytes.is_empty() {
            self.plan.operations.push(Operation::Write { buffer, offset, bytes });
            self.current_snapshots.remove(&SnapshotSource::Buffer(buffer));
        }
        Ok(())
    }
}
