//! A program before it is written in a language.

pub(super) use super::atomic::Change;
pub(super) use super::lookup::{Filtered, Lookup, Texture};
use super::operation::Op;
pub(super) use super::scalar::{Scalar, Widths};

/// Type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Type {
    /// A scalar, or a vector of 2 to 4 components.
    Value(Scalar, u8),
    /// Columns and rows, 2 to 4 each, of exact floats.
    Matrix(u8, u8),
    /// By its number among the program's arrays.
    Array(u8),
    /// By its number among the program's structures.
    Struct(u8),
}

pub(super) const BOOL: Type = Type::Value(Scalar::Bool, 1);
pub(super) const INT: Type = Type::Value(Scalar::Int, 1);
pub(super) const UINT: Type = Type::Value(Scalar::Uint, 1);
pub(super) const FLOAT: Type = Type::Value(Scalar::Float, 1);
pub(super) const ROUGH: Type = Type::Value(Scalar::Rough, 1);

/// The arrays and structures of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Types {
    /// Types and numbers of elements, which are powers of two.
    pub(super) arrays: Vec<(Type, u8)>,
    /// Types of the members.
    pub(super) structs: Vec<Vec<Type>>,
}

impl Types {
    /// Types of the parts of a value: components, columns, elements or members.
    pub(super) fn parts(&self, ty: Type) -> Vec<Type> {
        match ty {
            Type::Value(scalar, count) => vec![Type::Value(scalar, 1); usize::from(count)],
            Type::Matrix(columns, rows) => {
                vec![Type::Value(Scalar::Float, rows); usize::from(columns)]
            }
            Type::Array(number) => {
                let (element, count) = self.arrays[usize::from(number)];
                vec![element; usize::from(count)]
            }
            Type::Struct(number) => self.structs[usize::from(number)].clone(),
        }
    }

    /// Type of the part of a value that steps lead to.
    pub(super) fn after(&self, ty: Type, steps: &[Step]) -> Type {
        steps.iter().fold(ty, |ty, step| {
            let number = match step {
                Step::Part(number) => usize::from(*number),
                Step::At(_) => 0,
            };
            self.parts(ty).get(number).copied().unwrap_or(ty)
        })
    }

    /// Inter-stage locations that a value takes without packing.
    pub(super) fn locations(&self, ty: Type) -> usize {
        match ty {
            Type::Value(scalar, count) if scalar.is_wide() && count > 2 => 2,
            Type::Value(..) => 1,
            Type::Matrix(..) | Type::Array(_) | Type::Struct(_) => {
                self.parts(ty).into_iter().map(|part| self.locations(part)).sum()
            }
        }
    }

    /// True if the type holds a scalar of this kind.
    pub(super) fn holds(&self, ty: Type, wanted: &dyn Fn(Scalar) -> bool) -> bool {
        match ty {
            Type::Value(scalar, _) => wanted(scalar),
            Type::Matrix(..) => wanted(Scalar::Float),
            Type::Array(_) | Type::Struct(_) => {
                self.parts(ty).into_iter().any(|part| self.holds(part, wanted))
            }
        }
    }
}

/// Place of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    Uniform,
    /// The position of the vertex.
    Attribute,
    /// A number of the invocation: of its vertex, or in its workgroup, or of its workgroup.
    BuiltIn,
    /// An output of the vertex stage, an input of all later ones. In those before the fragment stage, that of the vertex
    /// with the number of the invocation.
    Varying,
    /// An output of a stage between the vertex and the fragment stage, with the number of a varying.
    Emitted,
    /// Global, with a value of its own in each invocation.
    Private,
    /// A global array that is a constant.
    Table,
    /// Memory of the workgroup: an array of unsigned integers.
    Shared,
    /// The elements of a storage buffer that is only read.
    Input,
    /// The elements of a storage buffer that the stage writes: [`OUTPUTS`], [`COUNTED`], [`CELLS`] or [`SIGNED_CELLS`].
    Output,
    /// A parameter that is passed by value.
    Parameter,
    /// A parameter that the function changes: GLSL's `inout`, a pointer in the other languages.
    Changed,
    Local,
}

/// A variable. Its number is its own among those of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Variable {
    pub(super) number: usize,
    pub(super) ty: Type,
    pub(super) kind: Kind,
}

/// One step into a variable.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// A component, column, element or member.
    Part(u8),
    /// A component, column or element at an index in bounds that is known at run time only.
    At(Box<Expression>),
}

/// A variable, or a part of one.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) variable: Variable,
    pub(super) steps: Vec<Step>,
    pub(super) ty: Type,
}

/// Bits before and behind the point of an exact float: its absolute value is at most 2^before, and it is a multiple of
/// 2^-behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bits {
    pub(super) before: u8,
    pub(super) behind: u8,
}

/// An expression and its type.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub(super) ty: Type,
    pub(super) value: Value,
    /// Bits of each component of an exact float; parts of larger values have the bits of variables.
    pub(super) bits: Bits,
    /// True if a compiler may compute it. WGSL forbids overflow in such expressions.
    pub(super) is_constant: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Literal {
    Bool(bool),
    /// Of any signed integer type.
    Int(i64),
    /// Of any unsigned integer type.
    Uint(u64),
    /// Of any float type.
    Float(f64),
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    Literal(Literal),
    Load(Place),
    /// A value made of its parts.
    Compose(Vec<Expression>),
    /// A component, column, element or member.
    Part(Box<Expression>, u8),
    /// Components of a vector in any order.
    Swizzle(Box<Expression>, Vec<u8>),
    Op(Op, Vec<Expression>),
    /// An exact float as an inexact one, which languages do not distinguish.
    Rough(Box<Expression>),
    Call(usize, Vec<Argument>),
    /// The invocation's own pixel of the picture: an unsigned integer.
    Painted,
    /// A texture lookup with its operands.
    Lookup(Lookup, Vec<Expression>),
}

#[derive(Clone, Debug)]
pub(super) enum Argument {
    Value(Expression),
    /// A variable that the function changes, or a part of one.
    Changed(Place),
}

/// Where a loop tests its condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Before each turn; counts behind it.
    For,
    /// Before each turn; counts at its start.
    While,
    /// Behind each turn; counts at its start.
    DoWhile,
}

/// A loop that counts from 0 up to, but not including, a limit.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    pub(super) form: Form,
    pub(super) counter: Variable,
    pub(super) limit: Variable,
    pub(super) body: Vec<Statement>,
    /// Statements between two iterations, before the counter changes. Only [`Form::DoWhile`] loops of WGSL and SPIR-V have
    /// them.
    pub(super) continuing: Vec<Statement>,
}

/// Changes an element of a buffer: one that only its invocation has, or by operations whose order makes no difference.
#[derive(Clone, Debug)]
pub(super) struct Atomic {
    pub(super) change: Change,
    pub(super) place: Place,
    pub(super) operands: Vec<Expression>,
    /// A new variable for the element's value before.
    pub(super) result: Option<Variable>,
}

impl Atomic {
    /// Kind of the element.
    pub(super) const fn scalar(&self) -> Scalar {
        match self.place.ty {
            Type::Value(scalar, _) => scalar,
            Type::Matrix(..) | Type::Array(_) | Type::Struct(_) => Scalar::Uint,
        }
    }
}

/// A part of a switch.
#[derive(Clone, Debug)]
pub(super) struct Case {
    /// Values; none in the last part, which is for all others.
    pub(super) labels: Vec<u8>,
    pub(super) body: Vec<Statement>,
    /// True if the next part follows.
    pub(super) falls: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Statement {
    /// A new variable, and its first value.
    Declare(Variable, Expression),
    Assign(Place, Expression),
    /// The same by way of a pointer, to the place that this number of first steps leads to.
    AssignThrough(Place, usize, Expression),
    /// `a op= b`
    Update(Place, Op, Expression),
    Call(usize, Vec<Argument>),
    If(Expression, Vec<Statement>, Vec<Statement>),
    Loop(Loop),
    Switch(Expression, Vec<Case>),
    Break,
    /// Leaves the innermost loop from a switch inside it. Only SPIR-V has it.
    BreakLoop,
    Continue,
    Return(Option<Expression>),
    Discard,
    /// Of the workgroup's control and memory.
    Barrier,
    Atomic(Atomic),
    /// Sets the invocation's own pixel of the picture to an unsigned integer.
    Paint(Expression),
}

impl Statement {
    /// True if no statement behind it in its block runs.
    pub(super) fn leaves(&self) -> bool {
        match self {
            Self::Break | Self::BreakLoop | Self::Continue | Self::Return(_) | Self::Discard => {
                true
            }
            Self::If(_, first, second) => {
                [first, second].iter().all(|block| block.last().is_some_and(Self::leaves))
            }
            Self::Declare(..)
            | Self::Assign(..)
            | Self::AssignThrough(..)
            | Self::Update(..)
            | Self::Call(..)
            | Self::Loop(_)
            | Self::Switch(..)
            | Self::Barrier
            | Self::Atomic(_)
            | Self::Paint(_) => false,
        }
    }
}

/// A function that later code may call.
#[derive(Clone, Debug)]
pub(super) struct Function {
    /// What calls name: at first its place in the stage.
    pub(super) number: usize,
    pub(super) parameters: Vec<Variable>,
    pub(super) body: Vec<Statement>,
    /// Type of the result, if there is one.
    pub(super) result: Option<Type>,
    /// About how many statements a call runs.
    pub(super) cost: usize,
    /// Number of its statements, with those of the functions that it calls.
    pub(super) size: usize,
    /// True if a call has no effect but its result.
    pub(super) is_pure: bool,
}

impl Function {
    /// The parameter that the function changes; only the first may be one.
    pub(super) fn changed(&self) -> Option<Variable> {
        self.parameters.first().copied().filter(|first| first.kind == Kind::Changed)
    }
}

/// How a varying is interpolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interpolation {
    Perspective,
    Centroid,
    Linear,
    Flat,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Varying {
    pub(super) variable: Variable,
    pub(super) interpolation: Interpolation,
}

/// In the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StageKind {
    Vertex,
    Control,
    Evaluation,
    Geometry,
    Fragment,
    Compute,
}

impl StageKind {
    /// Name in a case.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::Control => "tessellation control",
            Self::Evaluation => "tessellation evaluation",
            Self::Geometry => "geometry",
            Self::Fragment => "fragment",
            Self::Compute => "compute",
        }
    }

    /// Start of the names of its outputs.
    pub(super) const fn prefix(self) -> &'static str {
        match self {
            Self::Control => "c",
            Self::Evaluation => "e",
            Self::Geometry => "w",
            Self::Vertex | Self::Fragment | Self::Compute => "v",
        }
    }

    /// True for a stage whose inputs are arrays over the vertices of a primitive or patch.
    pub(super) const fn is_middle(self) -> bool {
        matches!(self, Self::Control | Self::Evaluation | Self::Geometry)
    }
}

/// A stage: its functions, then statements of `main`.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    pub(super) kind: StageKind,
    /// The private variables and the constant arrays.
    pub(super) privates: Vec<(Variable, Expression)>,
    pub(super) functions: Vec<Function>,
    pub(super) body: Vec<Statement>,
    /// The position in the vertex stage, four unsigned integers and four floats in the fragment stage.
    pub(super) results: Vec<Expression>,
}

/// Values of the uniforms: four signed integers, four unsigned ones, and four floats in sixteenths.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uniforms {
    pub(super) ints: [i32; 4],
    pub(super) uints: [u32; 4],
    pub(super) sixteenths: [i32; 4],
}

#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) types: Types,
    pub(super) varyings: Vec<Varying>,
    /// Number of varyings at the end that are members of a block.
    pub(super) block: usize,
    /// A vertex and a fragment stage, perhaps with others between them, or a compute stage.
    pub(super) stages: Vec<Stage>,
    /// Uniforms of each draw or dispatch; a program has one or two.
    pub(super) uniforms: Vec<Uniforms>,
    /// The varyings that the draws capture.
    pub(super) captured: Vec<Variable>,
    pub(super) widths: Widths,
    /// Seed of an unusual spelling of the text.
    pub(super) spelling: Option<u64>,
}

/// Numbers of the buffers that stages write: values of each invocation, counters of all, and a cell for each invocation
/// that it changes by atomic operations, of either kind of integers.
pub(super) const OUTPUTS: usize = 0;
pub(super) const COUNTED: usize = 1;
pub(super) const CELLS: usize = 2;
pub(super) const SIGNED_CELLS: usize = 3;

impl Program {
    /// The stage before one of this kind.
    pub(super) fn before(&self, kind: StageKind) -> StageKind {
        let mut kinds = self.stages.iter().map(|stage| stage.kind);
        kinds.rfind(|one| *one < kind).unwrap_or(StageKind::Vertex)
    }

    pub(super) fn has(&self, kind: StageKind) -> bool {
        self.stages.iter().any(|stage| stage.kind == kind)
    }

    /// True if a varying is a member of the vertex stage's block.
    pub(super) fn is_member(&self, variable: Variable) -> bool {
        let mut block = self.varyings.iter().rev().take(self.block);
        block.any(|varying| varying.variable == variable)
    }
}

/// Elements of the storage buffer that stages read.
pub(super) const INPUTS: u8 = 16;

/// Elements of the workgroup's memory, and invocations of a workgroup.
pub(super) const INVOCATIONS: u8 = 8;

/// Workgroups of a dispatch.
pub(super) const WORKGROUPS: u8 = 2;

/// Elements of the written buffer that belong to one invocation.
pub(super) const OWN_OUTPUTS: u8 = 4;

/// Elements of the written buffer behind those, which all invocations change with atomic operations.
pub(super) const COUNTERS: u8 = 6;

/// Number of cells of either kind: one for each invocation.
pub(super) const fn cells(kind: StageKind) -> u8 {
    if matches!(kind, StageKind::Compute) { INVOCATIONS * WORKGROUPS } else { PIXELS * PIXELS }
}

/// Number of pixels of the picture and of the render targets in each direction.
pub(super) const PIXELS: u8 = 8;

/// Texels of the texture in each direction.
pub(super) const TEXELS: u8 = 4;
