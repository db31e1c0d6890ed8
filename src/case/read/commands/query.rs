//! Commands that query a program: `active uniform …`, `verify program_query …`, `verify program_interface_query …` and
//! others.

use crate::expectation::query::{
    Answer, Interface, InterfaceProperty, ProgramProperty, Query, Question, ResourceProperty,
};
use crate::read::elsewhere::unknown_word;
use crate::read::line::{Word, Words, wrong};
use crate::read::problem::Parsed;
use crate::{Dialect, Expectation, ProgramExpectation};

const PROGRAM_PROPERTIES: [(&str, ProgramProperty); 7] = [
    ("GL_ACTIVE_UNIFORMS", ProgramProperty::ActiveUniforms),
    ("GL_ACTIVE_UNIFORM_BLOCKS", ProgramProperty::ActiveUniformBlocks),
    ("GL_ACTIVE_UNIFORM_MAX_LENGTH", ProgramProperty::ActiveUniformMaxLength),
    ("GL_ACTIVE_UNIFORM_BLOCK_MAX_NAME_LENGTH", ProgramProperty::ActiveUniformBlockMaxNameLength),
    ("GL_ACTIVE_ATTRIBUTES", ProgramProperty::ActiveAttributes),
    ("GL_ACTIVE_ATTRIBUTE_MAX_LENGTH", ProgramProperty::ActiveAttributeMaxLength),
    ("GL_ACTIVE_ATOMIC_COUNTER_BUFFERS", ProgramProperty::ActiveAtomicCounterBuffers),
];

/// Program property that the linker answers itself.
const CAPTURED_VARYINGS: &str = "GL_TRANSFORM_FEEDBACK_VARYINGS";

const INTERFACES: [(&str, Interface); 8] = [
    ("GL_UNIFORM", Interface::Uniform),
    ("GL_UNIFORM_BLOCK", Interface::UniformBlock),
    ("GL_SHADER_STORAGE_BLOCK", Interface::ShaderStorageBlock),
    ("GL_BUFFER_VARIABLE", Interface::BufferVariable),
    ("GL_PROGRAM_INPUT", Interface::ProgramInput),
    ("GL_PROGRAM_OUTPUT", Interface::ProgramOutput),
    ("GL_ATOMIC_COUNTER_BUFFER", Interface::AtomicCounterBuffer),
    ("GL_TRANSFORM_FEEDBACK_VARYING", Interface::TransformFeedbackVarying),
];

const INTERFACE_PROPERTIES: [(&str, InterfaceProperty); 3] = [
    ("GL_ACTIVE_RESOURCES", InterfaceProperty::ActiveResources),
    ("GL_MAX_NAME_LENGTH", InterfaceProperty::MaxNameLength),
    ("GL_MAX_NUM_ACTIVE_VARIABLES", InterfaceProperty::MaxNumActiveVariables),
];

const RESOURCE_PROPERTIES: [(&str, ResourceProperty); 23] = [
    ("GL_NAME_LENGTH", ResourceProperty::NameLength),
    ("GL_TYPE", ResourceProperty::Type),
    ("GL_ARRAY_SIZE", ResourceProperty::ArraySize),
    ("GL_OFFSET", ResourceProperty::Offset),
    ("GL_BLOCK_INDEX", ResourceProperty::BlockIndex),
    ("GL_ARRAY_STRIDE", ResourceProperty::ArrayStride),
    ("GL_MATRIX_STRIDE", ResourceProperty::MatrixStride),
    ("GL_IS_ROW_MAJOR", ResourceProperty::IsRowMajor),
    ("GL_LOCATION", ResourceProperty::Location),
    ("GL_LOCATION_COMPONENT", ResourceProperty::LocationComponent),
    ("GL_BUFFER_BINDING", ResourceProperty::BufferBinding),
    ("GL_BUFFER_DATA_SIZE", ResourceProperty::BufferDataSize),
    ("GL_NUM_ACTIVE_VARIABLES", ResourceProperty::NumActiveVariables),
    ("GL_ACTIVE_VARIABLES", ResourceProperty::ActiveVariables),
    ("GL_TOP_LEVEL_ARRAY_SIZE", ResourceProperty::TopLevelArraySize),
    ("GL_TOP_LEVEL_ARRAY_STRIDE", ResourceProperty::TopLevelArrayStride),
    ("GL_ATOMIC_COUNTER_BUFFER_INDEX", ResourceProperty::AtomicCounterBufferIndex),
    ("GL_LOCATION_INDEX", ResourceProperty::LocationIndex),
    ("GL_IS_PER_PATCH", ResourceProperty::IsPerPatch),
    ("GL_REFERENCED_BY_VERTEX_SHADER", ResourceProperty::ReferencedByVertexShader),
    ("GL_REFERENCED_BY_FRAGMENT_SHADER", ResourceProperty::ReferencedByFragmentShader),
    ("GL_REFERENCED_BY_COMPUTE_SHADER", ResourceProperty::ReferencedByComputeShader),
    ("GL_TRANSFORM_FEEDBACK_BUFFER_INDEX", ResourceProperty::TransformFeedbackBufferIndex),
];

/// Properties for `active uniform`, with GL's older names.
const UNIFORM_PROPERTIES: [(&str, ResourceProperty); 9] = [
    ("GL_UNIFORM_TYPE", ResourceProperty::Type),
    ("GL_UNIFORM_SIZE", ResourceProperty::ArraySize),
    ("GL_UNIFORM_NAME_LENGTH", ResourceProperty::NameLength),
    ("GL_UNIFORM_BLOCK_INDEX", ResourceProperty::BlockIndex),
    ("GL_UNIFORM_OFFSET", ResourceProperty::Offset),
    ("GL_UNIFORM_ARRAY_STRIDE", ResourceProperty::ArrayStride),
    ("GL_UNIFORM_MATRIX_STRIDE", ResourceProperty::MatrixStride),
    ("GL_UNIFORM_IS_ROW_MAJOR", ResourceProperty::IsRowMajor),
    ("GL_UNIFORM_ATOMIC_COUNTER_BUFFER_INDEX", ResourceProperty::AtomicCounterBufferIndex),
];

/// GL's enum values for the types of uniforms.
const TYPES: [(&str, i64); 52] = [
    ("GL_FLOAT", 0x1406),
    ("GL_FLOAT_VEC2", 0x8b50),
    ("GL_FLOAT_VEC3", 0x8b51),
    ("GL_FLOAT_VEC4", 0x8b52),
    ("GL_INT", 0x1404),
    ("GL_INT_VEC2", 0x8b53),
    ("GL_INT_VEC3", 0x8b54),
    ("GL_INT_VEC4", 0x8b55),
    ("GL_UNSIGNED_INT", 0x1405),
    ("GL_UNSIGNED_INT_VEC2", 0x8dc6),
    ("GL_UNSIGNED_INT_VEC3", 0x8dc7),
    ("GL_UNSIGNED_INT_VEC4", 0x8dc8),
    ("GL_BOOL", 0x8b56),
    ("GL_BOOL_VEC2", 0x8b57),
    ("GL_BOOL_VEC3", 0x8b58),
    ("GL_BOOL_VEC4", 0x8b59),
    ("GL_FLOAT_MAT2", 0x8b5a),
    ("GL_FLOAT_MAT3", 0x8b5b),
    ("GL_FLOAT_MAT4", 0x8b5c),
    ("GL_FLOAT_MAT2x3", 0x8b65),
    ("GL_FLOAT_MAT2x4", 0x8b66),
    ("GL_FLOAT_MAT3x2", 0x8b67),
    ("GL_FLOAT_MAT3x4", 0x8b68),
    ("GL_FLOAT_MAT4x2", 0x8b69),
    ("GL_FLOAT_MAT4x3", 0x8b6a),
    ("GL_DOUBLE", 0x140a),
    ("GL_DOUBLE_VEC2", 0x8ffc),
    ("GL_DOUBLE_VEC3", 0x8ffd),
    ("GL_DOUBLE_VEC4", 0x8ffe),
    ("GL_DOUBLE_MAT2", 0x8f46),
    ("GL_DOUBLE_MAT3", 0x8f47),
    ("GL_DOUBLE_MAT4", 0x8f48),
    ("GL_DOUBLE_MAT2x3", 0x8f49),
    ("GL_DOUBLE_MAT2x4", 0x8f4a),
    ("GL_DOUBLE_MAT3x2", 0x8f4b),
    ("GL_DOUBLE_MAT3x4", 0x8f4c),
    ("GL_DOUBLE_MAT4x2", 0x8f4d),
    ("GL_DOUBLE_MAT4x3", 0x8f4e),
    ("GL_INT64_ARB", 0x140e),
    ("GL_INT64_VEC2_ARB", 0x8fe9),
    ("GL_INT64_VEC3_ARB", 0x8fea),
    ("GL_INT64_VEC4_ARB", 0x8feb),
    ("GL_UNSIGNED_INT64_ARB", 0x140f),
    ("GL_UNSIGNED_INT64_VEC2_ARB", 0x8ff5),
    ("GL_UNSIGNED_INT64_VEC3_ARB", 0x8ff6),
    ("GL_UNSIGNED_INT64_VEC4_ARB", 0x8ff7),
    ("GL_UNSIGNED_INT_ATOMIC_COUNTER", 0x92db),
    ("GL_SAMPLER_2D", 0x8b5e),
    ("GL_SAMPLER_3D", 0x8b5f),
    ("GL_NONE", 0),
    ("GL_TRUE", 1),
    ("GL_FALSE", 0),
];

/// Keywords of these commands.
pub(super) fn known_words() -> impl Iterator<Item = &'static str> {
    let words = PROGRAM_PROPERTIES.iter().map(|(word, _)| *word).chain([CAPTURED_VARYINGS]);
    let words = words.chain(INTERFACES.iter().map(|(word, _)| *word));
    let words = words.chain(INTERFACE_PROPERTIES.iter().map(|(word, _)| *word));
    let words = words.chain(RESOURCE_PROPERTIES.iter().map(|(word, _)| *word));
    words.chain(UNIFORM_PROPERTIES.iter().map(|(word, _)| *word))
}

/// Reads `verify program_query PROPERTY n`.
pub(super) fn read_program(words: &mut Words<'_>) -> Parsed<Expectation> {
    let word = words.need("a property such as `GL_ACTIVE_UNIFORMS`")?;
    if word.text == CAPTURED_VARYINGS {
        let expected = words.integer("the number of captured varyings", 0..=u32::MAX)?;
        return Ok(ProgramExpectation::XfbVaryings(expected).into());
    }
    let property = one_of(words.dialect, word, &PROGRAM_PROPERTIES)?;
    finish(words, Question::Program(property))
}

/// Reads `verify program_interface_query INTERFACE NAME PROPERTY n`.
pub(super) fn read_resource(words: &mut Words<'_>) -> Parsed<Expectation> {
    let interface = read_interface_name(words)?;
    let name = words.need("the resource's name")?.text.to_owned();
    let word = words.need("a property such as `GL_BUFFER_DATA_SIZE`")?;
    let property = one_of(words.dialect, word, &RESOURCE_PROPERTIES)?;
    finish(words, Question::Resource { interface, name, property })
}

/// Reads `verify program_interface INTERFACE PROPERTY n`.
pub(super) fn read_interface(words: &mut Words<'_>) -> Parsed<Expectation> {
    let interface = read_interface_name(words)?;
    let word = words.need("a property such as `GL_ACTIVE_RESOURCES`")?;
    let property = one_of(words.dialect, word, &INTERFACE_PROPERTIES)?;
    finish(words, Question::Interface { interface, property })
}

/// Reads `verify resource_index INTERFACE NAME n`.
pub(super) fn read_index(words: &mut Words<'_>) -> Parsed<Expectation> {
    let interface = read_interface_name(words)?;
    let name = words.need("the resource's name")?.text.to_owned();
    finish(words, Question::Index { interface, name })
}

/// Reads `verify resource_location INTERFACE NAME n`.
pub(super) fn read_location(words: &mut Words<'_>) -> Parsed<Expectation> {
    let interface = read_interface_name(words)?;
    let name = words.need("the resource's name")?.text.to_owned();
    finish(words, Question::Location { interface, name })
}

/// Reads `verify resource_name INTERFACE INDEX "name"`.
pub(super) fn read_name(words: &mut Words<'_>) -> Parsed<Expectation> {
    let interface = read_interface_name(words)?;
    let index = words.integer("the resource's index", 0..=u32::MAX)?;
    let expected = Answer::Text(words.need_quoted("the name")?.text.to_owned());
    let question = Question::Name { interface, index };
    Ok(ProgramExpectation::Query(Query { question, expected }).into())
}

fn read_interface_name(words: &mut Words<'_>) -> Parsed<Interface> {
    let word = words.need("an interface such as `GL_UNIFORM_BLOCK`")?;
    one_of(words.dialect, word, &INTERFACES)
}

/// Reads `active uniform NAME PROPERTY n`.
pub(super) fn read_uniform(words: &mut Words<'_>) -> Parsed<Expectation> {
    let name = words.need("the uniform's name")?.text.to_owned();
    let word = words.need("a property such as `GL_UNIFORM_OFFSET`")?;
    let property = one_of(words.dialect, word, &UNIFORM_PROPERTIES)?;
    finish(words, Question::Resource { interface: Interface::Uniform, name, property })
}

fn one_of<T: Copy>(dialect: Dialect, word: Word<'_>, known: &[(&str, T)]) -> Parsed<T> {
    if let Some((_, value)) = known.iter().find(|(name, _)| *name == word.text) {
        return Ok(*value);
    }
    Err(unknown_word(dialect, word, "", "property", known.iter().map(|(name, _)| *name)))
}

fn finish(words: &mut Words<'_>, question: Question) -> Parsed<Expectation> {
    let named = words.peek().filter(|word| word.text.starts_with("GL_"));
    let expected = match named {
        Some(word) => {
            words.skip(1);
            one_of(words.dialect, word, &TYPES)?
        }
        None => read_answer(words)?,
    };
    let mut expected = vec![expected];
    let is_list =
        matches!(question, Question::Resource { property: ResourceProperty::ActiveVariables, .. });
    while is_list && words.has_more() {
        expected.push(read_answer(words)?);
    }
    let expected = Answer::Numbers(expected);
    Ok(ProgramExpectation::Query(Query { question, expected }).into())
}

fn read_answer(words: &mut Words<'_>) -> Parsed<i64> {
    let word = words.need("the answer")?;
    let number = word.text.parse().ok().filter(|number: &i64| number.abs() <= i64::from(u32::MAX));
    number.ok_or_else(|| wrong(word, format!("expected a whole number, found `{}`", word.text)))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::read::commands::tests::{check, check_error, check_unsupported};

    use super::*;

    #[test]
    fn a_query_is_a_question_and_a_number() {
        let query = |question, expected: i64| {
            ProgramExpectation::Query(Query { question, expected: Answer::number(expected) })
        };
        check(
            "verify program_query GL_ACTIVE_UNIFORMS 17",
            query(Question::Program(ProgramProperty::ActiveUniforms), 17),
        );
        let question = Question::Resource {
            interface: Interface::Uniform,
            name: "o[1].n[0]".to_owned(),
            property: ResourceProperty::Type,
        };
        check("active uniform o[1].n[0] GL_UNIFORM_TYPE GL_FLOAT_MAT3", query(question, 0x8b5b));
    }

    #[test]
    fn mistakes_are_named() {
        check_error(
            "verify program_query GL_ACTIVE_UNIFROMS 1",
            &expect![[r#"
                unknown property `GL_ACTIVE_UNIFROMS` (did you mean `GL_ACTIVE_UNIFORMS`?)
                verify program_query GL_ACTIVE_UNIFROMS 1
                                     ^^^^^^^^^^^^^^^^^^"#]],
        );
        check_error(
            "active uniform a GL_UNIFORM_SIZE",
            &expect![[r#"
            missing the answer (usage: active uniform NAME PROPERTY answer)
            active uniform a GL_UNIFORM_SIZE
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
        );
        check_unsupported("verify program_query GL_LINK_STATUS 1", "GL_LINK_STATUS");
    }
}
