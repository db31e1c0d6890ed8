//! Gathers the uniforms of all stages into buffers, and writes values into them by name.
//!
//! All loose uniforms of a program share one buffer; every uniform block has its own. The layout is std140, which is
//! ours alone to choose for loose uniforms: the prolog of each stage loads from the same offsets.

mod consistency;
pub mod in_place;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use consistency::location_count;

use crate::case::state::SubroutineChoice;
use crate::case::{Number, ShaderStage, UniformStep};
use crate::diagnostic::Diagnostic;
use crate::frontend::stage_module::{StageModule, UniformKind, UniformVariable};
use crate::layout::standard::{MatrixOrder, Standard, layout_of, round_up};
use crate::layout::{BlockLayout, Shape};
use crate::link::interface::{Place, ScalarKind, Type};
use crate::link::program::{BindingPoint, LinkedProgram, StageUse, Uniform, UniformBuffer};
use crate::link::shell::{UniformWire, UniformWires};
use crate::link::type_name::part_at;
use crate::scalar;

/// Bind group of uniform buffers that the prolog reads as raw words.
pub const RAW_UNIFORM_GROUP: u32 = 2;

/// The uniforms of a program.
#[derive(Clone, Debug, Default)]
pub struct Uniforms {
    /// The buffers, in binding order.
    pub buffers: Vec<UniformBuffer>,
    /// For every stage in the order given, what its prolog loads.
    pub wires: Vec<Vec<UniformWires>>,
}

/// Merges the used uniforms of `stages`, and those with an initialiser, which counts for all stages.
/// A uniform that two stages declare differently is an error.
pub fn gather(stages: &[&StageModule]) -> Result<Uniforms, Vec<Diagnostic>> {
    let mut gathering = Gathering::default();
    for stage in stages {
        for uniform in stage.uniforms.iter().filter(|uniform| is_active(uniform)) {
            gathering.add(uniform, stage.stage);
        }
    }
    gathering.errors.extend(consistency::check(stages));
    if !gathering.errors.is_empty() {
        return Err(gathering.errors);
    }
    let buffers = gathering.buffers;
    let wires = stages.iter().map(|stage| wires_of(stage, &buffers)).collect();
    Ok(Uniforms { buffers, wires })
}

/// Where `uniform` commands write in blocks that are known by their binding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockPlace {
    /// `block binding N`.
    pub binding: Option<u32>,
    /// `block array index N`, which counts from that binding on.
    pub element: u32,
    /// `block offset N`.
    pub offset: u32,
    /// `block matrix stride N`.
    pub matrix_stride: u32,
    /// `block row major N`.
    pub is_row_major: bool,
}

/// Name of the hidden uniform that tells where the components of a texture come from: 0 to 3 are its own, 4 is zero
/// and 5 is one.
pub fn swizzle_name(texture: &str) -> String {
    format!("{texture} swizzle")
}

/// Name of the hidden uniform with what is added to the level of every sampling of the texture.
pub fn lod_bias_name(texture: &str) -> String {
    format!("{texture} lod bias")
}

/// Name of a stage's subroutine uniform: other than plain uniforms, each stage has its own.
pub fn subroutine_name(stage: ShaderStage, name: &str) -> String {
    let stage = match stage {
        ShaderStage::Vertex => "vertex",
        ShaderStage::Fragment => "fragment",
        ShaderStage::Compute => "compute",
    };
    format!("{stage} subroutine {name}")
}

/// A uniform with an initialiser stays in the program even when its own stage does not use it, because another stage
/// may: that is how GL drivers have it.
const fn is_active(uniform: &UniformVariable) -> bool {
    uniform.is_used || uniform.initial.is_some()
}

/// Adds `stage` to the users.
pub fn mark(stages: &mut StageUse, stage: ShaderStage) {
    match stage {
        ShaderStage::Vertex => stages.vertex = true,
        ShaderStage::Fragment => stages.fragment = true,
        ShaderStage::Compute => stages.compute = true,
    }
}

#[derive(Default)]
struct Gathering {
    buffers: Vec<UniformBuffer>,
    /// Buffer index by block name; the loose uniforms have the empty name.
    by_name: BTreeMap<String, usize>,
    /// Everything seen so far.
    names: BTreeSet<String>,
    errors: Vec<Diagnostic>,
}

impl Gathering {
    fn add(&mut self, uniform: &UniformVariable, stage: ShaderStage) {
        let is_known = !self.names.insert(uniform.name.clone());
        match &uniform.kind {
            UniformKind::Loose { location } => {
                // Loose uniforms share a buffer; no block is named like the key of a single one.
                let own = in_place::is_in_place(uniform).then(|| format!("{} ", uniform.name));
                let buffer = self.buffer(own.as_deref().unwrap_or(""), None);
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
                if !is_known {
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
                name: if name.ends_with(' ') { String::new() } else { name.to_owned() },
                case_binding,
                at: BindingPoint {
                    group: RAW_UNIFORM_GROUP,
                    binding: u32::try_from(next).unwrap_or(u32::MAX),
                },
                stages: StageUse::default(),
                size: 0,
                is_std140: true,
                uniforms: Vec::new(),
            });
        }
        &mut self.buffers[idx]
    }
}

fn std140(ty: &Type) -> BlockLayout {
    layout_of(ty, Standard::Std140, MatrixOrder::ColumnMajor)
}

/// Where the parts of a uniform are: as its block says, else by std140 with what `layout` says of the members.
pub fn layout_of_uniform(uniform: &UniformVariable) -> BlockLayout {
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

/// An initialiser may stand in either stage.
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
    for buffer in buffers {
        let wires: Vec<UniformWire> = stage
            .uniforms
            .iter()
            .filter(|uniform| uniform.is_used && !in_place::is_in_place(uniform))
            .filter_map(|uniform| Some((uniform, base_offset(buffer, uniform)?)))
            .flat_map(|(uniform, base)| wires_of_uniform(uniform, base))
            .collect();
        if !wires.is_empty() {
            all.push(UniformWires { at: buffer.at, vectors: buffer.size / 16, wires });
        }
    }
    all
}

/// Offset of the uniform (or of its whole block, which starts at 0) when it lives in `buffer`.
fn base_offset(buffer: &UniformBuffer, uniform: &UniformVariable) -> Option<u32> {
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

/// The buffer in which a scalar of `uniform` is, and its word there.
pub fn word_of(
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
    let wire = |leaf: crate::link::interface::Leaf| {
        let mut path = uniform.place.path.clone();
        path.extend(&leaf.path);
        let words = offsets
            .by_ref()
            .take(usize::from(leaf.size))
            .map(|offset| (base + offset) / 4)
            .collect();
        UniformWire {
            place: Place { global: uniform.place.global, path },
            scalar: leaf.scalar,
            words,
        }
    };
    uniform.ty.leaves().into_iter().map(wire).collect()
}

impl LinkedProgram {
    /// The content of every uniform buffer before the case sets anything: initialisers and zeros.
    pub fn initial_uniforms(&self) -> Vec<Vec<u8>> {
        let content = |buffer: &UniformBuffer| {
            let mut bytes = vec![0; buffer.size as usize];
            for uniform in &buffer.uniforms {
                let offsets = uniform.layout.scalar_offsets(&uniform.ty);
                for (offset, bits) in offsets.iter().zip(uniform.initial.iter().flatten()) {
                    put(&mut bytes, uniform.offset + offset, *bits);
                }
            }
            bytes
        };
        self.uniform_buffers.iter().map(content).collect()
    }

    /// Writes the value of a `uniform` line into the buffers, which are as [`Self::initial_uniforms`] made them.
    /// The error says which name, type or number does not fit.
    pub fn write_uniform(&self, buffers: &mut [Vec<u8>], step: &UniformStep) -> Result<(), String> {
        let (idx, uniform, path) = self.find_uniform(&step.name)?;
        let part = part_at(&uniform.ty, &path).ok_or_else(|| {
            format!(
                "`{}` is no part of uniform `{}`, which is {}",
                step.name, uniform.name, uniform.ty
            )
        })?;
        let (layout, offset) = uniform.layout.part(&part.path).ok_or_else(|| {
            format!("`{}` is a matrix column, which cannot be set alone", step.name)
        })?;
        let (ty, layout) = first_element(part.ty, layout);
        let offsets = layout.scalar_offsets(&ty);
        let is_in_block = !self.uniform_buffers[idx].name.is_empty();
        if is_in_block && ty != step.ty {
            let layout = std140(&step.ty);
            return write_as(&mut buffers[idx], uniform.offset + offset, &layout, step);
        }
        check_type(step, &ty)?;
        if step.values.len() != offsets.len() {
            let (wanted, got) = (offsets.len(), step.values.len());
            return Err(format!("`{}` is {ty} and takes {wanted} numbers, not {got}", step.name));
        }
        let kind = ty.leaves().first().map_or(ScalarKind::F32, |leaf| leaf.scalar);
        for (value, scalar_offset) in step.values.iter().zip(offsets) {
            let bits = scalar::bits(*value, kind)
                .map_err(|error| format!("{error}, as `{}` is", step.name))?;
            let bits = u32::try_from(bits)
                .map_err(|_| format!("64-bit `{}` cannot be set yet", step.name))?;
            put(&mut buffers[idx], uniform.offset + offset + scalar_offset, bits);
        }
        Ok(())
    }

    /// Makes the subroutine uniform `choice.uniform`, or the element of an array that it names, the index of a function.
    pub fn choose_subroutine(
        &self,
        buffers: &mut [Vec<u8>],
        choice: &SubroutineChoice,
    ) -> Result<(), String> {
        let SubroutineChoice { stage, uniform, function } = choice;
        let name = subroutine_name(*stage, uniform);
        let (_, known, _) = self
            .find_uniform(&name)
            .map_err(|_| format!("there is no active subroutine uniform `{uniform}`"))?;
        let index = known.functions.iter().position(|known| known == function);
        let index = index
            .and_then(|index| i128::try_from(index).ok())
            .ok_or_else(|| format!("`{function}` is no function of the type of `{uniform}`"))?;
        let (ty, values) = (Type::Scalar(ScalarKind::U32), vec![Number::Integer(index)]);
        self.write_uniform(buffers, &UniformStep { name, ty, values })
    }

    /// Whether the line's type is the one that the uniform, or member of a block, has. In piglit's files a line into a
    /// block writes bytes of its own type instead.
    pub fn check_uniform_type(&self, step: &UniformStep) -> Result<(), String> {
        let (_, uniform, path) = self.find_uniform(&step.name)?;
        let Some(part) = part_at(&uniform.ty, &path) else { return Ok(()) };
        let (ty, _) = first_element(part.ty, uniform.layout.clone());
        check_type(step, &ty)
    }

    /// What `Block.member` is called in element `element`, counted through all dimensions, when `Block` is an array of
    /// blocks.
    pub fn name_in_block_array(&self, name: &str, element: u32) -> Option<String> {
        let (block, member) = name.split_once('.')?;
        let uniforms = self.uniform_buffers.iter().flat_map(|buffer| &buffer.uniforms);
        let is_element = |uniform: &&Uniform| {
            uniform.name.strip_prefix(block).is_some_and(|rest| rest.starts_with('['))
        };
        let uniform = uniforms.filter(is_element).nth(usize::try_from(element).ok()?)?;
        Some(format!("{}.{member}", uniform.name))
    }

    /// Writes where the components of the texture `name` come from, where the program asks for it.
    pub fn write_swizzle(&self, buffers: &mut [Vec<u8>], name: &str, components: [u32; 4]) {
        let name = swizzle_name(name);
        for (buffer, bytes) in self.uniform_buffers.iter().zip(buffers) {
            let Some(uniform) = buffer.uniforms.iter().find(|it| it.name == name) else { continue };
            for (offset, component) in (0..).step_by(4).zip(components) {
                put(bytes, uniform.offset + offset, component);
            }
        }
    }

    /// Writes what is added to the levels of the texture `name`, where the program asks for it.
    #[expect(clippy::cast_possible_truncation, reason = "shaders have it as a float")]
    pub fn write_lod_bias(&self, buffers: &mut [Vec<u8>], name: &str, bias: f64) {
        let name = lod_bias_name(name);
        for (buffer, bytes) in self.uniform_buffers.iter().zip(buffers) {
            if let Some(uniform) = buffer.uniforms.iter().find(|it| it.name == name) {
                put(bytes, uniform.offset, (bias as f32).to_bits());
            }
        }
    }

    /// Writes the value of a `uniform` line where `block …` commands said. The line's own type lays it out.
    pub fn write_at(
        &self,
        buffers: &mut [Vec<u8>],
        place: &BlockPlace,
        step: &UniformStep,
    ) -> Result<(), String> {
        let binding = place.binding.unwrap_or(0).saturating_add(place.element);
        let mut all = self.uniform_buffers.iter();
        let Some(idx) = all.position(|buffer| buffer.case_binding == Some(binding)) else {
            let is_declared =
                self.reflection.uniform_blocks.iter().any(|block| block.binding == binding);
            // Nothing reads a block that no code names.
            return if is_declared {
                Ok(())
            } else {
                Err(format!("the program has no uniform block at binding {binding}"))
            };
        };
        let layout = match &step.ty {
            Type::Matrix { .. } if place.matrix_stride == 0 => {
                return Err("`block matrix stride` must come before a matrix".to_owned());
            }
            Type::Matrix { .. } => BlockLayout {
                shape: Shape::Matrix {
                    stride: place.matrix_stride,
                    is_row_major: place.is_row_major,
                },
                ..std140(&step.ty)
            },
            Type::Scalar(_) | Type::Vector { .. } | Type::Array { .. } | Type::Struct(_) => {
                std140(&step.ty)
            }
        };
        write_as(&mut buffers[idx], place.offset, &layout, step)
    }

    /// Whether [`Self::write_uniform`] finds something by this name.
    pub fn has_uniform(&self, name: &str) -> bool {
        self.find_uniform(name)
            .is_ok_and(|(_, uniform, path)| part_at(&uniform.ty, &path).is_some())
    }

    fn find_uniform<'a>(&self, name: &'a str) -> Result<(usize, &Uniform, Cow<'a, str>), String> {
        let location: Option<u32> = name.parse().ok();
        let all = self.uniform_buffers.iter().enumerate();
        let all = all.flat_map(|(idx, buffer)| buffer.uniforms.iter().map(move |it| (idx, it)));
        let fits = |uniform: &Uniform| {
            let behind = |own: &str| {
                let rest = name.strip_prefix(own).filter(|_| !own.is_empty());
                rest.filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            };
            let by_name = behind(&uniform.name).or_else(|| behind(&uniform.alias));
            let at_location =
                || part_at_location(&uniform.ty, location?.checked_sub(uniform.location?)?);
            by_name.map(Cow::Borrowed).or_else(|| at_location().map(Cow::Owned))
        };
        // An element of an array of blocks is a uniform called `Block[1]`.
        let found = all
            .filter_map(|(idx, uniform)| Some((idx, uniform, fits(uniform)?)))
            .max_by_key(|(_, uniform, _)| uniform.name.len());
        if let Some(found) = found {
            return Ok(found);
        }
        let names = self
            .uniform_buffers
            .iter()
            .flat_map(|buffer| &buffer.uniforms)
            .map(|uniform| uniform.name.as_str());
        let known: Vec<&str> = names.collect();
        if known.is_empty() {
            return Err(format!(
                "uniform `{name}` is not used by the program, which has no uniforms"
            ));
        }
        let known = known.join("`, `");
        Err(format!("uniform `{name}` is not used by the program; it has `{known}`"))
    }
}

/// In a block the bytes are written as the line's own type lays them out, whatever the member's type is.
fn write_as(
    buffer: &mut [u8],
    offset: u32,
    layout: &BlockLayout,
    step: &UniformStep,
) -> Result<(), String> {
    let offsets = layout.scalar_offsets(&step.ty);
    let leaves = step.ty.leaves();
    let kind = leaves.first().map_or(ScalarKind::F32, |leaf| leaf.scalar);
    for (value, scalar_offset) in step.values.iter().zip(offsets) {
        let at = offset.saturating_add(scalar_offset) as usize;
        let bytes = scalar::bytes(*value, kind)
            .map_err(|error| format!("{error}, as `{}` is", step.name))?;
        let place = buffer.get_mut(at..at + bytes.len());
        place
            .ok_or_else(|| format!("`{}` ends behind its block", step.name))?
            .copy_from_slice(&bytes);
    }
    Ok(())
}

/// The path of the part at a location counted from the uniform's own: every element of an array and every member of a
/// struct has one.
fn part_at_location(ty: &Type, location: u32) -> Option<String> {
    match ty {
        Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } => {
            (location == 0).then(String::new)
        }
        Type::Array { element, length } => {
            let each = location_count(element).max(1);
            let rest = part_at_location(element, location % each)?;
            // An array is set from its first element on.
            (location / each < *length).then(|| match (location, &**element) {
                (0, Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. }) => String::new(),
                _ => format!("[{}]{rest}", location / each),
            })
        }
        Type::Struct(ty) => {
            let mut before = 0;
            for member in &ty.members {
                let count = location_count(&member.ty);
                if location < before + count {
                    let rest = part_at_location(&member.ty, location - before)?;
                    return Some(format!(".{}{rest}", member.name));
                }
                before += count;
            }
            None
        }
    }
}

/// An array named without index means its first element.
fn first_element(ty: Type, layout: BlockLayout) -> (Type, BlockLayout) {
    match (ty, layout.shape) {
        (Type::Array { element: ty, .. }, Shape::Array { element, .. }) => (*ty, *element),
        (ty, shape) => (ty, BlockLayout { shape, ..layout }),
    }
}

fn check_type(step: &UniformStep, ty: &Type) -> Result<(), String> {
    let is_bool = ty.leaves().first().is_some_and(|leaf| leaf.scalar == ScalarKind::Bool);
    let is_same_shape = match (&step.ty, ty) {
        (Type::Scalar(_), Type::Scalar(_)) => true,
        (Type::Vector { size: first, .. }, Type::Vector { size: second, .. }) => first == second,
        _ => false,
    };
    if step.ty == *ty || (is_bool && is_same_shape) {
        return Ok(());
    }
    Err(format!("uniform `{}` is {ty}, not {}", step.name, step.ty))
}

fn put(bytes: &mut [u8], offset: u32, bits: u32) {
    let start = offset as usize;
    if let Some(place) = bytes.get_mut(start..start + 4) {
        place.copy_from_slice(&bits.to_le_bytes());
    }
}
