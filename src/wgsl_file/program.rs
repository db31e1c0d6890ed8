//! The programs of a WGSL file, and the text of a case for each.

use std::error::Error;
use std::fmt::Write as _;

use case::limits::MAX_BINDING;
use ir::diagnostic::Diagnostic;
use ir::interface::{ScalarKind, Type};
use ir::layout::natural;
use ir::source::Span;
use ir::vulkan;
use naga::back::PipelineConstants;
use naga::back::pipeline_constants::{PipelineConstantError, process_overrides};
use naga::valid::{Capabilities, GlobalUse, ModuleInfo, ValidationFlags, Validator};
use naga::{
    AddressSpace, Binding, EntryPoint, Function, GlobalVariable, Handle, Interpolation, Module,
    Sampling, ShaderStage, StorageAccess, TypeInner,
};

use crate::inputs;
use crate::partner::{self, Varying};
use crate::sink::{self, Sinking};
use crate::texture;

/// A program of a WGSL file: a compute entry point, or a vertex and a fragment stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Names of its entry points, with `+` between them; empty for a file without any.
    pub name: String,
    /// Text of its case, or the reason why there is none.
    pub case: Result<String, String>,
}

/// The programs of a WGSL file: each compute stage, and each vertex stage with each fragment stage whose inputs it all
/// writes. A stage without a partner gets a generated one.
///
/// # Errors
/// The text is no valid WGSL.
pub fn programs(source: &str) -> Result<Vec<Program>, Diagnostic> {
    let whole = Span::new(0, source.len());
    let span = |span: Option<std::ops::Range<usize>>| {
        span.map_or(whole, |range| Span::new(range.start, range.end))
    };
    let module = naga::front::wgsl::parse_str(source).map_err(|error| {
        let at = error.labels().find_map(|(span, _)| span.to_range());
        Diagnostic::error(span(at), error.message())
    })?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(&module).map_err(|error| {
        let at = error.spans().find_map(|(span, _)| span.to_range());
        Diagnostic::error(span(at), whole_text(error.as_inner()))
    })?;
    let file = File { source, module: &module, info: &info };
    let mut all = Vec::new();
    for (index, entry) in module.entry_points.iter().enumerate() {
        match entry.stage {
            ShaderStage::Compute => {
                all.push(Program { name: entry.name.clone(), case: file.compute(index) });
            }
            ShaderStage::Vertex => all.extend(file.pairs(index)),
            ShaderStage::Fragment => all.extend(file.alone(index)),
            ShaderStage::Task
            | ShaderStage::Mesh
            | ShaderStage::RayGeneration
            | ShaderStage::Miss
            | ShaderStage::AnyHit
            | ShaderStage::ClosestHit => {
                let reason = format!("{:?} stages", entry.stage);
                all.push(Program { name: entry.name.clone(), case: Err(reason) });
            }
        }
    }
    if all.is_empty() {
        let case = Err("files without an entry point".to_owned());
        all.push(Program { name: String::new(), case });
    }
    Ok(all)
}

/// A message with its causes.
fn whole_text(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| Error::source(*cause));
    let causes = causes.map(ToString::to_string);
    [error.to_string()].into_iter().chain(causes).collect::<Vec<_>>().join(": ")
}

/// A valid file.
struct File<'a> {
    source: &'a str,
    module: &'a Module,
    info: &'a ModuleInfo,
}

/// An input or output with a location.
struct Located {
    location: u32,
    ty: Handle<naga::Type>,
    interpolation: Option<Interpolation>,
    sampling: Option<Sampling>,
    /// Number of the blend source, if it is one of two.
    blend_source: Option<u32>,
}

/// The render targets of a program.
#[derive(Default)]
struct Targets {
    /// Locations and formats.
    formats: Vec<(u32, &'static str)>,
    blending: Blending,
}

/// How a program draws.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Blending {
    #[default]
    None,
    /// The outputs are a colour and a factor for the target's value.
    TwoSources,
}

impl Located {
    /// Interpolation and sampling, which are the same in both stages of a program. `flat` alone means `flat, first`.
    fn way(&self) -> (Option<Interpolation>, Option<Sampling>) {
        let first =
            Some(Sampling::First).filter(|_| self.interpolation == Some(Interpolation::Flat));
        (self.interpolation, self.sampling.or(first))
    }
}

/// Inputs and outputs of a program, as lines of a case.
#[derive(Default)]
struct Lines {
    /// Render targets of the program.
    targets: Targets,
    commands: String,
    expectations: String,
    /// Binding points in use.
    points: Vec<String>,
    /// Number of uniform values so far.
    values: usize,
}

impl Blending {
    /// Lines of `[require]`, and commands before the draw.
    const fn lines(self) -> (&'static str, &'static str) {
        match self {
            Self::None => ("", ""),
            // The colour, plus the target's value multiplied by the second source, so that both sources affect the
            // result.
            Self::TwoSources => (
                "feature DUAL_SOURCE_BLENDING\n",
                "enable GL_BLEND\nblendfunc GL_ONE GL_SRC1_COLOR\n",
            ),
        }
    }
}

impl Lines {
    /// True if nothing that the program writes is compared.
    fn shows_nothing(&self) -> bool {
        self.expectations.is_empty() && self.targets.formats.is_empty()
    }

    /// Takes the binding point of a resource, which no other variable of the program may have.
    fn take_point(&mut self, resource: &GlobalVariable) -> Result<String, String> {
        let Some(naga::ResourceBinding { group, binding }) = resource.binding else {
            return Err("resources without a binding".to_owned());
        };
        if group > vulkan::MAX_SET || binding > MAX_BINDING {
            return Err(format!(
                "groups above {} and bindings above {MAX_BINDING}",
                vulkan::MAX_SET
            ));
        }
        let point = vulkan::shown(vulkan::point(group, binding));
        if self.points.contains(&point) {
            return Err("resources that two stages declare at one binding".to_owned());
        }
        self.points.push(point.clone());
        Ok(point)
    }
}

/// The type with which an input or output crosses a stage's interface, and true if it is a type of halves, which cross
/// as floats.
fn crossing(module: &Module, ty: Handle<naga::Type>) -> Option<(Type, bool)> {
    let half = naga::Scalar { kind: naga::ScalarKind::Float, width: 2 };
    match module.types[ty].inner {
        TypeInner::Scalar(scalar) if scalar == half => Some((Type::F32, true)),
        TypeInner::Vector { size, scalar } if scalar == half => {
            Some((Type::Vector { size: size as u8, scalar: ScalarKind::F32 }, true))
        }
        _ => Some((natural::type_of(module, ty)?, false)),
    }
}

impl File<'_> {
    fn compute(&self, index: usize) -> Result<String, String> {
        let entry = &self.module.entry_points[index];
        let mut lines = Lines::default();
        self.add_resources(&[index], &mut lines)?;
        let (mut groups, mut text) = (2, self.text(index));
        if lines.expectations.is_empty() {
            let is_alone = entry.workgroup_size == [1; 3];
            let sinking = if is_alone { Sinking::Stored } else { Sinking::Added };
            groups = if is_alone { 1 } else { 2 };
            text = self.sunk(&[index], sinking, &mut lines)?.remove(0);
        }
        let Lines { commands, expectations, .. } = lines;
        Ok(format!(
            "# The entry point `{}` with generated inputs: `interstage generate wgsl`.\n\n\
             [compute shader wgsl]\n{text}\n\n[test]\n{commands}compute {groups} 1 1\n{expectations}",
            entry.name
        ))
    }

    /// Texts of the sections for entry points that also store what they compute, and the commands for that.
    fn sunk(
        &self,
        entries: &[usize],
        sinking: Sinking,
        lines: &mut Lines,
    ) -> Result<Vec<String>, String> {
        let names: Vec<_> =
            entries.iter().map(|index| &*self.module.entry_points[*index].name).collect();
        let sunk = sink::sunk(self.source, &names, sinking)
            .ok_or("entry points that compute nothing that can be stored")?;
        let point = sunk.point;
        lines.commands += &inputs::unset(&point, sunk.words);
        let _ = writeln!(lines.expectations, "compare oracle ssbo {point}");
        Ok(names.iter().map(|name| format!("entry = \"{name}\"\n{}", sunk.text)).collect())
    }

    /// Pairs the vertex stage with each fragment stage that accepts its outputs, or with one that displays them.
    fn pairs(&self, vertex: usize) -> Vec<Program> {
        let entries = &self.module.entry_points;
        let fits = |(_, entry): &(usize, &EntryPoint)| {
            entry.stage == ShaderStage::Fragment && self.takes(vertex, entry)
        };
        let name = &entries[vertex].name;
        let fragments: Vec<_> = entries.iter().enumerate().filter(fits).collect();
        if fragments.is_empty() {
            return vec![Program { name: name.clone(), case: self.vertex_alone(vertex) }];
        }
        let pair = |(fragment, entry): (usize, &EntryPoint)| Program {
            name: format!("{name}+{}", entry.name),
            case: self.pair(vertex, fragment),
        };
        fragments.into_iter().map(pair).collect()
    }

    /// Pairs a fragment stage that fits no vertex stage of the file with a generated one.
    fn alone(&self, fragment: usize) -> Option<Program> {
        let entries = &self.module.entry_points;
        let entry = &entries[fragment];
        let fits = |(index, vertex): (usize, &EntryPoint)| {
            vertex.stage == ShaderStage::Vertex && self.takes(index, entry)
        };
        if entries.iter().enumerate().any(fits) {
            return None;
        }
        Some(Program { name: entry.name.clone(), case: self.fragment_alone(fragment) })
    }

    /// True if the vertex stage has all inputs of the fragment stage, with their types and interpolation.
    fn takes(&self, vertex: usize, fragment: &EntryPoint) -> bool {
        let outputs = self.outputs(&self.module.entry_points[vertex].function);
        let has = |input: &Located| {
            outputs.iter().any(|own| {
                (own.location, own.ty, own.way()) == (input.location, input.ty, input.way())
            })
        };
        self.inputs(&fragment.function).iter().all(has)
    }

    fn pair(&self, vertex: usize, fragment: usize) -> Result<String, String> {
        let mut lines = Lines::default();
        self.add_resources(&[vertex, fragment], &mut lines)?;
        lines.targets = self.targets(fragment)?;
        let mut texts = [vertex, fragment].map(|index| self.text(index));
        if lines.shows_nothing() {
            let mut sunk = self.sunk(&[vertex, fragment], Sinking::Added, &mut lines)?;
            texts = [sunk.remove(0), sunk.remove(0)];
        }
        self.drawing(&[vertex, fragment], texts, &self.attributes(vertex)?, lines)
    }

    fn vertex_alone(&self, vertex: usize) -> Result<String, String> {
        let mut lines = Lines::default();
        self.add_resources(&[vertex], &mut lines)?;
        let outputs = self.outputs(&self.module.entry_points[vertex].function);
        let partner = self.varyings(&outputs).and_then(|all| partner::fragment_stage(&all));
        let (fragment, formats) =
            partner.ok_or("vertex stages whose outputs no fragment stage can show")?;
        let formats = (0..).zip(formats).collect();
        lines.targets = Targets { formats, blending: Blending::None };
        let texts = [self.text(vertex), fragment];
        self.drawing(&[vertex], texts, &self.attributes(vertex)?, lines)
    }

    fn fragment_alone(&self, fragment: usize) -> Result<String, String> {
        let mut lines = Lines::default();
        self.add_resources(&[fragment], &mut lines)?;
        let inputs = self.inputs(&self.module.entry_points[fragment].function);
        let partner = self.varyings(&inputs).and_then(|all| partner::vertex_stage(&all));
        let vertex = partner.ok_or("fragment stages whose inputs no vertex stage can write")?;
        let place = [(0, Type::Vector { size: 2, scalar: ScalarKind::F32 })];
        lines.targets = self.targets(fragment)?;
        let mut text = self.text(fragment);
        if lines.shows_nothing() {
            text = self.sunk(&[fragment], Sinking::Added, &mut lines)?.remove(0);
        }
        self.drawing(&[fragment], [vertex, text], &place, lines)
    }

    /// The text of a section for an entry point.
    fn text(&self, index: usize) -> String {
        format!("entry = \"{}\"\n{}", self.module.entry_points[index].name, self.source)
    }

    /// Rejects an entry point that uses an override without a value, which a pipeline would have to provide.
    fn check_overrides(&self, index: usize) -> Result<(), String> {
        let EntryPoint { stage, name, .. } = &self.module.entry_points[index];
        let wanted = Some((*stage, name.as_str()));
        match process_overrides(self.module, self.info, wanted, &PipelineConstants::default()) {
            Err(PipelineConstantError::MissingValue(name)) => {
                Err(format!("overrides without a value, such as `{name}`"))
            }
            // The case reports any other error.
            Ok(_) | Err(_) => Ok(()),
        }
    }

    fn varyings(&self, all: &[Located]) -> Option<Vec<Varying>> {
        let varying = |own: &Located| {
            let Located { location, interpolation, sampling, .. } = *own;
            let (ty, is_half) = crossing(self.module, own.ty)?;
            Some(Varying { location, ty, is_half, interpolation, sampling })
        };
        all.iter().map(varying).collect()
    }

    /// Locations and types of a vertex stage's attributes.
    fn attributes(&self, vertex: usize) -> Result<Vec<(u32, Type)>, String> {
        let inputs = self.inputs(&self.module.entry_points[vertex].function);
        let attribute = |own: &Located| Some((own.location, crossing(self.module, own.ty)?.0));
        let all: Option<Vec<_>> = inputs.iter().map(attribute).collect();
        Ok(all.ok_or("vertex attributes of this type")?)
    }

    /// A fragment stage's targets.
    fn targets(&self, fragment: usize) -> Result<Targets, String> {
        let outputs = self.outputs(&self.module.entry_points[fragment].function);
        let is_blended = outputs.iter().any(|own| own.blend_source.is_some());
        let kind = |own: &Located| match crossing(self.module, own.ty)?.0.without_arrays() {
            Type::Scalar(kind) | Type::Vector { scalar: kind, .. } => Some(*kind),
            Type::Matrix { .. } | Type::Array { .. } | Type::Struct(_) => None,
        };
        let format = |own: &Located| match kind(own)? {
            // 32-bit targets need not be blendable.
            ScalarKind::F32 if is_blended => Some((own.location, "rgba16float")),
            ScalarKind::F32 => Some((own.location, "rgba32float")),
            ScalarKind::I32 if !is_blended => Some((own.location, "rgba32sint")),
            ScalarKind::U32 if !is_blended => Some((own.location, "rgba32uint")),
            ScalarKind::I32
            | ScalarKind::U32
            | ScalarKind::Bool
            | ScalarKind::F64
            | ScalarKind::I64
            | ScalarKind::U64 => None,
        };
        let all: Option<Vec<_>> = outputs.iter().map(format).collect();
        let mut formats = all.ok_or("outputs of this type")?;
        // Two blend sources have the same location.
        formats.dedup();
        let blending = if is_blended { Blending::TwoSources } else { Blending::None };
        Ok(Targets { formats, blending })
    }

    /// The case of a vertex and a fragment stage.
    fn drawing(
        &self,
        entries: &[usize],
        [vertex, fragment]: [String; 2],
        attributes: &[(u32, Type)],
        lines: Lines,
    ) -> Result<String, String> {
        let Lines { targets, commands, mut expectations, .. } = lines;
        let mut formats = String::new();
        for (location, format) in &targets.formats {
            let clear = inputs::clear_color(format);
            let _ = writeln!(formats, "{location} {format} clear {clear}");
            let _ = writeln!(expectations, "compare oracle target {location}");
        }
        let section = if formats.is_empty() { "" } else { "[render targets]\n" };
        let (needs, blend) = targets.blending.lines();
        let data = inputs::vertex_data(attributes).ok_or("vertex attributes of this type")?;
        let names: Vec<_> =
            entries.iter().map(|index| &*self.module.entry_points[*index].name).collect();
        Ok(format!(
            "# `{}` with generated inputs: `interstage generate wgsl`.\n\n\
             [require]\n{needs}size 16 16\n\n[vertex shader wgsl]\n{vertex}\n\n[fragment shader wgsl]\n{fragment}\n\n\
             {section}{formats}\n{data}[test]\n{blend}{commands}draw arrays triangles 0 6\n{expectations}",
            names.join("` and `")
        ))
    }

    /// Commands for the buffers and uniforms that entry points use, and expectations of what they write.
    fn add_resources(&self, entries: &[usize], lines: &mut Lines) -> Result<(), String> {
        entries.iter().try_for_each(|entry| self.check_overrides(*entry))?;
        for (handle, variable) in self.module.global_variables.iter() {
            let used = entries.iter().map(|entry| self.info.get_entry_point(*entry)[handle]);
            if used.fold(GlobalUse::empty(), |all, one| all | one).is_empty() {
                continue;
            }
            match variable.space {
                AddressSpace::Storage { access } => {
                    self.add_buffer(variable, access, lines)?;
                }
                AddressSpace::Uniform => self.add_uniform(handle, lines)?,
                AddressSpace::Handle => {
                    let point = lines.take_point(variable)?;
                    let inner = &self.module.types[variable.ty].inner;
                    lines.commands += &texture::commands(&point, inner)?;
                    if texture::is_written(inner) {
                        let _ = writeln!(lines.expectations, "compare oracle texture {point}");
                    }
                }
                AddressSpace::Function | AddressSpace::Private | AddressSpace::WorkGroup => {}
                _ => return Err(format!("variables of {:?}", variable.space)),
            }
        }
        Ok(())
    }

    fn add_buffer(
        &self,
        variable: &GlobalVariable,
        access: StorageAccess,
        lines: &mut Lines,
    ) -> Result<(), String> {
        let point = lines.take_point(variable)?;
        let (size, leaves) =
            inputs::leaves(self.module, variable.ty).ok_or("buffers of this type")?;
        let first = inputs::first_number(lines.points.len());
        lines.commands += &inputs::fill(&point, size, &leaves, first);
        if access.contains(StorageAccess::STORE) {
            let _ = writeln!(lines.expectations, "compare oracle ssbo {point}");
        }
        Ok(())
    }

    fn add_uniform(&self, handle: Handle<GlobalVariable>, lines: &mut Lines) -> Result<(), String> {
        let variable = &self.module.global_variables[handle];
        lines.take_point(variable)?;
        let name = variable.name.as_deref().unwrap_or_default();
        let set = inputs::uniforms(self.module, name, variable.ty, &mut lines.values);
        lines.commands += &set.ok_or("uniforms of this type")?;
        Ok(())
    }

    /// An entry point's inputs with a location.
    fn inputs(&self, function: &Function) -> Vec<Located> {
        let arguments = function.arguments.iter();
        arguments
            .flat_map(|argument| self.located(argument.ty, argument.binding.as_ref()))
            .collect()
    }

    /// An entry point's outputs with a location.
    fn outputs(&self, function: &Function) -> Vec<Located> {
        let result = function.result.iter();
        result.flat_map(|result| self.located(result.ty, result.binding.as_ref())).collect()
    }

    fn located(&self, ty: Handle<naga::Type>, binding: Option<&Binding>) -> Vec<Located> {
        match (binding, &self.module.types[ty].inner) {
            (Some(binding @ Binding::Location { .. }), _) => {
                let Binding::Location {
                    location,
                    interpolation,
                    sampling,
                    blend_src: blend_source,
                    per_primitive: _,
                } = *binding
                else {
                    return Vec::new();
                };
                vec![Located { location, ty, interpolation, sampling, blend_source }]
            }
            (None, TypeInner::Struct { members, .. }) => members
                .iter()
                .flat_map(|member| self.located(member.ty, member.binding.as_ref()))
                .collect(),
            _ => Vec::new(),
        }
    }
}
