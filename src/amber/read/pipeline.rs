//! Reads `PIPELINE` and `DERIVE_PIPELINE`.

use ir::source::{Span, Spanned};

use super::script::Parser;
use super::text::at::At;
use super::text::limits::{MAX_ATTACHED, MAX_PIPELINES};
use super::text::number::bits;
use super::text::problem::{Parsed, Problem};
use super::type_name::{SCALARS, data_format};
use super::words::POLYGON_MODES;
use crate::syntax::data::Scalar;
use crate::syntax::pipeline::{
    Attached, FixedState, InputRate, Pipeline, PipelineKind, Specialized, VertexBuffer, Viewport,
};
use crate::syntax::{PipelineId, ShaderKind};

/// Kinds of pipelines; `None` for those of ray tracing.
const KINDS: [(&str, Option<PipelineKind>); 4] = [
    ("graphics", Some(PipelineKind::Graphics)),
    ("compute", Some(PipelineKind::Compute)),
    ("raytracing", None),
    ("ray_tracing", None),
];

/// Commands within a pipeline.
const COMMANDS: [&str; 15] = [
    "ATTACH",
    "BIND",
    "BLEND",
    "COMPILE_OPTIONS",
    "DEPTH",
    "FRAMEBUFFER_SIZE",
    "INDEX_DATA",
    "PATCH_CONTROL_POINTS",
    "POLYGON_MODE",
    "SET",
    "SHADER_OPTIMIZATION",
    "STENCIL",
    "SUBGROUP",
    "VERTEX_DATA",
    "VIEWPORT",
];

/// Maximum width or height of a framebuffer.
const MAX_FRAMEBUFFER: u32 = 1 << 16;

impl Pipeline {
    /// A pipeline without shaders and resources.
    pub(crate) fn empty(name: String, span: Span, kind: PipelineKind) -> Self {
        Self {
            name,
            span,
            kind,
            stages: Vec::new(),
            framebuffer_size: None,
            viewport: None,
            state: FixedState::default(),
            color_attachments: Vec::new(),
            depth_stencil: None,
            resolves: Vec::new(),
            push_constant: None,
            bindings: Vec::new(),
            vertex_buffers: Vec::new(),
            index_buffer: None,
            patch_control_points: 3,
        }
    }
}

impl<'a> Parser<'a> {
    /// Reads `PIPELINE KIND NAME` and its lines.
    pub(super) fn read_pipeline(&mut self, start: Span) -> Parsed<()> {
        let kind_span = self.cursor.peek().span;
        let kind = self.cursor.choice("kind of pipeline", &KINDS)?;
        let kind = kind.ok_or_else(|| Problem::unsupported("ray tracing", kind_span))?;
        let name = self.new_pipeline_name()?;
        let header = self.cursor.since(start);
        self.cursor.finish_line()?;
        self.read_body(name, Pipeline::empty(name.value.to_owned(), header, kind))
    }

    /// Reads `DERIVE_PIPELINE NAME FROM PARENT` and its lines.
    pub(super) fn read_derived_pipeline(&mut self, start: Span) -> Parsed<()> {
        let name = self.new_pipeline_name()?;
        self.cursor.expect("FROM")?;
        let PipelineId(parent) = self.pipeline_name()?;
        let span = self.cursor.since(start);
        self.cursor.finish_line()?;
        let parent = self.script.pipelines[parent].clone();
        self.read_body(name, Pipeline { name: name.value.to_owned(), span, ..parent })
    }

    fn new_pipeline_name(&mut self) -> Parsed<At<&'a str>> {
        let name = self.cursor.name("the name of the pipeline")?;
        self.pipelines.check_new(name)?;
        if self.script.pipelines.len() >= MAX_PIPELINES {
            let message = format!("a script has at most {MAX_PIPELINES} pipelines");
            return Err(Problem::error(name.span, message));
        }
        Ok(name)
    }

    fn read_body(&mut self, name: At<&'a str>, mut pipeline: Pipeline) -> Parsed<()> {
        let result = self.block(pipeline.span, |parser, word| {
            parser.read_pipeline_line(word, &mut pipeline)?;
            parser.cursor.finish_line()
        });
        // A pipeline without `END` is named too.
        self.pipelines.add(name.value);
        self.script.pipelines.push(pipeline);
        result
    }

    fn read_pipeline_line(&mut self, word: At<&'a str>, pipeline: &mut Pipeline) -> Parsed<()> {
        match word.value {
            "ATTACH" => self.read_attach(word.span, pipeline)?,
            "BIND" => self.read_bind(word.span, pipeline)?,
            "VERTEX_DATA" => self.read_vertex_data(word.span, pipeline)?,
            "INDEX_DATA" => pipeline.index_buffer = Some(self.buffer_name()?),
            "FRAMEBUFFER_SIZE" => {
                let mut extent = || {
                    let span = self.cursor.peek().span;
                    match self.cursor.positive("a width or height")? {
                        extent if extent <= MAX_FRAMEBUFFER => Ok(extent),
                        _ => {
                            let message =
                                format!("a framebuffer is at most {MAX_FRAMEBUFFER} wide");
                            Err(Problem::error(span, message))
                        }
                    }
                };
                pipeline.framebuffer_size = Some([extent()?, extent()?]);
            }
            "VIEWPORT" => pipeline.viewport = Some(self.read_viewport()?),
            "POLYGON_MODE" => {
                let mode = self.cursor.choice("polygon mode", &POLYGON_MODES)?;
                pipeline.state.polygon_mode = mode;
            }
            "PATCH_CONTROL_POINTS" => {
                let points = self.cursor.up_to(32, "the number of control points")?;
                pipeline.patch_control_points = points;
            }
            "DEPTH" => self.read_depth(word.span, &mut pipeline.state.depth)?,
            "STENCIL" => self.read_stencil(word.span, &mut pipeline.state.stencil)?,
            "BLEND" => pipeline.state.blend = Some(self.read_blend(word.span)?),
            "SUBGROUP" => self.read_subgroup(word.span)?,
            "SHADER_OPTIMIZATION" => self.read_optimization(word.span)?,
            "COMPILE_OPTIONS" | "SET" => return Err(Problem::unsupported("OpenCL C", word.span)),
            "SHADER_GROUP"
            | "SHADER_BINDING_TABLE"
            | "MAX_RAY_PAYLOAD_SIZE"
            | "MAX_RAY_HIT_ATTRIBUTE_SIZE"
            | "MAX_RAY_RECURSION_DEPTH"
            | "FLAGS"
            | "USE_LIBRARY" => return Err(Problem::unsupported("ray tracing", word.span)),
            _ => return Err(Problem::unknown("command of a pipeline", word, COMMANDS)),
        }
        Ok(())
    }

    /// Reads `ATTACH SHADER [TYPE KIND] [ENTRY_POINT NAME] [SPECIALIZE …]`.
    fn read_attach(&mut self, start: Span, pipeline: &mut Pipeline) -> Parsed<()> {
        let shader = self.shader_name()?;
        let mut stage = self.script.shaders[shader.0].stage;
        if self.cursor.accept("TYPE") {
            stage = self.shader_kind()?;
        }
        if stage == ShaderKind::Multi {
            let message = "a shader of several stages is attached with `TYPE STAGE`";
            return Err(Problem::error(self.cursor.since(start), message));
        }
        let entry = if self.cursor.accept("ENTRY_POINT") {
            let name = self.cursor.name("the name of the entry point")?;
            Some(Spanned::new(name.value.to_owned(), name.span))
        } else {
            None
        };
        let mut specializations = Vec::new();
        while self.cursor.accept("SPECIALIZE") {
            specializations.push(self.read_specialization()?);
            check_count(&specializations, start)?;
        }
        let span = self.cursor.since(start);
        let is_compute = pipeline.kind == PipelineKind::Compute;
        if is_compute != (stage == ShaderKind::Compute) {
            let kind = if is_compute { "compute" } else { "graphics" };
            let message = format!("a {kind} pipeline does not have a shader of this stage");
            return Err(Problem::error(span, message));
        }
        let attached = Attached { shader, stage, entry, specializations, span };
        match pipeline.stages.iter_mut().find(|other| other.stage == stage) {
            Some(other) => *other = attached,
            None => pipeline.stages.push(attached),
        }
        Ok(())
    }

    /// Reads `ID AS TYPE VALUE`.
    fn read_specialization(&mut self) -> Parsed<Specialized> {
        let id = self.cursor.unsigned("the number of the constant")?.value;
        self.cursor.expect("AS")?;
        let type_span = self.cursor.peek().span;
        let scalar = self.cursor.choice("type", &SCALARS)?;
        if !matches!(scalar, Scalar::Int32 | Scalar::Uint32 | Scalar::Float) {
            let message = "a constant is an `int32`, a `uint32` or a `float`";
            return Err(Problem::error(type_span, message));
        }
        let value = self.cursor.number("a number")?;
        bits(value, scalar)?;
        Ok(Specialized { id, scalar, value: value.value, span: value.span })
    }

    /// Reads `X Y SIZE WIDTH HEIGHT [MIN_DEPTH D] [MAX_DEPTH D]`.
    fn read_viewport(&mut self) -> Parsed<Viewport> {
        let position = [self.cursor.real("a coordinate")?, self.cursor.real("a coordinate")?];
        self.cursor.expect("SIZE")?;
        let size = [self.cursor.real("a width")?, self.cursor.real("a height")?];
        let mut viewport = Viewport { position, size, min_depth: 0.0, max_depth: 1.0 };
        while !self.cursor.is_line_end() {
            let option = self.cursor.word("an option")?;
            match option.value {
                "MIN_DEPTH" => viewport.min_depth = self.cursor.real("a depth")?,
                "MAX_DEPTH" => viewport.max_depth = self.cursor.real("a depth")?,
                _ => {
                    let known = ["MIN_DEPTH", "MAX_DEPTH"];
                    return Err(Problem::unknown("option", option, known));
                }
            }
        }
        Ok(viewport)
    }

    /// Reads `BUFFER LOCATION N …`.
    fn read_vertex_data(&mut self, start: Span, pipeline: &mut Pipeline) -> Parsed<()> {
        let buffer = self.buffer_name()?.value;
        self.cursor.expect("LOCATION")?;
        let location = self.cursor.unsigned("a location")?.value;
        let mut vertices = VertexBuffer {
            buffer,
            location,
            rate: InputRate::Vertex,
            format: None,
            offset: 0,
            stride: None,
            span: start,
        };
        while !self.cursor.is_line_end() {
            let option = self.cursor.word("an option")?;
            match option.value {
                "RATE" => {
                    let rates = [("vertex", InputRate::Vertex), ("instance", InputRate::Instance)];
                    vertices.rate = self.cursor.choice("rate", &rates)?;
                }
                "OFFSET" => vertices.offset = self.cursor.unsigned("the offset")?.value,
                "STRIDE" => vertices.stride = Some(self.cursor.positive("the stride")?),
                "FORMAT" => {
                    let name = self.cursor.word("a format")?;
                    vertices.format = Some(data_format(name, &self.structures)?.0);
                }
                _ => {
                    let known = ["RATE", "OFFSET", "STRIDE", "FORMAT"];
                    return Err(Problem::unknown("option", option, known));
                }
            }
        }
        vertices.span = self.cursor.since(start);
        match pipeline.vertex_buffers.iter_mut().find(|other| other.location == location) {
            Some(other) => *other = vertices,
            None => pipeline.vertex_buffers.push(vertices),
        }
        check_count(&pipeline.vertex_buffers, start)
    }

    /// Reads `SHADER_OPTIMIZATION SHADER` and its passes of `spirv-opt`, of which there must be none: they would make a
    /// shader other than the script's run, and some passes, such as `--graphics-robust-access`, change its results.
    fn read_optimization(&mut self, start: Span) -> Parsed<()> {
        self.shader_name()?;
        let header = self.cursor.since(start);
        self.cursor.finish_line()?;
        self.block(header, |_, pass| {
            let word = format!("SHADER_OPTIMIZATION {}", pass.value);
            Err(Problem::unsupported(word, pass.span))
        })
    }
}

/// Checks that a pipeline does not have too many objects of one kind.
pub(super) fn check_count<T>(things: &[T], span: Span) -> Parsed<()> {
    if things.len() > MAX_ATTACHED {
        let message = format!("a pipeline has at most {MAX_ATTACHED} of these");
        return Err(Problem::error(span, message));
    }
    Ok(())
}
