//! Geometry stages: the `layout` of the stage as a whole, the arrays of its inputs, and the functions that emit
//! vertices (GLSL 4.60 sections 4.3.4, 4.4.1.2, 4.4.2.2 and 8.15).
//!
//! Every input is an array with one element for each vertex of the input primitive. Its size follows from the
//! primitive, which any shader object may declare in any place.

use std::collections::HashMap;

use naga::{Function, FunctionArgument, GlobalVariable, Handle};

use crate::ast::{Declaration, Ident, Item, Qualifiers, Storage};
use crate::scan;
use ir::diagnostic::{CompileError, Diagnostic, counted};
use ir::geometry::{
    GeometryStage, InputPrimitive, MAX_INVOCATIONS, MAX_OUTPUT_VERTICES, MAX_STREAMS,
    OutputPrimitive,
};
use ir::source::Span;
use ir::stage::ShaderStage;

use super::body::Body;
use super::qualifier::At;
use super::types::Kind;
use super::{Fault, Result, Stage, mismatch, wrong};

const INPUT_PRIMITIVES: [InputPrimitive; 5] = [
    InputPrimitive::Points,
    InputPrimitive::Lines,
    InputPrimitive::LinesAdjacency,
    InputPrimitive::Triangles,
    InputPrimitive::TrianglesAdjacency,
];

const OUTPUT_PRIMITIVES: [(&str, OutputPrimitive); 3] = [
    ("points", OutputPrimitive::Points),
    ("line_strip", OutputPrimitive::LineStrip),
    ("triangle_strip", OutputPrimitive::TriangleStrip),
];

/// A property of the stage that must be the same in all declarations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Agreed<T> {
    pub(super) value: T,
    /// The first object that declares the property.
    pub(super) object: usize,
}

/// The declarations of a geometry stage so far.
#[derive(Clone, Debug)]
pub(super) struct GeometryState {
    emit: Handle<Function>,
    end: Handle<Function>,
    input: Option<Agreed<InputPrimitive>>,
    output: Option<Agreed<OutputPrimitive>>,
    max_vertices: Option<Agreed<u32>>,
    invocations: Option<Agreed<u32>>,
    /// The default stream of every object, from `layout(stream = …) out;`.
    default_streams: HashMap<usize, u32>,
    /// Size of the first sized input of every object.
    sizes: HashMap<usize, u32>,
    /// Position of the first call that emits to a stream other than 0.
    stream_call: Option<Span>,
    /// The global of `gl_PrimitiveIDIn`, if the stage uses it.
    pub(super) primitive_id: Option<Handle<GlobalVariable>>,
    /// The global of `gl_InvocationID`, if the stage uses it.
    pub(super) invocation_id: Option<Handle<GlobalVariable>>,
}

impl GeometryState {
    /// The functions that end a vertex and a primitive.
    pub(super) const fn functions(&self) -> [Handle<Function>; 2] {
        [self.emit, self.end]
    }

    /// Records a call that emits to a stream other than 0.
    pub(super) fn note_stream_call(&mut self, span: Span) {
        self.stream_call.get_or_insert(span);
    }
}

impl Stage<'_> {
    /// Prepares the state of a geometry stage, before any declaration.
    pub(super) fn begin_geometry(&mut self) {
        if self.stage != ShaderStage::Geometry {
            return;
        }
        let mut function = |name: &str| {
            let ty = self.scalar(Kind::Uint);
            let argument = FunctionArgument { name: Some("stream".to_owned()), ty, binding: None };
            let name = Some(name.to_owned());
            let function = Function { name, arguments: vec![argument], ..Function::default() };
            self.module.functions.append(function, naga::Span::UNDEFINED)
        };
        let (emit, end) = (function("emit_vertex"), function("end_primitive"));
        let mut primitives = (0..).zip(self.units).filter_map(|(object, unit)| {
            unit.items.iter().find_map(input_primitive).map(|value| Agreed { value, object })
        });
        self.geometry = Some(GeometryState {
            emit,
            end,
            input: primitives.next(),
            output: None,
            max_vertices: None,
            invocations: None,
            default_streams: HashMap::new(),
            sizes: HashMap::new(),
            stream_call: None,
            primitive_id: None,
            invocation_id: None,
        });
    }

    /// Number of vertices of the input primitive, if some object declares it.
    pub(super) fn vertices(&self) -> Option<u32> {
        let input = self.geometry.as_ref()?.input?;
        Some(input.value.vertices())
    }

    /// Checks the size of an input against the primitive and the object's other inputs.
    pub(super) fn check_primitive_size(&mut self, at: At, name: &Ident, size: u32) -> Result<()> {
        let Some(state) = &mut self.geometry else { return Ok(()) };
        let name_text = &name.name;
        let first = *state.sizes.entry(at.object).or_insert(size);
        if let Some(input) = state.input
            && input.value.vertices() != size
        {
            let (word, vertices) = (input.value.word(), input.value.vertices());
            let (size, vertices) = (counted(size, "element"), counted(vertices, "vertex"));
            let message = format!(
                "`{name_text}` has {size}, but the input primitive `{word}` has {vertices}"
            );
            return disagree(at.object == input.object, name.span, message);
        }
        if first != size {
            let size = counted(size, "element");
            let message = format!("`{name_text}` has {size}, but an earlier input has {first}");
            return wrong(name.span, message);
        }
        Ok(())
    }

    /// Applies the layout of a geometry stage, such as `layout(triangles) in;` and `layout(triangle_strip, max_vertices
    /// = 3) out;`.
    pub(super) fn qualify_geometry(
        &mut self,
        at: At,
        qualifiers: &Qualifiers,
        span: Span,
    ) -> Result<()> {
        let is_input = has_storage(qualifiers, Storage::In);
        let is_output = has_storage(qualifiers, Storage::Out);
        let max_vertices = self.layout_value(at, qualifiers, "max_vertices")?;
        let invocations = self.layout_value(at, qualifiers, "invocations")?;
        let stream = self.layout_value(at, qualifiers, "stream")?;
        if let Some(count) = max_vertices.filter(|count| *count > MAX_OUTPUT_VERTICES) {
            let message =
                format!("`max_vertices` is {count}, but at most {MAX_OUTPUT_VERTICES} are allowed");
            return wrong(span, message);
        }
        if let Some(count) = invocations.filter(|count| !(1..=MAX_INVOCATIONS).contains(count)) {
            let message = format!("`invocations` is {count}, but must be 1 to {MAX_INVOCATIONS}");
            return wrong(span, message);
        }
        check_stream(stream, span)?;
        let Some(state) = &mut self.geometry else { return Ok(()) };
        let object = at.object;
        for word in qualifiers.layout.iter().map(|entry| &*entry.name.name) {
            let input = INPUT_PRIMITIVES.into_iter().find(|known| known.word() == word);
            let output = OUTPUT_PRIMITIVES.into_iter().find(|(known, _)| *known == word);
            if let Some(value) = input.filter(|_| is_input) {
                agree(&mut state.input, Agreed { value, object }, "input primitive", span)?;
            }
            if let Some((_, value)) = output.filter(|_| is_output) {
                agree(&mut state.output, Agreed { value, object }, "output primitive", span)?;
            }
        }
        if let Some(value) = max_vertices {
            agree(&mut state.max_vertices, Agreed { value, object }, "`max_vertices`", span)?;
        }
        if let Some(value) = invocations {
            agree(&mut state.invocations, Agreed { value, object }, "`invocations`", span)?;
        }
        if let Some(stream) = stream {
            state.default_streams.insert(object, stream);
        }
        Ok(())
    }

    /// Stream of the object's outputs that name no stream.
    pub(super) fn default_stream(&self, object: usize) -> u32 {
        let streams = self.geometry.as_ref().map(|state| &state.default_streams);
        streams.and_then(|streams| streams.get(&object)).copied().unwrap_or(0)
    }

    /// The stream of an output, from `layout(stream = …)`.
    pub(super) fn stream(&mut self, at: At, qualifiers: &Qualifiers) -> Result<Option<u32>> {
        let stream = self.layout_value(at, qualifiers, "stream")?;
        check_stream(stream, qualifiers.span)?;
        Ok(stream)
    }

    /// Reports properties that a geometry stage needs but no shader object declares.
    pub(super) fn check_geometry(&self) -> std::result::Result<(), CompileError> {
        let Some(state) = &self.geometry else { return Ok(()) };
        let needed = [
            (state.input.is_some(), "input primitive"),
            (state.output.is_some(), "output primitive"),
            (state.max_vertices.is_some(), "`max_vertices`"),
        ];
        if let Some((_, word)) = needed.iter().find(|(is_there, _)| !is_there) {
            let message = format!("no shader object declares the {word} of the geometry stage");
            return Err(CompileError::Link(vec![Diagnostic::error(None, message)]));
        }
        let is_points = state.output.is_some_and(|output| output.value == OutputPrimitive::Points);
        match state.stream_call {
            Some(span) if !is_points => {
                let message = "only a stage with `points` as output primitive can emit to a stream other than 0";
                Err(CompileError::Link(vec![Diagnostic::error(span, message)]))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The properties of a geometry stage, after they were checked.
    pub(super) fn finished_geometry(&self) -> Option<GeometryStage> {
        let state = self.geometry.as_ref()?;
        Some(GeometryStage {
            input: state.input?.value,
            output: state.output?.value,
            max_vertices: state.max_vertices?.value,
            invocations: state.invocations.map_or(1, |invocations| invocations.value),
            emit: state.emit,
            end: state.end,
            primitive_id: state.primitive_id,
            invocation_id: state.invocation_id,
        })
    }
}

impl Body<'_, '_> {
    /// True if, before the code being lowered, there is neither a declaration of the input primitive nor one of the
    /// array with its size.
    pub(super) fn lacks_vertices(&self, name: &str) -> bool {
        let Some(unit) = self.stage.units.get(self.object) else { return false };
        let mut earlier = unit.items.iter().take(self.position.saturating_add(1));
        !earlier.any(|item| {
            input_primitive(item).is_some() || scan::declared_size(item, name).is_some()
        })
    }
}

/// The primitive in `layout(…) in;`.
pub(super) fn input_primitive(item: &Item) -> Option<InputPrimitive> {
    let Item::Declaration(Declaration::Requalify { qualifiers, names, .. }) = item else {
        return None;
    };
    if !names.is_empty() || !has_storage(qualifiers, Storage::In) {
        return None;
    }
    let mut words = qualifiers.layout.iter().map(|entry| &*entry.name.name);
    words.find_map(|word| INPUT_PRIMITIVES.into_iter().find(|known| known.word() == word))
}

pub(super) fn has_storage(qualifiers: &Qualifiers, storage: Storage) -> bool {
    qualifiers.storage.iter().any(|(word, _)| *word == storage)
}

/// Records a property, or compares it with an earlier declaration.
pub(super) fn agree<T: Copy + PartialEq>(
    known: &mut Option<Agreed<T>>,
    here: Agreed<T>,
    what: &str,
    span: Span,
) -> Result<()> {
    let first = *known.get_or_insert(here);
    if first.value == here.value {
        return Ok(());
    }
    let is_own = first.object == here.object;
    let place = if is_own { "an earlier declaration" } else { "another shader object" };
    disagree(is_own, span, format!("the {what} differs from that in {place}"))
}

/// Returns an error about contradictory declarations: an error of one shader object, or about several that cannot be
/// linked.
pub(super) fn disagree(is_own: bool, span: Span, message: String) -> Result<(), Fault> {
    if is_own { wrong(span, message) } else { mismatch(span, message) }
}

fn check_stream(stream: Option<u32>, span: Span) -> Result<()> {
    match stream {
        Some(stream) if stream >= MAX_STREAMS => {
            wrong(span, format!("there is no stream {stream}; the last is {}", MAX_STREAMS - 1))
        }
        Some(_) | None => Ok(()),
    }
}
