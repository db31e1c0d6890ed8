//! Makes textures, and binds the program's textures, samplers and images.

mod unit;

use super::Planner;
use super::index::index_in;
use super::program_uniforms::ProgramUniforms;
use super::program_uniforms::is_of;
use crate::error::Misfit;
use crate::opaque::BoundOpaque;
use crate::opaque::PlannedView;
use crate::opaque::SamplerState;
use crate::texture::{PlannedTexture, TexelFormat, TextureShape, byte_size, class_of};
use case::Dialect;
use case::UniformStep;
use case::bind::Sampler;
use case::depth_stencil::CompareFunction;
use case::texture::{Swizzle, TextureParameter, TextureStep, TextureTarget};
use ir::format::Format;
use ir::scalar::Number;
use link::table::binding::{ImageAccess, OpaqueBinding, OpaqueKind, TexelClass, TextureDimension};

use unit::BoundTexture;

pub(super) use unit::{BoundImage, Units};

/// Maximum bytes of all textures of one case.
const MAX_TEXTURE_BYTES: u64 = 256 << 20;

impl Planner<'_> {
    pub(super) fn make_texture(&mut self, step: &TextureStep) -> Result<(), Misfit> {
        // Even a small texture has a fixed cost.
        let bytes = byte_size(&step.content).saturating_add(1 << 16);
        self.units.texture_bytes = self.units.texture_bytes.saturating_add(bytes);
        if self.units.texture_bytes > MAX_TEXTURE_BYTES {
            let mib = MAX_TEXTURE_BYTES >> 20;
            return Err(Misfit(format!("the textures of a case may take {mib} MiB together")));
        }
        self.plan.textures.push(PlannedTexture::new(&step.content));
        let texture = self.plan.textures.len() - 1;
        let target = step.content.target();
        let bound = BoundTexture::new(texture, &step.content);
        self.units.textures.insert((step.unit, target), bound);
        self.units.active_unit = step.unit;
        self.units.last_target.insert(step.unit, target);
        Ok(())
    }

    pub(super) fn set_parameter(&mut self, step: &TextureParameter) -> Result<(), Misfit> {
        let unit = self.units.active_unit;
        let bound = self.units.textures.get_mut(&(unit, step.target));
        let bound =
            bound.ok_or("there is no such texture on the unit of the last `texture` command")?;
        bound.set(step.setting);
        Ok(())
    }

    pub(super) fn bind_image(&mut self, unit: u32, format: Format) -> Result<(), Misfit> {
        let texture = self.last_texture(unit)?;
        if let Some(planned) = self.plan.textures.get_mut(texture) {
            if planned.format != TexelFormat::Color(format) {
                return Err(Misfit(format!(
                    "image texture {unit} is {}, but the texture on unit {unit} has another format",
                    format.name()
                )));
            }
            planned.is_image = true;
        }
        self.units.images.insert(unit, BoundImage { texture, format, level: 0 });
        Ok(())
    }

    /// The texture created last on a unit.
    pub(super) fn last_texture(&self, unit: u32) -> Result<usize, Misfit> {
        let units = &self.units;
        let target = units.last_target.get(&unit);
        let bound = target.and_then(|target| units.textures.get(&(unit, *target)));
        let message = || Misfit(format!("there is no texture on unit {unit} before this step"));
        bound.map(|bound| bound.texture).ok_or_else(message)
    }

    /// Assigns a unit to a sampler or image, in each stage if stages are programs. Returns false if the uniform does
    /// not exist.
    pub(super) fn set_unit(&mut self, step: &UniformStep) -> Result<bool, Misfit> {
        let location: Option<u32> = step.name.parse().ok();
        let first_element = format!("{}[0]", step.name);
        let is_meant = |opaque: &&OpaqueBinding| {
            let is_it = opaque.name == step.name
                || opaque.name == first_element
                || location.is_some() && opaque.location == location;
            is_it && is_of(opaque.owner, self.active_stage)
        };
        let found: Vec<_> = self.program.opaques.iter().filter(is_meant).collect();
        if found.is_empty() {
            return Ok(false);
        }
        let unit = match step.values[..] {
            [Number::Integer(value)] => u32::try_from(value).ok(),
            _ => None,
        };
        let unit = unit.ok_or_else(|| {
            Misfit(format!("`{}` needs one integer, the number of a unit", step.name))
        })?;
        for opaque in found {
            let key = (self.owner_of(opaque.owner), opaque.name.clone());
            self.units.set.insert(key, unit);
        }
        Ok(true)
    }

    /// Current bindings of the program's textures, samplers and images.
    pub(super) fn bind_opaques(&mut self) -> Result<Vec<BoundOpaque>, Misfit> {
        let program = self.program;
        let bound: Vec<BoundOpaque> = program
            .opaques
            .iter()
            .map(|opaque| self.bind_opaque(opaque))
            .collect::<Result<_, _>>()?;
        if let Some(name) = self.conflict(&bound).map(str::to_owned) {
            self.plan.impossible.get_or_insert_with(|| {
                format!(
                    "WebGPU cannot write image `{name}` and use its texture in another way at once"
                )
            });
        }
        Ok(bound)
    }

    /// Name of an image that is written while its texture is also bound with another access.
    fn conflict(&self, bound: &[BoundOpaque]) -> Option<&str> {
        let uses: Vec<(usize, &OpaqueBinding)> = bound
            .iter()
            .zip(&self.program.opaques)
            .filter_map(|(bound, opaque)| match bound {
                BoundOpaque::View(idx) => Some((self.plan.views.get(*idx)?.texture, opaque)),
                BoundOpaque::Sampler(_) => None,
            })
            .collect();
        let access = |opaque: &OpaqueBinding| match opaque.kind {
            OpaqueKind::Image { access, .. } => access,
            OpaqueKind::Texture { .. } | OpaqueKind::Sampler { .. } => ImageAccess::Read,
        };
        let is_shared = |(texture, opaque): &&(usize, &OpaqueBinding)| {
            let other_access = |(other, second): &(usize, &OpaqueBinding)| {
                other == texture && access(second) != access(opaque)
            };
            access(opaque) != ImageAccess::Read && uses.iter().any(other_access)
        };
        uses.iter().find(is_shared).map(|(_, opaque)| opaque.name.as_str())
    }

    fn unit_of(&self, opaque: &OpaqueBinding) -> u32 {
        let key = (self.owner_of(opaque.owner), opaque.name.clone());
        self.units.set.get(&key).copied().unwrap_or(opaque.unit)
    }

    fn bind_opaque(&mut self, opaque: &OpaqueBinding) -> Result<BoundOpaque, Misfit> {
        let unit = self.unit_of(opaque);
        match opaque.kind {
            OpaqueKind::Texture { dimension, class, .. } => {
                let view = match self.bound(unit, dimension) {
                    Some(bound) if class == TexelClass::Depth && self.is_copied_depth(bound) => {
                        let reason = "WebGPU cannot compare the depths in a texture of floats";
                        self.plan.impossible.get_or_insert_with(|| reason.to_owned());
                        self.black_view(dimension, class)
                    }
                    Some(bound) => self.view_of(opaque, bound, dimension, class)?,
                    None if opaque.is_separate => {
                        let command = format!("texture numbers{}", target_word(dimension));
                        return Err(self.missing(opaque, &command, "(SIZE) FORMAT"));
                    }
                    None => self.black_view(dimension, class),
                };
                Ok(BoundOpaque::View(index_in(&mut self.plan.views, view)))
            }
            OpaqueKind::Sampler { is_comparison, is_filtering } => {
                let mut state = self.sampler_state(opaque, is_comparison)?;
                if !is_filtering && !state.is_nearest() {
                    if opaque.is_separate {
                        let name = &opaque.name;
                        let message = "reads a texture of integers, which has no filter";
                        return Err(Misfit(format!("sampler `{name}` {message}")));
                    }
                    state = state.nearest();
                }
                Ok(BoundOpaque::Sampler(index_in(&mut self.plan.samplers, state)))
            }
            OpaqueKind::Image { dimension, format, .. } => {
                let (name, bound) = (&opaque.name, self.units.images.get(&unit));
                let BoundImage { texture, format: bound_format, level } =
                    *bound.ok_or_else(|| self.missing(opaque, "image texture", "FORMAT"))?;
                if format != bound_format {
                    let (wanted, got) = (format.name(), bound_format.name());
                    if self.case.dialect == Dialect::Vulkan {
                        self.plan.impossible.get_or_insert_with(|| {
                            format!("WebGPU cannot bind an image of {got} as one of {wanted}")
                        });
                        let view = self.black_view(dimension, TexelClass::Float);
                        return Ok(BoundOpaque::View(index_in(&mut self.plan.views, view)));
                    }
                    return Err(Misfit(format!(
                        "image `{name}` is {wanted}, but `image texture {unit}` gives {got}"
                    )));
                }
                self.forget_texture(texture);
                self.shape_for(name, texture, dimension)?;
                let view = PlannedView { texture, dimension, base_level: level, level_count: 1 };
                Ok(BoundOpaque::View(index_in(&mut self.plan.views, view)))
            }
        }
    }

    /// State of a sampler: that at its point, or that of the texture of the same name. A comparison sampler of WGSL has
    /// no default state.
    fn sampler_state(
        &self,
        opaque: &OpaqueBinding,
        is_comparison: bool,
    ) -> Result<SamplerState, Misfit> {
        let unit = self.unit_of(opaque);
        let of_texture = || {
            let bound = self.bound(unit, self.dimension_of(opaque)?);
            bound.map(|bound| bound.sampler)
        };
        let state = self.units.samplers.get(&unit).copied().or_else(of_texture);
        if opaque.is_separate {
            let state = state.unwrap_or_else(|| SamplerState::new(&Sampler::DEFAULT));
            return match (is_comparison, state.compare) {
                (true, Some(_)) | (false, None) => Ok(state),
                (true, None) => Err(self.missing(opaque, "sampler", "compare FUNCTION")),
                (false, Some(_)) => {
                    let name = &opaque.name;
                    let message = "is no comparison sampler, but its state compares";
                    Err(Misfit(format!("`{name}` {message}")))
                }
            };
        }
        let mut state = state.unwrap_or(SamplerState::NEAREST);
        let compare = state.compare.unwrap_or(CompareFunction::LessOrEqual);
        state.compare = is_comparison.then_some(compare);
        Ok(state)
    }

    /// Makes a one-dimensional texture a texture of WebGPU's one dimension, for a shader of WGSL.
    fn shape_for(
        &mut self,
        name: &str,
        texture: usize,
        dimension: TextureDimension,
    ) -> Result<(), Misfit> {
        let is_line = dimension == TextureDimension::D1;
        let is_other = |view: &PlannedView| {
            view.texture == texture && (view.dimension == TextureDimension::D1) != is_line
        };
        if self.plan.views.iter().any(is_other) {
            return Err(Misfit(format!(
                "`{name}` reads a texture as one of another dimension than before"
            )));
        }
        if let Some(planned) = self.plan.textures.get_mut(texture).filter(|_| is_line) {
            if planned.is_target {
                let message = "reads a render target as a texture of one dimension";
                return Err(Misfit(format!("`{name}` {message}")));
            }
            planned.shape = TextureShape::Line;
        }
        Ok(())
    }

    /// True if the texture holds a copy of a script's depths.
    fn is_copied_depth(&self, bound: BoundTexture) -> bool {
        let planned = self.plan.textures.get(bound.texture);
        let format = TexelFormat::Color(Format::R32_FLOAT);
        self.case.dialect == Dialect::Vulkan && planned.is_some_and(|one| one.format == format)
    }

    /// View dimension of a sampler's texture.
    fn dimension_of(&self, sampler: &OpaqueBinding) -> Option<TextureDimension> {
        let all = self.program.opaques.iter();
        let mut own =
            all.filter(|opaque| opaque.owner == sampler.owner && opaque.name == sampler.name);
        own.find_map(|opaque| match opaque.kind {
            OpaqueKind::Texture { dimension, .. } => Some(dimension),
            OpaqueKind::Sampler { .. } | OpaqueKind::Image { .. } => None,
        })
    }

    fn bound(&self, unit: u32, dimension: TextureDimension) -> Option<BoundTexture> {
        let targets: &[TextureTarget] = match dimension {
            TextureDimension::D1 => &[TextureTarget::D1],
            TextureDimension::D2 => &[TextureTarget::D2, TextureTarget::Rect, TextureTarget::D1],
            TextureDimension::D2Multisampled => &[TextureTarget::D2Multisampled],
            TextureDimension::D2Array => &[TextureTarget::D2Array, TextureTarget::D1Array],
            TextureDimension::D3 => &[TextureTarget::D3],
            TextureDimension::Cube => &[TextureTarget::Cube],
            TextureDimension::CubeArray => &[TextureTarget::CubeArray],
        };
        let found = |target: &TextureTarget| self.units.textures.get(&(unit, *target)).copied();
        // An image of a script is two-dimensional, and one of a single row may be read in one dimension.
        let row = || found(&TextureTarget::D2).filter(|bound| self.is_row(*bound));
        let is_line = self.case.dialect == Dialect::Vulkan && dimension == TextureDimension::D1;
        targets.iter().find_map(found).or_else(|| row().filter(|_| is_line))
    }

    /// True for a texture of one row and one level.
    fn is_row(&self, bound: BoundTexture) -> bool {
        let planned = self.plan.textures.get(bound.texture);
        planned.is_some_and(|one| one.size[1] == 1 && one.levels.len() == 1)
    }

    fn view_of(
        &mut self,
        opaque: &OpaqueBinding,
        bound: BoundTexture,
        dimension: TextureDimension,
        class: TexelClass,
    ) -> Result<PlannedView, Misfit> {
        let name = &opaque.name;
        let is_gl =
            |other: &OpaqueBinding| !other.is_separate && self.unit_of(other) == opaque.unit;
        if opaque.is_separate && bound.has_gl_parameters && !self.program.opaques.iter().any(is_gl)
        {
            let message =
                "has no effect on a texture of WGSL; use `sampler`, or functions of the shader";
            return Err(Misfit(format!("the `texparameter` of `{name}` {message}")));
        }
        self.shape_for(name, bound.texture, dimension)?;
        let planned = self.plan.textures.get(bound.texture).ok_or("there is no such texture")?;
        // WebGPU also reads depths as floats that no filter may read.
        let has_depths =
            class_of(planned.format) == TexelClass::Depth && class == TexelClass::Float;
        let is_unfiltered = matches!(opaque.kind, OpaqueKind::Texture { is_filterable: false, .. });
        if class_of(planned.format) != class && !(has_depths && is_unfiltered) {
            return Err(Misfit(format!(
                "`{name}` reads other texels (float, int, uint or depth) than its texture has"
            )));
        }
        let levels = u32::try_from(planned.levels.len()).unwrap_or(1);
        let base_level = bound.base_level.saturating_sub(bound.first_level).min(levels - 1);
        let last = bound.max_level.saturating_sub(bound.first_level).clamp(base_level, levels - 1);
        let level_count = last - base_level + 1;
        Ok(PlannedView { texture: bound.texture, dimension, base_level, level_count })
    }

    fn black_view(&mut self, dimension: TextureDimension, class: TexelClass) -> PlannedView {
        let textures = &mut self.plan.textures;
        let texture = *self.units.black.entry((dimension, class)).or_insert_with(|| {
            textures.push(PlannedTexture::black(class, dimension));
            textures.len() - 1
        });
        PlannedView { texture, dimension, base_level: 0, level_count: 1 }
    }

    /// Writes the uniforms with the swizzles of textures.
    pub(super) fn write_swizzles(&mut self) {
        for opaque in &self.program.opaques {
            let OpaqueKind::Texture { dimension, class, .. } = opaque.kind else { continue };
            let Some(bound) = self.bound(self.unit_of(opaque), dimension) else { continue };
            let swizzle = match class {
                TexelClass::Depth => bound.depth_mode.swizzle(),
                TexelClass::Float | TexelClass::Sint | TexelClass::Uint => bound.swizzle,
            };
            let numbers = swizzle.map(|from| match from {
                Swizzle::Red => 0,
                Swizzle::Green => 1,
                Swizzle::Blue => 2,
                Swizzle::Alpha => 3,
                Swizzle::Zero => 4,
                Swizzle::One => 5,
            });
            ProgramUniforms::of(self.program).write_swizzle(&mut self.uniforms, opaque, numbers);
            ProgramUniforms::of(self.program).write_lod_bias(
                &mut self.uniforms,
                opaque,
                bound.lod_bias,
            );
        }
    }

    /// The error for a resource that nothing was bound to.
    fn missing(&self, opaque: &OpaqueBinding, command: &str, rest: &str) -> Misfit {
        let image = || " image".to_owned();
        let (what, wanted) = match opaque.kind {
            OpaqueKind::Texture { dimension, .. } => {
                ("texture", format!("{} image", target_word(dimension)))
            }
            OpaqueKind::Sampler { .. } => ("comparison sampler", " comparison sampler".to_owned()),
            OpaqueKind::Image { .. } if opaque.is_separate => ("storage texture", image()),
            OpaqueKind::Image { .. } => ("image", image()),
        };
        let (name, point) = (&opaque.name, ir::vulkan::shown(opaque.unit));
        // Scripts have no such commands.
        if self.case.dialect == Dialect::Vulkan {
            return Misfit(format!("the pipeline binds no{wanted} to {what} `{name}`"));
        }
        let article = if command.starts_with('i') { "an" } else { "a" };
        Misfit(format!(
            "{what} `{name}` needs {article} `{command} {point} {rest}` before this step"
        ))
    }
}

/// The word of `texture` commands for textures of this shape, with a space before it.
const fn target_word(dimension: TextureDimension) -> &'static str {
    match dimension {
        TextureDimension::D1 => " 1D",
        TextureDimension::D2 => "",
        TextureDimension::D2Multisampled => " 2DMultisampled",
        TextureDimension::D2Array => " 2DArray",
        TextureDimension::D3 => " 3D",
        TextureDimension::Cube => " Cube",
        TextureDimension::CubeArray => " CubeArray",
    }
}

#[cfg(test)]
mod tests {
    use crate::topology::ProvokingVertex;
    use crate::{ExecuteError, Operation, Plan, RenderTo, plan};
    use case::texture::TextureContent;
    use case::{Action, Case, Setting, Step};
    use ir::interface::{ScalarKind, Type};
    use link::program::{LinkedProgram, LinkedStages};
    use link::table::binding::{BindingPoint, StageUse};

    use super::*;

    fn program(kind: OpaqueKind) -> LinkedProgram {
        let module = fixture::module("@compute @workgroup_size(1) fn main() {}");
        let opaque = OpaqueBinding {
            name: "tex[0]".to_owned(),
            at: BindingPoint { group: 3, binding: 0 },
            stages: StageUse { compute: true, ..StageUse::default() },
            owner: None,
            unit: 0,
            is_separate: false,
            location: None,
            kind,
        };
        let program = fixture::program(LinkedStages::Compute(module));
        LinkedProgram { opaques: vec![opaque], ..program }
    }

    const TEXTURE: OpaqueKind = OpaqueKind::Texture {
        dimension: TextureDimension::D2,
        class: TexelClass::Float,
        is_filterable: true,
    };

    fn texture(unit: u32, size: [u32; 2]) -> Step {
        let content = TextureContent::Quadrants { size, format: Format::RGBA8_UNORM };
        Step::Set(Setting::Texture(TextureStep { unit, content }))
    }

    fn set_unit(name: &str, unit: i128) -> Step {
        let (ty, values) = (Type::Scalar(ScalarKind::I32), vec![Number::Integer(unit)]);
        Step::Set(Setting::Uniform(UniformStep { name: name.to_owned(), ty, values }))
    }

    fn planned(kind: OpaqueKind, steps: Vec<Step>) -> Result<Plan, String> {
        planned_in(Dialect::Interstage, kind, steps)
    }

    fn planned_in(dialect: Dialect, kind: OpaqueKind, steps: Vec<Step>) -> Result<Plan, String> {
        let case = Case { dialect, ..fixture::case(steps) };
        plan(&case, &program(kind), ProvokingVertex::First).map_err(|error| match error {
            ExecuteError::Step { step, misfit } => format!("{step}: {misfit}"),
            other @ (ExecuteError::Lacking(_)
            | ExecuteError::DeviceLost(_)
            | ExecuteError::LevelsNotRead
            | ExecuteError::Compiler(_)
            | ExecuteError::Stopped(_)) => other.to_string(),
        })
    }

    /// Checks the texture that the first dispatch reads.
    #[track_caller]
    fn check_read(steps: Vec<Step>, expected: usize) {
        let plan = planned(TEXTURE, steps).expect("the steps fit");
        let [BoundOpaque::View(view)] = plan.bindings[0].opaques[..] else { panic!("one view") };
        assert_eq!(plan.views[view].texture, expected);
    }

    #[test]
    fn an_array_named_without_index_is_its_first_element() {
        let textures = [texture(0, [1, 1]), texture(5, [2, 2])];
        let steps =
            |last: Step| textures.iter().cloned().chain([last, Action::Compute([1; 3]).into()]);
        check_read(steps(Action::Clear.into()).collect(), 0);
        check_read(steps(set_unit("tex", 5)).collect(), 1);
        check_read(steps(set_unit("tex[0]", 5)).collect(), 1);
    }

    #[test]
    fn an_image_needs_its_format_on_its_unit() {
        let kind = OpaqueKind::Image {
            dimension: TextureDimension::D2,
            format: Format::RGBA8_UNORM,
            access: link::table::binding::ImageAccess::Write,
        };
        let steps = vec![texture(0, [1, 1]), Action::Compute([1; 3]).into()];
        let error = planned(kind, steps).expect_err("nothing is bound");
        assert_eq!(error, "1: image `tex[0]` needs an `image texture 0 FORMAT` before this step");
        let steps = vec![Action::Compute([1; 3]).into()];
        let error = planned_in(Dialect::Vulkan, kind, steps).expect_err("nothing is bound");
        assert_eq!(error, "0: the pipeline binds no image to image `tex[0]`");
    }

    #[test]
    fn textures_do_not_exhaust_memory() {
        let steps = vec![texture(0, [4096, 4096]); 5];
        let error = planned(TEXTURE, steps).expect_err("they are too large");
        assert_eq!(error, "3: the textures of a case may take 256 MiB together");
    }

    #[test]
    fn clears_and_probes_follow_the_framebuffer() {
        let steps = vec![
            texture(2, [8, 1]),
            Step::Set(Setting::ClearColor([1.0; 4])),
            Step::Set(Setting::FramebufferTextures(vec![2])),
            Action::Clear.into(),
            fixture::probe(0, case::Region::All, &[Number::Integer(1); 4]),
        ];
        let plan = planned(TEXTURE, steps).expect("the steps fit");
        let to = RenderTo::Textures { framebuffer: 0, has_depth: false };
        let (color, depth, stencil) = (Some([1.0; 4]), None, None);
        let clear = Operation::Clear { to, attachments: 0, color, depth, stencil };
        assert_eq!(plan.operations, [clear, Operation::Snapshot(0)]);
        let sources: Vec<_> = plan.snapshots.iter().map(|snapshot| snapshot.source).collect();
        assert_eq!(sources, [crate::SnapshotSource::Texture(0)]);
    }
}
