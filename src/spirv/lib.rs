//! SPIR-V stages: assembled here, specialised, rewritten so that naga can read them, and compiled to the common stage
//! form.
//!
//! naga's reader drops information that linking needs (components, layouts, several entry points), and rejects features
//! that GL has and Vulkan lacks (a lower-left origin, uniforms outside blocks). So everything about a module's
//! interface is read from its own instructions, and naga gets a module of private globals and storage buffers.
//!
//! Names have no meaning in SPIR-V: variables are matched by location, blocks by binding. A case may use the names that
//! a module has.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "SPIR-V's and naga's enums have hundreds of variants of which a few matter here"
)]

mod annotation;
mod assemble;
mod binary;
mod declarations;
mod fall_through;
mod interface;
mod main_function;
mod refusal;
mod rewrite;
mod role;
mod specialize;
mod types;
mod usage;
mod well_formed;
pub mod word;

use std::collections::BTreeMap;
use std::error::Error as _;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{ConservativeDepth, EarlyDepthTest, Handle, Module};
use rspirv::dr::Operand;
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op};

use crate::well_formed::malformed::Malformed;
use ir::diagnostic::{CompileError, Diagnostic};
use ir::source::{Span, Spanned};
use ir::stage::{ShaderStage, Specialization, naga_stage};
use ir::stage_module::{FragCoordRule, LanguageRules, StageModule};

use declarations::{Declarations, first_word};
use interface::{Gathering, Interface, Problem};
use refusal::Refusal;
use role::Role;
use specialize::SpecializeError;

/// A module and its entry point.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The module.
    pub form: Form<'a>,
    /// Name of the entry point. The default is the only entry point of the stage's execution model, or the one called
    /// `main`.
    pub entry: Option<&'a Spanned<String>>,
    /// The API that the module is for.
    pub conventions: Conventions,
}

/// The API whose conventions hold in a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conventions {
    /// OpenGL with `GL_ARB_gl_spirv`.
    OpenGl,
    /// Vulkan.
    Vulkan,
}

impl Conventions {
    /// The language rules of a stage with these conventions.
    const fn rules(self) -> LanguageRules {
        match self {
            Self::OpenGl => LanguageRules::Spirv,
            Self::Vulkan => LanguageRules::Vulkan,
        }
    }
}

/// Source of a module.
#[derive(Clone, Copy, Debug)]
pub enum Form<'a> {
    /// Assembly, at `text` inside `source`.
    Assembly {
        /// The text of the whole case.
        source: &'a str,
        /// Position of the section's text.
        text: Span,
    },
    /// A binary file.
    Binary {
        /// The bytes of the file, or the reason why it cannot be read.
        content: Result<&'a [u8], &'a str>,
        /// Position of the file name in the case.
        span: Span,
    },
}

/// The words of a module, with positions for messages.
struct Located {
    words: Vec<u32>,
    /// Positions of ids.
    results: BTreeMap<u32, Span>,
    /// Position for messages that no id has.
    whole: Span,
}

fn words_of(form: Form<'_>) -> Result<Located, CompileError> {
    match form {
        Form::Assembly { source, text } => {
            let assembly = source.get(std::ops::Range::from(text)).unwrap_or("");
            let assembled =
                assemble::assemble(assembly, text.start).map_err(CompileError::Diagnostics)?;
            let whole = Span::new(text.start, text.start.saturating_add(1).min(text.end));
            Ok(Located { words: assembled.words, results: assembled.results, whole })
        }
        Form::Binary { content, span } => {
            let content =
                content.map_err(|reason| wrong(span, format!("cannot read the file: {reason}")))?;
            let words = binary::words(content).map_err(|malformed| wrong(span, malformed))?;
            Ok(Located { words, results: BTreeMap::new(), whole: span })
        }
    }
}

/// Compiles a module as `stage`, with the given values of its specialisation constants.
pub fn compile(
    input: &Input<'_>,
    stage: ShaderStage,
    specializations: &[Specialization],
) -> Result<StageModule, CompileError> {
    let Located { words, results, whole } = words_of(input.form)?;
    let spans = |id: u32| results.get(&id).copied().unwrap_or(whole);
    let mut module = load(&words).map_err(|malformed| wrong(whole, malformed))?;
    well_formed::check(&module).map_err(|(id, message)| wrong(spans(id), message))?;
    annotation::ungroup(&mut module);
    let entry = entry_point(&module, stage, input.entry, whole)?;
    usage::prune(&mut module, entry);
    well_formed::nesting::check(&module).map_err(|malformed| wrong(spans(entry), malformed))?;
    let specialized = specialize::specialize(&mut module, specializations, input.conventions);
    specialized.map_err(|error| match error {
        SpecializeError::Wrong(diagnostic) => CompileError::Diagnostics(vec![diagnostic]),
        SpecializeError::Unsupported(id, word) => CompileError::unsupported(word, spans(id)),
    })?;
    build(module, entry, stage, input.conventions, &spans)
}

/// Parses a module. rspirv's reader may panic on a hostile module, which becomes an ordinary error.
fn load(words: &[u32]) -> Result<rspirv::dr::Module, Malformed> {
    let words = annotation::with_plain_modes(words);
    let loaded = std::panic::catch_unwind(|| rspirv::dr::load_words(words));
    let loaded = loaded.map_err(|_| Malformed("the module is not well formed".to_owned()))?;
    loaded.map_err(|error| Malformed(format!("the module is not well formed: {error}")))
}

fn build(
    module: rspirv::dr::Module,
    entry: u32,
    stage: ShaderStage,
    conventions: Conventions,
    spans: &dyn Fn(u32) -> Span,
) -> Result<StageModule, CompileError> {
    let declarations = Declarations::of(&module);
    if let Some(ty) = declarations.first_oversized() {
        return Err(wrong(spans(ty), "the type is nested too deeply, or too large"));
    }
    let usage = usage::table(&module, &declarations);
    annotation::check_modes(&module, entry, stage, conventions)
        .and_then(|()| annotation::check_decorations(&module, entry, stage, &declarations, &usage))
        .map_err(|refusal| refused(refusal, spans))?;
    let modes = stage_modes(&module, entry, conventions, &declarations);
    let roles = roles_of(&declarations, spans)?;
    let rewritten = rewrite::rewrite(module, entry, &declarations, &roles)
        .map_err(|word| CompileError::unsupported(word, spans(entry)))?;
    let mut module = read(&rewritten.words, spans(entry))?;
    let user = take_user_function(&mut module, stage, spans(entry))?;
    let compile_error = |problem| compile_error(problem, spans);
    let mut gathering = Gathering {
        stage,
        declarations: &declarations,
        usage: &usage,
        spans,
        is_captured: modes.is_captured,
        interface: Interface::default(),
    };
    let globals: Vec<_> = module.global_variables.iter().map(|(global, _)| global).collect();
    for ((id, element), global) in rewritten.globals.iter().zip(globals) {
        if let Some(binding) = rewritten.counters.get(id) {
            gathering.add_counter_buffer(*binding, global);
        }
        if let Some((texture, element, part)) = rewritten.textures.get(id) {
            let added = gathering.add_texture(*texture, *element, *part, global);
            added.map_err(compile_error)?;
        }
        let variable = declarations.variables.iter().find(|variable| variable.id == *id);
        let (Some(variable), Some(role)) = (variable, roles.get(id)) else { continue };
        gathering.add(*variable, *role, global, *element).map_err(compile_error)?;
    }
    let counters = gathering.counters(&roles).map_err(compile_error)?;
    let found = gathering.interface;
    let (main, builtins) = main_function::build(&mut module, user, &found.ports);
    accept(&module, spans(entry))?;
    Ok(StageModule {
        inputs: found.inputs,
        outputs: found.outputs,
        builtins,
        uniforms: found.uniforms,
        frag_coord: modes.frag_coord,
        early_depth_test: modes.early_depth_test,
        has_invariant_position: found.has_invariant_position,
        resources: found.resources,
        counters,
        workgroup_size: modes.workgroup_size,
        builtin_lengths: found.builtin_lengths,
        xfb: found.xfb,
        ..StageModule::new(stage, conventions.rules(), module, main)
    })
}

/// The properties of a stage that the execution modes of its entry point set.
struct StageModes {
    frag_coord: FragCoordRule,
    early_depth_test: Option<EarlyDepthTest>,
    workgroup_size: [u32; 3],
    /// True if transform feedback records the outputs.
    is_captured: bool,
}

/// Reads the execution modes of an entry point.
fn stage_modes(
    module: &rspirv::dr::Module,
    entry: u32,
    conventions: Conventions,
    declarations: &Declarations,
) -> StageModes {
    StageModes {
        frag_coord: match conventions {
            Conventions::OpenGl => frag_coord_rule(module, entry),
            // The origin is at y = −1, as in GL's own coordinates.
            Conventions::Vulkan => FragCoordRule::default(),
        },
        early_depth_test: early_depth_test(module, entry),
        workgroup_size: workgroup_size(module, entry, declarations),
        is_captured: annotation::modes(module, entry).any(|mode| mode == ExecutionMode::Xfb),
    }
}

fn roles_of(
    declarations: &Declarations,
    spans: &dyn Fn(u32) -> Span,
) -> Result<BTreeMap<u32, Role>, CompileError> {
    let role_of = |variable: &declarations::Variable| {
        let role = Role::of(declarations, *variable)
            .map_err(|word| CompileError::unsupported(word, spans(variable.id)))?;
        Ok((variable.id, role))
    };
    declarations.variables.iter().map(role_of).collect()
}

/// The function of the stage's entry point: the one with the given name. Without a name it is the only one, or the one
/// called `main`.
fn entry_point(
    module: &rspirv::dr::Module,
    stage: ShaderStage,
    name: Option<&Spanned<String>>,
    span: Span,
) -> Result<u32, CompileError> {
    let model = ExecutionModel::from_u32(stage.properties().spirv_model)
        .expect("the table of stages has models of SPIR-V");
    let operand = Operand::ExecutionModel(model);
    let points = module.entry_points.iter();
    let fitting: Vec<_> = points.filter(|point| point.operands.first() == Some(&operand)).collect();
    let is_called = |point: &rspirv::dr::Instruction, name: &str| {
        let known = point.operands.get(2);
        known.is_some_and(|known| matches!(known, Operand::LiteralString(text) if text == name))
    };
    let chosen = match (name, fitting.as_slice()) {
        (Some(name), all) => {
            let found = all.iter().find(|point| is_called(point, &name.value));
            Some(found.ok_or_else(|| {
                wrong(name.span, no_entry_point(&fitting, &format!("{model:?}"), &name.value))
            })?)
        }
        (None, [only]) => Some(only),
        (None, several) => several.iter().find(|point| is_called(point, "main")),
    };
    let function = chosen.and_then(|point| point.operands.get(1)).map(first_word);
    function.ok_or_else(|| {
        let message = match fitting.len() {
            0 => format!("the module has no entry point of the execution model {model:?}"),
            count => {
                format!("none of the module's {count} {model:?} entry points is called `main`")
            }
        };
        wrong(span, message)
    })
}

fn no_entry_point(fitting: &[&rspirv::dr::Instruction], model: &str, name: &str) -> String {
    let known = fitting.iter().filter_map(|point| match point.operands.get(2) {
        Some(Operand::LiteralString(name)) => Some(format!("`{name}`")),
        _ => None,
    });
    let known = known.collect::<Vec<_>>().join(", ");
    let known = if known.is_empty() { String::new() } else { format!("; it has {known}") };
    format!("the module has no {model} entry point called `{name}`{known}")
}

/// Conventions of `gl_FragCoord` from the execution modes.
fn frag_coord_rule(module: &rspirv::dr::Module, entry: u32) -> FragCoordRule {
    let has = |wanted| annotation::modes(module, entry).any(|mode| mode == wanted);
    FragCoordRule {
        is_origin_upper_left: has(ExecutionMode::OriginUpperLeft),
        is_pixel_center_integer: has(ExecutionMode::PixelCenterInteger),
    }
}

/// Early fragment tests, from the execution modes. With early tests, the modes that restrict how the depth changes have
/// no effect.
fn early_depth_test(module: &rspirv::dr::Module, entry: u32) -> Option<EarlyDepthTest> {
    let allowed = |conservative| Some(EarlyDepthTest::Allow { conservative });
    let mut promises = annotation::modes(module, entry).filter_map(|mode| match mode {
        ExecutionMode::DepthGreater => allowed(ConservativeDepth::GreaterEqual),
        ExecutionMode::DepthLess => allowed(ConservativeDepth::LessEqual),
        ExecutionMode::DepthUnchanged => allowed(ConservativeDepth::Unchanged),
        _ => None,
    });
    let is_forced =
        annotation::modes(module, entry).any(|mode| mode == ExecutionMode::EarlyFragmentTests);
    if is_forced { Some(EarlyDepthTest::Force) } else { promises.next() }
}

/// Workgroup size; the constant with the `WorkgroupSize` decoration has priority over the execution mode.
fn workgroup_size(
    module: &rspirv::dr::Module,
    entry: u32,
    declarations: &Declarations,
) -> [u32; 3] {
    let decorated = module.types_global_values.iter().find(|instruction| {
        let id = instruction.result_id.unwrap_or(0);
        let number = declarations.decorations(id).number(Decoration::BuiltIn);
        number == Some(BuiltIn::WorkgroupSize as u32)
            && instruction.class.opcode == Op::ConstantComposite
    });
    let constants = |ids: &[Operand]| -> Vec<u32> {
        ids.iter().filter_map(|id| declarations.integer(first_word(id))).collect()
    };
    let sizes = match decorated {
        Some(composite) => constants(&composite.operands),
        None => module
            .execution_modes
            .iter()
            .filter(|mode| mode.operands.first() == Some(&Operand::IdRef(entry)))
            .find_map(|mode| match mode.operands.get(1) {
                Some(Operand::ExecutionMode(ExecutionMode::LocalSize)) => {
                    Some(mode.operands.iter().skip(2).map(first_word).collect())
                }
                Some(Operand::ExecutionMode(ExecutionMode::LocalSizeId)) => {
                    Some(constants(mode.operands.get(2..).unwrap_or(&[])))
                }
                _ => None,
            })
            .unwrap_or_default(),
    };
    sizes.try_into().unwrap_or([1, 1, 1])
}

/// Parses the words with naga.
fn read(words: &[u32], span: Span) -> Result<Module, CompileError> {
    let options = naga::front::spv::Options {
        adjust_coordinate_space: false,
        strict_capabilities: false,
        block_ctx_dump_prefix: None,
    };
    // naga's reader panics on some unusual modules, and this module may come from any file.
    let parsed = std::panic::catch_unwind(|| {
        naga::front::spv::Frontend::new(words.iter().copied(), &options).parse()
    });
    match parsed {
        Ok(Ok(mut module)) => {
            fall_through::fill_cases(&mut module);
            Ok(module)
        }
        Ok(Err(error)) => {
            let word = format!("SPIR-V that naga cannot read ({error})");
            Err(CompileError::unsupported(word, span))
        }
        Err(_) => Err(CompileError::unsupported("SPIR-V that naga's reader panics on", span)),
    }
}

/// Validates the module that naga's reader returned: the reader accepts modules that the validator rejects.
fn accept(module: &Module, span: Span) -> Result<(), CompileError> {
    // The linker assigns the bindings of resources.
    let flags = ValidationFlags::all() - ValidationFlags::BINDINGS;
    let validated = Validator::new(flags, Capabilities::all()).validate(module);
    validated.map(drop).map_err(|error| {
        let mut message = error.as_inner().to_string();
        let mut source = error.as_inner().source();
        while let Some(cause) = source {
            message = format!("{message}: {cause}");
            source = cause.source();
        }
        CompileError::unsupported(format!("SPIR-V that naga refuses ({message})"), span)
    })
}

/// Takes the user's function out of naga's wrapper, which is removed. The rest of the entry point (its modes, workgroup
/// size and interface) comes from the instructions.
fn take_user_function(
    module: &mut Module,
    stage: ShaderStage,
    span: Span,
) -> Result<Handle<naga::Function>, CompileError> {
    let entries = std::mem::take(&mut module.entry_points);
    let mut entries = entries.into_iter().filter(|entry| entry.stage == naga_stage(stage));
    let found = entries.next().and_then(|entry| {
        let naga::EntryPoint {
            name: _,
            stage: _,
            early_depth_test: _,
            workgroup_size: _,
            workgroup_size_overrides: _,
            function,
            mesh_info: _,
            task_payload: _,
            incoming_ray_payload: _,
        } = entry;
        function.body.iter().find_map(|statement| match statement {
            naga::Statement::Call { function, .. } => Some(*function),
            _ => None,
        })
    });
    found.ok_or_else(|| wrong(span, "the entry point has no function"))
}

fn compile_error(problem: Problem, spans: &dyn Fn(u32) -> Span) -> CompileError {
    match problem {
        Problem::Wrong(id, message) => wrong(spans(id), message),
        Problem::Link(id, message) => {
            CompileError::Link(vec![Diagnostic::error(spans(id), message)])
        }
        Problem::Unsupported(id, word) => CompileError::unsupported(word, spans(id)),
    }
}

fn refused(refusal: Refusal, spans: &dyn Fn(u32) -> Span) -> CompileError {
    match refusal {
        Refusal::Wrong(id, message) => wrong(spans(id), message),
        Refusal::Unsupported(id, word) => CompileError::unsupported(word, spans(id)),
    }
}

fn wrong(span: Span, message: impl Into<String>) -> CompileError {
    CompileError::Diagnostics(vec![Diagnostic::error(span, message)])
}

#[cfg(test)]
mod mutation_tests;
#[cfg(test)]
mod size_tests;
#[cfg(test)]
mod tests;
