//! What `active uniform` and `verify …` ask about a linked program: data only, by GL's names.

use std::fmt;

/// A question and the number that must answer it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// What is asked.
    pub question: Question,
    /// The answer: one number, or several for a list.
    pub expected: Answer,
}

/// What a question is answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A number, or a list of them.
    Numbers(Vec<i64>),
    /// A name.
    Text(String),
}

impl Answer {
    /// One number.
    pub fn number(number: impl Into<i64>) -> Self {
        Self::Numbers(vec![number.into()])
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Numbers(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
                f.write_str(&numbers.join(" "))
            }
            Self::Text(text) => write!(f, "\"{text}\""),
        }
    }
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
    /// `verify program_interface INTERFACE PROPERTY n`.
    Interface {
        /// Which.
        interface: Interface,
        /// What of it is asked.
        property: InterfaceProperty,
    },
    /// `verify resource_index INTERFACE NAME n`: −1 for `GL_INVALID_INDEX`.
    Index {
        /// Where it is looked for.
        interface: Interface,
        /// The name.
        name: String,
    },
    /// `verify resource_location INTERFACE NAME n`: −1 when there is none.
    Location {
        /// Where it is looked for.
        interface: Interface,
        /// The name.
        name: String,
    },
    /// `verify resource_name INTERFACE INDEX "name"`.
    Name {
        /// Where it is looked for.
        interface: Interface,
        /// The index.
        index: u32,
    },
}

/// Properties of a set of resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are GL's")]
pub enum InterfaceProperty {
    ActiveResources,
    MaxNameLength,
    MaxNumActiveVariables,
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
    ActiveAtomicCounterBuffers,
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
    AtomicCounterBuffer,
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
    ActiveVariables,
    TopLevelArraySize,
    TopLevelArrayStride,
    AtomicCounterBufferIndex,
    LocationIndex,
    IsPerPatch,
    ReferencedByVertexShader,
    ReferencedByFragmentShader,
    ReferencedByComputeShader,
    TransformFeedbackBufferIndex,
}
