//! Answers the queries of `[test]` from a program's reflection.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "of GL's properties every kind of resource has a few"
)]

use crate::verdict::Failure;
use case::query::{
    Answer, Interface, InterfaceProperty, ProgramProperty, Question, ResourceProperty,
};
use case::state::{BlockChange, StateChange};
use case::{Case, Dialect, Expectation, ProgramExpectation, Step};
use ir::interface::Type;
use link::compute::xfb::name::plain_index;
use link::program::LinkedProgram;
use link::reflect::xfb_varying::XfbVarying;
use link::reflect::{ActiveBlock, ActiveVariable, ExternalVariable, Reflection};
use link::table::binding::StageUse;
use link::table::leaf::gl_type;

/// GL's answer for a resource that does not exist.
const INVALID: i64 = -1;

/// Answers queries from a program's reflection.
#[derive(Clone, Copy, Debug)]
pub struct Answers<'a> {
    /// The reflection that answers the queries.
    pub tables: &'a Reflection,
}

/// The reason why a query has no answer: a fault of the case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoAnswer(pub String);

impl<'a> Answers<'a> {
    /// Answers a query; `block` is the block selected by `block …` commands. An error says why there is no answer.
    pub fn answer(self, question: &Question, block: ChosenBlock) -> Result<Answer, NoAnswer> {
        match question {
            Question::Program(property) => Ok(Answer::number(self.program(*property))),
            Question::Resource { interface, name, property } => {
                if *property == ResourceProperty::ActiveVariables {
                    return self.active_variables(*interface, name, block).map(Answer::Numbers);
                }
                self.resource(*interface, name, *property, block).map(Answer::number)
            }
            Question::Interface { interface, property } => {
                self.interface(*interface, *property).map(Answer::number)
            }
            Question::Index { interface, name } => {
                Ok(Answer::number(self.index(*interface, name).map_or(INVALID, count)))
            }
            Question::Location { interface, name } => {
                self.location(*interface, name).map(Answer::number)
            }
            Question::Name { interface, index } => self.name(*interface, *index).map(Answer::Text),
        }
    }

    fn program(self, property: ProgramProperty) -> i64 {
        let longest = |interface| self.longest_name(&self.names(interface));
        match property {
            ProgramProperty::ActiveUniforms => count(self.tables.uniforms.len()),
            ProgramProperty::ActiveUniformBlocks => count(self.tables.uniform_blocks.len()),
            ProgramProperty::ActiveUniformMaxLength => longest(Interface::Uniform),
            ProgramProperty::ActiveUniformBlockMaxNameLength => longest(Interface::UniformBlock),
            ProgramProperty::ActiveAttributes => count(self.tables.inputs.len()),
            ProgramProperty::ActiveAttributeMaxLength => longest(Interface::ProgramInput),
            ProgramProperty::ActiveAtomicCounterBuffers => count(self.tables.counter_buffers.len()),
        }
    }

    /// Names of the resources of an interface, by index.
    fn names(self, interface: Interface) -> Vec<&'a str> {
        match interface {
            Interface::Uniform => list(&self.tables.uniforms, |row| &row.name),
            Interface::BufferVariable => list(&self.tables.buffer_variables, |row| &row.name),
            Interface::UniformBlock => list(&self.tables.uniform_blocks, |row| &row.name),
            Interface::ShaderStorageBlock => list(&self.tables.storage_blocks, |row| &row.name),
            Interface::AtomicCounterBuffer => list(&self.tables.counter_buffers, |row| &row.name),
            Interface::ProgramInput => list(&self.tables.inputs, |row| &row.name),
            Interface::ProgramOutput => list(&self.tables.outputs, |row| &row.name),
            Interface::TransformFeedbackVarying => list(&self.tables.xfb_varyings, |row| &row.name),
        }
    }

    fn longest_name(self, names: &[&str]) -> i64 {
        names.iter().map(|name| self.length(name)).max().unwrap_or(0)
    }

    /// Length of a name including its null terminator, or 1 in a program without names.
    fn length(self, name: &str) -> i64 {
        if self.tables.has_names { count(name.len() + 1) } else { 1 }
    }

    fn interface(self, interface: Interface, property: InterfaceProperty) -> Result<i64, NoAnswer> {
        let names = self.names(interface);
        let blocks = match interface {
            Interface::UniformBlock => Some(&self.tables.uniform_blocks),
            Interface::ShaderStorageBlock => Some(&self.tables.storage_blocks),
            Interface::AtomicCounterBuffer => Some(&self.tables.counter_buffers),
            Interface::Uniform
            | Interface::BufferVariable
            | Interface::ProgramInput
            | Interface::ProgramOutput
            | Interface::TransformFeedbackVarying => None,
        };
        let most = |blocks: &Vec<ActiveBlock>| {
            blocks.iter().map(|block| i64::from(block.variables)).max().unwrap_or(0)
        };
        let answered = match property {
            InterfaceProperty::ActiveResources => Some(count(names.len())),
            // Counter buffers have no names.
            InterfaceProperty::MaxNameLength if interface == Interface::AtomicCounterBuffer => None,
            InterfaceProperty::MaxNameLength => Some(self.longest_name(&names)),
            InterfaceProperty::MaxNumActiveVariables => blocks.map(most),
        };
        answered.ok_or_else(|| NoAnswer(format!("{interface:?} has no property {property:?}")))
    }

    /// Index of a resource. An array may be named without `[0]`. `None` in a program without names.
    fn index(self, interface: Interface, name: &str) -> Option<usize> {
        let array = format!("{name}[0]");
        let is_nameless = !self.tables.has_names || interface == Interface::AtomicCounterBuffer;
        let names = self.names(interface);
        let is_it = |known: &str| !known.is_empty() && (known == name || known == array);
        names.iter().position(|known| !is_nameless && is_it(known))
    }

    fn name(self, interface: Interface, index: u32) -> Result<String, NoAnswer> {
        let names = self.names(interface);
        let name = names.get(index as usize).ok_or_else(|| {
            let count = names.len();
            NoAnswer(format!("{interface:?} has no index {index}: there are {count} resources"))
        })?;
        Ok(if self.tables.has_names { (*name).to_owned() } else { String::new() })
    }

    fn location(self, interface: Interface, name: &str) -> Result<i64, NoAnswer> {
        if !self.tables.has_names {
            return Ok(INVALID);
        }
        match interface {
            Interface::Uniform => {
                let (bare, element) = split_element(name);
                let Ok(variable) = find(&self.tables.uniforms, name)
                    .or_else(|_| find(&self.tables.uniforms, bare))
                else {
                    return Ok(INVALID);
                };
                if variable.name != name && element >= variable.size {
                    return Ok(INVALID);
                }
                let first = of_uniform_location(variable)?;
                let is_element = variable.name != name && name.ends_with(']');
                let element = if is_element { i64::from(element) } else { 0 };
                Ok(if first == INVALID { INVALID } else { first + element })
            }
            Interface::ProgramInput | Interface::ProgramOutput => {
                let list = match interface {
                    Interface::ProgramInput => &self.tables.inputs,
                    _ => &self.tables.outputs,
                };
                match find_external(list, name) {
                    Ok(known) => known.location.map(i64::from).ok_or_else(own_choice),
                    Err(_) => Ok(INVALID),
                }
            }
            Interface::UniformBlock
            | Interface::ShaderStorageBlock
            | Interface::BufferVariable
            | Interface::AtomicCounterBuffer
            | Interface::TransformFeedbackVarying => {
                Err(NoAnswer(format!("resources of {interface:?} have no locations")))
            }
        }
    }

    /// Indices of a block's variables.
    fn active_variables(
        self,
        interface: Interface,
        name: &str,
        chosen: ChosenBlock,
    ) -> Result<Vec<i64>, NoAnswer> {
        let of = |all: &[ActiveVariable], is_own: &dyn Fn(&ActiveVariable) -> bool| {
            let own = all.iter().enumerate().filter(|(_, variable)| is_own(variable));
            own.map(|(index, _)| count(index)).collect()
        };
        match interface {
            Interface::UniformBlock => {
                let index = self.block(&self.tables.uniform_blocks, name, chosen)?;
                let index = self.tables.uniform_blocks[index].first_of_array;
                Ok(of(&self.tables.uniforms, &|uniform| uniform.block == Some(index)))
            }
            Interface::ShaderStorageBlock => {
                let index = self.block(&self.tables.storage_blocks, name, chosen)?;
                let index = self.tables.storage_blocks[index].first_of_array;
                Ok(of(&self.tables.buffer_variables, &|variable| variable.block == Some(index)))
            }
            Interface::AtomicCounterBuffer => {
                let index = self.counter_buffer(name)?;
                Ok(of(&self.tables.uniforms, &|uniform| uniform.counter_buffer == Some(index)))
            }
            Interface::Uniform
            | Interface::BufferVariable
            | Interface::ProgramInput
            | Interface::ProgramOutput
            | Interface::TransformFeedbackVarying => {
                Err(NoAnswer(format!("{interface:?} has no variables")))
            }
        }
    }

    fn resource(
        self,
        interface: Interface,
        name: &str,
        property: ResourceProperty,
        block: ChosenBlock,
    ) -> Result<i64, NoAnswer> {
        let answered = match interface {
            Interface::UniformBlock => {
                let index = self.block(&self.tables.uniform_blocks, name, block)?;
                self.of_block(&self.tables.uniform_blocks[index], property)
            }
            Interface::ShaderStorageBlock => {
                let index = self.block(&self.tables.storage_blocks, name, block)?;
                self.of_block(&self.tables.storage_blocks[index], property)
            }
            Interface::AtomicCounterBuffer => {
                let buffer = &self.tables.counter_buffers[self.counter_buffer(name)?];
                let is_name = property == ResourceProperty::NameLength;
                self.of_block(buffer, property).filter(|_| !is_name)
            }
            Interface::Uniform => {
                let variable = find(&self.tables.uniforms, name)?;
                if property == ResourceProperty::Location {
                    return of_uniform_location(variable);
                }
                self.of_variable(variable, &self.tables.uniform_blocks, property)
            }
            Interface::BufferVariable => {
                let variable = find(&self.tables.buffer_variables, name)?;
                self.of_variable(variable, &self.tables.storage_blocks, property)
            }
            Interface::ProgramInput => {
                self.of_external(find_external(&self.tables.inputs, name)?, property)
            }
            Interface::ProgramOutput => {
                let output = find_external(&self.tables.outputs, name)?;
                match property {
                    ResourceProperty::LocationIndex => Some(output.index.unwrap_or(0).into()),
                    _ => self.of_external(output, property),
                }
            }
            Interface::TransformFeedbackVarying => {
                let found = self.tables.xfb_varyings.iter().find(|known| known.name == name);
                let known =
                    found.ok_or_else(|| NoAnswer(format!("the program captures no `{name}`")))?;
                self.of_xfb(known, property)
            }
        };
        answered.ok_or_else(|| NoAnswer(format!("{interface:?} has no property {property:?}")))
    }

    /// Index of a block, by name if the program has names, otherwise by binding.
    fn block(
        self,
        blocks: &[ActiveBlock],
        name: &str,
        chosen: ChosenBlock,
    ) -> Result<usize, NoAnswer> {
        if self.tables.has_names {
            // Blocks may lack debug names.
            let is_meant = |block: &ActiveBlock| {
                block.name.is_empty() && chosen.binding == Some(block.binding)
            };
            let found = blocks.iter().position(|block| block.name == name);
            let found = found.or_else(|| blocks.iter().position(is_meant));
            return found
                .ok_or_else(|| NoAnswer(format!("the program has no active block `{name}`")));
        }
        let Some(binding) = chosen.binding else {
            return Err(NoAnswer(
                "the program has no names: `block binding` must choose the block".to_owned(),
            ));
        };
        let found = blocks.iter().position(|block| block.binding == binding);
        found.ok_or_else(|| {
            NoAnswer(format!("the program has no active block at binding {binding}"))
        })
    }

    /// Index of a counter buffer by its binding point: it has no name.
    fn counter_buffer(self, binding: &str) -> Result<usize, NoAnswer> {
        let found = binding.parse().ok().and_then(|binding: u32| {
            self.tables.counter_buffers.iter().position(|buffer| buffer.binding == binding)
        });
        found.ok_or_else(|| {
            NoAnswer(format!("the program has no atomic counters at binding `{binding}`"))
        })
    }

    fn of_block(self, block: &ActiveBlock, property: ResourceProperty) -> Option<i64> {
        Some(match property {
            ResourceProperty::NameLength => self.length(&block.name),
            ResourceProperty::BufferBinding => block.binding.into(),
            ResourceProperty::BufferDataSize => block.size.into(),
            ResourceProperty::NumActiveVariables => block.variables.into(),
            _ => return referenced_by(block.stages, property),
        })
    }

    /// A property of a captured varying. By OpenGL 4.6 core, 7.3.1.1, gaps have no type, offset or buffer.
    fn of_xfb(self, varying: &XfbVarying, property: ResourceProperty) -> Option<i64> {
        Some(match property {
            ResourceProperty::NameLength => self.length(&varying.name),
            ResourceProperty::Type => varying.gl_type.into(),
            ResourceProperty::ArraySize => varying.size.into(),
            ResourceProperty::Offset => varying.place.map_or(INVALID, |(_, offset)| offset.into()),
            ResourceProperty::TransformFeedbackBufferIndex => {
                varying.place.map_or(INVALID, |(buffer, _)| buffer.into())
            }
            _ => return None,
        })
    }

    fn of_variable(
        self,
        variable: &ActiveVariable,
        blocks: &[ActiveBlock],
        property: ResourceProperty,
    ) -> Option<i64> {
        let place = |part: fn(link::table::leaf::LeafPlace) -> u32| {
            variable.place.map_or(INVALID, |place| part(place).into())
        };
        let stages = variable.block.and_then(|idx| blocks.get(idx)).map(|block| block.stages);
        let top_level = variable.top_level;
        Some(match property {
            ResourceProperty::NameLength => self.length(&variable.name),
            ResourceProperty::Type => match variable.gl_type {
                0 => return None,
                known => known.into(),
            },
            ResourceProperty::ArraySize => variable.size.into(),
            ResourceProperty::BlockIndex => variable.block.map_or(INVALID, count),
            ResourceProperty::Offset => place(|at| at.offset),
            ResourceProperty::ArrayStride => place(|at| at.array_stride),
            ResourceProperty::MatrixStride => place(|at| at.matrix_stride),
            ResourceProperty::IsRowMajor => variable.place.is_some_and(|at| at.is_row_major).into(),
            ResourceProperty::TopLevelArraySize => top_level?.0.into(),
            ResourceProperty::TopLevelArrayStride => top_level?.1.into(),
            // Only uniforms can be atomic counters.
            ResourceProperty::AtomicCounterBufferIndex if top_level.is_none() => {
                variable.counter_buffer.map_or(INVALID, count)
            }
            _ => return referenced_by(stages.unwrap_or(variable.stages), property),
        })
    }

    fn of_external(self, variable: &ExternalVariable, property: ResourceProperty) -> Option<i64> {
        let (element, length) = match &variable.ty {
            Type::Array { element, length } => (&**element, *length),
            ty => (ty, 1),
        };
        match property {
            ResourceProperty::NameLength => Some(self.length(&variable.name)),
            ResourceProperty::Location => variable.location.map(i64::from),
            ResourceProperty::LocationComponent => Some(variable.component.unwrap_or(0).into()),
            ResourceProperty::Type => Some(gl_type(element)).filter(|ty| *ty != 0).map(i64::from),
            ResourceProperty::ArraySize => Some(length.into()),
            ResourceProperty::IsPerPatch => Some(0),
            _ => referenced_by(variable.stages, property),
        }
    }
}

fn list<T>(all: &[T], name: fn(&T) -> &str) -> Vec<&str> {
    all.iter().map(name).collect()
}

/// Value of `GL_REFERENCED_BY_…`; `None` for any other property.
fn referenced_by(stages: StageUse, property: ResourceProperty) -> Option<i64> {
    match property {
        ResourceProperty::ReferencedByVertexShader => Some(stages.vertex.into()),
        ResourceProperty::ReferencedByFragmentShader => Some(stages.fragment.into()),
        ResourceProperty::ReferencedByComputeShader => Some(stages.compute.into()),
        _ => None,
    }
}

/// Location of a uniform: −1 for members of blocks and for counters. It is an error if the shader gives no explicit
/// location, as GL leaves the choice to the implementation.
fn of_uniform_location(variable: &ActiveVariable) -> Result<i64, NoAnswer> {
    if variable.block.is_some() || variable.counter_buffer.is_some() {
        return Ok(INVALID);
    }
    variable.location.map(i64::from).ok_or_else(own_choice)
}

fn own_choice() -> NoAnswer {
    let reason = "the shader specifies no location, so every implementation chooses its own";
    NoAnswer(reason.to_owned())
}

/// Splits `a[2]` into `a` and 2.
fn split_element(name: &str) -> (&str, u32) {
    let split = || {
        let (bare, index) = name.strip_suffix(']')?.rsplit_once('[')?;
        Some((bare, plain_index(index)?))
    };
    split().unwrap_or((name, 0))
}

/// The block selected by `block …` commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChosenBlock {
    /// Number N of `block binding N`.
    pub binding: Option<u32>,
}

/// Checks the queries of the case, with a failure for each answer that differs.
pub fn check_queries(case: &Case, program: &LinkedProgram) -> Vec<Failure> {
    let mut chosen = ChosenBlock::default();
    let mut reflection = &program.reflection;
    let mut failures = Vec::new();
    for step in &case.steps {
        match step.value.state() {
            Some(StateChange::Block(BlockChange::Binding(binding))) => {
                chosen.binding = Some(*binding);
            }
            // piglit always queries the program that was linked last.
            Some(StateChange::ActiveStage(stage)) if case.dialect != Dialect::Piglit => {
                reflection = program.reflection_of(*stage);
            }
            Some(_) | None => {}
        }
        let Step::Expect(Expectation::Program(ProgramExpectation::Query(query))) = &step.value
        else {
            continue;
        };
        let tables = reflection.with_debug_names.as_deref().unwrap_or(reflection);
        let details = match (Answers { tables }).answer(&query.question, chosen) {
            Ok(answer) if answer == query.expected => continue,
            Ok(answer) => {
                vec![format!("expected  {}", query.expected), format!("actual    {answer}")]
            }
            Err(NoAnswer(reason)) => vec![reason],
        };
        failures.push(Failure::of_text(&case.source, step.span, details));
    }
    failures
}

/// Finds a variable by its full name; an array may be named without `[0]`.
fn find<'a>(variables: &'a [ActiveVariable], name: &str) -> Result<&'a ActiveVariable, NoAnswer> {
    let array = format!("{name}[0]");
    let mut named = variables.iter().filter(|known| !known.name.is_empty());
    let found = named.find(|known| known.name == name || known.name == array);
    found.ok_or_else(|| NoAnswer(format!("the program has no active variable `{name}`")))
}

fn find_external<'a>(
    variables: &'a [ExternalVariable],
    name: &str,
) -> Result<&'a ExternalVariable, NoAnswer> {
    let bare = name.strip_suffix("[0]").unwrap_or(name);
    let mut named = variables.iter().filter(|known| !known.name.is_empty());
    let found = named.find(|known| known.name == bare);
    found.ok_or_else(|| NoAnswer(format!("the program has no active variable `{name}`")))
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
