//! Typed lowering: GLSL's tree to naga's IR and the interface tables of a [`StageModule`].
//!
//! The tree is lowered directly, without generating intermediate shader text, so that GLSL's own rules hold: evaluation
//! order, short circuit, copy-in and copy-out, initialisers of globals, the order of array dimensions.
//!
//! Global scope is declared object by object ([`declaration`], [`interface`], [`block`]); then `main` is lowered, and
//! every function before its first call ([`call::function`]). Functions that are never called are lowered too, to find their
//! errors, and then discarded. The code reachable from `main` decides which interface variables count as used.
//!
//! Terms: an *object* is one translation unit; a *place* is an l-value ([`expression::lvalue`]); a *constant* is a value known at
//! compile time ([`types::constant`]).

mod agreement;
mod block;
mod body;
mod builtin_variable;
mod call;
mod declaration;
mod expression;
mod geometry;
mod global;
mod interface;
mod opaque;
mod operand;
mod qualifier;
mod scope;
mod statement;
mod tessellation;
#[cfg(test)]
mod tests;
mod type_specifier;
mod types;

use std::collections::{HashMap, HashSet};

use naga::proc::Layouter;
use naga::{Handle, Module};

use crate::ast::{Extension, Ident, Qualifiers, TranslationUnit, Version};
use crate::hints::Hints;
use crate::preprocess::MAX_ERRORS;
use crate::{check, scan};
use ir::declared_block::DeclaredBlock;
use ir::declared_uniform::DeclaredUniform;
use ir::diagnostic::{CompileError, Diagnostic};
use ir::interface::Variable;
use ir::precision::Precision;
use ir::source::Span;
use ir::stage::ShaderStage;
use ir::stage_module::{
    BuiltinVariable, CounterVariable, FragCoordRule, LanguageRules, ResourceVariable, StageModule,
    UniformVariable,
};
use ir::tessellation::MAX_PATCH_VERTICES;

use call::function::FunctionEntry;
use call::subroutine::Subroutines;
use declaration::implied_length::ArrayForm;
use declaration::initializer::Pending;
use global::{GlobalInfo, Role, Use};
use opaque::Opaques;
use qualifier::At;
use scope::Object;
use types::Ty;

/// Compiles the objects of one stage to one module.
///
/// The objects share globals by name and call each other's functions; each has its own names and language version, and
/// the first one's version sets the stage's rules. A thread with a stack of 2 MiB is enough for any input.
pub fn compile(
    objects: &[TranslationUnit],
    stage: ShaderStage,
    hints: &Hints,
) -> Result<StageModule, CompileError> {
    let mut context = Stage::new(objects, stage);
    context.check_objects();
    context.check_agreement();
    context.begin_geometry();
    context.hints = hints.clone();
    for object in 0..objects.len() {
        context.declare_object(object);
    }
    context.combine_opaques();
    context.check_constants();
    let checked = context.check_subroutine_names();
    context.note(checked);
    context.check_faults()?;
    let main = context.lower_main();
    context.lower_uncalled();
    context.check_written_colors();
    context.check_faults()?;
    let Some(main) = main else {
        let message = format!("the {} stage has no `main`", stage.name());
        return Err(CompileError::Link(vec![Diagnostic::error(None, message)]));
    };
    if stage == ShaderStage::Compute && !context.has_workgroup_size && !context.is_vulkan() {
        let message = "no shader object declares the local size of the compute stage";
        return Err(CompileError::Link(vec![Diagnostic::error(None, message)]));
    }
    context.check_geometry()?;
    context.check_tessellation()?;
    Ok(context.finish(main))
}

/// Maximum nesting depth of statements and expressions; a call adds the depth of the called function. Deeper nesting
/// could exceed a stack of 2 MiB, the minimum for a thread.
const MAX_NESTING: u32 = 440;

/// Error that ends the lowering of one item.
#[derive(Clone, Debug)]
enum Fault {
    /// The shader is invalid.
    Wrong(Box<Diagnostic>),
    /// Every object is valid, but they do not match.
    Mismatch(Box<Diagnostic>),
    /// The shader uses an unsupported construct.
    Unsupported { word: String, span: Span },
}

type Result<T, E = Fault> = std::result::Result<T, E>;

/// Returns the error for an invalid shader.
fn wrong<T>(span: impl Into<Option<Span>>, message: impl Into<String>) -> Result<T> {
    Err(Fault::Wrong(Box::new(Diagnostic::error(span, message))))
}

/// Returns the error for objects that cannot be linked to one stage.
fn mismatch<T>(span: impl Into<Option<Span>>, message: impl Into<String>) -> Result<T> {
    Err(Fault::Mismatch(Box::new(Diagnostic::error(span, message))))
}

/// Returns the error for an unsupported construct.
fn unsupported<T>(span: Span, word: impl Into<String>) -> Result<T> {
    Err(Fault::Unsupported { word: word.into(), span })
}

/// Dispatch to the rules of single stages, which the modules called like the stages have.
impl Stage<'_> {
    /// Applies the layout of a stage as a whole, such as `layout(triangles) in;`.
    fn qualify_one_stage(&mut self, at: At, qualifiers: &Qualifiers, span: Span) -> Result<()> {
        self.qualify_geometry(at, qualifiers, span)?;
        self.qualify_tessellation(at, qualifiers, span)
    }

    /// Number of elements of an array of vertices that is declared without a size.
    fn vertex_count(&mut self, role: Role, name: &Ident) -> Result<u32> {
        if self.stage == ShaderStage::Geometry {
            return Ok(match self.vertices() {
                Some(vertices) => vertices,
                None => self.implied_length(&name.name, ArrayForm::Scope).length().max(1),
            });
        }
        if role == Role::Input {
            return Ok(MAX_PATCH_VERTICES);
        }
        match self.patch_size() {
            Ok(size) => Ok(size.unwrap_or(1)),
            Err(span) => unsupported(span, "`vertices` whose value follows from a later constant"),
        }
    }

    /// Compares the declared size of an array of vertices with the one that its stage requires.
    fn check_vertices(&mut self, at: At, role: Role, name: &Ident, size: u32) -> Result<()> {
        if self.stage == ShaderStage::Geometry {
            return self.check_primitive_size(at, name, size);
        }
        if role == Role::Output {
            return self.check_patch_size(at, name, size);
        }
        if size == MAX_PATCH_VERTICES {
            return Ok(());
        }
        let message = format!(
            "`{}` has {size} elements, but `gl_MaxPatchVertices` is {MAX_PATCH_VERTICES}",
            name.name
        );
        wrong(name.span, message)
    }
}

/// Converts a position in the case to naga's span.
fn naga_span(span: Span) -> naga::Span {
    let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    naga::Span::new(clamp(span.start), clamp(span.end))
}

/// State of compiling one stage.
#[expect(clippy::struct_field_names, reason = "`stage.stage` is which of GLSL's stages it is")]
struct Stage<'a> {
    stage: ShaderStage,
    units: &'a [TranslationUnit],
    module: Module,
    layouter: Layouter,
    /// Names declared by each unit.
    objects: Vec<Object>,
    /// Information about every global of the module.
    globals: HashMap<Handle<naga::GlobalVariable>, GlobalInfo>,
    /// Globals shared by several objects, by name.
    shared: HashMap<String, Handle<naga::GlobalVariable>>,
    /// All functions of all objects.
    functions: Vec<FunctionEntry<'a>>,
    /// The functions that are being lowered: each calls the next.
    underway: Vec<usize>,
    /// Current nesting depth of statements and expressions, over all functions.
    nesting: u32,
    /// True if the code being lowered is unreachable.
    is_unreachable: bool,
    /// Initialisers to be executed in `main`.
    pending: Vec<Pending<'a>>,
    subroutines: Subroutines,
    /// Accesses by code that is reachable from `main`.
    uses: HashSet<Use>,
    /// Accesses by any code, and mentions of globals without an access.
    static_uses: HashSet<Use>,
    inputs: Vec<Variable>,
    outputs: Vec<Variable>,
    builtins: Vec<BuiltinVariable>,
    /// Built-in arrays redeclared with a size, with the first object that did so.
    builtin_lengths: HashMap<String, (u32, usize)>,
    frag_coord: FragCoordRule,
    /// Early fragment tests, from `early_fragment_tests` or the layout of `gl_FragDepth`.
    early_depth_test: Option<naga::EarlyDepthTest>,
    uniforms: Vec<UniformVariable>,
    declared_blocks: Vec<DeclaredBlock>,
    declared_uniforms: Vec<DeclaredUniform>,
    /// Precisions of the members of structs in ES.
    member_precisions: HashMap<Ty, Vec<Option<Precision>>>,
    resources: Vec<ResourceVariable>,
    counters: Vec<CounterVariable>,
    opaques: Opaques,
    hints: Hints,
    /// Local size of a compute stage.
    workgroup_size: [u32; 3],
    has_workgroup_size: bool,
    /// State that only a geometry stage has.
    geometry: Option<geometry::GeometryState>,
    /// State that only a tessellation stage has.
    tessellation: tessellation::TessellationState,
    /// The globals of `gl_in` and `gl_out`, if the stage uses them.
    vertex_blocks: Vec<Handle<naga::GlobalVariable>>,
    xfb: interface::xfb::XfbState,
    faults: Vec<Fault>,
}

impl<'a> Stage<'a> {
    fn new(units: &'a [TranslationUnit], stage: ShaderStage) -> Self {
        Self {
            stage,
            units,
            module: Module::default(),
            layouter: Layouter::default(),
            objects: units.iter().map(Object::new).collect(),
            globals: HashMap::new(),
            shared: HashMap::new(),
            functions: Vec::new(),
            nesting: 0,
            underway: Vec::new(),
            is_unreachable: false,
            pending: Vec::new(),
            subroutines: Subroutines::default(),
            uses: HashSet::new(),
            static_uses: HashSet::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            builtins: Vec::new(),
            builtin_lengths: HashMap::new(),
            frag_coord: FragCoordRule::default(),
            early_depth_test: None,
            uniforms: Vec::new(),
            declared_blocks: Vec::new(),
            declared_uniforms: Vec::new(),
            member_precisions: HashMap::new(),
            resources: Vec::new(),
            counters: Vec::new(),
            opaques: Opaques::default(),
            hints: Hints::default(),
            workgroup_size: [1; 3],
            has_workgroup_size: false,
            geometry: None,
            tessellation: tessellation::TessellationState::default(),
            vertex_blocks: Vec::new(),
            xfb: interface::xfb::XfbState::default(),
            faults: Vec::new(),
        }
    }

    /// Records the faults that checking the tree of each object finds, errors first.
    fn check_objects(&mut self) {
        let (stage, units) = (self.stage, self.units);
        let found: Vec<_> = units.iter().map(|unit| check::check(unit, stage)).collect();
        let (errors, unsupported): (Vec<_>, Vec<_>) =
            found.into_iter().map(|found| (found.errors, found.unsupported)).unzip();
        let errors = errors.into_iter().flatten();
        self.faults.extend(errors.map(|error| Fault::Wrong(Box::new(error))));
        let unsupported = unsupported.into_iter().flatten();
        self.faults.extend(unsupported.map(|(word, span)| Fault::Unsupported { word, span }));
    }

    /// Language version of an object.
    fn version(&self, object: usize) -> Version {
        self.objects.get(object).map_or_else(Version::default, |object| object.version)
    }

    /// True if the object enables one of these extensions.
    fn has_extension(&self, object: usize, names: &[&str]) -> bool {
        let extensions = self.units.get(object).map_or(&[][..], |unit| &unit.extensions);
        extensions
            .iter()
            .any(|extension| extension.behaviour != "disable" && names.contains(&&*extension.name))
    }

    /// True if the object uses an extension that is not provided, if it is there.
    fn has_unknown_extension(&self, object: usize) -> bool {
        let extensions = self.units.get(object).map_or(&[][..], |unit| &unit.extensions);
        let is_unknown = |one: &Extension| !one.is_provided && one.behaviour != "disable";
        extensions.iter().any(|one| one.name != "all" && is_unknown(one))
    }

    /// Enters a nesting level, which [`Self::leave`] leaves. The error reports that the limit is exceeded.
    fn enter(&mut self, span: Span) -> Result<()> {
        if self.nesting >= MAX_NESTING {
            return unsupported(span, "statements and calls that are nested this deeply");
        }
        self.nesting += 1;
        Ok(())
    }

    /// Leaves a level entered with [`Self::enter`].
    fn leave(&mut self) {
        self.nesting = self.nesting.saturating_sub(1);
    }

    /// Records a fault, so that the next item can be lowered.
    fn note<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|fault| self.faults.push(fault)).ok()
    }

    /// Returns the first errors, or the first unsupported construct: later errors may be consequences of it.
    fn check_faults(&self) -> std::result::Result<(), CompileError> {
        let mut diagnostics: Vec<Diagnostic> = Vec::new();
        let mut mismatches: Vec<Diagnostic> = Vec::new();
        for fault in &self.faults {
            match fault {
                Fault::Wrong(diagnostic) if diagnostics.contains(diagnostic) => {}
                Fault::Wrong(_) if diagnostics.len() >= MAX_ERRORS => break,
                Fault::Wrong(diagnostic) => diagnostics.push((**diagnostic).clone()),
                Fault::Mismatch(_) if mismatches.len() >= MAX_ERRORS => {}
                Fault::Mismatch(diagnostic) => mismatches.push((**diagnostic).clone()),
                Fault::Unsupported { word, span }
                    if diagnostics.is_empty() && mismatches.is_empty() =>
                {
                    return Err(CompileError::Unsupported {
                        word: word.clone(),
                        span: Some(*span),
                    });
                }
                Fault::Unsupported { .. } => break,
            }
        }
        if !diagnostics.is_empty() {
            return Err(CompileError::Diagnostics(diagnostics));
        }
        if mismatches.is_empty() { Ok(()) } else { Err(CompileError::Link(mismatches)) }
    }

    fn finish(mut self, main: Handle<naga::Function>) -> StageModule {
        self.mark_used();
        self.forget_unused_precisions();
        self.drop_untouched_members();
        self.name_subroutines();
        self.mark_invariant();
        self.finish_opaques();
        let per_vertex = self.per_vertex_blocks();
        let version = self.version(0);
        let rules = if self.is_vulkan() {
            LanguageRules::Vulkan
        } else {
            LanguageRules::Glsl { version: version.number, is_es: version.is_es }
        };
        let geometry = self.finished_geometry();
        let tessellation = self.finished_tessellation();
        let lengths = self.builtin_lengths.into_iter();
        let builtin_lengths = lengths.map(|(name, (length, _))| (name, length)).collect();
        let invariant_builtins = agreement::invariant_builtins(self.units);
        let has_invariant_position = self.stage != ShaderStage::Fragment
            && invariant_builtins.iter().any(|(name, _)| name == "gl_Position");
        StageModule {
            stage: self.stage,
            place: None,
            rules,
            module: self.module,
            main,
            inputs: self.inputs,
            outputs: self.outputs,
            builtins: self.builtins,
            invariant_builtins,
            has_invariant_position,
            early_depth_test: self.early_depth_test,
            unredeclared_member: agreement::unredeclared_member(self.stage, self.units),
            per_vertex,
            overwritten: Vec::new(),
            frag_coord: self.frag_coord,
            uniforms: self.uniforms,
            declared_blocks: self.declared_blocks,
            declared_uniforms: self.declared_uniforms,
            resources: self.resources,
            counters: self.counters,
            workgroup_size: self.workgroup_size,
            builtin_lengths,
            xfb: self.xfb.declarations,
            geometry,
            tessellation,
        }
    }
}
