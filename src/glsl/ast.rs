//! The syntax tree of GLSL after preprocessing, without semantics.
//!
//! It covers GLSL 1.10 to 4.60 and ES 1.00 to 3.20. Every node that a message may point at has a [`Span`] in the case's
//! source (not in the preprocessed text). A token that comes from a macro has the span of the macro's use.

use ir::precision::Precision;
use ir::source::Span;

/// One shader object: the text of one section.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TranslationUnit {
    /// `#version`, or the default.
    pub version: Version,
    /// `#extension NAME : BEHAVIOUR`, in order.
    pub extensions: Vec<Extension>,
    /// Position of `#pragma STDGL invariant(all)`, if present.
    pub invariant_all: Option<Span>,
    /// All items at global scope, in order.
    pub items: Vec<Item>,
}

/// The language version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Times 100: 110 to 460, or 100 to 320 for ES.
    pub number: u16,
    /// True for ES.
    pub is_es: bool,
    /// True for the `compatibility` profile, and for versions below 1.40, which include all of its features.
    pub is_compatibility: bool,
}

impl Default for Version {
    fn default() -> Self {
        Self { number: 110, is_es: false, is_compatibility: true }
    }
}

/// `#extension name : behaviour`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    /// `GL_…` or `all`.
    pub name: String,
    /// `require`, `enable`, `warn` or `disable`.
    pub behaviour: String,
    /// True if interstage provides the extension in this version, for this target.
    pub is_provided: bool,
    /// The directive.
    pub span: Span,
}

/// A name with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// Position of the name.
    pub span: Span,
}

/// An item at global scope.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A function with a body.
    Function(Prototype, Block),
    /// A function declared without a body.
    Prototype(Prototype),
    /// Any other declaration.
    Declaration(Declaration),
}

/// A function's head.
#[derive(Clone, Debug, PartialEq)]
pub struct Prototype {
    /// Qualifiers and result type.
    pub result: QualifiedType,
    /// The name.
    pub name: Ident,
    /// The parameters; empty for a lone `void`.
    pub parameters: Vec<Parameter>,
}

/// A function parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Qualifiers (`const`, `in`, `out`, `inout`, precision) and type.
    pub ty: QualifiedType,
    /// Name of the parameter, absent in some prototypes.
    pub name: Option<Ident>,
    /// `[n]` after the name.
    pub array: Vec<ArraySize>,
}

/// A declaration, at global scope or in a function.
#[derive(Clone, Debug, PartialEq)]
pub enum Declaration {
    /// `type a, b[2] = …;`. Without declarators, only a struct definition.
    Variables {
        /// Qualifiers and type.
        ty: QualifiedType,
        /// The names.
        declarators: Vec<Declarator>,
    },
    /// An interface block: `qualifiers Name { members } instance[n];`.
    Block(BlockDeclaration),
    /// `precision highp float;`.
    Precision {
        /// The type's name.
        type_name: Ident,
        /// `lowp`, `mediump` or `highp`.
        precision: Precision,
    },
    /// Qualifiers for existing names (`invariant gl_Position;`, `flat a, b;`), or for the stage (`layout(local_size_x =
    /// 4) in;`, without names).
    Requalify {
        /// The qualifiers.
        qualifiers: Qualifiers,
        /// The names.
        names: Vec<Ident>,
        /// The statement.
        span: Span,
    },
}

/// One name of a declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Declarator {
    /// The name.
    pub name: Ident,
    /// `[n]` after the name; the first is the outermost of the declarator's own dimensions. All of them are outside the
    /// dimensions of the type: `vec2[3] a[2]` is 2 arrays of 3.
    pub array: Vec<ArraySize>,
    /// `= …`.
    pub initializer: Option<Initializer>,
}

/// `= expr` or `= { …, … }`.
#[derive(Clone, Debug, PartialEq)]
pub enum Initializer {
    /// An expression.
    Expr(Expr),
    /// A braced list.
    List(Vec<Initializer>, Span),
}

/// `[n]` or `[]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ArraySize {
    /// The constant expression; `None` for `[]`.
    pub size: Option<Expr>,
    /// Position, with the brackets.
    pub span: Span,
}

/// Qualifiers and a type.
#[derive(Clone, Debug, PartialEq)]
pub struct QualifiedType {
    /// The qualifiers.
    pub qualifiers: Qualifiers,
    /// The type.
    pub ty: TypeSpecifier,
}

/// A type with the array dimensions written right after it.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeSpecifier {
    /// The type's name or definition.
    pub kind: TypeName,
    /// `[n]` after the type.
    pub array: Vec<ArraySize>,
    /// Position of the name, or of the whole struct definition.
    pub span: Span,
}

/// The type without array dimensions.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeName {
    /// A built-in type's keyword (`vec3`, `sampler2D`, `void`) or a struct's name.
    Named(String),
    /// `struct S { … }`.
    Struct(StructDefinition),
}

/// `struct S { … }`.
#[derive(Clone, Debug, PartialEq)]
pub struct StructDefinition {
    /// The name, unless anonymous.
    pub name: Option<Ident>,
    /// The members.
    pub members: Vec<MemberDeclaration>,
    /// The whole definition.
    pub span: Span,
}

/// One member of a struct or block (`vec2 a, b;` is two).
#[derive(Clone, Debug, PartialEq)]
pub struct MemberDeclaration {
    /// Qualifiers and type.
    pub ty: QualifiedType,
    /// The name.
    pub name: Ident,
    /// `[n]` after the name.
    pub array: Vec<ArraySize>,
}

/// An interface block.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockDeclaration {
    /// `layout(…) uniform`, `out`, `flat in` ….
    pub qualifiers: Qualifiers,
    /// The block's name.
    pub name: Ident,
    /// Members of the block.
    pub members: Vec<MemberDeclaration>,
    /// Instance name and its array dimensions.
    pub instance: Option<(Ident, Vec<ArraySize>)>,
    /// The whole declaration.
    pub span: Span,
}

/// All qualifiers of a declaration.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a keyword of its own")]
pub struct Qualifiers {
    /// Storage qualifiers.
    pub storage: Vec<(Storage, Span)>,
    /// `smooth`, `flat`, `noperspective`.
    pub interpolation: Option<(InterpolationWord, Span)>,
    /// `centroid`.
    pub is_centroid: bool,
    /// `sample`.
    pub is_sample: bool,
    /// `patch`.
    pub is_patch: bool,
    /// `invariant`.
    pub is_invariant: bool,
    /// `precise`.
    pub is_precise: bool,
    /// `lowp`, `mediump`, `highp`.
    pub precision: Option<Precision>,
    /// `coherent`, `volatile`, `restrict`, `readonly`, `writeonly`.
    pub memory: Vec<MemoryWord>,
    /// All entries of all `layout(…)`, in order.
    pub layout: Vec<LayoutEntry>,
    /// The function types of `subroutine(a, b)`.
    pub subroutines: Vec<Ident>,
    /// Position from the first to the last qualifier.
    pub span: Span,
}

impl Qualifiers {
    /// No qualifiers, at the position where qualifiers would be.
    pub const fn none(span: Span) -> Self {
        Self {
            storage: Vec::new(),
            interpolation: None,
            is_centroid: false,
            is_sample: false,
            is_patch: false,
            is_invariant: false,
            is_precise: false,
            precision: None,
            memory: Vec::new(),
            layout: Vec::new(),
            subroutines: Vec::new(),
            span,
        }
    }
}

/// Storage qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are GLSL's keywords")]
pub enum Storage {
    Const,
    In,
    Out,
    InOut,
    Attribute,
    Varying,
    Uniform,
    Buffer,
    Shared,
    Subroutine,
}

/// Interpolation qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are GLSL's keywords")]
pub enum InterpolationWord {
    Smooth,
    Flat,
    NoPerspective,
}

/// Memory qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are GLSL's keywords")]
pub enum MemoryWord {
    Coherent,
    Volatile,
    Restrict,
    ReadOnly,
    WriteOnly,
}

/// `name` or `name = expr` inside `layout(…)`.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutEntry {
    /// The identifier (`location`, `std140`, `shared`, …).
    pub name: Ident,
    /// The constant expression.
    pub value: Option<Expr>,
}

/// `{ … }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The statements in order.
    pub statements: Vec<Statement>,
    /// Position, with the braces.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// Kind of statement.
    pub kind: StatementKind,
    /// The whole statement.
    pub span: Span,
}

/// The kinds of statement.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `;`
    Empty,
    /// `{ … }`, with its own scope.
    Block(Block),
    /// A local declaration.
    Declaration(Box<Declaration>),
    /// An expression statement.
    Expr(Expr),
    /// `if`.
    If {
        /// The condition.
        condition: Expr,
        /// The statement that runs if the condition is true.
        accept: Box<Statement>,
        /// The statement that runs if the condition is false.
        reject: Option<Box<Statement>>,
    },
    /// `switch`, with its labels and statements in order.
    Switch {
        /// The selector.
        selector: Expr,
        /// The body.
        body: Vec<SwitchItem>,
    },
    /// `while`.
    While {
        /// The condition.
        condition: Condition,
        /// The body.
        body: Box<Statement>,
    },
    /// `do … while`.
    DoWhile {
        /// The body.
        body: Box<Statement>,
        /// The condition.
        condition: Expr,
    },
    /// `for`.
    For {
        /// The first clause: a declaration, an expression statement or empty.
        init: Box<Statement>,
        /// The condition, which is the second clause.
        condition: Option<Condition>,
        /// The step, which is the third clause.
        step: Option<Expr>,
        /// The body.
        body: Box<Statement>,
    },
    /// `continue;`
    Continue,
    /// `break;`
    Break,
    /// `return …;`
    Return(Option<Expr>),
    /// `discard;`
    Discard,
}

/// A loop condition: an expression, or `bool b = …`.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a loop has one")]
pub enum Condition {
    /// An expression.
    Expr(Expr),
    /// A declaration whose value is the condition.
    Declaration(QualifiedType, Ident, Expr),
}

/// An item of a switch body.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "switch bodies are short")]
pub enum SwitchItem {
    /// `case expr:`
    Case(Expr),
    /// `default:`
    Default(Span),
    /// A statement.
    Statement(Statement),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Kind of expression.
    pub kind: ExprKind,
    /// The whole expression.
    pub span: Span,
}

/// The kinds of expression.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A variable.
    Variable(String),
    /// `1`, `0x1f`, `017`.
    Int(i32),
    /// `1u`.
    Uint(u32),
    /// `1.0`, `1e3f`.
    Float(f32),
    /// `1.0lf`.
    Double(f64),
    /// `1l`.
    Int64(i64),
    /// `1ul`.
    Uint64(u64),
    /// `true`, `false`.
    Bool(bool),
    /// Prefix operator.
    Unary(UnaryOp, Box<Expr>),
    /// `++x` and `--x` (`is_prefix`), `x++` and `x--`.
    Increment {
        /// The operand.
        operand: Box<Expr>,
        /// True for `++`, false for `--`.
        is_increment: bool,
        /// True if the operator is before the operand.
        is_prefix: bool,
    },
    /// Infix operator; `,` is [`ExprKind::Comma`].
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a = b` (no operator) or `a += b`.
    Assign(Option<BinaryOp>, Box<Expr>, Box<Expr>),
    /// `c ? a : b`.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `a, b`.
    Comma(Box<Expr>, Box<Expr>),
    /// `f(…)`, or a constructor of a type without array suffix.
    Call(Ident, Vec<Expr>),
    /// `subroutines[i](…)`.
    CallIndexed(Box<Expr>, Vec<Expr>),
    /// `float[3](…)`, `S[](…)`.
    Construct(TypeSpecifier, Vec<Expr>),
    /// `a.length()`; there is no other method.
    Method(Box<Expr>, Ident, Vec<Expr>),
    /// `a.xyz`, `s.f`.
    Field(Box<Expr>, Ident),
    /// `a[i]`.
    Index(Box<Expr>, Box<Expr>),
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `!`
    Not,
    /// `~`
    BitNot,
}

/// Infix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the operators")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Shl,
    Shr,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    LogicalAnd,
    LogicalXor,
    LogicalOr,
}
