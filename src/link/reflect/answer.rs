//! Answers to the queries of `[test]`.

use super::captured::CapturedVarying;
use super::{ActiveBlock, ActiveVariable, ExternalVariable, Reflection};
use crate::case::query::{Interface, ProgramProperty, Question, ResourceProperty};
use crate::case::state::StateChange;
use crate::case::{Case, Expectation, Step};
use crate::verdict::Failure;

/// What GL answers for "no such thing".
const INVALID: i64 = -1;

impl Reflection {
    /// The answer to a question; `block` is the binding and element that `block …` commands chose. An error says why
    /// there is none.
    pub fn answer(&self, question: &Question, block: ChosenBlock) -> Result<i64, String> {
        match question {
            Question::Program(property) => Ok(self.program(*property)),
            Question::Resource { interface, name, property } => {
                self.resource(*interface, name, *property, block)
            }
        }
    }

    fn program(&self, property: ProgramProperty) -> i64 {
        let names = |names: Vec<&str>| -> i64 {
            let longest = names.iter().map(|name| self.length(name)).max();
            longest.unwrap_or(0)
        };
        let uniforms = || self.uniforms.iter().map(|it| &*it.name).collect();
        let blocks = || self.uniform_blocks.iter().map(|it| &*it.name).collect();
        let inputs = || self.inputs.iter().map(|it| &*it.name).collect();
        match property {
            ProgramProperty::ActiveUniforms => count(self.uniforms.len()),
            ProgramProperty::ActiveUniformBlocks => count(self.uniform_blocks.len()),
            ProgramProperty::ActiveUniformMaxLength => names(uniforms()),
            ProgramProperty::ActiveUniformBlockMaxNameLength => names(blocks()),
            ProgramProperty::ActiveAttributes => count(self.inputs.len()),
            ProgramProperty::ActiveAttributeMaxLength => names(inputs()),
        }
    }

    /// With the terminating zero, which is all there is without names.
    fn length(&self, name: &str) -> i64 {
        if self.has_names { count(name.len() + 1) } else { 1 }
    }

    fn resource(
        &self,
        interface: Interface,
        name: &str,
        property: ResourceProperty,
        block: ChosenBlock,
    ) -> Result<i64, String> {
        let answered = match interface {
            Interface::UniformBlock => {
                let (index, found) = self.block(&self.uniform_blocks, name, block)?;
                self.of_block(index, found, property)
            }
            Interface::ShaderStorageBlock => {
                let (index, found) = self.block(&self.storage_blocks, name, block)?;
                self.of_block(index, found, property)
            }
            Interface::Uniform => self.of_variable(find(&self.uniforms, name)?, property),
            Interface::BufferVariable => {
                self.of_variable(find(&self.buffer_variables, name)?, property)
            }
            Interface::ProgramInput => {
                self.of_external(find_external(&self.inputs, name)?, property)
            }
            Interface::ProgramOutput => {
                self.of_external(find_external(&self.outputs, name)?, property)
            }
            Interface::TransformFeedbackVarying => {
                let found = self.captured.iter().find(|known| known.name == name);
                let known = found.ok_or_else(|| format!("the program captures no `{name}`"))?;
                self.of_captured(known, property)
            }
        };
        answered.ok_or_else(|| format!("{interface:?} has no property {property:?}"))
    }

    /// By name where there are names; otherwise by binding.
    fn block<'a>(
        &self,
        blocks: &'a [ActiveBlock],
        name: &str,
        chosen: ChosenBlock,
    ) -> Result<(usize, &'a ActiveBlock), String> {
        let mut all = blocks.iter().enumerate();
        if self.has_names {
            return all
                .find(|(_, block)| block.name == name)
                .ok_or_else(|| format!("the program has no active block `{name}`"));
        }
        let Some(binding) = chosen.binding else {
            return Err(
                "the program has no names: `block binding` must choose the block".to_owned()
            );
        };
        all.find(|(_, block)| block.binding == binding)
            .ok_or_else(|| format!("the program has no active block at binding {binding}"))
    }

    fn of_block(&self, _: usize, block: &ActiveBlock, property: ResourceProperty) -> Option<i64> {
        Some(match property {
            ResourceProperty::NameLength => self.length(&block.name),
            ResourceProperty::BufferBinding => block.binding.into(),
            ResourceProperty::BufferDataSize => block.size.into(),
            ResourceProperty::NumActiveVariables => block.variables.into(),
            ResourceProperty::ReferencedByVertexShader => block.stages.vertex.into(),
            ResourceProperty::ReferencedByFragmentShader => block.stages.fragment.into(),
            ResourceProperty::ReferencedByComputeShader => block.stages.compute.into(),
            ResourceProperty::Type
            | ResourceProperty::ArraySize
            | ResourceProperty::Offset
            | ResourceProperty::BlockIndex
            | ResourceProperty::ArrayStride
            | ResourceProperty::MatrixStride
            | ResourceProperty::IsRowMajor
            | ResourceProperty::Location
            | ResourceProperty::LocationComponent
            | ResourceProperty::TransformFeedbackBufferIndex => return None,
        })
    }

    /// OpenGL 4.6 core, 7.3.1.1: gaps have no type, offset and buffer.
    fn of_captured(&self, varying: &CapturedVarying, property: ResourceProperty) -> Option<i64> {
        Some(match property {
            ResourceProperty::NameLength => self.length(&varying.name),
            ResourceProperty::Type => varying.gl_type.into(),
            ResourceProperty::ArraySize => varying.size.into(),
            ResourceProperty::Offset => varying.place.map_or(INVALID, |(_, offset)| offset.into()),
            ResourceProperty::TransformFeedbackBufferIndex => {
                varying.place.map_or(INVALID, |(buffer, _)| buffer.into())
            }
            ResourceProperty::BlockIndex
            | ResourceProperty::ArrayStride
            | ResourceProperty::MatrixStride
            | ResourceProperty::IsRowMajor
            | ResourceProperty::Location
            | ResourceProperty::LocationComponent
            | ResourceProperty::BufferBinding
            | ResourceProperty::BufferDataSize
            | ResourceProperty::NumActiveVariables
            | ResourceProperty::ReferencedByVertexShader
            | ResourceProperty::ReferencedByFragmentShader
            | ResourceProperty::ReferencedByComputeShader => return None,
        })
    }

    fn of_variable(&self, variable: &ActiveVariable, property: ResourceProperty) -> Option<i64> {
        let place = |part: fn(super::leaf::LeafPlace) -> u32| {
            variable.place.map_or(INVALID, |place| part(place).into())
        };
        Some(match property {
            ResourceProperty::NameLength => self.length(&variable.name),
            ResourceProperty::Type => match variable.gl_type {
                0 => return None,
                known => known.into(),
            },
            ResourceProperty::ArraySize => variable.size.into(),
            ResourceProperty::BlockIndex => variable.block.map_or(INVALID, count),
            ResourceProperty::Offset => place(|it| it.offset),
            ResourceProperty::ArrayStride => place(|it| it.array_stride),
            ResourceProperty::MatrixStride => place(|it| it.matrix_stride),
            ResourceProperty::IsRowMajor => variable.place.is_some_and(|it| it.is_row_major).into(),
            ResourceProperty::Location
            | ResourceProperty::LocationComponent
            | ResourceProperty::BufferBinding
            | ResourceProperty::BufferDataSize
            | ResourceProperty::NumActiveVariables
            | ResourceProperty::ReferencedByVertexShader
            | ResourceProperty::ReferencedByFragmentShader
            | ResourceProperty::ReferencedByComputeShader
            | ResourceProperty::TransformFeedbackBufferIndex => return None,
        })
    }

    fn of_external(&self, variable: &ExternalVariable, property: ResourceProperty) -> Option<i64> {
        match property {
            ResourceProperty::NameLength => Some(self.length(&variable.name)),
            ResourceProperty::Location => variable.location.map(i64::from),
            ResourceProperty::LocationComponent => Some(variable.component.unwrap_or(0).into()),
            ResourceProperty::Type
            | ResourceProperty::ArraySize
            | ResourceProperty::Offset
            | ResourceProperty::BlockIndex
            | ResourceProperty::ArrayStride
            | ResourceProperty::MatrixStride
            | ResourceProperty::IsRowMajor
            | ResourceProperty::BufferBinding
            | ResourceProperty::BufferDataSize
            | ResourceProperty::NumActiveVariables
            | ResourceProperty::ReferencedByVertexShader
            | ResourceProperty::ReferencedByFragmentShader
            | ResourceProperty::ReferencedByComputeShader
            | ResourceProperty::TransformFeedbackBufferIndex => None,
        }
    }
}

/// The block that `block …` commands chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChosenBlock {
    /// `block binding N`.
    pub binding: Option<u32>,
}

/// Every query of the case that has another answer.
pub fn check_queries(case: &Case, reflection: &Reflection) -> Vec<Failure> {
    let mut chosen = ChosenBlock::default();
    let mut failures = Vec::new();
    for step in &case.steps {
        match &step.value {
            Step::State(StateChange::BlockBinding(binding)) => chosen.binding = Some(*binding),
            Step::Expect(Expectation::Query(query)) => {
                let details = match reflection.answer(&query.question, chosen) {
                    Ok(answer) if answer == query.expected => continue,
                    Ok(answer) => {
                        vec![format!("expected  {}", query.expected), format!("actual    {answer}")]
                    }
                    Err(reason) => vec![reason],
                };
                let (line, _) = case.source.line_and_column(step.span.start);
                let step = case.source.slice(step.span).trim().to_owned();
                failures.push(Failure { line, step, details });
            }
            Step::ClearColor(_)
            | Step::Clear
            | Step::ClearBuffer { .. }
            | Step::Uniform(_)
            | Step::Draw(_)
            | Step::Use { .. }
            | Step::Compute(_)
            | Step::Ssbo { .. }
            | Step::SsboData { .. }
            | Step::Texture(_)
            | Step::TextureParameter(_)
            | Step::ImageTexture { .. }
            | Step::FramebufferTextures(_)
            | Step::Capture(_)
            | Step::State(_)
            | Step::Tolerance(_)
            | Step::Expect(_) => {}
        }
    }
    failures
}

/// By its whole name; an array may be named without `[0]`.
fn find<'a>(variables: &'a [ActiveVariable], name: &str) -> Result<&'a ActiveVariable, String> {
    let array = format!("{name}[0]");
    let found = variables.iter().find(|known| known.name == name || known.name == array);
    found.ok_or_else(|| format!("the program has no active variable `{name}`"))
}

fn find_external<'a>(
    variables: &'a [ExternalVariable],
    name: &str,
) -> Result<&'a ExternalVariable, String> {
    let bare = name.strip_suffix("[0]").unwrap_or(name);
    let found = variables.iter().find(|known| known.name == bare);
    found.ok_or_else(|| format!("the program has no active variable `{name}`"))
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
