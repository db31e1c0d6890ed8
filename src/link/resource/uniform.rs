//! Collects the uniforms of all stages in buffers, into which the values of `uniform` commands are written.
//!
//! All loose uniforms of a program share one buffer, and every uniform block has its own. The layout is std140. For
//! loose uniforms any layout would be correct, because the prolog of each stage loads from the same offsets.

mod consistency;
pub mod in_place;

use std::collections::{BTreeMap, BTreeSet};

use crate::LinkError;
use crate::table::binding::{BindingPoint, Sharing, StageUse, Uniform, UniformBuffer, mark};
use crate::table::declared_block;
use crate::table::shell::{UniformWire, UniformWires};
use ir::declared_block::BlockKind;
use ir::diagnostic::Diagnostic;
use ir::interface::{Place, Type};
use ir::layout::standard::{MatrixOrder, Standard, layout_of, round_up};
use ir::layout::{BlockLayout, Shape};
use ir::stage::ShaderStage;
use ir::stage_module::{StageModule, UniformKind, UniformVariable};

/// Bind group of uniform buffers that the prolog reads as raw words.
pub const RAW_UNIFORM_GROUP: u32 = 2;

/// The uniforms of a program.
#[derive(Clone, Debug, Default)]
pub struct Uniforms {
    /// The buffers, in binding order.
    pub buffers: Vec<UniformBuffer>,
    /// The loads of each stage's prolog, in the order of the stages.
    pub wires: Vec<Vec<UniformWires>>,
}

/// Merges the used uniforms of `stages`, and those with an initialiser, which applies to all stages. Different
/// declarations of a uniform in two stages are an error.
pub fn gather(stages: &[&StageModule]) -> Result<Uniforms, Vec<Diagnostic>> {
    let mut gathering = Gathering::default();
    for stage in stages {
        for uniform in stage.uniforms.iter().filter(|uniform| is_active(uniform)) {
            gathering.add(uniform, stage.stage);
        }
    }
    gathering.errors.extend(consistency::check(stages));
    if gathering.errors.is_empty() {
        gathering.errors = declared_block::check(stages, BlockKind::Uniform);
    }
    if !gathering.errors.is_empty() {
        return Err(gathering.errors);
    }
    let buffers = gathering.buffers;
    let wires = stages.iter().map(|stage| wires_of(stage, &buffers)).collect();
    Ok(Uniforms { buffers, wires })
}

/// Like [`gather`], for stages that may be separate programs.
pub(crate) fn gather_program(
    stages: &[&StageModule],
    sharing: Sharing,
) -> Result<Uniforms, LinkError> {
    let gathered = match sharing {
        Sharing::ByName => gather(stages),
        Sharing::Apart => gather_apart(stages),
    };
    gathered.map_err(LinkError::Refused)
}

/// Collects the uniforms of each stage separately: equal names have no meaning.
fn gather_apart(stages: &[&StageModule]) -> Result<Uniforms, Vec<Diagnostic>> {
    let mut all = Uniforms::default();
    for stage in stages {
        let Uniforms { mut buffers, mut wires } = gather(&[stage])?;
        let first = Sharing::Apart.first_binding(stage);
        let points = buffers.iter_mut().map(|buffer| &mut buffer.at);
        for at in points.chain(wires.iter_mut().flatten().map(|wires| &mut wires.at)) {
            at.binding = at.binding.saturating_add(first);
        }
        for buffer in &mut buffers {
            buffer.owner = Sharing::Apart.owner(stage);
        }
        all.buffers.extend(buffers);
        all.wires.extend(wires);
    }
    Ok(all)
}

/// True if a uniform is part of the program. A uniform with an initialiser always is, because another stage may use it;
/// GL drivers do the same.
const fn is_active(uniform: &UniformVariable) -> bool {
    uniform.is_used || uniform.initial.is_some()
}

#[derive(Default)]
struct Gathering {
    buffers: Vec<UniformBuffer>,
    /// Index of the buffer by block name. The buffer of loose uniforms has the empty name.
    by_name: BTreeMap<String, usize>,
    /// The uniforms so far: whether each is a block, and its name. A block and a loose uniform may have the same name.
    names: BTreeSet<(bool, String)>,
    errors: Vec<Diagnostic>,
}

impl Gathering {
    fn add(&mut self, uniform: &UniformVariable, stage: ShaderStage) {
        let is_block = matches!(uniform.kind, UniformKind::Block { .. });
        let is_known = !self.names.insert((is_block, uniform.name.clone()));
        match &uniform.kind {
            UniformKind::Loose { location } => {
                let buffer = self.buffer("", None);
                if uniform.is_used {
                    mark(&mut buffer.stages, stage);
                }
                if is_known {
                    keep_initial(buffer, uniform);
                } else {
                    append(buffer, loose(uniform, *location));
                }
            }
            UniformKind::Subroutine { functions } => {
                let buffer = self.buffer("", None);
                mark(&mut buffer.stages, stage);
                let functions = functions.clone();
                append(buffer, Uniform { functions, ..loose(uniform, None) });
            }
            UniformKind::Block { binding, has_instance_name } => {
                let buffer = self.buffer(&uniform.name, *binding);
                mark(&mut buffer.stages, stage);
                if is_known {
                    // In Vulkan a stage may declare a larger block than the first stage.
                    let size = round_up(layout_of_uniform(uniform).size, 16);
                    buffer.size = buffer.size.max(size);
                } else {
                    add_block(buffer, uniform, *has_instance_name);
                }
            }
        }
    }

    fn buffer(&mut self, name: &str, case_binding: Option<u32>) -> &mut UniformBuffer {
        let next = self.buffers.len();
        let idx = *self.by_name.entry(name.to_owned()).or_insert(next);
        if idx == next {
            self.buffers.push(UniformBuffer {
                name: name.to_owned(),
                case_binding,
                at: BindingPoint {
                    group: RAW_UNIFORM_GROUP,
                    binding: u32::try_from(next).unwrap_or(u32::MAX),
                },
                stages: StageUse::default(),
                owner: None,
                size: 0,
                is_std140: true,
                uniforms: Vec::new(),
            });
        }
        &mut self.buffers[idx]
    }
}

/// The layout of a loose uniform, or of a value that is written into a block: that of `std140`.
pub fn std140(ty: &Type) -> BlockLayout {
    layout_of(ty, Standard::Std140, MatrixOrder::ColumnMajor)
}

/// The layout of a uniform: that of its block, else std140 with the layout qualifiers of the members.
pub(crate) fn layout_of_uniform(uniform: &UniformVariable) -> BlockLayout {
    if let Some(layout) = &uniform.layout {
        return layout.clone();
    }
    let Type::Struct(ty) = &uniform.ty else { return std140(&uniform.ty) };
    if uniform.members.len() != ty.members.len() {
        return std140(&uniform.ty);
    }
    let mut placed = Vec::new();
    let (mut end, mut alignment) = (0_u32, 16_u32);
    for (member, words) in ty.members.iter().zip(&uniform.members) {
        let layout = layout_of(&member.ty, words.standard, words.order());
        let stricter = layout.alignment.max(words.align.unwrap_or(1));
        let offset = round_up(words.offset.unwrap_or(end), stricter);
        end = offset.saturating_add(layout.size);
        alignment = alignment.max(stricter);
        placed.push((offset, layout));
    }
    BlockLayout { size: round_up(end, alignment), alignment, shape: Shape::Struct(placed) }
}

fn loose(uniform: &UniformVariable, location: Option<u32>) -> Uniform {
    Uniform {
        name: uniform.name.clone(),
        alias: uniform.alias.clone(),
        layout: layout_of_uniform(uniform),
        ty: uniform.ty.clone(),
        offset: 0,
        location,
        initial: uniform.initial.clone(),
        functions: Vec::new(),
        span: uniform.span,
    }
}

fn append(buffer: &mut UniformBuffer, mut uniform: Uniform) {
    uniform.offset = round_up(buffer.size, uniform.layout.alignment);
    buffer.size = round_up(uniform.offset.saturating_add(uniform.layout.size), 16);
    buffer.uniforms.push(uniform);
}

/// Records the initialiser, which may be in either stage.
fn keep_initial(buffer: &mut UniformBuffer, uniform: &UniformVariable) {
    let known = buffer.uniforms.iter_mut().find(|known| known.name == uniform.name);
    if let Some(known) = known.filter(|known| known.initial.is_none()) {
        known.initial.clone_from(&uniform.initial);
    }
}

fn add_block(buffer: &mut UniformBuffer, uniform: &UniformVariable, has_instance_name: bool) {
    let layout = layout_of_uniform(uniform);
    buffer.size = round_up(layout.size, 16);
    match (&uniform.ty, &layout.shape) {
        (Type::Struct(ty), Shape::Struct(members)) if !has_instance_name => {
            for (member, (offset, layout)) in ty.members.iter().zip(members) {
                buffer.uniforms.push(Uniform {
                    name: member.name.clone(),
                    alias: String::new(),
                    ty: member.ty.clone(),
                    layout: layout.clone(),
                    offset: *offset,
                    location: None,
                    initial: None,
                    functions: Vec::new(),
                    span: uniform.span,
                });
            }
        }
        _ => buffer.uniforms.push(loose(uniform, None)),
    }
}

fn wires_of(stage: &StageModule, buffers: &[UniformBuffer]) -> Vec<UniformWires> {
    let mut all = Vec::new();
    let in_place = in_place::globals(stage);
    for buffer in buffers {
        let wires: Vec<UniformWire> = stage
            .uniforms
            .iter()
            .filter(|uniform| uniform.is_used && !in_place.contains(&uniform.place.global))
            .filter_map(|uniform| Some((uniform, base_offset(buffer, uniform)?)))
            .flat_map(|(uniform, base)| wires_of_uniform(uniform, base))
            .collect();
        if !wires.is_empty() {
            all.push(UniformWires { at: buffer.at, vectors: buffer.size / 16, wires });
        }
    }
    all
}

/// The offset of the uniform (or of its whole block, which starts at 0) if it is in `buffer`.
pub(super) fn base_offset(buffer: &UniformBuffer, uniform: &UniformVariable) -> Option<u32> {
    match uniform.kind {
        UniformKind::Block { .. } => (buffer.name == uniform.name).then_some(0),
        UniformKind::Loose { .. } | UniformKind::Subroutine { .. } if buffer.name.is_empty() => {
            buffer
                .uniforms
                .iter()
                .find(|known| known.name == uniform.name)
                .map(|known| known.offset)
        }
        UniformKind::Loose { .. } | UniformKind::Subroutine { .. } => None,
    }
}

/// Index of the buffer that contains a scalar of `uniform`, and index of the scalar's word there.
pub(crate) fn word_of(
    uniform: &UniformVariable,
    scalar: usize,
    buffers: &[UniformBuffer],
) -> Option<(usize, u32)> {
    let found = buffers.iter().enumerate();
    let mut found = found.filter_map(|(idx, buffer)| Some((idx, base_offset(buffer, uniform)?)));
    let (buffer, base) = found.next()?;
    let layout = layout_of_uniform(uniform);
    let offset = layout.scalar_offsets(&uniform.ty).get(scalar).copied()?;
    Some((buffer, (base + offset) / 4))
}

fn wires_of_uniform(uniform: &UniformVariable, base: u32) -> Vec<UniformWire> {
    let offsets = layout_of_uniform(uniform).scalar_offsets(&uniform.ty);
    let mut offsets = offsets.into_iter();
    let wire = |leaf: ir::interface::Leaf| {
        let mut path = uniform.place.path.clone();
        path.extend(&leaf.path);
        let words = offsets
            .by_ref()
            .take(usize::from(leaf.size))
            .flat_map(|offset| {
                (0..leaf.scalar.components()).map(move |half| (base + offset) / 4 + half)
            })
            .collect();
        UniformWire {
            place: Place { global: uniform.place.global, path },
            scalar: leaf.scalar,
            words,
        }
    };
    uniform.ty.leaves().into_iter().map(wire).collect()
}
