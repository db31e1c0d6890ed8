//! Writes values into the uniform buffers of a linked program: by name, by location, or by place in a block.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::error::Misfit;
use case::UniformStep;
use case::state::{BlockChange, SubroutineChoice};
use ir::interface::{ScalarKind, Type};
use ir::layout::{BlockLayout, Shape};
use ir::scalar::{self, Number};
use ir::stage::ShaderStage;
use ir::type_name::part_at;
use ir::uniform::{location_count, lod_bias_name, subroutine_name, swizzle_name};
use ir::vulkan::PUSH_CONSTANT_POINT;
use link::program::LinkedProgram;
use link::resource::uniform::std140;
use link::table::binding::{OpaqueBinding, Uniform, UniformBuffer};

/// Destination of `uniform` commands that address a block by its binding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BlockPlace {
    /// Binding of the block, from `block binding N`.
    pub(super) binding: Option<u32>,
    /// Index in an array of blocks, from `block array index N`, counted from the binding.
    pub(super) element: u32,
    /// Byte offset in the block, from `block offset N`.
    pub(super) offset: u32,
    /// Matrix stride in bytes, from `block matrix stride N`.
    pub(super) matrix_stride: u32,
    /// True for row-major matrices, from `block row major N`.
    pub(super) is_row_major: bool,
}

impl BlockPlace {
    pub(super) const fn apply(&mut self, change: BlockChange) {
        match change {
            BlockChange::Element(element) => self.element = element,
            BlockChange::Binding(binding) => self.binding = Some(binding),
            BlockChange::Offset(offset) => self.offset = offset,
            BlockChange::MatrixStride(stride) => self.matrix_stride = stride,
            BlockChange::RowMajor(is_row_major) => self.is_row_major = is_row_major,
        }
    }
}

/// The uniforms of a linked program. Its methods write into the contents of its uniform buffers, in their order.
#[derive(Debug)]
pub(super) struct ProgramUniforms<'a> {
    program: &'a LinkedProgram,
}

impl<'a> ProgramUniforms<'a> {
    pub(super) const fn of(program: &'a LinkedProgram) -> Self {
        Self { program }
    }
}

impl ProgramUniforms<'_> {
    /// The initial content of every uniform buffer: initialisers and zeros.
    pub(super) fn initial(&self) -> Vec<Vec<u8>> {
        let content = |buffer: &UniformBuffer| {
            let mut bytes = vec![0; buffer.size as usize];
            for uniform in &buffer.uniforms {
                let offsets = uniform.layout.scalar_offsets(&uniform.ty);
                let scalars = offsets.into_iter().zip(uniform.ty.scalars());
                for ((offset, kind), bits) in scalars.zip(uniform.initial.iter().flatten()) {
                    put_scalar(&mut bytes, uniform.offset + offset, *bits, kind);
                }
            }
            bytes
        };
        self.program.uniform_buffers.iter().map(content).collect()
    }

    /// Writes the value of a `uniform` line into the buffers, which [`Self::initial`] made. If stages are
    /// separate programs, writes into all that have the uniform. The error names the name, type or number that does not
    /// fit.
    pub(super) fn write(&self, buffers: &mut [Vec<u8>], step: &UniformStep) -> Result<(), Misfit> {
        self.write_of(None, buffers, step)
    }

    /// Like [`Self::write`], limited to the uniforms of `stage` if there is one.
    pub(super) fn write_of(
        &self,
        stage: Option<ShaderStage>,
        buffers: &mut [Vec<u8>],
        step: &UniformStep,
    ) -> Result<(), Misfit> {
        for found in self.find_uniforms(&step.name, stage)? {
            write_found(&self.program.uniform_buffers, found, buffers, step)?;
        }
        Ok(())
    }

    /// The bits of a 32-bit scalar in the value of uniform `name` of `stage`. `scalar` is its index in leaf order.
    /// `None` if the uniform does not exist.
    pub(super) fn read_scalar(
        &self,
        buffers: &[Vec<u8>],
        stage: ShaderStage,
        name: &str,
        scalar: usize,
    ) -> Option<u32> {
        let (_, (buffer, uniform, _)) = self.named_uniforms(name, Some(stage)).pop_first()?;
        let offset = *uniform.layout.scalar_offsets(&uniform.ty).get(scalar)?;
        let first = (uniform.offset + offset) as usize;
        let bytes = buffers.get(buffer)?.get(first..first + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    /// Sets the subroutine uniform (or array element) `choice.uniform` to the index of a function.
    pub(super) fn choose_subroutine(
        &self,
        buffers: &mut [Vec<u8>],
        choice: &SubroutineChoice,
    ) -> Result<(), Misfit> {
        let SubroutineChoice { stage, uniform, function } = choice;
        let name = subroutine_name(*stage, uniform);
        let (_, known, _) = self.find_uniform(&name).map_err(|_| {
            Misfit(format!("the program has no active subroutine uniform `{uniform}`"))
        })?;
        let index = known.functions.iter().position(|known| known == function);
        let index = index.and_then(|index| i128::try_from(index).ok()).ok_or_else(|| {
            Misfit(format!("`{function}` is not a function of the type of `{uniform}`"))
        })?;
        let (ty, values) = (Type::Scalar(ScalarKind::U32), vec![Number::Integer(index)]);
        self.write(buffers, &UniformStep { name, ty, values })
    }

    /// Checks that the line's type is that of the uniform or block member. In piglit's files a line into a block writes
    /// bytes of its own type instead.
    pub(super) fn check_type(
        &self,
        stage: Option<ShaderStage>,
        step: &UniformStep,
    ) -> Result<(), Misfit> {
        for (_, uniform, path) in self.find_uniforms(&step.name, stage)? {
            let Some(part) = part_at(&uniform.ty, &path) else { continue };
            let (ty, _) = first_element(part.ty, uniform.layout.clone());
            check_type(step, &ty)?;
        }
        Ok(())
    }

    /// The name of `Block.member` in element `element`, counted through all dimensions, if `Block` is an array of
    /// blocks. If `stage` is given and each stage is a separate program, the search is limited to this stage.
    pub(super) fn name_in_block_array(
        &self,
        stage: Option<ShaderStage>,
        name: &str,
        element: u32,
    ) -> Option<String> {
        let (block, member) = name.split_once('.')?;
        let buffers =
            self.program.uniform_buffers.iter().filter(|buffer| is_of(buffer.owner, stage));
        let uniforms = buffers
            .flat_map(|buffer| buffer.uniforms.iter().map(|uniform| (buffer.owner, uniform)));
        let mut elements = uniforms
            .filter(|(_, uniform)| {
                uniform.name.strip_prefix(block).is_some_and(|rest| rest.starts_with('['))
            })
            .peekable();
        // Elements with the same name in two programs count once.
        let owner = elements.peek()?.0;
        let mut own = elements.filter(|(stage, _)| *stage == owner);
        let (_, uniform) = own.nth(usize::try_from(element).ok()?)?;
        Some(format!("{}.{member}", uniform.name))
    }

    /// Writes the swizzle of a texture, if the program uses it.
    pub(super) fn write_swizzle(
        &self,
        buffers: &mut [Vec<u8>],
        texture: &OpaqueBinding,
        components: [u32; 4],
    ) {
        let name = swizzle_name(&texture.name);
        let all = self.program.uniform_buffers.iter().zip(buffers);
        for (buffer, bytes) in all.filter(|(buffer, _)| is_of(buffer.owner, texture.owner)) {
            let Some(uniform) = buffer.uniforms.iter().find(|uniform| uniform.name == name) else {
                continue;
            };
            for (offset, component) in (0..).step_by(4).zip(components) {
                put(bytes, uniform.offset + offset, component);
            }
        }
    }

    /// Writes the level-of-detail bias of a texture, if the program uses it.
    #[expect(clippy::cast_possible_truncation, reason = "shaders have it as a float")]
    pub(super) fn write_lod_bias(
        &self,
        buffers: &mut [Vec<u8>],
        texture: &OpaqueBinding,
        bias: f64,
    ) {
        let name = lod_bias_name(&texture.name);
        let all = self.program.uniform_buffers.iter().zip(buffers);
        for (buffer, bytes) in all.filter(|(buffer, _)| is_of(buffer.owner, texture.owner)) {
            if let Some(uniform) = buffer.uniforms.iter().find(|uniform| uniform.name == name) {
                put(bytes, uniform.offset, (bias as f32).to_bits());
            }
        }
    }

    /// Writes the value of a `uniform` line to the place that the `block …` commands select. The line's own type
    /// determines the layout.
    pub(super) fn write_at(
        &self,
        buffers: &mut [Vec<u8>],
        place: &BlockPlace,
        step: &UniformStep,
    ) -> Result<(), Misfit> {
        let binding = place.binding.unwrap_or(0).saturating_add(place.element);
        let all = self.program.uniform_buffers.iter().enumerate();
        let there = all.filter(|(_, buffer)| buffer.case_binding == Some(binding));
        // If each stage is a separate program, the larger block at a binding point covers the whole buffer.
        let Some((idx, _)) = there.max_by_key(|(idx, buffer)| (buffer.size, Reverse(*idx))) else {
            let is_declared = self
                .program
                .reflections()
                .any(|stage| stage.uniform_blocks.iter().any(|block| block.binding == binding));
            // A block that no code names is never read.
            return if is_declared {
                Ok(())
            } else {
                Err(Misfit(match binding {
                    PUSH_CONSTANT_POINT => "the program has no immediates".to_owned(),
                    _ => format!("the program has no uniform block at binding {binding}"),
                }))
            };
        };
        write_in_block(&mut buffers[idx], place, step)
    }

    /// True if [`Self::write`] finds a uniform with this name.
    pub(super) fn has(&self, name: &str) -> bool {
        let found = self.named_uniforms(name, None);
        found.values().next().is_some_and(|(_, uniform, path)| part_at(&uniform.ty, path).is_some())
    }

    fn find_uniform<'a>(&self, name: &'a str) -> Result<Found<'_, 'a>, Misfit> {
        self.find_uniforms(name, None).map(|mut found| found.swap_remove(0))
    }

    /// The uniforms called `name`: one, or one of each stage that is a separate program. An error if there is none.
    fn find_uniforms<'a>(
        &self,
        name: &'a str,
        stage: Option<ShaderStage>,
    ) -> Result<Vec<Found<'_, 'a>>, Misfit> {
        let found = self.named_uniforms(name, stage);
        if !found.is_empty() {
            self.check_alias(name)?;
            self.check_meaning(name, stage)?;
            return Ok(found.into_values().collect());
        }
        let names = self.program.uniform_buffers.iter().flat_map(|buffer| &buffer.uniforms).map(
            |uniform| match uniform.alias.as_str() {
                "" => uniform.name.as_str(),
                alias => alias,
            },
        );
        let known: Vec<&str> = names.collect();
        if known.is_empty() {
            return Err(Misfit(format!(
                "uniform `{name}` is not used by the program, which has no uniforms"
            )));
        }
        let known = known.join("`, `");
        Err(Misfit(format!("uniform `{name}` is not used by the program; it has `{known}`")))
    }

    /// Checks that no two WGSL buffers have this name: each WGSL stage chooses its own names for buffers.
    fn check_alias(&self, name: &str) -> Result<(), Misfit> {
        let mut seen: BTreeMap<Option<ShaderStage>, &str> = BTreeMap::new();
        for buffer in &self.program.uniform_buffers {
            let is_wgsl = |own: &Uniform| own.name.starts_with('@') || buffer.is_immediate();
            let is_called = |own: &&Uniform| is_wgsl(own) && path_in(own, name).is_some();
            let Some(own) = buffer.uniforms.iter().find(is_called) else { continue };
            let first = *seen.entry(buffer.owner).or_insert(&own.name);
            if first != own.name {
                let message = format!(
                    "`{name}` may be in {first} or in {}: `block binding` says which one",
                    own.name
                );
                return Err(Misfit(message));
            }
        }
        Ok(())
    }

    /// Checks that `name` is not both a part of a uniform and a member of a block with the uniform's name.
    fn check_meaning(&self, name: &str, stage: Option<ShaderStage>) -> Result<(), Misfit> {
        let mut seen = BTreeSet::new();
        for buffer in
            self.program.uniform_buffers.iter().filter(|buffer| is_of(buffer.owner, stage))
        {
            for own in &buffer.uniforms {
                let path = name.strip_prefix(own.name.as_str());
                let is_it = path.is_some_and(|path| is_value(own, path));
                if is_it && !seen.insert((buffer.owner, &own.name)) {
                    return Err(Misfit(format!(
                        "`{name}` is a part of a uniform in one stage and a member of a block in another"
                    )));
                }
            }
        }
        Ok(())
    }

    /// The uniforms called `name`, by stage; empty if there is none.
    fn named_uniforms<'a>(&self, name: &'a str, stage: Option<ShaderStage>) -> AllFound<'_, 'a> {
        let mut found = AllFound::new();
        for (idx, buffer) in self.program.uniform_buffers.iter().enumerate() {
            if !is_of(buffer.owner, stage) {
                continue;
            }
            for uniform in &buffer.uniforms {
                let Some(path) = path_in(uniform, name) else { continue };
                let candidate = (idx, uniform, path);
                let known = found.get(&buffer.owner);
                if known.is_none_or(|known| self.rank(&candidate) >= self.rank(known)) {
                    found.insert(buffer.owner, candidate);
                }
            }
        }
        found
    }

    /// The rank of a found uniform among those that a name may mean: an element of an array of blocks is a uniform
    /// called `Block[1]`, and a block may have the name of a uniform of another stage.
    fn rank(&self, (buffer, uniform, path): &Found<'_, '_>) -> (usize, bool, bool) {
        let is_loose = self.program.uniform_buffers[*buffer].name.is_empty();
        (uniform.name.len(), is_value(uniform, path), is_loose)
    }
}

/// True if the uniform has a part at `path` to which a value can be assigned.
fn is_value(uniform: &Uniform, path: &str) -> bool {
    part_at(&uniform.ty, path).is_some_and(|part| !matches!(part.ty, Type::Struct(_)))
}

/// True if `stage` selects resources of `owner`; `None` in either means all stages.
pub(super) fn is_of(owner: Option<ShaderStage>, stage: Option<ShaderStage>) -> bool {
    owner.is_none() || stage.is_none() || owner == stage
}

/// A uniform found by name: the index of its buffer, the uniform, and the path to a part of it.
type Found<'program, 'name> = (usize, &'program Uniform, Cow<'name, str>);

/// One found uniform for each stage that is a separate program.
type AllFound<'program, 'name> = BTreeMap<Option<ShaderStage>, Found<'program, 'name>>;

/// The rest of `name` after the uniform's name, or, if `name` is a location, the path of the part at this location.
fn path_in<'a>(uniform: &Uniform, name: &'a str) -> Option<Cow<'a, str>> {
    let behind = |own: &str| {
        let rest = name.strip_prefix(own).filter(|_| !own.is_empty());
        rest.filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    if let Some(rest) = behind(&uniform.name).or_else(|| behind(&uniform.alias)) {
        return Some(Cow::Borrowed(rest));
    }
    let location: u32 = name.parse().ok()?;
    part_at_location(&uniform.ty, location.checked_sub(uniform.location?)?).map(Cow::Owned)
}

/// Writes into one of the uniforms that [`ProgramUniforms::find_uniforms`] found.
fn write_found(
    all: &[UniformBuffer],
    (idx, uniform, path): Found<'_, '_>,
    buffers: &mut [Vec<u8>],
    step: &UniformStep,
) -> Result<(), Misfit> {
    let part = part_at(&uniform.ty, &path).ok_or_else(|| {
        let UniformStep { name, .. } = step;
        Misfit(format!(
            "`{name}` is not a part of uniform `{}`, which is {}",
            uniform.name, uniform.ty
        ))
    })?;
    let (layout, offset) = uniform.layout.part(&part.path).ok_or_else(|| {
        Misfit(format!("`{}` is a matrix column, which cannot be set alone", step.name))
    })?;
    let (ty, layout) = first_element(part.ty, layout);
    let offsets = layout.scalar_offsets(&ty);
    let is_in_block = !all[idx].name.is_empty();
    if is_in_block && ty != step.ty {
        let layout = std140(&step.ty);
        return write_as(&mut buffers[idx], uniform.offset + offset, &layout, step);
    }
    check_type(step, &ty)?;
    if step.values.len() != offsets.len() {
        let (wanted, got) = (offsets.len(), step.values.len());
        return Err(Misfit(format!(
            "`{}` is {ty} and takes {wanted} numbers, not {got}",
            step.name
        )));
    }
    let kind = ty.leaves().first().map_or(ScalarKind::F32, |leaf| leaf.scalar);
    for (value, scalar_offset) in step.values.iter().zip(offsets) {
        let bits = scalar::bits(*value, kind)
            .map_err(|error| Misfit(format!("{error}, as `{}` is", step.name)))?;
        put_scalar(&mut buffers[idx], uniform.offset + offset + scalar_offset, bits, kind);
    }
    Ok(())
}

/// Writes a value into the content `buffer` of a block.
pub(super) fn write_in_block(
    buffer: &mut [u8],
    place: &BlockPlace,
    step: &UniformStep,
) -> Result<(), Misfit> {
    let layout = match &step.ty {
        Type::Matrix { .. } if place.matrix_stride == 0 => {
            return Err(Misfit("`block matrix stride` must come before a matrix".to_owned()));
        }
        Type::Matrix { .. } => BlockLayout {
            shape: Shape::Matrix { stride: place.matrix_stride, is_row_major: place.is_row_major },
            ..std140(&step.ty)
        },
        Type::Scalar(_) | Type::Vector { .. } | Type::Array { .. } | Type::Struct(_) => {
            std140(&step.ty)
        }
    };
    write_as(buffer, place.offset, &layout, step)
}

/// Writes a value in the layout of the line's own type, whatever the member's type is.
fn write_as(
    buffer: &mut [u8],
    offset: u32,
    layout: &BlockLayout,
    step: &UniformStep,
) -> Result<(), Misfit> {
    let offsets = layout.scalar_offsets(&step.ty);
    let leaves = step.ty.leaves();
    let kind = leaves.first().map_or(ScalarKind::F32, |leaf| leaf.scalar);
    for (value, scalar_offset) in step.values.iter().zip(offsets) {
        let at = offset.saturating_add(scalar_offset) as usize;
        let bytes = scalar::bytes(*value, kind)
            .map_err(|error| Misfit(format!("{error}, as `{}` is", step.name)))?;
        let place = buffer.get_mut(at..at + bytes.len());
        place
            .ok_or_else(|| Misfit(format!("`{}` ends after its block", step.name)))?
            .copy_from_slice(&bytes);
    }
    Ok(())
}

/// The path of the part at a location, counted from the uniform's first location. Every element of an array and every
/// member of a struct has its own location.
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

/// The first element of an array, which the name of an array without an index means.
fn first_element(ty: Type, layout: BlockLayout) -> (Type, BlockLayout) {
    match (ty, layout.shape) {
        (Type::Array { element: ty, .. }, Shape::Array { element, .. }) => (*ty, *element),
        (ty, shape) => (ty, BlockLayout { shape, ..layout }),
    }
}

fn check_type(step: &UniformStep, ty: &Type) -> Result<(), Misfit> {
    let is_bool = ty.leaves().first().is_some_and(|leaf| leaf.scalar == ScalarKind::Bool);
    let is_same_shape = match (&step.ty, ty) {
        (Type::Scalar(_), Type::Scalar(_)) => true,
        (Type::Vector { size: first, .. }, Type::Vector { size: second, .. }) => first == second,
        _ => false,
    };
    if step.ty == *ty || (is_bool && is_same_shape) {
        return Ok(());
    }
    Err(Misfit(format!("uniform `{}` is {ty}, not {}", step.name, step.ty)))
}

fn put(bytes: &mut [u8], offset: u32, bits: u32) {
    put_scalar(bytes, offset, u64::from(bits), ScalarKind::U32);
}

/// Writes a scalar of `kind`. A scalar of 32 bits uses the lower half of `bits`.
fn put_scalar(bytes: &mut [u8], offset: u32, bits: u64, kind: ScalarKind) {
    let (start, size) = (offset as usize, scalar::byte_size(kind));
    if let Some(place) = bytes.get_mut(start..start + size) {
        place.copy_from_slice(&bits.to_le_bytes()[..size]);
    }
}
