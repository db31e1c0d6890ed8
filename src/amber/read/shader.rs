//! Reads `SHADER`.

use ir::source::{Span, Spanned};

use super::script::Parser;
use super::text::at::At;
use super::text::problem::{Parsed, Problem};
use super::words::SHADER_KINDS;
use crate::syntax::{Shader, ShaderKind, ShaderLanguage};

/// Languages of shaders; `None` for those that interstage does not compile.
const LANGUAGES: [(&str, Option<ShaderLanguage>); 8] = [
    ("GLSL", Some(ShaderLanguage::Glsl)),
    ("SPIRV-ASM", Some(ShaderLanguage::SpirvAssembly)),
    ("SPIRV-HEX", Some(ShaderLanguage::SpirvHex)),
    ("SPIRV-BIN", Some(ShaderLanguage::SpirvBinary)),
    ("WGSL", Some(ShaderLanguage::Wgsl)),
    ("PASSTHROUGH", Some(ShaderLanguage::Passthrough)),
    ("HLSL", None),
    ("OPENCL-C", None),
];

impl Parser<'_> {
    /// Reads the kind of a shader.
    pub(super) fn shader_kind(&mut self) -> Parsed<ShaderKind> {
        let span = self.cursor.peek().span;
        let kind = self.cursor.choice("shader stage", &SHADER_KINDS)?;
        kind.ok_or_else(|| Problem::unsupported("ray tracing", span))
    }

    /// Reads `SHADER STAGE NAME LANGUAGE …`.
    pub(super) fn read_shader(&mut self, start: Span) -> Parsed<()> {
        let stage = self.shader_kind()?;
        let name = self.cursor.name("the name of the shader")?;
        let word = self.cursor.peek().clone();
        let language = self.cursor.choice("shader language", &LANGUAGES)?;
        let language = language.ok_or_else(|| {
            let language = if self.cursor.slice(word.span) == "HLSL" { "HLSL" } else { "OpenCL C" };
            Problem::unsupported(language, word.span)
        })?;
        if language == ShaderLanguage::Passthrough && stage != ShaderKind::Vertex {
            return Err(Problem::error(word.span, "only a vertex shader passes its input through"));
        }
        let target_env = if self.cursor.accept("TARGET_ENV") {
            Some(self.cursor.text("an environment")?)
        } else {
            None
        };
        let (text, file) = self.shader_text(language, start)?;
        let header = self.cursor.line_of(start);
        // Lines after a broken shader may use its name, so the name is checked last.
        self.shaders.check_new(name)?;
        self.shaders.add(name.value);
        let name = name.value.to_owned();
        let shader = Shader { name, stage, language, target_env, header, text, file };
        self.script.shaders.push(shader);
        Ok(())
    }

    /// The text of a shader, or the file that contains it.
    fn shader_text(
        &mut self,
        language: ShaderLanguage,
        start: Span,
    ) -> Parsed<(Span, Option<Spanned<String>>)> {
        let header = self.cursor.since(start);
        let nothing = Span::new(header.end, header.end);
        if language == ShaderLanguage::Passthrough {
            return Ok((nothing, None));
        }
        if self.cursor.accept("VIRTUAL_FILE") {
            let path = self.cursor.text("a path")?;
            let text = self.files.get(&path.value).copied();
            let text = text.ok_or_else(|| {
                let path = At::new(path.value.as_str(), path.span);
                let mut known: Vec<_> = self.files.keys().map(String::as_str).collect();
                known.sort_unstable();
                Problem::unknown("virtual file", path, known)
            })?;
            return Ok((text, None));
        }
        if self.cursor.accept("FILE") {
            let path = self.cursor.text("a path")?;
            return Ok((nothing, Some(path)));
        }
        if language == ShaderLanguage::SpirvBinary {
            return Err(self.cursor.unexpected("`FILE`"));
        }
        Ok((self.cursor.raw_text(header)?, None))
    }
}
