//! Writes linked stages in the shading languages that wgpu passes to drivers, for reading.
//!
//! It uses naga's backends with default options. wgpu renumbers bindings for every pipeline, so the numbers of GLSL,
//! HLSL and MSL resources may differ from those that a driver receives; those of SPIR-V do not.

mod hlsl;
mod msl;
mod wgsl;

use std::fmt::{Display, Write as _};
use std::panic::catch_unwind;

use naga::back::{dot, glsl, spv};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Block, Function, Handle, Module, ShaderStage, Statement};

use crate::operands;
use crate::stage::ENTRY_POINT;

pub use hlsl::immediate;
pub use wgsl::{ENABLE_SUBGROUPS, WgslDialect};

/// Output language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// WebGPU's language, or naga's.
    Wgsl(WgslDialect),
    /// Vulkan's binary format.
    Spirv,
    /// GLSL 4.50, or ES 3.10 for modules that 4.50 cannot express.
    Glsl,
    /// Direct3D's language, shader model 5.1.
    Hlsl,
    /// Metal's language, version 2.4.
    Msl,
    /// The IR as a Graphviz graph.
    Dot,
}

/// A module that cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The language lacks something, or the module is invalid, which is a bug of interstage. The text says which.
    #[error("{0}")]
    NotExpressible(String),
    /// naga panics while it writes the module, with this message.
    #[error("naga's writer panics: {0}")]
    Panic(String),
}

/// Writes a module with one entry point.
///
/// # Errors
/// The language cannot express the module, or naga panics.
pub fn write(module: &Module, language: Language) -> Result<Vec<u8>, WriteError> {
    catch_unwind(|| write_or_panic(module, language)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(WriteError::Panic(text.unwrap_or("no message").to_owned()))
    })
}

fn write_or_panic(module: &Module, language: Language) -> Result<Vec<u8>, WriteError> {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator
        .validate(module)
        .map_err(|error| WriteError::NotExpressible(format!("invalid module: {error}")))?;
    let stage = module
        .entry_points
        .first()
        .ok_or(WriteError::NotExpressible("the module has no entry point".to_owned()))?
        .stage;
    match language {
        Language::Wgsl(dialect) => wgsl::write(module, dialect).map(String::into_bytes),
        Language::Spirv => write_spirv(module, &info, stage),
        Language::Glsl => write_glsl(module, &info, stage),
        Language::Hlsl => hlsl::write(module).map(String::into_bytes),
        Language::Msl => msl::write(module, &info).map(String::into_bytes),
        Language::Dot => write_dot(module),
    }
}

fn write_spirv(
    module: &Module,
    info: &ModuleInfo,
    shader_stage: ShaderStage,
) -> Result<Vec<u8>, WriteError> {
    let entry = spv::PipelineOptions { shader_stage, entry_point: ENTRY_POINT.to_owned() };
    // By default naga writes names only in builds with debug assertions; the output must not depend on the build.
    let default = spv::Options::default();
    let options = spv::Options { flags: default.flags | spv::WriterFlags::DEBUG, ..default };
    let words = spv::write_vec(module, info, &options, Some(&entry));
    let words = words.map_err(|error| not_expressible("SPIR-V", error))?;
    Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

fn write_glsl(
    module: &Module,
    info: &ModuleInfo,
    shader_stage: ShaderStage,
) -> Result<Vec<u8>, WriteError> {
    let entry_point = ENTRY_POINT.to_owned();
    let entry = glsl::PipelineOptions { shader_stage, entry_point, multiview: None };
    let attempt = |version| {
        let options = glsl::Options { version, ..glsl::Options::default() };
        let policies = naga::proc::BoundsCheckPolicies::default();
        let mut text = String::new();
        glsl::Writer::new(&mut text, module, info, &options, &entry, policies)
            .and_then(|mut writer| writer.write())
            .map(|_| text)
    };
    let desktop = attempt(glsl::Version::Desktop(450));
    text(desktop.or_else(|_| attempt(glsl::Version::new_gles(310))), "GLSL")
}

/// Writes the IR as a graph. naga's writer panics on calls, so calls are removed and drawn as edges between functions.
fn write_dot(module: &Module) -> Result<Vec<u8>, WriteError> {
    let mut module = module.clone();
    let mut edges = String::new();
    let functions = module.functions.iter_mut();
    let functions = functions.map(|(handle, function)| (format!("f{}", handle.index()), function));
    let entries = module.entry_points.iter_mut().enumerate();
    let entries = entries.map(|(idx, entry)| (format!("ep{idx}"), &mut entry.function));
    for (caller, function) in functions.chain(entries) {
        let mut called = Vec::new();
        take_calls(&mut function.body, &mut called);
        for callee in called {
            let callee = callee.index();
            let _ = writeln!(edges, "\t{caller}_s0 -> f{callee}_s0 [ label=\"Call\" ]");
        }
    }
    let graph = dot::write(&module, None, dot::Options::default());
    let graph = graph.map(|graph| match graph.trim_end().strip_suffix('}') {
        Some(inside) => format!("{inside}{edges}}}\n"),
        None => graph,
    });
    text(graph, "a graph")
}

/// Replaces function calls with empty blocks, and collects the called functions.
fn take_calls(block: &mut Block, called: &mut Vec<Handle<Function>>) {
    for statement in block.iter_mut() {
        if let Statement::Call { function, .. } = statement {
            called.push(*function);
            *statement = Statement::Block(Block::new());
        }
        for inner in operands::blocks_mut(statement) {
            take_calls(inner, called);
        }
    }
}

fn text<E: Display>(result: Result<String, E>, language: &str) -> Result<Vec<u8>, WriteError> {
    result.map(String::into_bytes).map_err(|error| not_expressible(language, error))
}

fn not_expressible(language: &str, error: impl Display) -> WriteError {
    WriteError::NotExpressible(format!("not expressible in {language}: {error}"))
}
