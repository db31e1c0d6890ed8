//! What `active uniform` and `verify …` ask about a linked program: data only, by GL's names.

/// A question and the number that must answer it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// What is asked.
    pub question: Question,
    /// The answer.
    pub expected: i64,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// `verify program_query PROPERTY n`.
    Program(ProgramProperty),
    /// `verify program_interface_query INTERFACE NAME PROPERTY n`.
    Resource {
        /// Where the resource is looked for.
        interface: Interface,
        /// Its name. In a program without names the binding of `block binding` counts instead.
        name: String,
        /// What of it is asked.
        property: ResourceProperty,
    },
}

/// Properties of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are GL's")]
pub enum ProgramProperty {
    ActiveUniforms,
    ActiveUniformBlocks,
    ActiveUniformMaxLength,
    ActiveUniformBlockMaxNameLength,
    ActiveAttributes,
    ActiveAttributeMaxLength,
}

/// Sets of resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are GL's")]
pub enum Interface {
    Uniform,
    UniformBlock,
    ShaderStorageBlock,
    BufferVariable,
    ProgramInput,
    ProgramOutput,
    TransformFeedbackVarying,
}

/// Properties of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are GL's")]
pub enum ResourceProperty {
    NameLength,
    Type,
    ArraySize,
    Offset,
    BlockIndex,
    ArrayStride,
    MatrixStride,
    IsRowMajor,
    Location,
    LocationComponent,
    BufferBinding,
    BufferDataSize,
    NumActiveVariables,
    ReferencedByVertexShader,
    ReferencedByFragmentShader,
    ReferencedByComputeShader,
    TransformFeedbackBufferIndex,
}
