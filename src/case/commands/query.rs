//! `active uniform …`, `verify program_query …`, `verify program_interface_query …`.

use crate::case::line::{Word, Words, wrong};
use crate::case::query::{Interface, ProgramProperty, Query, Question, ResourceProperty};
use crate::case::reader::{Parsed, Problem};
use crate::case::{Dialect, Expectation, Step};

const PROGRAM_PROPERTIES: [(&str, ProgramProperty); 6] = [
    ("GL_ACTIVE_UNIFORMS", ProgramProperty::ActiveUniforms),
    ("GL_ACTIVE_UNIFORM_BLOCKS", ProgramProperty::ActiveUniformBlocks),
    ("GL_ACTIVE_UNIFORM_MAX_LENGTH", ProgramProperty::ActiveUniformMaxLength),
    ("GL_ACTIVE_UNIFORM_BLOCK_MAX_NAME_LENGTH", ProgramProperty::ActiveUniformBlockMaxNameLength),
    ("GL_ACTIVE_ATTRIBUTES", ProgramProperty::ActiveAttributes),
    ("GL_ACTIVE_ATTRIBUTE_MAX_LENGTH", ProgramProperty::ActiveAttributeMaxLength),
];

/// The property of a program that the linker knows itself.
const CAPTURED_VARYINGS: &str = "GL_TRANSFORM_FEEDBACK_VARYINGS";

const INTERFACES: [(&str, Interface); 7] = [
    ("GL_UNIFORM", Interface::Uniform),
    ("GL_UNIFORM_BLOCK", Interface::UniformBlock),
    ("GL_SHADER_STORAGE_BLOCK", Interface::ShaderStorageBlock),
    ("GL_BUFFER_VARIABLE", Interface::BufferVariable),
    ("GL_PROGRAM_INPUT", Interface::ProgramInput),
    ("GL_PROGRAM_OUTPUT", Interface::ProgramOutput),
    ("GL_TRANSFORM_FEEDBACK_VARYING", Interface::TransformFeedbackVarying),
];

const RESOURCE_PROPERTIES: [(&str, ResourceProperty); 17] = [
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
    ("GL_REFERENCED_BY_VERTEX_SHADER", ResourceProperty::ReferencedByVertexShader),
    ("GL_REFERENCED_BY_FRAGMENT_SHADER", ResourceProperty::ReferencedByFragmentShader),
    ("GL_REFERENCED_BY_COMPUTE_SHADER", ResourceProperty::ReferencedByComputeShader),
    ("GL_TRANSFORM_FEEDBACK_BUFFER_INDEX", ResourceProperty::TransformFeedbackBufferIndex),
];

/// What `active uniform` asks, by GL's older names.
const UNIFORM_PROPERTIES: [(&str, ResourceProperty); 8] = [
    ("GL_UNIFORM_TYPE", ResourceProperty::Type),
    ("GL_UNIFORM_SIZE", ResourceProperty::ArraySize),
    ("GL_UNIFORM_NAME_LENGTH", ResourceProperty::NameLength),
    ("GL_UNIFORM_BLOCK_INDEX", ResourceProperty::BlockIndex),
    ("GL_UNIFORM_OFFSET", ResourceProperty::Offset),
    ("GL_UNIFORM_ARRAY_STRIDE", ResourceProperty::ArrayStride),
    ("GL_UNIFORM_MATRIX_STRIDE", ResourceProperty::MatrixStride),
    ("GL_UNIFORM_IS_ROW_MAJOR", ResourceProperty::IsRowMajor),
];

/// GL's numbers for the types of uniforms.
const TYPES: [(&str, i64); 37] = [
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
    ("GL_SAMPLER_2D", 0x8b5e),
    ("GL_SAMPLER_3D", 0x8b5f),
    ("GL_NONE", 0),
    ("GL_TRUE", 1),
    ("GL_FALSE", 0),
];

/// The words of these commands.
pub(super) fn known_words() -> impl Iterator<Item = &'static str> {
    let words = PROGRAM_PROPERTIES.iter().map(|(word, _)| *word).chain([CAPTURED_VARYINGS]);
    let words = words.chain(INTERFACES.iter().map(|(word, _)| *word));
    let words = words.chain(RESOURCE_PROPERTIES.iter().map(|(word, _)| *word));
    words.chain(UNIFORM_PROPERTIES.iter().map(|(word, _)| *word))
}

/// `verify program_query PROPERTY n`.
pub(super) fn read_program(words: &mut Words<'_>) -> Parsed<Step> {
    let word = words.need("a property such as `GL_ACTIVE_UNIFORMS`")?;
    if word.text == CAPTURED_VARYINGS {
        let expected = words.integer("the number of captured varyings", 0..=u32::MAX)?;
        return Ok(Step::Expect(Expectation::CapturedVaryings(expected)));
    }
    let property = one_of(words.dialect, word, &PROGRAM_PROPERTIES)?;
    finish(words, Question::Program(property))
}

/// `verify program_interface_query INTERFACE NAME PROPERTY n`.
pub(super) fn read_resource(words: &mut Words<'_>) -> Parsed<Step> {
    let word = words.need("an interface such as `GL_UNIFORM_BLOCK`")?;
    let interface = one_of(words.dialect, word, &INTERFACES)?;
    let name = words.need("the resource's name")?.text.to_owned();
    let word = words.need("a property such as `GL_BUFFER_DATA_SIZE`")?;
    let property = one_of(words.dialect, word, &RESOURCE_PROPERTIES)?;
    finish(words, Question::Resource { interface, name, property })
}

/// `active uniform NAME PROPERTY n`.
pub(super) fn read_uniform(words: &mut Words<'_>) -> Parsed<Step> {
    let name = words.need("the uniform's name")?.text.to_owned();
    let word = words.need("a property such as `GL_UNIFORM_OFFSET`")?;
    let property = one_of(words.dialect, word, &UNIFORM_PROPERTIES)?;
    finish(words, Question::Resource { interface: Interface::Uniform, name, property })
}

fn one_of<T: Copy>(dialect: Dialect, word: Word<'_>, known: &[(&str, T)]) -> Parsed<T> {
    if let Some((_, value)) = known.iter().find(|(name, _)| *name == word.text) {
        return Ok(*value);
    }
    match dialect {
        Dialect::Piglit => Err(Problem::unsupported(word.text, word.span)),
        Dialect::Interstage => Err(wrong(word, format!("`{}` cannot be asked for", word.text))
            .nearest(word.text, known.iter().map(|(name, _)| *name))),
    }
}

fn finish(words: &mut Words<'_>, question: Question) -> Parsed<Step> {
    let named = words.peek().filter(|word| word.text.starts_with("GL_"));
    let expected = match named {
        Some(word) => {
            words.skip(1);
            one_of(words.dialect, word, &TYPES)?
        }
        None => read_answer(words)?,
    };
    Ok(Step::Expect(Expectation::Query(Query { question, expected })))
}

fn read_answer(words: &mut Words<'_>) -> Parsed<i64> {
    let word = words.need("the answer")?;
    let number = word.text.parse().ok().filter(|number: &i64| number.abs() <= i64::from(u32::MAX));
    number.ok_or_else(|| wrong(word, format!("`{}` is no answer: a whole number is", word.text)))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::case::commands::tests::{check, check_error, check_unsupported};

    #[test]
    fn a_query_is_a_question_and_a_number() {
        let query =
            |question, expected| Step::Expect(Expectation::Query(Query { question, expected }));
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
                `GL_ACTIVE_UNIFROMS` cannot be asked for (did you mean `GL_ACTIVE_UNIFORMS`?)
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
