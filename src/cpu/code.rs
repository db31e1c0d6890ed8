//! Compiled stages.

use std::ops::Range;

use naga::{
    AtomicFunction, Binding, CollectiveOperation, DerivativeAxis, DerivativeControl,
    GlobalVariable, Handle, Scalar, TypeInner,
};

use crate::texture::TexelAtomic;
use arithmetic::{BinaryFunction, Kind, Operand, PackFunction, UnaryFunction};

/// First of the registers of a value. A register holds one 32-bit word per lane; 64-bit scalars occupy two registers,
/// low word first. Composite values occupy consecutive registers without gaps; a boolean is 0 or 1.
///
/// Registers of expressions are set before they are read, and have higher numbers than those of their operands.
/// Variables are registers as well, and may be set anywhere.
pub type Register = usize;

/// A compiled entry point, or a function with its private globals.
#[derive(Debug, Default)]
pub struct Code {
    /// Number of registers.
    pub registers: usize,
    /// Values of registers that never change.
    pub constants: Vec<(Register, u32)>,
    /// Scalars and vectors that are set before each run, for each input of the entry point.
    pub inputs: Vec<Port>,
    /// Scalars and vectors that can be read after each run, for each output of the entry point.
    pub outputs: Vec<Port>,
    /// Scalars and vectors after the outputs that transform feedback captures.
    pub(crate) captured: Vec<Port>,
    /// Words of the workgroup's shared memory that can be read after each run.
    pub(crate) shared: Vec<SharedPort>,
    /// First register of each private global that the code uses.
    pub globals: Vec<(Handle<GlobalVariable>, Register)>,
    /// The resources, in the order in which [`crate::memory::Environment::bound`] lists what is bound.
    pub resources: Vec<naga::ResourceBinding>,
    /// Size of the workgroup's shared memory, in words.
    pub shared_words: usize,
    /// Workgroup size of a compute stage, otherwise `[1, 1, 1]`.
    pub workgroup_size: [u32; 3],
    /// Operations on constants and uniforms only, executed once for all runs.
    pub(crate) once: Vec<Op>,
    /// The operations.
    pub(crate) ops: Vec<Op>,
    /// Order of the operations.
    pub(crate) body: Vec<Node>,
    /// The rules of the stage's language for integers.
    pub(crate) integers: IntegerRules,
    /// True if some float is converted to an integer. An implementation may instead round it as a float if it is
    /// converted back, so a small negative one becomes −0.
    pub(crate) has_rounding: bool,
    /// Offsets of the words of values in memory, in words or halves of words. In halves, the highest bit marks a value
    /// of 16 bits.
    pub(crate) offsets: Vec<u32>,
}

/// A language's rules for divisions of integers by zero or beyond the largest number, for shifts by too many bits, and
/// for floats beyond the integers that they become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum IntegerRules {
    /// Undefined: GLSL and SPIR-V.
    #[default]
    Open,
    /// As the executor computes them: WGSL (8.7, 8.9 and 15.7.6).
    Defined,
}

/// An input or output of an entry point.
#[derive(Clone, Debug)]
pub struct Port {
    /// Binding of the port.
    pub binding: Binding,
    /// First register of the port.
    pub register: Register,
    /// Type of each component.
    pub scalar: Scalar,
    /// Number of components.
    pub components: usize,
}

/// Words of the workgroup's shared memory that are outputs of a stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedPort {
    /// First word in the results to which they are copied.
    pub(crate) word: usize,
    /// Index of the first word in the shared memory.
    pub(crate) at: usize,
    /// Number of words.
    pub(crate) words: usize,
}

/// Control flow.
#[derive(Debug)]
pub(crate) enum Node {
    /// A range of [`Code::ops`].
    Ops(Range<usize>),
    If {
        condition: Register,
        accept: Vec<Node>,
        reject: Vec<Node>,
    },
    Switch {
        selector: Register,
        cases: Vec<Case>,
    },
    Loop {
        body: Vec<Node>,
        continuing: Vec<Node>,
        break_if: Option<Register>,
    },
    /// The body of a function; [`Node::Return`] leaves it.
    Call(Vec<Node>),
    Break,
    Continue,
    Return,
    /// Discards the fragment, which continues without effects.
    Kill,
}

/// A case of a `switch`.
#[derive(Debug)]
pub(crate) struct Case {
    /// The selector's values, as words.
    pub(crate) values: Vec<u32>,
    pub(crate) is_default: bool,
    pub(crate) body: Vec<Node>,
    pub(crate) falls_through: bool,
}

/// Memory that lanes share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shared {
    /// A buffer: index into [`Code::resources`].
    Buffer(usize),
    /// The workgroup's memory.
    Workgroup,
}

/// A place in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) memory: Shared,
    /// Constant part of the offset, in words.
    pub(crate) offset: u32,
    /// Register with a further offset, added to the constant one.
    pub(crate) index: Option<Register>,
    /// True if offsets are in halves of words.
    pub(crate) is_halves: bool,
    /// True if loads and stores are atomic.
    pub(crate) is_atomic: bool,
}

impl Address {
    /// Address of the first word of a memory.
    pub(crate) const fn words_of(memory: Shared) -> Self {
        Self { memory, offset: 0, index: None, is_halves: false, is_atomic: false }
    }

    /// The address for operations on a value of this type.
    pub(crate) const fn of(self, inner: &TypeInner) -> Self {
        Self { is_atomic: matches!(inner, TypeInner::Atomic(_)), ..self }
    }
}

/// Marks the offset of a 16-bit value, if offsets are in halves of words.
pub(crate) const HALF: u32 = 1 << 31;

/// Length of an array for a bounds check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Constant(u32),
    Register(Register),
}

/// An element of an array, at an index that is known only at run time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    /// Place of the array; absent for 0.
    pub(crate) base: Option<Register>,
    /// Index of the element.
    pub(crate) index: Register,
    /// Length of the array, which limits the index.
    pub(crate) length: Length,
    /// Distance between the places of elements.
    pub(crate) stride: u32,
}

impl Element {
    /// Length of the array, where registers have these words.
    pub(crate) fn length(self, word: impl Fn(Register) -> u32) -> u32 {
        match self.length {
            Length::Constant(length) => length,
            Length::Register(register) => word(register),
        }
    }
}

/// An operation on all lanes unless stated otherwise.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// Sets registers to zero.
    Zero {
        to: Register,
        words: usize,
    },
    /// Copies registers.
    Move {
        to: Register,
        from: Register,
        words: usize,
    },
    /// Copies registers in active lanes.
    Store {
        to: Register,
        from: Register,
        words: usize,
    },
    Unary {
        function: UnaryFunction,
        kind: Kind,
        to: Register,
        from: Register,
        count: usize,
    },
    Convert {
        from_kind: Kind,
        to_kind: Kind,
        to: Register,
        from: Register,
        count: usize,
    },
    Binary {
        function: BinaryFunction,
        kind: Kind,
        to: Register,
        left: Operand,
        right: Operand,
        count: usize,
    },
    Fma {
        kind: Kind,
        to: Register,
        a: Operand,
        b: Operand,
        c: Operand,
        count: usize,
    },
    /// Records the bounds of a `clamp` whose result is at `to`.
    Clamped {
        kind: Kind,
        to: Register,
        low: Operand,
        high: Operand,
        count: usize,
    },
    /// Selects `count` items of `words` words each.
    Select {
        to: Register,
        condition: Operand,
        accept: Register,
        reject: Register,
        words: usize,
        count: usize,
    },
    Pack {
        function: PackFunction,
        to: Register,
        from: Register,
    },
    /// `to` = base + min(index, length − 1) × stride, the place of an element.
    Index {
        to: Register,
        element: Element,
    },
    /// Copies from registers `from` + index.
    LoadIndexed {
        to: Register,
        from: Register,
        index: Register,
        words: usize,
    },
    /// Copies to registers `to` + index in active lanes.
    StoreIndexed {
        to: Register,
        index: Register,
        from: Register,
        words: usize,
    },
    /// Reads the words at `offsets` (a range of [`Code::offsets`]).
    Load {
        to: Register,
        address: Address,
        offsets: Range<usize>,
    },
    /// Writes in active lanes.
    StoreShared {
        address: Address,
        from: Register,
        offsets: Range<usize>,
    },
    Atomic {
        address: Address,
        function: AtomicFunction,
        kind: Kind,
        value: Register,
        /// Compared value of a compare exchange.
        compare: Option<Register>,
        result: Option<Register>,
        /// True if the result is followed by a boolean: whether the exchange took place.
        tells_exchange: bool,
    },
    /// Number of elements of the runtime-sized array at `offset` bytes with `stride` bytes.
    Length {
        to: Register,
        resource: usize,
        offset: u32,
        stride: u32,
    },
    Derivative {
        axis: DerivativeAxis,
        control: DerivativeControl,
        to: Register,
        from: Register,
        count: usize,
    },
    /// Orders the accesses of a workgroup's invocations, which run in lockstep, for the detection of races.
    Barrier {
        /// True for a memory barrier, which does not wait.
        is_of_memory: bool,
    },
    Image(Box<ImageOp>),
    Subgroup(SubgroupOp),
    Emission(EmissionOp),
}

/// An operation of a geometry stage, in active lanes.
#[derive(Clone, Debug)]
pub(crate) enum EmissionOp {
    /// Emits a vertex of a stream. Beyond `max_vertices` vertices in all streams, vertices are ignored.
    Vertex { stream: Register, words: Box<[Register]>, max_vertices: u32 },
    /// Ends the strip of a stream.
    End { stream: Register },
}

/// An operation on a texture.
#[derive(Clone, Debug)]
pub(crate) enum ImageOp {
    Sample {
        to: Register,
        words: usize,
        view: usize,
        sampler: usize,
        coordinate: Register,
        dimensions: usize,
        layer: Option<(Register, Kind)>,
        offset: Option<Register>,
        level: SampleLevel,
        reference: Option<Register>,
        gather: Option<usize>,
        /// True if the coordinate is clamped to the middles of the outer texels.
        is_clamped: bool,
    },
    Load {
        to: Register,
        words: usize,
        view: usize,
        texel: TexelRegisters,
    },
    Store {
        view: usize,
        texel: TexelRegisters,
        from: Register,
        words: usize,
    },
    Size {
        to: Register,
        words: usize,
        view: usize,
        level: Option<Register>,
    },
    Atomic {
        view: usize,
        texel: TexelRegisters,
        operation: TexelAtomic,
        value: Register,
    },
    /// One of [`crate::texture::Textures::counts`].
    Count {
        to: Register,
        view: usize,
        which: usize,
    },
}

/// An operation on the active lanes of subgroups.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SubgroupOp {
    /// Four words with a bit for each lane where the predicate is true.
    Ballot {
        to: Register,
        predicate: Option<Register>,
    },
    Gather {
        mode: Source,
        to: Register,
        from: Register,
        words: usize,
    },
    /// A function of `count` scalars of all lanes.
    Collective {
        function: BinaryFunction,
        way: CollectiveOperation,
        kind: Kind,
        to: Register,
        from: Register,
        count: usize,
    },
}

/// The lane from which a lane gathers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// The first active lane.
    First,
    /// The lane whose number is in a register.
    At(Register),
    /// The lane whose number is higher by this.
    Above(Register),
    /// The lane whose number is lower by this.
    Below(Register),
    /// The lane whose number differs in the bits of a register.
    Across(Register),
    /// The lane whose number differs in these bits.
    Neighbour(usize),
}

/// Registers that hold the address of a texel.
#[derive(Clone, Debug)]
pub(crate) struct TexelRegisters {
    pub(crate) at: Register,
    pub(crate) dimensions: usize,
    pub(crate) layer: Option<Register>,
    pub(crate) level: Option<Register>,
    pub(crate) sample: Option<Register>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum SampleLevel {
    Auto,
    Zero,
    Exact(Register),
    /// An integer.
    Whole(Register, Kind),
    Bias(Register),
    Gradients {
        x: Register,
        y: Register,
    },
}

impl Op {
    /// Approximate cost in one lane, as a number of scalars computed.
    pub(crate) fn scalars(&self) -> usize {
        match *self {
            Self::Zero { words, .. }
            | Self::Move { words, .. }
            | Self::Store { words, .. }
            | Self::LoadIndexed { words, .. }
            | Self::StoreIndexed { words, .. } => words,
            Self::Unary { count, .. } | Self::Binary { count, .. } => count.saturating_mul(4),
            Self::Fma { count, .. } => count.saturating_mul(8),
            Self::Convert { count, .. }
            | Self::Derivative { count, .. }
            | Self::Clamped { count, .. } => count,
            Self::Select { words, count, .. } => words.saturating_mul(count),
            Self::Load { ref offsets, .. } | Self::StoreShared { ref offsets, .. } => offsets.len(),
            Self::Barrier { .. } => 0,
            Self::Pack { .. } => 8,
            Self::Atomic { .. } => 48,
            Self::Index { .. } | Self::Length { .. } | Self::Emission(EmissionOp::End { .. }) => 1,
            Self::Image(_) | Self::Subgroup(_) => 64,
            Self::Emission(EmissionOp::Vertex { ref words, .. }) => words.len().saturating_add(8),
        }
    }
}
