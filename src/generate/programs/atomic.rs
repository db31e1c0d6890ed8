//! Atomic operations.

/// Kind of atomic operation on a buffer element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Add,
    And,
    Max,
    Min,
    Or,
    Xor,
    Exchange,
    /// Stores the second operand if the element has the value of the first.
    CompareExchange,
    Subtract,
    Load,
    Store,
}

impl Change {
    /// All; the order of the first six makes no difference for what stays in the element.
    pub(super) const ALL: [Self; 11] = [
        Self::Add,
        Self::And,
        Self::Max,
        Self::Min,
        Self::Or,
        Self::Xor,
        Self::Exchange,
        Self::CompareExchange,
        Self::Subtract,
        Self::Load,
        Self::Store,
    ];

    /// Name among the features.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Add => "atomicAdd",
            Self::And => "atomicAnd",
            Self::Max => "atomicMax",
            Self::Min => "atomicMin",
            Self::Or => "atomicOr",
            Self::Xor => "atomicXor",
            Self::Exchange => "atomicExchange",
            Self::CompareExchange => "atomicCompareExchange",
            Self::Subtract => "atomicSub",
            Self::Load => "atomicLoad",
            Self::Store => "atomicStore",
        }
    }

    /// Number of operands behind the element.
    pub(super) const fn operands(self) -> usize {
        if matches!(self, Self::Load) {
            return 0;
        }
        if matches!(self, Self::CompareExchange) { 2 } else { 1 }
    }

    /// Name in GLSL and WGSL.
    pub(super) const fn word(self, is_wgsl: bool) -> &'static str {
        if !matches!(self, Self::CompareExchange) {
            return self.name();
        }
        if is_wgsl { "atomicCompareExchangeWeak" } else { "atomicCompSwap" }
    }

    /// Instruction of SPIR-V.
    pub(super) const fn opcode(self, is_signed: bool) -> &'static str {
        match self {
            Self::Add => "OpAtomicIAdd",
            Self::And => "OpAtomicAnd",
            Self::Max if is_signed => "OpAtomicSMax",
            Self::Max => "OpAtomicUMax",
            Self::Min if is_signed => "OpAtomicSMin",
            Self::Min => "OpAtomicUMin",
            Self::Or => "OpAtomicOr",
            Self::Xor => "OpAtomicXor",
            Self::Exchange => "OpAtomicExchange",
            Self::CompareExchange => "OpAtomicCompareExchange",
            Self::Subtract => "OpAtomicISub",
            Self::Load => "OpAtomicLoad",
            Self::Store => "OpAtomicStore",
        }
    }
}
