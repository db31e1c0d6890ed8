//! The front ends. An input is a section of a case.

use glsl::ast::Version;
use glsl::{Hints, ParseOptions};
use interstage::ir::diagnostic::CompileError;
use interstage::ir::source::{Source, Span};
use interstage::ir::stage::ShaderStage;
use spirv::{Conventions, Form};

use super::{check_messages, check_span};
use crate::section::{MAGIC, divided};

/// Parses and lowers GLSL, for OpenGL and for Vulkan.
pub(super) fn glsl(input: &[u8]) {
    let Some((stage, text)) = text_of(input) else { return };
    for target in [glsl::Target::OpenGl, glsl::Target::Vulkan] {
        let default_version = Version { number: 450, is_es: false, is_compatibility: false };
        let options = ParseOptions {
            default_version,
            includes: Vec::new(),
            include_folders: Vec::new(),
            target,
        };
        let compiled = glsl::parse(text.shader(), text.start, &options)
            .and_then(|unit| glsl::compile(&[unit], stage, &Hints::default()));
        text.check(compiled.map(drop));
    }
}

/// Compiles WGSL.
pub(super) fn wgsl(input: &[u8]) {
    let Some((stage, text)) = text_of(input) else { return };
    let source = text.source.text();
    let input = wgsl::Input { text: text.span(), ..wgsl::Input::whole(source, stage) };
    text.check(wgsl::compile(&input).map(drop));
}

/// Compiles SPIR-V, as words or as assembly.
pub(super) fn spirv(input: &[u8]) {
    let Some((stage, bytes)) = divided(input) else { return };
    for conventions in [Conventions::OpenGl, Conventions::Vulkan] {
        if bytes.starts_with(&MAGIC) {
            let form = Form::Binary { content: Ok(bytes), span: Span::new(0, 1) };
            let input = spirv::Input { form, entry: None, conventions };
            drop(spirv::compile(&input, stage, &[]));
        } else if let Some((_, text)) = text_of(input) {
            let form = Form::Assembly { source: text.source.text(), text: text.span() };
            let input = spirv::Input { form, entry: None, conventions };
            text.check(spirv::compile(&input, stage, &[]).map(drop));
        }
    }
}

/// A shader as text.
struct Text {
    source: Source,
    /// Offset of the first byte of the shader.
    start: usize,
}

fn text_of(input: &[u8]) -> Option<(ShaderStage, Text)> {
    let (stage, shader) = divided(input)?;
    let text = String::from_utf8_lossy(input).into_owned();
    let start = input.len() - shader.len();
    Some((stage, Text { source: Source::new("fuzz", text), start }))
}

impl Text {
    fn span(&self) -> Span {
        Span::new(self.start, self.source.text().len())
    }

    fn shader(&self) -> &str {
        self.source.slice(self.span())
    }

    /// Checks the messages of a front end.
    fn check(&self, compiled: Result<(), CompileError>) {
        match compiled {
            Ok(()) => {}
            Err(CompileError::Diagnostics(errors) | CompileError::Link(errors)) => {
                assert!(!errors.is_empty(), "a shader is refused, and nothing says why");
                check_messages(&self.source, &errors);
            }
            Err(CompileError::Unsupported { word, span }) => {
                if let Some(span) = span {
                    check_span(&self.source, span, &word);
                }
            }
        }
    }
}
