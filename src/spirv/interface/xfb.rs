//! `XfbBuffer`, `XfbStride` and `Offset` of outputs: SPIR-V 1.6, 3.20, and the rules of `GL_ARB_gl_spirv` for transform
//! feedback. Without the execution mode `Xfb` the decorations have no effect.

use rspirv::spirv::Decoration;

use ir::interface::Type;
use ir::stage_module::{Direction, XfbOutput, XfbStride};

use super::{Gathering, Problem, Value};

impl Gathering<'_> {
    /// Records a built-in output array, which transform feedback can use even if nothing else does.
    pub(super) fn add_array(&mut self, name: &str, ty: &Type, direction: Direction) {
        if let (Type::Array { length, .. }, Direction::Output) = (ty, direction) {
            self.interface.builtin_lengths.insert(name.to_owned(), *length);
        }
    }

    /// Records the decorations of the output or built-in variable `name`. Only the value's own decorations may hold the
    /// offset. Every element of an array of blocks has its own buffer.
    pub(super) fn add_xfb(&mut self, value: &Value<'_>, name: String) -> Result<(), Problem> {
        let Value { id, direction, variable, own, .. } = *value;
        let number = |decoration| own.number(decoration).or_else(|| variable.number(decoration));
        let (buffer, stride) = (number(Decoration::XfbBuffer), number(Decoration::XfbStride));
        if number(Decoration::Stream).is_some_and(|stream| stream != 0) {
            return Err(Problem::Unsupported(id, "Stream".to_owned()));
        }
        if !self.is_captured {
            return Ok(());
        }
        // The decoration table already rejects these decorations on inputs.
        if direction == Direction::Input {
            return Ok(());
        }
        let offset = own.number(Decoration::Offset);
        let Some(buffer) = buffer else {
            let word = offset.map(|_| "Offset").or_else(|| stride.map(|_| "XfbStride"));
            return word.map_or(Ok(()), |word| {
                Err(Problem::Wrong(id, format!("`{name}` has {word}, but no XfbBuffer")))
            });
        };
        let span = (self.spans)(id);
        let buffer = buffer.saturating_add(value.element);
        let xfb = &mut self.interface.xfb;
        if let Some(stride) = stride {
            xfb.strides.push(XfbStride { buffer, stride, span });
        }
        if let Some(offset) = offset {
            xfb.outputs.push(XfbOutput { name, buffer, offset, span });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Conventions, Form, Input, compile};
    use ir::diagnostic::CompileError;
    use ir::source::Span;
    use ir::stage::ShaderStage;

    /// The transform feedback outputs of a stage of this execution model(`name buffer+offset`) and its strides
    /// (`buffer: stride`), or the reason why it does not compile.
    fn captured(model: &str, stage: ShaderStage, modes: &str, decorations: &str) -> String {
        let text = format!(
            "OpCapability Shader
            OpCapability TransformFeedback
            OpMemoryModel Logical GLSL450
            OpEntryPoint {model} %main \"main\" %a %b %clip
            {modes}
            OpName %a \"a\"
            OpName %b \"b\"
            OpDecorate %a Location 0
            OpDecorate %b Location 0
            OpDecorate %clip BuiltIn ClipDistance
            {decorations}
            %void = OpTypeVoid
            %fn = OpTypeFunction %void
            %float = OpTypeFloat 32
            %uint = OpTypeInt 32 0
            %two = OpConstant %uint 2
            %floats = OpTypeArray %float %two
            %pin = OpTypePointer Input %float
            %pout = OpTypePointer Output %float
            %pclip = OpTypePointer Output %floats
            %a = OpVariable %pout Output
            %b = OpVariable %pin Input
            %clip = OpVariable %pclip Output
            %main = OpFunction %void None %fn
            %label = OpLabel
            OpReturn
            OpFunctionEnd"
        );
        let form = Form::Assembly { source: &text, text: Span::new(0, text.len()) };
        match compile(&Input { form, entry: None, conventions: Conventions::OpenGl }, stage, &[]) {
            Ok(stage) => {
                let outputs = stage.xfb.outputs.iter();
                let outputs = outputs
                    .map(|output| format!("{} {}+{}", output.name, output.buffer, output.offset));
                let strides = stage.xfb.strides.iter();
                let strides = strides.map(|stride| format!("{}: {}", stride.buffer, stride.stride));
                outputs.chain(strides).collect::<Vec<_>>().join(", ")
            }
            Err(CompileError::Diagnostics(errors) | CompileError::Link(errors)) => {
                errors.into_iter().map(|error| error.message).collect::<Vec<_>>().join("; ")
            }
            Err(CompileError::Unsupported { word, .. }) => format!("unsupported {word}"),
        }
    }

    #[track_caller]
    fn check(decorations: &[&str], expected: &str) {
        let lines: Vec<_> = decorations.iter().map(|line| format!("OpDecorate {line}")).collect();
        let mode = "OpExecutionMode %main Xfb";
        let found = captured("Vertex", ShaderStage::Vertex, mode, &lines.join("\n"));
        assert_eq!(found, expected, "{decorations:?}");
    }

    const A: [&str; 3] = ["%a XfbBuffer 1", "%a XfbStride 16", "%a Offset 8"];

    #[test]
    fn an_output_needs_a_buffer_and_an_offset() {
        check(&A, "a 1+8, 1: 16");
        check(&A[..2], "1: 16");
        check(&[A[0], A[2]], "a 1+8");
        check(&A[2..], "`a` has Offset, but no XfbBuffer");
        check(&A[1..2], "`a` has XfbStride, but no XfbBuffer");
        check(&["%clip XfbBuffer 0", "%clip Offset 4"], "gl_ClipDistance 0+4");
    }

    #[test]
    fn what_is_no_output_is_not_captured() {
        check(&["%b XfbBuffer 0"], "unsupported the decoration XfbBuffer of an input");
        check(&["%b XfbStride 8"], "unsupported the decoration XfbStride of an input");
        check(&[A[0], A[2], "%a Stream 0"], "a 1+8");
        check(&[A[0], A[2], "%a Stream 1"], "unsupported Stream");
    }

    #[test]
    fn only_the_execution_mode_of_a_vertex_stage_makes_them_count() {
        let decoration = "OpDecorate %a Offset 8";
        assert_eq!(captured("Vertex", ShaderStage::Vertex, "", decoration), "");
        let modes = "OpExecutionMode %main OriginLowerLeft\nOpExecutionMode %main Xfb";
        let message = "the execution mode Xfb is not allowed in this stage";
        assert_eq!(captured("Fragment", ShaderStage::Fragment, modes, ""), message);
    }
}
