//! Collects programs: the distinct sets of shaders that pipelines attach.

use std::sync::Arc;

use case::bind::ProgramSource;
use case::{BinaryFile, Case, Language, ShaderSource};
use ir::interface::ScalarKind;
use ir::scalar;
use ir::source::{Span, Spanned};
use ir::stage::{ConstantName, ShaderStage, Specialization};

use super::file::check_path;
use super::{Translated, broken, unsupported};
use crate::syntax::data::Scalar;
use crate::syntax::pipeline::{Attached, Specialized};
use crate::syntax::{PipelineId, Script, Shader, ShaderKind, ShaderLanguage};

/// The programs of a script.
pub(super) struct Programs {
    all: Vec<ProgramSource>,
    /// Identity of each program.
    keys: Vec<Vec<Key>>,
    /// Program of each pipeline.
    of: Vec<Option<usize>>,
}

/// Identity of a stage of a program: shader, stage, entry point and the values of constants.
type Key = (usize, ShaderKind, Option<String>, Vec<(ConstantName, u32)>);

impl Programs {
    /// Collects the programs of the `used` pipelines.
    pub(super) fn of(script: &Script, text: &str, used: &[PipelineId]) -> Translated<Self> {
        let mut programs =
            Self { all: Vec::new(), keys: Vec::new(), of: vec![None; script.pipelines.len()] };
        for id in used {
            let pipeline = &script.pipelines[id.0];
            let specializations = pipeline.stages.iter().map(specializations_of);
            let specializations = specializations.collect::<Translated<Vec<_>>>()?;
            let key = |(attached, values): (&Attached, &Vec<Specialization>)| {
                let values =
                    values.iter().map(|value| (value.constant.clone(), value.bits)).collect();
                let entry = attached.entry.as_ref().map(|entry| entry.value.clone());
                (attached.shader.0, attached.stage, entry, values)
            };
            let key: Vec<Key> = pipeline.stages.iter().zip(&specializations).map(key).collect();
            let known = programs.keys.iter().position(|known| *known == key);
            let number = if let Some(known) = known {
                known
            } else {
                let shaders = pipeline.stages.iter().map(|stage| shader_of(script, text, stage));
                programs.all.push(ProgramSource {
                    shaders: shaders.collect::<Translated<_>>()?,
                    specializations: specializations.into_iter().flatten().collect(),
                });
                programs.keys.push(key);
                programs.all.len() - 1
            };
            programs.of[id.0] = Some(number);
        }
        Ok(programs)
    }

    /// Number of the pipeline's program.
    pub(super) fn number(&self, pipeline: PipelineId) -> usize {
        self.of.get(pipeline.0).copied().flatten().unwrap_or(0)
    }

    /// True if there is more than one program.
    pub(super) fn are_several(&self) -> bool {
        self.all.len() > 1
    }

    /// Moves the programs into the case.
    pub(super) fn finish(self, case: &mut Case) {
        let mut all = self.all.into_iter();
        if let Some(first) = all.next() {
            (case.shaders, case.specializations) = (first.shaders, first.specializations);
        } else {
            case.shaders.push(idle());
        }
        case.further_programs = all.collect();
    }
}

/// The stage of a script that only compares buffers: a case needs a program, and nothing runs this one.
const fn idle() -> ShaderSource {
    let nowhere = Span::new(0, 0);
    ShaderSource {
        stage: ShaderStage::Vertex,
        language: Language::Passthrough,
        name: None,
        header: nowhere,
        text: nowhere,
        entry: None,
        file: None,
    }
}

fn stage_of(kind: ShaderKind, span: Span) -> Translated<ShaderStage> {
    match kind {
        ShaderKind::Vertex => Ok(ShaderStage::Vertex),
        ShaderKind::Fragment => Ok(ShaderStage::Fragment),
        ShaderKind::Compute => Ok(ShaderStage::Compute),
        ShaderKind::Geometry => Ok(ShaderStage::Geometry),
        ShaderKind::TessellationControl => Ok(ShaderStage::TessellationControl),
        ShaderKind::TessellationEvaluation => Ok(ShaderStage::TessellationEvaluation),
        ShaderKind::Multi => Err(broken(span, "a `multi` shader needs a TYPE")),
    }
}

fn shader_of(script: &Script, text: &str, attached: &Attached) -> Translated<ShaderSource> {
    let shader = &script.shaders[attached.shader.0];
    let (language, file) = match shader.language {
        ShaderLanguage::Glsl => (Language::Glsl, None),
        ShaderLanguage::Wgsl => (Language::Wgsl, None),
        ShaderLanguage::Passthrough => (Language::Passthrough, None),
        ShaderLanguage::SpirvAssembly => (Language::SpirvAssembly, None),
        ShaderLanguage::SpirvHex => (Language::SpirvAssembly, Some(hexadecimal(text, shader)?)),
        ShaderLanguage::SpirvBinary => (Language::SpirvAssembly, unread(shader)?),
    };
    if file.is_none() && shader.file.is_some() {
        return Err(unsupported(shader.header, "shader text in a file of its own"));
    }
    let has_names = match language {
        Language::SpirvAssembly | Language::Wgsl => true,
        Language::Glsl | Language::Passthrough => false,
    };
    if let Some(entry) = attached.entry.as_ref().filter(|entry| !has_names && entry.value != "main")
    {
        return Err(broken(entry.span, "the entry point of a GLSL shader is `main`"));
    }
    Ok(ShaderSource {
        stage: stage_of(attached.stage, attached.span)?,
        language,
        name: None,
        header: shader.header,
        text: shader.text,
        entry: attached.entry.clone().filter(|_| has_names),
        file,
    })
}

/// The module of a shader in a separate file, not read yet.
fn unread(shader: &Shader) -> Translated<Option<BinaryFile>> {
    let Some(path) = shader.file.clone() else { return Ok(None) };
    check_path(&path)?;
    Ok(Some(BinaryFile { path, content: Err("it is not loaded".to_owned()) }))
}

/// The module of a `SPIRV-HEX` shader, as a file that is already read.
fn hexadecimal(text: &str, shader: &Shader) -> Translated<BinaryFile> {
    let text = text.get(std::ops::Range::from(shader.text)).unwrap_or("");
    let mut bytes = Vec::new();
    for word in text.split_whitespace() {
        let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).unwrap_or(word);
        let Ok(number) = u32::from_str_radix(digits, 16) else {
            let start = shader.text.start + (word.as_ptr().addr() - text.as_ptr().addr());
            let place = Span::new(start, start + word.len());
            return Err(broken(place, format!("`{word}` is no hexadecimal word")));
        };
        bytes.extend(number.to_le_bytes());
    }
    let path = Spanned::new(shader.name.clone(), shader.header);
    Ok(BinaryFile { path, content: Ok(Arc::from(bytes)) })
}

fn specializations_of(attached: &Attached) -> Translated<Vec<Specialization>> {
    let stage = stage_of(attached.stage, attached.span)?;
    attached.specializations.iter().map(|value| specialization(stage, value)).collect()
}

fn specialization(stage: ShaderStage, value: &Specialized) -> Translated<Specialization> {
    let kind = match value.scalar {
        Scalar::Int32 => ScalarKind::I32,
        Scalar::Uint32 => ScalarKind::U32,
        Scalar::Float => ScalarKind::F32,
        Scalar::Int8
        | Scalar::Int16
        | Scalar::Int64
        | Scalar::Uint8
        | Scalar::Uint16
        | Scalar::Uint64
        | Scalar::Float16
        | Scalar::Double => {
            return Err(broken(value.span, "a specialization value must have 32 bits"));
        }
    };
    let bits = scalar::bits(value.value, kind);
    let bits = bits.map_err(|error| broken(value.span, error.to_string()))?;
    let bits = u32::try_from(bits).unwrap_or(u32::MAX);
    let constant = ConstantName::Id(value.id);
    Ok(Specialization { stage, constant, kind, bits, span: value.span })
}
