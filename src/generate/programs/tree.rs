//! A program before it is written in a language.

/// Type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Type {
    /// 32 bits
    Float,
    /// 32 bits, signed
    Int,
    /// A vector of 2 to 4 floats.
    Vector(u8),
    /// A square matrix of 2 to 4 columns.
    Matrix(u8),
    /// [`ELEMENTS`] floats.
    Array,
    /// The structure of the program.
    Struct,
}

/// Elements of an array.
pub(super) const ELEMENTS: usize = 4;

/// A variable: uniforms, inputs, outputs, parameters and locals have numbers of one space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Variable {
    pub(super) number: usize,
    pub(super) ty: Type,
    pub(super) kind: Kind,
}

/// Place of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// `u0`, a float, and `u1`, an integer
    Uniform,
    /// Position of the vertex
    Attribute,
    /// A varying; an output of the vertex stage, an input of the fragment stage
    Varying,
    /// A clip distance, written by the vertex stage
    ClipDistance,
    /// A parameter that is passed by value
    Parameter,
    /// A parameter that the function changes, of GLSL's `inout`
    Changed,
    Local,
}

/// Functions of the languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builtin {
    Abs,
    Clamp,
    DerivativeX,
    DerivativeY,
    Fract,
    Max,
    Min,
    Mix,
    Sin,
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    /// Multiplies integers or floats, a vector or matrix by a scalar, or a matrix by a vector.
    Multiply,
    ExclusiveOr,
    And,
    /// Shifts left by 0 to 7 bits.
    ShiftLeft,
}

/// An expression and its type.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub(super) ty: Type,
    pub(super) value: Value,
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    Float(f32),
    Int(i32),
    Load(Variable),
    /// A value made of its parts: components, columns, elements or members.
    Compose(Vec<Expression>),
    /// Component of a vector, column of a matrix, element of an array or member of a structure.
    Part(Box<Expression>, usize),
    /// Element of an array variable, component of a vector variable or column of a matrix variable, at an index that is
    /// known at run time only. The index is in bounds.
    At(Variable, Box<Expression>),
    /// Components of a vector in another order.
    Swizzle(Box<Expression>, Vec<u8>),
    Binary(Operator, Box<Expression>, Box<Expression>),
    Builtin(Builtin, Vec<Expression>),
    /// The float of an integer.
    ToFloat(Box<Expression>),
    Call(usize, Vec<Expression>),
}

#[derive(Clone, Debug)]
pub(super) enum Statement {
    /// A new variable, and its first value.
    Declare(Variable, Expression),
    Assign(Variable, Expression),
    /// Sets an element, which is selected as in [`Value::At`].
    AssignAt(Variable, Expression, Expression),
    /// Calls a function without a result, which changes the variable.
    Change(usize, Variable, Vec<Expression>),
    /// Runs the first block if the lowest bit of the integer is not set, otherwise the second.
    If(Expression, Vec<Statement>, Vec<Statement>),
    /// Repeats a block with a counter from 0 up to, but not including, a limit.
    Repeat(Variable, u8, Vec<Statement>),
    /// Runs a block chosen by the value of the two lowest bits, from 0; the last block is for all other values.
    Switch(Expression, Vec<Vec<Statement>>),
    /// Ends the fragment if the three lowest bits of the integer are all set.
    Discard(Expression),
}

/// A function that later code may call.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) parameters: Vec<Variable>,
    pub(super) body: Vec<Statement>,
    /// The result; `None` if the function changes its first parameter instead.
    pub(super) result: Option<Expression>,
}

/// A varying and how it is interpolated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Varying {
    pub(super) variable: Variable,
    pub(super) interpolation: Interpolation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interpolation {
    Perspective,
    Centroid,
    Linear,
    Flat,
}

/// A stage: its functions, then statements of `main`.
#[derive(Clone, Debug, Default)]
pub(super) struct Stage {
    pub(super) functions: Vec<Function>,
    pub(super) body: Vec<Statement>,
    /// The position in the vertex stage, the colour in the fragment stage.
    pub(super) result: Vec<Expression>,
}

#[derive(Clone, Debug)]
pub(super) struct Program {
    /// Types of the structure's members.
    pub(super) members: Vec<Type>,
    pub(super) varyings: Vec<Varying>,
    /// Number of varyings at the end that are members of a block.
    pub(super) block: usize,
    pub(super) clip_distances: usize,
    pub(super) vertex: Stage,
    pub(super) fragment: Stage,
    pub(super) uniforms: (f32, i32),
}

impl Program {
    /// Inter-stage locations that a value of the type takes without packing.
    pub(super) fn locations(&self, ty: Type) -> usize {
        match ty {
            Type::Float | Type::Int | Type::Vector(_) => 1,
            Type::Matrix(size) => usize::from(size),
            Type::Array => ELEMENTS,
            Type::Struct => self.members.iter().map(|ty| self.locations(*ty)).sum(),
        }
    }
}

impl Expression {
    pub(super) const fn new(ty: Type, value: Value) -> Self {
        Self { ty, value }
    }

    pub(super) const fn load(variable: Variable) -> Self {
        Self::new(variable.ty, Value::Load(variable))
    }

    pub(super) const fn float(value: f32) -> Self {
        Self::new(Type::Float, Value::Float(value))
    }

    pub(super) const fn int(value: i32) -> Self {
        Self::new(Type::Int, Value::Int(value))
    }

    /// An operation whose result has the type of the left operand.
    pub(super) fn binary(self, operator: Operator, right: Self) -> Self {
        Self::new(self.ty, Value::Binary(operator, Box::new(self), Box::new(right)))
    }
}
