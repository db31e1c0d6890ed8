//! The programs of a WGSL file, and the text of a case for each.

use std::error::Error;
use std::fmt::Write as _;

use ir::diagnostic::Diagnostic;
use ir::interface::{ScalarKind, Type};
use ir::source::Span;
use naga::valid::{Capabilities, ModuleInfo, ValidationError, ValidationFlags, Validator};
use naga::{
    AddressSpace, Binding, BuiltIn, EntryPoint, Function, GlobalVariable, Handle, Module,
    ShaderStage, TypeInner,
};
use wgsl::token::tokens;

use crate::capture::{self, Capture};
use crate::file::{Blending, File, Targets};
use crate::interface::{Located, crossing};
use crate::partner;
use crate::resources::Lines;
use crate::settings::Settings;
use crate::sink::{self, Sinking};
use crate::{functions, inputs};

/// A program of a WGSL file: an entry point, a vertex and a fragment stage, or a function that no entry point calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Names of its entry points, with `+` between them, or name of the function; empty for a file without any.
    pub name: String,
    /// Text of its case, or the reason why there is none.
    pub case: Result<String, NoCase>,
}

/// The reason why a program has no case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoCase {
    /// A construct is unsupported.
    Unsupported(String),
    /// The settings exclude the program, with this reason.
    Excluded(String),
}

/// A mistake in a WGSL file or in its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// The file is no valid WGSL.
    File(Diagnostic),
    /// The settings are for something that the file does not have.
    Settings(Diagnostic),
}

/// Maximum size of the cases of a file together, each of which has the whole text.
const MAX_BYTES: usize = 256 << 20;

/// The inputs by which workgroups differ.
const OF_WORKGROUPS: [BuiltIn; 3] =
    [BuiltIn::GlobalInvocationId, BuiltIn::WorkGroupId, BuiltIn::NumWorkGroups];

/// The programs of a WGSL file: each compute stage, and each vertex stage with each fragment stage whose inputs it all
/// writes. A stage without a partner gets a generated one. Functions that no entry point calls get a generated entry
/// point.
///
/// # Errors
/// The text is no valid WGSL, or the settings do not fit it.
pub fn programs(source: &str, settings: &Settings) -> Result<Vec<Program>, Mistake> {
    let (module, info) = checked(source).map_err(Mistake::File)?;
    settings.check(&module).map_err(Mistake::Settings)?;
    let file = File { source, module: &module, info: &info, settings, is_call: false };
    let unreached = functions::unreached(&module);
    let count = module.entry_points.len() + unreached.len();
    if count.saturating_mul(source.len()) > MAX_BYTES {
        let span = Span::new(0, source.len().min(1));
        let message = format!(
            "the cases of the file's {count} entry points and functions, each with its {} bytes, are too large; divide it",
            source.len()
        );
        return Err(Mistake::File(Diagnostic::error(span, message)));
    }
    let mut all = file.programs();
    all.extend(unreached.into_iter().filter_map(|function| file.call(function)));
    if all.is_empty() {
        let case = Err(NoCase::Unsupported("files without entry points and functions".to_owned()));
        all.push(Program { name: String::new(), case });
    }
    Ok(all)
}

/// The module of a text, and its validation.
fn checked(source: &str) -> Result<(Module, ModuleInfo), Diagnostic> {
    let whole = Span::new(0, source.len());
    let span = |span: Option<std::ops::Range<usize>>| {
        span.map_or(whole, |range| Span::new(range.start, range.end))
    };
    if let Some(error) = directive(source) {
        return Err(error);
    }
    let module = naga::front::wgsl::parse_str(source).map_err(|error| {
        let at = error.labels().find_map(|(span, _)| span.to_range());
        Diagnostic::error(span(at), error.message())
    })?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(&module).map_err(|error| {
        let at = error.spans().find_map(|(span, _)| span.to_range());
        let at = at.or_else(|| {
            // Types without a declaration have no place, but the variables of these types do.
            let ValidationError::Layouter(found) = error.as_inner() else { return None };
            let of_type = |(_, own): &(_, &GlobalVariable)| own.ty == found.ty;
            let (handle, _) = module.global_variables.iter().find(of_type)?;
            module.global_variables.get_span(handle).to_range()
        });
        Diagnostic::error(span(at), whole_text(error.as_inner()))
    })?;
    Ok((module, info))
}

/// The error about the first line of a preprocessor, which WGSL does not have.
fn directive(source: &str) -> Option<Diagnostic> {
    let first = tokens(source).into_iter().find(|token| token.text == "#")?;
    let line = source.get(first.start..)?.lines().next()?;
    let word = line.split_whitespace().next()?;
    let span = Span::new(first.start, first.start + word.len());
    let message = format!(
        "`{word}` is a directive of a preprocessor such as naga_oil, which WGSL does not have: compose the module first"
    );
    Some(Diagnostic::error(span, message))
}

/// A message with its causes.
fn whole_text(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| Error::source(*cause));
    let causes = causes.map(ToString::to_string);
    [error.to_string()].into_iter().chain(causes).collect::<Vec<_>>().join(": ")
}

impl File<'_> {
    /// The programs of the file's entry points.
    fn programs(&self) -> Vec<Program> {
        let mut all = Vec::new();
        for (index, entry) in self.module.entry_points.iter().enumerate() {
            match entry.stage {
                ShaderStage::Compute => {
                    all.push(self.program(entry.name.clone(), || self.compute(index)));
                }
                ShaderStage::Vertex => all.extend(self.pairs(index)),
                ShaderStage::Fragment => all.extend(self.alone(index)),
                ShaderStage::Task
                | ShaderStage::Mesh
                | ShaderStage::RayGeneration
                | ShaderStage::Miss
                | ShaderStage::AnyHit
                | ShaderStage::ClosestHit => {
                    let reason = format!("{:?} stages", entry.stage);
                    all.push(self.program(entry.name.clone(), || Err(reason)));
                }
            }
        }
        all
    }

    /// A program, unless the settings exclude it.
    fn program(&self, name: String, case: impl FnOnce() -> Result<String, String>) -> Program {
        let case = match self.settings.excluded(&name) {
            Some(reason) => Err(NoCase::Excluded(reason.to_owned())),
            None => case().map_err(NoCase::Unsupported),
        };
        Program { name, case }
    }

    /// The program of a function that no entry point calls.
    fn call(&self, function: Handle<Function>) -> Option<Program> {
        let name = self.module.functions[function].name.clone()?;
        let case = || {
            let (entry, text) = functions::caller(self.module, self.info, function)?;
            let source = format!("{}{text}", self.source);
            let (module, info) = checked(&source).map_err(|error| {
                format!("functions that an entry point cannot call: {}", error.message)
            })?;
            let found = module.entry_points.iter().position(|own| own.name == entry);
            let index = found.ok_or("functions without a name")?;
            let (source, module, info) = (&source, &module, &info);
            let file = File { source, module, info, is_call: true, ..*self };
            match module.entry_points[index].stage {
                ShaderStage::Compute => file.compute(index),
                _ => file.fragment_alone(index),
            }
        };
        Some(self.program(name, case))
    }

    fn compute(&self, index: usize) -> Result<String, String> {
        let entry = &self.module.entry_points[index];
        let mut lines = Lines::default();
        self.add_resources(&[index], &mut lines)?;
        let set = self.settings.workgroups(&entry.name);
        // Workgroups that cannot know which they are do the same, and race if they update a buffer.
        let usual = [if self.sees(index, &OF_WORKGROUPS) { 2 } else { 1 }, 1, 1];
        let (mut groups, mut text) = (set.unwrap_or(usual), self.text(index));
        if !lines.writes || self.is_call {
            let is_alone = entry.workgroup_size == [1; 3] && set.is_none_or(|set| set == [1; 3]);
            if is_alone {
                groups = [1; 3];
            }
            // Adding up equal values would lose some of their bits.
            let is_stored = is_alone || self.are_alike(index) && !lines.updates;
            let sinking = if is_stored { Sinking::Stored } else { Sinking::Added };
            text = self.sunk(&[index], sinking, &mut lines)?.remove(0);
        }
        let Lines { commands, expectations, .. } = lines;
        let [x, y, z] = groups;
        let overrides = self.specializations(&[index]);
        let tolerance = self.tolerance();
        Ok(format!(
            "# The entry point `{}` with generated inputs: `interstage generate wgsl`.\n\n\
             [compute shader wgsl]\n{text}\n\n{overrides}[test]\n{commands}compute {x} {y} {z}\n{tolerance}{expectations}",
            entry.name
        ))
    }

    /// The command for the tolerance of the settings.
    fn tolerance(&self) -> String {
        let own = self.settings.tolerance();
        own.map_or_else(String::new, |own| format!("tolerance {own} {own} {own} {own}\n"))
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
        lines.updates |= sinking == Sinking::Added;
        lines.commands += &inputs::unset(&point, sunk.words * 4);
        let _ = writeln!(lines.expectations, "compare oracle ssbo {point}");
        Ok(names.iter().map(|name| format!("entry = \"{name}\"\n{}", sunk.text)).collect())
    }

    /// Pairs the vertex stage with each fragment stage that accepts its outputs, or with one that displays them.
    fn pairs(&self, vertex: usize) -> Vec<Program> {
        let entries = &self.module.entry_points;
        let fits = |(_, entry): &(usize, &EntryPoint)| {
            entry.stage == ShaderStage::Fragment && self.draws(vertex, entry)
        };
        let name = &entries[vertex].name;
        let fragments: Vec<_> = entries.iter().enumerate().filter(fits).collect();
        if fragments.is_empty() {
            return vec![self.program(name.clone(), || self.vertex_alone(vertex))];
        }
        let pair = |(fragment, entry): (usize, &EntryPoint)| {
            self.program(format!("{name}+{}", entry.name), || self.pair(vertex, fragment))
        };
        fragments.into_iter().map(pair).collect()
    }

    /// Pairs a fragment stage that fits no vertex stage of the file with a generated one.
    fn alone(&self, fragment: usize) -> Option<Program> {
        let entries = &self.module.entry_points;
        let entry = &entries[fragment];
        let fits = |(index, vertex): (usize, &EntryPoint)| {
            vertex.stage == ShaderStage::Vertex && self.draws(index, entry)
        };
        if entries.iter().enumerate().any(fits) {
            return None;
        }
        Some(self.program(entry.name.clone(), || self.fragment_alone(fragment)))
    }

    /// True if the vertex stage can draw for the fragment stage: its position may differ between vertices, and it
    /// writes all inputs.
    fn draws(&self, vertex: usize, fragment: &EntryPoint) -> bool {
        self.may_cover(vertex) && self.takes(vertex, fragment)
    }

    /// True if all invocations of an entry point do the same, if none sees what another writes to a buffer.
    fn are_alike(&self, index: usize) -> bool {
        let info = self.info.get_entry_point(index);
        let mut globals = self.module.global_variables.iter();
        let shares = globals
            .any(|(handle, own)| own.space == AddressSpace::WorkGroup && !info[handle].is_empty());
        self.module.entry_points[index].function.arguments.is_empty() && !shares
    }

    /// True if an entry point has one of these built-in inputs.
    fn sees(&self, index: usize, builtins: &[BuiltIn]) -> bool {
        let mut arguments = self.module.entry_points[index].function.arguments.iter();
        arguments.any(|argument| self.has_one(argument.ty, argument.binding.as_ref(), builtins))
    }

    /// True if an entry point writes the depth.
    fn writes_depth(&self, index: usize) -> bool {
        let result = self.module.entry_points[index].function.result.as_ref();
        result.is_some_and(|result| {
            self.has_one(result.ty, result.binding.as_ref(), &[BuiltIn::FragDepth])
        })
    }

    /// True if an input or result of this type, or a member of it, is one of the built-in values.
    fn has_one(
        &self,
        ty: Handle<naga::Type>,
        binding: Option<&Binding>,
        builtins: &[BuiltIn],
    ) -> bool {
        let is_one = |binding: Option<&Binding>| matches!(binding, Some(Binding::BuiltIn(own)) if builtins.contains(own));
        match &self.module.types[ty].inner {
            TypeInner::Struct { members, .. } => {
                members.iter().any(|own| is_one(own.binding.as_ref()))
            }
            _ => is_one(binding),
        }
    }

    /// True if the positions of a vertex stage can differ, because it has an attribute or the vertex's index.
    fn may_cover(&self, vertex: usize) -> bool {
        let function = &self.module.entry_points[vertex].function;
        !self.inputs(function).is_empty() || self.sees(vertex, &[BuiltIn::VertexIndex])
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

    /// The case of a vertex stage that no fragment stage of the file fits. A generated one shows its outputs; if there
    /// is nothing to show, the outputs are captured.
    fn vertex_alone(&self, vertex: usize) -> Result<String, String> {
        let mut lines = Lines::default();
        self.add_resources(&[vertex], &mut lines)?;
        let outputs = self.outputs(&self.module.entry_points[vertex].function);
        let partner = self.varyings(&outputs).filter(|_| self.may_cover(vertex));
        let Some((fragment, formats)) = partner.and_then(|all| partner::fragment_stage(&all))
        else {
            return self.captured(vertex, lines);
        };
        let formats = (0..).zip(formats).collect();
        lines.targets = Targets { formats, ..Targets::default() };
        // Values that reach no output, and attributes that the stage does not use, are stored.
        let sunk = (outputs.is_empty()).then(|| self.sunk(&[vertex], Sinking::Added, &mut lines));
        let text = match sunk {
            Some(Ok(mut texts)) => texts.remove(0),
            Some(Err(_)) | None => self.text(vertex),
        };
        let texts = [text, fragment];
        self.drawing(&[vertex], texts, &self.attributes(vertex)?, lines)
    }

    /// The case of a vertex stage whose outputs are captured.
    fn captured(&self, vertex: usize, lines: Lines) -> Result<String, String> {
        let Lines { commands, expectations, .. } = lines;
        let entry = &self.module.entry_points[vertex];
        // All vertices are alike without inputs.
        let vertices = if self.are_alike(vertex) { 1 } else { 6 };
        let capture = capture::capture(self.module, entry, vertices)
            .ok_or("vertex stages without outputs")?;
        let data = inputs::vertex_data(&self.attributes(vertex)?);
        let data = data.ok_or("vertex attributes of this type")?;
        let (text, overrides) = (self.text(vertex), self.specializations(&[vertex]));
        let tolerance = self.tolerance();
        let Capture { items, commands: captured } = capture;
        Ok(format!(
            "# The outputs of `{}` with generated inputs: `interstage generate wgsl`.\n\n\
             [vertex shader wgsl]\n{text}\n\n{overrides}[capture]\n{items}\n\
             {data}[test]\n{commands}{captured}{tolerance}compare oracle capture 0\n{expectations}",
            entry.name
        ))
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
        if lines.shows_nothing() || self.is_call {
            let is_stored = self.are_alike(fragment) && !lines.updates;
            let sinking = if is_stored { Sinking::Stored } else { Sinking::Added };
            text = self.sunk(&[fragment], sinking, &mut lines)?.remove(0);
        }
        self.drawing(&[fragment], [vertex, text], &place, lines)
    }

    /// The text of a section for an entry point.
    fn text(&self, index: usize) -> String {
        format!("entry = \"{}\"\n{}", self.module.entry_points[index].name, self.source)
    }

    /// Locations and types of the attributes that a vertex stage reads.
    fn attributes(&self, vertex: usize) -> Result<Vec<(u32, Type)>, String> {
        let inputs = self.read_inputs(&self.module.entry_points[vertex].function);
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
        Ok(Targets { formats, blending, has_depth: self.writes_depth(fragment) })
    }

    /// The case of a vertex and a fragment stage.
    fn drawing(
        &self,
        entries: &[usize],
        [vertex, fragment]: [String; 2],
        attributes: &[(u32, Type)],
        lines: Lines,
    ) -> Result<String, String> {
        let Lines { targets, commands, mut expectations, updates, .. } = lines;
        let mut formats = String::new();
        for (location, format) in &targets.formats {
            let clear = inputs::clear_color(format);
            let _ = writeln!(formats, "{location} {format} clear {clear}");
            let _ = writeln!(expectations, "compare oracle target {location}");
        }
        let (needs, blend) = targets.blending.lines();
        let mut state = blend.to_owned();
        if targets.has_depth {
            formats += "depth depth32float\n";
            expectations += "compare oracle depth\n";
            // A depth that is no likely result.
            state += "enable GL_DEPTH_TEST\ndepthfunc GL_ALWAYS\nclear depth 0.3\nclear\n";
        }
        let section = if formats.is_empty() { "" } else { "[render targets]\n" };
        let data = inputs::vertex_data(attributes).ok_or("vertex attributes of this type")?;
        let names: Vec<_> =
            entries.iter().map(|index| &*self.module.entry_points[*index].name).collect();
        // Fragments without inputs do the same, and race if they update a buffer.
        let is_fragment =
            |index: usize| self.module.entry_points[index].stage == ShaderStage::Fragment;
        let last = entries.last().copied().filter(|index| is_fragment(*index));
        let are_alike = last.is_some_and(|index| self.are_alike(index));
        let usual = if are_alike && updates { [1, 1] } else { [16, 16] };
        let [width, height] = self.settings.size().unwrap_or(usual);
        let (overrides, tolerance) = (self.specializations(entries), self.tolerance());
        Ok(format!(
            "# `{}` with generated inputs: `interstage generate wgsl`.\n\n\
             [require]\n{needs}size {width} {height}\n\n[vertex shader wgsl]\n{vertex}\n\n[fragment shader wgsl]\n{fragment}\n\n\
             {overrides}{section}{formats}\n{data}[test]\n{state}{commands}draw arrays triangles 0 6\n{tolerance}{expectations}",
            names.join("` and `")
        ))
    }
}
