//! Cases for the entry points of a plain WGSL file, with generated inputs; the oracle says what must come back.

mod inputs;
mod scan;

use std::error::Error;
use std::fmt::Write as _;

use interstage::ir::diagnostic::Diagnostic;
use interstage::ir::interface::{ScalarKind, Type};
use interstage::ir::layout::natural;
use interstage::ir::source::Span;
use naga::valid::{Capabilities, GlobalUse, ModuleInfo, ValidationFlags, Validator};
use naga::{
    AddressSpace, Binding, EntryPoint, Function, GlobalVariable, Handle, Module, ShaderStage,
    StorageAccess, TypeInner,
};

/// A program of a WGSL file: an entry point of compute, or a vertex and a fragment stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Names of its entry points, with `+` between them; empty for a file without any.
    pub name: String,
    /// Text of its case, or the reason why there is none.
    pub case: Result<String, String>,
}

/// The programs of a WGSL file: each compute stage, and each vertex stage with each fragment stage that it has all inputs
/// for.
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

/// What a program does with the outside world, as lines of a case.
#[derive(Default)]
struct Lines {
    commands: String,
    expectations: String,
    /// Binding numbers that are taken.
    bindings: Vec<u32>,
    /// Number of values that uniforms have.
    values: usize,
}

impl File<'_> {
    fn compute(&self, index: usize) -> Result<String, String> {
        let entry = &self.module.entry_points[index];
        let mut lines = Lines::default();
        self.add_resources(&[index], &mut lines)?;
        if lines.expectations.is_empty() {
            return Err("compute stages that write no buffer".to_owned());
        }
        let text = scan::with_only(self.source, &entry.name);
        let Lines { commands, expectations, .. } = lines;
        Ok(format!(
            "# The entry point `{}` with generated inputs: `interstage generate wgsl`.\n\n\
             [compute shader wgsl]\n{text}\n\n[test]\n{commands}compute 2 1 1\n{expectations}",
            entry.name
        ))
    }

    /// The vertex stage with each fragment stage that takes its outputs; or alone, which nothing can be seen of.
    fn pairs(&self, vertex: usize) -> Vec<Program> {
        let entries = &self.module.entry_points;
        let fits = |(_, entry): &(usize, &EntryPoint)| {
            entry.stage == ShaderStage::Fragment && self.takes(vertex, entry)
        };
        let name = &entries[vertex].name;
        let fragments: Vec<_> = entries.iter().enumerate().filter(fits).collect();
        if fragments.is_empty() {
            let case = Err("vertex stages without a fragment stage that fits".to_owned());
            return vec![Program { name: name.clone(), case }];
        }
        let pair = |(fragment, entry): (usize, &EntryPoint)| Program {
            name: format!("{name}+{}", entry.name),
            case: self.pair(vertex, fragment),
        };
        fragments.into_iter().map(pair).collect()
    }

    /// A fragment stage that no vertex stage of the file fits.
    fn alone(&self, fragment: usize) -> Option<Program> {
        let entries = &self.module.entry_points;
        let entry = &entries[fragment];
        let fits = |(index, vertex): (usize, &EntryPoint)| {
            vertex.stage == ShaderStage::Vertex && self.takes(index, entry)
        };
        if entries.iter().enumerate().any(fits) {
            return None;
        }
        let case = Err("fragment stages without a vertex stage that fits".to_owned());
        Some(Program { name: entry.name.clone(), case })
    }

    /// True if the vertex stage has all inputs of the fragment stage.
    fn takes(&self, vertex: usize, fragment: &EntryPoint) -> bool {
        let outputs = self.outputs(&self.module.entry_points[vertex].function);
        self.inputs(&fragment.function).iter().all(|input| outputs.contains(input))
    }

    fn pair(&self, vertex: usize, fragment: usize) -> Result<String, String> {
        let entries = &self.module.entry_points;
        let mut lines = Lines::default();
        self.add_resources(&[vertex, fragment], &mut lines)?;
        let attributes: Option<Vec<_>> = self
            .inputs(&entries[vertex].function)
            .into_iter()
            .map(|(location, ty)| Some((location, natural::type_of(self.module, ty)?)))
            .collect();
        let data = attributes.and_then(|attributes| inputs::vertex_data(&attributes));
        let data = data.ok_or("vertex attributes of this type")?;
        let mut targets = String::new();
        for (location, ty) in self.outputs(&entries[fragment].function) {
            let ty = natural::type_of(self.module, ty).ok_or("outputs of this type")?;
            let format = match ty {
                Type::Scalar(kind) | Type::Vector { scalar: kind, .. } => match kind {
                    ScalarKind::F32 => "rgba32float",
                    ScalarKind::I32 => "rgba32sint",
                    ScalarKind::U32 => "rgba32uint",
                    ScalarKind::Bool | ScalarKind::F64 | ScalarKind::I64 | ScalarKind::U64 => {
                        return Err("outputs of this type".to_owned());
                    }
                },
                Type::Matrix { .. } | Type::Array { .. } | Type::Struct(_) => {
                    return Err("outputs of this type".to_owned());
                }
            };
            let _ = writeln!(targets, "{location} {format}");
            let _ = writeln!(lines.expectations, "compare oracle target {location}");
        }
        if lines.expectations.is_empty() {
            return Err("fragment stages that write nothing".to_owned());
        }
        let [first, second] = [vertex, fragment].map(|index| &entries[index].name);
        let [vertex, fragment] = [first, second].map(|name| scan::with_only(self.source, name));
        let Lines { commands, expectations, .. } = lines;
        Ok(format!(
            "# The entry points `{first}` and `{second}` with generated inputs: `interstage generate wgsl`.\n\n\
             [require]\nsize 16 16\n\n[vertex shader wgsl]\n{vertex}\n\n[fragment shader wgsl]\n{fragment}\n\n\
             [render targets]\n{targets}\n{data}[test]\n{commands}draw arrays triangles 0 6\n{expectations}"
        ))
    }

    /// Commands for the buffers and uniforms that entry points use, and expectations of what they write.
    fn add_resources(&self, entries: &[usize], lines: &mut Lines) -> Result<(), String> {
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
                    let name = match self.module.types[variable.ty].inner {
                        TypeInner::Image { .. } => "textures",
                        TypeInner::Sampler { .. } => "samplers",
                        TypeInner::BindingArray { .. } => "binding arrays",
                        _ => "resources of this type",
                    };
                    return Err(name.to_owned());
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
        let binding = variable.binding.map_or(0, |binding| binding.binding);
        if lines.bindings.contains(&binding) {
            return Err("buffers of several groups with one binding number".to_owned());
        }
        lines.bindings.push(binding);
        let (size, leaves) =
            inputs::leaves(self.module, variable.ty).ok_or("buffers of this type")?;
        lines.commands += &inputs::fill(binding, size, &leaves);
        if access.contains(StorageAccess::STORE) {
            let _ = writeln!(lines.expectations, "compare oracle ssbo {binding}");
        }
        Ok(())
    }

    fn add_uniform(&self, handle: Handle<GlobalVariable>, lines: &mut Lines) -> Result<(), String> {
        let variable = &self.module.global_variables[handle];
        let name = variable.name.as_deref().unwrap_or_default();
        let set = inputs::uniforms(self.module, name, variable.ty, &mut lines.values);
        lines.commands += &set.ok_or("uniforms of this type")?;
        Ok(())
    }

    /// Locations and types of an entry point's inputs.
    fn inputs(&self, function: &Function) -> Vec<(u32, Handle<naga::Type>)> {
        let arguments = function.arguments.iter();
        arguments
            .flat_map(|argument| self.located(argument.ty, argument.binding.as_ref()))
            .collect()
    }

    /// Locations and types of an entry point's outputs.
    fn outputs(&self, function: &Function) -> Vec<(u32, Handle<naga::Type>)> {
        let result = function.result.iter();
        result.flat_map(|result| self.located(result.ty, result.binding.as_ref())).collect()
    }

    fn located(
        &self,
        ty: Handle<naga::Type>,
        binding: Option<&Binding>,
    ) -> Vec<(u32, Handle<naga::Type>)> {
        match (binding, &self.module.types[ty].inner) {
            (Some(Binding::Location { location, .. }), _) => vec![(*location, ty)],
            (None, TypeInner::Struct { members, .. }) => members
                .iter()
                .flat_map(|member| self.located(member.ty, member.binding.as_ref()))
                .collect(),
            _ => Vec::new(),
        }
    }
}
