//! Queries of a linked program (`active uniform`, `verify …`): plain data, with GL's names.

use std::fmt;

/// A query and its expected answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The query.
    pub question: Question,
    /// Expected answer: a name, a number, or several for a list.
    pub expected: Answer,
}

/// Answer of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A number or a list of numbers.
    Numbers(Vec<i64>),
    /// A name.
    Text(String),
}

impl Answer {
    /// An answer that is one number.
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

/// A query of a program or one of its resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// `verify program_query PROPERTY n`.
    Program(ProgramProperty),
    /// `verify program_interface_query INTERFACE NAME PROPERTY n`.
    Resource {
        /// Program interface of the resource.
        interface: Interface,
        /// Name of the resource; in a program without names, the binding of `block binding` selects the resource
        /// instead.
        name: String,
        /// Queried property.
        property: ResourceProperty,
    },
    /// `verify program_interface INTERFACE PROPERTY n`.
    Interface {
        /// Program interface.
        interface: Interface,
        /// Queried property.
        property: InterfaceProperty,
    },
    /// `verify resource_index INTERFACE NAME n`: −1 for `GL_INVALID_INDEX`.
    Index {
        /// Program interface.
        interface: Interface,
        /// The name.
        name: String,
    },
    /// `verify resource_location INTERFACE NAME n`: −1 when there is none.
    Location {
        /// Program interface.
        interface: Interface,
        /// The name.
        name: String,
    },
    /// `verify resource_name INTERFACE INDEX "name"`.
    Name {
        /// Program interface.
        interface: Interface,
        /// The index.
        index: u32,
    },
}

/// Properties of a program interface (`glGetProgramInterfaceiv`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are GL's")]
pub enum InterfaceProperty {
    ActiveResources,
    MaxNameLength,
    MaxNumActiveVariables,
}

/// Properties of a program (`glGetProgramiv`).
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

/// Program interfaces.
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

/// Properties of a program resource (`glGetProgramResourceiv`).
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
