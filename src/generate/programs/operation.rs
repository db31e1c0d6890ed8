//! The operations of programs, and how each language spells them.

use super::Language;
use super::scalar::Scalar;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Op {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Negate,
    And,
    Or,
    Xor,
    Complement,
    ShiftLeft,
    ShiftRight,
    Abs,
    Sign,
    Min,
    Max,
    Clamp,
    Floor,
    Ceil,
    Truncate,
    Round,
    Fract,
    Saturate,
    ToHalf,
    Step,
    Fma,
    Dot,
    Cross,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    LogicalAnd,
    LogicalOr,
    LogicalXor,
    BothTrue,
    EitherTrue,
    LogicalNot,
    Any,
    All,
    Select,
    BitCount,
    BitReverse,
    LowestBit,
    HighestBit,
    LeadingZeros,
    TrailingZeros,
    Extract,
    Insert,
    DotSigned,
    DotUnsigned,
    PackSigned,
    PackUnsigned,
    PackSignedClamped,
    PackUnsignedClamped,
    PackFourUnorm,
    PackFourSnorm,
    PackTwoUnorm,
    PackTwoSnorm,
    PackHalf,
    UnpackSigned,
    UnpackUnsigned,
    Carry,
    Borrow,
    HighProduct,
    Exponent,
    Significand,
    ModfWhole,
    ModfFraction,
    Scale,
    /// Converts to the type of the result.
    Cast,
    /// Takes the bits as another 32-bit type.
    Bits,
    TimesVector,
    VectorTimes,
    TimesMatrix,
    TimesScalar,
    MatrixSum,
    MatrixDifference,
    ByComponents,
    Outer,
    Transpose,
    Determinant,
    Sqrt,
    InverseSqrt,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Exp,
    Exp2,
    Log,
    Log2,
    Pow,
    Length,
    Distance,
    Normalize,
    Reflect,
    Refract,
    FaceForward,
    Mix,
    SmoothStep,
    Radians,
    Degrees,
    DerivativeX,
    DerivativeY,
    Width,
    CoarseX,
    CoarseY,
    CoarseWidth,
    FineX,
    FineY,
    FineWidth,
    UnpackUnorm,
    UnpackTwoUnorm,
    UnpackSnorm,
    UnpackFourSnorm,
    UnpackHalf,
}

/// Types of the operands and the result. "The class" is the kind of the scalars that a row names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// This number of operands of the result's type.
    Same(u8),
    /// Two operands of the class; one boolean for each component.
    Compare,
    /// One operand of the class; one signed integer for each component.
    ToInt,
    /// An operand of the class, which is the result's, and unsigned amounts.
    Shift,
    /// Two of the class, which is the result's, and a boolean for each component.
    Select,
    /// A vector of the class; one scalar of it.
    Reduce,
    /// Two vectors of the class; one scalar of it.
    ReduceTwo,
    /// Two vectors of three components of the class, which is the result's.
    Three,
    /// Vectors of the class, the result's type.
    Vectors(u8),
    /// A vector of the class, and an offset and a width which are literals.
    Extract,
    /// Two of the class, and an offset and a width which are literals.
    Insert,
    /// Two unsigned scalars; one scalar of the class.
    Words,
    /// Four integers of the class; one unsigned scalar.
    Pack,
    /// This number of exact floats; one unsigned scalar.
    PackFloats(u8),
    /// One unsigned scalar; four integers of the class.
    UnpackInts,
    /// One unsigned scalar; this number of inexact floats.
    Unpack(u8),
    /// An exact float; one signed integer for each component.
    FloatToInt,
    /// A float of the class, and a literal which is its change of exponent.
    Scale,
    /// Has its own function.
    Own,
}

/// An operation.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) op: Op,
    /// Name among the features.
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    /// For each language, the classes that it has the operation for, and its spelling: one operator or function, or one
    /// of scalars and one of vectors; in SPIR-V that of signed integers, unsigned ones, floats and booleans, or one of
    /// all, where `!` stands before those of the extended set. Empty if the language lacks it.
    words: [&'static str; 3],
}

const fn row(op: Op, name: &'static str, shape: Shape, words: [&'static str; 3]) -> Row {
    Row { op, name, shape, words }
}

/// Letter of a class.
const fn letter(class: Scalar) -> char {
    match class {
        Scalar::Bool => 'b',
        Scalar::Int => 'i',
        Scalar::Uint => 'u',
        Scalar::Float => 'f',
        Scalar::Rough => 'r',
        Scalar::Long => 'l',
        Scalar::Ulong => 'q',
        Scalar::Double => 'd',
        Scalar::Half => 'h',
    }
}

impl Row {
    fn words(&self, language: Language) -> &'static str {
        self.words[match language {
            Language::Glsl => 0,
            Language::Wgsl => 1,
            Language::Spirv => 2,
        }]
    }

    /// True if the language has the operation for the class.
    pub(super) fn has(&self, language: Language, class: Scalar) -> bool {
        let classes = self.words(language).split(' ').next().unwrap_or_default();
        classes.contains(letter(class))
    }

    /// Spelling of an operation on scalars or vectors in GLSL or WGSL.
    pub(super) fn text(&self, language: Language, is_vector: bool) -> &'static str {
        let mut spellings = self.words(language).split(' ').skip(1);
        let scalar = spellings.next().unwrap_or_default();
        spellings.next().filter(|_| is_vector).unwrap_or(scalar)
    }

    /// SPIR-V's instruction for a class.
    pub(super) fn opcode(&self, class: Scalar) -> &'static str {
        let spellings: Vec<_> = self.words(Language::Spirv).split(' ').skip(1).collect();
        let number = match class {
            Scalar::Int | Scalar::Long => 0,
            Scalar::Uint | Scalar::Ulong => 1,
            Scalar::Float | Scalar::Rough | Scalar::Double | Scalar::Half => 2,
            Scalar::Bool => 3,
        };
        spellings.get(number).or(spellings.last()).copied().unwrap_or_default()
    }
}

impl Op {
    pub(super) const fn is_derivative(self) -> bool {
        use Op::{
            CoarseWidth, CoarseX, CoarseY, DerivativeX, DerivativeY, FineWidth, FineX, FineY, Width,
        };
        matches!(
            self,
            DerivativeX
                | DerivativeY
                | Width
                | CoarseX
                | CoarseY
                | CoarseWidth
                | FineX
                | FineY
                | FineWidth
        )
    }
}

/// The row of an operation.
pub(super) fn row_of(op: Op) -> &'static Row {
    // Every operation has a row, which a test checks.
    ROWS.iter().find(|row| row.op == op).unwrap_or(&ROWS[0])
}

use Shape::{
    Compare, Extract, FloatToInt, Insert, Own, Pack, PackFloats, Reduce, ReduceTwo, Same, Scale,
    Select, Shift, Three, ToInt, Unpack, UnpackInts, Vectors, Words,
};

/// All operations.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row(Op::Add, "+", Same(2), ["iufrlqd +", "iufrlqdh +", "iufrlqd OpIAdd OpIAdd OpFAdd"]),
    row(Op::Subtract, "-", Same(2), ["iufrlqd -", "iufrlqdh -", "iufrlqd OpISub OpISub OpFSub"]),
    row(Op::Multiply, "*", Same(2), ["iufrlqd *", "iufrlqdh *", "iufrlqd OpIMul OpIMul OpFMul"]),
    row(Op::Divide, "/", Same(2), ["iurlq /", "iurlq /", "iurlq OpSDiv OpUDiv OpFDiv"]),
    row(Op::Remainder, "%", Same(2), ["iulq %", "iulq %", "iulq OpSRem OpUMod"]),
    row(Op::Negate, "unary -", Same(1), ["ifrld -", "ifrldh -", "ifrld OpSNegate OpSNegate OpFNegate"]),
    row(Op::And, "&", Same(2), ["iulq &", "iulq &", "iulq OpBitwiseAnd"]),
    row(Op::Or, "|", Same(2), ["iulq |", "iulq |", "iulq OpBitwiseOr"]),
    row(Op::Xor, "^", Same(2), ["iulq ^", "iulq ^", "iulq OpBitwiseXor"]),
    row(Op::Complement, "~", Same(1), ["iulq ~", "iulq ~", "iulq OpNot"]),
    row(Op::ShiftLeft, "<<", Shift, ["iulq <<", "iulq <<", "iulq OpShiftLeftLogical"]),
    row(Op::ShiftRight, ">>", Shift, ["iulq >>", "iulq >>", "iulq OpShiftRightArithmetic OpShiftRightLogical"]),
    row(Op::Abs, "abs", Same(1), ["ifrd abs", "iufrdh abs", "ifrd !SAbs !SAbs !FAbs"]),
    row(Op::Sign, "sign", Same(1), ["ifd sign", "ifdh sign", "ifd !SSign !SSign !FSign"]),
    row(Op::Min, "min", Same(2), ["iufrlqd min", "iufrlqdh min", "iufrlqd !SMin !UMin !FMin"]),
    row(Op::Max, "max", Same(2), ["iufrlqd max", "iufrlqdh max", "iufrlqd !SMax !UMax !FMax"]),
    row(Op::Clamp, "clamp", Same(3), ["iufrlqd clamp", "iufrlqdh clamp", "iufrlqd !SClamp !UClamp !FClamp"]),
    row(Op::Floor, "floor", Same(1), ["fd floor", "fdh floor", "fd !Floor"]),
    row(Op::Ceil, "ceil", Same(1), ["fd ceil", "fdh ceil", "fd !Ceil"]),
    row(Op::Truncate, "trunc", Same(1), ["fd trunc", "fdh trunc", "fd !Trunc"]),
    row(Op::Round, "roundEven", Same(1), ["fd roundEven", "fdh round", "fd !RoundEven"]),
    row(Op::Fract, "fract", Same(1), ["fd fract", "fdh fract", "fd !Fract"]),
    row(Op::Saturate, "saturate", Same(1), ["", "frh saturate", ""]),
    row(Op::ToHalf, "quantizeToF16", Same(1), ["", "f quantizeToF16", "f OpQuantizeToF16"]),
    row(Op::Step, "step", Same(2), ["fd step", "fdh step", "fd !Step"]),
    row(Op::Fma, "fma", Same(3), ["fr fma", "frh fma", "fr !Fma"]),
    row(Op::Dot, "dot", ReduceTwo, ["fr dot", "iufrh dot", "fr OpDot"]),
    row(Op::Cross, "cross", Three, ["fr cross", "frh cross", "fr !Cross"]),
    row(Op::Less, "<", Compare, ["iuflqd < lessThan", "iuflqdh <", "iuflqd OpSLessThan OpULessThan OpFOrdLessThan"]),
    row(Op::LessEqual, "<=", Compare, ["iuflqd <= lessThanEqual", "iuflqdh <=", "iuflqd OpSLessThanEqual OpULessThanEqual OpFOrdLessThanEqual"]),
    row(Op::Greater, ">", Compare, ["iuflqd > greaterThan", "iuflqdh >", "iuflqd OpSGreaterThan OpUGreaterThan OpFOrdGreaterThan"]),
    row(Op::GreaterEqual, ">=", Compare, ["iuflqd >= greaterThanEqual", "iuflqdh >=", "iuflqd OpSGreaterThanEqual OpUGreaterThanEqual OpFOrdGreaterThanEqual"]),
    row(Op::Equal, "==", Compare, ["biuflqd == equal", "biuflqdh ==", "biuflqd OpIEqual OpIEqual OpFOrdEqual OpLogicalEqual"]),
    row(Op::NotEqual, "!=", Compare, ["biuflqd != notEqual", "biuflqdh !=", "biuflqd OpINotEqual OpINotEqual OpFUnordNotEqual OpLogicalNotEqual"]),
    row(Op::LogicalAnd, "&&", Own, ["b &&", "b &&", ""]),
    row(Op::LogicalOr, "||", Own, ["b ||", "b ||", ""]),
    row(Op::LogicalXor, "^^", Own, ["b ^^", "", ""]),
    row(Op::BothTrue, "& of booleans", Same(2), ["", "b &", "b OpLogicalAnd"]),
    row(Op::EitherTrue, "| of booleans", Same(2), ["", "b |", "b OpLogicalOr"]),
    row(Op::LogicalNot, "!", Same(1), ["b ! not", "b !", "b OpLogicalNot"]),
    row(Op::Any, "any", Reduce, ["b any", "b any", "b OpAny"]),
    row(Op::All, "all", Reduce, ["b all", "b all", "b OpAll"]),
    row(Op::Select, "select", Select, ["biufrd mix", "biufrlqdh select", "biufrlqd OpSelect"]),
    row(Op::BitCount, "bitCount", ToInt, ["iu bitCount", "iu countOneBits", "iu OpBitCount"]),
    row(Op::BitReverse, "bitfieldReverse", Same(1), ["iu bitfieldReverse", "iu reverseBits", "iu OpBitReverse"]),
    row(Op::LowestBit, "findLSB", ToInt, ["iu findLSB", "iu firstTrailingBit", "iu !FindILsb"]),
    row(Op::HighestBit, "findMSB", ToInt, ["iu findMSB", "iu firstLeadingBit", "iu !FindSMsb !FindUMsb"]),
    row(Op::LeadingZeros, "countLeadingZeros", Same(1), ["", "iu countLeadingZeros", ""]),
    row(Op::TrailingZeros, "countTrailingZeros", Same(1), ["", "iu countTrailingZeros", ""]),
    row(Op::Extract, "bitfieldExtract", Extract, ["iu bitfieldExtract", "iu extractBits", "iu OpBitFieldSExtract OpBitFieldUExtract"]),
    row(Op::Insert, "bitfieldInsert", Insert, ["iu bitfieldInsert", "iu insertBits", "iu OpBitFieldInsert"]),
    row(Op::DotSigned, "dot4I8Packed", Words, ["", "i dot4I8Packed", ""]),
    row(Op::DotUnsigned, "dot4U8Packed", Words, ["", "u dot4U8Packed", ""]),
    row(Op::PackSigned, "pack4xI8", Pack, ["", "i pack4xI8", ""]),
    row(Op::PackUnsigned, "pack4xU8", Pack, ["", "u pack4xU8", ""]),
    row(Op::PackSignedClamped, "pack4xI8Clamp", Pack, ["", "i pack4xI8Clamp", ""]),
    row(Op::PackUnsignedClamped, "pack4xU8Clamp", Pack, ["", "u pack4xU8Clamp", ""]),
    row(Op::UnpackSigned, "unpack4xI8", UnpackInts, ["", "i unpack4xI8", ""]),
    row(Op::UnpackUnsigned, "unpack4xU8", UnpackInts, ["", "u unpack4xU8", ""]),
    row(Op::PackFourUnorm, "packUnorm4x8", PackFloats(4), ["f packUnorm4x8", "f pack4x8unorm", "f !PackUnorm4x8"]),
    row(Op::PackFourSnorm, "packSnorm4x8", PackFloats(4), ["f packSnorm4x8", "f pack4x8snorm", "f !PackSnorm4x8"]),
    row(Op::PackTwoUnorm, "packUnorm2x16", PackFloats(2), ["f packUnorm2x16", "f pack2x16unorm", "f !PackUnorm2x16"]),
    row(Op::PackTwoSnorm, "packSnorm2x16", PackFloats(2), ["f packSnorm2x16", "f pack2x16snorm", "f !PackSnorm2x16"]),
    row(Op::PackHalf, "packHalf2x16", PackFloats(2), ["f packHalf2x16", "f pack2x16float", "f !PackHalf2x16"]),
    row(Op::Carry, "uaddCarry", Words, ["u uaddCarry", "", "u OpIAddCarry"]),
    row(Op::Borrow, "usubBorrow", Words, ["u usubBorrow", "", "u OpISubBorrow"]),
    row(Op::HighProduct, "umulExtended", Words, ["u umulExtended", "", "u OpUMulExtended"]),
    row(Op::Exponent, "frexp exponent", FloatToInt, ["f frexp", "fh frexp", "f !FrexpStruct"]),
    row(Op::Significand, "frexp significand", Same(1), ["f frexp", "fh frexp", "f !FrexpStruct"]),
    row(Op::ModfWhole, "modf whole", Same(1), ["f modf", "fh modf", "f !ModfStruct"]),
    row(Op::ModfFraction, "modf fraction", Same(1), ["f modf", "fh modf", "f !ModfStruct"]),
    row(Op::Scale, "ldexp", Scale, ["f ldexp", "fh ldexp", "f !Ldexp"]),
    row(Op::Cast, "conversion", Own, ["biuflqd cast", "biuflqdh cast", "biuflqd cast"]),
    row(Op::Bits, "bit cast", Own, ["iuf bits", "iuf bits", "iuf bits"]),
    row(Op::TimesVector, "matrix * vector", Own, ["f *", "f *", "f OpMatrixTimesVector"]),
    row(Op::VectorTimes, "vector * matrix", Own, ["f *", "f *", "f OpVectorTimesMatrix"]),
    row(Op::TimesMatrix, "matrix * matrix", Own, ["f *", "f *", "f OpMatrixTimesMatrix"]),
    row(Op::TimesScalar, "matrix * scalar", Own, ["f *", "f *", "f OpMatrixTimesScalar"]),
    row(Op::MatrixSum, "matrix + matrix", Own, ["f +", "f +", ""]),
    row(Op::MatrixDifference, "matrix - matrix", Own, ["f -", "f -", ""]),
    row(Op::ByComponents, "matrixCompMult", Own, ["f matrixCompMult", "", ""]),
    row(Op::Outer, "outerProduct", Own, ["f outerProduct", "", "f OpOuterProduct"]),
    row(Op::Transpose, "transpose", Own, ["f transpose", "f transpose", "f OpTranspose"]),
    row(Op::Determinant, "determinant", Own, ["f determinant", "f determinant", "f !Determinant"]),
    row(Op::Sqrt, "sqrt", Same(1), ["r sqrt", "r sqrt", "r !Sqrt"]),
    row(Op::InverseSqrt, "inversesqrt", Same(1), ["r inversesqrt", "r inverseSqrt", "r !InverseSqrt"]),
    row(Op::Sin, "sin", Same(1), ["r sin", "r sin", "r !Sin"]),
    row(Op::Cos, "cos", Same(1), ["r cos", "r cos", "r !Cos"]),
    row(Op::Tan, "tan", Same(1), ["r tan", "r tan", "r !Tan"]),
    row(Op::Asin, "asin", Same(1), ["r asin", "r asin", "r !Asin"]),
    row(Op::Acos, "acos", Same(1), ["r acos", "r acos", "r !Acos"]),
    row(Op::Atan, "atan", Same(1), ["r atan", "r atan", "r !Atan"]),
    row(Op::Atan2, "atan of two", Same(2), ["r atan", "r atan2", "r !Atan2"]),
    row(Op::Sinh, "sinh", Same(1), ["r sinh", "r sinh", "r !Sinh"]),
    row(Op::Cosh, "cosh", Same(1), ["r cosh", "r cosh", "r !Cosh"]),
    row(Op::Tanh, "tanh", Same(1), ["r tanh", "r tanh", "r !Tanh"]),
    row(Op::Asinh, "asinh", Same(1), ["r asinh", "r asinh", "r !Asinh"]),
    row(Op::Acosh, "acosh", Same(1), ["r acosh", "r acosh", "r !Acosh"]),
    row(Op::Atanh, "atanh", Same(1), ["r atanh", "r atanh", "r !Atanh"]),
    row(Op::Exp, "exp", Same(1), ["r exp", "r exp", "r !Exp"]),
    row(Op::Exp2, "exp2", Same(1), ["r exp2", "r exp2", "r !Exp2"]),
    row(Op::Log, "log", Same(1), ["r log", "r log", "r !Log"]),
    row(Op::Log2, "log2", Same(1), ["r log2", "r log2", "r !Log2"]),
    row(Op::Pow, "pow", Same(2), ["r pow", "r pow", "r !Pow"]),
    row(Op::Length, "length", Reduce, ["r length", "r length", "r !Length"]),
    row(Op::Distance, "distance", ReduceTwo, ["r distance", "r distance", "r !Distance"]),
    row(Op::Normalize, "normalize", Vectors(1), ["r normalize", "r normalize", "r !Normalize"]),
    row(Op::Reflect, "reflect", Vectors(2), ["r reflect", "r reflect", "r !Reflect"]),
    row(Op::Refract, "refract", Vectors(2), ["r refract", "r refract", "r !Refract"]),
    row(Op::FaceForward, "faceforward", Vectors(1), ["r faceforward", "r faceForward", "r !FaceForward"]),
    row(Op::Mix, "mix", Same(3), ["r mix", "r mix", "r !FMix"]),
    row(Op::SmoothStep, "smoothstep", Same(1), ["r smoothstep", "r smoothstep", "r !SmoothStep"]),
    row(Op::Radians, "radians", Same(1), ["r radians", "r radians", "r !Radians"]),
    row(Op::Degrees, "degrees", Same(1), ["r degrees", "r degrees", "r !Degrees"]),
    row(Op::DerivativeX, "dFdx", Same(1), ["r dFdx", "r dpdx", "r OpDPdx"]),
    row(Op::DerivativeY, "dFdy", Same(1), ["r dFdy", "r dpdy", "r OpDPdy"]),
    row(Op::Width, "fwidth", Same(1), ["r fwidth", "r fwidth", "r OpFwidth"]),
    row(Op::CoarseX, "dFdxCoarse", Same(1), ["r dFdxCoarse", "r dpdxCoarse", "r OpDPdxCoarse"]),
    row(Op::CoarseY, "dFdyCoarse", Same(1), ["r dFdyCoarse", "r dpdyCoarse", "r OpDPdyCoarse"]),
    row(Op::CoarseWidth, "fwidthCoarse", Same(1), ["r fwidthCoarse", "r fwidthCoarse", "r OpFwidthCoarse"]),
    row(Op::FineX, "dFdxFine", Same(1), ["r dFdxFine", "r dpdxFine", "r OpDPdxFine"]),
    row(Op::FineY, "dFdyFine", Same(1), ["r dFdyFine", "r dpdyFine", "r OpDPdyFine"]),
    row(Op::FineWidth, "fwidthFine", Same(1), ["r fwidthFine", "r fwidthFine", "r OpFwidthFine"]),
    row(Op::UnpackTwoUnorm, "unpackUnorm2x16", Unpack(2), ["r unpackUnorm2x16", "r unpack2x16unorm", "r !UnpackUnorm2x16"]),
    row(Op::UnpackFourSnorm, "unpackSnorm4x8", Unpack(4), ["r unpackSnorm4x8", "r unpack4x8snorm", "r !UnpackSnorm4x8"]),
    row(Op::UnpackUnorm, "unpackUnorm4x8", Unpack(4), ["r unpackUnorm4x8", "r unpack4x8unorm", "r !UnpackUnorm4x8"]),
    row(Op::UnpackSnorm, "unpackSnorm2x16", Unpack(2), ["r unpackSnorm2x16", "r unpack2x16snorm", "r !UnpackSnorm2x16"]),
    row(Op::UnpackHalf, "unpackHalf2x16", Unpack(2), ["r unpackHalf2x16", "r unpack2x16float", "r !UnpackHalf2x16"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_language_and_a_class() {
        let row = row_of(Op::Less);
        assert_eq!(row.text(Language::Glsl, false), "<");
        assert_eq!(row.text(Language::Glsl, true), "lessThan");
        assert_eq!(row.text(Language::Wgsl, true), "<");
        assert_eq!(row.opcode(Scalar::Ulong), "OpULessThan");
        assert_eq!(row.opcode(Scalar::Double), "OpFOrdLessThan");
        assert_eq!(row_of(Op::And).opcode(Scalar::Uint), "OpBitwiseAnd");
        assert_eq!(row_of(Op::Equal).opcode(Scalar::Bool), "OpLogicalEqual");
        assert!(row.has(Language::Wgsl, Scalar::Int) && !row.has(Language::Wgsl, Scalar::Bool));
        assert!(!row_of(Op::LogicalXor).has(Language::Wgsl, Scalar::Bool));
    }

    #[test]
    fn every_operation_has_one_row() {
        let mut ops: Vec<_> = ROWS.iter().map(|row| row.op).collect();
        ops.sort_unstable();
        assert!(ops.windows(2).all(|pair| pair[0] < pair[1]), "an operation has two rows");
        assert_eq!(ops.first(), Some(&Op::Add));
        assert_eq!(ops.last(), Some(&Op::UnpackHalf));
        assert_eq!(ops.len(), Op::UnpackHalf as usize + 1);
    }
}
