//! Tests the lowering as a whole: compiles GLSL text and compares tables or WGSL. Every printed module is validated.

mod built_ins;
mod code;
mod constants;
mod errors;
mod geometry;
mod interface;
mod legacy;
mod memory;
mod objects;
mod opaque;
mod subroutines;
mod tessellation;
mod version;
mod xfb;

use std::fmt::Write as _;

use naga::back::wgsl;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use crate::ast::TranslationUnit;
use crate::parser::{ParseOptions, parse};
use ir::stage::ShaderStage;
use ir::stage_module::StageModule;

use super::{CompileError, compile};

fn units(texts: &[&str]) -> Vec<TranslationUnit> {
    texts
        .iter()
        .map(|text| parse(text, 0, &ParseOptions::default()).expect("the test's text parses"))
        .collect()
}

/// Compiles a stage whose objects all start with this version.
fn compiled(
    version: &str,
    stage: ShaderStage,
    texts: &[&str],
) -> Result<StageModule, CompileError> {
    // The size is appended after the text, so that it does not move any span.
    let needs_size = stage == ShaderStage::Compute && !texts.concat().contains("local_size");
    let size = if needs_size { "\nlayout(local_size_x = 1) in;" } else { "" };
    let texts: Vec<_> =
        texts.iter().map(|text| format!("#version {version}\n{text}{size}")).collect();
    let texts: Vec<_> = texts.iter().map(String::as_str).collect();
    let limits = vec![("GL_MAX_PATCH_VERTICES", 32), ("GL_MAX_LIGHTS", 8)];
    compile(&units(&texts), stage, &crate::Hints { limits, ..crate::Hints::default() })
}

#[track_caller]
fn accepted(version: &str, stage: ShaderStage, text: &str) -> (StageModule, ModuleInfo) {
    let module = compiled(version, stage, &[text]).expect("the stage compiles");
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module.module)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
    (module, info)
}

/// The whole module as WGSL.
#[track_caller]
fn wgsl_of(version: &str, stage: ShaderStage, text: &str) -> String {
    let (module, info) = accepted(version, stage, text);
    wgsl::write_string(&module.module, &info, wgsl::WriterFlags::empty()).expect("WGSL can say it")
}

/// The statements of one function, without its variables.
#[track_caller]
fn function_of(version: &str, stage: ShaderStage, text: &str, name: &str) -> String {
    let wgsl = wgsl_of(version, stage, text);
    let start = wgsl.find(&format!("fn {name}(")).expect("the function is there");
    let mut body = String::new();
    for line in wgsl[start..].lines().skip(1).take_while(|line| *line != "}") {
        let line = line.strip_prefix("    ").unwrap_or(line);
        if !line.is_empty() && !line.starts_with("var ") && line != "return;" {
            let _ = writeln!(body, "{line}");
        }
    }
    body
}

/// The message of the first error and the text that it underlines.
#[track_caller]
fn error_of(version: &str, stage: ShaderStage, text: &str) -> String {
    let header = format!("#version {version}\n");
    match compiled(version, stage, &[text]) {
        Ok(_) => "accepted".to_owned(),
        Err(CompileError::Unsupported { word, .. }) => format!("unsupported {word}"),
        Err(CompileError::Diagnostics(errors) | CompileError::Link(errors)) => {
            let error = errors.first().expect("at least one error");
            let whole = format!("{header}{text}");
            let place = error.span.map_or("", |span| &whole[span.start..span.end]);
            format!("{} [{place}]", error.message)
        }
    }
}

/// Prints inputs, outputs, built-ins, uniforms and resources, one line each.
fn tables(module: &StageModule) -> String {
    let mut text = String::new();
    for (word, table) in [("in", &module.inputs), ("out", &module.outputs)] {
        for variable in table {
            let place = variable.place.as_ref().expect("every variable has a place");
            let name = module.module.global_variables[place.global].name.as_deref();
            let patch = if variable.is_patch { " patch" } else { "" };
            let _ = write!(text, "{word}{patch} {} {}", variable.ty, variable.name);
            if !variable.alias.is_empty() {
                let _ = write!(text, " ({})", variable.alias);
            }
            let _ = write!(text, " {} {}", variable.interpolation, variable.sampling);
            for (word, value) in [
                ("location", variable.location),
                ("component", variable.component),
                ("index", variable.index),
            ] {
                if let Some(value) = value {
                    let _ = write!(text, " {word} {value}");
                }
            }
            let used = if variable.is_used { "used" } else { "unused" };
            let _ = writeln!(text, " {used}, at {}{:?}", name.unwrap_or_default(), place.path);
        }
    }
    for builtin in &module.builtins {
        let _ = writeln!(text, "{:?} {:?}", builtin.direction, builtin.builtin);
    }
    for uniform in &module.uniforms {
        let used = if uniform.is_used { "used" } else { "unused" };
        let _ = writeln!(
            text,
            "uniform {} {} {:?} {:?} {used}, at {:?}",
            uniform.ty, uniform.name, uniform.kind, uniform.initial, uniform.place.path
        );
    }
    for resource in &module.resources {
        let _ = writeln!(text, "{} {:?} {:?}", resource.name, resource.kind, resource.binding);
    }
    text
}
